//! The library for people: pages in English and Korean, rendered here, that work without script and better with it.
//!
//! A handler hands one function to [`respond`]: library and [`Visit`] in, [`Reply`] or [`Fault`] out. Templates only place
//! what the modules here have made ready; they look nothing up.

use std::time::Duration;

use axum::{
    Router,
    extract::{Path, Request, State},
    http::{HeaderName, HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use tower_http::{compression::CompressionLayer, set_header::SetResponseHeaderLayer};
use tracing::error;

use self::{
    fault::Fault,
    page::Reply,
    visit::{Visit, Visitor},
};
use super::{AppState, client};
use crate::library::Library;

mod asset;
mod case;
mod chart;
mod fault;
mod feed;
mod graph;
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
        .route("/feed.xml", get(feed_page))
        .route("/sitemap.xml", get(sitemap))
        .route("/robots.txt", get(robots))
        .fallback(missing)
        .layer(middleware::from_fn_with_state(state.clone(), limited))
        // Small, kept for ever, and asked for by every page at once.
        .route("/favicon.ico", get(asset::icon))
        .route("/assets/{name}", get(asset::serve))
        .layer(CompressionLayer::new())
        .layer(header(header::CONTENT_SECURITY_POLICY, POLICY))
        .layer(header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        // Questions stand in addresses; what a source's site gets to see of them is nothing.
        .layer(header(header::REFERRER_POLICY, "same-origin"))
}

/// Refuses a visitor who asks too often; pages and API share one allowance.
async fn limited(State(state): State<AppState>, request: Request, next: Next) -> Response {
    match state
        .clients
        .admit(&client::address(&state.clients, &request))
    {
        Ok(()) => next.run(request).await,
        Err(seconds) => {
            let headers = [(header::RETRY_AFTER, seconds.to_string())];
            let text = "too many requests: wait a little and load the page again\n";
            (StatusCode::TOO_MANY_REQUESTS, headers, text).into_response()
        }
    }
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
    let answered = tokio::task::spawn_blocking(move || {
        work(&library, &visit).unwrap_or_else(|fault| fault.reply(&library, &visit))
    });
    if let Ok(reply) = answered.await {
        return reply.into_response(known.as_ref());
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
