//! Invisible actions: their interleaving with the actions of other threads does not matter.
//!
//! An action is *invisible* if it neither accesses memory that threads contend for, nor blocks, nor ends the program, nor concerns other threads
//! ([`semantics::analysis::access`]). Where some thread's next action is invisible, no other thread has to be tried: whatever the others do first, this action is possible
//! before it, with the same outcome (a persistent set of one thread; Godefroid, *Partial-Order Methods*, LNCS 1032, 1996). So the search visits only states in which no
//! thread has an invisible action next; in between, the first thread that has one moves.
//!
//! | a reduced search keeps | because |
//! |---|---|
//! | violations, and everything that has no answer | an action that does not simply continue is tried together with those of all other threads |
//! | deadlocks | an invisible action never blocks |
//! | data races | the accesses that race are visible |
//!
//! Leaks (what other threads' registers hold at the end matters, where anything is allocated) and termination (every step counts) are searched without it, and so are store buffers.
//!
//! # Dead registers
//! Registers that no thread reads any more are made indeterminate, so that states which differ in nothing else are one: otherwise every order in which n threads had a lock would be a state of its own.
//!
//! # The ignoring problem
//! A thread that takes invisible actions for ever would keep the others from moving. When they begin to repeat themselves, after [`MAX_IN_A_ROW`] of them, and where one has several outcomes, the search
//! visits the state as it is, with all threads.
//!
//! # Direction of error
//! Visible in doubt. Accesses to another thread's frame are visible, and so are calls, returns and declarations that begin or end the lifetime of a variable whose address escapes: the check of a state set
//! (`certify`) follows the same actions and refuses what it cannot see to be private.

use program::interp::{Interp, State, ThreadId, Wakeups};
use program::{Action, FuncId, LocId, MemoryModel, Op, Property, Storage, VarKind};
use semantics::Analysis;
use semantics::analysis::Site;
use semantics::analysis::access::Accesses;
use semantics::analysis::footprint::footprints;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of invisible actions between two visited states.
pub(super) const MAX_IN_A_ROW: usize = 10_000;

/// The invisible actions of a program, by location.
pub(super) struct Invisible<'p> {
    pub(super) analysis: Arc<Analysis<'p>>,
    pub(super) locations: BTreeSet<(FuncId, LocId)>,
}

impl<'p> Invisible<'p> {
    /// Those of a program, if a search about this property may be reduced.
    pub(super) fn of(analysis: &Arc<Analysis<'p>>, property: Property) -> Option<Self> {
        let program = analysis.program;
        let may_leak = property.is_about_leaks() && program.allocates();
        if may_leak || property == Property::Termination || program.memory_model != MemoryModel::Sc {
            return None;
        }
        let mut found = BTreeSet::new();
        for (func, function) in program.functions.iter_enumerated() {
            found.extend(
                function
                    .locations
                    .ids()
                    .filter(|loc| is_invisible(analysis, func, *loc))
                    .map(|loc| (func, loc)),
            );
        }
        // Without any, a set of states is one of all states.
        (!found.is_empty()).then(|| Invisible { analysis: Arc::clone(analysis), locations: found })
    }

    /// The first thread whose next action is invisible.
    pub(super) fn thread(&self, interp: &Interp<'_>, state: &State) -> Option<ThreadId> {
        let is_next = |thread: &program::interp::Thread| {
            !thread.is_finished()
                && thread.top().is_some_and(|at| self.locations.contains(&(at.func(), at.loc())))
        };
        let mut able = state.threads().filter(|(_, thread)| is_next(thread)).map(|(id, _)| id);
        able.find(|id| interp.enabled(state, *id, Wakeups::Spurious))
    }
}

fn is_invisible(analysis: &Analysis<'_>, func: FuncId, loc: LocId) -> bool {
    let function = &analysis.program.functions[func];
    let action = &function.locations[loc].action;
    // Whether it ends a thread is looked at below.
    let accesses = Accesses { ends_thread: false, ..analysis.accesses(func, loc) };
    let is_private = |addr| {
        let targets = analysis.points_to.targets(func, addr);
        !targets.unknown && targets.places.iter().all(|(site, _)| !lives_elsewhere(analysis, *site))
    };
    !accesses.is_visible()
        && footprints(function, action).iter().all(|footprint| is_private(&footprint.addr))
        && match action {
            Action::Branch { .. } => true,
            Action::Ops { ops, .. } => ops.iter().all(|op| is_plain(analysis, func, op)),
            Action::Call { callee, .. } => analysis
                .points_to
                .callees(func, callee)
                .iter()
                .all(|callee| frame_is_private(analysis, *callee)),
            Action::Return(_) => {
                let ends_thread = analysis.threads.roots().iter().any(|root| root.func == func);
                frame_is_private(analysis, func) && (!ends_thread || end_is_invisible(analysis))
            }
            Action::ThreadExit(_) => {
                let mut functions = analysis.threads.run_by(func).flat_map(|root| &root.functions);
                functions.all(|func| frame_is_private(analysis, *func)) && end_is_invisible(analysis)
            }
            Action::Exit | Action::Error { .. } | Action::Unsupported(_) | Action::Undefined(_) => false,
        }
}

/// Returns true for objects that live as long as a thread or a frame that may be another thread's.
fn lives_elsewhere(analysis: &Analysis<'_>, site: Site) -> bool {
    let mortal = match site {
        Site::Static(object) => analysis.program.objects[object].thread_local,
        Site::Frame(..) | Site::Heap(..) => true,
    };
    mortal && analysis.threads.escapes(site)
}

/// Returns true for operations on registers and memory that always continue.
fn is_plain(analysis: &Analysis<'_>, func: FuncId, op: &Op) -> bool {
    match op {
        Op::Forget { var, .. } => !escapes(analysis, func, *var),
        Op::Set { .. }
        | Op::Store { .. }
        | Op::Havoc { .. }
        | Op::Copy { .. }
        | Op::Fill { .. }
        | Op::Fence(_)
        | Op::Signed { .. } => true,
        Op::Guard(_)
        | Op::Assume(_)
        | Op::Alloc { .. }
        | Op::Realloc { .. }
        | Op::Free(_)
        | Op::AtomicBegin
        | Op::AtomicEnd
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
fn end_is_invisible(analysis: &Analysis<'_>) -> bool {
    let program = analysis.program;
    let mut thread_locals = program.objects.iter_enumerated().filter(|(_, object)| object.thread_local);
    thread_locals.all(|(id, _)| !analysis.threads.escapes(Site::Static(id))) && !program.detaches_threads()
}
