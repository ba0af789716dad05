//! `demo`: the whole service on loopback with a throw-away secret and a small fake Slack beside it. It sends itself real
//! signed requests, plays an incident channel through, and prints what people would see.

use std::{
    process::ExitCode,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, bail, ensure};
use axum::{Json, Router, extract::Path, extract::State, routing::any};
use clap::Args;
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::{Value, json};
use slack_morphism::prelude::SlackBlock;
use tokio::{net::TcpListener, sync::mpsc};
use tokio_util::sync::CancellationToken;

use crate::{
    app::{App, Tuning},
    config::{
        BehaviourConfig, CorpusConfig, HttpConfig, LogConfig, McpConfig, ServeConfig, SlackConfig,
        StoreConfig,
    },
    corpus::Lang,
    slack::{
        Message,
        pattern::default_patterns,
        preview::{self, Style},
        signature,
    },
    telemetry,
};

/// What `demo` can be told.
#[derive(Args, Clone, Debug)]
pub struct DemoConfig {
    /// Questions of your own instead of the prepared ones
    #[arg(value_name = "TEXT")]
    texts: Vec<String>,
    /// Keep the service running until Ctrl-C, for requests of your own
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    corpus: CorpusConfig,
}

/// What is asked when nothing else is given: one question in each language.
const QUESTIONS: [&str; 2] = [
    "nodes fail the load balancer health check one by one, DNS is fine",
    "배포한 뒤 etcd 타임아웃이 나고 linkerd가 새 파드를 못 찾아요",
];

/// The incident channel that is played: its name, topic and first message, an alert without plain text.
const CHANNEL: &str = "장애-2026-1130-checkout";
const TOPIC: &str = "체크아웃 502, 파드 OOMKilled 반복";
const ALERT_TITLE: &str =
    "[FIRING] CoreDNS pods OOMKilled, DNS lookups time out (NXDOMAIN / SERVFAIL rate up)";

/// Columns of the printed answers.
const WIDTH: usize = 92;

/// How long the demo waits for the suggestion before it says that something is wrong.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs the demo.
pub(super) fn run(config: &DemoConfig) -> anyhow::Result<ExitCode> {
    let Some(library) = super::load(&config.corpus)? else {
        return Ok(ExitCode::FAILURE);
    };
    let cases = library.corpus().cases().len();
    let runtime = tokio::runtime::Runtime::new().context("cannot start the runtime")?;
    runtime.block_on(async {
        let (posted, mut posts) = mpsc::unbounded_channel();
        let slack = TcpListener::bind("127.0.0.1:0").await.context("cannot listen on loopback")?;
        let slack_address = format!("http://{}", slack.local_addr()?);
        tokio::spawn(axum::serve(slack, fake_slack(posted)).into_future());

        let secret = throw_away_secret();
        let listener = TcpListener::bind("127.0.0.1:0").await.context("cannot listen on loopback")?;
        let service = format!("http://{}", listener.local_addr()?);
        let tuning = Tuning { debounce: Duration::ZERO, ..Tuning::DEFAULT };
        let serve = serve_config(&secret, &slack_address)?;
        telemetry::init(&serve.log)?;
        let app = App::build(&serve, &tuning, super::shared(library)).await?;
        let stop = CancellationToken::new();
        let running = tokio::spawn(app.run_until(listener, stop.clone().cancelled_owned()));

        let client = Client { http: reqwest::Client::new(), service: service.clone(), secret };
        say(&format!("The service runs on {service} with {cases} cases; a small fake Slack stands beside it.\n"));
        let questions: Vec<&str> = match &config.texts[..] {
            [] => QUESTIONS.to_vec(),
            texts => texts.iter().map(String::as_str).collect(),
        };
        for text in questions {
            heading(&format!("/incident-like {text}"));
            show(&client.command(text).await?);
        }
        if config.texts.is_empty() {
            heading(&format!("A new channel #{CHANNEL} · {TOPIC}"));
            say(&format!("An alert bot posts: {ALERT_TITLE}\n"));
            client.channel_created().await?;
            let suggestion = tokio::time::timeout(PATIENCE, posts.recv()).await;
            let suggestion = suggestion.ok().flatten().context("the bot stayed silent in the incident channel")?;
            say("The bot, by itself:\n");
            show(&suggestion);
        }
        if config.keep {
            say(&format!("Still running until Ctrl-C. Try: curl -s --get {service}/api/v1/search --data-urlencode 'q=etcd timeouts'"));
            super::stopped().await;
        }
        stop.cancel();
        running.await.context("the service panicked")?.context("the service failed")?;
        Ok(ExitCode::SUCCESS)
    })
}

fn say(text: &str) {
    anstream::println!("{text}");
}

fn heading(text: &str) {
    let bold = anstyle::Style::new()
        .bold()
        .fg_color(Some(anstyle::AnsiColor::Cyan.into()));
    anstream::println!("{bold}❯ {text}{bold:#}\n");
}

fn show(message: &Message) {
    anstream::println!("{}", preview::preview(message, WIDTH, Style::Ansi));
}

fn throw_away_secret() -> SecretString {
    SecretString::from(hex::encode(rand::random::<[u8; 16]>()))
}

/// What `serve` would be told, for loopback. Made by hand: the environment of whoever tries the demo must not change it.
fn serve_config(secret: &SecretString, slack: &str) -> anyhow::Result<ServeConfig> {
    let url = |path: &str| {
        format!("{slack}{path}")
            .parse()
            .context("the fake Slack has no address")
    };
    Ok(ServeConfig {
        http: HttpConfig {
            listen: ([127, 0, 0, 1], 0).into(),
            api: Some(true),
            api_rate: 0,
            client_header: None,
        },
        mcp: McpConfig {
            hosts: vec!["127.0.0.1".to_owned(), "localhost".to_owned()],
            origins: Vec::new(),
        },
        corpus: CorpusConfig {
            folders: Vec::new(),
        },
        slack: SlackConfig {
            signing_secret: secret.clone(),
            signing_secret_previous: None,
            bot_token: Some(SecretString::from("xoxb-demo")),
            slack_api_url: url("/api")?,
            response_url_prefix: url("/hooks/")?,
        },
        behaviour: BehaviourConfig {
            patterns: default_patterns(),
            allowed_channels: Vec::new(),
            lang: Lang::En,
        },
        store: StoreConfig {
            data_dir: None,
            database_url: None,
            retention_days: 1,
        },
        log: LogConfig {
            filter: "warn".to_owned(),
            json: false,
        },
    })
}

/// Sends what Slack would send.
struct Client {
    http: reqwest::Client,
    service: String,
    secret: SecretString,
}

/// A message as the service gives it.
#[derive(Deserialize)]
struct Given {
    text: String,
    #[serde(default)]
    blocks: Vec<SlackBlock>,
}

impl From<Given> for Message {
    fn from(Given { text, blocks }: Given) -> Self {
        Self { text, blocks }
    }
}

impl Client {
    async fn command(&self, text: &str) -> anyhow::Result<Message> {
        let body = serde_urlencoded::to_string([
            ("command", "/incident-like"),
            ("text", text),
            ("team_id", "T0DEMO"),
            ("channel_id", "C0DEMO"),
            ("channel_name", "general"),
            ("user_id", "U0DEMO"),
            ("response_url", "http://127.0.0.1/hooks/unused"),
        ])?;
        let response = self
            .post("/slack/commands", "application/x-www-form-urlencoded", body)
            .await?;
        let given: Given = response.json().await.context("the answer is no message")?;
        Ok(given.into())
    }

    async fn channel_created(&self) -> anyhow::Result<()> {
        let event = json!({
            "type": "event_callback",
            "event_id": "Ev0DEMO",
            "team_id": "T0DEMO",
            "api_app_id": "A0DEMO",
            "event": {
                "type": "channel_created",
                "channel": {"id": "C0INCIDENT", "name": CHANNEL, "created": 1, "creator": "U0DEMO"},
            },
        });
        self.post("/slack/events", "application/json", event.to_string())
            .await?;
        Ok(())
    }

    async fn post(
        &self,
        path: &str,
        kind: &str,
        body: String,
    ) -> anyhow::Result<reqwest::Response> {
        let now = now()?;
        let request = self
            .http
            .post(format!("{}{path}", self.service))
            .header("content-type", kind)
            .header("x-slack-request-timestamp", now.to_string())
            .header(
                "x-slack-signature",
                signature::sign(&self.secret, now, body.as_bytes()),
            );
        let response = request
            .body(body)
            .send()
            .await
            .context("the service does not answer")?;
        ensure!(
            response.status().is_success(),
            "the service answered {}",
            response.status()
        );
        Ok(response)
    }
}

/// Seconds since 1970, as Slack stamps its requests.
fn now() -> anyhow::Result<u64> {
    #[expect(
        clippy::disallowed_methods,
        reason = "signing a request needs the time; only the demo and tests sign"
    )]
    let now = SystemTime::now();
    Ok(now
        .duration_since(UNIX_EPOCH)
        .context("the clock stands before 1970")?
        .as_secs())
}

/// Answers the few methods that the service calls, and hands posted messages out.
fn fake_slack(posted: mpsc::UnboundedSender<Message>) -> Router {
    Router::new()
        .route("/api/{method}", any(method))
        .with_state(posted)
}

async fn method(
    State(posted): State<mpsc::UnboundedSender<Message>>,
    Path(method): Path<String>,
    body: String,
) -> Json<Value> {
    let answer = match method.as_str() {
        "auth.test" => {
            json!({"ok": true, "user_id": "U0BOT", "bot_id": "B0BOT", "team_id": "T0DEMO"})
        }
        "conversations.info" => json!({"ok": true, "channel": {
            "id": "C0INCIDENT", "name": CHANNEL, "is_channel": true, "is_private": false, "is_member": false,
            "is_archived": false, "is_shared": false, "is_ext_shared": false, "is_pending_ext_shared": false,
            "topic": {"value": TOPIC}, "purpose": {"value": ""},
        }}),
        "conversations.join" => json!({"ok": true, "channel": {"id": "C0INCIDENT"}}),
        // Alert bots leave `text` empty and put the alert into an attachment.
        "conversations.history" => json!({"ok": true, "messages": [{
            "type": "message", "subtype": "bot_message", "bot_id": "B0ALERT", "ts": "1.000001", "text": "",
            "attachments": [{"title": ALERT_TITLE, "text": "3 of 4 pods restarted in 10 minutes"}],
        }]}),
        "chat.postMessage" => match post(&body, &posted) {
            Ok(()) => json!({"ok": true, "channel": "C0INCIDENT", "ts": "2.000001"}),
            Err(_) => json!({"ok": false, "error": "invalid_blocks"}),
        },
        // The least set of scopes has no `users:read`.
        "users.info" => {
            json!({"ok": false, "error": "missing_scope", "needed": "users:read", "provided": "commands"})
        }
        _ => json!({"ok": false, "error": "unknown_method"}),
    };
    Json(answer)
}

fn post(body: &str, posted: &mpsc::UnboundedSender<Message>) -> anyhow::Result<()> {
    let given: Given = serde_json::from_str(body).context("it is no message")?;
    if posted.send(given.into()).is_err() {
        bail!("nobody waits for it");
    }
    Ok(())
}
