//! The bot's home, and its first words in a conversation.

use super::{Context, Outcome};
use crate::slack::{
    Ts, UserId,
    client::{Marker, Thread},
    home,
    inbound::Place,
};

/// Shows somebody's home.
pub(super) async fn show(ctx: &Context, place: &Place, user: &UserId) -> Outcome {
    let lang = ctx.tongue(user).await.without_text();
    let recent = ctx.recent.of(&place.team, user).await;
    let settings = ctx.shown();
    let view = ctx
        .compute(move |library| home::home(library, &settings, &recent, lang))
        .await?;
    ctx.client.publish_home(user, &view).await?;
    Ok("home shown")
}

/// Says the first words in a conversation that somebody opened in the assistant's pane.
pub(super) async fn greet(ctx: &Context, place: &Place, user: &UserId, thread: &Ts) -> Outcome {
    let lang = ctx.tongue(user).await.without_text();
    let marker = Marker {
        kind: Marker::ANSWER,
        about: thread.to_string(),
    };
    let at = Thread {
        parent: thread,
        after: thread,
    };
    ctx.client
        .post_once(&place.channel, Some(at), &home::greeting(lang), &marker)
        .await?;
    let (title, prompts) = home::prompts(lang);
    ctx.client
        .suggest_prompts(&place.channel, thread, title, &prompts)
        .await?;
    Ok("greeted")
}
