//! `@bot TEXT`: answered in the thread of the mention.

use std::time::Duration;

use tracing::debug;

use super::{Context, JobError, Outcome, Standing, clock, posting::Turn};
use crate::{
    slack::{
        UserId,
        client::{Identity, Marker, Thread},
        command::{self, Command, narrow},
        gather::Gathered,
        inbound::{Place, Post},
        reply::{self, RequestId},
        setting::Voice,
    },
    store::Claim,
};

/// How long another bot that was answered in a channel gets no further answer there.
const BOT_PAUSE: Duration = Duration::from_mins(15);

pub(super) async fn answer(turn: &Turn<'_>, place: &Place, post: &Post, id: RequestId) -> Outcome {
    let ctx = turn.ctx;
    let identity = match admit(turn, place, post).await? {
        Admission::Welcome(identity) => identity,
        Admission::Refused(why) => return Ok(why),
    };
    turn.await_turn(place).await?;
    let (command, channel) = question(ctx, identity, place, post).await;
    let thread = Thread {
        parent: post.thread.as_ref().unwrap_or(&post.ts),
        after: &post.ts,
    };
    say(turn, place, post, Some(thread), (command, channel), id).await
}

/// Answers a message with a command in it, and what is known of the channel.
pub(super) async fn say(
    turn: &Turn<'_>,
    place: &Place,
    post: &Post,
    thread: Option<Thread<'_>>,
    (command, channel): (Command, String),
    id: RequestId,
) -> Outcome {
    let ctx = turn.ctx;
    let here = ctx.here(place).await?;
    let tongue = match (here.lang.value, &post.user) {
        // Everybody in the channel reads the answer.
        (Some(lang), _) => ctx.tongue_of(Some(lang)),
        (None, Some(user)) => ctx.tongue(user).await,
        (None, None) => ctx.tongue_of(None),
    };
    let tongue = tongue.typed(&post.text);
    if let (Some(user), Command::Lookup(text)) = (&post.user, &command) {
        ctx.recent.remember(&place.team, user, text).await;
    }
    let settings = ctx.shown_after(place, post.user.as_ref(), &command).await;
    let only_for_asker = here.voice.value == Voice::Off;
    let computed = ctx
        .compute(place, move |library| {
            reply::command(library, &command, &channel, tongue, &settings)
        })
        .await;
    let (message, failed) = match computed {
        Ok(message) => (message, None),
        Err(error) => (reply::failure(tongue.without_text(), id), Some(error)),
    };
    if only_for_asker {
        let Some(user) = &post.user else {
            return Ok("nobody to answer");
        };
        let thread = post.thread.as_ref();
        let sent = ctx
            .client
            .post_ephemeral(&place.channel, user, thread, &message);
        sent.await?;
        return failed.map_or(Ok("answered the asker"), Err);
    }
    let marker = Marker {
        kind: Marker::ANSWER,
        about: post.ts.to_string(),
    };
    let key = format!("answer:{}/{}/{}", place.team, place.channel, post.ts);
    let posted = turn.post(&key, place, thread, &message, &marker).await?;
    ctx.store.made(&key, posted.ts(), clock::now()).await?;
    failed.map_or(Ok("answered"), Err)
}

/// Whether a mention is answered.
enum Admission<'c> {
    Welcome(&'c Identity),
    /// Why not.
    Refused(&'static str),
}

async fn admit<'c>(turn: &Turn<'c>, place: &Place, post: &Post) -> Result<Admission<'c>, JobError> {
    let ctx = turn.ctx;
    if post.foreign {
        return Ok(Admission::Refused("asked by a stranger"));
    }
    let identity = ctx.client.identity().await?;
    if identity.wrote(post.user.as_ref(), post.bot.as_ref()) {
        return Ok(Admission::Refused("own message"));
    }
    if post.bot.is_some() {
        // Two bots that answer each other would never stop. This very job may come again after a crash.
        let claim = Claim {
            key: format!("bot:{}/{}", place.team, place.channel),
            holder: turn.lease.key.clone(),
        };
        if !ctx.store.claim(&claim, BOT_PAUSE, clock::now()).await? {
            return Ok(Admission::Refused("another bot asks again"));
        }
    }
    match ctx.standing(&place.channel).await {
        Standing::Open => Ok(Admission::Welcome(identity)),
        Standing::Shared => Ok(Admission::Refused(
            "channel shared with another organisation",
        )),
        Standing::Unknown(error) => Err(error.into()),
    }
}

/// Tells the person who asked that there will be no answer. Nobody else sees it, so it may be said in any channel.
pub(super) async fn apologise(ctx: &Context, place: &Place, post: &Post, id: RequestId) {
    let (Some(user), None) = (&post.user, &post.bot) else {
        return;
    };
    let locale = ctx.locales.known(user).await.flatten();
    let failure = reply::failure(ctx.tongue_of(locale).without_text(), id);
    let said = ctx
        .client
        .post_ephemeral(&place.channel, user, post.thread.as_ref(), &failure)
        .await;
    if let Err(error) = said {
        debug!(%error, "cannot say that there is no answer");
    }
}

/// Understands what a mention asks, and what its thread or channel says if it asks nothing itself.
async fn question(
    ctx: &Context,
    identity: &Identity,
    place: &Place,
    post: &Post,
) -> (Command, String) {
    let command = command::parse(&without_mentions(&post.text, &identity.user));
    if !matches!(command, Command::ThisChannel | Command::Here) {
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
        (
            Command::Lookup(narrow::literal(&said).into_owned()),
            String::new(),
        )
    }
}

/// Removes mentions of one user from a text.
pub(super) fn without_mentions(text: &str, user: &UserId) -> String {
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
