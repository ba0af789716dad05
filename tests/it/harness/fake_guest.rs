//! How the fake serves clients other than the service's own: Slack's SDKs, which certify it (`tests/slack_sdk`).
//!
//! They encode calls in any of the ways that Slack takes, and expect Slack's own errors.

use serde_json::{Map, Value, json};

use super::fake_views;

/// Fields that are JSON within a form.
const STRUCTURED: [&str; 6] = [
    "blocks", "metadata", "outputs", "prompts", "unfurls", "view",
];

/// Fields that the service itself sends as JSON's `true` and `false`; those of calls that read are texts.
const SWITCHES: [&str; 2] = ["unfurl_links", "unfurl_media"];

/// Most characters of a message's text.
const TEXT: usize = 40_000;

/// Returns what a call with the wrong token is answered.
pub(super) fn unauthorised(method: &str, authorization: &str, token: &str) -> Option<Value> {
    if method == "api.test" || authorization == format!("Bearer {token}") {
        return None;
    }
    let error = if authorization.is_empty() {
        "not_authed"
    } else {
        "invalid_auth"
    };
    Some(json!({"ok": false, "error": error}))
}

/// Reads a call's fields from wherever they stand.
pub(super) fn fields(content_type: &str, query: &str, body: &[u8]) -> Map<String, Value> {
    let mut fields = form(query.as_bytes());
    if content_type.starts_with("application/json") {
        let own: Map<String, Value> = serde_json::from_slice(body).unwrap_or_default();
        fields.extend(own);
    } else {
        fields.extend(form(body));
    }
    fields
}

fn form(text: &[u8]) -> Map<String, Value> {
    let pairs = url::form_urlencoded::parse(text);
    let field = |(name, value): (std::borrow::Cow<'_, str>, std::borrow::Cow<'_, str>)| {
        let value = match &*value {
            // The SDK for Python writes switches as figures.
            "1" | "true" if SWITCHES.contains(&&*name) => Value::Bool(true),
            "0" | "false" if SWITCHES.contains(&&*name) => Value::Bool(false),
            "1" if name.starts_with("include_") || name.starts_with("exclude_") => "true".into(),
            json if STRUCTURED.contains(&&*name) => serde_json::from_str(json).unwrap_or_default(),
            text => text.into(),
        };
        (name.into_owned(), value)
    };
    pairs.map(field).collect()
}

/// Returns what Slack answers to a call that no workspace would take.
pub(super) fn refusal(method: &str, fields: &Map<String, Value>) -> Option<Value> {
    if method.starts_with("views.") {
        let problems = fake_views::view_problems(method, fields);
        return (!problems.is_empty()).then(|| invalid("invalid_arguments", &problems));
    }
    if !matches!(
        method,
        "chat.postMessage" | "chat.postEphemeral" | "chat.update"
    ) {
        return None;
    }
    let text = fields.get("text").and_then(Value::as_str).unwrap_or("");
    if text.chars().count() > TEXT {
        return Some(json!({"ok": false, "error": "msg_too_long"}));
    }
    let Some(blocks) = fields.get("blocks") else {
        let error = json!({"ok": false, "error": "no_text"});
        return text.is_empty().then_some(error);
    };
    let problems: Vec<String> = match blocks.as_array() {
        None => vec!["must provide an array [json-pointer:/blocks]".to_owned()],
        Some(list) if list.len() > 50 => {
            vec!["no more than 50 items allowed [json-pointer:/blocks]".to_owned()]
        }
        Some(_) => incident_like::slack::limits::check_blocks(blocks)
            .iter()
            .map(|problem| format!("{} [json-pointer:{}]", problem.message, problem.pointer))
            .collect(),
    };
    (!problems.is_empty()).then(|| invalid("invalid_blocks", &problems))
}

fn invalid(error: &str, problems: &[String]) -> Value {
    let messages: Vec<String> = problems
        .iter()
        .map(|problem| format!("[ERROR] {problem}"))
        .collect();
    json!({"ok": false, "error": error, "errors": problems, "response_metadata": {"messages": messages}})
}
