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

#[test]
fn lists_lead_from_page_to_page() {
    run(TestApp::default(), async |app| {
        let mut path = "/api/v1/cases?limit=3&order=oldest&since=1990".to_owned();
        let mut seen = Vec::new();
        loop {
            let (status, json) = get(app, &path).await;
            assert_eq!(status, 200, "{json}");
            assert_eq!(json["offset"], seen.len());
            let cases = json["cases"].as_array().expect("a list");
            assert!(!cases.is_empty() && json["facets"]["org"].is_array());
            seen.extend(cases.iter().map(|case| case["id"].to_string()));
            let Some(next) = json["next"].as_str() else {
                assert_eq!(json["total"], seen.len());
                break;
            };
            path = next.to_owned();
        }
        let year = get(app, "/api/v1/cases?year=2021").await.1;
        assert!(year["total"].as_u64() >= Some(1));
        let both = get(app, "/api/v1/cases?year=2021&since=2022").await.1;
        assert_eq!(both["total"], 0, "filters hold together");
        let years = year["facets"]["year"].as_array().expect("a list");
        assert!(years.iter().all(|count| count["slug"] == "2021"));
    });
}

#[test]
fn a_case_is_whole_in_one_language_or_both_and_at_its_old_addresses() {
    run(TestApp::default(), async |app| {
        let (status, both) = get(app, "/api/v1/cases/il-9001").await;
        assert_eq!(status, 200);
        assert_eq!(
            (&both["id"], &both["origin"]),
            (&"IL-9001".into(), &"own".into())
        );
        assert!(both["title"]["ko"].is_string() && both["title"]["en"].is_string());
        assert_eq!(both["signals"][0], "etcdserver: request timed out");
        assert_eq!(both["severity"], Value::Null);
        let korean = get(app, "/api/v1/cases/IL-9001?lang=ko").await.1;
        assert_eq!(korean["title"], both["title"]["ko"]);
        assert_eq!(korean["components"][0]["slug"], "etcd");
        for (old, new) in [
            ("/cases/IL-9001.json", "/api/v1/cases/IL-9001"),
            (
                "/cases/IL-9001.json?lang=ko",
                "/api/v1/cases/IL-9001?lang=ko",
            ),
            (
                "/cases/IL-9001/similar.json?limit=1",
                "/api/v1/cases/IL-9001/similar?limit=1",
            ),
            ("/cases/IL-424242.json", "/api/v1/cases/IL-424242"),
        ] {
            assert_eq!(get(app, old).await, get(app, new).await, "{old}");
        }
    });
}

#[test]
fn topics_vocabulary_graph_and_figures_belong_together() {
    run(TestApp::default(), async |app| {
        let vocabulary = get(app, "/api/v1/vocab?facet=component&lang=ko").await.1;
        let terms = vocabulary["facets"][0]["terms"].as_array().expect("a list");
        let etcd = terms
            .iter()
            .find(|term| term["slug"] == "etcd")
            .expect("it is there");
        let topic = get(app, "/api/v1/topics/component/etcd?limit=1").await.1;
        assert_eq!(topic["total"], etcd["count"]);
        assert_eq!(topic["cases"].as_array().map(Vec::len), Some(1));
        assert!(topic["lessons"][0]["texts"][0]["id"].is_string());
        let graph = get(app, "/api/v1/graph?component=etcd&cases=true").await.1;
        assert_eq!(graph["cases"], topic["total"]);
        let around = get(app, "/api/v1/graph?case=IL-9001&nodes=5").await.1;
        assert!(
            around["nodes"]
                .as_array()
                .is_some_and(|nodes| nodes.len() <= 5)
        );
        let stats = get(app, "/api/v1/stats?component=etcd").await.1;
        assert_eq!(stats["cases"], topic["total"]);
    });
}

#[test]
fn names_that_are_not_known_come_with_the_nearest() {
    run(TestApp::default(), async |app| {
        for (path, status, near) in [
            ("/api/v1/topics/component/ectd", 404, "etcd"),
            ("/api/v1/topics/components/etcd", 404, "component"),
            ("/api/v1/search?component=ectd", 400, "etcd"),
            ("/api/v1/stats?symptom=timeout", 400, "timeouts"),
            ("/api/v1/cases?order=latest", 400, "newest"),
            ("/api/v1/cases?org=exampel", 400, "Example One"),
        ] {
            let (answered, json) = get(app, path).await;
            assert_eq!(answered, status, "{path}");
            let nearest = json["nearest"].as_array().expect("a list");
            assert!(nearest.contains(&near.into()), "{path}: {json}");
        }
        for (path, status) in [
            ("/api/v1/nothing", 404),
            ("/api/v2/search", 404),
            ("/api/v1/graph?case=IL-424242", 404),
            ("/api/v1/graph?case=IL-9001&component=etcd", 400),
            ("/api/v1/stats?component=", 400),
            ("/api/v1/stats?component=etcd,", 400),
            ("/api/v1/stats?lang=", 400),
            ("/api/v1/stats?year=", 400),
            ("/cases/nonsense.json", 400),
        ] {
            let (answered, json) = get(app, path).await;
            assert_eq!(
                (answered, &json["status"]),
                (status, &status.into()),
                "{path}"
            );
        }
    });
}

#[test]
fn a_wrong_method_is_told_the_right_ones() {
    run(TestApp::default(), async |app| {
        for path in ["/api/v1/search?q=x", "/openapi.json", "/cases/IL-9001.json"] {
            let request = app.http.post(format!("{}{path}", app.address));
            let response = request.send().await.expect("an answer");
            assert_eq!(response.status().as_u16(), 405, "{path}");
            assert_eq!(response.headers()["allow"], "GET,HEAD", "{path}");
            assert_eq!(
                response.headers()["content-type"],
                "application/problem+json"
            );
        }
    });
}

#[test]
fn an_answer_that_the_client_has_is_not_sent_again() {
    run(TestApp::default(), async |app| {
        let path = "/api/v1/cases/IL-9001";
        let ask = async |method: reqwest::Method, encoding: &str, known: &str| {
            let url = format!("{}{path}", app.address);
            let request = app
                .http
                .request(method, url)
                .header("accept-encoding", encoding);
            let request = request.header("if-none-match", known);
            request.send().await.expect("an answer")
        };
        let plain = ask(reqwest::Method::GET, "identity", "\"other\"").await;
        let tag = plain.headers()["etag"].to_str().expect("a text").to_owned();
        assert_eq!(plain.headers()["vary"], "accept-encoding");
        let body = plain.text().await.expect("a text");
        let head = ask(reqwest::Method::HEAD, "identity", "\"other\"").await;
        assert_eq!(head.headers()["etag"], tag.as_str());
        assert_eq!(
            head.headers()["content-length"],
            body.len().to_string().as_str()
        );
        for encoding in ["gzip", "br"] {
            let packed = ask(reqwest::Method::GET, encoding, "\"other\"").await;
            let own = packed.headers()["etag"]
                .to_str()
                .expect("a text")
                .to_owned();
            assert!(
                own.ends_with(&format!("-{encoding}\"")),
                "{own}: other bytes, another name"
            );
            for known in [&own, &tag, &format!("W/{tag}"), "*"] {
                let again = ask(reqwest::Method::GET, encoding, known).await;
                assert_eq!(again.status().as_u16(), 304, "{known}");
                assert!(again.headers().contains_key("etag"));
                assert_eq!(again.text().await.expect("a text"), "");
            }
        }
    });
}

#[test]
fn only_what_is_public_may_be_kept_and_read_by_anybody() {
    let headers = async |app: &Running| {
        let request = app.http.get(format!("{}/api/v1/stats", app.address));
        let request = request.header("origin", "https://example.org");
        let response = request.send().await.expect("an answer");
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            Some(value.to_str().expect("a text").to_owned())
        };
        (
            response.status().as_u16(),
            header("access-control-allow-origin"),
            header("cache-control"),
        )
    };
    run(TestApp::default(), async |app| {
        let (status, origin, cache) = headers(app).await;
        assert_eq!((status, origin.as_deref()), (200, Some("*")));
        assert_eq!(cache.as_deref(), Some("public, max-age=300"));
    });
    let own = || TestApp {
        folders: vec!["own"],
        ..TestApp::default()
    };
    run(own(), async |app| {
        assert_eq!(
            headers(app).await.0,
            404,
            "own cases are not served unasked"
        );
        assert_eq!(
            fetch(app, "/cases/IL-9001.json").await.status().as_u16(),
            404
        );
        assert_eq!(fetch(app, "/openapi.json").await.status().as_u16(), 404);
    });
    let allowed = TestApp {
        api: Some(true),
        ..own()
    };
    run(allowed, async |app| {
        let (status, origin, cache) = headers(app).await;
        assert_eq!((status, origin), (200, None));
        assert_eq!(cache.as_deref(), Some("private, no-cache"));
    });
}

#[test]
fn who_asks_too_often_is_told_when_to_come_again() {
    let setup = TestApp {
        api_rate: 3,
        ..TestApp::default()
    };
    run(setup, async |app| {
        for _ in 0..3 {
            assert_eq!(get(app, "/api/v1/vocab?facet=cause").await.0, 200);
        }
        let refused = fetch(app, "/api/v1/vocab?facet=cause").await;
        assert_eq!(refused.status().as_u16(), 429);
        let wait = refused.headers()["retry-after"].to_str().expect("a text");
        assert!(
            wait.parse::<u32>()
                .is_ok_and(|wait| (1..=21).contains(&wait)),
            "{wait}"
        );
        assert_eq!(
            fetch(app, "/readyz").await.status().as_u16(),
            200,
            "health is no part of it"
        );
    });
}

#[test]
fn the_document_describes_the_api_and_its_examples_work() {
    run(TestApp::default(), async |app| {
        let mut document = get(app, "/openapi.json").await.1;
        assert_eq!(document["openapi"], "3.1.0");
        for (path, item) in document["paths"].as_object().expect("paths") {
            let operation = &item["get"];
            let mut address = path.clone();
            let mut query = url::form_urlencoded::Serializer::new(String::new());
            for parameter in operation["parameters"].as_array().expect("a list") {
                let name = parameter["name"].as_str().expect("a name");
                let example = &parameter["example"];
                let Some(example) = example.get(0).unwrap_or(example).as_str() else {
                    continue;
                };
                if parameter["in"] == "path" {
                    address = address.replace(&format!("{{{name}}}"), example);
                } else {
                    query.append_pair(name, example);
                }
            }
            let address = format!("{address}?{}", query.finish());
            let (status, answer) = get(app, &address).await;
            assert_eq!(status, 200, "{address}: {answer}");
            let example = &operation["responses"]["200"]["content"]["application/json"]["example"];
            assert!(!example.is_null(), "{path} has an example");
        }
        // Lists of names grow with the vocabulary; what they are for stays.
        let schemas = document["components"]["schemas"]
            .as_object_mut()
            .expect("schemas");
        for (name, schema) in schemas {
            if name.ends_with("Slug") {
                schema["enum"] = "names".into();
            }
        }
        // Examples are answers, which have tests of their own.
        for item in document["paths"]
            .as_object_mut()
            .expect("paths")
            .values_mut()
        {
            item["get"]["responses"]["200"]["content"]["application/json"]["example"] =
                "an answer".into();
        }
        insta::assert_json_snapshot!("openapi", document);
    });
}

#[test]
fn the_page_about_the_api_speaks_both_languages() {
    run(TestApp::default(), async |app| {
        let page = async |language: &str, query: &str| {
            let request = app.http.get(format!("{}/api{query}", app.address));
            let response = request.header("accept-language", language).send().await;
            let response = response.expect("an answer");
            assert_eq!(response.status().as_u16(), 200);
            assert!(response.headers().contains_key("content-security-policy"));
            response.text().await.expect("a text")
        };
        let english = page("fr, en;q=0.5", "").await;
        assert!(english.contains("<html lang=\"en\">") && english.contains("/api/v1/graph"));
        let korean = page("ko-KR,ko;q=0.9,en;q=0.8", "").await;
        assert!(korean.contains("<html lang=\"ko\">") && korean.contains("파라미터"));
        assert!(page("ko", "?lang=en").await.contains("<html lang=\"en\">"));
        // It stands in the frame of all pages, and tells of the other door for programs.
        for part in ["<nav", "id=\"mcp\"", "/mcp</code>", "search_incidents"] {
            assert!(english.contains(part) && korean.contains(part), "{part}");
        }
        assert!(!english.contains("<style") && !english.contains(" style="));
    });
}
