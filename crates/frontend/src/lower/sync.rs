//! Synchronisation objects: readers–writer locks, semaphores, barriers, condition variables, once; mutexes are in
//! [`mutex`](super::mutex).
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
//! Condition variables have no state of their own (but for [`misuse`](super::misuse)): who waits is state of the waiting thread. What misuse means is in
//! docs/SOUNDNESS.md (A7–A11). A timed wait can time out whenever it would block.

use super::function::Builder;
use super::misuse::Waiters;
use super::scalar;
use crate::hir;
use program::{BinOp, Expr, LocId, Op, Order, Sync, SyncKind, UndefinedKind, VarId, Width};

/// Error numbers of Linux.
pub(super) mod errno {
    pub(in crate::lower) const EPERM: u128 = 1;
    pub(in crate::lower) const EBUSY: u128 = 16;
    pub(in crate::lower) const EDEADLK: u128 = 35;
    pub(in crate::lower) const ETIMEDOUT: u128 = 110;
    pub(in crate::lower) const EOWNERDEAD: u128 = 130;
    pub(in crate::lower) const ENOTRECOVERABLE: u128 = 131;
}

/// The greatest value of a semaphore.
const MAX_SEMAPHORE: u128 = 0x7fff_ffff;

impl<'m> Builder<'_, 'm> {
    /// A word of a synchronisation object, read as part of a transaction; what the order is to others, [`ordered`] says afterwards.
    pub(super) fn word_at(&self, object: &Expr, offset: u64) -> Expr {
        let addr = Box::new(self.offset(object.clone(), offset));
        Expr::Load { addr, width: Width::INT, order: Order::SeqCst }
    }

    /// Writes a word of a synchronisation object.
    pub(super) fn set_word(&self, object: &Expr, offset: u64, value: Expr) -> Op {
        Op::Store { addr: self.offset(object.clone(), offset), value, order: Order::SeqCst }
    }

    /// This thread's handle as it is stored in locks.
    pub(super) fn owner(&self) -> Expr {
        scalar::resize(Expr::SelfHandle(self.ctx.model.pointer()), false, Width::INT)
    }

    pub(super) fn equals(&self, value: Expr, constant: u128) -> Expr {
        let width = value.width();
        Expr::binary(BinOp::Eq, value, Expr::constant(constant, width))
    }

    pub(super) fn sync_call(&mut self, name: &str, args: &'m [hir::Expr]) -> Option<Expr> {
        let object = |builder: &mut Self| Some(builder.word_argument(args.first()?));
        Some(match name {
            "pthread_cond_wait" | "cnd_wait" => self.cond_wait(args, None)?,
            "pthread_cond_timedwait" | "pthread_cond_clockwait" => {
                self.until(name, args, |builder| builder.cond_wait(args, Some(errno::ETIMEDOUT)))?
            }
            // thrd_timedout
            "cnd_timedwait" => self.until(name, args, |builder| builder.cond_wait(args, Some(4)))?,
            "pthread_cond_signal" | "cnd_signal" | "pthread_cond_broadcast" | "cnd_broadcast" => {
                let cond = object(self)?;
                self.cond_signal(cond, name.ends_with("broadcast"))
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
                let (lock, writes) = (object(self)?, name.ends_with("wrlock"));
                self.until(name, args, |b| Some(b.try_rwlock(lock, writes, errno::ETIMEDOUT)))?
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

    fn cond_signal(&mut self, cond: Expr, all: bool) -> Expr {
        if !self.wake(cond.clone(), all) {
            let sync = Sync { kind: SyncKind::CondSignal, object: cond.clone() };
            let waiters = self.waiters_of(&cond);
            let (mut ops, alive) =
                waiters.map_or((Vec::new(), Expr::truth(true)), |waiters| self.note_signal(&waiters, all));
            ops.extend(self.touch_cond(&cond));
            ops.push(Op::Signal { cond, all });
            self.transact(ops, Some(sync));
            let what = "signal to a condition variable that was destroyed, or never initialised";
            self.check(alive, UndefinedKind::UseAfterDestroy, what);
        }
        self.int(0)
    }

    /// Three steps: release and start to wait, be woken, take the mutex again. Where threads are cancelled there are two more:
    /// before and after the release it is tested whether there is a request, which may have come too early to wake a waiter.
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
        let (mut ops, _, holds) = self.unlock_ops(&mutex, kinds);
        let waiters = self.waiters_of(&cond);
        ops.extend(self.touch_cond(&cond));
        let bound = waiters.as_ref().map(|waiters| self.begin_wait(waiters, &mutex, &mut ops));
        let early = self.note_request().map(|(note, requested)| {
            ops.push(note);
            requested
        });
        ops.extend(self.say_where_it_waits(cond.clone()));
        ops.push(Op::WaitBegin(self.own_condition().unwrap_or(cond.clone())));
        self.transact(ops, sync());
        let what = "wait on a condition variable with a mutex that the thread does not hold";
        self.check(holds, UndefinedKind::WaitWithoutMutex, what);
        if let Some((alive, same)) = bound {
            let what = "wait on a condition variable that was destroyed, or never initialised";
            self.check(alive, UndefinedKind::UseAfterDestroy, what);
            let what = "wait on a condition variable on which others wait with another mutex";
            self.check(same, UndefinedKind::WaitWithTwoMutexes, what);
        }
        let (timed_out, request) = self.wait_end(time_out.is_some(), early, waiters.as_ref(), sync);
        let locked = self.lock(mutex, kinds, "");
        if let Some(request) = request {
            self.act_after_wait(cond.clone(), request);
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

    /// The end of a wait, at once if there was a request `early`. Gives whether it timed out, and whether a request has to be acted on.
    fn wait_end(
        &mut self,
        timed: bool,
        early: Option<Expr>,
        waiters: Option<&Waiters>,
        sync: impl Fn() -> Option<Sync>,
    ) -> (Expr, Option<(Expr, Expr)>) {
        let (mut wake, mut out) = (vec![Op::WaitEnd { timed, woken: None }], Expr::constant(0, Width::BOOL));
        if timed && self.ctx.checks.termination {
            // SOUNDNESS: A25. Otherwise it could end for no reason, and not by its deadline, again and again.
            self.ctx.assume(self.span, "a timed wait ends by a signal or by its deadline".to_owned());
            let woken = self.temporary(Width::BOOL);
            wake[0] = Op::WaitEnd { timed, woken: Some(woken) };
            out = Expr::Reg(woken, Width::BOOL).negated();
        } else if timed {
            let bit = self.temporary(Width::BOOL);
            wake.push(Op::Havoc { var: bit });
            out = Expr::Reg(bit, Width::BOOL);
        }
        wake.extend(waiters.map(|waiters| self.end_wait(waiters)).unwrap_or_default());
        let request = self.stop_waiting(&mut wake);
        let Some(early) = early else {
            self.transact(wake, sync());
            return (out, None);
        };
        let mut at_once = wake.clone();
        if let Op::WaitEnd { timed, .. } = &mut at_once[0] {
            *timed = true;
        }
        let (late, wait, woken) = (self.new_location(), self.new_location(), self.new_location());
        self.branch(early, late, wait);
        for (start, ops) in [(late, at_once), (wait, wake)] {
            self.open(start);
            self.transact(ops, sync());
            self.goto(woken);
        }
        self.open(woken);
        (out, request)
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
            let flag = self.flag_of(&sem, "sem");
            let ready = self.or_is_invalid(positive, &flag);
            let ops = flag.before(vec![Op::Guard(ready), self.set_word(&sem, 0, less)]);
            self.transact(ordered(ops, Order::Acquire), sync);
            self.check_semaphore(flag, "wait for a semaphore");
            return self.int(0);
        };
        let guard = Op::Guard(or(requested.clone(), positive));
        let take = self.set_word(&sem, 0, Expr::ite(requested.clone(), value, less));
        self.transact(ordered(vec![note, guard, take], Order::Acquire), sync);
        self.act_on(requested);
        self.int(0)
    }

    /// Increments a semaphore, unless that would overflow.
    fn sem_post(&mut self, sem: Expr) -> Expr {
        let sync = Some(Sync { kind: SyncKind::SemPost, object: sem.clone() });
        let one = self.int(1);
        let Some(overflow) = self.ctx.model_function("__threadproof_sem_overflow") else {
            let more = Expr::binary(BinOp::Add, self.word_at(&sem, 0), one);
            let flag = self.flag_of(&sem, "sem");
            self.transact(flag.before(vec![self.set_word(&sem, 0, more)]), sync);
            self.check_semaphore(flag, "post of a semaphore");
            return self.int(0);
        };
        let (value, result) = (self.temporary(Width::INT), self.temporary(Width::INT));
        let read = Expr::Reg(value, Width::INT);
        let full = self.equals(read.clone(), MAX_SEMAPHORE);
        let more = Expr::ite(full.clone(), read.clone(), Expr::binary(BinOp::Add, read, one));
        let flag = self.flag_of(&sem, "sem");
        let ops = flag.before(vec![
            Op::Set { var: value, value: self.word_at(&sem, 0) },
            self.set_word(&sem, 0, more),
            Op::Set { var: result, value: self.int(0) },
        ]);
        self.transact(ops, sync);
        self.check_semaphore(flag, "post of a semaphore");
        let (fails, done) = (self.new_location(), self.new_location());
        self.branch(full, fails, done);
        self.open(fails);
        self.call_direct(overflow, Vec::new(), Some(result));
        self.goto(done);
        self.open(done);
        Expr::Reg(result, Width::INT)
    }

    fn rwlock(&mut self, lock: Expr, write: bool) -> Expr {
        self.limit_readers();
        let kind = if write { SyncKind::WriteLock } else { SyncKind::ReadLock };
        let (mut ops, writer, readers) = self.held_rwlock(&lock);
        let mine = Expr::binary(BinOp::Eq, writer.clone(), self.owner());
        let free = free_for(&writer, &readers, write);
        let flag = self.flag_of(&lock, "pthread_rwlock");
        ops = flag.before(ops);
        let acts = self.block_until(&mut ops, Expr::binary(BinOp::Or, free, mine.clone()));
        let taken = and(mine.clone().negated(), acts.clone().negated());
        self.take_rwlock(&lock, &mut ops, taken, &writer, &readers, write);
        let error = self.temporary(Width::INT);
        ops.push(Op::Set { var: error, value: Expr::ite(mine, self.int(errno::EDEADLK), self.int(0)) });
        let sync = self.unless_asynchronous(Some(Sync { kind, object: lock }));
        self.transact(ordered(ops, Order::Acquire), sync);
        self.check_flag(flag, "lock of a readers–writer lock");
        self.act_on(acts);
        Expr::Reg(error, Width::INT)
    }

    fn try_rwlock(&mut self, lock: Expr, write: bool, busy: u128) -> Expr {
        self.limit_readers();
        let kind = if write { SyncKind::WriteLock } else { SyncKind::ReadLock };
        let (mut ops, writer, readers) = self.held_rwlock(&lock);
        let free = free_for(&writer, &readers, write);
        let free = self.unless_spurious(free, &mut ops);
        self.take_rwlock(&lock, &mut ops, free.clone(), &writer, &readers, write);
        let error = self.temporary(Width::INT);
        ops.push(Op::Set { var: error, value: Expr::ite(free, self.int(0), self.int(busy)) });
        self.transact(ordered(ops, Order::Acquire), Some(Sync { kind, object: lock }));
        Expr::Reg(error, Width::INT)
    }

    /// The condition that a lock that could be taken without waiting is taken. C11 lets a try-lock fail for no reason (7.26.4.5), so that its failure
    /// tells nothing about other threads; under sequential consistency none does.
    pub(super) fn unless_spurious(&mut self, could: Expr, ops: &mut Vec<Op>) -> Expr {
        if !self.ctx.checks.memory_model.is_weak() {
            return could;
        }
        let (works, takes) = (self.temporary(Width::BOOL), self.temporary(Width::BOOL));
        ops.push(Op::Havoc { var: works });
        ops.push(Op::Set { var: takes, value: and(could, Expr::Reg(works, Width::BOOL)) });
        Expr::Reg(takes, Width::BOOL)
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
        &mut self,
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
            ops.extend(self.count_reader(lock, &taken));
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
        let holds = self.holds_rwlock(&lock, &writer, &read, &mut ops);
        ops.push(self.set_word(&lock, 0, self.int(0)));
        ops.push(self.set_word(&lock, 4, Expr::ite(read, fewer, readers)));
        self.transact(ordered(ops, Order::Release), Some(Sync { kind: SyncKind::RwUnlock, object: lock }));
        let what = "unlock of a readers–writer lock that the thread does not hold";
        self.check(holds, UndefinedKind::UnlockNotHeld, what);
        self.int(0)
    }

    /// Decrements a semaphore if that does not block; gives whether it did.
    fn sem_try(&mut self, sem: Expr) -> Expr {
        let value = self.temporary(Width::INT);
        let read = Expr::Reg(value, Width::INT);
        let positive = Expr::binary(BinOp::SLt, self.int(0), read.clone());
        let less = Expr::binary(BinOp::Sub, read.clone(), self.int(1));
        let mut ops = vec![Op::Set { var: value, value: self.word_at(&sem, 0) }];
        let positive = self.unless_spurious(positive, &mut ops);
        ops.push(self.set_word(&sem, 0, Expr::ite(positive.clone(), less, read)));
        self.transact(ordered(ops, Order::Acquire), Some(Sync { kind: SyncKind::SemWait, object: sem }));
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
        let (mut ops, count) = self.barrier_count(&barrier);
        ops.extend([
            Op::Set { var: arrived, value: Expr::binary(BinOp::Add, self.word_at(&barrier, 4), one.clone()) },
            Op::Set { var: generation, value: self.word_at(&barrier, 8) },
            Op::Set { var: last, value: Expr::binary(BinOp::Eq, now.clone(), count.clone()) },
            self.set_word(&barrier, 4, Expr::ite(is_last.clone(), self.int(0), now)),
            self.set_word(
                &barrier,
                8,
                Expr::ite(is_last.clone(), Expr::binary(BinOp::Add, mine.clone(), one), mine.clone()),
            ),
        ]);
        self.transact(ops, sync());
        let what = "wait at a barrier that was destroyed, or never initialised";
        self.check(self.equals(count, 0).negated(), UndefinedKind::UseAfterDestroy, what);
        let released = Expr::binary(BinOp::Ne, self.word_at(&barrier, 8), mine);
        let mut wait = Vec::new();
        let acts = self.block_until(&mut wait, released);
        self.transact(wait, sync());
        self.act_on(acts);
        Expr::ite(is_last, self.int(u128::MAX), self.int(0))
    }

    fn once(&mut self, once: Expr, routine: Expr) -> Expr {
        let sync = Some(Sync { kind: SyncKind::Once, object: once.clone() });
        let state = self.temporary(Width::INT);
        let read = Expr::Reg(state, Width::INT);
        let first = self.equals(read.clone(), 0);
        let running = self.equals(read.clone(), 1);
        let mut ops = vec![Op::Set { var: state, value: self.word_at(&once, 0) }];
        let acts = self.block_until(&mut ops, running.negated());
        let starts = and(first.clone(), acts.clone().negated());
        ops.push(self.set_word(&once, 0, Expr::ite(starts, self.int(1), read)));
        self.transact(ops, sync);
        self.act_on(acts);
        let (run, done) = (self.new_location(), self.new_location());
        self.branch(first, run, done);
        self.open(run);
        let undo = self.undo_if_cancelled("__threadproof_reset_once", once.clone());
        match routine {
            Expr::FuncAddr(func, _) => self.call_direct(func, Vec::new(), None),
            other => self.call_through(other, Vec::new(), None),
        }
        self.no_longer_undone(undo);
        let finished = self.set_word(&once, 0, self.int(2));
        self.transact(vec![finished], None);
        self.goto(done);
        self.open(done);
        self.int(0)
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

/// The operations of taking (`Acquire`) or giving back (`Release`) a lock: all atomic accesses get this order.
pub(super) fn ordered(mut ops: Vec<Op>, order: Order) -> Vec<Op> {
    fn loads(expr: &mut Expr, new: Order) {
        expr.walk_mut(&mut |part| match part {
            Expr::Load { order, .. } if *order != Order::Plain => *order = new,
            _ => {}
        });
    }
    for op in &mut ops {
        match op {
            Op::Set { value, .. } | Op::Guard(value) | Op::Assume(value) => loads(value, order),
            Op::Store { value, order: old, .. } => {
                loads(value, order);
                *old = order;
            }
            _ => {}
        }
    }
    ops
}

fn free_for(writer: &Expr, readers: &Expr, write: bool) -> Expr {
    let none = |e: &Expr| Expr::binary(BinOp::Eq, e.clone(), Expr::constant(0, Width::INT));
    if write { Expr::binary(BinOp::And, none(writer), none(readers)) } else { none(writer) }
}
