//! Jobs: recorded once, done by whoever leases them, given back when that fails, laid aside when it fails for good.

use std::time::Duration;

use super::{
    Claim, Moment, NewJob, Store, StoreError,
    sql::{LOCK, Row, Tx, params},
};

/// The right to do a job, until another takes it because the lease was not renewed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The job.
    pub key: String,
    /// Who has it: one process at one time.
    pub owner: String,
}

/// A job that its holder may do now.
#[derive(Clone, Debug)]
pub struct Leased {
    /// The right to do it.
    pub lease: Lease,
    /// What kind of job it is.
    pub kind: String,
    /// What it needs.
    pub payload: String,
    /// When it was asked for.
    pub asked: Moment,
    /// How often it was begun, this time included.
    pub attempts: u32,
}

/// How many jobs there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Waiting for their time or for somebody to do them.
    pub waiting: u64,
    /// Leased.
    pub running: u64,
    /// Failed for good.
    pub failed: u64,
}

impl Store {
    /// Takes jobs that are due or whose holder is gone, at most `most`, for `lease` long.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn take(
        &self,
        owner: &str,
        most: u32,
        lease: Duration,
        now: Moment,
    ) -> Result<Vec<Leased>, StoreError> {
        self.take_due(owner, most, lease, now, now).await
    }

    /// Takes jobs that were never given back, due or not: what is in memory only has to be done before the process ends.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn take_early(
        &self,
        owner: &str,
        most: u32,
        lease: Duration,
        now: Moment,
    ) -> Result<Vec<Leased>, StoreError> {
        let mut tx = self.begin().await?;
        tx.run(
            "UPDATE jobs SET due = $1 WHERE failed IS NULL AND owner IS NULL AND error IS NULL AND due > $1",
            params![now],
        )
        .await?;
        tx.commit().await?;
        self.take_due(owner, most, lease, now, now).await
    }

    async fn take_due(
        &self,
        owner: &str,
        most: u32,
        lease: Duration,
        due: Moment,
        now: Moment,
    ) -> Result<Vec<Leased>, StoreError> {
        let mut tx = self.begin().await?;
        debug_assert!(TAKE.contains(LOCK), "replicas must not wait for each other");
        let rows = tx
            .rows(
                TAKE,
                params![owner, now.after(lease), due, now, i64::from(most)],
            )
            .await?;
        if rows.is_empty() {
            tx.roll_back().await?;
            return Ok(Vec::new());
        }
        let jobs = rows.into_iter().map(|row| leased(row, owner)).collect();
        tx.commit().await?;
        jobs
    }

    /// Renews all leases of a holder.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn renew(&self, owner: &str, lease: Duration, now: Moment) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        let renewed = tx
            .run(
                "UPDATE jobs SET until = $1 WHERE owner = $2 AND failed IS NULL",
                params![now.after(lease), owner],
            )
            .await?;
        if renewed == 0 {
            return tx.roll_back().await;
        }
        tx.commit().await
    }

    /// A job is done. When something happened meanwhile that asks for it again, it is due again after `pause`.
    /// Returns whether it is.
    ///
    /// # Errors
    /// When that is not recorded: the job may be done again.
    pub async fn done(
        &self,
        lease: &Lease,
        pause: Duration,
        now: Moment,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let deleted = tx
            .run(
                "DELETE FROM jobs WHERE key = $1 AND owner = $2 AND again = 0",
                params![&lease.key, &lease.owner],
            )
            .await?;
        let mut again = 0;
        if deleted == 0 {
            again = tx
                .run(
                    "UPDATE jobs SET owner = NULL, until = NULL, slot = NULL, attempts = 0, again = 0, error = NULL, asked = $3, due = $4 \
                     WHERE key = $1 AND owner = $2",
                    params![&lease.key, &lease.owner, now, now.after(pause)],
                )
                .await?;
        }
        tx.commit().await?;
        Ok(again > 0)
    }

    /// Gives a job back until later. `failed` says why if it failed; otherwise it waits for its turn, and did not count as
    /// begun.
    ///
    /// # Errors
    /// When that is not recorded: the lease then ends by itself.
    pub async fn later(
        &self,
        lease: &Lease,
        due: Moment,
        failed: Option<&str>,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        let uncounted = i64::from(failed.is_none());
        let failed = failed.unwrap_or(WAITS);
        tx.run(
            "UPDATE jobs SET owner = NULL, until = NULL, due = $3, error = $4, attempts = attempts - $5 \
             WHERE key = $1 AND owner = $2",
            params![&lease.key, &lease.owner, due, failed, uncounted],
        )
        .await?;
        tx.commit().await
    }

    /// Lays a job aside that failed for good: what people wrote is taken out of it, and what it claimed is free again, so
    /// that another delivery is tried anew.
    ///
    /// # Errors
    /// When that is not recorded: the lease then ends by itself.
    pub async fn fail(&self, lease: &Lease, why: &str, now: Moment) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        let row = tx
            .row(
                "UPDATE jobs SET owner = NULL, until = NULL, payload = '', failed = $3, error = $4 \
                 WHERE key = $1 AND owner = $2 RETURNING claims",
                params![&lease.key, &lease.owner, now, why],
            )
            .await?;
        if let Some(mut row) = row {
            for key in row.text()?.lines() {
                tx.run("DELETE FROM seen WHERE key = $1", params![key])
                    .await?;
            }
        }
        tx.commit().await
    }

    /// Returns when the next job is due that nobody has, if there is one.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn next_due(&self) -> Result<Option<Moment>, StoreError> {
        let mut tx = self.begin().await?;
        let row = tx
            .row(
                "SELECT due FROM jobs WHERE failed IS NULL AND owner IS NULL ORDER BY due LIMIT 1",
                params![],
            )
            .await?;
        tx.roll_back().await?;
        row.map(|mut row| row.int().map(Moment)).transpose()
    }

    /// Returns how many jobs are leased, or due by then: all that keeps somebody busy, as of one moment.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn busy(&self, by: Moment) -> Result<u64, StoreError> {
        let mut tx = self.begin().await?;
        let row = tx
            .row(
                "SELECT count(*) FROM jobs WHERE failed IS NULL AND (owner IS NOT NULL OR due <= $1)",
                params![by],
            )
            .await?;
        tx.roll_back().await?;
        let busy = row.ok_or(StoreError::Unreadable)?.int()?;
        Ok(u64::try_from(busy).unwrap_or(0))
    }

    /// Counts the jobs.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn counts(&self) -> Result<Counts, StoreError> {
        let mut tx = self.begin().await?;
        let row = tx
            .row(
                "SELECT count(CASE WHEN failed IS NULL AND owner IS NULL THEN 1 END), \
                 count(CASE WHEN failed IS NULL AND owner IS NOT NULL THEN 1 END), \
                 count(CASE WHEN failed IS NOT NULL THEN 1 END) FROM jobs",
                params![],
            )
            .await?;
        tx.roll_back().await?;
        let mut row = row.ok_or(StoreError::Unreadable)?;
        let mut count = || row.int().map(|count| u64::try_from(count).unwrap_or(0));
        Ok(Counts {
            waiting: count()?,
            running: count()?,
            failed: count()?,
        })
    }
}

/// What is recorded of a job that was given back without having failed.
const WAITS: &str = "waits for its turn";

/// Takes due jobs. The inner statement runs once whatever the planner thinks of it.
const TAKE: &str = "WITH free AS MATERIALIZED (\
     SELECT key AS name FROM jobs WHERE failed IS NULL AND due <= $3 AND (owner IS NULL OR until < $4) \
     ORDER BY due LIMIT $5 /*lock*/) \
     UPDATE jobs SET owner = $1, until = $2, attempts = attempts + 1, again = 0 \
     FROM free WHERE jobs.key = free.name RETURNING key, kind, payload, asked, attempts";

fn leased(mut row: Row, owner: &str) -> Result<Leased, StoreError> {
    Ok(Leased {
        lease: Lease {
            key: row.text()?,
            owner: owner.to_owned(),
        },
        kind: row.text()?,
        payload: row.text()?,
        asked: Moment(row.int()?),
        attempts: u32::try_from(row.int()?).unwrap_or(u32::MAX),
    })
}

impl Tx {
    /// Queues a job, or has one that runs done again. Returns `false` when one waits already.
    pub(super) async fn queue(
        &mut self,
        job: &NewJob,
        claims: &[Claim],
        now: Moment,
    ) -> Result<bool, StoreError> {
        self.run(
            "DELETE FROM jobs WHERE key = $1 AND failed IS NOT NULL",
            params![&job.key],
        )
        .await?;
        let claims: Vec<&str> = claims.iter().map(|claim| claim.key.as_str()).collect();
        let queued = self
            .run(
                "INSERT INTO jobs (key, kind, payload, claims, asked, due) VALUES ($1, $2, $3, $4, $5, $6) \
                 ON CONFLICT (key) DO UPDATE SET again = 1 WHERE jobs.owner IS NOT NULL",
                params![
                    &job.key,
                    job.kind,
                    &job.payload,
                    &claims.join("\n"),
                    now,
                    job.due
                ],
            )
            .await?;
        Ok(queued > 0)
    }

    /// Makes sure that a lease still holds, and keeps it for the rest of the transaction.
    pub(super) async fn holds(&mut self, lease: &Lease, now: Moment) -> Result<bool, StoreError> {
        let held = self
            .run(
                "UPDATE jobs SET owner = owner WHERE key = $1 AND owner = $2 AND until >= $3 AND failed IS NULL",
                params![&lease.key, &lease.owner, now],
            )
            .await?;
        Ok(held > 0)
    }
}
