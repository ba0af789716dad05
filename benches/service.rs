//! How long the service takes to start and to answer a signed slash command at 200 requests a second, and how much memory
//! it needs.
//!
//! `cargo bench --bench service`. The release program itself is started and asked over loopback.

#![expect(
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark prints its figures"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark paces its requests and signs them with the time"
)]

use std::{
    fs,
    process::{Child, Command, Stdio},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use incident_like::slack::signature;
use secrecy::SecretString;

const SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";
const ADDRESS: &str = "127.0.0.1:18473";

/// Requests a second, and for how long.
const RATE: u32 = 200;
const SECONDS: u32 = 10;

const QUESTIONS: [&str; 4] = [
    "nodes fail the load balancer health check one by one",
    "배포한 뒤 etcd 타임아웃이 나고 파드가 안 떠요",
    "db connections exhausted, 503 from api, DNS is fine",
    "kafka consumer lag 쌓이고 알림이 늦게 와요",
];

/// Ends the service with the benchmark, also when it fails.
struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start() -> Service {
    let child = Command::new(env!("CARGO_BIN_EXE_incident-like"))
        .args([
            "serve",
            "--listen",
            ADDRESS,
            "--signing-secret",
            SECRET,
            "--log",
            "error",
        ])
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    Service(child)
}

async fn until_ready(http: &reqwest::Client) {
    loop {
        let ready = http.get(format!("http://{ADDRESS}/readyz")).send().await;
        if ready.is_ok_and(|response| response.status().is_success()) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Resident memory of a process in MiB, as Linux tells it.
fn resident(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1024)
}

async fn ask(http: reqwest::Client, text: &'static str, number: u32) -> Duration {
    let body = serde_urlencoded::to_string([
        ("command", "/incident-like"),
        ("text", text),
        ("team_id", "T1"),
        ("channel_id", "C1"),
        ("channel_name", "general"),
        // One person may not ask so often.
        ("user_id", &format!("U{number}")),
    ])
    .expect("a form");
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_secs();
    let signed = signature::sign(&SecretString::from(SECRET), now, body.as_bytes());
    let begun = Instant::now();
    let response = http
        .post(format!("http://{ADDRESS}/slack/commands"))
        .header("content-type", "application/x-www-form-urlencoded")
        .header("x-slack-request-timestamp", now.to_string())
        .header("x-slack-signature", signed)
        .body(body)
        .send()
        .await
        .expect("an answer");
    assert!(response.status().is_success(), "{}", response.status());
    let answer = response.bytes().await.expect("a body");
    assert!(answer.len() > 1000, "it is a real answer");
    begun.elapsed()
}

#[tokio::main]
async fn main() {
    incident_like::app::install_crypto_provider();
    let http = reqwest::Client::new();
    let mut starts = Vec::new();
    for _ in 0..5 {
        let begun = Instant::now();
        let service = start();
        until_ready(&http).await;
        starts.push(begun.elapsed());
        drop(service);
    }
    starts.sort();
    println!(
        "start to ready: median {:?}, slowest {:?} of {}",
        starts[2],
        starts[4],
        starts.len()
    );

    let service = start();
    until_ready(&http).await;
    println!(
        "resident memory when ready: {:?} MiB",
        resident(service.0.id())
    );
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / RATE);
    let mut asked = Vec::new();
    for number in 0..RATE * SECONDS {
        ticks.tick().await;
        asked.push(tokio::spawn(ask(
            http.clone(),
            QUESTIONS[number as usize % QUESTIONS.len()],
            number,
        )));
    }
    let mut times = Vec::new();
    for asked in asked {
        times.push(asked.await.expect("no panic"));
    }
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "signed command to answer at {RATE} requests/s: p50 {:?}, p99 {:?}, max {:?} of {}",
        at(0.5),
        at(0.99),
        at(1.0),
        times.len()
    );
    println!(
        "resident memory afterwards: {:?} MiB",
        resident(service.0.id())
    );
}
