//! Everything that Slack posts: verified over the raw bytes. What it says goes on in [`slack_answer`].

use std::time::Duration;

use axum::{
    body::Body,
    extract::{FromRequest, Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;

use super::{AppState, error::Refusal, slack_answer};
use crate::slack::{
    inbound::{self, Inbound},
    signature::VerifiedBody,
};

/// Largest body that is read, in bytes. Slack's largest, interactions on long messages, stay below 300 KiB.
const BODY_LIMIT_BYTES: usize = 1024 * 1024;

/// How long a body may take to arrive. Slack gives up on the whole request after three seconds.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// A request on one of Slack's addresses.
pub(super) enum SlackRequest {
    /// Slack checks the certificate.
    SslCheck,
    /// Slack says something.
    Verified(VerifiedBody),
}

impl FromRequest<AppState> for SlackRequest {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Refusal> {
        let (parts, body) = request.into_parts();
        let announced = parts.headers.get(header::CONTENT_LENGTH);
        let announced = announced.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if announced.is_some_and(|length| length > BODY_LIMIT_BYTES as u64) {
            return Err(Refusal::TooLarge);
        }
        let body = tokio::time::timeout(BODY_TIMEOUT, read(body))
            .await
            .map_err(|_| Refusal::Incomplete)??;
        if inbound::is_ssl_check(&body) {
            return Ok(Self::SslCheck);
        }
        Ok(Self::Verified(state.verifier.verify(&parts.headers, body)?))
    }
}

/// Reads a body up to the limit, whatever length it announced.
async fn read(body: Body) -> Result<Bytes, Refusal> {
    let mut chunks = body.into_data_stream();
    let mut read = BytesMut::new();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| Refusal::Incomplete)?;
        if read.len() + chunk.len() > BODY_LIMIT_BYTES {
            return Err(Refusal::TooLarge);
        }
        read.extend_from_slice(&chunk);
    }
    Ok(read.freeze())
}

/// Receives whatever Slack posts.
pub(super) async fn receive(
    State(state): State<AppState>,
    request: SlackRequest,
) -> Result<Response, Refusal> {
    let body = match request {
        SlackRequest::SslCheck => return Ok(StatusCode::OK.into_response()),
        SlackRequest::Verified(body) => body,
    };
    let answer = slack_answer::take(&state, Inbound::parse(&body)).await?;
    Ok(answer.into_response())
}
