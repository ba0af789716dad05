//! Liveness and readiness.

use axum::{extract::State, http::StatusCode};

use super::AppState;

/// Answers as long as the process runs.
pub(super) async fn live() -> &'static str {
    "ok"
}

/// Answers 200 when there are cases to find.
pub(super) async fn ready(State(state): State<AppState>) -> (StatusCode, String) {
    let library = state.library.load();
    if library.corpus().cases().is_empty() {
        return (StatusCode::SERVICE_UNAVAILABLE, "no cases".to_owned());
    }
    // Anybody may ask, so those count that anybody may see.
    (StatusCode::OK, format!("{} cases", library.size()))
}
