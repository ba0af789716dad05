//! A Slack that knows the methods the service uses and nothing more. It checks the token, the content type and every
//! field of every call, and notes what it does not expect instead of passing over it.

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Router,
    body::Bytes,
    extract::{Path, RawQuery, State},
    http::{HeaderMap, Method, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{any, post},
};
use serde_json::{Map, Value, json};
use tokio::{net::TcpListener, sync::Notify};
use url::Url;

use super::{
    APP_TOKEN, BOT_ID, BOT_USER, STEP_TOKEN, TEAM, TOKEN, collect, fake_guest,
    fake_installs::{Consent, Installs},
    fake_socket::FakeSocket,
    fake_socket::Sockets,
    fake_views, parse_url,
};

/// A channel of the fake.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are Slack's independent properties of a channel"
)]
pub(crate) struct Channel {
    pub(crate) id: &'static str,
    pub(crate) name: String,
    pub(crate) topic: String,
    pub(crate) purpose: String,
    pub(crate) private: bool,
    pub(crate) member: bool,
    pub(crate) archived: bool,
    pub(crate) ext_shared: bool,
    pub(crate) pending_ext_shared: bool,
    /// Newest last; each with `ts`, `thread_ts` if it stands in a thread.
    pub(crate) messages: Vec<Value>,
}

impl Channel {
    /// A public channel without the bot.
    pub(crate) fn public(id: &'static str, name: &str) -> Self {
        Self {
            id,
            name: name.to_owned(),
            topic: String::new(),
            purpose: String::new(),
            private: false,
            member: false,
            archived: false,
            ext_shared: false,
            pending_ext_shared: false,
            messages: Vec::new(),
        }
    }

    /// A public channel with the bot.
    pub(crate) fn joined(id: &'static str, name: &str) -> Self {
        Self {
            member: true,
            ..Self::public(id, name)
        }
    }
}

/// Who sees a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    Channel(String),
    Only {
        channel: String,
        user: String,
    },
    /// Through a `response_url`; `true` for `in_channel`.
    ResponseUrl {
        in_channel: bool,
    },
}

/// A message that the service posted.
#[derive(Clone, Debug)]
pub(crate) struct Posted {
    pub(crate) to: Audience,
    pub(crate) thread: Option<String>,
    pub(crate) text: String,
    pub(crate) blocks: Vec<Value>,
    pub(crate) metadata: Value,
    /// Whether it takes the place of the message with the button.
    pub(crate) replaces: bool,
    /// The path of the `response_url`; empty for other messages.
    pub(crate) path: String,
}

/// Something that the service did that is no message: a view, previews, a workflow's step.
#[derive(Clone, Debug)]
pub(crate) struct Act {
    pub(crate) method: String,
    pub(crate) fields: Map<String, Value>,
}

/// What goes wrong with the next call of a method.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    RateLimited {
        retry_after: &'static str,
    },
    Status(u16),
    /// Slack's error code.
    Refused(Value),
    /// No answer ever; `done` says whether the call takes effect.
    Hangs {
        done: bool,
    },
    /// A body that is no JSON, with status 200, after the call took effect.
    Garbled,
    /// What another fault answers, after the call took effect.
    After(Box<Self>),
}

#[derive(Default)]
struct Inner {
    channels: HashMap<String, Channel>,
    locales: HashMap<String, String>,
    /// Admins of the workspace. Where nobody is known, the token may not read people.
    admins: Vec<String>,
    faults: HashMap<String, VecDeque<Fault>>,
    calls: Vec<String>,
    posted: Vec<Posted>,
    acts: Vec<Act>,
    views: u64,
    problems: Vec<String>,
    clock: u64,
    /// Headers of every answer of the Web API.
    headers: HeaderMap,
    /// Where several workspaces have the app.
    installs: Installs,
    /// Whether clients other than the service's own are served, which encode their calls otherwise.
    guests: bool,
}

/// The running fake. Clones share it.
#[derive(Clone)]
pub(crate) struct FakeSlack {
    inner: Arc<Mutex<Inner>>,
    arrived: Arc<Notify>,
    base: Url,
    sockets: Arc<Sockets>,
}

impl FakeSlack {
    pub(crate) async fn start(
        channels: Vec<Channel>,
        locales: Vec<(&'static str, &'static str)>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("a bound address"));
        let inner = Inner {
            channels: channels
                .into_iter()
                .map(|channel| (channel.id.to_owned(), channel))
                .collect(),
            locales: locales
                .into_iter()
                .map(|(user, locale)| (user.to_owned(), locale.to_owned()))
                .collect(),
            ..Inner::default()
        };
        let fake = Self {
            inner: Arc::new(Mutex::new(inner)),
            arrived: Arc::default(),
            base: parse_url(&base),
            sockets: Arc::new(Sockets::start().await),
        };
        let router = Router::new()
            .route("/api/{method}", any(api))
            .route("/hooks/{*path}", post(hook))
            .with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        fake
    }

    pub(crate) fn url(&self, path: &str) -> Url {
        self.base.join(path).expect("a valid path")
    }

    pub(crate) fn response_url(&self) -> String {
        self.url("/hooks/commands/T0TEAM/1/opaque").to_string()
    }

    /// Serves any client as Slack does: calls may be forms, and what is wrong with one is answered with Slack's error.
    pub(crate) fn serve_guests(&self) {
        self.lock().guests = true;
    }

    /// Returns the methods that were called.
    pub(crate) fn methods(&self) -> BTreeSet<String> {
        self.lock().calls.iter().cloned().collect()
    }

    /// Waits until the service opens a connection; each is returned once.
    pub(crate) async fn next_socket(&self) -> FakeSocket {
        self.sockets.next().await
    }

    /// Makes the next call of a method go wrong; several queue up.
    pub(crate) fn fail(&self, method: &str, fault: Fault) {
        self.lock()
            .faults
            .entry(method.to_owned())
            .or_default()
            .push_back(fault);
    }

    /// Takes back the faults of a method that did not happen: how often it is called is not the test's matter.
    pub(crate) fn relent(&self, method: &str) {
        self.lock().faults.remove(method);
    }

    /// Somebody says yes; what Slack gives them for it is this code.
    pub(crate) fn consent(&self, code: &str, consent: Consent) {
        self.lock().installs.consent(code, consent);
    }

    /// A token that was given before this fake began.
    pub(crate) fn know_token(&self, token: &str, consent: Consent) {
        self.lock().installs.know(token, consent);
    }

    /// Makes all tokens of a tenant dead; calls with them are answered so.
    pub(crate) fn kill_tokens(&self, tenant: &str, why: &'static str) {
        self.lock().installs.kill(tenant, why);
    }

    /// Returns every token that was given.
    pub(crate) fn tokens(&self) -> Vec<String> {
        self.lock().installs.all()
    }

    /// A channel is in this workspace or organisation: only its token may touch it.
    pub(crate) fn belongs(&self, channel: &str, tenant: &'static str) {
        let channel = channel.to_owned();
        self.lock().installs.channels.insert(channel, tenant);
    }

    /// Adds a header to every answer of the Web API from now on, such as the token's scopes or the time.
    pub(crate) fn says(&self, header: &'static str, value: &str) {
        let value = value.parse().expect("a header's value");
        self.lock().headers.insert(header, value);
    }

    /// Makes somebody an admin of the workspace.
    pub(crate) fn make_admin(&self, user: &str) {
        self.lock().admins.push(user.to_owned());
    }

    pub(crate) fn change(&self, channel: &str, change: impl FnOnce(&mut Channel)) {
        change(
            self.lock()
                .channels
                .get_mut(channel)
                .expect("a known channel"),
        );
    }

    /// Waits until a method was called so often.
    pub(crate) async fn called(&self, method: &str, times: usize) {
        loop {
            let arrived = self.arrived.notified();
            if self.calls(method) >= times {
                return;
            }
            arrived.await;
        }
    }

    pub(crate) fn calls(&self, method: &str) -> usize {
        self.lock()
            .calls
            .iter()
            .filter(|call| *call == method)
            .count()
    }

    /// Returns how many calls there were of whatever kind.
    pub(crate) fn all_calls(&self) -> usize {
        self.lock().calls.len()
    }

    /// Waits until there were so many calls of whatever kind.
    pub(crate) async fn called_in_all(&self, calls: usize) {
        loop {
            let arrived = self.arrived.notified();
            if self.all_calls() >= calls {
                return;
            }
            arrived.await;
        }
    }

    /// Waits until something was posted and returns it; for a service in another process.
    pub(crate) async fn next_posted(&self) -> Vec<Posted> {
        loop {
            let arrived = self.arrived.notified();
            let posted = self.take_posted();
            if !posted.is_empty() {
                return posted;
            }
            arrived.await;
        }
    }

    pub(crate) fn take_posted(&self) -> Vec<Posted> {
        std::mem::take(&mut self.lock().posted)
    }

    /// Waits until something was done beside posting and returns it; for a service in another process.
    pub(crate) async fn next_acts(&self) -> Vec<Act> {
        loop {
            let arrived = self.arrived.notified();
            let acts = self.take_acts();
            if !acts.is_empty() {
                return acts;
            }
            arrived.await;
        }
    }

    pub(crate) fn take_acts(&self) -> Vec<Act> {
        std::mem::take(&mut self.lock().acts)
    }

    /// Fails when anything unexpected was called, or something expected was not.
    pub(crate) fn check(&self) {
        let inner = self.lock();
        assert!(inner.problems.is_empty(), "{:#?}", inner.problems);
        let problems = self.sockets.problems();
        assert!(problems.is_empty(), "{problems:#?}");
        let left: Vec<_> = inner
            .faults
            .iter()
            .filter(|(_, faults)| !faults.is_empty())
            .collect();
        assert!(left.is_empty(), "faults that never happened: {left:?}");
        assert!(inner.acts.is_empty(), "unread: {:#?}", inner.acts);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call with its fields, each of which must be taken out.
struct Call {
    method: String,
    /// What of the address tells one `response_url` from another.
    path: String,
    fields: Map<String, Value>,
    /// Whose token it came with, where several workspaces have the app.
    owner: Option<Consent>,
    problems: Vec<String>,
}

impl Call {
    fn text(&mut self, key: &str) -> String {
        match self.fields.remove(key) {
            Some(Value::String(text)) => text,
            other => {
                self.problems
                    .push(format!("{}: `{key}` is {other:?}", self.method));
                String::new()
            }
        }
    }

    fn maybe_text(&mut self, key: &str) -> Option<String> {
        self.fields.contains_key(key).then(|| self.text(key))
    }

    fn equals(&mut self, key: &str, expect: &Value) {
        let value = self.fields.remove(key);
        if value.as_ref() != Some(expect) {
            self.problems.push(format!(
                "{}: `{key}` is {value:?}, not {expect}",
                self.method
            ));
        }
    }

    fn blocks(&mut self) -> Vec<Value> {
        match self.fields.remove("blocks") {
            None => Vec::new(),
            Some(Value::Array(blocks)) if !blocks.is_empty() && blocks.len() <= 50 => blocks,
            Some(other) => {
                self.problems
                    .push(format!("{}: blocks are {other}", self.method));
                Vec::new()
            }
        }
    }

    /// Refuses the call without a look at its fields.
    fn refuse(&mut self, code: &str) -> Value {
        self.fields.clear();
        json!({"ok": false, "error": code})
    }

    fn finish(mut self) -> Vec<String> {
        for (key, value) in std::mem::take(&mut self.fields) {
            self.problems
                .push(format!("{}: unexpected `{key}` = {value}", self.method));
        }
        self.problems
    }
}

async fn api(
    State(fake): State<FakeSlack>,
    Path(method): Path<String>,
    verb: Method,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
    body: Bytes,
) -> Response {
    let header = |name| {
        headers
            .get(name)
            .and_then(|value: &header::HeaderValue| value.to_str().ok())
            .unwrap_or_default()
    };
    let mut problems = Vec::new();
    if method == "oauth.v2.access" {
        return fake.access(&headers, &body).await;
    }
    // A workflow's step is answered with the permit that came with the call.
    let token = match method.as_str() {
        "apps.connections.open" => APP_TOKEN,
        step if step.starts_with("functions.") => STEP_TOKEN,
        _ => TOKEN,
    };
    let guests = fake.lock().guests;
    let authorization = header(header::AUTHORIZATION).to_owned();
    let by_tenant = token == TOKEN && fake.lock().installs.is_used();
    let unauthorised = if by_tenant {
        None
    } else {
        fake_guest::unauthorised(&method, &authorization, token)
    };
    if unauthorised.is_some() && !guests {
        problems.push(format!("{method}: wrong authorization"));
    }
    let read = matches!(
        method.as_str(),
        "conversations.info"
            | "conversations.list"
            | "conversations.history"
            | "conversations.replies"
            | "chat.getPermalink"
            | "users.info"
            | "users.list"
    );
    let fields = if guests {
        let query = query.unwrap_or_default();
        fake_guest::fields(header(header::CONTENT_TYPE), &query, &body)
    } else if read {
        // Slack takes JSON only for methods that write.
        if verb != Method::GET || !body.is_empty() {
            problems.push(format!("{method}: not a plain GET"));
        }
        url::form_urlencoded::parse(query.unwrap_or_default().as_bytes())
            .map(|(key, value)| (key.into_owned(), Value::String(value.into_owned())))
            .collect()
    } else {
        if verb != Method::POST || header(header::CONTENT_TYPE) != "application/json; charset=utf-8"
        {
            problems.push(format!(
                "{method}: {verb} of {}",
                header(header::CONTENT_TYPE)
            ));
        }
        object(&method, &body, &mut problems)
    };
    let mut owner = None;
    if by_tenant {
        match fake.owner(&method, &authorization, &fields) {
            Ok(consent) => owner = Some(consent),
            Err(refused) => {
                fake.lock().calls.push(method);
                return json_response(&refused);
            }
        }
    }
    let fault = {
        let mut inner = fake.lock();
        inner.problems.append(&mut problems);
        inner.calls.push(method.clone());
        fake.arrived.notify_waiters();
        inner.faults.get_mut(&method).and_then(VecDeque::pop_front)
    };
    collect(&Value::Object(fields.clone()));
    let refusal = unauthorised.or_else(|| fake_guest::refusal(&method, &fields));
    let call = Call {
        method,
        path: String::new(),
        fields,
        owner,
        problems: Vec::new(),
    };
    let mut response = match fault {
        None if guests && refusal.is_some() => json_response(&refusal.unwrap_or_default()),
        None => json_response(&fake.perform(call)),
        Some(fault) => fake.fault(fault, call).await,
    };
    response.headers_mut().extend(fake.lock().headers.clone());
    response
}

async fn hook(
    State(fake): State<FakeSlack>,
    Path(path): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let mut problems = Vec::new();
    if headers.contains_key(header::AUTHORIZATION) {
        problems.push("response_url: it got a token".to_owned());
    }
    let fields = object("response_url", &body, &mut problems);
    collect(&Value::Object(fields.clone()));
    let fault = {
        let mut inner = fake.lock();
        inner.problems.append(&mut problems);
        inner.calls.push("response_url".to_owned());
        inner
            .faults
            .get_mut("response_url")
            .and_then(VecDeque::pop_front)
    };
    if path.ends_with("/expired") {
        return (StatusCode::NOT_FOUND, "expired_url").into_response();
    }
    let call = Call {
        method: "response_url".to_owned(),
        path,
        fields,
        owner: None,
        problems: Vec::new(),
    };
    match fault {
        None => {
            fake.perform(call);
            "ok".into_response()
        }
        Some(fault) => fake.fault(fault, call).await,
    }
}

/// Reads a body's fields.
fn object(method: &str, body: &[u8], problems: &mut Vec<String>) -> Map<String, Value> {
    if let Ok(fields) = serde_json::from_slice(body) {
        return fields;
    }
    problems.push(format!("{method}: the body is no JSON object"));
    Map::new()
}

impl FakeSlack {
    /// Returns whose token a call came with. It must not touch what is another's.
    fn owner(
        &self,
        method: &str,
        authorization: &str,
        fields: &Map<String, Value>,
    ) -> Result<Consent, Value> {
        let mut inner = self.lock();
        let token = authorization.strip_prefix("Bearer ").unwrap_or_default();
        let owner = inner
            .installs
            .owner(token)
            .map_err(|why| json!({"ok": false, "error": why}))?;
        let channel = fields.get("channel").and_then(Value::as_str);
        let of_channel = channel.and_then(|channel| inner.installs.channels.get(channel));
        if channel.is_some() && of_channel != Some(&owner.key()) {
            let problem = format!("{method}: {channel:?} with the token of {}", owner.key());
            inner.problems.push(problem);
        }
        Ok(owner)
    }

    async fn access(&self, headers: &HeaderMap, body: &[u8]) -> Response {
        let fault = {
            let mut inner = self.lock();
            inner.calls.push("oauth.v2.access".to_owned());
            self.arrived.notify_waiters();
            let faults = inner.faults.get_mut("oauth.v2.access");
            faults.and_then(VecDeque::pop_front)
        };
        match fault {
            Some(Fault::Hangs { .. }) => return std::future::pending().await,
            Some(fault) => return Self::failure(fault),
            None => {}
        }
        let mut problems = Vec::new();
        let mut inner = self.lock();
        let answer = inner.installs.access(headers, body, &mut problems);
        inner.problems.append(&mut problems);
        json_response(&answer)
    }

    async fn fault(&self, fault: Fault, call: Call) -> Response {
        let fault = match fault {
            Fault::After(fault) => {
                self.perform(call);
                return Self::failure(*fault);
            }
            Fault::Hangs { done } => {
                if done {
                    self.perform(call);
                }
                return std::future::pending().await;
            }
            Fault::Garbled => {
                self.perform(call);
                Fault::Garbled
            }
            fault => fault,
        };
        Self::failure(fault)
    }

    /// What a call that went wrong is answered.
    fn failure(fault: Fault) -> Response {
        match fault {
            Fault::RateLimited { retry_after } => (
                StatusCode::TOO_MANY_REQUESTS,
                [(header::RETRY_AFTER, retry_after)],
                json_response(&json!({"ok": false, "error": "ratelimited"})),
            )
                .into_response(),
            Fault::Status(status) => {
                let status = StatusCode::from_u16(status).expect("a valid status");
                (status, "<html>upstream said no</html>").into_response()
            }
            Fault::Refused(body) => json_response(&body),
            Fault::Garbled => "<html>proxy</html>".into_response(),
            Fault::Hangs { .. } | Fault::After(_) => unreachable!("it was taken out"),
        }
    }

    fn perform(&self, mut call: Call) -> Value {
        let mut inner = self.lock();
        let method = call.method.clone();
        let response = match method.as_str() {
            "auth.test" => {
                let bot = call.owner.map_or(BOT_USER, |owner| owner.bot);
                let team = call.owner.map_or(TEAM, |owner| owner.key());
                json!({
                    "ok": true, "url": "https://example.slack.com/", "team": "Example", "user": "incident-like",
                    "team_id": team, "user_id": bot, "bot_id": BOT_ID, "is_enterprise_install": false,
                })
            }
            "api.test" => json!({"ok": true, "args": {}}),
            "apps.connections.open" => self.sockets.address(),
            "conversations.list" => inner.list(&mut call),
            "chat.postMessage" => inner.post_message(&mut call),
            "chat.update" => inner.update_message(&mut call),
            "chat.postEphemeral" => {
                let (channel, user) = (call.text("channel"), call.text("user"));
                let to = Audience::Only { channel, user };
                inner.note(&mut call, to);
                json!({"ok": true, "message_ts": "1700000000.000001"})
            }
            "response_url" => {
                let in_channel = match call.text("response_type").as_str() {
                    "in_channel" => true,
                    "ephemeral" => false,
                    other => {
                        call.problems.push(format!("response_type {other}"));
                        false
                    }
                };
                call.equals("unfurl_links", &json!(false));
                call.equals("unfurl_media", &json!(false));
                inner.note(&mut call, Audience::ResponseUrl { in_channel });
                json!({"ok": true})
            }
            "conversations.join" => match inner.channels.get_mut(&call.text("channel")) {
                Some(channel) if !channel.private => {
                    channel.member = true;
                    json!({"ok": true, "channel": {"id": channel.id}, "warning": "already_in_channel"})
                }
                _ => json!({"ok": false, "error": "channel_not_found"}),
            },
            "conversations.info" => match inner.channels.get(&call.text("channel")) {
                Some(channel) if !channel.private || channel.member => channel.info(),
                _ => json!({"ok": false, "error": "channel_not_found"}),
            },
            "conversations.history" => inner.history(&mut call, false),
            "conversations.replies" => inner.history(&mut call, true),
            "users.info" => {
                call.equals("include_locale", &json!("true"));
                let user = call.text("user");
                inner.person(&user).map_or_else(
                    || missing("users:read"),
                    |person| json!({"ok": true, "user": person}),
                )
            }
            "users.list" => inner.people(&mut call),
            "chat.getPermalink" => inner.permalink(&mut call),
            "views.open" | "views.push" | "views.update" | "views.publish" => inner.show(&mut call),
            "chat.unfurl"
            | "bookmarks.add"
            | "functions.completeSuccess"
            | "functions.completeError"
            | "assistant.threads.setSuggestedPrompts" => {
                call.problems
                    .extend(fake_views::act_problems(&method, &call.fields));
                let execution = call.fields.get("function_execution_id").cloned();
                let answered = execution.is_some()
                    && inner
                        .acts
                        .iter()
                        .any(|act| act.fields.get("function_execution_id") == execution.as_ref());
                if answered {
                    call.refuse("execution_not_in_running_state")
                } else {
                    inner.act(&mut call);
                    json!({"ok": true})
                }
            }
            _ => {
                if !inner.guests {
                    call.problems.push(format!("{method}: unknown method"));
                }
                json!({"ok": false, "error": "unknown_method"})
            }
        };
        inner.problems.extend(call.finish());
        self.arrived.notify_waiters();
        response
    }
}

impl Inner {
    fn permalink(&self, call: &mut Call) -> Value {
        let (channel, ts) = (call.text("channel"), call.text("message_ts"));
        let known = self.channels.get(&channel);
        let there =
            known.is_some_and(|known| known.messages.iter().any(|message| message["ts"] == *ts));
        if !there {
            return json!({"ok": false, "error": "message_not_found"});
        }
        let id = ts.replace('.', "");
        let link = format!("https://example.slack.com/archives/{channel}/p{id}");
        json!({"ok": true, "channel": channel, "permalink": link})
    }

    /// Returns what Slack says about somebody.
    fn person(&self, user: &str) -> Option<Value> {
        let locale = self.locales.get(user);
        let admin = self.admins.iter().any(|admin| admin == user);
        if locale.is_none() && self.admins.is_empty() {
            return None;
        }
        let locale = locale.map_or("en-US", String::as_str);
        Some(json!({
            "id": user, "team_id": TEAM, "locale": locale, "deleted": false, "is_admin": admin, "is_owner": false,
            "is_restricted": false, "is_bot": false,
        }))
    }

    /// Lists people, two a page, so that paging is seen to work.
    fn people(&self, call: &mut Call) -> Value {
        call.equals("include_locale", &json!("true"));
        call.equals("limit", &json!("200"));
        let from: usize = call
            .maybe_text("cursor")
            .map_or(0, |cursor| cursor.parse().expect("a cursor of ours"));
        if self.admins.is_empty() {
            return missing("users:read");
        }
        let others = ["U0PERSON", "U0ASKER", "U0OTHER"].map(str::to_owned);
        let everybody: Vec<String> = others
            .into_iter()
            .filter(|user| !self.admins.contains(user))
            .chain(self.admins.iter().cloned())
            .collect();
        let page: Vec<Value> = everybody
            .iter()
            .skip(from)
            .take(2)
            .filter_map(|user| self.person(user))
            .collect();
        let next = Some(from + 2).filter(|next| *next < everybody.len());
        let cursor = next.map(|next| next.to_string()).unwrap_or_default();
        json!({"ok": true, "members": page, "response_metadata": {"next_cursor": cursor}})
    }

    fn post_message(&mut self, call: &mut Call) -> Value {
        let channel = call.text("channel");
        if channel.starts_with('U') && self.person(&channel).is_some() {
            // The conversation with somebody.
            call.equals("unfurl_links", &json!(false));
            call.equals("unfurl_media", &json!(false));
            self.note(call, Audience::Channel(channel));
            return json!({"ok": true, "channel": "D0SOMEBODY", "ts": "1700000000.000009"});
        }
        match self.channels.get(&channel) {
            Some(known) if !known.member => return call.refuse("not_in_channel"),
            Some(known) if known.archived => return call.refuse("is_archived"),
            Some(_) => {}
            None => return call.refuse("channel_not_found"),
        }
        call.equals("unfurl_links", &json!(false));
        call.equals("unfurl_media", &json!(false));
        self.clock += 1;
        let ts = format!("1800000000.{:06}", self.clock);
        let posted = self.note(call, Audience::Channel(channel.clone()));
        let bot = call.owner.map_or(BOT_USER, |owner| owner.bot);
        let message = json!({
            "type": "message", "user": bot, "bot_id": BOT_ID, "text": posted.text, "blocks": posted.blocks,
            "ts": ts, "thread_ts": posted.thread, "metadata": posted.metadata,
        });
        let known = self.channels.get_mut(&channel).expect("checked above");
        known.messages.push(message.clone());
        json!({"ok": true, "channel": channel, "ts": ts, "message": message})
    }

    /// Changes a message of the bot's own. What is left out would stay, so nothing may be.
    fn update_message(&mut self, call: &mut Call) -> Value {
        let text = |key| call.fields.get(key).and_then(Value::as_str);
        let channel = text("channel").and_then(|id| self.channels.get_mut(id));
        let Some(channel) = channel else {
            return call.refuse("channel_not_found");
        };
        if channel.archived {
            return call.refuse("is_archived");
        }
        let (ts, fields) = (text("ts").map(str::to_owned), call.fields.clone());
        let known = channel.messages.iter_mut();
        let mut own = known.filter(|message| message["user"] == BOT_USER);
        let Some(message) = own.find(|message| message["ts"].as_str() == ts.as_deref()) else {
            return call.refuse("message_not_found");
        };
        let mut names: Vec<&str> = fields.keys().map(String::as_str).collect();
        names.sort_unstable();
        if names != ["blocks", "channel", "metadata", "parse", "text", "ts"] {
            call.problems.push(format!("chat.update: {names:?}"));
        }
        for key in ["text", "blocks", "metadata"] {
            message[key] = fields[key].clone();
        }
        self.act(call);
        json!({"ok": true, "channel": fields["channel"], "ts": ts, "text": fields["text"]})
    }

    fn act(&mut self, call: &mut Call) {
        self.acts.push(Act {
            method: call.method.clone(),
            fields: std::mem::take(&mut call.fields),
        });
    }

    /// Shows a view, if it is one that Slack takes.
    fn show(&mut self, call: &mut Call) -> Value {
        let problems = fake_views::view_problems(&call.method, &call.fields);
        call.problems.extend(problems);
        self.views += 1;
        let id = match call.fields.get("view_id") {
            Some(Value::String(id)) => id.clone(),
            _ => format!("V{}", self.views),
        };
        self.act(call);
        json!({"ok": true, "view": {"id": id, "hash": format!("h{}", self.views)}})
    }

    fn note(&mut self, call: &mut Call, to: Audience) -> Posted {
        let replaces = call.method == "response_url"
            && match call.fields.remove("replace_original") {
                Some(Value::Bool(replaces)) => replaces,
                other => {
                    call.problems
                        .push(format!("response_url: `replace_original` is {other:?}"));
                    false
                }
            };
        let posted = Posted {
            to,
            replaces,
            path: call.path.clone(),
            thread: call.maybe_text("thread_ts"),
            text: call.text("text"),
            blocks: call.blocks(),
            metadata: call.fields.remove("metadata").unwrap_or_default(),
        };
        self.posted.push(posted.clone());
        posted
    }

    fn history(&mut self, call: &mut Call, thread: bool) -> Value {
        call.equals("include_all_metadata", &json!("true"));
        let limit = call.text("limit").parse().unwrap_or(0);
        if !(1..=100).contains(&limit) {
            call.problems
                .push(format!("{}: the limit is {limit}", call.method));
        }
        let parent = thread.then(|| call.text("ts"));
        let oldest = call.maybe_text("oldest").unwrap_or_default();
        let from: usize = match call.maybe_text("cursor") {
            Some(cursor) => cursor.parse().expect("a cursor of this fake"),
            None => 0,
        };
        let Some(channel) = self.channels.get(&call.text("channel")) else {
            return json!({"ok": false, "error": "channel_not_found"});
        };
        if !channel.member {
            return json!({"ok": false, "error": "not_in_channel"});
        }
        let mut messages: Vec<Value> = channel
            .messages
            .iter()
            .filter(|message| match &parent {
                // The parent comes whatever is asked for.
                Some(ts) => {
                    let ours = message["thread_ts"] == **ts;
                    message["ts"] == **ts || ours && message["ts"].as_str() > Some(&oldest)
                }
                None => message["thread_ts"].is_null() || message["thread_ts"] == message["ts"],
            })
            .cloned()
            .collect();
        if parent.is_none() {
            messages.reverse();
        }
        let next = Some(from + limit).filter(|next| *next < messages.len());
        let page: Vec<Value> = messages.into_iter().skip(from).take(limit).collect();
        let cursor = next.map(|next| next.to_string()).unwrap_or_default();
        json!({"ok": true, "messages": page, "has_more": next.is_some(), "response_metadata": {"next_cursor": cursor}})
    }
}

impl Inner {
    /// Lists channels, two a page, so that paging is seen to work.
    fn list(&self, call: &mut Call) -> Value {
        call.equals("exclude_archived", &json!("true"));
        call.equals("limit", &json!("1000"));
        let types = call.text("types");
        let from: usize = call
            .maybe_text("cursor")
            .map_or(0, |cursor| cursor.parse().expect("a cursor of ours"));
        let mut channels: Vec<&Channel> = self
            .channels
            .values()
            .filter(|channel| {
                !channel.archived
                    && (types.contains("private") && channel.member || !channel.private)
            })
            .collect();
        channels.sort_by_key(|channel| channel.id);
        let next = Some(from + 2).filter(|next| *next < channels.len());
        let page: Vec<Value> = channels
            .iter()
            .skip(from)
            .take(2)
            .map(|channel| channel.info()["channel"].clone())
            .collect();
        let cursor = next.map(|next| next.to_string()).unwrap_or_default();
        json!({"ok": true, "channels": page, "response_metadata": {"next_cursor": cursor}})
    }
}

impl Channel {
    fn info(&self) -> Value {
        json!({"ok": true, "channel": {
            "id": self.id, "name": self.name, "is_channel": true, "is_group": false, "is_im": false, "is_mpim": false,
            "is_private": self.private, "is_member": self.member, "is_archived": self.archived,
            "is_shared": self.ext_shared, "is_ext_shared": self.ext_shared, "is_org_shared": false,
            "is_pending_ext_shared": self.pending_ext_shared, "pending_shared": [], "context_team_id": TEAM,
            "topic": {"value": self.topic, "creator": "U0PERSON", "last_set": 0},
            "purpose": {"value": self.purpose, "creator": "U0PERSON", "last_set": 0},
        }})
    }
}

/// Refuses a call for want of a permission.
pub(crate) fn missing(scope: &str) -> Value {
    json!({"ok": false, "error": "missing_scope", "needed": scope, "provided": "commands,chat:write"})
}

fn json_response(body: &Value) -> Response {
    (
        [(header::CONTENT_TYPE, "application/json; charset=utf-8")],
        body.to_string(),
    )
        .into_response()
}
