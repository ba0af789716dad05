//! Runs the service as `serve` does, on loopback, between a test and [`FakeSlack`].
//!
//! A test is a closure: `run(TestApp::default(), async |app| …)`. When it returns, the service is stopped the way
//! production is, and the test fails on a panic in a job, a call that the fake does not know, or an unread message.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU32, Ordering},
        mpsc,
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use arc_swap::ArcSwap;
use incident_like::{
    app::{App, Tuning, install_crypto_provider},
    config::{
        BehaviourConfig, CorpusConfig, HttpConfig, LogConfig, McpConfig, ServeConfig, SlackConfig,
        StoreConfig,
    },
    corpus::{Case, Checks, Corpus, Lang, Level, Origin},
    library::Library,
    slack::{client::Retry, pattern::default_patterns, signature, socket::Patience},
    store::Pace,
    worker::Worker,
};
use secrecy::SecretString;
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::oneshot};
use url::Url;

mod fake_guest;
mod fake_installs;
mod fake_slack;
mod fake_socket;
mod fake_views;

pub(crate) use fake_views::check_options;

pub(crate) use fake_installs::{CLIENT_ID, CLIENT_SECRET, Consent, PUBLIC_URL};
pub(crate) use fake_slack::{Act, Audience, Channel, FakeSlack, Fault, Posted, missing};
pub(crate) use fake_socket::{Acknowledged, FakeSocket};

/// Longest time for a whole test; only a hanging one comes near.
const TEST_TIMEOUT: Duration = Duration::from_secs(30);

pub(crate) const SIGNING_SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";
pub(crate) const TOKEN: &str = "xoxb-test-token";
pub(crate) const APP_TOKEN: &str = "xapp-1-A0APP-1-test";
/// The permit that comes with a workflow's call.
pub(crate) const STEP_TOKEN: &str = "xwfp-step-token";
pub(crate) const BOT_USER: &str = "U0BOT";
pub(crate) const BOT_ID: &str = "B0BOT";
pub(crate) const TEAM: &str = "T0TEAM";

/// The cases of `tests/fixtures/corpus`, described with the bundled vocabulary.
pub(crate) static LIBRARY: LazyLock<Arc<Library>> = LazyLock::new(|| Arc::new(fresh_library()));

fn fresh_library() -> Library {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/corpus");
    let loaded =
        Corpus::load(&[Origin::Folder(folder.into())], Checks::Structure).expect("it can be read");
    let problems: Vec<String> = loaded
        .diagnostics
        .iter()
        .filter(|problem| problem.level == Level::Error)
        .map(|problem| problem.render(false))
        .collect();
    // What falls short of the editorial rules fails the corpus' own tests, and not every other one.
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    Library::new(loaded.corpus)
}

/// How the service is set up for a test.
pub(crate) struct TestApp {
    pub(crate) channels: Vec<Channel>,
    pub(crate) token: bool,
    /// Whether the service connects to Slack, and takes nothing of Slack's over HTTP.
    pub(crate) socket: bool,
    pub(crate) previous_secret: Option<&'static str>,
    pub(crate) allowed_channels: Vec<&'static str>,
    pub(crate) locales: Vec<(&'static str, &'static str)>,
    /// Admins of the workspace.
    pub(crate) admins: Vec<&'static str>,
    /// What goes wrong from the start.
    pub(crate) faults: Vec<(&'static str, Fault)>,
    /// Where people read the library.
    pub(crate) public_url: Option<&'static str>,
    pub(crate) tuning: Tuning,
    /// Instead of the cases of `tests/fixtures/corpus`.
    pub(crate) library: Option<Library>,
    /// Whether the API is served; `None` leaves it to the rule.
    pub(crate) api: Option<bool>,
    pub(crate) api_rate: u32,
    /// Folders of own cases as configured; the cases are the same.
    pub(crate) folders: Vec<&'static str>,
    /// Where to keep what must outlive the service.
    pub(crate) data_dir: Option<PathBuf>,
    /// Whether workspaces install the app, with these keys for their tokens; needs a folder.
    pub(crate) token_keys: Vec<&'static str>,
    /// Tokens that were given before.
    pub(crate) tokens: Vec<(&'static str, Consent)>,
}

impl Default for TestApp {
    fn default() -> Self {
        Self {
            channels: Vec::new(),
            token: true,
            socket: false,
            previous_secret: None,
            allowed_channels: Vec::new(),
            locales: Vec::new(),
            admins: Vec::new(),
            faults: Vec::new(),
            public_url: None,
            library: None,
            api: None,
            api_rate: 0,
            folders: Vec::new(),
            data_dir: None,
            token_keys: Vec::new(),
            tokens: Vec::new(),
            tuning: Tuning {
                debounce: Duration::ZERO,
                slack_timeout: Duration::from_millis(300),
                retry: Retry {
                    tries: 4,
                    backoff: Duration::from_millis(1),
                    longest: Duration::from_secs(2),
                },
                socket: Patience {
                    idle: Duration::from_secs(20),
                    backoff: Duration::from_millis(1),
                    longest: Duration::from_millis(20),
                    ..Patience::DEFAULT
                },
                grace: Duration::from_secs(4),
                attempts: 3,
                backoff: Duration::from_millis(1),
                settle: Duration::ZERO,
                pace: Pace {
                    channel: Duration::ZERO,
                    workspace: Duration::ZERO,
                },
                ..Tuning::DEFAULT
            },
        }
    }
}

impl TestApp {
    pub(crate) fn with_channel(channel: Channel) -> Self {
        Self {
            channels: vec![channel],
            ..Self::default()
        }
    }
}

/// The running service as a test sees it.
pub(crate) struct Running {
    pub(crate) slack: FakeSlack,
    pub(crate) http: reqwest::Client,
    pub(crate) address: String,
    pub(crate) worker: Worker,
}

/// What the service answered.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Answered {
    /// Checks that it is an ephemeral message and returns its text.
    pub(crate) fn ephemeral(&self) -> String {
        assert_eq!(self.status, 200, "{}", self.body);
        let json: Value = serde_json::from_str(&self.body).expect("a JSON message");
        assert_eq!(json["response_type"], "ephemeral");
        assert!(
            json["blocks"]
                .as_array()
                .is_some_and(|blocks| !blocks.is_empty())
        );
        json["text"].as_str().expect("a text").to_owned()
    }

    pub(crate) fn empty_ok(&self) {
        assert_eq!((self.status, self.body.as_str()), (200, ""));
    }
}

/// Runs a test.
pub(crate) fn run(setup: TestApp, test: impl AsyncFnOnce(&mut Running)) {
    let unread = run_and_stop(setup, test);
    assert!(unread.is_empty(), "unread: {unread:#?}");
}

/// Runs a test and returns what was posted while the service was stopping.
pub(crate) fn run_and_stop(setup: TestApp, test: impl AsyncFnOnce(&mut Running)) -> Vec<Posted> {
    install_crypto_provider();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        // One lookup at a time, so that a test can hold them up ([`Running::hold_lookups`]).
        .max_blocking_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        tokio::time::timeout(TEST_TIMEOUT, run_async(setup, test))
            .await
            .expect("the test hangs")
    })
}

/// The library of a service under test.
pub(crate) fn library() -> Arc<ArcSwap<Library>> {
    Arc::new(ArcSwap::new(Arc::clone(&LIBRARY)))
}

/// Makes a library of these cases, with the vocabulary of another.
pub(crate) fn with_cases(library: &Library, cases: impl IntoIterator<Item = Case>) -> Library {
    let vocabulary = library.corpus().vocabulary().clone();
    Library::new(Corpus::from_cases(vocabulary, cases.into_iter().collect()))
}

/// The cases of `tests/fixtures/corpus` with some of them changed.
pub(crate) fn changed(change: impl Fn(&mut Case)) -> Library {
    let cases = LIBRARY.corpus().cases().iter().map(|case| {
        let mut case = Case::clone(case);
        change(&mut case);
        case
    });
    with_cases(&LIBRARY, cases)
}

/// What a service under test is told, on a free port of loopback.
pub(crate) fn serve_config(slack_api_url: Url, response_url_prefix: Url) -> ServeConfig {
    ServeConfig {
        http: HttpConfig {
            listen: ([127, 0, 0, 1], 0).into(),
            api: None,
            public_url: None,
            api_rate: 0,
            client_header: None,
        },
        mcp: McpConfig {
            hosts: vec!["127.0.0.1".to_owned()],
            origins: vec!["http://localhost:*".to_owned()],
        },
        corpus: CorpusConfig {
            folders: Vec::new(),
        },
        slack: SlackConfig {
            signing_secret: Some(SIGNING_SECRET.into()),
            app_token: None,
            signing_secret_previous: None,
            client_id: None,
            client_secret: None,
            token_keys: Vec::new(),
            features: Vec::new(),
            bot_token: Some(TOKEN.into()),
            slack_api_url,
            response_url_prefix,
        },
        behaviour: BehaviourConfig {
            patterns: default_patterns(),
            allowed_channels: Vec::new(),
            lang: Lang::En,
        },
        store: StoreConfig {
            data_dir: None,
            database_url: None,
            retention_days: 90,
        },
        log: LogConfig {
            filter: "info".to_owned(),
            json: false,
        },
    }
}

/// Lets workspaces install the app.
pub(crate) fn several_workspaces(config: &mut ServeConfig, keys: &[&str]) {
    config.slack.client_id = Some(CLIENT_ID.to_owned());
    config.slack.client_secret = Some(CLIENT_SECRET.into());
    config.slack.token_keys = keys.iter().map(|key| (*key).into()).collect();
    config.http.public_url = Some(parse_url(PUBLIC_URL));
}

async fn run_async(setup: TestApp, test: impl AsyncFnOnce(&mut Running)) -> Vec<Posted> {
    let slack = FakeSlack::start(setup.channels, setup.locales).await;
    for admin in setup.admins {
        slack.make_admin(admin);
    }
    for (method, fault) in setup.faults {
        slack.fail(method, fault);
    }
    let mut config = serve_config(slack.url("/api"), slack.url("/hooks/"));
    config.slack.signing_secret_previous = setup.previous_secret.map(SecretString::from);
    config.slack.bot_token = setup.token.then(|| TOKEN.into());
    if setup.socket {
        config.slack.signing_secret = None;
        config.slack.app_token = Some(APP_TOKEN.into());
    }
    if !setup.token_keys.is_empty() {
        config.slack.bot_token = None;
        several_workspaces(&mut config, &setup.token_keys);
    }
    for (token, consent) in setup.tokens {
        slack.know_token(token, consent);
    }
    config.behaviour.allowed_channels =
        setup.allowed_channels.into_iter().map(Into::into).collect();
    config.store.data_dir = setup.data_dir;
    if let Some(url) = setup.public_url {
        config.http.public_url = Some(parse_url(url));
    }
    config.http.api = setup.api;
    config.http.api_rate = setup.api_rate;
    config.corpus.folders = setup.folders.into_iter().map(Into::into).collect();
    let library = match (setup.library, setup.public_url) {
        (Some(own), _) => Arc::new(ArcSwap::from_pointee(own)),
        (None, Some(address)) => Arc::new(ArcSwap::from_pointee(fresh_library().at(address))),
        (None, None) => library(),
    };
    let app = App::build(&config, &setup.tuning, library)
        .await
        .expect("it can be built");
    let worker = app.worker().clone();
    let listener = TcpListener::bind(config.http.listen)
        .await
        .expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("a bound address"));
    let (stop, stopped) = oneshot::channel::<()>();
    let service = tokio::spawn(app.run_until(listener, async {
        let _ = stopped.await;
    }));
    let http = reqwest::Client::builder().build().expect("a client");
    let mut running = Running {
        slack,
        http,
        address,
        worker,
    };
    // Starting up makes calls of its own; a test begins after them.
    answered(running.http.get(format!("{}/healthz", running.address))).await;
    running.settle().await;

    test(&mut running).await;

    stop.send(()).expect("the service runs until now");
    service.await.expect("no panic").expect("no failure");
    assert_eq!(running.worker.waiting(), 0, "jobs were left undone");
    assert_eq!(running.worker.panics(), 0, "a job panicked");
    running.slack.check();
    running.slack.take_posted()
}

impl Running {
    /// Posts a body to a path with the right signature.
    pub(crate) async fn post(&self, path: &str, body: impl Into<Vec<u8>>) -> Answered {
        self.post_signed(path, body, SIGNING_SECRET, unix_now())
            .await
    }

    pub(crate) async fn post_signed(
        &self,
        path: &str,
        body: impl Into<Vec<u8>>,
        secret: &str,
        at: u64,
    ) -> Answered {
        let url = format!("{}{path}", self.address);
        answered(signed(&self.http, &url, body, secret, at)).await
    }

    /// Types the slash command in the channel `C0HERE`.
    pub(crate) async fn slash(&self, text: &str) -> Answered {
        self.slash_in("C0HERE", "general", text).await
    }

    pub(crate) async fn slash_in(&self, channel: &str, name: &str, text: &str) -> Answered {
        self.slash_as("U0ASKER", (channel, name), text).await
    }

    pub(crate) async fn slash_as(
        &self,
        user: &str,
        (channel, name): (&str, &str),
        text: &str,
    ) -> Answered {
        let form = form(&[
            ("token", "deprecated"),
            ("team_id", TEAM),
            ("team_domain", "example"),
            ("channel_id", channel),
            ("channel_name", name),
            ("user_id", user),
            ("user_name", "asker"),
            ("command", "/incident-like"),
            ("text", text),
            ("api_app_id", "A0APP"),
            ("is_enterprise_install", "false"),
            ("response_url", &self.slack.response_url()),
            ("trigger_id", "13345224609.738474920.8088930838d88f008e0"),
        ]);
        self.post("/slack/commands", form).await
    }

    /// Delivers an inner event in an envelope like Slack's.
    pub(crate) async fn event(&self, id: &str, event: Value) -> Answered {
        self.envelope(envelope(id, event)).await
    }

    pub(crate) async fn envelope(&self, envelope: Value) -> Answered {
        self.post("/slack/events", envelope.to_string()).await
    }

    /// Sends an interaction, as one of its own whatever was sent before.
    pub(crate) async fn interact(&self, payload: &Value) -> Answered {
        static PRESSES: AtomicU32 = AtomicU32::new(0);
        let mut payload = payload.clone();
        let press = PRESSES.fetch_add(1, Ordering::Relaxed);
        payload["trigger_id"] = json!(format!("1337.{press}.own"));
        self.deliver_again(&payload).await
    }

    /// Sends an interaction that may have been sent before.
    pub(crate) async fn deliver_again(&self, payload: &Value) -> Answered {
        self.post(
            "/slack/interactions",
            form(&[("payload", &payload.to_string())]),
        )
        .await
    }

    /// Holds up all lookups until the returned sender is dropped.
    #[expect(clippy::unused_self, reason = "it belongs to a running service")]
    pub(crate) fn hold_lookups(&self) -> mpsc::Sender<()> {
        let (release, released) = mpsc::channel();
        tokio::task::spawn_blocking(move || released.recv());
        release
    }

    /// Waits until all jobs are done.
    pub(crate) async fn settle(&self) {
        self.worker.idle().await;
    }

    /// Waits until all jobs are done and returns the one message that they posted.
    pub(crate) async fn message(&mut self) -> Posted {
        let mut messages = self.messages().await;
        assert_eq!(messages.len(), 1, "{messages:#?}");
        messages.remove(0)
    }

    pub(crate) async fn messages(&mut self) -> Vec<Posted> {
        self.settle().await;
        self.slack.take_posted()
    }

    /// Waits until all jobs are done and returns the one thing that they did beside posting.
    pub(crate) async fn act(&mut self) -> Act {
        self.settle().await;
        let mut acts = self.slack.take_acts();
        assert_eq!(acts.len(), 1, "{acts:#?}");
        acts.remove(0)
    }

    /// Waits until all jobs are done and checks that nothing was posted.
    pub(crate) async fn silent(&mut self) {
        let messages = self.messages().await;
        assert!(messages.is_empty(), "{messages:#?}");
    }
}

/// Makes a request signed as Slack does.
pub(crate) fn signed(
    http: &reqwest::Client,
    url: &str,
    body: impl Into<Vec<u8>>,
    secret: &str,
    at: u64,
) -> reqwest::RequestBuilder {
    let body = body.into();
    let signature = signature::sign(&secret.into(), at, &body);
    http.post(url)
        .header(signature::SIGNATURE_HEADER, signature)
        .header(signature::TIMESTAMP_HEADER, at)
        .body(body)
}

pub(crate) async fn answered(request: reqwest::RequestBuilder) -> Answered {
    let response = request.send().await.expect("the service answers");
    let answered = Answered {
        status: response.status().as_u16(),
        body: response.text().await.expect("a text"),
    };
    if let Ok(json) = serde_json::from_str(&answered.body) {
        collect(&json);
    }
    answered
}

/// Keeps each message, view and preview that the service makes in the tests, for `tests/slack_sdk/run` to judge: in the
/// folder that `INCIDENT_LIKE_COLLECT` names.
pub(crate) fn collect(sent: &Value) {
    #[expect(
        clippy::disallowed_methods,
        reason = "a switch of the tests, not of the service"
    )]
    let Ok(folder) = std::env::var("INCIDENT_LIKE_COLLECT") else {
        return;
    };
    let keep = |kind: &str, value: &Value| {
        let text = value.to_string();
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let folder = Path::new(&folder).join(kind);
        fs::create_dir_all(&folder).expect("a folder for what is collected");
        let name = format!("{:016x}.json", hasher.finish());
        fs::write(folder.join(name), text).expect("it is kept");
    };
    if sent["blocks"].is_array() {
        keep("", &json!({"text": sent["text"], "blocks": sent["blocks"]}));
    }
    if sent["view"]["blocks"].is_array() {
        keep("views", &sent["view"]);
    }
    for preview in sent["unfurls"].as_object().into_iter().flatten() {
        keep(
            "",
            &json!({"text": "a preview has none", "blocks": preview.1["blocks"]}),
        );
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "signatures are checked against the real clock"
)]
pub(crate) fn unix_now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_secs()
}

pub(crate) fn form(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish()
}

/// Wraps an inner event as Slack does.
#[expect(
    clippy::needless_pass_by_value,
    reason = "callers build the event in place"
)]
pub(crate) fn envelope(id: &str, event: Value) -> Value {
    json!({
        "token": "deprecated",
        "team_id": TEAM,
        "context_team_id": TEAM,
        "context_enterprise_id": null,
        "api_app_id": "A0APP",
        "event": event,
        "type": "event_callback",
        "event_id": id,
        "event_time": 1_700_000_000,
        "authorizations": [{
            "enterprise_id": null,
            "team_id": TEAM,
            "user_id": BOT_USER,
            "is_bot": true,
            "is_enterprise_install": false,
        }],
        "is_ext_shared_channel": false,
        "event_context": "4-opaque",
    })
}

/// A mention of the bot as `app_mention` brings it.
pub(crate) fn mention(channel: &str, ts: &str, text: &str) -> Value {
    let text = format!("<@{BOT_USER}> {text}");
    json!({
        "type": "app_mention",
        "user": "U0ASKER",
        "text": text,
        "ts": ts,
        "team": TEAM,
        "user_team": TEAM,
        "blocks": rich_text(&text),
        "channel": channel,
        "event_ts": ts,
    })
}

/// A person's message as `message` brings it.
pub(crate) fn message(channel: &str, ts: &str, text: &str) -> Value {
    json!({
        "type": "message",
        "channel": channel,
        "user": "U0PERSON",
        "text": text,
        "blocks": rich_text(text),
        "ts": ts,
        "team": TEAM,
        "event_ts": ts,
        "channel_type": "channel",
    })
}

pub(crate) fn channel_created(channel: &str, name: &str) -> Value {
    json!({"type": "channel_created", "channel": {"id": channel, "name": name, "created": 1_700_000_000, "creator": "U0PERSON"}})
}

/// Says the same as a message's text in blocks, as Slack's own clients do.
fn rich_text(text: &str) -> Value {
    let bot = format!("<@{BOT_USER}>");
    let mut elements = Vec::new();
    for (at, part) in text.split(&bot).enumerate() {
        if at > 0 {
            elements.push(json!({"type": "user", "user_id": BOT_USER}));
        }
        if !part.is_empty() {
            elements.push(json!({"type": "text", "text": part}));
        }
    }
    json!([{"type": "rich_text", "block_id": "b1", "elements": [
        {"type": "rich_text_section", "elements": elements},
    ]}])
}

pub(crate) fn parse_url(text: &str) -> Url {
    Url::parse(text).expect("a valid URL")
}
