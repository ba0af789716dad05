//! Arguments that several tools have in common.

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

use super::refusal::Refusal;
use crate::{
    corpus::{Facet, Lang},
    library::{FilterNames, Filters, Library},
};

/// Longest text that is looked up, in characters. A pasted log of a hundred lines fits.
pub(super) const TEXT_LIMIT: usize = 10_000;

/// Most names that one filter may have; nothing has more terms.
const NAMES_LIMIT: usize = 20;

/// Farthest page.
const OFFSET_LIMIT: usize = 100_000;

/// The language of an answer's texts.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum Language {
    En,
    Ko,
}

impl From<Language> for Lang {
    fn from(language: Language) -> Self {
        match language {
            Language::En => Self::En,
            Language::Ko => Self::Ko,
        }
    }
}

/// Returns the language asked for, English unless said.
pub(super) fn lang(language: Option<Language>) -> Lang {
    language.map_or(Lang::En, Lang::from)
}

/// Which incidents count. Each filter narrows; slugs are those of `vocab`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct FilterArgs {
    /// Only incidents with all of these causes.
    #[serde(default, deserialize_with = "one_or_many")]
    #[schemars(extend("maxItems" = NAMES_LIMIT))]
    cause: Vec<String>,
    /// Only incidents with all of these components.
    #[serde(default, deserialize_with = "one_or_many")]
    #[schemars(extend("maxItems" = NAMES_LIMIT))]
    component: Vec<String>,
    /// Only incidents with all of these symptoms.
    #[serde(default, deserialize_with = "one_or_many")]
    #[schemars(extend("maxItems" = NAMES_LIMIT))]
    symptom: Vec<String>,
    /// Only incidents with all of these contributing factors.
    #[serde(default, deserialize_with = "one_or_many")]
    #[schemars(extend("maxItems" = NAMES_LIMIT))]
    factor: Vec<String>,
    /// Only incidents with all of these tags.
    #[serde(default, deserialize_with = "one_or_many")]
    #[schemars(extend("maxItems" = NAMES_LIMIT))]
    tag: Vec<String>,
    /// Only incidents of this organisation, by its name.
    organisation: Option<String>,
    /// First year that counts.
    since: Option<u16>,
    /// Last year that counts.
    until: Option<u16>,
}

impl FilterArgs {
    /// Looks the names up.
    pub(super) fn filters(&self, library: &Library) -> Result<Filters, Refusal> {
        let Self {
            cause,
            component,
            symptom,
            factor,
            tag,
            organisation,
            since,
            until,
        } = self;
        let facets = [
            (Facet::Cause, cause),
            (Facet::Component, component),
            (Facet::Symptom, symptom),
            (Facet::Factor, factor),
        ];
        if facets
            .iter()
            .map(|(_, slugs)| slugs.len())
            .chain([tag.len()])
            .any(|length| length > NAMES_LIMIT)
        {
            return Err(Refusal::new(
                format!("a filter has more than {NAMES_LIMIT} names"),
                "no incident has so many; give those that matter",
            ));
        }
        let vocabulary = library.corpus().vocabulary();
        let mut terms = Vec::new();
        for (facet, slugs) in facets {
            for slug in slugs {
                let slug = slug.trim().to_lowercase();
                if vocabulary.find(facet, &slug).is_none() {
                    return Err(Refusal::unknown_term(library, Some(facet), &slug));
                }
                terms.push((facet, slug));
            }
        }
        let names = FilterNames {
            terms,
            organisation: organisation.clone(),
            tags: tag.iter().map(|tag| tag.trim().to_lowercase()).collect(),
            since: *since,
            until: *until,
        };
        Filters::parse(library, &names).map_err(|error| Refusal::unknown_name(&error))
    }
}

/// Takes a number within bounds, so that an answer stays small and the agent learns why.
pub(super) fn limit(
    given: Option<usize>,
    default: usize,
    bounds: RangeInclusive<usize>,
) -> Result<usize, Refusal> {
    bounded("limit", given.unwrap_or(default), bounds)
}

/// Takes the number of entries to skip.
pub(super) fn offset(given: Option<usize>) -> Result<usize, Refusal> {
    bounded("offset", given.unwrap_or(0), 0..=OFFSET_LIMIT)
}

/// Takes a number within bounds.
pub(super) fn bounded(
    name: &str,
    number: usize,
    bounds: RangeInclusive<usize>,
) -> Result<usize, Refusal> {
    if bounds.contains(&number) {
        return Ok(number);
    }
    Err(Refusal::new(
        format!("`{name}` is {number}"),
        format!("give {} to {}", bounds.start(), bounds.end()),
    ))
}

/// Takes a text to look up.
pub(super) fn text(name: &str, text: &str) -> Result<String, Refusal> {
    let length = text.chars().count();
    if text.trim().is_empty() {
        return Err(Refusal::new(
            format!("`{name}` is empty"),
            "say what is seen: symptoms, alerts, error strings",
        ));
    }
    if length > TEXT_LIMIT {
        return Err(Refusal::new(
            format!("`{name}` has {length} characters, at most {TEXT_LIMIT} are looked up"),
            "send the part that tells what is seen",
        ));
    }
    Ok(text.to_owned())
}

/// Models often give a single name where a list is asked for.
fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(
        untagged,
        expecting = "a list of names is asked for, such as [\"etcd\"]"
    )]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Option::deserialize(deserializer)? {
        None => Vec::new(),
        Some(OneOrMany::One(name)) => vec![name],
        Some(OneOrMany::Many(names)) => names,
    })
}
