//! Satisfiability of sets of terms.
//!
//! # The idea
//! The engines make tens of thousands of small queries about formulas that share most of their parts: the paths of
//! one tree, the labels of its nodes. So a solver lives as long as the search. A truth-valued term is translated once
//! into a literal whose defining clauses are permanent and constrain nothing by themselves; a query is a set of
//! assumed literals; what was learnt answering one query is kept for the next.
//!
//! | module | what it does |
//! |---|---|
//! | `gates` | and, xor, majority, multiplexer as clauses; hashed, so that equal gates are made once |
//! | `words` | adders, multipliers, dividers, shifters, comparators out of gates |
//! | `blast` | terms to words |
//! | `arrays` | read consistency and extensionality, by lemmas added when a model violates them |
//! | `sat` | conflict-driven clause learning that decides only what a query depends on |
//! | [`derivation`] | how the SAT solver came to its answers, for checkers |
//! | `quick` | answers without search: opposites, constants, models of earlier queries |
//! | `faults` | with the cargo feature `faults`: a SAT solver that lies, for tests of checkers |
//! | `embedded` | [`Embedded`], the back end that unites them |
//! | `z3` | with the cargo feature `z3`: a second opinion for tests, from the program of that name |
//!
//! # Invariants
//! - Defining clauses and lemmas hold in every model of the theory, so they never need to be taken back.
//! - A core is a subset of the assumptions and is unsatisfiable by itself.
//! - A model gives a value to every variable of the assumptions, and all of them evaluate to true in it; debug
//!   builds check this for every answer.
//!
//! # Direction of error
//! `Unknown` and [`Inconclusive`] are always allowed; a wrong `Unsat` would be an unsound proof, a wrong `Sat` is caught by
//! evaluation.

mod arrays;
mod blast;
pub mod derivation;
mod embedded;
#[cfg(feature = "faults")]
pub mod faults;
mod gates;
mod quick;
mod sat;
#[cfg(test)]
mod tests;
mod words;
#[cfg(feature = "z3")]
mod z3;

pub use embedded::Embedded;
#[cfg(feature = "z3")]
pub use z3::Z3;

use crate::{Model, Term, Terms};
use base::{Budget, Inconclusive};

/// What a solver says about a set of assumptions.
#[derive(Clone, Debug)]
pub enum Answer {
    /// They can be true together, as in this model.
    Sat(Model),
    /// They cannot; already this subset cannot.
    Unsat(Vec<Term>),
    /// The limit on effort was reached.
    Unknown,
}

impl Answer {
    /// Returns true if the assumptions contradict each other.
    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat(_))
    }
}

/// How much effort one query is worth.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Time, memory and cancellation; exceeding it is a [`Inconclusive`].
    pub budget: Budget,
    /// Conflicts of the SAT solver; exceeding it is [`Answer::Unknown`].
    pub conflicts: Option<u64>,
}

impl Limits {
    /// Only the budget limits.
    pub fn of(budget: &Budget) -> Self {
        Self { budget: budget.clone(), conflicts: None }
    }
    /// The same, for a query that is not worth much: an answer is welcome if it is easy.
    pub fn cheap(&self) -> Self {
        const CONFLICTS: u64 = 200;
        let conflicts = self.conflicts.map_or(CONFLICTS, |n| n.min(CONFLICTS));
        Self { budget: self.budget.clone(), conflicts: Some(conflicts) }
    }
    /// Nothing limits.
    pub fn none() -> Self {
        Self::of(&Budget::unlimited())
    }
}

/// What a solver has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolverStatistics {
    /// Queries made.
    pub calls: u64,
    /// Queries answered `Sat`.
    pub sat: u64,
    /// Queries answered `Unsat`.
    pub unsat: u64,
    /// Queries answered by a model of an earlier one.
    pub remembered: u64,
    /// Queries that needed a search.
    pub searches: u64,
    /// Time spent in queries.
    pub seconds: f64,
    /// Conflicts of the SAT solver.
    pub conflicts: u64,
    /// Terms translated.
    pub encoded_terms: u64,
    /// Lemmas about arrays.
    pub lemmas: u64,
    /// How often the solver forgot its clauses because they had become too many.
    pub restarts: u64,
}

/// A back end. It belongs to one pool of terms for life.
pub trait Solver {
    /// Whether all `assumptions` can be true together.
    fn check(&mut self, terms: &Terms, assumptions: &[Term], limits: &Limits)
    -> Result<Answer, Inconclusive>;

    /// What has been done so far.
    fn statistics(&self) -> SolverStatistics;

    /// A core if `assumptions` contradict each other; `None` if they do not or the solver gave up. Callers that need no model
    /// should use this: a back end may answer from models that it has seen before.
    fn core(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        limits: &Limits,
    ) -> Result<Option<Vec<Term>>, Inconclusive> {
        Ok(match self.check(terms, assumptions, limits)? {
            Answer::Unsat(core) => Some(core),
            Answer::Sat(_) | Answer::Unknown => None,
        })
    }

    /// A core from which no single term can be dropped, unless `tries` or the limits run out first. `core` should
    /// be unsatisfiable; later terms are kept in preference to earlier ones.
    fn minimise(
        &mut self,
        terms: &Terms,
        core: &[Term],
        tries: usize,
        limits: &Limits,
    ) -> Result<Vec<Term>, Inconclusive> {
        let limits = &limits.cheap();
        let mut kept = core.to_vec();
        let mut at = 0;
        for _ in 0..tries {
            if at >= kept.len() {
                break;
            }
            let mut without = kept.clone();
            without.remove(at);
            match self.core(terms, &without, limits)? {
                // The smaller core keeps the order, so everything before `at` is still needed.
                Some(smaller) => kept.retain(|t| smaller.contains(t)),
                None => at += 1,
            }
        }
        Ok(kept)
    }

    /// Returns true if `a` implies `b`; `false` also when the solver gave up.
    fn implies(
        &mut self,
        terms: &mut Terms,
        a: Term,
        b: Term,
        limits: &Limits,
    ) -> Result<bool, Inconclusive> {
        if a == b || terms.as_bool(b) == Some(true) || terms.as_bool(a) == Some(false) {
            return Ok(true);
        }
        let mut assumptions = terms.conjuncts(a);
        if terms.conjuncts(b).iter().all(|c| assumptions.contains(c)) {
            return Ok(true);
        }
        let not_b = terms.not(b);
        assumptions.extend(terms.conjuncts(not_b));
        Ok(self.core(terms, &assumptions, limits)?.is_some())
    }
}
