//! What in a pasted text says nothing about the incident: addresses, hosts, ids, timestamps.

use std::{ops::Range, sync::LazyLock};

use regex::Regex;

/// One alternation, most specific first. ASCII only: identifiers are.
static NOISE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?x-u)
          \b [A-Za-z][A-Za-z0-9+.-]{1,15} :// (?u: [^\s"'<>|)\]] )+                                # URL
        | \b [A-Za-z0-9._%+-]+ @ [A-Za-z0-9-]+ \. [A-Za-z0-9.-]+                            # mail address
        | \b [0-9a-fA-F]{8} (?: - [0-9a-fA-F]{4} ){3} - [0-9a-fA-F]{12} \b                  # UUID
        | \b \d{4} [-/] \d{2} [-/] \d{2}                                                    # date, with time and zone
          (?: [T\x20] \d{2} : \d{2} (?: : \d{2} (?: [.,] \d+ )? )? (?: \x20? (?: Z | UTC | KST | [+-] \d{2} :? \d{2} ) )? )? \b
        | \b \d{1,2} : \d{2} (?: : \d{2} (?: [.,] \d+ )? )?                                 # clock time
          (?: \x20? (?: [AaPp][Mm] | UTC | GMT | KST | JST | [PECM][DS]T ) \b )? \b
        | \b (?: \d{1,3} \. ){3} \d{1,3} (?: / \d{1,2} )? (?: : \d{1,5} )? \b               # IPv4
        | \b (?: [0-9a-fA-F]{1,4} : ){3,7} (?: [0-9a-fA-F]{1,4} )? : [0-9a-fA-F:]* \b       # IPv6
        | \b (?: [A-Za-z0-9_] [A-Za-z0-9_-]* \. ){1,8}                                      # host name
          (?: com | net | org | io | dev | kr | jp | cn | internal | local | localdomain | svc | lan | corp | cloud | example | test )
          (?: : \d{1,5} )? \b
        | \b ip (?: - \d{1,3} ){4} \b                                                       # EC2 host name
        | \b i - [0-9a-f]{8,17} \b                                                          # EC2 instance id
        | \b 0x [0-9a-fA-F]+ \b                                                             # address or hash
        | \b (?: [0-9]+ [a-f] | [a-f]+ [0-9] ) [0-9a-f]{6,} \b                              # hash, trace id
        | \b [A-Z0-9]{2,12} - \d{1,3} (?: - \d{1,9} )+ \b                                   # ticket-like id
        | \b \d{6,} \b                                                                      # long number
        "#,
    )
    .expect("the pattern is valid")
});

/// A number with a unit. Hangul may follow at once: `300ms로`.
static QUANTITY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)(?-u:\b) ( [0-9]+ (?: [.,] [0-9]+ )* \x20? (?: ms | us | ns | secs? | seconds? | mins? | minutes? | hours? | hrs? | days?
            | KB | MB | GB | TB | KiB | MiB | GiB | TiB | rps | qps | req/s | rpm | tps | % ) ) (?: \z | [\s,.;:!?)\]/가-힣] )",
    )
    .expect("the pattern is valid")
});

/// A number that counts something, is money, or is part of a ticket's name; a status code is none of these.
static COUNT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
          (?: ^ | [^0-9A-Za-z.,] ) ( [$₩€£] \x20? [0-9][0-9,.]* )
        | (?-u:\b) ( (?-i:[A-Z]{2,10}) - [0-9]{1,6} ) (?-u:\b)
        | (?-u:\b) ( [0-9][0-9,]* (?: \.[0-9]+ )? ) (?:
              \x20? (?: 여 \x20? )? (?: 개 | 명 | 건 | 대 | 회 | 호 | 층 | 초 | 분 | 시간 | 일 | 원 | 퍼센트 | 번 \x20 (?: 서버 | 노드 | 요청 | 시도 ) )
            | [\x20-]? (?: users? | requests? | req | customers? | pods? | nodes? | hosts? | instances? | servers? | replicas? | people | items? | rows?
                | connections? | times | percent | usd | krw | won | dollars? | errors | tickets? | messages? | jobs? | tasks? ) (?-u:\b)
          )
        | (?-u:\b) ( [0-9]{1,3} (?: , [0-9]{3} )+ ) (?-u:\b)
        ",
    )
    .expect("the pattern is valid")
});

/// A list of three-digit numbers: status codes rather than one large number.
static CODE_LIST: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[45][0-9][0-9](?:,[45][0-9][0-9])+$").expect("the pattern is valid")
});

/// The suffix that a Deployment gives its pods: `-7d9f8b6c5-x2k4q` (replica set hash, then pod hash).
static POD_SUFFIX: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)\b[a-z0-9-]*[a-z0-9](-[0-9a-f]{8,10}-[a-z0-9]{5})\b")
        .expect("the pattern is valid")
});

/// Returns the places of noise, in order, not overlapping.
pub(crate) fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = NOISE
        .find_iter(text)
        .map(|found| trimmed(text, found.range()))
        .collect();
    for pattern in [&POD_SUFFIX, &QUANTITY] {
        let groups = pattern.captures_iter(text).filter_map(|found| found.get(1));
        spans.extend(groups.map(|group| group.range()));
    }
    let counts = COUNT
        .captures_iter(text)
        .filter_map(|found| found.iter().skip(1).flatten().next());
    spans.extend(
        counts
            .filter(|count| !CODE_LIST.is_match(count.as_str()))
            .map(|count| count.range()),
    );
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup_by(|later, earlier| {
        let overlap = later.start < earlier.end;
        if overlap {
            earlier.end = earlier.end.max(later.end);
        }
        overlap
    });
    spans
}

/// Takes the white space and punctuation off that a pattern may have needed for its end.
fn trimmed(text: &str, span: Range<usize>) -> Range<usize> {
    let kept = text[span.clone()]
        .trim_end_matches([' ', '\t', '\n', ',', '.', ')'])
        .len();
    span.start..span.start + kept
}

/// Returns whether two ranges share a byte.
pub(crate) fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<_> = spans(text).into_iter().map(|span| &text[span]).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn addresses_ids_and_times_are_noise() {
        check("dial tcp 10.0.3.17:2379: i/o timeout", &["10.0.3.17:2379"]);
        check(
            "2026-01-02T03:04:05.123Z ERROR at 10:30 KST",
            &["2026-01-02T03:04:05.123Z", "10:30 KST"],
        );
        check(
            "pod payments-api-7d9f8b6c5d-x2k4q restarted",
            &["-7d9f8b6c5d-x2k4q"],
        );
        check(
            "trace 4bf92f3577b34da6a3ce929d0e0e4736 failed",
            &["4bf92f3577b34da6a3ce929d0e0e4736"],
        );
        check(
            "host db-3.prod.internal:5432 and https://x.example/a?b=1",
            &["db-3.prod.internal:5432", "https://x.example/a?b=1"],
        );
        check(
            "p99 is 1200ms, 35% of requests, 14 GB",
            &["1200ms", "35%", "14 GB"],
        );
        check(
            "id 123e4567-e89b-12d3-a456-426614174000",
            &["123e4567-e89b-12d3-a456-426614174000"],
        );
    }

    #[test]
    fn counts_money_and_tickets_are_noise() {
        check(
            "502 users, 1,502 errors, 503 nodes",
            &["502", "1,502", "503"],
        );
        check(
            "$500 payment, INC-502, 500여 건, 404 customers",
            &["$500", "INC-502", "500", "404"],
        );
        check("503,504,502 and 502,503", &[]);
        check("502만 나와요, 502 errors are not counted, 502번", &["502"]);
    }

    #[test]
    fn words_and_codes_are_not() {
        check(
            "502 from kube-apiserver x509 OOMKilled v1.24 us-east-1 cafe deadbeef face",
            &[],
        );
        check("인그레스에서 502를 냈다", &[]);
    }
}
