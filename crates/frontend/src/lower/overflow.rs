//! GCC's arithmetic with a check: `__builtin_add_overflow` and its kin.
//!
//! The operation is done as if in infinite precision, whatever the operands' types; the result is cut to the type that the third argument names, and
//! the builtin tells whether that lost anything. Here the precision is what the exact result needs: two bits more than any of the three types
//! for sums and differences, both widths together for products. The exact result of two unsigned operands is unsigned (but for a
//! difference), any other one signed.

use super::function::Builder;
use super::scalar::{self, Class};
use crate::hir;
use crate::types::{Ty, Type};
use program::{BinOp, Expr, Op, Order, Width};

impl<'m> Builder<'_, 'm> {
    /// Lowers a call of `__builtin_*_overflow` or `__builtin_*_overflow_p`.
    pub(super) fn overflow_builtin(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        let [left, right, target] = args else { return None };
        let (operation, stores) = match name.strip_suffix("_overflow_p") {
            Some(operation) => (operation, false),
            None => (name.strip_suffix("_overflow")?, true),
        };
        let op = match operation.trim_start_matches("__builtin_").trim_end_matches('l') {
            "add" | "sadd" | "uadd" => BinOp::Add,
            "sub" | "ssub" | "usub" => BinOp::Sub,
            "mu" | "smu" | "umu" => BinOp::Mul,
            _ => return None,
        };
        let ty = match (stores, self.ctx.module.types.unatomic(target.ty)) {
            (true, Type::Pointer(pointee)) => *pointee,
            (true, _) => return None,
            (false, _) => target.ty,
        };
        let (a, b) = (self.rvalue(left), self.rvalue(right));
        let a = self.repeatable(a);
        let b = self.repeatable(b);
        let Some(exact) = self.exact_result(op, (a, left.ty), (b, right.ty), ty) else {
            return Some(self.no_value("checked arithmetic on integers of 128 bits"));
        };
        let exact = Exact { value: self.in_temporary(exact.value), ..exact };
        let width = self.ctx.width(ty)?;
        let fits = self.repeatable_fit(&exact, self.class(ty) == Class::Signed, width);
        if stores {
            let addr = self.word_argument(target);
            let value = scalar::resize(exact.value, exact.signed, width);
            self.push(Op::Store { addr, value, order: Order::Plain });
        } else {
            self.effects(target);
        }
        Some(scalar::resize(fits.negated(), false, Width::BYTE))
    }

    fn exact_result(&mut self, op: BinOp, left: (Expr, Ty), right: (Expr, Ty), ty: Ty) -> Option<Exact> {
        let is_signed = |builder: &Self, ty| builder.class(ty) == Class::Signed;
        let (a_signed, b_signed) = (is_signed(self, left.1), is_signed(self, right.1));
        let signed = a_signed || b_signed || op == BinOp::Sub;
        let (a, b) = (left.0.width().bits(), right.0.width().bits());
        let result = self.ctx.width(ty)?.bits();
        let needed = match op {
            BinOp::Mul => (a + b + u32::from(a_signed != b_signed)).max(result + 1),
            _ => a.max(b).max(result) + 2,
        };
        // A product of 64 bits each is less than 2^127 in magnitude if an operand is signed, and less than 2^128 otherwise.
        let needed = if op == BinOp::Mul && a + b <= 128 && result < 128 { needed.min(128) } else { needed };
        let width = Width(u8::try_from(needed).ok().filter(|bits| *bits <= 128)?);
        let wide = |(value, _): (Expr, Ty), signed| scalar::resize(value, signed, width);
        let value = Expr::binary(op, wide(left, a_signed), wide(right, b_signed));
        Some(Exact { value, signed })
    }

    /// Whether an exact result is a value of an integer type, as one bit.
    fn repeatable_fit(&mut self, exact: &Exact, signed: bool, width: Width) -> Expr {
        let wide = exact.value.width();
        let constant = |value: u128| Expr::constant(wide.truncate(value), wide);
        let most = constant(if signed { width.mask() >> 1 } else { width.mask() });
        let fits = if exact.signed {
            let least = constant(if signed { !(width.mask() >> 1) } else { 0 });
            let above = Expr::binary(BinOp::SLe, least, exact.value.clone());
            Expr::binary(BinOp::And, above, Expr::binary(BinOp::SLe, exact.value.clone(), most))
        } else {
            Expr::binary(BinOp::ULe, exact.value.clone(), most)
        };
        self.in_temporary(fits)
    }
}

/// A result that lost nothing.
struct Exact {
    value: Expr,
    signed: bool,
}
