//! 6: which transactions are independent, and that a thread's transactions are the same wherever the others are.

use super::{Checker, Stops, Walk, demand, n_alive};
use crate::commute::Accesses;
use base::Inconclusive;
use program::interp::{Identity, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::encoding::control::{Frame, Thread};
use semantics::encoding::{GlobalLocation, SuccessorKind};

/// What the transactions of a thread from a cut point may do, on whichever path.
pub(super) struct Footprint {
    accesses: Accesses,
    /// Creates threads, or waits for them.
    about_threads: bool,
    /// Its thread may end.
    ends: bool,
    /// Begins or ends in an atomic section, or changes which objects there are.
    conflicts_with_all: bool,
}

impl Footprint {
    /// Returns true if two transactions of different threads commute, at a location with this number of threads alive.
    pub(super) fn is_independent_of(&self, other: &Footprint, n_alive: usize) -> bool {
        let threads_apart =
            !(self.about_threads && (other.about_threads || other.ends) || other.about_threads && self.ends);
        // With three threads alive no thread is alone when one has ended: alone, a thread may take longer transactions.
        let stay_concurrent = n_alive > 2 || !(self.ends || other.ends);
        let conflicts = self.conflicts_with_all || other.conflicts_with_all;
        !conflicts && threads_apart && stay_concurrent && !self.accesses.conflict(&other.accesses)
    }
}

/// What the transactions of a thread depend on beside the data: where the thread is, and the objects that there are.
type Own<'a> = (&'a Thread, &'a [Identity]);

/// Which threads there are, have ended, or are detached: what transactions that concern threads depend on, too.
type Statuses = Vec<(ThreadId, bool, bool)>;

/// What is known of the transactions that threads take while several are alive.
#[derive(Default)]
pub(super) struct KnownTransactions<'a> {
    about_threads: FxHashMap<Own<'a>, bool>,
    ends: FxHashMap<(Own<'a>, Option<Statuses>), FxHashSet<Vec<Frame>>>,
}

impl<'a> Checker<'a, '_> {
    /// What the transactions of a thread may do.
    pub(super) fn footprint(&self, walk: &Walk, stops: &Stops<'_>) -> Footprint {
        let start = &walk.inner[0].location;
        let mut all = Footprint {
            accesses: Accesses::default(),
            about_threads: false,
            ends: false,
            conflicts_with_all: start.atomic.is_some(),
        };
        for inner in &walk.inner {
            all.about_threads |= self.observer.is_about_threads(&inner.location, walk.thread);
            for (successor, _) in &inner.successors {
                all.accesses.add(&self.terms, &successor.block);
                let to = &successor.control;
                if successor.kind == SuccessorKind::Continue {
                    all.ends |= to.thread(walk.thread).is_none_or(Thread::is_finished);
                    all.conflicts_with_all |=
                        to.objects != start.objects || stops.contains(to) && to.atomic.is_some();
                }
            }
        }
        all
    }

    /// Checks that a thread at a place takes the same transactions wherever the others are, while several threads are alive; if these concern threads, as long
    /// as no thread starts or ends.
    pub(super) fn is_the_same_everywhere(
        &mut self,
        location: &'a GlobalLocation,
        thread: ThreadId,
        footprint: &Footprint,
        stops: &Stops<'_>,
    ) -> Result<(), Inconclusive> {
        let state = location.threads.iter().find(|t| t.id == thread).filter(|_| n_alive(location) > 1);
        let Some(state) = state.filter(|_| self.uses_sleep_sets) else { return Ok(()) };
        let own: Own<'a> = (state, &location.objects);
        let about = footprint.about_threads;
        let statuses = || location.threads.iter().map(|t| (t.id, t.is_finished(), t.detached)).collect();
        let frames = |c: &&GlobalLocation| c.thread(thread).map_or_else(Vec::new, |t| t.frames.clone());
        let ends: FxHashSet<Vec<Frame>> = stops.iter().map(frames).collect();
        let same = *self.known.about_threads.entry(own).or_insert(about) == about
            && *self.known.ends.entry((own, about.then(statuses))).or_insert_with(|| ends.clone()) == ends;
        demand(same, || format!("transactions of {thread} depend on where others are: {location}"))
    }
}
