//! Which known names an unknown one may have been meant for: one measure for files, filters, commands and tools.

use super::{fold, is_joiner};

/// Nobody slips in a longer name, and distances of long texts take long.
const LONGEST: usize = 64;

/// Shortest part of a name that can stand for it, in characters: letters tell less than syllables.
const PART: (usize, usize) = (4, 2);

/// Returns by how many letters two names differ, when they are at most that many apart.
pub fn letters_apart(asked: &str, known: &str, most: usize) -> Option<usize> {
    // Most names differ in length by more than a slip does.
    let lengths = known.chars().count().abs_diff(asked.chars().count());
    if lengths > most {
        return None;
    }
    Some(strsim::osa_distance(asked, known)).filter(|apart| *apart <= most)
}

/// Returns how far two names are apart, when one may be a slip of the pen for the other, a part of it, or a slip for one of
/// its words; the less, the likelier.
pub fn slip(asked: &str, known: &str) -> Option<usize> {
    if asked.chars().count() > LONGEST {
        return None;
    }
    slip_of_folded(&fold(asked), known)
}

fn slip_of_folded(asked: &str, known: &str) -> Option<usize> {
    let length = asked.chars().count();
    if length == 0 {
        return None;
    }
    let most = (length / 3).max(1);
    let whole = fold(known);
    if let Some(apart) = letters_apart(asked, &whole, most) {
        return Some(apart);
    }
    let shortest = if asked.is_ascii() { PART.0 } else { PART.1 };
    if length < shortest {
        return None;
    }
    if whole.contains(asked) {
        return Some(most + 1);
    }
    if length == shortest {
        return None;
    }
    let words = known.split(is_joiner).map(fold);
    let words = words.filter(|word| word.chars().count() >= shortest);
    let apart = words.filter_map(|word| letters_apart(asked, &word, most));
    apart.min().map(|apart| most + 1 + apart)
}

/// Returns the candidate that a name was most probably meant for.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let candidates = candidates.into_iter().map(|known| (known, [known]));
    all_near(name, candidates).into_iter().next()
}

/// Returns the names that one may have been meant for, likeliest first. Each comes with the words that mean it.
pub fn all_near<'a, Words>(
    name: &str,
    known: impl IntoIterator<Item = (&'a str, Words)>,
) -> Vec<&'a str>
where
    Words: IntoIterator<Item = &'a str>,
{
    if name.chars().count() > LONGEST {
        return Vec::new();
    }
    let folded = fold(name);
    let apart = |words: Words| {
        let words = words.into_iter();
        words.filter_map(|word| slip_of_folded(&folded, word)).min()
    };
    let known = known.into_iter();
    let mut near: Vec<(usize, &str)> = known
        .filter_map(|(name, words)| Some((apart(words)?, name)))
        .collect();
    near.sort_unstable();
    near.dedup_by_key(|(_, name)| *name);
    near.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_strangers_are_not() {
        let slugs = ["etcd", "kubelet", "in-memory-cache", "Example One"];
        for (name, expect) in [
            ("ectd", Some("etcd")),
            ("kublet", Some("kubelet")),
            ("cache", Some("in-memory-cache")),
            ("memory cache", Some("in-memory-cache")),
            ("exampel", Some("Example One")),
            ("zookeeper", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, slugs), expect, "{name}");
        }
        assert_eq!(nearest(&"a".repeat(65), slugs), None);
    }

    #[test]
    fn the_likeliest_comes_first() {
        let known = [
            ("disk", vec!["disk", "디스크"]),
            ("disk-full", vec!["disk-full", "디스크 부족"]),
            ("dns", vec!["dns"]),
        ];
        assert_eq!(all_near("disc", known.clone()), ["disk"]);
        assert_eq!(all_near("디스크", known), ["disk", "disk-full"]);
        assert_eq!(letters_apart("help", "hepl", 1), Some(1));
        assert_eq!(letters_apart("help", "heap pool", 1), None);
    }
}
