//! Liveness and readiness.

use axum::{extract::State, http::StatusCode};

use super::AppState;

/// Answers as long as the process runs.
pub(super) async fn live() -> &'static str {
    "ok"
}

/// Answers 200 when there are cases to find.
pub(super) async fn ready(State(state): State<AppState>) -> (StatusCode, String) {
    match state.library.load().corpus().cases().len() {
        0 => (StatusCode::SERVICE_UNAVAILABLE, "no cases".to_owned()),
        cases => (StatusCode::OK, format!("{cases} cases")),
    }
}
