//! A case's page: every field of the record, the actions in their time, and what is close to it.

use askama::Template;
use serde_json::json;

use super::{
    fault::Fault,
    page::{Nav, Page, Reply, TermLink, paragraphs, term_links},
    strings,
    timeline::{self, Axis, Step, Strip},
    visit::Visit,
};
use crate::{
    corpus::{Audience, Case, CaseId, Facet, Localized, Severity},
    library::{Library, reason},
};

/// Related cases on the page.
const RELATED: usize = 12;

/// Characters of a page's description for search engines and previews.
const DESCRIPTION: usize = 200;

/// What is shown for a field that the source does not give.
const ABSENT: &str = "–";

/// Answers `GET /cases/{id}`.
pub(super) fn page(library: &Library, visit: &Visit, id: &str) -> Result<Reply, Fault> {
    let case = find(library, visit, id)?;
    let title = format!("{} · {}", case.title.get(visit.lang), case.id);
    let description = super::page::beginning(case.summary.get(visit.lang), DESCRIPTION);
    let mut page = Page::new(visit, Nav::Elsewhere, title, description);
    page.here = format!("/cases/{}", case.id);
    // Own cases are for whoever reaches this address, and for no search engine.
    page.hidden = case.own;
    let data = linked_data(library, visit, case, &page);
    let command = format!("/incident-like {}", case.id);
    let template = CasePage {
        similar_command: format!("/incident-like similar {}", case.id),
        command,
        record: record(library, visit, case),
        related: related(library, visit, case),
        similar: visit.links.with("/", &[("q", case.title.get(visit.lang))]),
        graph: visit.links.with("/graph", &[("case", case.id.as_str())]),
        data,
        page,
    };
    Ok(Reply::html(template.render()))
}

/// Answers `GET /cases/{id}/brief`: what a list shows of a case on demand.
pub(super) fn brief(library: &Library, visit: &Visit, id: &str) -> Result<Reply, Fault> {
    let case = find(library, visit, id)?;
    let page = Page::new(visit, Nav::Elsewhere, String::new(), String::new());
    let record = record(library, visit, case);
    Ok(Reply::html(Brief { page, record }.render()))
}

fn find<'a>(library: &'a Library, visit: &Visit, id: &str) -> Result<&'a Case, Fault> {
    let parsed: CaseId = id.parse().map_err(|_| Fault::no_case(visit, id))?;
    match library.corpus().get(&parsed) {
        Some(case) if case.is_published() => Ok(case),
        // Whether a case for others exists is nobody's business.
        Some(case) if !case.is_live() && case.audience == Audience::Everyone => {
            Err(Fault::withdrawn(visit, &parsed, library.successor(case)))
        }
        _ => Err(Fault::no_case(visit, id)),
    }
}

#[derive(Template)]
#[template(path = "case.html")]
struct CasePage {
    page: Page,
    record: Record,
    related: Vec<RelatedView>,
    /// The search for cases like it.
    similar: String,
    graph: String,
    command: String,
    similar_command: String,
    /// JSON-LD.
    data: String,
}

#[derive(Template)]
#[template(path = "brief.html")]
struct Brief {
    page: Page,
    record: Record,
}

/// A case as it is shown.
struct Record {
    id: String,
    title: String,
    organisation: String,
    organisation_href: String,
    date: Option<String>,
    own: bool,
    tags: Vec<TermLink>,
    summary: Vec<String>,
    severity: String,
    scope: String,
    users: String,
    regions: String,
    detect: String,
    recover: String,
    strip: Option<Strip>,
    ticks: Vec<(String, &'static str)>,
    symptoms: Vec<String>,
    symptom_terms: Vec<TermLink>,
    causes: Vec<TermLink>,
    components: Vec<TermLink>,
    factors: Vec<TermLink>,
    trigger: Vec<String>,
    mechanism: Vec<String>,
    detection: Vec<String>,
    axis: Option<Axis>,
    steps: Vec<Step>,
    follow_ups: Vec<FollowUpView>,
    lessons: Vec<Vec<String>>,
    signals: Vec<String>,
    sources: Vec<SourceView>,
    references: Vec<(String, String)>,
}

/// Something the owners promised.
struct FollowUpView {
    state: Option<(&'static str, &'static str)>,
    text: String,
}

/// A source.
struct SourceView {
    url: String,
    title: String,
    kind: &'static str,
    archived: Option<String>,
    checked: Option<String>,
}

/// A case close to the one shown.
struct RelatedView {
    id: String,
    href: String,
    title: String,
    organisation: String,
    date: Option<String>,
    severity: Option<&'static str>,
    reason: String,
}

fn record(library: &Library, visit: &Visit, case: &Case) -> Record {
    let lang = visit.lang;
    let t = visit.t();
    let optional = |text: &Option<Localized>| {
        text.as_ref()
            .map_or(ABSENT, |text| text.get(lang))
            .to_owned()
    };
    let parts = |text: &Option<Localized>| {
        text.as_ref()
            .map_or(Vec::new(), |text| paragraphs(text.get(lang)))
    };
    let absent = || ABSENT.to_owned();
    let tags = case.tags.iter().map(|slug| {
        let known = library.corpus().vocabulary().tags();
        let tag = known.iter().find(|tag| tag.slug == *slug);
        TermLink {
            label: tag
                .map_or(slug.as_str(), |tag| tag.label.get(lang))
                .to_owned(),
            href: visit.links.with("/", &[("tag", slug)]),
        }
    });
    let follow_ups = case.follow_ups.iter().map(|own| FollowUpView {
        state: own
            .state
            .map(|state| (state.slug(), strings::state(state, lang))),
        text: own.text.get(lang).to_owned(),
    });
    let sources = case.sources.iter().map(|source| SourceView {
        url: source.url.clone(),
        title: source.title.clone().unwrap_or_else(|| source.url.clone()),
        kind: strings::source_kind(source.kind, lang),
        archived: source.archived.clone(),
        checked: source.checked.map(|date| date.to_string()),
    });
    Record {
        id: case.id.to_string(),
        title: case.title.get(lang).to_owned(),
        organisation: case.organisation.clone(),
        organisation_href: visit.links.with("/", &[("org", &case.organisation)]),
        date: case.date.map(|date| date.to_string()),
        own: case.own,
        tags: tags.collect(),
        summary: paragraphs(case.summary.get(lang)),
        severity: case
            .severity
            .map_or_else(absent, |own| own.slug().to_owned()),
        scope: optional(&case.impact_scope),
        users: optional(&case.affected_users),
        regions: if case.regions.is_empty() {
            absent()
        } else {
            case.regions.join(", ")
        },
        detect: case
            .time_to_detect
            .map_or_else(absent, |time| time.to_string()),
        recover: case
            .time_to_recover
            .map_or_else(absent, |time| time.to_string()),
        strip: timeline::strip(case, t),
        ticks: timeline::ticks(),
        symptoms: paragraphs(case.symptoms_seen.get(lang)),
        symptom_terms: term_links(library, case, Facet::Symptom, visit),
        causes: term_links(library, case, Facet::Cause, visit),
        components: term_links(library, case, Facet::Component, visit),
        factors: term_links(library, case, Facet::Factor, visit),
        trigger: parts(&case.trigger),
        mechanism: paragraphs(case.cause.get(lang)),
        detection: parts(&case.detection),
        axis: timeline::axis(case, lang),
        steps: timeline::steps(case, lang),
        follow_ups: follow_ups.collect(),
        lessons: case
            .lessons
            .iter()
            .map(|text| paragraphs(text.get(lang)))
            .collect(),
        signals: case.signals.clone(),
        sources: sources.collect(),
        references: case
            .references
            .iter()
            .map(|own| (own.url.clone(), own.title.clone()))
            .collect(),
    }
}

fn related(library: &Library, visit: &Visit, case: &Case) -> Vec<RelatedView> {
    // The case was found in this very library.
    let related = library.similar(&case.id, RELATED).unwrap_or_default();
    let view = |own: &crate::library::Related| RelatedView {
        id: own.case.id.to_string(),
        href: visit.links.case(&own.case.id),
        title: own.case.title.get(visit.lang).to_owned(),
        organisation: own.case.organisation.clone(),
        date: own.case.date.map(|date| date.year.to_string()),
        severity: own.case.severity.map(Severity::slug),
        reason: reason(library, own, visit.lang),
    };
    related.iter().map(view).collect()
}

/// Describes the case to search engines. The text goes into a `script` element, so it must not be able to end it.
fn linked_data(library: &Library, visit: &Visit, case: &Case, page: &Page) -> String {
    let about: Vec<&str> = case
        .all_terms()
        .map(|term| library.label(term, visit.lang))
        .collect();
    let sources: Vec<&str> = case
        .sources
        .iter()
        .map(|source| source.url.as_str())
        .collect();
    let began = case.date.map(|date| date.to_string());
    let data = json!({
        "@context": "https://schema.org",
        "@type": "Report",
        "headline": case.title.get(visit.lang),
        "abstract": page.description,
        "identifier": case.id.as_str(),
        "inLanguage": visit.lang.code(),
        "url": format!("{}{}", page.origin, page.in_lang(visit.lang.code())),
        "keywords": about,
        "about": {
            "@type": "Event",
            "name": case.title.get(visit.lang),
            "startDate": began,
            "organizer": { "@type": "Organization", "name": case.organisation },
        },
        "isBasedOn": sources,
        "isAccessibleForFree": true,
    });
    data.to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}
