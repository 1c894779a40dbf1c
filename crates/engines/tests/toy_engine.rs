//! The engine that docs/ARCHITECTURE.md walks through: the least that a new engine has to write.
//!
//! It follows one schedule, always the first thread that can move, with 0 for every input, and reports a violation that
//! it meets. It proves nothing, so it never answers "safe".

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use base::{Budget, Inconclusive, Stats};
use engines::{Engine, Task};
use evidence::{Outcome, Trace};
use program::interp::{Choice, Chooser, Interp, StepResult, Wakeups};
use program::trace::Execution;
use program::{Property, Width};

// [toy engine]
/// Follows the first thread that can move.
struct Toy {
    /// The maximum number of steps.
    steps: usize,
}

impl Engine for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn supports(&self, property: Property) -> bool {
        property == Property::UnreachCall
    }

    fn search(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome {
        self.follow(task, stats).unwrap_or_else(Outcome::Unknown)
    }
}

impl Toy {
    fn follow(&self, task: &Task<'_>, stats: &mut Stats) -> Result<Outcome, Inconclusive> {
        let interp = Interp::new(task.program())?;
        let mut execution = Execution::new(&interp);
        let mut steps = Vec::new();
        for _ in 0..self.steps {
            task.budget.check()?;
            let movable = interp.runnable(execution.state(), Wakeups::OnlySignalled);
            let Some(&thread) = movable.first() else { break };
            let (step, result) = execution.record(thread, &mut Zeros);
            steps.push(step);
            stats.add("steps", 1);
            match result {
                StepResult::Continue | StepResult::Blocked => {}
                StepResult::Violation { property, .. } if property == task.property => {
                    return Ok(Outcome::Unsafe(Trace { property, steps, cycle: None }));
                }
                _ => break,
            }
        }
        Ok(Outcome::Unknown(Inconclusive::NoProof("one schedule is not all of them".to_owned())))
    }
}

/// Chooses 0.
struct Zeros;

impl Chooser for Zeros {
    fn choose(&mut self, _width: Width, _what: &Choice) -> Option<u128> {
        Some(0)
    }
}
// [toy engine]

#[test]
fn the_toy_finds_a_violation_that_replays() {
    let text = "program lp64
        function main() -> 32 {
            reg i: 32
            havoc i
            if i == 0 then bad else good
            bad: error unreach-call \"zero\"
            good: return 0
        }";
    let program = program::text::parse(text).unwrap();
    let task = Task::new(&program, Property::UnreachCall, &Budget::unlimited());
    let mut stats = Stats::default();
    let Outcome::Unsafe(trace) = (Toy { steps: 100 }).run(&task, &mut stats) else {
        panic!("it should fail")
    };
    certify::replay(&program, &trace).unwrap();
    let races = task.about(Property::NoDataRace);
    let outcome = Toy { steps: 100 }.run(&races, &mut stats);
    assert!(matches!(outcome, Outcome::Unknown(Inconclusive::Unsupported(_))));
}
