//! What has gone wrong in bots of this kind, done to this one. `tests/known_bugs.md` lists all of it with its tests, most
//! of which stand beside their part of the service; here is the rest.

use std::{fs, path::Path};

use incident_like::{
    corpus::{Lang, Source},
    slack::action::{Action, Button},
};
use serde_json::{Value, json};

use crate::{
    fuzz_targets::sound,
    harness::{
        Answered, Audience, Channel, Fault, Posted, TEAM, TestApp, changed, channel_created,
        envelope, mention, message, run,
    },
};

const TS: &str = "1700000000.000100";
const QUESTION: &str = "etcd timeouts, kubectl hangs";
const SLOW_DISK: &str = "Slow disk stalls etcd";

/// What people and attackers write that Slack would obey.
const INJECTED: [&str; 7] = [
    "<!channel> <!here> <!everyone> etcd timeouts",
    "<@U0VICTIM> <!subteam^S1|@oncall> <#C1|general> etcd timeouts",
    "<https://evil.example/login|click to see> etcd timeouts",
    "` *bold* `etcd` ```timeouts``` _a_ ~b~ > quote",
    "&lt;!channel&gt; &amp;lt;!here&amp;gt; etcd timeouts",
    "et\u{200b}cd \u{202e}stuoemit\u{202c} \u{2066}etcd timeouts\u{2069}\u{feff}",
    "javascript:alert(1) mailto:a@b tel:112 etcd timeouts",
];

fn setup() -> TestApp {
    TestApp::with_channel(Channel::joined("C1", "ops"))
}

fn check_answer(answer: &Answered) -> Value {
    let message: Value = serde_json::from_str(&answer.body).expect("a JSON message");
    sound::check_parts(
        &message["blocks"],
        message["text"].as_str().expect("a text"),
        None,
    );
    message
}

fn check_posted(posted: &Posted, sharer: Option<&str>) {
    sound::check_parts(&posted.blocks.clone().into(), &posted.text, sharer);
}

#[test]
fn nothing_that_is_typed_or_read_is_obeyed() {
    run(setup(), async |app| {
        for (at, text) in INJECTED.into_iter().enumerate() {
            let form = [
                ("command", "/incident-like"),
                ("text", text),
                ("channel_id", "C1"),
                ("channel_name", text),
                ("user_id", &format!("U0ASKER{at}")),
                ("team_id", TEAM),
                ("response_url", &app.slack.response_url()),
            ];
            let asked = crate::harness::form(&form);
            check_answer(&app.post("/slack/commands", asked).await);

            let ts = format!("1700000000.0001{at:02}");
            app.event(&format!("Ev{at}"), mention("C1", &ts, text))
                .await
                .empty_ok();
            check_posted(&app.message().await, None);

            let shared = Button {
                action: Action::Share {
                    case: "IL-9001".parse().expect("an id"),
                },
                text: text.to_owned(),
                lang: Lang::Ko,
            };
            let press = json!({
                "type": "block_actions", "team": {"id": TEAM}, "channel": {"id": "C1"},
                "user": {"id": "U0SHARER", "team_id": TEAM}, "response_url": app.slack.response_url(),
                "container": {"type": "message", "message_ts": format!("17{at}.1"), "channel_id": "C1", "is_ephemeral": true},
                "actions": [{"type": "button", "action_id": shared.action_id(), "value": shared.value()}],
            });
            app.interact(&press).await.empty_ok();
            for posted in app.messages().await {
                check_posted(&posted, Some("U0SHARER"));
            }
        }
    });
}

#[test]
fn an_incident_channel_can_be_named_and_described_by_anybody() {
    for text in INJECTED {
        let mut channel = Channel::public("C1", &format!("inc-{text}"));
        channel.topic = format!("{text} etcdserver: request timed out, kubectl hangs");
        channel.purpose = text.to_owned();
        run(TestApp::with_channel(channel), async |app| {
            app.event("Ev1", channel_created("C1", &format!("inc-{text}")))
                .await
                .empty_ok();
            app.event(
                "Ev2",
                message(
                    "C1",
                    TS,
                    &format!("{text} the Kubernetes API server times out"),
                ),
            )
            .await
            .empty_ok();
            for posted in app.messages().await {
                check_posted(&posted, None);
            }
            for act in app.slack.take_acts() {
                assert_eq!(act.method, "chat.update");
                let text = act.fields["text"].as_str().expect("a text");
                sound::check_parts(&act.fields["blocks"], text, None);
            }
        });
    }
}

#[test]
fn an_event_delivered_again_after_a_restart_is_not_answered_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = |folder: &Path| TestApp {
        data_dir: Some(folder.to_owned()),
        ..setup()
    };
    run(kept(folder.path()), async |app| {
        app.event("Ev1", mention("C1", TS, QUESTION))
            .await
            .empty_ok();
        app.message().await;
    });
    run(kept(folder.path()), async |app| {
        // Slack's third try comes five minutes later, whatever has happened to the process since.
        app.event("Ev1", mention("C1", TS, QUESTION))
            .await
            .empty_ok();
        // The same message under another id too.
        app.event("Ev2", mention("C1", TS, QUESTION))
            .await
            .empty_ok();
        app.silent().await;
    });
}

#[test]
fn a_command_where_the_bot_is_no_member_needs_no_channel() {
    let setup = TestApp::default();
    let slow = TestApp {
        tuning: incident_like::app::Tuning {
            deadline: std::time::Duration::from_millis(20),
            ..setup.tuning
        },
        ..setup
    };
    run(slow, async |app| {
        // A direct message between two people, a group, a private channel: Slack gives the bot no name and no access.
        for (channel, name) in [
            ("D0PEOPLE", "directmessage"),
            ("G0GROUP", "mpdm-a--b--c-1"),
            ("C0PRIVATE", "privategroup"),
        ] {
            let held = app.hold_lookups();
            app.slash_in(channel, name, QUESTION).await.ephemeral();
            drop(held);
            let answer = app.message().await;
            assert_eq!(answer.to, Audience::ResponseUrl { in_channel: false });
            assert!(answer.text.contains(SLOW_DISK), "{answer:?}");
        }
        for method in ["chat.postMessage", "chat.postEphemeral"] {
            assert_eq!(app.slack.calls(method), 0, "{method}");
        }
    });
}

#[test]
fn a_missing_scope_is_met_once_and_asked_for_no_more() {
    run(setup(), async |app| {
        let refused = json!({"ok": false, "error": "missing_scope", "needed": "chat:write", "provided": "commands"});
        app.slack.fail("chat.postMessage", Fault::Refused(refused));
        app.event("Ev1", mention("C1", TS, QUESTION))
            .await
            .empty_ok();
        app.messages().await;
        assert_eq!(app.slack.calls("chat.postMessage"), 1);
        // What needs no scope goes on.
        assert!(app.slash(QUESTION).await.ephemeral().contains(SLOW_DISK));
    });
}

#[test]
fn links_of_ours_survive_what_stands_in_an_address() {
    let address = "https://a.example/x?a=1&b=2|3&c=<4>#d";
    let sourced = changed(|case| {
        case.sources = vec![Source {
            url: address.to_owned(),
            title: Some("R&D | <Post> mortem".to_owned()),
            ..case.sources[0].clone()
        }];
    });
    let setup = TestApp {
        library: Some(sourced),
        ..TestApp::default()
    };
    run(setup, async |app| {
        let message = check_answer(&app.slash("IL-9001").await);
        let mut urls = Vec::new();
        links(&message["blocks"], &mut urls);
        // In blocks an address is itself; only the fallback is markup.
        let whole = "https://a.example/x?a=1&b=2|3&c=%3C4%3E#d";
        assert!(urls.iter().any(|url| url == whole), "{urls:?}");
        let text = message["text"].as_str().expect("a text");
        assert!(!text.contains("&amp;amp;"), "{text}");
    });
}

/// Collects the addresses of links.
fn links(value: &Value, urls: &mut Vec<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| links(value, urls)),
        Value::Object(fields) => {
            if fields.get("type").is_some_and(|kind| kind == "link") {
                urls.push(fields["url"].as_str().expect("an address").to_owned());
            }
            fields.values().for_each(|value| links(value, urls));
        }
        _ => {}
    }
}

#[test]
fn what_slack_invents_next_takes_nothing_away() {
    run(setup(), async |app| {
        let mut asked = mention("C1", TS, QUESTION);
        asked["blocks"] = json!([
            {"type": "hologram", "text": {"type": "smell", "text": "x"}, "depth": 3},
            {"type": "rich_text", "elements": [{"type": "rich_text_table", "elements": [{"type": "sparkle", "intensity": {}}]}]},
            7, null, [],
        ]);
        asked["attachments"] =
            json!([{"id": "not a number", "fields": [{"value": 5}, null], "blocks": "none"}]);
        asked["metadata"] = json!({"event_type": 1, "event_payload": {"n": 1, "o": {"a": [true]}}});
        asked["files"] = json!("later");
        asked["edited"] = json!(["twice"]);
        app.event("Ev1", asked).await.empty_ok();
        let answer = app.message().await;
        assert!(answer.text.contains(SLOW_DISK), "{answer:?}");
        let mut odd = envelope(
            "Ev2",
            json!({"type": "message", "subtype": "telepathy", "channel": "C1", "ts": "1.1", "text": QUESTION}),
        );
        odd["authorizations"] = json!("none");
        odd["event_context"] = json!(null);
        app.envelope(odd).await.empty_ok();
        app.silent().await;
    });
}

#[test]
fn every_known_bug_has_its_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = fs::read_to_string(root.join("tests/known_bugs.md")).expect("the list is there");
    let rows: Vec<Vec<&str>> = list
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| ---"))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .skip(1)
        .collect();
    assert!(rows.len() >= 20, "{} rows", rows.len());
    for row in rows {
        let [bug, sources, tests] = row[..] else {
            panic!("three columns: {row:?}");
        };
        assert!(!bug.is_empty() && !sources.is_empty(), "{row:?}");
        let names: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "no test: {bug}");
        for name in names {
            assert!(is_test(root, name), "`{name}` is no test: {bug}");
        }
    }
}

/// Returns whether there is a test of this name: `module::name` of the whole service, or a path within the library.
fn is_test(root: &Path, path: &str) -> bool {
    let (module, name) = path.rsplit_once("::").expect("a module and a name");
    let parts: Vec<&str> = module.split("::").collect();
    let module = module.replace("::", "/");
    let beside = parts[..parts.len() - 1].join("/");
    let places = [
        format!("tests/it/{module}.rs"),
        format!("src/{module}.rs"),
        // Tests beside the code stand in its file.
        format!("src/{beside}.rs"),
    ];
    places.iter().any(|place| {
        let text = fs::read_to_string(root.join(place)).unwrap_or_default();
        let made = text.contains("replays!(") && text.contains("#[test]") && {
            let list = text.rsplit("replays!(").next().unwrap_or_default();
            list.split([',', ')']).any(|target| target.trim() == name)
        };
        made || text.split("#[test]").skip(1).any(|after| {
            let header = after.split('{').next().unwrap_or_default();
            header.contains(&format!("fn {name}("))
        })
    })
}
