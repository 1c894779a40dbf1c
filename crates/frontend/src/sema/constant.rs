//! Constant expressions: where C demands a value before the program runs.
//!
//! Trees come folded, so most constants are a single node. What is left are address constants, and operations that folding kept
//! because they overflow; here they wrap, as in gcc.

use super::Sema;
use super::fold::{Overflow, float_binary, float_negated, float_truth, is_comparison};
use crate::ast;
use crate::hir::{AddrBase, BinaryOp, ConstValue, Expr, ExprKind, VarRef};
use crate::types::{Ty, Type};

/// The value of a constant expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Constant {
    /// Bits, truncated to the type.
    Int(u128),
    /// Bits, in the format of the type.
    Float(u128),
    /// An address plus bytes.
    Address(AddrBase, i64),
}

impl<'a> Sema<'a> {
    /// The value of an integer constant expression, with the sign of its type.
    pub(super) fn constant_integer(&mut self, expr: &'a ast::Expr<'a>) -> Option<i128> {
        let typed = self.unevaluated(|sema| sema.value(expr));
        match self.evaluate(&typed)? {
            Constant::Int(bits) if self.is_integer(typed.ty) => Some(self.shape(typed.ty)?.extend(bits)),
            _ => None,
        }
    }

    /// The same without a word if there is a mistake in it.
    pub(super) fn quietly_constant(&mut self, expr: &'a ast::Expr<'a>) -> Option<i128> {
        self.quietly(|sema| sema.constant_integer(expr))
    }

    /// The value of a typed expression, if it is constant.
    pub(super) fn evaluate(&self, expr: &Expr) -> Option<Constant> {
        match &expr.kind {
            ExprKind::Int(bits) => Some(Constant::Int(*bits)),
            ExprKind::Float(value) => Some(Constant::Float(*value)),
            ExprKind::AddrOf(lvalue) => self.address_constant(lvalue),
            ExprKind::Convert(inner) => self.evaluate_conversion(inner, expr.ty),
            ExprKind::Neg(inner) => match self.evaluate(inner)? {
                Constant::Int(bits) => {
                    Some(Constant::Int(self.shape(expr.ty)?.negate(bits, Overflow::Wrap)?))
                }
                Constant::Float(bits) => {
                    Some(Constant::Float(float_negated(self.float_kind(expr.ty)?, bits)))
                }
                Constant::Address(..) => None,
            },
            ExprKind::BitNot(inner) => match self.evaluate(inner)? {
                Constant::Int(bits) => Some(Constant::Int(self.shape(expr.ty)?.truncate(!bits))),
                _ => None,
            },
            ExprKind::Not(inner) => Some(Constant::Int(u128::from(!self.constant_truth(inner)?))),
            ExprKind::Binary(op, left, right) => self.evaluate_binary(*op, left, right),
            ExprKind::PtrAdd { ptr, index, scale, negative } => {
                let index = self.evaluate(index).and_then(|index| self.signed_value(index))?;
                let bytes = index.wrapping_mul(i128::from(*scale));
                self.moved(self.evaluate(ptr)?, if *negative { -bytes } else { bytes }, expr.ty)
            }
            ExprKind::PtrDiff { left, right, scale } => {
                let bytes = match (self.evaluate(left)?, self.evaluate(right)?) {
                    (Constant::Address(a, x), Constant::Address(b, y)) if a == b => {
                        i128::from(x) - i128::from(y)
                    }
                    (Constant::Int(x), Constant::Int(y)) => x.cast_signed() - y.cast_signed(),
                    _ => return None,
                };
                let elements = bytes.checked_div(i128::from(*scale))?;
                Some(Constant::Int(self.shape(expr.ty)?.truncate(elements.cast_unsigned())))
            }
            ExprKind::LogAnd(left, right) => {
                let both = self.constant_truth(left)? && self.constant_truth(right)?;
                Some(Constant::Int(u128::from(both)))
            }
            ExprKind::LogOr(left, right) => {
                let either = self.constant_truth(left)? || self.constant_truth(right)?;
                Some(Constant::Int(u128::from(either)))
            }
            ExprKind::Cond(condition, yes, no) => {
                self.evaluate(if self.constant_truth(condition)? { yes } else { no })
            }
            ExprKind::LabelAddr(label) => {
                let body = self.body.as_ref()?;
                let n = body.address_labels.iter().position(|known| known == label)?;
                Some(Constant::Int(n as u128 + 1))
            }
            _ => None,
        }
    }

    fn signed_value(&self, constant: Constant) -> Option<i128> {
        match constant {
            Constant::Int(bits) => Some(self.shape(self.basic.ptrdiff)?.extend(bits)),
            _ => None,
        }
    }

    fn moved(&self, pointer: Constant, bytes: i128, ty: Ty) -> Option<Constant> {
        match pointer {
            Constant::Address(base, offset) => {
                Some(Constant::Address(base, i64::try_from(i128::from(offset).checked_add(bytes)?).ok()?))
            }
            Constant::Int(bits) => {
                Some(Constant::Int(self.shape(ty)?.truncate(bits.wrapping_add(bytes.cast_unsigned()))))
            }
            Constant::Float(_) => None,
        }
    }

    fn address_constant(&self, lvalue: &Expr) -> Option<Constant> {
        match &lvalue.kind {
            ExprKind::Var(VarRef::Global(global)) => Some(Constant::Address(AddrBase::Global(*global), 0)),
            ExprKind::Function(function) => Some(Constant::Address(AddrBase::Function(*function), 0)),
            ExprKind::Str(string) => Some(Constant::Address(AddrBase::Str(*string), 0)),
            ExprKind::Deref(pointer) => self.evaluate(pointer),
            ExprKind::Member { base, offset, bits: None } => {
                self.moved(self.address_constant(base)?, i128::from(*offset), self.basic.void_ptr)
            }
            _ => None,
        }
    }

    fn evaluate_conversion(&self, inner: &Expr, to: Ty) -> Option<Constant> {
        let word = self.types.data_model.pointer().bytes();
        match (self.evaluate(inner)?, self.types.get(to)) {
            (Constant::Int(bits), Type::Bool) => Some(Constant::Int(u128::from(bits != 0))),
            (Constant::Int(bits), Type::Int(_) | Type::Pointer(_)) => {
                let extended = self.shape(inner.ty)?.extend(bits);
                Some(Constant::Int(self.shape(to)?.truncate(extended.cast_unsigned())))
            }
            (Constant::Int(bits), Type::Float(kind)) => {
                Some(Constant::Float(self.shape(inner.ty)?.to_float(bits, *kind)))
            }
            (Constant::Float(bits), Type::Bool) => {
                Some(Constant::Int(u128::from(float_truth(self.float_kind(inner.ty)?, bits))))
            }
            (Constant::Float(bits), Type::Float(kind)) => {
                let from = self.float_kind(inner.ty)?;
                Some(Constant::Float(program::float::convert(bits, from.width(), kind.width())))
            }
            (Constant::Float(bits), Type::Int(_)) => {
                Some(Constant::Int(self.shape(to)?.saturate(self.float_kind(inner.ty)?, bits)))
            }
            (address @ Constant::Address(..), Type::Pointer(_)) => Some(address),
            (Constant::Address(..), Type::Bool) => Some(Constant::Int(1)),
            (address @ Constant::Address(..), Type::Int(kind)) if self.types.int_bytes(*kind) == word => {
                Some(address)
            }
            _ => None,
        }
    }

    fn evaluate_binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<Constant> {
        match (self.evaluate(left)?, self.evaluate(right)?) {
            (Constant::Int(a), Constant::Int(b)) => {
                Some(Constant::Int(self.shape(left.ty)?.binary(op, a, b, Overflow::Wrap)?))
            }
            (Constant::Float(a), Constant::Float(b)) => {
                let result = float_binary(self.float_kind(left.ty)?, op, a, b)?;
                Some(if is_comparison(op) { Constant::Int(result) } else { Constant::Float(result) })
            }
            (Constant::Address(a, x), Constant::Address(b, y)) if is_comparison(op) && a == b => {
                let shape = super::fold::Shape { bits: 64, signed: true };
                Some(Constant::Int(shape.binary(
                    op,
                    shape.truncate(i128::from(x).cast_unsigned()),
                    shape.truncate(i128::from(y).cast_unsigned()),
                    Overflow::Wrap,
                )?))
            }
            (Constant::Address(..), Constant::Int(0)) | (Constant::Int(0), Constant::Address(..)) => match op
            {
                BinaryOp::Eq => Some(Constant::Int(0)),
                BinaryOp::Ne => Some(Constant::Int(1)),
                _ => None,
            },
            // Addresses as integers: `(unsigned long)&x + 4`.
            (address @ Constant::Address(..), Constant::Int(b)) => {
                let bytes = self.shape(right.ty)?.extend(b);
                match op {
                    BinaryOp::Add => self.moved(address, bytes, left.ty),
                    BinaryOp::Sub => self.moved(address, bytes.checked_neg()?, left.ty),
                    _ => None,
                }
            }
            (Constant::Int(a), address @ Constant::Address(..)) if op == BinaryOp::Add => {
                self.moved(address, self.shape(left.ty)?.extend(a), left.ty)
            }
            _ => None,
        }
    }

    /// A constant as bytes of an object of type `ty`.
    pub(super) fn static_value(&self, constant: Constant, ty: Ty) -> ConstValue {
        let size = self.types.size_of(ty).unwrap_or(1);
        match constant {
            Constant::Int(value) | Constant::Float(value) => ConstValue::Int { value, size },
            Constant::Address(base, offset) => ConstValue::Addr(base, offset),
        }
    }

    fn constant_truth(&self, expr: &Expr) -> Option<bool> {
        Some(match self.evaluate(expr)? {
            Constant::Int(bits) => bits != 0,
            Constant::Float(bits) => float_truth(self.float_kind(expr.ty)?, bits),
            Constant::Address(..) => true,
        })
    }
}
