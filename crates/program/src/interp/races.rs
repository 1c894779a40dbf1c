//! What a data race is: two conflicting accesses that are next in two threads at once.
//!
//! C11 (5.1.2.4p25) calls two accesses a race if they conflict, at least one of them is not atomic, and neither happens before
//! the other. Under sequential consistency a program has such an execution if and only if it has one in which the two
//! accesses can be taken *one right after the other*. So a race is a property of a state:
//!
//! > Two threads are about to access the same byte, at least one of them to write it, and not both atomically.
//!
//! | question | answered by |
//! |---|---|
//! | what does a thread access next? | [`Interp::next_accesses`] |
//! | do two accesses conflict? | [`MemoryAccess::races_with`] |
//!
//! # What counts (SOUNDNESS: A22)
//! - **Accesses** are those to memory; registers belong to one thread. `free` and `realloc` write the whole object (C11
//!   7.22.3p1: they access memory through their arguments). Beginning and ending the life of a variable is no access.
//! - **Atomic** is an access with a memory order, such as those of C11 atomics, GCC's builtins and all that locks,
//!   semaphores, barriers and `once` do to their own words; and every access inside an atomic section. `volatile` is not atomic.
//! - **Atomic sections** are atomic for each other only. An access inside one races with a plain access of a thread that the
//!   section holds up: that thread could have gone first, or goes next, and nothing orders the two. So the accesses of a thread
//!   are asked for as if no *other* thread were in a section.
//! - A thread that is blocked accesses nothing.

use super::{Chooser, Event, Identity, Interp, Observer, Place, State, StepResult, ThreadId};
use crate::{Action, Op, Order};

/// An access to memory that a thread is about to make.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MemoryAccess {
    /// In this object,
    pub object: Identity,
    /// from this offset on,
    pub offset: u64,
    /// so many bytes.
    pub len: u64,
    /// True if it writes.
    pub write: bool,
    /// True if it is atomic.
    pub atomic: bool,
}

impl MemoryAccess {
    /// Returns true if an access of one thread and one of another are a data race.
    pub fn races_with(&self, other: &MemoryAccess) -> bool {
        (self.write || other.write)
            && !(self.atomic && other.atomic)
            && self.object == other.object
            && self.offset < other.offset.saturating_add(other.len)
            && other.offset < self.offset.saturating_add(self.len)
    }

    /// The place where it begins.
    pub fn place(&self) -> Place {
        Place::Memory { object: self.object, offset: self.offset }
    }
}

impl Interp<'_> {
    /// What `thread` accesses in its next step, if `chooser` decides what is open and no other thread is in an atomic
    /// section; `None` if the step is blocked, has no meaning or lacks a choice. Changes nothing.
    pub fn next_accesses(
        &self,
        state: &State,
        thread: ThreadId,
        chooser: &mut dyn Chooser,
    ) -> Vec<MemoryAccess> {
        let mut scratch = state.clone();
        if state.atomic_owner() != Some(thread) {
            scratch.atomic = None;
        }
        let Some(action) = self.next_action(&scratch, thread) else { return Vec::new() };
        let atomic = state.atomic_owner() == Some(thread) || begins_section(action);
        let mut collector = Collector { interp: self, atomic, found: Vec::new() };
        let result = self.step(&mut scratch, thread, chooser, &mut collector);
        match result {
            StepResult::Continue
            | StepResult::Ended
            | StepResult::Pruned
            | StepResult::Violation { .. }
            | StepResult::Bound(_) => collector.found,
            StepResult::Blocked
            | StepResult::NoChoice
            | StepResult::Undefined(_)
            | StepResult::Unsupported(_) => Vec::new(),
        }
    }
}

fn begins_section(action: &Action) -> bool {
    matches!(action, Action::Ops { ops, .. } if ops.iter().any(|op| matches!(op, Op::AtomicBegin)))
}

/// Notes the accesses of a step.
struct Collector<'a, 'p> {
    interp: &'a Interp<'p>,
    /// True if all of them are atomic.
    atomic: bool,
    found: Vec<MemoryAccess>,
}

impl Collector<'_, '_> {
    fn add(&mut self, place: Place, len: u64, write: bool, order: Order) {
        if let Place::Memory { object, offset } = place {
            let atomic = self.atomic || order != Order::Plain;
            self.found.push(MemoryAccess { object, offset, len, write, atomic });
        }
    }
}

impl Observer for Collector<'_, '_> {
    fn event(&mut self, event: Event) {
        match event {
            Event::Read { place, width, order, .. } => self.add(place, width.bytes(), false, order),
            Event::ReadUnset { place, len, order } => self.add(place, len, false, order),
            Event::Write { place, width, order, .. } => self.add(place, width.bytes(), true, order),
            Event::Copied { dst, src, len } => {
                self.add(src, len, false, Order::Plain);
                self.add(dst, len, true, Order::Plain);
            }
            Event::Filled { dst, len, .. } => self.add(dst, len, true, Order::Plain),
            Event::Freed { object } | Event::Resized { object, .. } => {
                let size = self.interp.known_slot(object).map_or(0, |slot| self.interp.slot_size(slot));
                self.add(Place::Memory { object, offset: 0 }, size, true, Order::Plain);
            }
            Event::Evaluated(_)
            | Event::Chosen { .. }
            | Event::Left { .. }
            | Event::Allocated { .. }
            | Event::Sync { .. }
            | Event::Called { .. }
            | Event::Returned { .. }
            | Event::Started { .. }
            | Event::Finished { .. }
            | Event::Joined { .. }
            | Event::Woken { .. } => {}
        }
    }
}
