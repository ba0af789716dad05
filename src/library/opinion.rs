//! What the people of a workspace said about precedents: it moves those that were found, a little, and no others.

use std::collections::{BTreeMap, HashMap};

use super::Library;
use crate::{corpus::CaseId, query::QueryTerms, search::Hit};

/// The most by which everybody's verdicts raise or lower a score, as a share of it. A case that is clearly closer stays
/// first whatever is said.
const BOUND: f32 = 0.15;

/// From how many people on a verdict moves a case to another page of an answer: one person hides nothing from others.
const SEVERAL: u32 = 2;

/// What people said about one precedent for one kind of question.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Opinion {
    /// How many said that it helped.
    pub helpful: u32,
    /// How many said that it is not like this.
    pub not_this: u32,
    /// Their verdicts together: each counts one for or against when it is fresh, and less the older it is.
    pub weight: f32,
}

impl Opinion {
    /// Returns by how much a score is multiplied.
    fn factor(self) -> f32 {
        1.0 + BOUND * self.weight / (self.weight.abs() + 1.0)
    }

    const fn people(self) -> u32 {
        self.helpful.saturating_add(self.not_this)
    }
}

/// What people said about the precedents for one kind of question.
pub(super) type Said = BTreeMap<CaseId, Opinion>;

/// All that the people of a workspace said, by kind of question ([`Library::about`]).
#[derive(Clone, Debug, Default)]
pub struct Opinions(HashMap<String, Said>);

impl Opinions {
    /// Adds a verdict that counts this much, positive when it helped.
    pub fn add(&mut self, about: &str, case: CaseId, weight: f32) {
        let said = self.0.entry(about.to_owned()).or_default();
        let opinion = said.entry(case).or_default();
        if weight < 0.0 {
            opinion.not_this += 1;
        } else {
            opinion.helpful += 1;
        }
        opinion.weight += weight;
    }

    /// Returns what was said for a kind of question. What names no term is no kind.
    pub(super) fn of(&self, about: &str) -> Option<&Said> {
        self.0.get(about).filter(|_| !about.is_empty())
    }
}

impl Library {
    /// Returns what kind of question some terms make, as a short mark: the same for the same terms, in whatever words.
    /// Empty when there are none. Neither words nor terms can be read from it.
    pub fn about(&self, terms: &QueryTerms) -> String {
        let mut names: Vec<String> = terms.distinct_terms().map(|term| self.name(term)).collect();
        if names.is_empty() {
            return String::new();
        }
        names.sort();
        format!("{:016x}", fnv(names.join(" ").as_bytes()))
    }

    /// Returns what was said about precedents for questions like this one.
    pub(super) fn said_about(&self, terms: &QueryTerms) -> Option<&Said> {
        // Most viewers' people said nothing; then there is nothing to look under.
        if self.opinions.0.is_empty() {
            return None;
        }
        self.opinions.of(&self.about(terms))
    }

    /// Orders what was found by what was said.
    pub(super) fn heed(&self, hits: &mut [Hit], said: &Said, page: usize) {
        let cases = self.corpus.cases();
        reorder(hits, page, |hit| said.get(&cases[hit.ordinal].id).copied());
    }
}

/// Reads such a mark; anything else is none.
pub fn known_about(text: &str) -> &str {
    let is_mark = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_mark { text } else { "" }
}

/// Hashes bytes, the same in every process and version (FNV-1a).
pub(crate) fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Orders hits by score and opinion. What one person alone says counts only within a page.
fn reorder(hits: &mut [Hit], page: usize, opinion: impl Fn(&Hit) -> Option<Opinion>) {
    let by = |least: u32, hit: &Hit| {
        let opinion = opinion(hit).filter(|opinion| opinion.people() >= least);
        hit.score * opinion.map_or(1.0, Opinion::factor)
    };
    hits.sort_by(|a, b| by(SEVERAL, b).total_cmp(&by(SEVERAL, a)));
    for shown in hits.chunks_mut(page.max(1)) {
        shown.sort_by(|a, b| by(1, b).total_cmp(&by(1, a)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::ScoreParts;

    /// Orders hits with these scores; each verdict is a hit and its weight. Returns where they stood before.
    fn check(scores: &[f32], verdicts: &[(usize, f32)], expect: &[usize]) {
        let mut hits: Vec<Hit> = scores
            .iter()
            .enumerate()
            .map(|(ordinal, score)| Hit {
                ordinal,
                score: *score,
                parts: ScoreParts::default(),
            })
            .collect();
        let id = |ordinal: usize| -> CaseId {
            let id = format!("IL-{:04}", ordinal + 1);
            id.parse().expect("an id")
        };
        let mut opinions = Opinions::default();
        for (ordinal, weight) in verdicts {
            opinions.add("component:etcd", id(*ordinal), *weight);
        }
        let said = opinions.of("component:etcd").cloned().unwrap_or_default();
        reorder(&mut hits, 3, |hit| said.get(&id(hit.ordinal)).copied());
        let order: Vec<usize> = hits.iter().map(|hit| hit.ordinal).collect();
        assert_eq!(order, expect, "{scores:?} {verdicts:?}");
    }

    #[test]
    fn a_kind_of_question_has_a_mark_that_stays() {
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        // The published test vector.
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(known_about("85944171f73967e8"), "85944171f73967e8");
        for other in ["", "component:etcd", "85944171f73967e", "85944171f73967eß"] {
            assert_eq!(known_about(other), "");
        }
    }

    #[test]
    fn verdicts_move_what_is_about_as_close() {
        let close = [0.50, 0.49, 0.48, 0.47];
        check(&close, &[], &[0, 1, 2, 3]);
        check(&close, &[(1, 1.0)], &[1, 0, 2, 3]);
        check(&close, &[(0, -1.0)], &[1, 2, 0, 3]);
        check(&close, &[(0, -1.0), (0, -1.0)], &[1, 2, 3, 0]);
        check(&close, &[(0, -1.0), (0, 1.0)], &[0, 1, 2, 3]);
        // Old ones count less.
        check(&[0.50, 0.48], &[(1, 0.1)], &[0, 1]);
    }

    #[test]
    fn one_person_hides_nothing() {
        let close = [0.50, 0.49, 0.48, 0.479, 0.478];
        for shown in 0..3 {
            let mut order: Vec<usize> = (0..3).filter(|at| *at != shown).collect();
            order.extend([shown, 3, 4]);
            check(&close, &[(shown, -1.0)], &order);
        }
        // And brings nothing forward past what others see first.
        check(&close, &[(4, 1.0)], &[0, 1, 2, 4, 3]);
    }

    #[test]
    fn the_effect_is_bounded_however_many_speak() {
        let crowd: Vec<(usize, f32)> = (0..1000).flat_map(|_| [(0, -1.0), (1, 1.0)]).collect();
        check(&[0.50, 0.45], &crowd, &[1, 0]);
        check(&[0.50, 0.36], &crowd, &[0, 1]);
        for weight in [-1e9, -3.0, 0.0, 2.0, 1e9] {
            let opinion = Opinion {
                weight,
                ..Opinion::default()
            };
            assert!((opinion.factor() - 1.0).abs() <= BOUND + f32::EPSILON);
        }
    }
}
