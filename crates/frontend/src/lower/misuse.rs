//! Misuse of the thread library that POSIX calls undefined, for the property `undefined-behaviour`.
//!
//! Each check is a branch after the transaction that it is about, on what that transaction has read, so that the transaction stays one step and what others see of it stays
//! the same. For other properties none of this is there, and misuse means what docs/SOUNDNESS.md says (A7–A11).
//!
//! | kind | what | state that only the check needs |
//! |---|---|---|
//! | `unlock-not-held` | unlock of a normal mutex, spinlock or readers–writer lock that the thread does not hold; other mutexes return `EPERM` | how often each thread holds a readers–writer lock for reading: four bits for each, at 8 |
//! | `wait-without-mutex` | the same, by a wait on a condition variable | |
//! | `use-after-destroy` | a use of what was destroyed, or never initialised | a flag in the object: of a mutex at 20, of a readers–writer lock at 16, of a condition variable at 16, of a semaphore at 12; a barrier's count is 0 |
//! | `destroy-in-use` | destroying what is locked or waited on (`models/pthread.c`) | |
//! | `wait-with-two-mutexes` | a wait on a condition variable on which others are blocked with another mutex | their mutex at 0, the number of waiters at 8, of those that were signalled at 12 |
//! | `invalid-join` | joining or detaching what cannot be joined or detached | |
//!
//! A flag is 0 in what is initialised statically (all zeros), 2 in what a call initialised, and 1 in what a declaration or `malloc` begins ([`fresh`](super::fresh)), where that is known. Other memory that
//! was never initialised has an arbitrary flag, so that some execution shows its use; in a program with such memory, initialising twice (`initialised-twice`) is told for static objects only.
//! Flags are left out where nothing is destroyed and all objects are static.
//!
//! A signal wakes any waiter, so that it does not matter which waiters were signalled, only how many: those that leave first are taken to be the signalled ones. A waiter
//! that leaves for no reason in place of another is one that could have been signalled in its place. Destroying a condition variable waits for those that were signalled to leave, as in glibc.
//!
//! # Direction of error
//! Misses: initialising what is initialised already on the heap or in a frame, where some memory of the program is not known to hold no lock, or first by an initialiser (which only says zeros), and spinlocks; semaphores that are static, never initialised and never destroyed; condition variables in programs that cancel threads.

use super::function::Builder;
use super::mutex::has_record;
use super::scalar;
use super::sync::{and, errno, or};
use crate::hir;
use crate::types::{Ty, Type, TypeTable};
use program::{BinOp, Expr, Op, Order, UndefinedKind, VarId, Width};

/// Where the flags are.
pub(super) const MUTEX_FLAG: u64 = 20;
pub(super) const RWLOCK_FLAG: u64 = 16;
pub(super) const COND_FLAG: u64 = 16;
/// The flag of what a call initialised; 0 in what is initialised statically.
const INITIALISED: u128 = 2;
/// The flag of a semaphore is 1 in one that is initialised.
const SEMAPHORE_FLAG: u64 = 12;
/// Where a readers–writer lock has the numbers of its readers' holds, and how many bits each has.
const HOLDS: u64 = 8;
const HOLD_BITS: u128 = 4;
/// Handles are less than this where holds are counted.
const MAX_HANDLE: u64 = 16;
/// Where a condition variable has its mutex, its waiters and those that were signalled.
const BOUND: u64 = 0;
const WAITERS: u64 = 8;
const SIGNALLED: u64 = 12;
/// Where a condition variable is written to by whatever uses it.
const TOUCHED: u64 = 20;

/// Functions that make objects whose bytes are indeterminate.
pub(super) const ALLOCATION: &[&str] = &[
    "__builtin_alloca",
    "__builtin_alloca_with_align",
    "valloc",
    "malloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "alloca",
];

/// The flag of an object, if it has one.
#[derive(Clone)]
pub(super) struct Flag(Option<(VarId, Expr)>);

impl Flag {
    /// Operations that read the flag before they do something.
    pub(super) fn before(&self, mut ops: Vec<Op>) -> Vec<Op> {
        if let Flag(Some((var, value))) = self {
            ops.insert(0, Op::Set { var: *var, value: value.clone() });
        }
        ops
    }
}

/// A condition variable whose waiters are counted.
pub(super) struct Waiters(Expr);

impl<'m> Builder<'_, 'm> {
    /// Something is undefined unless `cond` holds, where that matters.
    pub(super) fn check(&mut self, cond: Expr, kind: UndefinedKind, what: &str) {
        if self.ctx.checks.undefined {
            self.undefined_unless(cond, kind, what);
        }
    }

    // ---- flags ----------------------------------------------------------------------------------------------

    /// The flag of the mutex or readers–writer lock that a function of this name uses.
    pub(super) fn flag_of(&mut self, object: &Expr, name: &str) -> Flag {
        let (offset, tag, destroy) = match name {
            _ if name.starts_with("pthread_spin") => return Flag(None),
            // The type of semaphores has no tag.
            "sem" => (SEMAPHORE_FLAG, "semaphore", ["sem_destroy", ""]),
            "pthread_rwlock" => (RWLOCK_FLAG, "pthread_rwlock", ["pthread_rwlock_destroy", ""]),
            _ => (MUTEX_FLAG, "pthread_mutex", ["pthread_mutex_destroy", "mtx_destroy"]),
        };
        if !self.may_be_invalid(tag, &destroy) {
            return Flag(None);
        }
        let var = self.temporary(Width::INT);
        Flag(Some((var, self.word_at(object, offset))))
    }

    /// Whether objects of a type, whose tag contains `tag`, may be destroyed, or may begin with indeterminate bytes.
    fn may_be_invalid(&self, tag: &str, destroy: &[&str]) -> bool {
        let module = self.ctx.module;
        let called = |f: &str| destroy.contains(&f) || ALLOCATION.contains(&f);
        self.ctx.checks.undefined
            && (module.functions.iter().any(|f| called(&f.name))
                || self.has_local(|ty| has_record(&module.types, ty, tag)))
    }

    /// Whether the program has a local variable of such a type.
    fn has_local(&self, is_such: impl Fn(Ty) -> bool) -> bool {
        let functions = self.ctx.module.functions.iter().filter(|f| !f.library);
        functions.filter_map(|f| f.body.as_ref()).any(|body| body.locals.iter().any(|l| is_such(l.ty)))
    }

    pub(super) fn check_flag(&mut self, flag: Flag, what: &str) {
        if let Flag(Some((var, _))) = flag {
            let valid = self.is_initialised(Expr::Reg(var, Width::INT));
            let what = format!("{what} that was destroyed, or never initialised");
            self.check(valid, UndefinedKind::UseAfterDestroy, &what);
        }
    }

    /// Whether a flag is one of what is initialised.
    fn is_initialised(&self, flag: Expr) -> Expr {
        self.equals(Expr::binary(BinOp::And, flag, Expr::constant(!INITIALISED, Width::INT)), 0)
    }

    /// Whether an address is in a static object that may have something to initialise inside: all of these types are unions, or have unions inside.
    pub(super) fn is_static(&mut self, address: &'m hir::Expr) -> Expr {
        let address = self.rvalue(address);
        let address = self.repeatable(address);
        let module = self.ctx.module;
        let allocates = module.functions.iter().any(|f| ALLOCATION.contains(&f.name.as_str()));
        if self.ctx.sets_locks() {
            return Expr::constant(1, Width::INT);
        }
        if allocates || self.has_local(|ty| has_union(&module.types, ty)) {
            let text = "no lock, condition variable, barrier or semaphore on the heap or in a frame is initialised twice";
            self.ctx.assume(self.span, text.to_owned());
        }
        let statics = module.globals.iter_enumerated().filter(|(_, g)| has_union(&module.types, g.ty));
        let objects: Vec<_> = statics.filter_map(|(id, _)| self.ctx.globals.get(&id).copied()).collect();
        let pointer = self.ctx.model.pointer();
        let inside = objects.into_iter().map(|object| {
            Expr::SameObject(Box::new(address.clone()), Box::new(Expr::ObjectAddr(object, pointer)))
        });
        let inside = inside.reduce(or).unwrap_or(Expr::truth(false));
        scalar::resize(inside, false, Width::INT)
    }

    /// A wait that does not block if the semaphore is invalid, so that this is noticed.
    pub(super) fn or_is_invalid(&self, ready: Expr, Flag(flag): &Flag) -> Expr {
        let Some((var, _)) = flag else { return ready };
        or(ready, self.equals(Expr::Reg(*var, Width::INT), 1).negated())
    }

    pub(super) fn check_semaphore(&mut self, Flag(flag): Flag, what: &str) {
        if let Some((var, _)) = flag {
            let valid = self.equals(Expr::Reg(var, Width::INT), 1);
            let what = format!("{what} that was destroyed, or never initialised");
            self.check(valid, UndefinedKind::UseAfterDestroy, &what);
        }
    }

    /// The number of threads that a barrier waits for: a register that is set first, where it is to be checked.
    pub(super) fn barrier_count(&mut self, barrier: &Expr) -> (Vec<Op>, Expr) {
        let count = self.word_at(barrier, 0);
        if !self.ctx.checks.undefined {
            return (Vec::new(), count);
        }
        let var = self.temporary(Width::INT);
        (vec![Op::Set { var, value: count }], Expr::Reg(var, Width::INT))
    }

    // ---- readers–writer locks -------------------------------------------------------------------------------

    /// More threads than are counted have no model.
    pub(super) fn limit_readers(&mut self) {
        if !self.ctx.checks.undefined {
            return;
        }
        let word = self.ctx.model.pointer();
        let few = Expr::binary(BinOp::ULt, Expr::SelfHandle(word), self.word(MAX_HANDLE));
        let (fine, too_many) = (self.new_location(), self.new_location());
        self.branch(few, fine, too_many);
        self.open(too_many);
        self.unsupported("more than 15 threads with readers–writer locks");
        self.open(fine);
    }

    /// The thread holds a lock for reading once more, if it is `taken`.
    pub(super) fn count_reader(&mut self, lock: &Expr, taken: &Expr) -> Option<Op> {
        let shift = self.ctx.checks.undefined.then(|| self.own_shift())?;
        let (holds, one) =
            (self.holds_at(lock), Expr::binary(BinOp::Shl, Expr::constant(1, Width(64)), shift));
        let more = Expr::binary(BinOp::Add, holds.clone(), one);
        Some(self.set_holds(lock, Expr::ite(taken.clone(), more, holds)))
    }

    /// Whether the thread holds a lock; `read` says that it is held for reading, and then it is given back.
    pub(super) fn holds_rwlock(
        &mut self,
        lock: &Expr,
        writer: &Expr,
        read: &Expr,
        ops: &mut Vec<Op>,
    ) -> Expr {
        if !self.ctx.checks.undefined {
            return Expr::truth(true);
        }
        let wide = Width(64);
        let shift = self.own_shift();
        let (holds, reads) = (self.temporary(wide), self.temporary(Width::BOOL));
        let held = Expr::Reg(holds, wide);
        let own = Expr::binary(BinOp::LShr, held.clone(), shift.clone());
        let own = Expr::binary(BinOp::And, own, Expr::constant((1 << HOLD_BITS) - 1, wide));
        let value = and(read.clone(), self.equals(own, 0).negated());
        ops.push(Op::Set { var: holds, value: self.holds_at(lock) });
        ops.push(Op::Set { var: reads, value });
        let one = Expr::binary(BinOp::Shl, Expr::constant(1, wide), shift);
        let fewer = Expr::binary(BinOp::Sub, held.clone(), one);
        let reads = Expr::Reg(reads, Width::BOOL);
        ops.push(self.set_holds(lock, Expr::ite(reads.clone(), fewer, held)));
        or(Expr::binary(BinOp::Eq, writer.clone(), self.owner()), reads)
    }

    fn own_shift(&self) -> Expr {
        let handle = scalar::resize(Expr::SelfHandle(self.ctx.model.pointer()), false, Width(64));
        Expr::binary(BinOp::Mul, handle, Expr::constant(HOLD_BITS, Width(64)))
    }

    fn holds_at(&self, lock: &Expr) -> Expr {
        let addr = Box::new(self.offset(lock.clone(), HOLDS));
        Expr::Load { addr, width: Width(64), order: Order::SeqCst }
    }

    fn set_holds(&self, lock: &Expr, value: Expr) -> Op {
        Op::Store { addr: self.offset(lock.clone(), HOLDS), value, order: Order::SeqCst }
    }

    // ---- condition variables --------------------------------------------------------------------------------

    /// The condition variable, if its waiters are counted: it may be destroyed or never initialised, or there are several mutexes.
    pub(super) fn waiters_of(&self, cond: &Expr) -> Option<Waiters> {
        let module = self.ctx.module;
        let statics = module.globals.iter().filter(|g| has_record(&module.types, g.ty, "pthread_mutex"));
        let counted = self.ctx.checks.undefined
            && self.ctx.cancellation.is_none()
            && (self.may_be_invalid("pthread_cond", &["pthread_cond_destroy", "cnd_destroy"])
                || statics.count() > 1);
        counted.then(|| Waiters(cond.clone()))
    }

    /// The access to memory that a signal or a wait is, where it matters whether a condition variable is alive; otherwise they are no accesses, since the state of a condition
    /// variable is the set of the threads that wait.
    pub(super) fn touch_cond(&self, cond: &Expr) -> Option<Op> {
        let module = self.ctx.module;
        let may_die =
            module.functions.iter().any(|f| ALLOCATION.contains(&f.name.as_str()) || f.name == "calloc")
                || self.has_local(|ty| has_record(&module.types, ty, "pthread_cond"));
        (self.ctx.checks.validity && may_die).then(|| self.set_word(cond, TOUCHED, self.int(0)))
    }

    fn read_word(&mut self, object: &Expr, offset: u64, ops: &mut Vec<Op>) -> Expr {
        let var = self.temporary(Width::INT);
        ops.push(Op::Set { var, value: self.word_at(object, offset) });
        Expr::Reg(var, Width::INT)
    }

    /// A thread begins to wait with a mutex. Gives whether the condition variable is a valid one, and whether those who are blocked wait with the same mutex.
    pub(super) fn begin_wait(&mut self, waiters: &Waiters, mutex: &Expr, ops: &mut Vec<Op>) -> (Expr, Expr) {
        let Waiters(cond) = waiters;
        let word = self.ctx.model.pointer();
        let flag = self.read_word(cond, COND_FLAG, ops);
        let waiting = self.read_word(cond, WAITERS, ops);
        let signalled = self.read_word(cond, SIGNALLED, ops);
        let bound = self.temporary(word);
        let addr = self.offset(cond.clone(), BOUND);
        let value = Expr::Load { addr: Box::new(addr.clone()), width: word, order: Order::SeqCst };
        ops.push(Op::Set { var: bound, value });
        let more = Expr::binary(BinOp::Add, waiting.clone(), self.int(1));
        ops.push(self.set_word(cond, WAITERS, more));
        ops.push(Op::Store { addr, value: mutex.clone(), order: Order::SeqCst });
        let same = Expr::binary(BinOp::Eq, Expr::Reg(bound, word), mutex.clone());
        let blocked = Expr::binary(BinOp::SLt, signalled, waiting);
        (self.is_initialised(flag), or(blocked.negated(), same))
    }

    /// A thread does not wait any longer.
    pub(super) fn end_wait(&mut self, waiters: &Waiters) -> Vec<Op> {
        let Waiters(cond) = waiters;
        let mut ops = Vec::new();
        for offset in [WAITERS, SIGNALLED] {
            let number = self.read_word(cond, offset, &mut ops);
            let fewer = Expr::binary(BinOp::Sub, number.clone(), self.int(1));
            let fewer = Expr::ite(self.equals(number.clone(), 0), number, fewer);
            ops.push(self.set_word(cond, offset, fewer));
        }
        ops
    }

    /// Waiters are signalled. Gives the operations, and whether the condition variable is a valid one.
    pub(super) fn note_signal(&mut self, waiters: &Waiters, all: bool) -> (Vec<Op>, Expr) {
        let Waiters(cond) = waiters;
        let mut ops = Vec::new();
        let flag = self.read_word(cond, COND_FLAG, &mut ops);
        let waiting = self.read_word(cond, WAITERS, &mut ops);
        let signalled = match all {
            true => waiting,
            false => {
                let signalled = self.read_word(cond, SIGNALLED, &mut ops);
                let more = Expr::binary(BinOp::Add, signalled.clone(), self.int(1));
                Expr::ite(Expr::binary(BinOp::SLt, signalled.clone(), waiting), more, signalled)
            }
        };
        ops.push(self.set_word(cond, SIGNALLED, signalled));
        (ops, self.is_initialised(flag))
    }

    // ---- threads --------------------------------------------------------------------------------------------

    /// Joining and detaching what cannot be joined or detached is undefined.
    pub(super) fn check_joinable(&mut self, error: &Expr, verb: &str) {
        const ESRCH: u128 = 3;
        const EINVAL: u128 = 22;
        let reasons = [
            (ESRCH, "something that is no thread, or was joined before"),
            (EINVAL, "a detached thread"),
            (errno::EDEADLK, "the running thread"),
        ];
        for (code, whom) in reasons {
            let fine = self.equals(error.clone(), code).negated();
            self.check(fine, UndefinedKind::InvalidJoin, &format!("{verb} of {whom}"));
        }
    }
}

/// Whether a type is a union, or has one inside.
fn has_union(types: &TypeTable, ty: Ty) -> bool {
    match types.get(ty) {
        Type::Record(id) => {
            let record = types.record(*id);
            let fields = record.layout.as_ref().map_or(&[][..], |layout| &layout.fields);
            record.is_union || fields.iter().any(|field| has_union(types, field.ty))
        }
        Type::Array(element, _) | Type::Atomic(element) => has_union(types, *element),
        _ => false,
    }
}
