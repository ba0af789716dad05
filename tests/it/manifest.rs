//! `manifest`: what it prints is what `deploy/` holds.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

fn manifest(arguments: &[&str]) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_incident-like"))
        .arg("manifest")
        .args(arguments)
        .env_clear()
        .output()
        .expect("the program runs")
}

fn printed(arguments: &[&str]) -> String {
    let output = manifest(arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Checks a file of `deploy/`. `UPDATE_README=1 cargo test` writes it anew.
fn check(file: &str, arguments: &[&str]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("deploy")
        .join(file);
    let text = printed(arguments);
    #[expect(
        clippy::disallowed_methods,
        reason = "the one switch of a test that writes what it checks"
    )]
    if std::env::var("UPDATE_README").is_ok() {
        fs::write(&path, &text).expect("it can be written");
    }
    let file_text = fs::read_to_string(&path).expect("it can be read");
    assert_eq!(file_text, text, "run `UPDATE_README=1 cargo test`");
}

#[test]
fn the_files_in_deploy_are_current() {
    check("slack-manifest.json", &["--url", "https://YOUR-HOST"]);
    check(
        "slack-manifest.yaml",
        &["--url", "https://YOUR-HOST", "--yaml"],
    );
}

#[test]
fn chosen_features_ask_for_less() {
    let text = printed(&[
        "--url",
        "https://bot.example.com",
        "--features",
        "mentions,language",
    ]);
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let scopes = &json["oauth_config"]["scopes"]["bot"];
    let expect = [
        "app_mentions:read",
        "channels:history",
        "channels:read",
        "chat:write",
        "commands",
        "users:read",
    ];
    assert_eq!(scopes, &serde_json::json!(expect));
    let events = &json["settings"]["event_subscriptions"]["bot_events"];
    assert_eq!(events, &serde_json::json!(["app_mention"]));
}

#[test]
fn features_beyond_the_usual_bring_what_they_need() {
    let json = |feature| {
        let text = printed(&[
            "--url",
            "https://bot.example.com:8443/il",
            "--features",
            feature,
        ]);
        serde_json::from_str::<Value>(&text).expect("JSON")
    };
    let links = json("links");
    let scopes = &links["oauth_config"]["scopes"]["bot"];
    let expect = ["channels:read", "commands", "links:read", "links:write"];
    assert_eq!(scopes, &serde_json::json!(expect));
    assert_eq!(
        links["features"]["unfurl_domains"],
        serde_json::json!(["bot.example.com"])
    );

    let assistant = json("assistant");
    assert!(assistant["features"]["assistant_view"]["assistant_description"].is_string());
    assert_eq!(
        assistant["features"]["app_home"]["messages_tab_enabled"],
        true
    );

    let workflow = json("workflow");
    assert_eq!(workflow["settings"]["org_deploy_enabled"], true);
    assert_eq!(workflow["settings"]["function_runtime"], "remote");
    let inputs = &workflow["functions"]["find_precedents"]["input_parameters"];
    assert_eq!(inputs["text"]["is_required"], true);
}

#[test]
fn mistakes_say_what_to_write() {
    for (arguments, expect) in [
        (&[][..], "--url"),
        (&["--url", "bot.example.com"], "https://bot.example.com"),
        (
            &["--url", "https://a.example", "--features", "sharing"],
            "private-channels",
        ),
        (
            &["--url", "https://a.example", "--socket-mode"],
            "cannot be used with",
        ),
        (
            &["--url", "https://a.example", "--token-rotation"],
            "--oauth-url",
        ),
    ] {
        let output = manifest(arguments);
        let shown = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{shown}");
        assert!(shown.contains(expect), "{shown}");
    }
}
