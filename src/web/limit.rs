//! How often one person may ask, by command, shortcut or form: enough for anybody who reads the answers.

use std::{
    num::NonZeroU32,
    sync::atomic::{AtomicU32, Ordering},
};

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::slack::inbound::Asker;

/// Questions a minute over some time, and at once.
const PER_MINUTE: NonZeroU32 = NonZeroU32::new(30).expect("it is not zero");
const AT_ONCE: NonZeroU32 = NonZeroU32::new(20).expect("it is not zero");

/// After so many questions those who have not asked lately are forgotten.
const SWEEP: u32 = 4096;

/// Longest id of a person or workspace that is kept; Slack's have about a dozen characters.
const ID_LENGTH: usize = 32;

/// Counts each person's questions.
pub struct AskerLimit {
    askers: DefaultKeyedRateLimiter<(String, String)>,
    asked: AtomicU32,
}

impl Default for AskerLimit {
    fn default() -> Self {
        let quota = Quota::per_minute(PER_MINUTE).allow_burst(AT_ONCE);
        Self {
            askers: RateLimiter::keyed(quota),
            asked: AtomicU32::new(0),
        }
    }
}

impl AskerLimit {
    /// Counts a question; `false` when it is one too many.
    pub(super) fn admits(&self, asker: &Asker) -> bool {
        let id = |text: &str| text.chars().take(ID_LENGTH).collect();
        if self.asked.fetch_add(1, Ordering::Relaxed) % SWEEP == SWEEP - 1 {
            self.askers.retain_recent();
        }
        let key = (id(&asker.place.team), id(&asker.user.0));
        self.askers.check_key(&key).is_ok()
    }
}
