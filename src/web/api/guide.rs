//! The API's description for people: the page at `/api`, made from the same document as `/openapi.json`.

use askama::Template;
use axum::{
    extract::{RawQuery, State},
    http::{HeaderMap, HeaderValue, header},
    response::{Html, IntoResponse, Response},
};
use serde_json::Value;
use tracing::error;

use super::{
    AppState, document,
    parameters::{LangParameters, Parameters},
    problem::Problem,
};
use crate::corpus::Lang;

/// The page holds nothing but text and its own style.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

#[derive(Template)]
#[template(path = "api.html")]
struct Guide {
    lang: &'static str,
    ko: bool,
    operations: Vec<Operation>,
}

struct Operation {
    anchor: String,
    path: String,
    summary: String,
    description: String,
    parameters: Vec<Parameter>,
    /// A request to try.
    link: String,
    /// A shortened answer to it.
    example: String,
}

struct Parameter {
    name: String,
    kind: String,
    text: String,
    in_path: bool,
}

/// Answers `GET /api`.
pub(super) async fn page(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let library = state.library.load_full();
    let mut query = Parameters::parse(query.as_deref())?;
    let LangParameters { lang } = query.lang()?;
    query.finish()?;
    let lang = lang.unwrap_or_else(|| accepted(&headers));
    let work = move || {
        let document = document::document(&library);
        let guide = Guide {
            lang: lang.code(),
            ko: lang == Lang::Ko,
            operations: operations(&document, lang),
        };
        guide.render()
    };
    let Ok(Ok(page)) = tokio::task::spawn_blocking(work).await else {
        error!("the page of the API could not be made");
        return Err(Problem::failure());
    };
    let headers = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::VARY, HeaderValue::from_static("accept-language")),
    ];
    Ok((headers, Html(page)).into_response())
}

/// Returns the first of a browser's languages that there is.
fn accepted(headers: &HeaderMap) -> Lang {
    let list = headers.get(header::ACCEPT_LANGUAGE);
    let list = list.and_then(|list| list.to_str().ok()).unwrap_or_default();
    let mut tags = list.split(',').filter_map(|tag| tag.split(';').next());
    tags.find_map(|tag| Lang::from_tag(tag.trim()))
        .unwrap_or(Lang::En)
}

fn operations(document: &Value, lang: Lang) -> Vec<Operation> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let own = paths.filter(|(path, _)| path.starts_with("/api/"));
    own.map(|(path, item)| operation(path, &item["get"], lang))
        .collect()
}

fn operation(path: &str, operation: &Value, lang: Lang) -> Operation {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let described = operation["parameters"].as_array();
    let described = described.map(Vec::as_slice).unwrap_or_default();
    let mut link = path.to_owned();
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for parameter in described {
        let example = &parameter["example"];
        let (name, example) = (&parameter["name"], example.get(0).unwrap_or(example));
        let (Some(name), Some(example)) = (name.as_str(), example.as_str()) else {
            continue;
        };
        if parameter["in"] == "path" {
            link = link.replace(&format!("{{{name}}}"), example);
        } else if name == "q" || !path.contains("/search") {
            query.append_pair(name, example);
        }
    }
    let query = query.finish();
    if !query.is_empty() {
        link = format!("{link}?{query}");
    }
    let parameters = described.iter().map(|parameter| Parameter {
        name: text(&parameter["name"]),
        kind: kind(&parameter["schema"]),
        text: text(&parameter["description"]),
        in_path: parameter["in"] == "path",
    });
    let example = &operation["responses"]["200"]["content"]["application/json"]["example"];
    let summary = match lang {
        Lang::Ko => korean(path).map(str::to_owned),
        Lang::En => None,
    };
    Operation {
        anchor: text(&operation["operationId"]),
        path: path.to_owned(),
        summary: summary.unwrap_or_else(|| text(&operation["summary"])),
        description: match lang {
            Lang::En => text(&operation["description"]),
            Lang::Ko => String::new(),
        },
        parameters: parameters.collect(),
        link,
        example: serde_json::to_string_pretty(example).unwrap_or_default(),
    }
}

/// Says in a word what values a parameter takes.
fn kind(schema: &Value) -> String {
    let choices = schema["enum"]
        .as_array()
        .filter(|choices| choices.len() < 8);
    if let Some(choices) = choices {
        let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
        return choices.join(" | ");
    }
    let reference = schema["items"]["$ref"].as_str().or(schema["$ref"].as_str());
    match reference {
        Some(name) => name.rsplit('/').next().unwrap_or_default().to_owned(),
        None => schema["type"].as_str().unwrap_or_default().to_owned(),
    }
}

fn korean(path: &str) -> Option<&'static str> {
    Some(match path {
        "/api/v1/search" => "글이나 필터로 가장 비슷한 사례를 찾고, 왜 비슷한지 알려 준다.",
        "/api/v1/extract" => "검색하지 않고 글에서 무엇을 알아들었는지만 알려 준다.",
        "/api/v1/cases" => "사례 목록을 페이지 단위로 준다.",
        "/api/v1/cases/{id}" => {
            "사례 하나의 모든 항목을 준다. lang을 주지 않으면 두 언어가 함께 온다."
        }
        "/api/v1/cases/{id}/similar" => "한 사례와 가장 비슷한 사례와 그 이유를 준다.",
        "/api/v1/topics/{facet}/{slug}" => {
            "분류 값 하나를 다룬다. 사례, 함께 나타나는 값, 자주 나온 교훈과 후속 조치를 준다."
        }
        "/api/v1/vocab" => "사례를 설명하고 필터로 쓰는 분류 값을 모두 준다.",
        "/api/v1/graph" => {
            "원인, 구성 요소, 증상, 기여 요인과 사례가 어떻게 이어지는지 그래프로 준다."
        }
        "/api/v1/stats" => "필터에 맞는 사례를 세어 통계로 준다.",
        _ => return None,
    })
}
