//! Text as people and Slack write it → plain text, with the way back to the given bytes.
//!
//! Slack's own forms are decoded (docs.slack.dev, formatting message text), Unicode is composed (NFKC: macOS pastes
//! Korean decomposed, full-width letters are common in Korean and Japanese tools), letters keep their case.

use std::ops::Range;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};
use unicode_segmentation::UnicodeSegmentation;

/// Plain text with, for each of its bytes, the given bytes that it came from.
#[derive(Debug, Default)]
pub(crate) struct Normal {
    /// The plain text.
    pub(crate) text: String,
    origin: Vec<(u32, u32)>,
}

impl Normal {
    /// Maps bytes of the plain text to bytes of the given text.
    pub(crate) fn origin(&self, span: &Range<usize>) -> Range<usize> {
        if span.is_empty() {
            return 0..0;
        }
        self.origin[span.start].0 as usize..self.origin[span.end - 1].1 as usize
    }

    fn push(&mut self, text: &str, start: usize, end: usize) {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.text.push_str(text);
        self.origin
            .resize(self.text.len(), (place(start), place(end)));
    }

    /// Pushes a piece of the given text unchanged but for composition.
    fn push_composed(&mut self, piece: &str, start: usize) {
        if is_nfkc_quick(piece.chars()) == IsNormalized::Yes {
            for (at, c) in piece.char_indices() {
                let mut buffer = [0; 4];
                let end = at + c.len_utf8();
                self.push(c.encode_utf8(&mut buffer), start + at, start + end);
            }
            return;
        }
        for (at, grapheme) in piece.grapheme_indices(true) {
            let composed: String = grapheme.nfkc().collect();
            self.push(&composed, start + at, start + at + grapheme.len());
        }
    }
}

/// Decodes and composes a text.
pub(crate) fn normalize(given: &str) -> Normal {
    let mut normal = Normal::default();
    let mut plain_from = 0;
    let mut at = 0;
    let mut after_word = false;
    while at < given.len() {
        let rest = &given[at..];
        let first = rest.chars().next().unwrap_or_default();
        let Some((length, replacement)) = slack_form(rest, after_word) else {
            after_word = first.is_alphanumeric();
            at += first.len_utf8();
            continue;
        };
        normal.push_composed(&given[plain_from..at], plain_from);
        match replacement {
            Replacement::Text(text) => normal.push(text, at, at + length),
            Replacement::Inner(inner) => {
                // A label is its own word: `in<#C1|inc-db>now` must not glue.
                normal.push(" ", at, at + inner.start);
                normal.push_composed(&rest[inner.clone()], at + inner.start);
                normal.push(" ", at + inner.end, at + length);
            }
        }
        at += length;
        plain_from = at;
        after_word = false;
    }
    normal.push_composed(&given[plain_from..], plain_from);
    normal
}

enum Replacement {
    /// The form stands for this text.
    Text(&'static str),
    /// The form stands for these bytes of itself.
    Inner(Range<usize>),
}

/// Recognises a Slack form at the start of `rest`; returns its length in bytes and what it stands for.
fn slack_form(rest: &str, after_word: bool) -> Option<(usize, Replacement)> {
    let first = rest.as_bytes()[0];
    match first {
        b'&' => [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")]
            .into_iter()
            .find(|(entity, _)| rest.starts_with(entity))
            .map(|(entity, text)| (entity.len(), Replacement::Text(text))),
        b'<' => angle_form(rest),
        b':' if !after_word => emoji(rest).map(|length| (length, Replacement::Text(" "))),
        // Colours of a terminal, pasted along: `ESC [ 31 m`.
        0x1b => {
            let rest = rest.strip_prefix("\u{1b}[")?;
            let parameters = rest
                .bytes()
                .take_while(|b| b.is_ascii_digit() || *b == b';')
                .count();
            let end = rest.as_bytes().get(parameters)?;
            end.is_ascii_alphabetic()
                .then_some((parameters + 3, Replacement::Text(" ")))
        }
        b'`' => {
            let length = rest.bytes().take_while(|b| *b == b'`').count();
            Some((length, Replacement::Text(" ")))
        }
        _ => None,
    }
}

/// Longest Slack token that is looked at, in bytes: a URL of 3,000 characters and a label.
const ANGLE_LIMIT: usize = 4096;

/// Decodes `<https://…|label>`, `<@U1|name>`, `<#C1|name>`, `<!date^…|fallback>` and their short forms.
fn angle_form(rest: &str) -> Option<(usize, Replacement)> {
    let end = rest.bytes().take(ANGLE_LIMIT).position(|b| b == b'>')?;
    let inner = &rest[1..end];
    if inner.contains(['<', '\n']) {
        return None;
    }
    let length = end + 1;
    let label = inner
        .find('|')
        .map(|bar| bar + 2..end)
        .filter(|label| !label.is_empty());
    let nothing = Some((length, Replacement::Text(" ")));
    match inner.chars().next()? {
        // A channel's name often says what the incident is about.
        '#' => label.map_or(nothing, |label| Some((length, Replacement::Inner(label)))),
        '!' if inner.starts_with("!date") => {
            label.map_or(nothing, |label| Some((length, Replacement::Inner(label))))
        }
        // A person's or a group's name is not a symptom.
        '@' | '!' => nothing,
        _ if ["http://", "https://", "mailto:", "tel:"]
            .iter()
            .any(|scheme| inner.starts_with(scheme)) =>
        {
            // Slack links bare addresses by itself; their label is the address again, or a host.
            let told = label.filter(|label| {
                !inner.contains(&rest[label.clone()]) || rest[label.clone()].contains(' ')
            });
            told.map_or(nothing, |label| Some((length, Replacement::Inner(label))))
        }
        _ => None,
    }
}

/// Returns the length of an emoji name (`:fire:`, `:skin-tone-2:`, `:+1:`) at the start of `rest`.
fn emoji(rest: &str) -> Option<usize> {
    let end = rest.bytes().skip(1).take(64).position(|b| b == b':')? + 1;
    let name = &rest[1..end];
    let allowed =
        |c: char| c.is_alphanumeric() && !c.is_uppercase() || matches!(c, '_' | '-' | '+' | '\'');
    let is_name = !name.is_empty()
        && name.chars().all(allowed)
        && (name == "+1" || name == "-1" || name.chars().any(char::is_alphabetic));
    is_name.then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: &str, expected: &str) {
        let normal = normalize(given);
        let words: Vec<_> = normal.text.split_whitespace().collect();
        assert_eq!(words.join(" "), expected, "{given}");
    }

    #[test]
    fn slack_forms_are_decoded() {
        check("a &amp; b &lt;c&gt;", "a & b <c>");
        check(
            "see <https://x.example/a?b=1&amp;c|the dashboard> now",
            "see the dashboard now",
        );
        check("see <https://x.example/redis> now", "see now");
        check("see <http://db.example|db.example> now", "see now");
        check(
            "<@U123> <@U123|kim> down in <#C1|inc-payments-db>",
            "down in inc-payments-db",
        );
        check(
            "<!here> <!subteam^S1|@sre> since <!date^1|10:31>",
            "since 10:31",
        );
        check(
            ":fire: 502 :rotating_light: at 10:30:22 db:primary:ro",
            "502 at 10:30:22 db:primary:ro",
        );
        check(
            "```etcdserver: request timed out```",
            "etcdserver: request timed out",
        );
        check(
            "a < b and c > d, Vec<String>",
            "a < b and c > d, Vec<String>",
        );
    }

    #[test]
    fn composition_keeps_the_way_back() {
        let given: String = "인그레스 ５０２".nfd().collect();
        let normal = normalize(&given);
        assert_eq!(normal.text, "인그레스 502");
        let at = normal.text.find("그레").expect("it is there");
        let back = &given[normal.origin(&(at..at + "그레".len()))];
        assert_eq!(back.nfc().collect::<String>(), "그레");
    }

    #[test]
    fn labels_keep_the_way_back() {
        let given = "in <#C1|inc-redis> now";
        let normal = normalize(given);
        let at = normal.text.find("redis").expect("it is there");
        assert_eq!(&given[normal.origin(&(at..at + 5))], "redis");
    }

    proptest::proptest! {
        #[test]
        fn every_span_lies_on_character_boundaries(given in ".{0,200}") {
            let normal = normalize(&given);
            for (at, c) in normal.text.char_indices() {
                let span = normal.origin(&(at..at + c.len_utf8()));
                proptest::prop_assert!(given.get(span).is_some());
            }
        }
    }
}
