//! The release program as a process of its own.

use std::{
    fs,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

use super::fake_slack;

pub(crate) const SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";
pub(crate) const ADDRESS: &str = "127.0.0.1:18473";

/// The program to measure, where it is not the one that was built with the benchmark.
pub(crate) static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Returns the program to measure, to be started.
pub(crate) fn program() -> Command {
    let own = || env!("CARGO_BIN_EXE_incident-like").into();
    Command::new(PROGRAM.get_or_init(own))
}

/// Ends the service with the benchmark, also when it fails.
pub(crate) struct Service {
    child: Child,
    pub(crate) data: tempfile::TempDir,
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Service {
    /// Starts the service over `SQLite` in a folder of its own, and waits until it is ready.
    pub(crate) async fn start(slack: &fake_slack::Slack) -> Self {
        let data = tempfile::tempdir().expect("a folder");
        let child = program()
            .args(["serve", "--listen", ADDRESS, "--signing-secret", SECRET])
            .args(["--bot-token", "xoxb-load", "--slack-api-url", &slack.url()])
            .arg("--data-dir")
            .arg(data.path())
            // Everything comes from one address here.
            .args(["--api-rate", "0", "--log", "error"])
            .stdout(Stdio::null())
            .spawn()
            .expect("the program starts");
        let service = Self { child, data };
        until_ready().await;
        service
    }

    /// Prints resident memory, now and at its highest, and the processor time used so far.
    pub(crate) fn print_needs(&self) {
        let id = self.child.id();
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // Counted after the name, which may hold anything: user and system time, in hundredths of a second.
        let fields: Vec<u64> = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .map(|field| field.parse().unwrap_or_default())
            .collect();
        let ticks: u64 = fields.iter().skip(11).take(2).sum();
        println!(
            "  service: {} MiB resident, {} MiB at most, {:.1} s of processor time",
            memory(id, "VmRSS:"),
            memory(id, "VmHWM:"),
            ticks as f64 / 100.0
        );
    }
}

/// Memory of a process in MiB, as Linux tells it.
pub(crate) fn memory(process: u32, what: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(what));
    let kib = line.map(|line| line.trim().trim_end_matches(" kB").parse::<u64>());
    kib.and_then(Result::ok).unwrap_or_default() / 1024
}

async fn until_ready() {
    let http = reqwest::Client::new();
    loop {
        let ready = http.get(format!("http://{ADDRESS}/readyz")).send().await;
        if ready.is_ok_and(|response| response.status().is_success()) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Measures how long the service takes until it is ready, and what memory it needs then.
pub(crate) async fn starts() {
    let slack = fake_slack::Slack::start().await;
    let mut times = Vec::new();
    for _ in 0..9 {
        let begun = Instant::now();
        let service = Service::start(&slack).await;
        times.push(begun.elapsed());
        if times.len() == 9 {
            service.print_needs();
        }
    }
    times.sort_unstable();
    println!(
        "start to ready: median {:.0?}, slowest {:.0?} of {}",
        times[4],
        times[8],
        times.len()
    );
}
