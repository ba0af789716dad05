//! What somebody does with forms, with the global shortcut, and in the bot's home.

use anyhow::Context;
use serde_json::{Value, json};

use super::{
    play::{Play, Pressed},
    workspace::{DIRECT, View, you},
};
use crate::{corpus::Lang, slack::inbound::SEARCH_INCIDENTS};

impl Play {
    /// Uses the global shortcut.
    pub(super) async fn search(&self, lang: Lang) -> anyhow::Result<()> {
        let payload = json!({"type": "shortcut", "callback_id": SEARCH_INCIDENTS});
        self.sender.interaction(you(lang), payload).await.map(drop)
    }

    /// Opens the bot's home.
    pub(super) async fn open_home(&self, lang: Lang) -> anyhow::Result<()> {
        let event = json!({
            "type": "app_home_opened", "user": you(lang), "channel": DIRECT, "tab": "home",
            "event_ts": super::now().as_secs().to_string(),
        });
        self.sender.event(&event).await
    }

    /// Presses a button in a form, or in the home where `id` is empty.
    pub(super) async fn press_in_view(
        &self,
        id: &str,
        pressed: &Pressed,
        lang: Lang,
    ) -> anyhow::Result<()> {
        let view = match id {
            "" => self.workspace.home(you(lang)).context("not_found")?,
            id => self.open_form(id)?.wire(),
        };
        let payload = json!({
            "type": "block_actions", "container": {"type": "view", "view_id": view["id"]}, "view": view,
            "actions": [pressed.wire(&super::now().as_secs().to_string())],
        });
        self.sender.interaction(you(lang), payload).await.map(drop)
    }

    /// Asks what may be chosen in a menu; returns what the service answers.
    pub(super) async fn options(
        &self,
        id: &str,
        menu: &str,
        typed: &str,
        lang: Lang,
    ) -> anyhow::Result<Value> {
        let view = self.open_form(id)?;
        let payload = json!({
            "type": "block_suggestion", "action_id": menu, "block_id": menu, "value": typed,
            "container": {"type": "view", "view_id": view.id}, "view": view.wire(),
        });
        let answer = self.sender.interaction(you(lang), payload).await?;
        serde_json::from_str(&answer).context("the answer holds no options")
    }

    /// Sends a form. Returns what is wrong with what was entered, by block.
    pub(super) async fn submit(
        &self,
        id: &str,
        values: &Value,
        lang: Lang,
    ) -> anyhow::Result<Value> {
        let view = self.open_form(id)?;
        let mut wire = view.wire();
        wire["state"] = json!({"values": values});
        let payload = json!({"type": "view_submission", "view": wire, "response_urls": []});
        let answer = self.sender.interaction(you(lang), payload).await?;
        let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
        let next = || answer.get("view").cloned().context("there is no view");
        match answer.get("response_action").and_then(Value::as_str) {
            Some("errors") => return Ok(answer["errors"].clone()),
            Some("update") => {
                let updated = self.workspace.update_view(id, None, next()?);
                updated.map_err(anyhow::Error::msg)?;
            }
            Some("push") => {
                let pushed = self.workspace.open_view(next()?, true);
                pushed.map_err(anyhow::Error::msg)?;
            }
            action => self.workspace.close_view(id, action == Some("clear")),
        }
        Ok(Value::Null)
    }

    fn open_form(&self, id: &str) -> anyhow::Result<View> {
        self.workspace.view(id).context("not_found")
    }
}
