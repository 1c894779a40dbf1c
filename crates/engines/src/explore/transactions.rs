//! Transactions: a thread takes its next action together with those that follow, up to its next scheduling point.
//!
//! Threads interfere at few of their actions: locks, atomic accesses, creations and joins; what they do in between is theirs alone. So the search schedules threads at *scheduling points* only. It does not
//! know beforehand what is theirs alone: it guesses that everything is that is of a simple kind, watches what is accessed, and makes scheduling points of the actions for which the guess was wrong (as
//! CHESS does by looking for data races: Musuvathi et al., OSDI 2008; the actions after the first one of a transaction are the movers of Lipton, CACM 1975).
//!
//! # Which actions follow others
//! An action that is no scheduling point, of a simple kind ([`is_simple`]: it concerns no other thread, never blocks, and ends no life of an object of a frame that others may have a pointer to), and that continues
//! whatever is chosen. Whatever thread has one next takes it at once, the first such thread first.
//!
//! # Footprints
//! A state comes with the *footprint* of each thread: the memory that it has accessed since its last scheduling point, without the action there. No other thread may have anything to do with that
//! (conflict: one of the two writes) until the thread is scheduled again or joined. Where one does, the actions of the footprint become scheduling points, and the search starts again. What has been found
//! until then is true nevertheless: every transaction is an execution.
//!
//! A state that is reached again with another footprint is visited again, with the union of both.
//!
//! # Why that suffices
//! Take any execution. An action of a footprint that comes after an action of another thread although its transaction began before it can be put before it, unless they conflict; and if they do, the
//! other action is one that the search has seen while this thread waited at the end of its transaction. So each execution is, up to the order of independent actions, one of transactions, some of them incomplete,
//! and those can be completed: their actions continue, and violate nothing that was not seen.
//!
//! | it keeps | because |
//! |---|---|
//! | violations, and everything that has no answer | an action that does not simply continue is a scheduling point |
//! | deadlocks | an action that may block is one |
//! | data races | of two accesses that can be next at once, either is followed by the other in a footprint, or both are scheduling points; inside of an atomic section, too, if races are asked for |
//! | leaks | if no other thread is left when the program ends; otherwise all actions are taken one by one |
//!
//! Termination (every step counts) and store buffers are searched without transactions.
//!
//! # Dead registers
//! Registers that no thread reads any more are made indeterminate, so that states which differ in nothing else are one: otherwise every order in which n threads had a lock would be a state of its own.
//! If leaks are asked for, the first thread keeps them: in the end it is alone, and pointers in its variables count that are not read again.
//!
//! # Direction of error
//! Scheduling points in doubt. The check of a state set (`certify`) follows the same actions with its own footprints, and refuses a conflict.

use super::footprint::{Access, Footprint, Here};
use program::interp::{Identity, Interp, State, ThreadId, Wakeups};
use program::{Action, FuncId, MemoryModel, Op, Property, Storage, VarKind};
use rustc_hash::FxHashMap;
use semantics::Analysis;
use semantics::analysis::Site;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of actions after a scheduling point; then there is one more.
pub(super) const MAX_IN_A_ROW: usize = 10_000;

/// What each thread has accessed since its last scheduling point, sorted by thread; threads without accesses are left out.
pub(super) type Footprints = Vec<(ThreadId, Arc<Footprint>)>;

/// How a search takes actions together.
pub(super) struct Transactions<'p> {
    pub(super) analysis: Arc<Analysis<'p>>,
    /// The locations of simple actions.
    simple: BTreeSet<Here>,
    /// Those that nevertheless are scheduling points.
    pub(super) points: BTreeSet<Here>,
    /// Those that will be when the search starts again.
    pending: BTreeSet<Here>,
    /// True if the accesses of an atomic section count as one action.
    glues_sections: bool,
    /// True if the state in which the program ends is what matters.
    pub(super) leaks: bool,
}

impl<'p> Transactions<'p> {
    /// Those of a program, if a search about this property may be reduced.
    pub(super) fn of(analysis: &Arc<Analysis<'p>>, property: Property) -> Option<Self> {
        let program = analysis.program;
        if property == Property::Termination || program.memory_model != MemoryModel::Sc {
            return None;
        }
        let locations = program
            .functions
            .iter_enumerated()
            .flat_map(|(func, function)| function.locations.ids().map(move |loc| (func, loc)));
        Some(Transactions {
            simple: locations.filter(|here| is_simple(analysis, *here)).collect(),
            analysis: Arc::clone(analysis),
            points: BTreeSet::new(),
            pending: BTreeSet::new(),
            glues_sections: property != Property::NoDataRace,
            leaks: property.is_about_leaks() && program.allocates(),
        })
    }

    /// The first thread that stands at no scheduling point.
    pub(super) fn thread(&self, interp: &Interp<'_>, state: &State) -> Option<ThreadId> {
        let follows = |id: ThreadId, thread: &program::interp::Thread| {
            let at = thread.top().map(|frame| (frame.func(), frame.loc()));
            at.is_some_and(|at| {
                self.simple.contains(&at) && (!self.points.contains(&at) || self.is_glued(state, id))
            })
        };
        let mut able = state.threads().filter(|(id, thread)| follows(*id, thread)).map(|(id, _)| id);
        able.find(|id| interp.enabled(state, *id, Wakeups::Spurious))
    }

    /// Returns true if the next action of a thread belongs to the action that has begun its atomic section.
    pub(super) fn is_glued(&self, state: &State, thread: ThreadId) -> bool {
        self.glues_sections && state.atomic_owner() == Some(thread)
    }

    /// Looks for conflicts between what a thread does next and the footprints of others: their actions should become scheduling points.
    pub(super) fn watch(
        &mut self,
        state: &State,
        thread: ThreadId,
        accesses: &[Access],
        footprints: &Footprints,
    ) {
        let others: Vec<_> = footprints.iter().filter(|(other, _)| *other != thread).collect();
        if others.is_empty() {
            return;
        }
        let ends = self.ends(state, thread);
        for (_, footprint) in others {
            let conflicts = accesses.iter().flat_map(|access| footprint.conflicts(access));
            let ended = footprint.iter().filter(|access| ends.is_some_and(|scope| scope.has(access.object)));
            self.pending.extend(conflicts.chain(ended).map(|access| access.here));
        }
    }

    /// The objects whose lives the next action of a thread ends or begins, if other threads may have pointers to them.
    fn ends(&self, state: &State, thread: ThreadId) -> Option<Scope> {
        let running = state.thread(thread)?;
        let frame = running.top()?;
        let depth = u32::try_from(running.frames().len() - 1).unwrap_or(u32::MAX);
        let (analysis, func) = (&self.analysis, frame.func());
        match &analysis.program.functions[func].locations[frame.loc()].action {
            Action::ThreadExit(_) => Some(Scope::Thread(thread)),
            Action::Return(_) if depth == 0 => Some(Scope::Thread(thread)),
            Action::Return(_) => Some(Scope::Frame(thread, depth)),
            Action::Call { callee, .. } => {
                let callees = analysis.points_to.callees(func, callee);
                callees.iter().any(|callee| !frame_is_private(analysis, *callee)).then_some(Scope::All)
            }
            Action::Ops { ops, .. } => {
                let mut scopes = ops.iter().filter_map(|op| match op {
                    Op::Forget { var, alive } if escapes(analysis, func, *var) => {
                        Some(if *alive { Scope::All } else { Scope::Frame(thread, depth) })
                    }
                    Op::Alloc { storage: Storage::Frame, .. } | Op::Realloc { .. } => Some(Scope::All),
                    _ => None,
                });
                scopes.next()
            }
            _ => None,
        }
    }

    /// What the checker is told: the scheduling points, and the footprints of all states.
    pub(super) fn evidence<'f>(
        &self,
        footprints: impl Iterator<Item = &'f Footprints>,
    ) -> evidence::Transactions {
        let (mut table, mut numbers) = (Vec::new(), FxHashMap::default());
        let number = |footprint: &Arc<Footprint>| {
            *numbers.entry(Arc::clone(footprint)).or_insert_with(|| {
                table.push(footprint.evidence());
                table.len() - 1
            })
        };
        let mut number = number;
        let footprints = footprints
            .map(|of| of.iter().map(|(thread, footprint)| (*thread, number(footprint))).collect())
            .collect();
        evidence::Transactions { simple: self.simple.clone(), points: self.points.clone(), table, footprints }
    }

    /// Returns true if scheduling points were missing.
    pub(super) fn are_too_long(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Takes the scheduling points that were missing into account.
    pub(super) fn shorten(&mut self) {
        self.points.append(&mut self.pending);
    }
}

/// Objects of frames.
#[derive(Clone, Copy)]
enum Scope {
    /// All that a footprint can have: pointers to an earlier variable of a frame change wherever they are.
    All,
    Frame(ThreadId, u32),
    Thread(ThreadId),
}

impl Scope {
    fn has(self, object: Identity) -> bool {
        let (owner, frame) = match object {
            Identity::Local { thread, depth, .. } | Identity::Alloca { thread, depth, .. } => {
                (thread, Some(depth))
            }
            Identity::ThreadLocal(_, thread) => (thread, None),
            Identity::Static(_) | Identity::Heap { .. } => return matches!(self, Scope::All),
        };
        match self {
            Scope::All => true,
            Scope::Frame(thread, depth) => thread == owner && frame == Some(depth),
            Scope::Thread(thread) => thread == owner,
        }
    }
}

fn is_simple(analysis: &Analysis<'_>, (func, loc): Here) -> bool {
    match &analysis.program.functions[func].locations[loc].action {
        Action::Branch { .. } => true,
        Action::Ops { ops, sync, .. } => {
            sync.is_none() && ops.iter().all(|op| is_simple_operation(analysis, func, op))
        }
        Action::Call { callee, .. } => {
            let callees = analysis.points_to.callees(func, callee);
            callees.iter().all(|callee| frame_is_private(analysis, *callee))
        }
        Action::Return(_) => {
            let ends_thread = analysis.threads.roots().iter().any(|root| root.func == func);
            frame_is_private(analysis, func) && (!ends_thread || end_is_private(analysis))
        }
        Action::ThreadExit(_) => {
            let mut functions = analysis.threads.run_by(func).flat_map(|root| &root.functions);
            functions.all(|func| frame_is_private(analysis, *func)) && end_is_private(analysis)
        }
        Action::Exit | Action::Error { .. } | Action::Unsupported(_) | Action::Undefined(_) => false,
    }
}

fn is_simple_operation(analysis: &Analysis<'_>, func: FuncId, op: &Op) -> bool {
    match op {
        Op::Forget { var, .. } => !escapes(analysis, func, *var),
        Op::Alloc { storage, .. } => *storage != Storage::Frame,
        Op::Set { .. }
        | Op::Store { .. }
        | Op::Havoc { .. }
        | Op::Copy { .. }
        | Op::Fill { .. }
        | Op::Free(_)
        | Op::Fence(_)
        | Op::AtomicEnd
        | Op::Signed { .. } => true,
        Op::Guard(_)
        | Op::Assume(_)
        | Op::Realloc { .. }
        | Op::AtomicBegin
        | Op::Create { .. }
        | Op::Join { .. }
        | Op::Detach { .. }
        | Op::WaitBegin(_)
        | Op::WaitEnd { .. }
        | Op::Signal { .. } => false,
    }
}

fn escapes(analysis: &Analysis<'_>, func: FuncId, var: program::VarId) -> bool {
    let is_memory = matches!(analysis.program.functions[func].vars[var].kind, VarKind::Memory { .. });
    is_memory && analysis.threads.escapes(Site::Frame(func, var))
}

/// Returns true if no other thread can have the address of a variable of a function, and nothing is allocated in its frames.
fn frame_is_private(analysis: &Analysis<'_>, func: FuncId) -> bool {
    let function = &analysis.program.functions[func];
    let mut ops = function.locations.iter().flat_map(|location| location.action.ops());
    function.vars.ids().all(|var| !escapes(analysis, func, var))
        && !ops.any(|op| matches!(op, Op::Alloc { storage: Storage::Frame, .. }))
}

/// Returns true if the end of a thread affects others only through joins: no thread is detached, and no thread-local object escapes.
fn end_is_private(analysis: &Analysis<'_>) -> bool {
    let program = analysis.program;
    let mut thread_locals = program.objects.iter_enumerated().filter(|(_, object)| object.thread_local);
    thread_locals.all(|(id, _)| !analysis.threads.escapes(Site::Static(id))) && !program.detaches_threads()
}
