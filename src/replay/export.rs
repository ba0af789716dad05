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

/// Most files that are not read and are named.
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
    /// What is not read, and why.
    left_out: Vec<(String, &'static str)>,
}

const LINK: &str = "is a link, and links are not followed; it is left out";
const NAME: &str = "has a name that is no text; it is left out";
const NO_DAY: &str = "is not named like a day (`2024-04-12.json`); it is left out";

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
    /// Adds a file.
    fn add(&mut self, name: &str, index: u32, bytes: u64) {
        if let Some((folder, date)) = day_of(name) {
            let day = Day { date, index, bytes };
            match self.days.get_mut(folder) {
                Some(days) => days.push(day),
                None => drop(self.days.insert(folder.to_owned(), vec![day])),
            }
        } else if !name.contains('/') {
            self.lists.insert(name.to_owned(), index);
        } else if name.matches('/').count() == 1 && !name.starts_with(['.', '_']) {
            // Slack puts lists of canvases and files beside channels; they hold no messages.
            self.leave_out(name.to_owned(), NO_DAY);
        }
    }

    fn leave_out(&mut self, name: String, why: &'static str) {
        if self.left_out.len() < STRAYS {
            self.left_out.push((name, why));
        }
    }

    /// Adds an entry of a folder; returns the name when it is a folder itself.
    fn add_entry(&mut self, folder: &str, entry: &fs::DirEntry) -> io::Result<Option<String>> {
        let kind = entry.file_type()?;
        let name = match entry.file_name().into_string() {
            Ok(name) => format!("{folder}{name}"),
            Err(name) => {
                self.leave_out(format!("{folder}{}", name.display()), NAME);
                return Ok(None);
            }
        };
        if kind.is_symlink() {
            self.leave_out(name, LINK);
            return Ok(None);
        }
        if kind.is_file() && is_json(&name) {
            self.add(&name, 0, entry.metadata()?.len());
            return Ok(None);
        }
        Ok(kind.is_dir().then_some(name))
    }

    fn sort(mut self) -> Self {
        for days in self.days.values_mut() {
            days.sort_by_key(|day| day.date);
            days.shrink_to_fit();
        }
        self.left_out.sort();
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

    /// Takes the folders of channels out; tells of what is not read.
    pub(super) fn folders(&mut self, warn: &mut dyn FnMut(Warning)) -> Vec<Folder> {
        for (name, problem) in std::mem::take(&mut self.files.left_out) {
            warn(Warning {
                file: name,
                line: None,
                problem: problem.to_owned(),
            });
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
        if let Some(folder) = files.add_entry("", &entry)? {
            for inner in fs::read_dir(entry.path())? {
                // Whatever lies deeper is no part of an export.
                files.add_entry(&format!("{folder}/"), &inner?)?;
            }
        }
    }
    Ok(files)
}

/// Lists the files of a zip. When all of them lie in one folder, that is the root of the export.
fn files_of_zip(zip: &ZipArchive<BufReader<File>>) -> Files {
    // Without the flag for UTF-8 a name formally is in an old code page, but Slack writes UTF-8 all the same.
    let names = || {
        let names = (0_u32..).zip(zip.file_names_raw());
        names.map(|(index, raw)| (index, std::str::from_utf8(raw), raw))
    };
    let root = names()
        .filter_map(|(_, name, _)| name.ok()?.strip_suffix("channels.json"))
        .min_by_key(|root| root.len())
        .unwrap_or_default();
    let mut files = Files::default();
    for (index, name, raw) in names() {
        let Ok(name) = name else {
            files.leave_out(String::from_utf8_lossy(raw).into_owned(), NAME);
            continue;
        };
        if let Some(name) = name.strip_prefix(root).filter(|name| is_json(name)) {
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
