//! What somebody does in the demo's workspace, with all that Slack makes of it.

use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use slack_morphism::prelude::SlackBlock;

use super::{
    fake,
    sender::{Sender, Who},
    workspace::{ALERTS_BOT, Author, BOT_USER, Channel, Entry, GENERAL, TEAM, Workspace, you},
};
use crate::{
    corpus::Lang,
    slack::{Message, inbound::FIND_SIMILAR},
};

/// How the bot is mentioned by typing.
const MENTION: &str = "@incident-like";

/// Longest text that can be typed, in bytes.
pub(super) const TEXT_LIMIT_BYTES: usize = 8 * 1024;

/// Somebody in the workspace.
pub(super) struct Play {
    pub(super) workspace: Arc<Workspace>,
    pub(super) sender: Sender,
}

/// A message as the service gives it.
#[derive(Deserialize)]
struct Given {
    text: String,
    #[serde(default)]
    blocks: Vec<SlackBlock>,
}

/// A pressed button.
#[derive(Debug, Deserialize)]
pub(super) struct Pressed {
    action_id: String,
    #[serde(default)]
    block_id: String,
    #[serde(default)]
    value: String,
}

impl Pressed {
    /// Returns the press as Slack's interactions give it.
    pub(super) fn wire(&self, ts: &str) -> Value {
        json!({
            "type": "button", "action_id": self.action_id, "block_id": self.block_id, "value": self.value, "action_ts": ts,
        })
    }
}

impl Play {
    pub(super) const fn new(workspace: Arc<Workspace>, sender: Sender) -> Self {
        Self { workspace, sender }
    }

    pub(super) const fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    fn open(&self, channel: &str) -> anyhow::Result<Channel> {
        let channel = self
            .workspace
            .channel(channel)
            .context("channel_not_found")?;
        if channel.archived {
            bail!("is_archived");
        }
        Ok(channel)
    }

    /// Types `/incident-like …`; shows and returns the answer.
    pub(super) async fn command(
        &self,
        channel: &str,
        text: &str,
        lang: Lang,
    ) -> anyhow::Result<Option<Message>> {
        let channel = self.open(channel)?;
        // Slack shows a command to the one who types it only; so does this.
        let mut typed = Entry::new(
            Author::You,
            you(lang),
            format!("/incident-like {text}").trim(),
        );
        typed.ephemeral = true;
        self.workspace.add(&channel.id, typed);
        let who = who(&channel, lang);
        let Some(answer) = self.sender.command(who, text).await? else {
            return Ok(None);
        };
        fake::answer(&self.workspace, &channel.id, &answer);
        let given: Given = serde_json::from_value(answer).context("the answer is no message")?;
        Ok(Some(Message {
            text: given.text,
            blocks: given.blocks,
        }))
    }

    /// Says something, or types a command.
    pub(super) async fn say(
        &self,
        channel: &str,
        text: &str,
        thread: Option<String>,
        lang: Lang,
    ) -> anyhow::Result<()> {
        let text = text.trim();
        if let Some(rest) = command_of(text, "/incident-like") {
            self.command(channel, rest, lang).await?;
            return Ok(());
        }
        if let Some(rest) = command_of(text, "/invite") {
            return self.invite(channel, rest).await;
        }
        if let Some(rest) = command_of(text, "/topic") {
            return self.topic(channel, rest, lang).await;
        }
        if command_of(text, "/archive").is_some() {
            return self.archive(channel, lang).await;
        }
        if text.starts_with('/') {
            bail!("unknown_command");
        }
        let channel = self.open(channel)?;
        let escaped = text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        let mentions = text.contains(MENTION);
        let mut entry = Entry::new(
            Author::You,
            you(lang),
            &escaped.replace(MENTION, &format!("<@{BOT_USER}>")),
        );
        entry.blocks = rich_text(text);
        entry.thread_ts = thread;
        let entry = self
            .workspace
            .add(&channel.id, entry)
            .context("channel_not_found")?;
        if !channel.member {
            // Slack tells apps of channels that they are in, and of no others.
            return if mentions {
                Err(anyhow!("not_in_channel"))
            } else {
                Ok(())
            };
        }
        let mut event = entry.wire();
        event["channel"] = channel.id.clone().into();
        event["event_ts"] = entry.ts.clone().into();
        event["channel_type"] = if channel.direct { "im" } else { "channel" }.into();
        self.sender.event(&event).await?;
        if mentions && !channel.direct {
            event["type"] = "app_mention".into();
            self.sender.event(&event).await?;
        }
        Ok(())
    }

    /// Makes a channel and returns its id.
    pub(super) async fn create(
        &self,
        name: &str,
        topic: &str,
        lang: Lang,
    ) -> anyhow::Result<String> {
        let name = name.trim().trim_start_matches('#');
        let channel = self
            .workspace
            .create(name, topic.trim())
            .map_err(|error| anyhow!(error))?;
        let mut notice = Entry::new(Author::Slack, you(lang), "You created this channel");
        notice.subtype = Some("channel_join");
        self.workspace.add(&channel.id, notice);
        let created = super::now().as_secs();
        let event = json!({
            "type": "channel_created",
            "channel": {"id": channel.id, "name": channel.name, "created": created, "creator": you(lang)},
        });
        self.sender.event(&event).await?;
        Ok(channel.id)
    }

    /// Lets an alert bot post: without plain text, as most do.
    pub(super) async fn alert(&self, channel: &str, title: &str, text: &str) -> anyhow::Result<()> {
        let channel = self.open(channel)?;
        let mut entry = Entry::new(Author::Alerts, ALERTS_BOT, "");
        entry.attachments =
            json!([{"id": 1, "color": "d72b3f", "title": title, "text": text, "fallback": title}]);
        let entry = self
            .workspace
            .add(&channel.id, entry)
            .context("channel_not_found")?;
        if channel.member {
            let mut event = entry.wire();
            event["channel"] = channel.id.into();
            event["event_ts"] = entry.ts.into();
            self.sender.event(&event).await?;
        }
        Ok(())
    }

    /// Presses a button.
    pub(super) async fn press(
        &self,
        channel: &str,
        ts: &str,
        pressed: &Pressed,
        lang: Lang,
    ) -> anyhow::Result<()> {
        let (channel, entry) = self.entry(channel, ts)?;
        let payload = json!({
            "type": "block_actions",
            "container": {
                "type": "message", "message_ts": entry.ts, "channel_id": channel.id, "is_ephemeral": entry.ephemeral,
                "thread_ts": entry.thread_ts,
            },
            "actions": [pressed.wire(&entry.ts)],
        });
        let who = who(&channel, lang);
        self.sender.with_message(who, &entry.wire(), payload).await
    }

    /// Uses the message shortcut.
    pub(super) async fn find_similar(
        &self,
        channel: &str,
        ts: &str,
        lang: Lang,
    ) -> anyhow::Result<()> {
        let (channel, entry) = self.entry(channel, ts)?;
        let payload =
            json!({"type": "message_action", "callback_id": FIND_SIMILAR, "message_ts": entry.ts});
        let who = who(&channel, lang);
        self.sender.with_message(who, &entry.wire(), payload).await
    }

    fn entry(&self, channel: &str, ts: &str) -> anyhow::Result<(Channel, Entry)> {
        let channel = self.open(channel)?;
        let entry = channel.messages.iter().find(|entry| entry.ts == ts);
        let entry = entry.context("message_not_found")?.clone();
        Ok((channel, entry))
    }

    async fn invite(&self, channel: &str, whom: &str) -> anyhow::Result<()> {
        if whom != MENTION && whom != "incident-like" {
            bail!("user_not_found");
        }
        let channel = self.open(channel)?;
        if channel.member {
            return Ok(());
        }
        fake::join(&self.workspace, &channel.id);
        let event = json!({
            "type": "member_joined_channel", "user": BOT_USER, "channel": channel.id, "channel_type": "C", "team": TEAM,
        });
        self.sender.event(&event).await
    }

    async fn archive(&self, channel: &str, lang: Lang) -> anyhow::Result<()> {
        let channel = self.open(channel)?;
        if channel.id == GENERAL {
            bail!("cant_archive_general");
        }
        self.workspace
            .with_channel(&channel.id, |channel| channel.archived = true);
        let event = json!({"type": "channel_archive", "channel": channel.id, "user": you(lang)});
        self.sender.event(&event).await
    }

    async fn topic(&self, channel: &str, topic: &str, lang: Lang) -> anyhow::Result<()> {
        let channel = self.open(channel)?;
        self.workspace
            .with_channel(&channel.id, |channel| topic.clone_into(&mut channel.topic));
        let mut notice = Entry::new(Author::Slack, you(lang), &format!("set the topic: {topic}"));
        notice.subtype = Some("channel_topic");
        let notice = self
            .workspace
            .add(&channel.id, notice)
            .context("channel_not_found")?;
        if channel.member {
            let mut event = notice.wire();
            event["channel"] = channel.id.into();
            event["topic"] = topic.into();
            self.sender.event(&event).await?;
        }
        Ok(())
    }
}

fn who(channel: &Channel, lang: Lang) -> Who<'_> {
    Who {
        user: you(lang),
        channel: &channel.id,
        name: &channel.name,
    }
}

/// Returns what stands after a command.
fn command_of<'t>(text: &'t str, command: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(command)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

/// Says the same as a text in blocks, as Slack's own clients do.
fn rich_text(text: &str) -> Value {
    let mut elements = Vec::new();
    for (at, part) in text.split(MENTION).enumerate() {
        if at > 0 {
            elements.push(json!({"type": "user", "user_id": BOT_USER}));
        }
        if !part.is_empty() {
            elements.push(json!({"type": "text", "text": part}));
        }
    }
    json!([{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": elements}]}])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_whole_words() {
        assert_eq!(
            command_of("/invite  @incident-like ", "/invite"),
            Some("@incident-like")
        );
        assert_eq!(command_of("/incident-like", "/incident-like"), Some(""));
        assert_eq!(command_of("/invited x", "/invite"), None);
    }
}
