//! Cases as programs see them.

use schemars::JsonSchema;
use serde::Serialize;
use utoipa::ToSchema;

use super::term::{CountsView, TermView, counts, term};
use crate::{
    corpus::{
        Action, Case, Facet, FollowUp, FollowUpState, Lang, Localized, Outcome, Severity, Source,
        TermId,
    },
    library::{Library, List, Related, reason},
};

/// What every list says of a case.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
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
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct SourceView {
    /// Address.
    pub url: String,
    /// What kind of text.
    pub kind: &'static str,
    /// The page's own title.
    pub title: Option<String>,
    /// An archived copy.
    pub archived: Option<String>,
    /// When it was last read.
    pub checked: Option<String>,
}

/// Something responders did.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct ActionView {
    /// When.
    pub at: Option<String>,
    /// `resolved`, `mitigated`, `no-effect` or `worsened`.
    pub outcome: Option<&'static str>,
    /// What.
    pub text: String,
}

/// Something the owners promised.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct FollowUpView {
    /// `done`, `in-progress` or `planned`.
    pub state: Option<&'static str>,
    /// What.
    pub text: String,
}

/// `GET /api/v1/cases/{id}/similar`: a case close to another.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct RelatedView {
    /// The case.
    #[serde(flatten)]
    pub case: CaseHeadView,
    /// How close it is, between 0 and 1.
    pub score: f32,
    /// Why: "same cause · common cloud load balancer".
    pub reason: String,
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

/// Makes the view of what every list says of a case.
pub fn head(library: &Library, case: &Case, lang: Lang) -> CaseHeadView {
    let terms = |facet: Facet| {
        case.terms(facet)
            .iter()
            .map(|id| term(library, *id, lang))
            .collect()
    };
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
        sources: sources(case),
    }
}

pub(super) fn actions(actions: &[Action], lang: Lang) -> Vec<ActionView> {
    let view = |action: &Action| ActionView {
        at: action.at.clone(),
        outcome: action.outcome.map(Outcome::slug),
        text: action.text.get(lang).to_owned(),
    };
    actions.iter().map(view).collect()
}

pub(super) fn follow_ups(follow_ups: &[FollowUp], lang: Lang) -> Vec<FollowUpView> {
    let view = |follow_up: &FollowUp| FollowUpView {
        state: follow_up.state.map(FollowUpState::slug),
        text: follow_up.text.get(lang).to_owned(),
    };
    follow_ups.iter().map(view).collect()
}

fn sources(case: &Case) -> Vec<SourceView> {
    let view = |source: &Source| SourceView {
        url: source.url.clone(),
        kind: source.kind.slug(),
        title: source.title.clone(),
        archived: source.archived.clone(),
        checked: source.checked.map(|date| date.to_string()),
    };
    case.sources.iter().map(view).collect()
}

/// `GET /api/v1/cases`: a page of cases.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct CasesView {
    /// How many cases were found in all.
    pub total: usize,
    /// How many stand before this page.
    pub offset: usize,
    /// The cases of the page.
    pub cases: Vec<CaseHeadView>,
    /// What the found cases have, for narrowing the list.
    pub facets: CountsView,
    /// Address of the next page.
    pub next: Option<String>,
}

/// A text: in the language asked for, or in all that it exists in.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
#[serde(untagged)]
pub enum TextView {
    /// In the language asked for; in the other one where it exists only there.
    One(String),
    /// In all languages that it exists in.
    Each(TranslationsView),
}

/// A text in the languages that it exists in; at least one.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct TranslationsView {
    /// English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub en: Option<String>,
    /// Korean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ko: Option<String>,
}

/// `GET /api/v1/cases/{id}`: everything that is recorded of a case.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct CaseView {
    /// Identifier.
    pub id: String,
    /// `public`, or `own` for a case of whoever runs this service.
    pub origin: &'static str,
    /// Who it happened to.
    pub organisation: String,
    /// When the impact began: `2021-03-25`, `2021-03` or `2021`.
    pub date: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// The owners' own grade: `sev1` … `sev4`.
    pub severity: Option<&'static str>,
    /// Regions as the provider names them.
    pub regions: Vec<String>,
    /// From the start of the impact to its being noticed: `4h 7m`, with a leading `~` where the source says "about".
    pub time_to_detect: Option<String>,
    /// The same in minutes.
    pub time_to_detect_minutes: Option<u32>,
    /// From the start of the impact to its end.
    pub time_to_recover: Option<String>,
    /// The same in minutes.
    pub time_to_recover_minutes: Option<u32>,
    /// One line: mechanism and impact.
    pub title: TextView,
    /// The story in a few paragraphs.
    pub summary: TextView,
    /// What did not work, for whom.
    pub impact_scope: Option<TextView>,
    /// Who was affected, how many.
    pub affected_users: Option<TextView>,
    /// What was seen, without the cause found later.
    pub symptoms_seen: TextView,
    /// What set it off.
    pub trigger: Option<TextView>,
    /// The mechanism.
    pub cause: TextView,
    /// How it was noticed.
    pub detection: Option<TextView>,
    /// What responders did, in order.
    pub actions: Vec<CaseActionView>,
    /// What the owners promised.
    pub follow_ups: Vec<CaseFollowUpView>,
    /// What the owners learned.
    pub lessons: Vec<TextView>,
    /// Causes, one or two.
    pub causes: Vec<CaseTermView>,
    /// Components, most central first.
    pub components: Vec<CaseTermView>,
    /// Symptoms.
    pub symptoms: Vec<CaseTermView>,
    /// Factors that the source itself blames.
    pub factors: Vec<CaseTermView>,
    /// Error strings and identifiers, verbatim.
    pub signals: Vec<String>,
    /// Where the facts come from.
    pub sources: Vec<SourceView>,
    /// Further reading that the sources name.
    pub references: Vec<ReferenceView>,
    /// The case that replaces this one.
    pub superseded_by: Option<String>,
    /// Address of the closest cases.
    pub similar: String,
}

/// A term of a case.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct CaseTermView {
    /// `cause`, `component`, `symptom` or `factor`.
    pub facet: &'static str,
    /// The term's name.
    pub slug: String,
    /// The term's name for people.
    pub label: TextView,
}

/// Something responders did.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct CaseActionView {
    /// When, with its zone, as the source gives it.
    pub at: Option<String>,
    /// What it did to the impact: `resolved`, `mitigated`, `no-effect` or `worsened`.
    pub outcome: Option<&'static str>,
    /// What.
    pub text: TextView,
}

/// Something the owners promised.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct CaseFollowUpView {
    /// How far it had come: `done`, `in-progress` or `planned`.
    pub state: Option<&'static str>,
    /// What.
    pub text: TextView,
}

/// Further reading.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct ReferenceView {
    /// Address.
    pub url: String,
    /// What it is.
    pub title: String,
}

/// Makes the view of a page of cases. `next` is the address of the page after it.
pub fn cases(
    library: &Library,
    list: &List,
    offset: usize,
    next: Option<String>,
    lang: Lang,
) -> CasesView {
    CasesView {
        total: list.total,
        offset,
        cases: list
            .cases
            .iter()
            .map(|case| head(library, case, lang))
            .collect(),
        facets: counts(library, &list.facets, &list.named, lang),
        next,
    }
}

/// Makes the whole view of a case: in one language, or in all that there are.
pub fn case(library: &Library, case: &Case, lang: Option<Lang>) -> CaseView {
    // A new field of a case has to be decided on here.
    let Case {
        id,
        own,
        audience: _,
        organisation,
        date,
        status: _,
        superseded_by: _,
        notes: _,
        severity,
        time_to_detect,
        time_to_recover,
        regions,
        tags,
        causes,
        components,
        symptoms,
        factors,
        signals,
        title,
        impact_scope,
        affected_users,
        summary,
        symptoms_seen,
        trigger,
        cause,
        detection,
        actions,
        follow_ups,
        lessons,
        sources: _,
        references,
    } = case;
    let text = |own: &Localized| text(own, lang);
    let optional = |own: &Option<Localized>| own.as_ref().map(text);
    let vocabulary = library.corpus().vocabulary();
    let terms = |ids: &[TermId]| {
        let terms = ids.iter().map(|id| vocabulary.term(*id));
        terms
            .map(|term| CaseTermView {
                facet: term.facet.slug(),
                slug: term.slug.clone(),
                label: text(&term.label),
            })
            .collect()
    };
    CaseView {
        origin: if *own { "own" } else { "public" },
        organisation: organisation.clone(),
        date: date.map(|date| date.to_string()),
        tags: tags.clone(),
        severity: severity.map(Severity::slug),
        regions: regions.clone(),
        time_to_detect: time_to_detect.map(|time| time.to_string()),
        time_to_detect_minutes: time_to_detect.map(|time| time.minutes),
        time_to_recover: time_to_recover.map(|time| time.to_string()),
        time_to_recover_minutes: time_to_recover.map(|time| time.minutes),
        title: text(title),
        summary: text(summary),
        impact_scope: optional(impact_scope),
        affected_users: optional(affected_users),
        symptoms_seen: text(symptoms_seen),
        trigger: optional(trigger),
        cause: text(cause),
        detection: optional(detection),
        actions: actions
            .iter()
            .map(|action| CaseActionView {
                at: action.at.clone(),
                outcome: action.outcome.map(Outcome::slug),
                text: text(&action.text),
            })
            .collect(),
        follow_ups: follow_ups
            .iter()
            .map(|follow_up| CaseFollowUpView {
                state: follow_up.state.map(FollowUpState::slug),
                text: text(&follow_up.text),
            })
            .collect(),
        lessons: lessons.iter().map(text).collect(),
        causes: terms(causes),
        components: terms(components),
        symptoms: terms(symptoms),
        factors: terms(factors),
        signals: signals.clone(),
        sources: sources(case),
        references: references
            .iter()
            .map(|reference| ReferenceView {
                url: reference.url.clone(),
                title: reference.title.clone(),
            })
            .collect(),
        superseded_by: library.successor(case).map(ToString::to_string),
        similar: format!("/api/v1/cases/{id}/similar"),
        id: id.to_string(),
    }
}

pub(super) fn text(text: &Localized, lang: Option<Lang>) -> TextView {
    let exact = |lang| text.exact(lang).map(str::to_owned);
    match lang {
        Some(lang) => TextView::One(text.get(lang).to_owned()),
        None => TextView::Each(TranslationsView {
            en: exact(Lang::En),
            ko: exact(Lang::Ko),
        }),
    }
}
