//! Whose token calls go out with: none, the configured one, or that of an install, which changes while calls go on.

use std::{fmt, sync::Arc};

use futures::future::BoxFuture;
use secrecy::{ExposeSecret, SecretString};
use slack_morphism::prelude::SlackApiToken;

use super::DeliverError;

/// A token at one time.
#[derive(Clone)]
pub struct Token {
    pub(super) value: Arc<SlackApiToken>,
    version: Arc<str>,
}

impl Token {
    /// Makes a token; `version` tells it from the one before.
    pub fn new(token: &SecretString, version: &str) -> Self {
        Self {
            value: Arc::new(SlackApiToken::new(token.expose_secret().into())),
            version: version.into(),
        }
    }

    /// Returns what tells it from others of the same install.
    pub fn version(&self) -> &str {
        &self.version
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({}, redacted)", self.version)
    }
}

/// Knows the token of an install.
pub trait Tokens: Send + Sync {
    /// Returns whether there is one.
    fn is_there(&self) -> bool;

    /// Returns the one to use now, after getting the next one if that is due.
    fn current(&self) -> BoxFuture<'_, Result<Token, DeliverError>>;

    /// Hears that Slack refuses a token, with its code. Returns whether there is another to try.
    fn refused<'a>(&'a self, token: &'a Token, code: &'a str) -> BoxFuture<'a, bool>;
}

/// Where a client has its token from.
pub(super) enum Access {
    /// There is none: only answers at addresses that Slack gave are possible.
    None,
    /// From the configuration.
    Configured(Token),
    /// From an install.
    Installed(Arc<dyn Tokens>),
}

impl Access {
    pub(super) fn is_there(&self) -> bool {
        match self {
            Self::None => false,
            Self::Configured(_) => true,
            Self::Installed(tokens) => tokens.is_there(),
        }
    }

    pub(super) async fn token(&self) -> Result<Token, DeliverError> {
        match self {
            Self::None => Err(DeliverError::Unauthorized(
                "no token is configured".to_owned(),
            )),
            Self::Configured(token) => Ok(token.clone()),
            Self::Installed(tokens) => tokens.current().await,
        }
    }

    /// Tells the install that Slack refused its token, if it did. Returns whether to try again with another.
    pub(super) async fn has_other<T>(&self, token: &Token, sent: &Result<T, DeliverError>) -> bool {
        match (self, sent) {
            (Self::Installed(tokens), Err(DeliverError::Unauthorized(code))) => {
                tokens.refused(token, code).await
            }
            _ => false,
        }
    }
}
