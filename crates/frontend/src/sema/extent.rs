//! `__builtin_object_size`: how many bytes are left of the object that a pointer points into, as far as the expression itself tells.
//!
//! Like gcc without optimisation, only addresses of named objects, their members and elements at constant indices are known. For any other pointer
//! the answer is "not known": all ones if the largest size is asked for, 0 if the smallest is.

use super::Sema;
use crate::hir::{Expr, ExprKind};

/// What is left, in bytes.
#[derive(Clone, Copy)]
struct Extent {
    /// Of the whole object.
    whole: u64,
    /// Of the innermost member that is pointed to.
    member: u64,
}

impl Sema<'_> {
    /// The value of `__builtin_object_size(pointer, kind)`.
    pub(super) fn object_size(&self, pointer: &Expr, kind: i128) -> i128 {
        match self.extent(pointer) {
            Some(extent) if kind & 1 == 0 => i128::from(extent.whole),
            Some(extent) => i128::from(extent.member),
            None if kind & 2 == 0 => -1,
            None => 0,
        }
    }

    fn extent(&self, pointer: &Expr) -> Option<Extent> {
        match &pointer.kind {
            ExprKind::Convert(inner) if self.pointee(inner.ty).is_some() => self.extent(inner),
            ExprKind::AddrOf(lvalue) => self.extent_of_object(lvalue),
            ExprKind::PtrAdd { ptr, index, scale, negative: false } => {
                let ExprKind::Int(index) = index.kind else { return None };
                let skipped = u64::try_from(index).ok()?.checked_mul(*scale)?;
                let Extent { whole, member } = self.extent(ptr)?;
                Some(Extent { whole: whole.saturating_sub(skipped), member: member.saturating_sub(skipped) })
            }
            _ => None,
        }
    }

    fn extent_of_object(&self, lvalue: &Expr) -> Option<Extent> {
        match &lvalue.kind {
            ExprKind::Var(_) | ExprKind::Str(_) | ExprKind::CompoundLiteral(..) => {
                let size = self.types.size_of(lvalue.ty)?;
                Some(Extent { whole: size, member: size })
            }
            ExprKind::Member { base, offset, .. } => {
                let outer = self.extent_of_object(base)?;
                let member = self.types.size_of(lvalue.ty)?;
                Some(Extent { whole: outer.whole.saturating_sub(*offset), member })
            }
            ExprKind::Deref(pointer) => self.extent(pointer),
            _ => None,
        }
    }
}
