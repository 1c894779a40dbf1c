//! Cancellation and cleanup handlers.
//!
//! Requests are a set of threads, one bit for each handle ([`Cancellation`]). At a cancellation point a thread that has a request,
//! and has not disabled cancellation, calls the model's `__threadproof_cancelled`. A point that may block does so in one
//! transaction with the test, so that a request ends the wait. POSIX also lists functions that *may* be cancellation points:
//! there it is an arbitrary choice. Cancellation of the asynchronous type is offered where signals are
//! ([`signals`](super::signals)), and ends every call that blocks ([`Builder::block_until`]).
//!
//! A thread that can be cancelled while it waits on a condition variable waits, in fact, on a word of its own, and says on which
//! condition variable it waits: so a request wakes this thread and no other one. The model's `__threadproof_wake` looks for the threads that a
//! signal is meant for.

use super::Lowering;
use super::function::{Builder, LocalPlace};
use super::scalar;
use super::sync::{and, or};
use crate::hir::{self, ExprKind, LocalId, VarRef};
use crate::types::Type;
use base::Idx;
use program::{Action, BinOp, Cast, Expr, FuncId, ObjectId, Op, Order, Sync, SyncKind, Width};

/// What cancellation needs.
#[derive(Clone, Copy)]
pub(super) struct Cancellation {
    requests: ObjectId,
    disabled: ObjectId,
    /// Whether the thread's type is the asynchronous one; present if it can be.
    asynchronous: Option<ObjectId>,
    pub(super) joinable: ObjectId,
    ended: ObjectId,
    waits_on: ObjectId,
    waiting: ObjectId,
    wakeable: ObjectId,
    wake: FuncId,
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
            asynchronous: lowering
                .model_function("pthread_setcanceltype")
                .and_then(|_| lowering.model_object("__threadproof_cancel_asynchronous")),
            joinable: lowering.model_object("__threadproof_joinable")?,
            ended: lowering.model_object("__threadproof_ended")?,
            waits_on: lowering.model_object("__threadproof_waits_on")?,
            waiting: lowering.model_object("__threadproof_waiting")?,
            wakeable: lowering.model_object("__threadproof_wakeable")?,
            wake: lowering.model_function("__threadproof_wake")?,
        })
    }
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
        self.sleeping_call(name, args)
    }

    /// With `-fexceptions`, glibc's macro relies on the unwinder to run handlers at the end of a thread.
    pub(super) fn refuse_cleanup_frames(&mut self) {
        let types = &self.ctx.module.types;
        let is_frame = |local: &hir::Local| match types.get(local.ty) {
            Type::Record(id) => types.record(*id).tag.contains("__pthread_cleanup_frame"),
            _ => false,
        };
        if self.body.locals.iter().any(is_frame) {
            self.unsupported("pthread_cleanup_push, preprocessed with -fexceptions: preprocess without");
        }
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

    /// Starts what cancellation undoes: until the end, `object` is handed to a handler of the models if the thread is cancelled.
    /// Gives the buffer that the end needs.
    pub(super) fn undo_if_cancelled(&mut self, handler: &str, object: Expr) -> Option<Expr> {
        self.ctx.cancellation?;
        let handler = self.ctx.model_function(handler)?;
        let register = self.ctx.model_function("__pthread_register_cancel")?;
        let word = self.ctx.model.pointer();
        let memory = self.temporary_memory(3 * word.bytes(), word.bytes());
        let buffer = self.local_addr(memory);
        let args = vec![buffer.clone(), Expr::FuncAddr(handler, word), object];
        self.call_direct(register, args, None);
        Some(buffer)
    }

    /// Ends what cancellation undoes.
    pub(super) fn no_longer_undone(&mut self, buffer: Option<Expr>) {
        let unregister = self.ctx.model_function("__pthread_unregister_cancel");
        if let (Some(buffer), Some(unregister)) = (buffer, unregister) {
            self.call_direct(unregister, vec![buffer], None);
        }
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
    /// The condition that a thread is in one of the sets of threads.
    fn in_set(&self, set: ObjectId, handle: Expr) -> Expr {
        let addr = Box::new(Expr::ObjectAddr(set, self.ctx.model.pointer()));
        let all = Expr::Load { addr, width: Width(64), order: Order::SeqCst };
        let handle = scalar::resize(handle, false, Width(64));
        Expr::cast(Cast::Trunc, Width::BOOL, Expr::binary(BinOp::LShr, all, handle))
    }

    /// The condition that the thread with this handle, as locks store it, has ended.
    pub(super) fn has_ended(&self, ended: ObjectId, handle: Expr) -> Expr {
        self.in_set(ended, handle)
    }

    pub(super) fn add_to(&self, set: ObjectId, handle: Expr) -> Op {
        self.changed(set, handle, Expr::constant(1, Width::BOOL), true)
    }

    pub(super) fn remove_if(&self, set: ObjectId, handle: Expr, when: Expr) -> Op {
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
        let value = self.is_requested()?;
        let var = self.temporary(Width::BOOL);
        Some((Op::Set { var, value }, Expr::Reg(var, Width::BOOL)))
    }

    /// Whether this thread has a request that it has to act on.
    fn is_requested(&self) -> Option<Expr> {
        let cancellation = self.ctx.cancellation?;
        let self_handle = Expr::SelfHandle(self.ctx.model.pointer());
        let requested = self.in_set(cancellation.requests, self_handle);
        Some(Expr::binary(BinOp::And, requested, self.is_enabled(&cancellation)))
    }

    fn is_enabled(&self, cancellation: &Cancellation) -> Expr {
        let addr = Box::new(Expr::ObjectAddr(cancellation.disabled, self.ctx.model.pointer()));
        let disabled = Expr::Load { addr, width: Width::INT, order: Order::Plain };
        Expr::binary(BinOp::Eq, disabled, self.int(0))
    }

    /// Whether this thread can be cancelled anywhere, if a thread of the program can.
    fn is_asynchronous(&self) -> Option<Expr> {
        let asynchronous = self.ctx.cancellation?.asynchronous?;
        let addr = Box::new(Expr::ObjectAddr(asynchronous, self.ctx.model.pointer()));
        let set = Expr::Load { addr, width: Width::INT, order: Order::Plain };
        Some(Expr::binary(BinOp::Ne, set, self.int(0)))
    }

    /// Blocks until `ready`, or until this thread, being of the asynchronous type, has a request. The result says whether it is cancelled
    /// now: then what follows in the transaction has to have no effect, and [`Builder::act_on`] comes next.
    pub(super) fn block_until(&mut self, ops: &mut Vec<Op>, ready: Expr) -> Expr {
        let no = Expr::constant(0, Width::BOOL);
        let (Some(asynchronous), Some(requested)) = (self.is_asynchronous(), self.is_requested()) else {
            ops.push(Op::Guard(ready));
            return no;
        };
        let (open, request) = (self.temporary(Width::BOOL), self.temporary(Width::BOOL));
        let (choice, acts) = (self.temporary(Width::BOOL), self.temporary(Width::BOOL));
        let [is_open, has_request, chosen] = [open, request, choice].map(|var| Expr::Reg(var, Width::BOOL));
        ops.push(Op::Set { var: open, value: ready });
        ops.push(Op::Set { var: request, value: and(requested, asynchronous) });
        ops.push(Op::Guard(or(is_open.clone(), has_request.clone())));
        ops.push(Op::Havoc { var: choice });
        let value = and(has_request, or(chosen, is_open.negated()));
        ops.push(Op::Set { var: acts, value });
        ops.push(Op::Set { var: choice, value: no });
        Expr::Reg(acts, Width::BOOL)
    }

    /// The tag of an operation that a request may prevent: none.
    pub(super) fn unless_asynchronous(&self, sync: Option<Sync>) -> Option<Sync> {
        sync.filter(|_| self.ctx.cancellation.is_none_or(|c| c.asynchronous.is_none()))
    }

    /// Ends the thread if `requested`.
    pub(super) fn act_on(&mut self, requested: Expr) {
        let Some(cancellation) = self.ctx.cancellation.filter(|_| requested.as_const() != Some(0)) else {
            return;
        };
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
            let (acts, now) = (self.temporary(Width::BOOL), self.temporary(Width::BOOL));
            let value = and(requested, Expr::Reg(acts, Width::BOOL));
            ops.push(Op::Havoc { var: acts });
            ops.push(Op::Set { var: now, value });
            ops.push(Op::Set { var: acts, value: Expr::constant(0, Width::BOOL) });
            requested = Expr::Reg(now, Width::BOOL);
        }
        self.transact(ops, None);
        self.act_on(requested);
    }

    /// A thread whose type is asynchronous can be cancelled anywhere.
    pub(super) fn offer_cancel(&mut self) {
        let Some(asynchronous) = self.is_asynchronous() else { return };
        let Some((note, requested)) = self.note_request() else { return };
        let (acts, now) = (self.interrupt_choice(), self.temporary(Width::BOOL));
        let value = and(and(requested, Expr::Reg(acts, Width::BOOL)), asynchronous);
        let done = Op::Set { var: acts, value: Expr::constant(0, Width::BOOL) };
        let ops = vec![Op::Havoc { var: acts }, note, Op::Set { var: now, value }, done];
        self.step(|next| Action::Ops { ops, sync: None, next });
        self.act_on(Expr::Reg(now, Width::BOOL));
    }

    /// Waits until a join would not block, or this thread is cancelled.
    pub(super) fn await_end(&mut self, handle: &Expr) {
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

    /// The word that this thread waits on instead of a condition variable, if threads can be cancelled.
    pub(super) fn own_condition(&self) -> Option<Expr> {
        let cancellation = self.ctx.cancellation?;
        let word = self.ctx.model.pointer();
        let shift = Expr::constant(u128::from(word.bytes().trailing_zeros()), word);
        let own = Expr::binary(BinOp::And, Expr::SelfHandle(word), self.word(N_THREADS - 1));
        let offset = Expr::binary(BinOp::Shl, own, shift);
        Some(Expr::binary(BinOp::Add, Expr::ObjectAddr(cancellation.waits_on, word), offset))
    }

    /// Says on which condition variable this thread waits.
    pub(super) fn say_where_it_waits(&self, cond: Expr) -> Vec<Op> {
        let (Some(cancellation), Some(addr)) = (self.ctx.cancellation, self.own_condition()) else {
            return Vec::new();
        };
        let self_handle = Expr::SelfHandle(self.ctx.model.pointer());
        let enabled = self.is_enabled(&cancellation);
        vec![
            Op::Store { addr, value: cond, order: Order::SeqCst },
            self.add_to(cancellation.waiting, self_handle.clone()),
            self.changed(cancellation.wakeable, self_handle, enabled, true),
        ]
    }

    /// What ends a wait that a request can end: it is no longer waiting. The result says whether it acts on a request, and whether a signal woke it, too:
    /// that signal has to be passed on to another waiting thread.
    pub(super) fn stop_waiting(&mut self, ops: &mut Vec<Op>) -> Option<(Expr, Expr)> {
        let (cancellation, addr) = (self.ctx.cancellation?, self.own_condition()?);
        let requested = self.is_requested()?;
        let word = self.ctx.model.pointer();
        let [signalled, choice, acts] = [(); 3].map(|()| self.temporary(Width::BOOL));
        let [was_signalled, chosen, will_act] =
            [signalled, choice, acts].map(|var| Expr::Reg(var, Width::BOOL));
        let waits_on = Expr::Load { addr: Box::new(addr.clone()), width: word, order: Order::SeqCst };
        ops.push(Op::Set { var: signalled, value: Expr::binary(BinOp::Eq, waits_on, self.word(0)) });
        ops.push(Op::Havoc { var: choice });
        let value = and(requested, or(was_signalled.clone().negated(), chosen));
        ops.push(Op::Set { var: acts, value });
        ops.push(Op::Set { var: choice, value: Expr::constant(0, Width::BOOL) });
        ops.push(Op::Store { addr, value: self.word(0), order: Order::SeqCst });
        let yes = Expr::constant(1, Width::BOOL);
        for set in [cancellation.waiting, cancellation.wakeable] {
            ops.push(self.remove_if(set, Expr::SelfHandle(word), yes.clone()));
        }
        Some((will_act, was_signalled))
    }

    /// Wakes those who wait on a condition variable, if threads can be cancelled. Returns false if they cannot.
    pub(super) fn wake(&mut self, cond: Expr, all: bool) -> bool {
        let Some(cancellation) = self.ctx.cancellation.filter(|_| !self.declared.library) else {
            return false;
        };
        self.call_direct(cancellation.wake, vec![cond, self.int(all.into())], None);
        true
    }

    /// Acts on a request that ended a wait.
    pub(super) fn act_after_wait(&mut self, cond: Expr, (acts, signalled): (Expr, Expr)) {
        let (forward, go_on) = (self.new_location(), self.new_location());
        self.branch(and(acts.clone(), signalled), forward, go_on);
        self.open(forward);
        self.wake(cond, false);
        self.goto(go_on);
        self.open(go_on);
        self.act_on(acts);
    }

    /// What models say about cancellation.
    pub(super) fn cancel_model_call(&mut self, name: &str) -> Option<Expr> {
        match name {
            "__threadproof_test_cancel" => {
                self.test_cancel(false);
                Some(self.int(0))
            }
            "__threadproof_cancel_requested" => {
                let requested = self.is_requested().unwrap_or(Expr::constant(0, Width::BOOL));
                Some(scalar::resize(requested, false, Width::INT))
            }
            "__threadproof_wake_signal_waiters" => {
                if let Some(arrival) = self.ctx.model_object("__threadproof_arrival") {
                    let cond = Expr::ObjectAddr(arrival, self.ctx.model.pointer());
                    self.transact(vec![Op::Signal { cond, all: true }], None);
                }
                Some(self.int(0))
            }
            _ => None,
        }
    }
}
