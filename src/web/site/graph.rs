//! The graph: what occurs together, drawn here, with the same content as a list beside it.

use askama::Template;

use self::drawn::{COLUMNS, Drawn, Measures, Named, Scene, heading};
use super::{
    fault::Fault,
    page::{Nav, Page, Reply, TermLink},
    params::Asked,
    strings,
    visit::Visit,
};
use crate::{
    corpus::{CaseId, Facet},
    library::{Drawing, Edge, Filter, Graph, Library, Lookup, Node, PAGE_LIMIT, Scope},
};

mod drawn;
mod small;

pub(super) use small::{Small, small};

/// Nodes of a picture: as many as can still be read.
const NODES: usize = 64;

/// Neighbours that the list names for each node.
const NEIGHBOURS: usize = 8;

/// Answers `GET /graph`.
pub(super) fn page(library: &Library, visit: &Visit) -> Result<Reply, Fault> {
    let t = visit.t();
    let sought = sought(visit);
    if let Some(place) = sought
        .as_deref()
        .and_then(|name| found(library, visit, name))
    {
        return Ok(Reply::elsewhere(place));
    }
    let wanted = Wanted::read(library, visit)?;
    let drawing = Drawing {
        facets: wanted.facets(),
        cases: wanted.cases,
        nodes: NODES,
    };
    let graph = library
        .graph(&wanted.scope, &drawing)
        .map_err(|unknown| Fault::no_case(library, visit, unknown.0.as_str()))?;
    let centre = wanted.centre(library, visit);
    let title = if centre.is_empty() {
        t.graph_title.to_owned()
    } else {
        format!("{} · {}", centre.join(" · "), t.graph_title)
    };
    let mut page = Page::new(visit, Nav::Graph, title, t.graph_lead.to_owned());
    page.hidden =
        !centre.is_empty() || wanted.cases || !wanted.hidden.is_empty() || sought.is_some();
    let template = GraphPage {
        kept: wanted.kept(),
        near: sought
            .as_deref()
            .map_or(Vec::new(), |name| near(library, visit, name)),
        sought,
        count: strings::cases(graph.cases, visit.lang),
        cut: graph.left_out > 0,
        switches: wanted.switches(visit),
        cases_switch: wanted.cases_switch(visit),
        cases_shown: wanted.cases,
        drawn: wanted.scene(library, visit, &graph).draw(),
        list: list(&wanted.scene(library, visit, &graph)),
        whole: visit.links.to("/graph"),
        centre,
        page,
    };
    Ok(Reply::html(template.render()))
}

#[derive(Template)]
#[template(path = "graph.html")]
struct GraphPage {
    page: Page,
    centre: Vec<String>,
    count: String,
    cut: bool,
    switches: Vec<Switch>,
    /// The picture with cases, or without them; nothing where they always belong.
    cases_switch: Option<String>,
    cases_shown: bool,
    drawn: Drawn,
    list: Vec<ListGroup>,
    whole: String,
    /// A name that was looked for and is not known, and those that may have been meant.
    sought: Option<String>,
    near: Vec<TermLink>,
    /// What the picture is of, for the form that looks for a name.
    kept: Vec<(&'static str, String)>,
}

/// Longest name that is looked for.
const NAME: usize = 200;

/// Names that may have been meant.
const NEAR: usize = 3;

/// Returns the name that somebody looks for.
fn sought(visit: &Visit) -> Option<String> {
    let mut parameters = visit.parameters();
    let (_, name) = parameters.find(|(key, _)| key == "find")?;
    let name: String = name.trim().chars().take(NAME).collect();
    (!name.is_empty()).then_some(name)
}

/// Returns the picture around what somebody calls by a name.
fn found(library: &Library, visit: &Visit, name: &str) -> Option<String> {
    if let Ok(id) = name.parse::<CaseId>() {
        let case = library.case(&id).ok()?;
        return Some(visit.links.with("/graph", &[("case", case.id.as_str())]));
    }
    let mut facets = Facet::ALL.into_iter();
    let term = facets.find_map(|facet| library.term_named(facet, name))?;
    let term = library.corpus().vocabulary().term(term);
    Some(visit.links.graph(term.facet, &term.slug))
}

/// Returns the pictures that may have been meant.
fn near(library: &Library, visit: &Visit, name: &str) -> Vec<TermLink> {
    let near = library.terms_near(None, name).into_iter().take(NEAR);
    near.map(|id| {
        let term = library.corpus().vocabulary().term(id);
        TermLink {
            label: term.label.get(visit.lang).to_owned(),
            href: visit.links.graph(term.facet, &term.slug),
        }
    })
    .collect()
}

/// A kind of node that can be left out.
struct Switch {
    label: &'static str,
    on: bool,
    href: String,
}

/// A kind of node in the list.
struct ListGroup {
    heading: &'static str,
    entries: Vec<ListEntry>,
}

struct ListEntry {
    label: String,
    href: String,
    count: String,
    around: String,
    with: Vec<(String, String, usize)>,
}

/// What is to be drawn, as the address says.
struct Wanted {
    scope: Scope,
    asked: Asked,
    case: Option<CaseId>,
    cases: bool,
    hidden: Vec<Facet>,
}

impl Wanted {
    fn read(library: &Library, visit: &Visit) -> Result<Self, Fault> {
        let asked = Asked::read(visit)?;
        let mut case = None;
        let mut cases = false;
        let mut hidden = Vec::new();
        for (name, value) in visit.parameters() {
            match name.as_str() {
                "case" => {
                    case = Some(
                        value
                            .parse()
                            .map_err(|_| Fault::no_case(library, visit, &value))?,
                    );
                }
                "cases" => cases = value == "1",
                "hide" => hidden.extend(
                    Facet::from_slug(&value)
                        .filter(|facet| !hidden.contains(facet))
                        .into_iter()
                        .collect::<Vec<_>>(),
                ),
                _ => {}
            }
        }
        // A picture of nothing helps nobody.
        if hidden.len() >= Facet::ALL.len() {
            hidden.clear();
        }
        let scope = match &case {
            Some(id) => Scope::Around(CaseId::clone(id)),
            None if asked.text.is_empty() => Scope::Found(asked.resolve(library, visit)?),
            None => {
                let lookup = Lookup {
                    filters: asked.resolve(library, visit)?,
                    limit: PAGE_LIMIT,
                    ..Lookup::new(asked.text.as_str())
                };
                let answer = library.lookup(&lookup).precedents.into_iter();
                Scope::Cases(answer.map(|own| own.case.id.clone()).collect())
            }
        };
        Ok(Self {
            scope,
            asked,
            cases: cases || case.is_some(),
            case,
            hidden,
        })
    }

    fn facets(&self) -> Vec<Facet> {
        let shown = |facet: &Facet| !self.hidden.contains(facet);
        Facet::ALL.into_iter().filter(shown).collect()
    }

    /// Names what the picture is drawn around.
    fn centre(&self, library: &Library, visit: &Visit) -> Vec<String> {
        if let Some(id) = &self.case {
            return vec![id.to_string()];
        }
        let text = Some(self.asked.text.chars().take(80).collect::<String>());
        let filters = self.asked.filters.iter();
        let filters = filters.map(|(key, value)| Asked::label(library, visit, *key, value).1);
        let text = text.filter(|text| !text.is_empty()).into_iter();
        text.chain(filters).collect()
    }

    fn href(&self, visit: &Visit, cases: bool, hidden: &[Facet]) -> String {
        let mut parameters: Vec<(&str, &str)> = Vec::new();
        if let Some(id) = &self.case {
            parameters.push(("case", id.as_str()));
        } else {
            if !self.asked.text.is_empty() {
                parameters.push(("q", &self.asked.text));
            }
            let filters = self.asked.filters.iter();
            parameters.extend(filters.map(|(key, value)| (key.key(), value.as_str())));
            if cases {
                parameters.push(("cases", "1"));
            }
        }
        parameters.extend(hidden.iter().map(|facet| ("hide", facet.slug())));
        visit.links.with("/graph", &parameters)
    }

    /// Returns what has to stay when a name is looked for that is not known.
    fn kept(&self) -> Vec<(&'static str, String)> {
        let mut kept = Vec::new();
        if let Some(id) = &self.case {
            kept.push(("case", id.to_string()));
            return kept;
        }
        if !self.asked.text.is_empty() {
            kept.push(("q", self.asked.text.clone()));
        }
        let filters = self.asked.filters.iter();
        kept.extend(filters.map(|(key, value)| (key.key(), value.clone())));
        kept
    }

    fn switches(&self, visit: &Visit) -> Vec<Switch> {
        let switch = |facet: Facet| {
            let on = !self.hidden.contains(&facet);
            let mut hidden = self.hidden.clone();
            if on {
                hidden.push(facet);
            } else {
                hidden.retain(|own| *own != facet);
            }
            Switch {
                label: visit.t().facet(facet),
                on,
                href: self.href(visit, self.cases, &hidden),
            }
        };
        Facet::ALL.map(switch).into()
    }

    fn cases_switch(&self, visit: &Visit) -> Option<String> {
        self.case
            .is_none()
            .then(|| self.href(visit, !self.cases, &self.hidden))
    }

    fn scene<'a>(&'a self, library: &'a Library, visit: &'a Visit, graph: &'a Graph) -> Scene<'a> {
        let is_centre = move |node: &Node| match (node, &self.case) {
            (Node::Case(case), Some(id)) => case.id == *id,
            (Node::Term(id, _), None) => {
                let term = library.corpus().vocabulary().term(*id);
                self.asked.has(Filter::Term(term.facet), &term.slug)
            }
            _ => false,
        };
        Scene {
            library,
            visit,
            graph,
            measures: Measures::WIDE,
            is_centre: Box::new(is_centre),
            // A picture goes on from each of its nodes; from its centre to that one's own page.
            lead: Box::new(move |term| visit.links.graph(term.facet, &term.slug)),
        }
    }
}

fn list(scene: &Scene<'_>) -> Vec<ListGroup> {
    let (graph, visit) = (scene.graph, scene.visit);
    let named: Vec<Named> = graph.nodes.iter().map(|node| scene.named(node)).collect();
    let mut groups: Vec<ListGroup> = Vec::new();
    for column in COLUMNS {
        let members = graph
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| scene.column_of(node) == column);
        let entries: Vec<ListEntry> = members
            .map(|(at, node)| {
                let own = &named[at];
                ListEntry {
                    label: own.label.clone(),
                    href: own.href.clone(),
                    count: own.count.clone(),
                    around: match node {
                        Node::Term(..) => own.explore.clone(),
                        Node::Case(case) => {
                            visit.links.with("/graph", &[("case", case.id.as_str())])
                        }
                    },
                    with: neighbours(graph, at)
                        .take(NEIGHBOURS)
                        .map(|(other, count)| {
                            let other = &named[other];
                            (other.label.clone(), other.href.clone(), count)
                        })
                        .collect(),
                }
            })
            .collect();
        if !entries.is_empty() {
            groups.push(ListGroup {
                heading: heading(visit, column),
                entries,
            });
        }
    }
    groups
}

/// Iterates over the nodes tied to one, strongest first.
fn neighbours(graph: &Graph, node: usize) -> impl Iterator<Item = (usize, usize)> {
    graph
        .edges
        .iter()
        .filter_map(move |Edge { from, to, count }| {
            if *from == node {
                Some((*to, *count))
            } else if *to == node {
                Some((*from, *count))
            } else {
                None
            }
        })
}
