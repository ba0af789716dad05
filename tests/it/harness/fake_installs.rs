//! The fake's side of OAuth: gives tokens for codes and for other tokens, knows whose each token is, and refuses those that
//! are dead.

use std::collections::HashMap;

use axum::http::{HeaderMap, header};
use base64::Engine;
use serde_json::{Value, json};

/// The app as it is configured, and where its people are sent back to.
pub(crate) const CLIENT_ID: &str = "123.456";
pub(crate) const CLIENT_SECRET: &str = "client-secret-of-the-app";
pub(crate) const PUBLIC_URL: &str = "https://bot.example.com/il";

/// What somebody says yes to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Consent {
    pub(crate) enterprise: Option<&'static str>,
    /// `None` for a whole organisation.
    pub(crate) team: Option<&'static str>,
    pub(crate) name: &'static str,
    pub(crate) bot: &'static str,
    /// How long its tokens live, in seconds; `Some(0)` makes the first one dead on arrival.
    pub(crate) expires_in: Option<u64>,
}

impl Consent {
    pub(crate) fn key(&self) -> &'static str {
        self.team.or(self.enterprise).expect("somebody's")
    }
}

/// Whose tokens there are.
#[derive(Default)]
pub(super) struct Installs {
    codes: HashMap<String, Consent>,
    /// Whose each token is, and why it is refused.
    tokens: HashMap<String, (Consent, Option<&'static str>)>,
    refreshes: HashMap<String, Consent>,
    issued: u64,
    /// In whose workspace a channel is.
    pub(super) channels: HashMap<String, &'static str>,
}

impl Installs {
    pub(super) fn is_used(&self) -> bool {
        !self.tokens.is_empty()
    }

    pub(super) fn consent(&mut self, code: &str, consent: Consent) {
        self.codes.insert(code.to_owned(), consent);
    }

    pub(super) fn know(&mut self, token: &str, consent: Consent) {
        self.tokens.insert(token.to_owned(), (consent, None));
    }

    /// Makes all tokens of a tenant dead.
    pub(super) fn kill(&mut self, tenant: &str, why: &'static str) {
        for (consent, dead) in self.tokens.values_mut() {
            if consent.key() == tenant {
                *dead = Some(why);
            }
        }
    }

    /// Returns every token that was ever given.
    pub(super) fn all(&self) -> Vec<String> {
        let refreshes = self.refreshes.keys().cloned();
        self.tokens.keys().cloned().chain(refreshes).collect()
    }

    /// Returns whose a token is, or why it is refused.
    pub(super) fn owner(&self, token: &str) -> Result<Consent, &'static str> {
        match self.tokens.get(token) {
            Some((consent, None)) => Ok(*consent),
            Some((_, Some(why))) => Err(why),
            None => Err("invalid_auth"),
        }
    }

    /// Answers `oauth.v2.access`.
    pub(super) fn access(
        &mut self,
        headers: &HeaderMap,
        body: &[u8],
        problems: &mut Vec<String>,
    ) -> Value {
        let basic = format!("{CLIENT_ID}:{CLIENT_SECRET}");
        let basic = base64::engine::general_purpose::STANDARD.encode(basic);
        let given = |name| headers.get(name).and_then(|value| value.to_str().ok());
        if given(header::AUTHORIZATION) != Some(&format!("Basic {basic}")) {
            return json!({"ok": false, "error": "bad_client_secret"});
        }
        let content_type = given(header::CONTENT_TYPE).and_then(|kind| kind.split(';').next());
        if content_type != Some("application/x-www-form-urlencoded") {
            problems.push("oauth.v2.access: not a form".to_owned());
        }
        let mut fields: HashMap<String, String> =
            url::form_urlencoded::parse(body).into_owned().collect();
        let consent = if let Some(refresh) = fields.remove("refresh_token") {
            if fields.remove("grant_type").as_deref() != Some("refresh_token") {
                problems.push("oauth.v2.access: no grant_type".to_owned());
            }
            // Each works once; after it tokens live as long as Slack's do.
            let consent = self.refreshes.remove(&refresh);
            if consent.is_none() {
                problems.push("oauth.v2.access: a refresh token that is used up".to_owned());
            }
            consent.map(|consent| Consent {
                expires_in: Some(43_200),
                ..consent
            })
        } else {
            let redirect = fields.remove("redirect_uri");
            if redirect.as_deref() != Some(&format!("{PUBLIC_URL}/slack/oauth_redirect")) {
                problems.push(format!("oauth.v2.access: redirect_uri {redirect:?}"));
            }
            self.codes
                .remove(&fields.remove("code").unwrap_or_default())
        };
        if !fields.is_empty() {
            problems.push(format!("oauth.v2.access: unexpected {fields:?}"));
        }
        match consent {
            Some(consent) => self.issue(consent),
            None => json!({"ok": false, "error": "invalid_code"}),
        }
    }

    fn issue(&mut self, consent: Consent) -> Value {
        self.issued += 1;
        let (number, key) = (self.issued, consent.key());
        let token = format!("xoxb-token-{key}-{number}");
        let dead = (consent.expires_in == Some(0)).then_some("token_expired");
        self.tokens.insert(token.clone(), (consent, dead));
        let org = consent.team.is_none();
        let mut answer = json!({
            "ok": true, "app_id": "A0APP", "authed_user": {"id": "U0ADMIN"}, "scope": "commands,chat:write",
            "token_type": "bot", "access_token": token, "bot_user_id": consent.bot, "is_enterprise_install": org,
            "team": consent.team.map(|id| json!({"id": id, "name": consent.name})),
            "enterprise": consent.enterprise.map(|id| json!({"id": id, "name": consent.name})),
        });
        if let Some(seconds) = consent.expires_in {
            let refresh = format!("xoxe-refresh-{key}-{number}");
            self.refreshes.insert(refresh.clone(), consent);
            answer["refresh_token"] = json!(refresh);
            answer["expires_in"] = json!(seconds);
        }
        answer
    }
}
