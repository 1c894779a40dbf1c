//! Explicit exploration of all interleavings: the engine that every other one is compared with.
//!
//! Breadth-first search over concrete states. As a plain function ([`explore`]) it has no reduction, and the first counterexample is a shortest one: it
//! answers by brute force what a small program can do, so it should be as plain as possible. As an engine it takes the actions of
//! a thread between two scheduling points together (`Options::reduction`, in `transactions.rs`).
//!
//! | procedure | ensures |
//! |---|---|
//! | [`explore`] | visits every state, collects all violations, deadlocks and final states |
//! | [`Options`] as an [`Engine`] | stops at the first violation of one property |
//! | `Search::expand` | every step of every thread with every offered value is taken |
//! | `Search::settle` | actions that follow others are taken until no thread has one |
//! | `Search::shorten_transactions` | the search starts again with more scheduling points if some are missing |
//! | `Search::lasso` | finds a fair execution that never ends, if there is one among the steps taken |
//! | `Search::race` | finds two threads of a state whose next accesses race |
//!
//! # Completeness
//! Inputs (and uninitialised values) of up to [`Options::full_width`] bits are tried with all values, wider ones with
//! [`Options::inputs`] only, unless these are all values there are. The exploration says so ([`Exploration::incomplete`]), and
//! `verify` then never answers *safe*. The same goes for undefined behaviour, unsupported constructs and bounds: the search
//! goes on elsewhere.
//!
//! # Direction of error
//! None, but for one thing: addresses and thread handles are numbers given in the order of the search, so a program that
//! compares an *input* with an address or handle can have a counterexample which does not replay.

mod footprint;
mod inputs;
mod lasso;
mod races;
mod search;
#[cfg(test)]
mod tests;
mod transactions;

use crate::task::{Engine, Task};
use base::{Budget, Idx, Inconclusive, Span, Stats};
use evidence::{Outcome, Proof, Trace};
use program::{MemoryModel, Program, Property};
use search::Search;
use std::collections::BTreeSet;

/// What to explore.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Values tried for inputs that are too wide for all values; cut to the input's width.
    pub inputs: Vec<u128>,
    /// The number of bits up to which all values of an input are tried.
    pub full_width: u32,
    /// How many states at most.
    pub max_states: usize,
    /// Whether actions between scheduling points are taken together, where that keeps the property.
    pub reduction: bool,
    /// Whether the search ends where it is clear that not everything can be tried: for proofs only.
    pub only_complete: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            inputs: vec![0, 1, 2, u128::MAX],
            full_width: 1,
            max_states: 10_000_000,
            reduction: true,
            only_complete: false,
        }
    }
}

/// The bytes of the static objects, in order, when the program has ended; `None` is indeterminate. Thread-local
/// objects are empty.
pub type Final = Vec<Vec<Option<u8>>>;

/// A violation and how to get there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// What it violates.
    pub property: Property,
    /// What happened.
    pub message: String,
    /// Where.
    pub span: Span,
    /// A shortest way there.
    pub trace: Trace,
}

/// All that a program can do.
#[derive(Clone, Default, Debug)]
pub struct Exploration {
    /// The violations, one for each property, message and place, in the order in which they were found.
    pub violations: Vec<Violation>,
    /// A shortest way into a deadlock.
    pub deadlock: Option<Trace>,
    /// A shortest way to a data race.
    pub race: Option<Trace>,
    /// An execution that never ends, if that was the question.
    pub non_terminating: Option<Trace>,
    /// What static memory can be in the end.
    pub finals: BTreeSet<Final>,
    /// The first reason why not everything was seen.
    pub incomplete: Option<Inconclusive>,
    /// How many states were visited.
    pub n_states: usize,
    /// How many steps were taken.
    pub n_steps: u64,
}

impl Exploration {
    /// The final values of a static object of at most 16 bytes; indeterminate bytes count as 0.
    pub fn final_values(&self, program: &Program, name: &str) -> BTreeSet<u128> {
        let Some(object) = program.objects.ids().find(|id| program.objects[*id].name == name) else {
            return BTreeSet::new();
        };
        let value = |bytes: &Vec<Option<u8>>| {
            bytes.iter().rev().fold(0, |v, byte| v << 8 | u128::from(byte.unwrap_or(0)))
        };
        self.finals.iter().map(|end| value(&end[object.index()])).collect()
    }
}

/// Visits all states. A budget that runs out makes the exploration incomplete.
pub fn explore(program: &Program, options: &Options, budget: &Budget, stats: &mut Stats) -> Exploration {
    match Search::new(program, options, None) {
        Ok(search) => search.run(budget, stats).exploration,
        Err(stop) => Exploration { incomplete: Some(stop), ..Exploration::default() },
    }
}

impl Engine for Options {
    fn name(&self) -> &'static str {
        "explore"
    }

    fn supports(&self, property: Property) -> bool {
        property != Property::Robustness
    }

    fn supports_model(&self, model: MemoryModel) -> bool {
        model == MemoryModel::Sc || model.has_buffers()
    }

    fn search(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome {
        let property = task.property;
        let finished = match Search::new(task.program(), self, Some(property)) {
            Ok(mut search) => {
                search.reports_undefined = !task.assume_defined;
                if self.reduction {
                    search.reduce(&task.analysis);
                }
                search.run(&task.budget, stats)
            }
            Err(why) => return Outcome::Unknown(why),
        };
        let Exploration { violations, deadlock, race, non_terminating, incomplete, .. } =
            finished.exploration;
        let violation = violations.into_iter().find(|v| task.is_answered_by(v.property)).map(|v| v.trace);
        let deadlock = deadlock.filter(|_| property == Property::NoDeadlock);
        let non_terminating = non_terminating.filter(|_| property == Property::Termination);
        let race = race.filter(|_| property == Property::NoDataRace);
        let outcome = match (violation.or(deadlock).or(race).or(non_terminating), incomplete) {
            (Some(trace), _) => Outcome::Unsafe(trace),
            (None, Some(stop)) => Outcome::Unknown(stop),
            (None, None) => return Outcome::Safe(Proof::Explored(finished.reached)),
        };
        search::drop_later(finished.reached);
        outcome
    }
}
