//! Posts of alerting and incident tools, in the shapes in which those tools post (`tests/fixtures/alerts`, all about one
//! invented incident): what counts as said, and that a channel with one of them in it gets its suggestion.

use std::{fs, path::Path};

use incident_like::slack::gather;
use serde_json::{Value, json};

use crate::{
    corpus::BUNDLED,
    harness::{Audience, Channel, TEAM, TestApp, channel_created, run},
};

const SLOW_DISK: &str = "Slow disk stalls etcd";
const TS: &str = "1700000000.000100";

/// The tools' posts by name.
fn posts() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/alerts");
    let mut posts: Vec<(String, Value)> = fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| {
            let path = entry.expect("the entry can be read").path();
            let text = fs::read_to_string(&path).expect("the file can be read");
            let name = path.file_stem().expect("a name").to_string_lossy();
            let mut post: Value = serde_json::from_str(&text).expect("JSON");
            (post["ts"], post["team"]) = (TS.into(), TEAM.into());
            (name.into_owned(), post)
        })
        .collect();
    posts.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(posts.len(), 8);
    posts
}

/// What a reader of one of the posts would say it is about.
const ABOUT: &[&str] = &[
    "component:etcd",
    "component:kubernetes",
    "component:kubernetes-api-server",
    "symptom:timeouts",
    "symptom:high-latency",
    "symptom:control-plane-unavailable",
    "symptom:io-saturation",
];

#[test]
fn what_an_alert_says_is_understood_and_its_trimmings_are_not() {
    let vocabulary = BUNDLED.corpus().vocabulary();
    let mut wrong = Vec::new();
    for (name, post) in posts() {
        let text = gather::message_text(&post);
        assert!(text.to_lowercase().contains("etcd"), "{name}: {text}");
        for trimming in [
            "Acknowledge",
            "Silence :no_bell:",
            "Mute Monitor",
            "Join the channel",
            "Add responders",
            "Update Incident",
            "Snooze",
            "[no preview available]",
        ] {
            assert!(!text.contains(trimming), "{name}: {text}");
        }
        let understood = BUNDLED.extract(&text);
        let terms: Vec<String> = understood
            .distinct_terms()
            .map(|term| {
                let term = vocabulary.term(term);
                format!("{}:{}", term.facet, term.slug)
            })
            .collect();
        assert!(
            terms.contains(&"component:etcd".to_owned()),
            "{name}: {terms:?}"
        );
        let strange: Vec<&String> = terms
            .iter()
            .filter(|term| !ABOUT.contains(&term.as_str()))
            .collect();
        if !strange.is_empty() {
            wrong.push(format!("{name}: {strange:?} in\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn the_message_shortcut_reads_every_tools_alerts() {
    let setup = TestApp::with_channel(Channel::public("C1", "ops"));
    run(setup, async |app| {
        for (name, post) in posts() {
            let payload = json!({
                "type": "message_action", "callback_id": "find_similar", "team": {"id": TEAM}, "enterprise": null,
                "user": {"id": "U0ASKER", "team_id": TEAM}, "channel": {"id": "C1", "name": "ops"},
                "trigger_id": "1.2.3", "response_url": app.slack.response_url(), "message": post,
            });
            app.interact(&payload).await.empty_ok();
            let answer = app.message().await;
            assert!(answer.text.contains(SLOW_DISK), "{name}: {answer:?}");
            assert!(
                !answer.text.contains("No close precedent"),
                "{name}: {answer:?}"
            );
        }
    });
}

#[test]
fn an_incident_channel_with_any_tools_alert_gets_its_suggestion() {
    for (name, mut post) in posts() {
        let setup = TestApp::with_channel(Channel::public("C0INC", "inc-412"));
        run(setup, async |app| {
            app.event("Ev1", channel_created("C0INC", "inc-412"))
                .await
                .empty_ok();
            app.silent().await;
            (post["channel"], post["channel_type"]) = ("C0INC".into(), "channel".into());
            app.event("Ev2", post).await.empty_ok();
            let suggestion = app.message().await;
            assert_eq!(suggestion.to, Audience::Channel("C0INC".to_owned()));
            assert!(
                suggestion.text.contains(SLOW_DISK),
                "{name}: {suggestion:?}"
            );
        });
    }
}
