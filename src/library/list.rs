//! Lists without a question: what the filters allow, in an order, page by page.

use std::{cmp::Reverse, sync::Arc};

use super::{Filters, Library, NamedCounts, PAGE_LIMIT, TermCount, UnknownCase};
use crate::corpus::{Case, CaseId, Status};

/// Most successors that are followed: ids could lead in a circle.
const SUCCESSORS: usize = 8;

/// In which order cases are listed. Equal ones follow their ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Newest first, undated ones last.
    #[default]
    Newest,
    /// Oldest first, undated ones last.
    Oldest,
    /// Longest time to recover first, unknown ones last.
    Longest,
    /// By id.
    Id,
}

impl Order {
    /// All orders.
    pub const ALL: [Self; 4] = [Self::Newest, Self::Oldest, Self::Longest, Self::Id];

    /// Returns the order's name in URLs.
    pub const fn slug(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Oldest => "oldest",
            Self::Longest => "longest",
            Self::Id => "id",
        }
    }

    /// Finds an order by its name.
    pub fn from_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|order| order.slug() == slug)
    }
}

/// A page of cases, with counts over all of the found ones.
#[derive(Clone, Debug)]
pub struct List {
    /// The cases of the page.
    pub cases: Vec<Arc<Case>>,
    /// How many cases were found in all.
    pub total: usize,
    /// Terms of the found cases, commonest first within a facet.
    pub facets: Vec<TermCount>,
    /// Organisations, tags and years of the found cases.
    pub named: NamedCounts,
}

impl Library {
    /// Lists the cases that filters allow, at most [`PAGE_LIMIT`] of them.
    pub fn list(&self, filters: &Filters, order: Order, offset: usize, limit: usize) -> List {
        let mut ordinals: Vec<usize> = self.newest_first(filters).collect();
        let cases = self.corpus.cases();
        match order {
            Order::Newest => {}
            Order::Oldest => {
                ordinals.sort_by_key(|at| (cases[*at].date.is_none(), cases[*at].date, *at));
            }
            Order::Longest => {
                let minutes = |at: usize| cases[at].time_to_recover.map(|time| time.minutes);
                ordinals.sort_by_key(|at| (Reverse(minutes(*at)), *at));
            }
            Order::Id => ordinals.sort_unstable(),
        }
        let page = ordinals.iter().skip(offset).take(limit.min(PAGE_LIMIT));
        List {
            cases: page.map(|at| Arc::clone(&cases[*at])).collect(),
            total: ordinals.len(),
            facets: self.term_counts(ordinals.iter().copied()),
            named: self.named_counts(ordinals.iter().copied()),
        }
    }

    /// Finds a case that may be shown.
    ///
    /// # Errors
    /// When there is no such case for who asks, or it was withdrawn.
    pub fn case(&self, id: &CaseId) -> Result<&Arc<Case>, UnknownCase> {
        let case = self.corpus.get(id).filter(|case| self.shows(case));
        case.ok_or_else(|| UnknownCase(id.clone()))
    }

    /// Returns the case that stands in the place of a replaced one, if it may be shown. A successor may have one itself.
    pub fn successor(&self, case: &Case) -> Option<&Arc<Case>> {
        let mut next = self.corpus.get(case.superseded_by.as_ref()?)?;
        for _ in 0..SUCCESSORS {
            // What a case for others leads to is told to nobody else.
            if !next.audience.admits(&self.viewer) {
                return None;
            }
            match &next.superseded_by {
                Some(id) => next = self.corpus.get(id)?,
                None => break,
            }
        }
        Some(next).filter(|next| self.shows(next))
    }

    /// Finds a case that was withdrawn. Whether there is a draft, or a case for others, is nobody's business.
    pub fn withdrawn(&self, id: &CaseId) -> Option<&Arc<Case>> {
        let case = self.corpus.get(id)?;
        let is_gone = case.status == Status::Withdrawn && case.audience.admits(&self.viewer);
        is_gone.then_some(case)
    }

    /// Iterates over the cases that filters allow, newest first.
    pub(super) fn newest_first(&self, filters: &Filters) -> impl Iterator<Item = usize> {
        let allowed = |at: &usize| {
            let case = &self.corpus.cases()[*at];
            self.shows(case) && filters.allow(case)
        };
        let newest = self.catalogue.newest.iter().map(|at| *at as usize);
        newest.filter(allowed)
    }
}
