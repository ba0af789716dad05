use std::sync::LazyLock;

use super::*;
use crate::corpus::{Checks, Corpus, Origin};

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/corpus");
    let loaded = Corpus::load(&[Origin::Folder(folder.into())], Checks::Structure);
    Library::new(loaded.expect("it can be read").corpus)
});

fn check(typed: &str, text: &str, only: &[&str]) -> Asked {
    let asked = understand(&LIBRARY, typed);
    assert_eq!(asked.text.len(), typed.len(), "{typed}");
    let words: Vec<&str> = asked.text.split_whitespace().collect();
    assert_eq!(words.join(" "), text, "{typed}");
    assert_eq!(asked.only, only, "{typed}");
    asked
}

fn slips(typed: &str) -> Vec<(String, Vec<String>)> {
    let asked = understand(&LIBRARY, typed);
    asked
        .slips
        .into_iter()
        .map(|slip| (slip.typed, slip.near))
        .collect()
}

#[test]
fn filters_are_read_in_both_languages() {
    let asked = check(
        "etcd timeouts component:etcd since:2023 lang:ko",
        "etcd timeouts",
        &["component:etcd", "since:2023"],
    );
    assert_eq!(asked.lang, Some(Lang::Ko));
    assert_eq!(asked.filters.since, Some(2023));
    check(
        "노드가 죽어요 구성요소:\"로드 밸런서\" 증상:타임아웃 이후:2020년 언어:영어",
        "노드가 죽어요",
        &[
            "component:cloud-load-balancer",
            "symptom:timeouts",
            "since:2020",
        ],
    );
    check("ORG:“Example One” x", "x", &["org:\"Example One\""]);
    check(
        "slow component:etcd,kubelet",
        "slow",
        &["component:etcd", "component:kubelet"],
    );
    check("year:2021", "", &["year:2021"]);
    check("component:k8s down", "down", &["component:kubernetes"]);
}

#[test]
fn what_is_not_a_filter_stays_as_it_is() {
    for typed in [
        "see http://a.example/x:1 and pod:web-1",
        "error: component: etcd",
        "10.0.0.1:8080 refused",
        "`component:etcd`",
        "원인은 모름: 확인 중",
        "증상:쀍쀍쀍쀍쀍 원인:모름",
        "case:123 clause:2",
        "component:",
    ] {
        check(typed, typed, &[]);
        assert_eq!(slips(typed), [], "{typed}");
    }
}

#[test]
fn slips_are_told_with_what_may_be_meant() {
    let asked = check("slow component:ectd now", "slow ectd now", &[]);
    assert_eq!(asked.slips[0].near[0], "component:etcd");
    let mended = asked.slips[0].mended("slow component:ectd now", "component:etcd");
    assert_eq!(mended, "slow component:etcd now");
    for (typed, near) in [
        ("component:timeouts", "symptom:timeouts"),
        ("구성요소:쿠버네티", "component:kubernetes"),
        ("componet:etcd", "component:etcd"),
        ("org:\"Example Won\"", "org:\"Example One\""),
        ("since:2023-05", "since:2023"),
        ("lang:fr", "lang:en"),
    ] {
        let found = slips(typed);
        assert_eq!(found.len(), 1, "{typed}");
        assert!(found[0].1.contains(&near.to_owned()), "{typed}: {found:?}");
    }
    let many = "component:ectd ".repeat(50);
    assert_eq!(slips(&many).len(), SLIPS);
    assert_eq!(
        slips("component:qqqqqq since:soon")[0].1,
        Vec::<String>::new()
    );
}

#[test]
fn text_that_nobody_typed_narrows_nothing() {
    let alert = "[FIRING] component:api since:2023 http://x.example 원인：불명";
    let plain = literal(alert);
    assert_eq!(
        plain,
        "[FIRING] component: api since: 2023 http://x.example 원인： 불명"
    );
    assert!(understand(&LIBRARY, &plain).only.is_empty());
    assert_eq!(literal("etcd slow"), "etcd slow");
    // What follows a colon may begin with one more.
    assert_eq!(
        literal("org:since:202 tag:\"a since:2020\" x"),
        "org: since: 202 tag: \"a since: 2020\" x"
    );
}

#[test]
fn the_language_is_asked_for_with_any_command() {
    assert_eq!(language_of("IL-0493 lang:ko"), Some(Lang::Ko));
    assert_eq!(without_language("IL-0493 lang:ko"), "IL-0493");
    assert_eq!(without_language("lang:en help"), "help");
    assert_eq!(without_language("lang:fr help"), "lang:fr help");
}

proptest::proptest! {
    #[test]
    fn any_text_keeps_its_length_and_its_characters(typed in "\\PC{0,60}(component|lang|원인)?[:：]?[\"“<]?\\PC{0,20}") {
        let asked = understand(&LIBRARY, &typed);
        proptest::prop_assert_eq!(asked.text.len(), typed.len());
        for slip in &asked.slips {
            slip.mended(&typed, "x");
        }
        let plain = literal(&typed);
        let asked = understand(&LIBRARY, &plain);
        proptest::prop_assert!(asked.only.is_empty() && asked.slips.is_empty() && asked.lang.is_none(), "{plain}");
    }
}
