//! Whether a text talks like trouble or like an ordinary day: clues for confidence, never terms.

use aho_corasick::{AhoCorasick, MatchKind};

use super::matcher::Folded;
use crate::corpus::{Talk, fold, is_hangul};

/// Finds phrases of calm and of trouble.
pub(super) struct TalkFinder {
    automaton: AhoCorasick,
    /// How many of the automaton's phrases, from the first on, are calm ones.
    calm: usize,
}

impl TalkFinder {
    pub(super) fn new(talk: &Talk) -> Self {
        let phrases = talk
            .calm
            .iter()
            .chain(&talk.trouble)
            .map(|phrase| fold(phrase));
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(phrases)
            .expect("a list of phrases is far below the automaton's limits");
        Self {
            automaton,
            calm: talk.calm.len(),
        }
    }

    /// Counts the different phrases of calm and of trouble in a text.
    pub(super) fn count(&self, text: &str) -> (usize, usize) {
        let folded = Folded::new(text);
        let mut found: Vec<usize> = self
            .automaton
            .find_overlapping_iter(&folded.text)
            .filter(|hit| {
                // Korean stems stand inside words; Latin phrases are whole words.
                let matched = &folded.text[hit.range()];
                matched.starts_with(is_hangul) || folded.is_whole(hit.start(), hit.end())
            })
            .map(|hit| hit.pattern().as_usize())
            .collect();
        found.sort_unstable();
        found.dedup();
        let calm = found.partition_point(|phrase| *phrase < self.calm);
        (calm, found.len() - calm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calm_and_trouble_are_counted_once_each() {
        let talk = Talk {
            calm: vec!["code review".to_owned(), "배포 완료".to_owned()],
            trouble: vec!["down".to_owned(), "안 돼".to_owned()],
        };
        let finder = TalkFinder::new(&talk);
        assert_eq!(
            finder.count("code-review, another code review; download"),
            (1, 0)
        );
        assert_eq!(
            finder.count("site down, 로그인이 안돼요. down again"),
            (0, 2)
        );
        assert_eq!(finder.count("배포완료했습니다"), (1, 0));
    }
}
