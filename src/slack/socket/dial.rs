//! Opens a connection: asks Slack for an address, and turns an HTTP request there into a websocket.
//!
//! The request goes through the same HTTP stack as all others, and so through the same proxy and with the same
//! certificates: who needs Socket Mode often sits behind a proxy as well.

use std::{error::Error, time::Duration};

use futures::StreamExt;
use http::{StatusCode, header};
use reqwest::Upgraded;
use secrecy::SecretString;
use tokio::time::timeout;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Message,
        handshake::{client::generate_key, derive_accept_key},
        protocol::{Role, WebSocketConfig},
    },
};
use url::Url;

use super::frame::Frame;
use crate::slack::client::{self, Client, DeliverError, Retry};

/// Largest message that is read, in bytes. Slack's stay below 300 KiB; a larger one ends the connection.
const MESSAGE_LIMIT_BYTES: usize = 2 * 1024 * 1024;

/// An open connection.
pub(super) type Socket = WebSocketStream<Upgraded>;

/// Where and how to connect.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The Web API, without the method's name.
    pub api: Url,
    /// The app's token.
    pub token: SecretString,
    /// Longest time for each step of connecting.
    pub timeout: Duration,
}

/// Opens connections.
pub struct Dialer {
    client: Client,
    http: reqwest::Client,
    /// Whether the address must be one that is encrypted; only a fake's is not.
    encrypted: bool,
    timeout: Duration,
}

/// Why no connection was opened. Names no address: it holds the permit to connect.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("Slack refuses the app-level token: `{0}`")]
    Token(String),
    #[error(transparent)]
    Asking(DeliverError),
    #[error("Slack gives no address to connect to")]
    Address,
    #[error("no connection: {0}")]
    Connection(String),
    #[error("the answer is no websocket (status {0})")]
    Handshake(u16),
    #[error("Slack does not greet: {0}")]
    Greeting(&'static str),
    #[error("nothing happens for {} s", .0.as_secs_f32())]
    Slow(Duration),
}

impl From<DeliverError> for Failure {
    fn from(error: DeliverError) -> Self {
        match error {
            DeliverError::Unauthorized(code) | DeliverError::MissingScope { code, .. } => {
                Self::Token(code)
            }
            other => Self::Asking(other),
        }
    }
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        let error = error.without_url();
        let mut innermost: &dyn Error = &error;
        while let Some(source) = innermost.source() {
            innermost = source;
        }
        Self::Connection(innermost.to_string())
    }
}

impl Failure {
    /// Returns whether somebody has to do something about it.
    pub(super) const fn is_final(&self) -> bool {
        match self {
            Self::Token(_) => true,
            Self::Asking(error) => error.is_final(),
            _ => false,
        }
    }

    /// Returns whether Slack refuses the token.
    pub(super) const fn is_refusal(&self) -> bool {
        matches!(self, Self::Token(_))
    }

    /// Returns how long to wait, where that does not depend on how often it failed.
    pub(super) const fn wait(&self, longest: Duration) -> Option<Duration> {
        match self {
            Self::Asking(DeliverError::RateLimited { retry_after }) => Some(*retry_after),
            _ if self.is_final() => Some(longest),
            _ => None,
        }
    }
}

impl Dialer {
    /// Makes a dialer.
    ///
    /// # Errors
    /// When the system's TLS set-up cannot be used.
    pub fn new(settings: Settings) -> reqwest::Result<Self> {
        let Settings {
            api,
            token,
            timeout,
        } = settings;
        let encrypted = api.scheme() == "https";
        let client = Client::new(client::Settings {
            // It answers at no such address.
            response_url_prefix: api.clone(),
            api,
            token: Some(token),
            timeout,
            retry: Retry {
                // Trying again is the caller's.
                tries: 1,
                ..Retry::DEFAULT
            },
        })?;
        let http = reqwest::Client::builder()
            .connect_timeout(timeout)
            .redirect(reqwest::redirect::Policy::none())
            .http1_only()
            .user_agent(concat!("incident-like/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self {
            client,
            http,
            encrypted,
            timeout,
        })
    }

    /// Opens a connection and waits until Slack greets.
    pub(super) async fn dial(&self) -> Result<Socket, Failure> {
        let address = self.client.socket_address().await?;
        let address = http_address(&address, self.encrypted).ok_or(Failure::Address)?;
        let opened = timeout(self.timeout, async {
            let mut socket = self.upgrade(address).await?;
            greeted(&mut socket).await?;
            Ok(socket)
        });
        opened.await.map_err(|_| Failure::Slow(self.timeout))?
    }

    async fn upgrade(&self, address: Url) -> Result<Socket, Failure> {
        let key = generate_key();
        let request = self
            .http
            .get(address)
            .header(header::CONNECTION, "Upgrade")
            .header(header::UPGRADE, "websocket")
            .header(header::SEC_WEBSOCKET_VERSION, "13")
            .header(header::SEC_WEBSOCKET_KEY, &key);
        let response = request.send().await?;
        let status = response.status();
        let accepted = response.headers().get(header::SEC_WEBSOCKET_ACCEPT);
        let ours = accepted.is_some_and(|accept| *accept == derive_accept_key(key.as_bytes()));
        if status != StatusCode::SWITCHING_PROTOCOLS || !ours {
            return Err(Failure::Handshake(status.as_u16()));
        }
        let stream = response.upgrade().await?;
        let limits = WebSocketConfig::default()
            .max_message_size(Some(MESSAGE_LIMIT_BYTES))
            .max_frame_size(Some(MESSAGE_LIMIT_BYTES));
        Ok(WebSocketStream::from_raw_socket(stream, Role::Client, Some(limits)).await)
    }
}

/// Waits for Slack's greeting, which comes first.
async fn greeted(socket: &mut Socket) -> Result<(), Failure> {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => match Frame::read(&text) {
                Frame::Hello => return Ok(()),
                Frame::Disconnect(_) => return Err(Failure::Greeting("it takes leave at once")),
                // What comes too early is not acknowledged, and so comes again.
                _ => {}
            },
            Some(Ok(Message::Close(_))) | None => {
                return Err(Failure::Greeting("the connection was closed"));
            }
            Some(Ok(_)) => {}
            Some(Err(_)) => return Err(Failure::Greeting("the connection broke")),
        }
    }
}

/// Turns a websocket's address into that of the request by which it begins.
fn http_address(address: &str, encrypted: bool) -> Option<Url> {
    let rest = match address.strip_prefix("wss://") {
        Some(rest) => format!("https://{rest}"),
        None if encrypted => return None,
        None => format!("http://{}", address.strip_prefix("ws://")?),
    };
    Url::parse(&rest).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_encrypted_addresses_are_taken_from_an_encrypted_slack() {
        let check = |address, encrypted| {
            http_address(address, encrypted).map(|url| url.as_str().to_owned())
        };
        let real = "wss://wss-primary.slack.com/link/?ticket=1&app_id=2";
        let https = "https://wss-primary.slack.com/link/?ticket=1&app_id=2";
        assert_eq!(check(real, true).as_deref(), Some(https));
        assert_eq!(check(real, false).as_deref(), Some(https));
        assert_eq!(
            check("ws://127.0.0.1:1/a", false).as_deref(),
            Some("http://127.0.0.1:1/a")
        );
        for wrong in ["ws://127.0.0.1:1/a", "", "https://slack.com/", "wss://"] {
            assert_eq!(check(wrong, true), None, "{wrong}");
        }
    }

    #[test]
    fn who_has_to_do_something_is_told_apart_from_what_passes() {
        let longest = Duration::from_secs(30);
        let refused = Failure::from(DeliverError::Unauthorized("invalid_auth".to_owned()));
        assert!(refused.is_final() && refused.wait(longest) == Some(longest));
        let retry_after = Duration::from_secs(7);
        let limited = Failure::from(DeliverError::RateLimited { retry_after });
        assert!(!limited.is_final() && limited.wait(longest) == Some(retry_after));
        let down = Failure::from(DeliverError::Transient("down".to_owned()));
        assert!(!down.is_final() && down.wait(longest).is_none());
    }
}
