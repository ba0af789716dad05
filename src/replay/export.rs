//! A Slack export where it lies: a folder, or the zip as Slack gives it. Nothing is unpacked to disk.

use std::{
    collections::BTreeMap,
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

/// An export that can be read.
pub struct Export {
    place: Place,
    listing: Listing,
}

/// What there is below the root of an export.
#[derive(Default)]
struct Listing {
    /// All JSON files, by name.
    files: BTreeMap<String, Source>,
    /// What is not read, and why.
    left_out: Vec<(String, &'static str)>,
}

const LINK: &str = "is a link, and links are not followed; it is left out";
const NAME: &str = "has a name that is no text; it is left out";

enum Place {
    Folder(PathBuf),
    Zip(Box<ZipArchive<BufReader<File>>>),
}

#[derive(Clone, Copy, Debug)]
struct Source {
    /// Number within the zip.
    index: usize,
    bytes: u64,
}

/// Files of a channel, oldest first.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    /// Its name in composed form: some systems keep Korean letters in parts.
    pub(super) name: String,
    pub(super) files: Vec<DayFile>,
}

/// One day of a channel.
#[derive(Clone, Debug)]
pub(super) struct DayFile {
    /// Name within the export.
    pub(super) name: String,
    pub(super) bytes: u64,
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
        let (place, listing) = if fs::metadata(path).map_err(failed)?.is_dir() {
            let listing = files_of_folder(path).map_err(failed)?;
            (Place::Folder(path.to_owned()), listing)
        } else {
            let file = File::open(path).map_err(failed)?;
            let zip = ZipArchive::new(BufReader::new(file)).map_err(|error| OpenError::NoZip {
                path: path.to_owned(),
                error,
            })?;
            let listing = files_of_zip(&zip);
            (Place::Zip(Box::new(zip)), listing)
        };
        let is_export = |name: &String| name == "channels.json" || day_of(name).is_some();
        if !listing.files.keys().any(is_export) {
            return Err(OpenError::NoExport(path.to_owned()));
        }
        Ok(Self { place, listing })
    }

    /// Returns how many bytes of messages there are.
    pub fn bytes(&self) -> u64 {
        let days = self
            .listing
            .files
            .iter()
            .filter(|(name, _)| day_of(name).is_some());
        days.map(|(_, source)| source.bytes).sum()
    }

    /// Returns whether there is a file of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.listing.files.contains_key(name)
    }

    /// Returns the folders of channels; tells of files in them that hold no day, and of what is not read at all.
    pub(super) fn folders(&self, warn: &mut dyn FnMut(Warning)) -> Vec<Folder> {
        for (name, problem) in &self.listing.left_out {
            warn(Warning {
                file: name.clone(),
                line: None,
                problem: (*problem).to_owned(),
            });
        }
        let mut folders: Vec<Folder> = Vec::new();
        for (name, source) in &self.listing.files {
            let Some((folder, _)) = name.split_once('/') else {
                continue;
            };
            if day_of(name).is_none() {
                // Slack puts lists of canvases and files beside them; they hold no messages.
                let is_list = name.matches('/').count() == 1;
                if is_list && !folder.starts_with(['.', '_']) {
                    warn(Warning {
                        file: name.clone(),
                        line: None,
                        problem: "is not named like a day (`2024-04-12.json`); it is left out"
                            .to_owned(),
                    });
                }
                continue;
            }
            let file = DayFile {
                name: name.clone(),
                bytes: source.bytes,
            };
            let composed: String = folder.nfc().collect();
            match folders.last_mut() {
                Some(last) if last.name == composed => last.files.push(file),
                _ => folders.push(Folder {
                    name: composed,
                    files: vec![file],
                }),
            }
        }
        folders
    }

    /// Calls `take` for each element of a file's list.
    pub(super) fn elements(
        &mut self,
        file: &DayFile,
        take: &mut dyn FnMut(Element<'_>) -> bool,
    ) -> io::Result<()> {
        self.read(&file.name, take)
    }

    /// Calls `take` for each element of the list in a file of this name.
    pub(super) fn read(
        &mut self,
        name: &str,
        take: &mut dyn FnMut(Element<'_>) -> bool,
    ) -> io::Result<()> {
        let source = self
            .listing
            .files
            .get(name)
            .ok_or(io::ErrorKind::NotFound)?;
        match &mut self.place {
            Place::Folder(root) => split(File::open(root.join(name))?, take),
            Place::Zip(zip) => split(zip.by_index(source.index)?, take),
        }
    }
}

fn split(reader: impl Read, take: &mut dyn FnMut(Element<'_>) -> bool) -> io::Result<()> {
    elements::split(BufReader::with_capacity(BUFFER_BYTES, reader), take)
}

/// Returns the day of a file such as `general/2024-04-12.json`.
fn day_of(name: &str) -> Option<&str> {
    let (folder, file) = name.split_once('/')?;
    let day = file.strip_suffix(".json")?;
    let is_day = day.len() == 10
        && day.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    (is_day && !folder.is_empty()).then_some(day)
}

fn is_json(name: &str) -> bool {
    name.strip_suffix(".json").is_some()
}

/// Lists the files of a folder, two levels deep, without following links.
fn files_of_folder(root: &Path) -> io::Result<Listing> {
    let mut listing = Listing::default();
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        if let Some(folder) = listing.add("", &entry)? {
            for inner in fs::read_dir(entry.path())? {
                // Whatever lies deeper is no part of an export.
                listing.add(&format!("{folder}/"), &inner?)?;
            }
        }
    }
    Ok(listing)
}

impl Listing {
    /// Adds an entry of a folder; returns the name when it is a folder itself.
    fn add(&mut self, folder: &str, entry: &fs::DirEntry) -> io::Result<Option<String>> {
        let kind = entry.file_type()?;
        let name = match entry.file_name().into_string() {
            Ok(name) => format!("{folder}{name}"),
            Err(name) => {
                let shown = format!("{folder}{}", name.display());
                self.left_out.push((shown, NAME));
                return Ok(None);
            }
        };
        if kind.is_symlink() {
            self.left_out.push((name, LINK));
            return Ok(None);
        }
        if kind.is_file() && is_json(&name) {
            let bytes = entry.metadata()?.len();
            self.files.insert(name, Source { index: 0, bytes });
            return Ok(None);
        }
        Ok(kind.is_dir().then_some(name))
    }
}

/// Lists the files of a zip. When all of them lie in one folder, that is the root of the export.
fn files_of_zip(zip: &ZipArchive<BufReader<File>>) -> Listing {
    let Listing {
        mut files,
        mut left_out,
    } = Listing::default();
    for (index, raw) in zip.file_names_raw().enumerate() {
        // Without the flag for UTF-8 a name formally is in an old code page, but Slack writes UTF-8 all the same.
        let Ok(name) = std::str::from_utf8(raw) else {
            left_out.push((String::from_utf8_lossy(raw).into_owned(), NAME));
            continue;
        };
        if is_json(name) {
            let bytes = zip.by_index_data(index).map_or(0, |entry| entry.size());
            files.insert(name.to_owned(), Source { index, bytes });
        }
    }
    let root = files
        .keys()
        .filter_map(|name| name.strip_suffix("channels.json"))
        .min_by_key(|root| root.len())
        .unwrap_or_default()
        .to_owned();
    if !root.is_empty() {
        let below = files
            .into_iter()
            .filter_map(|(name, source)| Some((name.strip_prefix(&root)?.to_owned(), source)));
        files = below.collect();
    }
    Listing { files, left_out }
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
    }
}
