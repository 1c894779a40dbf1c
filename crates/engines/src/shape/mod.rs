//! Shape analysis: memory safety of lists of any length.
//!
//! The states of the program are described by graphs with list segments ([`semantics::shape`], which says why these). This engine follows all paths, with what actions do to
//! such graphs, and stops at loop heads: there a heap is [simplified](normal) (objects in a row become a segment) and [joined](join) with one that was found there before, or kept beside
//! it. When nothing new is found, the heaps of the loop heads are an inductive annotation of the program, which is the proof.
//!
//! ```text
//! while a heap is left to follow:
//!     at a loop head: simplify it; if an older heap describes it, drop it; if it can be joined with one, replace that one
//!     follow it by one action                      (a doubt ends the search without an answer)
//! ```
//!
//! Several threads are followed one by one, each with what it [has](semantics::shape::share) and with the invariants of the locks. When nothing is left to follow, and the invariant
//! has grown, all actions that take the lock are followed again.
//!
//! Ranges of numbers are widened when they grow a second time, so that loops that count come to an end; shapes are finitely many in practice, and the budget ends what
//! is not.
//!
//! # Direction of error
//! It proves only. `certify::shape` follows every heap of the annotation by itself, and finds out with its own code that the results are in the annotation.

mod join;
mod normal;
mod plans;

use crate::task::{Engine, Task};
use base::{Inconclusive, Stats};
use evidence::{Outcome, Proof, ShapeProof};
use program::{Action, FuncId, LocId, Op, Property, Storage};
use rustc_hash::FxHashSet;
use semantics::Analysis;
use semantics::shape::{Doubt, Heap, Parted, Plan, Transfer, Value};
use semantics::transition::loop_heads;
use std::collections::BTreeMap;

/// Limits of the analysis.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Maximum number of heaps at one loop head.
    pub max_heaps: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_heaps: 200 }
    }
}

impl Engine for Options {
    fn name(&self) -> &'static str {
        "shape"
    }

    fn supports(&self, property: Property) -> bool {
        property.is_about_validity()
            || matches!(
                property,
                Property::UnreachCall | Property::NoOverflow | Property::NoDataRace | Property::NoDeadlock
            )
    }

    fn search(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome {
        let mut reason = Inconclusive::NoProof("threads without a lock are not followed".to_owned());
        let mut plans = self.with_made_objects(task);
        plans.extend(plans::candidates(&task.analysis));
        for plan in plans {
            match self.with_plan(task, plan, stats) {
                Ok(proof) => return Outcome::Safe(Proof::Shape(Box::new(proof))),
                Err(why) if task.budget.is_over() => return Outcome::Unknown(why),
                Err(why) => {
                    tracing::debug!(%why, "no proof with this plan");
                    reason = why;
                }
            }
        }
        Outcome::Unknown(reason)
    }
}

impl Options {
    /// Plans with locks in objects that are there when the first thread is created: as far as a search without threads comes.
    fn with_made_objects(&self, task: &Task<'_>) -> Vec<Option<Plan>> {
        if !plans::has_made_locks(&task.analysis) {
            return Vec::new();
        }
        let mut search = self.search_with(task, None);
        let _ = search.run(task);
        let Some((heap, arg)) = search.creates.take() else { return Vec::new() };
        plans::with_made(&task.analysis, &search.transfer, &heap, arg).into_iter().map(Some).collect()
    }

    fn search_with<'a, 'p>(&self, task: &'a Task<'p>, plan: Option<&'p Plan>) -> Search<'a, 'p>
    where
        'a: 'p,
    {
        Search {
            transfer: Transfer { program: task.program(), property: task.property, plan, invariant: &[] },
            analysis: &task.analysis,
            heads: loop_heads(task.program()),
            found: BTreeMap::new(),
            invariant: Vec::new(),
            takers: Vec::new(),
            max_heaps: self.max_heaps,
            creates: None,
        }
    }

    /// Searches with plans that differ in what is done with static objects, until nothing is to be changed.
    fn with_plan(
        &self,
        task: &Task<'_>,
        mut plan: Option<Plan>,
        stats: &mut Stats,
    ) -> Result<ShapeProof, Inconclusive> {
        loop {
            let mut search = self.search_with(task, plan.as_ref());
            let result = search.run(task);
            stats.add("heaps", search.found.values().map(Vec::len).sum::<usize>() as u64);
            let (heaps, invariant) = (search.found, search.invariant);
            let all = |found: Vec<Found>| found.into_iter().map(|found| found.heap);
            match result {
                Ok(()) => {
                    let heaps = heaps.into_values().flat_map(all).collect();
                    return Ok(ShapeProof { heaps, plan, invariant: all(invariant).collect() });
                }
                Err(Stop::Doubt(doubt)) => {
                    let changed = doubt.access.as_ref().zip(plan.as_mut());
                    if !changed.is_some_and(|(access, plan)| plans::change(plan, task.program(), access)) {
                        return Err(doubt.into());
                    }
                }
                Err(Stop::Inconclusive(why)) => return Err(why),
            }
        }
    }
}

/// Returns true if a program makes heap objects, and its threads, if there are several, have a lock that this engine knows.
pub fn is_worth_it(analysis: &Analysis<'_>) -> bool {
    let program = analysis.program;
    let mut actions = program.functions.iter().flat_map(|f| f.locations.iter()).map(|l| &l.action);
    let allocates = |op: &Op| matches!(op, Op::Alloc { storage: Storage::Heap, .. });
    let makes_objects =
        actions.any(|action| matches!(action, Action::Ops { ops, .. } if ops.iter().any(allocates)));
    makes_objects && (!plans::candidates(analysis).is_empty() || plans::has_made_locks(analysis))
}

/// A heap of a loop head.
struct Found {
    heap: Heap,
    n_joins: usize,
}

/// Why a search ends without a proof.
enum Stop {
    /// An action may be wrong.
    Doubt(Doubt),
    /// Another reason.
    Inconclusive(Inconclusive),
}

impl From<Doubt> for Stop {
    fn from(doubt: Doubt) -> Self {
        Self::Doubt(doubt)
    }
}

impl From<Inconclusive> for Stop {
    fn from(why: Inconclusive) -> Self {
        Self::Inconclusive(why)
    }
}

struct Search<'a, 'p> {
    transfer: Transfer<'p>,
    analysis: &'a Analysis<'p>,
    heads: FxHashSet<(FuncId, LocId)>,
    /// By where control is.
    found: BTreeMap<Vec<(FuncId, LocId)>, Vec<Found>>,
    /// What locks protect while no thread holds them.
    invariant: Vec<Found>,
    /// Heaps with an action that takes one.
    takers: Vec<Heap>,
    max_heaps: usize,
    /// Where the first thread is created without a plan, and its argument.
    creates: Option<(Heap, Value)>,
}

impl Search<'_, '_> {
    fn run(&mut self, task: &Task<'_>) -> Result<(), Stop> {
        let mut queue = vec![self.transfer.initial()];
        let mut known = 0;
        loop {
            while let Some(heap) = queue.pop() {
                task.budget.check()?;
                if self.is_place(&heap) {
                    let heap = self.normal(heap)?;
                    if let Some(new) = self.add(heap)? {
                        self.follow(new, &mut queue)?;
                    }
                } else {
                    self.follow(heap, &mut queue)?;
                }
            }
            if self.n_changes() == known {
                return Ok(());
            }
            known = self.n_changes();
            for heap in std::mem::take(&mut self.takers) {
                self.follow(heap, &mut queue)?;
            }
        }
    }

    /// Returns true if heaps are gathered where control is: at loop heads, and where threads start.
    fn is_place(&self, heap: &Heap) -> bool {
        let frame = heap.frame();
        let entry = self.transfer.program.functions[frame.func].entry;
        let starts = !heap.others.is_first && heap.frames.len() == 1 && frame.loc == entry;
        starts || self.heads.contains(&(frame.func, frame.loc))
    }

    /// How often the invariant has grown.
    fn n_changes(&self) -> usize {
        self.invariant.iter().map(|found| 1 + found.n_joins).sum()
    }

    /// Adds the heaps after the next action to the queue.
    fn follow(&mut self, heap: Heap, queue: &mut Vec<Heap>) -> Result<(), Stop> {
        let invariant: Vec<Heap> = self.invariant.iter().map(|found| found.heap.clone()).collect();
        let step = Transfer { invariant: &invariant, ..self.transfer }.post(&heap);
        if step.is_err() && self.transfer.plan.is_none() {
            self.creates = self.transfer.started(&heap);
        }
        let step = step?;
        queue.extend(step.heaps);
        if step.takes {
            self.takers.push(heap);
        }
        for parted in step.parted {
            match parted {
                Parted::Released(free) => self.add_free(free)?,
                Parted::Started(thread) => queue.push(thread),
            }
        }
        Ok(())
    }

    /// Adds a heap to those of its place; gives what is left to follow.
    fn add(&mut self, heap: Heap) -> Result<Option<Heap>, Inconclusive> {
        let all = self.found.entry(heap.control()).or_default();
        add_to(all, &self.transfer, heap, self.max_heaps)
    }

    /// Adds a heap to the invariant.
    fn add_free(&mut self, heap: Heap) -> Result<(), Inconclusive> {
        let heap = self.normal_of_free(heap);
        add_to(&mut self.invariant, &self.transfer, heap, self.max_heaps).map(drop)
    }
}

/// Adds a heap to others; gives the one that is new, which may be more than that.
fn add_to(
    all: &mut Vec<Found>,
    transfer: &Transfer<'_>,
    heap: Heap,
    max_heaps: usize,
) -> Result<Option<Heap>, Inconclusive> {
    let joins: Vec<Option<Heap>> =
        all.iter().map(|found| join::join(transfer, &heap, &found.heap, found.n_joins)).collect();
    if joins.iter().zip(all.iter()).any(|(joined, found)| joined.as_ref() == Some(&found.heap)) {
        return Ok(None);
    }
    for (joined, found) in joins.into_iter().zip(all.iter_mut()) {
        if let Some(joined) = joined {
            found.heap = joined.clone();
            found.n_joins += 1;
            return Ok(Some(joined));
        }
    }
    if all.len() >= max_heaps {
        return Err(Inconclusive::Bound(format!("more than {max_heaps} heaps at a loop")));
    }
    all.push(Found { heap: heap.clone(), n_joins: 0 });
    Ok(Some(heap))
}
