//! Atomic operations: GCC's `__sync_*` and `__atomic_*`, C11's through `__c11_atomic_*`, and `_Atomic` objects.
//!
//! A read-modify-write is one transaction. The weak compare-and-exchange may fail for no reason, as C11 allows: that is
//! a one-bit input.

use super::function::Builder;
use super::scalar;
use crate::hir::{self, Compound, ExprKind};
use crate::types::{Ty, Type};
use program::{BinOp, Expr, Op, Order, UnOp, Width};

/// What a read-modify-write computes from the old value and the operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Update {
    Arith(BinOp),
    Nand,
    Exchange,
}

impl<'m> Builder<'_, 'm> {
    /// Lowers a call of an atomic builtin.
    pub(super) fn atomic_call(
        &mut self,
        name: &str,
        expr: &'m hir::Expr,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        if let Some(name) = name.strip_prefix("__sync_") {
            return self.sync_builtin(name, args);
        }
        // C11's take values where GCC's generic ones take pointers to values; only `store` looks the same otherwise.
        let name = match name.strip_prefix("__c11_atomic_") {
            Some("store") => "store_n",
            Some(name) => name,
            None => name.strip_prefix("__atomic_")?,
        };
        match name {
            "thread_fence" | "signal_fence" => {
                let order = self.order_argument(args.first());
                if name == "thread_fence" {
                    self.push(Op::Fence(order));
                }
                return Some(self.int(0));
            }
            "is_lock_free" | "always_lock_free" => return Some(self.int(1)),
            _ => {}
        }
        let width = self.pointee_width(args.first()?)?;
        let pointer = self.word_argument(&args[0]);
        let order = self.order_argument(args.last());
        self.access_builtin(name, pointer.clone(), width, order, args)
            .or_else(|| self.exchange_builtin(name, pointer.clone(), width, order, args))
            .or_else(|| self.compare_builtin(name, pointer.clone(), width, args))
            .or_else(|| self.fetch_builtin(name, pointer, width, order, expr, args))
    }

    /// Loads, stores and flags.
    fn access_builtin(
        &mut self,
        name: &str,
        pointer: Expr,
        width: Width,
        order: Order,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        match (name, args.len()) {
            ("load_n", 2) | ("load", 2) => return Some(self.load_memory(pointer, width, order)),
            ("load", 3) => {
                let target = self.word_argument(&args[1]);
                let value = self.load_memory(pointer, width, order);
                self.push(Op::Store { addr: target, value, order: Order::Plain });
            }
            ("store_n", 3) => {
                let value = self.operand(&args[1], width);
                self.push(Op::Store { addr: pointer, value, order });
            }
            ("store", 3) => {
                let value = self.indirect_or_value(&args[1], width);
                self.push(Op::Store { addr: pointer, value, order });
            }
            ("init", 2) => {
                let value = self.operand(&args[1], width);
                self.push(Op::Store { addr: pointer, value, order: Order::Plain });
            }
            ("test_and_set", 2) => {
                let one = Expr::constant(1, Width::BYTE);
                let old = self.read_modify_write(pointer, one, Update::Exchange, order).0;
                let set = scalar::truth(old, scalar::Class::Unsigned);
                return Some(scalar::resize(set, false, Width::BYTE));
            }
            ("clear", 2) => {
                self.push(Op::Store { addr: pointer, value: Expr::constant(0, Width::BYTE), order });
            }
            _ => return None,
        }
        Some(self.int(0))
    }

    fn exchange_builtin(
        &mut self,
        name: &str,
        pointer: Expr,
        width: Width,
        order: Order,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        match (name, args.len()) {
            ("exchange_n" | "exchange", 3) => {
                let value = self.operand(&args[1], width);
                Some(self.read_modify_write(pointer, value, Update::Exchange, order).0)
            }
            ("exchange", 4) => {
                let value = self.indirect_or_value(&args[1], width);
                let target = self.word_argument(&args[2]);
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
        name: &str,
        pointer: Expr,
        width: Width,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        let weak = match (name, args.len()) {
            ("compare_exchange_n" | "compare_exchange", 6) => {
                let weak = self.rvalue(&args[3]);
                weak.as_const() != Some(0)
            }
            ("compare_exchange_strong", 5) => false,
            ("compare_exchange_weak", 5) => true,
            _ => return None,
        };
        let expected_at = self.word_argument(&args[1]);
        let desired = match name {
            "compare_exchange" => self.indirect_or_value(&args[2], width),
            _ => self.operand(&args[2], width),
        };
        let expected = self.load_memory(expected_at.clone(), width, Order::Plain);
        let (old, equal) = self.compare_and_swap(pointer, expected, desired, weak);
        let (failed, done) = (self.new_location(), self.new_location());
        self.branch(equal.clone(), done, failed);
        self.open(failed);
        self.push(Op::Store { addr: expected_at, value: old, order: Order::Plain });
        self.goto(done);
        self.open(done);
        Some(scalar::resize(equal, false, Width::BYTE))
    }

    /// The atomic step of a compare-and-exchange: the old value, and whether it was as expected.
    fn compare_and_swap(&mut self, pointer: Expr, expected: Expr, desired: Expr, weak: bool) -> (Expr, Expr) {
        let width = desired.width();
        let (expected, desired) = (self.repeatable(expected), self.repeatable(desired));
        let (old, equal) = (self.temporary(width), self.temporary(Width::BOOL));
        let (old_value, is_equal) = (Expr::Reg(old, width), Expr::Reg(equal, Width::BOOL));
        let mut same = Expr::binary(BinOp::Eq, old_value.clone(), expected);
        let mut ops = vec![Op::Set { var: old, value: atomic_load(&pointer, width, Order::SeqCst) }];
        if weak {
            let works = self.temporary(Width::BOOL);
            ops.push(Op::Havoc { var: works });
            same = Expr::binary(BinOp::And, same, Expr::Reg(works, Width::BOOL));
        }
        ops.push(Op::Set { var: equal, value: same });
        let new = Expr::ite(is_equal.clone(), desired, old_value.clone());
        ops.push(Op::Store { addr: pointer, value: new, order: Order::SeqCst });
        self.transact(ops, None);
        (old_value, is_equal)
    }

    /// `fetch_op` and `op_fetch`.
    fn fetch_builtin(
        &mut self,
        name: &str,
        pointer: Expr,
        width: Width,
        order: Order,
        expr: &'m hir::Expr,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        let (op, wants_new) = match (name.strip_prefix("fetch_"), name.strip_suffix("_fetch")) {
            (Some(op), _) => (op, false),
            (_, Some(op)) => (op, true),
            _ => return None,
        };
        let update = update_of(op)?;
        let operand = self.operand(args.get(1)?, width);
        let operand = match self.ctx.module.types.unatomic(expr.ty) {
            // C11's arithmetic on atomic pointers counts elements; GCC's older builtins count bytes.
            Type::Pointer(pointee) if self.is_c11_atomic(&args[0]) => {
                let size = self.ctx.module.types.size_of(*pointee).unwrap_or(1);
                Expr::binary(BinOp::Mul, operand, self.word(size))
            }
            _ => operand,
        };
        let (old, new) = self.read_modify_write(pointer, operand, update, order);
        Some(if wants_new { new } else { old })
    }

    fn is_c11_atomic(&self, pointer: &hir::Expr) -> bool {
        let types = &self.ctx.module.types;
        match types.unatomic(pointer.ty) {
            Type::Pointer(pointee) => matches!(types.get(*pointee), Type::Atomic(_)),
            _ => false,
        }
    }

    fn sync_builtin(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        if name == "synchronize" {
            self.push(Op::Fence(Order::SeqCst));
            return Some(self.int(0));
        }
        let width = self.pointee_width(args.first()?)?;
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
            "bool_compare_and_swap" | "val_compare_and_swap" => {
                let desired = self.operand(args.get(2)?, width);
                let (old, equal) = self.compare_and_swap(pointer, operand, desired, false);
                Some(if name.starts_with("bool") { scalar::resize(equal, false, Width::BYTE) } else { old })
            }
            _ => {
                let (op, wants_new) = match (name.strip_prefix("fetch_and_"), name.strip_suffix("_and_fetch"))
                {
                    (Some(op), _) => (op, false),
                    (_, Some(op)) => (op, true),
                    _ => return None,
                };
                let (old, new) = self.read_modify_write(pointer, operand, update_of(op)?, Order::SeqCst);
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
        self.transact(vec![Op::AtomicBegin], None);
        let old = self.load_memory(addr.clone(), width, Order::SeqCst);
        let new = self.combine(compound, old.clone(), right);
        let new = self.repeatable(new);
        self.push(Op::Store { addr, value: new.clone(), order: Order::SeqCst });
        self.transact(vec![Op::AtomicEnd], None);
        if compound.post { old } else { new }
    }

    // ---- arguments ------------------------------------------------------------------------------------------

    /// The width of what a pointer argument points to.
    fn pointee_width(&self, pointer: &hir::Expr) -> Option<Width> {
        match self.ctx.module.types.unatomic(pointer.ty) {
            Type::Pointer(pointee) => self.pointee_scalar(*pointee),
            _ => None,
        }
    }

    /// A flag may be a record around a byte; `void` is a byte.
    fn pointee_scalar(&self, ty: Ty) -> Option<Width> {
        let types = &self.ctx.module.types;
        self.ctx.width(ty).or_else(|| match types.size_of(ty)? {
            size @ (1 | 2 | 4 | 8 | 16) => Some(Width::of_bytes(size)),
            _ => None,
        })
    }

    fn operand(&mut self, arg: &'m hir::Expr, width: Width) -> Expr {
        let signed = self.class(arg.ty) == scalar::Class::Signed;
        let value = self.rvalue(arg);
        scalar::resize(value, signed, width)
    }

    /// The generic builtins pass values by pointer.
    fn indirect_or_value(&mut self, arg: &'m hir::Expr, width: Width) -> Expr {
        if !matches!(self.ctx.module.types.unatomic(arg.ty), Type::Pointer(_)) {
            return self.operand(arg, width);
        }
        let pointer = self.rvalue(arg);
        self.load_memory(pointer, width, Order::Plain)
    }

    /// A memory order given as a constant; anything else counts as the strongest.
    fn order_argument(&mut self, arg: Option<&'m hir::Expr>) -> Order {
        let mut arg = arg;
        while let Some(hir::Expr { kind: ExprKind::Convert(inner), .. }) = arg {
            arg = Some(inner);
        }
        match arg.map(|a| &a.kind) {
            Some(ExprKind::Int(0)) => Order::Relaxed,
            Some(ExprKind::Int(1 | 2)) => Order::Acquire,
            Some(ExprKind::Int(3)) => Order::Release,
            Some(ExprKind::Int(4)) => Order::AcqRel,
            _ => Order::SeqCst,
        }
    }
}

fn update_of(op: &str) -> Option<Update> {
    Some(match op {
        "add" => Update::Arith(BinOp::Add),
        "sub" => Update::Arith(BinOp::Sub),
        "and" => Update::Arith(BinOp::And),
        "or" => Update::Arith(BinOp::Or),
        "xor" => Update::Arith(BinOp::Xor),
        "nand" => Update::Nand,
        _ => return None,
    })
}

fn atomic_load(pointer: &Expr, width: Width, order: Order) -> Expr {
    Expr::Load { addr: Box::new(pointer.clone()), width, order }
}
