//! What somebody typed, understood: facet terms with the place they came from, exact signals, words, language.
//!
//! Pure functions over text and vocabulary; nothing here knows of the index, Slack or HTTP. Spans are bytes of the
//! text as it was given, also where Slack's forms were decoded or Unicode was normalised on the way.

use std::{ops::Range, panic::resume_unwind, thread};

use crate::corpus::{Facet, General, Lang, Term, TermId, Vocabulary, is_hangul};

mod doubt;
mod frame;
mod korean;
mod matcher;
mod negation;
mod noise;
mod normalize;
mod signal;
mod talk;
mod token;

use frame::{FrameFinder, FrameHit};
use matcher::{Found, Matcher, Meaning};
pub(crate) use noise::overlap;
pub(crate) use signal::SignalFinder;
use talk::TalkFinder;
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
    /// Different phrases that people use when nothing is wrong ("code review", "배포 완료").
    pub calm: usize,
    /// Different phrases that people use when something is ("failing", "안 돼요").
    pub trouble: usize,
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
    frames: FrameFinder,
    signals: SignalFinder,
    talk: TalkFinder,
    /// What matters of each term, by [`TermId::index`].
    terms: Vec<TermNote>,
}

/// What of a term decides between meanings.
struct TermNote {
    facet: Facet,
    group: Option<String>,
    general: Option<General>,
    related: Vec<TermId>,
    yields_to: Vec<TermId>,
}

/// Longest text that is read, in bytes; the rest says nothing new (a Slack message has at most 40,000 characters).
pub const TEXT_LIMIT_BYTES: usize = 16 * 1024;

impl Extractor {
    /// Prepares the matching of a vocabulary's words. `signals` are error strings of known cases; they count as exact
    /// signals where somebody pastes them again.
    pub fn new<'a>(vocabulary: &'a Vocabulary, signals: impl IntoIterator<Item = &'a str>) -> Self {
        let note = |term: &Term| TermNote {
            facet: term.facet,
            group: term.group.clone(),
            general: term.general,
            related: term.related.clone(),
            yields_to: term.yields_to.clone(),
        };
        let terms = vocabulary.terms().iter().map(note).collect();
        let phrases = vocabulary.log_phrases().iter().map(String::as_str);
        // Each makes an automaton of thousands of words, and none needs another.
        thread::scope(|scope| {
            let matcher = scope.spawn(|| Matcher::new(vocabulary));
            let frames = scope.spawn(|| FrameFinder::new(vocabulary));
            Self {
                talk: TalkFinder::new(vocabulary.talk()),
                signals: SignalFinder::new(phrases.chain(signals)),
                matcher: matcher.join().unwrap_or_else(|panic| resume_unwind(panic)),
                frames: frames.join().unwrap_or_else(|panic| resume_unwind(panic)),
                terms,
            }
        })
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
        let mut found = self.matcher.find(plain, &noise);
        let signals = self.signals.find(plain, &noise);
        let fine = self.add_frames(&mut found, plain, &signal::printed(&noise, &signals));
        let places: Vec<Range<usize>> = found.iter().map(|found| found.span.clone()).collect();
        let denied = |found: &Found| {
            fine.contains(&found.span)
                || negation::is_ruled_out(plain, &found.span, found.meanings[0].facet, &places)
        };
        let (fine, reported): (Vec<Found>, Vec<Found>) = found.into_iter().partition(denied);
        let term = |Meant {
                        span, term, hint, ..
                    }| {
            let place = normal.origin(&span);
            FoundTerm {
                term,
                hint,
                text: text[place.clone()].to_owned(),
                span: place,
            }
        };
        let (calm, trouble) = self.talk.count(plain);
        let mut meant = self.meant(&reported, !signals.is_empty());
        let facet = |term: TermId| self.terms[term.index()].facet;
        doubt::drop_doubtful(&mut meant, facet, !signals.is_empty(), trouble > 0);
        // "Slides of the Kafka talk are in the wiki": parts named on an ordinary day report nothing.
        let is_part = |meant: &Meant| facet(meant.term) == Facet::Component;
        if calm > 0 && trouble == 0 && signals.is_empty() && meant.iter().all(is_part) {
            meant.clear();
        }
        let terms: Vec<FoundTerm> = meant.into_iter().map(term).collect();
        // What is named only to say that it is fine needs no support by other words.
        let ruled_out = if terms.is_empty()
            && signals.is_empty()
            && fine.iter().all(|found| found.meanings[0].hint)
        {
            Vec::new()
        } else {
            self.named(&fine).into_iter().map(term).collect()
        };
        let denied: Vec<Range<usize>> = fine.into_iter().map(|found| found.span).collect();
        let is_denied = |span: &Range<usize>| denied.iter().any(|denied| overlap(denied, span));
        let mut words = Vec::new();
        tokenize(plain, &noise, |token| {
            if !is_denied(&token.span) {
                let in_term = terms
                    .iter()
                    .any(|found| overlap(&found.span, &normal.origin(&token.span)));
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
            calm,
            trouble,
            lang: language(plain),
            terms,
            ruled_out,
            signals,
            words,
        }
    }

    /// Adds what words say together, where no single word says it already. Returns the places of words that name a
    /// function or resource which is fine.
    fn add_frames(
        &self,
        found: &mut Vec<Found>,
        plain: &str,
        noise: &[Range<usize>],
    ) -> Vec<Range<usize>> {
        let framed = self.frames.find(plain, noise);
        let place = |FrameHit { term, span, frame }: FrameHit| Found {
            span,
            frame: Some(frame),
            meanings: vec![Meaning {
                term,
                facet: self.terms[term.index()].facet,
                hint: false,
            }],
        };
        let mut places: Vec<Range<usize>> = found.iter().map(|found| found.span.clone()).collect();
        places.extend(framed.subjects.iter().map(|subject| subject.span.clone()));
        let fine: Vec<FrameHit> = framed
            .subjects
            .into_iter()
            .filter(|subject| negation::is_fine(plain, &subject.span, &places))
            .collect();
        let said = |term: TermId| {
            let mut meanings = found.iter().flat_map(|found| &found.meanings);
            meanings.any(|meaning| meaning.term == term && !meaning.hint)
        };
        let new: Vec<Found> = framed
            .hits
            .into_iter()
            .filter(|hit| {
                let is_fine =
                    |fine: &FrameHit| fine.term == hit.term && overlap(&fine.span, &hit.span);
                !said(hit.term) && !fine.iter().any(is_fine)
            })
            .chain(fine.iter().filter(|hit| !said(hit.term)).cloned())
            .map(place)
            .collect();
        found.extend(new);
        found.sort_by_key(|found| (found.span.start, found.span.end));
        fine.into_iter().map(|fine| fine.span).collect()
    }

    /// Decides what each vocabulary word means here. Words that mean a term by themselves count. A hint fills a gap: it
    /// names the component where no word does so plainly, or the symptom; and only beside the other one, a signal, or a
    /// hint at the other one ("node stuck").
    fn meant(&self, found: &[Found], has_signal: bool) -> Vec<Meant> {
        let has = |facet: Facet, hint: bool| {
            found
                .iter()
                .flat_map(|found| &found.meanings)
                .any(|meaning| meaning.hint == hint && meaning.facet == facet)
        };
        let supported = |facet: Facet| {
            let other = match facet {
                Facet::Component => Facet::Symptom,
                Facet::Symptom => Facet::Component,
                // Causes and factors are claims; an ambiguous word claims nothing.
                Facet::Cause | Facet::Factor => return false,
            };
            !has(facet, false) && (has_signal || has(other, false) || has(other, true))
        };
        let mut meant = self.named(found);
        meant.retain(|meant| !meant.hint || supported(self.terms[meant.term.index()].facet));
        // "pods" beside "etcd" only says where; and a database's CPU is no processor at its limit.
        let gives_way = |general: &Meant| {
            let own = &self.terms[general.term.index()];
            let mut others = meant
                .iter()
                .filter(|other| other.term != general.term && !other.hint);
            others.any(|other| {
                let note = &self.terms[other.term.index()];
                own.yields_to.contains(&other.term)
                    || note.facet == own.facet
                        && own
                            .general
                            .is_some_and(|scope| scope == General::Any || note.group == own.group)
            })
        };
        let keeps: Vec<bool> = meant.iter().map(|meant| !gives_way(meant)).collect();
        let mut keeps = keeps.into_iter();
        meant.retain(|_| keeps.next().unwrap_or(true));
        meant
    }

    /// Names one term of each facet for each place: of several, the one that is near to what else was found; for a hint,
    /// only one term in all, rather a component than a symptom.
    fn named(&self, found: &[Found]) -> Vec<Meant> {
        let plain: Vec<TermId> = found
            .iter()
            .flat_map(|found| &found.meanings)
            .filter(|meaning| !meaning.hint)
            .map(|meaning| meaning.term)
            .collect();
        let mut named = Vec::new();
        for place in found {
            let hint = place.meanings[0].hint;
            let has = |facet: &Facet| place.meanings.iter().any(|meaning| meaning.facet == *facet);
            let facets: Vec<Facet> = if hint {
                HINT_ORDER.into_iter().find(has).into_iter().collect()
            } else {
                Facet::ALL.to_vec()
            };
            for facet in facets {
                let choices = || {
                    place
                        .meanings
                        .iter()
                        .filter(|meaning| meaning.facet == facet)
                        .map(|meaning| meaning.term)
                };
                let is_near = |choice: &TermId| {
                    self.terms[choice.index()]
                        .related
                        .iter()
                        .any(|term| plain.contains(term))
                };
                if let Some(term) = choices().find(is_near).or_else(|| choices().next()) {
                    named.push(Meant {
                        span: place.span.clone(),
                        term,
                        hint,
                        frame: place.frame,
                    });
                }
            }
        }
        named
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
    /// The frame that says it, if no word does.
    frame: Option<usize>,
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
    let hangul = text.chars().filter(|c| is_hangul(*c)).count();
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
