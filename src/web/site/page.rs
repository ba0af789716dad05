//! What all pages share: the frame around them, and the envelope that they are sent in.

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use sha2::{Digest, Sha256};

use super::{
    asset,
    strings::Strings,
    visit::{Links, Visit},
};
use crate::{
    corpus::{Case, Facet, Lang, TermId},
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

/// Parts a text at its empty lines.
pub(super) fn paragraphs(text: &str) -> Vec<String> {
    text.split("\n\n")
        .map(str::trim)
        .filter(|paragraph| !paragraph.is_empty())
        .map(str::to_owned)
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
        _ => {
            let space = head.rfind(' ').unwrap_or(head.len());
            format!("{}…", &head[..space])
        }
    }
}

/// What goes back to the visitor.
#[derive(Debug)]
pub(super) struct Reply {
    status: StatusCode,
    kind: &'static str,
    body: String,
}

impl Reply {
    /// Makes a page of a rendered template.
    pub(super) fn html(body: askama::Result<String>) -> Self {
        Self::of("text/html; charset=utf-8", body)
    }

    /// Makes an answer of a kind.
    pub(super) fn of(kind: &'static str, body: askama::Result<String>) -> Self {
        match body {
            Ok(body) => Self {
                status: StatusCode::OK,
                kind,
                body,
            },
            // Writing to a string only fails when a template's own method does.
            Err(_) => Self {
                status: StatusCode::INTERNAL_SERVER_ERROR,
                kind: "text/plain; charset=utf-8",
                body: "the page could not be rendered".to_owned(),
            },
        }
    }

    /// Gives it another status.
    pub(super) fn with_status(mut self, status: StatusCode) -> Self {
        if self.status == StatusCode::OK {
            self.status = status;
        }
        self
    }

    /// Sends it, or says that the browser already has it.
    pub(super) fn into_response(self, known: Option<&HeaderValue>) -> Response {
        let digest = Sha256::digest(self.body.as_bytes());
        // Weak, because it goes out compressed or not.
        let tag = format!("W/\"{}\"", hex::encode(&digest[..12]));
        let is_known = self.status == StatusCode::OK
            && known.is_some_and(|known| known.as_bytes() == tag.as_bytes());
        let headers = [
            (header::CONTENT_TYPE, self.kind.to_owned()),
            (header::ETAG, tag),
            // What a page shows may change with the next reload of the corpus.
            (header::CACHE_CONTROL, "private, no-cache".to_owned()),
            (header::VARY, "accept-language".to_owned()),
        ];
        if is_known {
            (StatusCode::NOT_MODIFIED, headers).into_response()
        } else {
            (self.status, headers, self.body).into_response()
        }
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
            "처음. 노드가 하나씩…"
        );
        assert_eq!(beginning("First.\n\nSecond.", 40), "First.");
    }
}
