//! A Slack on loopback that answers the few methods the service calls, holds it to Slack's pace, and counts.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum::{
    Json, Router,
    extract::{Path, RawQuery, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::any,
};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

pub(crate) const TEAM: &str = "T0LOAD";
pub(crate) const BOT: &str = "U0BOT";

/// Messages that Slack takes at once in a channel; then one a second.
const BURST: u32 = 3;

pub(crate) struct Slack {
    port: u16,
    pub(crate) seen: Arc<Mutex<Seen>>,
    _server: AbortOnDropHandle<()>,
}

/// What the service did.
#[derive(Default)]
pub(crate) struct Seen {
    /// Names of channels, by id.
    pub(crate) names: HashMap<String, String>,
    /// Calls, by method.
    pub(crate) calls: HashMap<String, usize>,
    /// Messages posted, by what they answer: a thread, or a channel.
    pub(crate) posts: HashMap<String, usize>,
    /// Homes shown, by person.
    pub(crate) homes: HashMap<String, usize>,
    /// Posts that came faster than Slack takes them.
    pub(crate) refused: usize,
    /// When something was posted last.
    pub(crate) last: Option<Instant>,
    paces: HashMap<String, (Instant, u32)>,
    messages: u64,
}

impl Slack {
    pub(crate) async fn start() -> Self {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let router = Router::new()
            .route("/api/{method}", any(method))
            .with_state(Arc::clone(&seen));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let serve = async move { axum::serve(listener, router).await.expect("it serves") };
        Self {
            port,
            seen,
            _server: AbortOnDropHandle::new(tokio::spawn(serve)),
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/api/", self.port)
    }
}

async fn method(
    State(seen): State<Arc<Mutex<Seen>>>,
    Path(method): Path<String>,
    RawQuery(query): RawQuery,
    body: String,
) -> Response {
    let mut fields: Map<String, Value> = serde_json::from_str(&body).unwrap_or_default();
    for text in [query.as_deref().unwrap_or_default(), &body] {
        for (key, value) in url::form_urlencoded::parse(text.as_bytes()) {
            fields
                .entry(key.into_owned())
                .or_insert_with(|| value.into_owned().into());
        }
    }
    let mut seen = seen.lock().expect("no panic while it is held");
    if let Some(mut answer) = seen.call(&method, &fields) {
        answer["ok"] = true.into();
        return Json(answer).into_response();
    }
    let wait = [("retry-after", "1")];
    let answer = Json(json!({"ok": false, "error": "ratelimited"}));
    (StatusCode::TOO_MANY_REQUESTS, wait, answer).into_response()
}

impl Seen {
    /// Answers a call; `None` when it comes too fast.
    fn call(&mut self, method: &str, fields: &Map<String, Value>) -> Option<Value> {
        let field = |key: &str| {
            let value = fields.get(key).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        *self.calls.entry(method.to_owned()).or_default() += 1;
        Some(match method {
            "auth.test" => json!({"user_id": BOT, "bot_id": "B0BOT", "team_id": TEAM}),
            "users.info" => json!({"user": {"id": field("user"), "locale": "en-US"}}),
            "conversations.info" => {
                let id = field("channel");
                let name = self
                    .names
                    .get(&id)
                    .cloned()
                    .unwrap_or_else(|| id.to_lowercase());
                json!({"channel": {
                    "id": id, "name": name, "is_member": true, "is_private": false, "is_archived": false,
                    "is_ext_shared": false, "topic": {"value": ""}, "purpose": {"value": ""},
                }})
            }
            "conversations.history" | "conversations.replies" => json!({"messages": []}),
            "chat.postMessage" => {
                if !self.admit(&field("channel")) {
                    self.refused += 1;
                    return None;
                }
                self.messages += 1;
                self.last = Some(Instant::now());
                let about = match field("thread_ts") {
                    thread if thread.is_empty() => field("channel"),
                    thread => thread,
                };
                *self.posts.entry(about).or_default() += 1;
                let ts = format!("1800000000.{:06}", self.messages);
                json!({"channel": field("channel"), "ts": ts})
            }
            "views.publish" => {
                *self.homes.entry(field("user_id")).or_default() += 1;
                json!({})
            }
            _ => json!({"channel": field("channel"), "ts": field("ts")}),
        })
    }

    /// Holds a channel to Slack's pace.
    fn admit(&mut self, channel: &str) -> bool {
        let now = Instant::now();
        let (since, taken) = self.paces.entry(channel.to_owned()).or_insert((now, 0));
        let earned = now.duration_since(*since).as_secs() as u32;
        if earned > 0 {
            *taken = taken.saturating_sub(earned);
            *since += Duration::from_secs(u64::from(earned));
        }
        let admitted = *taken < BURST;
        *taken += u32::from(admitted);
        admitted
    }
}
