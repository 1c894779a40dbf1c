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
//! Inputs are small numbers, numbers that the program mentions and their neighbours, or any; in some executions bytes from outside are the digits of numbers, which is what programs
//! convert with `atoi`.
//!
//! Everything is decided by the number of the execution, so that the same program always gives the same answer.
//!
//! # Direction of error
//! Finds real violations only: every execution is one of the interpreter.

mod run;

use crate::task::{Engine, Task};
use base::convert::index;
use base::{Inconclusive, Random, Stats};
use evidence::{Outcome, Trace, TraceStep};
use program::interp::{Interp, StepResult, Thread, ThreadId, Wakeups};
use program::{MemoryModel, Property};
pub(crate) use run::{Constants, Run};
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

/// Maximum number of steps of the first executions, and how many executions there are before longer ones are tried.
const MAX_LENGTH: u64 = 20_000;
const LONGER_AFTER: u64 = 2_000;
/// Maximum number of steps of the long execution, which comes when one of the first executions, as many as this, was cut off.
const MAX_LONG: u64 = 1_000_000;
const BEFORE_LONG: u64 = STYLES.len() as u64;
/// After this number of steps in a row a thread lets others go on.
const PATIENCE: u64 = 400;
/// Maximum number of preemptions in an execution.
const MAX_PREEMPTIONS: u64 = 4;

impl Options {
    /// Until the time is up.
    pub fn to_the_end() -> Self {
        Self { executions: u64::MAX, steps: u64::MAX }
    }

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
    let interp = Interp::new(task.program())?;
    let constants = Constants::of(task.program());
    let mut tried = Tried { length: 100, ..Tried::default() };
    for number in 0..options.executions {
        let mut found = tried.one(task, Simulation::new(&interp, &constants, number, tried.length), stats)?;
        if found.is_none() && number + 1 == BEFORE_LONG && tried.any_cut_off {
            found = tried.one(task, Simulation::long(&interp, &constants), stats)?;
        }
        if found.is_some() || tried.steps >= options.steps {
            return Ok(found);
        }
    }
    Ok(None)
}

/// What was tried so far.
#[derive(Default)]
struct Tried {
    steps: u64,
    /// True if an execution had not ended when it was as long as it may be.
    any_cut_off: bool,
    /// How long executions are on average, the last ones counting more. Moments of preemption are spread over as many steps.
    length: u64,
}

impl Tried {
    fn one(
        &mut self,
        task: &Task<'_>,
        mut simulation: Simulation<'_, '_>,
        stats: &mut Stats,
    ) -> Result<Option<Trace>, Inconclusive> {
        let found = simulation.run(task)?;
        let steps = simulation.run.steps;
        let taken = steps.len() as u64;
        stats.add("simulated_executions", 1);
        stats.add("simulated_steps", taken);
        self.steps += taken;
        self.any_cut_off |= taken >= simulation.max_length;
        self.length = (self.length + taken) / 2 + 1;
        Ok(found.map(|property| Trace { property, steps, cycle: None }))
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
    /// The younger before the older, and the main thread last of all.
    NewestFirst,
}

const STYLES: [Style; 5] =
    [Style::Random, Style::MainFirst, Style::OldestFirst, Style::YoungestFirst, Style::Random];

/// One execution.
struct Simulation<'i, 'p> {
    run: Run<'i, 'p>,
    style: Style,
    priorities: FxHashMap<ThreadId, i64>,
    /// Those who have not finished, by their priorities; higher ones go first.
    order: BTreeSet<(i64, ThreadId)>,
    /// The steps before which the running thread is preempted.
    preemptions: Vec<u64>,
    /// The lowest priority given so far.
    bottom: i64,
    /// Maximum number of steps.
    max_length: u64,
}

impl<'i, 'p> Simulation<'i, 'p> {
    fn new(interp: &'i Interp<'p>, constants: &'i Constants, number: u64, length: u64) -> Self {
        let mut random = Random(number.wrapping_mul(0x1234_5678_9abc_def1));
        let style = STYLES[index(number % STYLES.len() as u64)];
        let n_preemptions = number / STYLES.len() as u64 % (MAX_PREEMPTIONS + 1);
        let preemptions = (0..n_preemptions).map(|_| random.below(length)).collect();
        // A long simulation has executions of any length: each batch of them may be twice as long.
        let max_length = MAX_LENGTH << (number / LONGER_AFTER).min(20);
        Self { style, preemptions, max_length, ..Self::without_preemption(interp, constants, random) }
    }

    /// An execution in which few threads are alive at a time.
    fn long(interp: &'i Interp<'p>, constants: &'i Constants) -> Self {
        Self {
            style: Style::NewestFirst,
            max_length: MAX_LONG,
            ..Self::without_preemption(interp, constants, Random(0))
        }
    }

    fn without_preemption(interp: &'i Interp<'p>, constants: &'i Constants, random: Random) -> Self {
        Self {
            run: Run::new(interp, constants, random),
            style: Style::Random,
            priorities: FxHashMap::default(),
            order: BTreeSet::new(),
            preemptions: Vec::new(),
            bottom: 0,
            max_length: MAX_LENGTH,
        }
    }

    /// The property that the execution violated in the end, if that answers the query.
    fn run(&mut self, task: &Task<'_>) -> Result<Option<Property>, Inconclusive> {
        let Task { property, budget, .. } = task;
        let (property, interp) = (*property, self.run.interp);
        let (mut last, mut in_a_row) = (ThreadId::MAIN, 0);
        for step in 0..self.max_length {
            budget.check()?;
            if self.preemptions.contains(&step) || in_a_row > PATIENCE {
                self.demote(last);
                in_a_row = 0;
            }
            let Some(thread) = self.next_thread() else {
                let stuck = property == Property::NoDeadlock && interp.is_deadlock(&self.run.state);
                return Ok(stuck.then_some(property));
            };
            if property == Property::NoDataRace
                && let Some(sides) = self.race(thread)
            {
                self.run.steps.extend(sides);
                return Ok(Some(property));
            }
            in_a_row = if thread == last { in_a_row + 1 } else { 0 };
            last = thread;
            let before = property.is_about_leaks().then(|| self.run.state.clone());
            match self.run.step(thread) {
                StepResult::Continue => {}
                StepResult::Violation { property: violated, .. } => {
                    return Ok((violated == property).then_some(property));
                }
                StepResult::Undefined(undefined) => {
                    return Ok(Some(undefined.property()).filter(|violated| task.is_answered_by(*violated)));
                }
                StepResult::Ended => {
                    let leak =
                        before.and_then(|before| interp.leak(&before, &self.run.state, thread, property));
                    return Ok(leak.map(|leak| leak.property()));
                }
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// A race of the thread that moves next with another one. (A race of two others is met when one of them moves.)
    fn race(&mut self, thread: ThreadId) -> Option<[TraceStep; 2]> {
        let (here, mine) = self.run.next_accesses(thread);
        if mine.is_empty() {
            return None;
        }
        let others: Vec<ThreadId> =
            self.run.state.threads().map(|(id, _)| id).filter(|id| *id != thread).collect();
        others.into_iter().find_map(|other| {
            let (there, theirs) = self.run.next_accesses(other);
            let races = mine.iter().any(|left| theirs.iter().any(|right| left.races_with(right)));
            races.then(|| [here.clone(), there])
        })
    }

    /// Where a thread that is new begins: above all that were preempted.
    fn priority(&mut self, thread: ThreadId) -> i64 {
        let (age, any) = (i64::from(thread.0), 1 + self.run.random.below(1 << 32).cast_signed());
        match self.style {
            Style::MainFirst | Style::YoungestFirst if thread == ThreadId::MAIN => i64::MAX,
            Style::NewestFirst if thread == ThreadId::MAIN => 0,
            Style::NewestFirst => 1 + self.priorities.len().cast_signed() as i64,
            Style::Random | Style::MainFirst => any,
            Style::OldestFirst => i64::from(u32::MAX) - age,
            Style::YoungestFirst => 1 + age,
        }
    }

    fn demote(&mut self, thread: ThreadId) {
        self.bottom -= 1;
        let before = self.priorities.insert(thread, self.bottom);
        if before.is_some_and(|before| self.order.remove(&(before, thread))) {
            self.order.insert((self.bottom, thread));
        }
    }

    fn next_thread(&mut self) -> Option<ThreadId> {
        while let Some(thread) = self.run.created_after(self.priorities.len()) {
            let priority = self.priority(thread);
            self.priorities.insert(thread, priority);
            self.order.insert((priority, thread));
        }
        let Run { interp, state, .. } = &self.run;
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

    /// Traces number threads in the order of their creation, the interpreter by who created them.
    #[test]
    fn threads_that_threads_create_have_their_numbers() {
        let nested = "program lp64 object x: 4 = 0
            function main() -> 32 { reg h, g, r: 64 reg e: 32
                h = create(&middle, 0)
                g = create(&middle, 0)
                r, e = join(h)
                r, e = join(g)
                return 0 }
            function middle(arg: 64) -> 64 { reg h, r: 64 reg e: 32
                h = create(&add, 0)
                r, e = join(h)
                return 0 }
            function add(arg: 64) -> 64 { reg t: 32 t = [&x]:32 [&x]:32 = t + 1 return 0 }";
        assert!(found(nested, Property::NoDataRace).is_some());
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
