//! The cases of each audience apart, and what one viewer sees of them.
//!
//! How rare a word is, which spellings are known and what a score is worth would tell of cases that count in them. So the
//! cases of each audience are indexed apart, and all figures are added up over those that a viewer belongs to: to them the
//! other cases do not exist.

use std::{borrow::Cow, collections::HashMap};

use tantivy::{
    Searcher, Term,
    query::{Bm25StatisticsProvider, Query},
    schema::Field,
};

use super::{
    Index,
    collect::{Best, Scored, best_first},
    rank,
    spelling::Spellings,
};
use crate::{
    corpus::{Audience, TermId, Viewer},
    query::Signal,
};

/// The cases of one audience.
pub(super) struct Layer {
    pub(super) audience: Audience,
    pub(super) searcher: Searcher,
    pub(super) spellings: Spellings,
    /// In how many of its cases each term occurs, by [`TermId::index`].
    pub(super) term_frequency: Vec<u32>,
    /// In how many of its cases a signal occurs.
    pub(super) signal_frequency: HashMap<String, u32>,
    /// How many cases it holds.
    pub(super) cases: u32,
}

/// An index as somebody sees it.
pub(crate) struct Sight<'a> {
    pub(super) index: &'a Index,
    /// What everybody sees first.
    pub(super) layers: Vec<&'a Layer>,
    /// How many cases they hold.
    pub(super) cases: u32,
    /// How rare each term is among them, by [`TermId::index`].
    term_rarity: Cow<'a, [f32]>,
}

/// Returns how rare each term is among the cases of some layers.
pub(super) fn term_rarity(layers: &[&Layer]) -> Vec<f32> {
    let cases = cases(layers);
    let terms = layers.first().map_or(0, |layer| layer.term_frequency.len());
    let frequency = |term: usize| layers.iter().map(|layer| layer.term_frequency[term]).sum();
    (0..terms)
        .map(|term| rank::rarity(cases, frequency(term)))
        .collect()
}

fn cases(layers: &[&Layer]) -> u32 {
    layers.iter().map(|layer| layer.cases).sum()
}

impl Index {
    /// Returns the index as somebody sees it.
    pub(crate) fn seen_by(&self, viewer: &Viewer) -> Sight<'_> {
        let restricted = self.restricted.iter();
        let own = restricted.filter(|layer| layer.audience.admits(viewer));
        let layers: Vec<&Layer> = std::iter::once(&self.public).chain(own).collect();
        let term_rarity = if layers.len() == 1 {
            Cow::Borrowed(&self.public_rarity[..])
        } else {
            Cow::Owned(term_rarity(&layers))
        };
        Sight {
            index: self,
            cases: cases(&layers),
            layers,
            term_rarity,
        }
    }
}

impl Sight<'_> {
    /// Returns how rare a term is: natural logarithm of the inverse frequency.
    pub(crate) fn rarity(&self, term: TermId) -> f32 {
        self.term_rarity[term.index()]
    }

    /// Returns how rare a word is that no case has.
    pub(crate) fn rarest(&self) -> f32 {
        rank::rarity(self.cases, 0)
    }

    /// Returns how rare an exact signal is.
    pub(super) fn signal_rarity(&self, signal: &Signal) -> f32 {
        let of_layer = |layer: &&Layer| layer.signal_frequency.get(&signal.key).copied();
        let frequency = self.layers.iter().filter_map(of_layer).sum();
        rank::rarity(self.cases, frequency)
    }

    /// Returns in how many cases a token occurs.
    pub(super) fn frequency(&self, token: &str) -> u32 {
        let term = Term::from_field_text(self.index.fields.text, token);
        let frequency = self.doc_freq(&term).unwrap_or_default();
        u32::try_from(frequency).unwrap_or(u32::MAX)
    }

    /// Returns the best cases of all layers that `accept` allows, scored as if they were one index; best first.
    pub(super) fn scored(
        &self,
        query: &dyn Query,
        limit: usize,
        accept: &(dyn Fn(usize) -> bool + Sync),
    ) -> Vec<Scored> {
        let mut scored: Vec<Scored> = Vec::new();
        for layer in &self.layers {
            let schema = layer.searcher.schema();
            let collector = Best {
                ordinal_field: schema.get_field_name(self.index.fields.ordinal).to_owned(),
                limit,
                accept,
            };
            let found = layer
                .searcher
                .search_with_statistics_provider(query, &collector, self)
                .expect("an index in memory does no I/O that could fail");
            scored.extend(found);
        }
        scored.sort_unstable_by(best_first);
        scored.truncate(limit);
        scored
    }

    /// Returns known words that an unknown one was probably meant for, commonest first.
    pub(super) fn spellings(&self, word: &str) -> Vec<&str> {
        let layers = self.layers.iter();
        Spellings::near(layers.map(|layer| &layer.spellings), word, |token| {
            self.frequency(token)
        })
    }
}

impl Bm25StatisticsProvider for Sight<'_> {
    fn total_num_tokens(&self, field: Field) -> tantivy::Result<u64> {
        let layers = self.layers.iter();
        layers
            .map(|layer| layer.searcher.total_num_tokens(field))
            .sum()
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        let layers = self.layers.iter();
        layers.map(|layer| layer.searcher.total_num_docs()).sum()
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        let layers = self.layers.iter();
        layers
            .map(|layer| Bm25StatisticsProvider::doc_freq(&layer.searcher, term))
            .sum()
    }
}
