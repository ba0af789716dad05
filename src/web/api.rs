//! The JSON API: its routes, and what holds for all of them. Errors are problem documents (RFC 9457) that say what to do.
//!
//! The routes describe themselves: `/openapi.json` and the page at `/api` are made from them ([`document`]).

use std::time::Duration;

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderValue, Method, StatusCode, Uri, header, uri::PathAndQuery},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use serde::Serialize;
use tower_http::{
    compression::CompressionLayer, cors::CorsLayer, set_header::SetResponseHeaderLayer,
};
use tracing::error;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{AppState, cache, client};

mod browse;
mod cases;
mod document;
mod guide;
mod parameters;
mod problem;
mod search;

pub use document::Documents;
use problem::Problem;

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How long a browser may go without asking again whether a foreign page may read an answer.
const CORS_AGE: Duration = Duration::from_hours(24);

/// Makes the API's routes.
pub(super) fn router(state: &AppState) -> Router<AppState> {
    let (router, _) = described().split_for_parts();
    let open = router
        .route("/openapi.json", get(document::openapi))
        .route("/api", get(guide::page))
        .route("/api/", get(unknown))
        .route("/api/{*rest}", get(unknown))
        .method_not_allowed_fallback(async || Problem::wrong_method())
        .layer(middleware::from_fn_with_state(
            state.clone(),
            cache::revalidate,
        ))
        .layer(CompressionLayer::new())
        .layer(middleware::map_response(cache::name_encoding))
        .layer(SetResponseHeaderLayer::if_not_present(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ))
        .layer(middleware::from_fn(in_time))
        .layer(middleware::from_fn_with_state(state.clone(), limited));
    if state.public {
        open.layer(cors())
    } else {
        open
    }
}

/// Makes the routes with their description.
fn described() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(document::introduction())
        .routes(routes!(search::search))
        .routes(routes!(search::extract))
        .routes(routes!(cases::list))
        .routes(routes!(cases::case))
        .routes(routes!(cases::similar))
        .routes(routes!(browse::topic))
        .routes(routes!(browse::vocab))
        .routes(routes!(browse::graph))
        .routes(routes!(browse::stats))
}

/// Lets pages of any origin read the API; only where all of it is public.
fn cors() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(tower_http::cors::Any)
        .allow_methods([Method::GET, Method::HEAD])
        .allow_headers([header::IF_NONE_MATCH])
        .expose_headers([header::ETAG, header::RETRY_AFTER])
        .max_age(CORS_AGE)
}

/// Returns the API's own address for the other one under which a case is known: `/cases/IL-0493.json` stands for
/// `/api/v1/cases/IL-0493`.
pub(super) fn address_of(uri: &Uri) -> Option<Uri> {
    let rest = uri.path().strip_prefix("/cases/")?.strip_suffix(".json")?;
    let query = uri
        .query()
        .map_or(String::new(), |query| format!("?{query}"));
    let path: PathAndQuery = format!("/api/v1/cases/{rest}{query}").parse().ok()?;
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(path);
    Uri::from_parts(parts).ok()
}

async fn unknown(uri: Uri) -> Problem {
    let hint = "`/openapi.json` lists the addresses that there are, `/api` explains them";
    Problem::not_found(format!("there is nothing at `{}`", uri.path()), hint)
}

/// Gives up on an answer that takes too long.
async fn in_time(request: Request, next: Next) -> Response {
    let answer = tokio::time::timeout(TIMEOUT, next.run(request)).await;
    answer.unwrap_or_else(|_| Problem::too_slow().into_response())
}

/// Refuses a client that asks too often, or when all together do.
pub(super) async fn limited(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    let Some(_open) = state.turns.enter() else {
        return Problem::busy().into_response();
    };
    match state
        .clients
        .admit(&client::address(&state.clients, &request))
    {
        Ok(()) => next.run(request).await,
        Err(wait) => Problem::too_many(wait).into_response(),
    }
}

/// Makes an answer where it holds up no other request.
async fn blocking<T: Serialize>(
    state: &AppState,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Response, Problem> {
    try_blocking(state, move || Ok(work())).await
}

/// Makes an answer that may turn out to be a refusal.
async fn try_blocking<T: Serialize>(
    state: &AppState,
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let work = move || work().map(|view| serde_json::to_vec(&view));
    match state.turns.browse(work).await {
        Ok(Ok(Ok(body))) => {
            let kind = HeaderValue::from_static("application/json");
            Ok((StatusCode::OK, [(header::CONTENT_TYPE, kind)], body).into_response())
        }
        Ok(Ok(Err(_))) => {
            error!("an answer could not be written as JSON");
            Err(Problem::failure())
        }
        Ok(Err(problem)) => Err(problem),
        Err(_) => {
            // The panic's message may hold the text.
            error!("a lookup panicked");
            Err(Problem::failure())
        }
    }
}
