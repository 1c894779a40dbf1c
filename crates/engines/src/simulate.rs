//! Simulation: many executions, each with another schedule, in the hope of a violation. Never a proof.
//!
//! Many violations need few preemptions, whatever their depth: a search that enumerates interleavings drowns before it is there, a
//! random one that prefers few preemptions is there at once. The scheduler is that of Burckhardt, Kothari, Musuvathi and Nagarakatte, *A randomized scheduler with
//! probabilistic guarantees of finding bugs* (ASPLOS 2010): threads have random priorities, the one with the highest that can
//! move does, and at a few random moments the running thread falls to the bottom. A thread that runs for long without others
//! falls, too: it may be spinning until one of them does something. With dozens of threads, random orders hardly ever have the one that matters at their end; so
//! in some executions the main thread comes first and the others in the order of their creation, or in the opposite one.
//!
//! Executions are cut off after a number of steps, because a program may never end. A violation behind thousands of creations, or at the end of a long computation, lies
//! beyond that: when one of the first executions was cut off, a long one follows, in which every thread runs as soon as it is created (so that few are alive at a time).
//!
//! Everything is decided by the number of the execution, so that the same program always gives the same answer.
//!
//! # Direction of error
//! Finds real violations only: every execution is one of the interpreter.

use crate::task::{Engine, Task};
use base::convert::index;
use base::{Inconclusive, Random, Stats};
use evidence::{Outcome, Trace, TraceStep};
use program::interp::{Choice, Chooser, Interp, NoObserver, State, StepResult, Thread, ThreadId, Wakeups};
use program::{MemoryModel, Property, Width};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// How much to try.
#[derive(Clone, Debug)]
pub struct Options {
    /// Maximum number of executions.
    pub executions: u64,
    /// Maximum number of steps in all executions together.
    pub steps: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { executions: 2_000, steps: 300_000 }
    }
}

/// Maximum number of steps of an execution, unless it is a long one.
const MAX_LENGTH: u64 = 20_000;
/// Maximum number of steps of a long execution.
const MAX_LONG: u64 = 1_000_000;
/// When one of the first executions, as many as this, was cut off, a long one follows.
const BEFORE_LONG: u64 = STYLES.len() as u64;
/// After this number of steps in a row a thread lets others go on.
const PATIENCE: u64 = 400;
/// A store leaves its buffer in one of this number of steps in which it could.
const LEAVE_ONE_IN: u64 = 12;
/// Maximum number of preemptions in an execution.
const MAX_PREEMPTIONS: u64 = 4;

impl Options {
    /// As much as a property is worth.
    pub fn for_property(property: Property) -> Self {
        let all = Self::default();
        match property {
            // Each step looks at the next access of every thread.
            Property::NoDataRace => Self { steps: all.steps / 5, ..all },
            _ => all,
        }
    }
}

impl Engine for Options {
    fn name(&self) -> &'static str {
        "simulate"
    }

    fn supports(&self, property: Property) -> bool {
        !matches!(property, Property::Termination | Property::Robustness)
    }

    fn supports_model(&self, model: MemoryModel) -> bool {
        model == MemoryModel::Sc || model.has_buffers()
    }

    fn search(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome {
        match search(task, self, stats) {
            Ok(Some(trace)) => Outcome::Unsafe(trace),
            Ok(None) => {
                Outcome::Unknown(Inconclusive::NoProof("simulation finds violations only".to_owned()))
            }
            Err(why) => Outcome::Unknown(why),
        }
    }
}

/// Looks for a violation.
pub fn search(task: &Task<'_>, options: &Options, stats: &mut Stats) -> Result<Option<Trace>, Inconclusive> {
    let mut tried = Tried { length: 100, ..Tried::default() };
    let mut found = None;
    for number in 0..options.executions {
        found = tried.one(task, Simulation::new(number, tried.length), MAX_LENGTH)?;
        if found.is_none() && number + 1 == BEFORE_LONG && tried.any_cut_off {
            found = tried.one(task, Simulation::long(), MAX_LONG)?;
        }
        if found.is_some() || tried.steps >= options.steps {
            break;
        }
    }
    stats.add("simulated_executions", tried.executions);
    stats.add("simulated_steps", tried.steps);
    Ok(found)
}

/// What was tried so far.
#[derive(Default)]
struct Tried {
    executions: u64,
    steps: u64,
    /// True if an execution had not ended when it was as long as it may be.
    any_cut_off: bool,
    /// How long executions are on average, the last ones counting more. Moments of preemption are spread over as many steps.
    length: u64,
}

impl Tried {
    /// Tries one more execution, of at most `longest` steps.
    fn one(
        &mut self,
        task: &Task<'_>,
        mut simulation: Simulation,
        longest: u64,
    ) -> Result<Option<Trace>, Inconclusive> {
        let found = simulation.run(task, longest)?;
        let taken = simulation.steps.len() as u64;
        self.executions += 1;
        self.steps += taken;
        self.any_cut_off |= taken >= longest;
        self.length = (self.length + taken) / 2 + 1;
        let steps = simulation.steps;
        Ok(found.map(|property| Trace { property, steps, cycle: None }))
    }
}

/// Answers at random, and remembers what it said.
struct Inputs<'a> {
    random: &'a mut Random,
    given: Vec<u128>,
}

impl Chooser for Inputs<'_> {
    fn choose(&mut self, width: Width, what: &Choice) -> Option<u128> {
        let value = match what {
            Choice::Waiter { n_waiters } => u128::from(self.random.below(*n_waiters as u64)),
            // A store that stays in its buffer for long is what others do not expect.
            Choice::Leave { may_go_on: true, .. } if self.random.below(LEAVE_ONE_IN) > 0 => 0,
            Choice::Leave { n_leaving, .. } => u128::from(1 + self.random.below(*n_leaving as u64)),
            // Small numbers pass more of a program's own checks.
            _ => match self.random.below(8) {
                0 => u128::from(self.random.number()),
                1 => width.mask() >> self.random.below(2),
                2 => u128::from(self.random.below(64)),
                _ => u128::from(self.random.below(3)),
            },
        };
        let value = if matches!(what, Choice::Waiter { .. } | Choice::Leave { .. }) {
            value
        } else {
            width.truncate(value)
        };
        self.given.push(value);
        Some(value)
    }
}

/// In which order threads go on, unless they are preempted.
#[derive(Clone, Copy)]
enum Style {
    /// Any.
    Random,
    /// The main thread first, the others in any order.
    MainFirst,
    /// The older first.
    OldestFirst,
    /// The main thread first, then the younger before the older.
    YoungestFirst,
    /// Whoever was created last, and the main thread last of all.
    NewestFirst,
}

const STYLES: [Style; 5] =
    [Style::Random, Style::MainFirst, Style::OldestFirst, Style::YoungestFirst, Style::Random];

/// One execution.
struct Simulation {
    random: Random,
    style: Style,
    /// Those who have not finished, by their priorities; higher ones go first.
    order: BTreeSet<(i64, ThreadId)>,
    priorities: FxHashMap<ThreadId, i64>,
    /// How many threads were there when new ones were last looked for.
    n_threads: usize,
    /// The steps before which the running thread is preempted.
    preemptions: Vec<u64>,
    /// The lowest priority given so far.
    bottom: i64,
    steps: Vec<TraceStep>,
}

impl Simulation {
    fn new(number: u64, length: u64) -> Self {
        let mut random = Random(number.wrapping_mul(0x1234_5678_9abc_def1));
        let style = STYLES[index(number % STYLES.len() as u64)];
        let n_preemptions = number / STYLES.len() as u64 % (MAX_PREEMPTIONS + 1);
        let preemptions = (0..n_preemptions).map(|_| random.below(length)).collect();
        Self::with(random, style, preemptions)
    }

    /// An execution in which few threads are alive at a time.
    fn long() -> Self {
        Self::with(Random(0), Style::NewestFirst, Vec::new())
    }

    fn with(random: Random, style: Style, preemptions: Vec<u64>) -> Self {
        let (order, priorities) = (BTreeSet::new(), FxHashMap::default());
        Self { random, style, order, priorities, n_threads: 0, preemptions, bottom: 0, steps: Vec::new() }
    }

    /// The property that the execution violated in the end, if that answers the query.
    fn run(&mut self, task: &Task<'_>, longest: u64) -> Result<Option<Property>, Inconclusive> {
        let Task { property, budget, .. } = task;
        let property = *property;
        let interp = Interp::new(task.program())?;
        let mut state = interp.initial();
        let (mut last, mut in_a_row) = (ThreadId::MAIN, 0);
        for step in 0..longest {
            budget.check()?;
            if self.preemptions.contains(&step) || in_a_row > PATIENCE {
                self.demote(last);
                in_a_row = 0;
            }
            let Some(thread) = self.next_thread(&interp, &state) else {
                let stuck = property == Property::NoDeadlock && interp.is_deadlock(&state);
                return Ok(stuck.then_some(property));
            };
            if property == Property::NoDataRace
                && let Some(sides) = self.race(&interp, &state, thread)
            {
                self.steps.extend(sides);
                return Ok(Some(property));
            }
            in_a_row = if thread == last { in_a_row + 1 } else { 0 };
            last = thread;
            let mut inputs = Inputs { random: &mut self.random, given: Vec::new() };
            let before = property.is_about_leaks().then(|| state.clone());
            let result = interp.step(&mut state, thread, &mut inputs, &mut NoObserver);
            self.steps.push(TraceStep { thread, choices: inputs.given });
            match result {
                StepResult::Continue => {}
                StepResult::Violation { property: violated, .. } => {
                    return Ok((violated == property).then_some(property));
                }
                StepResult::Undefined(undefined) => {
                    return Ok(Some(undefined.property()).filter(|violated| task.is_answered_by(*violated)));
                }
                StepResult::Ended => {
                    let leak = before.and_then(|before| interp.leak(&before, &state, thread, property));
                    return Ok(leak.map(|leak| leak.property()));
                }
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// A race of the thread that moves next with another one. (A race of two others is met when one of them moves.)
    fn race(&mut self, interp: &Interp<'_>, state: &State, thread: ThreadId) -> Option<[TraceStep; 2]> {
        let mut next = |thread: ThreadId| {
            let mut inputs = Inputs { random: &mut self.random, given: Vec::new() };
            let accesses = interp.next_accesses(state, thread, &mut inputs);
            (TraceStep { thread, choices: inputs.given }, accesses)
        };
        let (here, mine) = next(thread);
        if mine.is_empty() {
            return None;
        }
        let others: Vec<ThreadId> = state.threads().map(|(id, _)| id).filter(|id| *id != thread).collect();
        others.into_iter().find_map(|other| {
            let (there, theirs) = next(other);
            let races = mine.iter().any(|left| theirs.iter().any(|right| left.races_with(right)));
            races.then(|| [here.clone(), there])
        })
    }

    /// Where a thread that is new begins: above all that were preempted.
    fn priority(&mut self, thread: ThreadId) -> i64 {
        let (age, any) = (i64::from(thread.0), 1 + self.random.below(1 << 32).cast_signed());
        match self.style {
            Style::MainFirst | Style::YoungestFirst if thread == ThreadId::MAIN => i64::MAX,
            Style::NewestFirst if thread == ThreadId::MAIN => 0,
            Style::Random | Style::MainFirst => any,
            Style::OldestFirst => i64::from(u32::MAX) - age,
            Style::YoungestFirst => 1 + age,
            Style::NewestFirst => 1 + self.priorities.len() as i64,
        }
    }

    fn demote(&mut self, thread: ThreadId) {
        self.bottom -= 1;
        let before = self.priorities.insert(thread, self.bottom);
        if before.is_some_and(|before| self.order.remove(&(before, thread))) {
            self.order.insert((self.bottom, thread));
        }
    }

    fn next_thread(&mut self, interp: &Interp<'_>, state: &State) -> Option<ThreadId> {
        // A step creates at most one thread, or forgets some.
        let n_threads = state.threads().len();
        if n_threads > self.n_threads {
            for (thread, _) in state.threads() {
                if !self.priorities.contains_key(&thread) {
                    let priority = self.priority(thread);
                    self.priorities.insert(thread, priority);
                    self.order.insert((priority, thread));
                }
            }
        }
        self.n_threads = n_threads;
        let is_over = |thread: ThreadId| state.thread(thread).is_none_or(Thread::is_finished);
        let (mut over, mut next) = (Vec::new(), None);
        for entry @ (_, thread) in self.order.iter().rev().copied() {
            if interp.enabled(state, thread, Wakeups::OnlySignalled) {
                next = Some(thread);
                break;
            }
            if is_over(thread) {
                over.push(entry);
            }
        }
        for entry in over {
            self.order.remove(&entry);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Budget;

    fn found(text: &str, property: Property) -> Option<Trace> {
        let program = program::text::parse(text).unwrap_or_else(|e| panic!("{e:?} in {text}"));
        let task = Task::new(&program, property, &Budget::unlimited());
        let trace = search(&task, &Options::default(), &mut Stats::default())
            .expect("nothing should stop a simulation");
        if let Some(trace) = &trace {
            certify::replay(&program, trace).expect("a trace should replay");
        }
        trace
    }

    const LOST_UPDATE: &str = "program lp64 object x: 4 = 0
        function main() -> 32 { reg h, g, r: 64 reg e: 32
            h = create(&add, 0)
            g = create(&add, 0)
            r, e = join(h)
            r, e = join(g)
            if [&x]:32 == 2 then ok else bad
            bad: error unreach-call \"sum\"
            ok: return 0 }
        function add(arg: 64) -> 64 { reg t: 32 t = [&x]:32 [&x]:32 = t + 1 return 0 }";

    #[test]
    fn a_lost_update_is_found() {
        assert!(found(LOST_UPDATE, Property::UnreachCall).is_some());
        assert!(found(LOST_UPDATE, Property::NoDataRace).is_some());
        assert_eq!(found(LOST_UPDATE, Property::NoDeadlock), None);
    }

    #[test]
    fn a_thread_that_waits_for_itself_is_found() {
        let stuck = "program lp64 object m: 4 = 1 function main() -> 32 { guard [&m]:32 == 0 return 0 }";
        assert!(found(stuck, Property::NoDeadlock).is_some());
        assert_eq!(found(stuck, Property::UnreachCall), None);
    }

    #[test]
    fn a_violation_behind_thousands_of_creations_is_found() {
        let text = "program lp64 object x: 4 = 0
            function main() -> 32 { reg h: 64 reg i: 32
                i = 0
                more: h = create(&add, 0)
                i = i + 1
                if i <u 6000 then more else done
                done: if [&x]:32 == 6000 then bad else ok
                bad: error unreach-call \"sum\"
                ok: return 0 }
            function add(arg: 64) -> 64 { [&x]:32 = [&x]:32 + 1 return 0 }";
        let trace = found(text, Property::UnreachCall).expect("the threads one after the other");
        assert!(trace.steps.len() as u64 > MAX_LENGTH);
    }

    #[test]
    fn the_same_question_has_the_same_answer() {
        assert_eq!(found(LOST_UPDATE, Property::UnreachCall), found(LOST_UPDATE, Property::UnreachCall));
    }
}
