//! The API's description for programs: OpenAPI 3.1, made from the routes and filled in from the library that answers.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use axum::{extract::State, response::Response};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{Info, License, OpenApi, Paths, Tag, schema::ComponentsBuilder},
};

use super::{
    AppState, blocking, described,
    problem::{Problem, ProblemView},
};
use crate::{
    corpus::{Case, Facet, Lang},
    library::{Drawing, Filters, Library, Lookup, Order, Scope},
    views,
};

/// The text with which examples search, so that they show a real answer.
const EXAMPLE_TEXT: &str = "nodes fail the load balancer health check one by one";

/// Items of a list that an example shows.
const SHOWN: usize = 2;

/// The document as it was made last, with the library whose answers it quotes: making it takes as long as a dozen lookups.
#[derive(Default)]
pub struct Documents(Mutex<Option<(Weak<Library>, Arc<Value>)>>);

impl Documents {
    /// Returns the document for a library.
    pub(super) fn of(&self, library: &Arc<Library>) -> Arc<Value> {
        let own = Arc::downgrade(library);
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*made {
            Some((of, document)) if of.ptr_eq(&own) => Arc::clone(document),
            _ => {
                let document = Arc::new(document(library));
                *made = Some((own, Arc::clone(&document)));
                document
            }
        }
    }
}

/// A document that others read too.
struct Shared(Arc<Value>);

impl Serialize for Shared {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

/// Answers `GET /openapi.json`.
pub(super) async fn openapi(State(state): State<AppState>) -> Result<Response, Problem> {
    let (library, documents) = (state.library.load_full(), Arc::clone(&state.documents));
    blocking(&state, move || Shared(documents.of(&library))).await
}

/// What the document says of the whole.
pub(super) fn introduction() -> OpenApi {
    let mut info = Info::new("incident-like", env!("CARGO_PKG_VERSION"));
    info.description = Some(
        "Past incidents for what an on-call engineer sees: search, cases, topics, the graph and figures. No key is \
         needed. Every text comes from a case, and every case from a source. Answers carry a strong `ETag`; refusals \
         are problem documents (RFC 9457) with a `hint` and, for unknown names, the `nearest` known ones."
            .to_owned(),
    );
    info.license = Some(License::new("Apache-2.0"));
    let mut openapi = OpenApi::new(info, Paths::new());
    let tag = |name: &str, description: &str| {
        let mut tag = Tag::new(name);
        tag.description = Some(description.to_owned());
        tag
    };
    openapi.tags = Some(vec![
        tag("search", "From a text to its closest precedents"),
        tag("cases", "Cases, whole and in lists"),
        tag("browse", "What cases have in common"),
    ]);
    openapi.components = Some(
        ComponentsBuilder::new()
            .schema(ProblemView::name(), ProblemView::schema())
            .build(),
    );
    openapi
}

/// Makes the whole document for what a library holds.
fn document(library: &Library) -> Value {
    let openapi = described().into_openapi();
    let mut document = serde_json::to_value(openapi).unwrap_or_default();
    let examples = Examples::of(library);
    add_names(&mut document["components"]["schemas"], library);
    let Some(paths) = document["paths"].as_object_mut() else {
        return document;
    };
    for (path, item) in paths.iter_mut() {
        let operation = &mut item["get"];
        describe_parameters(&mut operation["parameters"], &examples);
        add_refusals(path, operation);
        let good = &mut operation["responses"]["200"];
        good["headers"] = json!({
            "ETag": header_of("Names these very bytes; send it as `If-None-Match`"),
            "Cache-Control": header_of("For how long the answer is fresh"),
        });
        if let Some(example) = examples.answer(path) {
            good["content"]["application/json"]["example"] = example;
        }
    }
    // The same cases at the addresses at which they were first known.
    for (path, known_as) in [
        ("/api/v1/cases/{id}", "/cases/{id}.json"),
        ("/api/v1/cases/{id}/similar", "/cases/{id}/similar.json"),
    ] {
        let mut item = paths.get(path).cloned().unwrap_or_default();
        let id = item["get"]["operationId"].as_str().unwrap_or_default();
        item["get"]["operationId"] = format!("{id}_json").into();
        paths.insert(known_as.to_owned(), item);
    }
    document
}

fn header_of(description: &str) -> Value {
    json!({ "description": description, "schema": { "type": "string" } })
}

/// Names of the schemas that list what filters take.
const NAME_SCHEMAS: [(&str, &str); 6] = [
    ("cause", "CauseSlug"),
    ("component", "ComponentSlug"),
    ("symptom", "SymptomSlug"),
    ("factor", "FactorSlug"),
    ("tag", "TagSlug"),
    ("org", "OrganisationName"),
];

/// Adds schemas of the names that filters take: an unknown one is refused.
fn add_names(schemas: &mut Value, library: &Library) {
    let vocabulary = library.corpus().vocabulary();
    let all = library.list(&Filters::default(), Order::Newest, 0, 0);
    for (parameter, schema) in NAME_SCHEMAS {
        let names: Vec<&str> = match Facet::from_slug(parameter) {
            Some(facet) => vocabulary
                .facet(facet)
                .map(|(_, term)| term.slug.as_str())
                .collect(),
            None if parameter == "tag" => vocabulary
                .tags()
                .iter()
                .map(|tag| tag.slug.as_str())
                .collect(),
            None => all
                .named
                .organisations
                .iter()
                .map(|own| &*own.name)
                .collect(),
        };
        schemas[schema] = json!({ "type": "string", "enum": names });
    }
}

/// Completes what the code says of parameters by what the library knows.
fn describe_parameters(parameters: &mut Value, examples: &Examples) {
    for parameter in parameters.as_array_mut().into_iter().flatten() {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        let schema = &mut parameter["schema"];
        // An absent parameter is left out; the word `null` is no value of it.
        if let Some(types) = schema.get_mut("type").and_then(Value::as_array_mut) {
            types.retain(|own| own != "null");
            if let [one] = types.as_slice() {
                schema["type"] = one.clone();
            }
        }
        if let Some(choices) = schema.get_mut("oneOf").and_then(Value::as_array_mut) {
            choices.retain(|own| own["type"] != "null");
            if let [one] = choices.as_slice() {
                *schema = one.clone();
            }
        }
        let known = NAME_SCHEMAS.iter().find(|(known, _)| *known == name);
        if let Some((_, names)) = known {
            let names = json!({ "$ref": format!("#/components/schemas/{names}") });
            if schema["type"] == "array" {
                schema["items"] = names;
            } else {
                *schema = names;
            }
        }
        if name == "id" || name == "case" {
            schema["pattern"] = "^[A-Za-z]{2,8}-[0-9]{1,8}$".into();
        }
        if let Some(example) = examples.parameter(&name) {
            parameter["example"] = example;
        }
    }
}

/// Adds the refusals that every route may answer with.
fn add_refusals(path: &str, operation: &mut Value) {
    let refusal = |description: &str| {
        let schema = format!("#/components/schemas/{}", ProblemView::name());
        json!({
            "description": description,
            "content": { "application/problem+json": { "schema": { "$ref": schema } } },
        })
    };
    let responses = &mut operation["responses"];
    responses["304"] = json!({ "description": "The client has this very answer" });
    responses["400"] =
        refusal("A parameter is unknown, misspelt or out of range; `hint` says what to do");
    if path.contains('{') || path.ends_with("/graph") {
        responses["404"] =
            refusal("There is no such thing; `nearest` names what may have been meant");
    }
    if path.ends_with("/search") || path.ends_with("/extract") {
        responses["414"] = json!({
            "description": "The address is longer than 64 KiB; percent-encoding makes texts long",
        });
    }
    for (status, description) in [
        (
            "429",
            "Too many requests; `Retry-After` says when the next one is welcome",
        ),
        ("503", "The answer took too long"),
    ] {
        let mut refused = refusal(description);
        refused["headers"] = json!({ "Retry-After": {
            "description": "Seconds to wait", "schema": { "type": "integer", "minimum": 1 },
        } });
        responses[status] = refused;
    }
    responses["500"] = refusal("The answer could not be made; trying again may help");
}

/// Real answers, shortened.
struct Examples<'a> {
    library: &'a Library,
    case: Option<Arc<Case>>,
}

impl<'a> Examples<'a> {
    fn of(library: &'a Library) -> Self {
        // The best precedent of the text shows the most; a library without one shows its newest case.
        let lookup = Lookup {
            limit: 1,
            ..Lookup::new(EXAMPLE_TEXT)
        };
        let best = library.lookup(&lookup).precedents.pop();
        let newest = || {
            library
                .list(&Filters::default(), Order::Newest, 0, 1)
                .cases
                .pop()
        };
        Self {
            library,
            case: best.map(|best| best.case).or_else(newest),
        }
    }

    fn parameter(&self, name: &str) -> Option<Value> {
        let case = self.case.as_ref()?;
        let component = *case.components.first()?;
        let slug = || {
            self.library
                .corpus()
                .vocabulary()
                .term(component)
                .slug
                .as_str()
        };
        match name {
            "q" => Some(EXAMPLE_TEXT.into()),
            "id" => Some(case.id.as_str().into()),
            "component" => Some(json!([slug()])),
            "facet" => Some(Facet::Component.slug().into()),
            "slug" => Some(slug().into()),
            _ => None,
        }
    }

    fn answer(&self, path: &str) -> Option<Value> {
        let (library, lang) = (self.library, Lang::En);
        let case = self.case.as_ref()?;
        let everything = Filters::default();
        match path {
            "/api/v1/search" => {
                let lookup = Lookup {
                    limit: 1,
                    ..Lookup::new(EXAMPLE_TEXT)
                };
                let answer = library.lookup(&lookup);
                shown(&views::search(library, EXAMPLE_TEXT, &answer, lang))
            }
            "/api/v1/extract" => {
                let terms = library.extract(EXAMPLE_TEXT);
                shown(&views::extract(library, EXAMPLE_TEXT, &terms, lang))
            }
            "/api/v1/cases" => {
                let list = library.list(&everything, Order::Newest, 0, 1);
                shown(&views::cases(library, &list, 0, None, lang))
            }
            "/api/v1/cases/{id}" => shown(&views::case(library, case, None)),
            "/api/v1/cases/{id}/similar" => {
                let related = library.similar(&case.id, 1).ok()?;
                shown(&views::related(library, &related, lang))
            }
            "/api/v1/topics/{facet}/{slug}" => {
                let topic = library.topic(*case.components.first()?);
                shown(&views::topic(library, &topic, 0, 1, lang))
            }
            "/api/v1/vocab" => shown(&views::vocab(library, Some(Facet::Cause), lang)),
            "/api/v1/graph" => {
                let drawing = Drawing::default();
                let graph = library.graph(&Scope::Found(everything), &drawing).ok()?;
                shown(&views::graph(library, &graph, lang))
            }
            "/api/v1/stats" => {
                let stats = library.stats(&everything);
                shown(&views::stats(library, &stats, lang))
            }
            _ => None,
        }
    }
}

/// Writes a view with the first items of its lists.
fn shown(view: &impl Serialize) -> Option<Value> {
    let mut value = serde_json::to_value(view).ok()?;
    shorten(&mut value);
    Some(value)
}

fn shorten(value: &mut Value) {
    match value {
        Value::Array(items) => {
            // A span is a pair.
            items.truncate(SHOWN);
            items.iter_mut().for_each(shorten);
        }
        Value::Object(members) => members.values_mut().for_each(shorten),
        _ => {}
    }
}
