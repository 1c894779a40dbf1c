//! Checks annotations of loops with abstract heaps.
//!
//! | claim | checked by |
//! |---|---|
//! | the heaps are proper: what values lead to exists, symbols have the widths of their places | [`check_heap`] |
//! | where control comes to a place of the annotation, from the start (also of a thread) or from another place, one of its heaps describes the state | [`Check::settle`] with [`entails`](entails::entails) |
//! | what a thread gives to a lock is described by a heap of the invariant | [`Check::post`] |
//! | nothing on the way may violate the property | [`Transfer::post`] |
//!
//! What an action does to a heap is shared with the engine (`semantics::shape`, the trusted base); that a heap describes all that another one does is found out here. The
//! engine makes segments; this check has to find them again, object by object.

mod entails;

use crate::{demand, failed};
use base::{Budget, Idx, Inconclusive};
use entails::entails;
use evidence::ShapeProof;
use program::{Action, FuncId, LocId, Program, Property, VarKind, Width};
use semantics::shape::{Anchor, Heap, Lock, LockId, Parted, Plan, Shape, Sharing, Transfer, Value};
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
    let mut places: Places<'_> = BTreeMap::new();
    for heap in &proof.heaps {
        let is_thread = !matches!(heap.others.sharing, Sharing::Free(_));
        demand(is_thread && !heap.frames.is_empty(), nonsense)?;
        check_others(program, proof.plan.as_ref(), heap)?;
        check_heap(program, heap)?;
        places.entry(heap.control()).or_default().push(heap);
    }
    for heap in &proof.invariant {
        let is_free = matches!(heap.others.sharing, Sharing::Free(_));
        demand(is_free && heap.frames.is_empty(), nonsense)?;
        check_others(program, proof.plan.as_ref(), heap)?;
        check_heap(program, heap)?;
    }
    let transfer = Transfer { program, property, plan: proof.plan.as_ref(), invariant: &proof.invariant };
    let check = Check { transfer, places, budget };
    check.settle(vec![transfer.initial()])?;
    for heap in &proof.heaps {
        check.settle(check.post(heap)?)?;
    }
    Ok(())
}

struct Check<'a> {
    transfer: Transfer<'a>,
    places: Places<'a>,
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
        Ok(heaps)
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
        if let Shape::Segment { next, previous } = node.shape {
            let is_word = |at: u64| node.cells.get(&at).is_some_and(|cell| cell.len == word.bytes());
            demand(is_word(next) && previous.is_none_or(is_word), nonsense)?;
        }
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
