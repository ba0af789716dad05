//! What Slack is to us: its wire forms in, messages out. Knows nothing of routes and jobs.

use slack_morphism::prelude::SlackBlock;
pub use slack_morphism::prelude::{
    SlackBotId as BotId, SlackChannelId as ChannelId, SlackTs as Ts, SlackUserId as UserId,
};

pub mod action;
pub mod client;
pub mod command;
pub mod form;
pub mod gather;
pub mod home;
pub mod inbound;
pub mod limits;
pub mod manifest;
pub mod mrkdwn;
pub mod pattern;
pub mod preview;
pub mod render;
pub mod reply;
pub mod response_url;
pub mod setting;
pub mod signature;
pub mod socket;
mod strings;
mod text;
pub mod watch;

/// A message ready to send: blocks, and the same in plain text for notifications and screen readers.
#[derive(Clone, Debug)]
pub struct Message {
    /// Plain-text fallback.
    pub text: String,
    /// Block Kit blocks, within all limits.
    pub blocks: Vec<SlackBlock>,
}
