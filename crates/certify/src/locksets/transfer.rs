//! What an action does to the locks that its thread holds.

use program::interp::value;
use program::{Action, Expr, FuncId, LocId, Op, SyncKind, VarId};
use semantics::analysis::footprint::{Kind, footprints};
use semantics::analysis::lockset::{ByLocation, Held, Lock, Locksets, Mode};
use semantics::analysis::offset::{Offset, WHOLE};
use semantics::analysis::{Analysis, Targets};
use std::collections::{BTreeMap, BTreeSet};

/// A lock that is taken, how, and what says whether it was.
type Taken = (Lock, Mode, Option<(VarId, u128)>);

/// What an action other than a call does.
pub(super) struct Effect {
    /// The locks whose words it may write other than by taking them.
    pub(super) drops: BTreeSet<Lock>,
    /// The lock that it takes; if that can fail, the register that is 0 if it did not, and its other value.
    pub(super) takes: Option<Taken>,
    /// Whether it is in an atomic section afterwards, if it enters or leaves one.
    pub(super) section: Option<bool>,
}

/// The effect of every action.
pub(super) fn effects(analysis: &Analysis<'_>, claimed: &Locksets) -> ByLocation<Effect> {
    let words =
        claimed.locks.iter().map(|lock| (*lock, semantics::analysis::lockset::words(analysis, *lock)));
    let words: Words = words.collect();
    let functions = analysis.program.functions.iter_enumerated();
    let effects = functions.map(|(func, function)| {
        function.locations.ids().map(|loc| Effect::of(analysis, &words, func, loc)).collect()
    });
    effects.collect()
}

/// The bytes that the takers of each lock write.
type Words = BTreeMap<Lock, Vec<(i64, u64)>>;

impl Effect {
    fn of(analysis: &Analysis<'_>, words: &Words, func: FuncId, loc: LocId) -> Effect {
        let action = &analysis.program.functions[func].locations[loc].action;
        let Action::Ops { ops, .. } = action else {
            return Effect { drops: BTreeSet::new(), takes: None, section: None };
        };
        let enters = ops.iter().any(|op| matches!(op, Op::AtomicBegin)).then_some(true);
        let leaves = ops.iter().any(|op| matches!(op, Op::AtomicEnd)).then_some(false);
        let target = target(analysis, func, action);
        let takes = target.as_ref().and_then(|(targets, mode, result)| {
            let (site, offset) = targets.only_place()?;
            let lock = Lock { site, offset };
            words.contains_key(&lock).then_some((lock, *mode, *result))
        });
        let taken = target.as_ref().map(|(targets, ..)| targets);
        let drops =
            words.iter().filter(|(lock, words)| overwrites(analysis, (func, loc), **lock, words, taken));
        let drops = drops.map(|(lock, _)| *lock).collect();
        Effect { drops, takes, section: leaves.or(enters) }
    }
}

/// What a transaction that takes a lock can take, how, and what says whether it has.
type Target = (Targets, Mode, Option<(VarId, u128)>);

fn target(analysis: &Analysis<'_>, func: FuncId, action: &Action) -> Option<Target> {
    let Action::Ops { ops, sync: Some(sync), .. } = action else { return None };
    let mode = match sync.kind {
        SyncKind::Lock | SyncKind::TryLock | SyncKind::WriteLock => Mode::Write,
        SyncKind::ReadLock => Mode::Read,
        _ => return None,
    };
    let targets = analysis.points_to.targets(func, &sync.object);
    if ops.iter().any(|op| matches!(op, Op::Guard(_))) {
        return Some((targets, mode, None));
    }
    let Some(Op::Set { var, value: Expr::Ite(_, success, failure) }) = ops.last() else { return None };
    match (success.as_const(), failure.as_const()) {
        (Some(0), Some(busy)) if busy != 0 => Some((targets, mode, Some((*var, busy)))),
        _ => None,
    }
}

/// Returns true if the action writes bytes that takers of `lock` write, and is not itself a taker of it.
fn overwrites(
    analysis: &Analysis<'_>,
    (func, loc): (FuncId, LocId),
    lock: Lock,
    words: &[(i64, u64)],
    taken: Option<&Targets>,
) -> bool {
    let may_take = taken.is_some_and(|targets| {
        targets.places.iter().any(|(site, offset)| *site == lock.site && offset.contains(lock.offset))
    });
    if may_take {
        return false;
    }
    let function = &analysis.program.functions[func];
    let writes = footprints(function, &function.locations[loc].action);
    writes.iter().filter(|footprint| footprint.kind == Kind::Write).any(|footprint| {
        let targets = analysis.points_to.targets(func, &footprint.addr);
        let known = footprint.extent.bytes();
        let meets = |offset: &Offset| {
            let from = if known.is_some() { *offset } else { Offset::Any };
            let bytes = known.unwrap_or(WHOLE);
            words.iter().any(|(at, length)| from.overlaps(bytes, Offset::Exactly(*at), *length))
        };
        targets.unknown || targets.places.iter().any(|(site, offset)| *site == lock.site && meets(offset))
    })
}

/// What is held, at the locations of the same function where a thread goes on.
pub(super) fn after(
    analysis: &Analysis<'_>,
    claimed: &Locksets,
    effects: &ByLocation<Effect>,
    (func, loc): (FuncId, LocId),
    held: &Held,
) -> Vec<(LocId, Held)> {
    match &analysis.program.functions[func].locations[loc].action {
        Action::Ops { ops, next, .. } => {
            vec![(*next, transacted(&effects[func][loc], ops, held))]
        }
        Action::Branch { cond, yes, no } => {
            vec![(*yes, learned(held, cond, true)), (*no, learned(held, cond, false))]
        }
        Action::Call { callee, ret, next, .. } => {
            let callees = analysis.points_to.callees(func, callee).into_iter();
            let returned = callees.filter_map(|callee| returned(claimed, callee, *ret, held));
            returned.map(|held| (*next, held)).collect()
        }
        _ => Vec::new(),
    }
}

fn transacted(effect: &Effect, ops: &[Op], held: &Held) -> Held {
    let mut held = without(held, &effect.drops);
    for op in ops {
        let known = held.if_zero.clone();
        held.if_zero.retain(|var, _| !sets(op, *var));
        if let Op::Set { var, value: Expr::Reg(from, _) } = op
            && let Some(fact) = known.get(from)
        {
            held.if_zero.insert(*var, *fact);
        }
    }
    match effect.takes {
        Some((lock, mode, None)) => add(&mut held, lock, mode),
        Some((lock, mode, Some((var, busy)))) => {
            held.if_zero.insert(var, (lock, mode, busy));
        }
        None => {}
    }
    if let Some(inside) = effect.section {
        held.atomic = inside;
    }
    held
}

fn sets(op: &Op, register: VarId) -> bool {
    op.results().any(|var| var == register)
}

fn returned(claimed: &Locksets, callee: FuncId, ret: Option<VarId>, held: &Held) -> Option<Held> {
    let gain = claimed.gain[callee].as_ref()?;
    let mut held = without(held, &claimed.loss[callee]);
    held.if_zero.retain(|var, _| Some(*var) != ret);
    if claimed.leaves_atomic[callee] {
        held.atomic = false;
    }
    held.atomic |= gain.atomic;
    gain.locks.iter().for_each(|(lock, mode)| add(&mut held, *lock, *mode));
    Some(held)
}

fn without(held: &Held, lost: &BTreeSet<Lock>) -> Held {
    let mut held = held.clone();
    held.locks.retain(|lock, _| !lost.contains(lock));
    held.if_zero.retain(|_, (lock, ..)| !lost.contains(lock));
    held
}

fn add(held: &mut Held, lock: Lock, mode: Mode) {
    let strongest = held.locks.get(&lock).copied().unwrap_or(mode).max(mode);
    held.locks.insert(lock, strongest);
}

/// What a branch tells about locks that are held only if a register is 0.
fn learned(held: &Held, cond: &Expr, outcome: bool) -> Held {
    let mut after = held.clone();
    for (var, (lock, mode, busy)) in &held.if_zero {
        let possible = |number| substituted(cond, *var, number).is_none_or(|value| (value != 0) == outcome);
        if !possible(*busy) {
            add(&mut after, *lock, *mode);
        }
    }
    after
}

/// The value of `e` if the register `var` is `number` and no other is needed.
pub(crate) fn substituted(e: &Expr, var: VarId, number: u128) -> Option<u128> {
    match e {
        Expr::Const(constant, _) => Some(*constant),
        Expr::Reg(register, width) => (*register == var).then(|| width.truncate(number)),
        Expr::Unary(op, e) => Some(value::unary(*op, substituted(e, var, number)?, e.width())),
        Expr::Cast(kind, to, e) => Some(value::cast(*kind, substituted(e, var, number)?, e.width(), *to)),
        Expr::Binary(op, l, r) => {
            let (left, right) = (substituted(l, var, number)?, substituted(r, var, number)?);
            Some(value::binary(*op, left, right, l.width()))
        }
        _ => None,
    }
}
