//! Answers that only one person sees: the message shortcut, buttons, late answers to commands.

use tokio::task::JoinHandle;
use tracing::info;

use super::{Context, JobError, Outcome, Standing};
use crate::{
    corpus::CaseId,
    slack::{
        Message,
        action::Action,
        client::{DeliverError, ResponseType},
        inbound::{Asker, Click, Shortcut},
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
        .compute(move |library| reply::answer(library, &text, tongue, 0))
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
        Action::Details { .. } | Action::More { .. } => {}
    }
    let Click { asker, button } = click;
    let failure = reply::failure(button.lang, id);
    let user = asker.user.clone();
    let computed = ctx
        .compute(move |library| reply::button(library, &button, &user))
        .await;
    finish(ctx, &asker, computed, failure).await
}

/// Posts a case into the channel for the one who shares it, or tells them why not.
async fn share(ctx: &Context, click: Click, case: CaseId, id: RequestId) -> Outcome {
    let Click { asker, button } = click;
    let lang = button.lang;
    let refused = match ctx.standing(&asker.place.channel).await {
        Standing::Open => None,
        Standing::Shared => Some(Notice::ShareRefused),
        Standing::Unknown(_) => Some(Notice::ShareUncertain),
    };
    if let Some(notice) = refused {
        return tell(ctx, &asker, &render::notice(lang, &notice)).await;
    }
    let (user, id_of_case) = (asker.user.clone(), case.clone());
    let computed = ctx
        .compute(move |library| reply::share(library, &id_of_case, &button, &user))
        .await;
    let message = match computed {
        Ok(Some(message)) => message,
        Ok(None) => return tell(ctx, &asker, &reply::unknown(lang, &case)).await,
        Err(error) => return finish(ctx, &asker, Err(error), reply::failure(lang, id)).await,
    };
    match respond(ctx, &asker, ResponseType::InChannel, &message).await {
        Ok(()) => Ok("shared"),
        Err(error) => {
            tell(ctx, &asker, &render::notice(lang, &Notice::ShareFailed)).await?;
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

/// Looks up what the asker's channel is about, as far as the bot may read it.
pub(super) async fn this_channel(
    ctx: &Context,
    asker: &Asker,
    tongue: Tongue,
    id: RequestId,
) -> Outcome {
    let failure = reply::failure(tongue.without_text(), id);
    let identity = match ctx.client.identity().await {
        Ok(identity) => identity,
        Err(error) => return finish(ctx, asker, Err(error.into()), failure).await,
    };
    let text = ctx.channel_text(identity, &asker.place).await;
    if text.is_empty() {
        return Ok("nothing to read");
    }
    let computed = ctx
        .compute(move |library| reply::answer(library, &text, tongue, 0))
        .await;
    finish(ctx, asker, computed, failure).await
}

async fn finish(
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

/// Tells somebody something, at the address that Slack gave; when that is used up, as an ephemeral message.
async fn tell(ctx: &Context, asker: &Asker, message: &Message) -> Outcome {
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
