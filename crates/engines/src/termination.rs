//! The default for termination: which methods get a time slice, and on which program.
//!
//! Signed overflow has no meaning in C, and people differ about programs that end only because a number wraps around, or only because it does not. So
//! there are two versions of a program: one in which numbers wrap around, and one in which an overflow ends the execution. `false` needs an execution of the
//! *checked* version. For `true` all fair executions of the *wrapping* version should end; or those of the checked one, because of ranks that would do for integers without
//! bounds (so that `while (1) i++` does not end because of the overflow), and the answer says what it assumes. A program of which neither can be said is `unknown`.
//!
//! | time slice | method | on which version | for |
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

use crate::portfolio::Check;
use crate::ranking::{self, Bounds};
use crate::task::{Engine, Task};
use crate::{explore, redcomp};
use base::{Inconclusive, Stats};
use evidence::{Outcome, Proof};
use program::passes::without_recursion;
use program::{Action, BinOp, Expr, Op, Program, Property};
use semantics::Analysis;
use std::collections::BTreeSet;
use std::sync::Arc;

const FEW_STATES: usize = 20_000;
const MANY_STATES: usize = 1_500_000;
/// Maximum number of values of inputs that are tried.
const MAX_INPUTS: usize = 16;

/// Which methods are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Methods {
    /// All, in time slices.
    All,
    /// Exploration.
    Exploration,
    /// Ranking functions and recurrence sets, thread-modular ones first.
    Ranking {
        /// True if thread-modular proofs use reducible blocks.
        reduction: bool,
    },
}

/// An answer, and what it is about.
pub struct Answer {
    /// What was found out, and checked.
    pub outcome: Outcome,
    /// True if it is about the checked version.
    pub checked: bool,
}

/// A search under way.
struct Search<'a, 'p> {
    task: &'a Task<'p>,
    check: &'a Check<'a>,
    stats: &'a mut Stats,
    /// The first reason for having no answer.
    reason: Option<Inconclusive>,
    /// True if the wrapping version has a non-terminating execution.
    non_terminating: bool,
    /// True if the answer is about the checked version.
    checked: bool,
}

/// Decides whether every fair execution of a task's program ends; every verdict has passed `check`.
pub fn verify(task: &Task<'_>, methods: Methods, check: &Check<'_>, stats: &mut Stats) -> Answer {
    let model = task.program().memory_model;
    if model.is_weak() {
        let why = Inconclusive::Unsupported(format!("termination under {model}"));
        return Answer { outcome: Outcome::Unknown(why), checked: false };
    }
    let mut search = Search { task, check, stats, reason: None, non_terminating: false, checked: false };
    let found = match methods {
        Methods::All => search.all(),
        Methods::Exploration => search.explore(explore::Options::default().max_states, 1.0),
        Methods::Ranking { reduction } => search
            .modular(reduction, 0.3)
            .or_else(|| search.ranks(0.4))
            .or_else(|| search.bounded_modular(reduction, 0.3))
            .or_else(|| search.bounded_ranks(0.5))
            .or_else(|| search.recurs(1.0)),
    };
    let overflow = || {
        Inconclusive::Undefined("signed arithmetic overflows in the execution that does not end".to_owned())
    };
    let reason = if search.non_terminating { Some(overflow()) } else { search.reason };
    let checked = search.checked || matches!(found, Some(Outcome::Unsafe(_)));
    let none =
        || Inconclusive::NoProof("no ranking function and no non-terminating execution was found".to_owned());
    let outcome = found.unwrap_or_else(|| Outcome::Unknown(reason.unwrap_or_else(none)));
    Answer { outcome, checked }
}

impl<'p> Search<'_, 'p> {
    fn all(&mut self) -> Option<Outcome> {
        let explored = self.explore(FEW_STATES, 0.3);
        self.reason = None; // the reasons of the others say more
        explored
            .or_else(|| self.ranks(0.3))
            .or_else(|| self.modular(true, 0.2))
            .or_else(|| self.bounded_ranks(0.3))
            .or_else(|| self.bounded_modular(true, 0.2))
            .or_else(|| self.explore_checked(FEW_STATES, inputs_of(self.checked_version().program), 0.3))
            .or_else(|| self.recurs(0.6))
            .or_else(|| self.explore(MANY_STATES, 1.0))
    }

    fn checked_version(&self) -> Arc<Analysis<'p>> {
        Arc::clone(self.task.checked.as_ref().unwrap_or(&self.task.analysis))
    }

    /// Explores the wrapping version and, if it has a non-terminating execution, the checked one.
    fn explore(&mut self, max_states: usize, share: f64) -> Option<Outcome> {
        let options = explore::Options { max_states, ..explore::Options::default() };
        let task = self.task.within(self.task.budget.share(share));
        match self.begin(|stats| options.run(&task, stats)) {
            Outcome::Unsafe(_) => {
                self.non_terminating = true;
                self.explore_checked(max_states, options.inputs, share)
            }
            found => self.accept(task.program(), found),
        }
    }

    fn explore_checked(&mut self, max_states: usize, inputs: Vec<u128>, share: f64) -> Option<Outcome> {
        let options = explore::Options { max_states, inputs, ..explore::Options::default() };
        let analysis = self.checked_version();
        let program = analysis.program;
        let task =
            Task { analysis, locations: Arc::default(), ..self.task.within(self.task.budget.share(share)) };
        match self.begin(|stats| options.run(&task, stats)) {
            Outcome::Safe(_) => None,
            found => self.accept(program, found),
        }
    }

    fn ranks(&mut self, share: f64) -> Option<Outcome> {
        let proof = self.prove(&Arc::clone(&self.task.analysis), Bounds::Widths, share);
        self.accept(self.task.program(), proof.map_or_else(Outcome::Unknown, Outcome::Safe))
    }

    /// Thread-modular ranking functions.
    fn modular(&mut self, reduction: bool, share: f64) -> Option<Outcome> {
        let proof = self.prove_modularly(&Arc::clone(&self.task.analysis), reduction, Bounds::Widths, share);
        self.accept(self.task.program(), proof.map_or_else(Outcome::Unknown, Outcome::Safe))
    }

    fn bounded_modular(&mut self, reduction: bool, share: f64) -> Option<Outcome> {
        let version = Arc::clone(self.task.checked.as_ref()?);
        let proof = self.prove_modularly(&version, reduction, Bounds::Conditions, share).ok()?;
        self.checked_proof(&version, proof)
    }

    /// Ranking functions of the checked version that would do for integers without bounds.
    fn bounded_ranks(&mut self, share: f64) -> Option<Outcome> {
        let version = Arc::clone(self.task.checked.as_ref()?);
        let proof = self.prove(&version, Bounds::Conditions, share).ok()?;
        self.checked_proof(&version, proof)
    }

    fn checked_proof(&mut self, version: &Analysis<'_>, proof: Proof) -> Option<Outcome> {
        let accepted = self.accept(version.program, Outcome::Safe(proof));
        self.checked = accepted.is_some();
        accepted
    }

    fn prove_modularly(
        &mut self,
        analysis: &Arc<Analysis<'_>>,
        reduction: bool,
        bounds: Bounds,
        share: f64,
    ) -> Result<Proof, Inconclusive> {
        let budget = self.task.budget.share(share);
        self.begin(|stats| {
            stats.name("engine", "redcomp");
            let prove = |analysis: &Arc<Analysis<'_>>, stats: &mut Stats| {
                redcomp::terminate::prove(analysis, reduction, bounds, &budget, stats)
            };
            recursion_free(analysis, stats, prove)
        })
    }

    fn prove(
        &mut self,
        analysis: &Arc<Analysis<'_>>,
        bounds: Bounds,
        share: f64,
    ) -> Result<Proof, Inconclusive> {
        let budget = self.task.budget.share(share);
        self.begin(|stats| {
            stats.name("engine", "ranking");
            let prove = |analysis: &Arc<Analysis<'_>>, stats: &mut Stats| {
                ranking::prove(analysis, bounds, &budget, stats)
            };
            recursion_free(analysis, stats, prove)
        })
    }

    fn recurs(&mut self, share: f64) -> Option<Outcome> {
        let (analysis, budget) = (self.checked_version(), self.task.budget.share(share));
        let check = self.check;
        let accept = |trace: &evidence::Trace| {
            let candidate = Outcome::Unsafe(trace.clone());
            check(analysis.program, Property::Termination, &candidate, &budget).is_ok()
        };
        *self.stats = Stats::default();
        self.stats.name("engine", "ranking");
        match ranking::refute(&analysis, &accept, &budget, self.stats) {
            Ok(trace) => trace.map(Outcome::Unsafe),
            Err(why) => self.nothing(why),
        }
    }

    /// One method, with statistics of its own.
    fn begin<T>(&mut self, method: impl FnOnce(&mut Stats) -> T) -> T {
        *self.stats = Stats::default();
        method(self.stats)
    }

    /// The answer, if it passes its check.
    fn accept(&mut self, program: &Program, outcome: Outcome) -> Option<Outcome> {
        if let Outcome::Unknown(why) = outcome {
            return self.nothing(why);
        }
        let start = std::time::Instant::now();
        let checked = (self.check)(program, Property::Termination, &outcome, &self.task.budget);
        self.stats.measure("check_s", start.elapsed().as_secs_f64());
        match checked {
            Ok(()) => Some(outcome),
            Err(why) => {
                self.reason = Some(why); // a bug of ours says more than what others could not do
                None
            }
        }
    }

    fn nothing(&mut self, why: Inconclusive) -> Option<Outcome> {
        self.reason.get_or_insert(why);
        None
    }
}

/// A proof of the program, or of the one without recursion.
fn recursion_free(
    analysis: &Arc<Analysis<'_>>,
    stats: &mut Stats,
    prove: impl Fn(&Arc<Analysis<'_>>, &mut Stats) -> Result<Proof, Inconclusive>,
) -> Result<Proof, Inconclusive> {
    match without_recursion(analysis.program) {
        None => prove(analysis, stats),
        Some(flat) => prove(&Analysis::of(&flat), stats).map(|proof| Proof::RecursionFree(Box::new(proof))),
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
