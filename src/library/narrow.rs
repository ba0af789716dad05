//! A filter as a person names it: by slug, by label or alias in either language, or with a slip of the pen.

use super::{Filters, Library};
use crate::corpus::{Facet, TermId, all_near, fold};

/// What a filter is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filter {
    /// A term of a facet.
    Term(Facet),
    /// Who it happened to.
    Organisation,
    /// A tag.
    Tag,
    /// First year.
    Since,
    /// Last year.
    Until,
    /// One year.
    Year,
}

/// Most names that may have been meant.
const NEAR: usize = 3;

/// Years that a case can be of.
const YEARS: std::ops::RangeInclusive<u16> = 1970..=2100;

impl Filter {
    /// All filters.
    pub const ALL: [Self; 9] = [
        Self::Term(Facet::Cause),
        Self::Term(Facet::Component),
        Self::Term(Facet::Symptom),
        Self::Term(Facet::Factor),
        Self::Organisation,
        Self::Tag,
        Self::Year,
        Self::Since,
        Self::Until,
    ];

    /// Finds a filter by its name.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|filter| filter.key() == key)
    }

    /// Returns whether a case can have only one value of it.
    pub const fn is_single(self) -> bool {
        !matches!(self, Self::Term(_) | Self::Tag)
    }

    /// Returns the filter's name, as it stands before the colon and in addresses.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Term(facet) => facet.slug(),
            Self::Organisation => "org",
            Self::Tag => "tag",
            Self::Since => "since",
            Self::Until => "until",
            Self::Year => "year",
        }
    }

    /// Writes the filter as it is typed.
    pub fn typed(self, value: &str) -> String {
        let key = self.key();
        if value.contains(char::is_whitespace) {
            format!("{key}:\"{value}\"")
        } else {
            format!("{key}:{value}")
        }
    }

    /// Adds the filter and returns how it is written properly.
    ///
    /// # Errors
    /// With the filters that may have been meant, when the name is not known; nothing is added then.
    pub fn add(
        self,
        library: &Library,
        value: &str,
        filters: &mut Filters,
    ) -> Result<String, Vec<String>> {
        let proper = match self {
            Self::Term(facet) => {
                let found = library.term_named(facet, value);
                let id = found.ok_or_else(|| library.near(Some(facet), value))?;
                push_new(&mut filters.terms, id);
                library.corpus().vocabulary().term(id).slug.clone()
            }
            Self::Organisation => {
                let known = library.organisations();
                let lower = value.to_lowercase();
                let found = known.iter().find(|name| name.to_lowercase() == lower);
                let found = found.ok_or_else(|| nearest(self, value, &known))?;
                filters.organisation = Some((*found).to_owned());
                (*found).to_owned()
            }
            Self::Tag => {
                let tags = library.corpus().vocabulary().tags();
                let folded = fold(value);
                let found = tags.iter().find(|tag| {
                    fold(&tag.slug) == folded
                        || tag.label.iter().any(|(_, label)| fold(label) == folded)
                });
                let found = found.ok_or_else(|| {
                    let slugs: Vec<&str> = tags.iter().map(|tag| tag.slug.as_str()).collect();
                    nearest(self, value, &slugs)
                })?;
                push_new(&mut filters.tags, found.slug.clone());
                found.slug.clone()
            }
            Self::Since | Self::Until | Self::Year => {
                let year = value.strip_suffix('년').unwrap_or(value);
                // "2023-05" is a date to people; only its year can be filtered by.
                let digits = year.split('-').next().unwrap_or_default();
                let is_year = |text: &str| text.parse().ok().filter(|year| YEARS.contains(year));
                let Some(number) = is_year(year) else {
                    let near = is_year(digits).map(|_| self.typed(digits));
                    return Err(near.into_iter().collect());
                };
                if self != Self::Until {
                    filters.since = Some(number);
                }
                if self != Self::Since {
                    filters.until = Some(number);
                }
                number.to_string()
            }
        };
        Ok(self.typed(&proper))
    }
}

impl Library {
    /// Finds the term of a facet that somebody calls by its slug, its label in either language, or another name.
    pub fn term_named(&self, facet: Facet, name: &str) -> Option<TermId> {
        let vocabulary = self.corpus().vocabulary();
        if let Some(term) = vocabulary.find(facet, name) {
            return Some(term);
        }
        let folded = fold(name);
        let is_named = |name: &str| fold(name) == folded;
        let found = vocabulary.facet(facet).find(|(_, term)| {
            is_named(&term.slug) || term.label.iter().any(|(_, label)| is_named(label))
        });
        let found = found.or_else(|| {
            let mut terms = vocabulary.facet(facet);
            terms.find(|(_, term)| term.aliases.iter().any(is_named))
        });
        found.map(|(id, _)| id)
    }

    /// Returns the organisations of the cases that may be shown, each once, sorted.
    pub fn organisations(&self) -> Vec<&str> {
        let cases = self.corpus().cases().iter();
        let mut names: Vec<&str> = cases
            .filter(|case| self.shows(case))
            .map(|case| case.organisation.as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns the filters that may have been meant.
    fn near(&self, facet: Option<Facet>, name: &str) -> Vec<String> {
        let near = self.terms_near(facet, name).into_iter().take(NEAR);
        near.map(|id| {
            let term = self.corpus().vocabulary().term(id);
            Filter::Term(term.facet).typed(&term.slug)
        })
        .collect()
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if !list.contains(&value) {
        list.push(value);
    }
}

fn nearest(filter: Filter, name: &str, known: &[&str]) -> Vec<String> {
    let known = known.iter().map(|known| (*known, [*known]));
    let near = all_near(name, known).into_iter().take(NEAR);
    near.map(|name| filter.typed(name)).collect()
}
