//! Proves programs free of data races without any search: by the locks that are held and the threads that live.
//!
//! The analysis is [`semantics::analysis::lockset`]; this is the engine around it. It never finds a race: where two accesses are not
//! proved apart, or something without a model may be reached, there is no answer, and the search has to tell.
//!
//! # Direction of error
//! None: an annotation that leaves no pair of accesses is a proof, which `certify` checks.

use crate::task::{Engine, Task};
use base::{Inconclusive, Stats};
use evidence::{Outcome, Proof};
use program::interp::span_name;
use program::{Action, Property};
use semantics::analysis::{Analysis, Locksets};

/// There is nothing to choose.
#[derive(Clone, Copy, Debug)]
pub struct Options;

impl Engine for Options {
    fn name(&self) -> &'static str {
        "lockset"
    }

    fn supports(&self, property: Property) -> bool {
        property == Property::NoDataRace
    }

    fn search(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome {
        if let Err(why) = task.budget.check() {
            return Outcome::Unknown(why);
        }
        let (analysis, program) = (&task.analysis, task.program());
        let locksets = Locksets::of(analysis);
        if let Some(what) = without_model(analysis, &locksets) {
            return Outcome::Unknown(Inconclusive::Unsupported(what));
        }
        let races = locksets.races(analysis);
        stats.add("locks", locksets.locks.len() as u64);
        stats.add("race_candidates", races.len() as u64);
        match races.first() {
            None => Outcome::Safe(Proof::Locksets(Box::new(locksets))),
            Some(pair) => {
                let place = |access: &semantics::analysis::lockset::RaceAccess| {
                    let span = program.functions[access.func].locations[access.loc].span;
                    span_name(program, span)
                };
                let (left, right) = (place(&pair.left), place(&pair.right));
                Outcome::Unknown(Inconclusive::NoProof(format!(
                    "accesses at {left} and {right} are not proved apart"
                )))
            }
        }
    }
}

/// Something that has no model, or continues at an unknown location, and may be reached.
fn without_model(analysis: &Analysis<'_>, locksets: &Locksets) -> Option<String> {
    let program = analysis.program;
    let functions = program.functions.iter_enumerated();
    let mut locations = functions.flat_map(|(func, function)| {
        function.locations.iter_enumerated().map(move |(loc, location)| (func, loc, location))
    });
    locations.find_map(|(func, loc, location)| match &location.action {
        Action::Unsupported(what) if locksets.is_reached(func, loc) => {
            Some(format!("{what} at {}", span_name(program, location.span)))
        }
        _ if locksets.is_reached(func, loc) && analysis.goes_anywhere(func, loc) => Some(format!(
            "an access through a pointer that was never set at {}",
            span_name(program, location.span)
        )),
        _ => None,
    })
}
