//! Searching from anywhere, with menus for what narrows.

use slack_morphism::prelude::*;

use super::{
    CHOSEN, Empty, FormStrings, SEARCH, SINCE, TEXT, chosen, menu_block, modal, text_block, written,
};
use crate::{
    corpus::{Facet, Lang},
    library::{Filter, Library},
    slack::inbound::Submission,
};

/// Facets that have a menu; factors are found by their words.
const MENUS: [Facet; 3] = [Facet::Component, Facet::Symptom, Facet::Cause];

/// Most years to choose from (docs.slack.dev, select menus).
const YEARS: usize = 100;

/// Makes the form, with a question to begin with.
pub fn search(library: &Library, question: &str, lang: Lang) -> SlackView {
    let strings = FormStrings::of(lang);
    let mut blocks = vec![text_block(question, lang)];
    for facet in MENUS {
        let label = match facet {
            Facet::Component => strings.component,
            Facet::Symptom => strings.symptom,
            Facet::Cause | Facet::Factor => strings.cause,
        };
        blocks.push(menu_block(facet.slug(), label, strings.narrow_placeholder));
    }
    let years: Vec<SlackBlockChoiceItem<SlackBlockPlainTextOnly>> = years(library)
        .into_iter()
        .map(|year| {
            let year = year.to_string();
            SlackBlockChoiceItem::new(year.as_str().into(), year)
        })
        .collect();
    if !years.is_empty() {
        let element = SlackBlockStaticSelectElement::new()
            .with_action_id(SINCE.into())
            .with_placeholder(strings.since_placeholder.into())
            .with_options(years);
        let block = SlackInputBlock::new(strings.since.into(), element.into())
            .with_block_id(SINCE.into())
            .with_optional(true);
        blocks.push(block.into());
    }
    modal(strings.search_title, blocks, lang, Some(SEARCH), None)
}

/// Returns the question that the form makes of what was entered.
///
/// # Errors
/// When nothing was entered.
pub fn asked(submission: &Submission) -> Result<String, Empty> {
    let values = &submission.values;
    let mut parts = vec![written(values, TEXT).trim().to_owned()];
    for facet in MENUS {
        let menu = chosen(values, facet.slug());
        let names = menu.into_iter().take(usize::try_from(CHOSEN).unwrap_or(0));
        // Only what the menu offers: names of that facet.
        parts.extend(
            names
                .filter(|name| {
                    name.split_once(':')
                        .is_some_and(|(of, _)| of == facet.slug())
                })
                .map(str::to_owned),
        );
    }
    let year = values.pointer(&format!("/{SINCE}/{SINCE}/selected_option/value"));
    if let Some(year) = year.and_then(|year| year.as_str()?.parse::<u16>().ok()) {
        parts.push(Filter::Since.typed(&year.to_string()));
    }
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        return Err(Empty);
    }
    Ok(parts.join(" "))
}

/// Returns the years of cases, latest first.
fn years(library: &Library) -> Vec<u16> {
    let cases = library.corpus().cases().iter();
    let mut years: Vec<u16> = cases
        .filter(|case| case.is_published())
        .filter_map(|case| Some(case.date?.year))
        .collect();
    years.sort_unstable_by(|a, b| b.cmp(a));
    years.dedup();
    years.truncate(YEARS);
    years
}
