//! Checks of evidence: traces are replayed, proofs are checked.
//!
//! [`replay()`] runs a [`Trace`](evidence::Trace) with the concrete interpreter; [`check_proof`] checks a [`Proof`]. Evidence that fails gives
//! [`Inconclusive::CheckFailed`]: a bug of ours, never a verdict.
//!
//! | kind of proof | checked by |
//! |---|---|
//! | inductive state set | [`states`] and, for termination, [`fair`] |
//! | labelled tree | [`tree`] |
//! | inductive invariant | [`invariants`], and [`ranking`] for termination |
//! | cut points | [`cuts`] |
//! | thread-modular | [`modular`] |
//! | locksets | [`locksets`] |
//! | heaps with list segments | [`shape`] |
//! | protection of memory locations | [`protection`] |
//! | executions under a weak memory model | [`graph`] |
//! | weak memory | [`mod@weak`] |
//!
//! Trees, invariants and cut points take several actions as one [transaction](transactions); that nothing is lost by it is checked in one place ([`effect`]), and so
//! is whether two blocks [commute](mod@commute).
//!
//! # This crate knows nothing of
//! engines: a wrong engine must not vouch for itself. Formulas of a proof are rebuilt in a pool of the checker's own, over variables of its own encoding. What the
//! checkers do share with the engines is the **trusted base** of docs/SOUNDNESS.md, and nothing else: the interpreter, which defines what a program means;
//! `semantics`, which says the same in formulas; and `logic`, which simplifies and decides them. Each part is guarded by tests that are named there.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod commute;
mod cuts;
mod effect;
mod fair;
pub mod graph;
pub mod horn;
mod invariants;
mod locksets;
mod lrat;
mod modular;
pub mod protection;
mod ranking;
mod recurrence;
mod replay;
mod shape;
mod solver;
mod states;
#[cfg(test)]
mod tests;
mod transactions;
mod tree;
mod weak;

pub use lrat::Checker;
pub use replay::{Violation, replay};
pub use solver::CheckedSolver;

use base::{Budget, Inconclusive};
use evidence::Proof;
use program::passes::without_recursion;
use program::{Action, Program, Property};
use semantics::analysis::evident::first_doubt;

/// Checks that `proof` proves `property` of `program`.
pub fn check_proof(
    program: &Program,
    property: Property,
    proof: &Proof,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    weak::check_model(program, property, proof)?;
    if property == Property::Termination
        && !matches!(
            proof,
            Proof::Explored(_)
                | Proof::Ranking(_)
                | Proof::ModularRanking(_)
                | Proof::RecursionFree(_)
                | Proof::Weak(_)
        )
    {
        return Err(failed("invariants alone say nothing about termination"));
    }
    if property == Property::UndefinedBehaviour && program.strict_decisions {
        no_unset_reads(program, proof)?;
    }
    match proof {
        Proof::Explored(set) => states::check(program, property, set, budget),
        Proof::Tree(tree) => tree::check(program, property, tree, budget),
        Proof::Locksets(claimed) => locksets::check(program, property, claimed, budget),
        Proof::Protected(claimed) => protection::check(program, property, claimed, budget),
        Proof::Evident => evident(program, property),
        Proof::Shape(shape) => shape::check(program, property, shape, budget),
        Proof::Cuts(cuts) => cuts::check(program, property, cuts, budget),
        Proof::Invariants(invariants) => invariants::check(program, property, invariants, budget).map(drop),
        Proof::Ranking(ranking) => ranking::check(program, property, ranking, budget),
        Proof::RecursionFree(proof) => {
            let recursion_free = without_recursion(program).filter(|_| property == Property::Termination);
            let recursion_free = recursion_free.ok_or_else(|| failed("recursion cannot be removed here"))?;
            check_proof(&recursion_free, property, proof, budget)
        }
        Proof::ModularRanking(ranking) => modular::check_ranking(program, property, ranking, budget),
        Proof::Modular(modular) => modular::check(program, property, modular, budget),
        Proof::Weak(weak) => weak::check(program, property, weak, budget),
        Proof::Graphs => graph::check_graphs(program, property, budget),
    }
}

/// Fails if a decision of the program may depend on memory that was never set, in a way that the kind of proof does not exclude. Proofs with formulas exclude reads of such memory
/// where it can be followed.
fn no_unset_reads(program: &Program, proof: &Proof) -> Result<(), Inconclusive> {
    let doubts = match proof {
        Proof::Explored(_) | Proof::Shape(_) | Proof::Evident => return Ok(()),
        _ => semantics::Analysis::of(program).doubts(),
    };
    let doubt = match proof {
        Proof::Tree(_) | Proof::Cuts(_) | Proof::Invariants(_) | Proof::Modular(_) => doubts.beyond,
        _ => doubts.first(),
    };
    let Some((func, loc)) = doubt else { return Ok(()) };
    let span = program.functions[func].locations[loc].span;
    let place = match span.is_somewhere() {
        true => format!("{}:{}", program.files[span.file], span.line),
        false => format!("in `{}`", program.functions[func].name),
    };
    Err(Inconclusive::NoProof(format!("memory may be read that was never set ({place})")))
}

/// Checks that no access of the program is in doubt, and nothing in it is without a model.
fn evident(program: &Program, property: Property) -> Result<(), Inconclusive> {
    let is_evident = property.is_about_validity() || property == Property::NoDeadlock;
    demand(is_evident, || format!("valid accesses say nothing about {property}"))?;
    let unsupported = |location: &program::Location| matches!(location.action, Action::Unsupported(_));
    let known = !program.functions.iter().any(|f| f.locations.iter().any(unsupported));
    demand(known, || "something without a model may be reached".to_owned())?;
    let doubt = first_doubt(&semantics::Analysis::of(program), property);
    demand(doubt.is_none(), || format!("it is not evident: {doubt:?}"))
}

fn failed(what: &str) -> Inconclusive {
    Inconclusive::CheckFailed(what.to_owned())
}

/// Fails the check unless something holds.
fn demand(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Inconclusive> {
    if holds { Ok(()) } else { Err(Inconclusive::CheckFailed(otherwise())) }
}
