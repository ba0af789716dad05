//! What people set: when the bot speaks, how sure it must be, in which language and where it posts.
//!
//! For one channel, for a whole workspace, or, where nobody set anything, as the service is configured; in this order.

use std::collections::BTreeMap;

use super::pattern::Pattern;
use crate::{corpus::Lang, library::CONFIDENT};

/// Most patterns that a workspace may set.
const PATTERNS: usize = 20;

/// Longest pattern, in characters: as long as Slack lets a channel's name be.
const PATTERN_LENGTH: usize = 80;

/// When the bot speaks in a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Voice {
    /// By itself too, if it is an incident channel.
    #[default]
    On,
    /// When it is asked.
    Ask,
    /// Never for everybody to see: whoever asks gets an answer of their own.
    Off,
}

/// How sure the bot must be to speak by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sure {
    /// Silent more often than it would have to be.
    Careful,
    /// As the service was measured to be silent where it should.
    #[default]
    Normal,
    /// Speaks more often, and is now and then wrong.
    Eager,
}

/// Where the suggestion is posted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spot {
    /// In the channel.
    #[default]
    Channel,
    /// In the thread of the channel's first known message.
    Thread,
}

/// Something that has a word to type and to store.
pub trait Named: Copy + PartialEq + 'static {
    /// All of them, each with its words, the first of which is stored.
    const ALL: &'static [(Self, &'static [&'static str])];

    /// Returns the word for it, as it is typed and stored.
    fn word(self) -> &'static str {
        let named = Self::ALL.iter().find(|(one, _)| *one == self);
        named.map_or("", |(_, words)| words[0])
    }

    /// Reads a word.
    fn parse(word: &str) -> Option<Self> {
        let named = |(_, words): &&(Self, &[&str])| {
            words.iter().any(|other| other.eq_ignore_ascii_case(word))
        };
        Self::ALL.iter().find(named).map(|(one, _)| *one)
    }
}

impl Named for Voice {
    const ALL: &'static [(Self, &'static [&'static str])] = &[
        (Self::On, &["on", "unmute", "켜기", "켜"]),
        (Self::Ask, &["ask", "mute", "질문만"]),
        (Self::Off, &["off", "끄기", "꺼"]),
    ];
}

impl Named for Sure {
    const ALL: &'static [(Self, &'static [&'static str])] = &[
        (Self::Careful, &["careful", "신중"]),
        (Self::Normal, &["normal", "보통"]),
        (Self::Eager, &["eager", "적극"]),
    ];
}

impl Named for Spot {
    const ALL: &'static [(Self, &'static [&'static str])] = &[
        (Self::Channel, &["channel", "채널"]),
        (Self::Thread, &["thread", "스레드"]),
    ];
}

impl Named for Lang {
    const ALL: &'static [(Self, &'static [&'static str])] = &[
        (Self::Ko, &["ko", "korean", "한국어"]),
        (Self::En, &["en", "english", "영어"]),
    ];
}

impl Named for bool {
    const ALL: &'static [(Self, &'static [&'static str])] = &[
        (true, &["on", "켜기", "켜"]),
        (false, &["off", "끄기", "꺼"]),
    ];
}

impl Sure {
    /// Returns the confidence from which the bot speaks. What the figures mean is measured in `tests/relevance`.
    pub const fn confidence(self) -> f32 {
        match self {
            Self::Careful => 0.75,
            Self::Normal => CONFIDENT,
            Self::Eager => 0.5,
        }
    }
}

/// Whom a change is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// The channel in which it is made.
    #[default]
    Channel,
    /// All channels of the workspace that set nothing else. Only its admins may make it.
    Workspace,
}

/// What is set; `None` unsets it, so that what comes next holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// When the bot speaks.
    Voice(Option<Voice>),
    /// In which language, for what everybody reads.
    Lang(Option<Lang>),
    /// How sure it must be.
    Sure(Option<Sure>),
    /// Where the suggestion goes.
    Spot(Option<Spot>),
    /// Whether the channel gets a bookmark of the suggestion.
    Bookmark(Option<bool>),
    /// Names of incident channels; only for a workspace.
    Patterns(Option<Vec<Pattern>>),
}

/// Names of what is set, as they are typed, stored, and sent by a menu.
pub mod name {
    /// See [`super::Value::Voice`].
    pub const VOICE: &str = "voice";
    /// See [`super::Value::Lang`].
    pub const LANG: &str = "lang";
    /// See [`super::Value::Sure`].
    pub const SURE: &str = "sure";
    /// See [`super::Value::Spot`].
    pub const SPOT: &str = "post";
    /// See [`super::Value::Bookmark`].
    pub const BOOKMARK: &str = "bookmark";
    /// See [`super::Value::Patterns`].
    pub const PATTERNS: &str = "patterns";
}

/// The word for "as set elsewhere".
pub const AUTO: &str = "auto";

/// What somebody sets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// For whom.
    pub reach: Reach,
    /// What; nothing when they only look.
    pub value: Option<Value>,
}

impl Value {
    /// Returns what its kind is called.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Voice(_) => name::VOICE,
            Self::Lang(_) => name::LANG,
            Self::Sure(_) => name::SURE,
            Self::Spot(_) => name::SPOT,
            Self::Bookmark(_) => name::BOOKMARK,
            Self::Patterns(_) => name::PATTERNS,
        }
    }

    /// Returns what is stored; `None` when it is to be unset.
    pub fn stored(&self) -> Option<String> {
        match self {
            Self::Voice(voice) => voice.map(|voice| voice.word().to_owned()),
            Self::Lang(lang) => lang.map(|lang| lang.code().to_owned()),
            Self::Sure(sure) => sure.map(|sure| sure.word().to_owned()),
            Self::Spot(spot) => spot.map(|spot| spot.word().to_owned()),
            Self::Bookmark(on) => on.map(|on| on.word().to_owned()),
            Self::Patterns(patterns) => patterns.as_deref().map(written),
        }
    }

    /// Reads the name and the words of something that is set.
    pub fn parse(name: &str, words: &str) -> Option<Self> {
        /// Makes a value of a word, or of none.
        fn either<T: Named>(words: &str, make: fn(Option<T>) -> Value) -> Option<Value> {
            if is_auto(words) {
                return Some(make(None));
            }
            T::parse(words).map(|value| make(Some(value)))
        }
        match name.to_lowercase().as_str() {
            name::VOICE | "말하기" => either(words, Self::Voice),
            name::LANG | "language" | "언어" => either(words, Self::Lang),
            name::SURE | "확신" => either(words, Self::Sure),
            name::SPOT | "위치" => either(words, Self::Spot),
            name::BOOKMARK | "북마크" => either(words, Self::Bookmark),
            name::PATTERNS | "패턴" if is_auto(words) => Some(Self::Patterns(None)),
            name::PATTERNS | "패턴" => Some(Self::Patterns(Some(patterns(words)?))),
            _ => None,
        }
    }
}

fn is_auto(word: &str) -> bool {
    [AUTO, "자동"]
        .iter()
        .any(|auto| auto.eq_ignore_ascii_case(word))
}

/// Reads patterns with commas or spaces between them; `None` when one could never be a channel's name.
fn patterns(text: &str) -> Option<Vec<Pattern>> {
    let words = text.split(|c: char| c == ',' || c.is_whitespace());
    let mut patterns: Vec<Pattern> = Vec::new();
    for word in words.filter(|word| !word.is_empty()) {
        let word = word.trim_start_matches('#');
        let fits = (1..=PATTERN_LENGTH).contains(&word.chars().count());
        let named = word
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '*'));
        if !fits || !named || patterns.len() >= PATTERNS {
            return None;
        }
        let Ok(pattern) = word.parse::<Pattern>();
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    (!patterns.is_empty()).then_some(patterns)
}

fn written(patterns: &[Pattern]) -> String {
    let words: Vec<&str> = patterns.iter().map(Pattern::as_str).collect();
    words.join(",")
}

impl Change {
    /// Reads what stands after the command's word; `None` when it sets nothing.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let workspace = ["workspace", "워크스페이스"];
        let (reach, text) = if workspace
            .iter()
            .any(|word| word.eq_ignore_ascii_case(first))
        {
            (Reach::Workspace, rest.trim())
        } else {
            (Reach::Channel, text)
        };
        let value = if text.is_empty() {
            None
        } else {
            Some(Self::value(reach, text)?)
        };
        Some(Self { reach, value })
    }

    fn value(reach: Reach, text: &str) -> Option<Value> {
        let Some((name, words)) = text.split_once(char::is_whitespace) else {
            return Value::parse(name::VOICE, text);
        };
        let value = Value::parse(name, words.trim())?;
        // A channel is an incident channel by its name, which everybody in the workspace sees.
        let fits = reach == Reach::Workspace || !matches!(value, Value::Patterns(_));
        fits.then_some(value)
    }
}

/// What is set in one place alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    voice: Option<Voice>,
    lang: Option<Lang>,
    sure: Option<Sure>,
    spot: Option<Spot>,
    bookmark: Option<bool>,
    patterns: Option<Vec<Pattern>>,
}

impl Set {
    /// Reads what is stored, by name. What is not understood counts as not set.
    pub fn read(stored: &BTreeMap<String, String>) -> Self {
        let mut set = Self::default();
        for (name, word) in stored {
            match Value::parse(name, word) {
                Some(Value::Voice(voice)) => set.voice = voice,
                Some(Value::Lang(lang)) => set.lang = lang,
                Some(Value::Sure(sure)) => set.sure = sure,
                Some(Value::Spot(spot)) => set.spot = spot,
                Some(Value::Bookmark(on)) => set.bookmark = on,
                Some(Value::Patterns(patterns)) => set.patterns = patterns,
                None => {}
            }
        }
        set
    }
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// It was set for the channel.
    Channel,
    /// It was set for the workspace.
    Workspace,
    /// Nobody set anything.
    Service,
}

/// A value with where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub source: Source,
}

impl<T> Given<T> {
    fn first(channel: Option<T>, workspace: Option<T>, service: T) -> Self {
        let (value, source) = match (channel, workspace) {
            (Some(value), _) => (value, Source::Channel),
            (None, Some(value)) => (value, Source::Workspace),
            (None, None) => (service, Source::Service),
        };
        Self { value, source }
    }
}

/// What holds in a channel, or, where there is none, in a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Here {
    /// When the bot speaks.
    pub voice: Given<Voice>,
    /// In which language everybody reads it; `None` leaves that to the text and the asker.
    pub lang: Given<Option<Lang>>,
    /// How sure it must be to speak by itself.
    pub sure: Given<Sure>,
    /// Where the suggestion goes.
    pub spot: Given<Spot>,
    /// Whether the channel gets a bookmark of the suggestion.
    pub bookmark: Given<bool>,
    /// Names of incident channels.
    pub patterns: Given<Vec<Pattern>>,
    /// Whether this is about a channel.
    pub in_channel: bool,
}

impl Here {
    /// Returns what holds: what the channel sets, what the workspace does, what the service is configured with.
    pub fn new(channel: Option<Set>, workspace: Set, patterns: &[Pattern]) -> Self {
        let in_channel = channel.is_some();
        let channel = channel.unwrap_or_default();
        let some = |lang: Option<Lang>| lang.map(Some);
        Self {
            voice: Given::first(channel.voice, workspace.voice, Voice::default()),
            lang: Given::first(some(channel.lang), some(workspace.lang), None),
            sure: Given::first(channel.sure, workspace.sure, Sure::default()),
            spot: Given::first(channel.spot, workspace.spot, Spot::default()),
            bookmark: Given::first(channel.bookmark, workspace.bookmark, false),
            patterns: Given::first(None, workspace.patterns, patterns.to_vec()),
            in_channel,
        }
    }
}

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saved {
    /// It was kept.
    Yes,
    /// It could not be kept.
    Failed,
    /// Only admins may make it.
    AdminsOnly,
    /// Only admins may make it, and it cannot be seen who is one.
    AdminUnknown,
    /// It was none.
    NotUnderstood,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<(Reach, Option<Value>)>) {
        let expect = expect.map(|(reach, value)| Change { reach, value });
        assert_eq!(Change::parse(text), expect, "{text}");
    }

    #[test]
    fn what_is_set_is_read_in_both_languages() {
        let channel = |value| Some((Reach::Channel, Some(value)));
        check("", Some((Reach::Channel, None)));
        check(" Off ", channel(Value::Voice(Some(Voice::Off))));
        check("질문만", channel(Value::Voice(Some(Voice::Ask))));
        check("켜기", channel(Value::Voice(Some(Voice::On))));
        check("auto", channel(Value::Voice(None)));
        check("lang KO", channel(Value::Lang(Some(Lang::Ko))));
        check("언어 영어", channel(Value::Lang(Some(Lang::En))));
        check("lang auto", channel(Value::Lang(None)));
        check("sure eager", channel(Value::Sure(Some(Sure::Eager))));
        check("확신 신중", channel(Value::Sure(Some(Sure::Careful))));
        check("post thread", channel(Value::Spot(Some(Spot::Thread))));
        check("bookmark on", channel(Value::Bookmark(Some(true))));
        for text in [
            "lang klingon",
            "of the ingress controller",
            "patterns inc-*",
            "workspace is down",
        ] {
            check(text, None);
        }
        for (voice, _) in Voice::ALL {
            assert_eq!(Voice::parse(voice.word()), Some(*voice));
        }
    }

    #[test]
    fn a_workspace_is_set_by_its_name() {
        let workspace = |value| Some((Reach::Workspace, value));
        check("workspace", workspace(None));
        check(
            "Workspace ask",
            workspace(Some(Value::Voice(Some(Voice::Ask)))),
        );
        let patterns = Value::Patterns(Some(
            ["inc-*", "장애-*"]
                .iter()
                .filter_map(|word| word.parse().ok())
                .collect(),
        ));
        check(
            "workspace patterns #INC-*, 장애-*,inc-*",
            workspace(Some(patterns.clone())),
        );
        check(
            "workspace patterns auto",
            workspace(Some(Value::Patterns(None))),
        );
        for wrong in [
            "<!channel>".to_owned(),
            "a".repeat(81),
            (0..=PATTERNS)
                .map(|at| format!("a{at}"))
                .collect::<Vec<_>>()
                .join(" "),
            "`inc`".to_owned(),
        ] {
            check(&format!("workspace patterns {wrong}"), None);
        }
        let stored = patterns.stored().expect("it is set");
        assert_eq!(Value::parse(name::PATTERNS, &stored), Some(patterns));
    }

    #[test]
    fn the_channel_comes_before_the_workspace_and_that_before_the_service() {
        let set = |pairs: &[(&str, &str)]| {
            let owned = |(name, word): &(&str, &str)| ((*name).to_owned(), (*word).to_owned());
            Set::read(&pairs.iter().map(owned).collect())
        };
        let channel = set(&[("voice", "ask"), ("sure", "nonsense")]);
        let workspace = set(&[("voice", "off"), ("sure", "careful"), ("patterns", "ops-*")]);
        let here = Here::new(Some(channel), workspace, &[]);
        assert_eq!(
            (here.voice.value, here.voice.source),
            (Voice::Ask, Source::Channel)
        );
        assert_eq!(
            (here.sure.value, here.sure.source),
            (Sure::Careful, Source::Workspace)
        );
        assert_eq!(here.patterns.value[0].as_str(), "ops-*");
        assert_eq!(
            (here.spot.value, here.spot.source),
            (Spot::Channel, Source::Service)
        );
        assert!(Sure::Careful.confidence() > Sure::Normal.confidence());
        assert!(Sure::Normal.confidence() > Sure::Eager.confidence());
    }
}
