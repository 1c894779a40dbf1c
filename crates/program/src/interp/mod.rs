//! The concrete interpreter. It *is* the semantics: what a program means is what this module does with it.
//!
//! An [`Interp`] holds a program and gives names to what comes to life in it; a [`State`] is a value.
//! [`Interp::step`] lets one thread take one step. What the program leaves open (the schedule, inputs, values of
//! uninitialised memory, who is woken by a signal) is decided from outside: the schedule by the caller of `step`, all
//! else by a [`Chooser`]. So a run is determined by a list of threads and a list of answers, and can be repeated.
//!
//! | question | answered by |
//! |---|---|
//! | what does an operation on values mean? | [`value`] |
//! | which objects and threads are the same in two runs? | `identity` |
//! | what becomes of pointers to variables of earlier calls? | `dangling` |
//! | what are an object's bytes? | `memory` |
//! | what determines how a run goes on? | `state` |
//! | what is the value of an expression, what is at an address? | `eval` |
//! | what does an action do? an operation? | `step`, `ops`, `threads` |
//! | what has not reached memory yet (TSO, PSO)? | `buffers` |
//! | what is a data race? a leak? | `races`, `leaks` |
//! | what does one thread do if its reads return given values? which reads does a value depend on? | `alone`, `flow` |
//!
//! # Choices of this semantics
//! - **Transactions.** All operations of an action happen, or none: if one blocks, the state is as before. Lowering
//!   puts blocking operations first; where they come later, enabledness is found out on a copy of the state. If a value
//!   has to be chosen before that (an input, a waiter), the thread counts as enabled, so that a deadlock behind it would be
//!   missed: a transaction that blocks should choose in another one.
//! - **Indeterminate values** are chosen when they are first read and then stored, so that all reads agree;
//!   [`Op::Copy`](crate::Op::Copy) moves them unread. A thread whose guard reads something indeterminate is enabled;
//!   if the chosen value makes the guard false, the choice alone is the step ([`StepResult::Blocked`]) and the thread is
//!   disabled from then on. So no deadlock is hidden behind an uninitialised lock.
//! - **Addresses** are numbers. Objects are kept apart by gaps, but a pointer that is moved from one object into another
//!   by arithmetic (undefined in C) refers to the other.
//! - **Wake-ups.** A wait can end for no reason ([`Wakeups::Spurious`]). For safety all such runs count. A state in
//!   which *only* spurious wake-ups are possible is a deadlock nevertheless ([`Interp::is_deadlock`]).
//! - **Atomic sections.** If the thread inside one blocks, no thread can move: such an execution does not count, it is no deadlock
//!   ([`Interp::is_blocked_in_atomic`]). A thread that ends inside one leaves it.
//! - **Threads** that were joined, or that are detached and finished, are forgotten; their handles name no thread. When the
//!   main thread returns the program ends, and also when the last thread finishes.
//! - **Bounds** ([`Limits`]) end a run with [`StepResult::Bound`], never silently.

mod alone;
mod bits;
mod buffers;
mod dangling;
mod decisions;
mod eval;
mod event;
mod flow;
mod identity;
mod leaks;
mod memory;
mod ops;
mod races;
mod state;
mod step;
mod threads;
pub mod value;
mod waiting;

#[cfg(test)]
mod tests;

pub use buffers::{BufferedStore, loop_heads};
pub use event::{Choice, Chooser, Event, NoChooser, NoObserver, Observer, Place};
pub use flow::{Flow, Load};
pub use identity::{Identities, Identity, Origin, Site, Slot, ThreadId, gap};
pub use races::MemoryAccess;
pub use state::{Frame, State, Status, Thread};
pub use step::StepResult;
pub use waiting::Awaited;

use crate::{Action, DataModel, Expr, FuncId, LocId, Object, ObjectId, Program, RelocTarget, VarKind, Width};
use base::convert::index;
use base::{IdxVec, Inconclusive, Span};
use buffers::{FlushPoints, Private};
use identity::Interner;
use memory::{Content, Memory};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

/// Which ends of a wait count as possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wakeups {
    /// All: a wait can end for no reason.
    Spurious,
    /// Signals and time-outs.
    OnlySignalled,
}

/// How much a run may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Nested calls of a thread.
    pub frames: usize,
    /// Threads that have not finished.
    pub threads: usize,
    /// Bytes of a single allocation.
    pub allocation: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { frames: 10_000, threads: 1_000, allocation: 1 << 30 }
    }
}

/// Interprets one program.
pub struct Interp<'p> {
    program: &'p Program,
    limits: Limits,
    interner: RefCell<Interner>,
    initial: State,
    /// What no other thread can access; empty where that is not needed.
    private: Private,
    /// For each variable whether its address is used for more than accesses by name, by function.
    memory_variables: RefCell<FxHashMap<FuncId, Rc<[dangling::Uses]>>>,
    /// Where stores can leave their buffers; empty where there are none.
    flush_points: FlushPoints,
}

impl<'p> Interp<'p> {
    /// An interpreter with the default limits.
    pub fn new(program: &'p Program) -> Result<Self, Inconclusive> {
        Self::with_limits(program, Limits::default())
    }

    /// An interpreter with its own limits.
    pub fn with_limits(program: &'p Program, limits: Limits) -> Result<Self, Inconclusive> {
        let nothing = State { memory: Memory::default(), threads: Vec::new(), atomic: None, ended: false };
        let interner = RefCell::new(Interner::new(program));
        let (private, flush_points) = match program.memory_model.has_buffers() {
            true => {
                let private = Private::of(program);
                let flush_points = FlushPoints::of(program, &private);
                (private, flush_points)
            }
            false => (Private::default(), FlushPoints::default()),
        };
        let (initial, memory_variables) = (nothing.clone(), RefCell::default());
        let mut interp = Self { program, limits, interner, initial, private, memory_variables, flush_points };
        let mut state = nothing;
        let shared = program.objects.ids().filter(|id| !program.objects[*id].thread_local);
        let shared: Vec<ObjectId> = shared.collect();
        // All addresses come first, because initialisers can refer to later objects.
        for object in &shared {
            interp.slot(Identity::Static(*object))?;
        }
        for object in &shared {
            interp.bring_to_life(&mut state, Identity::Static(*object), &program.objects[*object])?;
        }
        interp.start(&mut state, ThreadId::MAIN, program.entry, &[])?;
        interp.initial = state;
        Ok(interp)
    }

    /// An interpreter in which the `known` identities have the numbers that they had where `known` comes from, so that
    /// states from there can be taken over.
    pub fn with_identities(
        program: &'p Program,
        limits: Limits,
        known: &Identities,
    ) -> Result<Self, Inconclusive> {
        let interp = Self::with_limits(program, limits)?;
        interp.interner.borrow_mut().adopt(program, known)?;
        Ok(interp)
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }
    /// How much a run may use.
    pub fn limits(&self) -> Limits {
        self.limits
    }
    /// Where every run starts.
    pub fn initial(&self) -> State {
        self.initial.clone()
    }
    /// All identities that have been given numbers so far.
    pub fn identities(&self) -> Identities {
        self.interner.borrow().identities()
    }

    /// Returns true if `thread` can take a step: it has not finished, no other thread is in an atomic section, and its next
    /// action does not block or a store can leave its buffer. Changes nothing.
    pub fn enabled(&self, state: &State, thread: ThreadId, wakeups: Wakeups) -> bool {
        match self.next_action(state, thread) {
            None => false,
            Some(_) if state.thread(thread).is_some_and(Thread::has_buffered) => true,
            Some(Action::Ops { ops, .. }) => !self.blocks(state, thread, ops, wakeups),
            Some(_) => true,
        }
    }

    /// The threads that can take a step, sorted by id.
    pub fn runnable(&self, state: &State, wakeups: Wakeups) -> Vec<ThreadId> {
        state.threads().map(|(id, _)| id).filter(|id| self.enabled(state, *id, wakeups)).collect()
    }

    /// Returns true if threads are left, none of them can move but by a spurious wake-up, and that is not the fault of an
    /// atomic section.
    pub fn is_deadlock(&self, state: &State) -> bool {
        !state.ended
            && state.threads().any(|(_, t)| !t.is_finished())
            && state.atomic.is_none()
            && state.threads().all(|(id, _)| !self.enabled(state, id, Wakeups::OnlySignalled))
    }

    /// Returns true if a thread is blocked inside an atomic section, so that no thread can ever move.
    pub fn is_blocked_in_atomic(&self, state: &State) -> bool {
        state.atomic_owner().is_some_and(|owner| !self.enabled(state, owner, Wakeups::OnlySignalled))
    }

    /// Where a thread is; nowhere once it has finished.
    pub fn position(&self, state: &State, thread: ThreadId) -> Option<Position> {
        let frame = state.thread(thread)?.top()?;
        let span = self.program.functions[frame.func].locations[frame.loc].span;
        Some(Position { func: frame.func, loc: frame.loc, span })
    }

    /// The address of an object, whether or not it is alive anywhere; it gets one if it is new.
    pub fn address(&self, identity: Identity) -> Result<u64, Inconclusive> {
        Ok(self.base(self.slot(identity)?))
    }

    /// How many bytes an allocation of `size` bytes takes up: that many, or, if the program does not say how many, as much as
    /// such an object can have at most. So the identity and the address of an object do not depend on inputs.
    pub fn room(&self, size: &Expr) -> u64 {
        let most = match self.program.data_model {
            DataModel::Ilp32 => 1 << 24,
            DataModel::Lp64 => 1 << 35,
        };
        size.as_const().map_or(most, |size| u64::try_from(size).unwrap_or(u64::MAX))
    }

    /// Where a thread comes from; nothing for the main thread.
    pub fn origin(&self, thread: ThreadId) -> Option<Origin> {
        self.interner.borrow().origin(thread)
    }

    /// The bytes of a shared static object; `None` is indeterminate. Nothing for thread-local objects.
    pub fn static_bytes(&self, state: &State, object: ObjectId) -> Vec<Option<u8>> {
        self.bytes(state, Identity::Static(object)).unwrap_or_default()
    }

    /// All objects that are alive.
    pub fn objects(&self, state: &State) -> Vec<Identity> {
        state.memory.slots().map(|slot| self.identity(slot)).collect()
    }

    /// The bytes of an object that is alive; `None` is indeterminate.
    pub fn bytes(&self, state: &State, object: Identity) -> Option<Vec<Option<u8>>> {
        let content = self.known_slot(object).and_then(|slot| state.memory.get(slot))?;
        Some(content.read(0, content.size()))
    }

    /// The heap objects that are alive.
    pub fn heap_objects(&self, state: &State) -> Vec<Identity> {
        let alive = state.memory.slots().map(|slot| self.identity(slot));
        alive.filter(|identity| matches!(identity, Identity::Heap { .. })).collect()
    }

    /// The place in memory that an address refers to, if it is in an object that is alive.
    pub fn place_at(&self, state: &State, address: u64) -> Option<Place> {
        let (slot, offset) = self.object_below(address)?;
        let content = state.memory.get(slot)?;
        (offset < content.size().max(1)).then(|| Place::Memory { object: self.identity(slot), offset })
    }

    /// The name of a place: `x`, `a+8`, `main::buf`, `heap@prog.c:12+4`.
    pub fn place_name(&self, place: Place) -> String {
        match place {
            Place::Register { func, var } => {
                let function = &self.program.functions[func];
                format!("{}::{}", function.name, function.vars[var].name)
            }
            Place::Memory { object, offset: 0 } => self.object_name(object),
            Place::Memory { object, offset } => format!("{}+{offset}", self.object_name(object)),
        }
    }

    /// The name of an object.
    pub fn object_name(&self, object: Identity) -> String {
        match object {
            Identity::Static(id) | Identity::ThreadLocal(id, _) => self.program.objects[id].name.clone(),
            Identity::Local { func, var, .. } => self.place_name(Place::Register { func, var }),
            Identity::Heap { site, .. } => format!("heap@{}", self.site_name(site)),
            Identity::Alloca { site, .. } => format!("alloca@{}", self.site_name(site)),
        }
    }

    fn site_name(&self, site: Site) -> String {
        let function = &self.program.functions[site.func];
        let span = function.locations[site.loc].span;
        if span.is_somewhere() { span_name(self.program, span) } else { function.name.clone() }
    }
}

/// Where a thread is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// In this function
    pub func: FuncId,
    /// at this location,
    pub loc: LocId,
    /// which comes from here.
    pub span: Span,
}

/// A span as `file:line`, or `an unknown place`.
pub fn span_name(program: &Program, span: Span) -> String {
    match program.files.get(span.file) {
        Some(file) if span.is_somewhere() => format!("{file}:{}", span.line),
        _ => "an unknown place".to_owned(),
    }
}

/// Lives of objects, frames and threads.
impl Interp<'_> {
    /// A thread begins at `func`.
    fn start(
        &self,
        state: &mut State,
        thread: ThreadId,
        func: FuncId,
        args: &[u128],
    ) -> Result<(), Inconclusive> {
        for (id, object) in self.program.objects.iter_enumerated().filter(|(_, o)| o.thread_local) {
            self.bring_to_life(state, Identity::ThreadLocal(id, thread), object)?;
        }
        let frame = self.enter(state, thread, 0, func, args)?;
        state.add_thread(thread, Thread::new(frame));
        Ok(())
    }

    /// A frame for a call of `func`, whose memory variables begin to live; surplus arguments are dropped, missing ones
    /// indeterminate.
    fn enter(
        &self,
        state: &mut State,
        thread: ThreadId,
        depth: u32,
        func: FuncId,
        args: &[u128],
    ) -> Result<Frame, Inconclusive> {
        let function = &self.program.functions[func];
        let mut frame = Frame::new(func, function.entry, function.vars.len());
        let mut args = args.to_vec();
        for (var, declared) in function.vars.iter_enumerated() {
            if let VarKind::Memory { size, .. } = declared.kind {
                // The first frame of a thread is the second one of no call.
                if depth > 0 && self.gives_address(func, var) {
                    self.forget_pointers(state, Identity::Local { thread, depth, func, var }, &mut args);
                }
                let slot = self.slot(Identity::Local { thread, depth, func, var })?;
                state.memory.insert(slot, Content::filled(size, None));
            }
        }
        for (param, arg) in function.params.iter().zip(args) {
            if let VarKind::Register(width) = function.vars[*param].kind {
                frame.registers[base::Idx::index(*param)] = Some(width.truncate(arg));
            }
        }
        Ok(frame)
    }

    /// The objects of a frame cease to live.
    fn leave(&self, state: &mut State, thread: ThreadId, depth: u32, frame: &Frame) {
        let vars: &IdxVec<_, _> = &self.program.functions[frame.func].vars;
        for var in vars.ids().filter(|var| matches!(vars[*var].kind, VarKind::Memory { .. })) {
            if let Some(slot) = self.known_slot(Identity::Local { thread, depth, func: frame.func, var }) {
                state.memory.remove(slot);
            }
        }
        for (_, slot) in &frame.allocas {
            state.memory.remove(*slot);
        }
    }

    /// A static object, or a thread's copy of it, begins to live with its initial bytes.
    fn bring_to_life(
        &self,
        state: &mut State,
        identity: Identity,
        object: &Object,
    ) -> Result<(), Inconclusive> {
        let slot = self.slot(identity)?;
        let background = if object.arbitrary { None } else { Some(0) };
        let mut content = Content::filled(object.size, background);
        let initial: Vec<_> = object.bytes.iter().map(|byte| Some(*byte)).collect();
        content.write(0, &initial[..initial.len().min(index(object.size))]);
        for reloc in &object.relocs {
            let target = match reloc.target {
                RelocTarget::Func(func) => self.function_address(func),
                RelocTarget::Object(id) => self.known_address(Identity::Static(id)).ok_or_else(|| {
                    let name = &self.program.objects[id].name;
                    Inconclusive::Unsupported(format!("address of thread-local `{name}` in an initialiser"))
                })?,
            };
            let word = target.wrapping_add_signed(reloc.addend).to_le_bytes().map(Some);
            let end = reloc.offset.checked_add(self.pointer().bytes());
            if end.is_none_or(|end| end > object.size) {
                return Err(Inconclusive::Undefined(format!(
                    "address beyond the end of `{}` in its initialiser",
                    object.name
                )));
            }
            content.write(reloc.offset, &word[..index(self.pointer().bytes())]);
        }
        state.memory.insert(slot, content);
        Ok(())
    }
}

/// Names and numbers.
impl Interp<'_> {
    fn pointer(&self) -> Width {
        self.program.data_model.pointer()
    }
    fn slot(&self, identity: Identity) -> Result<Slot, Inconclusive> {
        self.interner.borrow_mut().slot(self.program, identity)
    }
    fn known_slot(&self, identity: Identity) -> Option<Slot> {
        self.interner.borrow().known_slot(identity)
    }
    fn known_address(&self, identity: Identity) -> Option<u64> {
        let interner = self.interner.borrow();
        interner.known_slot(identity).map(|slot| interner.base(slot))
    }
    fn base(&self, slot: Slot) -> u64 {
        self.interner.borrow().base(slot)
    }
    fn slot_size(&self, slot: Slot) -> u64 {
        self.interner.borrow().size(slot)
    }
    fn identity(&self, slot: Slot) -> Identity {
        self.interner.borrow().identity(slot)
    }
    fn object_below(&self, address: u64) -> Option<(Slot, u64)> {
        self.interner.borrow().object_below(address)
    }
    /// The address of a function.
    pub fn function_address(&self, func: FuncId) -> u64 {
        self.interner.borrow().function_address(func)
    }
    fn function_at(&self, address: u64) -> Option<FuncId> {
        self.interner.borrow().function_at(address)
    }
    /// The thread of this origin; it gets an id if it is new.
    pub fn thread(&self, origin: Origin) -> ThreadId {
        self.interner.borrow_mut().thread(origin)
    }
    fn structural_order(&self, left: ThreadId, right: ThreadId) -> Ordering {
        self.interner.borrow().structural_order(left, right)
    }
    /// Returns true if an object may be used in this way.
    fn allows(&self, slot: Slot, access: eval::Access) -> bool {
        access == eval::Access::Read
            || match self.identity(slot) {
                Identity::Static(id) | Identity::ThreadLocal(id, _) => !self.program.objects[id].read_only,
                Identity::Local { func, var, .. } => {
                    let kind = self.program.functions[func].vars[var].kind;
                    access == eval::Access::Initialise
                        || !matches!(kind, VarKind::Memory { read_only: true, .. })
                }
                Identity::Heap { .. } | Identity::Alloca { .. } => true,
            }
    }
}
