//! How many answers are made at once: a crowd of browsers and programs leaves room for what Slack waits for, and what runs
//! never takes all threads from what only has to be acknowledged.

use std::{future::pending, num::NonZero, panic::resume_unwind, sync::Arc, thread};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::{JoinError, JoinHandle, spawn_blocking},
};

/// Most requests of browsers and programs that are open. More are sent away at once, which is kinder than to let them wait
/// longer than anybody does.
const OPEN: usize = 512;

/// The turns to make an answer.
#[derive(Clone)]
pub struct Turns {
    open: Arc<Semaphore>,
    browsing: Arc<Semaphore>,
    asking: Arc<Semaphore>,
}

impl Default for Turns {
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        Self {
            open: Arc::new(Semaphore::new(OPEN)),
            // One core is left to Slack.
            browsing: Arc::new(Semaphore::new((cores - 1).max(1))),
            asking: Arc::new(Semaphore::new(cores)),
        }
    }
}

impl Turns {
    /// Returns the turns of browsers and programs, for those who serve them elsewhere.
    pub fn browsing(&self) -> Arc<Semaphore> {
        Arc::clone(&self.browsing)
    }

    /// Takes a request of a browser or program in; `None` when there are too many.
    pub(super) fn enter(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.open).try_acquire_owned().ok()
    }

    /// Makes an answer for a browser or program, when it is its turn.
    ///
    /// # Errors
    /// When it panicked.
    pub(super) async fn browse<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        let turn = self.browsing().acquire_owned().await;
        // The turn lasts as long as the work, also when nobody waits for it any more.
        spawn_blocking(move || {
            let _turn = turn;
            work()
        })
        .await
    }

    /// Makes an answer that Slack waits for. It goes on when it is no longer waited for.
    pub(super) fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        let asking = Arc::clone(&self.asking);
        tokio::spawn(async move {
            let turn = asking.acquire_owned().await;
            let made = spawn_blocking(move || {
                let _turn = turn;
                work()
            });
            match made.await.map_err(JoinError::try_into_panic) {
                Ok(made) => made,
                Err(Ok(panic)) => resume_unwind(panic),
                // The runtime ends, and this task with it.
                Err(Err(_)) => pending().await,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn a_crowd_of_browsers_keeps_nobody_from_asking() {
        let turns = Turns::default();
        let (release, held) = mpsc::channel::<()>();
        let held = Arc::new(std::sync::Mutex::new(held));
        let crowd: Vec<_> = (0..100)
            .map(|_| {
                let (turns, held) = (turns.clone(), Arc::clone(&held));
                tokio::spawn(async move {
                    let wait = move || held.lock().is_ok_and(|held| held.recv().is_err());
                    turns.browse(wait).await
                })
            })
            .collect();
        let answer = turns.ask(|| "answered").await;
        assert_eq!(answer.expect("no panic"), "answered");
        drop(release);
        for browser in crowd {
            assert!(browser.await.expect("no panic").expect("no panic"));
        }
    }

    #[tokio::test]
    async fn panics_are_told() {
        let turns = Turns::default();
        assert!(turns.browse(|| panic!("on purpose")).await.is_err());
        let asked: JoinHandle<()> = turns.ask(|| panic!("on purpose"));
        assert!(asked.await.is_err_and(|error| error.is_panic()));
    }

    #[test]
    fn too_many_are_sent_away() {
        let turns = Turns::default();
        let open: Vec<_> = (0..OPEN).map_while(|_| turns.enter()).collect();
        assert_eq!(open.len(), OPEN);
        assert!(turns.enter().is_none());
        drop(open);
        assert!(turns.enter().is_some());
    }
}
