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
//! | which executions are there? | `search` |
//! | does the model allow one? | `axioms`, a file for each model |
//! | the algebra of relations | `relation` |
//!
//! # Direction of error
//! Both verdicts are exact for the model where there is one. Loops that write for ever exceed a bound, and inputs are tried with few
//! values: then there is no `true`. Dependencies are those of the program as it was read; where the compiler could remove one, it was not there.

mod axioms;
mod execution;
mod relation;
mod search;

pub use search::Findings;

use crate::task::Task;
use base::Inconclusive;
use program::MemoryModel;
use program::interp::Interp;
use search::Search;
use semantics::alone::Sharing;

/// Explores all executions of a task's program under `model`.
pub fn explore(task: &Task<'_>, model: MemoryModel) -> Result<Findings, Inconclusive> {
    let interp = Interp::new(task.program())?;
    Search::new(&interp, Sharing::new(&task.analysis), model, task.property, &task.budget).run()
}
