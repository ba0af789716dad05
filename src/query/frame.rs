//! Finds frames: terms that two or three words of one clause say together, in whatever order and form they stand.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;

use super::{
    matcher::{Folded, is_inflection},
    noise::overlap,
};
use crate::corpus::{Frame, Frames, TermId, Vocabulary, fold, is_hangul};

/// Where a clause ends: what stands in the next one is about something else. Commas end none: they also list.
static CLAUSE_END: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)[.;!?\n](?:\s|$)|\n|(?:인데|는데|은데|한데|지만|이고|하고|되고|많고|없고|있고|구요|고요)(?:\s|,|$)|\b(?:but|while|whereas)\b",
    )
    .expect("the pattern is valid")
});

/// Most characters between the words of two slots.
const GAP: usize = 28;

/// A frame found in text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameHit {
    pub(super) term: TermId,
    /// Bytes from its first word to its last one.
    pub(super) span: Range<usize>,
    /// Which frame it is.
    pub(super) frame: usize,
}

/// What the frames of a text are.
#[derive(Clone, Debug, Default)]
pub(super) struct Framed {
    /// Frames whose slots are filled.
    pub(super) hits: Vec<FrameHit>,
    /// Words of first slots, with the terms that are ruled out if the word is said to be fine.
    pub(super) subjects: Vec<FrameHit>,
}

/// Finds frames.
pub(super) struct FrameFinder {
    automaton: AhoCorasick,
    /// For each word of the automaton: what may stand around it, and its groups.
    words: Vec<(Edge, Vec<usize>)>,
    frames: Vec<Frame>,
    groups: usize,
}

/// What may stand around a word of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Edge {
    /// Nothing but a plain inflection.
    Closed,
    /// Any ending.
    Open,
    /// The noun that the word is the ending of: `*만` in "부산 매장만".
    Ending,
}

/// Returns whether an ending may follow: a noun of two syllables or more, no number ("10만"), no conjunction ("하지만"), and no
/// trouble by itself ("에러만 나요" restricts nobody).
fn is_ending(before: &str) -> bool {
    const NOT: [char; 13] = [
        '지', '백', '천', '십', '몇', '랜', '러', '류', '패', '웃', '기', '마', '때',
    ];
    let mut back = before.chars().rev();
    back.next()
        .is_some_and(|c| is_hangul(c) && !NOT.contains(&c))
        && back.next().is_some_and(is_hangul)
}

/// A word of a group in a clause.
#[derive(Clone, Debug)]
struct Word {
    span: Range<usize>,
    clause: usize,
}

impl FrameFinder {
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        let Frames { groups, frames } = vocabulary.frames();
        let mut places: HashMap<(String, Edge), usize> = HashMap::new();
        let mut folded = Vec::new();
        let mut words: Vec<(Edge, Vec<usize>)> = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            for word in group.words.iter() {
                let ending = word.strip_prefix('*');
                let stem = word.strip_suffix('*');
                let edge = match (ending, stem) {
                    (Some(_), _) => Edge::Ending,
                    (None, Some(_)) => Edge::Open,
                    (None, None) if word.ends_with(is_hangul) => Edge::Open,
                    (None, None) => Edge::Closed,
                };
                let text = fold(ending.or(stem).unwrap_or(word));
                if text.is_empty() {
                    continue;
                }
                let place = *places.entry((text.clone(), edge)).or_insert_with(|| {
                    folded.push(text);
                    words.push((edge, Vec::new()));
                    words.len() - 1
                });
                words[place].1.push(at);
            }
        }
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(&folded)
            .expect("a vocabulary is far below the automaton's limits");
        Self {
            automaton,
            words,
            frames: frames.clone(),
            groups: groups.len(),
        }
    }

    /// Finds all frames of a text; words in `noise` fill no slot.
    pub(super) fn find(&self, text: &str, noise: &[Range<usize>]) -> Framed {
        let groups = self.words_by_group(text, noise);
        let mut framed = Framed::default();
        for (at, frame) in self.frames.iter().enumerate() {
            let mut filled = Vec::with_capacity(frame.slots.len());
            if fill(text, &frame.slots, &groups, &mut filled) {
                let start = filled.iter().map(|word| word.span.start).min();
                let end = filled.iter().map(|word| word.span.end).max();
                if let (Some(start), Some(end)) = (start, end) {
                    framed.hits.push(FrameHit {
                        term: frame.term,
                        span: start..end,
                        frame: at,
                    });
                }
            }
            if frame.fine {
                let first = frame.slots[0].iter().flat_map(|group| &groups[*group]);
                framed.subjects.extend(first.map(|word| FrameHit {
                    term: frame.term,
                    span: word.span.clone(),
                    frame: at,
                }));
            }
        }
        framed
    }

    fn words_by_group(&self, text: &str, noise: &[Range<usize>]) -> Vec<Vec<Word>> {
        let ends: Vec<usize> = CLAUSE_END.find_iter(text).map(|end| end.start()).collect();
        let folded = Folded::new(text);
        let mut groups = vec![Vec::new(); self.groups];
        for hit in self.automaton.find_overlapping_iter(&folded.text) {
            let (edge, ref of) = self.words[hit.pattern().as_usize()];
            if !stands(&folded, hit.range(), edge) {
                continue;
            }
            let span = folded.place(hit.range());
            if noise.iter().any(|noise| overlap(noise, &span)) {
                continue;
            }
            let clause = ends.partition_point(|end| *end <= span.start);
            for group in of {
                groups[*group].push(Word {
                    span: span.clone(),
                    clause,
                });
            }
        }
        groups
    }
}

/// Returns whether a match is a word of its own: Latin ones begin where words begin and end there or with a plain
/// inflection; Korean ones may stand inside a compound unless they have one syllable.
fn stands(folded: &Folded, found: Range<usize>, edge: Edge) -> bool {
    let matched = &folded.text[found.clone()];
    if edge == Edge::Ending {
        return folded.begins_at(found.end) && is_ending(&folded.text[..found.start]);
    }
    let korean_inside = matched.starts_with(is_hangul) && matched.chars().nth(1).is_some();
    if !korean_inside && !folded.begins_at(found.start) || folded.is_denied(found.start) {
        return false;
    }
    edge == Edge::Open
        || folded.begins_at(found.end)
        || matched.ends_with(|c: char| c.is_ascii_alphabetic())
            && is_inflection(matched, folded.rest_of_word(found.end))
}

/// Fills the slots after those already filled; backtracks over the few words that fit.
fn fill<'w>(
    text: &str,
    slots: &[Vec<usize>],
    groups: &'w [Vec<Word>],
    filled: &mut Vec<&'w Word>,
) -> bool {
    let Some(slot) = slots.get(filled.len()) else {
        return true;
    };
    for word in slot.iter().flat_map(|group| &groups[*group]) {
        let fits = filled.is_empty()
            || filled.iter().all(|other| !overlap(&other.span, &word.span))
                && filled.iter().all(|other| other.clause == word.clause)
                && filled.iter().any(|other| is_near(text, other, word));
        if !fits {
            continue;
        }
        filled.push(word);
        if fill(text, slots, groups, filled) {
            return true;
        }
        filled.pop();
    }
    false
}

fn is_near(text: &str, a: &Word, b: &Word) -> bool {
    let (first, second) = if a.span.start <= b.span.start {
        (a, b)
    } else {
        (b, a)
    };
    text.get(first.span.end..second.span.start)
        .is_none_or(|between| between.chars().count() <= GAP)
}
