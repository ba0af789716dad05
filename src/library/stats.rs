//! The library in figures.

use std::collections::BTreeMap;

use super::{Filters, Library, NamedCounts, TermCount};
use crate::corpus::{Case, ElapsedTime, Facet, Lang, Severity, SourceKind, TermId};

/// The library, or a part of it, in figures.
#[derive(Clone, Debug)]
pub struct Stats {
    /// How many cases are counted.
    pub cases: usize,
    /// Of those, the operator's own.
    pub own: usize,
    /// Terms, commonest first within a facet.
    pub facets: Vec<TermCount>,
    /// Organisations, tags and years.
    pub named: NamedCounts,
    /// Cases by the owners' own grade, gravest first; ungraded ones are in none.
    pub severities: Vec<(Severity, usize)>,
    /// From the start of the impact to its being noticed.
    pub time_to_detect: Option<Spread>,
    /// From the start of the impact to its end.
    pub time_to_recover: Option<Spread>,
    /// The same by cause, commonest cause first.
    pub recover_by_cause: Vec<(TermId, Spread)>,
    /// In how many cases each language is written.
    pub languages: Vec<(Lang, usize)>,
    /// How many sources of each kind there are; kinds without any are left out.
    pub sources: Vec<(SourceKind, usize)>,
}

/// How some lengths of time are spread, in minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    /// How many are known.
    pub known: usize,
    /// The shortest.
    pub shortest: u32,
    /// A quarter are not longer.
    pub lower_quartile: u32,
    /// Half are not longer.
    pub median: u32,
    /// Three quarters are not longer.
    pub upper_quartile: u32,
    /// The longest.
    pub longest: u32,
}

impl Spread {
    /// Describes lengths of time; `None` when there are none.
    pub fn of(times: impl Iterator<Item = ElapsedTime>) -> Option<Self> {
        let mut minutes: Vec<u32> = times.map(|time| time.minutes).collect();
        minutes.sort_unstable();
        // The nearest rank: always one of the lengths themselves.
        let rank = |quarters: usize| minutes[(minutes.len() * quarters).div_ceil(4).max(1) - 1];
        Some(Self {
            known: minutes.len(),
            shortest: *minutes.first()?,
            lower_quartile: rank(1),
            median: rank(2),
            upper_quartile: rank(3),
            longest: *minutes.last()?,
        })
    }
}

impl Library {
    /// Counts the cases that filters allow.
    pub fn stats(&self, filters: &Filters) -> Stats {
        let ordinals: Vec<usize> = self.newest_first(filters).collect();
        let cases = || ordinals.iter().map(|at| &*self.corpus.cases()[*at]);
        let facets = self.term_counts(ordinals.iter().copied());
        let recover_by_cause = facets
            .iter()
            .filter(|count| self.facet(count.term) == Facet::Cause)
            .filter_map(|count| {
                let own = cases().filter(|case| case.causes.contains(&count.term));
                let spread = Spread::of(own.filter_map(|case| case.time_to_recover))?;
                Some((count.term, spread))
            })
            .collect();
        let languages = Lang::ALL.map(|lang| {
            let written = |case: &&Case| case.title.exact(lang).is_some();
            (lang, cases().filter(written).count())
        });
        let kinds = cases().flat_map(|case| case.sources.iter().map(|source| source.kind));
        Stats {
            cases: ordinals.len(),
            own: cases().filter(|case| case.own).count(),
            named: self.named_counts(ordinals.iter().copied()),
            severities: tally(cases().filter_map(|case| case.severity)),
            time_to_detect: Spread::of(cases().filter_map(|case| case.time_to_detect)),
            time_to_recover: Spread::of(cases().filter_map(|case| case.time_to_recover)),
            recover_by_cause,
            languages: languages.to_vec(),
            sources: tally(kinds),
            facets,
        }
    }
}

fn tally<T: Ord>(values: impl Iterator<Item = T>) -> Vec<(T, usize)> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    counts.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_lengths_that_occur() {
        let spread = |minutes: &[u32]| {
            let time = |minutes: &u32| ElapsedTime {
                minutes: *minutes,
                approximate: false,
            };
            Spread::of(minutes.iter().map(time))
                .map(|spread| [spread.lower_quartile, spread.median, spread.upper_quartile])
        };
        assert_eq!(spread(&[]), None);
        assert_eq!(spread(&[7]), Some([7, 7, 7]));
        assert_eq!(spread(&[8, 2, 4, 6]), Some([2, 4, 6]));
        assert_eq!(spread(&[1, 2, 3, 4, 5]), Some([2, 3, 4]));
    }
}
