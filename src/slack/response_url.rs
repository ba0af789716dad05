//! The address at which Slack takes later answers to a command or a click. A secret: whoever has it can post.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use url::Url;

/// How often Slack takes answers at one address (docs.slack.dev, "Handling user interaction").
const USES: u8 = 5;

/// How long Slack takes them: 30 minutes, less a minute for clocks and the way.
const LIFETIME: Duration = Duration::from_mins(29);

/// A `response_url` with what is left of it. Clones share the count.
#[derive(Clone, Serialize, Deserialize)]
#[serde(into = "Recorded", from = "Recorded")]
pub struct ResponseUrl {
    url: Url,
    received: Instant,
    /// How old it was then.
    age: Duration,
    used: Arc<AtomicU8>,
}

/// How it is recorded while a job waits that answers there. Whoever reads it back says how old it is.
#[derive(Serialize, Deserialize)]
struct Recorded {
    url: Url,
    used: u8,
}

impl From<ResponseUrl> for Recorded {
    fn from(url: ResponseUrl) -> Self {
        Self {
            used: url.used.load(Ordering::Relaxed),
            url: url.url,
        }
    }
}

impl From<Recorded> for ResponseUrl {
    fn from(Recorded { url, used }: Recorded) -> Self {
        Self {
            url,
            received: Instant::now(),
            age: Duration::ZERO,
            used: Arc::new(used.into()),
        }
    }
}

impl ResponseUrl {
    /// Reads an address that just arrived; `None` when it is no URL.
    pub fn parse(url: &str) -> Option<Self> {
        Some(Self {
            url: Url::parse(url).ok()?,
            received: Instant::now(),
            age: Duration::ZERO,
            used: Arc::default(),
        })
    }

    /// Returns the address for a form to carry, which brings it back when it is sent. Only this app sees what a form
    /// carries; nothing else may show it.
    pub fn carried(&self) -> &str {
        self.url.as_str()
    }

    /// Returns the same address, which is this old already.
    #[must_use]
    pub fn aged(self, age: Duration) -> Self {
        Self { age, ..self }
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
        if !allowed || now.duration_since(self.received) + self.age > LIFETIME {
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
    fn a_recorded_address_keeps_its_count_and_gets_its_age() {
        let url = received("https://hooks.slack.com/commands/T1/1/abc");
        for _ in 0..3 {
            url.take(&slack());
        }
        let json = serde_json::to_string(&url).expect("it can be written");
        let read = || serde_json::from_str::<ResponseUrl>(&json).expect("it can be read");
        let again = read().aged(Duration::from_mins(20));
        let taken = (0..6).filter_map(|_| again.take(&slack())).count();
        assert_eq!(taken, 2);
        assert_eq!(read().aged(Duration::from_mins(30)).take(&slack()), None);
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
