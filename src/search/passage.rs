//! The sentences of a case: which one answers a question best, and which of the asker's words a case has at all.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
};

use super::{AskedWord, Snippet, Zone, schema};
use crate::{
    corpus::{Case, Lang, Localized, cut},
    query::{TokenKind, tokenize},
};

/// The sentences of one case.
#[derive(Debug, Default)]
pub(crate) struct Passages {
    sentences: Vec<Sentence>,
    /// Hashes of all tokens of the case, sorted.
    tokens: Box<[u32]>,
}

#[derive(Debug)]
struct Sentence {
    zone: Zone,
    lang: Lang,
    /// Which text of the zone, in the order of [`quotable`].
    text: u8,
    span: Range<u32>,
    /// Hashes of its tokens. Four bytes a token keep hundreds of cases in a few megabytes.
    tokens: Box<[u32]>,
}

/// Longest passage in characters that is quoted.
const PASSAGE_LIMIT: usize = 280;

/// The texts that a passage may be quoted from, by zone, in a fixed order.
fn quotable(case: &Case) -> Vec<(Zone, &Localized)> {
    let texts = schema::texts(case);
    texts
        .into_iter()
        .filter(|(zone, _)| !matches!(zone, Zone::Signals))
        .collect()
}

impl Passages {
    /// Reads the sentences of a case; `emit` gets every token, for the index.
    pub(super) fn new(case: &Case, mut emit: impl FnMut(&str)) -> Self {
        let mut sentences = Vec::new();
        let mut tokens: Vec<u32> = Vec::new();
        for (at, (zone, text)) in quotable(case)
            .into_iter()
            .enumerate()
            .take(usize::from(u8::MAX))
        {
            for (lang, text) in text.iter() {
                let spans = sentence_spans(text);
                let mut hashes: Vec<Vec<u32>> = vec![Vec::new(); spans.len()];
                let mut current = 0;
                tokenize(text, &[], |token| {
                    while current + 1 < spans.len() && spans[current + 1].start <= token.span.start
                    {
                        current += 1;
                    }
                    let hash = hash(token.text);
                    tokens.push(hash);
                    if let Some(hashes) = hashes.get_mut(current) {
                        hashes.push(hash);
                    }
                    emit(token.text);
                });
                for (span, hashes) in spans.into_iter().zip(hashes) {
                    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
                    sentences.push(Sentence {
                        zone,
                        lang,
                        text: u8::try_from(at).expect("`take` bounds it"),
                        span: place(span.start)..place(span.end),
                        tokens: hashes.into_boxed_slice(),
                    });
                }
            }
        }
        for signal in &case.signals {
            tokenize(signal, &[], |token| {
                tokens.push(hash(token.text));
                emit(token.text);
            });
        }
        tokens.sort_unstable();
        tokens.dedup();
        Self {
            sentences,
            tokens: tokens.into_boxed_slice(),
        }
    }

    /// Returns whether the case has a word: itself, or for a compound unknown as a whole, all its parts.
    pub(crate) fn has(&self, word: &AskedWord) -> bool {
        has_word(word, |hash| self.tokens.binary_search(&hash).is_ok())
    }

    /// Returns whether the case has every word of a text, wherever they stand.
    pub(crate) fn say(&self, text: &str) -> bool {
        let (mut some, mut all) = (false, true);
        tokenize(text, &[], |token| {
            if matches!(token.kind, TokenKind::Word | TokenKind::Whole) {
                some = true;
                all &= self.tokens.binary_search(&hash(token.text)).is_ok();
            }
        });
        some && all
    }

    /// Returns the sentence in `lang` that has most of the words, weighed by rarity.
    pub(crate) fn best(&self, case: &Case, words: &[AskedWord], lang: Lang) -> Option<Snippet> {
        let has_lang = self.sentences.iter().any(|sentence| sentence.lang == lang);
        let lang = if has_lang { lang } else { lang.other() };
        let value = |sentence: &Sentence| -> f32 {
            let sum: f32 = words
                .iter()
                .filter(|word| sentence.has(word))
                .map(|word| word.rarity)
                .sum();
            // What was seen is what the asker can compare with.
            let zone = match sentence.zone {
                Zone::Symptoms | Zone::Signals => 1.0,
                Zone::Trigger | Zone::Cause => 0.9,
                Zone::Actions => 0.7,
                Zone::Title | Zone::Lessons => 0.5,
            };
            sum * zone
        };
        let mut best: Option<(&Sentence, f32)> = None;
        for sentence in self
            .sentences
            .iter()
            .filter(|sentence| sentence.lang == lang)
        {
            let value = value(sentence);
            if value > best.map_or(0.0, |(_, value)| value) {
                best = Some((sentence, value));
            }
        }
        let (sentence, _) = best?;
        let (_, text) = quotable(case)[usize::from(sentence.text)];
        let text = text
            .get(lang)
            .get(sentence.span.start as usize..sentence.span.end as usize)?;
        let text = cut(text, PASSAGE_LIMIT).into_owned();
        let highlights = highlights(&text, words);
        Some(Snippet {
            zone: sentence.zone,
            lang,
            text,
            highlights,
        })
    }
}

impl Sentence {
    fn has(&self, word: &AskedWord) -> bool {
        // A sentence has a few dozen tokens: looking at all of them is quicker than keeping them sorted.
        has_word(word, |hash| self.tokens.contains(&hash))
    }
}

/// Returns whether tokens have a word: itself, a likely spelling or a translation of it, or for a compound, all its parts.
fn has_word(word: &AskedWord, contains: impl Fn(u32) -> bool) -> bool {
    let of_kind =
        |kind: fn(TokenKind) -> bool| word.tokens.iter().filter(move |token| kind(token.kind));
    if contains(word.tokens[0].hash)
        || of_kind(|kind| {
            matches!(
                kind,
                TokenKind::Spelling | TokenKind::Translation | TokenKind::Synonym
            )
        })
        .any(|token| contains(token.hash))
    {
        return true;
    }
    let mut parts =
        of_kind(|kind| matches!(kind, TokenKind::Part | TokenKind::Syllables)).peekable();
    parts.peek().is_some() && parts.all(|token| contains(token.hash))
}

/// Hashes a token. The hasher's keys are fixed, so hashes are the same in every run.
pub(super) fn hash(token: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    token.hash(&mut hasher);
    u32::try_from(hasher.finish() >> 32).expect("32 bits are left")
}

/// Splits a text into sentences: at line breaks, and at full stops that end a word and stand before a space.
fn sentence_spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut start = 0;
    let mut push = |from: usize, to: usize| {
        let piece = &text[from..to];
        let lead = piece.len() - piece.trim_start().len();
        let trimmed = piece.trim();
        if !trimmed.is_empty() {
            spans.push(from + lead..from + lead + trimmed.len());
        }
    };
    let bytes = text.as_bytes();
    for (at, c) in text.char_indices() {
        let next_is_space = bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace);
        // `v1.24` and `us-east-1.` inside a name do not end a sentence; a digit before the stop may ("at 14:39.").
        let ends = c == '\n' || matches!(c, '.' | '!' | '?') && next_is_space;
        if ends {
            push(start, at + c.len_utf8());
            start = at + c.len_utf8();
        }
    }
    push(start, text.len());
    spans
}

/// Finds the places of the asker's words.
fn highlights(text: &str, words: &[AskedWord]) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    tokenize(text, &[], |token| {
        let matches = token.kind != TokenKind::Syllables
            && words.iter().any(|word| {
                word.tokens
                    .iter()
                    .any(|own| own.kind != TokenKind::Syllables && own.text == token.text)
            });
        if matches && spans.last() != Some(&token.span) {
            spans.push(token.span);
        }
    });
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup_by(|later, earlier| later.start < earlier.end);
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_sentences_end() {
        let text = "etcd v3.2 failed at 14:39 UTC. Nodes fell out.\n\n파드가 떴다. 502를 냈다";
        let found: Vec<_> = sentence_spans(text)
            .into_iter()
            .map(|span| &text[span])
            .collect();
        assert_eq!(
            found,
            [
                "etcd v3.2 failed at 14:39 UTC.",
                "Nodes fell out.",
                "파드가 떴다.",
                "502를 냈다"
            ]
        );
    }

    #[test]
    fn long_sentences_are_cut_at_a_word() {
        let text = "word ".repeat(100);
        let cut = cut(&text, PASSAGE_LIMIT);
        assert!(cut.ends_with("word…") && cut.chars().count() <= PASSAGE_LIMIT);
    }
}
