//! What is forgotten, and when.

use std::time::Duration;

use super::{Engine, Moment, Store, StoreError, sql::params};

/// How long seen events are remembered at least. Slack's last retry comes about six minutes after the event.
const SEEN: Duration = Duration::from_hours(24);

/// How long things are kept that are no longer worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Finished watches, what was posted, failed jobs, feedback.
    pub records: Duration,
}

impl Store {
    /// Forgets what has been kept long enough. Messages go as soon as nothing waits for them. Returns how many rows went.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn sweep(&self, retention: Retention, now: Moment) -> Result<u64, StoreError> {
        let mut tx = self.begin().await?;
        let mut gone = tx.sweep_messages(now).await?;
        let old = now.before(retention.records);
        for (sql, before) in [
            ("DELETE FROM seen WHERE at < $1", now.before(SEEN)),
            ("DELETE FROM paces WHERE next < $1", now),
            ("DELETE FROM begun_installs WHERE until < $1", now),
            ("DELETE FROM jobs WHERE failed < $1", old),
            ("DELETE FROM posts WHERE began < $1", old),
            ("DELETE FROM watches WHERE changed < $1 AND since < $1", old),
            ("DELETE FROM feedback WHERE at < $1", old),
        ] {
            gone += tx.run(sql, params![before]).await?;
        }
        if gone == 0 {
            tx.roll_back().await?;
        } else {
            tx.commit().await?;
        }
        if let Engine::Sqlite(sqlite) = &self.engine {
            sqlite.empty_log().await?;
        }
        Ok(gone)
    }
}
