//! What a step touches: the state variables that it reads and writes, and what it does to control.

use crate::encoding::{Encoder, GlobalLocation, Name, Successor, SuccessorKind};
use logic::path::Cmd;
use logic::{Symbol, Terms};
use program::interp::ThreadId;
use program::{Action, Op, Program};
use rustc_hash::FxHashSet;

/// What a step may touch, on whichever path. The footprint of several steps is their union.
#[derive(Clone, Default, Debug)]
pub struct Footprint {
    reads: FxHashSet<Symbol>,
    writes: FxHashSet<Symbol>,
    /// What it does to control.
    pub control: ControlEffect,
}

/// What a step may do to control, as far as other threads are concerned.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct ControlEffect {
    /// Creates, joins or detaches threads.
    pub concerns_threads: bool,
    /// Ends its thread.
    pub ends_thread: bool,
    /// Which threads there are, have ended, or are detached is not the same afterwards.
    pub changes_threads: bool,
    /// Begins or ends inside an atomic section, or changes which objects there are: the steps of other threads change.
    pub changes_steps: bool,
}

impl ControlEffect {
    /// Adds what an action of `thread` at `before` does.
    pub fn add(
        &mut self,
        program: &Program,
        before: &GlobalLocation,
        thread: ThreadId,
        successor: &Successor,
    ) {
        self.concerns_threads |= concerns_threads(program, before, thread);
        if successor.kind == SuccessorKind::Continue {
            let after = &successor.control;
            self.ends_thread |= after.thread(thread).is_none_or(|t| t.is_finished());
            self.changes_threads |= !statuses(before).eq(statuses(after));
            self.changes_steps |= after.objects != before.objects;
        }
    }

    /// Adds that the step begins or ends at a global location.
    pub fn add_boundary(&mut self, location: &GlobalLocation) {
        self.changes_steps |= location.atomic.is_some();
    }

    /// Returns true if neither of two steps of different threads changes the control of the other.
    pub fn is_independent_of(&self, other: &ControlEffect) -> bool {
        let changes_status = |effect: &ControlEffect| effect.concerns_threads || effect.ends_thread;
        let status =
            self.concerns_threads && changes_status(other) || other.concerns_threads && changes_status(self);
        !status && !self.changes_steps && !other.changes_steps
    }
}

impl Footprint {
    /// The variables that a block of commands reads and writes, among those that count.
    pub fn of(terms: &Terms, block: &[Cmd], counts: impl Fn(&Symbol) -> bool) -> Self {
        let mut footprint = Self::default();
        footprint.add(terms, block, counts);
        footprint
    }

    /// Adds the variables of a block of commands.
    pub fn add(&mut self, terms: &Terms, block: &[Cmd], counts: impl Fn(&Symbol) -> bool) {
        for cmd in block {
            match *cmd {
                Cmd::Assume(guard) => self.reads.extend(terms.free_vars(guard).into_iter().filter(&counts)),
                Cmd::Assign(x, value) => {
                    self.reads.extend(terms.free_vars(value).into_iter().filter(&counts));
                    self.writes.extend(Some(x).filter(&counts));
                }
                Cmd::Havoc(x) => self.writes.extend(Some(x).filter(&counts)),
            }
        }
    }

    /// Adds the variables of a block of commands of `thread`, except for those that no other thread ever touches.
    pub fn add_shared(&mut self, encoder: &Encoder<'_>, terms: &Terms, thread: ThreadId, block: &[Cmd]) {
        self.add(terms, block, |symbol| match encoder.names().name(*symbol) {
            Some(Name::Register { thread: owner, .. } | Name::Scratch { thread: owner, .. }) => {
                owner != thread
            }
            _ => true,
        });
    }

    /// Returns true if a variable is read or written.
    pub fn touches(&self, symbol: Symbol) -> bool {
        self.reads.contains(&symbol) || self.writes.contains(&symbol)
    }

    /// Returns true if no variable is read or written.
    pub fn touches_nothing(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty()
    }

    /// Returns true if one step writes what the other one reads or writes.
    pub fn conflicts_with(&self, other: &Footprint) -> bool {
        !(self.writes.is_disjoint(&other.writes)
            && self.writes.is_disjoint(&other.reads)
            && self.reads.is_disjoint(&other.writes))
    }

    /// Returns true if two steps of different threads are independent in every state, data and control.
    pub fn is_independent_of(&self, other: &Footprint) -> bool {
        self.control.is_independent_of(&other.control) && !self.conflicts_with(other)
    }
}

/// What joins, detaches and creations depend on.
fn statuses(location: &GlobalLocation) -> impl Iterator<Item = (ThreadId, bool, bool)> {
    location.threads.iter().map(|t| (t.id, t.is_finished(), t.detached))
}

/// Returns true if the thread's next action creates, joins or detaches threads.
fn concerns_threads(program: &Program, location: &GlobalLocation, thread: ThreadId) -> bool {
    let Some(state) = location.thread(thread).filter(|t| !t.is_finished()) else { return false };
    let at = state.top();
    let action = &program.functions[at.func].locations[at.loc].action;
    let Action::Ops { ops, .. } = action else { return false };
    ops.iter().any(|op| matches!(op, Op::Create { .. } | Op::Join { .. } | Op::Detach { .. }))
}

#[cfg(test)]
impl Footprint {
    /// Without what is read, or written: a wrong footprint, for tests that have to notice.
    pub(super) fn without(mut self, reads: bool, writes: bool) -> Self {
        if reads {
            self.reads.clear();
        }
        if writes {
            self.writes.clear();
        }
        self
    }
}
