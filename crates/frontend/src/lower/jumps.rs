//! Jumps out of functions: `setjmp` and `longjmp`, under all their names.
//!
//! A program has no action that leaves several functions at once, so `longjmp` returns from one after the other:
//!
//! * `setjmp` writes into its buffer the address of a *marker*, an object of the frame that stands for this call of `setjmp` and nothing else. No two
//!   objects ever have the same address, so a marker tells activations of a function apart.
//! * `longjmp` reads the marker's address from the buffer, leaves it and the value in two thread-local objects, and jumps to the function's
//!   *unwinding location*, where the address is compared with the function's own markers: if one is equal, control goes on behind that `setjmp`,
//!   otherwise the function returns.
//! * After every call of a function that may come back this way, the thread-local object is tested, and control goes to the caller's own unwinding location
//!   if it is set.
//!
//! If no function of the thread has the marker, the one that was to be jumped to has returned, or belongs to another thread: the behaviour is undefined.
//! Which functions may come back this way is known when all of them have been lowered once ([`Unwinding`]); a program that calls `longjmp` is therefore
//! lowered twice. Functions called through pointers may, if any function does.
//!
//! Automatic variables keep the values that they have when `longjmp` is called; C leaves them indeterminate if they were changed since `setjmp`
//! and are not `volatile` (SOUNDNESS: A15a). A jump out of a signal handler leaves the mask of signals as it is in the handler, unless `sigsetjmp` has saved
//! one: then that is restored where control goes on.

use super::Lowering;
use super::function::Builder;
use crate::hir::{self, FunctionId};
use program::{
    Action, BinOp, Expr, FuncId, LocId, ObjectId, Op, Order, Undefined, UndefinedKind, VarId, Width,
};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// What is found out about jumps while a module is lowered.
#[derive(Default)]
pub(super) struct Unwinding {
    /// Functions that may return because of a jump, as far as that is known before lowering.
    pub(super) may: FxHashSet<FuncId>,
    /// Functions that call `longjmp`.
    jumping: BTreeSet<FunctionId>,
    /// Who calls whom, and who calls through pointers.
    called: BTreeSet<(FunctionId, FuncId)>,
    through_pointers: BTreeSet<FunctionId>,
}

impl Unwinding {
    /// Notes a call; `None` is one through a pointer.
    pub(super) fn note_call(&mut self, caller: FunctionId, callee: Option<FuncId>) {
        match callee {
            Some(callee) => {
                self.called.insert((caller, callee));
            }
            None => {
                self.through_pointers.insert(caller);
            }
        }
    }
}

impl Lowering<'_> {
    /// The functions that may return because of a jump.
    pub(super) fn unwinding_functions(&self) -> FxHashSet<FuncId> {
        let Unwinding { jumping, called, through_pointers, .. } = &self.unwinding;
        if jumping.is_empty() {
            return FxHashSet::default();
        }
        let mut may: FxHashSet<FuncId> = jumping.union(through_pointers).map(|id| self.funcs[id]).collect();
        loop {
            let n_before = may.len();
            let callers = called.iter().filter(|(_, callee)| may.contains(callee));
            let callers: Vec<FuncId> = callers.map(|(caller, _)| self.funcs[caller]).collect();
            may.extend(callers);
            if may.len() == n_before {
                return may;
            }
        }
    }

    /// Where the marker of the jump that is under way is kept; zero if there is none.
    pub(super) fn jump_target(&mut self) -> ObjectId {
        let bytes = self.model.pointer().bytes();
        self.hidden_object("jump_target", bytes, true)
    }
}

impl<'m> Builder<'_, 'm> {
    /// Lowers a call of one of these functions, if it is not the program's own.
    pub(super) fn jump_call(&mut self, function: &'m hir::Function, args: &'m [hir::Expr]) -> Option<Expr> {
        let name = function.name.as_str();
        if function.body.is_some() {
            return None;
        }
        match name.trim_start_matches("__builtin_").trim_start_matches('_') {
            "setjmp" | "sigsetjmp" => {
                let (buffer, others) = args.split_first()?;
                let addr = self.word_argument(buffer);
                let saves = others.first().map(|arg| self.rvalue(arg)).map(|saves| self.in_temporary(saves));
                Some(self.setjmp(addr, saves))
            }
            "longjmp" | "siglongjmp" | "longjmp_chk" => {
                let [buffer, value] = args else { return None };
                let addr = self.word_argument(buffer);
                let value = self.rvalue(value);
                let value = self.in_temporary(value);
                self.longjmp(addr, value);
                Some(self.int(0))
            }
            _ => None,
        }
    }

    fn setjmp(&mut self, buffer: Expr, saves: Option<Expr>) -> Expr {
        // SOUNDNESS: A15a
        let text = "automatic variables keep their values when `longjmp` comes back to `setjmp`";
        self.ctx.assume(self.span, text.to_owned());
        let mask = saves.and_then(|saves| self.save_mask(saves));
        let marker = self.temporary_memory(1, 1);
        let (value, int) = (self.local_addr(marker), Width::INT);
        self.push(Op::Store { addr: buffer, value, order: Order::Plain });
        let result = self.register("setjmp", int);
        self.push_private(Op::Set { var: result, value: self.int(0) });
        let (landing, done) = (self.new_location(), self.new_location());
        self.goto(done);
        self.open(landing);
        let (addr, value) = (self.jump_target(), self.load_jump_value());
        self.push_private(Op::Set { var: result, value });
        let none = self.word(0);
        self.push_private(Op::Store { addr, value: none, order: Order::Plain });
        if let Some(mask) = mask {
            self.restore_mask(mask);
        }
        self.goto(done);
        self.open(done);
        self.landings.push((marker, landing));
        Expr::Reg(result, int)
    }

    /// Where handlers run, `sigsetjmp` saves the mask of signals if it is asked to.
    fn save_mask(&mut self, saves: Expr) -> Option<(Expr, VarId)> {
        self.ctx.signals.as_ref()?;
        let func = self.ctx.model_function("__threadproof_saved_mask")?;
        let (asked, mask) = (self.register("saves_mask", saves.width()), self.register("mask", Width(64)));
        let width = saves.width();
        self.push_private(Op::Set { var: asked, value: saves });
        self.call_direct(func, Vec::new(), Some(mask));
        Some((Expr::Reg(asked, width), mask))
    }

    fn restore_mask(&mut self, (saved, mask): (Expr, VarId)) {
        let Some(func) = self.ctx.model_function("__threadproof_restore_mask") else { return };
        let (restore, done) = (self.new_location(), self.new_location());
        let zero = Expr::constant(0, saved.width());
        self.branch(Expr::binary(BinOp::Ne, saved, zero), restore, done);
        self.open(restore);
        self.call_direct(func, vec![Expr::Reg(mask, Width(64))], None);
        self.goto(done);
        self.open(done);
    }

    fn longjmp(&mut self, buffer: Expr, value: Expr) {
        self.ctx.unwinding.jumping.insert(self.id);
        let word = self.ctx.model.pointer();
        let marker = self.load_memory(buffer, word, Order::Plain);
        let marker = self.in_temporary(marker);
        let is_set = Expr::binary(BinOp::Ne, marker.clone(), self.word(0));
        self.undefined_unless(is_set, UndefinedKind::InvalidCall, "a jump by a buffer that was never set");
        let addr = self.jump_target();
        self.push_private(Op::Store { addr, value: marker, order: Order::Plain });
        let is_zero = Expr::binary(BinOp::Eq, value.clone(), self.int(0));
        let value = Expr::ite(is_zero, self.int(1), value);
        let addr = self.jump_value();
        self.push_private(Op::Store { addr, value, order: Order::Plain });
        let unwind = self.unwinding_location();
        self.goto(unwind);
    }

    /// After a call of `callee`, or of whatever a pointer means: goes on only if the function has returned as usual.
    pub(super) fn after_call(&mut self, callee: Option<FuncId>) {
        self.ctx.unwinding.note_call(self.id, callee);
        let may = &self.ctx.unwinding.may;
        if !callee.map_or(!may.is_empty(), |callee| may.contains(&callee)) {
            return;
        }
        let marker = self.load_jump_target();
        let is_set = Expr::binary(BinOp::Ne, marker, self.word(0));
        let (unwind, go_on) = (self.unwinding_location(), self.new_location());
        self.branch(is_set, unwind, go_on);
        self.open(go_on);
    }

    /// Writes the code of the unwinding location, if something goes there.
    pub(super) fn finish_unwinding(&mut self) {
        let Some(unwind) = self.unwinding else { return };
        self.open(unwind);
        let target = self.load_jump_target();
        for (marker, landing) in self.landings.clone() {
            let is_own = Expr::binary(BinOp::Eq, target.clone(), self.local_addr(marker));
            let next = self.new_location();
            self.branch(is_own, landing, next);
            self.open(next);
        }
        if self.id == self.ctx.module.start.unwrap_or(self.ctx.module.entry) {
            return self.end(Action::Undefined(no_frame()));
        }
        if self.declared.name.starts_with("__VERIFIER_atomic_") {
            self.transact(vec![Op::AtomicEnd], None);
        }
        // The caller looks at no value.
        let value = self.result_width().map(|width| Expr::constant(0, width));
        self.end(Action::Return(value));
    }

    fn unwinding_location(&mut self) -> LocId {
        match self.unwinding {
            Some(location) => location,
            None => {
                let location = self.new_location();
                self.unwinding = Some(location);
                location
            }
        }
    }

    fn jump_target(&mut self) -> Expr {
        let object = self.ctx.jump_target();
        Expr::ObjectAddr(object, self.ctx.model.pointer())
    }

    fn jump_value(&mut self) -> Expr {
        let object = self.ctx.hidden_object("jump_value", Width::INT.bytes(), true);
        Expr::ObjectAddr(object, self.ctx.model.pointer())
    }

    fn load_jump_value(&mut self) -> Expr {
        let addr = self.jump_value();
        Expr::Load { addr: Box::new(addr), width: Width::INT, order: Order::Plain }
    }

    /// The marker of the jump that is under way. No other thread can see this access.
    fn load_jump_target(&mut self) -> Expr {
        let (addr, word) = (self.jump_target(), self.ctx.model.pointer());
        let var = self.temporary(word);
        let value = Expr::Load { addr: Box::new(addr), width: word, order: Order::Plain };
        self.push_private(Op::Set { var, value });
        Expr::Reg(var, word)
    }
}

/// What a jump without a frame to go to is.
pub(super) fn no_frame() -> Undefined {
    let what = "a jump to a function that has returned, or that another thread runs";
    Undefined::new(UndefinedKind::InvalidCall, what.to_owned())
}

/// The marker of a call of `setjmp` in the function being lowered, and where control goes on when it returns again.
pub(super) type Landing = (VarId, LocId);
