//! Synchronisation objects: mutexes, spinlocks, readers–writer locks, semaphores, barriers, condition variables, once.
//!
//! They live in the words of memory that the user's object occupies, so that a zero-initialised object is a valid one, as it
//! is in glibc:
//!
//! | object | word at 0 | at 4 | at 8 | further |
//! |---|---|---|---|---|
//! | mutex, spinlock | owner's handle, or 0 | count | robust: 0 consistent, 1 inherited, 2 not recoverable | kind, where glibc has it (12 or 16) |
//! | readers–writer lock | writer's handle, or 0 | readers | | |
//! | semaphore | value | | | |
//! | barrier | count to reach | arrived | generation | |
//! | once | 0 new, 1 running, 2 done | | | |
//!
//! Condition variables have no state of their own: who waits is state of the waiting thread. What misuse means is in
//! docs/SOUNDNESS.md (A7–A11). A timed wait can time out whenever it would block.
//!
//! A robust mutex whose owner has ended can be taken as if it were free. One that is not recoverable is taken and given back at
//! once, so that whatever is tagged as taking a lock holds it for at least one step.

use super::function::Builder;
use super::scalar;
use crate::hir;
use crate::types::{RecordId, Ty, Type, TypeTable};
use program::{Action, BinOp, Callee, Expr, LocId, Op, Order, Sync, SyncKind, VarId, Width};

/// Error numbers of Linux.
mod errno {
    pub(super) const EPERM: u128 = 1;
    pub(super) const EBUSY: u128 = 16;
    pub(super) const EDEADLK: u128 = 35;
    pub(super) const ETIMEDOUT: u128 = 110;
    pub(super) const EOWNERDEAD: u128 = 130;
    pub(super) const ENOTRECOVERABLE: u128 = 131;
}

/// Kinds of mutexes, as glibc numbers them; all others behave like a normal one.
const RECURSIVE: u128 = 1;
const ERROR_CHECKING: u128 = 2;
/// The bits of a mutex's kind, and the bit beside them that makes it robust.
const KIND: u128 = 3;
const ROBUST: u128 = 1 << 4;
/// States of a robust mutex.
const INHERITED: u128 = 1;
const NOT_RECOVERABLE: u128 = 2;
/// The greatest value of a semaphore.
const MAX_SEMAPHORE: u128 = 0x7fff_ffff;

impl<'m> Builder<'_, 'm> {
    // ---- mutexes --------------------------------------------------------------------------------------------

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
        let c11 = name.starts_with("mtx_");
        let kinds = self.ctx.mutex_kinds && !name.starts_with("pthread_spin");
        let result = match busy {
            Some(busy) if c11 => {
                let code = if busy == errno::EBUSY { 1 } else { 4 }; // thrd_busy, thrd_timedout
                return Some(self.try_lock(mutex, kinds, code));
            }
            Some(busy) => self.try_lock(mutex, kinds, busy),
            None if lock => self.lock(mutex, kinds),
            None => {
                let (ops, result) = self.unlock_ops(&mutex, kinds);
                self.transact(ops, Some(Sync { kind: SyncKind::Unlock, object: mutex }));
                result
            }
        };
        Some(if c11 && result.as_const().is_none() { self.c11_result(result) } else { result })
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
        let mine_again = and(held.mine.clone(), held.knows_owner());
        held.ops.push(Op::Guard(or(or(held.free(), mine_again), held.orphaned.clone())));
        let one = self.int(1);
        let more = Expr::binary(BinOp::Add, held.count.clone(), one.clone());
        let again = Expr::ite(held.is(RECURSIVE), more, held.count.clone());
        held.ops.push(self.set_word(&mutex, 0, self.owner()));
        held.ops.push(self.set_word(&mutex, 4, Expr::ite(held.mine.clone(), again, one)));
        if self.ctx.robust.is_some() {
            let state = Expr::ite(held.orphaned.clone(), self.int(INHERITED), held.state.clone());
            held.ops.push(self.set_word(&mutex, 8, state));
        }
        let deadlock = and(held.mine.clone(), held.is(ERROR_CHECKING));
        let error = self.temporary(Width::INT);
        let value = Expr::ite(deadlock, self.int(errno::EDEADLK), held.inherits(self.int(0)));
        held.ops.push(Op::Set { var: error, value });
        let lost = held.lost();
        self.transact(held.ops, sync);
        self.give_back_if(lost, &mutex);
        Expr::Reg(error, Width::INT)
    }

    /// A mutex that is not recoverable stays with nobody.
    fn give_back_if(&mut self, lost: Expr, mutex: &Expr) {
        if lost.as_const() == Some(0) {
            return;
        }
        let (give_back, done) = (self.new_location(), self.new_location());
        self.branch(lost, give_back, done);
        self.open(give_back);
        let free = self.set_word(mutex, 0, self.int(0));
        self.transact(vec![free], Some(Sync { kind: SyncKind::Unlock, object: mutex.clone() }));
        self.goto(done);
        self.open(done);
    }

    fn try_lock(&mut self, mutex: Expr, kinds: bool, busy: u128) -> Expr {
        let sync = Some(Sync { kind: SyncKind::TryLock, object: mutex.clone() });
        let mut held = self.held_mutex(&mutex);
        let mut gets_it = held.free();
        let one = self.int(1);
        let mut failure = self.int(busy);
        if kinds {
            let again = and(held.mine.clone(), held.is(RECURSIVE));
            let more = Expr::binary(BinOp::Add, held.count.clone(), one.clone());
            let fresh = or(held.free(), held.orphaned.clone());
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
        self.transact(held.ops, sync);
        Expr::Reg(error, Width::INT)
    }

    /// Unlocking a mutex of another thread, or a free one, frees it if it is a normal one.
    fn unlock_ops(&mut self, mutex: &Expr, kinds: bool) -> (Vec<Op>, Expr) {
        if !kinds {
            return (vec![self.set_word(mutex, 0, self.int(0))], self.int(0));
        }
        let mut held = self.held_mutex(mutex);
        let checks_owner = or(held.knows_owner(), held.robust.clone());
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

    // ---- other synchronisation ------------------------------------------------------------------------------

    pub(super) fn sync_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
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
            "pthread_rwlock_timedrdlock"
            | "pthread_rwlock_timedwrlock"
            | "pthread_rwlock_clockrdlock"
            | "pthread_rwlock_clockwrlock" => {
                let lock = object(self)?;
                self.try_rwlock(lock, name.ends_with("wrlock"), errno::ETIMEDOUT)
            }
            "pthread_rwlock_unlock" => {
                let lock = object(self)?;
                self.rwlock_unlock(lock)
            }
            "sem_wait" => {
                let sem = object(self)?;
                self.sem_wait(sem)
            }
            "__threadproof_sem_try" => {
                let sem = object(self)?;
                self.sem_try(sem)
            }
            "sem_post" => {
                let sem = object(self)?;
                self.sem_post(sem)
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

    /// Three steps: release and start to wait, be woken, take the mutex again. Where threads are cancelled there are two more:
    /// before and after the release it is tested whether there is a request, which may have come too early to wake anybody.
    fn cond_wait(&mut self, args: &'m [hir::Expr], time_out: Option<u128>) -> Option<Expr> {
        let (cond, mutex) = (self.word_argument(args.first()?), self.word_argument(args.get(1)?));
        if !self.ctx.mutex_kinds {
            return Some(self.wait(cond, mutex, time_out).0);
        }
        let error = self.temporary(Width::INT);
        let done = self.new_location();
        self.refuse_to_wait(&mutex, error, done);
        let (value, locked) = self.wait(cond, mutex, time_out);
        let value = match self.ctx.robust {
            Some(_) => Expr::ite(self.equals(locked.clone(), 0), value, locked),
            None => value,
        };
        self.push(Op::Set { var: error, value });
        self.join(done);
        Some(Expr::Reg(error, Width::INT))
    }

    /// Waits; gives the result of waiting, and that of taking the mutex again.
    fn wait(&mut self, cond: Expr, mutex: Expr, time_out: Option<u128>) -> (Expr, Expr) {
        let kinds = self.ctx.mutex_kinds;
        self.test_cancel(false);
        let sync = || Some(Sync { kind: SyncKind::CondWait, object: cond.clone() });
        let (mut ops, _) = self.unlock_ops(&mutex, kinds);
        ops.extend(self.say_where_it_waits(cond.clone()));
        ops.push(Op::WaitBegin(cond.clone()));
        self.transact(ops, sync());
        let (timed_out, request) = self.wait_end(time_out.is_some(), sync);
        let locked = self.lock(mutex, kinds);
        if let Some(request) = request {
            self.act_on(request);
        }
        let fine = self.int(0);
        (time_out.map_or(fine.clone(), |code| Expr::ite(timed_out, self.int(code), fine)), locked)
    }

    /// Who waits with a mutex that knows its owner has to be the owner.
    fn refuse_to_wait(&mut self, mutex: &Expr, error: VarId, done: LocId) {
        let mut held = self.held_mutex(mutex);
        let foreign = and(or(held.knows_owner(), held.robust.clone()), held.mine.clone().negated());
        let refused = self.temporary(Width::BOOL);
        held.ops.push(Op::Set { var: refused, value: foreign });
        self.transact(held.ops, None);
        let (refuse, wait) = (self.new_location(), self.new_location());
        self.branch(Expr::Reg(refused, Width::BOOL), refuse, wait);
        self.open(refuse);
        self.push(Op::Set { var: error, value: self.int(errno::EPERM) });
        self.goto(done);
        self.open(wait);
    }

    /// The end of a wait; gives whether it timed out, and whether there was a request to cancel the thread.
    fn wait_end(&mut self, timed: bool, sync: impl Fn() -> Option<Sync>) -> (Expr, Option<Expr>) {
        let (mut wake, mut out) = (Vec::new(), Expr::constant(0, Width::BOOL));
        if timed {
            let bit = self.temporary(Width::BOOL);
            wake.push(Op::Havoc { var: bit });
            out = Expr::Reg(bit, Width::BOOL);
        }
        let Some((early, requested)) = self.note_request() else {
            wake.insert(0, Op::WaitEnd { timed });
            self.transact(wake, sync());
            return (out, None);
        };
        self.transact(vec![early], None);
        let (late, wait, woken) = (self.new_location(), self.new_location(), self.new_location());
        self.branch(requested.clone(), late, wait);
        self.open(late);
        self.transact(vec![Op::WaitEnd { timed: true }], sync());
        self.goto(woken);
        self.open(wait);
        wake.insert(0, Op::WaitEnd { timed });
        if let (Some((Op::Set { value, .. }, _)), Expr::Reg(var, _)) = (self.note_request(), &requested) {
            wake.push(Op::Set { var: *var, value });
        }
        wake.extend(self.say_where_it_waits(self.word(0)));
        self.transact(wake, sync());
        self.goto(woken);
        self.open(woken);
        (out, Some(requested))
    }

    /// Waits for a semaphore; a request to cancel the thread ends the wait.
    fn sem_wait(&mut self, sem: Expr) -> Expr {
        if let Some(interruptible) = self.ctx.model_function("__threadproof_sem_wait") {
            self.test_cancel(false);
            let result = self.temporary(Width::INT);
            self.call_direct(interruptible, vec![sem], Some(result));
            return Expr::Reg(result, Width::INT);
        }
        let value = self.word_at(&sem, 0);
        let positive = Expr::binary(BinOp::SLt, self.int(0), value.clone());
        let less = Expr::binary(BinOp::Sub, value.clone(), self.int(1));
        let sync = Some(Sync { kind: SyncKind::SemWait, object: sem.clone() });
        let Some((note, requested)) = self.note_request() else {
            self.transact(vec![Op::Guard(positive), self.set_word(&sem, 0, less)], sync);
            return self.int(0);
        };
        let guard = Op::Guard(or(requested.clone(), positive));
        let take = self.set_word(&sem, 0, Expr::ite(requested.clone(), value, less));
        self.transact(vec![note, guard, take], sync);
        self.act_on(requested);
        self.int(0)
    }

    /// Increments a semaphore, unless that would overflow.
    fn sem_post(&mut self, sem: Expr) -> Expr {
        let sync = Some(Sync { kind: SyncKind::SemPost, object: sem.clone() });
        let one = self.int(1);
        let Some(overflow) = self.ctx.model_function("__threadproof_sem_overflow") else {
            let more = Expr::binary(BinOp::Add, self.word_at(&sem, 0), one);
            self.transact(vec![self.set_word(&sem, 0, more)], sync);
            return self.int(0);
        };
        let (value, result) = (self.temporary(Width::INT), self.temporary(Width::INT));
        let read = Expr::Reg(value, Width::INT);
        let full = self.equals(read.clone(), MAX_SEMAPHORE);
        let more = Expr::ite(full.clone(), read.clone(), Expr::binary(BinOp::Add, read, one));
        let ops = vec![
            Op::Set { var: value, value: self.word_at(&sem, 0) },
            self.set_word(&sem, 0, more),
            Op::Set { var: result, value: self.int(0) },
        ];
        self.transact(ops, sync);
        let (fails, done) = (self.new_location(), self.new_location());
        self.branch(full, fails, done);
        self.open(fails);
        self.call_direct(overflow, Vec::new(), Some(result));
        self.goto(done);
        self.open(done);
        Expr::Reg(result, Width::INT)
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
}

/// A mutex whose words have been read.
struct HeldMutex {
    ops: Vec<Op>,
    owner: Expr,
    count: Expr,
    kind: Expr,
    mine: Expr,
    /// Of a robust mutex: its state.
    state: Expr,
    /// Whether it is robust.
    robust: Expr,
    /// Whether it is robust and its owner has ended.
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
    /// Whether this kind of mutex knows who owns it.
    fn knows_owner(&self) -> Expr {
        or(self.is(RECURSIVE), self.is(ERROR_CHECKING))
    }
    /// Whether the state of what it protects was lost for good.
    fn lost(&self) -> Expr {
        Expr::binary(BinOp::Eq, self.state.clone(), Expr::constant(NOT_RECOVERABLE, Width::INT))
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

/// Conjunction of truth values, folded if one is constant.
pub(super) fn and(left: Expr, right: Expr) -> Expr {
    match (left.as_const(), right.as_const()) {
        (Some(0), _) | (_, Some(1)) => left,
        (_, Some(0)) | (Some(1), _) => right,
        _ => Expr::binary(BinOp::And, left, right),
    }
}

/// Disjunction of truth values, folded if one is constant.
pub(super) fn or(left: Expr, right: Expr) -> Expr {
    match (left.as_const(), right.as_const()) {
        (Some(1), _) | (_, Some(0)) => left,
        (_, Some(1)) | (Some(0), _) => right,
        _ => Expr::binary(BinOp::Or, left, right),
    }
}

fn free_for(writer: &Expr, readers: &Expr, write: bool) -> Expr {
    let none = |e: &Expr| Expr::binary(BinOp::Eq, e.clone(), Expr::constant(0, Width::INT));
    if write { Expr::binary(BinOp::And, none(writer), none(readers)) } else { none(writer) }
}

/// Whether some mutex may be recursive or error-checking: a kind is set by a call, or by an initialiser that is not
/// all zeros.
pub(super) fn uses_mutex_kinds(module: &hir::Module) -> bool {
    let set_by_call = module.functions.iter().any(|f| {
        matches!(
            f.name.as_str(),
            "pthread_mutexattr_settype"
                | "pthread_mutexattr_setkind_np"
                | "pthread_mutexattr_setrobust"
                | "mtx_init"
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

/// Whether some mutex may be robust.
pub(super) fn uses_robust(module: &hir::Module) -> bool {
    module.functions.iter().any(|f| f.name == "pthread_mutexattr_setrobust")
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
