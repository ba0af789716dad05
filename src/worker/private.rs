//! Answers that only one person sees: the message shortcut, buttons, late answers to commands.

use tokio::task::JoinHandle;
use tracing::info;

use super::{Context, JobError, Key, Outcome, Standing, modal};
use crate::{
    corpus::CaseId,
    slack::{
        Message,
        action::{Action, Button},
        client::{DeliverError, ResponseType},
        inbound::{Asker, Click, Shortcut, Surface},
        render::{self, Notice},
        reply::{self, RequestId, Tongue},
    },
};

/// Answers the message shortcut.
pub(super) async fn shortcut(ctx: &Context, shortcut: Shortcut, id: RequestId) -> Outcome {
    let Shortcut { asker, text } = shortcut;
    let tongue = ctx.tongue(&asker.user).await;
    if text.is_empty() {
        let notice = render::notice(tongue.without_text(), &Notice::MessageWithoutText);
        return tell(ctx, &asker, &notice).await;
    }
    let computed = ctx
        .compute(move |library| reply::answer_to_text(library, &text, tongue))
        .await;
    finish(
        ctx,
        &asker,
        computed,
        reply::failure(tongue.without_text(), id),
    )
    .await
}

/// Does what a button says.
pub(super) async fn click(ctx: &Context, click: Click, id: RequestId) -> Outcome {
    if click.asker.foreign {
        let notice = render::notice(click.button.lang, &Notice::MembersOnly);
        return tell(ctx, &click.asker, &notice).await;
    }
    let takes_form = matches!(click.button.action, Action::Edit | Action::Search);
    let in_message = matches!(click.surface, Surface::Message { .. });
    if ctx.client.has_token() && (takes_form || !in_message) {
        return modal::click(ctx, click, id).await;
    }
    let feedback = |case: &CaseId, verdict| {
        let Asker { place, .. } = &click.asker;
        info!(%case, verdict, team = place.team, channel = %place.channel, "feedback");
    };
    match &click.button.action {
        Action::Share { case } => {
            let case = case.clone();
            return share(ctx, click, case, id).await;
        }
        Action::Helpful { case } => feedback(case, "helpful"),
        Action::NotThis { case } => feedback(case, "not this"),
        Action::Details { .. }
        | Action::More { .. }
        | Action::Ask { .. }
        | Action::Edit
        | Action::Search => {}
    }
    let Click { asker, button, .. } = click;
    let failure = reply::failure(button.lang, id);
    let user = asker.user.clone();
    let computed = ctx
        .compute(move |library| reply::button(library, &button, &user))
        .await;
    finish(ctx, &asker, computed, failure).await
}

/// Posts a case into the channel for the one who shares it, once however often they press; or tells them why not.
async fn share(ctx: &Context, click: Click, case: CaseId, id: RequestId) -> Outcome {
    let Click {
        asker,
        button,
        surface,
        ..
    } = click;
    let lang = button.lang;
    let claim = match surface {
        Surface::Message { ts: Some(ts), .. } => {
            Some(Key::Share(asker.place.clone(), ts, case.clone()))
        }
        _ => None,
    };
    if let Some(claim) = &claim
        && !ctx.seen.claim(claim.clone()).await
    {
        return tell(ctx, &asker, &render::notice(lang, &Notice::SharedAlready)).await;
    }
    let shared = share_once(ctx, &asker, &button, case, id).await;
    if let Some(claim) = &claim
        && !matches!(shared, Ok(SHARED))
    {
        // Nothing stands there, or nobody knows: they may press again.
        ctx.seen.release(claim).await;
    }
    shared
}

/// How a share ended that stands in the channel.
const SHARED: &str = "shared";

async fn share_once(
    ctx: &Context,
    asker: &Asker,
    button: &Button,
    case: CaseId,
    id: RequestId,
) -> Outcome {
    let lang = button.lang;
    let refused = match ctx.standing(&asker.place.channel).await {
        Standing::Open => None,
        Standing::Shared => Some(Notice::ShareRefused),
        Standing::Unknown(_) => Some(Notice::ShareUncertain),
    };
    if let Some(notice) = refused {
        return tell(ctx, asker, &render::notice(lang, &notice)).await;
    }
    let (user, id_of_case, button) = (asker.user.clone(), case.clone(), button.clone());
    let computed = ctx
        .compute(move |library| reply::share(library, &id_of_case, &button, &user))
        .await;
    let message = match computed {
        Ok(Some(message)) => message,
        Ok(None) => return tell(ctx, asker, &reply::unknown(lang, &case)).await,
        Err(error) => return finish(ctx, asker, Err(error), reply::failure(lang, id)).await,
    };
    match respond(ctx, asker, ResponseType::InChannel, &message).await {
        Ok(()) => Ok(SHARED),
        Err(error) => {
            tell(ctx, asker, &render::notice(lang, &Notice::ShareFailed)).await?;
            Err(error.into())
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
    asked_by_name: bool,
    id: RequestId,
) -> Outcome {
    let failure = reply::failure(tongue.without_text(), id);
    let identity = match ctx.client.identity().await {
        Ok(identity) => identity,
        Err(error) => return finish(ctx, asker, Err(error.into()), failure).await,
    };
    let text = ctx.channel_text(identity, &asker.place).await;
    if text.is_empty() {
        if !asked_by_name {
            return Ok("nothing to read");
        }
        let notice = render::notice(tongue.without_text(), &Notice::NothingToRead);
        return tell(ctx, asker, &notice).await;
    }
    let computed = ctx
        .compute(move |library| reply::answer_to_text(library, &text, tongue))
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
