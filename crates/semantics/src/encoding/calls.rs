//! Calls and returns: frames begin and end, and with them the lifetimes of registers and frame variables.

use super::control::Frame;
use super::encode::{Encoding, MAX_FRAMES, Partial, Successor, SuccessorKind, Valued};
use super::names::Name;
use base::Idx;
use base::convert::count32;
use logic::Term;
use logic::path::Cmd;
use program::interp::{Identity, ThreadId};
use program::{Action, Callee, Expr, FuncId, UndefinedKind, VarKind};

impl<'p> Encoding<'_, 'p> {
    // ---- calls and threads ----------------------------------------------------------------------------------

    pub(super) fn call(&mut self, start: Partial, callee: &'p Callee, args: &'p [Expr]) -> Vec<Successor> {
        let mut shared = start;
        let values: Valued<Vec<Term>> = args.iter().map(|arg| self.value(&mut shared, arg)).collect();
        let values = match values {
            Ok(values) => values,
            Err(kind) => return vec![Successor { kind, ..shared }],
        };
        let depth = shared.control.thread(self.thread).map_or(0, |t| t.frames.len());
        if depth >= MAX_FRAMES {
            return vec![Successor {
                kind: SuccessorKind::Bound(format!("more than {MAX_FRAMES} nested calls")),
                ..shared
            }];
        }
        let targets = self.encoder.analysis.points_to.callees(self.func, callee);
        let address = match callee {
            Callee::Direct(_) => None,
            Callee::Indirect(address) => match self.value(&mut shared, address) {
                Ok(address) => Some(address),
                Err(kind) => return vec![Successor { kind, ..shared }],
            },
        };
        let mut outcomes = Vec::new();
        if let Some(address) = address {
            let functions: Vec<Term> = targets.iter().map(|target| self.function_address(*target)).collect();
            let known: Vec<Term> = functions.into_iter().map(|f| self.terms.eq(address, f)).collect();
            let known = self.terms.or(&known);
            let what = "call through an address where no function is";
            self.demand_valid(&mut shared, known, UndefinedKind::InvalidCall, what);
        }
        for target in targets {
            let mut partial = shared.clone();
            if let Some(address) = address {
                let this = self.function_address(target);
                let guard = self.terms.eq(address, this);
                partial.block.push(Cmd::Assume(guard));
            }
            outcomes.extend(self.attempt(partial, |encoding, partial| {
                let loc = encoding.encoder.program.functions[target].entry;
                partial.control.thread_mut(encoding.thread).frames.push(Frame { func: target, loc });
                encoding.enter(partial, count32(depth), target, &values)
            }));
        }
        outcomes
    }

    /// The variables of a new frame: parameters get their values, the others are indeterminate.
    pub(crate) fn enter(
        &mut self,
        partial: &mut Partial,
        depth: u32,
        func: FuncId,
        args: &[Term],
    ) -> Valued<()> {
        let function = &self.encoder.program.functions[func];
        let live = self.encoder.analysis.liveness[func].live_at(function.entry).clone();
        let mut given = vec![None; function.vars.len()];
        for (param, arg) in function.params.iter().zip(args) {
            given[param.index()] = Some(*arg);
        }
        for (var, declared) in function.vars.iter_enumerated() {
            match declared.kind {
                VarKind::Register(width) => {
                    let symbol = self.register_at(depth, func, var);
                    match given[var.index()] {
                        Some(value) => {
                            let value = self.fit(value, width);
                            partial.block.push(Cmd::Assign(symbol, value));
                        }
                        None if live.contains(var) => partial.block.push(Cmd::Havoc(symbol)),
                        None => {}
                    }
                }
                VarKind::Memory { .. } => {
                    let object = Identity::Local { thread: self.thread, depth, func, var };
                    if depth > 0 {
                        self.no_stale_pointer(partial, object, args)?;
                    }
                    self.forget_object(partial, object)?;
                    self.set_alive(partial, object, true);
                }
            }
        }
        Ok(())
    }

    pub(super) fn return_from(&mut self, start: Partial, value: Option<&'p Expr>) -> Vec<Successor> {
        let is_last = start.control.thread(self.thread).is_some_and(|t| t.frames.len() == 1);
        if is_last && self.thread == ThreadId::MAIN {
            return self.ended(start, false);
        }
        self.attempt(start, |encoding, partial| {
            let value = value.map(|v| encoding.value(partial, v)).transpose()?;
            if is_last {
                encoding.finish(partial, value);
                return Ok(());
            }
            let depth = encoding.depth(partial);
            encoding.end_lives(partial, depth);
            let thread = partial.control.thread_mut(encoding.thread);
            thread.frames.pop();
            let (caller, depth) = (thread.top(), thread.depth());
            partial.control.end_frames(encoding.thread, depth + 1);
            let call = &encoding.encoder.program.functions[caller.func].locations[caller.loc].action;
            let Action::Call { ret, next, .. } = call else {
                unreachable!("a caller should stand at its call")
            };
            encoding.go(partial, *next);
            if let Some(ret) = ret {
                let symbol = encoding.register_at(depth, caller.func, *ret);
                match value {
                    Some(value) => {
                        let width = encoding.register_width(caller.func, *ret);
                        let value = encoding.fit(value, width);
                        partial.block.push(Cmd::Assign(symbol, value));
                    }
                    None => partial.block.push(Cmd::Havoc(symbol)),
                }
            }
            Ok(())
        })
    }

    /// The thread ends.
    pub(super) fn finish(&mut self, partial: &mut Partial, value: Option<Term>) {
        let symbol = self.symbol(Name::Result(self.thread));
        match value {
            Some(value) => {
                let value = self.fit(value, self.pointer());
                partial.block.push(Cmd::Assign(symbol, value));
            }
            None => partial.block.push(Cmd::Havoc(symbol)),
        }
        self.end_lives(partial, 0);
        let thread = partial.control.thread_mut(self.thread);
        thread.frames.clear();
        thread.counts.clear();
        let detached = thread.detached;
        partial.control.end_frames(self.thread, 0);
        if detached {
            partial.control.forget(self.thread);
        }
        if partial.control.atomic.is_some_and(|(owner, _)| owner == self.thread) {
            partial.control.atomic = None;
        }
    }
}
