//! The bit instructions of x86: `bt`, `bts`, `btr`, `btc`.

use super::super::template::Operand;
use super::{Flags, Machine};
use crate::hir::{BinaryOp, LocalId, Stmt};
use crate::types::{IntKind, Ty};

impl Machine<'_, '_> {
    /// `bts index, target` and its kin. A register may index bits far from the target; an immediate does not.
    pub(super) fn bit(
        &mut self,
        name: &str,
        index: &Operand,
        target: &Operand,
        suffix: Option<u64>,
        lock: bool,
    ) -> Option<()> {
        let width = self.width(suffix, &[target])?.max(2);
        let bits = i128::from(width) * 8;
        let Operand::Immediate(index) = index else {
            return self.bit_in_string(name, index, target, width, lock);
        };
        let pointer = self.memory(target, width)?;
        let ty = self.sema.unsigned_type(width)?;
        let bit = self.sema.int_constant(index.rem_euclid(bits), ty, self.at);
        let bit = self.keep(ty, bit);
        let pointer_ty = pointer.ty;
        let pointer = self.keep(pointer_ty, pointer);
        self.test_bit(name, (pointer, pointer_ty), bit, ty, lock)
    }

    fn bit_in_string(
        &mut self,
        name: &str,
        index: &Operand,
        target: &Operand,
        width: u64,
        lock: bool,
    ) -> Option<()> {
        let ty = self.sema.unsigned_type(width)?;
        let bits = i128::from(width) * 8;
        let (local, index_ty) = self.register(index)?;
        let signed = match self.sema.types.size_of(index_ty)? {
            4 => IntKind::Int,
            8 => IntKind::LongLong,
            _ => return None,
        };
        let signed = self.sema.int_type(signed);
        let value = self.sema.variable_value(local, index_ty, self.at);
        let value = self.sema.convert(value, signed);
        let shift = self.sema.int_constant(i128::from(bits.trailing_zeros()), signed, self.at);
        let word = self.sema.arithmetic(BinaryOp::Shr, value, shift, self.at);
        let pointer = self.memory(target, width)?;
        let pointer_ty = pointer.ty;
        let pointer = self.sema.pointer_add(pointer, word, false, self.at);
        let pointer = self.keep(pointer_ty, pointer);
        let value = self.sema.variable_value(local, index_ty, self.at);
        let mask = self.sema.int_constant(bits - 1, index_ty, self.at);
        let bit = self.sema.arithmetic(BinaryOp::BitAnd, value, mask, self.at);
        let bit = self.keep(ty, bit);
        self.test_bit(name, (pointer, pointer_ty), bit, ty, lock)
    }

    /// Puts the bit into the carry flag, and changes it in memory.
    fn test_bit(
        &mut self,
        name: &str,
        (pointer, pointer_ty): (LocalId, Ty),
        bit: LocalId,
        ty: Ty,
        lock: bool,
    ) -> Option<()> {
        let at = self.at;
        let one = self.sema.int_constant(1, ty, at);
        let shift = self.sema.variable_value(bit, ty, at);
        let mask = self.sema.arithmetic(BinaryOp::Shl, one, shift, at);
        let mask = self.keep(ty, mask);
        let op = match name {
            "bts" => "or",
            "btr" => "and",
            _ => "xor",
        };
        let operand = self.sema.variable_value(mask, ty, at);
        let all = self.sema.int_constant(-1, ty, at);
        let operand =
            if name == "btr" { self.sema.arithmetic(BinaryOp::BitXor, operand, all, at) } else { operand };
        let operand = self.keep(ty, operand);
        let address = self.sema.variable_value(pointer, pointer_ty, at);
        let old = if lock && name != "bt" {
            let operand = self.sema.variable_value(operand, ty, at);
            self.builtin(&format!("__sync_fetch_and_{op}"), ty, vec![address, operand], false)
        } else {
            self.builtin("__atomic_load_n", ty, vec![address], true)
        };
        let old = self.keep(ty, old);
        if !lock && name != "bt" {
            let new = self.combined(op, old, operand, ty)?;
            let address = self.sema.variable_value(pointer, pointer_ty, at);
            let store = self.builtin("__atomic_store_n", self.sema.basic.void, vec![address, new], true);
            self.out.push(Stmt::Expr(store));
        }
        let was = self.combined("and", old, mask, ty)?;
        let clear = self.is_zero(was);
        let set = self.is_zero(clear);
        self.flags = Flags { carry: self.set_flag(set), ..Flags::default() };
        Some(())
    }
}
