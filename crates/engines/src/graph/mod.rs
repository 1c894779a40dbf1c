//! Execution graphs: every execution that a weak memory model allows, one by one.
//!
//! Under a weak model an execution is no sequence of states. It is a *graph*: the events of each thread (reads, writes, fences), which write each read
//! *reads from*, and for each cell the *coherence order* in which its writes reach memory. A model is a predicate on such graphs (Alglave,
//! Maranget, Tautschnig, TOPLAS'14). What a thread does is determined by the values of its reads, so that threads are run by the
//! interpreter, each alone ([`semantics::alone`]); this module chooses where reads get their values from ([`search`]) and asks the model whether it
//! allows the result ([`axioms`]).
//!
//! | question | answered by |
//! |---|---|
//! | what does a thread do if its reads return these values? what does it depend on? | `semantics::alone` |
//! | which executions are there? what is a part of one? | `search`, `node` |
//! | what does a step add to one? | `effects` |
//! | does the model allow one? | `axioms`, a file for each model |
//! | the algebra of relations | `relation` |
//!
//! # Direction of error
//! Both verdicts are exact for the model where there is one. Loops that write for ever exceed a bound, and inputs are tried with few
//! values: then there is no `true`. Dependencies are those of the program as it was read; where the compiler could remove one, it was not there.

mod axioms;
mod effects;
mod execution;
mod node;
mod relation;
mod search;

pub use node::Cut;
pub use search::{Findings, Memory};

use crate::task::{Engine, Task};
use base::{Inconclusive, Stats};
use evidence::{Outcome, Proof};
use program::interp::Interp;
use program::{MemoryModel, Property};
use search::Search;
use semantics::Analysis;
use semantics::alone::{Futures, Sharing, unsupported};
use std::borrow::Cow;
use std::sync::Arc;
use weak::for_graphs;

/// The options of the engine.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Executions, and parts of executions, that it looks at.
    pub max_nodes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_nodes: u64::MAX }
    }
}

impl Engine for Options {
    fn name(&self) -> &'static str {
        "graphs"
    }

    /// Data races are those of C11, which a search under another model does not see.
    fn supports(&self, property: Property) -> bool {
        use Property::{NoDataRace, NoOverflow, Robustness, UnreachCall};
        matches!(property, UnreachCall | NoOverflow | NoDataRace | Robustness)
    }

    fn supports_model(&self, model: MemoryModel) -> bool {
        model.is_weak()
    }

    fn search(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome {
        let model = task.program().memory_model;
        if task.property == Property::NoDataRace && model != MemoryModel::C11 {
            let what = format!("property {} under {model} in {}", task.property, self.name());
            return Outcome::Unknown(Inconclusive::Unsupported(what));
        }
        match explore_with(task, model, |search| search.with_limit(self.max_nodes)) {
            Ok(findings) => {
                stats.add("nodes", findings.nodes);
                stats.add("executions", findings.executions);
                match (findings.violation, findings.incomplete) {
                    (Some(trace), _) => Outcome::UnsafeGraph(Box::new(trace)),
                    (None, Some(why)) => Outcome::Unknown(why),
                    (None, None) => Outcome::Safe(Proof::Graphs),
                }
            }
            Err(why) => Outcome::Unknown(why),
        }
    }
}

/// Explores all executions of a task's program under `model`.
pub fn explore(task: &Task<'_>, model: MemoryModel) -> Result<Findings, Inconclusive> {
    explore_with(task, model, |search| search)
}

/// The same, taking note of what complete executions leave in memory, with another rule for iterations that are left out.
pub fn observe(task: &Task<'_>, model: MemoryModel, cut: Cut) -> Result<Findings, Inconclusive> {
    explore_with(task, model, |search| search.observing(cut))
}

fn explore_with(
    task: &Task<'_>,
    model: MemoryModel,
    set: impl for<'a, 'p> FnOnce(Search<'a, 'p>) -> Search<'a, 'p>,
) -> Result<Findings, Inconclusive> {
    let program = for_graphs(task.program());
    let interp = Interp::new(&program)?;
    let analysis = match &program {
        Cow::Borrowed(_) => Arc::clone(&task.analysis),
        Cow::Owned(program) => Analysis::of(program),
    };
    let sharing = Sharing::new(&analysis, model);
    let loses_order = sharing.loses_order();
    let futures = Futures::new(&analysis);
    let findings = set(Search::new(&interp, sharing, futures, model, task.property, &task.budget)).run()?;
    if loses_order && findings.violation.is_some() {
        return Err(unsupported("memory of one thread with accesses that order others"));
    }
    Ok(findings)
}
