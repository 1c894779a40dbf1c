//! Floating-point numbers, given by their bits.
//!
//! The width of a value is its format, so that an expression needs no further type:
//!
//! | bits | format | C on x86 | computed by |
//! |---|---|---|---|
//! | 32, 64 | IEEE binary32, binary64 | `float`, `double` | the machine |
//! | 80 | x87 double extended: sign, 15 bits of exponent, 64 of mantissa with its leading one | `long double` | `rustc_apfloat` |
//! | 128 | IEEE binary128 | `__float128` | `rustc_apfloat` |
//!
//! All operations round to the nearest number, ties to even, in the format of their operands: there is no excess precision (`FLT_EVAL_METHOD` is 0).
//! NaNs are those of x86: a NaN that an operation makes of numbers is negative and carries nothing; of a NaN operand the result is that NaN, made quiet, of two
//! the first (x87 and binary128: the one that carries more). Conversions keep sign and what fits of the rest. Bits that are no number of the x87 format
//! (a mantissa without its leading one) are read as NaNs.

use crate::expr::{BinOp, Width};
use base::convert::{low32, low64, magnitude, nearest32, towards_zero};
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;

/// Returns true if there are floating-point numbers of this width.
pub fn is_format(width: Width) -> bool {
    matches!(width.bits(), 32 | 64 | 80 | 128)
}

/// How many bits of a number's mantissa follow its leading one.
pub fn fraction_bits(width: Width) -> u32 {
    match width.bits() {
        32 => 23,
        64 => 52,
        80 => 63,
        _ => 112,
    }
}

/// The bits of a `double`, as a constant in another format.
pub fn from_f64(value: f64, to: Width) -> u128 {
    convert(bits64(value), Width(64), to)
}

/// The positive quiet NaN that carries nothing.
pub fn nan(w: Width) -> u128 {
    let fraction = fraction_bits(w);
    // All bits between sign and fraction are set: the exponent, and x87's leading one.
    (w.mask() >> 1) & !((1 << fraction) - 1) | 1 << (fraction - 1)
}

/// Returns true for the NaNs of a format.
pub fn is_nan(bits: u128, w: Width) -> bool {
    let fraction = (1u128 << fraction_bits(w)) - 1;
    let exponent = (w.mask() >> 1) & !fraction;
    bits & exponent == exponent && bits & fraction != 0
}

/// The NaN that an operation on NaNs gives: `None` if no operand is one.
fn propagated(l: u128, r: u128, w: Width) -> Option<u128> {
    let fraction = (1u128 << fraction_bits(w)) - 1;
    let quiet = |bits: u128| bits | nan(w);
    match (is_nan(l, w), is_nan(r, w)) {
        (true, true) if w.bits() > 64 => {
            let carries = |bits: u128| (bits & fraction, bits >> (w.bits() - 1) == 0);
            Some(quiet(if carries(l) < carries(r) { r } else { l }))
        }
        (true, _) => Some(quiet(l)),
        (_, true) => Some(quiet(r)),
        _ => None,
    }
}

/// An operation on two numbers: a number, or the truth of a comparison.
pub fn binary(op: BinOp, l: u128, r: u128, w: Width) -> u128 {
    if matches!(op, BinOp::FAdd | BinOp::FSub | BinOp::FMul | BinOp::FDiv) {
        if let Some(nan) = propagated(l, r, w) {
            return nan;
        }
        let result = computed(op, l, r, w);
        return if is_nan(result, w) { nan(w) | 1 << (w.bits() - 1) } else { result };
    }
    computed(op, l, r, w)
}

/// The same; a NaN is any one.
fn computed(op: BinOp, l: u128, r: u128, w: Width) -> u128 {
    match w.bits() {
        32 => {
            let (a, b) = (float32(l), float32(r));
            match op {
                BinOp::FAdd => bits32(a + b),
                BinOp::FSub => bits32(a - b),
                BinOp::FMul => bits32(a * b),
                BinOp::FDiv => bits32(a / b),
                _ => comparison(op, a.partial_cmp(&b)),
            }
        }
        80 => soft_binary::<X87DoubleExtended>(op, l, r),
        128 => soft_binary::<Quad>(op, l, r),
        _ => {
            let (a, b) = (float64(l), float64(r));
            match op {
                BinOp::FAdd => bits64(a + b),
                BinOp::FSub => bits64(a - b),
                BinOp::FMul => bits64(a * b),
                BinOp::FDiv => bits64(a / b),
                _ => comparison(op, a.partial_cmp(&b)),
            }
        }
    }
}

/// The same by software; all formats can be computed so.
fn soft_binary<F: Float>(op: BinOp, l: u128, r: u128) -> u128 {
    let (a, b) = (F::from_bits(l), F::from_bits(r));
    match op {
        BinOp::FAdd => soft_bits((a + b).value),
        BinOp::FSub => soft_bits((a - b).value),
        BinOp::FMul => soft_bits((a * b).value),
        BinOp::FDiv => soft_bits((a / b).value),
        _ => comparison(op, a.partial_cmp(&b)),
    }
}

/// A comparison from the operands' order; with a NaN there is none, and all but `FNe` are false.
fn comparison(op: BinOp, order: Option<Ordering>) -> u128 {
    let holds = match op {
        BinOp::FEq => order.is_some_and(Ordering::is_eq),
        BinOp::FNe => !order.is_some_and(Ordering::is_eq),
        BinOp::FLt => order.is_some_and(Ordering::is_lt),
        _ => order.is_some_and(Ordering::is_le),
    };
    u128::from(holds)
}

/// The number nearest to a signed integer.
pub fn from_signed(value: i128, to: Width) -> u128 {
    match to.bits() {
        32 => bits32(value as f32),
        80 => X87DoubleExtended::from_i128(value).value.to_bits(),
        128 => Quad::from_i128(value).value.to_bits(),
        _ => bits64(value as f64),
    }
}

/// The number nearest to an unsigned integer.
pub fn from_unsigned(value: u128, to: Width) -> u128 {
    match to.bits() {
        32 => bits32(value as f32),
        80 => X87DoubleExtended::from_u128(value).value.to_bits(),
        128 => Quad::from_u128(value).value.to_bits(),
        _ => bits64(value as f64),
    }
}

/// The integer part, as a signed integer of a width (in its low bits): the nearest one if it is out of range, and 0 for a NaN.
pub fn to_signed(bits: u128, from: Width, to: Width) -> u128 {
    let wide = match from.bits() {
        32 => towards_zero(f64::from(float32(bits))),
        80 => soft_signed::<X87DoubleExtended>(bits),
        128 => soft_signed::<Quad>(bits),
        _ => towards_zero(float64(bits)),
    };
    let (least, greatest) = (to.signed(1 << (to.bits() - 1)), to.signed(to.mask() >> 1));
    to.truncate(wide.clamp(least, greatest).cast_unsigned())
}

fn soft_signed<F: Float>(bits: u128) -> i128 {
    F::from_bits(bits).to_i128_r(128, Round::TowardZero, &mut false).value
}

/// The integer part, as an unsigned integer of a width: the nearest one if it is out of range, and 0 for a NaN.
pub fn to_unsigned(bits: u128, from: Width, to: Width) -> u128 {
    let wide = match from.bits() {
        32 => magnitude(f64::from(float32(bits))),
        80 => soft_unsigned::<X87DoubleExtended>(bits),
        128 => soft_unsigned::<Quad>(bits),
        _ => magnitude(float64(bits)),
    };
    wide.min(to.mask())
}

fn soft_unsigned<F: Float>(bits: u128) -> u128 {
    F::from_bits(bits).to_u128_r(128, Round::TowardZero, &mut false).value
}

/// A number in another format.
pub fn convert(bits: u128, from: Width, to: Width) -> u128 {
    if is_nan(bits, from) {
        let (fraction, wanted) = (fraction_bits(from), fraction_bits(to));
        let carried = bits & ((1 << fraction) - 1);
        let carried =
            if wanted >= fraction { carried << (wanted - fraction) } else { carried >> (fraction - wanted) };
        return (bits >> (from.bits() - 1) & 1) << (to.bits() - 1) | nan(to) | carried;
    }
    match (from.bits(), to.bits()) {
        (32, 32) => bits32(float32(bits)),
        (32, 64) => bits64(f64::from(float32(bits))),
        (64, 32) => bits32(nearest32(float64(bits))),
        (64, 64) => bits64(float64(bits)),
        (32, _) => soft_convert::<Single>(bits, to),
        (80, _) => soft_convert::<X87DoubleExtended>(bits, to),
        (128, _) => soft_convert::<Quad>(bits, to),
        _ => soft_convert::<Double>(bits, to),
    }
}

fn soft_convert<F>(bits: u128, to: Width) -> u128
where
    F: FloatConvert<Single> + FloatConvert<Double> + FloatConvert<X87DoubleExtended> + FloatConvert<Quad>,
{
    fn converted<F: FloatConvert<T>, T: Float>(bits: u128) -> u128 {
        soft_bits::<T>(F::from_bits(bits).convert(&mut false).value)
    }
    match to.bits() {
        32 => converted::<F, Single>(bits),
        80 => converted::<F, X87DoubleExtended>(bits),
        128 => converted::<F, Quad>(bits),
        _ => converted::<F, Double>(bits),
    }
}

/// The number nearest to what a text says: decimal, or hexadecimal with an exponent (`0x1.8p3`), without a suffix.
pub fn parse(text: &str, to: Width) -> Option<u128> {
    fn parsed<F: Float>(text: &str) -> Option<u128> {
        Some(F::from_str_r(text, Round::NearestTiesToEven).ok()?.value.to_bits())
    }
    match to.bits() {
        32 => parsed::<Single>(text),
        80 => parsed::<X87DoubleExtended>(text),
        128 => parsed::<Quad>(text),
        _ => parsed::<Double>(text),
    }
}

/// The bits of a `float`, with all NaNs made one: Rust and hardware leave a NaN's payload open.
fn bits32(value: f32) -> u128 {
    u128::from(if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() })
}

/// The bits of a `double`, with all NaNs made one.
fn bits64(value: f64) -> u128 {
    u128::from(if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() })
}

fn soft_bits<F: Float>(value: F) -> u128 {
    if value.is_nan() { F::NAN.to_bits() } else { value.to_bits() }
}

fn float32(v: u128) -> f32 {
    f32::from_bits(low32(v))
}

fn float64(v: u128) -> f64 {
    f64::from_bits(low64(v))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTHS: [Width; 4] = [Width(32), Width(64), Width(80), Width(128)];
    const NUMBERS: [f64; 14] = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.1,
        3.0,
        1e10,
        -1e-10,
        1e38,
        1e-45,
        5e-324,
        f64::MAX,
        f64::INFINITY,
        f64::NEG_INFINITY,
    ];

    /// The software's arithmetic and the machine's agree where both are there.
    #[test]
    fn software_and_machine_agree() {
        let ops = [
            BinOp::FAdd,
            BinOp::FSub,
            BinOp::FMul,
            BinOp::FDiv,
            BinOp::FEq,
            BinOp::FNe,
            BinOp::FLt,
            BinOp::FLe,
        ];
        for (a, b) in NUMBERS.into_iter().flat_map(|a| NUMBERS.into_iter().map(move |b| (a, b))) {
            for op in ops {
                let (l, r) = (bits64(a), bits64(b));
                assert_eq!(computed(op, l, r, Width(64)), soft_binary::<Double>(op, l, r), "{op:?} {a} {b}");
                let (l, r) = (bits32(nearest32(a)), bits32(nearest32(b)));
                assert_eq!(computed(op, l, r, Width(32)), soft_binary::<Single>(op, l, r), "{op:?} {a} {b}");
            }
        }
    }

    /// What a wider format has of a number is the number.
    #[test]
    fn widening_loses_nothing() {
        for number in NUMBERS {
            let bits = bits64(number);
            for to in [Width(80), Width(128)] {
                assert_eq!(convert(convert(bits, Width(64), to), to, Width(64)), bits, "{number} in {to}");
            }
        }
    }

    #[test]
    fn integers_are_exact_where_they_fit() {
        for width in WIDTHS {
            for n in [0i128, 1, -1, 255, -4096, 1 << 20] {
                let bits = from_signed(n, width);
                assert_eq!(to_signed(bits, width, Width(64)), Width(64).truncate(n.cast_unsigned()));
            }
        }
        let most = u128::from(u64::MAX);
        assert_eq!(to_unsigned(from_unsigned(most, Width(80)), Width(80), Width(64)), most);
        assert_eq!(from_unsigned(most, Width(80)), 0x403e_ffff_ffff_ffff_ffff);
        assert_eq!(to_signed(from_f64(1e300, Width(80)), Width(80), Width(32)), 0x7fff_ffff);
    }

    #[test]
    fn texts_are_rounded_once() {
        assert_eq!(parse("0.1", Width(80)), Some(0x3ffb_cccc_cccc_cccc_cccd));
        assert_eq!(parse("0x1.8p1", Width(80)), Some(0x4000_c000_0000_0000_0000));
        assert_eq!(parse("0.1", Width(64)), Some(u128::from(0.1f64.to_bits())));
        assert_eq!(parse("1e400", Width(64)), Some(u128::from(f64::INFINITY.to_bits())));
        assert_eq!(parse("x", Width(64)), None);
    }
}
