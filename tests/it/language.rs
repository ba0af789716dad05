//! The small language of a question, with and without a token, in both languages.

use incident_like::{
    corpus::Lang,
    slack::{
        action::Button,
        reply::{self, Tongue},
    },
};
use serde_json::Value;

use crate::corpus::BUNDLED;
use crate::harness::{Audience, Channel, Running, TestApp, form, mention, message, run};

const SLOW_DISK: &str = "Slow disk stalls etcd";
const SLOW_DISK_KO: &str = "느린 디스크 때문에 etcd가 멈추고";
const EXPIRED: &str = "An expired certificate";

fn without_token() -> TestApp {
    TestApp {
        token: false,
        ..TestApp::default()
    }
}

/// The buttons of an answer, with their titles.
fn buttons(body: &str) -> Vec<(String, Button)> {
    let json: Value = serde_json::from_str(body).expect("a message");
    let blocks = json["blocks"].as_array().expect("blocks");
    let elements = blocks
        .iter()
        .filter(|block| block["type"] == "actions")
        .flat_map(|block| block["elements"].as_array().cloned().unwrap_or_default());
    elements
        .filter_map(|element| {
            let id = element["action_id"].as_str()?;
            let button = Button::parse(id, element["value"].as_str()?)?;
            Some((element["text"]["text"].as_str()?.to_owned(), button))
        })
        .collect()
}

async fn press(app: &Running, button: &Button) {
    let payload = serde_json::json!({
        "type": "block_actions",
        "user": {"id": "U0ASKER", "team_id": crate::harness::TEAM},
        "container": {"type": "message", "message_ts": "1700000000.000100", "channel_id": "C0HERE", "is_ephemeral": true},
        "team": {"id": crate::harness::TEAM}, "enterprise": null, "channel": {"id": "C0HERE"},
        "response_url": app.slack.response_url(), "trigger_id": "1.2.3",
        "actions": [{"type": "button", "action_id": button.action_id(), "value": button.value()}],
    });
    app.interact(&payload).await.empty_ok();
}

#[test]
fn filters_narrow_a_question_in_both_languages() {
    run(without_token(), async |app| {
        let narrowed = app.slash("timeouts 502 component:ingress-controller").await;
        let text = narrowed.ephemeral();
        assert!(
            text.contains(EXPIRED) && !text.contains(SLOW_DISK),
            "{text}"
        );
        assert!(
            text.contains("Only: component:ingress-controller"),
            "{text}"
        );

        let korean = app
            .slash("타임아웃 구성요소:etcd 이후:2021")
            .await
            .ephemeral();
        assert!(korean.contains(SLOW_DISK_KO), "{korean}");
        assert!(
            korean.contains("범위: component:etcd, since:2021"),
            "{korean}"
        );

        let other = app
            .slash("타임아웃 구성요소:etcd lang:en")
            .await
            .ephemeral();
        assert!(other.contains(SLOW_DISK), "{other}");

        let none = app.slash("etcd timeouts since:2024").await.ephemeral();
        assert!(none.contains("passes these filters"), "{none}");

        let quoted = app
            .slash("etcd timeouts org:\"example one\"")
            .await
            .ephemeral();
        assert!(quoted.contains("org:\"Example One\""), "{quoted}");
    });
}

#[test]
fn filters_alone_list_what_they_allow() {
    run(without_token(), async |app| {
        let list = app.slash("component:etcd").await.ephemeral();
        assert!(list.contains("Newest first, of all 1"), "{list}");
        assert!(
            list.contains(SLOW_DISK) && !list.contains("No close"),
            "{list}"
        );
    });
}

#[test]
fn the_next_precedents_are_narrowed_too() {
    run(TestApp::default(), async |app| {
        let list = app.slash("year:2021 lang:ko").await;
        let text = list.ephemeral();
        assert!(text.contains("최신순, 전체 4"), "{text}");
        let more = buttons(&list.body)
            .into_iter()
            .find(|(title, _)| title == "더 보기")
            .expect("there are more than three");
        press(app, &more.1).await;
        let next = app.message().await;
        assert!(
            next.text.contains("year:2021") || next.text.contains("since:2021"),
            "{next:?}"
        );
        assert!(!next.text.contains(SLOW_DISK_KO), "{next:?}");
    });
}

#[test]
fn what_is_not_known_is_told_and_the_rest_is_answered() {
    run(TestApp::default(), async |app| {
        let answer = app.slash("kubectl hangs timeouts component:ectd").await;
        let text = answer.ephemeral();
        assert!(text.contains(SLOW_DISK), "{text}");
        assert!(
            text.contains("I do not know component:ectd — did you mean component:etcd"),
            "{text}"
        );
        let (_, meant) = buttons(&answer.body)
            .into_iter()
            .find(|(title, _)| title == "component:etcd")
            .expect("what may have been meant can be asked");
        assert_eq!(meant.text, "kubectl hangs timeouts component:etcd");
        press(app, &meant).await;
        let mended = app.message().await;
        assert!(mended.text.contains("Only: component:etcd"), "{mended:?}");
        assert!(mended.text.contains(SLOW_DISK), "{mended:?}");

        let typed = app
            .slash("<!channel> component:\"<!here>&amp;*\"")
            .await
            .ephemeral();
        assert!(!typed.contains("<!"), "{typed}");
    });
}

#[test]
fn slips_of_commands_are_told_with_what_they_may_mean() {
    run(without_token(), async |app| {
        let answer = app.slash("hlep").await.ephemeral();
        assert!(answer.contains("Did you mean the command help"), "{answer}");
        let answer = app.slash("IL9001").await;
        assert!(answer.ephemeral().contains("IL-9001"));
        let (_, meant) = &buttons(&answer.body)[0];
        press(app, meant).await;
        let case = app.message().await;
        assert!(case.text.contains(SLOW_DISK), "{case:?}");
    });
}

#[test]
fn korean_commands_are_answered_in_korean_without_a_token() {
    run(without_token(), async |app| {
        for (typed, expect) in [
            ("도움말", "지금 장애와 비슷한 과거 장애를 찾아드려요"),
            ("설정", "지금 이렇게 설정돼 있어요"),
            ("비슷한 IL-9001", "관련 사례"),
            ("여기", "봇 토큰이 없어서 채널을 읽을 수 없어요"),
            ("IL-9001 lang:ko", SLOW_DISK_KO),
        ] {
            let answer = app.slash(typed).await.ephemeral();
            assert!(answer.contains(expect), "{typed}: {answer}");
        }
    });
}

#[test]
fn settings_say_when_the_bot_speaks() {
    run(TestApp::default(), async |app| {
        let answer = app.slash("settings").await.ephemeral();
        assert!(answer.contains("`inc-*, incident-*"), "{answer}");
        assert!(answer.contains("Bot token: `✓`"), "{answer}");
    });
    run(without_token(), async |app| {
        let answer = app.slash("settings").await.ephemeral();
        assert!(answer.contains("Bot token: `✗`"), "{answer}");
        assert!(answer.contains("`nowhere`"), "{answer}");
    });
}

#[test]
fn here_reads_the_channel() {
    let mut channel = Channel::joined("C0INC", "inc-0412-api");
    channel.topic = "kubectl hangs".to_owned();
    let alert = "etcdserver: request timed out component:api";
    channel.messages = vec![message("C0INC", "1700000000.000100", alert)];
    run(TestApp::with_channel(channel), async |app| {
        let reading = app
            .slash_in("C0INC", "inc-0412-api", "here")
            .await
            .ephemeral();
        assert!(reading.contains("Reading this channel"), "{reading}");
        let answer = app.message().await;
        assert_eq!(answer.to, Audience::ResponseUrl { in_channel: false });
        assert!(answer.text.contains(SLOW_DISK), "{answer:?}");
        // Nobody typed what the alert says, so nothing in it narrows.
        assert!(!answer.text.contains("component:api"), "{answer:?}");

        app.slash_in("C0PRIVATE", "privategroup", "here")
            .await
            .ephemeral();
        let nothing = app.message().await;
        assert!(nothing.text.contains("nothing to read"), "{nothing:?}");
    });
}

#[test]
fn mentions_speak_the_same_language() {
    let setup = TestApp::with_channel(Channel::joined("C1", "ops"));
    run(setup, async |app| {
        let ask = |ts: &str, text: &str| mention("C1", ts, text);
        app.event(
            "Ev1",
            ask(
                "1700000000.000100",
                "timeouts 502 component:ingress-controller",
            ),
        )
        .await
        .empty_ok();
        let answer = app.message().await;
        assert!(answer.text.contains(EXPIRED), "{answer:?}");
        assert!(!answer.text.contains(SLOW_DISK), "{answer:?}");

        app.event("Ev2", ask("1700000000.000200", "도움말"))
            .await
            .empty_ok();
        let help = app.message().await;
        assert!(help.text.contains("과거 장애를 찾아드려요"), "{help:?}");

        app.event("Ev3", ask("1700000000.000300", "settings"))
            .await
            .empty_ok();
        let settings = app.message().await;
        assert!(settings.text.contains("How I am set up"), "{settings:?}");
    });
}

#[test]
fn one_person_who_asks_too_often_is_told_kindly_and_others_are_answered() {
    run(without_token(), async |app| {
        let mut refused = 0;
        for _ in 0..25 {
            let answer = app.slash("etcd timeouts, kubectl hangs").await.ephemeral();
            refused += usize::from(answer.contains("Give me a moment"));
        }
        assert!((1..=5).contains(&refused), "{refused}");
        let other = form(&[
            ("command", "/incident-like"),
            ("text", "etcd timeouts, kubectl hangs"),
            ("team_id", crate::harness::TEAM),
            ("channel_id", "C0HERE"),
            ("user_id", "U0OTHER"),
        ]);
        let answer = app.post("/slack/commands", other).await.ephemeral();
        assert!(answer.contains(SLOW_DISK), "{answer}");
    });
}

#[test]
fn a_question_that_names_little_is_answered_honestly_and_asked_back() {
    let found = reply::ask(&BUNDLED, "결제가 안 돼요", Tongue::only(Lang::Ko), 0);
    // Unasked, nothing is said of it.
    assert!(!found.answer.confident);
    let shown = reply::show(&BUNDLED, &found).text;
    assert!(shown.contains("해당하는 사례가 여럿"), "{shown}");
    assert!(!shown.contains("가까운 선례가 없어요"), "{shown}");
    let found = reply::ask(
        &BUNDLED,
        "the coffee machine is broken",
        Tongue::only(Lang::En),
        0,
    );
    let shown = reply::show(&BUNDLED, &found).text;
    assert!(shown.contains("No close precedent"), "{shown}");
}
