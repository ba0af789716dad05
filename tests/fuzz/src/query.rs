//! What programs and people ask over HTTP: the JSON API, the pages, agents; through the service's own routes.

use std::sync::{Arc, LazyLock};

use arc_swap::ArcSwap;
use axum::{Router, body::Body};
use clap::Parser;
use http::{Request, Response, header};
use incident_like::{
    app::{App, Tuning, install_crypto_provider},
    cli::{Cli, Subcommands},
};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tower::ServiceExt;

use super::{fixtures, library, texts};

/// The JSON API's addresses and their parameters with texts.
const API: [(&str, &[&str]); 6] = [
    (
        "/api/v1/search",
        &[
            "q",
            "component",
            "symptom",
            "cause",
            "factor",
            "org",
            "tag",
            "since",
            "until",
            "lang",
            "limit",
            "offset",
        ],
    ),
    ("/api/v1/extract", &["q", "lang"]),
    (
        "/api/v1/cases",
        &[
            "q", "tag", "org", "since", "until", "lang", "limit", "offset",
        ],
    ),
    ("/api/v1/vocab", &["facet", "lang"]),
    ("/api/v1/graph", &["q", "lang"]),
    ("/api/v1/stats", &["lang"]),
];

/// The pages and their parameters.
const PAGES: [(&str, &[&str]); 4] = [
    (
        "/",
        &["q", "component", "org", "tag", "since", "lang", "page"],
    ),
    ("/topics", &["lang", "q"]),
    ("/graph", &["lang", "q", "focus"]),
    ("/stats", &["lang"]),
];

/// The tools of agents and a text of each.
const TOOLS: [(&str, &str); 5] = [
    ("search_incidents", "query"),
    ("get_incident", "id"),
    ("list_incidents", "tag"),
    ("get_topic", "slug"),
    ("vocab", "facet"),
];

/// No page writes this by itself.
const MARK: &str = "<zq\"'>";

struct Service {
    runtime: Runtime,
    router: Router,
}

static SERVICE: LazyLock<Service> = LazyLock::new(|| {
    install_crypto_provider();
    let fixtures = fixtures();
    let folder = fixtures.to_str().expect("a text");
    let cli = Cli::try_parse_from([
        "incident-like",
        "serve",
        "--signing-secret",
        "secret",
        "--api",
        "true",
        "--api-rate",
        "0",
        "--corpus",
        folder,
        "--mcp-hosts",
        "localhost",
    ]);
    let Ok(Cli {
        command: Subcommands::Serve(config),
    }) = cli
    else {
        panic!("{:?}", cli.err());
    };
    let library = Arc::new(ArcSwap::from_pointee(library()));
    let runtime = Runtime::new().expect("a runtime");
    let app = runtime.block_on(App::build(&config, &Tuning::DEFAULT, library));
    let router = app.expect("it can be built").router();
    Service { runtime, router }
});

pub(crate) fn run(data: &[u8]) {
    let Some((choice, data)) = data.split_first() else {
        return;
    };
    let choice = usize::from(*choice);
    let parts = texts(data);
    match choice % 4 {
        0 => api(API[choice / 4 % API.len()], &parts),
        1 => page(PAGES[choice / 4 % PAGES.len()], &parts),
        2 => tool(TOOLS[choice / 4 % TOOLS.len()], data, &parts),
        _ => raw(data),
    }
}

/// Asks the service without a network.
fn ask(request: Request<Body>) -> (Response<()>, Vec<u8>) {
    let answer = SERVICE.runtime.block_on(async {
        let response = SERVICE
            .router
            .clone()
            .oneshot(request)
            .await
            .expect("it never fails");
        let (parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX)
            .await
            .expect("a body");
        (Response::from_parts(parts, ()), body.to_vec())
    });
    assert!(
        answer.0.status().as_u16() < 500,
        "{}: {}",
        answer.0.status(),
        String::from_utf8_lossy(&answer.1)
    );
    answer
}

fn get(path: &str) -> (Response<()>, Vec<u8>) {
    // What is no address at all never gets as far as the service.
    let request = Request::get(path)
        .header(header::HOST, "localhost")
        .body(Body::empty());
    ask(request.expect("an address"))
}

fn address(path: &str, names: &[&str], parts: &[String]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (at, part) in parts.iter().enumerate() {
        query.append_pair(names[at % names.len()], part);
    }
    format!("{path}?{}", query.finish())
}

/// What the API answers is JSON, and the same when it is asked again.
fn api((path, names): (&str, &[&str]), parts: &[String]) {
    let address = address(path, names, parts);
    let (_, body) = get(&address);
    let json: Value = serde_json::from_slice(&body).expect("JSON");
    assert!(json.is_object() || json.is_array());
    assert_eq!(body, get(&address).1, "{address}");
}

/// No page repeats what was typed as markup.
fn page((path, names): (&str, &[&str]), parts: &[String]) {
    let marked: Vec<String> = parts.iter().map(|part| format!("{part}{MARK}")).collect();
    let (_, body) = get(&address(path, names, &marked));
    let body = String::from_utf8(body).expect("a text");
    assert!(!body.contains(MARK), "{body}");
}

/// An agent gets JSON-RPC, whatever it asks for.
fn tool((tool, name): (&str, &str), data: &[u8], parts: &[String]) {
    let arguments = serde_json::from_slice(data).unwrap_or_else(|_| json!({ name: parts[0] }));
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
    let (response, body) = post_mcp(call.to_string().into_bytes());
    assert_eq!(response.status(), 200, "{}", String::from_utf8_lossy(&body));
    let answer: Value = serde_json::from_slice(&body).expect("JSON");
    assert!(
        answer["result"].is_object() || answer["error"].is_object(),
        "{answer}"
    );
}

/// Bytes that are no request at all are refused, not obeyed.
fn raw(data: &[u8]) {
    post_mcp(data.to_vec());
    let text = String::from_utf8_lossy(data);
    let path: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    get(&format!("/cases/{path}"));
    get(&format!("/topics/component/{path}"));
    get(&format!("/api/v1/cases/{path}/similar"));
    get(&format!("/api/v1/search?{path}"));
}

fn post_mcp(body: Vec<u8>) -> (Response<()>, Vec<u8>) {
    let request = Request::post("/mcp")
        .header(header::HOST, "localhost")
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-11-25")
        .body(Body::from(body));
    ask(request.expect("a request"))
}
