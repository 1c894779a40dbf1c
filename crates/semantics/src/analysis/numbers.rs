//! What is known of numbers that are added to addresses: constants, multiples of constants, and their sums.
//!
//! Registers have one value for the whole run: what all their assignments have in common. Because unsigned registers may
//! wrap around, only the part of a stride that is a power of two survives in a register; within one expression,
//! `index * 24` is taken not to wrap (see [`offset`](super::offset)).

use crate::analysis::offset::{EVERY, Offset, gcd, remainder};
use base::IdxVec;
use program::{Action, BinOp, Cast, Expr, FuncId, Function, Op, Program, UnOp, VarId, VarKind, Width};
use std::collections::BTreeSet;

/// What is known of each register; nothing while no assignment to it has been seen.
#[derive(Debug)]
pub(super) struct Numbers {
    registers: IdxVec<FuncId, IdxVec<VarId, Option<Offset>>>,
}

impl Numbers {
    pub fn of(program: &Program) -> Numbers {
        let registers = program.functions.iter().map(|f| f.vars.iter().map(|_| None).collect()).collect();
        let mut numbers = Numbers { registers };
        for (func, function) in program.functions.iter_enumerated() {
            let set = variables_set(function);
            for var in function.vars.ids().filter(|var| !set.contains(var)) {
                numbers.registers[func][var] = Some(EVERY);
            }
            while numbers.update(func, function) {}
        }
        numbers
    }

    /// What is known of the value of `e` in `func`.
    pub fn of_expr(&self, func: FuncId, e: &Expr) -> Offset {
        // A register without a number is only ever set from itself.
        self.number(func, e).unwrap_or(EVERY)
    }

    fn update(&mut self, func: FuncId, function: &Function) -> bool {
        let mut changed = false;
        for location in function.locations.iter() {
            match &location.action {
                Action::Ops { ops, .. } => {
                    for op in ops {
                        let value = if let Op::Set { value, .. } = op {
                            self.number(func, value)
                        } else {
                            Some(EVERY)
                        };
                        for var in op.results() {
                            changed |= self.set(func, function, var, value);
                        }
                    }
                }
                Action::Call { ret: Some(var), .. } => changed |= self.set(func, function, *var, Some(EVERY)),
                _ => {}
            }
        }
        changed
    }

    fn set(&mut self, func: FuncId, function: &Function, var: VarId, value: Option<Offset>) -> bool {
        let (Some(value), VarKind::Register(width)) = (value, function.vars[var].kind) else { return false };
        let known = &mut self.registers[func][var];
        let value = wrapped(value, width);
        let joined = wrapped(known.map_or(value, |known| known.join(value)), width);
        // Counting down would lower the start step by step.
        let joined = match *known {
            Some(known) if known != joined && known.stride() == joined.stride() => {
                Offset::new(remainder(joined.start(), joined.stride().max(1)), joined.stride())
            }
            _ => joined,
        };
        let changed = *known != Some(joined);
        *known = Some(joined);
        changed
    }

    /// `None` if it is made from registers that are not known to be set yet.
    fn number(&self, func: FuncId, e: &Expr) -> Option<Offset> {
        let part = |e: &Expr| self.number(func, e);
        let found = match e {
            Expr::Const(value, width) => match i64::try_from(width.signed(*value)) {
                Ok(value) => Offset::Exactly(value),
                Err(_) => EVERY,
            },
            Expr::Reg(var, _) => self.registers[func][*var]?,
            Expr::Unary(UnOp::Neg, e) => Offset::Exactly(0).minus(part(e)?),
            Expr::Binary(op, l, r) => binary(*op, part(l)?, part(r)?),
            Expr::Cast(kind, width, e) => cast(*kind, *width, part(e)?),
            Expr::Ite(_, yes, no) => match (part(yes), part(no)) {
                (Some(yes), Some(no)) => yes.join(no),
                (known, None) | (None, known) => known?,
            },
            Expr::LocalAddr(..)
            | Expr::ObjectAddr(..)
            | Expr::FuncAddr(..)
            | Expr::SelfHandle(_)
            | Expr::SameObject(..)
            | Expr::Load { .. }
            | Expr::Unary(UnOp::Not | UnOp::FNeg, _) => EVERY,
        };
        Some(in_range(found, e.width()))
    }
}

/// The registers whose values come from the function itself: a parameter's does not, and what is never set is
/// indeterminate.
fn variables_set(function: &Function) -> BTreeSet<VarId> {
    let mut set: BTreeSet<VarId> = BTreeSet::new();
    for location in function.locations.iter() {
        match &location.action {
            Action::Ops { ops, .. } => set.extend(ops.iter().flat_map(Op::results)),
            Action::Call { ret, .. } => set.extend(ret),
            _ => {}
        }
    }
    function.params.iter().for_each(|param| _ = set.remove(param));
    set
}

/// A single number that does not fit its width as a signed one stands for another number.
fn in_range(number: Offset, width: Width) -> Offset {
    match number {
        Offset::Exactly(value)
            if width.signed(width.truncate(i128::from(value).cast_unsigned())) != i128::from(value) =>
        {
            EVERY
        }
        other => other,
    }
}

/// What is left of a number in a register of this width, which may wrap around.
fn wrapped(number: Offset, width: Width) -> Offset {
    let stride = number.stride();
    let power_of_two = if stride == 0 { 0 } else { 1 << stride.trailing_zeros().min(width.bits()).min(62) };
    in_range(Offset::new(number.start(), power_of_two), width)
}

fn binary(op: BinOp, left: Offset, right: Offset) -> Offset {
    match (op, left, right) {
        (BinOp::Add, ..) => left.plus(right),
        (BinOp::Sub, ..) => left.minus(right),
        (BinOp::Mul, other, Offset::Exactly(factor)) | (BinOp::Mul, Offset::Exactly(factor), other) => {
            other.times(factor)
        }
        (BinOp::Shl, _, Offset::Exactly(by @ 0..=62)) => left.times(1 << by),
        // Clearing low bits leaves a multiple of a power of two.
        (BinOp::And, _, Offset::Exactly(mask)) if mask != 0 => Offset::new(0, 1 << mask.trailing_zeros()),
        _ => EVERY,
    }
}

fn cast(kind: Cast, to: Width, inner: Offset) -> Offset {
    match (kind, inner) {
        (Cast::Sext, _) => inner,
        (Cast::Zext, Offset::Exactly(value)) if value < 0 => EVERY,
        (Cast::Zext, _) => inner,
        (Cast::Trunc, Offset::Exactly(_)) => EVERY,
        // What is cut off is a multiple of a power of two.
        (Cast::Trunc, _) => Offset::new(inner.start(), gcd(inner.stride(), 1 << to.bits().min(62))),
        (Cast::SToF | Cast::UToF | Cast::FToS | Cast::FToU | Cast::FToF, _) => EVERY,
    }
}
