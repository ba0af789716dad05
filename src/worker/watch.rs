//! Incident channels under watch: what was said in them so far, and whether the one suggestion was made.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use tokio::{sync::Mutex as AsyncMutex, time::Instant};

use super::decide::{Phase, Watch};
use crate::slack::{
    Ts,
    inbound::{Place, Post},
};

/// How many channels are kept; beyond it those whose window is over are forgotten.
const CHANNELS: usize = 10_000;

/// All channels under watch.
#[derive(Default)]
pub(super) struct Watches(Arc<Mutex<State>>);

struct State {
    watches: HashMap<Place, Entry>,
    /// Whether a task runs that drops messages when their time is over.
    swept: bool,
    /// Where times of watches count from.
    epoch: Instant,
}

impl Default for State {
    fn default() -> Self {
        Self {
            watches: HashMap::new(),
            swept: false,
            epoch: Instant::now(),
        }
    }
}

struct Entry {
    watch: Watch,
    /// Whether the channel's history was read into the watch.
    read: bool,
    /// One look at a time.
    turn: Arc<AsyncMutex<()>>,
}

impl Watches {
    /// Begins to watch a channel, or begins anew after another name, unless it had its suggestion. Needs a runtime.
    pub(super) fn start(&self, place: &Place) {
        let mut state = self.lock();
        let now = state.epoch.elapsed();
        let State { watches, swept, .. } = &mut *state;
        if !watches.contains_key(place) && watches.len() >= CHANNELS {
            watches.retain(|_, entry| !entry.watch.is_over(now));
            if watches.len() >= CHANNELS {
                return;
            }
        }
        let entry = watches.entry(place.clone()).or_insert_with(|| Entry {
            watch: Watch::new(now),
            read: false,
            turn: Arc::default(),
        });
        if entry.watch.start_anew(now) && !std::mem::replace(swept, true) {
            tokio::spawn(sweep(Arc::downgrade(&self.0)));
        }
    }

    /// Returns whether a suggestion may still come.
    pub(super) fn is_open(&self, place: &Place) -> bool {
        self.with_open(place, |_| ()).is_some()
    }

    /// Asks for a look at the channel; `true` when the caller has to arrange it, `false` when one is due already or the
    /// channel is not watched.
    pub(super) fn ask(&self, place: &Place) -> bool {
        let mut state = self.lock();
        let now = state.epoch.elapsed();
        let entry = state.watches.get_mut(place);
        entry.is_some_and(|entry| entry.watch.ask(now))
    }

    /// Notes a message; returns whether it counts.
    pub(super) fn note(&self, place: &Place, post: Post) -> bool {
        self.with_open(place, |watch| watch.add(post)) == Some(true)
    }

    /// Forgets a message, so that it counts when it comes again.
    pub(super) fn forget(&self, place: &Place, ts: &Ts) {
        if let Some(entry) = self.lock().watches.get_mut(place) {
            entry.watch.forget(ts);
        }
    }

    /// Takes the look that is due. Hold the turn's lock while looking.
    pub(super) fn begin(&self, place: &Place) -> Option<Arc<AsyncMutex<()>>> {
        let watches = &mut self.lock().watches;
        let entry = watches.get_mut(place)?;
        entry.watch.begin();
        Some(Arc::clone(&entry.turn))
    }

    /// Returns whether the channel's history still has to be read.
    pub(super) fn is_unread(&self, place: &Place) -> bool {
        self.lock()
            .watches
            .get(place)
            .is_some_and(|entry| !entry.read)
    }

    /// Says that the channel's history was read.
    pub(super) fn read(&self, place: &Place) {
        self.set_read(place, true);
    }

    /// Says that the channel's history has to be read again.
    pub(super) fn unread(&self, place: &Place) {
        self.set_read(place, false);
    }

    fn set_read(&self, place: &Place, read: bool) {
        if let Some(entry) = self.lock().watches.get_mut(place) {
            entry.read = read;
        }
    }

    /// Adds what stood in the channel before it was watched.
    pub(super) fn add_history(&self, place: &Place, posts: impl IntoIterator<Item = Post>) {
        self.with_open(place, |watch| {
            for post in posts {
                watch.add(post);
            }
        });
    }

    /// Returns the messages noted so far, oldest first.
    pub(super) fn posts(&self, place: &Place) -> Vec<Post> {
        let state = self.lock();
        let entry = state.watches.get(place);
        entry.map(|entry| entry.watch.posts()).unwrap_or_default()
    }

    /// Ends a watch.
    pub(super) fn end(&self, place: &Place, phase: Phase) {
        if let Some(entry) = self.lock().watches.get_mut(place) {
            entry.watch.end(phase);
        }
    }

    /// Follows a channel to its new id. A look that was due is not: it would look at the old place.
    pub(super) fn rename(&self, from: &Place, to: Place) {
        let watches = &mut self.lock().watches;
        if let Some(mut entry) = watches.remove(from) {
            entry.watch.begin();
            watches.insert(to, entry);
        }
    }

    fn with_open<T>(&self, place: &Place, work: impl FnOnce(&mut Watch) -> T) -> Option<T> {
        let mut state = self.lock();
        let now = state.epoch.elapsed();
        let watch = &mut state.watches.get_mut(place)?.watch;
        watch.is_open(now).then(|| work(watch))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    // Every change is a single step, so what a panicking thread left is whole.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Drops what people wrote as soon as the window is over; ends when nothing more is kept.
async fn sweep(state: Weak<Mutex<State>>) {
    while let Some(next) = state.upgrade().and_then(|state| lock(&state).sweep()) {
        tokio::time::sleep_until(next).await;
    }
}

impl State {
    /// Drops the messages of watches that are over. Returns when the next one will be.
    fn sweep(&mut self) -> Option<Instant> {
        let now = self.epoch.elapsed();
        let mut next = None;
        for Entry { watch, .. } in self.watches.values_mut() {
            if watch.is_over(now) {
                watch.forget_all();
            } else if watch.phase() == Phase::Watching {
                let end = self.epoch + watch.end_of_window();
                next = Some(next.map_or(end, |next: Instant| next.min(end)));
            }
        }
        self.swept = next.is_some();
        next
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{slack::gather::TEXT_LIMIT_BYTES, worker::decide::WINDOW};

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

    #[tokio::test(start_paused = true)]
    async fn one_look_is_due_at_a_time() {
        let (watches, place) = (Watches::default(), place("C1"));
        assert!(!watches.ask(&place), "not watched");
        watches.start(&place);
        assert!(watches.ask(&place));
        assert!(!watches.ask(&place), "already due");
        assert!(watches.begin(&place).is_some());
        assert!(watches.ask(&place), "due again");
    }

    #[tokio::test(start_paused = true)]
    async fn a_suggestion_is_made_once_whatever_happens_to_the_name() {
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

    #[tokio::test(start_paused = true)]
    async fn messages_count_once_in_order_and_up_to_a_limit() {
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
        assert_eq!(watches.posts(&place).len(), 20);
    }

    #[tokio::test(start_paused = true)]
    async fn a_moved_channel_can_be_looked_at_again() {
        let (watches, old, new) = (Watches::default(), place("C1"), place("C2"));
        watches.start(&old);
        assert!(watches.ask(&old));
        watches.rename(&old, new.clone());
        assert!(watches.begin(&old).is_none(), "nothing is at the old place");
        assert!(watches.ask(&new));
    }

    #[tokio::test(start_paused = true)]
    async fn what_people_wrote_is_dropped_when_the_window_is_over() {
        let (watches, first, second) = (Watches::default(), place("C1"), place("C2"));
        watches.start(&first);
        assert!(watches.note(&first, post("1700000001.000000")));
        tokio::time::sleep_until(Instant::now() + WINDOW / 2).await;
        watches.start(&second);
        assert!(watches.note(&second, post("1700000001.000000")));
        let kept = |place| watches.posts(place).len();
        tokio::time::sleep_until(Instant::now() + WINDOW / 2 + Duration::from_secs(1)).await;
        assert_eq!((kept(&first), kept(&second)), (0, 1));
        tokio::time::sleep_until(Instant::now() + WINDOW / 2).await;
        assert_eq!((kept(&first), kept(&second)), (0, 0));
        assert!(!watches.lock().swept);
        // A late history is not kept either, and another name begins anew.
        watches.add_history(&first, [post("1700000001.000000")]);
        assert_eq!(kept(&first), 0);
        watches.start(&first);
        watches.add_history(&first, [post("1700000001.000000")]);
        tokio::time::sleep_until(Instant::now() + WINDOW + Duration::from_secs(1)).await;
        assert_eq!(kept(&first), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn one_channel_holds_a_bounded_text() {
        let (watches, place) = (Watches::default(), place("C1"));
        watches.start(&place);
        for at in 0..7 {
            let post = Post {
                text: "가".repeat(600),
                ..post(&format!("170000000{at}.000000"))
            };
            assert_eq!(watches.note(&place, post), at < 5, "{at}");
        }
        let posts = watches.posts(&place);
        let bytes: usize = posts.iter().map(|post| post.text.capacity()).sum();
        assert!(
            (TEXT_LIMIT_BYTES - 2..=TEXT_LIMIT_BYTES).contains(&bytes),
            "{bytes}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_known_channel_begins_anew_however_many_there_are() {
        let watches = Watches::default();
        for at in 0..=CHANNELS {
            watches.start(&place(&format!("C{at}")));
        }
        let (known, unknown) = (place("C7"), place(&format!("C{CHANNELS}")));
        assert!(!watches.is_open(&unknown), "there is no room");
        watches.end(&known, Phase::Off);
        watches.start(&known);
        assert!(watches.is_open(&known));
    }

    #[tokio::test(start_paused = true)]
    async fn a_forgotten_message_counts_again() {
        let (watches, place) = (Watches::default(), place("C1"));
        watches.start(&place);
        assert!(watches.note(&place, post("1700000001.000000")));
        assert!(!watches.note(&place, post("1700000001.000000")));
        watches.forget(&place, &"1700000001.000000".into());
        assert!(watches.note(&place, post("1700000001.000000")));
    }
}
