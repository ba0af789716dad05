//! How often one person may ask, whichever way: enough for anybody who reads the answers.

use std::{
    collections::hash_map::RandomState,
    hash::BuildHasher,
    num::NonZeroU32,
    sync::atomic::{AtomicU32, Ordering},
};

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::slack::{UserId, inbound::Place};

/// Questions a minute over some time, and at once.
const PER_MINUTE: NonZeroU32 = NonZeroU32::new(30).expect("it is not zero");
const AT_ONCE: NonZeroU32 = NonZeroU32::new(20).expect("it is not zero");

/// How often a minute somebody is told so where it takes a message of its own.
const TOLD: NonZeroU32 = NonZeroU32::new(1).expect("it is not zero");

/// After so many questions those who have not asked lately are forgotten.
const SWEEP: u32 = 4096;

/// Most people that are told apart. Beyond it, new ones share one allowance, so that memory stays bounded.
const MOST_ASKERS: usize = 100_000;

/// Counts each person's questions. People are known by a hash: of their ids nothing is kept, however long they are.
pub struct AskerLimit {
    askers: DefaultKeyedRateLimiter<u64>,
    told: DefaultKeyedRateLimiter<u64>,
    asked: AtomicU32,
    hasher: RandomState,
}

impl Default for AskerLimit {
    fn default() -> Self {
        Self {
            askers: RateLimiter::keyed(Quota::per_minute(PER_MINUTE).allow_burst(AT_ONCE)),
            told: RateLimiter::keyed(Quota::per_minute(TOLD)),
            asked: AtomicU32::new(0),
            hasher: RandomState::new(),
        }
    }
}

impl AskerLimit {
    /// Counts a question; `false` when it is one too many.
    pub(super) fn admits(&self, place: &Place, user: &UserId) -> bool {
        if self.asked.fetch_add(1, Ordering::Relaxed) % SWEEP == SWEEP - 1 {
            self.askers.retain_recent();
            self.told.retain_recent();
        }
        self.count(&self.askers, place, user)
    }

    /// Returns whether somebody who asked too often was not told so lately.
    pub(super) fn is_news(&self, place: &Place, user: &UserId) -> bool {
        self.count(&self.told, place, user)
    }

    fn count(&self, limiter: &DefaultKeyedRateLimiter<u64>, place: &Place, user: &UserId) -> bool {
        let crowded = limiter.len() >= MOST_ASKERS;
        let person = self.hasher.hash_one((&place.team, &user.0));
        let key = if crowded { 0 } else { person };
        limiter.check_key(&key).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(team: &str) -> Place {
        Place {
            team: team.to_owned(),
            channel: "C1".into(),
        }
    }

    #[test]
    fn each_person_of_each_workspace_has_an_allowance() {
        let limit = AskerLimit::default();
        let (here, there) = (place("T1"), place("T2"));
        let asked = |place: &Place, user: &str| limit.admits(place, &user.into());
        assert!((0..AT_ONCE.get()).all(|_| asked(&here, "U1")));
        assert!(!asked(&here, "U1"));
        assert!(asked(&here, "U2") && asked(&there, "U1"));
        assert!(limit.is_news(&here, &"U1".into()));
        assert!(!limit.is_news(&here, &"U1".into()));
    }

    #[test]
    fn a_crowd_shares_what_is_left() {
        let limit = AskerLimit::default();
        let here = place("T1");
        let asked = |at: usize| limit.admits(&here, &format!("U{at}").as_str().into());
        assert!((0..MOST_ASKERS).all(asked));
        let more = (MOST_ASKERS..MOST_ASKERS + 1000)
            .filter(|at| asked(*at))
            .count();
        assert!(more < 1000, "{more}");
        assert!(limit.askers.len() <= MOST_ASKERS + 1);
    }
}
