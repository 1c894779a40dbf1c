//! Constrained Horn clauses ([`system`]), and their solver: predicate abstraction with refinement by interpolation.
//!
//! After Grebenshchikov, Lopes, Popeea and Rybalchenko, *Synthesizing software verifiers from proof rules*, PLDI 2012 ("HSF").
//!
//! | HSF | here | ensures |
//! |---|---|---|
//! | abstract inference | [`abstraction`] | abstract facts closed under all clauses, or a query whose body they allow |
//! | counterexample tree | [`tree`] | the derivation of that query, as one formula: can it really be derived? |
//! | refinement | [`refine`] | if not: interpolants for every fact of the tree, each becoming predicates |
//! | | [`system`] | clauses, solutions and derivations: the data |
//! | | [`smtlib`] | SMT-LIB HORN files, in and out |
//! | | `spacer` | with the feature `z3`: the Horn solver of Z3 instead |
//!
//! # The idea
//! An *abstract fact* of a predicate is a set of formulas over its parameters, drawn from finitely many *predicates* known for it; it
//! stands for all arguments that satisfy them all. Facts are inferred by the clauses until nothing new comes. A fact that says more
//! than another one is not needed. The disjunction of the facts of each predicate then solves the system, unless a query fires. Its
//! derivation is a tree of clauses without recursion; if the tree's formula is satisfiable, the system has no solution. Otherwise the
//! tree is cut at every fact, and the formula that separates what is below from what is above joins the predicates: the same tree cannot
//! come back.
//!
//! # Deviations
//! - HSF interpolates over linear rational arithmetic; here over bit-vectors, by [`crate::interpolate`], which works on paths. A tree
//!   is cut into paths: a spine from a leaf to the root, with whole side trees as conditions, then the side trees one after the other.
//! - Well-foundedness conditions are not part of the clauses.
//!
//! # Direction of error
//! None: a [`Answer::Solved`] hands over meanings and a [`Answer::Derived`] values, and `certify::horn` checks both. Where
//! interpolation fails, the answer is a [`Inconclusive`].

mod abstraction;
mod refine;
pub mod smtlib;
#[cfg(feature = "z3")]
pub mod spacer;
pub mod system;
mod tree;

pub use system::{Atom, Clause, Derivation, Derived, PredId, Predicate, Solution, System};

use crate::interpolate::Interpolator;
use crate::{Embedded, Limits, Solver, Term, Terms};
use abstraction::Abstraction;
use base::{Inconclusive, Stats};

/// What became of a system.
#[derive(Debug)]
pub enum Answer {
    /// These meanings make all clauses true.
    Solved(Solution),
    /// A contradiction follows.
    Derived(Derivation),
}

/// Solves a system.
pub fn solve(
    system: &System,
    terms: &mut Terms,
    initial: &[(PredId, Term)],
    limits: &Limits,
    stats: &mut Stats,
) -> Result<Answer, Inconclusive> {
    let mut solver = Embedded::new();
    let mut abstraction = Abstraction::new(system);
    for &(pred, formula) in initial {
        abstraction.add_predicate(terms, pred, formula);
    }
    let mut interpolator = Interpolator::new();
    let result = search(system, terms, &mut solver, &mut abstraction, &mut interpolator, limits);
    stats.add("horn_clauses", system.clauses.len() as u64);
    stats.add("nodes", abstraction.n_facts());
    stats.add("predicates", abstraction.n_predicates());
    stats.add("refinements", abstraction.n_refinements);
    stats.add("solver_calls", solver.statistics().calls);
    stats.measure("solver_s", solver.statistics().seconds);
    result
}

fn search(
    system: &System,
    terms: &mut Terms,
    solver: &mut Embedded,
    abstraction: &mut Abstraction<'_>,
    interpolator: &mut Interpolator,
    limits: &Limits,
) -> Result<Answer, Inconclusive> {
    loop {
        let Some(query) = abstraction.infer(terms, solver, limits)? else {
            return Ok(Answer::Solved(abstraction.solution(terms)));
        };
        let found = match explain(system, terms, solver, abstraction, interpolator, &query, limits)? {
            Ok(found) => found,
            Err(derivation) => return Ok(Answer::Derived(derivation)),
        };
        abstraction.n_refinements += 1;
        let mut any = false;
        for (pred, label) in found {
            for part in terms.conjuncts(label) {
                any |= abstraction.add_predicate(terms, pred, part);
            }
        }
        if !any {
            // The labels were known and did not help: the solver gave up on one of them.
            return Err(Inconclusive::SolverGaveUp);
        }
    }
}

/// Labels that exclude a query's derivation, or the derivation itself. The smallest contradictory unfolding is tried first; where it
/// has no labels, larger ones may have.
fn explain(
    system: &System,
    terms: &mut Terms,
    solver: &mut Embedded,
    abstraction: &Abstraction<'_>,
    interpolator: &mut Interpolator,
    query: &abstraction::Fired,
    limits: &Limits,
) -> Result<Result<Vec<(PredId, Term)>, Derivation>, Inconclusive> {
    for depth in 1.. {
        limits.budget.check()?;
        let tree = tree::Tree::of(abstraction, query, depth);
        let tree =
            tree.ok_or_else(|| Inconclusive::Bound("a derivation of Horn clauses is too large".to_owned()))?;
        match tree.model(system, terms, solver, limits)? {
            Some(model) if tree.complete => return Ok(Err(tree.derivation(system, terms, &model))),
            Some(_) => {}
            None => match refine::refine(system, &tree, terms, solver, interpolator, limits) {
                Err(Inconclusive::SolverGaveUp) if !tree.complete => {}
                found => return found.map(Ok),
            },
        }
    }
    unreachable!("a derivation should be complete at some depth")
}
