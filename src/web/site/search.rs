//! The search: the question, what narrows it, and the cases found, as a page and as the part of it that changes.

use std::sync::Arc;

use askama::Template;

use super::{
    fault::Fault,
    graph::{self, Small},
    page::{Nav, Page, Reply, Said, TermLink, term_link, term_links},
    params::Asked,
    strings,
    timeline::{self, Strip},
    visit::Visit,
};
use crate::{
    corpus::{CaseId, Facet, Severity, TermId},
    library::{
        Answer, Evidence, Filter, Library, Lookup, NamedCounts, Precedent, ScoreParts, Zone,
    },
    query::QueryTerms,
};

/// Cases on a page.
const PAGE: usize = 20;

/// Values of a filter that stand open, and those that are listed at all.
const OPEN_VALUES: usize = 7;
const LISTED_VALUES: usize = 40;

/// Components that are named as the most frequent ones.
const FREQUENT: usize = 3;

/// Characters of what was seen, and of what set it off, in a list.
const SEEN_LIMIT: usize = 260;
const TRIGGER_LIMIT: usize = 200;

/// Answers `GET /`.
pub(super) fn page(library: &Library, visit: &Visit) -> Result<Reply, Fault> {
    let asked = Asked::read(visit)?;
    let found = find(library, visit, &asked)?;
    let t = visit.t();
    let title = if asked.is_blank() {
        t.library.to_owned()
    } else {
        let mut names: Vec<String> = asked
            .filters
            .iter()
            .map(|(key, value)| Asked::label(library, visit, *key, value).1)
            .collect();
        if !asked.text.is_empty() {
            names.insert(0, asked.text.chars().take(80).collect());
        }
        names.join(" · ")
    };
    let mut page = Page::new(visit, Nav::Search, title, t.describe.to_owned());
    // Every combination of filters would be a page of its own to a search engine.
    page.hidden = !asked.is_blank();
    let link = |text: &&'static str| {
        let href = visit.links.with("/", &[("q", text)]);
        (*text, href)
    };
    let template = SearchPage {
        page,
        examples: if asked.is_blank() {
            strings::examples(visit.lang).iter().map(link).collect()
        } else {
            Vec::new()
        },
        text: asked.text,
        found,
    };
    Ok(Reply::html(template.render()))
}

/// Answers `GET /results`: what changes while somebody types.
pub(super) fn results(library: &Library, visit: &Visit) -> Result<Reply, Fault> {
    let asked = Asked::read(visit)?;
    let found = find(library, visit, &asked)?;
    let page = Page::new(visit, Nav::Search, String::new(), String::new());
    Ok(Reply::html(Results { page, found }.render()))
}

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    page: Page,
    text: String,
    examples: Vec<(&'static str, String)>,
    found: Found,
}

#[derive(Template)]
#[template(path = "results.html")]
struct Results {
    page: Page,
    found: Found,
}

/// Everything that a search gives.
struct Found {
    /// "312 cases".
    count: String,
    total: usize,
    /// "1–20 of 312".
    range: String,
    /// What kind of list it is.
    note: &'static str,
    /// Whether nothing of it is close.
    distant: bool,
    /// The filters, as fields of the form.
    fields: Vec<(&'static str, String)>,
    applied: Vec<Applied>,
    clear: String,
    recommended: Vec<Choice>,
    ruled_out: Vec<String>,
    signals: Vec<String>,
    hits: Vec<HitView>,
    facets: Vec<FacetView>,
    frequent_lead: String,
    frequent: Vec<TermLink>,
    previous: Option<String>,
    next: Option<String>,
    graph: Option<Small>,
    /// What to type in Slack for the same answer.
    command: Option<String>,
}

/// A filter that is set.
struct Applied {
    kind: &'static str,
    label: String,
    /// The list without it.
    href: String,
}

/// A value that can be set or taken away.
struct Choice {
    kind: &'static str,
    label: String,
    count: Option<String>,
    on: bool,
    href: String,
    /// Its share of the commonest one, for a bar.
    share: String,
}

/// A filter with its values.
struct FacetView {
    name: &'static str,
    label: &'static str,
    bars: bool,
    open: Vec<Choice>,
    more: Vec<Choice>,
}

/// A found case.
pub(super) struct HitView {
    pub(super) id: String,
    pub(super) href: String,
    pub(super) brief: String,
    pub(super) title: Said,
    pub(super) organisation: String,
    pub(super) date: Option<String>,
    pub(super) severity: Option<&'static str>,
    pub(super) own: bool,
    pub(super) strip: Option<Strip>,
    pub(super) matched: Vec<String>,
    pub(super) unmatched: Vec<String>,
    pub(super) snippet: Option<SnippetView>,
    pub(super) seen: Said,
    pub(super) trigger: Option<Said>,
    pub(super) causes: Vec<TermLink>,
    pub(super) components: Vec<TermLink>,
    pub(super) factors: Vec<TermLink>,
}

/// A passage in pieces that match or do not.
pub(super) struct SnippetView {
    pub(super) zone: &'static str,
    /// Its language, where that is not the page's.
    pub(super) attribute: &'static str,
    pub(super) pieces: Vec<(bool, String)>,
}

fn find(library: &Library, visit: &Visit, asked: &Asked) -> Result<Found, Fault> {
    let t = visit.t();
    let lookup = Lookup {
        text: asked.text.clone(),
        filters: asked.resolve(library, visit)?,
        lang: Some(visit.lang),
        limit: PAGE,
        offset: (asked.page - 1) * PAGE,
    };
    let mut answer = library.lookup(&lookup);
    if let Some(case) = named(library, &lookup) {
        // Who types an id wants that case and no other.
        answer.precedents = vec![case];
        answer.total = 1;
        answer.confident = true;
        answer.facets.clear();
        answer.named = NamedCounts::default();
    }
    let pages = answer.total.div_ceil(PAGE);
    let first = (lookup.offset + 1).min(answer.total);
    let last = lookup.offset + answer.precedents.len();
    let frequent = library.most_frequent(&answer.facets, Facet::Component, FREQUENT);
    let filters = asked.filters.iter();
    Ok(Found {
        count: strings::cases(answer.total, visit.lang),
        total: answer.total,
        range: if answer.precedents.is_empty() {
            String::new()
        } else {
            strings::range(first, last, answer.total, visit.lang)
        },
        note: match (asked.text.is_empty(), asked.filters.is_empty()) {
            (true, true) => t.all_cases,
            (true, false) => t.only_filters,
            (false, _) => "",
        },
        distant: !asked.text.is_empty() && answer.total > 0 && !answer.confident,
        fields: filters
            .clone()
            .map(|(key, value)| (key.key(), value.clone()))
            .collect(),
        applied: filters
            .map(|(key, value)| {
                let (kind, label) = Asked::label(library, visit, *key, value);
                let href = asked.without(*key, value).href(visit);
                Applied { kind, label, href }
            })
            .collect(),
        clear: asked.cleared().href(visit),
        recommended: recommended(library, visit, asked, &answer.terms),
        ruled_out: labels(library, visit, &answer.terms),
        signals: signals(&answer.terms),
        hits: answer
            .precedents
            .iter()
            .map(|precedent| hit(library, visit, precedent))
            .collect(),
        facets: facets(library, visit, asked, &answer),
        frequent_lead: strings::most_frequent(answer.total, visit.lang),
        frequent: frequent
            .iter()
            .map(|count| term_link(library, count.term, visit))
            .collect(),
        previous: (asked.page > 1 && pages > 0)
            .then(|| asked.on_page((asked.page - 1).min(pages)).href(visit)),
        next: (asked.page < pages).then(|| asked.on_page(asked.page + 1).href(visit)),
        graph: graph::small(library, visit, asked, &lookup.filters, &answer),
        command: (!asked.text.is_empty()).then(|| {
            // A command is one line.
            let words: Vec<&str> = asked.text.split_whitespace().collect();
            format!("/incident-like {}", words.join(" "))
        }),
    })
}

/// Finds the case whose id is the whole question.
fn named(library: &Library, lookup: &Lookup) -> Option<Precedent> {
    let id: CaseId = lookup.text.parse().ok()?;
    let case = library.case(&id).ok()?;
    lookup.filters.allow(case).then(|| Precedent {
        case: Arc::clone(case),
        score: 1.0,
        parts: ScoreParts::default(),
        matched: Vec::new(),
        unmatched: Vec::new(),
        snippet: None,
        opinion: None,
    })
}

/// Offers the terms that were found in the question and are no filters yet.
fn recommended(library: &Library, visit: &Visit, asked: &Asked, terms: &QueryTerms) -> Vec<Choice> {
    let distinct = terms.distinct_terms().collect::<Vec<TermId>>();
    let choice = |term: &TermId| {
        let term = library.corpus().vocabulary().term(*term);
        let key = Filter::Term(term.facet);
        choice(
            visit,
            asked,
            key,
            &term.slug,
            term.label.get(visit.lang).to_owned(),
            None,
        )
    };
    distinct
        .iter()
        .map(choice)
        .filter(|choice| !choice.on)
        .collect()
}

fn labels(library: &Library, visit: &Visit, terms: &QueryTerms) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for found in &terms.ruled_out {
        let label = library.label(found.term, visit.lang).to_owned();
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    labels
}

fn signals(terms: &QueryTerms) -> Vec<String> {
    let mut signals: Vec<String> = Vec::new();
    for signal in &terms.signals {
        if !signals.contains(&signal.text) {
            signals.push(signal.text.clone());
        }
    }
    signals
}

/// Makes a value that can be set or taken away. `count`: found cases that have it, and the most that any value has.
fn choice(
    visit: &Visit,
    asked: &Asked,
    key: Filter,
    value: &str,
    label: String,
    count: Option<(usize, usize)>,
) -> Choice {
    let on = asked.has(key, value);
    let next = if on {
        asked.without(key, value)
    } else {
        asked.with(key, value)
    };
    let kind = match key {
        Filter::Term(facet) => facet.label(visit.lang),
        _ => "",
    };
    Choice {
        kind,
        label,
        count: count.map(|(count, _)| strings::grouped(count)),
        on,
        href: next.href(visit),
        share: count.map_or(String::new(), |(count, most)| {
            format!("{:.0}%", 100.0 * count as f32 / most.max(1) as f32)
        }),
    }
}

/// Counts what the found cases have, filter by filter.
fn facets(library: &Library, visit: &Visit, asked: &Asked, answer: &Answer) -> Vec<FacetView> {
    let t = visit.t();
    let vocabulary = library.corpus().vocabulary();
    let mut facets = Vec::new();
    for facet in Facet::ALL {
        let counts = answer
            .facets
            .iter()
            .filter(|count| library.facet(count.term) == facet);
        let values = counts.map(|count| {
            let term = vocabulary.term(count.term);
            (
                term.slug.clone(),
                term.label.get(visit.lang).to_owned(),
                count.count,
            )
        });
        let label = if facet == Facet::Cause {
            t.by_cause
        } else {
            t.facet(facet)
        };
        facets.push(group(
            visit,
            asked,
            Filter::Term(facet),
            label,
            values.collect(),
        ));
    }
    let named = &answer.named;
    let organisations = named
        .organisations
        .iter()
        .map(|own| (own.name.to_string(), own.name.to_string(), own.count));
    let tags = named.tags.iter().map(|own| {
        let (_, label) = Asked::label(library, visit, Filter::Tag, &own.name);
        (own.name.to_string(), label, own.count)
    });
    let years = named
        .years
        .iter()
        .map(|own| (own.year.to_string(), own.year.to_string(), own.count));
    for (key, label, values) in [
        (
            Filter::Organisation,
            t.organisation,
            organisations.collect(),
        ),
        (Filter::Tag, t.tag, tags.collect()),
        (Filter::Year, t.year, years.collect::<Vec<_>>()),
    ] {
        facets.push(group(visit, asked, key, label, values));
    }
    facets.retain(|facet| !facet.open.is_empty());
    facets
}

/// Makes a filter of its values: slug, label and count.
fn group(
    visit: &Visit,
    asked: &Asked,
    key: Filter,
    label: &'static str,
    values: Vec<(String, String, usize)>,
) -> FacetView {
    let most = values
        .iter()
        .map(|(_, _, count)| *count)
        .max()
        .unwrap_or_default();
    let mut choices: Vec<Choice> = values
        .into_iter()
        .take(LISTED_VALUES)
        .map(|(slug, label, count)| choice(visit, asked, key, &slug, label, Some((count, most))))
        .collect();
    // What is set comes first, so that it is never hidden.
    choices.sort_by_key(|choice| !choice.on);
    let more = choices.split_off(choices.len().min(OPEN_VALUES));
    FacetView {
        name: key.key(),
        label,
        bars: key == Filter::Term(Facet::Cause),
        open: choices,
        more,
    }
}

/// Makes the view of a found case.
fn hit(library: &Library, visit: &Visit, precedent: &Precedent) -> HitView {
    let (case, lang, t) = (&precedent.case, visit.lang, visit.t());
    let evidence = |list: &[Evidence]| -> Vec<String> {
        list.iter()
            .map(|evidence| match evidence {
                Evidence::Term(term) => library.label(*term, lang).to_owned(),
                Evidence::Signal(text) | Evidence::Mention(text) | Evidence::Word(text) => {
                    text.clone()
                }
            })
            .collect()
    };
    let snippet = precedent.snippet.as_ref().map(|snippet| {
        let mut pieces = Vec::new();
        let mut at = 0;
        for span in &snippet.highlights {
            pieces.push((false, piece(&snippet.text, at, span.start)));
            pieces.push((true, piece(&snippet.text, span.start, span.end)));
            at = span.end;
        }
        pieces.push((false, piece(&snippet.text, at, snippet.text.len())));
        pieces.retain(|(_, text)| !text.is_empty());
        SnippetView {
            zone: zone(snippet.zone, t),
            attribute: Said::in_lang(String::new(), snippet.lang, lang).attribute(),
            pieces,
        }
    });
    HitView {
        id: case.id.to_string(),
        href: visit.links.case(&case.id),
        brief: visit.links.to(&format!("/cases/{}/brief", case.id)),
        title: Said::of(&case.title, lang),
        organisation: case.organisation.clone(),
        date: case.date.map(|date| date.to_string()),
        severity: case.severity.map(Severity::slug),
        own: case.own,
        strip: timeline::strip(case, t),
        matched: evidence(&precedent.matched),
        unmatched: evidence(&precedent.unmatched),
        snippet,
        seen: Said::beginning(&case.symptoms_seen, lang, SEEN_LIMIT),
        trigger: case
            .trigger
            .as_ref()
            .map(|text| Said::beginning(text, lang, TRIGGER_LIMIT)),
        causes: term_links(library, case, Facet::Cause, visit),
        components: term_links(library, case, Facet::Component, visit),
        factors: term_links(library, case, Facet::Factor, visit),
    }
}

fn piece(text: &str, start: usize, end: usize) -> String {
    text.get(start..end).unwrap_or_default().to_owned()
}

const fn zone(zone: Zone, t: &strings::Strings) -> &'static str {
    match zone {
        Zone::Title => t.summary,
        Zone::Symptoms => t.symptoms,
        Zone::Trigger => t.trigger,
        Zone::Cause => t.cause,
        Zone::Actions => t.actions,
        Zone::Lessons => t.lessons,
        Zone::Signals => t.signals,
    }
}
