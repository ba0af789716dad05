//! Socket Mode: whether the app-level token is one, whether Slack takes it, and whether the place to connect to is reached.

use reqwest::Client;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use super::{
    DoctorConfig, Finding,
    slack::{Unreachable, ask, post, text},
};

const CHECK: &str = "app token";

const RIGHT: &str = "make one at https://api.slack.com/apps → your app → Basic Information → App-Level Tokens, with the scope \
                     connections:write, and give it as SLACK_APP_TOKEN; it begins with xapp-";

pub(super) async fn check(
    http: &Client,
    config: &DoctorConfig,
    token: &SecretString,
) -> Vec<Finding> {
    if let Some(fault) = look(token.expose_secret()) {
        return vec![fault];
    }
    let method = "apps.connections.open";
    let said = match ask(post(http, &config.slack_api_url, method, Some(token))).await {
        Ok(said) => said,
        Err(Unreachable { found, advice }) => return vec![Finding::fault(CHECK, found, advice)],
    };
    if let Some(error) = said.error() {
        let advice = match error {
            "token_revoked" | "account_inactive" => {
                "it was revoked, or the app removed: make a new one at Basic Information → App-Level Tokens"
            }
            "missing_scope" | "no_permission" => {
                "it lacks the scope connections:write: make a new one that has it at Basic Information → App-Level Tokens"
            }
            "ratelimited" => "wait a minute and try again",
            "invalid_auth" | "not_authed" | "not_allowed_token_type" => RIGHT,
            _ => {
                "switch Socket Mode on (https://api.slack.com/apps → your app → Socket Mode), or look the word up at \
                 https://docs.slack.dev/reference/methods/apps.connections.open"
            }
        };
        return vec![Finding::fault(
            CHECK,
            format!("Slack refuses it: {error}"),
            advice,
        )];
    }
    vec![
        Finding::ok(CHECK, "Slack takes it"),
        reach(http, &said.json).await,
    ]
}

/// Says what is wrong with a token by its look.
fn look(token: &str) -> Option<Finding> {
    if token.trim() != token || token.contains(['"', '\'', '\n']) {
        return Some(Finding::fault(
            CHECK,
            "it has spaces or quotation marks around it",
            "leave them out: env files and secrets of Kubernetes take them for part of the value",
        ));
    }
    let found = match token.split('-').next().unwrap_or_default() {
        "xapp" => return None,
        "xoxb" => "it is a bot token, which belongs into SLACK_BOT_TOKEN",
        "xoxp" => "it is a user's token",
        _ => "it is no app-level token",
    };
    Some(Finding::fault(CHECK, found, RIGHT))
}

/// Asks the machine to which the service would connect for anything at all. The permit in the address is not used: a
/// connection that takes nothing would be sent its share of what happens.
async fn reach(http: &Client, said: &Value) -> Finding {
    const CHECK: &str = "socket";
    let address = text(said, "/url").replacen("ws", "http", 1);
    let Some(mut address) = Url::parse(&address).ok().filter(Url::has_host) else {
        let advice = "try again; https://slack-status.com tells of outages";
        return Finding::fault(CHECK, "Slack gives no address to connect to", advice);
    };
    address.set_path("/");
    address.set_query(None);
    let host = address.host_str().unwrap_or_default().to_owned();
    match http.get(address).send().await {
        Ok(_) => Finding::ok(CHECK, format!("{host} is reached")),
        Err(_) => Finding::fault(
            CHECK,
            format!("{host} cannot be reached"),
            "allow outgoing TCP to *.slack.com:443, not to slack.com alone, or set HTTPS_PROXY; the proxy has to let websockets \
             through",
        ),
    }
}
