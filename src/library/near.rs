//! Known names that an unknown one may have been meant for.

use std::sync::Arc;

use super::Library;
use crate::corpus::{Case, Facet, TermId, letters_apart, slip};

/// There is no such term.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {facet} `{name}`")]
pub struct UnknownTerm {
    /// Its facet.
    pub facet: Facet,
    /// What was given.
    pub name: String,
    /// Slugs that may have been meant, likeliest first.
    pub nearest: Vec<String>,
}

/// How many names are suggested.
pub(super) const SUGGESTIONS: usize = 5;

/// Longest id that is looked at.
const ID_LENGTH: usize = 80;

impl Library {
    /// Returns the terms that a name may have been meant for, likeliest first; those of `facet` come before those of the
    /// others.
    pub fn terms_near(&self, facet: Option<Facet>, name: &str) -> Vec<TermId> {
        let mut near: Vec<(usize, Facet, &str, TermId)> = Vec::new();
        for (id, term) in self.corpus.vocabulary().iter() {
            let labels = term.label.iter().map(|(_, label)| label);
            let names = labels
                .chain(term.aliases.iter())
                .chain([term.slug.as_str()]);
            let best = names.filter_map(|known| slip(name, known)).min();
            let Some(best) = best else { continue };
            // The same word in another facet ("component:timeouts") is likelier than a slip in the right one.
            let stranger = usize::from(facet.is_some_and(|facet| facet != term.facet));
            if best > 0 && stranger > 0 {
                continue;
            }
            near.push((best + stranger, term.facet, &term.slug, id));
        }
        near.sort_unstable();
        near.into_iter().map(|(_, _, _, id)| id).collect()
    }

    /// Returns the slugs of a facet that a name may have been meant for, likeliest first.
    pub fn nearest_terms(&self, facet: Facet, name: &str) -> Vec<String> {
        let near = self.terms_near(Some(facet), name).into_iter();
        let near = near.map(|id| self.corpus.vocabulary().term(id));
        let near = near.filter(|term| term.facet == facet);
        near.take(SUGGESTIONS)
            .map(|term| term.slug.clone())
            .collect()
    }

    /// Finds a case that may be shown by its id, however many zeros it is written with: `il-493`.
    pub fn case_written(&self, asked: &str) -> Option<&Arc<Case>> {
        let exact = asked.parse().ok().and_then(|id| self.case(&id).ok());
        exact.or_else(|| match self.same_number(asked)[..] {
            [only] => Some(only),
            _ => None,
        })
    }

    /// Returns the cases that an id may have been meant for: those with the same number written otherwise (`IL-493`, `0493`),
    /// else that of a slip of the pen.
    pub fn cases_near(&self, asked: &str) -> Vec<&Arc<Case>> {
        let mut found = self.same_number(asked);
        if found.is_empty() && asked.len() <= ID_LENGTH {
            let asked = asked.trim().to_ascii_uppercase();
            let mut shown = self.corpus.cases().iter().filter(|case| self.shows(case));
            let slip = |case: &&Arc<Case>| letters_apart(&asked, case.id.as_str(), 1).is_some();
            found.extend(shown.find(slip));
        }
        found
    }

    fn same_number(&self, asked: &str) -> Vec<&Arc<Case>> {
        if asked.len() > ID_LENGTH {
            return Vec::new();
        }
        let asked = asked.trim().to_ascii_uppercase();
        let letters = |c: &char| c.is_ascii_alphabetic();
        let prefix: String = asked.chars().take_while(letters).collect();
        let prefix = if prefix.is_empty() { "IL" } else { &prefix };
        let digits: String = asked.chars().filter(char::is_ascii_digit).collect();
        let number = digits.trim_start_matches('0');
        let padded = (1..=8).filter_map(|width| {
            let id = format!("{prefix}-{number:0>width$}").parse().ok()?;
            self.case(&id).ok()
        });
        // A number has the same form at widths below its own.
        let mut found: Vec<&Arc<Case>> = padded.collect();
        found.dedup_by_key(|case| &case.id);
        found
    }
}
