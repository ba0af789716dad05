//! `lint`: checks corpus and vocabulary, prints every problem with its place.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Args;

use super::out;
use crate::corpus::{CHECKS, Checks, Corpus, Level, Origin};

/// What `lint` can be told.
#[derive(Args, Clone, Debug)]
pub struct LintConfig {
    /// Folders with `cases/` and `vocabulary/` (default: `corpus` here, or else the bundled corpus)
    #[arg(value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// List the checks instead
    #[arg(long)]
    checks: bool,
}

/// Checks and prints; the exit code is 1 if there is any problem.
pub(super) fn run(config: &LintConfig) -> anyhow::Result<ExitCode> {
    if config.checks {
        out::print(|out| {
            CHECKS
                .iter()
                .try_for_each(|check| writeln!(out, "{:<26} {}", check.name, check.doc))
        })?;
        return Ok(ExitCode::SUCCESS);
    }
    let origins: Vec<Origin> = match &config.folders[..] {
        [] if Path::new("corpus").is_dir() => vec![Origin::Folder("corpus".into())],
        [] => vec![Origin::Bundled],
        folders => folders.iter().cloned().map(Origin::Folder).collect(),
    };
    let loaded = Corpus::load(&origins, Checks::All)?;
    let errors = loaded
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.level == Level::Error)
        .count();
    let warnings = loaded.diagnostics.len() - errors;
    let cases = loaded.corpus.cases().len();
    let terms = loaded.corpus.vocabulary().terms().len();
    out::print(|out| {
        for diagnostic in &loaded.diagnostics {
            writeln!(out, "{}\n", diagnostic.render(true))?;
        }
        writeln!(
            out,
            "{cases} cases, {terms} terms: {errors} errors, {warnings} warnings"
        )
    })?;
    Ok(if loaded.diagnostics.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
