//! Calls about people, and for what stands beside a channel's messages.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::{Client, DeliverError, text};
use crate::{
    corpus::Lang,
    slack::{ChannelId, Message, UserId},
};

/// How many people are read at once, and how many times at most: an admin is among the first.
const PEOPLE: usize = 200;
const PAGES: usize = 5;

/// Somebody, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Who.
    pub user: UserId,
    /// The language that they set in Slack; `None` when it is neither of ours.
    pub lang: Option<Lang>,
    /// The workspace that they belong to, where Slack says so.
    pub team: Option<String>,
    /// Whether they are an admin or owner of the workspace.
    pub admin: bool,
}

impl Person {
    fn read(json: &Value) -> Self {
        let is = |key| json.get(key) == Some(&Value::Bool(true));
        // Whoever is also one of these is a guest, gone, or somebody else's admin.
        let no_member = ["deleted", "is_bot", "is_restricted", "is_stranger"];
        Self {
            user: text(json, "/id").into(),
            lang: Lang::from_tag(text(json, "/locale")),
            team: Some(text(json, "/team_id"))
                .filter(|team| !team.is_empty())
                .map(str::to_owned),
            admin: (is("is_admin") || is("is_owner")) && !no_member.into_iter().any(is),
        }
    }
}

impl Client {
    /// Returns what Slack says about somebody.
    ///
    /// # Errors
    /// [`DeliverError::MissingScope`] when the token lacks `users:read`, which is optional.
    pub async fn person(&self, user: &UserId) -> Result<Person, DeliverError> {
        let params = vec![
            ("user", Some(user.to_string())),
            ("include_locale", Some("true".to_owned())),
        ];
        let asked = self.get("users.info", params).await;
        if let Err(DeliverError::MissingScope { .. } | DeliverError::Unauthorized(_)) = &asked {
            self.hides_people.store(true, Ordering::Relaxed);
        }
        Ok(Person::read(asked?.get("user").unwrap_or(&Value::Null)))
    }

    /// Finds an admin of the workspace.
    ///
    /// # Errors
    /// [`DeliverError::MissingScope`] when the token lacks `users:read`, which is optional.
    pub async fn admin(&self) -> Result<Option<Person>, DeliverError> {
        let mut cursor = None;
        for _ in 0..PAGES {
            let params = vec![
                ("limit", Some(PEOPLE.to_string())),
                ("include_locale", Some("true".to_owned())),
                ("cursor", cursor),
            ];
            let json = self.get("users.list", params).await?;
            let members = json.get("members").and_then(Value::as_array);
            let mut people = members.into_iter().flatten().map(Person::read);
            if let Some(admin) = people.find(|person| person.admin) {
                return Ok(Some(admin));
            }
            let next = text(&json, "/response_metadata/next_cursor").to_owned();
            if next.is_empty() {
                break;
            }
            cursor = Some(next);
        }
        Ok(None)
    }

    /// Writes to somebody alone. Not to be repeated when the outcome is unknown.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn post_to(&self, user: &UserId, message: &Message) -> Result<(), DeliverError> {
        let request = json!({
            "channel": user, "text": message.text, "blocks": message.blocks,
            "unfurl_links": false, "unfurl_media": false,
        });
        self.post("chat.postMessage", &request, false)
            .await
            .map(drop)
    }

    /// Returns the address of a message.
    ///
    /// # Errors
    /// As Slack says.
    pub async fn permalink(&self, channel: &ChannelId, ts: &str) -> Result<String, DeliverError> {
        let params = vec![
            ("channel", Some(channel.to_string())),
            ("message_ts", Some(ts.to_owned())),
        ];
        let json = self.get("chat.getPermalink", params).await?;
        Ok(text(&json, "/permalink").to_owned())
    }

    /// Adds a bookmark to a channel's header. Doing so twice adds two.
    ///
    /// # Errors
    /// As Slack says; [`DeliverError::MissingScope`] when the token lacks `bookmarks:write`, which is optional.
    pub async fn bookmark(
        &self,
        channel: &ChannelId,
        title: &str,
        link: &str,
    ) -> Result<(), DeliverError> {
        let request = json!({
            "channel_id": channel, "title": title, "type": "link", "link": link, "emoji": ":compass:",
        });
        self.post("bookmarks.add", &request, false).await.map(drop)
    }
}
