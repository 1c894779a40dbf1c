//! What actions and functions may do to locks and to the secrecy of addresses, whatever is known: the flow-insensitive part.

use super::calls::Calls;
use base::IdxVec;
use program::{Action, Expr, FuncId, LocId, ObjectId, Op, SyncKind, VarId};
use semantics::Analysis;
use semantics::analysis::footprint::{Kind, footprints};
use semantics::analysis::lockset::{ByLocation, Mode};
use semantics::analysis::offset::{Offset, WHOLE};
use semantics::analysis::once::Once;
use semantics::analysis::{Site, Targets};
use std::collections::BTreeSet;

/// Bytes of the objects of a site.
pub(super) type Bytes = (Site, Offset, u64);

/// How a transaction takes a lock.
#[derive(Clone)]
pub(super) struct Taking {
    /// The address of the lock.
    pub object: Expr,
    pub mode: Mode,
    /// If it may fail: the register that is 0 if it did not, and what that is otherwise.
    pub result: Option<(VarId, u128)>,
}

/// What is looked up again and again.
pub(super) struct Effects<'a, 'p> {
    pub analysis: &'a Analysis<'p>,
    pub calls: &'a Calls,
    pub once: Once,
    pub alive: &'a ByLocation<Option<BTreeSet<usize>>>,
    /// Words that are written only while there is one thread.
    pub stable: BTreeSet<(ObjectId, i64)>,
    pub takes: ByLocation<Option<Taking>>,
    /// Where, relative to a lock's address, takers write, and how many bytes.
    pub words: BTreeSet<(i64, u64)>,
    /// The writes of each location to objects that hold locks, other than by taking one.
    pub overwrites: ByLocation<Vec<Bytes>>,
    /// The same for functions and what they call.
    pub loss: IdxVec<FuncId, BTreeSet<Bytes>>,
    /// The sites whose addresses functions and what they call may make known to other threads.
    pub publishes: IdxVec<FuncId, BTreeSet<Site>>,
    /// Functions in which, or in whose callees, the main thread can be alone.
    pub alone_inside: BTreeSet<FuncId>,
}

impl<'a, 'p> Effects<'a, 'p> {
    pub(super) fn of(
        analysis: &'a Analysis<'p>,
        calls: &'a Calls,
        alive: &'a ByLocation<Option<BTreeSet<usize>>>,
    ) -> Self {
        let program = analysis.program;
        let found = by_location(analysis, |func, loc| taking(analysis, func, loc));
        let takes =
            by_location(analysis, |func, loc| found[func][loc].as_ref().map(|(taking, _)| taking.clone()));
        let words =
            found.iter().flat_map(|at| at.iter()).flatten().flat_map(|(_, words)| words.iter().copied());
        let nothing = || program.functions.iter().map(|_| BTreeSet::new()).collect();
        let mut effects = Effects {
            analysis,
            calls,
            once: Once::of(analysis),
            alive,
            stable: BTreeSet::new(),
            words: words.collect(),
            takes,
            overwrites: by_location(analysis, |_, _| Vec::new()),
            loss: IdxVec::new(),
            publishes: nothing(),
            alone_inside: BTreeSet::new(),
        };
        effects.collect();
        effects
    }

    fn collect(&mut self) {
        let program = self.analysis.program;
        let lock_sites = self.lock_sites();
        let mut loss: IdxVec<FuncId, BTreeSet<Bytes>> =
            program.functions.iter().map(|_| BTreeSet::new()).collect();
        let mut publishes: IdxVec<FuncId, BTreeSet<Site>> =
            program.functions.iter().map(|_| BTreeSet::new()).collect();
        let mut alone = BTreeSet::new();
        let mut unstable: Vec<Bytes> = Vec::new();
        let mut pointers: BTreeSet<(ObjectId, i64)> = BTreeSet::new();
        for (func, function) in program.functions.iter_enumerated() {
            for loc in function.locations.ids() {
                let is_alone = self.is_alone(func, loc);
                if is_alone {
                    alone.insert(func);
                }
                let writes = self.writes(func, loc);
                if !is_alone {
                    let statics = writes.iter().filter(|(site, ..)| matches!(site, Site::Static(_)));
                    unstable.extend(statics);
                }
                if self.takes[func][loc].is_none() {
                    let met: Vec<Bytes> =
                        writes.into_iter().filter(|(site, ..)| lock_sites.contains(site)).collect();
                    loss[func].extend(met.iter().copied());
                    self.overwrites[func][loc] = met;
                }
                unstable.extend(self.analysis.points_to.foreign_reach(func, loc).map(super::locks::whole));
                publishes[func].extend(self.published(func, loc));
                pointers.extend(self.pointers_read(func, loc));
            }
        }
        self.loss = self.calls.accumulated(loss);
        self.publishes = self.calls.accumulated(publishes);
        self.alone_inside = self.calls.reaching(alone);
        let width = program.data_model.pointer().bytes();
        pointers.retain(|(object, at)| {
            let word = Offset::Exactly(*at);
            !unstable.iter().any(|(site, offset, bytes)| {
                *site == Site::Static(*object) && offset.overlaps(*bytes, word, width)
            })
        });
        self.stable = pointers;
    }

    /// Returns true if a thread at this location is the only one.
    pub(super) fn is_alone(&self, func: FuncId, loc: LocId) -> bool {
        let threads = &self.analysis.threads;
        threads.runners(func) == [0]
            && !threads.roots()[0].many
            && self.alive[func][loc].as_ref().is_some_and(BTreeSet::is_empty)
    }

    fn lock_sites(&self) -> BTreeSet<Site> {
        let mut found = BTreeSet::new();
        for (func, function) in self.analysis.program.functions.iter_enumerated() {
            for loc in function.locations.ids() {
                if let Some(taking) = &self.takes[func][loc] {
                    let targets = self.analysis.points_to.targets(func, &taking.object);
                    found.extend(targets.places.into_iter().map(|(site, _)| site));
                }
            }
        }
        found
    }

    /// All bytes that an action may write.
    fn writes(&self, func: FuncId, loc: LocId) -> Vec<Bytes> {
        let function = &self.analysis.program.functions[func];
        let mut found = Vec::new();
        for footprint in footprints(function, &function.locations[loc].action) {
            if footprint.kind == Kind::Write && !self.begins_or_ends(func, loc, footprint.op) {
                let targets = self.analysis.points_to.targets(func, &footprint.addr);
                found.extend(places(&targets, footprint.extent.bytes()));
            }
        }
        let reach = self.analysis.points_to.opaque_reach(func, loc);
        found.extend(reach.map(super::locks::whole));
        found
    }

    /// Returns true if an operation frees an object, or enters the declaration of one that cannot have been entered before. To use
    /// the locks of a freed object is undefined in C, and no thread reads what was written there.
    fn begins_or_ends(&self, func: FuncId, loc: LocId, op: usize) -> bool {
        match &self.analysis.program.functions[func].locations[loc].action {
            Action::Ops { ops, .. } => match &ops[op] {
                Op::Free(_) | Op::Realloc { .. } => true,
                Op::Forget { .. } => !self.once.is_repeated(func, loc),
                _ => false,
            },
            _ => false,
        }
    }

    /// Words of static objects that an action reads as pointers.
    fn pointers_read(&self, func: FuncId, loc: LocId) -> Vec<(ObjectId, i64)> {
        let program = self.analysis.program;
        let width = program.data_model.pointer().bytes();
        let function = &program.functions[func];
        let mut found = Vec::new();
        for footprint in footprints(function, &function.locations[loc].action) {
            if footprint.kind == Kind::Read && footprint.extent.bytes() == Some(width) {
                let place = self.analysis.points_to.targets(func, &footprint.addr).only_place();
                if let Some((Site::Static(object), at)) = place
                    && !program.objects[object].thread_local
                {
                    found.push((object, at));
                }
            }
        }
        found
    }

    /// The sites whose addresses an action may make known to other threads, whatever the ownership.
    fn published(&self, func: FuncId, loc: LocId) -> BTreeSet<Site> {
        let program = self.analysis.program;
        let function = &program.functions[func];
        let mut found = BTreeSet::new();
        if let Action::Ops { ops, .. } = &function.locations[loc].action {
            ops.iter().for_each(|op| found.extend(self.published_by(func, op, |_| false)));
        }
        found.extend(self.analysis.points_to.opaque_reach(func, loc));
        found.extend(self.analysis.points_to.foreign_reach(func, loc));
        found
    }

    /// The sites whose addresses an operation may make known to other threads, if objects at some addresses are owned.
    pub(super) fn published_by(
        &self,
        func: FuncId,
        op: &Op,
        owned: impl Fn(&Expr) -> bool,
    ) -> BTreeSet<Site> {
        let points_to = &self.analysis.points_to;
        let sites = |e: &Expr| -> BTreeSet<Site> {
            points_to.targets(func, e).places.into_iter().map(|(site, _)| site).collect()
        };
        let is_secret = |dst: &Expr| {
            let dst_sites = sites(dst);
            owned(dst)
                || (!dst_sites.is_empty() && dst_sites.iter().all(|s| !self.analysis.threads.escapes(*s)))
        };
        match op {
            Op::Store { addr, value, .. } => {
                let stored = sites(value);
                if stored.is_empty() || is_secret(addr) { BTreeSet::new() } else { points_to.closure(stored) }
            }
            Op::Copy { dst, src, .. } => {
                if is_secret(dst) {
                    return BTreeSet::new();
                }
                let held = sites(src).into_iter().flat_map(|site| points_to.held_by(site));
                points_to.closure(held.collect())
            }
            Op::Fill { dst, byte, .. } => {
                if is_secret(dst) {
                    BTreeSet::new()
                } else {
                    points_to.closure(sites(byte))
                }
            }
            Op::Create { arg, .. } => points_to.closure(sites(arg)),
            _ => BTreeSet::new(),
        }
    }
}

/// What an access of so many bytes (the whole object, if `None`) to these targets touches.
pub(super) fn places(targets: &Targets, bytes: Option<u64>) -> impl Iterator<Item = Bytes> {
    targets.places.iter().map(move |(site, offset)| match bytes {
        Some(bytes) => (*site, *offset, bytes),
        None => (*site, Offset::Any, WHOLE),
    })
}

fn by_location<T>(analysis: &Analysis<'_>, mut at: impl FnMut(FuncId, LocId) -> T) -> ByLocation<T> {
    let functions = analysis.program.functions.iter_enumerated();
    functions.map(|(func, function)| function.locations.ids().map(|loc| at(func, loc)).collect()).collect()
}

/// How an action takes a lock, and the bytes that it writes, relative to the lock.
fn taking(analysis: &Analysis<'_>, func: FuncId, loc: LocId) -> Option<(Taking, Vec<(i64, u64)>)> {
    let function = &analysis.program.functions[func];
    let action = &function.locations[loc].action;
    let Action::Ops { ops, sync: Some(sync), .. } = action else { return None };
    let mode = match sync.kind {
        SyncKind::Lock | SyncKind::TryLock | SyncKind::WriteLock => Mode::Write,
        SyncKind::ReadLock => Mode::Read,
        _ => return None,
    };
    let waits = ops.iter().any(|op| matches!(op, Op::Guard(_)));
    let result = match ops.last() {
        _ if waits => None,
        Some(Op::Set { var, value: Expr::Ite(_, zero, busy) }) if zero.as_const() == Some(0) => {
            Some((*var, busy.as_const().filter(|busy| *busy != 0)?))
        }
        _ => return None,
    };
    let (lock, at) = linear(&sync.object);
    let mut words = Vec::new();
    for footprint in footprints(function, action).iter().filter(|f| f.kind == Kind::Write) {
        let (base, offset) = linear(&footprint.addr);
        if base != lock {
            return None;
        }
        words.push((offset.wrapping_sub(at), footprint.extent.bytes()?));
    }
    Some((Taking { object: sync.object.clone(), mode, result }, words))
}

/// An expression as another one and a constant.
pub(super) fn linear(e: &Expr) -> (&Expr, i64) {
    match e {
        Expr::Binary(program::BinOp::Add, base, offset) if offset.as_const().is_some() => {
            let (base, at) = linear(base);
            (base, at.wrapping_add(signed(offset)))
        }
        Expr::Binary(program::BinOp::Sub, base, offset) if offset.as_const().is_some() => {
            let (base, at) = linear(base);
            (base, at.wrapping_sub(signed(offset)))
        }
        _ => (e, 0),
    }
}

/// A constant as a distance.
fn signed(e: &Expr) -> i64 {
    let value = e.width().signed(e.as_const().unwrap_or(0));
    i64::try_from(value).unwrap_or(0)
}
