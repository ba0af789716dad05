//! When Slack is slow, refuses, or falls over.

use serde_json::json;

use std::time::{Duration, Instant};

use incident_like::{app::Tuning, slack::client::Retry, store::Pace};

use crate::harness::{
    Audience, Channel, Fault, Running, TestApp, channel_created, form, mention, message, run,
    run_and_stop,
};

const QUESTION: &str = "etcd timeouts, kubectl hangs";
const POST: &str = "chat.postMessage";

fn check(faults: Vec<Fault>, posts: usize, calls: usize) {
    let setup = TestApp::with_channel(Channel::joined("C1", "ops"));
    run(setup, async |app| {
        for fault in faults {
            app.slack.fail(POST, fault);
        }
        app.event("Ev1", mention("C1", "1700000000.000100", QUESTION))
            .await
            .empty_ok();
        assert_eq!(app.messages().await.len(), posts);
        assert_eq!(app.slack.calls(POST), calls);
    });
}

#[test]
fn a_limit_is_waited_for() {
    check(vec![Fault::RateLimited { retry_after: "0" }], 1, 2);
    check(vec![Fault::RateLimited { retry_after: "1" }], 1, 2);
}

#[test]
fn a_long_limit_is_not_waited_for() {
    check(vec![Fault::RateLimited { retry_after: "60" }], 0, 1);
}

#[test]
fn a_failing_slack_is_asked_again_and_not_for_ever() {
    check(vec![Fault::Status(500), Fault::Status(503)], 1, 3);
    // The job as a whole is tried again, later and less and less often.
    check(vec![Fault::Status(500); 4], 1, 5);
    // In the end whoever asked is told.
    let setup = TestApp::with_channel(Channel::joined("C1", "ops"));
    run(setup, async |app| {
        for _ in 0..12 {
            app.slack.fail(POST, Fault::Status(500));
        }
        app.event("Ev1", mention("C1", "1700000000.000100", QUESTION))
            .await
            .empty_ok();
        let sorry = app.message().await;
        assert!(matches!(sorry.to, Audience::Only { .. }), "{sorry:?}");
        assert_eq!(app.slack.calls(POST), 12);
    });
}

#[test]
fn what_may_have_been_posted_is_looked_for_before_posting_again() {
    check(vec![Fault::Hangs { done: true }], 1, 1);
    check(vec![Fault::Hangs { done: false }], 1, 2);
    check(vec![Fault::Garbled], 1, 1);
    let refused = |code: &str| Fault::Refused(json!({"ok": false, "error": code}));
    for failed in [
        Fault::Status(502),
        refused("fatal_error"),
        refused("internal_error"),
        refused("request_timeout"),
    ] {
        check(vec![failed.clone()], 1, 2);
        check(
            vec![failed.clone(), Fault::After(Box::new(failed.clone()))],
            1,
            2,
        );
        check(vec![Fault::After(Box::new(failed))], 1, 1);
    }
}

#[test]
fn an_answer_is_found_below_a_long_thread() {
    let mut channel = Channel::joined("C1", "ops");
    let parent = "1700000000.000100";
    channel.messages = (0..20)
        .map(|at| {
            let mut reply = message("C1", &format!("1700000000.0001{at:02}"), "still looking");
            reply["thread_ts"] = parent.into();
            reply
        })
        .collect();
    run(TestApp::with_channel(channel), async |app| {
        app.slack.fail(POST, Fault::Hangs { done: true });
        let mut asked = mention("C1", "1700000000.000200", QUESTION);
        asked["thread_ts"] = parent.into();
        app.event("Ev1", asked).await.empty_ok();
        app.message().await;
        assert_eq!(app.slack.calls(POST), 1);
    });
}

#[test]
fn a_limit_holds_for_its_method_and_holds_nobody_else_up() {
    let setup = TestApp::with_channel(Channel::joined("C1", "ops"));
    run(setup, async |app| {
        app.slack
            .fail(POST, Fault::RateLimited { retry_after: "2" });
        app.event("Ev0", mention("C1", "1700000000.000100", QUESTION))
            .await
            .empty_ok();
        app.slack.called(POST, 1).await;
        for at in 1..9 {
            let asked = mention("C1", &format!("1700000000.00010{at}"), QUESTION);
            app.event(&format!("Ev{at}"), asked).await.empty_ok();
        }
        let payload = json!({
            "type": "message_action", "callback_id": "find_similar", "user": {"id": "U0ASKER"},
            "channel": {"id": "C1"}, "message": {"text": QUESTION}, "response_url": app.slack.response_url(),
        });
        app.interact(&payload).await.empty_ok();
        let first = app.slack.next_posted().await;
        let to = Audience::ResponseUrl { in_channel: false };
        assert_eq!((first.len(), &first[0].to), (1, &to));
        assert_eq!(app.slack.calls(POST), 1, "nobody else tries meanwhile");
        assert_eq!(app.messages().await.len(), 9);
    });
}

#[test]
fn learning_languages_holds_nobody_up() {
    let setup = TestApp::with_channel(Channel::joined("C1", "ops"));
    let tuning = Tuning {
        retry: Retry {
            tries: 1,
            ..setup.tuning.retry
        },
        queue: 1,
        ..setup.tuning
    };
    run(TestApp { tuning, ..setup }, async |app| {
        for _ in 0..12 {
            app.slack.fail("users.info", Fault::Hangs { done: false });
        }
        for at in 0..12 {
            let user = format!("U0ASKER{at}");
            let form = form(&[
                ("command", "/incident-like"),
                ("text", QUESTION),
                ("user_id", &user),
            ]);
            app.post("/slack/commands", form).await.ephemeral();
        }
        let mut asked = mention("C1", "1700000000.000100", QUESTION);
        asked.as_object_mut().expect("an object").remove("user");
        app.event("Ev1", asked).await.empty_ok();
        app.slack.next_posted().await;
        let asked = app.slack.calls("users.info");
        assert!(asked < 12, "it waited for {asked} languages");
        app.silent().await;
    });
}

#[test]
fn refused_blocks_become_plain_text_for_one_person_too() {
    let refusal = || Fault::Refused(json!({"ok": false, "error": "invalid_blocks"}));
    let setup = TestApp {
        faults: vec![
            (
                "auth.test",
                Fault::Refused(json!({"ok": false, "error": "invalid_auth"})),
            ),
            (
                "auth.test",
                Fault::Refused(json!({"ok": false, "error": "invalid_auth"})),
            ),
            ("chat.postEphemeral", refusal()),
        ],
        ..TestApp::with_channel(Channel::joined("C1", "ops"))
    };
    run(setup, async |app| {
        app.event("Ev1", mention("C1", "1700000000.000100", QUESTION))
            .await
            .empty_ok();
        let sorry = app.message().await;
        assert!(matches!(sorry.to, Audience::Only { .. }), "{sorry:?}");
        assert!(
            sorry.blocks.is_empty() && sorry.text.contains("failed"),
            "{sorry:?}"
        );
    });
}

#[test]
fn refused_blocks_become_plain_text() {
    let setup = TestApp::with_channel(Channel::joined("C1", "ops"));
    run(setup, async |app| {
        let refusal = json!({"ok": false, "error": "invalid_blocks", "response_metadata": {"messages":
            ["[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]"]}});
        app.slack.fail(POST, Fault::Refused(refusal));
        app.event("Ev1", mention("C1", "1700000000.000100", QUESTION))
            .await
            .empty_ok();
        let answer = app.message().await;
        assert!(
            answer.blocks.is_empty() && answer.text.contains("Slow disk"),
            "{answer:?}"
        );
    });
}

#[test]
fn a_channel_that_the_bot_left_gets_nothing_and_nothing_breaks() {
    run(
        TestApp::with_channel(Channel::public("C1", "ops")),
        async |app| {
            app.event("Ev1", mention("C1", "1700000000.000100", QUESTION))
                .await
                .empty_ok();
            app.silent().await;
            // The claim was given back: another delivery of the same message is tried anew.
            app.slack.change("C1", |channel| channel.member = true);
            app.event("Ev2", mention("C1", "1700000000.000100", QUESTION))
                .await
                .empty_ok();
            app.message().await;
        },
    );
}

#[test]
fn a_refused_token_breaks_no_command() {
    run(TestApp::default(), async |app| {
        let refused = json!({"ok": false, "error": "invalid_auth"});
        app.slack.fail("users.info", Fault::Refused(refused));
        app.slash(QUESTION).await.ephemeral();
        app.silent().await;
    });
}

fn tuned(tune: impl FnOnce(Tuning) -> Tuning) -> TestApp {
    let topic = "etcdserver: request timed out, kubectl hangs, the Kubernetes API server times out";
    let setup = TestApp::with_channel(Channel {
        topic: topic.to_owned(),
        ..Channel::joined("C1", "inc-0412-api")
    });
    TestApp {
        tuning: tune(setup.tuning),
        ..setup
    }
}

#[test]
fn when_too_much_waits_slack_is_asked_to_come_again() {
    run(tuned(|tuning| Tuning { queue: 1, ..tuning }), async |app| {
        let held = app.hold_lookups();
        let (first, second) = (
            mention("C1", "1700000000.000100", QUESTION),
            mention("C1", "1700000000.000200", QUESTION),
        );
        app.event("Ev1", first).await.empty_ok();
        assert_eq!(app.event("Ev2", second.clone()).await.status, 503);
        drop(held);
        app.message().await;
        // Not seen yet, so the next delivery counts.
        app.event("Ev2", second).await.empty_ok();
        app.message().await;
    });
}

#[test]
fn a_refused_look_at_a_channel_is_made_up_for() {
    run(tuned(|tuning| Tuning { queue: 1, ..tuning }), async |app| {
        let held = app.hold_lookups();
        app.event("Ev1", mention("C1", "1700000000.000100", QUESTION))
            .await
            .empty_ok();
        assert_eq!(
            app.event("Ev2", channel_created("C1", "inc-0412-api"))
                .await
                .status,
            503
        );
        drop(held);
        app.message().await;
        app.event("Ev2", channel_created("C1", "inc-0412-api"))
            .await
            .empty_ok();
        assert_eq!(app.message().await.thread, None);
    });
}

#[test]
fn a_refused_message_counts_when_it_comes_again() {
    let setup = tuned(|tuning| Tuning { queue: 1, ..tuning });
    run(setup, async |app| {
        app.slack.change("C1", |channel| channel.topic.clear());
        app.event("Ev1", channel_created("C1", "inc-0412-api"))
            .await
            .empty_ok();
        app.silent().await;
        let held = app.hold_lookups();
        app.event("Ev2", mention("C1", "1700000000.000100", QUESTION))
            .await
            .empty_ok();
        let said =
            "etcdserver: request timed out, kubectl hangs, the Kubernetes API server times out";
        let said = message("C1", "1700000000.000200", said);
        assert_eq!(app.event("Ev3", said.clone()).await.status, 503);
        drop(held);
        app.message().await;
        app.event("Ev3", said).await.empty_ok();
        assert_eq!(app.message().await.thread, None);
    });
}

#[test]
fn what_was_accepted_is_done_before_the_service_stops() {
    let waiting = tuned(|tuning| Tuning {
        debounce: Duration::from_mins(10),
        ..tuning
    });
    let posted = run_and_stop(waiting, async |app| {
        app.event("Ev1", channel_created("C1", "inc-0412-api"))
            .await
            .empty_ok();
    });
    assert_eq!(posted.len(), 1, "{posted:#?}");
    assert_eq!(posted[0].to, Audience::Channel("C1".to_owned()));
}

fn paced(pause: Duration) -> TestApp {
    tuned(|tuning| Tuning {
        pace: Pace {
            channel: pause,
            workspace: Duration::ZERO,
        },
        ..tuning
    })
}

async fn ask_twice(app: &Running) {
    for (id, ts) in [("Ev1", "1700000000.000100"), ("Ev2", "1700000000.000200")] {
        let asked = mention("C1", ts, QUESTION);
        app.event(id, asked).await.empty_ok();
    }
}

#[test]
fn what_waits_for_its_turn_is_done_before_the_service_stops() {
    let posted = run_and_stop(paced(Duration::from_millis(500)), async |app| {
        ask_twice(app).await;
    });
    assert_eq!(posted.len(), 2, "{posted:#?}");
}

#[test]
fn a_stop_does_not_wait_for_turns_that_come_too_late_and_tells_of_them() {
    let begun = Instant::now();
    let posted = run_and_stop(paced(Duration::from_mins(10)), async |app| {
        ask_twice(app).await;
        assert_eq!(app.worker.drain(Duration::from_mins(1)).await, 1);
    });
    assert_eq!(posted.len(), 1, "{posted:#?}");
    assert!(begun.elapsed() < Duration::from_secs(20));
}
