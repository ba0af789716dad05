//! The automatic suggestion in an incident channel: once, only when there is something worth saying, else silence.

use tracing::{debug, warn};

use super::{Context, Outcome, Phase, decide};
use crate::slack::{
    UserId,
    client::{Conversation, DeliverError, Identity, Marker},
    inbound::{Place, Post},
    pattern,
};

/// Most pages of a channel's history in which a suggestion from before a restart is looked for.
const PAGES: usize = 4;

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
    let words = match admit(ctx, place, &conversation).await? {
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
    let posts = ctx.watches.posts(place);
    let others = posts
        .iter()
        .filter(|post| !identity.wrote(post.user.as_ref(), post.bot.as_ref()));
    let text = describe(&words, &conversation, others.map(|post| post.text.as_str()));
    let tongue = ctx.tongue_of(None);
    let message = ctx
        .compute(move |library| decide::judge(library, &text, tongue).message(library))
        .await?;
    let Some(message) = message else {
        return Ok("nothing worth saying");
    };
    match ctx
        .client
        .post_once(&place.channel, None, &message, &marker)
        .await
    {
        // Twice is worse than never.
        Ok(()) | Err(DeliverError::OutcomeUnknown(_)) => {
            ctx.watches.end(place, Phase::Suggested);
            Ok("suggested")
        }
        Err(error) => {
            // It was not there a moment ago; the next look makes sure.
            ctx.watches.unread(place);
            Err(error.into())
        }
    }
}

/// Makes sure that the bot may speak here; joins if need be. Returns the words of the channel's name, or why there is
/// nothing to do here any more.
///
/// # Errors
/// When that cannot be said for now.
async fn admit(
    ctx: &Context,
    place: &Place,
    conversation: &Conversation,
) -> Result<Result<String, &'static str>, DeliverError> {
    let Some(words) = pattern::incident_words(&ctx.settings.patterns, &conversation.name) else {
        return Ok(Err("no incident channel"));
    };
    if conversation.archived {
        return Ok(Err("archived"));
    }
    if conversation.shared && !ctx.settings.allowed_channels.contains(&place.channel) {
        return Ok(Err("channel shared with another organisation"));
    }
    if !conversation.member {
        if conversation.private {
            return Ok(Err("not invited"));
        }
        match ctx.client.join(&place.channel).await {
            Err(error) if error.is_final() => {
                warn!(%error, "cannot join an incident channel");
                return Ok(Err("cannot join"));
            }
            joined => joined?,
        }
    }
    Ok(Ok(words))
}

/// Reads what stands in the channel already; returns whether a suggestion of ours does.
async fn read_history(ctx: &Context, place: &Place, identity: &Identity, marker: &Marker) -> bool {
    let ours = |message: &serde_json::Value| identity.wrote_raw(message) && marker.is_on(message);
    let mut before = None;
    for page in 0..PAGES {
        let read = match ctx.client.history(&place.channel, before).await {
            Ok(read) => read,
            Err(error) => {
                // Events tell the rest; only what was said before the bot joined is missing.
                debug!(%error, page, "cannot read a channel's history");
                break;
            }
        };
        if read.messages.iter().any(ours) {
            return true;
        }
        if page == 0 {
            // What is older says little about what happens now.
            let posts = read.messages.iter().filter_map(Post::from_history);
            ctx.watches.add_history(place, posts);
        }
        before = read.before;
        if before.is_none() {
            break;
        }
    }
    ctx.watches.read(place);
    false
}

fn describe<'t>(
    words: &str,
    conversation: &Conversation,
    said: impl IntoIterator<Item = &'t str>,
) -> String {
    decide::evidence(words, &conversation.topic, &conversation.purpose, said)
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
        let messages = match self.client.history(&place.channel, None).await {
            Ok(page) => page.messages,
            Err(error) => {
                debug!(%error, "cannot read a channel's history");
                Vec::new()
            }
        };
        let posts: Vec<Post> = messages
            .iter()
            .rev()
            .filter(|message| !identity.wrote_raw(message))
            .filter_map(Post::from_history)
            .collect();
        let said = posts.iter().map(|post| post.text.as_str());
        describe(&words.unwrap_or_default(), &conversation, said)
    }
}
