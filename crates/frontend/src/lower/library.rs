//! Functions that C, POSIX and SV-COMP define, as operations of the program.
//!
//! Synchronisation objects live in the words of memory that the user's object occupies, so that a zero-initialised
//! object is a valid one, as it is in glibc:
//!
//! | object | word at 0 | at 4 | at 8 | further |
//! |---|---|---|---|---|
//! | mutex, spinlock | owner's handle, or 0 | count | | kind, where glibc has it (12 or 16) |
//! | readers–writer lock | writer's handle, or 0 | readers | | |
//! | semaphore | value | | | |
//! | barrier | count to reach | arrived | generation | |
//! | once | 0 new, 1 running, 2 done | | | |
//!
//! Condition variables have no state of their own: who waits is state of the waiting thread. What misuse means is in
//! docs/SOUNDNESS.md (A7–A11). A timed wait can time out whenever it would block. Everything that can be said in
//! C instead is in `models/library.c`.

use super::function::Builder;
use super::scalar::{self, Class};
use crate::hir::{self, ExprKind};
use crate::types::{RecordId, Ty, Type, TypeTable};
use base::IdxVec;
use program::{
    Action, BinOp, Callee, Expr, FuncId, LocId, Location, Op, Order, Property, Storage, Sync, SyncKind, Var,
    VarKind, Width,
};

/// Error numbers of Linux.
pub(super) mod errno {
    pub(in crate::lower) const EPERM: u128 = 1;
    pub(in crate::lower) const EBUSY: u128 = 16;
    pub(in crate::lower) const EDEADLK: u128 = 35;
    pub(in crate::lower) const ETIMEDOUT: u128 = 110;
}

/// Kinds of mutexes, as glibc numbers them; all others behave like a normal one.
const RECURSIVE: u128 = 1;
const ERROR_CHECKING: u128 = 2;

/// Calls without any effect on what is verified. Those marked `true` return 0, the others any value.
const NO_EFFECT: &[(&str, bool)] = &[
    ("printf", false),
    ("fprintf", false),
    ("vprintf", false),
    ("vfprintf", false),
    ("puts", false),
    ("putchar", false),
    ("fputs", false),
    ("fputc", false),
    ("putc", false),
    ("perror", true),
    ("fflush", true),
    ("fclose", true),
    ("setvbuf", true),
    ("setbuf", true),
    ("sleep", true),
    ("usleep", true),
    ("nanosleep", true),
    ("sched_yield", true),
    ("pthread_yield", true),
    ("thrd_yield", true),
    ("thrd_sleep", true),
    ("srand", true),
    ("srandom", true),
    ("alarm", true),
    ("__builtin_prefetch", true),
    ("__builtin_va_end", true),
    ("__builtin___clear_cache", true),
    ("pthread_testcancel", true),
    ("pthread_setcancelstate", true),
    ("pthread_setcanceltype", true),
];

/// Functions that write through their arguments or change control in ways that have no model.
const UNSUPPORTED: &[&str] = &[
    "vscanf",
    "gets",
    "fgets",
    "fread",
    "read",
    "recv",
    "recvfrom",
    "getline",
    "sprintf",
    "snprintf",
    "vsprintf",
    "vsnprintf",
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "longjmp",
    "siglongjmp",
    "fork",
    "vfork",
    "clone",
    "execl",
    "execv",
    "execve",
    "execvp",
    "pthread_cancel",
    "pthread_kill",
    "raise",
    "kill",
    "signal",
    "sigaction",
    "pthread_atfork",
    "__pthread_register_cancel",
    "__pthread_unregister_cancel",
    "__pthread_unwind_next",
    "qsort",
    "bsearch",
    "mmap",
    "munmap",
    "strtok",
    "strtol",
    "strtoul",
    "qsort_r",
    "sigwait",
    "select",
    "poll",
    "pipe",
];

/// Functions that read input into what their surplus arguments point to, with the number of the others.
const SCANNING: &[(&str, usize)] = &[
    ("scanf", 1),
    ("fscanf", 2),
    ("sscanf", 2),
    ("__isoc99_scanf", 1),
    ("__isoc99_fscanf", 2),
    ("__isoc99_sscanf", 2),
];

impl<'m> Builder<'_, 'm> {
    /// Lowers a call if its function is one of ours. A user's own definition wins, except where SV-COMP gives the
    /// name a meaning.
    pub(super) fn library_call(
        &mut self,
        function: &'m hir::Function,
        expr: &'m hir::Expr,
        args: &'m [hir::Expr],
        wanted: bool,
    ) -> Option<Expr> {
        let name = function.name.as_str();
        if let Some(value) = self.verifier_call(name, args) {
            return Some(value);
        }
        if function.body.is_some() {
            return None;
        }
        if let Some((_, zero)) = NO_EFFECT.iter().find(|(n, _)| *n == name) {
            args.iter().for_each(|arg| self.effects(arg));
            self.span = expr.span;
            return Some(if *zero { self.int(0) } else { self.arbitrary(expr.ty, wanted) });
        }
        if UNSUPPORTED.contains(&name) {
            return Some(self.no_value(&format!("call of `{name}`")));
        }
        if name.starts_with("__VERIFIER_nondet_") {
            return Some(self.arbitrary(expr.ty, wanted));
        }
        if let Some((_, n_fixed)) = SCANNING.iter().find(|(n, _)| *n == name) {
            return Some(self.scan(args.get(*n_fixed..).unwrap_or_default(), expr, wanted));
        }
        self.span = expr.span;
        self.ending_call(name, args)
            .or_else(|| self.thread_call(name, args))
            .or_else(|| self.mutex_call(name, args))
            .or_else(|| self.sync_call(name, args))
            .or_else(|| self.memory_call(name, args))
            .or_else(|| self.atomic_call(name, expr, args))
            .or_else(|| self.builtin_call(name, expr, args))
    }

    /// An argument that should be a pointer, a handle or a size, whatever the caller's declaration made of it; cheap to
    /// repeat.
    pub(super) fn word_argument(&mut self, arg: &'m hir::Expr) -> Expr {
        if self.ctx.is_record(arg.ty) {
            self.unsupported("a record passed where a library function takes a scalar");
            return self.word(0);
        }
        let signed = self.class(arg.ty) == Class::Signed;
        let value = self.rvalue(arg);
        let value = scalar::resize(value, signed, self.ctx.model.pointer());
        self.repeatable(value)
    }

    /// A C `int`.
    pub(super) fn int(&self, value: u128) -> Expr {
        Expr::constant(value, Width::INT)
    }

    /// Each scalar pointed to gets any value; strings, whose length only the format tells, have no model.
    fn scan(&mut self, targets: &'m [hir::Expr], expr: &'m hir::Expr, wanted: bool) -> Expr {
        for target in targets {
            let pointee = match self.ctx.module.types.unatomic(target.ty) {
                Type::Pointer(pointee) => *pointee,
                _ => return self.no_value("input into something that is no pointer"),
            };
            match self.ctx.width(pointee) {
                Some(width) if width > Width::BYTE => {
                    let addr = self.word_argument(target);
                    let value = self.arbitrary(pointee, true);
                    self.push(Op::Store { addr, value, order: Order::Plain });
                }
                _ => return self.no_value("input of a string"),
            }
        }
        self.span = expr.span;
        self.arbitrary(expr.ty, wanted)
    }

    // ---- SV-COMP --------------------------------------------------------------------------------------------

    fn verifier_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        match name {
            "reach_error" | "__VERIFIER_error" => {
                self.violation(format!("`{name}` is called"));
            }
            "__VERIFIER_atomic_begin" => self.transact(vec![Op::AtomicBegin], None),
            "__VERIFIER_atomic_end" => self.transact(vec![Op::AtomicEnd], None),
            "__VERIFIER_assume" => {
                let cond = self.cond(args.first()?);
                self.push(Op::Assume(cond));
            }
            _ => return None,
        }
        Some(self.int(0))
    }

    fn violation(&mut self, message: String) {
        self.end(Action::Error { property: Property::UnreachCall, message });
    }

    // ---- ends -----------------------------------------------------------------------------------------------

    fn ending_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        match name {
            "__assert_fail" | "__assert" | "__assert_rtn" | "__assert_func" | "__assert_perror_fail" => {
                let text = args.first().and_then(|a| self.literal_text(a));
                self.violation(
                    text.map_or("assertion fails".to_owned(), |t| format!("assertion `{t}` fails")),
                );
            }
            "__VERIFIER_assert" => {
                let (fine, bad) = (self.new_location(), self.new_location());
                self.branch_on(args.first()?, fine, bad);
                self.open(bad);
                self.violation("assertion fails".to_owned());
                self.open(fine);
            }
            "exit" => {
                args.iter().for_each(|arg| self.effects(arg));
                if let Some(at_exit) = self.ctx.epilogues.at_exit {
                    self.call_direct(at_exit, Vec::new(), None);
                }
                self.end(Action::Exit);
            }
            "abort" | "_exit" | "_Exit" | "quick_exit" | "__builtin_abort" | "__builtin_trap" => {
                args.iter().for_each(|arg| self.effects(arg));
                self.end(Action::Exit);
            }
            "__builtin_unreachable" => {
                self.end(Action::Undefined("`__builtin_unreachable` is reached".to_owned()));
            }
            "__threadproof_unsupported" => {
                let text = args.first().and_then(|a| self.literal_text(a));
                self.unsupported(text.unwrap_or_default());
            }
            "pthread_exit" | "thrd_exit" => {
                let value = self.word_argument(args.first()?);
                if let Some(destructors) = self.ctx.epilogues.destructors {
                    self.call_direct(destructors, Vec::new(), None);
                }
                self.end(Action::ThreadExit(value));
            }
            _ => return None,
        }
        Some(self.int(0))
    }

    /// The text of a string literal argument.
    fn literal_text(&self, arg: &hir::Expr) -> Option<String> {
        match &arg.kind {
            ExprKind::Convert(inner) | ExprKind::AddrOf(inner) | ExprKind::Load(inner) => {
                self.literal_text(inner)
            }
            ExprKind::Str(id) => {
                let bytes = &self.ctx.module.strings[*id];
                let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
                Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
            }
            _ => None,
        }
    }

    // ---- threads --------------------------------------------------------------------------------------------

    fn thread_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        let word = self.ctx.model.pointer();
        Some(match (name, args.len()) {
            ("pthread_create", 4) => {
                let attributes = self.word_argument(&args[1]);
                self.create(&args[0], &args[2], &args[3], attributes)
            }
            ("thrd_create", 3) => {
                let none = self.word(0);
                self.create(&args[0], &args[1], &args[2], none)
            }
            ("pthread_join", 2) => {
                let handle = self.word_argument(&args[0]);
                let target = self.word_argument(&args[1]);
                self.join_thread(handle, target, word)
            }
            ("thrd_join", 2) => {
                let handle = self.word_argument(&args[0]);
                let target = self.word_argument(&args[1]);
                self.join_thread(handle, target, Width::INT)
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
        })
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
        let func = self.with_destructors(func);
        let arg = self.word_argument(arg);
        let handle = self.temporary(word);
        let value = Expr::Reg(handle, word);
        let ops = vec![
            Op::Create { handle, func, arg },
            Op::Store { addr: handle_at.clone(), value: value.clone(), order: Order::Plain },
        ];
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

    /// The start routine, wrapped so that destructors of thread-specific data run when it returns.
    fn with_destructors(&mut self, func: Expr) -> Expr {
        if self.ctx.epilogues.destructors.is_none() {
            return func;
        }
        match func {
            Expr::FuncAddr(start, width) => Expr::FuncAddr(self.ctx.thread_start(start), width),
            _ => {
                self.unsupported("thread-specific data with a start routine that is not known");
                func
            }
        }
    }

    fn join_thread(&mut self, handle: Expr, target: Expr, result_width: Width) -> Expr {
        let word = self.ctx.model.pointer();
        let (result, error) = (self.temporary(word), self.temporary(Width::INT));
        let sync = Sync { kind: SyncKind::Join, object: handle.clone() };
        self.transact(vec![Op::Join { handle, result, error }], Some(sync));
        let error = Expr::Reg(error, Width::INT);
        if target.as_const() != Some(0) {
            let wanted = Expr::binary(
                BinOp::And,
                scalar::truth(target.clone(), Class::Unsigned),
                Expr::binary(BinOp::Eq, error.clone(), self.int(0)),
            );
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
        self.transact(vec![Op::Detach { handle, error }], None);
        Expr::Reg(error, Width::INT)
    }

    // ---- mutexes --------------------------------------------------------------------------------------------

    fn mutex_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        let busy = match name {
            "pthread_mutex_trylock" | "pthread_spin_trylock" => Some(errno::EBUSY),
            "pthread_mutex_timedlock" | "pthread_mutex_clocklock" => Some(errno::ETIMEDOUT),
            "mtx_trylock" => Some(1),   // thrd_busy
            "mtx_timedlock" => Some(4), // thrd_timedout
            _ => None,
        };
        let lock = matches!(name, "pthread_mutex_lock" | "mtx_lock" | "pthread_spin_lock");
        let unlock = matches!(name, "pthread_mutex_unlock" | "mtx_unlock" | "pthread_spin_unlock");
        if busy.is_none() && !lock && !unlock {
            return None;
        }
        let mutex = self.word_argument(args.first()?);
        let kinds = self.ctx.mutex_kinds && !name.starts_with("pthread_spin");
        Some(match busy {
            Some(busy) => self.try_lock(mutex, kinds, busy),
            None if lock => self.lock(mutex, kinds),
            None => {
                let (ops, result) = self.unlock_ops(&mutex, kinds);
                self.transact(ops, Some(Sync { kind: SyncKind::Unlock, object: mutex }));
                result
            }
        })
    }

    /// A word of a synchronisation object, read as part of a transaction.
    fn word_at(&self, object: &Expr, offset: u64) -> Expr {
        let addr = Box::new(self.offset(object.clone(), offset));
        Expr::Load { addr, width: Width::INT, order: Order::SeqCst }
    }

    /// Writes a word of a synchronisation object.
    fn set_word(&self, object: &Expr, offset: u64, value: Expr) -> Op {
        Op::Store { addr: self.offset(object.clone(), offset), value, order: Order::SeqCst }
    }

    /// This thread's handle as it is stored in locks.
    fn owner(&self) -> Expr {
        scalar::resize(Expr::SelfHandle(self.ctx.model.pointer()), false, Width::INT)
    }

    fn equals(&self, value: Expr, constant: u128) -> Expr {
        let width = value.width();
        Expr::binary(BinOp::Eq, value, Expr::constant(constant, width))
    }

    fn lock(&mut self, mutex: Expr, kinds: bool) -> Expr {
        let sync = Some(Sync { kind: SyncKind::Lock, object: mutex.clone() });
        if !kinds {
            let free = self.equals(self.word_at(&mutex, 0), 0);
            let ops = vec![Op::Guard(free), self.set_word(&mutex, 0, self.owner())];
            self.transact(ops, sync);
            return self.int(0);
        }
        let mut held = self.held_mutex(&mutex);
        let mine_again = Expr::binary(BinOp::And, held.mine.clone(), held.knows_owner());
        held.ops.push(Op::Guard(Expr::binary(BinOp::Or, held.free(), mine_again)));
        let one = self.int(1);
        let more = Expr::binary(BinOp::Add, held.count.clone(), one.clone());
        let again = Expr::ite(held.is(RECURSIVE), more, held.count.clone());
        held.ops.push(self.set_word(&mutex, 0, self.owner()));
        held.ops.push(self.set_word(&mutex, 4, Expr::ite(held.mine.clone(), again, one)));
        let deadlock = Expr::binary(BinOp::And, held.mine.clone(), held.is(ERROR_CHECKING));
        let error = self.temporary(Width::INT);
        let value = Expr::ite(deadlock, self.int(errno::EDEADLK), self.int(0));
        held.ops.push(Op::Set { var: error, value });
        self.transact(held.ops, sync);
        Expr::Reg(error, Width::INT)
    }

    fn try_lock(&mut self, mutex: Expr, kinds: bool, busy: u128) -> Expr {
        let sync = Some(Sync { kind: SyncKind::TryLock, object: mutex.clone() });
        let mut held = self.held_mutex(&mutex);
        let mut gets_it = held.free();
        let one = self.int(1);
        if kinds {
            let again = Expr::binary(BinOp::And, held.mine.clone(), held.is(RECURSIVE));
            let more = Expr::binary(BinOp::Add, held.count.clone(), one.clone());
            let count = Expr::ite(again.clone(), more, Expr::ite(held.free(), one, held.count.clone()));
            held.ops.push(self.set_word(&mutex, 4, count));
            gets_it = Expr::binary(BinOp::Or, gets_it, again);
        }
        let owner = Expr::ite(gets_it.clone(), self.owner(), held.owner.clone());
        held.ops.push(self.set_word(&mutex, 0, owner));
        let error = self.temporary(Width::INT);
        let value = Expr::ite(gets_it, self.int(0), self.int(busy));
        held.ops.push(Op::Set { var: error, value });
        if !kinds {
            held.ops.retain(|op| !matches!(op, Op::Set { var, .. } if held.unneeded.contains(var)));
        }
        self.transact(held.ops, sync);
        Expr::Reg(error, Width::INT)
    }

    /// Unlocking a mutex of another thread, or a free one, frees it if it is a normal one.
    fn unlock_ops(&mut self, mutex: &Expr, kinds: bool) -> (Vec<Op>, Expr) {
        if !kinds {
            return (vec![self.set_word(mutex, 0, self.int(0))], self.int(0));
        }
        let mut held = self.held_mutex(mutex);
        let allowed = Expr::binary(BinOp::Or, held.mine.clone(), held.knows_owner().negated());
        let one = self.int(1);
        let nested = Expr::binary(BinOp::ULt, one.clone(), held.count.clone());
        let stays = Expr::binary(BinOp::And, held.is(RECURSIVE), nested);
        let freed = Expr::binary(BinOp::And, allowed.clone(), stays.negated());
        let fewer = Expr::binary(BinOp::Sub, held.count.clone(), one);
        let counted = Expr::binary(BinOp::And, allowed.clone(), held.is(RECURSIVE));
        let count = Expr::ite(counted, fewer, held.count.clone());
        let owner = Expr::ite(freed, self.int(0), held.owner.clone());
        held.ops.push(self.set_word(mutex, 4, count));
        held.ops.push(self.set_word(mutex, 0, owner));
        let error = self.temporary(Width::INT);
        let value = Expr::ite(allowed, self.int(0), self.int(errno::EPERM));
        held.ops.push(Op::Set { var: error, value });
        (held.ops, Expr::Reg(error, Width::INT))
    }

    /// Reads a mutex at the start of a transaction.
    fn held_mutex(&mut self, mutex: &Expr) -> HeldMutex {
        let kind_at = if self.ctx.model.pointer() == Width(32) { 12 } else { 16 };
        let mut ops = Vec::new();
        let mut vars = Vec::new();
        let mut read = |builder: &mut Self, offset| {
            let var = builder.temporary(Width::INT);
            ops.push(Op::Set { var, value: builder.word_at(mutex, offset) });
            vars.push(var);
            Expr::Reg(var, Width::INT)
        };
        let owner = read(self, 0);
        let count = read(self, 4);
        let kind = read(self, kind_at);
        let mine = Expr::binary(BinOp::Eq, owner.clone(), self.owner());
        HeldMutex { ops, owner, count, kind, mine, unneeded: vars.split_off(1) }
    }

    // ---- other synchronisation ------------------------------------------------------------------------------

    fn sync_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        let object = |builder: &mut Self| Some(builder.word_argument(args.first()?));
        Some(match name {
            "pthread_cond_wait" | "cnd_wait" => self.cond_wait(args, None)?,
            "pthread_cond_timedwait" | "pthread_cond_clockwait" => {
                self.cond_wait(args, Some(errno::ETIMEDOUT))?
            }
            "cnd_timedwait" => self.cond_wait(args, Some(4))?, // thrd_timedout
            "pthread_cond_signal" | "cnd_signal" | "pthread_cond_broadcast" | "cnd_broadcast" => {
                let cond = object(self)?;
                let sync = Sync { kind: SyncKind::CondSignal, object: cond.clone() };
                self.transact(vec![Op::Signal { cond, all: name.ends_with("broadcast") }], Some(sync));
                self.int(0)
            }
            "pthread_rwlock_rdlock" | "pthread_rwlock_wrlock" => {
                let lock = object(self)?;
                self.rwlock(lock, name.ends_with("wrlock"))
            }
            "pthread_rwlock_tryrdlock" | "pthread_rwlock_trywrlock" => {
                let lock = object(self)?;
                self.try_rwlock(lock, name.ends_with("wrlock"), errno::EBUSY)
            }
            "pthread_rwlock_timedrdlock" | "pthread_rwlock_timedwrlock" => {
                let lock = object(self)?;
                self.try_rwlock(lock, name.ends_with("wrlock"), errno::ETIMEDOUT)
            }
            "pthread_rwlock_unlock" => {
                let lock = object(self)?;
                self.rwlock_unlock(lock)
            }
            "sem_wait" => {
                let sem = object(self)?;
                let value = self.word_at(&sem, 0);
                let positive = Expr::binary(BinOp::SLt, self.int(0), value.clone());
                let less = Expr::binary(BinOp::Sub, value, self.int(1));
                let ops = vec![Op::Guard(positive), self.set_word(&sem, 0, less)];
                self.transact(ops, Some(Sync { kind: SyncKind::SemWait, object: sem }));
                self.int(0)
            }
            "__threadproof_sem_try" => {
                let sem = object(self)?;
                self.sem_try(sem)
            }
            "sem_post" => {
                let sem = object(self)?;
                let more = Expr::binary(BinOp::Add, self.word_at(&sem, 0), self.int(1));
                let ops = vec![self.set_word(&sem, 0, more)];
                self.transact(ops, Some(Sync { kind: SyncKind::SemPost, object: sem }));
                self.int(0)
            }
            "pthread_barrier_wait" => {
                let barrier = object(self)?;
                self.barrier_wait(barrier)
            }
            "pthread_once" | "call_once" => {
                let once = object(self)?;
                let routine = self.word_argument(args.get(1)?);
                self.once(once, routine)
            }
            _ => return None,
        })
    }

    /// Three steps: release and start to wait, be woken, take the mutex again.
    fn cond_wait(&mut self, args: &'m [hir::Expr], time_out: Option<u128>) -> Option<Expr> {
        let (cond, mutex) = (self.word_argument(args.first()?), self.word_argument(args.get(1)?));
        let kinds = self.ctx.mutex_kinds;
        let sync = || Some(Sync { kind: SyncKind::CondWait, object: cond.clone() });
        let (mut ops, _) = self.unlock_ops(&mutex, kinds);
        ops.push(Op::WaitBegin(cond.clone()));
        self.transact(ops, sync());
        let mut wake = vec![Op::WaitEnd { timed: time_out.is_some() }];
        let timed_out = time_out.map(|error| {
            let bit = self.temporary(Width::BOOL);
            wake.push(Op::Havoc { var: bit });
            Expr::ite(Expr::Reg(bit, Width::BOOL), self.int(error), self.int(0))
        });
        self.transact(wake, sync());
        self.lock(mutex, kinds);
        Some(timed_out.unwrap_or_else(|| self.int(0)))
    }

    fn rwlock(&mut self, lock: Expr, write: bool) -> Expr {
        let kind = if write { SyncKind::WriteLock } else { SyncKind::ReadLock };
        let (mut ops, writer, readers) = self.held_rwlock(&lock);
        let mine = Expr::binary(BinOp::Eq, writer.clone(), self.owner());
        let free = free_for(&writer, &readers, write);
        ops.push(Op::Guard(Expr::binary(BinOp::Or, free, mine.clone())));
        self.take_rwlock(&lock, &mut ops, mine.clone().negated(), &writer, &readers, write);
        let error = self.temporary(Width::INT);
        ops.push(Op::Set { var: error, value: Expr::ite(mine, self.int(errno::EDEADLK), self.int(0)) });
        self.transact(ops, Some(Sync { kind, object: lock }));
        Expr::Reg(error, Width::INT)
    }

    fn try_rwlock(&mut self, lock: Expr, write: bool, busy: u128) -> Expr {
        let kind = if write { SyncKind::WriteLock } else { SyncKind::ReadLock };
        let (mut ops, writer, readers) = self.held_rwlock(&lock);
        let free = free_for(&writer, &readers, write);
        self.take_rwlock(&lock, &mut ops, free.clone(), &writer, &readers, write);
        let error = self.temporary(Width::INT);
        ops.push(Op::Set { var: error, value: Expr::ite(free, self.int(0), self.int(busy)) });
        self.transact(ops, Some(Sync { kind, object: lock }));
        Expr::Reg(error, Width::INT)
    }

    fn held_rwlock(&mut self, lock: &Expr) -> (Vec<Op>, Expr, Expr) {
        let (writer, readers) = (self.temporary(Width::INT), self.temporary(Width::INT));
        let ops = vec![
            Op::Set { var: writer, value: self.word_at(lock, 0) },
            Op::Set { var: readers, value: self.word_at(lock, 4) },
        ];
        (ops, Expr::Reg(writer, Width::INT), Expr::Reg(readers, Width::INT))
    }

    fn take_rwlock(
        &self,
        lock: &Expr,
        ops: &mut Vec<Op>,
        taken: Expr,
        writer: &Expr,
        readers: &Expr,
        write: bool,
    ) {
        if write {
            ops.push(self.set_word(lock, 0, Expr::ite(taken, self.owner(), writer.clone())));
        } else {
            let more = Expr::binary(BinOp::Add, readers.clone(), self.int(1));
            ops.push(self.set_word(lock, 4, Expr::ite(taken, more, readers.clone())));
        }
    }

    fn rwlock_unlock(&mut self, lock: Expr) -> Expr {
        let (mut ops, writer, readers) = self.held_rwlock(&lock);
        let read = Expr::binary(
            BinOp::And,
            self.equals(writer.clone(), 0),
            self.equals(readers.clone(), 0).negated(),
        );
        let fewer = Expr::binary(BinOp::Sub, readers.clone(), self.int(1));
        ops.push(self.set_word(&lock, 0, self.int(0)));
        ops.push(self.set_word(&lock, 4, Expr::ite(read, fewer, readers)));
        self.transact(ops, Some(Sync { kind: SyncKind::RwUnlock, object: lock }));
        self.int(0)
    }

    /// Decrements a semaphore if that does not block; gives whether it did.
    fn sem_try(&mut self, sem: Expr) -> Expr {
        let value = self.temporary(Width::INT);
        let read = Expr::Reg(value, Width::INT);
        let positive = Expr::binary(BinOp::SLt, self.int(0), read.clone());
        let less = Expr::binary(BinOp::Sub, read.clone(), self.int(1));
        let ops = vec![
            Op::Set { var: value, value: self.word_at(&sem, 0) },
            self.set_word(&sem, 0, Expr::ite(positive.clone(), less, read)),
        ];
        self.transact(ops, Some(Sync { kind: SyncKind::SemWait, object: sem }));
        scalar::resize(positive, false, Width::INT)
    }

    /// Two steps: arrive, and wait for the generation to change. The last to arrive gets the special result, as in
    /// glibc (SOUNDNESS: A10).
    fn barrier_wait(&mut self, barrier: Expr) -> Expr {
        let sync = || Some(Sync { kind: SyncKind::Barrier, object: barrier.clone() });
        let (arrived, generation) = (self.temporary(Width::INT), self.temporary(Width::INT));
        let last = self.temporary(Width::BOOL);
        let (now, mine) = (Expr::Reg(arrived, Width::INT), Expr::Reg(generation, Width::INT));
        let is_last = Expr::Reg(last, Width::BOOL);
        let one = self.int(1);
        let ops = vec![
            Op::Set { var: arrived, value: Expr::binary(BinOp::Add, self.word_at(&barrier, 4), one.clone()) },
            Op::Set { var: generation, value: self.word_at(&barrier, 8) },
            Op::Set { var: last, value: Expr::binary(BinOp::Eq, now.clone(), self.word_at(&barrier, 0)) },
            self.set_word(&barrier, 4, Expr::ite(is_last.clone(), self.int(0), now)),
            self.set_word(
                &barrier,
                8,
                Expr::ite(is_last.clone(), Expr::binary(BinOp::Add, mine.clone(), one), mine.clone()),
            ),
        ];
        self.transact(ops, sync());
        let released = Expr::binary(BinOp::Ne, self.word_at(&barrier, 8), mine);
        self.transact(vec![Op::Guard(released)], sync());
        Expr::ite(is_last, self.int(u128::MAX), self.int(0))
    }

    fn once(&mut self, once: Expr, routine: Expr) -> Expr {
        let sync = Some(Sync { kind: SyncKind::Once, object: once.clone() });
        let state = self.temporary(Width::INT);
        let read = Expr::Reg(state, Width::INT);
        let first = self.equals(read.clone(), 0);
        let running = self.equals(read.clone(), 1);
        let ops = vec![
            Op::Set { var: state, value: self.word_at(&once, 0) },
            Op::Guard(running.negated()),
            self.set_word(&once, 0, Expr::ite(first.clone(), self.int(1), read)),
        ];
        self.transact(ops, sync);
        let (run, done) = (self.new_location(), self.new_location());
        self.branch(first, run, done);
        self.open(run);
        match routine {
            Expr::FuncAddr(func, _) => self.call_direct(func, Vec::new(), None),
            other => self.step(|next| Action::Call {
                callee: Callee::Indirect(other),
                args: Vec::new(),
                ret: None,
                next,
            }),
        }
        let finished = self.set_word(&once, 0, self.int(2));
        self.transact(vec![finished], None);
        self.goto(done);
        self.open(done);
        self.int(0)
    }

    // ---- memory ---------------------------------------------------------------------------------------------

    fn memory_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        let word = self.ctx.model.pointer();
        Some(match (name, args.len()) {
            ("malloc" | "valloc", 1) => {
                let size = self.rvalue(&args[0]);
                self.allocate(size, Storage::Heap, false)
            }
            ("aligned_alloc" | "memalign", 2) => {
                let size = self.rvalue(&args[1]);
                self.allocate(size, Storage::Heap, false)
            }
            ("__builtin_alloca" | "alloca" | "__builtin_alloca_with_align", _) => {
                let size = self.rvalue(args.first()?);
                self.allocate(size, Storage::Frame, false)
            }
            ("calloc", 2) => {
                let (count, size) = (self.rvalue(&args[0]), self.rvalue(&args[1]));
                let (count, size) = (scalar::resize(count, false, word), scalar::resize(size, false, word));
                self.allocate(Expr::binary(BinOp::Mul, count, size), Storage::Heap, true)
            }
            ("realloc", 2) => {
                let (ptr, size) = (self.word_argument(&args[0]), self.word_argument(&args[1]));
                let var = self.temporary(word);
                self.transact(vec![Op::Realloc { var, ptr, size }], None);
                Expr::Reg(var, word)
            }
            ("free" | "cfree", 1) => {
                let ptr = self.word_argument(&args[0]);
                self.push(Op::Free(ptr));
                self.int(0)
            }
            ("memcpy" | "memmove", 3) => self.copy_call(args),
            ("memset", 3) => {
                let target = self.word_argument(&args[0]);
                let (byte, len) = (self.rvalue(&args[1]), self.word_argument(&args[2]));
                self.set_bytes(target.clone(), byte, len);
                target
            }
            _ => return None,
        })
    }

    /// Allocation never fails (SOUNDNESS: A6).
    fn allocate(&mut self, size: Expr, storage: Storage, zeroed: bool) -> Expr {
        let word = self.ctx.model.pointer();
        let size = scalar::resize(size, false, word);
        let size = self.repeatable(size);
        let var = self.temporary(word);
        let addr = Expr::Reg(var, word);
        let mut ops = vec![Op::Alloc { var, size: size.clone(), storage }];
        if zeroed {
            ops.push(Op::Fill { dst: addr.clone(), byte: Expr::constant(0, Width::BYTE), len: size });
        }
        self.transact(ops, None);
        addr
    }

    // ---- compiler builtins ----------------------------------------------------------------------------------

    fn builtin_call(&mut self, name: &str, expr: &'m hir::Expr, args: &'m [hir::Expr]) -> Option<Expr> {
        Some(match (name, args.len()) {
            ("__builtin_va_start", _) => self.start_list(args.first()?, None),
            ("__builtin_va_copy", 2) => self.start_list(&args[0], Some(&args[1])),
            ("__builtin_bswap16" | "__builtin_bswap32" | "__builtin_bswap64", 1) => {
                let value = self.rvalue(&args[0]);
                let value = self.repeatable(value);
                let width = self.ctx.width(expr.ty)?;
                swap_bytes(&scalar::resize(value, false, width))
            }
            ("__builtin_popcount" | "__builtin_popcountl" | "__builtin_popcountll", 1) => {
                let value = self.rvalue(&args[0]);
                let value = self.repeatable(value);
                let bits =
                    (0..value.width().bits()).map(|n| scalar::resize(bit(&value, n), false, Width::INT));
                let sum = bits.reduce(|l, r| Expr::binary(BinOp::Add, l, r))?;
                self.in_temporary(sum)
            }
            ("__builtin_ctz" | "__builtin_ctzl" | "__builtin_ctzll", 1) => self.first_bit(&args[0], false),
            ("__builtin_clz" | "__builtin_clzl" | "__builtin_clzll", 1) => self.first_bit(&args[0], true),
            ("__builtin_object_size" | "__builtin_dynamic_object_size", 2) => {
                Expr::constant(u128::MAX, self.ctx.model.pointer())
            }
            _ => return None,
        })
    }

    /// How many zeros precede the first one, counted from one end; undefined for 0.
    fn first_bit(&mut self, arg: &'m hir::Expr, from_top: bool) -> Expr {
        let value = self.rvalue(arg);
        let value = self.repeatable(value);
        self.undefined_unless(scalar::truth(value.clone(), Class::Unsigned), "no bit is set");
        let bits = value.width().bits();
        let mut count = self.int(0);
        // From the far end to the near one: the last choice made is the nearest bit.
        for distance in (0..bits).rev() {
            let at = if from_top { bits - 1 - distance } else { distance };
            count = Expr::ite(bit(&value, at), self.int(u128::from(distance)), count);
            count = self.bounded(count);
        }
        count
    }
}

impl super::Lowering<'_> {
    /// A function that will run `start` and then the destructors of thread-specific data.
    fn thread_start(&mut self, start: FuncId) -> FuncId {
        if let Some(&wrapped) = self.thread_starts.get(&start) {
            return wrapped;
        }
        let function = &self.functions[start];
        let wrapper = super::empty_function(format!("{}.thread", function.name), function.span);
        let wrapped = self.functions.push(wrapper);
        self.thread_starts.insert(start, wrapped);
        wrapped
    }

    /// Writes the wrappers' code, once the width of every result is known.
    pub(super) fn finish_thread_starts(&mut self) {
        let Some(destructors) = self.epilogues.destructors else { return };
        for (start, wrapped) in std::mem::take(&mut self.thread_starts) {
            let ret = self.functions[start].ret;
            let span = self.functions[start].span;
            let mut vars = IdxVec::new();
            let mut register = |name: &str, width| {
                vars.push(Var { name: name.to_owned(), kind: VarKind::Register(width), temporary: false })
            };
            let word = self.model.pointer();
            let arg = register("arg", word);
            let result = ret.map(|width| (register("result", width), width));
            let (callee, args) = (Callee::Direct(start), vec![Expr::Reg(arg, word)]);
            let actions = [
                Action::Call { callee, args, ret: result.map(|(var, _)| var), next: LocId(1) },
                Action::Call {
                    callee: Callee::Direct(destructors),
                    args: Vec::new(),
                    ret: None,
                    next: LocId(2),
                },
                Action::Return(result.map(|(var, width)| Expr::Reg(var, width))),
            ];
            let function = &mut self.functions[wrapped];
            function.params = vec![arg];
            function.ret = ret;
            function.vars = vars;
            function.locations = actions.into_iter().map(|action| Location { action, span }).collect();
            function.library = true;
        }
    }
}

/// A mutex whose words have been read.
struct HeldMutex {
    ops: Vec<Op>,
    owner: Expr,
    count: Expr,
    kind: Expr,
    mine: Expr,
    /// Registers that a mutex without kinds does not need.
    unneeded: Vec<program::VarId>,
}

impl HeldMutex {
    fn free(&self) -> Expr {
        Expr::binary(BinOp::Eq, self.owner.clone(), Expr::constant(0, Width::INT))
    }
    fn is(&self, kind: u128) -> Expr {
        Expr::binary(BinOp::Eq, self.kind.clone(), Expr::constant(kind, Width::INT))
    }
    /// Whether this kind of mutex knows who owns it.
    fn knows_owner(&self) -> Expr {
        Expr::binary(BinOp::Or, self.is(RECURSIVE), self.is(ERROR_CHECKING))
    }
}

fn free_for(writer: &Expr, readers: &Expr, write: bool) -> Expr {
    let none = |e: &Expr| Expr::binary(BinOp::Eq, e.clone(), Expr::constant(0, Width::INT));
    if write { Expr::binary(BinOp::And, none(writer), none(readers)) } else { none(writer) }
}

/// One bit of a value, as a truth value.
fn bit(value: &Expr, n: u32) -> Expr {
    let shifted = Expr::binary(BinOp::LShr, value.clone(), Expr::constant(u128::from(n), value.width()));
    Expr::cast(program::Cast::Trunc, Width::BOOL, shifted)
}

fn swap_bytes(value: &Expr) -> Expr {
    let width = value.width();
    let bytes = width.bytes();
    let shift = |n: u64| Expr::constant(u128::from(n * 8), width);
    (0..bytes)
        .map(|n| {
            let low = Expr::binary(BinOp::LShr, value.clone(), shift(n));
            let byte = Expr::binary(BinOp::And, low, Expr::constant(0xff, width));
            Expr::binary(BinOp::Shl, byte, shift(bytes - 1 - n))
        })
        .reduce(|l, r| Expr::binary(BinOp::Or, l, r))
        .unwrap_or_else(|| value.clone())
}

/// Whether some mutex may be recursive or error-checking: a kind is set by a call, or by an initialiser that is not
/// all zeros.
pub(super) fn uses_mutex_kinds(module: &hir::Module) -> bool {
    let set_by_call = module.functions.iter().any(|f| {
        matches!(f.name.as_str(), "pthread_mutexattr_settype" | "mtx_init" | "pthread_mutexattr_setkind_np")
    });
    let nonzero = |init: &hir::StaticInit| match &init.value {
        hir::ConstValue::Int { value, .. } => *value != 0,
        hir::ConstValue::Bytes(bytes) => bytes.iter().any(|b| *b != 0),
        hir::ConstValue::Addr(..) => false,
    };
    let set_by_initialiser =
        module.globals.iter().any(|g| g.init.iter().any(nonzero) && has_mutex(&module.types, g.ty));
    let automatic = module
        .functions
        .iter()
        .filter_map(|f| f.body.as_ref())
        .any(|b| b.locals.iter().any(|l| has_mutex(&module.types, l.ty)));
    set_by_call || set_by_initialiser || automatic
}

/// Whether a type has a mutex inside, as glibc and most others call it.
fn has_mutex(types: &TypeTable, ty: Ty) -> bool {
    let record_has = |id: RecordId| {
        let record = types.record(id);
        record.tag.contains("pthread_mutex")
            || record.layout.as_ref().is_some_and(|l| l.fields.iter().any(|f| has_mutex(types, f.ty)))
    };
    match types.get(ty) {
        Type::Record(id) => record_has(*id),
        Type::Array(element, _) | Type::Atomic(element) => has_mutex(types, *element),
        _ => false,
    }
}
