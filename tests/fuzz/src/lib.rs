//! What the fuzzer throws at the service, and what must hold whatever it throws.
//!
//! Each target takes bytes and panics when something does not hold. The fuzzer drives them from `fuzz_targets/`; the
//! ordinary tests replay `corpus/` through the very same functions (`tests/it/fuzz.rs`).

use std::{
    path::{Path, PathBuf},
    sync::LazyLock,
};

use incident_like::{
    corpus::{Checks, Corpus, Origin},
    library::Library,
};

mod case;
mod export;
mod extract;
mod ingress;
mod query;
mod render;
pub mod sound;
mod text;

/// A target with its name, which is also that of its folder in `corpus/`.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 7] = [
    ("ingress", ingress::run),
    ("text", text::run),
    ("extract", extract::run),
    ("render", render::run),
    ("case", case::run),
    ("query", query::run),
    ("export", export::run),
];

/// Runs a target.
///
/// # Panics
/// When something does not hold, or there is no such target.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    let (_, target) = target.expect("a target of the table");
    target(data);
}

/// A few cases, described with the bundled vocabulary: small enough to be asked thousands of times a second.
static LIBRARY: LazyLock<Library> = LazyLock::new(library);

fn library() -> Library {
    let loaded = Corpus::load(&[Origin::Folder(fixtures())], Checks::Structure);
    Library::new(loaded.expect("it can be read").corpus)
}

fn fixtures() -> PathBuf {
    // The manifest is the fuzzer's own or that of the whole.
    let places = ["../fixtures/corpus", "tests/fixtures/corpus"];
    let places = places.map(|place| Path::new(env!("CARGO_MANIFEST_DIR")).join(place));
    let found = places.into_iter().find(|place| place.is_dir());
    found.expect("the fixtures are there")
}

/// Splits bytes into texts at 0xFF, which no UTF-8 has; what is no UTF-8 is replaced.
fn texts(data: &[u8]) -> Vec<String> {
    data.split(|byte| *byte == 0xFF)
        .map(|part| String::from_utf8_lossy(part).into_owned())
        .collect()
}

/// Measures in UTF-16 code units.
fn units(text: &str) -> usize {
    text.encode_utf16().count()
}
