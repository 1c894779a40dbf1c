//! Signals: where handlers can interrupt a thread.
//!
//! Who handles which signal, who blocks it, and what is pending are objects of the models (`models/signal.c`). Before every visible
//! action of a function of the program, and before `main` returns, the thread may choose to be interrupted: it calls the model's
//! `__threadproof_deliver`, which runs a handler on top of the thread's stack, and comes back to the same choice. What only the
//! thread itself can see needs no such choice: no handler can tell when exactly it ran.
//!
//! Nothing of this is there in a program that installs no handler. Library functions are not interrupted half-way; those
//! that wait say for themselves how a signal ends the wait. Atomic sections are not interrupted as far as that can be
//! told by looking at the way from their begin; where it cannot, they may be.
//!
//! Models say what waits with three more operations: a *step* (`__threadproof_step_begin` … `_end`) is one transaction, a
//! *guard* in it blocks, and `__threadproof_wait_begin` and `_end` are the two halves of a wait on a condition variable.

use super::Lowering;
use super::function::Builder;
use super::scalar;
use super::sync::and;
use crate::hir::{self, FunctionId};
use crate::types::{Ty, Type};
use base::Span;
use program::{Action, BinOp, Expr, FuncId, ObjectId, Op, Order, UnOp, Width};
use std::collections::{BTreeMap, BTreeSet};

/// What delivering signals needs.
#[derive(Clone, Copy)]
pub(super) struct Signals {
    installed: ObjectId,
    blocked: ObjectId,
    pending: ObjectId,
    pending_anywhere: ObjectId,
    /// How many signals will still come from outside, if that is finite.
    left: Option<ObjectId>,
    deliver: FuncId,
}

/// How many threads the models' tables have room for.
const N_THREADS: u64 = 64;

/// The error number of an interrupted call.
const EINTR: u128 = 4;

/// Functions by which a program sends signals.
const SENDERS: &[&str] =
    &["raise", "kill", "killpg", "pthread_kill", "pthread_sigqueue", "sigqueue", "alarm", "setitimer"];

/// Functions by which a program looks at the state of a stream.
const STREAM_STATE: &[&str] =
    &["clearerr", "clearerr_unlocked", "feof", "feof_unlocked", "ferror", "ferror_unlocked", "ungetc"];

/// Functions that write to streams.
const STREAM_OUTPUT: &[&str] = &[
    "fflush", "fprintf", "fputc", "fputs", "fwrite", "printf", "putc", "putchar", "puts", "vfprintf",
    "vprintf",
];

/// Functions by which processes come to share memory.
const SHARED_MEMORY: &[&str] = &[
    "mmap",
    "mmap64",
    "pthread_barrierattr_setpshared",
    "pthread_condattr_setpshared",
    "pthread_mutexattr_setpshared",
    "pthread_rwlockattr_setpshared",
    "sem_open",
    "shmat",
];

impl Signals {
    /// What delivering signals needs, if the program installs a handler.
    pub(super) fn find(lowering: &Lowering<'_>) -> Option<Self> {
        Some(Self {
            deliver: lowering.model_function("__threadproof_deliver")?,
            installed: lowering.model_object("__threadproof_installed")?,
            blocked: lowering.model_object("__threadproof_blocked")?,
            pending: lowering.model_object("__threadproof_pending")?,
            pending_anywhere: lowering.model_object("__threadproof_pending_anywhere")?,
            left: lowering.model_object("__threadproof_signals_left").filter(|_| lowering.checks.termination),
        })
    }
}

/// Direct calls and address-taken functions, as they were lowered.
#[derive(Default)]
pub(super) struct Calls {
    pub(super) address_taken: BTreeSet<FunctionId>,
    callees: BTreeMap<FunctionId, BTreeMap<FunctionId, Span>>,
}

impl Calls {
    pub(super) fn note(&mut self, caller: FunctionId, callee: FunctionId, span: Span) {
        self.callees.entry(caller).or_default().entry(callee).or_insert(span);
    }
}

impl Lowering<'_> {
    /// A handler that calls what is not async-signal-safe is undefined where it interrupts something else that is not: that it does
    /// not is an assumption. (Taking a lock that the thread holds already is followed like anything else.)
    pub(super) fn warn_of_unsafe_handlers(&mut self) {
        if self.signals.is_none() {
            return;
        }
        let taken = self.calls.address_taken.iter().copied();
        let handlers: Vec<FunctionId> = taken.filter(|id| self.can_handle(*id)).collect();
        for handler in handlers {
            let mut seen = BTreeSet::from([handler]);
            let mut todo = vec![handler];
            while let Some(caller) = todo.pop() {
                let callees = self.calls.callees.get(&caller).cloned().unwrap_or_default();
                for (callee, span) in callees {
                    let function = &self.module.functions[callee];
                    if !function.library && function.body.is_some() {
                        todo.extend(seen.insert(callee).then_some(callee));
                    } else if !is_async_signal_safe(&function.name) {
                        let (who, what) = (&self.module.functions[handler].name, &function.name);
                        self.assume(span, format!("the handler `{who}` calls `{what}`, which is not async-signal-safe: it interrupts no such function"));
                    }
                }
            }
        }
    }

    /// Returns true if a function of the program has the type of a handler.
    fn can_handle(&self, id: FunctionId) -> bool {
        let function = &self.module.functions[id];
        let types = &self.module.types;
        match types.get(function.ty) {
            Type::Function { ret, params, .. } if !function.library && function.body.is_some() => {
                let word = |ty: &Ty| matches!(types.get(*ty), Type::Pointer(_));
                matches!(types.get(*ret), Type::Void)
                    && match &params[..] {
                        [number] => self.width(*number) == Some(Width::INT),
                        [_, info, context] => word(info) && word(context),
                        _ => false,
                    }
            }
            _ => false,
        }
    }
}

/// POSIX.1-2017, 2.4.3; and what is no function of the library at all.
fn is_async_signal_safe(name: &str) -> bool {
    const PREFIXES: &[&str] =
        &["__atomic_", "__c11_atomic_", "__sync_", "__builtin_", "__VERIFIER_", "atomic_"];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix)) || ASYNC_SIGNAL_SAFE.binary_search(&name).is_ok()
}

impl<'m> Builder<'_, 'm> {
    /// Offers to be interrupted here, by a handler or by asynchronous cancellation.
    pub(super) fn offer_interrupt(&mut self) {
        let atomic = self.in_atomic || self.declared.name.starts_with("__VERIFIER_atomic_");
        if self.declared.library || atomic {
            return;
        }
        self.offer_cancel();
        let Some(signals) = self.ctx.signals else { return };
        let word = self.ctx.model.pointer();
        let self_handle = Expr::SelfHandle(word);
        let all = [
            self.outside_signals(&signals),
            self.signal_set(self.entry_of(signals.pending, self_handle.clone())),
            self.signal_set(Expr::ObjectAddr(signals.pending_anywhere, word)),
        ];
        let some = all.into_iter().reduce(|l, r| Expr::binary(BinOp::Or, l, r));
        let blocked = self.signal_set(self.entry_of(signals.blocked, self_handle));
        let unblocked = Expr::unary(UnOp::Not, blocked);
        let ready = Expr::binary(BinOp::And, some.expect("there should be three sets"), unblocked);
        let ready = Expr::binary(BinOp::Ne, ready, Expr::constant(0, Width(64)));
        let (chosen, interrupted) = (self.interrupt_choice(), self.temporary(Width::BOOL));
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

    /// The signals that can come from outside now.
    fn outside_signals(&self, signals: &Signals) -> Expr {
        let word = self.ctx.model.pointer();
        let installed = self.signal_set(Expr::ObjectAddr(signals.installed, word));
        let Some(left) = signals.left else { return installed };
        let addr = Box::new(Expr::ObjectAddr(left, word));
        let left = Expr::Load { addr, width: Width::INT, order: Order::SeqCst };
        let none = Expr::binary(BinOp::Eq, left, self.int(0));
        Expr::ite(none, Expr::constant(0, Width(64)), installed)
    }

    /// A call that sleeps may end early because a handler ran.
    pub(super) fn sleeping_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        let slept = |builder: &Self, code: u128| (builder.int(code), builder.int(0));
        if !matches!(name, "sleep" | "usleep" | "nanosleep" | "clock_nanosleep" | "thrd_sleep") {
            return None;
        }
        let interrupted = self.ctx.model_function("__threadproof_interrupted")?;
        let values: Vec<Expr> = args.iter().map(|arg| self.word_argument(arg)).collect();
        let early = self.temporary(Width::INT);
        self.call_direct(interrupted, Vec::new(), Some(early));
        let (early_result, full) = match name {
            // All of the time is left: that some of it is makes no difference to a test of the result.
            "sleep" => (scalar::resize(values.first()?.clone(), false, Width::INT), self.int(0)),
            "clock_nanosleep" => slept(self, EINTR),
            _ => slept(self, u128::MAX),
        };
        let early = Expr::binary(BinOp::Ne, Expr::Reg(early, Width::INT), self.int(0));
        Some(Expr::ite(early, early_result, full))
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

    /// The condition that something in the program refers to one of some functions: a constant of the models.
    pub(super) fn refers_to(&self, names: &[&str]) -> Expr {
        let refers = self.ctx.module.functions.iter().any(|f| names.contains(&f.name.as_str()));
        self.int(refers.into())
    }

    /// Returns true if the program may notice how far a stream was read.
    pub(super) fn looks_at_streams(&self) -> bool {
        self.refers_to(STREAM_STATE).as_const() != Some(0)
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
                self.transact(vec![Op::WaitEnd { timed, woken: None }], None);
            }
            "__threadproof_has_robust_mutexes" => return Some(self.int(self.ctx.robust.is_some().into())),
            "__threadproof_checks_misuse" => return Some(self.int(self.ctx.checks.undefined.into())),
            "__threadproof_is_static" => return Some(self.is_static(args.first()?)),
            "__threadproof_checks_waiting" => return Some(self.int(self.ctx.checks.waiting.into())),
            "__threadproof_sends_signals" => {
                let sends = self.refers_to(SENDERS);
                if self.ctx.checks.waiting && sends.as_const() == Some(0) {
                    // SOUNDNESS: A31
                    let text = "signals that the program waits for and does not send come from outside";
                    self.ctx.assume(self.span, text.to_owned());
                }
                return Some(sends);
            }
            "__threadproof_looks_at_streams" => return Some(self.int(self.looks_at_streams().into())),
            "__threadproof_writes_to_streams" => return Some(self.refers_to(STREAM_OUTPUT)),
            "__threadproof_signals_are_finite" => {
                if self.ctx.checks.termination {
                    // SOUNDNESS: A31
                    self.ctx.assume(self.span, "signals come from outside finitely often".to_owned());
                }
                return Some(self.int(self.ctx.checks.termination.into()));
            }
            "__threadproof_looks_at_errno" => return Some(self.int(self.ctx.checks.errno.into())),
            "__threadproof_reads_clocks" => return Some(self.refers_to(super::deadline::CLOCKS)),
            "__threadproof_seeds" => return Some(self.int(self.repeats_seeds().into())),
            "__threadproof_shares_memory" => return Some(self.refers_to(SHARED_MEMORY)),
            _ => return self.cancel_model_call(name),
        }
        Some(self.int(0))
    }
}

/// In alphabetical order.
const ASYNC_SIGNAL_SAFE: &[&str] = &[
    "_Exit",
    "__VERIFIER_error",
    "__assert_fail",
    "__errno_location",
    "_exit",
    "abort",
    "accept",
    "access",
    "aio_error",
    "aio_return",
    "aio_suspend",
    "alarm",
    "bind",
    "cfgetispeed",
    "cfgetospeed",
    "cfsetispeed",
    "cfsetospeed",
    "chdir",
    "chmod",
    "chown",
    "clock_gettime",
    "close",
    "connect",
    "creat",
    "dup",
    "dup2",
    "execl",
    "execle",
    "execv",
    "execve",
    "faccessat",
    "fchdir",
    "fchmod",
    "fchmodat",
    "fchown",
    "fchownat",
    "fcntl",
    "fdatasync",
    "fexecve",
    "ffs",
    "fork",
    "fstat",
    "fstatat",
    "fsync",
    "ftruncate",
    "futimens",
    "getegid",
    "geteuid",
    "getgid",
    "getgroups",
    "getpeername",
    "getpgrp",
    "getpid",
    "getppid",
    "getsockname",
    "getsockopt",
    "getuid",
    "htonl",
    "htons",
    "kill",
    "link",
    "linkat",
    "listen",
    "longjmp",
    "lseek",
    "lstat",
    "memccpy",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "mkdir",
    "mkdirat",
    "mkfifo",
    "mkfifoat",
    "mknod",
    "mknodat",
    "ntohl",
    "ntohs",
    "open",
    "openat",
    "pause",
    "pipe",
    "poll",
    "posix_trace_event",
    "pselect",
    "pthread_kill",
    "pthread_self",
    "pthread_sigmask",
    "quick_exit",
    "raise",
    "reach_error",
    "read",
    "readlink",
    "readlinkat",
    "recv",
    "recvfrom",
    "recvmsg",
    "rename",
    "renameat",
    "rmdir",
    "select",
    "sem_post",
    "send",
    "sendmsg",
    "sendto",
    "setgid",
    "setpgid",
    "setsid",
    "setsockopt",
    "setuid",
    "shutdown",
    "sigaction",
    "sigaddset",
    "sigdelset",
    "sigemptyset",
    "sigfillset",
    "sigismember",
    "siglongjmp",
    "signal",
    "sigpause",
    "sigpending",
    "sigprocmask",
    "sigqueue",
    "sigset",
    "sigsuspend",
    "sleep",
    "sockatmark",
    "socket",
    "socketpair",
    "stat",
    "stpcpy",
    "stpncpy",
    "strcat",
    "strchr",
    "strcmp",
    "strcpy",
    "strcspn",
    "strlen",
    "strncat",
    "strncmp",
    "strncpy",
    "strnlen",
    "strpbrk",
    "strrchr",
    "strspn",
    "strstr",
    "strtok_r",
    "symlink",
    "symlinkat",
    "tcdrain",
    "tcflow",
    "tcflush",
    "tcgetattr",
    "tcgetpgrp",
    "tcsendbreak",
    "tcsetattr",
    "tcsetpgrp",
    "time",
    "timer_getoverrun",
    "timer_gettime",
    "timer_settime",
    "times",
    "umask",
    "uname",
    "unlink",
    "unlinkat",
    "utime",
    "utimensat",
    "utimes",
    "wait",
    "waitpid",
    "wcpcpy",
    "wcpncpy",
    "wcscat",
    "wcschr",
    "wcscmp",
    "wcscpy",
    "wcscspn",
    "wcslen",
    "wcsncat",
    "wcsncmp",
    "wcsncpy",
    "wcsnlen",
    "wcspbrk",
    "wcsrchr",
    "wcsspn",
    "wcsstr",
    "wcstok",
    "wmemchr",
    "wmemcmp",
    "wmemcpy",
    "wmemmove",
    "wmemset",
    "write",
];
