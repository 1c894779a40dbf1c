//! Sleep sets: of several orders of independent steps, one is enough.
//!
//! After Godefroid, *Using partial orders to improve automatic verification methods*, CAV 1990. Where thread 1 and thread 2 are about to
//! take steps that do not disturb each other, it does not matter who goes first. At each node the threads are followed in the order of their
//! numbers; behind a step of one, those that were followed *before* it and do not disturb it are *asleep*: what they would do now,
//! they have done there. Who is asleep stays so until a step disturbs what it is about to do.
//!
//! ```text
//! asleep(w) = ∩ over edges (v, w) by t that can be taken of  { z ∈ asleep(v) ∪ awake before t at v | independent at v: z's step, t's step }
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
//! Independent are steps that share no variable that one of them writes and that do not change what the other is: both
//! leave atomic sections and allocated objects alone, and where one ends its thread or is about threads, the other is not, and is not
//! alone afterwards.

use super::Ufo;
use super::arg::NodeId;
use super::interrupt::Interrupt;
use logic::Symbol;
use logic::path::Cmd;
use program::interp::ThreadId;
use program::{Action, Op, Program};
use rustc_hash::FxHashSet;
use semantics::encoding::{GlobalLocation, SuccessorKind};
use semantics::transition::GlobalLocationId;
use std::rc::Rc;
use std::sync::Arc;

/// Threads, by number.
pub(super) type SleepSet = Vec<ThreadId>;

/// What a step of a thread may touch, whatever way it takes.
#[derive(Default, Debug)]
pub(super) struct Footprint {
    reads: FxHashSet<Symbol>,
    writes: FxHashSet<Symbol>,
    /// It makes threads or waits for them.
    about_threads: bool,
    /// Its thread may end.
    ends: bool,
    /// It changes what steps are.
    disturbs_all: bool,
}

impl Footprint {
    /// Whether neither step disturbs the other, at a control with so many threads alive.
    fn is_independent_of(&self, other: &Footprint, n_alive: usize) -> bool {
        let apart =
            |a: &Footprint, b: &Footprint| a.writes.is_disjoint(&b.reads) && a.writes.is_disjoint(&b.writes);
        let everything = self.disturbs_all || other.disturbs_all;
        let threads = self.about_threads && (other.about_threads || other.ends)
            || self.ends && other.about_threads
            || n_alive < 3 && (self.ends || other.ends);
        !everything && !threads && apart(self, other) && apart(other, self)
    }
}

impl Ufo<'_> {
    /// Who is asleep behind the steps of each awake thread at a node.
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
        self.stats.asleep += before.len() as u64;
        let awake: Vec<ThreadId> = control.movable().filter(|t| !before.contains(t)).collect();
        for thread in awake {
            let mut asleep = SleepSet::new();
            if self.options.sleep && !before.is_empty() {
                let mine = self.footprint(at, thread, location)?;
                for &z in &before {
                    if self.footprint(at, z, location)?.is_independent_of(&mine, n_alive) {
                        asleep.push(z);
                    }
                }
            }
            all.push((thread, asleep));
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
        let mut found = Footprint { disturbs_all: start.atomic.is_some(), ..Footprint::default() };
        let mut seen: FxHashSet<GlobalLocation> = FxHashSet::default();
        let mut open = vec![(*start).clone()];
        while let Some(control) = open.pop() {
            found.about_threads |= is_about_threads(self.edges.program(), &control, thread);
            for outcome in self.encoder.successors(&mut self.terms, &control, thread) {
                for cmd in &outcome.block {
                    match *cmd {
                        Cmd::Assume(guard) => found.reads.extend(self.terms.free_vars(guard)),
                        Cmd::Assign(x, value) => {
                            found.reads.extend(self.terms.free_vars(value));
                            found.writes.insert(x);
                        }
                        Cmd::Havoc(x) => {
                            found.writes.insert(x);
                        }
                    }
                }
                let to = outcome.control;
                if outcome.kind != SuccessorKind::Continue {
                    continue;
                }
                found.disturbs_all |= to.objects != start.objects;
                let ended = to.thread(thread).is_none_or(|t| t.is_finished());
                found.ends |= ended;
                if stops.contains(&to) {
                    found.disturbs_all |= to.atomic.is_some();
                } else if !ended && seen.insert(to.clone()) {
                    open.push(to);
                }
            }
        }
        let found = Rc::new(found);
        self.footprints.insert((at, thread), Rc::clone(&found));
        Ok(found)
    }
}

/// Whether the thread's next action makes threads or waits for them.
fn is_about_threads(program: &Program, control: &GlobalLocation, thread: ThreadId) -> bool {
    let Some(state) = control.thread(thread).filter(|t| !t.is_finished()) else { return false };
    let at = state.top();
    let action = &program.functions[at.func].locations[at.loc].action;
    let ops: &[Op] = if let Action::Ops { ops, .. } = action { ops } else { &[] };
    ops.iter().any(|op| matches!(op, Op::Create { .. } | Op::Join { .. } | Op::Detach { .. }))
}
