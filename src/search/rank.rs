//! Scores: words by BM25, facet terms by rarity, exact signals; one number between 0 and 1.

use std::collections::{BTreeMap, HashMap};

use tantivy::{
    Term,
    query::{
        BooleanQuery, BoostQuery, ConstScoreQuery, DisjunctionMaxQuery, Occur, Query, TermQuery,
    },
    schema::IndexRecordOption,
};

use super::{
    AskedToken, AskedWord, Index, ScoreParts, Sight, collect::Scored, facet_weight, passage, schema,
};
use crate::{
    corpus::{Corpus, TermId},
    query::{QueryTerms, Signal, TokenKind},
};

/// A case that fits a question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    /// Place in [`Corpus::cases`].
    pub(crate) ordinal: usize,
    /// Between 0 and 1.
    pub(crate) score: f32,
    /// What it is made of.
    pub(crate) parts: ScoreParts,
}

/// How many of a question's rarest words measure how much of it is answered. Long pasted texts repeat themselves; a
/// dozen words say what they are about.
pub(crate) const MASS_WORDS: usize = 12;

/// The most that BM25 gives for a word, as a multiple of its rarity: `k1 + 1` with tantivy's `k1` of 1.2.
const BM25_LIMIT: f32 = 2.2;

/// How many cases are scored in full.
const CANDIDATES: usize = 200;

/// Longest question in written words; the rarest are kept.
const WORD_LIMIT: usize = 40;

/// What a shared term and a shared signal add, as a multiple of their rarity. BM25 gives a word about 1.2 times its rarity
/// when it stands once in a text of average length; terms mostly repeat what words say already. Chosen on the tune half of
/// the gold sets; anything from 0.3 to 0.7 does nearly as well.
const TERM_WEIGHT: f32 = 0.5;
const SIGNAL_WEIGHT: f32 = 0.5;

/// What an ambiguous word's term counts beside a plain one.
const HINT_WEIGHT: f32 = 0.4;

/// Returns how rare something is that `frequency` of `total` cases have: BM25's inverse document frequency.
pub(super) fn rarity(total: u32, frequency: u32) -> f32 {
    let (total, frequency) = (total as f32, frequency as f32);
    (1.0 + (total - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln()
}

/// How much a token of each kind counts beside the word itself.
const fn kind_weight(kind: TokenKind) -> f32 {
    match kind {
        TokenKind::Word | TokenKind::Whole => 1.0,
        // As good as written right: on the gold sets' misspelt questions this lifts MRR from 0.81 to 0.97.
        TokenKind::Spelling => 0.8,
        // More would find more across languages and less within one (tune half, hit@1: 0.875 at 0.6, 0.868 at 0.9).
        TokenKind::Translation => 0.75,
        // Of synonyms, tune half, MRR: 0.916 without, 0.933 at 0.3, 0.939 at 0.5, 0.941 at 0.7.
        TokenKind::Synonym | TokenKind::Part => 0.5,
        TokenKind::Syllables => 0.25,
        TokenKind::Uncut => 0.15,
    }
}

pub(super) fn asked_words(sight: &Sight<'_>, terms: &QueryTerms) -> Vec<AskedWord> {
    let mut words: Vec<AskedWord> = Vec::new();
    let mut by_span: HashMap<(usize, usize), usize> = HashMap::new();
    for word in &terms.words {
        let at = *by_span
            .entry((word.span.start, word.span.end))
            .or_insert_with(|| {
                words.push(AskedWord {
                    span: word.span.clone(),
                    tokens: Vec::new(),
                    rarity: 0.0,
                    in_term: word.in_term,
                });
                words.len() - 1
            });
        words[at]
            .tokens
            .push(sight.token(word.token.clone(), word.kind));
    }
    let mut seen = std::collections::HashSet::new();
    words.retain(|word| seen.insert(word.tokens[0].text.clone()));
    for word in &mut words {
        sight.weigh(word);
    }
    words.sort_by(|a, b| {
        b.rarity
            .total_cmp(&a.rarity)
            .then(a.span.start.cmp(&b.span.start))
    });
    words.truncate(WORD_LIMIT);
    words
}

impl Sight<'_> {
    /// Returns the written words of a question, each once, with its tokens and rarity; rarest first.
    pub(crate) fn asked_words(&self, terms: &QueryTerms) -> Vec<AskedWord> {
        asked_words(self, terms)
    }

    fn token(&self, text: String, kind: TokenKind) -> AskedToken {
        let (hash, frequency) = (passage::hash(&text), self.frequency(&text));
        AskedToken {
            text,
            kind,
            hash,
            frequency,
        }
    }

    /// Sets how rare a word is, and adds its synonyms and translations, or likely spellings of an unknown one. A word that no case has
    /// is as rare as its rarest part, or as rare as can be.
    fn weigh(&self, word: &mut AskedWord) {
        let meanings = self.index.meanings.get(&word.tokens[0].text);
        let meanings = meanings
            .into_iter()
            .flatten()
            .map(|(token, kind)| self.token(token.clone(), *kind));
        word.tokens
            .extend(meanings.filter(|token| token.frequency > 0));
        let own = word.tokens[0].frequency;
        if own > 0 {
            word.rarity = rarity(self.cases, own);
            return;
        }
        if word.tokens.len() == 1 && !word.in_term {
            let spellings = self.spellings(&word.tokens[0].text).into_iter();
            let spellings =
                spellings.map(|token| self.token(token.to_owned(), TokenKind::Spelling));
            let spellings: Vec<AskedToken> = spellings.collect();
            word.tokens.extend(spellings);
        }
        let known = word
            .tokens
            .iter()
            .map(|token| token.frequency)
            .filter(|frequency| *frequency > 0)
            .min();
        word.rarity = rarity(self.cases, known.unwrap_or(0));
    }

    /// Finds the cases that fit best, best first.
    pub(crate) fn search(
        &self,
        corpus: &Corpus,
        terms: &QueryTerms,
        words: &[AskedWord],
        accept: &(dyn Fn(usize) -> bool + Sync),
    ) -> Vec<Hit> {
        let asked = Asked::new(self, corpus, terms, words);
        let query = asked.query(self.index);
        let candidates = self.scored(&query, CANDIDATES, accept);
        let mut hits: Vec<Hit> = candidates
            .into_iter()
            .map(|candidate| asked.score(self.index, corpus, candidate))
            .filter(|hit| hit.score > 0.0)
            .collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.ordinal.cmp(&b.ordinal)));
        hits
    }
}

/// A question's parts with what each could reach.
struct Asked<'a> {
    words: &'a [AskedWord],
    /// Rarity of the rarest words, the most that words could reach.
    words_mass: f32,
    terms: Vec<(TermId, f32)>,
    terms_mass: f32,
    signals: Vec<(&'a Signal, f32)>,
    signals_mass: f32,
}

impl<'a> Asked<'a> {
    fn new(
        sight: &Sight<'_>,
        corpus: &Corpus,
        terms: &'a QueryTerms,
        words: &'a [AskedWord],
    ) -> Self {
        let term_weight = |term: TermId| {
            let facet = corpus.vocabulary().term(term).facet;
            let plain = terms
                .terms
                .iter()
                .any(|found| found.term == term && !found.hint);
            let sure = if plain { 1.0 } else { HINT_WEIGHT };
            (
                term,
                TERM_WEIGHT * sure * sight.rarity(term) * facet_weight(facet),
            )
        };
        let term_weights: Vec<_> = terms.distinct_terms().map(term_weight).collect();
        let mut signals: Vec<(&Signal, f32)> = Vec::new();
        for signal in &terms.signals {
            if !signals.iter().any(|(known, _)| known.key == signal.key) {
                signals.push((signal, SIGNAL_WEIGHT * sight.signal_rarity(signal)));
            }
        }
        // Words arrive rarest first.
        let words_mass = words
            .iter()
            .take(MASS_WORDS)
            .map(|word| word.rarity)
            .sum::<f32>();
        Self {
            words,
            words_mass,
            terms_mass: term_weights.iter().map(|(_, weight)| weight).sum(),
            terms: term_weights,
            signals_mass: signals.iter().map(|(_, weight)| weight).sum(),
            signals,
        }
    }

    /// Builds the union of everything asked for. Terms and signals add their weight, so that cases which share no word
    /// are found too.
    fn query(&self, index: &Index) -> BooleanQuery {
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let mut weights: BTreeMap<&str, f32> = BTreeMap::new();
        let token_query = |token: &str, weight| -> Box<dyn Query> {
            let query = TermQuery::new(
                Term::from_field_text(index.fields.text, token),
                IndexRecordOption::WithFreqs,
            );
            Box::new(BoostQuery::new(Box::new(query), weight))
        };
        for word in self.words {
            let (mut same, mut others): (Vec<&AskedToken>, Vec<&AskedToken>) =
                word.tokens.iter().partition(|token| {
                    matches!(token.kind, TokenKind::Translation | TokenKind::Synonym)
                });
            // A bilingual case has a word in both languages; it counts once.
            if !same.is_empty() {
                same.push(others.remove(0));
                let same = same
                    .into_iter()
                    .map(|token| token_query(&token.text, kind_weight(token.kind)));
                clauses.push((
                    Occur::Should,
                    Box::new(DisjunctionMaxQuery::new(same.collect())),
                ));
            }
            let is_pair = |token: &AskedToken| token.kind == TokenKind::Syllables;
            let pairs = others.iter().filter(|token| is_pair(token)).count();
            for token in others.into_iter().filter(|token| token.frequency > 0) {
                // All pairs of a word together count at most like two.
                let share = if is_pair(token) {
                    (2.0 / pairs as f32).min(1.0)
                } else {
                    1.0
                };
                let known = weights.entry(&token.text).or_default();
                *known = known.max(kind_weight(token.kind) * share);
            }
        }
        for (token, weight) in weights {
            clauses.push((Occur::Should, token_query(token, weight)));
        }
        let exact = |field, text: &str, weight| -> (Occur, Box<dyn Query>) {
            let query =
                TermQuery::new(Term::from_field_text(field, text), IndexRecordOption::Basic);
            (
                Occur::Should,
                Box::new(ConstScoreQuery::new(Box::new(query), weight)),
            )
        };
        for (term, weight) in &self.terms {
            clauses.push(exact(index.fields.terms, &schema::term_key(*term), *weight));
        }
        for (signal, weight) in &self.signals {
            clauses.push(exact(index.fields.signals, &signal.key, *weight));
        }
        BooleanQuery::new(clauses)
    }

    /// Takes a candidate's raw score apart and puts it together again from parts that can be explained.
    fn score(&self, index: &Index, corpus: &Corpus, candidate: Scored) -> Hit {
        let case = &corpus.cases()[candidate.ordinal];
        let has_term = |term: &TermId| case.all_terms().any(|own| own == *term);
        let terms: f32 = self
            .terms
            .iter()
            .filter(|(term, _)| has_term(term))
            .map(|(_, weight)| weight)
            .sum();
        let has_signal = |signal: &Signal| index.has_signal(candidate.ordinal, signal);
        let signals: f32 = self
            .signals
            .iter()
            .filter(|(signal, _)| has_signal(signal))
            .map(|(_, weight)| weight)
            .sum();
        let words = (candidate.score - terms - signals).max(0.0);
        let words_limit = self.words_mass * BM25_LIMIT;
        let parts = ScoreParts {
            words: share(words, words_limit),
            terms: share(terms, self.terms_mass),
            signals: share(signals, self.signals_mass),
        };
        let score = share(
            candidate.score,
            words_limit + self.terms_mass + self.signals_mass,
        );
        Hit {
            ordinal: candidate.ordinal,
            score,
            parts,
        }
    }
}

/// Returns a part of a whole; nothing of nothing is nothing.
fn share(part: f32, whole: f32) -> f32 {
    if whole > 0.0 {
        (part / whole).min(1.0)
    } else {
        0.0
    }
}
