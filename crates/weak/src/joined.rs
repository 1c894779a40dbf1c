//! Synchronisation objects of several words, as one word.
//!
//! The models of barriers and of readers–writer locks keep several words (how many threads have arrived, and in which generation; who writes, and how many
//! read), and each of their steps accesses some of them at once. An execution graph knows no such step: its read-modify-writes have one cell. But a step that loads all
//! words, changes some and stores all of them *is* a read-modify-write, of one wide word. So here every step of such an object accesses all bytes that any step does:
//!
//! | before | after |
//! |---|---|
//! | a load of a word | a part of what a load of everything has returned, at the beginning of the step |
//! | a store of a word | the same part of the register that is stored at the end of the step |
//! | one store of `ite(c, new, old)` | a store of `ite(c, everything with new, everything)`, which takes place if `c` holds ([`ReadModifyWrite`]) |
//!
//! Under sequential consistency nothing changes, because steps are atomic. Under a weak model this is what the step is meant to be: one access to the
//! object, as real implementations make it or guard it by a lock.
//!
//! # Direction of error
//! A step whose accesses are not understood stays as it is: then execution graphs have no meaning for it, and say so. So they do if something else accesses a part of
//! the object while there are several threads, because the sizes differ.
//!
//! [`ReadModifyWrite`]: program::memory_model::ReadModifyWrite

use program::{
    Action, BinOp, Cast, Expr, Function, LocId, Op, Order, Program, SyncKind, Var, VarKind, Width,
};

/// The widest access.
const MAX_BYTES: u64 = 16;

/// Objects whose steps access one another's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    Barrier,
    ReadersWriter,
}

impl Family {
    const ALL: [Family; 2] = [Family::Barrier, Family::ReadersWriter];

    fn of(kind: SyncKind) -> Option<Self> {
        match kind {
            SyncKind::Barrier => Some(Family::Barrier),
            SyncKind::ReadLock | SyncKind::WriteLock | SyncKind::RwUnlock => Some(Family::ReadersWriter),
            _ => None,
        }
    }
}

/// The program in which each step of a barrier or a readers–writer lock accesses one word; `None` if it has no such step.
pub(crate) fn joined(program: &Program) -> Option<Program> {
    let mut joined = None;
    for family in Family::ALL {
        let Some(width) = extent(program, family) else { continue };
        let program = joined.get_or_insert_with(|| program.clone());
        for function in program.functions.iter_mut() {
            for loc in function.locations.ids() {
                if let Some(ops) = joined_step(function, loc, family, width) {
                    let location = &mut function.locations[loc].action;
                    let Action::Ops { ops: old, .. } = location else {
                        unreachable!("a step has operations")
                    };
                    *old = ops;
                }
            }
        }
    }
    joined
}

/// How much of its object the steps of a family access, from its beginning; `None` if there is no such step, or an access that is not understood.
fn extent(program: &Program, family: Family) -> Option<Width> {
    let mut end = 0;
    for function in program.functions.iter() {
        for location in function.locations.iter() {
            let Some((object, ops)) = step_of(&location.action, family) else { continue };
            for (addr, width) in accesses(ops) {
                end = end.max(offset_in(addr, object)? + width.bytes());
            }
        }
    }
    (1..=MAX_BYTES).contains(&end).then(|| Width::of_bytes(end))
}

/// The object and the operations of a step of a family.
fn step_of(action: &Action, family: Family) -> Option<(&Expr, &[Op])> {
    match action {
        Action::Ops { ops, sync: Some(sync), .. } if Family::of(sync.kind) == Some(family) => {
            Some((&sync.object, ops))
        }
        _ => None,
    }
}

/// What a step accesses of memory.
fn accesses(ops: &[Op]) -> Vec<(&Expr, Width)> {
    let mut found = Vec::new();
    for op in ops {
        if let Op::Store { addr, value, .. } = op {
            found.push((addr, value.width()));
        }
        op.each_expr(&mut |expr| {
            expr.walk(&mut |part| {
                if let Expr::Load { addr, width, .. } = part {
                    found.push((addr, *width));
                }
            });
        });
    }
    found
}

/// How far behind the beginning of `object` an address is.
fn offset_in(addr: &Expr, object: &Expr) -> Option<u64> {
    let parts = |expr: &Expr| match expr {
        Expr::Binary(BinOp::Add, base, known) => match known.as_const() {
            Some(known) => ((**base).clone(), u64::try_from(known).ok()),
            None => (expr.clone(), Some(0)),
        },
        other => (other.clone(), Some(0)),
    };
    let ((base, offset), (begin, first)) = (parts(addr), parts(object));
    if base == begin { offset?.checked_sub(first?) } else { None }
}

/// Returns true if a store puts back what the step has loaded from the same address, unless a condition holds.
fn keeps(before: &[Op], store: &Op) -> bool {
    let Op::Store { addr, value: Expr::Ite(_, _, kept), .. } = store else { return false };
    let Expr::Reg(kept, _) = **kept else { return false };
    before.iter().any(|op| match op {
        Op::Set { var, value: Expr::Load { addr: from, .. } } => *var == kept && **from == *addr,
        _ => false,
    })
}

/// A step that accesses its object as a whole, while it is put together.
struct Joiner<'f> {
    function: &'f mut Function,
    object: Expr,
    whole: Width,
    /// The register with what the object holds now.
    current: Expr,
    ops: Vec<Op>,
}

/// The operations of a step that is one access to the whole object.
fn joined_step(function: &mut Function, loc: LocId, family: Family, whole: Width) -> Option<Vec<Op>> {
    let (object, ops) = step_of(&function.locations[loc].action, family)?;
    let (object, ops) = (object.clone(), ops.to_vec());
    let order = loaded_with(&ops).unwrap_or(Order::SeqCst);
    let current = Expr::Const(0, whole);
    let mut joiner = Joiner { function, object: object.clone(), whole, current, ops: Vec::new() };
    joiner.hold(Expr::Load { addr: Box::new(object.clone()), width: whole, order });
    let before = joiner.current.clone();
    let n_stores = ops.iter().filter(|op| matches!(op, Op::Store { .. })).count();
    let (mut stored, mut condition) = (None, None);
    for n in 0..ops.len() {
        let mut op = ops[n].clone();
        op.each_expr_mut(&mut |expr| joiner.split(expr));
        match op {
            Op::Store { addr, value, order } => {
                stored = Some(order);
                let value = match value {
                    Expr::Ite(cond, new, _) if n_stores == 1 && keeps(&ops[..n], &ops[n]) => {
                        condition = Some(*cond);
                        *new
                    }
                    value => value,
                };
                let with_value = joiner.with(offset_in(&addr, &object)?, value);
                joiner.hold(with_value);
            }
            op => joiner.ops.push(op),
        }
    }
    if let Some(order) = stored {
        let now = joiner.current.clone();
        let value = if let Some(cond) = condition { Expr::ite(cond, now, before) } else { now };
        joiner.ops.push(Op::Store { addr: object, value, order });
    }
    Some(joiner.ops)
}

/// The order of the first load of a step.
fn loaded_with(ops: &[Op]) -> Option<Order> {
    let mut found = None;
    for op in ops {
        op.each_expr(&mut |expr| {
            expr.walk(&mut |part| {
                if let Expr::Load { order, .. } = part {
                    found.get_or_insert(*order);
                }
            });
        });
    }
    found
}

impl Joiner<'_> {
    /// The object holds `value` from now on.
    fn hold(&mut self, value: Expr) {
        let name = format!("$whole{}", self.function.vars.len());
        let kind = VarKind::Register(self.whole);
        let var = self.function.vars.push(Var { name, kind, temporary: true });
        self.ops.push(Op::Set { var, value });
        self.current = Expr::Reg(var, self.whole);
    }

    /// Replaces loads by parts of what the object holds.
    fn split(&self, expr: &mut Expr) {
        expr.walk_mut(&mut |part| {
            if let Expr::Load { addr, width, .. } = part
                && let Some(offset) = offset_in(addr, &self.object)
            {
                let behind = Expr::binary(BinOp::LShr, self.current.clone(), self.bits(offset));
                *part = Expr::cast(Cast::Trunc, *width, behind);
            }
        });
    }

    /// What the object holds, with another value at an offset.
    fn with(&self, offset: u64, value: Expr) -> Expr {
        let mask = Expr::constant(!(value.width().mask() << (8 * offset)), self.whole);
        let others = Expr::binary(BinOp::And, self.current.clone(), mask);
        let value = Expr::cast(Cast::Zext, self.whole, value);
        let value = Expr::binary(BinOp::Shl, value, self.bits(offset));
        Expr::binary(BinOp::Or, others, value)
    }

    /// The position of a byte, in bits.
    fn bits(&self, offset: u64) -> Expr {
        Expr::constant(u128::from(8 * offset), self.whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::memory_model::ReadModifyWrite;

    fn steps(body: &str) -> Vec<Vec<Op>> {
        let text = format!(
            "program lp64
            object o: 32
            function main() -> 32 {{ reg a, b, c: 32
                {body}
                return 0 }}"
        );
        let program = program::text::parse(&text).expect("the text should be a program");
        let joined = joined(&program).expect("there should be a step of several words");
        let steps = joined.functions.iter().next().expect("there should be a function").locations.iter();
        steps.filter(|location| !location.action.ops().is_empty()).map(|l| l.action.ops().to_vec()).collect()
    }

    #[test]
    fn a_barrier_is_one_word() {
        let steps = steps(
            "#barrier(&o) a = [&o + 4]:32!sc + 1; b = [&o + 8]:32!sc; [&o + 4]:32!sc = a; [&o + 8]:32!sc = b + [&o]:32!sc
             #barrier(&o) guard [&o + 8]:32!sc != b",
        );
        for ops in &steps {
            assert!(accesses(ops).iter().all(|(_, width)| width.bytes() == 12), "{ops:?}");
        }
        let rmw = ReadModifyWrite::of(&steps[0]).expect("arriving should be a read-modify-write");
        assert!(rmw.stores_if.is_none() && ReadModifyWrite::of(&steps[1]).is_none());
    }

    #[test]
    fn what_is_put_back_is_not_stored() {
        let steps = steps(
            "#readlock(&o) a = [&o]:32!acq; b = [&o + 4]:32!acq; [&o + 4]:32!acq = ite(a == 0, b + 1, b); c = a",
        );
        let rmw = ReadModifyWrite::of(&steps[0]).expect("locking should be a read-modify-write");
        assert!(rmw.stores_if.is_some() && rmw.order == Order::Acquire, "{rmw:?}");
    }
}
