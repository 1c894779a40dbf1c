//! What a thread knows after an action: transfer functions of the checker's own.

use super::summary::{Range, Summary};
use crate::locksets::substituted;
use evidence::{Exit, Facts, Root, Term};
use program::{Action, BinOp, Expr, FuncId, Function, LocId, Op, Order, VarId};
use semantics::analysis::Site;
use semantics::analysis::offset::Offset;
use semantics::analysis::points_to::is_opaque;
use std::collections::BTreeSet;

/// An expression as a base and a constant distance.
pub(super) fn split(e: &Expr) -> (&Expr, i64) {
    let Expr::Binary(op @ (BinOp::Add | BinOp::Sub), base, distance) = e else { return (e, 0) };
    let Some(distance_bits) = distance.as_const() else { return (e, 0) };
    let Ok(distance) = i64::try_from(distance.width().signed(distance_bits)) else { return (e, 0) };
    let (base, from) = split(base);
    let to = if *op == BinOp::Add { from.wrapping_add(distance) } else { from.wrapping_sub(distance) };
    (base, to)
}

/// The term that an address is equal to, for a thread that knows `facts` at a location.
pub(super) fn term(
    summary: &Summary<'_>,
    (func, loc): (FuncId, LocId),
    facts: &Facts,
    e: &Expr,
) -> Option<Term> {
    let program = summary.analysis.program;
    let points_to = &summary.analysis.points_to;
    if e.width() != program.data_model.pointer() {
        return None;
    }
    match points_to.targets(func, e).only_place() {
        Some((site, offset)) if summary.once.is_single(program, site) => {
            return Some(Term { root: Root::Object(site), offset });
        }
        _ => {}
    }
    let (base, distance) = split(e);
    let from = match base {
        Expr::Reg(var, _) => match facts.terms.get(var) {
            Some(term) => *term,
            None => Term { root: Root::Register(*var), offset: 0 },
        },
        Expr::Load { addr, .. } => {
            let Some((Site::Static(object), at)) = points_to.targets(func, addr).only_place() else {
                return None;
            };
            if summary.is_alone(func, loc) || !summary.claimed.stable.contains(&(object, at)) {
                return None;
            }
            Term { root: Root::Content(object, at), offset: 0 }
        }
        _ => return None,
    };
    Some(Term { root: from.root, offset: from.offset.wrapping_add(distance) })
}

/// Whether an address is in an object, if in any, that the thread owns.
pub(super) fn owned(summary: &Summary<'_>, func: FuncId, facts: &Facts, e: &Expr) -> bool {
    match e {
        Expr::Reg(var, _) => facts.owned.contains(var),
        Expr::Binary(BinOp::Add | BinOp::Sub, base, distance) => {
            let distance = summary.analysis.points_to.targets(func, distance);
            distance.places.is_empty() && !distance.unknown && owned(summary, func, facts, base)
        }
        _ => false,
    }
}

/// Where a lock can be.
pub(super) fn lock_places(summary: &Summary<'_>, func: FuncId, lock: Term) -> Vec<(Site, Offset)> {
    let width = summary.analysis.program.data_model.pointer();
    let address = match lock.root {
        Root::Object(site) => return vec![(site, Offset::Exactly(lock.offset))],
        Root::Register(var) => Expr::Reg(var, width),
        Root::Content(object, at) => {
            let at = Expr::constant(u128::from(at.cast_unsigned()), width);
            let addr = Expr::binary(BinOp::Add, Expr::ObjectAddr(object, width), at);
            Expr::Load { addr: Box::new(addr), width, order: Order::Plain }
        }
    };
    let targets = summary.analysis.points_to.targets(func, &address);
    let distance = Offset::Exactly(lock.offset);
    targets.places.into_iter().map(|(site, offset)| (site, offset.plus(distance))).collect()
}

/// Whether some bytes may be among the words of a lock at one of these places.
pub(super) fn meets(summary: &Summary<'_>, places: &[(Site, Offset)], (site, offset, bytes): &Range) -> bool {
    places.iter().any(|(at, from)| {
        at == site
            && summary.words.iter().any(|(distance, length)| {
                from.plus(Offset::Exactly(*distance)).overlaps(*length, *offset, *bytes)
            })
    })
}

fn release<'r>(
    summary: &Summary<'_>,
    func: FuncId,
    facts: &mut Facts,
    written: impl Iterator<Item = &'r Range>,
) {
    let written: Vec<&Range> = written.collect();
    if written.is_empty() {
        return;
    }
    let lost = |lock: &Term| {
        let places = lock_places(summary, func, *lock);
        written.iter().any(|range| meets(summary, &places, range))
    };
    facts.locks.retain(|lock, _| !lost(lock));
    facts.if_zero.retain(|_, (lock, ..)| !lost(lock));
}

fn disown(summary: &Summary<'_>, func: FuncId, facts: &mut Facts, published: &BTreeSet<Site>) {
    let width = summary.analysis.program.data_model.pointer();
    facts.owned.retain(|var| {
        published.is_empty() || {
            let targets = summary.analysis.points_to.targets(func, &Expr::Reg(*var, width));
            !targets.places.iter().any(|(site, _)| published.contains(site))
        }
    });
}

/// A register has another value: nothing that speaks of it is known any more.
fn overwritten(facts: &mut Facts, var: VarId) {
    let root = Root::Register(var);
    facts.locks.retain(|lock, _| lock.root != root);
    facts.terms.retain(|register, term| *register != var && term.root != root);
    facts.if_zero.retain(|register, (lock, ..)| *register != var && lock.root != root);
    facts.owned.remove(&var);
}

/// Nothing is known of pointers in static words.
pub(super) fn without_contents(facts: &mut Facts) {
    let keeps = |term: &Term| !matches!(term.root, Root::Content(..));
    facts.locks.retain(|lock, _| keeps(lock));
    facts.terms.retain(|_, term| keeps(term));
    facts.if_zero.retain(|_, (lock, ..)| keeps(lock));
}

/// What is known when operation `n` of a transaction begins; locks as before the transaction.
pub(super) fn before(summary: &Summary<'_>, (func, loc): (FuncId, LocId), n: usize, facts: &Facts) -> Facts {
    let mut facts = facts.clone();
    if let Action::Ops { ops, .. } = summary.action(func, loc) {
        ops.iter().take(n).for_each(|op| operate(summary, (func, loc), op, &mut facts));
    }
    facts
}

fn operate(summary: &Summary<'_>, (func, loc): (FuncId, LocId), op: &Op, facts: &mut Facts) {
    if !facts.owned.is_empty() {
        let published = summary.publications(func, op, &|addr| owned(summary, func, facts, addr));
        disown(summary, func, facts, &published);
    }
    let known = facts.clone();
    op.results().for_each(|var| overwritten(facts, var));
    match op {
        Op::Set { var, value } => {
            let own = Root::Register(*var);
            if let Some(term) = term(summary, (func, loc), &known, value)
                && term.root != own
            {
                facts.terms.insert(*var, term);
            }
            if owned(summary, func, &known, value) {
                facts.owned.insert(*var);
            }
            if let Expr::Reg(from, _) = value
                && let Some(fact) = known.if_zero.get(from)
                && fact.0.root != own
            {
                facts.if_zero.insert(*var, *fact);
            }
        }
        Op::Alloc { var, .. } => {
            facts.owned.insert(*var);
        }
        Op::AtomicBegin => facts.atomic = true,
        Op::AtomicEnd => facts.atomic = false,
        _ => {}
    }
}

/// What is known at the next locations of the same function, for an action that neither calls nor ends.
pub(super) fn stepped(summary: &Summary<'_>, func: FuncId, loc: LocId, facts: &Facts) -> Vec<(LocId, Facts)> {
    match summary.action(func, loc) {
        Action::Ops { ops, next, .. } => {
            let mut after = before(summary, (func, loc), ops.len(), facts);
            release(summary, func, &mut after, summary.lock_writes(func, loc).iter());
            if let Some(acquired) = summary.acquired(func, loc)
                && let Some(lock) = term(summary, (func, loc), facts, acquired.lock)
                && !ops.iter().flat_map(Op::results).any(|var| lock.root == Root::Register(var))
            {
                match acquired.result {
                    None => hold(&mut after, lock, acquired.mode),
                    Some((var, busy)) => _ = after.if_zero.insert(var, (lock, acquired.mode, busy)),
                }
            }
            vec![(*next, after)]
        }
        Action::Branch { cond, yes, no } => {
            vec![(*yes, learned(facts, cond, true)), (*no, learned(facts, cond, false))]
        }
        _ => Vec::new(),
    }
}

fn hold(facts: &mut Facts, lock: Term, mode: semantics::analysis::lockset::Mode) {
    let strongest = facts.locks.get(&lock).copied().unwrap_or(mode).max(mode);
    facts.locks.insert(lock, strongest);
}

/// What a branch tells about locks that are held only if a register is 0.
fn learned(facts: &Facts, cond: &Expr, outcome: bool) -> Facts {
    let mut after = facts.clone();
    for (var, (lock, mode, busy)) in &facts.if_zero {
        let was_busy = substituted(cond, *var, *busy).is_none_or(|value| (value != 0) == outcome);
        if !was_busy {
            hold(&mut after, *lock, *mode);
        }
    }
    after
}

/// What a callee knows when it is entered.
pub(super) fn entered(
    summary: &Summary<'_>,
    at: (FuncId, LocId),
    args: &[Expr],
    callee: FuncId,
    facts: &Facts,
) -> Facts {
    let mut entered = Facts { atomic: facts.atomic, ..Facts::default() };
    for (lock, mode) in &facts.locks {
        if !matches!(lock.root, Root::Register(_)) {
            hold(&mut entered, *lock, *mode);
        }
    }
    for (param, arg) in summary.analysis.program.functions[callee].params.iter().zip(args) {
        if owned(summary, at.0, facts, arg) {
            entered.owned.insert(*param);
        }
        let Some(passed) = term(summary, at, facts, arg) else { continue };
        for (lock, mode) in facts.locks.iter().filter(|(lock, _)| lock.root == passed.root) {
            if matches!(lock.root, Root::Register(_)) {
                let offset = lock.offset.wrapping_sub(passed.offset);
                hold(&mut entered, Term { root: Root::Register(*param), offset }, *mode);
            }
        }
    }
    entered
}

/// What a caller knows when a callee has returned.
pub(super) fn came_back(
    summary: &Summary<'_>,
    at: (FuncId, LocId),
    callee: FuncId,
    exit: &Exit,
    facts: &Facts,
) -> Facts {
    let Action::Call { args, ret, .. } = summary.action(at.0, at.1) else { return Facts::default() };
    let mut after = facts.clone();
    release(summary, at.0, &mut after, summary.written[callee].iter());
    disown(summary, at.0, &mut after, &summary.published[callee]);
    if summary.alone[callee] {
        without_contents(&mut after);
    }
    let program = summary.analysis.program;
    let calls_nothing = summary.callees(callee, program.functions[callee].entry).is_empty();
    if !(is_opaque(program, callee) && calls_nothing) {
        after.atomic = exit.facts.atomic;
    }
    let params = &summary.analysis.program.functions[callee].params;
    for (lock, mode) in &exit.facts.locks {
        match lock.root {
            Root::Object(_) | Root::Content(..) => hold(&mut after, *lock, *mode),
            Root::Register(var) => {
                let mut passed = params.iter().zip(args).filter(|(param, _)| **param == var);
                let passed = passed.next().and_then(|(_, arg)| term(summary, at, facts, arg));
                if let Some(Term { root, offset }) = passed {
                    hold(&mut after, Term { root, offset: offset.wrapping_add(lock.offset) }, *mode);
                }
            }
        }
    }
    if let Some(ret) = ret {
        overwritten(&mut after, *ret);
        if exit.result_owned {
            after.owned.insert(*ret);
        }
    }
    after
}

/// What is left after a call of which nothing is known.
pub(super) fn only_registers(call: &Action, facts: &Facts) -> Facts {
    let mut left = Facts { terms: facts.terms.clone(), ..Facts::default() };
    without_contents(&mut left);
    if let Action::Call { ret: Some(ret), .. } = call {
        overwritten(&mut left, *ret);
    }
    left
}

/// What callers know when a function returns here.
pub(super) fn left(
    summary: &Summary<'_>,
    func: FuncId,
    result: Option<&Expr>,
    facts: &Facts,
    fixed: &BTreeSet<VarId>,
) -> Exit {
    let mut left = Exit {
        facts: Facts { atomic: facts.atomic, ..Facts::default() },
        result_owned: result.is_some_and(|result| owned(summary, func, facts, result)),
    };
    for (lock, mode) in &facts.locks {
        let lasts = match lock.root {
            Root::Object(_) | Root::Content(..) => true,
            Root::Register(var) => fixed.contains(&var),
        };
        if lasts {
            hold(&mut left.facts, *lock, *mode);
        }
    }
    left
}

/// The parameters that no action of a function changes.
pub(super) fn unchanged(function: &Function) -> BTreeSet<VarId> {
    let mut changed: BTreeSet<VarId> = BTreeSet::new();
    for location in function.locations.iter() {
        match &location.action {
            Action::Ops { ops, .. } => changed.extend(ops.iter().flat_map(Op::results)),
            Action::Call { ret, .. } => changed.extend(ret),
            _ => {}
        }
    }
    function.params.iter().copied().filter(|param| !changed.contains(param)).collect()
}
