//! The JSON API.

use serde_json::Value;

use crate::harness::{Running, TestApp, run};

async fn fetch(app: &Running, path: &str) -> reqwest::Response {
    app.http
        .get(format!("{}{path}", app.address))
        .send()
        .await
        .expect("an answer")
}

async fn get(app: &Running, path: &str) -> (u16, Value) {
    let response = fetch(app, path).await;
    let status = response.status().as_u16();
    let kind = response.headers()["content-type"]
        .to_str()
        .expect("a text")
        .to_owned();
    let expected = if status < 400 {
        "application/json"
    } else {
        "application/problem+json"
    };
    assert_eq!(kind, expected, "{path}");
    (status, response.json().await.expect("JSON"))
}

/// Percent-encodes a text for a query.
fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[test]
fn search_gives_terms_hits_and_why() {
    run(TestApp::default(), async |app| {
        let (status, json) = get(
            app,
            &format!(
                "/api/v1/search?q={}",
                encoded("etcd 타임아웃, kubectl hangs")
            ),
        )
        .await;
        assert_eq!(status, 200);
        assert_eq!(
            (&json["lang"], &json["answer_lang"]),
            (&Value::from("mixed"), &Value::from("ko"))
        );
        assert!(json["confident"].is_boolean() && json["total"].as_u64() >= Some(1));
        let hit = &json["hits"][0];
        assert!(
            hit["id"].is_string()
                && hit["score"].is_f64()
                && hit["title"]
                    .as_str()
                    .is_some_and(|title| title.contains("etcd"))
        );
        assert!(
            hit["matched"]
                .as_array()
                .is_some_and(|matched| matched.iter().any(|evidence| evidence["slug"] == "etcd"))
        );
        assert!(hit["unmatched"].is_array() && json["facets"]["component"].is_array());
        let english = get(
            app,
            &format!("/api/v1/search?q={}&lang=en", encoded("etcd 타임아웃")),
        )
        .await
        .1;
        assert!(
            english["hits"][0]["title"]
                .as_str()
                .is_some_and(str::is_ascii)
        );
    });
}

#[test]
fn filters_narrow_and_pages_follow_each_other() {
    run(TestApp::default(), async |app| {
        let all = get(app, "/api/v1/search?since=1990&limit=50").await.1;
        let total = all["total"].as_u64().expect("a number");
        assert!(total > 1, "{all}");
        let second = get(app, "/api/v1/search?since=1990&limit=1&offset=1")
            .await
            .1;
        assert_eq!(second["hits"][0]["id"], all["hits"][1]["id"]);
        let etcd = get(app, "/api/v1/search?component=etcd").await.1;
        assert!(etcd["total"].as_u64() < Some(total) && etcd["total"].as_u64() >= Some(1));
        let beyond = get(app, "/api/v1/search?since=1990&offset=1000").await.1;
        assert_eq!(beyond["hits"].as_array().map(Vec::len), Some(0));
    });
}

#[test]
fn extraction_gives_spans_in_characters_of_the_text() {
    run(TestApp::default(), async |app| {
        let text = "🔥 인그레스에서 502를 냈고 DB는 정상";
        let (_, json) = get(app, &format!("/api/v1/extract?q={}", encoded(text))).await;
        assert_eq!(json["lang"], "ko");
        let characters: Vec<char> = text.chars().collect();
        for list in ["terms", "ruled_out", "signals"] {
            let found = json[list].as_array().expect("a list");
            assert!(!found.is_empty(), "{list}");
            for found in found {
                let at = |index: usize| {
                    usize::try_from(found["span"][index].as_u64().expect("a number"))
                        .expect("small")
                };
                let spanned: String = characters[at(0)..at(1)].iter().collect();
                assert_eq!(found["text"], spanned.as_str());
            }
        }
        assert_eq!(json["terms"][0]["slug"], "ingress-controller");
        assert_eq!(json["terms"][0]["text"], "인그레스");
    });
}

#[test]
fn mistakes_are_refused_with_what_to_do() {
    run(TestApp::default(), async |app| {
        for (path, hint) in [
            ("/api/v1/search", "give a text"),
            ("/api/v1/search?q=%20", "give a text"),
            ("/api/v1/search?q=x&component=ectd", "did you mean `etcd`?"),
            ("/api/v1/search?q=x&component=timeouts", "facets"),
            (
                "/api/v1/search?q=x&componnent=etcd",
                "did you mean `component`?",
            ),
            (
                "/api/v1/search?q=x&tag=kubernets",
                "did you mean `kubernetes`?",
            ),
            (
                "/api/v1/search?q=x&org=Exampel%20One",
                "did you mean `Example One`?",
            ),
            ("/api/v1/search?q=x&lang=fr", "`en` or `ko`"),
            ("/api/v1/search?q=x&limit=51", "from 0 to 50"),
            ("/api/v1/search?q=x&limit=-1", "from 0 to 50"),
            ("/api/v1/search?q=x&q=y", "once"),
            ("/api/v1/search?q=%FF", "UTF-8"),
            ("/api/v1/extract?q=x&limit=1", "known here: q, lang"),
            ("/api/v1/cases/nonsense/similar", "such as `IL-0493`"),
        ] {
            let (status, json) = get(app, path).await;
            assert_eq!(
                (status, &json["status"]),
                (400, &Value::from(400)),
                "{path}"
            );
            assert!(
                json["hint"]
                    .as_str()
                    .is_some_and(|text| text.contains(hint)),
                "{path}: {json}"
            );
        }
        let (status, json) = get(app, "/api/v1/cases/IL-424242/similar").await;
        assert_eq!(status, 404);
        assert!(
            json["detail"]
                .as_str()
                .is_some_and(|text| text.contains("IL-424242"))
        );
        let long = format!("/api/v1/search?q={}", "a".repeat(10_001));
        assert_eq!(get(app, &long).await.0, 400);
    });
}

#[test]
fn health_is_told() {
    run(TestApp::default(), async |app| {
        for path in ["/healthz", "/readyz"] {
            let response = fetch(app, path).await;
            assert_eq!(response.status().as_u16(), 200, "{path}");
        }
    });
}
