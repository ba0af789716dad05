//! What goes together, as a picture: causes, components, symptoms, factors and cases, bounded and always the same.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{Filters, Library, UnknownCase};
use crate::corpus::{Case, CaseId, Facet, TermId};

/// Which part of the library is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The cases that filters allow. One term as the filter gives that term's neighbourhood.
    Found(Filters),
    /// One case with the cases closest to it.
    Around(CaseId),
}

/// What is drawn of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// Facets whose terms are drawn.
    pub facets: Vec<Facet>,
    /// Whether the cases themselves are drawn too. [`Scope::Around`] always draws them.
    pub cases: bool,
    /// Most nodes, up to [`NODE_LIMIT`].
    pub nodes: usize,
}

impl Default for Drawing {
    fn default() -> Self {
        Self {
            facets: Facet::ALL.to_vec(),
            cases: false,
            nodes: 60,
        }
    }
}

/// What a node stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A term, with the number of found cases that have it.
    Term(TermId, usize),
    /// A case.
    Case(Arc<Case>),
}

/// Two nodes that go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Place of the first in [`Graph::nodes`].
    pub from: usize,
    /// Place of the second, greater than the first.
    pub to: usize,
    /// In how many found cases they stand together; 1 between a case and its term.
    pub count: usize,
}

/// A picture of what goes together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Terms by facet, commonest first; then cases.
    pub nodes: Vec<Node>,
    /// What goes together, strongest first.
    pub edges: Vec<Edge>,
    /// How many cases it was drawn from.
    pub cases: usize,
    /// Terms and, where drawn, cases that had no room.
    pub left_out: usize,
}

/// Most nodes of a graph; more is no picture any longer.
pub const NODE_LIMIT: usize = 150;

/// Most edges for each node, on average. The weakest are left out.
const EDGES_PER_NODE: usize = 4;

/// Cases that are drawn around one.
const NEIGHBOURS: usize = 12;

impl Library {
    /// Draws what goes together in a part of the library.
    ///
    /// # Errors
    /// When there is no such case, or it was withdrawn.
    pub fn graph(&self, scope: &Scope, drawing: &Drawing) -> Result<Graph, UnknownCase> {
        let limit = drawing.nodes.min(NODE_LIMIT);
        let cases = self.corpus.cases();
        let (ordinals, with_cases): (Vec<usize>, bool) = match scope {
            Scope::Found(filters) => (self.newest_first(filters).collect(), drawing.cases),
            Scope::Around(id) => {
                let own = cases
                    .iter()
                    .position(|case| case.id == *id && self.shows(case))
                    .ok_or_else(|| UnknownCase(id.clone()))?;
                let shows = |other: &Case| self.shows(other);
                let near = self.sight().similar(&self.corpus, own, NEIGHBOURS, shows);
                let near = near.into_iter().map(|neighbour| neighbour.ordinal);
                (std::iter::once(own).chain(near).collect(), true)
            }
        };
        let counts: Vec<_> = self
            .term_counts(ordinals.iter().copied())
            .into_iter()
            .filter(|count| drawing.facets.contains(&self.facet(count.term)))
            .collect();
        let case_room = if with_cases {
            ordinals.len().min(limit / 2)
        } else {
            0
        };
        let mut terms = counts.clone();
        terms.sort_by_key(|count| (Reverse(count.count), count.term));
        terms.truncate(limit - case_room);
        terms.sort_by_key(|count| (self.facet(count.term), Reverse(count.count), count.term));
        let mut nodes: Vec<Node> = terms
            .iter()
            .map(|count| Node::Term(count.term, count.count))
            .collect();
        let place: BTreeMap<TermId, usize> = terms
            .iter()
            .enumerate()
            .map(|(at, count)| (count.term, at))
            .collect();
        let drawn = case_room.min(limit - nodes.len());
        let mut edges: Vec<Edge> = Vec::new();
        for ordinal in ordinals.iter().take(drawn) {
            let to = nodes.len();
            nodes.push(Node::Case(Arc::clone(&cases[*ordinal])));
            let own = cases[*ordinal].all_terms();
            let known: BTreeSet<usize> = own.filter_map(|term| place.get(&term).copied()).collect();
            edges.extend(known.into_iter().map(|from| Edge { from, to, count: 1 }));
        }
        if drawn == 0 {
            edges = self.pairs(&ordinals, &place);
            thin_out(&mut edges, nodes.len());
        }
        let all = counts.len() + if with_cases { ordinals.len() } else { 0 };
        Ok(Graph {
            left_out: all - nodes.len(),
            cases: ordinals.len(),
            nodes,
            edges,
        })
    }

    /// Counts in how many cases terms of different facets stand together. Within a facet it says little: a case lists
    /// all components that were touched.
    fn pairs(&self, ordinals: &[usize], place: &BTreeMap<TermId, usize>) -> Vec<Edge> {
        let mut pairs: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for ordinal in ordinals {
            let own = self.corpus.cases()[*ordinal].all_terms();
            let known: BTreeMap<usize, Facet> = own
                .filter_map(|term| Some((*place.get(&term)?, self.facet(term))))
                .collect();
            for (from, facet) in &known {
                for (to, _) in known.range(from + 1..).filter(|(_, other)| *other != facet) {
                    *pairs.entry((*from, *to)).or_default() += 1;
                }
            }
        }
        let mut edges: Vec<Edge> = pairs
            .into_iter()
            .map(|((from, to), count)| Edge { from, to, count })
            .collect();
        edges.sort_by_key(|edge| (Reverse(edge.count), edge.from, edge.to));
        edges
    }
}

/// Keeps the strongest edges, and of each node at least its strongest. Edges arrive strongest first.
fn thin_out(edges: &mut Vec<Edge>, nodes: usize) {
    let most = nodes * EDGES_PER_NODE;
    let mut tied = vec![false; nodes];
    let mut at = 0;
    edges.retain(|edge| {
        at += 1;
        let first_of_a_node = !tied[edge.from] || !tied[edge.to];
        tied[edge.from] = true;
        tied[edge.to] = true;
        at <= most || first_of_a_node
    });
}
