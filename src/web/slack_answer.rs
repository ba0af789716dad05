//! What Slack says, whichever way it came: answered at once, or handed to the worker.

use std::{sync::Arc, time::Instant};

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use tracing::{debug, error};

use super::{AppState, slack_form};
use crate::slack::{
    Message,
    client::{Reply, ResponseType},
    command::{self, Command},
    inbound::{Asker, Envelope, Event, Inbound, SlashCommand, Tenant, Trigger},
    render::{self, Notice},
    reply::{self, RequestId, Tongue},
};
use crate::worker::{Accepted, Job, NotTaken};

/// What Slack is answered at once: in the HTTP response, or with the acknowledgement over a connection of ours.
pub(super) enum Answer {
    /// That it arrived.
    Empty,
    /// A word of Slack's own, sent back.
    Text(String),
    /// A message, a view or a list of options, as JSON.
    Json(String),
}

impl Answer {
    pub(super) fn json(answer: &impl Serialize) -> Self {
        let json = serde_json::to_string(answer);
        Self::Json(json.expect("what we answer has text for keys"))
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        match self {
            Self::Empty => StatusCode::OK.into_response(),
            Self::Text(text) => text.into_response(),
            Self::Json(json) => {
                ([(header::CONTENT_TYPE, "application/json")], json).into_response()
            }
        }
    }
}

/// Takes whatever Slack says. What is its own but not understood is still fine: Slack must not switch us off.
///
/// # Errors
/// When Slack is to say it again.
pub(super) async fn take(
    state: &AppState,
    (mut inbound, tenant): (Inbound, Tenant),
) -> Result<Answer, NotTaken> {
    match state.worker.admit(&tenant, &mut inbound).await {
        Ok(false) => return not_installed(state, &tenant, inbound).await,
        Err(error) if !matches!(inbound, Inbound::Command(_)) => return Err(error),
        // A command is not said again, and its answer needs nobody's token.
        Ok(true) | Err(_) => {}
    }
    match inbound {
        Inbound::UrlVerification { challenge } => Ok(Answer::Text(challenge)),
        Inbound::Command(command) => Ok(answer(state, command).await),
        Inbound::Shortcut(shortcut)
            if !state
                .limit
                .admits(&shortcut.asker.place, &shortcut.asker.user) =>
        {
            submit(state, Job::Refuse(shortcut.asker, Notice::SlowDown)).await
        }
        Inbound::Shortcut(shortcut) => submit(state, Job::Shortcut(shortcut)).await,
        Inbound::Click(click) => submit(state, Job::Click(click)).await,
        Inbound::Search(opening) => submit(state, Job::Search(opening)).await,
        Inbound::Set(setting) => submit(state, Job::Set(setting)).await,
        Inbound::Typed(typed) => Ok(slack_form::offer(state, typed).await),
        Inbound::Submission(submission) => slack_form::sent(state, submission).await,
        Inbound::Stranger(asker) => submit(state, Job::Refuse(asker, Notice::MembersOnly)).await,
        Inbound::Event(envelope) => accept(state, envelope).await,
        Inbound::Uninstall(uninstall) => {
            let removed = state.worker.remove(&tenant, uninstall).await?;
            debug!(removed, "Slack says that an install ended");
            Ok(Answer::Empty)
        }
        Inbound::Ignored(why) => {
            debug!(why, "ignored a request");
            Ok(Answer::Empty)
        }
    }
}

/// Answers whoever asks where the app is not installed, or not any more, as far as that is possible; drops the rest.
async fn not_installed(
    state: &AppState,
    tenant: &Tenant,
    inbound: Inbound,
) -> Result<Answer, NotTaken> {
    let asker = match inbound {
        Inbound::UrlVerification { challenge } => return Ok(Answer::Text(challenge)),
        Inbound::Command(SlashCommand { asker, text, .. }) => {
            state.metrics.request("command", "not_installed");
            let tongue = state.worker.tongue(&asker.place.team, &asker.user).await;
            let lang = tongue.typed(&text).without_text();
            return Ok(ephemeral(&render::notice(lang, &Notice::NotInstalled)));
        }
        Inbound::Shortcut(shortcut) => shortcut.asker,
        Inbound::Click(click) => click.asker,
        Inbound::Search(opening) => opening.asker,
        Inbound::Submission(submission) => submission.asker,
        Inbound::Set(setting) => setting.asker,
        Inbound::Stranger(asker) => asker,
        Inbound::Typed(_) | Inbound::Event(_) | Inbound::Uninstall(_) | Inbound::Ignored(_) => {
            debug!(tenant = tenant.key(), "ignored what comes from no install");
            return Ok(Answer::Empty);
        }
    };
    if state.limit.admits(&asker.place, &asker.user) {
        return submit(state, Job::Refuse(asker, Notice::NotInstalled)).await;
    }
    Ok(Answer::Empty)
}

/// Takes what is to be acknowledged without an answer: what is a command is answered at its own address.
///
/// # Errors
/// When Slack is to say it again.
pub(super) async fn take_silently(
    state: &AppState,
    (mut inbound, tenant): (Inbound, Tenant),
) -> Result<Answer, NotTaken> {
    if !matches!(inbound, Inbound::Command(_)) {
        return take(state, (inbound, tenant)).await;
    }
    let admitted = state.worker.admit(&tenant, &mut inbound).await;
    let Inbound::Command(command) = inbound else {
        return Ok(Answer::Empty);
    };
    // As for one that is answered at once, not knowing is no refusal.
    if !admitted.unwrap_or(true) {
        return submit(state, Job::Refuse(command.asker, Notice::NotInstalled)).await;
    }
    let asker = command.asker.clone();
    let id = RequestId::random();
    let tongue = state.worker.tongue(&asker.place.team, &asker.user).await;
    let tongue = tongue.typed(&command.text);
    let late = state.clone();
    let job = Job::Late {
        asker,
        answer: tokio::spawn(async move { message(&late, command).await }),
        failure: reply::failure(tongue.without_text(), id),
    };
    submit(state, job).await
}

/// Acknowledges an interaction. The body stays empty: for some interactions any body has a meaning.
async fn submit(state: &AppState, job: Job) -> Result<Answer, NotTaken> {
    let submitted = state.worker.submit(job).await;
    let outcome = if submitted.is_ok() { "queued" } else { "busy" };
    state.metrics.request("interaction", outcome);
    submitted?;
    Ok(Answer::Empty)
}

async fn accept(state: &AppState, envelope: Envelope) -> Result<Answer, NotTaken> {
    if let Some(asker) = asks_too_often(state, &envelope) {
        state.metrics.request("event", "limited");
        if state.limit.is_news(&asker.place, &asker.user) {
            let refusal = Job::Refuse(asker, Notice::SlowDown);
            if state.worker.submit(refusal).await.is_err() {
                debug!("too much to do to tell somebody to slow down");
            }
        }
        return Ok(Answer::Empty);
    }
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
    Ok(Answer::Empty)
}

/// Returns who asks in a message, when it is one question too many.
fn asks_too_often(state: &AppState, envelope: &Envelope) -> Option<Asker> {
    let (Event::Mention(post) | Event::Direct(post)) = &envelope.event else {
        return None;
    };
    // Other bots are held to a pace of their own.
    let user = post.user.as_ref().filter(|_| post.bot.is_none())?;
    let admitted = state.limit.admits(&envelope.place, user);
    (!admitted).then(|| Asker {
        place: envelope.place.clone(),
        user: user.clone(),
        thread: post.thread.clone(),
        response_url: None,
        press: Trigger::default(),
    })
}

/// Answers a command in the response itself.
async fn answer(state: &AppState, command: SlashCommand) -> Answer {
    ephemeral(&message(state, command).await)
}

/// Answers a command, or, past the deadline, promises an answer.
async fn message(state: &AppState, command: SlashCommand) -> Message {
    let arrived = Instant::now();
    let id = RequestId::random();
    let SlashCommand {
        asker,
        channel_name,
        text,
    } = command;
    let tongue = state.worker.tongue(&asker.place.team, &asker.user).await;
    let tongue = tongue.typed(&text);
    let lang = tongue.without_text();
    if !state.limit.admits(&asker.place, &asker.user) {
        state.metrics.request("command", "limited");
        return render::notice(lang, &Notice::SlowDown);
    }
    let command = command::parse(&text);
    if command == Command::Here {
        state.metrics.request("command", "answered");
        return here(state, asker, tongue).await;
    }
    if let Command::Lookup(text) = &command {
        state.worker.remember(&asker, text).await;
    }
    let this_channel = command == Command::ThisChannel;
    let settings = state.worker.shown_after(&asker, &command).await;
    let viewer = state.worker.viewer(&asker.place).await;
    let opinions = state.worker.opinions(&asker.place.team).await;
    let library = state.library.load().seen_by(viewer).judged_by(opinions);
    let channel = match channel_name {
        Some(name) if this_channel => state.worker.channel_words(&asker.place, &name).await,
        _ => String::new(),
    };
    let metrics = Arc::clone(&state.metrics);
    let mut work = state.turns.ask(move || {
        let begun = Instant::now();
        let message = reply::command(&library, &command, &channel, tongue, &settings);
        metrics.lookup(begun.elapsed());
        message
    });
    let mut outcome = "answered";
    let left = state.deadline.saturating_sub(arrived.elapsed());
    let message = match tokio::time::timeout(left, &mut work).await {
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
    if this_channel && state.worker.has_token(&asker.place.team).await {
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
    message
}

/// Promises to read the channel; that takes calls to Slack, so the answer follows.
async fn here(state: &AppState, asker: Asker, tongue: Tongue) -> Message {
    let has_token = state.worker.has_token(&asker.place.team).await;
    let job = Job::ThisChannel {
        asker,
        tongue,
        by_name: true,
    };
    let notice = if !has_token {
        Notice::HereWithoutToken
    } else if state.worker.submit(job).await.is_ok() {
        Notice::Reading
    } else {
        Notice::Busy
    };
    render::notice(tongue.without_text(), &notice)
}

fn ephemeral(message: &Message) -> Answer {
    Answer::json(&Reply::new(ResponseType::Ephemeral, message, None))
}
