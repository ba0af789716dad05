//! What a lookup finds and what a text says, as programs see it.

use schemars::JsonSchema;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    case::{ActionView, CaseHeadView, FollowUpView, actions, follow_ups, head},
    term::{
        CountsView, FoundTermView, SignalView, TermView, characters, counts, found_terms, signals,
        term,
    },
};
use crate::{
    corpus::Lang,
    library::{Answer, Evidence, Library, Precedent, Snippet, Zone},
    query::QueryTerms,
};

/// `GET /api/v1/extract`: what was understood from a text.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct ExtractView {
    /// `en`, `ko` or `mixed`.
    pub lang: &'static str,
    /// Terms that the text reports.
    pub terms: Vec<FoundTermView>,
    /// Terms that the text says are fine or not it.
    pub ruled_out: Vec<FoundTermView>,
    /// Exact signals.
    pub signals: Vec<SignalView>,
    /// Remaining words, as written; each once.
    pub words: Vec<String>,
}

/// `GET /api/v1/search`: the closest precedents.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct SearchView {
    /// Language of the question: `en`, `ko` or `mixed`.
    pub lang: &'static str,
    /// Language of the texts below: `en` or `ko`.
    pub answer_lang: &'static str,
    /// What was understood.
    pub terms: Vec<FoundTermView>,
    /// What the text says is fine.
    pub ruled_out: Vec<FoundTermView>,
    /// Exact signals of the text.
    pub signals: Vec<SignalView>,
    /// The closest cases, best first.
    pub hits: Vec<HitView>,
    /// Whether the best are close enough to be shown unasked.
    pub confident: bool,
    /// How many cases were found in all.
    pub total: usize,
    /// What the found cases have, for narrowing the search.
    pub facets: CountsView,
}

/// A precedent.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct HitView {
    /// The case and what is said of it everywhere.
    #[serde(flatten)]
    pub case: CaseHeadView,
    /// How close it is, between 0 and 1.
    pub score: f32,
    /// What the score is made of.
    pub parts: PartsView,
    /// What of the question the case has.
    pub matched: Vec<EvidenceView>,
    /// What of the question it lacks.
    pub unmatched: Vec<EvidenceView>,
    /// The passage that fits best.
    pub snippet: Option<SnippetView>,
    /// What set it off.
    pub trigger: Option<String>,
    /// What responders did, in order.
    pub actions: Vec<ActionView>,
    /// What the owners learned.
    pub lessons: Vec<String>,
    /// What they promised.
    pub follow_ups: Vec<FollowUpView>,
}

/// The parts of a score, each between 0 and 1.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct PartsView {
    /// Words.
    pub words: f32,
    /// Facet terms.
    pub terms: f32,
    /// Exact signals.
    pub signals: f32,
}

/// One thing of the question's that a case has or lacks.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum EvidenceView {
    /// A vocabulary term.
    Term(TermView),
    /// An exact signal.
    Signal {
        /// As the asker wrote it.
        text: String,
    },
    /// A word.
    Word {
        /// As the asker wrote it.
        text: String,
    },
}

/// A passage of a case.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct SnippetView {
    /// Which part of the case.
    pub zone: &'static str,
    /// The passage.
    pub text: String,
    /// Matching characters, first and the one after the last.
    pub highlights: Vec<[usize; 2]>,
}

/// Makes the view of what was understood.
pub fn extract(library: &Library, text: &str, terms: &QueryTerms, lang: Lang) -> ExtractView {
    let mut words: Vec<String> = Vec::new();
    for word in terms.words.iter().filter(|word| !word.in_term) {
        if !words.contains(&word.text) {
            words.push(word.text.clone());
        }
    }
    ExtractView {
        lang: terms.lang.code(),
        terms: found_terms(library, text, &terms.terms, lang),
        ruled_out: found_terms(library, text, &terms.ruled_out, lang),
        signals: signals(text, &terms.signals),
        words,
    }
}

/// Makes the view of an answer to `text`.
pub fn search(library: &Library, text: &str, answer: &Answer, lang: Lang) -> SearchView {
    SearchView {
        lang: answer.terms.lang.code(),
        answer_lang: lang.code(),
        terms: found_terms(library, text, &answer.terms.terms, lang),
        ruled_out: found_terms(library, text, &answer.terms.ruled_out, lang),
        signals: signals(text, &answer.terms.signals),
        hits: answer
            .precedents
            .iter()
            .map(|precedent| hit(library, precedent, lang))
            .collect(),
        confident: answer.confident,
        total: answer.total,
        facets: counts(library, &answer.facets, &answer.named, lang),
    }
}

fn hit(library: &Library, precedent: &Precedent, lang: Lang) -> HitView {
    let case = &precedent.case;
    let evidence = |list: &[Evidence]| {
        list.iter()
            .map(|evidence| evidence_view(library, evidence, lang))
            .collect()
    };
    HitView {
        case: head(library, case, lang),
        score: precedent.score,
        parts: PartsView {
            words: precedent.parts.words,
            terms: precedent.parts.terms,
            signals: precedent.parts.signals,
        },
        matched: evidence(&precedent.matched),
        unmatched: evidence(&precedent.unmatched),
        snippet: precedent.snippet.as_ref().map(snippet),
        trigger: case.trigger.as_ref().map(|text| text.get(lang).to_owned()),
        actions: actions(&case.actions, lang),
        lessons: case
            .lessons
            .iter()
            .map(|text| text.get(lang).to_owned())
            .collect(),
        follow_ups: follow_ups(&case.follow_ups, lang),
    }
}

fn evidence_view(library: &Library, evidence: &Evidence, lang: Lang) -> EvidenceView {
    match evidence {
        Evidence::Term(id) => EvidenceView::Term(term(library, *id, lang)),
        Evidence::Signal(text) => EvidenceView::Signal { text: text.clone() },
        Evidence::Mention(text) | Evidence::Word(text) => EvidenceView::Word { text: text.clone() },
    }
}

fn snippet(snippet: &Snippet) -> SnippetView {
    let zone = match snippet.zone {
        Zone::Title => "title",
        Zone::Symptoms => "symptoms",
        Zone::Trigger => "trigger",
        Zone::Cause => "cause",
        Zone::Actions => "actions",
        Zone::Lessons => "lessons",
        Zone::Signals => "signals",
    };
    let highlights = snippet
        .highlights
        .iter()
        .map(|span| characters(&snippet.text, span))
        .collect();
    SnippetView {
        zone,
        text: snippet.text.clone(),
        highlights,
    }
}
