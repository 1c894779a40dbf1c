//! Directed search: from the suspicion of a data race to an execution.
//!
//! `protection` leaves memory locations for which it cannot prove all accesses apart. For each of them executions are simulated in which a thread that is about to
//! access the location is *held* there, while the others go on, until another thread is about to make a conflicting access: that state is the race. This is the
//! race-directed random testing of K. Sen, *Race Directed Random Testing of Concurrent Programs* (PLDI 2008).
//!
//! | there | here |
//! |---|---|
//! | the racing pairs of phase 1 | [`suspicions`], from the answers of `protection` |
//! | RaceFuzzer, algorithm 1 | `Directed::run` |
//! | postponed threads | `held` |
//! | a random thread is released if all are postponed | `release`, also if the others have moved for long |
//!
//! # Deviations
//! - A search is for a location, not for a pair of statements: one pair that can never meet does not hide another one that can.
//! - Locations share the time: one execution for each, most suspicious first, then the next for each. A location that is never reached costs no more than the others.
//! - Schedules prefer to go on with the same thread, as those of [`simulate`](crate::simulate).
//!
//! # Direction of error
//! Finds real violations only: every execution is one of the interpreter.

use crate::simulate::{Constants, Run};
use crate::task::{Engine, Task};
use base::{Inconclusive, Random, Stats};
use evidence::{Outcome, RaceAnswer, RaceCell, Trace, TraceStep};
use program::Property;
use program::interp::{Identity, Interp, MemoryAccess, StepResult, ThreadId, Wakeups};
use semantics::analysis::footprint::footprints;
use semantics::analysis::{Offset, Site};

/// How much to try.
#[derive(Clone, Debug)]
pub struct Options {
    /// Maximum number of executions for each memory location.
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

/// The memory locations that are not proved free of races, most suspicious first: the fewer of the two accesses that are known of each are made under locks, the earlier.
pub fn suspicions<'a>(answers: impl IntoIterator<Item = (&'a RaceCell, &'a RaceAnswer)>) -> Vec<RaceCell> {
    let mut found: Vec<(usize, RaceCell)> = answers
        .into_iter()
        .filter_map(|(cell, answer)| match answer {
            RaceAnswer::Open(pair, _) => {
                let n_locked = usize::from(!pair.0.locks.is_empty()) + usize::from(!pair.1.locks.is_empty());
                Some((n_locked, *cell))
            }
            RaceAnswer::Proved { .. } => None,
        })
        .collect();
    found.sort_by_key(|(n_locked, _)| *n_locked);
    found.into_iter().map(|(_, cell)| cell).collect()
}

/// Returns true if an access touches a memory location.
fn touches(access: &MemoryAccess, cell: &RaceCell) -> bool {
    let site = match access.object {
        Identity::Static(object) | Identity::ThreadLocal(object, _) => Site::Static(object),
        Identity::Local { func, var, .. } => Site::Frame(func, var),
        Identity::Heap { site, .. } | Identity::Alloca { site, .. } => {
            Site::Heap(site.func, site.loc, site.op)
        }
    };
    let (from, to) = (i128::from(access.offset), i128::from(access.offset) + i128::from(access.len));
    let bytes = i128::from(cell.bytes);
    site == cell.site
        && match cell.offset {
            Offset::Exactly(start) => i128::from(start) < to && from < i128::from(start) + bytes,
            Offset::Strided { start, stride } => {
                // The first element that ends behind the start of the access.
                let (start, stride) = (i128::from(start), i128::from(stride));
                let behind = (from - bytes - start).div_euclid(stride) + 1;
                start + behind * stride < to
            }
            Offset::Any => true,
        }
}

/// Looks for an execution with a race.
pub fn search(task: &Task<'_>, options: &Options, stats: &mut Stats) -> Result<Option<Trace>, Inconclusive> {
    let suspicions = suspicions(&task.locations()?.cells);
    let interp = Interp::new(task.program())?;
    stats.add("suspicions", suspicions.len() as u64);
    for number in 0..options.executions {
        for cell in &suspicions {
            stats.add("directed_executions", 1);
            if let Some(trace) = attempt(task, &interp, cell, number)? {
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
    cell: &RaceCell,
    number: u64,
) -> Result<Option<Trace>, Inconclusive> {
    let random = Random(number.wrapping_mul(0x1234_5678_9abc_def1).wrapping_add(1));
    let constants = Constants::default();
    let run = Run::new(interp, &constants, random);
    let mut directed = Directed { run, cell, held: Vec::new(), released: None };
    let found = directed.run(task)?;
    let steps = directed.run.steps;
    Ok(found.map(|property| Trace { property, steps, cycle: None }))
}

/// A thread that is held.
struct Held {
    thread: ThreadId,
    since: usize,
    /// What it is about to access of the memory location, and the step in which it does.
    accesses: Vec<MemoryAccess>,
    step: TraceStep,
}

struct Directed<'i, 'p, 's> {
    run: Run<'i, 'p>,
    cell: &'s RaceCell,
    /// Threads that are about to access the memory location, and since which step; the first one is held for longest.
    held: Vec<Held>,
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
            if self.released != Some(thread)
                && let Some(arrived) = self.arrives(thread)
            {
                let races = |held: &&Held| {
                    held.accesses
                        .iter()
                        .any(|left| arrived.accesses.iter().any(|right| left.races_with(right)))
                };
                if let Some(held) = self.held.iter().find(races) {
                    self.run.steps.extend([arrived.step, held.step.clone()]);
                    return Ok(Some(Property::NoDataRace));
                }
                self.held.push(arrived);
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
        if self.held.first().is_some_and(|held| now - held.since > PATIENCE) {
            return Some(self.release(0));
        }
        let mut runnable = self.run.interp.runnable(&self.run.state, Wakeups::OnlySignalled);
        runnable.retain(|thread| !self.held.iter().any(|held| held.thread == *thread));
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
        let Held { thread, .. } = self.held.remove(which);
        self.released = Some(thread);
        thread
    }

    /// A thread that is about to access the memory location.
    fn arrives(&mut self, thread: ThreadId) -> Option<Held> {
        let at = self.run.interp.position(&self.run.state, thread)?;
        let function = &self.run.interp.program().functions[at.func];
        if footprints(function, &function.locations[at.loc].action).is_empty() {
            return None;
        }
        let (step, mut accesses) = self.run.next_accesses(thread);
        accesses.retain(|access| touches(access, self.cell));
        let since = self.run.steps.len();
        (!accesses.is_empty()).then_some(Held { thread, since, accesses, step })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Budget;
    use program::ObjectId;

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

    /// By enumeration: the bytes of an access and those of all elements.
    #[test]
    fn an_access_touches_the_elements_that_it_overlaps() {
        let site = Site::Static(ObjectId(0));
        let object = Identity::Static(ObjectId(0));
        for number in 0..4 * 5 * 3 * 14 * 3 {
            let (start, stride, bytes) = (number % 4, 1 + number / 4 % 5, 1 + number / 20 % 3);
            let (offset, len) = (number / 60 % 14, 1 + number / 840);
            let cell = RaceCell { site, offset: Offset::Strided { start: start as i64, stride }, bytes };
            let access = MemoryAccess { object, offset, len, write: true, atomic: false };
            let elements = (-8..24).map(|k| start as i64 + k * stride as i64);
            let mut touched = elements.flat_map(|from| from..from + bytes as i64);
            let overlap = touched.any(|byte| (offset as i64..(offset + len) as i64).contains(&byte));
            assert_eq!(touches(&access, &cell), overlap, "{cell:?} {access:?}");
            let exact = RaceCell { offset: Offset::Exactly(start as i64), ..cell };
            let overlap = start < offset + len && offset < start + bytes;
            assert_eq!(touches(&access, &exact), overlap, "{exact:?} {access:?}");
        }
    }

    #[test]
    fn what_a_lock_protects_is_no_race() {
        // Without the tag that makes it a lock for `protection`, which suspects a race.
        let text = far_apart("guard [&m]:32 == 0; [&m]:32 = 1", "[&m]:32 = 0");
        let program = program::text::parse(&text).expect("the program should parse");
        let task = Task::new(&program, Property::NoDataRace, &Budget::unlimited());
        let x = |cell: &&RaceCell| cell.site == Site::Static(ObjectId(0));
        let suspicions = suspicions(&task.locations().expect("there should be answers").cells);
        let suspicion = suspicions.iter().find(x).expect("x should be suspected");
        let interp = Interp::new(&program).expect("the program should fit");
        for number in 0..30 {
            assert_eq!(attempt(&task, &interp, suspicion, number), Ok(None));
        }
    }
}
