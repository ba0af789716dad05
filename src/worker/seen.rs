//! What was handled already: Slack delivers events several times, and one message as several events.

use std::{hash::Hash, time::Duration};

use moka::future::Cache;
use tokio::sync::Mutex;

use crate::{
    corpus::CaseId,
    slack::{Ts, inbound::Place},
};

/// How long a claim holds. Slack's last retry comes about six minutes after the event.
const LIFETIME: Duration = Duration::from_mins(15);

/// Most claims that are kept; the oldest go first.
const CAPACITY: u64 = 100_000;

/// Something that must be handled once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// An event, over all its deliveries.
    Event(String),
    /// A mention of the bot, over all events that report it.
    Mention(Place, Ts),
    /// Another bot's mentions in a channel: two bots that answer each other would never stop.
    BotMention(Place),
    /// A workflow's call of our step.
    Step(String),
    /// A case that was shared from a message.
    Share(Place, Ts, CaseId),
}

/// Claims on things to be handled once.
pub(super) struct Seen {
    claims: Cache<Key, ()>,
    /// Held while a claim is looked for and made. (The cache's own `entry(…).or_insert(…)` now and then calls two of many
    /// fresh, when they come at once after a release.)
    one_at_a_time: Mutex<()>,
}

impl Seen {
    pub(super) fn new() -> Self {
        let claims = Cache::builder()
            .time_to_live(LIFETIME)
            .max_capacity(CAPACITY)
            .build();
        Self {
            claims,
            one_at_a_time: Mutex::new(()),
        }
    }

    /// Claims a key; `false` when it is taken. Of several at once exactly one gets it.
    pub(super) async fn claim(&self, key: Key) -> bool {
        let _alone = self.one_at_a_time.lock().await;
        if self.claims.contains_key(&key) {
            return false;
        }
        self.claims.insert(key, ()).await;
        true
    }

    /// Gives a key back, so that another delivery can be handled.
    pub(super) async fn release(&self, key: &Key) {
        self.claims.invalidate(key).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn one_of_many_gets_the_claim_until_it_is_released() {
        let seen = Arc::new(Seen::new());
        let key = || Key::Event("Ev1".to_owned());
        for _ in 0..200 {
            let claims = (0..16).map(|_| {
                let seen = Arc::clone(&seen);
                tokio::spawn(async move { seen.claim(key()).await })
            });
            let claims = futures::future::join_all(claims).await;
            let won = claims.into_iter().filter(|won| matches!(won, Ok(true)));
            assert_eq!(won.count(), 1);
            seen.release(&key()).await;
        }
    }
}
