//! Leaks: heap objects that are alive when the program ends.
//!
//! Memory of the C library ([`crate::Storage::Library`]) is the library's to free.
//!
//! | property | violated if at the end of the program |
//! |---|---|
//! | `valid-memcleanup` | a heap object is alive |
//! | `valid-memtrack` | a heap object is alive, and no chain of pointers leads to it from a root |
//!
//! Roots are static and thread-local objects, the frames and registers of threads that have not ended, and the results of those that
//! have, but not the frame whose return ends the program. A pointer is an aligned word whose value lies in the object (not only at its
//! start), as for LeakSanitizer. A record of what undefined functions know ([`crate::RECORD`]) is no root: they may have kept nothing.
//!
//! # Direction of error
//! Too few leaks: a number that happens to be an address counts as a pointer, and a program that runs for ever leaks nothing.

use super::{Identity, Interp, Slot, State, Status, ThreadId};
use crate::{Action, Property, Undefined, UndefinedKind};
use base::convert::{index, low64};
use std::collections::BTreeSet;

impl Interp<'_> {
    /// The leak that violates `property` if a step of `thread` from `before` ends the program in `after`.
    pub fn leak(
        &self,
        before: &State,
        after: &State,
        thread: ThreadId,
        property: Property,
    ) -> Option<Undefined> {
        if !property.is_about_leaks() {
            return None;
        }
        let is_heap = |slot: &Slot| {
            let object = self.identity(*slot);
            matches!(object, Identity::Heap { .. }) && !object.is_of_library(self.program())
        };
        let alive: Vec<Slot> = after.memory.slots().filter(is_heap).collect();
        if property == Property::ValidMemcleanup {
            let first = alive.first()?;
            let what = format!("`{}` is not freed", self.object_name(self.identity(*first)));
            return Some(Undefined::new(UndefinedKind::NotFreed, what).about(self.identity(*first)));
        }
        let tracked = if alive.is_empty() { BTreeSet::new() } else { self.tracked(before, after, thread) };
        let lost = alive.into_iter().find(|slot| !tracked.contains(slot))?;
        let what = format!("no pointer to `{}` is left", self.object_name(self.identity(lost)));
        Some(Undefined::new(UndefinedKind::MemoryLeak, what).about(self.identity(lost)))
    }

    /// The objects that can be reached from the roots.
    fn tracked(&self, before: &State, after: &State, thread: ThreadId) -> BTreeSet<Slot> {
        // A call of `exit` leaves all frames as they are; a return ends the frame.
        let leaves = !matches!(self.next_action(before, thread), Some(Action::Exit));
        let mut queue: Vec<Slot> = Vec::new();
        for slot in after.memory.slots() {
            match self.identity(slot) {
                Identity::Static(object) if self.program().objects[object].is_record() => {}
                Identity::Static(_) | Identity::ThreadLocal(..) => queue.push(slot),
                Identity::Local { thread: owner, .. } | Identity::Alloca { thread: owner, .. } => {
                    queue.extend((owner != thread || !leaves).then_some(slot));
                }
                Identity::Heap { .. } => {}
            }
        }
        for (id, running) in before.threads() {
            if let Status::Finished(Some(result)) = running.status() {
                queue.extend(self.object_at(after, low64(result)));
            }
            if id != thread || !leaves {
                let registers = running.frames().flat_map(|frame| frame.registers.iter().flatten());
                queue.extend(registers.filter_map(|value| self.object_at(after, low64(*value))));
            }
        }
        let word = index(self.program().data_model.pointer().bytes());
        let mut tracked: BTreeSet<Slot> = BTreeSet::new();
        while let Some(slot) = queue.pop() {
            if tracked.insert(slot)
                && let Some(content) = after.memory.get(slot)
            {
                queue.extend(content.words(word).filter_map(|(_, value)| self.object_at(after, value)));
            }
        }
        tracked
    }

    /// The live object that an address is in.
    fn object_at(&self, state: &State, address: u64) -> Option<Slot> {
        let (slot, offset) = self.object_below(address)?;
        let content = state.memory.get(slot)?;
        (offset < content.size().max(1)).then_some(slot)
    }
}
