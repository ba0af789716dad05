//! What all jobs work with, and what several of them do.

use std::{sync::Arc, time::Instant};

use arc_swap::ArcSwap;
use tokio::sync::Semaphore;

use super::{JobError, Settings, locale::Locales, recent::Recent};
use crate::{
    corpus::{Lang, Viewer},
    library::Library,
    metrics::Metrics,
    slack::{
        ChannelId, UserId,
        client::{Client, DeliverError},
        inbound::{Place, Post},
        render,
        reply::Tongue,
    },
    store::Store,
};

/// Most lookups of jobs at once.
const LOOKUPS: usize = 8;

/// What jobs work with.
pub(super) struct Context {
    pub(super) library: Arc<ArcSwap<Library>>,
    pub(super) client: Client,
    pub(super) settings: Settings,
    pub(super) store: Arc<Store>,
    pub(super) metrics: Arc<Metrics>,
    /// This process, at this time.
    pub(super) owner: String,
    pub(super) locales: Locales,
    pub(super) recent: Recent,
    lookups: Semaphore,
}

/// Whether something may be posted into a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Open,
    Shared,
    Unknown(DeliverError),
}

impl Context {
    pub(super) fn new(
        library: Arc<ArcSwap<Library>>,
        client: Client,
        store: Arc<Store>,
        metrics: Arc<Metrics>,
        settings: Settings,
    ) -> Self {
        Self {
            library,
            client,
            settings,
            store,
            metrics,
            owner: format!("{:032x}", rand::random::<u128>()),
            locales: Locales::new(),
            recent: Recent::new(),
            lookups: Semaphore::new(LOOKUPS),
        }
    }

    /// Returns who sees what is shown in a channel. In one that is shared with another organisation that is anybody.
    pub(super) fn viewer(&self, place: &Place) -> Viewer {
        if self.settings.allowed_channels.contains(&place.channel) {
            return Viewer::default();
        }
        Viewer::in_channel(&place.team, &place.channel.0)
    }

    /// Runs something over the current library, as it is seen in a channel, without holding up the runtime.
    pub(super) async fn compute<T: Send + 'static>(
        &self,
        place: &Place,
        work: impl FnOnce(&Library) -> T + Send + 'static,
    ) -> Result<T, JobError> {
        self.compute_for(self.viewer(place), work).await
    }

    /// Does the same where it is not known who will read it: only what everybody may see.
    pub(super) async fn compute_public<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Library) -> T + Send + 'static,
    ) -> Result<T, JobError> {
        self.compute_for(Viewer::default(), work).await
    }

    async fn compute_for<T: Send + 'static>(
        &self,
        viewer: Viewer,
        work: impl FnOnce(&Library) -> T + Send + 'static,
    ) -> Result<T, JobError> {
        let _turn = self.lookups.acquire().await;
        let library = self.library.load().seen_by(viewer);
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
        match self.client.conversation(channel).await {
            Ok(conversation) if conversation.shared => Standing::Shared,
            Ok(_) => Standing::Open,
            Err(error) => Standing::Unknown(error),
        }
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
    pub(super) fn shown(&self) -> render::Settings {
        let patterns = self.settings.patterns.iter();
        render::Settings {
            patterns: patterns
                .map(|pattern| pattern.as_str().to_owned())
                .collect(),
            lang: self.settings.lang,
            token: self.client.has_token(),
            allowed_channels: self.settings.allowed_channels.len(),
            here: None,
        }
    }

    /// Returns the configured language and the one given.
    pub(super) const fn tongue_of(&self, locale: Option<Lang>) -> Tongue {
        Tongue {
            locale,
            default: self.settings.lang,
        }
    }
}
