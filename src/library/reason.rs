//! Why two cases are close, in one line: "same cause · common cloud load balancer".

use std::borrow::Cow;

use super::{Library, Related};
use crate::corpus::{Lang, TermId};

/// First words of labels that keep their capital inside a sentence although it is their only one.
const PROPER_NAMES: [&str; 9] = [
    "Cassandra",
    "Elasticsearch",
    "Envoy",
    "Helm",
    "Kafka",
    "Kubernetes",
    "Oracle",
    "Redis",
    "Terraform",
];

/// Says why a case is close to another. Symptoms are named only when no component is common, and a similar
/// account only when the cause is another.
pub fn reason(library: &Library, related: &Related, lang: Lang) -> String {
    let names = |terms: &[TermId]| {
        let names: Vec<_> = terms
            .iter()
            .map(|term| in_sentence(library.label(*term, lang)))
            .collect();
        names.join(", ")
    };
    let mut parts = Vec::new();
    if related.same_cause {
        parts.push(pick(lang, "same cause", "같은 원인").to_owned());
    }
    if !related.components.is_empty() {
        let common = pick(lang, "common", "공통");
        parts.push(format!("{common} {}", names(&related.components)));
    } else if !related.symptoms.is_empty() {
        let common = pick(lang, "common symptom", "공통 증상");
        parts.push(format!("{common} {}", names(&related.symptoms)));
    }
    // What has the same cause in the same place is known to be similar.
    if parts.is_empty() || related.similar_account && !related.same_cause {
        parts.push(pick(lang, "similar account", "비슷한 내용").to_owned());
    }
    parts.join(" · ")
}

/// Returns a label as it stands inside a sentence: `Cloud load balancer` becomes `cloud load balancer`, while
/// `DNS resolver`, `etcd` and `Kubernetes` stay.
pub fn in_sentence(label: &str) -> Cow<'_, str> {
    let first = label.split(' ').next().unwrap_or_default();
    let mut letters = first.chars();
    let title_case = letters.next().is_some_and(char::is_uppercase)
        && first.chars().count() > 1
        && letters.all(|letter| !letter.is_uppercase());
    if !title_case || PROPER_NAMES.contains(&first) {
        return Cow::Borrowed(label);
    }
    let rest = &label[first.len()..];
    Cow::Owned(format!("{}{rest}", first.to_lowercase()))
}

const fn pick(lang: Lang, en: &'static str, ko: &'static str) -> &'static str {
    match lang {
        Lang::En => en,
        Lang::Ko => ko,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_lose_only_the_capital_of_a_sentence_start() {
        for (label, expect) in [
            ("Cloud load balancer", "cloud load balancer"),
            ("Websocket drops", "websocket drops"),
            ("Out-of-memory kill", "out-of-memory kill"),
            ("Kubernetes API server", "Kubernetes API server"),
            ("DNS resolver", "DNS resolver"),
            ("MongoDB", "MongoDB"),
            ("CI/CD pipeline", "CI/CD pipeline"),
            ("etcd", "etcd"),
            ("클라우드 로드 밸런서", "클라우드 로드 밸런서"),
            ("", ""),
        ] {
            assert_eq!(in_sentence(label), expect);
        }
    }
}
