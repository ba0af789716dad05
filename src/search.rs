//! The index and the ranking: which cases fit a question, how well, and by which words.
//!
//! One tantivy index for both languages. Its fields are the words of a case, its facet terms and its exact signals. A word
//! also finds its translations, so that questions in one language find cases that exist only in the other.
//! Scores come from three parts that can each be explained ([`ScoreParts`]). Equal scores are ordered
//! by case id, so that the same question always gets the same answer.

use std::{collections::HashMap, ops::Range, sync::Arc};

use crate::{
    corpus::{Case, Corpus, Facet, Lang, TermId, Vocabulary, in_order},
    query::{QueryTerms, Signal, SignalFinder, TokenKind, tokenize},
};

mod baseline;
mod collect;
mod passage;
mod rank;
mod schema;
mod similar;
mod spelling;

pub use baseline::Baseline;
pub(crate) use passage::Passages;
pub(crate) use rank::{Hit, MASS_WORDS};

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
    searcher: tantivy::Searcher,
    fields: Fields,
    /// How rare each term is among published cases, by [`TermId::index`].
    term_rarity: Vec<f32>,
    /// Signals of each case, folded and sorted.
    signals: Vec<Vec<String>>,
    /// In how many cases a signal occurs.
    signal_frequency: HashMap<String, u32>,
    passages: Vec<Passages>,
    spellings: Spellings,
    /// Search words with those that mean the same, in either language.
    meanings: HashMap<String, Vec<(String, TokenKind)>>,
    /// Number of published cases.
    published: u32,
}

impl Index {
    /// Indexes the published cases of a corpus. `finder` recognises signals in their texts.
    pub(crate) fn build(corpus: &Corpus, finder: &SignalFinder) -> Self {
        let cases = corpus.cases();
        let published =
            u32::try_from(cases.iter().filter(|case| case.is_live()).count()).unwrap_or(u32::MAX);
        let mut term_frequency = vec![0_u32; corpus.vocabulary().terms().len()];
        let mut signal_frequency: HashMap<String, u32> = HashMap::new();
        let mut signals = Vec::with_capacity(cases.len());
        let mut passages = Vec::with_capacity(cases.len());
        let mut writer = schema::Writer::new();
        let read = |case: &Arc<Case>| case.is_live().then(|| Reading::of(case, finder));
        in_order(cases, read, |reading| {
            let ordinal = signals.len();
            let Some(reading) = reading else {
                signals.push(Vec::new());
                passages.push(Passages::default());
                return;
            };
            let case = &cases[ordinal];
            for term in case.all_terms() {
                term_frequency[term.index()] += 1;
            }
            for signal in &reading.signals {
                *signal_frequency.entry(signal.clone()).or_default() += 1;
            }
            writer.add(ordinal, case, &reading.words, &reading.signals);
            passages.push(reading.passages);
            signals.push(reading.signals);
        });
        let (searcher, fields) = writer.finish();
        let mut spellings = Spellings::default();
        schema::each_word(&searcher, fields.text, |word| spellings.add(word));
        let term_rarity = term_frequency
            .iter()
            .map(|frequency| rank::rarity(published, *frequency))
            .collect();
        let meanings = meanings(corpus.vocabulary());
        Self {
            searcher,
            fields,
            term_rarity,
            signals,
            signal_frequency,
            passages,
            spellings,
            meanings,
            published,
        }
    }

    /// Returns how rare a term is among published cases: natural logarithm of the inverse frequency.
    pub(crate) fn rarity(&self, term: TermId) -> f32 {
        self.term_rarity[term.index()]
    }

    /// Returns how rare a word is that no case has.
    pub(crate) fn rarest(&self) -> f32 {
        rank::rarity(self.published, 0)
    }

    /// Returns how rare an exact signal is among published cases.
    fn signal_rarity(&self, signal: &Signal) -> f32 {
        rank::rarity(
            self.published,
            self.signal_frequency.get(&signal.key).copied().unwrap_or(0),
        )
    }

    /// Returns whether a case has an exact signal.
    pub(crate) fn has_signal(&self, ordinal: usize, signal: &Signal) -> bool {
        self.signals[ordinal].binary_search(&signal.key).is_ok()
    }

    /// Returns a case's sentences.
    pub(crate) fn passages(&self, ordinal: usize) -> &Passages {
        &self.passages[ordinal]
    }

    /// Returns the written words of a question, each once, with its tokens and rarity; rarest first.
    pub(crate) fn asked_words(&self, terms: &QueryTerms) -> Vec<AskedWord> {
        rank::asked_words(self, terms)
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
