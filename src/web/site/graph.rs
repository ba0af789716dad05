//! The graph: what occurs together, drawn here, with the same content as a list beside it.

use askama::Template;

use super::{
    fault::Fault,
    layout::{self, Plan},
    page::{Nav, Page, Reply},
    params::{Asked, Key},
    strings,
    visit::Visit,
};
use crate::{
    corpus::{CaseId, Facet},
    library::{Drawing, Edge, Graph, Library, Node, Scope},
};

/// Nodes of a picture: as many as can still be read.
const NODES: usize = 64;

/// Widths of nodes in the picture's units.
const TERM_WIDTH: i32 = 216;
const CASE_WIDTH: i32 = 290;

/// Room left and right of a label.
const PADDING: i32 = 44;

/// Neighbours that the list names for each node.
const NEIGHBOURS: usize = 8;

/// Lines that are drawn for each node at most on its own account: those that tell most of it.
const LINES: usize = 3;

/// The order of the columns: from what is seen to what lets it happen, cases in the middle.
const COLUMNS: [Column; 5] = [
    Column::Terms(Facet::Symptom),
    Column::Terms(Facet::Component),
    Column::Cases,
    Column::Terms(Facet::Cause),
    Column::Terms(Facet::Factor),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Terms(Facet),
    Cases,
}

/// Answers `GET /graph`.
pub(super) fn page(library: &Library, visit: &Visit) -> Result<Reply, Fault> {
    let t = visit.t();
    let wanted = Wanted::read(library, visit)?;
    let drawing = Drawing {
        facets: wanted.facets(),
        cases: wanted.cases,
        nodes: NODES,
    };
    let graph = library
        .graph(&wanted.scope, &drawing)
        .map_err(|unknown| Fault::no_case(visit, unknown.0.as_str()))?;
    let centre = wanted.centre(library, visit);
    let title = if centre.is_empty() {
        t.graph_title.to_owned()
    } else {
        format!("{} · {}", centre.join(" · "), t.graph_title)
    };
    let mut page = Page::new(visit, Nav::Graph, title, t.graph_lead.to_owned());
    page.hidden = !centre.is_empty() || wanted.cases || !wanted.hidden.is_empty();
    let template = GraphPage {
        count: strings::cases(graph.cases, visit.lang),
        cut: graph.left_out > 0,
        switches: wanted.switches(visit),
        cases_switch: wanted.cases_switch(visit),
        cases_shown: wanted.cases,
        drawn: draw(library, visit, &graph, &wanted),
        list: list(library, visit, &graph, &wanted),
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
}

/// A kind of node that can be left out.
struct Switch {
    label: &'static str,
    on: bool,
    href: String,
}

/// The picture.
struct Drawn {
    width: i32,
    height: i32,
    headings: Vec<(i32, &'static str)>,
    nodes: Vec<NodeView>,
    lines: Vec<LineView>,
}

struct NodeView {
    number: usize,
    x: i32,
    y: i32,
    width: i32,
    label: String,
    full: String,
    count: String,
    href: String,
    class: &'static str,
    centre: bool,
}

struct LineView {
    from: usize,
    to: usize,
    path: String,
    width: String,
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
                    case = Some(value.parse().map_err(|_| Fault::no_case(visit, &value))?);
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
            None => Scope::Found(asked.resolve(library, visit)?),
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
        let filters = self.asked.filters.iter();
        filters
            .map(|(key, value)| Asked::label(library, visit, *key, value).1)
            .collect()
    }

    fn href(&self, visit: &Visit, cases: bool, hidden: &[Facet]) -> String {
        let mut parameters: Vec<(&str, &str)> = Vec::new();
        if let Some(id) = &self.case {
            parameters.push(("case", id.as_str()));
        } else {
            let filters = self.asked.filters.iter();
            parameters.extend(filters.map(|(key, value)| (key.name(), value.as_str())));
            if cases {
                parameters.push(("cases", "1"));
            }
        }
        parameters.extend(hidden.iter().map(|facet| ("hide", facet.slug())));
        visit.links.with("/graph", &parameters)
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

    /// Returns whether the picture is drawn around a term.
    fn is_centre(&self, facet: Facet, slug: &str) -> bool {
        self.case.is_none() && self.asked.has(Key::Term(facet), slug)
    }
}

fn column_of(library: &Library, node: &Node) -> Column {
    match node {
        Node::Term(term, _) => Column::Terms(library.facet(*term)),
        Node::Case(_) => Column::Cases,
    }
}

fn heading(visit: &Visit, column: Column) -> &'static str {
    match column {
        Column::Terms(facet) => visit.t().facet(facet),
        Column::Cases => visit.t().cases_word,
    }
}

fn draw(library: &Library, visit: &Visit, graph: &Graph, wanted: &Wanted) -> Drawn {
    let kinds: Vec<Column> = graph
        .nodes
        .iter()
        .map(|node| column_of(library, node))
        .collect();
    let columns: Vec<Column> = COLUMNS
        .into_iter()
        .filter(|column| kinds.contains(column))
        .collect();
    let width = |column: Column| match column {
        Column::Terms(_) => TERM_WIDTH,
        Column::Cases => CASE_WIDTH,
    };
    let place = |kind: &Column| {
        columns
            .iter()
            .position(|column| column == kind)
            .unwrap_or_default()
    };
    let drawn = telling(graph);
    let plan = Plan {
        widths: columns.iter().map(|column| width(*column)).collect(),
        columns: kinds.iter().map(place).collect(),
        ties: drawn
            .iter()
            .map(|edge| (edge.from, edge.to, edge.count))
            .collect(),
    };
    let picture = layout::lay_out(&plan);
    let nodes = graph.nodes.iter().enumerate().map(|(number, node)| {
        let (x, y) = picture.nodes[number];
        let width = plan.widths[plan.columns[number]];
        let named = Named::of(library, visit, node, wanted);
        NodeView {
            number,
            x,
            y,
            width,
            label: layout::fitting(&named.label, width - PADDING),
            full: named.label,
            count: named.count,
            href: named.explore,
            class: named.class,
            centre: named.centre,
        }
    });
    let strongest = drawn.iter().map(|edge| edge.count).max().unwrap_or(1);
    let lines = drawn.iter().zip(&picture.lines).map(|(edge, path)| {
        let strength = edge.count as f32 / strongest as f32;
        LineView {
            from: edge.from,
            to: edge.to,
            path: path.clone(),
            width: format!(
                "{:.1}",
                if strongest == 1 {
                    1.4
                } else {
                    0.8 + 5.2 * strength
                }
            ),
        }
    });
    Drawn {
        width: picture.width,
        height: picture.height,
        headings: picture
            .columns
            .iter()
            .zip(&columns)
            .map(|(x, column)| (*x, heading(visit, *column)))
            .collect(),
        nodes: nodes.collect(),
        // The strongest are drawn last, on top.
        lines: lines.rev().collect(),
    }
}

/// Picks the lines to draw: of each node those to the nodes that it goes together with more than their frequency alone would
/// make it, so that what occurs everywhere does not cover everything. Lines of cases are all drawn.
fn telling(graph: &Graph) -> Vec<Edge> {
    let frequency = |node: usize| match &graph.nodes[node] {
        Node::Term(_, count) => *count as f32,
        Node::Case(_) => 1.0,
    };
    let is_case = |edge: &Edge| matches!(graph.nodes[edge.to], Node::Case(_));
    let closeness =
        |edge: &Edge| edge.count as f32 / (frequency(edge.from) * frequency(edge.to)).sqrt();
    let mut closest: Vec<&Edge> = graph.edges.iter().collect();
    closest.sort_by(|a, b| closeness(b).total_cmp(&closeness(a)));
    let mut lines = vec![0_usize; graph.nodes.len()];
    let mut kept: Vec<Edge> = Vec::new();
    for edge in closest {
        if is_case(edge) || lines[edge.from] < LINES || lines[edge.to] < LINES {
            lines[edge.from] += 1;
            lines[edge.to] += 1;
            kept.push(*edge);
        }
    }
    kept.sort_by_key(|edge| (std::cmp::Reverse(edge.count), edge.from, edge.to));
    kept
}

/// A node for people.
struct Named {
    label: String,
    count: String,
    /// Where the node's own page is.
    href: String,
    /// Where the picture goes on from it.
    explore: String,
    class: &'static str,
    centre: bool,
}

impl Named {
    fn of(library: &Library, visit: &Visit, node: &Node, wanted: &Wanted) -> Self {
        match node {
            Node::Term(id, count) => {
                let term = library.corpus().vocabulary().term(*id);
                let href = visit.links.topic(term.facet, &term.slug);
                let centre = wanted.is_centre(term.facet, &term.slug);
                Self {
                    label: term.label.get(visit.lang).to_owned(),
                    count: strings::grouped(*count),
                    explore: if centre {
                        href.clone()
                    } else {
                        visit.links.graph(term.facet, &term.slug)
                    },
                    href,
                    class: term.facet.slug(),
                    centre,
                }
            }
            Node::Case(case) => {
                let href = visit.links.case(&case.id);
                Self {
                    label: format!("{} {}", case.id, case.title.get(visit.lang)),
                    count: String::new(),
                    explore: href.clone(),
                    href,
                    class: "case",
                    centre: wanted.case.as_ref() == Some(&case.id),
                }
            }
        }
    }
}

fn list(library: &Library, visit: &Visit, graph: &Graph, wanted: &Wanted) -> Vec<ListGroup> {
    let named: Vec<Named> = graph
        .nodes
        .iter()
        .map(|node| Named::of(library, visit, node, wanted))
        .collect();
    let mut groups: Vec<ListGroup> = Vec::new();
    for column in COLUMNS {
        let members = graph
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| column_of(library, node) == column);
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
