//! Atomic operations on objects that are no scalars: structures, unions, arrays, complex numbers of any size.
//!
//! No machine does this in one instruction; libatomic takes a lock. Here it is an atomic section around copies: the object is read into, and
//! written from, memory that only this function can reach, and only these copies are inside the section. What the generic builtins get by
//! pointer is read before and written after it, plainly. Comparing is comparing bytes, as in C11 7.17.7.4, padding included.

use super::atomics::{AtomicName, Outcomes};
use super::function::Builder;
use super::scalar;
use crate::hir;
use crate::types::Ty;
use program::{BinOp, Expr, Op, Order, VarId, Width};

/// Records of more bytes cannot be compared in one section.
const MAX_COMPARED: u64 = 4096;

/// An object that is accessed as a whole.
struct Record {
    at: Expr,
    size: u64,
    chunk: u64,
}

impl<'m> Builder<'_, 'm> {
    /// Lowers an atomic builtin on a record of type `ty`; gives the address of the result, if it has one.
    pub(super) fn record_builtin(
        &mut self,
        name: AtomicName<'_>,
        ty: Ty,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        let size = self.ctx.module.types.size_of(ty)?;
        let record = Record { at: self.word_argument(args.first()?), size, chunk: self.chunk_of(ty) };
        match (name.operation, args.len()) {
            ("load", 2) => {
                self.record_order(args.get(1));
                return Some(self.read_record(&record));
            }
            ("load", 3) => {
                let target = self.word_argument(&args[1]);
                self.record_order(args.get(2));
                let value = self.read_record(&record);
                self.copy(target, value, record.size, record.chunk);
            }
            ("store", 3) => {
                let value = self.record_value(name, &args[1], &record);
                self.record_order(args.get(2));
                self.in_section(|builder| builder.write_record(&record, value));
            }
            ("init", 2) => {
                let value = self.record_value(name, &args[1], &record);
                self.write_record(&record, value);
            }
            ("exchange", 3 | 4) => return self.exchange_record(name, &record, args),
            _ => return self.compare_record(name, &record, args),
        }
        Some(self.int(0))
    }

    /// The order of an operation on a record. A section orders like the strongest one, which is too strong for others where it matters.
    fn record_order(&mut self, arg: Option<&'m hir::Expr>) {
        if self.order_argument(arg) != Order::SeqCst && self.ctx.checks.memory_model.is_weak() {
            self.unsupported("a weakly ordered atomic access to a record under a weak memory model");
        }
    }

    /// The value to be stored, in memory of our own.
    fn record_value(&mut self, name: AtomicName<'_>, arg: &'m hir::Expr, record: &Record) -> Expr {
        let source = if name.c11 { self.record(arg) } else { self.word_argument(arg) };
        self.captured_record(source, record.size, record.chunk)
    }

    fn read_record(&mut self, record: &Record) -> Expr {
        let block = self.temporary_memory(record.size, record.chunk);
        let block = self.local_addr(block);
        let (target, source) = (block.clone(), record.at.clone());
        self.in_section(|builder| builder.copy(target, source, record.size, record.chunk));
        block
    }

    fn write_record(&mut self, record: &Record, value: Expr) {
        self.copy(record.at.clone(), value, record.size, record.chunk);
    }

    fn exchange_record(
        &mut self,
        name: AtomicName<'_>,
        record: &Record,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        let value = self.record_value(name, &args[1], record);
        let target = if args.len() == 4 { Some(self.word_argument(&args[2])) } else { None };
        self.record_order(args.last());
        let old = self.temporary_memory(record.size, record.chunk);
        let old = self.local_addr(old);
        self.in_section(|builder| {
            builder.copy(old.clone(), record.at.clone(), record.size, record.chunk);
            builder.write_record(record, value);
        });
        match target {
            Some(target) => {
                self.copy(target, old, record.size, record.chunk);
                Some(self.int(0))
            }
            None => Some(old),
        }
    }

    fn compare_record(
        &mut self,
        name: AtomicName<'_>,
        record: &Record,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        if !name.operation.starts_with("compare_exchange") || record.size > MAX_COMPARED {
            return None;
        }
        let expected_at = self.word_argument(args.get(1)?);
        let desired = self.record_value(name, args.get(2)?, record);
        let (weak, orders) = self.weakness(name, args)?;
        if orders != Outcomes::STRONG && self.ctx.checks.memory_model.is_weak() {
            return None;
        }
        let expected = self.captured_record(expected_at.clone(), record.size, record.chunk);
        let old = self.temporary_memory(record.size, record.chunk);
        let old = self.local_addr(old);
        let equal = self.temporary(Width::BOOL);
        let is_equal = Expr::Reg(equal, Width::BOOL);
        self.in_section(|builder| {
            builder.copy(old.clone(), record.at.clone(), record.size, record.chunk);
            builder.compare_bytes(equal, &old, &expected, record.size, weak);
            let (yes, done) = (builder.new_location(), builder.new_location());
            builder.branch(is_equal.clone(), yes, done);
            builder.open(yes);
            builder.write_record(record, desired);
            builder.goto(done);
            builder.open(done);
        });
        let (failed, done) = (self.new_location(), self.new_location());
        self.branch(is_equal.clone(), done, failed);
        self.open(failed);
        self.copy(expected_at, old, record.size, record.chunk);
        self.goto(done);
        self.open(done);
        Some(scalar::resize(is_equal, false, Width::BYTE))
    }

    /// Sets `equal` if two private blocks have the same bytes (and a weak operation does not fail for no reason).
    fn compare_bytes(&mut self, equal: VarId, left: &Expr, right: &Expr, size: u64, weak: Expr) {
        let mut ops = Vec::new();
        let works = self.may_succeed(weak, &mut ops);
        ops.into_iter().for_each(|op| self.push(op));
        let mut same = works;
        let mut at = 0;
        while at < size {
            let width = Width::of_bytes((size - at).min(8));
            let [a, b] = [left, right].map(|block| {
                let addr = Box::new(self.offset(block.clone(), at));
                Expr::Load { addr, width, order: Order::Plain }
            });
            same = Expr::binary(BinOp::And, Expr::binary(BinOp::Eq, a, b), same);
            same = self.bounded(same);
            at += 8;
        }
        self.push(Op::Set { var: equal, value: same });
    }
}
