//! How the service is set up, for people who wonder why the bot speaks or stays silent.

use std::fmt::Write as _;

use super::{
    message,
    rich::{Rich, Run},
};
use crate::{
    corpus::Lang,
    library::Library,
    slack::{
        Message, mrkdwn,
        setting::{Here, Voice},
        strings::Strings,
        text,
    },
};

/// Most channel patterns that are shown.
const PATTERNS: usize = 20;

/// What the operator decided.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Names of incident channels, as configured.
    pub patterns: Vec<String>,
    /// Language where nothing else tells it.
    pub lang: Lang,
    /// Whether the bot can do more than answer commands.
    pub token: bool,
    /// How many channels shared with other organisations the bot may post into.
    pub allowed_channels: usize,
    /// What is set for the channel in question; `None` where there is none.
    pub here: Option<Here>,
}

/// Renders how the service is set up.
pub fn settings(library: &Library, settings: &Settings, lang: Lang) -> Message {
    let (rich, text) = lines(library, settings, lang);
    message(&text, [rich.block()])
}

/// The same as lines, for places with more around it.
pub(super) fn lines(library: &Library, settings: &Settings, lang: Lang) -> (Rich, String) {
    let strings = Strings::of(lang);
    let mut rich = Rich::new().line(Run::new().bold(strings.settings_title));
    let mut text = strings.settings_title.to_owned();
    if let Some(saved) = settings.here.and_then(|here| here.saved) {
        let words = if saved {
            strings.settings_saved
        } else {
            strings.settings_not_saved
        };
        rich = rich.line(Run::new().text(words));
        let _ = write!(text, "\n{words}");
    }
    let cases = library.corpus().cases().iter();
    let (own, public): (Vec<_>, Vec<_>) = cases
        .filter(|case| library.shows(case))
        .partition(|case| case.own);
    let patterns: Vec<String> = settings
        .patterns
        .iter()
        .take(PATTERNS)
        .map(|pattern| text::short(pattern, 60))
        .collect();
    let suggests = match (settings.token, patterns.is_empty()) {
        (true, false) => patterns.join(", "),
        _ => strings.settings_never.to_owned(),
    };
    let mut facts = Vec::new();
    if let Some(here) = settings.here {
        facts.extend(of_channel(here, strings));
    }
    facts.extend([
        (strings.settings_channels, suggests),
        (strings.settings_lang, name(settings.lang).to_owned()),
        (
            strings.settings_cases,
            format!("{} 🌐 · {} 🔒", public.len(), own.len()),
        ),
        (
            strings.settings_shared,
            settings.allowed_channels.to_string(),
        ),
        (
            strings.settings_token,
            if settings.token { "✓" } else { "✗" }.to_owned(),
        ),
        (
            strings.settings_address,
            library.address().unwrap_or(super::ABSENT).to_owned(),
        ),
    ]);
    let mut items = Vec::new();
    for (name, value) in &facts {
        items.push(Run::new().text(name).text(": ").code(value));
        let _ = write!(text, "\n• {name}: {}", mrkdwn::code(value));
    }
    let _ = write!(text, "\n{}", strings.settings_note);
    (
        rich.items(items)
            .line(Run::new().italic(strings.settings_note)),
        text,
    )
}

fn of_channel(here: Here, strings: &'static Strings) -> [(&'static str, String); 2] {
    let voice = match here.voice {
        Voice::On => strings.voice_on,
        Voice::Ask => strings.voice_ask,
        Voice::Off => strings.voice_off,
    };
    let lang = here.lang.map_or("auto", name);
    [
        (
            strings.settings_voice,
            format!("{}: {voice}", here.voice.word()),
        ),
        (strings.settings_channel_lang, lang.to_owned()),
    ]
}

const fn name(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "English",
        Lang::Ko => "한국어",
    }
}
