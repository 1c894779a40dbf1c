//! The abstract reachability tree.
//!
//! # Invariants
//! - **I1** Labels are inductive: for a child `c` of `v` by `block`, `{φ(v)} block {φ(c)}`; for an edge of an expanded
//!   thread that has no child, `{φ(v)} block {false}`, unless it is among the node's *blocked* edges: then the path to `v` excludes it, and
//!   neither `v` nor an ancestor covers anything, so that no other state ever comes there.
//! - **I2** If `v` is covered by `w`: same control, `φ(v) ⇒ φ(w)`, `w` is older, neither `w` nor an ancestor of `w` is covered, and
//!   every thread that `v` needs is expanded at `w`.
//! - **I3** Every node that is not covered (itself or an ancestor), whose label is not false, and that is not done is in the
//!   queue or waits to be revisited. Done: all threads that it needs are expanded.

use base::{IdxVec, id_type};
use logic::path::SymbolicStore;
use logic::{Model, Term, Terms};
use program::interp::ThreadId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

use semantics::transition::{Edge, GlobalLocationId};

id_type!(
    /// A node of the tree; `w < v` is "w is older".
    NodeId,
    "v"
);

/// A node.
#[derive(Debug)]
pub struct Node {
    /// Where it was reached from, and how; nothing at the root.
    pub parent: Option<(NodeId, Rc<Edge>)>,
    /// Where every thread is.
    pub control: GlobalLocationId,
    /// What holds here: a conjunction over state variables.
    pub label: Term,
    /// Threads whose edges have been followed.
    pub expanded: Vec<ThreadId>,
    /// Edges that cannot be taken on this path, for reasons that no label gives yet.
    pub blocked: Vec<Rc<Edge>>,
    /// The children.
    pub kids: Vec<NodeId>,
    /// The node that covers this one.
    pub covered_by: Option<NodeId>,
    /// The nodes that this one covers.
    pub covers: Vec<NodeId>,
    /// True if it covers nothing for good: something below it holds for its path, but no label was found that says so.
    pub cover_disabled: bool,
    /// The values of state variables after the path to this node.
    pub store: Rc<SymbolicStore>,
    /// The conditions of its last edge, over initial values and inputs.
    pub conditions: Vec<Term>,
    /// Values of initial variables and inputs with which the path to this node is executed.
    pub model: Rc<Model>,
    /// The state that the model leads to, as far as it was needed.
    pub state: Model,
    /// How many edges lead here.
    pub depth: u32,
    /// Context switches on the way here.
    pub switches: u32,
    /// Threads that were made to wait although they could have gone on, and loop iterations, on the way here.
    pub cost: u32,
    /// True if it waits in the queue.
    pub queued: bool,
    /// True if all that it needs was expanded.
    pub done: bool,
}

/// The tree.
#[derive(Debug, Default)]
pub struct Art {
    /// The nodes.
    pub nodes: IdxVec<NodeId, Node>,
    /// Nodes by control, oldest first.
    pub classes: FxHashMap<GlobalLocationId, Vec<NodeId>>,
}

impl Art {
    /// Adds a node.
    pub fn add(&mut self, node: Node) -> NodeId {
        let control = node.control;
        let parent = node.parent.as_ref().map(|(p, _)| *p);
        let id = self.nodes.push(node);
        if let Some(parent) = parent {
            self.nodes[parent].kids.push(id);
        }
        self.classes.entry(control).or_default().push(id);
        id
    }

    /// The parent of a node.
    pub fn parent(&self, v: NodeId) -> Option<NodeId> {
        self.nodes[v].parent.as_ref().map(|(p, _)| *p)
    }

    /// A node and its ancestors, youngest first.
    pub fn ancestors(&self, v: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(v), |n| self.parent(*n))
    }

    /// Returns true if the node or an ancestor is covered.
    pub fn is_covered(&self, v: NodeId) -> bool {
        self.ancestors(v).any(|n| self.nodes[n].covered_by.is_some())
    }

    /// Returns true if states of other paths come to this node, because it or an ancestor covers something.
    pub fn has_covering_ancestor(&self, v: NodeId) -> bool {
        self.ancestors(v).any(|n| !self.nodes[n].covers.is_empty())
    }

    /// The path from the root, as nodes, oldest first.
    pub fn path(&self, v: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = self.ancestors(v).collect();
        path.reverse();
        path
    }

    /// A node and all below it.
    pub fn subtree(&self, v: NodeId) -> Vec<NodeId> {
        let mut all = vec![v];
        let mut at = 0;
        while at < all.len() {
            all.extend(&self.nodes[all[at]].kids);
            at += 1;
        }
        all
    }

    /// The deepest node that is an ancestor of both (or one of them).
    pub fn nearest_common_ancestor(&self, mut v: NodeId, mut w: NodeId) -> NodeId {
        let up = |art: &Art, n| {
            art.parent(n).expect("only the root has no parent, and it is an ancestor of all nodes")
        };
        while v != w {
            // The deeper one climbs; ids grow with age, so this could compare ids as well.
            if self.nodes[v].depth >= self.nodes[w].depth { v = up(self, v) } else { w = up(self, w) }
        }
        v
    }

    /// The conditions of the path to a node, over the initial values and inputs.
    pub fn path_conditions(&self, v: NodeId) -> Vec<Term> {
        self.ancestors(v).flat_map(|n| self.nodes[n].conditions.iter().copied()).collect()
    }

    /// I1 to I3, as far as no solver is needed, of a tree that is complete. (`certify` checks the rest.)
    pub fn is_well_formed(&self, terms: &Terms) -> bool {
        self.nodes.iter_enumerated().all(|(v, node)| {
            let justified = node.blocked.is_empty() || !self.has_covering_ancestor(v);
            let covered = node.covered_by.is_none_or(|w| {
                let by = &self.nodes[w];
                w < v && by.control == node.control && by.covers.contains(&v) && !self.is_covered(w)
            });
            let covers = node.covers.iter().all(|x| self.nodes[*x].covered_by == Some(v));
            justified
                && covers
                && (self.is_covered(v) || self.is_dead(terms, v) || node.done)
                && (covered || self.is_dead(terms, v))
        })
    }

    /// Returns true if the label is false.
    pub fn is_dead(&self, terms: &Terms, v: NodeId) -> bool {
        terms.as_bool(self.nodes[v].label) == Some(false)
    }
}
