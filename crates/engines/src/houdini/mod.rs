//! Invariants of global locations by Houdini's algorithm: proofs that take many simple facts together, found without a counterexample.
//!
//! After Flanagan and Leino (*Houdini, an annotation assistant for ESC/Java*, FME 2001). Interpolation finds the facts of a proof one by one, from paths that it has to
//! rule out; where a loop runs over an array whose length is a variable, the words of an interpolant are easily those of one path. There the
//! proof is a conjunction of facts that can be guessed beforehand: `0 <= i`, `n <= 1000`, *the block at `a` has `4 * n` bytes*. All guesses are
//! made at once, and those that some transaction breaks are dropped, until the rest is inductive.
//!
//! ```text
//! graph         all global locations and the transactions between them      graph.rs
//! facts         what holds at each, of a finite vocabulary                  facts.rs, vocabulary.rs, common/houdini.rs
//! nothing_bad   no violation follows from the facts                         proof.rs
//! ```
//!
//! The graph and the facts are also what [ranking functions](crate::ranking) rest on.
//!
//! # Direction of error
//! Facts may be too weak: the answer is then *unknown*; violations are not looked for. A proof is one of invariants, as those of [`crate::cpa`], and `certify` checks it as
//! such.

mod facts;
mod graph;
mod proof;
mod vocabulary;

pub(crate) use facts::Facts;
pub(crate) use graph::Graph;
pub(crate) use vocabulary::CandidateVocabulary;

use crate::task::{Engine, Task};
use base::{Inconclusive, Stats};
use evidence::{Outcome, Proof};
use logic::{Limits, Solver};
use program::Property;

/// No query is worth more conflicts: a fact that is hard to see is given up.
const MAX_CONFLICTS: u64 = 20_000;

/// There is nothing to choose.
#[derive(Clone, Copy, Debug)]
pub struct Options;

impl Engine for Options {
    fn name(&self) -> &'static str {
        "houdini"
    }

    fn supports(&self, property: Property) -> bool {
        use Property::{NoDataRace, NoDeadlock, NoOverflow, UnreachCall};
        matches!(property, UnreachCall | NoOverflow | NoDeadlock | NoDataRace) || property.is_about_validity()
    }

    fn search(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome {
        prove(task, stats).map_or_else(Outcome::Unknown, Outcome::Safe)
    }
}

fn prove(task: &Task<'_>, stats: &mut Stats) -> Result<Proof, Inconclusive> {
    let limits = Limits { conflicts: Some(MAX_CONFLICTS), ..Limits::of(&task.budget) };
    let mut graph = Graph::new(&task.analysis, task.property, limits)?;
    stats.add("global_locations", graph.controls.len() as u64);
    stats.add("transactions", graph.transactions.len() as u64);
    let vocabulary = graph.vocabulary();
    let facts = graph.facts(&vocabulary)?;
    stats.add("facts", facts.iter().flatten().map(|facts| facts.len() as u64).sum());
    let proved = graph.nothing_bad(&facts);
    stats.add("solver_calls", graph.solver.statistics().calls);
    stats.measure("solver_s", graph.solver.statistics().seconds);
    proved?;
    let (invariants, ()) = graph.into_invariants(&facts, |_| ());
    Ok(Proof::Invariants(Box::new(invariants)))
}
