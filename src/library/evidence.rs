//! Why a case is close to a question: what of the asker's it has, what it names in passing, and what it lacks.

use std::{ops::Range, sync::Arc};

use super::{Evidence, Library, Precedent};
use crate::{
    corpus::{Lang, TermId},
    query::{FoundTerm, QueryTerms, overlap},
    search::{AskedWord, Hit, Passages},
};

/// How many matched words are named; more would hide the terms.
const SHOWN_WORDS: usize = 6;

/// Rarity from which a word is worth naming: one that at most every fifth case has.
const TELLING_RARITY: f32 = 1.6;

impl Library {
    /// Says why a case is close.
    pub(super) fn precedent(
        &self,
        hit: &Hit,
        terms: &QueryTerms,
        words: &[AskedWord],
        lang: Lang,
    ) -> Precedent {
        let case = &self.corpus.cases()[hit.ordinal];
        let passages = self.index.passages(hit.ordinal);
        let (mut matched, mut unmatched) = (Vec::new(), Vec::new());
        let mut mentions: Vec<String> = Vec::new();
        let mut mention = |text: String| {
            if !mentions.contains(&text) {
                mentions.push(text);
            }
        };
        for term in self.rarest_first(terms.distinct_terms().collect()) {
            if case.all_terms().any(|own| own == term) {
                matched.push(Evidence::Term(term));
            } else if let Some(text) = mentioned(term, terms, words, passages) {
                mention(text);
            } else {
                unmatched.push(Evidence::Term(term));
            }
        }
        let mut seen: Vec<&str> = Vec::new();
        for signal in &terms.signals {
            if seen.contains(&signal.key.as_str()) {
                continue;
            }
            seen.push(&signal.key);
            if self.index.has_signal(hit.ordinal, signal) {
                matched.push(Evidence::Signal(signal.text.clone()));
            } else if let Some(text) = named(&signal.span, &signal.text, terms, words, passages) {
                mention(text);
            } else {
                unmatched.push(Evidence::Signal(signal.text.clone()));
            }
        }
        let shown_in_signal = |word: &AskedWord| {
            terms
                .signals
                .iter()
                .any(|signal| overlap(&word.span, &signal.span))
        };
        let telling = words
            .iter()
            .filter(|word| word.rarity >= TELLING_RARITY && !word.in_term)
            .filter(|word| !shown_in_signal(word) && passages.has(word));
        let telling = telling.take(SHOWN_WORDS).map(|word| written(word, terms));
        let telling: Vec<String> = telling.collect();
        matched.extend(mentions.into_iter().map(Evidence::Mention));
        matched.extend(telling.into_iter().map(Evidence::Word));
        Precedent {
            case: Arc::clone(case),
            score: hit.score,
            parts: hit.parts,
            matched,
            unmatched,
            snippet: passages.best(case, words, lang),
            opinion: None,
        }
    }
}

/// Returns with which of the asker's words a case without a term names it all the same. It must have the most telling of
/// them: of "load balancer", "load" alone is something else.
fn mentioned(
    term: TermId,
    terms: &QueryTerms,
    words: &[AskedWord],
    passages: &Passages,
) -> Option<String> {
    let mut found = terms.terms.iter().filter(|found| found.term == term);
    found.find_map(|FoundTerm { span, text, .. }| {
        // A term may be a part of a longer word of the question, or stand there again: `db` of `db-s1-07`.
        if passages.say(text) {
            return Some(text.clone());
        }
        // Words arrive rarest first.
        let telling = words.iter().find(|word| overlap(&word.span, span));
        telling.filter(|word| passages.has(word))?;
        named(span, text, terms, words, passages)
    })
}

/// Returns what a case has of a place of the question: all of it, or its most telling word there.
fn named(
    span: &Range<usize>,
    text: &str,
    terms: &QueryTerms,
    words: &[AskedWord],
    passages: &Passages,
) -> Option<String> {
    let there = || words.iter().filter(|word| overlap(&word.span, span));
    let first = there().find(|word| passages.has(word))?;
    if there().all(|word| passages.has(word)) {
        return Some(text.to_owned());
    }
    Some(written(first, terms))
}

/// Returns a word as the asker wrote it.
fn written(word: &AskedWord, terms: &QueryTerms) -> String {
    let own = terms.words.iter().find(|own| own.span == word.span);
    own.map_or_else(|| word.tokens[0].text.clone(), |own| own.text.clone())
}
