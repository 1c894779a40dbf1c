//! Termination by ranks, over the runs of threads between controls.
//!
//! An infinite execution is an infinite way through the graph whose nodes are *runs* (of one thread, from a loop head or a step that others can notice to the
//! next, [`crate::edges`]) and whose arcs join runs that can be taken one after the other. The graph is cut up by ranks until no cycle is
//! left; `certify`, module `ranks`, says what a proof is and why it suffices.
//!
//! ```text
//! graph      all controls and runs                                            graph.rs
//! facts      what holds at each control, by elimination                       facts.rs
//! cut        for each strongly connected component of arcs:                   ranks.rs, templates.rs
//!                a rank that rises nowhere and falls somewhere, or
//!                a thread that cannot stay out of it;
//!            what is left is cut again
//! endless    for the cycles of a component that is left: a set of states      recur.rs
//!            that the cycle does not leave, and a way there
//! ```
//!
//! This is the lexicographic way (Alias and others, SAS 2010) rather than disjunctive well-foundedness (RedComp's rules T1–T4): no transitive closure
//! has to be summarised, and a rank may differ from run to run, so that phases of a loop are told apart.
//! Unlike RedComp's rules it follows all threads together, so that the number of threads must be bounded.
//!
//! # Direction of error
//! Facts may be too weak and ranks missing: the answer is then *unknown*. Every proof is checked by `certify`.

mod facts;
mod graph;
mod proof;
mod ranks;
mod recur;
mod templates;

use base::{Budget, Stats, Stop};
use certify::Outcome;
use graph::Graph;
use logic::{Limits, Solver};
use program::Program;
use ranks::Ranks;

/// Looks for a proof that every fair execution ends, or for one that does not.
pub fn verify(program: &Program, budget: &Budget, stats: &mut Stats) -> Outcome {
    decide(program, budget, stats).unwrap_or_else(Outcome::Unknown)
}

fn decide(program: &Program, budget: &Budget, stats: &mut Stats) -> Result<Outcome, Stop> {
    let mut graph = Graph::new(program, Limits::of(budget))?;
    stats.add("controls", graph.controls.len() as u64);
    stats.add("runs", graph.runs.len() as u64);
    let material = graph.material();
    let facts = graph.facts(&material)?;
    let mut ranks = Ranks::new(&mut graph, &facts);
    let stuck = ranks.cut()?;
    let mut cycles: Vec<Vec<usize>> = stuck.iter().flat_map(|component| ranks.cycles(component)).collect();
    cycles.sort_by_key(Vec::len);
    let (stages, n_asked) = (std::mem::take(&mut ranks.stages), ranks.n_asked);
    stats.add("ranks", stages.len() as u64);
    stats.add("ranks_asked", n_asked);
    let endless = graph.endless(&cycles, &facts, &material)?;
    stats.add("solver_calls", graph.solver.statistics().calls);
    stats.measure("solver_s", graph.solver.statistics().seconds);
    if let Some(trace) = endless {
        return Ok(Outcome::Unsafe(trace));
    }
    if !stuck.is_empty() {
        return Err(Stop::Bound(format!("no rank was found for {} loops", stuck.len())));
    }
    graph.nothing_without_meaning(&facts)?;
    graph.somebody_moves(&facts)?;
    Ok(Outcome::Safe(graph.into_proof(facts, stages)))
}
