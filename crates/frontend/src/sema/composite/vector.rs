//! GNU's vectors (`vector_size`): operations element by element.
//!
//! The elements of a result have the type of the operands' elements, without promotion; a comparison gives -1 or 0 as signed integers of their size. An
//! operand of one part stands for a vector of such elements. A cast keeps the bytes.

use super::{Operand, Sema, after};
use crate::ast::{self, At};
use crate::hir::{BinaryOp, Expr, ExprKind, Stmt};
use crate::sema::convert::is_unsupported;
use crate::sema::fold::is_comparison;
use crate::types::{Composite, IntKind, Ty, Type};
use base::Span;

impl<'a> Sema<'a> {
    /// The type of vectors of so many bytes.
    pub(in crate::sema) fn vector_of(&mut self, element: Ty, bytes: u64) -> Ty {
        let size = self.types.size_of(element).filter(|&size| size > 0);
        let is_element = matches!(self.types.get(element), Type::Int(_) | Type::Float(_));
        match size {
            Some(size) if is_element && bytes.is_multiple_of(size) && bytes > 0 => {
                self.composite_type(Composite::Vector(self.types.unqualified(element), bytes / size))
            }
            _ => {
                let what = "a vector of such elements";
                self.types.intern(Type::Opaque { what, size: bytes, align: bytes.max(1) })
            }
        }
    }

    /// `vector[index]`: of an lvalue, an lvalue.
    pub(in crate::sema) fn vector_element(&mut self, vector: Expr, index: Expr, at: At) -> Expr {
        let span = self.span(at);
        let Some(Composite::Vector(element, count)) = self.types.composite_of(vector.ty) else {
            unreachable!("a vector should be indexed here");
        };
        if is_unsupported(&vector) || is_unsupported(&index) {
            let bad = if is_unsupported(&vector) { vector } else { index };
            return Expr { ty: element, ..bad };
        }
        if !self.is_integer(index.ty) {
            return self.wrong(at, "the index of an element should be an integer");
        }
        let base = Box::new(self.as_object(vector));
        let ty = self.types.intern(Type::Array(element, Some(count)));
        let elements = Expr { ty, span, kind: ExprKind::Member { base, offset: 0, bits: None } };
        let first = self.decay(elements);
        let place = self.pointer_add(first, index, false, at);
        self.deref(place, at)
    }

    pub(super) fn vector_operation(
        &mut self,
        op: BinaryOp,
        left: Operand,
        right: Operand,
        before: Vec<Stmt>,
        span: Span,
        at: At,
    ) -> Expr {
        let vectors = [left.composite, right.composite].into_iter().flatten();
        let Some(composite) = vectors.clone().max_by_key(|vector| vector.count()) else {
            unreachable!("an operation on vectors should have a vector");
        };
        let has_complex = vectors.clone().any(|vector| matches!(vector, Composite::Complex(_)));
        if has_complex || vectors.clone().any(|vector| vector.count() != composite.count()) {
            return self.wrong(at, "the operands are vectors of different lengths");
        }
        let (element, count) = (composite.part(), composite.count());
        let of = |sema: &mut Self, operand: &Operand, n| {
            let value = operand.part(n);
            if operand.composite.is_some() { value } else { sema.convert(value, element) }
        };
        let result = if is_comparison(op) { self.mask_element(element) } else { element };
        let mut parts = Vec::with_capacity(base::convert::index(count));
        for n in 0..count {
            let (l, r) = (of(self, &left, n), of(self, &right, n));
            let value = self.arithmetic(op, l, r, at);
            let value =
                if is_comparison(op) { self.number_unary(ast::UnaryOp::Neg, value, at) } else { value };
            parts.push(self.convert(value, result));
        }
        let ty = self.composite_type(Composite::Vector(result, count));
        self.composed(ty, parts, before, span)
    }

    /// The signed integer type of an element's size.
    fn mask_element(&mut self, element: Ty) -> Ty {
        let kind = match self.types.size_of(element) {
            Some(1) => IntKind::SChar,
            Some(2) => IntKind::Short,
            Some(4) => IntKind::Int,
            Some(8) if self.is_ilp32() => IntKind::LongLong,
            Some(8) => IntKind::Long,
            _ => IntKind::Int128,
        };
        self.int_type(kind)
    }

    /// The same bytes as a value of another type.
    pub(super) fn reinterpreted(&mut self, value: Expr, to: Ty) -> Expr {
        let span = value.span;
        if self.types.size_of(value.ty) != self.types.size_of(to) {
            return self.unsupported(to, span, "a conversion between vectors of different sizes");
        }
        let object = self.as_object(value);
        let pointer = self.pointer_to(to);
        let address = self.address(object, pointer);
        let place = Expr { ty: to, span, kind: ExprKind::Deref(Box::new(address)) };
        Expr { ty: to, span, kind: ExprKind::Load(Box::new(place)) }
    }

    /// `__builtin_shuffle(a, mask)` and `__builtin_shuffle(a, b, mask)`: the elements of `a`, then those of `b`, at the positions that `mask` names, modulo
    /// their number.
    pub(in crate::sema) fn vector_shuffle(&mut self, args: &'a [ast::Expr<'a>], at: At) -> Expr {
        let span = self.span(at);
        let values: Vec<Expr> = args.iter().map(|arg| self.value(arg)).collect();
        let ty = values[0].ty;
        let Some(Composite::Vector(element, count)) = self.types.composite_of(ty) else {
            return self.wrong(at, "what is shuffled is no vector");
        };
        let mut before = Vec::new();
        let mut operands: Vec<Operand> =
            values.into_iter().map(|value| self.operand(value, &mut before)).collect();
        let mask = operands.pop().expect("a shuffle should have a mask");
        let n_sources = operands.len() as u64;
        let is_vector = |operand: &Operand| operand.composite.is_some_and(|c| c.count() == count);
        if !is_vector(&mask) || !operands.iter().all(is_vector) || !self.is_integer(mask.part) {
            return self.wrong(at, "the vectors of a shuffle have different lengths");
        }
        let parts = (0..count).map(|n| {
            let most = self.int_constant(i128::from(count * n_sources - 1), self.basic.int, at);
            let position = |sema: &mut Self, most| sema.arithmetic(BinaryOp::BitAnd, mask.part(n), most, at);
            let chosen = position(self, most);
            self.chosen_element(&operands, chosen, element, at)
        });
        let parts = parts.collect();
        self.composed(ty, parts, before, span)
    }

    /// The element of several vectors, one after the other, at a position.
    fn chosen_element(&mut self, vectors: &[Operand], position: Expr, element: Ty, at: At) -> Expr {
        let mut before = Vec::new();
        let position = self.operand(position, &mut before);
        let span = self.span(at);
        let count = vectors[0].composite.map_or(1, Composite::count);
        let mut chosen = vectors[0].part(0);
        for n in 1..count * vectors.len() as u64 {
            let here = self.int_constant(i128::from(n), self.basic.int, at);
            let is_here = self.arithmetic(BinaryOp::Eq, position.part(0), here, at);
            let value = vectors[base::convert::index(n / count)].part(n % count);
            let kind = ExprKind::Cond(Box::new(is_here), Box::new(value), Box::new(chosen));
            chosen = Expr { ty: element, span, kind };
        }
        after(before, chosen)
    }
}
