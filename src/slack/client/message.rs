//! What goes around a message: who sees it, and the marker by which it is found again.

use serde::Serialize;
use serde_json::Value;
use slack_morphism::prelude::{SlackBlock, SlackMessageMetadata};

use crate::slack::{Message, Ts};

/// Marks a message of ours, readable for every app in the channel, so that it is found again after a restart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// Kind of message.
    pub kind: &'static str,
    /// What it is about.
    pub about: String,
}

impl Marker {
    /// Kind of the automatic suggestion.
    pub const SUGGESTION: &'static str = "precedent_suggestion";
    /// Kind of an answer to a mention.
    pub const ANSWER: &'static str = "precedent_answer";
    /// Kind of a case that somebody shared.
    pub const SHARE: &'static str = "precedent_share";

    /// Returns whether a raw message carries this marker.
    pub fn is_on(&self, message: &Value) -> bool {
        let text = |pointer| message.pointer(pointer).and_then(Value::as_str);
        text("/metadata/event_type") == Some(self.kind)
            && text("/metadata/event_payload/about") == Some(&self.about)
    }

    pub(super) fn metadata(&self) -> SlackMessageMetadata {
        SlackMessageMetadata::new(self.kind.to_owned())
            .with_event_payload([("about".to_owned(), self.about.clone())].into())
    }
}

/// Who sees an answer; Slack's own word for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseType {
    /// Only the one who asked.
    Ephemeral,
    /// The whole channel.
    InChannel,
}

/// A body that Slack takes as an answer, in a response or at a `response_url`.
#[derive(Debug, Serialize)]
pub struct Reply<'m> {
    response_type: ResponseType,
    text: &'m str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    blocks: &'m [SlackBlock],
    replace_original: bool,
    unfurl_links: bool,
    unfurl_media: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_ts: Option<&'m Ts>,
}

impl<'m> Reply<'m> {
    /// Makes an answer of a message.
    pub fn new(response_type: ResponseType, message: &'m Message, thread: Option<&'m Ts>) -> Self {
        Self {
            response_type,
            text: &message.text,
            blocks: &message.blocks,
            replace_original: false,
            unfurl_links: false,
            unfurl_media: false,
            thread_ts: thread,
        }
    }

    /// Makes the same answer in place of the message with the button.
    pub(super) fn replacing(self) -> Self {
        Self {
            replace_original: true,
            ..self
        }
    }

    /// Makes the same answer with these blocks; `None` leaves them out.
    pub(super) fn with_blocks(self, blocks: Option<&'m [SlackBlock]>) -> Self {
        Self {
            blocks: blocks.unwrap_or_default(),
            ..self
        }
    }
}
