//! Complex numbers (C11 6.2.5, Annex G).
//!
//! An operation with a number that has no imaginary part leaves the other's alone, as Annex G and gcc have it. Products of two complex numbers and quotients
//! by one are calls of the functions that gcc calls for them (`models/complex.c`). Between constants gcc computes itself: a product as the function does,
//! a quotient with more precision, which has no model. Where there is no function (`__float128`, integers) a product is the textbook's, and one of which
//! both parts are NaNs has no model, nor has a quotient.

use super::{Operand, Sema, Source, after};
use crate::ast::{self, At, UnaryOp};
use crate::hir::{BinaryOp, Expr, ExprKind, Stmt};
use crate::sema::convert::{is_lvalue, is_unsupported};
use crate::types::{Composite, FloatKind, Ty, Type};

const NO_QUOTIENT: &str =
    "a quotient by a complex number, of constants or of other parts than `float`, `double` and `long double`";

impl<'a> Sema<'a> {
    /// The type of complex numbers with parts of a floating type.
    pub(in crate::sema) fn complex_of(&mut self, kind: FloatKind) -> Ty {
        let part = self.types.intern(Type::Float(kind));
        self.composite_type(Composite::Complex(part))
    }

    /// GNU's imaginary constants: `2.0i`, `1.0fj`, `3i`.
    pub(in crate::sema) fn imaginary(&mut self, spelling: &str, at: At) -> Expr {
        let without: String = spelling.chars().filter(|c| !matches!(c, 'i' | 'j' | 'I' | 'J')).collect();
        let number = self.number(&without, at);
        if is_unsupported(&number) {
            return number;
        }
        let (part, span) = (number.ty, number.span);
        let zero = self.int_constant(0, self.basic.int, at);
        let zero = self.convert(zero, part);
        let ty = self.composite_type(Composite::Complex(part));
        self.composed(ty, vec![zero, number], Vec::new(), span)
    }

    /// `__real__` and `__imag__`: of an lvalue, an lvalue.
    pub(in crate::sema) fn complex_part(&mut self, operand: Expr, imaginary: bool, at: At) -> Expr {
        let span = self.span(at);
        if is_unsupported(&operand) {
            return operand;
        }
        let Some(Composite::Complex(part)) = self.types.composite_of(operand.ty) else {
            let value = self.decay(operand);
            return match (self.is_arithmetic(value.ty), imaginary) {
                (true, false) => value,
                (true, true) => {
                    let zero = self.int_constant(0, self.basic.int, at);
                    let zero = self.convert(zero, value.ty);
                    after(vec![Stmt::Expr(value)], zero)
                }
                (false, _) => self.wrong(at, "the part of something that is no number"),
            };
        };
        let offset = if imaginary { self.types.size_of(part).unwrap_or(0) } else { 0 };
        let is_value = !is_lvalue(&operand);
        let base = Box::new(self.as_object(operand));
        let member = Expr { ty: part, span, kind: ExprKind::Member { base, offset, bits: None } };
        if is_value { self.decay(member) } else { member }
    }

    /// `creal`, `cimag`, `conj` and their kin, and `__builtin_complex`.
    pub(in crate::sema) fn complex_builtin(
        &mut self,
        name: &str,
        args: &'a [ast::Expr<'a>],
        at: At,
    ) -> Option<Expr> {
        let is_builtin = name.starts_with("__builtin_");
        let short = name.strip_prefix("__builtin_").unwrap_or(name);
        match (short, args) {
            ("complex", [real, imaginary]) if is_builtin => {
                let parts = vec![self.value(real), self.value(imaginary)];
                let part = parts[0].ty;
                if parts[1].ty != part || self.float_kind(part).is_none() {
                    return Some(self.wrong(at, "the parts of a complex number have different types"));
                }
                let ty = self.composite_type(Composite::Complex(part));
                Some(self.composed(ty, parts, Vec::new(), self.span(at)))
            }
            (_, [number]) => {
                let (base, kind) = match short.as_bytes().last()? {
                    b'f' => (&short[..short.len() - 1], FloatKind::Float),
                    b'l' if short != "creal" => (&short[..short.len() - 1], FloatKind::LongDouble),
                    _ => (short, FloatKind::Double),
                };
                if !matches!(base, "creal" | "cimag" | "conj") {
                    return None;
                }
                let ty = self.complex_of(kind);
                let number = self.value(number);
                let number = self.assign_convert(number, ty, at);
                Some(match base {
                    "conj" => self.composite_unary(UnaryOp::BitNot, number, at),
                    _ => self.complex_part(number, base == "cimag", at),
                })
            }
            _ => None,
        }
    }

    /// The type in which two numbers are combined of which one is complex.
    pub(super) fn common_complex(&mut self, left: &Expr, right: &Expr) -> Ty {
        let parts = [left, right].map(|value| {
            let ty = self.types.composite_of(value.ty).map_or(value.ty, Composite::part);
            Expr { ty, span: value.span, kind: ExprKind::Int(0) }
        });
        let part = self.common_type(&parts[0], &parts[1]);
        self.composite_type(Composite::Complex(part))
    }

    /// Whether a complex number differs from zero.
    pub(in crate::sema) fn complex_truth(&mut self, value: Expr, at: At) -> Expr {
        let zero = self.int_constant(0, self.basic.int, at);
        self.composite_operation(BinaryOp::Ne, value, zero, at)
    }

    pub(super) fn complex_comparison(
        &mut self,
        op: BinaryOp,
        left: Operand,
        right: Operand,
        before: Vec<Stmt>,
        at: At,
    ) -> Expr {
        if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            return self.wrong(at, "complex numbers have no order");
        }
        let real = self.arithmetic(op, left.part(0), right.part(0), at);
        let (l, r) = (self.imaginary_part(&left, at), self.imaginary_part(&right, at));
        let imaginary = self.arithmetic(op, l, r, at);
        // Both comparisons are 0 or 1, and have no effects.
        let both = if op == BinaryOp::Eq { BinaryOp::BitAnd } else { BinaryOp::BitOr };
        let truth = self.arithmetic(both, real, imaginary, at);
        after(before, truth)
    }

    fn imaginary_part(&mut self, operand: &Operand, at: At) -> Expr {
        if operand.composite.is_some() { operand.part(1) } else { self.int_constant(0, self.basic.int, at) }
    }

    pub(super) fn complex_operation(
        &mut self,
        op: BinaryOp,
        left: Operand,
        right: Operand,
        mut before: Vec<Stmt>,
        at: At,
    ) -> Expr {
        let span = self.span(at);
        let (l, r) = (left.part(0), right.part(0));
        let part = self.common_type(&l, &r);
        let ty = self.composite_type(Composite::Complex(part));
        let of = |sema: &mut Self, operand: &Operand, n| {
            let value = operand.part(n);
            sema.convert(value, part)
        };
        let both = left.composite.is_some() && right.composite.is_some();
        let one = |sema: &mut Self, n| {
            let (l, r) = (of(sema, &left, n), of(sema, &right, n));
            sema.arithmetic(op, l, r, at)
        };
        let parts = match op {
            BinaryOp::Add | BinaryOp::Sub if both => vec![one(self, 0), one(self, 1)],
            BinaryOp::Add | BinaryOp::Sub => {
                let imaginary = match (left.composite, op) {
                    (Some(_), _) => of(self, &left, 1),
                    (None, BinaryOp::Add) => of(self, &right, 1),
                    (None, _) => {
                        let part = of(self, &right, 1);
                        self.number_unary(UnaryOp::Neg, part, at)
                    }
                };
                vec![one(self, 0), imaginary]
            }
            BinaryOp::Mul if !both => vec![one(self, 0), one(self, 1)],
            BinaryOp::Div if right.composite.is_none() => vec![one(self, 0), one(self, 1)],
            BinaryOp::Mul | BinaryOp::Div => {
                let parts = [
                    of(self, &left, 0),
                    self.imaginary_part(&left, at),
                    of(self, &right, 0),
                    of(self, &right, 1),
                ];
                let by_compiler = is_constant(&left) && is_constant(&right);
                let call = if by_compiler { None } else { self.complex_call(op, part, parts.into(), at) };
                match call {
                    Some(call) => return after(before, call),
                    None if op == BinaryOp::Mul => {
                        let product = self.product(&left, &right, part, at);
                        self.checked_product(product, &mut before, at)
                    }
                    None => return after(before, self.unsupported(ty, span, NO_QUOTIENT)),
                }
            }
            _ => return self.wrong(at, "the operands have types this operator does not take"),
        };
        self.composed(ty, parts, before, span)
    }

    /// A call of the function that multiplies or divides complex numbers with these parts: `None` if there is no model of it.
    fn complex_call(&mut self, op: BinaryOp, part: Ty, operands: Vec<Expr>, at: At) -> Option<Expr> {
        let name = match (op, self.float_kind(part)?) {
            (BinaryOp::Mul, FloatKind::Float) => "__mulsc3",
            (BinaryOp::Mul, FloatKind::Double) => "__muldc3",
            (BinaryOp::Mul, FloatKind::LongDouble) => "__mulxc3",
            (BinaryOp::Div, FloatKind::Float) => "__divsc3",
            (BinaryOp::Div, FloatKind::Double) => "__divdc3",
            (BinaryOp::Div, FloatKind::LongDouble) => "__divxc3",
            _ => return None,
        };
        let ty = self.library_definition(name)?;
        let function = self.external_function(name, ty, at);
        let callee = self.function_reference(function, ty, at);
        Some(self.call_value(callee, operands, at))
    }

    /// `(a + bi)(c + di) = (ac - bd) + (ad + bc)i`
    fn product(&mut self, left: &Operand, right: &Operand, part: Ty, at: At) -> [Expr; 2] {
        let mut times = |i, j| {
            let (l, r) = (self.convert(left.part(i), part), self.convert(right.part(j), part));
            self.arithmetic(BinaryOp::Mul, l, r, at)
        };
        let (ac, bd, ad, bc) = (times(0, 0), times(1, 1), times(0, 1), times(1, 0));
        let real = self.arithmetic(BinaryOp::Sub, ac, bd, at);
        [real, self.arithmetic(BinaryOp::Add, ad, bc, at)]
    }

    /// The parts of a product; floating ones must not both be NaNs.
    fn checked_product(&mut self, product: [Expr; 2], before: &mut Vec<Stmt>, at: At) -> Vec<Expr> {
        let (part, span) = (product[0].ty, self.span(at));
        if self.float_kind(part).is_none() {
            return product.into();
        }
        let parts = product.map(|part| self.operand(part, before));
        let [real, imaginary] = [0, 1].map(|n: usize| {
            let (left, right) = (parts[n].part(0), parts[n].part(0));
            self.arithmetic(BinaryOp::Ne, left, right, at)
        });
        let no_number = self.arithmetic(BinaryOp::BitAnd, real, imaginary, at);
        let gap = Stmt::Unsupported("a product of complex numbers that is no number".to_owned(), span);
        match self.truth(&no_number) {
            Some(false) => {}
            _ => before.push(Stmt::If { cond: no_number, yes: Box::new(gap), no: None }),
        }
        parts.iter().map(|part| part.part(0)).collect()
    }
}

fn is_constant(operand: &Operand) -> bool {
    matches!(operand.source, Source::Constants(_))
}
