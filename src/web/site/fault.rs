//! What cannot be shown: a page that says why and searches on.

use askama::Template;
use axum::http::StatusCode;

use super::{
    page::{Nav, Page, Reply},
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
    /// Where to go instead: text and address.
    instead: Option<(String, String)>,
    /// What to look for instead.
    text: String,
}

impl Fault {
    /// There is no such page. What its address says is looked for.
    pub(super) fn missing(visit: &Visit) -> Self {
        let decoded = url::form_urlencoded::parse(visit.path.replace('+', " ").as_bytes())
            .map(|(key, value)| format!("{key} {value}"))
            .collect::<String>();
        let kept: String = decoded
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { ' ' })
            .take(200)
            .collect();
        let words: Vec<&str> = kept.split_whitespace().collect();
        Self {
            status: StatusCode::NOT_FOUND,
            detail: visit.t().no_page.to_owned(),
            instead: None,
            text: words.join(" "),
        }
    }

    /// There is no such case.
    pub(super) fn no_case(visit: &Visit, id: &str) -> Self {
        let shown: String = id.chars().take(40).collect();
        Self {
            status: StatusCode::NOT_FOUND,
            detail: format!("{} {shown}", visit.t().no_case),
            instead: None,
            text: String::new(),
        }
    }

    /// The case is not shown any more.
    pub(super) fn withdrawn(visit: &Visit, id: &CaseId, successor: Option<&CaseId>) -> Self {
        Self {
            status: StatusCode::GONE,
            detail: format!("{id}: {}", visit.t().withdrawn),
            instead: successor.map(|id| (id.to_string(), visit.links.case(id))),
            text: String::new(),
        }
    }

    /// There is no such topic.
    pub(super) fn no_topic(visit: &Visit, slug: &str, near: Option<(String, String)>) -> Self {
        let shown: String = slug.chars().take(80).collect();
        Self {
            status: StatusCode::NOT_FOUND,
            detail: format!("{} {shown}", visit.t().no_topic),
            instead: near,
            text: shown.replace('-', " "),
        }
    }

    /// A filter has no such value.
    pub(super) fn bad_filter(
        visit: &Visit,
        error: &FilterError,
        instead: Option<(String, String)>,
    ) -> Self {
        let shown: String = error.name.chars().take(80).collect();
        Self {
            status: StatusCode::BAD_REQUEST,
            detail: format!("{} {shown}", visit.t().no_filter),
            instead,
            text: String::new(),
        }
    }

    /// The question is too long.
    pub(super) fn too_long(visit: &Visit) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            detail: visit.t().too_long.to_owned(),
            instead: None,
            text: String::new(),
        }
    }

    /// Renders the page.
    pub(super) fn reply(self, library: &Library, visit: &Visit) -> Reply {
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
                let title = case.title.get(visit.lang).to_owned();
                (case.id.to_string(), title, visit.links.case(&case.id))
            }));
        }
        let title = visit.t().not_found_title.to_owned();
        let mut page = Page::new(visit, Nav::Elsewhere, title, String::new());
        page.hidden = true;
        let template = FaultPage {
            page,
            detail: self.detail,
            instead: self.instead,
            text: self.text,
            found,
        };
        Reply::html(template.render()).with_status(self.status)
    }
}

#[derive(Template)]
#[template(path = "fault.html")]
struct FaultPage {
    page: Page,
    detail: String,
    instead: Option<(String, String)>,
    text: String,
    /// Id, title and address of cases that may be meant.
    found: Vec<(String, String, String)>,
}
