//! The bundled corpus: it passes its own lint, and the seeds' related cases come with their reasons.

use std::sync::{Arc, LazyLock};

use incident_like::{
    corpus::{CHECKS, Checks, Corpus, Lang, Level, Loaded, Origin},
    library::{Library, Lookup, reason},
};

/// The library as `serve` has it.
pub(crate) static BUNDLED: LazyLock<Arc<Library>> = LazyLock::new(|| {
    let loaded = Corpus::load(&[Origin::Bundled], Checks::Structure).expect("it is in the binary");
    assert!(!loaded.has_errors());
    Arc::new(Library::new(loaded.corpus))
});

#[test]
fn the_bundled_corpus_passes_every_check() {
    let loaded = Corpus::load(&[Origin::Bundled], Checks::All).expect("it is in the binary");
    let problems: Vec<String> = loaded
        .diagnostics
        .iter()
        .map(|problem| problem.render(false))
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

#[test]
fn the_twenty_cases_of_the_seeds_are_there() {
    let ids = [
        "IL-0003", "IL-0072", "IL-0077", "IL-0106", "IL-0112", "IL-0131", "IL-0136", "IL-0138",
        "IL-0139", "IL-0150", "IL-0190", "IL-0208", "IL-0243", "IL-0338", "IL-0395", "IL-0396",
        "IL-0493", "IL-0532", // The seeds give these two without an id.
        "IL-1011", "IL-1019",
    ];
    for id in ids {
        let case = BUNDLED.corpus().get(&id.parse().expect("an id"));
        assert!(case.is_some_and(|case| case.is_published()), "{id}");
    }
}

/// Checks that cases are among those related to `id`, with exactly the reason that the seed's page gives.
#[track_caller]
fn check_related(id: &str, expected: &[(&str, &str, &str)]) {
    let related = BUNDLED
        .similar(&id.parse().expect("an id"), 12)
        .expect("the case exists");
    for (other, en, ko) in expected {
        let found = related
            .iter()
            .find(|related| related.case.id.as_str() == *other);
        let found = found.unwrap_or_else(|| panic!("{other} is not related to {id}"));
        assert_eq!(reason(&BUNDLED, found, Lang::En), *en, "{other}");
        assert_eq!(reason(&BUNDLED, found, Lang::Ko), *ko, "{other}");
    }
}

#[test]
fn the_related_cases_of_il_0493_are_those_of_its_seed_page() {
    let reasons = (
        "same cause · common cloud load balancer",
        "같은 원인 · 공통 클라우드 로드 밸런서",
    );
    let ids = [
        "IL-0150", "IL-0131", "IL-0243", "IL-0106", "IL-0338", "IL-0395", "IL-0396",
    ];
    check_related("IL-0493", &ids.map(|id| (id, reasons.0, reasons.1)));
}

#[test]
fn the_related_cases_of_il_0003_are_those_of_its_seed_page() {
    let both = (
        "same cause · common etcd, Kubernetes API server",
        "같은 원인 · 공통 etcd, 쿠버네티스 API 서버",
    );
    let api = (
        "same cause · common Kubernetes API server",
        "같은 원인 · 공통 쿠버네티스 API 서버",
    );
    let kubelet = ("same cause · common kubelet", "같은 원인 · 공통 kubelet");
    let etcd = ("same cause · common etcd", "같은 원인 · 공통 etcd");
    check_related(
        "IL-0003",
        &[
            ("IL-0077", both.0, both.1),
            ("IL-0072", both.0, both.1),
            ("IL-0138", api.0, api.1),
            ("IL-0112", kubelet.0, kubelet.1),
            ("IL-0139", kubelet.0, kubelet.1),
            ("IL-0190", etcd.0, etcd.1),
        ],
    );
}

#[test]
fn a_case_is_never_related_to_itself_and_unknown_ones_are_refused() {
    for case in BUNDLED
        .corpus()
        .cases()
        .iter()
        .filter(|case| case.is_published())
    {
        let related = BUNDLED.similar(&case.id, 50).expect("the case exists");
        assert!(
            related
                .iter()
                .all(|related| related.case.id != case.id && related.case.is_published()),
            "{}",
            case.id
        );
    }
    assert!(
        BUNDLED
            .similar(&"IL-9999".parse().expect("an id"), 5)
            .is_err()
    );
}

#[test]
fn the_same_question_always_gets_the_same_answer() {
    let again = Library::new(
        Corpus::load(&[Origin::Bundled], Checks::Structure)
            .expect("it is there")
            .corpus,
    );
    for text in [
        "502 from ingress after upgrade",
        "DB 커넥션이 고갈됐어요",
        "disk full on 노드",
        "nothing in particular",
    ] {
        let lookup = Lookup {
            limit: 20,
            ..Lookup::new(text)
        };
        let ids = |library: &Library| -> Vec<String> {
            let answer = library.lookup(&lookup);
            answer
                .precedents
                .iter()
                .map(|precedent| format!("{} {}", precedent.case.id, precedent.score))
                .collect()
        };
        assert_eq!(ids(&BUNDLED), ids(&again), "{text}");
    }
}

/// A case that every check finds something wrong with, but for those about files and the vocabulary.
const BAD: &str = r#"
id = "IL-9001"
organisation = "EXAMPLE corp"
date = "2024"
status = "published"
time-to-detect = "2h"
time-to-recover = "1h"
causes = ["software-defect", "human-error", "unknown"]
components = []
symptoms = ["timeouts"]
signals = ["오류"]
superseded-by = "IL-8888"
[title]
en = "This title is far too long for a glance, because it tells the whole story of the incident from the first alert to the very last follow-up of its owners"
ko = "제목"
[summary]
en = "See **this** page. A sentence that is long enough to be recognised when somebody copies it into another case."
ko = "This is not Korean at all, although it stands there."
[symptoms-seen]
en = "Somebody called @here for help."
ko = "증상이 있었다."
[trigger]
en = "Only English."
[cause]
en = "Cause."
ko = "원인이 있었다."
[[sources]]
url = "https://example.com/"
kind = "blog"
checked = "2023-01-01"
"#;

const OTHER: &str = r#"
id = "IL-9003"
organisation = "Example Corp"
status = "published"
causes = ["software-defect"]
components = ["etcd"]
symptoms = ["timeouts"]
title = { en = "Title", ko = "제목이다" }
summary = { en = "A sentence that is long enough to be recognised when somebody copies it into another case.", ko = "요약했다." }
symptoms-seen = { en = "Seen.", ko = "보였다." }
cause = { en = "Cause.", ko = "원인이 있었다." }
sources = [{ url = "https://example.com/", kind = "blog" }]
"#;

#[test]
fn every_check_finds_what_it_is_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = folder.path().join("cases");
    std::fs::create_dir(&cases).expect("a folder");
    // Who keeps a vocabulary keeps a library, and a library speaks both languages.
    std::fs::create_dir(folder.path().join("vocabulary")).expect("a folder");
    for (name, text) in [("IL-9001", BAD), ("IL-9002", BAD), ("IL-9003", OTHER)] {
        let long = format!(
            "[detection]\nen = \"{}\"\nko = \"길다.\"\n[[sources]]",
            "word ".repeat(700)
        );
        std::fs::write(
            cases.join(format!("{name}.toml")),
            text.replacen("[[sources]]", &long, 1),
        )
        .expect("a file");
    }
    let loaded =
        Corpus::load(&[Origin::Folder(folder.path().into())], Checks::All).expect("it can be read");
    for check in CHECKS
        .iter()
        .filter(|check| check.name != "aliases-unambiguous")
    {
        let found = loaded
            .diagnostics
            .iter()
            .find(|problem| problem.check == check.name);
        let found = found.unwrap_or_else(|| panic!("`{}` found nothing", check.name));
        assert!(!found.hint.is_empty() && !found.message.is_empty());
    }
}

#[test]
fn every_error_of_a_file_is_told_not_only_the_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = folder.path().join("cases");
    std::fs::create_dir(&cases).expect("a folder");
    let text = r#"id = "0493"
organisation = 7
dat = "2021"
date = "2021-02-30"
status = "publised"
causes = ["softwere-defect"]
components = ["timeouts"]
symptoms = "timeouts"
[title]
en = ""
[[sources]]
url = "http://example.com/"
kind = "blgo"
"#;
    std::fs::write(cases.join("IL-0493.toml"), text).expect("a file");
    let loaded =
        Corpus::load(&[Origin::Folder(folder.path().into())], Checks::All).expect("it can be read");
    let shown: Vec<String> = loaded
        .diagnostics
        .iter()
        .map(|problem| {
            let (line, column) = problem.line_column();
            format!(
                "{line}:{column} {} — {} — {}",
                problem.check, problem.message, problem.hint
            )
        })
        .collect();
    assert!(
        loaded
            .diagnostics
            .iter()
            .all(|problem| problem.level == Level::Error)
    );
    insta::assert_snapshot!(shown.join("\n"), @r#"
    1:1 missing-field — `cause` is missing — give it as a table with `en` and `ko`
    1:1 missing-field — `summary` is missing — give it as a table with `en` and `ko`
    1:1 missing-field — `symptoms-seen` is missing — give it as a table with `en` and `ko`
    1:6 bad-value — `0493` is not a valid `id` — a case id is capitals, a hyphen and digits, such as `IL-0493`
    2:16 wrong-type — `organisation` is an integer — write a text in quotes
    3:1 unknown-field — `dat` is not a field — did you mean `date`?
    4:8 bad-value — `2021-02-30` is not a valid `date` — a date is `2021-03-25`, `2021-03` or `2021`, and must exist in the calendar
    5:10 bad-value — `publised` is not a valid `status` — one of `draft`, `published`, `withdrawn`
    6:11 unknown-term — `softwere-defect` is not a cause of the vocabulary — did you mean `software-defect`?
    7:15 unknown-term — `timeouts` is not a component of the vocabulary — it is a symptom, not a component
    8:12 wrong-type — `symptoms` is a string — write a list of texts
    9:1 missing-field — `title.en` is missing — give the text as `en = "…"`, `ko = "…"` or both
    10:6 blank-text — `title.en` is blank — leave the field out if the source does not give it
    12:7 bad-url — `http://example.com/` is not an https address — give the full address, beginning with https://
    13:8 bad-value — `blgo` is not a valid `sources[0].kind` — one of `official-status`, `postmortem`, `incident-report`, `blog`, `talk`, `issue`, `news`, `forum`, `regulator-report`
    "#);
}

/// Writes cases into a folder of its own, `IL-9001.toml` and so on, and loads it as `serve` does.
fn serve_folder(texts: &[&[u8]]) -> Loaded {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = folder.path().join("cases");
    std::fs::create_dir(&cases).expect("a folder");
    for (at, text) in texts.iter().enumerate() {
        std::fs::write(cases.join(format!("IL-{}.toml", 9001 + at)), text).expect("a file");
    }
    let origin = Origin::Folder(folder.path().into());
    Corpus::load(&[origin], Checks::Structure).expect("it can be read")
}

#[test]
fn two_files_of_one_id_are_not_served() {
    // The later one lacks the audience: whom the case is for is not known.
    let limited = OTHER.replacen("id =", "audience = \"channel:T1/C1\"\nid =", 1);
    let loaded = serve_folder(&[limited.as_bytes(), OTHER.as_bytes()]);
    assert!(loaded.has_errors());
    assert!(loaded.corpus.cases().is_empty());
    let [problem] = &loaded.diagnostics[..] else {
        panic!("{:?}", loaded.diagnostics);
    };
    assert_eq!(problem.check, "ids-unique");
    assert!(problem.file.path.ends_with("cases/IL-9002.toml"));
    assert!(problem.message.contains("IL-9001.toml"), "{problem:?}");
}

#[test]
fn every_unreadable_file_is_told() {
    let large = vec![b' '; 1024 * 1024 + 1];
    let loaded = serve_folder(&[b"id = \"\xff\"", OTHER.as_bytes(), &large, b"id = 1"]);
    assert!(loaded.has_errors());
    let unreadable = loaded.diagnostics.iter();
    let unreadable: Vec<String> = unreadable
        .filter(|problem| problem.check == "unreadable")
        .map(|problem| problem.render(false))
        .collect();
    let [invalid, large] = &unreadable[..] else {
        panic!("{unreadable:?}");
    };
    assert!(
        invalid.contains("cases/IL-9001.toml") && invalid.contains("UTF-8"),
        "{invalid}"
    );
    assert!(
        large.contains("cases/IL-9003.toml") && large.contains("1048577 bytes"),
        "{large}"
    );
    // The others are still read.
    assert_eq!(loaded.corpus.cases().len(), 1);
    assert!(loaded.diagnostics.len() > 2);
}
