//! Logging: to standard error, as text or JSON.
//!
//! Never logged: tokens, signing secrets, addresses for later answers, and what people wrote; so of a panic only the
//! place, since its message may quote the text that caused it. Logged: ids of channels, cases and jobs, and outcomes. A
//! failure is logged once, where it is handled.

use std::{io::IsTerminal, panic};

use anyhow::Context;
use tracing::error;
use tracing_subscriber::EnvFilter;

use crate::config::LogConfig;

/// Libraries whose debug output may show addresses, headers or texts, and the most that they may say whatever the filter
/// says. `rmcp` quotes what clients send already in its warnings.
const CAPPED: [(&str, &str); 8] = [
    ("hyper", "info"),
    ("hyper_util", "info"),
    ("reqwest", "info"),
    ("rmcp", "error"),
    ("rustls", "info"),
    ("slack_morphism", "info"),
    ("tokio_tungstenite", "info"),
    ("tungstenite", "info"),
];

/// Starts logging for the process, of panics too.
///
/// # Errors
/// When the filter cannot be understood, or logging was started before.
pub fn init(config: &LogConfig) -> anyhow::Result<()> {
    let filter = filter(&config.filter)?;
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    let started = if config.json {
        subscriber.json().try_init()
    } else {
        subscriber.try_init()
    };
    started.map_err(|error| anyhow::anyhow!("cannot start logging: {error}"))?;
    log_only_places_of_panics();
    Ok(())
}

fn log_only_places_of_panics() {
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        error!(place = place.as_deref().unwrap_or("unknown"), "panicked");
    }));
}

fn filter(text: &str) -> anyhow::Result<EnvFilter> {
    let mut filter =
        EnvFilter::try_new(text).with_context(|| format!("`{text}` is no log filter"))?;
    for (library, most) in CAPPED {
        let directive = format!("{library}={most}")
            .parse()
            .expect("it is a directive");
        filter = filter.add_directive(directive);
    }
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// In a process of its own, since a hook is for all threads.
    #[test]
    fn a_panic_says_where_and_not_what() {
        let tests = std::env::current_exe().expect("it runs");
        let name = "telemetry::tests::panic_over_a_text";
        let run = Command::new(tests)
            .args([name, "--exact", "--ignored", "--nocapture"])
            .output()
            .expect("it runs");
        let (out, err) = (
            String::from_utf8_lossy(&run.stdout),
            String::from_utf8_lossy(&run.stderr),
        );
        assert!(run.status.success() && out.contains("1 passed"), "{out}");
        assert!(
            err.contains("panicked") && err.contains("telemetry.rs:"),
            "{err}"
        );
        assert!(!format!("{out}{err}").contains("payroll"), "{out}{err}");
    }

    #[test]
    #[ignore = "`a_panic_says_where_and_not_what` runs it"]
    fn panic_over_a_text() {
        init(&LogConfig {
            filter: "info".to_owned(),
            json: false,
        })
        .expect("nothing else logs");
        let text = String::from("급여 payroll");
        // The message of this one quotes the text.
        let cut = std::thread::spawn(move || text[1..].len()).join();
        assert!(cut.is_err());
    }

    #[test]
    fn filters_are_checked_and_capped() {
        let shown = filter("trace").expect("a level is a filter").to_string();
        assert!(shown.contains("hyper=info"), "{shown}");
        assert!(filter("=,=what").is_err());
    }
}
