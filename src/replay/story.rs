//! One channel, told message by message, with the messages' times for a clock.

use std::{borrow::Cow, collections::VecDeque, time::Duration};

use serde::Deserialize;
use serde_json::Value;

use super::{
    Settings,
    clock::stamp,
    look::{Look, Silence},
    people::plain,
    roster::Channel,
};
use crate::{
    library::Library,
    slack::{
        client::{Identity, Marker, PAGE},
        inbound::{Event, Post},
        pattern,
        reply::Tongue,
        setting::Sure,
    },
    worker::decide::{self, Phase, Step, Watch},
};

/// The story of a channel as far as it was told.
pub(super) struct Story<'s> {
    library: &'s Library,
    settings: &'s Settings,
    own: Option<&'s Identity>,
    channel: &'s Channel,
    now: Duration,
    begun: bool,
    /// Whether a rename was told.
    renamed: bool,
    /// The channel's first name, when it turns out to be another than was thought.
    first_name: Option<String>,
    name: String,
    topic: String,
    purpose: String,
    /// What the list of channels says, and when that became so.
    stated: Vec<(Duration, Stated)>,
    watch: Option<Watch>,
    /// When a look is due.
    due: Option<Duration>,
    /// Whether the channel's history was read, as the bot does with its first look.
    read: bool,
    /// The newest messages outside threads, raw.
    history: VecDeque<Vec<u8>>,
    looks: Vec<Look>,
}

enum Stated {
    Topic(String),
    Purpose(String),
}

/// A message that cannot be understood.
pub(super) struct Broken {
    /// The line within the message, from 1.
    pub(super) line: u64,
    pub(super) problem: String,
}

/// As much of a message as tells whether there is more to it.
#[derive(Deserialize)]
struct Head<'m> {
    #[serde(borrow, default)]
    ts: Cow<'m, str>,
    #[serde(borrow, default)]
    subtype: Option<Cow<'m, str>>,
    #[serde(borrow, default)]
    thread_ts: Option<Cow<'m, str>>,
}

impl<'s> Story<'s> {
    pub(super) fn new(
        library: &'s Library,
        settings: &'s Settings,
        own: Option<&'s Identity>,
        channel: &'s Channel,
        name: &str,
    ) -> Self {
        let topic = channel
            .topic
            .iter()
            .map(|(text, set)| (*set, Stated::Topic(text.clone())));
        let purpose = channel
            .purpose
            .iter()
            .map(|(text, set)| (*set, Stated::Purpose(text.clone())));
        let mut stated: Vec<_> = topic.chain(purpose).collect();
        // Latest first: they are taken from the end.
        stated.sort_by_key(|(set, _)| std::cmp::Reverse(*set));
        let mut story = Self {
            library,
            settings,
            own,
            channel,
            now: Duration::ZERO,
            begun: false,
            renamed: false,
            first_name: None,
            name: name.to_owned(),
            topic: String::new(),
            purpose: String::new(),
            stated,
            watch: None,
            due: None,
            read: false,
            history: VecDeque::with_capacity(PAGE),
            looks: Vec::new(),
        };
        if let Some(created) = channel.created {
            story.begin(created);
        }
        story
    }

    /// Tells a message.
    pub(super) fn message(&mut self, raw: &[u8]) -> Result<(), Broken> {
        let Ok(head) = serde_json::from_slice::<Head<'_>>(raw) else {
            // An odd field is no reason to lose a message; whatever is JSON is told.
            let value: Value = parse(raw)?;
            return self.tell_value(&value, raw);
        };
        let Some(at) = stamp(&head.ts) else {
            return Err(no_time());
        };
        let in_thread = head
            .thread_ts
            .as_ref()
            .is_some_and(|thread| *thread != head.ts)
            && head.subtype.as_deref() != Some("thread_broadcast");
        let is_notice = head.subtype.as_deref().is_some_and(|subtype| {
            ["channel_", "group_"]
                .iter()
                .any(|kind| subtype.starts_with(kind))
        });
        self.reach(at);
        if !is_notice && !self.is_open() {
            // Most messages of an export: nobody watches.
            self.remember(raw, in_thread);
            return Ok(());
        }
        let value = parse(raw)?;
        self.happen(&value, at);
        self.remember(raw, in_thread);
        Ok(())
    }

    fn tell_value(&mut self, value: &Value, raw: &[u8]) -> Result<(), Broken> {
        let text = |key| value.get(key).and_then(Value::as_str);
        let Some(at) = text("ts").and_then(stamp) else {
            return Err(no_time());
        };
        self.reach(at);
        self.happen(value, at);
        self.remember(
            raw,
            text("thread_ts").is_some_and(|thread| Some(thread) != text("ts")),
        );
        Ok(())
    }

    /// Returns the name that the channel had first, when the story has to be told anew with it.
    pub(super) fn first_name(&self) -> Option<&str> {
        self.first_name.as_deref()
    }

    /// Ends the story and returns what the bot did in it.
    pub(super) fn finish(mut self) -> Vec<Look> {
        self.advance(Duration::MAX);
        self.looks
    }

    fn is_open(&self) -> bool {
        self.watch
            .as_ref()
            .is_some_and(|watch| watch.is_open(self.now))
    }

    /// Lets time pass until a message, with which the story begins if it has not yet.
    fn reach(&mut self, at: Duration) {
        if !self.begun {
            self.begin(at);
        }
        self.advance(at);
        self.now = self.now.max(at);
    }

    fn begin(&mut self, at: Duration) {
        self.begun = true;
        self.now = at;
        self.named(&self.name.clone(), at);
    }

    /// Does all that is due until a time.
    fn advance(&mut self, until: Duration) {
        loop {
            let stated = self.stated.last().map(|(set, _)| *set);
            match (self.due, stated) {
                (Some(due), _) if due <= until && stated.is_none_or(|set| due <= set) => {
                    self.now = self.now.max(due);
                    self.due = None;
                    self.look(due);
                }
                (_, Some(set)) if set <= until => {
                    self.now = self.now.max(set);
                    match self.stated.pop() {
                        Some((_, Stated::Topic(text))) => self.topic = text,
                        Some((_, Stated::Purpose(text))) => self.purpose = text,
                        None => {}
                    }
                    self.ask(set);
                }
                _ => return,
            }
        }
    }

    /// Does with a message what the worker does with its event.
    fn happen(&mut self, value: &Value, at: Duration) {
        let text = |key| value.get(key).and_then(Value::as_str).unwrap_or_default();
        if matches!(text("subtype"), "channel_archive" | "group_archive") {
            if let Some(watch) = &mut self.watch {
                watch.end(Phase::Off);
            }
            return;
        }
        match Event::from_history(value) {
            Some(Event::Named { name }) => {
                let before = text("old_name");
                let is_first = !std::mem::replace(&mut self.renamed, true);
                if is_first && !before.is_empty() && before != self.name {
                    self.first_name = Some(before.to_owned());
                    return;
                }
                if !name.is_empty() {
                    self.named(&name, at);
                }
            }
            Some(Event::Described) => {
                match text("subtype") {
                    "channel_topic" | "group_topic" => text("topic").clone_into(&mut self.topic),
                    _ => text("purpose").clone_into(&mut self.purpose),
                }
                self.ask(at);
            }
            Some(Event::Message(post)) => {
                if !self.is_own_or_mention(&post)
                    && let Some(watch) = self.watch.as_mut().filter(|watch| watch.is_open(at))
                    && watch.add(post)
                {
                    self.ask(at);
                }
            }
            _ => {}
        }
    }

    fn named(&mut self, name: &str, at: Duration) {
        name.clone_into(&mut self.name);
        let is_incident = pattern::incident_words(&self.settings.patterns, name).is_some();
        match &mut self.watch {
            Some(watch) if !is_incident => watch.end(Phase::Off),
            Some(watch) => {
                watch.start_anew(at);
            }
            None if is_incident => self.watch = Some(Watch::new(at)),
            None => {}
        }
        if is_incident {
            self.ask(at);
        }
    }

    fn ask(&mut self, at: Duration) {
        if self.watch.as_mut().is_some_and(|watch| watch.ask(at)) {
            self.due = Some(at + self.settings.debounce);
        }
    }

    fn is_own_or_mention(&self, post: &Post) -> bool {
        self.own.is_some_and(|own| {
            own.wrote(post.user.as_ref(), post.bot.as_ref())
                || post.text.contains(&format!("<@{}>", own.user))
        })
    }

    /// Looks at the channel, as [`crate::worker`] does when a look is due.
    fn look(&mut self, at: Duration) {
        let Some(watch) = &mut self.watch else {
            return;
        };
        watch.begin();
        let Some(words) = pattern::incident_words(&self.settings.patterns, &self.name)
            .filter(|_| watch.is_open(at))
        else {
            return;
        };
        let allowed = self
            .settings
            .allowed_channels
            .contains(&self.channel.id.as_str().into());
        if self.channel.shared && !allowed {
            watch.end(Phase::Off);
            self.looks.push(Look::early(at, Silence::Shared));
            return;
        }
        if !std::mem::replace(&mut self.read, true) {
            let marker = Marker {
                kind: Marker::SUGGESTION,
                about: self.channel.id.clone(),
            };
            let newest_first = self.history.iter().rev();
            for message in newest_first.filter_map(|raw| serde_json::from_slice::<Value>(raw).ok())
            {
                if marker.is_on(&message) {
                    watch.end(Phase::Closed);
                    self.looks.push(Look::early(at, Silence::SuggestedBefore));
                    return;
                }
                if let Some(post) = Post::from_history(&message) {
                    watch.add(post);
                }
            }
            self.history = VecDeque::new();
        }
        let posts = watch.posts();
        let others: Vec<&str> = posts
            .iter()
            .filter(|post| {
                self.own
                    .is_none_or(|own| !own.wrote(post.user.as_ref(), post.bot.as_ref()))
            })
            .map(|post| post.text.as_str())
            .collect();
        let messages = others.len();
        let text = decide::evidence(&words, &self.topic, &self.purpose, others);
        let tongue = Tongue {
            locale: None,
            default: self.settings.lang,
        };
        let judgement = decide::judge(self.library, &text, messages, tongue, Sure::Normal);
        let step = judgement.step(self.library, watch.said(), false);
        match &step {
            Step::Suggest(_, said) | Step::Edit(_, said) => watch.suggested(said.clone()),
            // Nothing changes: people see and hear nothing of it.
            Step::Silence if watch.said().is_some() => return,
            Step::Silence => {}
        }
        self.looks.push(Look::new(
            self.library,
            at,
            messages,
            (&judgement, step),
            self.settings.lang,
        ));
    }

    /// Keeps a message for the first look.
    fn remember(&mut self, raw: &[u8], in_thread: bool) {
        if self.read || in_thread {
            return;
        }
        if self.history.len() == PAGE {
            self.history.pop_front();
        }
        self.history.push_back(raw.to_vec());
    }
}

fn parse(raw: &[u8]) -> Result<Value, Broken> {
    let parsed = match std::str::from_utf8(raw) {
        Ok(text) => serde_json::from_str(text),
        // A broken letter is no reason to lose a message.
        Err(_) => serde_json::from_str(&String::from_utf8_lossy(raw)),
    };
    parsed.map_err(|error| {
        // What ends with a line is counted to the next one.
        let line = error.line() - usize::from(error.column() == 0);
        Broken {
            line: line.max(1) as u64,
            problem: plain(&error),
        }
    })
}

fn no_time() -> Broken {
    Broken {
        line: 1,
        problem: "a message has no time (`ts`)".to_owned(),
    }
}
