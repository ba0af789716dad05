//! The routes: what each address answers. Knows Slack's requests only as far as to receive and answer them.

use std::{any::Any, future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use axum::{
    Router,
    body::Body,
    http::StatusCode,
    middleware,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use tokio::net::TcpListener;
use tower_http::catch_panic::CatchPanicLayer;
use tracing::error;

use crate::{
    library::Library,
    metrics::Metrics,
    slack::signature::Verifier,
    worker::{Worker, installations::Installations},
};

mod address;
mod api;
mod cache;
mod client;
mod error;
mod health;
mod limit;
mod metrics;
mod site;
mod slack_answer;
mod slack_form;
mod slack_hook;
mod slack_install;
mod slack_socket;
mod turns;

pub use api::Documents;
pub use client::Clients;
pub use limit::AskerLimit;
pub use turns::Turns;

/// What handlers work with.
#[derive(Clone)]
pub struct AppState {
    /// The library that answers now.
    pub library: Arc<ArcSwap<Library>>,
    /// Checks Slack's signatures.
    pub verifier: Arc<Verifier>,
    /// Does what Slack does not wait for.
    pub worker: Worker,
    /// The workspaces that installed the app; `None` where there is but the configured one.
    pub installations: Option<Arc<Installations>>,
    /// How often one person may ask.
    pub limit: Arc<AskerLimit>,
    /// Figures for operators.
    pub metrics: Arc<Metrics>,
    /// Whether the JSON API is served.
    pub api: bool,
    /// Whether all that the library holds is public, so that anybody may keep it and read it from any page.
    pub public: bool,
    /// How often each client has asked.
    pub clients: Arc<Clients>,
    /// What describes the JSON API.
    pub documents: Arc<Documents>,
    /// How many answers are made at once.
    pub turns: Turns,
    /// How long a command may take before its answer is sent later.
    pub deadline: Duration,
}

/// Serves until `stop` is done and open requests are answered.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service)
        .with_graceful_shutdown(stop)
        .await
}

/// Makes the router: the table of contents of the service.
pub fn router(state: AppState) -> Router {
    let has_api = state.api;
    let api = if has_api {
        // Who may read the library's cases as JSON may read them as pages.
        api::router(&state).merge(site::routes(&state))
    } else {
        Router::new()
    };
    let slack = if state.verifier.has_secret() {
        // One address for everything, as Slack's own tools use it, and one each for those who configure them apart.
        Router::new()
            .route("/slack/events", post(slack_hook::receive))
            .route("/slack/commands", post(slack_hook::receive))
            .route("/slack/interactions", post(slack_hook::receive))
    } else {
        Router::new()
    };
    let routes = Router::new()
        .merge(api)
        .merge(slack)
        .merge(slack_install::routes(&state))
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(metrics::all))
        .layer(CatchPanicLayer::custom(panicked))
        .with_state(state);
    if has_api {
        // An address is turned into another before a route is looked for.
        Router::new()
            .fallback_service(routes)
            .layer(middleware::from_fn(address::settle))
    } else {
        routes
    }
}

/// Holds other routes to the limit that the API sets for each client.
pub fn limited(routes: Router, state: AppState) -> Router {
    routes.layer(middleware::from_fn_with_state(state, api::limited))
}

/// Answers a request whose handler panicked. What the panic says is left alone: it may quote what somebody wrote.
fn panicked(_message: Box<dyn Any + Send>) -> Response<Body> {
    error!("a request panicked");
    StatusCode::INTERNAL_SERVER_ERROR.into_response()
}

#[cfg(test)]
mod tests {
    use std::{
        io::Write,
        sync::{Mutex, PoisonError},
    };

    use super::*;

    /// A log that a test reads.
    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            log.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_panic_is_answered_and_its_message_is_not_logged() {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(move || writer.clone())
            .finish();
        let response = tracing::subscriber::with_default(subscriber, || {
            panicked(Box::new("inside of `payroll`".to_owned()))
        });
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let log = log.0.lock().unwrap_or_else(PoisonError::into_inner);
        let log = String::from_utf8_lossy(&log);
        assert!(
            log.contains("panicked") && !log.contains("payroll"),
            "{log}"
        );
    }
}
