//! Buttons under an answer, and the message shortcut.

use std::time::Duration;

use incident_like::{
    corpus::Lang,
    slack::action::{Action, Button},
};
use serde_json::{Value, json};

use crate::harness::{Audience, Channel, Fault, Running, TEAM, TestApp, missing, run};

const ONLY_ME: Audience = Audience::ResponseUrl { in_channel: false };

fn setup() -> TestApp {
    // The bot is no member: buttons work all the same.
    TestApp::with_channel(Channel::public("C1", "ops"))
}

fn payload(app: &Running, action: Action) -> Value {
    let button = Button {
        action,
        text: "etcd timeouts, kubectl hangs".to_owned(),
        lang: Lang::En,
    };
    json!({
        "type": "block_actions",
        "user": {"id": "U0ASKER", "username": "asker", "name": "asker", "team_id": TEAM},
        "api_app_id": "A0APP",
        "token": "deprecated",
        "container": {"type": "message", "message_ts": "1700000000.000100", "channel_id": "C1", "is_ephemeral": true},
        "trigger_id": "1.2.3",
        "team": {"id": TEAM, "domain": "example"},
        "enterprise": null,
        "is_enterprise_install": false,
        "channel": {"id": "C1", "name": "ops"},
        "state": {"values": {}},
        "response_url": app.slack.response_url(),
        "actions": [{
            "action_id": button.action_id(),
            "block_id": "b1",
            "text": {"type": "plain_text", "text": "…", "emoji": true},
            "value": button.value(),
            "type": "button",
            "action_ts": "1700000000.000200",
        }],
    })
}

async fn press(app: &Running, action: Action) {
    app.interact(&payload(app, action)).await.empty_ok();
}

fn case() -> incident_like::corpus::CaseId {
    "IL-9001".parse().expect("a valid id")
}

#[test]
fn details_and_more_are_shown_to_the_one_who_asks() {
    run(setup(), async |app| {
        press(app, Action::Details { case: case() }).await;
        let details = app.message().await;
        assert_eq!(details.to, ONLY_ME);
        assert!(
            details.text.contains("Slow disk stalls etcd"),
            "{details:?}"
        );
        press(app, Action::More { offset: 1 }).await;
        let more = app.message().await;
        assert_eq!(more.to, ONLY_ME);
        assert!(!more.text.contains("Slow disk stalls etcd"), "{more:?}");
    });
}

#[test]
fn share_posts_into_the_channel_for_the_one_who_shares() {
    run(setup(), async |app| {
        press(app, Action::Share { case: case() }).await;
        let shared = app.message().await;
        assert_eq!(shared.to, Audience::ResponseUrl { in_channel: true });
        assert!(shared.text.contains("Slow disk stalls etcd"), "{shared:?}");
        let all = format!("{}{:?}", shared.text, shared.blocks);
        assert!(all.contains("U0ASKER"), "{all}");
    });
}

#[test]
fn a_member_shares_so_that_the_case_is_found_again() {
    let setup = || TestApp::with_channel(Channel::joined("C1", "ops"));
    run(setup(), async |app| {
        let failed = Box::new(Fault::Status(502));
        // It is there, and Slack's answer is lost on the way.
        app.slack.fail("chat.postMessage", Fault::After(failed));
        press(app, Action::Share { case: case() }).await;
        let shared = app.message().await;
        assert_eq!(shared.to, Audience::Channel("C1".to_owned()));
        assert_eq!(shared.metadata["event_type"], "precedent_share");
        assert!(shared.text.contains("U0ASKER"), "{shared:?}");
        press(app, Action::Share { case: case() }).await;
        let already = app.message().await;
        assert_eq!(already.to, ONLY_ME);
        assert!(already.text.contains("shared already"), "{already:?}");
    });
    run(setup(), async |app| {
        app.slack
            .fail("chat.postMessage", Fault::Refused(missing("chat:write")));
        press(app, Action::Share { case: case() }).await;
        let mut posted = app.messages().await;
        posted.retain(|posted| posted.to == Audience::ResponseUrl { in_channel: true });
        assert_eq!(posted.len(), 1);
    });
    run(setup(), async |app| {
        let mut in_thread = payload(app, Action::Share { case: case() });
        in_thread["container"]["thread_ts"] = "1700000000.000001".into();
        app.interact(&in_thread).await.empty_ok();
        let shared = app.message().await;
        assert_eq!(shared.thread.as_deref(), Some("1700000000.000001"));
    });
}

#[test]
fn one_press_that_is_delivered_again_counts_once() {
    run(setup(), async |app| {
        let helpful = payload(app, Action::Helpful { case: case() });
        for _ in 0..3 {
            app.deliver_again(&helpful).await.empty_ok();
        }
        let thanks = app.message().await;
        assert!(thanks.text.contains("Thanks"), "{thanks:?}");
    });
}

#[test]
fn whoever_pressed_is_told_when_nothing_comes_of_it() {
    run(setup(), async |app| {
        // Slack is down for as long as the job is tried, and back when it is given up.
        for _ in 0..12 {
            app.slack
                .fail("response_url", Fault::RateLimited { retry_after: "0" });
        }
        press(app, Action::Details { case: case() }).await;
        let sorry = app.message().await;
        assert_eq!(sorry.to, ONLY_ME);
        assert!(sorry.text.contains("lookup failed"), "{sorry:?}");
    });
}

#[test]
fn a_case_written_without_its_zeros_is_offered() {
    run(setup(), async |app| {
        for (text, meant) in [
            ("IL-901", None),
            ("IL-09001", Some("IL-9001")),
            ("similar IL-09001", Some("IL-9001")),
        ] {
            let answer = app.slash(text).await;
            let told = answer.ephemeral();
            assert!(told.contains("There is no such case"), "{told}");
            assert_eq!(answer.body.contains("precedent_ask_0"), meant.is_some());
            if let Some(meant) = meant {
                assert!(told.contains(&format!("Did you mean {meant}")), "{told}");
            }
        }
    });
}

/// The cases of an answer, in order.
fn cases(body: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, _) in body.match_indices("IL-9") {
        let id = body[at..at + 7].to_owned();
        if !found.contains(&id) {
            found.push(id);
        }
    }
    found
}

/// Presses a button of an answer, as somebody of a workspace.
async fn judge(app: &mut Running, answer: &Value, case: &str, action_id: &str, user: &str) {
    let rows = answer["blocks"].as_array().expect("blocks").iter();
    let mut buttons = rows.flat_map(|row| row["elements"].as_array().cloned().unwrap_or_default());
    let value = buttons
        .find(|button| {
            let value = button["value"].as_str().unwrap_or_default();
            button["action_id"] == action_id && value.contains(case)
        })
        .expect("the button")["value"]
        .clone();
    let mut pressed = payload(app, Action::Mute);
    pressed["actions"][0]["action_id"] = action_id.into();
    pressed["actions"][0]["value"] = value;
    pressed["user"]["id"] = user.into();
    app.interact(&pressed).await.empty_ok();
    let thanks = app.message().await;
    assert_eq!(thanks.to, ONLY_ME);
}

#[test]
fn what_a_workspace_says_moves_what_it_finds_and_nobody_else_sees_that() {
    const QUESTION: &str = "the api is slow";
    run(setup(), async |app| {
        let answer = app.slash(QUESTION).await;
        let before = cases(&answer.body);
        assert!(before.len() >= 2, "{before:?}");
        let json: Value = serde_json::from_str(&answer.body).expect("JSON");
        let first = before[0].as_str();
        for (user, shown) in [("U1", "by 1 here"), ("U2", "by 2 here")] {
            judge(app, &json, first, "precedent_not_this", user).await;
            let told = app.slash(QUESTION).await;
            let text = told.ephemeral();
            assert!(
                text.contains(&format!("marked as not this {shown}")),
                "{text}"
            );
            assert!(!text.contains(user), "{text}");
            let mut sorted = cases(&told.body);
            sorted.sort();
            let mut same = before.clone();
            same.sort();
            assert_eq!(sorted, same, "nothing comes, nothing goes");
        }
        // Another workspace is not told and finds what it found.
        let mut other = format!("{TEAM}2");
        other.truncate(20);
        let elsewhere = crate::harness::form(&[
            ("command", "/incident-like"),
            ("text", QUESTION),
            ("team_id", &other),
            ("channel_id", "C0HERE"),
            ("user_id", "U9"),
        ]);
        let elsewhere = app.post("/slack/commands", elsewhere).await;
        assert!(!elsewhere.body.contains("marked as"), "{elsewhere:?}");
        assert_eq!(cases(&elsewhere.body), before);
        // Pressed again, both are taken back.
        for user in ["U1", "U2"] {
            judge(app, &json, first, "precedent_not_this", user).await;
        }
        let undone = app.slash(QUESTION).await;
        assert!(!undone.body.contains("marked as"), "{undone:?}");
        assert_eq!(cases(&undone.body), before);
    });
}

#[test]
fn what_could_not_be_shared_is_said_and_not_tried_again() {
    run(setup(), async |app| {
        let failed = Fault::Status(500);
        for (fault, shown) in [
            (failed.clone(), false),
            (Fault::After(Box::new(failed)), true),
        ] {
            app.slack.fail("response_url", fault);
            press(app, Action::Share { case: case() }).await;
            let mut told = app.messages().await;
            let notice = told.pop().expect("a notice");
            assert_eq!(notice.to, ONLY_ME);
            assert!(notice.text.contains("press Share again"), "{notice:?}");
            assert_eq!(told.len(), usize::from(shown));
        }
    });
}

#[test]
fn a_double_click_shares_once() {
    let mut setup = setup();
    // The second press comes while the first is on its way.
    setup.tuning.settle = Duration::from_secs(1);
    run(setup, async |app| {
        let payload = payload(app, Action::Share { case: case() });
        let (first, second) =
            futures::future::join(app.interact(&payload), app.interact(&payload)).await;
        first.empty_ok();
        second.empty_ok();
        let mut told = app.messages().await;
        told.sort_by_key(|message| message.to == ONLY_ME);
        let [shared, already] = &told[..] else {
            panic!("{told:#?}");
        };
        assert_eq!(shared.to, Audience::ResponseUrl { in_channel: true });
        assert!(already.text.contains("shared already"), "{already:?}");

        // From another answer it may be shared again.
        let mut other = payload.clone();
        other["container"]["message_ts"] = "1700000000.000900".into();
        app.interact(&other).await.empty_ok();
        assert_eq!(
            app.message().await.to,
            Audience::ResponseUrl { in_channel: true }
        );
    });
}

#[test]
fn people_of_another_workspace_are_refused() {
    run(setup(), async |app| {
        for action in [
            Action::Details { case: case() },
            Action::Share { case: case() },
            Action::Edit,
        ] {
            let mut payload = payload(app, action);
            payload["user"]["team_id"] = "T0ELSEWHERE".into();
            app.interact(&payload).await.empty_ok();
            let refusal = app.message().await;
            assert_eq!(refusal.to, ONLY_ME);
            assert!(
                refusal.text.contains("members of the workspace"),
                "{refusal:?}"
            );
        }
        let mut payload = shortcut(app, json!({"text": "etcd timeouts, kubectl hangs"}));
        payload["user"]["team_id"] = "T0ELSEWHERE".into();
        app.interact(&payload).await.empty_ok();
        let refusal = app.message().await;
        assert_eq!(refusal.to, ONLY_ME);
        assert!(
            refusal.text.contains("members of the workspace"),
            "{refusal:?}"
        );
    });
}

#[test]
fn share_in_a_thread_stays_there() {
    run(setup(), async |app| {
        let mut payload = payload(app, Action::Share { case: case() });
        payload["container"]["thread_ts"] = "1700000000.000001".into();
        app.interact(&payload).await.empty_ok();
        assert_eq!(
            app.message().await.thread.as_deref(),
            Some("1700000000.000001")
        );
    });
}

#[test]
fn nothing_is_shared_where_strangers_may_read() {
    run(setup(), async |app| {
        app.slack.change("C1", |channel| channel.ext_shared = true);
        press(app, Action::Share { case: case() }).await;
        let why = app.message().await;
        assert_eq!(why.to, ONLY_ME);
        assert!(why.text.contains("other organisations"), "{why:?}");

        app.slack.change("C1", |channel| {
            (channel.ext_shared, channel.private) = (false, true);
        });
        press(app, Action::Share { case: case() }).await;
        let why = app.message().await;
        assert_eq!(why.to, ONLY_ME);
        assert!(why.text.contains("Invite me"), "{why:?}");
    });
    let without_token = TestApp {
        token: false,
        ..setup()
    };
    run(without_token, async |app| {
        press(app, Action::Share { case: case() }).await;
        assert_eq!(app.message().await.to, ONLY_ME);
    });
}

#[test]
fn an_allowed_channel_may_be_shared_into() {
    let setup = TestApp {
        allowed_channels: vec!["C1"],
        token: false,
        ..setup()
    };
    run(setup, async |app| {
        press(app, Action::Share { case: case() }).await;
        assert_eq!(
            app.message().await.to,
            Audience::ResponseUrl { in_channel: true }
        );
    });
}

#[test]
fn feedback_is_thanked_for() {
    run(setup(), async |app| {
        for action in [
            Action::Helpful { case: case() },
            Action::NotThis { case: case() },
        ] {
            press(app, action).await;
            let thanks = app.message().await;
            assert_eq!(thanks.to, ONLY_ME);
            assert!(thanks.text.contains("Thanks"), "{thanks:?}");
        }
    });
}

#[test]
fn a_case_that_is_gone_is_said_to_be() {
    run(setup(), async |app| {
        let gone = "IL-4040".parse().expect("a valid id");
        press(app, Action::Share { case: gone }).await;
        let answer = app.message().await;
        assert_eq!(answer.to, ONLY_ME);
        assert!(answer.text.contains("no such case"), "{answer:?}");
    });
}

#[test]
fn other_buttons_are_left_alone() {
    run(setup(), async |app| {
        let mut payload = payload(app, Action::Details { case: case() });
        payload["actions"] =
            json!([{"action_id": "open_source", "type": "button", "url": "https://example.com"}]);
        app.interact(&payload).await.empty_ok();
        app.silent().await;
    });
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "callers build the message in place"
)]
fn shortcut(app: &Running, message: Value) -> Value {
    json!({
        "type": "message_action",
        "token": "deprecated",
        "action_ts": "1583637157.207593",
        "team": {"id": TEAM, "domain": "example"},
        "user": {"id": "U0ASKER", "username": "asker", "team_id": TEAM, "name": "asker"},
        "channel": {"id": "C1", "name": "ops"},
        "is_enterprise_install": false,
        "enterprise": null,
        "callback_id": "find_similar",
        "trigger_id": "1.2.3",
        "response_url": app.slack.response_url(),
        "message_ts": "1700000000.000100",
        "message": message,
    })
}

#[test]
fn the_shortcut_works_on_any_message() {
    run(setup(), async |app| {
        let alert = json!({"type": "message", "text": "", "bot_id": "B0ALERT", "ts": "1700000000.000100", "thread_ts": "1700000000.000001",
            "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "etcdserver: request timed out"}},
                {"type": "section", "text": {"type": "mrkdwn", "text": "kubectl hangs"}}]});
        app.interact(&shortcut(app, alert)).await.empty_ok();
        let answer = app.message().await;
        assert_eq!(
            (answer.to, answer.thread.as_deref()),
            (ONLY_ME, Some("1700000000.000001"))
        );
        assert!(
            answer.text.contains("Slow disk stalls etcd"),
            "{}",
            answer.text
        );

        app.interact(&shortcut(app, json!({"text": "", "files": [{"id": "F1"}]})))
            .await
            .empty_ok();
        let answer = app.message().await;
        assert!(answer.text.contains("no text"), "{}", answer.text);
    });
}

#[test]
fn a_failing_response_url_is_tried_again() {
    run(setup(), async |app| {
        app.slack.fail("response_url", Fault::Status(500));
        app.slack
            .fail("response_url", Fault::RateLimited { retry_after: "0" });
        press(app, Action::Details { case: case() }).await;
        app.message().await;
        let refused = json!({"ok": false, "error": "invalid_blocks"});
        app.slack.fail("response_url", Fault::Refused(refused));
        press(app, Action::Details { case: case() }).await;
        assert!(app.message().await.blocks.is_empty());
    });
}
