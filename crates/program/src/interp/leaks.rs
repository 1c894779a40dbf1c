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
//! have, but not the frame whose return ends the program. A temporary register, which the source does not have, counts only if it may still be read. A pointer is an
//! aligned word whose value lies in the object (not only at its start), as for LeakSanitizer. A record of what undefined functions know ([`crate::RECORD`]) is no root: they may
//! have kept nothing.
//!
//! # Direction of error
//! Too few leaks: a number that happens to be an address counts as a pointer, and a program that runs for ever leaks nothing.

use super::{Frame, Identity, Interp, Slot, State, Status, ThreadId};
use crate::{Action, Function, LocId, Property, Undefined, UndefinedKind, VarId};
use base::convert::{index, low64};
use base::{Idx, IdxVec};
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
                let n_frames = running.frames().len();
                for (depth, frame) in running.frames().enumerate() {
                    queue.extend(self.held_by(frame, depth + 1 == n_frames, after));
                }
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

    /// The objects that the registers of a frame point to.
    fn held_by(&self, frame: &Frame, is_top: bool, state: &State) -> Vec<Slot> {
        let function = &self.program().functions[frame.func];
        let mut held = Vec::new();
        for (n, value) in frame.registers.iter().enumerate() {
            let Some(slot) = value.and_then(|value| self.object_at(state, low64(value))) else { continue };
            let var = VarId::new(n);
            if !function.vars[var].temporary || may_be_read(function, frame.loc, is_top, var) {
                held.push(slot);
            }
        }
        held
    }

    /// The live object that an address is in.
    fn object_at(&self, state: &State, address: u64) -> Option<Slot> {
        let (slot, offset) = self.object_below(address)?;
        let content = state.memory.get(slot)?;
        (offset < content.size().max(1)).then_some(slot)
    }
}

/// Returns true if a way on from a location reads a register before it is set again. A frame that is not its thread's innermost one waits for the call at its location.
fn may_be_read(function: &Function, loc: LocId, is_top: bool, var: VarId) -> bool {
    let action = |loc: LocId| &function.locations[loc].action;
    let mut seen: IdxVec<LocId, bool> = function.locations.iter().map(|_| false).collect();
    let mut queue: Vec<LocId> = vec![loc];
    if !is_top {
        if sets(action(loc), var) {
            return false;
        }
        queue = action(loc).successors().collect();
    }
    while let Some(loc) = queue.pop() {
        if std::mem::replace(&mut seen[loc], true) {
            continue;
        }
        let mut is_read = false;
        action(loc).each_expr(&mut |expr| {
            expr.walk(&mut |part| is_read |= matches!(part, crate::Expr::Reg(read, _) if *read == var));
        });
        if is_read {
            return true;
        }
        if !sets(action(loc), var) {
            queue.extend(action(loc).successors());
        }
    }
    false
}

/// Returns true if an action sets a register.
fn sets(action: &Action, var: VarId) -> bool {
    match action {
        Action::Ops { ops, .. } => ops.iter().any(|op| op.results().any(|set| set == var)),
        Action::Call { ret, .. } => *ret == Some(var),
        _ => false,
    }
}
