//! What all jobs work with, and what several of them do.

use std::{
    collections::HashSet,
    ops::Deref,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use moka::future::Cache;
use tokio::{sync::Semaphore, time::timeout};
use tracing::warn;

use super::{
    JobError, Settings, installations::Workspaces, locale::Locales, opinion, recent::Recent,
};
use crate::{
    corpus::{Lang, Viewer},
    library::{Library, Opinions},
    metrics::Metrics,
    slack::{
        ChannelId, UserId,
        client::{Client, DeliverError},
        inbound::{Place, Post},
        render,
        reply::Tongue,
        setting::Here,
    },
    store::{Store, StoreError},
};

/// Most lookups of jobs at once. Nobody waits for them as for a command's.
const LOOKUPS: usize = 2;

/// How long it is taken for granted whether a channel is shared: little, since that changes at any time.
const LIFETIME: Duration = Duration::from_mins(1);

/// For how many channels.
const CHANNELS: u64 = 10_000;

/// How long to wait for it. A command has less than three seconds in all.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// What jobs of one workspace work with.
pub(super) struct Context {
    shared: Arc<Shared>,
    /// That workspace.
    team: String,
    /// Speaks there.
    pub(super) client: Arc<Client>,
}

/// What jobs of all workspaces share.
pub(super) struct Shared {
    pub(super) library: Arc<ArcSwap<Library>>,
    pub(super) workspaces: Workspaces,
    pub(super) settings: Settings,
    pub(super) store: Arc<Store>,
    pub(super) metrics: Arc<Metrics>,
    /// This process, at this time.
    pub(super) owner: String,
    pub(super) locales: Locales,
    pub(super) recent: Recent,
    /// Channels of which it was known lately whether they are shared with nobody, by workspace.
    ours: Cache<(String, ChannelId), bool>,
    /// Workspaces and permissions of which it was noticed that they are missing there.
    alerted: Mutex<HashSet<(String, String)>>,
    pub(super) read_opinions: opinion::Read,
    lookups: Semaphore,
}

/// Whether something may be posted into a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Open,
    Shared,
    Unknown(DeliverError),
}

impl Deref for Context {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl Shared {
    pub(super) fn new(
        library: Arc<ArcSwap<Library>>,
        workspaces: Workspaces,
        store: Arc<Store>,
        metrics: Arc<Metrics>,
        settings: Settings,
    ) -> Self {
        Self {
            library,
            workspaces,
            settings,
            store,
            metrics,
            owner: format!("{:032x}", rand::random::<u128>()),
            locales: Locales::new(),
            recent: Recent::new(),
            ours: Cache::builder()
                .max_capacity(CHANNELS)
                .time_to_live(LIFETIME)
                .build(),
            alerted: Mutex::default(),
            read_opinions: opinion::Read::new(),
            lookups: Semaphore::new(LOOKUPS),
        }
    }

    /// Returns the configured language and the one given.
    pub(super) const fn tongue_of(&self, locale: Option<Lang>) -> Tongue {
        Tongue {
            locale,
            default: self.settings.lang,
        }
    }

    pub(super) fn store_failed(&self, error: &StoreError) {
        self.metrics.store_error();
        warn!(%error, "the store fails");
    }
}

impl Context {
    /// Returns what jobs of a workspace work with; `None` when the app is not installed there.
    pub(super) async fn of(shared: &Arc<Shared>, team: &str) -> Result<Option<Self>, StoreError> {
        let client = shared.workspaces.client(team).await?;
        Ok(client.map(|client| Self {
            shared: Arc::clone(shared),
            team: team.to_owned(),
            client,
        }))
    }

    /// Returns what jobs work with that only answer where Slack gave an address for it.
    pub(super) fn bare(shared: &Arc<Shared>) -> Self {
        Self {
            client: shared.workspaces.bare(),
            team: String::new(),
            shared: Arc::clone(shared),
        }
    }

    /// Returns who sees what is shown in a channel. Where it is not known to be the workspace's own, that is anybody.
    pub(super) async fn viewer(&self, place: &Place) -> Viewer {
        let members = Viewer::in_channel(&place.team, &place.channel.0);
        // Where nothing is kept from anybody, nothing has to be known.
        if self.library.load().keeps_for(&members) && self.is_ours(&place.channel).await {
            members
        } else {
            Viewer::default()
        }
    }

    /// Returns whether a channel is known to be shared with nobody. Not knowing, or not in time, is a no.
    async fn is_ours(&self, channel: &ChannelId) -> bool {
        if self.settings.allowed_channels.contains(channel) {
            return false;
        }
        if let Some(ours) = self.ours.get(&self.key_of(channel)).await {
            return ours;
        }
        self.client.has_token()
            && matches!(
                timeout(PATIENCE, self.standing(channel)).await,
                Ok(Standing::Open)
            )
    }

    fn key_of(&self, channel: &ChannelId) -> (String, ChannelId) {
        (self.team.clone(), channel.clone())
    }

    /// Notes that nobody but the workspace's own people reads a conversation.
    pub(super) async fn know_ours(&self, channel: &ChannelId) {
        self.ours.insert(self.key_of(channel), true).await;
    }

    /// Runs something over the current library, as it is seen in a channel, without holding up the runtime.
    pub(super) async fn compute<T: Send + 'static>(
        &self,
        place: &Place,
        work: impl FnOnce(&Library) -> T + Send + 'static,
    ) -> Result<T, JobError> {
        let opinions = self.opinions(&place.team).await;
        let viewer = self.viewer(place).await;
        self.compute_for(viewer, opinions, work).await
    }

    /// Does the same where it is not known who will read it: only what everybody may see.
    pub(super) async fn compute_public<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Library) -> T + Send + 'static,
    ) -> Result<T, JobError> {
        self.compute_for(Viewer::default(), Arc::default(), work)
            .await
    }

    async fn compute_for<T: Send + 'static>(
        &self,
        viewer: Viewer,
        opinions: Arc<Opinions>,
        work: impl FnOnce(&Library) -> T + Send + 'static,
    ) -> Result<T, JobError> {
        let _turn = self.lookups.acquire().await;
        let library = self.library.load().seen_by(viewer).judged_by(opinions);
        let metrics = Arc::clone(&self.metrics);
        tokio::task::spawn_blocking(move || {
            let begun = Instant::now();
            let done = work(&library);
            metrics.lookup(begun.elapsed());
            done
        })
        .await
        .map_err(|_| JobError::Lookup)
    }

    /// Returns whether a channel message is the bot's own, or mentions the bot and thus comes as a mention too.
    pub(super) fn is_own_or_mention(&self, post: &Post) -> bool {
        self.client.known_identity().is_some_and(|identity| {
            identity.wrote(post.user.as_ref(), post.bot.as_ref())
                || post.text.contains(&format!("<@{}>", identity.user))
        })
    }

    /// Finds out whether something may be posted into a channel. Not knowing is not a yes.
    pub(super) async fn standing(&self, channel: &ChannelId) -> Standing {
        if self.settings.allowed_channels.contains(channel) {
            return Standing::Open;
        }
        let standing = match self.client.conversation(channel).await {
            Ok(conversation) if conversation.shared => Standing::Shared,
            Ok(_) => Standing::Open,
            Err(error) => Standing::Unknown(error),
        };
        match &standing {
            // It may be known a moment later.
            Standing::Unknown(error) if !error.is_final() => {}
            _ => {
                let ours = standing == Standing::Open;
                self.ours.insert(self.key_of(channel), ours).await;
            }
        }
        standing
    }

    /// Returns the configured language and somebody's own, which is learnt if need be.
    pub(super) async fn tongue(&self, user: &UserId) -> Tongue {
        let locale = match self.locales.known(user).await {
            Some(known) => known,
            None => self.locales.learn(&self.client, user).await,
        };
        self.tongue_of(locale)
    }

    /// Returns what people are told of the settings.
    pub(super) fn shown(&self, here: Here) -> render::Settings {
        render::Settings {
            here,
            saved: None,
            lang: self.settings.lang,
            token: self.client.has_token(),
            allowed_channels: self.settings.allowed_channels.len(),
            missing: self.client.missing_scopes(),
        }
    }

    /// Returns which missing permissions were noticed. Only as many as there are features can be missing.
    pub(super) fn alerted(&self) -> MutexGuard<'_, HashSet<(String, String)>> {
        // Every change is a single step, so what a panicking thread left is whole.
        self.alerted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
