//! `stats`: the corpus in figures.

use std::{collections::BTreeMap, fmt::Write as _, process::ExitCode};

use clap::Args;

use crate::{
    config::CorpusConfig,
    corpus::{Case, Corpus, Facet, Lang, Severity},
};

/// What `stats` can be told.
#[derive(Args, Clone, Debug)]
pub struct StatsConfig {
    /// Print the Markdown tables that stand in `corpus/README.md`
    #[arg(long)]
    markdown: bool,
    #[command(flatten)]
    corpus: CorpusConfig,
}

/// Counts and prints.
pub(super) fn run(config: &StatsConfig) -> anyhow::Result<ExitCode> {
    let Some(library) = super::load(&config.corpus)? else {
        return Ok(ExitCode::FAILURE);
    };
    let text = markdown(library.corpus());
    // The same tables read well enough without their rules.
    let plain = || {
        text.lines()
            .filter(|line| !line.starts_with("| ---"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    super::out::line(&if config.markdown { text } else { plain() })?;
    Ok(ExitCode::SUCCESS)
}

/// How many organisations and years are listed by name.
const LISTED: usize = 12;

/// Returns the corpus in figures as Markdown tables.
pub fn markdown(corpus: &Corpus) -> String {
    let cases: Vec<&Case> = corpus
        .cases()
        .iter()
        .map(|case| &**case)
        .filter(|case| case.is_published())
        .collect();
    let mut organisations: BTreeMap<&str, usize> = BTreeMap::new();
    let mut years: BTreeMap<String, usize> = BTreeMap::new();
    for case in &cases {
        *organisations.entry(&case.organisation).or_default() += 1;
        *years
            .entry(
                case.date
                    .map_or("undated".to_owned(), |date| date.year.to_string()),
            )
            .or_default() += 1;
    }
    let mut out = String::new();
    let total = cases.len();
    let _ = writeln!(
        out,
        "{total} published cases of {} organisations.\n",
        organisations.len()
    );

    table(
        &mut out,
        "completeness",
        "cases",
        fields().iter().map(|(name, has)| {
            let count = cases.iter().filter(has).count();
            (
                name.to_string(),
                format!("{count} ({} %)", count * 100 / total.max(1)),
            )
        }),
    );
    for facet in Facet::ALL {
        let vocabulary = corpus.vocabulary();
        let mut counts: Vec<(usize, &str)> = vocabulary
            .facet(facet)
            .map(|(id, term)| {
                (
                    cases
                        .iter()
                        .filter(|case| case.terms(facet).contains(&id))
                        .count(),
                    term.slug.as_str(),
                )
            })
            .collect();
        counts.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        let rows = counts
            .into_iter()
            .map(|(count, slug)| (slug.to_owned(), count.to_string()));
        table(&mut out, facet.slug(), "cases", rows);
    }
    let mut ranked: Vec<(&str, usize)> = organisations.into_iter().collect();
    ranked.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let others: usize = ranked.iter().skip(LISTED).map(|(_, count)| count).sum();
    let listed = ranked
        .iter()
        .take(LISTED)
        .map(|(name, count)| ((*name).to_owned(), share(*count, total)));
    table(
        &mut out,
        "organisation",
        "cases",
        listed.chain([("all others".to_owned(), share(others, total))]),
    );
    table(
        &mut out,
        "year",
        "cases",
        years
            .into_iter()
            .map(|(year, count)| (year, count.to_string())),
    );
    out.trim_end().to_owned()
}

fn share(count: usize, total: usize) -> String {
    format!(
        "{count} ({:.1} %)",
        count as f64 * 100.0 / total.max(1) as f64
    )
}

fn table(out: &mut String, name: &str, count: &str, rows: impl Iterator<Item = (String, String)>) {
    let _ = writeln!(out, "| {name} | {count} |\n| --- | --- |");
    for (name, count) in rows {
        let _ = writeln!(out, "| {name} | {count} |");
    }
    out.push('\n');
}

/// A field of a case that may be absent, with how to tell whether it is there.
type Field = (&'static str, fn(&&&Case) -> bool);

fn fields() -> [Field; 14] {
    [
        ("in English and Korean", |case| {
            Lang::ALL
                .iter()
                .all(|lang| case.title.exact(*lang).is_some())
        }),
        ("day of the date", |case| {
            case.date.is_some_and(|date| date.day.is_some())
        }),
        ("severity", |case| {
            case.severity
                .is_some_and(|severity| Severity::ALL.contains(&severity))
        }),
        ("time to detect", |case| case.time_to_detect.is_some()),
        ("time to recover", |case| case.time_to_recover.is_some()),
        ("trigger", |case| case.trigger.is_some()),
        ("detection", |case| case.detection.is_some()),
        ("actions", |case| !case.actions.is_empty()),
        ("actions with their outcome", |case| {
            case.actions.iter().any(|action| action.outcome.is_some())
        }),
        ("follow-ups", |case| !case.follow_ups.is_empty()),
        ("lessons", |case| !case.lessons.is_empty()),
        ("factors", |case| !case.factors.is_empty()),
        ("signals", |case| !case.signals.is_empty()),
        ("a source read by a writer", |case| {
            case.sources.iter().any(|source| source.checked.is_some())
        }),
    ]
}
