//! `get_topic`: what the library knows about one vocabulary term, and what it goes together with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    args::{self, Language},
    record::{Head, facet_slug, shorten, slug},
    refusal::Refusal,
};
use crate::{
    corpus::{Facet, Lang, TermId},
    library::{Learned, Library, Topic},
};

/// Incidents unless asked otherwise, and at most.
const DEFAULT_LIMIT: usize = 10;
const LIMIT: usize = 50;

/// Terms that are named, by facet.
const TOGETHER: usize = 5;

/// Words that are named.
const ALIASES: usize = 20;

/// Themes of lessons and of follow-ups, quotations of each, and the longest quotation.
const THEMES: usize = 4;
const QUOTES: usize = 2;
const QUOTE: usize = 240;

/// A facet of the vocabulary.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum FacetArg {
    Cause,
    Component,
    Symptom,
    Factor,
}

impl From<FacetArg> for Facet {
    fn from(facet: FacetArg) -> Self {
        match facet {
            FacetArg::Cause => Self::Cause,
            FacetArg::Component => Self::Component,
            FacetArg::Symptom => Self::Symptom,
            FacetArg::Factor => Self::Factor,
        }
    }
}

/// Arguments of `get_topic`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct TopicArgs {
    /// Slug of a cause, component, symptom or factor, such as `etcd`; `component/etcd` names its facet too.
    slug: String,
    /// Needed only where a slug stands in several facets.
    facet: Option<FacetArg>,
    /// Language of the answer's texts; `en` unless given.
    language: Option<Language>,
    /// How many incidents to return; 10 unless given.
    #[schemars(range(min = 1, max = LIMIT))]
    limit: Option<usize>,
}

/// A term and what goes together with it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct TopicResult {
    /// `cause`, `component`, `symptom` or `factor`.
    facet: &'static str,
    slug: String,
    label: String,
    /// What belongs to it, and what does not.
    definition: String,
    /// Words that mean it, in the answer's language.
    aliases: Vec<String>,
    /// Terms close to it, as `facet/slug`.
    related: Vec<String>,
    /// How many incidents have it.
    total: usize,
    /// What else those incidents have: for a symptom, what usually causes it.
    together_with: TogetherWith,
    /// The newest of them.
    incidents: Vec<Head>,
    /// What their owners learned, by theme, most often drawn first.
    lessons: Vec<ThemeQuotes>,
    /// What their owners promised, by theme, most often promised first.
    follow_ups: Vec<ThemeQuotes>,
}

/// Other terms by facet, commonest first.
#[derive(Debug, Serialize, JsonSchema)]
struct TogetherWith {
    causes: Vec<Together>,
    components: Vec<Together>,
    symptoms: Vec<Together>,
    factors: Vec<Together>,
}

/// Another term.
#[derive(Debug, Serialize, JsonSchema)]
struct Together {
    slug: String,
    label: String,
    /// Incidents of the topic that have it.
    incidents: usize,
    /// How many times as frequent it is in the topic's incidents as in all; above 1 the two attract each other.
    lift: f64,
}

/// What several incidents say on one theme.
#[derive(Debug, Serialize, JsonSchema)]
struct ThemeQuotes {
    /// The theme; absent for what fits none.
    #[serde(skip_serializing_if = "Option::is_none")]
    theme: Option<&'static str>,
    /// Incidents that say something on it.
    incidents: usize,
    /// Some of what they say, verbatim.
    quotes: Vec<Quote>,
}

/// A sentence of an incident.
#[derive(Debug, Serialize, JsonSchema)]
struct Quote {
    /// The incident.
    id: String,
    text: String,
}

/// Answers `get_topic`.
pub(super) fn get(library: &Library, args: &TopicArgs) -> Result<TopicResult, Refusal> {
    let lang = args::lang(args.language);
    let limit = args::limit(args.limit, DEFAULT_LIMIT, 1..=LIMIT)?;
    let id = find(library, &args.slug, args.facet.map(Facet::from))?;
    let topic = library.topic(id);
    let term = library.corpus().vocabulary().term(id);
    let aliases = match lang {
        Lang::En => &term.aliases.en,
        Lang::Ko => &term.aliases.ko,
    };
    let related = term.related.iter().map(|id| facet_slug(library, *id));
    let incidents = topic.cases.iter().take(limit);
    Ok(TopicResult {
        facet: term.facet.slug(),
        slug: term.slug.clone(),
        label: term.label.get(lang).to_owned(),
        definition: term.definition.get(lang).trim().to_owned(),
        aliases: aliases.iter().take(ALIASES).cloned().collect(),
        related: related.collect(),
        total: topic.cases.len(),
        together_with: together_with(library, &topic, lang),
        incidents: incidents.map(|case| Head::of(case, lang)).collect(),
        lessons: by_theme(&topic.lessons, lang),
        follow_ups: by_theme(&topic.follow_ups, lang),
    })
}

fn together_with(library: &Library, topic: &Topic, lang: Lang) -> TogetherWith {
    let of = |facet: Facet| {
        let terms = topic.together.get(&facet).into_iter().flatten();
        let together = terms.take(TOGETHER).map(|together| Together {
            slug: slug(library, together.term),
            label: library.label(together.term, lang).to_owned(),
            incidents: together.count,
            lift: (f64::from(together.lift) * 10.0).round() / 10.0,
        });
        together.collect()
    };
    TogetherWith {
        causes: of(Facet::Cause),
        components: of(Facet::Component),
        symptoms: of(Facet::Symptom),
        factors: of(Facet::Factor),
    }
}

fn by_theme(learned: &[Learned], lang: Lang) -> Vec<ThemeQuotes> {
    let quotes = |group: &Learned| {
        let mut quotes: Vec<Quote> = Vec::new();
        for text in &group.texts {
            let id = text.case.id.to_string();
            // One sentence a case, so that a talkative report does not fill the list.
            if quotes.len() < QUOTES && quotes.iter().all(|quote| quote.id != id) {
                let text = shorten(text.text.get(lang), QUOTE);
                quotes.push(Quote { id, text });
            }
        }
        quotes
    };
    let groups = learned.iter().take(THEMES).map(|group| ThemeQuotes {
        theme: group.theme.map(|theme| theme.label(lang)),
        incidents: group.cases,
        quotes: quotes(group),
    });
    groups.collect()
}

/// Finds a term by `slug` or `facet/slug`.
fn find(library: &Library, given: &str, facet: Option<Facet>) -> Result<TermId, Refusal> {
    let given = given.trim().to_lowercase();
    let (slug, facet) = match given.split_once('/') {
        Some((name, slug)) => {
            let named = Facet::from_slug(name).ok_or_else(|| {
                Refusal::new(
                    format!("`{}` is not a facet", super::refusal::echo(name)),
                    "facets are `cause`, `component`, `symptom` and `factor`",
                )
            })?;
            (slug, Some(named))
        }
        None => (given.as_str(), facet),
    };
    let vocabulary = library.corpus().vocabulary();
    let facets = facet.map_or(Facet::ALL.to_vec(), |facet| vec![facet]);
    let found: Vec<TermId> = facets
        .into_iter()
        .filter_map(|facet| vocabulary.find(facet, slug))
        .collect();
    match found.as_slice() {
        [] => Err(Refusal::unknown_term(library, facet, slug)),
        [term] => Ok(*term),
        several => {
            let names: Vec<_> = several.iter().map(|id| facet_slug(library, *id)).collect();
            Err(Refusal::new(
                format!("`{slug}` stands in several facets"),
                format!("say which: {}", names.join(", ")),
            ))
        }
    }
}
