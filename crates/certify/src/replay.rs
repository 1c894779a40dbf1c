//! Runs a trace with the concrete interpreter, demands that it ends in the violation it claims, and tells what
//! happened in the words of the source.

use base::{Idx, Inconclusive, Span};
use evidence::{Cycle, Recurrence, Trace, TraceStep};
use program::interp::{Choice, Chooser, Event, Interp, MemoryAccess, Place, Position};
use program::interp::{State, StepResult, ThreadId, Wakeups, span_name};
use program::{Action, FuncId, LocId, Program, Property, SyncKind, Width};

/// A trace that was run to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// The property that was violated.
    pub property: Property,
    /// What happened in each step.
    pub steps: Vec<ReplayStep>,
    /// The names of all threads, in order of creation: `main`, `worker#1`, `worker#2`.
    pub threads: Vec<String>,
    /// What is wrong in the end.
    pub message: String,
    /// Where.
    pub span: Span,
}

/// One step of a replayed trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayStep {
    /// Who took it, in order of creation.
    pub thread: ThreadId,
    /// That thread's name.
    pub thread_name: String,
    /// In which function.
    pub func: FuncId,
    /// At which location.
    pub loc: LocId,
    /// That function's name.
    pub function: String,
    /// From which source.
    pub span: Span,
    /// Whether the function models the C library.
    pub library: bool,
    /// How many calls the thread was in.
    pub depth: usize,
    /// What happened, in order.
    pub events: Vec<SourceEvent>,
}

/// Something that happened, with names of the source. Threads are numbered in order of creation.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum SourceEvent {
    /// A value was read; `temporary` if the source has no such variable.
    Read { name: String, value: u128, width: Width, temporary: bool },
    /// A value was written; nothing if it is indeterminate.
    Write { name: String, value: Option<u128>, width: Width, temporary: bool },
    /// An input.
    Input { name: String, value: u128, width: Width },
    /// A variable that has no value was read and taken to have this one.
    Uninitialised { name: String, value: u128, width: Width },
    /// Bytes were copied.
    Copied { dst: String, src: String, len: u64 },
    /// Bytes were set.
    Filled { dst: String, len: u64, byte: u8 },
    /// An object was allocated.
    Allocated { name: String, size: u64 },
    /// An object was freed.
    Freed { name: String },
    /// The step is a synchronisation.
    Sync { kind: SyncKind, object: Option<String> },
    /// A function was called.
    Called { function: String },
    /// A call ended.
    Returned { function: String },
    /// A thread was created.
    Started { thread: ThreadId, name: String },
    /// The running thread ended.
    Finished,
    /// A thread was joined.
    Joined { thread: ThreadId, name: String },
    /// A waiting thread was woken.
    Woken { thread: ThreadId, name: String },
}

/// Runs `trace`; fails unless its last step violates its property (or leads into a deadlock, or its last two steps race, or it goes
/// round for ever).
pub fn replay(program: &Program, trace: &Trace) -> Result<Replay, Inconclusive> {
    let interp = Interp::new(program)?;
    let state = interp.initial();
    let main = program.functions[program.entry].name.clone();
    let mut run =
        Run { interp, state, created: vec![(ThreadId::MAIN, program.entry, main)], steps: Vec::new() };
    let mut end = None;
    let (way, side_by_side) = split(trace)?;
    let mut round = Round::of(trace)?;
    for (n, step) in way.iter().enumerate() {
        if end.is_some() {
            return Err(failed(n, "the violation should be the last step"));
        }
        if let Some(round) = &mut round {
            round.before(n, step, &run)?;
        }
        end = run.step(n, step, trace.property)?;
    }
    let (message, span) = match end {
        Some(end) => end,
        None if trace.property == Property::NoDeadlock && run.interp.is_deadlock(&run.state) => {
            run.deadlock()
        }
        None if let Some(round) = round => round.closed(&run)?,
        None if trace.property == Property::Termination && run.interp.is_deadlock(&run.state) => {
            let (message, span) = run.deadlock();
            (message.replacen("deadlock", "blocked for ever", 1), span)
        }
        None if let Some(accesses) = side_by_side => run.race(way.len(), accesses)?,
        None => return Err(failed(trace.steps.len(), "the trace ends without a violation")),
    };
    let threads = run.created.into_iter().map(|(_, _, name)| name).collect();
    Ok(Replay { property: trace.property, steps: run.steps, threads, message, span })
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

/// The part of an execution that repeats, fairly: whoever is able to move in it, a spurious wake-up aside, does move, and nobody wakes up
/// spuriously. SOUNDNESS: A25.
struct Round {
    /// The number of steps before it.
    from: usize,
    cycle: Option<Cycle>,
    start: Option<State>,
    /// Who can move somewhere in it, and who does.
    able: Vec<ThreadId>,
    movers: Vec<ThreadId>,
}

impl Round {
    fn of(trace: &Trace) -> Result<Option<Round>, Inconclusive> {
        let from = match &trace.cycle {
            None => return Ok(None),
            Some(Cycle::Repeats { from }) => *from,
            Some(Cycle::Recurs(recurrence)) => recurrence.from,
        };
        if trace.property != Property::Termination || from >= trace.steps.len() {
            return Err(failed(from, "there should be a step to repeat"));
        }
        let cycle = trace.cycle.clone();
        Ok(Some(Round { from, cycle, start: None, able: Vec::new(), movers: Vec::new() }))
    }

    /// Looks at the state before a step.
    fn before(&mut self, n: usize, step: &TraceStep, run: &Run<'_>) -> Result<(), Inconclusive> {
        if n < self.from {
            return Ok(());
        }
        self.start.get_or_insert_with(|| run.state.clone());
        self.able.extend(run.interp.runnable(&run.state, Wakeups::OnlySignalled));
        let mover = run.created.get(step.thread.index()).map(|(id, ..)| *id);
        let mover = mover.ok_or_else(|| failed(n, "there is no such thread"))?;
        if !run.interp.enabled(&run.state, mover, Wakeups::OnlySignalled) {
            return Err(failed(n, "a spurious wake-up should not be repeated"));
        }
        self.movers.push(mover);
        Ok(())
    }

    /// Demands that the state is the one that it started from, and that nobody was forgotten.
    fn closed(self, run: &Run<'_>) -> Result<(String, Span), Inconclusive> {
        let n = run.steps.len();
        if let Some(Cycle::Recurs(recurrence)) = &self.cycle {
            return self.recurs(recurrence, run);
        }
        if self.start.as_ref() != Some(&run.state) {
            return Err(failed(n, "the state is not the one that should be repeated"));
        }
        if self.able.iter().any(|thread| !self.movers.contains(thread)) {
            return Err(failed(n, "a thread that is able to move never does"));
        }
        let message = format!("never ends: steps {} to {n} repeat for ever", self.from + 1);
        Ok((message, run.steps[self.from].span))
    }
}

impl Round {
    /// Demands that the steps are rounds of a loop that can be taken for ever.
    fn recurs(&self, recurrence: &Recurrence, run: &Run<'_>) -> Result<(String, Span), Inconclusive> {
        let (n, length) = (run.steps.len(), recurrence.outcomes.len());
        let place = |step: &ReplayStep| (step.thread, step.func, step.loc);
        let rounds = &run.steps[self.from..];
        let is_periodic = rounds.iter().zip(rounds.iter().skip(length)).all(|(a, b)| place(a) == place(b));
        if length == 0 || rounds.len() < length || !rounds.len().is_multiple_of(length) || !is_periodic {
            return Err(failed(n, "the steps are no rounds of the loop"));
        }
        let start = self.start.as_ref().ok_or_else(|| failed(n, "there should be a round"))?;
        crate::recurrence::check(recurrence, &run.interp, start)?;
        let last = self.from + length;
        let message =
            format!("never ends: steps {} to {last} repeat for ever, though values change", self.from + 1);
        Ok((message, run.steps[self.from].span))
    }
}

fn failed(n: usize, what: &str) -> Inconclusive {
    Inconclusive::CheckFailed(format!("replay, step {n}: {what}"))
}

struct Run<'p> {
    interp: Interp<'p>,
    state: State,
    /// All threads in order of creation, with their start routines and names.
    created: Vec<(ThreadId, FuncId, String)>,
    steps: Vec<ReplayStep>,
}

impl Run<'_> {
    /// Takes one step; the violation, if there is one.
    fn step(
        &mut self,
        n: usize,
        step: &TraceStep,
        property: Property,
    ) -> Result<Option<(String, Span)>, Inconclusive> {
        let created = self.created.get(step.thread.index());
        let thread = created.ok_or_else(|| failed(n, "there is no such thread"))?.0;
        let position = self.interp.position(&self.state, thread);
        let position = position.ok_or_else(|| failed(n, "the thread has finished"))?;
        let depth = self.state.thread(thread).map_or(0, |t| t.frames().len());
        let mut choices = Answers { rest: &step.choices };
        let mut events: Vec<Event> = Vec::new();
        let result = self.interp.step(&mut self.state, thread, &mut choices, &mut events);
        if !choices.rest.is_empty() {
            return Err(failed(n, "more values are given than asked for"));
        }
        if result == StepResult::Blocked {
            // Only the choices happened.
            events.retain(|event| matches!(event, Event::Chosen { .. }));
        }
        self.record(step.thread, position, depth, events);
        match result {
            StepResult::Continue | StepResult::Ended => Ok(None),
            StepResult::Blocked if !step.choices.is_empty() => Ok(None),
            StepResult::Violation { property: violated, message, span } if violated == property => {
                Ok(Some((message, span)))
            }
            other => Err(failed(n, &format!("{other:?}"))),
        }
    }

    fn record(&mut self, thread: ThreadId, position: Position, depth: usize, events: Vec<Event>) {
        let events = events.into_iter().filter_map(|event| self.source_event(event)).collect();
        let function = &self.interp.program().functions[position.func];
        self.steps.push(ReplayStep {
            thread,
            thread_name: self.created[thread.index()].2.clone(),
            func: position.func,
            loc: position.loc,
            function: function.name.clone(),
            span: position.span,
            library: function.library,
            depth,
            events,
        });
    }

    fn source_event(&mut self, event: Event) -> Option<SourceEvent> {
        let name = |place| self.interp.place_name(place);
        let function = |func| self.interp.program().functions[func].name.clone();
        Some(match event {
            Event::Read { place, value, width, .. } => {
                SourceEvent::Read { name: name(place), value, width, temporary: self.is_temporary(place) }
            }
            Event::Write { place, value, width, .. } => {
                SourceEvent::Write { name: name(place), value, width, temporary: self.is_temporary(place) }
            }
            Event::Chosen { what: Choice::Input(place), value, width } => {
                SourceEvent::Input { name: name(place), value, width }
            }
            Event::Chosen { what: Choice::Indeterminate(place), value, width } => {
                SourceEvent::Uninitialised { name: name(place), value, width }
            }
            // The wake-up itself is told.
            Event::Chosen { what: Choice::Waiter { .. }, .. } => return None,
            Event::Copied { dst, src, len } => SourceEvent::Copied { dst: name(dst), src: name(src), len },
            Event::Filled { dst, len, byte } => SourceEvent::Filled { dst: name(dst), len, byte },
            Event::Allocated { object, size } => {
                SourceEvent::Allocated { name: self.interp.object_name(object), size }
            }
            Event::Freed { object } => SourceEvent::Freed { name: self.interp.object_name(object) },
            Event::Sync { kind, object } => SourceEvent::Sync { kind, object: object.map(name) },
            Event::Called { func } => SourceEvent::Called { function: function(func) },
            Event::Returned { func } => SourceEvent::Returned { function: function(func) },
            Event::Started { thread, func } => {
                let (thread, name) = self.name_thread(thread, func);
                SourceEvent::Started { thread, name }
            }
            Event::Finished { .. } => SourceEvent::Finished,
            Event::Joined { thread } => {
                let (thread, name) = self.known_thread(thread);
                SourceEvent::Joined { thread, name }
            }
            Event::Woken { thread } => {
                let (thread, name) = self.known_thread(thread);
                SourceEvent::Woken { thread, name }
            }
        })
    }

    fn is_temporary(&self, place: Place) -> bool {
        match place {
            Place::Register { func, var } => self.interp.program().functions[func].vars[var].temporary,
            Place::Memory { .. } => false,
        }
    }

    /// The next number and a name for a new thread: its routine's, with a count.
    fn name_thread(&mut self, thread: ThreadId, func: FuncId) -> (ThreadId, String) {
        let n_same = self.created.iter().skip(1).filter(|(_, f, _)| *f == func).count();
        let name = format!("{}#{}", self.interp.program().functions[func].name, n_same + 1);
        self.created.push((thread, func, name.clone()));
        (ThreadId::new(self.created.len() - 1), name)
    }

    fn known_thread(&self, thread: ThreadId) -> (ThreadId, String) {
        let at = self.created.iter().position(|(id, ..)| *id == thread);
        let at = at.expect("a thread that is joined or woken should have been created");
        (ThreadId::new(at), self.created[at].2.clone())
    }

    /// Demands that two steps, each taken from this state, are of two threads and make accesses that race; records them.
    fn race(&mut self, n: usize, sides: &[TraceStep; 2]) -> Result<(String, Span), Inconclusive> {
        if sides[0].thread == sides[1].thread {
            return Err(failed(n, "a race should be between two threads"));
        }
        let [left, right] = [self.about_to(n, &sides[0])?, self.about_to(n + 1, &sides[1])?];
        let mut pairs = left.0.iter().flat_map(|l| right.0.iter().map(move |r| (l, r)));
        let (first, second) =
            pairs.find(|(l, r)| l.races_with(r)).ok_or_else(|| failed(n, "the two accesses do not race"))?;
        let verb = |access: &MemoryAccess| match (access.atomic, access.write) {
            (true, true) => "atomic write",
            (true, false) => "atomic read",
            (false, true) => "write",
            (false, false) => "read",
        };
        let message = format!(
            "data race on {}: {} by {} and {} by {}",
            self.interp.place_name(if first.offset >= second.offset { first } else { second }.place()),
            verb(first),
            self.created[sides[0].thread.index()].2,
            verb(second),
            self.created[sides[1].thread.index()].2,
        );
        Ok((message, left.1))
    }

    /// What the next step of a thread accesses, and where it is; the step is recorded, but not taken.
    fn about_to(&mut self, n: usize, step: &TraceStep) -> Result<(Vec<MemoryAccess>, Span), Inconclusive> {
        let created = self.created.get(step.thread.index());
        let thread = created.ok_or_else(|| failed(n, "there is no such thread"))?.0;
        let position = self.interp.position(&self.state, thread);
        let position = position.ok_or_else(|| failed(n, "the thread has finished"))?;
        let mut choices = Answers { rest: &step.choices };
        let accesses = self.interp.next_accesses(&self.state, thread, &mut choices);
        if !choices.rest.is_empty() {
            return Err(failed(n, "more values are given than asked for"));
        }
        let depth = self.state.thread(thread).map_or(0, |t| t.frames().len());
        self.record(step.thread, position, depth, Vec::new());
        Ok((accesses, position.span))
    }

    /// Who waits where, and the place of the first of them.
    fn deadlock(&self) -> (String, Span) {
        let program = self.interp.program();
        let mut waits = Vec::new();
        let mut first = Span::NOWHERE;
        for (id, _, name) in &self.created {
            let Some(position) = self.interp.position(&self.state, *id) else { continue };
            if waits.is_empty() {
                first = position.span;
            }
            let action = &program.functions[position.func].locations[position.loc].action;
            let what = match action {
                Action::Ops { sync: Some(sync), .. } => format!(" ({})", sync.kind.name()),
                _ => String::new(),
            };
            waits.push(format!("{name} waits at {}{what}", span_name(program, position.span)));
        }
        (format!("deadlock: {}", waits.join(", ")), first)
    }
}

/// Gives the recorded values, one after another.
struct Answers<'a> {
    rest: &'a [u128],
}

impl Chooser for Answers<'_> {
    fn choose(&mut self, _width: Width, _what: &Choice) -> Option<u128> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }
}
