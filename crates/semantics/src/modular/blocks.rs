//! Reducible blocks as segments: what a thread does from one place that others see to the next.
//!
//! Which nodes are *outside* of blocks is decided elsewhere; the user of blocks has to make sure that no other thread can
//! observe the difference. Here, ways through a block are put together: straight-line ways and branches become segments, one for each way; at
//! *cuts* (heads of loops inside a block, and joins of branches where there would be too many ways) a segment ends inside, and what
//! has happened since the block's entry is a relation, the paper's `LStep`.

use super::{Model, PerNode, PerTemplate, Target, Template, TemplateId, TemplateNodeId};
use logic::path::Cmd;
use std::collections::BTreeSet;

/// Where a segment begins or ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SegmentEnd {
    /// At a node outside of all blocks.
    Outside(TemplateNodeId),
    /// At a cut, in the block that was entered from a node outside.
    Inside {
        /// That node.
        entry: TemplateNodeId,
        /// The cut.
        at: TemplateNodeId,
    },
}

/// A way from place to place.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Where it begins.
    pub from: SegmentEnd,
    /// What happens.
    pub block: Vec<Cmd>,
    /// Where it ends: at a node (a cut if [`inside`](Self::inside)), or for good.
    pub target: Target,
    /// True if the target is a cut.
    pub inside: bool,
    /// The templates of the threads that it starts.
    pub creates: Vec<TemplateId>,
}

/// The blocks of all templates.
pub struct Blocks {
    /// For each template and node, whether it is outside of blocks.
    pub outside: PerTemplate<PerNode<bool>>,
    /// The segments of each template.
    pub segments: PerTemplate<Vec<Segment>>,
}

/// More ways than this through one block make joins of branches cuts.
const MAX_WAYS: usize = 48;

impl Blocks {
    /// The blocks between the nodes that are `outside`. A thread's start and the place behind a creation always are: the new thread
    /// has to be told.
    pub fn of(model: &Model, mut outside: PerTemplate<PerNode<bool>>) -> Blocks {
        for (template, out) in model.templates.iter().zip(&mut outside) {
            out[TemplateNodeId::START] = true;
            for edge in template.nodes.iter().flat_map(|n| &n.edges).filter(|e| !e.creates.is_empty()) {
                if let Target::TemplateNode(n) = edge.target {
                    out[n] = true;
                }
            }
        }
        let segments =
            model.templates.iter().zip(&outside).map(|(template, out)| segments(template, out)).collect();
        Blocks { outside, segments }
    }

    /// The nodes of a template that are outside of blocks and can be reached.
    pub fn reached(&self, template: TemplateId) -> BTreeSet<TemplateNodeId> {
        let mut reached = BTreeSet::from([TemplateNodeId::START]);
        for segment in &self.segments[template] {
            if let (Target::TemplateNode(n), false) = (&segment.target, segment.inside) {
                reached.insert(*n);
            }
        }
        reached
    }
}

fn segments(template: &Template, outside: &PerNode<bool>) -> Vec<Segment> {
    let heads = loop_heads(template, outside);
    let mut ways =
        Ways { template, outside, cuts: heads.clone(), segments: Vec::new(), done: BTreeSet::new() };
    if !ways.run(MAX_WAYS) {
        let mut cuts = heads;
        cuts.extend(joins(template).into_iter().filter(|n| !outside[*n]));
        ways = Ways { template, outside, cuts, segments: Vec::new(), done: BTreeSet::new() };
        ways.run(usize::MAX);
    }
    ways.segments
}

struct Ways<'a> {
    template: &'a Template,
    outside: &'a PerNode<bool>,
    cuts: BTreeSet<TemplateNodeId>,
    segments: Vec<Segment>,
    done: BTreeSet<SegmentEnd>,
}

impl Ways<'_> {
    /// All segments from the start on; stops, with `false`, where there are more than `most` from one place.
    fn run(&mut self, most: usize) -> bool {
        let mut open = vec![SegmentEnd::Outside(TemplateNodeId::START)];
        while let Some(from) = open.pop() {
            if !self.done.insert(from) {
                continue;
            }
            let first = self.segments.len();
            if !self.ways(from, most) {
                return false;
            }
            for segment in &self.segments[first..] {
                let Target::TemplateNode(n) = segment.target else { continue };
                open.push(match (segment.inside, from) {
                    (false, _) => SegmentEnd::Outside(n),
                    (true, SegmentEnd::Outside(entry) | SegmentEnd::Inside { entry, .. }) => {
                        SegmentEnd::Inside { entry, at: n }
                    }
                });
            }
        }
        true
    }

    fn ways(&mut self, from: SegmentEnd, most: usize) -> bool {
        let first = self.segments.len();
        let (SegmentEnd::Outside(start) | SegmentEnd::Inside { at: start, .. }) = from;
        let mut open: Vec<(TemplateNodeId, Vec<Cmd>, Vec<TemplateId>)> =
            vec![(start, Vec::new(), Vec::new())];
        while let Some((n, block, creates)) = open.pop() {
            if self.segments.len() - first + open.len() >= most {
                return false;
            }
            for edge in &self.template.nodes[n].edges {
                let block: Vec<Cmd> = block.iter().chain(&edge.block).copied().collect();
                let creates: Vec<TemplateId> = creates.iter().chain(&edge.creates).copied().collect();
                match edge.target {
                    Target::TemplateNode(m) if !self.outside[m] && !self.cuts.contains(&m) => {
                        open.push((m, block, creates));
                    }
                    Target::TemplateNode(m) => {
                        let inside = !self.outside[m];
                        let target = edge.target.clone();
                        self.segments.push(Segment { from, block, target, inside, creates });
                    }
                    _ => {
                        let target = edge.target.clone();
                        self.segments.push(Segment { from, block, target, inside: false, creates });
                    }
                }
            }
        }
        true
    }
}

fn successors(template: &Template, n: TemplateNodeId) -> impl Iterator<Item = TemplateNodeId> {
    template.nodes[n]
        .edges
        .iter()
        .filter_map(|e| if let Target::TemplateNode(m) = e.target { Some(m) } else { None })
}

/// Inside nodes that close a loop which stays inside, in depth-first order.
pub fn loop_heads(template: &Template, outside: &PerNode<bool>) -> BTreeSet<TemplateNodeId> {
    let mut heads = BTreeSet::new();
    let mut state: PerNode<u8> = PerNode::of(0, template.nodes.len());
    for root in template.nodes.ids() {
        if state[root] != 0 || outside[root] {
            continue;
        }
        state[root] = 1;
        let mut stack = vec![(root, 0usize)];
        while let Some((n, at)) = stack.pop() {
            match successors(template, n).nth(at) {
                Some(m) => {
                    stack.push((n, at + 1));
                    match state[m] {
                        _ if outside[m] => {}
                        0 => {
                            state[m] = 1;
                            stack.push((m, 0));
                        }
                        1 => _ = heads.insert(m),
                        _ => {}
                    }
                }
                None => state[n] = 2,
            }
        }
    }
    heads
}

/// Nodes that several edges lead to.
fn joins(template: &Template) -> BTreeSet<TemplateNodeId> {
    let mut n_edges: PerNode<usize> = PerNode::of(0, template.nodes.len());
    for n in template.nodes.ids() {
        successors(template, n).for_each(|m| n_edges[m] += 1);
    }
    n_edges.ids().filter(|n| n_edges[*n] > 1).collect()
}
