//! Changing a question: take away what was misunderstood, add what is missing.

use serde::{Deserialize, Serialize};
use slack_morphism::prelude::*;

use super::{
    ADD, Empty, FormStrings, KEEP, OPTION_TITLE, REFINE, TEXT, chosen, menu_block, modal, name_of,
    term_named, text_block, title_of, written,
};
use crate::{
    corpus::{Lang, TermId},
    library::Library,
    slack::{ChannelId, Ts, command::narrow, inbound::Submission, response_url::ResponseUrl, text},
};

/// Most boxes to tick (docs.slack.dev, checkboxes).
const BOXES: usize = 10;

/// How often what was taken away is looked for in what is left.
const ROUNDS: usize = 3;

/// What a form carries until it is sent: where its answer goes.
#[derive(Serialize, Deserialize)]
pub struct Origin {
    #[serde(rename = "u", default)]
    response_url: Option<String>,
    #[serde(rename = "c", default)]
    channel: String,
    #[serde(rename = "t", default)]
    thread: Option<String>,
    #[serde(rename = "l")]
    lang: String,
    /// Whether the answer takes the place of the message with the button.
    #[serde(rename = "r", default)]
    pub replaces: bool,
    /// The terms that were there to untick.
    #[serde(rename = "k", default)]
    offered: Vec<String>,
}

impl Origin {
    /// Remembers where somebody pressed the button.
    pub fn new(
        channel: &ChannelId,
        thread: Option<&Ts>,
        response_url: Option<&ResponseUrl>,
        replaces: bool,
        lang: Lang,
    ) -> Self {
        Self {
            response_url: response_url.map(|url| url.carried().to_owned()),
            channel: channel.to_string(),
            thread: thread.map(ToString::to_string),
            lang: lang.code().to_owned(),
            replaces,
            offered: Vec::new(),
        }
    }

    /// Reads what a form carried.
    pub fn read(carried: &str) -> Option<Self> {
        serde_json::from_str(carried).ok()
    }

    /// Returns the channel.
    pub fn channel(&self) -> ChannelId {
        self.channel.as_str().into()
    }

    /// Returns the thread.
    pub fn thread(&self) -> Option<Ts> {
        self.thread.as_deref().map(Into::into)
    }

    /// Returns the address for the answer.
    pub fn response_url(&self) -> Option<ResponseUrl> {
        ResponseUrl::parse(self.response_url.as_deref()?)
    }

    /// Returns the language of the form.
    pub fn lang(&self) -> Option<Lang> {
        Lang::from_tag(&self.lang)
    }
}

/// Makes the form for a question.
pub fn refine(library: &Library, question: &str, lang: Lang, mut origin: Origin) -> SlackView {
    let strings = FormStrings::of(lang);
    let asked = narrow::understand(library, question);
    let understood = library.extract(&asked.text);
    let terms: Vec<TermId> = understood.distinct_terms().take(BOXES).collect();
    origin.offered = terms.iter().map(|term| name_of(library, *term)).collect();
    let mut blocks = vec![text_block(question, lang)];
    let boxes: Vec<SlackBlockChoiceItem<SlackBlockText>> = terms
        .iter()
        .map(|term| {
            let facet = library.facet(*term).label(lang);
            let title = format!("{} ({facet})", title_of(library, *term, lang));
            let title = SlackBlockPlainText::new(text::short(&title, OPTION_TITLE));
            SlackBlockChoiceItem::new(title.into(), name_of(library, *term))
        })
        .collect();
    if !boxes.is_empty() {
        let element = SlackBlockCheckboxesElement::new(boxes.clone())
            .with_action_id(KEEP.into())
            .with_initial_options(boxes);
        let block = SlackInputBlock::new(strings.keep.into(), element.into())
            .with_block_id(KEEP.into())
            .with_optional(true);
        blocks.push(block.into());
    }
    blocks.push(menu_block(ADD, strings.add, strings.add_placeholder));
    let carried = serde_json::to_string(&origin).unwrap_or_default();
    modal(
        strings.refine_title,
        blocks,
        lang,
        Some(REFINE),
        Some(carried),
    )
}

/// Returns the question that a form makes of what was entered: the words of what was unticked go, the names of what was
/// added come.
///
/// # Errors
/// When nothing is left to ask.
pub fn refined(
    library: &Library,
    submission: &Submission,
    origin: &Origin,
    lang: Lang,
) -> Result<String, Empty> {
    let mut question = written(&submission.values, TEXT).trim().to_owned();
    let kept = chosen(&submission.values, KEEP);
    let dropped: Vec<TermId> = origin
        .offered
        .iter()
        .filter(|name| !kept.contains(&name.as_str()))
        .filter_map(|name| term_named(library, name))
        .collect();
    for _ in 0..ROUNDS {
        // What is left may hold the term in other words: "etcd" within "etcd cluster".
        if !without(library, &mut question, &dropped) {
            break;
        }
    }
    for name in chosen(&submission.values, ADD) {
        let Some(term) = term_named(library, name) else {
            continue;
        };
        let has = |text: &str| {
            library
                .extract(text)
                .distinct_terms()
                .any(|own| own == term)
        };
        if has(&question) {
            continue;
        }
        let label = library.label(term, lang);
        // A name that means several things alone is no way to add this one.
        let words = if has(label) { label } else { name };
        if !question.is_empty() {
            question.push(' ');
        }
        question.push_str(words);
    }
    if question.is_empty() {
        return Err(Empty);
    }
    Ok(question)
}

/// Takes the words of terms out of a question; returns whether there were any.
fn without(library: &Library, question: &mut String, dropped: &[TermId]) -> bool {
    let asked = narrow::understand(library, question);
    let found = library.extract(&asked.text);
    let mut spans: Vec<_> = found
        .terms
        .iter()
        .filter(|found| dropped.contains(&found.term))
        .map(|found| {
            // "hang" is what was found of "hangs"; half a word is of no use to anybody.
            let rest = question.get(found.span.end..).unwrap_or_default();
            let ending = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
            found.span.start..found.span.end + ending
        })
        .filter(|span| question.get(span.clone()).is_some())
        .collect();
    if spans.is_empty() {
        return false;
    }
    // From the end, so that earlier spans stay true; overlapping ones are blanked by the first.
    spans.sort_by_key(|span| std::cmp::Reverse(span.start));
    for span in spans {
        let blank = " ".repeat(span.len());
        question.replace_range(span, &blank);
    }
    *question = question.split_whitespace().collect::<Vec<_>>().join(" ");
    true
}
