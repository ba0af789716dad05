//! What somebody typed, understood: facet terms with the place they came from, exact signals, words, language.
//!
//! Pure functions over text and vocabulary; nothing here knows of the index, Slack or HTTP. Spans are bytes of the
//! text as it was given, also where Slack's forms were decoded or Unicode was normalised on the way.

use std::ops::Range;

use crate::corpus::{Facet, Lang, TermId, Vocabulary};

mod korean;
mod matcher;
mod negation;
mod noise;
mod normalize;
mod signal;
mod token;

use matcher::{Found, Matcher};
pub(crate) use signal::SignalFinder;
pub(crate) use token::{TokenKind, tokenize};

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
    /// Whether the word is ambiguous and counted only because of what stands beside it.
    pub hint: bool,
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
    /// As written.
    pub text: String,
    /// Bytes of the given text.
    pub span: Range<usize>,
    /// How it relates to the written word.
    pub(crate) kind: TokenKind,
    /// Whether it is part of a term's words.
    pub in_term: bool,
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
    /// Words to search for, by place; repeats kept. Words of ruled-out terms are left out.
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
pub struct Extractor {
    matcher: Matcher,
    signals: SignalFinder,
    /// Facet and near terms of each term, by [`TermId::index`].
    terms: Vec<(Facet, Vec<TermId>)>,
}

/// Longest text that is read, in bytes; the rest says nothing new (a Slack message has at most 40,000 characters).
pub const TEXT_LIMIT_BYTES: usize = 16 * 1024;

impl Extractor {
    /// Prepares the matching of a vocabulary's words. `signals` are error strings of known cases; they count as exact
    /// signals where somebody pastes them again.
    pub fn new<'a>(vocabulary: &'a Vocabulary, signals: impl IntoIterator<Item = &'a str>) -> Self {
        let terms = vocabulary
            .terms()
            .iter()
            .map(|term| (term.facet, term.related.clone()))
            .collect();
        Self {
            matcher: Matcher::new(vocabulary),
            signals: SignalFinder::new(
                vocabulary
                    .log_phrases()
                    .iter()
                    .map(String::as_str)
                    .chain(signals),
            ),
            terms,
        }
    }

    /// Returns what finds exact signals in text.
    pub(crate) const fn signal_finder(&self) -> &SignalFinder {
        &self.signals
    }

    /// Understands a text, at most its first [`TEXT_LIMIT_BYTES`].
    pub fn extract(&self, text: &str) -> QueryTerms {
        let text = head(text, TEXT_LIMIT_BYTES);
        let normal = normalize::normalize(text);
        let plain = normal.text.as_str();
        let noise = noise::spans(plain);
        let found = self.matcher.find(plain, &noise);
        let signals = self.signals.find(plain, &noise);
        let places: Vec<Range<usize>> = found.iter().map(|found| found.span.clone()).collect();
        let mut terms = Vec::new();
        let mut ruled_out = Vec::new();
        let mut denied: Vec<Range<usize>> = Vec::new();
        for Meant { span, term, hint } in self.meant(&found, !signals.is_empty()) {
            let place = normal.origin(&span);
            let found = FoundTerm {
                term,
                hint,
                text: text[place.clone()].to_owned(),
                span: place,
            };
            if negation::is_ruled_out(plain, &span, self.terms[term.index()].0, &places) {
                denied.push(span);
                ruled_out.push(found);
            } else {
                terms.push(found);
            }
        }
        let is_denied =
            |span: &Range<usize>| denied.iter().any(|denied| noise::overlap(denied, span));
        let mut words = Vec::new();
        token::tokenize(plain, &noise, |token| {
            if !is_denied(&token.span) {
                let in_term = terms
                    .iter()
                    .any(|found| noise::overlap(&found.span, &normal.origin(&token.span)));
                words.push(Word {
                    span: normal.origin(&token.span),
                    text: text[normal.origin(&token.span)].to_owned(),
                    token: token.text.to_owned(),
                    kind: token.kind,
                    in_term,
                });
            }
        });
        let signals = signals
            .into_iter()
            .filter(|signal| !is_denied(&signal.span))
            .map(|signal| {
                let span = normal.origin(&signal.span);
                Signal {
                    text: text[span.clone()].to_owned(),
                    span,
                    ..signal
                }
            })
            .collect();
        QueryTerms {
            lang: language(plain),
            terms,
            ruled_out,
            signals,
            words,
        }
    }

    /// Decides what each vocabulary word means here. Words that mean a term by themselves count. A hint counts beside
    /// other evidence, for one term only: a noun rather names a component than a symptom.
    fn meant(&self, found: &[Found], has_signal: bool) -> Vec<Meant> {
        let strong: Vec<TermId> = found
            .iter()
            .flat_map(|found| &found.meanings)
            .filter(|meaning| !meaning.hint)
            .map(|meaning| meaning.term)
            .collect();
        let reported = |facet: Facet| matches!(facet, Facet::Component | Facet::Symptom);
        let has_evidence = has_signal
            || strong
                .iter()
                .any(|term| reported(self.terms[term.index()].0));
        let hinted_facet = |found: &Found| {
            HINT_ORDER.into_iter().find(|facet| {
                found
                    .meanings
                    .iter()
                    .any(|meaning| meaning.hint && meaning.facet == *facet)
            })
        };
        let hinted: Vec<Facet> = found.iter().filter_map(hinted_facet).collect();
        // Two hints support each other only as a component and what ails it: "node stuck".
        let supported =
            has_evidence || hinted.contains(&Facet::Component) && hinted.contains(&Facet::Symptom);
        let mut meant = Vec::new();
        for place in found {
            let hint = place.meanings[0].hint;
            let facets: Vec<Facet> = match (hint, hinted_facet(place)) {
                (true, Some(facet)) if supported => vec![facet],
                (true, _) => Vec::new(),
                (false, _) => Facet::ALL.to_vec(),
            };
            for facet in facets {
                let choices = || {
                    place
                        .meanings
                        .iter()
                        .filter(|meaning| meaning.facet == facet)
                        .map(|meaning| meaning.term)
                };
                // Of several terms of one facet, the one that is near to what else was found.
                let near = choices().find(|choice| {
                    strong.contains(choice) && hint
                        || self.terms[choice.index()]
                            .1
                            .iter()
                            .any(|term| strong.contains(term))
                });
                if let Some(term) = near.or_else(|| choices().next()) {
                    meant.push(Meant {
                        span: place.span.clone(),
                        term,
                        hint,
                    });
                }
            }
        }
        meant
    }
}

/// Which facet a word that hints at several is taken for.
const HINT_ORDER: [Facet; 4] = [
    Facet::Component,
    Facet::Symptom,
    Facet::Cause,
    Facet::Factor,
];

/// A term as meant at a place of the plain text.
struct Meant {
    span: Range<usize>,
    term: TermId,
    hint: bool,
}

/// Returns the first `limit` bytes of a text, or a little less, ending on a character.
fn head(text: &str, limit: usize) -> &str {
    let mut end = text.len().min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Judges the language by script. Trained detectors fail on such texts: "etcd timeout" is no French.
fn language(text: &str) -> QueryLang {
    let hangul = text.chars().filter(|c| korean::is_hangul(*c)).count();
    // A Latin word of five letters says about as much as two syllables.
    let latin = text.chars().filter(char::is_ascii_alphabetic).count() * 2 / 5;
    match (hangul, latin) {
        (0, _) => QueryLang::En,
        (hangul, latin) if hangul >= latin => QueryLang::Ko,
        _ => QueryLang::Mixed,
    }
}

#[cfg(test)]
mod tests;
