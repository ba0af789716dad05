//! The gold sets in `tests/relevance`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context, bail};
use serde::Deserialize;

use crate::library::fnv;

/// A question with graded answers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GoldQuery {
    /// Unique in all sets.
    pub id: String,
    /// `symptom`, `short`, `typo`, `log`, `slack` or `channel`.
    pub kind: String,
    /// `en`, `ko` or `mixed`.
    pub lang: String,
    /// What is typed.
    pub text: String,
    /// Case id → grade: 3 this incident, 2 same mechanism, 1 same component and symptom.
    pub grades: BTreeMap<String, u8>,
}

/// The grade of a case that has the mechanism of the one asked for.
const SAME_MECHANISM: u8 = 2;

impl GoldQuery {
    /// Returns the cases that the question is about.
    fn own(&self) -> impl Iterator<Item = &str> {
        let own = self
            .grades
            .iter()
            .filter(|(_, grade)| **grade > SAME_MECHANISM);
        own.map(|(id, _)| id.as_str())
    }
}

/// A text that deserves silence.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SilentText {
    /// Unique in all sets.
    pub id: String,
    /// `chatter`, `review`, `deploy`, `standup`, `hard-negative`, `outside` or `resolved`.
    pub kind: String,
    /// `en`, `ko` or `mixed`.
    pub lang: String,
    /// What is said.
    pub text: String,
}

/// A text with the terms that it reports.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GoldTerms {
    /// Unique in all sets.
    pub id: String,
    /// `en`, `ko` or `mixed`.
    pub lang: String,
    /// What is said.
    pub text: String,
    /// `facet:slug`.
    #[serde(default)]
    pub terms: Vec<String>,
    /// `facet:slug` of what is fine or not it.
    #[serde(default)]
    pub ruled_out: Vec<String>,
    /// Exact strings.
    #[serde(default)]
    pub signals: Vec<String>,
}

/// All gold sets.
#[derive(Clone, Debug, Default)]
pub struct Gold {
    /// Questions.
    pub queries: Vec<GoldQuery>,
    /// Silence.
    pub silence: Vec<SilentText>,
    /// Extraction.
    pub extraction: Vec<GoldTerms>,
    /// Extraction from wordings that nobody had word lists in mind for; only ever measured, in no half.
    pub free: Vec<GoldTerms>,
    /// Extraction from the texts that frames were written for: training material, whose figure only says what was learnt.
    pub train: Vec<GoldTerms>,
}

/// Which half of the gold sets something belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Weights may be chosen on it.
    Tune,
    /// Never looked at while choosing; figures that count come from it.
    Check,
}

impl Half {
    /// Puts an id into a half: the parity of its FNV-1a hash, fixed for good.
    pub fn of(id: &str) -> Self {
        let hash = fnv(id.as_bytes());
        // The lowest bit of FNV is that of the bytes alone; a higher one mixes them.
        if (hash >> 17) & 1 == 0 {
            Self::Tune
        } else {
            Self::Check
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Queries {
    query: Vec<GoldQuery>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Texts<T> {
    text: Vec<T>,
}

impl Gold {
    /// Returns how close cases are to each other, as the grades of the questions tell: who gave a case to a question also said
    /// which others have its mechanism (2), or its component and symptom (1). Each pair counts in both directions, for the
    /// cases that are some question's own.
    pub fn related(&self) -> BTreeMap<&str, BTreeMap<&str, u8>> {
        let mut related: BTreeMap<&str, BTreeMap<&str, u8>> = BTreeMap::new();
        let mut add = |from, to, grade: u8| {
            let known = related.entry(from).or_default().entry(to).or_default();
            *known = grade.min(SAME_MECHANISM).max(*known);
        };
        let own: BTreeSet<&str> = self.queries.iter().flat_map(GoldQuery::own).collect();
        for query in &self.queries {
            for of in query.own() {
                let others = query.grades.iter().filter(|(id, _)| *id != of);
                for (other, grade) in others {
                    add(of, other, *grade);
                    if own.contains(other.as_str()) {
                        add(other, of, *grade);
                    }
                }
            }
        }
        related
    }

    /// Reads the gold sets of a folder.
    ///
    /// # Errors
    /// When a file cannot be read or an id stands twice.
    pub fn load(folder: &Path) -> anyhow::Result<Self> {
        let mut gold = Self::default();
        let entries =
            fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
        let mut paths: Vec<_> = entries
            .map(|entry| entry.map(|entry| entry.path()))
            .collect::<Result<_, _>>()?;
        paths.sort();
        for path in paths.iter().filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        }) {
            let shown = path.display();
            let text =
                fs::read_to_string(path).with_context(|| format!("cannot read `{shown}`"))?;
            let stem = path
                .file_stem()
                .and_then(|stem| stem.to_str())
                .unwrap_or_default();
            let wrong = || format!("`{shown}` is no gold set");
            match stem {
                "silence" => {
                    gold.silence = toml::from_str::<Texts<_>>(&text).with_context(wrong)?.text;
                }
                "extraction" => {
                    gold.extraction = toml::from_str::<Texts<_>>(&text).with_context(wrong)?.text;
                }
                "extraction-free" => {
                    gold.free = toml::from_str::<Texts<_>>(&text).with_context(wrong)?.text;
                }
                "extraction-train" => {
                    gold.train = toml::from_str::<Texts<_>>(&text).with_context(wrong)?.text;
                }
                _ if stem.starts_with("queries") => {
                    gold.queries
                        .extend(toml::from_str::<Queries>(&text).with_context(wrong)?.query);
                }
                _ => bail!("`{shown}` is neither `queries…`, `silence` nor `extraction…`"),
            }
        }
        Ok(gold)
    }
}
