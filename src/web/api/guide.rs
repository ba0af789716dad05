//! The API's description for people: the page at `/api`, made from the same document as `/openapi.json`.

use std::sync::Arc;

use askama::Template;
use axum::{
    extract::{RawQuery, State},
    http::{HeaderMap, HeaderValue, header},
    response::{Html, IntoResponse, Response},
};
use serde_json::Value;
use tracing::error;

use super::{
    AppState,
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
    description: Vec<Piece>,
    parameters: Vec<Parameter>,
    /// A request to try.
    link: String,
    /// A shortened answer to it.
    example: String,
}

struct Parameter {
    name: String,
    kind: String,
    text: Vec<Piece>,
    in_path: bool,
}

/// A part of a text, either words or code.
struct Piece {
    text: String,
    code: bool,
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
    let documents = Arc::clone(&state.documents);
    let work = move || {
        let document = documents.of(&library);
        let guide = Guide {
            lang: lang.code(),
            ko: lang == Lang::Ko,
            operations: operations(&document, lang),
        };
        guide.render()
    };
    let Ok(Ok(page)) = state.turns.browse(work).await else {
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
    let mut operations: Vec<(usize, Operation)> = own
        .map(|(path, item)| {
            let tag = &item["get"]["tags"][0];
            let place = ORDER.iter().position(|own| tag == own);
            let place = place.unwrap_or(ORDER.len());
            (place, operation(path, &item["get"], lang))
        })
        .collect();
    operations.sort_by_key(|(place, _)| *place);
    operations.into_iter().map(|(_, own)| own).collect()
}

/// In which order groups of routes are told: what most people come for first.
const ORDER: [&str; 3] = ["search", "cases", "browse"];

/// Parts a text at its backticks.
fn pieces(text: &str) -> Vec<Piece> {
    let parts = text.split('`').enumerate();
    parts
        .filter(|(_, part)| !part.is_empty())
        .map(|(at, part)| Piece {
            text: part.to_owned(),
            code: at % 2 == 1,
        })
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
    let parameters = described.iter().map(|parameter| {
        let name = text(&parameter["name"]);
        let korean = (lang == Lang::Ko)
            .then(|| korean_parameter(&name))
            .flatten();
        Parameter {
            kind: kind(&parameter["schema"]),
            text: match korean {
                Some(korean) => pieces(korean),
                None => pieces(&text(&parameter["description"])),
            },
            in_path: parameter["in"] == "path",
            name,
        }
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
            Lang::En => pieces(&text(&operation["description"])),
            Lang::Ko => Vec::new(),
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

fn korean_parameter(name: &str) -> Option<&'static str> {
    Some(match name {
        "q" => {
            "겪고 있는 일. 문장, 알림, 붙여 넣은 로그 모두 되고, 한국어와 영어를 섞어도 된다. 10,000자까지, 주소 전체는 64KiB까지다."
        }
        "cause" => "원인의 slug. 여러 번 주거나 쉼표로 잇는다.",
        "component" => "구성 요소의 slug.",
        "symptom" => "증상의 slug.",
        "factor" => "기여 요인의 slug.",
        "org" => "조직 이름 전체. 대소문자는 가리지 않는다.",
        "tag" => "태그의 slug.",
        "year" => "장애가 시작된 해.",
        "since" => "이 해부터.",
        "until" => "이 해까지.",
        "lang" => "본문과 이름의 언어. `en`이나 `ko`.",
        "limit" => "몇 건을 받을지. 50까지.",
        "offset" => "앞에서 몇 건을 건너뛸지.",
        "order" => {
            "정렬 순서. 주지 않으면 `newest`(최신순)이고, `longest`는 복구까지 오래 걸린 순이다."
        }
        "id" => "사례 ID. 대소문자는 가리지 않는다.",
        "slug" => "분류 값의 이름.",
        "facet" => "분류의 종류.",
        "case" => "이 사례와 가장 비슷한 사례들을 그린다. 필터와 함께 쓸 수 없다.",
        "cases" => "사례도 그릴지.",
        "nodes" => "노드 수의 상한. 150까지이고, 주지 않으면 60.",
        _ => return None,
    })
}
