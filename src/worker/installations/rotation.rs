//! The token of one install while it changes: got anew before it expires, once, whoever needs it.

use std::sync::{Arc, PoisonError, RwLock};

use futures::{FutureExt, future::BoxFuture};
use secrecy::SecretString;
use tokio::sync::Mutex;
use tracing::{error, info, warn};

use super::{Vault, place};
use crate::{
    slack::{
        client::{DeliverError, Token, Tokens},
        inbound::Tenant,
    },
    store::{Installation, Moment, Renewed, Sealed, StoreError},
    worker::clock,
};

/// The token of an install.
pub(super) struct Rotation {
    vault: Arc<Vault>,
    tenant: Tenant,
    known: RwLock<Option<Known>>,
    /// Held by the one task that gets the next token.
    turn: Mutex<()>,
}

/// A token as it was last read.
#[derive(Clone)]
struct Known {
    token: Token,
    expires: Option<Moment>,
    renew: Option<Moment>,
}

impl Known {
    fn is_due(&self, now: Moment) -> bool {
        self.renew.is_some_and(|renew| renew <= now)
    }

    fn is_over(&self, now: Moment) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }
}

impl Rotation {
    pub(super) fn new(vault: Arc<Vault>, tenant: Tenant) -> Self {
        Self {
            vault,
            tenant,
            known: RwLock::default(),
            turn: Mutex::default(),
        }
    }

    /// Takes over what the store holds.
    pub(super) fn adopt(&self, sealed: Option<&Sealed>) {
        let same = |known: Known| sealed.is_some_and(|new| new.version == known.token.version());
        if self.known().is_some_and(same) {
            return;
        }
        let known = sealed.and_then(|sealed| {
            match self
                .vault
                .keys
                .open(&sealed.token, &place(&self.tenant, TOKEN))
            {
                Ok(token) => Some(Known {
                    token: Token::new(&token, &sealed.version),
                    expires: sealed.expires,
                    renew: sealed.renew,
                }),
                Err(reason) => {
                    error!(tenant = self.tenant.key(), %reason, "a kept token cannot be read");
                    None
                }
            }
        });
        self.know(known);
    }

    fn known(&self) -> Option<Known> {
        // Every change is a single step, so what a panicking thread left is whole.
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.clone()
    }

    fn know(&self, known: Option<Known>) {
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = known;
    }

    /// Reads anew what the store holds.
    async fn read(&self) -> Result<Option<Installation>, StoreError> {
        let installation = self.vault.store.installation(self.tenant.key()).await?;
        let own = installation.filter(|found| found.tenant.key() == self.tenant.key());
        self.adopt(own.as_ref().and_then(|own| own.sealed.as_ref()));
        Ok(own)
    }

    /// Returns the token to use now.
    async fn token(&self) -> Result<Token, DeliverError> {
        let known = self.known().ok_or_else(gone)?;
        let now = clock::now();
        if !known.is_due(now) {
            return Ok(known.token);
        }
        let turn = if known.is_over(now) {
            self.turn.lock().await
        } else {
            match self.turn.try_lock() {
                Ok(turn) => turn,
                // Somebody gets the next one, and this one works until then.
                Err(_) => return Ok(known.token),
            }
        };
        let renewed = self.renew().await;
        drop(turn);
        match renewed {
            Ok(()) => {}
            // It works for now, and is tried again.
            Err(_) if !known.is_over(now) && self.known().is_some() => {}
            Err(error) => return Err(error),
        }
        self.known().map(|known| known.token).ok_or_else(gone)
    }

    /// Gets the next token, unless another task or replica did.
    async fn renew(&self) -> Result<(), DeliverError> {
        let Vault {
            store, keys, oauth, ..
        } = &*self.vault;
        let down = |error: StoreError| DeliverError::Transient(error.to_string());
        let row = self.read().await.map_err(down)?;
        let (Some(sealed), Some(known)) = (row.and_then(|row| row.sealed), self.known()) else {
            return Err(gone());
        };
        let now = clock::now();
        if !known.is_due(now) {
            return Ok(());
        }
        let busy = || DeliverError::Transient("the token is being renewed".to_owned());
        let (tenant, version) = (&self.tenant, sealed.version.as_str());
        let begun = store.begin_renewal(tenant, version, self.vault.lease, now);
        if !begun.await.map_err(down)? {
            return Err(busy());
        }
        let refresh = sealed.refresh.as_deref();
        let Some(refresh) =
            refresh.and_then(|sealed| keys.open(sealed, &place(tenant, REFRESH)).ok())
        else {
            self.broken(version, "nothing renews the token").await;
            return Err(gone());
        };
        let granted = match oauth.refresh(&refresh).await {
            Ok(granted) => granted,
            Err(error) if error.is_of_the_app() => {
                error!(%error, "Slack does not accept the app itself: check client id and secret");
                return Err(DeliverError::Transient(error.to_string()));
            }
            Err(error) if error.is_final() => {
                self.broken(version, &error.to_string()).await;
                return Err(gone());
            }
            Err(error) => {
                // The lease keeps everybody from trying again at once.
                warn!(tenant = tenant.key(), %error, "cannot renew a token; trying again later");
                return Err(error);
            }
        };
        let next = self.vault.sealed(tenant, &granted, clock::now());
        match store.renewed(tenant, version, &next).await {
            Ok(Renewed::Kept) => info!(tenant = tenant.key(), "a token is renewed"),
            Ok(Renewed::Outdated) => {
                self.read().await.map_err(down)?;
                return Ok(());
            }
            Err(error) => {
                // What Slack gave works here; the next process has to see whether what it finds does.
                error!(tenant = tenant.key(), %error, "a renewed token cannot be kept");
            }
        }
        self.adopt(Some(&next));
        Ok(())
    }

    /// Notes that an install works no longer.
    async fn broken(&self, version: &str, why: &str) {
        let marked = self
            .vault
            .store
            .break_installation(&self.tenant, version, why);
        match marked.await {
            Ok(true) => warn!(
                tenant = self.tenant.key(),
                reason = why,
                "an install works no longer; somebody there has to install the app again"
            ),
            Ok(false) => {}
            Err(error) => warn!(%error, "the store fails"),
        }
        if self
            .known()
            .is_some_and(|known| known.token.version() == version)
        {
            self.know(None);
        }
    }

    async fn has_other(&self, token: &Token, code: &str) -> bool {
        let is_dead = [
            "account_inactive",
            "token_revoked",
            "invalid_auth",
            "not_authed",
            "token_expired",
        ]
        .contains(&code);
        if !is_dead || self.read().await.is_err() {
            return false;
        }
        let Some(known) = self.known() else {
            return false;
        };
        if known.token.version() != token.version() {
            // Another replica got the next one.
            return true;
        }
        if code == "token_expired" && known.renew.is_some() {
            let now = clock::now();
            self.know(Some(Known {
                expires: Some(now),
                renew: Some(now),
                ..known
            }));
            return true;
        }
        self.broken(token.version(), code).await;
        false
    }
}

/// What a sealed token is.
pub(super) const TOKEN: &str = "token";
/// What a sealed token for getting others is.
pub(super) const REFRESH: &str = "refresh";

fn gone() -> DeliverError {
    DeliverError::Unauthorized("the app has to be installed again".to_owned())
}

impl Tokens for Rotation {
    fn is_there(&self) -> bool {
        self.known().is_some()
    }

    fn current(&self) -> BoxFuture<'_, Result<Token, DeliverError>> {
        self.token().boxed()
    }

    fn refused<'a>(&'a self, token: &'a Token, code: &'a str) -> BoxFuture<'a, bool> {
        self.has_other(token, code).boxed()
    }
}

impl Vault {
    /// Seals what Slack gave.
    pub(super) fn sealed(
        &self,
        tenant: &Tenant,
        granted: &crate::slack::client::oauth::Granted,
        now: Moment,
    ) -> Sealed {
        let seal = |what: &SecretString, kind| self.keys.seal(what, &place(tenant, kind));
        let lifetime = granted.lifetime;
        Sealed {
            version: format!("{:032x}", rand::random::<u128>()),
            token: seal(&granted.token, TOKEN),
            refresh: granted
                .refresh
                .as_ref()
                .map(|refresh| seal(refresh, REFRESH)),
            expires: lifetime.map(|lifetime| now.after(lifetime)),
            // Slack's live for twelve hours: two before the end, as its own tools do.
            renew: lifetime.map(|lifetime| now.after(lifetime * 5 / 6)),
        }
    }
}
