//! Promises: reads of what is written only because of them, in models with load buffering.

use super::{Choice, PartialExecution, Search};
use crate::graph::axioms::has_load_buffering;
use crate::graph::execution::Kind;
use semantics::alone::Cell;
use std::collections::BTreeSet;

impl Search<'_, '_> {
    /// The values that the next read of thread `t` can be promised.
    ///
    /// Writes are ordered after a read that acquires, so that only others need promises, and no thread reads what it writes itself later. A user's model may see that otherwise.
    pub(super) fn promises(&self, node: &PartialExecution, t: usize, cell: Cell) -> Vec<Choice> {
        let runner = &node.members[t].runner;
        let free = self.model.user().is_some();
        let promises = has_load_buffering(self.model) && (free || !runner.acquires_next(self.interp));
        if !promises || !free && !self.others_may_write(node, t, cell) {
            return Vec::new();
        }
        let values = self.written.get(&(cell.object, cell.offset)).into_iter().flatten();
        let of_others = values.filter(|(_, writer)| free || *writer != runner.thread);
        let of_others: BTreeSet<u128> = of_others.map(|(value, _)| *value).collect();
        of_others.into_iter().map(|value| Choice { value, from: None }).collect()
    }

    /// Takes note of the values that can be promised: those of executions without open promises, which another thread writes after it has read: nothing that it writes before its first
    /// read is caused by what others do.
    pub(super) fn note_written(&mut self, node: &PartialExecution) {
        if !has_load_buffering(self.model) || !node.promised.is_empty() {
            return;
        }
        let execution = &node.execution;
        let reads = execution.select(|event| event.kind == Kind::Read);
        for (at, event) in execution.events.iter().enumerate() {
            if event.kind == Kind::Write && execution.before[at] & reads != 0 {
                let (cell, writer) = (execution.cells[event.cell], node.members[event.thread].runner.thread);
                let values = self.written.entry((cell.object, cell.offset)).or_default();
                values.extend(event.value.map(|value| (value, writer)));
            }
        }
    }
}
