//! What people do with shortcuts, buttons, menus and forms.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Asker, FIND_SIMILAR, Inbound, Place, SEARCH_INCIDENTS, Shortcut, at, first_given, some_ts,
};
use crate::slack::{
    Ts, UserId,
    action::{Action, Button},
    gather, home,
    response_url::ResponseUrl,
};

/// A pressed button.
#[derive(Clone, Serialize, Deserialize)]
pub struct Click {
    /// Who pressed it where.
    pub asker: Asker,
    /// The button.
    pub button: Button,
    /// On what the button stood.
    pub surface: Surface,
    /// Lets a form be opened; gone long before a recorded job is read again.
    #[serde(skip)]
    pub trigger: Trigger,
}

/// On what a button stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Surface {
    /// A message.
    Message {
        /// Its id within the channel.
        ts: Option<Ts>,
        /// Whether only the one who presses the button sees it.
        ephemeral: bool,
    },
    /// A form, or what came of one.
    Modal(ViewRef),
    /// The bot's home.
    Home,
}

/// A view that is open at somebody's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewRef {
    /// Its id.
    pub id: String,
    /// Its state; Slack refuses to update a view that changed since.
    pub hash: Option<String>,
}

/// Slack's permit to open one view within three seconds.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Trigger(pub(in crate::slack) String);

impl Click {
    /// Returns whether it opens or changes a view, which has to happen within seconds.
    pub fn is_for_view(&self) -> bool {
        let takes_form = matches!(self.button.action, Action::Edit | Action::Search);
        takes_form || !matches!(self.surface, Surface::Message { .. })
    }
}

impl Trigger {
    /// Returns what tells one interaction from every other, however often it is delivered; `None` where Slack told nothing.
    pub fn id(&self) -> Option<&str> {
        Some(self.0.as_str()).filter(|id| !id.is_empty())
    }
}

impl fmt::Debug for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Trigger(redacted)")
    }
}

/// The global shortcut.
pub struct Opening {
    /// Who used it; it belongs to no channel.
    pub asker: Asker,
    /// Lets the form be opened.
    pub trigger: Trigger,
}

/// Text that is being typed into a menu.
pub struct Typed {
    /// Where: the workspace.
    pub team: String,
    /// Who types.
    pub user: UserId,
    /// The menu.
    pub menu: String,
    /// What is typed so far.
    pub text: String,
}

/// Something that was set in a menu of the bot's home.
#[derive(Clone, Serialize, Deserialize)]
pub struct Setting {
    /// Who set it.
    pub asker: Asker,
    /// What is set ([`crate::slack::setting::Value::name`]).
    pub name: String,
    /// To what, in words.
    pub words: String,
}

/// Longest words of a setting, in characters.
const SETTING: usize = 2000;

/// A form as it was sent.
pub struct Submission {
    /// Who sent it; it belongs to no channel.
    pub asker: Asker,
    /// The form's view.
    pub view: ViewRef,
    /// Which form.
    pub form: String,
    /// What the form carried.
    pub carried: String,
    /// What was entered, by block and element.
    pub values: Value,
}

/// Understands an interaction. Whatever it is, nothing comes of it for a stranger.
pub(super) fn read(json: &Value) -> Inbound {
    match understood(json) {
        ignored @ Inbound::Ignored(_) => ignored,
        _ if is_foreign(json) => Inbound::Stranger(asker(json)),
        inbound => inbound,
    }
}

fn understood(json: &Value) -> Inbound {
    let asker = asker(json);
    let trigger = Trigger(at(json, "/trigger_id").to_owned());
    match at(json, "/type") {
        "message_action" if at(json, "/callback_id") == FIND_SIMILAR => {
            let message = json.get("message").unwrap_or(&Value::Null);
            let text = gather::message_text(message);
            Inbound::Shortcut(Shortcut { asker, text })
        }
        "shortcut" if at(json, "/callback_id") == SEARCH_INCIDENTS => {
            Inbound::Search(Opening { asker, trigger })
        }
        "message_action" | "shortcut" => Inbound::Ignored("shortcut of another name"),
        "block_actions" => {
            let buttons = json.pointer("/actions").and_then(Value::as_array);
            let button = buttons
                .into_iter()
                .flatten()
                .find_map(|action| Button::parse(at(action, "/action_id"), at(action, "/value")));
            match button {
                Some(button) => Inbound::Click(Click {
                    asker,
                    button,
                    surface: surface(json),
                    trigger,
                }),
                // Link buttons are reported too; Slack itself opened the link.
                None => setting(json, &asker)
                    .map_or(Inbound::Ignored("no button of ours"), Inbound::Set),
            }
        }
        "block_suggestion" => Inbound::Typed(Typed {
            team: asker.place.team,
            user: asker.user,
            menu: at(json, "/action_id").to_owned(),
            text: at(json, "/value").to_owned(),
        }),
        "view_submission" => Inbound::Submission(Submission {
            asker,
            view: view(json),
            form: at(json, "/view/callback_id").to_owned(),
            carried: at(json, "/view/private_metadata").to_owned(),
            values: json
                .pointer("/view/state/values")
                .cloned()
                .unwrap_or_default(),
        }),
        _ => Inbound::Ignored("interaction of another type"),
    }
}

/// Reads a menu in which something was set.
fn setting(json: &Value, asker: &Asker) -> Option<Setting> {
    let actions = json.pointer("/actions").and_then(Value::as_array)?;
    actions.iter().find_map(|action| {
        let name = home::setting_of(at(action, "/action_id"))?;
        let words = first_given([at(action, "/selected_option/value"), at(action, "/value")]);
        Some(Setting {
            asker: asker.clone(),
            name: name.to_owned(),
            words: words.trim().chars().take(SETTING).collect(),
        })
    })
}

fn asker(json: &Value) -> Asker {
    let place = Place {
        team: first_given([
            at(json, "/team/id"),
            at(json, "/user/team_id"),
            at(json, "/enterprise/id"),
        ])
        .to_owned(),
        channel: first_given([at(json, "/channel/id"), at(json, "/container/channel_id")]).into(),
    };
    let threads = [
        at(json, "/container/thread_ts"),
        at(json, "/message/thread_ts"),
    ];
    Asker {
        place,
        user: at(json, "/user/id").into(),
        thread: some_ts(first_given(threads)),
        response_url: ResponseUrl::parse(at(json, "/response_url")),
        press: Trigger(at(json, "/trigger_id").to_owned()),
    }
}

/// Returns whether somebody is known to belong to another workspace than the bot: in a channel shared with another
/// organisation its people see buttons too. Within an organisation of several workspaces the ids differ without meaning
/// that, so nothing is known there.
fn is_foreign(json: &Value) -> bool {
    let (own, theirs) = (at(json, "/team/id"), at(json, "/user/team_id"));
    let one_workspace = json.get("enterprise").is_none_or(Value::is_null)
        && json.get("is_enterprise_install") != Some(&Value::Bool(true));
    one_workspace && own.starts_with('T') && theirs.starts_with('T') && own != theirs
}

fn surface(json: &Value) -> Surface {
    match (at(json, "/container/type"), at(json, "/view/type")) {
        ("view", "home") => Surface::Home,
        ("view", _) => Surface::Modal(view(json)),
        _ => Surface::Message {
            ts: some_ts(at(json, "/container/message_ts")),
            ephemeral: json.pointer("/container/is_ephemeral") == Some(&Value::Bool(true)),
        },
    }
}

fn view(json: &Value) -> ViewRef {
    ViewRef {
        id: at(json, "/view/id").to_owned(),
        hash: Some(at(json, "/view/hash").to_owned()).filter(|hash| !hash.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn people_of_another_workspace_are_recognised() {
        for (payload, foreign) in [
            (
                json!({"team": {"id": "T1"}, "user": {"team_id": "T1"}, "enterprise": null}),
                false,
            ),
            (
                json!({"team": {"id": "T1"}, "user": {"team_id": "T2"}, "enterprise": null}),
                true,
            ),
            (
                json!({"team": {"id": "T1"}, "user": {"team_id": "T2"}}),
                true,
            ),
            // An organisation of several workspaces.
            (
                json!({"team": {"id": "T1"}, "user": {"team_id": "T2"}, "enterprise": {"id": "E1"}}),
                false,
            ),
            (
                json!({"team": {"id": "T1"}, "user": {"team_id": "E1"}}),
                false,
            ),
            (
                json!({"team": null, "user": {"team_id": "T2"}, "is_enterprise_install": true}),
                false,
            ),
            (json!({}), false),
        ] {
            assert_eq!(is_foreign(&payload), foreign, "{payload}");
        }
    }

    #[test]
    fn a_permit_is_never_shown() {
        assert!(!format!("{:?}", Trigger("1.2.secret".to_owned())).contains("secret"));
    }
}
