//! Waiting in vain: reads that wait for a write, or are promised one, which no other thread can make any more.
//!
//! An execution in which a read waits for ever is not complete. All that it is good for is what the *other* threads do: they may violate the property. They do the same in the execution in
//! which the read returns what is written last to its cell, as soon as that is there; for whatever the others do, a read that comes last in its thread and returns the last value is allowed by every
//! model that is built in, because nothing leads from it to anything else. That execution is explored, too. So waiting in vain is left out,
//! unless the execution with the read would not be explored to its end:
//!
//! | why not | so |
//! |---|---|
//! | the step blocks with that value (a lock that is held) | the read may wait |
//! | the value is indeterminate | the same |
//! | the thread comes back to a state, so that the iteration is left out with everything after it | a read that waits already goes on waiting, if its thread may come back; a thread that did not wait ends there |
//! | a user's model need not allow such a read | every read may wait |
//!
//! What other threads can still write is over-approximated ([`Futures::may_write`](semantics::alone::Futures::may_write)).
//!
//! # Direction of error
//! None: the checker of `true` leaves nothing of this out.

use super::{Member, PartialExecution, Search, Status};
use crate::graph::relation::{Set, members};
use program::{Action, Op};
use semantics::alone::Cell;
use std::sync::Arc;

impl Search<'_, '_> {
    /// Returns true if a thread other than `t` may still write to a cell.
    pub(super) fn others_may_write(&self, node: &PartialExecution, t: usize, cell: Cell) -> bool {
        if self.model.user().is_some() {
            return node.others_may_move(t);
        }
        node.moving().any(|n| n != t && self.futures.may_write(&node.members[n].runner, cell.object))
    }

    /// Returns true if the next read of thread `t`, of a cell with these writes, may have to wait.
    pub(super) fn may_wait(&self, node: &PartialExecution, t: usize, cell: Cell, writes: Set) -> bool {
        let is_unset = |write: usize| node.execution.events[write].value.is_none();
        let needs_another = self.may_block(node, t) || members(writes).any(is_unset);
        self.others_may_write(node, t, cell) || needs_another && node.others_may_move(t)
    }

    /// Returns true if a thread waits for a write that no other thread can make, or was promised one.
    pub(super) fn is_in_vain(&self, node: &PartialExecution) -> bool {
        if self.model.user().is_some() {
            return false;
        }
        let cell = |at: usize| node.execution.cells[at];
        let waits_in_vain = |(t, member): (usize, &Arc<Member>)| match member.status {
            Status::Postponed { cell: at, seen, .. } => {
                let is_unset = |write: usize| node.execution.events[write].value.is_none();
                !self.others_may_write(node, t, cell(at))
                    && !self.may_block(node, t)
                    && !members(seen).any(is_unset)
                    && !self.futures.may_come_back(&member.runner)
            }
            _ => false,
        };
        let promised_in_vain = |read: &usize| {
            let event = &node.execution.events[*read];
            !self.others_may_write(node, event.thread, cell(event.cell))
        };
        node.promised.iter().any(promised_in_vain) || node.members.iter().enumerate().any(waits_in_vain)
    }

    /// Returns true if the next step of thread `t` may be impossible with some value of what it reads.
    fn may_block(&self, node: &PartialExecution, t: usize) -> bool {
        let never_blocks = |op: &Op| {
            matches!(
                op,
                Op::Set { .. }
                    | Op::Store { .. }
                    | Op::Fence(_)
                    | Op::Havoc { .. }
                    | Op::Assume(_)
                    | Op::Signed { .. }
                    | Op::Forget { .. }
            )
        };
        match node.members[t].runner.action(self.interp) {
            Some(Action::Ops { ops, .. }) => !ops.iter().all(never_blocks),
            _ => false,
        }
    }
}
