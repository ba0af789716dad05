//! An incident channel under watch: until when a suggestion may come or change, and what counts of what is said in it.
//! Pure, with time as an argument.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{gather::TEXT_LIMIT_BYTES, inbound::Post};

/// How long after its (re)naming a channel may still get a suggestion, or another look of it; later it would come too late
/// to help.
pub const WINDOW: Duration = Duration::from_mins(30);

/// How often a suggestion may change: a message that never stands still is not read.
pub const EDITS: u32 = 4;

/// How many messages of a channel are taken into account.
const MESSAGES: usize = 20;

/// How much of their text, in bytes: no more is looked up at once.
const TEXT_BYTES: usize = TEXT_LIMIT_BYTES;

/// How far a channel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A suggestion may still come.
    Watching,
    /// It was made. It may change while it is of use; another never comes.
    Suggested,
    /// It was made and stays as it is.
    Closed,
    /// There is nothing to do here: renamed, shared, gone, or not to be read.
    Off,
}

/// What a suggestion says, as far as that decides whether a later look says more.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// The cases, best first.
    pub cases: Vec<String>,
    /// What was understood: vocabulary terms, never somebody's text.
    pub terms: Vec<String>,
    /// How sure it was, between 0 and 1.
    pub confidence: f32,
    /// How often it was changed.
    pub edits: u32,
    /// The message in whose thread it stands; `None` when it stands in the channel.
    #[serde(default)]
    pub thread: Option<String>,
}

/// An incident channel under watch. Times count from any moment, the same for all calls.
#[derive(Debug)]
pub struct Watch {
    since: Duration,
    phase: Phase,
    /// Whether a look at the channel is due and waits for its turn.
    due: bool,
    posts: Vec<Post>,
    said: Option<Said>,
}

impl Watch {
    /// Begins to watch a channel.
    pub const fn new(now: Duration) -> Self {
        Self {
            since: now,
            phase: Phase::Watching,
            due: false,
            posts: Vec::new(),
            said: None,
        }
    }

    /// Returns a watch that began then and has these messages.
    pub const fn resumed(since: Duration, posts: Vec<Post>) -> Self {
        Self {
            since,
            phase: Phase::Watching,
            due: false,
            posts,
            said: None,
        }
    }

    /// Begins anew after another name, unless the channel had its suggestion; returns whether it did.
    pub fn start_anew(&mut self, now: Duration) -> bool {
        let may = !self.has_spoken();
        if may {
            self.phase = Phase::Watching;
            self.since = now;
        }
        may
    }

    /// Returns how far the channel is.
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns whether a suggestion may still come or change.
    pub fn is_open(&self, now: Duration) -> bool {
        matches!(self.phase, Phase::Watching | Phase::Suggested) && !self.is_over(now)
    }

    const fn has_spoken(&self) -> bool {
        matches!(self.phase, Phase::Suggested | Phase::Closed)
    }

    /// Returns what the suggestion says; `None` while there is none.
    pub const fn said(&self) -> Option<&Said> {
        self.said.as_ref()
    }

    /// The suggestion was made, or changed.
    pub fn suggested(&mut self, said: Said) {
        self.phase = Phase::Suggested;
        if said.edits >= EDITS {
            self.end(Phase::Closed);
        }
        self.said = Some(said);
    }

    /// Returns whether the time for a suggestion is over.
    pub fn is_over(&self, now: Duration) -> bool {
        now >= self.end_of_window()
    }

    /// Returns when the time for a suggestion is over.
    pub fn end_of_window(&self) -> Duration {
        self.since + WINDOW
    }

    /// Asks for a look at the channel; `true` when the caller has to arrange it, `false` when one is due already or no
    /// suggestion may come.
    pub fn ask(&mut self, now: Duration) -> bool {
        self.is_open(now) && !std::mem::replace(&mut self.due, true)
    }

    /// Takes the look that is due.
    pub const fn begin(&mut self) {
        self.due = false;
    }

    /// Adds a message, cut to the room that is left; returns whether it says anything new.
    pub fn add(&mut self, post: Post) -> bool {
        let known = self.posts.iter().any(|other| other.ts == post.ts);
        let used: usize = self.posts.iter().map(|post| post.text.len()).sum();
        let room = post
            .text
            .floor_char_boundary(TEXT_BYTES.saturating_sub(used));
        if known || self.posts.len() >= MESSAGES || room == 0 {
            return false;
        }
        // A text of its own: the one that was gathered may hold more room than it uses.
        let text = post.text[..room].to_owned();
        self.posts.push(Post { text, ..post });
        true
    }

    /// Returns the message that was added last, as it is kept.
    pub fn newest(&self) -> Option<&Post> {
        self.posts.last()
    }

    /// Forgets what people wrote.
    pub fn forget_all(&mut self) {
        self.posts = Vec::new();
    }

    /// Returns the messages noted so far, oldest first.
    pub fn posts(&self) -> Vec<Post> {
        let mut posts = self.posts.clone();
        posts.sort_by(|a, b| a.ts.0.cmp(&b.ts.0));
        posts
    }

    /// Ends the watch. A channel that had its suggestion never begins anew.
    pub fn end(&mut self, phase: Phase) {
        self.phase = if self.has_spoken() {
            Phase::Closed
        } else {
            phase
        };
        self.forget_all();
    }
}
