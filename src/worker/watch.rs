//! Incident channels under watch: what was said in them so far, and whether the one suggestion was made.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::Mutex as AsyncMutex;

use crate::slack::inbound::{Place, Post};

/// How long after its (re)naming a channel may still get a suggestion; later it would come too late to help.
const WINDOW: Duration = Duration::from_mins(30);

/// How many messages of a channel are taken into account.
const MESSAGES: usize = 20;

/// How many channels are kept; beyond it those whose window is over are forgotten.
const CHANNELS: usize = 10_000;

/// All channels under watch.
#[derive(Default)]
pub(super) struct Watches(Mutex<HashMap<Place, Watch>>);

struct Watch {
    since: Instant,
    phase: Phase,
    /// Whether a look at the channel is due and waits for its turn.
    due: bool,
    /// Whether the channel's history was read into `posts`.
    read: bool,
    posts: Vec<Post>,
    /// One look at a time.
    turn: Arc<AsyncMutex<()>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// A suggestion may still come.
    Watching,
    /// It was made; never again.
    Suggested,
    /// There is nothing to do here: renamed, shared, gone, or not to be read.
    Off,
}

impl Watches {
    /// Begins to watch a channel, or begins anew after another name, unless it had its suggestion.
    pub(super) fn start(&self, place: &Place) {
        let mut watches = self.lock();
        let full = watches.len() >= CHANNELS;
        watches.retain(|_, watch| {
            let over = watch.since.elapsed() >= WINDOW;
            if over {
                watch.posts = Vec::new();
            }
            !(full && over)
        });
        if watches.len() >= CHANNELS {
            return;
        }
        let watch = watches.entry(place.clone()).or_insert_with(|| Watch {
            since: Instant::now(),
            phase: Phase::Watching,
            due: false,
            read: false,
            posts: Vec::new(),
            turn: Arc::default(),
        });
        if watch.phase != Phase::Suggested {
            watch.phase = Phase::Watching;
            watch.since = Instant::now();
        }
    }

    /// Returns whether a suggestion may still come.
    pub(super) fn is_open(&self, place: &Place) -> bool {
        self.lock().get(place).is_some_and(Watch::is_open)
    }

    /// Asks for a look at the channel; `true` when the caller has to arrange it, `false` when one is due already or the
    /// channel is not watched.
    pub(super) fn ask(&self, place: &Place) -> bool {
        let mut watches = self.lock();
        let Some(watch) = watches.get_mut(place).filter(|watch| watch.is_open()) else {
            return false;
        };
        !std::mem::replace(&mut watch.due, true)
    }

    /// Notes a message; returns whether it counts.
    pub(super) fn note(&self, place: &Place, post: Post) -> bool {
        let mut watches = self.lock();
        let watch = watches.get_mut(place).filter(|watch| watch.is_open());
        watch.is_some_and(|watch| watch.add(post))
    }

    /// Takes the look that is due. Hold the turn's lock while looking.
    pub(super) fn begin(&self, place: &Place) -> Option<Arc<AsyncMutex<()>>> {
        let mut watches = self.lock();
        let watch = watches.get_mut(place)?;
        watch.due = false;
        Some(Arc::clone(&watch.turn))
    }

    /// Returns whether the channel's history still has to be read.
    pub(super) fn is_unread(&self, place: &Place) -> bool {
        self.lock().get(place).is_some_and(|watch| !watch.read)
    }

    /// Adds what stood in the channel before it was watched.
    pub(super) fn add_history(&self, place: &Place, posts: impl IntoIterator<Item = Post>) {
        if let Some(watch) = self.lock().get_mut(place) {
            watch.read = true;
            for post in posts {
                watch.add(post);
            }
        }
    }

    /// Returns the messages noted so far, oldest first.
    pub(super) fn posts(&self, place: &Place) -> Vec<Post> {
        let watches = self.lock();
        let mut posts = watches
            .get(place)
            .map(|watch| watch.posts.clone())
            .unwrap_or_default();
        posts.sort_by(|a, b| a.ts.0.cmp(&b.ts.0));
        posts
    }

    /// Ends a watch.
    pub(super) fn end(&self, place: &Place, phase: Phase) {
        if let Some(watch) = self.lock().get_mut(place)
            && watch.phase != Phase::Suggested
        {
            watch.phase = phase;
            watch.posts = Vec::new();
        }
    }

    /// Follows a channel to its new id.
    pub(super) fn rename(&self, from: &Place, to: Place) {
        let mut watches = self.lock();
        if let Some(watch) = watches.remove(from) {
            watches.insert(to, watch);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Place, Watch>> {
        // Every change is a single step, so what a panicking thread left is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch {
    fn is_open(&self) -> bool {
        self.phase == Phase::Watching && self.since.elapsed() < WINDOW
    }

    fn add(&mut self, post: Post) -> bool {
        let known = self.posts.iter().any(|other| other.ts == post.ts);
        if known || self.posts.len() >= MESSAGES {
            return false;
        }
        self.posts.push(post);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(channel: &str) -> Place {
        Place {
            team: "T1".to_owned(),
            channel: channel.into(),
        }
    }

    fn post(ts: &str) -> Post {
        Post {
            ts: ts.into(),
            thread: None,
            user: Some("U1".into()),
            bot: None,
            foreign: false,
            text: format!("text {ts}"),
        }
    }

    #[test]
    fn one_look_is_due_at_a_time() {
        let (watches, place) = (Watches::default(), place("C1"));
        assert!(!watches.ask(&place), "not watched");
        watches.start(&place);
        assert!(watches.ask(&place));
        assert!(!watches.ask(&place), "already due");
        assert!(watches.begin(&place).is_some());
        assert!(watches.ask(&place), "due again");
    }

    #[test]
    fn a_suggestion_is_made_once_whatever_happens_to_the_name() {
        let (watches, old, new) = (Watches::default(), place("C1"), place("C2"));
        watches.start(&old);
        watches.end(&old, Phase::Off);
        assert!(!watches.is_open(&old));
        watches.start(&old);
        assert!(watches.is_open(&old), "renamed back");
        watches.end(&old, Phase::Suggested);
        watches.end(&old, Phase::Off);
        watches.start(&old);
        assert!(!watches.is_open(&old));
        watches.rename(&old, new.clone());
        watches.start(&new);
        assert!(!watches.is_open(&new));
    }

    #[test]
    fn messages_count_once_in_order_and_up_to_a_limit() {
        let (watches, place) = (Watches::default(), place("C1"));
        watches.start(&place);
        assert!(watches.note(&place, post("1700000002.000000")));
        watches.add_history(
            &place,
            [post("1700000001.000000"), post("1700000002.000000")],
        );
        let order: Vec<String> = watches
            .posts(&place)
            .into_iter()
            .map(|post| post.ts.0)
            .collect();
        assert_eq!(order, ["1700000001.000000", "1700000002.000000"]);
        for second in 0..100 {
            watches.note(&place, post(&format!("17000001{second:02}.000000")));
        }
        assert_eq!(watches.posts(&place).len(), MESSAGES);
    }
}
