//! The index and the ranking: which cases fit a question, how well, and by which words.
//!
//! One tantivy index for both languages, and for each audience one of its own (`layer`). Its fields are the words of a case, its facet terms and its exact signals. A word
//! also finds its translations, so that questions in one language find cases that exist only in the other.
//! Scores come from three parts that can each be explained ([`ScoreParts`]). Equal scores are ordered
//! by case id, so that the same question always gets the same answer.

use std::{collections::HashMap, ops::Range};

use crate::{
    corpus::{Audience, Corpus, Facet, Lang, Vocabulary, in_order},
    query::{Signal, SignalFinder, TokenKind, tokenize},
};

mod baseline;
mod collect;
mod layer;
mod passage;
mod rank;
mod schema;
mod similar;
mod spelling;

pub use baseline::Baseline;
pub(crate) use layer::Sight;
pub(crate) use passage::Passages;
pub(crate) use rank::{Hit, MASS_WORDS};

use layer::Layer;
use schema::{Fields, Reading};
use spelling::Spellings;

/// Which part of a case a text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Zone {
    /// The title.
    Title,
    /// What was seen.
    Symptoms,
    /// What set it off.
    Trigger,
    /// Mechanism and summary.
    Cause,
    /// Detection and what responders did.
    Actions,
    /// Lessons and follow-ups.
    Lessons,
    /// Error strings.
    Signals,
}

/// The passage of a case that fits the question best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// Where it stands.
    pub zone: Zone,
    /// Its language.
    pub lang: Lang,
    /// The passage, a sentence or two.
    pub text: String,
    /// Bytes of `text` that match, in order, not overlapping.
    pub highlights: Vec<Range<usize>>,
}

/// What a score is made of; each part lies between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScoreParts {
    /// Words: BM25, as a share of the most that these words could reach.
    pub words: f32,
    /// Facet terms: rarity of the shared ones as a share of all asked.
    pub terms: f32,
    /// Exact signals: the same.
    pub signals: f32,
}

/// An index over a corpus, immutable once built. Cases are named by their place in [`Corpus::cases`].
pub struct Index {
    /// What everybody may see.
    public: Layer,
    /// What only some may see, by audience.
    restricted: Vec<Layer>,
    fields: Fields,
    /// How rare each term is among the cases that everybody may see, by [`TermId::index`](crate::corpus::TermId::index).
    public_rarity: Vec<f32>,
    /// Signals of each case, folded and sorted.
    signals: Vec<Vec<String>>,
    passages: Vec<Passages>,
    /// Search words with those that mean the same, in either language.
    meanings: HashMap<String, Vec<(String, TokenKind)>>,
}

impl Index {
    /// Indexes the live cases of a corpus. `finder` recognises signals in their texts.
    pub(crate) fn build(corpus: &Corpus, finder: &SignalFinder) -> Self {
        let cases = corpus.cases();
        let mut audiences = vec![(&Audience::Everyone, Vec::new())];
        for (ordinal, case) in cases.iter().enumerate().filter(|(_, case)| case.is_live()) {
            match audiences
                .iter_mut()
                .find(|(audience, _)| **audience == case.audience)
            {
                Some((_, own)) => own.push(ordinal),
                None => audiences.push((&case.audience, vec![ordinal])),
            }
        }
        let mut signals = vec![Vec::new(); cases.len()];
        let mut passages: Vec<Passages> = Vec::new();
        passages.resize_with(cases.len(), Passages::default);
        let mut layer = |audience: &Audience, ordinals: Vec<usize>| {
            let mut term_frequency = vec![0_u32; corpus.vocabulary().terms().len()];
            let mut signal_frequency: HashMap<String, u32> = HashMap::new();
            let mut writer = schema::Writer::new();
            let count = u32::try_from(ordinals.len()).unwrap_or(u32::MAX);
            let read = |ordinal: &usize| (*ordinal, Reading::of(&cases[*ordinal], finder));
            in_order(&ordinals, read, |(ordinal, reading)| {
                let case = &cases[ordinal];
                for term in case.all_terms() {
                    term_frequency[term.index()] += 1;
                }
                for signal in &reading.signals {
                    *signal_frequency.entry(signal.clone()).or_default() += 1;
                }
                writer.add(ordinal, case, &reading.words, &reading.signals);
                passages[ordinal] = reading.passages;
                signals[ordinal] = reading.signals;
            });
            let (searcher, fields) = writer.finish();
            let mut spellings = Spellings::default();
            schema::each_word(&searcher, fields.text, |word| spellings.add(word));
            let layer = Layer {
                audience: audience.clone(),
                searcher,
                spellings,
                term_frequency,
                signal_frequency,
                cases: count,
            };
            (layer, fields)
        };
        let mut audiences = audiences.into_iter();
        let everyone = audiences.next().map_or_else(Vec::new, |(_, own)| own);
        let (public, fields) = layer(&Audience::Everyone, everyone);
        // The handles of all layers are the same: they have the same fields in the same order.
        let restricted = audiences.map(|(audience, own)| layer(audience, own).0);
        let restricted = restricted.collect();
        Self {
            public_rarity: layer::term_rarity(&[&public]),
            public,
            restricted,
            fields,
            signals,
            passages,
            meanings: meanings(corpus.vocabulary()),
        }
    }

    /// Returns whether a case has an exact signal.
    pub(crate) fn has_signal(&self, ordinal: usize, signal: &Signal) -> bool {
        self.signals[ordinal].binary_search(&signal.key).is_ok()
    }

    /// Returns a case's sentences.
    pub(crate) fn passages(&self, ordinal: usize) -> &Passages {
        &self.passages[ordinal]
    }
}

/// Returns search words with those that mean the same, in either language.
fn meanings(vocabulary: &Vocabulary) -> HashMap<String, Vec<(String, TokenKind)>> {
    let mut meanings: HashMap<String, Vec<(String, TokenKind)>> = HashMap::new();
    let mut add = |from: &str, to: &str, kind: TokenKind| {
        let known = meanings.entry(from.to_owned()).or_default();
        if from != to && known.iter().all(|(token, _)| token != to) {
            known.push((to.to_owned(), kind));
        }
    };
    for (korean, english) in vocabulary.translations() {
        add(korean, english, TokenKind::Translation);
        add(english, korean, TokenKind::Translation);
    }
    for group in vocabulary.synonyms() {
        let mut tokens: Vec<String> = Vec::new();
        for word in group {
            tokenize(word, &[], |token| {
                if token.kind == TokenKind::Word {
                    tokens.push(token.text.to_owned());
                }
            });
        }
        for from in &tokens {
            for to in &tokens {
                add(from, to, TokenKind::Synonym);
            }
        }
    }
    meanings
}

/// A written word of a question.
#[derive(Clone, Debug)]
pub(crate) struct AskedWord {
    /// Place in the question.
    pub(crate) span: Range<usize>,
    /// Its tokens; the first is the word itself.
    pub(crate) tokens: Vec<AskedToken>,
    /// How rare it is; a word that no case has counts as rarest.
    pub(crate) rarity: f32,
    /// Whether it belongs to a vocabulary term.
    pub(crate) in_term: bool,
    /// What it counts beside others, at most 1.
    weight: f32,
}

/// A token of a question's word.
#[derive(Clone, Debug)]
pub(crate) struct AskedToken {
    pub(crate) text: String,
    pub(crate) kind: TokenKind,
    /// As sentences keep it.
    hash: u32,
    /// In how many cases it occurs.
    frequency: u32,
}

/// How much a shared term of a facet says. Causes and factors are seldom known in the first minutes; if somebody names
/// one it is a guess.
const fn facet_weight(facet: Facet) -> f32 {
    match facet {
        Facet::Component | Facet::Symptom => 1.0,
        Facet::Cause => 0.6,
        Facet::Factor => 0.5,
    }
}
