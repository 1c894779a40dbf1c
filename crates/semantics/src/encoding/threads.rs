//! Threads: creation, join, detaching, and waits on condition variables.

use super::encode::{Encoding, MAX_THREADS, Partial, SIGNALLED, Successor, SuccessorKind};
use super::names::Name;
use logic::path::Cmd;
use program::interp::{Interp, Origin, Site, ThreadId};
use program::{Expr, VarId};

impl<'p> Encoding<'_, 'p> {
    pub(super) fn create(
        &mut self,
        start: Partial,
        n: u32,
        handle: VarId,
        func: &Expr,
        arg: &Expr,
    ) -> Vec<Successor> {
        let mut shared = start;
        let values = self.value(&mut shared, func).and_then(|f| Ok((f, self.value(&mut shared, arg)?)));
        let (address, arg) = match values {
            Ok(values) => values,
            Err(kind) => return vec![Successor { kind, ..shared }],
        };
        if shared.control.threads.len() >= MAX_THREADS {
            return vec![Successor {
                kind: SuccessorKind::Bound(format!("more than {MAX_THREADS} threads at a time")),
                ..shared
            }];
        }
        let at = shared.control.thread(self.thread).expect("the creator should be in the control").top();
        let mut outcomes = Vec::new();
        for target in self.encoder.analysis.points_to.started_by(at.func, at.loc) {
            let this = self.function_address(target);
            let guard = self.terms.eq(address, this);
            let mut partial = shared.clone();
            partial.block.push(Cmd::Assume(guard));
            let site = Site { func: at.func, loc: at.loc, op: n };
            let count = partial.control.thread_mut(self.thread).count(site);
            let child = self.encoder.interp.thread(Origin { creator: self.thread, site, count });
            let entry = self.encoder.program.functions[target].entry;
            partial.control.start(child, target, entry);
            let begun = self.encoder.begin_thread(self.terms, &mut partial, child, target, Some(arg));
            if let Err(stop) = begun {
                partial.kind = SuccessorKind::Unsupported(stop.to_string());
            }
            let value = match self.encoder.handles.get(&child) {
                Some(handle) => *handle,
                None => self.terms.constant(Interp::handle(child), self.pointer().0),
            };
            self.set_register(&mut partial, handle, value);
            outcomes.push(partial);
        }
        outcomes
    }

    /// `join` and `detach`: one outcome for each thread that the handle can name, one for none of them.
    pub(super) fn with_thread_of(
        &mut self,
        start: Partial,
        handle: &Expr,
        mut then: impl FnMut(&mut Self, &mut Partial, Option<ThreadId>) -> bool,
    ) -> Vec<Successor> {
        let mut shared = start;
        let handle = match self.value(&mut shared, handle) {
            Ok(handle) => handle,
            Err(kind) => return vec![Successor { kind, ..shared }],
        };
        let ids: Vec<ThreadId> = shared.control.threads.iter().map(|t| t.id).collect();
        let mut outcomes = Vec::new();
        let mut others = Vec::new();
        for id in ids {
            let this = self.terms.constant(Interp::handle(id), self.pointer().0);
            let guard = self.terms.eq(handle, this);
            others.push(self.terms.not(guard));
            let mut partial = shared.clone();
            partial.block.push(Cmd::Assume(guard));
            if then(self, &mut partial, Some(id)) {
                outcomes.push(partial);
            }
        }
        let guard = self.terms.and(&others);
        shared.block.push(Cmd::Assume(guard));
        if then(self, &mut shared, None) {
            outcomes.push(shared);
        }
        outcomes
    }

    pub(super) fn join(
        &mut self,
        start: Partial,
        handle: &Expr,
        result: VarId,
        error: VarId,
    ) -> Vec<Successor> {
        let me = self.thread;
        self.with_thread_of(start, handle, |encoding, partial, target| {
            let found = target.and_then(|id| partial.control.thread(id));
            let (code, ended) = match found.map(|t| (t.id == me, t.detached, t.is_finished())) {
                None => (3, false),
                Some((true, _, _)) => (35, false),
                Some((_, true, _)) => (22, false),
                Some((_, _, false)) => return false, // it has to wait
                Some(_) => (0, true),
            };
            if let Some(target) = target.filter(|_| ended) {
                let symbol = encoding.symbol(Name::Result(target));
                let value = encoding.terms.var_of(symbol);
                encoding.set_register(partial, result, value);
                partial.control.forget(target);
            }
            let code = encoding.terms.constant(code, 32);
            encoding.set_register(partial, error, code);
            true
        })
    }

    pub(super) fn detach(&mut self, start: Partial, handle: &Expr, error: VarId) -> Vec<Successor> {
        self.with_thread_of(start, handle, |encoding, partial, target| {
            let found =
                target.and_then(|id| partial.control.thread(id)).map(|t| (t.detached, t.is_finished()));
            let code = match (target, found) {
                (Some(_), Some((true, _))) => 22,
                (Some(target), Some((false, finished))) => {
                    partial.control.thread_mut(target).detached = true;
                    if finished {
                        partial.control.forget(target);
                    }
                    0
                }
                _ => 3,
            };
            let code = encoding.terms.constant(code, 32);
            encoding.set_register(partial, error, code);
            true
        })
    }

    pub(super) fn set_waiting(&mut self, partial: &mut Partial, thread: ThreadId, value: u128) {
        let symbol = self.symbol(Name::Waiting(thread));
        let value = self.terms.constant(value, self.pointer().0);
        partial.block.push(Cmd::Assign(symbol, value));
    }

    /// The end of a wait, and whether a signal ended it: anything where waits are not followed.
    pub(super) fn wait_end(&mut self, partial: &mut Partial, woken: Option<VarId>) {
        if let Some(woken) = woken {
            if self.encoder.waits {
                let waiting = self.symbol(Name::Waiting(self.thread));
                let waiting = self.terms.var_of(waiting);
                let signalled = self.terms.constant(SIGNALLED, self.pointer().0);
                let value = self.terms.eq(waiting, signalled);
                self.set_register(partial, woken, value);
            } else {
                let register = self.register(partial, woken);
                partial.block.push(Cmd::Havoc(register));
            }
        }
        if self.encoder.waits {
            self.set_waiting(partial, self.thread, 0);
        }
    }

    /// `signal`: one outcome for each thread that may be woken, one for none; `broadcast`: one outcome.
    pub(super) fn signal(&mut self, start: Partial, cond: &Expr, all: bool) -> Vec<Successor> {
        let mut shared = start;
        let cond = match self.value(&mut shared, cond) {
            Ok(cond) => cond,
            Err(kind) => return vec![Successor { kind, ..shared }],
        };
        let threads = shared.control.threads.iter().filter(|t| !t.is_finished() && t.id != self.thread);
        let threads: Vec<ThreadId> = threads.map(|t| t.id).collect();
        let mut outcomes = Vec::new();
        let mut awake = Vec::new();
        for thread in threads {
            let symbol = self.symbol(Name::Waiting(thread));
            let waiting = self.terms.var_of(symbol);
            let here = self.terms.eq(waiting, cond);
            awake.push(self.terms.not(here));
            if all {
                let signalled = self.terms.constant(SIGNALLED, self.pointer().0);
                let after = self.terms.ite(here, signalled, waiting);
                shared.block.push(Cmd::Assign(symbol, after));
            } else {
                let mut woken = shared.clone();
                woken.block.push(Cmd::Assume(here));
                self.set_waiting(&mut woken, thread, SIGNALLED);
                outcomes.push(woken);
            }
        }
        if !all {
            let none_waits = self.terms.and(&awake);
            shared.block.push(Cmd::Assume(none_waits));
        }
        outcomes.push(shared);
        outcomes
    }
}
