//! Cancellation and cleanup handlers.
//!
//! Requests are a set of threads, one bit for each handle ([`Cancellation`]). At a cancellation point a thread that has a request,
//! and has not disabled cancellation, calls the model's `__threadproof_cancelled`. A point that may block does so in one
//! transaction with the test, so that a request ends the wait. POSIX also lists functions that *may* be cancellation points:
//! there it is an arbitrary choice. Cancellation of the asynchronous type is offered where signals are
//! ([`signals`](super::signals)); a thread that is blocked in a call that is no cancellation point is not cancelled there, though.

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
        let Some(asynchronous) = self.ctx.cancellation.and_then(|c| c.asynchronous) else { return };
        let Some((note, requested)) = self.note_request() else { return };
        let (acts, now) = (self.interrupt_choice(), self.temporary(Width::BOOL));
        let addr = Box::new(Expr::ObjectAddr(asynchronous, self.ctx.model.pointer()));
        let set = Expr::Load { addr, width: Width::INT, order: Order::Plain };
        let set = Expr::binary(BinOp::Ne, set, self.int(0));
        let value = and(and(requested, Expr::Reg(acts, Width::BOOL)), set);
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
