//! Kills the service at any point, over and over, while Slack delivers, redelivers and repeats: in the end each mention
//! has one answer, each incident channel one suggestion, each shared case stands there once, each verdict counts once,
//! each workflow step is completed once, and each form has its answer.
//!
//! The service is a process of its own: this very program, asked for [`a_service_to_be_killed`]. It runs by the production
//! path over the small corpus, so that it starts fast enough to be killed hundreds of times. When to kill comes from a
//! seed and from what the service does: half of the time at a call to Slack, half of the time at any time.
//!
//! `INCIDENT_LIKE_CRASH_KILLS` sets how often each set-up is killed, `INCIDENT_LIKE_CRASH_SEED` the seed.

use std::{
    collections::BTreeMap,
    future::pending,
    net::SocketAddr,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use incident_like::{
    app::{App, Tuning, install_crypto_provider},
    corpus::Lang,
    slack::{
        action::{Action, Button},
        form,
    },
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use tokio::{net::TcpListener, time::timeout};

use crate::{
    harness::{
        APP_TOKEN, Audience, Channel, FakeSlack, Fault, Posted, SIGNING_SECRET, TEAM, TestApp,
        answered, channel_created, envelope, library, mention, message, parse_url, serve_config,
        signed, unix_now,
    },
    store::{postgres, postgres_schema},
    workflow::executed,
};

const TELLING: &str =
    "etcdserver: request timed out, kubectl hangs, the Kubernetes API server times out";

/// What is said before that in every other channel, and is about something else.
const OTHER: &str = "NXDOMAIN in DNS";

/// How often each of the set-ups is killed, unless a variable says otherwise.
const KILLS: u32 = 20;

/// Where the service that is to be killed finds what to do.
const CHILD: &str = "INCIDENT_LIKE_CRASH_CHILD";

/// Longest time from the last kill until everything is answered.
const PATIENCE: Duration = Duration::from_mins(1);

#[expect(
    clippy::disallowed_methods,
    reason = "switches of a test, and how it speaks with its children"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The service, until it is killed. No test: it does nothing unless it is told what.
#[test]
fn a_service_to_be_killed() {
    let Some(told) = variable(CHILD) else { return };
    let told: Value = serde_json::from_str(&told).expect("what the parent wrote");
    let text = |key: &str| told[key].as_str().map(str::to_owned);
    let api = text("slack").expect("an address");
    let mut config = serve_config(
        parse_url(&format!("{api}/api")),
        parse_url(&format!("{api}/hooks/")),
    );
    config.http.listen = text("listen")
        .and_then(|listen| listen.parse().ok())
        .expect("an address");
    if told["socket"] == true {
        config.slack.signing_secret = None;
        config.slack.app_token = Some(APP_TOKEN.into());
    }
    config.store.data_dir = text("data_dir").map(Into::into);
    config.store.database_url = text("database_url").map(Into::into);
    let tuning = Tuning {
        lease: Duration::from_secs(2),
        // A killed process's request is answered at once by the fake or not at all.
        settle: Duration::from_millis(500),
        attempts: 1000,
        ..TestApp::default().tuning
    };
    install_crypto_provider();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let app = App::build(&config, &tuning, library())
            .await
            .expect("it can be built");
        let listener = TcpListener::bind(config.http.listen)
            .await
            .expect("the port is free");
        app.run_until(listener, pending()).await.expect("it runs");
    });
}

/// One replica, killed and started again.
pub(crate) struct Replica {
    told: Value,
    child: Mutex<Option<Child>>,
}

impl Replica {
    pub(crate) const fn new(told: Value) -> Self {
        let child = Mutex::new(None);
        Self { told, child }
    }

    pub(crate) fn start(&self) {
        let program = std::env::current_exe().expect("this program");
        let child = Command::new(program)
            .args(["--exact", "crash::a_service_to_be_killed", "--nocapture"])
            .env(CHILD, self.told.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        self.set(Some(child));
    }

    /// Kills it without any warning (`SIGKILL`).
    pub(crate) fn kill(&self) {
        self.set(None);
    }

    fn set(&self, child: Option<Child>) {
        let mut held = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut old) = held.take() {
            old.kill().expect("it still runs");
            old.wait().expect("it ends");
        }
        *held = child;
    }

    fn url(&self, path: &str) -> String {
        let listen = self.told["listen"].as_str().expect("an address");
        format!("http://{listen}{path}")
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Where the service keeps what must survive.
enum Engine {
    Sqlite,
    Postgres(String),
}

struct Scene {
    slack: FakeSlack,
    http: reqwest::Client,
    replicas: Vec<Replica>,
    events: AtomicU32,
}

fn rounds() -> (u32, u64) {
    let number = |name| variable(name).and_then(|value| value.parse::<u64>().ok());
    let kills = number("INCIDENT_LIKE_CRASH_KILLS").unwrap_or(KILLS.into());
    let seed = number("INCIDENT_LIKE_CRASH_SEED").unwrap_or(20_261_130);
    (u32::try_from(kills).expect("a small number"), seed)
}

fn check(engine: &Engine, replicas: usize) {
    install_crypto_provider();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(check_async(engine, replicas));
}

async fn check_async(engine: &Engine, replicas: usize) {
    let (kills, seed) = rounds();
    let mut rng = StdRng::seed_from_u64(seed ^ replicas as u64);
    let channels = (0..kills).map(|at| {
        let mut channel = Channel::public(incident(at), &format!("inc-{at}-api"));
        if at % 2 == 0 {
            TELLING.clone_into(&mut channel.topic);
        }
        channel
    });
    let ops = Channel::joined("C0OPS", "ops");
    let slack = FakeSlack::start(channels.chain([ops]).collect(), Vec::new()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let mut told = json!({"slack": slack.url("/").as_str().trim_end_matches('/')});
    match engine {
        Engine::Sqlite => told["data_dir"] = json!(folder.path()),
        Engine::Postgres(server) => {
            told["database_url"] = postgres_schema(server).await.into();
        }
    }
    let mut all = Vec::new();
    for _ in 0..replicas {
        told["listen"] = free_address().await.to_string().into();
        all.push(Replica::new(told.clone()));
    }
    let scene = Arc::new(Scene {
        slack,
        http: reqwest::Client::new(),
        replicas: all,
        events: AtomicU32::new(0),
    });
    scene.replicas.iter().for_each(Replica::start);
    let mut conversations = Vec::new();
    for at in 0..kills {
        let scene = Arc::clone(&scene);
        if at % 5 == 0 {
            let failed = Box::new(Fault::Status(502));
            scene.slack.fail("chat.postMessage", Fault::After(failed));
        }
        let seed = rng.random();
        conversations.push(tokio::spawn(converse(Arc::clone(&scene), at, seed)));
        let replica = &scene.replicas[rng.random_range(0..replicas)];
        // Now and then it does not even live to listen.
        if rng.random_ratio(7, 8) {
            scene.until_up(replica).await;
        }
        if rng.random() {
            // At some call to Slack, or when none comes.
            let calls = scene.slack.all_calls() + rng.random_range(1..6);
            let _ = timeout(Duration::from_millis(800), scene.slack.called_in_all(calls)).await;
        } else {
            pause(rng.random_range(20..500)).await;
        }
        replica.kill();
        replica.start();
    }
    for conversation in conversations {
        conversation.await.expect("no panic");
    }
    let answered = timeout(PATIENCE, scene.done()).await;
    let (private, posted): (Vec<Posted>, Vec<Posted>) = scene
        .slack
        .take_posted()
        .into_iter()
        .partition(|message| matches!(message.to, Audience::ResponseUrl { .. }));
    let wrong = miscounted(&posted, kills);
    let context = format!("seed {seed}, {replicas} replica(s)");
    assert!(wrong.is_empty(), "{context}: {wrong:#?}");
    assert!(answered.is_ok(), "{context}: jobs are left");
    answered_in_private(&private, kills, &context);
    // However often a change was made, what stands there is what was said last.
    let acts = scene.slack.take_acts();
    for at in 0..kills {
        let completed = acts.iter().filter(|act| {
            act.fields.get("function_execution_id") == Some(&json!(format!("Fx{at}")))
        });
        assert_eq!(completed.count(), 1, "{context}: step {at}");
    }
    let told = scene.verdicts().await;
    let all = format!("marked as helpful by {kills} here");
    assert!(told.contains(&all), "{context}: {told}");
    for at in 0..kills {
        let mut stands = String::new();
        scene.slack.change(incident(at), |channel| {
            let own = channel.messages.iter();
            let own =
                own.filter(|message| message["metadata"]["event_type"] == "precedent_suggestion");
            stands = own.map(|message| message["text"].to_string()).collect();
        });
        assert!(
            stands.contains("Slow disk stalls etcd"),
            "{context}: {stands}"
        );
    }
    scene.slack.check();
}

/// What happens while the service is killed once: two mentions, an incident channel that says enough at once or later, a
/// shared case, a verdict, a changed question, and a workflow's step.
async fn converse(scene: Arc<Scene>, at: u32, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    for ts in asked(at) {
        let mut question = mention("C0OPS", &ts, "etcd timeouts, kubectl hangs");
        // One person may not ask so often.
        question["user"] = format!("U0ASKER{at}").into();
        scene.deliver(&mut rng, question).await;
    }
    for pressed in [
        share(&scene.slack, at),
        helpful(&scene.slack, at),
        refine(&scene.slack, at),
    ] {
        scene.interact(&mut rng, &pressed).await;
    }
    let step = executed(&format!("Fx{at}"), &json!({"text": QUESTION}));
    scene.deliver(&mut rng, step).await;
    let created = channel_created(incident(at), &format!("inc-{at}-api"));
    scene.deliver(&mut rng, created).await;
    if at % 2 == 1 {
        // Its suggestion is changed, unless both were said before it came.
        for (ts, text) in [("1700000000.000100", OTHER), ("1700000000.000200", TELLING)] {
            let said = message(incident(at), ts, text);
            scene.deliver(&mut rng, said).await;
        }
    }
}

/// The incident channel of a round.
fn incident(at: u32) -> &'static str {
    format!("C{at}").leak()
}

/// The mentions of a round.
fn asked(at: u32) -> [String; 2] {
    [0, 1].map(|n| format!("17{at:08}.00000{n}"))
}

const QUESTION: &str = "etcd timeouts, kubectl hangs";

/// An address for answers that tells what it is for.
fn hook(slack: &FakeSlack, at: u32, what: &str) -> String {
    slack.url(&format!("/hooks/{at}/{what}")).to_string()
}

/// A press of a button under an answer that only one person sees.
fn press(slack: &FakeSlack, at: u32, what: &str, button: &Button) -> Value {
    json!({
        "type": "block_actions", "team": {"id": TEAM}, "enterprise": null, "trigger_id": format!("{at}.{what}"),
        "user": {"id": format!("U{at}"), "team_id": TEAM}, "channel": {"id": "C0OPS"},
        "container": {"type": "message", "message_ts": format!("17{at:08}.000900"), "channel_id": "C0OPS", "is_ephemeral": true},
        "response_url": hook(slack, at, what),
        "actions": [{"type": "button", "action_id": button.action_id(), "value": button.value()}],
    })
}

fn share(slack: &FakeSlack, at: u32) -> Value {
    let case = "IL-9001".parse().expect("an id");
    let button = Button {
        action: Action::Share { case },
        text: QUESTION.to_owned(),
        lang: Lang::En,
    };
    press(slack, at, "share", &button)
}

fn helpful(slack: &FakeSlack, at: u32) -> Value {
    let case = "IL-9001".parse().expect("an id");
    let library = library().load_full();
    let button = Button {
        action: Action::Helpful { case },
        text: library.about(&library.extract(QUESTION)),
        lang: Lang::En,
    };
    press(slack, at, "helpful", &button)
}

/// The form that changes a question, sent.
fn refine(slack: &FakeSlack, at: u32) -> Value {
    let carried =
        json!({"u": hook(slack, at, "refine"), "c": "C0OPS", "l": "en", "r": true, "k": []});
    json!({
        "type": "view_submission", "team": {"id": TEAM}, "enterprise": null, "trigger_id": format!("{at}.refine"),
        "user": {"id": format!("U{at}"), "team_id": TEAM},
        "view": {"id": "V1", "type": "modal", "hash": "h", "callback_id": form::REFINE,
            "private_metadata": carried.to_string(),
            "state": {"values": {"text": {"text": {"type": "plain_text_input", "value": QUESTION}}}}},
    })
}

/// Checks what only one person sees. It may come twice when nobody lived to tell that it came, which is better than not at
/// all; but it says the same, and a changed question is answered in the place of the old answer.
fn answered_in_private(posted: &[Posted], rounds: u32, context: &str) {
    for at in 0..rounds {
        let of = |what: &str| {
            let path = format!("{at}/{what}");
            let own = posted.iter().filter(move |message| message.path == path);
            own.collect::<Vec<&Posted>>()
        };
        for (what, words, replaces) in [
            ("helpful", "noted that it helped", false),
            ("refine", "Slow disk stalls etcd", true),
        ] {
            let answers = of(what);
            assert!(!answers.is_empty(), "{context}: {what} {at}");
            for answer in answers {
                assert!(answer.text.contains(words), "{context}: {answer:?}");
                assert_eq!(answer.replaces, replaces, "{context}: {answer:?}");
            }
        }
        // The case stands in the channel: that is all there is to say, and only where a kill came between its posting and the
        // end of the job.
        for told in of("share") {
            assert!(told.text.contains("shared already"), "{context}: {told:?}");
        }
    }
}

/// Returns what was not posted exactly once.
fn miscounted(posted: &[Posted], rounds: u32) -> BTreeMap<String, usize> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for at in 0..rounds {
        counts.insert(incident(at).to_owned(), 0);
        counts.extend(asked(at).map(|ts| (ts, 0)));
        counts.insert(shared(at), 0);
    }
    for message in posted {
        let about = message.metadata["event_payload"]["about"].as_str();
        let key = match (&message.to, &message.thread) {
            (Audience::Channel(channel), None) if channel == "C0OPS" => {
                about.unwrap_or_default().to_owned()
            }
            (_, Some(thread)) => thread.clone(),
            (Audience::Channel(channel), None) => channel.clone(),
            (other, None) => format!("{other:?}"),
        };
        *counts.entry(key).or_default() += 1;
    }
    counts.retain(|_, count| *count != 1);
    counts
}

/// What identifies the case that was shared in a round.
fn shared(at: u32) -> String {
    format!("share:{TEAM}/C0OPS/17{at:08}.000900/IL-9001")
}

impl Scene {
    /// Delivers an event.
    async fn deliver(&self, rng: &mut StdRng, event: Value) {
        let id = format!("Ev{}", self.events.fetch_add(1, Ordering::Relaxed));
        let body = envelope(&id, event).to_string();
        self.send(rng, "/slack/events", body).await;
    }

    /// Delivers an interaction.
    async fn interact(&self, rng: &mut StdRng, payload: &Value) {
        let body = crate::harness::form(&[("payload", &payload.to_string())]);
        self.send(rng, "/slack/interactions", body).await;
    }

    /// Asks what was said about the precedents of the question.
    async fn verdicts(&self) -> String {
        let body = crate::harness::form(&[
            ("command", "/incident-like"),
            ("text", QUESTION),
            ("team_id", TEAM),
            ("channel_id", "C0OPS"),
            ("user_id", "U0"),
        ]);
        let url = self.replicas[0].url("/slack/commands");
        let request = signed(&self.http, &url, body, SIGNING_SECRET, unix_now());
        answered(request).await.ephemeral()
    }

    /// Delivers as Slack does: until it is acknowledged, at whichever replica, and now and then once more.
    async fn send(&self, rng: &mut StdRng, path: &str, body: String) {
        let mut left = if rng.random_ratio(1, 4) { 2 } else { 1 };
        while left > 0 {
            let replica = &self.replicas[rng.random_range(0..self.replicas.len())];
            let url = replica.url(path);
            let request = signed(&self.http, &url, body.clone(), SIGNING_SECRET, unix_now());
            let sent = timeout(Duration::from_secs(3), request.send()).await;
            match sent {
                Ok(Ok(response)) if response.status().is_success() => left -= 1,
                _ => pause(rng.random_range(10..60)).await,
            }
        }
    }

    /// Waits until a replica takes requests.
    async fn until_up(&self, replica: &Replica) {
        let url = replica.url("/healthz");
        while self.http.get(&url).send().await.is_err() {
            pause(10).await;
        }
    }

    /// Waits until no replica knows of a job that is not done.
    async fn done(&self) {
        loop {
            let metrics = self.http.get(self.replicas[0].url("/metrics")).send().await;
            if let Ok(metrics) = metrics
                && let Ok(text) = metrics.text().await
                && ["waiting", "running"].iter().all(|state| {
                    text.contains(&format!("incident_like_jobs{{state=\"{state}\"}} 0\n"))
                })
            {
                assert!(
                    text.contains("incident_like_jobs{state=\"failed\"} 0\n"),
                    "{text}"
                );
                return;
            }
            pause(50).await;
        }
    }
}

pub(crate) async fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await;
    let address = listener.and_then(|listener| listener.local_addr());
    address.expect("a free port")
}

async fn pause(milliseconds: u64) {
    let _ = timeout(Duration::from_millis(milliseconds), pending::<()>()).await;
}

#[test]
fn sqlite_one_process() {
    check(&Engine::Sqlite, 1);
}

#[test]
fn sqlite_two_processes() {
    check(&Engine::Sqlite, 2);
}

#[test]
fn postgres_one_replica() {
    if let Some(server) = postgres() {
        check(&Engine::Postgres(server), 1);
    }
}

#[test]
fn postgres_two_replicas() {
    if let Some(server) = postgres() {
        check(&Engine::Postgres(server), 2);
    }
}
