use std::{fmt::Write as _, fs, path::PathBuf, sync::LazyLock};

use serde_json::json;

use super::*;
use crate::{
    corpus::{CaseId, Checks, Corpus, Facet, Origin, TermId},
    library::{
        Answer, Clues, Evidence, Library, NamedCounts, Precedent, Related, ScoreParts, TermCount,
    },
    query::{FoundTerm, QueryLang, QueryTerms, Signal, SignalKind},
    slack::preview::{Style, preview},
};

mod properties;

/// Frozen copies of a few real cases: the golden files move when rendering does, not with every word of the corpus.
static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/render");
    load(Origin::Folder(folder))
});

fn load(origin: Origin) -> Library {
    let corpus = Corpus::load(&[origin], Checks::Structure)
        .expect("it is readable")
        .corpus;
    // The fixtures are copies of public cases.
    let public = corpus.cases().iter().map(|case| Case {
        own: false,
        ..Case::clone(case)
    });
    Library::new(Corpus::from_cases(
        corpus.vocabulary().clone(),
        public.collect(),
    ))
}

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

fn term(facet: Facet, slug: &str) -> TermId {
    LIBRARY.corpus().vocabulary().find(facet, slug).expect(slug)
}

/// Understands the question by hand, so that only rendering is tested here.
fn understood(lang: Lang) -> QueryTerms {
    let found = |facet, slug, text: &str| FoundTerm {
        term: term(facet, slug),
        span: 0..0,
        text: text.to_owned(),
        hint: false,
    };
    QueryTerms {
        calm: 0,
        trouble: 0,
        lang: [QueryLang::En, QueryLang::Ko][usize::from(lang == Lang::Ko)],
        terms: vec![
            found(Facet::Component, "worker-node", "nodes"),
            found(Facet::Component, "cloud-load-balancer", "load balancer"),
            found(
                Facet::Symptom,
                "health-check-failing",
                "fail the health check",
            ),
            found(Facet::Component, "operating-system", "OS"),
        ],
        ruled_out: vec![found(Facet::Component, "authoritative-dns", "DNS")],
        signals: vec![Signal {
            kind: SignalKind::Phrase,
            key: "contextdeadlineexceeded".to_owned(),
            span: 0..0,
            text: "context deadline exceeded".to_owned(),
        }],
        words: Vec::new(),
    }
}

fn understood_nothing() -> QueryTerms {
    QueryTerms {
        terms: Vec::new(),
        ruled_out: Vec::new(),
        signals: Vec::new(),
        ..understood(Lang::En)
    }
}

/// Answers by hand: these cases, in this order, matched by their terms.
fn answered(terms: QueryTerms, cases: &[&str], confident: bool, total: usize) -> Answer {
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
        let word = Evidence::Word("update".to_owned());
        Precedent {
            score: 0.7,
            parts: ScoreParts::default(),
            matched: evidence(matched).chain([word]).collect(),
            unmatched: evidence(unmatched).chain(signal).collect(),
            snippet: None,
            opinion: None,
            case,
        }
    });
    let precedents: Vec<_> = precedents.collect();
    let facets = asked.iter().enumerate().map(|(at, term)| TermCount {
        term: *term,
        count: 40 - at,
    });
    Answer {
        confidence: 0.5,
        clues: Clues::default(),
        precedents,
        total,
        confident,
        facets: facets.collect(),
        named: NamedCounts::default(),
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
            similar_account: false,
        })
    });
    related.take(5).collect()
}

/// All kinds of messages in one language.
fn messages(lang: Lang) -> Vec<(&'static str, Message)> {
    let text = question(lang);
    let library = &*LIBRARY;
    let asked_for = || understood(lang);
    let close = answered(asked_for(), &["IL-0493", "IL-1011", "IL-0003"], true, 17);
    let far = answered(asked_for(), &["IL-1011", "IL-0003"], false, 2);
    let none = answered(asked_for(), &[], false, 0);
    let page = View {
        offset: 3,
        ..view(lang, text)
    };
    let asked = view(lang, text);
    let plain = view(lang, "zzzz");
    let terms = asked_for();
    let news: Vec<String> = terms
        .distinct_terms()
        .map(|term| library.label(term, lang).to_owned())
        .collect();
    let unknown = answered(understood_nothing(), &[], false, 0);
    vec![
        ("answer", answer(library, &close, &asked)),
        ("answer-page-2", answer(library, &close, &page)),
        ("answer-page-end", answer(library, &none, &page)),
        ("answer-distant", answer(library, &far, &asked)),
        ("answer-nothing", answer(library, &none, &asked)),
        ("answer-not-understood", answer(library, &unknown, &plain)),
        ("suggestion", suggestion(library, &close, &asked, None)),
        (
            "suggestion-updated",
            suggestion(library, &close, &asked, Some(&news)),
        ),
        (
            "suggestion-updated-anew",
            suggestion(library, &close, &asked, Some(&[])),
        ),
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
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
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
fn every_bundled_case_keeps_the_limits() {
    let library = load(Origin::Bundled);
    for case in library.corpus().cases() {
        for lang in Lang::ALL {
            let view = view(lang, question(lang));
            let whole = details(&library, case, &view);
            assert_eq!(limits::check(&whole), [], "{}", case.id);
            let shown = shared(&library, case, &view, "U1");
            assert_eq!(limits::check(&shown), [], "{}", case.id);
        }
    }
}

#[test]
fn own_incidents_carry_a_lock_and_their_audience() {
    assert_eq!(Audience::Public.sign(), "🌐");
    assert_eq!(Audience::Own("#sre").sign(), "🔒 #sre");
    assert_eq!(Audience::Own("").sign(), "🔒");
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

#[test]
fn long_cases_lose_follow_ups_before_a_precedent() {
    use crate::corpus::{FollowUp, Localized};
    // Quotes count twice in JSON, so even texts of allowed lengths overfill the message.
    let quotes = || "\"\"\"\" ".repeat(400);
    let long = || Localized::both(quotes(), quotes());
    let mut found = answered(
        understood(Lang::En),
        &["IL-0493", "IL-1011", "IL-0003"],
        true,
        3,
    );
    for precedent in &mut found.precedents {
        let case = std::sync::Arc::make_mut(&mut precedent.case);
        case.trigger = Some(long());
        case.lessons = vec![long()];
        case.actions
            .iter_mut()
            .for_each(|action| action.text = long());
        let follow_ups = ["first", "second", "third"].map(|name| FollowUp {
            state: None,
            text: Localized::both(format!("{name} {}", quotes()), ""),
        });
        case.follow_ups = follow_ups.into();
    }
    let asked = view(Lang::En, &quotes());
    let page = preview(&answer(&LIBRARY, &found, &asked), 200, Style::Plain);
    assert!(page.contains("\n3. "), "{page}");
    assert!(
        page.contains("What worked") && page.contains("Why"),
        "{page}"
    );
    assert!(
        page.contains("• first") && !page.contains("• third"),
        "{page}"
    );
}

#[test]
fn more_asks_the_same_question_again() {
    use crate::slack::action::{Action, Button};
    let asked = view(Lang::Ko, "인그레스 502\nDB는 정상\t `timeout` & <none>");
    let found = answered(understood(Lang::Ko), &["IL-0493"], true, 9);
    let message = answer(&LIBRARY, &found, &asked);
    let blocks = serde_json::to_value(&message.blocks).unwrap();
    let more = &blocks.as_array().unwrap().last().unwrap()["elements"][0];
    let text = |field: &str| more[field].as_str().unwrap();
    let button = Button::parse(text("action_id"), text("value")).unwrap();
    assert_eq!(button.action, Action::More { offset: 1 });
    assert_eq!(button.text, asked.text);
    assert_eq!(button.lang, Lang::Ko);
}

#[test]
fn a_shared_case_tells_nobody_the_question() {
    let asked = view(
        Lang::En,
        "the payroll of ACME is wrong: context deadline exceeded",
    );
    let message = shared(&LIBRARY, &case("IL-0493"), &asked, "U0123ABCD");
    let whole = format!("{} {}", message.text, json!(message.blocks));
    assert!(whole.contains("precedent_details"), "{whole}");
    for word in ["payroll", "ACME", "wrong"] {
        assert!(!whole.contains(word), "{word}: {whole}");
    }
}

#[test]
fn the_fallback_tells_the_same_action_as_the_blocks() {
    use crate::corpus::{Action, Localized, Outcome};
    let mut case = (*case("IL-0493")).clone();
    let action = |outcome, text: &str| Action {
        at: None,
        outcome,
        text: Localized::both(text, text),
    };
    let check = |actions: Vec<Action>, expect: &str| {
        let mut case = case.clone();
        case.actions = actions;
        let message = shared(&LIBRARY, &case, &view(Lang::En, ""), "U1");
        let page = preview(&message, 200, Style::Plain);
        let (name, text) = expect.split_once(": ").unwrap();
        let at = |part: &str| page.find(part).expect(&page);
        assert!(at(name) < at(text), "{page}");
        assert!(message.text.contains(expect), "{}", message.text);
    };
    let resolved = |text| action(Some(Outcome::Resolved), text);
    let four = ["First.", "Second.", "Third.", "Fourth."].map(resolved);
    // Two fit into the blocks.
    check(four.into(), "What worked: First.");
    let in_vain = action(Some(Outcome::NoEffect), "Restarted it.");
    let unclear = action(None, "Waited.");
    check(vec![unclear, in_vain.clone()], "What they did: Waited.");
    case.actions = vec![in_vain];
    let message = shared(&LIBRARY, &case, &view(Lang::En, ""), "U1");
    assert!(
        message.text.contains("What they did: –"),
        "{}",
        message.text
    );
}

#[test]
fn the_next_page_asks_the_same_question_whenever_a_button_holds_it() {
    use crate::slack::action::Button;
    let asked = view(Lang::En, &"502 from \"ingress\"\n".repeat(80));
    assert!(asked.text.len() > 1500);
    let cases = ["IL-0493", "IL-1011", "IL-0003"];
    let found = answered(understood(Lang::En), &cases, true, 9);
    for message in [
        answer(&LIBRARY, &found, &asked),
        suggestion(&LIBRARY, &found, &asked, None),
    ] {
        let blocks = json!(message.blocks);
        let mut buttons = blocks.as_array().unwrap().iter().filter_map(|block| {
            let button = &block["elements"][0];
            Button::parse(button["action_id"].as_str()?, button["value"].as_str()?)
        });
        assert_eq!(buttons.next_back().unwrap().text, asked.text);
    }
}

#[test]
fn every_precedent_can_be_shared() {
    let asked = view(Lang::En, question(Lang::En));
    let cases = ["IL-0493", "IL-1011"];
    for (confident, render) in [
        (true, answer as fn(&Library, &Answer, &View) -> Message),
        (false, answer),
        (true, |library, answer, view| {
            suggestion(library, answer, view, None)
        }),
    ] {
        let found = answered(understood(Lang::En), &cases, confident, 2);
        let blocks = json!(render(&LIBRARY, &found, &asked).blocks).to_string();
        assert_eq!(blocks.matches("precedent_share").count(), 2);
    }
}
