//! Looks for an execution along the waypoints of a witness.
//!
//! The program carries [marks](super::marks), and every execution is one of the interpreter. A *decision* is a step at which more than one thread can move, or
//! a value that the program leaves open; its options are ordered by what the witness suggests: first the thread of the next waypoint, and the value that it
//! demands. The search is limited discrepancy search (W. Harvey, M. Ginsberg, IJCAI 1995): first the execution that always follows the first option, then all that deviate
//! from it once, twice, …, those first whose beginnings came furthest along the witness. An execution that leaves the witness is cut off.
//!
//! # Direction of error
//! May miss an execution that is there (then the witness is not confirmed), never invents one: what is found ends in the violation, at the
//! target, after all waypoints were passed in order; and it is replayed by `certify` like every other counterexample.

use super::marks::MARK;
use base::{Budget, Idx, Inconclusive};
use evidence::{Trace, TraceStep};
use program::interp::{
    Choice, Chooser, Event, Identity, Interp, Place, StepResult, Thread, ThreadId, Wakeups,
};
use program::trace::Execution;
use program::{ObjectId, Program, Property, Width};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A segment that is not the last.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The mark that has to be passed, and by which thread.
    pub follow: (usize, Option<u64>),
    /// Those that must not be.
    pub avoid: Vec<(usize, Option<u64>)>,
    /// The value that the waypoint demands of an input.
    pub input: Option<u128>,
    /// True if the waypoint is a call that creates a thread.
    pub creates: bool,
}

/// Where the violation is.
#[derive(Clone, Debug)]
pub struct Target {
    /// The file's name,
    pub file: String,
    /// the line that the statement begins in
    pub line: u32,
    /// and its last line.
    pub last_line: u32,
    /// The thread.
    pub thread: Option<u64>,
}

/// What an execution has to do.
pub struct Way {
    /// What is violated.
    pub property: Property,
    /// All segments but the last.
    pub segments: Vec<Segment>,
    /// What must not be passed in the last segment.
    pub avoid: Vec<(usize, Option<u64>)>,
    /// One target, or the two accesses of a data race.
    pub targets: Vec<Target>,
    /// Numbers that the witness mentions, as candidates for inputs.
    pub numbers: Vec<u128>,
}

/// Maximum number of steps of an execution.
const MAX_STEPS: usize = 20_000;
/// Maximum number of steps between two waypoints.
const MAX_BETWEEN: usize = 5_000;
/// After this number of steps in a row a thread lets others go on: it may be waiting for them.
const PATIENCE: usize = 300;
/// Maximum number of executions.
const MAX_EXECUTIONS: usize = 100_000;
/// Maximum number of beginnings that wait to be tried.
const MAX_OPEN: usize = 2_000_000;

/// Decisions that deviate: their numbers and the options that are taken.
type Deviations = Vec<(usize, usize)>;

/// An execution along the witness; `None` if none is found.
pub fn search(program: &Program, way: &Way, budget: &Budget) -> Result<Option<Trace>, Inconclusive> {
    let interp = Interp::new(program)?;
    let marks = marks(program);
    // By the number of deviations, then by how far the execution came that is deviated from, then in order.
    let mut open: BTreeMap<(usize, usize, usize), (Style, Deviations)> = BTreeMap::new();
    for (n, style) in [Style::Exact, Style::Soon, Style::Late].into_iter().enumerate() {
        open.insert((0, 0, n), (style, Vec::new()));
    }
    let mut n_made = open.len();
    for _ in 0..MAX_EXECUTIONS {
        let Some((_, (style, deviations))) = open.pop_first() else { break };
        let mut run = Run::new(&interp, way, &marks, style, &deviations);
        if let Some(trace) = run.run(budget)? {
            return Ok(Some(trace));
        }
        let first = deviations.last().map_or(0, |(decision, _)| decision + 1);
        for (decision, n_options) in run.decisions.iter().enumerate().skip(first) {
            let room = MAX_OPEN.saturating_sub(open.len());
            for option in (1..*n_options).take(room) {
                let mut longer = deviations.clone();
                longer.push((decision, option));
                open.insert((longer.len(), usize::MAX - run.passed, n_made), (style, longer));
                n_made += 1;
            }
        }
    }
    Ok(None)
}

/// The numbers of the marks' variables.
fn marks(program: &Program) -> FxHashMap<ObjectId, usize> {
    let objects = program.objects.iter_enumerated();
    objects.filter_map(|(id, object)| Some((id, mark_number(&object.name)?))).collect()
}

/// `__threadproof_mark_7`, perhaps with a suffix by which the front end tells statics apart.
fn mark_number(name: &str) -> Option<usize> {
    let number = name.strip_prefix(MARK)?;
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    number[..end].parse().ok()
}

/// When the thread of the next waypoint moves.
#[derive(Clone, Copy)]
enum Style {
    /// When the thread that moves now would pass a mark that the witness demands of it later, or cannot go on: what it has begun is done before others move.
    Exact,
    /// At once.
    Soon,
    /// When the thread that moves now has come to its next mark, or cannot go on.
    Late,
}

/// One execution.
struct Run<'r, 'p> {
    execution: Execution<'r, 'p>,
    way: &'r Way,
    marks: &'r FxHashMap<ObjectId, usize>,
    style: Style,
    deviations: &'r [(usize, usize)],
    /// The number of options of each decision.
    decisions: Vec<usize>,
    steps: Vec<TraceStep>,
    /// The number of segments that are done.
    passed: usize,
    /// True if it has left the witness.
    off: bool,
    /// The witness's numbers of threads, by the order of their creation.
    ids: Vec<Option<u64>>,
    /// Threads that have passed a call which creates one.
    creating: Vec<usize>,
    n_named: u64,
    last: ThreadId,
    /// True if the last thread that moved has passed a mark since.
    rests: bool,
    /// The number of steps that the last thread has taken in a row, and that were taken since the last waypoint.
    in_a_row: usize,
    since: usize,
    /// True if the last step touched nothing that other threads could know of.
    local: bool,
}

impl<'r, 'p> Run<'r, 'p> {
    fn new(
        interp: &'r Interp<'p>,
        way: &'r Way,
        marks: &'r FxHashMap<ObjectId, usize>,
        style: Style,
        deviations: &'r [(usize, usize)],
    ) -> Self {
        Self {
            execution: Execution::new(interp),
            way,
            marks,
            style,
            deviations,
            decisions: Vec::new(),
            steps: Vec::new(),
            passed: 0,
            off: false,
            ids: vec![Some(0)],
            creating: Vec::new(),
            n_named: 0,
            last: ThreadId::MAIN,
            rests: false,
            in_a_row: 0,
            since: 0,
            local: false,
        }
    }

    fn run(&mut self, budget: &Budget) -> Result<Option<Trace>, Inconclusive> {
        let property = self.way.property;
        for _ in 0..MAX_STEPS {
            budget.check()?;
            if self.is_final()
                && property == Property::NoDataRace
                && let Some(sides) = self.race()
            {
                self.steps.extend(sides);
                return Ok(Some(self.trace(property)));
            }
            let Some(thread) = self.next_thread() else {
                let stuck = property == Property::NoDeadlock
                    && self.is_final()
                    && self.execution.interp().is_deadlock(self.execution.state())
                    && self.all_threads().into_iter().any(|thread| self.is_at_target(thread));
                return Ok(stuck.then(|| self.trace(property)));
            };
            if let Some(violated) = self.step(thread) {
                return Ok(Some(self.trace(violated)).filter(|_| !self.off));
            }
            if self.off {
                return Ok(None);
            }
        }
        Ok(None)
    }

    fn trace(&self, property: Property) -> Trace {
        Trace { property, steps: self.steps.clone(), cycle: None }
    }

    fn is_final(&self) -> bool {
        self.passed == self.way.segments.len()
    }

    /// Takes a step; the property that it violates, at the target. Any other end leaves the witness.
    fn step(&mut self, thread: ThreadId) -> Option<Property> {
        let property = self.way.property;
        let at_target = self.is_at_target(thread);
        let before = property.is_about_leaks().then(|| self.execution.state().clone());
        let number = self.number(thread);
        let mut chooser = Suggested {
            first: self.suggestion(),
            numbers: &self.way.numbers,
            deviations: self.deviations,
            decisions: &mut self.decisions,
            given: Vec::new(),
        };
        let (result, events) = self.execution.take(thread, &mut chooser);
        let choices = chooser.given;
        if result == StepResult::Blocked && choices.is_empty() {
            self.off = true;
            return None;
        }
        self.steps.push(TraceStep { thread: ThreadId::new(number), choices });
        self.rests = thread == self.last && self.rests;
        self.in_a_row = if thread == self.last { self.in_a_row + 1 } else { 0 };
        self.since += 1;
        self.off |= self.since > MAX_BETWEEN;
        self.last = thread;
        self.local = !events.iter().any(is_visible);
        events.iter().for_each(|event| self.observe(event, number));
        // The target is passed with the last waypoint, if both are in one step.
        let counts = self.is_final() && at_target && !self.off;
        let violated = match result {
            StepResult::Continue | StepResult::Blocked => return None,
            StepResult::Violation { property: violated, .. } => (violated == property).then_some(property),
            StepResult::Undefined(undefined) => {
                Some(undefined.property()).filter(|part| property.includes(*part))
            }
            StepResult::Ended => before.and_then(|before| {
                let interp = self.execution.interp();
                interp.leak(&before, self.execution.state(), thread, property).map(|leak| leak.property())
            }),
            _ => None,
        };
        self.off |= violated.is_none() || !counts;
        violated.filter(|_| counts).map(|_| property)
    }

    /// Follows the witness.
    fn observe(&mut self, event: &Event, number: usize) {
        match event {
            Event::Started { .. } => {
                let names = self.way.segments.iter().any(|segment| segment.creates);
                let id = match self.creating.iter().position(|creator| *creator == number) {
                    _ if !names => Some(self.ids.len() as u64),
                    Some(n) => {
                        self.creating.remove(n);
                        self.n_named += 1;
                        Some(self.n_named)
                    }
                    None => None,
                };
                self.ids.push(id);
            }
            Event::Write { place: Place::Memory { object, .. }, value, .. } => {
                let (Identity::Static(id) | Identity::ThreadLocal(id, _)) = *object else { return };
                if let Some(mark) = self.marks.get(&id) {
                    self.rests = true;
                    self.evaluated(*mark, *value != Some(0), number);
                }
            }
            _ => {}
        }
    }

    /// A waypoint was evaluated.
    fn evaluated(&mut self, mark: usize, holds: bool, number: usize) {
        let id = self.ids.get(number).copied().flatten();
        let is =
            |(other, thread): &(usize, Option<u64>)| *other == mark && (thread.is_none() || *thread == id);
        let segment = self.way.segments.get(self.passed);
        let avoid = segment.map_or(&self.way.avoid, |segment| &segment.avoid);
        if holds && avoid.iter().any(is) {
            self.off = true;
        }
        if let Some(segment) = segment.filter(|segment| is(&segment.follow)) {
            self.off |= !holds;
            self.passed += 1;
            self.since = 0;
            if segment.creates {
                self.creating.push(number);
            }
        }
    }

    /// The thread that moves next.
    fn next_thread(&mut self) -> Option<ThreadId> {
        let interp = self.execution.interp();
        let mut threads = interp.runnable(self.execution.state(), Wakeups::OnlySignalled);
        let is_exact = matches!(self.style, Style::Exact);
        let too_early: Vec<ThreadId> = match is_exact {
            true => threads.iter().copied().filter(|thread| self.is_too_early(*thread)).collect(),
            false => Vec::new(),
        };
        // Whether another thread moves before or after a local step makes no difference.
        let goes_on = self.local && (is_exact || !self.rests) && !too_early.contains(&self.last);
        if threads.is_empty() || goes_on && self.in_a_row <= PATIENCE && threads.contains(&self.last) {
            return (!threads.is_empty()).then_some(self.last);
        }
        let wanted = match self.way.segments.get(self.passed) {
            Some(segment) => segment.follow.1,
            None => self.way.targets.iter().find_map(|target| target.thread),
        };
        let wanted = wanted.and_then(|id| self.ids.iter().position(|known| *known == Some(id)));
        let wanted = wanted.and_then(|number| self.execution.created().get(number).copied());
        let spurious = interp.runnable(self.execution.state(), Wakeups::Spurious);
        let waits = match self.style {
            Style::Exact => true,
            Style::Soon => false,
            Style::Late => !self.rests,
        };
        let is_tired = self.in_a_row > PATIENCE;
        let rank = |thread: &ThreadId| match () {
            () if too_early.contains(thread) => 5,
            () if *thread == self.last && is_tired => 4,
            () if *thread == self.last && waits => 0,
            () if Some(*thread) == wanted => 1,
            () if *thread == self.last => 2,
            () => 3,
        };
        threads.sort_by_key(rank);
        threads.extend(spurious.into_iter().filter(|thread| !threads.contains(thread)).collect::<Vec<_>>());
        let option = decide(threads.len(), &mut self.decisions, self.deviations);
        threads.get(option).copied()
    }

    /// Returns true if the next step of a thread passes a mark that the witness demands of it only after the next waypoint.
    fn is_too_early(&self, thread: ThreadId) -> bool {
        let number = self.number(thread);
        let step = TraceStep { thread: ThreadId::new(number), choices: Vec::new() };
        let Ok((_, accesses)) = self.execution.next_accesses(&step) else { return false };
        let id = self.ids.get(number).copied().flatten();
        let written = accesses.iter().filter(|access| access.write).find_map(|access| match access.object {
            Identity::Static(object) | Identity::ThreadLocal(object, _) => self.marks.get(&object),
            _ => None,
        });
        let Some(mark) = written else { return false };
        let demands = |segment: &Segment| {
            let (other, thread) = segment.follow;
            other == *mark && (thread.is_none() || thread == id)
        };
        let mut rest = self.way.segments.iter().skip(self.passed);
        !rest.next().is_some_and(demands) && rest.any(demands)
    }

    fn all_threads(&self) -> Vec<ThreadId> {
        self.execution.state().threads().map(|(id, _)| id).collect()
    }

    fn number(&self, thread: ThreadId) -> usize {
        let number = self.execution.created().iter().position(|id| *id == thread);
        number.expect("a thread should be created before it moves")
    }

    /// Returns true if a thread is in the statement of a target that is its own.
    fn is_at_target(&self, thread: ThreadId) -> bool {
        self.way.targets.iter().any(|target| self.is_at(thread, target))
    }

    fn is_at(&self, thread: ThreadId, target: &Target) -> bool {
        let id = self.ids.get(self.number(thread)).copied().flatten();
        if target.thread.is_some() && target.thread != id {
            return false;
        }
        let program = self.execution.interp().program();
        let frames = self.execution.state().thread(thread).into_iter().flat_map(Thread::frames);
        frames.into_iter().any(|frame| {
            let span = program.functions[frame.func()].locations[frame.loc()].span;
            let file = program.files.get(span.file).map_or("", String::as_str);
            (target.line..=target.last_line).contains(&span.line)
                && super::marks::same_file(file, &target.file)
        })
    }

    /// Two threads at the targets that are about to make accesses which race.
    fn race(&mut self) -> Option<[TraceStep; 2]> {
        let (first, second) = (self.way.targets.first()?, self.way.targets.last()?);
        let threads = self.all_threads();
        let steps: Vec<TraceStep> = threads
            .iter()
            .map(|thread| TraceStep { thread: ThreadId::new(self.number(*thread)), choices: Vec::new() })
            .collect();
        for (left, a) in threads.iter().zip(&steps).filter(|(thread, _)| self.is_at(**thread, first)) {
            let (_, mine) = self.execution.next_accesses(a).ok()?;
            for (right, b) in threads.iter().zip(&steps).filter(|(thread, _)| *thread != left) {
                // With a single target, the other access may be anywhere.
                if self.way.targets.len() > 1 && !self.is_at(*right, second) {
                    continue;
                }
                let Ok((_, theirs)) = self.execution.next_accesses(b) else { continue };
                if mine.iter().any(|mine| theirs.iter().any(|theirs| mine.races_with(theirs))) {
                    return Some([a.clone(), b.clone()]);
                }
            }
        }
        None
    }

    /// The value of the next input, if the witness says.
    fn suggestion(&self) -> Option<u128> {
        self.way.segments.get(self.passed..)?.iter().find_map(|segment| segment.input)
    }
}

/// Returns true if other threads could know of what happened.
fn is_visible(event: &Event) -> bool {
    let shared = |place: &Place| match place {
        Place::Memory { object, .. } => !matches!(object, Identity::ThreadLocal(..)),
        Place::Register { .. } => false,
    };
    match event {
        Event::Read { place, .. } | Event::Write { place, .. } => shared(place),
        Event::Evaluated(_) | Event::Chosen { .. } | Event::Called { .. } | Event::Returned { .. } => false,
        _ => true,
    }
}

/// The option that is taken at the next decision; options are numbers below `n_options`.
fn decide(n_options: usize, decisions: &mut Vec<usize>, deviations: &[(usize, usize)]) -> usize {
    if n_options < 2 {
        return 0;
    }
    let number = decisions.len();
    decisions.push(n_options);
    deviations.iter().find(|(decision, _)| *decision == number).map_or(0, |(_, option)| *option)
}

/// Gives what the witness suggests, and notes it.
struct Suggested<'s> {
    first: Option<u128>,
    numbers: &'s [u128],
    deviations: &'s [(usize, usize)],
    decisions: &'s mut Vec<usize>,
    given: Vec<u128>,
}

impl Chooser for Suggested<'_> {
    fn choose(&mut self, width: Width, what: &Choice) -> Option<u128> {
        let options: Vec<u128> = match what {
            Choice::Waiter { n_waiters } => (0..*n_waiters as u128).collect(),
            Choice::Leave { n_leaving, may_go_on } => {
                (u128::from(!*may_go_on)..=*n_leaving as u128).collect()
            }
            Choice::Input(_) | Choice::Indeterminate(_) => {
                let values = self.first.into_iter().chain([0, 1]).chain(self.numbers.iter().copied());
                let mut options: Vec<u128> = Vec::new();
                for value in values.chain([width.mask()]).map(|value| width.truncate(value)) {
                    if !options.contains(&value) {
                        options.push(value);
                    }
                }
                options
            }
        };
        let value = options[decide(options.len(), self.decisions, self.deviations)];
        self.given.push(value);
        Some(value)
    }
}
