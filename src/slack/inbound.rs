//! What Slack sends: slash commands, interactions and events, as few fields of each as we act on.
//!
//! Fields are read one by one from raw forms and JSON instead of through a strict type: whatever Slack adds, leaves out
//! or sends in another type (organisation-wide installs send `null` team ids) must not take the rest away. Anything
//! that was signed and is not understood is [`Inbound::Ignored`], never an error: Slack switches subscriptions off
//! when too many deliveries fail.

use std::{collections::HashMap, fmt};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    BotId, ChannelId, Ts, UserId, gather,
    response_url::ResponseUrl,
    signature::VerifiedBody,
    socket::{Kind, Payload},
};

mod event;
mod interaction;
mod tenant;

pub use event::{Links, Step};
pub use interaction::{Click, Opening, Setting, Submission, Surface, Trigger, Typed, ViewRef};
pub use tenant::{Tenant, Uninstall};

/// Callback id of the message shortcut "Find similar incidents".
pub const FIND_SIMILAR: &str = "find_similar";
/// Callback id of the global shortcut "Search past incidents".
pub const SEARCH_INCIDENTS: &str = "search_incidents";
/// Callback id of the workflow step "Find precedents".
pub const FIND_PRECEDENTS: &str = "find_precedents";

/// A request from Slack.
pub enum Inbound {
    /// Slack checks the address when it is entered.
    UrlVerification {
        /// To be sent back.
        challenge: String,
    },
    /// Somebody typed the slash command.
    Command(SlashCommand),
    /// Somebody used the message shortcut.
    Shortcut(Shortcut),
    /// Somebody pressed a button of ours.
    Click(Click),
    /// Somebody used the global shortcut.
    Search(Opening),
    /// Somebody types into a menu of a form.
    Typed(Typed),
    /// Somebody set something in the bot's home.
    Set(Setting),
    /// Somebody sent a form.
    Submission(Submission),
    /// Somebody who is known to belong to another workspace did one of these.
    Stranger(Asker),
    /// Something happened in a channel.
    Event(Envelope),
    /// The app was taken away from a workspace, or its token was.
    Uninstall(Uninstall),
    /// Nothing to do; why, for the log.
    Ignored(&'static str),
}

/// A channel of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// Workspace, or the organisation when Slack names no workspace; empty when it names neither.
    pub team: String,
    /// Channel.
    pub channel: ChannelId,
}

/// Somebody who asked for something, and how to answer only them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Asker {
    /// Where.
    pub place: Place,
    /// Who.
    pub user: UserId,
    /// The thread in which it happened, if any.
    pub thread: Option<Ts>,
    /// Where later answers go.
    pub response_url: Option<ResponseUrl>,
    /// Which press, form or shortcut it was, while it is being taken.
    #[serde(skip)]
    pub press: Trigger,
}

/// A slash command.
pub struct SlashCommand {
    /// Who typed it where.
    pub asker: Asker,
    /// The channel's name; `None` where Slack hides it (private channels, direct messages).
    pub channel_name: Option<String>,
    /// What stands after the command.
    pub text: String,
}

/// The message shortcut, used on a message.
#[derive(Clone, Serialize, Deserialize)]
pub struct Shortcut {
    /// Who used it where.
    pub asker: Asker,
    /// The message's text.
    pub text: String,
}

/// An event with what Slack says about its delivery.
#[derive(Debug)]
pub struct Envelope {
    /// Identifies the event over all its deliveries.
    pub id: Option<String>,
    /// Whether the channel is shared with another organisation.
    pub shared_channel: bool,
    /// Where it happened.
    pub place: Place,
    /// What happened.
    pub event: Event,
}

/// What happened in a channel.
#[derive(Debug)]
pub enum Event {
    /// Somebody mentioned the bot.
    Mention(Post),
    /// A message, of people or other bots.
    Message(Post),
    /// The channel got a name: it is new, or was renamed.
    Named {
        /// The name.
        name: String,
    },
    /// Somebody joined the channel.
    Joined {
        /// Who.
        user: UserId,
    },
    /// Topic or purpose changed.
    Described,
    /// The channel goes on under another id.
    Moved {
        /// That id.
        to: ChannelId,
    },
    /// The channel was archived or deleted, or the bot left it.
    Gone,
    /// A message to the bot alone.
    Direct(Post),
    /// Somebody opened the conversation with the bot in the assistant's pane.
    Greeted {
        /// Who.
        user: UserId,
        /// The thread that was begun for it.
        thread: Ts,
    },
    /// Somebody opened the bot's home.
    HomeOpened {
        /// Who.
        user: UserId,
    },
    /// Somebody posted links to pages of ours.
    Links(Links),
    /// A workflow came to our step.
    Step(Step),
}

/// A message as an event brings it.
#[derive(Clone, Serialize, Deserialize)]
pub struct Post {
    /// Its id within the channel.
    pub ts: Ts,
    /// The thread in which it stands, if any.
    pub thread: Option<Ts>,
    /// Who wrote it; `None` for some bots.
    pub user: Option<UserId>,
    /// The bot that wrote it, if one did.
    pub bot: Option<BotId>,
    /// Whether it came from a member of another workspace.
    pub foreign: bool,
    /// All its text ([`gather`]).
    pub text: String,
}

impl fmt::Debug for Post {
    /// Without the text: it is other people's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            ts,
            thread,
            user,
            bot,
            foreign,
            text,
        } = self;
        f.debug_struct("Post")
            .field("ts", ts)
            .field("thread", thread)
            .field("user", user)
            .field("bot", bot)
            .field("foreign", foreign)
            .field("text_bytes", &text.len())
            .finish()
    }
}

/// Returns whether a body is Slack's check of the certificate; it comes before signatures and has no effect.
pub fn is_ssl_check(body: &[u8]) -> bool {
    body.len() < 1024
        && url::form_urlencoded::parse(body).any(|(key, value)| key == "ssl_check" && value == "1")
}

impl Inbound {
    /// Understands a verified body, and for whose install it is.
    pub fn parse(body: &VerifiedBody) -> (Self, Tenant) {
        Self::parse_text(body.text())
    }

    /// Understands what came over a connection that we opened ourselves, and for whose install it is.
    pub fn of_socket(payload: &Payload) -> (Self, Tenant) {
        let json = payload.json();
        match payload.kind() {
            Kind::Command => {
                let field = |key: &str| json.get(key).and_then(Value::as_str).unwrap_or("");
                (command(field), Tenant::of_command(field))
            }
            Kind::Interaction => (interaction::read(json), Tenant::of_interaction(json)),
            Kind::Event => (outer_event(json), Tenant::of_event(json)),
        }
    }

    fn parse_text(text: &str) -> (Self, Tenant) {
        let nothing = |why| (Self::Ignored(why), Tenant::default());
        if text.trim_start().starts_with('{') {
            return match serde_json::from_str(text) {
                Ok(json) => (outer_event(&json), Tenant::of_event(&json)),
                Err(_) => nothing("not JSON"),
            };
        }
        let form: HashMap<_, _> = url::form_urlencoded::parse(text.as_bytes()).collect();
        let field = |key: &str| form.get(key).map(AsRef::as_ref).unwrap_or_default();
        if form.contains_key("payload") {
            return match serde_json::from_str(field("payload")) {
                Ok(json) => (interaction::read(&json), Tenant::of_interaction(&json)),
                Err(_) => nothing("payload is not JSON"),
            };
        }
        (command(field), Tenant::of_command(field))
    }

    /// Returns the workspace that it is about, to be corrected where another's install serves it.
    pub fn team_mut(&mut self) -> Option<&mut String> {
        Some(match self {
            Self::Command(command) => &mut command.asker.place.team,
            Self::Shortcut(shortcut) => &mut shortcut.asker.place.team,
            Self::Click(click) => &mut click.asker.place.team,
            Self::Search(opening) => &mut opening.asker.place.team,
            Self::Typed(typed) => &mut typed.team,
            Self::Submission(submission) => &mut submission.asker.place.team,
            Self::Set(setting) => &mut setting.asker.place.team,
            Self::Stranger(asker) => &mut asker.place.team,
            Self::Event(envelope) => &mut envelope.place.team,
            Self::UrlVerification { .. } | Self::Uninstall(_) | Self::Ignored(_) => return None,
        })
    }
}

/// Reads a slash command, whose fields come as a form or as JSON.
fn command<'t>(field: impl Fn(&str) -> &'t str) -> Inbound {
    if field("command").is_empty() {
        return Inbound::Ignored("neither command, payload nor event");
    }
    let team = [field("team_id"), field("enterprise_id")];
    Inbound::Command(SlashCommand {
        asker: Asker {
            place: Place {
                team: first_given(team).to_owned(),
                channel: field("channel_id").into(),
            },
            user: field("user_id").into(),
            // Slack offers a command to members of the workspaces that installed it only, so this is no stranger.
            // Slack does not run commands inside threads.
            thread: None,
            response_url: ResponseUrl::parse(field("response_url")),
            press: Trigger::default(),
        },
        channel_name: Some(field("channel_name"))
            .filter(|name| !HIDDEN_NAMES.contains(name))
            .map(str::to_owned),
        text: field("text").to_owned(),
    })
}

/// What Slack writes in place of a channel's name where it does not tell it.
const HIDDEN_NAMES: [&str; 4] = ["", "privategroup", "directmessage", "mpdm"];

fn outer_event(json: &Value) -> Inbound {
    match at(json, "/type") {
        "url_verification" => Inbound::UrlVerification {
            challenge: at(json, "/challenge").to_owned(),
        },
        "event_callback" => {
            if let Some(uninstall) = Uninstall::read(json) {
                return Inbound::Uninstall(uninstall);
            }
            let Some((channel, event)) = json.get("event").and_then(inner_event) else {
                return Inbound::Ignored("event of another type");
            };
            let team = first_given([
                at(json, "/team_id"),
                at(json, "/authorizations/0/team_id"),
                at(json, "/enterprise_id"),
                at(json, "/authorizations/0/enterprise_id"),
            ]);
            Inbound::Event(Envelope {
                id: Some(at(json, "/event_id").to_owned()).filter(|id| !id.is_empty()),
                shared_channel: json.get("is_ext_shared_channel") == Some(&Value::Bool(true)),
                place: Place {
                    team: team.to_owned(),
                    channel,
                },
                event,
            })
        }
        "app_rate_limited" => Inbound::Ignored("Slack limits our events"),
        _ => Inbound::Ignored("outer event of another type"),
    }
}

/// Reads the inner event and the channel it is about.
fn inner_event(json: &Value) -> Option<(ChannelId, Event)> {
    if let Some(found) = event::beyond_channels(json) {
        return Some(found);
    }
    // Some events name the channel by its id, some hold a channel.
    let channel = first_given([at(json, "/channel"), at(json, "/channel/id")]);
    if channel.is_empty() && at(json, "/type") != "channel_id_changed" {
        return None;
    }
    let event = match at(json, "/type") {
        "app_mention" => Event::Mention(post(json)?),
        "message" => return Some((channel.into(), message(json)?)),
        "channel_created" | "channel_rename" | "group_rename" => Event::Named {
            name: at(json, "/channel/name").to_owned(),
        },
        "member_joined_channel" => Event::Joined {
            user: at(json, "/user").into(),
        },
        "channel_archive" | "channel_deleted" | "channel_left" | "group_archive"
        | "group_deleted" | "group_left" => Event::Gone,
        "channel_id_changed" => {
            let to = at(json, "/new_channel_id").into();
            return Some((at(json, "/old_channel_id").into(), Event::Moved { to }));
        }
        _ => return None,
    };
    Some((channel.into(), event))
}

impl Post {
    /// Reads a message of a channel's history; `None` when nobody wrote it (joins, topics, other notices of Slack's).
    pub fn from_history(json: &Value) -> Option<Self> {
        match Event::from_history(json)? {
            Event::Message(post) => Some(post),
            _ => None,
        }
    }
}

impl Event {
    /// Reads a message of a channel's history as the event that it was; `None` for what changes nothing.
    pub fn from_history(json: &Value) -> Option<Self> {
        message(json)
    }
}

fn message(json: &Value) -> Option<Event> {
    match at(json, "/subtype") {
        "" | "file_share" | "thread_broadcast" | "me_message" | "bot_message" => {
            Some(Event::Message(post(json)?))
        }
        "channel_topic" | "channel_purpose" | "group_topic" | "group_purpose" => {
            Some(Event::Described)
        }
        "channel_name" | "group_name" => Some(Event::Named {
            name: at(json, "/name").to_owned(),
        }),
        // Edits, above all the ones that unfurling makes, deletions, joins and whatever Slack invents.
        _ => None,
    }
}

fn post(json: &Value) -> Option<Post> {
    let ts = some_ts(at(json, "/ts"))?;
    let thread = some_ts(at(json, "/thread_ts"));
    let given = |pointer| Some(at(json, pointer)).filter(|id| !id.is_empty());
    // Slack names both teams where the author may be from elsewhere.
    let (of_author, of_event) = (
        given("/user_team").or(given("/source_team")),
        given("/team"),
    );
    Some(Post {
        ts,
        thread,
        user: given("/user").map(Into::into),
        bot: given("/bot_id").map(Into::into),
        foreign: of_author
            .zip(of_event)
            .is_some_and(|(author, event)| author != event),
        text: gather::message_text(json),
    })
}

/// Returns the text at a JSON pointer; empty when there is none.
fn at<'v>(json: &'v Value, pointer: &str) -> &'v str {
    json.pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn first_given<'t>(texts: impl IntoIterator<Item = &'t str>) -> &'t str {
    texts
        .into_iter()
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

fn some_ts(text: &str) -> Option<Ts> {
    (!text.is_empty()).then(|| text.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use slack_morphism::prelude::ValueStruct;

    use super::*;

    fn event(envelope: &Value) -> Envelope {
        match Inbound::parse_text(&envelope.to_string()).0 {
            Inbound::Event(envelope) => envelope,
            _ => panic!("an event"),
        }
    }

    fn ignored(body: &str) -> &'static str {
        match Inbound::parse_text(body).0 {
            Inbound::Ignored(why) => why,
            _ => panic!("nothing to do: {body}"),
        }
    }

    #[test]
    fn a_slash_command_as_slack_sends_it() {
        let body = "token=x&team_id=T1&team_domain=example&channel_id=C1&channel_name=inc-1&user_id=U1&user_name=u\
            &command=%2Fincident-like&text=etcd+%26amp%3B+%EB%85%B8%EB%93%9C&api_app_id=A1&is_enterprise_install=false\
            &response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1%2F1%2Fx&trigger_id=1.2.3";
        let Inbound::Command(command) = Inbound::parse_text(body).0 else {
            panic!("a command");
        };
        assert_eq!(command.text, "etcd &amp; 노드");
        assert_eq!(
            command.asker.place,
            Place {
                team: "T1".to_owned(),
                channel: "C1".into()
            }
        );
        assert_eq!(command.channel_name.as_deref(), Some("inc-1"));
        assert!(command.asker.response_url.is_some());
    }

    #[test]
    fn hidden_channel_names_are_no_names() {
        let Inbound::Command(command) =
            Inbound::parse_text("command=%2Fx&channel_name=directmessage&enterprise_id=E1").0
        else {
            panic!("a command");
        };
        assert_eq!(command.channel_name, None);
        assert_eq!(command.asker.place.team, "E1");
    }

    #[test]
    fn organisation_wide_installs_have_no_team() {
        let envelope = event(&json!({
            "type": "event_callback", "team_id": null, "enterprise_id": "E1", "event_id": "Ev1",
            "authorizations": [{"enterprise_id": "E1", "team_id": null, "user_id": "U0BOT", "is_bot": true, "is_enterprise_install": true}],
            "event": {"type": "app_mention", "user": "U1", "text": "hi", "ts": "1.2", "channel": "C1"},
        }));
        assert_eq!(envelope.place.team, "E1");
        assert!(matches!(envelope.event, Event::Mention(_)));
        let payload = json!({
            "type": "message_action", "callback_id": "find_similar", "team": null, "enterprise": {"id": "E1"},
            "is_enterprise_install": true, "user": {"id": "U1", "team_id": "T2"}, "channel": {"id": "C1"},
            "message": {"text": "", "attachments": [{"fallback": "disk full"}]}, "response_url": "https://hooks.slack.com/app/1",
        });
        let form: String = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("payload", &payload.to_string())
            .finish();
        let Inbound::Shortcut(shortcut) = Inbound::parse_text(&form).0 else {
            panic!("a shortcut");
        };
        assert_eq!(
            (shortcut.text.as_str(), shortcut.asker.place.team.as_str()),
            ("disk full", "T2")
        );
    }

    #[test]
    fn messages_that_nobody_wrote_are_ignored() {
        for (subtype, extra) in [
            ("message_changed", json!({"message": {"text": "unfurled"}})),
            ("message_deleted", json!({"deleted_ts": "1.1"})),
            ("channel_join", json!({"user": "U1"})),
            ("invented_later", json!({})),
        ] {
            let mut inner =
                json!({"type": "message", "subtype": subtype, "channel": "C1", "ts": "1.2"});
            inner
                .as_object_mut()
                .expect("an object")
                .extend(extra.as_object().expect("an object").clone());
            let body = json!({"type": "event_callback", "event": inner}).to_string();
            assert_eq!(ignored(&body), "event of another type", "{subtype}");
        }
    }

    #[test]
    fn unknown_and_broken_bodies_are_ignored() {
        for body in [
            "",
            "{",
            "{}",
            r#"{"type": 5}"#,
            "[]",
            "payload=%7B",
            "payload=null",
            "a=b",
            r#"{"type":"event_callback"}"#,
            r#"{"type":"event_callback","event":{"type":"message","channel":{"id":5}}}"#,
            r#"{"type":"event_callback","event":{"type":"app_mention","channel":"C1"}}"#,
            r#"{"type":"event_callback","event":{"type":"reaction_added","item":{"channel":"C1"}}}"#,
            r#"{"type":"app_rate_limited","team_id":"T1"}"#,
        ] {
            ignored(body);
        }
    }

    #[test]
    fn channels_are_named_renamed_and_moved() {
        for inner in [
            json!({"type": "channel_created", "channel": {"id": "C1", "name": "inc-1", "created": 1, "creator": "U1"}}),
            json!({"type": "channel_rename", "channel": {"id": "C1", "name": "inc-1", "created": 1}}),
            json!({"type": "message", "subtype": "channel_name", "channel": "C1", "name": "inc-1", "old_name": "x", "ts": "1.2"}),
        ] {
            let envelope =
                event(&json!({"type": "event_callback", "team_id": "T1", "event": inner}));
            assert_eq!(envelope.place.channel.value(), "C1");
            assert!(matches!(envelope.event, Event::Named { name } if name == "inc-1"));
        }
        let moved =
            json!({"type": "channel_id_changed", "old_channel_id": "C1", "new_channel_id": "C2"});
        let envelope = event(&json!({"type": "event_callback", "event": moved}));
        assert!(matches!(envelope.event, Event::Moved { to } if to == "C2".into()));
    }

    #[test]
    fn strangers_are_recognised() {
        let envelope = event(
            &json!({"type": "event_callback", "is_ext_shared_channel": true, "event":
            {"type": "app_mention", "user": "U9", "user_team": "T9", "team": "T1", "text": "hi", "ts": "1.2", "channel": "C1"}}),
        );
        assert!(envelope.shared_channel);
        let Event::Mention(post) = envelope.event else {
            panic!("a mention");
        };
        assert!(post.foreign);
        assert!(!format!("{post:?}").contains("hi"));
    }

    #[test]
    fn the_certificate_check_is_recognised() {
        assert!(is_ssl_check(b"ssl_check=1&token=x"));
        assert!(!is_ssl_check(b"text=ssl_check%3D1&command=%2Fx"));
        assert!(!is_ssl_check(b"ssl_check=0"));
    }
}
