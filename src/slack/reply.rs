//! From a command, a question or a button to the message that answers it. Pure over a [`Library`].

use std::fmt;

use super::{
    Message, UserId,
    action::{Action, Button},
    command::{
        self, Command,
        narrow::{self, Asked},
    },
    render::{self, Notice, Scope, Settings, View},
};
use crate::{
    corpus::{Case, CaseId, Lang, is_hangul},
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
    /// Returns the tongue of somebody who was answered in this language before.
    pub const fn only(lang: Lang) -> Self {
        Self {
            locale: Some(lang),
            default: lang,
        }
    }

    /// Returns what is known of the language once a command is typed: what it asks for counts most, and whoever types
    /// Hangul and has no setting reads Korean.
    #[must_use]
    pub fn typed(self, text: &str) -> Self {
        let default = if text.chars().any(is_hangul) {
            Lang::Ko
        } else {
            self.default
        };
        Self {
            locale: narrow::language_of(text).or(self.locale),
            default,
        }
    }

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
    /// What it was narrowed to, and what of that was not understood.
    pub scope: Scope,
}

/// Looks up a text that nobody typed as a question: what a channel or a message says. Nothing in it narrows.
pub fn find(library: &Library, text: &str, tongue: Tongue, offset: usize) -> Found {
    let text = narrow::literal(text);
    let asked = Asked {
        text: text.clone().into_owned(),
        ..Asked::default()
    };
    look_up(library, &text, asked, tongue, offset)
}

/// Looks a question up, with what narrows it.
pub fn ask(library: &Library, typed: &str, tongue: Tongue, offset: usize) -> Found {
    let asked = narrow::understand(library, typed);
    look_up(library, typed, asked, tongue, offset)
}

/// Looks up what was understood of a text: the asker's own language first, then the language of the text, then the
/// configured one.
fn look_up(library: &Library, text: &str, asked: Asked, tongue: Tongue, offset: usize) -> Found {
    let locale = asked.lang.or(tongue.locale);
    let is_list = asked.is_list();
    let Asked {
        text: words,
        filters,
        only,
        slips,
        ..
    } = asked;
    let lookup = Lookup {
        lang: locale,
        filters,
        offset,
        ..Lookup::new(words)
    };
    let answer = library.lookup(&lookup);
    let lang = match locale {
        Some(lang) => lang,
        None if answer.terms.is_empty() => tongue.default,
        None => answer.terms.lang.answer_lang(),
    };
    let near = command::near(text).filter(|_| !answer.confident && answer.terms.terms.is_empty());
    let scope = Scope {
        only,
        slips,
        command: near,
        is_list,
    };
    let view = View {
        lang,
        text: text.to_owned(),
        offset,
    };
    Found {
        answer,
        view,
        scope,
    }
}

/// Answers a command. `channel` is what is known of the channel, for [`Command::ThisChannel`].
pub fn command(
    library: &Library,
    command: &Command,
    channel: &str,
    tongue: Tongue,
    settings: &Settings,
) -> Message {
    let lang = tongue.without_text();
    match command {
        Command::Help => render::help(lang, None),
        Command::ThisChannel | Command::Here if channel.trim().is_empty() => {
            render::nothing_typed(lang)
        }
        Command::ThisChannel | Command::Here => {
            let Found { answer, view, .. } = find(library, channel, tongue, 0);
            let worth_showing = answer.confident && !answer.precedents.is_empty();
            render::help(lang, worth_showing.then_some((library, &answer, &view)))
        }
        Command::Settings(_) => render::settings(library, settings, lang),
        Command::Case(id) => case(library, id, "", lang),
        Command::Similar(id) => similar(library, id, lang),
        Command::Lookup(text) => answer(library, text, tongue, 0),
    }
}

/// Answers a question.
pub fn answer(library: &Library, text: &str, tongue: Tongue, offset: usize) -> Message {
    show(library, &ask(library, text, tongue, offset))
}

/// Shows what was found.
pub fn show(library: &Library, found: &Found) -> Message {
    render::answer_within(library, &found.answer, &found.view, &found.scope)
}

/// Returns where a case can be read; empty where nobody says.
pub fn address(library: &Library, case: &Case) -> String {
    render::address(library, case)
}

/// Answers what a message or a channel says.
pub fn answer_to_text(library: &Library, text: &str, tongue: Tongue) -> Message {
    let Found { answer, view, .. } = find(library, text, tongue, 0);
    render::answer(library, &answer, &view)
}

/// Answers a pressed button, only for the one who pressed it. For [`Action::Share`] see [`share`].
pub fn button(library: &Library, button: &Button, user: &UserId) -> Message {
    let Button { action, text, lang } = button;
    match action {
        Action::Details { case: id } => case(library, id, text, *lang),
        Action::More { offset } => answer(library, text, Tongue::only(*lang), *offset),
        Action::Ask { .. } => asked(library, text, *lang),
        // A form takes a token; without one there is the command.
        Action::Edit | Action::Search => render::type_again(*lang, text),
        Action::Share { case: id } => {
            share(library, id, button, user).unwrap_or_else(|| unknown(library, *lang, id))
        }
        Action::Helpful { .. } => render::notice(*lang, &Notice::ThanksHelpful),
        Action::NotThis { .. } => render::notice(*lang, &Notice::ThanksNotThis),
        Action::Mute => render::notice(*lang, &Notice::Muted),
    }
}

/// Answers a question or a command that a button holds.
pub fn asked(library: &Library, text: &str, lang: Lang) -> Message {
    let tongue = Tongue::only(lang).typed(text);
    match command::parse(text) {
        Command::Lookup(text) => answer(library, &text, tongue, 0),
        Command::Case(id) => case(library, &id, "", tongue.without_text()),
        Command::Similar(id) => similar(library, &id, tongue.without_text()),
        Command::Help | Command::ThisChannel | Command::Here | Command::Settings(_) => {
            render::help(tongue.without_text(), None)
        }
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
        _ => unknown(library, lang, id),
    }
}

fn similar(library: &Library, id: &CaseId, lang: Lang) -> Message {
    match (library.case(id), library.similar(id, SIMILAR)) {
        (Ok(case), Ok(related)) => render::similar(library, case, &related, &view(lang, "")),
        _ => unknown(library, lang, id),
    }
}

/// Says that there is no such case; `IL-493` may stand for `IL-0493`.
pub fn unknown(library: &Library, lang: Lang, id: &CaseId) -> Message {
    let padded = id.as_str().split_once('-').and_then(|(prefix, number)| {
        let number = number.trim_start_matches('0');
        format!("{prefix}-{number:0>4}").parse::<CaseId>().ok()
    });
    let meant = padded.filter(|other| other != id && library.case(other).is_ok());
    render::unknown_case(lang, id, meant.as_ref())
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
