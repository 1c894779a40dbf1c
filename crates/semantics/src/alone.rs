//! One thread, run alone: what it does if its reads of shared memory return given values, and what that depends on.
//!
//! Under a weak memory model an execution is no sequence of states, but what a thread does is determined by the values of its reads. A
//! [`Runner`] has a state of its own, in which all memory that threads share is indeterminate (`program::interp`, module `alone`).
//! [`Runner::attempt`] takes a step; when it meets a read of shared memory, the caller has to say what is read. The visible parts
//! of the step are its [`Effect`]s, each with the reads that its address and its value were computed from.
//!
//! The engine over execution graphs and its checker share this module: it is part of the trusted base, and is guarded by tests that
//! compare whole verdicts with published ones.

mod future;
mod meaning;

pub use future::Futures;

use crate::Analysis;
use crate::analysis::Liveness;
use crate::analysis::Site;
use crate::analysis::footprint::{Kind, footprints};
use crate::encoding::objects::site_of;
use base::Inconclusive;
use base::convert::index;
use meaning::{Interpreter, evaluations};
use program::interp::{
    Choice, Chooser, Event, Identity, Interp, Observer, Place, State, StepResult, ThreadId,
};
use program::memory_model::{Barrier, ReadModifyWrite};
use program::{Action, Expr, MemoryModel, Op, Order, VarId, Width};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A set of events: bit `n` is event `n`.
pub type EventSet = u128;

/// A cell of memory that threads share.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cell {
    /// In this object
    pub object: Identity,
    /// at this offset,
    pub offset: u64,
    /// this wide.
    pub width: Width,
}

impl Cell {
    /// Returns true if the two have a byte in common.
    pub fn overlaps(&self, other: &Cell) -> bool {
        self.object == other.object
            && self.offset < other.offset + other.width.bytes()
            && other.offset < self.offset + self.width.bytes()
    }
}

/// The reads of shared memory that something was computed from.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Taint {
    /// That determine its value.
    pub data: EventSet,
    /// That determined which of several values it got.
    pub control: EventSet,
}

/// A thread with its own view of memory.
#[derive(Clone)]
pub struct Runner {
    /// Its identity.
    pub thread: ThreadId,
    /// Its state; shared memory is indeterminate unless it is the only thread.
    pub state: State,
    /// The events that come before its next one.
    pub before: EventSet,
    /// The reads that its branches depend on.
    pub branches: EventSet,
    /// The reads that addresses of its accesses to private memory depend on. Later writes are ordered after them, as machines do not make a write before it is known that no earlier access
    /// fails (`addr; po; [W]` in their models).
    pub addresses: EventSet,
    /// The compare-and-exchange that it has just made.
    exchanged: Option<Exchanged>,
    frames: Vec<Arc<HashMap<VarId, Taint>>>,
    memory: Arc<HashMap<(Identity, u64), Taint>>,
}

/// A compare-and-exchange. The first branch on its success is part of the operation itself: the expected value becomes what was read if it has failed. Compilers do that
/// without a branch, and always, because if it has succeeded that is the same value.
#[derive(Clone, Copy)]
struct Exchanged {
    /// The register that says whether it has succeeded,
    success: VarId,
    /// and the one with what it has read.
    old: VarId,
}

/// How a step went.
pub enum Attempt {
    /// A read of this cell needs a value.
    Reads(Cell),
    /// Something else is open: an input, or an indeterminate value of this width.
    Open(Width),
    /// The step was taken, or cannot be.
    Done(Box<Taken>),
}

/// A step that was taken.
pub struct Taken {
    /// How it ended.
    pub result: StepResult,
    /// The thread afterwards; its dependencies are not up to date until [`Taken::effects`] was asked.
    pub runner: Runner,
    /// What it did that matters to others or for dependencies, in order.
    pub effects: Vec<Effect>,
    /// Everything that happened.
    pub events: Vec<Event>,
}

/// Something that is visible to other threads.
#[derive(Clone, Debug)]
pub enum Effect {
    /// It read a shared cell: the n-th value that it was given. The events so far of this step are needed for what follows.
    Read {
        /// Which cell.
        cell: Cell,
        /// The value.
        value: u128,
        /// How ordered.
        order: Order,
        /// What its address depends on.
        address: Sources,
    },
    /// It wrote a shared cell.
    Write {
        /// Which cell.
        cell: Cell,
        /// The value.
        value: u128,
        /// How ordered.
        order: Order,
        /// What its address depends on.
        address: Sources,
        /// What its value depends on.
        data: Sources,
    },
    /// A fence.
    Fence(Barrier),
    /// A register, or private memory, got a value.
    Assign(Target, Sources),
    /// A branch was decided.
    Branch(Sources),
    /// Private memory was accessed at an address that was computed from this.
    Address(Sources),
    /// A function was called with these arguments.
    Call(Vec<(VarId, Sources)>),
    /// A call has ended; the register of the caller gets the value.
    Return(Option<VarId>, Sources),
    /// A thread was created.
    Start(ThreadId),
    /// A thread was joined.
    Join(ThreadId),
    /// An object was allocated.
    Allocate(Identity, u64),
}

/// Where a value goes that only this thread sees.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// A register of the innermost frame.
    Register(VarId),
    /// Memory.
    Memory(Identity, u64),
}

/// What a value was computed from: reads of this step by number, and what the thread knew before.
#[derive(Clone, Default, Debug)]
pub struct Sources {
    /// Known before.
    pub known: Taint,
    /// Reads of shared memory in this step, by number, that the value depends on.
    pub reads: Vec<usize>,
    /// Such reads that a choice depends on.
    pub control_reads: Vec<usize>,
}

/// Which memory is shared between threads.
pub struct Sharing<'a, 'p> {
    analysis: &'a Analysis<'p>,
    /// Static objects that order other accesses: see [`ordering`].
    ordering: BTreeSet<Site>,
    loses_order: bool,
    /// Whether what an overwritten store to private memory depends on still comes before writes that depend on a load behind it.
    commits_in_order: bool,
}

impl<'a, 'p> Sharing<'a, 'p> {
    /// As the analysis says.
    pub fn new(analysis: &'a Analysis<'p>, model: MemoryModel) -> Self {
        // A user's model may order by an access of any memory.
        let language = matches!(model, MemoryModel::C11 | MemoryModel::Sc);
        let mut ordering = if language { BTreeSet::new() } else { ordering(analysis) };
        if model == MemoryModel::Rmo {
            ordering.extend(written_statics(analysis));
        }
        let is_static =
            |site: &Site| matches!(site, Site::Static(id) if !analysis.program.objects[*id].thread_local);
        let (ordering, elsewhere): (BTreeSet<Site>, BTreeSet<Site>) =
            ordering.into_iter().partition(is_static);
        let loses_order = elsewhere.iter().any(|site| !analysis.threads.is_contended(*site));
        Self { analysis, ordering, loses_order, commits_in_order: model == MemoryModel::Power }
    }

    /// Returns true if accesses to memory of one thread, in its frames or on the heap, order others on the machine. That is lost, so that there are executions
    /// which the machine does not have.
    pub fn loses_order(&self) -> bool {
        self.loses_order
    }

    /// Returns true if threads share this object, and some of them write it, or if accesses to it order others.
    pub fn is_shared(&self, object: Identity) -> bool {
        let site = site_of(object);
        self.analysis.threads.is_contended(site) || self.ordering.contains(&site)
    }
}

/// The objects with accesses that machines order others by, although no other thread may access the object: on x86, every locked instruction is a fence. (In C11
/// an access orders others only if another thread reads from it.)
fn ordering(analysis: &Analysis<'_>) -> BTreeSet<Site> {
    let program = analysis.program;
    let mut found = BTreeSet::new();
    for (func, function) in program.functions.iter_enumerated() {
        for location in function.locations.iter() {
            let is_update = match &location.action {
                Action::Ops { ops, .. } => ReadModifyWrite::of(ops).is_some(),
                _ => false,
            };
            for footprint in footprints(function, &location.action) {
                let orders =
                    footprint.order > Order::Relaxed || is_update && footprint.order == Order::Relaxed;
                if orders {
                    let places = analysis.points_to.targets(func, &footprint.addr).places;
                    found.extend(places.into_iter().map(|(site, _)| site));
                }
            }
        }
    }
    found
}

/// The static objects that are written. A load that returns what its own thread has written is not ordered after that write by RMO, so that dependencies through memory are none: it
/// needs the events of memory that only one thread uses, too. (All other machines order such a load after what the write depends on.)
fn written_statics(analysis: &Analysis<'_>) -> BTreeSet<Site> {
    let mut found = BTreeSet::new();
    for (func, function) in analysis.program.functions.iter_enumerated() {
        for location in function.locations.iter() {
            let writes = footprints(function, &location.action).into_iter().filter(|f| f.kind == Kind::Write);
            for footprint in writes {
                let places = analysis.points_to.targets(func, &footprint.addr).places;
                found.extend(places.into_iter().map(|(site, _)| site));
            }
        }
    }
    let is_static =
        |site: &Site| matches!(site, Site::Static(id) if !analysis.program.objects[*id].thread_local);
    found.retain(is_static);
    found
}

/// Answers the questions of one step.
struct Script<'a, 'p> {
    sharing: &'a Sharing<'a, 'p>,
    reads: std::slice::Iter<'a, u128>,
    inputs: std::slice::Iter<'a, u128>,
    alone: bool,
    wanted: Option<Attempt>,
}

impl Chooser for Script<'_, '_> {
    fn choose(&mut self, width: Width, what: &Choice) -> Option<u128> {
        if let Choice::Waiter { .. } = what {
            return Some(0);
        }
        match what {
            Choice::Indeterminate(Place::Memory { object, offset })
                if !self.alone && self.sharing.is_shared(*object) =>
            {
                let value = self.reads.next().copied();
                if value.is_none() {
                    self.wanted = Some(Attempt::Reads(Cell { object: *object, offset: *offset, width }));
                }
                value
            }
            _ => {
                let value = self.inputs.next().copied();
                if value.is_none() {
                    self.wanted = Some(Attempt::Open(width));
                }
                value
            }
        }
    }
}

/// Collects what happens in a step.
#[derive(Default)]
struct Recorder(Vec<Event>);

impl Observer for Recorder {
    fn wants_flow(&self) -> bool {
        true
    }
    fn event(&mut self, event: Event) {
        self.0.push(event);
    }
}

impl Runner {
    /// A thread that is about to begin in `state`.
    pub fn new(thread: ThreadId, state: State, before: EventSet, branches: EventSet) -> Self {
        let frames = vec![Arc::new(HashMap::new())];
        let (addresses, exchanged, memory) = (0, None, Arc::new(HashMap::new()));
        Self { thread, state, before, branches, addresses, exchanged, frames, memory }
    }

    /// Takes a step in which reads of shared memory return `reads`, and what else is open is `inputs`. If the thread is alone,
    /// memory is as it is.
    pub fn attempt(
        &self,
        interp: &Interp<'_>,
        sharing: &Sharing<'_, '_>,
        reads: &[u128],
        inputs: &[u128],
        alone: bool,
    ) -> Result<Attempt, Inconclusive> {
        let mut runner = self.clone();
        let mut script = Script { sharing, reads: reads.iter(), inputs: inputs.iter(), alone, wanted: None };
        let mut recorder = Recorder::default();
        let action = self.action(interp);
        let result = interp.step(&mut runner.state, self.thread, &mut script, &mut recorder);
        if let (StepResult::NoChoice, Some(wanted)) = (&result, script.wanted) {
            return Ok(wanted);
        }
        let is_shared = |object: Identity| !alone && sharing.is_shared(object);
        let interpreter = Interpreter {
            interp,
            action,
            runner: self,
            is_shared: &is_shared,
            commits_in_order: sharing.commits_in_order,
            evaluated: evaluations(&recorder.0).into_iter(),
            assigned: HashMap::new(),
            read: HashMap::new(),
            reads_made: 0,
            effects: Vec::new(),
        };
        let effects = interpreter.effects(&recorder.0, &runner)?;
        runner.exchanged = match action {
            Some(Action::Ops { ops, .. }) => {
                ReadModifyWrite::of(ops).and_then(|rmw| match (rmw.stores_if, rmw.old) {
                    (Some(Expr::Reg(success, _)), Some(old)) => Some(Exchanged { success: *success, old }),
                    _ => None,
                })
            }
            _ => None,
        };
        if !alone {
            for effect in &effects {
                if let Effect::Read { cell, .. } | Effect::Write { cell, .. } = effect {
                    let unknown = vec![None; index(cell.width.bytes())];
                    interp.set_bytes(&mut runner.state, cell.object, cell.offset, &unknown);
                }
            }
        }
        Ok(Attempt::Done(Box::new(Taken { result, runner, effects, events: recorder.0 })))
    }

    /// What it does next.
    pub fn action<'p>(&self, interp: &Interp<'p>) -> Option<&'p Action> {
        let position = interp.position(&self.state, self.thread)?;
        Some(&interp.program().functions[position.func].locations[position.loc].action)
    }

    /// What the address of the only read of its next step depends on, if that reads shared memory once whatever the value is.
    pub fn next_address(&self, interp: &Interp<'_>, sharing: &Sharing<'_, '_>) -> Option<Taint> {
        let Ok(Attempt::Done(taken)) = self.attempt(interp, sharing, &[0], &[], false) else { return None };
        let address = taken.effects.iter().find_map(|effect| match effect {
            Effect::Read { address, .. } => Some(address),
            _ => None,
        })?;
        Some(address.resolve(&[]))
    }

    /// Returns true if it is about to join or detach a thread that its own state does not know: one that another thread has created since, or that
    /// was joined before.
    pub fn names_a_stranger(&self, interp: &Interp<'_>) -> bool {
        let Some(Action::Ops { ops, .. }) = self.action(interp) else { return false };
        let is_known = |handle: &Expr| {
            let handle = interp.value_of(&self.state, self.thread, handle);
            handle.is_some_and(|handle| interp.named(&self.state, handle).is_some())
        };
        ops.iter().any(|op| match op {
            Op::Join { handle, .. } | Op::Detach { handle, .. } => !is_known(handle),
            _ => false,
        })
    }

    /// Returns true if everything that the thread does later is ordered after what it reads next, in every model: all loads of its next action
    /// acquire.
    pub fn acquires_next(&self, interp: &Interp<'_>) -> bool {
        let Some(position) = interp.position(&self.state, self.thread) else { return false };
        let function = &interp.program().functions[position.func];
        let action = &function.locations[position.loc].action;
        if let Action::Ops { ops, .. } = action
            && let Some(rmw) = ReadModifyWrite::of(ops)
        {
            return rmw.order.acquires() && (rmw.stores_if.is_none() || rmw.failure.acquires());
        }
        let mut reads = footprints(function, action).into_iter().filter(|f| f.kind == Kind::Read);
        reads.all(|footprint| footprint.order.acquires())
    }

    /// Returns true if its next action is a read-modify-write that always stores, and after which everything else is ordered. One that stores what it has read
    /// changes nothing: if the thread comes back to the same state, the execution exists without the iteration, too. What others read from its store they can
    /// read from the store before it, which has the same value and is its neighbour in coherence order; and since the operation acquires, its thread's
    /// later accesses were ordered after that store anyway.
    pub fn exchanges_next(&self, interp: &Interp<'_>) -> bool {
        let Some(Action::Ops { ops, .. }) = self.action(interp) else { return false };
        ReadModifyWrite::of(ops).is_some_and(|rmw| rmw.order.acquires() && rmw.stores_if.is_none())
    }

    /// The thread without the registers that it will not read again: two visits of a loop's head that differ in nothing else are the same.
    pub fn essence(&self, sharing: &Sharing<'_, '_>) -> Runner {
        let liveness = &sharing.analysis.liveness;
        let mut essence = self.clone();
        Liveness::forget_dead(liveness, &mut essence.state, |_| true);
        let frames = self.state.thread(self.thread).into_iter().flat_map(|thread| thread.frames());
        let n_frames = essence.frames.len();
        for (n, (taints, frame)) in essence.frames.iter_mut().zip(frames).enumerate() {
            let of = &liveness[frame.func()];
            let live =
                if n + 1 == n_frames { of.live_at(frame.loc()) } else { of.live_during_call(frame.loc()) };
            if taints.keys().any(|var| !live.contains(*var)) {
                Arc::make_mut(taints).retain(|var, _| live.contains(*var));
            }
        }
        essence
    }

    /// Returns true if whatever depended on a read in `earlier`, the same thread when it was in the same state before, does so now, too, or depends on a later read that
    /// `replaces` it (the later one comes second). Only then does an execution without what the thread did in between have no more dependencies than the execution with it: a
    /// register can have the same value again, but have got it from somewhere else. Registers that are not read again should have been dropped from both ([`Runner::essence`]).
    ///
    /// A later read replaces an earlier one if the two access one cell and return one value, if the later one's address depends on everything that the earlier one's does, and if
    /// the thread does not write the cell in between. Then whatever is ordered before the earlier read is ordered before the later one, too: program order and fences, because it is later;
    /// its address, by the second condition; the write that it returns, because the later one returns the same write, or a write of another thread that coherence puts behind it and
    /// before which the earlier read comes (the third condition excludes that the later one is given its value inside its thread). So a path through the earlier read, in
    /// the execution without the iteration, is a path through the later one in the execution with it. Where loads of one cell can be reordered, the two have to return the same write.
    pub fn keeps_dependencies(&self, earlier: &Runner, replaces: &dyn Fn(usize, usize) -> bool) -> bool {
        let events = |set: EventSet| (0..128).filter(move |event| set >> event & 1 == 1);
        let covers = |old: EventSet, now: EventSet| {
            events(old & !now).all(|read| events(now & !earlier.before).any(|later| replaces(read, later)))
        };
        let kept = |old: &Taint, now: Option<&Taint>| {
            let now = now.copied().unwrap_or_default();
            covers(old.data, now.data) && covers(old.control, now.control)
        };
        let frames = earlier.frames.iter().zip(&self.frames);
        let mut registers = frames.flat_map(|(old, now)| old.iter().map(|(var, t)| (t, now.get(var))));
        let mut memory = earlier.memory.iter().map(|(place, t)| (t, self.memory.get(place)));
        registers.all(|(old, now)| kept(old, now)) && memory.all(|(old, now)| kept(old, now))
    }

    /// Goes on from the state after a step; what it did has to be applied one by one.
    pub fn follow(&mut self, taken: &Runner) {
        self.state = taken.state.clone();
        self.exchanged = taken.exchanged;
    }

    /// Takes note of what a value was computed from.
    pub fn assign(&mut self, target: Target, taint: Taint) {
        match target {
            Target::Register(var) => {
                let frame = self.frames.last_mut().expect("a running thread should have a frame");
                Arc::make_mut(frame).insert(var, taint);
            }
            Target::Memory(object, offset) => {
                Arc::make_mut(&mut self.memory).insert((object, offset), taint);
            }
        }
    }

    /// The reads that an event depends on by branches; those that addresses of private memory depend on are among them for a write, and for an instruction barrier of Arm. RMO orders
    /// nothing by them, and users' models know no events of private memory.
    pub fn control(&self, model: MemoryModel, is_write: bool, is_barrier: bool) -> EventSet {
        let ordered = match model {
            MemoryModel::Arm => is_write || is_barrier,
            MemoryModel::Power | MemoryModel::Riscv => is_write,
            _ => false,
        };
        if ordered { self.branches | self.addresses } else { self.branches }
    }

    /// Private memory was accessed at an address that depends on this.
    pub fn reach(&mut self, taint: Taint) {
        self.addresses |= taint.data;
    }

    /// A function was called.
    pub fn enter(&mut self, arguments: impl Iterator<Item = (VarId, Taint)>) {
        self.frames.push(Arc::new(arguments.collect()));
    }

    /// A call has ended.
    pub fn leave(&mut self, result: Option<VarId>, taint: Taint) {
        self.frames.pop();
        if let Some(var) = result
            && !self.frames.is_empty()
        {
            self.assign(Target::Register(var), taint);
        }
    }

    /// What was read so far matters no longer.
    pub fn forget_dependencies(&mut self) {
        (self.before, self.branches, self.addresses) = (0, 0, 0);
        self.memory = Arc::default();
        self.frames.iter_mut().for_each(|frame| *frame = Arc::default());
    }

    fn taint_of(&self, place: Place) -> Taint {
        match place {
            Place::Register { var, .. } => {
                self.frames.last().and_then(|frame| frame.get(&var)).copied().unwrap_or_default()
            }
            Place::Memory { object, offset } => {
                self.memory.get(&(object, offset)).copied().unwrap_or_default()
            }
        }
    }
}

impl Sources {
    /// Returns true if nothing that other threads may write is among it.
    fn is_constant(&self) -> bool {
        self.known == Taint::default() && self.reads.is_empty() && self.control_reads.is_empty()
    }

    /// This, and what `other` was computed from.
    fn and(mut self, other: &Sources) -> Self {
        self.known.data |= other.known.data;
        self.known.control |= other.known.control;
        self.reads.extend(&other.reads);
        self.control_reads.extend(&other.control_reads);
        self
    }

    /// The reads that it stands for, if the reads of this step are these events.
    pub fn resolve(&self, events: &[usize]) -> Taint {
        let set = |numbers: &[usize]| {
            numbers.iter().filter_map(|n| events.get(*n)).fold(0, |set: EventSet, event| set | 1 << event)
        };
        Taint {
            data: self.known.data | set(&self.reads),
            control: self.known.control | set(&self.control_reads),
        }
    }
}

/// Something that execution graphs have no meaning for.
pub fn unsupported(what: &str) -> Inconclusive {
    Inconclusive::Unsupported(format!("{what} under this memory model"))
}
