//! From a command, a question or a button to the message that answers it. Pure over a [`Library`].

use std::fmt;

use super::{
    Message, UserId,
    action::{Action, Button},
    command::Command,
    render::{self, Notice, View},
};
use crate::{
    corpus::{CaseId, Lang},
    library::{Answer, Library, Lookup},
};

/// How many cases close to a case are looked up; rendering shows as many as fit.
const SIMILAR: usize = 10;

/// What is known of the language to answer in.
#[derive(Clone, Copy, Debug)]
pub struct Tongue {
    /// The asker's own setting, where Slack told it.
    pub locale: Option<Lang>,
    /// The configured language, for texts that show none.
    pub default: Lang,
}

impl Tongue {
    /// Returns the language where no text of the asker's helps.
    pub fn without_text(self) -> Lang {
        self.locale.unwrap_or(self.default)
    }
}

/// A text that was looked up.
pub struct Found {
    /// What the library says.
    pub answer: Answer,
    /// How it is to be shown.
    pub view: View,
}

/// Looks a text up: the asker's own language first, then the language of the text, then the configured one.
pub fn find(library: &Library, text: &str, tongue: Tongue, offset: usize) -> Found {
    let lookup = Lookup {
        lang: tongue.locale,
        offset,
        ..Lookup::new(text)
    };
    let answer = library.lookup(&lookup);
    let lang = match tongue.locale {
        Some(lang) => lang,
        None if answer.terms.is_empty() => tongue.default,
        None => answer.terms.lang.answer_lang(),
    };
    let view = View {
        lang,
        text: text.to_owned(),
        offset,
    };
    Found { answer, view }
}

/// Answers a command. `channel` is what is known of the channel, for [`Command::ThisChannel`].
pub fn command(library: &Library, command: &Command, channel: &str, tongue: Tongue) -> Message {
    let lang = tongue.without_text();
    match command {
        Command::Help => render::help(lang, None),
        Command::ThisChannel if channel.trim().is_empty() => render::nothing_typed(lang),
        Command::ThisChannel => {
            let Found { answer, view } = find(library, channel, tongue, 0);
            let worth_showing = answer.confident && !answer.precedents.is_empty();
            render::help(lang, worth_showing.then_some((library, &answer, &view)))
        }
        Command::Case(id) => case(library, id, "", lang),
        Command::Similar(id) => similar(library, id, lang),
        Command::Lookup(text) => answer(library, text, tongue, 0),
    }
}

/// Answers a question.
pub fn answer(library: &Library, text: &str, tongue: Tongue, offset: usize) -> Message {
    let Found { answer, view } = find(library, text, tongue, offset);
    render::answer(library, &answer, &view)
}

/// Answers a pressed button, only for the one who pressed it. For [`Action::Share`] see [`share`].
pub fn button(library: &Library, button: &Button, user: &UserId) -> Message {
    let Button { action, text, lang } = button;
    match action {
        Action::Details { case: id } => case(library, id, text, *lang),
        Action::More { offset } => {
            let tongue = Tongue {
                locale: Some(*lang),
                default: *lang,
            };
            answer(library, text, tongue, *offset)
        }
        Action::Share { case: id } => {
            share(library, id, button, user).unwrap_or_else(|| unknown(*lang, id))
        }
        Action::Helpful { .. } => render::notice(*lang, &Notice::ThanksHelpful),
        Action::NotThis { .. } => render::notice(*lang, &Notice::ThanksNotThis),
    }
}

/// Returns what is posted into a channel when somebody shares a case; `None` when it is no longer there.
pub fn share(library: &Library, id: &CaseId, button: &Button, user: &UserId) -> Option<Message> {
    let case = library.case(id).ok()?;
    let view = view(button.lang, &button.text);
    Some(render::shared(library, case, &view, &user.0))
}

/// Says that a lookup failed.
pub fn failure(lang: Lang, id: RequestId) -> Message {
    render::failure(lang, &id.to_string())
}

fn case(library: &Library, id: &CaseId, text: &str, lang: Lang) -> Message {
    match library.case(id) {
        Ok(case) => render::details(library, case, &view(lang, text)),
        _ => unknown(lang, id),
    }
}

fn similar(library: &Library, id: &CaseId, lang: Lang) -> Message {
    match (library.case(id), library.similar(id, SIMILAR)) {
        (Ok(case), Ok(related)) => render::similar(library, case, &related, &view(lang, "")),
        _ => unknown(lang, id),
    }
}

/// Says that there is no such case.
pub fn unknown(lang: Lang, id: &CaseId) -> Message {
    render::notice(lang, &Notice::UnknownCase(id.clone()))
}

fn view(lang: Lang, text: &str) -> View {
    View {
        lang,
        text: text.to_owned(),
        offset: 0,
    }
}

/// Ties what people saw to what the log says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestId(u32);

impl RequestId {
    /// Makes a new one.
    pub fn random() -> Self {
        Self(rand::random())
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}
