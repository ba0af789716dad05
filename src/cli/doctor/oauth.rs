//! Whether several workspaces can install the app: that all parts are there, and that Slack knows the app by them.

use reqwest::Client;
use secrecy::{ExposeSecret, SecretString};

use super::{
    DoctorConfig, Finding,
    slack::{Unreachable, ask, url},
};
use crate::{app, slack::manifest::REDIRECT_PATH};

const CHECK: &str = "install";

/// Where id and secret stand.
const CREDENTIALS: &str =
    "copy both from https://api.slack.com/apps → your app → Basic Information → App Credentials";

/// Checks it, where any part of it is given.
pub(super) async fn check(http: &Client, config: &DoctorConfig) -> Vec<Finding> {
    if !is_wanted(config) {
        return Vec::new();
    }
    let mut findings = vec![keys(config), address(config)];
    if config.bot_token.is_some() {
        findings.push(Finding::fault(
            CHECK,
            "there is a bot token as well",
            "leave out SLACK_BOT_TOKEN: each workspace gets a token of its own when it installs the app",
        ));
    }
    findings.push(match (&config.client_id, &config.client_secret) {
        (Some(id), Some(secret)) => credentials(http, config, id, secret).await,
        (None, _) => Finding::fault(
            CHECK,
            "there is no client id (SLACK_CLIENT_ID)",
            CREDENTIALS,
        ),
        (_, None) => Finding::fault(
            CHECK,
            "there is no client secret (SLACK_CLIENT_SECRET)",
            CREDENTIALS,
        ),
    });
    findings
}

/// Returns whether several workspaces are to install the app.
pub(super) fn is_wanted(config: &DoctorConfig) -> bool {
    config.client_id.is_some() || config.client_secret.is_some() || !config.token_keys.is_empty()
}

fn keys(config: &DoctorConfig) -> Finding {
    match app::check_token_keys(&config.token_keys) {
        Ok(()) => Finding::ok(CHECK, format!("{} token keys", config.token_keys.len())),
        Err(error) => Finding::fault(
            CHECK,
            format!("token keys: {error}"),
            "give INCIDENT_LIKE_TOKEN_KEY what `openssl rand -base64 32` prints, and keep it as you keep the secrets",
        ),
    }
}

fn address(config: &DoctorConfig) -> Finding {
    let Some(public) = &config.public_url else {
        return Finding::fault(
            CHECK,
            "there is no public address",
            "give INCIDENT_LIKE_PUBLIC_URL the https address at which browsers reach the service",
        );
    };
    let base = public.as_str().trim_end_matches('/');
    if public.scheme() != "https" {
        return Finding::fault(
            CHECK,
            "the public address is not https",
            "Slack sends people back to https addresses only; the manifest's redirect_urls must hold the same address",
        );
    }
    Finding::ok(
        CHECK,
        format!(
            "Slack sends people back to {base}{REDIRECT_PATH}, which must stand in the app's redirect URLs"
        ),
    )
}

/// Asks Slack about a code that cannot be one: it looks at id and secret first.
async fn credentials(
    http: &Client,
    config: &DoctorConfig,
    id: &str,
    secret: &SecretString,
) -> Finding {
    let request = http
        .post(url(&config.slack_api_url, "oauth.v2.access"))
        .basic_auth(id, Some(secret.expose_secret()))
        .form(&[("code", "doctor")]);
    match ask(request).await {
        Ok(said) => match said.error() {
            Some("invalid_code" | "code_expired" | "code_already_used") => {
                Finding::ok(CHECK, "Slack knows the app by its client id and secret")
            }
            Some(error @ ("invalid_client_id" | "bad_client_secret")) => Finding::fault(
                CHECK,
                format!("Slack refuses the app: {error}"),
                CREDENTIALS,
            ),
            other => Finding::note(
                CHECK,
                format!("Slack says {}", other.unwrap_or("yes to no code")),
                "try again; if it stays so, install the app once and look into the log",
            ),
        },
        Err(Unreachable { found, advice }) => Finding::fault(CHECK, found, advice),
    }
}
