//! The slash command.

use std::time::Duration;

use incident_like::app::Tuning;

use serde_json::json;

use crate::harness::{Audience, Channel, Fault, TestApp, message, run};

const SLOW_DISK: &str = "Slow disk stalls etcd";
const SLOW_DISK_KO: &str = "느린 디스크 때문에 etcd가 멈추고";

#[test]
fn a_question_is_answered_in_the_response_in_its_own_language() {
    run(TestApp::default(), async |app| {
        let answer = app.slash("etcd timeouts, kubectl hangs").await.ephemeral();
        assert!(answer.contains(SLOW_DISK), "{answer}");
        let answer = app
            .slash("etcd 타임아웃이 나고 API 서버가 안 떠요")
            .await
            .ephemeral();
        assert!(answer.contains(SLOW_DISK_KO), "{answer}");
        app.silent().await;
    });
}

#[test]
fn commands_need_no_token() {
    let setup = TestApp {
        token: false,
        ..TestApp::default()
    };
    run(setup, async |app| {
        let answer = app.slash("etcd timeouts, kubectl hangs").await.ephemeral();
        assert!(answer.contains(SLOW_DISK), "{answer}");
        app.slash("").await.ephemeral();
        app.silent().await;
    });
}

#[test]
fn one_address_takes_everything() {
    run(TestApp::default(), async |app| {
        let form = "command=%2Fincident-like&text=help&channel_id=C1&user_id=U1&team_id=T1";
        for path in ["/slack/events", "/slack/commands", "/slack/interactions"] {
            app.post(path, form).await.ephemeral();
        }
    });
}

#[test]
fn escaped_and_raw_text_mean_the_same() {
    run(TestApp::default(), async |app| {
        for text in [
            "etcd timeouts <#C123|inc-1> &amp; kubectl hangs <@U1|a>",
            "etcd timeouts #inc-1 & kubectl hangs @a",
        ] {
            let answer = app.slash(text).await.ephemeral();
            assert!(answer.contains(SLOW_DISK), "{text}: {answer}");
        }
    });
}

#[test]
fn help_and_cases_can_be_asked_for() {
    run(TestApp::default(), async |app| {
        let help = app.slash("help").await.ephemeral();
        assert!(help.contains("/incident-like"), "{help}");
        let case = app.slash("il-9001").await.ephemeral();
        assert!(case.contains(SLOW_DISK), "{case}");
        let similar = app.slash("similar IL-9001").await.ephemeral();
        assert!(similar.contains(SLOW_DISK), "{similar}");
        let none = app.slash("IL-4040").await.ephemeral();
        assert!(none.contains("no such case"), "{none}");
    });
}

#[test]
fn nothing_close_is_said_plainly() {
    run(TestApp::default(), async |app| {
        let answer = app.slash("the coffee machine is broken").await.ephemeral();
        assert!(answer.contains("No close precedent"), "{answer}");
    });
}

#[test]
fn the_askers_own_language_is_learnt_for_the_next_time() {
    let setup = TestApp {
        locales: vec![("U0ASKER", "ko-KR")],
        ..TestApp::default()
    };
    run(setup, async |app| {
        let first = app.slash("etcd timeouts, kubectl hangs").await.ephemeral();
        assert!(first.contains(SLOW_DISK), "{first}");
        app.settle().await;
        let second = app.slash("etcd timeouts, kubectl hangs").await.ephemeral();
        assert!(second.contains(SLOW_DISK_KO), "{second}");
        app.settle().await;
        assert_eq!(app.slack.calls("users.info"), 1);
    });
}

#[test]
fn without_the_scope_nobodys_language_is_asked_again() {
    run(TestApp::default(), async |app| {
        for _ in 0..3 {
            app.slash("etcd timeouts").await.ephemeral();
            app.settle().await;
        }
        assert_eq!(app.slack.calls("users.info"), 1);
    });
}

#[test]
fn a_language_is_learnt_once_at_a_time_and_not_again_after_a_failure() {
    let setup = TestApp {
        faults: vec![(
            "users.info",
            Fault::Refused(json!({"ok": false, "error": "user_not_found"})),
        )],
        ..TestApp::default()
    };
    run(setup, async |app| {
        let all = (0..10).map(|_| app.slash("etcd timeouts"));
        futures::future::join_all(all).await;
        app.settle().await;
        app.slash("etcd timeouts").await.ephemeral();
        app.settle().await;
        assert_eq!(app.slack.calls("users.info"), 1);
    });
}

#[test]
fn a_channel_that_cannot_be_looked_up_is_said_to_be() {
    let refused = || Fault::Refused(json!({"ok": false, "error": "invalid_auth"}));
    let setup = TestApp {
        faults: vec![("auth.test", refused()), ("auth.test", refused())],
        ..TestApp::default()
    };
    run(setup, async |app| {
        app.slash("").await.ephemeral();
        let sorry = app.message().await;
        assert!(sorry.text.contains("lookup failed"), "{sorry:?}");
    });
}

#[test]
fn no_text_gives_help_and_then_what_the_channel_says() {
    let mut channel = Channel::joined("C0INC", "inc-0412-api");
    channel.topic = "kubectl hangs".to_owned();
    channel.messages = vec![message(
        "C0INC",
        "1700000000.000100",
        "etcdserver: request timed out",
    )];
    run(TestApp::with_channel(channel), async |app| {
        let help = app.slash_in("C0INC", "inc-0412-api", "").await.ephemeral();
        assert!(help.contains("/incident-like"), "{help}");
        let later = app.message().await;
        assert_eq!(later.to, Audience::ResponseUrl { in_channel: false });
        assert!(later.text.contains(SLOW_DISK), "{later:?}");
    });
}

#[test]
fn no_text_shows_what_the_channels_name_suggests_at_once() {
    run(TestApp::default(), async |app| {
        let help = app
            .slash_in("C0INC", "inc-etcd-timeouts-kubernetes-api-server", "")
            .await
            .ephemeral();
        assert!(help.contains(SLOW_DISK), "{help}");
    });
}

fn late() -> TestApp {
    let setup = TestApp::default();
    TestApp {
        tuning: Tuning {
            deadline: Duration::from_millis(20),
            ..setup.tuning
        },
        ..setup
    }
}

#[test]
fn past_the_deadline_the_answer_follows() {
    run(late(), async |app| {
        let held = app.hold_lookups();
        let ack = app.slash("etcd timeouts, kubectl hangs").await.ephemeral();
        assert!(ack.contains("Searching"), "{ack}");
        drop(held);
        let answer = app.message().await;
        assert_eq!(answer.to, Audience::ResponseUrl { in_channel: false });
        assert!(answer.text.contains(SLOW_DISK), "{answer:?}");
    });
}

#[test]
fn an_expired_address_falls_back_to_an_ephemeral_message() {
    run(late(), async |app| {
        let form = crate::harness::form(&[
            ("command", "/incident-like"),
            ("text", "etcd timeouts, kubectl hangs"),
            ("channel_id", "C0HERE"),
            ("user_id", "U0ASKER"),
            (
                "response_url",
                &format!("{}/expired", app.slack.response_url()),
            ),
        ]);
        let held = app.hold_lookups();
        app.post("/slack/commands", form).await.ephemeral();
        drop(held);
        let answer = app.message().await;
        let to = Audience::Only {
            channel: "C0HERE".to_owned(),
            user: "U0ASKER".to_owned(),
        };
        assert_eq!(answer.to, to);
    });
}

#[test]
fn answers_go_to_slack_only() {
    run(late(), async |app| {
        let form = "command=%2Fincident-like&text=etcd+timeouts&channel_id=C1&user_id=U1\
            &response_url=http%3A%2F%2F169.254.169.254%2Fhooks%2F";
        let held = app.hold_lookups();
        app.post("/slack/commands", form).await.ephemeral();
        drop(held);
        let answer = app.message().await;
        assert!(matches!(answer.to, Audience::Only { .. }));
    });
}

#[test]
fn very_long_and_odd_text_is_answered() {
    run(TestApp::default(), async |app| {
        for text in [
            "가나다 etcd ".repeat(5000),
            "<!channel> ```\u{202e}\u{0}".to_owned(),
            "🔥".repeat(4001),
        ] {
            let answer = app.slash(&text).await.ephemeral();
            assert!(!answer.contains("<!channel>"), "{answer}");
        }
    });
}
