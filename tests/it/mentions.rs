//! `@bot TEXT` in channels and threads, however Slack delivers it.

use incident_like::slack::signature;
use serde_json::{Value, json};

use crate::harness::{
    Audience, BOT_ID, BOT_USER, Channel, Fault, SIGNING_SECRET, TestApp, answered, envelope,
    mention, message, run, unix_now,
};

const SLOW_DISK: &str = "Slow disk stalls etcd";
const QUESTION: &str = "etcd timeouts, kubectl hangs";
const TS: &str = "1700000000.000100";

fn setup() -> TestApp {
    TestApp::with_channel(Channel::joined("C1", "ops"))
}

#[test]
fn a_mention_is_answered_in_its_thread() {
    run(setup(), async |app| {
        app.event("Ev1", mention("C1", TS, QUESTION))
            .await
            .empty_ok();
        let answer = app.message().await;
        assert_eq!(answer.to, Audience::Channel("C1".to_owned()));
        assert_eq!(answer.thread.as_deref(), Some(TS));
        assert!(answer.text.contains(SLOW_DISK), "{answer:?}");
        assert!(!answer.blocks.is_empty());

        let mut in_thread = mention("C1", "1700000000.000200", QUESTION);
        in_thread["thread_ts"] = TS.into();
        app.event("Ev2", in_thread).await.empty_ok();
        assert_eq!(app.message().await.thread.as_deref(), Some(TS));
    });
}

#[test]
fn an_event_delivered_four_times_at_once_is_answered_once() {
    run(setup(), async |app| {
        let deliveries = (0..4).map(|_| app.event("Ev1", mention("C1", TS, QUESTION)));
        for answer in futures::future::join_all(deliveries).await {
            answer.empty_ok();
        }
        app.message().await;
        app.event("Ev1", mention("C1", TS, QUESTION))
            .await
            .empty_ok();
        app.silent().await;
    });
}

#[test]
fn one_message_under_several_event_ids_is_answered_once() {
    run(setup(), async |app| {
        let deliveries = (0..11).map(|at| {
            let id = format!("Ev{at}");
            let app = &*app;
            async move { app.event(&id, mention("C1", TS, QUESTION)).await }
        });
        futures::future::join_all(deliveries).await;
        app.message().await;
    });
}

#[test]
fn a_retry_that_comes_alone_is_handled() {
    run(setup(), async |app| {
        let body = envelope("Ev1", mention("C1", TS, QUESTION)).to_string();
        let now = unix_now();
        let request = app
            .http
            .post(format!("{}/slack/events", app.address))
            .header(
                signature::SIGNATURE_HEADER,
                signature::sign(&SIGNING_SECRET.into(), now, body.as_bytes()),
            )
            .header(signature::TIMESTAMP_HEADER, now)
            .header("x-slack-retry-num", 2)
            .header("x-slack-retry-reason", "http_timeout")
            .body(body);
        answered(request).await.empty_ok();
        app.message().await;
    });
}

#[test]
fn the_message_copy_neither_answers_nor_swallows_the_mention() {
    let copy = |ts: &str| message("C1", ts, &format!("<@{BOT_USER}> {QUESTION}"));
    run(setup(), async |app| {
        app.event("Ev1", copy(TS)).await.empty_ok();
        app.silent().await;
        app.event("Ev2", mention("C1", TS, QUESTION))
            .await
            .empty_ok();
        app.message().await;

        let ts = "1700000000.000200";
        app.event("Ev3", mention("C1", ts, QUESTION))
            .await
            .empty_ok();
        app.message().await;
        app.event("Ev4", copy(ts)).await.empty_ok();
        app.silent().await;
    });
}

#[test]
fn a_mention_without_text_reads_its_thread() {
    let mut channel = Channel::joined("C1", "ops");
    let mut alert = json!({"type": "message", "subtype": "bot_message", "bot_id": "B0ALERT", "text": "", "ts": TS, "thread_ts": TS});
    alert["attachments"] = json!([{"fallback": "x", "title": "etcdserver: request timed out", "text": "kubectl hangs"}]);
    channel.messages = vec![alert];
    run(TestApp::with_channel(channel), async |app| {
        let mut bare = mention("C1", "1700000000.000200", "");
        bare["thread_ts"] = TS.into();
        app.event("Ev1", bare).await.empty_ok();
        let answer = app.message().await;
        assert!(answer.text.contains(SLOW_DISK), "{answer:?}");
    });
}

#[test]
fn a_bare_mention_is_asked_what_it_sees() {
    run(setup(), async |app| {
        app.event("Ev1", mention("C1", TS, "")).await.empty_ok();
        let answer = app.message().await;
        assert!(answer.text.contains("Tell me what you see"), "{answer:?}");
    });
}

#[test]
fn the_bot_does_not_answer_itself() {
    run(setup(), async |app| {
        let mut own = mention("C1", TS, QUESTION);
        own["user"] = BOT_USER.into();
        app.event("Ev1", own).await.empty_ok();
        let mut own = mention("C1", "1700000000.000200", QUESTION);
        own.as_object_mut().expect("an object").remove("user");
        own["bot_id"] = BOT_ID.into();
        app.event("Ev2", own).await.empty_ok();
        app.silent().await;
    });
}

#[test]
fn two_bots_do_not_talk_forever() {
    run(setup(), async |app| {
        for at in 0..5 {
            let mut other = mention("C1", &format!("1700000000.00010{at}"), QUESTION);
            other["bot_id"] = "B0OTHER".into();
            app.event(&format!("Ev{at}"), other).await.empty_ok();
            app.settle().await;
        }
        app.message().await;
    });
}

#[test]
fn channels_shared_with_another_organisation_stay_silent() {
    run(setup(), async |app| {
        let mut shared = envelope("Ev1", mention("C1", TS, QUESTION));
        shared["is_ext_shared_channel"] = Value::Bool(true);
        app.envelope(shared).await.empty_ok();
        app.silent().await;

        app.slack
            .change("C1", |channel| channel.pending_ext_shared = true);
        app.event("Ev2", mention("C1", "1700000000.000200", QUESTION))
            .await
            .empty_ok();
        app.silent().await;

        app.slack
            .change("C1", |channel| channel.pending_ext_shared = false);
        app.slack.fail(
            "conversations.info",
            Fault::Refused(
                json!({"ok": false, "error": "missing_scope", "needed": "channels:read"}),
            ),
        );
        app.event("Ev3", mention("C1", "1700000000.000300", QUESTION))
            .await
            .empty_ok();
        // Only the one who asked hears that there is no answer.
        let sorry = app.message().await;
        let to = Audience::Only {
            channel: "C1".to_owned(),
            user: "U0ASKER".to_owned(),
        };
        assert_eq!(sorry.to, to);
        assert!(sorry.text.contains("lookup failed"), "{sorry:?}");

        let mut stranger = mention("C1", "1700000000.000400", QUESTION);
        stranger["user_team"] = "T0ELSEWHERE".into();
        app.event("Ev4", stranger).await.empty_ok();
        app.silent().await;
    });
}

#[test]
fn an_admin_can_allow_a_shared_channel() {
    let mut channel = Channel::joined("C1", "ops");
    channel.ext_shared = true;
    let setup = TestApp {
        allowed_channels: vec!["C1"],
        ..TestApp::with_channel(channel)
    };
    run(setup, async |app| {
        let mut shared = envelope("Ev1", mention("C1", TS, QUESTION));
        shared["is_ext_shared_channel"] = Value::Bool(true);
        app.envelope(shared).await.empty_ok();
        app.message().await;
    });
}

#[test]
fn organisation_wide_installs_are_answered_too() {
    run(setup(), async |app| {
        let mut org = envelope("Ev1", mention("C1", TS, QUESTION));
        org["team_id"] = Value::Null;
        org["enterprise_id"] = "E0ORG".into();
        org["authorizations"] = json!([{"enterprise_id": "E0ORG", "team_id": null, "user_id": BOT_USER, "is_bot": true, "is_enterprise_install": true}]);
        app.envelope(org).await.empty_ok();
        app.message().await;
    });
}

#[test]
fn without_a_token_events_are_ignored() {
    let setup = TestApp {
        token: false,
        ..setup()
    };
    run(setup, async |app| {
        app.event("Ev1", mention("C1", TS, QUESTION))
            .await
            .empty_ok();
        app.silent().await;
    });
}

#[test]
fn the_askers_own_language_comes_first() {
    let setup = TestApp {
        locales: vec![("U0ASKER", "ko-KR")],
        ..setup()
    };
    run(setup, async |app| {
        app.event("Ev1", mention("C1", TS, QUESTION))
            .await
            .empty_ok();
        let answer = app.message().await;
        assert!(
            answer.text.contains("느린 디스크 때문에 etcd가 멈추고"),
            "{answer:?}"
        );
    });
}
