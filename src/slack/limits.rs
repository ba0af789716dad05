//! Slack's limits for a message, checked before it is sent.
//!
//! Findings have the form in which `blocks.validate` reports its own
//! (<https://docs.slack.dev/reference/methods/blocks.validate>). Lengths are UTF-16 code units, the strictest of the
//! units that Slack may mean. Figures are those of the reference pages of each block, except where noted. Only what is
//! built here has rules; any other block or element is a fault.

use std::{collections::HashSet, fmt};

use serde_json::Value;

use super::{Message, text::units};

/// Most blocks in a message.
pub const BLOCKS: usize = 50;
/// Longest text of one rich text block. Slack documents none; this is a little below a section's 3,000.
pub const RICH_TEXT: usize = 2900;
/// Longest text over all blocks.
///
/// Slack documents no limit but refuses with `msg_blocks_too_long`. Reports: markdown blocks of 13,297 (slackapi/bolt-js
/// issue 2509); rich text, section and header blocks with 9,597 of text in 15,561 of JSON were accepted, 11,341 in
/// 17,694 refused (issue 2867). So both figures stay below what was accepted.
pub const MESSAGE_TEXT: usize = 9000;
/// Longest JSON of all blocks; see [`MESSAGE_TEXT`].
pub const MESSAGE_JSON: usize = 15_000;
/// Longest fallback text. Slack cuts at 40,000 and advises 4,000.
pub const FALLBACK: usize = 4000;

const CONTEXT_ELEMENTS: usize = 10;
/// A little below Slack's 3,000.
const CONTEXT_TEXT: usize = 2900;
const ACTION_ELEMENTS: usize = 25;
const BUTTON_TEXT: usize = 75;
const BUTTON_VALUE: usize = 2000;
const ID: usize = 255;
const LINK_URL: usize = 3000;

/// One way in which a message breaks Slack's rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where, as a JSON pointer into the message.
    pub pointer: String,
    /// Which kind of fault.
    pub code: &'static str,
    /// What is wrong, for people.
    pub message: String,
    /// The figure that does not hold, where there is one.
    pub constraint: Option<usize>,
    /// The name of the field at fault.
    pub field: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} [{}]", self.pointer, self.message, self.code)
    }
}

/// Checks a message; nothing found means that Slack takes it.
pub fn check(message: &Message) -> Vec<Violation> {
    // Blocks are always JSON; if they were not, `null` is reported as a message without any.
    let blocks = serde_json::to_value(&message.blocks).unwrap_or_default();
    let mut found = check_blocks(&blocks);
    let mut checker = Checker(&mut found);
    let text = Value::from(message.text.as_str());
    checker.text("/text", "text", Some(&text), 1, FALLBACK);
    found
}

/// Checks an array of blocks.
pub fn check_blocks(blocks: &Value) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut checker = Checker(&mut found);
    let list = blocks.as_array().map(Vec::as_slice).unwrap_or_default();
    checker.count("/blocks", "blocks", list.len(), 1, BLOCKS);
    for (at, block) in list.iter().enumerate() {
        checker.block(&format!("/blocks/{at}"), block);
    }
    checker.most("/blocks", "blocks", text_length(blocks), MESSAGE_TEXT);
    checker.most("/blocks", "blocks", json_length(blocks), MESSAGE_JSON);
    found
}

/// Measures all text that a reader sees: every string called `text` in the blocks.
pub fn text_length(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(text_length).sum(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| match value {
                Value::String(text) if name == "text" => units(text),
                value => text_length(value),
            })
            .sum(),
        _ => 0,
    }
}

/// Measures the blocks as they are sent.
pub fn json_length(value: &Value) -> usize {
    units(&value.to_string())
}

struct Checker<'a>(&'a mut Vec<Violation>);

impl Checker<'_> {
    fn report(
        &mut self,
        pointer: &str,
        field: &str,
        code: &'static str,
        constraint: Option<usize>,
        message: String,
    ) {
        self.0.push(Violation {
            pointer: pointer.to_owned(),
            code,
            message,
            constraint,
            field: field.to_owned(),
        });
    }

    fn most(&mut self, pointer: &str, field: &str, length: usize, most: usize) {
        if length > most {
            let message = format!("must be at most {most} characters, is {length}");
            self.report(pointer, field, "too_long", Some(most), message);
        }
    }

    fn count(&mut self, pointer: &str, field: &str, count: usize, least: usize, most: usize) {
        if count < least {
            let message = format!("must have at least {least} items, has {count}");
            self.report(pointer, field, "too_few", Some(least), message);
        } else if count > most {
            let message = format!("must have at most {most} items, has {count}");
            self.report(pointer, field, "too_many", Some(most), message);
        }
    }

    /// Checks a string. `None` is a fault only when at least one character must be there.
    fn text(
        &mut self,
        pointer: &str,
        field: &str,
        text: Option<&Value>,
        least: usize,
        most: usize,
    ) {
        let Some(text) = text.and_then(Value::as_str) else {
            if least > 0 {
                self.report(
                    pointer,
                    field,
                    "missing",
                    None,
                    "must be a string".to_owned(),
                );
            }
            return;
        };
        if least > 0 && text.trim().is_empty() {
            let message = "must not be empty".to_owned();
            self.report(pointer, field, "too_short", Some(least), message);
        }
        self.most(pointer, field, units(text), most);
    }

    /// Checks a text object. Those with markup are never sent: words from outside stand in rich text.
    fn plain_text(&mut self, pointer: &str, object: &Value, most: usize) {
        let kind = object["type"].as_str().unwrap_or_default();
        if kind != "plain_text" {
            let message = format!("must be plain text, is `{kind}`");
            self.report(pointer, "type", "wrong_type", None, message);
        }
        let pointer = format!("{pointer}/text");
        self.text(&pointer, "text", object.get("text"), 1, most);
    }

    fn block(&mut self, pointer: &str, block: &Value) {
        self.text(pointer, "block_id", block.get("block_id"), 0, ID);
        match block["type"].as_str().unwrap_or_default() {
            "divider" => {}
            "context" => {
                let elements = self.elements(pointer, block, CONTEXT_ELEMENTS);
                for (at, element) in elements.iter().enumerate() {
                    let pointer = format!("{pointer}/elements/{at}");
                    self.plain_text(&pointer, element, CONTEXT_TEXT);
                }
            }
            "actions" => self.actions(pointer, block),
            "rich_text" => {
                let elements = self.elements(pointer, block, usize::MAX);
                for (at, element) in elements.iter().enumerate() {
                    self.rich_text(&format!("{pointer}/elements/{at}"), element);
                }
                self.most(pointer, "elements", text_length(block), RICH_TEXT);
            }
            kind => {
                let message = format!("`{kind}` is no block that is sent here");
                self.report(pointer, "type", "unknown_type", None, message);
            }
        }
    }

    fn elements<'v>(&mut self, pointer: &str, block: &'v Value, most: usize) -> &'v [Value] {
        let elements = block["elements"].as_array().map(Vec::as_slice);
        let elements = elements.unwrap_or_default();
        let pointer = format!("{pointer}/elements");
        self.count(&pointer, "elements", elements.len(), 1, most);
        elements
    }

    fn actions(&mut self, pointer: &str, block: &Value) {
        let elements = self.elements(pointer, block, ACTION_ELEMENTS);
        let mut ids = HashSet::new();
        for (at, element) in elements.iter().enumerate() {
            let pointer = format!("{pointer}/elements/{at}");
            self.button(&pointer, element);
            let id = element["action_id"].as_str().unwrap_or_default();
            if !ids.insert(id) {
                let message = format!("`{id}` stands twice in this block");
                self.report(&pointer, "action_id", "duplicate", None, message);
            }
        }
    }

    fn button(&mut self, pointer: &str, button: &Value) {
        if button["type"] != "button" {
            let message = "only buttons are sent here".to_owned();
            self.report(pointer, "type", "unknown_type", None, message);
        }
        self.plain_text(&format!("{pointer}/text"), &button["text"], BUTTON_TEXT);
        for (field, least, most) in [("action_id", 1, ID), ("value", 0, BUTTON_VALUE)] {
            let pointer = format!("{pointer}/{field}");
            self.text(&pointer, field, button.get(field), least, most);
        }
    }

    fn rich_text(&mut self, pointer: &str, element: &Value) {
        let elements = self.elements(pointer, element, usize::MAX);
        let kind = element["type"].as_str().unwrap_or_default();
        for (at, inner) in elements.iter().enumerate() {
            let pointer = format!("{pointer}/elements/{at}");
            match kind {
                "rich_text_list" => self.rich_text(&pointer, inner),
                "rich_text_section" => self.inline(&pointer, inner),
                _ => {
                    let message = format!("`{kind}` is no part of rich text");
                    self.report(&pointer, "type", "unknown_type", None, message);
                }
            }
        }
    }

    fn inline(&mut self, pointer: &str, inline: &Value) {
        let text = inline.get("text");
        match inline["type"].as_str().unwrap_or_default() {
            "text" => {
                // White space alone is fine here, nothing at all is not.
                if text.and_then(Value::as_str).is_none_or(str::is_empty) {
                    let message = "must not be empty".to_owned();
                    self.report(
                        &format!("{pointer}/text"),
                        "text",
                        "too_short",
                        Some(1),
                        message,
                    );
                }
            }
            "link" => {
                let pointer = format!("{pointer}/url");
                self.text(&pointer, "url", inline.get("url"), 1, LINK_URL);
            }
            "user" => {}
            kind => {
                let message = format!("`{kind}` is no inline element that is sent here");
                self.report(pointer, "type", "unknown_type", None, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn codes(blocks: &Value) -> Vec<(String, &'static str)> {
        let found = check_blocks(blocks);
        found.into_iter().map(|v| (v.pointer, v.code)).collect()
    }

    fn context(text: &str) -> Value {
        json!({"type": "context", "elements": [{"type": "plain_text", "text": text}]})
    }

    #[test]
    fn each_rule_is_found_where_it_breaks() {
        let long = "x".repeat(3001);
        let button = |id: &str| json!({"type": "button", "action_id": id, "text": {"type": "plain_text", "text": "Go"}});
        for (block, pointer, code) in [
            (context(&long), "/elements/0/text", "too_long"),
            (context(" "), "/elements/0/text", "too_short"),
            (
                json!({"type": "context", "elements": [{"type": "plain_text"}]}),
                "/elements/0/text",
                "missing",
            ),
            (
                json!({"type": "context", "elements": [{"type": "mrkdwn", "text": "x"}]}),
                "/elements/0",
                "wrong_type",
            ),
            (
                json!({"type": "actions", "elements": [{"type": "button", "action_id": "a",
                    "text": {"type": "plain_text", "text": "x".repeat(76)}}]}),
                "/elements/0/text/text",
                "too_long",
            ),
            (
                json!({"type": "section", "text": {"type": "plain_text", "text": "x"}}),
                "",
                "unknown_type",
            ),
            (
                json!({"type": "context", "elements": []}),
                "/elements",
                "too_few",
            ),
            (
                json!({"type": "actions", "elements": [button("a"), button("a")]}),
                "/elements/1",
                "duplicate",
            ),
            (json!({"type": "carousel"}), "", "unknown_type"),
            (
                json!({"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
                    {"type": "text", "text": ""}
                ]}]}),
                "/elements/0/elements/0/text",
                "too_short",
            ),
            (
                json!({"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
                    {"type": "text", "text": long}
                ]}]}),
                "",
                "too_long",
            ),
        ] {
            let expect = (format!("/blocks/0{pointer}"), code);
            assert_eq!(codes(&json!([block])), [expect]);
        }
    }

    #[test]
    fn the_whole_message_is_limited_too() {
        let divider = json!({"type": "divider"});
        assert_eq!(codes(&json!([])), [("/blocks".to_owned(), "too_few")]);
        assert_eq!(
            codes(&Value::from(vec![divider; 51])),
            [("/blocks".to_owned(), "too_many")]
        );
        assert_eq!(
            codes(&Value::from(vec![context(&"가".repeat(2800)); 4])),
            [("/blocks".to_owned(), "too_long")]
        );
    }

    #[test]
    fn emoji_count_as_two() {
        let fire = "🔥".repeat(1451);
        assert_eq!(codes(&json!([context(&fire)]))[0].1, "too_long");
    }
}
