//! UFO: under- and over-approximation in one engine.
//!
//! After Albarghouthi, Gurfinkel and Chechik, *From under-approximations to over-approximations and back*, TACAS 2012 ("the
//! paper"). A program is unrolled into a DAG, not a tree, whose nodes carry labels ψ that over-approximate what is reachable there. One
//! solver query decides whether *any* path of the unrolling reaches the error; if none does, new labels for all nodes say why, and
//! perhaps they cover the last iterations of the loops. Between refinements, labels of new nodes come from an abstract post-condition:
//! none (just `true`), Cartesian or Boolean predicate abstraction over what earlier labels consist of.
//!
//! | the paper | here | requires | ensures |
//! |---|---|---|---|
//! | UFOMAIN | [`Ufo::main`] | a graph of two nodes | an answer, or the graph is a proof |
//! | EXPANDARG | `expand_arg` | labels of the last refinement, if any | a complete, well-labelled graph |
//! | EXPANDNODE, GETFUTURENODE | `expand_node`, [`arg`] | a node | its edges |
//! | AH, FN, WTONEXT, WTOEXIT | [`position`], [`wto`] | | |
//! | POST | `post` | an edge and ψ before it | something that holds after it |
//! | ARGCOND, *encode* | `arg_cond` | | for each node, "a path from here reaches the error" |
//! | REFINE, CLEAN | `refine`, `dag_interpolants` | no path reaches the error | labels that prove it |
//!
//! | configuration | `--post` | `--interpolate` |
//! |---|---|---|
//! | UUFO | none | on |
//! | CPUFO, BPUFO | cartesian, boolean | on |
//! | CP, BP | cartesian, boolean | off: labels only feed predicates |
//!
//! # Deviations, and why
//! - **Nodes** are controls, the call stacks of all threads, so that calls are followed and a multi-threaded program is
//!   unrolled like any other: its interleavings meet wherever control is the same. Edges are *large blocks* between cut points
//!   ([`block`]).
//! - **Threads** that are about to do something that is independent of all other threads are followed in one order only ([`sleep`]).
//! - **Trace partitions**: after some work in vain, variables that are control in disguise (the state of a dispatch loop, flags) become part of a
//!   node's name ([`partition`]), and the search begins anew. If that makes too many nodes, it goes on without.
//! - **Iterations of loops** are part of a node's name ([`position`]) instead of the maps AH and FN. That settles what Fig. 3
//!   leaves open: stale future nodes, exits that are no WTOEXIT, active heads of an earlier iteration of the outer loop, several error nodes.
//! - **Covers** are by the disjunction of all nodes of the same control and partition that this pass has expanded, ancestors or not: the proof is
//!   an inductive invariant, which need not know how a state was reached. A covered node keeps its edges out of the loop and to the error for
//!   the next refinement, as in Fig. 1, but they do not count as a way to reach what is behind them.
//! - **Marks**: the paper drops the label of a node that gets a new edge. Here the conjuncts that the new edge respects stay.
//! - **Interpolants**: no solver of ours gives any, and CLEAN needs quantifier elimination. `dag_interpolants` goes through the
//!   nodes in topological order and *builds* the label of a node from facts that hold after all its edges, each of them found on a path
//!   from there to the error that the facts so far allow.
//! - **Bounds**: loops that make threads or objects, and recursion, have no two equal controls, so no cover ends them. A pass follows
//!   a limited number of iterations (for each partition of the loop's head); what it postpones counts as an error in a second query, and is proved unreachable, or the limit grows.
//!
//! # Direction of error
//! May unroll too much, never too little. An answer `Safe` hands over the labels of all cut points.

mod arg;
mod block;
mod dag_interpolants;
mod expand_arg;
mod inductive;
mod interrupt;
mod maker;
mod partition;
mod position;
mod post;
mod proof;
mod refine;
mod sleep;
mod templates;
#[cfg(test)]
mod tests;
mod wto;

use crate::task::{Engine, Task};
use arg::{Arg, ArgEdge, EdgeKey, NodeId, START};
use base::{Inconclusive, Stats};
use block::{Block, Blocks};
use evidence::{Outcome, Trace};
use interrupt::Interrupt;
use logic::interpolate::Interpolator;
use logic::path::Cmd;
use logic::{Embedded, Limits, Solver, Term, Terms};
use maker::Maker;
use partition::{PartitionedLocationId, PartitionedLocations, Tracked};
use position::Orders;
use program::Property;
use program::interp::ThreadId;
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::encoding::Encoder;
use semantics::transition::{Edges, Footprint, GlobalLocationId};
use std::rc::Rc;
use std::time::Duration;

/// The abstract post-condition.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Post {
    /// Always true: labels come from refinements only
    None,
    /// The predicates that hold
    Cartesian,
    /// The strongest combination of predicates that holds
    Boolean,
}

/// How to search.
#[derive(clap::Args, Clone, Copy, PartialEq, Eq, Debug)]
#[group(id = "ufo")]
pub struct Options {
    /// The abstract post-condition: how labels of new nodes are computed
    #[arg(long, value_enum, default_value_t = Post::Cartesian)]
    pub post: Post,
    /// Label nodes by the interpolants of refinements (off: these only give predicates)
    #[arg(long, value_name = "on|off", value_parser = crate::options::on_off(), action = clap::ArgAction::Set, default_value = "on", hide_possible_values = true)]
    pub interpolate: bool,
    /// True if only one of several orders of independent steps is followed.
    #[arg(skip = true)]
    pub sleep: bool,
}

impl Options {
    /// The values of `--por`: whether sleep sets are used.
    pub const POR: [(&'static str, bool); 2] = [("spor", false), ("dpor", true)];

    /// The paper's configurations.
    pub const CONFIGURATIONS: [(&'static str, Options); 5] = [
        ("UUFO", Options { post: Post::None, interpolate: true, sleep: true }),
        ("CPUFO", Options { post: Post::Cartesian, interpolate: true, sleep: true }),
        ("BPUFO", Options { post: Post::Boolean, interpolate: true, sleep: true }),
        ("CP", Options { post: Post::Cartesian, interpolate: false, sleep: true }),
        ("BP", Options { post: Post::Boolean, interpolate: false, sleep: true }),
    ];
}

impl Default for Options {
    fn default() -> Self {
        Self { post: Post::Cartesian, interpolate: true, sleep: true }
    }
}

/// What a search ended with.
enum Found {
    /// The graph is complete and the error node's label is false.
    Complete,
    /// A violation.
    Violation(Trace),
}

/// What is counted.
#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    iterations: u64,
    refinements: u64,
    covers: u64,
    implications: u64,
    solver_implications: u64,
    facts: u64,
    tracked: u64,
    sleep_set_threads: u64,
    interpolation: Duration,
    post: Duration,
}

/// The search.
pub struct Ufo<'p> {
    encoder: Encoder<'p>,
    edges: Edges<'p>,
    orders: Orders<'p>,
    blocks: Blocks,
    /// Variables whose values are part of a node's name, and the locations that they make of controls.
    tracked: Tracked,
    locations: PartitionedLocations,
    terms: Terms,
    solver: Embedded,
    interpolator: Interpolator,
    limits: Limits,
    /// For queries whose answer may be missing.
    effort: Limits,
    property: Property,
    options: Options,
    arg: Arg,
    /// Commands that make the initial state.
    init: Vec<Cmd>,
    /// What labels of a location were made of.
    predicates: FxHashMap<PartitionedLocationId, Vec<Term>>,
    /// Facts that may hold at a node, from paths through it that were ruled out above it.
    hints: FxHashMap<NodeId, Vec<Term>>,
    /// Iterations of loops that a pass follows.
    bound: u32,
    /// Nodes that this pass postponed.
    frontier: Vec<NodeId>,
    /// True if this pass could reach the error.
    error_reached: bool,
    /// Why the answer cannot be "safe", and the edges that say so.
    incomplete: Option<Inconclusive>,
    excused: FxHashSet<EdgeKey>,
    /// What steps touch.
    footprints: FxHashMap<(GlobalLocationId, ThreadId), Rc<Footprint>>,
    /// Known answers: whether an edge can be taken, whether a triple holds.
    feasible: FxHashMap<(Term, EdgeKey), bool>,
    triples: FxHashMap<(Term, EdgeKey, Term), bool>,
    /// Number of partitioned locations after which a search with partitions gives up.
    max_locations: usize,
    /// Effort of earlier searches.
    spent: Work,
    /// Effort after which a search gives up.
    allowed: Option<Work>,
    stats: Counts,
}

/// Effort, counted so that it is the same on every machine.
#[derive(Clone, Copy, Debug)]
struct Work {
    conflicts: u64,
    calls: u64,
}

impl Work {
    /// What a search without partitions is worth before one with partitions is tried.
    const FIRST: Work = Work { conflicts: 5_000, calls: 1_000 };
    /// And before one with very many partitions is.
    const SECOND: Work = Work { conflicts: 40_000, calls: 8_000 };
}

/// A search with partitions gives up with this number of locations more than there are without partitions; the second one, with this many times more.
const FEW_LOCATIONS: usize = 600;
const MAX_PARTITIONS: usize = 8;
/// Queries of a node before they count as work.
const CALLS_PER_NODE: u64 = 8;
/// Conflicts of the solver that one optional query is worth.
const MAX_CONFLICTS: u64 = 3_000;
/// Iterations of loops that the first passes follow.
const FIRST_BOUND: u32 = 4;

impl<'p> Ufo<'p> {
    /// A search that has not begun.
    pub fn new(task: &Task<'p>, options: Options) -> Result<Self, Inconclusive> {
        let (property, budget) = (task.property, &task.budget);
        let mut encoder = Encoder::new(&task.analysis)?.checking(property);
        let mut terms = Terms::new();
        let (control, init) = encoder.initial(&mut terms)?;
        let mut ufo = Self {
            encoder,
            edges: Edges::new(&task.analysis, true, property),
            orders: Orders::of(task.program()),
            blocks: Blocks::new(),
            tracked: Tracked::default(),
            locations: PartitionedLocations::default(),
            terms,
            solver: Embedded::new(),
            interpolator: Interpolator::new(),
            limits: Limits::of(budget),
            effort: Limits { budget: budget.clone(), conflicts: Some(MAX_CONFLICTS) },
            property,
            options,
            arg: Arg::default(),
            init,
            predicates: FxHashMap::default(),
            hints: FxHashMap::default(),
            bound: FIRST_BOUND,
            frontier: Vec::new(),
            error_reached: false,
            incomplete: None,
            excused: FxHashSet::default(),
            footprints: FxHashMap::default(),
            feasible: FxHashMap::default(),
            triples: FxHashMap::default(),
            max_locations: FEW_LOCATIONS,
            spent: Work { conflicts: 0, calls: 0 },
            allowed: None,
            stats: Counts::default(),
        };
        ufo.begin(control);
        Ok(ufo)
    }

    /// The start, the initial control, and the edge between them.
    fn begin(&mut self, control: semantics::encoding::GlobalLocation) {
        let position = self.orders.initial(&control);
        let control = self.edges.intern(control);
        let psi = self.terms.tt();
        let start = self.arg.add((control, PartitionedLocationId(u32::MAX)), Rc::default(), psi);
        debug_assert_eq!(start, START, "the start should be the first node");
        let (locations, tracked) = (&mut self.locations, &self.tracked);
        let at = |store: &block::Store| (control, locations.intern(control, tracked.partition(store)));
        let block = Block::plain(&mut self.blocks, &mut self.terms, self.init.clone(), at);
        let root = self.arg.node((control, block.edges[0].location), position, psi);
        let key = (PartitionedLocationId(u32::MAX), ThreadId::MAIN, 0);
        self.arg.add_edges(START, vec![ArgEdge { block: Rc::new(block), key, to: Some(root) }]);
    }

    /// UFOMAIN, at first without partitions. If that is much work, the program may be a state machine; if it has very many states, more
    /// work without partitions comes before all of them.
    fn run(&mut self) -> Result<Found, Interrupt> {
        self.allowed = Some(Work::FIRST);
        let first = self.main();
        if !is_given_up(&first) {
            return first;
        }
        let (tracked, n_locations) = (self.finite_variables(), self.locations.len());
        self.stats.tracked = tracked.len() as u64;
        if !tracked.is_empty() {
            for (n_partitions, more) in [(1, Some(Work::SECOND)), (MAX_PARTITIONS, None)] {
                self.max_locations = n_partitions * (FEW_LOCATIONS + n_locations);
                self.restart(tracked.clone(), None);
                let found = self.main();
                if !is_given_up(&found) {
                    return found;
                }
                self.restart(Tracked::default(), more);
                let found = self.main();
                if more.is_none() || !is_given_up(&found) {
                    return found;
                }
            }
        }
        self.restart(Tracked::default(), None);
        self.main()
    }

    /// Forgets all but what is known of the program.
    fn restart(&mut self, tracked: Tracked, allowed: Option<Work>) {
        let root = self.arg.nodes[START].control;
        let control = (**self.edges.control(root)).clone();
        self.tracked = tracked;
        self.allowed = allowed;
        let solver = self.solver.statistics();
        self.spent = Work { conflicts: solver.conflicts, calls: solver.calls };
        self.locations = PartitionedLocations::default();
        self.blocks.clear();
        self.arg = Arg::default();
        self.predicates.clear();
        self.hints.clear();
        self.bound = FIRST_BOUND;
        self.incomplete = None;
        self.excused.clear();
        self.feasible.clear();
        self.triples.clear();
        self.begin(control);
    }

    /// Whether there is time, and work allowed, for more.
    fn go_on(&mut self) -> Result<(), Interrupt> {
        self.limits.budget.check()?;
        let solver = self.solver.statistics();
        let (conflicts, calls) = (solver.conflicts - self.spent.conflicts, solver.calls - self.spent.calls);
        // What a large graph takes to be built says nothing about how hard it is.
        let calls = calls.saturating_sub(CALLS_PER_NODE * self.arg.nodes.len() as u64);
        let much = self.allowed.is_some_and(|w| conflicts > w.conflicts || calls > w.calls);
        let many = !self.tracked.is_empty() && self.locations.len() > self.max_locations;
        if much || many { Err(Interrupt::AttemptGivenUp) } else { Ok(()) }
    }

    /// UFOMAIN.
    fn main(&mut self) -> Result<Found, Interrupt> {
        loop {
            self.expand_arg()?;
            if !self.error_reached && self.frontier.is_empty() {
                return match self.incomplete.take() {
                    Some(why) => Err(why.into()),
                    None => Ok(Found::Complete),
                };
            }
            if let Some(trace) = self.refine()? {
                return Ok(Found::Violation(trace));
            }
        }
    }

    /// The answer, with its proof or trace.
    fn outcome(self, found: Result<Found, Interrupt>) -> Outcome {
        let proof = match found {
            Ok(Found::Complete) => self.into_proof(),
            Ok(Found::Violation(trace)) => return Outcome::Unsafe(trace),
            Err(interrupt) => Err(interrupt.into()),
        };
        proof.map_or_else(Outcome::Unknown, Outcome::Safe)
    }

    /// Writes what was counted.
    pub fn report(&self, stats: &mut Stats) {
        let solver = self.solver.statistics();
        let cut_points: FxHashSet<GlobalLocationId> = self.arg.nodes.iter().map(|n| n.control).collect();
        stats.add("nodes", self.arg.nodes.len() as u64);
        stats.add("cut_points", cut_points.len() as u64);
        stats.add("iterations", self.stats.iterations);
        stats.add("refinements", self.stats.refinements);
        stats.add("covers", self.stats.covers);
        stats.add("implications", self.stats.implications);
        stats.add("solver_implications", self.stats.solver_implications);
        stats.add("facts", self.stats.facts);
        stats.add("tracked", self.stats.tracked);
        stats.add("sleep_set_threads", self.stats.sleep_set_threads);
        stats.add("partitioned_locations", self.locations.len() as u64);
        stats.add("predicates", self.predicates.values().map(|p| p.len() as u64).sum());
        stats.measure("interpolation_s", self.stats.interpolation.as_secs_f64());
        stats.measure("post_s", self.stats.post.as_secs_f64());
        stats.add("solver_calls", solver.calls);
        stats.add("conflicts", solver.conflicts);
        stats.measure("solver_s", solver.seconds);
    }

    fn block(&mut self, at: PartitionedLocationId, thread: ThreadId) -> Result<Rc<Block>, Interrupt> {
        let (mut maker, blocks) = self.maker();
        blocks.of(&mut maker, at, thread)
    }

    /// Where a thread stops when it moves on from a location, in whatever partition.
    fn stops(
        &mut self,
        at: PartitionedLocationId,
        thread: ThreadId,
    ) -> Result<Rc<FxHashSet<GlobalLocationId>>, Interrupt> {
        let (mut maker, blocks) = self.maker();
        blocks.stops(&mut maker, at, thread)
    }

    fn maker(&mut self) -> (Maker<'_, 'p>, &mut Blocks) {
        let maker = Maker {
            encoder: &mut self.encoder,
            edges: &mut self.edges,
            orders: &self.orders,
            terms: &mut self.terms,
            locations: &mut self.locations,
            tracked: &self.tracked,
            budget: &self.limits.budget,
        };
        (maker, &mut self.blocks)
    }

    /// Returns true if an edge can be taken from a state in `psi`; `true` also when the solver gave up.
    fn can_take(&mut self, psi: Term, edge: &ArgEdge) -> Result<bool, Interrupt> {
        if let Some(&known) = self.feasible.get(&(psi, edge.key)) {
            return Ok(known);
        }
        let mut assumptions = self.terms.conjuncts(psi);
        assumptions.extend(self.terms.conjuncts(edge.block.edges[edge.key.2].guard));
        let can = !self.solver.check(&self.terms, &assumptions, &self.effort)?.is_unsat();
        self.feasible.insert((psi, edge.key), can);
        Ok(can)
    }

    /// Returns true if `{pre} edge {post}` holds; `false` also when the solver gave up.
    fn holds(&mut self, pre: Term, edge: &ArgEdge, post: Term) -> Result<bool, Interrupt> {
        if self.terms.as_bool(post) == Some(true) || self.terms.as_bool(pre) == Some(false) {
            return Ok(true);
        }
        if let Some(&known) = self.triples.get(&(pre, edge.key, post)) {
            return Ok(known);
        }
        let assumptions = self.outside(pre, edge, post);
        let holds = self.solver.check(&self.terms, &assumptions, &self.effort)?.is_unsat();
        self.triples.insert((pre, edge.key, post), holds);
        Ok(holds)
    }

    /// The states and inputs from which the edge leads out of `post`.
    fn outside(&mut self, pre: Term, edge: &ArgEdge, post: Term) -> Vec<Term> {
        let taken = &edge.block.edges[edge.key.2];
        let mut assumptions = self.terms.conjuncts(pre);
        assumptions.extend(self.terms.conjuncts(taken.guard));
        let wrong = self.terms.not(post);
        let wrong = self.terms.substitute(wrong, &taken.store);
        assumptions.extend(self.terms.conjuncts(wrong));
        assumptions
    }
}

/// Returns true if another attempt should follow.
fn is_given_up(found: &Result<Found, Interrupt>) -> bool {
    matches!(found, Err(Interrupt::AttemptGivenUp))
}

impl Engine for Options {
    fn name(&self) -> &'static str {
        "ufo"
    }

    fn supports(&self, property: Property) -> bool {
        matches!(property, Property::UnreachCall | Property::NoOverflow) || property.is_about_validity()
    }

    fn search(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome {
        match Ufo::new(task, *self) {
            Ok(mut ufo) => {
                let found = ufo.run();
                ufo.report(stats);
                ufo.outcome(found)
            }
            Err(why) => Outcome::Unknown(why),
        }
    }
}
