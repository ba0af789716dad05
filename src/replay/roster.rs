//! Which channels an export holds: `channels.json`, `groups.json`, and the folders with their messages.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use super::{
    Warning,
    export::{Export, Folder},
};

/// Most channels that are read from the lists; the largest workspaces have fewer. Folders beyond it are still channels.
const CHANNELS: usize = 500_000;

/// Longest text of a list that is kept, in bytes: Slack's own are shorter.
const TEXT_LIMIT_BYTES: usize = 2048;

/// A channel as the export lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its id; empty when no list names the channel.
    pub id: String,
    /// Its name when the export was made.
    pub name: String,
    /// Whether only members see it.
    pub private: bool,
    /// Whether it is or may soon be shared with another organisation.
    pub shared: bool,
    /// When it was made.
    pub created: Option<Duration>,
    /// Its last topic, and when that was set.
    pub(super) topic: Option<(String, Duration)>,
    /// The same of its purpose.
    pub(super) purpose: Option<(String, Duration)>,
}

/// All channels of an export.
#[derive(Default)]
pub(super) struct Roster {
    channels: Vec<Channel>,
    /// Folders of direct messages, of those that there are: the bot does not look there.
    direct: HashSet<String>,
}

/// Channels with their folders.
pub(super) struct Paired {
    /// In the order in which they were made.
    pub(super) channels: Vec<(Channel, Folder)>,
    /// What is odd about the folders.
    pub(super) strays: Vec<Warning>,
    /// Bytes of direct messages, which are not read.
    pub(super) left_out: u64,
}

impl Roster {
    pub(super) fn read(export: &mut Export, warn: &mut dyn FnMut(Warning)) -> Self {
        let mut roster = Self::default();
        for (file, private) in [("channels.json", false), ("groups.json", true)] {
            let channels = &mut roster.channels;
            let mut left_out = 0;
            list(export, file, warn, &mut |value| {
                let channel = channel(value, private);
                let is_named = channel.is_some();
                if channels.len() < CHANNELS {
                    channels.extend(channel);
                } else {
                    left_out += usize::from(is_named);
                }
                is_named
            });
            if left_out > 0 {
                warn(Warning {
                    file: file.to_owned(),
                    line: None,
                    problem: format!("{left_out} more channels than the {CHANNELS} that are read"),
                });
            }
        }
        for (file, keys) in [("dms.json", ["id", "id"]), ("mpims.json", ["name", "id"])] {
            let mut direct: Vec<String> = Vec::new();
            let folders = export.folder_names();
            list(export, file, warn, &mut |value| {
                let names = keys.map(|key| composed(text(value, key)));
                direct.extend(names.into_iter().filter(|name| folders.contains(name)));
                true
            });
            roster.direct.extend(direct);
        }
        if !export.has("channels.json") {
            warn(Warning {
                file: "channels.json".to_owned(),
                line: None,
                problem: "is missing; channels are named by their folders, and when they were made is not known"
                    .to_owned(),
            });
        }
        roster
    }

    /// Pairs channels with their folders. Nothing is lost: a folder that no list names is a channel too, and a channel
    /// without messages may still have a telling name.
    pub(super) fn pair(self, folders: Vec<Folder>) -> Paired {
        let mut left_out = 0;
        let mut warnings = Vec::new();
        let mut folders: HashMap<String, Folder> = folders
            .into_iter()
            .map(|folder| (folder.name.clone(), folder))
            .collect();
        let mut pairs: Vec<(Channel, Folder)> = Vec::new();
        for channel in self.channels {
            let folder = folders
                .remove(&channel.name)
                .or_else(|| folders.remove(&channel.id))
                .unwrap_or_else(|| Folder::empty(channel.name.clone()));
            pairs.push((channel, folder));
        }
        for (name, folder) in folders {
            if self.direct.contains(&name) || is_direct(&name) {
                left_out += folder.bytes();
                continue;
            }
            warnings.push(Warning {
                file: name.clone(),
                line: None,
                problem: "stands in no list of channels; it is read under its folder's name"
                    .to_owned(),
            });
            let channel = Channel {
                id: String::new(),
                name,
                private: false,
                shared: false,
                created: None,
                topic: None,
                purpose: None,
            };
            pairs.push((channel, folder));
        }
        pairs.sort_by(|(a, _), (b, _)| a.created.cmp(&b.created).then_with(|| a.name.cmp(&b.name)));
        warnings.sort_by(|a, b| a.file.cmp(&b.file));
        Paired {
            channels: pairs,
            strays: warnings,
            left_out,
        }
    }
}

/// Reads a list of the export, if it has it. `take` says whether an entry could be understood.
pub(super) fn list(
    export: &mut Export,
    file: &str,
    warn: &mut dyn FnMut(Warning),
    take: &mut dyn FnMut(&Value) -> bool,
) {
    if !export.has(file) {
        return;
    }
    let mut note = |line, problem| {
        warn(Warning {
            file: file.to_owned(),
            line,
            problem,
        });
    };
    let read = export.read(file, &mut |element| {
        match element {
            Ok((line, bytes)) => match serde_json::from_slice::<Value>(bytes) {
                Ok(value) => {
                    if !take(&value) {
                        note(
                            Some(line),
                            "an entry has no name; it is left out".to_owned(),
                        );
                    }
                }
                Err(error) => {
                    let at = line + error.line().saturating_sub(1) as u64;
                    let problem =
                        format!("{}; this entry is left out", super::people::plain(&error));
                    note(Some(at), problem);
                }
            },
            Err(problem) => note(problem.line(), problem.to_string()),
        }
        true
    });
    if let Err(error) = read {
        note(None, format!("cannot be read: {error}"));
    }
}

fn channel(value: &Value, private: bool) -> Option<Channel> {
    let name = composed(text(value, "name"));
    let stated = |key: &str| {
        let value = value.get(key)?;
        let set = seconds(value.get("last_set")?)?;
        Some((text(value, "value").to_owned(), set)).filter(|(text, _)| !text.is_empty())
    };
    let flag = |key| value.get(key) == Some(&Value::Bool(true));
    (!name.is_empty()).then(|| Channel {
        id: text(value, "id").to_owned(),
        name,
        private: private || flag("is_private"),
        shared: flag("is_ext_shared") || flag("is_pending_ext_shared"),
        created: value.get("created").and_then(seconds),
        topic: stated("topic"),
        purpose: stated("purpose"),
    })
}

fn seconds(value: &Value) -> Option<Duration> {
    let seconds = value.as_u64().filter(|seconds| *seconds > 0)?;
    super::clock::stamp(&seconds.to_string())
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    let text = value.get(key).and_then(Value::as_str).unwrap_or_default();
    &text[..text.floor_char_boundary(TEXT_LIMIT_BYTES)]
}

/// Some systems keep Korean letters of file names in parts.
fn composed(text: &str) -> String {
    text.nfc().collect()
}

/// Folders of direct messages are named by their ids.
fn is_direct(name: &str) -> bool {
    let is_id = |rest: &str| {
        rest.len() >= 8
            && rest
                .bytes()
                .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    };
    name.strip_prefix('D').is_some_and(is_id) || name.starts_with("mpdm-")
}
