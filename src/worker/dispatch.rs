//! Takes recorded jobs from the store and has them done: at most so many at once, each under a lease that is renewed.

use std::{panic::AssertUnwindSafe, time::Duration};

use futures::FutureExt;
use tokio::time::timeout;
use tracing::{debug, error, warn};

use super::{
    Context, JobError, Outcome, Worker, alert, channel, clock, direct, home, mention, modal,
    posting, private, record::Work, suggest, unfurl, workflow,
};
use crate::{
    slack::reply::RequestId,
    store::{Leased, StoreError},
};

/// Most recorded jobs at once. Most of their time they wait for Slack.
const RUNNING: usize = 64;

/// How long at most until the store is asked again: other replicas record jobs too, and leases end.
const POLL: Duration = Duration::from_secs(1);

/// How often to look for what can be forgotten.
const SWEEP: Duration = Duration::from_mins(1);

/// What is due within this time counts as not left for later.
const SOON: Duration = Duration::from_secs(5);

/// Longest wait before a failed job is tried again.
const LONGEST_BACKOFF: Duration = Duration::from_mins(5);

impl Worker {
    /// Begins to do recorded jobs, also those that an earlier process left. Needs a runtime; call it once.
    pub fn start(&self) {
        for task in [
            tokio::spawn(self.clone().dispatch()),
            tokio::spawn(self.clone().renew()),
            tokio::spawn(self.clone().sweep()),
        ] {
            drop(task);
        }
    }

    /// Takes what is due until the service stops.
    async fn dispatch(self) {
        loop {
            // Seen once a round: a round that began before the stop took nothing early.
            let hurry = self.hurry.is_cancelled();
            if hurry && self.ctx.store.is_durable() {
                break;
            }
            let room = RUNNING.saturating_sub(self.running());
            let taken = match self.take(room, hurry).await {
                Ok(taken) => taken,
                Err(error) => {
                    self.ctx.store_failed(&error);
                    0
                }
            };
            self.changed.notify_waiters();
            if taken > 0 && taken == room {
                continue;
            }
            if hurry && taken == 0 && self.running() == 0 && !self.is_more_due_in_time().await {
                break;
            }
            self.wait_for_work().await;
        }
        self.dispatched.cancel();
    }

    /// Takes at most `room` jobs, also early ones in a hurry, and has them done. Returns how many.
    async fn take(&self, room: usize, hurry: bool) -> Result<usize, StoreError> {
        let most = u32::try_from(room).unwrap_or(u32::MAX);
        if most == 0 {
            return Ok(0);
        }
        let (ctx, now) = (&self.ctx, clock::now());
        let jobs = if hurry {
            let early = ctx
                .store
                .take_early(&ctx.owner, most, ctx.settings.lease, now);
            early.await?
        } else {
            let due = ctx.store.take(&ctx.owner, most, ctx.settings.lease, now);
            due.await?
        };
        let taken = jobs.len();
        for job in jobs {
            let (worker, running) = (self.clone(), self.running.token());
            self.tasks.spawn(async move {
                worker.run(job).await;
                drop(running);
                worker.news.notify_one();
                worker.changed.notify_waiters();
            });
        }
        Ok(taken)
    }

    /// Returns whether a job that was given back is due again before the stop: one that waits for its turn, or failed.
    async fn is_more_due_in_time(&self) -> bool {
        let due = self.ctx.store.next_due().await.unwrap_or_default();
        due.zip(self.stop.get().copied())
            .is_some_and(|(due, stop)| due <= stop)
    }

    /// Waits until something may be due.
    async fn wait_for_work(&self) {
        let now = clock::now();
        let wait = match self.ctx.store.next_due().await {
            Ok(Some(due)) if self.running() < RUNNING => due.since(now).min(POLL),
            _ => POLL,
        };
        // A millisecond, since moments are whole ones.
        let wait = wait.max(Duration::from_millis(1));
        let news = async {
            tokio::select! {
                () = self.news.notified() => {}
                () = self.hurry.cancelled(), if !self.hurry.is_cancelled() => {}
            }
        };
        let _ = timeout(wait, news).await;
    }

    /// Does one job to its end.
    async fn run(&self, job: Leased) {
        let (store, now) = (&self.ctx.store, clock::now());
        let Some(work) = Work::read(&job.payload, now.since(job.asked)) else {
            error!(job = job.kind, "a recorded job cannot be read");
            self.recorded(store.fail(&job.lease, "unreadable", now).await);
            return;
        };
        let (id, kind) = (RequestId::random(), work.kind());
        let until = job.asked.after(work.lifetime());
        let (ctx, hindered) = match Context::of(&self.ctx, work.team()).await {
            Ok(Some(ctx)) => (ctx, None),
            // With nobody's token: whoever asked may still be told where Slack gave an address for that.
            Ok(None) => (Context::bare(&self.ctx), Some(JobError::NotInstalled)),
            Err(error) => (Context::bare(&self.ctx), Some(error.into())),
        };
        let ctx = &ctx;
        let turn = posting::Turn {
            ctx,
            lease: &job.lease,
            until,
        };
        let outcome = if now > until {
            Err(JobError::Stale)
        } else if let Some(error) = hindered {
            Err(error)
        } else {
            let done = AssertUnwindSafe(work.perform(&turn, id)).catch_unwind();
            done.await.unwrap_or_else(|_| {
                self.count_panic(kind, id);
                Err(JobError::Panicked)
            })
        };
        ctx.metrics.job(
            kind,
            outcome.as_ref().map_or_else(JobError::word, |_| "done"),
        );
        match outcome {
            Ok(outcome) => {
                debug!(job = kind, %id, outcome, "job done");
                let done = ctx
                    .store
                    .done(&job.lease, ctx.settings.debounce, clock::now());
                self.recorded(done.await.map(drop));
            }
            Err(JobError::Later(at)) => {
                self.recorded(ctx.store.later(&job.lease, at, None).await);
            }
            Err(JobError::Lost) => debug!(job = kind, %id, "another has the job"),
            Err(error) => self.failed(&turn, &work, &job, &error, id).await,
        }
        self.alert(ctx, work.team()).await;
    }

    /// Tries a failed job later, or gives it up.
    async fn failed(
        &self,
        turn: &posting::Turn<'_>,
        work: &Work,
        job: &Leased,
        error: &JobError,
        id: RequestId,
    ) {
        let (ctx, now, kind) = (turn.ctx, clock::now(), work.kind());
        let wait = posting::backoff(ctx.settings.backoff, LONGEST_BACKOFF, job.attempts);
        let due = now.after(wait);
        if !error.is_final() && job.attempts < ctx.settings.attempts && due <= turn.until {
            warn!(job = kind, %id, %error, ?wait, "job failed; trying again later");
            let why = error.to_string();
            self.recorded(ctx.store.later(&job.lease, due, Some(&why)).await);
            return;
        }
        warn!(job = kind, %id, %error, "job failed");
        if error.leaves_no_answer() {
            apologise(turn.ctx, work, id).await;
        }
        self.recorded(
            ctx.store
                .fail(&job.lease, &error.to_string(), clock::now())
                .await,
        );
    }

    /// Renews the leases of everything that runs here.
    async fn renew(self) {
        let ctx = &self.ctx;
        while timeout(ctx.settings.lease / 4, self.ended.cancelled())
            .await
            .is_err()
        {
            let renewed = ctx
                .store
                .renew(&ctx.owner, ctx.settings.lease, clock::now());
            self.recorded(renewed.await);
        }
    }

    /// Forgets what has been kept long enough.
    async fn sweep(self) {
        let ctx = &self.ctx;
        while timeout(SWEEP, self.ended.cancelled()).await.is_err() {
            match ctx.store.sweep(ctx.settings.retention, clock::now()).await {
                Ok(gone) => debug!(gone, "forgot what is old"),
                Err(error) => self.ctx.store_failed(&error),
            }
        }
    }

    /// Returns how many recorded jobs run here.
    fn running(&self) -> usize {
        self.running.len()
    }

    fn recorded(&self, recorded: Result<(), StoreError>) {
        if let Err(error) = recorded {
            self.ctx.store_failed(&error);
        }
    }

    /// Returns whether nothing runs and nothing is due soon.
    pub(super) async fn is_idle(&self) -> bool {
        if !self.tasks.is_empty() {
            return false;
        }
        let soon = clock::now().after(SOON);
        let busy = self.ctx.store.busy(soon).await;
        busy.is_ok_and(|jobs| jobs == 0) && self.tasks.is_empty()
    }
}

/// Says that nothing comes of a job, to whoever waits for it.
async fn apologise(ctx: &Context, work: &Work, id: RequestId) {
    match work {
        Work::Mention { place, post } | Work::Direct { place, post } => {
            mention::apologise(ctx, place, post, id).await;
        }
        Work::Step { step, .. } => workflow::give_up(ctx, step, id).await,
        other => {
            if let Some(asker) = other.asker() {
                private::apologise(ctx, asker, id).await;
            }
        }
    }
}

impl Work {
    async fn perform(&self, turn: &posting::Turn<'_>, id: RequestId) -> Outcome {
        match self {
            Self::Mention { place, post } => mention::answer(turn, place, post, id).await,
            Self::Joined { place, user } => suggest::joined(turn, place, user).await,
            Self::Look { place } => suggest::look(turn, place).await,
            Self::Shortcut { shortcut } => private::shortcut(turn.ctx, shortcut, id).await,
            Self::Click { click } => private::click(turn, click, id).await,
            Self::Direct { place, post } => direct::answer(turn, place, post, id).await,
            Self::Greet {
                place,
                user,
                thread,
            } => home::greet(turn, place, user, thread).await,
            Self::Home { place, user } => home::show(turn.ctx, place, user).await,
            Self::Unfurl { place, links } => unfurl::show(turn.ctx, place, links).await,
            Self::Step { step, .. } => workflow::step(turn.ctx, step, id).await,
            Self::Refined { refined } => modal::refined(turn.ctx, refined, id).await,
            Self::Set { setting } => channel::set(turn.ctx, setting).await,
            Self::Alert { team, scope } => alert::tell(turn, team, scope).await,
        }
    }
}
