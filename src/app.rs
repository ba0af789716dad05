//! The composition root: configuration and library in, a running service out.

use std::{future::Future, io, sync::Arc, time::Duration};

use anyhow::Context;
use arc_swap::ArcSwap;
use axum::Router;
use secrecy::ExposeSecret;
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};
use tracing::{error, info};
use url::Url;

use crate::{
    config::{ServeConfig, StoreConfig},
    library::Library,
    mcp,
    metrics::Metrics,
    slack::{
        client::{self, Client, Retry},
        signature::Verifier,
        socket::{self, Dialer, Patience},
    },
    store::{Pace, Retention, Store},
    web::{self, AppState, Clients, Turns},
    worker::{self, Worker, installations::Workspaces},
};

mod tenancy;

pub use tenancy::check_token_keys;

/// Times that nobody deploys differently; tests and the demo do.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// How long a command may take before its answer is sent later. Slack waits three seconds.
    pub deadline: Duration,
    /// How long to wait for more after something happened in an incident channel.
    pub debounce: Duration,
    /// Most jobs that wait or run; beyond it Slack is asked to come again.
    pub queue: usize,
    /// Longest time for one request to Slack.
    pub slack_timeout: Duration,
    /// When requests to Slack are tried again.
    pub retry: Retry,
    /// How long a job belongs to a process that no longer says that it is alive.
    pub lease: Duration,
    /// How often a failing job is tried.
    pub attempts: u32,
    /// Wait before the second try; doubles with each further one.
    pub backoff: Duration,
    /// How long a message may be on its way to Slack after its process has ended.
    pub settle: Duration,
    /// How fast messages may follow each other.
    pub pace: Pace,
    /// How long a connection to Slack is waited for, in Socket Mode.
    pub socket: Patience,
    /// How long the service may take to finish its work when it is stopped; half for requests, half for jobs.
    pub grace: Duration,
}

impl Tuning {
    /// What the service uses.
    pub const DEFAULT: Self = Self {
        deadline: Duration::from_secs(2),
        debounce: Duration::from_secs(4),
        queue: 100_000,
        slack_timeout: Duration::from_secs(10),
        retry: Retry::DEFAULT,
        lease: Duration::from_secs(20),
        attempts: 8,
        backoff: Duration::from_secs(5),
        // As long as a request may take.
        settle: Duration::from_secs(10),
        // Slack takes about one message a second in a channel, and some hundred a minute in a workspace.
        pace: Pace {
            channel: Duration::from_secs(1),
            workspace: Duration::from_millis(200),
        },
        socket: Patience::DEFAULT,
        grace: Duration::from_secs(20),
    };
}

/// The whole service, ready to run.
pub struct App {
    router: Router,
    worker: Worker,
    socket: Option<Socket>,
    grace: Duration,
}

/// What Socket Mode needs.
struct Socket {
    dialer: Dialer,
    receiver: AppState,
    patience: Patience,
}

/// Chooses the process's TLS implementation. Call it once, before anything else uses TLS; repeating does no harm.
pub fn install_crypto_provider() {
    // It only fails when one was chosen before.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

impl App {
    /// Puts the service together. `library` may be swapped while it runs.
    ///
    /// # Errors
    /// When the system's TLS set-up cannot be used, or the store cannot be opened.
    pub async fn build(
        config: &ServeConfig,
        tuning: &Tuning,
        library: Arc<ArcSwap<Library>>,
    ) -> anyhow::Result<Self> {
        let ServeConfig {
            slack, behaviour, ..
        } = config;
        let client = Client::new(client::Settings {
            api: slack.slack_api_url.clone(),
            response_url_prefix: slack.response_url_prefix.clone(),
            token: slack.bot_token.clone(),
            timeout: tuning.slack_timeout,
            retry: tuning.retry,
        })
        .context("cannot set up TLS for calls to Slack")?;
        // What is wrong with the configuration is said before anything is opened.
        let oauth = tenancy::oauth(config, tuning)?;
        let store = Arc::new(open(&config.store).await?);
        let (workspaces, installations) = match oauth {
            Some(oauth) => {
                let installations = tenancy::open(oauth, &store, client).await?;
                (
                    Workspaces::Many(Arc::clone(&installations)),
                    Some(installations),
                )
            }
            None => (Workspaces::One(Arc::new(client)), None),
        };
        let metrics = Arc::new(Metrics::default());
        let settings = worker::Settings {
            patterns: behaviour.patterns.clone(),
            allowed_channels: behaviour.allowed_channels.iter().cloned().collect(),
            lang: behaviour.lang,
            debounce: tuning.debounce,
            queue: tuning.queue,
            lease: tuning.lease,
            attempts: tuning.attempts,
            backoff: tuning.backoff,
            settle: tuning.settle,
            pace: tuning.pace,
            retention: Retention {
                records: Duration::from_hours(24 * u64::from(config.store.retention_days)),
            },
        };
        let worker = Worker::new(
            Arc::clone(&library),
            workspaces,
            store,
            Arc::clone(&metrics),
            settings,
        );
        let verifier = Verifier::new(
            slack.signing_secret.as_ref(),
            slack.signing_secret_previous.as_ref(),
        );
        let public = config.corpus.folders.is_empty();
        let clients = Clients::new(config.http.api_rate, config.http.client_header.clone());
        let turns = Turns::default();
        let mcp = mcp::http(
            mcp::Server::new(Arc::clone(&library)).in_turn(turns.browsing()),
            mcp::HttpRules {
                hosts: mcp_hosts(config),
                origins: config.mcp.origins.clone(),
            },
        );
        let state = AppState {
            library,
            verifier: Arc::new(verifier),
            worker: worker.clone(),
            installations,
            limit: Arc::default(),
            metrics,
            api: config.http.api.unwrap_or(public),
            public,
            clients: Arc::new(clients),
            documents: Arc::default(),
            turns,
            deadline: tuning.deadline,
        };
        let socket = slack.app_token.clone().map(|token| {
            let settings = socket::Settings {
                api: slack.slack_api_url.clone(),
                token,
                timeout: tuning.slack_timeout,
            };
            let dialer = Dialer::new(settings).context("cannot set up TLS for calls to Slack")?;
            anyhow::Ok(Socket {
                dialer,
                receiver: state.clone(),
                patience: tuning.socket,
            })
        });
        let mut router = web::router(state.clone());
        if state.api {
            // Agents see what the JSON API shows, under the same conditions.
            let mcp = Router::new().route_service("/mcp", mcp);
            router = router.merge(web::limited(mcp, state).layer(mcp::cors()));
        }
        Ok(Self {
            router,
            worker,
            socket: socket.transpose()?,
            grace: tuning.grace,
        })
    }

    /// Returns the worker, to wait for its jobs.
    pub const fn worker(&self) -> &Worker {
        &self.worker
    }

    /// Returns the routes, to ask the service without a network. What a request causes waits until [`App::run_until`].
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// Serves until `shutdown` is done, then finishes what was accepted.
    ///
    /// # Errors
    /// When the listener fails, or Slack refuses the app's token.
    pub async fn run_until(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let Self {
            router,
            worker,
            socket,
            grace,
        } = self;
        info!(address = %listener.local_addr()?, "listening");
        worker.start();
        match worker.has_only_token() {
            // Who the bot is has to be known before its own messages arrive; failing shows a wrong token early.
            Some(true) => drop(worker.submit(worker::Job::Introduce).await),
            Some(false) => {
                info!("no bot token: only the slash command and its buttons are answered");
            }
            None => info!("workspaces install the app at /slack/install"),
        }
        let stop = CancellationToken::new();
        let stopping = stop.clone().cancelled_owned();
        let mut socket = socket.map(|socket| {
            let Socket {
                dialer,
                receiver,
                patience,
            } = socket;
            let connected = socket::run(dialer, receiver, patience, stop.clone());
            AbortOnDropHandle::new(tokio::spawn(connected))
        });
        let mut failure = None;
        let mut server = std::pin::pin!(web::serve(listener, router, stopping));
        tokio::select! {
            // It only ends by itself when it fails.
            ended = &mut server => return ended,
            why = refused(&mut socket) => failure = Some(why),
            () = shutdown => {}
        }
        if let Some(why) = &failure {
            error!(%why, "stopping: nothing can come from Slack");
        } else {
            info!("stopping");
        }
        stop.cancel();
        // Slack redelivers what a cut connection leaves unanswered.
        let _ = tokio::time::timeout(grace / 2, async {
            let _ = server.await;
            if let Some(socket) = socket {
                let _ = socket.await;
            }
        })
        .await;
        worker.drain(grace / 2).await;
        failure.map_or(Ok(()), |why| Err(io::Error::other(why)))
    }
}

/// The connections to Slack, while they are kept.
type Connected = AbortOnDropHandle<Result<(), socket::Refused>>;

/// Waits until Slack refuses the app's token.
async fn refused(socket: &mut Option<Connected>) -> socket::Refused {
    if let Some(connected) = socket {
        let ended = connected.await;
        *socket = None;
        if let Ok(Err(why)) = ended {
            return why;
        }
    }
    std::future::pending().await
}

/// Names under which agents reach the service: those configured, and the one under which people do.
fn mcp_hosts(config: &ServeConfig) -> Vec<String> {
    let mut hosts = config.mcp.hosts();
    let own = config.http.public_url.as_ref().and_then(Url::host_str);
    // None means any.
    if let Some(own) = own.filter(|_| !hosts.is_empty()) {
        hosts.push(own.to_owned());
    }
    hosts
}

/// Opens the store that the configuration names.
async fn open(config: &StoreConfig) -> anyhow::Result<Store> {
    if let Some(url) = &config.database_url {
        let store = Store::in_postgres(url.expose_secret()).await;
        return store.context("cannot use the database");
    }
    if let Some(folder) = &config.data_dir {
        let store = Store::in_folder(folder).await;
        return store.with_context(|| format!("cannot keep data in `{}`", folder.display()));
    }
    info!("no data directory: what is not done when the service stops is forgotten");
    Ok(Store::in_memory().await?)
}
