//! What Slack sends: signed commands and events, over connections that it keeps open.

use std::{
    collections::HashMap,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use incident_like::slack::signature;
use reqwest::StatusCode;
use secrecy::SecretString;
use serde_json::{Value, json};

use super::{
    fake_slack::{BOT, Slack, TEAM},
    figures::{Figures, at_rate},
    service::{ADDRESS, SECRET, Service},
};

/// Commands a second, and for how long.
const COMMANDS: u32 = 200;
const COMMAND_SECONDS: u32 = 60;

/// People who ask. Each asks less often than the service lets one person ask.
const ASKERS: usize = 2000;

/// Events a second, and for how long.
const EVENTS: u32 = 1000;
const EVENT_SECONDS: u32 = 30;

/// Channels of incidents, and messages in each of them that count.
const INCIDENTS: usize = 200;
const NOTED: usize = 20;

/// Longest wait for what is left to do.
const PATIENCE: Duration = Duration::from_mins(2);

/// Sends a signed body; returns the answer's status and length.
async fn post(
    http: &reqwest::Client,
    path: &str,
    kind: &'static str,
    body: String,
) -> Option<(StatusCode, usize)> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_secs();
    let signed = signature::sign(&SecretString::from(SECRET), now, body.as_bytes());
    let response = http
        .post(format!("http://{ADDRESS}{path}"))
        .header("content-type", kind)
        .header("x-slack-request-timestamp", now.to_string())
        .header("x-slack-signature", signed)
        .body(body)
        .send()
        .await
        .ok()?;
    let status = response.status();
    Some((status, response.bytes().await.ok()?.len()))
}

/// Slash commands of many people.
pub(crate) async fn commands(questions: &[String]) {
    let slack = Slack::start().await;
    let service = Service::start(&slack).await;
    let http = reqwest::Client::new();
    let figures = Figures::default();
    let count = (COMMANDS * COMMAND_SECONDS) as usize;
    println!("commands: {COMMANDS} a second for {COMMAND_SECONDS} s, of {ASKERS} people");
    at_rate(COMMANDS, count, |number, due| {
        let (http, figures) = (http.clone(), figures.clone());
        let text = questions[number * 7 % questions.len()].clone();
        async move {
            let body = serde_urlencoded::to_string([
                ("command", "/incident-like"),
                ("text", &text),
                ("team_id", TEAM),
                ("channel_id", "C0GENERAL"),
                ("channel_name", "general"),
                ("user_id", &format!("U0ASK{}", number % ASKERS)),
                (
                    "response_url",
                    "https://hooks.slack.com/commands/T0LOAD/1/x",
                ),
            ]);
            let kind = "application/x-www-form-urlencoded";
            let answer = post(&http, "/slack/commands", kind, body.expect("a form")).await;
            // Refusals are short, and so is saying that the answer follows.
            let good = answer.is_some_and(|(status, length)| status.is_success() && length > 600);
            figures.note(good.then(|| due.elapsed()));
        }
    })
    .await;
    figures.print("  signed command to whole answer");
    service.print_needs();
}

/// What the service is to make of the events that it accepted.
#[derive(Default)]
struct Expected {
    mentions: Vec<String>,
    homes: Vec<String>,
    noted: usize,
}

/// Events of a busy workspace with two hundred incidents at once.
pub(crate) async fn events(questions: &[String]) {
    let slack = Slack::start().await;
    let service = Service::start(&slack).await;
    let http = reqwest::Client::new();
    println!("events: {EVENTS} a second for {EVENT_SECONDS} s; {INCIDENTS} incidents begin first");
    let names = (0..INCIDENTS).map(|at| (format!("C0INC{at:04}"), format!("inc-{at:04}-checkout")));
    let names: HashMap<String, String> = names.collect();
    slack
        .seen
        .lock()
        .expect("no panic")
        .names
        .clone_from(&names);
    for (at, (id, name)) in names.iter().enumerate() {
        let event = json!({"type": "channel_created", "channel": {"id": id, "name": name}});
        let sent = post(
            &http,
            "/slack/events",
            "application/json",
            envelope(&format!("EvC{at}"), &event),
        )
        .await;
        assert_eq!(sent.map(|(status, _)| status), Some(StatusCode::OK));
    }
    let figures = Figures::default();
    let count = (EVENTS * EVENT_SECONDS) as usize;
    let mut expected = Expected::default();
    at_rate(EVENTS, count, |number, due| {
        let event = event(number, questions, &mut expected);
        let (http, figures) = (http.clone(), figures.clone());
        async move {
            let body = envelope(&format!("Ev{number}"), &event);
            let answer = post(&http, "/slack/events", "application/json", body).await;
            let accepted = answer.is_some_and(|(status, _)| status == StatusCode::OK);
            figures.note(accepted.then(|| due.elapsed()));
        }
    })
    .await;
    figures.print("  event to acknowledgement");
    let ended = Instant::now();
    let left = drained(&slack, &expected).await;
    let seen = slack.seen.lock().expect("no panic");
    let twice = seen.posts.values().filter(|posts| **posts > 1).count();
    let suggestions = seen
        .posts
        .keys()
        .filter(|about| names.contains_key(*about))
        .count();
    println!(
        "  drained in {:.0?} more: {} of {} mentions answered, {} of {} homes shown, {left} left; {suggestions} of {INCIDENTS} \
         channels got a suggestion, {twice} two; {} posts too fast for Slack; calls {:?}",
        seen.last
            .map(|last| last.saturating_duration_since(ended))
            .unwrap_or_default(),
        expected
            .mentions
            .iter()
            .filter(|ts| seen.posts.contains_key(*ts))
            .count(),
        expected.mentions.len(),
        expected
            .homes
            .iter()
            .filter(|user| seen.homes.contains_key(*user))
            .count(),
        expected.homes.len(),
        seen.refused,
        seen.calls,
    );
    drop(seen);
    service.print_needs();
    println!(
        "  recorded: {} of {} messages in incident channels and homes",
        recorded(&service),
        expected.noted + expected.homes.len()
    );
}

/// Makes an event: half are messages that nobody watches, the others have to be recorded.
fn event(number: usize, questions: &[String], expected: &mut Expected) -> Value {
    let text = &questions[number * 11 % questions.len()];
    let ts = format!("1700000000.{number:06}");
    let message = |channel: &str| {
        json!({"type": "message", "channel": channel, "channel_type": "channel", "user": "U0TALKER", "text": text,
            "ts": ts, "team": TEAM})
    };
    match number % 200 {
        0 => {
            expected.mentions.push(ts.clone());
            let channel = format!("C0TALK{:03}", number / 200 % 50);
            json!({"type": "app_mention", "channel": channel, "user": "U0TALKER", "text": format!("<@{BOT}> {text}"), "ts": ts,
                "team": TEAM})
        }
        part if part % 7 == 1 && expected.noted < INCIDENTS * NOTED => {
            expected.noted += 1;
            message(&format!("C0INC{:04}", expected.noted % INCIDENTS))
        }
        part if part % 3 == 2 => {
            let user = format!("U0HOME{number}");
            expected.homes.push(user.clone());
            json!({"type": "app_home_opened", "tab": "home", "user": user, "channel": "D0HOME"})
        }
        _ => message(&format!("C0TALK{:03}", number % 50)),
    }
}

fn envelope(id: &str, event: &Value) -> String {
    json!({
        "type": "event_callback", "team_id": TEAM, "event_id": id, "event_time": 1_700_000_000, "event": event,
        "authorizations": [{"team_id": TEAM, "user_id": BOT, "is_bot": true}], "is_ext_shared_channel": false,
    })
    .to_string()
}

/// Waits until everything that was asked for is done and nothing is posted any more; returns how much is not.
async fn drained(slack: &Slack, expected: &Expected) -> usize {
    let begun = Instant::now();
    loop {
        let (left, quiet) = {
            let seen = slack.seen.lock().expect("no panic");
            let mentions = expected
                .mentions
                .iter()
                .filter(|ts| !seen.posts.contains_key(*ts));
            let homes = expected
                .homes
                .iter()
                .filter(|user| !seen.homes.contains_key(*user));
            let quiet = seen
                .last
                .is_none_or(|last| last.elapsed() > Duration::from_secs(8));
            (mentions.count() + homes.count(), quiet)
        };
        if left == 0 && quiet || begun.elapsed() > PATIENCE {
            return left;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// Counts the events that the store has seen, but for mentions and new channels.
fn recorded(service: &Service) -> i64 {
    let file = service.data.path().join("incident-like.sqlite3");
    let database = rusqlite::Connection::open(file).expect("the service's database");
    let all: i64 = database
        .query_row(
            "SELECT count(*) FROM seen WHERE key LIKE 'event:Ev%'",
            [],
            |row| row.get(0),
        )
        .expect("a table");
    let others: i64 = database
        .query_row(
            "SELECT count(*) FROM seen WHERE key LIKE 'mention:%' OR key LIKE 'event:EvC%'",
            [],
            |row| row.get(0),
        )
        .expect("a table");
    all - others
}
