//! Conversions: decay, loads, promotions, and from one type to another.

use super::Sema;
use super::fold::float_truth;
use crate::ast::At;
use crate::hir::{BitField, Expr, ExprKind, Init, InitItem, VarRef};
use crate::types::{FloatKind, IntKind, Ty, Type};
use base::convert::low8;

/// Returns true if an expression designates an object or function. Mistakes count, so that they give no further errors.
pub(super) fn is_lvalue(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Var(_)
        | ExprKind::Str(_)
        | ExprKind::Function(_)
        | ExprKind::Deref(_)
        | ExprKind::CompoundLiteral(..)
        | ExprKind::Unsupported(_) => true,
        ExprKind::Member { base, .. } => is_lvalue(base),
        _ => false,
    }
}

/// Returns true if an expression stands for something without a model.
pub(super) fn is_unsupported(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Unsupported(_))
}

/// Returns true if an expression promotes like a bit-field.
pub(super) fn is_bit_field(expr: &Expr) -> bool {
    bit_field(expr).is_some()
}

/// The bit-field whose value an expression is; like gcc, also through assignments, commas and statement expressions.
fn bit_field(expr: &Expr) -> Option<BitField> {
    match &expr.kind {
        ExprKind::Load(inner) | ExprKind::Comma(_, inner) | ExprKind::Assign(inner, _) => bit_field(inner),
        ExprKind::StmtExpr(_, Some(inner)) => bit_field(inner),
        ExprKind::AssignOp(compound) => bit_field(&compound.lvalue),
        ExprKind::Member { bits, .. } => *bits,
        _ => None,
    }
}

impl Sema<'_> {
    /// The type of an object's value: without `_Atomic` and other qualifiers.
    pub(super) fn unatomic(&self, ty: Ty) -> Ty {
        match self.types.get(ty) {
            Type::Atomic(inner) => self.types.unqualified(*inner),
            _ => self.types.unqualified(ty),
        }
    }

    pub(super) fn is_integer(&self, ty: Ty) -> bool {
        matches!(self.types.unatomic(ty), Type::Int(_) | Type::Bool)
    }

    pub(super) fn is_arithmetic(&self, ty: Ty) -> bool {
        matches!(self.types.unatomic(ty), Type::Int(_) | Type::Bool | Type::Float(_))
    }

    pub(super) fn is_scalar(&self, ty: Ty) -> bool {
        matches!(self.types.unatomic(ty), Type::Int(_) | Type::Bool | Type::Float(_) | Type::Pointer(_))
    }

    pub(super) fn is_void(&self, ty: Ty) -> bool {
        matches!(self.types.get(ty), Type::Void)
    }

    /// What a pointer type points to.
    pub(super) fn pointee(&self, ty: Ty) -> Option<Ty> {
        match self.types.unatomic(ty) {
            Type::Pointer(inner) => Some(*inner),
            _ => None,
        }
    }

    /// Returns true if an expression is a null pointer constant, possibly cast to `void *`.
    pub(super) fn is_null_constant(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Int(0)) && (self.is_integer(expr.ty) || expr.ty == self.basic.void_ptr)
    }

    /// The value of an expression: arrays and functions decay, other lvalues are loaded.
    pub(super) fn decay(&mut self, expr: Expr) -> Expr {
        match *self.types.get(expr.ty) {
            _ if is_unsupported(&expr) => expr,
            Type::Array(element, _) | Type::Vla(element, _) => {
                let pointer = self.pointer_to(element);
                let object = if is_lvalue(&expr) { expr } else { self.materialised(expr) };
                self.address(object, pointer)
            }
            Type::Function { .. } => {
                let pointer = self.pointer_to(expr.ty);
                self.address(expr, pointer)
            }
            _ if is_lvalue(&expr) => self.load(expr),
            _ => expr,
        }
    }

    fn load(&mut self, lvalue: Expr) -> Expr {
        let (ty, span) = (self.unatomic(lvalue.ty), lvalue.span);
        if self.is_void(ty) {
            // `*p` of a `void *` has no value; only `p` is evaluated.
            return match lvalue.kind {
                ExprKind::Deref(pointer) => Expr { ty, span, kind: ExprKind::Convert(pointer) },
                _ => lvalue,
            };
        }
        Expr { ty, span, kind: ExprKind::Load(Box::new(lvalue)) }
    }

    /// The address of an lvalue, as a pointer of type `ty`.
    pub(super) fn address(&mut self, lvalue: Expr, ty: Ty) -> Expr {
        let span = lvalue.span;
        self.mark_address_taken(&lvalue);
        let kind = match lvalue.kind {
            ExprKind::Deref(pointer) if pointer.ty == ty => return *pointer,
            ExprKind::Deref(pointer) if matches!(pointer.kind, ExprKind::Int(_)) => pointer.kind,
            ExprKind::Member { ref base, offset, .. } => match constant_base(base) {
                Some(start) => self.pointer_constant(start.wrapping_add(u128::from(offset))),
                None => ExprKind::AddrOf(Box::new(lvalue)),
            },
            _ => ExprKind::AddrOf(Box::new(lvalue)),
        };
        Expr { ty, span, kind }
    }

    fn pointer_constant(&self, value: u128) -> ExprKind {
        let bits = self.types.data_model.pointer().bytes() * 8;
        ExprKind::Int(value & ((1 << bits) - 1))
    }

    fn mark_address_taken(&mut self, lvalue: &Expr) {
        let mut object = lvalue;
        while let ExprKind::Member { base, .. } = &object.kind {
            object = base;
        }
        let local = match object.kind {
            ExprKind::Var(VarRef::Local(local)) | ExprKind::CompoundLiteral(local, _) => local,
            _ => return,
        };
        if self.unevaluated == 0
            && let Some(body) = &mut self.body
        {
            body.locals[local].address_taken = true;
        }
    }

    /// An object that holds a record value, so that its members have addresses.
    fn materialised(&mut self, expr: Expr) -> Expr {
        match expr.kind {
            ExprKind::Member { base, offset, bits } if !is_lvalue(&base) => {
                let base = Box::new(self.materialised(*base));
                Expr { ty: expr.ty, span: expr.span, kind: ExprKind::Member { base, offset, bits } }
            }
            ExprKind::Member { .. } => expr,
            _ => {
                let (ty, span) = (expr.ty, expr.span);
                let local = self.new_local("", ty, span);
                let items = vec![InitItem { offset: 0, bits: None, value: expr }];
                let init = Box::new(Init { zero_fill: false, items });
                Expr { ty, span, kind: ExprKind::CompoundLiteral(local, init) }
            }
        }
    }

    /// Integer promotion.
    pub(super) fn promote(&mut self, expr: Expr) -> Expr {
        let promoted = self.promoted(&expr);
        self.convert(expr, promoted)
    }

    /// The promoted type of an integer expression; other types stay.
    pub(super) fn promoted(&mut self, expr: &Expr) -> Ty {
        let ty = self.unatomic(expr.ty);
        let int_bits = 32;
        if let (Some(bits), true) = (bit_field(expr), self.is_integer(ty)) {
            return match bits.width.cmp(&int_bits) {
                std::cmp::Ordering::Less => self.basic.int,
                std::cmp::Ordering::Equal if bits.signed => self.basic.int,
                std::cmp::Ordering::Equal => self.basic.uint,
                std::cmp::Ordering::Greater
                    if self.shape(ty).is_some_and(|shape| bits.width < shape.bits) =>
                {
                    let (bits, signed) = (low8(bits.width), bits.signed);
                    self.types.intern(Type::Int(IntKind::Narrow { bits, signed }))
                }
                std::cmp::Ordering::Greater => ty,
            };
        }
        match *self.types.get(ty) {
            Type::Bool => self.basic.int,
            Type::Int(kind) if self.types.int_bytes(kind) < 4 => self.basic.int,
            _ => ty,
        }
    }

    fn is_narrow(&self, ty: Ty) -> bool {
        matches!(self.types.get(ty), Type::Int(IntKind::Narrow { .. }))
    }

    /// The type of an object that holds a value of type `ty`.
    pub(super) fn object_type(&mut self, ty: Ty) -> Ty {
        match *self.types.get(ty) {
            Type::Int(kind @ IntKind::Narrow { signed, .. }) => {
                let is_wide = self.types.int_bytes(kind) > 8;
                self.int_type(match (is_wide, signed) {
                    (false, true) => IntKind::LongLong,
                    (false, false) => IntKind::ULongLong,
                    (true, true) => IntKind::Int128,
                    (true, false) => IntKind::UInt128,
                })
            }
            _ => ty,
        }
    }

    /// Default argument promotion.
    pub(super) fn default_promote(&mut self, expr: Expr) -> Expr {
        if self.float_kind(expr.ty) == Some(FloatKind::Float) {
            return self.convert(expr, self.basic.double);
        }
        match self.promoted(&expr) {
            promoted if self.is_narrow(promoted) => expr,
            promoted => self.convert(expr, promoted),
        }
    }

    /// The usual arithmetic conversions.
    pub(super) fn usual(&mut self, left: Expr, right: Expr) -> (Expr, Expr, Ty) {
        let ty = self.common_type(&left, &right);
        (self.convert(left, ty), self.convert(right, ty), ty)
    }

    pub(super) fn common_type(&mut self, left: &Expr, right: &Expr) -> Ty {
        match (self.float_kind(left.ty), self.float_kind(right.ty)) {
            (None, None) => {}
            // A type that is no float ranks below all of them.
            (left_kind, right_kind) if left_kind >= right_kind => return self.unatomic(left.ty),
            _ => return self.unatomic(right.ty),
        }
        let (a, b) = (self.promoted(left), self.promoted(right));
        let (Some(x), Some(y)) = (self.int_kind(a), self.int_kind(b)) else { return a };
        if self.is_narrow(a) || self.is_narrow(b) {
            return self.wider(a, b);
        }
        let (low, high) = if rank(x) <= rank(y) { (x, y) } else { (y, x) };
        let wider = self.types.int_bytes(high) > self.types.int_bytes(low);
        let kind = if low.is_signed() == high.is_signed() || !high.is_signed() || wider {
            high
        } else if rank(low) == rank(high) {
            low
        } else {
            unsigned(high)
        };
        self.int_type(kind)
    }

    /// The wider one of two integer types; of equally wide ones, the unsigned one. (The rank of a bit-field's type is given by its width.)
    fn wider(&self, a: Ty, b: Ty) -> Ty {
        match (self.shape(a), self.shape(b)) {
            (Some(x), Some(y)) if x.bits != y.bits => {
                if x.bits > y.bits {
                    a
                } else {
                    b
                }
            }
            (Some(x), _) if !x.signed => a,
            _ => b,
        }
    }

    /// A conversion as by a cast.
    pub(super) fn convert(&mut self, expr: Expr, to: Ty) -> Expr {
        let to = self.unatomic(to);
        if expr.ty == to || is_unsupported(&expr) {
            return Expr { ty: to, ..expr };
        }
        if let Some(kind) = self.converted_constant(&expr, to) {
            return Expr { ty: to, span: expr.span, kind };
        }
        // Qualifiers of what is pointed to change nothing but the type.
        if let (Some(from), Some(target)) = (self.pointee(expr.ty), self.pointee(to))
            && self.types.unqualified(from) == self.types.unqualified(target)
        {
            return Expr { ty: to, ..expr };
        }
        if !self.is_void(to) && (self.is_composite(expr.ty) || self.is_composite(to)) {
            return self.composite_converted(expr, to);
        }
        let span = expr.span;
        let from_float = self.float_kind(expr.ty).is_some();
        let to_float = self.float_kind(to).is_some();
        let mixes =
            (from_float && self.pointee(to).is_some()) || (to_float && self.pointee(expr.ty).is_some());
        if self.is_void(to) || (self.is_scalar(expr.ty) && self.is_scalar(to) && !mixes) {
            return Expr { ty: to, span, kind: ExprKind::Convert(Box::new(expr)) };
        }
        self.unsupported(to, span, "a conversion between types that are not both numbers or pointers")
    }

    fn converted_constant(&self, expr: &Expr, to: Ty) -> Option<ExprKind> {
        match (&expr.kind, self.types.get(to)) {
            (ExprKind::Int(value), Type::Bool) => Some(ExprKind::Int(u128::from(*value != 0))),
            (ExprKind::Int(value), Type::Int(_) | Type::Pointer(_)) => {
                let extended = self.shape(expr.ty)?.extend(*value);
                Some(ExprKind::Int(self.shape(to)?.truncate(extended.cast_unsigned())))
            }
            (ExprKind::Int(value), Type::Float(kind)) if self.is_integer(expr.ty) => {
                Some(ExprKind::Float(self.shape(expr.ty)?.to_float(*value, *kind)))
            }
            (ExprKind::Float(bits), Type::Bool) => {
                Some(ExprKind::Int(u128::from(float_truth(self.float_kind(expr.ty)?, *bits))))
            }
            (ExprKind::Float(bits), Type::Float(kind)) => {
                let from = self.float_kind(expr.ty)?.width();
                Some(ExprKind::Float(program::float::convert(*bits, from, kind.width())))
            }
            (ExprKind::Float(bits), Type::Int(_)) => {
                let (shape, kind) = (self.shape(to)?, self.float_kind(expr.ty)?);
                let whole = shape.saturate(kind, *bits);
                // Out of range it is undefined, and stays an operation.
                shape.holds_integer_part(kind, *bits).then_some(ExprKind::Int(whole))
            }
            _ => None,
        }
    }

    /// A conversion as by assignment, initialisation, argument passing and `return`.
    pub(super) fn assign_convert(&mut self, expr: Expr, to: Ty, at: At) -> Expr {
        let to = self.unatomic(to);
        if expr.ty == to || is_unsupported(&expr) {
            return Expr { ty: to, ..expr };
        }
        if self.is_void(expr.ty) {
            return self.wrong(at, "a void value is used");
        }
        match (self.types.get(expr.ty), self.types.get(to)) {
            _ if self.is_composite(expr.ty) || self.is_composite(to) => self.composite_cast(expr, to, at),
            (Type::Opaque { what, .. }, _) | (_, Type::Opaque { what, .. }) => {
                self.unsupported(to, expr.span, format!("a value of {what}"))
            }
            (_, Type::Record(id)) if self.is_scalar(expr.ty) && self.types.record(*id).is_union => {
                self.transparent_union(expr, to)
            }
            (Type::Record(_), _) | (_, Type::Record(_)) => self.wrong(at, "incompatible types"),
            _ => self.convert(expr, to),
        }
    }

    /// GNU's transparent unions: an argument for one of the members.
    fn transparent_union(&mut self, value: Expr, union: Ty) -> Expr {
        let span = value.span;
        let local = self.new_local("", union, span);
        let items = vec![InitItem { offset: 0, bits: None, value }];
        let init = Box::new(Init { zero_fill: true, items });
        let literal = Expr { ty: union, span, kind: ExprKind::CompoundLiteral(local, init) };
        Expr { ty: union, span, kind: ExprKind::Load(Box::new(literal)) }
    }
}

fn constant_base(base: &Expr) -> Option<u128> {
    let ExprKind::Deref(pointer) = &base.kind else { return None };
    match pointer.kind {
        ExprKind::Int(value) => Some(value),
        _ => None,
    }
}

fn rank(kind: IntKind) -> u32 {
    use IntKind::*;
    match kind {
        Char | SChar | UChar => 0,
        Short | UShort => 1,
        Int | UInt => 2,
        Long | ULong => 3,
        LongLong | ULongLong => 4,
        Int128 | UInt128 => 5,
        Narrow { .. } => unreachable!("types of bit-fields should have been compared by their width"),
    }
}

/// The unsigned type of the same rank.
fn unsigned(kind: IntKind) -> IntKind {
    use IntKind::*;
    match kind {
        Char | SChar | UChar => UChar,
        Short | UShort => UShort,
        Int | UInt => UInt,
        Long | ULong => ULong,
        LongLong | ULongLong => ULongLong,
        Int128 | UInt128 => UInt128,
        Narrow { bits, .. } => Narrow { bits, signed: false },
    }
}
