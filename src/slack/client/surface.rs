//! Calls for what is no message: views, previews of links, workflow steps, prompts.

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value, json};
use slack_morphism::prelude::{SlackApiToken, SlackView};

use super::{Client, DeliverError, Reply, ResponseType, rich_or_plain, text};
use crate::slack::{
    ChannelId, Message, Ts, UserId,
    inbound::{Trigger, ViewRef},
    response_url::ResponseUrl,
};

impl Client {
    /// Asks for an address to connect to, with the app's own token. It works once, and is a secret.
    ///
    /// # Errors
    /// As Slack says.
    pub(in crate::slack) async fn socket_address(&self) -> Result<String, DeliverError> {
        let json = self.post("apps.connections.open", &json!({}), true).await?;
        Ok(text(&json, "/url").to_owned())
    }

    /// Opens a view at somebody's.
    ///
    /// # Errors
    /// As Slack says; see [`DeliverError::is_late`].
    pub async fn open_view(
        &self,
        trigger: &Trigger,
        view: &SlackView,
    ) -> Result<ViewRef, DeliverError> {
        let request = json!({"trigger_id": trigger.0, "view": view});
        // A permit works once; a second try cannot do harm, it is refused.
        Ok(view_of(&self.post("views.open", &request, true).await?))
    }

    /// Puts a view on top of the one that somebody has open.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn push_view(
        &self,
        trigger: &Trigger,
        view: &SlackView,
    ) -> Result<ViewRef, DeliverError> {
        let request = json!({"trigger_id": trigger.0, "view": view});
        Ok(view_of(&self.post("views.push", &request, true).await?))
    }

    /// Shows another view in place of one; nothing happens when somebody closed or changed it meanwhile.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn update_view(&self, at: &ViewRef, view: &SlackView) -> Result<(), DeliverError> {
        let mut request = json!({"view_id": at.id, "view": view});
        if let Some(hash) = &at.hash {
            request["hash"] = Value::from(hash.as_str());
        }
        match self.post("views.update", &request, true).await {
            Err(DeliverError::Other(code)) if code == "hash_conflict" || code == "not_found" => {
                Ok(())
            }
            other => other.map(drop),
        }
    }

    /// Shows somebody's home.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn publish_home(&self, user: &UserId, view: &SlackView) -> Result<(), DeliverError> {
        let request = json!({"user_id": user, "view": view});
        self.post("views.publish", &request, true).await.map(drop)
    }

    /// Shows previews under the links of a message.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn unfurl(
        &self,
        channel: &ChannelId,
        message: &Ts,
        previews: &[(String, Message)],
    ) -> Result<(), DeliverError> {
        let previews: Map<String, Value> = previews
            .iter()
            .map(|(url, preview)| (url.clone(), json!({"blocks": preview.blocks})))
            .collect();
        let request = json!({"channel": channel, "ts": message, "unfurls": previews});
        self.post("chat.unfurl", &request, true).await.map(drop)
    }

    /// Offers questions to begin a conversation with.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn suggest_prompts(
        &self,
        channel: &ChannelId,
        thread: &Ts,
        title: &str,
        prompts: &[Value],
    ) -> Result<(), DeliverError> {
        let request = json!({
            "channel_id": channel, "thread_ts": thread, "title": title, "prompts": prompts,
        });
        let method = "assistant.threads.setSuggestedPrompts";
        self.post(method, &request, true).await.map(drop)
    }

    /// Tells a workflow what its step found, with the permit that came with the call.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn complete_step(
        &self,
        token: Option<&SecretString>,
        execution: &str,
        outputs: &Value,
    ) -> Result<(), DeliverError> {
        let request = json!({"function_execution_id": execution, "outputs": outputs});
        let method = "functions.completeSuccess";
        self.answer_step(token, method, &request).await
    }

    /// Tells a workflow why its step failed.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn fail_step(
        &self,
        token: Option<&SecretString>,
        execution: &str,
        why: &str,
    ) -> Result<(), DeliverError> {
        let request = json!({"function_execution_id": execution, "error": why});
        let method = "functions.completeError";
        self.answer_step(token, method, &request).await
    }

    async fn answer_step(
        &self,
        token: Option<&SecretString>,
        method: &'static str,
        request: &Value,
    ) -> Result<(), DeliverError> {
        let Some(token) = token else {
            return self.post(method, request, true).await.map(drop);
        };
        let token = SlackApiToken::new(token.expose_secret().into());
        let api = self.slack.open_session(&token).http_session_api;
        let send = || api.http_post(method, request, None);
        match self.with_retry(method, true, send).await {
            // It was answered already: by an earlier try whose outcome nobody lived to learn.
            Err(DeliverError::Other(code)) if code == "execution_not_in_running_state" => Ok(()),
            other => other.map(drop),
        }
    }

    /// Answers at a `response_url` in place of the message with the button, which only its reader sees.
    ///
    /// # Errors
    /// [`DeliverError::Expired`] when the address is used up, too old or not Slack's.
    pub async fn replace(
        &self,
        response_url: &ResponseUrl,
        message: &Message,
        thread: Option<&Ts>,
    ) -> Result<(), DeliverError> {
        rich_or_plain(message, |blocks| async move {
            let reply = Reply::new(ResponseType::Ephemeral, message, thread);
            let reply = reply.replacing().with_blocks(blocks);
            self.respond_once(response_url, &reply, true).await
        })
        .await
        .map(drop)
    }
}

impl DeliverError {
    /// Returns whether a permit to open a view came too late or was used.
    pub fn is_late(&self) -> bool {
        let late = [
            "expired_trigger_id",
            "exchanged_trigger_id",
            "invalid_trigger_id",
        ];
        matches!(self, Self::Other(code) if late.contains(&code.as_str()))
    }
}

fn view_of(json: &Value) -> ViewRef {
    ViewRef {
        id: text(json, "/view/id").to_owned(),
        hash: Some(text(json, "/view/hash").to_owned()).filter(|hash| !hash.is_empty()),
    }
}
