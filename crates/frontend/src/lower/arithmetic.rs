//! Arithmetic, comparisons, and what is undefined about them.
//!
//! Division by zero and shifts by too much end the execution ([`Builder::undefined_unless`]). For the property `no-overflow`, an operation on signed integers
//! whose exact result its type cannot represent is an error, left shifts included.

use super::function::Builder;
use super::scalar::{self, Class};
use crate::hir::{self, BinaryOp};
use crate::types::Ty;
use program::{Action, BinOp, Expr, Property, UnOp, UndefinedKind, Width};

impl<'m> Builder<'_, 'm> {
    pub(super) fn negation(&mut self, inner: &'m hir::Expr, ty: Ty) -> Expr {
        let value = self.rvalue(inner);
        match self.class(ty) {
            Class::Float => Expr::unary(UnOp::FNeg, value),
            class => {
                let zero = Expr::constant(0, value.width());
                self.check_overflow(BinOp::Sub, &zero, &value, class);
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
                let left = if self.ctx.checks.overflow { self.repeatable(left) } else { left };
                self.check_overflow(bin, &left, &right, class);
                Expr::binary(bin, left, right)
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul if self.ctx.checks.overflow && class == Class::Signed => {
                let (left, right) = (self.repeatable(left), self.repeatable(right));
                self.check_overflow(bin, &left, &right, class);
                Expr::binary(bin, left, right)
            }
            _ => Expr::binary(bin, left, right),
        }
    }

    fn shift(&mut self, bin: BinOp, left: Expr, amount: Expr, class: Class) -> Expr {
        let amount = self.repeatable(amount);
        let limit = Expr::constant(u128::from(left.width().bits()), amount.width());
        let in_range = Expr::binary(BinOp::ULt, amount.clone(), limit);
        let what = "shift by a negative amount or by the width or more";
        self.undefined_unless(in_range, UndefinedKind::ShiftOutOfRange, what);
        let amount = scalar::resize(amount, false, left.width());
        if bin != BinOp::Shl || !self.ctx.checks.overflow {
            return Expr::binary(bin, left, amount);
        }
        let left = self.repeatable(left);
        self.check_overflow(bin, &left, &amount, class);
        Expr::binary(bin, left, amount)
    }

    /// An error action, if the property asks for it and the result does not fit.
    fn check_overflow(&mut self, op: BinOp, left: &Expr, right: &Expr, class: Class) {
        if !self.ctx.checks.overflow || class != Class::Signed {
            return;
        }
        let fits = fits_signed(op, left, right);
        if fits.as_const().is_some_and(|v| v != 0) {
            return;
        }
        let (fine, bad) = (self.new_location(), self.new_location());
        self.branch(fits, fine, bad);
        self.open(bad);
        self.end(Action::Error { property: Property::NoOverflow, message: "signed overflow".to_owned() });
        self.open(fine);
    }

    pub(super) fn compare(&mut self, truth: Comparison, left: &'m hir::Expr, right: &'m hir::Expr) -> Expr {
        let (mut l, mut r) = (self.rvalue(left), self.rvalue(right));
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
            return self.offset(ptr, (index as u64).wrapping_mul(scale));
        }
        let scaled = match scale {
            1 => index,
            _ => Expr::binary(BinOp::Mul, index, self.word(scale)),
        };
        Expr::binary(if negative { BinOp::Sub } else { BinOp::Add }, ptr, scaled)
    }
}

/// Whether the exact result of a signed operation fits into the operands' width, as one bit. A remainder fits if the quotient does.
fn fits_signed(op: BinOp, left: &Expr, right: &Expr) -> Expr {
    let op = if op == BinOp::SRem { BinOp::SDiv } else { op };
    let width = left.width();
    let result = Expr::binary(op, left.clone(), right.clone());
    if width.bits() > 64 {
        return fits_without_widening(op, left, right, result);
    }
    // Twice the width holds the exact result; the amount of a shift is less than the width.
    let double = Width(width.0 * 2);
    let wide = |e: &Expr| scalar::resize(e.clone(), true, double);
    let exact = Expr::binary(op, wide(left), wide(right));
    Expr::binary(BinOp::Eq, exact, scalar::resize(result, true, double))
}

/// The same for operands that cannot be widened: by the signs of sums, and by undoing products and shifts.
fn fits_without_widening(op: BinOp, left: &Expr, right: &Expr, result: Expr) -> Expr {
    let width = left.width();
    let zero = Expr::constant(0, width);
    let minus_one = Expr::constant(width.mask(), width);
    let least = Expr::constant(1 << (width.bits() - 1), width);
    let is = |e: &Expr, value: &Expr| Expr::binary(BinOp::Eq, e.clone(), value.clone());
    let is_negative = |e: &Expr| Expr::binary(BinOp::SLt, e.clone(), zero.clone());
    let differ = |a: &Expr, b: &Expr| Expr::binary(BinOp::Xor, is_negative(a), is_negative(b));
    let both = |a: Expr, b: Expr| Expr::binary(BinOp::And, a, b);
    match op {
        BinOp::Add => both(differ(&result, left), differ(&result, right)).negated(),
        BinOp::Sub => both(differ(&result, left), differ(left, right)).negated(),
        BinOp::SDiv => both(is(left, &least), is(right, &minus_one)).negated(),
        BinOp::Shl => is(&Expr::binary(BinOp::AShr, result, right.clone()), left),
        _ => {
            let is_undone = is(&Expr::binary(BinOp::SDiv, result, left.clone()), right);
            let wraps = both(is(left, &minus_one), is(right, &least));
            Expr::ite(is(left, &zero), Expr::truth(true), both(is_undone, wraps.negated()))
        }
    }
}

/// How a C comparison is asked.
#[derive(Clone, Copy)]
pub(super) struct Comparison {
    signed: BinOp,
    unsigned: BinOp,
    float: BinOp,
    /// Whether the operands change places (`a > b` is `b < a`).
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
