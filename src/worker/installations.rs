//! Whose token answers whom: that of the workspace that something comes from, and no other's.
//!
//! With a configured token there is one workspace. Else there is a directory of those that installed the app, read from the
//! [`Store`] and looked at anew every few seconds, since any replica may install, renew and remove.

use std::{sync::Arc, time::Duration};

use moka::future::Cache;
use sha2::{Digest, Sha256};
use tracing::{info, warn};

use super::clock;
use crate::{
    slack::{
        client::{
            Client, DeliverError,
            oauth::{Grant, OAuth},
        },
        inbound::{Tenant, Uninstall},
    },
    store::{Installation, Moment, Removal, Renewed, Sealed, Store, StoreError},
};

mod rotation;
mod seal;

use rotation::{REFRESH, Rotation, TOKEN};
pub use seal::{KeyError, Keys};

/// How long what was read of an install is relied on.
const FRESH: Duration = Duration::from_secs(10);

/// How long an install that nothing comes from is kept at hand.
const IDLE: Duration = Duration::from_hours(1);

/// How many installs are kept at hand.
const INSTALLS: u64 = 10_000;

/// How many workspaces' installs are known at a time.
const WORKSPACES: u64 = 100_000;

/// How long somebody may take in Slack to say yes.
pub const DECISION: Duration = Duration::from_mins(10);

/// How long getting the next token is left to one process; longer than one request may take.
const LEASE: Duration = Duration::from_secs(30);

/// The workspaces that the service works for.
#[derive(Clone)]
pub enum Workspaces {
    /// One: that of the configured token, if there is one.
    One(Arc<Client>),
    /// Those that installed the app.
    Many(Arc<Installations>),
}

/// The workspaces that installed the app.
pub struct Installations {
    vault: Arc<Vault>,
    /// Answers where Slack gave an address for it, without anybody's token.
    bare: Arc<Client>,
    /// The installs that serve workspaces, by the workspace's id.
    homes: Cache<String, Arc<Entry>>,
    /// Installs at hand, by tenant and time.
    entries: Cache<(String, i64), Arc<Entry>>,
}

/// What keeps tokens, and gets them.
struct Vault {
    store: Arc<Store>,
    oauth: OAuth,
    keys: Keys,
    lease: Duration,
}

/// An install.
struct Entry {
    tenant: Tenant,
    client: Arc<Client>,
    rotation: Arc<Rotation>,
}

/// Why the installs cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Tokens are sealed with a key that is not there.
    #[error(
        "{0} of the installed workspaces have tokens that no given key opens: add the key that sealed them to the token keys"
    )]
    OtherKey(usize),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why an install failed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// It was not begun in this browser, or too long ago.
    #[error("it was not begun here, or too long ago")]
    Stale,
    /// Slack refuses.
    #[error(transparent)]
    Slack(#[from] DeliverError),
    /// It cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Installations {
    /// Opens the directory, and seals with the first key what others sealed. `bare` is a client without a token.
    ///
    /// # Errors
    /// When tokens were sealed with another key.
    pub async fn open(
        store: Arc<Store>,
        oauth: OAuth,
        keys: Keys,
        bare: Client,
    ) -> Result<Self, OpenError> {
        let vault = Vault {
            store,
            oauth,
            keys,
            lease: LEASE,
        };
        vault.turn_keys().await?;
        Ok(Self {
            vault: Arc::new(vault),
            bare: Arc::new(bare),
            homes: Cache::builder()
                .max_capacity(WORKSPACES)
                .time_to_live(FRESH)
                .build(),
            entries: Cache::builder()
                .max_capacity(INSTALLS)
                .time_to_idle(IDLE)
                .build(),
        })
    }

    /// Returns how Slack is asked for tokens.
    pub fn oauth(&self) -> &OAuth {
        &self.vault.oauth
    }

    /// Begins an install. Returns the word that identifies it, for the browser and for Slack; `None` when too many are under
    /// way.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn begin(&self) -> Result<Option<String>, StoreError> {
        let state = hex::encode(rand::random::<[u8; 32]>());
        let now = clock::now();
        let (kept, until) = (digest(&state), now.after(DECISION));
        let begun = self.vault.store.begin_install(&kept, until, now).await?;
        Ok(begun.then_some(state))
    }

    /// Ends an install that was begun; that works once.
    ///
    /// # Errors
    /// [`InstallError::Stale`] when there is none.
    pub async fn end(&self, state: &str) -> Result<(), InstallError> {
        let (store, kept) = (&self.vault.store, digest(state));
        let taken = store.take_install(&kept, clock::now()).await?;
        taken.then_some(()).ok_or(InstallError::Stale)
    }

    /// Keeps the install that Slack gives for a code.
    ///
    /// # Errors
    /// When Slack refuses, or it cannot be kept.
    pub async fn install(&self, code: &str) -> Result<Grant, InstallError> {
        let grant = self.vault.oauth.exchange(code).await?;
        let now = clock::now();
        let installation = Installation {
            tenant: grant.tenant.clone(),
            sealed: Some(self.vault.sealed(&grant.tenant, &grant.tokens, now)),
            scopes: grant.scopes.clone(),
            bot: grant.bot.clone(),
            installer: grant.installer.clone(),
            at: now,
            broken: None,
        };
        self.vault.store.install(&installation).await?;
        self.homes.invalidate_all();
        info!(
            tenant = grant.tenant.key(),
            installer = %grant.installer,
            "the app is installed"
        );
        Ok(grant)
    }

    /// Ends an install of which Slack says that it ended, unless there is a newer one.
    async fn remove(&self, tenant: &Tenant, uninstall: Uninstall) -> Result<bool, StoreError> {
        let removal = if uninstall.whole {
            Removal::Uninstalled
        } else {
            Removal::Revoked
        };
        // Of the second that is told, the end counts: an install within it is less likely than clocks that differ.
        let at = Moment(uninstall.at.saturating_mul(1000).saturating_add(999));
        let removed = self.vault.store.remove(tenant, removal, at).await?;
        if removed {
            self.homes.invalidate_all();
            warn!(tenant = tenant.key(), ?removal, "an install ended");
        }
        Ok(removed)
    }

    /// Finds the install that serves a workspace.
    async fn find(&self, workspace: &str) -> Result<Option<Arc<Entry>>, StoreError> {
        if workspace.is_empty() {
            return Ok(None);
        }
        if let Some(entry) = self.homes.get(workspace).await {
            return Ok(Some(entry));
        }
        let Some(installation) = self.vault.store.installation(workspace).await? else {
            return Ok(None);
        };
        let key = (installation.tenant.key().to_owned(), installation.at.0);
        let entry = self
            .entries
            .get_with(key, async { self.entry(&installation) })
            .await;
        entry.rotation.adopt(installation.sealed.as_ref());
        let home = (workspace.to_owned(), Arc::clone(&entry));
        self.homes.insert(home.0, home.1).await;
        Ok(Some(entry))
    }

    fn entry(&self, installation: &Installation) -> Arc<Entry> {
        let tenant = installation.tenant.clone();
        let rotation = Arc::new(Rotation::new(Arc::clone(&self.vault), tenant.clone()));
        let tokens = Arc::clone(&rotation);
        Arc::new(Entry {
            tenant,
            client: Arc::new(self.bare.of_install(tokens, installation.bot.clone())),
            rotation,
        })
    }

    /// Returns whether a tenant has an install, and makes sure that `team` leads to it and to no other.
    async fn admit(&self, tenant: &Tenant, team: Option<&mut String>) -> Result<bool, StoreError> {
        let own = self
            .find(tenant.team.as_deref().unwrap_or_default())
            .await?;
        let org = match own {
            None => {
                self.find(tenant.enterprise.as_deref().unwrap_or_default())
                    .await?
            }
            own => own,
        };
        let Some(install) = org else {
            return Ok(false);
        };
        let Some(team) = team else {
            return Ok(true);
        };
        let (key, is_org) = (install.tenant.key(), install.tenant.is_org());
        match self.find(team).await? {
            Some(found) if found.tenant.key() == key => {}
            None if is_org && team.starts_with('T') => {
                self.vault.store.know_workspace(team, key).await?;
            }
            _ => key.clone_into(team),
        }
        Ok(true)
    }
}

impl Workspaces {
    /// Returns the client that speaks in a workspace; `None` when the app is not installed there.
    ///
    /// # Errors
    /// When the store is not available.
    pub(super) async fn client(&self, team: &str) -> Result<Option<Arc<Client>>, StoreError> {
        match self {
            Self::One(client) => Ok(Some(Arc::clone(client))),
            Self::Many(many) => {
                let entry = many.find(team).await?;
                Ok(entry.map(|entry| Arc::clone(&entry.client)))
            }
        }
    }

    /// Returns a client that answers only where Slack gave an address for it.
    pub(super) fn bare(&self) -> Arc<Client> {
        match self {
            Self::One(client) => Arc::clone(client),
            Self::Many(many) => Arc::clone(&many.bare),
        }
    }

    /// Returns the one client, if there is but one.
    pub(super) fn only(&self) -> Option<&Client> {
        match self {
            Self::One(client) => Some(client),
            Self::Many(_) => None,
        }
    }

    pub(super) async fn admit(
        &self,
        tenant: &Tenant,
        team: Option<&mut String>,
    ) -> Result<bool, StoreError> {
        match self {
            Self::One(_) => Ok(true),
            Self::Many(many) => many.admit(tenant, team).await,
        }
    }

    pub(super) async fn remove(
        &self,
        tenant: &Tenant,
        uninstall: Uninstall,
    ) -> Result<bool, StoreError> {
        match self {
            // Its token is somebody else's to take away.
            Self::One(_) => Ok(false),
            Self::Many(many) => many.remove(tenant, uninstall).await,
        }
    }
}

impl Vault {
    /// Makes sure that all tokens open, and seals with the first key what others sealed.
    async fn turn_keys(&self) -> Result<(), OpenError> {
        let mut closed = 0;
        let mut turned = 0;
        for installation in self.store.installations().await? {
            let (tenant, Some(sealed)) = (&installation.tenant, &installation.sealed) else {
                continue;
            };
            let open = |text: &str, kind| self.keys.open(text, &place(tenant, kind));
            let token = open(&sealed.token, TOKEN);
            let refresh = sealed
                .refresh
                .as_deref()
                .map(|refresh| open(refresh, REFRESH));
            let (Ok(token), Ok(refresh)) = (token, refresh.transpose()) else {
                closed += 1;
                continue;
            };
            let texts = std::iter::once(&sealed.token).chain(&sealed.refresh);
            if texts.into_iter().all(|text| self.keys.is_current(text)) {
                continue;
            }
            let anew = Sealed {
                token: self.keys.seal(&token, &place(tenant, TOKEN)),
                refresh: refresh.map(|refresh| self.keys.seal(&refresh, &place(tenant, REFRESH))),
                ..sealed.clone()
            };
            let kept = self.store.renewed(tenant, &sealed.version, &anew).await?;
            turned += usize::from(kept == Renewed::Kept);
        }
        if closed > 0 {
            return Err(OpenError::OtherKey(closed));
        }
        if turned > 0 {
            info!(turned, "tokens are sealed with the first key now");
        }
        Ok(())
    }
}

/// Returns the place that a sealed token belongs to.
fn place(tenant: &Tenant, kind: &str) -> String {
    let id = |id: &Option<String>| id.clone().unwrap_or_default();
    format!(
        "installations/{}/{}/{kind}",
        id(&tenant.enterprise),
        id(&tenant.team)
    )
}

/// Returns what is kept of a secret that is only compared.
fn digest(secret: &str) -> String {
    hex::encode(Sha256::digest(secret.as_bytes()))
}
