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
//! Ranges of numbers are widened when they grow a second time, so that loops that count come to an end; shapes are finitely many in practice, and the budget ends what
//! is not.
//!
//! # Direction of error
//! It proves only. `certify::shape` follows every heap of the annotation by itself, and finds out with its own code that the results are in the annotation.

mod join;
mod normal;

use crate::task::{Engine, Task};
use base::{Inconclusive, Stats};
use evidence::{Outcome, Proof, ShapeProof};
use program::{Action, FuncId, LocId, Op, Program, Property, Storage};
use rustc_hash::FxHashSet;
use semantics::Analysis;
use semantics::shape::{Heap, Transfer};
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
        property.is_about_validity() || matches!(property, Property::UnreachCall | Property::NoOverflow)
    }

    fn search(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome {
        let mut search = Search {
            transfer: Transfer { program: task.program(), property: task.property },
            analysis: &task.analysis,
            heads: loop_heads(task.program()),
            found: BTreeMap::new(),
            max_heaps: self.max_heaps,
        };
        let result = search.run(task);
        stats.add("heaps", search.found.values().map(Vec::len).sum::<usize>() as u64);
        match result {
            Ok(()) => {
                let heaps = search.found.into_values().flatten().map(|found| found.heap).collect();
                Outcome::Safe(Proof::Shape(Box::new(ShapeProof { heaps })))
            }
            Err(why) => Outcome::Unknown(why),
        }
    }
}

/// Returns true if a program makes heap objects, and no threads.
pub fn is_worth_it(program: &Program) -> bool {
    let mut actions = program.functions.iter().flat_map(|f| f.locations.iter()).map(|l| &l.action);
    let allocates = |op: &Op| matches!(op, Op::Alloc { storage: Storage::Heap, .. });
    !program.creates_threads()
        && actions.any(|action| matches!(action, Action::Ops { ops, .. } if ops.iter().any(allocates)))
}

/// A heap of a loop head.
struct Found {
    heap: Heap,
    n_joins: usize,
}

struct Search<'a, 'p> {
    transfer: Transfer<'p>,
    analysis: &'a Analysis<'p>,
    heads: FxHashSet<(FuncId, LocId)>,
    /// By where control is.
    found: BTreeMap<Vec<(FuncId, LocId)>, Vec<Found>>,
    max_heaps: usize,
}

impl Search<'_, '_> {
    fn run(&mut self, task: &Task<'_>) -> Result<(), Inconclusive> {
        let mut queue = vec![self.transfer.initial()];
        while let Some(heap) = queue.pop() {
            task.budget.check()?;
            let frame = heap.frame();
            if self.heads.contains(&(frame.func, frame.loc)) {
                let heap = self.normal(heap)?;
                if let Some(new) = self.add(heap)? {
                    queue.extend(self.transfer.post(&new)?);
                }
            } else {
                queue.extend(self.transfer.post(&heap)?);
            }
        }
        Ok(())
    }

    /// Adds a heap to those of its loop head; gives what is left to follow.
    fn add(&mut self, heap: Heap) -> Result<Option<Heap>, Inconclusive> {
        let transfer = self.transfer;
        let all = self.found.entry(heap.control()).or_default();
        let joins: Vec<Option<Heap>> =
            all.iter().map(|found| join::join(&transfer, &heap, &found.heap, found.n_joins)).collect();
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
        if all.len() >= self.max_heaps {
            return Err(Inconclusive::Bound(format!("more than {} heaps at a loop", self.max_heaps)));
        }
        all.push(Found { heap: heap.clone(), n_joins: 0 });
        Ok(Some(heap))
    }
}
