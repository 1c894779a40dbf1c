//! Atomic operations: GCC's `__sync_*` and `__atomic_*`, C11's through `__c11_atomic_*`, and `_Atomic` objects.
//!
//! A read-modify-write is one transaction. The weak compare-and-exchange may fail for no reason, as C11 allows: that is
//! a one-bit input. A compare-and-exchange that fails only reads its object (C11 7.17.7.4): where it matters who writes what, it is a
//! section with a branch; elsewhere it stores what it has read, which cannot be observed in one transaction under sequential
//! consistency, and which weak memory models recognise ([`program::memory_model`]).
//!
//! Objects that are no scalars are in [`atomic_records`](super::atomic_records). Names with a size (`__sync_fetch_and_add_4`) do not get here: the
//! type checker replaces them by the generic ones.

use super::function::Builder;
use super::scalar::{self, Class};
use crate::hir::{self, BinaryOp, Compound, CompoundOp, ExprKind};
use crate::types::{Ty, Type};
use program::{Barrier, BinOp, Expr, Op, Order, UnOp, Width};

/// What a read-modify-write computes from the old value and the operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Update {
    Arith(BinOp),
    Nand,
    Exchange,
    /// The lesser one of the old value and the operand by this comparison.
    Least(BinOp),
    /// The greater one.
    Greatest(BinOp),
}

/// An atomic builtin: the operation's name, and whether values are passed as in C11 (rather than by pointer, in GCC's generic forms).
#[derive(Clone, Copy)]
pub(super) struct AtomicName<'n> {
    pub(super) operation: &'n str,
    pub(super) c11: bool,
}

/// The orders of a compare-and-exchange.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcomes {
    success: Order,
    failure: Order,
}

impl Outcomes {
    /// The strongest.
    pub(super) const STRONG: Self = Self { success: Order::SeqCst, failure: Order::SeqCst };
}

impl<'m> Builder<'_, 'm> {
    /// Lowers a call of an atomic builtin.
    pub(super) fn atomic_call(
        &mut self,
        name: &str,
        expr: &'m hir::Expr,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        let value = if let Some(operation) = name.strip_prefix("__sync_") {
            self.sync_builtin(operation, args)
        } else if let Some(operation) = name.strip_prefix("__c11_atomic_") {
            self.atomic_builtin(AtomicName { operation, c11: true }, expr, args)
        } else {
            let operation = name.strip_prefix("__atomic_")?;
            self.atomic_builtin(AtomicName { operation, c11: false }, expr, args)
        };
        Some(value.unwrap_or_else(|| self.no_value(&format!("`{name}` on an object of this type"))))
    }

    fn atomic_builtin(
        &mut self,
        name: AtomicName<'_>,
        expr: &'m hir::Expr,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        match name.operation {
            "thread_fence" | "signal_fence" => {
                let order = self.order_argument(args.first());
                if name.operation == "thread_fence"
                    && let Some(barrier) = Barrier::of_order(order)
                {
                    self.fence(barrier);
                }
                return Some(self.int(0));
            }
            "is_lock_free" | "always_lock_free" => {
                args.iter().for_each(|arg| self.effects(arg));
                return Some(self.arbitrary(expr.ty, true));
            }
            _ => {}
        }
        let object = self.atomic_object(args.first()?)?;
        if self.ctx.is_record(object) && !matches!(name.operation, "test_and_set" | "clear") {
            return self.record_builtin(name, object, args);
        }
        let width = self.pointee_scalar(object)?;
        let pointer = self.word_argument(&args[0]);
        self.access_builtin(name, pointer.clone(), width, args)
            .or_else(|| self.exchange_builtin(name, pointer.clone(), width, args))
            .or_else(|| self.compare_builtin(name, pointer.clone(), width, args))
            .or_else(|| self.fetch_builtin(name, pointer, width, expr, args))
    }

    /// Loads, stores and flags.
    fn access_builtin(
        &mut self,
        name: AtomicName<'_>,
        pointer: Expr,
        width: Width,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        match (name.operation, args.len()) {
            ("load_n" | "load", 2) => {
                let order = self.order_argument(args.get(1));
                return Some(self.load_memory(pointer, width, order));
            }
            ("load", 3) => {
                let target = self.word_argument(&args[1]);
                let order = self.order_argument(args.get(2));
                let value = self.load_memory(pointer, width, order);
                self.push(Op::Store { addr: target, value, order: Order::Plain });
            }
            ("store_n" | "store", 3) => {
                let value = self.new_value(name, &args[1], width);
                let order = self.order_argument(args.get(2));
                self.push(Op::Store { addr: pointer, value, order });
            }
            ("init", 2) => {
                let value = self.operand(&args[1], width);
                self.push(Op::Store { addr: pointer, value, order: Order::Plain });
            }
            ("test_and_set", 2) => {
                let order = self.order_argument(args.get(1));
                let one = Expr::constant(1, Width::BYTE);
                let old = self.read_modify_write(pointer, one, Update::Exchange, order).0;
                let set = scalar::truth(old, Class::Unsigned);
                return Some(scalar::resize(set, false, Width::BYTE));
            }
            ("clear", 2) => {
                let order = self.order_argument(args.get(1));
                self.push(Op::Store { addr: pointer, value: Expr::constant(0, Width::BYTE), order });
            }
            _ => return None,
        }
        Some(self.int(0))
    }

    fn exchange_builtin(
        &mut self,
        name: AtomicName<'_>,
        pointer: Expr,
        width: Width,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        match (name.operation, args.len()) {
            ("exchange_n" | "exchange", 3) => {
                let value = self.operand(&args[1], width);
                let order = self.order_argument(args.get(2));
                Some(self.read_modify_write(pointer, value, Update::Exchange, order).0)
            }
            ("exchange", 4) => {
                let value = self.new_value(name, &args[1], width);
                let target = self.word_argument(&args[2]);
                let order = self.order_argument(args.get(3));
                let old = self.read_modify_write(pointer, value, Update::Exchange, order).0;
                self.push(Op::Store { addr: target, value: old, order: Order::Plain });
                Some(self.int(0))
            }
            _ => None,
        }
    }

    /// `compare_exchange` in its three shapes; the expected value is read before and, on failure, written after the
    /// atomic step.
    fn compare_builtin(
        &mut self,
        name: AtomicName<'_>,
        pointer: Expr,
        width: Width,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        if !name.operation.starts_with("compare_exchange") {
            return None;
        }
        let expected_at = self.word_argument(args.get(1)?);
        let desired = self.new_value(name, args.get(2)?, width);
        let (weak, orders) = self.weakness(name, args)?;
        let expected = self.load_memory(expected_at.clone(), width, Order::Plain);
        let (old, equal) = self.compare_and_swap(pointer, expected, desired, weak, orders);
        let (failed, done) = (self.new_location(), self.new_location());
        self.branch(equal.clone(), done, failed);
        self.open(failed);
        self.push(Op::Store { addr: expected_at, value: old, order: Order::Plain });
        self.goto(done);
        self.open(done);
        Some(scalar::resize(equal, false, Width::BYTE))
    }

    /// Whether a compare-and-exchange may fail for no reason, as one bit, and the orders of success and failure. `None` if there is no such
    /// builtin.
    pub(super) fn weakness(
        &mut self,
        name: AtomicName<'_>,
        args: &'m [hir::Expr],
    ) -> Option<(Expr, Outcomes)> {
        let weak = match (name.operation, args.len()) {
            ("compare_exchange_n" | "compare_exchange", 6) => self.cond(&args[3]),
            ("compare_exchange_strong", 5) => Expr::truth(false),
            ("compare_exchange_weak", 5) => Expr::truth(true),
            _ => return None,
        };
        let weak = self.repeatable(weak);
        let [success, failure] = [2, 1].map(|from_end| self.order_argument(args.get(args.len() - from_end)));
        Some((weak, Outcomes { success, failure }))
    }

    /// The operation that decides whether a compare-and-exchange that could succeed does: true, or, if it is weak and termination is not the question, an input.
    pub(super) fn may_succeed(&mut self, weak: Expr, ops: &mut Vec<Op>) -> Expr {
        if weak.as_const() == Some(0) {
            return Expr::truth(true);
        }
        if self.ctx.checks.termination {
            // SOUNDNESS: A25. Otherwise it could fail for ever.
            let text = "a weak compare-and-exchange does not fail for no reason, as on x86";
            self.ctx.assume(self.span, text.to_owned());
            return Expr::truth(true);
        }
        let works = self.temporary(Width::BOOL);
        ops.push(Op::Havoc { var: works });
        Expr::binary(BinOp::Or, Expr::Reg(works, Width::BOOL), weak.negated())
    }

    /// The atomic step of a compare-and-exchange: the old value, and whether it was as expected.
    fn compare_and_swap(
        &mut self,
        pointer: Expr,
        expected: Expr,
        desired: Expr,
        weak: Expr,
        orders: Outcomes,
    ) -> (Expr, Expr) {
        let width = desired.width();
        let (expected, desired) = (self.repeatable(expected), self.repeatable(desired));
        let (old, equal) = (self.temporary(width), self.temporary(Width::BOOL));
        let (old_value, is_equal) = (Expr::Reg(old, width), Expr::Reg(equal, Width::BOOL));
        let mut ops = vec![Op::Set { var: old, value: atomic_load(&pointer, width, orders.failure) }];
        let works = self.may_succeed(weak, &mut ops);
        let same = Expr::binary(BinOp::Eq, old_value.clone(), expected);
        let same = if works.as_const() == Some(1) { same } else { Expr::binary(BinOp::And, same, works) };
        ops.push(Op::Set { var: equal, value: same });
        if self.ctx.checks.foreign_accesses && !self.ctx.checks.memory_model.is_weak() {
            self.in_section(|builder| {
                builder.transact(ops, None);
                let store = Op::Store { addr: pointer, value: desired, order: orders.success };
                builder.store_if(&is_equal, store);
            });
        } else {
            let new = Expr::ite(is_equal.clone(), desired, old_value.clone());
            ops.push(Op::Store { addr: pointer, value: new, order: orders.success });
            self.transact(ops, None);
        }
        (old_value, is_equal)
    }

    fn store_if(&mut self, cond: &Expr, store: Op) {
        let (yes, done) = (self.new_location(), self.new_location());
        self.branch(cond.clone(), yes, done);
        self.open(yes);
        self.transact(vec![store], None);
        self.goto(done);
        self.open(done);
    }

    /// `fetch_op` and `op_fetch`.
    fn fetch_builtin(
        &mut self,
        name: AtomicName<'_>,
        pointer: Expr,
        width: Width,
        expr: &'m hir::Expr,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        let operation = name.operation;
        let (op, wants_new) = match (operation.strip_prefix("fetch_"), operation.strip_suffix("_fetch")) {
            (Some(op), _) => (op, false),
            (_, Some(op)) => (op, true),
            _ => return None,
        };
        let update = update_of(op, self.class(expr.ty))?;
        let operand = self.operand(args.get(1)?, width);
        let order = self.order_argument(args.get(2));
        let operand = match self.ctx.module.types.unatomic(expr.ty) {
            // C11's arithmetic on atomic pointers counts elements; GCC's builtins count bytes.
            Type::Pointer(pointee) if name.c11 => {
                let size = self.ctx.module.types.size_of(*pointee).unwrap_or(1);
                Expr::binary(BinOp::Mul, operand, self.word(size))
            }
            _ => operand,
        };
        let (old, new) = self.read_modify_write(pointer, operand, update, order);
        Some(if wants_new { new } else { old })
    }

    fn sync_builtin(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        if name == "synchronize" {
            self.fence(Barrier::Full);
            return Some(self.int(0));
        }
        let object = self.atomic_object(args.first()?)?;
        let width = self.pointee_scalar(object)?;
        let pointer = self.word_argument(&args[0]);
        if name == "lock_release" {
            self.push(Op::Store { addr: pointer, value: Expr::constant(0, width), order: Order::Release });
            return Some(self.int(0));
        }
        let operand = self.operand(args.get(1)?, width);
        match name {
            "lock_test_and_set" => {
                Some(self.read_modify_write(pointer, operand, Update::Exchange, Order::Acquire).0)
            }
            "swap" => Some(self.read_modify_write(pointer, operand, Update::Exchange, Order::SeqCst).0),
            "bool_compare_and_swap" | "val_compare_and_swap" => {
                let operand = self.repeatable(operand);
                let desired = self.operand(args.get(2)?, width);
                let (old, equal) =
                    self.compare_and_swap(pointer, operand, desired, Expr::truth(false), Outcomes::STRONG);
                Some(if name.starts_with("bool") { scalar::resize(equal, false, Width::BYTE) } else { old })
            }
            _ => {
                let (op, wants_new) = match (name.strip_prefix("fetch_and_"), name.strip_suffix("_and_fetch"))
                {
                    (Some(op), _) => (op, false),
                    (_, Some(op)) => (op, true),
                    _ => return None,
                };
                let update = update_of(op, self.class(object))?;
                let (old, new) = self.read_modify_write(pointer, operand, update, Order::SeqCst);
                Some(if wants_new { new } else { old })
            }
        }
    }

    /// One atomic step; gives the old and the new value.
    fn read_modify_write(
        &mut self,
        pointer: Expr,
        operand: Expr,
        update: Update,
        order: Order,
    ) -> (Expr, Expr) {
        let width = operand.width();
        let operand = self.repeatable(operand);
        let (old, new) = (self.temporary(width), self.temporary(width));
        let (old_value, new_value) = (Expr::Reg(old, width), Expr::Reg(new, width));
        let value = match update {
            Update::Exchange => operand,
            Update::Arith(op) => Expr::binary(op, old_value.clone(), operand),
            Update::Nand => Expr::unary(UnOp::Not, Expr::binary(BinOp::And, old_value.clone(), operand)),
            Update::Least(less) => {
                let keeps = Expr::binary(less, old_value.clone(), operand.clone());
                Expr::ite(keeps, old_value.clone(), operand)
            }
            Update::Greatest(less) => {
                let keeps = Expr::binary(less, operand.clone(), old_value.clone());
                Expr::ite(keeps, old_value.clone(), operand)
            }
        };
        let ops = vec![
            Op::Set { var: old, value: atomic_load(&pointer, width, order) },
            Op::Set { var: new, value },
            Op::Store { addr: pointer, value: new_value.clone(), order },
        ];
        self.transact(ops, None);
        (old_value, new_value)
    }

    /// `x op= v` on an `_Atomic` object: one atomic step if the operation needs no checks of its own.
    pub(super) fn atomic_compound(&mut self, addr: Expr, right: Expr, compound: &'m Compound) -> Expr {
        let Some(width) = self.ctx.width(compound.lvalue.ty) else {
            return self.no_value("atomic operation on a type without a model");
        };
        let right = self.repeatable(right);
        if self.ctx.checks.memory_model.is_weak() && self.is_one_instruction(compound) {
            return self.compound_in_one_step(addr, width, right, compound);
        }
        self.transact(vec![Op::AtomicBegin], None);
        let old = self.load_memory(addr.clone(), width, Order::SeqCst);
        let new = self.combine(compound, old.clone(), right);
        let new = self.repeatable(new);
        self.push(Op::Store { addr, value: new.clone(), order: Order::SeqCst });
        self.transact(vec![Op::AtomicEnd], None);
        if compound.post { old } else { new }
    }

    /// Returns true if an operation can be computed without a branch: then it is a read-modify-write, and not a section, which orders more.
    fn is_one_instruction(&self, compound: &Compound) -> bool {
        match compound.op {
            CompoundOp::Pointer { .. } => true,
            CompoundOp::Arith(op) => {
                use BinaryOp::{Add, BitAnd, BitOr, BitXor, Mul, Sub};
                let total = matches!(op, BitAnd | BitOr | BitXor | Add | Sub | Mul);
                total && self.ctx.width(compound.compute).is_some()
            }
        }
    }

    fn compound_in_one_step(
        &mut self,
        addr: Expr,
        width: Width,
        right: Expr,
        compound: &'m Compound,
    ) -> Expr {
        self.flush();
        let (old, new) = (self.temporary(width), self.temporary(width));
        let value = self.combine(compound, Expr::Reg(old, width), right);
        // What can overflow is marked after the step, which stays one.
        let markers = self.take_markers();
        let ops = vec![
            Op::Set { var: old, value: atomic_load(&addr, width, Order::SeqCst) },
            Op::Set { var: new, value },
            Op::Store { addr, value: Expr::Reg(new, width), order: Order::SeqCst },
        ];
        self.transact(ops, None);
        markers.into_iter().for_each(|marker| self.push_marker(marker));
        Expr::Reg(if compound.post { old } else { new }, width)
    }

    // ---- arguments ------------------------------------------------------------------------------------------

    /// What a pointer argument points to.
    fn atomic_object(&self, pointer: &hir::Expr) -> Option<Ty> {
        match self.ctx.module.types.unatomic(pointer.ty) {
            Type::Pointer(pointee) => Some(*pointee),
            _ => None,
        }
    }

    /// A flag may be a record around a byte; `void` is a byte.
    fn pointee_scalar(&self, ty: Ty) -> Option<Width> {
        let types = &self.ctx.module.types;
        self.ctx.width(ty).or_else(|| match types.size_of(ty)? {
            size @ (1 | 2 | 4 | 8) => Some(Width::of_bytes(size)),
            _ => None,
        })
    }

    fn operand(&mut self, arg: &'m hir::Expr, width: Width) -> Expr {
        let signed = self.class(arg.ty) == Class::Signed;
        let value = self.rvalue(arg);
        let value = scalar::resize(value, signed, width);
        self.repeatable(value)
    }

    /// The value to be stored: GCC's generic builtins get a pointer to it.
    fn new_value(&mut self, name: AtomicName<'_>, arg: &'m hir::Expr, width: Width) -> Expr {
        if name.c11 || name.operation.ends_with("_n") {
            return self.operand(arg, width);
        }
        let pointer = self.word_argument(arg);
        self.load_memory(pointer, width, Order::Plain)
    }

    /// A memory order. One that is no constant is evaluated for its effects; under a weak memory model it is the weakest.
    pub(super) fn order_argument(&mut self, arg: Option<&'m hir::Expr>) -> Order {
        let mut constant = arg;
        while let Some(hir::Expr { kind: ExprKind::Convert(inner), .. }) = constant {
            constant = Some(inner);
        }
        match (constant.map(|c| &c.kind), arg) {
            (Some(ExprKind::Int(0)), _) => Order::Relaxed,
            (Some(ExprKind::Int(1 | 2)), _) => Order::Acquire,
            (Some(ExprKind::Int(3)), _) => Order::Release,
            (Some(ExprKind::Int(4)), _) => Order::AcqRel,
            (Some(ExprKind::Int(_)), _) | (_, None) => Order::SeqCst,
            (_, Some(arg)) => {
                self.effects(arg);
                if !self.ctx.checks.memory_model.is_weak() {
                    return Order::SeqCst;
                }
                let text = "a memory order that is no constant is taken as memory_order_relaxed";
                self.ctx.assume(self.span, text.to_owned());
                Order::Relaxed
            }
        }
    }
}

fn update_of(op: &str, class: Class) -> Option<Update> {
    let signed = class == Class::Signed;
    Some(match op {
        _ if class == Class::Float => return None,
        "add" => Update::Arith(BinOp::Add),
        "sub" => Update::Arith(BinOp::Sub),
        "and" => Update::Arith(BinOp::And),
        "or" => Update::Arith(BinOp::Or),
        "xor" => Update::Arith(BinOp::Xor),
        "nand" => Update::Nand,
        "min" => Update::Least(if signed { BinOp::SLt } else { BinOp::ULt }),
        "max" => Update::Greatest(if signed { BinOp::SLt } else { BinOp::ULt }),
        _ => return None,
    })
}

fn atomic_load(pointer: &Expr, width: Width, order: Order) -> Expr {
    Expr::Load { addr: Box::new(pointer.clone()), width, order }
}
