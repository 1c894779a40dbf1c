//! Folding: operations on constants, in up to 128 bits, with the width and sign of a C type.
//!
//! [`Overflow::Keep`] refuses what is undefined in C, so that the operation stays in the program and a verifier of overflows can
//! see it; [`Overflow::Wrap`] is for places where C demands a constant and gcc wraps.

use super::Sema;
use crate::hir::{BinaryOp, Expr, ExprKind};
use crate::types::{FloatKind, IntKind, Ty, Type};
use base::convert::{magnitude, nearest32, towards_zero};

/// What to do about signed overflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Overflow {
    Keep,
    Wrap,
}

/// The width and sign of an integer type; pointers count as unsigned, `_Bool` as one bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub(super) bits: u32,
    pub(super) signed: bool,
}

impl Shape {
    /// The low bits of a value.
    pub(super) fn truncate(self, value: u128) -> u128 {
        if self.bits >= 128 { value } else { value & ((1 << self.bits) - 1) }
    }

    /// The value that truncated bits stand for; of 128-bit unsigned values, the bits.
    pub(super) fn extend(self, bits: u128) -> i128 {
        if self.signed && self.bits < 128 {
            let unused = 128 - self.bits;
            (bits << unused).cast_signed() >> unused
        } else {
            bits.cast_signed()
        }
    }

    /// A float as an integer; out of range, where C leaves it undefined, the nearest one, as in gcc.
    pub(super) fn saturate(self, value: f64) -> u128 {
        if self.signed {
            let most = i128::MAX >> (128 - self.bits);
            self.truncate(towards_zero(value).clamp(-most - 1, most).cast_unsigned())
        } else {
            magnitude(value).min(self.truncate(u128::MAX))
        }
    }

    /// Returns true if a value is in range.
    fn holds(self, value: i128) -> bool {
        self.extend(self.truncate(value.cast_unsigned())) == value
    }

    /// An operation on truncated bits; a comparison gives 0 or 1.
    pub(super) fn binary(self, op: BinaryOp, left: u128, right: u128, overflow: Overflow) -> Option<u128> {
        if self.signed {
            self.signed_binary(op, left, right, overflow)
        } else {
            self.unsigned_binary(op, left, right)
        }
    }

    fn signed_binary(self, op: BinaryOp, left: u128, right: u128, overflow: Overflow) -> Option<u128> {
        let (a, b) = (self.extend(left), self.extend(right));
        let amount = u32::try_from(b).ok().filter(|&amount| amount < self.bits);
        let (wrapped, exact) = match op {
            BinaryOp::Add => (a.wrapping_add(b), a.checked_add(b)),
            BinaryOp::Sub => (a.wrapping_sub(b), a.checked_sub(b)),
            BinaryOp::Mul => (a.wrapping_mul(b), a.checked_mul(b)),
            BinaryOp::Div if b == 0 => return None,
            BinaryOp::Div => (a.wrapping_div(b), a.checked_div(b)),
            BinaryOp::Rem if b == 0 => return None,
            // The least value modulo -1 overflows like the division.
            BinaryOp::Rem => {
                (a.wrapping_rem(b), a.checked_rem(b).filter(|_| b != -1 || self.holds(a.wrapping_neg())))
            }
            BinaryOp::Shl => {
                let shifted = a.wrapping_shl(amount?);
                (shifted, Some(shifted).filter(|&s| a >= 0 && self.holds(s) && s >> amount.unwrap_or(0) == a))
            }
            BinaryOp::Shr => (a >> amount?, Some(a >> amount?)),
            _ => return self.bitwise_or_comparison(op, left, right, a.cmp(&b)),
        };
        match (exact, overflow) {
            (Some(value), _) if self.holds(value) => Some(self.truncate(value.cast_unsigned())),
            (_, Overflow::Wrap) => Some(self.truncate(wrapped.cast_unsigned())),
            _ => None,
        }
    }

    fn unsigned_binary(self, op: BinaryOp, a: u128, b: u128) -> Option<u128> {
        let amount = u32::try_from(b).ok().filter(|&amount| amount < self.bits);
        let value = match op {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Div => a.checked_div(b)?,
            BinaryOp::Rem => a.checked_rem(b)?,
            BinaryOp::Shl => a << amount?,
            BinaryOp::Shr => a >> amount?,
            _ => return self.bitwise_or_comparison(op, a, b, a.cmp(&b)),
        };
        Some(self.truncate(value))
    }

    fn bitwise_or_comparison(
        self,
        op: BinaryOp,
        left: u128,
        right: u128,
        order: std::cmp::Ordering,
    ) -> Option<u128> {
        Some(match op {
            BinaryOp::BitAnd => left & right,
            BinaryOp::BitOr => left | right,
            BinaryOp::BitXor => left ^ right,
            BinaryOp::Lt => u128::from(order.is_lt()),
            BinaryOp::Le => u128::from(order.is_le()),
            BinaryOp::Gt => u128::from(order.is_gt()),
            BinaryOp::Ge => u128::from(order.is_ge()),
            BinaryOp::Eq => u128::from(order.is_eq()),
            BinaryOp::Ne => u128::from(order.is_ne()),
            _ => return None,
        })
    }

    /// `-value`
    pub(super) fn negate(self, value: u128, overflow: Overflow) -> Option<u128> {
        self.binary(BinaryOp::Sub, 0, value, overflow)
    }
}

/// Returns true if an operation is a comparison.
pub(super) fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Lt | Le | Gt | Ge | Eq | Ne)
}

/// An operation on floats: a float, or the truth of a comparison.
pub(super) enum FloatResult {
    Float(f64),
    Truth(bool),
}

/// An operation on floats of a kind; `long double` has no arithmetic.
pub(super) fn float_binary(kind: FloatKind, op: BinaryOp, a: f64, b: f64) -> Option<FloatResult> {
    let value = match op {
        _ if kind == FloatKind::LongDouble => return None,
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        BinaryOp::Lt => return Some(FloatResult::Truth(a < b)),
        BinaryOp::Le => return Some(FloatResult::Truth(a <= b)),
        BinaryOp::Gt => return Some(FloatResult::Truth(a > b)),
        BinaryOp::Ge => return Some(FloatResult::Truth(a >= b)),
        BinaryOp::Eq => return Some(FloatResult::Truth(a == b)),
        BinaryOp::Ne => return Some(FloatResult::Truth(a != b)),
        _ => return None,
    };
    Some(FloatResult::Float(round(kind, value)))
}

/// A value as a float kind holds it. Sums, products and quotients of two `float`s, rounded first to `double` and then to
/// `float`, are what rounding once gives.
pub(super) fn round(kind: FloatKind, value: f64) -> f64 {
    if kind == FloatKind::Float { f64::from(nearest32(value)) } else { value }
}

impl Sema<'_> {
    /// The width and sign of an integer, `_Bool` or pointer type.
    pub(super) fn shape(&self, ty: Ty) -> Option<Shape> {
        Some(match self.types.unatomic(ty) {
            Type::Bool => Shape { bits: 1, signed: false },
            Type::Int(kind) => Shape { bits: self.types.int_bits(*kind), signed: kind.is_signed() },
            Type::Pointer(_) => Shape { bits: self.types.data_model.pointer().bits(), signed: false },
            _ => return None,
        })
    }

    /// Returns true if a type is a signed integer type.
    pub(super) fn is_signed(&self, ty: Ty) -> bool {
        matches!(self.types.unatomic(ty), Type::Int(kind) if kind.is_signed())
    }

    pub(super) fn float_kind(&self, ty: Ty) -> Option<FloatKind> {
        match self.types.unatomic(ty) {
            Type::Float(kind) => Some(*kind),
            _ => None,
        }
    }

    pub(super) fn int_kind(&self, ty: Ty) -> Option<IntKind> {
        match self.types.unatomic(ty) {
            Type::Int(kind) => Some(*kind),
            _ => None,
        }
    }

    /// Whether a constant condition is true; `None` if it is no constant.
    pub(super) fn truth(&self, condition: &Expr) -> Option<bool> {
        match condition.kind {
            ExprKind::Int(value) => Some(value != 0),
            ExprKind::Float(value) => Some(value != 0.0),
            _ => None,
        }
    }

    /// A binary operation on two operands of one type, folded if both are constants.
    pub(super) fn folded(&self, op: BinaryOp, ty: Ty, left: &Expr, right: &Expr) -> Option<ExprKind> {
        match (&left.kind, &right.kind) {
            (&ExprKind::Int(a), &ExprKind::Int(b)) => {
                self.shape(ty)?.binary(op, a, b, Overflow::Keep).map(ExprKind::Int)
            }
            (&ExprKind::Float(a), &ExprKind::Float(b)) => {
                Some(match float_binary(self.float_kind(ty)?, op, a, b)? {
                    FloatResult::Float(value) => ExprKind::Float(value),
                    FloatResult::Truth(truth) => ExprKind::Int(u128::from(truth)),
                })
            }
            _ => None,
        }
    }
}
