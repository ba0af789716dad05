//! The text of a message, wherever its author put it: `text`, blocks or attachments.
//!
//! Alert bots leave `text` empty and write into blocks or attachments; people's messages say the same in `text` and in
//! blocks. Read from raw JSON, because a strict type loses the whole message over one odd field. Slack's own forms
//! (`&amp;`, `<@U…>`) stay as they are: `query` decodes them.

use std::collections::HashSet;

use serde_json::Value;

/// Most text that is gathered from one message or channel, in bytes.
pub const TEXT_LIMIT_BYTES: usize = 8 * 1024;

/// Deepest nesting that is followed; real messages need five levels.
const DEPTH_LIMIT: usize = 12;

/// Collects pieces of text line by line, leaving out what was said already.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    text: String,
    /// The letters and digits of each line of `text`, for comparison.
    seen: HashSet<String>,
}

impl Gathered {
    /// Adds a piece unless it is empty, said already line by line, or beyond the limit.
    pub fn add(&mut self, piece: &str) {
        let piece = piece.trim();
        let room = TEXT_LIMIT_BYTES.saturating_sub(self.text.len() + 1);
        let piece = &piece[..piece.floor_char_boundary(room)];
        let mut says_more = false;
        for line in piece.lines() {
            let letters = letters(line);
            says_more |= !letters.is_empty() && self.seen.insert(letters);
        }
        if !says_more {
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(piece);
    }

    /// Adds all the text of a message.
    pub fn add_message(&mut self, message: &Value) {
        self.add(text_of(message, "text"));
        for block in array(message, "blocks") {
            self.add_block(block, 0);
        }
        for attachment in array(message, "attachments") {
            self.add_attachment(attachment);
        }
    }

    fn add_attachment(&mut self, attachment: &Value) {
        for key in ["pretext", "title", "text"] {
            self.add(text_of(attachment, key));
        }
        for field in array(attachment, "fields") {
            let (title, value) = (text_of(field, "title"), text_of(field, "value"));
            match field.get("value") {
                Some(Value::Number(number)) => self.add(&format!("{title} {number}")),
                _ => self.add(&format!("{title} {value}")),
            }
        }
        for block in array(attachment, "blocks") {
            self.add_block(block, 0);
        }
        // A shared message stands here as blocks of its own.
        for shared in array(attachment, "message_blocks") {
            for block in shared
                .pointer("/message/blocks")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                self.add_block(block, 0);
            }
        }
        self.add(text_of(attachment, "fallback"));
    }

    fn add_block(&mut self, block: &Value, depth: usize) {
        if depth > DEPTH_LIMIT || self.text.len() >= TEXT_LIMIT_BYTES {
            return;
        }
        match text_of(block, "type") {
            // Labels of buttons and menus say nothing about the incident.
            "actions" | "input" | "button" | "context_actions" | "image" | "video" => {}
            "rich_text_section" | "rich_text_preformatted" | "rich_text_quote" => {
                let line: String = array(block, "elements").map(inline).collect();
                self.add(&line);
            }
            _ => {
                match block.get("text") {
                    Some(Value::String(text)) => self.add(text),
                    Some(object) => self.add(text_of(object, "text")),
                    None => {}
                }
                // Everything else nests: lists of fields, elements, blocks, or rows of cells.
                for key in ["title", "subtitle", "body"] {
                    if let Some(object) = block.get(key).filter(|value| value.is_object()) {
                        self.add(text_of(object, "text"));
                    }
                }
                for key in ["fields", "elements", "blocks", "rows"] {
                    for child in array(block, key) {
                        match child {
                            Value::Array(cells) => {
                                for cell in cells {
                                    self.add_block(cell, depth + 1);
                                }
                            }
                            child => self.add_block(child, depth + 1),
                        }
                    }
                }
            }
        }
    }

    /// Returns the text, at most [`TEXT_LIMIT_BYTES`] long.
    pub fn into_text(self) -> String {
        self.text
    }
}

/// Returns the text of one message.
pub fn message_text(message: &Value) -> String {
    let mut gathered = Gathered::default();
    gathered.add_message(message);
    gathered.into_text()
}

/// Returns what a line says, for comparison: letters and digits. What stands in `<…>` is left out, because a person's
/// message writes it in two ways (`<#C1|name>` in `text`, a bare id in blocks), unless there is nothing else. So are
/// escaped signs (`text` begins a quoted line with `&gt;`) and the number of a list's item, which blocks do not have.
fn letters(line: &str) -> String {
    let line = unescaped(without_number(line.trim_start()));
    let piece = line.as_str();
    let alphanumeric = |text: &str| {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .collect::<String>()
    };
    let mut outside = String::with_capacity(piece.len());
    let mut rest = piece;
    while let Some((before, after)) = rest.split_once('<') {
        outside.push_str(before);
        rest = after.split_once('>').map_or("", |(_, after)| after);
    }
    outside.push_str(rest);
    Some(alphanumeric(&outside))
        .filter(|letters| !letters.is_empty())
        .unwrap_or_else(|| alphanumeric(piece))
}

fn without_number(line: &str) -> &str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix(". ") {
        Some(item) if rest.len() < line.len() => item,
        _ => line,
    }
}

/// Leaves out escaped signs: none is a letter.
fn unescaped(line: &str) -> String {
    ["&lt;", "&gt;", "&amp;"]
        .iter()
        .fold(line.to_owned(), |line, sign| line.replace(sign, " "))
}

/// Returns an inline element of rich text as Slack's own markup writes it.
fn inline(element: &Value) -> String {
    let id = |key| text_of(element, key);
    match id("type") {
        "link" if id("text").is_empty() => format!("<{}>", id("url")),
        "link" => format!("<{}|{}>", id("url"), id("text")),
        "user" => format!("<@{}>", id("user_id")),
        "channel" => format!("<#{}>", id("channel_id")),
        "emoji" => format!(":{}:", id("name")),
        "date" => id("fallback").to_owned(),
        // Unlike `text`, rich text arrives unescaped; the decoder expects one form.
        _ => escape(id("text")),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn text_of<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn array<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value
        .get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(message: &Value, expect: &str) {
        assert_eq!(message_text(message), expect);
    }

    #[test]
    fn a_persons_message_counts_once() {
        check(
            &json!({
                "text": "<@U0BOT> etcd &amp; api *slow* <#C1|inc-1> <https://a.example/x>",
                "blocks": [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
                    {"type": "user", "user_id": "U0BOT"},
                    {"type": "text", "text": " etcd & api "},
                    {"type": "text", "text": "slow", "style": {"bold": true}},
                    {"type": "text", "text": " "},
                    {"type": "channel", "channel_id": "C1"},
                    {"type": "text", "text": " "},
                    {"type": "link", "url": "https://a.example/x"},
                ]}]}],
            }),
            "<@U0BOT> etcd &amp; api *slow* <#C1|inc-1> <https://a.example/x>",
        );
    }

    #[test]
    fn only_whole_lines_count_as_said() {
        let gathered = |pieces: &[&str]| {
            let mut gathered = Gathered::default();
            for piece in pieces {
                gathered.add(piece);
            }
            gathered.into_text()
        };
        let apart = ["kubectl timeouts", "time out", "kubectl", "timeouts"];
        assert_eq!(gathered(&apart), apart.join("\n"));
        assert_eq!(gathered(&["a\nb", "*b*", "a"]), "a\nb");
        assert_eq!(gathered(&["a\nb", "b\nc"]), "a\nb\nb\nc");
        let list = "Seen:\n1. etcd slow\n2. 502 from ingress\n&gt; no leader";
        let blocks = ["Seen:", "etcd slow", "502 from ingress", "no leader"];
        let all: Vec<&str> = [list].into_iter().chain(blocks).collect();
        assert_eq!(gathered(&all), list);
    }

    #[test]
    fn an_alert_without_text_is_read_from_attachments() {
        check(
            &json!({
                "text": "",
                "bot_id": "B0ALERT",
                "attachments": [{
                    "id": "1",
                    "color": "#d00",
                    "fallback": "[FIRING] etcd fsync slow",
                    "pretext": "Firing",
                    "title": "etcd fsync slow",
                    "text": "p99 above 500ms",
                    "fields": [{"title": "Severity", "value": "sev1"}, {"title": "Nodes", "value": 3}],
                    "actions": [{"type": "button", "text": "Acknowledge"}],
                }],
            }),
            "Firing\netcd fsync slow\np99 above 500ms\nSeverity sev1\nNodes 3\n[FIRING] etcd fsync slow",
        );
    }

    #[test]
    fn an_alert_is_read_from_blocks_but_not_its_buttons() {
        check(
            &json!({"blocks": [
                {"type": "header", "text": {"type": "plain_text", "text": "Ingress 502"}},
                {"type": "section", "fields": [{"type": "mrkdwn", "text": "*Cluster* a"}, {"type": "mrkdwn", "text": "*Zone* b"}]},
                {"type": "actions", "elements": [{"type": "button", "text": {"type": "plain_text", "text": "Silence"}}]},
                {"type": "table", "rows": [[{"type": "raw_text", "text": "pod-a"}, {"type": "raw_text", "text": "OOMKilled"}]]},
                {"type": "new_kind_of_block", "elements": [{"type": "mrkdwn", "text": "still read"}]},
            ]}),
            "Ingress 502\n*Cluster* a\n*Zone* b\npod-a\nOOMKilled\nstill read",
        );
    }

    #[test]
    fn odd_fields_take_nothing_else_away() {
        check(
            &json!({"text": 5, "blocks": "none", "attachments": [7, {"text": "disk full", "fields": {}}]}),
            "disk full",
        );
        check(&json!(null), "");
    }

    #[test]
    fn the_amount_is_bounded() {
        let many: Vec<Value> = (0..200)
            .map(|at| json!({"type": "section", "text": {"text": format!("{at} {}", "가".repeat(100))}}))
            .collect();
        let text = message_text(&json!({"blocks": many}));
        assert!(text.len() <= TEXT_LIMIT_BYTES && text.len() > TEXT_LIMIT_BYTES - 400);
        let mut nested = json!({"type": "section", "text": {"text": "deep"}});
        for _ in 0..100 {
            nested = json!({"type": "container", "blocks": [nested]});
        }
        check(&json!({"blocks": [nested]}), "");
    }
}
