//! Answers, and what they rest on.
//!
//! An engine's answer is an [`Outcome`]: there is no way to claim a verdict without handing over what proves it. A
//! [`Trace`] is a schedule with the values that were chosen; a [`Proof`] is one of several kinds of certificates.
//! The crate `certify` checks both and does not trust who made them.
//!
//! # This crate knows nothing of
//! engines and checkers. It only defines what passes from the one to the other.

mod modular;
mod product;
mod termination;
mod trace;

pub use modular::{CommitPhase, ModularProof, ModularRanking, ModularStage};
pub use product::{CutPoint, CutProof, InvariantProof, Transaction, TreeNode, TreeProof};
pub use semantics::analysis::Locksets;
pub use termination::{RankingProof, RunId, Stage};
pub use trace::{Cycle, Recurrence, Trace, TraceStep};

use base::Inconclusive;
use program::interp::{Identities, State};
use std::sync::Arc;

/// What an engine found out about a property.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It holds, and this is why.
    Safe(Proof),
    /// It is violated, and this is how.
    Unsafe(Trace),
    /// There is no answer, for this reason.
    Unknown(Inconclusive),
}

/// Why a property holds.
#[derive(Clone, Debug)]
pub enum Proof {
    /// These are all reachable states, and none of them is bad.
    Explored(StateSet),
    /// These labels, over all interleavings that matter, are inductive, and none allows a violation.
    Tree(Box<TreeProof>),
    /// At every location these locks are held and no other threads than these can be alive; so no two accesses race.
    Locksets(Box<Locksets>),
    /// These labels of cut points are inductive, and none allows a violation.
    Cuts(Box<CutProof>),
    /// These formulas, one set for each control, are inductive, and none allows a violation.
    Invariants(Box<InvariantProof>),
    /// These invariants of each thread hold whatever the others do, and none allows a violation.
    Modular(Box<ModularProof>),
    /// These ranks fall along every infinite execution.
    Ranking(Box<RankingProof>),
    /// Each thread has ranks that fall, whatever the others do.
    ModularRanking(Box<ModularRanking>),
    /// The program [without recursion](without_recursion) terminates.
    RecursionFree(Box<Proof>),
}

/// A set of states that should contain every reachable one.
#[derive(Clone, Debug)]
pub struct StateSet {
    /// The states.
    pub states: Vec<Arc<State>>,
    /// What the numbers in the states stand for.
    pub identities: Identities,
}
