//! A filter as a person names it: by slug, by label or alias in either language, or with a slip of the pen.

use super::{Filters, Library};
use crate::corpus::{Facet, fold};

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
    /// Returns the filter's name, as it stands before the colon.
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
                let vocabulary = library.corpus().vocabulary();
                if let Some(term) = vocabulary.find(facet, value) {
                    push_new(&mut filters.terms, term);
                    return Ok(self.typed(value));
                }
                let folded = fold(value);
                let is_named = |name: &str| fold(name) == folded;
                let found = vocabulary.facet(facet).find(|(_, term)| {
                    is_named(&term.slug) || term.label.iter().any(|(_, label)| is_named(label))
                });
                let found = found.or_else(|| {
                    let mut terms = vocabulary.facet(facet);
                    terms.find(|(_, term)| term.aliases.iter().any(is_named))
                });
                let (id, term) = found.ok_or_else(|| library.near(Some(facet), value))?;
                push_new(&mut filters.terms, id);
                term.slug.clone()
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

    /// Returns the terms that a name may have been meant for, best first, as filters; those of `facet` come before those
    /// of the others.
    fn near(&self, facet: Option<Facet>, name: &str) -> Vec<String> {
        let folded = fold(name);
        let mut near: Vec<(usize, String)> = Vec::new();
        for (_, term) in self.corpus().vocabulary().iter() {
            let labels = term.label.iter().map(|(_, label)| label);
            let names = labels
                .chain(term.aliases.iter())
                .chain([term.slug.as_str()]);
            let best = names
                .filter_map(|name| distance(&folded, &fold(name)))
                .min();
            let Some(best) = best else { continue };
            // The same word in another facet ("component:timeouts") is likelier than a slip in the right one.
            let stranger = usize::from(facet.is_some_and(|facet| facet != term.facet));
            if best > 0 && stranger > 0 {
                continue;
            }
            near.push((best + stranger, Filter::Term(term.facet).typed(&term.slug)));
        }
        near.sort();
        near.into_iter().take(NEAR).map(|(_, name)| name).collect()
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if !list.contains(&value) {
        list.push(value);
    }
}

fn nearest(filter: Filter, name: &str, known: &[&str]) -> Vec<String> {
    let folded = fold(name);
    let mut near: Vec<(usize, &str)> = known
        .iter()
        .filter_map(|known| Some((distance(&folded, &fold(known))?, *known)))
        .collect();
    near.sort_unstable();
    near.into_iter()
        .take(NEAR)
        .map(|(_, name)| filter.typed(name))
        .collect()
}

/// Returns how far two folded names are apart, if one may be a slip or a part of the other.
fn distance(asked: &str, known: &str) -> Option<usize> {
    let length = asked.chars().count();
    // Nobody slips in a name longer than this, and distances of long texts take long.
    if length == 0 || length > 64 {
        return None;
    }
    let limit = (length / 3).max(1);
    // Most names differ in length by more than a slip does.
    if known.chars().count().abs_diff(length) <= limit {
        let apart = strsim::osa_distance(asked, known);
        if apart <= limit {
            return Some(apart);
        }
    }
    let is_part = known.contains(asked) && length >= if asked.is_ascii() { 4 } else { 2 };
    is_part.then_some(limit + 1)
}
