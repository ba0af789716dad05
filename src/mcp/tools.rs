//! The table of tools: name, what it is for, schemas of arguments and answer, and the function that answers.

use std::{
    any::Any,
    sync::{Arc, LazyLock},
};

use rmcp::{
    ErrorData,
    handler::server::tool::{schema_for_input, schema_for_output},
    model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations},
};
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    case, list,
    refusal::{self, Refusal},
    search, topic, vocab,
};
use crate::{corpus::nearest, library::Library};

/// Answers a call or says what is wrong with it.
type Answer = Box<dyn Fn(&Library, JsonObject) -> Result<Written, Failure> + Send + Sync>;

/// A tool.
pub(super) struct Entry {
    /// What clients are told about it.
    pub(super) tool: Tool,
    answer: Answer,
}

/// An answer, for programs and as text. The text keeps the order of the fields, the essential ones first.
struct Written {
    structured: Value,
    text: String,
}

/// Why a call has no answer.
enum Failure {
    /// The agent can do better.
    Refused(Refusal),
    /// It cannot.
    Internal,
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

static ENTRIES: LazyLock<[Entry; 5]> = LazyLock::new(|| {
    [
        entry(
            "search_incidents",
            "Search incidents",
            "Finds the past incidents closest to what is seen now, best first, and says why each is close (`matched`, \
             `missing`), what set it off, what worked and what its owners learned. Give the symptoms, alerts and error \
             strings as they are; English, Korean or both. Filters narrow the search.",
            search::search,
        ),
        entry(
            "get_incident",
            "Get an incident",
            "Gives one incident in full: impact, symptoms, trigger, mechanism, detection, timed actions and what they did, \
             follow-ups, lessons, sources, and related incidents with the reason.",
            case::get,
        ),
        entry(
            "list_incidents",
            "List incidents",
            "Lists incidents by cause, component, symptom, factor, tag, organisation and years, newest first, with what is \
             commonest among them. Without filters it lists the whole library.",
            list::list,
        ),
        entry(
            "get_topic",
            "Get a topic",
            "Tells about one cause, component, symptom or factor: its definition, what it goes together with (what usually \
             causes this symptom, what this component fails of), its newest incidents, their lessons and follow-ups.",
            topic::get,
        ),
        entry(
            "vocab",
            "List the vocabulary",
            "Lists the slugs that filters and `get_topic` take, commonest first: causes, components, symptoms and factors, or \
             tags or organisations. `query` finds names that contain a word, in either language.",
            vocab::vocab,
        ),
    ]
});

/// Returns what clients are told about the tools.
pub(super) fn all() -> Vec<Tool> {
    ENTRIES.iter().map(|entry| entry.tool.clone()).collect()
}

/// Finds a tool by its name.
pub(super) fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.tool.name == name)
}

/// Says that there is no such tool.
pub(super) fn unknown(name: &str) -> Refusal {
    let names: Vec<&str> = ENTRIES.iter().map(|entry| &*entry.tool.name).collect();
    let hint = nearest(name, names.iter().copied()).map_or_else(
        || format!("the tools are {}", refusal::list(&names)),
        |near| format!("did you mean `{near}`?"),
    );
    Refusal::new(format!("there is no tool `{}`", refusal::echo(name)), hint)
}

impl Entry {
    /// Answers a call. What the agent can mend is a result that it reads; the protocol's errors are often hidden from it.
    pub(super) fn call(
        &self,
        library: &Library,
        arguments: JsonObject,
    ) -> Result<CallToolResult, ErrorData> {
        match (self.answer)(library, arguments) {
            Ok(Written { structured, text }) => {
                let mut result = CallToolResult::structured(structured);
                result.content = vec![ContentBlock::text(text)];
                Ok(result)
            }
            Err(Failure::Refused(refusal)) => Ok(CallToolResult::error(vec![ContentBlock::text(
                refusal.to_string(),
            )])),
            Err(Failure::Internal) => Err(ErrorData::internal_error(
                "the answer cannot be written",
                None,
            )),
        }
    }
}

fn entry<A, R>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    answer: fn(&Library, &A) -> Result<R, Refusal>,
) -> Entry
where
    A: DeserializeOwned + JsonSchema + Any,
    R: Serialize + JsonSchema + Any,
{
    let mut input = plain(&schema_for_input::<A>().expect("arguments are objects"));
    input.insert("additionalProperties".to_owned(), Value::Bool(false));
    let known: Vec<String> = input
        .get("properties")
        .and_then(Value::as_object)
        .map(|properties| properties.keys().cloned().collect())
        .unwrap_or_default();
    let annotations = ToolAnnotations::new()
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    let tool = Tool::new(name, description, input)
        .with_title(title)
        .with_raw_output_schema(Arc::new(plain(&schema_for_output::<R>())))
        .with_annotations(annotations);
    let answer = move |library: &Library, arguments: JsonObject| {
        let arguments = parse(&arguments, &known)?;
        let answer = answer(library, &arguments)?;
        let structured = serde_json::to_value(&answer).map_err(|_| Failure::Internal)?;
        let text = serde_json::to_string(&answer).map_err(|_| Failure::Internal)?;
        Ok(Written { structured, text })
    };
    Entry {
        tool,
        answer: Box::new(answer),
    }
}

/// Makes a schema that every client understands. Absent values are left out and never `null`, so a type need not allow it;
/// formats such as `uint` are Rust's own.
fn plain(schema: &JsonObject) -> JsonObject {
    fn simplify(value: &mut Value) {
        match value {
            Value::Object(object) => {
                if let Some(Value::Array(types)) = object.get_mut("type") {
                    types.retain(|name| name != "null");
                    if let [only] = types.as_slice() {
                        object["type"] = only.clone();
                    }
                }
                if let Some(Value::Array(values)) = object.get_mut("enum") {
                    values.retain(|value| !value.is_null());
                }
                if let Some(Value::String(text)) = object.get_mut("description") {
                    *text = text.replace('\n', " ");
                }
                object.retain(|key, value| {
                    // Properties may have the same names; theirs are objects.
                    !(key == "format" && value.is_string()
                        || key == "default" && !value.is_object())
                });
                object.values_mut().for_each(simplify);
            }
            Value::Array(values) => values.iter_mut().for_each(simplify),
            _ => {}
        }
    }
    let mut schema = schema.clone();
    schema.values_mut().for_each(simplify);
    schema
}

/// Reads the arguments. An unknown one is refused: a misspelt filter must not widen the search in silence.
fn parse<A: DeserializeOwned>(arguments: &JsonObject, known: &[String]) -> Result<A, Refusal> {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    if let Some(strange) = arguments
        .keys()
        .find(|name| !known.contains(&name.as_str()))
    {
        return Err(Refusal::unknown_argument(strange, &known));
    }
    let read = |arguments: &JsonObject| {
        serde_json::from_value(Value::Object(arguments.clone()))
            .map_err(|error: serde_json::Error| error.to_string())
    };
    read(arguments).map_err(|error| {
        // The parser does not name the argument: it is the one without which the error is another.
        let culprit = arguments.keys().find(|name| {
            let mut others = arguments.clone();
            others.remove(*name);
            read(&others).err().as_ref() != Some(&error)
        });
        let problem = culprit.map_or("the arguments cannot be read".to_owned(), |name| {
            format!("`{name}` cannot be read")
        });
        Refusal::new(problem, error)
    })
}
