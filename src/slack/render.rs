//! Stand-in until the rendering branch lands: it is to be replaced as a whole.

use slack_morphism::prelude::SlackUserId;

use super::{Message, command::USAGES};
use crate::{
    corpus::{Case, Lang},
    library::{Answer, Library},
};

/// How an answer is shown.
#[derive(Clone, Debug)]
pub struct View {
    /// Language of the answer.
    pub lang: Lang,
    /// The question.
    pub text: String,
    /// How many precedents were shown before.
    pub offset: usize,
}

fn titles(answer: &Answer, lang: Lang) -> String {
    let lines: Vec<String> = answer
        .precedents
        .iter()
        .map(|precedent| format!("{} {}", precedent.case.id, precedent.case.title.get(lang)))
        .collect();
    lines.join("\n")
}

/// Renders an answer.
pub fn answer(_library: &Library, answer: &Answer, view: &View) -> Message {
    let head = if answer.confident {
        "Closest precedents"
    } else {
        "No close precedent"
    };
    Message::plain(format!("{head}\n{}", titles(answer, view.lang)))
}

/// Renders the suggestion for a new incident channel.
pub fn suggestion(_library: &Library, answer: &Answer, view: &View) -> Message {
    Message::plain(format!("Looks like\n{}", titles(answer, view.lang)))
}

/// Renders a whole case.
pub fn details(_library: &Library, case: &Case, view: &View) -> Message {
    Message::plain(format!("Case {}\n{}", case.id, case.summary.get(view.lang)))
}

/// Renders a case as somebody shares it.
pub fn shared(_library: &Library, case: &Case, view: &View, sharer: &SlackUserId) -> Message {
    let title = case.title.get(view.lang);
    Message::plain(format!("<@{sharer}> shared {}\n{title}", case.id))
}

/// Renders help, with what the channel itself suggests.
pub fn help(lang: Lang, channel: Option<(&Library, &Answer, &View)>) -> Message {
    let mut text = String::from("How to use /incident-like");
    for usage in USAGES {
        text = format!("{text}\n{}: {}", usage.example(lang), usage.about(lang));
    }
    if let Some((_, answer, view)) = channel {
        text = format!("{text}\n{}", titles(answer, view.lang));
    }
    Message::plain(text)
}

/// Says that a lookup failed.
pub fn failure(_lang: Lang, request_id: &str) -> Message {
    Message::plain(format!("The lookup failed ({request_id})"))
}

/// Says that nothing was typed.
pub fn nothing_typed(lang: Lang) -> Message {
    help(lang, None)
}
