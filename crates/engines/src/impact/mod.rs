//! Impact for threads: lazy abstraction with interpolants over interleavings.
//!
//! After Wachter, Kroening and Ouaknine, *Verifying multi-threaded software with Impact*, FMCAD 2013 ("the paper"), which lifts
//! McMillan's Impact (CAV 2006) to threads with a partial-order reduction that is sound in the presence of covers.
//!
//! | the paper | here | requires | ensures |
//! |---|---|---|---|
//! | MAIN | [`Impact::main`] | a tree with just its root | an answer, or the tree is a proof |
//! | EXPAND | `expand` | an uncovered node | the edges of the given threads are followed |
//! | REFINE | `refine` | an infeasible path | labels along it prove that |
//! | CLOSE | `close` | an uncovered node | it is covered if an older node allows it |
//! | FORCE COVER | `force_cover` | an uncovered node | it is covered if labels can be made to allow it |
//! | SKIP | `skip` | a node and a thread | true only if the thread's next edge commutes with the last one |
//!
//! Invariants I1–I3 are in [`art`]; what an edge is, in [`semantics::transition::edges`].
//!
//! # Deviations and repairs
//! - The published Algorithm 2 does not expand at the covering node what an unexpanded covered leaf would have expanded, and loses
//!   bugs; neither does it put nodes back into the queue when their cover goes. Here `need` is what the node would have expanded, and
//!   uncovering queues the whole subtree again.
//! - A path is checked for feasibility as soon as it is extended. So a node exists only if its path can be executed, an error that can
//!   be reached is reported at once, and REFINE is about the edge that cannot be taken: there is no node behind it.
//! - Labels that exclude an edge are found lazily, when the proof relies on them: when the node or an ancestor covers another node
//!   (`justify`). Until then its one path is the reason. Programs that count, and never cover anything, need no interpolants.
//! - Interpolants start at the nearest ancestor whose label already suffices, not at the root.
//! - Dependence of two edges is decided on the state variables that their commands mention, on control, and, where they only
//!   conflict if addresses or indices are equal, on the path ([`semantics::transition::independence`], `skip`).
//!
//! # Deadlocks and data races
//! A state in which all threads are blocked, or two are about to race, is one more edge that must not be taken ([`semantics::transition::monitor`]), queried
//! at every node that is not covered. The reduction keeps every reachable state, not only every violation: of all equivalent
//! executions that lead to a state, the one that is least in the order of thread numbers is never skipped.
//!
//! # Direction of error
//! May expand too much, never too little. An answer `Safe` hands over the labelled tree.

pub mod art;
mod cover;
mod expand;
mod feasible;
mod proof;
mod refine;
mod skip;
#[cfg(test)]
mod tests;

use crate::task::{Engine, Resumable, Task};
use art::{Art, Node, NodeId};
use base::{Inconclusive, Stats};
use evidence::{Outcome, Trace};
use logic::interpolate::Interpolator;
use logic::path::{Cmd, SymbolicStore};
use logic::{Embedded, Limits, Model, Solver, Symbol, Term, Terms};
use program::Property;
use program::interp::ThreadId;
use rustc_hash::FxHashMap;
use semantics::encoding::Encoder;
use semantics::transition::{Edge, Edges, GlobalLocationId, Monitor};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How interleavings are reduced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Por {
    /// Not at all: every action is an edge.
    None,
    /// Threads are switched at shared accesses only.
    Spor,
    /// And independent edges in one order only.
    Dpor,
}

/// Which node of the queue is looked at next. Any order is sound; it decides which violation is found first, and how
/// soon covering nodes are there.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Worklist {
    /// Few context switches and loop iterations first, in steps of two; among equals the youngest
    Cost,
    /// Depth first: the youngest
    #[value(name = "dfs")]
    Depth,
    /// Breadth first: the nearest to the root
    #[value(name = "bfs")]
    Breadth,
    /// Few context switches first; among equals the youngest
    Switches,
}

/// How to search.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
#[group(id = "impact")]
pub struct Options {
    /// The reduction.
    #[arg(skip = Por::Dpor)]
    pub por: Por,
    /// Strengthen labels so that a node is covered
    #[arg(long, value_name = "on|off", value_parser = crate::options::on_off(), action = clap::ArgAction::Set, default_value = "on", hide_possible_values = true)]
    pub force_cover: bool,
    /// Which node is expanded next
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = Worklist::Cost)]
    pub worklist: Worklist,
}

impl Options {
    /// The values of `--por`.
    pub const POR: [(&'static str, Por); 3] = [("none", Por::None), ("spor", Por::Spor), ("dpor", Por::Dpor)];
}

impl Default for Options {
    fn default() -> Self {
        Self { por: Por::Dpor, force_cover: true, worklist: Worklist::Cost }
    }
}

/// What a search ended with.
pub enum Found {
    /// The tree is complete: no violation is reachable.
    Complete,
    /// A violation.
    Violation(Trace),
}

/// The search.
pub struct Impact<'p> {
    encoder: Encoder<'p>,
    edges: Edges<'p>,
    monitor: Monitor,
    terms: Terms,
    solver: Embedded,
    interpolator: Interpolator,
    limits: Limits,
    property: Property,
    options: Options,
    art: Art,
    /// Commands that make the initial state.
    init: Vec<Cmd>,
    /// Nodes to look at, by rank; the youngest of the lowest come first.
    queue: BTreeMap<u32, Vec<NodeId>>,
    /// Nodes that have lost a cover. They come first, the oldest before the others: who covers them has found its own place by
    /// then, and covers do not come and go in circles.
    revisit: BTreeSet<NodeId>,
    /// Known implications from a label to a conjunct.
    implied: FxHashMap<(Term, Term), bool>,
    /// Nodes with threads that are to be expanded there next.
    pending: Vec<(NodeId, Vec<ThreadId>)>,
    /// The free variables of conditions met so far.
    variables: FxHashMap<Term, Rc<[Symbol]>>,
    /// Why the answer cannot be "safe".
    incomplete: Option<Inconclusive>,
    stats: Counts,
}

/// What is counted.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Counts {
    pub covers: u64,
    pub forced_covers: u64,
    /// Nodes that were made by expanding, at a covering node, what the covered node needs: "C" in the paper's Table II.
    pub cover_expansion_nodes: u64,
    pub refinements: u64,
    pub alias_refinements: u64,
    pub feasibility_checks: u64,
    pub feasible_by_model: u64,
    pub implications: u64,
    pub implications_identity: u64,
    pub implications_syntactic: u64,
    pub implications_memo: u64,
    pub solver_implications: u64,
    pub failed_interpolations: u64,
    /// Time for all implications between labels.
    pub implication_time: Duration,
    /// Time for finding covers, forced ones included.
    pub cover_time: Duration,
}

/// Nodes whose costs differ by less than this are taken youngest first. (1 finds shallow bugs, 5 deep ones; on the weak-memory tasks of
/// SV-COMP, 2 found most.)
const COST_STEP: u32 = 2;

impl<'p> Impact<'p> {
    /// A search that has not begun.
    pub fn new(task: &Task<'p>, options: Options) -> Result<Self, Inconclusive> {
        let property = task.property;
        let monitor = Monitor::new(property);
        let mut encoder = monitor.encoder(&task.analysis)?;
        let mut terms = Terms::new();
        let mut edges = monitor.edges(Edges::new(&task.analysis, options.por != Por::None, property));
        let (control, init) = encoder.initial(&mut terms)?;
        let control = edges.intern(control);
        let mut store = SymbolicStore::default();
        let conditions = store.run(&mut terms, &init);
        let label = terms.tt();
        let mut art = Art::default();
        let root = art.add(Node {
            parent: None,
            control,
            label,
            expanded: Vec::new(),
            blocked: Vec::new(),
            kids: Vec::new(),
            covered_by: None,
            covers: Vec::new(),
            cover_disabled: false,
            store: Rc::new(store),
            conditions,
            model: Rc::new(Model::default()),
            state: Model::default(),
            depth: 0,
            switches: 0,
            cost: 0,
            queued: false,
            done: false,
        });
        let mut impact = Self {
            encoder,
            edges,
            monitor,
            terms,
            solver: Embedded::new(),
            interpolator: Interpolator::new(),
            limits: Limits::of(&task.budget),
            property,
            options,
            art,
            init,
            queue: BTreeMap::new(),
            revisit: BTreeSet::new(),
            implied: FxHashMap::default(),
            pending: Vec::new(),
            variables: FxHashMap::default(),
            incomplete: None,
            stats: Counts::default(),
        };
        impact.enqueue(root);
        Ok(impact)
    }

    /// MAIN.
    pub fn main(&mut self) -> Result<Found, Inconclusive> {
        self.pursue(|| false)
            .map(|found| found.expect("a search that is never interrupted should have an answer"))
    }

    /// MAIN, until `enough` returns true; `None` then, and the search can be resumed.
    pub fn pursue(&mut self, enough: impl Fn() -> bool) -> Result<Option<Found>, Inconclusive> {
        while !enough() {
            let Some(v) = self.dequeue() else {
                debug_assert!(
                    self.art.is_well_formed(&self.terms),
                    "a complete tree should satisfy I1 to I3"
                );
                return self.incomplete.take().map_or(Ok(Some(Found::Complete)), Err);
            };
            self.limits.budget.check()?;
            self.limits.budget.tell_nodes(self.art.nodes.len());
            if self.art.is_covered(v) || self.art.is_dead(&self.terms, v) {
                continue;
            }
            if !self.find_cover(v)? {
                if let Some(trace) = self.watched(v)? {
                    return Ok(Some(Found::Violation(trace)));
                }
                let threads = self.need(v)?;
                self.pending.push((v, threads));
                self.art.nodes[v].done = true;
            }
            while let Some((w, threads)) = self.pending.pop() {
                let n_before = self.art.nodes.len();
                let found = self.expand(w, &threads)?;
                if w != v {
                    self.stats.cover_expansion_nodes += (self.art.nodes.len() - n_before) as u64;
                }
                if let Some(trace) = found {
                    return Ok(Some(Found::Violation(trace)));
                }
            }
        }
        Ok(None)
    }

    /// CLOSE, then FORCE COVER.
    fn find_cover(&mut self, v: NodeId) -> Result<bool, Inconclusive> {
        let start = Instant::now();
        let covered = self.close(v)? || self.options.force_cover && self.force_cover(v)?;
        self.stats.cover_time += start.elapsed();
        Ok(covered)
    }

    /// Writes what was counted.
    pub fn report(&self, stats: &mut Stats) {
        let solver = self.solver.statistics();
        stats.add("nodes", self.art.nodes.len() as u64);
        stats.add("cover_expansion_nodes", self.stats.cover_expansion_nodes);
        stats.add("covers", self.stats.covers);
        stats.add("forced_covers", self.stats.forced_covers);
        stats.add("refinements", self.stats.refinements);
        stats.add("alias_refinements", self.stats.alias_refinements);
        stats.add("feasibility_checks", self.stats.feasibility_checks);
        stats.add("feasible_by_model", self.stats.feasible_by_model);
        stats.add("implications", self.stats.implications);
        stats.add("implications_identity", self.stats.implications_identity);
        stats.add("implications_syntactic", self.stats.implications_syntactic);
        stats.add("implications_memo", self.stats.implications_memo);
        stats.add("solver_implications", self.stats.solver_implications);
        stats.add("failed_interpolations", self.stats.failed_interpolations);
        stats.add("solver_calls", solver.calls);
        stats.measure("solver_s", solver.seconds);
        stats.measure("implication_s", self.stats.implication_time.as_secs_f64());
        stats.measure("cover_s", self.stats.cover_time.as_secs_f64());
    }

    fn enqueue(&mut self, v: NodeId) {
        let rank = self.rank(v);
        let node = &mut self.art.nodes[v];
        if !node.queued {
            node.queued = true;
            self.queue.entry(rank).or_default().push(v);
        }
    }

    /// The place of a node in the queue: lower ones come first. A node keeps its rank when it is queued again.
    fn rank(&self, v: NodeId) -> u32 {
        let node = &self.art.nodes[v];
        match self.options.worklist {
            Worklist::Cost => node.cost / COST_STEP,
            Worklist::Depth => 0,
            Worklist::Breadth => node.depth,
            Worklist::Switches => node.switches,
        }
    }

    fn dequeue(&mut self) -> Option<NodeId> {
        if let Some(v) = self.revisit.pop_first() {
            return Some(v);
        }
        let mut entry = self.queue.first_entry()?;
        let v = entry.get_mut().pop().expect("a bucket should not be empty");
        if entry.get().is_empty() {
            entry.remove();
        }
        self.art.nodes[v].queued = false;
        Some(v)
    }

    fn edges_of(&mut self, control: GlobalLocationId, thread: ThreadId) -> Rc<[Rc<Edge>]> {
        self.edges.of(&mut self.encoder, &mut self.terms, control, thread)
    }
}

impl Engine for Options {
    fn name(&self) -> &'static str {
        "impact"
    }

    fn supports(&self, property: Property) -> bool {
        use Property::{NoDataRace, NoDeadlock, NoOverflow, UnreachCall};
        matches!(property, UnreachCall | NoOverflow | NoDeadlock | NoDataRace) || property.is_about_validity()
    }

    fn search(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome {
        match Impact::new(task, self.clone()) {
            Ok(mut impact) => {
                let found = impact.main();
                impact.report(stats);
                impact.outcome(found)
            }
            Err(why) => Outcome::Unknown(why),
        }
    }

    fn resumable<'p>(&self, task: &Task<'p>) -> Option<Box<dyn Resumable + 'p>> {
        Some(Box::new(Paused(Some(Impact::new(task, self.clone())))))
    }
}

/// A search between two time slices; `None` once it has ended.
struct Paused<'p>(Option<Result<Impact<'p>, Inconclusive>>);

impl Resumable for Paused<'_> {
    fn pursue(&mut self, time: Option<Duration>, stats: &mut Stats) -> Option<Outcome> {
        let mut impact = match self.0.take()? {
            Ok(impact) => impact,
            Err(why) => return Some(Outcome::Unknown(why)),
        };
        let start = Instant::now();
        let found = impact.pursue(|| time.is_some_and(|time| start.elapsed() > time)).transpose();
        impact.report(stats);
        match found {
            Some(found) => Some(impact.outcome(found)),
            None => {
                self.0 = Some(Ok(impact));
                None
            }
        }
    }
}
