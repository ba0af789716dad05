//! A Slack export where it lies: a folder, or the zip as Slack gives it. Nothing is unpacked to disk.

use std::{
    collections::{BTreeMap, HashSet},
    fs::{self, File},
    io::{self, BufReader, Read},
    path::{Path, PathBuf},
};

use unicode_normalization::UnicodeNormalization;
use zip::ZipArchive;

use super::{
    Warning,
    elements::{self, Element},
};

/// How much of a file is read at once.
const BUFFER_BYTES: usize = 256 * 1024;

/// Most files in folders of channels that hold no day and are named.
const STRAYS: usize = 1000;

/// An export that can be read. Millions of days take no more than some bytes each.
pub struct Export {
    place: Place,
    files: Files,
}

enum Place {
    Folder(PathBuf),
    Zip(Box<ZipArchive<BufReader<File>>>),
}

/// All files of an export.
#[derive(Default)]
struct Files {
    /// Those that stand beside the folders, by name: where they are in the zip.
    lists: BTreeMap<String, u32>,
    /// Days of each folder, by its name as it is written.
    days: BTreeMap<String, Vec<Day>>,
    /// Names of other files in folders.
    strays: Vec<String>,
}

/// A day of a folder: `2024-04-12.json`.
#[derive(Clone, Copy, Debug)]
struct Day {
    /// As a number: 20240412.
    date: u32,
    /// Number within the zip.
    index: u32,
    bytes: u64,
}

impl Files {
    fn add(&mut self, name: &str, index: u32, bytes: u64) {
        if let Some((folder, date)) = day_of(name) {
            let day = Day { date, index, bytes };
            match self.days.get_mut(folder) {
                Some(days) => days.push(day),
                None => drop(self.days.insert(folder.to_owned(), vec![day])),
            }
        } else if !name.contains('/') {
            self.lists.insert(name.to_owned(), index);
        } else if self.strays.len() < STRAYS {
            self.strays.push(name.to_owned());
        }
    }

    fn sort(mut self) -> Self {
        for days in self.days.values_mut() {
            days.sort_by_key(|day| day.date);
            days.shrink_to_fit();
        }
        self.strays.sort();
        self
    }
}

/// A channel's days, oldest first.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    /// Its name in composed form: some systems keep Korean letters in parts.
    pub(super) name: String,
    /// Folders whose names are the same in composed form.
    parts: Vec<(String, Vec<Day>)>,
}

/// One day of a channel.
#[derive(Clone, Debug)]
pub(super) struct DayFile {
    /// Name within the export.
    pub(super) name: String,
    pub(super) bytes: u64,
    index: u32,
}

impl Folder {
    /// The folder of a channel without messages.
    pub(super) const fn empty(name: String) -> Self {
        let parts = Vec::new();
        Self { name, parts }
    }

    /// Returns its days.
    pub(super) fn files(&self) -> impl Iterator<Item = DayFile> {
        let files = |(folder, days): &(String, Vec<Day>)| {
            let folder = folder.clone();
            days.clone().into_iter().map(move |day| {
                let Day { date, index, bytes } = day;
                let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
                DayFile {
                    name: format!("{folder}/{year:04}-{month:02}-{day:02}.json"),
                    bytes,
                    index,
                }
            })
        };
        self.parts.iter().flat_map(files)
    }

    /// Returns how many bytes its days have.
    pub(super) fn bytes(&self) -> u64 {
        let days = self.parts.iter().flat_map(|(_, days)| days);
        days.map(|day| day.bytes).sum()
    }
}

/// Why an export cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It is not there or not ours to read.
    #[error("cannot read `{path}`: {error}")]
    Read {
        /// What was to be read.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// It is a file, but no zip.
    #[error("`{path}` is no zip file: {error}")]
    NoZip {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        error: zip::result::ZipError,
    },
    /// Nothing in it looks like an export.
    #[error(
        "`{0}` holds no Slack export: there is neither a `channels.json` nor a folder with files like `2024-04-12.json`"
    )]
    NoExport(PathBuf),
}

impl Export {
    /// Opens a folder or a zip file.
    ///
    /// # Errors
    /// When it cannot be read or is no export.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let failed = |error| OpenError::Read {
            path: path.to_owned(),
            error,
        };
        let (place, files) = if fs::metadata(path).map_err(failed)?.is_dir() {
            let files = files_of_folder(path).map_err(failed)?;
            (Place::Folder(path.to_owned()), files)
        } else {
            let file = File::open(path).map_err(failed)?;
            let zip = ZipArchive::new(BufReader::new(file)).map_err(|error| OpenError::NoZip {
                path: path.to_owned(),
                error,
            })?;
            let files = files_of_zip(&zip);
            (Place::Zip(Box::new(zip)), files)
        };
        if files.days.is_empty() && !files.lists.contains_key("channels.json") {
            return Err(OpenError::NoExport(path.to_owned()));
        }
        let files = files.sort();
        Ok(Self { place, files })
    }

    /// Returns how many bytes of messages there are.
    pub fn bytes(&self) -> u64 {
        let days = self.files.days.values().flatten();
        days.map(|day| day.bytes).sum()
    }

    /// Returns whether there is a list of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.files.lists.contains_key(name)
    }

    /// Returns the names of all folders, in composed form.
    pub(super) fn folder_names(&self) -> HashSet<String> {
        let names = self.files.days.keys();
        names.map(|name| name.nfc().collect()).collect()
    }

    /// Takes the folders of channels out; tells of files in them that hold no day.
    pub(super) fn folders(&mut self, warn: &mut dyn FnMut(Warning)) -> Vec<Folder> {
        for name in &self.files.strays {
            // Slack puts lists of canvases and files beside them; they hold no messages.
            if name.matches('/').count() == 1 && !name.starts_with(['.', '_']) {
                warn(Warning {
                    file: name.clone(),
                    line: None,
                    problem: "is not named like a day (`2024-04-12.json`); it is left out"
                        .to_owned(),
                });
            }
        }
        let mut folders: Vec<Folder> = Vec::new();
        for (name, days) in std::mem::take(&mut self.files.days) {
            let composed: String = name.nfc().collect();
            match folders.last_mut() {
                Some(last) if last.name == composed => last.parts.push((name, days)),
                _ => folders.push(Folder {
                    name: composed,
                    parts: vec![(name, days)],
                }),
            }
        }
        folders
    }

    /// Calls `take` for each element of a day's list.
    pub(super) fn elements(
        &mut self,
        file: &DayFile,
        take: &mut dyn FnMut(Element<'_>) -> bool,
    ) -> io::Result<()> {
        self.read_at(&file.name, file.index, take)
    }

    /// Calls `take` for each element of the list in a file of this name.
    pub(super) fn read(
        &mut self,
        name: &str,
        take: &mut dyn FnMut(Element<'_>) -> bool,
    ) -> io::Result<()> {
        let index = self.files.lists.get(name).ok_or(io::ErrorKind::NotFound)?;
        self.read_at(name, *index, take)
    }

    fn read_at(
        &mut self,
        name: &str,
        index: u32,
        take: &mut dyn FnMut(Element<'_>) -> bool,
    ) -> io::Result<()> {
        match &mut self.place {
            Place::Folder(root) => split(File::open(root.join(name))?, take),
            Place::Zip(zip) => split(zip.by_index(index as usize)?, take),
        }
    }
}

fn split(reader: impl Read, take: &mut dyn FnMut(Element<'_>) -> bool) -> io::Result<()> {
    elements::split(BufReader::with_capacity(BUFFER_BYTES, reader), take)
}

/// Returns folder and day of a file such as `general/2024-04-12.json`.
fn day_of(name: &str) -> Option<(&str, u32)> {
    let (folder, file) = name.split_once('/')?;
    let day = file.strip_suffix(".json")?;
    let is_day = day.len() == 10
        && day.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let number = |digits: &str| digits.parse::<u32>().ok();
    if !is_day || folder.is_empty() {
        return None;
    }
    let date = number(&day[..4])? * 10_000 + number(&day[5..7])? * 100 + number(&day[8..])?;
    Some((folder, date))
}

fn is_json(name: &str) -> bool {
    name.strip_suffix(".json").is_some()
}

/// Lists the files of a folder, two levels deep, without following links.
fn files_of_folder(root: &Path) -> io::Result<Files> {
    let mut files = Files::default();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let kind = entry.file_type()?;
        if kind.is_file() {
            add(&mut files, &name, &entry)?;
        } else if kind.is_dir() {
            for inner in fs::read_dir(entry.path())? {
                let inner = inner?;
                if inner.file_type()?.is_file()
                    && let Ok(file) = inner.file_name().into_string()
                {
                    add(&mut files, &format!("{name}/{file}"), &inner)?;
                }
            }
        }
    }
    Ok(files)
}

fn add(files: &mut Files, name: &str, entry: &fs::DirEntry) -> io::Result<()> {
    if is_json(name) {
        files.add(name, 0, entry.metadata()?.len());
    }
    Ok(())
}

/// Lists the files of a zip. When all of them lie in one folder, that is the root of the export.
fn files_of_zip(zip: &ZipArchive<BufReader<File>>) -> Files {
    // Without the flag for UTF-8 a name formally is in an old code page, but Slack writes UTF-8 all the same.
    let names = || {
        let names = (0_u32..).zip(zip.file_names_raw());
        names.filter_map(|(index, raw)| Some((index, std::str::from_utf8(raw).ok()?)))
    };
    let root = names()
        .filter_map(|(_, name)| name.strip_suffix("channels.json"))
        .min_by_key(|root| root.len())
        .unwrap_or_default();
    let mut files = Files::default();
    for (index, name) in names().filter(|(_, name)| is_json(name)) {
        if let Some(name) = name.strip_prefix(root) {
            let bytes = zip.by_index_data(index as usize);
            files.add(name, index, bytes.map_or(0, |entry| entry.size()));
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_known_by_their_names() {
        for (name, is_day) in [
            ("general/2024-04-12.json", true),
            ("장애-로그인/2024-04-12.json", true),
            ("channels.json", false),
            ("general/canvas.json", false),
            ("a/b/2024-04-12.json", false),
            ("general/2024-04-12.txt", false),
            ("/2024-04-12.json", false),
        ] {
            assert_eq!(day_of(name).is_some(), is_day, "{name}");
        }
        let mut files = Files::default();
        for name in ["a/2024-12-31.json", "a/0987-01-02.json"] {
            files.add(name, 0, 1);
        }
        let parts = files.sort().days.into_iter().collect();
        let folder = Folder {
            parts,
            ..Folder::empty("a".to_owned())
        };
        let names: Vec<String> = folder.files().map(|file| file.name).collect();
        assert_eq!(names, ["a/0987-01-02.json", "a/2024-12-31.json"]);
    }
}
