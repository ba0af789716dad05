//! The Slack that the service sees: the few methods that it calls, over the demo's workspace.

use std::{sync::Arc, time::Instant};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Path, RawQuery, State},
    routing::{any, post},
};
use serde_json::{Map, Value, json};

use super::workspace::{Author, BOT_ID, BOT_USER, Channel, Entry, TEAM, Wire, Workspace, you};
use crate::corpus::Lang;

/// Largest request that is taken, in bytes.
const BODY_LIMIT_BYTES: usize = 256 * 1024;

pub(super) fn router(workspace: Arc<Workspace>) -> Router {
    Router::new()
        .route("/api/{method}", any(method))
        .route("/hooks/{channel}/{ts}", post(hook))
        .layer(DefaultBodyLimit::max(BODY_LIMIT_BYTES))
        .with_state(workspace)
}

async fn method(
    State(workspace): State<Arc<Workspace>>,
    Path(method): Path<String>,
    RawQuery(query): RawQuery,
    body: String,
) -> Json<Value> {
    let started = Instant::now();
    let mut fields: Map<String, Value> = serde_json::from_str(&body).unwrap_or_default();
    let query = query.unwrap_or_default();
    for (key, value) in url::form_urlencoded::parse(query.as_bytes()) {
        fields.insert(key.into_owned(), value.into_owned().into());
    }
    let answer = match call(&workspace, &method, &Value::Object(fields)) {
        Ok(mut answer) => {
            answer["ok"] = true.into();
            answer
        }
        Err(error) => json!({"ok": false, "error": error}),
    };
    workspace.note(Wire {
        to_service: false,
        what: match answer.get("error").and_then(Value::as_str) {
            Some(error) => format!("{method} → {error}"),
            None => method,
        },
        status: 200,
        millis: started.elapsed().as_secs_f32() * 1000.0,
    });
    Json(answer)
}

fn call(workspace: &Workspace, method: &str, fields: &Value) -> Result<Value, &'static str> {
    let field = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default();
    let channel = || {
        workspace
            .channel(field("channel"))
            .ok_or("channel_not_found")
    };
    match method {
        "auth.test" => Ok(json!({"user_id": BOT_USER, "bot_id": BOT_ID, "team_id": TEAM})),
        "conversations.info" => Ok(json!({"channel": info(&channel()?)})),
        "conversations.join" => {
            let channel = channel()?;
            if channel.archived {
                return Err("is_archived");
            }
            if !channel.member {
                join(workspace, &channel.id);
            }
            Ok(json!({"channel": {"id": channel.id}}))
        }
        "conversations.history" => {
            let channel = channel()?;
            let limit = field("limit").parse().unwrap_or(15);
            let top = channel.messages.iter().rev().filter(|entry| {
                !entry.ephemeral
                    && entry
                        .thread_ts
                        .as_ref()
                        .is_none_or(|thread| *thread == entry.ts)
            });
            let messages: Vec<Value> = top.take(limit).map(Entry::wire).collect();
            Ok(json!({"messages": messages}))
        }
        "conversations.replies" => {
            let channel = channel()?;
            let (parent, oldest) = (field("ts"), field("oldest"));
            let in_thread = channel.messages.iter().filter(|entry| {
                let is_reply = entry.thread_ts.as_deref() == Some(parent) && *entry.ts > *oldest;
                !entry.ephemeral && (entry.ts == parent || is_reply)
            });
            let messages: Vec<Value> = in_thread.map(Entry::wire).collect();
            Ok(json!({"messages": messages}))
        }
        "chat.postMessage" => {
            let channel = channel()?;
            if channel.archived {
                return Err("is_archived");
            }
            if !channel.member {
                return Err("not_in_channel");
            }
            let entry = workspace
                .add(&channel.id, said(fields, false))
                .ok_or("channel_not_found")?;
            Ok(json!({"channel": channel.id, "ts": entry.ts}))
        }
        "chat.postEphemeral" => {
            let channel = channel()?;
            let entry = workspace
                .add(&channel.id, said(fields, true))
                .ok_or("channel_not_found")?;
            Ok(json!({"message_ts": entry.ts}))
        }
        "chat.update" => {
            let channel = channel()?;
            let changed = replace(workspace, &channel.id, field("ts"), fields);
            changed
                .then(|| json!({"channel": channel.id, "ts": field("ts")}))
                .ok_or("message_not_found")
        }
        "views.open" | "views.push" => {
            let view = fields.get("view").cloned().ok_or("invalid_arguments")?;
            let view = workspace.open_view(view, method == "views.push")?;
            Ok(json!({"view": view.wire()}))
        }
        "views.update" => {
            let view = fields.get("view").cloned().ok_or("invalid_arguments")?;
            let hash = fields.get("hash").and_then(Value::as_str);
            let view = workspace.update_view(field("view_id"), hash, view)?;
            Ok(json!({"view": view.wire()}))
        }
        "views.publish" => {
            let view = fields.get("view").cloned().ok_or("invalid_arguments")?;
            workspace.publish(field("user_id"), view);
            Ok(json!({}))
        }
        "users.info" => {
            let locale = if field("user") == you(Lang::Ko) {
                "ko-KR"
            } else {
                "en-US"
            };
            Ok(json!({"user": {"id": field("user"), "locale": locale}}))
        }
        _ => Err("unknown_method"),
    }
}

/// Lets the bot into a channel.
pub(super) fn join(workspace: &Workspace, channel: &str) {
    workspace.with_channel(channel, |channel| channel.member = true);
    let mut notice = Entry::new(Author::Slack, BOT_USER, "incident-like joined the channel");
    notice.subtype = Some("channel_join");
    workspace.add(channel, notice);
}

fn info(channel: &Channel) -> Value {
    json!({
        "id": channel.id, "name": channel.name, "is_channel": !channel.direct, "is_im": channel.direct, "is_private": channel.direct, "is_member": channel.member,
        "is_archived": channel.archived, "is_shared": false, "is_ext_shared": false, "is_pending_ext_shared": false,
        "topic": {"value": channel.topic}, "purpose": {"value": ""},
    })
}

/// Reads a message that the service posts.
fn said(fields: &Value, ephemeral: bool) -> Entry {
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    let list = |key: &str| fields.get(key).filter(|list| list.is_array()).cloned();
    let entry = Entry::new(Author::Bot, BOT_USER, text("text").unwrap_or_default());
    Entry {
        blocks: list("blocks").unwrap_or_else(|| json!([])),
        thread_ts: text("thread_ts").map(str::to_owned),
        metadata: fields.get("metadata").cloned().unwrap_or_default(),
        ephemeral,
        ..entry
    }
}

fn replace(workspace: &Workspace, channel: &str, ts: &str, fields: &Value) -> bool {
    let new = said(fields, false);
    let mut found = false;
    workspace.with_channel(channel, |channel| {
        let entry = channel
            .messages
            .iter_mut()
            .find(|entry| entry.ts == ts && entry.author == Author::Bot);
        if let Some(entry) = entry {
            entry.text = new.text;
            entry.blocks = new.blocks;
            found = true;
        }
    });
    found
}

/// Takes a later answer. The address names the channel, and the message whose button was pressed.
async fn hook(
    State(workspace): State<Arc<Workspace>>,
    Path((channel, ts)): Path<(String, String)>,
    body: String,
) -> &'static str {
    let started = Instant::now();
    let fields: Value = serde_json::from_str(&body).unwrap_or_default();
    let is = |key: &str| fields.get(key) == Some(&Value::Bool(true));
    if is("delete_original") {
        workspace.with_channel(&channel, |channel| {
            channel.messages.retain(|entry| entry.ts != ts);
        });
    } else if !is("replace_original") || !replace(&workspace, &channel, &ts, &fields) {
        answer(&workspace, &channel, &fields);
    }
    workspace.note(Wire {
        to_service: false,
        what: "response_url".to_owned(),
        status: 200,
        millis: started.elapsed().as_secs_f32() * 1000.0,
    });
    "ok"
}

/// Shows an answer that stands in a response or came to an address for later answers.
pub(super) fn answer(workspace: &Workspace, channel: &str, fields: &Value) {
    let in_channel = fields.get("response_type").and_then(Value::as_str) == Some("in_channel");
    workspace.add(channel, said(fields, !in_channel));
}
