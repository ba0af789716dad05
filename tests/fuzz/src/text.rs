//! Slack's markup in both directions, and the text of a message wherever its author put it.

use incident_like::slack::{
    gather::{self, TEXT_LIMIT_BYTES},
    mrkdwn,
};
use serde_json::{Value, json};

use super::{LIBRARY, texts, units};

pub(crate) fn run(data: &[u8]) {
    gathered(data);
    let parts = texts(data);
    let limit = usize::from(data.first().copied().unwrap_or_default());
    for text in &parts {
        markup(text, limit);
        meant(text);
    }
    if let [url, label, ..] = &parts[..] {
        link(url, label);
    }
}

/// What is gathered of a message, whatever shape that has, is bounded and always the same.
fn gathered(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let said = json!({"type": "message", "text": text});
    let tool = json!({"bot_id": "B1", "attachments": [{"title": text, "text": text, "fields": [{"title": text, "value": text}]}]});
    let blocks = json!({"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": text}}, {"type": "rich_text", "elements": [
        {"type": "rich_text_section", "elements": [{"type": "text", "text": text}, {"type": "link", "url": text}]},
    ]}]});
    let own: Option<Value> = serde_json::from_slice(data).ok();
    for message in [said, tool, blocks].into_iter().chain(own) {
        let text = gather::message_text(&message);
        assert!(text.len() <= TEXT_LIMIT_BYTES, "{} bytes", text.len());
        assert_eq!(text, gather::message_text(&message));
    }
}

/// Whatever is written, nothing of it is left to parse.
fn markup(text: &str, limit: usize) {
    let escaped = mrkdwn::escape(text);
    assert!(!escaped.contains(['<', '>']));
    let decoded = escaped.replace("&lt;", "<").replace("&gt;", ">");
    assert_eq!(decoded.replace("&amp;", "&"), text);
    for written in [mrkdwn::prose(text), mrkdwn::code(text)] {
        assert!(!written.contains(['<', '>']), "{written:?}");
        assert!(!written.contains(|c: char| c.is_control()), "{written:?}");
        assert_eq!(written.matches('`').count() % 2, 0, "{written:?}");
        let cut = mrkdwn::clip(&written, limit);
        assert!(units(&cut) <= limit.max(1), "{cut:?}");
        assert_eq!(cut.matches('`').count() % 2, 0, "{cut:?}");
        let last = cut.rfind('&').unwrap_or(cut.len());
        assert!(
            cut[last..].is_empty() || cut[last..].contains(';'),
            "{cut:?}"
        );
    }
}

/// A link leads to the web or is none, and neither address nor label breaks out of it.
fn link(url: &str, label: &str) {
    let link = mrkdwn::link(url, label);
    let Some(inside) = link.strip_prefix('<') else {
        assert!(!link.contains(['<', '>']), "{link:?}");
        return;
    };
    let inside = inside.strip_suffix('>').expect("it ends where it ends");
    assert!(!inside.contains(['<', '>']), "{link:?}");
    assert!(inside.matches('|').count() <= 1, "{link:?}");
    assert!(
        inside.starts_with("http://") || inside.starts_with("https://"),
        "{link:?}"
    );
    assert!(mrkdwn::host(url).is_some());
}

/// Slack escapes what people write; both forms mean the same.
fn meant(text: &str) {
    // Slack's own sequences, and what looks like an entity, mean something else once they are escaped.
    if text.contains(['<', '&']) {
        return;
    }
    let slugs = |text: &str| {
        let terms = LIBRARY.extract(text);
        let found: Vec<_> = terms.terms.iter().map(|found| found.term).collect();
        let signals: Vec<_> = terms.signals.into_iter().map(|signal| signal.key).collect();
        (found, signals)
    };
    let escaped = mrkdwn::escape(text);
    // What is longer than what is read at all is cut elsewhere.
    if escaped.len() <= incident_like::query::TEXT_LIMIT_BYTES {
        assert_eq!(slugs(text), slugs(&escaped), "{text:?}");
    }
}
