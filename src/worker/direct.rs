//! A message to the bot alone: answered like a mention, in the conversation itself.

use super::{Outcome, mention, posting::Turn};
use crate::slack::{
    client::Thread,
    command::{self, Command},
    inbound::{Place, Post},
    reply::RequestId,
};

/// Answers a message. Nobody else reads the conversation, so only its author matters.
pub(super) async fn answer(turn: &Turn<'_>, place: &Place, post: &Post, id: RequestId) -> Outcome {
    if post.foreign {
        return Ok("asked by a stranger");
    }
    let identity = turn.ctx.client.identity().await?;
    if identity.wrote(post.user.as_ref(), post.bot.as_ref()) {
        return Ok("own message");
    }
    turn.await_turn(place).await?;
    turn.ctx.know_ours(&place.channel).await;
    let command = command::parse(&mention::without_mentions(&post.text, &identity.user));
    // There is no channel to read here.
    let command = match command {
        Command::Here => Command::ThisChannel,
        command => command,
    };
    let thread = post.thread.as_ref().map(|parent| Thread {
        parent,
        after: &post.ts,
    });
    mention::say(turn, place, post, thread, (command, String::new()), id).await
}
