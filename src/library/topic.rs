//! What is known of one vocabulary term: its cases, what it goes together with, and what was learned.

use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

use super::{Filters, Library, NamedCounts, Theme, UnknownTerm, theme};
use crate::corpus::{Case, Facet, Localized, TermId};

/// One term as a subject.
#[derive(Clone, Debug)]
pub struct Topic {
    /// The term.
    pub term: TermId,
    /// Its cases, newest first.
    pub cases: Vec<Arc<Case>>,
    /// Other terms of those cases by facet, commonest first: "what usually causes this symptom".
    pub together: BTreeMap<Facet, Vec<Together>>,
    /// Organisations, tags and years of those cases.
    pub named: NamedCounts,
    /// What their owners learned, by theme, most often drawn first.
    pub lessons: Vec<Learned>,
    /// What their owners promised, by theme, most often promised first.
    pub follow_ups: Vec<Learned>,
}

/// Another term that a topic's cases have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Together {
    /// The other term.
    pub term: TermId,
    /// The topic's cases that have it.
    pub count: usize,
    /// That as a share of the topic's cases.
    pub share: f32,
    /// How many times as frequent it is in the topic's cases as in all cases; above 1 the two attract each other.
    pub lift: f32,
}

/// What several cases say on one theme, verbatim.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The theme; `None` for what fits none.
    pub theme: Option<&'static Theme>,
    /// In how many cases it occurs.
    pub cases: usize,
    /// The texts, those that say most of the theme first, then those of newer cases.
    pub texts: Vec<LearnedText>,
}

/// One lesson or follow-up of a case.
#[derive(Clone, Debug)]
pub struct LearnedText {
    /// The case.
    pub case: Arc<Case>,
    /// Its place in [`Case::lessons`] or [`Case::follow_ups`].
    pub place: usize,
    /// The text.
    pub text: Localized,
}

/// How many of a topic's newest cases lessons are gathered from. More would not change what is said most often.
const LEARNED_CASES: usize = 500;

impl Library {
    /// Finds a term by its name.
    ///
    /// # Errors
    /// With the names that may have been meant.
    pub fn term(&self, facet: Facet, slug: &str) -> Result<TermId, UnknownTerm> {
        let found = self.corpus.vocabulary().find(facet, slug);
        found.ok_or_else(|| UnknownTerm {
            facet,
            name: slug.to_owned(),
            nearest: self.nearest_terms(facet, slug),
        })
    }

    /// Gathers what is known of a term.
    pub fn topic(&self, term: TermId) -> Topic {
        let filters = Filters {
            terms: vec![term],
            ..Filters::default()
        };
        let ordinals: Vec<usize> = self.newest_first(&filters).collect();
        let all = self.size();
        let mut together: BTreeMap<Facet, Vec<Together>> = BTreeMap::new();
        for count in self.term_counts(ordinals.iter().copied()) {
            if count.term == term {
                continue;
            }
            let share = count.count as f32 / ordinals.len() as f32;
            let overall = self.count(count.term) as f32 / all as f32;
            let facet = self.facet(count.term);
            together.entry(facet).or_default().push(Together {
                term: count.term,
                count: count.count,
                share,
                lift: share / overall,
            });
        }
        let cases: Vec<Arc<Case>> = ordinals
            .iter()
            .map(|at| Arc::clone(&self.corpus.cases()[*at]))
            .collect();
        let texts = |of: fn(&Case) -> Vec<&Localized>| {
            let texts = cases.iter().take(LEARNED_CASES).flat_map(move |case| {
                let of_case = of(case).into_iter().enumerate();
                of_case.map(move |(place, text)| LearnedText {
                    case: Arc::clone(case),
                    place,
                    text: text.clone(),
                })
            });
            by_theme(texts)
        };
        Topic {
            lessons: texts(|case| case.lessons.iter().collect()),
            follow_ups: texts(|case| case.follow_ups.iter().map(|own| &own.text).collect()),
            named: self.named_counts(ordinals.into_iter()),
            term,
            together,
            cases,
        }
    }
}

/// Groups texts by theme. Texts arrive from the newest case to the oldest.
fn by_theme(texts: impl Iterator<Item = LearnedText>) -> Vec<Learned> {
    let mut groups: BTreeMap<Option<usize>, Vec<(usize, LearnedText)>> = BTreeMap::new();
    for text in texts {
        let found = theme::of(&text.text);
        let (theme, words) = found.map_or((None, 0), |(theme, words)| (Some(theme), words));
        groups.entry(theme).or_default().push((words, text));
    }
    let mut learned: Vec<Learned> = groups
        .into_iter()
        .map(|(theme, mut texts)| {
            let mut cases: Vec<_> = texts.iter().map(|(_, text)| &text.case.id).collect();
            // The texts of a case follow each other.
            cases.dedup();
            let cases = cases.len();
            texts.sort_by_key(|(words, _)| Reverse(*words));
            Learned {
                theme: theme.map(|at| &theme::THEMES[at]),
                cases,
                texts: texts.into_iter().map(|(_, text)| text).collect(),
            }
        })
        .collect();
    // What fits no theme says nothing together, and comes last.
    learned.sort_by_key(|group| (group.theme.is_none(), Reverse(group.cases)));
    learned
}
