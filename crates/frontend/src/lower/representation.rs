//! Bits that are no value of their type: a `_Bool` that is neither 0 nor 1 (C11 6.2.6.1p5), for `undefined-behaviour`.
//!
//! Only memory can hold such bits, and only in programs that write to it other than by the type: where the program has none of the ways below, nothing is checked.
//!
//! | way | |
//! |---|---|
//! | a member of a union that is read as `_Bool` | `u.b` |
//! | a pointer that is converted to `_Bool *` | `*(_Bool *)p` |
//! | bytes that the library writes | `memcpy`, `memset`, `read`, … |
//!
//! # Direction of error
//! Misses: records with a `_Bool` inside that a converted pointer leads to.

use super::Lowering;
use super::function::Builder;
use crate::harness::{Node, walk};
use crate::hir::{self, ExprKind};
use crate::types::{Ty, Type, TypeTable};
use program::{BinOp, Expr, UndefinedKind};

/// Functions that write bytes.
const BYTES: &[&str] =
    &["memcpy", "memmove", "memset", "mempcpy", "bcopy", "read", "fread", "recv", "memccpy"];

impl Builder<'_, '_> {
    /// Checks a value of this type that was read from memory.
    pub(super) fn checked_bool(&mut self, value: Expr, ty: Ty) -> Expr {
        let is_checked = self.ctx.checks.undefined && !self.declared.library;
        if is_checked && is_bool(&self.ctx.module.types, ty) && self.ctx.may_be_any_bool() {
            let fits = Expr::binary(BinOp::ULe, value.clone(), Expr::constant(1, value.width()));
            let what = "read of a `_Bool` that is neither 0 nor 1";
            self.undefined_unless(fits, UndefinedKind::InvalidBool, what);
        }
        value
    }
}

impl Lowering<'_> {
    fn may_be_any_bool(&mut self) -> bool {
        let module = self.module;
        *self.any_bool.get_or_insert_with(|| may_be_any_bool(module))
    }
}

fn is_bool(types: &TypeTable, ty: Ty) -> bool {
    matches!(types.unatomic(types.unqualified(ty)), Type::Bool)
}

fn may_be_any_bool(module: &hir::Module) -> bool {
    let types = &module.types;
    let mut found = module.functions.iter().any(|f| BYTES.contains(&f.name.as_str()));
    for body in module.functions.iter().filter(|f| !f.library).filter_map(|f| f.body.as_ref()) {
        walk(body, &mut |node| {
            let Node::Expr(e) = node else { return };
            found |= match &e.kind {
                ExprKind::Convert(_) => {
                    matches!(types.unatomic(e.ty), Type::Pointer(target) if is_bool(types, *target))
                }
                ExprKind::Member { base, .. } if is_bool(types, e.ty) => {
                    matches!(types.unatomic(base.ty), Type::Record(id) if types.record(*id).is_union)
                }
                _ => false,
            };
        });
    }
    found
}
