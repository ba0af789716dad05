//! Slack's markup, mrkdwn, with text from outside in it.
//!
//! Blocks carry such text in rich text elements, where nothing is parsed; mrkdwn is left to the fallback text.
//! Rules: <https://docs.slack.dev/messaging/formatting-message-text>.

use std::fmt::Write as _;

use super::text::{ELLIPSIS, line, units};

/// Longest address that is linked, in units; longer ones are tracking links or attacks, and a button takes 3,000.
pub const URL_LIMIT: usize = 1000;

/// Escapes the three characters that begin Slack's control sequences: after this no mention, broadcast or link is left.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Makes one line of prose whose own `*`, `_`, `~` and backticks show as they are.
///
/// Slack has no escape for them, and invisible characters in between would spoil what people copy. So a word in which
/// one could format (`_start`, `*.example.com`; not `kube_proxy`) becomes code, where nothing formats.
pub fn prose(text: &str) -> String {
    let mut prose = String::with_capacity(text.len());
    for word in line(text).split(' ') {
        if !prose.is_empty() {
            prose.push(' ');
        }
        if could_format(word) {
            prose.push_str(&code(word));
        } else {
            prose.push_str(&escape(word));
        }
    }
    prose
}

/// Returns whether a word has a formatting character at an edge: only there does Slack begin or end a format.
fn could_format(word: &str) -> bool {
    let mut previous = None;
    let mut letters = word.chars().peekable();
    while let Some(c) = letters.next() {
        let inside = |neighbour: Option<char>| neighbour.is_some_and(char::is_alphanumeric);
        let next = letters.peek().copied();
        if c == '`' || (matches!(c, '*' | '_' | '~') && !(inside(previous) && inside(next))) {
            // "~2h" and "*" alone have no partner inside the word, but one may follow in a later word.
            return true;
        }
        previous = Some(c);
    }
    false
}

/// Makes code of one line of text. A backtick would end it, so a straight quote stands in.
pub fn code(text: &str) -> String {
    let plain = line(text).replace('`', "'");
    if plain.is_empty() {
        return String::new();
    }
    format!("`{}`", escape(&plain))
}

/// Makes a link; only the label when the address is no web address.
pub fn link(url: &str, label: &str) -> String {
    let label = line(label);
    let Some(url) = web_address(url) else {
        return prose(&label);
    };
    // The first bar ends the address. What a second one does is not documented, so a look-alike takes its place.
    let address = escape(&url).replace('|', "%7C");
    if label.is_empty() {
        return format!("<{address}>");
    }
    format!("<{address}|{}>", escape(&label).replace('|', "¦"))
}

/// Returns an address in normal form when it is a web address that a link may point to.
pub fn web_address(url: &str) -> Option<String> {
    let url = url::Url::parse(url.trim()).ok()?;
    let web = matches!(url.scheme(), "https" | "http") && url.has_host();
    // Names and passwords in addresses serve to dress a foreign host up as a known one.
    let bare = url.username().is_empty() && url.password().is_none();
    let text = String::from(url);
    (web && bare && units(&text) <= URL_LIMIT).then_some(text)
}

/// Returns the host of a web address for people, without `www.`.
pub fn host(url: &str) -> Option<String> {
    let url = url::Url::parse(&web_address(url)?).ok()?;
    let host = url.host_str()?;
    Some(host.strip_prefix("www.").unwrap_or(host).to_owned())
}

/// Cuts markup to at most `limit` units, marked by `…`: between grapheme clusters, never inside an entity, a link or
/// a code span.
pub fn clip(markup: &str, limit: usize) -> String {
    if units(markup) <= limit {
        return markup.to_owned();
    }
    let room = limit.saturating_sub(units(ELLIPSIS));
    let mut kept = String::new();
    let mut used = 0;
    for token in Tokens(markup) {
        used += units(token);
        if used > room {
            break;
        }
        kept.push_str(token);
    }
    let trimmed = kept.trim_end().len();
    kept.truncate(trimmed);
    let _ = write!(kept, "{ELLIPSIS}");
    kept
}

/// The parts of markup that only make sense whole.
struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        use unicode_segmentation::UnicodeSegmentation;
        let first = self.0.chars().next()?;
        let close = match first {
            '<' => Some('>'),
            '&' => Some(';'),
            '`' => Some('`'),
            _ => None,
        };
        let whole = close
            .and_then(|close| self.0[1..].find(close))
            .map(|at| at + 2);
        let end = whole.unwrap_or_else(|| {
            self.0
                .graphemes(true)
                .next()
                .map_or(first.len_utf8(), str::len)
        });
        let (token, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn control_characters_are_escaped_once() {
        assert_eq!(escape("a < b && c > d"), "a &lt; b &amp;&amp; c &gt; d");
        assert_eq!(escape("&amp;"), "&amp;amp;");
        assert_eq!(escape("<!channel> <@U1>"), "&lt;!channel&gt; &lt;@U1&gt;");
    }

    #[test]
    fn words_that_would_format_become_code() {
        for (text, expect) in [
            ("kube_proxy is slow", "kube_proxy is slow"),
            (
                "*.example.com and __init__",
                "`*.example.com` and `__init__`",
            ),
            ("about ~2h and ~3h", "about `~2h` and `~3h`"),
            ("run `kubectl get`", "run `'kubectl` `get'`"),
            ("*<b>*", "`*&lt;b&gt;*`"),
            ("> quoted\n> twice", "&gt; quoted &gt; twice"),
        ] {
            assert_eq!(prose(text), expect);
        }
    }

    #[test]
    fn links_survive_any_address_and_label() {
        for (url, label, expect) in [
            (
                "https://a.example/?x=1&y=2",
                "R&D",
                "<https://a.example/?x=1&amp;y=2|R&amp;D>",
            ),
            (
                "https://a.example/a|b>c",
                "x|y>z",
                "<https://a.example/a%7Cb%3Ec|x¦y&gt;z>",
            ),
            ("javascript:alert(1)", "label", "label"),
            ("https://slack.com@evil.example/", "label", "label"),
            ("https://a.example/", "", "<https://a.example/>"),
            ("", "*", "`*`"),
        ] {
            assert_eq!(link(url, label), expect);
        }
        assert_eq!(
            host("https://www.netlify.com/blog").as_deref(),
            Some("netlify.com")
        );
    }

    #[test]
    fn cuts_keep_tokens_whole() {
        for (markup, limit, expect) in [
            ("a &lt; b", 5, "a…"),
            ("a <https://x.example|x> b", 20, "a…"),
            ("see `a b c` d", 9, "see…"),
            ("한글 🔥🔥", 6, "한글 🔥…"),
        ] {
            let cut = clip(markup, limit);
            assert_eq!(cut, expect);
            assert!(units(&cut) <= limit);
        }
    }

    proptest! {
        #[test]
        fn prose_leaves_nothing_to_parse(text in any::<String>()) {
            let prose = prose(&text);
            prop_assert!(!prose.contains(['<', '>', '\n']));
            prop_assert!(prose.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "").find('&').is_none());
            // Backticks only come in pairs of our own.
            prop_assert_eq!(prose.matches('`').count() % 2, 0);
        }

        #[test]
        fn cuts_fit_and_never_split_a_token(text in any::<String>(), limit in 1_usize..80) {
            let cut = clip(&prose(&text), limit);
            prop_assert!(units(&cut) <= limit);
            prop_assert!(cut.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "").find('&').is_none());
            prop_assert_eq!(cut.matches('`').count() % 2, 0);
        }
    }
}
