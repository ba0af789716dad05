//! Work that Slack does not wait for: mentions, suggestions, shortcuts, buttons, late answers.
//!
//! What an event or a press causes is recorded in the [`Store`] before it is acknowledged, and done by whichever process
//! leases it: it survives the end of this one at any point, and what it posts for everybody to see is posted once. What
//! hangs on this process (an answer that is being computed) is a task of its own and ends with it. How many jobs look
//! something up or talk to Slack at once is bounded where they do, so that one that only waits is in nobody's way. A
//! panic ends its job only. Knows nothing of routes.

use std::{
    collections::HashSet,
    panic::AssertUnwindSafe,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use arc_swap::ArcSwap;
use futures::FutureExt;
use tokio::{sync::Notify, time::timeout};
use tokio_util::{
    sync::CancellationToken, task::TaskTracker, task::task_tracker::TaskTrackerToken,
};
use tracing::{debug, error, warn};

use crate::{
    corpus::{Lang, Viewer},
    library::{Library, Opinions},
    metrics::Metrics,
    slack::{
        ChannelId, UserId,
        client::DeliverError,
        command::Command,
        inbound::{Asker, Envelope, Event, Inbound, Place, Tenant, Uninstall},
        pattern::{self, Pattern},
        render,
        reply::{RequestId, Tongue},
    },
    store::{Delivery, Moment, Pace, Recorded, Retention, Store, StoreError},
};

mod alert;
mod channel;
mod clock;
mod context;
pub mod decide;
mod direct;
mod dispatch;
mod home;
pub mod installations;
mod intake;
mod job;
mod locale;
mod mention;
mod modal;
mod opinion;
mod posting;
mod private;
mod recent;
mod record;
mod suggest;
mod unfurl;
mod workflow;

use context::{Context, Shared, Standing};
use installations::Workspaces;
pub use job::Job;
pub use modal::Refined;
use record::Work;

/// What the operator decides about the bot's behaviour, and how jobs are done.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Names of incident channels.
    pub patterns: Vec<Pattern>,
    /// Channels in which the bot may post although they are shared with another organisation.
    pub allowed_channels: HashSet<ChannelId>,
    /// Language where nothing else tells it.
    pub lang: Lang,
    /// How long to wait for more after something happened in an incident channel.
    pub debounce: Duration,
    /// Most jobs that wait or run; beyond it Slack is asked to come again.
    pub queue: usize,
    /// How long a job belongs to a process that no longer says that it is alive.
    pub lease: Duration,
    /// How often a failing job is tried.
    pub attempts: u32,
    /// Wait before the second try; doubles with each further one.
    pub backoff: Duration,
    /// How long a message may be on its way to Slack after its process has ended.
    pub settle: Duration,
    /// How fast messages may follow each other.
    pub pace: Pace,
    /// How long things are kept that are no longer worked on.
    pub retention: Retention,
}

/// Takes jobs and does them. Clones share the work.
#[derive(Clone)]
pub struct Worker {
    ctx: Arc<Shared>,
    tasks: TaskTracker,
    /// Recorded jobs that run here.
    running: Running,
    /// Something was recorded, or there is room for more.
    news: Arc<Notify>,
    /// A job ended.
    changed: Arc<Notify>,
    /// How many more jobs may be recorded before the store is asked how many there are.
    room: Arc<AtomicI64>,
    /// Ends all waiting for more; set when the service stops.
    hurry: CancellationToken,
    /// When everything has to have ended; set before that.
    stop: Arc<OnceLock<Moment>>,
    /// Nothing more is taken from the store.
    dispatched: CancellationToken,
    /// Everything has ended.
    ended: CancellationToken,
    panics: Arc<AtomicU64>,
}

/// Counts what runs.
#[derive(Clone, Default)]
struct Running(TaskTracker);

impl Running {
    fn token(&self) -> TaskTrackerToken {
        self.0.token()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// A job was not taken; whoever has it should come again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotTaken {
    /// Too much waits already.
    #[error("too many jobs wait")]
    Full,
    /// It cannot be recorded.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// A job was made of it.
    Queued,
    /// It was noted, and nothing more is to be done.
    Noted,
    /// Nothing is to be done; why, for the log.
    Ignored(&'static str),
}

/// Why a job did not come to its end.
#[derive(Debug, thiserror::Error)]
enum JobError {
    #[error(transparent)]
    Deliver(#[from] DeliverError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the app is not installed there")]
    NotInstalled,
    #[error("the lookup panicked")]
    Lookup,
    #[error("the job panicked")]
    Panicked,
    #[error("it comes too late to be of use")]
    Stale,
    #[error("it is not its turn")]
    Later(Moment),
    #[error("another has the job")]
    Lost,
}

impl JobError {
    /// Returns whether trying again is of no use.
    const fn is_final(&self) -> bool {
        match self {
            Self::Deliver(error) => error.is_final(),
            Self::NotInstalled | Self::Lookup | Self::Stale => true,
            Self::Store(_) | Self::Panicked | Self::Later(_) | Self::Lost => false,
        }
    }

    /// Returns whether somebody who asked is left without any answer, and could be told.
    const fn leaves_no_answer(&self) -> bool {
        match self {
            // It may be there, or what Slack refuses is the whole channel.
            Self::Deliver(error) => !matches!(
                error,
                DeliverError::OutcomeUnknown(_)
                    | DeliverError::NotInChannel
                    | DeliverError::ChannelGone(_)
            ),
            Self::Store(_) | Self::Panicked => true,
            Self::NotInstalled | Self::Lookup | Self::Stale | Self::Later(_) | Self::Lost => false,
        }
    }

    /// Returns a word for figures.
    const fn word(&self) -> &'static str {
        match self {
            Self::Deliver(_) | Self::Store(_) | Self::NotInstalled | Self::Lookup => "failed",
            Self::Panicked => "panicked",
            Self::Stale => "stale",
            Self::Later(_) => "waits",
            Self::Lost => "lost",
        }
    }
}

/// How a job ended, in a word or two for the log.
type Outcome = Result<&'static str, JobError>;

impl Worker {
    /// Makes a worker; [`Worker::start`] sets it to work.
    pub fn new(
        library: Arc<ArcSwap<Library>>,
        workspaces: Workspaces,
        store: Arc<Store>,
        metrics: Arc<Metrics>,
        settings: Settings,
    ) -> Self {
        Self {
            ctx: Arc::new(Shared::new(library, workspaces, store, metrics, settings)),
            tasks: TaskTracker::new(),
            running: Running::default(),
            news: Arc::default(),
            changed: Arc::default(),
            room: Arc::default(),
            hurry: CancellationToken::new(),
            stop: Arc::default(),
            dispatched: CancellationToken::new(),
            ended: CancellationToken::new(),
            panics: Arc::default(),
        }
    }

    /// Decides what an event means, and records it with the job that it causes.
    ///
    /// # Errors
    /// When it is not recorded: the event then counts as not seen, and Slack should deliver it again.
    pub async fn accept(&self, envelope: Envelope) -> Result<Accepted, NotTaken> {
        let ctx = self.context(&envelope.place.team).await?;
        if !ctx.client.has_token() {
            return Ok(Accepted::Ignored("no bot token"));
        }
        // People join channels all the time; only the bot's own joining matters.
        if let Event::Joined { user } = &envelope.event
            && let Some(identity) = ctx.client.known_identity()
            && identity.user != *user
        {
            return Ok(Accepted::Ignored("somebody else joined"));
        }
        let is_own_or_mention = |post: &_| ctx.is_own_or_mention(post);
        let settings = &self.ctx.settings;
        let patterns = match &envelope.event {
            Event::Named { .. } => {
                let patterns = self.ctx.patterns(&envelope.place.team).await;
                patterns.inspect_err(|error| self.ctx.store_failed(error))?
            }
            _ => Vec::new(),
        };
        let now = clock::now();
        match intake::delivery(settings, &patterns, envelope, is_own_or_mention, now) {
            Ok(delivery) => self.record(delivery).await,
            Err(ignored) => Ok(ignored),
        }
    }

    /// Takes a job: records it if it can outlive the process, else begins it.
    ///
    /// # Errors
    /// When it is not taken.
    pub async fn submit(&self, job: Job) -> Result<(), NotTaken> {
        let work = match Work::of(job) {
            Ok(work) => work,
            Err(job) => return self.spawn(*job),
        };
        self.record_now(&work).await
    }

    async fn record_now(&self, work: &Work) -> Result<(), NotTaken> {
        let now = clock::now();
        let delivery = Delivery {
            claims: work.claims(),
            change: crate::store::Change::None,
            job: Some(work.record(now)),
            at: now,
        };
        self.record(delivery).await.map(drop)
    }

    async fn record(&self, delivery: Delivery) -> Result<Accepted, NotTaken> {
        if delivery.job.is_some() {
            self.make_room().await?;
        }
        match self.ctx.store.record(delivery).await {
            Ok(Recorded::Queued) => {
                self.room.fetch_sub(1, Ordering::Relaxed);
                self.news.notify_one();
                Ok(Accepted::Queued)
            }
            Ok(Recorded::Noted) => Ok(Accepted::Noted),
            Ok(Recorded::Seen) => Ok(Accepted::Ignored("seen before")),
            Ok(Recorded::Nothing) => Ok(Accepted::Ignored("of no consequence")),
            Err(error) => {
                self.ctx.store_failed(&error);
                Err(error.into())
            }
        }
    }

    /// Makes sure that one more job may be recorded. The store is asked now and then only: the limit is a round number.
    async fn make_room(&self) -> Result<(), NotTaken> {
        if self.room.load(Ordering::Relaxed) > 0 {
            return Ok(());
        }
        let counts = self.ctx.store.counts().await;
        let counts = counts.inspect_err(|error| self.ctx.store_failed(error))?;
        let open = usize::try_from(counts.waiting + counts.running).unwrap_or(usize::MAX);
        let Some(left) = self
            .ctx
            .settings
            .queue
            .checked_sub(open)
            .filter(|left| *left > 0)
        else {
            warn!(open, "too many jobs wait; refusing one");
            return Err(NotTaken::Full);
        };
        // Less than what is left: other replicas record too.
        let room = i64::try_from(left / 4).unwrap_or(i64::MAX);
        self.room.store(room, Ordering::Relaxed);
        Ok(())
    }

    fn spawn(&self, job: Job) -> Result<(), NotTaken> {
        // Languages that are learnt for later keep nobody else out.
        let waiting = self.waiting().saturating_sub(self.ctx.locales.due());
        if waiting >= self.ctx.settings.queue {
            warn!(waiting, "too many jobs wait; refusing one");
            return Err(NotTaken::Full);
        }
        let worker = self.clone();
        self.tasks.spawn(async move {
            worker.run_here(job).await;
            worker.changed.notify_waiters();
        });
        Ok(())
    }

    /// Does a job that is not recorded.
    async fn run_here(&self, job: Job) {
        let (id, kind) = (RequestId::random(), job.kind());
        let team = job.team().map(str::to_owned);
        let ctx = self
            .context_or_bare(team.as_deref().unwrap_or_default())
            .await;
        let done = AssertUnwindSafe(job.perform(&ctx, id)).catch_unwind().await;
        let word = match &done {
            Ok(Ok(_)) => "done",
            Ok(Err(error)) => error.word(),
            Err(_) => "panicked",
        };
        self.ctx.metrics.job(kind, word);
        match done {
            Ok(Ok(outcome)) => debug!(job = kind, %id, outcome, "job done"),
            Ok(Err(error)) => warn!(job = kind, %id, %error, "job failed"),
            Err(_) => self.count_panic(kind, id),
        }
        if let Some(team) = team {
            self.alert(&ctx, &team).await;
        }
    }

    /// Has an admin told of permissions that turned out to be missing.
    async fn alert(&self, ctx: &Context, team: &str) {
        for scope in ctx.news_of_missing(team) {
            let team = team.to_owned();
            let recorded = self.record_now(&Work::Alert { team, scope }).await;
            if let Err(error) = recorded {
                warn!(%error, "nobody is told of a missing permission");
            }
        }
    }

    fn count_panic(&self, kind: &'static str, id: RequestId) {
        self.panics.fetch_add(1, Ordering::Relaxed);
        error!(job = kind, %id, "job panicked");
    }

    /// Returns whether the app is installed for a tenant, and makes sure that what comes from it leads to that install.
    ///
    /// # Errors
    /// When that cannot be said for now.
    pub async fn admit(&self, tenant: &Tenant, inbound: &mut Inbound) -> Result<bool, NotTaken> {
        let admitted = self.ctx.workspaces.admit(tenant, inbound.team_mut()).await;
        Ok(admitted.inspect_err(|error| self.ctx.store_failed(error))?)
    }

    /// Forgets a workspace that took the app away, unless it installed it again since. Returns whether it did.
    ///
    /// # Errors
    /// When that is not done: Slack should say it again.
    pub async fn remove(&self, tenant: &Tenant, uninstall: Uninstall) -> Result<bool, NotTaken> {
        let removed = self.ctx.workspaces.remove(tenant, uninstall).await;
        Ok(removed.inspect_err(|error| self.ctx.store_failed(error))?)
    }

    /// Returns what to work with in a workspace; where the app is not installed, with nobody's token.
    async fn context(&self, team: &str) -> Result<Context, StoreError> {
        let ctx = Context::of(&self.ctx, team).await;
        let ctx = ctx.inspect_err(|error| self.ctx.store_failed(error))?;
        Ok(ctx.unwrap_or_else(|| Context::bare(&self.ctx)))
    }

    /// Does the same where it may do less when that cannot be said.
    async fn context_or_bare(&self, team: &str) -> Context {
        let ctx = self.context(team).await;
        ctx.unwrap_or_else(|_| Context::bare(&self.ctx))
    }

    /// Returns the configured language and somebody's own if it is known; if not, learns it for the next time. Never waits
    /// for Slack.
    pub async fn tongue(&self, team: &str, user: &UserId) -> Tongue {
        let known = self.ctx.locales.known(user).await;
        if known.is_none()
            && let ctx = self.context_or_bare(team).await
            && ctx.client.has_token()
            && !ctx.client.hides_people()
            && let Some(due) = self.ctx.locales.take(user)
        {
            self.tasks
                .spawn(async move { ctx.locales.learn_later(&ctx.client, due).await });
        }
        self.ctx.tongue_of(known.flatten())
    }

    /// Returns the words of a channel's name, without those that only say that it is an incident channel.
    pub async fn channel_words(&self, place: &Place, name: &str) -> String {
        let patterns = self.ctx.patterns(&place.team).await;
        let patterns = patterns.unwrap_or_else(|error| {
            self.ctx.store_failed(&error);
            self.ctx.settings.patterns.clone()
        });
        pattern::incident_words(&patterns, name).unwrap_or_else(|| name.replace(['-', '_'], " "))
    }

    /// Sets what a command says, and returns what people are told of the settings. For a workspace that takes a call to
    /// Slack, but not long.
    pub async fn shown_after(&self, asker: &Asker, command: &Command) -> render::Settings {
        let ctx = self.context_or_bare(&asker.place.team).await;
        ctx.shown_after(&asker.place, Some(&asker.user), command)
            .await
    }

    /// Remembers what somebody asked, for their own home.
    pub async fn remember(&self, asker: &Asker, question: &str) {
        let recent = &self.ctx.recent;
        recent
            .remember(&asker.place.team, &asker.user, question)
            .await;
    }

    /// Returns what a workspace said about precedents. Never waits for Slack.
    pub async fn opinions(&self, team: &str) -> Arc<Opinions> {
        self.ctx.opinions(team).await
    }

    /// Returns who sees what is shown in a channel. That may take a call to Slack, but not long.
    pub async fn viewer(&self, place: &Place) -> Viewer {
        self.context_or_bare(&place.team).await.viewer(place).await
    }

    /// Returns whether the bot can do more than answer commands in a workspace.
    pub async fn has_token(&self, team: &str) -> bool {
        self.context_or_bare(team).await.client.has_token()
    }

    /// Returns whether the one workspace that the service is configured for has a token; `None` when workspaces install it.
    pub fn has_only_token(&self) -> Option<bool> {
        let only = self.ctx.workspaces.only();
        only.map(crate::slack::client::Client::has_token)
    }

    /// Returns how many jobs run here.
    pub fn waiting(&self) -> usize {
        self.tasks.len()
    }

    /// Returns how many jobs have panicked since the start.
    pub fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }

    /// Returns the store that the jobs are in.
    pub fn store(&self) -> &Store {
        &self.ctx.store
    }

    /// Waits until no job runs and none is due within the next seconds.
    pub async fn idle(&self) {
        loop {
            let changed = self.changed.notified();
            if self.is_idle().await {
                return;
            }
            // What is due later is nobody's change, so it is looked at again all the same.
            let _ = timeout(Duration::from_millis(100), changed).await;
        }
    }

    /// Finishes what runs here, and what is in memory only, for at most `grace`. What is recorded elsewhere stays there for
    /// the next process. Returns how many jobs were left undone.
    pub async fn drain(&self, grace: Duration) -> usize {
        self.stop.get_or_init(|| clock::now().after(grace));
        self.hurry.cancel();
        let all = async {
            self.dispatched.cancelled().await;
            self.tasks.close();
            self.tasks.wait().await;
        };
        let _ = timeout(grace, all).await;
        let mut left = self.tasks.len();
        if !self.ctx.store.is_durable() {
            let counts = self.ctx.store.counts().await.unwrap_or_default();
            left += usize::try_from(counts.waiting).unwrap_or(0);
        }
        if left > 0 {
            warn!(left, "stopped with jobs undone");
        }
        self.ended.cancel();
        left
    }
}
