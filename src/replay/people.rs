//! Who the bot is in an export of a workspace that had it already: its own messages say nothing about an incident.

use serde_json::Value;

use super::{Warning, export::Export, roster};
use crate::slack::{BotId, client::Identity};

/// The name under which the manifest installs the bot.
const NAME: &str = "incident-like";

/// Finds the bot in `users.json`.
pub(super) fn own_identity(export: &mut Export, warn: &mut dyn FnMut(Warning)) -> Option<Identity> {
    let mut identity = None;
    roster::list(export, "users.json", warn, &mut |user| {
        let text = |pointer| {
            user.pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let is_bot = user.get("is_bot") == Some(&Value::Bool(true));
        let names = [
            text("/name"),
            text("/real_name"),
            text("/profile/display_name"),
        ];
        // Slack writes names of bots without signs.
        let is_ours = names
            .iter()
            .any(|name| *name == NAME || *name == "incidentlike");
        if is_bot && is_ours && !text("/id").is_empty() {
            let bot = Some(text("/profile/bot_id")).filter(|id| !id.is_empty());
            identity = Some(Identity {
                user: text("/id").into(),
                bot: bot.map(BotId::from),
            });
        }
        true
    });
    identity
}

/// Says what is wrong with JSON, without the place: that is told of the whole file, not of the entry.
pub(super) fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].to_owned()
}
