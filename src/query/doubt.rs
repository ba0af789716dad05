//! Drops what rests on little where other words say more.
//!
//! A frame reads a term out of words that each mean something else too, and a hint is a word with several meanings. Alone
//! they are mostly right. Counted over the training texts (`tests/relevance/extraction-train.toml`), they are wrong more
//! often than not: a part that one frame names beside a part that a word names (8 right of 27), a symptom whose frame
//! shares its words with another symptom (25 of 72), a third symptom or factor (12 of 46), and a hint at a symptom where
//! the text speaks of trouble plainly (4 of 24).

use std::ops::Range;

use super::{Meant, noise::overlap};
use crate::corpus::{Facet, TermId};

/// What a term rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ground {
    /// Only ambiguous words.
    Hint,
    /// One frame.
    Frame,
    /// A word that means it, or several frames.
    Firm,
}

/// A term with all its places.
struct Reading {
    term: TermId,
    facet: Facet,
    ground: Ground,
    spans: Vec<Range<usize>>,
}

impl Reading {
    fn shares_words_with(&self, other: &Self) -> bool {
        let mut spans = self.spans.iter();
        spans.any(|span| other.spans.iter().any(|place| overlap(span, place)))
    }

    /// Returns whether the words of this reading stand nearer to each other, or first.
    fn is_tighter_than(&self, other: &Self) -> bool {
        let measure = |reading: &Self| reading.spans.first().map(|span| (span.len(), span.start));
        measure(self) < measure(other)
    }
}

/// Drops the doubtful ones. `speaks_up` says whether the text holds an exact signal, `is_plain` whether it has words of
/// trouble.
pub(super) fn drop_doubtful(
    meant: &mut Vec<Meant>,
    facet: impl Fn(TermId) -> Facet,
    speaks_up: bool,
    is_plain: bool,
) {
    let readings = readings(meant, facet);
    let has_part = readings
        .iter()
        .any(|reading| reading.facet == Facet::Component && reading.ground != Ground::Hint);
    let is_doubtful = |reading: &Reading| match (reading.ground, reading.facet) {
        (Ground::Firm, _) => false,
        (Ground::Hint, facet) => facet == Facet::Symptom && !speaks_up && (is_plain || !has_part),
        (Ground::Frame, facet) => {
            let others = || {
                readings
                    .iter()
                    .filter(|other| other.facet == facet && other.term != reading.term)
            };
            let mut firm = others().filter(|other| other.ground == Ground::Firm);
            let outweighed = match facet {
                Facet::Component | Facet::Cause => firm.next().is_some(),
                Facet::Factor => firm.next().is_some() || others().count() >= 2,
                Facet::Symptom => {
                    firm.any(|other| reading.shares_words_with(other)) || others().count() >= 2
                }
            };
            outweighed
                || others().any(|other| {
                    other.ground == Ground::Frame
                        && reading.shares_words_with(other)
                        && other.is_tighter_than(reading)
                })
        }
    };
    let doubtful: Vec<TermId> = readings
        .iter()
        .filter(|reading| is_doubtful(reading))
        .map(|reading| reading.term)
        .collect();
    meant.retain(|meant| !doubtful.contains(&meant.term));
}

fn readings(meant: &[Meant], facet: impl Fn(TermId) -> Facet) -> Vec<Reading> {
    let mut readings: Vec<Reading> = Vec::new();
    for place in meant {
        if readings.iter().any(|reading| reading.term == place.term) {
            continue;
        }
        let places: Vec<&Meant> = meant
            .iter()
            .filter(|other| other.term == place.term)
            .collect();
        let ground = if places.iter().all(|place| place.hint) {
            Ground::Hint
        } else if places
            .iter()
            .all(|other| other.frame.is_some() && other.frame == place.frame)
        {
            Ground::Frame
        } else {
            Ground::Firm
        };
        readings.push(Reading {
            term: place.term,
            facet: facet(place.term),
            ground,
            spans: places.into_iter().map(|place| place.span.clone()).collect(),
        });
    }
    readings
}
