//! A team's own cases are shown to their audience and to nobody else.

use incident_like::{
    corpus::{Audience, Case, CaseId, Facet, Viewer},
    library::{Drawing, FilterNames, Filters, Library, Lookup, Scope, Topic},
};
use serde_json::{Value, json};

use crate::harness::{
    Channel, Fault, Running, TEAM, TestApp, answered, changed, library, mention, message, run,
    with_cases,
};

const QUESTION: &str = "etcd timeouts, kubectl hangs";

/// The cases of `tests/fixtures/corpus`, of which one is for the members of a channel.
fn restricted(audience: &str) -> Library {
    changed(|case| {
        case.audience = Audience::Everyone;
        if case.id == secret() {
            case.audience = audience.parse().expect("a valid audience");
            "Secretive".clone_into(&mut case.organisation);
        }
    })
}

/// Adds a case like the restricted one that is for everybody.
fn with_twin(library: &Library) -> Library {
    let cases = library.corpus().cases().iter();
    let mut cases: Vec<Case> = cases.map(|case| Case::clone(case)).collect();
    let own = cases.iter().find(|case| case.id == secret());
    let twin = Case {
        id: "IL-9005".parse().expect("a valid id"),
        audience: Audience::Everyone,
        organisation: "Open".to_owned(),
        ..own.expect("it exists").clone()
    };
    cases.push(twin);
    with_cases(library, cases)
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
    let is_near = near.flatten().any(|near| near.case.id == secret());
    let around = others.iter().filter_map(|id| {
        let drawing = Drawing::default();
        library.graph(&Scope::Around(id.clone()), &drawing).ok()
    });
    let is_drawn = around.into_iter().any(|graph| {
        let nodes = format!("{:?}", graph.nodes);
        nodes.contains("IL-9001")
    });
    let mut ways = usize::from(is_near) + usize::from(is_drawn);
    ways += usize::from(library.organisations().contains(&"Secretive"));
    ways += usize::from(lists(&Lookup::new(QUESTION)));
    ways += usize::from(lists(&everything));
    ways += usize::from(library.case(&secret()).is_ok());
    ways += usize::from(library.similar(&secret(), 3).is_ok());
    ways += usize::from(Filters::parse(library, &names).is_ok());
    ways
}

#[test]
fn a_library_shows_a_case_to_its_audience_only() {
    let library = with_twin(&restricted("channel:T1/C1"));
    assert_eq!(shown(&library), 0);
    for (team, channel, ways) in [
        ("T1", "C1", 8),
        ("T1", "C2", 0),
        ("T2", "C1", 0),
        ("", "", 0),
    ] {
        let seen = library.seen_by(Viewer::in_channel(team, channel));
        assert_eq!(shown(&seen), ways, "{team} {channel}");
    }
    let library = with_twin(&restricted("workspace:T1"));
    assert_eq!(shown(&library.seen_by(Viewer::in_channel("T1", "C2"))), 8);
}

/// Returns what goes together with a component of the restricted case, and how often that is used.
fn together(library: &Library) -> (Topic, usize) {
    let etcd = library.term(Facet::Component, "etcd").expect("it exists");
    (library.topic(etcd), library.count(etcd))
}

#[test]
fn figures_are_those_of_the_cases_that_are_shown() {
    let restricted = with_twin(&restricted("channel:T1/C1"));
    let all = with_twin(&library().load());
    let others = all.corpus().cases().iter();
    let others = others.filter(|case| case.id != secret());
    let without = with_cases(&all, others.map(|case| Case::clone(case)));
    let members = restricted.seen_by(Viewer::in_channel("T1", "C1"));
    for (seen, plain) in [(&restricted, &without), (&members, &all)] {
        let ((seen, count), (plain, expect)) = (together(seen), together(plain));
        assert_eq!(seen.together, plain.together);
        assert_eq!((seen.cases.len(), count), (plain.cases.len(), expect));
    }
}

fn setup() -> TestApp {
    let mut shared = Channel::joined("C3", "with-others");
    shared.ext_shared = true;
    let not_allowed = Channel {
        id: "C4",
        ..shared.clone()
    };
    TestApp {
        channels: vec![
            Channel::joined("C1", "ops"),
            Channel::joined("C2", "general"),
            shared,
            not_allowed,
            Channel::joined("D2", ""),
        ],
        allowed_channels: vec!["C3"],
        library: Some(restricted(&format!("channel:{TEAM}/C1"))),
        ..TestApp::default()
    }
}

#[test]
fn what_belongs_to_a_channel_is_answered_there_alone() {
    const TITLE: &str = "Slow disk stalls etcd";
    let all = library().load_full();
    let live = all.corpus().cases().iter();
    let live = live.filter(|case| case.own && case.is_live()).count();
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
            let settings = app.slash_in(channel, "ops", "settings").await.ephemeral();
            let counted = format!("{} 🔒", live - usize::from(!expect));
            assert!(settings.contains(&counted), "{channel}: {settings}");
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

/// Returns whether the restricted case is told of to somebody who asks in a channel: by a command, by the shortcut.
async fn told_in(app: &mut Running, channel: &str) -> [bool; 2] {
    let command = app.slash_in(channel, "ops", QUESTION).await.ephemeral();
    let shortcut = json!({
        "type": "message_action", "callback_id": "find_similar", "trigger_id": "1.2.3",
        "team": {"id": TEAM}, "user": {"id": "U0ASKER", "team_id": TEAM}, "enterprise": null,
        "channel": {"id": channel, "name": "ops"}, "response_url": app.slack.response_url(),
        "message": {"text": QUESTION, "ts": "1700000000.000100"},
    });
    app.interact(&shortcut).await.empty_ok();
    let shortcut = app.message().await.text;
    [command, shortcut].map(|answer| answer.contains("Slow disk stalls etcd"))
}

fn for_the_workspace() -> TestApp {
    TestApp {
        library: Some(restricted(&format!("workspace:{TEAM}"))),
        ..setup()
    }
}

#[test]
fn own_cases_are_told_of_only_where_the_channel_is_known_to_be_ours() {
    run(for_the_workspace(), async |app| {
        // The last one is no channel that the bot knows.
        for (channel, told) in [("C2", true), ("C3", false), ("C4", false), ("G9", false)] {
            assert_eq!(told_in(app, channel).await, [told; 2], "{channel}");
        }
        // What was learnt serves for a while.
        assert_eq!(app.slack.calls("conversations.info"), 3);
        assert_eq!(told_in(app, "D1").await, [false; 2]);
        let said = json!({
            "type": "message", "channel": "D2", "user": "U0ASKER", "text": QUESTION, "ts": "1700000000.000100",
            "team": TEAM, "event_ts": "1700000000.000100", "channel_type": "im",
        });
        app.event("Ev1", said).await.empty_ok();
        let answer = app.message().await;
        assert!(answer.text.contains("Slow disk stalls etcd"), "{answer:?}");
        // Who writes to the bot alone is known to be one of ours.
        assert_eq!(app.slack.calls("conversations.info"), 4);
    });
    let without_token = TestApp {
        token: false,
        ..for_the_workspace()
    };
    run(without_token, async |app| {
        assert_eq!(told_in(app, "C2").await, [false; 2]);
    });
}

#[test]
fn a_command_does_not_wait_long_for_what_is_known_of_its_channel() {
    run(for_the_workspace(), async |app| {
        for _ in 0..4 {
            app.slack
                .fail("conversations.info", Fault::Hangs { done: false });
        }
        let answer = app.slash_in("C2", "general", QUESTION).await.ephemeral();
        assert!(!answer.contains("Slow disk stalls etcd"), "{answer}");
        // A busy machine has time for fewer tries.
        app.slack.relent("conversations.info");
    });
}

#[test]
fn where_nothing_is_restricted_slack_is_not_asked_about_the_channel() {
    let all_public = TestApp {
        library: None,
        ..setup()
    };
    run(all_public, async |app| {
        assert_eq!(told_in(app, "C4").await, [true; 2]);
        assert_eq!(app.slack.calls("conversations.info"), 0);
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
