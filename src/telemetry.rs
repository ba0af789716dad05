//! Logging: to standard error, as text or JSON.
//!
//! Never logged: tokens, signing secrets, addresses for later answers, and what people wrote. Logged: ids of channels,
//! cases and jobs, and outcomes. A failure is logged once, where it is handled.

use std::io::IsTerminal;

use anyhow::Context;
use tracing_subscriber::EnvFilter;

use crate::config::LogConfig;

/// Libraries whose debug output may show addresses or headers; they stay at `info` whatever the filter says.
const CAPPED: [&str; 5] = ["hyper", "hyper_util", "reqwest", "rustls", "slack_morphism"];

/// Starts logging for the process.
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
    started.map_err(|error| anyhow::anyhow!("cannot start logging: {error}"))
}

fn filter(text: &str) -> anyhow::Result<EnvFilter> {
    let mut filter =
        EnvFilter::try_new(text).with_context(|| format!("`{text}` is no log filter"))?;
    for library in CAPPED {
        let directive = format!("{library}=info")
            .parse()
            .expect("it is a directive");
        filter = filter.add_directive(directive);
    }
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_checked_and_capped() {
        let shown = filter("trace").expect("a level is a filter").to_string();
        assert!(shown.contains("hyper=info"), "{shown}");
        assert!(filter("=,=what").is_err());
    }
}
