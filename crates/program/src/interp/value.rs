//! What operations on bit-vectors mean: pure, total functions on `u128` whose bits above the width are zero.
//!
//! Constant folding ([`crate::Expr::binary`] and friends) and the interpreter share these functions, and formulas are
//! tested against them. Where hardware or Rust leaves a choice, it is made here: division follows SMT-LIB, a shift
//! by the width or more yields zeros (or sign bits), and every NaN that an operation yields is the same quiet NaN.

use crate::{BinOp, Cast, UnOp, Width, float};
use base::convert::low32;

/// `l op r` on values of width `w`; comparisons yield 0 or 1.
///
/// The `F` operations are meant for the widths of formats ([`float`]); at any other width they take the low 64 bits as a `double`, so
/// that the function is total.
pub fn binary(op: BinOp, l: u128, r: u128, w: Width) -> u128 {
    use BinOp::*;
    let (sl, sr) = (w.signed(l), w.signed(r));
    match op {
        Add => w.truncate(l.wrapping_add(r)),
        Sub => w.truncate(l.wrapping_sub(r)),
        Mul => w.truncate(l.wrapping_mul(r)),
        UDiv => l.checked_div(r).unwrap_or(w.mask()),
        URem => l.checked_rem(r).unwrap_or(l),
        SDiv => signed_division(sl, sr, w),
        SRem => w.truncate(if sr == 0 { l } else { sl.wrapping_rem(sr).cast_unsigned() }),
        And => l & r,
        Or => l | r,
        Xor => l ^ r,
        Shl | LShr | AShr => shift(op, l, r, w),
        Eq => u128::from(l == r),
        Ne => u128::from(l != r),
        ULt => u128::from(l < r),
        ULe => u128::from(l <= r),
        SLt => u128::from(sl < sr),
        SLe => u128::from(sl <= sr),
        FAdd | FSub | FMul | FDiv | FEq | FNe | FLt | FLe => w.truncate(float::binary(op, l, r, w)),
    }
}

/// SMT-LIB's `bvsdiv`: division by zero is -1 for dividends from 0 on and 1 below; the least number by -1 wraps.
fn signed_division(l: i128, r: i128, w: Width) -> u128 {
    let quotient = match (l, r) {
        (0.., 0) => -1,
        (_, 0) => 1,
        _ => l.wrapping_div(r),
    };
    w.truncate(quotient.cast_unsigned())
}

fn shift(op: BinOp, l: u128, by: u128, w: Width) -> u128 {
    let too_far = by >= u128::from(w.bits());
    // A shift by the width minus one leaves copies of the sign only, as any greater shift would.
    let distance = if too_far { w.bits() - 1 } else { low32(by) };
    match op {
        BinOp::AShr => w.truncate((w.signed(l) >> distance).cast_unsigned()),
        _ if too_far => 0,
        BinOp::Shl => w.truncate(l << distance),
        _ => l >> distance,
    }
}

/// `op v` on a value of width `w`.
pub fn unary(op: UnOp, v: u128, w: Width) -> u128 {
    match op {
        UnOp::Not => w.truncate(!v),
        UnOp::Neg => w.truncate(v.wrapping_neg()),
        // IEEE negation flips the sign bit, also of a NaN.
        UnOp::FNeg => v ^ (1 << (w.bits() - 1)),
    }
}

/// `v`, of width `from`, as a value of width `to`.
pub fn cast(kind: Cast, v: u128, from: Width, to: Width) -> u128 {
    match kind {
        Cast::Zext | Cast::Trunc => to.truncate(v),
        Cast::Sext => to.truncate(from.signed(v).cast_unsigned()),
        Cast::SToF => to.truncate(float::from_signed(from.signed(v), to)),
        Cast::UToF => to.truncate(float::from_unsigned(v, to)),
        Cast::FToS => float::to_signed(v, from, to),
        Cast::FToU => float::to_unsigned(v, from, to),
        Cast::FToF => to.truncate(float::convert(v, from, to)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use BinOp::*;

    /// The same operations on mathematical integers, written by hand in another way: loops and case distinctions.
    fn expected(op: BinOp, l: i128, r: i128, n: u32) -> i128 {
        let modulus = 1i128 << n;
        let signed = |v: i128| if v >= modulus / 2 { v - modulus } else { v };
        let (sl, sr) = (signed(l), signed(r));
        let towards_zero = |a: i128, b: i128| {
            let magnitude = (0..=a.abs()).rev().find(|q| q * b.abs() <= a.abs()).expect("0 should do");
            if (a < 0) == (b < 0) { magnitude } else { -magnitude }
        };
        let result = match op {
            Add => l + r,
            Sub => l - r,
            Mul => l * r,
            UDiv if r == 0 => modulus - 1,
            UDiv => towards_zero(l, r),
            URem if r == 0 => l,
            URem => l - r * towards_zero(l, r),
            SDiv if r == 0 => {
                if sl >= 0 {
                    -1
                } else {
                    1
                }
            }
            SDiv => towards_zero(sl, sr),
            SRem if r == 0 => sl,
            SRem => sl - sr * towards_zero(sl, sr),
            And => by_bit(l, r, n, |a, b| a * b),
            Or => by_bit(l, r, n, |a, b| a.max(b)),
            Xor => by_bit(l, r, n, |a, b| (a + b) % 2),
            Shl => (0..r).fold(l, |v, _| (v * 2) % modulus),
            LShr => (0..r).fold(l, |v, _| v / 2),
            AShr => (0..r).fold(sl, |v, _| v.div_euclid(2)),
            Eq => i128::from(l == r),
            Ne => i128::from(l != r),
            ULt => i128::from(l < r),
            ULe => i128::from(l <= r),
            SLt => i128::from(sl < sr),
            SLe => i128::from(sl <= sr),
            FAdd | FSub | FMul | FDiv | FEq | FNe | FLt | FLe => unreachable!("integers only"),
        };
        if op.is_comparison() { result } else { result.rem_euclid(modulus) }
    }

    fn by_bit(l: i128, r: i128, n: u32, f: impl Fn(i128, i128) -> i128) -> i128 {
        (0..n).map(|i| f((l >> i) & 1, (r >> i) & 1) << i).sum()
    }

    #[test]
    fn integer_operations_at_small_widths() {
        let ops = [
            Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, Eq, Ne, ULt, ULe, SLt, SLe,
        ];
        for n in 1..=4u32 {
            let w = Width(n as u8);
            for op in ops {
                for (l, r) in (0..1u128 << n).flat_map(|l| (0..1u128 << n).map(move |r| (l, r))) {
                    let want = expected(op, l as i128, r as i128, n);
                    assert_eq!(binary(op, l, r, w) as i128, want, "{op:?} {l} {r} at {n} bits");
                }
            }
        }
    }

    #[test]
    fn unary_and_casts_at_small_widths() {
        for n in 1..=4u32 {
            let w = Width(n as u8);
            let modulus = 1i128 << n;
            for v in 0..modulus {
                assert_eq!(unary(UnOp::Not, v as u128, w) as i128, modulus - 1 - v);
                assert_eq!(unary(UnOp::Neg, v as u128, w) as i128, (modulus - v) % modulus);
                let signed = if v >= modulus / 2 { v - modulus } else { v };
                for m in n..=6 {
                    let to = Width(m as u8);
                    assert_eq!(cast(Cast::Zext, v as u128, w, to) as i128, v);
                    assert_eq!(cast(Cast::Sext, v as u128, w, to) as i128, signed.rem_euclid(1 << m));
                }
                for m in 1..=n {
                    assert_eq!(cast(Cast::Trunc, v as u128, w, Width(m as u8)) as i128, v % (1 << m));
                }
            }
        }
    }

    #[test]
    fn extremes_at_full_width() {
        let w = Width(128);
        assert_eq!(binary(Add, u128::MAX, 2, w), 1);
        assert_eq!(binary(SDiv, 1 << 127, u128::MAX, w), 1 << 127);
        assert_eq!(binary(SRem, 1 << 127, u128::MAX, w), 0);
        assert_eq!(binary(Shl, 1, 128, w), 0);
        assert_eq!(binary(AShr, 1 << 127, u128::MAX, w), u128::MAX);
    }

    #[test]
    fn floats_follow_ieee() {
        let (w, d) = (Width(32), Width(64));
        let f = |v: f32| u128::from(v.to_bits());
        let g = |v: f64| u128::from(v.to_bits());
        assert_eq!(binary(FAdd, f(1.5), f(2.25), w), f(3.75));
        assert_eq!(binary(FDiv, g(1.0), g(0.0), d), g(f64::INFINITY));
        assert_eq!(binary(FDiv, f(0.0), f(0.0), w), 0xffc0_0000);
        assert_eq!(binary(FEq, g(f64::NAN), g(f64::NAN), d), 0);
        assert_eq!(binary(FNe, g(f64::NAN), g(f64::NAN), d), 1);
        assert_eq!(binary(FEq, f(-0.0), f(0.0), w), 1);
        assert_eq!((binary(FLt, f(1.0), f(2.0), w), binary(FLe, f(2.0), f(1.0), w)), (1, 0));
        assert_eq!(unary(UnOp::FNeg, f(2.0), w), f(-2.0));
        assert_eq!(cast(Cast::SToF, Width(8).truncate(-3i128 as u128), Width(8), d), g(-3.0));
        assert_eq!(cast(Cast::UToF, 253, Width(8), d), g(253.0));
        assert_eq!(cast(Cast::FToS, g(-1e9), d, Width(8)), 0x80);
        assert_eq!(cast(Cast::FToS, g(-2.9), d, Width(8)), 0xfe);
        assert_eq!(cast(Cast::FToS, g(f64::NAN), d, Width(32)), 0);
        assert_eq!(cast(Cast::FToU, f(-1.0), w, Width(32)), 0);
        assert_eq!(cast(Cast::FToU, f(300.0), w, Width(8)), 0xff);
        assert_eq!(cast(Cast::FToF, f(0.1), w, d), g(f64::from(0.1f32)));
        assert_eq!(cast(Cast::FToF, g(0.1), d, w), f(0.1));
    }
}
