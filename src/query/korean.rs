//! Korean particles and endings: what may follow a noun inside one written word.
//!
//! Not a morphological analyser. The lists hold what engineers write after nouns in chat and reports; a word is cut
//! only when at least two syllables remain, and search keeps the uncut form beside the cut one.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// Particles (조사) and the suffixes that behave like them.
const PARTICLES: &[&str] = &[
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "에",
    "에서",
    "에게",
    "에는",
    "에도",
    "에만",
    "에선",
    "에서는",
    "에서도",
    "에서만",
    "의",
    "도",
    "만",
    "로",
    "으로",
    "로는",
    "으로는",
    "로도",
    "으로도",
    "로만",
    "으로만",
    "로부터",
    "으로부터",
    "로서",
    "으로서",
    "로써",
    "으로써",
    "와",
    "과",
    "랑",
    "이랑",
    "하고",
    "나",
    "이나",
    "든",
    "이든",
    "든지",
    "이든지",
    "라도",
    "이라도",
    "라서",
    "이라서",
    "라고",
    "이라고",
    "라는",
    "이라는",
    "란",
    "이란",
    "부터",
    "까지",
    "까지는",
    "까지도",
    "마다",
    "처럼",
    "보다",
    "밖에",
    "조차",
    "마저",
    "께",
    "한테",
    "들",
    "쪽",
    "측",
    "단",
    "별",
    "중",
    "간",
    "후",
    "전",
    "시",
    "때",
    "때문",
    "내",
    "상",
    "용",
    "당",
    "발",
    "들이",
    "들은",
    "들을",
    "등",
    "등이",
    "등의",
    "뿐",
    "뿐만",
    "씩",
    "째",
    "경",
    "쯤",
    "정도",
    "대",
    "이라",
    "라",
    "님",
    "같은",
    "같이",
    "대로",
    "관련",
];

/// Endings of verbs made from nouns (하다, 되다, 시키다), of the copula, and of chat style.
const ENDINGS: &[&str] = &[
    "하다",
    "한다",
    "했다",
    "했음",
    "했는데",
    "했더니",
    "했어",
    "했어요",
    "했습니다",
    "했고",
    "했지만",
    "했다가",
    "했던",
    "했나",
    "했나요",
    "하는",
    "하는데",
    "하던",
    "한",
    "할",
    "함",
    "하면",
    "하면서",
    "하자",
    "하자마자",
    "하니",
    "하니까",
    "하고나서",
    "하고",
    "해서",
    "해도",
    "해야",
    "해",
    "해요",
    "합니다",
    "하려고",
    "하려면",
    "하기",
    "하지",
    "하며",
    "하여",
    "하였다",
    "하였습니다",
    "하게",
    "되다",
    "된다",
    "됐다",
    "됐음",
    "됐는데",
    "됐어",
    "됐어요",
    "됐습니다",
    "됐고",
    "됐지만",
    "됐던",
    "되는",
    "되는데",
    "되던",
    "된",
    "될",
    "됨",
    "되면",
    "되면서",
    "되자",
    "되니",
    "돼서",
    "돼도",
    "돼",
    "돼요",
    "됩니다",
    "되고",
    "되기",
    "되지",
    "되어",
    "되었다",
    "되었습니다",
    "되며",
    "되게",
    "되네",
    "되네요",
    "시키다",
    "시킨",
    "시켰다",
    "시키는",
    "시켜",
    "시켜서",
    "시켰더니",
    "시키고",
    "난다",
    "났다",
    "났음",
    "났어요",
    "났습니다",
    "나는",
    "나서",
    "나요",
    "나고",
    "남",
    "납니다",
    "나네요",
    "난",
    "나면",
    "나면서",
    "났는데",
    "나는데",
    "이다",
    "이었다",
    "였다",
    "였음",
    "였는데",
    "이었는데",
    "인데",
    "인데요",
    "인",
    "일",
    "임",
    "이고",
    "이며",
    "이면",
    "이지만",
    "지만",
    "입니다",
    "이에요",
    "예요",
    "이네요",
    "네요",
    "인지",
    "인가",
    "인가요",
    "인듯",
    "인거",
    "일까",
    "일까요",
    "이라면",
    "면",
    "이라네",
    "이었음",
    "이였음",
    "다",
    "요",
    "음",
    "고",
    "며",
    "던",
    "처리",
    "안됨",
    "안돼요",
    "안되는",
    "안돼",
    "없음",
    "없는",
    "있는",
    "있음",
    "있어요",
    "받는",
    "받음",
    "받은",
    "받고",
    "당함",
    "당한",
];

/// Largest number of particles and endings that may follow each other (`에서만은`, `했었는데요`).
const DEPTH: usize = 4;

/// Particles and endings by their first syllable.
static TAILS: LazyLock<HashMap<char, Vec<&str>>> = LazyLock::new(|| {
    let mut tails: HashMap<char, Vec<&str>> = HashMap::new();
    for suffix in PARTICLES.iter().chain(ENDINGS) {
        if let Some(first) = suffix.chars().next() {
            tails.entry(first).or_default().push(suffix);
        }
    }
    tails
});

/// Returns whether `rest` is made only of particles and endings.
pub(crate) fn is_tail(rest: &str) -> bool {
    fn tail(rest: &str, depth: usize) -> bool {
        let Some(first) = rest.chars().next() else {
            return true;
        };
        let suffixes = TAILS.get(&first).map_or(&[][..], Vec::as_slice);
        depth > 0
            && suffixes.iter().any(|suffix| {
                rest.strip_prefix(suffix)
                    .is_some_and(|rest| tail(rest, depth - 1))
            })
    }
    // Longer tails are words, and trying every division of them costs.
    rest.chars().count() <= 8 && tail(rest, DEPTH)
}

/// Suffixes that are cut from words for search. Shorter than the lists above: cutting `다`, `시` or `일` from any word
/// would maim nouns.
const CUT: &[&str] = &[
    "에서만",
    "에서는",
    "에서도",
    "으로부터",
    "으로는",
    "으로도",
    "이라고",
    "이라는",
    "이라서",
    "까지는",
    "까지도",
    "들이",
    "들은",
    "들을",
    "들의",
    "에서",
    "에게",
    "에는",
    "에도",
    "에선",
    "으로",
    "로부터",
    "로는",
    "로도",
    "이랑",
    "이나",
    "부터",
    "까지",
    "마다",
    "처럼",
    "보다",
    "밖에",
    "라고",
    "라는",
    "라서",
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "에",
    "의",
    "도",
    "만",
    "로",
    "와",
    "과",
    "랑",
    "들",
];

/// Verb endings that are cut for search.
const CUT_ENDINGS: &[&str] = &[
    "했습니다",
    "됐습니다",
    "하였습니다",
    "되었습니다",
    "했는데",
    "됐는데",
    "했더니",
    "하는데",
    "되는데",
    "했어요",
    "됐어요",
    "하면서",
    "되면서",
    "했지만",
    "됐지만",
    "하자마자",
    "하니까",
    "합니다",
    "됩니다",
    "시켰다",
    "시키는",
    "시켜서",
    "하였다",
    "되었다",
    "입니다",
    "이에요",
    "인데요",
    "했다",
    "됐다",
    "했음",
    "됐음",
    "했고",
    "됐고",
    "했던",
    "됐던",
    "하다",
    "되다",
    "한다",
    "된다",
    "하는",
    "되는",
    "하던",
    "되던",
    "하면",
    "되면",
    "하고",
    "되고",
    "해서",
    "돼서",
    "해도",
    "돼도",
    "해야",
    "해요",
    "돼요",
    "하기",
    "되기",
    "하며",
    "되며",
    "하여",
    "되어",
    "하자",
    "되자",
    "하게",
    "되게",
    "였다",
    "이다",
    "인데",
    "예요",
    "네요",
    "난다",
    "났다",
    "나는",
    "나서",
    "함",
    "됨",
    "임",
    "된",
    "한",
    "할",
    "될",
];

static CUT_SET: LazyLock<HashSet<&str>> = LazyLock::new(|| CUT.iter().copied().collect());
static CUT_ENDINGS_SET: LazyLock<HashSet<&str>> =
    LazyLock::new(|| CUT_ENDINGS.iter().copied().collect());

/// Bytes of a Hangul syllable in UTF-8.
const SYLLABLE: usize = 3;

/// Longest suffix in the lists, in syllables.
const LONGEST_CUT: usize = 4;

/// Cuts endings, then particles, from a Hangul word; at least two syllables remain.
pub(crate) fn stem(word: &str) -> &str {
    let cut = |word: &'_ str, set: &HashSet<&str>| -> usize {
        let longest = LONGEST_CUT.min((word.len() / SYLLABLE).saturating_sub(2));
        (1..=longest)
            .rev()
            .map(|syllables| word.len() - syllables * SYLLABLE)
            .find(|at| set.contains(&word[*at..]))
            .unwrap_or(word.len())
    };
    let left = &word[..cut(word, &CUT_ENDINGS_SET)];
    &left[..cut(left, &CUT_SET)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_and_endings_are_tails_and_nouns_are_not() {
        for tail in [
            "",
            "가",
            "에서",
            "에서만은",
            "했더니",
            "이었는데요",
            "됐습니다",
            "쪽에서",
            "들이",
            "후에",
            "중입니다",
        ] {
            assert!(is_tail(tail), "{tail}");
        }
        for noun in ["서버", "컨트롤러", "밸런서", "로드", "실패"] {
            assert!(!is_tail(noun), "{noun}");
        }
    }

    #[test]
    fn words_are_cut_to_their_noun() {
        for (word, expected) in [
            ("인그레스에서", "인그레스"),
            ("타임아웃이", "타임아웃"),
            ("업그레이드했더니", "업그레이드"),
            ("재시작됐습니다", "재시작"),
            ("노드들이", "노드"),
            ("장애", "장애"),
            ("지도", "지도"),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
    }
}
