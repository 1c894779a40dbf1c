//! One thread, run alone: what it does if its reads of shared memory return given values, and what that depends on.
//!
//! Under a weak memory model an execution is no sequence of states, but what a thread does is determined by the values of its reads. A
//! [`Runner`] has a state of its own, in which all memory that threads share is indeterminate (`program::interp`, module `alone`).
//! [`Runner::attempt`] takes a step; when it meets a read of shared memory, the caller has to say what is read. The visible parts
//! of the step are its [`Effect`]s, each with the reads that its address and its value were computed from.
//!
//! The engine over execution graphs and its checker share this module: it is part of the trusted base, and is guarded by tests that
//! compare whole verdicts with published ones.

use crate::Analysis;
use crate::analysis::footprint::{Kind, footprints};
use crate::encoding::objects::site_of;
use base::Inconclusive;
use base::convert::index;
use program::interp::{
    Choice, Chooser, Event, Flow, Identity, Interp, Observer, Place, State, StepResult, ThreadId,
};
use program::memory_model::{Barrier, ReadModifyWrite};
use program::{Action, Expr, Op, Order, VarId, Width};
use std::collections::HashMap;
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
    /// The register that says whether a compare-and-exchange has succeeded, right after it: the first branch on it is part of the
    /// operation itself (the expected value is written back), for which machines need no branch.
    exchanged: Option<VarId>,
    frames: Vec<Arc<HashMap<VarId, Taint>>>,
    memory: Arc<HashMap<(Identity, u64), Taint>>,
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
}

impl<'a, 'p> Sharing<'a, 'p> {
    /// As the analysis says.
    pub fn new(analysis: &'a Analysis<'p>) -> Self {
        Self { analysis }
    }

    /// Returns true if threads share this object, and some of them write it.
    pub fn is_shared(&self, object: Identity) -> bool {
        self.analysis.threads.is_contended(site_of(object))
    }
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
        Self { thread, state, before, branches, exchanged: None, frames, memory: Arc::new(HashMap::new()) }
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
            evaluated: evaluations(&recorder.0).into_iter(),
            assigned: HashMap::new(),
            read: HashMap::new(),
            reads_made: 0,
            effects: Vec::new(),
        };
        let effects = interpreter.effects(&recorder.0, &runner)?;
        runner.exchanged = match action {
            Some(Action::Ops { ops, .. }) => {
                ReadModifyWrite::of(ops).and_then(|rmw| rmw.stores_if).and_then(|cond| match cond {
                    Expr::Reg(var, _) => Some(*var),
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
        (self.before, self.branches) = (0, 0);
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

/// An expression that was evaluated, and what it read of memory, in order: where, what, and how ordered.
type Evaluation = (Flow, Vec<(Cell, u128, Order)>);

/// Makes sense of the events of one step.
struct Interpreter<'a, 'p> {
    interp: &'a Interp<'p>,
    action: Option<&'p Action>,
    runner: &'a Runner,
    is_shared: &'a dyn Fn(Identity) -> bool,
    /// The expressions that were evaluated, in order, with what they read of memory.
    evaluated: std::vec::IntoIter<Evaluation>,
    /// The registers that this step has set so far.
    assigned: HashMap<VarId, Sources>,
    /// The cells that this step has read and not written since, with the number of the read: a transaction reads a cell once.
    read: HashMap<Place, usize>,
    reads_made: usize,
    effects: Vec<Effect>,
}

impl<'p> Interpreter<'_, 'p> {
    fn effects(mut self, events: &[Event], after: &Runner) -> Result<Vec<Effect>, Inconclusive> {
        match self.action {
            Some(Action::Ops { ops, .. }) => self.operations(ops, events, after)?,
            Some(Action::Branch { cond: Expr::Reg(var, _), .. }) if self.runner.exchanged == Some(*var) => {
                drop(self.next());
            }
            Some(Action::Branch { .. }) => self.branch(),
            Some(Action::Call { args, .. }) => {
                let given: Vec<Sources> = args.iter().map_while(|_| self.next()).collect();
                if let Some(Event::Called { func }) =
                    events.iter().find(|e| matches!(e, Event::Called { .. }))
                {
                    let params = self.interp.program().functions[*func].params.iter().copied();
                    self.effects.push(Effect::Call(params.zip(given).collect()));
                }
            }
            Some(Action::Return(value)) => {
                let sources = value.as_ref().and_then(|_| self.next()).unwrap_or_default();
                self.effects.push(Effect::Return(self.result_register(), sources));
            }
            Some(Action::ThreadExit(_)) => drop(self.next()),
            Some(Action::Exit | Action::Error { .. } | Action::Unsupported(_) | Action::Undefined(_))
            | None => {}
        }
        for event in events {
            match event {
                Event::Started { thread, .. } => self.effects.push(Effect::Start(*thread)),
                Event::Joined { thread } => self.effects.push(Effect::Join(*thread)),
                Event::Allocated { object, size } => self.effects.push(Effect::Allocate(*object, *size)),
                Event::Copied { dst, src, .. } if self.touches(dst) || self.touches(src) => {
                    return Err(unsupported("copying shared memory"));
                }
                Event::Filled { dst, .. } if self.touches(dst) => {
                    return Err(unsupported("filling shared memory"));
                }
                _ => {}
            }
        }
        Ok(self.effects)
    }

    fn operations(&mut self, ops: &'p [Op], events: &[Event], after: &Runner) -> Result<(), Inconclusive> {
        let conditional = ReadModifyWrite::of(ops);
        let stores = conditional.as_ref().is_none_or(|rmw| self.stores(rmw, after));
        let mut writes = events.iter().filter_map(|event| match event {
            Event::Write { place: Place::Memory { object, offset }, value, width, order, .. } => {
                Some((Cell { object: *object, offset: *offset, width: *width }, value.unwrap_or(0), *order))
            }
            _ => None,
        });
        for (n, op) in ops.iter().enumerate() {
            if let Op::Store { .. } = op {
                let omitted = !stores && conditional.as_ref().is_some_and(|rmw| rmw.store_at == n);
                let (address, data) = (self.next(), self.next());
                if let (Some(address), Some(data), Some((cell, value, order))) =
                    (address, data, writes.next())
                {
                    self.read.remove(&Place::Memory { object: cell.object, offset: cell.offset });
                    if !(self.is_shared)(cell.object) {
                        self.effects.push(Effect::Assign(Target::Memory(cell.object, cell.offset), data));
                    } else if !omitted {
                        self.effects.push(Effect::Write { cell, value, order, address, data });
                    }
                }
            } else {
                self.operation(op)?;
            }
        }
        Ok(())
    }

    /// An operation other than a store.
    fn operation(&mut self, op: &'p Op) -> Result<(), Inconclusive> {
        match op {
            Op::Store { .. } | Op::WaitEnd { .. } | Op::Signed { .. } => {}
            Op::Set { var, .. } => {
                if let Some(sources) = self.next() {
                    self.assign(*var, sources);
                }
            }
            Op::Guard(_) | Op::Assume(_) => self.branch(),
            Op::Havoc { var } | Op::Forget { var, .. } => self.assign(*var, Sources::default()),
            Op::Alloc { var, .. } => {
                self.next();
                self.assign(*var, Sources::default());
            }
            Op::Copy { .. } | Op::Fill { .. } => (0..3).for_each(|_| drop(self.next())),
            Op::Create { handle, .. } => {
                (0..2).for_each(|_| drop(self.next()));
                self.assign(*handle, Sources::default());
            }
            Op::Join { .. } | Op::Detach { .. } | Op::Free(_) | Op::WaitBegin(_) | Op::Signal { .. } => {
                drop(self.next())
            }
            Op::Realloc { .. } => return Err(unsupported("realloc")),
            Op::AtomicBegin | Op::AtomicEnd => return Err(unsupported("an atomic section")),
            Op::Fence(barrier) => self.effects.push(Effect::Fence(*barrier)),
        }
        Ok(())
    }

    fn assign(&mut self, var: VarId, sources: Sources) {
        self.assigned.insert(var, sources.clone());
        self.effects.push(Effect::Assign(Target::Register(var), sources));
    }

    fn branch(&mut self) {
        if let Some(sources) = self.next() {
            self.effects.push(Effect::Branch(sources));
        }
    }

    fn touches(&self, place: &Place) -> bool {
        matches!(place, Place::Memory { object, .. } if (self.is_shared)(*object))
    }

    /// The register of the caller that gets the result of the innermost call.
    fn result_register(&self) -> Option<VarId> {
        let thread = self.runner.state.thread(self.runner.thread)?;
        let caller = thread.frames().rev().nth(1)?;
        match &self.interp.program().functions[caller.func()].locations[caller.loc()].action {
            Action::Call { ret, .. } => *ret,
            _ => None,
        }
    }

    /// Returns true if a read-modify-write wrote.
    fn stores(&self, rmw: &ReadModifyWrite<'_>, after: &Runner) -> bool {
        let condition = |cond: &Expr| self.interp.value_of(&after.state, after.thread, cond);
        rmw.stores_if.is_none_or(|cond| condition(cond) != Some(0))
    }

    /// What the value of the next expression was computed from; its reads of shared memory are effects.
    fn next(&mut self) -> Option<Sources> {
        let (flow, reads) = self.evaluated.next()?;
        // Which read of this step a place was, if it is shared.
        let mut numbers: HashMap<Place, usize> = HashMap::new();
        let mut addresses: HashMap<Place, Sources> = HashMap::new();
        for (load, (cell, value, order)) in flow.loads.iter().zip(reads) {
            let address = self.sources(&load.address, &[], &numbers, &addresses);
            if !(self.is_shared)(cell.object) {
                addresses.insert(load.place, address);
            } else if let Some(number) = self.read.get(&load.place) {
                numbers.insert(load.place, *number);
            } else {
                numbers.insert(load.place, self.reads_made);
                self.read.insert(load.place, self.reads_made);
                self.reads_made += 1;
                self.effects.push(Effect::Read { cell, value, order, address });
            }
        }
        Some(self.sources(&flow.data, &flow.control, &numbers, &addresses))
    }

    fn sources(
        &self,
        data: &[Place],
        control: &[Place],
        numbers: &HashMap<Place, usize>,
        addresses: &HashMap<Place, Sources>,
    ) -> Sources {
        let mut sum = Sources::default();
        for place in data {
            let source = self.source(*place, numbers);
            sum.known.data |= source.known.data;
            sum.known.control |= source.known.control;
            sum.reads.extend(source.reads);
            sum.control_reads.extend(source.control_reads);
            if let Some(address) = addresses.get(place) {
                sum.known.data |= address.known.data;
                sum.known.control |= address.known.control;
                sum.reads.extend(&address.reads);
            }
        }
        for place in control {
            let source = self.source(*place, numbers);
            sum.known.control |= source.known.data | source.known.control;
            sum.control_reads.extend(source.reads.into_iter().chain(source.control_reads));
        }
        sum
    }

    fn source(&self, place: Place, numbers: &HashMap<Place, usize>) -> Sources {
        if let Some(n) = numbers.get(&place) {
            return Sources { reads: vec![*n], ..Sources::default() };
        }
        match place {
            Place::Register { var, .. } if self.assigned.contains_key(&var) => self.assigned[&var].clone(),
            _ => Sources { known: self.runner.taint_of(place), ..Sources::default() },
        }
    }
}

/// The expressions that were evaluated, in order, with what each read of memory.
fn evaluations(events: &[Event]) -> Vec<Evaluation> {
    let mut found = Vec::new();
    let mut reads = Vec::new();
    for event in events {
        match event {
            Event::Read { place: Place::Memory { object, offset }, value, width, order } => {
                reads.push((Cell { object: *object, offset: *offset, width: *width }, *value, *order));
            }
            Event::Evaluated(flow) => found.push((flow.clone(), std::mem::take(&mut reads))),
            _ => {}
        }
    }
    found
}

/// Something that execution graphs have no meaning for.
pub fn unsupported(what: &str) -> Inconclusive {
    Inconclusive::Unsupported(format!("{what} under this memory model"))
}
