//! Whether the bot is where it is wanted.

use reqwest::Client;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::{
    DoctorConfig, Finding,
    slack::{ask, text, url},
};
use crate::slack::{manifest::Feature, pattern};

const CHECK: &str = "channels";

/// Most pages of channels that are read: Slack allows about twenty such calls a minute.
const PAGES: usize = 10;

/// Channels a page; more is Slack's limit.
const PAGE: &str = "1000";

/// Most channels that are named.
const NAMED: usize = 5;

/// What the list of channels says.
#[derive(Default)]
struct Seen {
    channels: usize,
    member: usize,
    incident: usize,
    /// Names of incident channels without the bot.
    absent: Vec<String>,
    /// Names of incident channels that are shared with another organisation and not allowed.
    shared: Vec<String>,
    complete: bool,
}

pub(super) async fn check(
    http: &Client,
    config: &DoctorConfig,
    token: &SecretString,
    granted: &[String],
    features: &[Feature],
) -> Vec<Finding> {
    let has = |scope: &str| granted.iter().any(|own| own == scope);
    let kinds: Vec<&str> = [
        ("channels:read", "public_channel"),
        ("groups:read", "private_channel"),
    ]
    .into_iter()
    .filter_map(|(scope, kind)| has(scope).then_some(kind))
    .collect();
    if kinds.is_empty() {
        return Vec::new();
    }
    match list(http, config, token, &kinds.join(",")).await {
        Ok(seen) => findings(&seen, features),
        Err(why) => vec![Finding::note(
            CHECK,
            format!("cannot be listed: {why}"),
            "try again in a minute",
        )],
    }
}

async fn list(
    http: &Client,
    config: &DoctorConfig,
    token: &SecretString,
    kinds: &str,
) -> Result<Seen, String> {
    let mut seen = Seen::default();
    let mut cursor = String::new();
    for _ in 0..PAGES {
        let mut query = vec![
            ("types", kinds),
            ("exclude_archived", "true"),
            ("limit", PAGE),
        ];
        if !cursor.is_empty() {
            query.push(("cursor", &cursor));
        }
        let query = serde_urlencoded::to_string(&query).map_err(|error| error.to_string())?;
        let address = format!(
            "{}?{query}",
            url(&config.slack_api_url, "conversations.list")
        );
        let request = http.get(address).bearer_auth(token.expose_secret());
        let said = ask(request)
            .await
            .map_err(|_| "Slack does not answer".to_owned())?;
        if let Some(error) = said.error() {
            return Err(error.to_owned());
        }
        let channels = said.json.get("channels").and_then(Value::as_array);
        for channel in channels.into_iter().flatten() {
            seen.add(config, channel);
        }
        text(&said.json, "/response_metadata/next_cursor").clone_into(&mut cursor);
        if cursor.is_empty() {
            seen.complete = true;
            break;
        }
    }
    Ok(seen)
}

impl Seen {
    fn add(&mut self, config: &DoctorConfig, channel: &Value) {
        let flag = |key| channel.get(key) == Some(&Value::Bool(true));
        let name = text(channel, "/name");
        self.channels += 1;
        self.member += usize::from(flag("is_member"));
        if pattern::incident_words(&config.behaviour.patterns, name).is_none() {
            return;
        }
        self.incident += 1;
        let id = text(channel, "/id");
        let allowed = config
            .behaviour
            .allowed_channels
            .iter()
            .any(|allowed| allowed.0 == id);
        if (flag("is_ext_shared") || flag("is_pending_ext_shared")) && !allowed {
            self.shared.push(format!("#{name} ({id})"));
        } else if !flag("is_member") {
            self.absent.push(format!("#{name}"));
        }
    }
}

fn findings(seen: &Seen, features: &[Feature]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let of = if seen.complete {
        seen.channels.to_string()
    } else {
        format!("the first {}", seen.channels)
    };
    if features.contains(&Feature::Suggestions) {
        if seen.incident == 0 {
            findings.push(Finding::note(
                CHECK,
                format!("none of {of} channels is named like an incident channel"),
                "say how yours are named, such as --channels 'inc-*,outage-*'",
            ));
        }
        if !seen.absent.is_empty() {
            findings.push(Finding::note(
                CHECK,
                format!("the bot is not in {}", named(&seen.absent)),
                "it joins new public incident channels by itself; in these type `/invite @incident-like` if you want it there",
            ));
        }
    }
    if !seen.shared.is_empty() {
        findings.push(Finding::note(
            CHECK,
            format!(
                "shared with another organisation, so the bot stays silent: {}",
                named(&seen.shared)
            ),
            "if it may speak there, name the ids with --allow-shared-channels",
        ));
    }
    if seen.member == 0 && features.contains(&Feature::Mentions) {
        findings.push(Finding::note(
            CHECK,
            format!("the bot is in none of {of}"),
            "it hears mentions only in channels that it is in: type `/invite @incident-like` there",
        ));
    }
    if findings.is_empty() {
        let found = format!(
            "the bot is in {} of {of}; {} incident channels",
            seen.member, seen.incident
        );
        findings.push(Finding::ok(CHECK, found));
    }
    findings
}

fn named(names: &[String]) -> String {
    let shown = names
        .iter()
        .take(NAMED)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
