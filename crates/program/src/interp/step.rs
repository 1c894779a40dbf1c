//! One step of one thread: what each action does to a state.

use super::bits::Bits;
use super::eval::{Access, Eval, Fault, Missing};
use super::{
    Choice, Chooser, Event, Frame, Interp, NoChooser, NoObserver, Observer, Place, State, Thread, ThreadId,
};
use super::{Wakeups, state::Status};
use crate::memory_model::Demand;
use crate::{
    Action, Callee, Expr, FuncId, LocId, Op, Order, Property, Undefined, UndefinedKind, VarId, VarKind, Width,
};
use base::convert::{count32, low8, low64};
use base::{Idx, Inconclusive, Span};

/// How a step went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepResult {
    /// The state is the next one.
    Continue,
    /// The program has ended; the state is final.
    Ended,
    /// An assumption failed: this run does not count.
    Pruned,
    /// The thread cannot move. The state is as before, except that indeterminate values which the blocking operation
    /// read have become determinate: if anything was chosen, that is a step of its own.
    Blocked,
    /// The chooser offered no value; the state is unspecified.
    NoChoice,
    /// A property is violated; the state is unspecified.
    Violation {
        /// Which.
        property: Property,
        /// What happened.
        message: String,
        /// Where.
        span: Span,
    },
    /// C gives the step no meaning: what it is. The state is unspecified.
    Undefined(Undefined),
    /// The step has no model: what it is. The state is unspecified.
    Unsupported(String),
    /// A bound was reached: which. The state is unspecified.
    Bound(String),
}

/// `Err` ends the step early.
pub(super) type Flow<T> = Result<T, StepResult>;

impl From<Inconclusive> for StepResult {
    fn from(stop: Inconclusive) -> Self {
        match stop {
            Inconclusive::Unsupported(what) => StepResult::Unsupported(what),
            Inconclusive::Undefined(what) => {
                StepResult::Undefined(Undefined::new(UndefinedKind::Other, what))
            }
            Inconclusive::Bound(what) => StepResult::Bound(what),
            other => StepResult::Bound(other.to_string()),
        }
    }
}

/// A step under way.
pub(super) struct Step<'a, 'p> {
    pub(super) interp: &'a Interp<'p>,
    pub(super) state: &'a mut State,
    pub(super) thread: ThreadId,
    pub(super) wakeups: Wakeups,
    pub(super) chooser: &'a mut dyn Chooser,
    pub(super) observer: &'a mut dyn Observer,
    /// What had to leave the thread's buffer before.
    pub(super) demand: Demand,
    /// What was indeterminate and what it was taken to be.
    answers: Vec<(Missing, u128)>,
}

impl<'p> Interp<'p> {
    /// Lets `thread` take one step.
    ///
    /// Spurious wake-ups are taken as they come: whether to allow them is for [`enabled`](Self::enabled) to
    /// say. A thread that may not move at all is [`StepResult::Blocked`].
    pub fn step(
        &self,
        state: &mut State,
        thread: ThreadId,
        chooser: &mut dyn Chooser,
        observer: &mut dyn Observer,
    ) -> StepResult {
        let Some(action) = self.next_action(state, thread) else { return StepResult::Blocked };
        let has_entries = state.thread(thread).is_some_and(Thread::has_buffered);
        if has_entries
            && self.is_flush_point(state, thread)
            && let Some(left) = self.leave_step(state, thread, action, chooser, observer)
        {
            return left;
        }
        // Only a transaction that can block is ever taken back.
        let backup = (has_entries || can_block(action)).then(|| state.clone());
        let demand = self.demand_of(state, thread, action);
        let wakeups = Wakeups::Spurious;
        let answers = Vec::new();
        let mut step = Step { interp: self, state, thread, wakeups, chooser, observer, demand, answers };
        let result = step.action(action).err().unwrap_or(StepResult::Continue);
        let answers = step.answers;
        if let (StepResult::Blocked, Some(backup)) = (&result, backup) {
            *state = backup;
            for (missing, value) in answers {
                determine(state, thread, missing, value);
            }
        }
        result
    }

    fn is_flush_point(&self, state: &State, thread: ThreadId) -> bool {
        let frame = state.thread(thread).and_then(Thread::top);
        frame.is_some_and(|frame| self.flush_points.contains(frame.func, frame.loc))
    }

    /// The step in which a store leaves the thread's buffer, if that is chosen.
    fn leave_step(
        &self,
        state: &mut State,
        thread: ThreadId,
        action: &'p Action,
        chooser: &mut dyn Chooser,
        observer: &mut dyn Observer,
    ) -> Option<StepResult> {
        let running = state.thread(thread).expect("a running thread should be in the state");
        let leaving = running.leaving(self.program().memory_model);
        let may_go_on = self.may_go_on(state, thread, action);
        let (wakeups, demand, answers) = (Wakeups::Spurious, Demand::Nothing, Vec::new());
        let mut step = Step { interp: self, state, thread, wakeups, chooser, observer, demand, answers };
        let chosen = match step.choose(Width::INT, Choice::Leave { n_leaving: leaving.len(), may_go_on }) {
            Ok(chosen) => chosen as usize,
            Err(result) => return Some(result),
        };
        chosen.checked_sub(1).map(|n| match leaving.get(n) {
            Some(&entry) => step.leave_buffer(entry).err().unwrap_or(StepResult::Continue),
            None => StepResult::NoChoice,
        })
    }

    /// Returns true if the next action of a thread with buffered stores does not have to wait.
    fn may_go_on(&self, state: &State, thread: ThreadId, action: &'p Action) -> bool {
        let demand = self.demand_of(state, thread, action);
        if demand == Demand::Empty {
            return false;
        }
        let mut scratch = state.clone();
        let mut step = Step {
            interp: self,
            state: &mut scratch,
            thread,
            wakeups: Wakeups::Spurious,
            chooser: &mut NoChooser,
            observer: &mut NoObserver,
            demand,
            answers: Vec::new(),
        };
        !matches!(step.action(action), Err(StepResult::Blocked))
    }

    /// What `thread` does next, if it has not finished and no other thread is in an atomic section.
    pub(super) fn next_action(&self, state: &State, thread: ThreadId) -> Option<&'p Action> {
        if state.atomic.is_some_and(|(owner, _)| owner != thread) {
            return None;
        }
        let frame = state.thread(thread)?.top()?;
        Some(&self.program().functions[frame.func].locations[frame.loc].action)
    }

    /// Returns true if an operation of `ops` blocks. Something indeterminate counts as "may not block".
    pub(super) fn blocks(&self, state: &State, thread: ThreadId, ops: &[Op], wakeups: Wakeups) -> bool {
        let Some(last) = ops.iter().rposition(Op::can_block) else { return false };
        if ops[0].can_block() && self.first_blocks(state, thread, &ops[0], wakeups) {
            return true;
        }
        if last == 0 {
            return false;
        }
        let mut scratch = state.clone();
        let mut step = Step {
            interp: self,
            state: &mut scratch,
            thread,
            wakeups,
            chooser: &mut NoChooser,
            observer: &mut NoObserver,
            demand: Demand::Empty,
            answers: Vec::new(),
        };
        matches!(step.ops(&ops[..=last]), Err(StepResult::Blocked))
    }

    /// Equivalent to trying the one operation on a copy of the state, without the copy.
    fn first_blocks(&self, state: &State, thread: ThreadId, op: &Op, wakeups: Wakeups) -> bool {
        let value = |e| Eval::new(self, state, thread, None).value(e).ok();
        match op {
            Op::Guard(cond) => value(cond) == Some(0),
            Op::Join { handle, .. } => {
                value(handle).is_some_and(|handle| self.join_blocks(state, thread, handle))
            }
            Op::WaitEnd { timed, .. } => wait_blocks(state, thread, *timed, wakeups),
            _ => false,
        }
    }
}

/// Returns true if the end of a wait has nothing to end it.
pub(super) fn wait_blocks(state: &State, thread: ThreadId, timed: bool, wakeups: Wakeups) -> bool {
    let status = state.thread(thread).map(Thread::status);
    !timed
        && wakeups == Wakeups::OnlySignalled
        && matches!(status, Some(Status::Waiting { signalled: false, .. }))
}

fn can_block(action: &Action) -> bool {
    matches!(action, Action::Ops { ops, .. } if ops.iter().any(Op::can_block))
}

/// Gives what is missing a value, as far as it still is.
pub(super) fn determine(state: &mut State, thread: ThreadId, missing: Missing, value: u128) {
    match missing {
        Missing::Register(var, width) => {
            if let Some(frame) = state.thread_mut(thread).and_then(Thread::top_mut)
                && frame.registers.get(var.index()) == Some(&None)
            {
                let Bits { value: set, unset } = frame.bits(var, width);
                frame.set(var, Some(set | value & unset));
            }
        }
        Missing::Bytes { slot, offset, len } => {
            let Some(content) = state.memory.get_mut(slot) else { return };
            let mut rest = value;
            for at in offset..offset + len {
                if content.byte(at).is_none() {
                    let (set, unset) = content.bits(at);
                    content.write(at, &[Some(set | low8(rest) & unset)]);
                    rest >>= 8;
                }
            }
        }
    }
}

impl<'p> Step<'_, 'p> {
    fn action(&mut self, action: &'p Action) -> Flow<()> {
        if self.demand == Demand::Empty && self.running().has_buffered() {
            return Err(StepResult::Blocked);
        }
        match action {
            Action::Ops { ops, sync, next } => {
                if let Some(sync) = sync {
                    self.tell_sync(sync);
                }
                self.ops(ops)?;
                self.go(*next);
            }
            Action::Branch { cond, yes, no } => {
                self.decide(cond)?;
                let target = if self.value(cond)? != 0 { *yes } else { *no };
                self.go(target);
            }
            Action::Call { callee, args, .. } => self.call(callee, args)?,
            Action::Return(result) => self.return_from(result.as_ref())?,
            Action::ThreadExit(result) => {
                let value = self.value(result)?;
                self.finish(Some(self.interp.pointer().truncate(value)))?;
            }
            Action::Exit => {
                self.state.end();
                return Err(StepResult::Ended);
            }
            Action::Error { property, message } => {
                let location = self.frame();
                let span = self.interp.program().functions[location.func].locations[location.loc].span;
                return Err(StepResult::Violation { property: *property, message: message.clone(), span });
            }
            Action::Undefined(what) => return Err(StepResult::Undefined(what.clone())),
            Action::Unsupported(what) => return Err(StepResult::Unsupported(what.clone())),
        }
        Ok(())
    }

    fn call(&mut self, callee: &Callee, args: &[Expr]) -> Flow<()> {
        let values = args.iter().map(|arg| self.handed_on(arg)).collect::<Flow<Vec<_>>>()?;
        let func = match callee {
            Callee::Direct(func) => *func,
            Callee::Indirect(address) => {
                let address = self.value(address)?;
                self.function_at(address, "call")?
            }
        };
        let depth = self.running().frames.len();
        if depth >= self.interp.limits().frames {
            return Err(StepResult::Bound(format!("more than {} nested calls", self.interp.limits().frames)));
        }
        let known: Vec<u128> = values.iter().map(|value| value.unwrap_or(0)).collect();
        let mut frame = self.interp.enter(self.state, self.thread, count32(depth), func, &known)?;
        let params = &self.interp.program().functions[func].params;
        for (param, _) in params.iter().zip(values).filter(|(_, value)| value.is_none()) {
            frame.registers[param.index()] = None;
        }
        self.running_mut().frames.push(frame.into());
        self.tell(|_| Event::Called { func });
        Ok(())
    }

    fn return_from(&mut self, result: Option<&Expr>) -> Flow<()> {
        let value = result.map(|e| self.handed_on(e)).transpose()?.flatten();
        if self.running().frames.len() == 1 {
            if self.thread == ThreadId::MAIN {
                self.state.end();
                return Err(StepResult::Ended);
            }
            return self.finish(value.map(|v| self.interp.pointer().truncate(v)));
        }
        let depth = count32(self.running().frames.len() - 1);
        let frame = self.running_mut().frames.pop().expect("a call should have a frame");
        self.forget_frame(depth, &frame)?;
        self.interp.leave(self.state, self.thread, depth, &frame);
        self.tell(|_| Event::Returned { func: frame.func });
        let caller = self.frame();
        let action = &self.interp.program().functions[caller.func].locations[caller.loc].action;
        let Action::Call { ret, next, .. } = action else { unreachable!("a caller should be at a call") };
        if let Some(var) = ret {
            self.set_register(*var, value);
        }
        self.go(*next);
        Ok(())
    }

    /// The function at an address that is called or started.
    pub(super) fn function_at(&self, address: u128, verb: &str) -> Flow<FuncId> {
        let found = self.interp.function_at(low64(address));
        found.ok_or_else(|| {
            let place = if address == 0 { "null".to_owned() } else { format!("address {address:#x}") };
            let what = format!("{verb} of {place}, where no function is");
            StepResult::Undefined(Undefined::new(UndefinedKind::InvalidCall, what))
        })
    }

    /// The value of `expr`; what is indeterminate is chosen.
    pub(super) fn value(&mut self, expr: &Expr) -> Flow<u128> {
        let active = self.observer.is_active();
        loop {
            let mut reads = Vec::new();
            let wanted = active.then_some(&mut reads);
            match Eval::new(self.interp, self.state, self.thread, wanted).value(expr) {
                Ok(value) => {
                    reads.into_iter().for_each(|read| self.observer.event(read));
                    if self.observer.wants_flow() {
                        self.observer.event(Event::Evaluated(self.interp.flow(
                            self.state,
                            self.thread,
                            expr,
                        )));
                    }
                    return Ok(value);
                }
                Err(Fault::Undefined(what)) => return Err(StepResult::Undefined(what)),
                Err(Fault::Unsupported(what)) => return Err(StepResult::Unsupported(what)),
                Err(Fault::Waits) => return Err(StepResult::Blocked),
                Err(Fault::Missing(missing)) => match self.settled(expr) {
                    Some(value) => {
                        self.tell_unset(expr);
                        return Ok(value);
                    }
                    None => self.resolve(missing)?,
                },
            }
        }
    }

    /// Has a value chosen for something indeterminate, and stores it.
    fn resolve(&mut self, missing: Missing) -> Flow<()> {
        let (place, width) = match missing {
            Missing::Register(var, width) => (Place::Register { func: self.frame().func, var }, width),
            Missing::Bytes { slot, offset, len } => {
                let content = self.state.memory.get(slot).expect("what is read should be alive");
                let holes = (offset..offset + len).filter(|at| content.byte(*at).is_none());
                let first = holes.clone().next().unwrap_or(offset);
                let object = self.interp.identity(slot);
                (Place::Memory { object, offset: first }, Width::of_bytes(holes.count() as u64))
            }
        };
        let value = self.choose(width, Choice::Indeterminate(place))?;
        determine(self.state, self.thread, missing, value);
        self.answers.push((missing, value));
        Ok(())
    }

    /// Asks the chooser.
    pub(super) fn choose(&mut self, width: Width, what: Choice) -> Flow<u128> {
        let value = self.chooser.choose(width, &what).ok_or(StepResult::NoChoice)?;
        let value = width.truncate(value);
        self.tell(|_| Event::Chosen { what, value, width });
        Ok(value)
    }

    /// The object and offset where `len` bytes can be accessed.
    pub(super) fn access(&mut self, address: u128, len: u64, access: Access) -> Flow<(super::Slot, u64)> {
        self.interp.access(self.state, low64(address), len, access).map_err(|fault| match fault {
            Fault::Undefined(what) => StepResult::Undefined(what),
            Fault::Unsupported(what) => StepResult::Unsupported(what),
            Fault::Waits => StepResult::Blocked,
            Fault::Missing(_) => unreachable!("an access should ask for no value"),
        })
    }

    /// Sets a register of the innermost frame; a wider value is cut, a narrower one has zeros above.
    pub(super) fn set_register(&mut self, var: VarId, value: Option<u128>) {
        let func = self.frame().func;
        let VarKind::Register(width) = self.interp.program().functions[func].vars[var].kind else {
            unreachable!("only registers are set")
        };
        let value = value.map(|v| width.truncate(v));
        let frame = self.running_mut().top_mut().expect("a running thread should have a frame");
        frame.set(var, value);
        let place = Place::Register { func, var };
        self.tell(|_| Event::Write { place, value, width, order: Order::Plain, buffered: false });
    }

    pub(super) fn running(&self) -> &Thread {
        self.state.thread(self.thread).expect("a running thread should be in the state")
    }
    pub(super) fn running_mut(&mut self) -> &mut Thread {
        self.state.thread_mut(self.thread).expect("a running thread should be in the state")
    }
    pub(super) fn frame(&self) -> &Frame {
        self.running().top().expect("a running thread should have a frame")
    }
    fn go(&mut self, target: LocId) {
        self.running_mut().top_mut().expect("a running thread should have a frame").loc = target;
    }
    /// Tells the observer, if it listens.
    pub(super) fn tell(&mut self, event: impl FnOnce(&Interp<'p>) -> Event) {
        if self.observer.is_active() {
            self.observer.event(event(self.interp));
        }
    }
    fn tell_sync(&mut self, sync: &crate::Sync) {
        if self.observer.is_active() {
            let address = Eval::new(self.interp, self.state, self.thread, None).value(&sync.object).ok();
            let object = address.and_then(|a| self.interp.place_at(self.state, low64(a)));
            self.observer.event(Event::Sync { kind: sync.kind, object });
        }
    }
}
