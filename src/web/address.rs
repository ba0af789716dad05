//! Addresses that are known by more than one spelling: which of them is led to which, before a route is looked for.

use axum::{
    extract::Request,
    http::{HeaderValue, Method, StatusCode, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::api;
use crate::corpus::CaseId;

/// Leads a case's other addresses to the API, and people's spellings of an address to the one that it has.
pub(super) async fn settle(mut request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let path = request.uri().path();
    // Only clients of the Model Context Protocol send something to an address that may have a slash too much.
    if (reads || path.starts_with("/mcp"))
        && let Some(path) = canonical(path)
        && let Ok(location) = HeaderValue::try_from(with_query(path, request.uri()))
    {
        return (
            StatusCode::PERMANENT_REDIRECT,
            [(header::LOCATION, location)],
        )
            .into_response();
    }
    if let Some(address) = api::address_of(request.uri()) {
        *request.uri_mut() = address;
    }
    next.run(request).await
}

fn with_query(path: String, uri: &Uri) -> String {
    match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path,
    }
}

/// Returns the one address that a path stands for, unless it is that already.
fn canonical(path: &str) -> Option<String> {
    // A browser takes `//host` and `/\host` for another site.
    if path.contains('\\') {
        return None;
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let mut settled: String = parts.iter().flat_map(|part| ["/", part]).collect();
    match parts.as_slice() {
        [] => settled.push('/'),
        // The library that this one follows has its neighbours there.
        ["cases", id, "similar"] => settled = format!("/cases/{}/similar.json", spelt(id)?),
        ["cases", id] => settled = format!("/cases/{}", spelt(id).unwrap_or_else(|| (*id).into())),
        ["cases", id, "brief"] => settled = format!("/cases/{}/brief", spelt(id)?),
        ["topics", ..] => settled.make_ascii_lowercase(),
        _ => {}
    }
    (settled != path).then_some(settled)
}

/// Writes a case's id as it is spelt.
fn spelt(id: &str) -> Option<String> {
    let id: CaseId = id.parse().ok()?;
    Some(id.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_has_one_address() {
        for (path, expect) in [
            ("/", None),
            ("//", Some("/")),
            ("/topics", None),
            ("/topics/", Some("/topics")),
            ("/topics/component/etcd//", Some("/topics/component/etcd")),
            ("/Topics/", Some("/Topics")),
            ("/topics/Component/ETCD", Some("/topics/component/etcd")),
            ("/cases/IL-0493", None),
            ("/cases/il-0493", Some("/cases/IL-0493")),
            ("/cases/il-0493/", Some("/cases/IL-0493")),
            ("/cases/il-0493/brief", Some("/cases/IL-0493/brief")),
            (
                "/cases/il-0493/similar",
                Some("/cases/IL-0493/similar.json"),
            ),
            ("/cases/IL-0493.json", None),
            ("/cases/il-0493.json", None),
            ("/cases/nonsense", None),
            ("/cases/nonsense/similar", None),
            // Never to another site.
            ("//evil.example/", Some("/evil.example")),
            ("/\\evil.example/", None),
        ] {
            assert_eq!(canonical(path).as_deref(), expect, "{path}");
        }
    }
}
