//! The workspaces and organisations that installed the app, each with its tokens. Tokens come and go sealed: what is here
//! is of no use without a key that is not.

use std::time::Duration;

use super::{
    Moment, Store, StoreError,
    sql::{Row, Tx, params},
};
use crate::slack::{UserId, inbound::Tenant};

/// Most installs that are begun at once. Whoever reaches the address can begin one, so there is an end to it.
const BEGUN: i64 = 10_000;

/// An install of the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installation {
    /// Whose it is.
    pub tenant: Tenant,
    /// Its tokens; `None` when they are of no use any more.
    pub sealed: Option<Sealed>,
    /// What the token may do, as Slack says it.
    pub scopes: String,
    /// The bot's user there.
    pub bot: UserId,
    /// Who installed it.
    pub installer: UserId,
    /// When.
    pub at: Moment,
    /// Why it works no longer.
    pub broken: Option<String>,
}

/// The tokens of an install at one time, sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// Identifies them: those that replace them have another.
    pub version: String,
    /// What calls go out with.
    pub token: String,
    /// What gets the next ones; `None` where tokens do not expire.
    pub refresh: Option<String>,
    /// When they expire.
    pub expires: Option<Moment>,
    /// When to get the next ones.
    pub renew: Option<Moment>,
}

/// What became of new tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Renewed {
    /// They are kept.
    Kept,
    /// The install has other ones, or is gone.
    Outdated,
}

/// How an install ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// The app was taken away: nothing of the workspace is kept.
    Uninstalled,
    /// Its token was revoked.
    Revoked,
}

impl Store {
    /// Notes that somebody was sent to Slack to install the app; they are back by `until` or begin anew. `false` when too
    /// many are under way.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn begin_install(
        &self,
        state: &str,
        until: Moment,
        now: Moment,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        tx.run("DELETE FROM begun_installs WHERE until < $1", params![now])
            .await?;
        let begun = tx
            .run(
                "INSERT INTO begun_installs (state, until) \
                 SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT) WHERE (SELECT count(*) FROM begun_installs) < $3",
                params![state, until, BEGUN],
            )
            .await?;
        tx.commit().await?;
        Ok(begun > 0)
    }

    /// Takes an install that was begun, which works once. `false` when there is none, or not any more.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn take_install(&self, state: &str, now: Moment) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let row = tx
            .row(
                "DELETE FROM begun_installs WHERE state = $1 RETURNING until",
                params![state],
            )
            .await?;
        tx.commit().await?;
        match row {
            Some(mut row) => Ok(Moment(row.int()?) >= now),
            None => Ok(false),
        }
    }

    /// Keeps an install in place of an earlier one of the same workspace or organisation.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn install(&self, installation: &Installation) -> Result<(), StoreError> {
        let Installation {
            tenant,
            sealed: Some(sealed),
            ..
        } = installation
        else {
            return Err(StoreError::Unreadable);
        };
        let mut tx = self.begin().await?;
        tx.run(
            "DELETE FROM installations WHERE tenant = $1",
            params![tenant.key()],
        )
        .await?;
        tx.run(
            "INSERT INTO installations (tenant, enterprise, team, version, token, refresh, expires, renew, \
             scopes, bot, installer, installed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
            params![
                tenant.key(),
                tenant.enterprise.as_deref(),
                tenant.team.as_deref(),
                &sealed.version,
                &sealed.token,
                sealed.refresh.as_deref(),
                sealed.expires,
                sealed.renew,
                &installation.scopes,
                &installation.bot.0,
                &installation.installer.0,
                installation.at,
            ],
        )
        .await?;
        tx.commit().await
    }

    /// Returns the install that serves a workspace: its own, or that of the organisation that it is known to belong to.
    /// `workspace` may name an organisation as well.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn installation(&self, workspace: &str) -> Result<Option<Installation>, StoreError> {
        let mut tx = self.begin().await?;
        let row = tx
            .row(
                "SELECT enterprise, team, version, token, refresh, expires, renew, scopes, bot, installer, installed, \
                 broken FROM installations WHERE tenant = $1 \
                 OR tenant = (SELECT enterprise FROM org_workspaces WHERE team = $1) \
                 ORDER BY CASE WHEN tenant = $1 THEN 0 ELSE 1 END LIMIT 1",
                params![workspace],
            )
            .await?;
        tx.roll_back().await?;
        row.map(installation).transpose()
    }

    /// Returns all installs.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn installations(&self) -> Result<Vec<Installation>, StoreError> {
        let mut tx = self.begin().await?;
        let rows = tx
            .rows(
                "SELECT enterprise, team, version, token, refresh, expires, renew, scopes, bot, installer, installed, \
                 broken FROM installations ORDER BY tenant",
                params![],
            )
            .await?;
        tx.roll_back().await?;
        rows.into_iter().map(installation).collect()
    }

    /// Remembers to which organisation a workspace belongs that was never installed on its own.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn know_workspace(&self, team: &str, enterprise: &str) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        tx.run(
            "INSERT INTO org_workspaces (team, enterprise) VALUES ($1, $2) \
             ON CONFLICT (team) DO UPDATE SET enterprise = excluded.enterprise",
            params![team, enterprise],
        )
        .await?;
        tx.commit().await
    }

    /// Takes it on to get the next tokens in place of `version`, for `lease` long; `false` when another does, or did.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn begin_renewal(
        &self,
        tenant: &Tenant,
        version: &str,
        lease: Duration,
        now: Moment,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let taken = tx
            .run(
                "UPDATE installations SET renewing = $3 WHERE tenant = $1 AND version = $2 AND token IS NOT NULL \
                 AND (renewing IS NULL OR renewing < $4)",
                params![tenant.key(), version, now.after(lease), now],
            )
            .await?;
        tx.commit().await?;
        Ok(taken > 0)
    }

    /// Keeps tokens in place of `version`, both at once.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn renewed(
        &self,
        tenant: &Tenant,
        version: &str,
        sealed: &Sealed,
    ) -> Result<Renewed, StoreError> {
        let mut tx = self.begin().await?;
        let kept = tx
            .run(
                "UPDATE installations SET version = $3, token = $4, refresh = $5, expires = $6, renew = $7, \
                 renewing = CASE WHEN version = $3 THEN renewing END WHERE tenant = $1 AND version = $2",
                params![
                    tenant.key(),
                    version,
                    &sealed.version,
                    &sealed.token,
                    sealed.refresh.as_deref(),
                    sealed.expires,
                    sealed.renew,
                ],
            )
            .await?;
        tx.commit().await?;
        Ok(if kept > 0 {
            Renewed::Kept
        } else {
            Renewed::Outdated
        })
    }

    /// Marks an install as broken, and forgets its tokens, if they still are `version`. `false` when it was marked before, or
    /// has others: whoever gets `true` is the one who tells of it.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn break_installation(
        &self,
        tenant: &Tenant,
        version: &str,
        why: &str,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let marked = tx
            .run(
                "UPDATE installations SET broken = $3, token = NULL, refresh = NULL, renewing = NULL \
                 WHERE tenant = $1 AND version = $2 AND broken IS NULL",
                params![tenant.key(), version, why],
            )
            .await?;
        tx.commit().await?;
        Ok(marked > 0)
    }

    /// Ends an install that is older than `at`, when Slack says that it ended. `false` when there is none, or a newer one:
    /// then the news comes late.
    ///
    /// # Errors
    /// When the store is not available.
    pub async fn remove(
        &self,
        tenant: &Tenant,
        removal: Removal,
        at: Moment,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let key = tenant.key();
        let removed = match removal {
            Removal::Revoked => {
                tx.run(
                    "UPDATE installations SET broken = 'tokens_revoked', token = NULL, refresh = NULL, renewing = NULL \
                     WHERE tenant = $1 AND installed <= $2 AND broken IS NULL",
                    params![key, at],
                )
                .await?
            }
            Removal::Uninstalled => {
                tx.run(
                    "DELETE FROM installations WHERE tenant = $1 AND installed <= $2",
                    params![key, at],
                )
                .await?
            }
        };
        if removed == 0 {
            tx.roll_back().await?;
            return Ok(false);
        }
        if removal == Removal::Uninstalled {
            tx.forget(key).await?;
        }
        tx.commit().await?;
        Ok(true)
    }
}

/// What is kept of a workspace, or of the workspaces of an organisation, of which `$1` is the id. One that has an install of
/// its own keeps what it has.
const OF_TENANT: [&str; 5] = [
    "DELETE FROM settings WHERE (team = $1 OR team IN (SELECT team FROM org_workspaces WHERE enterprise = $1)) \
     AND team NOT IN (SELECT tenant FROM installations)",
    "DELETE FROM watches WHERE (team = $1 OR team IN (SELECT team FROM org_workspaces WHERE enterprise = $1)) \
     AND team NOT IN (SELECT tenant FROM installations)",
    "DELETE FROM messages WHERE (team = $1 OR team IN (SELECT team FROM org_workspaces WHERE enterprise = $1)) \
     AND team NOT IN (SELECT tenant FROM installations)",
    "DELETE FROM feedback WHERE (team = $1 OR team IN (SELECT team FROM org_workspaces WHERE enterprise = $1)) \
     AND team NOT IN (SELECT tenant FROM installations)",
    "DELETE FROM org_workspaces WHERE enterprise = $1",
];

impl Tx {
    async fn forget(&mut self, tenant: &str) -> Result<(), StoreError> {
        for sql in OF_TENANT {
            self.run(sql, params![tenant]).await?;
        }
        Ok(())
    }
}

fn installation(mut row: Row) -> Result<Installation, StoreError> {
    let tenant = Tenant {
        enterprise: row.maybe_text()?,
        team: row.maybe_text()?,
    };
    let version = row.text()?;
    let (token, refresh) = (row.maybe_text()?, row.maybe_text()?);
    let mut moment = || row.maybe_int().map(|moment| moment.map(Moment));
    let (expires, renew) = (moment()?, moment()?);
    let sealed = token.map(|token| Sealed {
        version,
        token,
        refresh,
        expires,
        renew,
    });
    Ok(Installation {
        tenant,
        sealed,
        scopes: row.text()?,
        bot: row.text()?.into(),
        installer: row.text()?.into(),
        at: Moment(row.int()?),
        broken: row.maybe_text()?,
    })
}
