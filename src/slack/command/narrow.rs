//! The small language of a question: `etcd timeouts component:etcd since:2023 lang:ko`, in either language.
//!
//! What narrows is taken out of the text by blanks of the same length, so that every span of what was understood is one
//! of the text as typed. What is not known stays in the text as words, and is told with what may have been meant.

use std::{borrow::Cow, ops::Range};

use crate::{
    corpus::{Facet, Lang, is_hangul, letters_apart},
    library::{Filter, Filters, Library},
};

/// Most filters that are read; more would be a pasted page.
const MOST: usize = 20;

/// Most slips that are told; looking for what may have been meant takes the longest.
const SLIPS: usize = 5;

/// Longest value that can be a name, in characters.
const VALUE_LENGTH: usize = 80;

/// A question as it was meant.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// What to look up: the text as typed, with blanks where it narrows.
    pub text: String,
    /// What narrows it.
    pub filters: Filters,
    /// The language that was asked for.
    pub lang: Option<Lang>,
    /// The filters, written properly.
    pub only: Vec<String>,
    /// What looked like a filter and is none.
    pub slips: Vec<Slip>,
}

/// A filter that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slip {
    /// As it was typed.
    pub typed: String,
    /// What may have been meant, best first.
    pub near: Vec<String>,
    /// Where it stands in the text as typed.
    span: Range<usize>,
}

/// What a word before a colon means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Filter(Filter),
    Lang,
}

/// The words before a colon.
const KEYS: &[(Key, &[&str])] = &[
    (
        Key::Filter(Filter::Term(Facet::Component)),
        &["component", "components", "구성요소", "컴포넌트"],
    ),
    (
        Key::Filter(Filter::Term(Facet::Symptom)),
        &["symptom", "symptoms", "증상"],
    ),
    (
        Key::Filter(Filter::Term(Facet::Cause)),
        &["cause", "causes", "원인"],
    ),
    (
        Key::Filter(Filter::Term(Facet::Factor)),
        &["factor", "factors", "요인", "기여요인"],
    ),
    (
        Key::Filter(Filter::Organisation),
        &[
            "org",
            "organisation",
            "organization",
            "company",
            "조직",
            "회사",
        ],
    ),
    (Key::Filter(Filter::Tag), &["tag", "tags", "태그"]),
    (Key::Filter(Filter::Since), &["since", "이후", "부터"]),
    (Key::Filter(Filter::Until), &["until", "까지", "이전"]),
    (Key::Filter(Filter::Year), &["year", "연도", "년도"]),
    (Key::Lang, &["lang", "language", "언어"]),
];

/// Names of languages, beside their tags.
const LANGUAGES: [(&str, Lang); 6] = [
    ("english", Lang::En),
    ("영어", Lang::En),
    ("영문", Lang::En),
    ("korean", Lang::Ko),
    ("한국어", Lang::Ko),
    ("한글", Lang::Ko),
];

/// A word of the form `key:value`.
struct Pair<'t> {
    key: &'t str,
    value: &'t str,
    /// All of it.
    whole: Range<usize>,
    /// The value without its quotes.
    inner: Range<usize>,
}

/// Understands a question.
pub fn understand(library: &Library, typed: &str) -> Asked {
    let mut asked = Asked {
        text: typed.to_owned(),
        ..Asked::default()
    };
    let mut blanks: Vec<Range<usize>> = Vec::new();
    for pair in pairs(typed).take(MOST) {
        if asked.slips.len() >= SLIPS {
            break;
        }
        match key(pair.key) {
            Some(Key::Lang) => match language(pair.value) {
                Some(lang) => {
                    asked.lang = Some(lang);
                    blanks.push(pair.whole);
                }
                None => asked.slips.push(Slip {
                    typed: typed[pair.whole.clone()].to_owned(),
                    near: Lang::ALL.map(|lang| format!("lang:{lang}")).to_vec(),
                    span: pair.whole,
                }),
            },
            Some(Key::Filter(filter)) => match add(library, filter, &pair, &mut asked) {
                Added::Whole => blanks.push(pair.whole),
                Added::Slip => {
                    // Its words still say something.
                    blanks.push(pair.whole.start..pair.inner.start);
                    blanks.push(pair.inner.end..pair.whole.end);
                }
                Added::Nothing => {}
            },
            None => {
                // `componet:etcd`, but not `case:` or `http:`: only what would be a filter with the right word.
                let meant = nearest_key(pair.key).and_then(|filter| {
                    filter
                        .add(library, pair.value, &mut Filters::default())
                        .ok()
                });
                if let Some(meant) = meant {
                    asked.slips.push(Slip {
                        typed: typed[pair.whole.clone()].to_owned(),
                        near: vec![meant],
                        span: pair.whole,
                    });
                }
            }
        }
    }
    for blank in blanks {
        let spaces = " ".repeat(blank.len());
        asked.text.replace_range(blank, &spaces);
    }
    asked
}

/// What became of a pair.
enum Added {
    /// It narrows.
    Whole,
    /// Any of it is not known.
    Slip,
    /// It was no filter.
    Nothing,
}

/// Adds what a pair says.
fn add(library: &Library, filter: Filter, pair: &Pair<'_>, asked: &mut Asked) -> Added {
    let value = unescaped(pair.value);
    let whole = filter.add(library, &value, &mut asked.filters);
    let near = match whole {
        Ok(proper) => {
            push_new(&mut asked.only, proper);
            return Added::Whole;
        }
        Err(near) => near,
    };
    // `component:etcd,redis` asks for both; a name with a comma in it was tried whole.
    let parts: Vec<&str> = value.split(',').filter(|part| !part.is_empty()).collect();
    if value.contains(',') && !parts.is_empty() {
        let mut filters = asked.filters.clone();
        let proper: Result<Vec<String>, Vec<String>> = parts
            .iter()
            .map(|part| filter.add(library, part.trim(), &mut filters))
            .collect();
        if let Ok(proper) = proper {
            asked.filters = filters;
            for proper in proper {
                push_new(&mut asked.only, proper);
            }
            return Added::Whole;
        }
    }
    // "증상:노드가 죽어요 원인:모름" is how people write a report in Korean, not a slip.
    let in_prose = pair.key.chars().any(is_hangul) && matches!(filter, Filter::Term(_));
    if near.is_empty() && in_prose {
        return Added::Nothing;
    }
    asked.slips.push(Slip {
        typed: filter.typed(&value),
        near,
        span: pair.whole.clone(),
    });
    Added::Slip
}

fn push_new(list: &mut Vec<String>, text: String) {
    if !list.contains(&text) {
        list.push(text);
    }
}

impl Asked {
    /// Returns whether nothing is looked up, so that all cases that the filters allow are asked for.
    pub fn is_list(&self) -> bool {
        self.text.trim().is_empty() && !self.only.is_empty()
    }
}

impl Slip {
    /// Returns the text as typed with what may have been meant in place of this.
    pub fn mended(&self, typed: &str, meant: &str) -> String {
        let mut mended = typed.to_owned();
        if typed.get(self.span.clone()).is_some() {
            mended.replace_range(self.span.clone(), meant);
        }
        mended
    }
}

/// Returns the language that a text asks for, if it does.
pub fn language_of(typed: &str) -> Option<Lang> {
    pairs(typed)
        .take(MOST)
        .filter(|pair| key(pair.key) == Some(Key::Lang))
        .find_map(|pair| language(pair.value))
}

/// Returns a text without the language that it asks for.
pub fn without_language(typed: &str) -> Cow<'_, str> {
    let found = pairs(typed)
        .take(MOST)
        .find(|pair| key(pair.key) == Some(Key::Lang) && language(pair.value).is_some());
    match found {
        Some(pair) => {
            let (before, after) = (&typed[..pair.whole.start], &typed[pair.whole.end..]);
            Cow::Owned(
                format!("{} {}", before.trim_end(), after.trim_start())
                    .trim()
                    .to_owned(),
            )
        }
        None => Cow::Borrowed(typed),
    }
}

/// Makes a text that nobody typed as a question mean itself: in an alert's `component:api` nothing narrows.
pub fn literal(text: &str) -> Cow<'_, str> {
    let mut plain = String::new();
    let (mut at, mut taken) = (0, 0);
    while let Some(pair) = next_pair(text, at) {
        at = pair.whole.end;
        if key(pair.key).is_some() || nearest_key(pair.key).is_some() {
            // The colon parts words all the same. What follows is then a word of its own, and may be a pair too.
            let colon = pair.whole.start + pair.key.len();
            at = colon + text[colon..].chars().next().map_or(0, char::len_utf8);
            plain.push_str(&text[taken..at]);
            plain.push(' ');
            taken = at;
        }
    }
    if taken == 0 {
        return Cow::Borrowed(text);
    }
    plain.push_str(&text[taken..]);
    Cow::Owned(plain)
}

fn key(word: &str) -> Option<Key> {
    let word = word.to_lowercase();
    let found = KEYS
        .iter()
        .find(|(_, words)| words.contains(&word.as_str()));
    found.map(|(key, _)| *key)
}

/// Returns the filter whose name a word may be a slip of.
fn nearest_key(word: &str) -> Option<Filter> {
    let word = word.to_lowercase();
    if !(4..=16).contains(&word.len()) || !word.is_ascii() {
        return None;
    }
    let names = KEYS.iter().filter_map(|(key, words)| match key {
        Key::Filter(filter) => Some((*filter, *words)),
        Key::Lang => None,
    });
    let near = names.flat_map(|(filter, words)| words.iter().map(move |name| (filter, *name)));
    near.filter(|(_, name)| name.len() >= 4)
        .filter_map(|(filter, name)| Some((letters_apart(&word, name, word.len() / 4)?, filter)))
        .filter(|(apart, _)| *apart > 0)
        .min_by_key(|(apart, _)| *apart)
        .map(|(_, filter)| filter)
}

fn language(value: &str) -> Option<Lang> {
    let lower = value.to_lowercase();
    let named = LANGUAGES.iter().find(|(name, _)| *name == lower);
    named
        .map(|(_, lang)| *lang)
        .or_else(|| Lang::from_tag(value))
}

/// Finds the words of the form `key:value`; a value with spaces stands in quotes.
fn pairs(text: &str) -> impl Iterator<Item = Pair<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let pair = next_pair(text, at)?;
        at = pair.whole.end;
        Some(pair)
    })
}

/// Finds the first pair from a place on, where a word may begin.
fn next_pair(text: &str, mut at: usize) -> Option<Pair<'_>> {
    loop {
        let rest = text.get(at..)?;
        let start = at + rest.find(|c: char| !c.is_whitespace())?;
        if let Some(pair) = pair_at(text, start) {
            return Some(pair);
        }
        let word = &text[start..];
        at = start + word.find(char::is_whitespace).unwrap_or(word.len());
    }
}

fn pair_at(text: &str, start: usize) -> Option<Pair<'_>> {
    let word = &text[start..];
    let end = word.find(|c: char| !(c.is_ascii_alphabetic() || is_hangul(c)))?;
    let colon = word[end..]
        .chars()
        .next()
        .filter(|c| matches!(c, ':' | '：'))?;
    let value_at = end + colon.len_utf8();
    if end == 0 {
        return None;
    }
    let value = &word[value_at..];
    let first = value.chars().next().filter(|c| !c.is_whitespace())?;
    let (inner, whole_end) = match closing(first) {
        Some(close) if value[first.len_utf8()..].contains(close) => {
            let open = first.len_utf8();
            let end = open + value[open..].find(close)?;
            let close_length = value[end..].chars().next().map_or(0, char::len_utf8);
            (open..end, end + close_length)
        }
        // Slack writes what looks like a host as a link: `org:<http://github.com|github.com>`.
        None if first == '<' && value.contains('>') => {
            let end = value.find('>')?;
            let open = value[..end].rfind('|').map_or(1, |bar| bar + 1);
            (open..end, end + 1)
        }
        _ => {
            let end = value.find(char::is_whitespace).unwrap_or(value.len());
            let bare = value[..end].trim_end_matches([',', ';', '.']);
            (0..bare.len(), bare.len())
        }
    };
    let text_of = value.get(inner.clone()).unwrap_or_default();
    let fits = !text_of.trim().is_empty() && text_of.chars().count() <= VALUE_LENGTH;
    let base = start + value_at;
    (fits && !text_of.starts_with("//")).then(|| Pair {
        key: &word[..end],
        value: text_of,
        whole: start..base + whole_end,
        inner: base + inner.start..base + inner.end,
    })
}

/// Returns what ends a quoted value, however the keyboard writes quotes.
const fn closing(open: char) -> Option<char> {
    match open {
        '"' => Some('"'),
        '\'' => Some('\''),
        '“' | '”' => Some('”'),
        '‘' | '’' => Some('’'),
        '「' => Some('」'),
        _ => None,
    }
}

fn unescaped(value: &str) -> String {
    let value = value.trim();
    value
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests;
