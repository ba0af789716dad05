//! Finds vocabulary words in text, however they are spaced, hyphenated, inflected or glued to Korean particles.
//!
//! The text is folded ([`crate::corpus::fold`]) and scanned once with an automaton of all folded words. A match counts
//! when it begins and ends at a word's boundary; of several words of one facet the longest wins, and a phrase that means
//! something else ("node.js") rules out the word inside it.

use std::{collections::HashMap, ops::Range};

use aho_corasick::{AhoCorasick, MatchKind};

use super::{korean, noise::overlap};
use crate::corpus::{Facet, TermId, Vocabulary, fold, is_hangul, is_joiner};

/// What a vocabulary word says about a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) term: TermId,
    pub(super) facet: Facet,
    /// Whether the word means the term only beside other evidence.
    pub(super) hint: bool,
}

/// A vocabulary word found in text.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Bytes of the scanned text.
    pub(super) span: Range<usize>,
    /// What it may mean; never empty.
    pub(super) meanings: Vec<Meaning>,
    /// The frame that several words fill here; nothing for a word of the vocabulary.
    pub(super) frame: Option<usize>,
}

/// The automaton over a vocabulary's words.
pub(super) struct Matcher {
    automaton: AhoCorasick,
    /// What each word of the automaton may mean.
    meanings: Vec<Vec<Meaning>>,
    /// Which terms each word of the automaton rules out where it stands: "node.js" is no worker node.
    excluded: Vec<Vec<TermId>>,
}

impl Matcher {
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        let mut words = Words::default();
        for (id, term) in vocabulary.iter() {
            let labels = term.label.iter().map(|(_, label)| label);
            for word in labels.chain(term.aliases.iter()) {
                words.mean(
                    word,
                    Meaning {
                        term: id,
                        facet: term.facet,
                        hint: false,
                    },
                );
            }
            for word in term.hints.iter() {
                words.mean(
                    word,
                    Meaning {
                        term: id,
                        facet: term.facet,
                        hint: true,
                    },
                );
            }
            for phrase in &term.not {
                if let Some(at) = words.at(phrase) {
                    words.excluded[at].push(id);
                }
            }
        }
        let Words {
            folded,
            meanings,
            excluded,
            ..
        } = words;
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(&folded)
            .expect("a vocabulary is far below the automaton's limits");
        Self {
            automaton,
            meanings,
            excluded,
        }
    }

    /// Finds the words in text; `noise` holds the places that must not be read as words.
    pub(super) fn find(&self, text: &str, noise: &[Range<usize>]) -> Vec<Found> {
        let folded = Folded::new(text);
        let mut candidates: Vec<Candidate> = self
            .automaton
            .find_overlapping_iter(&folded.text)
            .filter_map(|found| {
                let candidate =
                    folded.candidate(found.start()..found.end(), found.pattern().as_usize())?;
                let masked = noise.iter().any(|noise| {
                    overlap(noise, &candidate.span)
                        && !(candidate.span.start <= noise.start && noise.end <= candidate.span.end)
                });
                (!masked).then_some(candidate)
            })
            .collect();
        candidates.sort_by(|a, b| {
            b.folded
                .len()
                .cmp(&a.folded.len())
                .then(a.folded.start.cmp(&b.folded.start))
        });
        let mut taken = self.take(&candidates, folded.text.len());
        drop_unsupported(&mut taken);
        taken.sort_by_key(|taken| (taken.candidate.span.start, taken.candidate.span.end));
        taken
            .into_iter()
            .map(|taken| Found {
                span: taken.candidate.span.clone(),
                meanings: taken.meanings,
                frame: None,
            })
            .collect()
    }

    /// Chooses among overlapping words, given the longest first. Within a facet the longest wins. A shorter word of
    /// another facet still counts ("Redis" in "Redis timeout"), but not when it is only a hint ("route" in "no route to
    /// host").
    fn take<'c>(&self, candidates: &'c [Candidate], length: usize) -> Vec<Taken<'c>> {
        let phrases: Vec<&Candidate> = candidates
            .iter()
            .filter(|phrase| !self.excluded[phrase.word].is_empty())
            .collect();
        let excluded = |meaning: &Meaning, candidate: &Candidate| {
            phrases.iter().any(|phrase| {
                self.excluded[phrase.word].contains(&meaning.term)
                    && phrase.folded.start <= candidate.folded.start
                    && candidate.folded.end <= phrase.folded.end
            })
        };
        // For each byte, the facets of which a word stands there already, as bits: a long text has thousands of words.
        let mut occupied = vec![0_u8; length];
        let bit = |facet: Facet| 1_u8 << (facet as u8);
        let mut taken: Vec<Taken<'c>> = Vec::new();
        for hint in [false, true] {
            for candidate in candidates {
                let here = occupied[candidate.folded.clone()]
                    .iter()
                    .fold(0, |all, bits| all | bits);
                let free = |meaning: &&Meaning| {
                    if hint {
                        here == 0
                    } else {
                        here & bit(meaning.facet) == 0
                    }
                };
                let meanings: Vec<Meaning> = self.meanings[candidate.word]
                    .iter()
                    .filter(|meaning| meaning.hint == hint)
                    .filter(free)
                    .filter(|meaning| !excluded(meaning, candidate))
                    .copied()
                    .collect();
                if !meanings.is_empty() {
                    let bits = meanings
                        .iter()
                        .fold(0, |all, meaning| all | bit(meaning.facet));
                    occupied[candidate.folded.clone()]
                        .iter_mut()
                        .for_each(|own| *own |= bits);
                    taken.push(Taken {
                        candidate,
                        meanings,
                    });
                }
            }
        }
        taken
    }
}

/// A word that counts, with the meanings it keeps.
struct Taken<'c> {
    candidate: &'c Candidate,
    meanings: Vec<Meaning>,
}

/// Drops short Korean words inside longer ones unless their neighbour counts too: 데이터베이스|과부하.
fn drop_unsupported(taken: &mut Vec<Taken<'_>>) {
    loop {
        if taken
            .iter()
            .all(|taken| !taken.candidate.needs_before && !taken.candidate.needs_after)
        {
            return;
        }
        let supported = |candidate: &Candidate| {
            let before = taken
                .iter()
                .any(|other| other.candidate.folded.end == candidate.folded.start);
            let after = taken
                .iter()
                .any(|other| other.candidate.folded.start == candidate.folded.end);
            (!candidate.needs_before || before) && (!candidate.needs_after || after)
        };
        let keeps: Vec<bool> = taken
            .iter()
            .map(|taken| supported(taken.candidate))
            .collect();
        if keeps.iter().all(|keep| *keep) {
            return;
        }
        let mut keeps = keeps.into_iter();
        taken.retain(|_| keeps.next().unwrap_or(false));
    }
}

/// The words of an automaton being made.
#[derive(Default)]
struct Words {
    index: HashMap<String, usize>,
    folded: Vec<String>,
    meanings: Vec<Vec<Meaning>>,
    excluded: Vec<Vec<TermId>>,
}

impl Words {
    fn at(&mut self, word: &str) -> Option<usize> {
        let folded = fold(word);
        if folded.is_empty() {
            return None;
        }
        let next = self.folded.len();
        let at = *self.index.entry(folded.clone()).or_insert(next);
        if at == next {
            self.folded.push(folded);
            self.meanings.push(Vec::new());
            self.excluded.push(Vec::new());
        }
        Some(at)
    }

    fn mean(&mut self, word: &str, meaning: Meaning) {
        if let Some(at) = self.at(word)
            && !self.meanings[at]
                .iter()
                .any(|known| known.term == meaning.term)
        {
            self.meanings[at].push(meaning);
        }
    }
}

struct Candidate {
    folded: Range<usize>,
    span: Range<usize>,
    word: usize,
    needs_before: bool,
    needs_after: bool,
}

/// Fewest syllables of a Korean word that may stand inside a longer one by itself. Shorter ones are parts of strangers:
/// `레이드` in `업그레이드`.
const INSIDE_SYLLABLES: usize = 4;

/// Text without joiners, with the way back.
pub(super) struct Folded {
    pub(super) text: String,
    /// For each byte of `text`: the byte of the given text that its character begins at.
    origin: Vec<usize>,
    /// Where a word of the given text begins, by byte of `text`; one more at the end.
    begins: Vec<bool>,
    /// Length of the given character, by byte of `text`.
    width: Vec<u8>,
    /// Whether white space stood before the character.
    spaced: Vec<bool>,
    /// Whether a word begins here only because a capital follows a small letter; one more at the end.
    humps: Vec<bool>,
}

impl Folded {
    pub(super) fn new(given: &str) -> Self {
        let mut folded = Self {
            text: String::new(),
            origin: Vec::new(),
            begins: Vec::new(),
            width: Vec::new(),
            spaced: Vec::new(),
            humps: Vec::new(),
        };
        let mut before: Option<char> = None;
        let mut spaced = true;
        let mut particle_until = 0;
        for (at, c) in given.char_indices() {
            if at < particle_until {
                continue;
            }
            // A particle glued to a Latin word is no part of any name: `CPU가 100%` is `CPU 100%`.
            if is_hangul(c) && before.is_some_and(|before| before.is_ascii_alphanumeric()) {
                let run = &given[at..];
                let end = run.find(|c| !is_hangul(c)).unwrap_or(run.len());
                if korean::is_tail(&run[..end]) {
                    particle_until = at + end;
                    before = None;
                    continue;
                }
            }
            if is_joiner(c) {
                spaced |= c.is_whitespace();
                before = None;
                continue;
            }
            let begins = before.is_none_or(|before| is_boundary(before, c));
            folded.text.extend(c.to_lowercase());
            folded.origin.resize(folded.text.len(), at);
            folded.begins.resize(folded.text.len(), begins);
            folded
                .width
                .resize(folded.text.len(), u8::try_from(c.len_utf8()).unwrap_or(1));
            folded.spaced.resize(folded.text.len(), spaced);
            let hump = before.is_some_and(|before| before.is_lowercase() && c.is_uppercase());
            folded.humps.resize(folded.text.len(), hump);
            before = Some(c);
            spaced = false;
        }
        folded.begins.push(true);
        folded.humps.push(false);
        folded
    }

    /// Judges a match's boundaries; `None` when it lies inside another word.
    fn candidate(&self, found: Range<usize>, word: usize) -> Option<Candidate> {
        let matched = &self.text[found.clone()];
        let first = matched.chars().next()?;
        let last = matched.chars().next_back()?;
        let syllables = matched.chars().filter(|c| is_hangul(*c)).count();
        let mut needs_before = false;
        let mut needs_after = false;
        if !self.begins[found.start] {
            // Latin words begin where words begin; Korean compounds are written without spaces.
            if !is_hangul(first) {
                return None;
            }
            needs_before = syllables < INSIDE_SYLLABLES;
        }
        if self.is_denied(found.start) {
            return None;
        }
        if !self.begins[found.end] {
            let rest = self.rest_of_word(found.end);
            if is_hangul(last) {
                if !korean::is_tail(rest) {
                    needs_after = syllables < INSIDE_SYLLABLES;
                }
            } else if !is_inflection(matched, rest) {
                return None;
            }
        }
        // A short word at a hump belongs to the name before it: `AirPods`.
        let at_hump = self.humps[found.start] || self.humps[found.end];
        if at_hump && matched.len() <= 4 {
            return None;
        }
        // Short abbreviations must not be read out of two words: "a lb", "po d".
        if matched.len() <= 4
            && matched.is_ascii()
            && self.spaced[found.start + 1..found.end].contains(&true)
        {
            return None;
        }
        Some(Candidate {
            span: self.place(found.clone()),
            folded: found,
            word,
            needs_before,
            needs_after,
        })
    }

    /// Returns whether a Korean verb that begins at the byte is denied: "안 지워" deletes nothing.
    pub(super) fn is_denied(&self, at: usize) -> bool {
        let mut before = self.text[..at].char_indices();
        before
            .next_back()
            .is_some_and(|(before, c)| matches!(c, '안' | '못') && self.begins[before])
    }

    /// Returns whether words begin at both bytes.
    pub(super) fn is_whole(&self, start: usize, end: usize) -> bool {
        self.begins[start] && self.begins[end]
    }

    /// Returns whether a word begins at the byte.
    pub(super) fn begins_at(&self, at: usize) -> bool {
        self.begins[at]
    }

    /// Returns the bytes of the given text that a match stands for.
    pub(super) fn place(&self, found: Range<usize>) -> Range<usize> {
        let last = found.end - 1;
        self.origin[found.start]..self.origin[last] + usize::from(self.width[last])
    }

    pub(super) fn rest_of_word(&self, from: usize) -> &str {
        let end = (from + 1..=self.text.len())
            .find(|at| self.begins[*at])
            .unwrap_or(self.text.len());
        &self.text[from..end]
    }
}

/// Returns whether a word may end before `c` when `before` stands directly ahead of it.
fn is_boundary(before: char, c: char) -> bool {
    if !before.is_alphanumeric() || !c.is_alphanumeric() {
        return true;
    }
    is_hangul(before) != is_hangul(c) || before.is_lowercase() && c.is_uppercase()
}

/// Returns whether what follows an English word is its plural or another form of it.
pub(super) fn is_inflection(word: &str, rest: &str) -> bool {
    if rest == "s" {
        return word.len() >= 2;
    }
    word.len() >= 4 && matches!(rest, "es" | "ed" | "d" | "ing" | "er" | "ers")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let folded = Folded::new(text);
        let words = [
            "timeout",
            "로드밸런서",
            "노드",
            "loadbalancer",
            "lb",
            "502",
            "데이터베이스",
            "부하",
        ];
        let automaton = AhoCorasick::new(words).expect("small");
        automaton
            .find_overlapping_iter(&folded.text)
            .filter_map(|hit| folded.candidate(hit.range(), hit.pattern().as_usize()))
            .filter(|candidate| !candidate.needs_before && !candidate.needs_after)
            .map(|candidate| text[candidate.span].to_owned())
            .collect()
    }

    #[test]
    fn spacing_case_and_inflection_do_not_hide_words() {
        assert_eq!(
            found("Time-outs behind the Load Balancer"),
            ["Time-out", "Load Balancer"]
        );
        assert_eq!(found("로드 밸런서에서 502를"), ["로드 밸런서", "502"]);
        assert_eq!(found("로드밸런서설정이 노드들이"), ["로드밸런서", "노드"]);
    }

    #[test]
    fn words_inside_other_words_do_not_count() {
        assert_eq!(
            found("album, al b, 1502, 노드제이에스, timeouted-up"),
            ["timeout"; 1]
        );
        assert_eq!(found("노드버그"), Vec::<String>::new());
    }
}
