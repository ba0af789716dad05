//! A suggestion that changes: in place, when something closer was said, and as long as people want it.

use std::{path::Path, time::Duration};

use incident_like::{
    app::Tuning,
    corpus::Lang,
    slack::action::{Action, Button},
};
use serde_json::{Value, json};

use crate::harness::{
    Audience, Channel, Fault, Running, TEAM, TestApp, channel_created, mention, message, run,
};

const NAMES: &str = "NXDOMAIN in DNS";
const NAMES_CASE: &str = "A search domain change floods CoreDNS";
const CLOSER: &str = "etcdserver: request timed out, kubectl hangs, the Kubernetes API server times out, etcd is slow";
const CLOSER_CASE: &str = "Slow disk stalls etcd";
const HISTORY: &str = "conversations.history";

fn setup() -> TestApp {
    TestApp::with_channel(Channel::joined("C1", "inc-0412-api"))
}

fn kept_in(folder: &Path) -> TestApp {
    TestApp {
        data_dir: Some(folder.to_owned()),
        ..setup()
    }
}

async fn said(app: &Running, id: &str, text: &str) {
    let ts = format!("1700000000.0{id:0>5}");
    app.event(&format!("Ev{id}"), message("C1", &ts, text))
        .await
        .empty_ok();
}

/// Makes the incident channel, in which names fail to resolve.
async fn opened(app: &mut Running) {
    app.event("Ev0", channel_created("C1", "inc-0412-api"))
        .await
        .empty_ok();
    app.silent().await;
    said(app, "1", NAMES).await;
    let first = app.message().await;
    assert_eq!(first.to, Audience::Channel("C1".to_owned()));
    assert!(first.text.contains(NAMES_CASE), "{first:?}");
}

/// The suggestion as it stands in the channel; there is one.
fn standing(app: &Running) -> Value {
    let mut own = Vec::new();
    app.slack.change("C1", |channel| {
        let suggestions = channel
            .messages
            .iter()
            .filter(|message| message["metadata"]["event_type"] == "precedent_suggestion");
        own.extend(suggestions.cloned());
    });
    assert_eq!(own.len(), 1, "{own:#?}");
    own.remove(0)
}

/// Waits until all is done and returns the one change.
async fn changed(app: &mut Running) -> String {
    let act = app.act().await;
    assert_eq!(act.method, "chat.update");
    let text = act.fields["text"].as_str().expect("a text").to_owned();
    assert_eq!(standing(app)["text"], text);
    assert_eq!(act.fields["ts"], standing(app)["ts"]);
    text
}

/// Waits until all is done and checks that nothing was changed or posted.
async fn unchanged(app: &mut Running) {
    app.silent().await;
    let acts = app.slack.take_acts();
    assert!(acts.is_empty(), "{acts:#?}");
}

async fn press_mute(app: &Running) {
    let button = Button {
        action: Action::Mute,
        text: String::new(),
        lang: Lang::En,
    };
    let payload = json!({
        "type": "block_actions",
        "user": {"id": "U0ASKER", "team_id": TEAM},
        "container": {"type": "message", "message_ts": "1800000000.000001", "channel_id": "C1", "is_ephemeral": false},
        "team": {"id": TEAM}, "enterprise": null, "channel": {"id": "C1"},
        "response_url": app.slack.response_url(),
        "actions": [{"type": "button", "action_id": button.action_id(), "block_id": "b1", "value": button.value()}],
    });
    app.interact(&payload).await.empty_ok();
}

async fn set(app: &Running, text: &str) -> String {
    app.slash_in("C1", "inc-0412-api", text).await.ephemeral()
}

#[test]
fn something_closer_changes_the_suggestion_in_place() {
    run(setup(), async |app| {
        opened(app).await;
        said(app, "2", "looking into it").await;
        unchanged(app).await;
        said(app, "3", CLOSER).await;
        let text = changed(app).await;
        assert!(text.contains(CLOSER_CASE), "{text}");
        let line = text.lines().find(|line| line.contains("Updated: now also"));
        assert!(line.is_some_and(|line| line.contains("etcd")), "{text}");
        let again = standing(app);
        assert_eq!(
            again["metadata"],
            json!({"event_type": "precedent_suggestion", "event_payload": {"about": "C1"}})
        );
        said(app, "4", "etcd is still slow").await;
        unchanged(app).await;
    });
}

#[test]
fn a_channel_that_is_gone_or_named_otherwise_keeps_its_suggestion() {
    for event in [
        json!({"type": "channel_archive", "channel": "C1", "user": "U1"}),
        json!({"type": "channel_rename", "channel": {"id": "C1", "name": "postmortem-api", "created": 1}}),
    ] {
        run(setup(), async |app| {
            opened(app).await;
            app.event("Ev2", event).await.empty_ok();
            said(app, "3", CLOSER).await;
            unchanged(app).await;
            // Its old name does not bring another one.
            let back = json!({"type": "channel_rename", "channel": {"id": "C1", "name": "inc-0412-api", "created": 1}});
            app.event("Ev4", back).await.empty_ok();
            unchanged(app).await;
        });
    }
}

#[test]
fn mute_stops_changes_until_it_is_pressed_again() {
    run(setup(), async |app| {
        opened(app).await;
        let blocks = standing(app)["blocks"].to_string();
        assert_eq!(blocks.matches("precedent_mute").count(), 1);
        press_mute(app).await;
        let told = app.message().await;
        assert_eq!(told.to, Audience::ResponseUrl { in_channel: false });
        assert!(told.text.contains("only when asked"), "{told:?}");
        said(app, "3", CLOSER).await;
        unchanged(app).await;
        assert!(set(app, "settings").await.contains("ask: only when asked"));
        press_mute(app).await;
        assert!(
            app.message()
                .await
                .text
                .contains("by myself in this channel again")
        );
        said(app, "4", "still looking").await;
        assert!(changed(app).await.contains(CLOSER_CASE));
    });
}

#[test]
fn a_channel_set_to_off_or_ask_never_gets_a_suggestion() {
    for word in ["off", "ask"] {
        run(setup(), async |app| {
            let told = set(app, &format!("settings {word}")).await;
            assert!(
                told.contains("Saved") && told.contains(&format!("{word}: ")),
                "{told}"
            );
            app.event("Ev0", channel_created("C1", "inc-0412-api"))
                .await
                .empty_ok();
            said(app, "1", CLOSER).await;
            unchanged(app).await;
            assert_eq!(app.slack.calls("conversations.info"), 0);
            // Whoever asks is answered, and where nobody else is to read it, nobody else does.
            app.event("Ev2", mention("C1", "1700000000.000900", CLOSER))
                .await
                .empty_ok();
            let answer = app.message().await;
            let only_me = matches!(answer.to, Audience::Only { .. });
            assert_eq!(only_me, word == "off", "{answer:?}");
            assert!(answer.text.contains(CLOSER_CASE), "{answer:?}");
            set(app, "settings on").await;
            said(app, "3", "still looking").await;
            assert!(app.message().await.text.contains(CLOSER_CASE));
        });
    }
}

#[test]
fn a_channels_language_is_that_of_its_suggestions() {
    run(setup(), async |app| {
        let told = set(app, "설정 언어 한국어").await;
        assert!(told.contains("저장했어요"), "{told}");
        app.event("Ev0", channel_created("C1", "inc-0412-api"))
            .await
            .empty_ok();
        said(app, "1", CLOSER).await;
        assert!(app.message().await.text.contains("자동 제안이에요"));
        let told = set(app, "settings lang auto").await;
        assert!(
            told.contains("everybody reads: `as the texts are`"),
            "{told}"
        );
    });
}

#[test]
fn a_restart_keeps_one_message_and_changes_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut channel = None;
    run(kept_in(folder.path()), async |app| {
        opened(app).await;
        app.slack
            .change("C1", |known| channel = Some(known.clone()));
    });
    let again = TestApp {
        channels: channel.into_iter().collect(),
        ..kept_in(folder.path())
    };
    run(again, async |app| {
        said(app, "3", CLOSER).await;
        assert!(changed(app).await.contains(CLOSER_CASE));
    });
}

#[test]
fn a_change_that_may_have_come_through_is_made_again_and_no_other_message() {
    run(setup(), async |app| {
        opened(app).await;
        let lost = Fault::After(Box::new(Fault::Status(502)));
        app.slack.fail("chat.update", lost);
        app.slack
            .fail("chat.update", Fault::RateLimited { retry_after: "0" });
        said(app, "3", CLOSER).await;
        app.settle().await;
        let acts = app.slack.take_acts();
        assert!((1..=3).contains(&acts.len()), "{acts:#?}");
        assert!(
            acts.iter()
                .all(|act| act.fields["text"] == standing(app)["text"])
        );
        assert!(standing(app)["text"].to_string().contains(CLOSER_CASE));
        said(app, "4", "etcd is still slow").await;
        unchanged(app).await;
    });
}

#[test]
fn what_was_said_while_it_was_unknown_whether_the_suggestion_is_there_changes_it() {
    let quick = setup();
    let tuning = Tuning {
        backoff: Duration::from_secs(1),
        ..quick.tuning
    };
    run(TestApp { tuning, ..quick }, async |app| {
        app.event("Ev0", channel_created("C1", "inc-0412-api"))
            .await
            .empty_ok();
        app.silent().await;
        let looks = app.slack.calls(HISTORY);
        let lost = Fault::After(Box::new(Fault::Status(502)));
        app.slack.fail("chat.postMessage", lost);
        for _ in 0..4 {
            app.slack.fail(HISTORY, Fault::Status(503));
        }
        said(app, "1", NAMES).await;
        app.slack.called(HISTORY, looks + 4).await;
        said(app, "2", CLOSER).await;
        assert!(changed(app).await.contains(CLOSER_CASE));
        let first = app.message().await;
        assert!(first.text.contains(NAMES_CASE), "{first:?}");
    });
}

#[test]
fn a_suggestion_that_somebody_took_away_does_not_come_back() {
    run(setup(), async |app| {
        opened(app).await;
        app.slack.change("C1", |channel| channel.messages.clear());
        said(app, "3", CLOSER).await;
        unchanged(app).await;
        assert_eq!(app.slack.calls("chat.update"), 1);
        said(app, "4", "etcd is still slow").await;
        unchanged(app).await;
        assert_eq!(app.slack.calls("chat.update"), 1);
    });
}
