//! Sleep sets: of several orders of independent steps, one is enough.
//!
//! After Godefroid, *Using partial orders to improve automatic verification methods*, CAV 1990. Where thread 1 and thread 2 are about to
//! take independent steps, the order of the two does not matter. At each node the threads are followed in the order of their
//! numbers; behind a step of one, those that were followed *before* it and whose steps are independent of it are in the *sleep set*: what they would do now,
//! they have done there. A thread stays in the sleep set until a step that its next one depends on.
//!
//! ```text
//! sleep(w) = ∩ over edges (v, w) by t that can be taken of  { z ∈ sleep(v) ∪ awake before t at v | independent at v: z's step, t's step }
//! ```
//!
//! # Requires and ensures
//! - Every execution has one with the same steps, of which only independent neighbours changed positions, that the graph follows. Proof: let
//!   `t` be the first thread that can begin such an execution. It is awake, or the execution would begin elsewhere; and no thread that
//!   sleeps behind `t` can begin the rest, or could have begun the whole, before `t`.
//! - A sleep set may always be smaller. So a node takes the intersection over its edges, and there are no more nodes than without.
//! - A node is covered by those of its control that sleep no more than it does: they follow all that it would have to.
//! - Nothing is postponed, so loops need no care.
//!
//! Independent are steps whose footprints are ([`semantics::transition::independence`]); besides, where one ends its thread, at least two threads have to be
//! alive afterwards: a thread that is alone takes longer steps.

use super::Ufo;
use super::arg::NodeId;
use super::interrupt::Interrupt;
use program::interp::ThreadId;
use rustc_hash::FxHashSet;
use semantics::encoding::{GlobalLocation, SuccessorKind};
use semantics::transition::{Footprint, GlobalLocationId};
use std::rc::Rc;
use std::sync::Arc;

/// Threads, by number.
pub(super) type SleepSet = Vec<ThreadId>;

impl Ufo<'_> {
    /// The sleep sets behind the steps of each awake thread at a node.
    pub(super) fn propagated_sleep_sets(
        &mut self,
        v: NodeId,
    ) -> Result<Vec<(ThreadId, SleepSet)>, Interrupt> {
        let location = self.arg.nodes[v].location;
        let at = self.arg.nodes[v].control;
        let control = Arc::clone(self.edges.control(at));
        let mut before = self.arg.nodes[v].sleep_set.clone().unwrap_or_default();
        let n_alive = control.threads.iter().filter(|t| !t.is_finished()).count();
        let mut all = Vec::new();
        self.stats.sleep_set_threads += before.len() as u64;
        let awake: Vec<ThreadId> = control.movable().filter(|t| !before.contains(t)).collect();
        for thread in awake {
            let mut sleep_set = SleepSet::new();
            if self.options.sleep && !before.is_empty() {
                let mine = self.footprint(at, thread, location)?;
                for &z in &before {
                    let theirs = self.footprint(at, z, location)?;
                    let ends = mine.control.ends_thread || theirs.control.ends_thread;
                    if theirs.is_independent_of(&mine) && (n_alive > 2 || !ends) {
                        sleep_set.push(z);
                    }
                }
            }
            all.push((thread, sleep_set));
            before.push(thread);
            before.sort_unstable();
        }
        Ok(all)
    }

    fn footprint(
        &mut self,
        at: GlobalLocationId,
        thread: ThreadId,
        location: super::PartitionedLocationId,
    ) -> Result<Rc<Footprint>, Interrupt> {
        if let Some(known) = self.footprints.get(&(at, thread)) {
            return Ok(Rc::clone(known));
        }
        let stops = self.stops(location, thread)?;
        let start = Arc::clone(self.edges.control(at));
        let stops: FxHashSet<&GlobalLocation> = stops.iter().map(|c| &**self.edges.control(*c)).collect();
        let program = self.edges.program();
        let mut found = Footprint::default();
        found.control.add_boundary(&start);
        let mut seen: FxHashSet<GlobalLocation> = FxHashSet::default();
        let mut open = vec![(*start).clone()];
        while let Some(control) = open.pop() {
            for outcome in self.encoder.successors(&mut self.terms, &control, thread) {
                found.add_shared(&self.encoder, &self.terms, thread, &outcome.block);
                found.control.add(program, &control, thread, &outcome);
                let to = outcome.control;
                if outcome.kind != SuccessorKind::Continue {
                    continue;
                }
                if stops.contains(&to) {
                    found.control.add_boundary(&to);
                } else if to.thread(thread).is_some_and(|t| !t.is_finished()) && seen.insert(to.clone()) {
                    open.push(to);
                }
            }
        }
        let found = Rc::new(found);
        self.footprints.insert((at, thread), Rc::clone(&found));
        Ok(found)
    }
}
