//! Topics: each vocabulary term with its cases, what it goes together with, and what was learned.

use askama::Template;

use super::{
    fault::Fault,
    page::{Nav, Page, Piece, Reply, Said, TermLink, beginning, joined, linked, term_link},
    params, strings,
    timeline::{self, Strip},
    visit::Visit,
};
use crate::{
    corpus::{Facet, Severity},
    library::{Learned, Library, Together},
};

/// Cases of a topic on its page; the search has the rest.
const CASES: usize = 20;

/// Other terms of each facet that are shown beside a topic.
const TOGETHER: usize = 8;

/// Themes of lessons, and texts of each.
const THEMES: usize = 6;
const TEXTS: usize = 3;

/// Characters of what was seen, in the list of cases.
const SEEN: usize = 160;

/// Other names that are shown of a term.
const NAMES: usize = 8;

/// Answers `GET /topics`.
pub(super) fn index(library: &Library, visit: &Visit) -> Reply {
    let t = visit.t();
    let page = Page::new(
        visit,
        Nav::Topics,
        t.topics_title.to_owned(),
        t.topics_lead.to_owned(),
    );
    let groups = Facet::ALL.map(|facet| {
        let mut terms: Vec<Entry> = library
            .corpus()
            .vocabulary()
            .facet(facet)
            .map(|(id, term)| {
                let cases = library.count(id);
                Entry {
                    link: term_link(library, id, visit),
                    definition: beginning(
                        &joined(&linked(library, term.definition.get(visit.lang), visit)),
                        140,
                    ),
                    cases,
                    count: strings::grouped(cases),
                }
            })
            .collect();
        terms.sort_by_key(|term| std::cmp::Reverse(term.cases));
        (facet.slug(), t.facet(facet), terms)
    });
    let template = Index {
        page,
        groups: groups.into(),
    };
    Reply::html(template.render())
}

#[derive(Template)]
#[template(path = "topics.html")]
struct Index {
    page: Page,
    groups: Vec<(&'static str, &'static str, Vec<Entry>)>,
}

/// A term in the index.
struct Entry {
    link: TermLink,
    definition: String,
    cases: usize,
    count: String,
}

/// Answers `GET /topics/{facet}/{slug}`.
pub(super) fn page(
    library: &Library,
    visit: &Visit,
    facet: &str,
    slug: &str,
) -> Result<Reply, Fault> {
    let (lang, t) = (visit.lang, visit.t());
    let known = Facet::from_slug(facet).or_else(|| params::nearest_facet(facet));
    let Some(known) = known else {
        return Err(Fault::missing(visit));
    };
    let term = library
        .term(known, slug)
        .map_err(|unknown| near(library, visit, known, slug, &unknown.nearest))?;
    if known.slug() != facet {
        let link = term_link(library, term, visit);
        let near = (link.label, format!("{known}/{slug}"), link.href);
        return Err(Fault::no_topic(visit, facet, Some(near)));
    }
    let topic = library.topic(term);
    let own = library.corpus().vocabulary().term(term);
    let label = own.label.get(lang).to_owned();
    let definition = linked(library, own.definition.get(lang), visit);
    let title = format!("{label} · {}", t.facet(known));
    let mut page = Page::new(visit, Nav::Topics, title, joined(&definition));
    page.here = format!("/topics/{known}/{slug}");
    let all = visit.links.with("/", &[(known.slug(), slug)]);
    let template = TopicPage {
        kind: t.facet(known),
        together: together(library, visit, known, &topic.together),
        also: own
            .aliases
            .iter()
            .filter(|name| *name != label)
            .take(NAMES)
            .map(str::to_owned)
            .collect(),
        near: own
            .related
            .iter()
            .map(|term| term_link(library, *term, visit))
            .collect(),
        count: strings::cases(topic.cases.len(), lang),
        cases: topic
            .cases
            .iter()
            .take(CASES)
            .map(|case| CaseRow {
                id: case.id.to_string(),
                href: visit.links.case(&case.id),
                title: Said::of(&case.title, lang),
                organisation: case.organisation.clone(),
                date: case.date.map(|date| date.to_string()),
                severity: case.severity.map(Severity::slug),
                strip: timeline::strip(case, t),
                seen: Said::beginning(&case.symptoms_seen, lang, SEEN),
            })
            .collect(),
        has_more: topic.cases.len() > CASES,
        lessons: learned(visit, &topic.lessons),
        follow_ups: learned(visit, &topic.follow_ups),
        graph: visit.links.graph(known, slug),
        json: format!("/api/v1/topics/{known}/{slug}"),
        facet: known.slug(),
        all,
        label,
        definition,
        page,
    };
    Ok(Reply::html(template.render()))
}

#[derive(Template)]
#[template(path = "topic.html")]
struct TopicPage {
    page: Page,
    kind: &'static str,
    facet: &'static str,
    label: String,
    definition: Vec<Piece>,
    also: Vec<String>,
    near: Vec<TermLink>,
    count: String,
    together: Vec<Beside>,
    cases: Vec<CaseRow>,
    has_more: bool,
    lessons: Vec<Theme>,
    follow_ups: Vec<Theme>,
    /// The search for all of its cases.
    all: String,
    graph: String,
    json: String,
}

/// What a topic goes together with in one facet.
struct Beside {
    heading: &'static str,
    terms: Vec<BesideTerm>,
}

/// Another term that a topic's cases have.
struct BesideTerm {
    link: TermLink,
    count: usize,
    share: String,
    lift: String,
    /// Whether it is much more frequent here than elsewhere.
    telling: bool,
}

/// A case of a topic.
struct CaseRow {
    id: String,
    href: String,
    title: Said,
    organisation: String,
    date: Option<String>,
    severity: Option<&'static str>,
    strip: Option<Strip>,
    seen: Said,
}

/// What several cases say on one theme.
struct Theme {
    label: &'static str,
    count: String,
    texts: Vec<(Said, String, String)>,
}

fn near(library: &Library, visit: &Visit, facet: Facet, slug: &str, nearest: &[String]) -> Fault {
    let near = nearest.first().and_then(|near| {
        let link = term_link(library, library.term(facet, near).ok()?, visit);
        Some((link.label, format!("{facet}/{near}"), link.href))
    });
    Fault::no_topic(visit, slug, near)
}

fn together(
    library: &Library,
    visit: &Visit,
    own: Facet,
    together: &std::collections::BTreeMap<Facet, Vec<Together>>,
) -> Vec<Beside> {
    /// Lift from which a term is called telling, and cases that this takes.
    const TELLING: (f32, usize) = (1.5, 3);
    let t = visit.t();
    let view = |beside: &Together| BesideTerm {
        link: term_link(library, beside.term, visit),
        count: beside.count,
        share: format!("{:.0}%", 100.0 * beside.share),
        lift: format!("{:.1}", beside.lift),
        telling: beside.lift >= TELLING.0 && beside.count >= TELLING.1,
    };
    // Other terms of its own kind say least.
    let mut kinds: Vec<_> = together.iter().collect();
    kinds.sort_by_key(|(facet, _)| **facet == own);
    let mut all: Vec<Beside> = kinds
        .into_iter()
        .map(|(facet, terms)| Beside {
            heading: match (facet, own) {
                (Facet::Cause, Facet::Symptom) => t.causes_of_symptom,
                (Facet::Cause, _) => t.causes_of,
                (Facet::Component, _) => t.components_of,
                (Facet::Symptom, _) => t.symptoms_of,
                (Facet::Factor, _) => t.factors_of,
            },
            terms: terms.iter().take(TOGETHER).map(view).collect(),
        })
        .collect();
    all.retain(|beside| !beside.terms.is_empty());
    all
}

fn learned(visit: &Visit, learned: &[Learned]) -> Vec<Theme> {
    let theme = |own: &Learned| Theme {
        label: own
            .theme
            .map_or(visit.t().other_theme, |theme| theme.label(visit.lang)),
        count: strings::cases(own.cases, visit.lang),
        texts: own
            .texts
            .iter()
            .take(TEXTS)
            .map(|text| {
                let id = &text.case.id;
                let words = Said::of(&text.text, visit.lang);
                (words, id.to_string(), visit.links.case(id))
            })
            .collect(),
    };
    learned.iter().take(THEMES).map(theme).collect()
}
