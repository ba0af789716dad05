//! What can go wrong between us and Slack, told apart by what a caller does about it.

use std::{error::Error, time::Duration};

use slack_morphism::errors::SlackClientError;

/// Why Slack did not take a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeliverError {
    /// Too many calls; Slack says how long to wait.
    #[error("rate limited")]
    RateLimited {
        /// How long to wait before the next try.
        retry_after: Duration,
    },
    /// The bot is no member of the channel.
    #[error("the bot is not in the channel")]
    NotInChannel,
    /// The channel, thread or message is gone or cannot be seen.
    #[error("the channel is gone or hidden: `{0}`")]
    ChannelGone(String),
    /// There is no token, or Slack no longer accepts it.
    #[error("the bot token is missing or refused: `{0}`")]
    Unauthorized(String),
    /// The token lacks a scope, or an admin forbids this.
    #[error("not allowed: `{code}`, needs {needed}")]
    MissingScope {
        /// Slack's code.
        code: String,
        /// Scopes that Slack names.
        needed: String,
    },
    /// Slack does not accept the blocks.
    #[error("Slack refuses the blocks: {0}")]
    InvalidBlocks(String),
    /// The address for later answers is used up or too old.
    #[error("the address for answers has expired")]
    Expired,
    /// Slack cannot be reached or is not ready; nothing was done.
    #[error("Slack cannot be reached or has a problem: {0}")]
    Transient(String),
    /// The call may have been done: no answer came in time, or one that says that Slack failed on the way.
    #[error("the outcome is unknown: {0}")]
    OutcomeUnknown(String),
    /// Anything else.
    #[error("Slack refuses: `{0}`")]
    Other(String),
}

/// How long to wait when Slack limits us without saying how long.
const DEFAULT_RETRY_AFTER: Duration = Duration::from_secs(1);

impl From<SlackClientError> for DeliverError {
    fn from(error: SlackClientError) -> Self {
        match error {
            SlackClientError::RateLimitError(error) => Self::RateLimited {
                retry_after: error.retry_after.unwrap_or(DEFAULT_RETRY_AFTER),
            },
            SlackClientError::ApiError(error) => {
                Self::from_code(error.code, &error.errors.unwrap_or_default().join("; "))
            }
            SlackClientError::HttpError(error) if error.status_code.is_server_error() => {
                Self::OutcomeUnknown(error.status_code.as_str().to_owned())
            }
            SlackClientError::HttpError(error) => {
                Self::Other(error.status_code.as_str().to_owned())
            }
            // Our connector uses this one only when no connection was made.
            SlackClientError::HttpProtocolError(error) => {
                let why = error.cause.as_deref().map(|cause| root(cause).to_string());
                Self::Transient(format!("no connection: {}", why.unwrap_or_default()))
            }
            SlackClientError::SystemError(error) => {
                Self::OutcomeUnknown(error.message.unwrap_or_default())
            }
            SlackClientError::ProtocolError(_)
            | SlackClientError::EndOfStream(_)
            | SlackClientError::SocketModeProtocolError(_) => {
                Self::OutcomeUnknown("unreadable response".to_owned())
            }
        }
    }
}

/// Returns the innermost cause: the one that says what is wrong and, unlike the outer ones, never names an address.
fn root<'e>(error: &'e (dyn Error + Send + Sync + 'static)) -> &'e (dyn Error + 'static) {
    let mut innermost: &(dyn Error + 'static) = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost
}

impl DeliverError {
    /// Returns whether asking again later is of no use.
    pub const fn is_final(&self) -> bool {
        !matches!(
            self,
            Self::RateLimited { .. } | Self::Transient(_) | Self::OutcomeUnknown(_)
        )
    }

    /// Sorts Slack's error codes (the catalogues of the methods that we call).
    fn from_code(code: String, details: &str) -> Self {
        match code.as_str() {
            "ratelimited" | "rate_limited" => Self::RateLimited {
                retry_after: DEFAULT_RETRY_AFTER,
            },
            "not_in_channel" => Self::NotInChannel,
            "channel_not_found"
            | "is_archived"
            | "thread_not_found"
            | "message_not_found"
            | "user_not_in_channel"
            | "method_not_supported_for_channel_type"
            | "cannot_reply_to_message" => Self::ChannelGone(code),
            "invalid_auth"
            | "not_authed"
            | "account_inactive"
            | "token_revoked"
            | "token_expired"
            | "team_access_not_granted" => Self::Unauthorized(code),
            "missing_scope"
            | "no_permission"
            | "not_allowed_token_type"
            | "access_denied"
            | "restricted_action"
            | "restricted_action_read_only_channel"
            | "restricted_action_thread_only_channel"
            | "restricted_action_non_threadable_channel"
            | "ekm_access_denied"
            | "org_login_required" => Self::MissingScope {
                code,
                needed: if details.is_empty() {
                    "an admin's permission".to_owned()
                } else {
                    format!("`{details}`")
                },
            },
            "invalid_blocks"
            | "invalid_blocks_format"
            | "msg_blocks_too_long"
            | "msg_too_long"
            | "invalid_metadata_format"
            | "metadata_too_large" => Self::InvalidBlocks(format!("`{code}` {details}")),
            "expired_url" | "used_url" | "invalid_url" => Self::Expired,
            // "It's possible some aspect of the operation succeeded before the error was raised" (docs.slack.dev,
            // chat.postMessage, of the first two).
            "internal_error" | "fatal_error" | "service_unavailable" | "request_timeout" => {
                Self::OutcomeUnknown(code)
            }
            "team_added_to_org" | "accesslimited" => Self::Transient(code),
            _ => Self::Other(code),
        }
    }
}

/// When to try again.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// How often in all.
    pub tries: u32,
    /// First wait after a failure; each further one is twice as long.
    pub backoff: Duration,
    /// Longest single wait; a longer `Retry-After` is not waited for.
    pub longest: Duration,
}

impl Retry {
    /// What the service uses.
    pub const DEFAULT: Self = Self {
        tries: 4,
        backoff: Duration::from_millis(500),
        longest: Duration::from_secs(30),
    };

    /// Returns how long to wait before the next try, or `None` to give up.
    ///
    /// `failures` counts them so far, this one included; `repeatable` says whether doing the call twice does no harm.
    pub fn wait(&self, failures: u32, error: &DeliverError, repeatable: bool) -> Option<Duration> {
        if failures >= self.tries {
            return None;
        }
        match error {
            DeliverError::RateLimited { retry_after } => {
                (*retry_after <= self.longest).then_some(*retry_after)
            }
            DeliverError::OutcomeUnknown(_) if !repeatable => None,
            DeliverError::Transient(_) | DeliverError::OutcomeUnknown(_) => {
                let doubled = self.backoff.saturating_mul(1 << (failures - 1).min(16));
                Some(doubled.min(self.longest))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use slack_morphism::errors::SlackClientHttpError;

    use super::*;

    #[test]
    fn slack_says_how_long_to_wait_within_reason() {
        let after = |secs| DeliverError::RateLimited {
            retry_after: Duration::from_secs(secs),
        };
        let retry = Retry::DEFAULT;
        assert_eq!(
            retry.wait(1, &after(7), false),
            Some(Duration::from_secs(7))
        );
        assert_eq!(retry.wait(1, &after(300), false), None);
        assert_eq!(retry.wait(4, &after(1), false), None);
    }

    #[test]
    fn a_failing_slack_may_have_done_what_it_was_asked_for() {
        let status = SlackClientHttpError::new(http::StatusCode::BAD_GATEWAY);
        let error = DeliverError::from(SlackClientError::HttpError(status));
        assert_eq!(error, DeliverError::OutcomeUnknown("502".to_owned()));
        for code in ["internal_error", "fatal_error", "request_timeout"] {
            let error = DeliverError::from_code(code.to_owned(), "");
            assert_eq!(error, DeliverError::OutcomeUnknown(code.to_owned()));
        }
    }

    #[test]
    fn waits_grow_and_what_may_have_happened_is_not_repeated() {
        let retry = Retry::DEFAULT;
        let down = DeliverError::Transient("no connection".to_owned());
        let waits: Vec<_> = (1..5).map(|n| retry.wait(n, &down, false)).collect();
        let millis = |n| Some(Duration::from_millis(n));
        assert_eq!(waits, [millis(500), millis(1000), millis(2000), None]);
        let unknown = DeliverError::OutcomeUnknown("timed out".to_owned());
        assert_eq!(retry.wait(1, &unknown, false), None);
        assert_eq!(retry.wait(1, &unknown, true), millis(500));
        assert_eq!(retry.wait(1, &DeliverError::NotInChannel, true), None);
    }
}
