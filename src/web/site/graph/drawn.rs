//! The picture of a graph: what stands where, what is tied, what is told of each node.

use super::super::{
    layout::{self, Plan},
    strings,
    visit::Visit,
};
use crate::{
    corpus::{Facet, Term},
    library::{Edge, Graph, Library, Node},
};

/// Lines that are drawn for each node at most on its own account: those that tell most of it.
const LINES: usize = 3;

/// The order of the columns: from what is seen to what lets it happen, cases in the middle.
pub(super) const COLUMNS: [Column; 5] = [
    Column::Terms(Facet::Symptom),
    Column::Terms(Facet::Component),
    Column::Cases,
    Column::Terms(Facet::Cause),
    Column::Terms(Facet::Factor),
];

/// A kind of node, which stands in a column of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Terms(Facet),
    Cases,
}

/// Widths of nodes, and of what lies between columns, in the picture's units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measures {
    term: i32,
    case: i32,
    gap: i32,
    /// Room left and right of a label, with a number and without.
    padding: (i32, i32),
    /// Width of five narrow letters.
    five: i32,
    /// Whether a case's node has its title.
    titles: bool,
}

impl Measures {
    /// A page's whole width and more.
    pub(super) const WIDE: Self = Self {
        term: 216,
        case: 290,
        gap: 130,
        padding: (44, 22),
        five: 38,
        titles: true,
    };

    /// The width of a list of cases, in five columns or four.
    pub(super) const fn narrow(cases: bool) -> Self {
        Self {
            term: if cases { 168 } else { 204 },
            case: 100,
            gap: if cases { 34 } else { 36 },
            padding: (34, 20),
            five: 33,
            titles: false,
        }
    }
}

/// The picture.
pub(in crate::web::site) struct Drawn {
    pub(in crate::web::site) width: i32,
    pub(in crate::web::site) height: i32,
    pub(in crate::web::site) headings: Vec<(i32, &'static str)>,
    pub(in crate::web::site) nodes: Vec<NodeView>,
    pub(in crate::web::site) lines: Vec<LineView>,
}

pub(in crate::web::site) struct NodeView {
    pub(in crate::web::site) number: usize,
    pub(in crate::web::site) x: i32,
    pub(in crate::web::site) y: i32,
    pub(in crate::web::site) width: i32,
    pub(in crate::web::site) label: String,
    pub(in crate::web::site) full: String,
    pub(in crate::web::site) also: String,
    pub(in crate::web::site) count: String,
    pub(in crate::web::site) href: String,
    pub(in crate::web::site) class: &'static str,
    pub(in crate::web::site) centre: bool,
}

pub(in crate::web::site) struct LineView {
    pub(in crate::web::site) from: usize,
    pub(in crate::web::site) to: usize,
    pub(in crate::web::site) path: String,
    pub(in crate::web::site) width: String,
}

/// What is to be drawn, for whom, and how.
pub(super) struct Scene<'a> {
    pub(super) library: &'a Library,
    pub(super) visit: &'a Visit,
    pub(super) graph: &'a Graph,
    pub(super) measures: Measures,
    /// Whether the picture is drawn around a node.
    pub(super) is_centre: Box<dyn Fn(&Node) -> bool + 'a>,
    /// Where a term's node leads.
    pub(super) lead: Box<dyn Fn(&Term) -> String + 'a>,
}

impl Scene<'_> {
    /// Draws it.
    pub(super) fn draw(&self) -> Drawn {
        let (graph, measures) = (self.graph, self.measures);
        let kinds: Vec<Column> = graph
            .nodes
            .iter()
            .map(|node| self.column_of(node))
            .collect();
        let columns: Vec<Column> = COLUMNS
            .into_iter()
            .filter(|column| kinds.contains(column))
            .collect();
        let width = |column: Column| match column {
            Column::Terms(_) => measures.term,
            Column::Cases => measures.case,
        };
        let place = |kind: &Column| {
            columns
                .iter()
                .position(|column| column == kind)
                .unwrap_or_default()
        };
        let drawn = telling(graph);
        let plan = Plan {
            gap: measures.gap,
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
            let named = self.named(node);
            let (beside_number, alone) = measures.padding;
            let padding = if named.count.is_empty() {
                alone
            } else {
                beside_number
            };
            NodeView {
                number,
                x,
                y,
                width,
                label: layout::fitting(&named.short, width - padding, measures.five),
                full: named.label,
                also: named.also,
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
                .map(|(x, column)| (*x, heading(self.visit, *column)))
                .collect(),
            nodes: nodes.collect(),
            // The strongest are drawn last, on top.
            lines: lines.rev().collect(),
        }
    }

    pub(super) fn column_of(&self, node: &Node) -> Column {
        match node {
            Node::Term(term, _) => Column::Terms(self.library.facet(*term)),
            Node::Case(_) => Column::Cases,
        }
    }

    /// Names a node.
    pub(super) fn named(&self, node: &Node) -> Named {
        let (lang, links) = (self.visit.lang, self.visit.links);
        let centre = (self.is_centre)(node);
        match node {
            Node::Term(id, count) => {
                let term = self.library.corpus().vocabulary().term(*id);
                let href = links.topic(term.facet, &term.slug);
                let label = term.label.get(lang).to_owned();
                let other = term.label.get(lang.other());
                Named {
                    short: label.clone(),
                    also: if other == label {
                        String::new()
                    } else {
                        other.to_owned()
                    },
                    label,
                    count: strings::grouped(*count),
                    explore: if centre {
                        href.clone()
                    } else {
                        (self.lead)(term)
                    },
                    href,
                    class: term.facet.slug(),
                    centre,
                }
            }
            Node::Case(case) => {
                let href = links.case(&case.id);
                let label = format!("{} {}", case.id, case.title.get(lang));
                Named {
                    short: if self.measures.titles {
                        label.clone()
                    } else {
                        case.id.to_string()
                    },
                    also: String::new(),
                    label,
                    count: String::new(),
                    explore: href.clone(),
                    href,
                    class: "case",
                    centre,
                }
            }
        }
    }
}

/// Heads a column.
pub(super) fn heading(visit: &Visit, column: Column) -> &'static str {
    match column {
        Column::Terms(facet) => visit.t().facet(facet),
        Column::Cases => visit.t().cases_word,
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
pub(super) struct Named {
    pub(super) label: String,
    /// What there is room for.
    short: String,
    /// What it is called in the other language, where that differs.
    also: String,
    pub(super) count: String,
    /// Where the node's own page is.
    pub(super) href: String,
    /// Where the picture goes on from it.
    pub(super) explore: String,
    class: &'static str,
    centre: bool,
}
