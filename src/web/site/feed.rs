//! What programs read of the library: the feed of new cases, the map of all pages, and what robots may read.

use askama::Template;

use super::{
    page::{Reply, beginning},
    strings::Strings,
    visit::Visit,
};
use crate::{
    corpus::{Case, Facet, Lang, PartialDate},
    library::Library,
};

/// Cases in the feed.
const ENTRIES: usize = 30;

/// Characters of a case's summary in the feed.
const SUMMARY: usize = 400;

/// Answers `GET /feed.xml`: the cases that were read last first.
pub(super) fn atom(library: &Library, visit: &Visit) -> Reply {
    let mut cases: Vec<&Case> = published(library).collect();
    cases.sort_by(|a, b| (read_on(b), b.date, &b.id).cmp(&(read_on(a), a.date, &a.id)));
    let entries: Vec<Entry> = cases
        .iter()
        .take(ENTRIES)
        .map(|case| Entry {
            id: case.id.to_string(),
            title: case.title.get(visit.lang).to_owned(),
            author: case.organisation.clone(),
            href: absolute(visit, &visit.links.case(&case.id)),
            updated: moment(read_on(case)),
            summary: beginning(case.summary.get(visit.lang), SUMMARY),
            terms: Facet::ALL
                .into_iter()
                .flat_map(|facet| case.terms(facet))
                .map(|term| {
                    let own = library.corpus().vocabulary().term(*term);
                    (own.slug.clone(), own.label.get(visit.lang).to_owned())
                })
                .collect(),
        })
        .collect();
    let template = Feed {
        t: visit.t(),
        lang: visit.lang,
        origin: visit.origin.clone(),
        own: absolute(visit, &visit.links.to("/feed.xml")),
        home: absolute(visit, &visit.links.to("/")),
        updated: moment(cases.first().and_then(|case| read_on(case))),
        entries,
    };
    Reply::of(
        "application/atom+xml; charset=utf-8",
        xml(template.render()),
    )
}

/// Answers `GET /sitemap.xml`.
pub(super) fn sitemap(library: &Library, visit: &Visit) -> Reply {
    let mut pages: Vec<String> = ["/", "/topics", "/graph", "/stats"]
        .map(str::to_owned)
        .into();
    let terms = library.corpus().vocabulary().iter();
    let used = terms.filter(|(id, _)| library.count(*id) > 0);
    pages.extend(used.map(|(_, term)| format!("/topics/{}/{}", term.facet, term.slug)));
    // Own cases are no search engine's business.
    let cases = published(library).filter(|case| !case.own);
    pages.extend(cases.map(|case| format!("/cases/{}", case.id)));
    let template = Sitemap {
        origin: visit.origin.clone(),
        pages,
    };
    Reply::of("application/xml; charset=utf-8", xml(template.render()))
}

/// Answers `GET /robots.txt`.
pub(super) fn robots(visit: &Visit) -> Reply {
    let text = format!(
        "User-agent: *\nDisallow: /results\nDisallow: /slack/\nSitemap: {}/sitemap.xml\n",
        visit.origin
    );
    Reply::of("text/plain; charset=utf-8", Ok(text))
}

/// Takes out what XML 1.0 has no way to write, not even escaped: one such character in a title breaks the whole document.
fn xml(rendered: askama::Result<String>) -> askama::Result<String> {
    let forbidden = |c: char| {
        c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{7f}')
            || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    rendered.map(|text| text.replace(forbidden, " "))
}

#[derive(Template)]
#[template(path = "feed.xml", escape = "html")]
struct Feed {
    t: &'static Strings,
    lang: Lang,
    origin: String,
    own: String,
    home: String,
    updated: String,
    entries: Vec<Entry>,
}

/// A case in the feed.
struct Entry {
    id: String,
    title: String,
    author: String,
    href: String,
    updated: String,
    summary: String,
    terms: Vec<(String, String)>,
}

#[derive(Template)]
#[template(path = "sitemap.xml", escape = "html")]
struct Sitemap {
    origin: String,
    pages: Vec<String>,
}

fn published(library: &Library) -> impl Iterator<Item = &Case> {
    let cases = library.corpus().cases().iter();
    cases.map(AsRef::as_ref).filter(|case| case.is_published())
}

/// Returns the last day on which a writer of ours read a source of the case; else when it happened.
fn read_on(case: &Case) -> Option<PartialDate> {
    let read = case.sources.iter().filter_map(|source| source.checked);
    read.max().or(case.date)
}

/// Writes a day as a moment. Atom wants one.
fn moment(date: Option<PartialDate>) -> String {
    let (year, month, day) = date.map_or((1970, 1, 1), |date| {
        (date.year, date.month.unwrap_or(1), date.day.unwrap_or(1))
    });
    format!("{year:04}-{month:02}-{day:02}T00:00:00Z")
}

fn absolute(visit: &Visit, href: &str) -> String {
    format!("{}{href}", visit.origin)
}
