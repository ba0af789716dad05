//! What admins set for a whole workspace, as menus of the bot's home.

use slack_morphism::prelude::*;

use crate::{
    corpus::Lang,
    slack::{
        pattern::Pattern,
        setting::{AUTO, Given, Here, Named, Source, Spot, Sure, Voice, name},
        strings::settings::{SettingStrings, own_name},
        text,
    },
};

/// What stands before a setting's name in the `action_id` of its menu.
const ACTION: &str = "precedent_set_";

/// Longest title of an option, in units.
const OPTION: usize = 75;

/// Returns which setting a menu is for, by its `action_id`.
pub fn setting_of(action_id: &str) -> Option<&str> {
    action_id.strip_prefix(ACTION)
}

/// Makes a menu for each setting. They act at once, so there is nothing to send.
pub(super) fn menus(here: &Here, lang: Lang) -> Vec<SlackBlock> {
    let strings = SettingStrings::of(lang);
    let voices = titled(|voice: Voice| strings.voice(voice));
    let sures = titled(|sure: Sure| strings.sure(sure));
    let spots = titled(|spot: Spot| strings.spot(spot));
    let langs = titled(own_name);
    let bookmarks = titled(|on| if on { strings.on } else { strings.off });
    let word = |given: Option<&'static str>| given.unwrap_or(AUTO);
    let lang_word = own(&here.lang).and_then(|lang| lang.map(Lang::word));
    vec![
        menu(
            name::VOICE,
            strings.voice,
            voices,
            word(own(&here.voice).map(Voice::word)),
            strings,
        ),
        menu(
            name::SURE,
            strings.sure,
            sures,
            word(own(&here.sure).map(Sure::word)),
            strings,
        ),
        menu(name::LANG, strings.lang, langs, word(lang_word), strings),
        menu(
            name::SPOT,
            strings.spot,
            spots,
            word(own(&here.spot).map(Spot::word)),
            strings,
        ),
        menu(
            name::BOOKMARK,
            strings.bookmark,
            bookmarks,
            word(own(&here.bookmark).map(bool::word)),
            strings,
        ),
        patterns(&here.patterns, strings),
    ]
}

/// Returns what the workspace itself sets.
fn own<T: Copy>(given: &Given<T>) -> Option<T> {
    (given.source == Source::Workspace).then_some(given.value)
}

/// A value's word and its title.
type Choice = (&'static str, String);

fn titled<T: Named>(title: impl Fn(T) -> &'static str) -> Vec<Choice> {
    let all = T::ALL.iter().map(|(value, _)| *value);
    all.map(|value| (value.word(), text::short(title(value), OPTION)))
        .collect()
}

fn menu(
    setting: &str,
    label: &str,
    choices: Vec<Choice>,
    chosen: &str,
    strings: &SettingStrings,
) -> SlackBlock {
    let unset = (AUTO, strings.unset.to_owned());
    let options: Vec<SlackBlockChoiceItem<SlackBlockPlainTextOnly>> = [unset]
        .into_iter()
        .chain(choices)
        .map(|(word, title)| SlackBlockChoiceItem::new(title.as_str().into(), word.to_owned()))
        .collect();
    let initial = options.iter().find(|option| option.value == chosen);
    let mut element = SlackBlockStaticSelectElement::new()
        .with_action_id(SlackActionId(format!("{ACTION}{setting}")))
        .with_options(options.clone());
    element.initial_option = initial.cloned();
    acting(setting, label, element.into()).into()
}

fn patterns(given: &Given<Vec<Pattern>>, strings: &SettingStrings) -> SlackBlock {
    let words: Vec<&str> = given.value.iter().map(Pattern::as_str).collect();
    let words = words.join(", ");
    let mut element = SlackBlockPlainTextInputElement::new()
        .with_action_id(SlackActionId(format!("{ACTION}{}", name::PATTERNS)))
        .with_max_length(2000);
    if given.source == Source::Workspace {
        element.initial_value = Some(words);
    } else if !words.is_empty() {
        element.placeholder = Some(text::short(&words, 150).as_str().into());
    }
    acting(name::PATTERNS, strings.patterns, element.into())
        .with_hint(strings.patterns_hint.into())
        .into()
}

/// Makes a labelled element that is reported as soon as somebody changes it.
fn acting(setting: &str, label: &str, element: SlackInputBlockElement) -> SlackInputBlock {
    SlackInputBlock::new(label.into(), element)
        .with_block_id(SlackBlockId(format!("{ACTION}{setting}")))
        .with_dispatch_action(true)
        .with_optional(true)
}
