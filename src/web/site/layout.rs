//! Where the nodes and lines of a graph lie: one column for each kind, neighbours near each other. Pure arithmetic, always
//! the same for the same graph.

use unicode_width::UnicodeWidthStr;

use crate::corpus::cut_by;

/// Measures of the picture in its own units.
pub(super) const NODE_HEIGHT: i32 = 30;
const NODE_GAP: i32 = 8;
const TOP: i32 = 46;
const MARGIN: i32 = 16;

/// How often columns are put in order by their neighbours. A few times settle it.
const SWEEPS: usize = 6;

/// What is to be laid out.
pub(super) struct Plan {
    /// Room between columns.
    pub(super) gap: i32,
    /// Widths of the columns' nodes, from left to right.
    pub(super) widths: Vec<i32>,
    /// Each node's column.
    pub(super) columns: Vec<usize>,
    /// Which nodes are tied, and how strongly.
    pub(super) ties: Vec<(usize, usize, usize)>,
}

/// Where everything lies.
pub(super) struct Picture {
    pub(super) width: i32,
    pub(super) height: i32,
    /// Left upper corners of the nodes.
    pub(super) nodes: Vec<(i32, i32)>,
    /// Left edges of the columns.
    pub(super) columns: Vec<i32>,
    /// Each tie as the path of a line.
    pub(super) lines: Vec<String>,
}

/// Lays a graph out.
pub(super) fn lay_out(plan: &Plan) -> Picture {
    let order = order(plan);
    let tallest = order.iter().map(Vec::len).max().unwrap_or(0);
    let height_of = |count: usize| i32::try_from(count).unwrap_or(0) * (NODE_HEIGHT + NODE_GAP);
    let inner = height_of(tallest);
    let mut lefts = Vec::new();
    let mut left = MARGIN;
    for width in &plan.widths {
        lefts.push(left);
        left += width + plan.gap;
    }
    let mut nodes = vec![(0, 0); plan.columns.len()];
    for (column, members) in order.iter().enumerate() {
        let above = (inner - height_of(members.len())) / 2;
        for (at, node) in members.iter().enumerate() {
            nodes[*node] = (lefts[column], TOP + above + height_of(at));
        }
    }
    let line = |(from, to, _): &(usize, usize, usize)| {
        let (a, b) = if nodes[*from].0 <= nodes[*to].0 {
            (*from, *to)
        } else {
            (*to, *from)
        };
        let start = (
            nodes[a].0 + plan.widths[plan.columns[a]],
            nodes[a].1 + NODE_HEIGHT / 2,
        );
        let end = (nodes[b].0, nodes[b].1 + NODE_HEIGHT / 2);
        let bend = (end.0 - start.0) / 2;
        format!(
            "M{} {}C{} {} {} {} {} {}",
            start.0,
            start.1,
            start.0 + bend,
            start.1,
            end.0 - bend,
            end.1,
            end.0,
            end.1
        )
    };
    Picture {
        width: left - plan.gap + MARGIN,
        height: TOP + inner + MARGIN,
        lines: plan.ties.iter().map(line).collect(),
        columns: lefts,
        nodes,
    }
}

/// Orders each column by where its nodes' neighbours stand, weighed by how strongly they are tied. Ties between equals keep
/// the order given, so that the result never depends on chance.
fn order(plan: &Plan) -> Vec<Vec<usize>> {
    let mut order: Vec<Vec<usize>> = vec![Vec::new(); plan.widths.len()];
    for (node, column) in plan.columns.iter().enumerate() {
        order[*column].push(node);
    }
    let mut neighbours: Vec<Vec<(usize, f32)>> = vec![Vec::new(); plan.columns.len()];
    for (from, to, weight) in &plan.ties {
        neighbours[*from].push((*to, *weight as f32));
        neighbours[*to].push((*from, *weight as f32));
    }
    let mut places = vec![0.0_f32; plan.columns.len()];
    let put = |members: &[usize], places: &mut Vec<f32>| {
        // Counted from the middle: columns of different lengths stand centred.
        let middle = members.len() as f32 / 2.0;
        for (at, node) in members.iter().enumerate() {
            places[*node] = at as f32 + 0.5 - middle;
        }
    };
    for members in &order {
        put(members, &mut places);
    }
    for sweep in 0..SWEEPS {
        let columns = order.len();
        for step in 0..columns {
            let column = if sweep % 2 == 0 {
                step
            } else {
                columns - 1 - step
            };
            let pull = |node: &usize| {
                let own = &neighbours[*node];
                let weight: f32 = own.iter().map(|(_, weight)| weight).sum();
                if weight > 0.0 {
                    let sum: f32 = own.iter().map(|(other, w)| places[*other] * w).sum();
                    sum / weight
                } else {
                    places[*node]
                }
            };
            let mut pulled: Vec<(f32, usize)> = order[column]
                .iter()
                .map(|node| (pull(node), *node))
                .collect();
            pulled.sort_by(|a, b| a.0.total_cmp(&b.0));
            order[column] = pulled.into_iter().map(|(_, node)| node).collect();
            put(&order[column], &mut places);
        }
    }
    order
}

/// Cuts a label to what fits into a node; wide letters count twice.
///
/// `five`: the width of five narrow letters.
pub(super) fn fitting(label: &str, width: i32, five: i32) -> String {
    let most = usize::try_from(5 * width / five).unwrap_or(0);
    cut_by(label, most, UnicodeWidthStr::width).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_stand_beside_each_other() {
        // Two columns, tied crosswise: the second turns round.
        let plan = Plan {
            gap: 130,
            widths: vec![100, 100],
            columns: vec![0, 0, 1, 1],
            ties: vec![(0, 3, 1), (1, 2, 1)],
        };
        let picture = lay_out(&plan);
        assert_eq!(picture.nodes[0].1, picture.nodes[3].1);
        assert_eq!(picture.nodes[1].1, picture.nodes[2].1);
        assert_eq!(picture.width, 2 * MARGIN + 200 + 130);
        assert_eq!(picture.lines[0], "M116 99C181 99 181 99 246 99");
    }

    #[test]
    fn nothing_gives_an_empty_picture() {
        let picture = lay_out(&Plan {
            gap: 130,
            widths: vec![],
            columns: vec![],
            ties: vec![],
        });
        assert!(picture.nodes.is_empty() && picture.lines.is_empty());
    }

    #[test]
    fn labels_fit() {
        assert_eq!(fitting("etcd", 100, 38), "etcd");
        assert_eq!(fitting("클라우드 로드 밸런서", 72, 38), "클라우드…");
    }
}
