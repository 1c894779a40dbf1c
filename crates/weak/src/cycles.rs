//! No critical cycle: what a look at the text shows about robustness.
//!
//! An execution that is not sequentially consistent has a cycle of program order and conflicts (Shasha and Snir), in which the model does not keep some pair
//! of program order (Alglave and Maranget, CAV 2011). So a program is robust if no cycle can contain a pair that the model may reorder:
//!
//! | model | pair `a` before `b` of one thread that it may reorder, if a path between them has no … |
//! |---|---|
//! | tso | a buffered store and a load of another cell; no action that drains the buffer |
//! | pso | the same, and a buffered store and a store to another cell that neither releases nor drains; no mark either |
//! | others | any two accesses of different cells; no full fence. On rmo also two loads of one cell |
//!
//! A cycle in question leaves the thread of `a` and `b` at `b` by a conflict and comes back to `a` by a conflict; between them it moves along program
//! order and conflicts of *other* threads (of the same template, if that is replicated). Creating, joining and waking threads are edges, too; these
//! operations synchronise memory (POSIX 4.12) and count as full fences.
//!
//! Under c11, plain accesses that conflict are a data race, so that there is nothing to show.
//!
//! # Direction of error
//! Finds cycles that no execution has (addresses, values and locks are not looked at), never too few: program order is reachability without regard to calling
//! contexts, accesses conflict if their addresses may be equal and their threads may run in parallel.

use crate::flow::{Successors, successors};
use program::memory_model::{Demand, Fencing, Storing};
use program::{Action, FuncId, LocId, MemoryModel, Op, Order};
use rustc_hash::FxHashSet;
use semantics::Analysis;
use semantics::analysis::footprint::{Kind, footprints};
use semantics::analysis::offset::{Offset, WHOLE};
use semantics::analysis::{Locksets, Site};

/// Programs with more accesses are not looked at.
const MOST_NODES: usize = 1500;

/// Returns true if no cycle of the program contains a pair of accesses that `model` may reorder. `analysis` is of the program on any
/// machine: it does not look at the memory model.
pub fn has_no_critical_cycle(analysis: &Analysis<'_>, model: MemoryModel) -> bool {
    match Cycles::of(analysis, model) {
        Some(cycles) => cycles.unsafe_pair().is_none(),
        None => false,
    }
}

/// Two locations of one function or thread whose accesses may be seen in the other order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnsafePair {
    /// The first in program order,
    pub first: (FuncId, LocId),
    /// and the second.
    pub second: (FuncId, LocId),
}

/// A pair on a cycle, if there is one; also `None` if the program is too large to tell.
pub fn critical_pair(analysis: &Analysis<'_>, model: MemoryModel) -> Option<UnsafePair> {
    Cycles::of(analysis, model)?.unsafe_pair()
}

/// What a node of a cycle is.
#[derive(Clone, PartialEq, Eq, Debug)]
enum What {
    /// An access to memory that threads contend for.
    Access(Access),
    /// It starts threads of these templates.
    Creates(Vec<usize>),
    /// It waits for threads to end.
    Joins,
    /// It waits on, or wakes waiters of, a condition variable.
    Condition,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Access {
    places: Vec<(Site, Offset)>,
    unknown: bool,
    bytes: u64,
    write: bool,
    order: Order,
    /// True if a buffer may delay it.
    buffered: bool,
}

/// An access of the threads of one template.
#[derive(Clone, Debug)]
struct SharedAccess {
    root: usize,
    at: (FuncId, LocId),
    what: What,
}

struct Cycles<'a, 'p> {
    analysis: &'a Analysis<'p>,
    model: MemoryModel,
    nodes: Vec<SharedAccess>,
    /// By template: where control can go from a location.
    successors: Successors,
    /// Edges between threads, by node.
    across: Vec<Vec<usize>>,
    /// Program order, by node.
    later: Vec<Vec<usize>>,
}

impl<'a, 'p> Cycles<'a, 'p> {
    fn of(analysis: &'a Analysis<'p>, model: MemoryModel) -> Option<Self> {
        // Nothing is known about what a user's model orders.
        if model.user().is_some() {
            return None;
        }
        let locksets = Locksets::of(analysis);
        let nodes = nodes(analysis, &locksets, model);
        if nodes.len() > MOST_NODES {
            return None;
        }
        let mut cycles = Self {
            analysis,
            model,
            nodes,
            successors: successors(analysis),
            across: Vec::new(),
            later: Vec::new(),
        };
        cycles.across = (0..cycles.nodes.len()).map(|n| cycles.edges_across(n, &locksets)).collect();
        cycles.later = (0..cycles.nodes.len()).map(|n| cycles.reached(n, |_| false)).collect();
        if model == MemoryModel::C11 && cycles.has_plain_conflict() {
            return None;
        }
        Some(cycles)
    }

    /// A pair that the model may reorder and that lies on a cycle.
    fn unsafe_pair(&self) -> Option<UnsafePair> {
        for (root, template) in self.analysis.threads.roots().iter().enumerate() {
            let closure = self.closure(|n| template.many || self.nodes[n].root != root);
            for first in (0..self.nodes.len()).filter(|n| self.nodes[*n].root == root) {
                let mut seconds = self.reorderable(first).into_iter();
                if let Some(second) = seconds.find(|second| self.closes(*second, first, &closure)) {
                    return Some(UnsafePair { first: self.nodes[first].at, second: self.nodes[second].at });
                }
            }
        }
        None
    }

    /// Returns true if there is a way from `second` back to `first` through other threads.
    fn closes(&self, second: usize, first: usize, closure: &[FxHashSet<usize>]) -> bool {
        let back: FxHashSet<usize> =
            (0..self.nodes.len()).filter(|n| self.across[*n].contains(&first)).collect();
        self.across[second].iter().any(|c| closure[*c].iter().any(|d| back.contains(d)))
    }

    /// What each node reaches along program order and across threads through nodes that are `allowed`, itself included; nothing for others.
    fn closure(&self, allowed: impl Fn(usize) -> bool) -> Vec<FxHashSet<usize>> {
        let reach = |start: usize| {
            let mut seen = FxHashSet::default();
            let mut todo = vec![start];
            while let Some(n) = todo.pop() {
                if allowed(n) && seen.insert(n) {
                    todo.extend(&self.across[n]);
                    todo.extend(&self.later[n]);
                }
            }
            seen
        };
        (0..self.nodes.len()).map(reach).collect()
    }

    /// The nodes after `first` in program order with which the model may reorder it.
    fn reorderable(&self, first: usize) -> Vec<usize> {
        let What::Access(a) = &self.nodes[first].what else { return Vec::new() };
        let machine = self.model;
        let drains = |at: (FuncId, LocId)| self.stops(at);
        let marks = |at: (FuncId, LocId)| self.stops(at) || self.marks(at);
        let access = |n: &usize| match &self.nodes[*n].what {
            What::Access(b) => Some(b),
            What::Creates(_) | What::Joins | What::Condition => None,
        };
        let mut found = Vec::new();
        if machine.has_buffers() {
            if !a.buffered {
                return found;
            }
            let loads = self.reached(first, drains);
            found.extend(loads.into_iter().filter(|n| access(n).is_some_and(|b| !b.write && a.differs(b))));
            if machine == MemoryModel::Pso {
                let stores = self.reached(first, marks);
                let free = |b: &Access| b.write && a.differs(b) && !self.is_ordered_store(b);
                found.extend(stores.into_iter().filter(|n| access(n).is_some_and(free)));
            }
            return found;
        }
        let hazard = |b: &Access| machine == MemoryModel::Rmo && !a.write && !b.write;
        let any = self.reached(first, drains);
        found.extend(any.into_iter().filter(|n| access(n).is_some_and(|b| a.differs(b) || hazard(b))));
        found
    }

    /// Returns true if a store waits for all older ones of its thread.
    fn is_ordered_store(&self, store: &Access) -> bool {
        matches!(self.model.store(store.order), Storing::Drained | Storing::MarkedAppended)
    }

    /// Returns true if no access behind this location overtakes one before it.
    fn stops(&self, (func, loc): (FuncId, LocId)) -> bool {
        let action = &self.analysis.program.functions[func].locations[loc].action;
        if self.model.has_buffers() {
            return self.model.demand(action) == Demand::Empty;
        }
        let Action::Ops { ops, .. } = action else { return false };
        ops.iter().any(|op| match op {
            Op::Fence(barrier) => self.model.fence(*barrier) == Fencing::Drain,
            other => synchronises(other),
        })
    }

    fn marks(&self, (func, loc): (FuncId, LocId)) -> bool {
        let Action::Ops { ops, .. } = &self.analysis.program.functions[func].locations[loc].action else {
            return false;
        };
        ops.iter().any(|op| match op {
            Op::Fence(barrier) => self.model.fence(*barrier) == Fencing::Mark,
            Op::Store { order, .. } => self.model.store(*order) == Storing::MarkedAppended,
            _ => false,
        })
    }

    /// The nodes of the same template behind `n`, on paths to them on which `stop` does not hold anywhere.
    fn reached(&self, n: usize, stop: impl Fn((FuncId, LocId)) -> bool) -> Vec<usize> {
        let SharedAccess { root, at, .. } = self.nodes[n];
        let mut seen: FxHashSet<(FuncId, LocId)> = FxHashSet::default();
        let after = |at: &(FuncId, LocId)| self.successors.get(at).cloned().unwrap_or_default();
        let mut todo = after(&at);
        let mut stopped: FxHashSet<(FuncId, LocId)> = FxHashSet::default();
        while let Some(next) = todo.pop() {
            if !seen.insert(next) {
                continue;
            }
            if stop(next) {
                stopped.insert(next);
            } else {
                todo.extend(after(&next));
            }
        }
        let functions = &self.analysis.threads.roots()[root].functions;
        let mine = |m: &usize| {
            let node = &self.nodes[*m];
            // The accesses of an action that drains come after the drain.
            let reached = seen.contains(&node.at) && !stopped.contains(&node.at);
            node.root == root && functions.contains(&node.at.0) && reached
        };
        (0..self.nodes.len()).filter(mine).collect()
    }

    /// Edges from a node to nodes of other threads.
    fn edges_across(&self, n: usize, locksets: &Locksets) -> Vec<usize> {
        let here = &self.nodes[n];
        let parallel = |there: &SharedAccess| {
            locksets.may_happen_in_parallel(self.analysis, (here.root, here.at), (there.root, there.at))
        };
        let several =
            |there: &SharedAccess| there.root != here.root || self.analysis.threads.roots()[here.root].many;
        let connected = |there: &SharedAccess| match (&here.what, &there.what) {
            (What::Access(a), What::Access(b)) => a.conflicts(b) && parallel(there),
            (What::Creates(roots), _) if roots.contains(&there.root) => true,
            (_, What::Joins) => several(there),
            (What::Condition, What::Condition) => several(there),
            _ => false,
        };
        (0..self.nodes.len()).filter(|m| connected(&self.nodes[*m])).collect()
    }

    fn has_plain_conflict(&self) -> bool {
        let plain = |n: usize| matches!(&self.nodes[n].what, What::Access(a) if a.order == Order::Plain);
        let is_access = |n: usize| matches!(self.nodes[n].what, What::Access(_));
        (0..self.nodes.len())
            .any(|n| is_access(n) && self.across[n].iter().any(|m| is_access(*m) && (plain(n) || plain(*m))))
    }
}

impl Access {
    fn conflicts(&self, other: &Access) -> bool {
        let meets = |(site, offset): &(Site, Offset)| {
            other
                .places
                .iter()
                .any(|(there, at)| there == site && offset.overlaps(self.bytes, *at, other.bytes))
        };
        (self.write || other.write) && (self.unknown || other.unknown || self.places.iter().any(meets))
    }

    /// Returns true if the two may be of different cells.
    fn differs(&self, other: &Access) -> bool {
        match (&self.places[..], &other.places[..]) {
            ([(Site::Static(a), Offset::Exactly(i))], [(Site::Static(b), Offset::Exactly(j))]) => {
                self.unknown || other.unknown || (a, i, self.bytes) != (b, j, other.bytes)
            }
            _ => true,
        }
    }
}

fn synchronises(op: &Op) -> bool {
    matches!(
        op,
        Op::Create { .. }
            | Op::Join { .. }
            | Op::WaitBegin(_)
            | Op::WaitEnd { .. }
            | Op::Signal { .. }
            | Op::AtomicBegin
            | Op::AtomicEnd
    )
}

/// All accesses to contended memory and all synchronisation, for each template that may execute them.
fn nodes(analysis: &Analysis<'_>, locksets: &Locksets, model: MemoryModel) -> Vec<SharedAccess> {
    let mut nodes = Vec::new();
    for (func, function) in analysis.program.functions.iter_enumerated() {
        for (loc, location) in function.locations.iter_enumerated() {
            let mut found: Vec<What> = Vec::new();
            let in_section = locksets.is_atomic(func, loc);
            let demand = model.demand(&location.action);
            for footprint in footprints(function, &location.action) {
                let targets = analysis.points_to.targets(func, &footprint.addr);
                let mut places = targets.places;
                places.retain(|(site, _)| analysis.threads.is_contended(*site));
                if places.is_empty() && !targets.unknown {
                    continue;
                }
                let bytes = footprint.extent.bytes();
                if bytes.is_none() {
                    places.iter_mut().for_each(|place| place.1 = Offset::Any);
                }
                let write = footprint.kind == Kind::Write;
                let buffered = write && !in_section && demand == Demand::Nothing;
                let (unknown, order) = (targets.unknown, footprint.order);
                let bytes = bytes.unwrap_or(WHOLE);
                found.push(What::Access(Access { places, unknown, bytes, write, order, buffered }));
            }
            found.extend(synchronisation(analysis, func, loc, &location.action));
            for root in analysis.threads.runners(func) {
                nodes.extend(found.iter().map(|what| SharedAccess {
                    root: *root,
                    at: (func, loc),
                    what: what.clone(),
                }));
            }
        }
    }
    nodes
}

fn synchronisation(analysis: &Analysis<'_>, func: FuncId, loc: LocId, action: &Action) -> Vec<What> {
    let Action::Ops { ops, .. } = action else { return Vec::new() };
    let roots = analysis.threads.roots();
    let what = |op: &Op| match op {
        Op::Create { .. } => {
            let started = analysis.points_to.started_by(func, loc);
            Some(What::Creates((0..roots.len()).filter(|n| started.contains(&roots[*n].func)).collect()))
        }
        Op::Join { .. } => Some(What::Joins),
        Op::WaitBegin(_) | Op::WaitEnd { .. } | Op::Signal { .. } => Some(What::Condition),
        _ => None,
    };
    ops.iter().filter_map(what).collect()
}
