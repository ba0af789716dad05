//! Which cases are close to a case: by mechanism first, then by what was seen.

use super::{Sight, facet_weight};
use crate::corpus::{Case, Corpus, Facet, TermId};

/// A case close to another.
#[derive(Clone, Debug)]
pub(crate) struct Neighbour {
    /// Place in [`Corpus::cases`].
    pub(crate) ordinal: usize,
    /// Between 0 and 1.
    pub(crate) score: f32,
}

/// What each facet adds, at most. The same cause in the same component is the same mechanism; two cases with the same
/// symptoms alone may have nothing in common but the pain.
const CAUSE: f32 = 0.35;
const COMPONENTS: f32 = 0.40;
const SYMPTOMS: f32 = 0.15;
const FACTORS: f32 = 0.10;

impl Sight<'_> {
    /// Finds the cases closest to one among those that `shows` lets through, best first.
    pub(crate) fn similar(
        &self,
        corpus: &Corpus,
        ordinal: usize,
        limit: usize,
        shows: impl Fn(&Case) -> bool,
    ) -> Vec<Neighbour> {
        let cases = corpus.cases();
        let case = &cases[ordinal];
        let mut neighbours: Vec<Neighbour> = cases
            .iter()
            .enumerate()
            .filter(|(at, other)| *at != ordinal && shows(other))
            .map(|(at, other)| Neighbour {
                ordinal: at,
                score: self.closeness(case, other),
            })
            .filter(|neighbour| neighbour.score > 0.0)
            .collect();
        neighbours.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.ordinal.cmp(&b.ordinal)));
        neighbours.truncate(limit);
        neighbours
    }

    fn closeness(&self, a: &Case, b: &Case) -> f32 {
        let same_cause = a.causes.iter().any(|cause| b.causes.contains(cause));
        let components = self.overlap(a, b, Facet::Component);
        let symptoms = self.overlap(a, b, Facet::Symptom);
        // Nothing seen or broken in common: the same kind of mistake elsewhere helps nobody at 3 a.m.
        if components == 0.0 && symptoms == 0.0 {
            return 0.0;
        }
        // Cases list the most central component first; which further ones a source names is often chance.
        let central = a
            .components
            .iter()
            .position(|component| b.components.contains(component));
        let component_part =
            central.map_or(0.0, |place| 0.75 / (1.0 + place as f32) + 0.25 * components);
        CAUSE * f32::from(u8::from(same_cause))
            + COMPONENTS * component_part
            + SYMPTOMS * symptoms
            + FACTORS * self.overlap(a, b, Facet::Factor)
    }

    /// Shared rarity as a share of all rarity.
    fn overlap(&self, a: &Case, b: &Case, facet: Facet) -> f32 {
        let weight = |term: &TermId| self.rarity(*term) * facet_weight(facet);
        let (a, b) = (a.terms(facet), b.terms(facet));
        let shared: f32 = a.iter().filter(|term| b.contains(term)).map(weight).sum();
        let all: f32 = a
            .iter()
            .chain(b.iter().filter(|term| !a.contains(term)))
            .map(weight)
            .sum();
        if all > 0.0 { shared / all } else { 0.0 }
    }
}
