//! What Slack takes as a view, and the fields of calls that are no messages.
//!
//! From the reference pages of `views.open`, of views and of each block and element in them (docs.slack.dev).

use serde_json::{Map, Value};

/// The fields that each method must and may have.
const FIELDS: &[(&str, &[&str], &[&str])] = &[
    ("views.open", &["trigger_id", "view"], &[]),
    ("views.push", &["trigger_id", "view"], &[]),
    ("views.update", &["view_id", "view"], &["hash"]),
    ("views.publish", &["user_id", "view"], &[]),
    ("chat.unfurl", &["channel", "ts", "unfurls"], &[]),
    (
        "bookmarks.add",
        &["channel_id", "title", "type", "link"],
        &["emoji"],
    ),
    (
        "functions.completeSuccess",
        &["function_execution_id", "outputs"],
        &[],
    ),
    (
        "functions.completeError",
        &["function_execution_id", "error"],
        &[],
    ),
    (
        "assistant.threads.setSuggestedPrompts",
        &["channel_id", "thread_ts", "title", "prompts"],
        &[],
    ),
];

/// Lists what is wrong with a call that is no message.
pub(super) fn act_problems(method: &str, fields: &Map<String, Value>) -> Vec<String> {
    let mut problems = Vec::new();
    let Some((_, must, may)) = FIELDS.iter().find(|(name, ..)| *name == method) else {
        return vec![format!("{method}: no fields are known")];
    };
    for name in *must {
        if fields.get(*name).is_none_or(Value::is_null) {
            problems.push(format!("{method}: `{name}` is missing"));
        }
    }
    for name in fields.keys() {
        if !must.contains(&name.as_str()) && !may.contains(&name.as_str()) {
            problems.push(format!("{method}: unexpected `{name}`"));
        }
    }
    if let Some(unfurls) = fields.get("unfurls") {
        let previews = unfurls
            .as_object()
            .map(|unfurls| unfurls.values().collect());
        for preview in previews.unwrap_or_else(Vec::new) {
            problems.extend(blocks(method, &preview["blocks"], 50));
        }
    }
    problems
}

/// Lists what is wrong with a call that shows a view.
pub(super) fn view_problems(method: &str, fields: &Map<String, Value>) -> Vec<String> {
    let mut problems = act_problems(method, fields);
    let view = fields.get("view").cloned().unwrap_or_default();
    let home = method == "views.publish";
    let kind = if home { "home" } else { "modal" };
    if view["type"] != kind {
        problems.push(format!("{method}: a view of type {}", view["type"]));
    }
    problems.extend(check_view(&view));
    problems
}

/// Lists what is wrong with a view.
pub(crate) fn check_view(view: &Value) -> Vec<String> {
    let mut problems = blocks("view", &view["blocks"], 100);
    let known = [
        "type",
        "title",
        "blocks",
        "close",
        "submit",
        "private_metadata",
        "callback_id",
    ];
    for name in view.as_object().into_iter().flat_map(Map::keys) {
        if !known.contains(&name.as_str()) {
            problems.push(format!("view: unexpected `{name}`"));
        }
    }
    for name in ["title", "submit", "close"] {
        if let Some(text) = view.get(name) {
            problems.extend(plain(name, text, 24));
        }
    }
    if view["type"] == "modal" && view.get("title").is_none() {
        problems.push("view: a modal without a title".to_owned());
    }
    let has_input = view["blocks"]
        .as_array()
        .is_some_and(|blocks| blocks.iter().any(|block| block["type"] == "input"));
    if has_input && view["type"] == "modal" && view.get("submit").is_none() {
        problems.push("view: inputs and nothing that sends them".to_owned());
    }
    for (name, most) in [("private_metadata", 3000), ("callback_id", 255)] {
        let length = view[name].as_str().map_or(0, |text| text.chars().count());
        if length > most {
            problems.push(format!("view: `{name}` has {length} characters"));
        }
    }
    problems
}

fn plain(name: &str, text: &Value, most: usize) -> Vec<String> {
    let length = text["text"].as_str().unwrap_or_default().chars().count();
    if text["type"] != "plain_text" || !(1..=most).contains(&length) {
        return vec![format!("{name}: {text} is no plain text of 1 to {most}")];
    }
    Vec::new()
}

fn blocks(at: &str, blocks: &Value, most: usize) -> Vec<String> {
    let Some(blocks) = blocks.as_array() else {
        return vec![format!("{at}: no blocks")];
    };
    let mut problems = Vec::new();
    if !(1..=most).contains(&blocks.len()) {
        problems.push(format!("{at}: {} blocks", blocks.len()));
    }
    let mut ids = Vec::new();
    for block in blocks {
        if let Some(id) = block["block_id"].as_str() {
            if ids.contains(&id) {
                problems.push(format!("{at}: block `{id}` stands twice"));
            }
            ids.push(id);
        }
        match block["type"].as_str().unwrap_or_default() {
            "rich_text" | "divider" | "context" | "actions" => {}
            "input" => problems.extend(input(block)),
            other => problems.push(format!("{at}: a block of type `{other}`")),
        }
    }
    problems
}

fn input(block: &Value) -> Vec<String> {
    let mut problems = plain("label", &block["label"], 2000);
    if let Some(hint) = block.get("hint") {
        problems.extend(plain("hint", hint, 2000));
    }
    let element = &block["element"];
    if let Some(placeholder) = element.get("placeholder") {
        problems.extend(plain("placeholder", placeholder, 150));
    }
    let options = |name: &str, most: usize| {
        let options = element[name].as_array().cloned().unwrap_or_default();
        let mut problems = Vec::new();
        if !(1..=most).contains(&options.len()) {
            problems.push(format!("`{name}` has {} options", options.len()));
        }
        for option in options {
            problems.extend(plain("option", &option["text"], 75));
            let value = option["value"].as_str().unwrap_or_default().chars().count();
            if !(1..=75).contains(&value) {
                problems.push(format!("an option's value has {value} characters"));
            }
        }
        problems
    };
    match element["type"].as_str().unwrap_or_default() {
        "plain_text_input" => {
            let initial = &element["initial_value"];
            if initial.as_str().is_some_and(str::is_empty) {
                problems.push("an empty initial value".to_owned());
            }
            if element["max_length"].as_u64().unwrap_or(0) > 3000 {
                problems.push("a text of more than 3,000".to_owned());
            }
        }
        "checkboxes" => {
            problems.extend(options("options", 10));
            if element.get("initial_options").is_some() {
                problems.extend(options("initial_options", 10));
            }
        }
        "static_select" => {
            problems.extend(options("options", 100));
            let chosen = element.get("initial_option");
            let offered = element["options"].as_array().cloned().unwrap_or_default();
            if chosen.is_some_and(|chosen| !offered.contains(chosen)) {
                problems.push("what is chosen is not offered".to_owned());
            }
        }
        "multi_external_select" => {}
        other => problems.push(format!("an input of type `{other}`")),
    }
    problems
}

/// Lists what is wrong with what a menu is offered.
pub(crate) fn check_options(offered: &Value) -> Vec<String> {
    let groups: Vec<Value> = match offered["option_groups"].as_array() {
        Some(groups) => groups.clone(),
        None => vec![offered.clone()],
    };
    let mut problems = Vec::new();
    if groups.len() > 100 {
        problems.push("more than 100 groups".to_owned());
    }
    for group in &groups {
        if let Some(label) = group.get("label") {
            problems.extend(plain("label", label, 75));
        }
        let options = group["options"].as_array().cloned().unwrap_or_default();
        if options.len() > 100 {
            problems.push("more than 100 options".to_owned());
        }
        for option in options {
            problems.extend(plain("option", &option["text"], 75));
        }
    }
    problems
}
