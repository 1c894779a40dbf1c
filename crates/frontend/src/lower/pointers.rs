//! Pointers stay with their objects: arithmetic, order and differences.
//!
//! An address is a number, and so an access whose address was computed too far away from its object may land in another one, where the machine sees nothing wrong. C does: a pointer
//! that is computed from one into an object leads into that object or just behind it (C11 6.5.6p8), and only pointers into one object have an order (6.5.8p5) and a difference (6.5.6p9).
//! Lowering asks whether two addresses are in [one object](Expr::SameObject), and branches:
//!
//! | what | undefined if | built in for |
//! |---|---|---|
//! | `p[i]`, `*(p + i)`, `p->m`, far away | the address is in an object that `p` is not in: `out-of-bounds` | memory safety |
//! | `p + i`, `p++`, `&p[i]` as values | the result is not in the object of `p`: `pointer-arithmetic` | `undefined-behaviour` |
//! | `&p->m` as a value | `p` is null: `pointer-arithmetic` | `undefined-behaviour` |
//! | `p < q`, `p - q` | they are not in one object, and not equal: `invalid-pointer-pair` | `undefined-behaviour` |
//!
//! An address in no object at all needs no question in the first row: the access itself is invalid. Memory safety does not mind where a pointer is that is not used, but has no
//! provenance either: where only memory safety is checked, a pointer that left its object and now leads into one has no model.
//!
//! # What needs no question
//! Constant distances from a named object, distances from a label (`&&first + table[i]`, which GCC gives a meaning), and accesses at distances that are shorter than the space between objects ([`program::interp::gap`]): from inside of one object they do not
//! reach another.
//!
//! # Direction of error
//! Misses: distances in variables that wrap around the address space, the members of `&p[i].m`, and `_Atomic` pointers that are moved by `++` and `+=`. Adding nothing to a null pointer is no violation.

use super::function::Builder;
use super::validity::Use;
use crate::hir::{self, CompoundOp, ExprKind};
use crate::types::{Ty, Type};
use base::convert::low64;
use program::{BinOp, Expr, UndefinedKind, VarKind};

impl<'m> Builder<'_, 'm> {
    fn follows_pointers(&self) -> bool {
        self.ctx.checks.validity && !self.declared.library
    }

    /// Returns true if a compound assignment moves a pointer, and that is to be checked.
    pub(super) fn moves_pointer(&self, op: CompoundOp) -> bool {
        self.follows_pointers() && matches!(op, CompoundOp::Pointer { .. })
    }

    /// `ptr ± index * scale`, with a check of where that leads.
    pub(super) fn pointer_added(
        &mut self,
        ptr: &'m hir::Expr,
        index: &'m hir::Expr,
        (scale, negative): (u64, bool),
        used: Use,
    ) -> Expr {
        self.note_order([ptr, index]);
        self.check_unsequenced([ptr, index]);
        let is_label = matches!(ptr.kind, ExprKind::LabelAddr(_));
        let (ptr, index) = (self.rvalue(ptr), self.rvalue(index));
        if is_label || !self.follows_pointers() {
            return self.pointer_sum(ptr, index, scale, negative);
        }
        let reach = reach(&index, scale);
        if self.ctx.checks.undefined && index.as_const().is_some() && reach > i64::MAX.unsigned_abs() {
            let what = "a pointer moved around the address space";
            self.undefined_unless(Expr::truth(false), UndefinedKind::PointerArithmetic, what);
        }
        let ptr = self.repeatable(ptr);
        let sum = self.pointer_sum(ptr.clone(), index, scale, negative);
        self.checked_move(ptr, sum, used, reach)
    }

    /// How many elements of `scale` bytes lie between two pointers.
    pub(super) fn pointer_difference(
        &mut self,
        left: &'m hir::Expr,
        right: &'m hir::Expr,
        scale: u64,
    ) -> Expr {
        self.check_unsequenced([left, right]);
        let (left, right) = (self.rvalue(left), self.rvalue(right));
        let what = "difference of pointers that do not lead into one object";
        let (left, right) = self.checked_pair(left, right, what);
        let bytes = Expr::binary(BinOp::Sub, left, right);
        let scale = self.word(scale.max(1));
        if scale.as_const() == Some(1) { bytes } else { Expr::binary(BinOp::SDiv, bytes, scale) }
    }

    /// The address of a member of what is at an address.
    pub(super) fn member(&mut self, base: &hir::Expr, addr: Expr, offset: u64) -> Expr {
        if offset <= NEAR || !self.follows_pointers() || !matches!(base.kind, ExprKind::Deref(_)) {
            return self.offset(addr, offset);
        }
        let addr = self.repeatable(addr);
        let member = self.offset(addr.clone(), offset);
        self.checked_move(addr, member, Use::Access, offset)
    }

    /// The address of a member of what a pointer leads to, which is not null.
    pub(super) fn checked_member(&mut self, addr: Expr, lvalue: &hir::Expr) -> Expr {
        let (mut root, mut distance) = (lvalue, 0);
        while let ExprKind::Member { base, offset, .. } = &root.kind {
            distance += offset;
            root = base;
        }
        let ExprKind::Deref(pointer) = &root.kind else { return addr };
        if !self.ctx.checks.undefined
            || self.declared.library
            || std::ptr::eq(root, lvalue)
            || matches!(pointer.kind, ExprKind::PtrAdd { .. })
            || addr.as_const().is_some()
            || named(&addr).0.is_some()
        {
            return addr;
        }
        let addr = self.repeatable(addr);
        let is_somewhere = Expr::binary(BinOp::Ne, addr.clone(), self.word(distance));
        let what = "a pointer to a member, computed from a null pointer";
        self.undefined_unless(is_somewhere, UndefinedKind::PointerArithmetic, what);
        addr
    }

    /// A pointer that was computed from another one, at most `reach` bytes away; with a check of where it leads.
    pub(super) fn checked_move(&mut self, from: Expr, to: Expr, used: Use, reach: u64) -> Expr {
        let near = reach < program::interp::gap(self.ctx.model);
        let everywhere = self.ctx.checks.undefined;
        if from == to
            || self.stays_in_named(&from, &to)
            || used == Use::Access && near && (everywhere || reach <= NEAR)
        {
            return to;
        }
        let (from, to) = (self.repeatable(from), self.repeatable(to));
        match used {
            Use::Access => self.check_access(&from, &to),
            Use::Address => self.check_result(&from, &to),
        }
        to
    }

    fn check_access(&mut self, from: &Expr, to: &Expr) {
        let fine = either(same_object(from, to), same_object(to, to).negated());
        let what = "access beyond the object that the pointer leads into, in another one";
        if self.ctx.checks.undefined {
            return self.undefined_unless(fine, UndefinedKind::OutOfBounds, what);
        }
        let (on, off) = (self.new_location(), self.new_location());
        self.branch(fine, on, off);
        self.open(off);
        self.undefined_unless(same_object(from, from).negated(), UndefinedKind::OutOfBounds, what);
        self.unsupported(ASTRAY);
        self.goto(on);
        self.open(on);
    }

    fn check_result(&mut self, from: &Expr, to: &Expr) {
        let same = same_object(from, to);
        if self.ctx.checks.undefined {
            let fine = either(Expr::binary(BinOp::Eq, from.clone(), to.clone()), same);
            let what = "a pointer computed beyond its object, and not just behind it";
            return self.undefined_unless(fine, UndefinedKind::PointerArithmetic, what);
        }
        let (on, off) = (self.new_location(), self.new_location());
        self.branch(either(same, same_object(to, to).negated()), on, off);
        self.open(off);
        self.unsupported(ASTRAY);
        self.goto(on);
        self.open(on);
    }

    /// Two pointers that are compared by order, or subtracted.
    pub(super) fn checked_pair(&mut self, left: Expr, right: Expr, what: &str) -> (Expr, Expr) {
        if !self.ctx.checks.undefined || self.declared.library {
            return (left, right);
        }
        let (left, right) = (self.repeatable(left), self.repeatable(right));
        if !self.stays_in_named(&left, &right) {
            let equal = Expr::binary(BinOp::Eq, left.clone(), right.clone());
            let fine = either(equal, same_object(&left, &right));
            self.undefined_unless(fine, UndefinedKind::InvalidPointerPair, what);
        }
        (left, right)
    }

    /// Returns true if a comparison by order of values of this type is to be checked.
    pub(super) fn is_checked_order(&self, ty: Ty, op: BinOp) -> bool {
        self.ctx.checks.undefined
            && !self.declared.library
            && matches!(op, BinOp::ULt | BinOp::ULe)
            && self.has_pointer_type(ty)
    }

    pub(super) fn has_pointer_type(&self, ty: Ty) -> bool {
        matches!(self.ctx.module.types.unatomic(ty), Type::Pointer(_))
    }

    /// Returns true if two addresses are constant distances from the start of one named object, inside of it or just behind.
    fn stays_in_named(&self, from: &Expr, to: &Expr) -> bool {
        let ((Some(object), from), (same, to)) = (named(from), named(to)) else { return false };
        let size = match object {
            Expr::ObjectAddr(id, _) => self.ctx.objects[*id].size,
            Expr::LocalAddr(var, _) => match self.vars[*var].kind {
                VarKind::Memory { size, .. } => size,
                VarKind::Register(_) => return false,
            },
            _ => return false,
        };
        same == Some(object) && from <= size && to <= size
    }
}

/// What has no model where only memory safety is checked.
const ASTRAY: &str = "a pointer that has left its object and leads into one";

/// Distances that reach no other object in any data model.
const NEAR: u64 = 128;

fn same_object(left: &Expr, right: &Expr) -> Expr {
    Expr::SameObject(Box::new(left.clone()), Box::new(right.clone()))
}

fn either(left: Expr, right: Expr) -> Expr {
    Expr::binary(BinOp::Or, left, right)
}

/// A named object, and the constant distance from its start.
fn named(address: &Expr) -> (Option<&Expr>, u64) {
    match address {
        Expr::ObjectAddr(..) | Expr::LocalAddr(..) => (Some(address), 0),
        Expr::Binary(BinOp::Add, base, distance) => match (&**base, distance.as_const()) {
            (Expr::ObjectAddr(..) | Expr::LocalAddr(..), Some(distance)) => (Some(base), low64(distance)),
            _ => (None, 0),
        },
        _ => (None, 0),
    }
}

/// How many bytes an index leads away at most.
fn reach(index: &Expr, scale: u64) -> u64 {
    let width = index.width();
    let most = match index.as_const() {
        Some(index) => low64(width.signed(index).unsigned_abs()),
        None => low64(index_width(index).mask()),
    };
    most.saturating_mul(scale.max(1))
}

/// The width that an index had before it was widened.
fn index_width(index: &Expr) -> program::Width {
    match index {
        Expr::Cast(program::Cast::Sext | program::Cast::Zext, _, inner) => inner.width(),
        other => other.width(),
    }
}
