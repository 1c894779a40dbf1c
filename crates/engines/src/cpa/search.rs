//! The reachability algorithm.

use super::alive::Alive;
use super::domain::{Domain, Meeting, Precision};
use super::edge_prefix_tree::EdgePrefixTree;
use super::reached::{Node, NodeId, Reached, Waitlist};
use super::{Found, Options};
use crate::task::Task;
use base::{Inconclusive, Stats};
use evidence::Trace;
use logic::path::Cmd;
use logic::{Embedded, Limits, Solver, Terms};
use program::Property;
use program::interp::ThreadId;
use rustc_hash::FxHashMap;
use semantics::encoding::{Encoder, SuccessorKind};
use semantics::transition::{Edge, EdgeId, Edges, GlobalLocationId, Monitor};
use std::rc::Rc;
use std::sync::Arc;

/// The search.
pub(super) struct Search<'a, 'p, D: Domain> {
    pub(super) options: &'a Options,
    pub(super) property: Property,
    pub(super) encoder: Encoder<'p>,
    pub(super) edges: Edges<'p>,
    pub(super) terms: Terms,
    pub(super) solver: Embedded,
    pub(super) limits: Limits,
    pub(super) domain: D,
    pub(super) precision: Precision,
    pub(super) reached: Reached<D::Element>,
    /// Commands that make the initial state.
    pub(super) init: Vec<Cmd>,
    pub(super) start: GlobalLocationId,
    waitlist: Waitlist,
    pub(super) alive: Alive<'p>,
    prefix_trees: FxHashMap<(GlobalLocationId, ThreadId), Rc<EdgePrefixTree>>,
    pub(super) monitor: Monitor,
    /// Why the answer cannot be "safe".
    pub(super) incomplete: Option<Inconclusive>,
    /// How often a path to the end of an edge could be neither executed nor excluded.
    pub(super) spurious: FxHashMap<EdgeId, u32>,
    /// True if something was widened in this round.
    pub(super) widened: bool,
    pub(super) counts: Counts,
}

/// What is counted.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Counts {
    nodes: u64,
    transfers: u64,
    comparisons: u64,
    covers: u64,
    merges: u64,
    most_waiting: u64,
    pub(super) narrowings: u64,
    pub(super) refinements: u64,
    pub(super) path_checks: u64,
}

/// Elements at the ends of edges.
pub(super) type Arrivals<E> = Vec<(Rc<Edge>, Vec<E>)>;

/// What a round of the search ended with.
pub(super) enum Round {
    /// Everything was expanded.
    Complete,
    /// A counterexample.
    Violation(Trace),
    /// The precision has grown.
    Refined,
}

/// Maximum number of elements at one global location that are compared one by one; beyond, only equal ones are looked for.
const MAX_COMPARED: usize = 64;

impl<'a, 'p, D: Domain> Search<'a, 'p, D> {
    pub(super) fn new(
        task: &Task<'p>,
        options: &'a Options,
        domain: D,
        precision: Precision,
    ) -> Result<Self, Inconclusive> {
        let property = task.property;
        let monitor = Monitor::new(property);
        let mut encoder = monitor.encoder(&task.analysis)?;
        let mut terms = Terms::new();
        let mut edges = monitor.edges(Edges::new(&task.analysis, options.local, property));
        let (control, init) = encoder.initial(&mut terms)?;
        let start = edges.intern(control);
        Ok(Self {
            options,
            property,
            encoder,
            edges,
            terms,
            solver: Embedded::new(),
            limits: Limits::of(&task.budget),
            domain,
            precision,
            reached: Reached::new(options.partition),
            init,
            start,
            waitlist: Waitlist::new(options.order),
            alive: Alive::new(&task.analysis),
            prefix_trees: FxHashMap::default(),
            monitor,
            incomplete: None,
            spurious: FxHashMap::default(),
            widened: false,
            counts: Counts::default(),
        })
    }

    /// Rounds of reachability, each with a finer precision.
    pub(super) fn main(&mut self) -> Result<Found, Inconclusive> {
        loop {
            match self.reach()? {
                Round::Refined => {}
                Round::Violation(trace) => return Ok(Found::Violation(trace)),
                Round::Complete => {
                    return match self.incomplete.take() {
                        Some(stop) => Err(stop),
                        None => Ok(Found::Complete),
                    };
                }
            }
        }
    }

    /// One round, from the initial state.
    fn reach(&mut self) -> Result<Round, Inconclusive> {
        self.reached = Reached::new(self.options.partition);
        self.waitlist = Waitlist::new(self.options.order);
        self.incomplete = None;
        self.spurious.clear();
        self.widened = false;
        let (top, init) = (self.domain.top(), self.init.clone());
        for element in self.transfer(&top, &init)? {
            self.add(Vec::new(), self.start, element)?;
        }
        while let Some(v) = self.waitlist.pop() {
            self.limits.budget.check()?;
            self.reached.nodes[v].waiting = false;
            if let Some(round) = self.expand(v)? {
                return Ok(round);
            }
        }
        if self.widened && !self.spurious.is_empty() {
            return self.without_doubt();
        }
        Ok(Round::Complete)
    }

    /// The end of a round in which a bad end could be neither executed nor excluded after something had been widened.
    fn without_doubt(&mut self) -> Result<Round, Inconclusive> {
        if self.narrow()? {
            self.incomplete = None;
        } else if self.domain.sharpen() {
            self.counts.refinements += 1;
            return Ok(Round::Refined);
        }
        Ok(Round::Complete)
    }

    /// Takes all edges that leave a node, those that end the search first.
    fn expand(&mut self, v: NodeId) -> Result<Option<Round>, Inconclusive> {
        let mut after = self.arrivals(v)?;
        after.sort_by_key(|(edge, _)| edge.kind == SuccessorKind::Continue);
        for (edge, elements) in after {
            if let Some(round) = self.arrive(v, &edge, elements)? {
                return Ok(Some(round));
            }
        }
        Ok(None)
    }

    /// The ends of all edges that leave a node, with the elements there.
    pub(super) fn arrivals(&mut self, v: NodeId) -> Result<Arrivals<D::Element>, Inconclusive> {
        let at = self.reached.nodes[v].control;
        let control = Arc::clone(self.edges.control(at));
        let mut after = Vec::new();
        for thread in control.movable() {
            let prefix_tree = self.prefix_tree(at, thread);
            let from = vec![self.reached.nodes[v].element.clone()];
            self.run(&prefix_tree, from, &mut after)?;
        }
        let Self { monitor, edges, encoder, terms, .. } = self;
        for edge in monitor.edges_at(edges, encoder, terms, at).iter() {
            let from = self.reached.nodes[v].element.clone();
            let elements = self.transfer(&from, &edge.block)?;
            after.push((Rc::clone(edge), elements));
        }
        Ok(after)
    }

    /// Returns true if the answer is not "safe" if this edge can be taken.
    pub(super) fn is_bad(&self, edge: &Edge) -> bool {
        match &edge.kind {
            SuccessorKind::Continue | SuccessorKind::Ended => false,
            SuccessorKind::Violation(property, _) => self.property.includes(*property),
            _ => true,
        }
    }

    fn prefix_tree(&mut self, at: GlobalLocationId, thread: ThreadId) -> Rc<EdgePrefixTree> {
        if let Some(prefix_tree) = self.prefix_trees.get(&(at, thread)) {
            return Rc::clone(prefix_tree);
        }
        let edges = self.edges.of(&mut self.encoder, &mut self.terms, at, thread);
        let prefix_tree = Rc::new(EdgePrefixTree::of(&edges));
        self.prefix_trees.insert((at, thread), Rc::clone(&prefix_tree));
        prefix_tree
    }

    /// Executes runs that begin alike, from some elements.
    fn run(
        &mut self,
        prefix_tree: &EdgePrefixTree,
        from: Vec<D::Element>,
        after: &mut Arrivals<D::Element>,
    ) -> Result<(), Inconclusive> {
        let mut elements = Vec::new();
        for element in &from {
            elements.extend(self.transfer(element, &prefix_tree.block)?);
        }
        if elements.is_empty() {
            return Ok(());
        }
        after.extend(prefix_tree.ends.iter().map(|edge| (Rc::clone(edge), elements.clone())));
        prefix_tree.next.iter().try_for_each(|next| self.run(next, elements.clone(), after))
    }

    /// Deals with the elements at the end of an edge.
    fn arrive(
        &mut self,
        v: NodeId,
        edge: &Rc<Edge>,
        after: Vec<D::Element>,
    ) -> Result<Option<Round>, Inconclusive> {
        match &edge.kind {
            _ if after.is_empty() => return Ok(None),
            // One such end is enough not to say "safe".
            kind if kind.stop().is_some() && self.incomplete.is_some() => return Ok(None),
            SuccessorKind::Continue => {}
            _ if self.is_bad(edge) => return self.examine(v, edge),
            _ => return Ok(None),
        }
        for element in after {
            self.add(vec![(v, Rc::clone(edge))], edge.control, element)?;
        }
        Ok(None)
    }

    pub(super) fn transfer(
        &mut self,
        from: &D::Element,
        block: &[Cmd],
    ) -> Result<Vec<D::Element>, Inconclusive> {
        self.limits.budget.check()?;
        self.counts.transfers += 1;
        let (precision, names) = (&mut self.precision, self.encoder.names());
        self.domain.transfer(&self.terms, from, block, &mut |symbol| precision.tracks(names, symbol))
    }

    /// Adds what is new of an element: stop, then merge.
    fn add(
        &mut self,
        parents: Vec<(NodeId, Rc<Edge>)>,
        at: GlobalLocationId,
        mut element: D::Element,
    ) -> Result<(), Inconclusive> {
        let control = Arc::clone(self.edges.control(at));
        let (alive, names) = (&mut self.alive, self.encoder.names());
        self.domain.forget(&self.terms, &mut element, &mut |s| alive.is_alive(names, at, &control, s))?;
        let Some(element) = self.stop(at, element)? else {
            self.counts.covers += 1;
            return Ok(());
        };
        if self.merge(&parents, at, &element)? {
            return Ok(());
        }
        self.insert(parents, at, element);
        Ok(())
    }

    fn insert(&mut self, parents: Vec<(NodeId, Rc<Edge>)>, at: GlobalLocationId, element: D::Element) {
        let fingerprint = self.domain.fingerprint(&element);
        let n_threads = self.edges.control(at).threads.iter().filter(|t| !t.is_finished()).count();
        let node = Node { control: at, element, parents, waiting: true };
        let id = self.reached.add(node, fingerprint);
        self.waitlist.push(id, n_threads);
        self.counts.most_waiting = self.counts.most_waiting.max(self.waitlist.n_waiting() as u64);
        self.counts.nodes += 1;
    }

    /// What of an element was not reached before.
    fn stop(
        &mut self,
        at: GlobalLocationId,
        element: D::Element,
    ) -> Result<Option<D::Element>, Inconclusive> {
        if let Some(fingerprint) = self.domain.fingerprint(&element) {
            for &w in self.reached.likely(at, fingerprint) {
                self.counts.comparisons += 1;
                if self.domain.minus(&element, &self.reached.nodes[w].element)?.is_none() {
                    return Ok(None);
                }
            }
            if self.options.partition && self.reached.at(at).len() > MAX_COMPARED {
                return Ok(Some(element));
            }
        }
        let mut left = element;
        for &w in self.reached.candidates(at) {
            self.counts.comparisons += 1;
            let node = &self.reached.nodes[w];
            if node.control != at {
                continue;
            }
            match self.domain.minus(&left, &node.element)? {
                Some(rest) => left = rest,
                None => return Ok(None),
            }
        }
        Ok(Some(left))
    }

    /// Merges an element into one that was reached before, if the domain wants that.
    fn merge(
        &mut self,
        parents: &[(NodeId, Rc<Edge>)],
        at: GlobalLocationId,
        element: &D::Element,
    ) -> Result<bool, Inconclusive> {
        let here = self.reached.at(at);
        let n_elements = here.len();
        let Some(&w) = here.last() else { return Ok(false) };
        let node = &mut self.reached.nodes[w];
        let meeting = Meeting { waiting: node.waiting, n_elements };
        let Some(merged) = self.domain.merge(element, &node.element, meeting)? else { return Ok(false) };
        self.counts.merges += 1;
        if node.waiting {
            node.element = merged;
            node.parents.extend_from_slice(parents);
        } else {
            let parents: Vec<_> = node.parents.iter().chain(parents).cloned().collect();
            self.widened = true;
            self.reached.supersede(w);
            self.insert(parents, at, merged);
        }
        Ok(true)
    }

    /// Writes what was counted.
    pub(super) fn report(&mut self, stats: &mut Stats) {
        let solver = self.solver.statistics();
        stats.name("domain", &format!("{:?}", self.options.domain).to_lowercase());
        stats.add("nodes", self.counts.nodes);
        stats.add("reached", self.reached.nodes.len() as u64);
        stats.add("global_locations", self.reached.controls().count() as u64);
        stats.add("transfers", self.counts.transfers);
        stats.add("comparisons", self.counts.comparisons);
        stats.add("covers", self.counts.covers);
        stats.add("merges", self.counts.merges);
        stats.add("narrowings", self.counts.narrowings);
        stats.add("waitlist", self.counts.most_waiting);
        stats.add("refinements", self.counts.refinements);
        stats.add("path_checks", self.counts.path_checks);
        if let Some(tracked) = self.precision.n_tracked() {
            stats.add("tracked", tracked as u64);
        }
        stats.add("solver_calls", solver.calls);
        stats.measure("solver_s", solver.seconds);
    }
}
