//! The MCP server: what agents ask and get, over the service's own route and over the bundled corpus.
//!
//! `tests/mcp/run` does the same with the official clients.

use std::sync::{Arc, LazyLock};

use arc_swap::ArcSwap;
use http::{Request, StatusCode};
use incident_like::mcp::{self, HttpRules, Server};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::{
    corpus::BUNDLED,
    harness::{Running, TestApp, run},
};

/// Largest answer of a tool with its default arguments, in characters of JSON: about 4,000 tokens.
const USUAL_ANSWER: usize = 16_000;

/// Largest answer whatever is asked for.
const LARGEST_ANSWER: usize = 48_000;

static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Runtime::new().expect("a runtime"));

/// Makes a request to a server over the bundled corpus, without a network.
fn ask(method: &str, params: &Value) -> Value {
    let server = Server::new(Arc::new(ArcSwap::new(Arc::clone(&BUNDLED))));
    let rules = HttpRules {
        hosts: vec!["localhost".to_owned()],
        origins: Vec::new(),
    };
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let request = Request::post("http://localhost/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-11-25")
        .body(axum::body::Body::from(body.to_string()))
        .expect("a request");
    RUNTIME.block_on(async {
        let response = mcp::http(server, rules)
            .oneshot(request)
            .await
            .expect("it never fails");
        assert_eq!(response.status(), StatusCode::OK, "{method}");
        let body = axum::body::Body::new(response.into_body());
        let body = axum::body::to_bytes(body, usize::MAX)
            .await
            .expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    })
}

/// Calls a tool and returns its structured answer, which must also stand in its text.
fn call(tool: &str, arguments: &Value) -> Value {
    let answer = ask("tools/call", &json!({"name": tool, "arguments": arguments}));
    let result = &answer["result"];
    assert_eq!(result["isError"], false, "{answer:#}");
    let text = result["content"][0]["text"].as_str().expect("a text");
    let structured = result["structuredContent"].clone();
    assert_eq!(
        serde_json::from_str::<Value>(text).expect("JSON"),
        structured
    );
    structured
}

/// Calls a tool wrongly and returns what the agent reads.
fn refusal(tool: &str, arguments: &Value) -> String {
    let answer = ask("tools/call", &json!({"name": tool, "arguments": arguments}));
    assert_eq!(answer["result"]["isError"], true, "{answer:#}");
    let text = answer["result"]["content"][0]["text"].as_str();
    text.expect("a text").to_owned()
}

fn error(method: &str, params: &Value) -> String {
    let answer = ask(method, params);
    let message = answer["error"]["message"].as_str();
    message
        .unwrap_or_else(|| panic!("no error: {answer:#}"))
        .to_owned()
}

#[test]
fn the_tools_and_their_schemas_are_these() {
    let tools = &ask("tools/list", &json!({}))["result"]["tools"];
    for tool in tools.as_array().expect("a list") {
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{tool:#}");
        }
    }
    insta::assert_json_snapshot!("mcp_tools", tools);
}

#[test]
fn a_search_says_what_is_close_and_why() {
    let found = call(
        "search_incidents",
        &json!({"query": "nodes fail the load balancer health check one by one, DNS is fine"}),
    );
    assert_eq!(found["language"], "en");
    assert_eq!(found["confident"], true);
    assert_eq!(found["hits"].as_array().map(Vec::len), Some(5));
    let hits = found["hits"].as_array().expect("a list");
    let hit = hits.iter().find(|hit| hit["id"] == "IL-0493");
    let hit = hit.unwrap_or_else(|| panic!("it is close: {found:#}"));
    let matched = hit["matched"]["terms"].to_string();
    assert!(matched.contains("symptom/health-check-failing"), "{hit:#}");
    assert!(
        hit["worked"]
            .as_array()
            .is_some_and(|texts| !texts.is_empty())
    );
    assert!(
        hit["source"]
            .as_str()
            .is_some_and(|url| url.starts_with("https://"))
    );

    let next = found["next_offset"].as_u64().expect("there is more");
    assert_eq!(next, 5);
    let further = call(
        "search_incidents",
        &json!({"query": "nodes fail the load balancer health check one by one, DNS is fine", "offset": next}),
    );
    assert!(hits.iter().all(|hit| hit["id"] != further["hits"][0]["id"]));
}

#[test]
fn answers_are_in_the_language_asked_for_or_that_of_the_question() {
    let korean = |text: &Value| {
        let text = text.as_str().expect("a text");
        text.chars().any(|c| ('가'..='힣').contains(&c))
    };
    let found = call("search_incidents", &json!({"query": "etcd 타임아웃"}));
    assert!(korean(&found["hits"][0]["title"]), "{found:#}");
    let asked = json!({"query": "etcd 타임아웃", "language": "en"});
    let found = call("search_incidents", &asked);
    assert!(!korean(&found["hits"][0]["title"]), "{found:#}");
    let case = call("get_incident", &json!({"id": "il-0493", "language": "ko"}));
    assert!(korean(&case["summary"]) && korean(&case["related"][0]["why"]));
    let topic = call("get_topic", &json!({"slug": "etcd", "language": "ko"}));
    assert!(korean(&topic["definition"]), "{topic:#}");
}

#[test]
fn an_incident_comes_whole_with_its_relatives() {
    let case = call("get_incident", &json!({"id": "IL-0493"}));
    assert_eq!(case["organisation"], "Netlify");
    assert_eq!(case["time_to_recover"], "4h 7m");
    assert_eq!(case["uri"], "incident://IL-0493");
    assert_eq!((&case["own"], &case["cut"]), (&Value::Null, &json!(false)));
    assert_eq!(case["actions"].as_array().map(Vec::len), Some(3));
    assert_eq!(case["actions"][2]["outcome"], "resolved");
    assert_eq!(case["follow_ups"].as_array().map(Vec::len), Some(7));
    assert_eq!(case["components"][0]["slug"], "cloud-load-balancer");
    assert_eq!(case["related"].as_array().map(Vec::len), Some(5));
    let alone = call("get_incident", &json!({"id": "IL-0493", "related": 0}));
    assert_eq!(alone["related"], json!([]));
}

#[test]
fn lists_are_filtered_and_paged() {
    let all = call("list_incidents", &json!({}));
    let total = all["total"].as_u64().expect("a number");
    assert_eq!(all["incidents"].as_array().map(Vec::len), Some(20));
    let etcd = call(
        "list_incidents",
        &json!({"component": "etcd", "since": 2020}),
    );
    assert!(etcd["total"].as_u64() < Some(total));
    assert_eq!(etcd["commonest"]["components"][0]["slug"], "etcd");
    assert_eq!(
        etcd["commonest"]["components"][0]["incidents"],
        etcd["total"]
    );
    let list = json!({"component": ["etcd"], "since": 2020, "limit": 1, "offset": 1});
    let second = call("list_incidents", &list);
    assert_eq!(second["incidents"][0], etcd["incidents"][1]);
}

#[test]
fn a_topic_tells_what_goes_together() {
    let topic = call(
        "get_topic",
        &json!({"slug": "symptom/health-check-failing"}),
    );
    assert_eq!(topic["facet"], "symptom");
    let causes = topic["together_with"]["causes"].as_array().expect("a list");
    assert!(
        !causes.is_empty() && causes[0]["incidents"].as_u64() >= causes[1]["incidents"].as_u64()
    );
    assert!(
        topic["lessons"][0]["quotes"][0]["id"].is_string(),
        "{topic:#}"
    );
    let same = call(
        "get_topic",
        &json!({"slug": "health-check-failing", "facet": "symptom"}),
    );
    assert_eq!(same, topic);
}

#[test]
fn the_vocabulary_names_what_filters_take() {
    let vocab = call("vocab", &json!({}));
    let kinds = vocab["kinds"].as_array().expect("a list");
    assert_eq!(kinds.len(), 4);
    for kind in kinds {
        let name = kind["kind"].as_str().expect("a kind");
        let slug = kind["names"][0]["slug"].as_str().expect("a slug");
        let list = call("list_incidents", &json!({name: [slug], "limit": 1}));
        assert_eq!(list["total"], kind["names"][0]["incidents"]);
    }
    let found = call("vocab", &json!({"query": "로드 밸런서"}));
    let found = &found["kinds"][1]["names"][0];
    assert!(
        found["slug"]
            .as_str()
            .is_some_and(|slug| slug.contains("load-balancer")),
        "{found:#}"
    );
    assert!(found["definition"].is_string());
    for kind in ["tag", "organisation"] {
        let names = call("vocab", &json!({"kind": kind, "limit": 2}));
        let name = names["kinds"][0]["names"][0]["slug"].as_str();
        let list = call("list_incidents", &json!({kind: name, "limit": 1}));
        assert_eq!(list["total"], names["kinds"][0]["names"][0]["incidents"]);
    }
}

#[test]
fn answers_fit_into_a_context_window() {
    let longest = BUNDLED
        .corpus()
        .cases()
        .iter()
        .filter(|case| case.is_published());
    let longest = longest.max_by_key(|case| {
        let texts = [&case.summary, &case.symptoms_seen, &case.cause];
        let texts = texts.map(|text| text.get(incident_like::corpus::Lang::En).len());
        texts.iter().sum::<usize>()
    });
    let longest = longest.expect("there are cases").id.to_string();
    let log =
        "etcdserver: request timed out, 503 from kube-apiserver after the upgrade; ".repeat(100);
    for (tool, usual, largest) in [
        (
            "search_incidents",
            json!({"query": log}),
            json!({"query": log, "limit": 20}),
        ),
        (
            "get_incident",
            json!({"id": longest}),
            json!({"id": longest, "related": 12}),
        ),
        ("list_incidents", json!({}), json!({"limit": 50})),
        (
            "get_topic",
            json!({"slug": "software-defect"}),
            json!({"slug": "software-defect", "limit": 50}),
        ),
        (
            "vocab",
            json!({}),
            json!({"kind": "organisation", "limit": 200}),
        ),
    ] {
        for (arguments, limit) in [(usual, USUAL_ANSWER), (largest, LARGEST_ANSWER)] {
            let answer = call(tool, &arguments).to_string();
            let length = answer.chars().count();
            println!("{tool}: {length} of {limit}");
            assert!(length <= limit, "{tool} {arguments}: {length} characters");
        }
    }
}

/// Wrong calls with what the agent is to read.
fn mistakes() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("search_incidents", json!({}), "missing field `query`"),
        (
            "search_incidents",
            json!({"query": " "}),
            "`query` is empty",
        ),
        (
            "search_incidents",
            json!({"query": "x".repeat(10_001)}),
            "10001 characters",
        ),
        (
            "search_incidents",
            json!({"query": "x", "limit": 21}),
            "`limit` is 21: give 1 to 20",
        ),
        (
            "search_incidents",
            json!({"query": "x", "limit": "all"}),
            "`limit` cannot be read",
        ),
        (
            "search_incidents",
            json!({"query": "x", "language": "ja"}),
            "`language` cannot be read: unknown variant `ja`",
        ),
        (
            "search_incidents",
            json!({"query": "x", "componnt": "etcd"}),
            "`componnt` is not an argument: did you mean `component`?",
        ),
        (
            "search_incidents",
            json!({"query": "x", "component": "etdc"}),
            "did you mean `component/etcd`",
        ),
        (
            "search_incidents",
            json!({"query": "x", "component": {"slug": "etcd"}}),
            "`component` cannot be read: a list of names",
        ),
        (
            "list_incidents",
            json!({"symptom": ["etcd"]}),
            "`component/etcd`",
        ),
        (
            "list_incidents",
            json!({"organisation": "Netlfy"}),
            "did you mean `Netlify`",
        ),
        (
            "list_incidents",
            json!({"tag": "kuberntes"}),
            "did you mean `kubernetes`",
        ),
        (
            "list_incidents",
            json!({"offset": 100_001}),
            "give 0 to 100000",
        ),
        (
            "get_incident",
            json!({"id": "IL-493"}),
            "did you mean IL-0493 (Netlify: ",
        ),
        (
            "get_incident",
            json!({"id": "493"}),
            "did you mean IL-0493 (Netlify: ",
        ),
        (
            "get_incident",
            json!({"id": "no such"}),
            "`search_incidents`",
        ),
        (
            "get_topic",
            json!({"slug": "etdc"}),
            "did you mean `component/etcd`",
        ),
        ("get_topic", json!({"slug": "thing/etcd"}), "facets are"),
        (
            "vocab",
            json!({"kind": "organization"}),
            "`kind` cannot be read",
        ),
    ]
}

#[test]
fn mistakes_are_refused_with_what_to_ask_instead() {
    for (tool, arguments, expect) in mistakes() {
        let text = refusal(tool, &arguments);
        assert!(text.contains(expect), "{tool} {arguments}: {text}");
        assert!(text.len() < 1500, "{text}");
    }
    let unknown = error(
        "tools/call",
        &json!({"name": "search_incident", "arguments": {}}),
    );
    assert!(
        unknown.contains("did you mean `search_incidents`?"),
        "{unknown}"
    );
}

#[test]
fn cases_are_resources_in_pages() {
    let mut ids: Vec<String> = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let page = ask("resources/list", &json!({"cursor": cursor}));
        let resources = page["result"]["resources"].as_array().expect("a list");
        assert!(resources.len() <= 100);
        ids.extend(resources.iter().map(|resource| resource["uri"].to_string()));
        cursor = page["result"]["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let published = BUNDLED
        .corpus()
        .cases()
        .iter()
        .filter(|case| case.is_published());
    assert_eq!(ids.len(), published.count());
    ids.dedup();
    assert!(ids.is_sorted());

    let templates = ask("resources/templates/list", &json!({}));
    let template = &templates["result"]["resourceTemplates"][0]["uriTemplate"];
    assert_eq!(template, "incident://{id}{?lang}");
    for (uri, expect) in [
        ("incident://IL-0493", "## Follow-ups"),
        ("incident://IL-0493?lang=ko", "## 후속 조치"),
    ] {
        let read = ask("resources/read", &json!({"uri": uri}));
        let contents = &read["result"]["contents"][0];
        assert_eq!(contents["uri"], uri);
        assert_eq!(contents["mimeType"], "text/markdown");
        assert!(
            contents["text"]
                .as_str()
                .is_some_and(|text| text.contains(expect))
        );
    }
    let wrong = ask("resources/read", &json!({"uri": "incident://IL-493"}));
    assert_eq!(wrong["error"]["data"]["uri"], "incident://IL-493");
    let wrong = wrong["error"]["message"].as_str().expect("a text");
    assert!(wrong.contains("did you mean IL-0493"), "{wrong}");
    error("resources/list", &json!({"cursor": "page two"}));
}

#[test]
fn a_case_reads_as_a_document() {
    let read = ask("resources/read", &json!({"uri": "incident://IL-0493"}));
    let text = read["result"]["contents"][0]["text"]
        .as_str()
        .expect("a text");
    insta::assert_snapshot!("mcp_resource", text);
}

#[test]
fn the_review_prompt_brings_the_precedents() {
    let incident =
        "Nodes failed the load balancer health check one by one after the nightly OS update.";
    for (arguments, expect) in [
        (json!({"incident": incident}), "# Closest precedents"),
        (
            json!({"incident": incident, "language": "ko"}),
            "# 가장 가까운 선례",
        ),
    ] {
        let prompt = ask(
            "prompts/get",
            &json!({"name": "incident_review", "arguments": arguments}),
        );
        let text = &prompt["result"]["messages"][0]["content"]["text"];
        let text = text.as_str().expect("a text");
        assert!(text.contains(expect) && text.contains(incident), "{text}");
        assert!(
            text.contains("IL-0493") && text.contains("incident://IL-0493"),
            "{text}"
        );
    }
    for (params, expect) in [
        (json!({"name": "incident_review"}), "`incident` is empty"),
        (
            json!({"name": "incident_review", "arguments": {"incident": "x", "language": "ja"}}),
            "give en or ko",
        ),
        (json!({"name": "review"}), "the prompt is `incident_review`"),
    ] {
        let message = error("prompts/get", &params);
        assert!(message.contains(expect), "{message}");
    }
}

#[test]
fn arguments_are_completed() {
    let complete = |reference: Value, name: &str, value: &str| {
        let params = json!({"ref": reference, "argument": {"name": name, "value": value}});
        ask("completion/complete", &params)["result"]["completion"]["values"].clone()
    };
    let template = json!({"type": "ref/resource", "uri": "incident://{id}{?lang}"});
    assert_eq!(
        complete(template.clone(), "id", "il-0493"),
        json!(["IL-0493"])
    );
    assert_eq!(complete(template, "lang", ""), json!(["en", "ko"]));
    let prompt = json!({"type": "ref/prompt", "name": "incident_review"});
    assert_eq!(complete(prompt, "language", "k"), json!(["ko"]));
}

/// Posts a message to the running service as an agent does.
fn post(app: &Running, message: &Value) -> reqwest::RequestBuilder {
    app.http
        .post(format!("{}/mcp", app.address))
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(message.to_string())
}

fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }})
}

#[test]
fn the_service_answers_agents_without_sessions() {
    run(TestApp::default(), async |app| {
        let response = post(app, &initialize()).send().await.expect("an answer");
        assert_eq!(response.status(), 200);
        assert!(!response.headers().contains_key("mcp-session-id"));
        let answer: Value = response.json().await.expect("JSON");
        assert_eq!(answer["result"]["serverInfo"]["name"], "incident-like");
        assert!(
            answer["result"]["instructions"]
                .as_str()
                .is_some_and(|text| text.contains("search_incidents"))
        );
        // Another replica could answer this one: nothing refers to the first request.
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "search_incidents", "arguments": {"query": "etcd timeouts"},
        }});
        let response = post(app, &call).send().await.expect("an answer");
        let answer: Value = response.json().await.expect("JSON");
        assert!(answer["result"]["structuredContent"]["hits"][0]["id"].is_string());
    });
}

#[test]
fn strange_hosts_and_origins_are_refused() {
    run(TestApp::default(), async |app| {
        for (header, value, expect) in [
            ("host", "evil.example", 403),
            ("origin", "https://evil.example", 403),
            ("origin", "null", 403),
            ("origin", "http://localhost:6274", 200),
        ] {
            let request = post(app, &initialize()).header(header, value);
            let status = request.send().await.expect("an answer").status();
            assert_eq!(status, expect, "{header}: {value}");
        }
        let large = json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "x".repeat(300_000)}});
        let status = post(app, &large).send().await.expect("an answer").status();
        assert_eq!(status, 413);
        let asked = app
            .http
            .request(reqwest::Method::OPTIONS, format!("{}/mcp", app.address))
            .header("origin", "http://localhost:6274")
            .header("access-control-request-method", "POST")
            .header(
                "access-control-request-headers",
                "content-type,mcp-protocol-version",
            )
            .send()
            .await
            .expect("an answer");
        assert_eq!(asked.status(), 200);
        assert_eq!(
            asked.headers()["access-control-allow-origin"],
            "http://localhost:6274"
        );
    });
}

#[test]
fn agents_are_held_to_the_limit_of_the_api() {
    let setup = TestApp {
        api_rate: 2,
        ..TestApp::default()
    };
    run(setup, async |app| {
        for expect in [200, 200, 429] {
            let status = post(app, &initialize()).send().await.expect("an answer");
            assert_eq!(status.status(), expect);
        }
    });
}
