//! The reached set and the waitlist.
//!
//! A node is a control with an element and the edges by which it was reached. A node that waits may grow by merging and then
//! has several parents; once expanded it never changes. So parents are always expanded before their children are, and the
//! nodes form a graph without cycles, in which counterexamples are looked for backwards.
//!
//! The reached set is *partitioned* by control: only elements of one control are ever compared. Without the partition
//! (`--partition off`) a new element is compared with everything, as the plain algorithm says; the answers are the same.

use base::{IdxVec, id_type};
use rustc_hash::FxHashMap;
use semantics::transition::{Edge, GlobalLocationId};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

id_type!(
    /// A node.
    NodeId,
    "v"
);

/// An abstract state that was reached.
pub struct Node<E> {
    /// Where every thread is.
    pub control: GlobalLocationId,
    /// What is known of the data.
    pub element: E,
    /// How it was reached; nothing for the initial state.
    pub parents: Vec<(NodeId, Rc<Edge>)>,
    /// True if it has not been expanded yet.
    pub waiting: bool,
}

/// In which order nodes are expanded.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The youngest first
    Dfs,
    /// The oldest first
    Bfs,
    /// Those with the fewest threads first, of these the youngest
    Threads,
}

/// Nodes to expand.
pub struct Waitlist {
    order: Order,
    buckets: BTreeMap<usize, VecDeque<NodeId>>,
    n_nodes: usize,
}

impl Waitlist {
    /// Nothing waits.
    pub fn new(order: Order) -> Self {
        Self { order, buckets: BTreeMap::new(), n_nodes: 0 }
    }

    /// Adds a node with so many threads.
    pub fn push(&mut self, node: NodeId, n_threads: usize) {
        let bucket = if self.order == Order::Threads { n_threads } else { 0 };
        self.buckets.entry(bucket).or_default().push_back(node);
        self.n_nodes += 1;
    }

    /// How many nodes wait.
    pub fn n_waiting(&self) -> usize {
        self.n_nodes
    }

    /// The next node.
    pub fn pop(&mut self) -> Option<NodeId> {
        let mut entry = self.buckets.first_entry()?;
        let bucket = entry.get_mut();
        let node = if self.order == Order::Bfs { bucket.pop_front() } else { bucket.pop_back() };
        if bucket.is_empty() {
            entry.remove();
        }
        self.n_nodes -= 1;
        node
    }
}

/// All abstract states reached so far.
pub struct Reached<E> {
    /// The nodes, oldest first.
    pub nodes: IdxVec<NodeId, Node<E>>,
    partitioned: bool,
    partitions: FxHashMap<GlobalLocationId, Vec<NodeId>>,
    everything: Vec<NodeId>,
    exact: FxHashMap<(GlobalLocationId, u64), Vec<NodeId>>,
}

impl<E> Reached<E> {
    /// Nothing is reached.
    pub fn new(partitioned: bool) -> Self {
        Self {
            nodes: IdxVec::new(),
            partitioned,
            partitions: FxHashMap::default(),
            everything: Vec::new(),
            exact: FxHashMap::default(),
        }
    }

    /// Nodes that a new element at this control has to be compared with, oldest first; some are of other controls if
    /// there is no partition.
    pub fn candidates(&self, control: GlobalLocationId) -> &[NodeId] {
        match self.partitioned {
            true => self.partitions.get(&control).map_or(&[], |nodes| nodes),
            false => &self.everything,
        }
    }

    /// Nodes at a control, oldest first.
    pub fn at(&self, control: GlobalLocationId) -> &[NodeId] {
        self.partitions.get(&control).map_or(&[], |nodes| nodes)
    }

    /// Nodes that are probably equal to an element with this fingerprint.
    pub fn likely(&self, control: GlobalLocationId, fingerprint: u64) -> &[NodeId] {
        self.exact.get(&(control, fingerprint)).map_or(&[], |nodes| nodes)
    }

    /// Adds a node.
    pub fn add(&mut self, node: Node<E>, fingerprint: Option<u64>) -> NodeId {
        let control = node.control;
        let id = self.nodes.push(node);
        self.partitions.entry(control).or_default().push(id);
        if !self.partitioned {
            self.everything.push(id);
        } else if let Some(fingerprint) = fingerprint {
            self.exact.entry((control, fingerprint)).or_default().push(id);
        }
        id
    }

    /// Takes a node out of comparisons: another one has all its states.
    pub fn supersede(&mut self, id: NodeId) {
        let control = self.nodes[id].control;
        if let Some(nodes) = self.partitions.get_mut(&control) {
            nodes.retain(|n| *n != id);
        }
        self.everything.retain(|n| *n != id);
    }

    /// All controls that were reached, with their nodes.
    pub fn controls(&self) -> impl Iterator<Item = (GlobalLocationId, &[NodeId])> {
        self.partitions.iter().map(|(control, nodes)| (*control, &nodes[..]))
    }
}
