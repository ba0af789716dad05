//! What Slack says: whether it is there, what time it has, who the token is and what that may.

use std::{
    error::Error,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use reqwest::{Client, RequestBuilder, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use super::{DoctorConfig, Finding, TIMEOUT, channels, oauth};
use crate::{
    replay::clock,
    slack::manifest::{self, Feature},
};

/// Clocks that differ by more lose requests: the service takes none that is older than five minutes.
const SKEW_FAULT: Duration = Duration::from_mins(4);

/// Clocks that differ by more will soon.
const SKEW_NOTE: Duration = Duration::from_secs(30);

/// Largest response that is read, in bytes.
const RESPONSE_LIMIT_BYTES: usize = 8 * 1024 * 1024;

/// An answer of Slack's.
pub(super) struct Said {
    pub(super) json: Value,
    scopes: Option<Vec<String>>,
    /// What Slack's clock says.
    date: Option<Duration>,
}

impl Said {
    /// Returns Slack's word for what is wrong, if something is.
    pub(super) fn error(&self) -> Option<&str> {
        let ok = self.json.get("ok") == Some(&Value::Bool(true));
        (!ok).then(|| text(&self.json, "/error"))
    }
}

/// Why there is no answer of Slack's.
pub(super) struct Unreachable {
    pub(super) found: String,
    pub(super) advice: &'static str,
}

pub(super) async fn check(
    http: &Client,
    config: &DoctorConfig,
    features: &[Feature],
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let method = match config.bot_token {
        Some(_) => "auth.test",
        None => "api.test",
    };
    let request = post(
        http,
        &config.slack_api_url,
        method,
        config.bot_token.as_ref(),
    );
    let said = match ask(request).await {
        Ok(said) => said,
        Err(Unreachable { found, advice }) => {
            findings.push(Finding::fault("slack", found, advice));
            findings.extend(without_token(config));
            return findings;
        }
    };
    findings.push(Finding::ok(
        "slack",
        format!("answers at {}", host(&config.slack_api_url)),
    ));
    findings.extend(clock_finding(said.date));
    let Some(token) = &config.bot_token else {
        findings.extend(without_token(config));
        return findings;
    };
    let who = token_finding(token, &said);
    let is_bot = who.level == super::Level::Ok;
    findings.push(who);
    if !is_bot {
        return findings;
    }
    findings.extend(scope_findings(said.scopes.as_deref(), features));
    let granted = said.scopes.unwrap_or_default();
    findings.extend(channels::check(http, config, token, &granted, features).await);
    findings
}

fn host(url: &Url) -> &str {
    url.host_str().unwrap_or_default()
}

pub(super) fn url(api: &Url, method: &str) -> String {
    format!("{}/{method}", api.as_str().trim_end_matches('/'))
}

/// Makes a request of a method that takes nothing but a token.
pub(super) fn post(
    http: &Client,
    api: &Url,
    method: &str,
    token: Option<&SecretString>,
) -> RequestBuilder {
    let request = http
        .post(url(api, method))
        .header("content-type", "application/json; charset=utf-8")
        .body("{}");
    match token {
        Some(token) => request.bearer_auth(token.expose_secret()),
        None => request,
    }
}

/// Asks Slack something.
pub(super) async fn ask(request: RequestBuilder) -> Result<Said, Unreachable> {
    let mut response = request.send().await.map_err(|error| unreachable(&error))?;
    let status = response.status();
    let header = |name: &str| {
        let value = response.headers().get(name)?;
        value.to_str().ok().map(str::to_owned)
    };
    let scopes = header("x-oauth-scopes").map(|list| {
        let scopes = list.split(',').map(|scope| scope.trim().to_owned());
        scopes.filter(|scope| !scope.is_empty()).collect()
    });
    let date = header("date").and_then(|date| http_date(&date));
    let mut body = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| unreachable(&error))?
    {
        if body.len() + chunk.len() > RESPONSE_LIMIT_BYTES {
            break;
        }
        body.extend_from_slice(&chunk);
    }
    let json = match serde_json::from_slice(&body) {
        Ok(json) => json,
        Err(_) if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() => {
            return Err(Unreachable {
                found: format!("Slack answers with status {}", status.as_u16()),
                advice: "wait some minutes and try again; https://slack-status.com tells of outages",
            });
        }
        Err(_) => {
            return Err(Unreachable {
                found: format!(
                    "something else than Slack answers (status {}, no JSON)",
                    status.as_u16()
                ),
                advice: "a proxy or login page stands between: let this machine reach slack.com:443 directly, or set \
                         HTTPS_PROXY; check INCIDENT_LIKE_SLACK_API_URL",
            });
        }
    };
    Ok(Said { json, scopes, date })
}

/// Says why a request got no answer. The request itself is not told: it holds the token.
fn unreachable(error: &reqwest::Error) -> Unreachable {
    if error.is_timeout() {
        return Unreachable {
            found: format!("Slack does not answer within {} s", TIMEOUT.as_secs()),
            advice: "a firewall drops the connection: allow outgoing TCP to slack.com:443, or set HTTPS_PROXY",
        };
    }
    let mut causes = Vec::new();
    let mut cause: Option<&dyn Error> = error.source();
    while let Some(error) = cause {
        causes.push(error.to_string());
        cause = error.source();
    }
    let all = causes.join(": ").to_lowercase();
    let advice = if all.contains("dns") || all.contains("resolve") {
        "the name cannot be resolved: check this machine's DNS (`getent hosts slack.com`) and INCIDENT_LIKE_SLACK_API_URL"
    } else if all.contains("certificate") {
        "TLS fails: a proxy that opens connections stands between; let this machine reach slack.com:443 untouched"
    } else {
        "allow outgoing TCP to slack.com:443, or set HTTPS_PROXY; check INCIDENT_LIKE_SLACK_API_URL"
    };
    Unreachable {
        found: match causes.last() {
            Some(cause) => format!("cannot be reached: {cause}"),
            None => "cannot be reached".to_owned(),
        },
        advice,
    }
}

/// Says what there is not without a token, unless workspaces bring their own.
fn without_token(config: &DoctorConfig) -> Option<Finding> {
    if config.bot_token.is_some() || oauth::is_wanted(config) {
        return None;
    }
    Some(Finding::note(
        "token",
        "there is none: only the slash command and its buttons will work",
        "for mentions and suggestions give the Bot User OAuth Token (OAuth & Permissions) as SLACK_BOT_TOKEN",
    ))
}

fn token_finding(token: &SecretString, said: &Said) -> Finding {
    const CHECK: &str = "token";
    const RIGHT: &str = "use the Bot User OAuth Token, which begins with xoxb-: https://api.slack.com/apps → your app → \
                         OAuth & Permissions";
    let prefix = token.expose_secret().split('-').next().unwrap_or_default();
    let kind = match prefix {
        "xoxp" => Some("a user's token"),
        "xapp" => Some("an app-level token, which is for Socket Mode"),
        "xoxe.xoxb" | "xoxe" => Some("a token that expires or renews others"),
        _ => None,
    };
    if let Some(kind) = kind {
        return Finding::fault(CHECK, format!("it is {kind}"), RIGHT);
    }
    if let Some(error) = said.error() {
        let advice = match error {
            "invalid_auth" | "not_authed" => RIGHT,
            "token_revoked" | "account_inactive" => {
                "the app was removed or its token revoked: install it again (OAuth & Permissions → Install to Workspace) and \
                 give the new token"
            }
            "token_expired" => {
                "the app has token rotation on, which only installs at `/slack/install` renew: give SLACK_CLIENT_ID and what goes with it, \
                 or make an app without rotation (manifest: token_rotation_enabled: false)"
            }
            "org_login_required" | "team_access_not_granted" => {
                "an organisation's admin has to grant the app access to this workspace"
            }
            "ratelimited" => "wait a minute and try again",
            _ => "look the word up at https://docs.slack.dev/reference/methods/auth.test",
        };
        return Finding::fault(CHECK, format!("Slack refuses it: {error}"), advice);
    }
    let (user, team) = (text(&said.json, "/user"), text(&said.json, "/team"));
    if text(&said.json, "/bot_id").is_empty() {
        return Finding::fault(CHECK, format!("it is {user}'s own, not a bot's"), RIGHT);
    }
    Finding::ok(CHECK, format!("is {user}'s in {team}"))
}

fn scope_findings(granted: Option<&[String]>, features: &[Feature]) -> Vec<Finding> {
    const CHECK: &str = "scopes";
    let Some(granted) = granted else {
        let advice = "compare OAuth & Permissions with `incident-like manifest` yourself";
        return vec![Finding::note(
            CHECK,
            "Slack does not say which the token has",
            advice,
        )];
    };
    let needed = manifest::scopes(features);
    let has = |scope: &&str| granted.iter().any(|own| own == scope);
    let mut findings = Vec::new();
    let missing = needed.iter().copied().filter(|scope| !has(scope));
    let (optional, required): (Vec<&str>, Vec<&str>) =
        missing.partition(|scope| manifest::is_optional(scope));
    for (scopes, is_fault) in [(required, true), (optional, false)] {
        if scopes.is_empty() {
            continue;
        }
        let listed: Vec<String> = scopes
            .iter()
            .map(|scope| {
                let features = manifest::needed_by(scope, features);
                let features: Vec<&str> = features.into_iter().map(Feature::name).collect();
                format!("{scope} ({})", features.join(", "))
            })
            .collect();
        let found = format!("the token lacks {}", listed.join("; "));
        let advice = "add them at OAuth & Permissions → Bot Token Scopes, then Reinstall to Workspace: a token keeps the \
                      scopes that it was made with. Or name fewer --features";
        findings.push(if is_fault {
            Finding::fault(CHECK, found, advice)
        } else {
            Finding::note(CHECK, found, advice)
        });
    }
    let extra: Vec<&str> = granted
        .iter()
        .map(String::as_str)
        .filter(|scope| !needed.contains(scope))
        .collect();
    if !extra.is_empty() {
        findings.push(Finding::note(
            CHECK,
            format!("the token may do more than it needs: {}", extra.join(", ")),
            "take them away at OAuth & Permissions and reinstall, unless something else uses them",
        ));
    }
    if findings.is_empty() {
        findings.push(Finding::ok(
            CHECK,
            format!("all {} that it needs", needed.len()),
        ));
    }
    findings
}

fn clock_finding(theirs: Option<Duration>) -> Option<Finding> {
    const CHECK: &str = "clock";
    const ADVICE: &str = "set it by NTP (`timedatectl set-ntp true`): requests whose time is more than five minutes off are \
                          refused, so that nobody can repeat old ones";
    #[expect(
        clippy::disallowed_methods,
        reason = "this machine's clock is what is checked"
    )]
    let ours = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    let theirs = theirs?;
    let skew = ours.abs_diff(theirs);
    let direction = if ours > theirs { "ahead of" } else { "behind" };
    let found = format!("is {} s {direction} Slack's", skew.as_secs());
    Some(if skew >= SKEW_FAULT {
        Finding::fault(CHECK, found, ADVICE)
    } else if skew >= SKEW_NOTE {
        Finding::note(CHECK, found, ADVICE)
    } else {
        Finding::ok(CHECK, "agrees with Slack's")
    })
}

/// Reads the time in a `Date` header, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<Duration> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let mut parts = text.split_whitespace().skip(1);
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    let (minute, second) = parts.next()?.rsplit_once(':')?;
    let at = clock::day(&format!("{year}-{month}-{day}T{minute}"))?;
    Some(at + Duration::from_secs(second.parse().ok().filter(|second| *second <= 60)?))
}

pub(super) fn text<'v>(json: &'v Value, pointer: &str) -> &'v str {
    json.pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_servers_are_read() {
        let at = http_date("Tue, 14 Nov 2023 22:13:20 GMT");
        assert_eq!(at, Some(Duration::from_secs(1_700_000_000)));
        for wrong in [
            "",
            "Tue, 14 Nov",
            "Tue, 14 Nov 2023 22:13:99 GMT",
            "Tue, 41 Nov 2023 22:13:20 GMT",
        ] {
            assert_eq!(http_date(wrong), None, "{wrong}");
        }
    }
}
