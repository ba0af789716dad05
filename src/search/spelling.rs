//! Known words that an unknown one was probably meant for: `ocasional` → `occasion`.
//!
//! One slip at most, the first letter right, English words of five letters and more. A word that the vocabulary knows is
//! never corrected, so that one technology is not turned into another.

use std::collections::HashMap;

/// The English words of an index by first letter and length.
#[derive(Default)]
pub(super) struct Spellings {
    words: HashMap<(u8, usize), Vec<Box<str>>>,
}

/// Shortest word that is corrected, in letters. Short ones have too many neighbours.
const SHORTEST: usize = 5;

/// How many corrections of a word are tried.
const CHOICES: usize = 3;

impl Spellings {
    /// Adds a word of the index.
    pub(super) fn add(&mut self, word: &str) {
        if is_english(word) && word.len() + 1 >= SHORTEST {
            let key = (word.as_bytes()[0], word.len());
            self.words.entry(key).or_default().push(word.into());
        }
    }

    /// Returns the known words one slip away from `word`, commonest first.
    /// Words of several indexes are looked through as if they were one.
    pub(super) fn near<'a>(
        all: impl Iterator<Item = &'a Self>,
        word: &str,
        frequency: impl Fn(&str) -> u32,
    ) -> Vec<&'a str> {
        if !is_english(word) || word.len() < SHORTEST {
            return Vec::new();
        }
        let first = word.as_bytes()[0];
        let lengths = word.len() - 1..=word.len() + 1;
        let known = all.flat_map(|own| {
            let of_length = lengths.clone();
            of_length.filter_map(move |length| own.words.get(&(first, length)))
        });
        let known = known.flatten();
        let mut near: Vec<(&str, u32)> = known
            .filter(|known| is_one_slip(word.as_bytes(), known.as_bytes()))
            .map(|known| (&**known, frequency(known)))
            .collect();
        near.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        near.dedup();
        near.truncate(CHOICES);
        near.into_iter().map(|(word, _)| word).collect()
    }
}

fn is_english(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase())
}

/// Returns whether one letter was dropped, added, changed, or two were swapped. Much faster than a distance, and asked of
/// every word of a first letter.
fn is_one_slip(a: &[u8], b: &[u8]) -> bool {
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[common..], &b[common..]);
    match (a, b) {
        ([_, rest @ ..], _) if rest == b => true,
        (_, [_, rest @ ..]) if rest == a => true,
        ([_, a_rest @ ..], [_, b_rest @ ..]) if a_rest == b_rest => true,
        ([a1, a2, a_rest @ ..], [b1, b2, b_rest @ ..]) => a1 == b2 && a2 == b1 && a_rest == b_rest,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_is_forgiven_and_two_are_not() {
        let mut spellings = Spellings::default();
        for word in ["ingress", "connect", "timeout", "upgrad", "redis"] {
            spellings.add(word);
        }
        let near = |word: &str| Spellings::near([&spellings, &spellings].into_iter(), word, |_| 1);
        assert_eq!(near("ingres"), ["ingress"]);
        assert_eq!(near("conect"), ["connect"]);
        assert_eq!(near("tiemout"), ["timeout"]);
        assert_eq!(near("timeoot"), ["timeout"]);
        assert_eq!(near("upgrdae"), Vec::<&str>::new());
        assert_eq!(near("reddit"), Vec::<&str>::new());
        assert_eq!(near("redi"), Vec::<&str>::new());
    }
}
