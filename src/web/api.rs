//! The JSON API: search and extraction for programs. Errors are problem documents (RFC 9457) that say what to do.

use std::{collections::BTreeMap, fmt::Display, str::FromStr};

use axum::{
    Json,
    extract::{Path, RawQuery, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use tracing::error;

use super::AppState;
use crate::{
    corpus::{CaseId, Facet, Lang, nearest},
    library::{FilterNames, Filters, Lookup},
    views,
};

/// Longest text that is looked up, in characters. A pasted log of a hundred lines fits.
const TEXT_LIMIT: usize = 10_000;

/// Precedents of a page when nothing else is asked for.
const DEFAULT_LIMIT: usize = 10;

/// Largest page.
const LIMIT: usize = 50;

/// Farthest page.
const OFFSET_LIMIT: usize = 100_000;

/// Related cases when nothing else is asked for: as many as the case page shows.
const DEFAULT_RELATED: usize = 12;

/// Answers `GET /api/v1/search`.
pub(super) async fn search(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let library = state.library.load_full();
    let mut query = Parameters::parse(query.as_deref())?;
    let text = query.text()?;
    let mut names = FilterNames {
        organisation: query.one("org")?,
        tags: query.all("tag"),
        since: query.number("since", u16::MAX)?,
        until: query.number("until", u16::MAX)?,
        terms: Vec::new(),
    };
    for facet in Facet::ALL {
        names.terms.extend(
            query
                .all(facet.slug())
                .into_iter()
                .map(|slug| (facet, slug)),
        );
    }
    let lang = query.lang()?;
    let limit = query.number("limit", LIMIT)?.unwrap_or(DEFAULT_LIMIT);
    let offset = query.number("offset", OFFSET_LIMIT)?.unwrap_or(0);
    query.finish(&[
        "q",
        "component",
        "symptom",
        "cause",
        "factor",
        "org",
        "tag",
        "since",
        "until",
        "lang",
        "limit",
        "offset",
    ])?;
    let filters = Filters::parse(&library, &names)
        .map_err(|error| Problem::bad_request(&error, error.hint()))?;
    if text.trim().is_empty() && filters == Filters::default() {
        return Err(Problem::bad_request(
            "there is nothing to search for",
            "give a text as `q`, or at least one filter, such as `component=etcd`",
        ));
    }
    blocking(move || {
        let lookup = Lookup {
            text,
            filters,
            lang,
            limit,
            offset,
        };
        let answer = library.lookup(&lookup);
        let lang = lang.unwrap_or_else(|| answer.terms.lang.answer_lang());
        views::search(&library, &lookup.text, &answer, lang)
    })
    .await
}

/// Answers `GET /api/v1/extract`.
pub(super) async fn extract(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let library = state.library.load_full();
    let mut query = Parameters::parse(query.as_deref())?;
    let text = query.text()?;
    let lang = query.lang()?;
    query.finish(&["q", "lang"])?;
    blocking(move || {
        let terms = library.extract(&text);
        let lang = lang.unwrap_or_else(|| terms.lang.answer_lang());
        views::extract(&library, &text, &terms, lang)
    })
    .await
}

/// Answers `GET /api/v1/cases/{id}/similar`.
pub(super) async fn similar(
    State(state): State<AppState>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let library = state.library.load_full();
    let mut query = Parameters::parse(query.as_deref())?;
    let lang = query.lang()?.unwrap_or(Lang::En);
    let limit = query.number("limit", LIMIT)?.unwrap_or(DEFAULT_RELATED);
    query.finish(&["lang", "limit"])?;
    let id: CaseId = id
        .parse()
        .map_err(|error| Problem::bad_request(format!("`{id}` is not a case id"), error))?;
    if library.case(&id).is_err() {
        let hint = "search for it with `/api/v1/search?q=…`";
        return Err(Problem::not_found(format!("there is no case `{id}`"), hint));
    }
    blocking(move || {
        let related = library.similar(&id, limit).unwrap_or_default();
        views::related(&library, &related, lang)
    })
    .await
}

/// Runs a lookup where it holds up no other request.
async fn blocking<T: Serialize + Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Response, Problem> {
    if let Ok(view) = tokio::task::spawn_blocking(work).await {
        return Ok(Json(view).into_response());
    }
    // The panic's message may hold the text.
    error!("a lookup panicked");
    Err(Problem {
        status: StatusCode::INTERNAL_SERVER_ERROR,
        detail: "the lookup failed".to_owned(),
        hint: "try again; if it fails again, report the request".to_owned(),
    })
}

/// The parameters of a request; those asked for are taken out, so that strange ones are found.
struct Parameters {
    values: BTreeMap<String, Vec<String>>,
}

impl Parameters {
    fn parse(query: Option<&str>) -> Result<Self, Problem> {
        let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let query = query.unwrap_or_default();
        let given_replacement = query.to_ascii_uppercase().contains("%EF%BF%BD");
        for (key, value) in url::form_urlencoded::parse(query.as_bytes()) {
            // The decoder puts U+FFFD where bytes are no UTF-8; the text may also hold one itself.
            if value.contains('\u{fffd}') && !given_replacement {
                return Err(Problem::bad_request(
                    format!("`{key}` is not UTF-8"),
                    "percent-encode the parameters as UTF-8",
                ));
            }
            values
                .entry(key.into_owned())
                .or_default()
                .push(value.into_owned());
        }
        Ok(Self { values })
    }

    /// Takes a parameter that may stand several times, or hold several values between commas.
    fn all(&mut self, key: &str) -> Vec<String> {
        let values = self.values.remove(key).unwrap_or_default();
        let split = values.iter().flat_map(|value| value.split(','));
        split
            .map(str::trim)
            .filter(|value| !value.is_empty())
            .map(str::to_owned)
            .collect()
    }

    /// Takes a parameter that may stand once.
    fn one(&mut self, key: &str) -> Result<Option<String>, Problem> {
        let mut values = self.values.remove(key).unwrap_or_default();
        if values.len() > 1 {
            let detail = format!("`{key}` stands {} times", values.len());
            return Err(Problem::bad_request(detail, "give it once"));
        }
        Ok(values.pop().filter(|value| !value.is_empty()))
    }

    fn text(&mut self) -> Result<String, Problem> {
        let text = self.one("q")?.unwrap_or_default();
        let length = text.chars().count();
        if length > TEXT_LIMIT {
            let detail = format!("`q` has {length} characters, at most {TEXT_LIMIT} are looked up");
            return Err(Problem::bad_request(
                detail,
                "send the part that tells what is seen",
            ));
        }
        Ok(text)
    }

    fn lang(&mut self) -> Result<Option<Lang>, Problem> {
        let Some(tag) = self.one("lang")? else {
            return Ok(None);
        };
        let lang = Lang::from_tag(&tag);
        let problem = || {
            Problem::bad_request(
                format!("`{tag}` is not a language here"),
                "use `en` or `ko`",
            )
        };
        lang.map(Some).ok_or_else(problem)
    }

    fn number<N: Copy + FromStr + PartialOrd + Display>(
        &mut self,
        key: &str,
        most: N,
    ) -> Result<Option<N>, Problem> {
        let Some(text) = self.one(key)? else {
            return Ok(None);
        };
        match text.parse() {
            Ok(number) if number <= most => Ok(Some(number)),
            _ => {
                let detail = format!("`{key}` is `{text}`");
                Err(Problem::bad_request(
                    detail,
                    format!("give a whole number from 0 to {most}"),
                ))
            }
        }
    }

    /// Refuses what nobody asked for: a misspelt filter must not widen the search in silence.
    fn finish(self, known: &[&str]) -> Result<(), Problem> {
        let Some(strange) = self.values.keys().next() else {
            return Ok(());
        };
        let hint = nearest(strange, known.iter().copied()).map_or_else(
            || format!("known here: {}", known.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        Err(Problem::bad_request(
            format!("`{strange}` is not a parameter"),
            hint,
        ))
    }
}

/// A refusal with its reason and what to do.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    detail: String,
    hint: String,
}

impl Problem {
    fn bad_request(detail: impl Display, hint: impl Display) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            detail: detail.to_string(),
            hint: hint.to_string(),
        }
    }

    fn not_found(detail: impl Display, hint: impl Display) -> Self {
        Self {
            status: StatusCode::NOT_FOUND,
            detail: detail.to_string(),
            hint: hint.to_string(),
        }
    }
}

/// The body of a refusal (RFC 9457), with one member of our own.
#[derive(Serialize)]
struct ProblemView {
    title: &'static str,
    status: u16,
    detail: String,
    /// What to do about it.
    hint: String,
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let view = ProblemView {
            title: self.status.canonical_reason().unwrap_or_default(),
            status: self.status.as_u16(),
            detail: self.detail,
            hint: self.hint,
        };
        let mut response = (self.status, Json(view)).into_response();
        let kind = header::HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        response
    }
}
