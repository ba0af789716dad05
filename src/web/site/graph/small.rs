//! The small picture under a list: how the cases of the list hang together.

use super::{
    super::{params::Asked, strings, visit::Visit},
    drawn::{Drawn, Measures, Scene},
};
use crate::{
    corpus::{CaseId, Facet, Term},
    library::{Answer, Drawing, Filter, Filters, Library, Scope},
};

/// Nodes of a small picture.
const NODES: usize = 24;

/// Up to how many cases are drawn themselves.
const CASES: usize = 6;

/// Fewest cases that hang together at all.
const FEWEST: usize = 2;

/// A small picture.
pub(in crate::web::site) struct Small {
    /// "These 12 cases as a graph".
    pub(in crate::web::site) title: String,
    pub(in crate::web::site) drawn: Drawn,
    /// Where the large one is.
    pub(in crate::web::site) whole: String,
}

/// Draws what was found: all that filters allow, or of a question's answer the page that is shown. A node narrows the list.
pub(in crate::web::site) fn small(
    library: &Library,
    visit: &Visit,
    asked: &Asked,
    filters: &Filters,
    answer: &Answer,
) -> Option<Small> {
    if asked.is_blank() || answer.precedents.len() < FEWEST {
        return None;
    }
    let shown = answer.precedents.iter().map(|own| own.case.id.clone());
    let shown: Vec<CaseId> = shown.collect();
    let drawing = Drawing {
        facets: Facet::ALL.to_vec(),
        cases: answer.total <= CASES,
        nodes: NODES,
    };
    let scope = if asked.text.is_empty() {
        Scope::Found(filters.clone())
    } else {
        Scope::Cases(shown)
    };
    let graph = library.graph(&scope, &drawing).ok()?;
    let scene = Scene {
        library,
        visit,
        graph: &graph,
        measures: Measures::narrow(drawing.cases),
        is_centre: Box::new(|_| false),
        lead: Box::new(|term: &Term| {
            let narrower = asked.with(Filter::Term(term.facet), &term.slug);
            narrower.href(visit)
        }),
    };
    Some(Small {
        title: strings::graph_of(graph.cases, visit.lang),
        drawn: scene.draw(),
        whole: asked.address(visit, "/graph"),
    })
}
