//! `doctor`: looks at everything that must be right before the bot works, and says of each fault what to do about it.

use std::{io::Write, path::PathBuf, process::ExitCode, time::Duration};

use anyhow::Context;
use clap::Args;
use secrecy::SecretString;
use serde::Serialize;
use url::Url;

use super::out;
use crate::{
    config::{BehaviourConfig, CorpusConfig, chosen, feature, secret},
    slack::manifest::Feature,
};

mod channels;
mod local;
mod oauth;
mod service;
mod slack;
mod socket;

/// What `doctor` can be told: the same as `serve`, as far as it matters here.
#[derive(Args, Clone, Debug)]
pub struct DoctorConfig {
    /// Signing secret of the Slack app
    #[arg(long, value_name = "SECRET", env = "SLACK_SIGNING_SECRET", hide_env_values = true, value_parser = secret())]
    signing_secret: Option<SecretString>,
    /// Bot token (`xoxb-…`)
    #[arg(long, value_name = "TOKEN", env = "SLACK_BOT_TOKEN", hide_env_values = true, value_parser = secret())]
    bot_token: Option<SecretString>,
    /// Client id of the Slack app, if several workspaces install it
    #[arg(long, value_name = "ID", env = "SLACK_CLIENT_ID")]
    client_id: Option<String>,
    /// Client secret of the Slack app
    #[arg(long, value_name = "SECRET", env = "SLACK_CLIENT_SECRET", hide_env_values = true, value_parser = secret())]
    client_secret: Option<SecretString>,
    /// Keys that encrypt the installed workspaces' tokens
    #[arg(long = "token-key", value_name = "KEYS", env = "INCIDENT_LIKE_TOKEN_KEY", hide_env_values = true, value_delimiter = ',', value_parser = secret())]
    token_keys: Vec<SecretString>,
    /// Where people install the app, as `serve` is told
    #[arg(long, value_name = "URL", env = "INCIDENT_LIKE_PUBLIC_URL")]
    public_url: Option<Url>,
    /// App-level token (`xapp-…`), if the service connects to Slack by itself (Socket Mode)
    #[arg(long, value_name = "TOKEN", env = "SLACK_APP_TOKEN", hide_env_values = true, value_parser = secret())]
    app_token: Option<SecretString>,
    /// Slack's Web API
    #[arg(
        long,
        value_name = "URL",
        env = "INCIDENT_LIKE_SLACK_API_URL",
        default_value = "https://slack.com/api"
    )]
    slack_api_url: Url,
    /// Where Slack reaches the running service: it is asked whether it is there and has the same signing secret
    #[arg(long, value_name = "URL")]
    url: Option<Url>,
    /// Where the service keeps its data
    #[arg(long, value_name = "DIR", env = "INCIDENT_LIKE_DATA_DIR")]
    data_dir: Option<PathBuf>,
    /// What the bot shall do, with commas between (default: the usual ones); the token needs the permissions for that
    #[arg(long, value_name = "FEATURES", env = "INCIDENT_LIKE_FEATURES", value_delimiter = ',', value_parser = feature)]
    features: Vec<Feature>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    behaviour: BehaviourConfig,
    #[command(flatten)]
    corpus: CorpusConfig,
}

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Level {
    /// Fine.
    Ok,
    /// Worth knowing; the bot works.
    Note,
    /// Something does not work.
    Fault,
}

/// What a check found.
#[derive(Clone, Debug, Serialize)]
struct Finding {
    check: &'static str,
    level: Level,
    /// What is so.
    found: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

impl Finding {
    fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self {
            check,
            level: Level::Ok,
            found: found.into(),
            advice: None,
        }
    }

    fn note(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            check,
            level: Level::Note,
            found: found.into(),
            advice: Some(advice.into()),
        }
    }

    fn fault(check: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            level: Level::Fault,
            ..Self::note(check, found, advice)
        }
    }
}

/// Longest time for one request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Checks everything and prints it; the exit code is 1 if there is any fault.
pub(super) fn run(config: &DoctorConfig) -> anyhow::Result<ExitCode> {
    let features = chosen(&config.features);
    let mut findings = local::check(config, features);
    let runtime = tokio::runtime::Runtime::new().context("cannot start the runtime")?;
    runtime.block_on(async {
        let http = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .user_agent(concat!("incident-like/", env!("CARGO_PKG_VERSION")))
            .build()
            .context("cannot set up TLS")?;
        findings.extend(slack::check(&http, config, features).await);
        findings.extend(oauth::check(&http, config).await);
        if let Some(token) = &config.app_token {
            findings.extend(socket::check(&http, config, token).await);
        }
        if let Some(url) = &config.url {
            findings.extend(service::check(&http, url, config.signing_secret.as_ref()).await);
        }
        anyhow::Ok(())
    })?;
    let faults = findings
        .iter()
        .filter(|finding| finding.level == Level::Fault)
        .count();
    out::print(|out| {
        if config.json {
            let json =
                serde_json::json!({"ok": faults == 0, "faults": faults, "findings": findings});
            writeln!(out, "{json:#}")
        } else {
            print(out, &findings, faults)
        }
    })?;
    Ok(if faults == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn print(out: &mut dyn Write, findings: &[Finding], faults: usize) -> std::io::Result<()> {
    use anstyle::{AnsiColor, Style};
    for finding in findings {
        let (sign, color) = match finding.level {
            Level::Ok => ("✓", AnsiColor::Green),
            Level::Note => ("!", AnsiColor::Yellow),
            Level::Fault => ("✗", AnsiColor::Red),
        };
        let style = Style::new().bold().fg_color(Some(color.into()));
        writeln!(
            out,
            "{style}{sign}{style:#} {:<15} {}",
            finding.check, finding.found
        )?;
        if let Some(advice) = &finding.advice {
            writeln!(out, "  {:<15} → {advice}", "")?;
        }
    }
    match faults {
        0 => writeln!(out, "\nNothing stands in its way."),
        1 => writeln!(out, "\n1 fault"),
        many => writeln!(out, "\n{many} faults"),
    }
}
