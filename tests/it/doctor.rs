//! `doctor` against the strict fake: each fault is named, with what to do.

use std::process::Command;

use incident_like::app::install_crypto_provider;
use serde_json::{Value, json};

use crate::harness::{
    APP_TOKEN, CLIENT_ID, CLIENT_SECRET, Channel, FakeSlack, Fault, SIGNING_SECRET, TOKEN, TestApp,
    run,
};

const ALL_SCOPES: &str = "app_mentions:read,channels:history,channels:join,channels:read,chat:write,commands,groups:history,groups:read,im:history,users:read";
const SECRET: &str = "8f742231b10e8888abcd99aaafff85a5";

/// What `doctor` found.
struct Report {
    json: Value,
    code: Option<i32>,
    raw: String,
}

impl Report {
    fn of(&self, check: &str) -> Vec<&Value> {
        let findings = self.json["findings"].as_array().expect("findings");
        findings
            .iter()
            .filter(|finding| finding["check"] == check)
            .collect()
    }

    /// Checks that a check has one finding of a level, with these words in what is found and what is to be done.
    fn says(&self, check: &str, level: &str, found: &str, advice: &str) {
        let findings = self.of(check);
        let fits = |finding: &&&Value| {
            let text = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
            finding["level"] == level
                && text("found").contains(found)
                && text("advice").contains(advice)
        };
        assert!(
            findings.iter().any(|finding| fits(&finding)),
            "{check} {level} {found}: {}",
            self.raw
        );
    }

    fn fault(&self, check: &str, found: &str, advice: &str) {
        self.says(check, "fault", found, advice);
        assert_eq!(self.code, Some(1));
    }
}

/// Runs the program beside a fake Slack.
async fn doctor(slack: &FakeSlack, arguments: &[&str], env: &[(&str, &str)]) -> Report {
    let mut command = Command::new(env!("CARGO_BIN_EXE_incident-like"));
    command
        .args(["doctor", "--json"])
        .args(arguments)
        .env_clear()
        .env("INCIDENT_LIKE_SLACK_API_URL", slack.url("/api").as_str())
        .envs(env.iter().copied());
    let output = tokio::task::spawn_blocking(move || command.output())
        .await
        .expect("no panic")
        .expect("the program runs");
    let raw = String::from_utf8(output.stdout).expect("UTF-8");
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    for secret in [TOKEN, SECRET, APP_TOKEN, "ticket"] {
        assert!(!raw.contains(secret), "{raw}");
    }
    Report {
        json: serde_json::from_str(&raw).unwrap_or_else(|_| panic!("no JSON: {raw}{stderr}")),
        code: output.status.code(),
        raw,
    }
}

const RIGHT: [(&str, &str); 2] = [("SLACK_SIGNING_SECRET", SECRET), ("SLACK_BOT_TOKEN", TOKEN)];

async fn healthy() -> FakeSlack {
    install_crypto_provider();
    let channels = vec![
        Channel::joined("C1", "general"),
        Channel::joined("C2", "inc-1"),
        Channel::joined("C3", "ops"),
    ];
    let slack = FakeSlack::start(channels, Vec::new()).await;
    slack.says("x-oauth-scopes", ALL_SCOPES);
    slack
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sound_set_up_is_called_sound() {
    let slack = healthy().await;
    let data = tempfile::tempdir().expect("a folder");
    let path = data.path().to_str().expect("UTF-8");
    let report = doctor(&slack, &["--data-dir", path], &RIGHT).await;
    assert_eq!(
        (report.code, &report.json["ok"]),
        (Some(0), &json!(true)),
        "{}",
        report.raw
    );
    let levels = report.json["findings"].as_array().expect("findings");
    assert!(
        levels.iter().all(|finding| finding["level"] == "ok"),
        "{}",
        report.raw
    );
    report.says("channels", "ok", "in 3 of 3; 1 incident", "");
    assert_eq!(std::fs::read_dir(data.path()).expect("a folder").count(), 0);
    slack.check();
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_set_at_all_is_told_step_by_step() {
    let slack = healthy().await;
    let report = doctor(&slack, &[], &[]).await;
    report.fault("signing secret", "there is none", "Basic Information");
    report.says("token", "note", "only the slash command", "SLACK_BOT_TOKEN");
    report.says("slack", "ok", "answers", "");
    slack.check();
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_that_are_something_else_are_recognised() {
    let slack = healthy().await;
    for (secret, found) in [
        (TOKEN, "a token"),
        ("\"8f742231b10e8888abcd99aaafff85a5\"", "quotation marks"),
        ("8f742231b10e8888abcd99aaafff85a", "31 characters"),
        ("Zf742231b10e8888abcd99aaafff85a5", "hexadecimal"),
    ] {
        let report = doctor(&slack, &[], &[("SLACK_SIGNING_SECRET", secret)]).await;
        report.fault("signing secret", found, "");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_that_do_not_work_are_told_apart() {
    let slack = healthy().await;
    for (code, advice) in [
        ("invalid_auth", "xoxb-"),
        ("account_inactive", "install it again"),
        ("token_expired", "rotation"),
        ("something_new", "auth.test"),
    ] {
        slack.fail(
            "auth.test",
            Fault::Refused(json!({"ok": false, "error": code})),
        );
        doctor(&slack, &[], &RIGHT)
            .await
            .fault("token", code, advice);
    }
    let person =
        json!({"ok": true, "user": "ada", "team": "Example", "user_id": "U1", "team_id": "T0TEAM"});
    slack.fail("auth.test", Fault::Refused(person));
    doctor(&slack, &[], &RIGHT)
        .await
        .fault("token", "ada's own", "xoxb-");
    slack.check();
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_scopes_are_named_with_what_needs_them() {
    let slack = healthy().await;
    slack.says(
        "x-oauth-scopes",
        "commands,chat:write,channels:read,channels:history,app_mentions:read,files:read",
    );
    let report = doctor(&slack, &[], &RIGHT).await;
    report.fault("scopes", "channels:join (suggestions)", "Reinstall");
    report.says("scopes", "note", "users:read (language)", "Reinstall");
    report.says("scopes", "note", "files:read", "take them away");
    let report = doctor(&slack, &["--features", "mentions"], &RIGHT).await;
    assert_eq!(report.code, Some(0), "{}", report.raw);
    slack.check();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_wrong_is_noticed_even_when_the_token_is_too() {
    let slack = healthy().await;
    slack.says("date", "Tue, 14 Nov 2023 22:13:20 GMT");
    slack.fail(
        "auth.test",
        Fault::Refused(json!({"ok": false, "error": "invalid_auth"})),
    );
    let report = doctor(&slack, &[], &RIGHT).await;
    report.fault("clock", "ahead of Slack's", "NTP");
    report.fault("token", "invalid_auth", "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slack_that_does_not_answer_is_not_blamed_on_the_token() {
    let slack = healthy().await;
    slack.fail("auth.test", Fault::Garbled);
    let report = doctor(&slack, &[], &RIGHT).await;
    report.fault("slack", "something else than Slack", "HTTPS_PROXY");
    assert!(report.of("token").is_empty());
    slack.fail("auth.test", Fault::Status(503));
    doctor(&slack, &[], &RIGHT)
        .await
        .fault("slack", "503", "slack-status.com");
    let nowhere = [
        RIGHT[0],
        RIGHT[1],
        ("INCIDENT_LIKE_SLACK_API_URL", "http://127.0.0.1:9/api"),
    ];
    doctor(&slack, &[], &nowhere)
        .await
        .fault("slack", "cannot be reached", "slack.com:443");
    slack.check();
}

#[tokio::test(flavor = "multi_thread")]
async fn channels_without_the_bot_are_named() {
    install_crypto_provider();
    let mut shared = Channel::joined("C3", "inc-partner");
    shared.ext_shared = true;
    let channels = vec![
        Channel::public("C1", "general"),
        Channel::public("C2", "inc-2"),
        shared,
    ];
    let slack = FakeSlack::start(channels, Vec::new()).await;
    slack.says("x-oauth-scopes", ALL_SCOPES);
    let report = doctor(&slack, &[], &RIGHT).await;
    report.says("channels", "note", "not in #inc-2", "/invite");
    report.says(
        "channels",
        "note",
        "#inc-partner (C3)",
        "--allow-shared-channels",
    );
    let report = doctor(
        &slack,
        &["--channels", "outage-*", "--allow-shared-channels", "C3"],
        &RIGHT,
    )
    .await;
    report.says("channels", "note", "none of 3", "--channels");
    let report = doctor(&slack, &["--channels", "*"], &RIGHT).await;
    report.says("channel names", "note", "every channel", "narrow");
    slack.check();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_corpus_and_a_missing_folder_are_faults() {
    let slack = healthy().await;
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("cases")).expect("a folder");
    std::fs::write(
        folder.path().join("cases/IL-9999.toml"),
        "id = \"IL-9999\"\ncauses = [\"softwere\"]\n",
    )
    .expect("a file");
    let path = folder.path().to_str().expect("UTF-8");
    let report = doctor(&slack, &["--corpus", path], &RIGHT).await;
    report.fault("corpus", "errors", "incident-like lint");
    let report = doctor(
        &slack,
        &["--corpus", "/nonexistent", "--data-dir", "/nonexistent"],
        &RIGHT,
    )
    .await;
    report.fault("corpus", "/nonexistent", "--corpus");
    report.fault("data directory", "/nonexistent", "mkdir -p");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_for_socket_mode_is_tried() {
    let slack = healthy().await;
    let bot = ("SLACK_BOT_TOKEN", TOKEN);
    let report = doctor(&slack, &[], &[bot, ("SLACK_APP_TOKEN", APP_TOKEN)]).await;
    assert_eq!(report.code, Some(0), "{}", report.raw);
    report.says("signing secret", "ok", "needs none", "");
    report.says("app token", "ok", "takes it", "");
    report.says("socket", "ok", "127.0.0.1 is reached", "");
    for (token, found) in [
        (TOKEN, "a bot token"),
        ("xapp-1-\"", "quotation marks"),
        ("8f742231b10e8888abcd99aaafff85a5", "no app-level token"),
    ] {
        let report = doctor(&slack, &[], &[bot, ("SLACK_APP_TOKEN", token)]).await;
        report.fault("app token", found, "");
    }
    for (code, advice) in [
        ("invalid_auth", "App-Level Tokens"),
        ("missing_scope", "connections:write"),
        ("token_revoked", "a new one"),
        ("something_new", "Socket Mode on"),
    ] {
        let refused = json!({"ok": false, "error": code});
        slack.fail("apps.connections.open", Fault::Refused(refused));
        let report = doctor(&slack, &[], &[bot, ("SLACK_APP_TOKEN", APP_TOKEN)]).await;
        report.fault("app token", code, advice);
    }
    let nowhere = json!({"ok": true, "url": "wss://127.0.0.1:9/link/?ticket=1"});
    slack.fail("apps.connections.open", Fault::Refused(nowhere));
    let report = doctor(&slack, &[], &[bot, ("SLACK_APP_TOKEN", APP_TOKEN)]).await;
    report.fault("socket", "cannot be reached", "*.slack.com:443");
    slack.check();
}

#[test]
fn the_running_service_is_asked_too() {
    run(TestApp::default(), async |app| {
        app.slack.says("x-oauth-scopes", ALL_SCOPES);
        let address = app.address.clone();
        let token = ("SLACK_BOT_TOKEN", TOKEN);
        let same = [("SLACK_SIGNING_SECRET", SIGNING_SECRET), token];
        let report = doctor(&app.slack, &["--url", &address], &same).await;
        report.says("public address", "ok", "same signing secret", "");
        let report = doctor(&app.slack, &["--url", &address], &RIGHT).await;
        report.fault("public address", "refuses", "SLACK_SIGNING_SECRET");
        let report = doctor(&app.slack, &["--url", "http://127.0.0.1:9"], &RIGHT).await;
        report.fault("public address", "cannot be reached", "serve");
    });
}

#[test]
fn several_workspaces_need_all_parts_and_an_app_that_slack_knows() {
    run(TestApp::default(), async |app| {
        let key = "00".repeat(32);
        let whole = [
            ("SLACK_SIGNING_SECRET", SECRET),
            ("SLACK_CLIENT_ID", CLIENT_ID),
            ("SLACK_CLIENT_SECRET", CLIENT_SECRET),
            ("INCIDENT_LIKE_TOKEN_KEY", &key),
            ("INCIDENT_LIKE_PUBLIC_URL", "https://bot.example.com"),
        ];
        let refused = |error| Fault::Refused(json!({"ok": false, "error": error}));
        app.slack.fail("oauth.v2.access", refused("invalid_code"));
        let report = doctor(&app.slack, &[], &whole).await;
        report.says("install", "ok", "knows the app", "");
        report.says(
            "install",
            "ok",
            "https://bot.example.com/slack/oauth_redirect",
            "",
        );
        assert!(report.of("token").is_empty(), "{}", report.raw);
        assert_eq!(report.code, Some(0), "{}", report.raw);
        app.slack
            .fail("oauth.v2.access", refused("bad_client_secret"));
        let report = doctor(&app.slack, &["--token-key", "short"], &whole).await;
        report.fault("install", "bad_client_secret", "App Credentials");
        report.fault("install", "key 1", "openssl rand");
        assert!(!report.raw.contains(CLIENT_SECRET) && !report.raw.contains(&key));
        let report = doctor(&app.slack, &[], &whole[..2]).await;
        report.fault("install", "no client secret", "App Credentials");
        report.fault("install", "no public address", "INCIDENT_LIKE_PUBLIC_URL");
    });
}
