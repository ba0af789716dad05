//! Forms in modal views: changing a question, searching from anywhere, and what comes of it. Pure over a [`Library`].
//!
//! A form ends in a text of the small language of [`super::command::narrow`], so that it is asked, shown and asked again
//! like one that was typed.

use serde_json::Value;
use slack_morphism::prelude::*;

use super::{Message, action::Action, action::Button, strings::forms::FormStrings, text};
use crate::{
    corpus::{Facet, Lang, TermId},
    library::{Filter, Library},
};

mod options;
mod refine;
mod search;

pub use options::options;
pub use refine::{Origin, refine, refined};
pub use search::{asked, search};

/// Callback id of the form that changes a question.
pub const REFINE: &str = "precedent_refine";
/// Callback id of the form that asks one.
pub const SEARCH: &str = "precedent_search_form";

/// Longest text that Slack lets one enter, in characters.
const TEXT_LENGTH: usize = 3000;
/// Longest title of an option, in units.
const OPTION_TITLE: usize = 75;
/// Most things that can be chosen in one menu.
const CHOSEN: u64 = 10;

/// Names of blocks and of the elements in them.
const TEXT: &str = "text";
const KEEP: &str = "keep";
const ADD: &str = "add";
const SINCE: &str = "since";

/// Nothing was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Empty;

/// Returns what Slack is answered when nothing was entered: the form stays, with a word at its text.
pub fn empty(lang: Lang) -> Value {
    let words = FormStrings::of(lang).empty;
    serde_json::json!({"response_action": "errors", "errors": {TEXT: words}})
}

/// Returns what Slack is answered to show another view in the form's place.
pub fn update(view: &SlackView) -> Value {
    serde_json::json!({"response_action": "update", "view": view})
}

/// Makes the view of an answer. What takes a channel is left out: a view has none.
pub fn results(message: &Message, lang: Lang) -> SlackView {
    let blocks = message.blocks.iter().cloned().filter_map(within_view);
    let title = FormStrings::of(lang).results_title;
    modal(title, blocks.collect(), lang, None, None)
}

/// Makes the view that stands until an answer is there.
pub fn searching(lang: Lang) -> SlackView {
    let words = super::strings::Strings::of(lang).searching;
    let text = SlackRichTextText::new(words.to_owned());
    let section = SlackRichTextSection::new(vec![text.into()]);
    let block = SlackRichTextBlock::new(vec![section.into()]);
    let title = FormStrings::of(lang).results_title;
    modal(title, vec![block.into()], lang, None, None)
}

/// Returns a message's block for a view.
fn within_view(block: SlackBlock) -> Option<SlackBlock> {
    let SlackBlock::Actions(mut actions) = block else {
        return Some(block);
    };
    actions.elements.retain(|element| {
        let SlackActionBlockElement::Button(button) = element else {
            return true;
        };
        let id = button.action_id.as_ref().map(|id| id.0.as_str());
        let read = Button::parse(
            id.unwrap_or_default(),
            button.value.as_deref().unwrap_or_default(),
        );
        read.is_some_and(|button| {
            matches!(
                button.action,
                Action::Details { .. } | Action::More { .. } | Action::Ask { .. } | Action::Edit
            )
        })
    });
    (!actions.elements.is_empty()).then_some(SlackBlock::Actions(actions))
}

/// Makes a modal view; one with a callback id has a button that sends it.
fn modal(
    title: &str,
    blocks: Vec<SlackBlock>,
    lang: Lang,
    callback: Option<&str>,
    carried: Option<String>,
) -> SlackView {
    let strings = FormStrings::of(lang);
    let close = match callback {
        Some(_) => strings.cancel,
        None => strings.close,
    };
    let mut view = SlackModalView::new(title.into(), blocks).with_close(close.into());
    view.submit = callback.map(|_| strings.submit.into());
    view.callback_id = callback.map(|id| SlackCallbackId(id.to_owned()));
    view.private_metadata = carried;
    SlackView::Modal(view)
}

/// Makes the block into which the question is written.
fn text_block(initial: &str, lang: Lang) -> SlackBlock {
    let strings = FormStrings::of(lang);
    let initial: String = initial.chars().take(TEXT_LENGTH).collect();
    let mut element = SlackBlockPlainTextInputElement::new()
        .with_action_id(TEXT.into())
        .with_placeholder(strings.placeholder.into())
        .with_multiline(true)
        .with_max_length(TEXT_LENGTH as u64)
        .with_focus_on_load(true);
    // Slack refuses an empty one.
    element.initial_value = (!initial.trim().is_empty()).then_some(initial);
    SlackInputBlock::new(strings.text.into(), element.into())
        .with_block_id(TEXT.into())
        .with_hint(strings.text_hint.into())
        .with_optional(true)
        .into()
}

/// Makes a menu that is filled while somebody types.
fn menu_block(name: &str, label: &str, placeholder: &str) -> SlackBlock {
    let element = SlackBlockMultiExternalSelectElement::new()
        .with_action_id(name.into())
        .with_placeholder(placeholder.into())
        .with_max_selected_items(CHOSEN)
        .with_min_query_length(0);
    SlackInputBlock::new(label.into(), element.into())
        .with_block_id(name.into())
        .with_optional(true)
        .into()
}

/// Returns what was written into a text.
fn written<'v>(values: &'v Value, name: &str) -> &'v str {
    let value = values.pointer(&format!("/{name}/{name}/value"));
    value.and_then(Value::as_str).unwrap_or_default()
}

/// Returns what was chosen in a menu or in boxes.
fn chosen<'v>(values: &'v Value, name: &str) -> Vec<&'v str> {
    let options = values.pointer(&format!("/{name}/{name}/selected_options"));
    let options = options.and_then(Value::as_array).into_iter().flatten();
    options
        .filter_map(|option| option.get("value")?.as_str())
        .take(100)
        .collect()
}

/// Returns a term's name for an option's value: `component:etcd`.
fn name_of(library: &Library, term: TermId) -> String {
    let term = library.corpus().vocabulary().term(term);
    Filter::Term(term.facet).typed(&term.slug)
}

/// Finds a term by that name.
fn term_named(library: &Library, name: &str) -> Option<TermId> {
    let (facet, slug) = name.split_once(':')?;
    let facet = Facet::from_slug(facet)?;
    library.corpus().vocabulary().find(facet, slug)
}

/// Returns a term's title in an option: its label, and the other language's where that is another word.
fn title_of(library: &Library, term: TermId, lang: Lang) -> String {
    let label = &library.corpus().vocabulary().term(term).label;
    let (own, other) = (label.get(lang), label.get(lang.other()));
    let title = if own == other {
        own.to_owned()
    } else {
        format!("{own} · {other}")
    };
    text::short(&title, OPTION_TITLE)
}

#[cfg(test)]
mod tests;
