//! The two languages, and text that exists in one or both of them.

use std::fmt;

/// A language that answers can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lang {
    /// English.
    En,
    /// Korean.
    Ko,
}

impl Lang {
    /// Both languages, in the order in which files list them.
    pub const ALL: [Self; 2] = [Self::En, Self::Ko];

    /// Returns the ISO 639-1 code: `en` or `ko`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ko => "ko",
        }
    }

    /// Reads a language from a tag such as `ko`, `ko-KR` or `en_US`; other languages give `None`.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        Self::ALL
            .into_iter()
            .find(|lang| primary.eq_ignore_ascii_case(lang.code()))
    }

    /// Returns the other language.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::En => Self::Ko,
            Self::Ko => Self::En,
        }
    }
}

impl fmt::Display for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// A text in English, Korean or both; never in neither.
///
/// The bundled corpus has both everywhere (a lint keeps it so). A team's own incidents may have one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Localized {
    en: Option<String>,
    ko: Option<String>,
}

impl Localized {
    /// Makes a text from what a file gives; `None` when both languages are missing.
    pub fn new(en: Option<String>, ko: Option<String>) -> Option<Self> {
        (en.is_some() || ko.is_some()).then_some(Self { en, ko })
    }

    /// Makes a text with both languages.
    pub fn both(en: impl Into<String>, ko: impl Into<String>) -> Self {
        Self {
            en: Some(en.into()),
            ko: Some(ko.into()),
        }
    }

    /// Returns the text in `lang`, or in the other language when it exists only there.
    pub fn get(&self, lang: Lang) -> &str {
        self.exact(lang)
            .or_else(|| self.exact(lang.other()))
            .unwrap_or_default()
    }

    /// Returns the text in `lang` only.
    pub fn exact(&self, lang: Lang) -> Option<&str> {
        match lang {
            Lang::En => self.en.as_deref(),
            Lang::Ko => self.ko.as_deref(),
        }
    }

    /// Returns the text in `lang` alone, as if it had never been translated; in the other language when it exists only
    /// there.
    #[must_use]
    pub fn only(&self, lang: Lang) -> Self {
        let text = Some(self.get(lang).to_owned());
        let lang = if self.exact(lang).is_some() {
            lang
        } else {
            lang.other()
        };
        match lang {
            Lang::En => Self { en: text, ko: None },
            Lang::Ko => Self { en: None, ko: text },
        }
    }

    /// Iterates over the languages that exist, with their texts.
    pub fn iter(&self) -> impl Iterator<Item = (Lang, &str)> {
        Lang::ALL
            .into_iter()
            .filter_map(|lang| Some((lang, self.exact(lang)?)))
    }
}

/// Returns whether a character is a Hangul syllable.
pub const fn is_hangul(c: char) -> bool {
    matches!(c, '가'..='힣')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_tags_of_slack_and_browsers_are_understood() {
        assert_eq!(Lang::from_tag("ko-KR"), Some(Lang::Ko));
        assert_eq!(Lang::from_tag("en_GB"), Some(Lang::En));
        assert_eq!(Lang::from_tag("ja-JP"), None);
        assert_eq!(Lang::from_tag(""), None);
    }

    #[test]
    fn a_missing_language_falls_back_to_the_other() {
        let text = Localized::new(None, Some("느림".to_owned())).expect("one language is enough");
        assert_eq!(text.get(Lang::En), "느림");
        assert_eq!(text.exact(Lang::En), None);
        assert!(Localized::new(None, None).is_none());
    }
}
