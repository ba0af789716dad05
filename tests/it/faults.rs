//! When Slack is slow, refuses, or falls over.

use serde_json::json;

use crate::harness::{Channel, Fault, TestApp, mention, run};

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
    check(vec![Fault::Status(500); 4], 0, 4);
}

#[test]
fn what_may_have_been_posted_is_looked_for_before_posting_again() {
    check(vec![Fault::Hangs { done: true }], 1, 1);
    check(vec![Fault::Hangs { done: false }], 1, 2);
    check(vec![Fault::Garbled], 1, 1);
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
        app.settle().await;
        let refused = json!({"ok": false, "error": "invalid_auth"});
        app.slack.fail("users.info", Fault::Refused(refused));
        app.slash(QUESTION).await.ephemeral();
        app.silent().await;
    });
}
