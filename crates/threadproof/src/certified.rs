//! No answer leaves unchecked.

use base::{Budget, Inconclusive, Stats};
use engines::{Engine, Task};
use evidence::Outcome;
use program::interp::Interp;
use program::{Program, Property};
use std::time::Instant;
use tracing::info_span;

/// One engine, and the check of its answer.
pub(crate) fn run(task: &Task<'_>, engine: &dyn Engine, stats: &mut Stats) -> Outcome {
    let outcome = info_span!("engine", name = engine.name()).in_scope(|| engine.run(task, stats));
    let start = Instant::now();
    let checked = certified(task.program(), task.property, &outcome, &task.budget);
    stats.measure("check_s", start.elapsed().as_secs_f64());
    checked.map_or_else(Outcome::Unknown, |()| outcome)
}

/// Checks an answer.
pub(crate) fn certified(
    program: &Program,
    property: Property,
    outcome: &Outcome,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    let _span = match outcome {
        Outcome::Unknown(_) => tracing::Span::none().entered(),
        Outcome::Safe(_) | Outcome::Unsafe(_) | Outcome::UnsafeGraph(_) => info_span!("check").entered(),
    };
    match outcome {
        Outcome::Safe(proof) => certify::check_proof(program, property, proof, budget),
        Outcome::Unsafe(trace) if !property.includes(trace.property) && !trace.property.is_undefined() => {
            Err(Inconclusive::CheckFailed(format!(
                "a trace about {} says nothing about {property}",
                trace.property
            )))
        }
        Outcome::Unsafe(trace) => certify::replay(program, trace).map(|_| ()),
        Outcome::UnsafeGraph(trace) if trace.property != property || trace.model != program.memory_model => {
            Err(Inconclusive::CheckFailed(format!(
                "an execution under {} about {} says nothing about {property}",
                trace.model, trace.property
            )))
        }
        Outcome::UnsafeGraph(trace) => {
            let program = weak::for_graphs(program);
            certify::graph::replay_graph(&Interp::new(&program)?, trace, &mut |_, _, _, _| {}).map(|_| ())
        }
        Outcome::Unknown(_) => Ok(()),
    }
}
