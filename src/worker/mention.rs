//! `@bot TEXT`: answered in the thread of the mention.

use super::{Context, JobError, Key, Outcome, Standing};
use crate::slack::{
    ChannelId, Message, Ts, UserId,
    client::{DeliverError, Identity, Marker},
    command::{self, Command},
    gather::Gathered,
    inbound::{Place, Post},
    reply::{self, RequestId},
};

pub(super) async fn answer(ctx: &Context, place: &Place, post: &Post, id: RequestId) -> Outcome {
    let identity = ctx.client.identity().await?;
    if identity.wrote(post.user.as_ref(), post.bot.as_ref()) {
        return Ok("own message");
    }
    if post.foreign {
        return Ok("asked by a stranger");
    }
    if post.bot.is_some() && !ctx.seen.claim(Key::BotMention(place.clone())).await {
        return Ok("another bot asks again");
    }
    match ctx.standing(&place.channel).await {
        Standing::Open => {}
        Standing::Shared => return Ok("channel shared with another organisation"),
        Standing::Unknown(error) => return Err(error.into()),
    }
    let (command, channel) = question(ctx, identity, place, post).await;
    let tongue = ctx.tongue(post.user.as_ref()).await;
    let computed = ctx
        .compute(move |library| reply::command(library, &command, &channel, tongue))
        .await;
    let (message, failed) = match computed {
        Ok(message) => (message, None),
        Err(error) => (reply::failure(tongue.without_text(), id), Some(error)),
    };
    let thread = post.thread.as_ref().unwrap_or(&post.ts);
    let marker = Marker {
        kind: Marker::ANSWER,
        about: post.ts.to_string(),
    };
    post_once(ctx, identity, &place.channel, thread, &message, &marker).await?;
    failed.map_or(Ok("answered"), Err)
}

/// Understands what a mention asks, and what its thread or channel says if it asks nothing itself.
async fn question(
    ctx: &Context,
    identity: &Identity,
    place: &Place,
    post: &Post,
) -> (Command, String) {
    let command = command::parse(&without_mentions(&post.text, &identity.user));
    if command != Command::ThisChannel {
        return (command, String::new());
    }
    let Some(thread) = &post.thread else {
        return (command, ctx.channel_text(identity, place).await);
    };
    // A thread that cannot be read is no reason to stay silent: help follows.
    let messages = ctx
        .client
        .replies(&place.channel, thread)
        .await
        .unwrap_or_default();
    let mut said = Gathered::default();
    for message in messages
        .iter()
        .filter(|message| !identity.wrote_raw(message))
    {
        if let Some(other) = Post::from_history(message).filter(|other| other.ts != post.ts) {
            said.add(&without_mentions(&other.text, &identity.user));
        }
    }
    let said = said.into_text();
    if said.is_empty() {
        (command, said)
    } else {
        (Command::Lookup(said), String::new())
    }
}

/// Posts an answer; when Slack does not say whether it took it, looks before posting again.
async fn post_once(
    ctx: &Context,
    identity: &Identity,
    channel: &ChannelId,
    thread: &Ts,
    message: &Message,
    marker: &Marker,
) -> Result<(), JobError> {
    let post = || {
        ctx.client
            .post_message(channel, Some(thread), message, marker)
    };
    match post().await {
        Err(DeliverError::OutcomeUnknown(_)) => {
            let replies = ctx.client.replies(channel, thread).await?;
            let posted =
                |message: &serde_json::Value| identity.wrote_raw(message) && marker.is_on(message);
            if !replies.iter().any(posted) {
                post().await?;
            }
        }
        other => {
            other?;
        }
    }
    Ok(())
}

/// Removes mentions of one user from a text.
fn without_mentions(text: &str, user: &UserId) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    let opening = format!("<@{user}");
    while let Some(at) = rest.find(&opening) {
        kept.push_str(&rest[..at]);
        let after = &rest[at + opening.len()..];
        rest = match after.split_once('>') {
            Some((label, after)) if label.is_empty() || label.starts_with('|') => after,
            // Another user whose id begins like this one's.
            _ => {
                kept.push_str(&opening);
                after
            }
        };
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_bots_own_mentions_are_removed() {
        for (text, expect) in [
            ("<@U0BOT> etcd slow", "etcd slow"),
            ("<@U0BOT|incident-like>", ""),
            ("ask <@U0BOT> and <@U0BOT2>", "ask  and <@U0BOT2>"),
            ("<@U0BOT", "<@U0BOT"),
        ] {
            assert_eq!(without_mentions(text, &"U0BOT".into()), expect);
        }
    }
}
