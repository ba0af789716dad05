//! Records that several answers have in common, and how texts are kept short.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    corpus::{Case, Facet, Lang, Outcome, Severity, TermId, cut},
    library::{Library, TermCount},
};

/// Longest title. No bundled case comes near; a folder's own may hold anything.
const TITLE: usize = 400;

/// What every list says of an incident.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Head {
    /// Identifier, such as `IL-0493`.
    pub(super) id: String,
    /// Mechanism and impact in one line.
    pub(super) title: String,
    /// Who it happened to.
    pub(super) organisation: String,
    /// Whether it comes from the operator's own folder; absent for public ones.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) own: bool,
    /// `2021-03-25`, `2021-03` or `2021`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) date: Option<String>,
    /// `sev1` (gravest) to `sev4`, where the owners graded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) severity: Option<&'static str>,
    /// `4h 7m`; `~` where the source says "about".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time_to_recover: Option<String>,
}

impl Head {
    pub(super) fn of(case: &Case, lang: Lang) -> Self {
        Self {
            id: case.id.to_string(),
            title: shorten(case.title.get(lang), TITLE),
            organisation: shorten(&case.organisation, TITLE),
            own: case.own,
            date: case.date.map(|date| date.to_string()),
            severity: case.severity.map(Severity::slug),
            time_to_recover: case.time_to_recover.map(|time| time.to_string()),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// A term with the number of incidents that have it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Counted {
    /// Slug, as the filters take it.
    pub(super) slug: String,
    /// Name for people.
    pub(super) label: String,
    /// Incidents that have it.
    pub(super) incidents: usize,
}

/// The commonest terms, by facet.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Commonest {
    pub(super) causes: Vec<Counted>,
    pub(super) components: Vec<Counted>,
    pub(super) symptoms: Vec<Counted>,
    pub(super) factors: Vec<Counted>,
}

impl Commonest {
    /// Takes the `most` commonest of each facet from counts that stand commonest first.
    pub(super) fn of(library: &Library, counts: &[TermCount], most: usize, lang: Lang) -> Self {
        let of = |facet: Facet| {
            let counts = counts
                .iter()
                .filter(|count| library.facet(count.term) == facet);
            let counted = counts.take(most).map(|count| Counted {
                slug: slug(library, count.term),
                label: library.label(count.term, lang).to_owned(),
                incidents: count.count,
            });
            counted.collect()
        };
        Self {
            causes: of(Facet::Cause),
            components: of(Facet::Component),
            symptoms: of(Facet::Symptom),
            factors: of(Facet::Factor),
        }
    }
}

/// Returns where the next page begins.
pub(super) fn next_offset(offset: usize, shown: usize, total: usize) -> Option<usize> {
    let next = offset + shown;
    (shown > 0 && next < total).then_some(next)
}

/// Returns a term's slug.
pub(super) fn slug(library: &Library, term: TermId) -> String {
    library.corpus().vocabulary().term(term).slug.clone()
}

/// Returns a term as `facet/slug`, which tells everything and is as short as can be.
pub(super) fn facet_slug(library: &Library, term: TermId) -> String {
    let term = library.corpus().vocabulary().term(term);
    format!("{}/{}", term.facet, term.slug)
}

/// Returns the actions with one of these outcomes, in this order of outcomes.
pub(super) fn actions(case: &Case, outcomes: &[Outcome], lang: Lang) -> Vec<String> {
    let with = |outcome: &Outcome| {
        let outcome = Some(*outcome);
        let actions = case.actions.iter();
        actions.filter(move |action| action.outcome == outcome)
    };
    let found = outcomes.iter().flat_map(with);
    found
        .map(|action| action.text.get(lang).to_owned())
        .collect()
}

/// Puts a text on one line and cuts it at a word; a cut shows as `…`.
pub(super) fn shorten(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&line, limit).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_at_words_and_say_so() {
        assert_eq!(shorten("a  short\ntext", 20), "a short text");
        assert_eq!(shorten("nodes fail one by one", 12), "nodes fail…");
        assert_eq!(shorten("로드밸런서상태검사", 4), "로드밸…");
        assert_eq!(shorten("exact", 5), "exact");
    }
}
