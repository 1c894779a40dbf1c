//! Proofs of termination over the product of all threads.

use crate::InvariantProof;
use logic::Term;
use program::interp::ThreadId;
use std::fmt;

/// A proof of termination.
#[derive(Clone)]
pub struct RankingProof {
    /// What holds at each control, and the runs of threads.
    pub invariants: InvariantProof,
    /// What cuts the graph of runs up, in this order.
    pub stages: Vec<Stage>,
}

/// Takes arcs away.
#[derive(Clone, Debug)]
pub enum Stage {
    /// Ranks of the runs of one component.
    Ranking(Vec<(RunId, Term)>),
    /// A thread that never moves, although it is able to.
    Fairness(ThreadId),
}

/// One run of a proof.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RunId {
    /// The number of the control where it begins, in the list of the invariants' labels.
    pub control: usize,
    /// Who moves.
    pub thread: ThreadId,
    /// The number of the run among those of this thread at this control.
    pub run: usize,
}

impl fmt::Debug for RankingProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} stages over {:?}", self.stages.len(), self.invariants)
    }
}
