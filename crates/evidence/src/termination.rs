//! Proofs of termination over the product of all threads.

use crate::{FormulaId, InvariantProof};
use program::interp::ThreadId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A proof of termination.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankingProof {
    /// What holds at each location, and the transactions of threads.
    pub invariants: InvariantProof,
    /// What removes arcs from the graph of transactions, in this order.
    pub stages: Vec<Stage>,
}

/// Removes arcs from the graph of transactions. `F` is how formulas are named.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Stage<F = FormulaId> {
    /// A ranking function of one component: its value before each transaction.
    Ranking(Vec<(TransactionId, F)>),
    /// A thread that never moves, although it is able to.
    Fairness(ThreadId),
}

impl<F> Stage<F> {
    /// The same stage with other names of formulas.
    pub fn map<G>(self, mut name: impl FnMut(F) -> G) -> Stage<G> {
        match self {
            Stage::Ranking(values) => {
                Stage::Ranking(values.into_iter().map(|(at, value)| (at, name(value))).collect())
            }
            Stage::Fairness(thread) => Stage::Fairness(thread),
        }
    }
}

/// One transaction of a proof.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct TransactionId {
    /// The number of the location where it begins, in the list of the invariants' labels.
    pub location: usize,
    /// The thread that moves.
    pub thread: ThreadId,
    /// The number of the transaction among those of this thread at this location.
    pub transaction: usize,
}

impl fmt::Debug for RankingProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} stages over {:?}", self.stages.len(), self.invariants)
    }
}
