//! Answers as Slack messages. Pure functions: the same answer always gives the same message.
//!
//! Words from outside stand in rich text elements, where Slack parses nothing, and escaped in the fallback text. Every
//! message is built in the fullest of a few levels of detail that keeps all of Slack's limits.

use slack_morphism::prelude::SlackBlock;

use super::{Message, limits};
use crate::corpus::{Case, Lang};

mod answer;
mod button;
mod details;
mod evidence;
mod help;
mod missing;
mod notice;
mod part;
mod precedent;
mod rich;
mod scope;
mod settings;
mod shared;

pub use answer::{PRECEDENTS, answer, answer_within, similar, suggestion};
pub use details::details;
pub use help::{failure, help, nothing_typed, type_again};
pub use missing::missing;
pub use notice::{Notice, notice, unknown_case};
pub use part::{button_row, heading, linked, named_button, preview, words};
pub use precedent::address;
pub use scope::Scope;
pub use settings::{Settings, bookmark_title, settings};
pub use shared::shared;

/// Who looks, at what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The language to answer in.
    pub lang: Lang,
    /// The question, as asked.
    pub text: String,
    /// How many precedents were shown before these.
    pub offset: usize,
}

/// Who may see a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience<'a> {
    /// Everybody: it was published.
    Public,
    /// The people named; empty where the operator does not name them.
    Own(&'a str),
}

impl Audience<'_> {
    /// Returns who may see a case.
    pub fn of(case: &Case, lang: Lang) -> Self {
        if case.own {
            Self::Own(super::strings::Strings::of(lang).own)
        } else {
            Self::Public
        }
    }

    /// Returns the sign that stands before the organisation, with the audience where it is limited.
    pub fn sign(self) -> String {
        match self {
            Self::Public => "🌐".to_owned(),
            Self::Own("") => "🔒".to_owned(),
            Self::Own(audience) => format!("🔒 {}", super::text::short(audience, 40)),
        }
    }
}

/// Stands for what a source does not give.
const ABSENT: &str = "–";

/// Builds a message in the first level of detail that fits; the last one is short enough for any text.
fn fit<Level>(levels: &[Level], build: impl Fn(&Level) -> Message) -> Message {
    let (last, fuller) = levels.split_last().expect("there is at least one level");
    for level in fuller {
        let message = build(level);
        if limits::check(&message).is_empty() {
            return message;
        }
    }
    let message = build(last);
    debug_assert_eq!(limits::check(&message), [], "the last level always fits");
    message
}

/// Puts a message together; the fallback is cut to its limit.
fn message(text: &str, blocks: impl IntoIterator<Item = Option<SlackBlock>>) -> Message {
    Message {
        text: super::mrkdwn::clip(text, limits::FALLBACK),
        blocks: blocks.into_iter().flatten().collect(),
    }
}

#[cfg(test)]
mod tests;
