//! Whether the running service is reached at its public address, and takes what is signed with this secret.

use std::time::{SystemTime, UNIX_EPOCH};

use reqwest::{Client, StatusCode};
use secrecy::SecretString;
use url::{Host, Url};

use super::Finding;
use crate::slack::signature;

const CHECK: &str = "public address";

pub(super) async fn check(http: &Client, url: &Url, secret: Option<&SecretString>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let base = url.as_str().trim_end_matches('/');
    if url.scheme() != "https" && !is_loopback(url) {
        findings.push(Finding::fault(
            CHECK,
            "it is not https",
            "put a proxy with a certificate before the service: Slack sends to https addresses only",
        ));
    }
    let alive = match http.get(format!("{base}/healthz")).send().await {
        Ok(response) => response.status(),
        Err(error) => {
            let found = if error.is_timeout() {
                "the service does not answer in time".to_owned()
            } else {
                format!("the service cannot be reached: {}", error.without_url())
            };
            let advice = "start `incident-like serve`, and let the proxy pass the address on to its --listen address";
            findings.push(Finding::fault(CHECK, found, advice));
            return findings;
        }
    };
    if !alive.is_success() && alive != StatusCode::NOT_FOUND {
        findings.push(Finding::fault(
            CHECK,
            format!("`/healthz` answers with status {}", alive.as_u16()),
            "look into the logs of the service and of the proxy before it",
        ));
    }
    if let Some(secret) = secret {
        findings.push(verify(http, base, secret).await);
    }
    findings
}

/// Does what Slack does when the address is entered, signed with our secret.
async fn verify(http: &Client, base: &str, secret: &SecretString) -> Finding {
    let challenge = hex::encode(rand::random::<[u8; 16]>());
    let body = serde_json::json!({"type": "url_verification", "challenge": challenge}).to_string();
    #[expect(
        clippy::disallowed_methods,
        reason = "signing a request needs the time"
    )]
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |now| now.as_secs());
    let request = http
        .post(format!("{base}/slack/events"))
        .header("content-type", "application/json")
        .header(signature::TIMESTAMP_HEADER, now)
        .header(
            signature::SIGNATURE_HEADER,
            signature::sign(secret, now, body.as_bytes()),
        )
        .body(body);
    let (status, text) = match request.send().await {
        Ok(response) => (response.status(), response.text().await.unwrap_or_default()),
        Err(error) => {
            return Finding::fault(
                CHECK,
                format!("`/slack/events` cannot be reached: {}", error.without_url()),
                "let the proxy pass POST /slack/events on to the service",
            );
        }
    };
    match status {
        StatusCode::OK if text.trim() == challenge => Finding::ok(
            CHECK,
            "the service answers there and has the same signing secret",
        ),
        StatusCode::UNAUTHORIZED => Finding::fault(
            CHECK,
            "the service refuses what is signed with this secret",
            "give the service the same SLACK_SIGNING_SECRET and restart it; if it has it, set both clocks, and let the proxy \
             leave body and headers untouched",
        ),
        status => Finding::fault(
            CHECK,
            format!("`/slack/events` answers with status {}", status.as_u16()),
            "let the proxy pass POST /slack/events on to the service, body and headers untouched, without a login before it",
        ),
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
