//! The data-flow analysis of held locks: transfer functions and fixed points.

use super::{ByLocation, Held, Lock, Locksets, Mode, touches};
use crate::analysis::Analysis;
use crate::analysis::footprint::{Kind, footprints};
use crate::analysis::offset::{Offset, WHOLE};
use base::IdxVec;
use program::interp::value;
use program::{Action, Expr, FuncId, LocId, Op, SyncKind, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// How a transaction takes a lock, if it does.
pub(super) struct Taking {
    /// The address of the lock.
    object: Expr,
    mode: Mode,
    /// If it may fail: the register that is 0 if it did not, and what that is otherwise.
    result: Option<(VarId, u128)>,
}

/// The taking of a lock by an action.
fn taking(action: &Action) -> Option<Taking> {
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
            busy.as_const().filter(|busy| *busy != 0).map(|busy| (*var, busy))
        }
        _ => None,
    };
    (waits || result.is_some()).then(|| Taking { object: sync.object.clone(), mode, result })
}

/// All locks that are taken somewhere by their name.
pub(super) fn candidates(analysis: &Analysis<'_>) -> BTreeSet<Lock> {
    let mut found = BTreeSet::new();
    for (func, loc) in locations(analysis) {
        found.extend(taken_lock(analysis, func, loc).map(|(lock, _)| lock));
    }
    found
}

fn taken_lock(analysis: &Analysis<'_>, func: FuncId, loc: LocId) -> Option<(Lock, Taking)> {
    let taking = taking(&analysis.program.functions[func].locations[loc].action)?;
    let (site, offset) = analysis.points_to.targets(func, &taking.object).only_place()?;
    analysis.is_unique(site).then_some((Lock { site, offset }, taking))
}

/// The words of a lock: what its takers write.
pub(super) fn words(analysis: &Analysis<'_>, lock: Lock) -> Vec<(i64, u64)> {
    let mut found = BTreeSet::new();
    for (func, loc) in locations(analysis) {
        if taken_lock(analysis, func, loc).is_none_or(|(taken, _)| taken != lock) {
            continue;
        }
        let function = &analysis.program.functions[func];
        for footprint in footprints(function, &function.locations[loc].action) {
            let place = analysis.points_to.targets(func, &footprint.addr).only_place();
            if let (Some((site, offset)), Some(bytes)) = (place, footprint.extent.bytes())
                && site == lock.site
            {
                found.insert((offset, bytes));
            }
        }
    }
    found.into_iter().collect()
}

fn locations<'a>(analysis: &'a Analysis<'_>) -> impl Iterator<Item = (FuncId, LocId)> + 'a {
    let functions = analysis.program.functions.iter_enumerated();
    functions.flat_map(|(func, function)| function.locations.ids().map(move |loc| (func, loc)))
}

/// A lock that is taken, how, and what says whether it was.
type Taken = (Lock, Mode, Option<(VarId, u128)>);

/// What the analysis looks up again and again.
struct Flow<'a, 'p> {
    analysis: &'a Analysis<'p>,
    /// The locks that each location may give back or overwrite.
    drops: ByLocation<BTreeSet<Lock>>,
    /// The lock that each location takes.
    takes: ByLocation<Option<Taken>>,
    loss: IdxVec<FuncId, BTreeSet<Lock>>,
    leaves_atomic: IdxVec<FuncId, bool>,
    gain: IdxVec<FuncId, Option<Held>>,
}

/// The annotation for these locks, whether or not they are well-behaved.
pub(super) fn locksets(
    analysis: &Analysis<'_>,
    locks: BTreeSet<Lock>,
    alive: &ByLocation<Option<BTreeSet<usize>>>,
) -> Locksets {
    let mut flow = Flow::new(analysis, &locks);
    let nothing = || analysis.program.functions.iter().map(|f| f.locations.iter().map(|_| None).collect());
    let mut local: ByLocation<Option<Held>> = nothing().collect();
    let mut changed = true;
    while changed {
        changed = false;
        for func in analysis.program.functions.ids() {
            changed |= flow.summarise(func, &mut local[func]);
        }
    }
    let full = flow.spread_from_roots(nothing().collect());
    let Flow { loss, leaves_atomic, gain, .. } = flow;
    Locksets { locks, full, local, gain, loss, leaves_atomic, alive: alive.clone() }
}

impl<'a, 'p> Flow<'a, 'p> {
    fn new(analysis: &'a Analysis<'p>, locks: &BTreeSet<Lock>) -> Self {
        let words: BTreeMap<Lock, Vec<(i64, u64)>> =
            locks.iter().map(|lock| (*lock, words(analysis, *lock))).collect();
        let functions = || analysis.program.functions.iter_enumerated();
        let drops = functions().map(|(func, function)| {
            let here = |loc| dropped(analysis, func, loc, &words);
            function.locations.ids().map(here).collect()
        });
        let takes = functions().map(|(func, function)| {
            let here = |loc| {
                let (lock, taking) = taken_lock(analysis, func, loc)?;
                locks.contains(&lock).then_some((lock, taking.mode, taking.result))
            };
            function.locations.ids().map(here).collect()
        });
        let gain = functions().map(|_| None).collect();
        let (drops, takes) = (drops.collect(), takes.collect());
        let mut flow = Flow {
            analysis,
            drops,
            takes,
            loss: functions().map(|_| BTreeSet::new()).collect(),
            leaves_atomic: functions().map(|_| false).collect(),
            gain,
        };
        flow.collect_losses();
        flow
    }

    fn collect_losses(&mut self) {
        let mut changed = true;
        while changed {
            changed = false;
            for (func, loc) in locations(self.analysis) {
                let action = &self.analysis.program.functions[func].locations[loc].action;
                let mut lost = self.drops[func][loc].clone();
                let mut leaves = atomic_change(action) == Some(false);
                if let Action::Call { callee, .. } = action {
                    for callee in self.analysis.points_to.callees(func, callee) {
                        lost.extend(self.loss[callee].iter().copied());
                        leaves |= self.leaves_atomic[callee];
                    }
                }
                let before = (self.loss[func].len(), self.leaves_atomic[func]);
                self.loss[func].extend(lost);
                self.leaves_atomic[func] |= leaves;
                changed |= before != (self.loss[func].len(), self.leaves_atomic[func]);
            }
        }
    }

    /// Analyses a function from no locks on; returns true if what it gains has changed.
    fn summarise(&mut self, func: FuncId, local: &mut IdxVec<LocId, Option<Held>>) -> bool {
        *local = local.iter().map(|_| None).collect();
        self.run(func, Held::default(), local);
        let function = &self.analysis.program.functions[func];
        let mut gain: Option<Held> = None;
        for (loc, location) in function.locations.iter_enumerated() {
            if let (Action::Return(_), Some(held)) = (&location.action, &local[loc]) {
                let held = Held { if_zero: BTreeMap::new(), ..held.clone() };
                match &mut gain {
                    None => gain = Some(held),
                    Some(gain) => {
                        gain.meet(&held);
                    }
                }
            }
        }
        let changed = gain != self.gain[func];
        self.gain[func] = gain;
        changed
    }

    /// From `start` at the entry on, along all ways.
    fn run(&self, func: FuncId, start: Held, held: &mut IdxVec<LocId, Option<Held>>) {
        let mut queue = Vec::new();
        let entry = self.analysis.program.functions[func].entry;
        arrive(held, entry, start, &mut queue);
        while let Some(loc) = queue.pop() {
            let Some(before) = held[loc].clone() else { continue };
            for (next, after) in self.transfer(func, loc, &before) {
                arrive(held, next, after, &mut queue);
            }
        }
    }

    /// Everything that is reached from the roots, with what is held at all calls.
    fn spread_from_roots(&self, mut full: ByLocation<Option<Held>>) -> ByLocation<Option<Held>> {
        let mut entries: IdxVec<FuncId, Option<Held>> = full.iter().map(|_| None).collect();
        let mut queue = Vec::new();
        for root in self.analysis.threads.roots() {
            arrive(&mut entries, root.func, Held::default(), &mut queue);
        }
        while let Some(func) = queue.pop() {
            let Some(start) = entries[func].clone() else { continue };
            self.run(func, start, &mut full[func]);
            for (loc, location) in self.analysis.program.functions[func].locations.iter_enumerated() {
                let (Action::Call { callee, .. }, Some(held)) = (&location.action, &full[func][loc]) else {
                    continue;
                };
                let held = Held { if_zero: BTreeMap::new(), ..held.clone() };
                for callee in self.analysis.points_to.callees(func, callee) {
                    arrive(&mut entries, callee, held.clone(), &mut queue);
                }
            }
        }
        full
    }

    /// What is held at the next locations.
    fn transfer(&self, func: FuncId, loc: LocId, before: &Held) -> Vec<(LocId, Held)> {
        let action = &self.analysis.program.functions[func].locations[loc].action;
        match action {
            Action::Ops { ops, next, .. } => vec![(*next, self.transact(func, loc, action, ops, before))],
            Action::Branch { cond, yes, no } => {
                vec![(*yes, decided(before, cond, true)), (*no, decided(before, cond, false))]
            }
            Action::Call { callee, ret, next, .. } => {
                let callees = self.analysis.points_to.callees(func, callee);
                let mut after: Option<Held> = None;
                for callee in callees {
                    let Some(mut held) = self.called(callee, before) else { continue };
                    held.if_zero.retain(|var, _| Some(*var) != *ret);
                    match &mut after {
                        None => after = Some(held),
                        Some(after) => {
                            after.meet(&held);
                        }
                    }
                }
                after.map(|after| (*next, after)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn called(&self, callee: FuncId, before: &Held) -> Option<Held> {
        let gain = self.gain[callee].as_ref()?;
        let mut after = before.clone();
        after.drop_all(&self.loss[callee]);
        after.atomic = (after.atomic && !self.leaves_atomic[callee]) || gain.atomic;
        for (lock, mode) in &gain.locks {
            after.take(*lock, *mode);
        }
        Some(after)
    }

    fn transact(&self, func: FuncId, loc: LocId, action: &Action, ops: &[Op], before: &Held) -> Held {
        let mut after = before.clone();
        after.drop_all(&self.drops[func][loc]);
        for op in ops {
            let copied = match op {
                Op::Set { var, value: Expr::Reg(from, _) } => {
                    after.if_zero.get(from).copied().map(|fact| (*var, fact))
                }
                _ => None,
            };
            after.if_zero.retain(|var, _| op.results().all(|set| set != *var));
            after.if_zero.extend(copied);
        }
        match self.takes[func][loc] {
            Some((lock, mode, None)) => after.take(lock, mode),
            Some((lock, mode, Some((var, busy)))) => {
                after.if_zero.insert(var, (lock, mode, busy));
            }
            None => {}
        }
        after.atomic = atomic_change(action).unwrap_or(after.atomic);
        after
    }
}

impl Held {
    fn take(&mut self, lock: Lock, mode: Mode) {
        let known = self.locks.entry(lock).or_insert(mode);
        *known = (*known).max(mode);
    }
    fn drop_all(&mut self, lost: &BTreeSet<Lock>) {
        self.locks.retain(|lock, _| !lost.contains(lock));
        self.if_zero.retain(|_, (lock, ..)| !lost.contains(lock));
    }
}

/// A place where ways meet: what all of them hold.
fn arrive<I: base::Idx>(held: &mut IdxVec<I, Option<Held>>, at: I, arriving: Held, queue: &mut Vec<I>) {
    let changed = match &mut held[at] {
        Some(known) => known.meet(&arriving),
        unknown => {
            *unknown = Some(arriving);
            true
        }
    };
    if changed {
        queue.push(at);
    }
}

/// Whether a thread is in an atomic section after an action that enters or leaves one. (Leaving an inner one counts as
/// leaving all.)
fn atomic_change(action: &Action) -> Option<bool> {
    let Action::Ops { ops, .. } = action else { return None };
    if ops.iter().any(|op| matches!(op, Op::AtomicEnd)) {
        return Some(false);
    }
    ops.iter().any(|op| matches!(op, Op::AtomicBegin)).then_some(true)
}

/// What is held where `cond` has turned out to be `outcome`.
fn decided(before: &Held, cond: &Expr, outcome: bool) -> Held {
    let mut after = before.clone();
    for (var, (lock, mode, busy)) in &before.if_zero {
        let if_zero = with(cond, *var, 0);
        let if_busy = with(cond, *var, *busy);
        if let (Some(if_zero), Some(if_busy)) = (if_zero, if_busy)
            && (if_zero != 0) == outcome
            && (if_busy != 0) != outcome
        {
            after.take(*lock, *mode);
        }
    }
    after
}

/// The value of `e` if `var` is the only register in it and has this value.
fn with(e: &Expr, var: VarId, number: u128) -> Option<u128> {
    Some(match e {
        Expr::Const(constant, _) => *constant,
        Expr::Reg(v, width) if *v == var => width.truncate(number),
        Expr::Unary(op, e) => value::unary(*op, with(e, var, number)?, e.width()),
        Expr::Binary(op, l, r) => value::binary(*op, with(l, var, number)?, with(r, var, number)?, l.width()),
        Expr::Cast(kind, to, e) => value::cast(*kind, with(e, var, number)?, e.width(), *to),
        _ => return None,
    })
}

/// The locks whose words an action may write other than by taking them.
fn dropped(
    analysis: &Analysis<'_>,
    func: FuncId,
    loc: LocId,
    words: &BTreeMap<Lock, Vec<(i64, u64)>>,
) -> BTreeSet<Lock> {
    let function = &analysis.program.functions[func];
    let action = &function.locations[loc].action;
    let taken = taking(action).map(|taking| analysis.points_to.targets(func, &taking.object));
    let takes = |lock: &Lock| {
        taken.as_ref().is_some_and(|targets| {
            targets.places.iter().any(|(site, offset)| *site == lock.site && offset.contains(lock.offset))
        })
    };
    let mut found = BTreeSet::new();
    for footprint in footprints(function, action).iter().filter(|f| f.kind == Kind::Write) {
        let targets = analysis.points_to.targets(func, &footprint.addr);
        let mut places = targets.places;
        if footprint.extent.bytes().is_none() {
            places.iter_mut().for_each(|place| place.1 = Offset::Any);
        }
        let bytes = footprint.extent.bytes().unwrap_or(WHOLE);
        let met = words.iter().filter(|(lock, words)| {
            !takes(lock) && (targets.unknown || touches(&places, bytes, **lock, words))
        });
        found.extend(met.map(|(lock, _)| *lock));
    }
    found
}

/// Locks that a thread may give back or overwrite without certainly holding them, while other threads may hold them.
pub(super) fn broken(analysis: &Analysis<'_>, found: &Locksets) -> BTreeSet<Lock> {
    let words: BTreeMap<Lock, Vec<(i64, u64)>> =
        found.locks.iter().map(|lock| (*lock, words(analysis, *lock))).collect();
    let mut broken = BTreeSet::new();
    for (func, loc) in locations(analysis) {
        let Some(held) = &found.full[func][loc] else { continue };
        let gives_back_read = matches!(
            &analysis.program.functions[func].locations[loc].action,
            Action::Ops { sync: Some(sync), .. } if sync.kind == SyncKind::RwUnlock
        );
        for lock in dropped(analysis, func, loc, &words) {
            let fine = match held.locks.get(&lock) {
                Some(Mode::Write) => true,
                Some(Mode::Read) => gives_back_read,
                None => false,
            };
            if !fine && !found.is_alone(analysis, func, loc) {
                broken.insert(lock);
            }
        }
    }
    broken
}
