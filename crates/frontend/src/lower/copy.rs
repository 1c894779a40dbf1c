//! Records and blocks of memory.
//!
//! A copy of several bytes is no single step: it goes in chunks, each read and each written in a step of its own if
//! others may see it. The chunk is the alignment of the copied type, so that no member is torn that the hardware
//! would not tear. Copies between private memory are one operation. An `_Atomic` record is read, and written, in one step.

use super::function::Builder;
use super::scalar;
use crate::hir::{self, ExprKind};
use crate::types::{Ty, Type};
use base::convert::low64;
use program::{BinOp, Expr, Op, Order, VarId, Width};

/// More chunks than this are copied by a loop.
const MAX_UNROLLED: u64 = 64;

impl<'m> Builder<'_, 'm> {
    /// The address of memory that holds the value of a record expression.
    pub(super) fn record(&mut self, expr: &'m hir::Expr) -> Expr {
        self.span = expr.span;
        match &expr.kind {
            ExprKind::Load(lvalue) if self.is_atomic(lvalue.ty) => self.load_atomic_record(lvalue),
            ExprKind::Load(lvalue) => {
                let addr = self.address(lvalue);
                self.note_record_read(&addr, lvalue.ty);
                addr
            }
            ExprKind::Convert(inner) => self.record(inner),
            ExprKind::Comma(first, second) => {
                self.effects(first);
                self.record(second)
            }
            ExprKind::StmtExpr(stmts, Some(value)) => {
                self.stmts(stmts);
                self.record(value)
            }
            ExprKind::Assign(lvalue, value) => self.assigned_record(lvalue, value),
            ExprKind::Cond(cond, yes, no) => self.either_record(cond, yes, no),
            ExprKind::Call { callee, args } => self.call(expr, callee, args, true),
            ExprKind::VaArg(list) => self.next_argument(list, expr.ty),
            ExprKind::Var(_)
            | ExprKind::Str(_)
            | ExprKind::Deref(_)
            | ExprKind::Member { .. }
            | ExprKind::CompoundLiteral(..) => {
                let addr = self.address(expr);
                self.note_record_read(&addr, expr.ty);
                addr
            }
            ExprKind::Unsupported(what) => {
                self.unsupported(what.clone());
                self.word(0)
            }
            _ => {
                self.unsupported("value of a type without a model");
                self.word(0)
            }
        }
    }

    fn either_record(&mut self, cond: &'m hir::Expr, yes: &'m hir::Expr, no: &'m hir::Expr) -> Expr {
        let word = self.ctx.model.pointer();
        let chosen = self.temporary(word);
        let (on_yes, on_no, done) = (self.new_location(), self.new_location(), self.new_location());
        self.branch_on(cond, on_yes, on_no);
        for (target, side) in [(on_yes, yes), (on_no, no)] {
            self.open(target);
            let value = self.record(side);
            self.push(Op::Set { var: chosen, value });
            self.goto(done);
        }
        self.open(done);
        Expr::Reg(chosen, word)
    }

    /// `lvalue = value` for records.
    pub(super) fn assign_record(&mut self, lvalue: &'m hir::Expr, value: &'m hir::Expr) {
        let source = self.record(value);
        let source = self.repeatable(source);
        let target = self.address(lvalue);
        let size = self.ctx.module.types.size_of(lvalue.ty).unwrap_or(0);
        self.span = lvalue.span;
        self.check_constant(lvalue, None);
        let chunk = self.chunk_of(lvalue.ty);
        if self.is_atomic(lvalue.ty) {
            // Only the target is atomic: what is stored is read before.
            let target = self.repeatable(target);
            let block = self.captured_record(source, size, chunk);
            return self.in_section(|builder| builder.copy(target, block, size, chunk));
        }
        self.copy(target, source, size, chunk);
    }

    /// The value of `lvalue = value` for records: the object is not read again, as others may have written it since.
    fn assigned_record(&mut self, lvalue: &'m hir::Expr, value: &'m hir::Expr) -> Expr {
        let source = self.record(value);
        let size = self.ctx.module.types.size_of(lvalue.ty).unwrap_or(0);
        let chunk = self.chunk_of(lvalue.ty);
        let block = self.captured_record(source, size, chunk);
        let target = self.address(lvalue);
        self.span = lvalue.span;
        self.check_constant(lvalue, None);
        if self.is_atomic(lvalue.ty) {
            let (target, block) = (self.repeatable(target), block.clone());
            self.in_section(|builder| builder.copy(target, block, size, chunk));
        } else {
            self.copy(target, block.clone(), size, chunk);
        }
        block
    }

    /// A private copy of a record.
    pub(super) fn captured_record(&mut self, source: Expr, size: u64, chunk: u64) -> Expr {
        let block = self.temporary_memory(size, chunk);
        let block = self.local_addr(block);
        self.copy(block.clone(), source, size, chunk);
        block
    }

    fn is_atomic(&self, ty: Ty) -> bool {
        matches!(self.ctx.module.types.get(ty), Type::Atomic(_))
    }

    /// The value of an `_Atomic` record, read in one step.
    fn load_atomic_record(&mut self, lvalue: &'m hir::Expr) -> Expr {
        let source = self.address(lvalue);
        let source = self.repeatable(source);
        let size = self.ctx.module.types.size_of(lvalue.ty).unwrap_or(0);
        let chunk = self.chunk_of(lvalue.ty);
        let block = self.temporary_memory(size, chunk);
        let block = self.local_addr(block);
        let target = block.clone();
        self.in_section(|builder| builder.copy(target, source, size, chunk));
        block
    }

    /// What happens in one step, whatever it is.
    pub(super) fn in_section(&mut self, body: impl FnOnce(&mut Self)) {
        self.transact(vec![Op::AtomicBegin], None);
        body(self);
        self.transact(vec![Op::AtomicEnd], None);
    }

    /// How much of a value of type `ty` is copied at once.
    pub(super) fn chunk_of(&self, ty: Ty) -> u64 {
        self.ctx.module.types.size_align(ty).map_or(1, |(_, align)| align.clamp(1, 8))
    }

    /// Copies a record to memory that no other thread can access yet.
    pub(super) fn copy_into_private(&mut self, target: Expr, source: Expr, size: u64, ty: Ty) {
        if size == 0 {
            return;
        }
        let chunk = self.chunk_of(ty);
        if self.is_private(&source) || size <= chunk {
            let len = self.word(size);
            let op = Op::Copy { dst: target, src: source, len };
            return if self.is_private_copy(&op) { self.push_private(op) } else { self.push(op) };
        }
        let (target, source) = (self.repeatable(target), self.repeatable(source));
        if size.div_ceil(chunk) > MAX_UNROLLED {
            let len = self.word(size);
            return self.copy_loop(target, source, len, false);
        }
        self.copy_chunks(&target, &source, size, chunk);
    }

    fn is_private_copy(&self, op: &Op) -> bool {
        matches!(op, Op::Copy { src, .. } if self.is_private(src))
    }

    /// Copies `size` bytes; the ranges may overlap.
    pub(super) fn copy(&mut self, target: Expr, source: Expr, size: u64, chunk: u64) {
        if size == 0 {
            return;
        }
        let (private_target, private_source) = (self.is_private(&target), self.is_private(&source));
        let (target, source) = (self.repeatable(target), self.repeatable(source));
        let len = self.word(size);
        if private_target && private_source {
            return self.push(Op::Copy { dst: target, src: source, len });
        }
        if size.div_ceil(chunk) > MAX_UNROLLED {
            return self.copy_loop(target, source, len, true);
        }
        if private_target || private_source {
            return self.copy_chunks(&target, &source, size, chunk);
        }
        // Through a private block: every chunk is read, then every chunk is written.
        let block = self.temporary_memory(size, chunk);
        let block = self.local_addr(block);
        self.copy_chunks(&block, &source, size, chunk);
        self.copy_chunks(&target, &block, size, chunk);
    }

    fn copy_chunks(&mut self, target: &Expr, source: &Expr, size: u64, chunk: u64) {
        let mut at = 0;
        while at < size {
            let len = self.word(chunk.min(size - at));
            let (dst, src) = (self.offset(target.clone(), at), self.offset(source.clone(), at));
            self.push(Op::Copy { dst, src, len });
            at += chunk;
        }
    }

    /// Copies `len` bytes one by one; backwards if `may_overlap` and the target lies behind the source.
    pub(super) fn copy_loop(&mut self, target: Expr, source: Expr, len: Expr, may_overlap: bool) {
        let (target, source, len) = (self.repeatable(target), self.repeatable(source), self.repeatable(len));
        let block = self.temporary_memory(1, 1);
        if !may_overlap {
            return self
                .each_index(&len, false, |builder, index| builder.copy_byte(&target, &source, block, index));
        }
        let (forwards, backwards, done) = (self.new_location(), self.new_location(), self.new_location());
        let before = Expr::binary(BinOp::ULe, target.clone(), source.clone());
        self.branch(before, forwards, backwards);
        for (start, reverse) in [(forwards, false), (backwards, true)] {
            self.open(start);
            self.each_index(&len, reverse, |builder, index| {
                builder.copy_byte(&target, &source, block, index)
            });
            self.goto(done);
        }
        self.open(done);
    }

    fn copy_byte(&mut self, target: &Expr, source: &Expr, block: VarId, index: Expr) {
        let block = self.local_addr(block);
        let one = self.word(1);
        let src = Expr::binary(BinOp::Add, source.clone(), index.clone());
        let dst = Expr::binary(BinOp::Add, target.clone(), index);
        self.push(Op::Copy { dst: block.clone(), src, len: one.clone() });
        self.push(Op::Copy { dst, src: block, len: one });
    }

    /// A loop over 0 … len-1, or back.
    pub(super) fn each_index(&mut self, len: &Expr, reverse: bool, mut body: impl FnMut(&mut Self, Expr)) {
        let word = self.ctx.model.pointer();
        let index = self.temporary(word);
        let value = Expr::Reg(index, word);
        let (start, limit, step) = if reverse {
            (len.clone(), self.word(0), BinOp::Sub)
        } else {
            (self.word(0), len.clone(), BinOp::Add)
        };
        let (head, inside, done) = (self.new_location(), self.new_location(), self.new_location());
        self.push(Op::Set { var: index, value: start });
        self.join(head);
        self.branch(Expr::binary(BinOp::Ne, value.clone(), limit), inside, done);
        self.open(inside);
        let advance = Op::Set { var: index, value: Expr::binary(step, value.clone(), self.word(1)) };
        if reverse {
            self.push(advance);
            body(self, value);
        } else {
            body(self, value);
            self.push(advance);
        }
        self.goto(head);
        self.open(done);
    }

    /// `memset`.
    pub(super) fn set_bytes(&mut self, target: Expr, byte: Expr, len: Expr) {
        let (target, byte) = (self.repeatable(target), self.repeatable(byte));
        let byte = scalar::resize(byte, false, Width::BYTE);
        let word = self.ctx.model.pointer().bytes();
        match len.as_const() {
            Some(0) => {}
            Some(_) if self.is_private(&target) => self.push(Op::Fill { dst: target, byte, len }),
            Some(size) if low64(size) <= MAX_UNROLLED * word => {
                let size = low64(size);
                let mut at = 0;
                while at < size {
                    let dst = self.offset(target.clone(), at);
                    let len = self.word(word.min(size - at));
                    self.push(Op::Fill { dst, byte: byte.clone(), len });
                    at += word;
                }
            }
            _ => {
                let len = self.repeatable(len);
                self.each_index(&len, false, |builder, index| {
                    let addr = Expr::binary(BinOp::Add, target.clone(), index);
                    builder.push(Op::Store { addr, value: byte.clone(), order: Order::Plain });
                });
            }
        }
    }

    /// `memcpy` and `memmove` between what two argument expressions point to.
    pub(super) fn copy_call(&mut self, args: &'m [hir::Expr], may_overlap: bool) -> Expr {
        let chunk = self.pointee_align(&args[0]).min(self.pointee_align(&args[1]));
        let (target, source) = (self.word_argument(&args[0]), self.word_argument(&args[1]));
        let len = self.word_argument(&args[2]);
        let (target, source, len) = match may_overlap {
            true => (target, source, len),
            false => self.apart(target, source, len),
        };
        match len.as_const() {
            Some(size) => self.copy(target.clone(), source, low64(size), chunk),
            None if self.is_private(&target) && self.is_private(&source) => {
                self.push(Op::Copy { dst: target.clone(), src: source, len });
            }
            None => self.copy_loop(target.clone(), source, len, true),
        }
        target
    }

    /// The alignment of what a pointer argument pointed to before it became `void *`.
    fn pointee_align(&self, arg: &hir::Expr) -> u64 {
        let mut arg = arg;
        while let ExprKind::Convert(inner) = &arg.kind {
            arg = inner;
        }
        match self.ctx.module.types.unatomic(arg.ty) {
            Type::Pointer(pointee) => self.chunk_of(*pointee),
            _ => 1,
        }
    }
}
