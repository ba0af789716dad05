//! `GET /api/v1/topics/{facet}/{slug}`, `GET /api/v1/vocab`, `GET /api/v1/graph` and `GET /api/v1/stats`.

use axum::{
    extract::{Path, RawQuery, State},
    response::Response,
};

use super::{
    AppState, blocking,
    parameters::{
        FacetName, FacetParameters, FilterParameters, GraphParameters, LangParameters,
        PageParameters, Parameters,
    },
    problem::Problem,
    try_blocking,
};
use crate::{
    corpus::{Facet, Lang},
    library::{Drawing, Filters, Scope},
    views::{self, GraphView, StatsView, TopicView, VocabView},
};

/// Tells what is known of one vocabulary term.
///
/// Its cases, what it goes together with ("what usually causes this symptom"), and the lessons and follow-ups most often
/// drawn, in the owners' own words.
#[utoipa::path(
    get,
    path = "/api/v1/topics/{facet}/{slug}",
    tag = "browse",
    params(
        ("facet" = inline(FacetName), Path, description = "The term's facet"),
        ("slug" = String, Path, description = "The term's name"),
        LangParameters,
        PageParameters,
    ),
    responses((status = 200, description = "The topic with a page of its cases", body = TopicView)),
)]
pub(super) async fn topic(
    State(state): State<AppState>,
    Path((facet, slug)): Path<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let library = state.library.load_full();
    let mut query = Parameters::parse(query.as_deref())?;
    let LangParameters { lang } = query.lang()?;
    let PageParameters { limit, offset } = query.page()?;
    query.finish()?;
    let facet = Facet::from_slug(&facet).ok_or_else(|| {
        let facets = Facet::ALL.map(|facet| facet.slug().to_owned());
        let hint = format!("the facets are {}", facets.join(", "));
        Problem::not_found(format!("there is no facet `{facet}`"), hint).near(facets.to_vec())
    })?;
    let term = library.term(facet, &slug)?;
    blocking(&state, move || {
        let topic = library.topic(term);
        views::topic(&library, &topic, offset, limit, lang.unwrap_or(Lang::En))
    })
    .await
}

/// Lists the words that cases are described and filtered with.
#[utoipa::path(
    get,
    path = "/api/v1/vocab",
    tag = "browse",
    params(FacetParameters, LangParameters),
    responses((status = 200, description = "The vocabulary", body = VocabView)),
)]
pub(super) async fn vocab(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let library = state.library.load_full();
    let mut query = Parameters::parse(query.as_deref())?;
    let FacetParameters { facet } = query.facet()?;
    let LangParameters { lang } = query.lang()?;
    query.finish()?;
    blocking(&state, move || {
        views::vocab(&library, facet, lang.unwrap_or(Lang::En))
    })
    .await
}

/// Draws what goes together: causes, components, symptoms, factors and, if asked for, cases.
#[utoipa::path(
    get,
    path = "/api/v1/graph",
    tag = "browse",
    params(GraphParameters, FilterParameters, LangParameters),
    responses((status = 200, description = "Nodes and edges", body = GraphView)),
)]
pub(super) async fn graph(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let library = state.library.load_full();
    let mut query = Parameters::parse(query.as_deref())?;
    let GraphParameters {
        case,
        cases,
        facet,
        nodes,
    } = query.graph()?;
    let filters = query.filters(&library)?;
    let LangParameters { lang } = query.lang()?;
    query.finish()?;
    if case.is_some() && filters != Filters::default() {
        let hint = "give `case` alone, or filters";
        return Err(Problem::bad_request("`case` stands beside filters", hint));
    }
    let scope = match case {
        Some(id) => Scope::Around(id),
        None => Scope::Found(filters),
    };
    let drawing = Drawing {
        facets: facet.map_or(Facet::ALL.to_vec(), |facet| vec![facet]),
        cases,
        nodes,
    };
    try_blocking(&state, move || {
        let graph = library.graph(&scope, &drawing)?;
        Ok(views::graph(&library, &graph, lang.unwrap_or(Lang::En)))
    })
    .await
}

/// Counts the cases that filters allow.
#[utoipa::path(
    get,
    path = "/api/v1/stats",
    tag = "browse",
    params(FilterParameters, LangParameters),
    responses((status = 200, description = "The library in figures", body = StatsView)),
)]
pub(super) async fn stats(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let library = state.library.load_full();
    let mut query = Parameters::parse(query.as_deref())?;
    let filters = query.filters(&library)?;
    let LangParameters { lang } = query.lang()?;
    query.finish()?;
    blocking(&state, move || {
        let figures = library.stats(&filters);
        views::stats(&library, &figures, lang.unwrap_or(Lang::En))
    })
    .await
}
