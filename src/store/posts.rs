//! What the bot posts for everybody to see: begun at most once at a time, in step with Slack's limits, and remembered.

use std::time::Duration;

use super::{
    Lease, Moment, Store, StoreError,
    sql::{Tx, params},
};
use crate::slack::{inbound::Place, watch::Said};

/// How fast messages may follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// In one channel.
    pub channel: Duration,
    /// In one workspace.
    pub workspace: Duration,
}

/// Whether a message may be posted now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// It was not posted; go ahead.
    Fresh,
    /// It may have been posted by somebody who did not live to say so: look first.
    Uncertain,
    /// It was posted.
    Made,
    /// Not yet: an earlier try may still be on its way.
    Later(Moment),
    /// The job is not the caller's any more.
    Lost,
}

impl Store {
    /// Takes the job's turn to post in a channel. Returns when that is, if not now; it is the job's own from then on.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn turn(
        &self,
        lease: &Lease,
        place: &Place,
        limits: Pace,
        now: Moment,
    ) -> Result<Option<Moment>, StoreError> {
        let mut tx = self.begin().await?;
        let slot = tx
            .row(
                "SELECT slot FROM jobs WHERE key = $1 AND owner = $2",
                params![&lease.key, &lease.owner],
            )
            .await?;
        let held = match slot {
            Some(mut row) => row.maybe_int()?.map(Moment),
            None => None,
        };
        if let Some(stop) = tx.stopped_until(place, now).await? {
            tx.roll_back().await?;
            return Ok(Some(stop));
        }
        if held.is_some_and(|slot| slot <= now) {
            tx.roll_back().await?;
            return Ok(None);
        }
        let channel = tx.slot(&channel_key(place), limits.channel, now).await?;
        let workspace = tx
            .slot(&workspace_key(place), limits.workspace, now)
            .await?;
        let slot = channel.max(workspace);
        tx.run(
            "UPDATE jobs SET slot = $3 WHERE key = $1 AND owner = $2",
            params![&lease.key, &lease.owner, slot],
        )
        .await?;
        tx.commit().await?;
        Ok((slot > now).then_some(slot))
    }

    /// Slack takes no messages of a workspace for a while.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn stop_posting(&self, place: &Place, until: Moment) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        tx.run(
            "INSERT INTO paces (key, next) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE \
             SET next = excluded.next WHERE paces.next < excluded.next",
            params![&stop_key(place), until],
        )
        .await?;
        tx.commit().await
    }

    /// Begins to post the message that `post` identifies. `settle` is how long a try may be on its way to Slack after its
    /// process has ended.
    ///
    /// # Errors
    /// When the store is not available; then nothing may be posted.
    pub async fn begin_post(
        &self,
        lease: &Lease,
        post: &str,
        settle: Duration,
        now: Moment,
    ) -> Result<Begun, StoreError> {
        self.begin_said(lease, post, None, settle, now).await
    }

    /// Does the same for a message of which has to be known later what it says, should nobody live to tell that it was
    /// posted; see [`Store::begun_with`].
    ///
    /// # Errors
    /// When the store is not available; then nothing may be posted.
    pub async fn begin_said(
        &self,
        lease: &Lease,
        post: &str,
        said: Option<&Said>,
        settle: Duration,
        now: Moment,
    ) -> Result<Begun, StoreError> {
        let note = said.map(serde_json::to_string).transpose();
        let note = note.map_err(|_| StoreError::Unreadable)?;
        let mut tx = self.begin().await?;
        if !tx.holds(lease, now).await? {
            tx.roll_back().await?;
            return Ok(Begun::Lost);
        }
        let row = tx
            .row(
                "SELECT began, made FROM posts WHERE key = $1",
                params![post],
            )
            .await?;
        let mut state = Begun::Fresh;
        if let Some(mut row) = row {
            let (began, made) = (Moment(row.int()?), row.maybe_int()?);
            let settled = began.after(settle);
            state = match made {
                Some(_) => Begun::Made,
                None if settled > now => Begun::Later(settled),
                None => Begun::Uncertain,
            };
        }
        if !matches!(state, Begun::Fresh | Begun::Uncertain) {
            tx.roll_back().await?;
            return Ok(state);
        }
        tx.run(
            "INSERT INTO posts (key, began, note) VALUES ($1, $2, $3) ON CONFLICT (key) DO UPDATE SET began = excluded.began",
            params![post, now, note.as_deref()],
        )
        .await?;
        tx.run(
            "UPDATE jobs SET slot = NULL WHERE key = $1 AND owner = $2",
            params![&lease.key, &lease.owner],
        )
        .await?;
        tx.commit().await?;
        Ok(state)
    }

    /// The message was posted.
    ///
    /// # Errors
    /// When that is not recorded; it is then looked for before it is posted again.
    pub async fn made(&self, post: &str, ts: Option<&str>, now: Moment) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        tx.made(post, ts, now).await?;
        tx.commit().await
    }

    /// Returns what a message says whose posting was begun first with that; `None` when that was not noted.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn begun_with(&self, post: &str) -> Result<Option<Said>, StoreError> {
        let mut tx = self.begin().await?;
        let row = tx.row("SELECT note FROM posts WHERE key = $1", params![post]);
        let row = row.await?;
        tx.roll_back().await?;
        let Some(note) = row.map(|mut row| row.maybe_text()).transpose()?.flatten() else {
            return Ok(None);
        };
        serde_json::from_str(&note).map_err(|_| StoreError::Unreadable)
    }

    /// The suggestion in a channel was posted or changed, and says this now.
    ///
    /// # Errors
    /// When that is not recorded; it is then looked for before it is posted again, or changed to the same again.
    pub async fn suggested(
        &self,
        place: &Place,
        post: &str,
        ts: Option<&str>,
        said: &Said,
        now: Moment,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        tx.made(post, ts, now).await?;
        tx.stands(place, ts, said, now).await?;
        tx.commit().await
    }

    /// Slack did certainly not take the message.
    ///
    /// # Errors
    /// When that is not recorded; the message is then looked for before it is posted again.
    pub async fn not_made(&self, post: &str) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        tx.run(
            "DELETE FROM posts WHERE key = $1 AND made IS NULL",
            params![post],
        )
        .await?;
        tx.commit().await
    }
}

fn channel_key(place: &Place) -> String {
    format!("{}/{}", place.team, place.channel.0)
}

fn workspace_key(place: &Place) -> String {
    format!("{}/", place.team)
}

/// Where it stands until when Slack takes nothing: no channel is called like this.
fn stop_key(place: &Place) -> String {
    format!("{}//", place.team)
}

impl Tx {
    async fn made(&mut self, post: &str, ts: Option<&str>, now: Moment) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO posts (key, began, made, ts) VALUES ($1, $2, $2, $3) ON CONFLICT (key) DO UPDATE \
             SET made = excluded.made, ts = excluded.ts",
            params![post, now, ts],
        )
        .await?;
        Ok(())
    }

    async fn stopped_until(
        &mut self,
        place: &Place,
        now: Moment,
    ) -> Result<Option<Moment>, StoreError> {
        let row = self.row(
            "SELECT next FROM paces WHERE key = $1 AND next > $2",
            params![&stop_key(place), now],
        );
        let row = row.await?;
        row.map(|mut row| row.int().map(Moment)).transpose()
    }

    /// Takes the next free time of a channel or a workspace.
    async fn slot(
        &mut self,
        key: &str,
        interval: Duration,
        now: Moment,
    ) -> Result<Moment, StoreError> {
        let row = self.row(
            "INSERT INTO paces (key, next) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET next = \
             CASE WHEN paces.next > $3 THEN paces.next ELSE $3 END + $4 RETURNING next",
            params![key, now.after(interval), now, super::millis(interval)],
        );
        let mut row = row.await?.ok_or(StoreError::Unreadable)?;
        Ok(Moment(row.int()?).before(interval))
    }
}
