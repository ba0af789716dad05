//! What is understood with the bundled vocabulary, all its parts together.

use std::sync::LazyLock;

use super::Extractor;
use crate::corpus::{Checks, Corpus};

static CORPUS: LazyLock<Corpus> = LazyLock::new(|| {
    Corpus::load(&[], Checks::Structure)
        .expect("the bundled corpus needs no files")
        .corpus
});

/// Checks which of `slugs` a text reports and which it rules out; others may be found beside them.
#[track_caller]
fn check(text: &str, reported: &[&str], ruled_out: &[&str]) {
    let vocabulary = CORPUS.vocabulary();
    let terms = Extractor::new(vocabulary, []).extract(text);
    let has = |found: &[super::FoundTerm], slug: &str| {
        let mut found = found.iter();
        found.any(|found| vocabulary.term(found.term).slug == slug)
    };
    for slug in reported {
        assert!(has(&terms.terms, slug), "{text}: {slug}");
        assert!(!has(&terms.ruled_out, slug), "{text}: {slug} is fine");
    }
    for slug in ruled_out {
        assert!(!has(&terms.terms, slug), "{text}: {slug} is reported");
        assert!(has(&terms.ruled_out, slug), "{text}: {slug} is not fine");
    }
}

#[test]
fn words_of_one_clause_mean_a_term_in_any_order_and_form() {
    check(
        "we are unable to get the release out, rollouts keep failing",
        &["deploy-blocked"],
        &[],
    );
    check("배포가 아까부터 계속 막혀 있어요", &["deploy-blocked"], &[]);
    check("결제를 아무도 못 하고 있습니다", &["failed-payments"], &[]);
    check(
        "customers were charged for the same order twice",
        &["duplicate-processing"],
        &[],
    );
}

#[test]
fn words_of_different_clauses_mean_nothing_together() {
    let vocabulary = CORPUS.vocabulary();
    let terms = Extractor::new(vocabulary, []).extract("배포는 끝났는데 로그인이 실패합니다");
    let slugs: Vec<&str> = terms
        .distinct_terms()
        .map(|term| vocabulary.term(term).slug.as_str())
        .collect();
    assert_eq!(slugs, ["login-failure"]);
}

#[test]
fn what_a_frame_is_about_can_be_fine() {
    check(
        "로그인, 검색은 잘 되고 결제만 실패합니다",
        &["failed-payments"],
        &["login-failure"],
    );
    check("CPU, 메모리, 디스크 다 널널합니다", &[], &["disk-full"]);
}
