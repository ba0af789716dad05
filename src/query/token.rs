//! Words for search: one tokenizer for cases and questions, in both languages.
//!
//! Latin compounds are kept whole and in parts (`kube-apiserver` → `kubeapiserver`, `kube`, `apiserver`;
//! `CrashLoopBackOff` → whole, `crash`, `loop`, `back`, `off`), English parts are stemmed. Korean words are cut to their
//! noun and also given as pairs of syllables, so that compounds meet however they are spaced. Offsets are those of the
//! text that was given, composed or not (<https://github.com/quickwit-oss/tantivy/issues/2029>).

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
    ops::Range,
    sync::LazyLock,
};

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

use super::korean;
use crate::corpus::is_hangul;

/// How a token relates to the written word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// The word itself, stemmed or cut.
    Word,
    /// A compound as a whole: rarer and more telling than its parts.
    Whole,
    /// A part of a compound.
    Part,
    /// Two neighbouring syllables of a longer Korean word.
    Syllables,
    /// A Korean word before it was cut; a safety net where cutting misfires.
    Uncut,
    /// A known word that an unknown one was probably meant for; only in questions.
    Spelling,
    /// A word of the other language that means the same; only in questions.
    Translation,
    /// A word of the same language that people use for the same thing; only in questions.
    Synonym,
}

/// A token with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) text: &'t str,
    pub(crate) span: Range<usize>,
    pub(crate) kind: TokenKind,
}

/// Longest token in bytes; longer ones are data, not words.
const TOKEN_LIMIT: usize = 64;

/// Splits text into tokens, leaving out the places in `noise` (in order, not overlapping).
pub(crate) fn tokenize(text: &str, noise: &[Range<usize>], mut emit: impl FnMut(Token<'_>)) {
    let mut noise = noise.iter().peekable();
    let mut chars = text.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        while noise.peek().is_some_and(|span| span.end <= start) {
            noise.next();
        }
        if noise.peek().is_some_and(|span| span.contains(&start)) || !is_word(first) {
            continue;
        }
        let hangul = is_hangul(first);
        let limit = noise.peek().map_or(text.len(), |span| span.start);
        let mut end = start + first.len_utf8();
        while let Some((at, c)) = chars.peek().copied().filter(|(at, _)| *at < limit) {
            let next_is_word = || {
                text[at + c.len_utf8()..]
                    .chars()
                    .next()
                    .is_some_and(|c| is_word(c) && !is_hangul(c))
            };
            let goes_on = if hangul {
                is_hangul(c)
            } else {
                is_word(c) && !is_hangul(c) || is_inner(c) && next_is_word()
            };
            if !goes_on {
                break;
            }
            end = at + c.len_utf8();
            chars.next();
        }
        let span = start..end;
        if hangul {
            let after_latin = text[..start].chars().next_back().is_some_and(is_word);
            korean_word(&text[span.clone()], span, after_latin, &mut emit);
        } else {
            latin_word(&text[span.clone()], span, &mut emit);
        }
    }
}

/// Letters and digits, but for single Korean letters: `ㅋㅋ` and `ㅠㅠ` are laughter and tears.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() && !('ㄱ'..='ㆎ').contains(&c)
}

/// Characters that may stand inside a Latin compound.
fn is_inner(c: char) -> bool {
    matches!(c, '-' | '_' | '.' | '/' | ':' | '\'' | '’')
}

fn korean_word(
    word: &str,
    span: Range<usize>,
    after_latin: bool,
    emit: &mut impl FnMut(Token<'_>),
) {
    // `etcd가`, `502를`: a particle that belongs to the Latin word before it.
    if after_latin && korean::is_tail(word) || is_korean_stop_word(word) {
        return;
    }
    let stem = korean::stem(word);
    if is_korean_stop_word(stem) {
        return;
    }
    let mut token = |text: &str, kind| {
        if text.len() <= TOKEN_LIMIT {
            emit(Token {
                text,
                span: span.clone(),
                kind,
            });
        }
    };
    token(stem, TokenKind::Word);
    if stem != word {
        token(word, TokenKind::Uncut);
    }
    let starts: Vec<usize> = stem
        .char_indices()
        .map(|(at, _)| at)
        .chain([stem.len()])
        .collect();
    if starts.len() > 3 {
        for pair in starts.windows(3) {
            token(&stem[pair[0]..pair[2]], TokenKind::Syllables);
        }
    }
}

fn latin_word(word: &str, span: Range<usize>, emit: &mut impl FnMut(Token<'_>)) {
    let mut token = |text: &str, kind| {
        if !text.is_empty() && text.len() <= TOKEN_LIMIT {
            emit(Token {
                text,
                span: span.clone(),
                kind,
            });
        }
    };
    if is_simple(word) {
        simple(word, |text| token(text, TokenKind::Word));
        return;
    }
    let parts = parts(word);
    if let [only] = parts[..] {
        simple(only, |text| token(text, TokenKind::Word));
        return;
    }
    let whole = folded(word);
    if whole.chars().any(char::is_alphabetic) && !is_english_stop_word(&whole) {
        token(&whole, TokenKind::Whole);
    }
    for part in parts {
        // Numbers inside compounds are versions and indexes.
        if part.chars().any(char::is_alphabetic) {
            simple(part, |text| token(text, TokenKind::Part));
        }
    }
}

/// Returns whether a word certainly has no parts; most words are such.
fn is_simple(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic()) && bytes.all(|b| b.is_ascii_lowercase())
}

/// Lower case, composed, without the characters that join a compound.
fn folded(word: &str) -> String {
    if word.is_ascii() {
        let kept = word.chars().filter(|c| !is_inner(*c));
        return kept.map(|c| c.to_ascii_lowercase()).collect();
    }
    word.nfkc()
        .filter(|c| !is_inner(*c))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Makes the token of a word that has no parts; none of function words and of numbers that say nothing.
fn simple(word: &str, token: impl FnOnce(&str)) {
    let lower = folded(word);
    if is_english_stop_word(&lower) {
        return;
    }
    if lower.bytes().all(|b| b.is_ascii_digit()) {
        // Status codes, ports and exit codes have three to five digits; other numbers are counts.
        if (3..=5).contains(&lower.len()) {
            token(&lower);
        }
    } else if lower.len() > 3 && lower.bytes().all(|b| b.is_ascii_lowercase()) {
        with_stem(&lower, token);
    } else if lower.len() >= 2 {
        token(&lower);
    }
}

/// Most stems that are remembered by a thread; more words than the corpus has.
const STEMS: usize = 50_000;

thread_local! {
    /// Stemming a word takes longer than everything else that is done with it, and the same words come again.
    static KNOWN_STEMS: RefCell<HashMap<String, String>> = RefCell::default();
}

/// Hands the stem of an English word on.
fn with_stem(word: &str, token: impl FnOnce(&str)) {
    KNOWN_STEMS.with_borrow_mut(|known| {
        if let Some(stem) = known.get(word) {
            return token(stem);
        }
        let stem = Stemmer::create(Algorithm::English).stem(word).into_owned();
        if known.len() >= STEMS {
            known.clear();
        }
        token(known.entry(word.to_owned()).or_insert(stem));
    });
}

/// Splits a compound at joiners and at humps (`OOMKilled` → `OOM`, `Killed`). Apostrophes do not split.
fn parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for piece in word.split(|c| is_inner(c) && !matches!(c, '\'' | '’')) {
        let chars: Vec<(usize, char)> = piece.char_indices().collect();
        let mut from = 0;
        for (index, (at, c)) in chars.iter().enumerate().skip(1) {
            let before = chars[index - 1].1;
            let after = chars.get(index + 1).map(|(_, c)| *c);
            let hump = c.is_uppercase() && before.is_lowercase()
                || c.is_uppercase()
                    && before.is_uppercase()
                    && after.is_some_and(char::is_lowercase)
                    && !plural_acronym(&chars[index..]);
            if hump && at - from >= 2 && piece.len() - at >= 2 {
                parts.push(&piece[from..*at]);
                from = *at;
            }
        }
        if from < piece.len() {
            parts.push(&piece[from..]);
        }
    }
    parts
}

/// `PVCs`, `VMs`: the last capital belongs to the acronym.
fn plural_acronym(rest: &[(usize, char)]) -> bool {
    matches!(rest, [_, (_, 's')])
}

/// English function words. Few: rarity weighs the rest.
static ENGLISH_STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "\
    a about after again all already also always am an and any anybody anyone anything are as at be because been \
    before being but by can could did do does everyone everything exactly for from get getting got had has have \
    he help her hi how i if im in into is it its ive just keep keeping keeps like maybe me my now of off on or \
    our out over please re really s see seeing seem seems she so some somebody someone something still suddenly \
    take takes taking than that the their them then there these they think this those to too took up us very was \
    we were weve what when where which while who why will with would you your"
    .split_whitespace()
    .collect()
});

/// Longest word of the list, in bytes.
const LONGEST_STOP_WORD: usize = 10;

fn is_english_stop_word(word: &str) -> bool {
    word.len() <= LONGEST_STOP_WORD && ENGLISH_STOP_WORDS.contains(word)
}

/// Korean words without content of their own, and particles that stand apart.
static KOREAN_STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "\
    가 갑자기 같아요 같은 것 경우 계속 과 관련 그 그거 그게 그냥 그래서 그런데 그리고 근데 나서 너무 누가 는 다른 다시 대해 더 도 된 될 들 등 때 때문 때문에 또 또는 로 를 만 모두 \
    모든 못 못하고 뭐 및 방금 벌써 새 수 아까 아직 안 약간 어떤 없는 없다 에 여러 와 왜 요 우리 원래 위해 은 을 의 이 이거 이게 이미 이번 이제 입니다 있는 있다 있음 자꾸 잘 저 저게 \
    저희 전 정말 좀 중 지금 진짜 통해 하는 하지만 한 할 함께 합니다 해당 했다 현재 혹시 후"
    .split_whitespace()
    .collect()
});

fn is_korean_stop_word(word: &str) -> bool {
    KOREAN_STOP_WORDS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        tokenize(text, &super::super::noise::spans(text), |token| {
            if !matches!(token.kind, TokenKind::Syllables | TokenKind::Uncut) {
                words.push(token.text.to_owned());
            }
        });
        words
    }

    #[test]
    fn compounds_are_whole_and_in_parts() {
        assert_eq!(
            words("kube-apiserver"),
            ["kubeapiserver", "kube", "apiserv"]
        );
        assert_eq!(
            words("CrashLoopBackOff"),
            ["crashloopbackoff", "crash", "loop", "back"]
        );
        assert_eq!(
            words("OOMKilled PVCs"),
            ["oomkilled", "oom", "kill", "pvcs"]
        );
        assert_eq!(
            words("max_connections"),
            ["maxconnections", "max", "connect"]
        );
        assert_eq!(words("can't won't"), ["cant", "wont"]);
    }

    #[test]
    fn korean_and_latin_meet_without_space() {
        assert_eq!(words("GCP에서 502를 냈다"), ["gcp", "502", "냈다"]);
        assert_eq!(
            words("etcd가 느려졌어요ㅠㅠ ㅋㅋㅋ"),
            ["etcd", "느려졌어요"]
        );
        assert_eq!(words("DB서버가"), ["db", "서버"]);
    }

    #[test]
    fn korean_words_are_cut_and_paired() {
        let mut tokens = Vec::new();
        tokenize("로드밸런서에서", &[], |token| {
            tokens.push((token.text.to_owned(), token.kind));
        });
        let expected = [
            ("로드밸런서", TokenKind::Word),
            ("로드밸런서에서", TokenKind::Uncut),
            ("로드", TokenKind::Syllables),
            ("드밸", TokenKind::Syllables),
            ("밸런", TokenKind::Syllables),
            ("런서", TokenKind::Syllables),
        ];
        assert_eq!(tokens, expected.map(|(text, kind)| (text.to_owned(), kind)));
    }

    #[test]
    fn noise_is_no_word() {
        assert_eq!(
            words("pod api-7d9f8b6c5d-x2k4q at 10.0.0.1:443 waited 300ms"),
            ["pod", "api", "wait"]
        );
    }

    proptest::proptest! {
        #[test]
        fn spans_are_words_of_the_text(text in "\\PC{0,120}") {
            tokenize(&text, &[], |token| assert!(text.get(token.span.clone()).is_some_and(|word| !word.is_empty())));
        }
    }
}
