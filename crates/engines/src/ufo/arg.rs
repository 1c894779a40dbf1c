//! The abstract reachability graph.
//!
//! # Invariants
//! - **Acyclic**: every edge leads to a node with a greater position. The error node has no number: edges say that they lead there.
//! - **Monotone**: nodes and edges stay for good; one pass of `expand_arg` walks over a part of the graph, adds to it where the walk
//!   leaves it, and says of each node on its way how it ended there ([`Fate`]). So a refinement, which
//!   is about *all* edges known, is never undone by what a later one forgets.
//! - **Well labelled** after a pass: ψ of an expanded node, and an edge that can be taken from it, imply ψ of the node behind it.

use super::block::Block;
use super::partition::PartitionedLocationId;
use super::position::UnrolledPosition;
use super::sleep::SleepSet;
use base::{IdxVec, id_type};
use logic::Term;
use program::interp::ThreadId;
use rustc_hash::FxHashMap;
use semantics::transition::GlobalLocationId;
use std::rc::Rc;

id_type!(
    /// A node of the graph.
    NodeId,
    "v"
);

/// The node before the initial state.
pub(super) const START: NodeId = NodeId(0);

/// Where an edge comes from in the program: the location and thread of its block, and its number there.
pub(super) type EdgeKey = (PartitionedLocationId, ThreadId, usize);

/// An edge of the graph.
#[derive(Clone, Debug)]
pub(super) struct ArgEdge {
    /// Its block.
    pub(super) block: Rc<Block>,
    /// Which edge of the block.
    pub(super) key: EdgeKey,
    /// Where it leads; nothing for the error node.
    pub(super) to: Option<NodeId>,
}

/// How a pass ended at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// It was not reached.
    Unreached,
    /// Nothing satisfies its label.
    Dead,
    /// Its label is below those of other nodes of its control.
    Covered,
    /// Its edges were followed.
    Expanded,
    /// It has too many iterations for now.
    Postponed,
}

/// A node.
#[derive(Debug)]
pub(super) struct Node {
    /// Where every thread is.
    pub(super) control: GlobalLocationId,
    /// And in which partition.
    pub(super) location: PartitionedLocationId,
    /// And in which iteration.
    pub(super) position: Rc<UnrolledPosition>,
    /// Threads that need not move here; unknown before the first edge into it was taken. Becomes smaller only.
    pub(super) sleep_set: Option<SleepSet>,
    /// Its edges, once it was expanded or covered.
    pub(super) out: Option<Rc<[ArgEdge]>>,
    /// All edges into it: the node and the number of its edge.
    pub(super) ins: Vec<(NodeId, usize)>,
    /// What the last refinement says.
    pub(super) label: Option<Term>,
    /// ψ in this pass.
    pub(super) psi: Term,
    /// How this pass ended here.
    pub(super) fate: Fate,
    /// Edges by which this pass came here.
    pub(super) arrivals: Vec<(NodeId, usize)>,
}

/// The graph.
#[derive(Default)]
pub(super) struct Arg {
    /// The nodes.
    pub(super) nodes: IdxVec<NodeId, Node>,
    known: FxHashMap<(PartitionedLocationId, Rc<UnrolledPosition>), NodeId>,
}

impl Arg {
    /// GETFUTURENODE: the node of a location, with its control, and a position.
    pub(super) fn node(
        &mut self,
        at: (GlobalLocationId, PartitionedLocationId),
        position: UnrolledPosition,
        psi: Term,
    ) -> NodeId {
        let key = (at.1, Rc::new(position));
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let id = self.add(at, Rc::clone(&key.1), psi);
        self.known.insert(key, id);
        id
    }

    /// Adds a node that no control and position lead to.
    pub(super) fn add(
        &mut self,
        at: (GlobalLocationId, PartitionedLocationId),
        position: Rc<UnrolledPosition>,
        psi: Term,
    ) -> NodeId {
        self.nodes.push(Node {
            control: at.0,
            location: at.1,
            position,
            sleep_set: None,
            out: None,
            ins: Vec::new(),
            label: None,
            psi,
            fate: Fate::Unreached,
            arrivals: Vec::new(),
        })
    }

    /// Gives a node edges, behind those that it has.
    pub(super) fn add_edges(&mut self, v: NodeId, more: Vec<ArgEdge>) {
        let mut edges = self.edges(v).to_vec();
        for (n, edge) in more.iter().enumerate().map(|(n, e)| (edges.len() + n, e)) {
            if let Some(to) = edge.to {
                debug_assert!(self.nodes[v].position < self.nodes[to].position, "{to} should come after {v}");
                self.nodes[to].ins.push((v, n));
            }
        }
        edges.extend(more);
        self.nodes[v].out = Some(edges.into());
    }

    /// An edge into a node can be taken: behind it these threads are in the sleep set.
    pub(super) fn restrict_sleep_set(&mut self, v: NodeId, by: &[ThreadId]) {
        match &mut self.nodes[v].sleep_set {
            Some(sleep_set) => sleep_set.retain(|z| by.contains(z)),
            unknown => *unknown = Some(by.to_vec()),
        }
    }

    /// Returns true if `u` follows all threads that `v` has to follow.
    pub(super) fn sleeps_less(&self, u: NodeId, v: NodeId) -> bool {
        let sleep_set = |n: NodeId| self.nodes[n].sleep_set.iter().flatten();
        sleep_set(u).all(|z| sleep_set(v).any(|y| y == z))
    }

    /// The edges of a node; none if it was never expanded.
    pub(super) fn edges(&self, v: NodeId) -> Rc<[ArgEdge]> {
        self.nodes[v].out.clone().unwrap_or_default()
    }

    /// All nodes, predecessors first.
    pub(super) fn in_order(&self) -> Vec<NodeId> {
        let mut all: Vec<NodeId> = self.nodes.ids().collect();
        all.sort_by(|v, w| self.nodes[*v].position.cmp(&self.nodes[*w].position).then(v.cmp(w)));
        all
    }
}
