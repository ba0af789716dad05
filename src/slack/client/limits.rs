//! Slack's limits as it tells them: a method that answers "not before" is not called before, by anybody here.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, sleep_until};

use super::DeliverError;

/// Until when which method is not to be called.
#[derive(Default)]
pub(super) struct Limits(Mutex<HashMap<&'static str, Instant>>);

/// Answers at a `response_url`: a limit there is the address's own.
const ADDRESSES: &str = "response_url";

impl Limits {
    /// Notes that Slack wants no calls of a method for a while.
    pub(super) fn set(&self, method: &'static str, time: Duration) {
        if method == ADDRESSES {
            return;
        }
        let until = Instant::now() + time;
        // Every change is a single step, so what a panicking thread left is whole.
        let mut limits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = limits.entry(method).or_insert(until);
        *limit = until.max(*limit);
    }

    /// Waits until a method may be called.
    ///
    /// # Errors
    /// [`DeliverError::RateLimited`] when that takes longer than `longest`.
    pub(super) async fn wait(
        &self,
        method: &'static str,
        longest: Duration,
    ) -> Result<(), DeliverError> {
        while let Some(until) = self.until(method) {
            let retry_after = until.saturating_duration_since(Instant::now());
            if retry_after > longest {
                return Err(DeliverError::RateLimited { retry_after });
            }
            sleep_until(until).await;
        }
        Ok(())
    }

    fn until(&self, method: &'static str) -> Option<Instant> {
        let limits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let until = limits.get(method).copied();
        until.filter(|until| *until > Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_limited_method_waits_and_others_do_not() {
        let limits = Limits::default();
        let begun = Instant::now();
        let longest = Duration::from_secs(30);
        limits.set("chat.postMessage", Duration::from_secs(7));
        limits.set("chat.postMessage", Duration::from_secs(3));
        limits.set("response_url", Duration::from_secs(7));
        for method in ["users.info", "response_url"] {
            assert_eq!(limits.wait(method, longest).await, Ok(()));
        }
        assert_eq!(begun.elapsed(), Duration::ZERO);
        assert_eq!(limits.wait("chat.postMessage", longest).await, Ok(()));
        assert_eq!(begun.elapsed(), Duration::from_secs(7));
        limits.set("chat.postMessage", Duration::from_mins(1));
        let limited = limits.wait("chat.postMessage", longest).await;
        assert!(matches!(limited, Err(DeliverError::RateLimited { .. })));
    }
}
