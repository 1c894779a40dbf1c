//! The default for termination: who takes turns, and on which program.
//!
//! Signed overflow has no meaning in C, and people differ about programs that end only because a number wraps around, or only because it does not. So
//! there are two versions of a program: one in which numbers wrap around, and one in which an overflow ends the execution. `false` needs an execution of the
//! *checked* version. For `true` all fair executions of the *wrapping* version should end; or those of the checked one, because of ranks that would do for integers without
//! bounds (so that `while (1) i++` does not end because of the overflow), and the answer says what it assumes. A program of which neither can be said is `unknown`.
//!
//! | turn | who | on which version | for |
//! |---|---|---|---|
//! | 1 | exploration of few states | wrapping | both answers at once, where the states are few |
//! | 2 | ranks of all threads together | wrapping | `true` |
//! | 3 | ranks of one thread at a time | wrapping | `true`, of any number of threads |
//! | 4 | both | checked | `true`, if nothing overflows |
//! | 5 | exploration of few states, with inputs that the program compares with | checked | `false` |
//! | 6 | recurrent sets | checked | `false` |
//! | 7 | exploration of many states | wrapping, then checked | long computations without inputs |
//!
//! A recursive program's ranks are those of one without recursion that does more ([`program::passes::without_recursion`]).

use crate::ranking::{self, Bounds};
use crate::{explore, redcomp};
use base::{Budget, Inconclusive, Stats};
use evidence::{Outcome, Proof, Trace};
use program::{Action, BinOp, Expr, Op, Program, Property};
use std::collections::BTreeSet;

const FEW_STATES: usize = 20_000;
const MANY_STATES: usize = 1_500_000;
/// So many values of inputs are tried.
const MAX_INPUTS: usize = 16;

/// The versions of a program.
#[derive(Clone, Copy)]
pub struct Versions<'p> {
    /// Signed arithmetic wraps around.
    pub wrapping: &'p Program,
    /// Signed arithmetic that overflows ends the execution.
    pub checked: &'p Program,
}

/// Who is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    /// Everybody, in turn.
    Everybody,
    /// Exploration.
    Explorer,
    /// Ranks and recurrent sets, those of one thread at a time first.
    Ranks {
        /// Whether these take reducible blocks as one step.
        reduction: bool,
    },
}

/// A search under way.
struct Search<'a, 'p> {
    versions: Versions<'p>,
    budget: &'a Budget,
    stats: &'a mut Stats,
    /// The first reason for having no answer.
    stop: Option<Inconclusive>,
    /// Whether an execution of the wrapping version was found that does not end.
    endless: bool,
    /// Whether the answer is about the checked version.
    checked: bool,
}

/// An answer, and what it is about.
pub struct Answer {
    /// What was found out.
    pub outcome: Outcome,
    /// Whether it is about the checked version.
    pub checked: bool,
}

/// Decides whether every fair execution ends.
pub fn verify(versions: Versions<'_>, who: Who, budget: &Budget, stats: &mut Stats) -> Answer {
    let mut search = Search { versions, budget, stats, stop: None, endless: false, checked: false };
    let found = match who {
        Who::Everybody => search.everybody(),
        Who::Explorer => search.explore(explore::Options::default().max_states, 1.0),
        Who::Ranks { reduction } => search
            .modular(reduction, 0.3)
            .or_else(|| search.ranks(0.4))
            .or_else(|| search.bounded_modular(reduction, 0.3))
            .or_else(|| search.bounded_ranks(0.5))
            .or_else(|| search.recurs(1.0)),
    };
    let overflow = || {
        Inconclusive::Undefined("signed arithmetic overflows in the execution that does not end".to_owned())
    };
    let stop = if search.endless { Some(overflow()) } else { search.stop };
    let checked = search.checked || matches!(found, Some(Outcome::Unsafe(_)));
    let outcome = found.unwrap_or_else(|| Outcome::Unknown(stop.unwrap_or(Inconclusive::SolverGaveUp)));
    Answer { outcome, checked }
}

impl Search<'_, '_> {
    fn everybody(&mut self) -> Option<Outcome> {
        let explored = self.explore(FEW_STATES, 0.3);
        self.stop = None; // the reasons of the others say more
        explored
            .or_else(|| self.ranks(0.3))
            .or_else(|| self.modular(true, 0.2))
            .or_else(|| self.bounded_ranks(0.3))
            .or_else(|| self.bounded_modular(true, 0.2))
            .or_else(|| self.explore_checked(FEW_STATES, inputs_of(self.versions.checked), 0.3))
            .or_else(|| self.recurs(0.6))
            .or_else(|| self.explore(MANY_STATES, 1.0))
    }

    /// Explores the wrapping version and, if it does not end, the checked one.
    fn explore(&mut self, max_states: usize, share: f64) -> Option<Outcome> {
        self.begin("explore");
        let options = explore::Options { max_states, ..explore::Options::default() };
        let budget = self.budget.share(share);
        match explore::verify(self.versions.wrapping, Property::Termination, &options, &budget, self.stats) {
            Outcome::Safe(proof) => Some(Outcome::Safe(proof)),
            Outcome::Unsafe(_) => {
                self.endless = true;
                self.explore_checked(max_states, options.inputs, share)
            }
            Outcome::Unknown(stop) => self.nothing(stop),
        }
    }

    fn explore_checked(&mut self, max_states: usize, inputs: Vec<u128>, share: f64) -> Option<Outcome> {
        self.begin("explore");
        let options = explore::Options { max_states, inputs, ..explore::Options::default() };
        let budget = self.budget.share(share);
        match explore::verify(self.versions.checked, Property::Termination, &options, &budget, self.stats) {
            Outcome::Unsafe(trace) => Some(Outcome::Unsafe(trace)),
            Outcome::Safe(_) => None,
            Outcome::Unknown(stop) => self.nothing(stop),
        }
    }

    fn ranks(&mut self, share: f64) -> Option<Outcome> {
        match self.prove(self.versions.wrapping, Bounds::Widths, share) {
            Ok(proof) => Some(Outcome::Safe(proof)),
            Err(stop) => self.nothing(stop),
        }
    }

    /// Ranks of one thread at a time.
    fn modular(&mut self, reduction: bool, share: f64) -> Option<Outcome> {
        match self.prove_modularly(self.versions.wrapping, reduction, Bounds::Widths, share) {
            Ok(proof) => Some(Outcome::Safe(proof)),
            Err(stop) => self.nothing(stop),
        }
    }

    fn bounded_modular(&mut self, reduction: bool, share: f64) -> Option<Outcome> {
        if std::ptr::eq(self.versions.wrapping, self.versions.checked) {
            return None;
        }
        let proof = self.prove_modularly(self.versions.checked, reduction, Bounds::Conditions, share).ok()?;
        self.checked = true;
        Some(Outcome::Safe(proof))
    }

    fn prove_modularly(
        &mut self,
        program: &Program,
        reduction: bool,
        bounds: Bounds,
        share: f64,
    ) -> Result<Proof, Inconclusive> {
        self.begin("redcomp");
        let budget = self.budget.share(share);
        let stats = &mut *self.stats;
        match program::passes::without_recursion(program) {
            None => redcomp::terminate::prove(program, reduction, bounds, &budget, stats),
            Some(flat) => redcomp::terminate::prove(&flat, reduction, bounds, &budget, stats)
                .map(|proof| Proof::RecursionFree(Box::new(proof))),
        }
    }

    /// Ranks of the checked version that would do for integers without bounds.
    fn bounded_ranks(&mut self, share: f64) -> Option<Outcome> {
        if std::ptr::eq(self.versions.wrapping, self.versions.checked) {
            return None;
        }
        let proof = self.prove(self.versions.checked, Bounds::Conditions, share).ok()?;
        self.checked = true;
        Some(Outcome::Safe(proof))
    }

    fn prove(&mut self, program: &Program, bounds: Bounds, share: f64) -> Result<Proof, Inconclusive> {
        self.begin("ranking");
        let budget = self.budget.share(share);
        match program::passes::without_recursion(program) {
            None => ranking::prove(program, bounds, &budget, self.stats),
            Some(flat) => ranking::prove(&flat, bounds, &budget, self.stats)
                .map(|proof| Proof::RecursionFree(Box::new(proof))),
        }
    }

    fn recurs(&mut self, share: f64) -> Option<Outcome> {
        self.begin("ranking");
        let found: Result<Option<Trace>, Inconclusive> =
            ranking::refute(self.versions.checked, &self.budget.share(share), self.stats);
        match found {
            Ok(trace) => trace.map(Outcome::Unsafe),
            Err(stop) => self.nothing(stop),
        }
    }

    fn begin(&mut self, engine: &str) {
        *self.stats = Stats::default();
        self.stats.name("engine", engine);
    }

    fn nothing(&mut self, stop: Inconclusive) -> Option<Outcome> {
        self.stop.get_or_insert(stop);
        None
    }
}

/// Values for inputs: small ones, and those that the program compares with, and their neighbours.
fn inputs_of(program: &Program) -> Vec<u128> {
    let mut values: Vec<u128> = vec![0, 1, 2, u128::MAX];
    let mut compared = BTreeSet::new();
    for function in program.functions.iter().filter(|function| !function.library) {
        for location in function.locations.iter() {
            expressions(&location.action, &mut |e| {
                e.walk(&mut |part| {
                    if let Expr::Binary(op, left, right) = part
                        && op.is_comparison()
                        && !matches!(op, BinOp::FEq | BinOp::FNe | BinOp::FLt | BinOp::FLe)
                    {
                        compared.extend(left.as_const().into_iter().chain(right.as_const()));
                    }
                });
            });
        }
    }
    for value in compared {
        values.extend([value, value.wrapping_add(1), value.wrapping_sub(1)]);
    }
    let mut seen = BTreeSet::new();
    values.retain(|value| seen.insert(*value));
    values.truncate(MAX_INPUTS);
    values
}

fn expressions<'p>(action: &'p Action, visit: &mut impl FnMut(&'p Expr)) {
    match action {
        Action::Branch { cond, .. } => visit(cond),
        Action::Ops { ops, .. } => ops.iter().for_each(|op| match op {
            Op::Set { value, .. } | Op::Store { value, .. } => visit(value),
            Op::Guard(cond) | Op::Assume(cond) => visit(cond),
            _ => {}
        }),
        _ => {}
    }
}
