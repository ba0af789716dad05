//! Answers that a client keeps: what names them, for how long they are fresh, and when they need not be sent again.

use axum::{
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use sha2::{Digest, Sha256};
use tracing::error;

use super::AppState;

/// Largest answer, in bytes; real ones stay below 1 MiB.
const LARGEST: usize = 16 * 1024 * 1024;

/// Public answers are asked for again after five minutes. A corpus changes a few times a day at most.
const PUBLIC: HeaderValue = HeaderValue::from_static("public, max-age=300");

/// What holds a team's own cases is kept by its reader alone, and asked for again each time.
const PRIVATE: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Endings of the tags of compressed answers: a strong tag names bytes, so each encoding has its own.
const ENCODINGS: [&str; 2] = ["gzip", "br"];

/// Names a good answer by its bytes and sends it only to clients that lack it.
pub(super) async fn revalidate(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Response {
    let known = KnownTags::of(request.headers());
    // The name of an answer to HEAD is that of the answer to GET, so it has to be made all the same.
    let head = request.method() == Method::HEAD;
    if head {
        *request.method_mut() = Method::GET;
    }
    let response = next.run(request).await;
    if response.status() != StatusCode::OK || response.headers().contains_key(header::ETAG) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(bytes) = to_bytes(body, LARGEST).await else {
        error!("an answer is too large");
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let name = name_of(&bytes);
    let headers = &mut parts.headers;
    let freshness = if state.public { PUBLIC } else { PRIVATE };
    headers.entry(header::CACHE_CONTROL).or_insert(freshness);
    headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(tag) = known.matching(&name) {
        headers.insert(header::ETAG, tag);
        headers.remove(header::CONTENT_TYPE);
        headers.remove(header::CONTENT_LENGTH);
        parts.status = StatusCode::NOT_MODIFIED;
        return Response::from_parts(parts, Body::empty());
    }
    if let Ok(tag) = HeaderValue::try_from(format!("\"{name}\"")) {
        headers.insert(header::ETAG, tag);
    }
    if head {
        headers.insert(header::CONTENT_LENGTH, bytes.len().into());
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(bytes))
}

/// Gives the tag of a compressed answer its encoding's ending.
pub(super) async fn name_encoding(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let encoding = headers.get(header::CONTENT_ENCODING);
    let encoding = encoding.and_then(|name| name.to_str().ok());
    let tag = headers.get(header::ETAG).and_then(|tag| tag.to_str().ok());
    let named = tag.zip(encoding).and_then(|(tag, encoding)| {
        let tag = tag.strip_suffix('"')?;
        HeaderValue::try_from(format!("{tag}-{encoding}\"")).ok()
    });
    if let Some(named) = named {
        headers.insert(header::ETAG, named);
    }
    response
}

/// Names an answer by its bytes.
pub(super) fn name_of(bytes: &[u8]) -> String {
    hex::encode(&Sha256::digest(bytes)[..12])
}

/// The answers that a client says it has.
#[derive(Debug)]
pub(super) struct KnownTags(Vec<String>);

impl KnownTags {
    /// Reads `If-None-Match`: any number of tags, or `*` for whatever there is.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let lists = headers.get_all(header::IF_NONE_MATCH).iter();
        let lists = lists.filter_map(|list| list.to_str().ok());
        let tags = lists.flat_map(|list| list.split(','));
        // Comparing is weak here (RFC 9110, 13.1.2), so the mark of a weak tag says nothing.
        let tags = tags.map(|tag| tag.trim().trim_start_matches("W/").to_owned());
        Self(tags.collect())
    }

    /// Returns how the client calls the answer with this name, if it has it.
    pub(super) fn matching(&self, name: &str) -> Option<HeaderValue> {
        let calls_it = |tag: &&String| {
            let inner = tag.trim_matches('"');
            let plain = ENCODINGS.iter().find_map(|encoding| {
                let plain = inner.strip_suffix(encoding)?;
                plain.strip_suffix('-')
            });
            inner == "*" || plain.unwrap_or(inner) == name
        };
        let known = self.0.iter().find(calls_it)?;
        let tag = if known == "*" {
            format!("\"{name}\"")
        } else {
            known.clone()
        };
        HeaderValue::try_from(tag).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_may_call_an_answer_by_any_of_its_tags() {
        let matching = |asked: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static(asked));
            let tag = KnownTags::of(&headers).matching("abc");
            tag.and_then(|tag| tag.to_str().ok().map(str::to_owned))
        };
        for (asked, expect) in [
            ("\"abc\"", Some("\"abc\"")),
            ("W/\"abc\"", Some("\"abc\"")),
            ("\"x\", \"abc-gzip\"", Some("\"abc-gzip\"")),
            ("\"abc-br\"", Some("\"abc-br\"")),
            ("*", Some("\"abc\"")),
            ("\"abcd\"", None),
            ("\"abc-zstd\"", None),
            ("", None),
        ] {
            assert_eq!(matching(asked).as_deref(), expect, "{asked}");
        }
    }
}
