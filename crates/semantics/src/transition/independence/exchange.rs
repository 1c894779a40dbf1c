//! Whether the data of two steps commutes, as a query: both orders are executed on symbolic values and compared by the solver.
//!
//! This is one-sided: `first; second` may be replaced by `second; first`, which is what a mover needs. Acquiring a lock can be moved to the right and
//! releasing it to the left, and neither is a rule here: it is the answer of the solver, given what holds before the two steps.
//!
//! Inputs are named by the variable and how often it was havocked. So the other order chooses the same inputs, or, if both steps havoc the same variable, exchanged ones:
//! that is one of the choices that it has, and enough to reach the same state.

use base::Inconclusive;
use logic::path::{Cmd, SymbolicStore};
use logic::{Limits, Solver, Symbol, Terms};
use std::collections::BTreeSet;

/// Two blocks of commands of different threads that should be exchanged.
pub struct Exchange<'a> {
    /// What holds before both.
    pub given: &'a [logic::Term],
    /// The block that is executed first.
    pub first: &'a [Cmd],
    /// The block that is executed second.
    pub second: &'a [Cmd],
}

impl Exchange<'_> {
    /// Returns true if `second; first` can be executed and leads to the same state, wherever `first; second` can be.
    pub fn commutes<S: Solver + ?Sized>(
        &self,
        solver: &mut S,
        terms: &mut Terms,
        limits: &Limits,
    ) -> Result<bool, Inconclusive> {
        let mut there = SymbolicStore::default();
        let mut assumptions = self.given.to_vec();
        assumptions.extend(there.run(terms, self.first));
        assumptions.extend(there.run(terms, self.second));
        let mut back = SymbolicStore::default();
        let mut goals = back.run(terms, self.second);
        goals.extend(back.run(terms, self.first));
        let changed: BTreeSet<Symbol> = there.values().keys().chain(back.values().keys()).copied().collect();
        for x in changed {
            let (one, other) = (there.value(terms, x), back.value(terms, x));
            goals.push(terms.eq(one, other));
        }
        let (all, goal) = (terms.and(&assumptions), terms.and(&goals));
        solver.implies(terms, all, goal, limits)
    }

    /// Returns true if `second`, which ends the execution, can be executed at once wherever it can be after `first`.
    pub fn ends_earlier<S: Solver + ?Sized>(
        &self,
        solver: &mut S,
        terms: &mut Terms,
        limits: &Limits,
    ) -> Result<bool, Inconclusive> {
        let mut there = SymbolicStore::default();
        let mut assumptions = self.given.to_vec();
        assumptions.extend(there.run(terms, self.first));
        assumptions.extend(there.run(terms, self.second));
        let goals = SymbolicStore::default().run(terms, self.second);
        let (all, goal) = (terms.and(&assumptions), terms.and(&goals));
        solver.implies(terms, all, goal, limits)
    }

    /// Returns true if `first`, which ends the execution, can still be executed after `second`, wherever either can be.
    pub fn ends_later<S: Solver + ?Sized>(
        &self,
        solver: &mut S,
        terms: &mut Terms,
        limits: &Limits,
    ) -> Result<bool, Inconclusive> {
        if !inputs(self.first).is_disjoint(&inputs(self.second)) {
            return Ok(false); // their inputs would be taken for each other
        }
        let mut assumptions = self.given.to_vec();
        assumptions.extend(SymbolicStore::default().run(terms, self.first));
        let mut after = SymbolicStore::default();
        assumptions.extend(after.run(terms, self.second));
        let goals = after.run(terms, self.first);
        let (all, goal) = (terms.and(&assumptions), terms.and(&goals));
        solver.implies(terms, all, goal, limits)
    }
}

fn inputs(block: &[Cmd]) -> BTreeSet<Symbol> {
    block.iter().filter_map(|cmd| if let Cmd::Havoc(x) = cmd { Some(*x) } else { None }).collect()
}
