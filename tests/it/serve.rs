//! The program itself: what `serve` says when it cannot start, and what it logs while it runs.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    process::{Command, Output, Stdio},
};

use incident_like::{
    app::install_crypto_provider,
    corpus::Lang,
    slack::action::{Action, Button},
};
use serde_json::{Value, json};

use crate::harness::{
    Answered, Channel, FakeSlack, Fault, SIGNING_SECRET, STEP_TOKEN, TOKEN, answered, envelope,
    form, mention, signed, unix_now,
};

fn serve(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_incident-like"))
        .arg("serve")
        .args(arguments)
        .env_clear()
        // Nothing to listen on: a test must not leave a service behind.
        .args(["--listen", "192.0.2.1:9"])
        .output()
        .expect("the program runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_broken_corpus_is_not_served_and_its_errors_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("cases")).expect("a folder");
    fs::write(
        folder.path().join("cases/IL-9999.toml"),
        "id = \"IL-9999\"\ncauses = [\"softwere\"]\n",
    )
    .expect("a file");
    let path = folder.path().to_str().expect("a UTF-8 path");
    let output = serve(&["--signing-secret", "s3cret", "--corpus", path]);
    let shown = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert!(shown.contains("IL-9999.toml:2:"), "{shown}");
    assert!(shown.contains("nothing is served"), "{shown}");
    assert!(!shown.contains("s3cret"), "{shown}");
}

#[test]
fn missing_settings_are_named() {
    let output = serve(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("--signing-secret"),
        "{}",
        stderr(&output)
    );
    let output = serve(&["--signing-secret", "s3cret", "--corpus", "/nonexistent"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("/nonexistent"),
        "{}",
        stderr(&output)
    );
}

/// Slack's permit to open a form.
const PERMIT: &str = "13345224609.738474920.8088930838d88f008e0";

/// Goes through everything that carries a question or a permit beside commands, mentions and shortcuts.
async fn surfaces(
    slack: &FakeSlack,
    send: &impl AsyncFn(String, &str) -> Answered,
    question: &str,
) {
    // The answer before this was tried again: it is there twice.
    slack.called("response_url", 3).await;
    slack.take_posted();
    let user = json!({"id": "U0ASKER"});
    let button = Button {
        action: Action::Edit,
        text: question.to_owned(),
        lang: Lang::En,
    };
    let click = json!({
        "type": "block_actions", "user": user, "channel": {"id": "C1"}, "trigger_id": PERMIT,
        "container": {"type": "message", "message_ts": "1.2", "is_ephemeral": true}, "response_url": slack.response_url(),
        "actions": [{"action_id": button.action_id(), "value": button.value()}],
    });
    let refused = json!({"ok": false, "error": "view_too_large"});
    slack.fail("views.open", Fault::Refused(refused));
    let interact = async |payload: &Value| {
        let body = form(&[("payload", &payload.to_string())]);
        send(body, SIGNING_SECRET).await
    };
    interact(&click).await.empty_ok();
    slack.next_posted().await;
    interact(&click).await.empty_ok();
    slack.called("views.open", 2).await;
    let view = slack.next_acts().await.remove(0).fields["view"].clone();
    let submission = json!({
        "type": "view_submission", "user": user,
        "view": {"id": "V1", "callback_id": view["callback_id"], "private_metadata": view["private_metadata"],
            "state": {"values": {"text": {"text": {"value": question}}}}},
    });
    interact(&submission).await.empty_ok();
    slack.next_posted().await;
    let step = json!({
        "type": "function_executed", "function": {"callback_id": "find_precedents"}, "inputs": {"text": question},
        "function_execution_id": "Fx1", "bot_access_token": STEP_TOKEN,
    });
    slack.fail("functions.completeSuccess", Fault::Garbled);
    let event = envelope("Ev10", step).to_string();
    send(event, SIGNING_SECRET).await.empty_ok();
    slack.next_acts().await;
    let direct = json!({
        "type": "message", "channel_type": "im", "channel": "D1", "user": "U0ASKER", "ts": "1700000000.000900", "text": question,
    });
    let event = envelope("Ev11", direct).to_string();
    send(event, SIGNING_SECRET).await.empty_ok();
    slack.called("chat.postMessage", 4).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_private_is_logged_even_at_the_finest_level() {
    const QUESTION: &str = "quetzalcoatl etcd timeouts, kubectl hangs";
    install_crypto_provider();
    let slack = FakeSlack::start(vec![Channel::joined("C1", "ops")], Vec::new()).await;
    let mut child = Command::new(env!("CARGO_BIN_EXE_incident-like"))
        .args(["serve", "--listen", "127.0.0.1:0", "--log", "trace"])
        .env_clear()
        .env("SLACK_SIGNING_SECRET", SIGNING_SECRET)
        .env("SLACK_BOT_TOKEN", TOKEN)
        .env("INCIDENT_LIKE_SLACK_API_URL", slack.url("/api").as_str())
        .env(
            "INCIDENT_LIKE_RESPONSE_URL_PREFIX",
            slack.url("/hooks/").as_str(),
        )
        .env("INCIDENT_LIKE_PUBLIC_URL", "https://incidents.example.com/")
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut lines = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut log = String::new();
    let address = loop {
        let start = log.len();
        assert_ne!(
            lines.read_line(&mut log).expect("a line"),
            0,
            "it stopped: {log}"
        );
        if let Some((_, address)) = log[start..].split_once("listening address=") {
            break address.trim().to_owned();
        }
    };
    // Reads on while the program writes, so that it never waits for us.
    let rest = std::thread::spawn(move || {
        let mut rest = String::new();
        lines.read_to_string(&mut rest).map(|_| rest)
    });

    let http = reqwest::Client::new();
    let send = async |body: String, secret: &str| {
        let url = format!("http://{address}/slack/events");
        answered(signed(&http, &url, body, secret, unix_now())).await
    };
    let response_url = slack.response_url();
    let command = form(&[
        ("command", "/incident-like"),
        ("text", QUESTION),
        ("user_id", "U0ASKER"),
        ("channel_id", "C1"),
        ("response_url", &response_url),
    ]);
    let answer = send(command.clone(), SIGNING_SECRET).await;
    answer.ephemeral();
    assert!(
        answer
            .body
            .contains("https://incidents.example.com/cases/IL-")
    );
    assert_eq!(send(command, "forged").await.status, 401);
    send(format!("payload={{{QUESTION}"), SIGNING_SECRET)
        .await
        .empty_ok();
    slack.fail("chat.postMessage", Fault::RateLimited { retry_after: "0" });
    let refusal = json!({"ok": false, "error": "invalid_blocks", "response_metadata": {"messages": ["[json-pointer:/blocks/0]"]}});
    slack.fail("chat.postMessage", Fault::Refused(refusal));
    let event = envelope("Ev1", mention("C1", "1700000000.000100", QUESTION));
    send(event.to_string(), SIGNING_SECRET).await.empty_ok();
    slack.next_posted().await;
    slack.fail("response_url", Fault::RateLimited { retry_after: "0" });
    slack.fail("response_url", Fault::Garbled);
    let payload = json!({
        "type": "message_action", "callback_id": "find_similar", "user": {"id": "U0ASKER"}, "channel": {"id": "C1"},
        "message": {"text": QUESTION}, "response_url": response_url,
    });
    send(form(&[("payload", &payload.to_string())]), SIGNING_SECRET)
        .await
        .empty_ok();
    slack.next_posted().await;
    surfaces(&slack, &send, QUESTION).await;
    child.kill().expect("it still runs");
    child.wait().expect("it ends");
    log.push_str(&rest.join().expect("no panic").expect("UTF-8"));
    slack.check();

    assert!(
        log.contains("trying again") && log.contains("wrong signature"),
        "{log}"
    );
    for private in [
        TOKEN,
        SIGNING_SECRET,
        "quetzalcoatl",
        "/hooks/",
        STEP_TOKEN,
        PERMIT,
        "v0=",
        "Slow disk",
    ] {
        let line = log.lines().find(|line| line.contains(private));
        assert_eq!(line, None, "`{private}` is in the log");
    }
}
