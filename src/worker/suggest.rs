//! The automatic suggestion in an incident channel: one message, only when there is something worth saying, changed when
//! there is something closer; else silence.

use tracing::{debug, info, warn};

use super::{
    Context, JobError, Outcome, clock,
    decide::{self, EDITS, Said, Step},
    posting::{Posted, Turn},
    record::Work,
};
use crate::{
    slack::{
        Message, Ts, UserId,
        client::{Conversation, DeliverError, Identity, Marker, PAGES, Thread, ts_of},
        inbound::{Place, Post},
        pattern::{self, Pattern},
        render,
        setting::{Here, Spot, Voice},
        watch::Phase,
    },
    store::{Begun, Change, Delivery, Standing, Watched},
};

/// Somebody was added to a channel. When it is the bot, that is how it learns of private incident channels.
pub(super) async fn joined(turn: &Turn<'_>, place: &Place, user: &UserId) -> Outcome {
    let ctx = turn.ctx;
    if ctx.client.identity().await?.user != *user {
        return Ok("somebody else joined");
    }
    // The look is a job of its own, as after any other event: two looks at one channel at once could both find nothing said
    // yet, and both say it.
    let at = clock::now();
    let look = Work::Look {
        place: place.clone(),
    };
    let delivery = Delivery {
        claims: Vec::new(),
        change: Change::Start(place.clone()),
        job: Some(look.record(at)),
        at,
    };
    ctx.store.record(delivery).await?;
    Ok("watched")
}

/// Looks at a watched channel and posts or changes the suggestion if that is wanted.
pub(super) async fn look(turn: &Turn<'_>, place: &Place) -> Outcome {
    let ctx = turn.ctx;
    let here = ctx.here(place).await?;
    if here.voice.value != Voice::On {
        // Whoever undoes that within the window finds the watch as it was.
        return Ok("not wanted here");
    }
    let outcome = speak(turn, place, &here).await?;
    if here.bookmark.value {
        bookmark(turn, place, &here).await?;
    }
    Ok(outcome)
}

async fn speak(turn: &Turn<'_>, place: &Place, here: &Here) -> Outcome {
    let ctx = turn.ctx;
    let Some(mut watch) = ctx.store.watched(place, clock::now()).await? else {
        return Ok("not watched any more");
    };
    let identity = ctx.client.identity().await?;
    // What Slack says now counts, not what an event said: channels are renamed and shared at any time.
    let conversation = ctx.client.conversation(&place.channel).await?;
    let words = match admit(ctx, place, &conversation, &here.patterns.value).await? {
        Ok(words) => words,
        Err(why) => {
            ctx.store.end_watch(place, Phase::Off, clock::now()).await?;
            return Ok(why);
        }
    };
    let marker = Marker {
        kind: Marker::SUGGESTION,
        about: place.channel.to_string(),
    };
    if !watch.read {
        let posts = match read_history(ctx, place, identity, &marker).await {
            History::Suggested(ts) => {
                // What it says is not known, so it stays as it is.
                let said = Said {
                    edits: EDITS,
                    ..Said::default()
                };
                let (ts, now) = (ts.as_deref(), clock::now());
                ctx.store
                    .suggested(place, &key(place), ts, &said, now)
                    .await?;
                return Ok("suggested before");
            }
            History::Read(posts) => posts,
        };
        ctx.store.add_history(place, posts, clock::now()).await?;
        let Some(read) = ctx.store.watched(place, clock::now()).await? else {
            return Ok("not watched any more");
        };
        watch = read;
    }
    let others: Vec<&str> = watch
        .posts
        .iter()
        .filter(|post| !identity.wrote(post.user.as_ref(), post.bot.as_ref()))
        .map(|post| post.text.as_str())
        .collect();
    let messages = others.len();
    let text = describe(&words, &conversation, others);
    let tongue = ctx.tongue_of(here.lang.value);
    let sure = here.sure.value;
    let standing = watch.standing.clone();
    let in_doubt = match &standing {
        Some(standing) => {
            let key = edit_key(place, &standing.said);
            ctx.store.begun_with(&key).await?.is_some()
        }
        None => false,
    };
    let said = standing.as_ref().map(|standing| standing.said.clone());
    let step = ctx
        .compute(place, move |library| {
            decide::judge(library, &text, messages, tongue, sure).step(
                library,
                said.as_ref(),
                in_doubt,
            )
        })
        .await?;
    match (step, standing) {
        (Step::Suggest(message, mut said), _) => {
            let key = key(place);
            // What was begun with another setting is found where it was begun.
            said.thread = match ctx.store.begun_with(&key).await? {
                Some(earlier) => earlier.thread,
                None if here.spot.value == Spot::Channel => None,
                None => match first_message(&watch) {
                    None => return Ok("there is no message yet under which to say it"),
                    some => some,
                },
            };
            suggest(turn, place, here, &message, said, &marker).await
        }
        (Step::Edit(message, said), Some(standing)) => {
            edit(turn, place, &standing, (&message, &said), &marker).await
        }
        (Step::Silence | Step::Edit(..), None) => {
            ctx.metrics.suggestion("silent");
            Ok("nothing worth saying")
        }
        (Step::Silence, Some(_)) => Ok("nothing new"),
    }
}

/// Posts the suggestion.
async fn suggest(
    turn: &Turn<'_>,
    place: &Place,
    here: &Here,
    message: &Message,
    mut said: Said,
    marker: &Marker,
) -> Outcome {
    let ctx = turn.ctx;
    let key = key(place);
    turn.await_turn(place).await?;
    let parent = said.thread.as_deref().map(Ts::from);
    let thread = parent.as_ref().map(|parent| Thread {
        parent,
        after: parent,
    });
    let posted = turn
        .post_said(&key, place, thread, message, marker, Some(&said))
        .await?;
    let mut is_outdated = false;
    if !matches!(posted, Posted::Now(_))
        && let Some(first) = ctx.store.begun_with(&key).await?
    {
        // What stands there is what the earlier try said.
        is_outdated = first != said;
        said = first;
    }
    ctx.metrics.suggestion("made");
    let suggested = ctx
        .store
        .suggested(place, &key, posted.ts(), &said, clock::now());
    suggested.await?;
    if is_outdated {
        // What asked for this look said more, and asks for no other.
        return Box::pin(speak(turn, place, here)).await;
    }
    Ok("suggested")
}

/// Changes the suggestion that stands in a channel.
async fn edit(
    turn: &Turn<'_>,
    place: &Place,
    standing: &Standing,
    (message, said): (&Message, &Said),
    marker: &Marker,
) -> Outcome {
    let ctx = turn.ctx;
    let (key, ts) = (edit_key(place, &standing.said), standing.ts.as_str());
    turn.await_turn(place).await?;
    match turn.edit(&key, (place, ts), message, marker, said).await {
        Err(JobError::Deliver(error)) if error.is_final() => {
            // Somebody took it away, or Slack lets nobody change it any more.
            info!(%error, "a suggestion stays as it is");
            ctx.store
                .end_watch(place, Phase::Closed, clock::now())
                .await?;
            return Ok("cannot be changed");
        }
        edited => edited?,
    }
    ctx.metrics.suggestion("changed");
    let suggested = ctx
        .store
        .suggested(place, &key, Some(ts), said, clock::now());
    suggested.await?;
    Ok("changed")
}

/// Returns the oldest known message that began a thread or can begin one.
fn first_message(watch: &Watched) -> Option<String> {
    let post = watch.posts.first()?;
    Some(post.thread.as_ref().unwrap_or(&post.ts).to_string())
}

/// Adds a bookmark of the suggestion to the channel's header, once, if there is a suggestion. It is a help and no more:
/// what is refused for good is left out, and what may have been done is not done again.
async fn bookmark(turn: &Turn<'_>, place: &Place, here: &Here) -> Result<(), JobError> {
    let ctx = turn.ctx;
    let watch = ctx.store.watched(place, clock::now()).await?;
    let Some(Standing { ts, .. }) = watch.and_then(|watch| watch.standing) else {
        return Ok(());
    };
    let key = format!("bookmark:{}/{}", place.team, place.channel);
    let begun = ctx
        .store
        .begin_post(turn.lease, &key, ctx.settings.settle, clock::now());
    match begun.await? {
        Begun::Fresh => {}
        Begun::Made | Begun::Uncertain => return Ok(()),
        Begun::Later(at) => return Err(JobError::Later(at)),
        Begun::Lost => return Err(JobError::Lost),
    }
    let title = render::bookmark_title(ctx.tongue_of(here.lang.value).without_text());
    let added = match ctx.client.permalink(&place.channel, &ts).await {
        Ok(link) => ctx.client.bookmark(&place.channel, title, &link).await,
        Err(error) => Err(error),
    };
    match added {
        Ok(()) => {}
        Err(error) if error.is_final() || matches!(error, DeliverError::OutcomeUnknown(_)) => {
            info!(%error, "a suggestion has no bookmark");
        }
        Err(error) => {
            ctx.store.not_made(&key).await?;
            return Err(error.into());
        }
    }
    Ok(ctx.store.made(&key, None, clock::now()).await?)
}

/// Identifies the suggestion in a channel.
fn key(place: &Place) -> String {
    format!("suggestion:{}/{}", place.team, place.channel)
}

/// Identifies the next change of a suggestion.
fn edit_key(place: &Place, standing: &Said) -> String {
    let Place { team, channel } = place;
    format!("edit:{team}/{channel}/{}", standing.edits + 1)
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
    patterns: &[Pattern],
) -> Result<Result<String, &'static str>, JobError> {
    let Some(words) = pattern::incident_words(patterns, &conversation.name) else {
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

/// What stands in a channel already.
enum History {
    /// A suggestion of ours does.
    Suggested(Option<String>),
    /// The newest messages.
    Read(Vec<Post>),
}

/// Reads what stands in the channel already.
async fn read_history(
    ctx: &Context,
    place: &Place,
    identity: &Identity,
    marker: &Marker,
) -> History {
    let ours = |message: &serde_json::Value| identity.wrote_raw(message) && marker.is_on(message);
    let (mut before, mut newest) = (None, Vec::new());
    for page in 0..PAGES {
        let read = match ctx.client.history(&place.channel, before).await {
            Ok(read) => read,
            Err(error) => {
                // Events tell the rest; only what was said before the bot joined is missing.
                debug!(%error, page, "cannot read a channel's history");
                break;
            }
        };
        if let Some(made) = read.messages.iter().find(|message| ours(message)) {
            return History::Suggested(ts_of(made));
        }
        if page == 0 {
            // What is older says little about what happens now.
            newest = read
                .messages
                .iter()
                .filter_map(Post::from_history)
                .collect();
        }
        before = read.before;
        if before.is_none() {
            break;
        }
    }
    History::Read(newest)
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
        let patterns = match self.patterns(&place.team).await {
            Ok(patterns) => patterns,
            Err(error) => {
                self.store_failed(&error);
                Vec::new()
            }
        };
        let conversation = match self.client.conversation(&place.channel).await {
            Ok(conversation) => conversation,
            Err(error) => {
                debug!(%error, "cannot read a channel");
                return String::new();
            }
        };
        let words = pattern::incident_words(&patterns, &conversation.name);
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
