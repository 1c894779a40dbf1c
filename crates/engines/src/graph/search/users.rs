//! What the search may leave out, which depends on what is known about the model: everything about those that are built in, less about a user's.

use super::axioms;
use super::{Cut, Inconclusive, PartialExecution, Property, Search, VISITS};

/// How often values that can be promised lead to new ones, in a user's model.
const MOST_ROUNDS: usize = 16;

impl Search<'_, '_> {
    /// How often a thread comes to a state without having written; iterations after that are left out.
    pub(super) fn most_visits(&self) -> usize {
        let often = self.property == Property::Robustness || self.needs_every_read();
        match self.cut {
            Cut::Unrolled(visits) => visits,
            _ if often => VISITS,
            _ => 1,
        }
    }

    /// Returns true if an execution may be forbidden without an iteration that only reads, though it is allowed with it.
    pub(super) fn needs_every_read(&self) -> bool {
        self.model.user().is_some_and(|user| !user.model.facts.forgets_reads)
    }

    /// Returns true if the model lets the next read of thread `t` return the indeterminate value of a cell. How that read is ordered is left out of account,
    /// so that the answer may be yes where it is no.
    pub(super) fn may_read(
        &self,
        node: &PartialExecution,
        t: usize,
        cell: usize,
        write: usize,
    ) -> Result<bool, Inconclusive> {
        if self.model.user().is_some() {
            return Ok(true);
        }
        let address = node.members[t].runner.next_address(self.interp, &self.sharing).unwrap_or_default();
        Ok(axioms::is_consistent(&node.reading_nothing(t, cell, write, address)?))
    }

    /// Returns true, and says so, if values lead to new ones again and again: in the models that are built in, no value comes out of thin air.
    pub(super) fn has_enough_rounds(&mut self, n: usize) -> bool {
        let over = n == MOST_ROUNDS && self.model.user().is_some();
        if over {
            let what = format!("{MOST_ROUNDS} rounds of values that are caused by reading them");
            self.incomplete(Inconclusive::Bound(what));
        }
        over
    }

    /// The search follows one order of threads: an execution that is allowed only as long as some thread has not moved is not seen.
    pub(super) fn say_what_is_missing(&mut self) {
        if let Some(user) = self.model.user()
            && let Some(axiom) = user.model.facts.not_monotone
        {
            let place = &user.model.axioms[axiom].place;
            let what = format!(
                "a proof by all executions: the axiom at {place} can hold again after it was violated"
            );
            self.incomplete(Inconclusive::Unsupported(what));
        }
    }
}
