//! Threads and condition variables: create, join, detach, wait, signal, and a thread's end.

use super::state::Status;
use super::step::{Flow, Step, StepResult, wait_blocks};
use super::{Choice, Event, Identity, Interp, Origin, Site, State, Thread, ThreadId};
use crate::{Expr, VarId, Width};
use base::Idx;
use base::convert::low64;

/// `errno` values that joins and detaches can give.
const ESRCH: u128 = 3;
const EINVAL: u128 = 22;
const EDEADLK: u128 = 35;

impl Interp<'_> {
    /// The handle by which the program knows a thread.
    pub fn handle(thread: ThreadId) -> u128 {
        u128::from(thread.0) + 1
    }

    /// The thread of a handle, unless it has been forgotten.
    pub(super) fn thread_of_handle(state: &State, handle: u128) -> Option<ThreadId> {
        let id = u32::try_from(handle.checked_sub(1)?).ok().map(|n| ThreadId::new(n as usize))?;
        state.thread(id).map(|_| id)
    }

    /// Returns true if a join of `handle` has to wait; misuse does not.
    pub(super) fn join_blocks(&self, state: &State, thread: ThreadId, handle: u128) -> bool {
        let target = Self::thread_of_handle(state, handle).filter(|target| *target != thread);
        let target = target.and_then(|id| state.thread(id));
        target.is_some_and(|t| !t.is_detached() && !t.is_finished())
    }
}

impl Step<'_, '_> {
    pub(super) fn create(&mut self, n: u32, handle: VarId, func: &Expr, arg: &Expr) -> Flow<()> {
        let address = self.value(func)?;
        let func = self.function_at(address, "start")?;
        let arg = self.value(arg)?;
        let limit = self.interp.limits().threads;
        if self.state.threads().filter(|(_, t)| !t.is_finished()).count() >= limit {
            return Err(StepResult::Bound(format!("more than {limit} threads at a time")));
        }
        let site = Site { func: self.frame().func, loc: self.frame().loc, op: n };
        let count = self.running_mut().count(site);
        let child = self.interp.thread(Origin { creator: self.thread, site, count });
        self.interp.start(self.state, child, func, &[arg])?;
        self.tell(|_| Event::Started { thread: child, func });
        self.set_register(handle, Some(Interp::handle(child)));
        Ok(())
    }

    pub(super) fn join(&mut self, handle: &Expr, result: VarId, error: VarId) -> Flow<()> {
        let handle = self.value(handle)?;
        if self.interp.join_blocks(self.state, self.thread, handle) {
            return Err(StepResult::Blocked);
        }
        let target = Interp::thread_of_handle(self.state, handle);
        let status = target.and_then(|id| self.state.thread(id)).map(|t| (t.is_detached(), t.status()));
        let code = match (target, status) {
            (Some(target), _) if target == self.thread => EDEADLK,
            (Some(_), Some((true, _))) => EINVAL,
            (Some(target), Some((false, Status::Finished(value)))) => {
                self.state.forget_thread(target);
                self.tell(|_| Event::Joined { thread: target });
                self.set_register(result, value);
                0
            }
            _ => ESRCH,
        };
        self.set_register(error, Some(code));
        Ok(())
    }

    pub(super) fn detach(&mut self, handle: &Expr, error: VarId) -> Flow<()> {
        let handle = self.value(handle)?;
        let target = Interp::thread_of_handle(self.state, handle);
        let code = match target.and_then(|id| self.state.thread_mut(id)) {
            None => ESRCH,
            Some(thread) if thread.detached => EINVAL,
            Some(thread) => {
                thread.detached = true;
                0
            }
        };
        let gone = target.filter(|id| self.state.thread(*id).is_some_and(|t| t.detached && t.is_finished()));
        if let Some(id) = gone {
            self.state.forget_thread(id);
        }
        self.set_register(error, Some(code));
        Ok(())
    }

    pub(super) fn wait_begin(&mut self, cond: &Expr) -> Flow<()> {
        let cond = low64(self.value(cond)?);
        self.running_mut().status = Status::Waiting { cond, signalled: false };
        Ok(())
    }

    pub(super) fn wait_end(&mut self, timed: bool, woken: Option<VarId>) -> Flow<()> {
        if wait_blocks(self.state, self.thread, timed, self.wakeups) {
            return Err(StepResult::Blocked);
        }
        let signalled = !matches!(self.running_mut().status, Status::Waiting { signalled: false, .. });
        self.running_mut().status = Status::Running;
        if let Some(woken) = woken {
            self.set_register(woken, Some(signalled.into()));
        }
        Ok(())
    }

    pub(super) fn signal(&mut self, cond: &Expr, all: bool) -> Flow<()> {
        let cond = low64(self.value(cond)?);
        let waits = Status::Waiting { cond, signalled: false };
        let waiting = self.state.threads().filter(|(_, t)| t.status() == waits);
        let mut waiters: Vec<ThreadId> = waiting.map(|(id, _)| id).collect();
        if !all && waiters.len() > 1 {
            waiters = vec![self.choose_waiter(waiters)?];
        }
        for waiter in waiters {
            let thread = self.state.thread_mut(waiter).expect("a waiter should be in the state");
            thread.status = Status::Waiting { cond, signalled: true };
            self.tell(|_| Event::Woken { thread: waiter });
        }
        Ok(())
    }

    fn choose_waiter(&mut self, mut waiters: Vec<ThreadId>) -> Flow<ThreadId> {
        waiters.sort_by(|l, r| self.interp.structural_order(*l, *r));
        let chosen = self.choose(Width::INT, Choice::Waiter { n_waiters: waiters.len() })?;
        let chosen = usize::try_from(chosen).ok();
        chosen.and_then(|n| waiters.get(n).copied()).ok_or(StepResult::NoChoice)
    }

    /// The running thread ends: its frames and thread-local objects die, and it leaves its atomic section.
    pub(super) fn finish(&mut self, result: Option<u128>) -> Flow<()> {
        let finished = self.thread;
        let thread: &mut Thread = self.running_mut();
        thread.frames.clear();
        thread.status = Status::Finished(result);
        let detached = thread.detached;
        self.state.memory.remove_all(|slot| match self.interp.identity(slot) {
            Identity::ThreadLocal(_, thread)
            | Identity::Local { thread, .. }
            | Identity::Alloca { thread, .. } => thread == finished,
            Identity::Static(_) | Identity::Heap { .. } => false,
        });
        if self.state.atomic_owner() == Some(finished) {
            self.state.atomic = None;
        }
        if detached {
            self.state.forget_thread(finished);
        }
        self.tell(|_| Event::Finished { thread: finished });
        if self.state.threads().all(|(_, t)| t.is_finished()) {
            self.state.end();
            return Err(StepResult::Ended);
        }
        Ok(())
    }
}
