//! The one use case: look a text up, get the closest precedents and why.
//!
//! A [`Library`] is an immutable snapshot of corpus, vocabulary and index. Five surfaces render its [`Answer`].

use std::{ops::Range, sync::Arc};

mod reason;

pub use reason::{in_sentence, reason};

use crate::{
    corpus::{Case, CaseId, Corpus, Facet, Lang, TermId},
    query::{Extractor, QueryTerms},
    search::Index,
};

/// Narrows a lookup to cases that have **all** of these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// Terms of any facet.
    pub terms: Vec<TermId>,
    /// Organisation, compared without case.
    pub organisation: Option<String>,
    /// Tags, by slug.
    pub tags: Vec<String>,
    /// First year that counts.
    pub since: Option<u16>,
    /// Last year that counts.
    pub until: Option<u16>,
}

/// A question to the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// What the asker sees, as typed. May be empty when there are filters.
    pub text: String,
    /// Narrowing.
    pub filters: Filters,
    /// Language of snippets. `None`: the text's own.
    pub lang: Option<Lang>,
    /// How many precedents to return.
    pub limit: usize,
    /// How many of the best to skip.
    pub offset: usize,
}

impl Lookup {
    /// Asks for the three best precedents for a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            filters: Filters::default(),
            lang: None,
            limit: 3,
            offset: 0,
        }
    }
}

/// One thing of the asker's that a case has or lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// A vocabulary term.
    Term(TermId),
    /// An exact signal, as the asker wrote it.
    Signal(String),
    /// A word, as the asker wrote it.
    Word(String),
}

/// Which part of a case a text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Zone {
    /// The title.
    Title,
    /// What was seen.
    Symptoms,
    /// What set it off.
    Trigger,
    /// Mechanism and summary.
    Cause,
    /// Detection and what responders did.
    Actions,
    /// Lessons and follow-ups.
    Lessons,
    /// Error strings.
    Signals,
}

/// The passage of a case that fits the question best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// Where it stands.
    pub zone: Zone,
    /// Its language.
    pub lang: Lang,
    /// The passage, a sentence or two.
    pub text: String,
    /// Bytes of `text` that match, in order, not overlapping.
    pub highlights: Vec<Range<usize>>,
}

/// What a score is made of; each part lies between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScoreParts {
    /// Words: BM25 over the zones, as a share of the best that these words could reach.
    pub words: f32,
    /// Facet terms: rarity of the shared ones as a share of all asked.
    pub terms: f32,
    /// Exact signals: the same.
    pub signals: f32,
}

/// A case as an answer.
#[derive(Clone, Debug)]
pub struct Precedent {
    /// The case.
    pub case: Arc<Case>,
    /// How close it is, between 0 and 1. Comparable within one answer and across answers.
    pub score: f32,
    /// What the score is made of.
    pub parts: ScoreParts,
    /// The asker's terms, signals and words that the case has: terms first, rarest first.
    pub matched: Vec<Evidence>,
    /// The asker's terms and signals that the case lacks.
    pub unmatched: Vec<Evidence>,
    /// The passage that fits best; `None` when no word matched.
    pub snippet: Option<Snippet>,
}

/// How many of the found cases have a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermCount {
    /// The term.
    pub term: TermId,
    /// Found cases that have it.
    pub count: usize,
}

/// What the library says.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What was understood.
    pub terms: QueryTerms,
    /// The closest cases, best first, after `offset`, at most `limit`.
    pub precedents: Vec<Precedent>,
    /// How many cases were found in all.
    pub total: usize,
    /// Whether the best of them are close enough to be shown unasked.
    pub confident: bool,
    /// Terms of the found cases, commonest first within a facet.
    pub facets: Vec<TermCount>,
}

/// A case that is close to another.
#[derive(Clone, Debug)]
pub struct Related {
    /// The case.
    pub case: Arc<Case>,
    /// How close it is, between 0 and 1.
    pub score: f32,
    /// Whether it has a cause in common.
    pub same_cause: bool,
    /// Components in common, rarest first.
    pub components: Vec<TermId>,
    /// Symptoms in common, rarest first.
    pub symptoms: Vec<TermId>,
}

/// There is no such case.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("there is no case `{0}`")]
pub struct UnknownCase(pub CaseId);

/// An immutable snapshot of corpus, vocabulary and index.
pub struct Library {
    corpus: Corpus,
    extractor: Extractor,
    index: Index,
}

impl Library {
    /// Builds the index over a corpus.
    pub fn new(corpus: Corpus) -> Self {
        let extractor = Extractor::new(corpus.vocabulary());
        let index = Index::build(&corpus);
        Self {
            corpus,
            extractor,
            index,
        }
    }

    /// Returns the corpus.
    pub const fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Understands a text without searching.
    pub fn extract(&self, text: &str) -> QueryTerms {
        self.extractor.extract(text)
    }

    /// Finds the closest precedents and says why each is close.
    pub fn lookup(&self, lookup: &Lookup) -> Answer {
        let _ = (&self.index, lookup);
        todo!("search")
    }

    /// Finds the cases closest to a case: same mechanism first.
    ///
    /// # Errors
    /// When there is no such case, or it was withdrawn.
    pub fn similar(&self, id: &CaseId, limit: usize) -> Result<Vec<Related>, UnknownCase> {
        let _ = (id, limit);
        todo!("search")
    }

    /// Returns a term's name for people.
    pub fn label(&self, term: TermId, lang: Lang) -> &str {
        self.corpus.vocabulary().term(term).label.get(lang)
    }

    /// Returns a term's facet.
    pub fn facet(&self, term: TermId) -> Facet {
        self.corpus.vocabulary().term(term).facet
    }
}
