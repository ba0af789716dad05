//! What people set for channels and for the workspace: who may, what comes first, and what it does.

use std::path::Path;

use incident_like::{library::Lookup, slack::setting::Sure};
use serde_json::{Value, json};

use crate::harness::{
    Audience, Channel, Fault, LIBRARY, Posted, Running, TEAM, TestApp, channel_created, message,
    missing, run,
};

const ADMIN: &str = "U0ADMIN";
const SLOW_DISK: &str = "Slow disk stalls etcd";
const TELLING: &str =
    "etcdserver: request timed out, kubectl hangs, the Kubernetes API server times out";

fn setup(channels: Vec<Channel>) -> TestApp {
    TestApp {
        channels,
        admins: vec![ADMIN],
        ..TestApp::default()
    }
}

fn telling(id: &'static str, name: &str) -> Channel {
    let mut channel = Channel::public(id, name);
    TELLING.clone_into(&mut channel.topic);
    channel
}

async fn admin(app: &Running, text: &str) -> String {
    let typed = app.slash_as(ADMIN, ("C0HERE", "general"), text).await;
    typed.ephemeral()
}

async fn created(app: &Running, id: &str, channel: &str, name: &str) {
    app.event(id, channel_created(channel, name))
        .await
        .empty_ok();
}

async fn opened(app: &mut Running, id: &str, user: &str) -> Value {
    let event = json!({"type": "app_home_opened", "user": user, "channel": "D0HOME", "tab": "home", "event_ts": "1.2"});
    app.event(id, event).await.empty_ok();
    app.act().await.fields["view"].clone()
}

/// A change in a menu of somebody's home.
fn chosen(user: &str, name: &str, action: &Value) -> Value {
    let mut action = action.clone();
    action["action_id"] = json!(format!("precedent_set_{name}"));
    action["block_id"] = action["action_id"].clone();
    json!({
        "type": "block_actions", "team": {"id": TEAM}, "user": {"id": user, "team_id": TEAM}, "enterprise": null,
        "container": {"type": "view", "view_id": "V0HOME"}, "trigger_id": "1.2.3",
        "view": {"id": "V0HOME", "type": "home", "hash": "h"}, "actions": [action],
    })
}

#[test]
fn only_admins_set_the_workspace_and_others_are_told_kindly() {
    run(setup(Vec::new()), async |app| {
        let refused = app.slash("settings workspace ask").await.ephemeral();
        assert!(
            refused.contains("Only admins and owners") && refused.contains("left it as it is"),
            "{refused}"
        );
        assert!(refused.contains("I speak: `on: "), "{refused}");
        let saved = admin(app, "settings workspace ask").await;
        assert!(saved.contains("✓ Saved"), "{saved}");
        assert!(
            saved.contains("I speak: `ask: only when asked` (set for the workspace)"),
            "{saved}"
        );
        // The channel comes first, whoever sets it; and everything says where it comes from.
        let own = app.slash("settings on").await.ephemeral();
        assert!(own.contains("(set for this channel)"), "{own}");
        assert!(
            own.contains("Incident channels are called: `inc-*, incident-*, sev*-*, 장애-*` (as the service is configured)"),
            "{own}"
        );
        let again = app.slash("settings auto").await.ephemeral();
        assert!(
            again.contains("`ask: only when asked` (set for the workspace)"),
            "{again}"
        );
    });
}

#[test]
fn not_knowing_who_is_an_admin_changes_nothing() {
    run(TestApp::default(), async |app| {
        let unknown = admin(app, "settings workspace off").await;
        assert!(
            unknown.contains("cannot see right now who is one"),
            "{unknown}"
        );
        assert!(unknown.contains("`on: "), "{unknown}");
    });
    run(setup(Vec::new()), async |app| {
        // Their language is learnt first.
        admin(app, "settings").await;
        app.settle().await;
        for _ in 0..4 {
            app.slack.fail("users.info", Fault::Status(500));
        }
        let unknown = admin(app, "settings workspace off").await;
        assert!(unknown.contains("left it as it is"), "{unknown}");
        assert!(unknown.contains("`on: "), "{unknown}");
    });
}

#[test]
fn what_a_workspace_sets_holds_in_all_channels_that_say_nothing_else() {
    let channels = vec![telling("C1", "inc-1-api"), telling("C2", "inc-2-api")];
    run(setup(channels), async |app| {
        admin(app, "settings workspace ask").await;
        app.slash_in("C2", "inc-2-api", "settings on")
            .await
            .ephemeral();
        created(app, "Ev1", "C1", "inc-1-api").await;
        app.silent().await;
        created(app, "Ev2", "C2", "inc-2-api").await;
        let suggestion = app.message().await;
        assert_eq!(suggestion.to, Audience::Channel("C2".to_owned()));
    });
}

#[test]
fn a_workspace_names_its_incident_channels() {
    let channels = vec![telling("C1", "inc-1-api"), telling("C2", "outage-2-api")];
    run(setup(channels), async |app| {
        let wrong = admin(app, "settings workspace patterns <!channel>").await;
        assert!(!wrong.contains("Saved"), "{wrong}");
        let set = admin(app, "settings workspace patterns outage-*, war-*").await;
        assert!(
            set.contains("`outage-*, war-*` (set for the workspace)"),
            "{set}"
        );
        created(app, "Ev1", "C1", "inc-1-api").await;
        app.silent().await;
        created(app, "Ev2", "C2", "outage-2-api").await;
        let suggestion = app.message().await;
        assert_eq!(suggestion.to, Audience::Channel("C2".to_owned()));
        admin(app, "settings workspace patterns auto").await;
        created(app, "Ev3", "C1", "inc-1-api").await;
        assert_eq!(app.message().await.to, Audience::Channel("C1".to_owned()));
    });
}

#[test]
fn a_workspace_chooses_the_language_of_what_everybody_reads() {
    run(setup(vec![telling("C1", "inc-1-api")]), async |app| {
        admin(app, "settings workspace lang ko").await;
        created(app, "Ev1", "C1", "inc-1-api").await;
        let suggestion = app.message().await;
        assert!(suggestion.text.contains("비슷한 장애"), "{suggestion:?}");
    });
}

/// Finds a text of which the library is so sure, by adding words that say nothing to one of which it is surer.
fn text_between(least: f32, most: f32) -> String {
    let bases = [
        "kubectl hangs since the upgrade",
        "pods restart and dns fails for some",
        "kubectl is slow for everybody",
        "kubernetes api slow, pods pending",
        "redis is slow and pods restart",
        "timeouts everywhere since the deploy",
        "the api is slow",
        "etcd looks odd, some requests are slow",
        "dns errors after deploy, kubectl hangs",
        "some requests fail, etcd is slow",
    ];
    let filler = "lunch today garden blue window bicycle orange paper";
    let filler: Vec<&str> = filler.split(' ').collect();
    let mut texts = bases.iter().flat_map(|base| {
        let starts =
            (0..filler.len()).flat_map(|from| (from..=filler.len()).map(move |to| (from, to)));
        let filler = &filler;
        starts.map(move |(from, to)| format!("{base} {}", filler[from..to].join(" ")))
    });
    let found = texts.find(|text| {
        let confidence = LIBRARY.lookup(&Lookup::new(text)).confidence;
        (least..most).contains(&confidence)
    });
    found.expect("such a text")
}

#[test]
fn how_sure_the_bot_must_be_is_a_matter_of_three_words() {
    let (careful, normal, eager) = (
        Sure::Careful.confidence(),
        Sure::Normal.confidence(),
        Sure::Eager.confidence(),
    );
    let (lower, upper) = (text_between(eager, normal), text_between(normal, careful));
    for (word, text, speaks) in [
        ("careful", &upper, false),
        ("normal", &upper, true),
        ("normal", &lower, false),
        ("eager", &lower, true),
    ] {
        let mut channel = Channel::public("C1", "inc-1");
        channel.messages = vec![message("C1", "1700000000.000100", text)];
        run(setup(vec![channel]), async |app| {
            admin(app, &format!("settings workspace sure {word}")).await;
            created(app, "Ev1", "C1", "inc-1").await;
            let spoke = app.messages().await.len();
            assert_eq!(spoke, usize::from(speaks), "{word}: {text}");
        });
    }
}

fn in_thread(posted: &Posted, parent: &str) {
    assert_eq!(posted.to, Audience::Channel("C1".to_owned()));
    assert_eq!(posted.thread.as_deref(), Some(parent), "{posted:?}");
    assert!(posted.text.contains(SLOW_DISK), "{posted:?}");
}

#[test]
fn in_thread_mode_the_suggestion_stands_under_the_first_message() {
    run(setup(vec![telling("C1", "inc-1-api")]), async |app| {
        admin(app, "settings workspace post thread").await;
        created(app, "Ev1", "C1", "inc-1-api").await;
        // There is nothing yet under which to say it.
        app.silent().await;
        let first = message("C1", "1700000000.000100", "looking");
        app.event("Ev2", first).await.empty_ok();
        in_thread(&app.message().await, "1700000000.000100");
        let other = message("C1", "1700000000.000200", "NXDOMAIN in DNS");
        app.event("Ev3", other).await.empty_ok();
        app.silent().await;
    });
}

/// Runs the service over a folder, twice, so that the second one has only what the first kept.
fn service(folder: &Path, channel: &Channel) -> TestApp {
    TestApp {
        data_dir: Some(folder.to_owned()),
        ..setup(vec![channel.clone()])
    }
}

#[test]
fn in_thread_mode_a_suggestion_is_recognised_after_everything_was_forgotten() {
    let mut channel = telling("C1", "inc-1-api");
    channel.member = true;
    channel.messages = vec![
        message("C1", "1700000000.000100", "looking"),
        json!({
            "type": "message", "user": crate::harness::BOT_USER, "text": "before", "ts": "1700000000.000200",
            "thread_ts": "1700000000.000100",
            "metadata": {"event_type": "precedent_suggestion", "event_payload": {"about": "C1"}},
        }),
    ];
    run(setup(vec![channel]), async |app| {
        admin(app, "settings workspace post thread").await;
        created(app, "Ev1", "C1", "inc-1-api").await;
        app.silent().await;
        assert_eq!(app.slack.calls("conversations.replies"), 1);
    });
}

#[test]
fn a_suggestion_gets_one_bookmark_where_that_is_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let channel = telling("C1", "inc-1-api");
    run(service(folder.path(), &channel), async |app| {
        admin(app, "settings workspace bookmark on").await;
        created(app, "Ev1", "C1", "inc-1-api").await;
        app.message().await;
        let act = app.act().await;
        assert_eq!(act.method, "bookmarks.add");
        assert_eq!(act.fields["channel_id"], "C1");
        assert_eq!(act.fields["title"], "Similar past incidents");
        let link = act.fields["link"].as_str().expect("an address");
        assert!(
            link.starts_with("https://example.slack.com/archives/C1/p1800000000"),
            "{link}"
        );
        let more = message("C1", "1700000000.000200", "still looking");
        app.event("Ev2", more).await.empty_ok();
        app.silent().await;
        assert_eq!(app.slack.calls("bookmarks.add"), 1);
    });
    run(setup(vec![channel]), async |app| {
        created(app, "Ev1", "C1", "inc-1-api").await;
        app.message().await;
        assert_eq!(app.slack.calls("bookmarks.add"), 0);
    });
}

#[test]
fn a_missing_permission_is_told_to_one_admin_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let channels = [telling("C1", "inc-1-api"), telling("C2", "inc-2-api")];
    let told = |posted: &[Posted]| {
        let to_admin = Audience::Channel(ADMIN.to_owned());
        posted.iter().filter(|posted| posted.to == to_admin).count()
    };
    for (at, channel) in channels.iter().enumerate() {
        run(service(folder.path(), channel), async |app| {
            admin(app, "settings workspace bookmark on").await;
            app.slack
                .fail("bookmarks.add", Fault::Refused(missing("bookmarks:write")));
            created(app, &format!("Ev{at}"), channel.id, &channel.name).await;
            let posted = app.messages().await;
            // The suggestion is there all the same.
            assert_eq!(
                (posted.len(), told(&posted)),
                (2 - at, 1 - at),
                "{posted:?}"
            );
            if at == 0 {
                let notice = &posted[1].text;
                assert!(notice.contains("bookmarks:write"), "{notice}");
                assert!(
                    notice.contains("the bookmark of the suggestion"),
                    "{notice}"
                );
            }
            let home = opened(app, &format!("Ev9{at}"), "U0ASKER")
                .await
                .to_string();
            assert!(home.contains("bookmarks:write"), "{home}");
        });
    }
}

#[test]
fn where_no_admin_can_be_told_the_home_says_it() {
    let mut channel = telling("C1", "inc-1-api");
    channel.member = true;
    run(TestApp::with_channel(channel), async |app| {
        app.slack.fail(
            "conversations.history",
            Fault::Refused(missing("channels:history")),
        );
        created(app, "Ev1", "C1", "inc-1-api").await;
        app.message().await;
        assert_eq!(app.slack.calls("users.list"), 1);
        let home = opened(app, "Ev2", "U0ASKER").await.to_string();
        assert!(home.contains("channels:history"), "{home}");
        let settings = app.slash("settings").await.ephemeral();
        assert!(settings.contains("channels:history"), "{settings}");
    });
}

#[test]
fn admins_set_the_workspace_in_their_home_and_others_see_why_they_cannot() {
    run(setup(vec![telling("C1", "inc-1-api")]), async |app| {
        let member = opened(app, "Ev1", "U0ASKER").await.to_string();
        assert!(!member.contains("precedent_set_"), "{member}");
        assert!(member.contains("you are neither"), "{member}");
        let home = opened(app, "Ev2", ADMIN).await.to_string();
        for name in ["voice", "sure", "lang", "post", "bookmark", "patterns"] {
            assert!(home.contains(&format!("precedent_set_{name}")), "{home}");
        }
        let ask = json!({"type": "static_select", "selected_option": {"value": "ask"}});
        app.interact(&chosen(ADMIN, "voice", &ask)).await.empty_ok();
        let shown = app.act().await;
        assert_eq!(shown.method, "views.publish");
        let view = &shown.fields["view"];
        assert!(view.to_string().contains("✓ Saved"), "{view}");
        let menu = view["blocks"].as_array().and_then(|blocks| {
            blocks
                .iter()
                .find(|block| block["block_id"] == "precedent_set_voice")
        });
        let menu = menu.expect("the menu");
        assert_eq!(menu["element"]["initial_option"]["value"], "ask");
        let wrong = json!({"type": "plain_text_input", "value": "<!channel>"});
        app.interact(&chosen(ADMIN, "patterns", &wrong))
            .await
            .empty_ok();
        let shown = app.act().await.fields["view"].to_string();
        assert!(shown.contains("I did not understand that"), "{shown}");
        // Whoever makes up a press is refused.
        let off = json!({"type": "static_select", "selected_option": {"value": "off"}});
        app.interact(&chosen("U0ASKER", "voice", &off))
            .await
            .empty_ok();
        let shown = app.act().await.fields["view"].to_string();
        assert!(shown.contains("left it as it is"), "{shown}");
        created(app, "Ev3", "C1", "inc-1-api").await;
        app.silent().await;
    });
}
