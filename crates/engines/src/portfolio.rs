//! The default: several engines in time slices, each as long as it is likely to answer, as a table.
//!
//! Each answer is *checked inside its slice*: a proof that fails its check, or takes too long to check, costs that slice and not
//! the verdict. The checker is handed in by the caller, because no engine may depend on it.
//!
//! Slices end by the clock, because what a node costs differs by orders of magnitude; so it is not quite determined which
//! engine answers, only what. Termination has a table of its own ([`crate::termination`]).

use crate::task::{Engine, Resumable, Task};
use crate::{
    cpa, directed, evident, explore, houdini, impact, lockset, protection, redcomp, shape, simulate, ufo,
};
use base::{Budget, Inconclusive, Stats};
use evidence::Outcome;
use program::{Program, Property};
use std::time::Duration;

/// Checks an answer about a program: returns why it is not to be believed.
pub type Check<'a> = dyn Fn(&Program, Property, &Outcome, &Budget) -> Result<(), Inconclusive> + 'a;

/// One line of the table: an engine, for how long, and when it is worth it.
struct Slice {
    engine: Box<dyn Engine>,
    /// To the end, if `None`.
    time: Option<Duration>,
    when: fn(&Task<'_>) -> bool,
}

impl Slice {
    fn new(engine: impl Engine + 'static, milliseconds: u64) -> Self {
        Self { engine: Box::new(engine), time: Some(Duration::from_millis(milliseconds)), when: |_| true }
    }

    fn to_the_end(engine: impl Engine + 'static) -> Self {
        Self { engine: Box::new(engine), time: None, when: |_| true }
    }

    fn when(self, when: fn(&Task<'_>) -> bool) -> Self {
        Self { when, ..self }
    }
}

/// The first part of the table: what needs no search.
fn without_search() -> Vec<Slice> {
    vec![
        // Data races.
        Slice::new(lockset::Options, 10_000),
        // The same with contexts, ownership, and locks in objects.
        Slice::new(protection::Options, 20_000),
        // Memory safety of accesses at constant places; deadlocks where nothing waits.
        Slice::new(evident::Options, 10_000),
    ]
}

/// The second part of the table, in the order of the slices.
#[rustfmt::skip]
fn searches(task: &Task<'_>) -> Vec<Slice> {
    let states = |max_states| explore::Options { max_states, ..explore::Options::default() };
    let few_executions = simulate::Options { executions: 400, steps: 60_000 };
    let proofs = redcomp::Options { search_violation: false, ..redcomp::Options::default() };
    vec![
        // Indices that are within their bounds, whatever the other threads do; but first the smallest programs.
        Slice::new(states(3_000), 200).when(|task| task.property.is_about_validity()),
        // Inputs that decide little, and few values besides.
        Slice::new(cpa::Options::default(), 400).when(|task| task.property.is_about_validity() && is_sequential(task)),
        // Lists and trees of any size.
        Slice::new(shape::Options::default(), 3_000).when(|task| is_sequential(task) && shape::is_worth_it(&task.analysis)),
        // The same of threads: under locks, or handed over.
        Slice::new(shape::Options::default(), 1_500).when(|task| !is_sequential(task) && shape::is_worth_it(&task.analysis)),
        // What many inputs violate, before it takes long.
        Slice::new(few_executions, 200).when(|task| task.property.is_about_validity()),
        // Few inputs of a byte.
        Slice::new(explore::Options { only_complete: true, full_width: 8, ..states(100_000) }, 700).when(is_sequential),
        Slice::new(impact::Options::default(), 300).when(|task| task.property.is_about_validity() && is_sequential(task)),
        // Loops over blocks whose size is a variable.
        Slice::new(houdini::Options, 2_000).when(|task| task.property.is_about_validity() && is_sequential(task)),
        Slice::new(proofs, 1_000).when(|task| task.property.is_about_validity()),
        // Small programs: a full answer at once, and the shortest execution.
        Slice::new(states(16_000), 2_000).when(|task| !is_sequential(task) && !has_few_buffers(task)),
        // The other engines know no buffers; without loops there are only so many.
        Slice::new(states(150_000), 4_000).when(|task| !is_sequential(task) && has_few_buffers(task)),
        // One thread has few executions, but long ones.
        Slice::new(states(400_000), 2_000).when(is_sequential),
        // Violations, however deep, that need few preemptions.
        Slice::new(simulate::Options::for_property(task.property), 4_000),
        // Data races between accesses that random schedules hardly ever bring together.
        Slice::new(directed::Options::default(), 4_000),
        // Protocols: many interleavings, few values.
        Slice::new(cpa::Options::default(), 1_500),
        // Large programs without inputs, whose threads meet at locks.
        Slice::new(explore::Options { only_complete: true, ..states(400_000) }, 6_000).when(|task| !is_sequential(task)),
        // Few inputs and few loops.
        Slice::new(impact::Options::default(), 1_000).when(is_sequential),
        // Locks, any number of threads; proofs only.
        Slice::new(proofs, 3_000),
        // State machines, many branches, loops over several variables.
        Slice::new(ufo::Options::default(), 10_000).when(is_sequential),
        // Inputs, loops without a bound.
        Slice::new(impact::Options::default(), 4_000),
        // Counters and arrays with many values but no inputs.
        Slice::to_the_end(states(1_500_000)).when(|task| impact::Options::default().supports(task.property)),
        Slice::to_the_end(states(explore::Options::default().max_states)).when(|task| !impact::Options::default().supports(task.property)),
        // Everything else: Impact, where it stopped.
        Slice::to_the_end(impact::Options::default()),
    ]
}

/// The table.
fn table(task: &Task<'_>) -> Vec<Slice> {
    let mut searches = searches(task);
    let likely = |slice: &Slice| task.first.as_deref() == Some(slice.engine.name());
    // The longest slice that ends: what was proved once with some time is not proved again in less.
    let slices = searches.iter().enumerate().filter(|(_, slice)| likely(slice));
    if let Some((at, _)) = slices.max_by_key(|(_, slice)| slice.time) {
        searches[..=at].rotate_right(1);
    }
    without_search().into_iter().chain(searches).collect()
}

/// Decides the property of a task; every verdict has passed `check`.
pub fn verify(task: &Task<'_>, check: &Check<'_>, stats: &mut Stats) -> Outcome {
    let model = task.program().memory_model;
    if model.is_weak() {
        return Outcome::Unknown(Inconclusive::Unsupported(format!(
            "the memory model {model} in these engines"
        )));
    }
    in_slices(table(task), task, check, stats)
}

fn in_slices(slices: Vec<Slice>, task: &Task<'_>, check: &Check<'_>, stats: &mut Stats) -> Outcome {
    let mut paused: Vec<(&'static str, Box<dyn Resumable + '_>)> = Vec::new();
    let mut reason = None;
    for Slice { engine, time, when } in slices {
        if !engine.supports(task.property) || !when(task) {
            continue;
        }
        *stats = Stats::default();
        let _span = tracing::info_span!("slice", engine = engine.name(), ?time).entered();
        let budget = time.map_or_else(|| task.budget.clone(), |time| task.budget.within(time));
        let at = paused.iter().position(|(name, _)| *name == engine.name());
        let at = at.or_else(|| {
            paused.push((engine.name(), engine.resumable(task)?));
            Some(paused.len() - 1)
        });
        let outcome = match at {
            Some(at) => {
                stats.name("engine", engine.name());
                paused[at].1.pursue(time, stats)
            }
            None => Some(engine.run(&task.within(budget), stats)),
        };
        let checking = time.map_or_else(|| task.budget.clone(), |time| task.budget.within(time));
        let outcome = outcome.map(|outcome| checked(task, outcome, check, &checking, stats));
        match outcome {
            Some(Outcome::Unknown(why @ (Inconclusive::Cancelled | Inconclusive::OutOfMemory))) => {
                return Outcome::Unknown(why);
            }
            Some(Outcome::Unknown(why)) => {
                tracing::debug!(%why, "no answer");
                keep(&mut reason, why);
            }
            Some(Outcome::Safe(proof)) => {
                return match reason {
                    // No engine's finding is dropped.
                    Some(found @ Inconclusive::Undefined(_)) if !task.assume_defined => {
                        Outcome::Unknown(found)
                    }
                    _ => Outcome::Safe(proof),
                };
            }
            Some(answer) => return answer,
            None => {}
        }
        if task.budget.is_over() {
            break;
        }
    }
    Outcome::Unknown(match reason {
        Some(bug @ Inconclusive::CheckFailed(_)) => bug,
        _ if task.budget.is_over() => task.budget.check().err().unwrap_or(Inconclusive::OutOfTime),
        reason => reason.unwrap_or(Inconclusive::OutOfTime),
    })
}

/// The answer, if it passes its check.
pub(crate) fn checked(
    task: &Task<'_>,
    outcome: Outcome,
    check: &Check<'_>,
    budget: &Budget,
    stats: &mut Stats,
) -> Outcome {
    if matches!(outcome, Outcome::Unknown(_)) {
        return outcome;
    }
    let start = std::time::Instant::now();
    let result = check(task.program(), task.property, &outcome, budget);
    stats.measure("check_s", start.elapsed().as_secs_f64());
    match result {
        Ok(()) => outcome,
        Err(why) => Outcome::Unknown(why),
    }
}

/// Keeps the reason that says most; among equals the latest. An execution that is undefined counts most; a failed check is a bug of ours and must be seen.
fn keep(reason: &mut Option<Inconclusive>, why: Inconclusive) {
    let weight = |why: &Inconclusive| match why {
        Inconclusive::Undefined(_) => 6,
        Inconclusive::CheckFailed(_) => 5,
        Inconclusive::Unsupported(_) => 4,
        Inconclusive::Bound(_) => 3,
        Inconclusive::NoProof(_) => 2,
        Inconclusive::SolverGaveUp => 1,
        Inconclusive::OutOfTime | Inconclusive::OutOfMemory | Inconclusive::Cancelled => 0,
    };
    if reason.as_ref().is_none_or(|known| weight(&why) >= weight(known)) {
        *reason = Some(why);
    }
}

/// Returns true if no thread is ever created.
fn is_sequential(task: &Task<'_>) -> bool {
    !task.program().creates_threads()
}

/// Returns true if the machine has store buffers, and no loop of the program fills them.
fn has_few_buffers(task: &Task<'_>) -> bool {
    task.program().memory_model.is_weak() && semantics::transition::loop_heads(task.program()).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::Proof;

    /// An engine with one answer.
    struct Fixed(fn() -> Outcome);

    impl Engine for Fixed {
        fn name(&self) -> &'static str {
            "fixed"
        }

        fn supports(&self, _property: Property) -> bool {
            true
        }

        fn search(&self, _task: &Task<'_>, _stats: &mut Stats) -> Outcome {
            (self.0)()
        }
    }

    #[test]
    fn a_finding_of_one_engine_is_not_dropped_by_another() {
        let text = "program lp64\nfunction main() -> 32 {\nreturn 0\n}";
        let program = program::text::parse(text).expect("the text should be a program");
        let task = Task::new(&program, Property::UnreachCall, &Budget::new(None, None));
        let undefined = || Outcome::Unknown(Inconclusive::Undefined("on purpose".to_owned()));
        let unsupported = || Outcome::Unknown(Inconclusive::Unsupported("on purpose".to_owned()));
        let slices = || {
            [undefined, unsupported, || Outcome::Safe(Proof::Evident)]
                .into_iter()
                .map(|answer: fn() -> Outcome| Slice::new(Fixed(answer), 1_000))
                .collect()
        };
        let believe = |_: &Program, _: Property, _: &Outcome, _: &Budget| Ok(());
        let decide = |task: &Task<'_>| in_slices(slices(), task, &believe, &mut Stats::default());
        assert!(matches!(decide(&task), Outcome::Unknown(Inconclusive::Undefined(_))));
        assert!(matches!(decide(&task.assuming_defined()), Outcome::Safe(_)));
    }
}
