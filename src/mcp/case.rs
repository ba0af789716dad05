//! `get_incident`: one incident in full, in one language, with the incidents that are close to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    args::{self, Language},
    record::{Head, cut},
    refusal::Refusal,
    resource,
};
use crate::{
    corpus::{Audience, Case, CaseId, Facet, FollowUpState, Lang, Localized, Outcome},
    library::{Library, reason},
};

/// Longest text, longest list and longest of all texts together, in characters. No bundled case comes near; a folder's own may
/// hold whole reports.
const TEXT_LIMIT: usize = 6000;
const LIST_LIMIT: usize = 40;
const ALL_TEXTS: usize = 30_000;

/// Related incidents unless asked otherwise, and at most.
const DEFAULT_RELATED: usize = 5;
const RELATED: usize = 12;

/// Arguments of `get_incident`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CaseArgs {
    /// Identifier, such as `IL-0493`.
    id: String,
    /// Language of the answer's texts; `en` unless given.
    language: Option<Language>,
    /// How many related incidents to add; 5 unless given.
    #[schemars(range(min = 0, max = RELATED))]
    related: Option<usize>,
}

/// An incident as its owners told it. What their report does not say is absent.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CaseResult {
    #[serde(flatten)]
    head: Head,
    /// Address as a resource, whole and as Markdown.
    uri: String,
    /// How long until it was noticed.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_to_detect: Option<String>,
    regions: Vec<String>,
    tags: Vec<String>,
    causes: Vec<Named>,
    components: Vec<Named>,
    symptoms: Vec<Named>,
    factors: Vec<Named>,
    /// Error strings and names, verbatim.
    signals: Vec<String>,
    /// What did not work, for whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    impact: Option<String>,
    /// Who was affected, how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    affected_users: Option<String>,
    /// The story.
    summary: String,
    /// What was seen, without the cause found later.
    symptoms_seen: String,
    /// What set it off.
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger: Option<String>,
    /// The mechanism.
    mechanism: String,
    /// How it was noticed.
    #[serde(skip_serializing_if = "Option::is_none")]
    detection: Option<String>,
    /// What responders did, in order.
    actions: Vec<Action>,
    /// What the owners promised.
    follow_ups: Vec<FollowUp>,
    /// What the owners learned.
    lessons: Vec<String>,
    /// Where the facts come from.
    sources: Vec<Source>,
    /// Further reading.
    references: Vec<Reference>,
    /// Incidents close to it, closest first.
    related: Vec<Related>,
    /// Whether texts were cut (at `…`) or lists end early; the resource has them whole.
    cut: bool,
}

/// A vocabulary term.
#[derive(Debug, Serialize, JsonSchema)]
struct Named {
    slug: String,
    label: String,
}

/// Something responders did.
#[derive(Debug, Serialize, JsonSchema)]
struct Action {
    /// When, in the source's zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    /// `resolved`, `mitigated`, `no-effect` or `worsened`, where the source shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    text: String,
}

/// Something the owners promised.
#[derive(Debug, Serialize, JsonSchema)]
struct FollowUp {
    /// `done`, `in-progress` or `planned` when the source was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    text: String,
}

/// A source.
#[derive(Debug, Serialize, JsonSchema)]
struct Source {
    url: String,
    /// What kind of text: `postmortem`, `official-status`, …
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// An archived copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    archived: Option<String>,
}

/// Further reading.
#[derive(Debug, Serialize, JsonSchema)]
struct Reference {
    url: String,
    title: String,
}

/// An incident close to another.
#[derive(Debug, Serialize, JsonSchema)]
struct Related {
    #[serde(flatten)]
    head: Head,
    /// What they have in common.
    why: String,
}

/// Answers `get_incident`.
pub(super) fn get(library: &Library, args: &CaseArgs) -> Result<CaseResult, Refusal> {
    let lang = args::lang(args.language);
    let most = args::bounded(
        "related",
        args.related.unwrap_or(DEFAULT_RELATED),
        0..=RELATED,
    )?;
    let case = find(library, &args.id)?;
    let related = library.similar(&case.id, most).unwrap_or_default();
    let related = related.iter().map(|related| Related {
        head: Head::of(&related.case, lang),
        why: reason(library, related, lang),
    });
    Ok(result(library, case, related.collect(), lang))
}

/// Finds a published case by its id as agents write it.
pub(super) fn find<'a>(library: &'a Library, id: &str) -> Result<&'a Case, Refusal> {
    let corpus = library.corpus();
    let parsed: Option<CaseId> = id.parse().ok();
    let Some(case) = parsed.and_then(|id| corpus.get(&id)) else {
        return Err(Refusal::unknown_case(library, id));
    };
    if case.is_published() {
        return Ok(case);
    }
    // Whether a draft or a case for others exists is nobody's business; a withdrawn case may have a successor.
    let everybodys = case.audience == Audience::Everyone;
    match library.successor(case) {
        Some(next) if everybodys => Err(Refusal::new(
            format!("{} was withdrawn", case.id),
            format!("{next} replaces it"),
        )),
        _ => Err(Refusal::unknown_case(library, id)),
    }
}

/// Keeps texts and lists within their limits, and remembers whether anything was lost.
struct Limits {
    lang: Lang,
    /// Characters that there is still room for.
    room: usize,
    cut: bool,
}

impl Limits {
    fn text(&mut self, text: &str) -> String {
        let text = text.trim();
        let short = cut(text, TEXT_LIMIT.min(self.room));
        self.room = self.room.saturating_sub(short.chars().count());
        self.cut |= short.len() != text.len();
        short
    }

    fn localized(&mut self, text: &Localized) -> String {
        self.text(text.get(self.lang))
    }

    fn optional(&mut self, text: Option<&Localized>) -> Option<String> {
        text.map(|text| self.localized(text))
    }

    fn list<T, R>(&mut self, all: &[T], mut make: impl FnMut(&mut Self, &T) -> R) -> Vec<R> {
        self.cut |= all.len() > LIST_LIMIT;
        let some = all.iter().take(LIST_LIMIT);
        some.map(|one| make(self, one)).collect()
    }
}

fn result(library: &Library, case: &Case, related: Vec<Related>, lang: Lang) -> CaseResult {
    let mut limits = Limits {
        lang,
        room: ALL_TEXTS,
        cut: false,
    };
    let terms = |facet: Facet| {
        let terms = case.terms(facet).iter().map(|id| {
            let term = library.corpus().vocabulary().term(*id);
            Named {
                slug: term.slug.clone(),
                label: term.label.get(lang).to_owned(),
            }
        });
        terms.collect()
    };
    let mut result = CaseResult {
        head: Head::of(case, lang),
        uri: resource::uri(&case.id),
        time_to_detect: case.time_to_detect.map(|time| time.to_string()),
        regions: limits.list(&case.regions, |limits, region| limits.text(region)),
        tags: limits.list(&case.tags, |limits, tag| limits.text(tag)),
        causes: terms(Facet::Cause),
        components: terms(Facet::Component),
        symptoms: terms(Facet::Symptom),
        factors: terms(Facet::Factor),
        signals: limits.list(&case.signals, |limits, signal| limits.text(signal)),
        impact: limits.optional(case.impact_scope.as_ref()),
        affected_users: limits.optional(case.affected_users.as_ref()),
        summary: limits.localized(&case.summary),
        symptoms_seen: limits.localized(&case.symptoms_seen),
        trigger: limits.optional(case.trigger.as_ref()),
        mechanism: limits.localized(&case.cause),
        detection: limits.optional(case.detection.as_ref()),
        actions: limits.list(&case.actions, |limits, action| Action {
            at: action.at.clone(),
            outcome: action.outcome.map(Outcome::slug),
            text: limits.localized(&action.text),
        }),
        follow_ups: limits.list(&case.follow_ups, |limits, follow_up| FollowUp {
            state: follow_up.state.map(FollowUpState::slug),
            text: limits.localized(&follow_up.text),
        }),
        lessons: limits.list(&case.lessons, Limits::localized),
        sources: limits.list(&case.sources, |limits, source| Source {
            url: source.url.clone(),
            kind: source.kind.slug(),
            title: source.title.as_deref().map(|title| limits.text(title)),
            archived: source.archived.clone(),
        }),
        references: limits.list(&case.references, |limits, reference| Reference {
            url: reference.url.clone(),
            title: limits.text(&reference.title),
        }),
        related,
        cut: false,
    };
    result.cut = limits.cut;
    result
}
