//! The workspace that the demo plays: channels with their messages, and what went over the wire.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use slack_morphism::prelude::SlackBlock;
use tokio::sync::watch;

use crate::{corpus::Lang, slack::Message};

pub(super) const TEAM: &str = "T0DEMO";
pub(super) const BOT_USER: &str = "U0BOT";
pub(super) const BOT_ID: &str = "B0BOT";
pub(super) const ALERTS_BOT: &str = "B0ALERT";
/// The channel that is there from the start.
pub(super) const GENERAL: &str = "C0GENERAL";
/// Where somebody and the bot are alone.
pub(super) const DIRECT: &str = "D0BOT";

/// Most messages that a channel keeps.
const MESSAGES: usize = 300;
/// Most channels.
const CHANNELS: usize = 60;
/// Most views that lie on each other; Slack's own limit.
const VIEWS: usize = 3;
/// Most requests that are kept to be shown.
const WIRE: usize = 60;

/// Returns the user who writes in a language: Slack keeps one language for each.
pub(super) const fn you(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "U0YOUEN",
        Lang::Ko => "U0YOUKO",
    }
}

/// Who a message is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Author {
    You,
    Bot,
    Alerts,
    /// Slack itself.
    Slack,
}

/// A message in a channel.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Entry {
    pub(super) ts: String,
    pub(super) author: Author,
    pub(super) user: String,
    pub(super) text: String,
    pub(super) blocks: Value,
    pub(super) attachments: Value,
    pub(super) thread_ts: Option<String>,
    /// Slack's kind of notice, for what nobody wrote.
    pub(super) subtype: Option<&'static str>,
    /// Only the one who looks sees it.
    pub(super) ephemeral: bool,
    #[serde(skip)]
    pub(super) metadata: Value,
}

impl Entry {
    pub(super) fn new(author: Author, user: &str, text: &str) -> Self {
        Self {
            ts: String::new(),
            author,
            user: user.to_owned(),
            text: text.to_owned(),
            blocks: json!([]),
            attachments: json!([]),
            thread_ts: None,
            subtype: None,
            ephemeral: false,
            metadata: Value::Null,
        }
    }

    /// Returns the message as Slack's methods and events give it.
    pub(super) fn wire(&self) -> Value {
        let mut wire = json!({"type": "message", "ts": self.ts, "text": self.text, "team": TEAM});
        let mut put = |key: &str, value: Value| {
            if !value.is_null() && value != json!([]) {
                wire[key] = value;
            }
        };
        put("blocks", self.blocks.clone());
        put("attachments", self.attachments.clone());
        put("metadata", self.metadata.clone());
        put("thread_ts", self.thread_ts.clone().into());
        put("subtype", self.subtype.into());
        match self.author {
            Author::Bot => {
                put("user", BOT_USER.into());
                put("bot_id", BOT_ID.into());
            }
            Author::Alerts => {
                put("subtype", "bot_message".into());
                put("bot_id", ALERTS_BOT.into());
            }
            Author::You | Author::Slack => put("user", self.user.clone().into()),
        }
        wire
    }

    fn message(&self) -> anyhow::Result<Message> {
        Ok(Message {
            text: self.text.clone(),
            blocks: Vec::<SlackBlock>::deserialize(&self.blocks)
                .context("the blocks are none of Slack's")?,
        })
    }
}

/// A channel.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Channel {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) topic: String,
    /// Whether the bot is in it.
    pub(super) member: bool,
    pub(super) archived: bool,
    /// Whether somebody and the bot are alone in it.
    pub(super) direct: bool,
    pub(super) messages: Vec<Entry>,
}

/// A form that is open.
#[derive(Clone, Debug, Serialize)]
pub(super) struct View {
    pub(super) id: String,
    /// Changes with what it shows.
    pub(super) hash: String,
    pub(super) content: Value,
}

impl View {
    fn new(content: Value) -> Self {
        Self {
            id: format!("V{:08x}", rand::random::<u32>()),
            hash: new_hash(),
            content,
        }
    }

    /// Returns the view as Slack's methods and interactions give it.
    pub(super) fn wire(&self) -> Value {
        let mut wire = self.content.clone();
        if let Some(fields) = wire.as_object_mut() {
            fields.insert("id".to_owned(), self.id.clone().into());
            fields.insert("hash".to_owned(), self.hash.clone().into());
        }
        wire
    }
}

fn new_hash() -> String {
    format!("{:016x}", rand::random::<u64>())
}

/// A request that went between Slack and the service.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Wire {
    /// Whether Slack sent it.
    pub(super) to_service: bool,
    pub(super) what: String,
    pub(super) status: u16,
    pub(super) millis: f32,
}

/// All that the page shows.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Snapshot {
    pub(super) version: u64,
    pub(super) channels: Vec<Channel>,
    /// Forms that are open, the topmost last.
    pub(super) views: Vec<View>,
    /// The bot's home, by user.
    pub(super) homes: BTreeMap<String, Value>,
    pub(super) wire: VecDeque<Wire>,
}

/// The workspace.
pub(super) struct Workspace {
    inner: Mutex<Snapshot>,
    changed: watch::Sender<u64>,
}

impl Workspace {
    pub(super) fn new() -> Self {
        let channel = |id: &str, name: &str, direct| Channel {
            id: id.to_owned(),
            name: name.to_owned(),
            topic: String::new(),
            member: true,
            archived: false,
            direct,
            messages: Vec::new(),
        };
        Self {
            inner: Mutex::new(Snapshot {
                version: 0,
                channels: vec![
                    channel(GENERAL, "general", false),
                    channel(DIRECT, "incident-like", true),
                ],
                views: Vec::new(),
                homes: BTreeMap::new(),
                wire: VecDeque::new(),
            }),
            changed: watch::Sender::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Snapshot> {
        // Every change is a single step, so what a panicking thread left is whole.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes something and tells those who wait.
    fn change<T>(&self, work: impl FnOnce(&mut Snapshot) -> T) -> T {
        let mut inner = self.lock();
        let done = work(&mut inner);
        inner.version += 1;
        self.changed.send_replace(inner.version);
        done
    }

    /// Returns what there is now.
    pub(super) fn snapshot(&self) -> Snapshot {
        self.lock().clone()
    }

    /// Waits until there is something newer than a version, for at most so long.
    pub(super) async fn newer(&self, than: u64, patience: Duration) -> Snapshot {
        let mut changed = self.changed.subscribe();
        let _ = tokio::time::timeout(patience, changed.wait_for(|version| *version > than)).await;
        self.snapshot()
    }

    /// Waits until the bot has spoken in a channel for all to see, and returns what it said.
    pub(super) async fn spoken_in(&self, channel: &str) -> anyhow::Result<Message> {
        let mut changed = self.changed.subscribe();
        loop {
            changed.borrow_and_update();
            if let Some(channel) = self.channel(channel) {
                let is_said = |entry: &&Entry| entry.author == Author::Bot && !entry.ephemeral;
                if let Some(entry) = channel.messages.iter().find(is_said) {
                    return entry.message();
                }
            }
            changed.changed().await?;
        }
    }

    pub(super) fn channel(&self, id: &str) -> Option<Channel> {
        let inner = self.lock();
        inner
            .channels
            .iter()
            .find(|channel| channel.id == id)
            .cloned()
    }

    /// Makes a channel.
    ///
    /// # Errors
    /// With what is wrong with the name, or when there are too many.
    pub(super) fn create(&self, name: &str, topic: &str) -> Result<Channel, &'static str> {
        let is_name = !name.is_empty()
            && name.chars().count() <= 80
            && name
                .chars()
                .all(|c| (c.is_alphanumeric() && !c.is_uppercase()) || "-_".contains(c));
        if !is_name {
            return Err("name_invalid");
        }
        self.change(|inner| {
            if inner.channels.iter().any(|channel| channel.name == name) {
                return Err("name_taken");
            }
            if inner.channels.len() >= CHANNELS {
                return Err("too_many_channels");
            }
            let channel = Channel {
                id: format!("C0DEMO{:04}", inner.channels.len()),
                name: name.to_owned(),
                topic: topic.to_owned(),
                member: false,
                archived: false,
                direct: false,
                messages: Vec::new(),
            };
            inner.channels.push(channel.clone());
            Ok(channel)
        })
    }

    /// Changes a channel; `false` when there is none.
    pub(super) fn with_channel(&self, id: &str, work: impl FnOnce(&mut Channel)) -> bool {
        self.change(|inner| {
            let channel = inner.channels.iter_mut().find(|channel| channel.id == id);
            channel.map(work).is_some()
        })
    }

    /// Adds a message with a stamp of its own and returns it; `None` when there is no such channel.
    pub(super) fn add(&self, channel: &str, entry: Entry) -> Option<Entry> {
        self.change(|inner| {
            let latest = inner.channels.iter().flat_map(|channel| &channel.messages);
            let latest = latest
                .map(|entry| entry.ts.as_str())
                .max()
                .map(str::to_owned);
            let channel = inner
                .channels
                .iter_mut()
                .find(|other| other.id == channel)?;
            let entry = Entry {
                ts: next_ts(latest.as_deref()),
                ..entry
            };
            channel.messages.push(entry.clone());
            if channel.messages.len() > MESSAGES {
                channel.messages.remove(0);
            }
            Some(entry)
        })
    }

    /// Opens a form, in place of all others or on top of them.
    ///
    /// # Errors
    /// When too many lie on each other.
    pub(super) fn open_view(&self, view: Value, on_top: bool) -> Result<View, &'static str> {
        self.change(|inner| {
            if !on_top {
                inner.views.clear();
            } else if inner.views.len() >= VIEWS {
                return Err("push_limit_reached");
            }
            let view = View::new(view);
            inner.views.push(view.clone());
            Ok(view)
        })
    }

    /// Shows something else in a form.
    ///
    /// # Errors
    /// When it was closed, or has changed since it had `hash`.
    pub(super) fn update_view(
        &self,
        id: &str,
        hash: Option<&str>,
        content: Value,
    ) -> Result<View, &'static str> {
        self.change(|inner| {
            let open = inner.views.iter_mut().find(|open| open.id == id);
            let open = open.ok_or("not_found")?;
            if hash.is_some_and(|hash| hash != open.hash) {
                return Err("hash_conflict");
            }
            open.content = content;
            open.hash = new_hash();
            Ok(open.clone())
        })
    }

    pub(super) fn view(&self, id: &str) -> Option<View> {
        self.lock().views.iter().find(|view| view.id == id).cloned()
    }

    /// Closes a form with those on top of it, or all.
    pub(super) fn close_view(&self, id: &str, all: bool) {
        self.change(|inner| {
            let at = inner.views.iter().position(|view| view.id == id);
            if let Some(at) = at {
                inner.views.truncate(if all { 0 } else { at });
            }
        });
    }

    /// Shows somebody's home.
    pub(super) fn publish(&self, user: &str, view: Value) {
        self.change(|inner| inner.homes.insert(user.to_owned(), view));
    }

    pub(super) fn home(&self, user: &str) -> Option<Value> {
        self.lock().homes.get(user).cloned()
    }

    /// Notes a request.
    pub(super) fn note(&self, wire: Wire) {
        self.change(|inner| {
            inner.wire.push_back(wire);
            if inner.wire.len() > WIRE {
                inner.wire.pop_front();
            }
        });
    }
}

/// Returns the time as Slack stamps it, later than all before.
fn next_ts(latest: Option<&str>) -> String {
    let stamp = |micros: u128| format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    let now = super::now().as_micros();
    let after = latest
        .and_then(|ts| ts.replace('.', "").parse::<u128>().ok())
        .map_or(0, |latest| latest + 1);
    stamp(now.max(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_slacks() {
        let workspace = Workspace::new();
        assert!(workspace.create("장애-1130_결제", "").is_ok());
        for (name, expect) in [
            ("장애-1130_결제", "name_taken"),
            ("general", "name_taken"),
            ("Inc-1", "name_invalid"),
            ("inc 1", "name_invalid"),
            ("", "name_invalid"),
        ] {
            assert_eq!(workspace.create(name, "").err(), Some(expect), "{name}");
        }
    }

    #[test]
    fn stamps_only_grow_and_nothing_grows_without_bounds() {
        let workspace = Workspace::new();
        for _ in 0..MESSAGES + 5 {
            let entry = Entry::new(Author::You, you(Lang::En), "x");
            assert!(workspace.add(GENERAL, entry).is_some());
        }
        let general = workspace.channel(GENERAL).expect("it is there");
        assert_eq!(general.messages.len(), MESSAGES);
        assert!(general.messages.is_sorted_by(|a, b| a.ts < b.ts));
        let latest = next_ts(Some("99999999999.999999"));
        assert_eq!(latest, "100000000000.000000");
        assert!(
            workspace
                .add("C0NONE", Entry::new(Author::Slack, "", ""))
                .is_none()
        );
    }
}
