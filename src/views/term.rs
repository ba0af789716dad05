//! Terms, signals and counts as programs see them.

use std::{collections::BTreeMap, ops::Range};

use schemars::JsonSchema;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    corpus::{Facet, Lang, TermId},
    library::{Library, NamedCounts, TermCount},
    query::{FoundTerm, Signal},
};

/// A vocabulary term with the place it was found at.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct FoundTermView {
    /// `cause`, `component`, `symptom` or `factor`.
    pub facet: &'static str,
    /// The term's name.
    pub slug: String,
    /// The term's name for people.
    pub label: String,
    /// First character and the one after the last.
    pub span: [usize; 2],
    /// Those characters.
    pub text: String,
}

/// An exact signal with its place.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct SignalView {
    /// `status`, `code`, `exception`, `phrase` or `port`.
    pub kind: &'static str,
    /// First character and the one after the last.
    pub span: [usize; 2],
    /// Those characters.
    pub text: String,
}

/// A vocabulary term.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct TermView {
    /// `cause`, `component`, `symptom` or `factor`.
    pub facet: &'static str,
    /// The term's name.
    pub slug: String,
    /// The term's name for people.
    pub label: String,
}

/// How many found cases have a term, an organisation, a tag or a year.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct CountView {
    /// Its name, as filters take it.
    pub slug: String,
    /// Its name for people.
    pub label: String,
    /// Found cases that have it.
    pub count: usize,
}

/// Makes the view of a term.
pub fn term(library: &Library, id: TermId, lang: Lang) -> TermView {
    let term = library.corpus().vocabulary().term(id);
    TermView {
        facet: term.facet.slug(),
        slug: term.slug.clone(),
        label: term.label.get(lang).to_owned(),
    }
}

pub(super) fn found_terms(
    library: &Library,
    text: &str,
    found: &[FoundTerm],
    lang: Lang,
) -> Vec<FoundTermView> {
    let view = |found: &FoundTerm| {
        let TermView { facet, slug, label } = term(library, found.term, lang);
        FoundTermView {
            facet,
            slug,
            label,
            span: characters(text, &found.span),
            text: found.text.clone(),
        }
    };
    found.iter().map(view).collect()
}

pub(super) fn signals(text: &str, signals: &[Signal]) -> Vec<SignalView> {
    let view = |signal: &Signal| SignalView {
        kind: signal.kind.slug(),
        span: characters(text, &signal.span),
        text: signal.text.clone(),
    };
    signals.iter().map(view).collect()
}

/// Turns bytes of a text into characters of it.
pub(super) fn characters(text: &str, span: &Range<usize>) -> [usize; 2] {
    let count = |to: usize| text.get(..to).map_or(0, |head| head.chars().count());
    [count(span.start), count(span.end)]
}

/// How many found cases have each term (by facet), organisation (`org`), tag (`tag`) and year (`year`), commonest first,
/// years newest first.
pub type CountsView = BTreeMap<&'static str, Vec<CountView>>;

/// Makes the views of counts: by facet, and for organisations, tags and years by the name of the filter.
pub(super) fn counts(
    library: &Library,
    terms: &[TermCount],
    named: &NamedCounts,
    lang: Lang,
) -> CountsView {
    let mut counts: CountsView = Facet::ALL
        .into_iter()
        .map(|facet| (facet.slug(), Vec::new()))
        .collect();
    for count in terms {
        let TermView { facet, slug, label } = term(library, count.term, lang);
        counts.entry(facet).or_default().push(CountView {
            slug,
            label,
            count: count.count,
        });
    }
    let unnamed = |name: &str, count: usize| CountView {
        slug: name.to_owned(),
        label: name.to_owned(),
        count,
    };
    let organisations = named.organisations.iter();
    let organisations = organisations.map(|own| unnamed(&own.name, own.count));
    counts.insert("org", organisations.collect());
    let tags = library.corpus().vocabulary().tags();
    let tag = |slug: &str, count: usize| CountView {
        slug: slug.to_owned(),
        label: tags
            .iter()
            .find(|tag| tag.slug == slug)
            .map_or(slug, |tag| tag.label.get(lang))
            .to_owned(),
        count,
    };
    let own_tags = named.tags.iter().map(|own| tag(&own.name, own.count));
    counts.insert("tag", own_tags.collect());
    let years = named.years.iter();
    let years = years.map(|own| unnamed(&own.year.to_string(), own.count));
    counts.insert("year", years.collect());
    counts
}
