//! Posting for everybody to see: in turn, once, and never again after a crash.

use std::time::Duration;

use super::{Context, JobError, clock};
use crate::{
    slack::{
        Message,
        client::{DeliverError, Marker, Sent, Thread},
        inbound::Place,
        watch::Said,
    },
    store::{Begun, Lease, Moment},
};

/// A recorded job while it is done.
pub(super) struct Turn<'j> {
    pub(super) ctx: &'j Context,
    pub(super) lease: &'j Lease,
    /// When it stops to be of use.
    pub(super) until: Moment,
}

impl Turn<'_> {
    /// Waits for the job's turn to post in a channel: gives the job back until then.
    pub(super) async fn await_turn(&self, place: &Place) -> Result<(), JobError> {
        let ctx = self.ctx;
        let turn = ctx
            .store
            .turn(self.lease, place, ctx.settings.pace, clock::now());
        match turn.await? {
            None => Ok(()),
            Some(at) if at > self.until => Err(JobError::Stale),
            Some(at) => Err(JobError::Later(at)),
        }
    }

    /// Posts the message that `key` identifies, unless it was. Returns its id where Slack told it. The caller records that
    /// it was made.
    pub(super) async fn post(
        &self,
        key: &str,
        place: &Place,
        thread: Option<Thread<'_>>,
        message: &Message,
        marker: &Marker,
    ) -> Result<Posted, JobError> {
        self.post_said(key, place, thread, message, marker, None)
            .await
    }

    /// Does the same with a message of which has to be known what it says.
    pub(super) async fn post_said(
        &self,
        key: &str,
        place: &Place,
        thread: Option<Thread<'_>>,
        message: &Message,
        marker: &Marker,
        said: Option<&Said>,
    ) -> Result<Posted, JobError> {
        let look = match self.begin(key, said).await? {
            // Whoever looked at the channel before did not look into its threads.
            Begun::Fresh => said.is_some_and(|said| said.thread.is_some()),
            Begun::Uncertain => true,
            Begun::Made => return Ok(Posted::Made),
            Begun::Later(at) => return Err(JobError::Later(at)),
            Begun::Lost => return Err(JobError::Lost),
        };
        let client = &self.ctx.client;
        let sent = client
            .post_once(&place.channel, thread, message, marker, look)
            .await;
        match sent {
            Ok(Sent::Now(ts)) => {
                self.ctx.metrics.post("sent");
                Ok(Posted::Now(ts))
            }
            Ok(Sent::Before(ts)) => {
                self.ctx.metrics.post("found");
                Ok(Posted::Before(ts))
            }
            // It may be there, and nothing will ever tell. Twice is worse than never.
            Ok(Sent::Untold) => {
                self.ctx.metrics.post("untold");
                Ok(Posted::Untold)
            }
            Err(error) => Err(self.refused(key, place, error).await),
        }
    }

    /// Changes a message of ours, as `key` identifies the change. The caller records that it was made.
    pub(super) async fn edit(
        &self,
        key: &str,
        (place, ts): (&Place, &str),
        message: &Message,
        marker: &Marker,
        said: &Said,
    ) -> Result<(), JobError> {
        match self.begin(key, Some(said)).await? {
            // Should an earlier try have reached the channel, the message changes from there.
            Begun::Fresh | Begun::Uncertain => {}
            Begun::Made => return Ok(()),
            Begun::Later(at) => return Err(JobError::Later(at)),
            Begun::Lost => return Err(JobError::Lost),
        }
        let client = &self.ctx.client;
        match client.update(&place.channel, ts, message, marker).await {
            Ok(()) => {
                self.ctx.metrics.post("edited");
                Ok(())
            }
            Err(error) => Err(self.refused(key, place, error).await),
        }
    }

    async fn begin(&self, key: &str, said: Option<&Said>) -> Result<Begun, JobError> {
        let (ctx, settle) = (self.ctx, self.ctx.settings.settle);
        let begun = ctx
            .store
            .begin_said(self.lease, key, said, settle, clock::now());
        Ok(begun.await?)
    }

    /// Notes that Slack did not take a message, if that is certain, and when to try again.
    async fn refused(&self, key: &str, place: &Place, error: DeliverError) -> JobError {
        let ctx = self.ctx;
        ctx.metrics.post(match error {
            DeliverError::RateLimited { .. } => "limited",
            DeliverError::OutcomeUnknown(_) => "unknown",
            _ => "refused",
        });
        if matches!(error, DeliverError::OutcomeUnknown(_)) {
            return error.into();
        }
        if let Err(error) = ctx.store.not_made(key).await {
            // Then it is looked for in vain before the next try, which does no harm.
            return error.into();
        }
        match error {
            DeliverError::RateLimited { retry_after } => {
                let until = clock::now().after(retry_after);
                match ctx.store.stop_posting(place, until).await {
                    Ok(()) if until > self.until => JobError::Stale,
                    Ok(()) => JobError::Later(until),
                    Err(error) => error.into(),
                }
            }
            error => error.into(),
        }
    }
}

/// What became of a message.
#[derive(Clone, Debug)]
pub(super) enum Posted {
    /// It was posted now.
    Now(Option<String>),
    /// It was there.
    Before(Option<String>),
    /// It was recorded that it is there.
    Made,
    /// It may be there, and nobody can see whether.
    Untold,
}

impl Posted {
    /// Returns the message's id where Slack told it.
    pub(super) fn ts(&self) -> Option<&str> {
        match self {
            Self::Now(ts) | Self::Before(ts) => ts.as_deref(),
            Self::Made | Self::Untold => None,
        }
    }
}

/// How long to wait before a failed job is tried again.
pub(super) fn backoff(first: Duration, longest: Duration, attempts: u32) -> Duration {
    let doubled = first.saturating_mul(1 << attempts.saturating_sub(1).min(16));
    doubled.min(longest)
}
