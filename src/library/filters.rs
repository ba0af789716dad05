//! What narrows a lookup, and how it is named from outside.

use super::{Library, near::SUGGESTIONS};
use crate::corpus::{Case, Facet, TermId, all_near};

/// Narrows a lookup to cases that have **all** of these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// Terms of any facet.
    pub terms: Vec<TermId>,
    /// Organisation, compared without case.
    pub organisation: Option<String>,
    /// Tags, by slug.
    pub tags: Vec<String>,
    /// First year that counts.
    pub since: Option<u16>,
    /// Last year that counts.
    pub until: Option<u16>,
}

/// Filters as people and programs name them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FilterNames {
    /// Slugs by facet.
    pub terms: Vec<(Facet, String)>,
    /// Organisation.
    pub organisation: Option<String>,
    /// Slugs of tags.
    pub tags: Vec<String>,
    /// First year that counts.
    pub since: Option<u16>,
    /// Last year that counts.
    pub until: Option<u16>,
}

/// A filter that nothing could pass, because its name is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not {what}")]
pub struct FilterError {
    /// What it should be: "a component".
    pub what: &'static str,
    /// What was given.
    pub name: String,
    /// What was most probably meant.
    pub near: Option<String>,
    /// What else may have been meant, likeliest first, with [`FilterError::near`].
    pub nearest: Vec<String>,
}

impl FilterError {
    /// Says what to do.
    pub fn hint(&self) -> String {
        match &self.near {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "leave it out, and the list counts those that there are under `facets`".to_owned()
            }
        }
    }
}

impl Filters {
    /// Returns whether a case may be an answer under these filters.
    pub fn allow(&self, case: &Case) -> bool {
        let year = case.date.map(|date| date.year);
        case.is_live()
            && self
                .terms
                .iter()
                .all(|term| case.all_terms().any(|own| own == *term))
            && self.tags.iter().all(|tag| case.tags.contains(tag))
            && self
                .organisation
                .as_ref()
                .is_none_or(|name| name.to_lowercase() == case.organisation.to_lowercase())
            && self
                .since
                .is_none_or(|since| year.is_some_and(|year| year >= since))
            && self
                .until
                .is_none_or(|until| year.is_some_and(|year| year <= until))
    }

    /// Looks names up. An unknown one is an error, never an empty result.
    ///
    /// # Errors
    /// With the first unknown name, and the known one that is nearest to it.
    pub fn parse(library: &Library, names: &FilterNames) -> Result<Self, FilterError> {
        let vocabulary = library.corpus().vocabulary();
        let mut terms = Vec::new();
        for (facet, slug) in &names.terms {
            let what = match facet {
                Facet::Cause => "a cause",
                Facet::Component => "a component",
                Facet::Symptom => "a symptom",
                Facet::Factor => "a factor",
            };
            let near = || vocabulary.suggest(*facet, slug).map(str::to_owned);
            let unknown = || FilterError {
                what,
                name: slug.clone(),
                near: near(),
                nearest: library.nearest_terms(*facet, slug),
            };
            terms.push(vocabulary.find(*facet, slug).ok_or_else(unknown)?);
        }
        let tags = vocabulary.tags().iter().map(|tag| tag.slug.as_str());
        let mut own_tags = Vec::new();
        for tag in &names.tags {
            own_tags.push(known("a tag", tag, tags.clone())?);
        }
        let published = library
            .corpus()
            .cases()
            .iter()
            .filter(|case| library.shows(case));
        let organisation = match &names.organisation {
            Some(name) => Some(known(
                "an organisation here",
                name,
                published.map(|case| case.organisation.as_str()),
            )?),
            None => None,
        };
        let FilterNames { since, until, .. } = *names;
        Ok(Self {
            terms,
            organisation,
            tags: own_tags,
            since,
            until,
        })
    }
}

/// Finds a name among known ones, without regard to case.
fn known<'a>(
    what: &'static str,
    name: &str,
    mut names: impl Iterator<Item = &'a str> + Clone,
) -> Result<String, FilterError> {
    let lower = name.to_lowercase();
    if let Some(found) = names.clone().find(|known| known.to_lowercase() == lower) {
        return Ok(found.to_owned());
    }
    let near = all_near(name, names.by_ref().map(|name| (name, [name])));
    let near = near.into_iter().take(SUGGESTIONS);
    let nearest: Vec<String> = near.map(str::to_owned).collect();
    Err(FilterError {
        what,
        name: name.to_owned(),
        near: nearest.first().cloned(),
        nearest,
    })
}
