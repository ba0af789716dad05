//! Calls to Slack: a few typed methods, one retry policy, and errors that say what to do.
//!
//! Responses are read field by field from raw JSON: a strict type fails on odd data after the call was done, and a
//! caller that then tries again posts twice.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use secrecy::SecretString;
use serde::Serialize;
use serde_json::Value;
use slack_morphism::{
    ClientResult, SlackClient, SlackClientApiCallContext, SlackClientHttpConnector,
    prelude::{SlackApiChatPostEphemeralRequest, SlackBlock, SlackMessageContent},
};
use tokio::sync::{OnceCell, Semaphore};
use tracing::{Span, warn};
use url::Url;

use super::{BotId, ChannelId, Message, Ts, UserId, response_url::ResponseUrl};

mod connector;
mod error;
mod limits;
mod message;
mod missing;
pub mod oauth;
mod people;
mod post;
mod surface;
mod token;

use connector::Connector;
pub use error::{DeliverError, Retry};
use limits::Limits;
pub use message::{Marker, Reply, ResponseType};
use missing::Missing;
pub use people::Person;
pub use post::{PAGES, Sent, ts_of};
use token::Access;
pub use token::{Token, Tokens};

/// Most messages that are read at once: Slack's limit for apps outside its marketplace.
pub const PAGE: usize = 15;

/// Most replies among which an answer of ours is looked for. Apps under the limit above get fewer, which is enough but in
/// a thread where fifteen people write within seconds.
const REPLIES: usize = 100;

/// Most requests to Slack at once. Waiting before another try is none, so nobody waits for somebody else's rate limit.
const REQUESTS: usize = 8;

/// Where and how to reach Slack.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The Web API, without the method's name.
    pub api: Url,
    /// What every address for later answers must begin with.
    pub response_url_prefix: Url,
    /// The bot's token; `None` when only commands are answered.
    pub token: Option<SecretString>,
    /// Longest time for one request.
    pub timeout: Duration,
    /// When to try again.
    pub retry: Retry,
}

/// Calls Slack on behalf of the bot in one workspace, or in the workspaces of one organisation.
pub struct Client {
    slack: SlackClient<Connector>,
    access: Access,
    response_url_prefix: Url,
    retry: Retry,
    requests: Semaphore,
    identity: OnceCell<Identity>,
    /// Who the bot is as far as its install says.
    installed: Option<Identity>,
    /// Whether Slack said that the token may not read people's language.
    hides_people: AtomicBool,
    limits: Limits,
    missing: Missing,
}

/// Who the bot is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its user.
    pub user: UserId,
    /// Its bot id.
    pub bot: Option<BotId>,
}

impl Identity {
    /// Returns whether a message with these authors is the bot's own.
    pub fn wrote(&self, user: Option<&UserId>, bot: Option<&BotId>) -> bool {
        user == Some(&self.user) || bot.is_some() && bot == self.bot.as_ref()
    }

    /// Returns whether a raw message is the bot's own.
    pub fn wrote_raw(&self, message: &Value) -> bool {
        let id = |key| message.get(key).and_then(Value::as_str);
        self.wrote(
            id("user").map(UserId::from).as_ref(),
            id("bot_id").map(BotId::from).as_ref(),
        )
    }
}

/// Where in a thread to post.
#[derive(Clone, Copy, Debug)]
pub struct Thread<'t> {
    /// The message that began the thread.
    pub parent: &'t Ts,
    /// The message that is answered; ours comes after it.
    pub after: &'t Ts,
}

/// Messages as raw JSON, and how to get those before them.
#[derive(Debug)]
pub struct Page {
    /// Newest first.
    pub messages: Vec<Value>,
    /// `None` when there are none before.
    pub before: Option<Cursor>,
}

/// Slack's word for where a page begins.
#[derive(Clone, Debug)]
pub struct Cursor(String);

/// What we need to know of a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are Slack's independent properties of a channel"
)]
pub struct Conversation {
    /// Name, without `#`.
    pub name: String,
    /// Topic.
    pub topic: String,
    /// Purpose ("description" in Slack's own words for people).
    pub purpose: String,
    /// Whether only members see it.
    pub private: bool,
    /// Whether the bot is a member.
    pub member: bool,
    /// Whether nothing can be posted any more.
    pub archived: bool,
    /// Whether it is or may soon be shared with another organisation.
    pub shared: bool,
}

impl Client {
    /// Makes a client.
    ///
    /// # Errors
    /// When the system's TLS set-up cannot be used.
    pub fn new(settings: Settings) -> reqwest::Result<Self> {
        let Settings {
            api,
            response_url_prefix,
            token,
            timeout,
            retry,
        } = settings;
        let access = token.map_or(Access::None, |token| {
            Access::Configured(Token::new(&token, ""))
        });
        let connector = Connector::new(api, timeout)?;
        Ok(Self::with(connector, access, response_url_prefix, retry))
    }

    fn with(connector: Connector, access: Access, response_url_prefix: Url, retry: Retry) -> Self {
        Self {
            slack: SlackClient::new(connector),
            access,
            response_url_prefix,
            retry,
            requests: Semaphore::new(REQUESTS),
            identity: OnceCell::new(),
            installed: None,
            hides_people: AtomicBool::new(false),
            limits: Limits::default(),
            missing: Missing::default(),
        }
    }

    /// Makes a client like this one for an install, with limits of its own.
    #[must_use]
    pub fn of_install(&self, tokens: Arc<dyn Tokens>, bot: UserId) -> Self {
        let installed = Identity {
            user: bot,
            bot: None,
        };
        Self {
            installed: Some(installed),
            ..Self::with(
                Connector::clone(&self.slack.http_api.connector),
                Access::Installed(tokens),
                self.response_url_prefix.clone(),
                self.retry,
            )
        }
    }

    /// Returns whether there is a token, that is, whether anything but answers to commands is possible.
    pub fn has_token(&self) -> bool {
        self.access.is_there()
    }

    /// Returns who the bot is. Asks Slack once.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn identity(&self) -> Result<&Identity, DeliverError> {
        self.identity
            .get_or_try_init(|| async {
                let json = self.post("auth.test", &serde_json::json!({}), true).await?;
                let user = text(&json, "/user_id");
                if user.is_empty() {
                    return Err(DeliverError::Other("auth.test names no user".to_owned()));
                }
                let bot = Some(text(&json, "/bot_id")).filter(|id| !id.is_empty());
                Ok(Identity {
                    user: user.into(),
                    bot: bot.map(Into::into),
                })
            })
            .await
    }

    /// Returns who the bot is if that is known already. Never asks Slack.
    pub fn known_identity(&self) -> Option<&Identity> {
        self.identity.get().or(self.installed.as_ref())
    }

    /// Posts a message that only one member of the channel sees. It may come twice: that is better than not at all.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn post_ephemeral(
        &self,
        channel: &ChannelId,
        user: &UserId,
        thread: Option<&Ts>,
        message: &Message,
    ) -> Result<(), DeliverError> {
        rich_or_plain(message, |blocks| async move {
            let content = content(message, blocks);
            let request =
                SlackApiChatPostEphemeralRequest::new(channel.clone(), user.clone(), content)
                    .opt_thread_ts(thread.cloned());
            self.post("chat.postEphemeral", &request, true).await
        })
        .await
        .map(drop)
    }

    /// Answers at a `response_url`. Needs no token and no membership. An answer for one person may come twice: that is
    /// better than not at all.
    ///
    /// # Errors
    /// [`DeliverError::Expired`] when the address is used up, too old or not Slack's.
    pub async fn respond(
        &self,
        response_url: &ResponseUrl,
        response_type: ResponseType,
        message: &Message,
        thread: Option<&Ts>,
    ) -> Result<(), DeliverError> {
        let repeatable = response_type == ResponseType::Ephemeral;
        rich_or_plain(message, |blocks| async move {
            let reply = Reply::new(response_type, message, thread).with_blocks(blocks);
            self.respond_once(response_url, &reply, repeatable).await
        })
        .await
        .map(drop)
    }

    async fn respond_once(
        &self,
        to: &ResponseUrl,
        reply: &Reply<'_>,
        repeatable: bool,
    ) -> Result<Value, DeliverError> {
        let url = to
            .take(&self.response_url_prefix)
            .ok_or(DeliverError::Expired)?;
        let span = Span::none();
        let send = || {
            let context = SlackClientApiCallContext {
                rate_control_params: None,
                token: None,
                tracing_span: &span,
                is_sensitive_url: true,
            };
            let connector = &self.slack.http_api.connector;
            connector.http_post_uri::<_, Value>(url.clone(), reply, context)
        };
        self.with_retry("response_url", repeatable, send).await
    }

    /// Joins a public channel; being a member already is fine.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn join(&self, channel: &ChannelId) -> Result<(), DeliverError> {
        let request = serde_json::json!({ "channel": channel });
        self.post("conversations.join", &request, true).await?;
        Ok(())
    }

    /// Returns what Slack says about a channel.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn conversation(&self, channel: &ChannelId) -> Result<Conversation, DeliverError> {
        let params = vec![("channel", Some(channel.to_string()))];
        let json = self.get("conversations.info", params).await?;
        let json = json.get("channel").unwrap_or(&Value::Null);
        let flag = |key| json.get(key).and_then(Value::as_bool);
        let listed = |key| {
            json.get(key)
                .and_then(Value::as_array)
                .is_some_and(|list| !list.is_empty())
        };
        let direct = flag("is_im") == Some(true) || flag("is_mpim") == Some(true);
        Ok(Conversation {
            name: text(json, "/name").to_owned(),
            topic: text(json, "/topic/value").to_owned(),
            purpose: text(json, "/purpose/value").to_owned(),
            private: flag("is_private") == Some(true),
            member: flag("is_member") == Some(true),
            archived: flag("is_archived") == Some(true),
            // Fails closed: a channel of which Slack does not say that it is ours alone counts as shared.
            shared: flag("is_ext_shared").unwrap_or(!direct)
                || flag("is_pending_ext_shared") == Some(true)
                || listed("pending_shared")
                || listed("pending_connected_team_ids"),
        })
    }

    /// Returns messages of a channel, newest first: the newest, or those before the page that gave `before`.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn history(
        &self,
        channel: &ChannelId,
        before: Option<Cursor>,
    ) -> Result<Page, DeliverError> {
        let params = vec![
            ("channel", Some(channel.to_string())),
            ("cursor", before.map(|cursor| cursor.0)),
            ("limit", Some(PAGE.to_string())),
            ("include_all_metadata", Some("true".to_owned())),
        ];
        let json = self.get("conversations.history", params).await?;
        let next = text(&json, "/response_metadata/next_cursor").to_owned();
        Ok(Page {
            before: Some(next).filter(|next| !next.is_empty()).map(Cursor),
            messages: messages(json),
        })
    }

    /// Returns the first messages of a thread, oldest first, as raw JSON.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn replies(
        &self,
        channel: &ChannelId,
        parent: &Ts,
    ) -> Result<Vec<Value>, DeliverError> {
        self.replies_from(channel, parent, None, PAGE).await
    }

    /// Returns the messages of a thread after one of its messages; Slack adds the parent.
    async fn replies_after(
        &self,
        channel: &ChannelId,
        Thread { parent, after }: Thread<'_>,
    ) -> Result<Vec<Value>, DeliverError> {
        self.replies_from(channel, parent, Some(after), REPLIES)
            .await
    }

    async fn replies_from(
        &self,
        channel: &ChannelId,
        parent: &Ts,
        oldest: Option<&Ts>,
        limit: usize,
    ) -> Result<Vec<Value>, DeliverError> {
        let params = vec![
            ("channel", Some(channel.to_string())),
            ("ts", Some(parent.to_string())),
            ("oldest", oldest.map(ToString::to_string)),
            ("limit", Some(limit.to_string())),
            ("include_all_metadata", Some("true".to_owned())),
        ];
        Ok(messages(self.get("conversations.replies", params).await?))
    }

    /// Returns the permissions that Slack says the token lacks, each once.
    pub fn missing_scopes(&self) -> Vec<String> {
        self.missing.all()
    }

    /// Returns whether asking for somebody's language is of no use: Slack said that the token may not.
    pub fn hides_people(&self) -> bool {
        self.hides_people.load(Ordering::Relaxed)
    }

    async fn get(
        &self,
        method: &'static str,
        params: Vec<(&'static str, Option<String>)>,
    ) -> Result<Value, DeliverError> {
        let mut first = true;
        loop {
            let token = self.access.token().await?;
            let api = self.slack.open_session(&token.value).http_session_api;
            let send = || api.http_get(method, &params, None);
            let outcome = self.with_retry(method, true, send).await;
            if !(first && self.access.has_other(&token, &outcome).await) {
                return outcome;
            }
            first = false;
        }
    }

    async fn post(
        &self,
        method: &'static str,
        request: &(impl Serialize + Send + Sync),
        repeatable: bool,
    ) -> Result<Value, DeliverError> {
        let mut first = true;
        loop {
            let token = self.access.token().await?;
            let api = self.slack.open_session(&token.value).http_session_api;
            let send = || api.http_post(method, request, None);
            let outcome = self.with_retry(method, repeatable, send).await;
            // What Slack refuses for its token was not done, so it may be sent with another.
            if !(first && self.access.has_other(&token, &outcome).await) {
                return outcome;
            }
            first = false;
        }
    }

    /// Sends until it works or [`Retry`] gives up.
    async fn with_retry<F>(
        &self,
        method: &'static str,
        repeatable: bool,
        send: impl Fn() -> F,
    ) -> Result<Value, DeliverError>
    where
        F: Future<Output = ClientResult<Value>>,
    {
        let mut failures = 0;
        loop {
            self.limits.wait(method, self.retry.longest).await?;
            let error = {
                let _request = self.requests.acquire().await;
                match send().await {
                    Ok(json) => {
                        self.missing.worked(method);
                        return Ok(json);
                    }
                    Err(error) => DeliverError::from(error),
                }
            };
            if let DeliverError::RateLimited { retry_after } = error {
                self.limits.set(method, retry_after);
            }
            self.missing.refused(method, &error);
            failures += 1;
            let Some(wait) = self.retry.wait(failures, &error, repeatable) else {
                return Err(error);
            };
            warn!(method, failures, ?wait, %error, "trying again");
            pause(wait).await;
        }
    }
}

/// Waits before another try. Nothing else waits for a time to pass.
#[expect(clippy::disallowed_methods, reason = "backoff")]
async fn pause(time: Duration) {
    tokio::time::sleep(time).await;
}

/// Sends a message; when Slack refuses its blocks, its plain text alone: a plain answer beats none.
async fn rich_or_plain<'m, F>(
    message: &'m Message,
    send: impl Fn(Option<&'m [SlackBlock]>) -> F,
) -> Result<Value, DeliverError>
where
    F: Future<Output = Result<Value, DeliverError>>,
{
    match send(Some(&message.blocks)).await {
        Err(DeliverError::InvalidBlocks(problem)) => {
            warn!(problem, "Slack refuses our blocks; sending plain text");
            send(None).await
        }
        other => other,
    }
}

fn content(message: &Message, blocks: Option<&[SlackBlock]>) -> SlackMessageContent {
    SlackMessageContent::new()
        .with_text(message.text.clone())
        .opt_blocks(blocks.map(<[_]>::to_vec))
}

fn text<'v>(json: &'v Value, pointer: &str) -> &'v str {
    json.pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn messages(mut json: Value) -> Vec<Value> {
    match json.get_mut("messages").map(Value::take) {
        Some(Value::Array(messages)) => messages,
        _ => Vec::new(),
    }
}
