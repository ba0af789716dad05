//! What survives a stop, what is refused when it cannot be recorded, and what operators see of it.

use std::{path::Path, time::Duration};

use incident_like::{
    app::Tuning,
    corpus::Lang,
    slack::action::{Action, Button},
    store::Pace,
};
use serde_json::json;

use crate::harness::{
    Audience, Channel, Fault, LIBRARY, Running, TestApp, answered, channel_created, mention,
    message, run, run_and_stop,
};

const QUESTION: &str = "etcd timeouts, kubectl hangs";
const TELLING: &str =
    "etcdserver: request timed out, kubectl hangs, the Kubernetes API server times out";

fn setup(folder: &Path) -> TestApp {
    TestApp {
        data_dir: Some(folder.to_owned()),
        ..TestApp::with_channel(Channel::joined("C1", "inc-0412-api"))
    }
}

async fn metrics(app: &Running) -> String {
    answered(app.http.get(format!("{}/metrics", app.address)))
        .await
        .body
}

#[test]
fn what_was_not_done_is_done_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let debounced = setup(folder.path());
    let tuning = Tuning {
        debounce: Duration::from_millis(1500),
        ..debounced.tuning
    };
    let posted = run_and_stop(
        TestApp {
            tuning,
            ..debounced
        },
        async |app| {
            app.event("Ev1", channel_created("C1", "inc-0412-api"))
                .await
                .empty_ok();
            app.event("Ev2", message("C1", "1700000000.000100", TELLING))
                .await
                .empty_ok();
        },
    );
    assert!(posted.is_empty(), "it stops at once: {posted:#?}");
    run(setup(folder.path()), async |app| {
        // The message is only in the store: this Slack never had it.
        let suggestion = app.message().await;
        assert_eq!(suggestion.to, Audience::Channel("C1".to_owned()));
        // Slack's redelivery finds it seen, and the channel has had its suggestion.
        app.event("Ev1", channel_created("C1", "inc-0412-api"))
            .await
            .empty_ok();
        app.silent().await;
    });
    run(setup(folder.path()), async |app| {
        app.event("Ev3", channel_created("C1", "inc-0412-api"))
            .await
            .empty_ok();
        app.silent().await;
    });
}

#[test]
fn nothing_that_people_wrote_is_kept_after_it_was_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    run(setup(folder.path()), async |app| {
        let asked = mention("C1", "1700000000.000100", "quetzalcoatl etcd timeouts");
        app.event("Ev1", asked).await.empty_ok();
        app.message().await;
        app.event("Ev2", channel_created("C1", "inc-0412-api"))
            .await
            .empty_ok();
        let said = format!("quetzalcoatl {TELLING}");
        app.event("Ev3", message("C1", "1700000000.000200", &said))
            .await
            .empty_ok();
        app.message().await;
        // Until then the suggestion may change.
        let archived = json!({"type": "channel_archive", "channel": "C1", "user": "U1"});
        app.event("Ev4", archived).await.empty_ok();
    });
    for file in std::fs::read_dir(folder.path()).expect("the folder") {
        let path = file.expect("a file").path();
        if path.to_string_lossy().ends_with(".sqlite3") {
            let bytes = std::fs::read(&path).expect("it can be read");
            let found = bytes.windows(12).any(|part| part == b"quetzalcoatl");
            assert!(!found, "{}", path.display());
        }
    }
}

#[test]
fn what_cannot_be_recorded_is_not_acknowledged() {
    let folder = tempfile::tempdir().expect("a folder");
    run(setup(folder.path()), async |app| {
        let file = folder.path().join("incident-like.sqlite3");
        let other = rusqlite::Connection::open(file).expect("the database");
        other
            .execute_batch("ALTER TABLE jobs RENAME TO hidden")
            .expect("it can be hidden");
        let asked = mention("C1", "1700000000.000100", QUESTION);
        assert_eq!(app.event("Ev1", asked.clone()).await.status, 503);
        other
            .execute_batch("ALTER TABLE hidden RENAME TO jobs")
            .expect("it can be shown");
        app.event("Ev1", asked).await.empty_ok();
        app.message().await;
        let errors = metrics(app).await;
        assert!(!errors.contains("store_errors_total 0\n"), "{errors}");
    });
}

#[test]
fn messages_in_a_channel_keep_their_distance() {
    let mut setup = TestApp::with_channel(Channel::joined("C1", "ops"));
    setup.channels.push(Channel::joined("C2", "dev"));
    setup.tuning.pace = Pace {
        channel: Duration::from_millis(1500),
        workspace: Duration::ZERO,
    };
    run(setup, async |app| {
        for (at, channel) in ["C1", "C1", "C2"].into_iter().enumerate() {
            let asked = mention(channel, &format!("1700000000.00010{at}"), QUESTION);
            app.event(&format!("Ev{at}"), asked).await.empty_ok();
        }
        let mut first = Vec::new();
        while first.len() < 2 {
            first.extend(app.slack.next_posted().await);
        }
        let mut to: Vec<_> = first
            .iter()
            .map(|posted| format!("{:?}", posted.to))
            .collect();
        to.sort();
        assert_eq!(to, [r#"Channel("C1")"#, r#"Channel("C2")"#]);
        assert_eq!(app.messages().await.len(), 1);
    });
}

#[test]
fn a_suggestion_that_would_come_too_late_is_dropped() {
    let mut channel = Channel::joined("C1", "inc-0412-api");
    TELLING.clone_into(&mut channel.topic);
    run(TestApp::with_channel(channel), async |app| {
        app.slack.fail(
            "chat.postMessage",
            Fault::RateLimited { retry_after: "900" },
        );
        app.event("Ev1", channel_created("C1", "inc-0412-api"))
            .await
            .empty_ok();
        app.silent().await;
        let figures = metrics(app).await;
        let dropped = r#"incident_like_jobs_ended_total{kind="look",outcome="stale"} 1"#;
        assert!(figures.contains(dropped), "{figures}");
    });
}

#[test]
fn figures_say_what_happened() {
    run(
        TestApp::with_channel(Channel::joined("C1", "ops")),
        async |app| {
            app.event("Ev1", mention("C1", "1700000000.000100", QUESTION))
                .await
                .empty_ok();
            app.message().await;
            app.slash(QUESTION).await.ephemeral();
            app.settle().await;
            let figures = metrics(app).await;
            for line in [
                r#"incident_like_requests_total{surface="event",outcome="queued"} 1"#,
                r#"incident_like_requests_total{surface="command",outcome="answered"} 1"#,
                r#"incident_like_jobs_ended_total{kind="mention",outcome="done"} 1"#,
                r#"incident_like_posts_total{outcome="sent"} 1"#,
                r#"incident_like_jobs{state="waiting"} 0"#,
                "incident_like_lookup_seconds_count 2",
            ] {
                assert!(figures.contains(line), "{line}: {figures}");
            }
        },
    );
}

#[test]
fn feedback_is_noted_for_one_person_and_taken_back() {
    run(
        TestApp::with_channel(Channel::joined("C1", "ops")),
        async |app| {
            let button = Button {
                action: Action::Helpful {
                    case: "IL-9001".parse().expect("a valid id"),
                },
                text: LIBRARY.about(&LIBRARY.extract(QUESTION)),
                lang: Lang::En,
            };
            let payload = json!({
                "type": "block_actions", "user": {"id": "U0ASKER"}, "team": {"id": "T0TEAM"},
                "channel": {"id": "C1"}, "response_url": app.slack.response_url(),
                "actions": [{"action_id": button.action_id(), "value": button.value(), "type": "button"}],
            });
            for (said, helpful) in [("noted", 1), ("Taken back", 0), ("noted", 1)] {
                app.interact(&payload).await.empty_ok();
                let told = app.message().await;
                assert!(told.text.contains(said), "{told:?}");
                let all = feedback(app, &button.text).await;
                assert_eq!(all, helpful);
            }
        },
    );
}

/// Returns how many people found the case helpful for a kind of question.
async fn feedback(app: &Running, about: &str) -> u32 {
    let all = app.worker.store().all_feedback("T0TEAM").await;
    let all = all.expect("the store works");
    all.iter()
        .filter(|(asked, case, _)| asked == about && case == "IL-9001")
        .map(|(_, _, tally)| tally.helpful)
        .sum()
}
