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

/// What alerting and incident tools write about their own work, before a colon or a mention: who is on it and since when
/// says nothing about what is wrong.
const TRIMMINGS: [&str; 24] = [
    "alertmanager",
    "assigned to",
    "assignee",
    "commander",
    "created at",
    "created by",
    "grafana_folder",
    "incident lead",
    "lead",
    "metric value",
    "milestone",
    "notified",
    "opened at",
    "opened by",
    "priority",
    "reporter",
    "responders",
    "routed teams",
    "severity",
    "started at",
    "status",
    "triggered at",
    "urgency",
    "value",
];

/// The same before an address: where to click.
const LINKS: [&str; 8] = [
    "dashboard",
    "generator",
    "graph",
    "panel",
    "playbook",
    "runbook",
    "silence",
    "source",
];

/// What tools write where they have nothing to say.
const NOTHING: [&str; 2] = ["[no preview available]", "[no entity]"];

/// Collects pieces of text line by line, leaving out what was said already.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    text: String,
    /// The letters and digits of each line of `text`, for comparison.
    seen: HashSet<String>,
    /// Whether what is being read was written by a tool.
    by_tool: bool,
}

impl Gathered {
    /// Adds a piece unless it is empty, said already line by line, or beyond the limit.
    pub fn add(&mut self, piece: &str) {
        if self.by_tool {
            let plain = untrimmed(piece);
            self.add_plain(&plain);
        } else {
            self.add_plain(piece);
        }
    }

    fn add_plain(&mut self, piece: &str) {
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
        self.by_tool =
            !text_of(message, "bot_id").is_empty() || text_of(message, "subtype") == "bot_message";
        self.add(text_of(message, "text"));
        for block in array(message, "blocks") {
            self.add_block(block, 0);
        }
        for attachment in array(message, "attachments") {
            self.add_attachment(attachment);
        }
        self.by_tool = false;
    }

    fn add_attachment(&mut self, attachment: &Value) {
        let before = self.text.len();
        for key in ["pretext", "title", "text"] {
            self.add(text_of(attachment, key));
        }
        for field in array(attachment, "fields") {
            let (title, value) = (text_of(field, "title"), text_of(field, "value"));
            // In a field of its own even a source without an address is the tool's name.
            let link = LINKS.contains(&title.to_lowercase().as_str());
            if self.by_tool && (link || is_trimming(&format!("{title}: {value}"))) {
                continue;
            }
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
        // It says the same in plain text, for those who cannot see the rest.
        if !self.by_tool || self.text.len() == before {
            self.add(text_of(attachment, "fallback"));
        }
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

/// Leaves out a tool's lines about its own work. A label may stand in a line of its own, with its value below.
fn untrimmed(piece: &str) -> String {
    let mut lines = piece.lines().peekable();
    let mut kept = Vec::new();
    while let Some(line) = lines.next() {
        if !is_trimming(line) {
            kept.push(without_calls(line));
        } else if line.trim_end_matches(MARKS).ends_with(':') && !kept.is_empty() {
            // Below a label stands its value.
            lines.next();
        } else if line.trim_end_matches(MARKS).ends_with(':') {
            // A field that holds nothing else.
            return String::new();
        }
    }
    kept.join("\n")
}

/// Leaves out whom a tool calls (`@pagerduty-platform`) and its own name (`prometheus-k8s` is a label of every alert in a
/// cluster set up by kube-prometheus): they are no part of the incident.
fn without_calls(line: &str) -> String {
    let called = |word: &str| {
        let word = word.trim_start_matches(['<', '(']);
        word.starts_with('@')
            || word.starts_with("!subteam^")
            || word.starts_with("prometheus-")
            || word.starts_with("monitoring/k8s")
    };
    if !line.split(' ').any(called) {
        return line.to_owned();
    }
    let words: Vec<&str> = line.split(' ').filter(|word| !called(word)).collect();
    words.join(" ")
}

/// Signs that mark a line as an item or as bold.
const MARKS: [char; 7] = ['*', '_', '`', '•', '-', '~', ' '];

fn is_trimming(line: &str) -> bool {
    let line = line.trim().trim_start_matches(MARKS);
    // `<https://…|View on …>` by itself.
    let target = line
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'));
    let opens = target
        .and_then(|link| link.split_once('|'))
        .is_some_and(|(_, label)| label.starts_with("View ") || label.starts_with("Open "));
    if opens || NOTHING.contains(&line) {
        return true;
    }
    let Some(end) = line.find([':', '<', '=']) else {
        return false;
    };
    let label = line[..end].trim_end_matches(MARKS).to_lowercase();
    if TRIMMINGS.contains(&label.as_str()) {
        return true;
    }
    let value = line[end..].trim_start_matches([':', '=', ' ', '*']);
    LINKS.contains(&label.as_str()) && value.trim_start_matches('<').starts_with("http")
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
            "Firing\netcd fsync slow\np99 above 500ms\nNodes 3",
        );
    }

    #[test]
    fn what_a_tool_says_of_its_own_work_is_left_out_and_what_people_say_is_not() {
        let said = "*Status:* Investigating\n• severity: `critical`\nSource: <https://a.example/x|view>\nstatus page is down\n\
            Source: our ingress\nOpened by <@U1>\nvalue of the lease expired\n*Assigned to:*\nKim\netcd slow";
        let expect =
            "status page is down\nSource: our ingress\nvalue of the lease expired\netcd slow";
        check(&json!({"text": said, "bot_id": "B1"}), expect);
        check(&json!({"text": said, "user": "U1"}), said);
        check(&json!({"bot_id": "B1", "text": "*Urgency:*\nHigh"}), "");
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
