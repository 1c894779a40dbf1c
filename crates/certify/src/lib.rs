//! Answers, what they rest on, and their independent checks.
//!
//! An engine's answer is an [`Outcome`]: there is no way to claim a verdict without handing over what proves it. A
//! [`Trace`] is a schedule with the values that were chosen; [`replay`] runs it with the concrete interpreter. A [`Proof`] is
//! checked by [`check_proof`]. Whoever fails a check gets [`Inconclusive::CheckFailed`]: a bug of ours, never a verdict.
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
mod modular;
mod ranks;
mod recurrence;
mod replay;
#[cfg(test)]
mod tests;
mod tree;

pub use replay::{Replay, ReplayStep, SourceEvent, replay};

use base::{Budget, Inconclusive};
use evidence::Proof;
use program::passes::without_recursion;
use program::{Program, Property};

/// Checks that `proof` proves `property` of `program`.
pub fn check_proof(
    program: &Program,
    property: Property,
    proof: &Proof,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    if property == Property::Termination
        && !matches!(
            proof,
            Proof::Explored(_) | Proof::Ranking(_) | Proof::ModularRanking(_) | Proof::RecursionFree(_)
        )
    {
        return Err(Inconclusive::CheckFailed("invariants alone say nothing about termination".to_owned()));
    }
    match proof {
        Proof::Explored(set) => closed::check(program, property, set, budget),
        Proof::Tree(tree) => tree::check(program, property, tree, budget),
        Proof::Locksets(claimed) => locksets::check(program, property, claimed, budget),
        Proof::Cuts(cuts) => cuts::check(program, property, cuts, budget),
        Proof::Invariants(invariants) => invariants::check(program, property, invariants, budget),
        Proof::Ranking(ranks) => ranks::check(program, property, ranks, budget),
        Proof::RecursionFree(proof) => {
            let flat = without_recursion(program).filter(|_| property == Property::Termination);
            let flat = flat
                .ok_or_else(|| Inconclusive::CheckFailed("recursion cannot be taken away here".to_owned()))?;
            check_proof(&flat, property, proof, budget)
        }
        Proof::ModularRanking(ranks) => modular::check_ranks(program, property, ranks, budget),
        Proof::Modular(modular) => modular::check(program, property, modular, budget),
    }
}
