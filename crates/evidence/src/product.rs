//! Proofs over the product of all threads: labelled trees, cut points, inductive invariants.

use logic::path::Block;
use logic::{Term, Terms};
use program::interp::{Identities, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::GlobalLocation;
use std::fmt;
use std::sync::Arc;

/// A labelled tree.
#[derive(Clone)]
pub struct TreeProof {
    /// The terms that labels and runs are made of.
    pub terms: Arc<Terms>,
    /// What the numbers in controls stand for.
    pub identities: Identities,
    /// The nodes; parents and covering nodes come before their children and what they cover.
    pub nodes: Vec<TreeNode>,
    /// The runs, by control and thread.
    pub runs: FxHashMap<(Arc<GlobalLocation>, ThreadId), Vec<Transaction>>,
}

impl fmt::Debug for TreeProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a tree of {} nodes", self.nodes.len())
    }
}

/// A node of a proof.
#[derive(Clone, Debug)]
pub struct TreeNode {
    /// Where every thread is.
    pub control: Arc<GlobalLocation>,
    /// What holds.
    pub label: Term,
    /// The parent, who moved, and which of its runs it was.
    pub parent: Option<(usize, ThreadId, usize)>,
    /// The threads that were expanded.
    pub expanded: Vec<ThreadId>,
    /// The node that covers this one.
    pub covered_by: Option<usize>,
}

/// Some actions of one thread, taken as one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transaction {
    /// What happens to the data.
    pub block: Block,
    /// Where everybody is afterwards.
    pub control: Arc<GlobalLocation>,
}

/// Labels of cut points.
#[derive(Clone)]
pub struct CutProof {
    /// The terms that labels are made of.
    pub terms: Arc<Terms>,
    /// What the numbers in controls stand for.
    pub identities: Identities,
    /// The cut points.
    pub points: Vec<CutPoint>,
}

/// What holds at a control, and where its threads go.
#[derive(Clone, Debug)]
pub struct CutPoint {
    /// Where every thread is.
    pub control: Arc<GlobalLocation>,
    /// Threads that need not move from here, because another order of the same steps is followed elsewhere.
    pub asleep: Vec<ThreadId>,
    /// What holds: one of these.
    pub labels: Vec<Term>,
    /// For each thread that can move, also those asleep, where it stops next.
    pub stops: Vec<(ThreadId, Vec<Arc<GlobalLocation>>)>,
}

impl fmt::Debug for CutProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "labels of {} cut points", self.points.len())
    }
}

/// An inductive invariant.
#[derive(Clone)]
pub struct InvariantProof {
    /// The terms, identities and runs: a tree without nodes.
    pub steps: TreeProof,
    /// The labels of each control.
    pub labels: Vec<(Arc<GlobalLocation>, Vec<Term>)>,
}

impl fmt::Debug for InvariantProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an invariant of {} controls", self.labels.len())
    }
}

impl CutPoint {
    /// Where a thread stops next.
    pub fn stops_of(&self, thread: ThreadId) -> FxHashSet<&GlobalLocation> {
        let stops = self.stops.iter().filter(|(t, _)| *t == thread);
        stops.flat_map(|(_, stops)| stops.iter().map(|c| &**c)).collect()
    }
}
