//! `eval`: the relevance figures on the gold sets.

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::bail;
use clap::{Args, ValueEnum};

use super::out;
use crate::{
    config::{self, CorpusConfig},
    corpus::Lang,
    eval::{self, Gold, Half, Judged, Report},
    library::{CONFIDENT, Evidence, Library},
};

/// What `eval` can be told.
#[derive(Args, Clone, Debug)]
pub struct EvalConfig {
    /// Folder with the gold sets
    #[arg(long, value_name = "DIR", default_value = "tests/relevance")]
    sets: PathBuf,
    /// Which half to measure; weights are chosen on `tune` only
    #[arg(long, value_enum, default_value_t = HalfChoice::Check)]
    half: HalfChoice,
    /// Explain every question whose first precedent is wrong, every false suggestion and every wrong term
    #[arg(long)]
    misses: bool,
    /// Measure as if the corpus had been written in one language only: what is lost for questions in the other
    #[arg(long, value_name = "LANG", value_parser = config::lang)]
    only: Option<Lang>,
    /// Print the clues of every text instead, a line each, to fit the weights of confidence on the tune half
    #[arg(long)]
    clues: bool,
    #[command(flatten)]
    corpus: CorpusConfig,
}

/// A half of the gold sets, or both.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum HalfChoice {
    /// The half that weights may be chosen on.
    Tune,
    /// The half that figures come from.
    Check,
    /// Both.
    All,
}

/// Measures and prints.
pub(super) fn run(config: &EvalConfig) -> anyhow::Result<ExitCode> {
    let Some(library) = super::load(&config.corpus)? else {
        return Ok(ExitCode::FAILURE);
    };
    let library = match config.only {
        Some(lang) => library.only(lang),
        None => library,
    };
    let gold = Gold::load(&config.sets)?;
    if gold.queries.is_empty() {
        bail!("`{}` holds no questions", config.sets.display());
    }
    let half = match config.half {
        HalfChoice::Tune => Some(Half::Tune),
        HalfChoice::Check => Some(Half::Check),
        HalfChoice::All => None,
    };
    let report = eval::measure(&library, &gold, half);
    out::print(|out| print(out, config, &library, &report))?;
    Ok(ExitCode::SUCCESS)
}

fn print(
    out: &mut dyn Write,
    config: &EvalConfig,
    library: &Library,
    report: &Report<'_>,
) -> io::Result<()> {
    if config.clues {
        let asked = report.judged.iter().map(|judged| {
            let grade = judged.grades.first().copied().unwrap_or(0);
            (judged.query.id.as_str(), grade.to_string(), &judged.answer)
        });
        let silent = report
            .silent
            .iter()
            .map(|(text, answer)| (text.id.as_str(), "silent".to_owned(), answer));
        for (id, grade, answer) in asked.chain(silent) {
            let clues: Vec<String> = answer
                .clues
                .named()
                .iter()
                .map(|(_, clue)| format!("{clue:.4}"))
                .collect();
            writeln!(out, "{id}\t{grade}\t{}", clues.join("\t"))?;
        }
        return Ok(());
    }
    if config.misses {
        for judged in report
            .judged
            .iter()
            .filter(|judged| judged.grades.first().is_none_or(|grade| *grade < 2))
        {
            writeln!(out, "{}", explain(library, judged))?;
        }
        for (text, answer) in report.silent.iter().filter(|(_, answer)| answer.confident) {
            let best = answer
                .precedents
                .first()
                .map(|precedent| precedent.case.id.to_string());
            writeln!(
                out,
                "{} {} would get {best:?} ({:.2}): {}",
                text.id, text.kind, answer.confidence, text.text
            )?;
        }
        for miss in &report.extraction_misses {
            writeln!(out, "{miss}")?;
        }
    }
    writeln!(out, "{}", report.to_text(CONFIDENT))
}

/// Says what was asked, what was wanted, and why something else came first.
fn explain(library: &Library, judged: &Judged<'_>) -> String {
    let vocabulary = library.corpus().vocabulary();
    let query = judged.query;
    let name = |id| vocabulary.term(id).slug.as_str();
    let terms: Vec<&str> = judged.answer.terms.distinct_terms().map(name).collect();
    let mut lines = vec![
        format!(
            "{} {} {}: {}",
            query.id,
            query.kind,
            query.lang,
            query.text.trim()
        ),
        format!("    wanted {:?}, understood {terms:?}", query.grades),
    ];
    for (precedent, grade) in judged.answer.precedents.iter().zip(&judged.grades).take(4) {
        let parts = precedent.parts;
        let matched: Vec<&str> = precedent
            .matched
            .iter()
            .map(|evidence| match evidence {
                Evidence::Term(id) => name(*id),
                Evidence::Signal(text) | Evidence::Word(text) => text,
            })
            .collect();
        lines.push(format!(
            "    [{grade}] {} {:.3} words {:.2} terms {:.2} signals {:.2} {matched:?}",
            precedent.case.id, precedent.score, parts.words, parts.terms, parts.signals
        ));
    }
    let place = judged.grades.iter().position(|grade| *grade >= 2);
    lines.push(place.map_or("    not among the first".to_owned(), |place| {
        format!("    found in place {}", place + 1)
    }));
    lines.join("\n")
}
