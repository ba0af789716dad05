//! A Slack export, told again: what the bot would have said in it, where, when and why, or that it would have stayed silent.
//!
//! Decides with the service's own code ([`crate::worker::decide`]) and the messages' own times for a clock. Messages are
//! read one at a time, whatever the size of their files. Knows nothing of terminals.

use std::{
    collections::{BTreeMap, HashSet},
    time::Duration,
};

use crate::{
    corpus::Lang,
    library::Library,
    slack::{ChannelId, client::Identity, pattern::Pattern},
};

pub mod clock;
mod elements;
mod export;
mod look;
mod people;
mod roster;
mod story;

pub use elements::ELEMENT_LIMIT_BYTES;
pub use export::{Export, OpenError};
pub use look::{Look, Silence, Verdict};
pub use roster::Channel;

use export::{DayFile, Folder};
use people::own_identity;
use roster::{Paired, Roster};
use story::{Broken, Story};

/// How the bot of the replay is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Names of incident channels.
    pub patterns: Vec<Pattern>,
    /// Channels in which it may speak although they are shared with another organisation.
    pub allowed_channels: HashSet<ChannelId>,
    /// Language where nothing else tells it.
    pub lang: Lang,
    /// How long it waits for more after something happened.
    pub debounce: Duration,
    /// Looks before this are not told.
    pub since: Option<Duration>,
    /// Looks from this on are not told.
    pub until: Option<Duration>,
}

/// Something in the export that could not be read. Everything else was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The file within the export.
    pub file: String,
    /// The line, where one can be named.
    pub line: Option<u64>,
    /// What is wrong, and what becomes of it.
    pub problem: String,
}

/// What a replay tells as it goes.
pub trait Listener {
    /// So many bytes of `total` were read.
    fn read(&mut self, bytes: u64);
    /// Something could not be read.
    fn warning(&mut self, warning: &Warning);
    /// An incident channel's whole story; `looks` is not empty.
    fn channel(&mut self, channel: &Channel, looks: &[Look]);
}

/// The replay in figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Channels of the export.
    pub channels: usize,
    /// Those that the bot would have looked at.
    pub incident_channels: usize,
    /// Messages that were read, notices of Slack's own among them.
    pub messages: u64,
    /// Channels in which the bot would have spoken.
    pub suggestions: usize,
    /// Times that it would have changed what it said.
    pub edits: usize,
    /// Incident channels in which it would have stayed silent.
    pub silent: usize,
    /// Times that it would have looked at a channel.
    pub looks: usize,
    /// In how many incident channels each term was understood, by its name.
    pub terms: BTreeMap<String, usize>,
    /// How often each case would have come first.
    pub cases: BTreeMap<String, usize>,
    /// Things that could not be read.
    pub warnings: usize,
}

impl Summary {
    /// Returns the commonest terms, commonest first.
    pub fn top_terms(&self, most: usize) -> Vec<(&str, usize)> {
        top(&self.terms, most)
    }

    /// Returns the cases that came first most often.
    pub fn top_cases(&self, most: usize) -> Vec<(&str, usize)> {
        top(&self.cases, most)
    }

    fn add(&mut self, looks: &[Look]) {
        self.incident_channels += 1;
        self.looks += looks.len();
        let said = looks.iter().find(|look| look.suggestion().is_some());
        let edits = looks.iter().filter(|look| look.message().is_some()).count()
            - usize::from(said.is_some());
        self.edits += edits;
        match said {
            Some(_) => self.suggestions += 1,
            None if edits == 0 => self.silent += 1,
            // It spoke before the time that is told.
            None => {}
        }
        if let Some(first) = said.and_then(|look| look.precedents.first()) {
            *self.cases.entry(first.id.to_string()).or_default() += 1;
        }
        let terms: HashSet<&str> = looks
            .iter()
            .flat_map(|look| &look.terms)
            .map(String::as_str)
            .collect();
        for term in terms {
            *self.terms.entry(term.to_owned()).or_default() += 1;
        }
    }
}

fn top(counts: &BTreeMap<String, usize>, most: usize) -> Vec<(&str, usize)> {
    let mut counts: Vec<_> = counts
        .iter()
        .map(|(name, count)| (name.as_str(), *count))
        .collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.truncate(most);
    counts
}

/// Most warnings about one channel that are told one by one.
const WARNINGS: usize = 50;

/// What was noticed while a channel was read.
#[derive(Default)]
struct Notes {
    warnings: Vec<Warning>,
    left_out: usize,
    messages: u64,
}

impl Notes {
    fn warn(&mut self, warning: Warning) {
        if self.warnings.len() < WARNINGS {
            self.warnings.push(warning);
        } else {
            self.left_out += 1;
        }
    }
}

/// Tells an export again.
pub fn replay(
    export: &mut Export,
    library: &Library,
    settings: &Settings,
    listener: &mut dyn Listener,
) -> Summary {
    let mut summary = Summary::default();
    let mut early = Vec::new();
    let roster = Roster::read(export, &mut |warning| early.push(warning));
    let own = own_identity(export, &mut |warning| early.push(warning));
    let folders = export.folders(&mut |warning| early.push(warning));
    let Paired {
        channels,
        strays,
        left_out,
    } = roster.pair(folders);
    listener.read(left_out);
    early.extend(strays);
    for warning in &early {
        listener.warning(warning);
    }
    summary.warnings += early.len();
    for (channel, folder) in &channels {
        summary.channels += 1;
        let (looks, notes) = tell(
            export,
            library,
            settings,
            own.as_ref(),
            (channel, folder),
            listener,
        );
        summary.messages += notes.messages;
        summary.warnings += notes.warnings.len() + notes.left_out;
        for warning in &notes.warnings {
            listener.warning(warning);
        }
        if notes.left_out > 0 {
            listener.warning(&Warning {
                file: folder.name.clone(),
                line: None,
                problem: format!("{} more problems in this folder", notes.left_out),
            });
        }
        let wanted = |look: &&Look| {
            settings.since.is_none_or(|since| look.at >= since)
                && settings.until.is_none_or(|until| look.at < until)
        };
        let looks: Vec<Look> = looks.iter().filter(wanted).cloned().collect();
        if !looks.is_empty() {
            summary.add(&looks);
            listener.channel(channel, &looks);
        }
    }
    summary
}

/// Tells one channel. Begins again when it turns out that the channel had another name first: then whether it was watched
/// has to be decided anew.
fn tell(
    export: &mut Export,
    library: &Library,
    settings: &Settings,
    own: Option<&Identity>,
    (channel, folder): (&Channel, &Folder),
    listener: &mut dyn Listener,
) -> (Vec<Look>, Notes) {
    let mut name = channel.name.clone();
    // Files that were told as read; those read again are not.
    let mut told = 0;
    loop {
        let mut notes = Notes::default();
        let mut story = Story::new(library, settings, own, channel, &name);
        for (at, file) in folder.files.iter().enumerate() {
            read_day(export, file, &mut story, &mut notes);
            if story.first_name().is_some() {
                break;
            }
            if at == told {
                told += 1;
                listener.read(file.bytes);
            }
        }
        match story.first_name() {
            Some(first) => first.clone_into(&mut name),
            None => return (story.finish(), notes),
        }
    }
}

/// Tells a day of a channel, as far as it can be read.
fn read_day(export: &mut Export, file: &DayFile, story: &mut Story<'_>, notes: &mut Notes) {
    let warning = |line, problem| Warning {
        file: file.name.clone(),
        line,
        problem,
    };
    let read = export.elements(file, &mut |element| {
        match element {
            Ok((line, bytes)) => match story.message(bytes) {
                Ok(()) => notes.messages += 1,
                Err(Broken { line: at, problem }) => {
                    let problem = format!("{problem}; this message is left out");
                    notes.warn(warning(Some(line + at - 1), problem));
                }
            },
            Err(problem) => notes.warn(warning(problem.line(), problem.to_string())),
        }
        story.first_name().is_none()
    });
    if let Err(error) = read {
        notes.warn(warning(None, format!("cannot be read: {error}")));
    }
}
