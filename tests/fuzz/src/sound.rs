//! What holds for every message: Slack takes it, nothing in it pings, and nothing in it is obeyed.

use incident_like::slack::{Message, limits, preview};
use serde_json::Value;

/// Columns of a terminal.
const WIDTH: usize = 80;

/// Checks a message.
pub(crate) fn check(message: &Message) {
    check_from(message, None);
}

/// Checks a message that may mention the one who shares it.
pub(crate) fn check_from(message: &Message, sharer: Option<&str>) {
    let found = limits::check(message);
    assert!(found.is_empty(), "{found:#?}");
    let blocks = serde_json::to_value(&message.blocks).expect("blocks are JSON");
    check_parts(&blocks, &message.text, sharer);
    let shown = preview::preview(message, WIDTH, preview::Style::Plain);
    assert!(
        !shown.contains(|c: char| c.is_control() && c != '\n'),
        "a terminal would obey {shown:?}"
    );
}

/// Checks a message as it was sent.
///
/// # Panics
/// When Slack would refuse it, or obey anything in it.
pub fn check_parts(blocks: &Value, text: &str, sharer: Option<&str>) {
    let found = limits::check_blocks(blocks);
    assert!(found.is_empty(), "{found:#?}");
    for block in blocks.as_array().expect("a list") {
        match block["type"].as_str().expect("a type") {
            // Nothing is parsed in these; every other block would hold mrkdwn.
            "rich_text" | "divider" | "actions" => {}
            "context" => assert_eq!(block["elements"][0]["type"], "plain_text"),
            kind => panic!("a block of type `{kind}`"),
        }
        check_value(block, sharer);
    }
    check_fallback(text, sharer);
}

/// Checks what stands in blocks: addresses lead to the web, only the sharer is named, no character is obeyed.
fn check_value(value: &Value, sharer: Option<&str>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| check_value(value, sharer)),
        Value::Object(fields) => {
            match fields.get("type").and_then(Value::as_str) {
                Some("link") => {
                    let url = fields["url"].as_str().expect("an address");
                    let url = url::Url::parse(url).expect("a whole address");
                    assert!(matches!(url.scheme(), "http" | "https") && url.has_host());
                }
                Some("user") => assert_eq!(fields["user_id"].as_str(), sharer),
                Some("usergroup" | "broadcast" | "channel" | "mrkdwn") => panic!("{fields:?}"),
                _ => {}
            }
            for (name, value) in fields {
                if let (true, Some(text)) = (name == "text", value.as_str()) {
                    assert!(!text.contains(is_obeyed), "{text:?}");
                }
                check_value(value, sharer);
            }
        }
        _ => {}
    }
}

/// Returns whether a character steers instead of being shown.
fn is_obeyed(c: char) -> bool {
    c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// In the fallback every `<` begins a link of ours or the sharer's mention, and every `&` one of the three entities.
fn check_fallback(text: &str, sharer: Option<&str>) {
    assert!(!text.contains(is_obeyed), "{text:?}");
    let mut rest = text;
    while let Some(at) = rest.find(['<', '>', '&']) {
        rest = &rest[at..];
        if rest.starts_with('&') {
            let entity = ["&amp;", "&lt;", "&gt;"];
            assert!(
                entity.iter().any(|entity| rest.starts_with(entity)),
                "{text:?}"
            );
            rest = &rest[1..];
            continue;
        }
        assert!(rest.starts_with('<'), "a bare `>` in {text:?}");
        let end = rest.find('>').expect("a token is whole");
        let token = &rest[1..end];
        let is_sharer = sharer.is_some() && token.strip_prefix('@') == sharer;
        assert!(token.starts_with("http") || is_sharer, "{text:?}");
        assert!(!token.contains('<'), "{text:?}");
        rest = &rest[end + 1..];
    }
}
