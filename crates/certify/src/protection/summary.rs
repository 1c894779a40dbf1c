//! What actions and functions may do, whatever is known: writes to locks, publication of addresses.

use base::IdxVec;
use evidence::Protection;
use program::{Action, Expr, FuncId, LocId, ObjectId, Op, SyncKind, VarId};
use semantics::Analysis;
use semantics::analysis::footprint::{Kind, footprints};
use semantics::analysis::lockset::{ByLocation, Mode};
use semantics::analysis::offset::{Offset, WHOLE};
use semantics::analysis::once::Once;
use semantics::analysis::{Site, Targets};
use std::collections::BTreeSet;

/// Bytes of the objects of a site.
pub(super) type Range = (Site, Offset, u64);

/// A lock that a transaction takes: its address, how, and the register that says whether it was taken.
pub(super) struct Acquired<'a> {
    pub lock: &'a Expr,
    pub mode: Mode,
    pub result: Option<(VarId, u128)>,
}

pub(super) struct Summary<'a> {
    pub analysis: &'a Analysis<'a>,
    pub claimed: &'a Protection,
    pub once: Once,
    callees: ByLocation<Vec<FuncId>>,
    /// The bytes that takers write, relative to the lock.
    pub words: BTreeSet<(i64, u64)>,
    lock_sites: BTreeSet<Site>,
    /// Writes to static objects while there may be several threads.
    by_several: Vec<((FuncId, LocId), Range)>,
    /// What functions may write to objects with locks without taking one, callees included.
    pub written: IdxVec<FuncId, BTreeSet<Range>>,
    /// The sites that functions may publish, callees included.
    pub published: IdxVec<FuncId, BTreeSet<Site>>,
    /// Whether the main thread may be alone in a function or its callees.
    pub alone: IdxVec<FuncId, bool>,
}

impl<'a> Summary<'a> {
    pub(super) fn of(analysis: &'a Analysis<'a>, claimed: &'a Protection) -> Self {
        let program = analysis.program;
        let mut callees: ByLocation<Vec<FuncId>> = IdxVec::new();
        for (func, function) in program.functions.iter_enumerated() {
            let called = function
                .locations
                .iter_enumerated()
                .map(|(loc, location)| analysis.points_to.entered_by(func, loc, &location.action));
            callees.push(called.collect());
        }
        let mut summary = Summary {
            analysis,
            claimed,
            once: Once::of(analysis),
            callees,
            words: BTreeSet::new(),
            lock_sites: BTreeSet::new(),
            by_several: Vec::new(),
            written: program.functions.iter().map(|_| BTreeSet::new()).collect(),
            published: program.functions.iter().map(|_| BTreeSet::new()).collect(),
            alone: program.functions.iter().map(|_| false).collect(),
        };
        summary.collect_locks();
        summary.collect_own();
        summary.collect_from_callees();
        summary
    }

    pub(super) fn callees(&self, func: FuncId, loc: LocId) -> &[FuncId] {
        &self.callees[func][loc]
    }

    pub(super) fn action(&self, func: FuncId, loc: LocId) -> &'a Action {
        &self.analysis.program.functions[func].locations[loc].action
    }

    /// Whether the thread at a location is the only one.
    pub(super) fn is_alone(&self, func: FuncId, loc: LocId) -> bool {
        let threads = &self.analysis.threads;
        let no_other_lives = self.claimed.alive[func][loc].as_ref().is_some_and(|alive| alive.is_empty());
        no_other_lives && threads.runners(func) == [0] && !threads.roots()[0].many
    }

    /// The lock that an action takes, if what it writes is known relative to the lock.
    pub(super) fn acquired(&self, func: FuncId, loc: LocId) -> Option<Acquired<'a>> {
        let action = self.action(func, loc);
        let Action::Ops { ops, sync: Some(sync), .. } = action else { return None };
        let mode = match sync.kind {
            SyncKind::ReadLock => Mode::Read,
            SyncKind::Lock | SyncKind::TryLock | SyncKind::WriteLock => Mode::Write,
            _ => return None,
        };
        self.words_of(func, loc, &sync.object)?;
        if ops.iter().any(|op| matches!(op, Op::Guard(_))) {
            return Some(Acquired { lock: &sync.object, mode, result: None });
        }
        let Some(Op::Set { var, value: Expr::Ite(_, success, failure) }) = ops.last() else { return None };
        match (success.as_const(), failure.as_const()) {
            (Some(0), Some(busy)) if busy != 0 => {
                Some(Acquired { lock: &sync.object, mode, result: Some((*var, busy)) })
            }
            _ => None,
        }
    }

    fn words_of(&self, func: FuncId, loc: LocId, lock: &Expr) -> Option<Vec<(i64, u64)>> {
        let function = &self.analysis.program.functions[func];
        let (base, from) = super::transfer::split(lock);
        let mut words = Vec::new();
        for footprint in footprints(function, self.action(func, loc)) {
            if footprint.kind == Kind::Write {
                let (written, at) = super::transfer::split(&footprint.addr);
                if written != base {
                    return None;
                }
                words.push((at.wrapping_sub(from), footprint.extent.bytes()?));
            }
        }
        Some(words)
    }

    fn collect_locks(&mut self) {
        for (func, function) in self.analysis.program.functions.iter_enumerated() {
            for loc in function.locations.ids() {
                let Some(acquired) = self.acquired(func, loc) else { continue };
                let words = self.words_of(func, loc, acquired.lock).unwrap_or_default();
                let targets = self.analysis.points_to.targets(func, acquired.lock);
                self.lock_sites.extend(targets.places.iter().map(|(site, _)| *site));
                self.words.extend(words);
            }
        }
    }

    fn collect_own(&mut self) {
        for (func, function) in self.analysis.program.functions.iter_enumerated() {
            for loc in function.locations.ids() {
                let written = self.lock_writes(func, loc);
                self.written[func].extend(written);
                if let Action::Ops { ops, .. } = self.action(func, loc) {
                    for op in ops {
                        let published = self.publications(func, op, &|_| false);
                        self.published[func].extend(published);
                    }
                }
                let alone = self.is_alone(func, loc);
                self.alone[func] |= alone;
                if !alone {
                    let statics = self.writes(func, loc);
                    let statics = statics.into_iter().filter(|(site, ..)| matches!(site, Site::Static(_)));
                    self.by_several.extend(statics.map(|range| ((func, loc), range)));
                }
                let foreign: Vec<Site> = self.analysis.points_to.foreign_reach(func, loc).collect();
                let whole = foreign.iter().map(|site| ((func, loc), (*site, Offset::Any, WHOLE)));
                self.by_several.extend(whole);
                self.published[func].extend(foreign);
                self.published[func].extend(self.analysis.points_to.opaque_reach(func, loc));
            }
        }
    }

    /// Every function may do what its callees may: what is new in a callee is handed to those that call it.
    fn collect_from_callees(&mut self) {
        let mut calling: IdxVec<FuncId, BTreeSet<FuncId>> =
            self.callees.iter().map(|_| BTreeSet::new()).collect();
        for (func, at) in self.callees.iter_enumerated() {
            at.iter().flatten().for_each(|callee| _ = calling[*callee].insert(func));
        }
        let mut pending: Vec<(FuncId, Vec<Range>, Vec<Site>, bool)> = Vec::new();
        for func in calling.ids() {
            let written = self.written[func].iter().copied().collect();
            let published = self.published[func].iter().copied().collect();
            pending.push((func, written, published, self.alone[func]));
        }
        while let Some((callee, written, published, alone)) = pending.pop() {
            for func in calling[callee].iter().copied() {
                let written: Vec<Range> =
                    written.iter().copied().filter(|range| self.written[func].insert(*range)).collect();
                let published: Vec<Site> =
                    published.iter().copied().filter(|site| self.published[func].insert(*site)).collect();
                let alone = alone && !std::mem::replace(&mut self.alone[func], true);
                if alone || !written.is_empty() || !published.is_empty() {
                    pending.push((func, written, published, alone));
                }
            }
        }
    }

    /// The bytes of objects with locks that an action may write without taking one.
    pub(super) fn lock_writes(&self, func: FuncId, loc: LocId) -> Vec<Range> {
        if self.acquired(func, loc).is_some() {
            return Vec::new();
        }
        let mut found = self.writes(func, loc);
        found.retain(|(site, ..)| self.lock_sites.contains(site));
        found
    }

    /// All bytes that an action may write, but for the beginnings and ends of objects' lives.
    fn writes(&self, func: FuncId, loc: LocId) -> Vec<Range> {
        let program = self.analysis.program;
        let function = &program.functions[func];
        let action = self.action(func, loc);
        let mut found = Vec::new();
        for footprint in footprints(function, action) {
            let begins_or_ends = match action {
                Action::Ops { ops, .. } => match &ops[footprint.op] {
                    Op::Free(_) | Op::Realloc { .. } => true,
                    Op::Forget { .. } => !self.once.is_repeated(func, loc),
                    _ => false,
                },
                _ => false,
            };
            if footprint.kind == Kind::Write && !begins_or_ends {
                let targets = self.analysis.points_to.targets(func, &footprint.addr);
                found.extend(ranges(&targets, footprint.extent.bytes()));
            }
        }
        let opaque = self.analysis.points_to.opaque_reach(func, loc);
        found.extend(opaque.map(|site| (site, Offset::Any, WHOLE)));
        found
    }

    /// A place where a word of a static object is written while there may be several threads.
    pub(super) fn written_by_several(&self, object: ObjectId, at: i64) -> Option<(FuncId, LocId)> {
        let width = self.analysis.program.data_model.pointer().bytes();
        let word = Offset::Exactly(at);
        let meets = |(site, offset, bytes): &Range| {
            *site == Site::Static(object) && offset.overlaps(*bytes, word, width)
        };
        self.by_several.iter().find(|(_, range)| meets(range)).map(|(at, _)| *at)
    }

    /// The sites whose addresses an operation may make known to other threads.
    pub(super) fn publications(
        &self,
        func: FuncId,
        op: &Op,
        owned: &dyn Fn(&Expr) -> bool,
    ) -> BTreeSet<Site> {
        let points_to = &self.analysis.points_to;
        let named = |e: &Expr| points_to.targets(func, e).places.into_iter().map(|(site, _)| site);
        let (given, receiver): (Vec<Site>, Option<&Expr>) = match op {
            Op::Store { addr, value, .. } => (named(value).collect(), Some(addr)),
            Op::Fill { dst, byte, .. } => (named(byte).collect(), Some(dst)),
            Op::Copy { dst, src, .. } => {
                (named(src).flat_map(|site| points_to.held_by(site)).collect(), Some(dst))
            }
            Op::Create { arg, .. } => (named(arg).collect(), None),
            _ => return BTreeSet::new(),
        };
        if let Some(receiver) = receiver {
            let mut receivers = named(receiver).peekable();
            let known = receivers.peek().is_some();
            let private = known && receivers.all(|site| !self.analysis.threads.escapes(site));
            if given.is_empty() || private || owned(receiver) {
                return BTreeSet::new();
            }
        }
        points_to.closure(given.into_iter().collect())
    }
}

/// What an access of so many bytes (the whole object, if `None`) touches.
pub(super) fn ranges(targets: &Targets, bytes: Option<u64>) -> Vec<Range> {
    let places = targets.places.iter();
    let range = |(site, offset): &(Site, Offset)| match bytes {
        None => (*site, Offset::Any, WHOLE),
        Some(bytes) => (*site, *offset, bytes),
    };
    places.map(range).collect()
}
