//! What must outlive the process: seen events, jobs, watched channels, what was posted, feedback, settings, and the
//! workspaces that installed the app.
//!
//! One set of statements on two engines: SQLite in the data directory (or in memory, and then nothing outlives the
//! process), or PostgreSQL, which several replicas share. Any replica may take any event and any job; a job belongs to
//! whoever holds its lease, for as long as the lease is renewed. Time is an argument everywhere.
//!
//! What people wrote is here only as long as a decision needs it: a message until its channel's watch is over, a
//! question until it is answered.
//!
//! Knows what Slack's places and messages are, and nothing of Slack's calls, of jobs' contents, or of HTTP.

use std::{path::Path, time::Duration};

mod events;
mod installations;
mod jobs;
mod opinions;
mod postgres;
mod posts;
mod schema;
mod sql;
mod sqlite;
mod sweep;
mod tls;
mod watches;

pub use events::{Change, Claim, Delivery, NewJob, Recorded};
pub use installations::{Installation, Removal, Renewed, Sealed};
pub use jobs::{Counts, Lease, Leased};
pub use opinions::{Mark, Scope, Tally, Verdict};
pub use posts::{Begun, Pace};
pub use sweep::Retention;
pub use watches::{Standing, Watched};

use sql::Tx;

/// A point in time, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub i64);

impl Moment {
    /// Returns the moment this much later.
    #[must_use]
    pub fn after(self, time: Duration) -> Self {
        Self(self.0.saturating_add(millis(time)))
    }

    /// Returns the moment this much earlier.
    #[must_use]
    pub fn before(self, time: Duration) -> Self {
        Self(self.0.saturating_sub(millis(time)))
    }

    /// Returns how long it is from `earlier` to this moment; nothing when it is not earlier.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Why the store did not do what it was asked for; then it did nothing of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// It cannot be reached, is busy or full.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// What it holds is not what this program wrote.
    #[error("the store holds something unreadable")]
    Unreadable,
    /// A newer program has changed its tables.
    #[error("the store has version {0}, which is newer than this program")]
    Newer(i64),
    /// The database's URL is no use; why. The URL itself is not told: it may hold a password.
    #[error("the database URL: {0}")]
    Url(&'static str),
}

/// The store. Its methods are all-or-nothing: one transaction each.
pub struct Store {
    engine: Engine,
    durable: bool,
}

enum Engine {
    Sqlite(sqlite::Sqlite),
    Postgres(postgres::Postgres),
}

impl Store {
    /// Opens a store in memory; it ends with the process.
    ///
    /// # Errors
    /// When there is no room for it.
    pub async fn in_memory() -> Result<Self, StoreError> {
        Self::ready(Engine::Sqlite(sqlite::Sqlite::open(None)?), false).await
    }

    /// Opens the store in a directory that exists, or makes one there.
    ///
    /// # Errors
    /// When it cannot be opened, or a newer program has used it.
    pub async fn in_folder(folder: &Path) -> Result<Self, StoreError> {
        Self::ready(Engine::Sqlite(sqlite::Sqlite::open(Some(folder))?), true).await
    }

    /// Opens the store on a PostgreSQL server.
    ///
    /// # Errors
    /// When the server cannot be reached, or a newer program has used the database.
    pub async fn in_postgres(url: &str) -> Result<Self, StoreError> {
        Self::ready(Engine::Postgres(postgres::Postgres::open(url)?), true).await
    }

    async fn ready(engine: Engine, durable: bool) -> Result<Self, StoreError> {
        let store = Self { engine, durable };
        schema::migrate(store.begin().await?).await?;
        Ok(store)
    }

    /// Returns whether what it holds outlives the process.
    pub const fn is_durable(&self) -> bool {
        self.durable
    }

    async fn begin(&self) -> Result<Tx, StoreError> {
        Ok(match &self.engine {
            Engine::Sqlite(sqlite) => Tx::Sqlite(sqlite.begin().await?),
            Engine::Postgres(postgres) => Tx::Postgres(postgres.begin().await?),
        })
    }
}
