//! Directed search: from the suspicion of a data race to an execution.
//!
//! `protection` leaves pairs of accesses that it cannot prove apart. For each pair executions are simulated in which a thread that is about to make one of the two
//! accesses is *held* there, while the others go on, until another thread is about to make the other one, to the same memory: that state is the race. This is the
//! race-directed random testing of K. Sen, *Race Directed Random Testing of Concurrent Programs* (PLDI 2008).
//!
//! | there | here |
//! |---|---|
//! | the racing pair (s1, s2) of phase 1 | [`suspicions`], from the answers of `protection` |
//! | RaceFuzzer, algorithm 1 | `Directed::run` |
//! | postponed threads | `held` |
//! | a random thread is released if all are postponed | `release`, also if the others have moved for long |
//!
//! # Deviations
//! - Pairs share the time: one execution for each, most suspicious first, then the next for each. A pair whose accesses are never reached costs no more than the others.
//! - Schedules prefer to go on with the same thread, as those of [`simulate`](crate::simulate).
//!
//! # Direction of error
//! Finds real violations only: every execution is one of the interpreter.

use crate::simulate::Run;
use crate::task::{Engine, Task};
use base::{Inconclusive, Random, Stats};
use evidence::{Outcome, RaceAccess, RaceAnswer, RaceCell, Trace, TraceStep};
use program::interp::{Interp, StepResult, ThreadId, Wakeups};
use program::{FuncId, LocId, Property};

/// How much to try.
#[derive(Clone, Debug)]
pub struct Options {
    /// Maximum number of executions for each pair of accesses.
    pub executions: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { executions: 200 }
    }
}

/// Maximum number of steps of an execution.
const MAX_LENGTH: usize = 50_000;
/// After this number of steps a thread that is held goes on: others may be waiting for it in a loop.
const PATIENCE: usize = 2_000;
/// The same thread goes on, but for one step of this number.
const SWITCH_ONE_IN: u64 = 8;

impl Engine for Options {
    fn name(&self) -> &'static str {
        "directed"
    }

    fn supports(&self, property: Property) -> bool {
        property == Property::NoDataRace
    }

    fn search(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome {
        match search(task, self, stats) {
            Ok(Some(trace)) => Outcome::Unsafe(trace),
            Ok(None) => {
                Outcome::Unknown(Inconclusive::NoProof("directed search finds violations only".to_owned()))
            }
            Err(why) => Outcome::Unknown(why),
        }
    }
}

/// Where a thread stands.
type Place = (FuncId, LocId);

/// Two accesses that may race, and for what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suspicion {
    /// The memory location.
    pub cell: RaceCell,
    /// Where the accesses are.
    pub places: [Place; 2],
}

/// What is not proved, most suspicious first: the fewer of the two accesses are made under locks, the earlier.
pub fn suspicions<'a>(answers: impl IntoIterator<Item = (&'a RaceCell, &'a RaceAnswer)>) -> Vec<Suspicion> {
    let place = |access: &RaceAccess| (access.func, access.loc);
    let mut found: Vec<(usize, Suspicion)> = answers
        .into_iter()
        .filter_map(|(cell, answer)| match answer {
            RaceAnswer::Open(pair, _) => {
                let n_locked = usize::from(!pair.0.locks.is_empty()) + usize::from(!pair.1.locks.is_empty());
                Some((n_locked, Suspicion { cell: *cell, places: [place(&pair.0), place(&pair.1)] }))
            }
            RaceAnswer::Proved(_) => None,
        })
        .collect();
    found.sort_by_key(|(n_locked, _)| *n_locked);
    found.into_iter().map(|(_, suspicion)| suspicion).collect()
}

/// Looks for an execution with a race.
pub fn search(task: &Task<'_>, options: &Options, stats: &mut Stats) -> Result<Option<Trace>, Inconclusive> {
    let suspicions = suspicions(&task.locations()?.cells);
    let interp = Interp::new(task.program())?;
    stats.add("suspicions", suspicions.len() as u64);
    for number in 0..options.executions {
        for suspicion in &suspicions {
            stats.add("directed_executions", 1);
            if let Some(trace) = attempt(task, &interp, suspicion, number)? {
                return Ok(Some(trace));
            }
        }
        if suspicions.is_empty() {
            break;
        }
    }
    Ok(None)
}

/// One execution that is directed at a race.
pub fn attempt(
    task: &Task<'_>,
    interp: &Interp<'_>,
    suspicion: &Suspicion,
    number: u64,
) -> Result<Option<Trace>, Inconclusive> {
    let random = Random(number.wrapping_mul(0x1234_5678_9abc_def1).wrapping_add(1));
    let mut directed =
        Directed { run: Run::new(interp, random), suspicion, held: Vec::new(), released: None };
    let found = directed.run(task)?;
    let steps = directed.run.steps;
    Ok(found.map(|property| Trace { property, steps, cycle: None }))
}

struct Directed<'i, 'p, 's> {
    run: Run<'i, 'p>,
    suspicion: &'s Suspicion,
    /// Threads that are about to make one of the accesses, and since which step; the first one is held for longest.
    held: Vec<(ThreadId, usize)>,
    /// A thread that was held and has not moved since.
    released: Option<ThreadId>,
}

impl Directed<'_, '_, '_> {
    /// The property that the execution violated in the end, if that answers the query.
    fn run(&mut self, task: &Task<'_>) -> Result<Option<Property>, Inconclusive> {
        let mut last = ThreadId::MAIN;
        while self.run.steps.len() < MAX_LENGTH {
            task.budget.check()?;
            let Some(thread) = self.next_thread(last) else { return Ok(None) };
            if self.released != Some(thread) && self.stands_at_suspicion(thread) {
                if let Some(sides) = self.race(thread) {
                    self.run.steps.extend(sides);
                    return Ok(Some(Property::NoDataRace));
                }
                self.held.push((thread, self.run.steps.len()));
                continue;
            }
            self.released = None;
            last = thread;
            match self.run.step(thread) {
                StepResult::Continue => {}
                StepResult::Undefined(undefined) => {
                    return Ok(Some(undefined.property()).filter(|violated| task.is_answered_by(*violated)));
                }
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// A thread that can move and is not held; if there is none, one that was held goes on. `None` if no thread can move.
    fn next_thread(&mut self, last: ThreadId) -> Option<ThreadId> {
        let now = self.run.steps.len();
        if self.held.first().is_some_and(|(_, since)| now - since > PATIENCE) {
            return Some(self.release(0));
        }
        let mut runnable = self.run.interp.runnable(&self.run.state, Wakeups::OnlySignalled);
        runnable.retain(|thread| !self.held.iter().any(|(held, _)| held == thread));
        if runnable.is_empty() {
            let which = self.run.random.index(self.held.len());
            return (!self.held.is_empty()).then(|| self.release(which));
        }
        if runnable.contains(&last) && self.run.random.below(SWITCH_ONE_IN) > 0 {
            return Some(last);
        }
        Some(runnable[self.run.random.index(runnable.len())])
    }

    fn release(&mut self, which: usize) -> ThreadId {
        let (thread, _) = self.held.remove(which);
        self.released = Some(thread);
        thread
    }

    fn stands_at_suspicion(&self, thread: ThreadId) -> bool {
        let position = self.run.interp.position(&self.run.state, thread);
        position.is_some_and(|at| self.suspicion.places.contains(&(at.func, at.loc)))
    }

    /// A race of a thread with one that is held.
    fn race(&mut self, thread: ThreadId) -> Option<[TraceStep; 2]> {
        let (here, mine) = self.run.next_accesses(thread);
        let held: Vec<ThreadId> = self.held.iter().map(|(held, _)| *held).collect();
        held.into_iter().find_map(|other| {
            let (there, theirs) = self.run.next_accesses(other);
            let races = mine.iter().any(|left| theirs.iter().any(|right| left.races_with(right)));
            races.then(|| [here.clone(), there])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Budget;
    use program::ObjectId;
    use semantics::analysis::Site;

    fn found(text: &str) -> Option<Trace> {
        let program = program::text::parse(text).unwrap_or_else(|e| panic!("{e:?} in {text}"));
        let task = Task::new(&program, Property::NoDataRace, &Budget::unlimited());
        let trace =
            search(&task, &Options::default(), &mut Stats::default()).expect("nothing should stop it");
        if let Some(trace) = &trace {
            certify::replay(&program, trace).expect("a trace should replay");
        }
        trace
    }

    /// Each of the two threads works for long before and after its only access: random schedules hardly ever have both at it.
    fn far_apart(lock: &str, unlock: &str) -> String {
        let worker = |name: &str, steps: u32| {
            format!(
                "function {name}(arg: 64) -> 64 {{ reg i: 32
                    i = 0
                    before: [&w{name}]:32 = i i = i + 1
                    if i <u {steps} then before else go
                    go: {lock} [&x]:32 = 1 {unlock}
                    i = 0
                    after: [&w{name}]:32 = i i = i + 1
                    if i <u {steps} then after else done
                    done: return 0 }}"
            )
        };
        format!(
            "program lp64 object x: 4 = 0 object m: 4 = 0 object wleft: 4 = 0 object wright: 4 = 0
            function main() -> 32 {{ reg h, g, r: 64 reg e: 32
                h = create(&left, 0)
                g = create(&right, 0)
                r, e = join(h)
                r, e = join(g)
                return 0 }}
            {} {}",
            worker("left", 700),
            worker("right", 30)
        )
    }

    #[test]
    fn accesses_that_are_far_apart_meet() {
        assert!(found(&far_apart("", "")).is_some());
    }

    #[test]
    fn what_a_lock_protects_is_no_race() {
        // Without the tag that makes it a lock for `protection`, which suspects a race.
        let text = far_apart("guard [&m]:32 == 0; [&m]:32 = 1", "[&m]:32 = 0");
        let program = program::text::parse(&text).expect("the program should parse");
        let task = Task::new(&program, Property::NoDataRace, &Budget::unlimited());
        let x = |suspicion: &Suspicion| suspicion.cell.site == Site::Static(ObjectId(0));
        let suspicions = suspicions(&task.locations().expect("there should be answers").cells);
        let suspicion = suspicions.iter().find(|suspicion| x(suspicion)).expect("x should be suspected");
        let interp = Interp::new(&program).expect("the program should fit");
        for number in 0..30 {
            assert_eq!(attempt(&task, &interp, suspicion, number), Ok(None));
        }
    }
}
