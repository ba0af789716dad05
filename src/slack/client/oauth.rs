//! How a workspace installs the app (OAuth v2): where its admin is sent, and what comes of the code they bring back.
//!
//! Neither codes nor tokens are ever part of an error.

use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use super::{DeliverError, connector::Connector, text};
use crate::slack::{UserId, inbound::Tenant};

/// The method that gives tokens for codes, and for other tokens.
const METHOD: &str = "oauth.v2.access";

/// Who the app is to Slack, and what it asks for.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The Web API, without the method's name.
    pub api: Url,
    /// The app's client id.
    pub client_id: String,
    /// The app's client secret.
    pub client_secret: SecretString,
    /// Where Slack sends people back to.
    pub redirect: Url,
    /// What the bot asks for.
    pub scopes: Vec<&'static str>,
    /// Longest time for one request.
    pub timeout: Duration,
}

/// Asks Slack for tokens.
pub struct OAuth {
    connector: Connector,
    settings: Settings,
}

/// What Slack gives for a code.
#[derive(Debug)]
pub struct Grant {
    /// Who installed the app.
    pub tenant: Tenant,
    /// The workspace's or organisation's name, for people.
    pub name: String,
    /// The app's own id.
    pub app: String,
    /// The tokens.
    pub tokens: Granted,
    /// What they may do.
    pub scopes: String,
    /// The bot's user.
    pub bot: UserId,
    /// Who said yes.
    pub installer: UserId,
}

/// Tokens as Slack gives them.
#[derive(Debug)]
pub struct Granted {
    /// What calls go out with.
    pub token: SecretString,
    /// What gets the next ones; `None` where tokens do not expire.
    pub refresh: Option<SecretString>,
    /// How long they live.
    pub lifetime: Option<Duration>,
}

impl OAuth {
    /// Makes it.
    ///
    /// # Errors
    /// When the system's TLS set-up cannot be used.
    pub fn new(settings: Settings) -> reqwest::Result<Self> {
        Ok(Self {
            connector: Connector::new(settings.api.clone(), settings.timeout)?,
            settings,
        })
    }

    /// Returns where people are sent to install the app.
    pub fn authorize_url(&self, state: &str) -> Url {
        let Settings {
            api,
            client_id,
            redirect,
            scopes,
            ..
        } = &self.settings;
        // Beside the Web API, wherever that is.
        let mut url = api.clone();
        url.set_path("/oauth/v2/authorize");
        url.query_pairs_mut()
            .append_pair("client_id", client_id)
            .append_pair("scope", &scopes.join(","))
            .append_pair("redirect_uri", redirect.as_str())
            .append_pair("state", state);
        url
    }

    /// Returns where Slack sends people back to.
    pub const fn redirect(&self) -> &Url {
        &self.settings.redirect
    }

    /// Exchanges the code that somebody brought back. It works once.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn exchange(&self, code: &str) -> Result<Grant, DeliverError> {
        let redirect = self.settings.redirect.as_str();
        let json = self
            .ask(&[("code", code), ("redirect_uri", redirect)])
            .await?;
        let tenant = if json.get("is_enterprise_install") == Some(&Value::Bool(true)) {
            Tenant::new(text(&json, "/enterprise/id"), "")
        } else {
            Tenant::new(text(&json, "/enterprise/id"), text(&json, "/team/id"))
        };
        let named = if tenant.is_org() {
            "/enterprise/name"
        } else {
            "/team/name"
        };
        let bot = text(&json, "/bot_user_id");
        if tenant.key().is_empty() || bot.is_empty() {
            return Err(unusable());
        }
        Ok(Grant {
            name: text(&json, named).to_owned(),
            app: text(&json, "/app_id").to_owned(),
            tokens: granted(&json)?,
            scopes: text(&json, "/scope").to_owned(),
            bot: bot.into(),
            installer: text(&json, "/authed_user/id").into(),
            tenant,
        })
    }

    /// Gets the next tokens.
    ///
    /// # Errors
    /// As Slack says; see [`DeliverError::is_of_the_app`].
    pub async fn refresh(&self, refresh: &SecretString) -> Result<Granted, DeliverError> {
        let fields = [
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.expose_secret()),
        ];
        granted(&self.ask(&fields).await?)
    }

    async fn ask(&self, fields: &[(&str, &str)]) -> Result<Value, DeliverError> {
        let Settings {
            client_id,
            client_secret,
            ..
        } = &self.settings;
        let secret = client_secret.expose_secret();
        let sent = self
            .connector
            .post_form(METHOD, (client_id, secret), fields);
        Ok(sent.await?)
    }
}

impl DeliverError {
    /// Returns whether it is the app itself that Slack does not accept here, whoever installed it.
    pub fn is_of_the_app(&self) -> bool {
        let ours = [
            "invalid_client_id",
            "bad_client_secret",
            "bad_redirect_uri",
            "invalid_app_id",
            "oauth_authorization_url_mismatch",
            "unknown_method",
        ];
        matches!(self, Self::Other(code) if ours.contains(&code.as_str()))
    }
}

fn granted(json: &Value) -> Result<Granted, DeliverError> {
    let given = |pointer| Some(text(json, pointer)).filter(|token| !token.is_empty());
    let token = given("/access_token").ok_or_else(unusable)?;
    if text(json, "/token_type") != "bot" {
        return Err(unusable());
    }
    let lifetime = json.get("expires_in").and_then(Value::as_u64);
    Ok(Granted {
        token: token.into(),
        refresh: given("/refresh_token").map(Into::into),
        lifetime: lifetime.map(Duration::from_secs),
    })
}

/// Says that Slack's answer holds no bot's token. Nothing of the answer is told.
fn unusable() -> DeliverError {
    DeliverError::Other("no_bot_token".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_address_asks_for_the_least_and_keeps_the_state_apart() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let oauth = OAuth::new(Settings {
            api: Url::parse("https://slack.com/api").expect("an address"),
            client_id: "1.2".to_owned(),
            client_secret: "s3cret".into(),
            redirect: Url::parse("https://bot.example.com/slack/oauth_redirect")
                .expect("an address"),
            scopes: vec!["chat:write", "commands"],
            timeout: Duration::from_secs(1),
        });
        let url = oauth.expect("TLS works").authorize_url("a&b");
        assert_eq!(
            url.as_str(),
            "https://slack.com/oauth/v2/authorize?client_id=1.2&scope=chat%3Awrite%2Ccommands\
             &redirect_uri=https%3A%2F%2Fbot.example.com%2Fslack%2Foauth_redirect&state=a%26b"
        );
    }

    #[test]
    fn only_a_bots_token_is_taken() {
        let bot = json!({"access_token": "xoxb-1", "token_type": "bot", "expires_in": 43200, "refresh_token": "xoxe-1"});
        let granted_bot = granted(&bot).expect("it is a bot's");
        assert_eq!(granted_bot.lifetime, Some(Duration::from_hours(12)));
        assert!(!format!("{granted_bot:?}").contains("xox"));
        for other in [
            json!({"access_token": "xoxp-1", "token_type": "user"}),
            json!({"token_type": "bot"}),
        ] {
            assert!(granted(&other).is_err());
        }
    }
}
