//! Messages to the bot alone, and the conversation in the assistant's pane.

use serde_json::{Value, json};

use crate::harness::{Audience, BOT_ID, BOT_USER, Channel, TEAM, TestApp, run};

const SLOW_DISK: &str = "Slow disk stalls etcd";
const TS: &str = "1700000000.000100";

fn setup() -> TestApp {
    TestApp::with_channel(Channel::joined("D1", ""))
}

fn direct(ts: &str, text: &str) -> Value {
    json!({
        "type": "message", "channel": "D1", "user": "U0ASKER", "text": text, "ts": ts, "team": TEAM,
        "event_ts": ts, "channel_type": "im",
        "blocks": [{"type": "rich_text", "block_id": "b", "elements": [
            {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}
        ]}],
    })
}

#[test]
fn each_message_is_answered_where_it_stands() {
    run(setup(), async |app| {
        app.event("Ev1", direct(TS, "etcd timeouts, kubectl hangs"))
            .await
            .empty_ok();
        let answer = app.message().await;
        assert_eq!(
            (answer.to, answer.thread),
            (Audience::Channel("D1".to_owned()), None)
        );
        assert!(answer.text.contains(SLOW_DISK), "{}", answer.text);

        let mut threaded = direct("1700000000.000200", "도움말");
        threaded["thread_ts"] = TS.into();
        app.event("Ev2", threaded).await.empty_ok();
        let help = app.message().await;
        assert_eq!(help.thread.as_deref(), Some(TS));
        assert!(
            help.text.contains("과거 장애를 찾아드려요"),
            "{}",
            help.text
        );

        app.event("Ev3", direct("1700000000.000300", "here"))
            .await
            .empty_ok();
        assert!(app.message().await.text.contains("Tell me what you see"));
    });
}

#[test]
fn repeats_edits_and_bots_are_not_answered() {
    run(setup(), async |app| {
        let question = || direct(TS, "etcd timeouts");
        for id in ["Ev1", "Ev1", "Ev2"] {
            app.event(id, question()).await.empty_ok();
        }
        app.message().await;
        let mut own = direct("1700000000.000200", "etcd timeouts");
        (own["user"], own["bot_id"]) = (BOT_USER.into(), BOT_ID.into());
        let mut other = direct("1700000000.000300", "etcd timeouts");
        other["bot_id"] = "B0OTHER".into();
        let mut edited = direct("1700000000.000400", "etcd timeouts");
        edited["subtype"] = "message_changed".into();
        let mut stranger = direct("1700000000.000500", "etcd timeouts");
        stranger["user_team"] = "T0ELSEWHERE".into();
        for (at, event) in [own, other, edited, stranger].into_iter().enumerate() {
            app.event(&format!("Ev1{at}"), event).await.empty_ok();
        }
        app.silent().await;
    });
}

#[test]
fn a_new_conversation_is_greeted_with_examples() {
    run(setup(), async |app| {
        let event = json!({
            "type": "assistant_thread_started", "event_ts": "1715873754.429808",
            "assistant_thread": {"user_id": "U0ASKER", "context": {"channel_id": "C1", "team_id": TEAM}, "channel_id": "D1", "thread_ts": TS},
        });
        app.event("Ev1", event).await.empty_ok();
        let greeting = app.message().await;
        assert_eq!(greeting.thread.as_deref(), Some(TS));
        assert!(
            greeting.text.contains("Tell me what you see"),
            "{greeting:?}"
        );
        let act = app.act().await;
        assert_eq!(act.method, "assistant.threads.setSuggestedPrompts");
        let prompts = act.fields["prompts"].as_array().expect("prompts");
        assert!((1..=4).contains(&prompts.len()));
        assert!(prompts.iter().all(|prompt| prompt["message"].is_string()));
    });
}

#[test]
fn one_person_who_writes_too_often_is_told_once() {
    run(setup(), async |app| {
        for at in 0..26 {
            let question = direct(
                &format!("1700000001.{at:06}"),
                "etcd timeouts, kubectl hangs",
            );
            app.event(&format!("Ev{at}"), question).await.empty_ok();
        }
        app.settle().await;
        let posted = app.slack.take_posted();
        let (told, answers): (Vec<_>, Vec<_>) = posted
            .into_iter()
            .partition(|posted| posted.text.contains("Give me a moment"));
        assert!((20..26).contains(&answers.len()), "{}", answers.len());
        let only = Audience::Only {
            channel: "D1".to_owned(),
            user: "U0ASKER".to_owned(),
        };
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].to, only);
    });
}
