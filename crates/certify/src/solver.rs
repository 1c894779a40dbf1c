//! The solver of the checkers: no `Unsat` without a derivation that was checked.
//!
//! A proof's obligations are implications, and an implication is valid if its negation is unsatisfiable: so a wrong `Unsat` would let a
//! wrong proof pass. A wrong `Sat` or `Unknown` only rejects a proof. [`CheckedSolver`] is the embedded solver with [`Checker`] behind it:
//! each `Unsat` is confirmed from the clauses of the bit-blaster on, or the result is [`Inconclusive::CheckFailed`], never a verdict.
//!
//! # What is still trusted
//! The rules that simplify terms on construction, the bit-blaster (gates, words, `blast`) and the lemmas about arrays: they state the
//! axioms of a derivation. Tests compare each of them with the evaluation of terms on all values of small widths.

use crate::lrat::Checker;
use base::Inconclusive;
use logic::{Answer, Embedded, Limits, Solver, SolverStatistics, Term, Terms};

/// A solver whose `Unsat` was derived, and whose derivation was checked.
pub struct CheckedSolver(Embedded);

impl CheckedSolver {
    /// A solver that knows no term yet.
    pub fn new() -> Self {
        CheckedSolver(Embedded::checked_by(Box::<Checker>::default()))
    }
}

impl Default for CheckedSolver {
    fn default() -> Self {
        Self::new()
    }
}

impl Solver for CheckedSolver {
    fn check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        limits: &Limits,
    ) -> Result<Answer, Inconclusive> {
        self.0.check(terms, assumptions, limits)
    }

    fn core(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        limits: &Limits,
    ) -> Result<Option<Vec<Term>>, Inconclusive> {
        self.0.core(terms, assumptions, limits)
    }

    fn statistics(&self) -> SolverStatistics {
        self.0.statistics()
    }
}

#[cfg(test)]
mod tests;
