//! The routes: what each address answers. Knows Slack's requests only as far as to receive and answer them.

use std::{future::Future, io, sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use axum::{
    Router,
    routing::{get, post},
};
use tokio::net::TcpListener;
use tower_http::catch_panic::CatchPanicLayer;

use crate::{library::Library, slack::signature::Verifier, worker::Worker};

mod api;
mod error;
mod health;
mod slack_hook;

/// What handlers work with.
#[derive(Clone)]
pub struct AppState {
    /// The library that answers now.
    pub library: Arc<ArcSwap<Library>>,
    /// Checks Slack's signatures.
    pub verifier: Arc<Verifier>,
    /// Does what Slack does not wait for.
    pub worker: Worker,
    /// Whether the JSON API is served.
    pub api: bool,
    /// How long a command may take before its answer is sent later.
    pub deadline: Duration,
}

/// Serves until `stop` is done and open requests are answered.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    listener: TcpListener,
    state: AppState,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    axum::serve(listener, router(state))
        .with_graceful_shutdown(stop)
        .await
}

/// Makes the router: the table of contents of the service.
pub fn router(state: AppState) -> Router {
    let api = Router::new()
        .route("/api/v1/search", get(api::search))
        .route("/api/v1/extract", get(api::extract))
        .route("/api/v1/cases/{id}/similar", get(api::similar));
    Router::new()
        .merge(if state.api { api } else { Router::new() })
        // One address for everything, as Slack's own tools use it, and one each for those who configure them apart.
        .route("/slack/events", post(slack_hook::receive))
        .route("/slack/commands", post(slack_hook::receive))
        .route("/slack/interactions", post(slack_hook::receive))
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::ready))
        .layer(CatchPanicLayer::new())
        .with_state(state)
}
