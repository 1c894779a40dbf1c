//! Folding: operations on constants, in up to 128 bits, with the width and sign of a C type.
//!
//! [`Overflow::Keep`] refuses what is undefined in C, so that the operation stays in the program and a verifier of overflows can
//! see it; [`Overflow::Wrap`] is for places where C demands a constant and gcc wraps.

use super::Sema;
use crate::hir::{BinaryOp, Expr, ExprKind};
use crate::types::{FloatKind, IntKind, Ty, Type};
use base::convert::low8;
use program::{BinOp, Width, float};

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
    pub(super) fn saturate(self, kind: FloatKind, bits: u128) -> u128 {
        let to = Width(low8(self.bits));
        if self.signed {
            float::to_signed(bits, kind.width(), to)
        } else {
            float::to_unsigned(bits, kind.width(), to)
        }
    }

    /// Returns true if the integer part of a float is in range.
    pub(super) fn holds_integer_part(self, kind: FloatKind, bits: u128) -> bool {
        let whole = float::to_signed(bits, kind.width(), Width(128)).cast_signed();
        // A NaN, and what is out of range of 128 bits, has an integer part that is none of its own.
        let limit = float::from_unsigned(1 << 126, kind.width());
        let is_below = float::binary(BinOp::FLt, bits, limit, kind.width()) != 0;
        let is_held = if self.signed {
            self.holds(whole)
        } else {
            u128::try_from(whole).is_ok_and(|w| self.truncate(w) == w)
        };
        is_below && whole != i128::MIN && is_held
    }

    /// An integer as the nearest float.
    pub(super) fn to_float(self, bits: u128, kind: FloatKind) -> u128 {
        if self.signed {
            float::from_signed(self.extend(bits), kind.width())
        } else {
            float::from_unsigned(bits, kind.width())
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

/// An operation on floats of a kind, given by their bits: a float, or the truth of a comparison.
pub(super) fn float_binary(kind: FloatKind, op: BinaryOp, a: u128, b: u128) -> Option<u128> {
    let is_comparison = is_comparison(op);
    let (op, a, b) = match op {
        BinaryOp::Add => (BinOp::FAdd, a, b),
        BinaryOp::Sub => (BinOp::FSub, a, b),
        BinaryOp::Mul => (BinOp::FMul, a, b),
        BinaryOp::Div => (BinOp::FDiv, a, b),
        BinaryOp::Lt => (BinOp::FLt, a, b),
        BinaryOp::Le => (BinOp::FLe, a, b),
        BinaryOp::Gt => (BinOp::FLt, b, a),
        BinaryOp::Ge => (BinOp::FLe, b, a),
        BinaryOp::Eq => (BinOp::FEq, a, b),
        BinaryOp::Ne => (BinOp::FNe, a, b),
        BinaryOp::Rem
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor => return None,
    };
    let width = kind.width();
    let result = float::binary(op, a, b, width);
    // A compiler's own NaN is positive.
    Some(if !is_comparison && makes_nan(kind, result, [a, b]) { float::nan(width) } else { result })
}

/// Returns true if an operation on numbers makes a NaN of them: gcc leaves that to the machine, whose NaN has another sign.
fn makes_nan(kind: FloatKind, result: u128, operands: [u128; 2]) -> bool {
    let is_nan = |bits| float::is_nan(bits, kind.width());
    is_nan(result) && !operands.into_iter().any(is_nan)
}

/// The bits of a float with the other sign.
pub(super) fn float_negated(kind: FloatKind, bits: u128) -> u128 {
    bits ^ (1 << (kind.width().bits() - 1))
}

/// Returns true if a float is unequal to zero; a NaN is.
pub(super) fn float_truth(kind: FloatKind, bits: u128) -> bool {
    float::binary(BinOp::FNe, bits, 0, kind.width()) != 0
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
            ExprKind::Float(bits) => Some(float_truth(self.float_kind(condition.ty)?, bits)),
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
                let kind = self.float_kind(ty)?;
                let result = float_binary(kind, op, a, b)?;
                match is_comparison(op) {
                    true => Some(ExprKind::Int(result)),
                    false if makes_nan(kind, result, [a, b]) => None,
                    false => Some(ExprKind::Float(result)),
                }
            }
            _ => None,
        }
    }
}
