//! `list_incidents`: what the filters allow, newest first, and what is commonest among them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    args::{self, FilterArgs, Language},
    record::{Commonest, Head, next_offset},
    refusal::Refusal,
};
use crate::library::{Library, Order};

/// Incidents unless asked otherwise, and at most.
const DEFAULT_LIMIT: usize = 20;
const LIMIT: usize = 50;

/// Terms that are counted, by facet.
const COMMONEST: usize = 5;

/// Arguments of `list_incidents`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ListArgs {
    #[serde(flatten)]
    filters: FilterArgs,
    /// Language of the answer's texts; `en` unless given.
    language: Option<Language>,
    /// How many incidents to return; 20 unless given.
    #[schemars(range(min = 1, max = LIMIT))]
    limit: Option<usize>,
    /// How many of the newest to skip.
    offset: Option<usize>,
}

/// Incidents, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ListResult {
    /// How many incidents the filters allow.
    total: usize,
    incidents: Vec<Head>,
    /// `offset` of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// What is commonest among all of them.
    commonest: Commonest,
}

/// Answers `list_incidents`.
pub(super) fn list(library: &Library, args: &ListArgs) -> Result<ListResult, Refusal> {
    let lang = args::lang(args.language);
    let filters = args.filters.filters(library)?;
    let limit = args::limit(args.limit, DEFAULT_LIMIT, 1..=LIMIT)?;
    let offset = args::offset(args.offset)?;
    let list = library.list(&filters, Order::Newest, offset, limit);
    let heads = list.cases.iter().map(|case| Head::of(case, lang));
    Ok(ListResult {
        total: list.total,
        incidents: heads.collect(),
        next_offset: next_offset(offset, list.cases.len(), list.total),
        commonest: Commonest::of(library, &list.facets, COMMONEST, lang),
    })
}
