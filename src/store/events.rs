//! Events: each is recorded once, together with everything that follows from it.

use std::time::Duration;

use super::{
    Moment, Store, StoreError,
    sql::{Tx, params},
};
use crate::slack::{
    inbound::{Place, Post},
    watch::Phase,
};

/// Something that must be handled once, by whoever claims it first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What it is.
    pub key: String,
    /// Who claims it; the same holder may claim it again.
    pub holder: String,
}

/// What happened, and what is to be done about it.
#[derive(Debug)]
pub struct Delivery {
    /// All of these must be free, or nothing happens.
    pub claims: Vec<Claim>,
    /// What it says about a watched channel.
    pub change: Change,
    /// What is to be done.
    pub job: Option<NewJob>,
    /// When it arrived.
    pub at: Moment,
}

/// What an event says about a channel's watch.
#[derive(Debug)]
pub enum Change {
    /// Nothing.
    None,
    /// It is an incident channel from now on.
    Start(Place),
    /// There is nothing to do there any more.
    End(Place),
    /// It goes on under another id.
    Move {
        /// The id until now.
        from: Place,
        /// The id from now on.
        to: Place,
    },
    /// Somebody wrote something there. Counts only while the channel is watched.
    Note(Place, Post),
}

/// A job to record.
#[derive(Clone, Debug)]
pub struct NewJob {
    /// Identifies it: of several with one key at a time, one is done.
    pub key: String,
    /// What kind of job it is, for those who read the table.
    pub kind: &'static str,
    /// What it needs, as the worker wrote it.
    pub payload: String,
    /// Not before.
    pub due: Moment,
    /// It is of use only while this channel is watched.
    pub watched: Option<Place>,
}

/// What became of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// A job was recorded, or one that runs will be done again.
    Queued,
    /// It is recorded and there is nothing more to do.
    Noted,
    /// Another delivery was first; nothing was recorded.
    Seen,
    /// It is of no consequence; nothing was recorded.
    Nothing,
}

impl Store {
    /// Records an event and everything that follows from it, or nothing.
    ///
    /// # Errors
    /// When it is not recorded; whoever delivered it has to do so again.
    pub async fn record(&self, delivery: Delivery) -> Result<Recorded, StoreError> {
        let mut tx = self.begin().await?;
        let recorded = record(&mut tx, delivery).await?;
        match recorded {
            Recorded::Queued | Recorded::Noted => tx.commit().await?,
            Recorded::Seen | Recorded::Nothing => tx.roll_back().await?,
        }
        Ok(recorded)
    }

    /// Claims something for a holder for a while; `false` when another holds it.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn claim(
        &self,
        claim: &Claim,
        lifetime: Duration,
        now: Moment,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let claimed = tx
            .run(
                "INSERT INTO seen (key, holder, at) VALUES ($1, $2, $3) ON CONFLICT (key) DO UPDATE \
                 SET holder = excluded.holder, at = excluded.at WHERE seen.at <= $4 OR seen.holder = $2",
                params![&claim.key, &claim.holder, now, now.before(lifetime)],
            )
            .await?;
        tx.commit().await?;
        Ok(claimed > 0)
    }
}

async fn record(tx: &mut Tx, delivery: Delivery) -> Result<Recorded, StoreError> {
    let Delivery {
        claims,
        change,
        job,
        at,
    } = delivery;
    let changes = !matches!(change, Change::None);
    match change {
        Change::None => {}
        Change::Start(place) => tx.start_watch(&place, at).await?,
        Change::End(place) => tx.end_watch(&place, Phase::Off, at).await?,
        Change::Move { from, to } => tx.move_watch(&from, &to, at).await?,
        Change::Note(place, post) => {
            if !tx.note(&place, post, at).await? {
                return Ok(Recorded::Nothing);
            }
        }
    }
    let job = match job {
        Some(job) => match &job.watched {
            Some(place) if !tx.is_watched(place, at).await? => None,
            _ => Some(job),
        },
        None => None,
    };
    if job.is_none() && !changes {
        return Ok(Recorded::Nothing);
    }
    for claim in &claims {
        let claimed = tx
            .run(
                "INSERT INTO seen (key, holder, at) VALUES ($1, $2, $3) ON CONFLICT (key) DO NOTHING",
                params![&claim.key, &claim.holder, at],
            )
            .await?;
        if claimed == 0 {
            return Ok(Recorded::Seen);
        }
    }
    let Some(job) = job else {
        return Ok(Recorded::Noted);
    };
    let queued = tx.queue(&job, &claims, at).await?;
    Ok(if queued {
        Recorded::Queued
    } else {
        Recorded::Noted
    })
}
