//! Reading and writing places: registers, memory, bit-fields.

use super::function::{Builder, Place};
use super::scalar::{self, Class};
use crate::hir::BitField;
use crate::types::{Ty, Type};
use base::convert::{low8, low32, low64};
use program::{BinOp, Cast, Expr, Op, Order, VarId, Width};

/// The largest number of bytes of one access.
const MAX_ACCESS: u64 = 16;

impl<'m> Builder<'_, 'm> {
    /// Ends the path, for want of a value; what is returned is never used.
    pub(super) fn no_value(&mut self, what: &str) -> Expr {
        self.opaque(what, &[])
    }

    /// The class of a type.
    pub(super) fn class(&self, ty: Ty) -> Class {
        scalar::class(&self.ctx.module.types, ty)
    }

    pub(super) fn local_addr(&self, var: VarId) -> Expr {
        Expr::LocalAddr(var, self.ctx.model.pointer())
    }

    /// A constant of pointer width.
    pub(super) fn word(&self, value: u64) -> Expr {
        Expr::constant(u128::from(value), self.ctx.model.pointer())
    }

    /// `addr + offset`.
    pub(super) fn offset(&self, addr: Expr, offset: u64) -> Expr {
        if offset == 0 {
            return addr;
        }
        match addr {
            Expr::Binary(BinOp::Add, base, known) if known.as_const().is_some() => {
                let known = known.as_const().unwrap_or(0);
                Expr::binary(BinOp::Add, *base, self.word(low64(known).wrapping_add(offset)))
            }
            addr => Expr::binary(BinOp::Add, addr, self.word(offset)),
        }
    }

    /// The order of an access to an object of type `ty`.
    pub(super) fn order_of(&self, ty: Ty) -> Order {
        match self.ctx.module.types.get(ty) {
            Type::Atomic(_) => Order::SeqCst,
            _ => Order::Plain,
        }
    }

    /// Through which unit a bit-field at `offset` is accessed. Where races matter, that is its whole memory location, if that is
    /// not too large for one access (SOUNDNESS: A22).
    pub(super) fn accessed_bits(&self, offset: u64, field: BitField) -> (u64, BitField) {
        let BitField { unit, before, location, shift, .. } = field;
        if !self.ctx.checks.foreign_accesses || unit == location || location > MAX_ACCESS {
            return (offset, field);
        }
        let widened = BitField { unit: location, shift: shift + 8 * low32(before), before: 0, ..field };
        (offset - before, widened)
    }

    /// Reads a scalar of type `ty`.
    pub(super) fn load(&mut self, place: Place, ty: Ty) -> Expr {
        match place {
            Place::Register(var, width) => Expr::Reg(var, width),
            Place::Memory { addr, order } => match self.ctx.width(ty) {
                Some(_) if matches!(self.ctx.module.types.unatomic(ty), Type::Pointer(_)) => {
                    self.note_pointer_read(&addr);
                    self.load_memory(addr, self.ctx.model.pointer(), order)
                }
                Some(width) => {
                    let value = self.load_memory(addr, width, order);
                    self.checked_bool(value, ty)
                }
                None => self.no_value("value of a type without a model"),
            },
            Place::Bits { addr, field } => {
                let unit = self.load_memory(addr, Width::of_bytes(field.unit), Order::Plain);
                let bits = extract(unit, field);
                let width = self.ctx.width(ty).unwrap_or(Width::INT);
                scalar::resize(bits, field.signed, width)
            }
        }
    }

    /// Reads memory into a temporary, now.
    pub(super) fn load_memory(&mut self, addr: Expr, width: Width, order: Order) -> Expr {
        let addr = self.bounded(addr);
        self.in_temporary(Expr::Load { addr: Box::new(addr), width, order })
    }

    /// Writes a scalar.
    pub(super) fn store(&mut self, place: &Place, value: Expr) {
        match place {
            Place::Register(var, _) => {
                if value != Expr::Reg(*var, value.width()) {
                    self.push(Op::Set { var: *var, value });
                }
            }
            Place::Memory { addr, order } => {
                let (addr, value) = (self.bounded(addr.clone()), self.bounded(value));
                self.push(Op::Store { addr, value, order: *order });
            }
            Place::Bits { addr, field } => {
                let addr = self.repeatable(addr.clone());
                let unit = self.load_memory(addr.clone(), Width::of_bytes(field.unit), Order::Plain);
                let value = insert(unit, *field, value);
                self.push(Op::Store { addr, value, order: Order::Plain });
            }
        }
    }
}

/// The bits of a field, as wide as the field.
fn extract(unit: Expr, field: BitField) -> Expr {
    let shift = Expr::constant(u128::from(field.shift), unit.width());
    let shifted = if field.shift == 0 { unit } else { Expr::binary(BinOp::LShr, unit, shift) };
    Expr::cast(Cast::Trunc, Width(low8(field.width)), shifted)
}

/// The unit with the field replaced by the low bits of `value`.
fn insert(unit: Expr, field: BitField, value: Expr) -> Expr {
    let width = unit.width();
    let mask = Width(low8(field.width)).mask() << field.shift;
    let low = scalar::resize(scalar::resize(value, false, Width(low8(field.width))), false, width);
    let placed = Expr::binary(BinOp::Shl, low, Expr::constant(u128::from(field.shift), width));
    let kept = Expr::binary(BinOp::And, unit, Expr::constant(!mask, width));
    Expr::binary(BinOp::Or, kept, placed)
}
