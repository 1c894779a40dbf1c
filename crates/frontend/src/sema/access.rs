//! Access to objects: dereferencing, indexing, members, addresses.

use super::Sema;
use super::convert::{is_lvalue, is_unsupported};
use crate::ast::{self, At};
use crate::hir::{BitField, Expr, ExprKind, Init, InitItem};
use crate::types::{Composite, RecordId, Ty, Type};

/// Where a member is inside its record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) ty: Ty,
    pub(super) offset: u64,
    pub(super) align: u64,
    pub(super) bits: Option<BitField>,
    /// Its position among the record's fields (of the anonymous record that holds it, if any).
    pub(super) position: usize,
    /// True if it is a member of an anonymous record.
    pub(super) is_nested: bool,
}

impl<'a> Sema<'a> {
    /// `*pointer`
    pub(super) fn deref(&mut self, pointer: Expr, at: At) -> Expr {
        if is_unsupported(&pointer) {
            let ty = self.pointee(pointer.ty).unwrap_or(pointer.ty);
            return Expr { ty, ..pointer };
        }
        let Some(ty) = self.pointee(pointer.ty) else {
            return self.wrong(at, "what is dereferenced is no pointer");
        };
        let span = self.span(at);
        match pointer.kind {
            ExprKind::AddrOf(lvalue) if self.types.unqualified(lvalue.ty) == self.types.unqualified(ty) => {
                Expr { ty, span, ..*lvalue }
            }
            _ => Expr { ty, span, kind: ExprKind::Deref(Box::new(pointer)) },
        }
    }

    pub(super) fn address_of(&mut self, operand: &'a ast::Expr<'a>, at: At) -> Expr {
        let lvalue = self.expr(operand);
        if is_unsupported(&lvalue) {
            let ty = self.pointer_to(lvalue.ty);
            return Expr { ty, ..lvalue };
        }
        if !is_lvalue(&lvalue) {
            return self.wrong(at, "the address of a value is taken");
        }
        if matches!(lvalue.kind, ExprKind::Member { bits: Some(_), .. }) {
            return self.wrong(at, "the address of a bit-field is taken");
        }
        let ty = self.pointer_to(lvalue.ty);
        let address = self.address(lvalue, ty);
        Expr { span: self.span(at), ..address }
    }

    /// `array[index]`, or `index[array]`.
    pub(super) fn index(&mut self, array: &'a ast::Expr<'a>, index: &'a ast::Expr<'a>, at: At) -> Expr {
        let left = self.expr(array);
        if let Some(Composite::Vector(..)) = self.types.composite_of(left.ty) {
            let index = self.value(index);
            return self.vector_element(left, index, at);
        }
        let left = self.decay(left);
        let right = self.value(index);
        let (pointer, index) = if self.pointee(left.ty).is_some() { (left, right) } else { (right, left) };
        if is_unsupported(&pointer) || is_unsupported(&index) {
            let ty = self.pointee(pointer.ty).unwrap_or(self.basic.int);
            let bad = if is_unsupported(&pointer) { pointer } else { index };
            return Expr { ty, ..bad };
        }
        if self.pointee(pointer.ty).is_none() || !self.is_integer(index.ty) {
            return self.wrong(at, "what is indexed is no array or pointer, or the index is no integer");
        }
        let element = self.pointer_add(pointer, index, false, at);
        self.deref(element, at)
    }

    pub(super) fn member_access(&mut self, record: &'a ast::Expr<'a>, name: &'a str, at: At) -> Expr {
        let base = self.expr(record);
        self.member_of(base, name, at)
    }

    pub(super) fn arrow(&mut self, pointer: &'a ast::Expr<'a>, name: &'a str, at: At) -> Expr {
        let pointer = self.value(pointer);
        let base = self.deref(pointer, at);
        self.member_of(base, name, at)
    }

    fn member_of(&mut self, base: Expr, name: &str, at: At) -> Expr {
        if is_unsupported(&base) {
            return base;
        }
        let ty = self.unatomic(base.ty);
        let Type::Record(id) = *self.types.get(ty) else {
            return self.wrong(at, format!("member '{name}' of something that is no record"));
        };
        let Some(found) = self.find_field(ty, name) else {
            let record = self.types.record(id);
            let (tag, is_complete) = (record.tag.clone(), record.layout.is_some());
            let message = if is_complete {
                format!("there is no member '{name}' in '{tag}'")
            } else {
                format!("the members of '{tag}' are not known")
            };
            return self.wrong(at, message);
        };
        let span = self.span(at);
        // A member of a qualified record is qualified, too.
        let qualifiers = self.types.qualifiers(base.ty);
        let member_ty = self.types.qualify(found.ty, qualifiers);
        let kind = match base.kind {
            // A member of a member is one member further inside.
            ExprKind::Member { base, offset, bits: None } => {
                ExprKind::Member { base, offset: offset + found.offset, bits: found.bits }
            }
            _ => ExprKind::Member { base: Box::new(base), offset: found.offset, bits: found.bits },
        };
        Expr { ty: member_ty, span, kind }
    }

    /// A member by name, also of anonymous records.
    pub(super) fn find_field(&self, ty: Ty, name: &str) -> Option<Found> {
        let Type::Record(id) = self.types.unatomic(ty) else { return None };
        self.find_in_record(*id, name)
    }

    fn find_in_record(&self, id: RecordId, name: &str) -> Option<Found> {
        let layout = self.types.record(id).layout.as_ref()?;
        for (position, field) in layout.fields.iter().enumerate() {
            if field.name == name {
                let (ty, offset, align, bits) = (field.ty, field.offset, field.align, field.bits);
                return Some(Found { ty, offset, align, bits, position, is_nested: false });
            }
            if field.name.is_empty()
                && let Some(inner) = self.find_field(field.ty, name)
            {
                return Some(Found {
                    offset: field.offset + inner.offset,
                    position,
                    is_nested: true,
                    ..inner
                });
            }
        }
        None
    }

    /// GNU's cast to a union: its member of the value's type gets the value.
    pub(super) fn union_cast(&mut self, value: Expr, union: Ty, id: RecordId, at: At) -> Expr {
        let fields =
            self.types.record(id).layout.as_ref().map(|layout| layout.fields.as_slice()).unwrap_or_default();
        if !fields.iter().any(|field| self.compatible(field.ty, value.ty)) {
            return self.wrong(at, "no member of the union has the value's type");
        }
        let span = self.span(at);
        let local = self.new_local("", union, span);
        let items = vec![InitItem { offset: 0, bits: None, value }];
        let init = Box::new(Init { zero_fill: true, items });
        let literal = Expr { ty: union, span, kind: ExprKind::CompoundLiteral(local, init) };
        Expr { ty: union, span, kind: ExprKind::Load(Box::new(literal)) }
    }
}
