//! The command line: one variant per subcommand, each run by a function of its own.

use std::{process::ExitCode, sync::Arc};

use anyhow::Context;
use arc_swap::ArcSwap;
use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand, builder::Resettable};
use tokio::net::TcpListener;
use tracing::info;

use crate::{
    app::{App, Tuning},
    config::{CorpusConfig, ServeConfig},
    corpus::{Checks, Corpus, Level, Origin},
    library::Library,
    telemetry,
};

mod demo;
mod doctor;
mod eval;
mod lint;
mod manifest;
mod mcp;
mod out;
mod replay;
mod search;
mod stats;
mod translations;

pub use stats::markdown as corpus_figures;

/// Finds the closest past incidents for what an on-call engineer sees.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Subcommands,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Subcommands {
    /// Show everything at once: the service, a small fake Slack, real signed requests and their answers
    Demo(demo::DemoConfig),
    /// Run the Slack bot and the JSON API
    Serve(Box<ServeConfig>),
    /// Look a text up in the terminal
    Search(Box<search::SearchConfig>),
    /// Serve agents on standard input and output (Model Context Protocol)
    Mcp(mcp::McpConfig),
    /// Read a Slack export and show what the bot would have said in it, where and when
    Replay(Box<replay::ReplayConfig>),
    /// Print the Slack app manifest for an address, with the least permissions for the chosen features
    Manifest(manifest::ManifestConfig),
    /// Check configuration, token, permissions, clock and corpus, and say what to do about each fault
    Doctor(Box<doctor::DoctorConfig>),
    /// Learn word pairs of the two languages from the bilingual cases, for corpus/vocabulary/translations.toml
    Translations(translations::TranslationsConfig),
    /// Print the corpus in figures
    Stats(stats::StatsConfig),
    /// Measure relevance on the gold sets
    Eval(eval::EvalConfig),
    /// Check corpus and vocabulary; exit code 1 if anything is wrong
    Lint(lint::LintConfig),
}

impl Cli {
    /// Reads the command line and the environment; ends the process with a message when they are wrong.
    ///
    /// An empty variable counts as none: compose files and manifests write `${X:-}` for what is not set.
    pub fn read() -> Self {
        let unset = |argument: Arg| {
            let is_empty = argument
                .get_env()
                .is_some_and(|name| std::env::var_os(name).is_some_and(|value| value.is_empty()));
            if is_empty {
                argument.env(Resettable::Reset)
            } else {
                argument
            }
        };
        let command = Self::command().mut_subcommands(|command| command.mut_args(unset));
        Self::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit())
    }

    /// Runs the subcommand and returns the process's exit code: 0 fine, 1 found something wrong.
    ///
    /// # Errors
    /// With a chain of causes to print.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self.command {
            Subcommands::Demo(config) => demo::run(&config),
            Subcommands::Serve(config) => serve(&config),
            Subcommands::Search(config) => search::run(&config),
            Subcommands::Mcp(config) => mcp::run(&config),
            Subcommands::Replay(config) => replay::run(&config),
            Subcommands::Manifest(config) => manifest::run(&config),
            Subcommands::Doctor(config) => doctor::run(&config),
            Subcommands::Stats(config) => stats::run(&config),
            Subcommands::Translations(config) => translations::run(&config),
            Subcommands::Eval(config) => eval::run(&config),
            Subcommands::Lint(config) => lint::run(&config),
        }
    }
}

/// Runs the service until Ctrl-C or SIGTERM.
fn serve(config: &ServeConfig) -> anyhow::Result<ExitCode> {
    telemetry::init(&config.log)?;
    let Some(library) = load(&config.corpus)? else {
        return Ok(ExitCode::FAILURE);
    };
    // Links to pages that are not served would lead nowhere; they follow the same rule as the JSON API.
    let served = config.http.api.unwrap_or(config.corpus.folders.is_empty());
    let address = config.http.public_url.as_ref().filter(|_| served);
    let library = library.at(address.map_or("", |url| url.as_str()));
    let runtime = tokio::runtime::Runtime::new().context("cannot start the runtime")?;
    runtime.block_on(async {
        let app = App::build(config, &Tuning::DEFAULT, shared(library)).await?;
        let listen = config.http.listen;
        let listener = TcpListener::bind(listen)
            .await
            .with_context(|| format!("cannot listen on `{listen}`"))?;
        app.run_until(listener, stopped()).await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// Loads the corpus; `None` when it has errors, which are printed.
fn load(config: &CorpusConfig) -> anyhow::Result<Option<Library>> {
    let folders = config.folders.iter().cloned().map(Origin::Folder);
    let origins: Vec<Origin> = std::iter::once(Origin::Bundled).chain(folders).collect();
    let loaded = Corpus::load(&origins, Checks::Structure)?;
    let errors = loaded
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.level == Level::Error);
    for error in errors {
        anstream::eprintln!("{}\n", error.render(true));
    }
    if loaded.has_errors() {
        anstream::eprintln!(
            "error: the corpus has errors; nothing is served until they are mended"
        );
        return Ok(None);
    }
    let library = Library::new(loaded.corpus);
    info!(cases = library.corpus().cases().len(), "library ready");
    Ok(Some(library))
}

/// Makes a library that can be swapped while it is served.
fn shared(library: Library) -> Arc<ArcSwap<Library>> {
    Arc::new(ArcSwap::from_pointee(library))
}

/// Waits for Ctrl-C or SIGTERM.
async fn stopped() {
    use tokio::signal;
    let interrupt = async {
        if signal::ctrl_c().await.is_err() {
            // Without a handler the signal ends the process anyway.
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match signal::unix::signal(signal::unix::SignalKind::terminate()) {
            Ok(mut terminate) => {
                terminate.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }
}
