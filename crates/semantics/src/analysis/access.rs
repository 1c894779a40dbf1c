//! What an action reads and writes, and which actions are visible to other threads.
//!
//! | operation | reads | writes |
//! |---|---|---|
//! | load, store, copy, fill | the bytes | the bytes |
//! | guard, assume, branch on `c` | what `c` loads | |
//! | call, return, `alloca`, free | | the whole of the objects that begin or cease to live |
//! | create, join, detach, wait, signal, the end of a thread or of the program | | flags of [`Accesses`] |
//!
//! Only objects that are [contended](super::Threads::is_contended) count. An action is *visible* if it does any of this: then a transaction
//! ends before the next such action ([`crate::transition::edges`]). Whether two steps commute is another question: [`crate::transition::independence`].
//!
//! An assumption that fails, or something undefined, ends the execution, as a blocked action does: it must not be the only action
//! that is explored, so it is visible.
//!
//! # Direction of error
//! Visible in doubt.

use crate::analysis::Analysis;
use crate::analysis::footprint::{Extent, Kind, footprints};
use crate::analysis::offset::{Offset, WHOLE};
use crate::analysis::threads::sites;
use crate::analysis::value::{Site, Targets};
use base::convert::count32;
use program::{Action, FuncId, LocId, Op, Storage};

/// An access to memory that threads contend for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// Where it can go; only contended objects.
    pub places: Vec<(Site, Offset)>,
    /// How many bytes from there; [`WHOLE`] for the whole object.
    pub bytes: u64,
    /// True if it can go anywhere else.
    pub unknown: bool,
}

/// Accesses in the order of the operations.
pub type AccessSet = Vec<Access>;

/// What an action may do that is visible to other threads.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Accesses {
    /// What it may read.
    pub reads: AccessSet,
    /// What it may write.
    pub writes: AccessSet,
    /// True if it may end the program, or the search.
    pub ends_program: bool,
    /// True if it may end the execution because an assumption fails.
    pub prunes: bool,
    /// True if it may block.
    pub blocks: bool,
    /// True if it may end its thread.
    pub ends_thread: bool,
    /// True if it may create, join or detach threads.
    pub concerns_threads: bool,
    /// True if it begins or ends a wait on a condition variable, or wakes waiters.
    pub concerns_waits: bool,
    /// How many more atomic sections it enters than it leaves.
    pub atomic: i32,
}

impl Accesses {
    /// Returns true if it is visible to another thread, or can block this or another thread.
    pub fn is_visible(&self) -> bool {
        let flags = [
            self.ends_program,
            self.prunes,
            self.blocks,
            self.ends_thread,
            self.concerns_threads,
            self.concerns_waits,
        ];
        !self.reads.is_empty() || !self.writes.is_empty() || flags.contains(&true) || self.atomic != 0
    }
}

impl Analysis<'_> {
    /// Returns true if the action at a location is visible to another thread, or can block a thread.
    pub fn is_visible(&self, func: FuncId, loc: LocId) -> bool {
        self.accesses(func, loc).is_visible()
    }

    /// What the action at a location may do.
    pub fn accesses(&self, func: FuncId, loc: LocId) -> Accesses {
        let action = &self.program.functions[func].locations[loc].action;
        let mut accesses = Accesses::default();
        for footprint in footprints(&self.program.functions[func], action) {
            let bytes = match footprint.extent {
                Extent::Whole => WHOLE,
                other => other.bytes().unwrap_or(WHOLE),
            };
            let Targets { places, unknown, .. } = self.points_to.targets(func, &footprint.addr);
            let mut access = Access { places, bytes, unknown };
            access.places.retain(|(site, _)| self.threads.is_contended(*site));
            if matches!(footprint.extent, Extent::Whole) {
                access.places.iter_mut().for_each(|place| place.1 = Offset::Any);
            }
            let set = if footprint.kind == Kind::Read { &mut accesses.reads } else { &mut accesses.writes };
            if access.unknown || !access.places.is_empty() {
                set.push(access);
            }
        }
        self.effects(func, loc, action, &mut accesses);
        accesses
    }

    /// What an action does beyond its accesses to memory.
    fn effects(&self, func: FuncId, loc: LocId, action: &Action, accesses: &mut Accesses) {
        match action {
            Action::Ops { ops, .. } => {
                for (n, op) in ops.iter().enumerate() {
                    self.operation_effects(func, (loc, n), op, accesses);
                }
            }
            Action::Branch { .. } => {}
            Action::Call { callee, .. } => {
                for callee in self.points_to.callees(func, callee) {
                    self.lives(accesses, |site, owner| {
                        matches!(site, Site::Frame(f, _) if f == callee) && owner
                    });
                }
            }
            Action::Return(_) => {
                accesses.ends_program = func == self.program.entry;
                accesses.ends_thread = self.threads.roots().iter().any(|root| root.func == func);
                let ends_thread = accesses.ends_thread;
                self.lives(accesses, |site, owner| match site {
                    Site::Static(_) => ends_thread,
                    Site::Frame(of, _) | Site::Heap(of, ..) => owner && of == func,
                });
            }
            Action::ThreadExit(_) => {
                accesses.ends_thread = true;
                self.lives(accesses, |site, owner| owner || matches!(site, Site::Static(_)));
            }
            Action::Exit | Action::Error { .. } | Action::Unsupported(_) | Action::Undefined(_) => {
                accesses.ends_program = true;
            }
        }
    }

    /// The contended objects that begin or cease to live are written as a whole: those in frames and the thread-local
    /// ones that `concerned` names, given whether they live in a frame.
    fn lives(&self, accesses: &mut Accesses, concerned: impl Fn(Site, bool) -> bool) {
        let thread_local = |site| matches!(site, Site::Static(o) if self.program.objects[o].thread_local);
        for (site, owner) in sites(self.program) {
            let mortal = owner.is_some() || thread_local(site);
            if mortal && concerned(site, owner.is_some()) && self.threads.is_contended(site) {
                accesses.writes.push(whole(site));
            }
        }
    }

    fn operation_effects(&self, func: FuncId, (loc, n): (LocId, usize), op: &Op, accesses: &mut Accesses) {
        match op {
            Op::Guard(_) => accesses.blocks = true,
            Op::Assume(_) => accesses.prunes = true,
            Op::AtomicBegin => accesses.atomic += 1,
            Op::AtomicEnd => accesses.atomic -= 1,
            Op::Join { .. } => {
                accesses.blocks = true;
                accesses.concerns_threads = true;
            }
            Op::Create { .. } | Op::Detach { .. } => accesses.concerns_threads = true,
            Op::WaitBegin(_) | Op::Signal { .. } => accesses.concerns_waits = true,
            Op::WaitEnd { .. } => {
                accesses.blocks = true;
                accesses.concerns_waits = true;
            }
            Op::Alloc { storage: Storage::Frame, .. } => {
                let site = Site::Heap(func, loc, count32(n));
                if self.threads.is_contended(site) {
                    accesses.writes.push(whole(site));
                }
            }
            Op::Set { .. }
            | Op::Store { .. }
            | Op::Havoc { .. }
            | Op::Forget { .. }
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Alloc { storage: Storage::Heap | Storage::Library, .. }
            | Op::Realloc { .. }
            | Op::Free(_)
            | Op::Fence(_)
            | Op::Signed { .. } => {}
        }
    }
}

fn whole(site: Site) -> Access {
    Access { places: vec![(site, Offset::Any)], bytes: WHOLE, unknown: false }
}
