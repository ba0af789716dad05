//! The bot's home, and its first words in a conversation.

use super::{Context, Outcome, clock, posting::Turn};
use crate::slack::{
    Ts, UserId,
    client::{Marker, Thread},
    home::{self, Page},
    inbound::Place,
    setting::Saved,
};

/// Shows somebody's home.
pub(super) async fn show(ctx: &Context, place: &Place, user: &UserId) -> Outcome {
    show_after(ctx, place, user, None).await
}

/// Shows somebody's home after they set something there.
pub(super) async fn show_after(
    ctx: &Context,
    place: &Place,
    user: &UserId,
    saved: Option<Saved>,
) -> Outcome {
    let lang = ctx.tongue(user).await.without_text();
    let mut settings = ctx.shown(ctx.workspace(&place.team).await?);
    settings.saved = saved;
    let page = Page {
        settings,
        recent: ctx.recent.of(&place.team, user).await,
        admin: ctx.admin(&place.team, Some(user)).await,
    };
    let view = ctx
        .compute_public(move |library| home::home(library, &page, lang))
        .await?;
    ctx.client.publish_home(user, &view).await?;
    Ok("home shown")
}

/// Says the first words in a conversation that somebody opened in the assistant's pane.
pub(super) async fn greet(turn: &Turn<'_>, place: &Place, user: &UserId, thread: &Ts) -> Outcome {
    let ctx = turn.ctx;
    turn.await_turn(place).await?;
    let lang = ctx.tongue(user).await.without_text();
    let marker = Marker {
        kind: Marker::ANSWER,
        about: thread.to_string(),
    };
    let at = Thread {
        parent: thread,
        after: thread,
    };
    let key = format!("greeting:{}/{}/{thread}", place.team, place.channel);
    let posted = turn
        .post(&key, place, Some(at), &home::greeting(lang), &marker)
        .await?;
    ctx.store.made(&key, posted.ts(), clock::now()).await?;
    let (title, prompts) = home::prompts(lang);
    ctx.client
        .suggest_prompts(&place.channel, thread, title, &prompts)
        .await?;
    Ok("greeted")
}
