//! Shape analysis: memory safety of lists of any length, and of trees of any size.
//!
//! The states of the program are described by graphs with segments and [trees] ([`semantics::shape`], which says why these). This engine follows all paths, with what actions do to
//! such graphs, and stops at loop heads: there a heap is [simplified](normal) (objects in a row become a segment) and [joined](join) with one that was found there before, or kept beside
//! it. When nothing new is found, the heaps of the loop heads are an inductive annotation of the program, which is the proof.
//!
//! ```text
//! while a heap is left to follow:
//!     at a loop head: simplify it; if an older heap describes it, drop it; if it can be joined with one, replace that one
//!     follow it by one action                      (a doubt ends the search without an answer)
//! ```
//!
//! A recursive function is followed by itself, from each heap that it [gets](semantics::shape::calls); what it returns with is kept with that heap. When a function returns with a new heap, all calls are followed
//! again. If that finds no proof, calls are followed one by one, to a certain depth; a search for trees that finds no proof is followed by one for lists.
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
mod trees;

use crate::task::{Engine, Task};
use base::{Inconclusive, Stats};
use evidence::{Outcome, Proof, ShapeProof, Summary};
use program::{Action, FuncId, LocId, Op, Property, Storage};
use rustc_hash::FxHashSet;
use semantics::Analysis;
use semantics::shape::{Call, Doubt, Heap, Parted, Plan, Recursion, Transfer, Value};
use semantics::transition::loop_heads;
use std::collections::BTreeMap;
use trees::Kinds;

/// The greatest number of steps of a search after which there is another way to search.
const MAX_STEPS: usize = 100_000;

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
        let mut reason = Inconclusive::NoProof("the locks of the threads are not known".to_owned());
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
            transfer: Transfer {
                program: task.program(),
                property: task.property,
                plan,
                invariant: &[],
                recursion: None,
            },
            analysis: &task.analysis,
            heads: loop_heads(task.program()),
            kinds: Kinds::default(),
            learns: false,
            n_steps: usize::MAX,
            found: BTreeMap::new(),
            entries: Vec::new(),
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
        let recursion = Recursion::of(task.program());
        let mut modes = Mode::all(recursion.is_some());
        let mut mode = modes.next().expect("there should be a way to search");
        let mut first = None;
        loop {
            let mut search = self.search_with(task, plan.as_ref());
            search.transfer.recursion = recursion.as_ref().filter(|_| mode.summarises);
            (search.learns, search.kinds) = (mode.learns, mode.kinds.clone());
            if !mode.kinds.is_empty() || mode.summarises {
                search.n_steps = MAX_STEPS;
            }
            let result = search.run(task);
            stats.add("heaps", search.found.values().map(Vec::len).sum::<usize>() as u64);
            let why = match result {
                Ok(()) => {
                    let proof = search.proof();
                    return Ok(ShapeProof { plan, ..proof });
                }
                Err(Stop::Trees(kinds)) => {
                    mode.kinds = kinds;
                    continue;
                }
                Err(Stop::Doubt(doubt)) => {
                    let changed = doubt.access.as_ref().zip(plan.as_mut());
                    if changed.is_some_and(|(access, plan)| plans::change(plan, task.program(), access)) {
                        continue;
                    }
                    doubt.into()
                }
                Err(Stop::Inconclusive(why)) => why,
            };
            let why = first.get_or_insert(why);
            match modes.find(|next| next.is_another_than(&mode)) {
                Some(next) if !task.budget.is_over() => mode = next,
                _ => return Err(why.clone()),
            }
        }
    }
}

/// A way to search. If one finds no proof, another may.
#[derive(Clone)]
struct Mode {
    /// Whether recursive functions are followed by themselves.
    summarises: bool,
    /// Whether trees are looked for.
    learns: bool,
    /// Those that were found.
    kinds: Kinds,
}

impl Mode {
    fn all(is_recursive: bool) -> impl Iterator<Item = Mode> {
        let with = |summarises| {
            [true, false].map(|learns| Mode { summarises, learns, kinds: Kinds::default() }).into_iter()
        };
        with(true).filter(move |_| is_recursive).chain(with(false))
    }

    /// Returns true if this is not what the other one did: one that finds no trees is as one that does not look for them.
    fn is_another_than(&self, other: &Mode) -> bool {
        self.summarises != other.summarises || !other.kinds.is_empty()
    }
}

/// Returns true if a program makes heap objects, and there is a plan for its threads, if there are several.
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
    /// There are trees: the search has to begin anew.
    Trees(Kinds),
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

/// The function that is followed by itself: a number of [`Search::entries`].
type Context = Option<usize>;

/// A function and a location for each frame.
type Control = Vec<(FuncId, LocId)>;

/// A heap with which a recursive function begins, and those with which it returns.
struct Entry {
    begin: Found,
    exits: Vec<Found>,
}

struct Search<'a, 'p> {
    transfer: Transfer<'p>,
    analysis: &'a Analysis<'p>,
    heads: FxHashSet<(FuncId, LocId)>,
    /// Objects that are summarised as trees.
    kinds: Kinds,
    /// Whether other ones are looked for.
    learns: bool,
    /// How many steps are left.
    n_steps: usize,
    /// By where control is.
    found: BTreeMap<(Context, Control), Vec<Found>>,
    /// What recursive functions begin and return with.
    entries: Vec<Entry>,
    /// What locks protect while no thread holds them.
    invariant: Vec<Found>,
    /// Heaps with an action that takes one, or calls a recursive function.
    takers: Vec<(Context, Heap)>,
    max_heaps: usize,
    /// Where the first thread is created without a plan, and its argument.
    creates: Option<(Heap, Value)>,
}

/// Heaps that are left to follow.
type Queue = Vec<(Context, Heap)>;

impl Search<'_, '_> {
    fn run(&mut self, task: &Task<'_>) -> Result<(), Stop> {
        let mut queue = vec![(None, self.transfer.initial())];
        let mut known = 0;
        loop {
            while let Some((context, heap)) = queue.pop() {
                task.budget.check()?;
                if self.is_place(&heap) {
                    let heap = self.normal(heap)?;
                    if let Some(new) = self.add(context, heap)? {
                        self.follow(context, new, &mut queue)?;
                    }
                } else {
                    self.follow(context, heap, &mut queue)?;
                }
            }
            if self.n_changes() == known {
                return Ok(());
            }
            known = self.n_changes();
            for (context, heap) in std::mem::take(&mut self.takers) {
                self.follow(context, heap, &mut queue)?;
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

    /// How often the invariant has grown, or what functions return with.
    fn n_changes(&self) -> usize {
        let exits = self.entries.iter().flat_map(|entry| &entry.exits);
        self.invariant.iter().chain(exits).map(|found| 1 + found.n_joins).sum()
    }

    /// Adds the heaps after the next action to the queue.
    fn follow(&mut self, context: Context, heap: Heap, queue: &mut Queue) -> Result<(), Stop> {
        let left = self.n_steps.checked_sub(1);
        self.n_steps = left.ok_or_else(|| Inconclusive::Bound("too many steps".to_owned()))?;
        let invariant: Vec<Heap> = self.invariant.iter().map(|found| found.heap.clone()).collect();
        let step = Transfer { invariant: &invariant, ..self.transfer }.post(&heap);
        if step.is_err() && self.transfer.plan.is_none() {
            self.creates = self.transfer.started(&heap);
        }
        let step = step?;
        queue.extend(step.heaps.into_iter().map(|heap| (context, heap)));
        if step.takes || !step.calls.is_empty() {
            self.takers.push((context, heap));
        }
        for parted in step.parted {
            match parted {
                Parted::Released(free) => self.add_free(free)?,
                Parted::Started(thread) => queue.push((context, thread)),
            }
        }
        for call in step.calls {
            self.call(context, call, queue)?;
        }
        for exit in step.exits {
            let exit = self.normal(exit)?;
            let entry = context.expect("a function should return to where it was called");
            let exits = &mut self.entries[entry].exits;
            add_to(exits, &self.transfer, exit, self.max_heaps)?;
        }
        Ok(())
    }

    /// A recursive function is called: it is followed from an entry that describes what it gets, and returns with what is known of that.
    fn call(&mut self, context: Context, call: Call, queue: &mut Queue) -> Result<(), Stop> {
        let local = self.normal(call.local)?;
        let joined = |entry: &Entry| {
            let old = &entry.begin;
            let is_here = old.heap.control() == local.control();
            is_here.then(|| join::join(&self.transfer, &local, &old.heap, old.n_joins)).flatten()
        };
        let joins: Vec<Option<Heap>> = self.entries.iter().map(joined).collect();
        let same = |(join, entry): (&Option<Heap>, &Entry)| join.as_ref() == Some(&entry.begin.heap);
        let n = if let Some(n) = joins.iter().zip(&self.entries).position(same) {
            n
        } else if let Some((n, joined)) = joins.into_iter().enumerate().find_map(|(n, j)| Some((n, j?))) {
            let begin = &mut self.entries[n].begin;
            begin.n_joins += 1;
            begin.heap = joined.clone();
            queue.push((Some(n), joined));
            n
        } else if self.entries.len() >= self.max_heaps {
            return Err(Inconclusive::Bound("a recursive function has too many heaps".to_owned()).into());
        } else {
            queue.push((Some(self.entries.len()), local.clone()));
            self.entries.push(Entry { begin: Found { heap: local, n_joins: 0 }, exits: Vec::new() });
            self.entries.len() - 1
        };
        for exit in &self.entries[n].exits {
            queue.push((context, self.transfer.resume(&call.rest, &exit.heap)?));
        }
        Ok(())
    }

    /// Adds a heap to those of its place; gives what is left to follow.
    fn add(&mut self, context: Context, heap: Heap) -> Result<Option<Heap>, Inconclusive> {
        let all = self.found.entry((context, heap.control())).or_default();
        add_to(all, &self.transfer, heap, self.max_heaps)
    }

    /// Adds a heap to the invariant.
    fn add_free(&mut self, heap: Heap) -> Result<(), Stop> {
        let heap = self.normal_of_free(heap)?;
        add_to(&mut self.invariant, &self.transfer, heap, self.max_heaps)?;
        Ok(())
    }

    /// What was found, without the plan.
    fn proof(self) -> ShapeProof {
        let all = |found: Vec<Found>| found.into_iter().map(|found| found.heap);
        let summary = |entry: Entry| Summary {
            entry: entry.begin.heap,
            heaps: Vec::new(),
            exits: all(entry.exits).collect(),
        };
        let mut summaries: Vec<Summary> = self.entries.into_iter().map(summary).collect();
        let mut heaps = Vec::new();
        for ((context, _), found) in self.found {
            match context {
                None => heaps.extend(all(found)),
                Some(n) => summaries[n].heaps.extend(all(found)),
            }
        }
        ShapeProof { heaps, plan: None, invariant: all(self.invariant).collect(), summaries }
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
