//! Many workspaces: from the configuration, which is whole or refused, to the directory of installs.

use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use secrecy::SecretString;
use url::Url;

use super::Tuning;
use crate::{
    config::{ServeConfig, chosen},
    slack::{
        client::{
            Client,
            oauth::{OAuth, Settings},
        },
        manifest,
    },
    store::Store,
    worker::installations::{Installations, KeyError, Keys},
};

/// What many workspaces need.
pub(super) struct Tenancy {
    oauth: OAuth,
    keys: Keys,
}

/// Reads what is configured for many workspaces; `None` when nothing is.
///
/// # Errors
/// When a part of it is missing or wrong, with what to do about it.
pub(super) fn oauth(config: &ServeConfig, tuning: &Tuning) -> anyhow::Result<Option<Tenancy>> {
    let slack = &config.slack;
    if slack.client_id.is_none() && slack.client_secret.is_none() && slack.token_keys.is_empty() {
        return Ok(None);
    }
    let parts = [
        (slack.client_id.is_none(), "--client-id (SLACK_CLIENT_ID)"),
        (
            slack.client_secret.is_none(),
            "--client-secret (SLACK_CLIENT_SECRET)",
        ),
        (
            slack.token_keys.is_empty(),
            "--token-key (INCIDENT_LIKE_TOKEN_KEY)",
        ),
        (
            config.http.public_url.is_none(),
            "--public-url (INCIDENT_LIKE_PUBLIC_URL)",
        ),
        (
            config.store.data_dir.is_none() && config.store.database_url.is_none(),
            "--data-dir or --database-url, because installs must outlive the process",
        ),
    ];
    let missing = parts.into_iter().filter(|(is_missing, _)| *is_missing);
    let missing: Vec<&str> = missing.map(|(_, part)| part).collect();
    let (Some(client_id), Some(client_secret), Some(public), []) = (
        &slack.client_id,
        &slack.client_secret,
        &config.http.public_url,
        missing.as_slice(),
    ) else {
        bail!("several workspaces need more: {}", missing.join("; "));
    };
    ensure!(
        slack.bot_token.is_none(),
        "give either a bot token (SLACK_BOT_TOKEN), for one workspace, or a client id (SLACK_CLIENT_ID), for those that \
         install the app; not both"
    );
    let keys = Keys::parse(&slack.token_keys).context("--token-key (INCIDENT_LIKE_TOKEN_KEY)")?;
    let oauth = OAuth::new(Settings {
        api: slack.slack_api_url.clone(),
        client_id: client_id.clone(),
        client_secret: client_secret.clone(),
        redirect: redirect(public)?,
        scopes: manifest::scopes(chosen(&slack.features)),
        timeout: tuning.slack_timeout,
    });
    let oauth = oauth.context("cannot set up TLS for calls to Slack")?;
    Ok(Some(Tenancy { oauth, keys }))
}

/// Checks keys for tokens.
///
/// # Errors
/// When there is none, or one is of no use.
pub fn check_token_keys(keys: &[SecretString]) -> Result<(), KeyError> {
    Keys::parse(keys).map(drop)
}

/// Opens the directory. `bare` is a client without a token.
pub(super) async fn open(
    Tenancy { oauth, keys }: Tenancy,
    store: &Arc<Store>,
    bare: Client,
) -> anyhow::Result<Arc<Installations>> {
    let opened = Installations::open(Arc::clone(store), oauth, keys, bare).await;
    Ok(Arc::new(
        opened.context("cannot use the installed workspaces")?,
    ))
}

fn redirect(public: &Url) -> anyhow::Result<Url> {
    let base = public.as_str().trim_end_matches('/');
    let url = format!("{base}{}", manifest::REDIRECT_PATH);
    url.parse()
        .context("the public address has no room for a path")
}
