//! How the bot is set up, for people who wonder why it speaks or stays silent, and where each value comes from.

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
        pattern::Pattern,
        setting::{Here, Named, Saved, Source},
        strings::settings::{SettingStrings, own_name},
        text,
    },
};

/// Longest permission that is shown, in units.
const PERMISSION: usize = 80;

/// How the bot is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What holds where people look.
    pub here: Here,
    /// What became of what they changed, if they did.
    pub saved: Option<Saved>,
    /// Language where nothing else tells it.
    pub lang: Lang,
    /// Whether the bot can do more than answer commands.
    pub token: bool,
    /// How many channels shared with other organisations the bot may post into.
    pub allowed_channels: usize,
    /// Permissions that Slack says are missing.
    pub missing: Vec<String>,
}

/// Renders how the bot is set up.
pub fn settings(library: &Library, settings: &Settings, lang: Lang) -> Message {
    let strings = SettingStrings::of(lang);
    let mut rich = Rich::new().line(Run::new().bold(strings.title));
    let mut text = strings.title.to_owned();
    if let Some(saved) = settings.saved {
        let words = became(saved, strings);
        rich = rich.line(Run::new().text(words));
        let _ = write!(text, "\n{}", mrkdwn::prose(words));
    }
    let mut items = Vec::new();
    for Fact {
        name,
        value,
        source,
    } in facts(library, settings, strings)
    {
        let source = source.map(|source| format!(" ({})", strings.source(source)));
        let source = source.unwrap_or_default();
        let item = Run::new().text(name).text(": ").code(&value);
        items.push(item.text(&source));
        let _ = write!(text, "\n• {name}: {}{source}", mrkdwn::code(&value));
    }
    rich = rich.items(items);
    if !settings.missing.is_empty() {
        let missing = settings.missing.iter();
        let missing: Vec<String> = missing
            .map(|scope| text::short(scope, PERMISSION))
            .collect();
        let chips = missing.iter().map(|scope| Run::new().code(scope));
        let run = Run::new().text(strings.missing).text(" ");
        rich = rich.line(run.joined(chips, " "));
        let _ = write!(
            text,
            "\n{} {}",
            strings.missing,
            mrkdwn::prose(&missing.join(" "))
        );
    }
    if settings.here.in_channel {
        rich = rich.line(Run::new().italic(strings.note));
        let _ = write!(text, "\n{}", strings.note);
    }
    message(&text, [rich.block()])
}

/// Returns what the bookmark of a suggestion is called.
pub const fn bookmark_title(lang: Lang) -> &'static str {
    SettingStrings::of(lang).bookmark_title
}

/// Returns what people are told of a change.
const fn became(saved: Saved, strings: &'static SettingStrings) -> &'static str {
    match saved {
        Saved::Yes => strings.saved,
        Saved::Failed => strings.not_saved,
        Saved::AdminsOnly => strings.admins_only,
        Saved::AdminUnknown => strings.admin_unknown,
        Saved::NotUnderstood => strings.not_understood,
    }
}

/// One line.
struct Fact {
    name: &'static str,
    value: String,
    /// Where it comes from, if it can be set.
    source: Option<Source>,
}

fn facts(library: &Library, settings: &Settings, strings: &'static SettingStrings) -> Vec<Fact> {
    let Settings { here, .. } = settings;
    let set = |name, value, source| Fact {
        name,
        value,
        source: Some(source),
    };
    let fixed = |name, value| Fact {
        name,
        value,
        source: None,
    };
    let with_word = |word: &str, about: &str| format!("{word}: {about}");
    let patterns: Vec<&str> = here.patterns.value.iter().map(Pattern::as_str).collect();
    let patterns = match (settings.token, patterns.is_empty()) {
        (true, false) => text::short(&patterns.join(", "), 500),
        _ => strings.never.to_owned(),
    };
    let (voice, sure, spot) = (here.voice.value, here.sure.value, here.spot.value);
    let lang = here.lang.value.map_or(strings.lang_auto, own_name);
    let bookmark = if here.bookmark.value {
        strings.on
    } else {
        strings.off
    };
    let shown = library.corpus().cases().iter();
    let (own, public): (Vec<_>, Vec<_>) = shown
        .filter(|case| library.shows(case))
        .partition(|case| case.own);
    vec![
        set(
            strings.voice,
            with_word(voice.word(), strings.voice(voice)),
            here.voice.source,
        ),
        set(
            strings.sure,
            with_word(sure.word(), strings.sure(sure)),
            here.sure.source,
        ),
        set(strings.lang, lang.to_owned(), here.lang.source),
        set(
            strings.spot,
            with_word(spot.word(), strings.spot(spot)),
            here.spot.source,
        ),
        set(strings.bookmark, bookmark.to_owned(), here.bookmark.source),
        set(strings.patterns, patterns, here.patterns.source),
        fixed(strings.default_lang, own_name(settings.lang).to_owned()),
        fixed(
            strings.cases,
            format!("{} 🌐 · {} 🔒", public.len(), own.len()),
        ),
        fixed(strings.shared, settings.allowed_channels.to_string()),
        fixed(
            strings.token,
            if settings.token { "✓" } else { "✗" }.to_owned(),
        ),
        fixed(
            strings.address,
            library.address().unwrap_or(super::ABSENT).to_owned(),
        ),
    ]
}
