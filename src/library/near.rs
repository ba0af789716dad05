//! Known names that an unknown one may have been meant for.

use std::sync::Arc;

use super::Library;
use crate::corpus::{Case, CaseId, Facet, fold, nearest};

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
const SUGGESTIONS: usize = 5;

/// Nobody means a longer name, and distances of long texts take long.
const LONGEST: usize = 64;

/// Likeness from which a name is worth a mention.
const LIKE: f64 = 0.72;

impl Library {
    /// Returns the slugs of a facet that a name may have been meant for, likeliest first.
    pub fn nearest_terms(&self, facet: Facet, name: &str) -> Vec<String> {
        let vocabulary = self.corpus.vocabulary();
        let mut nearest: Vec<String> = vocabulary
            .suggest(facet, name)
            .map(str::to_owned)
            .into_iter()
            .collect();
        let terms = vocabulary.facet(facet).map(|(_, term)| {
            let labels = term.label.iter().map(|(_, label)| label);
            let words = labels.chain(term.aliases.iter());
            (term.slug.as_str(), words.collect::<Vec<_>>())
        });
        for slug in likest(name, terms) {
            if !nearest.contains(&slug) {
                nearest.push(slug);
            }
        }
        nearest.truncate(SUGGESTIONS);
        nearest
    }
}

impl Library {
    /// Finds a case that may be shown by its id, however many zeros it is written with: `il-493`.
    pub fn case_written(&self, asked: &str) -> Option<&Arc<Case>> {
        let id: CaseId = asked.parse().ok()?;
        if let Ok(case) = self.case(&id) {
            return Some(case);
        }
        match &self.same_number(asked)[..] {
            [only] => self.case(only).ok(),
            _ => None,
        }
    }

    /// Returns ids that may have been meant: the same number written otherwise, or a slip of the pen. Of the cases that may be
    /// shown.
    pub fn nearest_cases(&self, asked: &str) -> Vec<CaseId> {
        let same = self.same_number(asked);
        if !same.is_empty() || asked.len() > LONGEST {
            return same;
        }
        let asked = asked.trim().to_ascii_uppercase();
        let shown = self.corpus.cases().iter().filter(|case| self.shows(case));
        nearest(&asked, shown.map(|case| case.id.as_str()))
            .and_then(|id| id.parse().ok())
            .into_iter()
            .collect()
    }

    fn same_number(&self, asked: &str) -> Vec<CaseId> {
        let asked = asked.trim().to_ascii_uppercase();
        let digits: String = asked.chars().filter(char::is_ascii_digit).collect();
        let number = digits.trim_start_matches('0');
        let letters = asked.bytes().take_while(u8::is_ascii_alphabetic).count();
        let prefix = if letters == 0 {
            "IL"
        } else {
            &asked[..letters]
        };
        // Longer numbers are no ids.
        if number.len() > 8 {
            return Vec::new();
        }
        (1..=8)
            .filter(|width| *width >= number.len())
            .filter_map(|width| format!("{prefix}-{number:0>width$}").parse().ok())
            .filter(|id| self.case(id).is_ok())
            .collect()
    }
}

/// Returns the names likest to one, likeliest first. Each may have other words that mean it.
pub(super) fn likest<'a>(
    name: &str,
    known: impl Iterator<Item = (&'a str, Vec<&'a str>)>,
) -> Vec<String> {
    if name.chars().count() > LONGEST {
        return Vec::new();
    }
    let folded = fold(name);
    let likeness = |word: &str| {
        let word = fold(word);
        if folded.chars().count() >= 3 && word.contains(&folded) {
            return 0.95;
        }
        strsim::jaro_winkler(&folded, &word)
    };
    let mut scored: Vec<(f64, &str)> = known
        .map(|(slug, words)| {
            let all = words.iter().copied().chain([slug]);
            (all.map(likeness).fold(0.0, f64::max), slug)
        })
        .filter(|(likeness, _)| *likeness >= LIKE)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let mut names: Vec<String> = scored
        .into_iter()
        .map(|(_, slug)| slug.to_owned())
        .collect();
    names.dedup();
    names.truncate(SUGGESTIONS);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_parts_are_recognised() {
        let known = || ["etcd", "kubelet", "in-memory-cache", "dns"].map(|slug| (slug, Vec::new()));
        let like = |name: &str| likest(name, known().into_iter());
        assert_eq!(like("ectd"), ["etcd"]);
        assert_eq!(like("memory cache"), ["in-memory-cache"]);
        assert_eq!(like("zzzz"), [""; 0]);
        assert_eq!(like(&"a".repeat(65)), [""; 0]);
    }
}
