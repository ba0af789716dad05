//! Refusals: one place for their statuses. Their bodies are empty: who is refused learns nothing more.

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use tracing::{info, warn};

use crate::{slack::signature::Refused, worker::NotTaken};

/// Why a request is refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
    /// The body is larger than anything that Slack sends.
    #[error("the body is too large")]
    TooLarge,
    /// The body did not arrive in time, or the connection broke.
    #[error("the body did not arrive")]
    Incomplete,
    /// It does not come from Slack.
    #[error(transparent)]
    Signature(#[from] Refused),
    /// Too much waits, or it cannot be recorded; Slack is to deliver again.
    #[error(transparent)]
    Busy(#[from] NotTaken),
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Incomplete => StatusCode::REQUEST_TIMEOUT,
            Self::Signature(_) => StatusCode::UNAUTHORIZED,
            // Without `x-slack-no-retry`, so that Slack comes again.
            Self::Busy(_) => StatusCode::SERVICE_UNAVAILABLE,
        };
        if let Self::Busy(_) = self {
            warn!(reason = %self, "refused a delivery for now");
        } else {
            info!(reason = %self, "refused a request");
        }
        status.into_response()
    }
}
