//! The address at which Slack takes later answers to a command or a click. A secret: whoever has it can post.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::{Duration, Instant},
};

use url::Url;

/// How often Slack takes answers at one address (docs.slack.dev, "Handling user interaction").
const USES: u8 = 5;

/// How long Slack takes them: 30 minutes, less a minute for clocks and the way.
const LIFETIME: Duration = Duration::from_mins(29);

/// A `response_url` with what is left of it. Clones share the count.
#[derive(Clone)]
pub struct ResponseUrl {
    url: Url,
    received: Instant,
    used: Arc<AtomicU8>,
}

impl ResponseUrl {
    /// Reads an address that just arrived; `None` when it is no URL.
    pub fn parse(url: &str) -> Option<Self> {
        Some(Self {
            url: Url::parse(url).ok()?,
            received: Instant::now(),
            used: Arc::default(),
        })
    }

    /// Returns the address for a form to carry, which brings it back when it is sent. Only this app sees what a form
    /// carries; nothing else may show it.
    pub fn carried(&self) -> &str {
        self.url.as_str()
    }

    /// Takes one use if the address may be posted to: it lies under `prefix` and is neither worn out nor too old.
    ///
    /// The prefix keeps a forged address from making us post into somebody's network.
    pub fn take(&self, prefix: &Url) -> Option<Url> {
        self.take_at(prefix, Instant::now())
    }

    fn take_at(&self, prefix: &Url, now: Instant) -> Option<Url> {
        let allowed = self.url.origin() == prefix.origin()
            && self.url.username().is_empty()
            && self.url.path().starts_with(prefix.path());
        if !allowed || now.duration_since(self.received) > LIFETIME {
            return None;
        }
        self.used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                (used < USES).then_some(used + 1)
            })
            .ok()
            .map(|_| self.url.clone())
    }
}

impl fmt::Debug for ResponseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResponseUrl(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slack() -> Url {
        Url::parse("https://hooks.slack.com/").expect("a valid URL")
    }

    fn received(url: &str) -> ResponseUrl {
        ResponseUrl::parse(url).expect("a valid URL")
    }

    #[test]
    fn five_uses_in_half_an_hour() {
        let url = received("https://hooks.slack.com/commands/T1/1/abc");
        let clone = url.clone();
        let taken = (0..6).filter_map(|_| clone.take(&slack())).count();
        assert_eq!(taken, 5);
        assert_eq!(url.take(&slack()), None);
        let late = received("https://hooks.slack.com/commands/T1/1/abc");
        let half_an_hour_on = Instant::now() + Duration::from_mins(30);
        assert_eq!(late.take_at(&slack(), half_an_hour_on), None);
    }

    #[test]
    fn only_slacks_own_addresses() {
        for foreign in [
            "https://hooks.slack.com.evil.example/commands/1",
            "http://hooks.slack.com/commands/1",
            "https://hooks.slack.com:8443/commands/1",
            "https://user@hooks.slack.com/commands/1",
            "http://169.254.169.254/latest",
            "file:///etc/passwd",
        ] {
            assert_eq!(received(foreign).take(&slack()), None, "{foreign}");
        }
        assert_eq!(
            format!("{:?}", received("https://hooks.slack.com/x/secret")),
            "ResponseUrl(redacted)"
        );
    }
}
