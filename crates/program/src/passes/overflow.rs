//! What signed overflow means: an error, or nothing.
//!
//! Expressions wrap around. Where C computes on *signed* integers, so that an overflow is undefined, lowering leaves a marker ([`Op::Signed`]) in the
//! transaction that evaluates the operation, before it and at the point of C's order of evaluation. This pass replaces all markers:
//!
//! | meaning | `A; signed add(a, b); B`, to `N` becomes |
//! |---|---|
//! | [`Overflow::IsError`] | `A`, then `if fits(a + b)` to `B`, to `N`, else `error no-overflow` |
//! | [`Overflow::Wraps`] | `A; B`, to `N` (SOUNDNESS: A3) |
//!
//! A marker is a place where a transaction may be cut in two: what the library promises to be atomic has none. The check reads
//! registers only (lowering loads memory into temporaries before it computes), so that it is a step that no other thread notices. It is exact: an
//! operation fits if computing with twice the width gives the same ([`fits()`]).

use super::control_flow::compact;
use crate::{
    Action, BinOp, Cast, Expr, Function, LocId, Location, Op, Program, Property, SignedOp, Undefined,
    UndefinedKind, Var, VarId, VarKind, Width,
};
use base::{Idx, Span};
use std::collections::BTreeSet;

/// What happens when signed arithmetic overflows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overflow {
    /// The result wraps around.
    Wraps,
    /// The property `no-overflow` is violated, and the execution ends.
    IsError,
    /// C leaves the execution undefined.
    IsUndefined,
}

const MESSAGE: &str = "signed overflow";

/// Gives signed overflow a meaning in all functions; no marker is left.
pub fn overflow(program: &mut Program, meaning: Overflow) {
    for function in program.functions.iter_mut() {
        match meaning {
            Overflow::Wraps => drop_markers(function),
            Overflow::IsError => Checking::of(
                function,
                Action::Error { property: Property::NoOverflow, message: MESSAGE.to_owned() },
            )
            .run(),
            Overflow::IsUndefined => {
                let undefined = Undefined::new(UndefinedKind::SignedOverflow, MESSAGE.to_owned());
                Checking::of(function, Action::Undefined(undefined)).run();
            }
        }
    }
}

fn is_marker(op: &Op) -> bool {
    matches!(op, Op::Signed { .. })
}

/// Drops markers, and the steps that were made for them alone.
fn drop_markers(function: &mut Function) {
    let mut alias: Vec<Option<LocId>> = vec![None; function.locations.len()];
    for loc in function.locations.ids() {
        let Action::Ops { ops, sync, next } = &mut function.locations[loc].action else { continue };
        if ops.iter().any(is_marker) {
            ops.retain(|op| !is_marker(op));
            alias[loc.index()] = (ops.is_empty() && sync.is_none() && *next != loc).then_some(*next);
        }
    }
    compact(function, &alias);
}

/// A function in which markers become checks.
struct Checking<'f> {
    names: BTreeSet<String>,
    function: &'f mut Function,
    /// What happens then.
    overflows: Action,
}

impl<'f> Checking<'f> {
    fn of(function: &'f mut Function, overflows: Action) -> Self {
        Self { names: function.vars.iter().map(|var| var.name.clone()).collect(), function, overflows }
    }

    fn run(mut self) {
        for loc in self.function.locations.ids().collect::<Vec<_>>() {
            let Location { action: Action::Ops { ops, .. }, span } = &mut self.function.locations[loc] else {
                continue;
            };
            if ops.iter().any(is_marker) {
                let (ops, span) = (std::mem::take(ops), *span);
                self.split(loc, ops, span);
            }
        }
        let none = vec![None; self.function.locations.len()];
        compact(self.function, &none);
    }

    /// Spreads operations over a chain of locations that starts at `here` and ends with the action that is there.
    fn split(&mut self, mut here: LocId, ops: Vec<Op>, span: Span) {
        let Action::Ops { sync, next, .. } = self.function.locations[here].action.clone() else { return };
        let mut segment = Vec::new();
        for op in ops {
            let Op::Signed { op, left, right, span: at } = op else {
                segment.push(op);
                continue;
            };
            let (left, right) = (self.leaf(left, &mut segment), self.leaf(right, &mut segment));
            let fits = self.fits(op, &left, &right);
            if fits.as_const().is_some_and(|value| value != 0) {
                continue;
            }
            if !segment.is_empty() {
                let next = self.open();
                let ops = std::mem::take(&mut segment);
                self.fill(here, Action::Ops { ops, sync: None, next }, span);
                here = next;
            }
            let error = self.overflows.clone();
            if fits.as_const().is_some() {
                return self.fill(here, error, at);
            }
            let (yes, no) = (self.open(), self.open());
            self.fill(here, Action::Branch { cond: fits, yes, no }, at);
            self.fill(no, error, at);
            here = yes;
        }
        self.fill(here, Action::Ops { ops: segment, sync, next }, span);
    }

    /// The condition that an operation has a result. C leaves left shifts of negative numbers undefined (C11 6.5.7p4), although they do not overflow.
    fn fits(&self, op: SignedOp, left: &Expr, right: &Expr) -> Expr {
        let fits = fits(op, left, right);
        if op != SignedOp::Shl || !matches!(self.overflows, Action::Undefined(_)) {
            return fits;
        }
        let zero = Expr::constant(0, left.width());
        let natural = Expr::binary(BinOp::SLe, zero, left.clone());
        match natural.as_const() {
            Some(0) => natural,
            Some(_) => fits,
            None => Expr::binary(BinOp::And, natural, fits),
        }
    }

    fn open(&mut self) -> LocId {
        self.function.locations.push(Location { action: Action::Exit, span: Span::NOWHERE })
    }

    fn fill(&mut self, loc: LocId, action: Action, span: Span) {
        self.function.locations[loc] = Location { action, span };
    }

    /// `operand`, or a temporary that `segment` sets to it: a check repeats its operands.
    fn leaf(&mut self, operand: Expr, segment: &mut Vec<Op>) -> Expr {
        if operand.children().next().is_none() {
            return operand;
        }
        let width = operand.width();
        let var = self.temporary(width);
        segment.push(Op::Set { var, value: operand });
        Expr::Reg(var, width)
    }

    fn temporary(&mut self, width: Width) -> VarId {
        let n = self.function.vars.len();
        let mut names = (n..).map(|n| format!("operand.{n}"));
        let name = names.find(|name| !self.names.contains(name)).expect("some name should be free");
        self.names.insert(name.clone());
        self.function.vars.push(Var { name, kind: VarKind::Register(width), temporary: true })
    }
}

/// The condition that the exact result of an operation on signed integers fits into the operands' width, as one bit. A remainder fits if the quotient does.
pub fn fits(op: SignedOp, left: &Expr, right: &Expr) -> Expr {
    let op = if op == SignedOp::Rem { SignedOp::Div } else { op };
    let width = left.width();
    let result = Expr::binary(op.wrapping(), left.clone(), right.clone());
    // One quotient does not fit, which is cheaper to say than to divide once more, in twice the width.
    if width.bits() > 64 || op == SignedOp::Div {
        return fits_without_widening(op, left, right, result);
    }
    // Twice the width holds the exact result; the amount of a shift is less than the width.
    let double = Width(width.0 * 2);
    let wide = |e: &Expr| Expr::cast(Cast::Sext, double, e.clone());
    let exact = Expr::binary(op.wrapping(), wide(left), wide(right));
    if op == SignedOp::Mul {
        // One multiplication instead of two, and a question that ranges of numbers answer.
        let least = Expr::constant(1 << (width.bits() - 1), width);
        let greatest = Expr::constant(width.mask() >> 1, width);
        let above = Expr::binary(BinOp::SLe, wide(&least), exact.clone());
        return Expr::binary(BinOp::And, above, Expr::binary(BinOp::SLe, exact, wide(&greatest)));
    }
    Expr::binary(BinOp::Eq, exact, Expr::cast(Cast::Sext, double, result))
}

/// The same for operands that cannot be widened: by the signs of sums, and by undoing products and shifts.
fn fits_without_widening(op: SignedOp, left: &Expr, right: &Expr, result: Expr) -> Expr {
    let width = left.width();
    let zero = Expr::constant(0, width);
    let minus_one = Expr::constant(width.mask(), width);
    let least = Expr::constant(1 << (width.bits() - 1), width);
    let is = |e: &Expr, value: &Expr| Expr::binary(BinOp::Eq, e.clone(), value.clone());
    let is_negative = |e: &Expr| Expr::binary(BinOp::SLt, e.clone(), zero.clone());
    let differ = |a: &Expr, b: &Expr| Expr::binary(BinOp::Xor, is_negative(a), is_negative(b));
    let both = |a: Expr, b: Expr| Expr::binary(BinOp::And, a, b);
    match op {
        SignedOp::Add => both(differ(&result, left), differ(&result, right)).negated(),
        SignedOp::Sub => both(differ(&result, left), differ(left, right)).negated(),
        SignedOp::Div | SignedOp::Rem => both(is(left, &least), is(right, &minus_one)).negated(),
        SignedOp::Shl => is(&Expr::binary(BinOp::AShr, result, right.clone()), left),
        SignedOp::Mul => {
            let is_undone = is(&Expr::binary(BinOp::SDiv, result, left.clone()), right);
            let wraps = both(is(left, &minus_one), is(right, &least));
            Expr::ite(is(left, &zero), Expr::truth(true), both(is_undone, wraps.negated()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways to say that a result fits, on all operands of up to four bits.
    #[test]
    fn fitting_is_exact() {
        for bits in 1..=4 {
            let width = Width(bits);
            let range = width.signed(1 << (bits - 1))..=width.signed(width.mask() >> 1);
            for (l, r) in (0..=width.mask()).flat_map(|l| (0..=width.mask()).map(move |r| (l, r))) {
                for (op, _) in SignedOp::ALL {
                    let (a, b) = (width.signed(l), width.signed(r));
                    let exact = match op {
                        SignedOp::Add => a + b,
                        SignedOp::Sub => a - b,
                        SignedOp::Mul => a * b,
                        SignedOp::Div | SignedOp::Rem if r == 0 => continue,
                        SignedOp::Div | SignedOp::Rem => a / b,
                        SignedOp::Shl if r >= u128::from(bits) => continue,
                        SignedOp::Shl => a << r,
                    };
                    let (left, right) = (Expr::constant(l, width), Expr::constant(r, width));
                    let result = Expr::binary(op.wrapping(), left.clone(), right.clone());
                    let expected = Some(u128::from(range.contains(&exact)));
                    assert_eq!(fits(op, &left, &right).as_const(), expected, "{a} {op:?} {b}");
                    let narrow = fits_without_widening(op, &left, &right, result);
                    assert_eq!(narrow.as_const(), expected, "{a} {op:?} {b} in {bits} bits");
                }
            }
        }
    }
}
