//! Wire types of the JSON API: what an [`Answer`] looks like to programs.
//!
//! Texts are in one language, the one asked for. Absent fields of a case are `null`. Spans count Unicode characters of
//! the given text, not bytes: that is how most languages index strings.

use std::{collections::BTreeMap, ops::Range};

use serde::Serialize;

use crate::{
    corpus::{Case, Facet, FollowUpState, Lang, Outcome, Severity, TermId},
    library::{Answer, Evidence, Library, Precedent, Related, Snippet, Zone, reason},
    query::{FoundTerm, QueryTerms, Signal},
};

/// `GET /api/v1/extract`: what was understood from a text.
#[derive(Debug, Serialize)]
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

/// A vocabulary term with the place it was found at.
#[derive(Debug, Serialize)]
pub struct FoundTermView {
    /// `cause`, `component`, `symptom` or `factor`.
    pub facet: &'static str,
    /// The term's name.
    pub slug: String,
    /// The term's name for people.
    pub label: String,
    /// First character and the one after the last.
    pub span: [usize; 2],
    /// Those characters.
    pub text: String,
}

/// An exact signal with its place.
#[derive(Debug, Serialize)]
pub struct SignalView {
    /// `status`, `code`, `exception`, `phrase` or `port`.
    pub kind: &'static str,
    /// First character and the one after the last.
    pub span: [usize; 2],
    /// Those characters.
    pub text: String,
}

/// A vocabulary term.
#[derive(Debug, Serialize)]
pub struct TermView {
    /// `cause`, `component`, `symptom` or `factor`.
    pub facet: &'static str,
    /// The term's name.
    pub slug: String,
    /// The term's name for people.
    pub label: String,
}

/// `GET /api/v1/search`: the closest precedents.
#[derive(Debug, Serialize)]
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
    /// Terms of the found cases by facet, commonest first.
    pub facets: BTreeMap<&'static str, Vec<CountView>>,
}

/// A precedent.
#[derive(Debug, Serialize)]
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
#[derive(Debug, Serialize)]
pub struct PartsView {
    /// Words.
    pub words: f32,
    /// Facet terms.
    pub terms: f32,
    /// Exact signals.
    pub signals: f32,
}

/// One thing of the question's that a case has or lacks.
#[derive(Debug, Serialize)]
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
#[derive(Debug, Serialize)]
pub struct SnippetView {
    /// Which part of the case.
    pub zone: &'static str,
    /// The passage.
    pub text: String,
    /// Matching characters, first and the one after the last.
    pub highlights: Vec<[usize; 2]>,
}

/// How many found cases have a term.
#[derive(Debug, Serialize)]
pub struct CountView {
    /// The term's name.
    pub slug: String,
    /// The term's name for people.
    pub label: String,
    /// Found cases that have it.
    pub count: usize,
}

/// What every list says of a case.
#[derive(Debug, Serialize)]
pub struct CaseHeadView {
    /// Identifier.
    pub id: String,
    /// One line: mechanism and impact.
    pub title: String,
    /// Who it happened to.
    pub organisation: String,
    /// `2021-03-25`, `2021-03` or `2021`.
    pub date: Option<String>,
    /// `sev1` … `sev4`.
    pub severity: Option<&'static str>,
    /// `4h 7m`.
    pub time_to_detect: Option<String>,
    /// `4h 7m`.
    pub time_to_recover: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Causes.
    pub causes: Vec<TermView>,
    /// Components.
    pub components: Vec<TermView>,
    /// Symptoms.
    pub symptoms: Vec<TermView>,
    /// Contributing factors.
    pub factors: Vec<TermView>,
    /// Where the facts come from.
    pub sources: Vec<SourceView>,
}

/// A source.
#[derive(Debug, Serialize)]
pub struct SourceView {
    /// Address.
    pub url: String,
    /// What kind of text.
    pub kind: &'static str,
    /// The page's own title.
    pub title: Option<String>,
    /// When it was last read.
    pub checked: Option<String>,
}

/// Something responders did.
#[derive(Debug, Serialize)]
pub struct ActionView {
    /// When.
    pub at: Option<String>,
    /// `resolved`, `mitigated`, `no-effect` or `worsened`.
    pub outcome: Option<&'static str>,
    /// What.
    pub text: String,
}

/// Something the owners promised.
#[derive(Debug, Serialize)]
pub struct FollowUpView {
    /// `done`, `in-progress` or `planned`.
    pub state: Option<&'static str>,
    /// What.
    pub text: String,
}

/// `GET /api/v1/cases/{id}/similar`: a case close to another.
#[derive(Debug, Serialize)]
pub struct RelatedView {
    /// The case.
    #[serde(flatten)]
    pub case: CaseHeadView,
    /// How close it is, between 0 and 1.
    pub score: f32,
    /// Why: "same cause · common cloud load balancer".
    pub reason: String,
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
    let mut facets: BTreeMap<&'static str, Vec<CountView>> = Facet::ALL
        .into_iter()
        .map(|facet| (facet.slug(), Vec::new()))
        .collect();
    for count in &answer.facets {
        let TermView { facet, slug, label } = term(library, count.term, lang);
        facets.entry(facet).or_default().push(CountView {
            slug,
            label,
            count: count.count,
        });
    }
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
        facets,
    }
}

/// Makes the views of related cases.
pub fn related(library: &Library, related: &[Related], lang: Lang) -> Vec<RelatedView> {
    let view = |related: &Related| RelatedView {
        case: head(library, &related.case, lang),
        score: related.score,
        reason: reason(library, related, lang),
    };
    related.iter().map(view).collect()
}

fn hit(library: &Library, precedent: &Precedent, lang: Lang) -> HitView {
    let case = &precedent.case;
    let evidence = |list: &[Evidence]| {
        list.iter()
            .map(|evidence| evidence_view(library, evidence, lang))
            .collect()
    };
    let actions = case.actions.iter().map(|action| ActionView {
        at: action.at.clone(),
        outcome: action.outcome.map(Outcome::slug),
        text: action.text.get(lang).to_owned(),
    });
    let follow_ups = case.follow_ups.iter().map(|follow_up| FollowUpView {
        state: follow_up.state.map(FollowUpState::slug),
        text: follow_up.text.get(lang).to_owned(),
    });
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
        actions: actions.collect(),
        lessons: case
            .lessons
            .iter()
            .map(|text| text.get(lang).to_owned())
            .collect(),
        follow_ups: follow_ups.collect(),
    }
}

fn head(library: &Library, case: &Case, lang: Lang) -> CaseHeadView {
    let terms = |facet: Facet| {
        case.terms(facet)
            .iter()
            .map(|id| term(library, *id, lang))
            .collect()
    };
    let sources = case.sources.iter().map(|source| SourceView {
        url: source.url.clone(),
        kind: source.kind.slug(),
        title: source.title.clone(),
        checked: source.checked.map(|date| date.to_string()),
    });
    CaseHeadView {
        id: case.id.to_string(),
        title: case.title.get(lang).to_owned(),
        organisation: case.organisation.clone(),
        date: case.date.map(|date| date.to_string()),
        severity: case.severity.map(Severity::slug),
        time_to_detect: case.time_to_detect.map(|time| time.to_string()),
        time_to_recover: case.time_to_recover.map(|time| time.to_string()),
        tags: case.tags.clone(),
        causes: terms(Facet::Cause),
        components: terms(Facet::Component),
        symptoms: terms(Facet::Symptom),
        factors: terms(Facet::Factor),
        sources: sources.collect(),
    }
}

fn term(library: &Library, id: TermId, lang: Lang) -> TermView {
    let term = library.corpus().vocabulary().term(id);
    TermView {
        facet: term.facet.slug(),
        slug: term.slug.clone(),
        label: term.label.get(lang).to_owned(),
    }
}

fn evidence_view(library: &Library, evidence: &Evidence, lang: Lang) -> EvidenceView {
    match evidence {
        Evidence::Term(id) => EvidenceView::Term(term(library, *id, lang)),
        Evidence::Signal(text) => EvidenceView::Signal { text: text.clone() },
        Evidence::Word(text) => EvidenceView::Word { text: text.clone() },
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

fn found_terms(
    library: &Library,
    text: &str,
    found: &[FoundTerm],
    lang: Lang,
) -> Vec<FoundTermView> {
    let view = |found: &FoundTerm| {
        let TermView { facet, slug, label } = term(library, found.term, lang);
        FoundTermView {
            facet,
            slug,
            label,
            span: characters(text, &found.span),
            text: found.text.clone(),
        }
    };
    found.iter().map(view).collect()
}

fn signals(text: &str, signals: &[Signal]) -> Vec<SignalView> {
    let view = |signal: &Signal| SignalView {
        kind: signal.kind.slug(),
        span: characters(text, &signal.span),
        text: signal.text.clone(),
    };
    signals.iter().map(view).collect()
}

/// Turns bytes of a text into characters of it.
fn characters(text: &str, span: &Range<usize>) -> [usize; 2] {
    let count = |to: usize| text.get(..to).map_or(0, |head| head.chars().count());
    [count(span.start), count(span.end)]
}
