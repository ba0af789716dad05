//! Text from outside, made fit for a message: cleaned, measured, cut. Knows no markup.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

pub(super) use crate::corpus::ELLIPSIS;
use crate::corpus::cut_by;

/// Measures a text as Slack's clients do, in UTF-16 code units. Slack does not say what it counts; no other unit
/// gives a larger figure for text that people write.
pub(super) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Makes one line of a text: white space becomes single spaces; control characters and those that turn the direction
/// of writing for what follows go. Joiners stay, since emoji and some scripts need them.
pub(super) fn line(text: &str) -> Cow<'_, str> {
    let plain = |c: char| c == ' ' || !(c.is_whitespace() || is_unsafe(c));
    if text.trim() == text && text.chars().all(plain) && !text.contains("  ") {
        return Cow::Borrowed(text);
    }
    let visible = text.replace(is_unsafe, " ");
    Cow::Owned(visible.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Cleans a text of several paragraphs like [`line()`] and cuts it to at most `limit` units; paragraphs are kept apart
/// by one line break.
pub(super) fn paragraphs(text: &str, limit: usize) -> String {
    let start = early_cut(text, limit);
    let paragraphs = start
        .split(['\n', '\u{2028}', '\u{2029}'])
        .map(line)
        .filter(|paragraph| !paragraph.is_empty());
    let mut joined = String::new();
    for paragraph in paragraphs {
        if !joined.is_empty() {
            joined.push('\n');
        }
        joined.push_str(&paragraph);
    }
    finish_cut(&joined, start.len() < text.len(), limit)
}

fn is_unsafe(c: char) -> bool {
    // Bidirectional embeddings, overrides and isolates: they would reorder our own words after the text.
    (c.is_control() && !c.is_whitespace())
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Cuts a text to at most `limit` units, between grapheme clusters and preferably between words, marked by `…`.
pub(super) fn clip(text: &str, limit: usize) -> Cow<'_, str> {
    cut_by(text, limit, units)
}

/// Makes one clean line of at most `limit` units of a text, however long that is.
pub(super) fn short(text: &str, limit: usize) -> String {
    let start = early_cut(text, limit);
    finish_cut(&line(start), start.len() < text.len(), limit)
}

/// Cleaning only shortens a text, and hardly ever eightfold: what lies beyond need not be cleaned at all.
fn early_cut(text: &str, limit: usize) -> &str {
    &text[..char_end(text, limit * 8 + 64)]
}

fn finish_cut(clean: &str, was_cut: bool, limit: usize) -> String {
    if was_cut && units(clean) <= limit {
        return clip(&format!("{clean}{ELLIPSIS}"), limit).into_owned();
    }
    clip(clean, limit).into_owned()
}

/// Returns where the last character ends that fits into `limit` units.
fn char_end(text: &str, limit: usize) -> usize {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.len_utf16();
        if used > limit {
            return at;
        }
    }
    text.len()
}

/// Returns the first sentence of a text in one line of at most `limit` units.
pub(super) fn sentence(text: &str, limit: usize) -> String {
    let start = early_cut(text, limit);
    let mut sentences = start.split_sentence_bounds();
    let first = sentences.find(|part| !part.trim().is_empty());
    short(first.unwrap_or_default(), limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_what_scripts_need_and_lose_what_harms() {
        for (text, expect) in [
            ("plain text", "plain text"),
            ("  two\n\nlines\tand\u{a0}more ", "two lines and more"),
            ("a\u{0}b\u{7}c", "a b c"),
            ("\u{202e}evil\u{202c} text", "evil text"),
            ("👩\u{200d}🚒 on call", "👩\u{200d}🚒 on call"),
            ("한글  띄어쓰기", "한글 띄어쓰기"),
            (" \n ", ""),
        ] {
            assert_eq!(line(text), expect);
        }
        assert_eq!(paragraphs("one\n\ntwo  \n three", 99), "one\ntwo\nthree");
    }

    #[test]
    fn cuts_fall_between_clusters_and_words() {
        for (text, limit, expect) in [
            ("short", 5, "short"),
            ("one two three four", 16, "one two three…"),
            ("one, two", 5, "one…"),
            ("가나다라마", 4, "가나다…"),
            ("👩\u{200d}🚒👩\u{200d}🚒", 8, "👩\u{200d}🚒…"),
            ("e\u{301}e\u{301}e\u{301}", 4, "e\u{301}…"),
            ("anything", 1, "…"),
        ] {
            let cut = clip(text, limit);
            assert_eq!(cut, expect);
            assert!(units(&cut) <= limit);
        }
        assert_eq!(short(" one\n two  three ", 9), "one two…");
        assert_eq!(short(&format!("a{}b", " ".repeat(500)), 9), "a…");
        let accents = format!("e{}", "\u{301}".repeat(5000));
        assert!(units(&clip(&accents, 100)) <= 100);
    }

    #[test]
    fn the_first_sentence_stands_alone() {
        for (text, expect) in [
            (
                "Version 1.2.3 broke it. Then more.",
                "Version 1.2.3 broke it.",
            ),
            ("인증서가 만료됐다. 갱신이 늦었다.", "인증서가 만료됐다."),
            ("\n\nNo stop at the end", "No stop at the end"),
            ("", ""),
        ] {
            assert_eq!(sentence(text, 40), expect);
        }
    }
}
