//! To who may not see a case it does not exist: no figure, rank, suggestion or hint tells of it. A library with hidden cases
//! and the same library without them answer alike, to the byte.

use std::{path::Path, sync::LazyLock};

use incident_like::{
    corpus::{Audience, Case, CaseId, Facet, Localized, Viewer},
    eval::Gold,
    library::{Drawing, Filter, FilterNames, Filters, Library, Lookup, Related, Scope},
    slack::render::{self, View},
    views,
};
use serde_json::{Value, json};

use crate::{
    corpus::BUNDLED,
    harness::{Running, TestApp, answered, run, with_cases},
};

/// Words that only hidden cases have, as somebody may guess them; and slips in them.
const SECRETS: [&str; 6] = [
    "zanzibarium",
    "zanzibarim",
    "projekt-quetzal",
    "E_QUETZAL_4711",
    "잔지바르",
    "quetzalcoatl gateway zanzibarium overload",
];

/// Two libraries that differ only in cases which neither everybody nor the members of `T1`'s `C2` may see.
static WITH: LazyLock<Library> = LazyLock::new(|| libraries(true));
static WITHOUT: LazyLock<Library> = LazyLock::new(|| libraries(false));

fn id(text: &str) -> CaseId {
    text.parse().expect("a valid id")
}

/// Makes an own case of a bundled one, for an audience, with words of its own.
fn own(of: &Case, name: &str, audience: &str) -> Case {
    let mut case = of.clone();
    case.id = id(name);
    case.own = true;
    case.audience = audience.parse::<Audience>().expect("a valid audience");
    case.organisation = format!("Secretive {name}");
    case.signals.push("E_QUETZAL_4711".to_owned());
    case.summary = Localized::both(
        "The zanzibarium of projekt-quetzal fell: quetzalcoatl gateway overload.",
        "잔지바르 과부하로 projekt-quetzal 장애가 났다.",
    );
    case
}

fn libraries(hidden: bool) -> Library {
    let bundled = BUNDLED.corpus().cases().iter().step_by(3);
    let mut cases: Vec<Case> = bundled.map(|case| Case::clone(case)).collect();
    // The first of a list of ids, the last and one between, so that places of cases differ too.
    let mut restricted = Vec::new();
    for (at, of) in cases.iter().enumerate().step_by(5) {
        let audience = ["channel:T1/C1", "workspace:T2"][at % 2];
        let prefix = ["AA", "IL", "ZZ"][at % 3];
        restricted.push(own(of, &format!("{prefix}-{}", 90_000 + at), audience));
    }
    // What everybody sees may name a hidden case.
    cases[1].superseded_by = Some(restricted[0].id.clone());
    let shared = own(&cases[7], "OPS-7", "channel:T1/C2");
    cases.push(shared);
    if hidden {
        assert!(restricted.len() > 30);
        cases.extend(restricted);
    }
    with_cases(&BUNDLED, cases)
}

fn questions() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/relevance");
    let gold = Gold::load(&folder).expect("the gold sets can be read");
    let mut questions: Vec<String> = gold.queries.into_iter().map(|query| query.text).collect();
    questions.extend(gold.silence.into_iter().map(|text| text.text));
    questions.extend(SECRETS.map(str::to_owned));
    questions
}

/// Returns all that an answer says.
fn answer(library: &Library, lookup: &Lookup) -> String {
    let answer = library.lookup(lookup);
    let lang = answer.terms.lang.answer_lang();
    let view = views::search(library, &lookup.text, &answer, lang);
    let json = serde_json::to_string(&view).expect("JSON");
    let view = View {
        lang,
        text: lookup.text.clone(),
        offset: 0,
    };
    let message = render::answer(library, &answer, &view);
    let parts: Vec<_> = answer.precedents.iter().map(|close| close.parts).collect();
    format!(
        "{json}\n{message:?}\n{parts:?} {} {:?}",
        answer.confidence, answer.clues
    )
}

/// Returns what a library says apart from answers to questions.
fn browsed(library: &Library) -> Vec<String> {
    let mut said = vec![
        format!("{:?}", library.organisations()),
        format!("{:?}", library.stats(&Filters::default())),
        format!("{}", library.size()),
    ];
    for (term, known) in library.corpus().vocabulary().iter() {
        let topic = library.topic(term);
        let cases: Vec<_> = topic.cases.iter().map(|case| &case.id).collect();
        let learned: Vec<_> = topic
            .lessons
            .iter()
            .map(|group| (group.cases, group.texts.len()))
            .collect();
        let (count, named) = (library.count(term), topic.named);
        said.push(format!(
            "{count} {cases:?} {learned:?} {named:?} {:?}",
            topic.together
        ));
        let filters = Filters {
            terms: vec![term],
            ..Filters::default()
        };
        if known.facet == Facet::Component {
            let graph = library.graph(&Scope::Found(filters), &Drawing::default());
            said.push(format!("{graph:?}"));
        }
    }
    for case in WITHOUT.corpus().cases() {
        let related = library.similar(&case.id, 12);
        let brief = |near: &Related| format!("{} {} {:?}", near.case.id, near.score, near.symptoms);
        let related: Vec<String> = related.iter().flatten().map(brief).collect();
        said.push(format!("{related:?}"));
        let view = library
            .case(&case.id)
            .map(|case| views::case(library, case, None));
        said.push(format!(
            "{:?}",
            view.map(|view| serde_json::to_string(&view).expect("JSON"))
        ));
    }
    for case in WITH.corpus().cases() {
        if WITHOUT.corpus().get(&case.id).is_none() {
            said.push(format!("{:?}", library.case(&case.id)));
            said.push(format!("{:?}", library.similar(&case.id, 3)));
            said.push(format!(
                "{:?}",
                library.graph(&Scope::Around(case.id.clone()), &Drawing::default())
            ));
        }
    }
    for name in ["Secretive", "Secretive AA-90000", "secretiv"] {
        let names = FilterNames {
            organisation: Some(name.to_owned()),
            ..FilterNames::default()
        };
        said.push(format!("{:?}", Filters::parse(library, &names)));
        let narrowed = Filter::Organisation.add(library, name, &mut Filters::default());
        said.push(format!("{narrowed:?}"));
    }
    said
}

#[track_caller]
fn check_alike(with: &Library, without: &Library, each: usize) {
    // The secrets stand last, and are always asked.
    let questions = questions();
    let (others, secrets) = questions.split_at(questions.len() - SECRETS.len());
    for text in others.iter().step_by(each).chain(secrets) {
        let lookup = Lookup {
            limit: 10,
            ..Lookup::new(text)
        };
        assert_eq!(answer(with, &lookup), answer(without, &lookup));
    }
    for (with, without) in browsed(with).into_iter().zip(browsed(without)) {
        assert_eq!(with, without);
    }
}

#[test]
fn hidden_cases_change_nothing_for_everybody() {
    check_alike(&WITH, &WITHOUT, 3);
}

#[test]
fn hidden_cases_change_nothing_for_another_channels_members() {
    let viewer = Viewer::in_channel("T1", "C2");
    let (with, without) = (WITH.seen_by(viewer.clone()), WITHOUT.seen_by(viewer));
    check_alike(&with, &without, 9);
    // Their own case counts for them, although its words are nobody else's.
    let own = |text: &str| {
        let found = with.lookup(&Lookup::new(text));
        found.precedents.first().map(|first| first.case.id.clone())
    };
    for text in ["zanzibarium overload", "zanzibarim overload"] {
        assert_eq!(own(text), Some(id("OPS-7")), "{text}");
    }
}

#[test]
fn a_hidden_case_is_found_by_its_audience() {
    let members = WITH.seen_by(Viewer::in_channel("T1", "C1"));
    let answer = members.lookup(&Lookup {
        limit: 100,
        ..Lookup::new("zanzibarium overload")
    });
    let own = answer.precedents.iter().filter(|close| close.case.own);
    assert!(own.count() > 10);
    let first = &answer.precedents[0].case;
    let signal = members.lookup(&Lookup::new("E_QUETZAL_4711"));
    assert!(first.own && signal.precedents[0].case.own);
}

/// Returns what the service answers to requests of all kinds, without its own address.
fn served(library: &Library) -> Vec<(String, String)> {
    let copy = library.seen_by(Viewer::default());
    let setup = TestApp {
        library: Some(copy),
        ..TestApp::default()
    };
    let (sender, receiver) = std::sync::mpsc::channel();
    run(setup, async |app| {
        for (name, body) in asked(app).await {
            let body = body.replace(&app.address, "");
            sender.send((name, body)).expect("somebody listens");
        }
    });
    receiver.try_iter().collect()
}

async fn asked(app: &mut Running) -> Vec<(String, String)> {
    let mut said = Vec::new();
    let mut paths: Vec<String> = [
        "/",
        "/topics",
        "/stats",
        "/graph",
        "/feed.xml",
        "/sitemap.xml",
        "/api",
        "/openapi.json",
        "/readyz",
        "/api/v1/cases?limit=100",
        "/api/v1/vocab",
        "/api/v1/graph",
        "/api/v1/stats",
        "/cases/IL-0003",
        "/cases/AA-90000",
        "/api/v1/cases/AA-90000",
        "/api/v1/cases/AA-90000/similar",
        "/cases/AA-90000/brief",
        "/api/v1/search?q=etcd&org=Secretive",
        "/api/v1/topics/component/etcd",
        "/topics/component/etcd",
    ]
    .map(str::to_owned)
    .into();
    let mut texts: Vec<String> = questions().into_iter().step_by(40).collect();
    texts.extend(SECRETS.map(str::to_owned));
    for text in &texts {
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("q", text)
            .finish();
        paths.extend(
            ["/?", "/api/v1/search?", "/api/v1/extract?"].map(|path| format!("{path}{query}")),
        );
    }
    for path in paths {
        let request = app.http.get(format!("{}{path}", app.address));
        let answer = answered(request).await;
        said.push((path, format!("{} {}", answer.status, answer.body)));
    }
    let tool = |name: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let mut messages = vec![
        json!({"jsonrpc": "2.0", "id": 1, "method": "resources/list"}),
        tool("get_incident", json!({"id": "AA-90000"})),
        tool("get_incident", json!({"id": "AA-90"})),
        tool("get_topic", json!({"facet": "component", "slug": "etcd"})),
        tool("list_incidents", json!({"organisation": "Secretive"})),
        tool("list_incidents", json!({})),
        tool("vocab", json!({})),
    ];
    messages.extend(
        texts
            .iter()
            .map(|text| tool("search_incidents", json!({"query": text}))),
    );
    for message in messages {
        let request = app.http.post(format!("{}/mcp", app.address));
        let request = request
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(message.to_string());
        said.push((message.to_string(), answered(request).await.body));
    }
    for text in SECRETS {
        let answer = app.slash_in("C9", "ops", text).await.ephemeral();
        said.push((text.to_owned(), answer));
    }
    said
}

#[test]
fn hidden_cases_change_nothing_on_any_surface() {
    let (with, without) = (served(&WITH), served(&WITHOUT));
    assert_eq!(with.len(), without.len());
    for ((name, with), (_, without)) in with.into_iter().zip(without) {
        assert_eq!(with, without, "{name}");
        // The test would compare nothing if the service refused all.
        assert!(!with.starts_with("429"), "{name}");
    }
}
