//! Cases as resources: `incident://IL-0493`, and `incident://IL-0493?lang=ko` for its Korean text.

use rmcp::{
    ErrorData,
    model::{
        CacheScope, ListResourcesResult, ReadResourceResult, Resource, ResourceContents,
        ResourceTemplate,
    },
};

use serde_json::json;

use super::{case, markdown::markdown, record::shorten, refusal::echo};
use crate::{
    corpus::{Case, CaseId, Lang},
    library::Library,
};

/// What addresses begin with.
const SCHEME: &str = "incident://";

/// The addresses of all cases (RFC 6570).
pub(super) const TEMPLATE: &str = "incident://{id}{?lang}";

/// What a resource is written in.
const MIME: &str = "text/markdown";

/// Resources of a page.
const PAGE: usize = 100;

/// How long a client may keep what it read: a library seldom changes, and then by a few cases.
const FRESH_MS: u64 = 5 * 60 * 1000;

/// Longest description in a list.
const DESCRIPTION: usize = 200;

/// Returns a case's address.
pub(super) fn uri(id: &CaseId) -> String {
    format!("{SCHEME}{id}")
}

/// Describes the addresses of all cases.
pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new(TEMPLATE, "incident")
        .with_title("Incident")
        .with_description(
            "One incident in full, as Markdown. `id` is like IL-0493; `lang` is `en` (unless given) or `ko`.",
        )
        .with_mime_type(MIME)
}

/// Describes a case as a resource.
pub(super) fn describe(case: &Case, lang: Lang) -> Resource {
    let date = case.date.map(|date| format!(" · {date}"));
    let about = format!(
        "{}{} — {}",
        case.organisation,
        date.unwrap_or_default(),
        case.summary.get(lang)
    );
    Resource::new(uri(&case.id), case.id.to_string())
        .with_title(case.title.get(lang))
        .with_description(shorten(&about, DESCRIPTION))
        .with_mime_type(MIME)
}

/// Lists the cases page by page. A cursor is the last id of the page before, so that it also means the same to a replica, and
/// after cases were added.
pub(super) fn list(
    library: &Library,
    cursor: Option<&str>,
) -> Result<ListResourcesResult, ErrorData> {
    let after: Option<CaseId> = cursor
        .map(|cursor| {
            let id = cursor.parse();
            id.map_err(|_| ErrorData::invalid_params("the cursor is not one of this server", None))
        })
        .transpose()?;
    // A corpus is in the order of its ids.
    let cases = library.corpus().cases();
    let first = cases.partition_point(|case| after.as_ref().is_some_and(|after| case.id <= *after));
    let shown = cases[first..].iter().filter(|case| case.is_published());
    let mut cases: Vec<&Case> = shown.map(|case| &**case).take(PAGE + 1).collect();
    let more = cases.len() > PAGE;
    cases.truncate(PAGE);
    let mut result = ListResourcesResult::with_all_items(
        cases.iter().map(|case| describe(case, Lang::En)).collect(),
    )
    .with_ttl_ms(FRESH_MS)
    .with_cache_scope(CacheScope::Private);
    result.next_cursor = cases
        .last()
        .filter(|_| more)
        .map(|case| case.id.to_string());
    Ok(result)
}

/// Reads a case.
pub(super) fn read(library: &Library, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let not_found = |hint: String| {
        let message = format!("`{}` is no resource of this server: {hint}", echo(uri));
        ErrorData::resource_not_found(message, Some(json!({ "uri": echo(uri) })))
    };
    let (id, lang) = parse(uri)
        .ok_or_else(|| not_found(format!("addresses are {TEMPLATE}, such as {SCHEME}IL-0493")))?;
    let case = case::find(library, id).map_err(|refusal| not_found(refusal.to_string()))?;
    let text = markdown(library, case, lang);
    let contents = ResourceContents::text(text, uri).with_mime_type(MIME);
    Ok(ReadResourceResult::new(vec![contents])
        .with_ttl_ms(FRESH_MS)
        .with_cache_scope(CacheScope::Private))
}

/// Parts an address into id and language.
fn parse(uri: &str) -> Option<(&str, Lang)> {
    let rest = uri.strip_prefix(SCHEME)?;
    let (id, query) = rest.split_once('?').unwrap_or((rest, ""));
    let lang = match query {
        "" => Lang::En,
        query => Lang::from_tag(query.strip_prefix("lang=")?)?,
    };
    // Some libraries write an address without a path with one.
    let id = id.strip_suffix('/').unwrap_or(id);
    (!id.is_empty()).then_some((id, lang))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_case_and_language() {
        for (uri, expect) in [
            ("incident://IL-0493", Some(("IL-0493", Lang::En))),
            ("incident://il-0493/", Some(("il-0493", Lang::En))),
            ("incident://IL-0493?lang=ko", Some(("IL-0493", Lang::Ko))),
            ("incident://IL-0493?lang=ja", None),
            ("incident://IL-0493?limit=2", None),
            ("incident://", None),
            ("https://IL-0493", None),
        ] {
            assert_eq!(parse(uri), expect, "{uri}");
        }
    }
}
