//! What all jobs work with, and what several of them do.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use std::time::Duration;

use arc_swap::ArcSwap;
use moka::future::Cache;
use tracing::{debug, info};

use super::{
    JobError, Settings,
    seen::{Key, Seen},
    watch::Watches,
};
use crate::{
    corpus::Lang,
    library::Library,
    slack::{
        ChannelId, UserId,
        client::{Client, DeliverError},
        inbound::Post,
        reply::Tongue,
    },
};

/// How long somebody's language is remembered.
const LOCALE_LIFETIME: Duration = Duration::from_hours(12);

/// For how many people.
const LOCALES: u64 = 100_000;

/// What jobs work with.
pub(super) struct Context {
    pub(super) library: Arc<ArcSwap<Library>>,
    pub(super) client: Client,
    pub(super) settings: Settings,
    pub(super) seen: Seen,
    pub(super) watches: Watches,
    pub(super) locales: Cache<UserId, Option<Lang>>,
    /// Whether Slack said that the token may not read people's language.
    locales_hidden: AtomicBool,
}

/// Whether something may be posted into a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Open,
    Shared,
    Unknown(DeliverError),
}

impl Context {
    pub(super) fn new(library: Arc<ArcSwap<Library>>, client: Client, settings: Settings) -> Self {
        let locales = Cache::builder()
            .time_to_live(LOCALE_LIFETIME)
            .max_capacity(LOCALES)
            .build();
        Self {
            library,
            client,
            settings,
            seen: Seen::new(),
            watches: Watches::default(),
            locales,
            locales_hidden: AtomicBool::new(false),
        }
    }

    /// Runs something over the current library without holding up the runtime.
    pub(super) async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Library) -> T + Send + 'static,
    ) -> Result<T, JobError> {
        let library = self.library.load_full();
        tokio::task::spawn_blocking(move || work(&library))
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

    pub(super) async fn release(&self, claims: &[Key]) {
        for key in claims {
            self.seen.release(key).await;
        }
    }

    /// Returns the configured language and somebody's own, which is learnt if need be.
    pub(super) async fn tongue(&self, user: Option<&UserId>) -> Tongue {
        let locale = match user {
            Some(user) => match self.locales.get(user).await {
                Some(known) => known,
                None => self.learn_locale(user).await,
            },
            None => None,
        };
        Tongue {
            locale,
            default: self.settings.lang,
        }
    }

    /// Asks Slack for somebody's language. Reading it needs a scope that is optional, so failing is no failure.
    pub(super) async fn learn_locale(&self, user: &UserId) -> Option<Lang> {
        if !self.may_learn_locales() {
            return None;
        }
        match self.client.locale(user).await {
            Ok(lang) => {
                self.locales.insert(user.clone(), lang).await;
                lang
            }
            Err(error @ (DeliverError::MissingScope { .. } | DeliverError::Unauthorized(_))) => {
                if !self.locales_hidden.swap(true, Ordering::Relaxed) {
                    info!(%error, "answers follow the question's language, not the asker's setting");
                }
                None
            }
            Err(error) => {
                debug!(%error, "cannot learn somebody's language");
                None
            }
        }
    }

    pub(super) fn may_learn_locales(&self) -> bool {
        self.client.has_token() && !self.locales_hidden.load(Ordering::Relaxed)
    }
}
