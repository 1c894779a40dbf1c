//! What an action reads and writes, and whether two actions of different threads may be dependent.
//!
//! The table is the one that all engines share:
//!
//! | operation | reads | writes |
//! |---|---|---|
//! | load, store, copy, fill | the bytes | the bytes |
//! | guard, assume, branch on `c` | what `c` loads | |
//! | call, return, `alloca`, free | | the whole of the objects that begin or cease to live |
//! | wait, signal on `c` | the waiters of `c` | the waiters of `c` |
//! | create | | the new thread has started: [`Accesses::creates`] |
//! | thread's end | | the thread is done: [`Accesses::ends_thread`] |
//! | join, detach | the thread's state | the thread's state: [`Accesses::joins`] |
//! | program's end, error, unsupported | | everything: [`Accesses::ends_program`] |
//! | atomic section | union over the whole section | the same: [`Analysis::section`] |
//!
//! Two actions are independent if neither writes what the other reads or writes ([`dependent`]). Only objects that are
//! [contended](super::Threads::is_contended) count. Where addresses vary, a conflict is a question of aliasing, and
//! the answer lists the pairs of addresses that would have to be apart ([`Dependence::OnlyIfAlias`]).
//!
//! # What an engine has to add
//! - It knows which thread is which. An action of a thread depends on the action that created the thread, and a join
//!   on the last action of the thread it waits for. [`dependent`] takes every join to concern every thread that ends or is
//!   created; an engine that knows better asks [`cell_dependence`] and looks at [`Accesses::joins`] itself.
//! - After an atomic section, the past to compare with is everything executed in it ([`Accesses::then`]); before one, the future
//!   is everything that may be executed in it ([`Analysis::section`]).
//! - An assumption that fails, or something undefined, ends the run: it is an action without successor, as a
//!   blocked one is. It does not make actions dependent, but must not be the only action that is explored
//!   ([`Accesses::prunes`] is visible for that reason).
//! - Addresses in [`Alias`] are in terms of the registers, and of memory, before both actions.
//!
//! # Direction of error
//! Dependent in doubt. Reading indeterminate memory (which *chooses* its value) counts as reading; so copying such memory
//! and reading it are called independent although the interpreter then tells copies from choices.

use crate::analysis::Analysis;
use crate::analysis::footprint::{Extent, Kind, footprints};
use crate::analysis::offset::{Offset, WHOLE};
use crate::analysis::threads::sites;
use crate::analysis::value::Site;
use program::{Action, Expr, FuncId, LocId, Op, Storage, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// An access to memory that threads contend for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// Where it can go; only contended objects.
    pub places: Vec<(Site, Offset)>,
    /// How many bytes from there; [`WHOLE`] for the whole object.
    pub bytes: u64,
    /// Whether it can go anywhere else.
    pub unknown: bool,
    /// Its address before the action, if that can be said.
    pub addr: Option<Expr>,
}

/// Accesses in the order of the operations.
pub type AccessSet = Vec<Access>;

/// What an action (or a section) may do that others can notice.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Accesses {
    /// What it may read.
    pub reads: AccessSet,
    /// What it may write.
    pub writes: AccessSet,
    /// Whether it may end the program, or the search.
    pub ends_program: bool,
    /// Whether it may end the run because an assumption fails.
    pub prunes: bool,
    /// Whether it may block.
    pub blocks: bool,
    /// Whether it may end its thread.
    pub ends_thread: bool,
    /// The functions that it may start threads of.
    pub creates: Vec<FuncId>,
    /// The handles of the threads that it joins or detaches, before the action, as far as they can be said.
    pub joins: Vec<Option<Expr>>,
    /// The condition variables that it begins to wait on.
    pub waits: AccessSet,
    /// Whether it ends a wait.
    pub ends_wait: bool,
    /// The condition variables whose waiters it wakes.
    pub signals: AccessSet,
    /// How many more atomic sections it enters than it leaves.
    pub atomic: i32,
}

/// Two accesses that conflict if they meet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alias {
    /// The address of the first action's access, in its thread,
    pub left: Expr,
    /// and how many bytes it touches.
    pub left_bytes: u64,
    /// The address of the second action's access, in its thread,
    pub right: Expr,
    /// and how many bytes it touches.
    pub right_bytes: u64,
}

/// Whether two actions may be dependent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Dependence {
    /// They commute, and neither enables or disables the other.
    Independent,
    /// They may not.
    Dependent,
    /// They are independent in every state in which none of these pairs meets.
    OnlyIfAlias(Vec<Alias>),
}

/// Whether two actions of different threads may be dependent.
pub fn dependent(left: &Accesses, right: &Accesses) -> Dependence {
    if thread_conflict(left, right) { Dependence::Dependent } else { cell_dependence(left, right) }
}

/// Whether one of them joins or detaches and the other changes some thread's state.
pub fn thread_conflict(left: &Accesses, right: &Accesses) -> bool {
    let changes = |a: &Accesses| a.ends_thread || !a.creates.is_empty() || !a.joins.is_empty();
    (!left.joins.is_empty() && changes(right)) || (!right.joins.is_empty() && changes(left))
}

/// As [`dependent`], apart from what is said of threads that are created, end and are joined.
pub fn cell_dependence(left: &Accesses, right: &Accesses) -> Dependence {
    let all = |a: &Accesses| a.ends_program || a.atomic != 0;
    let wakes = |a: &Accesses, b: &Accesses| !a.signals.is_empty() && b.ends_wait;
    if all(left) || all(right) || wakes(left, right) || wakes(right, left) {
        return Dependence::Dependent;
    }
    let pairs = [
        (&left.writes, &right.writes),
        (&left.writes, &right.reads),
        (&left.reads, &right.writes),
        (&left.signals, &right.signals),
        (&left.signals, &right.waits),
        (&left.waits, &right.signals),
    ];
    let mut aliases = Vec::new();
    for (l, r) in pairs.into_iter().flat_map(|(l, r)| l.iter().flat_map(|l| r.iter().map(move |r| (l, r)))) {
        match l.meets(r) {
            Dependence::Independent => {}
            Dependence::Dependent => return Dependence::Dependent,
            Dependence::OnlyIfAlias(more) => aliases.extend(more),
        }
    }
    if aliases.is_empty() { Dependence::Independent } else { Dependence::OnlyIfAlias(aliases) }
}

impl Access {
    fn meets(&self, other: &Access) -> Dependence {
        let overlap = |(site, offset): &(Site, Offset)| {
            let same = other.places.iter().filter(|(there, _)| there == site);
            let (bytes, others) = (self.bytes, other.bytes);
            same.into_iter().any(|(_, there)| offset.overlaps(bytes, *there, others))
        };
        if !self.unknown && !other.unknown && !self.places.iter().any(overlap) {
            return Dependence::Independent;
        }
        let certain = self.is_certain() && other.is_certain();
        match (&self.addr, &other.addr) {
            (Some(left), Some(right)) if !certain && self.bytes != WHOLE && other.bytes != WHOLE => {
                Dependence::OnlyIfAlias(vec![Alias {
                    left: left.clone(),
                    left_bytes: self.bytes,
                    right: right.clone(),
                    right_bytes: other.bytes,
                }])
            }
            _ => Dependence::Dependent,
        }
    }

    /// Whether there is just one place where it goes, in an object that is the same for all threads.
    fn is_certain(&self) -> bool {
        matches!(self.places[..], [(Site::Static(_), Offset::Exactly(_))]) && !self.unknown
    }
}

impl Accesses {
    /// Whether another thread can notice it, or it can keep this or another thread from going on.
    pub fn is_visible(&self) -> bool {
        let Accesses { reads, writes, creates, joins, waits, signals, .. } = self;
        let touches = [reads, writes, waits, signals].iter().any(|set| !set.is_empty());
        let flags = [self.ends_program, self.prunes, self.blocks, self.ends_thread, self.ends_wait];
        touches || flags.contains(&true) || !creates.is_empty() || !joins.is_empty() || self.atomic != 0
    }

    /// Adds what is done `later` in the same section.
    pub fn then(&mut self, later: Accesses) {
        // Its addresses are not those of the section's start any more.
        let without_addr = |set: AccessSet| set.into_iter().map(|access| Access { addr: None, ..access });
        self.reads.extend(without_addr(later.reads));
        self.writes.extend(without_addr(later.writes));
        self.waits.extend(without_addr(later.waits));
        self.signals.extend(without_addr(later.signals));
        self.joins.extend(later.joins.iter().map(|_| None));
        self.creates.extend(later.creates);
        self.ends_program |= later.ends_program;
        self.prunes |= later.prunes;
        self.blocks |= later.blocks;
        self.ends_thread |= later.ends_thread;
        self.ends_wait |= later.ends_wait;
        self.atomic += later.atomic;
    }
}

impl Analysis<'_> {
    /// Whether another thread can notice the action at a location, or the action can keep a thread from going on.
    pub fn is_visible(&self, func: FuncId, loc: LocId) -> bool {
        self.accesses(func, loc).is_visible()
    }

    /// What the action at a location may do.
    pub fn accesses(&self, func: FuncId, loc: LocId) -> Accesses {
        let action = &self.program.functions[func].locations[loc].action;
        let mut accesses = Accesses::default();
        let starts = Starts::of(action);
        for footprint in footprints(&self.program.functions[func], action) {
            let bytes = match footprint.extent {
                Extent::Whole => WHOLE,
                other => other.bytes().unwrap_or(WHOLE),
            };
            let mut access = self.access(func, &footprint.addr, bytes, &starts, footprint.op);
            access.places.retain(|(site, _)| self.threads.is_contended(*site));
            if matches!(footprint.extent, Extent::Whole) {
                access.places.iter_mut().for_each(|place| place.1 = Offset::Any);
            }
            let set = if footprint.kind == Kind::Read { &mut accesses.reads } else { &mut accesses.writes };
            if access.unknown || !access.places.is_empty() {
                set.push(access);
            }
        }
        self.ghosts(func, loc, action, &starts, &mut accesses);
        accesses
    }

    fn access(&self, func: FuncId, addr: &Expr, bytes: u64, starts: &Starts, op: usize) -> Access {
        let targets = self.points_to.targets(func, addr);
        Access { places: targets.places, bytes, unknown: targets.unknown, addr: starts.at_start(addr, op) }
    }

    /// What an action does beyond its accesses to memory.
    fn ghosts(&self, func: FuncId, loc: LocId, action: &Action, starts: &Starts, accesses: &mut Accesses) {
        match action {
            Action::Ops { ops, .. } => {
                for (n, op) in ops.iter().enumerate() {
                    self.operation_ghosts(func, (loc, n), op, starts, accesses);
                }
                accesses.creates = self.points_to.started_by(func, loc);
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

    fn operation_ghosts(
        &self,
        func: FuncId,
        (loc, n): (LocId, usize),
        op: &Op,
        starts: &Starts,
        accesses: &mut Accesses,
    ) {
        match op {
            Op::Guard(_) => accesses.blocks = true,
            Op::Assume(_) => accesses.prunes = true,
            Op::AtomicBegin => accesses.atomic += 1,
            Op::AtomicEnd => accesses.atomic -= 1,
            Op::Join { handle, .. } => {
                accesses.blocks = true;
                accesses.joins.push(starts.at_start(handle, n));
            }
            Op::Detach { handle, .. } => accesses.joins.push(starts.at_start(handle, n)),
            Op::WaitBegin(cond) => accesses.waits.push(self.access(func, cond, 1, starts, n)),
            Op::Signal { cond, .. } => accesses.signals.push(self.access(func, cond, 1, starts, n)),
            Op::WaitEnd { .. } => {
                accesses.blocks = true;
                accesses.ends_wait = true;
            }
            Op::Alloc { storage: Storage::Frame, .. } => {
                let site = Site::Heap(func, loc, n as u32);
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
            | Op::Alloc { storage: Storage::Heap, .. }
            | Op::Realloc { .. }
            | Op::Free(_)
            | Op::Fence(_)
            | Op::Signed { .. }
            | Op::Create { .. } => {}
        }
    }

    /// What may be done from the action at a location on until no atomic section is left open: of an action that opens none,
    /// what it does itself; otherwise everything up to the section's end, calls included.
    pub fn section(&self, func: FuncId, loc: LocId) -> Accesses {
        /// Deeper nesting is taken to be this deep, so that the search ends.
        const MAX_DEPTH: i32 = 8;
        let mut all = self.accesses(func, loc);
        if all.atomic <= 0 {
            return all;
        }
        let mut seen: BTreeSet<(FuncId, LocId, i32)> = BTreeSet::new();
        let mut queue: Vec<(FuncId, LocId, i32)> = self.after(func, loc, all.atomic);
        while let Some((func, loc, depth)) = queue.pop() {
            if !seen.insert((func, loc, depth)) {
                continue;
            }
            let here = self.accesses(func, loc);
            let depth = (depth + here.atomic).min(MAX_DEPTH);
            all.then(here);
            if depth > 0 {
                queue.extend(self.after(func, loc, depth));
            }
        }
        all.atomic = 0;
        all
    }

    /// Where a section can go on: at the next location, in a callee, or (any of them) behind a call of this function.
    pub(super) fn after(&self, func: FuncId, loc: LocId, depth: i32) -> Vec<(FuncId, LocId, i32)> {
        let action = &self.program.functions[func].locations[loc].action;
        match action {
            Action::Call { callee, .. } => {
                let callees = self.points_to.callees(func, callee).into_iter();
                callees.map(|callee| (callee, self.program.functions[callee].entry, depth)).collect()
            }
            Action::Return(_) => self.behind_calls(func).map(|(func, loc)| (func, loc, depth)).collect(),
            _ => action.successors().map(|next| (func, next, depth)).collect(),
        }
    }

    fn behind_calls(&self, func: FuncId) -> impl Iterator<Item = (FuncId, LocId)> {
        let functions = self.program.functions.iter_enumerated();
        let locations = functions.flat_map(|(f, function)| function.locations.iter().map(move |l| (f, l)));
        locations.filter_map(move |(caller, location)| match &location.action {
            Action::Call { callee, next, .. } => {
                self.points_to.callees(caller, callee).contains(&func).then_some((caller, *next))
            }
            _ => None,
        })
    }
}

fn whole(site: Site) -> Access {
    Access { places: vec![(site, Offset::Any)], bytes: WHOLE, unknown: false, addr: None }
}

/// For each operation of a transaction, what its registers are in terms of those before the transaction.
struct Starts {
    /// By the operation from which on it holds; nothing if it cannot be said.
    registers: BTreeMap<(VarId, usize), Option<Expr>>,
    /// The first operation that writes memory.
    first_write: usize,
}

impl Starts {
    fn of(action: &Action) -> Starts {
        let mut starts = Starts { registers: BTreeMap::new(), first_write: usize::MAX };
        let Action::Ops { ops, .. } = action else { return starts };
        for (n, op) in ops.iter().enumerate() {
            let value = if let Op::Set { value, .. } = op { starts.at_start(value, n) } else { None };
            for var in super::footprint::results(op) {
                starts.registers.insert((var, n + 1), value.clone());
            }
            let writes = matches!(
                op,
                Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } | Op::Realloc { .. } | Op::Forget { .. }
            );
            if writes {
                starts.first_write = starts.first_write.min(n);
            }
        }
        starts
    }

    /// `e`, evaluated by operation `op`, in terms of the state before the action.
    fn at_start(&self, e: &Expr, op: usize) -> Option<Expr> {
        /// Greater expressions are not worth asking about.
        const MAX_NODES: usize = 500;
        let result = self.substituted(e, op)?;
        let mut n_nodes = 0;
        result.walk(&mut |_| n_nodes += 1);
        (n_nodes <= MAX_NODES).then_some(result)
    }

    fn substituted(&self, e: &Expr, op: usize) -> Option<Expr> {
        let part = |e: &Expr| self.substituted(e, op).map(Box::new);
        Some(match e {
            Expr::Reg(var, _) => {
                let set = self.registers.range((*var, 0)..=(*var, op)).next_back();
                return set.map_or_else(|| Some(e.clone()), |(_, value)| value.clone());
            }
            Expr::Load { .. } if op > self.first_write => return None,
            Expr::Load { addr, width, order } => {
                Expr::Load { addr: part(addr)?, width: *width, order: *order }
            }
            Expr::Unary(kind, e) => Expr::Unary(*kind, part(e)?),
            Expr::Binary(kind, l, r) => Expr::Binary(*kind, part(l)?, part(r)?),
            Expr::Cast(kind, width, e) => Expr::Cast(*kind, *width, part(e)?),
            Expr::Ite(cond, yes, no) => Expr::Ite(part(cond)?, part(yes)?, part(no)?),
            Expr::Const(..)
            | Expr::LocalAddr(..)
            | Expr::ObjectAddr(..)
            | Expr::FuncAddr(..)
            | Expr::SelfHandle(_) => e.clone(),
        })
    }
}
