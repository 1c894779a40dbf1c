//! Ranges of numbers: what operations of expressions make of them.
//!
//! A range is one of signed numbers, except that a single bit is 0 or 1. Where an operation could wrap around, or nothing is known about it, the result is every number of its
//! width.
//!
//! # Direction of error
//! Ranges are too large, never too small: `tests` compares all operations on all ranges of three bits with the interpreter's.

use super::heap::Range;
use program::interp::value;
use program::{BinOp, Cast, UnOp, Width};

impl Range {
    /// Every number of a width.
    pub fn full(width: Width) -> Self {
        if width == Width::BOOL {
            return Self { width, low: 0, high: 1 };
        }
        let high = (width.mask() >> 1).cast_signed();
        Self { width, low: -high - 1, high }
    }

    /// One number.
    pub fn constant(number: u128, width: Width) -> Self {
        let signed = if width == Width::BOOL { number.cast_signed() } else { width.signed(number) };
        Self { width, low: signed, high: signed }
    }

    /// The number, if there is only one.
    pub fn as_constant(self) -> Option<u128> {
        (self.low == self.high).then(|| self.width.truncate(self.low.cast_unsigned()))
    }

    /// These bounds, if all numbers between them have this width; otherwise every number.
    fn bounded(width: Width, low: Option<i128>, high: Option<i128>) -> Self {
        let full = Self::full(width);
        match (low, high) {
            (Some(low), Some(high)) if full.low <= low && high <= full.high => Self { width, low, high },
            _ => full,
        }
    }

    fn is_natural(self) -> bool {
        self.low >= 0
    }

    /// The smallest range that holds both.
    pub fn hull(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high), ..self }
    }

    /// Returns true if every number of this range is one of the other.
    pub fn is_within(self, other: Self) -> bool {
        self.width == other.width && other.low <= self.low && self.high <= other.high
    }

    /// The results of an operation on two numbers of these ranges.
    pub fn binary(op: BinOp, left: Self, right: Self) -> Self {
        let width = left.width;
        let result = if op.is_comparison() { Width::BOOL } else { width };
        if let (Some(l), Some(r)) = (left.as_constant(), right.as_constant()) {
            return Self::constant(value::binary(op, l, r, width), result);
        }
        if op.is_comparison() {
            return match Self::compare(op, left, right) {
                Some(truth) => Self::constant(u128::from(truth), result),
                None => Self::full(result),
            };
        }
        let corners = |f: fn(i128, i128) -> Option<i128>| {
            let all = [
                (left.low, right.low),
                (left.low, right.high),
                (left.high, right.low),
                (left.high, right.high),
            ];
            let all: Option<Vec<i128>> = all.into_iter().map(|(l, r)| f(l, r)).collect();
            all.map(|all| (all.iter().copied().min(), all.iter().copied().max()))
        };
        let (low, high) = match op {
            BinOp::Add if width != Width::BOOL => {
                (left.low.checked_add(right.low), left.high.checked_add(right.high))
            }
            BinOp::Sub if width != Width::BOOL => {
                (left.low.checked_sub(right.high), left.high.checked_sub(right.low))
            }
            BinOp::Mul if width != Width::BOOL => corners(i128::checked_mul).unwrap_or((None, None)),
            BinOp::And if left.is_natural() || right.is_natural() => {
                let tops = [left, right].into_iter().filter(|range| range.is_natural());
                (Some(0), tops.map(|range| range.high).min())
            }
            BinOp::UDiv | BinOp::LShr if left.is_natural() && right.low > 0 => (Some(0), Some(left.high)),
            BinOp::SDiv if left.is_natural() && right.low > 0 => (Some(0), Some(left.high / right.low)),
            BinOp::URem | BinOp::SRem if left.is_natural() && right.low > 0 => {
                (Some(0), Some(left.high.min(right.high - 1)))
            }
            _ => (None, None),
        };
        Self::bounded(result, low, high)
    }

    /// The truth of a comparison, if it is the same for all numbers.
    fn compare(op: BinOp, left: Self, right: Self) -> Option<bool> {
        let unsigned_as_signed = left.is_natural() && right.is_natural();
        match op {
            BinOp::Eq => (left.high < right.low || right.high < left.low).then_some(false),
            BinOp::Ne => (left.high < right.low || right.high < left.low).then_some(true),
            BinOp::ULt | BinOp::ULe if !unsigned_as_signed => None,
            // A single bit is signed in the interpreter, and is not here.
            BinOp::SLt | BinOp::SLe if left.width == Width::BOOL => None,
            BinOp::ULt | BinOp::SLt if left.high < right.low => Some(true),
            BinOp::ULt | BinOp::SLt if left.low >= right.high => Some(false),
            BinOp::ULe | BinOp::SLe if left.high <= right.low => Some(true),
            BinOp::ULe | BinOp::SLe if left.low > right.high => Some(false),
            _ => None,
        }
    }

    /// The results of an operation on one number.
    pub fn unary(op: UnOp, operand: Self) -> Self {
        let width = operand.width;
        if let Some(number) = operand.as_constant() {
            return Self::constant(value::unary(op, number, width), width);
        }
        match op {
            UnOp::Neg if width != Width::BOOL => {
                Self::bounded(width, operand.high.checked_neg(), operand.low.checked_neg())
            }
            UnOp::Not if width != Width::BOOL => {
                Self::bounded(width, Some(-1 - operand.high), Some(-1 - operand.low))
            }
            UnOp::Not | UnOp::Neg | UnOp::FNeg => Self::full(width),
        }
    }

    /// The results of a conversion.
    pub fn cast(kind: Cast, to: Width, operand: Self) -> Self {
        if let Some(number) = operand.as_constant() {
            return Self::constant(value::cast(kind, number, operand.width, to), to);
        }
        let (low, high) = (Some(operand.low), Some(operand.high));
        let unsigned = operand.width.mask() >> u32::from(operand.width == Width(128));
        match kind {
            Cast::Sext if operand.width != Width::BOOL => Self::bounded(to, low, high),
            Cast::Zext if operand.is_natural() => Self::bounded(to, low, high),
            Cast::Zext if to.bits() > operand.width.bits() => {
                Self::bounded(to, Some(0), Some(unsigned.cast_signed()))
            }
            Cast::Trunc if to != Width::BOOL => Self::bounded(to, low, high),
            Cast::Sext | Cast::Zext | Cast::Trunc => Self::full(to),
            Cast::SToF | Cast::UToF | Cast::FToS | Cast::FToU | Cast::FToF => Self::full(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTHS: [Width; 2] = [Width(1), Width(3)];

    fn ranges(width: Width) -> Vec<Range> {
        let full = Range::full(width);
        let all = (full.low..=full.high).flat_map(|low| (low..=full.high).map(move |high| (low, high)));
        all.map(|(low, high)| Range { width, low, high }).collect()
    }

    fn numbers(range: Range) -> impl Iterator<Item = u128> {
        (range.low..=range.high).map(move |n| range.width.truncate(n.cast_unsigned()))
    }

    fn holds(range: Range, number: u128) -> bool {
        Range::constant(number, range.width).is_within(range)
    }

    #[test]
    fn operations_hold_every_result() {
        use BinOp::*;
        let ops = [
            Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, Eq, Ne, ULt, ULe, SLt, SLe,
        ];
        for width in WIDTHS {
            for (left, right) in
                ranges(width).into_iter().flat_map(|l| ranges(width).into_iter().map(move |r| (l, r)))
            {
                for op in ops {
                    let result = Range::binary(op, left, right);
                    for (l, r) in numbers(left).flat_map(|l| numbers(right).map(move |r| (l, r))) {
                        let exact = value::binary(op, l, r, width);
                        assert!(holds(result, exact), "{l} {op:?} {r} in {left:?}, {right:?}: {exact}");
                    }
                }
            }
        }
    }

    #[test]
    fn conversions_hold_every_result() {
        for range in WIDTHS.into_iter().flat_map(ranges) {
            for number in numbers(range) {
                for op in [UnOp::Not, UnOp::Neg] {
                    assert!(
                        holds(Range::unary(op, range), value::unary(op, number, range.width)),
                        "{op:?} {range:?}"
                    );
                }
                for (kind, to) in [
                    (Cast::Zext, 3),
                    (Cast::Zext, 5),
                    (Cast::Sext, 3),
                    (Cast::Sext, 5),
                    (Cast::Trunc, 1),
                    (Cast::Trunc, 2),
                ] {
                    let fits = if kind == Cast::Trunc { to <= range.width.0 } else { to >= range.width.0 };
                    if fits {
                        let exact = value::cast(kind, number, range.width, Width(to));
                        assert!(
                            holds(Range::cast(kind, Width(to), range), exact),
                            "{kind:?} {to} {number} of {range:?}"
                        );
                    }
                }
            }
        }
    }
}
