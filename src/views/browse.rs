//! Vocabulary, topics, the graph and the figures as programs see them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    case::{CaseHeadView, head},
    term::{CountView, CountsView, TermView, counts, term},
};
use crate::{
    corpus::{Facet, Lang, Localized, TermId},
    library::{Filters, Graph, Learned, LearnedText, Library, Node, Order, Spread, Stats, Topic},
};

/// `GET /api/v1/vocab`: the words that cases are described and filtered with.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct VocabView {
    /// The facets with their terms, in the order of the vocabulary.
    pub facets: Vec<FacetView>,
    /// Tags.
    pub tags: Vec<CountView>,
    /// Organisations, most cases first.
    pub organisations: Vec<CountView>,
}

/// A facet with its terms.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct FacetView {
    /// `cause`, `component`, `symptom` or `factor`.
    pub facet: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// Its terms.
    pub terms: Vec<TermDetailView>,
}

/// A vocabulary term with what it means.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct TermDetailView {
    /// `cause`, `component`, `symptom` or `factor`.
    pub facet: &'static str,
    /// The term's name.
    pub slug: String,
    /// The term's name for people.
    pub label: String,
    /// What belongs to it, and what does not.
    pub definition: String,
    /// Group of components, for browsing.
    pub group: Option<String>,
    /// Slugs of terms of the same facet that are near in mechanism.
    pub related: Vec<String>,
    /// Cases that have it.
    pub count: usize,
}

/// `GET /api/v1/topics/{facet}/{slug}`: what is known of one term.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct TopicView {
    /// The term.
    pub term: TermDetailView,
    /// How many cases have it.
    pub total: usize,
    /// How many stand before this page of them.
    pub offset: usize,
    /// A page of its cases, newest first.
    pub cases: Vec<CaseHeadView>,
    /// Other terms of its cases by facet, commonest first: "what usually causes this symptom".
    pub together: BTreeMap<&'static str, Vec<TogetherView>>,
    /// Organisations, tags and years of its cases; terms are in `together`.
    pub facets: CountsView,
    /// What the owners learned, by theme, most often drawn first; their own words.
    pub lessons: Vec<LearnedView>,
    /// What the owners promised, by theme, most often promised first; their own words.
    pub follow_ups: Vec<LearnedView>,
}

/// Another term that a topic's cases have.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct TogetherView {
    /// The other term's name.
    pub slug: String,
    /// The other term's name for people.
    pub label: String,
    /// The topic's cases that have it.
    pub count: usize,
    /// That as a share of the topic's cases.
    pub share: f32,
    /// How many times as frequent it is there as in all cases.
    pub lift: f32,
}

/// What several cases say on one theme.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct LearnedView {
    /// The theme's name; `null` for what fits none.
    pub theme: Option<&'static str>,
    /// The theme's name for people.
    pub label: Option<&'static str>,
    /// In how many cases it occurs.
    pub cases: usize,
    /// Some of the texts.
    pub texts: Vec<LearnedTextView>,
}

/// A lesson or follow-up with its case.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct LearnedTextView {
    /// The case.
    pub id: String,
    /// The text.
    pub text: String,
}

/// `GET /api/v1/graph`: what goes together.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct GraphView {
    /// How many cases it was drawn from.
    pub cases: usize,
    /// Terms by facet, commonest first; then cases.
    pub nodes: Vec<NodeView>,
    /// What goes together, strongest first.
    pub edges: Vec<EdgeView>,
    /// How much had no room.
    pub left_out: usize,
}

/// A term or a case of a graph.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct NodeView {
    /// `component/etcd`, or a case's id.
    pub id: String,
    /// `cause`, `component`, `symptom`, `factor` or `case`.
    pub kind: &'static str,
    /// Its name for people.
    pub label: String,
    /// Cases that have it; 1 for a case.
    pub count: usize,
}

/// Two nodes that go together.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct EdgeView {
    /// A node's id.
    pub from: String,
    /// Another node's id.
    pub to: String,
    /// In how many cases they stand together.
    pub count: usize,
}

/// `GET /api/v1/stats`: the library in figures.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct StatsView {
    /// How many cases are counted.
    pub cases: usize,
    /// Terms, organisations, tags and years.
    pub facets: CountsView,
    /// Cases by the owners' own grade; ungraded ones are in none.
    pub severities: Vec<NamedCountView>,
    /// From the start of the impact to its being noticed, in minutes.
    pub time_to_detect: Option<SpreadView>,
    /// From the start of the impact to its end, in minutes.
    pub time_to_recover: Option<SpreadView>,
    /// The same by cause, commonest cause first.
    pub time_to_recover_by_cause: Vec<CauseSpreadView>,
    /// In how many cases each language is written.
    pub languages: Vec<NamedCountView>,
    /// How many sources of each kind there are.
    pub sources: Vec<NamedCountView>,
}

/// A name with a count.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct NamedCountView {
    /// The name.
    pub name: &'static str,
    /// How many.
    pub count: usize,
}

/// How some lengths of time are spread, in minutes.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct SpreadView {
    /// Cases whose length is known.
    pub known: usize,
    /// The shortest.
    pub shortest: u32,
    /// A quarter are not longer.
    pub lower_quartile: u32,
    /// Half are not longer.
    pub median: u32,
    /// Three quarters are not longer.
    pub upper_quartile: u32,
    /// The longest.
    pub longest: u32,
}

/// How long cases of a cause took.
#[derive(Debug, Serialize, JsonSchema, ToSchema)]
pub struct CauseSpreadView {
    /// The cause.
    pub cause: TermView,
    /// How long.
    pub minutes: SpreadView,
}

/// Texts that are quoted of each theme; a theme may have hundreds.
const QUOTED: usize = 5;

/// Makes the view of the vocabulary: of one facet or of all.
pub fn vocab(library: &Library, facet: Option<Facet>, lang: Lang) -> VocabView {
    let vocabulary = library.corpus().vocabulary();
    let wanted = |own: &Facet| facet.is_none_or(|facet| facet == *own);
    let facets = Facet::ALL
        .into_iter()
        .filter(wanted)
        .map(|facet| FacetView {
            facet: facet.slug(),
            label: facet.label(lang),
            terms: vocabulary
                .facet(facet)
                .map(|(id, _)| detail(library, id, lang))
                .collect(),
        });
    let everything = library.list(&Filters::default(), Order::default(), 0, 0);
    let all = counts(library, &[], &everything.named, lang);
    VocabView {
        facets: facets.collect(),
        tags: all.tag,
        organisations: all.org,
    }
}

/// Makes the view of a topic with one page of its cases.
pub fn topic(
    library: &Library,
    topic: &Topic,
    offset: usize,
    limit: usize,
    lang: Lang,
) -> TopicView {
    let together = topic.together.iter().map(|(facet, others)| {
        let others = others.iter().map(|other| {
            let TermView { slug, label, .. } = term(library, other.term, lang);
            TogetherView {
                slug,
                label,
                count: other.count,
                share: other.share,
                lift: other.lift,
            }
        });
        (facet.slug(), others.collect())
    });
    let learned = |groups: &[Learned]| groups.iter().map(|group| learned(group, lang)).collect();
    TopicView {
        term: detail(library, topic.term, lang),
        total: topic.cases.len(),
        offset,
        cases: topic
            .cases
            .iter()
            .skip(offset)
            .take(limit)
            .map(|case| head(library, case, lang))
            .collect(),
        together: together.collect(),
        facets: counts(library, &[], &topic.named, lang),
        lessons: learned(&topic.lessons),
        follow_ups: learned(&topic.follow_ups),
    }
}

/// Makes the view of a graph.
pub fn graph(library: &Library, graph: &Graph, lang: Lang) -> GraphView {
    let node = |node: &Node| match node {
        Node::Term(id, count) => {
            let TermView { facet, slug, label } = term(library, *id, lang);
            NodeView {
                id: format!("{facet}/{slug}"),
                kind: facet,
                label,
                count: *count,
            }
        }
        Node::Case(case) => NodeView {
            id: case.id.to_string(),
            kind: "case",
            label: case.title.get(lang).to_owned(),
            count: 1,
        },
    };
    let nodes: Vec<NodeView> = graph.nodes.iter().map(node).collect();
    let edges = graph.edges.iter().map(|edge| EdgeView {
        from: nodes[edge.from].id.clone(),
        to: nodes[edge.to].id.clone(),
        count: edge.count,
    });
    GraphView {
        cases: graph.cases,
        edges: edges.collect(),
        nodes,
        left_out: graph.left_out,
    }
}

/// Makes the view of the figures.
pub fn stats(library: &Library, stats: &Stats, lang: Lang) -> StatsView {
    let named = |name, count: usize| NamedCountView { name, count };
    StatsView {
        cases: stats.cases,
        facets: counts(library, &stats.facets, &stats.named, lang),
        severities: stats
            .severities
            .iter()
            .map(|(severity, count)| named(severity.slug(), *count))
            .collect(),
        time_to_detect: stats.time_to_detect.map(spread),
        time_to_recover: stats.time_to_recover.map(spread),
        time_to_recover_by_cause: stats
            .recover_by_cause
            .iter()
            .map(|(cause, minutes)| CauseSpreadView {
                cause: term(library, *cause, lang),
                minutes: spread(*minutes),
            })
            .collect(),
        languages: stats
            .languages
            .iter()
            .map(|(lang, count)| named(lang.code(), *count))
            .collect(),
        sources: stats
            .sources
            .iter()
            .map(|(kind, count)| named(kind.slug(), *count))
            .collect(),
    }
}

fn detail(library: &Library, id: TermId, lang: Lang) -> TermDetailView {
    let vocabulary = library.corpus().vocabulary();
    let term = vocabulary.term(id);
    let text = |text: &Localized| text.get(lang).to_owned();
    TermDetailView {
        facet: term.facet.slug(),
        slug: term.slug.clone(),
        label: text(&term.label),
        definition: text(&term.definition),
        group: term.group.clone(),
        related: term
            .related
            .iter()
            .map(|id| vocabulary.term(*id).slug.clone())
            .collect(),
        count: library.count(id),
    }
}

fn learned(group: &Learned, lang: Lang) -> LearnedView {
    let text = |own: &LearnedText| LearnedTextView {
        id: own.case.id.to_string(),
        text: own.text.get(lang).to_owned(),
    };
    LearnedView {
        theme: group.theme.map(|theme| theme.slug),
        label: group.theme.map(|theme| theme.label(lang)),
        cases: group.cases,
        texts: group.texts.iter().take(QUOTED).map(text).collect(),
    }
}

fn spread(spread: Spread) -> SpreadView {
    let Spread {
        known,
        shortest,
        lower_quartile,
        median,
        upper_quartile,
        longest,
    } = spread;
    SpreadView {
        known,
        shortest,
        lower_quartile,
        median,
        upper_quartile,
        longest,
    }
}
