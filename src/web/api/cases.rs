//! `GET /api/v1/cases`, `GET /api/v1/cases/{id}` and `GET /api/v1/cases/{id}/similar`.

use std::sync::Arc;

use axum::{
    extract::{Path, RawQuery, State},
    response::Response,
};

use super::{
    AppState, blocking,
    parameters::{
        FilterParameters, LangParameters, OrderParameters, PageParameters, Parameters,
        SimilarParameters, case_id, next_page,
    },
    problem::Problem,
};
use crate::{
    corpus::Lang,
    views::{self, CaseView, CasesView, RelatedView},
};

/// Where cases are listed.
const LIST: &str = "/api/v1/cases";

/// Lists cases, page by page.
#[utoipa::path(
    get,
    path = "/api/v1/cases",
    tag = "cases",
    params(FilterParameters, OrderParameters, LangParameters, PageParameters),
    responses((status = 200, description = "A page of cases", body = CasesView)),
)]
pub(super) async fn list(
    State(state): State<AppState>,
    RawQuery(raw): RawQuery,
) -> Result<Response, Problem> {
    let library = state.library.load_full();
    let mut query = Parameters::parse(raw.as_deref())?;
    let filters = query.filters(&library)?;
    let OrderParameters { order } = query.order()?;
    let LangParameters { lang } = query.lang()?;
    let page = query.page()?;
    query.finish()?;
    blocking(&state, move || {
        let list = library.list(&filters, order, page.offset, page.limit);
        let next = next_page(LIST, raw.as_deref(), &page, list.total);
        views::cases(&library, &list, page.offset, next, lang.unwrap_or(Lang::En))
    })
    .await
}

/// Gives everything that is recorded of a case.
///
/// Texts come in both languages, as `{"en": …, "ko": …}`, or as plain strings in the language that `lang` asks for.
#[utoipa::path(
    get,
    path = "/api/v1/cases/{id}",
    tag = "cases",
    params(("id" = String, Path, description = "The case's id; capitals do not matter"), LangParameters),
    responses((status = 200, description = "The case", body = CaseView)),
)]
pub(super) async fn case(
    State(state): State<AppState>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let library = state.library.load_full();
    let mut query = Parameters::parse(query.as_deref())?;
    let LangParameters { lang } = query.lang()?;
    query.finish()?;
    let case = Arc::clone(library.case(&case_id(&id)?)?);
    blocking(&state, move || views::case(&library, &case, lang)).await
}

/// Finds the cases closest to a case and says why: same cause, common components, common symptoms.
#[utoipa::path(
    get,
    path = "/api/v1/cases/{id}/similar",
    tag = "cases",
    params(
        ("id" = String, Path, description = "The case's id; capitals do not matter"),
        LangParameters,
        SimilarParameters,
    ),
    responses((status = 200, description = "The closest cases, best first", body = Vec<RelatedView>)),
)]
pub(super) async fn similar(
    State(state): State<AppState>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let library = state.library.load_full();
    let mut query = Parameters::parse(query.as_deref())?;
    let LangParameters { lang } = query.lang()?;
    let SimilarParameters { limit } = query.similar()?;
    query.finish()?;
    let id = library.case(&case_id(&id)?)?.id.clone();
    blocking(&state, move || {
        let related = library.similar(&id, limit).unwrap_or_default();
        views::related(&library, &related, lang.unwrap_or(Lang::En))
    })
    .await
}
