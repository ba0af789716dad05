//! What cannot be shown: a page that says why and searches on, or a problem document for programs.

use askama::Template;
use axum::http::StatusCode;

use super::{
    super::api::Problem,
    page::{Nav, Page, Reply, Said},
    strings,
    visit::Visit,
};
use crate::{
    corpus::CaseId,
    library::{FilterError, Library, Lookup},
};

/// How many cases are offered instead.
const OFFERED: usize = 5;

/// Why a page is not what was asked for.
#[derive(Debug)]
pub(super) struct Fault {
    status: StatusCode,
    /// What is wrong, for the visitor.
    detail: String,
    /// Where to go instead.
    instead: Option<Box<Instead>>,
    /// What to look for instead.
    text: String,
    /// When to come again, in seconds.
    retry_after: Option<u64>,
}

/// Where to go instead.
#[derive(Debug)]
struct Instead {
    lead: &'static str,
    label: String,
    /// The name of it for programs.
    name: String,
    href: String,
}

impl Fault {
    fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            status,
            detail: detail.into(),
            instead: None,
            text: String::new(),
            retry_after: None,
        }
    }

    /// Adds what was probably meant: label, name and address.
    fn or_rather(mut self, visit: &Visit, near: Option<(String, String, String)>) -> Self {
        self.instead = near.map(|(label, name, href)| {
            Box::new(Instead {
                lead: visit.t().meant,
                label,
                name,
                href,
            })
        });
        self
    }

    /// There is no such page. What its address says is looked for.
    pub(super) fn missing(visit: &Visit) -> Self {
        let decoded = url::form_urlencoded::parse(visit.path.replace('+', " ").as_bytes())
            .flat_map(|(key, value)| [key, value])
            .collect::<Vec<_>>()
            .join(" ");
        let kept: String = decoded
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { ' ' })
            .take(200)
            .collect();
        let words: Vec<&str> = kept.split_whitespace().collect();
        Self {
            text: words.join(" "),
            ..Self::new(StatusCode::NOT_FOUND, visit.t().no_page)
        }
    }

    /// There is no such case; perhaps its id was written otherwise.
    pub(super) fn no_case(library: &Library, visit: &Visit, id: &str) -> Self {
        let shown: String = id.chars().take(40).collect();
        let near = library.cases_near(id).first().map(|case| {
            let title = case.title.get(visit.lang);
            let label = format!("{} {title}", case.id);
            (label, case.id.to_string(), visit.links.case(&case.id))
        });
        let detail = format!("{} {shown}", visit.t().no_case);
        Self::new(StatusCode::NOT_FOUND, detail).or_rather(visit, near)
    }

    /// The case is not shown any more.
    pub(super) fn withdrawn(visit: &Visit, id: &CaseId, successor: Option<&CaseId>) -> Self {
        let t = visit.t();
        let instead = successor.map(|next| {
            Box::new(Instead {
                lead: t.replaced_by,
                label: next.to_string(),
                name: next.to_string(),
                href: visit.links.case(next),
            })
        });
        Self {
            instead,
            ..Self::new(StatusCode::GONE, format!("{id}: {}", t.withdrawn))
        }
    }

    /// There is no such topic. `near`: label, name and address of the one that was probably meant.
    pub(super) fn no_topic(
        visit: &Visit,
        slug: &str,
        near: Option<(String, String, String)>,
    ) -> Self {
        let shown: String = slug.chars().take(80).collect();
        Self {
            text: shown.replace('-', " "),
            ..Self::new(
                StatusCode::NOT_FOUND,
                format!("{} {shown}", visit.t().no_topic),
            )
        }
        .or_rather(visit, near)
    }

    /// A filter has no such value. `instead`: name and address of what was probably meant.
    pub(super) fn bad_filter(
        visit: &Visit,
        error: &FilterError,
        instead: Option<(String, String)>,
    ) -> Self {
        let shown: String = error.name.chars().take(80).collect();
        let near = instead.map(|(name, href)| (name.clone(), name, href));
        let detail = format!("{} {shown}", visit.t().no_filter);
        Self::new(StatusCode::BAD_REQUEST, detail).or_rather(visit, near)
    }

    /// The question is too long.
    pub(super) fn too_long(visit: &Visit) -> Self {
        Self::new(StatusCode::BAD_REQUEST, visit.t().too_long)
    }

    /// The request was refused before or behind the pages: by the router, the limit, or a failure.
    pub(super) fn of_status(visit: &Visit, status: StatusCode, retry_after: Option<u64>) -> Self {
        let t = visit.t();
        let detail = match status {
            StatusCode::NOT_FOUND => t.no_page.to_owned(),
            StatusCode::METHOD_NOT_ALLOWED => t.only_get.to_owned(),
            StatusCode::TOO_MANY_REQUESTS => {
                strings::wait(retry_after.unwrap_or(1).max(1), visit.lang)
            }
            status if status.is_server_error() => t.broken.to_owned(),
            _ => t.bad_address.to_owned(),
        };
        Self {
            retry_after,
            ..Self::new(status, detail)
        }
    }

    /// Renders it.
    pub(super) fn reply(self, library: &Library, visit: &Visit) -> Reply {
        let t = visit.t();
        let title = match self.status {
            StatusCode::NOT_FOUND => t.not_found_title,
            StatusCode::GONE => t.gone_title,
            StatusCode::TOO_MANY_REQUESTS => t.too_many_title,
            status if status.is_server_error() => t.broken_title,
            _ => t.bad_title,
        };
        if visit.program {
            let (hint, near) = match self.instead {
                Some(instead) => (format!("{} {}", instead.lead, instead.label), instead.name),
                None => (t.programs_hint.to_owned(), String::new()),
            };
            let nearest = Some(near).filter(|near| !near.is_empty());
            let problem = Problem::new(self.status, self.detail, hint)
                .near(nearest.into_iter().collect())
                .document();
            return Reply::of(Problem::KIND, Ok(problem)).refused(self.status, self.retry_after);
        }
        let mut found = Vec::new();
        if !self.text.is_empty() {
            let lookup = Lookup {
                lang: Some(visit.lang),
                limit: OFFERED,
                ..Lookup::new(self.text.as_str())
            };
            let answer = library.lookup(&lookup);
            found.extend(answer.precedents.iter().map(|precedent| {
                let case = &precedent.case;
                let title = Said::of(&case.title, visit.lang);
                (case.id.to_string(), title, visit.links.case(&case.id))
            }));
        }
        let mut page = Page::new(visit, Nav::Elsewhere, title.to_owned(), String::new());
        page.hidden = true;
        let template = FaultPage {
            page,
            detail: self.detail,
            instead: self.instead,
            text: self.text,
            found,
        };
        Reply::html(template.render()).refused(self.status, self.retry_after)
    }
}

#[derive(Template)]
#[template(path = "fault.html")]
struct FaultPage {
    page: Page,
    detail: String,
    instead: Option<Box<Instead>>,
    text: String,
    /// Id, title and address of cases that may be meant.
    found: Vec<(String, Said, String)>,
}
