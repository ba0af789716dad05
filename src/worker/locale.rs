//! People's languages as they set them in Slack: learnt one by one, kept for a while, never worth a long wait.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use moka::future::Cache;
use tokio::sync::Semaphore;
use tracing::debug;

use crate::{
    corpus::Lang,
    slack::{
        UserId,
        client::{Client, Person},
    },
};

/// How long somebody's language is remembered.
const LIFETIME: Duration = Duration::from_hours(12);

/// How long it is not asked for again after that failed.
const FAILURE_LIFETIME: Duration = Duration::from_mins(10);

/// For how many people.
const PEOPLE: u64 = 100_000;

/// How long to wait for it, other tries included. Answers follow the question's language as well.
const PATIENCE: Duration = Duration::from_secs(2);

/// How many languages nobody waits for may be due at once; further ones are learnt when those people ask again.
const DUE: usize = 100;

/// How many of these are asked for at once: few, since Slack's answers to people come first.
const TURNS: usize = 2;

/// What is known of people's languages.
pub(super) struct Locales {
    known: Cache<UserId, Option<Lang>>,
    failed: Cache<UserId, ()>,
    due: Arc<Mutex<HashSet<UserId>>>,
    turns: Semaphore,
}

/// Somebody whose language is due to be learnt, by whoever holds this.
pub(super) struct Due {
    user: UserId,
    all: Arc<Mutex<HashSet<UserId>>>,
}

impl Locales {
    pub(super) fn new() -> Self {
        Self {
            known: Cache::builder()
                .max_capacity(PEOPLE)
                .time_to_live(LIFETIME)
                .build(),
            failed: Cache::builder()
                .max_capacity(PEOPLE)
                .time_to_live(FAILURE_LIFETIME)
                .build(),
            due: Arc::default(),
            turns: Semaphore::new(TURNS),
        }
    }

    /// Returns somebody's language as far as it is known: `None` when Slack is to be asked, `Some(None)` when that was
    /// done and gave neither of ours, or is of no use for now.
    pub(super) async fn known(&self, user: &UserId) -> Option<Option<Lang>> {
        if let Some(known) = self.known.get(user).await {
            return Some(known);
        }
        self.failed.contains_key(user).then_some(None)
    }

    /// Takes it on to learn somebody's language; `None` when somebody does already, or too many are due.
    pub(super) fn take(&self, user: &UserId) -> Option<Due> {
        let mut due = lock(&self.due);
        let taken = due.len() < DUE && due.insert(user.clone());
        taken.then(|| Due {
            user: user.clone(),
            all: Arc::clone(&self.due),
        })
    }

    /// Returns how many languages are due.
    pub(super) fn due(&self) -> usize {
        lock(&self.due).len()
    }

    /// Learns a language that nobody waits for, when it is its turn.
    pub(super) async fn learn_later(&self, client: &Client, due: Due) {
        let _turn = self.turns.acquire().await;
        self.learn(client, &due.user).await;
    }

    /// Asks Slack for somebody's language. Reading it needs a scope that is optional, so failing is no failure.
    pub(super) async fn learn(&self, client: &Client, user: &UserId) -> Option<Lang> {
        if client.hides_people() {
            return None;
        }
        match tokio::time::timeout(PATIENCE, client.person(user)).await {
            Ok(Ok(Person { lang, .. })) => {
                self.known.insert(user.clone(), lang).await;
                return lang;
            }
            Ok(Err(error)) => debug!(%error, "cannot learn somebody's language"),
            Err(_) => debug!("learning somebody's language takes too long"),
        }
        self.failed.insert(user.clone(), ()).await;
        None
    }
}

impl Drop for Due {
    fn drop(&mut self) {
        lock(&self.all).remove(&self.user);
    }
}

fn lock(due: &Mutex<HashSet<UserId>>) -> MutexGuard<'_, HashSet<UserId>> {
    // Every change is a single step, so what a panicking thread left is whole.
    due.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_due_once_and_not_for_everybody_at_once() {
        let locales = Locales::new();
        let user = |at: usize| UserId::from(format!("U{at}"));
        let first = locales.take(&user(0)).expect("nobody learns it");
        assert!(locales.take(&user(0)).is_none());
        let others: Vec<Due> = (1..200).filter_map(|at| locales.take(&user(at))).collect();
        assert_eq!((others.len(), locales.due()), (DUE - 1, DUE));
        drop(first);
        assert!(locales.take(&user(0)).is_some());
    }
}
