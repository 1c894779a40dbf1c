//! Whether the declarations of one entity in several units agree, as far as the linker and the machine are concerned.
//!
//! C wants compatible types, and a linker that sees types (LTO) complains if they are not. Types that are *represented* alike are
//! let pass: a pointer is a pointer, and signs of integers do not count, since each unit accesses the entity with the type it
//! declares. Types that are still incomplete agree with everything.

use super::Sema;
use crate::ast::At;
use crate::types::{Layout, RecordId, Ty, Type};
use base::Span;

/// What a unit said first about an external name.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstDeclaration {
    unit: usize,
    ty: Ty,
    thread_local: bool,
    span: Span,
}

/// Records nest at most this deeply before their members count as alike.
const MAX_DEPTH: u32 = 8;

impl<'a> Sema<'a> {
    /// Reports a declaration of an external name that contradicts another unit's.
    pub(super) fn check_agreement(&mut self, link_name: &'a str, ty: Ty, thread_local: bool, at: At) {
        if self.units[self.unit].unit.library {
            return;
        }
        let (unit, span) = (self.unit, self.span(at));
        let Some(&first) = self.linkage.first_declarations.get(link_name) else {
            let first = FirstDeclaration { unit, ty, thread_local, span };
            self.linkage.first_declarations.insert(link_name, first);
            return;
        };
        if first.unit == unit {
            return;
        }
        let place = self.place(first.span);
        if !self.represented_alike(first.ty, ty, 0) {
            self.error(at, format!("'{link_name}' is declared with another type at {place}"));
        } else if first.thread_local != thread_local {
            self.error(
                at,
                format!("'{link_name}' is thread-local either here or at {place}, but not in both places"),
            );
        }
    }

    /// A position as text.
    pub(super) fn place(&self, span: Span) -> String {
        if !span.is_somewhere() {
            return "another place".to_owned();
        }
        format!("{}:{}:{}", self.files.name(span.file), span.line, span.col)
    }

    fn represented_alike(&self, left: Ty, right: Ty, depth: u32) -> bool {
        if left == right || depth > MAX_DEPTH {
            return true;
        }
        match (self.types.get(left), self.types.get(right)) {
            (Type::Int(a), Type::Int(b)) => self.types.int_bytes(*a) == self.types.int_bytes(*b),
            (Type::Pointer(_), Type::Pointer(_)) => true,
            (Type::Atomic(a), Type::Atomic(b)) => self.represented_alike(*a, *b, depth),
            (Type::Array(a, m), Type::Array(b, n)) => {
                (m.is_none() || n.is_none() || m == n) && self.represented_alike(*a, *b, depth)
            }
            (Type::Array(a, _) | Type::Vla(a, _), Type::Vla(b, _)) | (Type::Vla(a, _), Type::Array(b, _)) => {
                self.represented_alike(*a, *b, depth)
            }
            (Type::Record(a), Type::Record(b)) => self.records_alike(*a, *b, depth + 1),
            (
                Type::Function { ret: a, params: p, prototype: x, variadic: v },
                Type::Function { ret: b, params: q, prototype: y, variadic: w },
            ) => {
                let alike = |(p, q): (&Ty, &Ty)| self.represented_alike(*p, *q, depth);
                let same_params = v == w && p.len() == q.len() && p.iter().zip(q).all(alike);
                self.represented_alike(*a, *b, depth) && (!x || !y || same_params)
            }
            (
                Type::Void
                | Type::Bool
                | Type::Int(_)
                | Type::Float(_)
                | Type::Pointer(_)
                | Type::Array(..)
                | Type::Vla(..)
                | Type::Function { .. }
                | Type::Record(_)
                | Type::Atomic(_)
                | Type::Qualified(..)
                | Type::Opaque { .. },
                _,
            ) => false,
        }
    }

    fn records_alike(&self, left: RecordId, right: RecordId, depth: u32) -> bool {
        let (left, right) = (self.types.record(left), self.types.record(right));
        let (Some(a), Some(b)) = (&left.layout, &right.layout) else { return true };
        let same_fields = |a: &Layout, b: &Layout| {
            a.fields.iter().zip(&b.fields).all(|(a, b)| {
                a.offset == b.offset && a.bits == b.bits && self.represented_alike(a.ty, b.ty, depth)
            })
        };
        left.is_union == right.is_union
            && a.size == b.size
            && a.fields.len() == b.fields.len()
            && same_fields(a, b)
    }
}
