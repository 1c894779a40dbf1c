//! Arithmetic, comparisons, and what is undefined about them.
//!
//! Division by zero and shifts by too much end the execution ([`Builder::undefined_unless`]). Operations on signed integers wrap around, but are
//! marked ([`Op::Signed`]), left shifts included: whether an overflow is an error is decided later ([`program::passes::overflow()`]).

use super::function::Builder;
use super::scalar::{self, Class};
use crate::hir::{self, BinaryOp};
use crate::types::Ty;
use base::convert::low64;
use program::{BinOp, Expr, Op, SignedOp, UnOp, UndefinedKind, Width};

impl<'m> Builder<'_, 'm> {
    pub(super) fn negation(&mut self, inner: &'m hir::Expr, ty: Ty) -> Expr {
        let value = self.rvalue(inner);
        match self.class(ty) {
            Class::Float => Expr::unary(UnOp::FNeg, value),
            class => {
                let zero = Expr::constant(0, value.width());
                self.mark_signed(BinOp::Sub, &zero, &value, class);
                Expr::unary(UnOp::Neg, value)
            }
        }
    }

    pub(super) fn binary(&mut self, op: BinaryOp, left: &'m hir::Expr, right: &'m hir::Expr, ty: Ty) -> Expr {
        if let Some(truth) = comparison(op) {
            let truth = self.compare(truth, left, right);
            let width = self.ctx.width(ty).unwrap_or(Width::INT);
            return scalar::resize(truth, false, width);
        }
        self.note_order([left, right]);
        self.check_unsequenced([left, right]);
        let (l, r) = (self.rvalue(left), self.rvalue(right));
        self.span = left.span;
        self.arithmetic(op, l, r, left.ty)
    }

    /// Arithmetic on two values of type `ty`.
    pub(super) fn arithmetic(&mut self, op: BinaryOp, left: Expr, right: Expr, ty: Ty) -> Expr {
        let class = self.class(ty);
        if self.ctx.width(ty).is_none() {
            return self.no_value("arithmetic on a type without a model");
        }
        let bin = operator(op, class);
        if matches!(bin, BinOp::Shl | BinOp::LShr | BinOp::AShr) {
            return self.shift(bin, left, right, class);
        }
        let right = scalar::resize(right, false, left.width());
        match bin {
            BinOp::SDiv | BinOp::UDiv | BinOp::SRem | BinOp::URem => {
                let right = self.repeatable(right);
                let nonzero = scalar::truth(right.clone(), Class::Unsigned);
                self.undefined_unless(nonzero, UndefinedKind::DivisionByZero, "division by zero");
                self.mark_signed(bin, &left, &right, class);
                Expr::binary(bin, left, right)
            }
            _ => {
                self.mark_signed(bin, &left, &right, class);
                Expr::binary(bin, left, right)
            }
        }
    }

    fn shift(&mut self, bin: BinOp, left: Expr, amount: Expr, class: Class) -> Expr {
        let amount = self.repeatable(amount);
        let limit = Expr::constant(u128::from(left.width().bits()), amount.width());
        let in_range = Expr::binary(BinOp::ULt, amount.clone(), limit);
        let what = "shift by a negative amount or by the width or more";
        self.undefined_unless(in_range, UndefinedKind::ShiftOutOfRange, what);
        let amount = scalar::resize(amount, false, left.width());
        self.mark_signed(bin, &left, &amount, class);
        Expr::binary(bin, left, amount)
    }

    /// Marks that `left op right` is about to be computed, if it is an operation that C leaves undefined when it overflows.
    fn mark_signed(&mut self, op: BinOp, left: &Expr, right: &Expr, class: Class) {
        if class == Class::Signed
            && let Some(op) = SignedOp::of(op)
        {
            let (left, right) = (left.clone(), right.clone());
            self.push_marker(Op::Signed { op, left, right, span: self.span });
        }
    }

    pub(super) fn compare(&mut self, truth: Comparison, left: &'m hir::Expr, right: &'m hir::Expr) -> Expr {
        self.note_order([left, right]);
        self.check_unsequenced([left, right]);
        let (mut l, mut r) = (self.rvalue(left), self.rvalue(right));
        if self.is_checked_order(left.ty, truth.unsigned) {
            (l, r) = self.checked_pair(l, r, "order of pointers that do not lead into one object");
        }
        if truth.swapped {
            std::mem::swap(&mut l, &mut r);
        }
        let class = self.class(left.ty);
        if self.ctx.width(left.ty).is_none() {
            self.unsupported("comparison of values without a model");
            return Expr::truth(false);
        }
        let op = match class {
            Class::Float => truth.float,
            Class::Signed => truth.signed,
            Class::Bool | Class::Unsigned => truth.unsigned,
        };
        // `(a < b) == 0`, as macros make it, is just a negation.
        if matches!(op, BinOp::Eq | BinOp::Ne)
            && r.as_const() == Some(0)
            && let Expr::Cast(program::Cast::Zext, _, inner) = &l
            && inner.width() == Width::BOOL
        {
            let inner = (**inner).clone();
            return if op == BinOp::Ne { inner } else { inner.negated() };
        }
        Expr::binary(op, l, r)
    }

    /// `ptr ± index * scale`.
    pub(super) fn pointer_sum(&mut self, ptr: Expr, index: Expr, scale: u64, negative: bool) -> Expr {
        let index = scalar::resize(index, true, ptr.width());
        if let (Some(index), false) = (index.as_const(), negative) {
            return self.offset(ptr, low64(index).wrapping_mul(scale));
        }
        let scaled = match scale {
            1 => index,
            _ => Expr::binary(BinOp::Mul, index, self.word(scale)),
        };
        Expr::binary(if negative { BinOp::Sub } else { BinOp::Add }, ptr, scaled)
    }
}

/// How a C comparison is asked.
#[derive(Clone, Copy)]
pub(super) struct Comparison {
    signed: BinOp,
    pub(super) unsigned: BinOp,
    float: BinOp,
    /// True if the operands change places (`a > b` is `b < a`).
    swapped: bool,
}

pub(super) fn comparison(op: BinaryOp) -> Option<Comparison> {
    let order = |signed, unsigned, float, swapped| Some(Comparison { signed, unsigned, float, swapped });
    match op {
        BinaryOp::Lt => order(BinOp::SLt, BinOp::ULt, BinOp::FLt, false),
        BinaryOp::Le => order(BinOp::SLe, BinOp::ULe, BinOp::FLe, false),
        BinaryOp::Gt => order(BinOp::SLt, BinOp::ULt, BinOp::FLt, true),
        BinaryOp::Ge => order(BinOp::SLe, BinOp::ULe, BinOp::FLe, true),
        BinaryOp::Eq => order(BinOp::Eq, BinOp::Eq, BinOp::FEq, false),
        BinaryOp::Ne => order(BinOp::Ne, BinOp::Ne, BinOp::FNe, false),
        _ => None,
    }
}

fn operator(op: BinaryOp, class: Class) -> BinOp {
    match (op, class) {
        (BinaryOp::Add, Class::Float) => BinOp::FAdd,
        (BinaryOp::Sub, Class::Float) => BinOp::FSub,
        (BinaryOp::Mul, Class::Float) => BinOp::FMul,
        (BinaryOp::Div, Class::Float) => BinOp::FDiv,
        (BinaryOp::Add, _) => BinOp::Add,
        (BinaryOp::Sub, _) => BinOp::Sub,
        (BinaryOp::Mul, _) => BinOp::Mul,
        (BinaryOp::Div, Class::Signed) => BinOp::SDiv,
        (BinaryOp::Div, _) => BinOp::UDiv,
        (BinaryOp::Rem, Class::Signed) => BinOp::SRem,
        (BinaryOp::Rem, _) => BinOp::URem,
        (BinaryOp::Shl, _) => BinOp::Shl,
        (BinaryOp::Shr, Class::Signed) => BinOp::AShr,
        (BinaryOp::Shr, _) => BinOp::LShr,
        (BinaryOp::BitAnd, _) => BinOp::And,
        (BinaryOp::BitOr, _) => BinOp::Or,
        (BinaryOp::BitXor, _) => BinOp::Xor,
        (BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne, _) => {
            unreachable!("comparisons should have been handled before")
        }
    }
}
