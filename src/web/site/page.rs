//! What all pages share: the frame around them, and the envelope that they are sent in.

use axum::{
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};

use super::{
    super::cache::{self, KnownTags},
    asset,
    strings::Strings,
    visit::{Links, Visit},
};
use crate::{
    corpus::{Case, Facet, Lang, Localized, TermId, cut},
    library::{Library, in_sentence},
};

/// The entry of the navigation that a page belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nav {
    /// The search.
    Search,
    /// Topics.
    Topics,
    /// The graph.
    Graph,
    /// Figures.
    Stats,
    /// None of them.
    Elsewhere,
}

/// The frame around a page.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) t: &'static Strings,
    pub(super) lang: Lang,
    pub(super) links: Links,
    pub(super) origin: String,
    /// The page's own address without its language.
    pub(super) here: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) nav: Nav,
    /// Whether search engines are to leave it out.
    pub(super) hidden: bool,
}

impl Page {
    /// Makes the frame of a page.
    pub(super) fn new(visit: &Visit, nav: Nav, title: String, description: String) -> Self {
        Self {
            t: visit.t(),
            lang: visit.lang,
            links: visit.links,
            origin: visit.origin.clone(),
            here: visit.without_lang(),
            title,
            description,
            nav,
            hidden: false,
        }
    }

    /// Returns this page's address in a language.
    pub(super) fn in_lang(&self, lang: &str) -> String {
        let joint = if self.here.contains('?') { '&' } else { '?' };
        format!("{}{joint}lang={lang}", self.here)
    }

    /// Returns the other language.
    pub(super) fn other(&self) -> Lang {
        self.lang.other()
    }

    /// Returns the address of an asset.
    #[expect(
        clippy::unused_self,
        reason = "templates call it on the page they have"
    )]
    pub(super) fn asset(&self, name: &str) -> String {
        asset::address(name)
    }

    /// Returns whether the navigation's entry is the page's own.
    pub(super) fn is(&self, entry: &str) -> bool {
        let own = match self.nav {
            Nav::Search => "search",
            Nav::Topics => "topics",
            Nav::Graph => "graph",
            Nav::Stats => "stats",
            Nav::Elsewhere => "",
        };
        own == entry
    }
}

/// A term as a link.
#[derive(Clone, Debug)]
pub(super) struct TermLink {
    pub(super) label: String,
    pub(super) href: String,
}

/// Makes the link to a term's page.
pub(super) fn term_link(library: &Library, term: TermId, visit: &Visit) -> TermLink {
    let term = library.corpus().vocabulary().term(term);
    TermLink {
        label: term.label.get(visit.lang).to_owned(),
        href: visit.links.topic(term.facet, &term.slug),
    }
}

/// Makes the links to the pages of a case's terms.
pub(super) fn term_links(
    library: &Library,
    case: &Case,
    facet: Facet,
    visit: &Visit,
) -> Vec<TermLink> {
    case.terms(facet)
        .iter()
        .map(|term| term_link(library, *term, visit))
        .collect()
}

/// A piece of a text, with where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) href: Option<String>,
}

/// Turns the names of other terms that stand in a definition ("a wrong setting is `configuration-change`") into their labels
/// with links.
pub(super) fn linked(library: &Library, text: &str, visit: &Visit) -> Vec<Piece> {
    let is_slug = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let mut pieces: Vec<Piece> = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_slug(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let vocabulary = library.corpus().vocabulary();
        // Words without a hyphen are words first.
        let known = word
            .contains('-')
            .then(|| {
                Facet::ALL
                    .into_iter()
                    .find_map(|facet| vocabulary.find(facet, word))
            })
            .flatten();
        if let Some(term) = known {
            if !plain.is_empty() {
                let text = std::mem::take(&mut plain);
                pieces.push(Piece { text, href: None });
            }
            let TermLink { label, href } = term_link(library, term, visit);
            pieces.push(Piece {
                text: in_sentence(&label).into_owned(),
                href: Some(href),
            });
            rest = after;
        } else {
            // On to the next place where a name may begin.
            let other = after.find(is_slug).unwrap_or(after.len());
            plain.push_str(word);
            plain.push_str(&after[..other]);
            rest = &after[other..];
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece {
            text: plain,
            href: None,
        });
    }
    pieces
}

/// Joins the pieces of a text.
pub(super) fn joined(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}

/// A text of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) text: String,
    /// Its language, where that is not the page's: a team's own case may exist in one language only.
    foreign: Option<Lang>,
}

impl Said {
    /// Takes the text in a language, or in the one that there is.
    pub(super) fn of(text: &Localized, lang: Lang) -> Self {
        let foreign = text.exact(lang).is_none().then_some(lang.other());
        Self {
            text: text.get(lang).to_owned(),
            foreign,
        }
    }

    /// Takes the beginning of a text.
    pub(super) fn beginning(text: &Localized, lang: Lang, limit: usize) -> Self {
        let whole = Self::of(text, lang);
        Self {
            text: beginning(&whole.text, limit),
            ..whole
        }
    }

    /// Takes a text whose language is known.
    pub(super) fn in_lang(text: String, own: Lang, lang: Lang) -> Self {
        let foreign = (own != lang).then_some(own);
        Self { text, foreign }
    }

    /// Returns the same attribute for XML.
    pub(super) const fn xml(&self) -> &'static str {
        match self.foreign {
            Some(Lang::En) => " xml:lang=\"en\"",
            Some(Lang::Ko) => " xml:lang=\"ko\"",
            None => "",
        }
    }

    /// Returns the attribute that tells browsers and screen readers the language, if they have to be told.
    pub(super) const fn attribute(&self) -> &'static str {
        match self.foreign {
            Some(Lang::En) => " lang=\"en\"",
            Some(Lang::Ko) => " lang=\"ko\"",
            None => "",
        }
    }
}

/// Parts a text at its empty lines.
pub(super) fn paragraphs(text: &Localized, lang: Lang) -> Vec<Said> {
    let whole = Said::of(text, lang);
    let parts = whole.text.split("\n\n").map(str::trim);
    let parts = parts.filter(|part| !part.is_empty());
    parts
        .map(|part| Said {
            text: part.to_owned(),
            ..whole.clone()
        })
        .collect()
}

/// Cuts a text to whole sentences of at most `limit` characters, or inside the first one when that is longer.
pub(super) fn beginning(text: &str, limit: usize) -> String {
    let text = text.split("\n\n").next().unwrap_or_default().trim();
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let end = text
        .char_indices()
        .nth(limit)
        .map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    match head.rfind(". ") {
        Some(stop) if stop > end / 3 => head[..=stop].to_owned(),
        _ => cut(text, limit).into_owned(),
    }
}

/// What goes back to the visitor.
#[derive(Debug)]
pub(super) struct Reply {
    status: StatusCode,
    kind: &'static str,
    body: String,
    /// When to come again, in seconds.
    retry_after: Option<u64>,
    /// Where to go instead.
    location: Option<String>,
}

impl Reply {
    /// Leads to another page of ours.
    pub(super) fn elsewhere(href: String) -> Self {
        Self {
            status: StatusCode::SEE_OTHER,
            location: Some(href),
            ..Self::of("text/plain; charset=utf-8", Ok(String::new()))
        }
    }

    /// Makes a page of a rendered template.
    pub(super) fn html(body: askama::Result<String>) -> Self {
        Self::of("text/html; charset=utf-8", body)
    }

    /// Makes an answer of a kind.
    pub(super) fn of(kind: &'static str, body: askama::Result<String>) -> Self {
        let (status, kind, body) = match body {
            Ok(body) => (StatusCode::OK, kind, body),
            // Writing to a string only fails when a template's own method does.
            Err(_) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "text/plain; charset=utf-8",
                "the page could not be rendered".to_owned(),
            ),
        };
        Self {
            status,
            kind,
            body,
            retry_after: None,
            location: None,
        }
    }

    /// Makes it a refusal.
    pub(super) fn refused(mut self, status: StatusCode, retry_after: Option<u64>) -> Self {
        if self.status == StatusCode::OK {
            self.status = status;
        }
        self.retry_after = retry_after;
        self
    }

    /// Sends it, or says that the browser already has it.
    pub(super) fn into_response(self, known: &KnownTags) -> Response {
        let name = cache::name_of(self.body.as_bytes());
        let is_known = self.status == StatusCode::OK && known.matching(&name).is_some();
        let mut headers = HeaderMap::new();
        let mut set = |name: HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        };
        set(header::VARY, "accept-language, accept");
        if let Some(seconds) = self.retry_after {
            set(header::RETRY_AFTER, &seconds.to_string());
        }
        if let Some(location) = &self.location {
            set(header::LOCATION, location);
        }
        if self.status == StatusCode::OK {
            // Weak, because it goes out compressed or not.
            set(header::ETAG, &format!("W/\"{name}\""));
            // What a page shows may change with the next reload of the corpus.
            set(header::CACHE_CONTROL, "private, no-cache");
        } else {
            set(header::CACHE_CONTROL, "no-store");
        }
        if is_known {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        set(header::CONTENT_TYPE, self.kind);
        (self.status, headers, self.body).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_end_with_a_sentence_where_they_can() {
        assert_eq!(beginning("Short. Text.", 40), "Short. Text.");
        assert_eq!(
            beginning("One thing failed. Then another one did.", 25),
            "One thing failed."
        );
        assert_eq!(beginning("No end in sight here", 10), "No end in…");
        assert_eq!(
            beginning("처음. 노드가 하나씩 빠졌다. 그리고", 16),
            "처음. 노드가 하나씩 빠졌다…"
        );
        assert_eq!(beginning("First.\n\nSecond.", 40), "First.");
    }
}
