//! Posting for everybody to see, once: a message of ours is looked for before it is posted again.

use serde_json::{Value, json};
use slack_morphism::prelude::SlackApiChatPostMessageRequest;
use tracing::warn;

use super::{Client, DeliverError, Marker, Thread, content, pause, rich_or_plain, text};
use crate::slack::{ChannelId, Message};

/// Most pages of a channel's history in which a message of ours is looked for.
pub const PAGES: usize = 4;

/// What became of a message that was to be posted once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sent {
    /// It was posted now; its id, if Slack told it.
    Now(Option<String>),
    /// It was there; its id, if Slack told it.
    Before(Option<String>),
    /// It may be there, and the bot is not allowed to look.
    Untold,
}

impl Client {
    /// Posts a message into a channel, or into a thread after one of its messages, once: when Slack does not say whether
    /// it took it, looks for the marker before trying again. `look` says that it may be there already.
    ///
    /// # Errors
    /// As Slack says. [`DeliverError::OutcomeUnknown`] when looking does not tell for now: the message may be there.
    pub async fn post_once(
        &self,
        channel: &ChannelId,
        thread: Option<Thread<'_>>,
        message: &Message,
        marker: &Marker,
        look: bool,
    ) -> Result<Sent, DeliverError> {
        if look {
            let unknown = || DeliverError::OutcomeUnknown("an earlier try".to_owned());
            match self.find(channel, thread, marker).await {
                Ok(Some(ts)) => return Ok(Sent::Before(ts)),
                Ok(None) => {}
                Err(error) => return untold(&error, unknown()),
            }
        }
        let mut failures = 0;
        loop {
            let unknown = match self.post_message(channel, thread, message, marker).await {
                Ok(ts) => return Ok(Sent::Now(ts)),
                Err(error @ DeliverError::OutcomeUnknown(_)) => error,
                Err(error) => return Err(error),
            };
            failures += 1;
            let wait = self.retry.wait(failures, &unknown, true);
            if let Some(wait) = wait {
                warn!(failures, ?wait, error = %unknown, "looking whether a message was posted");
                pause(wait).await;
            }
            match self.find(channel, thread, marker).await {
                Ok(Some(ts)) => return Ok(Sent::Before(ts)),
                Ok(None) if wait.is_some() => {}
                Ok(None) => return Err(DeliverError::Transient(unknown.to_string())),
                Err(error) => return untold(&error, unknown),
            }
        }
    }

    /// Changes a message of ours. Doing so twice changes nothing.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn update(
        &self,
        channel: &ChannelId,
        ts: &str,
        message: &Message,
        marker: &Marker,
    ) -> Result<(), DeliverError> {
        rich_or_plain(message, |blocks| async move {
            // What is left out stays as it was, and links in the text would be made of any word, unlike when it was posted.
            let request = json!({
                "channel": channel, "ts": ts, "text": message.text, "blocks": blocks.unwrap_or_default(),
                "metadata": marker.metadata(), "parse": "none",
            });
            self.post("chat.update", &request, true).await
        })
        .await
        .map(drop)
    }

    /// Looks for a message of ours; returns its id, if the message has one, when it is there.
    async fn find(
        &self,
        channel: &ChannelId,
        thread: Option<Thread<'_>>,
        marker: &Marker,
    ) -> Result<Option<Option<String>>, DeliverError> {
        let identity = self.identity().await?;
        let ours = |message: &&Value| identity.wrote_raw(message) && marker.is_on(message);
        if let Some(thread) = thread {
            let messages = self.replies_after(channel, thread).await?;
            return Ok(messages.iter().find(ours).map(ts_of));
        }
        let mut before = None;
        for _ in 0..PAGES {
            let page = self.history(channel, before).await?;
            if let Some(found) = page.messages.iter().find(ours) {
                return Ok(Some(ts_of(found)));
            }
            before = page.before;
            if before.is_none() {
                break;
            }
        }
        Ok(None)
    }

    async fn post_message(
        &self,
        channel: &ChannelId,
        thread: Option<Thread<'_>>,
        message: &Message,
        marker: &Marker,
    ) -> Result<Option<String>, DeliverError> {
        let json = rich_or_plain(message, |blocks| async move {
            let content = content(message, blocks).with_metadata(marker.metadata());
            let request = SlackApiChatPostMessageRequest::new(channel.clone(), content)
                .opt_thread_ts(thread.map(|thread| thread.parent.clone()))
                .with_unfurl_links(false)
                .with_unfurl_media(false);
            self.post("chat.postMessage", &request, false).await
        })
        .await?;
        Ok(ts_of(&json))
    }
}

/// What to make of a message of which it cannot be seen whether it is there.
fn untold(error: &DeliverError, unknown: DeliverError) -> Result<Sent, DeliverError> {
    warn!(%error, "cannot look whether a message was posted");
    if error.is_final() {
        Ok(Sent::Untold)
    } else {
        Err(unknown)
    }
}

/// Returns a message's id within its channel.
pub fn ts_of(message: &Value) -> Option<String> {
    Some(text(message, "/ts"))
        .filter(|ts| !ts.is_empty())
        .map(str::to_owned)
}
