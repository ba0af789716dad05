//! Whatever a case, a question or a name holds, a message keeps Slack's limits and means what we mean.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::corpus::{
    Action, FollowUp, FollowUpState, Localized, Outcome, Reference, Source, SourceKind,
};

/// Texts that break things.
fn hostile() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        String::new(),
        " \n\t ".to_owned(),
        "<!channel> <@U0123> <!subteam^S1|x> <https://evil.example|click>".to_owned(),
        "`code` ``` block ``` *bold* _it_ ~no~ > quote\n> quote".to_owned(),
        "&amp;&lt;&gt;&".to_owned(),
        "\u{200b}\u{200d}\u{feff}".to_owned(),
        "\u{202e}right to left\u{2066}".to_owned(),
        "مرحبا بالعالم שלום".to_owned(),
        "\u{301}\u{301}".to_owned(),
        format!("e{}", "\u{301}".repeat(20_000)),
        "👩\u{200d}👩\u{200d}👧\u{200d}👦".repeat(3000),
        "가나다라 마바사. ".repeat(8000),
        "\"\\\u{1}\u{7}".repeat(9000),
        "<&>".repeat(33_000),
        "word ".repeat(20_000),
    ]);
    prop_oneof![3 => fixed, 2 => any::<String>(), 1 => "[<>&|`*_~!@# \n가-힣a-z]{0,4000}"]
}

fn localized() -> impl Strategy<Value = Localized> {
    (hostile(), hostile()).prop_map(|(en, ko)| Localized::both(en, ko))
}

fn address() -> impl Strategy<Value = String> {
    prop_oneof![
        hostile(),
        hostile().prop_map(|text| format!("https://a.example/?q={text}")),
        Just("https://a.example/x|y>z?a=1&b=2".to_owned()),
        Just(format!("https://a.example/{}", "x".repeat(900))),
        Just("javascript:alert(1)".to_owned()),
    ]
}

fn source() -> impl Strategy<Value = Source> {
    (
        address(),
        prop::option::of(hostile()),
        prop::option::of(address()),
    )
        .prop_map(|(url, title, archived)| Source {
            url,
            title,
            kind: SourceKind::Postmortem,
            archived,
            checked: None,
        })
}

fn action() -> impl Strategy<Value = Action> {
    let outcome = prop::option::of(prop::sample::select(Outcome::ALL));
    (prop::option::of(hostile()), outcome, localized()).prop_map(|(at, outcome, text)| Action {
        at,
        outcome,
        text,
    })
}

fn follow_up() -> impl Strategy<Value = FollowUp> {
    let state = prop::option::of(prop::sample::select(FollowUpState::ALL));
    (state, localized()).prop_map(|(state, text)| FollowUp { state, text })
}

fn hostile_case() -> impl Strategy<Value = Case> {
    let texts = prop::collection::vec(localized(), 8);
    let optional = prop::collection::vec(any::<bool>(), 4);
    let lists = (
        prop::collection::vec(action(), 0..14),
        prop::collection::vec(follow_up(), 0..14),
        prop::collection::vec(localized(), 0..8),
        prop::collection::vec(source(), 0..6),
        prop::collection::vec(hostile(), 0..20),
    );
    (texts, optional, lists, hostile()).prop_map(|(texts, optional, lists, organisation)| {
        let (actions, follow_ups, lessons, sources, strings) = lists;
        let text = |at: usize| texts[at].clone();
        let some = |at: usize, which: usize| optional[which].then(|| texts[at].clone());
        Case {
            organisation,
            title: text(0),
            summary: text(1),
            symptoms_seen: text(2),
            cause: text(3),
            impact_scope: some(4, 0),
            affected_users: some(5, 1),
            trigger: some(6, 2),
            detection: some(7, 3),
            references: sources
                .iter()
                .map(|source| Reference {
                    url: source.url.clone(),
                    title: source.title.clone().unwrap_or_default(),
                })
                .collect(),
            signals: strings.clone(),
            regions: strings.clone(),
            tags: strings,
            actions,
            follow_ups,
            lessons,
            sources,
            ..(*case("IL-0493")).clone()
        }
    })
}

fn evidence(text: &str) -> Vec<Evidence> {
    let terms = LIBRARY.corpus().vocabulary().iter().take(20);
    terms
        .map(|(term, _)| Evidence::Term(term))
        .chain([
            Evidence::Signal(text.to_owned()),
            Evidence::Word(text.to_owned()),
        ])
        .collect()
}

/// Fails when anything in a message could be taken by Slack for what it is not.
fn assert_sound(message: &Message) {
    assert_sound_from(message, None);
}

/// The same for a message that may mention the one who shares it.
fn assert_sound_from(message: &Message, sharer: Option<&str>) {
    assert_eq!(limits::check(message), []);
    let json = serde_json::to_string(&message.blocks).unwrap();
    let blocks: Value = serde_json::from_str(&json).unwrap();
    only_rich_text_holds_outside_words(&blocks);
    // In the fallback every `<` begins one of our own links or the sharer's mention.
    let mut rest = message.text.as_str();
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        let end = rest.find('>').expect("a token is never cut");
        let token = &rest[1..end];
        assert!(
            token.starts_with("http") || sharer.is_some() && token.strip_prefix('@') == sharer,
            "{token}"
        );
        assert!(!token.contains('<'));
        rest = &rest[end..];
    }
    assert!(!message.text.contains("<!"));
}

fn only_rich_text_holds_outside_words(blocks: &Value) {
    for block in blocks.as_array().unwrap() {
        match block["type"].as_str().unwrap() {
            "rich_text" => links_are_web_addresses(block),
            "divider" | "actions" => {}
            "context" => assert_eq!(block["elements"][0]["type"], "plain_text"),
            kind => panic!("{kind}"),
        }
    }
}

fn links_are_web_addresses(value: &Value) {
    match value {
        Value::Array(values) => values.iter().for_each(links_are_web_addresses),
        Value::Object(fields) => {
            if fields.get("type").is_some_and(|kind| kind == "link") {
                let url = fields["url"].as_str().unwrap();
                let url = url::Url::parse(url).unwrap();
                assert!(matches!(url.scheme(), "http" | "https") && url.has_host());
            }
            fields.values().for_each(links_are_web_addresses);
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_case_and_question_make_sound_messages(
        cases in prop::collection::vec(hostile_case(), 0..5),
        text in hostile(),
        confident: bool,
        offset in prop::sample::select(vec![0_usize, 3, usize::MAX / 2]),
    ) {
        let terms = LIBRARY.extract(&text);
        let precedents = cases.iter().map(|case| Precedent {
            case: Arc::new(case.clone()),
            score: 0.5,
            parts: ScoreParts::default(),
            matched: evidence(&text),
            unmatched: evidence(&text),
            snippet: None,
            opinion: None,
        });
        let precedents: Vec<_> = precedents.collect();
        let related = cases.iter().map(|case| Related {
            case: Arc::new(case.clone()),
            score: 0.5,
            same_cause: confident,
            components: case.components.clone(),
            symptoms: case.symptoms.clone(),
            similar_account: confident,
        });
        let related: Vec<_> = related.collect();
        let facets = terms.distinct_terms().map(|term| TermCount { term, count: 7 }).collect();
        let found = Answer { terms, precedents, total: usize::MAX, confident, confidence: 0.5,
        clues: Clues::default(), facets, named: NamedCounts::default() };
        for lang in Lang::ALL {
            let view = View { lang, text: text.clone(), offset };
            let library = &*LIBRARY;
            assert_sound(&answer(library, &found, &view));
            assert_sound(&suggestion(library, &found, &view, None));
            let news = vec![text.clone(); 9];
            assert_sound(&suggestion(library, &found, &view, Some(&news)));
            assert_sound(&help(lang, Some((library, &found, &view))));
            assert_sound(&failure(lang, &text));
            for case in &cases {
                assert_sound(&details::with_related(library, case, &related, &view));
                assert_sound(&similar(library, case, &related, &view));
                assert_sound_from(&shared(library, case, &view, &text), Some(&text));
                assert_sound_from(&shared(library, case, &view, "U0123ABCD"), Some("U0123ABCD"));
            }
        }
    }
}
