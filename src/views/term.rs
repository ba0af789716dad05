//! Terms, signals and counts as programs see them.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    corpus::{Facet, Lang, TermId},
    library::{Library, NameCount, NamedCounts, TermCount},
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

/// How many found cases have what, commonest first; the names are those of the filters.
#[derive(Debug, Default, Serialize, JsonSchema, ToSchema)]
pub struct CountsView {
    /// Causes.
    pub cause: Vec<CountView>,
    /// Components.
    pub component: Vec<CountView>,
    /// Symptoms.
    pub symptom: Vec<CountView>,
    /// Contributing factors.
    pub factor: Vec<CountView>,
    /// Organisations.
    pub org: Vec<CountView>,
    /// Tags.
    pub tag: Vec<CountView>,
    /// Years, newest first; undated cases are in none.
    pub year: Vec<CountView>,
}

/// Makes the views of counts.
pub(super) fn counts(
    library: &Library,
    terms: &[TermCount],
    named: &NamedCounts,
    lang: Lang,
) -> CountsView {
    let unnamed = |name: &str, count: usize| CountView {
        slug: name.to_owned(),
        label: name.to_owned(),
        count,
    };
    let tags = library.corpus().vocabulary().tags();
    let tag = |own: &NameCount| {
        let known = tags.iter().find(|tag| *tag.slug == *own.name);
        CountView {
            label: known
                .map_or(&*own.name, |tag| tag.label.get(lang))
                .to_owned(),
            ..unnamed(&own.name, own.count)
        }
    };
    let mut counts = CountsView {
        org: named
            .organisations
            .iter()
            .map(|own| unnamed(&own.name, own.count))
            .collect(),
        tag: named.tags.iter().map(tag).collect(),
        year: named
            .years
            .iter()
            .map(|own| unnamed(&own.year.to_string(), own.count))
            .collect(),
        ..CountsView::default()
    };
    for count in terms {
        let TermView { slug, label, .. } = term(library, count.term, lang);
        let list = match library.facet(count.term) {
            Facet::Cause => &mut counts.cause,
            Facet::Component => &mut counts.component,
            Facet::Symptom => &mut counts.symptom,
            Facet::Factor => &mut counts.factor,
        };
        list.push(CountView {
            slug,
            label,
            count: count.count,
        });
    }
    counts
}
