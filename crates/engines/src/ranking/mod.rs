//! Termination by ranking functions, over the transactions of threads between controls.
//!
//! An infinite execution is an infinite way through the graph whose nodes are *transactions* (of one thread, from a loop head or a visible action to the
//! next, [`semantics::transition::edges`]) and whose arcs join transactions that can be taken one after the other. The graph is cut up by ranking functions until no cycle is
//! left; `certify`, module `ranks`, says what a proof is and why it suffices.
//!
//! ```text
//! graph         all controls and transactions                               houdini/graph.rs
//! facts         what holds at each control, by Houdini's algorithm          houdini/facts.rs
//! cut           for each strongly connected component of arcs:              ranks.rs, common/ranking.rs
//!                   a ranking function that rises nowhere and falls somewhere, or
//!                   a thread that cannot stay out of it;
//!               what is left is cut again
//! non-          for the cycles of a component that is left: a set of states recur.rs
//! terminating   that the cycle does not leave, and a way there
//! ```
//!
//! This is the lexicographic way (Alias and others, SAS 2010) rather than disjunctive well-foundedness (RedComp's rules T1–T4): no transitive closure
//! has to be summarised, and a rank may differ from run to run, so that phases of a loop are told apart.
//! Unlike RedComp's rules it follows all threads together, so that the number of threads must be bounded; [`crate::redcomp::terminate`] treats them one by one.
//!
//! # Direction of error
//! Facts may be too weak and ranks missing: the answer is then *unknown*. Every proof is checked by `certify`.

mod proof;
mod ranks;
mod recur;
#[cfg(test)]
mod tests;

use crate::houdini::{CandidateVocabulary, Facts, Graph};
use base::{Budget, Inconclusive, Stats};
use evidence::{Proof, Stage, Trace};
use logic::{Limits, Solver, Term};
use program::Property;
use ranks::Ranks;
use semantics::Analysis;
use std::sync::Arc;

/// No query is worth more conflicts: a rank, or a fact, that is hard to see is given up.
const MAX_CONFLICTS: u64 = 20_000;

/// Which ranks count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bounds {
    /// All: integers have a least value.
    Widths,
    /// Those that the program's conditions keep from falling far below zero: they would do for integers without bounds, too.
    Conditions,
}

/// Proves that every fair execution ends.
pub fn prove(
    analysis: &Arc<Analysis<'_>>,
    bounds: Bounds,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<Proof, Inconclusive> {
    let mut search = Search::new(analysis, budget, stats)?;
    let Cut { stages, n_stuck, .. } = search.cut(bounds, stats)?;
    if n_stuck > 0 {
        return Err(Inconclusive::NoProof(format!("no ranking function was found for {n_stuck} loops")));
    }
    search.graph.nothing_bad(&search.facts)?;
    search.graph.some_thread_moves(&search.facts)?;
    Ok(search.graph.into_ranking(&search.facts, stages))
}

/// Looks for an execution that does not end.
///
/// `accept` decides about a candidate: whether it really is a non-terminating execution.
pub fn refute(
    analysis: &Arc<Analysis<'_>>,
    accept: &dyn Fn(&Trace) -> bool,
    budget: &Budget,
    stats: &mut Stats,
) -> Result<Option<Trace>, Inconclusive> {
    let mut search = Search::new(analysis, budget, stats)?;
    let Cut { cycles, .. } = search.cut(Bounds::Widths, stats)?;
    search.graph.non_terminating(&cycles, &search.facts, &search.vocabulary, accept)
}

/// The graph, and what is known of it.
struct Search<'p> {
    graph: Graph<'p>,
    vocabulary: CandidateVocabulary,
    facts: Facts,
}

/// What became of the graph.
struct Cut {
    stages: Vec<Stage<Term>>,
    /// How many components are left.
    n_stuck: usize,
    /// Cycles of those, short ones first; not necessarily all.
    cycles: Vec<Vec<usize>>,
}

impl<'p> Search<'p> {
    fn new(analysis: &Arc<Analysis<'p>>, budget: &Budget, stats: &mut Stats) -> Result<Self, Inconclusive> {
        let limits = Limits { conflicts: Some(MAX_CONFLICTS), ..Limits::of(budget) };
        let mut graph = Graph::new(analysis, Property::Termination, limits)?;
        stats.add("global_locations", graph.controls.len() as u64);
        stats.add("transactions", graph.transactions.len() as u64);
        let vocabulary = graph.vocabulary();
        let facts = graph.facts(&vocabulary)?;
        Ok(Search { graph, vocabulary, facts })
    }

    /// Cuts the graph up as far as possible.
    fn cut(&mut self, bounds: Bounds, stats: &mut Stats) -> Result<Cut, Inconclusive> {
        let mut ranks = Ranks::new(&mut self.graph, &self.facts, bounds);
        let stuck = ranks.cut()?;
        let mut cycles: Vec<Vec<usize>> =
            stuck.iter().flat_map(|component| ranks.cycles(component)).collect();
        cycles.sort_by_key(Vec::len);
        let (stages, n_queries) = (std::mem::take(&mut ranks.stages), ranks.n_queries);
        stats.add("ranking_stages", stages.len() as u64);
        stats.add("ranking_queries", n_queries);
        stats.add("solver_calls", self.graph.solver.statistics().calls);
        stats.measure("solver_s", self.graph.solver.statistics().seconds);
        Ok(Cut { stages, n_stuck: stuck.len(), cycles })
    }
}
