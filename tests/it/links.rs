//! Pages of cases: titles link to them, and links to them are previewed.

use serde_json::{Value, json};

use crate::harness::{Channel, TestApp, envelope, run};

const ADDRESS: &str = "https://incidents.example.com";
const TS: &str = "1700000000.000100";

fn setup() -> TestApp {
    TestApp {
        public_url: Some(ADDRESS),
        ..TestApp::with_channel(Channel::joined("C1", "ops"))
    }
}

fn shared(urls: &[&str], source: &str) -> Value {
    let links: Vec<Value> = urls
        .iter()
        .map(|url| json!({"domain": "incidents.example.com", "url": url}))
        .collect();
    json!({
        "type": "link_shared", "channel": "C1", "is_bot_user_member": true, "user": "U0ASKER", "message_ts": TS,
        "unfurl_id": "C1.1700000000.000100.abc", "source": source, "links": links, "event_ts": TS,
    })
}

#[test]
fn titles_link_to_the_page_and_the_source_stays() {
    run(setup(), async |app| {
        let body = app.slash("etcd timeouts, kubectl hangs").await.body;
        assert!(
            body.contains("https://incidents.example.com/cases/IL-9001"),
            "{body}"
        );
        assert!(body.contains("https://example.com/il-9001"), "{body}");
    });
    run(TestApp::default(), async |app| {
        let body = app.slash("etcd timeouts, kubectl hangs").await.body;
        assert!(!body.contains("incidents.example.com"), "{body}");
    });
}

#[test]
fn links_to_cases_are_previewed() {
    run(setup(), async |app| {
        let known = format!("{ADDRESS}/cases/IL-9001?lang=ko#why");
        let urls = [
            known.as_str(),
            "https://incidents.example.com/cases/IL-4040",
            "https://incidents.example.com/stats",
        ];
        app.event("Ev1", shared(&urls, "conversations_history"))
            .await
            .empty_ok();
        let act = app.act().await;
        assert_eq!(act.method, "chat.unfurl");
        assert_eq!(
            (&act.fields["channel"], &act.fields["ts"]),
            (&json!("C1"), &json!(TS))
        );
        let previews = act.fields["unfurls"].as_object().expect("previews");
        assert_eq!(previews.keys().collect::<Vec<_>>(), [&known]);
        assert!(
            previews[&known]
                .to_string()
                .contains("Slow disk stalls etcd")
        );

        for (at, urls) in [
            ["https://incidents.example.com/"],
            ["https://evil.example/cases/IL-9001"],
        ]
        .iter()
        .enumerate()
        {
            let event = shared(urls, "conversations_history");
            app.event(&format!("Ev2{at}"), event).await.empty_ok();
        }
        app.silent().await;
    });
}

#[test]
fn nothing_is_previewed_where_strangers_may_read_or_nobody_knows_where() {
    run(setup(), async |app| {
        let url = format!("{ADDRESS}/cases/IL-9001");
        app.event("Ev1", shared(&[&url], "composer"))
            .await
            .empty_ok();
        let mut outside = envelope("Ev2", shared(&[&url], "conversations_history"));
        outside["is_ext_shared_channel"] = Value::Bool(true);
        app.envelope(outside).await.empty_ok();
        app.settle().await;
        app.slack.change("C1", |channel| channel.ext_shared = true);
        app.event("Ev3", shared(&[&url], "conversations_history"))
            .await
            .empty_ok();
        app.slack.change("C1", |channel| {
            (channel.private, channel.member) = (true, false);
        });
        app.settle().await;
        app.event("Ev4", shared(&[&url], "conversations_history"))
            .await
            .empty_ok();
        app.silent().await;
    });
}
