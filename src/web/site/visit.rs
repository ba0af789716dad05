//! What a request says of its visitor: language, address, what the browser already has.

use std::convert::Infallible;

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, header, request::Parts},
};

use super::{super::cache::KnownTags, strings::Strings};
use crate::corpus::{CaseId, Facet, Lang};

/// Longest host name that is repeated in links.
const HOST_LIMIT: usize = 253;

/// Who asks for a page, and how.
#[derive(Clone, Debug)]
pub(super) struct Visit {
    /// The language to answer in.
    pub(super) lang: Lang,
    /// Makes addresses that keep the chosen language.
    pub(super) links: Links,
    /// `https://library.example`: where the visitor found this service.
    pub(super) origin: String,
    /// The path as asked for.
    pub(super) path: String,
    /// The query as asked for, still encoded.
    pub(super) query: String,
    /// Whether a program asks, which reads refusals as JSON.
    pub(super) program: bool,
}

/// A visit with what only the answer's envelope needs.
#[derive(Debug)]
pub(super) struct Visitor {
    /// The visit.
    pub(super) visit: Visit,
    /// The versions that the browser has.
    pub(super) known: KnownTags,
}

impl Visit {
    /// Returns the words of the visitor's language.
    pub(super) fn t(&self) -> &'static Strings {
        Strings::of(self.lang)
    }

    /// Iterates over the parameters.
    pub(super) fn parameters(&self) -> impl Iterator<Item = (String, String)> {
        url::form_urlencoded::parse(self.query.as_bytes())
            .map(|(key, value)| (key.into_owned(), value.into_owned()))
    }

    /// Returns the address that was asked for without its language.
    pub(super) fn without_lang(&self) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.parameters().filter(|(key, _)| key != "lang"));
        match query.finish() {
            query if query.is_empty() => self.path.clone(),
            query => format!("{}?{query}", self.path),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let chosen = url::form_urlencoded::parse(query.as_bytes())
            .find(|(key, _)| key == "lang")
            .and_then(|(_, tag)| Lang::from_tag(&tag));
        let visit = Visit {
            lang: chosen.unwrap_or_else(|| preferred(&parts.headers)),
            links: Links { lang: chosen },
            origin: origin(&parts.headers),
            path: parts.uri.path().to_owned(),
            query,
            program: prefers_json(&parts.headers),
        };
        Ok(Self {
            visit,
            known: KnownTags::of(&parts.headers),
        })
    }
}

/// Reads `Accept-Language`: of our two languages the one that the browser likes better; English when it names neither.
pub(in crate::web) fn preferred(headers: &HeaderMap) -> Lang {
    let accepted = headers
        .get(header::ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let mut best = (Lang::En, 0.0);
    for part in accepted.split(',').take(20) {
        let mut fields = part.split(';');
        let tag = fields.next().unwrap_or_default().trim();
        let weight = fields
            .find_map(|field| field.trim().strip_prefix("q="))
            .map_or(1.0, |weight| weight.parse().unwrap_or(0.0));
        if let Some(lang) = Lang::from_tag(tag)
            && weight > best.1
        {
            best = (lang, weight);
        }
    }
    best.0
}

/// Returns whether who asks wants JSON and no page. Browsers name HTML; what names nothing gets what browsers get.
fn prefers_json(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let accepted: Vec<&str> = accepted.filter_map(|value| value.to_str().ok()).collect();
    let names = |kind: &str| accepted.iter().any(|value| value.contains(kind));
    names("json") && !names("html")
}

/// Returns the address under which the visitor found this service, as far as it is a plain host name.
fn origin(headers: &HeaderMap) -> String {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let is_host = |host: &&str| {
        !host.is_empty()
            && host.len() <= HOST_LIMIT
            && host
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-.:[]".contains(&b))
    };
    let host = text("host").filter(is_host).unwrap_or("localhost");
    // A proxy that ends TLS says so.
    let scheme = match text("x-forwarded-proto") {
        Some("https") => "https",
        _ => "http",
    };
    format!("{scheme}://{host}")
}

/// Makes addresses of pages; a language that was chosen stays chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Links {
    pub(super) lang: Option<Lang>,
}

impl Links {
    /// Returns the address of a page.
    pub(super) fn to(self, path: &str) -> String {
        self.with(path, &[])
    }

    /// Returns the address of a page with parameters.
    pub(super) fn with(self, path: &str, parameters: &[(&str, &str)]) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(parameters);
        if let Some(lang) = self.lang {
            query.append_pair("lang", lang.code());
        }
        match query.finish() {
            query if query.is_empty() => path.to_owned(),
            query => format!("{path}?{query}"),
        }
    }

    /// Returns the address of a case.
    pub(super) fn case(self, id: &CaseId) -> String {
        self.to(&format!("/cases/{id}"))
    }

    /// Returns the address of a topic.
    pub(super) fn topic(self, facet: Facet, slug: &str) -> String {
        self.to(&format!("/topics/{facet}/{slug}"))
    }

    /// Returns the address of a part of the graph.
    pub(super) fn graph(self, facet: Facet, slug: &str) -> String {
        self.with("/graph", &[(facet.slug(), slug)])
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| {
                (
                    name.parse().expect("a name"),
                    HeaderValue::from_static(value),
                )
            })
            .collect()
    }

    #[test]
    fn the_browsers_liking_decides_the_language() {
        for (accepted, expect) in [
            ("ko-KR,ko;q=0.9,en-US;q=0.8,en;q=0.7", Lang::Ko),
            ("en-US,en;q=0.9,ko;q=0.8", Lang::En),
            ("ja,ko;q=0.5", Lang::Ko),
            ("en;q=0.2, ko;q=0.8", Lang::Ko),
            ("fr", Lang::En),
            ("ko;q=nonsense", Lang::En),
            ("", Lang::En),
        ] {
            assert_eq!(
                preferred(&headers(&[("accept-language", accepted)])),
                expect,
                "{accepted}"
            );
        }
    }

    #[test]
    fn programs_say_that_they_want_json() {
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        for (accepted, expect) in [
            (browser, false),
            ("*/*", false),
            ("application/json", true),
            ("application/problem+json, application/json;q=0.9", true),
            ("text/html, application/json", false),
        ] {
            assert_eq!(prefers_json(&headers(&[("accept", accepted)])), expect);
        }
        assert!(!prefers_json(&HeaderMap::new()));
    }

    #[test]
    fn only_plain_hosts_get_into_links() {
        for (host, expect) in [
            ("library.example:8443", "http://library.example:8443"),
            ("[::1]:8080", "http://[::1]:8080"),
            ("evil\"><script>", "http://localhost"),
            ("a/b", "http://localhost"),
        ] {
            assert_eq!(origin(&headers(&[("host", host)])), expect);
        }
        let behind_tls = headers(&[("host", "a.example"), ("x-forwarded-proto", "https")]);
        assert_eq!(origin(&behind_tls), "https://a.example");
    }

    #[test]
    fn a_chosen_language_stays_chosen() {
        let free = Links { lang: None };
        let korean = Links {
            lang: Some(Lang::Ko),
        };
        assert_eq!(
            free.topic(Facet::Component, "etcd"),
            "/topics/component/etcd"
        );
        assert_eq!(
            korean.topic(Facet::Component, "etcd"),
            "/topics/component/etcd?lang=ko"
        );
        assert_eq!(korean.with("/", &[("q", "a&b")]), "/?q=a%26b&lang=ko");
    }
}
