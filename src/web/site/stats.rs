//! The statistics page: the library in figures, each chart a table too.

use askama::Template;

use super::{
    chart::{self, Bar, BoxPlot, Column, HEIGHT},
    page::{Nav, Page, Reply},
    params::Asked,
    strings, timeline,
    visit::Visit,
};
use crate::{
    corpus::{Facet, Lang},
    library::{Filter, Filters, Library, Spread, Stats},
};

/// Values that a chart shows; the rest is in the filters of the search.
const VALUES: usize = 12;

/// Answers `GET /stats`.
pub(super) fn page(library: &Library, visit: &Visit) -> Reply {
    let (lang, t) = (visit.lang, visit.t());
    let stats = library.stats(&Filters::default());
    let page = Page::new(
        visit,
        Nav::Stats,
        t.stats_title.to_owned(),
        t.stats_lead.to_owned(),
    );
    let years: Vec<(u16, usize)> = stats
        .named
        .years
        .iter()
        .map(|own| (own.year, own.count))
        .collect();
    let sources = stats.sources.iter().map(|(_, count)| count).sum();
    let spreads = |label: &str, spread: Option<&Spread>| {
        spread.map(|spread| chart::box_plot(label.to_owned(), None, spread))
    };
    let mut times: Vec<BoxPlot> = spreads(t.time_to_detect, stats.time_to_detect.as_ref())
        .into_iter()
        .chain(spreads(t.time_to_recover, stats.time_to_recover.as_ref()))
        .collect();
    times.extend(stats.recover_by_cause.iter().map(|(term, spread)| {
        let slug = &library.corpus().vocabulary().term(*term).slug;
        let href = visit.links.topic(Facet::Cause, slug);
        let label = library.label(*term, lang).to_owned();
        chart::box_plot(label, Some(href), spread)
    }));
    let template = StatsPage {
        figures: vec![
            (strings::grouped(stats.cases), t.cases_word),
            (
                strings::grouped(stats.named.organisations.len()),
                t.organisations_word,
            ),
            (strings::grouped(sources), t.sources_word),
            (strings::grouped(stats.facets.len()), t.terms_word),
        ],
        height: HEIGHT,
        years: chart::years(&years, |year| {
            visit
                .links
                .with("/", &[(Filter::Year.key(), &year.to_string())])
        }),
        times,
        ticks: timeline::ticks(),
        charts: charts(library, visit, &stats),
        page,
    };
    Reply::html(template.render())
}

#[derive(Template)]
#[template(path = "stats.html")]
struct StatsPage {
    page: Page,
    figures: Vec<(String, &'static str)>,
    height: u32,
    years: Vec<Column>,
    times: Vec<BoxPlot>,
    ticks: Vec<(String, &'static str)>,
    charts: Vec<(&'static str, Vec<Bar>)>,
}

fn charts(library: &Library, visit: &Visit, stats: &Stats) -> Vec<(&'static str, Vec<Bar>)> {
    let (lang, t) = (visit.lang, visit.t());
    let mut charts = Vec::new();
    for facet in Facet::ALL {
        let values = stats
            .facets
            .iter()
            .filter(|count| library.facet(count.term) == facet)
            .take(if facet == Facet::Cause { 20 } else { VALUES })
            .map(|count| {
                let slug = &library.corpus().vocabulary().term(count.term).slug;
                let href = visit.links.topic(facet, slug);
                let label = library.label(count.term, lang).to_owned();
                (label, Some(href), count.count)
            });
        charts.push((t.facet(facet), chart::bars(values.collect())));
    }
    let organisations = stats.named.organisations.iter().take(VALUES).map(|own| {
        let href = visit
            .links
            .with("/", &[(Filter::Organisation.key(), &own.name)]);
        (own.name.to_string(), Some(href), own.count)
    });
    charts.push((t.by_organisation, chart::bars(organisations.collect())));
    let tags = stats.named.tags.iter().take(VALUES).map(|own| {
        let (_, label) = Asked::label(library, visit, Filter::Tag, &own.name);
        let href = visit.links.with("/", &[(Filter::Tag.key(), &own.name)]);
        (label, Some(href), own.count)
    });
    charts.push((t.by_tag, chart::bars(tags.collect())));
    let graded: usize = stats.severities.iter().map(|(_, count)| count).sum();
    let severities = stats
        .severities
        .iter()
        .map(|(severity, count)| (severity.slug().to_owned(), None, *count))
        .chain([(t.not_given.to_owned(), None, stats.cases - graded)]);
    charts.push((t.by_severity, chart::bars(severities.collect())));
    let mut sources: Vec<_> = stats
        .sources
        .iter()
        .map(|(kind, count)| (kind.label(lang).to_owned(), None, *count))
        .collect();
    sources.sort_by_key(|(_, _, count)| std::cmp::Reverse(*count));
    charts.push((t.by_source, chart::bars(sources)));
    let languages = stats.languages.iter().map(|(own, count)| {
        let name = match own {
            Lang::En => "English",
            Lang::Ko => "한국어",
        };
        (name.to_owned(), None, *count)
    });
    charts.push((t.languages, chart::bars(languages.collect())));
    charts.retain(|(_, bars)| !bars.is_empty());
    charts
}
