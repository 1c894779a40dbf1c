//! The large-step edges of one thread from one control, as a prefix tree: what they have in common is executed once.
//!
//! An edge that takes the other side of the last branch shares all steps before it. Executing each edge from its start would do
//! the same transfer over and over, and would look at all edges behind a branch that cannot be taken.

use logic::path::Cmd;
use semantics::transition::Edge;
use std::rc::Rc;

/// Edges that begin alike.
pub struct EdgePrefixTree {
    /// What happens first.
    pub block: Vec<Cmd>,
    /// Edges that end here.
    pub ends: Vec<Rc<Edge>>,
    /// How others go on.
    pub next: Vec<EdgePrefixTree>,
}

impl EdgePrefixTree {
    /// The tree of some edges.
    pub fn of(edges: &[Rc<Edge>]) -> EdgePrefixTree {
        Self::after(Vec::new(), edges.to_vec(), 0)
    }

    /// The tree of edges that agree in their first `depth` steps.
    fn after(mut block: Vec<Cmd>, edges: Vec<Rc<Edge>>, mut depth: usize) -> EdgePrefixTree {
        loop {
            let mut groups: Vec<Vec<Rc<Edge>>> = Vec::new();
            let mut ends = Vec::new();
            for edge in &edges {
                let Some(step) = edge.steps.get(depth) else {
                    ends.push(Rc::clone(edge));
                    continue;
                };
                match groups.iter_mut().find(|group| group[0].steps[depth] == *step) {
                    Some(group) => group.push(Rc::clone(edge)),
                    None => groups.push(vec![Rc::clone(edge)]),
                }
            }
            if let ([_], true) = (&groups[..], ends.is_empty()) {
                block.extend_from_slice(&edges[0].steps[depth]);
                depth += 1;
                continue;
            }
            let start = |group: Vec<Rc<Edge>>| {
                let block = group[0].steps[depth].clone();
                EdgePrefixTree::after(block, group, depth + 1)
            };
            return EdgePrefixTree { block, ends, next: groups.into_iter().map(start).collect() };
        }
    }
}
