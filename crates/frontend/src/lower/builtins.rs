//! Allocation, blocks of memory, and what compilers build in.

use super::function::Builder;
use super::scalar::{self, Class};
use crate::hir;
use program::{BinOp, Cast, Expr, Op, Storage, Width};

impl<'m> Builder<'_, 'm> {
    // ---- memory ---------------------------------------------------------------------------------------------

    pub(super) fn memory_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        let word = self.ctx.model.pointer();
        Some(match (name, args.len()) {
            ("malloc" | "valloc", 1) => {
                let size = self.rvalue(&args[0]);
                self.allocate(size, Storage::Heap, false)
            }
            ("aligned_alloc" | "memalign", 2) => {
                let size = self.rvalue(&args[1]);
                self.allocate(size, Storage::Heap, false)
            }
            ("__builtin_alloca" | "alloca" | "__builtin_alloca_with_align", _) => {
                let size = self.rvalue(args.first()?);
                self.allocate(size, Storage::Frame, false)
            }
            ("calloc", 2) => {
                let (count, size) = (self.rvalue(&args[0]), self.rvalue(&args[1]));
                let (count, size) = (scalar::resize(count, false, word), scalar::resize(size, false, word));
                self.allocate(Expr::binary(BinOp::Mul, count, size), Storage::Heap, true)
            }
            ("realloc", 2) => {
                let (ptr, size) = (self.word_argument(&args[0]), self.word_argument(&args[1]));
                let var = self.temporary(word);
                self.transact(vec![Op::Realloc { var, ptr, size }], None);
                Expr::Reg(var, word)
            }
            ("free" | "cfree", 1) => {
                let ptr = self.word_argument(&args[0]);
                self.push(Op::Free(ptr));
                self.int(0)
            }
            ("memcpy" | "memmove", 3) => self.copy_call(args),
            ("memset", 3) => {
                let target = self.word_argument(&args[0]);
                let (byte, len) = (self.rvalue(&args[1]), self.word_argument(&args[2]));
                self.set_bytes(target.clone(), byte, len);
                target
            }
            _ => return None,
        })
    }

    /// Allocation never fails (SOUNDNESS: A6).
    fn allocate(&mut self, size: Expr, storage: Storage, zeroed: bool) -> Expr {
        let word = self.ctx.model.pointer();
        let size = scalar::resize(size, false, word);
        let size = self.repeatable(size);
        let var = self.temporary(word);
        let addr = Expr::Reg(var, word);
        let mut ops = vec![Op::Alloc { var, size: size.clone(), storage }];
        if zeroed {
            ops.push(Op::Fill { dst: addr.clone(), byte: Expr::constant(0, Width::BYTE), len: size });
        }
        self.transact(ops, None);
        addr
    }

    // ---- compiler builtins ----------------------------------------------------------------------------------

    pub(super) fn builtin_call(
        &mut self,
        name: &str,
        expr: &'m hir::Expr,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        Some(match (name, args.len()) {
            ("__builtin_va_start", _) => self.start_list(args.first()?, None),
            ("__builtin_va_copy", 2) => self.start_list(&args[0], Some(&args[1])),
            ("__builtin_bswap16" | "__builtin_bswap32" | "__builtin_bswap64", 1) => {
                let value = self.rvalue(&args[0]);
                let value = self.repeatable(value);
                let width = self.ctx.width(expr.ty)?;
                swap_bytes(&scalar::resize(value, false, width))
            }
            ("__builtin_popcount" | "__builtin_popcountl" | "__builtin_popcountll", 1) => {
                let value = self.rvalue(&args[0]);
                let value = self.repeatable(value);
                let bits =
                    (0..value.width().bits()).map(|n| scalar::resize(bit(&value, n), false, Width::INT));
                let sum = bits.reduce(|l, r| Expr::binary(BinOp::Add, l, r))?;
                self.in_temporary(sum)
            }
            ("__builtin_ctz" | "__builtin_ctzl" | "__builtin_ctzll", 1) => self.first_bit(&args[0], false),
            ("__builtin_clz" | "__builtin_clzl" | "__builtin_clzll", 1) => self.first_bit(&args[0], true),
            ("__builtin_parity" | "__builtin_parityl" | "__builtin_parityll", 1) => {
                let value = self.rvalue(&args[0]);
                let value = self.repeatable(value);
                let bits = (0..value.width().bits()).map(|n| bit(&value, n));
                let parity = bits.reduce(|l, r| Expr::binary(BinOp::Xor, l, r))?;
                self.in_temporary(scalar::resize(parity, false, Width::INT))
            }
            ("__builtin_ffs" | "__builtin_ffsl" | "__builtin_ffsll", 1) => {
                let value = self.rvalue(&args[0]);
                let value = self.repeatable(value);
                let first = self.nearest_bit(&value, false);
                let place = Expr::binary(BinOp::Add, first, self.int(1));
                Expr::ite(scalar::truth(value, Class::Unsigned), place, self.int(0))
            }
            ("__builtin_clrsb" | "__builtin_clrsbl" | "__builtin_clrsbll", 1) => {
                // The bits below the sign that equal it: the leading zeros of the value with its sign taken off, less one.
                let value = self.rvalue(&args[0]);
                let value = self.repeatable(value);
                let width = value.width();
                let top = Expr::constant(u128::from(width.bits() - 1), width);
                let sign = Expr::binary(BinOp::AShr, value.clone(), top);
                let differing = self.in_temporary(Expr::binary(BinOp::Xor, value, sign));
                let leading = self.nearest_bit(&differing, true);
                let fewer = Expr::binary(BinOp::Sub, leading, self.int(1));
                let all = self.int(u128::from(width.bits() - 1));
                Expr::ite(scalar::truth(differing, Class::Unsigned), fewer, all)
            }
            _ => {
                let short = name.strip_prefix("__builtin_")?;
                return self.overflow_builtin(name, args).or_else(|| self.float_builtin(short, args));
            }
        })
    }

    /// How many zeros precede the first one, counted from one end; undefined for 0.
    fn first_bit(&mut self, arg: &'m hir::Expr, from_top: bool) -> Expr {
        let value = self.rvalue(arg);
        let value = self.repeatable(value);
        self.undefined_unless(scalar::truth(value.clone(), Class::Unsigned), "no bit is set");
        self.nearest_bit(&value, from_top)
    }

    /// How far the nearest bit that is set is from one end; 0 if there is none.
    fn nearest_bit(&mut self, value: &Expr, from_top: bool) -> Expr {
        let bits = value.width().bits();
        let mut count = self.int(0);
        // From the far end to the near one: the last choice made is the nearest bit.
        for distance in (0..bits).rev() {
            let at = if from_top { bits - 1 - distance } else { distance };
            count = Expr::ite(bit(value, at), self.int(u128::from(distance)), count);
            count = self.bounded(count);
        }
        count
    }
}

/// One bit of a value, as a truth value.
fn bit(value: &Expr, n: u32) -> Expr {
    let shifted = Expr::binary(BinOp::LShr, value.clone(), Expr::constant(u128::from(n), value.width()));
    Expr::cast(Cast::Trunc, Width::BOOL, shifted)
}

fn swap_bytes(value: &Expr) -> Expr {
    let width = value.width();
    let bytes = width.bytes();
    let shift = |n: u64| Expr::constant(u128::from(n * 8), width);
    (0..bytes)
        .map(|n| {
            let low = Expr::binary(BinOp::LShr, value.clone(), shift(n));
            let byte = Expr::binary(BinOp::And, low, Expr::constant(0xff, width));
            Expr::binary(BinOp::Shl, byte, shift(bytes - 1 - n))
        })
        .reduce(|l, r| Expr::binary(BinOp::Or, l, r))
        .unwrap_or_else(|| value.clone())
}
