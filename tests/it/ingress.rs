//! What comes in: signatures, sizes, Slack's own checks, and things that nobody understands.

use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::harness::{Running, SIGNING_SECRET, TestApp, answered, form, run, unix_now};

const FORM: &str = "command=%2Fincident-like&text=help&channel_id=C1&user_id=U1&team_id=T1";

async fn refused(app: &Running, body: &[u8], secret: &str, at: u64) {
    let answer = app.post_signed("/slack/events", body, secret, at).await;
    assert_eq!((answer.status, answer.body.as_str()), (401, ""));
}

#[test]
fn only_fresh_requests_with_the_right_signature_are_taken() {
    run(TestApp::default(), async |app| {
        let now = unix_now();
        refused(app, FORM.as_bytes(), "wrong", now).await;
        refused(app, FORM.as_bytes(), SIGNING_SECRET, now - 6 * 60).await;
        refused(app, FORM.as_bytes(), SIGNING_SECRET, now + 6 * 60).await;
        refused(app, b"command=\xff\xfe", SIGNING_SECRET, now).await;
        let unsigned = app
            .http
            .post(format!("{}/slack/events", app.address))
            .body(FORM);
        assert_eq!(answered(unsigned).await.status, 401);
        app.post_signed("/slack/events", FORM, SIGNING_SECRET, now - 4 * 60)
            .await
            .ephemeral();
    });
}

#[test]
fn the_secret_can_be_changed_while_running() {
    let setup = TestApp {
        previous_secret: Some("the old one"),
        ..TestApp::default()
    };
    run(setup, async |app| {
        app.post_signed("/slack/events", FORM, "the old one", unix_now())
            .await
            .ephemeral();
        app.post("/slack/events", FORM).await.ephemeral();
    });
}

#[test]
fn signatures_cover_bytes_of_any_script() {
    run(TestApp::default(), async |app| {
        let text = form(&[("command", "/incident-like"), ("text", "ö 🔥 日本 노드")]);
        app.post("/slack/events", text).await.ephemeral();
        let raw = "command=/incident-like&text=ö 🔥 日本 노드";
        app.post("/slack/events", raw).await.ephemeral();
        let event = json!({"type": "event_callback", "event": {"type": "reaction_added", "reaction": "ö 🔥 日本"}});
        app.envelope(event).await.empty_ok();
    });
}

/// Sends raw bytes until the service answers, and returns the status line.
async fn raw(app: &Running, head: &str, chunk: &[u8], chunks: usize) -> String {
    let address = app.address.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let head = format!("POST /slack/events HTTP/1.1\r\nhost: {address}\r\n{head}\r\n\r\n");
    stream
        .write_all(head.as_bytes())
        .await
        .expect("it reads the head");
    for _ in 0..chunks {
        // The service may hang up as soon as it has seen enough.
        if stream.write_all(chunk).await.is_err() {
            break;
        }
    }
    let mut answer = vec![0; 12];
    stream.read_exact(&mut answer).await.expect("it answers");
    String::from_utf8(answer).expect("a status line")
}

#[test]
fn large_bodies_are_refused_before_they_are_read() {
    run(TestApp::default(), async |app| {
        // Not one byte of the body is sent.
        let ten_mib = format!("content-length: {}", 10 * 1024 * 1024);
        assert_eq!(raw(app, &ten_mib, b"", 0).await, "HTTP/1.1 413");
        // Of one that does not say how large it is, no more than the limit is read.
        let chunk = [b"10000\r\n".as_slice(), &vec![b'a'; 0x10000], b"\r\n"].concat();
        assert_eq!(
            raw(app, "transfer-encoding: chunked", &chunk, 20).await,
            "HTTP/1.1 413"
        );
    });
}

#[test]
fn slacks_own_checks_are_answered() {
    run(TestApp::default(), async |app| {
        for path in ["/slack/events", "/slack/commands", "/slack/interactions"] {
            let unsigned = app
                .http
                .post(format!("{}{path}", app.address))
                .body("ssl_check=1&token=x");
            answered(unsigned).await.empty_ok();
        }
        let verification = json!({"token": "x", "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P", "type": "url_verification"});
        let answer = app.envelope(verification.clone()).await;
        assert_eq!(
            answer.body,
            "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"
        );
        let unsigned = app
            .http
            .post(format!("{}/slack/events", app.address))
            .body(verification.to_string());
        assert_eq!(answered(unsigned).await.status, 401);
    });
}

#[test]
fn what_is_signed_but_not_understood_is_fine() {
    run(TestApp::default(), async |app| {
        for body in [
            "",
            "{",
            "[]",
            "payload=%7B",
            "payload=%7B%22type%22%3A%22view_submission%22%7D",
            r#"{"type":"event_callback","event":{"type":"workflow_step_execute"}}"#,
            r#"{"type":"event_callback","team_id":"T_UNKNOWN","event":{"type":"team_access_granted","team_ids":["T9"]}}"#,
            r#"{"type":"app_rate_limited","minute_rate_limited":1518467820}"#,
            r#"{"type":"event_callback","event":{"type":"message","subtype":"invented","channel":"C1","ts":"1.2"}}"#,
            r#"{"type":"event_callback","event":{"type":"app_mention","channel":7,"ts":[],"text":null}}"#,
            r#"{"type":"invented_outer_type"}"#,
        ] {
            app.post("/slack/events", body).await.empty_ok();
        }
        app.silent().await;
    });
}

#[test]
fn health_and_readiness_are_told() {
    run(TestApp::default(), async |app| {
        for (path, body) in [("/healthz", "ok"), ("/readyz", "4 cases")] {
            let answer = answered(app.http.get(format!("{}{path}", app.address))).await;
            assert_eq!((answer.status, answer.body.as_str()), (200, body));
        }
    });
}
