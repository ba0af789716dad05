//! `demo`: the whole service on loopback with a throw-away secret, and a small Slack beside it. It types real signed
//! requests, plays an incident channel through, prints what people would see, and keeps a page open to go on by hand.

use std::{
    io::IsTerminal,
    process::ExitCode,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::Context;
use clap::Args;
use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::out;
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
    },
    telemetry,
};

mod fake;
mod forms;
mod page;
mod play;
mod sender;
mod workspace;

use play::Play;
use sender::Sender;
use workspace::Workspace;

/// What `demo` can be told.
#[derive(Args, Clone, Debug)]
pub struct DemoConfig {
    /// Questions of your own instead of the prepared ones
    #[arg(value_name = "TEXT")]
    texts: Vec<String>,
    /// Keep service and playground page open until Ctrl-C; on a terminal they are anyway
    #[arg(long, alias = "keep")]
    keep_open: bool,
    /// Port of the playground page on loopback (default: any that is free)
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 0,
        hide_default_value = true
    )]
    port: u16,
    #[command(flatten)]
    corpus: CorpusConfig,
}

/// What is asked when nothing else is given: one question in each language.
const QUESTIONS: [(&str, Lang); 2] = [
    (
        "nodes fail the load balancer health check one by one, DNS is fine",
        Lang::En,
    ),
    (
        "배포한 뒤 etcd 타임아웃이 나고 linkerd가 새 파드를 못 찾아요",
        Lang::Ko,
    ),
];

/// The incident channel that is played: its name, topic and first message, an alert without plain text.
const CHANNEL: &str = "장애-2026-1130-checkout";
const TOPIC: &str = "체크아웃 502, 파드 OOMKilled 반복";
const ALERT_TITLE: &str =
    "[FIRING] CoreDNS pods OOMKilled, DNS lookups time out (NXDOMAIN / SERVFAIL rate up)";
const ALERT_TEXT: &str = "3 of 4 pods restarted in 10 minutes";

/// Columns of the printed answers.
const WIDTH: usize = 92;

/// How long the demo waits for the suggestion before it says that something is wrong.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long the bot waits for more after something happened: less than in earnest, where people type slowly.
const DEBOUNCE: Duration = Duration::from_millis(600);

/// Runs the demo.
pub(super) fn run(config: &DemoConfig) -> anyhow::Result<ExitCode> {
    let Some(library) = super::load(&config.corpus)? else {
        return Ok(ExitCode::FAILURE);
    };
    let cases = library.corpus().cases().len();
    let runtime = tokio::runtime::Runtime::new().context("cannot start the runtime")?;
    runtime.block_on(async {
        let workspace = Arc::new(Workspace::new());
        let (slack, slack_address) = loopback(0).await?;
        tokio::spawn(axum::serve(slack, fake::router(Arc::clone(&workspace))).into_future());

        let secret = throw_away_secret();
        let (listener, service) = loopback(0).await?;
        let tuning = Tuning {
            debounce: DEBOUNCE,
            ..Tuning::DEFAULT
        };
        let serve = serve_config(&secret, &slack_address)?;
        telemetry::init(&serve.log)?;
        let app = App::build(&serve, &tuning, super::shared(library.at(&service))).await?;
        let stop = CancellationToken::new();
        let running = tokio::spawn(app.run_until(listener, stop.clone().cancelled_owned()));

        let sender = Sender::new(service.clone(), slack_address, secret, Arc::clone(&workspace));
        let play = Arc::new(Play::new(Arc::clone(&workspace), sender));
        out::line(&format!(
            "The service runs on {service} with {cases} cases; a small fake Slack stands beside it.\n"
        ))?;
        prepared(config, &play).await?;
        if config.keep_open || std::io::stdout().is_terminal() {
            let (listener, page) = loopback(config.port).await?;
            let pages = page::router(play, listener.local_addr()?);
            tokio::spawn(axum::serve(listener, pages).into_future());
            out::line(&format!(
                "Go on by hand: {page}\nBrowse the library: {service}\nTo call the service yourself: curl -s --get {service}/api/v1/search --data-urlencode \
                 'q=etcd timeouts'\nStop with Ctrl-C."
            ))?;
            super::stopped().await;
        }
        stop.cancel();
        running
            .await
            .context("the service panicked")?
            .context("the service failed")?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Types the questions and plays the incident channel.
async fn prepared(config: &DemoConfig, play: &Play) -> anyhow::Result<()> {
    let questions: Vec<(&str, Lang)> = match &config.texts[..] {
        [] => QUESTIONS.to_vec(),
        texts => texts.iter().map(|text| (text.as_str(), Lang::En)).collect(),
    };
    for (text, lang) in questions {
        heading(&format!("/incident-like {text}"))?;
        let answer = play
            .command(workspace::GENERAL, text, lang)
            .await?
            .context("the service gives no answer")?;
        show(&answer)?;
    }
    if config.texts.is_empty() {
        heading(&format!("A new channel #{CHANNEL} · {TOPIC}"))?;
        out::line(&format!("An alert bot posts: {ALERT_TITLE}\n"))?;
        let channel = play.create(CHANNEL, TOPIC, Lang::Ko).await?;
        play.alert(&channel, ALERT_TITLE, ALERT_TEXT).await?;
        let posted = tokio::time::timeout(PATIENCE, play.workspace().spoken_in(&channel)).await;
        let suggestion = posted
            .ok()
            .context("the bot stayed silent in the incident channel")??;
        out::line("The bot, by itself:\n")?;
        show(&suggestion)?;
    }
    Ok(())
}

/// Listens on loopback, where nobody else reaches it.
async fn loopback(port: u16) -> anyhow::Result<(TcpListener, String)> {
    let listener = TcpListener::bind(("127.0.0.1", port))
        .await
        .with_context(|| format!("cannot listen on loopback, port {port}"))?;
    let address = format!("http://{}", listener.local_addr()?);
    Ok((listener, address))
}

fn heading(text: &str) -> anyhow::Result<()> {
    let bold = anstyle::Style::new()
        .bold()
        .fg_color(Some(anstyle::AnsiColor::Cyan.into()));
    out::line(&format!("{bold}❯ {text}{bold:#}\n"))
}

fn show(message: &Message) -> anyhow::Result<()> {
    out::line(&preview::preview(message, WIDTH, Style::Ansi))
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
            public_url: None,
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
            signing_secret: Some(secret.clone()),
            app_token: None,
            signing_secret_previous: None,
            client_id: None,
            client_secret: None,
            token_keys: Vec::new(),
            features: Vec::new(),
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

/// Time since 1970, as Slack stamps messages and requests.
fn now() -> Duration {
    #[expect(
        clippy::disallowed_methods,
        reason = "the demo plays Slack, whose messages carry the time"
    )]
    let now = SystemTime::now();
    now.duration_since(UNIX_EPOCH).unwrap_or_default()
}
