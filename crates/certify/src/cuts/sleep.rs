//! 6: which steps are independent, and that a thread's steps are the same wherever the others are.

use super::{Checker, Walk, demand, is_about_threads};
use base::Inconclusive;
use logic::Symbol;
use logic::path::Cmd;
use program::interp::{Identity, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::encoding::control::{Frame, Thread};
use semantics::encoding::{GlobalLocation, SuccessorKind};

/// What a step may do, whatever way it takes.
pub(super) struct Footprint {
    reads: FxHashSet<Symbol>,
    writes: FxHashSet<Symbol>,
    /// Makes threads, or waits for them.
    about_threads: bool,
    /// Its thread may end.
    ends: bool,
    /// Begins or ends in an atomic section, or changes which objects there are.
    disturbs_all: bool,
}

impl Footprint {
    /// Whether two steps of different threads can change places, at a control with so many threads alive.
    pub(super) fn is_independent_of(&self, other: &Footprint, n_alive: usize) -> bool {
        let apart = |x: &Footprint, y: &Footprint| {
            x.writes.is_disjoint(&y.writes)
                && x.writes.is_disjoint(&y.reads)
                && x.reads.is_disjoint(&y.writes)
        };
        let threads_apart =
            !(self.about_threads && (other.about_threads || other.ends) || other.about_threads && self.ends);
        // With three alive nobody is alone when one has ended.
        let in_company = n_alive > 2 || !(self.ends || other.ends);
        !self.disturbs_all && !other.disturbs_all && threads_apart && in_company && apart(self, other)
    }
}

/// What a step of a thread depends on beside the data: where the thread is, and the objects that there are.
type Own<'a> = (&'a Thread, &'a [Identity]);

/// Who is there, has ended, or is detached: what steps that are about threads depend on, too.
type Statuses = Vec<(ThreadId, bool, bool)>;

/// What is known of the steps that threads take in company.
#[derive(Default)]
pub(super) struct Steps<'a> {
    about_threads: FxHashMap<Own<'a>, bool>,
    ends: FxHashMap<(Own<'a>, Option<Statuses>), FxHashSet<Vec<Frame>>>,
}

impl<'a> Checker<'a, '_> {
    /// What a step may do.
    pub(super) fn footprint(&self, walk: &Walk, stops: &FxHashSet<&GlobalLocation>) -> Footprint {
        let start = &walk.inner[0].control;
        let mut all = Footprint {
            reads: FxHashSet::default(),
            writes: FxHashSet::default(),
            about_threads: false,
            ends: false,
            disturbs_all: start.atomic.is_some(),
        };
        for inner in &walk.inner {
            all.about_threads |= is_about_threads(self.program, &inner.control, walk.thread);
            for (outcome, _) in &inner.outcomes {
                for cmd in &outcome.block {
                    let (read, written) = match *cmd {
                        Cmd::Assume(guard) => (Some(guard), None),
                        Cmd::Assign(x, value) => (Some(value), Some(x)),
                        Cmd::Havoc(x) => (None, Some(x)),
                    };
                    all.reads.extend(read.into_iter().flat_map(|term| self.terms.free_vars(term)));
                    all.writes.extend(written);
                }
                let to = &outcome.control;
                if outcome.kind == SuccessorKind::Continue {
                    all.ends |= to.thread(walk.thread).is_none_or(Thread::is_finished);
                    all.disturbs_all |=
                        to.objects != start.objects || stops.contains(to) && to.atomic.is_some();
                }
            }
        }
        all
    }

    /// That in company a thread at a place takes the same steps wherever the others are; if these are about threads, as long as nobody comes or goes.
    pub(super) fn is_the_same_step(
        &mut self,
        control: &'a GlobalLocation,
        thread: ThreadId,
        footprint: &Footprint,
        stops: &FxHashSet<&GlobalLocation>,
    ) -> Result<(), Inconclusive> {
        let state = control.threads.iter().find(|t| t.id == thread).filter(|_| super::n_alive(control) > 1);
        let Some(state) = state.filter(|_| self.sleeping) else { return Ok(()) };
        let own: Own<'a> = (state, &control.objects);
        let about = footprint.about_threads;
        let statuses = || control.threads.iter().map(|t| (t.id, t.is_finished(), t.detached)).collect();
        let frames = |c: &&GlobalLocation| c.thread(thread).map_or_else(Vec::new, |t| t.frames.clone());
        let ends: FxHashSet<Vec<Frame>> = stops.iter().map(frames).collect();
        let same = *self.steps.about_threads.entry(own).or_insert(about) == about
            && *self.steps.ends.entry((own, about.then(statuses))).or_insert_with(|| ends.clone()) == ends;
        demand(same, || format!("steps of {thread} depend on where others are: {control}"))
    }
}
