//! Large blocks: all that a thread can do from one cut point to the next, as one formula for each next cut point.
//!
//! Cut points are heads of loops, entries of recursive calls, and, where several threads are alive, the points at which a
//! thread is about to do something that others notice for the second time (as in [`semantics::transition::edges`]). Between two of them there is
//! no loop, so the controls in between are a DAG. It is executed symbolically in the order of positions; where paths meet their guards
//! are disjoined and their values merged by `ite`, so the formula grows with the program's size and not with its number of paths.
//!
//! # Requires and ensures
//! - The guards of the outcomes of one action exclude each other; where that is not plain, a fresh truth value chooses.
//!   So do, then, the guards of different paths, and a merge loses nothing.
//! - An edge's guard and values mention state variables *at the start* of the block and *inputs*: fresh variables for what was
//!   havocked. The edge can be taken from a state exactly if some inputs satisfy the guard.
//! - Stopping early is always allowed: any control may be a cut point. A control stops all paths or none of the block.

use super::interrupt::Interrupt;
use super::maker::{Maker, is_alone};
use super::partition::{PartitionedLocationId, PartitionedLocations, TracePartition, Tracked};
use super::position::UnrolledPosition;
use logic::path::Cmd;
use logic::{Model, Sort, Symbol, Term, Terms};
use program::interp::ThreadId;
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::encoding::{GlobalLocation, Successor, SuccessorKind};
use semantics::transition::GlobalLocationId;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// The values of the state variables that changed.
pub(super) type Store = FxHashMap<Symbol, Term>;

/// A large-block edge.
#[derive(Debug)]
pub(super) struct BlockEdge {
    /// When it is taken.
    pub(super) guard: Term,
    /// What it does.
    pub(super) store: Store,
    /// Where every thread is afterwards.
    pub(super) control: GlobalLocationId,
    /// And in which partition.
    pub(super) location: PartitionedLocationId,
    /// How it ends.
    pub(super) kind: SuccessorKind,
}

/// All that a thread can do until its next cut points.
#[derive(Debug)]
pub(super) struct Block {
    /// Who.
    pub(super) thread: ThreadId,
    /// In which partition.
    pub(super) partition: TracePartition,
    /// One edge for each cut point, and for each way to end otherwise.
    pub(super) edges: Vec<BlockEdge>,
    /// The controls in between, by their outcomes.
    inner: Vec<Vec<BlockStep>>,
    /// The variables that decide its way.
    symbols: Vec<Symbol>,
}

/// One outcome of one action inside a block.
#[derive(Debug)]
struct BlockStep {
    /// When it is taken, over the start of the block.
    taken: Term,
    commands: Vec<Cmd>,
    to: Target,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Open,
    Inner(usize),
    Edge(usize),
}

/// The way of one path into a control: the step that led there, and the state after it.
pub(super) struct Arrival {
    from: Option<(usize, usize)>,
    guard: Term,
    store: Rc<Store>,
    acted: bool,
}

/// Arrivals in the order of positions; those of different partitions are kept apart.
type Queue = BTreeMap<(UnrolledPosition, GlobalLocationId, TracePartition), Vec<Arrival>>;

/// Where a block under construction is.
struct Here<'a> {
    position: &'a UnrolledPosition,
    id: GlobalLocationId,
    control: &'a GlobalLocation,
    thread: ThreadId,
    acted: bool,
    /// Where the block began.
    location: PartitionedLocationId,
}

/// Where there are partitions, up to this number of paths into a global location are not merged: each is mostly constants, and a choice between two values that
/// depend on each other (`token` and `local + 4`) hides it from everyone.
pub(super) const MAX_APART: usize = 4;
/// More controls than this are cut into several blocks.
const MAX_INNER: usize = 3_000;

/// All blocks met so far.
pub(super) struct Blocks {
    cache: FxHashMap<(PartitionedLocationId, ThreadId), Rc<Block>>,
    /// Where blocks without partitions stop.
    stops: FxHashMap<(GlobalLocationId, ThreadId), Rc<FxHashSet<GlobalLocationId>>>,
    /// Variables that stand for havocked values and choices.
    inputs: FxHashSet<Symbol>,
}

impl Block {
    /// The actions, in order, that the block takes to its edge `to` where `model` gives the values at its start.
    pub(super) fn path(&self, terms: &Terms, model: &Model, to: usize) -> Option<Vec<Vec<Cmd>>> {
        let mut known = FxHashMap::default();
        let mut path = Vec::new();
        let mut at = 0;
        loop {
            let taken =
                self.inner.get(at)?.iter().find(|s| terms.eval_with(s.taken, model, &mut known).truth())?;
            path.push(taken.commands.clone());
            match taken.to {
                Target::Inner(next) => at = next,
                Target::Edge(edge) if edge == to => return Some(path),
                Target::Edge(_) | Target::Open => return None,
            }
        }
    }

    /// A block of nothing but these commands.
    pub(super) fn plain(
        blocks: &mut Blocks,
        terms: &mut Terms,
        commands: Vec<Cmd>,
        location: impl FnOnce(&Store) -> (GlobalLocationId, PartitionedLocationId),
    ) -> Block {
        let (guard, store) = blocks.run(terms, &Tracked::default(), &Store::default(), &commands);
        let step = BlockStep { taken: guard, commands, to: Target::Edge(0) };
        let (control, location) = location(&store);
        let edge = BlockEdge { guard, store, control, location, kind: SuccessorKind::Continue };
        Block {
            thread: ThreadId::MAIN,
            partition: Rc::default(),
            edges: vec![edge],
            inner: vec![vec![step]],
            symbols: Vec::new(),
        }
    }

    /// Commands that make the partition: nothing changes where the block begins, but who looks at commands alone sees it.
    pub(super) fn enter(&self) -> impl Iterator<Item = Cmd> + '_ {
        self.partition.iter().map(|(x, value)| Cmd::Assign(*x, *value))
    }

    /// The variables that decide which way the block goes.
    pub(super) fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }
}

impl Blocks {
    /// No blocks yet.
    pub(super) fn new() -> Self {
        Self { cache: FxHashMap::default(), stops: FxHashMap::default(), inputs: FxHashSet::default() }
    }

    /// Forgets all blocks, but not which symbols are inputs.
    pub(super) fn clear(&mut self) {
        self.cache.clear();
    }

    /// Returns true if a symbol is an input of a block, not a state variable.
    pub(super) fn is_input(&self, symbol: Symbol) -> bool {
        self.inputs.contains(&symbol)
    }

    /// The block of a thread at a control.
    pub(super) fn of(
        &mut self,
        maker: &mut Maker<'_, '_>,
        at: PartitionedLocationId,
        thread: ThreadId,
    ) -> Result<Rc<Block>, Interrupt> {
        if let Some(known) = self.cache.get(&(at, thread)) {
            return Ok(Rc::clone(known));
        }
        let block = Rc::new(self.make(maker, at, thread)?);
        self.cache.insert((at, thread), Rc::clone(&block));
        Ok(block)
    }

    /// Where a thread stops when it moves on from a location, in whatever partition: the proof knows no partitions of steps.
    pub(super) fn stops(
        &mut self,
        maker: &mut Maker<'_, '_>,
        at: PartitionedLocationId,
        thread: ThreadId,
    ) -> Result<Rc<FxHashSet<GlobalLocationId>>, Interrupt> {
        let location = at;
        let at = maker.locations.control(location);
        if let Some(known) = self.stops.get(&(at, thread)) {
            return Ok(Rc::clone(known));
        }
        let going = |block: &Block| -> Rc<FxHashSet<GlobalLocationId>> {
            Rc::new(
                block.edges.iter().filter(|e| e.kind == SuccessorKind::Continue).map(|e| e.control).collect(),
            )
        };
        if maker.tracked.is_empty() {
            let stops = going(&*self.of(maker, location, thread)?);
            self.stops.insert((at, thread), Rc::clone(&stops));
            return Ok(stops);
        }
        let (mut locations, tracked) = (PartitionedLocations::default(), Tracked::default());
        let location = locations.intern(at, Rc::default());
        let mut plain = Maker {
            encoder: &mut *maker.encoder,
            edges: &mut *maker.edges,
            orders: maker.orders,
            terms: &mut *maker.terms,
            locations: &mut locations,
            tracked: &tracked,
            budget: maker.budget,
        };
        let block = self.make(&mut plain, location, thread)?;
        let stops = going(&block);
        self.stops.insert((at, thread), Rc::clone(&stops));
        Ok(stops)
    }

    fn make(
        &mut self,
        maker: &mut Maker<'_, '_>,
        at: PartitionedLocationId,
        thread: ThreadId,
    ) -> Result<Block, Interrupt> {
        let location = at;
        let (at, partition) = (maker.locations.control(at), Rc::clone(maker.locations.partition(at)));
        let stops = if maker.tracked.is_empty() { None } else { Some(self.stops(maker, location, thread)?) };
        let mut block = Block {
            thread,
            partition: Rc::clone(&partition),
            edges: Vec::new(),
            inner: Vec::new(),
            symbols: Vec::new(),
        };
        let position = maker.orders.initial(maker.edges.control(at));
        let store = Rc::new(partition.iter().copied().collect());
        let start = Arrival { from: None, guard: maker.terms.tt(), store, acted: false };
        let mut queue = Queue::new();
        queue.insert((position, at, partition), vec![start]);
        while let Some(((position, id, partition), arrivals)) = queue.pop_first() {
            maker.budget.check()?;
            let control = Arc::clone(maker.edges.control(id));
            let acted = arrivals.iter().any(|a| a.acted);
            let is_start = block.inner.is_empty();
            let (goes_on, outcomes) = match &stops {
                _ if is_start => (true, maker.encoder.successors(maker.terms, &control, thread)),
                Some(stops) if stops.contains(&id) => (false, Vec::new()),
                Some(_) if block.inner.len() >= MAX_APART * MAX_INNER => {
                    return Err(Interrupt::AttemptGivenUp);
                }
                Some(_) => (true, maker.encoder.successors(maker.terms, &control, thread)),
                None => maker.successors(&control, thread, acted, block.inner.len() >= MAX_INNER),
            };
            for group in maker.groups(arrivals) {
                let to =
                    if goes_on { Target::Inner(block.inner.len()) } else { Target::Edge(block.edges.len()) };
                block.arrive(&group, to);
                let (guard, store) = merge(maker.terms, &group);
                if goes_on {
                    let here = Here { position: &position, id, control: &control, thread, acted, location };
                    let steps = self.steps(maker.terms, maker.tracked, guard, &store, outcomes.clone());
                    here.pass(maker, &mut block, &mut queue, steps);
                } else {
                    let location = maker.locations.intern(id, Rc::clone(&partition));
                    let kind = SuccessorKind::Continue;
                    block.edges.push(BlockEdge { guard, store, control: id, location, kind });
                }
            }
        }
        let conditions: Vec<Term> = block.inner.iter().flatten().map(|s| s.taken).collect();
        let subterms = maker.terms.subterms(&conditions);
        block.symbols = subterms.into_iter().filter_map(|t| maker.terms.as_var(t)).collect();
        Ok(block)
    }

    /// The outcomes of an action with the condition under which, and the state in which, each of them arrives.
    fn steps(
        &mut self,
        terms: &mut Terms,
        tracked: &Tracked,
        guard: Term,
        store: &Store,
        outcomes: Vec<Successor>,
    ) -> Vec<(Term, Store, Successor)> {
        let mut all: Vec<(Term, Store, Successor)> = Vec::new();
        for outcome in outcomes {
            let (condition, after) = self.run(terms, tracked, store, &outcome.block);
            if terms.as_bool(condition) != Some(false) {
                all.push((condition, after, outcome));
            }
        }
        let mut rest = terms.tt();
        for n in 0..all.len() {
            let later: Vec<Term> = all[n + 1..].iter().map(|(c, ..)| *c).collect();
            let apart = later.into_iter().all(|c| {
                let both = terms.and2(all[n].0, c);
                terms.as_bool(both) == Some(false)
            });
            let mut chosen = rest;
            if !apart {
                let choice = self.input(terms, "choice", Sort::Bool);
                chosen = terms.and2(chosen, choice);
                let other = terms.not(choice);
                rest = terms.and2(rest, other);
            }
            all[n].0 = terms.and(&[guard, all[n].0, chosen]);
        }
        all
    }

    fn input(&mut self, terms: &mut Terms, hint: &str, sort: Sort) -> Term {
        let input = terms.fresh(hint, sort);
        self.inputs.extend(terms.as_var(input));
        input
    }

    /// The condition under which commands can be executed, and the state after them.
    fn run(
        &mut self,
        terms: &mut Terms,
        tracked: &Tracked,
        store: &Store,
        commands: &[Cmd],
    ) -> (Term, Store) {
        let mut store = store.clone();
        let mut conditions = Vec::new();
        for cmd in commands {
            match *cmd {
                Cmd::Assume(guard) => {
                    conditions.push(terms.substitute(guard, &store));
                    tracked.learn(terms, guard, &mut store);
                }
                Cmd::Assign(x, value) => {
                    let value = terms.substitute(value, &store);
                    store.insert(x, value);
                }
                Cmd::Havoc(x) => {
                    let sort = terms.sort(terms.var_of(x));
                    let input = self.input(terms, "in", sort);
                    store.insert(x, input);
                }
            }
        }
        (terms.and(&conditions), store)
    }
}

impl Block {
    /// An end that is no control; equal ends are one edge.
    fn end(
        &mut self,
        maker: &mut Maker<'_, '_>,
        from: Option<(usize, usize)>,
        guard: Term,
        kind: SuccessorKind,
        at: (GlobalLocationId, PartitionedLocationId),
    ) {
        let same = self.edges.iter().position(|e| e.kind == kind);
        let edge = same.unwrap_or(self.edges.len());
        match same {
            Some(n) => self.edges[n].guard = maker.terms.or2(self.edges[n].guard, guard),
            None => {
                let (control, store, location) = (at.0, Store::default(), at.1);
                self.edges.push(BlockEdge { guard, store, control, location, kind });
            }
        }
        self.lead(from, Target::Edge(edge));
    }

    fn arrive(&mut self, arrivals: &[Arrival], to: Target) {
        for arrival in arrivals {
            self.lead(arrival.from, to);
        }
    }

    fn lead(&mut self, from: Option<(usize, usize)>, to: Target) {
        if let Some((inner, step)) = from {
            self.inner[inner][step].to = to;
        }
    }
}

impl Here<'_> {
    /// Passes an action: its outcomes arrive elsewhere.
    fn pass(
        &self,
        maker: &mut Maker<'_, '_>,
        block: &mut Block,
        queue: &mut Queue,
        steps: Vec<(Term, Store, Successor)>,
    ) {
        let (control, thread) = (self.control, self.thread);
        let was_acting = self.acted || maker.acts(control, thread);
        let from = block.inner.len();
        block.inner.push(Vec::new());
        for (n, (taken, store, outcome)) in steps.into_iter().enumerate() {
            let Successor { block: commands, control: after, kind } = outcome;
            block.inner[from].push(BlockStep { taken, commands, to: Target::Open });
            let way = Some((from, n));
            if kind != SuccessorKind::Continue {
                block.end(maker, way, taken, kind, (self.id, self.location));
                continue;
            }
            let acted = was_acting || is_alone(control) && !is_alone(&after);
            let next = maker.orders.next(self.position, control, thread, &after);
            let store = Rc::new(maker.forget(store, control, &after, thread));
            let after = maker.edges.intern(after);
            let partition = maker.tracked.partition(&store);
            let arrival = Arrival { from: way, guard: taken, store, acted };
            queue.entry((next, after, partition)).or_default().push(arrival);
        }
    }
}

/// One state for all ways into a control.
fn merge(terms: &mut Terms, arrivals: &[Arrival]) -> (Term, Store) {
    if let [only] = arrivals {
        return (only.guard, (*only.store).clone());
    }
    let guards: Vec<Term> = arrivals.iter().map(|a| a.guard).collect();
    let mut symbols: Vec<Symbol> = arrivals.iter().flat_map(|a| a.store.keys().copied()).collect();
    symbols.sort_unstable();
    symbols.dedup();
    let mut store = Store::default();
    for symbol in symbols {
        let value = |a: &Arrival, terms: &Terms| {
            a.store.get(&symbol).copied().unwrap_or_else(|| terms.var_of(symbol))
        };
        let mut merged = value(&arrivals[arrivals.len() - 1], terms);
        for arrival in arrivals[..arrivals.len() - 1].iter().rev() {
            let value = value(arrival, terms);
            merged = terms.ite(arrival.guard, value, merged);
        }
        store.insert(symbol, merged);
    }
    (terms.or(&guards), store)
}
