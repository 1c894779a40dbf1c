//! Answers, what they rest on, and their independent checks.
//!
//! An engine's answer is an [`Outcome`]: there is no way to claim a verdict without handing over what proves it. A
//! [`Trace`] is a schedule with the values that were chosen; [`replay`] runs it with the concrete interpreter. A [`Proof`] is
//! checked by [`check_proof`]. Whoever fails a check gets [`Stop::CheckFailed`]: a bug of ours, never a verdict.
//!
//! # This crate knows nothing of
//! engines: a wrong engine must not vouch for itself. The checkers share the interpreter with the engines, which is the
//! definition of what a program means, and nothing else.

mod closed;
mod commute;
mod cuts;
mod fair;
pub mod horn;
mod invariants;
mod locksets;
mod lrat;
mod modular;
mod ranks;
mod recurrence;
mod recursion;
mod replay;
mod solver;
#[cfg(test)]
mod tests;
mod tree;

pub use analysis::Locksets;
pub use cuts::{CutPoint, CutProof};
pub use invariants::InvariantProof;
pub use lrat::Checker;
pub use modular::{Claim, Finite, ModularProof, ModularRanks, ModularStage, check_waits, ends_alone, rests};
pub use ranks::{RankProof, RunId, Stage};
pub use recurrence::{Recurrence, constant_like};
pub use recursion::without_recursion;
pub use replay::{Replay, ReplayStep, SourceEvent, replay};
pub use solver::CheckedSolver;
pub use tree::{Run, TreeNode, TreeProof};

use base::{Budget, Stop};
use program::interp::{Identities, State, ThreadId};
use program::{Program, Property};
use std::sync::Arc;

/// What an engine found out about a property.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It holds, and this is why.
    Safe(Proof),
    /// It is violated, and this is how.
    Unsafe(Trace),
    /// There is no answer, for this reason.
    Unknown(Stop),
}

/// An execution that violates a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The property.
    pub property: Property,
    /// The steps, from the initial state on. For a deadlock the last step leads into it. For a data race the last *two* steps
    /// are the two accesses, of two threads, side by side: both are about to be taken in the state before them, and neither is.
    /// An execution that never ends goes round ([`Trace::cycle`]), or its last step leaves all threads blocked. Otherwise the last step
    /// is the violation.
    pub steps: Vec<TraceStep>,
    /// For termination: how it goes on for ever. Nothing if all threads are blocked in the end.
    pub cycle: Option<Cycle>,
}

/// How an execution goes on for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cycle {
    /// The steps from this one on lead back to the state before them.
    Repeats {
        /// The number of steps before.
        from: usize,
    },
    /// The steps from some point on are rounds of a loop that can be taken again and again, with other values each time.
    Recurs(Box<Recurrence>),
}

/// One step of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// Who takes it: the number of the thread in the order in which *this* execution creates its threads. (An engine
    /// whose interpreter has met threads in another order has to rename them.)
    pub thread: ThreadId,
    /// The values that the interpreter asks for in this step, in order.
    pub choices: Vec<u128>,
}

/// Why a property holds.
#[derive(Clone, Debug)]
pub enum Proof {
    /// These are all reachable states, and none of them is bad.
    Explored(ReachedSet),
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
    Ranks(Box<RankProof>),
    /// Each thread has ranks that fall, whatever the others do.
    ModularRanks(Box<ModularRanks>),
    /// The program [without recursion](without_recursion) terminates.
    Flat(Box<Proof>),
}

/// A set of states that should contain every reachable one.
#[derive(Clone, Debug)]
pub struct ReachedSet {
    /// The states.
    pub states: Vec<Arc<State>>,
    /// What the numbers in the states stand for.
    pub identities: Identities,
}

/// Checks that `proof` proves `property` of `program`.
pub fn check_proof(
    program: &Program,
    property: Property,
    proof: &Proof,
    budget: &Budget,
) -> Result<(), Stop> {
    if property == Property::Termination
        && !matches!(proof, Proof::Explored(_) | Proof::Ranks(_) | Proof::ModularRanks(_) | Proof::Flat(_))
    {
        return Err(Stop::CheckFailed("invariants alone say nothing about termination".to_owned()));
    }
    match proof {
        Proof::Explored(set) => closed::check(program, property, set, budget),
        Proof::Tree(tree) => tree::check(program, property, tree, budget),
        Proof::Locksets(claimed) => locksets::check(program, property, claimed, budget),
        Proof::Cuts(cuts) => cuts::check(program, property, cuts, budget),
        Proof::Invariants(invariants) => invariants::check(program, property, invariants, budget),
        Proof::Ranks(ranks) => ranks::check(program, property, ranks, budget),
        Proof::Flat(proof) => {
            let flat = without_recursion(program).filter(|_| property == Property::Termination);
            let flat =
                flat.ok_or_else(|| Stop::CheckFailed("recursion cannot be taken away here".to_owned()))?;
            check_proof(&flat, property, proof, budget)
        }
        Proof::ModularRanks(ranks) => modular::check_ranks(program, property, ranks, budget),
        Proof::Modular(modular) => modular::check(program, property, modular, budget),
    }
}
