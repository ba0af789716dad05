//! Why a request cannot be answered, and what to ask instead: an agent that reads it can go on by itself.

use std::fmt::{self, Display};

use crate::{
    corpus::{Facet, Lang, TermId, nearest},
    library::{FilterError, Library},
};

/// Most names that are suggested.
const SUGGESTIONS: usize = 5;

/// Longest part of what was asked that is repeated.
const ECHO_LIMIT: usize = 80;

/// What is wrong, and what to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    problem: String,
    hint: String,
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { problem, hint } = self;
        write!(f, "{problem}: {hint}")
    }
}

impl Refusal {
    pub(super) fn new(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            problem: problem.into(),
            hint: hint.into(),
        }
    }

    /// There is no such term; names those that may have been meant, of other facets too.
    pub(super) fn unknown_term(library: &Library, facet: Option<Facet>, slug: &str) -> Self {
        let what = facet.map_or("term", Facet::slug);
        let near = near_terms(library, facet, slug);
        let kind = facet.map_or(String::new(), |facet| format!(" with `kind`: \"{facet}\""));
        Self::new(
            format!("`{}` is not a {what} of the vocabulary", echo(slug)),
            if near.is_empty() {
                format!("call `vocab`{kind} for the valid slugs")
            } else {
                did_you_mean(&near)
            },
        )
    }

    /// There is no such tag or organisation.
    pub(super) fn unknown_name(error: &FilterError) -> Self {
        let near: Vec<String> = error
            .nearest
            .iter()
            .take(SUGGESTIONS)
            .map(|name| format!("`{name}`"))
            .collect();
        let hint = if near.is_empty() {
            "call `vocab` with `kind`: \"tag\" or \"organisation\" for the names".to_owned()
        } else {
            did_you_mean(&near)
        };
        Self::new(
            format!("`{}` is not {}", echo(&error.name), error.what),
            hint,
        )
    }

    /// There is no such case; names those whose ids look alike, with their titles, so that one can be chosen.
    pub(super) fn unknown_case(library: &Library, asked: &str) -> Self {
        let near: Vec<String> = library
            .cases_near(asked)
            .into_iter()
            .map(|case| {
                let title = case.title.get(Lang::En);
                format!("{} ({}: {title})", case.id, case.organisation)
            })
            .collect();
        Self::new(
            format!("there is no incident `{}`", echo(asked)),
            if near.is_empty() {
                "find ids with `search_incidents` or `list_incidents`; they look like `IL-0493`"
                    .to_owned()
            } else {
                did_you_mean(&near)
            },
        )
    }

    /// There is no such argument.
    pub(super) fn unknown_argument(name: &str, known: &[&str]) -> Self {
        let hint = nearest(name, known.iter().copied()).map_or_else(
            || format!("known here are {}", list(known)),
            |near| format!("did you mean `{near}`?"),
        );
        Self::new(format!("`{}` is not an argument", echo(name)), hint)
    }
}

fn did_you_mean(names: &[String]) -> String {
    format!("did you mean {}?", names.join(", "))
}

/// Lists names.
pub(super) fn list(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// Repeats what was asked, at most its beginning.
pub(super) fn echo(asked: &str) -> String {
    super::record::shorten(asked, ECHO_LIMIT)
}

/// Returns terms that may have been meant, as `facet/slug`: the very slug in another facet, those near it in the facet asked
/// for, and then those near it in any.
fn near_terms(library: &Library, facet: Option<Facet>, slug: &str) -> Vec<String> {
    let vocabulary = library.corpus().vocabulary();
    let same = Facet::ALL.into_iter();
    let same = same.filter_map(|other| vocabulary.find(other, slug));
    let asked = library.terms_near(facet, slug).into_iter();
    let others = library.terms_near(None, slug).into_iter();
    let mut near: Vec<TermId> = Vec::new();
    for found in same.chain(asked).chain(others) {
        if !near.contains(&found) {
            near.push(found);
        }
    }
    let near = near.into_iter().take(SUGGESTIONS);
    near.map(|id| {
        let term = vocabulary.term(id);
        format!("`{}/{}`", term.facet, term.slug)
    })
    .collect()
}
