//! Many workspaces: how they install the app, that each is answered with its own token and no other's, and how they leave.

use std::{fs, path::Path};

use futures::future::join_all;
use incident_like::app::{App, Tuning, install_crypto_provider};
use serde_json::{Value, json};

use crate::harness::{
    Answered, Audience, Channel, Consent, Fault, Running, TestApp, channel_created, envelope, form,
    library, mention, message, parse_url, run, serve_config, several_workspaces, unix_now,
};

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const OTHER_KEY: &str = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
const QUESTION: &str = "etcd timeouts, kubectl hangs";
const TELLING: &str =
    "etcdserver: request timed out, kubectl hangs, the Kubernetes API server times out";

const ONE: Consent = Consent {
    enterprise: None,
    team: Some("T1ONE"),
    name: "One",
    bot: "U0BOT",
    expires_in: None,
};
const TWO: Consent = Consent {
    team: Some("T2TWO"),
    name: "Two",
    bot: "U2BOT",
    ..ONE
};
const ORG: Consent = Consent {
    enterprise: Some("E1ORG"),
    team: None,
    name: "Organisation",
    ..ONE
};
const EXPIRED: Consent = Consent {
    expires_in: Some(0),
    ..ONE
};

fn setup(folder: &Path) -> TestApp {
    TestApp {
        channels: vec![
            Channel::joined("C1", "inc-0412-api"),
            Channel::joined("C2", "inc-0413-web"),
        ],
        data_dir: Some(folder.to_owned()),
        token_keys: vec![KEY],
        ..TestApp::default()
    }
}

/// Runs a test in a folder of its own, with a channel in each of two workspaces.
fn check(test: impl AsyncFnOnce(&mut Running, &Path)) {
    let folder = tempfile::tempdir().expect("a folder");
    run(setup(folder.path()), async |app| {
        app.slack.belongs("C1", "T1ONE");
        app.slack.belongs("C2", "T2TWO");
        test(app, folder.path()).await;
    });
}

/// A browser that follows nothing by itself.
fn browser() -> reqwest::Client {
    let browser = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    browser.build().expect("a client")
}

/// An install that was begun: Slack's word and the browser's cookie.
struct Begun {
    state: String,
    cookie: String,
}

async fn begin(app: &Running) -> Begun {
    let asked = browser().get(format!("{}/slack/install", app.address));
    let response = asked.send().await.expect("the service answers");
    assert_eq!(response.status(), 303);
    let header = |name: &str| {
        let value = response.headers().get(name).expect("the header is there");
        value.to_str().expect("text").to_owned()
    };
    let to = parse_url(&header("location"));
    assert_eq!(to.path(), "/oauth/v2/authorize");
    let query: std::collections::HashMap<_, _> = to.query_pairs().into_owned().collect();
    assert_eq!(query["client_id"], "123.456");
    assert!(query["scope"].split(',').any(|scope| scope == "chat:write"));
    assert_eq!(
        query["redirect_uri"],
        "https://bot.example.com/il/slack/oauth_redirect"
    );
    let set = header("set-cookie");
    let (cookie, attributes) = set.split_once(';').expect("attributes");
    assert!(cookie.starts_with("__Host-"), "{set}");
    for attribute in [
        "Path=/",
        "HttpOnly",
        "SameSite=Lax",
        "Secure",
        "Max-Age=600",
    ] {
        assert!(
            attributes.split("; ").any(|own| own.trim() == attribute),
            "{set}"
        );
    }
    Begun {
        state: query["state"].clone(),
        cookie: cookie.to_owned(),
    }
}

async fn back(app: &Running, query: &[(&str, &str)], cookie: Option<&str>, lang: &str) -> Answered {
    let mut request = browser()
        .get(format!(
            "{}/slack/oauth_redirect?{}",
            app.address,
            form(query)
        ))
        .header("accept-language", lang);
    if let Some(cookie) = cookie {
        request = request.header("cookie", format!("theme=dark; {cookie}"));
    }
    crate::harness::answered(request).await
}

async fn install(app: &Running, consent: Consent) -> Answered {
    let begun = begin(app).await;
    let code = format!("code-{}", begun.state);
    app.slack.consent(&code, consent);
    let query = [("state", begun.state.as_str()), ("code", &code)];
    let answer = back(app, &query, Some(&begun.cookie), "en").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer
}

fn event_of(enterprise: Option<&str>, team: Option<&str>, id: &str, event: Value) -> Value {
    let mut envelope = envelope(id, event);
    envelope["team_id"] = json!(team);
    envelope["enterprise_id"] = json!(enterprise);
    envelope["authorizations"] = json!([{"enterprise_id": enterprise, "team_id": team, "user_id": "U0BOT",
        "is_bot": true, "is_enterprise_install": team.is_none()}]);
    envelope["event_time"] = json!(unix_now());
    envelope
}

async fn ask(app: &Running, team: &str, channel: &str, ts: &str) {
    let event = event_of(
        None,
        Some(team),
        &format!("Ev{ts}"),
        mention(channel, ts, QUESTION),
    );
    app.envelope(event).await.empty_ok();
}

async fn slash(app: &Running, team: &str, text: &str) -> Answered {
    let fields = [
        ("team_id", team),
        ("channel_id", "C1"),
        ("channel_name", "general"),
        ("user_id", "U0ASKER"),
        ("command", "/incident-like"),
        ("text", text),
        ("response_url", &app.slack.response_url()),
    ];
    app.post("/slack/commands", form(&fields)).await
}

/// Tells that the app was taken away, or its token, so many seconds from now.
async fn end(
    app: &Running,
    kind: &str,
    (enterprise, team): (Option<&str>, Option<&str>),
    after: i64,
) {
    let event = match kind {
        "tokens_revoked" => json!({"type": kind, "tokens": {"oauth": [], "bot": ["U0BOT"]}}),
        kind => json!({"type": kind}),
    };
    let mut envelope = event_of(enterprise, team, &format!("Ev-{kind}-{after}"), event);
    let now = i64::try_from(unix_now()).expect("a moment");
    envelope["event_time"] = json!(now + after);
    app.envelope(envelope).await.empty_ok();
}

/// Changes the database behind the service's back.
fn execute(folder: &Path, sql: &str) -> usize {
    let database = folder.join("incident-like.sqlite3");
    let connection = rusqlite::Connection::open(database).expect("it opens");
    connection
        .busy_timeout(std::time::Duration::from_secs(5))
        .expect("it waits");
    connection.execute(sql, []).expect("it works")
}

fn count(folder: &Path, sql: &str) -> i64 {
    let database = folder.join("incident-like.sqlite3");
    let connection = rusqlite::Connection::open(database).expect("it opens");
    connection
        .query_row(sql, [], |row| row.get(0))
        .expect("it works")
}

#[test]
fn each_workspace_is_answered_with_its_own_token() {
    check(async |app, _| {
        install(app, ONE).await;
        install(app, TWO).await;
        // The fake refuses a call about a channel with the token of another workspace.
        for (team, channel, ts) in [
            ("T1ONE", "C1", "1700000000.000100"),
            ("T2TWO", "C2", "1700000000.000200"),
            ("T1ONE", "C1", "1700000000.000300"),
        ] {
            ask(app, team, channel, ts).await;
            let answer = app.message().await;
            assert_eq!(answer.to, Audience::Channel(channel.to_owned()));
        }
        for (id, event) in [
            ("Ev1", channel_created("C2", "inc-0413-web")),
            ("Ev2", message("C2", "1700000000.000400", TELLING)),
        ] {
            let event = event_of(None, Some("T2TWO"), id, event);
            app.envelope(event).await.empty_ok();
        }
        let suggestion = app.message().await;
        assert_eq!(suggestion.to, Audience::Channel("C2".to_owned()));
        // Each knows its own bot: this is what the second one wrote itself.
        let mut own = message("C2", "1700000000.000500", TELLING);
        own["user"] = json!("U2BOT");
        let event = event_of(None, Some("T2TWO"), "Ev3", own);
        app.envelope(event).await.empty_ok();
        app.silent().await;
        assert!(
            slash(app, "T1ONE", QUESTION)
                .await
                .ephemeral()
                .contains("etcd")
        );
    });
}

#[test]
fn a_workspace_without_the_app_is_refused_kindly_and_its_events_are_dropped() {
    check(async |app, _| {
        install(app, ONE).await;
        let refusal = slash(app, "T3NONE", QUESTION).await.ephemeral();
        assert!(refusal.contains("not installed"), "{refusal}");
        let refusal = slash(app, "T3NONE", "노드가 죽었어요").await.ephemeral();
        assert!(refusal.contains("설치"), "{refusal}");
        let calls = app.slack.all_calls();
        ask(app, "T3NONE", "C1", "1700000000.000100").await;
        app.silent().await;
        assert_eq!(app.slack.all_calls(), calls);
        let shortcut = json!({"type": "message_action", "callback_id": "find_similar", "team": {"id": "T3NONE"},
            "user": {"id": "U1", "team_id": "T3NONE"}, "channel": {"id": "C1"}, "message": {"text": QUESTION},
            "response_url": app.slack.response_url()});
        app.interact(&shortcut).await.empty_ok();
        let refusal = app.message().await;
        assert!(refusal.text.contains("not installed"), "{}", refusal.text);
    });
}

#[test]
fn an_install_ends_once_in_the_browser_that_began_it() {
    check(async |app, folder| {
        let begun = begin(app).await;
        app.slack.consent("code-1", ONE);
        let query = [("state", begun.state.as_str()), ("code", "code-1")];
        let stranger = begin(app).await;
        for cookie in [
            None,
            Some(stranger.cookie.as_str()),
            Some("__Host-incident_like_install="),
        ] {
            let answer = back(app, &query, cookie, "en").await;
            assert_eq!(answer.status, 400, "{}", answer.body);
            assert!(answer.body.contains("begin again"), "{}", answer.body);
        }
        let foreign = [("state", stranger.state.as_str()), ("code", "code-1")];
        assert_eq!(
            back(app, &foreign, Some(&begun.cookie), "en").await.status,
            400
        );
        let done = back(app, &query, Some(&begun.cookie), "en").await;
        assert_eq!(done.status, 200, "{}", done.body);
        assert!(done.body.contains("is installed") && done.body.contains("One"));
        let again = back(app, &query, Some(&begun.cookie), "ko,en;q=0.5").await;
        assert_eq!(again.status, 400);
        assert!(again.body.contains("처음부터"), "{}", again.body);
        // One exchange in all: the rest never got that far.
        assert_eq!(app.slack.calls("oauth.v2.access"), 1);

        let late = begin(app).await;
        execute(folder, "UPDATE begun_installs SET until = 1");
        app.slack.consent("code-2", ONE);
        let query = [("state", late.state.as_str()), ("code", "code-2")];
        assert_eq!(
            back(app, &query, Some(&late.cookie), "en").await.status,
            400
        );
        assert_eq!(app.slack.calls("oauth.v2.access"), 1);
    });
}

#[test]
fn whoever_says_no_is_told_that_nothing_changed() {
    check(async |app, folder| {
        let begun = begin(app).await;
        let query = [("state", begun.state.as_str()), ("error", "access_denied")];
        let answer = back(app, &query, Some(&begun.cookie), "ko").await;
        assert_eq!(answer.status, 200);
        assert!(
            answer.body.contains("설치하지 않았습니다"),
            "{}",
            answer.body
        );
        assert_eq!(count(folder, "SELECT count(*) FROM installations"), 0);
        // What Slack does not know any more is begun again; what it does not accept is said in the log.
        let begun = begin(app).await;
        let query = [("state", begun.state.as_str()), ("code", "unknown")];
        assert_eq!(
            back(app, &query, Some(&begun.cookie), "en").await.status,
            400
        );
        for (error, status) in [("bad_client_secret", 502), ("internal_error", 503)] {
            let refused = Fault::Refused(json!({"ok": false, "error": error}));
            app.slack.fail("oauth.v2.access", refused);
            let begun = begin(app).await;
            let query = [("state", begun.state.as_str()), ("code", "x")];
            let answer = back(app, &query, Some(&begun.cookie), "en").await;
            assert_eq!(answer.status, status, "{}", answer.body);
        }
    });
}

#[test]
fn a_workspaces_name_is_shown_as_text() {
    check(async |app, _| {
        let named = Consent {
            name: "<script>alert(1)</script>",
            ..ONE
        };
        let answer = install(app, named).await;
        assert!(!answer.body.contains("<script>"), "{}", answer.body);
    });
}

#[test]
fn an_organisation_installs_for_all_of_its_workspaces() {
    check(async |app, folder| {
        app.slack.belongs("C1", "E1ORG");
        install(app, ORG).await;
        let mut event = event_of(
            Some("E1ORG"),
            None,
            "Ev1",
            mention("C1", "1700000000.000100", QUESTION),
        );
        event["team_id"] = json!("T7");
        app.envelope(event).await.empty_ok();
        app.message().await;
        // Slack names nobody but the organisation.
        let event = event_of(
            Some("E1ORG"),
            None,
            "Ev2",
            mention("C1", "1700000000.000200", QUESTION),
        );
        app.envelope(event).await.empty_ok();
        app.message().await;
        let text = slash(app, "T7", "settings ask").await.ephemeral();
        assert!(!text.contains("not installed"), "{text}");
        assert_eq!(
            count(folder, "SELECT count(*) FROM settings WHERE team = 'T7'"),
            1
        );
        // A workspace with an install of its own, even in the same organisation, is served by that one.
        app.slack.belongs("C2", "T2TWO");
        let own = Consent {
            enterprise: Some("E1ORG"),
            ..TWO
        };
        install(app, own).await;
        let event = event_of(
            Some("E1ORG"),
            Some("T2TWO"),
            "Ev3",
            mention("C2", "1700000000.000300", QUESTION),
        );
        app.envelope(event).await.empty_ok();
        app.message().await;
        // An event of the organisation's install may name that workspace all the same.
        let mut event = event_of(
            Some("E1ORG"),
            None,
            "Ev4",
            mention("C1", "1700000000.000400", QUESTION),
        );
        event["team_id"] = json!("T2TWO");
        app.envelope(event).await.empty_ok();
        app.message().await;
        end(app, "app_uninstalled", (Some("E1ORG"), None), 1).await;
        assert_eq!(count(folder, "SELECT count(*) FROM settings"), 0);
        assert_eq!(count(folder, "SELECT count(*) FROM installations"), 1);
        assert!(
            slash(app, "T7", QUESTION)
                .await
                .ephemeral()
                .contains("not installed")
        );
        assert!(
            slash(app, "T2TWO", QUESTION)
                .await
                .ephemeral()
                .contains("etcd")
        );
    });
}

#[test]
fn an_expired_token_is_renewed_once_for_all_who_need_it() {
    check(async |app, _| {
        install(app, EXPIRED).await;
        let asked = (0..8).map(|at| {
            let ts = format!("1700000000.00{at}100");
            let app = &*app;
            async move { ask(app, "T1ONE", "C1", &ts).await }
        });
        join_all(asked).await;
        assert_eq!(app.messages().await.len(), 8);
        assert_eq!(
            app.slack.calls("oauth.v2.access"),
            2,
            "the install and one renewal"
        );
    });
}

#[test]
fn a_token_works_until_the_next_one_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let hours = Consent {
        expires_in: Some(43_200),
        ..ONE
    };
    run(setup(folder.path()), async |app| {
        app.slack.belongs("C1", "T1ONE");
        install(app, hours).await;
        execute(folder.path(), "UPDATE installations SET renew = 1");
        app.slack
            .fail("oauth.v2.access", Fault::Hangs { done: false });
        ask(app, "T1ONE", "C1", "1700000000.000100").await;
        app.message().await;
        // Nobody tries again at once.
        ask(app, "T1ONE", "C1", "1700000000.000200").await;
        app.message().await;
        assert_eq!(app.slack.calls("oauth.v2.access"), 2);
        execute(folder.path(), "UPDATE installations SET renewing = 1");
        ask(app, "T1ONE", "C1", "1700000000.000300").await;
        app.message().await;
        assert_eq!(app.slack.calls("oauth.v2.access"), 3);
        assert_eq!(
            count(
                folder.path(),
                "SELECT count(*) FROM installations WHERE renew > 1"
            ),
            1
        );
    });
}

#[test]
fn a_refused_renewal_ends_the_work_there_until_somebody_installs_again() {
    check(async |app, folder| {
        install(app, EXPIRED).await;
        let refused = Fault::Refused(json!({"ok": false, "error": "invalid_refresh_token"}));
        app.slack.fail("oauth.v2.access", refused);
        for ts in ["1700000000.000100", "1700000000.000200"] {
            ask(app, "T1ONE", "C1", ts).await;
            app.silent().await;
        }
        assert_eq!(app.slack.calls("oauth.v2.access"), 2);
        let broken =
            "SELECT count(*) FROM installations WHERE broken IS NOT NULL AND token IS NULL";
        assert_eq!(count(folder, broken), 1);
        // Commands need no token.
        assert!(
            slash(app, "T1ONE", QUESTION)
                .await
                .ephemeral()
                .contains("etcd")
        );
        install(app, ONE).await;
        ask(app, "T1ONE", "C1", "1700000000.000300").await;
        app.message().await;
    });
}

#[test]
fn our_own_mistake_breaks_no_install() {
    check(async |app, folder| {
        install(app, EXPIRED).await;
        let ours = Fault::Refused(json!({"ok": false, "error": "bad_client_secret"}));
        app.slack.fail("oauth.v2.access", ours);
        ask(app, "T1ONE", "C1", "1700000000.000100").await;
        app.silent().await;
        assert_eq!(
            count(
                folder,
                "SELECT count(*) FROM installations WHERE broken IS NULL"
            ),
            1
        );
    });
}

#[test]
fn a_dead_token_ends_jobs_without_a_storm() {
    check(async |app, folder| {
        install(app, ONE).await;
        install(app, TWO).await;
        app.slack.kill_tokens("T1ONE", "account_inactive");
        let before = app.slack.all_calls();
        ask(app, "T1ONE", "C1", "1700000000.000100").await;
        app.silent().await;
        assert!(
            app.slack.all_calls() <= before + 2,
            "{}",
            app.slack.all_calls()
        );
        let after = app.slack.all_calls();
        ask(app, "T1ONE", "C1", "1700000000.000200").await;
        app.silent().await;
        assert_eq!(app.slack.all_calls(), after);
        let broken = "SELECT count(*) FROM installations WHERE broken = 'account_inactive' AND tenant = 'T1ONE'";
        assert_eq!(count(folder, broken), 1);
        ask(app, "T2TWO", "C2", "1700000000.000300").await;
        app.message().await;
    });
}

#[test]
fn a_workspace_leaves_in_any_order_and_only_once() {
    for order in [
        ["app_uninstalled", "tokens_revoked"],
        ["tokens_revoked", "app_uninstalled"],
    ] {
        check(async |app, folder| {
            install(app, ONE).await;
            install(app, TWO).await;
            for team in ["T1ONE", "T2TWO"] {
                slash(app, team, "settings ask").await.ephemeral();
            }
            let created = channel_created("C1", "inc-0412-api");
            let event = event_of(None, Some("T1ONE"), "Ev1", created);
            app.envelope(event).await.empty_ok();
            app.silent().await;
            let left = (None, Some("T1ONE"));
            for kind in order {
                end(app, kind, left, 1).await;
                end(app, kind, left, 1).await;
            }
            for table in [
                "installations WHERE tenant",
                "settings WHERE team",
                "watches WHERE team",
            ] {
                let of =
                    |team: &str| count(folder, &format!("SELECT count(*) FROM {table} = '{team}'"));
                assert_eq!(of("T1ONE"), 0, "{table}");
                assert!(of("T2TWO") > 0 || table.starts_with("watches"), "{table}");
            }
            ask(app, "T1ONE", "C1", "1700000000.000100").await;
            app.silent().await;
            // The news of that end comes once more, after somebody installed the app again.
            install(app, ONE).await;
            for kind in order {
                end(app, kind, left, -60).await;
            }
            ask(app, "T1ONE", "C1", "1700000000.000200").await;
            app.message().await;
        });
    }
}

#[test]
fn tokens_of_people_that_are_revoked_are_none_of_ours() {
    check(async |app, _| {
        install(app, ONE).await;
        let revoked =
            json!({"type": "tokens_revoked", "tokens": {"oauth": ["U0ADMIN"], "bot": []}});
        let event = event_of(None, Some("T1ONE"), "Ev1", revoked);
        app.envelope(event).await.empty_ok();
        ask(app, "T1ONE", "C1", "1700000000.000100").await;
        app.message().await;
    });
}

fn known(token: &'static str) -> Vec<(&'static str, Consent)> {
    vec![(token, ONE)]
}

#[test]
fn no_token_is_kept_in_clear_and_keys_can_be_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let with = |keys: &[&'static str]| TestApp {
        token_keys: keys.to_vec(),
        tokens: known("xoxb-token-T1ONE-1"),
        ..setup(folder.path())
    };
    let answers = async |app: &mut Running, ts: &str| {
        app.slack.belongs("C1", "T1ONE");
        ask(app, "T1ONE", "C1", ts).await;
        app.message().await;
    };
    let first = TestApp {
        tokens: Vec::new(),
        ..with(&[KEY])
    };
    run(first, async |app| {
        let hours = Consent {
            expires_in: Some(43_200),
            ..ONE
        };
        install(app, hours).await;
        answers(app, "1700000000.000100").await;
        let secrets = app.slack.tokens();
        assert_eq!(secrets.len(), 2);
        for file in fs::read_dir(folder.path()).expect("it can be read") {
            let bytes = fs::read(file.expect("a file").path()).expect("it can be read");
            for secret in &secrets {
                let found = bytes
                    .windows(secret.len())
                    .any(|part| part == secret.as_bytes());
                assert!(!found, "{secret}");
            }
        }
    });
    assert_eq!(
        count(folder.path(), "SELECT count(*) FROM installations"),
        1
    );
    run(with(&[OTHER_KEY, KEY]), async |app| {
        answers(app, "1700000000.000200").await;
    });
    // What the old key sealed was sealed anew.
    run(with(&[OTHER_KEY]), async |app| {
        answers(app, "1700000000.000300").await;
    });
    let error = starts(folder.path(), |config| several_workspaces(config, &[KEY]));
    assert!(error.contains("no given key opens"), "{error}");
}

/// Tries to start the service, which fails.
fn starts(folder: &Path, change: impl FnOnce(&mut incident_like::config::ServeConfig)) -> String {
    install_crypto_provider();
    let url = || parse_url("http://127.0.0.1:9/");
    let mut config = serve_config(url(), url());
    config.slack.bot_token = None;
    config.store.data_dir = Some(folder.to_owned());
    change(&mut config);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let app = runtime.block_on(App::build(&config, &Tuning::DEFAULT, library()));
    format!("{:#}", app.err().expect("it does not start"))
}

#[test]
fn what_is_missing_is_said_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let fails = |change: fn(&mut incident_like::config::ServeConfig), expect: &[&str]| {
        let error = starts(folder.path(), |config| {
            several_workspaces(config, &[KEY]);
            change(config);
        });
        assert!(expect.iter().all(|part| error.contains(part)), "{error}");
        assert!(
            !error.contains(KEY) && !error.contains("client-secret-of"),
            "{error}"
        );
    };
    fails(
        |config| {
            config.slack.client_secret = None;
            config.slack.token_keys.clear();
            config.http.public_url = None;
        },
        &[
            "SLACK_CLIENT_SECRET",
            "INCIDENT_LIKE_TOKEN_KEY",
            "INCIDENT_LIKE_PUBLIC_URL",
        ],
    );
    fails(|config| config.store.data_dir = None, &["--data-dir"]);
    fails(
        |config| config.slack.bot_token = Some("xoxb-1".into()),
        &["not both"],
    );
    fails(
        |config| config.slack.token_keys.push("short".into()),
        &["key 2", "32 bytes"],
    );
}

#[test]
fn a_single_workspace_has_no_install_page() {
    run(TestApp::default(), async |app| {
        let asked = browser().get(format!("{}/slack/install", app.address));
        assert_eq!(crate::harness::answered(asked).await.status, 404);
    });
}

#[test]
fn one_connection_brings_what_comes_from_every_install() {
    let folder = tempfile::tempdir().expect("a folder");
    let setup = TestApp {
        socket: true,
        ..setup(folder.path())
    };
    run(setup, async |app| {
        app.slack.belongs("C1", "T1ONE");
        app.slack.belongs("C2", "T2TWO");
        let mut socket = app.slack.next_socket().await;
        install(app, ONE).await;
        install(app, TWO).await;
        for (team, channel) in [("T1ONE", "C1"), ("T2TWO", "C2"), ("T3NONE", "C2")] {
            let asked = mention(channel, "1700000000.000100", QUESTION);
            let event = event_of(None, Some(team), &format!("Ev-{team}"), asked);
            let id = socket.send("events_api", &event);
            let acknowledged = socket.acknowledged().await.expect("it is taken");
            assert_eq!(acknowledged.id, id);
        }
        let mut to: Vec<Audience> = app.messages().await.into_iter().map(|m| m.to).collect();
        to.sort_by_key(|to| format!("{to:?}"));
        let expect = ["C1", "C2"].map(|channel| Audience::Channel(channel.to_owned()));
        assert_eq!(to, expect);
    });
}
