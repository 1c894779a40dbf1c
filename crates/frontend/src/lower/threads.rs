//! Threads: creation, joining, ends, cleanup handlers and cancellation.
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
//!
//! # Cancellation
//! Requests are a set of threads, one bit for each handle ([`Cancellation`]). At a cancellation point a thread that has a request,
//! and has not disabled cancellation, calls the model's `__threadproof_cancelled`. A point that may block does so in one
//! transaction with the test, so that a request ends the wait. POSIX also lists functions that *may* be cancellation points:
//! there it is an arbitrary choice. Cancellation of the asynchronous type acts in [`signals`](super::signals).

use super::function::{Builder, LocalPlace};
use super::scalar::{self, Class};
use super::sync::or;
use super::{Lowering, empty_function};
use crate::hir::{self, ExprKind, LocalId, VarRef};
use base::{Idx, IdxVec};
use program::{
    Action, BinOp, Callee, Cast, Expr, FuncId, LocId, Location, ObjectId, Op, Order, Sync, SyncKind, Var,
    VarKind, Width,
};

/// Model functions to be called at ends, as far as the program needs them.
#[derive(Clone, Copy, Default)]
pub(super) struct Epilogues {
    cleanups: Option<FuncId>,
    destructors: Option<FuncId>,
    note_end: Option<FuncId>,
    thread_starts: Option<FuncId>,
    thread_ends: Option<FuncId>,
    at_exit: Option<FuncId>,
    at_quick_exit: Option<FuncId>,
    cancelled: Option<FuncId>,
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

/// What cancellation needs.
#[derive(Clone, Copy)]
pub(super) struct Cancellation {
    requests: ObjectId,
    disabled: ObjectId,
    joinable: ObjectId,
    ended: ObjectId,
    waits_on: ObjectId,
    cancelled: FuncId,
}

/// How many threads the sets of threads have room for.
const N_THREADS: u64 = 64;

/// Functions that are cancellation points, besides those that have a lowering of their own.
const CANCELLATION_POINTS: &[&str] = &[
    "accept",
    "accept4",
    "aio_suspend",
    "clock_nanosleep",
    "close",
    "connect",
    "creat",
    "epoll_wait",
    "fcntl",
    "fdatasync",
    "fsync",
    "getmsg",
    "getpmsg",
    "lockf",
    "mq_receive",
    "mq_send",
    "mq_timedreceive",
    "mq_timedsend",
    "msgrcv",
    "msgsnd",
    "msync",
    "nanosleep",
    "open",
    "openat",
    "pause",
    "poll",
    "ppoll",
    "pread",
    "pselect",
    "pthread_testcancel",
    "putmsg",
    "putpmsg",
    "pwrite",
    "read",
    "readv",
    "recv",
    "recvfrom",
    "recvmsg",
    "select",
    "sem_clockwait",
    "sem_timedwait",
    "send",
    "sendmsg",
    "sendto",
    "sigsuspend",
    "sigtimedwait",
    "sigwait",
    "sigwaitinfo",
    "sleep",
    "system",
    "tcdrain",
    "thrd_sleep",
    "usleep",
    "wait",
    "waitid",
    "waitpid",
    "write",
    "writev",
];

/// Functions that POSIX allows to be cancellation points and that common programs call.
const OPTIONAL_POINTS: &[&str] = &[
    "closedir",
    "fclose",
    "fflush",
    "fgetc",
    "fgets",
    "fopen",
    "fprintf",
    "fputc",
    "fputs",
    "fread",
    "fscanf",
    "fseek",
    "fwrite",
    "getc",
    "getchar",
    "getline",
    "gets",
    "opendir",
    "perror",
    "printf",
    "putc",
    "putchar",
    "puts",
    "readdir",
    "remove",
    "rename",
    "scanf",
    "syslog",
    "unlink",
    "vfprintf",
    "vprintf",
    "__isoc99_scanf",
    "__isoc99_fscanf",
];

impl Cancellation {
    /// What cancellation needs, if something in the program can request it.
    pub(super) fn find(lowering: &Lowering<'_>) -> Option<Self> {
        Some(Self {
            cancelled: lowering.epilogues.cancelled?,
            requests: lowering.model_object("__threadproof_cancel_requests")?,
            disabled: lowering.model_object("__threadproof_cancel_disabled")?,
            joinable: lowering.model_object("__threadproof_joinable")?,
            ended: lowering.model_object("__threadproof_ended")?,
            waits_on: lowering.model_object("__threadproof_waits_on")?,
        })
    }
}

// ---- creation and joining ---------------------------------------------------------------------------------------

impl<'m> Builder<'_, 'm> {
    pub(super) fn thread_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        let word = self.ctx.model.pointer();
        let result = match (name, args.len()) {
            ("pthread_create", 4) => {
                let attributes = self.word_argument(&args[1]);
                self.create(&args[0], &args[2], &args[3], attributes)
            }
            ("thrd_create", 3) => {
                let none = self.word(0);
                self.create(&args[0], &args[1], &args[2], none)
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

    fn create(
        &mut self,
        handle_at: &'m hir::Expr,
        start: &'m hir::Expr,
        arg: &'m hir::Expr,
        attributes: Expr,
    ) -> Expr {
        let word = self.ctx.model.pointer();
        let handle_at = self.word_argument(handle_at);
        let func = self.word_argument(start);
        let arg = self.word_argument(arg);
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
        self.transact(ops, Some(Sync { kind: SyncKind::Create, object: handle_at }));
        if attributes.as_const() != Some(0) {
            self.detach_if_asked(attributes, value);
        }
        self.int(0)
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
        if self.ctx.epilogues.after_return().next().is_none() {
            return (func, arg);
        }
        let word = self.ctx.model.pointer();
        if let Expr::FuncAddr(start, width) = func {
            return (Expr::FuncAddr(self.ctx.thread_start(Some(start)), width), arg);
        }
        // The wrapper of an unknown routine gets both from a block that it frees.
        let block = self.temporary(word);
        let at = Expr::Reg(block, word);
        let size = self.word(2 * word.bytes());
        self.transact(vec![Op::Alloc { var: block, size, storage: program::Storage::Heap }], None);
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
        let Some(at_exit) = self.ctx.epilogues.at_exit else { return status };
        let status = status.map(|status| self.in_temporary(status));
        let args = vec![status.clone().unwrap_or_else(|| self.int(0))];
        self.call_direct(at_exit, args, None);
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

/// Reads a start routine and its argument from a block, and frees it.
fn unpack(block: program::VarId, func: program::VarId, arg: program::VarId, word: Width) -> Vec<Op> {
    let at = Expr::Reg(block, word);
    let step = Expr::constant(u128::from(word.bytes()), word);
    let load = |addr| Expr::Load { addr: Box::new(addr), width: word, order: Order::Plain };
    vec![
        Op::Set { var: func, value: load(at.clone()) },
        Op::Set { var: arg, value: load(Expr::binary(BinOp::Add, at.clone(), step)) },
        Op::Free(at),
    ]
}

// ---- cleanup handlers -------------------------------------------------------------------------------------------

impl<'m> Builder<'_, 'm> {
    /// What calls have to do with cancellation: points where it acts, and the parts of glibc's `pthread_cleanup_push`.
    pub(super) fn cancellable_call(
        &mut self,
        function: &'m hir::Function,
        args: &'m [hir::Expr],
    ) -> Option<Expr> {
        if self.declared.library || (function.body.is_some() && !function.library) {
            return None;
        }
        let name = function.name.as_str();
        match name {
            "__sigsetjmp" | "__sigsetjmp_cancel" if args.first().and_then(|a| self.buffer(a)).is_some() => {
                // It returns for a second time only to run the handler, which is called directly.
                return Some(self.int(0));
            }
            "__pthread_register_cancel" => return self.register_cleanup(function, args),
            _ => {}
        }
        if self.ctx.cancellation.is_some() {
            if CANCELLATION_POINTS.contains(&name) {
                self.test_cancel(false);
            } else if OPTIONAL_POINTS.contains(&name) {
                self.test_cancel(true);
            }
            if name == "pthread_testcancel" {
                return Some(self.int(0));
            }
        }
        None
    }

    /// glibc's macro keeps the handler and its argument in the two variables that it declares after the buffer.
    fn register_cleanup(&mut self, function: &'m hir::Function, args: &'m [hir::Expr]) -> Option<Expr> {
        let buffer = args.first().and_then(|arg| self.buffer(arg));
        let variable = |n: usize, name: &str| {
            let local = LocalId::new(buffer?.index() + n);
            let named = self.body.locals.get(local).is_some_and(|l| l.name == name);
            match self.locals.get(local) {
                Some(LocalPlace::Register(var, width)) if named => Some(Expr::Reg(*var, *width)),
                _ => None,
            }
        };
        let kept = (variable(1, "__cancel_routine"), variable(2, "__cancel_arg"));
        let (Some(handler), Some(argument)) = kept else {
            return Some(self.no_value("a cleanup handler that is not registered by pthread_cleanup_push"));
        };
        let (id, _) =
            self.ctx.module.functions.iter_enumerated().find(|(_, f)| std::ptr::eq(*f, function))?;
        let func = *self.ctx.funcs.get(&id)?;
        let buffer = self.word_argument(&args[0]);
        self.call_direct(func, vec![buffer, handler, argument], None);
        Some(self.int(0))
    }

    /// The variable `__cancel_buf` that an argument is about.
    fn buffer(&self, arg: &hir::Expr) -> Option<LocalId> {
        match &arg.kind {
            ExprKind::Convert(inner)
            | ExprKind::AddrOf(inner)
            | ExprKind::Load(inner)
            | ExprKind::Deref(inner)
            | ExprKind::Member { base: inner, .. } => self.buffer(inner),
            ExprKind::Var(VarRef::Local(local)) => {
                (self.body.locals[*local].name == "__cancel_buf").then_some(*local)
            }
            _ => None,
        }
    }
}

// ---- cancellation -----------------------------------------------------------------------------------------------

impl Builder<'_, '_> {
    /// Whether a thread is in one of the sets of threads.
    fn in_set(&self, set: ObjectId, handle: Expr) -> Expr {
        let addr = Box::new(Expr::ObjectAddr(set, self.ctx.model.pointer()));
        let all = Expr::Load { addr, width: Width(64), order: Order::SeqCst };
        let handle = scalar::resize(handle, false, Width(64));
        Expr::cast(Cast::Trunc, Width::BOOL, Expr::binary(BinOp::LShr, all, handle))
    }

    /// Whether the thread with this handle, as locks store it, has ended.
    pub(super) fn has_ended(&self, ended: ObjectId, handle: Expr) -> Expr {
        self.in_set(ended, handle)
    }

    fn add_to(&self, set: ObjectId, handle: Expr) -> Op {
        self.changed(set, handle, Expr::constant(1, Width::BOOL), true)
    }

    fn remove_if(&self, set: ObjectId, handle: Expr, when: Expr) -> Op {
        self.changed(set, handle, when, false)
    }

    /// A set in which a thread has been added or removed, provided that `when` holds.
    fn changed(&self, set: ObjectId, handle: Expr, when: Expr, add: bool) -> Op {
        let addr = Expr::ObjectAddr(set, self.ctx.model.pointer());
        let wide = Width(64);
        let old = Expr::Load { addr: Box::new(addr.clone()), width: wide, order: Order::SeqCst };
        let handle = scalar::resize(handle, false, wide);
        let bit = Expr::binary(BinOp::Shl, scalar::resize(when, false, wide), handle);
        let value = if add {
            Expr::binary(BinOp::Or, old, bit)
        } else {
            let others = Expr::binary(BinOp::Xor, bit, Expr::constant(wide.mask(), wide));
            Expr::binary(BinOp::And, old, others)
        };
        Op::Store { addr, value, order: Order::SeqCst }
    }

    /// Whether this thread has a request that it has to act on; an operation that notes it, and where.
    pub(super) fn note_request(&mut self) -> Option<(Op, Expr)> {
        let cancellation = self.ctx.cancellation?;
        let word = self.ctx.model.pointer();
        let addr = Box::new(Expr::ObjectAddr(cancellation.disabled, word));
        let disabled = Expr::Load { addr, width: Width::INT, order: Order::Plain };
        let enabled = Expr::binary(BinOp::Eq, disabled, self.int(0));
        let requested = self.in_set(cancellation.requests, Expr::SelfHandle(word));
        let var = self.temporary(Width::BOOL);
        let note = Op::Set { var, value: Expr::binary(BinOp::And, requested, enabled) };
        Some((note, Expr::Reg(var, Width::BOOL)))
    }

    /// Ends the thread if `requested`.
    pub(super) fn act_on(&mut self, requested: Expr) {
        let Some(cancellation) = self.ctx.cancellation else { return };
        let (act, go_on) = (self.new_location(), self.new_location());
        self.branch(requested, act, go_on);
        self.open(act);
        self.call_direct(cancellation.cancelled, Vec::new(), None);
        self.goto(go_on);
        self.open(go_on);
    }

    /// A cancellation point that does not block; an optional one may act or not.
    pub(super) fn test_cancel(&mut self, optional: bool) {
        let Some((note, mut requested)) = self.note_request() else { return };
        let mut ops = vec![note];
        if optional {
            let acts = self.temporary(Width::BOOL);
            ops.push(Op::Havoc { var: acts });
            requested = Expr::binary(BinOp::And, requested, Expr::Reg(acts, Width::BOOL));
        }
        self.transact(ops, None);
        self.act_on(requested);
    }

    /// Waits until a join would not block, or this thread is cancelled.
    fn await_end(&mut self, handle: &Expr) {
        let Some(cancellation) = self.ctx.cancellation else { return };
        let Some((note, requested)) = self.note_request() else { return };
        let few = Expr::binary(BinOp::ULt, handle.clone(), self.word(N_THREADS));
        let (fine, too_many) = (self.new_location(), self.new_location());
        self.branch(few, fine, too_many);
        self.open(too_many);
        self.unsupported("a join with more than 63 threads, one of which is cancelled");
        self.open(fine);
        let itself = Expr::binary(BinOp::Eq, handle.clone(), Expr::SelfHandle(self.ctx.model.pointer()));
        let misuse = or(self.in_set(cancellation.joinable, handle.clone()).negated(), itself);
        let ready = or(self.in_set(cancellation.ended, handle.clone()), misuse);
        let ops = vec![note, Op::Guard(or(requested.clone(), ready))];
        self.transact(ops, Some(Sync { kind: SyncKind::Join, object: handle.clone() }));
        self.act_on(requested);
    }

    /// Says on which condition variable this thread waits (0: on none), so that a request can wake it.
    pub(super) fn say_where_it_waits(&self, cond: Expr) -> Option<Op> {
        let cancellation = self.ctx.cancellation?;
        let word = self.ctx.model.pointer();
        let shift = Expr::constant(u128::from(word.bytes().trailing_zeros()), word);
        let own = Expr::binary(BinOp::And, Expr::SelfHandle(word), self.word(N_THREADS - 1));
        let offset = Expr::binary(BinOp::Shl, own, shift);
        let addr = Expr::binary(BinOp::Add, Expr::ObjectAddr(cancellation.waits_on, word), offset);
        Some(Op::Store { addr, value: cond, order: Order::SeqCst })
    }
}
