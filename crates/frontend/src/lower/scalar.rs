//! Scalars: widths of C types, truth values, conversions.

use crate::types::{IntKind, Ty, Type, TypeTable};
use base::convert::low8;
use program::{BinOp, Cast, Expr, Width};

/// How the bits of a scalar are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// `_Bool`: 0 or 1 in a byte.
    Bool,
    /// Signed integers.
    Signed,
    /// Unsigned integers and pointers.
    Unsigned,
    /// IEEE floats.
    Float,
}

/// The width of a scalar type; `None` for records, `void`, and scalars without a model.
pub(super) fn width(types: &TypeTable, ty: Ty) -> Option<Width> {
    match types.unatomic(ty) {
        Type::Bool => Some(Width::BYTE),
        Type::Int(kind) => Some(Width(low8(types.int_bits(*kind)))),
        Type::Float(kind) => Some(kind.width()),
        Type::Pointer(_) => Some(types.data_model.pointer()),
        Type::Void
        | Type::Array(..)
        | Type::Vla(..)
        | Type::Function { .. }
        | Type::Record(_)
        | Type::Atomic(_)
        | Type::Qualified(..)
        | Type::Opaque { .. } => None,
    }
}

/// How a scalar type's bits are to be read.
pub(super) fn class(types: &TypeTable, ty: Ty) -> Class {
    match types.unatomic(ty) {
        Type::Bool => Class::Bool,
        Type::Int(kind) if IntKind::is_signed(*kind) => Class::Signed,
        Type::Float(_) => Class::Float,
        _ => Class::Unsigned,
    }
}

/// The condition that a scalar differs from zero, as one bit.
pub(super) fn truth(value: Expr, class: Class) -> Expr {
    if class == Class::Float {
        let zero = Expr::constant(0, value.width());
        return Expr::binary(BinOp::FNe, value, zero);
    }
    match value {
        Expr::Cast(Cast::Zext, _, inner) if inner.width() == Width::BOOL => *inner,
        value if value.width() == Width::BOOL => value,
        value => {
            let zero = Expr::constant(0, value.width());
            Expr::binary(BinOp::Ne, value, zero)
        }
    }
}

/// A scalar of one class and width as another.
pub(super) fn convert(value: Expr, from: Class, to: Class, width: Width) -> Expr {
    match (from, to) {
        (_, Class::Bool) => Expr::cast(Cast::Zext, width, truth(value, from)),
        (Class::Float, Class::Float) => Expr::cast(Cast::FToF, width, value),
        (Class::Float, Class::Signed) => Expr::cast(Cast::FToS, width, value),
        (Class::Float, Class::Unsigned) => Expr::cast(Cast::FToU, width, value),
        (Class::Signed, Class::Float) => Expr::cast(Cast::SToF, width, value),
        (_, Class::Float) => Expr::cast(Cast::UToF, width, value),
        (from, _) => resize(value, from == Class::Signed, width),
    }
}

/// An integer cut or extended to `width`.
pub(super) fn resize(value: Expr, signed: bool, width: Width) -> Expr {
    let kind = match value.width().cmp(&width) {
        std::cmp::Ordering::Greater => Cast::Trunc,
        _ if signed => Cast::Sext,
        _ => Cast::Zext,
    };
    // A zero-extended truth value stays one extension, however wide it gets.
    match value {
        Expr::Cast(Cast::Zext, _, inner) if inner.width() == Width::BOOL => {
            Expr::cast(Cast::Zext, width, *inner)
        }
        other => Expr::cast(kind, width, other),
    }
}
