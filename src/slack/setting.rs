//! What people set for one channel: whether the bot speaks there by itself, and in which language.

use crate::corpus::Lang;

/// When the bot speaks in a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Voice {
    /// By itself too, where the operator wants that.
    #[default]
    On,
    /// When it is asked.
    Ask,
    /// Never for everybody to see: whoever asks gets an answer of their own.
    Off,
}

/// What somebody sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing; they only look.
    None,
    /// When the bot speaks.
    Voice(Voice),
    /// In which language; `None` leaves it to the text and the asker.
    Lang(Option<Lang>),
}

/// What is set for a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Here {
    /// When the bot speaks.
    pub voice: Voice,
    /// In which language.
    pub lang: Option<Lang>,
    /// Whether a change was kept; `None` where nothing was to be changed.
    pub saved: Option<bool>,
}

impl Voice {
    const ALL: [(Self, &'static [&'static str]); 3] = [
        (Self::On, &["on", "unmute", "켜기", "켜"]),
        (Self::Ask, &["ask", "mute", "질문만"]),
        (Self::Off, &["off", "끄기", "꺼"]),
    ];

    /// Returns the word for it, as it is typed and stored.
    pub const fn word(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Ask => "ask",
            Self::Off => "off",
        }
    }

    /// Reads a word.
    pub fn parse(word: &str) -> Option<Self> {
        let named = |(_, words): &&(Self, &[&str])| {
            words.iter().any(|other| other.eq_ignore_ascii_case(word))
        };
        Self::ALL.iter().find(named).map(|(voice, _)| *voice)
    }
}

impl Change {
    /// Reads what stands after the command's word; `None` when it sets nothing.
    pub fn parse(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match *words.as_slice() {
            [] => Some(Self::None),
            [word] => Voice::parse(word).map(Self::Voice),
            [name, word] if ["lang", "language", "언어"].contains(&&*name.to_lowercase()) => {
                Self::language(word)
            }
            _ => None,
        }
    }

    fn language(word: &str) -> Option<Self> {
        let lang = match word.to_lowercase().as_str() {
            "auto" | "자동" => None,
            "ko" | "korean" | "한국어" => Some(Lang::Ko),
            "en" | "english" | "영어" => Some(Lang::En),
            _ => return None,
        };
        Some(Self::Lang(lang))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_read_in_both_languages() {
        for (text, expect) in [
            ("", Some(Change::None)),
            (" Off ", Some(Change::Voice(Voice::Off))),
            ("질문만", Some(Change::Voice(Voice::Ask))),
            ("켜기", Some(Change::Voice(Voice::On))),
            ("lang KO", Some(Change::Lang(Some(Lang::Ko)))),
            ("언어 영어", Some(Change::Lang(Some(Lang::En)))),
            ("lang auto", Some(Change::Lang(None))),
            ("lang klingon", None),
            ("of the ingress controller", None),
        ] {
            assert_eq!(Change::parse(text), expect, "{text}");
        }
        for (voice, _) in Voice::ALL {
            assert_eq!(Voice::parse(voice.word()), Some(voice));
        }
    }
}
