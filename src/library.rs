//! The one use case: look a text up, get the closest precedents and why.
//!
//! A [`Library`] is an immutable snapshot of corpus, vocabulary and index. Every surface renders its [`Answer`].

use std::sync::Arc;

mod confidence;
mod counts;
mod event;
mod evidence;
mod filters;
mod graph;
mod list;
mod narrow;
mod near;
mod opinion;
mod reason;
mod stats;
mod theme;
mod topic;

pub use crate::search::{ScoreParts, Snippet, Zone};
pub use confidence::{CONFIDENT, Clues};
pub use counts::{NameCount, NamedCounts, YearCount};
pub use filters::{FilterError, FilterNames, Filters};
pub use graph::{Drawing, Edge, Graph, NODE_LIMIT, Node, Scope};
pub use list::{List, Order};
pub use narrow::Filter;
pub use near::UnknownTerm;
pub(crate) use opinion::fnv;
pub use opinion::{Opinion, Opinions, known_about};
pub use reason::{in_sentence, reason};
pub use stats::{Spread, Stats};
pub use theme::Theme;
pub use topic::{Learned, LearnedText, Together, Topic};

use crate::{
    corpus::{Case, CaseId, Corpus, Facet, Lang, TermId, Viewer},
    query::{Extractor, QueryTerms, TokenKind, tokenize},
    search::{AskedWord, Hit, Index, MASS_WORDS, Sight},
};

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
    /// A term or signal that a case names without being described by it, as the asker wrote it.
    Mention(String),
    /// A word, as the asker wrote it.
    Word(String),
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
    /// The asker's terms, signals and words that the case has: terms first, rarest first. With [`Precedent::unmatched`]
    /// every term and signal stands in one of the two.
    pub matched: Vec<Evidence>,
    /// The asker's terms and signals of which the case says nothing.
    pub unmatched: Vec<Evidence>,
    /// The passage that fits best; `None` when no word matched.
    pub snippet: Option<Snippet>,
    /// What the viewer's workspace said about it for questions like this one.
    pub opinion: Option<Opinion>,
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
    /// How sure that is, between 0 and 1; [`Answer::confident`] from [`CONFIDENT`] on.
    pub confidence: f32,
    /// What that rests on.
    pub clues: Clues,
    /// Terms of the found cases, commonest first within a facet.
    pub facets: Vec<TermCount>,
    /// Organisations, tags and years of the found cases.
    pub named: NamedCounts,
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
    /// Whether much of what makes one account telling stands in the other too.
    pub similar_account: bool,
}

/// There is no such case.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("there is no case `{0}`")]
pub struct UnknownCase(pub CaseId);

/// An immutable snapshot of corpus, vocabulary and index.
pub struct Library {
    corpus: Arc<Corpus>,
    extractor: Arc<Extractor>,
    index: Arc<Index>,
    catalogue: Arc<counts::Catalogue>,
    viewer: Viewer,
    opinions: Arc<Opinions>,
    /// Where people read its cases, without a slash at the end.
    address: Option<String>,
}

/// A case scoring less than this share of the best one of all is no longer an answer to the same question.
const RELATIVE_FLOOR: f32 = 0.35;

/// Score below which nothing is an answer.
const ABSOLUTE_FLOOR: f32 = 0.06;

/// Longest page of an answer.
pub const PAGE_LIMIT: usize = 100;

impl Library {
    /// Builds the index over a corpus.
    pub fn new(corpus: Corpus) -> Self {
        let signals = corpus
            .cases()
            .iter()
            .filter(|case| case.is_published())
            .flat_map(|case| &case.signals);
        let extractor = Extractor::new(corpus.vocabulary(), signals.map(String::as_str));
        let index = Index::build(&corpus, extractor.signal_finder());
        Self {
            catalogue: Arc::new(counts::Catalogue::new(&corpus)),
            corpus: Arc::new(corpus),
            extractor: Arc::new(extractor),
            index: Arc::new(index),
            viewer: Viewer::default(),
            opinions: Arc::default(),
            address: None,
        }
    }

    /// Says where people read the library's cases: `https://incidents.example.com`.
    #[must_use]
    pub fn at(mut self, address: &str) -> Self {
        let address = address.trim_end_matches('/');
        self.address = (!address.is_empty()).then(|| address.to_owned());
        self
    }

    /// Returns where people read the library.
    pub fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    /// Returns where people read a case.
    pub fn page(&self, id: &CaseId) -> Option<String> {
        let address = self.address.as_ref()?;
        Some(format!("{address}/cases/{id}"))
    }

    /// Returns the published case whose page an address is; what follows a `?`, `#` or `.json` does not count.
    pub fn case_at(&self, url: &str) -> Option<&Arc<Case>> {
        let path = url
            .strip_prefix(self.address.as_ref()?)?
            .strip_prefix("/cases/")?;
        let id = path.split(['?', '#']).next()?.trim_end_matches('/');
        let id = id.strip_suffix(".json").unwrap_or(id).parse().ok()?;
        self.corpus.get(&id).filter(|case| case.is_published())
    }

    /// Returns the same library as somebody sees it: with the cases whose audience they belong to, which a library shows
    /// to nobody otherwise.
    #[must_use]
    pub fn seen_by(&self, viewer: Viewer) -> Self {
        Self {
            corpus: Arc::clone(&self.corpus),
            extractor: Arc::clone(&self.extractor),
            index: Arc::clone(&self.index),
            catalogue: Arc::clone(&self.catalogue),
            viewer,
            opinions: Arc::clone(&self.opinions),
            address: self.address.clone(),
        }
    }

    /// Returns the same library as a workspace orders what it finds: by what its people said about precedents.
    #[must_use]
    pub fn judged_by(mut self, opinions: Arc<Opinions>) -> Self {
        self.opinions = opinions;
        self
    }

    /// Returns what of the index who asks may know of.
    fn sight(&self) -> Sight<'_> {
        self.index.seen_by(&self.viewer)
    }

    /// Returns whether a case may be shown to who asks.
    pub fn shows(&self, case: &Case) -> bool {
        case.is_live() && case.audience.admits(&self.viewer)
    }

    /// Returns the corpus.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Returns the same library as if its cases had been written in one language only.
    #[must_use]
    pub fn only(&self, lang: Lang) -> Self {
        let cases = self.corpus.cases().iter().map(|case| case.only(lang));
        Self::new(Corpus::from_cases(
            self.corpus.vocabulary().clone(),
            cases.collect(),
        ))
    }

    /// Returns the search words of a text: whole words and the parts of compounds.
    pub fn tokens(&self, text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        tokenize(text, &[], |token| {
            if matches!(
                token.kind,
                TokenKind::Word | TokenKind::Whole | TokenKind::Part
            ) {
                tokens.push(token.text.to_owned());
            }
        });
        tokens
    }

    /// Returns a term's name for people.
    pub fn label(&self, term: TermId, lang: Lang) -> &str {
        self.corpus.vocabulary().term(term).label.get(lang)
    }

    /// Returns a term's facet.
    pub fn facet(&self, term: TermId) -> Facet {
        self.corpus.vocabulary().term(term).facet
    }

    /// Returns a term's name, which is the same in all languages: `component:etcd`.
    pub fn name(&self, term: TermId) -> String {
        let slug = &self.corpus.vocabulary().term(term).slug;
        format!("{}:{slug}", self.facet(term).slug())
    }

    /// Understands a text without searching.
    pub fn extract(&self, text: &str) -> QueryTerms {
        self.extractor.extract(text)
    }

    /// Finds the closest precedents and says why each is close. Without text, lists what the filters allow, newest
    /// first.
    pub fn lookup(&self, lookup: &Lookup) -> Answer {
        let terms = self.extract(&lookup.text);
        let lang = lookup.lang.unwrap_or_else(|| terms.lang.answer_lang());
        let words = self.sight().asked_words(&terms);
        let mut hits = if lookup.text.trim().is_empty() {
            self.newest(&lookup.filters)
        } else {
            self.closest(&terms, &words, &lookup.filters)
        };
        let limit = lookup.limit.min(PAGE_LIMIT);
        let closest = hits.first().copied();
        let said = self.said_about(&terms);
        if let Some(said) = said {
            self.heed(&mut hits, said, limit);
        }
        let page = hits.iter().skip(lookup.offset).take(limit);
        let precedents: Vec<Precedent> = page
            .map(|hit| {
                let precedent = self.precedent(hit, &terms, &words, lang);
                let opinion = said.and_then(|said| said.get(&precedent.case.id).copied());
                Precedent {
                    opinion,
                    ..precedent
                }
            })
            .collect();
        let clues = self.clues(&terms, &words, hits.first());
        let confidence = match (hits.first(), closest) {
            (Some(first), Some(closest)) if first.ordinal != closest.ordinal => {
                // Verdicts never make the bot surer than what it found does.
                let found = self.clues(&terms, &words, Some(&closest));
                confidence::judge(&clues).min(confidence::judge(&found))
            }
            (Some(_), _) => confidence::judge(&clues),
            (None, _) => 0.0,
        };
        Answer {
            facets: self.term_counts(hits.iter().map(|hit| hit.ordinal)),
            named: self.named_counts(hits.iter().map(|hit| hit.ordinal)),
            total: hits.len(),
            terms,
            precedents,
            confident: confidence >= CONFIDENT,
            confidence,
            clues,
        }
    }

    /// Finds the cases closest to a case: same mechanism first.
    ///
    /// # Errors
    /// When there is no such case, or it was withdrawn.
    pub fn similar(&self, id: &CaseId, limit: usize) -> Result<Vec<Related>, UnknownCase> {
        let cases = self.corpus.cases();
        let ordinal = self.ordinal(id).ok_or_else(|| UnknownCase(id.clone()))?;
        let case = &cases[ordinal];
        let shows = |other: &Case| self.shows(other);
        let neighbours = self.sight().similar(&self.corpus, ordinal, limit, shows);
        let related = neighbours.into_iter().map(|neighbour| {
            let other = &cases[neighbour.ordinal];
            let common = |facet: Facet| {
                let in_both = other
                    .terms(facet)
                    .iter()
                    .filter(|term| case.terms(facet).contains(term));
                self.rarest_first(in_both.copied().collect())
            };
            Related {
                case: Arc::clone(other),
                score: neighbour.score,
                same_cause: case.causes.iter().any(|cause| other.causes.contains(cause)),
                components: common(Facet::Component),
                symptoms: common(Facet::Symptom),
                similar_account: neighbour.similar_account,
            }
        });
        Ok(related.collect())
    }

    /// Finds the cases that fit, best first. Filters choose among what is close without them, so that a list narrows to
    /// what its counts say. Only where nothing close passes them is the best that does an answer.
    fn closest(&self, terms: &QueryTerms, words: &[AskedWord], filters: &Filters) -> Vec<Hit> {
        let cases = self.corpus.cases();
        let mut hits = self.sight().search(&self.corpus, terms, words, &|ordinal| {
            cases.get(ordinal).is_some_and(|case| self.shows(case))
        });
        let best = hits.first().map_or(0.0, |hit| hit.score);
        let floor = (best * RELATIVE_FLOOR).max(ABSOLUTE_FLOOR);
        hits.retain(|hit| hit.score >= floor && filters.allow(&cases[hit.ordinal]));
        if hits.is_empty() && *filters != Filters::default() {
            hits = self.sight().search(&self.corpus, terms, words, &|ordinal| {
                let case = cases.get(ordinal);
                case.is_some_and(|case| self.shows(case) && filters.allow(case))
            });
            hits.retain(|hit| hit.score >= ABSOLUTE_FLOOR);
        }
        event::spread(&mut hits, cases);
        hits
    }

    fn newest(&self, filters: &Filters) -> Vec<Hit> {
        self.newest_first(filters)
            .map(|ordinal| Hit {
                ordinal,
                score: 0.0,
                parts: ScoreParts::default(),
            })
            .collect()
    }

    /// Gathers what the judgement of confidence rests on.
    fn clues(&self, terms: &QueryTerms, words: &[AskedWord], best: Option<&Hit>) -> Clues {
        let Some(best) = best else {
            return Clues::default();
        };
        let passages = self.index.passages(best.ordinal);
        let telling = || words.iter().take(MASS_WORDS);
        let rarest = self.sight().rarest();
        let mass: f32 = telling().map(|word| word.rarity).sum();
        let share = |part: f32, whole: f32| if whole > 0.0 { part / whole } else { 0.0 };
        let covered: f32 = telling()
            .filter(|word| passages.has(word))
            .map(|word| word.rarity)
            .sum();
        let strange = telling().filter(|word| word.rarity >= rarest).count();
        let plain = |facet: Facet| {
            let mut found: Vec<TermId> = Vec::new();
            for term in terms
                .terms
                .iter()
                .filter(|found| !found.hint && self.facet(found.term) == facet)
            {
                if !found.contains(&term.term) {
                    found.push(term.term);
                }
            }
            found.len()
        };
        let case = &self.corpus.cases()[best.ordinal];
        let common_terms = terms
            .distinct_terms()
            .filter(|term| case.all_terms().any(|own| own == *term))
            .count();
        let common_signals = terms
            .signals
            .iter()
            .filter(|signal| self.index.has_signal(best.ordinal, signal))
            .count();
        let at_most = |count: usize, most: usize| count.min(most) as f32 / most as f32;
        Clues {
            coverage: share(covered, mass),
            words: best.parts.words,
            terms: best.parts.terms,
            has_signal: at_most(terms.signals.len(), 1),
            signals: best.parts.signals,
            symptoms: at_most(plain(Facet::Symptom), 3),
            components: at_most(plain(Facet::Component), 3),
            length: at_most(words.len(), MASS_WORDS),
            in_common: at_most(common_terms + common_signals, 4),
            strange: share(strange as f32, telling().count() as f32),
            calm: at_most(terms.calm, 3),
            trouble: at_most(terms.trouble, 3),
            shared: words.iter().filter(|word| passages.has(word)).count() + common_signals,
        }
    }

    fn rarest_first(&self, mut terms: Vec<TermId>) -> Vec<TermId> {
        let sight = self.sight();
        let rarity = |term: &TermId| sight.rarity(*term);
        terms.sort_by(|a, b| rarity(b).total_cmp(&rarity(a)).then(a.cmp(b)));
        terms
    }
}
