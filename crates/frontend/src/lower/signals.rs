//! Signals: where handlers can interrupt a thread.
//!
//! Who handles which signal, who blocks it, and what is pending are objects of the models (`models/signal.c`). Before every visible
//! action of a function of the program, and before `main` returns, the thread may choose to be interrupted: it calls the model's
//! `__threadproof_deliver`, which runs a handler on top of the thread's stack, and comes back to the same choice. What only the
//! thread itself can see needs no such choice: no handler can tell when exactly it ran.
//!
//! Nothing of this is there in a program that installs no handler. Library functions are not interrupted half-way; those
//! that wait say for themselves how a signal ends the wait. Atomic sections are not interrupted as far as they can be
//! told by looking at one function.
//!
//! Models say what waits with three more operations: a *step* (`__threadproof_step_begin` … `_end`) is one transaction, a
//! *guard* in it blocks, and `__threadproof_wait_begin` and `_end` are the two halves of a wait on a condition variable.

use super::Lowering;
use super::function::Builder;
use super::sync::and;
use crate::hir;
use program::{Action, BinOp, Expr, FuncId, ObjectId, Op, Order, UnOp, Width};

/// What delivering signals needs.
#[derive(Clone, Copy)]
pub(super) struct Signals {
    installed: ObjectId,
    blocked: ObjectId,
    pending: ObjectId,
    pending_anywhere: ObjectId,
    deliver: FuncId,
}

/// How many threads the models' tables have room for.
const N_THREADS: u64 = 64;

/// Functions by which a program sends signals.
const SENDERS: &[&str] =
    &["raise", "kill", "killpg", "pthread_kill", "pthread_sigqueue", "sigqueue", "alarm"];

impl Signals {
    /// What delivering signals needs, if the program installs a handler.
    pub(super) fn find(lowering: &Lowering<'_>) -> Option<Self> {
        Some(Self {
            deliver: lowering.model_function("__threadproof_deliver")?,
            installed: lowering.model_object("__threadproof_installed")?,
            blocked: lowering.model_object("__threadproof_blocked")?,
            pending: lowering.model_object("__threadproof_pending")?,
            pending_anywhere: lowering.model_object("__threadproof_pending_anywhere")?,
        })
    }
}

impl<'m> Builder<'_, 'm> {
    /// Offers to be interrupted here, by a handler or by asynchronous cancellation.
    pub(super) fn offer_interrupt(&mut self) {
        if self.declared.library || self.in_atomic {
            return;
        }
        self.offer_cancel();
        let Some(signals) = self.ctx.signals else { return };
        let word = self.ctx.model.pointer();
        let self_handle = Expr::SelfHandle(word);
        let all = [
            self.signal_set(Expr::ObjectAddr(signals.installed, word)),
            self.signal_set(self.entry_of(signals.pending, self_handle.clone())),
            self.signal_set(Expr::ObjectAddr(signals.pending_anywhere, word)),
        ];
        let some = all.into_iter().reduce(|l, r| Expr::binary(BinOp::Or, l, r));
        let blocked = self.signal_set(self.entry_of(signals.blocked, self_handle));
        let unblocked = Expr::unary(UnOp::Not, blocked);
        let ready = Expr::binary(BinOp::And, some.expect("there should be three sets"), unblocked);
        let ready = Expr::binary(BinOp::Ne, ready, Expr::constant(0, Width(64)));
        let (chosen, interrupted) = (self.temporary(Width::BOOL), self.temporary(Width::BOOL));
        let value = and(Expr::Reg(chosen, Width::BOOL), ready);
        let choice = self.new_location();
        self.join(choice);
        // The input is taken back, so that states in which nothing has happened since are equal.
        let done = Op::Set { var: chosen, value: Expr::constant(0, Width::BOOL) };
        let ops = vec![Op::Havoc { var: chosen }, Op::Set { var: interrupted, value }, done];
        self.step(|next| Action::Ops { ops, sync: None, next });
        let (deliver, go_on) = (self.new_location(), self.new_location());
        self.branch(Expr::Reg(interrupted, Width::BOOL), deliver, go_on);
        self.open(deliver);
        self.call_direct(signals.deliver, Vec::new(), None);
        self.goto(choice);
        self.open(go_on);
    }

    /// A set of signals of the models.
    fn signal_set(&self, addr: Expr) -> Expr {
        Expr::Load { addr: Box::new(addr), width: Width(64), order: Order::SeqCst }
    }

    /// The set of a thread in a table of sets.
    fn entry_of(&self, table: ObjectId, handle: Expr) -> Expr {
        let word = self.ctx.model.pointer();
        let own = Expr::binary(BinOp::And, handle, self.word(N_THREADS - 1));
        let offset = Expr::binary(BinOp::Shl, own, Expr::constant(3, word));
        Expr::binary(BinOp::Add, Expr::ObjectAddr(table, word), offset)
    }

    /// A new thread blocks what its creator blocks.
    pub(super) fn inherit_mask(&self, child: Expr) -> Option<Op> {
        let blocked = self.ctx.model_object("__threadproof_blocked")?;
        let own = self.entry_of(blocked, Expr::SelfHandle(self.ctx.model.pointer()));
        let value = self.signal_set(own);
        Some(Op::Store { addr: self.entry_of(blocked, child), value, order: Order::SeqCst })
    }

    /// The tables have room for so many threads only.
    pub(super) fn limit_threads(&mut self, child: &Expr) {
        if self.ctx.model_object("__threadproof_blocked").is_none() {
            return;
        }
        let few = Expr::binary(BinOp::ULt, child.clone(), self.word(N_THREADS));
        let (fine, too_many) = (self.new_location(), self.new_location());
        self.branch(few, fine, too_many);
        self.open(too_many);
        self.unsupported("more than 63 threads in a program with signals");
        self.open(fine);
    }

    /// What only models call.
    pub(super) fn model_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        match name {
            "__threadproof_step_begin" => {
                self.flush();
                self.in_step = true;
            }
            "__threadproof_step_end" => {
                self.in_step = false;
                self.flush();
            }
            "__threadproof_guard" => {
                let cond = self.cond(args.first()?);
                self.push(Op::Guard(cond));
            }
            "__threadproof_wait_begin" => {
                let cond = self.word_argument(args.first()?);
                self.transact(vec![Op::WaitBegin(cond)], None);
            }
            "__threadproof_wait_end" => {
                let timed = self.rvalue(args.first()?).as_const() != Some(0);
                self.transact(vec![Op::WaitEnd { timed }], None);
            }
            "__threadproof_sends_signals" => {
                let sends = |f: &hir::Function| SENDERS.contains(&f.name.as_str());
                let sends = self.ctx.module.functions.iter().any(sends);
                return Some(self.int(sends.into()));
            }
            _ => return None,
        }
        Some(self.int(0))
    }
}
