//! Executes a trace with the concrete interpreter and demands that it ends in the violation it claims.
//!
//! | property | the trace is accepted if |
//! |---|---|
//! | assertions, overflow | its last step, and no earlier one, violates the property |
//! | memory safety, undefined behaviour | its last step, and no earlier one, has no meaning in C; or it ends the program with a leak |
//! | `no-deadlock` | its last step leads into a deadlock |
//! | `no-data-race` | its last *two* steps are about to make accesses that race, and neither is taken |
//! | `termination` | it is a fair lasso ([`Lasso`]), its loop is a recurrence set, or all threads are blocked in the end |
//!
//! The interpreter defines what a program means; the driver of scripts (`program::trace`) is shared with the engines.

use base::{Idx, Inconclusive, Span};
use evidence::{Cycle, Recurrence, Trace, TraceStep};
use program::interp::{Interp, MemoryAccess, Position, State, StepResult, ThreadId, Wakeups, span_name};
use program::trace::{Execution, Misfit};
use program::{Action, Program, Property};

/// The violation at the end of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub span: Span,
    /// The property that is violated: the trace's, or a part of it.
    pub property: Property,
}

/// Executes `trace`; fails unless it ends in the violation that it claims.
pub fn replay(program: &Program, trace: &Trace) -> Result<Violation, Inconclusive> {
    let interp = Interp::new(program)?;
    let mut replay = Replay { execution: Execution::new(&interp), positions: Vec::new() };
    let mut end = None;
    let (way, side_by_side) = split(trace)?;
    let mut lasso = Lasso::of(trace)?;
    for (n, step) in way.iter().enumerate() {
        if end.is_some() {
            return Err(failed(n, "the violation should be the last step"));
        }
        if let Some(lasso) = &mut lasso {
            lasso.before(n, step, &replay)?;
        }
        end = replay.step(n, step, trace.property)?;
    }
    let stuck = || replay.execution.interp().is_deadlock(replay.execution.state());
    let mut property = trace.property;
    let (message, span) = match end {
        Some((part, message, span)) => {
            property = part;
            (message, span)
        }
        None if trace.property == Property::NoDeadlock && stuck() => replay.deadlock(),
        None if let Some(lasso) = lasso => lasso.closed(&replay)?,
        None if trace.property == Property::Termination && stuck() => {
            let (message, span) = replay.deadlock();
            (message.replacen("deadlock", "blocked for ever", 1), span)
        }
        None if let Some(accesses) = side_by_side => replay.race(way.len(), accesses)?,
        None => return Err(failed(trace.steps.len(), "the trace ends without a violation")),
    };
    Ok(Violation { message, span, property })
}

/// The steps that are taken and, for a data race, the two that are about to be.
fn split(trace: &Trace) -> Result<(&[TraceStep], Option<&[TraceStep; 2]>), Inconclusive> {
    if trace.property != Property::NoDataRace {
        return Ok((&trace.steps, None));
    }
    let parts = trace.steps.split_last_chunk::<2>();
    let (way, accesses) = parts.ok_or_else(|| failed(0, "a data race should have two accesses"))?;
    Ok((way, Some(accesses)))
}

/// The loop of a lasso, which has to be fair: every thread that is able to move in it, spurious wake-ups aside, does move, and
/// no thread wakes up spuriously. SOUNDNESS: A25.
struct Lasso {
    /// The number of steps before it.
    from: usize,
    cycle: Option<Cycle>,
    start: Option<State>,
    /// Who can move somewhere in it, and who does.
    able: Vec<ThreadId>,
    movers: Vec<ThreadId>,
}

impl Lasso {
    fn of(trace: &Trace) -> Result<Option<Lasso>, Inconclusive> {
        let from = match &trace.cycle {
            None => return Ok(None),
            Some(Cycle::Repeats { from }) => *from,
            Some(Cycle::Recurs(recurrence)) => recurrence.from,
        };
        if trace.property != Property::Termination || from >= trace.steps.len() {
            return Err(failed(from, "there should be a step to repeat"));
        }
        let cycle = trace.cycle.clone();
        Ok(Some(Lasso { from, cycle, start: None, able: Vec::new(), movers: Vec::new() }))
    }

    /// Looks at the state before a step.
    fn before(&mut self, n: usize, step: &TraceStep, replay: &Replay<'_, '_>) -> Result<(), Inconclusive> {
        if n < self.from {
            return Ok(());
        }
        self.start.get_or_insert_with(|| replay.execution.state().clone());
        self.able
            .extend(replay.execution.interp().runnable(replay.execution.state(), Wakeups::OnlySignalled));
        let mover = replay.execution.thread(step).map_err(|misfit| misfits(n, misfit))?;
        let execution = &replay.execution;
        if !execution.interp().enabled(execution.state(), mover, Wakeups::OnlySignalled) {
            return Err(failed(n, "a spurious wake-up should not be repeated"));
        }
        self.movers.push(mover);
        Ok(())
    }

    /// Demands that the state is the one that it started from, and that no thread was left out.
    fn closed(self, replay: &Replay<'_, '_>) -> Result<(String, Span), Inconclusive> {
        let n = replay.positions.len();
        if let Some(Cycle::Recurs(recurrence)) = &self.cycle {
            return self.recurs(recurrence, replay);
        }
        if self.start.as_ref() != Some(replay.execution.state()) {
            return Err(failed(n, "the state is not the one that should be repeated"));
        }
        if self.able.iter().any(|thread| !self.movers.contains(thread)) {
            return Err(failed(n, "a thread that is able to move never does"));
        }
        let message = format!("never ends: steps {} to {n} repeat for ever", self.from + 1);
        Ok((message, replay.positions[self.from].1.span))
    }
}

impl Lasso {
    /// Demands that the steps are rounds of a loop that can be taken for ever.
    fn recurs(
        &self,
        recurrence: &Recurrence,
        replay: &Replay<'_, '_>,
    ) -> Result<(String, Span), Inconclusive> {
        let (n, length) = (replay.positions.len(), recurrence.outcomes.len());
        let rounds = &replay.positions[self.from..];
        let is_periodic = rounds.iter().zip(rounds.iter().skip(length)).all(|(a, b)| a == b);
        if length == 0 || rounds.len() < length || !rounds.len().is_multiple_of(length) || !is_periodic {
            return Err(failed(n, "the steps are no rounds of the loop"));
        }
        let start = self.start.as_ref().ok_or_else(|| failed(n, "there should be a round"))?;
        crate::recurrence::check(recurrence, replay.execution.interp(), start)?;
        let last = self.from + length;
        let message =
            format!("never ends: steps {} to {last} repeat for ever, though values change", self.from + 1);
        Ok((message, replay.positions[self.from].1.span))
    }
}

fn failed(n: usize, what: &str) -> Inconclusive {
    Inconclusive::CheckFailed(format!("replay, step {n}: {what}"))
}

fn misfits(n: usize, misfit: Misfit) -> Inconclusive {
    failed(n, &misfit.to_string())
}

struct Replay<'i, 'p> {
    execution: Execution<'i, 'p>,
    /// The thread that took each step, and where it was.
    positions: Vec<(ThreadId, Position)>,
}

impl Replay<'_, '_> {
    /// Takes one step; the violation, if there is one.
    fn step(
        &mut self,
        n: usize,
        step: &TraceStep,
        property: Property,
    ) -> Result<Option<(Property, String, Span)>, Inconclusive> {
        let before = property.is_about_leaks().then(|| self.execution.state().clone());
        let taken = self.execution.step(step).map_err(|misfit| misfits(n, misfit))?;
        self.positions.push((taken.thread, taken.position));
        match taken.result {
            StepResult::Ended if let Some(before) = before => {
                let (interp, after) = (self.execution.interp(), self.execution.state());
                let leak = interp.leak(&before, after, taken.thread, property);
                Ok(leak.map(|leak| (leak.property(), leak.to_string(), taken.position.span)))
            }
            StepResult::Continue | StepResult::Ended => Ok(None),
            StepResult::Blocked if !step.choices.is_empty() => Ok(None),
            StepResult::Violation { property: violated, message, span } if violated == property => {
                Ok(Some((property, message, span)))
            }
            StepResult::Undefined(undefined) if property.includes(undefined.property()) => {
                Ok(Some((undefined.property(), undefined.to_string(), taken.position.span)))
            }
            other => Err(failed(n, &format!("{other:?}"))),
        }
    }

    /// Demands that two steps, each taken from this state, are of two threads and make accesses that race.
    fn race(&self, n: usize, sides: &[TraceStep; 2]) -> Result<(String, Span), Inconclusive> {
        if sides[0].thread == sides[1].thread {
            return Err(failed(n, "a race should be between two threads"));
        }
        let [left, right] = [&sides[0], &sides[1]].map(|side| self.execution.next_accesses(side));
        let (left, right) = (left.map_err(|m| misfits(n, m))?, right.map_err(|m| misfits(n + 1, m))?);
        let mut pairs = left.1.iter().flat_map(|l| right.1.iter().map(move |r| (l, r)));
        let (first, second) =
            pairs.find(|(l, r)| l.races_with(r)).ok_or_else(|| failed(n, "the two accesses do not race"))?;
        let verb = |access: &MemoryAccess| match (access.atomic, access.write) {
            (true, true) => "atomic write",
            (true, false) => "atomic read",
            (false, true) => "write",
            (false, false) => "read",
        };
        let interp = self.execution.interp();
        let message = format!(
            "data race on {}: {} by {} and {} by {}",
            interp.place_name(if first.offset >= second.offset { first } else { second }.place()),
            verb(first),
            self.execution.thread_name(sides[0].thread.index()),
            verb(second),
            self.execution.thread_name(sides[1].thread.index()),
        );
        Ok((message, left.0.span))
    }

    /// Who waits where, and the place of the first of them.
    fn deadlock(&self) -> (String, Span) {
        let (interp, state) = (self.execution.interp(), self.execution.state());
        let program = interp.program();
        let mut waits = Vec::new();
        let mut first = Span::NOWHERE;
        for (number, id) in self.execution.created().iter().enumerate() {
            let Some(position) = interp.position(state, *id) else { continue };
            if waits.is_empty() {
                first = position.span;
            }
            let action = &program.functions[position.func].locations[position.loc].action;
            let what = match action {
                Action::Ops { sync: Some(sync), .. } => format!(" ({})", sync.kind.name()),
                _ => String::new(),
            };
            let name = self.execution.thread_name(number);
            waits.push(format!("{name} waits at {}{what}", span_name(program, position.span)));
        }
        (format!("deadlock: {}", waits.join(", ")), first)
    }
}
