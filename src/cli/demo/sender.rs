//! Sends what Slack would send: signed with the demo's secret, to the service's own addresses.

use std::{sync::Arc, time::Instant};

use anyhow::{Context, ensure};
use secrecy::SecretString;
use serde_json::{Value, json};

use super::workspace::{TEAM, Wire, Workspace};
use crate::slack::signature;

/// Sends requests as Slack does.
pub(super) struct Sender {
    http: reqwest::Client,
    service: String,
    /// Where the fake Slack takes later answers.
    slack: String,
    secret: SecretString,
    workspace: Arc<Workspace>,
}

/// Who does something, and where.
#[derive(Clone, Copy)]
pub(super) struct Who<'w> {
    pub(super) user: &'w str,
    pub(super) channel: &'w str,
    pub(super) name: &'w str,
}

impl Sender {
    pub(super) fn new(
        service: String,
        slack: String,
        secret: SecretString,
        workspace: Arc<Workspace>,
    ) -> Self {
        Self {
            http: reqwest::Client::new(),
            service,
            slack,
            secret,
            workspace,
        }
    }

    /// Types the slash command; returns the answer in the response, if there is one.
    pub(super) async fn command(&self, who: Who<'_>, text: &str) -> anyhow::Result<Option<Value>> {
        let body = serde_urlencoded::to_string([
            ("command", "/incident-like"),
            ("text", text),
            ("team_id", TEAM),
            ("channel_id", who.channel),
            ("channel_name", who.name),
            ("user_id", who.user),
            ("trigger_id", &trigger()),
            ("response_url", &self.response_url(who.channel, "0")),
        ])?;
        let form = "application/x-www-form-urlencoded";
        let answer = self
            .post("/slack/commands", form, body, "slash command")
            .await?;
        if answer.is_empty() {
            return Ok(None);
        }
        let answer = serde_json::from_str(&answer).context("the answer is no message")?;
        Ok(Some(answer))
    }

    /// Tells of something that happened.
    pub(super) async fn event(&self, event: &Value) -> anyhow::Result<()> {
        let what = format!("event {}", event["type"].as_str().unwrap_or_default());
        let body = json!({
            "type": "event_callback",
            "event_id": format!("Ev{:016x}", rand::random::<u64>()),
            "event_time": super::now().as_secs(),
            "team_id": TEAM,
            "api_app_id": "A0DEMO",
            "is_ext_shared_channel": false,
            "event": event,
        });
        self.post("/slack/events", "application/json", body.to_string(), &what)
            .await?;
        Ok(())
    }

    /// Sends what somebody did; `payload` lacks only what is the same for all. Returns the answer in the response.
    pub(super) async fn interaction(
        &self,
        user: &str,
        mut payload: Value,
    ) -> anyhow::Result<String> {
        payload["team"] = json!({"id": TEAM, "domain": "demo"});
        payload["user"] = json!({"id": user, "team_id": TEAM});
        payload["enterprise"] = Value::Null;
        payload["api_app_id"] = "A0DEMO".into();
        payload["trigger_id"] = trigger().into();
        let what = payload["type"].as_str().unwrap_or_default().to_owned();
        let body = serde_urlencoded::to_string([("payload", payload.to_string())])?;
        let form = "application/x-www-form-urlencoded";
        self.post("/slack/interactions", form, body, &what).await
    }

    /// Sends what somebody did with a message.
    pub(super) async fn with_message(
        &self,
        who: Who<'_>,
        message: &Value,
        mut payload: Value,
    ) -> anyhow::Result<()> {
        let ts = message["ts"].as_str().unwrap_or_default();
        payload["channel"] = json!({"id": who.channel, "name": who.name});
        payload["response_url"] = self.response_url(who.channel, ts).into();
        payload["message"] = message.clone();
        self.interaction(who.user, payload).await.map(drop)
    }

    fn response_url(&self, channel: &str, ts: &str) -> String {
        format!("{}/hooks/{channel}/{ts}", self.slack)
    }

    async fn post(
        &self,
        path: &str,
        kind: &str,
        body: String,
        what: &str,
    ) -> anyhow::Result<String> {
        let now = super::now().as_secs();
        let started = Instant::now();
        let request = self
            .http
            .post(format!("{}{path}", self.service))
            .header("content-type", kind)
            .header(signature::TIMESTAMP_HEADER, now)
            .header(
                signature::SIGNATURE_HEADER,
                signature::sign(&self.secret, now, body.as_bytes()),
            );
        let response = request
            .body(body)
            .send()
            .await
            .context("the service does not answer")?;
        let status = response.status();
        let text = response.text().await.context("the answer breaks off")?;
        self.workspace.note(Wire {
            to_service: true,
            what: format!("{what} → POST {path}"),
            status: status.as_u16(),
            millis: started.elapsed().as_secs_f32() * 1000.0,
        });
        ensure!(status.is_success(), "the service answered {status}");
        Ok(text)
    }
}

/// Makes what tells one interaction from every other.
fn trigger() -> String {
    format!("demo.{:08x}", rand::random::<u32>())
}
