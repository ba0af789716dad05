//! Exact signals: strings that software printed and that mean the same wherever they stand.

use std::{ops::Range, sync::LazyLock};

use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;

use super::{Signal, SignalKind, noise::overlap};
use crate::corpus::{fold, is_hangul};

/// HTTP status codes that speak of trouble (RFC 9110, nginx 499, Cloudflare 520-530).
const STATUS_CODES: &[u16] = &[
    400, 401, 403, 404, 405, 408, 409, 413, 418, 421, 422, 423, 429, 431, 451, 499, 500, 501, 502,
    503, 504, 507, 508, 511, 520, 521, 522, 523, 524, 525, 526, 527, 530,
];

/// Patterns of codes, with the group that holds the signal.
static CODES: LazyLock<Vec<(SignalKind, Regex)>> = LazyLock::new(|| {
    let pattern = |text: &str| Regex::new(text).expect("the pattern is valid");
    vec![
        (
            SignalKind::Code,
            pattern(
                r"(?-u)\b(ERR_[A-Z0-9_]+|E(?:CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE|NOSPC|MFILE|NFILE|NOMEM|ACCES|PERM|AGAIN|ADDRINUSE|ADDRNOTAVAIL|AI_AGAIN|NOTFOUND|IO|ROFS|DQUOT|STALE|BUSY)|[A-Z][A-Z0-9]+_[A-Z0-9_]*(?:ERR|ERROR|FAIL|FAILED|FAILURE|TIMEOUT|EXCEEDED|REFUSED|RESET|DENIED|UNAVAILABLE|EXPIRED|INVALID|EXHAUSTED|VALIDATION)[A-Z0-9_]*)\b",
            ),
        ),
        (
            SignalKind::Code,
            pattern(
                r"(?i-u)\b(SQLSTATE[ :\[]*[0-9A-Z]{5}|ORA-\d{4,5}|x509|SIG(?:KILL|SEGV|TERM|ABRT|BUS)|NXDOMAIN|SERVFAIL|(?:exit(?:ed)?(?: with)?(?: code| status)?) *(?:137|139|143|134)|errno *\d+|HRESULT *0x[0-9a-f]+|error code:? *\d{3,5})\b",
            ),
        ),
        (
            SignalKind::Exception,
            pattern(
                r"(?-u)\b((?:[a-z][a-zA-Z0-9_]*\.)*[A-Z][A-Za-z0-9]*(?:Exception|Error|Err|Fault|Timeout|BackOff|Killed|NotReady|Pressure|Exceeded|Unavailable|Refused|Expired|Denied|Exhausted|Evicted|Unhealthy|Scheduling|Creating))\b",
            ),
        ),
        (
            SignalKind::Port,
            pattern(r"(?i-u)(?:\bport[ :=]*|:)(\d{2,5})\b"),
        ),
        (SignalKind::Port, pattern(r"\b(\d{2,5}) ?(?:번 ?포트|포트)")),
    ]
});

/// A three-digit number that may be a status code, with what stands around it.
static STATUS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)(?:\bhttp(?:/[0-9.]+)?[ _=:/-]{0,2}|\b)([45](?:[0-9][0-9]|xx))(?:s\b|\b)")
        .expect("the pattern is valid")
});

/// What follows a number that counts something.
static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^[ -]?(?:개|명|건|번|대|회|호|층|초|분|시간|일|원|%|ms\b|k\b|mb\b|gb\b|tb\b|users?\b|requests?\b|req\b|rps\b|qps\b|customers?\b|pods?\b|nodes?\b|hosts?\b|instances?\b|servers?\b|replicas?\b|people\b|items?\b|rows?\b|connections?\b|seconds?\b|minutes?\b|hours?\b|days?\b|times\b|percent\b|\.\d)")
        .expect("the pattern is valid")
});

/// Finds signals of a text.
pub(crate) struct SignalFinder {
    phrases: AhoCorasick,
}

impl SignalFinder {
    /// Prepares well-known log phrases and error strings. Plain single words are left out: as signals they would make
    /// every text that has them an error report.
    pub(super) fn new<'a>(phrases: impl IntoIterator<Item = &'a str>) -> Self {
        let telling = |phrase: &str| {
            let plain = phrase.chars().all(char::is_alphabetic)
                && !phrase.chars().skip(1).any(char::is_uppercase);
            phrase.chars().count() >= 4 && !plain && !phrase.chars().all(|c| c.is_ascii_digit())
        };
        let mut lower: Vec<String> = phrases
            .into_iter()
            .filter(|phrase| telling(phrase))
            .map(str::to_lowercase)
            .collect();
        lower.sort();
        lower.dedup();
        let phrases = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(lower)
            .expect("a list of phrases is far below the automaton's limits");
        Self { phrases }
    }

    /// Finds the signals of a text, by place; the longest of those that overlap.
    pub(crate) fn find(&self, text: &str, noise: &[Range<usize>]) -> Vec<Signal> {
        let mut found: Vec<Signal> = Vec::new();
        let mut add = |kind, span: Range<usize>| {
            let string = text[span.clone()].to_owned();
            found.push(Signal {
                kind,
                key: key(kind, &string),
                span,
                text: string,
            });
        };
        // Lower-casing may change lengths outside ASCII; then phrases are sought in the text as it is.
        let lower = text.to_lowercase();
        let haystack = if lower.len() == text.len() {
            lower.as_str()
        } else {
            text
        };
        for hit in self.phrases.find_iter(haystack) {
            let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && !is_hangul(c));
            let glued = inside(haystack[..hit.start()].chars().next_back())
                || inside(haystack[hit.end()..].chars().next());
            if !glued && text.is_char_boundary(hit.start()) && text.is_char_boundary(hit.end()) {
                add(SignalKind::Phrase, hit.range());
            }
        }
        for (kind, pattern) in CODES.iter() {
            for captures in pattern.captures_iter(text) {
                let Some(group) = captures.get(1) else {
                    continue;
                };
                let is_port = *kind == SignalKind::Port;
                // A clock's minutes follow a colon too; a port may stand inside an address.
                let clock = text[..group.start()].ends_with(':')
                    && text[..group.start() - 1].ends_with(|c: char| c.is_ascii_digit())
                    && group.len() <= 2;
                let masked = !is_port && noise.iter().any(|noise| overlap(noise, &group.range()));
                let valid = !is_port || group.as_str().parse::<u16>().is_ok_and(|port| port >= 20);
                if !clock && !masked && valid {
                    add(*kind, group.range());
                }
            }
        }
        for captures in STATUS.captures_iter(text) {
            let Some(group) = captures.get(1) else {
                continue;
            };
            let family = group.as_str().ends_with(['x', 'X']);
            let known = family
                || group
                    .as_str()
                    .parse()
                    .is_ok_and(|code: u16| STATUS_CODES.contains(&code));
            let masked = noise.iter().any(|noise| overlap(noise, &group.range()));
            let counted = !family && COUNTED.is_match(&text[group.end()..]);
            let before = &text[..group.start()];
            // A version or a sum, but not the members of a list: `503,504`.
            let decimal = before.ends_with(['.', '$', '₩', '#']);
            let port = before.trim_end().to_ascii_lowercase().ends_with("port");
            if known && !masked && !counted && !decimal && !port {
                add(SignalKind::Status, group.range());
            }
        }
        found.sort_by(|a, b| {
            b.span
                .len()
                .cmp(&a.span.len())
                .then(a.span.start.cmp(&b.span.start))
        });
        let mut kept: Vec<Signal> = Vec::new();
        for signal in found {
            // A code inside a phrase is a signal of its own: `x509` in "x509: certificate has expired".
            let hidden = kept.iter().any(|other| {
                overlap(&other.span, &signal.span)
                    && (other.key == signal.key
                        || other.kind == signal.kind
                        || other.kind != SignalKind::Phrase)
            });
            if !hidden {
                kept.push(signal);
            }
        }
        kept.sort_by_key(|signal| (signal.span.start, signal.span.end));
        kept
    }
}

/// Returns the places that hold no sentence: noise and what software printed. Its words fill no frame, as "space left" of
/// "No space left on device" is nobody's claim.
pub(super) fn printed(noise: &[Range<usize>], signals: &[Signal]) -> Vec<Range<usize>> {
    let strings = signals
        .iter()
        .filter(|signal| !matches!(signal.kind, SignalKind::Status | SignalKind::Port));
    let spans = strings.map(|signal| signal.span.clone());
    noise.iter().cloned().chain(spans).collect()
}

/// Returns the form in which signals are compared. An exception's package is left out: people paste either form.
fn key(kind: SignalKind, text: &str) -> String {
    match kind {
        SignalKind::Exception => fold(text.rsplit('.').next().unwrap_or(text)),
        _ => fold(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(SignalKind, &str)]) {
        let finder = SignalFinder::new(["context deadline exceeded", "no space left on device"]);
        let found: Vec<_> = finder
            .find(text, &super::super::noise::spans(text))
            .into_iter()
            .map(|signal| (signal.kind, signal.text))
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(kind, text)| (*kind, (*text).to_owned()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn status_codes_are_told_from_counts() {
        use SignalKind::Status;
        check(
            "502s and HTTP 503, 5xx too",
            &[(Status, "502"), (Status, "503"), (Status, "5xx")],
        );
        check("인그레스에서 502를 냈다", &[(Status, "502")]);
        check("500 users, 500ms, 503 건, $500, 404.5, 500,000", &[]);
        check(
            "503,504 and HTTP502, 502만",
            &[
                (Status, "503"),
                (Status, "504"),
                (Status, "502"),
                (Status, "502"),
            ],
        );
    }

    #[test]
    fn codes_exceptions_phrases_and_ports_are_found() {
        use SignalKind::{Code, Exception, Phrase, Port};
        check(
            "java.lang.NullPointerException at Foo",
            &[(Exception, "java.lang.NullPointerException")],
        );
        check(
            "CrashLoopBackOff, OOMKilled",
            &[(Exception, "CrashLoopBackOff"), (Exception, "OOMKilled")],
        );
        check(
            "ECONNREFUSED / ERR_CONNECTION_RESET / SQLSTATE 53300",
            &[
                (Code, "ECONNREFUSED"),
                (Code, "ERR_CONNECTION_RESET"),
                (Code, "SQLSTATE 53300"),
            ],
        );
        check(
            "rpc error: Context Deadline Exceeded",
            &[(Phrase, "Context Deadline Exceeded")],
        );
        check(
            "dial tcp 10.0.0.1:2379 and port 5432, 6379 포트",
            &[(Port, "2379"), (Port, "5432"), (Port, "6379")],
        );
        check("at 10:30 we saw ELEVATED errors", &[]);
    }

    #[test]
    fn an_exceptions_package_does_not_count() {
        assert_eq!(
            key(SignalKind::Exception, "java.lang.NullPointerException"),
            "nullpointerexception"
        );
    }
}
