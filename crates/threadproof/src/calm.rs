//! Fewer changes of thread in a counterexample.
//!
//! An engine finds *some* interleaving, and most of its changes of thread do not matter: they only make it hard to
//! see the few that do. So runs of steps of one thread are moved next to other steps of the same thread as long as
//! the result still violates the property. Every attempt is replayed by `certify`, so that nothing has to be known about
//! which steps depend on each other.
//!
//! Direction of error: the result can have more changes than needed (the search is greedy and bounded), but it is
//! always a counterexample.

use certify::Violation;
use evidence::{Trace, TraceStep};
use program::Program;
use std::ops::Range;
use std::time::{Duration, Instant};

/// No attempts beyond this; nobody wants to wait for beauty.
const MOST_TIME: Duration = Duration::from_millis(200);

/// A trace that violates the same property with at most as many changes of thread, and its replay.
pub fn calm(program: &Program, mut trace: Trace, mut replay: Violation) -> (Trace, Violation) {
    let start = Instant::now();
    while let Some((attempt, found)) = calmer(program, &trace, start) {
        (trace, replay) = (attempt, found);
    }
    (trace, replay)
}

fn calmer(program: &Program, trace: &Trace, start: Instant) -> Option<(Trace, Violation)> {
    let least = n_switches(&trace.steps);
    let mut attempts = candidates(&trace.steps).take_while(|_| start.elapsed() < MOST_TIME);
    attempts.find_map(|steps| {
        let attempt = Trace { property: trace.property, steps, cycle: trace.cycle.clone() };
        let fewer = n_switches(&attempt.steps) < least;
        let replayed = fewer.then(|| certify::replay(program, &attempt).ok()).flatten();
        replayed.map(|found| (attempt, found))
    })
}

fn n_switches(steps: &[TraceStep]) -> usize {
    steps.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
}

/// The trace with one run of a thread moved to a neighbouring run of the same thread: the later one forward, or the
/// earlier one back.
fn candidates(steps: &[TraceStep]) -> impl Iterator<Item = Vec<TraceStep>> {
    let runs = runs(steps);
    let pairs = (0..runs.len()).filter_map(move |n| {
        let thread = steps[runs[n].start].thread;
        let later = runs[n + 1..].iter().find(|run| steps[run.start].thread == thread)?;
        Some((runs[n].clone(), later.clone()))
    });
    pairs.flat_map(|(earlier, later)| {
        let (before, after) = (&steps[..earlier.start], &steps[later.end..]);
        let between = &steps[earlier.end..later.start];
        let (earlier, later) = (&steps[earlier], &steps[later]);
        [[before, earlier, later, between, after].concat(), [before, between, earlier, later, after].concat()]
    })
}

/// Maximal stretches of steps of one thread.
fn runs(steps: &[TraceStep]) -> Vec<Range<usize>> {
    let mut start = 0;
    let chunks = steps.chunk_by(|a, b| a.thread == b.thread);
    let runs = chunks.map(|chunk| {
        start += chunk.len();
        start - chunk.len()..start
    });
    runs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Budget, Stats};
    use engines::{Engine, Task};
    use evidence::Outcome;
    use program::Property;

    const LOST_UPDATE: &str = "
        program lp64
        object x: 4 = 0
        function increment(arg: 64) -> 64 {
            reg t: 32
            t = [&x]:32
            [&x]:32 = t + 1
            return 0
        }
        function main() -> 32 {
            reg a, b, r: 64
            reg e, v: 32
            a = create(&increment, 0)
            b = create(&increment, 0)
            r, e = join(a)
            r, e = join(b)
            v = [&x]:32
            if v == 2 then ok else bad
            bad: error unreach-call \"lost\"
            ok: return 0
        }";

    #[test]
    fn only_changes_that_matter_stay() {
        let program = program::text::parse(LOST_UPDATE).unwrap();
        let options = engines::explore::Options::default();
        let (budget, mut stats) = (Budget::unlimited(), Stats::default());
        let outcome = options.run(&Task::new(&program, Property::UnreachCall, &budget), &mut stats);
        let Outcome::Unsafe(trace) = outcome else { panic!("{outcome:?}") };
        let replay = certify::replay(&program, &trace).unwrap();
        let n_steps = trace.steps.len();
        let (calm, _) = calm(&program, trace, replay);
        assert_eq!(calm.steps.len(), n_steps);
        // main, one increment begins, the other runs, the first ends, main
        assert_eq!(n_switches(&calm.steps), 4);
    }
}
