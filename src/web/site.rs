//! The library for people: pages in English and Korean, rendered here, that work without script and better with it.
//!
//! A handler hands one function to [`respond`]: library and [`Visit`] in, [`Reply`] or [`Fault`] out. Templates only place
//! what the modules here have made ready; they look nothing up.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{Path, Request, State},
    http::{HeaderName, HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use tower_http::{
    catch_panic::CatchPanicLayer, compression::CompressionLayer, set_header::SetResponseHeaderLayer,
};
use tracing::error;

use self::{
    fault::Fault,
    page::Reply,
    visit::{Visit, Visitor},
};
use super::{AppState, api::Problem, client};
use crate::library::Library;

mod asset;
mod case;
mod chart;
mod fault;
mod feed;
mod graph;
mod guide;
mod layout;
mod page;
mod params;
mod search;
mod stats;
mod strings;
mod timeline;
mod topic;
mod visit;

pub(super) use visit::preferred;

/// Nothing runs or loads but what this service itself serves.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// How long browsers and caches keep what has its digest in its address.
const FOREVER: Duration = Duration::from_hours(365 * 24);

/// Makes the routes of the pages.
pub(super) fn routes(state: &AppState) -> Router<AppState> {
    let header = |name: HeaderName, value: &'static str| {
        SetResponseHeaderLayer::overriding(name, HeaderValue::from_static(value))
    };
    Router::new()
        .route("/", get(home))
        .route("/results", get(results))
        .route("/cases/{id}", get(case_page))
        .route("/cases/{id}/brief", get(brief))
        .route("/topics", get(topics))
        .route("/topics/{facet}/{slug}", get(topic_page))
        .route("/graph", get(graph_page))
        .route("/stats", get(stats_page))
        .route("/api", get(guide_page))
        .route("/feed.xml", get(feed_page))
        .route("/sitemap.xml", get(sitemap))
        .route("/robots.txt", get(robots))
        .fallback(missing)
        .layer(middleware::from_fn_with_state(state.clone(), limited))
        .layer(CatchPanicLayer::custom(super::panicked))
        .layer(middleware::from_fn_with_state(state.clone(), worded))
        // Small, kept for ever, and asked for by every page at once.
        .route("/favicon.ico", get(asset::icon))
        .route("/assets/{name}", get(asset::serve))
        .layer(CompressionLayer::new())
        .layer(header(header::CONTENT_SECURITY_POLICY, POLICY))
        .layer(header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        // Questions stand in addresses; what a source's site gets to see of them is nothing.
        .layer(header(header::REFERRER_POLICY, "same-origin"))
}

/// Refuses a visitor who asks too often, or when all together do; pages and API share one allowance.
async fn limited(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let Some(_open) = state.turns.enter() else {
        let text = "too many requests at once: load the page again in a moment\n";
        return (
            StatusCode::SERVICE_UNAVAILABLE,
            [(header::RETRY_AFTER, "1")],
            text,
        )
            .into_response();
    };
    match state
        .clients
        .admit(&client::address(&state.clients, &request))
    {
        Ok(()) => next.run(request).await,
        Err(seconds) => {
            let headers = [(header::RETRY_AFTER, seconds.to_string())];
            (StatusCode::TOO_MANY_REQUESTS, headers).into_response()
        }
    }
}

/// Gives words to refusals that have none: those of the limit, of the router, and of failures.
async fn worded(
    State(state): State<AppState>,
    visitor: Visitor,
    request: Request,
    next: Next,
) -> Response {
    let response = next.run(request).await;
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_refusal = status.is_client_error() || status.is_server_error();
    if !is_refusal || kind.starts_with("text/html") || kind == Problem::KIND {
        return response;
    }
    let header = |name: HeaderName| response.headers().get(name).cloned();
    let retry_after = header(header::RETRY_AFTER);
    let retry_after = retry_after.and_then(|value| value.to_str().ok()?.parse().ok());
    let allowed = header(header::ALLOW);
    let Visitor { visit, known } = visitor;
    let library = state.library.load_full();
    let fault = Fault::of_status(&visit, status, retry_after);
    let mut response = fault.reply(&library, &visit).into_response(&known);
    if let Some(allowed) = allowed {
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    response
}

/// Answers a visit where it holds up no other request.
async fn respond(
    state: AppState,
    visitor: Visitor,
    work: impl FnOnce(&Library, &Visit) -> Result<Reply, Fault> + Send + 'static,
) -> Response {
    let library = state.library.load_full();
    let Visitor { mut visit, known } = visitor;
    if let Some(address) = library.address() {
        // What programs keep (feeds, maps, canonical links) must not depend on the name that a visitor came by.
        address.clone_into(&mut visit.origin);
    }
    let answered = state.turns.browse(move || {
        work(&library, &visit).unwrap_or_else(|fault| fault.reply(&library, &visit))
    });
    if let Ok(reply) = answered.await {
        return reply.into_response(&known);
    }
    // The panic's message may hold what was asked.
    error!("a page panicked");
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}

async fn home(State(state): State<AppState>, visitor: Visitor) -> Response {
    respond(state, visitor, search::page).await
}

async fn results(State(state): State<AppState>, visitor: Visitor) -> Response {
    respond(state, visitor, search::results).await
}

async fn case_page(
    State(state): State<AppState>,
    Path(id): Path<String>,
    visitor: Visitor,
) -> Response {
    respond(state, visitor, move |library, visit| {
        case::page(library, visit, &id)
    })
    .await
}

async fn brief(
    State(state): State<AppState>,
    Path(id): Path<String>,
    visitor: Visitor,
) -> Response {
    respond(state, visitor, move |library, visit| {
        case::brief(library, visit, &id)
    })
    .await
}

async fn topics(State(state): State<AppState>, visitor: Visitor) -> Response {
    respond(state, visitor, |library, visit| {
        Ok(topic::index(library, visit))
    })
    .await
}

async fn topic_page(
    State(state): State<AppState>,
    Path((facet, slug)): Path<(String, String)>,
    visitor: Visitor,
) -> Response {
    respond(state, visitor, move |library, visit| {
        topic::page(library, visit, &facet, &slug)
    })
    .await
}

async fn graph_page(State(state): State<AppState>, visitor: Visitor) -> Response {
    respond(state, visitor, graph::page).await
}

async fn stats_page(State(state): State<AppState>, visitor: Visitor) -> Response {
    respond(state, visitor, |library, visit| {
        Ok(stats::page(library, visit))
    })
    .await
}

async fn guide_page(State(state): State<AppState>, visitor: Visitor) -> Response {
    let (library, documents) = (state.library.load_full(), Arc::clone(&state.documents));
    respond(state, visitor, move |_, visit| {
        Ok(guide::page(&documents.of(&library), visit))
    })
    .await
}

async fn feed_page(State(state): State<AppState>, visitor: Visitor) -> Response {
    respond(state, visitor, |library, visit| {
        Ok(feed::atom(library, visit))
    })
    .await
}

async fn sitemap(State(state): State<AppState>, visitor: Visitor) -> Response {
    respond(state, visitor, |library, visit| {
        Ok(feed::sitemap(library, visit))
    })
    .await
}

async fn robots(State(state): State<AppState>, visitor: Visitor) -> Response {
    respond(state, visitor, |_, visit| Ok(feed::robots(visit))).await
}

async fn missing(State(state): State<AppState>, visitor: Visitor) -> Response {
    respond(state, visitor, |_, visit| Err(Fault::missing(visit))).await
}
