//! GNU's ranges in designators: `[first ... last] = value`.
//!
//! All elements get the value, which is evaluated once: what is no constant is kept in a variable when the first element is stored.

use super::{Cursor, Filler, Store, Subobject, Value, item_at};
use crate::hir::{self, Expr, ExprKind, VarRef};
use crate::sema::Sema;
use crate::types::{IntKind, Ty};
use base::Span;

/// A value that is stored more than once.
enum Kept {
    Int(u128, Ty, Span),
    Float(u128, Ty, Span),
    Bytes(Vec<u8>, IntKind),
    Variable(hir::LocalId, Ty, Span),
}

impl Kept {
    /// Its value, once more.
    fn again(&self) -> Value {
        let (ty, span, kind) = match *self {
            Kept::Bytes(ref bytes, kind) => return Value::Bytes(bytes.clone(), kind),
            Kept::Int(bits, ty, span) => (ty, span, ExprKind::Int(bits)),
            Kept::Float(bits, ty, span) => (ty, span, ExprKind::Float(bits)),
            Kept::Variable(local, ty, span) => {
                let variable = Expr { ty, span, kind: ExprKind::Var(VarRef::Local(local)) };
                (ty, span, ExprKind::Load(Box::new(variable)))
            }
        };
        Value::Expr(Expr { ty, span, kind })
    }
}

impl<'a> Sema<'a> {
    /// Initialises several elements of an array with one item, which is evaluated once.
    pub(super) fn fill_range(
        &mut self,
        place: Subobject,
        cursor: &mut Cursor<'a>,
        positions: std::ops::RangeInclusive<u64>,
        filler: &mut Filler,
    ) -> Option<u64> {
        let (first, last) = (*positions.start(), *positions.end());
        let (Some(element), Some(_)) = (self.sub_place(place, first), self.sub_place(place, last)) else {
            self.error(cursor.peek().map_or(0, item_at), "this designator is out of bounds");
            return None;
        };
        let size = self.types.size_of(element.ty)?;
        let from = self.forget_range(element, (last - first + 1) * size, filler);
        self.fill_element(element, cursor, filler);
        let made: Vec<Store> = filler.stores.drain(from..).collect();
        let mut kept = Vec::with_capacity(made.len());
        for mut store in made {
            kept.push((store.place, store.at, self.kept_value(&mut store.value)));
            filler.stores.push(store);
        }
        for position in first + 1..=last {
            let offset = (position - first) * size;
            for (place, at, value) in &kept {
                let place = Subobject { offset: place.offset + offset, ..*place };
                filler.stores.push(Store { place, at: *at, value: value.again() });
            }
        }
        filler.end = filler.end.max(element.offset + (last - first + 1) * size);
        Some(last)
    }

    /// Drops earlier stores into bytes that are initialised again; returns how many are left.
    fn forget_range(&self, first: Subobject, bytes: u64, filler: &mut Filler) -> usize {
        let range = first.offset..first.offset + bytes;
        filler.stores.retain(|store| !range.contains(&store.place.offset));
        filler.stores.len()
    }

    /// A value that can be stored several times: what is computed is kept in a variable.
    fn kept_value(&mut self, value: &mut Value) -> Kept {
        match value {
            Value::Bytes(bytes, kind) => Kept::Bytes(bytes.clone(), *kind),
            Value::Expr(expr) => match expr.kind {
                ExprKind::Int(bits) => Kept::Int(bits, expr.ty, expr.span),
                ExprKind::Float(bits) => Kept::Float(bits, expr.ty, expr.span),
                _ => {
                    let (ty, span) = (expr.ty, expr.span);
                    let local = self.new_local("", ty, span);
                    let nothing = Expr { ty, span, kind: ExprKind::Int(0) };
                    let computed = std::mem::replace(expr, nothing);
                    let items = vec![hir::InitItem { offset: 0, bits: None, value: computed }];
                    let init = Box::new(hir::Init { zero_fill: false, items });
                    let literal = Expr { ty, span, kind: ExprKind::CompoundLiteral(local, init) };
                    expr.kind = ExprKind::Load(Box::new(literal));
                    Kept::Variable(local, ty, span)
                }
            },
        }
    }
}
