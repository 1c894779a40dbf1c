//! Invisible actions of a state set, and why they may be taken alone.
//!
//! A state set may name locations whose actions are *invisible*. A state that is not in the set, but in which a thread stands at such a location, is accounted for if everything
//! that this thread can do next is. So the set holds only states in which all threads are tried.
//!
//! # What is checked
//! 1. The property is one of states and steps that invisible actions cannot hide: not termination, and not about leaks, unless nothing is allocated.
//! 2. Each invisible action that was followed is of a simple kind: registers and memory, a branch, a call, a return, or the end of a thread where none is ever detached, whatever is chosen; and it continues.
//! 3. The objects that it accesses are *private*: while several threads are alive, no step of another thread that was followed accesses them, unless all only read them. Variables of frames and
//!    thread-local objects of other threads are not private. An access that makes an indeterminate value determinate is a write. A step that blocks has read what it waits for.
//! 4. Variables that begin or cease to live with it do not escape ([`semantics::analysis::Threads::escapes`], shared with the engines): no other thread has a pointer that this would make invalid.
//!
//! Registers that are dead are made indeterminate before a state is looked up. That can only add executions, so it needs no justification.
//!
//! # Why that suffices
//! By induction on the number of steps of an execution from a state that is accounted for: all its accesses are among those that were followed, and it violates nothing. Take the invisible actions that
//! were followed from the first state until a member of the set; they are finitely many. If the execution contains such an action, it can be moved to the front, since those before it are shorter executions, so that
//! their accesses were followed, and none of them is to its objects. If it does not, the action can be put in front of it, for the same reason; and the last step then does what it did, because it does not
//! read what the action has written. In a member of the set the first step was followed, and the rest of the execution is shorter.
//!
//! While only one thread is alive its steps are all that there are, so its accesses do not count; those of an invisible action of a thread that is alive come before its end.

use super::failed;
use base::Inconclusive;
use evidence::StateSet;
use program::interp::{Choice, Event, Identity, Interp, Place, State, StepResult, Thread, ThreadId, Wakeups};
use program::{Action, FuncId, LocId, MemoryModel, Op, Property, Storage, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::Analysis;
use semantics::analysis::{Liveness, Site};
use std::cell::RefCell;
use std::sync::Arc;

/// Who reads and who writes an object while several threads are alive.
#[derive(Default)]
struct Users {
    readers: FxHashSet<ThreadId>,
    writers: FxHashSet<ThreadId>,
}

/// The invisible actions of a state set.
pub(super) struct Invisible<'p> {
    analysis: Arc<Analysis<'p>>,
    locations: FxHashSet<(FuncId, LocId)>,
    users: RefCell<FxHashMap<Identity, Users>>,
    /// Objects that should be private, with the thread that accesses them, and whether it writes.
    private: RefCell<FxHashMap<(Identity, ThreadId), bool>>,
}

impl<'p> Invisible<'p> {
    /// Those of a set; `None` if it has none.
    pub(super) fn of(
        interp: &Interp<'p>,
        property: Property,
        set: &StateSet,
    ) -> Result<Option<Self>, Inconclusive> {
        if set.invisible.is_empty() {
            return Ok(None);
        }
        let program = interp.program();
        let may_leak = property.is_about_leaks() && program.allocates();
        if property == Property::Termination || may_leak || program.memory_model != MemoryModel::Sc {
            return Err(failed(format!("invisible actions are not taken together for {property}")));
        }
        let locations = set.invisible.iter().copied().collect();
        Ok(Some(Self {
            analysis: Analysis::of(program),
            locations,
            users: RefCell::default(),
            private: RefCell::default(),
        }))
    }

    /// The first thread that stands at such a location.
    pub(super) fn thread(&self, interp: &Interp<'_>, state: &State) -> Option<ThreadId> {
        let mut threads = state.threads().filter(|(_, thread)| !thread.is_finished());
        let found = threads.find(|(id, thread)| {
            thread.top().is_some_and(|at| self.locations.contains(&(at.func(), at.loc())))
                && interp.enabled(state, *id, Wakeups::Spurious)
        });
        found.map(|(id, _)| id)
    }

    /// A state without what no thread reads any more; that only adds executions, so liveness is not trusted.
    pub(super) fn without_dead_registers(&self, state: &State) -> State {
        let mut state = state.clone();
        Liveness::forget_dead(&self.analysis.liveness, &mut state);
        state
    }

    /// Notes what a step accesses.
    pub(super) fn note(&self, before: &State, thread: ThreadId, events: &[Event]) {
        if !several_are_alive(before) {
            return;
        }
        let mut users = self.users.borrow_mut();
        for (object, writes) in accesses(events) {
            let users = users.entry(object).or_default();
            _ = if writes { users.writers.insert(thread) } else { users.readers.insert(thread) };
        }
    }

    /// Notes an invisible step, which should be of a simple kind.
    pub(super) fn claim(
        &self,
        before: &State,
        thread: ThreadId,
        (after, result): (&State, &StepResult),
        events: &[Event],
    ) -> Result<(), Inconclusive> {
        if *result != StepResult::Continue {
            return Err(failed("an invisible action does not continue".to_owned()));
        }
        self.is_simple(before, after, thread)?;
        self.note(before, thread, events);
        if several_are_alive(before) {
            let mut private = self.private.borrow_mut();
            for (object, writes) in accesses(events) {
                *private.entry((object, thread)).or_default() |= writes;
            }
        }
        Ok(())
    }

    fn is_simple(&self, before: &State, after: &State, thread: ThreadId) -> Result<(), Inconclusive> {
        let mover = before.thread(thread).and_then(|t| Some((t, t.top()?)));
        let (mover, at) = mover.ok_or_else(|| failed("an invisible action of no thread".to_owned()))?;
        let function = &self.analysis.program.functions[at.func()];
        let simple = match &function.locations[at.loc()].action {
            Action::Branch { .. } => true,
            Action::Ops { ops, .. } => ops.iter().all(|op| self.is_plain(at.func(), op)),
            Action::Call { .. } => {
                let callee = after.thread(thread).and_then(|t| t.top()).map(|frame| frame.func());
                callee.is_some_and(|callee| self.frame_is_private(callee))
            }
            Action::Return(_) => match mover.frames().len() {
                1 => thread != ThreadId::MAIN && self.end_is_private(mover),
                _ => self.frame_is_private(at.func()),
            },
            Action::ThreadExit(_) => self.end_is_private(mover),
            Action::Exit | Action::Error { .. } | Action::Unsupported(_) | Action::Undefined(_) => false,
        };
        if simple {
            Ok(())
        } else {
            Err(failed("an action that is claimed to be invisible may affect other threads".to_owned()))
        }
    }

    fn is_plain(&self, func: FuncId, op: &Op) -> bool {
        match op {
            Op::Set { .. } | Op::Store { .. } | Op::Havoc { .. } => true,
            Op::Copy { .. } | Op::Fill { .. } | Op::Fence(_) | Op::Signed { .. } => true,
            Op::Forget { var, .. } => !self.escapes(func, *var),
            _ => false,
        }
    }

    fn escapes(&self, func: FuncId, var: VarId) -> bool {
        let declared = &self.analysis.program.functions[func].vars[var];
        matches!(declared.kind, VarKind::Memory { .. })
            && self.analysis.threads.escapes(Site::Frame(func, var))
    }

    fn frame_is_private(&self, func: FuncId) -> bool {
        let function = &self.analysis.program.functions[func];
        let in_frame = |op: &Op| matches!(op, Op::Alloc { storage: Storage::Frame, .. });
        function.vars.ids().all(|var| !self.escapes(func, var))
            && !function.locations.iter().any(|location| location.action.ops().iter().any(in_frame))
    }

    /// Returns true if the end of a thread shows in nothing but that it can be joined.
    fn end_is_private(&self, thread: &Thread) -> bool {
        let program = self.analysis.program;
        let mut own = program.objects.iter_enumerated().filter(|(_, object)| object.thread_local);
        thread.frames().all(|frame| self.frame_is_private(frame.func()))
            && own.all(|(id, _)| !self.analysis.threads.escapes(Site::Static(id)))
            && !program.detaches_threads()
    }

    /// What invisible actions access is private.
    pub(super) fn are_private(&self) -> Result<(), Inconclusive> {
        let users = self.users.borrow();
        for ((object, thread), writes) in self.private.borrow().iter() {
            let elsewhere = match object {
                Identity::Local { thread: owner, .. }
                | Identity::Alloca { thread: owner, .. }
                | Identity::ThreadLocal(_, owner) => owner != thread,
                Identity::Static(_) | Identity::Heap { .. } => false,
            };
            let others = |users: &FxHashSet<ThreadId>| users.iter().any(|user| user != thread);
            let shared =
                users.get(object).is_some_and(|u| others(&u.writers) || *writes && others(&u.readers));
            if elsewhere || shared {
                return Err(failed("an invisible action accesses what other threads access".to_owned()));
            }
        }
        Ok(())
    }
}

fn several_are_alive(state: &State) -> bool {
    state.threads().filter(|(_, thread)| !thread.is_finished()).count() > 1
}

/// The objects that a step accesses, each with whether it writes there.
fn accesses(events: &[Event]) -> impl Iterator<Item = (Identity, bool)> {
    let chooses = |event: &Event| matches!(event, Event::Chosen { what: Choice::Indeterminate(_), .. });
    let determines = events.iter().any(chooses);
    let object = |place: &Place| if let Place::Memory { object, .. } = place { Some(*object) } else { None };
    events
        .iter()
        .flat_map(move |event| match event {
            Event::Read { place, .. } => [object(place).map(|o| (o, determines)), None],
            Event::Write { place, .. } | Event::Filled { dst: place, .. } => {
                [object(place).map(|o| (o, true)), None]
            }
            Event::Copied { dst, src, .. } => {
                [object(dst).map(|o| (o, true)), object(src).map(|o| (o, false))]
            }
            Event::Allocated { object, .. } | Event::Resized { object, .. } | Event::Freed { object } => {
                [Some((*object, true)), None]
            }
            Event::Left { place, .. } => [object(place).map(|o| (o, true)), None],
            Event::Evaluated(_)
            | Event::Chosen { .. }
            | Event::Sync { .. }
            | Event::Called { .. }
            | Event::Returned { .. }
            | Event::Started { .. }
            | Event::Finished { .. }
            | Event::Joined { .. }
            | Event::Woken { .. } => [None, None],
        })
        .flatten()
}
