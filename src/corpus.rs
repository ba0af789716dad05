//! The corpus: cases and the vocabulary that describes them, loaded from the binary itself and from folders.
//!
//! Loading collects every problem as a [`Diagnostic`]; nothing here knows of search, Slack or HTTP.

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use include_dir::{Dir, include_dir};

mod audience;
mod case;
mod diagnostic;
mod frames;
mod lang;
mod lint;
mod reader;
mod schema;
mod value;
mod vocabulary;
mod wording;

pub use audience::{Audience, InvalidAudience, Viewer};
pub use case::{
    Action, Case, CaseId, ElapsedTime, FollowUp, FollowUpState, InvalidCaseId, Outcome,
    PartialDate, Reference, Severity, Source, SourceKind, Status,
};
pub use diagnostic::{Diagnostic, Level, SourceFile, nearest};
pub use frames::{Frame, Frames, Group};
pub use lang::{Lang, Localized, is_hangul};
pub use lint::{CHECKS, Check};
pub use schema::CaseFile;
pub use vocabulary::{Facet, General, Tag, Term, TermId, Vocabulary, Words};
pub use wording::Talk;

/// The corpus of this repository, inside the binary.
static BUNDLED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/corpus");

/// Largest corpus file that is read, in bytes; real ones stay below 40 KiB.
const FILE_LIMIT_BYTES: u64 = 1024 * 1024;

/// Where corpus files come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The corpus inside the binary.
    Bundled,
    /// An operator's folder with `cases/`, and optionally a `vocabulary/` that adds to the bundled one.
    Folder(PathBuf),
}

/// A folder that cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file or folder could not be read.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder holds no corpus.
    #[error("`{}` is not a corpus: it has neither `cases/` nor `vocabulary/`", .0.display())]
    NotACorpus(PathBuf),
}

/// Cases and vocabulary. Immutable once loaded.
#[derive(Debug, Default)]
pub struct Corpus {
    vocabulary: Vocabulary,
    cases: Vec<Arc<Case>>,
    by_id: HashMap<CaseId, usize>,
}

/// What loading gave.
#[derive(Debug)]
pub struct Loaded {
    /// The cases that could be read.
    pub corpus: Corpus,
    /// Everything that is wrong, by file and place.
    pub diagnostics: Vec<Diagnostic>,
}

impl Loaded {
    /// Returns whether any problem forbids to serve this corpus.
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|diagnostic| diagnostic.level == Level::Error)
    }
}

/// How much to check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// Only what makes files unusable, and [`CHECKS`] that are [`Check::vital`]; for start-up.
    Structure,
    /// The editorial checks too; for `lint`.
    All,
}

impl Corpus {
    /// Loads all origins in order. A later case or term replaces an earlier one of the same id or slug.
    ///
    /// # Errors
    /// Only when a folder cannot be read; problems with files are in [`Loaded::diagnostics`].
    pub fn load(origins: &[Origin], checks: Checks) -> Result<Loaded, LoadError> {
        let mut diagnostics = Vec::new();
        // Folders describe their cases with the bundled vocabulary, and may add to it or replace its terms.
        let mut vocabulary_files = bundled("vocabulary");
        let mut case_files = Vec::new();
        for origin in origins {
            let (vocabulary, cases) = files_of(origin, &mut diagnostics)?;
            let own = *origin != Origin::Bundled;
            // Who keeps a vocabulary keeps a library; a team's own folder may speak one language.
            let bilingual = match origin {
                Origin::Bundled => true,
                Origin::Folder(root) => root.join("vocabulary").is_dir(),
            };
            if own {
                vocabulary_files.extend(vocabulary);
            }
            case_files.extend(cases.into_iter().map(|file| (file, own, bilingual)));
        }
        let vocabulary = vocabulary::load(&vocabulary_files, &mut diagnostics);
        let mut files: Vec<CaseFile> = Vec::new();
        for (file, own, bilingual) in case_files {
            if let Some(mut read) = schema::read(&file, &vocabulary, &mut diagnostics) {
                read.case.own = own;
                read.bilingual = bilingual;
                files.push(read);
            }
        }
        lint::run(&files, checks, &mut diagnostics);
        // Which of two files with one id holds is not known, nor whom it may be shown to.
        let mut places: HashMap<(Option<&Path>, &CaseId), usize> = HashMap::new();
        for file in &files {
            *places.entry(file.place()).or_default() += 1;
        }
        let is_double: Vec<bool> = files.iter().map(|file| places[&file.place()] > 1).collect();
        diagnostic::sort(&mut diagnostics);
        let mut corpus = Self::from_cases(vocabulary, Vec::new());
        for (file, is_double) in files.into_iter().zip(is_double) {
            if !is_double {
                corpus.insert(file.case);
            }
        }
        corpus.order();
        Ok(Loaded {
            corpus,
            diagnostics,
        })
    }

    /// Reads one case, with all checks that need no other case, as if it lay in a folder with a vocabulary.
    ///
    /// The case is there only when the file can be used.
    pub fn read_case(vocabulary: &Vocabulary, file: SourceFile) -> (Option<Case>, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let read = schema::read(&Arc::new(file), vocabulary, &mut diagnostics);
        let files: Vec<CaseFile> = read.into_iter().collect();
        lint::run(&files, Checks::All, &mut diagnostics);
        diagnostic::sort(&mut diagnostics);
        let case = files.into_iter().next().map(|file| file.case);
        (case, diagnostics)
    }

    /// Makes a corpus from cases made in code. Drafts and repeated ids are dropped, the last one wins.
    pub fn from_cases(vocabulary: Vocabulary, cases: Vec<Case>) -> Self {
        let mut corpus = Self {
            vocabulary,
            cases: Vec::new(),
            by_id: HashMap::new(),
        };
        for case in cases {
            corpus.insert(case);
        }
        corpus.order();
        corpus
    }

    fn insert(&mut self, case: Case) {
        if let Some(&at) = self.by_id.get(&case.id) {
            self.cases[at] = Arc::new(case);
        } else {
            self.by_id.insert(case.id.clone(), self.cases.len());
            self.cases.push(Arc::new(case));
        }
    }

    /// Puts cases in the order of their ids, so that ranks never depend on the order of files; drops drafts.
    fn order(&mut self) {
        self.cases.retain(|case| case.status != Status::Draft);
        self.cases.sort_by(|a, b| a.id.cmp(&b.id));
        self.by_id = self
            .cases
            .iter()
            .enumerate()
            .map(|(at, case)| (case.id.clone(), at))
            .collect();
    }

    /// Returns the vocabulary.
    pub const fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Returns all cases by id, withdrawn ones included.
    pub fn cases(&self) -> &[Arc<Case>] {
        &self.cases
    }

    /// Finds a case.
    pub fn get(&self, id: &CaseId) -> Option<&Arc<Case>> {
        self.by_id.get(id).map(|at| &self.cases[*at])
    }
}

/// Folds a word for comparison: lower case, without spaces, hyphens, underscores and middle dots.
pub fn fold(word: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    if word.is_ascii() {
        let kept = word.chars().filter(|c| !is_joiner(*c));
        return kept.map(|c| c.to_ascii_lowercase()).collect();
    }
    word.nfkc()
        .flat_map(char::to_lowercase)
        .filter(|c| !is_joiner(*c))
        .map(|c| if c == '’' { '\'' } else { c })
        .collect()
}

/// Returns whether a character only joins or parts the words of one name (`load-balancer`, `load balancer`).
pub fn is_joiner(c: char) -> bool {
    c.is_whitespace() || matches!(c, '-' | '_' | '·' | '‐' | '‑' | '–')
}

type Files = Vec<Arc<SourceFile>>;

/// Returns an origin's vocabulary files and case files, each sorted by name.
fn files_of(
    origin: &Origin,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(Files, Files), LoadError> {
    match origin {
        Origin::Bundled => Ok((bundled("vocabulary"), bundled("cases"))),
        Origin::Folder(root) => {
            let (vocabulary, cases) = (root.join("vocabulary"), root.join("cases"));
            if !vocabulary.is_dir() && !cases.is_dir() {
                return match fs::read_dir(root) {
                    Err(source) => Err(LoadError::Unreadable {
                        path: root.clone(),
                        source,
                    }),
                    Ok(_) => Err(LoadError::NotACorpus(root.clone())),
                };
            }
            Ok((
                folder(&vocabulary, diagnostics)?,
                folder(&cases, diagnostics)?,
            ))
        }
    }
}

fn bundled(name: &str) -> Files {
    let mut files: Files = BUNDLED
        .get_dir(name)
        .into_iter()
        .flat_map(Dir::files)
        .filter(|file| {
            file.path()
                .extension()
                .is_some_and(|extension| extension == "toml")
        })
        .map(|file| {
            let text = file.contents_utf8().unwrap_or_default().to_owned();
            Arc::new(SourceFile {
                path: Path::new("corpus").join(file.path()),
                text,
            })
        })
        .collect();
    files.sort();
    files
}

/// Reads the files of a folder. One that cannot be read is a problem like any other, so that all are told at once.
fn folder(path: &Path, diagnostics: &mut Vec<Diagnostic>) -> Result<Files, LoadError> {
    let unreadable = |source| LoadError::Unreadable {
        path: path.to_owned(),
        source,
    };
    if !path.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        // Editors leave hidden and backup files beside the real ones.
        let hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden || path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        match read(&path) {
            Ok(text) => files.push(Arc::new(SourceFile { path, text })),
            Err(error) => diagnostics.push(diagnostic::unreadable(path, &error)),
        }
    }
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> io::Result<String> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let size = metadata.len();
    if size > FILE_LIMIT_BYTES {
        return Err(io::Error::other(format!(
            "{size} bytes are more than the {FILE_LIMIT_BYTES} that a file may have"
        )));
    }
    fs::read_to_string(path)
}
