//! The tables, and how an older database becomes a newer one.

use super::{
    StoreError,
    sql::{Tx, params},
};

/// One entry for each version, never changed once released.
const MIGRATIONS: &[&str] = &[
    "
CREATE TABLE seen (key TEXT PRIMARY KEY, holder TEXT NOT NULL, at BIGINT NOT NULL);
CREATE INDEX seen_at ON seen (at);
CREATE TABLE jobs (
    key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    claims TEXT NOT NULL,
    asked BIGINT NOT NULL,
    due BIGINT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    again BIGINT NOT NULL DEFAULT 0,
    owner TEXT,
    until BIGINT,
    slot BIGINT,
    failed BIGINT,
    error TEXT
);
CREATE INDEX jobs_due ON jobs (due) WHERE failed IS NULL;
CREATE TABLE watches (
    team TEXT NOT NULL,
    channel TEXT NOT NULL,
    since BIGINT NOT NULL,
    phase TEXT NOT NULL,
    history BIGINT NOT NULL DEFAULT 0,
    changed BIGINT NOT NULL,
    ts TEXT,
    cases TEXT,
    PRIMARY KEY (team, channel)
);
CREATE TABLE messages (
    team TEXT NOT NULL,
    channel TEXT NOT NULL,
    ts TEXT NOT NULL,
    post TEXT NOT NULL,
    PRIMARY KEY (team, channel, ts)
);
CREATE TABLE posts (key TEXT PRIMARY KEY, began BIGINT NOT NULL, made BIGINT, ts TEXT);
CREATE TABLE paces (key TEXT PRIMARY KEY, next BIGINT NOT NULL);
CREATE TABLE feedback (
    team TEXT NOT NULL,
    person TEXT NOT NULL,
    item TEXT NOT NULL,
    about TEXT NOT NULL,
    verdict TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (team, person, item, about)
);
CREATE INDEX feedback_about ON feedback (team, about);
CREATE TABLE settings (
    team TEXT NOT NULL,
    channel TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (team, channel, name)
);
",
    // Suggestions that change. Of those made before it is not known what they say, so they stay as they are.
    "
ALTER TABLE watches ADD COLUMN said TEXT;
ALTER TABLE posts ADD COLUMN note TEXT;
UPDATE watches SET phase = 'closed' WHERE phase = 'suggested';
",
    // Many workspaces. What is secret comes sealed.
    "
CREATE TABLE installations (
    tenant TEXT PRIMARY KEY,
    enterprise TEXT,
    team TEXT,
    version TEXT NOT NULL,
    token TEXT,
    refresh TEXT,
    expires BIGINT,
    renew BIGINT,
    renewing BIGINT,
    scopes TEXT NOT NULL,
    bot TEXT NOT NULL,
    installer TEXT NOT NULL,
    installed BIGINT NOT NULL,
    broken TEXT
);
CREATE TABLE org_workspaces (team TEXT PRIMARY KEY, enterprise TEXT NOT NULL);
CREATE TABLE begun_installs (state TEXT PRIMARY KEY, until BIGINT NOT NULL);
",
];

/// Brings the tables to this program's version, one process at a time.
pub(super) async fn migrate(mut tx: Tx) -> Result<(), StoreError> {
    if let Tx::Postgres(tx) = &mut tx {
        // Replicas that start together wait for each other. The number is this program's own.
        tx.batch("SELECT pg_advisory_xact_lock(6073215)").await?;
    }
    tx.batch("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)")
        .await?;
    let version = tx.row("SELECT max(version) FROM schema_version", params![]);
    let version = match version.await? {
        Some(mut row) => row.maybe_int()?.unwrap_or(0),
        None => 0,
    };
    let done = usize::try_from(version).map_err(|_| StoreError::Unreadable)?;
    if done > MIGRATIONS.len() {
        return Err(StoreError::Newer(version));
    }
    for (at, migration) in MIGRATIONS.iter().enumerate().skip(done) {
        tx.batch(migration).await?;
        let version = i64::try_from(at + 1).map_err(|_| StoreError::Unreadable)?;
        tx.run(
            "INSERT INTO schema_version (version) VALUES ($1)",
            params![version],
        )
        .await?;
    }
    tx.commit().await
}
