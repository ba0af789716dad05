//! The automatic suggestion in an incident channel: once, only when there is something worth saying, else silence.

use tracing::{debug, warn};

use super::{Context, Outcome, Phase};
use crate::slack::{
    UserId,
    client::{Conversation, DeliverError, Identity, Marker},
    gather::Gathered,
    inbound::{Place, Post},
    pattern, render, reply,
};

/// Somebody was added to a channel. When it is the bot, that is how it learns of private incident channels.
pub(super) async fn joined(ctx: &Context, place: &Place, user: &UserId) -> Outcome {
    if ctx.client.identity().await?.user != *user {
        return Ok("somebody else joined");
    }
    ctx.watches.start(place);
    look(ctx, place).await
}

/// Looks at a watched channel and posts the suggestion if it is wanted.
pub(super) async fn look(ctx: &Context, place: &Place) -> Outcome {
    let Some(turn) = ctx.watches.begin(place) else {
        return Ok("not watched");
    };
    let _turn = turn.lock().await;
    if !ctx.watches.is_open(place) {
        return Ok("over");
    }
    let identity = ctx.client.identity().await?;
    // What Slack says now counts, not what an event said: channels are renamed and shared at any time.
    let conversation = ctx.client.conversation(&place.channel).await?;
    let words = match admit(ctx, place, &conversation).await {
        Ok(words) => words,
        Err(why) => {
            ctx.watches.end(place, Phase::Off);
            return Ok(why);
        }
    };
    let marker = Marker {
        kind: Marker::SUGGESTION,
        about: place.channel.to_string(),
    };
    if ctx.watches.is_unread(place) && read_history(ctx, place, identity, &marker).await {
        ctx.watches.end(place, Phase::Suggested);
        return Ok("suggested before");
    }
    let mut text = describe(&words, &conversation);
    for post in ctx.watches.posts(place) {
        if !identity.wrote(post.user.as_ref(), post.bot.as_ref()) {
            text.add(&post.text);
        }
    }
    let text = text.into_text();
    let tongue = ctx.tongue(None).await;
    let message = ctx
        .compute(move |library| {
            let found = reply::find(library, &text, tongue, 0);
            let worth_saying = found.answer.confident && !found.answer.precedents.is_empty();
            worth_saying.then(|| render::suggestion(library, &found.answer, &found.view))
        })
        .await?;
    let Some(message) = message else {
        return Ok("nothing worth saying");
    };
    match ctx
        .client
        .post_message(&place.channel, None, &message, &marker)
        .await
    {
        // Twice is worse than never.
        Ok(_) | Err(DeliverError::OutcomeUnknown(_)) => {
            ctx.watches.end(place, Phase::Suggested);
            Ok("suggested")
        }
        Err(error) => Err(error.into()),
    }
}

/// Makes sure that the bot may speak here; joins if need be. Returns the words of the channel's name, or why not.
async fn admit(
    ctx: &Context,
    place: &Place,
    conversation: &Conversation,
) -> Result<String, &'static str> {
    let words = pattern::incident_words(&ctx.settings.patterns, &conversation.name)
        .ok_or("no incident channel")?;
    if conversation.archived {
        return Err("archived");
    }
    if conversation.shared && !ctx.settings.allowed_channels.contains(&place.channel) {
        return Err("channel shared with another organisation");
    }
    if !conversation.member {
        if conversation.private {
            return Err("not invited");
        }
        if let Err(error) = ctx.client.join(&place.channel).await {
            warn!(%error, "cannot join an incident channel");
            return Err("cannot join");
        }
    }
    Ok(words)
}

/// Reads what stands in the channel already; returns whether a suggestion of ours does.
async fn read_history(ctx: &Context, place: &Place, identity: &Identity, marker: &Marker) -> bool {
    let messages = match ctx.client.history(&place.channel).await {
        Ok(messages) => messages,
        Err(error) => {
            // Events tell the rest; only what was said before the bot joined is missing.
            debug!(%error, "cannot read a channel's history");
            Vec::new()
        }
    };
    let ours = |message: &serde_json::Value| identity.wrote_raw(message) && marker.is_on(message);
    let suggested = messages.iter().any(ours);
    let posts = messages.iter().filter_map(Post::from_history);
    ctx.watches.add_history(place, posts);
    suggested
}

fn describe(words: &str, conversation: &Conversation) -> Gathered {
    let mut text = Gathered::default();
    text.add(words);
    text.add(&conversation.topic);
    text.add(&conversation.purpose);
    text
}

impl Context {
    /// Returns what a channel is about: its name's words, topic, purpose and newest messages, as far as they can be
    /// read.
    pub(super) async fn channel_text(&self, identity: &Identity, place: &Place) -> String {
        let conversation = match self.client.conversation(&place.channel).await {
            Ok(conversation) => conversation,
            Err(error) => {
                debug!(%error, "cannot read a channel");
                return String::new();
            }
        };
        let words = pattern::incident_words(&self.settings.patterns, &conversation.name);
        let mut text = describe(&words.unwrap_or_default(), &conversation);
        let messages = self
            .client
            .history(&place.channel)
            .await
            .unwrap_or_default();
        for message in messages
            .iter()
            .rev()
            .filter(|message| !identity.wrote_raw(message))
        {
            if let Some(post) = Post::from_history(message) {
                text.add(&post.text);
            }
        }
        text.into_text()
    }
}
