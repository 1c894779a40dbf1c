//! Fewer context switches in a counterexample.
//!
//! An engine finds *some* interleaving, and most of its context switches do not matter: they only make it hard to
//! see the few that do. So segments of steps of one thread are moved next to other steps of the same thread as long as
//! the result still violates the property. Every attempt is replayed, by a function that the caller hands in, so that nothing
//! has to be known about which steps depend on each other.
//!
//! Direction of error: the result can have more switches than needed (the search is greedy and bounded), but it is
//! always a counterexample.

use evidence::{Trace, TraceStep};
use std::ops::Range;
use std::time::{Duration, Instant};

/// No attempts beyond this: a counterexample that is easier to read is not worth a long wait.
const MAX_TIME: Duration = Duration::from_millis(200);

/// A trace that violates the same property with at most as many context switches, and its replay.
///
/// `replay` returns what a trace shows if it violates the property, and `None` if it does not; `replayed` is what it returns for `trace`.
pub fn minimise_context_switches<R>(
    mut trace: Trace,
    mut replayed: R,
    replay: impl Fn(&Trace) -> Option<R>,
) -> (Trace, R) {
    let start = Instant::now();
    while let Some((attempt, found)) = with_fewer_switches(&trace, &replay, start) {
        (trace, replayed) = (attempt, found);
    }
    (trace, replayed)
}

fn with_fewer_switches<R>(
    trace: &Trace,
    replay: &impl Fn(&Trace) -> Option<R>,
    start: Instant,
) -> Option<(Trace, R)> {
    let n_before = n_switches(&trace.steps);
    let mut attempts = candidates(&trace.steps).take_while(|_| start.elapsed() < MAX_TIME);
    attempts.find_map(|steps| {
        let attempt = Trace { property: trace.property, steps, cycle: trace.cycle.clone() };
        let fewer = n_switches(&attempt.steps) < n_before;
        let replayed = fewer.then(|| replay(&attempt)).flatten();
        replayed.map(|found| (attempt, found))
    })
}

fn n_switches(steps: &[TraceStep]) -> usize {
    steps.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
}

/// The trace with one segment of a thread moved to a neighbouring segment of the same thread: the later one forward, or the
/// earlier one back.
fn candidates(steps: &[TraceStep]) -> impl Iterator<Item = Vec<TraceStep>> {
    let segments = segments(steps);
    let pairs = (0..segments.len()).filter_map(move |n| {
        let thread = steps[segments[n].start].thread;
        let later = segments[n + 1..].iter().find(|segment| steps[segment.start].thread == thread)?;
        Some((segments[n].clone(), later.clone()))
    });
    pairs.flat_map(|(earlier, later)| {
        let (before, after) = (&steps[..earlier.start], &steps[later.end..]);
        let between = &steps[earlier.end..later.start];
        let (earlier, later) = (&steps[earlier], &steps[later]);
        [[before, earlier, later, between, after].concat(), [before, between, earlier, later, after].concat()]
    })
}

/// Maximal segments of steps of one thread.
fn segments(steps: &[TraceStep]) -> Vec<Range<usize>> {
    let mut start = 0;
    let chunks = steps.chunk_by(|a, b| a.thread == b.thread);
    let segments = chunks.map(|chunk| {
        start += chunk.len();
        start - chunk.len()..start
    });
    segments.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Idx;
    use program::Property;
    use program::interp::ThreadId;

    fn threads(trace: &Trace) -> String {
        trace.steps.iter().map(|step| step.thread.index().to_string()).collect()
    }

    /// Minimises the interleaving `before` of which those count as counterexamples that `violates` accepts.
    fn check(before: &str, violates: fn(&str) -> bool, expected: &str) {
        let step = |c: char| TraceStep {
            thread: ThreadId::new(c.to_digit(10).unwrap() as usize),
            choices: Vec::new(),
        };
        let trace =
            Trace { property: Property::UnreachCall, steps: before.chars().map(step).collect(), cycle: None };
        let replay = |trace: &Trace| violates(&threads(trace)).then(|| threads(trace));
        let (trace, replayed) = minimise_context_switches(trace, before.to_owned(), replay);
        assert_eq!((threads(&trace).as_str(), replayed.as_str()), (expected, expected));
    }

    #[test]
    fn only_switches_that_matter_stay() {
        // Any order is one, as long as main is first and last.
        let framed = |t: &str| t.starts_with("00") && t.ends_with('0');
        check("001212120", framed, "001112220");
        // A lost update: thread 1 begins before thread 2, and ends after it.
        let lost = |t: &str| {
            t.starts_with("00")
                && t.ends_with('0')
                && t.find('1') < t.find('2')
                && t.rfind('1') > t.rfind('2')
        };
        check("00121210", lost, "00112210");
    }

    #[test]
    fn a_trace_that_cannot_be_changed_stays() {
        check("010101", |t| t == "010101", "010101");
    }
}
