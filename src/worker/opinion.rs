//! What the people of a workspace said about precedents, as the library heeds it: read now and then, not for each question.

use std::{sync::Arc, time::Duration};

use moka::future::Cache;

use super::{Shared, clock};
use crate::{
    library::Opinions,
    store::{Moment, Verdict},
};

/// After how long a verdict counts half: what was not alike then may be now, and people and systems change.
const HALF_LIFE: Duration = Duration::from_hours(60 * 24);

/// Most verdicts of a workspace that count, newest first.
const MOST: u32 = 20_000;

/// How long they are taken for granted; those given here count at once.
const LIFETIME: Duration = Duration::from_secs(30);

/// For how many workspaces.
const WORKSPACES: u64 = 1000;

/// What was read, by workspace.
pub(super) struct Read(Cache<String, Arc<Opinions>>);

impl Read {
    pub(super) fn new() -> Self {
        let read = Cache::builder()
            .max_capacity(WORKSPACES)
            .time_to_live(LIFETIME)
            .build();
        Self(read)
    }

    /// Something was said.
    pub(super) async fn forget(&self, team: &str) {
        self.0.invalidate(team).await;
    }
}

impl Shared {
    /// Returns what a workspace said; nothing when it cannot be read.
    pub(super) async fn opinions(&self, team: &str) -> Arc<Opinions> {
        if let Some(opinions) = self.read_opinions.0.get(team).await {
            return opinions;
        }
        let verdicts = match self.store.verdicts(team, MOST).await {
            Ok(verdicts) => verdicts,
            Err(error) => {
                self.store_failed(&error);
                return Arc::default();
            }
        };
        let now = clock::now();
        let mut opinions = Opinions::default();
        for (about, case, verdict, at) in verdicts {
            if let Ok(case) = case.parse() {
                opinions.add(&about, case, weight(verdict, at, now));
            }
        }
        let opinions = Arc::new(opinions);
        let shared = Arc::clone(&opinions);
        self.read_opinions.0.insert(team.to_owned(), shared).await;
        opinions
    }
}

/// Returns how much a verdict counts now.
fn weight(verdict: Verdict, at: Moment, now: Moment) -> f32 {
    let age = now.since(at).as_secs_f32() / HALF_LIFE.as_secs_f32();
    match verdict {
        Verdict::Helpful => 0.5_f32.powf(age),
        Verdict::NotThis => -0.5_f32.powf(age),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_fade() {
        let now = Moment(0).after(HALF_LIFE * 4);
        let (fresh, old) = (now, Moment(0).after(HALF_LIFE * 3));
        assert!((weight(Verdict::Helpful, fresh, now) - 1.0).abs() < 1e-6);
        assert!((weight(Verdict::NotThis, old, now) + 0.5).abs() < 1e-6);
        assert!((weight(Verdict::Helpful, Moment(0), now) - 0.0625).abs() < 1e-6);
    }
}
