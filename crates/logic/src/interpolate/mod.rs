//! Path interpolants without an interpolating solver.
//!
//! # The problem
//! Given `{pre} b1; …; bn {post}` that holds, find labels `φ0 = pre, φ1, …, φn = post` over state variables such that every
//! triple `{φi-1} bi {φi}` holds. Many sequences do; a good one says *why* the path fails and no more, so that it still
//! holds after the next iteration of the loop.
//!
//! # The way (measured in solvers.md)
//! 1. **Slice** (`slice`): with every command as an assumption of its own, the minimised unsat core says which
//!    conjuncts of guards and which assignments matter. The rest is forgotten: guards vanish, assignments become havocs, and
//!    blocks that then do nothing leave the path.
//! 2. **Farkas** (`farkas`): if the slice is linear, an LP finds a non-negative combination of its rows that adds up to
//!    `0 <= -1`; the partial sums are the labels. Generalises best.
//! 3. **Weakest preconditions** (`wp`) backwards from `post`; exact quantifier elimination for havocs (`forall`).
//! 4. **Strongest postconditions** (`sp`) forwards from `pre`, projected onto live variables.
//! 5. **Points** (`points`): values, equations and elements of arrays, then cubes out of models. The last resort: it says
//!    little more than what happened on this path, but it is there for every path.
//!
//! Each sequence is a *candidate*. Arithmetic in 2. is that of integers, so it may be wrong about overflow; 4. may
//! forget too much. Therefore every triple is validated in bit-vectors on the *original* blocks (`validate`), and a
//! sequence with a failing triple is discarded and counted.
//!
//! # Cost
//! Beyond one symbolic execution of the path, everything is linear in the slice, not in the path: strategies see active blocks only,
//! and a label that passes through a block which sets none of its variables needs no solver.
//!
//! # Direction of error
//! A returned sequence is always valid. `None` means that no strategy succeeded, not that the path is feasible.

mod farkas;
mod forall;
mod points;
mod slice;
mod sp;
#[cfg(test)]
mod tests;
mod validate;
mod wp;

use crate::path::{Block, Cmd};
use crate::solver::{Limits, Solver};
use crate::term::{Term, Terms};
use base::Inconclusive;
use slice::{Slice, slice};

/// A way to find labels.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Strategy {
    /// A linear combination of the slice's rows, read as signed integers.
    FarkasSigned,
    /// The same, read as unsigned integers.
    FarkasUnsigned,
    /// Weakest preconditions.
    Wp,
    /// Strongest postconditions.
    Sp,
    /// Values, elements and cubes.
    Points,
}

impl Strategy {
    /// All strategies, best first.
    pub const ALL: [Strategy; 5] =
        [Self::FarkasSigned, Self::FarkasUnsigned, Self::Wp, Self::Sp, Self::Points];
}

/// Valid labels of a path.
#[derive(Clone, Debug)]
pub struct Interpolants {
    /// One more than there are blocks; the first is the precondition, the last the postcondition.
    pub labels: Vec<Term>,
    /// Who found them.
    pub strategy: Strategy,
}

impl Interpolants {
    /// The labels as sets of conjuncts.
    pub fn conjuncts(&self, terms: &Terms) -> Vec<Vec<Term>> {
        self.labels.iter().map(|&label| terms.conjuncts(label)).collect()
    }
}

/// How often each strategy was tried and gave valid labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrategyCount {
    /// Candidates that were wanted.
    pub tried: u64,
    /// Candidates found, valid or not.
    pub found: u64,
    /// Candidates all of whose triples hold.
    pub valid: u64,
}

/// The exact weakest precondition of commands, or `None` if a quantifier cannot be eliminated.
pub fn weakest_precondition(terms: &mut Terms, commands: &[Cmd], post: Term) -> Option<Term> {
    wp::of_commands(terms, commands, post)
}

/// The interpolator and its statistics.
#[derive(Clone, Debug, Default)]
pub struct Interpolator {
    counts: [StrategyCount; Strategy::ALL.len()],
}

/// The query: a path with its pre- and postcondition.
#[derive(Clone, Copy)]
struct Query<'a> {
    pre: Term,
    path: &'a [Block],
    post: Term,
}

impl Interpolator {
    /// An interpolator that has done nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The counts of a strategy.
    pub fn count(&self, strategy: Strategy) -> StrategyCount {
        self.counts[strategy as usize]
    }

    /// The labels of the best strategy that succeeds; `None` if the path is feasible or none does.
    pub fn interpolants<S: Solver + ?Sized>(
        &mut self,
        solver: &mut S,
        terms: &mut Terms,
        pre: Term,
        path: &[Block],
        post: Term,
        limits: &Limits,
    ) -> Result<Option<Interpolants>, Inconclusive> {
        self.first_of(&Strategy::ALL, solver, terms, Query { pre, path, post }, limits)
    }

    /// The same by those strategies that take no long search: for labels that would be nice to have.
    pub fn cheap_interpolants<S: Solver + ?Sized>(
        &mut self,
        solver: &mut S,
        terms: &mut Terms,
        pre: Term,
        path: &[Block],
        post: Term,
        limits: &Limits,
    ) -> Result<Option<Interpolants>, Inconclusive> {
        let cheap = [Strategy::FarkasSigned, Strategy::FarkasUnsigned, Strategy::Wp];
        self.first_of(&cheap, solver, terms, Query { pre, path, post }, limits)
    }

    fn first_of<S: Solver + ?Sized>(
        &mut self,
        strategies: &[Strategy],
        solver: &mut S,
        terms: &mut Terms,
        query: Query<'_>,
        limits: &Limits,
    ) -> Result<Option<Interpolants>, Inconclusive> {
        let Some(slice) = slice(solver, terms, query, limits)? else { return Ok(None) };
        for &strategy in strategies {
            if let Some(labels) = self.attempt(solver, terms, query, &slice, strategy, limits)? {
                return Ok(Some(Interpolants { labels, strategy }));
            }
        }
        Ok(None)
    }

    /// The labels of every strategy that succeeds, best first.
    pub fn all_interpolants<S: Solver + ?Sized>(
        &mut self,
        solver: &mut S,
        terms: &mut Terms,
        pre: Term,
        path: &[Block],
        post: Term,
        limits: &Limits,
    ) -> Result<Vec<Interpolants>, Inconclusive> {
        let query = Query { pre, path, post };
        let Some(slice) = slice(solver, terms, query, limits)? else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for strategy in Strategy::ALL {
            let labels = self.attempt(solver, terms, query, &slice, strategy, limits)?;
            all.extend(labels.map(|labels| Interpolants { labels, strategy }));
        }
        Ok(all)
    }

    fn attempt<S: Solver + ?Sized>(
        &mut self,
        solver: &mut S,
        terms: &mut Terms,
        query: Query<'_>,
        slice: &Slice,
        strategy: Strategy,
        limits: &Limits,
    ) -> Result<Option<Vec<Term>>, Inconclusive> {
        self.counts[strategy as usize].tried += 1;
        let candidate = match strategy {
            Strategy::FarkasSigned => farkas::labels(terms, slice, true),
            Strategy::FarkasUnsigned => farkas::labels(terms, slice, false),
            Strategy::Wp => wp::labels(terms, slice),
            Strategy::Sp => Some(sp::labels(terms, slice)),
            Strategy::Points => points::labels(solver, terms, slice, limits)?,
        };
        let Some(labels) = candidate else { return Ok(None) };
        self.counts[strategy as usize].found += 1;
        let mut labels = slice.spread(&labels);
        debug_assert_eq!(labels.len(), query.path.len() + 1, "there should be a label between all blocks");
        labels[0] = query.pre;
        if let Some(last) = query.path.len().checked_sub(1) {
            labels[last + 1] = query.post;
        }
        if !validate::all_hold(solver, terms, &labels, query.path, limits)? {
            return Ok(None);
        }
        self.counts[strategy as usize].valid += 1;
        Ok(Some(labels))
    }
}
