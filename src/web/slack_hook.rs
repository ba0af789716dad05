//! Everything that Slack posts: verified over the raw bytes, understood, answered or handed to the worker.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Json,
    body::Body,
    extract::{FromRequest, Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use tracing::{debug, error};

use super::{AppState, error::Refusal, slack_form};
use crate::slack::{
    Message,
    client::{Reply, ResponseType},
    command::{self, Command},
    inbound::{self, Asker, Envelope, Inbound, SlashCommand},
    render::{self, Notice},
    reply::{self, RequestId, Tongue},
    signature::VerifiedBody,
};
use crate::worker::{Accepted, Job};

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

/// Receives whatever Slack posts. What is signed but not understood is still fine: Slack must not switch us off.
pub(super) async fn receive(
    State(state): State<AppState>,
    request: SlackRequest,
) -> Result<Response, Refusal> {
    let body = match request {
        SlackRequest::SslCheck => return Ok(StatusCode::OK.into_response()),
        SlackRequest::Verified(body) => body,
    };
    match Inbound::parse(&body) {
        Inbound::UrlVerification { challenge } => Ok(challenge.into_response()),
        Inbound::Command(command) => Ok(answer(&state, command).await),
        Inbound::Shortcut(shortcut) => submit(&state, Job::Shortcut(shortcut)).await,
        Inbound::Click(click) => submit(&state, Job::Click(click)).await,
        Inbound::Search(opening) => submit(&state, Job::Search(opening)).await,
        Inbound::Typed(typed) => Ok(slack_form::offer(&state, typed).await),
        Inbound::Submission(submission) => slack_form::sent(&state, submission).await,
        Inbound::Event(envelope) => accept(&state, envelope).await,
        Inbound::Ignored(why) => {
            debug!(why, "ignored a request");
            Ok(StatusCode::OK.into_response())
        }
    }
}

/// Acknowledges an interaction. The body stays empty: for some interactions any body has a meaning.
async fn submit(state: &AppState, job: Job) -> Result<Response, Refusal> {
    let submitted = state.worker.submit(job).await;
    let outcome = if submitted.is_ok() { "queued" } else { "busy" };
    state.metrics.request("interaction", outcome);
    submitted?;
    Ok(StatusCode::OK.into_response())
}

async fn accept(state: &AppState, envelope: Envelope) -> Result<Response, Refusal> {
    let accepted = state.worker.accept(envelope).await;
    let outcome = match &accepted {
        Ok(Accepted::Queued) => "queued",
        Ok(Accepted::Noted) => "noted",
        Ok(Accepted::Ignored(_)) => "ignored",
        Err(_) => "busy",
    };
    state.metrics.request("event", outcome);
    if let Accepted::Ignored(why) = accepted? {
        debug!(why, "ignored an event");
    }
    Ok(StatusCode::OK.into_response())
}

/// Answers a command in the response itself, or, past the deadline, promises an answer.
async fn answer(state: &AppState, command: SlashCommand) -> Response {
    let id = RequestId::random();
    let SlashCommand {
        asker,
        channel_name,
        text,
    } = command;
    let tongue = state.worker.tongue(&asker.user).await.typed(&text);
    let lang = tongue.without_text();
    if !state.limit.admits(&asker) {
        state.metrics.request("command", "limited");
        return ephemeral(&render::notice(lang, &Notice::SlowDown));
    }
    let command = command::parse(&text);
    if command == Command::Here {
        state.metrics.request("command", "answered");
        return ephemeral(&here(state, asker, tongue).await);
    }
    if let Command::Lookup(text) = &command {
        state.worker.remember(&asker, text).await;
    }
    let this_channel = command == Command::ThisChannel;
    let settings = state.worker.shown_after(&asker.place, &command).await;
    let viewer = state.worker.viewer(&asker.place);
    let library = state.library.load().seen_by(viewer);
    let channel = channel_name.map(|name| state.worker.channel_words(&name));
    let channel = channel.unwrap_or_default();
    let metrics = Arc::clone(&state.metrics);
    let mut work = tokio::task::spawn_blocking(move || {
        let begun = Instant::now();
        let message = reply::command(&library, &command, &channel, tongue, &settings);
        metrics.lookup(begun.elapsed());
        message
    });
    let mut outcome = "answered";
    let message = match tokio::time::timeout(state.deadline, &mut work).await {
        Ok(Ok(message)) => message,
        Ok(Err(_)) => {
            outcome = "failed";
            error!(%id, "a lookup panicked");
            reply::failure(lang, id)
        }
        Err(_) => {
            let job = Job::Late {
                asker: asker.clone(),
                answer: work,
                failure: reply::failure(lang, id),
            };
            let submitted = state.worker.submit(job).await.is_ok();
            let notice;
            (outcome, notice) = if submitted {
                ("late", Notice::Searching)
            } else {
                ("busy", Notice::Busy)
            };
            render::notice(lang, &notice)
        }
    };
    if this_channel && state.worker.has_token() {
        // What the channel says itself takes calls to Slack, and follows.
        let job = Job::ThisChannel {
            asker,
            tongue,
            by_name: false,
        };
        if state.worker.submit(job).await.is_err() {
            debug!("too much to do to read the channel");
        }
    }
    state.metrics.request("command", outcome);
    ephemeral(&message)
}

/// Promises to read the channel; that takes calls to Slack, so the answer follows.
async fn here(state: &AppState, asker: Asker, tongue: Tongue) -> Message {
    let job = Job::ThisChannel {
        asker,
        tongue,
        by_name: true,
    };
    let notice = if !state.worker.has_token() {
        Notice::HereWithoutToken
    } else if state.worker.submit(job).await.is_ok() {
        Notice::Reading
    } else {
        Notice::Busy
    };
    render::notice(tongue.without_text(), &notice)
}

fn ephemeral(message: &Message) -> Response {
    Json(Reply::new(ResponseType::Ephemeral, message, None)).into_response()
}
