//! `vocab`: the names that filters take, with how many incidents have each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    args::{self, Language},
    refusal::Refusal,
};
use crate::{
    corpus::{Facet, Lang, fold},
    library::{Filters, Library, NamedCounts, Order},
};

/// Names of a kind unless asked otherwise, and at most.
const DEFAULT_LIMIT: usize = 100;
const LIMIT: usize = 200;

/// Definitions are given where at most so many terms are listed.
const DEFINITIONS: usize = 25;

/// Longest text that names are looked for with.
const QUERY_LIMIT: usize = 100;

/// A kind of name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Kind {
    Cause,
    Component,
    Symptom,
    Factor,
    Tag,
    Organisation,
}

impl Kind {
    const TERMS: [Self; 4] = [Self::Cause, Self::Component, Self::Symptom, Self::Factor];
}

/// Arguments of `vocab`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct VocabArgs {
    /// Only names of this kind; causes, components, symptoms and factors unless given.
    kind: Option<Kind>,
    /// Only names that contain this, in either language, such as `load balancer` or `인증서`.
    #[schemars(length(max = QUERY_LIMIT))]
    query: Option<String>,
    /// Language of labels and definitions; `en` unless given.
    language: Option<Language>,
    /// How many names of a kind to return; 100 unless given.
    #[schemars(range(min = 1, max = LIMIT))]
    limit: Option<usize>,
    /// How many of the commonest of a kind to skip.
    offset: Option<usize>,
}

/// Names by kind.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct VocabResult {
    kinds: Vec<Names>,
    /// Incidents in the library.
    incidents: usize,
}

/// Names of a kind, commonest first.
#[derive(Debug, Serialize, JsonSchema)]
struct Names {
    kind: Kind,
    /// How many names there are; more than are listed when `limit` cuts them.
    total: usize,
    #[serde(rename = "names")]
    listed: Vec<Name>,
}

/// A name.
#[derive(Debug, Serialize, JsonSchema)]
struct Name {
    /// As the filters take it: the slug, or an organisation's name.
    slug: String,
    /// Name for people, where it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// What belongs to it; given where few terms are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<String>,
    /// Incidents that have it.
    incidents: usize,
}

/// Answers `vocab`.
pub(super) fn vocab(library: &Library, args: &VocabArgs) -> Result<VocabResult, Refusal> {
    let lang = args::lang(args.language);
    let limit = args::limit(args.limit, DEFAULT_LIMIT, 1..=LIMIT)?;
    let offset = args::offset(args.offset)?;
    let query = args.query.as_deref().unwrap_or_default();
    if query.chars().count() > QUERY_LIMIT {
        return Err(Refusal::new(
            format!("`query` has more than {QUERY_LIMIT} characters"),
            "give a word of the name; `search_incidents` understands whole texts",
        ));
    }
    let wanted = fold(query);
    let all = library.list(&Filters::default(), Order::Newest, 0, 0);
    let kinds = args
        .kind
        .map_or(Kind::TERMS.to_vec(), |kind| vec![kind])
        .into_iter()
        .map(|kind| {
            let mut names = names(library, &all.named, kind, &wanted, lang);
            names.sort_by(|a, b| b.incidents.cmp(&a.incidents).then(a.slug.cmp(&b.slug)));
            let total = names.len();
            let names = names.into_iter().skip(offset).take(limit).collect();
            Names {
                kind,
                total,
                listed: names,
            }
        });
    let mut kinds: Vec<Names> = kinds.collect();
    if kinds.iter().map(|kind| kind.listed.len()).sum::<usize>() > DEFINITIONS {
        for name in kinds.iter_mut().flat_map(|kind| &mut kind.listed) {
            name.definition = None;
        }
    }
    Ok(VocabResult {
        kinds,
        incidents: all.total,
    })
}

fn names(
    library: &Library,
    counts: &NamedCounts,
    kind: Kind,
    wanted: &str,
    lang: Lang,
) -> Vec<Name> {
    let vocabulary = library.corpus().vocabulary();
    let facet = match kind {
        Kind::Cause => Facet::Cause,
        Kind::Component => Facet::Component,
        Kind::Symptom => Facet::Symptom,
        Kind::Factor => Facet::Factor,
        Kind::Tag => {
            let count = |slug: &str| counts.tags.iter().find(|count| &*count.name == slug);
            let tags = vocabulary.tags().iter().filter(|tag| {
                let labels = tag.label.iter().map(|(_, label)| label);
                fits(wanted, labels.chain([&*tag.slug]))
            });
            let names = tags.map(|tag| Name {
                slug: tag.slug.clone(),
                label: Some(tag.label.get(lang).to_owned()),
                definition: None,
                incidents: count(&tag.slug).map_or(0, |count| count.count),
            });
            return names.collect();
        }
        Kind::Organisation => {
            let organisations = counts.organisations.iter();
            let names = organisations
                .filter(|count| fits(wanted, std::iter::once(&*count.name)))
                .map(|count| Name {
                    slug: count.name.to_string(),
                    label: None,
                    definition: None,
                    incidents: count.count,
                });
            return names.collect();
        }
    };
    let terms = vocabulary.facet(facet).filter(|(_, term)| {
        let labels = term.label.iter().map(|(_, label)| label);
        fits(
            wanted,
            labels.chain(term.aliases.iter()).chain([&*term.slug]),
        )
    });
    let names = terms.map(|(id, term)| Name {
        slug: term.slug.clone(),
        label: Some(term.label.get(lang).to_owned()),
        definition: Some(term.definition.get(lang).trim().to_owned()),
        incidents: library.count(id),
    });
    names.collect()
}

/// Returns whether one of a name's words contains a folded text.
fn fits<'a>(wanted: &str, mut words: impl Iterator<Item = &'a str>) -> bool {
    words.any(|word| fold(word).contains(wanted))
}
