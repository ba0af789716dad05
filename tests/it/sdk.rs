//! The fake of Slack by itself, for Slack's own SDK clients to drive: what they take for Slack, the service may too.
//!
//! `tests/slack_sdk/run` starts it, tells it on standard input what is to go wrong, and reads on standard output what it
//! saw. Without that it does nothing.

use std::io;

use serde_json::{Value, json};

use crate::harness::{
    APP_TOKEN, CLIENT_ID, CLIENT_SECRET, Channel, Consent, FakeSlack, FakeSocket, Fault,
    PUBLIC_URL, STEP_TOKEN, TOKEN, unix_now,
};

fn is_driven() -> bool {
    std::env::var_os("INCIDENT_LIKE_SDK").is_some()
}

#[test]
fn a_slack_to_be_driven() {
    if is_driven() {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(drive());
    }
}

async fn drive() {
    let mut joined = Channel::joined("C0ONE", "one");
    joined.messages = (0..5)
        .map(|at| json!({"type": "message", "user": "U0PERSON", "text": format!("message {at}"), "ts": format!("1700000000.00000{at}")}))
        .collect();
    joined.messages.extend((5..8).map(|at| json!({
        "type": "message", "user": "U0PERSON", "text": "in the thread", "ts": format!("1700000000.00000{at}"), "thread_ts": "1700000000.000000",
    })));
    let mut archived = Channel::joined("C0OLD", "old");
    archived.archived = true;
    let others = ["C0TWO", "C0THREE", "C0FOUR", "C0FIVE"].map(|id| Channel::public(id, "other"));
    let channels = others.into_iter().chain([joined, archived]).collect();
    let slack = FakeSlack::start(channels, vec![("U0KOREAN", "ko-KR")]).await;
    slack.serve_guests();
    let consent = Consent {
        enterprise: None,
        team: Some("T0OTHER"),
        name: "Other",
        bot: "U0OTHERBOT",
        expires_in: Some(43_200),
    };
    slack.consent("a-code", consent);
    say(&json!({
        "api": slack.url("/api/").as_str(), "response_url": slack.response_url(),
        "expired_url": slack.url("/hooks/commands/T0TEAM/1/expired").as_str(),
        "redirect_uri": format!("{PUBLIC_URL}/slack/oauth_redirect"), "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET, "code": "a-code",
        "token": TOKEN, "app_token": APP_TOKEN, "step_token": STEP_TOKEN, "now": unix_now(),
    }));
    let mut sockets: Vec<FakeSocket> = Vec::new();
    while let Some(told) = listen().await {
        let answer = obey(&slack, &mut sockets, &told).await;
        say(&answer);
    }
    slack.take_posted();
    slack.take_acts();
    slack.check();
}

#[expect(clippy::print_stdout, reason = "how it speaks with whoever drives it")]
fn say(answer: &Value) {
    println!("{answer}");
}

/// Waits for what is told next; `None` at the end.
async fn listen() -> Option<Value> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().read_line(&mut line).map(|_| line)
    });
    let line = read.await.expect("no panic").expect("a text");
    serde_json::from_str(&line).ok()
}

/// Does what the one who drives says, and answers with what it saw.
async fn obey(slack: &FakeSlack, sockets: &mut Vec<FakeSocket>, told: &Value) -> Value {
    if let Some(method) = told["fail"].as_str() {
        slack.fail(method, fault(told));
        return json!({"fails": method});
    }
    if let Some(kind) = told["send"].as_str() {
        let socket = sockets.last_mut().expect("a connection");
        return json!({"acknowledged": socket.ask(kind, &told["payload"]).await});
    }
    match told["do"].as_str() {
        Some("connect") => {
            sockets.push(slack.next_socket().await);
            json!({"connections": sockets.len()})
        }
        Some("reconnect") => {
            // Slack says that it will close, and does so once the next connection is there or not.
            let old = sockets.pop().expect("a connection");
            old.announce("refresh_requested");
            old.close();
            sockets.push(slack.next_socket().await);
            json!({"connections": sockets.len()})
        }
        Some("seen") => {
            let posted = slack.take_posted().len();
            let acts = slack.take_acts().len();
            json!({"posted": posted, "acts": acts, "methods": slack.methods()})
        }
        other => panic!("told {other:?}"),
    }
}

fn fault(told: &Value) -> Fault {
    if told["rate_limited"] == true {
        return Fault::RateLimited { retry_after: "1" };
    }
    match (told["status"].as_u64(), &told["refused"]) {
        (Some(status), _) => Fault::Status(u16::try_from(status).expect("a status")),
        (None, Value::Null) => Fault::Garbled,
        (None, refused) => Fault::Refused(refused.clone()),
    }
}
