//! `search_incidents`: the closest precedents for what is seen, and why each is close.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    args::{self, FilterArgs, Language},
    record::{Head, actions, facet_slug, next_offset, shorten, slug},
    refusal::Refusal,
};
use crate::{
    corpus::{Lang, Outcome, TermId},
    library::{Answer, Evidence, Library, Lookup, Precedent},
};

/// Longest text of a hit, in characters. Whoever wants the whole calls `get_incident`.
const EXCERPT: usize = 280;

/// Hits unless asked otherwise, and at most.
const DEFAULT_LIMIT: usize = 5;
const LIMIT: usize = 20;

/// Arguments of `search_incidents`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct SearchArgs {
    /// What is seen: symptoms, alerts, error strings, log lines, in English, Korean or both. Paste them as they are; what
    /// is said to be fine ("DNS is fine") is left out of the search.
    #[schemars(length(min = 1, max = args::TEXT_LIMIT))]
    query: String,
    #[serde(flatten)]
    filters: FilterArgs,
    /// Language of the answer's texts; that of the query unless given.
    language: Option<Language>,
    /// How many incidents to return; 5 unless given.
    #[schemars(range(min = 1, max = LIMIT))]
    limit: Option<usize>,
    /// How many of the best to skip.
    offset: Option<usize>,
}

/// The closest incidents, best first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SearchResult {
    /// Language of the texts: `en` or `ko`.
    language: &'static str,
    /// What was understood from the query.
    understood: Understood,
    /// Whether the best hits are close precedents. If false, they are leads at most: say that nothing close was found.
    confident: bool,
    /// How many incidents were found in all.
    total: usize,
    hits: Vec<Hit>,
    /// `offset` of the next page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

/// What was understood.
#[derive(Debug, Serialize, JsonSchema)]
struct Understood {
    /// Vocabulary terms as `facet/slug`; each also works as a filter.
    terms: Vec<String>,
    /// Terms that the query says are fine.
    ruled_out: Vec<String>,
    /// Exact error strings, codes and names.
    signals: Vec<String>,
}

/// A precedent.
#[derive(Debug, Serialize, JsonSchema)]
struct Hit {
    #[serde(flatten)]
    head: Head,
    /// How close it is, from 0 to 1.
    score: f64,
    /// What of the query the incident has.
    matched: Clues,
    /// What of the query it lacks.
    missing: Clues,
    /// The passage that fits the query best.
    #[serde(skip_serializing_if = "Option::is_none")]
    passage: Option<String>,
    /// What set it off.
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger: Option<String>,
    /// Slugs of its causes.
    causes: Vec<String>,
    /// Slugs of its components.
    components: Vec<String>,
    /// Actions that ended or eased it.
    worked: Vec<String>,
    /// Actions that did nothing or made it worse.
    did_not_work: Vec<String>,
    /// The first of the owners' lessons.
    #[serde(skip_serializing_if = "Option::is_none")]
    lesson: Option<String>,
    /// Address of the owners' report.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

/// Things of the query.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Clues {
    /// Vocabulary terms as `facet/slug`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    terms: Vec<String>,
    /// Exact error strings, codes and names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    signals: Vec<String>,
    /// Telling words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<String>,
}

/// Answers `search_incidents`.
pub(super) fn search(library: &Library, args: &SearchArgs) -> Result<SearchResult, Refusal> {
    let lookup = Lookup {
        text: args::text("query", &args.query)?,
        filters: args.filters.filters(library)?,
        lang: args.language.map(Lang::from),
        limit: args::limit(args.limit, DEFAULT_LIMIT, 1..=LIMIT)?,
        offset: args::offset(args.offset)?,
    };
    let answer = library.lookup(&lookup);
    let lang = lookup
        .lang
        .unwrap_or_else(|| answer.terms.lang.answer_lang());
    let hits = answer
        .precedents
        .iter()
        .map(|precedent| hit(library, precedent, lang));
    Ok(SearchResult {
        language: lang.code(),
        understood: understood(library, &answer),
        confident: answer.confident,
        total: answer.total,
        hits: hits.collect(),
        next_offset: next_offset(lookup.offset, answer.precedents.len(), answer.total),
    })
}

fn understood(library: &Library, answer: &Answer) -> Understood {
    let terms = |found: Vec<TermId>| {
        let mut terms: Vec<String> = Vec::new();
        for term in found {
            let term = facet_slug(library, term);
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        terms
    };
    let mut signals: Vec<String> = Vec::new();
    for signal in &answer.terms.signals {
        if !signals.contains(&signal.text) {
            signals.push(signal.text.clone());
        }
    }
    Understood {
        terms: terms(answer.terms.terms.iter().map(|found| found.term).collect()),
        ruled_out: terms(
            answer
                .terms
                .ruled_out
                .iter()
                .map(|found| found.term)
                .collect(),
        ),
        signals,
    }
}

fn hit(library: &Library, precedent: &Precedent, lang: Lang) -> Hit {
    let case = &precedent.case;
    let slugs = |terms: &[TermId]| terms.iter().map(|term| slug(library, *term)).collect();
    let short = |texts: Vec<String>, most: usize| {
        let texts = texts.iter().take(most);
        texts.map(|text| shorten(text, EXCERPT)).collect()
    };
    Hit {
        head: Head::of(case, lang),
        // Three places say all that a score says, and cost fewer tokens.
        score: (f64::from(precedent.score) * 1000.0).round() / 1000.0,
        matched: clues(library, &precedent.matched),
        missing: clues(library, &precedent.unmatched),
        passage: precedent
            .snippet
            .as_ref()
            .map(|snippet| shorten(&snippet.text, EXCERPT)),
        trigger: case
            .trigger
            .as_ref()
            .map(|text| shorten(text.get(lang), EXCERPT)),
        causes: slugs(&case.causes),
        components: slugs(&case.components),
        worked: short(
            actions(case, &[Outcome::Resolved, Outcome::Mitigated], lang),
            2,
        ),
        did_not_work: short(
            actions(case, &[Outcome::Worsened, Outcome::NoEffect], lang),
            1,
        ),
        lesson: case
            .lessons
            .first()
            .map(|text| shorten(text.get(lang), EXCERPT)),
        source: case.sources.first().map(|source| source.url.clone()),
    }
}

fn clues(library: &Library, evidence: &[Evidence]) -> Clues {
    let mut clues = Clues::default();
    for one in evidence {
        match one {
            Evidence::Term(term) => clues.terms.push(facet_slug(library, *term)),
            Evidence::Signal(text) => clues.signals.push(shorten(text, EXCERPT)),
            Evidence::Mention(text) | Evidence::Word(text) => {
                clues.words.push(shorten(text, EXCERPT));
            }
        }
    }
    clues
}
