//! Numbers of several parts: complex numbers and GNU's vectors.
//!
//! Their types are records ([`Composite`]), so that they are stored, copied, passed and returned like any other. What is left is done here: operators,
//! conversions and initialisers become operations on the parts. An operand is evaluated once, into a variable ([`Operand`]), unless it is a literal of
//! constants; the result is a compound literal of parts:
//!
//! ```c
//! x + y    ({ T a = x; T b = y; (T){a.re + b.re, a.im + b.im}; })
//! x += y   ({ T *p = &x; *p = *p + y; })
//! ```
//!
//! A literal whose parts are constants stays one, so that it can initialise static objects.

mod complex;
mod vector;

use super::Sema;
use super::convert::{is_lvalue, is_unsupported};
use super::fold::is_comparison;
use crate::ast::{At, UnaryOp};
use crate::hir::{BinaryOp, Expr, ExprKind, Init, InitItem, LocalId, Stmt, VarRef};
use crate::types::{Composite, Ty, Type};
use base::Span;

/// A number of one or several parts that can be read any number of times.
struct Operand {
    source: Source,
    /// The type of its parts, and how many bytes they are apart.
    part: Ty,
    size: u64,
    /// `None` for a number of one part, which stands for as many as are needed.
    composite: Option<Composite>,
    span: Span,
}

enum Source {
    /// Parts that are constants.
    Constants(Vec<(Ty, ConstantPart)>),
    /// A variable.
    Variable(LocalId, Ty),
}

#[derive(Clone, Copy)]
enum ConstantPart {
    Int(u128),
    Float(u128),
}

impl ConstantPart {
    fn of(expr: &Expr) -> Option<Self> {
        match expr.kind {
            ExprKind::Int(bits) => Some(ConstantPart::Int(bits)),
            ExprKind::Float(bits) => Some(ConstantPart::Float(bits)),
            _ => None,
        }
    }
    fn kind(self) -> ExprKind {
        match self {
            ConstantPart::Int(bits) => ExprKind::Int(bits),
            ConstantPart::Float(bits) => ExprKind::Float(bits),
        }
    }
}

impl Operand {
    /// The value of its `n`-th part.
    fn part(&self, n: u64) -> Expr {
        let n = if self.composite.is_some() { n } else { 0 };
        let (part, span) = (self.part, self.span);
        match &self.source {
            Source::Constants(parts) => {
                let (ty, part) = parts[base::convert::index(n)];
                Expr { ty, span, kind: part.kind() }
            }
            &Source::Variable(local, ty) => {
                let variable = Expr { ty, span, kind: ExprKind::Var(VarRef::Local(local)) };
                let place = match self.composite {
                    None => variable,
                    Some(_) => {
                        let (base, offset) = (Box::new(variable), n * self.size);
                        Expr { ty: part, span, kind: ExprKind::Member { base, offset, bits: None } }
                    }
                };
                Expr { ty: part, span, kind: ExprKind::Load(Box::new(place)) }
            }
        }
    }
}

/// The parts of a literal of parts with their offsets; anything else is a part as a whole.
pub(super) fn literal_parts(value: Expr) -> Vec<(u64, Expr)> {
    let Expr { ty, span, kind } = value;
    match kind {
        ExprKind::Load(inner) => match inner.kind {
            ExprKind::CompoundLiteral(_, init) => {
                init.items.into_iter().map(|item| (item.offset, item.value)).collect()
            }
            kind => {
                let inner = Box::new(Expr { kind, ..*inner });
                vec![(0, Expr { ty, span, kind: ExprKind::Load(inner) })]
            }
        },
        kind => vec![(0, Expr { ty, span, kind })],
    }
}

impl<'a> Sema<'a> {
    pub(super) fn is_composite(&self, ty: Ty) -> bool {
        self.types.composite_of(ty).is_some()
    }

    pub(super) fn is_complex(&self, ty: Ty) -> bool {
        matches!(self.types.composite_of(ty), Some(Composite::Complex(_)))
    }

    /// Evaluates a value into something that can be read again; what has to happen before goes to `before`.
    fn operand(&mut self, value: Expr, before: &mut Vec<Stmt>) -> Operand {
        let (ty, span) = (value.ty, value.span);
        let composite = self.types.composite_of(ty);
        let part = composite.map_or(ty, Composite::part);
        let size = self.types.size_of(part).unwrap_or(1);
        let source = match constant_parts(&value) {
            Some(parts) => Source::Constants(parts),
            None => {
                let local = self.new_local("", ty, span);
                let items = vec![InitItem { offset: 0, bits: None, value }];
                before.push(Stmt::Decl { local, init: Some(Init { zero_fill: false, items }), span });
                Source::Variable(local, ty)
            }
        };
        Operand { source, part, size, composite, span }
    }

    /// A value from its parts, after some statements.
    fn composed(&mut self, ty: Ty, parts: Vec<Expr>, before: Vec<Stmt>, span: Span) -> Expr {
        let size = parts.first().and_then(|part| self.types.size_of(part.ty)).unwrap_or(1);
        let places = (0..).map(|n| n * size);
        let items = places.zip(parts).map(|(offset, value)| InitItem { offset, bits: None, value }).collect();
        let local = self.new_local("", ty, span);
        let init = Box::new(Init { zero_fill: false, items });
        let literal = Expr { ty, span, kind: ExprKind::CompoundLiteral(local, init) };
        let value = Expr { ty, span, kind: ExprKind::Load(Box::new(literal)) };
        after(before, value)
    }

    /// An operation of which at least one operand has several parts.
    pub(super) fn composite_operation(&mut self, op: BinaryOp, left: Expr, right: Expr, at: At) -> Expr {
        let span = self.span(at);
        let composites = [left.ty, right.ty].map(|ty| self.types.composite_of(ty));
        let is_number = |sema: &Self, ty| sema.is_composite(ty) || sema.is_arithmetic(ty);
        if !is_number(self, left.ty) || !is_number(self, right.ty) {
            return self.wrong(at, "the operands have types this operator does not take");
        }
        let mut before = Vec::new();
        let (left, right) = (self.operand(left, &mut before), self.operand(right, &mut before));
        match composites {
            [Some(Composite::Vector(..)), _] | [_, Some(Composite::Vector(..))] => {
                self.vector_operation(op, left, right, before, span, at)
            }
            _ if is_comparison(op) => self.complex_comparison(op, left, right, before, at),
            _ => self.complex_operation(op, left, right, before, at),
        }
    }

    pub(super) fn composite_unary(&mut self, op: UnaryOp, value: Expr, at: At) -> Expr {
        let (ty, span) = (value.ty, self.span(at));
        let Some(composite) = self.types.composite_of(ty) else { return value };
        if op == UnaryOp::Plus {
            return value;
        }
        let mut before = Vec::new();
        let operand = self.operand(value, &mut before);
        let parts = (0..composite.count()).map(|n| {
            let part = operand.part(n);
            // `~` of a complex number is its conjugate.
            match (composite, op, n) {
                (Composite::Complex(_), UnaryOp::BitNot, 0) => part,
                (Composite::Complex(_), UnaryOp::BitNot, _) => self.number_unary(UnaryOp::Neg, part, at),
                _ => {
                    let result = self.number_unary(op, part, at);
                    self.convert(result, composite.part())
                }
            }
        });
        let parts = parts.collect();
        self.composed(ty, parts, before, span)
    }

    /// `lvalue op= value` where one of them has several parts.
    pub(super) fn composite_compound(
        &mut self,
        lvalue: Expr,
        op: BinaryOp,
        value: Expr,
        post: bool,
        at: At,
    ) -> Expr {
        let (ty, span) = (self.unatomic(lvalue.ty), self.span(at));
        let is_bit_field = matches!(lvalue.kind, ExprKind::Member { bits: Some(_), .. });
        if ty != self.types.unqualified(lvalue.ty) || is_bit_field {
            return self.unsupported(ty, span, "an atomic operation on a number of several parts");
        }
        let pointer_ty = self.pointer_to(ty);
        let address = self.address(lvalue, pointer_ty);
        let mut before = Vec::new();
        let value = self.operand(value, &mut before);
        let value = self.whole(&value);
        let pointer = self.new_local("", pointer_ty, span);
        let items = vec![InitItem { offset: 0, bits: None, value: address }];
        before.push(Stmt::Decl { local: pointer, init: Some(Init { zero_fill: false, items }), span });
        let object = || {
            let variable = Expr { ty: pointer_ty, span, kind: ExprKind::Var(VarRef::Local(pointer)) };
            let address = Expr { ty: pointer_ty, span, kind: ExprKind::Load(Box::new(variable)) };
            Expr { ty, span, kind: ExprKind::Deref(Box::new(address)) }
        };
        let read = || Expr { ty, span, kind: ExprKind::Load(Box::new(object())) };
        let old = self.operand(read(), &mut before);
        let old_value = self.whole(&old);
        let new = self.arithmetic(op, old_value, value, at);
        let new = self.assign_convert(new, ty, at);
        let assign = Expr { ty, span, kind: ExprKind::Assign(Box::new(object()), Box::new(new)) };
        before.push(Stmt::Expr(assign));
        let result = if post { self.whole(&old) } else { read() };
        after(before, result)
    }

    /// An operand as a value.
    fn whole(&mut self, operand: &Operand) -> Expr {
        let span = operand.span;
        match (&operand.source, operand.composite) {
            (_, None) => operand.part(0),
            (&Source::Variable(local, ty), Some(_)) => {
                let variable = Expr { ty, span, kind: ExprKind::Var(VarRef::Local(local)) };
                Expr { ty, span, kind: ExprKind::Load(Box::new(variable)) }
            }
            (Source::Constants(_), Some(composite)) => {
                let parts = (0..composite.count()).map(|n| operand.part(n)).collect();
                let ty = self.composite_type(composite);
                self.composed(ty, parts, Vec::new(), span)
            }
        }
    }

    fn composite_type(&mut self, composite: Composite) -> Ty {
        self.types.composite(composite).expect("the parts of a number should have a size")
    }

    /// Both branches of a conditional of which at least one has several parts.
    pub(super) fn unified_composites(&mut self, yes: Expr, no: Expr) -> (Expr, Expr, Ty) {
        let ty = match (self.types.composite_of(yes.ty), self.types.composite_of(no.ty)) {
            (Some(Composite::Vector(..)), _) | (Some(_), None) if !self.is_arithmetic(no.ty) => yes.ty,
            (_, Some(Composite::Vector(..))) => no.ty,
            _ => self.common_complex(&yes, &no),
        };
        (self.convert(yes, ty), self.convert(no, ty), ty)
    }

    /// A conversion, or an error where there is none.
    pub(super) fn composite_cast(&mut self, value: Expr, to: Ty, at: At) -> Expr {
        if is_unsupported(&value) {
            return Expr { ty: to, ..value };
        }
        let is_number = |sema: &Self, ty| sema.is_composite(ty) || sema.is_arithmetic(ty);
        if !is_number(self, value.ty) || !is_number(self, to) {
            return self.wrong(at, "a number of several parts is converted to something else, or from it");
        }
        self.composite_converted(value, to)
    }

    /// A conversion between numbers of which at least one has several parts.
    pub(super) fn composite_converted(&mut self, value: Expr, to: Ty) -> Expr {
        let span = value.span;
        match (self.types.composite_of(value.ty), self.types.composite_of(to)) {
            (from, target) if from == target => value,
            (Some(Composite::Vector(..)), _) | (_, Some(Composite::Vector(..))) => {
                self.reinterpreted(value, to)
            }
            (from, Some(Composite::Complex(part))) => {
                let mut before = Vec::new();
                let operand = self.operand(value, &mut before);
                let imaginary = match from {
                    Some(_) => operand.part(1),
                    None => Expr { ty: self.basic.int, span, kind: ExprKind::Int(0) },
                };
                let parts = vec![self.convert(operand.part(0), part), self.convert(imaginary, part)];
                self.composed(to, parts, before, span)
            }
            _ if matches!(self.types.get(to), Type::Bool) => {
                let truth = self.complex_truth(value, 0);
                self.convert(truth, to)
            }
            _ => {
                let mut before = Vec::new();
                let operand = self.operand(value, &mut before);
                let real = self.convert(operand.part(0), to);
                after(before, real)
            }
        }
    }

    /// An lvalue for a value, which is kept in a variable if it is none.
    fn as_object(&mut self, value: Expr) -> Expr {
        if is_lvalue(&value) {
            return value;
        }
        let (ty, span) = (value.ty, value.span);
        let local = self.new_local("", ty, span);
        let items = vec![InitItem { offset: 0, bits: None, value }];
        let init = Box::new(Init { zero_fill: false, items });
        Expr { ty, span, kind: ExprKind::CompoundLiteral(local, init) }
    }
}

/// The parts of a value if all of them are constants.
fn constant_parts(value: &Expr) -> Option<Vec<(Ty, ConstantPart)>> {
    match &value.kind {
        ExprKind::Int(_) | ExprKind::Float(_) => Some(vec![(value.ty, ConstantPart::of(value)?)]),
        ExprKind::Load(literal) => match &literal.kind {
            ExprKind::CompoundLiteral(_, init) if !init.zero_fill && init.items.len() > 1 => {
                let part = |item: &InitItem| Some((item.value.ty, ConstantPart::of(&item.value)?));
                init.items.iter().map(part).collect()
            }
            _ => None,
        },
        _ => None,
    }
}

/// A value after statements.
fn after(before: Vec<Stmt>, value: Expr) -> Expr {
    if before.is_empty() {
        return value;
    }
    let (ty, span) = (value.ty, value.span);
    Expr { ty, span, kind: ExprKind::StmtExpr(before, Some(Box::new(value))) }
}
