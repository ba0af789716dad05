//! Completion of arguments while a person fills them in: ids of cases, and languages.

use rmcp::{
    ErrorData,
    model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference},
};

use super::{prompt, resource};
use crate::{corpus::Lang, library::Library};

/// Completes an argument. What cannot be completed has no proposals.
pub(super) fn complete(
    library: &Library,
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let begun = request.argument.value.trim();
    let argument = request.argument.name.as_str();
    let values = match &request.r#ref {
        Reference::Resource(reference) if reference.uri == resource::TEMPLATE => match argument {
            "id" => ids(library, begun),
            "lang" => languages(begun),
            _ => Vec::new(),
        },
        Reference::Prompt(reference) if reference.name == prompt::NAME => match argument {
            "language" => languages(begun),
            _ => Vec::new(),
        },
        _ => {
            return Err(ErrorData::invalid_params(
                "there is no such prompt or resource template",
                None,
            ));
        }
    };
    let more = values.len() > CompletionInfo::MAX_VALUES;
    let total = u32::try_from(values.len()).ok();
    let values = values
        .into_iter()
        .take(CompletionInfo::MAX_VALUES)
        .collect();
    let completion = CompletionInfo::with_pagination(values, total, more)
        .map_err(|_| ErrorData::internal_error("too many proposals", None))?;
    Ok(CompleteResult::new(completion))
}

fn ids(library: &Library, begun: &str) -> Vec<String> {
    let begun = begun.to_ascii_uppercase();
    // A corpus is in the order of its ids.
    let cases = library.corpus().cases();
    let first = cases.partition_point(|case| case.id.as_str() < begun.as_str());
    let fitting = cases[first..]
        .iter()
        .take_while(|case| case.id.as_str().starts_with(&begun));
    fitting
        .filter(|case| case.is_published())
        .map(|case| case.id.to_string())
        .collect()
}

fn languages(begun: &str) -> Vec<String> {
    let codes = Lang::ALL.into_iter().map(Lang::code);
    codes
        .filter(|code| code.starts_with(begun))
        .map(str::to_owned)
        .collect()
}
