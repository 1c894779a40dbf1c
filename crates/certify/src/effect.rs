//! What one action means to other threads, and that a transaction has at most one visible action.
//!
//! Trees, invariants and cut points all take several actions of a thread as one step, a *transaction*. That loses no behaviour if at most one of its actions
//! (or one atomic section) is **visible**: it accesses memory that a transaction of another thread accesses, too, and that some transaction writes; or it
//! creates, joins or detaches threads, or ends the program. After the visible action nothing may block or fail an assumption: then a transaction that was
//! begun can be completed at once, and the invisible actions commute with everything that other threads do in between (Lipton, *Reduction*, CACM 1975, with
//! one action as the block's commit).
//!
//! While only one thread is alive all its actions are invisible, except for the creation of the second one.
//!
//! [`at_most_one_visible_action`] checks this on acyclic graphs of actions, which is what all three kinds of proofs have: the prefix tree of a location's
//! transactions, or the locations between two cut points.

use crate::demand;
use base::Inconclusive;
use logic::path::Cmd;
use logic::{Symbol, Terms};
use program::interp::{Identity, ThreadId};
use program::{Op, Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::analysis::Analysis;
use semantics::encoding::{Encoder, GlobalLocation, Name, Successor, SuccessorKind};
use std::collections::BTreeSet;

/// One action, as far as other threads are concerned.
#[derive(Clone, Default)]
pub(crate) struct ActionEffect {
    /// Memory that is read.
    pub(crate) reads: Vec<Symbol>,
    /// Memory that is written, except for objects that this very action creates: no other thread can access them yet.
    pub(crate) writes: Vec<Symbol>,
    /// Creates, joins or detaches threads, or ends the program.
    pub(crate) concerns_threads: bool,
    /// May block, fail an assumption, or be undefined.
    pub(crate) may_stop: bool,
    /// May block.
    pub(crate) may_block: bool,
    /// Accesses memory that another thread may access. Only for [`Property::NoDataRace`].
    pub(crate) may_race: bool,
    /// In an atomic section before or after it.
    pub(crate) in_section: bool,
    /// No other thread is alive before it.
    pub(crate) alone: bool,
    /// No other thread is alive before it, but one is afterwards.
    pub(crate) ends_solitude: bool,
}

/// Determines the effects of actions for one property of one program.
pub(crate) struct Observer<'p> {
    pub(crate) program: &'p Program,
    pub(crate) property: Property,
    /// Which accesses can race; only for [`Property::NoDataRace`].
    analysis: Option<std::sync::Arc<Analysis<'p>>>,
}

impl<'p> Observer<'p> {
    pub(crate) fn new(program: &'p Program, property: Property) -> Self {
        let analysis = (property == Property::NoDataRace).then(|| Analysis::of(program));
        Self { program, property, analysis }
    }

    /// The effect of an action of `thread` at `before` that has this successor. `is_total` says that in every state some successor can be taken.
    pub(crate) fn effect(
        &self,
        (encoder, terms): (&Encoder<'_>, &Terms),
        before: &GlobalLocation,
        thread: ThreadId,
        successor: &Successor,
        is_total: bool,
    ) -> ActionEffect {
        let after = &successor.control;
        let name = |symbol: &Symbol| encoder.names().name(*symbol);
        let is_memory = |symbol: &Symbol| {
            matches!(
                name(symbol),
                Some(
                    Name::Cell { .. }
                        | Name::Elements { .. }
                        | Name::IsSet { .. }
                        | Name::AreSet { .. }
                        | Name::Waiting(_)
                        | Name::Alive(_)
                )
            )
        };
        let mut effect = ActionEffect::default();
        for cmd in &successor.block {
            let (read, written) = parts(cmd);
            let read = read.into_iter().flat_map(|term| terms.free_vars(term));
            effect.reads.extend(read.filter(is_memory));
            let is_new = |symbol: &Symbol| is_new(name(symbol), before, after, thread);
            effect.writes.extend(written.filter(is_memory).filter(|symbol| !is_new(symbol)));
        }
        let at = before.thread(thread).expect("a thread that moves should be in the location").top();
        let ops = self.operations(before, thread);
        effect.concerns_threads = others(before, thread) != others(after, thread)
            || ops.iter().any(is_about_threads)
            || self.is_harmless(&successor.kind);
        effect.may_block = ops.iter().any(Op::can_block);
        effect.may_stop = effect.may_block || !is_total || ops.iter().any(|op| matches!(op, Op::Assume(_)));
        if let Some(analysis) = &self.analysis {
            let accesses = analysis.accesses(at.func, at.loc);
            effect.may_race = !accesses.reads.is_empty() || !accesses.writes.is_empty();
        }
        effect.in_section = before.atomic.is_some() || after.atomic.is_some();
        effect.alone = n_alive(before) == 1;
        effect.ends_solitude = effect.alone && n_alive(after) > 1;
        effect
    }

    /// Returns true if a transaction that ends like this says nothing against the property: the program is over, if only for an error of another kind.
    pub(crate) fn is_harmless(&self, kind: &SuccessorKind) -> bool {
        match kind {
            SuccessorKind::Ended => true,
            SuccessorKind::Violation(property, _) => !self.property.includes(*property),
            _ => false,
        }
    }

    /// Returns true if the thread's next action creates, joins or detaches threads.
    pub(crate) fn is_about_threads(&self, location: &GlobalLocation, thread: ThreadId) -> bool {
        self.operations(location, thread).iter().any(is_about_threads)
    }

    /// The operations of the thread's next action; none if it has ended.
    fn operations(&self, location: &GlobalLocation, thread: ThreadId) -> &'p [Op] {
        let Some(state) = location.thread(thread).filter(|t| !t.is_finished()) else { return &[] };
        let at = state.top();
        self.program.functions[at.func].locations[at.loc].action.ops()
    }
}

/// What a command reads, and what it writes.
pub(crate) fn parts(cmd: &Cmd) -> (Option<logic::Term>, Option<Symbol>) {
    match *cmd {
        Cmd::Assume(guard) => (Some(guard), None),
        Cmd::Assign(x, value) => (Some(value), Some(x)),
        Cmd::Havoc(x) => (None, Some(x)),
    }
}

/// The number of threads that have actions left.
pub(crate) fn n_alive(location: &GlobalLocation) -> usize {
    location.threads.iter().filter(|t| !t.is_finished()).count()
}

/// Which other threads there are, have ended, or are detached.
fn others(location: &GlobalLocation, thread: ThreadId) -> Vec<(ThreadId, bool, bool)> {
    let others = location.threads.iter().filter(|t| t.id != thread);
    others.map(|t| (t.id, t.is_finished(), t.detached)).collect()
}

fn is_about_threads(op: &Op) -> bool {
    matches!(op, Op::Create { .. } | Op::Join { .. } | Op::Detach { .. })
}

/// Returns true if an action of `thread` creates the object that a variable belongs to: then no other thread can access it yet.
fn is_new(name: Option<Name>, before: &GlobalLocation, after: &GlobalLocation, thread: ThreadId) -> bool {
    let n_frames = |c: &GlobalLocation| c.thread(thread).map_or(0, |t| t.frames.len());
    let (old_frames, new_frames) = (n_frames(before), n_frames(after));
    // A thread that this action starts: no other thread accessed what it owns before.
    let starts = |owner: ThreadId| before.thread(owner).is_none() && after.thread(owner).is_some();
    let Some(
        Name::Cell { object, .. }
        | Name::Elements { object, .. }
        | Name::IsSet { object, .. }
        | Name::AreSet { object, .. }
        | Name::Alive(object),
    ) = name
    else {
        return false;
    };
    match object {
        Identity::Local { thread: owner, depth, .. } => {
            starts(owner) || owner == thread && new_frames > old_frames && depth as usize == old_frames
        }
        Identity::ThreadLocal(_, owner) => starts(owner),
        other => after.objects.contains(&other) && !before.objects.contains(&other),
    }
}

/// The actions of a thread's transactions from one location, as an acyclic graph.
pub(crate) struct TransactionGraph {
    /// The thread.
    pub(crate) thread: ThreadId,
    /// How many positions there are; transactions begin at position 0.
    pub(crate) n_positions: usize,
    /// The actions, in an order in which those that lead to a position come before those that begin there.
    pub(crate) actions: Vec<GraphAction>,
}

/// An action between two positions of a [`TransactionGraph`].
pub(crate) struct GraphAction {
    /// Where it begins.
    pub(crate) from: usize,
    /// A later position; `None` if the transaction ends with this action.
    pub(crate) to: Option<usize>,
    /// What it means to other threads.
    pub(crate) effect: ActionEffect,
}

/// Checks that every path through every graph has at most one visible action (or atomic section), after which nothing may stop. The graphs should be those of
/// all transactions of the proof: they decide which memory is shared.
pub(crate) fn at_most_one_visible_action(
    graphs: &[TransactionGraph],
    terms: &Terms,
) -> Result<(), Inconclusive> {
    let shared = shared_memory(graphs);
    graphs.iter().try_for_each(|graph| check_paths(graph, &shared, terms))
}

/// Memory that several threads access while several are alive, and some thread writes.
fn shared_memory(graphs: &[TransactionGraph]) -> FxHashSet<Symbol> {
    let mut users: FxHashMap<Symbol, FxHashSet<ThreadId>> = FxHashMap::default();
    let mut writers: FxHashSet<Symbol> = FxHashSet::default();
    for graph in graphs {
        for effect in graph.actions.iter().map(|action| &action.effect).filter(|effect| !effect.alone) {
            for symbol in effect.reads.iter().chain(&effect.writes) {
                users.entry(*symbol).or_default().insert(graph.thread);
            }
            writers.extend(&effect.writes);
        }
    }
    writers.retain(|symbol| users.get(symbol).is_some_and(|users| users.len() > 1));
    writers
}

fn check_paths(
    graph: &TransactionGraph,
    shared: &FxHashSet<Symbol>,
    terms: &Terms,
) -> Result<(), Inconclusive> {
    // How each position can be reached: after the visible action or before it, and inside an atomic section or outside.
    let mut reached: Vec<BTreeSet<(bool, bool)>> = vec![BTreeSet::new(); graph.n_positions];
    reached[0].insert((false, false));
    for GraphAction { from, to, effect } in &graph.actions {
        let touched = effect.reads.iter().chain(&effect.writes).find(|symbol| shared.contains(symbol));
        let is_visible = touched.is_some() || effect.concerns_threads;
        let acts = if effect.alone { effect.ends_solitude } else { is_visible || effect.in_section };
        for (acted, was_in_section) in reached[*from].clone() {
            let same_section = effect.in_section && was_in_section;
            let is_invisible = !is_visible && !effect.may_stop && !effect.in_section;
            demand(!acted || effect.alone || same_section || is_invisible, || {
                let what = touched.map_or("an action", |symbol| terms.name(*symbol));
                format!("a transaction of {} has a second visible action, because of {what}", graph.thread)
            })?;
            if let Some(to) = to {
                reached[*to].insert((acted || acts, effect.in_section));
            }
        }
    }
    Ok(())
}
