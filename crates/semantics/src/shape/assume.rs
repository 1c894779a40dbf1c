//! What a condition tells: the heaps in which it is true, or false.
//!
//! A condition is evaluated first. Where its value is open, its parts say which numbers symbols can be; what they do not say is left open, so that a heap may be kept
//! in which the condition has the other value, but never the other way round.

use super::heap::{Heap, Value};
use super::transfer::{Doubts, Transfer};
use program::{BinOp, Cast, Expr, UnOp, Width};

impl Transfer<'_> {
    /// The heaps in which `cond` has this truth value.
    pub(super) fn assume(&self, heap: Heap, cond: &Expr, truth: bool) -> Doubts<Vec<Heap>> {
        let mut done = Vec::new();
        for mut heap in self.value(heap, cond)? {
            match heap.pop() {
                Value::Number(number) => done.extend(((number != 0) == truth).then_some(heap)),
                Value::Symbol(symbol) => {
                    let bit = i128::from(truth);
                    if cond.width() == Width::BOOL && !heap.restrict(symbol, bit, bit) {
                        continue;
                    }
                    done.extend(self.refine(heap, cond, truth)?);
                }
                Value::Address(_) | Value::Function(_) => done.push(heap),
            }
        }
        Ok(done)
    }

    /// Uses what the parts of an open condition tell.
    fn refine(&self, heap: Heap, cond: &Expr, truth: bool) -> Doubts<Vec<Heap>> {
        match cond {
            Expr::Unary(UnOp::Not, inner) if inner.width() == Width::BOOL => self.assume(heap, inner, !truth),
            Expr::Binary(BinOp::And, l, r) if l.width() == Width::BOOL => {
                self.both(heap, (l, r), truth, truth)
            }
            Expr::Binary(BinOp::Or, l, r) if l.width() == Width::BOOL => {
                self.both(heap, (l, r), truth, !truth)
            }
            Expr::Binary(op, l, r) if op.is_comparison() && !op.is_float() => {
                self.compare(heap, *op, l, r, truth)
            }
            _ => Ok(vec![heap]),
        }
    }

    /// Two conditions that both have a truth value, or of which one has it.
    fn both(&self, heap: Heap, (l, r): (&Expr, &Expr), truth: bool, both: bool) -> Doubts<Vec<Heap>> {
        let mut done = Vec::new();
        if both {
            for heap in self.assume(heap, l, truth)? {
                done.extend(self.assume(heap, r, truth)?);
            }
            return Ok(done);
        }
        done.extend(self.assume(heap.clone(), l, truth)?);
        for heap in self.assume(heap, l, !truth)? {
            done.extend(self.assume(heap, r, truth)?);
        }
        Ok(done)
    }

    fn compare(&self, heap: Heap, op: BinOp, l: &Expr, r: &Expr, truth: bool) -> Doubts<Vec<Heap>> {
        let (op, l, r) = match (op, truth) {
            (op, true) => (op, l, r),
            (BinOp::Eq, false) => (BinOp::Ne, l, r),
            (BinOp::Ne, false) => (BinOp::Eq, l, r),
            (BinOp::SLt, false) => (BinOp::SLe, r, l),
            (BinOp::SLe, false) => (BinOp::SLt, r, l),
            (BinOp::ULt, false) => (BinOp::ULe, r, l),
            (BinOp::ULe, false) => (BinOp::ULt, r, l),
            (_, false) => return Ok(vec![heap]),
        };
        let mut done = Vec::new();
        for heap in self.value(heap, l)? {
            for mut heap in self.value(heap, r)? {
                let (right, left) = (heap.pop(), heap.pop());
                if is_number(left) && is_number(right) && l.width() != Width::BOOL {
                    heap.learn(op, left, right);
                    let possible = self.bounds(&mut heap, op, (l, left), (r, right));
                    done.extend(possible.then_some(heap));
                } else {
                    done.push(heap);
                }
            }
        }
        Ok(done)
    }

    /// Restricts both sides of a comparison that is true; `false` if it cannot be.
    fn bounds(&self, heap: &mut Heap, op: BinOp, left: (&Expr, Value), right: (&Expr, Value)) -> bool {
        let width = left.0.width();
        let (l, r) = (heap.range(left.1, width), heap.range(right.1, width));
        match op {
            BinOp::Eq => narrow(heap, left, r.low, r.high) && narrow(heap, right, l.low, l.high),
            BinOp::Ne => differ(heap, left, (r.low, r.high)) && differ(heap, right, (l.low, l.high)),
            BinOp::SLt => {
                narrow(heap, left, i128::MIN, r.high - 1) && narrow(heap, right, l.low + 1, i128::MAX)
            }
            BinOp::SLe => narrow(heap, left, i128::MIN, r.high) && narrow(heap, right, l.low, i128::MAX),
            // Below a number without a sign is no number with one.
            BinOp::ULt if r.low >= 0 => {
                let right_low = if l.low >= 0 { l.low + 1 } else { 1 };
                narrow(heap, left, 0, r.high - 1) && narrow(heap, right, right_low, i128::MAX)
            }
            BinOp::ULe if r.low >= 0 => {
                narrow(heap, left, 0, r.high) && narrow(heap, right, l.low.max(0), i128::MAX)
            }
            _ => true,
        }
    }
}

fn is_number(value: Value) -> bool {
    matches!(value, Value::Number(_) | Value::Symbol(_))
}

/// The value of an expression is known to be in a range; `false` if it cannot be.
fn narrow(heap: &mut Heap, (e, value): (&Expr, Value), low: i128, high: i128) -> bool {
    let range = heap.range(value, e.width());
    if range.high < low || high < range.low {
        return false;
    }
    if let Value::Symbol(symbol) = value
        && heap.symbols.contains_key(&symbol)
        && !heap.restrict(symbol, low, high)
    {
        return false;
    }
    let Some((inner, symbol)) = widened(heap, e) else { return true };
    let known = heap.symbols[&symbol];
    let same = matches!(inner, Cast::Sext) || known.low >= 0;
    !same || heap.restrict(symbol, low, high)
}

/// The symbol of a register whose value an expression widens.
fn widened(heap: &Heap, e: &Expr) -> Option<(Cast, super::heap::SymbolId)> {
    let Expr::Cast(kind @ (Cast::Sext | Cast::Zext), _, inner) = e else { return None };
    let Expr::Reg(var, width) = &**inner else { return None };
    if *width == Width::BOOL {
        return None;
    }
    match heap.frame().registers[base::Idx::index(*var)] {
        Some(Value::Symbol(symbol)) => Some((*kind, symbol)),
        _ => None,
    }
}

/// A value is known to differ from another one, which has this range.
fn differ(heap: &mut Heap, (e, value): (&Expr, Value), (low, high): (i128, i128)) -> bool {
    if low != high {
        return true;
    }
    let range = heap.range(value, e.width());
    if range.low == range.high {
        return range.low != low;
    }
    if range.low == low {
        narrow(heap, (e, value), low + 1, i128::MAX)
    } else if range.high == low {
        narrow(heap, (e, value), i128::MIN, low - 1)
    } else {
        true
    }
}
