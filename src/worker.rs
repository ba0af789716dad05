//! Work that Slack does not wait for: mentions, suggestions, shortcuts, buttons, late answers.
//!
//! Every accepted job is a task of its own. [`Settings::queue`] bounds how many there are; how many look something up or
//! talk to Slack at once is bounded where they do, so that one that only waits is in nobody's way. A panic ends its job
//! only. Knows nothing of routes.

use std::{
    collections::HashSet,
    panic::AssertUnwindSafe,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use arc_swap::ArcSwap;
use futures::FutureExt;
use tokio::task::JoinHandle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::{debug, error, info, warn};

use crate::{
    corpus::Lang,
    library::Library,
    slack::{
        ChannelId, Message, Ts, UserId,
        client::{Client, DeliverError},
        inbound::{
            Asker, Click, Envelope, Event, Links, Opening, Place, Post, Shortcut, Step, ViewRef,
        },
        pattern::{self, Pattern},
        render,
        reply::{RequestId, Tongue},
    },
};

mod context;
pub mod decide;
mod direct;
mod home;
mod locale;
mod mention;
mod modal;
mod private;
mod recent;
mod seen;
mod suggest;
mod unfurl;
mod watch;
mod workflow;

use context::{Context, Standing};
use decide::Phase;
pub use modal::Refined;
use seen::Key;

/// What the operator decides about the bot's behaviour.
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
}

/// Takes jobs and does them. Clones share the work.
#[derive(Clone)]
pub struct Worker {
    ctx: Arc<Context>,
    tasks: TaskTracker,
    /// Ends all waiting for more; set when the service stops.
    hurry: CancellationToken,
    panics: Arc<AtomicU64>,
}

/// Something to do.
pub enum Job {
    /// Answer a mention in its thread.
    Mention(Place, Post),
    /// See whether a channel that somebody was added to is an incident channel, and the somebody is the bot.
    Joined(Place, UserId),
    /// Look at an incident channel and speak up if there is something worth saying.
    Suggest(Place),
    /// Answer the message shortcut.
    Shortcut(Shortcut),
    /// Do what a button says.
    Click(Click),
    /// Send the answer of a command that took too long.
    Late {
        /// Who waits.
        asker: Asker,
        /// The answer in the making.
        answer: JoinHandle<Message>,
        /// What to say when it fails.
        failure: Message,
    },
    /// Look up what a channel is about, for a command without text.
    ThisChannel {
        /// Who asked.
        asker: Asker,
        /// In which language to answer.
        tongue: Tongue,
        /// Whether that was asked for by name, so that it is answered in any case.
        by_name: bool,
    },
    /// Answer a message to the bot alone.
    Direct(Place, Post),
    /// Say the first words in a conversation.
    Greet(Place, UserId, Ts),
    /// Show somebody's home.
    Home(Place, UserId),
    /// Show previews of links.
    Unfurl(Place, Links),
    /// Do a workflow's step.
    Step(Step),
    /// Open the search form.
    Search(Opening),
    /// Answer a question that a form changed.
    Refined(Refined),
    /// Show an answer in a view that waits for it.
    LateView {
        /// The view.
        view: ViewRef,
        /// The answer in the making.
        answer: JoinHandle<Message>,
        /// What to say when it fails.
        failure: Message,
        /// In which language.
        lang: Lang,
    },
    /// Learn who the bot is.
    Introduce,
}

/// Too much waits already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many jobs wait")]
pub struct QueueFull;

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// A job was made of it.
    Queued,
    /// Nothing is to be done; why, for the log.
    Ignored(&'static str),
}

/// Why a job failed.
#[derive(Debug, thiserror::Error)]
enum JobError {
    #[error(transparent)]
    Deliver(#[from] DeliverError),
    #[error("the lookup panicked")]
    Lookup,
}

/// How a job ended, in a word or two for the log.
type Outcome = Result<&'static str, JobError>;

impl Worker {
    /// Makes a worker; it needs a runtime to submit jobs.
    pub fn new(library: Arc<ArcSwap<Library>>, client: Client, settings: Settings) -> Self {
        Self {
            ctx: Arc::new(Context::new(library, client, settings)),
            tasks: TaskTracker::new(),
            hurry: CancellationToken::new(),
            panics: Arc::default(),
        }
    }

    /// Decides what an event means and makes a job of it.
    ///
    /// # Errors
    /// When too much waits; the event then counts as not seen, and Slack should deliver it again.
    pub async fn accept(&self, envelope: Envelope) -> Result<Accepted, QueueFull> {
        let Envelope {
            id,
            shared_channel,
            place,
            event,
        } = envelope;
        if !self.ctx.client.has_token() {
            return Ok(Accepted::Ignored("no bot token"));
        }
        if shared_channel && !self.ctx.settings.allowed_channels.contains(&place.channel) {
            return Ok(Accepted::Ignored(
                "channel shared with another organisation",
            ));
        }
        let mut keys: Vec<Key> = id.map(Key::Event).into_iter().collect();
        let mut noted = None;
        let job = match event {
            Event::Mention(post) => {
                keys.push(Key::Mention(place.clone(), post.ts.clone()));
                Job::Mention(place, post)
            }
            Event::Joined { user } => Job::Joined(place, user),
            Event::Direct(post) => {
                keys.push(Key::Mention(place.clone(), post.ts.clone()));
                Job::Direct(place, post)
            }
            Event::Greeted { user, thread } => Job::Greet(place, user, thread),
            Event::HomeOpened { user } => Job::Home(place, user),
            Event::Links(links) => Job::Unfurl(place, links),
            Event::Step(step) => {
                keys.push(Key::Step(step.execution.clone()));
                Job::Step(step)
            }
            Event::Gone => {
                self.ctx.watches.end(&place, Phase::Off);
                return Ok(Accepted::Ignored("channel is gone"));
            }
            Event::Moved { to } => {
                let to = Place {
                    team: place.team.clone(),
                    channel: to,
                };
                // A look may be due that would find nothing at the old place.
                self.ctx.watches.rename(&place, to.clone());
                Job::Suggest(to)
            }
            Event::Named { name } => {
                if pattern::incident_words(&self.ctx.settings.patterns, &name).is_none() {
                    self.ctx.watches.end(&place, Phase::Off);
                    return Ok(Accepted::Ignored("no incident channel"));
                }
                self.ctx.watches.start(&place);
                Job::Suggest(place)
            }
            Event::Described => Job::Suggest(place),
            Event::Message(post) => {
                let ts = post.ts.clone();
                if self.ctx.is_own_or_mention(&post) || !self.ctx.watches.note(&place, post) {
                    return Ok(Accepted::Ignored("message that changes nothing"));
                }
                noted = Some(ts);
                Job::Suggest(place)
            }
        };
        for (at, key) in keys.iter().enumerate() {
            if !self.ctx.seen.claim(key.clone()).await {
                // Another delivery has it. The claims before this one are this delivery's own and may stay: what they
                // stand for is being handled.
                debug!(repeat = at, "seen before");
                return Ok(Accepted::Ignored("seen before"));
            }
        }
        if let Job::Suggest(place) = &job
            && !self.ctx.watches.ask(place)
        {
            return Ok(Accepted::Ignored("not watched, or a look is due already"));
        }
        let watched = match &job {
            Job::Suggest(place) => Some(place.clone()),
            _ => None,
        };
        if let Err(full) = self.spawn(job, keys.clone()) {
            self.ctx.release(&keys).await;
            if let Some(place) = watched {
                // The look that was asked for will not come; the next delivery or message may ask again.
                self.ctx.watches.begin(&place);
                if let Some(ts) = noted {
                    self.ctx.watches.forget(&place, &ts);
                }
            }
            return Err(full);
        }
        Ok(Accepted::Queued)
    }

    /// Takes a job.
    ///
    /// # Errors
    /// When too much waits.
    pub fn submit(&self, job: Job) -> Result<(), QueueFull> {
        self.spawn(job, Vec::new())
    }

    fn spawn(&self, job: Job, claims: Vec<Key>) -> Result<(), QueueFull> {
        // Languages that are learnt for later keep nobody else out.
        let waiting = self.waiting().saturating_sub(self.ctx.locales.due());
        if waiting >= self.ctx.settings.queue {
            warn!(waiting, "too many jobs wait; refusing one");
            return Err(QueueFull);
        }
        let worker = self.clone();
        self.tasks
            .spawn(async move { worker.run(job, claims).await });
        Ok(())
    }

    async fn run(&self, job: Job, claims: Vec<Key>) {
        if matches!(job, Job::Suggest(_)) {
            // Incident tools set topic and purpose seconds after the channel: wait for what belongs together.
            #[expect(
                clippy::disallowed_methods,
                reason = "what belongs together has no event that ends it"
            )]
            let quiet = tokio::time::sleep(self.ctx.settings.debounce);
            tokio::select! {
                () = quiet => {}
                () = self.hurry.cancelled() => {}
            }
        }
        let (id, kind) = (RequestId::random(), job.kind());
        let done = AssertUnwindSafe(job.perform(&self.ctx, id))
            .catch_unwind()
            .await;
        match done {
            Ok(Ok(outcome)) => {
                debug!(job = kind, %id, outcome, "job done");
                return;
            }
            Ok(Err(error)) => warn!(job = kind, %id, %error, "job failed"),
            Err(_) => {
                self.panics.fetch_add(1, Ordering::Relaxed);
                error!(job = kind, %id, "job panicked");
            }
        }
        self.ctx.release(&claims).await;
    }

    /// Returns the configured language and somebody's own if it is known; if not, learns it for the next time. Never waits
    /// for Slack.
    pub async fn tongue(&self, user: &UserId) -> Tongue {
        let known = self.ctx.locales.known(user).await;
        if known.is_none()
            && self.has_token()
            && let Some(due) = self.ctx.locales.take(user)
        {
            let ctx = Arc::clone(&self.ctx);
            self.tasks
                .spawn(async move { ctx.locales.learn_later(&ctx.client, due).await });
        }
        self.ctx.tongue_of(known.flatten())
    }

    /// Returns the words of a channel's name, without those that only say that it is an incident channel.
    pub fn channel_words(&self, name: &str) -> String {
        pattern::incident_words(&self.ctx.settings.patterns, name)
            .unwrap_or_else(|| name.replace(['-', '_'], " "))
    }

    /// Returns what people are told of the settings.
    pub fn shown(&self) -> render::Settings {
        self.ctx.shown()
    }

    /// Remembers what somebody asked, for their own home.
    pub async fn remember(&self, asker: &Asker, question: &str) {
        let recent = &self.ctx.recent;
        recent
            .remember(&asker.place.team, &asker.user, question)
            .await;
    }

    /// Returns whether the bot can do more than answer commands.
    pub fn has_token(&self) -> bool {
        self.ctx.client.has_token()
    }

    /// Returns how many jobs wait or run.
    pub fn waiting(&self) -> usize {
        self.tasks.len()
    }

    /// Returns how many jobs have panicked since the start.
    pub fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }

    /// Waits until no job waits or runs.
    pub async fn idle(&self) {
        self.tasks.close();
        self.tasks.wait().await;
        self.tasks.reopen();
    }

    /// Finishes what was accepted, for at most `grace`. Returns how many jobs were left undone.
    pub async fn drain(&self, grace: Duration) -> usize {
        self.hurry.cancel();
        self.tasks.close();
        if tokio::time::timeout(grace, self.tasks.wait())
            .await
            .is_err()
        {
            warn!(left = self.tasks.len(), "stopped with jobs undone");
        }
        self.tasks.len()
    }
}

impl Job {
    const fn kind(&self) -> &'static str {
        match self {
            Self::Mention(..) => "mention",
            Self::Joined(..) => "joined",
            Self::Suggest(_) => "suggest",
            Self::Shortcut(_) => "shortcut",
            Self::Click(_) => "click",
            Self::Late { .. } => "late answer",
            Self::ThisChannel { .. } => "this channel",
            Self::Direct(..) => "direct message",
            Self::Greet(..) => "greeting",
            Self::Home(..) => "home",
            Self::Unfurl(..) => "unfurl",
            Self::Step(_) => "step",
            Self::Search(_) => "search form",
            Self::Refined(_) => "refined",
            Self::LateView { .. } => "late view",
            Self::Introduce => "introduce",
        }
    }

    async fn perform(self, ctx: &Context, id: RequestId) -> Outcome {
        match self {
            Self::Mention(place, post) => mention::answer(ctx, &place, &post, id).await,
            Self::Joined(place, user) => suggest::joined(ctx, &place, &user).await,
            Self::Suggest(place) => suggest::look(ctx, &place).await,
            Self::Shortcut(shortcut) => private::shortcut(ctx, shortcut, id).await,
            Self::Click(click) => private::click(ctx, click, id).await,
            Self::Late {
                asker,
                answer,
                failure,
            } => private::late(ctx, &asker, answer, failure).await,
            Self::ThisChannel {
                asker,
                tongue,
                by_name,
            } => private::this_channel(ctx, &asker, tongue, by_name, id).await,
            Self::Direct(place, post) => direct::answer(ctx, &place, &post, id).await,
            Self::Greet(place, user, thread) => home::greet(ctx, &place, &user, &thread).await,
            Self::Home(place, user) => home::show(ctx, &place, &user).await,
            Self::Unfurl(place, links) => unfurl::show(ctx, &place, links).await,
            Self::Step(step) => workflow::step(ctx, step, id).await,
            Self::Search(opening) => modal::search(ctx, &opening).await,
            Self::Refined(refined) => modal::refined(ctx, refined, id).await,
            Self::LateView {
                view,
                answer,
                failure,
                lang,
            } => modal::late(ctx, &view, answer, &failure, lang).await,
            Self::Introduce => {
                let identity = ctx.client.identity().await?;
                info!(user = %identity.user, "Slack knows us");
                Ok("introduced")
            }
        }
    }
}
