use std::{fmt::Write as _, fs, path::PathBuf, sync::LazyLock};

use serde_json::json;

use super::*;
use crate::{
    corpus::{CaseId, Checks, Corpus, Origin, TermId},
    library::{Answer, Evidence, Library, Precedent, Related, ScoreParts, TermCount},
    slack::preview::{Style, preview},
};

mod properties;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let loaded = Corpus::load(&[Origin::Bundled], Checks::Structure).expect("it is in the binary");
    Library::new(loaded.corpus)
});

const QUESTION: [&str; 2] = [
    "nodes fail the load balancer health check one by one after an OS update, `context deadline exceeded`, not DNS",
    "OS 업데이트 뒤에 노드가 하나씩 로드 밸런서 헬스체크에 실패해요. context deadline exceeded, DNS는 정상이에요",
];

fn view(lang: Lang, text: &str) -> View {
    View {
        lang,
        text: text.to_owned(),
        offset: 0,
    }
}

fn question(lang: Lang) -> &'static str {
    QUESTION[usize::from(lang == Lang::Ko)]
}

fn case(id: &str) -> std::sync::Arc<Case> {
    let id: CaseId = id.parse().expect("an id");
    std::sync::Arc::clone(LIBRARY.corpus().get(&id).expect("it is bundled"))
}

/// Answers by hand: these cases, in this order, matched by their terms.
fn answered(text: &str, cases: &[&str], confident: bool, total: usize) -> Answer {
    let terms = LIBRARY.extract(text);
    let asked: Vec<_> = terms.distinct_terms().collect();
    let precedents = cases.iter().map(|id| {
        let case = case(id);
        let has = |term: &TermId| case.all_terms().any(|other| other == *term);
        let (matched, unmatched): (Vec<TermId>, Vec<TermId>) =
            asked.iter().partition(|term| has(term));
        let evidence = |terms: Vec<TermId>| terms.into_iter().map(Evidence::Term);
        let signal = terms
            .signals
            .first()
            .map(|signal| Evidence::Signal(signal.text.clone()));
        let word = Evidence::Word("one by one".to_owned());
        Precedent {
            score: 0.7,
            parts: ScoreParts::default(),
            matched: evidence(matched).chain([word]).collect(),
            unmatched: evidence(unmatched).chain(signal).collect(),
            snippet: None,
            case,
        }
    });
    let precedents: Vec<_> = precedents.collect();
    let facets = asked.iter().enumerate().map(|(at, term)| TermCount {
        term: *term,
        count: 40 - at,
    });
    Answer {
        precedents,
        total,
        confident,
        facets: facets.collect(),
        terms,
    }
}

fn related_to(id: &str) -> Vec<Related> {
    let case = case(id);
    let others = LIBRARY
        .corpus()
        .cases()
        .iter()
        .filter(|other| other.id != case.id);
    let related = others.filter_map(|other| {
        let common = |ours: &[TermId], theirs: &[TermId]| {
            ours.iter()
                .filter(|term| theirs.contains(term))
                .copied()
                .collect::<Vec<TermId>>()
        };
        let components = common(&case.components, &other.components);
        let same_cause = !common(&case.causes, &other.causes).is_empty();
        (same_cause && !components.is_empty()).then(|| Related {
            case: std::sync::Arc::clone(other),
            score: 0.5,
            same_cause,
            components,
            symptoms: common(&case.symptoms, &other.symptoms),
        })
    });
    related.take(5).collect()
}

/// All kinds of messages in one language.
fn messages(lang: Lang) -> Vec<(&'static str, Message)> {
    let text = question(lang);
    let library = &*LIBRARY;
    let close = answered(text, &["IL-0493", "IL-1011", "IL-0003"], true, 17);
    let far = answered(text, &["IL-1011", "IL-0003"], false, 2);
    let none = answered(text, &[], false, 0);
    let page = View {
        offset: 3,
        ..view(lang, text)
    };
    let asked = view(lang, text);
    let plain = view(lang, "zzzz");
    let unknown = answered("...", &[], false, 0);
    let id = "IL-9999".parse().expect("an id");
    vec![
        ("answer", answer(library, &close, &asked)),
        ("answer-page-2", answer(library, &close, &page)),
        ("answer-page-end", answer(library, &none, &page)),
        ("answer-distant", answer(library, &far, &asked)),
        ("answer-nothing", answer(library, &none, &asked)),
        ("answer-not-understood", answer(library, &unknown, &plain)),
        ("suggestion", suggestion(library, &close, &asked)),
        (
            "shared",
            shared(library, &case("IL-0493"), &asked, "U0123ABCD"),
        ),
        (
            "details",
            details::with_related(library, &case("IL-0493"), &related_to("IL-0493"), &asked),
        ),
        (
            "similar",
            similar(library, &case("IL-0493"), &related_to("IL-0493"), &asked),
        ),
        ("help", help(lang, None)),
        (
            "help-in-channel",
            help(lang, Some((library, &close, &asked))),
        ),
        ("nothing-typed", nothing_typed(lang)),
        ("failure", failure(lang, "018f-22")),
        ("unknown-case", notice(lang, &Notice::UnknownCase(id))),
        ("share-refused", notice(lang, &Notice::ShareRefused)),
    ]
}

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

/// Compares with a file; `UPDATE_GOLDEN=1` rewrites it instead.
fn check_golden(name: &str, actual: &str) {
    let path = golden(name);
    #[expect(clippy::disallowed_methods, reason = "only the test's own switch")]
    if std::env::var("UPDATE_GOLDEN").is_ok() {
        fs::write(&path, actual).unwrap();
        return;
    }
    let expect = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expect == actual,
        "{name} differs; UPDATE_GOLDEN=1 rewrites it. It is now:\n{actual}"
    );
}

/// The official SDKs check these files too (`tests/slack_sdk`).
#[test]
fn messages_are_as_the_golden_files_show() {
    for lang in Lang::ALL {
        for (name, message) in messages(lang) {
            assert_eq!(limits::check(&message), [], "{name}");
            let json = json!({"text": message.text, "blocks": message.blocks});
            let json = serde_json::to_string_pretty(&json).unwrap() + "\n";
            check_golden(&format!("{name}.{lang}.json"), &json);
            let mut page = preview(&message, 88, Style::Plain);
            let _ = write!(page, "\n=== fallback ===\n{}\n", message.text);
            check_golden(&format!("{name}.{lang}.txt"), &page);
        }
    }
}

#[test]
fn every_bundled_case_is_shown_in_full_detail_where_it_fits() {
    for case in LIBRARY.corpus().cases() {
        for lang in Lang::ALL {
            let view = view(lang, question(lang));
            let message = details::with_related(&LIBRARY, case, &[], &view);
            assert_eq!(limits::check(&message), [], "{}", case.id);
        }
    }
}

#[test]
fn own_incidents_carry_a_lock_and_their_audience() {
    assert_eq!(Audience::Public.sign(), "🌐");
    assert_eq!(Audience::Own("#sre").sign(), "🔒 #sre");
}

#[test]
fn an_action_that_failed_never_stands_under_what_worked() {
    use crate::corpus::{Action, Localized, Outcome};
    let mut case = (*case("IL-0493")).clone();
    let action = |outcome| Action {
        at: None,
        outcome,
        text: Localized::both("Restarted it.", "재시작했다."),
    };
    let view = view(Lang::En, "");
    let mut shown = |outcomes: &[Option<Outcome>]| {
        case.actions = outcomes.iter().map(|outcome| action(*outcome)).collect();
        let message = shared(&LIBRARY, &case, &view, "U1");
        preview(&message, 200, Style::Plain)
    };
    assert!(shown(&[None]).contains("What they did  Restarted it."));
    assert!(shown(&[]).contains("What worked  –"));
    let failed = shown(&[Some(Outcome::NoEffect)]);
    assert!(
        failed.contains("What they did  Tried: Restarted it. — no effect"),
        "{failed}"
    );
    assert!(shown(&[Some(Outcome::Mitigated)]).contains("What worked  Restarted it. — eased it"));
}
