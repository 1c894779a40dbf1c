//! Unsequenced side effects: `i = i++ + 1`, `a[i] = i++`, `f(i, i++)`.
//!
//! Where C leaves the order of two evaluations open, not only the order is open: a side effect on a scalar object that is unsequenced relative to another one on the same object, or to a
//! use of its value, is undefined (C11 6.5p2). Lowering has chosen an order ([`order`](super::order)), so that the machine sees nothing of it; here it is seen in the text.
//!
//! Unsequenced are the operands of an operator, the arguments of a call and the callee, and the two sides of an assignment. The effect of the assignment itself comes after the *values* of
//! both sides, but not after their effects, unless a sequence point lies between: the end of a call's arguments, a comma, `&&`, `||` and `?:`. Functions that are called do not overlap with the
//! rest of the expression, and the parts of an initialiser do not overlap with each other.
//!
//! An object is known by a variable and a constant distance from its start, or from where a variable points to that the expression does not change. What is evaluated under a condition only
//! (behind `&&`, `||` and `?:`) may happen or not: an expression in which it would be undefined has no model.
//!
//! # Direction of error
//! Misses: statements in expressions, and objects that two different pointers lead to (there the answer prints that it takes an order for granted). What is reported happens whenever the expression is
//! evaluated.

use super::function::Builder;
use crate::hir::{self, ExprKind, VarRef};
use program::{Expr, UndefinedKind};

/// A scalar object: of a variable, or where it points to.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Scalar {
    root: VarRef,
    through: bool,
    offset: u64,
}

/// What an evaluation does to scalar objects.
#[derive(Default)]
struct Effects {
    reads: Vec<Effect>,
    writes: Vec<Effect>,
    /// The writes that no sequence point separates from the value.
    pending: Vec<Effect>,
}

/// What happens to an object, perhaps only under a condition.
#[derive(Clone, Copy)]
struct Effect {
    on: Scalar,
    certain: bool,
}

/// Whether something is undefined: certainly, perhaps, or not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Conflict {
    Never,
    Perhaps,
    Always,
}

fn meeting(a: &[Effect], b: &[Effect]) -> Conflict {
    let pairs = a.iter().flat_map(|a| b.iter().filter(|b| a.on == b.on).map(move |b| a.certain && b.certain));
    pairs
        .map(|certain| if certain { Conflict::Always } else { Conflict::Perhaps })
        .max()
        .unwrap_or(Conflict::Never)
}

impl Effects {
    fn add(&mut self, other: Effects) {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.pending.extend(other.pending);
    }

    /// The same after a sequence point.
    fn complete(self) -> Effects {
        Effects { pending: Vec::new(), ..self }
    }

    /// The same under a condition.
    fn perhaps(mut self) -> Effects {
        for effect in self.reads.iter_mut().chain(&mut self.writes).chain(&mut self.pending) {
            effect.certain = false;
        }
        self
    }

    /// Whether one of two unsequenced evaluations writes what the other one reads or writes.
    fn conflict(&self, other: &Effects) -> Conflict {
        let pairs =
            [(&self.writes, &other.writes), (&self.writes, &other.reads), (&other.writes, &self.reads)];
        pairs.into_iter().map(|(a, b)| meeting(a, b)).max().unwrap_or(Conflict::Never)
    }
}

impl Builder<'_, '_> {
    /// Evaluations without an order: undefined if one changes what another one uses.
    pub(super) fn check_unsequenced<'e>(&mut self, operands: impl IntoIterator<Item = &'e hir::Expr>) {
        if !self.ctx.checks.undefined || self.declared.library {
            return;
        }
        let operands: Vec<Effects> = operands.into_iter().map(effects).collect();
        let pairs =
            (1..operands.len()).flat_map(|n| operands[..n].iter().zip(std::iter::repeat(&operands[n])));
        let worst = pairs.map(|(left, right)| left.conflict(right)).max();
        self.unsequenced_if(worst.unwrap_or(Conflict::Never));
    }

    /// An assignment: its sides are unsequenced, and its effect comes after their values only.
    pub(super) fn check_assignment(&mut self, lvalue: &hir::Expr, value: &hir::Expr, reads: bool) {
        if !self.ctx.checks.undefined || self.declared.library {
            return;
        }
        let (mut left, right) = (place(lvalue), effects(value));
        let written: Vec<Effect> = certain(lvalue).collect();
        if reads {
            left.reads.extend(&written);
        }
        let overlap = meeting(&written, &left.pending).max(meeting(&written, &right.pending));
        self.unsequenced_if(overlap.max(left.conflict(&right)));
    }

    fn unsequenced_if(&mut self, conflict: Conflict) {
        match conflict {
            Conflict::Never => {}
            Conflict::Perhaps => {
                self.unsupported("a variable that may be changed and used, or changed twice, in no order")
            }
            Conflict::Always => {
                let what = "a variable is changed and used, or changed twice, in no order";
                self.undefined_unless(Expr::truth(false), UndefinedKind::UnsequencedModification, what);
            }
        }
    }
}

/// The effects of evaluating an expression for its value.
fn effects(e: &hir::Expr) -> Effects {
    let mut found = Effects::default();
    match &e.kind {
        ExprKind::Load(lvalue) => {
            found.add(place(lvalue));
            found.reads.extend(certain(lvalue));
        }
        ExprKind::AddrOf(lvalue) => found.add(place(lvalue)),
        ExprKind::Convert(inner) | ExprKind::Neg(inner) | ExprKind::BitNot(inner) | ExprKind::Not(inner) => {
            found.add(effects(inner));
        }
        ExprKind::Binary(_, l, r)
        | ExprKind::PtrAdd { ptr: l, index: r, .. }
        | ExprKind::PtrDiff { left: l, right: r, .. } => {
            found.add(effects(l));
            found.add(effects(r));
        }
        ExprKind::Assign(lvalue, value) => assigned(&mut found, lvalue, value),
        ExprKind::AssignOp(compound) => {
            assigned(&mut found, &compound.lvalue, &compound.value);
            found.reads.extend(certain(&compound.lvalue));
        }
        ExprKind::Comma(first, second) => {
            found.add(effects(first).complete());
            found.add(effects(second));
        }
        ExprKind::LogAnd(first, second) | ExprKind::LogOr(first, second) => {
            found.add(effects(first).complete());
            found.add(effects(second).perhaps());
        }
        ExprKind::Cond(first, yes, no) => {
            found.add(effects(first).complete());
            found.add(effects(yes).perhaps());
            found.add(effects(no).perhaps());
        }
        ExprKind::Call { callee, args } => {
            found.add(effects(callee).complete());
            args.iter().for_each(|arg| found.add(effects(arg).complete()));
        }
        _ => {}
    }
    found
}

fn assigned(found: &mut Effects, lvalue: &hir::Expr, value: &hir::Expr) {
    found.add(place(lvalue));
    found.add(effects(value));
    found.writes.extend(certain(lvalue));
    found.pending.extend(certain(lvalue));
}

/// What happens to the object that an lvalue designates.
fn certain(lvalue: &hir::Expr) -> impl Iterator<Item = Effect> {
    scalar(lvalue).map(|on| Effect { on, certain: true }).into_iter()
}

/// The effects of finding out which object an lvalue designates.
fn place(lvalue: &hir::Expr) -> Effects {
    match &lvalue.kind {
        ExprKind::Deref(pointer) => effects(pointer),
        ExprKind::Member { base, .. } => place(base),
        ExprKind::Var(_) | ExprKind::Str(_) | ExprKind::Function(_) => Effects::default(),
        _ => effects(lvalue),
    }
}

/// The object that an lvalue designates, if it is known by name.
fn scalar(lvalue: &hir::Expr) -> Option<Scalar> {
    match &lvalue.kind {
        ExprKind::Var(root) => Some(Scalar { root: *root, through: false, offset: 0 }),
        ExprKind::Member { base, offset, bits: None } => {
            let base = scalar(base)?;
            Some(Scalar { offset: base.offset.wrapping_add(*offset), ..base })
        }
        ExprKind::Deref(pointer) => pointed_to(pointer),
        _ => None,
    }
}

/// The object at a pointer.
fn pointed_to(pointer: &hir::Expr) -> Option<Scalar> {
    match &pointer.kind {
        ExprKind::AddrOf(lvalue) => scalar(lvalue),
        ExprKind::PtrAdd { ptr, index, scale, negative: false } => {
            let base = pointed_to(ptr)?;
            let distance = constant(index)?.wrapping_mul(*scale);
            Some(Scalar { offset: base.offset.wrapping_add(distance), ..base })
        }
        ExprKind::Load(lvalue) => match lvalue.kind {
            ExprKind::Var(root) => Some(Scalar { root, through: true, offset: 0 }),
            _ => None,
        },
        _ => None,
    }
}

fn constant(index: &hir::Expr) -> Option<u64> {
    match &index.kind {
        ExprKind::Int(value) => Some(base::convert::low64(*value)),
        ExprKind::Convert(inner) => constant(inner),
        _ => None,
    }
}
