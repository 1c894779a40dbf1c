//! The default: several engines, one after the other, each as long as it is likely to answer.
//!
//! | turn | who | how long | good at |
//! |---|---|---|---|
//! | 1 | exploration | 20,000 states, 2 seconds | small programs: a full answer at once, and the shortest execution |
//! | 2 | simulation | some 100,000 steps, 4 seconds | violations, however deep, that need few preemptions |
//! | 3 | program analysis with explicit values | 1.5 seconds | protocols: many interleavings, few values |
//! | 4 | RedComp, for a proof only | 3 seconds | locks, any number of threads |
//! | 5 | UFO, if there is but one thread | 10 seconds | state machines, many branches, loops over several variables |
//! | 6 | Impact | 4 seconds | inputs, loops without a bound |
//! | 7 | exploration | 1,500,000 states | counters and arrays with many values but no inputs |
//! | 8 | Impact, where it stopped | to the end | everything else |
//!
//! Termination has turns of its own, on two versions of the program ([`crate::termination`]). Data races are first left to locksets, which need no search; properties that
//! Impact does not know, to exploration.
//!
//! Turns end by the clock, too, because what a node costs differs by orders of magnitude; so it is not quite determined which
//! engine answers, only what.

use crate::impact::{self, Impact};
use crate::{cpa, explore, lockset, redcomp, simulate, ufo};
use base::{Budget, Inconclusive, Stats};
use evidence::Outcome;
use program::{Action, Op, Program, Property};
use std::time::{Duration, Instant};

const FEW_STATES: usize = 20_000;
const MANY_STATES: usize = 1_500_000;
const SHORT: Duration = Duration::from_secs(4);
const BRIEF: Duration = Duration::from_millis(1_500);
const SHORTEST: Duration = Duration::from_secs(2);
const SHORTER: Duration = Duration::from_secs(3);
const LONGER: Duration = Duration::from_secs(10);

/// Decides whether `property` holds.
pub fn verify(program: &Program, property: Property, budget: &Budget, stats: &mut Stats) -> Outcome {
    if property == Property::NoDataRace {
        stats.name("engine", "lockset");
        if let Outcome::Safe(proof) = lockset::verify(program, property, budget, stats) {
            return Outcome::Safe(proof);
        }
    }
    if property == Property::Termination {
        return Outcome::Unknown(Inconclusive::Unsupported(
            "termination of one version of a program".to_owned(),
        ));
    }
    match explored(program, property, FEW_STATES, &budget.within(SHORTEST), stats) {
        Outcome::Unknown(stop) if may_go_on(&stop) || stop == Inconclusive::OutOfTime => {}
        answer => return answer,
    }
    if simulate::supports(property) {
        *stats = Stats::default();
        stats.name("engine", "simulate");
        let mut options = simulate::Options::default();
        if property == Property::NoDataRace {
            options.steps /= 5; // each of them asks all threads what they are about to do
        }
        match simulate::search(program, property, &options, &budget.within(SHORT), stats) {
            Ok(Some(trace)) => return Outcome::Unsafe(trace),
            Ok(None) | Err(Inconclusive::OutOfTime) => {}
            Err(stop) => return Outcome::Unknown(stop),
        }
    }
    if !impact::supports(property) {
        return explored(program, property, explore::Options::default().max_states, budget, stats);
    }
    if cpa::supports(property) {
        let options = cpa::Options::default();
        let ask = |stats: &mut Stats| cpa::verify(program, property, &options, &budget.within(BRIEF), stats);
        if let Some(answer) = turn("cpa", stats, ask) {
            return answer;
        }
    }
    if redcomp::supports(property) {
        let options = redcomp::Options { search_violation: false, ..redcomp::Options::default() };
        let ask =
            |stats: &mut Stats| redcomp::verify(program, property, &options, &budget.within(SHORTER), stats);
        if let Some(answer) = turn("redcomp", stats, ask) {
            return answer;
        }
    }
    if is_sequential(program) && ufo::supports(property) {
        let options = ufo::Options::default();
        let ask = |stats: &mut Stats| ufo::verify(program, property, &options, &budget.within(LONGER), stats);
        if let Some(answer) = turn("ufo", stats, ask) {
            return answer;
        }
    }
    let mut impact = match Impact::new(program, property, impact::Options::default(), budget) {
        Ok(impact) => impact,
        Err(_) => return explored(program, property, MANY_STATES, budget, stats),
    };
    let start = Instant::now();
    let stopped = match impact.pursue(|| start.elapsed() > SHORT) {
        Ok(None) => None,
        Ok(Some(found)) => return finish(impact, Ok(found), stats),
        Err(stop) if !may_go_on(&stop) => return finish(impact, Err(stop), stats),
        Err(stop) => Some(stop), // it will not come further, but others may
    };
    match explored(program, property, MANY_STATES, budget, stats) {
        Outcome::Unknown(stop) if may_go_on(&stop) => {}
        answer => return answer,
    }
    let found = stopped.map_or_else(|| impact.main(), Err);
    finish(impact, found, stats)
}

/// One engine's turn: its answer, or nothing if the next one is to be asked.
fn turn(name: &str, stats: &mut Stats, ask: impl FnOnce(&mut Stats) -> Outcome) -> Option<Outcome> {
    *stats = Stats::default();
    stats.name("engine", name);
    match ask(stats) {
        Outcome::Unknown(stop) if may_go_on(&stop) || stop == Inconclusive::OutOfTime => None,
        answer => Some(answer),
    }
}

/// Whether no thread is ever created.
fn is_sequential(program: &Program) -> bool {
    let creates = |action: &Action| matches!(action, Action::Ops { ops, .. } if ops.iter().any(|op| matches!(op, Op::Create { .. })));
    program.functions.iter().flat_map(|f| f.locations.iter()).all(|location| !creates(&location.action))
}

/// Whether another engine may do better.
fn may_go_on(stop: &Inconclusive) -> bool {
    !matches!(stop, Inconclusive::Cancelled | Inconclusive::OutOfTime | Inconclusive::OutOfMemory)
}

fn explored(
    program: &Program,
    property: Property,
    max_states: usize,
    budget: &Budget,
    stats: &mut Stats,
) -> Outcome {
    *stats = Stats::default();
    stats.name("engine", "explore");
    let options = explore::Options { max_states, ..explore::Options::default() };
    explore::verify(program, property, &options, budget, stats)
}

fn finish(impact: Impact<'_>, found: Result<impact::Found, Inconclusive>, stats: &mut Stats) -> Outcome {
    *stats = Stats::default();
    stats.name("engine", "impact");
    impact.report(stats);
    impact.outcome(found)
}
