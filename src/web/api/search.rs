//! `GET /api/v1/search` and `GET /api/v1/extract`.

use axum::{
    extract::{RawQuery, State},
    response::Response,
};

use super::{
    AppState, blocking,
    parameters::{FilterParameters, LangParameters, PageParameters, Parameters, TextParameters},
    problem::Problem,
};
use crate::{
    library::{Filters, Lookup},
    views::{self, ExtractView, SearchView},
};

/// Finds the closest precedents and says why each is close.
///
/// Give a text, filters, or both. Without a text the cases that the filters allow are listed, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/search",
    tag = "search",
    params(TextParameters, FilterParameters, LangParameters, PageParameters),
    responses((status = 200, description = "The closest cases, best first", body = SearchView)),
)]
pub(super) async fn search(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let library = state.library.load_full();
    let mut query = Parameters::parse(query.as_deref())?;
    let TextParameters { q: text } = query.text()?;
    let filters = query.filters(&library)?;
    let LangParameters { lang } = query.lang()?;
    let PageParameters { limit, offset } = query.page()?;
    query.finish()?;
    if text.trim().is_empty() && filters == Filters::default() {
        return Err(Problem::bad_request(
            "there is nothing to search for",
            "give a text as `q`, or at least one filter, such as `component=etcd`",
        ));
    }
    blocking(&state, move || {
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

/// Says what is understood from a text, without searching.
///
/// Gives the vocabulary terms that the text reports, those that it says are fine, and exact signals, each with its place.
#[utoipa::path(
    get,
    path = "/api/v1/extract",
    tag = "search",
    params(TextParameters, LangParameters),
    responses((status = 200, description = "What was understood", body = ExtractView)),
)]
pub(super) async fn extract(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let library = state.library.load_full();
    let mut query = Parameters::parse(query.as_deref())?;
    let TextParameters { q: text } = query.text()?;
    let LangParameters { lang } = query.lang()?;
    query.finish()?;
    blocking(&state, move || {
        let terms = library.extract(&text);
        let lang = lang.unwrap_or_else(|| terms.lang.answer_lang());
        views::extract(&library, &text, &terms, lang)
    })
    .await
}
