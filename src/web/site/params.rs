//! What a list is narrowed by, as it stands in the address, and the addresses of its neighbours: one filter more, one less.

use super::{fault::Fault, visit::Visit};
use crate::{
    corpus::{Facet, nearest},
    library::{Filter, FilterError, FilterNames, Filters, Library},
};

/// Longest question in characters. An address holds no more than that in every browser and proxy.
const TEXT_LIMIT: usize = 2_000;

/// Most values that are read of a filter.
const VALUES_LIMIT: usize = 20;

/// Farthest page of a list.
const PAGE_LIMIT: usize = 5_000;

/// What a list shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// The question.
    pub(super) text: String,
    /// Filters, in the order in which they were chosen.
    pub(super) filters: Vec<(Filter, String)>,
    /// The page, from 1.
    pub(super) page: usize,
}

impl Asked {
    /// Reads an address. What is no parameter here is left alone: others add their own to addresses that they hand on.
    ///
    /// # Errors
    /// When the question is too long.
    pub(super) fn read(visit: &Visit) -> Result<Self, Fault> {
        let mut asked = Self {
            page: 1,
            ..Self::default()
        };
        for (name, value) in visit.parameters() {
            let value = value.trim();
            match name.as_str() {
                "q" => {
                    if value.chars().count() > TEXT_LIMIT {
                        return Err(Fault::too_long(visit));
                    }
                    value.clone_into(&mut asked.text);
                }
                "page" => {
                    asked.page = value.parse().unwrap_or(1).clamp(1, PAGE_LIMIT);
                }
                _ => {
                    if let Some(key) = Filter::from_key(&name)
                        && !value.is_empty()
                        && asked.filters.len() < VALUES_LIMIT
                    {
                        asked = asked.with(key, value);
                    }
                }
            }
        }
        Ok(asked)
    }

    /// Returns whether nothing at all was asked for.
    pub(super) fn is_blank(&self) -> bool {
        self.text.is_empty() && self.filters.is_empty()
    }

    /// Returns whether a filter is set.
    pub(super) fn has(&self, key: Filter, value: &str) -> bool {
        self.filters
            .iter()
            .any(|(own, name)| *own == key && name == value)
    }

    /// Returns the list with a filter more.
    pub(super) fn with(&self, key: Filter, value: &str) -> Self {
        let mut asked = self.first_page();
        if !asked.has(key, value) {
            if key.is_single() {
                asked.filters.retain(|(own, _)| *own != key);
            }
            asked.filters.push((key, value.to_owned()));
        }
        asked
    }

    /// Returns the list with a filter less.
    pub(super) fn without(&self, key: Filter, value: &str) -> Self {
        let mut asked = self.first_page();
        asked
            .filters
            .retain(|(own, name)| *own != key || name != value);
        asked
    }

    /// Returns the list without filters.
    pub(super) fn cleared(&self) -> Self {
        Self {
            filters: Vec::new(),
            ..self.first_page()
        }
    }

    /// Returns another page of the list.
    pub(super) fn on_page(&self, page: usize) -> Self {
        Self {
            page,
            ..self.clone()
        }
    }

    fn first_page(&self) -> Self {
        self.on_page(1)
    }

    /// Returns the list's address.
    pub(super) fn href(&self, visit: &Visit) -> String {
        self.address(visit, "/")
    }

    /// Returns the address of another page about the same cases.
    pub(super) fn address(&self, visit: &Visit, path: &str) -> String {
        let page = self.page.to_string();
        let mut parameters: Vec<(&str, &str)> = Vec::new();
        if !self.text.is_empty() {
            parameters.push(("q", &self.text));
        }
        for (key, value) in &self.filters {
            parameters.push((key.key(), value));
        }
        if self.page > 1 {
            parameters.push(("page", &page));
        }
        visit.links.with(path, &parameters)
    }

    /// Looks the filters up.
    ///
    /// # Errors
    /// When a filter has an unknown value: the page then links the list with the nearest known one.
    pub(super) fn resolve(&self, library: &Library, visit: &Visit) -> Result<Filters, Fault> {
        let mut names = FilterNames::default();
        for (key, value) in &self.filters {
            let year = || {
                let year = value.parse().ok().filter(|year| *year <= 9999_u16);
                let error = FilterError {
                    what: "a year",
                    name: value.clone(),
                    near: None,
                    nearest: Vec::new(),
                };
                year.ok_or_else(|| Fault::bad_filter(visit, &error, None))
            };
            match key {
                Filter::Term(facet) => names.terms.push((*facet, value.clone())),
                Filter::Organisation => names.organisation = Some(value.clone()),
                Filter::Tag => names.tags.push(value.clone()),
                Filter::Year => {
                    names.since = Some(year()?);
                    names.until = names.since;
                }
                Filter::Since => names.since = names.since.max(Some(year()?)),
                Filter::Until => {
                    let most = year()?;
                    names.until = Some(names.until.map_or(most, |other| other.min(most)));
                }
            }
        }
        Filters::parse(library, &names).map_err(|error| {
            let wrong = self.filters.iter().find(|(_, value)| *value == error.name);
            let instead = error.near.as_ref().zip(wrong).map(|(near, (key, value))| {
                let asked = self.without(*key, value).with(*key, near);
                (near.clone(), asked.href(visit))
            });
            Fault::bad_filter(visit, &error, instead)
        })
    }

    /// Returns a filter's kind and value for people.
    pub(super) fn label(
        library: &Library,
        visit: &Visit,
        key: Filter,
        value: &str,
    ) -> (&'static str, String) {
        let vocabulary = library.corpus().vocabulary();
        let t = visit.t();
        let named = |label: Option<&str>| label.unwrap_or(value).to_owned();
        match key {
            Filter::Term(facet) => {
                let term = vocabulary.find(facet, value);
                let label = term.map(|term| library.label(term, visit.lang));
                (facet.label(visit.lang), named(label))
            }
            Filter::Organisation => (t.organisation, named(None)),
            Filter::Tag => {
                let tag = vocabulary.tags().iter().find(|tag| tag.slug == value);
                (t.tag, named(tag.map(|tag| tag.label.get(visit.lang))))
            }
            Filter::Year => (t.year, named(None)),
            Filter::Since => (t.since, named(None)),
            Filter::Until => (t.until, named(None)),
        }
    }
}

/// Returns the slug of a facet that a topic's address may have been meant for.
pub(super) fn nearest_facet(name: &str) -> Option<Facet> {
    let slugs = Facet::ALL.iter().map(|facet| facet.slug());
    nearest(name.trim_end_matches('s'), slugs).and_then(Facet::from_slug)
}
