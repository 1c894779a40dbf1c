//! Threads: creation, joining, and their ends.
//!
//! # Ends
//! More may have to happen at the end of a thread or of the program than C shows. The models have a function for each such
//! duty, which is in the module only if something refers to it ([`Epilogues`]):
//!
//! | end | what is called, in this order |
//! |---|---|
//! | the start routine returns | destructors of thread-specific data, `note_end`, `thread_ends` |
//! | `pthread_exit`, cancellation | cleanup handlers, then the same |
//! | `main` returns, `exit` | functions registered by `atexit` and `on_exit` |
//! | `quick_exit` | functions registered by `at_quick_exit` |
//!
//! `note_end` is for those who ask whether a thread has ended (robust mutexes, cancellable joins), `thread_ends` makes the last
//! thread call `exit`.

use super::function::Builder;
use super::scalar::{self, Class};
use super::{Lowering, empty_function};
use crate::hir;
use base::{Idx, IdxVec};
use program::{
    Action, BinOp, Callee, Expr, FuncId, LocId, Location, Op, Order, Sync, SyncKind, Var, VarKind, Width,
};

/// How creating a thread fails.
const EAGAIN: u128 = 11;
const THRD_ERROR: u128 = 2;

/// Model functions to be called at ends, as far as the program needs them.
#[derive(Clone, Copy, Default)]
pub(super) struct Epilogues {
    cleanups: Option<FuncId>,
    destructors: Option<FuncId>,
    note_end: Option<FuncId>,
    thread_starts: Option<FuncId>,
    thread_ends: Option<FuncId>,
    at_exit: Option<FuncId>,
    /// Runs the functions with the attribute `destructor`.
    pub(super) finish: Option<FuncId>,
    at_quick_exit: Option<FuncId>,
    pub(super) cancelled: Option<FuncId>,
}

impl Epilogues {
    /// Takes note of a function that is defined.
    pub(super) fn declare(&mut self, name: &str, func: FuncId) {
        let duty = match name {
            "__threadproof_run_cleanups" => &mut self.cleanups,
            "__threadproof_run_destructors" => &mut self.destructors,
            "__threadproof_note_end" => &mut self.note_end,
            "__threadproof_thread_starts" => &mut self.thread_starts,
            "__threadproof_thread_ends" => &mut self.thread_ends,
            "__threadproof_run_atexit" => &mut self.at_exit,
            "__threadproof_run_at_quick_exit" => &mut self.at_quick_exit,
            "__threadproof_cancelled" => &mut self.cancelled,
            _ => return,
        };
        *duty = Some(func);
    }

    /// What is called when a start routine returns.
    fn after_return(self) -> impl Iterator<Item = FuncId> {
        [self.destructors, self.note_end, self.thread_ends].into_iter().flatten()
    }
}

// ---- creation and joining ---------------------------------------------------------------------------------------

impl<'m> Builder<'_, 'm> {
    pub(super) fn thread_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        let word = self.ctx.model.pointer();
        let result = match (name, args.len()) {
            ("pthread_create", 4) => {
                let attributes = self.word_argument(&args[1]);
                self.create_or_fail([&args[0], &args[2], &args[3]], attributes, EAGAIN)
            }
            ("thrd_create", 3) => {
                let none = self.word(0);
                self.create_or_fail([&args[0], &args[1], &args[2]], none, THRD_ERROR)
            }
            ("pthread_join" | "thrd_join", 2) => {
                let width = if name == "thrd_join" { Width::INT } else { word };
                let handle = self.word_argument(&args[0]);
                let target = self.word_argument(&args[1]);
                self.join_thread(handle, target, width)
            }
            ("pthread_detach" | "thrd_detach", 1) => {
                let handle = self.word_argument(&args[0]);
                self.detach(handle)
            }
            ("pthread_self" | "thrd_current", 0) => Expr::SelfHandle(word),
            ("pthread_equal" | "thrd_equal", 2) => {
                let (left, right) = (self.word_argument(&args[0]), self.word_argument(&args[1]));
                scalar::resize(Expr::binary(BinOp::Eq, left, right), false, Width::INT)
            }
            _ => return None,
        };
        // C11 knows success and failure only.
        let c11 = matches!(name, "thrd_join" | "thrd_detach");
        Some(if c11 { self.c11_result(result) } else { result })
    }

    /// `thrd_success` for 0, else `thrd_error`.
    pub(super) fn c11_result(&self, error: Expr) -> Expr {
        Expr::ite(Expr::binary(BinOp::Eq, error, self.int(0)), self.int(0), self.int(2))
    }

    /// Creates a thread, unless that fails with `error` (SOUNDNESS: A6).
    fn create_or_fail(&mut self, args: [&'m hir::Expr; 3], attributes: Expr, error: u128) -> Expr {
        let [handle_at, start, arg] = args.map(|arg| self.word_argument(arg));
        if !self.ctx.checks.creation_may_fail {
            self.create(handle_at, start, arg, attributes);
            return self.int(0);
        }
        let (fails, result) = (self.temporary(Width::BOOL), self.temporary(Width::INT));
        let failed = Expr::Reg(fails, Width::BOOL);
        self.push(Op::Havoc { var: fails });
        let value = Expr::ite(failed.clone(), self.int(error), self.int(0));
        self.push(Op::Set { var: result, value });
        let (create, done) = (self.new_location(), self.new_location());
        self.branch(failed, done, create);
        self.open(create);
        self.create(handle_at, start, arg, attributes);
        self.goto(done);
        self.open(done);
        Expr::Reg(result, Width::INT)
    }

    fn create(&mut self, handle_at: Expr, func: Expr, arg: Expr, attributes: Expr) {
        let word = self.ctx.model.pointer();
        let (func, arg) = self.with_epilogue(func, arg);
        if let Some(thread_starts) = self.ctx.epilogues.thread_starts {
            self.call_direct(thread_starts, Vec::new(), None);
        }
        let handle = self.temporary(word);
        let value = Expr::Reg(handle, word);
        let mut ops = vec![
            Op::Create { handle, func, arg },
            Op::Store { addr: handle_at.clone(), value: value.clone(), order: Order::Plain },
        ];
        if let Some(cancellation) = self.ctx.cancellation {
            ops.push(self.add_to(cancellation.joinable, value.clone()));
        }
        ops.extend(self.inherit_mask(value.clone()));
        self.transact(ops, Some(Sync { kind: SyncKind::Create, object: handle_at }));
        self.limit_threads(&value);
        if attributes.as_const() != Some(0) {
            self.detach_if_asked(attributes, value);
        }
    }

    /// Thread attributes: the word at 0 is the detach state.
    fn detach_if_asked(&mut self, attributes: Expr, handle: Expr) {
        let (given, detached, done) = (self.new_location(), self.new_location(), self.new_location());
        self.branch(scalar::truth(attributes.clone(), Class::Unsigned), given, done);
        self.open(given);
        let state = self.load_memory(attributes, Width::INT, Order::Plain);
        let asked = Expr::binary(BinOp::Eq, state, self.int(1));
        self.branch(asked, detached, done);
        self.open(detached);
        self.detach(handle);
        self.goto(done);
        self.open(done);
    }

    /// The start routine and its argument, wrapped so that what must happen when it returns does.
    fn with_epilogue(&mut self, func: Expr, arg: Expr) -> (Expr, Expr) {
        if self.ctx.epilogues.after_return().next().is_none() && self.ctx.unwinding.may.is_empty() {
            return (func, arg);
        }
        let word = self.ctx.model.pointer();
        if let Expr::FuncAddr(start, width) = func {
            return (Expr::FuncAddr(self.ctx.thread_start(Some(start)), width), arg);
        }
        // The wrapper of an unknown routine gets both from a block.
        let block = self.temporary(word);
        let at = Expr::Reg(block, word);
        let size = self.word(2 * word.bytes());
        self.transact(
            vec![Op::Alloc { var: block, size, align: 1, storage: program::Storage::Library }],
            None,
        );
        self.push_private(Op::Store { addr: at.clone(), value: func, order: Order::Plain });
        let second = self.offset(at.clone(), word.bytes());
        self.push_private(Op::Store { addr: second, value: arg, order: Order::Plain });
        (Expr::FuncAddr(self.ctx.thread_start(None), word), at)
    }

    fn join_thread(&mut self, handle: Expr, target: Expr, result_width: Width) -> Expr {
        let word = self.ctx.model.pointer();
        self.await_end(&handle);
        let (result, error) = (self.temporary(word), self.temporary(Width::INT));
        let sync = Sync { kind: SyncKind::Join, object: handle.clone() };
        let mut ops = vec![Op::Join { handle: handle.clone(), result, error }];
        let error = Expr::Reg(error, Width::INT);
        let joined = Expr::binary(BinOp::Eq, error.clone(), self.int(0));
        if let Some(cancellation) = self.ctx.cancellation {
            ops.push(self.remove_if(cancellation.joinable, handle, joined.clone()));
        }
        self.transact(ops, Some(sync));
        self.check_joinable(&error, "join");
        if target.as_const() != Some(0) {
            let wanted = Expr::binary(BinOp::And, scalar::truth(target.clone(), Class::Unsigned), joined);
            let (store, done) = (self.new_location(), self.new_location());
            self.branch(wanted, store, done);
            self.open(store);
            let value = scalar::resize(Expr::Reg(result, word), false, result_width);
            self.push(Op::Store { addr: target, value, order: Order::Plain });
            self.goto(done);
            self.open(done);
        }
        error
    }

    fn detach(&mut self, handle: Expr) -> Expr {
        let error = self.temporary(Width::INT);
        let result = Expr::Reg(error, Width::INT);
        let mut ops = vec![Op::Detach { handle: handle.clone(), error }];
        if let Some(cancellation) = self.ctx.cancellation {
            let detached = Expr::binary(BinOp::Eq, result.clone(), self.int(0));
            ops.push(self.remove_if(cancellation.joinable, handle, detached));
        }
        self.transact(ops, None);
        self.check_joinable(&result, "detach");
        result
    }
}

// ---- ends -------------------------------------------------------------------------------------------------------

impl<'m> Builder<'_, 'm> {
    /// Calls that end a thread or the program.
    pub(super) fn exit_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        match name {
            "exit" => {
                let status = self.rvalue(args.first()?);
                self.at_exit(Some(status));
                self.end(Action::Exit);
            }
            "quick_exit" => {
                args.iter().for_each(|arg| self.effects(arg));
                if let Some(run) = self.ctx.epilogues.at_quick_exit {
                    self.call_direct(run, Vec::new(), None);
                }
                self.end(Action::Exit);
            }
            "abort" | "_exit" | "_Exit" | "__builtin_abort" | "__builtin_trap" => {
                args.iter().for_each(|arg| self.effects(arg));
                let handle_abort = self.ctx.model_function("__threadproof_abort");
                if let Some(handle_abort) = handle_abort.filter(|_| name.ends_with("abort")) {
                    self.call_direct(handle_abort, Vec::new(), None);
                }
                self.end(Action::Exit);
            }
            "pthread_exit" | "thrd_exit" => {
                let value = self.word_argument(args.first()?);
                let epilogues = self.ctx.epilogues;
                for duty in epilogues.cleanups.into_iter().chain(epilogues.after_return()) {
                    self.call_direct(duty, Vec::new(), None);
                }
                self.end(Action::ThreadExit(value));
            }
            _ => return None,
        }
        Some(self.int(0))
    }

    /// Runs what is registered for the program's end; gives the status.
    pub(super) fn at_exit(&mut self, status: Option<Expr>) -> Option<Expr> {
        let Epilogues { at_exit, finish, .. } = self.ctx.epilogues;
        if at_exit.is_none() && finish.is_none() {
            return status;
        }
        let status = status.map(|status| self.in_temporary(status));
        if let Some(at_exit) = at_exit {
            let args = vec![status.clone().unwrap_or_else(|| self.int(0))];
            self.call_direct(at_exit, args, None);
        }
        if let Some(finish) = finish {
            self.call_direct(finish, Vec::new(), None);
        }
        status
    }
}

impl Lowering<'_> {
    /// A function that will run `start` (or, if it is not known, what its argument says) and then the epilogues.
    fn thread_start(&mut self, start: Option<FuncId>) -> FuncId {
        if let Some(&wrapped) = self.thread_starts.get(&start) {
            return wrapped;
        }
        let function = &self.functions[start.unwrap_or(self.funcs[&self.module.entry])];
        let name = if start.is_some() { function.name.as_str() } else { "any" };
        let wrapped = self.functions.push(empty_function(format!("{name}.thread"), function.span));
        self.thread_starts.insert(start, wrapped);
        wrapped
    }

    /// Writes the wrappers' code, once the width of every result is known.
    pub(super) fn finish_thread_starts(&mut self) {
        let mut wrappers: Vec<_> = std::mem::take(&mut self.thread_starts).into_iter().collect();
        wrappers.sort_unstable();
        for (start, wrapped) in wrappers {
            let wrapper = self.wrapper(start);
            let function = &mut self.functions[wrapped];
            function.params = vec![program::VarId::new(0)];
            function.ret = wrapper.ret;
            function.vars = wrapper.vars;
            let span = function.span;
            function.locations =
                wrapper.actions.into_iter().map(|action| Location { action, span }).collect();
            function.library = true;
        }
    }

    fn wrapper(&self, start: Option<FuncId>) -> Wrapper {
        let word = self.model.pointer();
        let ret = start.map_or(Some(word), |start| self.functions[start].ret);
        let mut vars = IdxVec::new();
        let mut register = |name: &str, width| {
            vars.push(Var { name: name.to_owned(), kind: VarKind::Register(width), temporary: false })
        };
        let arg = register("arg", word);
        let result = ret.map(|width| (register("result", width), width));
        let mut actions = Vec::new();
        let (callee, arg) = match start {
            Some(start) => (Callee::Direct(start), Expr::Reg(arg, word)),
            None => {
                let (func, own) = (register("func", word), register("own", word));
                actions.push(Action::Ops { ops: unpack(arg, func, own, word), sync: None, next: LocId(1) });
                (Callee::Indirect(Expr::Reg(func, word)), Expr::Reg(own, word))
            }
        };
        let mut call = |callee, args, ret| {
            let next = LocId::new(actions.len() + 1);
            actions.push(Action::Call { callee, args, ret, next });
        };
        call(callee, vec![arg], result.map(|(var, _)| var));
        let target = self.hidden.get("jump_target").map(|&object| Expr::ObjectAddr(object, word));
        if let Some(addr) = target {
            let marker = register("jump", word);
            actions.extend(end_if_jumping(addr, marker, word, actions.len()));
        }
        let mut call = |callee, args, ret| {
            let next = LocId::new(actions.len() + 1);
            actions.push(Action::Call { callee, args, ret, next });
        };
        for duty in self.epilogues.after_return() {
            call(Callee::Direct(duty), Vec::new(), None);
        }
        actions.push(Action::Return(result.map(|(var, width)| Expr::Reg(var, width))));
        Wrapper { ret, vars, actions }
    }
}

/// The code of a function that starts a thread.
struct Wrapper {
    ret: Option<Width>,
    vars: IdxVec<program::VarId, Var>,
    actions: Vec<Action>,
}

/// The program's meaning is undefined if a start routine has returned because of a jump that none of its functions was the target of. The first
/// action is number `first`.
fn end_if_jumping(addr: Expr, marker: program::VarId, word: Width, first: usize) -> [Action; 3] {
    let value = Expr::Load { addr: Box::new(addr), width: word, order: Order::Plain };
    let is_set = Expr::binary(BinOp::Ne, Expr::Reg(marker, word), Expr::constant(0, word));
    let [test, undefined, go_on] = [1, 2, 3].map(|n| LocId::new(first + n));
    [
        Action::Ops { ops: vec![Op::Set { var: marker, value }], sync: None, next: test },
        Action::Branch { cond: is_set, yes: undefined, no: go_on },
        Action::Undefined(super::jumps::no_frame()),
    ]
}

/// Reads a start routine and its argument from a block.
fn unpack(block: program::VarId, func: program::VarId, arg: program::VarId, word: Width) -> Vec<Op> {
    let at = Expr::Reg(block, word);
    let step = Expr::constant(u128::from(word.bytes()), word);
    let load = |addr| Expr::Load { addr: Box::new(addr), width: word, order: Order::Plain };
    vec![
        Op::Set { var: func, value: load(at.clone()) },
        Op::Set { var: arg, value: load(Expr::binary(BinOp::Add, at, step)) },
    ]
}
