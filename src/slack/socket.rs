//! Socket Mode: the service opens the connection, so that nobody has to reach it. Slack's envelopes come over it and are
//! acknowledged one by one. Knows nothing of what they mean: [`Receive`] does.
//!
//! There is one connection, and for a while two: when Slack says that it will close one, the next is opened first, and
//! the old one is served until it is closed. One over which nothing comes any more is given up ([`Patience::idle`]): a
//! network may forget a connection without telling either side. Whatever is not acknowledged Slack delivers again.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use rand::Rng;
use tokio::{
    sync::oneshot,
    task::JoinSet,
    time::{Instant, timeout},
};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

mod connection;
mod dial;
mod frame;

use connection::Connection;
pub use dial::{Dialer, Settings};
pub use frame::{Kind, Payload};

/// Takes what Slack sends.
pub trait Receive: Clone + Send + Sync + 'static {
    /// Takes a payload.
    fn receive(&self, payload: Payload) -> impl Future<Output = Receipt> + Send;

    /// There are so many connections now.
    fn connected(&self, connections: usize);
}

/// What became of a payload.
pub enum Receipt {
    /// It could not be taken; Slack is to send it again.
    Refused,
    /// It was.
    Taken,
    /// It was, and this JSON answers it.
    Answered(String),
}

/// How long to wait for what.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Longest time without any word from Slack; it is asked for one three times as often.
    pub idle: Duration,
    /// How long a connection is served after Slack said that it will close it.
    pub linger: Duration,
    /// A connection that lasted so long counts as a success.
    pub steady: Duration,
    /// First wait after a failure; each further one is twice as long.
    pub backoff: Duration,
    /// Longest wait.
    pub longest: Duration,
}

impl Patience {
    /// What the service uses.
    pub const DEFAULT: Self = Self {
        idle: Duration::from_secs(30),
        linger: Duration::from_mins(1),
        steady: Duration::from_secs(10),
        backoff: Duration::from_millis(500),
        longest: Duration::from_secs(30),
    };

    /// Returns how long to wait after so many failures in a row. Up to a half of it is chance, so that many processes do
    /// not come back at once.
    fn wait(&self, failures: u32) -> Duration {
        let doubled = self
            .backoff
            .saturating_mul(1 << failures.saturating_sub(1).min(16));
        doubled
            .min(self.longest)
            .mul_f64(rand::rng().random_range(0.5..=1.0))
    }
}

/// How often in a row Slack refuses a token until it is believed.
const REFUSALS: u32 = 3;

/// Slack does not take the app's token, so nothing will ever come.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0}; give a valid app-level token (`xapp-…`, scope `connections:write`) in SLACK_APP_TOKEN, or none for requests over HTTP; `incident-like doctor` says more"
)]
pub struct Refused(String);

/// Stays connected until `stop`, then acknowledges what was received and hangs up.
///
/// # Errors
/// When Slack refuses the app's token again and again.
pub async fn run<R: Receive>(
    dialer: Dialer,
    receiver: R,
    patience: Patience,
    stop: CancellationToken,
) -> Result<(), Refused> {
    let open = Arc::new(AtomicUsize::new(0));
    let mut connections = JoinSet::new();
    let (mut failures, mut refusals) = (0_u32, 0_u32);
    let mut ended = Ok(());
    while !stop.is_cancelled() {
        while connections.try_join_next().is_some() {}
        let opened = tokio::select! {
            opened = dialer.dial() => opened,
            () = stop.cancelled() => break,
        };
        let wait = match opened {
            Ok(socket) => {
                info!("connected to Slack");
                refusals = 0;
                let begun = Instant::now();
                let (leaving, left) = oneshot::channel();
                let connection = Connection {
                    socket,
                    receiver: receiver.clone(),
                    patience,
                    stop: stop.clone(),
                    leaving: Some(leaving),
                };
                let counted = Counted::new(&open, receiver.clone());
                connections.spawn(async move {
                    connection.serve().await;
                    drop(counted);
                });
                // Either Slack will close it, and it lives on for a while, or it has ended.
                let announced = left.await.is_ok();
                let steady = begun.elapsed() >= patience.steady;
                failures = if steady { 0 } else { failures + 1 };
                if announced && failures < 2 {
                    continue;
                }
                patience.wait(failures)
            }
            Err(failure) => {
                failures = failures.saturating_add(1);
                refusals = if failure.is_refusal() {
                    refusals + 1
                } else {
                    0
                };
                if refusals >= REFUSALS {
                    ended = Err(Refused(failure.to_string()));
                    break;
                }
                let wait = failure.wait(patience.longest);
                let wait = wait.unwrap_or_else(|| patience.wait(failures));
                if failure.is_final() {
                    error!(reason = %failure, ?wait, "cannot connect to Slack; `incident-like doctor` says what to do");
                } else {
                    warn!(reason = %failure, failures, ?wait, "cannot connect to Slack");
                }
                wait
            }
        };
        let _ = timeout(wait, stop.cancelled()).await;
    }
    while connections.join_next().await.is_some() {}
    ended
}

/// Counts a connection as long as it lives.
struct Counted<R: Receive> {
    open: Arc<AtomicUsize>,
    receiver: R,
}

impl<R: Receive> Counted<R> {
    fn new(open: &Arc<AtomicUsize>, receiver: R) -> Self {
        let open = Arc::clone(open);
        receiver.connected(open.fetch_add(1, Ordering::Relaxed) + 1);
        Self { open, receiver }
    }
}

impl<R: Receive> Drop for Counted<R> {
    fn drop(&mut self) {
        let before = self.open.fetch_sub(1, Ordering::Relaxed);
        self.receiver.connected(before - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_limit_and_differ() {
        let patience = Patience::DEFAULT;
        for (failures, longest) in [(0, 500), (1, 500), (2, 1000), (4, 4000), (100, 30_000)] {
            let longest = Duration::from_millis(longest);
            for _ in 0..100 {
                let wait = patience.wait(failures);
                assert!(longest / 2 <= wait && wait <= longest, "{wait:?}");
            }
        }
        let waits: std::collections::HashSet<_> = (0..10).map(|_| patience.wait(9)).collect();
        assert!(waits.len() > 1);
    }
}
