//! Checks annotations of loops with abstract heaps.
//!
//! | claim | checked by |
//! |---|---|
//! | the heaps are proper: what values lead to exists, symbols have the widths of their places | [`check_heap`] |
//! | where control comes to a place of the annotation, from the start (also of a thread) or from another place, one of its heaps describes the state | [`Check::settle`] with [`entails`](entails::entails) |
//! | what a thread gives to a lock is described by a heap of the invariant | [`Check::post`] |
//! | what a recursive function gets is described by the entry of a summary, and what it returns with by the exits of its own | [`Check::call`], [`Check::post`] |
//! | nothing on the way may violate the property | [`Transfer::post`] |
//!
//! What an action does to a heap is shared with the engine (`semantics::shape`, the trusted base); that a heap describes all that another one does is found out here. The
//! engine makes segments; this check has to find them again, object by object.

mod entails;

use crate::{demand, failed};
use base::{Budget, Idx, Inconclusive};
use entails::entails;
use evidence::{ShapeProof, Summary};
use program::{Action, FuncId, LocId, Program, Property, VarKind, Width};
use semantics::shape::{
    Anchor, Call, Heap, Life, Lock, LockId, Parted, Plan, Recursion, Sharing, Transfer, Value,
};
use std::collections::BTreeMap;

/// The heaps of each place.
type Places<'a> = BTreeMap<Vec<(FuncId, LocId)>, Vec<&'a Heap>>;

/// Checks that the annotation holds, and excludes a violation.
pub(crate) fn check(
    program: &Program,
    property: Property,
    proof: &ShapeProof,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    let supported = property.is_about_validity()
        || matches!(
            property,
            Property::UnreachCall | Property::NoOverflow | Property::NoDataRace | Property::NoDeadlock
        );
    demand(supported, || format!("heaps say nothing about {property}"))?;
    demand(proof.plan.as_ref().is_none_or(|plan| plan.fits(program)), || {
        "the program has no such lock".to_owned()
    })?;
    let plan = proof.plan.as_ref();
    let places = places_of(program, plan, &proof.heaps)?;
    demand(proof.heaps.iter().all(|heap| heap.cutpoints.is_none()), nonsense)?;
    for heap in &proof.invariant {
        let is_free = matches!(heap.others.sharing, Sharing::Free(_));
        demand(is_free && heap.frames.is_empty() && heap.cutpoints.is_none(), nonsense)?;
        check_others(program, plan, heap)?;
        check_heap(program, heap)?;
    }
    for summary in &proof.summaries {
        check_summary(program, plan, summary)?;
    }
    let recursion = Recursion::of(program).filter(|_| !proof.summaries.is_empty());
    let invariant = &proof.invariant;
    let transfer = Transfer { program, property, plan, invariant, recursion: recursion.as_ref() };
    let summaries = &proof.summaries;
    let check = Check { transfer, places, summaries, exits: &[], budget };
    check.settle(vec![transfer.initial()])?;
    for heap in &proof.heaps {
        check.settle(check.post(heap)?)?;
    }
    summaries.iter().try_for_each(|summary| follow_summary(&check, summary))
}

/// Heaps by where control is, if they make sense.
fn places_of<'a>(
    program: &Program,
    plan: Option<&Plan>,
    heaps: &'a [Heap],
) -> Result<Places<'a>, Inconclusive> {
    let mut places: Places<'_> = BTreeMap::new();
    for heap in heaps {
        let is_thread = !matches!(heap.others.sharing, Sharing::Free(_));
        demand(is_thread && !heap.frames.is_empty(), nonsense)?;
        check_others(program, plan, heap)?;
        check_heap(program, heap)?;
        places.entry(heap.control()).or_default().push(heap);
    }
    Ok(places)
}

/// Checks that a summary makes sense for the program.
fn check_summary(program: &Program, plan: Option<&Plan>, summary: &Summary) -> Result<(), Inconclusive> {
    let Summary { entry, heaps, exits } = summary;
    demand(entry.frames.len() == 1, nonsense)?;
    places_of(program, plan, std::slice::from_ref(entry))?;
    places_of(program, plan, heaps)?;
    let function = &program.functions[entry.frame().func];
    demand(entry.frame().loc == function.entry, nonsense)?;
    for exit in exits {
        let is_thread = !matches!(exit.others.sharing, Sharing::Free(_));
        demand(is_thread && exit.frames.is_empty(), nonsense)?;
        check_others(program, plan, exit)?;
        check_heap(program, exit)?;
        let result = exit.cutpoints.as_ref().and_then(|all| *all.last()?);
        demand(function.ret.map_or(result.is_none(), |width| has_width(exit, result, width)), nonsense)?;
    }
    let n_cutpoints = entry.cutpoints.as_ref().map_or(0, Vec::len);
    let pointer = program.data_model.pointer();
    for heap in heaps.iter().chain([entry]).chain(exits) {
        let mut known = heap.cutpoints.iter().flatten().take(n_cutpoints);
        let are_pointers = known.all(|value| has_width(heap, *value, pointer));
        demand(heap.cutpoints.is_some() && are_pointers, nonsense)?;
    }
    Ok(())
}

/// Checks that a recursive function that gets the entry of its summary returns with one of the exits.
fn follow_summary(of_program: &Check<'_>, summary: &Summary) -> Result<(), Inconclusive> {
    let Transfer { program, plan, .. } = of_program.transfer;
    let Summary { entry, heaps, exits } = summary;
    let check = Check { places: places_of(program, plan, heaps)?, exits, ..*of_program };
    check.settle(vec![entry.clone()])?;
    heaps.iter().try_for_each(|heap| check.settle(check.post(heap)?))
}

struct Check<'a> {
    transfer: Transfer<'a>,
    places: Places<'a>,
    summaries: &'a [Summary],
    /// In a recursive function: what it returns with.
    exits: &'a [Heap],
    budget: &'a Budget,
}

impl Check<'_> {
    /// Follows heaps until control is at a place of the annotation, where one of its heaps has to describe them.
    fn settle(&self, mut queue: Vec<Heap>) -> Result<(), Inconclusive> {
        while let Some(heap) = queue.pop() {
            self.budget.check()?;
            match self.places.get(&heap.control()) {
                Some(known) => {
                    let described = known.iter().any(|known| entails(&self.transfer, &heap, known));
                    demand(described, || "a heap is not in the annotation".to_owned())?;
                }
                None => queue.extend(self.post(&heap)?),
            }
        }
        Ok(())
    }

    /// The heaps after an action, also those of threads that it starts. What it gives to the lock is in the invariant.
    fn post(&self, heap: &Heap) -> Result<Vec<Heap>, Inconclusive> {
        let step =
            self.transfer.post(heap).map_err(|doubt| failed(&Inconclusive::from(doubt).to_string()))?;
        let mut heaps = step.heaps;
        for parted in step.parted {
            match parted {
                Parted::Started(thread) => heaps.push(thread),
                Parted::Released(free) => {
                    let described =
                        self.transfer.invariant.iter().any(|known| entails(&self.transfer, &free, known));
                    demand(described, || "a heap is not in the invariant".to_owned())?;
                }
            }
        }
        for exit in &step.exits {
            let described = self.exits.iter().any(|known| entails(&self.transfer, exit, known));
            demand(described, || "what a function returns with is not in its summary".to_owned())?;
        }
        for call in &step.calls {
            heaps.extend(self.call(call)?);
        }
        Ok(heaps)
    }

    /// The caller's heaps after a recursive function has returned.
    fn call(&self, call: &Call) -> Result<Vec<Heap>, Inconclusive> {
        let describes = |summary: &&Summary| entails(&self.transfer, &call.local, &summary.entry);
        let Some(summary) = self.summaries.iter().find(describes) else {
            return Err(failed("what a function gets is in no summary"));
        };
        let resume = |exit: &Heap| self.transfer.resume(&call.rest, exit);
        let heaps: Result<Vec<Heap>, _> = summary.exits.iter().map(resume).collect();
        heaps.map_err(|doubt| failed(&Inconclusive::from(doubt).to_string()))
    }
}

fn nonsense() -> String {
    "a heap makes no sense".to_owned()
}

/// Checks that a heap knows the objects and locks of the program and its plan, and no others.
fn check_others(program: &Program, plan: Option<&Plan>, heap: &Heap) -> Result<(), Inconclusive> {
    let others = &heap.others;
    let n_locks = plan.map_or(0, |plan| plan.locks.len());
    let is_known = |lock: &LockId| lock.index() < n_locks;
    let locks_exist = match others.sharing {
        Sharing::Alone => others.held.is_empty(),
        Sharing::Shared => plan.is_some() && others.held.keys().all(is_known),
        Sharing::Free(lock) => is_known(&lock) && others.held.is_empty(),
    };
    let n_made = match (plan, others.sharing) {
        (None, _) | (_, Sharing::Alone) => 0,
        (Some(plan), _) => u32::try_from(plan.made.len()).unwrap_or(u32::MAX),
    };
    let anchors = program.objects.ids().map(Anchor::Object).chain((0..n_made).map(Anchor::Made));
    demand(locks_exist && anchors.eq(heap.anchors.keys().copied()), nonsense)?;
    for (lock, value) in &others.held {
        let width = match plan.map(|plan| plan.locks[lock.index()]) {
            Some(Lock::Word { bytes, .. }) => Width::of_bytes(bytes),
            Some(Lock::Atomic) | None => Width::INT,
        };
        demand(has_width(heap, Some(*value), width), nonsense)?;
    }
    demand(has_width(heap, others.own, Width::INT), nonsense)?;
    let handles = others.started.iter();
    let word = program.data_model.pointer();
    for handle in handles {
        demand(has_width(heap, Some(*handle), word), nonsense)?;
    }
    Ok(())
}

/// Checks that a heap makes sense for the program.
fn check_heap(program: &Program, heap: &Heap) -> Result<(), Inconclusive> {
    demand(heap.is_proper(), nonsense)?;
    for (depth, frame) in heap.frames.iter().enumerate() {
        demand(frame.func.index() < program.functions.len(), nonsense)?;
        let function = &program.functions[frame.func];
        demand(frame.loc.index() < function.locations.len(), nonsense)?;
        demand(frame.registers.len() == function.vars.len(), nonsense)?;
        let calls = matches!(function.locations[frame.loc].action, Action::Call { .. });
        demand(calls || depth + 1 == heap.frames.len(), nonsense)?;
        for (var, value) in function.vars.iter_enumerated().zip(&frame.registers) {
            match var.1.kind {
                VarKind::Register(width) => demand(has_width(heap, *value, width), nonsense)?,
                VarKind::Memory { .. } => demand(value.is_none(), nonsense)?,
            }
        }
    }
    let word = program.data_model.pointer();
    for node in heap.nodes.values() {
        for cell in node.cells.values() {
            let fits = match cell.value {
                None | Some(Value::Number(0)) => true,
                value => cell.len <= 16 && cell.len > 0 && has_width(heap, value, Width::of_bytes(cell.len)),
            };
            let fits = fits && (!is_address(cell.value) || cell.len == word.bytes());
            demand(fits, nonsense)?;
        }
        if let Some((links, back)) = node.shape.links() {
            let is_word = |at: u64| node.cells.get(&at).is_some_and(|cell| cell.len == word.bytes());
            demand(links.iter().chain(back).all(is_word), nonsense)?;
        }
        // What stays away has no contents of which an exit could tell something.
        let is_bare = node.life != Life::Elsewhere || heap.others.exist() || node.cells.is_empty();
        demand(is_bare, nonsense)?;
    }
    Ok(())
}

fn is_address(value: Option<Value>) -> bool {
    matches!(value, Some(Value::Address(_) | Value::Function(_)))
}

/// Returns true if a value can be one of this width.
fn has_width(heap: &Heap, value: Option<Value>, width: Width) -> bool {
    match value {
        Some(Value::Number(number)) => width.truncate(number) == number,
        Some(Value::Symbol(symbol)) => heap.symbols.get(&symbol).is_some_and(|range| range.width == width),
        Some(Value::Address(_) | Value::Function(_)) | None => true,
    }
}
