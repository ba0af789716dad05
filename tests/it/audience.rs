//! A team's own cases are shown to their audience and to nobody else.

use incident_like::{
    corpus::{Audience, Case, CaseId, Corpus, Viewer},
    library::{FilterNames, Filters, Library, Lookup},
};
use serde_json::Value;

use crate::harness::{Channel, TEAM, TestApp, answered, library, mention, message, run};

const QUESTION: &str = "etcd timeouts, kubectl hangs";

/// The cases of `tests/fixtures/corpus`, of which one is for the members of a channel.
fn restricted(audience: &str) -> Library {
    let all = library().load_full();
    let cases = all.corpus().cases().iter().map(|case| Case {
        audience: if case.id == secret() {
            audience.parse().expect("a valid audience")
        } else {
            Audience::Everyone
        },
        organisation: if case.id == secret() {
            "Secretive".to_owned()
        } else {
            case.organisation.clone()
        },
        ..Case::clone(case)
    });
    Library::new(Corpus::from_cases(
        all.corpus().vocabulary().clone(),
        cases.collect(),
    ))
}

fn secret() -> CaseId {
    "IL-9001".parse().expect("a valid id")
}

/// Returns in how many ways a library shows the restricted case.
fn shown(library: &Library) -> usize {
    let names = FilterNames {
        organisation: Some("Secretive".to_owned()),
        ..FilterNames::default()
    };
    let lists = |lookup: &Lookup| {
        let answer = library.lookup(lookup);
        let in_answer = answer
            .precedents
            .iter()
            .any(|close| close.case.id == secret());
        let text = format!("{:?}", answer.facets);
        assert!(!text.contains("Secretive") || in_answer, "{text}");
        in_answer
    };
    let everything = Lookup {
        limit: 100,
        ..Lookup::new("")
    };
    let others = library.corpus().cases().iter();
    let others: Vec<CaseId> = others.map(|case| case.id.clone()).collect();
    let near = others.iter().filter_map(|id| library.similar(id, 10).ok());
    let mut ways = near
        .flatten()
        .filter(|near| near.case.id == secret())
        .count();
    ways += usize::from(lists(&Lookup::new(QUESTION)));
    ways += usize::from(lists(&everything));
    ways += usize::from(library.case(&secret()).is_ok());
    ways += usize::from(library.similar(&secret(), 3).is_ok());
    ways += usize::from(Filters::parse(library, &names).is_ok());
    ways
}

#[test]
fn a_library_shows_a_case_to_its_audience_only() {
    let library = restricted("channel:T1/C1");
    assert_eq!(shown(&library), 0);
    for (team, channel, ways) in [
        ("T1", "C1", 5),
        ("T1", "C2", 0),
        ("T2", "C1", 0),
        ("", "", 0),
    ] {
        let seen = library.seen_by(Viewer::in_channel(team, channel));
        assert_eq!(shown(&seen), ways, "{team} {channel}");
    }
    let library = restricted("workspace:T1");
    assert_eq!(shown(&library.seen_by(Viewer::in_channel("T1", "C2"))), 5);
}

fn setup() -> TestApp {
    let mut shared = Channel::joined("C3", "with-others");
    shared.ext_shared = true;
    TestApp {
        channels: vec![
            Channel::joined("C1", "ops"),
            Channel::joined("C2", "general"),
            shared,
        ],
        allowed_channels: vec!["C3"],
        library: Some(restricted(&format!("channel:{TEAM}/C1"))),
        ..TestApp::default()
    }
}

#[test]
fn what_belongs_to_a_channel_is_answered_there_alone() {
    const TITLE: &str = "Slow disk stalls etcd";
    run(setup(), async |app| {
        for (at, (channel, expect)) in [("C1", true), ("C2", false), ("C3", false)]
            .into_iter()
            .enumerate()
        {
            let ts = format!("1700000000.00010{at}");
            let asked = mention(channel, &ts, QUESTION);
            app.event(&format!("Ev{at}"), asked).await.empty_ok();
            let answer = app.message().await;
            assert_eq!(answer.text.contains(TITLE), expect, "{channel}: {answer:?}");
            let command = app.slash_in(channel, "ops", QUESTION).await.ephemeral();
            assert_eq!(command.contains(TITLE), expect, "{channel}: {command}");
            let by_id = app.slash_in(channel, "ops", "IL-9001").await.ephemeral();
            assert_eq!(by_id.contains(TITLE), expect, "{channel}: {by_id}");
        }
        let url = format!("{}/api/v1/search?q=etcd+timeouts", app.address);
        let found = answered(app.http.get(url)).await;
        let found: Value = serde_json::from_str(&found.body).expect("JSON");
        let mut hits = found["hits"].as_array().expect("a list").iter();
        assert!(hits.all(|hit| hit["id"] != "IL-9001"), "{found}");
        let similar = format!("{}/api/v1/cases/IL-9001/similar", app.address);
        assert_eq!(answered(app.http.get(similar)).await.status, 404);
        for page in [
            "/cases/IL-9001",
            "/cases/IL-9001.json",
            "/",
            "/stats",
            "/graph",
        ] {
            let page = answered(app.http.get(format!("{}{page}", app.address))).await;
            let told = page.body.contains(TITLE) || page.body.contains("Secretive");
            assert!(!told, "{}", page.body);
        }
    });
}

#[test]
fn a_suggestion_says_nothing_of_another_channels_cases() {
    let mut setup = setup();
    setup.channels[0].name = "inc-1".to_owned();
    setup.channels[1].name = "inc-2".to_owned();
    run(setup, async |app| {
        for (at, channel) in ["C1", "C2"].into_iter().enumerate() {
            let named = serde_json::json!({"type": "channel_rename", "channel": {"id": channel, "name": "inc-1", "created": 1}});
            app.event(&format!("EvN{at}"), named).await.empty_ok();
            let said = message(
                channel,
                "1700000000.000100",
                "etcdserver: request timed out, kubectl hangs, the Kubernetes API server times out",
            );
            app.event(&format!("EvS{at}"), said).await.empty_ok();
            for suggestion in app.messages().await {
                let told = format!("{suggestion:?}");
                assert_eq!(told.contains("IL-9001"), channel == "C1", "{told}");
            }
        }
    });
}
