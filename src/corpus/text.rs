//! Texts cut to what there is room for.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

/// What ends a text that was cut.
pub const ELLIPSIS: &str = "…";

/// Cuts a text to at most `limit` characters, between words where that costs little; a cut shows as `…`.
pub fn cut(text: &str, limit: usize) -> Cow<'_, str> {
    cut_by(text, limit, |text| text.chars().count())
}

/// Cuts a text like [`cut`] where room is measured in another way. No measure may give more than a text has bytes.
pub fn cut_by(text: &str, limit: usize, measure: impl Fn(&str) -> usize) -> Cow<'_, str> {
    // Most texts fit.
    if text.len() <= limit || measure(text) <= limit {
        return Cow::Borrowed(text);
    }
    let room = limit.saturating_sub(measure(ELLIPSIS));
    let end_of = |parts: &mut dyn Iterator<Item = (usize, &str)>| {
        let (mut end, mut used) = (0, 0);
        for (at, part) in parts {
            used += measure(part);
            if used > room {
                break;
            }
            end = at + part.len();
        }
        end
    };
    let mut end = end_of(&mut text.grapheme_indices(true));
    // A single cluster can be longer than any limit (a letter under thousands of accents): then its start must do.
    if end == 0 {
        let parts = text.char_indices();
        end = end_of(&mut parts.map(|(at, c)| (at, &text[at..at + c.len_utf8()])));
    }
    // Going back to a word's end must not cost much of the text.
    if let Some(space) = text[..end].rfind(char::is_whitespace) {
        let next = text[end..].chars().next();
        let cuts_word = next.is_some_and(|c| !c.is_whitespace());
        if cuts_word && space * 4 >= end * 3 {
            end = space;
        }
    }
    let kept = text[..end].trim_end_matches(|c: char| c.is_whitespace() || c == ',');
    Cow::Owned(format!("{kept}{ELLIPSIS}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_fall_between_clusters_and_words() {
        for (text, limit, expect) in [
            ("short", 5, "short"),
            ("one two three four", 16, "one two three…"),
            ("nodes fail one by one", 12, "nodes fail…"),
            ("one, two", 5, "one…"),
            ("가나다라마", 4, "가나다…"),
            ("👩\u{200d}🚒👩\u{200d}🚒", 5, "👩\u{200d}🚒…"),
            ("e\u{301}e\u{301}e\u{301}", 4, "e\u{301}…"),
            ("anything", 1, "…"),
        ] {
            let cut = cut(text, limit);
            assert_eq!(cut, expect);
            assert!(cut.chars().count() <= limit);
        }
        let accents = format!("e{}", "\u{301}".repeat(5000));
        assert!(cut(&accents, 100).chars().count() <= 100);
    }
}
