//! The app manifest: what the app is in Slack, with the least permissions for the features that somebody chose.
//!
//! One table says which feature needs which scope and why, another which event; the manifest, `doctor` and the runbook
//! follow them. Structure: Slack's manifest schema 2 (github.com/slackapi/manifest-schema).

use std::fmt;

mod extra;
mod tree;

use tree::Node;

use super::inbound::{FIND_SIMILAR, SEARCH_INCIDENTS};

/// The path at which the service takes everything that Slack sends.
const PATH: &str = "/slack/events";
/// The path to which Slack sends back whoever installs the app.
pub const REDIRECT_PATH: &str = "/slack/oauth_redirect";

/// Something that the bot can do and that needs permissions of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// The slash command, the shortcuts, forms and the buttons under answers. Always there.
    Commands,
    /// Share: posts a precedent into the channel, after a look whether the channel is this organisation's alone.
    Share,
    /// Answers mentions in their threads.
    Mentions,
    /// The one suggestion in new incident channels.
    Suggestions,
    /// The same in private channels that somebody invited the bot to.
    PrivateChannels,
    /// A bookmark of the suggestion in the channel's header, where that is set.
    Bookmark,
    /// Answers in the language that somebody set in Slack.
    Language,
    /// The bot's home: recent questions, help, settings.
    Home,
    /// Answers messages to the bot alone.
    Direct,
    /// Previews of links to the pages of cases.
    Links,
    /// Conversations in the assistant's pane.
    Assistant,
    /// The step "Find precedents" for workflows.
    Workflow,
}

impl Feature {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Commands,
        Self::Share,
        Self::Mentions,
        Self::Suggestions,
        Self::PrivateChannels,
        Self::Bookmark,
        Self::Language,
        Self::Home,
        Self::Direct,
        Self::Links,
        Self::Assistant,
        Self::Workflow,
    ];

    /// Those that work in every workspace without anything else: the others want pages of our own, a setting, or a plan
    /// that Slack is paid for.
    pub const USUAL: [Self; 8] = [
        Self::Commands,
        Self::Share,
        Self::Mentions,
        Self::Suggestions,
        Self::PrivateChannels,
        Self::Language,
        Self::Home,
        Self::Direct,
    ];

    /// Returns its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Commands => "commands",
            Self::Share => "share",
            Self::Mentions => "mentions",
            Self::Suggestions => "suggestions",
            Self::PrivateChannels => "private-channels",
            Self::Bookmark => "bookmark",
            Self::Language => "language",
            Self::Home => "home",
            Self::Direct => "direct",
            Self::Links => "links",
            Self::Assistant => "assistant",
            Self::Workflow => "workflow",
        }
    }

    /// Finds a feature by its name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|feature| feature.name() == name)
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A permission, the features that need it (any one of them is enough), and one that must be chosen as well.
struct Need {
    name: &'static str,
    of: &'static [Feature],
    also: Option<Feature>,
}

const fn need(name: &'static str, of: &'static [Feature]) -> Need {
    Need {
        name,
        of,
        also: None,
    }
}

/// A need in private channels only.
const fn private(name: &'static str, of: &'static [Feature]) -> Need {
    Need {
        name,
        of,
        also: Some(Feature::PrivateChannels),
    }
}

use Feature::{
    Assistant, Bookmark, Commands, Direct, Home, Language, Links, Mentions, Share, Suggestions,
    Workflow,
};

/// Scopes, in Slack's order. The reference page of each method names them.
const SCOPES: &[Need] = &[
    need("app_mentions:read", &[Mentions]),
    // assistant.threads.setSuggestedPrompts.
    need("assistant:write", &[Assistant]),
    // bookmarks.add.
    need("bookmarks:write", &[Bookmark]),
    // conversations.history, conversations.replies, message.channels.
    need("channels:history", &[Mentions, Suggestions]),
    need("channels:join", &[Suggestions]),
    // conversations.info: whether a channel is shared with another organisation.
    need("channels:read", &[Share, Mentions, Suggestions, Links]),
    need("chat:write", &[Mentions, Suggestions, Direct, Assistant]),
    need("commands", &[Commands]),
    private("groups:history", &[Mentions, Suggestions]),
    private("groups:read", &[Share, Mentions, Suggestions, Links]),
    need("im:history", &[Direct, Assistant]),
    need("links:read", &[Links]),
    // chat.unfurl.
    need("links:write", &[Links]),
    need("users:read", &[Language]),
];

/// Scopes that somebody who installs the app may refuse.
const OPTIONAL: &[&str] = &["users:read"];

/// Events, in Slack's order.
const EVENTS: &[Need] = &[
    need("app_home_opened", &[Home]),
    need("app_mention", &[Mentions]),
    need("assistant_thread_started", &[Assistant]),
    need("channel_archive", &[Suggestions]),
    need("channel_created", &[Suggestions]),
    need("channel_deleted", &[Suggestions]),
    need("channel_id_changed", &[Suggestions]),
    need("channel_left", &[Suggestions]),
    need("channel_rename", &[Suggestions]),
    need("function_executed", &[Workflow]),
    private("group_archive", &[Suggestions]),
    private("group_deleted", &[Suggestions]),
    private("group_left", &[Suggestions]),
    private("group_rename", &[Suggestions]),
    need("link_shared", &[Links]),
    need("member_joined_channel", &[Suggestions]),
    need("message.channels", &[Suggestions]),
    private("message.groups", &[Suggestions]),
    need("message.im", &[Direct, Assistant]),
];

fn wanted<'f>(
    needs: &'static [Need],
    features: &'f [Feature],
) -> impl Iterator<Item = &'static Need> + use<'f> {
    let has = |feature: &Feature| *feature == Commands || features.contains(feature);
    needs
        .iter()
        .filter(move |need| need.of.iter().any(has) && need.also.is_none_or(|also| has(&also)))
}

/// Returns the scopes that some features need.
pub fn scopes(features: &[Feature]) -> Vec<&'static str> {
    wanted(SCOPES, features).map(|need| need.name).collect()
}

/// Returns whether the bot does its other work without this scope.
pub fn is_optional(scope: &str) -> bool {
    OPTIONAL.contains(&scope)
}

/// Returns which of some features need a scope.
pub fn needed_by(scope: &str, features: &[Feature]) -> Vec<Feature> {
    let needs = wanted(SCOPES, features).filter(|need| need.name == scope);
    needs
        .flat_map(|need| need.of.iter().chain(&need.also))
        .copied()
        .filter(|feature| *feature == Commands || features.contains(feature))
        .collect()
}

/// How Slack reaches the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// By requests to this address.
    Url(PublicUrl),
    /// By connections that the service opens (Socket Mode).
    Socket,
}

/// Who may install the app, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// Where several workspaces install it; `None` where one has it for itself.
    pub oauth: Option<PublicUrl>,
    /// Whether their tokens expire and are renewed.
    pub rotation: bool,
    /// Whether an organisation may install it for all of its workspaces at once.
    pub org_wide: bool,
}

/// The address of the service as the world sees it, without a path of ours and without a final slash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl(String);

/// What is wrong with a public address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublicUrlError {
    /// It is none.
    #[error("it is no address; write it like `https://bot.example.com`")]
    NoUrl,
    /// It is not encrypted.
    #[error("Slack sends to `https://` addresses only")]
    NotHttps,
    /// It holds more than a host and a path.
    #[error("leave out user names, `?` and `#`: host and path only")]
    TooMuch,
    /// It holds the path that is added.
    #[error("leave out `/slack/events`: it is added")]
    WithPath,
}

impl std::str::FromStr for PublicUrl {
    type Err = PublicUrlError;

    fn from_str(text: &str) -> Result<Self, PublicUrlError> {
        let text = text.trim().trim_end_matches('/');
        let url = url::Url::parse(text).map_err(|_| PublicUrlError::NoUrl)?;
        if url.scheme() != "https" {
            return Err(PublicUrlError::NotHttps);
        }
        let bare = url.query().is_none() && url.fragment().is_none();
        if !bare || !url.username().is_empty() || url.password().is_some() {
            return Err(PublicUrlError::TooMuch);
        }
        if text.ends_with(PATH) {
            return Err(PublicUrlError::WithPath);
        }
        // As written: a placeholder keeps its capitals.
        Ok(Self(text.to_owned()))
    }
}

impl PublicUrl {
    /// Returns the address to which Slack sends.
    pub fn events(&self) -> String {
        format!("{}{PATH}", self.0)
    }

    /// Returns the address to which Slack sends back whoever installs the app.
    pub fn redirect(&self) -> String {
        format!("{}{REDIRECT_PATH}", self.0)
    }

    /// Returns the address itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The manifest, ready to be written.
#[derive(Clone, Debug)]
pub struct Manifest(Node);

impl Manifest {
    /// Makes the manifest of an app that Slack reaches so, that can do this, and that these may install.
    pub fn new(reach: &Reach, features: &[Feature], distribution: &Distribution) -> Self {
        let url = |key| match reach {
            Reach::Url(url) => Some((key, Node::text(&url.events()))),
            Reach::Socket => None,
        };
        let command = [
            Some(("command", Node::text("/incident-like"))),
            url("url"),
            Some((
                "description",
                Node::text("Find past incidents like this one · 비슷한 과거 장애 찾기"),
            )),
            Some((
                "usage_hint",
                Node::text("what you see, in your words · 보이는 그대로 | IL-0493 | here | help"),
            )),
            Some(("should_escape", Node::Flag(true))),
        ];
        let shortcut = [
            ("name", Node::text("Find similar incidents")),
            ("type", Node::text("message")),
            ("callback_id", Node::text(FIND_SIMILAR)),
            (
                "description",
                Node::text("Finds past incidents like the one in this message"),
            ),
        ];
        let search = [
            ("name", Node::text("Search past incidents")),
            ("type", Node::text("global")),
            ("callback_id", Node::text(SEARCH_INCIDENTS)),
            (
                "description",
                Node::text("Searches past incidents from anywhere, with filters"),
            ),
        ];
        let has = |feature| features.contains(&feature);
        let settings = [
            events(url("request_url"), features, distribution)
                .map(|events| ("event_subscriptions", events)),
            Some((
                "interactivity",
                Node::table([Some(("is_enabled", Node::Flag(true))), url("request_url")]),
            )),
            // Slack lets only such apps have steps.
            Some((
                "org_deploy_enabled",
                Node::Flag(has(Workflow) || distribution.org_wide),
            )),
            Some(("socket_mode_enabled", Node::Flag(*reach == Reach::Socket))),
            Some(("token_rotation_enabled", Node::Flag(distribution.rotation))),
            has(Workflow).then(|| ("function_runtime", Node::text("remote"))),
        ];
        Self(Node::table([
            Some((
                "_metadata",
                Node::table([
                    Some(("major_version", Node::Number(2))),
                    Some(("minor_version", Node::Number(0))),
                ]),
            )),
            Some(("display_information", display())),
            Some((
                "features",
                Node::table([
                    Some(("app_home", extra::home(features))),
                    has(Assistant).then(|| ("assistant_view", extra::assistant())),
                    Some(("bot_user", bot_user())),
                    Some((
                        "shortcuts",
                        Node::List(vec![
                            Node::table(shortcut.map(Some)),
                            Node::table(search.map(Some)),
                        ]),
                    )),
                    Some(("slash_commands", Node::List(vec![Node::table(command)]))),
                    extra::domains(reach)
                        .filter(|_| has(Links))
                        .map(|domains| ("unfurl_domains", domains)),
                ]),
            )),
            has(Workflow).then(|| ("functions", extra::functions())),
            Some((
                "oauth_config",
                Node::table([
                    extra::redirects(distribution),
                    Some(("scopes", permissions(features))),
                ]),
            )),
            Some(("settings", Node::table(settings))),
        ]))
    }

    /// Writes it as JSON.
    pub fn json(&self) -> String {
        self.0.json()
    }

    /// Writes it as YAML.
    pub fn yaml(&self) -> String {
        self.0.yaml()
    }
}

fn display() -> Node {
    Node::table([
        Some(("name", Node::text("Incident Like"))),
        Some((
            "description",
            Node::text(
                "Finds the closest past incidents for what you see: why they are close, what worked, what was learned.",
            ),
        )),
        Some((
            "long_description",
            Node::text(
                "Say what you see, in English or Korean, and get the closest past incidents before the second alert arrives: \
                 why each one is close, what ended it, what its owners learned and promised to do. Every word comes from a \
                 published account, with its source. In new incident channels the bot speaks up by itself, once, when it \
                 has something worth saying. It runs on your own machines and sends what it reads nowhere else.",
            ),
        )),
        Some(("background_color", Node::text("#1f3a5f"))),
    ])
}

fn bot_user() -> Node {
    Node::table([
        Some(("display_name", Node::text("incident-like"))),
        Some(("always_online", Node::Flag(true))),
    ])
}

fn permissions(features: &[Feature]) -> Node {
    let scopes = scopes(features);
    let optional: Vec<&str> = scopes
        .iter()
        .copied()
        .filter(|scope| is_optional(scope))
        .collect();
    Node::table([
        Some(("bot", Node::texts(&scopes))),
        (!optional.is_empty()).then(|| ("bot_optional", Node::texts(&optional))),
    ])
}

/// Returns what the app subscribes to; `None` when that is nothing, for which Slack wants no address either.
fn events(
    url: Option<(&'static str, Node)>,
    features: &[Feature],
    distribution: &Distribution,
) -> Option<Node> {
    let wanted = wanted(EVENTS, features).map(|need| need.name);
    let mut events: Vec<&str> = wanted.chain(extra::removals(distribution)).collect();
    events.sort_unstable();
    (!events.is_empty()).then(|| Node::table([url, Some(("bot_events", Node::texts(&events)))]))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn manifest(reach: &Reach, features: &[Feature]) -> Value {
        let json = Manifest::new(reach, features, &Distribution::default()).json();
        serde_json::from_str(&json).expect("it is JSON")
    }

    fn https() -> Reach {
        Reach::Url("https://bot.example.com/il/".parse().expect("an address"))
    }

    #[test]
    fn the_least_features_ask_for_the_least() {
        let least = manifest(&https(), &[]);
        assert_eq!(
            least.pointer("/oauth_config/scopes/bot"),
            Some(&serde_json::json!(["commands"]))
        );
        assert_eq!(least.pointer("/settings/event_subscriptions"), None);
        let url = least.pointer("/features/slash_commands/0/url");
        assert_eq!(url, Some(&"https://bot.example.com/il/slack/events".into()));
    }

    #[test]
    fn private_channels_cost_nothing_until_something_happens_there() {
        assert_eq!(scopes(&[Feature::PrivateChannels]), ["commands"]);
        let both = scopes(&[Mentions, Feature::PrivateChannels]);
        assert!(both.contains(&"groups:history") && !both.contains(&"channels:join"));
        assert!(
            !scopes(&[Mentions])
                .iter()
                .any(|scope| scope.starts_with("groups"))
        );
    }

    #[test]
    fn a_scope_knows_who_needs_it() {
        assert_eq!(needed_by("channels:join", &Feature::ALL), [Suggestions]);
        assert_eq!(needed_by("channels:join", &[Mentions]), []);
        assert_eq!(needed_by("commands", &[]), [Commands]);
    }

    #[test]
    fn several_workspaces_have_a_way_back_and_say_when_they_leave() {
        let distribution = Distribution {
            oauth: Some("https://bot.example.com/il/".parse().expect("an address")),
            rotation: true,
            org_wide: true,
        };
        let json = Manifest::new(&Reach::Socket, &[], &distribution).json();
        let json: Value = serde_json::from_str(&json).expect("it is JSON");
        let redirects = &json["oauth_config"]["redirect_urls"];
        let expect = ["https://bot.example.com/il/slack/oauth_redirect"];
        assert_eq!(redirects, &serde_json::json!(expect));
        let settings = &json["settings"];
        let events = &settings["event_subscriptions"]["bot_events"];
        assert_eq!(
            events,
            &serde_json::json!(["app_uninstalled", "tokens_revoked"])
        );
        assert_eq!(settings["token_rotation_enabled"], true);
        assert_eq!(settings["org_deploy_enabled"], true);
    }

    #[test]
    fn socket_mode_needs_no_address() {
        let json = Manifest::new(&Reach::Socket, &Feature::ALL, &Distribution::default()).json();
        assert!(!json.contains("url") && json.contains("\"socket_mode_enabled\": true"));
    }

    #[test]
    fn tables_are_in_order_and_name_each_permission_once() {
        for needs in [SCOPES, EVENTS] {
            assert!(needs.is_sorted_by(|a, b| a.name < b.name));
        }
        assert!(
            Feature::ALL
                .iter()
                .all(|feature| Feature::named(feature.name()) == Some(*feature))
        );
    }

    #[test]
    fn addresses_are_checked() {
        for (text, expect) in [
            ("bot.example.com", PublicUrlError::NoUrl),
            ("http://bot.example.com", PublicUrlError::NotHttps),
            ("https://bot.example.com?x=1", PublicUrlError::TooMuch),
            ("https://me@bot.example.com", PublicUrlError::TooMuch),
            (
                "https://bot.example.com/slack/events/",
                PublicUrlError::WithPath,
            ),
        ] {
            assert_eq!(text.parse::<PublicUrl>(), Err(expect), "{text}");
        }
        let kept: PublicUrl = "https://YOUR-HOST/".parse().expect("an address");
        assert_eq!(kept.events(), "https://YOUR-HOST/slack/events");
    }
}
