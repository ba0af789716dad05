//! Figures for operators.

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};

use super::AppState;

/// What Prometheus calls the format that it reads.
const FORMAT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Answers with all figures. Those of recorded jobs are the whole store's, whichever replica is asked.
pub(super) async fn all(State(state): State<AppState>) -> Response {
    match state.worker.store().counts().await {
        Ok(counts) => {
            state.metrics.jobs("waiting", counts.waiting);
            state.metrics.jobs("running", counts.running);
            state.metrics.jobs("failed", counts.failed);
        }
        Err(_) => state.metrics.store_error(),
    }
    ([(header::CONTENT_TYPE, FORMAT)], state.metrics.text()).into_response()
}
