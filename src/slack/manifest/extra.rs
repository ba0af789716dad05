//! What some features add to the manifest beside permissions.

use super::{
    Distribution,
    Feature::{self, Assistant, Direct, Home},
    Node, Reach,
};
use crate::slack::inbound::FIND_PRECEDENTS;

/// Which tabs the bot's own page has.
pub(super) fn home(features: &[Feature]) -> Node {
    let has = |wanted: &[Feature]| wanted.iter().any(|feature| features.contains(feature));
    let tabs = [
        ("home_tab_enabled", has(&[Home])),
        ("messages_tab_enabled", has(&[Direct, Assistant])),
        ("messages_tab_read_only_enabled", false),
    ];
    Node::table(tabs.map(|(tab, on)| Some((tab, Node::Flag(on)))))
}

/// What the assistant's pane says about the bot.
pub(super) fn assistant() -> Node {
    Node::table([Some((
        "assistant_description",
        Node::text(
            "Say what you see, and get the closest past incidents, what ended them and what was learned.",
        ),
    ))])
}

/// The domain whose links are previewed; `None` for an app without an address.
pub(super) fn domains(reach: &Reach) -> Option<Node> {
    let Reach::Url(url) = reach else {
        return None;
    };
    let rest = url.as_str().split_once("://")?.1;
    // Slack takes a host alone; as written, since a placeholder keeps its capitals.
    let host = rest.split(['/', ':']).next()?;
    Some(Node::texts(&[host]))
}

/// The steps for workflows.
pub(super) fn functions() -> Node {
    let parameter = |name, kind, title, about, required| {
        let parts = [
            Some(("type", Node::text(kind))),
            Some(("title", Node::text(title))),
            Some(("description", Node::text(about))),
            Some(("is_required", Node::Flag(required))),
        ];
        Some((name, Node::table(parts)))
    };
    let inputs = [
        parameter(
            "text",
            "string",
            "What is seen",
            "Symptoms and error messages in any words",
            true,
        ),
        parameter(
            "lang",
            "string",
            "Language",
            "en or ko; without it the text's own",
            false,
        ),
    ];
    let outputs = [
        parameter(
            "precedents",
            "string",
            "Precedents",
            "The answer as text",
            true,
        ),
        parameter(
            "confident",
            "boolean",
            "Sure",
            "Whether the best one is close",
            true,
        ),
        parameter("best_case", "string", "Best case", "Its id", true),
        parameter("best_title", "string", "Best title", "Its title", true),
        parameter(
            "best_link",
            "string",
            "Best link",
            "Where it can be read",
            true,
        ),
    ];
    let step = Node::table([
        Some(("title", Node::text("Find precedents"))),
        Some((
            "description",
            Node::text("Finds the closest past incidents for a text"),
        )),
        Some(("input_parameters", Node::table(inputs))),
        Some(("output_parameters", Node::table(outputs))),
    ]);
    Node::table([Some((FIND_PRECEDENTS, step))])
}

/// Where Slack sends back whoever installs the app; `None` where nobody comes by that way.
pub(super) fn redirects(distribution: &Distribution) -> Option<(&'static str, Node)> {
    let url = distribution.oauth.as_ref()?;
    Some(("redirect_urls", Node::texts(&[&url.redirect()])))
}

/// The events that say that a workspace took the app away, where several may have it.
pub(super) fn removals(distribution: &Distribution) -> impl Iterator<Item = &'static str> {
    let events = ["app_uninstalled", "tokens_revoked"];
    let several = distribution.oauth.is_some();
    events.into_iter().filter(move |_| several)
}
