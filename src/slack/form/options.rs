//! What a menu offers while somebody types: terms of the vocabulary, in both languages.

use serde_json::{Value, json};

use super::{ADD, name_of, title_of};
use crate::{
    corpus::{Facet, Lang, Term, TermId, fold},
    library::Library,
};

/// Most options of a menu, and of one of its groups: Slack takes 100 (docs.slack.dev, `block_suggestion`).
const OPTIONS: usize = 100;
const OF_FACET: usize = 25;

/// Longest text that is compared, in characters.
const TYPED: usize = 80;

/// Returns the options of a menu: terms of its facet, or of all facets in groups.
pub fn options(library: &Library, menu: &str, typed: &str, lang: Lang) -> Value {
    let typed: String = fold(typed).chars().take(TYPED).collect();
    if menu != ADD {
        let options = match Facet::from_slug(menu) {
            Some(facet) => of_facet(library, facet, &typed, lang, OPTIONS),
            None => Vec::new(),
        };
        return json!({ "options": options });
    }
    let groups = Facet::ALL.into_iter().filter_map(|facet| {
        let options = of_facet(library, facet, &typed, lang, OF_FACET);
        let label = json!({"type": "plain_text", "text": facet.label(lang)});
        (!options.is_empty()).then(|| json!({"label": label, "options": options}))
    });
    let groups: Vec<Value> = groups.collect();
    if groups.is_empty() {
        return json!({"options": []});
    }
    json!({ "option_groups": groups })
}

fn of_facet(library: &Library, facet: Facet, typed: &str, lang: Lang, most: usize) -> Vec<Value> {
    let terms = library.corpus().vocabulary().facet(facet);
    let mut found: Vec<(u8, TermId)> = terms
        .filter_map(|(id, term)| Some((rank(term, typed)?, id)))
        .collect();
    // The vocabulary's own order within a rank.
    found.sort_by_key(|(rank, _)| *rank);
    let option = |(_, term): (u8, TermId)| {
        let text = json!({"type": "plain_text", "text": title_of(library, term, lang)});
        json!({"text": text, "value": name_of(library, term)})
    };
    found.into_iter().take(most).map(option).collect()
}

/// Returns how well a term fits what is typed so far, best 0.
fn rank(term: &Term, typed: &str) -> Option<u8> {
    if typed.is_empty() {
        return Some(0);
    }
    let labels = || {
        term.label
            .iter()
            .map(|(_, label)| label)
            .chain([term.slug.as_str()])
    };
    let begins = |name: &str| fold(name).starts_with(typed);
    if labels().any(begins) {
        Some(0)
    } else if term.aliases.iter().any(begins) {
        Some(1)
    } else if labels()
        .chain(term.aliases.iter())
        .any(|name| fold(name).contains(typed))
    {
        Some(2)
    } else {
        None
    }
}
