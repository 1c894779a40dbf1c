//! Answers, and what they rest on.
//!
//! An engine's answer is an [`Outcome`]: there is no way to claim a verdict without handing over what proves it. A
//! [`Trace`] is a schedule with the values that were chosen; a [`Proof`] is one of several kinds of certificates.
//! The crate `certify` checks both and does not trust their maker.
//!
//! Evidence is plain data that can be written to a file and read back (`serde`). It holds no pool of terms: formulas are spelt out
//! ([`Formulas`]), so that a checker rebuilds them in a pool of its own.
//!
//! # This crate knows nothing of
//! engines and checkers. It only defines what passes from the one to the other.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod formulas;
mod graph;
mod modular;
mod product;
mod protection;
mod shape;
mod termination;
mod trace;
mod weak;

pub use formulas::{FormulaId, FormulaNode, FormulaWriter, Formulas, Rebuilt};
pub use graph::{GraphRead, GraphStep, GraphTrace};
pub use modular::{CommitPhase, CommitPhases, ModularProof, ModularRanking, ModularStage};
pub use product::{
    CutPoint, CutProof, InvariantProof, LocationId, Locations, Product, ProductWriter, ThreadTransactions,
    Transaction, TreeNode, TreeProof,
};
pub use protection::{
    Exit, Facts, Protection, RaceAccess, RaceAnswer, RaceCell, Reason as RaceReason, Root, Term,
};
pub use semantics::analysis::Locksets;
pub use shape::{ShapeProof, Summary};
pub use termination::{RankingProof, Stage, TransactionId};
pub use trace::{Cycle, Recurrence, Trace, TraceStep};
pub use weak::{Reason, WeakProof};

use base::Inconclusive;
use program::interp::{Identities, Identity, State, ThreadId};
use program::{FuncId, LocId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What an engine found out about a property.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// It holds, and this is why.
    Safe(Proof),
    /// It is violated, and this is how.
    Unsafe(Trace),
    /// It is violated by an execution that is no sequence of states.
    UnsafeGraph(Box<GraphTrace>),
    /// There is no answer, for this reason.
    Unknown(Inconclusive),
}

/// Why a property holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Proof {
    /// These are all reachable states, and none of them is bad.
    Explored(StateSet),
    /// These labels, over all interleavings that matter, are inductive, and none allows a violation.
    Tree(Box<TreeProof>),
    /// At every location these locks are held and no other threads than these can be alive; so no two accesses race.
    Locksets(Box<Locksets>),
    /// Every memory location that threads share is protected.
    Protected(Box<Protection>),
    /// Every access of the program is evidently valid, or, for `no-deadlock`, nothing in it waits (`semantics::analysis::evident`).
    Evident,
    /// These heaps with list segments describe all states at the heads of loops, and nothing else leads to a violation.
    Shape(Box<ShapeProof>),
    /// These labels of cut points are inductive, and none allows a violation.
    Cuts(Box<CutProof>),
    /// These formulas, one set for each global location, are inductive, and none allows a violation.
    Invariants(Box<InvariantProof>),
    /// These invariants of each thread template hold under interference of the others, and none allows a violation.
    Modular(Box<ModularProof>),
    /// These ranking functions decrease along every infinite execution.
    Ranking(Box<RankingProof>),
    /// Each thread template has ranking functions that decrease under interference of the others.
    ModularRanking(Box<ModularRanking>),
    /// The program without recursion (`program::passes::without_recursion`) terminates.
    RecursionFree(Box<Proof>),
    /// It holds under a weak memory model because something holds under sequential consistency.
    Weak(Box<WeakProof>),
    /// All executions that the weak memory model allows were enumerated.
    Graphs,
}

/// A set of states that should contain every reachable one, but for those in the middle of transactions.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StateSet {
    /// The states.
    pub states: Vec<Arc<State>>,
    /// What the numbers in the states stand for.
    pub identities: Identities,
    /// How threads take actions together; `None` if they do not.
    pub transactions: Option<Transactions>,
}

/// How threads take actions together: each its next one, with those that follow up to its next scheduling point.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Transactions {
    /// Locations of actions that may follow others.
    pub simple: BTreeSet<(FuncId, LocId)>,
    /// Those that nevertheless are scheduling points.
    pub points: BTreeSet<(FuncId, LocId)>,
    /// Footprints: sets of accesses.
    pub table: Vec<Vec<Accessed>>,
    /// For each state the footprints of its threads, by their numbers: what a thread accessed in the last transaction, without its first action. Threads without accesses are left out.
    pub footprints: Vec<Vec<(ThreadId, usize)>>,
}

/// Bytes of an object that were accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Accessed {
    /// The object.
    pub object: Identity,
    /// True if they were written.
    pub writes: bool,
    /// The first byte.
    pub from: u64,
    /// Behind the last byte.
    pub to: u64,
}
