//! The suggestion that nobody asked for: once, in incident channels, when it is worth it.

use std::time::Duration;

use incident_like::app::Tuning;
use serde_json::{Value, json};

use crate::harness::{
    Audience, BOT_USER, Channel, Fault, Running, TestApp, answered, channel_created, envelope,
    message, run, run_and_stop,
};

const SLOW_DISK: &str = "Slow disk stalls etcd";
const TELLING: &str =
    "etcdserver: request timed out, kubectl hangs, the Kubernetes API server times out";

async fn created(app: &Running, id: &str) {
    let name = "inc-0412-api";
    app.event(id, channel_created("C1", name)).await.empty_ok();
}

async fn said(app: &Running, id: &str, ts: &str, text: &str) {
    app.event(id, message("C1", ts, text)).await.empty_ok();
}

fn vague() -> TestApp {
    TestApp::with_channel(Channel::public("C1", "inc-0412-api"))
}

fn telling() -> TestApp {
    let mut channel = Channel::public("C1", "inc-0412-api");
    TELLING.clone_into(&mut channel.topic);
    TestApp::with_channel(channel)
}

fn telling_joined() -> Channel {
    let mut channel = Channel::joined("C1", "inc-0412-api");
    TELLING.clone_into(&mut channel.topic);
    channel
}

/// A suggestion as an earlier run of the bot has left it.
fn earlier_suggestion() -> Value {
    json!({
        "type": "message", "user": BOT_USER, "text": "before", "ts": "1700000000.000001",
        "metadata": {"event_type": "precedent_suggestion", "event_payload": {"about": "C1"}},
    })
}

async fn suggested(app: &mut Running) {
    let suggestion = app.message().await;
    assert_eq!(suggestion.to, Audience::Channel("C1".to_owned()));
    assert_eq!(suggestion.thread, None);
    assert_eq!(
        suggestion.metadata,
        json!({"event_type": "precedent_suggestion", "event_payload": {"about": "C1"}})
    );
    assert!(suggestion.text.contains(SLOW_DISK), "{suggestion:?}");
}

#[test]
fn a_new_incident_channel_is_joined_and_gets_one_suggestion() {
    run(telling(), async |app| {
        created(app, "Ev1").await;
        suggested(app).await;
        assert_eq!(app.slack.calls("conversations.join"), 1);
        // Renamed, talked in, described anew: never again.
        let renamed = json!({"type": "channel_rename", "channel": {"id": "C1", "name": "inc-0412-etcd", "created": 1}});
        app.event("Ev2", renamed).await.empty_ok();
        said(app, "Ev3", "1700000000.000100", TELLING).await;
        app.silent().await;
    });
}

#[test]
fn one_event_four_times_at_once_posts_once() {
    run(telling(), async |app| {
        let deliveries = (0..4).map(|_| created(app, "Ev1"));
        futures::future::join_all(deliveries).await;
        suggested(app).await;
    });
}

#[test]
fn several_reasons_at_once_post_once() {
    run(telling(), async |app| {
        let joined = json!({"type": "member_joined_channel", "user": BOT_USER, "channel": "C1", "channel_type": "C", "team": "T0TEAM"});
        let renamed = json!({"type": "channel_rename", "channel": {"id": "C1", "name": "inc-0412-api", "created": 1}});
        let topic = json!({"type": "message", "subtype": "channel_topic", "channel": "C1", "user": "U1", "topic": TELLING, "text": "set", "ts": "1700000000.000050"});
        let events = [
            channel_created("C1", "inc-0412-api"),
            renamed,
            joined,
            topic,
            message("C1", "1700000000.000100", TELLING),
        ];
        let deliveries = events.into_iter().enumerate().map(|(at, event)| {
            let app = &*app;
            async move { app.event(&format!("Ev{at}"), event).await.empty_ok() }
        });
        futures::future::join_all(deliveries).await;
        suggested(app).await;
    });
}

#[test]
fn a_vague_channel_is_watched_until_it_says_enough() {
    run(vague(), async |app| {
        created(app, "Ev1").await;
        app.silent().await;
        said(app, "Ev2", "1700000000.000100", "looking into it").await;
        app.silent().await;
        said(app, "Ev3", "1700000000.000200", TELLING).await;
        suggested(app).await;
    });
}

#[test]
fn an_alert_with_empty_text_is_read() {
    run(vague(), async |app| {
        created(app, "Ev1").await;
        app.silent().await;
        let alert = json!({
            "type": "message", "subtype": "bot_message", "bot_id": "B0ALERT", "channel": "C1", "text": "",
            "ts": "1700000000.000100", "team": "T0TEAM",
            "attachments": [{"color": "#d00", "id": "1", "title": "Kubernetes API server times out", "fallback": "x",
                "fields": [{"title": "Log", "value": "etcdserver: request timed out", "short": false}]}],
        });
        app.event("Ev2", alert).await.empty_ok();
        suggested(app).await;
    });
}

#[test]
fn a_topic_set_later_counts() {
    run(vague(), async |app| {
        created(app, "Ev1").await;
        app.silent().await;
        app.slack
            .change("C1", |channel| channel.topic = TELLING.to_owned());
        let topic = json!({"type": "message", "subtype": "channel_topic", "channel": "C1", "user": "U1", "topic": TELLING, "text": "set", "ts": "1700000000.000100"});
        app.event("Ev2", topic).await.empty_ok();
        suggested(app).await;
    });
}

#[test]
fn what_was_said_before_the_bot_came_counts() {
    let mut channel = Channel::public("C1", "inc-0412-api");
    channel.messages = vec![
        json!({"type": "message", "subtype": "channel_join", "user": "U1", "text": "<@U1> has joined the channel", "ts": "1700000000.000001"}),
        message("C1", "1700000000.000100", TELLING),
    ];
    run(TestApp::with_channel(channel), async |app| {
        created(app, "Ev1").await;
        suggested(app).await;
    });
}

#[test]
fn a_renamed_channel_becomes_an_incident_channel() {
    let mut channel = Channel::public("C1", "장애-api");
    channel.purpose = TELLING.to_owned();
    run(TestApp::with_channel(channel), async |app| {
        app.event("Ev1", channel_created("C1", "tmp-api"))
            .await
            .empty_ok();
        app.silent().await;
        let renamed = json!({"type": "channel_rename", "channel": {"id": "C1", "name": "장애-api", "created": 1}});
        app.event("Ev2", renamed).await.empty_ok();
        suggested(app).await;
    });
}

fn invited(user: &str) -> Value {
    // Slack says `C` for private channels too.
    json!({"type": "member_joined_channel", "user": user, "channel": "C1", "channel_type": "C", "team": "T0TEAM", "inviter": "U1"})
}

#[test]
fn the_bot_is_invited_to_a_private_incident_channel() {
    let mut channel = Channel::joined("C1", "sev1-api");
    channel.private = true;
    channel.topic = TELLING.to_owned();
    run(TestApp::with_channel(channel), async |app| {
        app.event("Ev1", invited("U0PERSON")).await.empty_ok();
        app.silent().await;
        // Not worth a job: people join channels all the time.
        let figures = answered(app.http.get(format!("{}/metrics", app.address))).await;
        let ignored = r#"incident_like_requests_total{surface="event",outcome="ignored"} 1"#;
        assert!(figures.body.contains(ignored), "{figures:?}");
        app.event("Ev2", invited(BOT_USER)).await.empty_ok();
        suggested(app).await;
        assert_eq!(app.slack.calls("conversations.join"), 0);
    });
}

#[test]
fn the_bot_is_invited_elsewhere_and_stays_silent() {
    let mut channel = Channel::joined("C1", "team-platform");
    channel.topic = TELLING.to_owned();
    run(TestApp::with_channel(channel), async |app| {
        app.event("Ev1", invited(BOT_USER)).await.empty_ok();
        app.silent().await;
        said(app, "Ev2", "1700000000.000100", TELLING).await;
        app.silent().await;
        assert_eq!(app.slack.calls("conversations.history"), 0);
    });
}

#[test]
fn channels_shared_with_another_organisation_stay_silent() {
    for change in [
        (|channel: &mut Channel| channel.ext_shared = true) as fn(&mut Channel),
        |channel| channel.pending_ext_shared = true,
        |channel| channel.archived = true,
    ] {
        run(telling(), async |app| {
            app.slack.change("C1", change);
            created(app, "Ev1").await;
            app.silent().await;
            assert_eq!(app.slack.calls("conversations.join"), 0);
        });
    }
    run(telling(), async |app| {
        let mut shared = envelope("Ev1", channel_created("C1", "inc-0412-api"));
        shared["is_ext_shared_channel"] = Value::Bool(true);
        app.envelope(shared).await.empty_ok();
        app.silent().await;
    });
}

#[test]
fn not_knowing_whether_a_channel_is_shared_means_silence() {
    run(telling(), async |app| {
        app.slack.fail(
            "conversations.info",
            Fault::Refused(
                json!({"ok": false, "error": "missing_scope", "needed": "channels:read"}),
            ),
        );
        created(app, "Ev1").await;
        app.silent().await;
        app.slack.fail(
            "conversations.info",
            Fault::Refused(json!({"ok": true, "channel": {"id": "C1", "name": "inc-0412-api"}})),
        );
        created(app, "Ev2").await;
        app.silent().await;
    });
}

#[test]
fn history_that_cannot_be_read_is_no_obstacle() {
    run(telling(), async |app| {
        app.slack.fail(
            "conversations.history",
            Fault::Refused(
                json!({"ok": false, "error": "missing_scope", "needed": "channels:history"}),
            ),
        );
        created(app, "Ev1").await;
        suggested(app).await;
    });
}

#[test]
fn a_suggestion_from_before_a_restart_is_recognised() {
    let mut channel = telling_joined();
    channel.messages = vec![earlier_suggestion()];
    run(TestApp::with_channel(channel), async |app| {
        created(app, "Ev1").await;
        app.silent().await;
    });
}

#[test]
fn a_suggestion_is_recognised_under_later_messages() {
    let mut channel = telling_joined();
    channel.messages = vec![earlier_suggestion()];
    let later = (100..140).map(|at| message("C1", &format!("1700000000.000{at}"), "still looking"));
    channel.messages.extend(later);
    run(TestApp::with_channel(channel), async |app| {
        created(app, "Ev1").await;
        app.silent().await;
        assert_eq!(app.slack.calls("conversations.history"), 3);
    });
}

#[test]
fn a_very_long_history_is_not_read_to_its_beginning() {
    let mut channel = telling_joined();
    let long = (100..300).map(|at| message("C1", &format!("1700000000.000{at}"), "still looking"));
    channel.messages.extend(long);
    run(TestApp::with_channel(channel), async |app| {
        created(app, "Ev1").await;
        suggested(app).await;
        assert_eq!(app.slack.calls("conversations.history"), 4);
    });
}

#[test]
fn a_join_that_fails_for_now_is_tried_again() {
    run(telling(), async |app| {
        for _ in 0..4 {
            app.slack.fail("conversations.join", Fault::Status(503));
        }
        created(app, "Ev1").await;
        suggested(app).await;
        assert_eq!(app.slack.calls("conversations.join"), 5);
    });
    run(telling(), async |app| {
        let refused = json!({"ok": false, "error": "missing_scope", "needed": "channels:join"});
        app.slack
            .fail("conversations.join", Fault::Refused(refused));
        created(app, "Ev1").await;
        said(app, "Ev2", "1700000000.000100", TELLING).await;
        app.silent().await;
        assert_eq!(app.slack.calls("conversations.join"), 1);
    });
}

#[test]
fn edits_unfurls_and_own_messages_trigger_nothing() {
    run(vague(), async |app| {
        created(app, "Ev1").await;
        app.silent().await;
        let looks = app.slack.calls("conversations.info");
        let edit = json!({
            "type": "message", "subtype": "message_changed", "hidden": true, "channel": "C1", "ts": "1700000000.000200",
            "message": {"type": "message", "text": TELLING, "attachments": [{"title": "unfurled"}]},
            "previous_message": {"text": TELLING},
        });
        let deleted = json!({"type": "message", "subtype": "message_deleted", "channel": "C1", "ts": "1700000000.000300", "deleted_ts": "1700000000.000200"});
        let mut own = message("C1", "1700000000.000400", TELLING);
        own["user"] = BOT_USER.into();
        let asked = message(
            "C1",
            "1700000000.000500",
            &format!("<@{BOT_USER}> {TELLING}"),
        );
        for (at, event) in [edit, deleted, own, asked].into_iter().enumerate() {
            app.event(&format!("EvX{at}"), event).await.empty_ok();
        }
        app.silent().await;
        assert_eq!(app.slack.calls("conversations.info"), looks);
    });
}

#[test]
fn an_unknown_outcome_is_not_repeated() {
    run(telling(), async |app| {
        app.slack
            .fail("chat.postMessage", Fault::Hangs { done: true });
        created(app, "Ev1").await;
        suggested(app).await;
        said(app, "Ev2", "1700000000.000100", TELLING).await;
        app.silent().await;
    });
}

#[test]
fn an_unknown_outcome_that_cannot_be_looked_up_counts_as_made() {
    run(telling(), async |app| {
        for _ in 0..2 {
            let refused =
                json!({"ok": false, "error": "missing_scope", "needed": "channels:history"});
            app.slack
                .fail("conversations.history", Fault::Refused(refused));
        }
        let failed = Fault::After(Box::new(Fault::Status(500)));
        app.slack.fail("chat.postMessage", failed);
        created(app, "Ev1").await;
        suggested(app).await;
        said(app, "Ev2", "1700000000.000100", TELLING).await;
        app.silent().await;
        assert_eq!(app.slack.calls("chat.postMessage"), 1);
    });
}

#[test]
fn a_definite_failure_leaves_the_suggestion_for_later() {
    run(telling(), async |app| {
        for _ in 0..12 {
            app.slack.fail("chat.postMessage", Fault::Status(503));
        }
        created(app, "Ev1").await;
        app.silent().await;
        said(app, "Ev2", "1700000000.000100", "still down").await;
        suggested(app).await;
    });
}

fn moved() -> TestApp {
    TestApp {
        channels: vec![
            Channel::public("C1", "inc-0412-api"),
            Channel::joined("C2", "inc-0412-api"),
        ],
        ..TestApp::default()
    }
}

async fn moves(app: &mut Running) {
    created(app, "Ev1").await;
    app.silent().await;
    let change = json!({"type": "channel_id_changed", "old_channel_id": "C1", "new_channel_id": "C2", "event_ts": "1612206778.000000"});
    app.event("Ev2", change).await.empty_ok();
}

#[test]
fn a_watch_follows_the_channel_to_its_new_id() {
    run(moved(), async |app| {
        moves(app).await;
        app.silent().await;
        app.event("Ev3", message("C2", "1700000000.000100", TELLING))
            .await
            .empty_ok();
        let suggestion = app.message().await;
        assert_eq!(suggestion.to, Audience::Channel("C2".to_owned()));
    });
}

#[test]
fn a_look_that_is_due_follows_the_channel_too() {
    let mut setup = moved();
    TELLING.clone_into(&mut setup.channels[1].topic);
    setup.tuning.debounce = Duration::from_mins(10);
    let posted = run_and_stop(setup, async |app| {
        created(app, "Ev1").await;
        let change =
            json!({"type": "channel_id_changed", "old_channel_id": "C1", "new_channel_id": "C2"});
        app.event("Ev2", change).await.empty_ok();
    });
    assert_eq!(posted.len(), 1, "{posted:#?}");
    assert_eq!(posted[0].to, Audience::Channel("C2".to_owned()));
}

#[test]
fn a_watch_ends_with_its_channel() {
    run(moved(), async |app| {
        moves(app).await;
        app.silent().await;
        app.event(
            "Ev3",
            json!({"type": "channel_archive", "channel": "C2", "user": "U1"}),
        )
        .await
        .empty_ok();
        app.event("Ev4", message("C2", "1700000000.000100", TELLING))
            .await
            .empty_ok();
        app.silent().await;
    });
}

#[test]
fn what_comes_in_quick_succession_is_looked_at_once() {
    let setup = vague();
    let setup = TestApp {
        tuning: Tuning {
            debounce: Duration::from_mins(10),
            ..setup.tuning
        },
        ..setup
    };
    let mut slack = None;
    let posted = run_and_stop(setup, async |app| {
        slack = Some(app.slack.clone());
        created(app, "Ev0").await;
        for at in 1..6 {
            let more = message("C1", &format!("1700000000.00010{at}"), "still looking");
            app.event(&format!("Ev{at}"), more).await.empty_ok();
        }
        assert_eq!(app.slack.calls("conversations.info"), 0);
    });
    assert!(posted.is_empty(), "{posted:#?}");
    let looks = slack.map(|slack| slack.calls("conversations.info"));
    assert_eq!(looks, Some(1));
}
