//! What somebody typed, understood: facet terms with the place they came from, exact signals, words, language.
//!
//! Pure functions over text and vocabulary; nothing here knows of the index, Slack or HTTP. Spans are bytes of the
//! text as it was given, also where Slack's forms were decoded or Unicode was normalised on the way.

use std::ops::Range;

use crate::corpus::{Lang, TermId};

/// The language a text is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryLang {
    /// Hardly any Hangul.
    En,
    /// Hangul, with Latin only as names and codes.
    Ko,
    /// Sentences or words of both.
    Mixed,
}

impl QueryLang {
    /// Returns the language to answer in when nothing else says which: whoever types Hangul reads Korean.
    pub const fn answer_lang(self) -> Lang {
        match self {
            Self::En => Lang::En,
            Self::Ko | Self::Mixed => Lang::Ko,
        }
    }

    /// Returns the language's name in JSON: `en`, `ko` or `mixed`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ko => "ko",
            Self::Mixed => "mixed",
        }
    }
}

/// A vocabulary term found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundTerm {
    /// The term.
    pub term: TermId,
    /// Bytes of the given text.
    pub span: Range<usize>,
    /// Those bytes, as text.
    pub text: String,
}

/// What kind of exact signal a string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SignalKind {
    /// An HTTP status code.
    Status,
    /// An error code or constant (`ECONNREFUSED`, `SQLSTATE 53300`, `ORA-00257`, `exit code 137`).
    Code,
    /// An exception or condition name in camel case (`NullPointerException`, `CrashLoopBackOff`).
    Exception,
    /// A phrase that software prints (`context deadline exceeded`).
    Phrase,
    /// A network port.
    Port,
}

impl SignalKind {
    /// Returns the kind's name in JSON.
    pub const fn slug(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Code => "code",
            Self::Exception => "exception",
            Self::Phrase => "phrase",
            Self::Port => "port",
        }
    }
}

/// An exact string that software printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// What kind it is.
    pub kind: SignalKind,
    /// Folded form for comparison ([`crate::corpus::fold`]).
    pub key: String,
    /// Bytes of the given text.
    pub span: Range<usize>,
    /// Those bytes, as text.
    pub text: String,
}

/// A word to search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// As indexed: lower case, stemmed or stripped of its particle.
    pub token: String,
    /// Bytes of the given text.
    pub span: Range<usize>,
}

/// Everything understood from one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryTerms {
    /// The language of the text.
    pub lang: QueryLang,
    /// Terms that the text reports, by place.
    pub terms: Vec<FoundTerm>,
    /// Terms that the text says are fine or not it ("DB는 정상인데", "not DNS").
    pub ruled_out: Vec<FoundTerm>,
    /// Exact signals, by place.
    pub signals: Vec<Signal>,
    /// Remaining words to search for, by place; repeats kept.
    pub words: Vec<Word>,
}

impl QueryTerms {
    /// Iterates over the distinct terms, in order of first mention.
    pub fn distinct_terms(&self) -> impl Iterator<Item = TermId> {
        let first_mention = |(at, found): (usize, &FoundTerm)| {
            let earlier = self.terms[..at]
                .iter()
                .any(|other| other.term == found.term);
            (!earlier).then_some(found.term)
        };
        self.terms.iter().enumerate().filter_map(first_mention)
    }

    /// Returns whether nothing at all was understood.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.signals.is_empty() && self.words.is_empty()
    }
}

/// Understands texts with a vocabulary.
pub struct Extractor {}

impl Extractor {
    /// Prepares the matching of a vocabulary's words.
    pub fn new(_vocabulary: &crate::corpus::Vocabulary) -> Self {
        Self {}
    }

    /// Understands a text.
    pub fn extract(&self, _text: &str) -> QueryTerms {
        todo!("extraction")
    }
}
