//! How many of some cases have each term, organisation, tag and year.

use std::{cmp::Reverse, collections::HashMap, sync::Arc};

use super::{Library, TermCount};
use crate::corpus::{Case, Corpus, Facet, TermId, Viewer};

/// How many of the found cases have a name: an organisation, or the slug of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameCount {
    /// The name.
    pub name: Arc<str>,
    /// Found cases that have it.
    pub count: usize,
}

/// How many of the found cases began in a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct YearCount {
    /// The year.
    pub year: u16,
    /// Found cases of it.
    pub count: usize,
}

/// What the found cases have besides vocabulary terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedCounts {
    /// Organisations, commonest first.
    pub organisations: Vec<NameCount>,
    /// Slugs of tags, commonest first.
    pub tags: Vec<NameCount>,
    /// Years, newest first; undated cases are in none.
    pub years: Vec<YearCount>,
}

/// What is known of all cases beforehand, so that counting and listing need no hashing and no sorting.
pub(super) struct Catalogue {
    organisations: Vec<Arc<str>>,
    tags: Vec<Arc<str>>,
    /// Each case's place in `organisations`.
    organisation_of: Vec<u32>,
    /// Each case's places in `tags`.
    tags_of: Vec<Box<[u16]>>,
    /// In how many published cases each term occurs, by `TermId::index`.
    pub(super) frequency: Vec<usize>,
    /// Cases that may be an answer to somebody, newest first, undated ones last.
    pub(super) newest: Vec<u32>,
    /// Those of them that are not for everybody.
    pub(super) restricted: Vec<u32>,
}

/// Gives names numbers in the order of their first use.
#[derive(Default)]
struct Numbered<'a> {
    numbers: HashMap<&'a str, usize>,
    names: Vec<Arc<str>>,
}

impl<'a> Numbered<'a> {
    fn number(&mut self, name: &'a str) -> usize {
        *self.numbers.entry(name).or_insert_with(|| {
            self.names.push(name.into());
            self.names.len() - 1
        })
    }
}

impl Catalogue {
    pub(super) fn new(corpus: &Corpus) -> Self {
        let cases = corpus.cases();
        let (mut organisations, mut tags) = (Numbered::default(), Numbered::default());
        let mut organisation_of = Vec::with_capacity(cases.len());
        let mut tags_of = Vec::with_capacity(cases.len());
        for case in cases {
            let organisation = organisations.number(&case.organisation);
            organisation_of.push(u32::try_from(organisation).unwrap_or(u32::MAX));
            // A case with a tag beyond the number is only left out of counts.
            let numbers = case.tags.iter().map(|tag| tags.number(tag));
            tags_of.push(numbers.filter_map(|at| u16::try_from(at).ok()).collect());
        }
        let mut frequency = vec![0; corpus.vocabulary().terms().len()];
        for case in cases.iter().filter(|case| case.is_published()) {
            for term in case.all_terms() {
                frequency[term.index()] += 1;
            }
        }
        let mut newest: Vec<u32> = (0_u32..)
            .zip(cases)
            .filter(|(_, case)| case.is_live())
            .map(|(at, _)| at)
            .collect();
        let date = |at: &u32| cases[*at as usize].date;
        newest.sort_by(|a, b| date(b).cmp(&date(a)).then(a.cmp(b)));
        let is_restricted = |at: &&u32| !cases[**at as usize].is_published();
        Self {
            restricted: newest.iter().filter(is_restricted).copied().collect(),
            organisations: organisations.names,
            tags: tags.names,
            organisation_of,
            tags_of,
            frequency,
            newest,
        }
    }

    fn count(&self, cases: &[Arc<Case>], ordinals: impl Iterator<Item = usize>) -> NamedCounts {
        let mut organisations = vec![0_usize; self.organisations.len()];
        let mut tags = vec![0_usize; self.tags.len()];
        let mut years: Vec<YearCount> = Vec::new();
        for ordinal in ordinals {
            organisations[self.organisation_of[ordinal] as usize] += 1;
            for tag in &self.tags_of[ordinal] {
                tags[usize::from(*tag)] += 1;
            }
            if let Some(date) = cases[ordinal].date {
                match years.iter_mut().find(|known| known.year == date.year) {
                    Some(known) => known.count += 1,
                    None => years.push(YearCount {
                        year: date.year,
                        count: 1,
                    }),
                }
            }
        }
        years.sort_by_key(|count| Reverse(count.year));
        NamedCounts {
            organisations: commonest(&self.organisations, organisations),
            tags: commonest(&self.tags, tags),
            years,
        }
    }
}

fn commonest(names: &[Arc<str>], counts: Vec<usize>) -> Vec<NameCount> {
    let mut counts: Vec<NameCount> = names
        .iter()
        .zip(counts)
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| NameCount {
            name: Arc::clone(name),
            count,
        })
        .collect();
    counts.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    counts
}

impl Library {
    /// Returns how many cases that may be shown have a term.
    pub fn count(&self, term: TermId) -> usize {
        let own = self.admitted(&self.viewer);
        let own = own.filter(|case| case.all_terms().any(|other| other == term));
        self.catalogue.frequency[term.index()] + own.count()
    }

    /// Returns how many cases may be shown.
    pub fn size(&self) -> usize {
        self.catalogue.newest.len() - self.catalogue.restricted.len()
            + self.admitted(&self.viewer).count()
    }

    /// Iterates over the cases that are not for everybody, but for somebody.
    fn admitted(&self, viewer: &Viewer) -> impl Iterator<Item = &Arc<Case>> {
        let restricted = self.catalogue.restricted.iter();
        restricted
            .map(|at| &self.corpus.cases()[*at as usize])
            .filter(|case| case.audience.admits(viewer))
    }

    /// Returns whether somebody may see cases that not everybody may see.
    pub fn keeps_for(&self, viewer: &Viewer) -> bool {
        self.admitted(viewer).next().is_some()
    }

    /// Counts the terms of some cases: by facet, commonest first.
    pub(super) fn term_counts(&self, ordinals: impl Iterator<Item = usize>) -> Vec<TermCount> {
        let vocabulary = self.corpus.vocabulary();
        let mut counts = vec![0_usize; vocabulary.terms().len()];
        for ordinal in ordinals {
            for term in self.corpus.cases()[ordinal].all_terms() {
                counts[term.index()] += 1;
            }
        }
        let mut counts: Vec<TermCount> = vocabulary
            .iter()
            .map(|(term, _)| TermCount {
                term,
                count: counts[term.index()],
            })
            .filter(|count| count.count > 0)
            .collect();
        counts.sort_by_key(|count| (self.facet(count.term), Reverse(count.count), count.term));
        counts
    }

    /// Counts organisations, tags and years of some cases.
    pub(super) fn named_counts(&self, ordinals: impl Iterator<Item = usize>) -> NamedCounts {
        self.catalogue.count(self.corpus.cases(), ordinals)
    }

    /// Returns the commonest terms of a facet among counted ones: "most frequent in these 12 cases". A term of one case
    /// among several says nothing and is left out.
    pub fn most_frequent(&self, counts: &[TermCount], facet: Facet, most: usize) -> Vec<TermCount> {
        let own = counts
            .iter()
            .filter(|count| self.facet(count.term) == facet && count.count > 1);
        own.take(most).copied().collect()
    }
}
