//! Answers that only one person sees: the message shortcut, buttons, late answers to commands.

use tokio::task::JoinHandle;
use tracing::{debug, info};

use super::{
    Context, JobError, Outcome, Standing, channel, clock,
    posting::{Posted, Turn},
};
use crate::{
    corpus::CaseId,
    library::known_about,
    slack::{
        Message,
        action::Action,
        client::{DeliverError, Marker, ResponseType, Thread},
        inbound::{Asker, Click, Place, Shortcut, Surface},
        render::{self, Notice},
        reply::{self, RequestId, Tongue},
    },
    store::{Begun, Mark, Verdict},
};

/// Answers the message shortcut.
pub(super) async fn shortcut(ctx: &Context, shortcut: &Shortcut, id: RequestId) -> Outcome {
    let Shortcut { asker, text } = shortcut;
    let tongue = ctx.tongue(&asker.user).await;
    if text.is_empty() {
        let notice = render::notice(tongue.without_text(), &Notice::MessageWithoutText);
        return tell(ctx, asker, &notice).await;
    }
    let text = text.clone();
    let computed = ctx
        .compute(&asker.place, move |library| {
            reply::answer_to_text(library, &text, tongue)
        })
        .await;
    finish(
        ctx,
        asker,
        computed,
        reply::failure(tongue.without_text(), id),
    )
    .await
}

/// Tells somebody why there is no answer, where Slack gave an address for that, or they wrote to the bot.
pub(super) async fn refuse(ctx: &Context, asker: &Asker, why: &Notice) -> Outcome {
    let is_silent = asker.response_url.is_none() && *why != Notice::SlowDown;
    if is_silent {
        return Ok("refused in silence");
    }
    let locale = ctx.locales.known(&asker.user).await.flatten();
    let lang = ctx.tongue_of(locale).without_text();
    tell(ctx, asker, &render::notice(lang, why)).await
}

/// Tells somebody that nothing comes of what they pressed or sent.
pub(super) async fn apologise(ctx: &Context, asker: &Asker, id: RequestId) {
    let locale = ctx.locales.known(&asker.user).await.flatten();
    let failure = reply::failure(ctx.tongue_of(locale).without_text(), id);
    if let Err(error) = tell(ctx, asker, &failure).await {
        debug!(%error, "cannot say that there is no answer");
    }
}

/// Does what a button says.
pub(super) async fn click(turn: &Turn<'_>, click: &Click, id: RequestId) -> Outcome {
    match &click.button.action {
        Action::Share { case } => return share(turn, click, case, id).await,
        Action::Helpful { case } => return feedback(turn, click, case, Verdict::Helpful).await,
        Action::NotThis { case } => return feedback(turn, click, case, Verdict::NotThis).await,
        Action::Mute => return channel::mute(turn, click).await,
        Action::Details { .. }
        | Action::More { .. }
        | Action::Ask { .. }
        | Action::Edit
        | Action::Search => {}
    }
    let (button, user) = (click.button.clone(), click.asker.user.clone());
    let failure = reply::failure(button.lang, id);
    let computed = turn
        .ctx
        .compute(&click.asker.place, move |library| {
            reply::button(library, &button, &user)
        })
        .await;
    finish(turn.ctx, &click.asker, computed, failure).await
}

/// Notes a verdict, or takes it back, and says which.
async fn feedback(turn: &Turn<'_>, click: &Click, case: &CaseId, verdict: Verdict) -> Outcome {
    let (ctx, Asker { place, user, .. }) = (turn.ctx, &click.asker);
    let about = known_about(&click.button.text);
    let mark = Mark {
        team: &place.team,
        person: &user.0,
        case: case.as_str(),
        about,
        verdict,
    };
    // A press that was noted is not noted again after a crash: that would take it back.
    let key = format!("feedback:{}", turn.lease.key);
    let stands = ctx.store.give_feedback(&mark, &key, clock::now()).await?;
    ctx.read_opinions.forget(&place.team).await;
    let word = stands.map_or("taken_back", Verdict::word);
    ctx.metrics.feedback(word);
    info!(%case, verdict = word, team = place.team, channel = %place.channel, "feedback");
    let notice = match stands {
        Some(Verdict::Helpful) => Notice::ThanksHelpful,
        Some(Verdict::NotThis) => Notice::ThanksNotThis,
        None => Notice::FeedbackTakenBack,
    };
    tell(
        ctx,
        &click.asker,
        &render::notice(click.button.lang, &notice),
    )
    .await
}

/// Posts a case into the channel for the one who shares it, or tells them why not.
async fn share(turn: &Turn<'_>, click: &Click, case: &CaseId, id: RequestId) -> Outcome {
    let (ctx, Click { asker, button, .. }) = (turn.ctx, click);
    let lang = button.lang;
    let refused = match ctx.standing(&asker.place.channel).await {
        Standing::Open => None,
        Standing::Shared => Some(Notice::ShareRefused),
        Standing::Unknown(_) => Some(Notice::ShareUncertain),
    };
    if let Some(notice) = refused {
        return tell(ctx, asker, &render::notice(lang, &notice)).await;
    }
    let (user, id_of_case, pressed) = (asker.user.clone(), case.clone(), button.clone());
    let computed = ctx
        .compute(&asker.place, move |library| {
            reply::share(library, &id_of_case, &pressed, &user)
        })
        .await;
    let message = match computed {
        Ok(Some(message)) => message,
        Ok(None) => {
            let unknown = reply::unknown(&ctx.library.load(), lang, case);
            return tell(ctx, asker, &unknown).await;
        }
        Err(error) => return finish(ctx, asker, Err(error), reply::failure(lang, id)).await,
    };
    // However often they press the button of one message, the case is posted once.
    let key = match &click.surface {
        Surface::Message { ts: Some(ts), .. } => {
            let Place { team, channel } = &asker.place;
            format!("share:{team}/{channel}/{ts}/{case}")
        }
        _ => format!("share:{}", turn.lease.key),
    };
    // Posted by the bot itself it can be found again; at the address of the press it cannot.
    let shared = match post(turn, click, &key, &message).await {
        Err(JobError::Deliver(error)) if is_no_place(&error) => {
            respond_for_all(turn, asker, &key, &message).await?
        }
        posted => posted?,
    };
    let (outcome, notice) = match shared {
        Shared::Now => {
            ctx.store.made(&key, None, clock::now()).await?;
            return Ok("shared");
        }
        Shared::Already => ("shared already", Notice::SharedAlready),
        Shared::Not => ("not shared", Notice::ShareFailed),
        Shared::Perhaps => ("perhaps shared", Notice::ShareFailed),
    };
    tell(ctx, asker, &render::notice(lang, &notice)).await?;
    if !matches!(shared, Shared::Already) {
        // Nothing stands there, or nobody knows: they were told, and may press again.
        ctx.store.not_made(&key).await?;
    }
    Ok(outcome)
}

/// What became of a case that somebody shared.
#[derive(Clone, Copy, Debug)]
enum Shared {
    /// This press posted it.
    Now,
    /// An earlier press did.
    Already,
    /// It certainly stands nowhere.
    Not,
    /// Nobody can see whether it does.
    Perhaps,
}

/// Returns whether the bot cannot post there by itself, so that the press has to let it.
const fn is_no_place(error: &DeliverError) -> bool {
    matches!(
        error,
        DeliverError::NotInChannel
            | DeliverError::ChannelGone(_)
            | DeliverError::MissingScope { .. }
            | DeliverError::Unauthorized(_)
    )
}

/// Posts a shared case so that it is found again, whenever this process ends.
async fn post(
    turn: &Turn<'_>,
    click: &Click,
    key: &str,
    message: &Message,
) -> Result<Shared, JobError> {
    let Asker { place, thread, .. } = &click.asker;
    turn.await_turn(place).await?;
    let marker = Marker {
        kind: Marker::SHARE,
        about: key.to_owned(),
    };
    // What is posted comes after the message with the button.
    let after = match &click.surface {
        Surface::Message { ts, .. } => ts.as_ref(),
        _ => None,
    };
    let thread = thread.as_ref().map(|parent| Thread {
        parent,
        after: after.unwrap_or(parent),
    });
    Ok(
        match turn.post(key, place, thread, message, &marker).await? {
            Posted::Now(_) | Posted::Before(_) => Shared::Now,
            Posted::Made => Shared::Already,
            Posted::Untold => Shared::Perhaps,
        },
    )
}

/// Posts a shared case at the address that came with the press: that works where the bot is no member. What was posted
/// there cannot be found again, so it is not repeated.
async fn respond_for_all(
    turn: &Turn<'_>,
    asker: &Asker,
    key: &str,
    message: &Message,
) -> Result<Shared, JobError> {
    let ctx = turn.ctx;
    let begun = ctx
        .store
        .begin_post(turn.lease, key, ctx.settings.settle, clock::now());
    match begun.await? {
        Begun::Fresh => {}
        Begun::Uncertain => return Ok(Shared::Perhaps),
        Begun::Made => return Ok(Shared::Already),
        Begun::Later(at) => return Err(JobError::Later(at)),
        Begun::Lost => return Err(JobError::Lost),
    }
    match respond(ctx, asker, ResponseType::InChannel, message).await {
        Ok(()) => {
            ctx.metrics.post("sent");
            Ok(Shared::Now)
        }
        Err(error) => {
            info!(%error, "cannot share a case");
            ctx.metrics.post("refused");
            Ok(match error {
                DeliverError::OutcomeUnknown(_) => Shared::Perhaps,
                _ => Shared::Not,
            })
        }
    }
}

/// Sends the answer of a command that Slack did not wait for.
pub(super) async fn late(
    ctx: &Context,
    asker: &Asker,
    answer: JoinHandle<Message>,
    failure: Message,
) -> Outcome {
    let computed = answer.await.map_err(|_| JobError::Lookup);
    finish(ctx, asker, computed, failure).await
}

/// Looks up what the asker's channel is about, as far as the bot may read it. Whoever asked for that by name is told when
/// there is nothing to read.
pub(super) async fn this_channel(
    ctx: &Context,
    asker: &Asker,
    tongue: Tongue,
    by_name: bool,
    id: RequestId,
) -> Outcome {
    let failure = reply::failure(tongue.without_text(), id);
    let identity = match ctx.client.identity().await {
        Ok(identity) => identity,
        Err(error) => return finish(ctx, asker, Err(error.into()), failure).await,
    };
    let text = ctx.channel_text(identity, &asker.place).await;
    if text.is_empty() {
        if !by_name {
            return Ok("nothing to read");
        }
        let notice = render::notice(tongue.without_text(), &Notice::NothingToRead);
        return tell(ctx, asker, &notice).await;
    }
    let computed = ctx
        .compute(&asker.place, move |library| {
            reply::answer_to_text(library, &text, tongue)
        })
        .await;
    finish(ctx, asker, computed, failure).await
}

pub(super) async fn finish(
    ctx: &Context,
    asker: &Asker,
    computed: Result<Message, JobError>,
    failure: Message,
) -> Outcome {
    match computed {
        Ok(message) => tell(ctx, asker, &message).await,
        Err(error) => {
            tell(ctx, asker, &failure).await?;
            Err(error)
        }
    }
}

/// Answers in place of the message with the button; where that cannot be done, below it.
pub(super) async fn replace(
    ctx: &Context,
    asker: &Asker,
    computed: Result<Message, JobError>,
    failure: Message,
) -> Outcome {
    let (Ok(message), Some(url)) = (&computed, &asker.response_url) else {
        return finish(ctx, asker, computed, failure).await;
    };
    match ctx
        .client
        .replace(url, message, asker.thread.as_ref())
        .await
    {
        Err(DeliverError::Expired) => finish(ctx, asker, computed, failure).await,
        Err(error) => Err(error.into()),
        Ok(()) => Ok("answered anew"),
    }
}

/// Tells somebody something, at the address that Slack gave; when that is used up, as an ephemeral message.
pub(super) async fn tell(ctx: &Context, asker: &Asker, message: &Message) -> Outcome {
    match respond(ctx, asker, ResponseType::Ephemeral, message).await {
        Err(DeliverError::Expired) if ctx.client.has_token() => {
            let thread = asker.thread.as_ref();
            ctx.client
                .post_ephemeral(&asker.place.channel, &asker.user, thread, message)
                .await?;
        }
        other => other?,
    }
    Ok("answered")
}

/// Answers at the address that Slack gave; it works where the bot is no member.
async fn respond(
    ctx: &Context,
    asker: &Asker,
    response_type: ResponseType,
    message: &Message,
) -> Result<(), DeliverError> {
    let Some(url) = &asker.response_url else {
        return Err(DeliverError::Expired);
    };
    ctx.client
        .respond(url, response_type, message, asker.thread.as_ref())
        .await
}
