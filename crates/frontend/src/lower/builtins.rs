//! Allocation, blocks of memory, and what compilers build in.

use super::function::Builder;
use super::scalar::{self, Class};
use crate::hir;
use base::convert::low64;
use program::{BinOp, Cast, Expr, Op, Order, Storage, UndefinedKind, VarId, Width};

/// The size of a page, as Linux has it.
const PAGE: u64 = 4096;
/// What `posix_memalign` returns for an alignment that is none.
const EINVAL: u128 = 22;
/// The error number of a failed allocation.
const ENOMEM: u128 = 12;

impl<'m> Builder<'_, 'm> {
    // ---- memory ---------------------------------------------------------------------------------------------

    pub(super) fn memory_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        Some(match (name, args.len()) {
            ("malloc" | "valloc" | "__threadproof_fresh", 1) => {
                let size = self.rvalue(&args[0]);
                let align = if name == "valloc" { PAGE } else { 1 };
                self.allocate(size, align, Storage::Heap, false)
            }
            ("aligned_alloc" | "memalign", 2) => {
                let align = self.alignment(&args[0]);
                let size = self.rvalue(&args[1]);
                self.allocate(size, align, Storage::Heap, false)
            }
            ("__threadproof_library_memory" | "__threadproof_open_memory", 1) => {
                self.ctx.arbitrary_memory |= name == "__threadproof_open_memory";
                let (size, word) = (self.rvalue(&args[0]), self.ctx.model.pointer());
                let (var, size) = (self.temporary(word), scalar::resize(size, false, word));
                self.transact(vec![Op::Alloc { var, size, align: 1, storage: Storage::Library }], None);
                Expr::Reg(var, word)
            }
            ("__threadproof_zeroed_pages", 1) => {
                let size = self.rvalue(&args[0]);
                self.allocate(size, PAGE, Storage::Library, true)
            }
            ("posix_memalign", 3) => self.posix_memalign(args),
            ("__builtin_alloca" | "alloca" | "__builtin_alloca_with_align", _) => {
                let size = self.rvalue(args.first()?);
                let bits = args.get(1).map_or(Some(8), |align| self.rvalue(align).as_const());
                let align = bits.map_or(1, |bits| (low64(bits) / 8).max(1));
                self.allocate(size, align, Storage::Frame, false)
            }
            ("calloc", 2) => {
                let (count, size) = (self.word_argument(&args[0]), self.word_argument(&args[1]));
                self.zeroed_array(count, size)
            }
            ("realloc", 2) => {
                let (ptr, size) = (self.word_argument(&args[0]), self.word_argument(&args[1]));
                self.reallocated(ptr, size)
            }
            ("free" | "cfree" | "__threadproof_release", 1) => {
                let ptr = self.word_argument(&args[0]);
                self.push(Op::Free(ptr));
                self.int(0)
            }
            ("memcpy" | "memmove", 3) => self.copy_call(args, name == "memmove"),
            ("memset", 3) => {
                let target = self.word_argument(&args[0]);
                let (byte, len) = (self.rvalue(&args[1]), self.word_argument(&args[2]));
                self.set_bytes(target.clone(), byte, len);
                target
            }
            _ => return None,
        })
    }

    /// `realloc`: of no bytes, glibc frees the block and returns a null pointer.
    fn reallocated(&mut self, ptr: Expr, size: Expr) -> Expr {
        if size.as_const().is_some_and(|size| size != 0) || ptr.as_const() == Some(0) {
            return self.resized(ptr, size);
        }
        let word = self.ctx.model.pointer();
        let (ptr, size) = (self.repeatable(ptr), self.repeatable(size));
        let result = self.temporary(word);
        let (frees, resizes, done) = (self.new_location(), self.new_location(), self.new_location());
        let nothing = self.word(0);
        let is_nothing = Expr::binary(BinOp::Eq, size.clone(), nothing.clone());
        let is_block = Expr::binary(BinOp::Ne, ptr.clone(), nothing.clone());
        self.branch(Expr::binary(BinOp::And, is_nothing, is_block), frees, resizes);
        self.open(frees);
        self.push(Op::Free(ptr.clone()));
        self.push(Op::Set { var: result, value: nothing });
        self.goto(done);
        self.open(resizes);
        let value = self.resized(ptr, size);
        self.push(Op::Set { var: result, value });
        self.goto(done);
        self.open(done);
        Expr::Reg(result, word)
    }

    /// A block of another size, which may stay where it was.
    fn resized(&mut self, ptr: Expr, size: Expr) -> Expr {
        // SOUNDNESS: A4
        let stays = self.temporary(Width::BOOL);
        self.push(Op::Havoc { var: stays });
        let stays = Expr::Reg(stays, Width::BOOL);
        self.or_no_memory(|builder, var| {
            builder.transact(vec![Op::Realloc { var, ptr, size, stays }], None);
        })
    }

    /// `calloc`: a null pointer if the product overflows.
    fn zeroed_array(&mut self, count: Expr, size: Expr) -> Expr {
        let word = self.ctx.model.pointer();
        let fits = product_fits(&count, &size, word);
        let product = Expr::binary(BinOp::Mul, count, size);
        if fits.as_const() == Some(1) {
            return self.allocate(product, 1, Storage::Heap, true);
        }
        let result = self.temporary(word);
        let (fine, overflow, done) = (self.new_location(), self.new_location(), self.new_location());
        self.branch(fits, fine, overflow);
        self.open(overflow);
        self.push(Op::Set { var: result, value: Expr::constant(0, word) });
        self.goto(done);
        self.open(fine);
        let value = self.allocate(product, 1, Storage::Heap, true);
        self.push(Op::Set { var: result, value });
        self.goto(done);
        self.open(done);
        Expr::Reg(result, word)
    }

    /// The alignment that an argument asks for. One that is not constant is at most that of a page, which suits all of these.
    fn alignment(&mut self, arg: &'m hir::Expr) -> u64 {
        let align = self.word_argument(arg);
        if let Some(align) = align.as_const() {
            return if align.is_power_of_two() { low64(align) } else { 1 };
        }
        let page = self.word(PAGE);
        self.supported_if(Expr::binary(BinOp::ULe, align, page), "an alignment beyond that of a page");
        PAGE
    }

    fn posix_memalign(&mut self, args: &'m [hir::Expr]) -> Expr {
        let target = self.word_argument(&args[0]);
        let align = self.word_argument(&args[1]);
        let size = self.word_argument(&args[2]);
        let (one, pointer) = (self.word(1), self.word(self.ctx.model.pointer().bytes()));
        let zero = self.word(0);
        // A power of two, and a multiple of the size of a pointer.
        let lower_bits =
            Expr::binary(BinOp::And, align.clone(), Expr::binary(BinOp::Sub, align.clone(), one));
        let valid = Expr::binary(
            BinOp::And,
            Expr::binary(BinOp::Eq, lower_bits, zero),
            Expr::binary(BinOp::ULe, pointer, align),
        );
        let result = self.temporary(Width::INT);
        let (fine, invalid, done) = (self.new_location(), self.new_location(), self.new_location());
        self.branch(valid, fine, invalid);
        self.open(invalid);
        self.push(Op::Set { var: result, value: self.int(EINVAL) });
        self.goto(done);
        self.open(fine);
        let align = self.alignment(&args[1]);
        let value = self.allocate(size, align, Storage::Heap, false);
        let failed = Expr::binary(BinOp::Eq, value.clone(), self.word(0));
        self.push(Op::Store { addr: target, value, order: Order::Plain });
        let number = match self.ctx.checks.allocation_may_fail {
            true => Expr::Ite(Box::new(failed), Box::new(self.int(ENOMEM)), Box::new(self.int(0))),
            false => self.int(0),
        };
        self.push(Op::Set { var: result, value: number });
        self.goto(done);
        self.open(done);
        Expr::Reg(result, Width::INT)
    }

    /// Reaching this with a false condition makes the verdict unknown.
    fn supported_if(&mut self, cond: Expr, otherwise: &str) {
        let (fine, bad) = (self.new_location(), self.new_location());
        self.branch(cond, fine, bad);
        self.open(bad);
        self.unsupported(otherwise);
        self.open(fine);
    }

    /// What `allocate` puts into a register, or a null pointer where allocation may fail (SOUNDNESS: A6).
    fn or_no_memory(&mut self, allocate: impl FnOnce(&mut Self, VarId)) -> Expr {
        let word = self.ctx.model.pointer();
        let var = self.temporary(word);
        if !self.ctx.checks.allocation_may_fail {
            allocate(self, var);
            return Expr::Reg(var, word);
        }
        let fails = self.temporary(Width::BOOL);
        self.push(Op::Havoc { var: fails });
        let (no, yes, done) = (self.new_location(), self.new_location(), self.new_location());
        self.branch(Expr::Reg(fails, Width::BOOL), no, yes);
        self.open(no);
        self.push(Op::Set { var, value: self.word(0) });
        if let Some(errno) = self.ctx.model_object("errno_value") {
            let addr = Expr::ObjectAddr(errno, word);
            self.push(Op::Store { addr, value: self.int(ENOMEM), order: Order::Plain });
        }
        self.goto(done);
        self.open(yes);
        allocate(self, var);
        self.goto(done);
        self.open(done);
        Expr::Reg(var, word)
    }

    fn allocate(&mut self, size: Expr, align: u64, storage: Storage, zeroed: bool) -> Expr {
        let word = self.ctx.model.pointer();
        let size = scalar::resize(size, false, word);
        let size = self.repeatable(size);
        let alloc = |builder: &mut Self, var| {
            let mut ops = vec![Op::Alloc { var, size: size.clone(), align, storage }];
            if zeroed {
                let (dst, byte) = (Expr::Reg(var, word), Expr::constant(0, Width::BYTE));
                ops.push(Op::Fill { dst, byte, len: size });
            }
            builder.transact(ops, None);
        };
        if storage == Storage::Frame {
            let var = self.temporary(word);
            alloc(self, var);
            return Expr::Reg(var, word);
        }
        self.or_no_memory(alloc)
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
            _ => return self.numeric_builtin(name, expr, args),
        })
    }

    /// How many zeros precede the first one, counted from one end; undefined for 0.
    fn first_bit(&mut self, arg: &'m hir::Expr, from_top: bool) -> Expr {
        let value = self.rvalue(arg);
        let value = self.repeatable(value);
        self.undefined_unless(
            scalar::truth(value.clone(), Class::Unsigned),
            UndefinedKind::Other,
            "no bit is set",
        );
        let none = self.int(0);
        self.zeros_before(&value, from_top, none)
    }

    /// How many zeros precede the first one, counted from one end; `none` if there is no one.
    pub(super) fn zeros_before(&mut self, value: &Expr, from_top: bool, none: Expr) -> Expr {
        let bits = value.width().bits();
        let mut count = none;
        // From the far end to the near one: the last choice made is the nearest bit.
        for distance in (0..bits).rev() {
            let at = if from_top { bits - 1 - distance } else { distance };
            count = Expr::ite(bit(value, at), self.int(u128::from(distance)), count);
            count = self.bounded(count);
        }
        count
    }
}

/// The condition that the product of two words is a word.
fn product_fits(left: &Expr, right: &Expr, word: Width) -> Expr {
    for (factor, other) in [(left, right), (right, left)] {
        match factor.as_const() {
            Some(0 | 1) => return Expr::truth(true),
            Some(factor) => {
                return Expr::binary(BinOp::ULe, other.clone(), Expr::constant(word.mask() / factor, word));
            }
            None => {}
        }
    }
    let double = Width(word.0 * 2);
    let wide = |e: &Expr| scalar::resize(e.clone(), false, double);
    let exact = Expr::binary(BinOp::Mul, wide(left), wide(right));
    Expr::binary(BinOp::ULe, exact, Expr::constant(word.mask(), double))
}

/// One bit of a value, as a truth value.
pub(super) fn bit(value: &Expr, n: u32) -> Expr {
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
