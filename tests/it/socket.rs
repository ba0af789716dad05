//! Socket Mode: the service connects to Slack by itself, and all that Slack says comes over that connection.

use std::{
    io::Read,
    process::{Command, Stdio},
    time::Duration,
};

use incident_like::{
    app::{App, Tuning, install_crypto_provider},
    corpus::Lang,
    slack::{
        action::{Action, Button},
        socket::Patience,
    },
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, time::timeout};

use crate::crash::{Replica, free_address};
use crate::harness::{
    APP_TOKEN, Acknowledged, Audience, Channel, FakeSlack, FakeSocket, Fault, Running, TEAM, TOKEN,
    TestApp, answered, envelope, library, mention, run, serve_config,
};

const QUESTION: &str = "etcd timeouts, kubectl hangs";

fn setup() -> TestApp {
    TestApp {
        socket: true,
        ..TestApp::with_channel(Channel::joined("C1", "ops"))
    }
}

fn with(patience: impl FnOnce(&mut Patience)) -> TestApp {
    let mut setup = setup();
    patience(&mut setup.tuning.socket);
    setup
}

/// The slash command as Socket Mode brings it.
fn command(app: &Running, text: &str) -> Value {
    json!({
        "token": "deprecated", "team_id": TEAM, "team_domain": "example", "channel_id": "C0HERE",
        "channel_name": "general", "user_id": "U0ASKER", "user_name": "asker", "command": "/incident-like",
        "text": text, "api_app_id": "A0APP", "is_enterprise_install": "false",
        "response_url": app.slack.response_url(), "trigger_id": "13345224609.738474920.8088930838d88f008e0",
    })
}

fn question(n: u32) -> Value {
    envelope(
        &format!("Ev{n}"),
        mention("C1", &format!("1700000000.{n:06}"), QUESTION),
    )
}

fn plain(id: String) -> Acknowledged {
    let payload = Value::Null;
    Acknowledged { id, payload }
}

#[test]
fn a_command_is_answered_with_its_acknowledgement() {
    run(setup(), async |app| {
        let mut socket = app.slack.next_socket().await;
        let answer = socket.ask("slash_commands", &command(app, QUESTION)).await;
        assert_eq!(answer["response_type"], "ephemeral");
        assert!(
            answer["blocks"]
                .as_array()
                .is_some_and(|blocks| blocks.len() > 2)
        );
        let help = socket.ask("slash_commands", &command(app, "help")).await;
        assert!(help["text"].as_str().is_some_and(|text| !text.is_empty()));
        // Slack posts nothing to such an app, and whoever does is not heard.
        for path in ["/slack/events", "/slack/commands", "/slack/interactions"] {
            assert_eq!(app.post(path, "ssl_check=1").await.status, 404);
            assert_eq!(app.post(path, question(1).to_string()).await.status, 404);
        }
        let metrics = answered(app.http.get(format!("{}/metrics", app.address))).await;
        assert!(
            metrics
                .body
                .contains("incident_like_socket_connections 1\n")
        );
    });
}

#[test]
fn the_same_answer_comes_either_way() {
    let mut bodies = Vec::new();
    run(setup(), async |app| {
        let mut socket = app.slack.next_socket().await;
        bodies.push(socket.ask("slash_commands", &command(app, QUESTION)).await);
    });
    run(TestApp::default(), async |app| {
        let answer = app.slash(QUESTION).await;
        bodies.push(serde_json::from_str(&answer.body).expect("JSON"));
    });
    assert_eq!(bodies[0], bodies[1]);
}

#[test]
fn menus_and_forms_are_answered_with_their_acknowledgement() {
    run(setup(), async |app| {
        let mut socket = app.slack.next_socket().await;
        let edit = Button {
            action: Action::Edit,
            text: QUESTION.to_owned(),
            lang: Lang::En,
        };
        let user = json!({"id": "U0ASKER", "team_id": TEAM});
        let click = json!({
            "type": "block_actions", "user": user, "team": {"id": TEAM}, "channel": {"id": "C1"},
            "trigger_id": "13345224609.738474920.8088930838d88f008e0", "response_url": app.slack.response_url(),
            "container": {"type": "message", "message_ts": "1.2", "is_ephemeral": true},
            "actions": [{"action_id": edit.action_id(), "value": edit.value()}],
        });
        assert_eq!(socket.ask("interactive", &click).await, Value::Null);
        let form = app.act().await;
        let view = &form.fields["view"];
        let sent = json!({
            "type": "view_submission", "user": user, "team": {"id": TEAM},
            "view": {"id": "V1", "callback_id": view["callback_id"], "private_metadata": view["private_metadata"],
                "state": {"values": {}}},
        });
        // An empty form is shown what is wrong with it, in its place.
        let refused = socket.ask("interactive", &sent).await;
        assert_eq!(refused["response_action"], "errors");
        let menu = view["blocks"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|block| block["element"]["type"] == "multi_external_select")
            .expect("a menu");
        let typed = json!({
            "type": "block_suggestion", "user": user, "team": {"id": TEAM}, "value": "etc",
            "action_id": menu["element"]["action_id"], "block_id": menu["block_id"], "view": {"id": "V1", "type": "modal"},
        });
        let offered = socket.ask("interactive", &typed).await.to_string();
        assert!(offered.contains("etcd"), "{offered}");
    });
}

#[test]
fn a_command_that_may_not_be_answered_at_once_is_answered_at_its_address() {
    run(setup(), async |app| {
        let mut socket = app.slack.next_socket().await;
        socket.send_raw(json!({
            "envelope_id": "e-silent", "type": "slash_commands", "payload": command(app, QUESTION),
            "accepts_response_payload": false,
        }));
        assert_eq!(
            socket.acknowledged().await,
            Some(plain("e-silent".to_owned()))
        );
        let answer = app.message().await;
        assert_eq!(answer.to, Audience::ResponseUrl { in_channel: false });
        assert!(answer.text.contains("Slow disk stalls etcd"), "{answer:?}");
    });
}

#[test]
fn a_refused_token_ends_the_service_with_a_clear_word() {
    install_crypto_provider();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let slack = FakeSlack::start(Vec::new(), Vec::new()).await;
        for _ in 0..3 {
            let refused = json!({"ok": false, "error": "invalid_auth"});
            slack.fail("apps.connections.open", Fault::Refused(refused));
        }
        let mut config = serve_config(slack.url("/api"), slack.url("/hooks/"));
        config.slack.app_token = Some(APP_TOKEN.into());
        let tuning = TestApp::default().tuning;
        let app = App::build(&config, &tuning, library())
            .await
            .expect("it can be built");
        let listener = TcpListener::bind(config.http.listen)
            .await
            .expect("a free port");
        let served = timeout(
            Duration::from_secs(20),
            app.run_until(listener, std::future::pending()),
        );
        let why = served.await.expect("it ends").expect_err("it fails");
        let why = why.to_string();
        assert!(
            why.contains("refuses the app-level token: `invalid_auth`")
                && why.contains("SLACK_APP_TOKEN"),
            "{why}"
        );
        assert!(!why.contains(APP_TOKEN), "{why}");
        slack.check();
    });
}

#[test]
fn an_event_is_recorded_then_acknowledged_and_done_once() {
    run(setup(), async |app| {
        let mut socket = app.slack.next_socket().await;
        assert_eq!(socket.ask("events_api", &question(1)).await, Value::Null);
        let answer = app.message().await;
        assert_eq!(answer.to, Audience::Channel("C1".to_owned()));
        // Slack delivers again what it believes lost: the same event in another envelope, or in the same.
        assert_eq!(socket.ask("events_api", &question(1)).await, Value::Null);
        let again = json!({
            "envelope_id": "e-again", "type": "events_api", "payload": question(1),
            "accepts_response_payload": false, "retry_attempt": 1, "retry_reason": "timeout",
        });
        socket.send_raw(again.clone());
        assert_eq!(
            socket.acknowledged().await,
            Some(plain("e-again".to_owned()))
        );
        socket.send_raw(again);
        assert_eq!(
            socket.acknowledged().await,
            Some(plain("e-again".to_owned()))
        );
        app.silent().await;
    });
}

#[test]
fn what_is_not_understood_is_acknowledged_all_the_same() {
    run(setup(), async |app| {
        let mut socket = app.slack.next_socket().await;
        for payload in [
            Value::Null,
            json!([]),
            json!({}),
            json!({"type": "event_callback", "event": 7}),
        ] {
            for kind in ["events_api", "interactive", "slash_commands", "invented"] {
                assert_eq!(
                    socket.ask(kind, &payload).await,
                    Value::Null,
                    "{kind} {payload}"
                );
            }
        }
        for frame in [
            json!([]),
            json!({"type": "invented"}),
            json!({"type": "events_api"}),
        ] {
            socket.send_raw(frame);
        }
        let _ = socket.ask("slash_commands", &command(app, "help")).await;
        app.silent().await;
    });
}

#[test]
fn what_cannot_be_recorded_is_not_acknowledged() {
    let full = Tuning {
        queue: 0,
        ..setup().tuning
    };
    let setup = TestApp {
        tuning: full,
        ..setup()
    };
    let mut kept = None;
    let mut refused = String::new();
    run(setup, async |app| {
        let mut socket = app.slack.next_socket().await;
        refused = socket.send("events_api", &question(1));
        let answer = socket.ask("slash_commands", &command(app, "help")).await;
        assert_eq!(answer["response_type"], "ephemeral");
        kept = Some(socket);
    });
    // The service has stopped, and finished all that it had received.
    let left = kept.and_then(|mut socket| socket.left());
    assert_eq!(left, None, "{refused} was refused");
}

#[test]
fn the_next_connection_is_opened_before_the_old_one_is_closed() {
    run(setup(), async |app| {
        let mut old = app.slack.next_socket().await;
        for (n, reason) in [(1, "warning"), (3, "refresh_requested")] {
            old.announce(reason);
            let mut new = app.slack.next_socket().await;
            // Slack may use either.
            let one = old.send("events_api", &question(n));
            let two = new.send("events_api", &question(n + 1));
            assert_eq!(old.acknowledged().await, Some(plain(one)));
            assert_eq!(new.acknowledged().await, Some(plain(two)));
            assert_eq!(app.messages().await.len(), 2);
            old.close();
            assert_eq!(old.acknowledged().await, None);
            old = new;
        }
        let _ = old.ask("slash_commands", &command(app, "help")).await;
    });
}

#[test]
fn a_connection_that_slack_does_not_close_is_closed_after_a_while() {
    let setup = with(|patience| {
        patience.idle = Duration::from_millis(300);
        patience.linger = Duration::from_millis(100);
    });
    run(setup, async |app| {
        let mut old = app.slack.next_socket().await;
        old.announce("warning");
        let mut new = app.slack.next_socket().await;
        assert_eq!(old.acknowledged().await, None);
        let _ = new.ask("slash_commands", &command(app, "help")).await;
    });
}

#[test]
fn a_connection_over_which_nothing_comes_any_more_is_given_up() {
    let setup = with(|patience| patience.idle = Duration::from_millis(600));
    run(setup, async |app| {
        let first = app.slack.next_socket().await;
        first.fall_silent();
        first.send("events_api", &question(1));
        // What was lost comes again over the next one.
        let mut second = app.slack.next_socket().await;
        assert_eq!(second.ask("events_api", &question(1)).await, Value::Null);
        app.message().await;
        // A quiet one that still answers is left alone.
        let other = timeout(Duration::from_millis(1500), app.slack.next_socket()).await;
        assert!(other.is_err(), "another connection was opened");
        let _ = second.ask("slash_commands", &command(app, "help")).await;
    });
}

#[test]
fn a_connection_that_breaks_between_record_and_acknowledgement_loses_nothing() {
    run(setup(), async |app| {
        let mut socket: FakeSocket = app.slack.next_socket().await;
        for n in 1..6 {
            socket.send("events_api", &question(n));
            if n % 2 == 0 {
                socket.cut();
            } else {
                socket.close();
            }
            socket = app.slack.next_socket().await;
            assert_eq!(socket.ask("events_api", &question(n)).await, Value::Null);
            app.message().await;
        }
    });
}

#[test]
fn a_slack_that_cannot_be_reached_is_tried_again() {
    let setup = TestApp {
        faults: vec![
            ("apps.connections.open", Fault::Status(503)),
            ("apps.connections.open", Fault::Garbled),
            (
                "apps.connections.open",
                Fault::RateLimited { retry_after: "0" },
            ),
            (
                "apps.connections.open",
                Fault::Refused(json!({"ok": false, "error": "invalid_auth"})),
            ),
            (
                "apps.connections.open",
                Fault::Refused(json!({"ok": true, "url": "http://127.0.0.1:9/"})),
            ),
            (
                "apps.connections.open",
                Fault::Refused(json!({"ok": true, "url": "ws://127.0.0.1:1/link/?ticket=none"})),
            ),
        ],
        ..setup()
    };
    run(setup, async |app| {
        let mut socket = app.slack.next_socket().await;
        assert_eq!(app.slack.calls("apps.connections.open"), 7);
        let _ = socket.ask("slash_commands", &command(app, "help")).await;
    });
}

#[test]
fn stopping_answers_what_was_received_and_hangs_up() {
    let mut kept = None;
    let mut asked = String::new();
    run(setup(), async |app| {
        let mut socket = app.slack.next_socket().await;
        let release = app.hold_lookups();
        asked = socket.send("slash_commands", &command(app, QUESTION));
        // It was read when an event that came after it is acknowledged.
        let later = socket.send("events_api", &json!({}));
        assert_eq!(socket.acknowledged().await, Some(plain(later)));
        kept = Some(socket);
        drop(release);
    });
    let mut socket = kept.expect("a connection");
    let answer = socket.left().expect("an answer");
    assert_eq!(answer.id, asked);
    assert_eq!(answer.payload["response_type"], "ephemeral");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_survives_the_process_and_what_was_not_comes_again() {
    let slack = FakeSlack::start(vec![Channel::joined("C1", "ops")], Vec::new()).await;
    let folder = tempfile::tempdir().expect("a folder");
    let replica = Replica::new(json!({
        "slack": slack.url("/").as_str().trim_end_matches('/'), "listen": free_address().await.to_string(),
        "data_dir": folder.path(), "socket": true,
    }));
    replica.start();
    let mut socket = slack.next_socket().await;
    // It is killed while its answer is on its way, long after it acknowledged the question.
    slack.fail("chat.postMessage", Fault::Hangs { done: false });
    assert_eq!(socket.ask("events_api", &question(1)).await, Value::Null);
    slack.called("chat.postMessage", 1).await;
    replica.kill();
    assert_eq!(socket.acknowledged().await, None);
    for n in 2..8 {
        // Then it is killed at once, whether it has recorded or not, or as soon as it has said so.
        replica.start();
        socket = slack.next_socket().await;
        socket.send("events_api", &question(n));
        if n % 2 == 0 {
            socket.acknowledged().await.expect("an acknowledgement");
        }
        replica.kill();
    }
    replica.start();
    socket = slack.next_socket().await;
    for n in 1..8 {
        assert_eq!(socket.ask("events_api", &question(n)).await, Value::Null);
    }
    let mut answers = Vec::new();
    while answers.len() < 7 {
        answers.extend(slack.next_posted().await);
    }
    assert_eq!(answers.len(), 7, "{answers:#?}");
    let mut asked: Vec<_> = answers.iter().map(|answer| &answer.thread).collect();
    asked.sort();
    asked.dedup();
    assert_eq!(asked.len(), 7, "{answers:#?}");
    // All is recorded, so nothing is left to come when the last of them is told to be seen.
    assert_eq!(socket.ask("events_api", &question(7)).await, Value::Null);
    replica.kill();
    assert!(slack.take_posted().is_empty());
    slack.check();
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_private_is_logged_even_at_the_finest_level() {
    install_crypto_provider();
    let slack = FakeSlack::start(vec![Channel::joined("C1", "ops")], Vec::new()).await;
    let mut child = Command::new(env!("CARGO_BIN_EXE_incident-like"))
        .args(["serve", "--listen", "127.0.0.1:0", "--log", "trace"])
        .env_clear()
        .env("SLACK_APP_TOKEN", APP_TOKEN)
        .env("SLACK_BOT_TOKEN", TOKEN)
        .env("INCIDENT_LIKE_SLACK_API_URL", slack.url("/api").as_str())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut stderr = child.stderr.take().expect("it is piped");
    // Reads on while the program writes, so that it never waits for us.
    let log = std::thread::spawn(move || {
        let mut log = String::new();
        stderr.read_to_string(&mut log).map(|_| log)
    });
    slack.fail(
        "apps.connections.open",
        Fault::Refused(json!({"ok": true, "url": "ws://127.0.0.1:1/link/?ticket=ticket-0"})),
    );
    let question = "quetzalcoatl etcd timeouts, kubectl hangs";
    let mut socket = slack.next_socket().await;
    for round in 0..2 {
        let command = json!({"command": "/incident-like", "text": question, "user_id": "U0ASKER", "channel_id": "C1",
            "response_url": slack.response_url()});
        let answer = socket.ask("slash_commands", &command).await;
        assert_eq!(answer["response_type"], "ephemeral");
        let event = mention("C1", &format!("1700000000.00000{round}"), question);
        let event = envelope(&format!("Ev{round}"), event);
        assert_eq!(socket.ask("events_api", &event).await, Value::Null);
        slack.next_posted().await;
        if round == 0 {
            // A reason in words that are not of Slack, and then the line breaks.
            socket.send_raw(json!({"type": "disconnect", "reason": question}));
            socket.cut();
            socket = slack.next_socket().await;
        }
    }
    child.kill().expect("it still runs");
    child.wait().expect("it ends");
    let log = log.join().expect("no panic").expect("UTF-8");
    slack.check();
    assert!(
        log.contains("connected to Slack") && log.contains("cannot connect"),
        "{log}"
    );
    for private in [
        TOKEN,
        APP_TOKEN,
        "quetzalcoatl",
        "/hooks/",
        "ticket",
        "envelope_id",
    ] {
        let line = log.lines().find(|line| line.contains(private));
        assert_eq!(line, None, "`{private}` is in the log");
    }
}
