//! `search`: the same lookup in a terminal.

use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use clap::Args;

use super::out;
use crate::{
    config::{self, CorpusConfig},
    corpus::{Facet, Lang},
    library::{Answer, FilterNames, Filters, Library, Lookup},
    slack::{
        preview::{self, Style},
        render::{self, View},
    },
    views,
};

/// What `search` can be told.
#[derive(Args, Clone, Debug)]
pub struct SearchConfig {
    /// What you see: symptoms, alerts, error strings; English, Korean or both
    #[arg(value_name = "TEXT", required_unless_present_any = ["component", "symptom", "cause", "factor", "org", "tag", "since", "until"])]
    text: Vec<String>,
    /// Language of the answer: `en` or `ko` (default: that of the text)
    #[arg(long, value_parser = config::lang)]
    lang: Option<Lang>,
    /// How many precedents to show
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,
    /// How many of the best to skip
    #[arg(long, default_value_t = 0)]
    offset: usize,
    /// Only cases with this component; repeat to narrow
    #[arg(long, value_name = "SLUG")]
    component: Vec<String>,
    /// Only cases with this symptom; repeat to narrow
    #[arg(long, value_name = "SLUG")]
    symptom: Vec<String>,
    /// Only cases with this cause
    #[arg(long, value_name = "SLUG")]
    cause: Vec<String>,
    /// Only cases with this contributing factor; repeat to narrow
    #[arg(long, value_name = "SLUG")]
    factor: Vec<String>,
    /// Only cases of this organisation
    #[arg(long)]
    org: Option<String>,
    /// Only cases with this tag; repeat to narrow
    #[arg(long)]
    tag: Vec<String>,
    /// Only cases of this year or later
    #[arg(long, value_name = "YEAR")]
    since: Option<u16>,
    /// Only cases of this year or earlier
    #[arg(long, value_name = "YEAR")]
    until: Option<u16>,
    /// Print JSON, as the API gives it
    #[arg(long)]
    json: bool,
    /// Print what was understood and what each score is made of
    #[arg(long, conflicts_with = "json")]
    explain: bool,
    #[command(flatten)]
    corpus: CorpusConfig,
}

/// Columns of the printed answer.
const WIDTH: usize = 92;

/// Looks the text up and prints the answer.
pub(super) fn run(config: &SearchConfig) -> anyhow::Result<ExitCode> {
    let names = names(config);
    if config.text.iter().all(|text| text.trim().is_empty()) && names == FilterNames::default() {
        bail!(
            "there is nothing to search for; say what you see, or give a filter such as `--component etcd`"
        );
    }
    let Some(library) = super::load(&config.corpus)? else {
        return Ok(ExitCode::FAILURE);
    };
    let filters =
        Filters::parse(&library, &names).map_err(|error| anyhow!("{error}; {}", error.hint()))?;
    let mut lookup = Lookup {
        filters,
        lang: config.lang,
        limit: config.limit.into(),
        offset: config.offset,
        ..Lookup::new(config.text.join(" "))
    };
    let answer = library.lookup(&lookup);
    let lang = config
        .lang
        .unwrap_or_else(|| answer.terms.lang.answer_lang());
    if config.json {
        let view = views::search(&library, &lookup.text, &answer, lang);
        let json =
            serde_json::to_string_pretty(&view).context("cannot write the answer as JSON")?;
        out::line(&json)?;
        return Ok(ExitCode::SUCCESS);
    }
    if lookup.text.trim().is_empty() {
        list(&answer, lang)?;
        return Ok(ExitCode::SUCCESS);
    }
    // A message holds a page of precedents; more come as further messages, as in Slack.
    let end = config.offset + usize::from(config.limit);
    while lookup.offset < end {
        lookup.limit = render::PRECEDENTS.min(end - lookup.offset);
        let page = library.lookup(&lookup);
        let view = View {
            lang,
            text: lookup.text.clone(),
            offset: lookup.offset,
        };
        let message = render::answer(&library, &page, &view);
        out::line(&preview::preview(&message, WIDTH, Style::Ansi))?;
        lookup.offset += lookup.limit;
        if lookup.offset >= page.total {
            break;
        }
    }
    if config.explain {
        out::line(&explain(&library, &answer, lang))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints what the filters allow, a line a case.
fn list(answer: &Answer, lang: Lang) -> anyhow::Result<()> {
    out::print(|out| {
        for precedent in &answer.precedents {
            let case = &precedent.case;
            let date = case.date.map_or("–".to_owned(), |date| date.to_string());
            let title = case.title.get(lang);
            writeln!(
                out,
                "{}  {date:<10}  {} — {title}",
                case.id, case.organisation
            )?;
        }
        writeln!(out, "{} of {}", answer.precedents.len(), answer.total)
    })
}

fn names(config: &SearchConfig) -> FilterNames {
    let facets = [
        (Facet::Component, &config.component),
        (Facet::Symptom, &config.symptom),
        (Facet::Cause, &config.cause),
        (Facet::Factor, &config.factor),
    ];
    let terms = facets
        .into_iter()
        .flat_map(|(facet, slugs)| slugs.iter().map(move |slug| (facet, slug.clone())));
    FilterNames {
        terms: terms.collect(),
        organisation: config.org.clone(),
        tags: config.tag.clone(),
        since: config.since,
        until: config.until,
    }
}

/// Says what was understood and what each score is made of.
fn explain(library: &Library, answer: &Answer, lang: Lang) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    let vocabulary = library.corpus().vocabulary();
    for (list, name) in [
        (&answer.terms.terms, "term"),
        (&answer.terms.ruled_out, "ruled out"),
    ] {
        for found in list {
            let term = vocabulary.term(found.term);
            let sure = if found.hint { ", by its context" } else { "" };
            line(format!(
                "{name}: {} {} ({}), from “{}”{sure}",
                term.facet,
                term.slug,
                term.label.get(lang),
                found.text
            ));
        }
    }
    for signal in &answer.terms.signals {
        line(format!("signal: {} “{}”", signal.kind.slug(), signal.text));
    }
    line(format!(
        "confident: {}, {} cases in all",
        answer.confident, answer.total
    ));
    for precedent in &answer.precedents {
        let parts = precedent.parts;
        line(format!(
            "{} {:.3} = words {:.3}, terms {:.3}, signals {:.3}",
            precedent.case.id, precedent.score, parts.words, parts.terms, parts.signals
        ));
        if let Some(snippet) = &precedent.snippet {
            line(format!("    {:?}: {}", snippet.zone, snippet.text));
        }
    }
    out
}
