//! Events that happen in no channel of people's: home, conversations with the bot, links, workflow steps.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::{ChannelId, Event, FIND_PRECEDENTS, Ts, UserId, at, first_given, post, some_ts};

/// Most links of one message that are looked at.
const LINKS: usize = 5;

/// Links to our pages in a message.
#[derive(Debug, Serialize, Deserialize)]
pub struct Links {
    /// Who posted them.
    pub user: Option<UserId>,
    /// The message.
    pub message: Ts,
    /// The addresses.
    pub urls: Vec<String>,
}

/// A workflow's call of our step.
#[derive(Serialize, Deserialize)]
pub struct Step {
    /// The workflow's call, to be answered.
    pub execution: String,
    /// The permit that comes with it. Recorded while the job waits, like addresses for answers.
    #[serde(serialize_with = "expose", deserialize_with = "hide")]
    pub token: Option<SecretString>,
    /// What to look up.
    pub text: String,
    /// The language asked for; empty for the text's own.
    pub lang: String,
}

#[expect(clippy::ref_option, reason = "serde asks for a reference to the field")]
fn expose<S: Serializer>(token: &Option<SecretString>, to: S) -> Result<S::Ok, S::Error> {
    token
        .as_ref()
        .map(ExposeSecret::expose_secret)
        .serialize(to)
}

fn hide<'de, D: Deserializer<'de>>(from: D) -> Result<Option<SecretString>, D::Error> {
    Ok(Option::<String>::deserialize(from)?.map(Into::into))
}

impl fmt::Debug for Step {
    /// Without the text and the permit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step")
            .field("execution", &self.execution)
            .field("text_bytes", &self.text.len())
            .finish_non_exhaustive()
    }
}

/// Reads an event that is about more than a channel of people's, with the channel if there is one.
pub(super) fn beyond_channels(json: &Value) -> Option<(ChannelId, Event)> {
    let channel = at(json, "/channel");
    match at(json, "/type") {
        "app_home_opened" if at(json, "/tab") == "home" => {
            let user = given(at(json, "/user"))?;
            Some((channel.into(), Event::HomeOpened { user }))
        }
        "message" if at(json, "/channel_type") == "im" => {
            // Edits and notices of Slack's have a subtype; whatever is written by a bot is no question.
            let asked =
                matches!(at(json, "/subtype"), "" | "file_share") && at(json, "/bot_id").is_empty();
            let post = post(json).filter(|post| asked && post.user.is_some())?;
            Some((channel.into(), Event::Direct(post)))
        }
        "assistant_thread_started" => {
            let channel = at(json, "/assistant_thread/channel_id").into();
            let user = given(at(json, "/assistant_thread/user_id"))?;
            let thread = some_ts(at(json, "/assistant_thread/thread_ts"))?;
            Some((channel, Event::Greeted { user, thread }))
        }
        // While a message is being written nobody knows where it will go; the links come again when it is posted.
        "link_shared" if at(json, "/source") != "composer" => {
            let links = json.get("links").and_then(Value::as_array)?;
            let urls = links.iter().map(|link| at(link, "/url"));
            let links = Links {
                user: given(at(json, "/user")),
                message: some_ts(at(json, "/message_ts"))?,
                urls: urls
                    .filter(|url| !url.is_empty())
                    .take(LINKS)
                    .map(str::to_owned)
                    .collect(),
            };
            Some((channel.into(), Event::Links(links)))
        }
        "function_executed" if at(json, "/function/callback_id") == FIND_PRECEDENTS => {
            let token = at(json, "/bot_access_token");
            let step = Step {
                execution: at(json, "/function_execution_id").to_owned(),
                token: (!token.is_empty()).then(|| token.into()),
                text: first_given([at(json, "/inputs/text"), at(json, "/inputs/question")])
                    .to_owned(),
                lang: at(json, "/inputs/lang").to_owned(),
            };
            (!step.execution.is_empty()).then(|| (channel.into(), Event::Step(step)))
        }
        _ => None,
    }
}

fn given(id: &str) -> Option<UserId> {
    (!id.is_empty()).then(|| id.into())
}
