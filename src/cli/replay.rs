//! `replay`: what the bot would have said in a Slack export, for those who want to know before they install it.

use std::{
    io::{self, IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
    time::Duration,
};

use anyhow::bail;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{
    app::Tuning,
    config::{BehaviourConfig, CorpusConfig},
    replay::{self, Channel, Export, Listener, Look, Settings, Summary, Warning, clock},
};

mod json;
mod text;

/// What `replay` can be told.
#[derive(Args, Clone, Debug)]
pub struct ReplayConfig {
    /// A standard Slack export: the zip, or the folder that it was unpacked to
    #[arg(value_name = "EXPORT")]
    export: PathBuf,
    /// Leave out what happened before this day or minute (UTC), such as `2024-04-12` or `2024-04-12T09:30`
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<Duration>,
    /// Leave out what happened from this day or minute (UTC) on
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<Duration>,
    /// Only the heads of the suggestions instead of the messages as people would have seen them
    #[arg(long)]
    brief: bool,
    /// Print an object of JSON a line
    #[arg(long, conflicts_with = "brief")]
    json: bool,
    #[command(flatten)]
    behaviour: BehaviourConfig,
    #[command(flatten)]
    corpus: CorpusConfig,
}

fn time(text: &str) -> Result<Duration, String> {
    clock::day(text).ok_or_else(|| {
        "a time is a day or a minute, such as `2024-04-12` or `2024-04-12T09:30`".to_owned()
    })
}

/// Replays the export and prints what came of it.
pub(super) fn run(config: &ReplayConfig) -> anyhow::Result<ExitCode> {
    let mut export = Export::open(&config.export)?;
    let Some(library) = super::load(&config.corpus)? else {
        return Ok(ExitCode::FAILURE);
    };
    let behaviour = &config.behaviour;
    let settings = Settings {
        patterns: behaviour.patterns.clone(),
        allowed_channels: behaviour.allowed_channels.iter().cloned().collect(),
        lang: behaviour.lang,
        debounce: Tuning::DEFAULT.debounce,
        since: config.since,
        until: config.until,
    };
    let form: Box<dyn Form> = if config.json {
        Box::new(json::Json)
    } else {
        Box::new(text::Text {
            brief: config.brief,
        })
    };
    let mut telling = Telling {
        form,
        progress: progress(export.bytes()),
        failure: None,
    };
    let summary = replay::replay(&mut export, &library, &settings, &mut telling);
    telling.progress.finish_and_clear();
    telling.print(|form, out| form.summary(out, &summary));
    super::out::finish(telling.failure.map_or(Ok(()), Err))?;
    if summary.messages == 0 && summary.warnings > 0 {
        bail!(
            "nothing could be read in `{}`; the warnings say why",
            config.export.display()
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// How a replay is written.
trait Form {
    /// Writes a channel's looks; there is at least one.
    fn channel(&self, out: &mut dyn Write, channel: &Channel, looks: &[Look]) -> io::Result<()>;
    /// Writes a warning; `false` when it goes to standard error as text.
    fn warning(&self, out: &mut dyn Write, warning: &Warning) -> io::Result<bool>;
    /// Writes the figures at the end.
    fn summary(&self, out: &mut dyn Write, summary: &Summary) -> io::Result<()>;
}

/// Prints as the replay goes, beside a bar on terminals.
struct Telling {
    form: Box<dyn Form>,
    progress: ProgressBar,
    failure: Option<io::Error>,
}

impl Telling {
    fn print(&mut self, write: impl FnOnce(&dyn Form, &mut dyn Write) -> io::Result<()>) {
        if self.failure.is_some() {
            return;
        }
        let form = self.form.as_ref();
        let written = self.progress.suspend(|| {
            let mut out = anstream::stdout().lock();
            write(form, &mut out)?;
            out.flush()
        });
        self.failure = written.err();
    }
}

impl Listener for Telling {
    fn read(&mut self, bytes: u64) {
        self.progress.inc(bytes);
    }

    fn warning(&mut self, warning: &Warning) {
        let mut told = false;
        self.print(|form, out| {
            told = form.warning(out, warning)?;
            Ok(())
        });
        if !told {
            self.progress
                .suspend(|| anstream::eprintln!("warning: {}", text::warning(warning)));
        }
    }

    fn channel(&mut self, channel: &Channel, looks: &[Look]) {
        self.print(|form, out| form.channel(out, channel, looks));
    }
}

/// A bar over the bytes of the export; hidden where nobody watches.
fn progress(bytes: u64) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {bytes} of {total_bytes} · {eta} left")
        .expect("the template is sound");
    ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr()).with_style(style)
}
