//! The bot's home.

use incident_like::{
    corpus::Lang,
    slack::action::{Action, Button},
};
use serde_json::{Value, json};

use crate::harness::{Running, TEAM, TestApp, run};

fn opened(tab: &str) -> Value {
    json!({"type": "app_home_opened", "user": "U0ASKER", "channel": "D0ASKER", "tab": tab, "event_ts": "1515449522.000016"})
}

async fn home(app: &mut Running, id: &str) -> String {
    app.event(id, opened("home")).await.empty_ok();
    let act = app.act().await;
    assert_eq!(act.method, "views.publish");
    assert_eq!(act.fields["user_id"], "U0ASKER");
    act.fields["view"].to_string()
}

#[test]
fn home_shows_recent_questions_help_and_settings() {
    let setup = TestApp {
        public_url: Some("https://incidents.example.com/"),
        ..TestApp::default()
    };
    run(setup, async |app| {
        let first = home(app, "Ev1").await;
        assert!(first.contains("None yet"), "{first}");
        assert!(first.contains("https://incidents.example.com"), "{first}");
        assert!(
            first.contains("inc-*") && first.contains("/incident-like"),
            "{first}"
        );
        for text in [
            "etcd timeouts",
            "help",
            "redis oom component:etcd",
            "etcd timeouts",
        ] {
            app.slash(text).await.ephemeral();
        }
        app.settle().await;
        let second = home(app, "Ev2").await;
        let at = |text: &str| second.find(text).expect(text);
        assert!(at("etcd timeouts") < at("redis oom"), "{second}");
        assert_eq!(second.matches("precedent_ask_").count(), 2);
    });
}

#[test]
fn the_messages_tab_publishes_nothing() {
    run(TestApp::default(), async |app| {
        app.event("Ev1", opened("messages")).await.empty_ok();
        app.silent().await;
    });
}

#[test]
fn a_recent_question_is_asked_again_in_a_view() {
    run(TestApp::default(), async |app| {
        for (action, opens) in [(Action::Ask { slot: 0 }, 1), (Action::Search, 0)] {
            let button = Button {
                action,
                text: "etcd timeouts, kubectl hangs".to_owned(),
                lang: Lang::En,
            };
            let payload = json!({
                "type": "block_actions", "team": {"id": TEAM}, "user": {"id": "U0ASKER", "team_id": TEAM},
                "container": {"type": "view", "view_id": "V0HOME"}, "trigger_id": "1.2.3", "enterprise": null,
                "view": {"id": "V0HOME", "type": "home", "hash": "h"},
                "actions": [{"type": "button", "action_id": button.action_id(), "value": button.value()}],
            });
            app.interact(&payload).await.empty_ok();
            app.settle().await;
            let acts = app.slack.take_acts();
            assert_eq!(acts.len(), 1 + opens);
            assert_eq!(acts[0].method, "views.open");
            if opens == 1 {
                assert_eq!(acts[1].method, "views.update");
                let shown = acts[1].fields["view"].to_string();
                assert!(shown.contains("Slow disk stalls etcd"), "{shown}");
            }
        }
    });
}
