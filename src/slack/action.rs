//! What the buttons under an answer mean, and how that travels in a button's `action_id` and `value`.

use serde::{Deserialize, Serialize};

use crate::corpus::{CaseId, Lang};

/// Slack's limit for a button's `value`, in characters (docs.slack.dev, block elements: button).
const VALUE_LIMIT: usize = 2000;

/// A pressed button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Show the whole case to the one who asks.
    Details {
        /// Which case.
        case: CaseId,
    },
    /// Show the next precedents.
    More {
        /// How many were already shown.
        offset: usize,
    },
    /// Post a precedent into the channel.
    Share {
        /// Which case.
        case: CaseId,
    },
    /// The precedent helped.
    Helpful {
        /// Which case.
        case: CaseId,
    },
    /// The precedent is not like this.
    NotThis {
        /// Which case.
        case: CaseId,
    },
    /// Change the question.
    Edit,
    /// Ask the button's own question: what may have been meant, or what was asked before.
    Ask {
        /// Tells several in a row apart; at most [`ASKS`] stand there.
        slot: u8,
    },
    /// Open the search form.
    Search,
    /// Speak in this channel only when asked; pressed again, as before.
    Mute,
}

/// Most buttons with questions in a row.
pub const ASKS: usize = ASK_IDS.len();

const ASK_IDS: [&str; 5] = [
    "precedent_ask_0",
    "precedent_ask_1",
    "precedent_ask_2",
    "precedent_ask_3",
    "precedent_ask_4",
];

/// A button's meaning with what it needs to act without any memory on our side. Recorded as Slack knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "(String, String)", try_from = "(String, String)")]
pub struct Button {
    /// What it does.
    pub action: Action,
    /// The question that the answer was for, possibly cut.
    pub text: String,
    /// The language of the answer.
    pub lang: Lang,
}

/// The JSON in a button's `value`. Short names: the limit counts.
#[derive(Serialize, Deserialize)]
struct Value {
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    case: Option<String>,
    #[serde(rename = "o", default, skip_serializing_if = "Option::is_none")]
    offset: Option<usize>,
    #[serde(rename = "q", default)]
    text: String,
    #[serde(rename = "l")]
    lang: String,
}

impl Button {
    /// Returns the button's `action_id`; unique within an actions block because each stands there once.
    pub fn action_id(&self) -> &'static str {
        match self.action {
            Action::Details { .. } => "precedent_details",
            Action::More { .. } => "precedent_more",
            Action::Share { .. } => "precedent_share",
            Action::Helpful { .. } => "precedent_helpful",
            Action::NotThis { .. } => "precedent_not_this",
            Action::Edit => "precedent_edit",
            Action::Ask { slot } => ASK_IDS[usize::from(slot) % ASKS],
            Action::Search => "precedent_search",
            Action::Mute => "precedent_mute",
        }
    }

    /// Returns the button's `value`, within Slack's limit: a long question is cut at its end.
    pub fn value(&self) -> String {
        let (case, offset) = match &self.action {
            Action::More { offset } => (None, Some(*offset)),
            Action::Edit | Action::Ask { .. } | Action::Search | Action::Mute => (None, None),
            Action::Details { case }
            | Action::Share { case }
            | Action::Helpful { case }
            | Action::NotThis { case } => (Some(case.to_string()), None),
        };
        let mut value = Value {
            case,
            offset,
            text: self.text.clone(),
            lang: self.lang.code().to_owned(),
        };
        loop {
            let json = serde_json::to_string(&value).expect("texts and numbers are always JSON");
            let over = json.encode_utf16().count().saturating_sub(VALUE_LIMIT);
            if over == 0 {
                return json;
            }
            // One character is at most six JSON characters (`\u0001`), so this shrinks fast and always ends.
            let keep = value
                .text
                .chars()
                .count()
                .saturating_sub(over.div_ceil(6).max(1));
            value.text = value.text.chars().take(keep).collect();
        }
    }

    /// Reads a pressed button back; `None` when it is not one of ours.
    pub fn parse(action_id: &str, value: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(value).ok()?;
        let case = || value.case.as_deref()?.parse::<CaseId>().ok();
        let action = match action_id {
            "precedent_details" => Action::Details { case: case()? },
            "precedent_more" => Action::More {
                offset: value.offset?,
            },
            "precedent_share" => Action::Share { case: case()? },
            "precedent_helpful" => Action::Helpful { case: case()? },
            "precedent_not_this" => Action::NotThis { case: case()? },
            "precedent_edit" => Action::Edit,
            "precedent_search" => Action::Search,
            "precedent_mute" => Action::Mute,
            other => {
                let slot = ASK_IDS.iter().position(|id| *id == other)?;
                Action::Ask {
                    slot: u8::try_from(slot).ok()?,
                }
            }
        };
        let lang = Lang::from_tag(&value.lang)?;
        Some(Self {
            action,
            text: value.text,
            lang,
        })
    }
}

impl From<Button> for (String, String) {
    fn from(button: Button) -> Self {
        (button.action_id().to_owned(), button.value())
    }
}

impl TryFrom<(String, String)> for Button {
    type Error = &'static str;

    fn try_from((action_id, value): (String, String)) -> Result<Self, Self::Error> {
        Self::parse(&action_id, &value).ok_or("no button of ours")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(text: &str) -> Button {
        let case = "IL-0493".parse().expect("a valid id");
        Button {
            action: Action::Share { case },
            text: text.to_owned(),
            lang: Lang::Ko,
        }
    }

    #[test]
    fn a_button_survives_the_way_through_slack() {
        let button = share("502 \"인그레스\" & <tls>");
        assert_eq!(
            Button::parse(button.action_id(), &button.value()),
            Some(button)
        );
        for action in [
            Action::Edit,
            Action::Search,
            Action::Mute,
            Action::Ask { slot: 4 },
        ] {
            let button = Button {
                action,
                ..share("component:etcd")
            };
            let read = Button::parse(button.action_id(), &button.value());
            assert_eq!(read, Some(button));
        }
    }

    #[test]
    fn a_long_question_is_cut_to_slacks_limit() {
        for text in ["가".repeat(5000), "\u{1}".repeat(5000), "🔥\"".repeat(3000)] {
            let value = share(&text).value();
            assert!(value.encode_utf16().count() <= VALUE_LIMIT);
            let read = Button::parse("precedent_share", &value).expect("it is still ours");
            assert!(text.starts_with(&read.text) && read.text.len() > 300);
        }
    }

    #[test]
    fn strange_buttons_are_not_ours() {
        for (id, value) in [
            ("precedent_share", "{}"),
            ("precedent_share", "no"),
            ("other", r#"{"c":"IL-0493","l":"ko"}"#),
            ("precedent_more", r#"{"l":"ko"}"#),
        ] {
            assert_eq!(Button::parse(id, value), None, "{id} {value}");
        }
    }
}
