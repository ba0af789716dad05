//! Which channels are incident channels: names matched against patterns such as `inc-*`.

use std::{convert::Infallible, str::FromStr};

/// Patterns that apply when none are configured, as they are configured: with commas between them.
pub const DEFAULT_PATTERNS: &str = "inc-*,incident-*,sev*-*,장애-*";

/// Returns [`DEFAULT_PATTERNS`], read.
pub fn default_patterns() -> Vec<Pattern> {
    DEFAULT_PATTERNS
        .split(',')
        .map(|pattern| Pattern(pattern.to_owned()))
        .collect()
}

/// A channel name in which `*` stands for any text, also none. Case does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

impl FromStr for Pattern {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.trim().trim_start_matches('#').to_lowercase()))
    }
}

impl Pattern {
    /// Returns the pattern as configured, in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the words of a matching name without the pattern's own (`inc-0412-etcd-slow` → `0412 etcd slow`).
    pub fn words(&self, name: &str) -> Option<String> {
        let name = name.to_lowercase();
        if !matches(&self.0, &name) {
            return None;
        }
        let own = self.0.strip_suffix('*').unwrap_or_default();
        let end = name
            .char_indices()
            .map(|(at, _)| at)
            .find(|end| matches(own, &name[..*end]))
            .unwrap_or(name.len());
        Some(name[end..].replace(['-', '_'], " "))
    }
}

/// Returns the words of the first pattern that matches; `None` when the channel is no incident channel.
pub fn incident_words(patterns: &[Pattern], name: &str) -> Option<String> {
    patterns.iter().find_map(|pattern| pattern.words(name))
}

/// Matches in linear steps back to the last `*` only, so no name makes it slow.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p + 1, n));
                p += 1;
            }
            Some(c) if *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((after, from)) = star else {
                    return false;
                };
                star = Some((after, from + 1));
                (p, n) = (after, from + 1);
            }
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expect: Option<&str>) {
        assert_eq!(
            incident_words(&default_patterns(), name).as_deref(),
            expect,
            "{name}"
        );
    }

    #[test]
    fn incident_channels_are_known_by_name() {
        check("inc-0412-etcd-slow", Some("0412 etcd slow"));
        check("incident-dns", Some("dns"));
        check("sev1-결제-지연", Some("결제 지연"));
        check("SEV2-api_5xx", Some("api 5xx"));
        check("장애-로그인", Some("로그인"));
        check("inc-", Some(""));
        for other in [
            "general",
            "incidents",
            "random-inc-1",
            "sev1",
            "seven",
            "장애",
            "",
        ] {
            check(other, None);
        }
    }

    #[test]
    fn stars_stand_anywhere() {
        for (pattern, name, expect) in [
            ("*-war-room", "eu-war-room", true),
            ("*-war-room", "war-room", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("*", "", true),
            ("#ops", "ops", true),
            ("", "ops", false),
        ] {
            let pattern: Pattern = pattern.parse().expect("any text is a pattern");
            assert_eq!(pattern.words(name).is_some(), expect, "{pattern:?} {name}");
        }
    }
}
