//! What a block consists of: which of a thread's actions belong to it, and which ways into a control are merged.

use super::block::{Arrival, MAX_APART, Store};
use super::partition::{PartitionedLocations, Tracked};
use super::position::Orders;
use base::Budget;
use logic::Terms;
use program::interp::ThreadId;
use semantics::encoding::{Encoder, GlobalLocation, Name, Successor};
use semantics::transition::Edges;

/// What is needed to make blocks.
pub(super) struct Maker<'a, 'p> {
    pub(super) encoder: &'a mut Encoder<'p>,
    pub(super) edges: &'a mut Edges<'p>,
    pub(super) orders: &'a Orders<'p>,
    pub(super) terms: &'a mut Terms,
    pub(super) locations: &'a mut PartitionedLocations,
    pub(super) tracked: &'a Tracked,
    pub(super) budget: &'a Budget,
}

impl Maker<'_, '_> {
    /// Whether the thread's next action belongs to the block, and what it does.
    pub(super) fn successors(
        &mut self,
        control: &GlobalLocation,
        thread: ThreadId,
        acted: bool,
        full: bool,
    ) -> (bool, Vec<Successor>) {
        if full || !self.goes_on(control, thread, acted) {
            return (false, Vec::new());
        }
        let outcomes = self.encoder.successors(self.terms, control, thread);
        // Others see what the block did so far, whether or not it comes further.
        let fine = !acted || control.atomic.is_some() || semantics::encoding::is_total(self.terms, &outcomes);
        (fine, outcomes)
    }

    /// Arrivals that are merged, each in a group.
    pub(super) fn groups(&self, arrivals: Vec<Arrival>) -> Vec<Vec<Arrival>> {
        match self.tracked.is_empty() || arrivals.len() > MAX_APART {
            true => vec![arrivals],
            false => arrivals.into_iter().map(|a| vec![a]).collect(),
        }
    }

    /// Returns true if the thread's next action belongs to the block.
    fn goes_on(&self, control: &GlobalLocation, thread: ThreadId, acted: bool) -> bool {
        if control.thread(thread).is_none_or(|t| t.is_finished()) || self.orders.is_head(control, thread) {
            return false;
        }
        control.atomic.is_some()
            || !acted
            || !self.edges.is_visible(control, thread)
            || self.edges.joins_transaction(control, thread)
    }

    /// Returns true if the thread's next action is visible. None is if there is no other thread.
    pub(super) fn acts(&self, control: &GlobalLocation, thread: ThreadId) -> bool {
        !is_alone(control) && (control.atomic.is_some() || self.edges.is_visible(control, thread))
    }

    /// The registers of frames that are left mean nothing any more.
    pub(super) fn forget(
        &self,
        mut store: Store,
        before: &GlobalLocation,
        after: &GlobalLocation,
        thread: ThreadId,
    ) -> Store {
        let n_frames = |c: &GlobalLocation| c.thread(thread).map_or(0, |t| t.frames.len());
        let kept = n_frames(after);
        if kept < n_frames(before) {
            let names = self.encoder.names();
            store.retain(|s, _| match names.name(*s) {
                Some(Name::Register { thread: whose, depth, .. }) => {
                    whose != thread || (depth as usize) < kept
                }
                _ => true,
            });
        }
        store
    }
}

/// Returns true if only one thread has actions left.
pub(super) fn is_alone(control: &GlobalLocation) -> bool {
    control.threads.iter().filter(|t| !t.is_finished()).count() == 1
}
