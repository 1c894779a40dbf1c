//! Mutexes and spinlocks of all kinds. Their layout is in [`sync`](super::sync).
//!
//! | | free | held by this thread | by another | robust, owner has ended |
//! |---|---|---|---|---|
//! | lock | takes it | normal: blocks; recursive: counts; error-checking: `EDEADLK` | blocks | takes it, `EOWNERDEAD` |
//! | trylock | takes it | recursive: counts; else `EBUSY` | `EBUSY` | takes it, `EOWNERDEAD` |
//! | timedlock | takes it | as lock, but a normal one times out | times out | takes it, `EOWNERDEAD` |
//! | unlock | normal: nothing; else `EPERM` | gives it back, or counts | normal: frees it; else `EPERM` | `EPERM` |
//!
//! A robust mutex that is given back without having been made consistent is not recoverable: it is taken and given back at
//! once, with `ENOTRECOVERABLE`, so that whatever is tagged as taking a lock holds it for at least one step.
//!
//! Programs in which all mutexes are normal, which is known before anything is lowered, get simpler transactions.
//!
//! For `undefined-behaviour`, what POSIX leaves undefined is checked after the transaction, with what it has read ([`misuse`](super::misuse)).

use super::function::Builder;
use super::sync::{and, errno, or, ordered};
use crate::hir;
use crate::types::{RecordId, Ty, Type, TypeTable};
use program::{BinOp, Expr, Op, Order, Sync, SyncKind, UndefinedKind, VarId, Width};

/// Kinds of mutexes, as glibc numbers them; all others behave like a normal one.
const RECURSIVE: u128 = 1;
const ERROR_CHECKING: u128 = 2;
/// The bits of a mutex's kind, and the bit beside them that makes it robust.
const KIND: u128 = 3;
const ROBUST: u128 = 1 << 4;
/// States of a robust mutex.
const INHERITED: u128 = 1;
const NOT_RECOVERABLE: u128 = 2;

impl<'m> Builder<'_, 'm> {
    pub(super) fn mutex_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        let busy = match name {
            "pthread_mutex_trylock" | "pthread_spin_trylock" | "mtx_trylock" => Some(errno::EBUSY),
            "pthread_mutex_timedlock" | "pthread_mutex_clocklock" | "mtx_timedlock" => Some(errno::ETIMEDOUT),
            _ => None,
        };
        let lock = matches!(name, "pthread_mutex_lock" | "mtx_lock" | "pthread_spin_lock");
        let unlock = matches!(name, "pthread_mutex_unlock" | "mtx_unlock" | "pthread_spin_unlock");
        if busy.is_none() && !lock && !unlock {
            return None;
        }
        let mutex = self.word_argument(args.first()?);
        let invalid = match busy {
            Some(errno::ETIMEDOUT) => self.invalid_deadline(args),
            _ => None,
        };
        let c11 = name.starts_with("mtx_");
        let kinds = self.ctx.mutex_kinds && !name.starts_with("pthread_spin");
        let result = match busy {
            Some(busy) if c11 => {
                let code = if busy == errno::EBUSY { 1 } else { 4 }; // thrd_busy, thrd_timedout
                let result = self.try_lock(mutex, kinds, code, name);
                return Some(self.timed_out_or_invalid(name, invalid, result, code));
            }
            Some(busy) => {
                let result = self.try_lock(mutex, kinds, busy, name);
                self.timed_out_or_invalid(name, invalid, result, busy)
            }
            None if lock => self.lock(mutex, kinds, name),
            None => {
                let flag = self.flag_of(&mutex, name);
                let (ops, result, holds) = self.unlock_ops(&mutex, kinds);
                let ops = ordered(flag.before(ops), Order::Release);
                self.transact(ops, Some(Sync { kind: SyncKind::Unlock, object: mutex }));
                self.check_flag(flag, "unlock of a mutex");
                let what = "unlock of a lock that the thread does not hold";
                self.check(holds, UndefinedKind::UnlockNotHeld, what);
                result
            }
        };
        Some(if c11 && result.as_const().is_none() { self.c11_result(result) } else { result })
    }

    pub(super) fn lock(&mut self, mutex: Expr, kinds: bool, name: &str) -> Expr {
        let flag = self.flag_of(&mutex, name);
        let sync = self.unless_asynchronous(Some(Sync { kind: SyncKind::Lock, object: mutex.clone() }));
        if !kinds {
            let (mut ops, old) = (flag.before(Vec::new()), self.word_at(&mutex, 0));
            let acts = self.block_until(&mut ops, self.equals(old.clone(), 0));
            ops.push(self.set_word(&mutex, 0, unless(&acts, old, self.owner())));
            self.transact(ordered(ops, Order::Acquire), sync);
            self.check_flag(flag, "lock of a mutex");
            self.act_on(acts);
            return self.int(0);
        }
        let mut held = self.held_mutex(&mutex);
        let mine_again = and(held.mine.clone(), held.knows_owner());
        held.ops = flag.before(std::mem::take(&mut held.ops));
        let ready = or(or(held.free(), mine_again), held.orphaned.clone());
        let acts = self.block_until(&mut held.ops, ready);
        let one = self.int(1);
        let more = Expr::binary(BinOp::Add, held.count.clone(), one.clone());
        let again = Expr::ite(held.is(RECURSIVE), more, held.count.clone());
        let count = Expr::ite(held.mine.clone(), again, one);
        held.ops.push(self.set_word(&mutex, 0, unless(&acts, held.owner.clone(), self.owner())));
        held.ops.push(self.set_word(&mutex, 4, unless(&acts, held.count.clone(), count)));
        if self.ctx.robust.is_some() {
            let state = Expr::ite(held.orphaned.clone(), self.int(INHERITED), held.state.clone());
            held.ops.push(self.set_word(&mutex, 8, unless(&acts, held.state.clone(), state)));
        }
        let deadlock = and(held.mine.clone(), held.is(ERROR_CHECKING));
        let error = self.temporary(Width::INT);
        let value = Expr::ite(deadlock, self.int(errno::EDEADLK), held.inherits(self.int(0)));
        held.ops.push(Op::Set { var: error, value });
        let lost = held.lost();
        self.transact(ordered(held.ops, Order::Acquire), sync);
        self.check_flag(flag, "lock of a mutex");
        self.act_on(acts);
        self.give_back_if(lost, &mutex);
        Expr::Reg(error, Width::INT)
    }

    /// A mutex that is not recoverable has no owner.
    fn give_back_if(&mut self, lost: Expr, mutex: &Expr) {
        if lost.as_const() == Some(0) {
            return;
        }
        let (give_back, done) = (self.new_location(), self.new_location());
        self.branch(lost, give_back, done);
        self.open(give_back);
        let free = self.set_word(mutex, 0, self.int(0));
        let sync = Sync { kind: SyncKind::Unlock, object: mutex.clone() };
        self.transact(ordered(vec![free], Order::Release), Some(sync));
        self.goto(done);
        self.open(done);
    }

    fn try_lock(&mut self, mutex: Expr, kinds: bool, busy: u128, name: &str) -> Expr {
        let sync = Some(Sync { kind: SyncKind::TryLock, object: mutex.clone() });
        let flag = self.flag_of(&mutex, name);
        let mut held = self.held_mutex(&mutex);
        held.ops = flag.before(std::mem::take(&mut held.ops));
        let mut gets_it = self.unless_spurious(held.free(), &mut held.ops);
        let one = self.int(1);
        let mut failure = self.int(busy);
        if kinds {
            let again = and(held.mine.clone(), held.is(RECURSIVE));
            let more = Expr::binary(BinOp::Add, held.count.clone(), one.clone());
            let fresh = or(gets_it, held.orphaned.clone());
            let count = Expr::ite(again.clone(), more, Expr::ite(fresh.clone(), one, held.count.clone()));
            held.ops.push(self.set_word(&mutex, 4, count));
            gets_it = and(or(fresh, again), held.lost().negated());
            let waits = busy != errno::EBUSY && busy != 1;
            if waits {
                // A timed wait for what one holds: an error-checking mutex says so.
                let own = and(held.mine.clone(), held.is(ERROR_CHECKING));
                failure = Expr::ite(own, self.int(errno::EDEADLK), failure);
            }
        }
        let owner = Expr::ite(gets_it.clone(), self.owner(), held.owner.clone());
        held.ops.push(self.set_word(&mutex, 0, owner));
        let error = self.temporary(Width::INT);
        let mut value = Expr::ite(gets_it, self.int(0), failure);
        if self.ctx.robust.is_some() && kinds {
            let state = Expr::ite(held.orphaned.clone(), self.int(INHERITED), held.state.clone());
            held.ops.push(self.set_word(&mutex, 8, state));
            value = held.inherits(value);
        }
        held.ops.push(Op::Set { var: error, value });
        if !kinds {
            held.ops.retain(|op| !matches!(op, Op::Set { var, .. } if held.unneeded.contains(var)));
        }
        self.transact(ordered(held.ops, Order::Acquire), sync);
        self.check_flag(flag, "lock of a mutex");
        Expr::Reg(error, Width::INT)
    }

    /// Unlocking a mutex of another thread, or a free one, frees it if it is a normal one. Besides the operations and the result this gives when POSIX allows it.
    pub(super) fn unlock_ops(&mut self, mutex: &Expr, kinds: bool) -> (Vec<Op>, Expr, Expr) {
        if !kinds {
            let free = self.set_word(mutex, 0, self.int(0));
            if !self.ctx.checks.undefined {
                return (vec![free], self.int(0), Expr::truth(true));
            }
            let owner = self.temporary(Width::INT);
            let read = Op::Set { var: owner, value: self.word_at(mutex, 0) };
            let holds = Expr::binary(BinOp::Eq, Expr::Reg(owner, Width::INT), self.owner());
            return (vec![read, free], self.int(0), holds);
        }
        let mut held = self.held_mutex(mutex);
        let checks_owner = or(held.knows_owner(), held.robust.clone());
        let holds = or(held.mine.clone(), checks_owner.clone());
        let allowed = or(held.mine.clone(), checks_owner.negated());
        let one = self.int(1);
        let nested = Expr::binary(BinOp::ULt, one.clone(), held.count.clone());
        let stays = Expr::binary(BinOp::And, held.is(RECURSIVE), nested);
        let freed = Expr::binary(BinOp::And, allowed.clone(), stays.negated());
        let fewer = Expr::binary(BinOp::Sub, held.count.clone(), one);
        let counted = Expr::binary(BinOp::And, allowed.clone(), held.is(RECURSIVE));
        let count = Expr::ite(counted, fewer, held.count.clone());
        let owner = Expr::ite(freed.clone(), self.int(0), held.owner.clone());
        held.ops.push(self.set_word(mutex, 4, count));
        held.ops.push(self.set_word(mutex, 0, owner));
        if self.ctx.robust.is_some() {
            let inherited = Expr::binary(BinOp::Eq, held.state.clone(), self.int(INHERITED));
            let state = Expr::ite(and(freed, inherited), self.int(NOT_RECOVERABLE), held.state.clone());
            held.ops.push(self.set_word(mutex, 8, state));
        }
        let error = self.temporary(Width::INT);
        let value = Expr::ite(allowed, self.int(0), self.int(errno::EPERM));
        held.ops.push(Op::Set { var: error, value });
        (held.ops, Expr::Reg(error, Width::INT), holds)
    }

    /// Reads a mutex at the start of a transaction.
    pub(super) fn held_mutex(&mut self, mutex: &Expr) -> HeldMutex {
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
        let (no, zero) = (Expr::constant(0, Width::BOOL), self.int(0));
        let mut held = HeldMutex {
            mine: Expr::binary(BinOp::Eq, owner.clone(), self.owner()),
            kind: kind.clone(),
            state: zero.clone(),
            robust: no.clone(),
            orphaned: no,
            unneeded: Vec::new(),
            ops: Vec::new(),
            owner: owner.clone(),
            count,
        };
        if let Some(ended) = self.ctx.robust {
            held.state = read(self, 8);
            held.kind = Expr::binary(BinOp::And, kind.clone(), self.int(KIND));
            let bit = Expr::binary(BinOp::And, kind, self.int(ROBUST));
            held.robust = Expr::binary(BinOp::Ne, bit, zero);
            held.orphaned = and(held.robust.clone(), self.has_ended(ended, owner));
        }
        held.unneeded = vars.split_off(1);
        held.ops = ops;
        held
    }
}

/// The old value of a word if the thread is cancelled instead, else the new one.
fn unless(cancelled: &Expr, old: Expr, new: Expr) -> Expr {
    if cancelled.as_const() == Some(0) { new } else { Expr::ite(cancelled.clone(), old, new) }
}

/// A mutex whose words have been read.
pub(super) struct HeldMutex {
    pub(super) ops: Vec<Op>,
    owner: Expr,
    count: Expr,
    kind: Expr,
    pub(super) mine: Expr,
    /// Of a robust mutex: its state.
    state: Expr,
    /// The condition that it is robust.
    pub(super) robust: Expr,
    /// The condition that it is robust and its owner has ended.
    orphaned: Expr,
    /// Registers that a mutex without kinds does not need.
    unneeded: Vec<VarId>,
}

impl HeldMutex {
    fn free(&self) -> Expr {
        Expr::binary(BinOp::Eq, self.owner.clone(), Expr::constant(0, Width::INT))
    }
    fn is(&self, kind: u128) -> Expr {
        Expr::binary(BinOp::Eq, self.kind.clone(), Expr::constant(kind, Width::INT))
    }
    /// The condition that this kind of mutex knows who owns it.
    pub(super) fn knows_owner(&self) -> Expr {
        or(self.is(RECURSIVE), self.is(ERROR_CHECKING))
    }
    /// The condition that the state of what it protects was lost for good.
    fn lost(&self) -> Expr {
        let state = Expr::constant(NOT_RECOVERABLE, Width::INT);
        and(self.robust.clone(), Expr::binary(BinOp::Eq, self.state.clone(), state))
    }
    /// The result of taking it, which is `otherwise` unless an owner has ended.
    fn inherits(&self, otherwise: Expr) -> Expr {
        if self.robust.as_const() == Some(0) {
            return otherwise;
        }
        let lost = Expr::constant(errno::ENOTRECOVERABLE, Width::INT);
        let otherwise = Expr::ite(self.lost(), lost, otherwise);
        Expr::ite(self.orphaned.clone(), Expr::constant(errno::EOWNERDEAD, Width::INT), otherwise)
    }
}

/// Returns true if some mutex may be recursive or error-checking: a kind is set by a call, or by an initialiser that is not
/// all zeros.
pub(super) fn uses_mutex_kinds(module: &hir::Module) -> bool {
    let set_by_call = module.functions.iter().any(|f| {
        matches!(
            f.name.as_str(),
            "pthread_mutexattr_settype"
                | "pthread_mutexattr_setkind_np"
                | "pthread_mutexattr_setrobust"
                | "mtx_init"
                | "flockfile"
                | "ftrylockfile"
        )
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

/// Returns true if some mutex may be robust.
pub(super) fn uses_robust(module: &hir::Module) -> bool {
    module.functions.iter().any(|f| f.name == "pthread_mutexattr_setrobust")
}

/// Returns true if a type has a mutex inside, as glibc and most others call it.
fn has_mutex(types: &TypeTable, ty: Ty) -> bool {
    has_record(types, ty, "pthread_mutex")
}

/// Whether a type has a record inside whose tag contains this.
pub(super) fn has_record(types: &TypeTable, ty: Ty, tag: &str) -> bool {
    let record_has = |id: RecordId| {
        let record = types.record(id);
        record.tag.contains(tag)
            || record.layout.as_ref().is_some_and(|l| l.fields.iter().any(|f| has_record(types, f.ty, tag)))
    };
    match types.get(ty) {
        Type::Record(id) => record_has(*id),
        Type::Array(element, _) | Type::Vla(element, _) | Type::Atomic(element) => {
            has_record(types, *element, tag)
        }
        _ => false,
    }
}
