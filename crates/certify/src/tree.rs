//! Checks a labelled tree: the proof that Impact hands over.
//!
//! # What is claimed
//! A tree of nodes, each with control, a label, the threads that were expanded there, and possibly an older node that covers it. An
//! edge is a *run* of one thread: several actions taken as one step. The proof lists the runs it uses for each control and
//! thread; the same ones are used wherever that control occurs.
//!
//! # What is checked, in this order
//! 1. **Runs** are complete: executing the thread from that control, every execution ends in a listed run, or in an end of
//!    its own (of the program, in an error, …), which is kept as a *terminal* run.
//! 2. **Runs are steps**: of the actions of a run, at most one (or one atomic section) touches memory that a run of another thread
//!    touches, too, or concerns other threads; after that one, nothing can block or fail an assumption, and the
//!    program does not end. Then nobody can tell the run from its one loud action.
//! 3. **Labels**: the initial state satisfies the root's. From an expanded node every run of an expanded thread leads to a child
//!    whose label holds, or cannot be taken; no terminal run that violates the property, or has no meaning, can be taken. What
//!    cannot be taken is excluded by the label or, at an *exact* node, by the path to it. A node is exact if neither it nor an ancestor covers
//!    anything: the only states that come there are those of its path.
//! 4. **Covers**: same control, the label implies the covering node's, which is not covered, nor is an ancestor of it.
//! 5. **Completeness**: at a node that is not covered every thread that can move is expanded, or *skipped*; at a covered node, every
//!    thread that is not skipped is expanded at the covering node. A thread may be skipped if the last run was of a thread with a
//!    greater number and commutes with all runs of this one, from the parent's control.
//! 6. **Properties of states**, if asked for: nobody blocks (is about to make an access that another thread may make, too) in the middle of a run, and at no
//!    node that is not covered can all threads be blocked (two threads race).
//!
//! That this suffices is the paper's argument (Wachter, Kroening, Ouaknine, FMCAD 2013, Lemma 4.7, with the repairs of
//! `engines::impact`): of all equivalent executions, the one that is least in the order of thread numbers is never skipped.
//!
//! The check has its own solver and its own notion of dependence: where control ends up, the state variables that runs mention, and where
//! these meet, whether the two orders differ in any state of the parent's label ([`crate::commute`]).
//! It shares with the engines what actions *mean* (`symbolic`).

use crate::CheckedSolver;
use crate::commute::commute;
use base::{Budget, Inconclusive};
use evidence::TreeProof;
use logic::path::{Block, Cmd, SymbolicStore, connected, valid};
use logic::{Limits, Solver, Symbol, Term, Terms};
use program::interp::{Identity, ThreadId};
use program::{Action, Op, Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::analysis::Analysis;
use semantics::encoding::{Encoder, GlobalLocation, Name, SuccessorKind, is_total};
use std::rc::Rc;
use std::sync::Arc;

/// A run that ends in something else than a node.
pub(crate) struct Terminal {
    pub(crate) block: Block,
    pub(crate) kind: SuccessorKind,
}

/// One action of a run, as far as other threads are concerned.
#[derive(Clone, Default)]
struct Step {
    reads: Vec<Symbol>,
    writes: Vec<Symbol>,
    /// Creates, joins or detaches threads, or ends the program.
    concerns_threads: bool,
    /// May block, fail an assumption, or be without meaning.
    may_stop: bool,
    /// May block.
    may_block: bool,
    /// Accesses memory that another thread may access.
    may_race: bool,
    /// In an atomic section before or after it.
    in_section: bool,
}

/// A block that must not be executable, and what that means.
pub(crate) type Forbidden = (Block, &'static str);

pub(crate) struct Checker<'a, 'p> {
    program: &'p Program,
    analysis: Arc<Analysis<'p>>,
    property: Property,
    proof: &'a TreeProof,
    pub(crate) encoder: Encoder<'p>,
    pub(crate) terms: Terms,
    pub(crate) solver: CheckedSolver,
    pub(crate) limits: Limits,
    /// The commands that make the initial state.
    init: Block,
    pub(crate) terminals: FxHashMap<(Arc<GlobalLocation>, ThreadId), Vec<Terminal>>,
    forbidden: FxHashMap<Arc<GlobalLocation>, Rc<[Forbidden]>>,
    /// The actions of all runs, by thread.
    steps: Vec<(ThreadId, Vec<Step>)>,
    kids: Vec<FxHashMap<(ThreadId, usize), usize>>,
    /// For exact nodes: the values of variables after the path, and its conditions.
    exact: Vec<Option<Rc<Exact>>>,
}

/// What is known of a node to which only its path leads.
struct Exact {
    store: SymbolicStore,
    conditions: Vec<Term>,
}

/// Longer runs are not believed.
const MAX_STEPS: usize = 400;

/// Checks that `proof` proves `property` of `program`.
pub(crate) fn check(
    program: &Program,
    property: Property,
    proof: &TreeProof,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    let mut kids = vec![FxHashMap::default(); proof.nodes.len()];
    for (n, node) in proof.nodes.iter().enumerate() {
        if let Some((parent, thread, run)) = node.parent {
            demand(parent < n, || format!("node {n} comes before its parent"))?;
            kids[parent].insert((thread, run), n);
        }
    }
    let mut encoder = Encoder::with_identities(&Analysis::of(program), &proof.identities)?;
    if property == Property::NoDeadlock {
        encoder = encoder.following_waits();
    }
    let mut checker = Checker::new(program, property, proof, encoder, budget);
    checker.kids = kids;
    checker.root()?;
    checker.paths();
    checker.check_runs()?;
    checker.runs_stop_for(property)?;
    for n in 0..proof.nodes.len() {
        budget.check()?;
        checker.node(n)?;
    }
    Ok(())
}

pub(crate) fn demand(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Inconclusive> {
    if holds { Ok(()) } else { Err(Inconclusive::CheckFailed(otherwise())) }
}

/// Whether a step of `thread` makes the object that a variable belongs to: then nobody else can know it yet.
pub(crate) fn is_new(
    name: Option<Name>,
    before: &GlobalLocation,
    after: &GlobalLocation,
    thread: ThreadId,
) -> bool {
    let n_frames = |c: &GlobalLocation| c.thread(thread).map_or(0, |t| t.frames.len());
    let (old_frames, new_frames) = (n_frames(before), n_frames(after));
    // A thread that this step starts: what it owns was nobody's before.
    let starts = |whose: ThreadId| before.thread(whose).is_none() && after.thread(whose).is_some();
    let (Some(Name::Cell { object, .. }) | Some(Name::Elements { object, .. })) = name else { return false };
    match object {
        Identity::Local { thread: whose, depth, .. } => {
            starts(whose) || whose == thread && new_frames > old_frames && depth as usize == old_frames
        }
        Identity::ThreadLocal(_, whose) => starts(whose),
        other => after.objects.contains(&other) && !before.objects.contains(&other),
    }
}

impl<'a, 'p> Checker<'a, 'p> {
    /// A checker of the runs of `proof`, with what actions mean according to `encoder`.
    pub(crate) fn new(
        program: &'p Program,
        property: Property,
        proof: &'a TreeProof,
        encoder: Encoder<'p>,
        budget: &Budget,
    ) -> Self {
        Checker {
            program,
            analysis: Analysis::of(program),
            property,
            proof,
            encoder,
            terms: (*proof.terms).clone(),
            solver: CheckedSolver::new(),
            limits: Limits::of(budget),
            init: Block::new(),
            terminals: FxHashMap::default(),
            forbidden: FxHashMap::default(),
            steps: Vec::new(),
            kids: Vec::new(),
            exact: Vec::new(),
        }
    }

    /// 1. and 2.: all runs are complete, and steps.
    pub(crate) fn check_runs(&mut self) -> Result<(), Inconclusive> {
        self.all_runs()?;
        self.runs_are_steps()
    }

    /// Whoever is blocked, or about to race, is so between runs, if that is what is asked for.
    pub(crate) fn runs_stop_for(&self, property: Property) -> Result<(), Inconclusive> {
        let mut later = self.steps.iter().flat_map(|(_, steps)| steps.iter().skip(1));
        match property {
            Property::NoDeadlock | Property::Termination => demand(later.all(|step| !step.may_block), || {
                "a thread can block in the middle of a run".to_owned()
            }),
            Property::NoDataRace => demand(later.all(|step| !step.may_race), || {
                "a thread can race in the middle of a run".to_owned()
            }),
            _ => Ok(()),
        }
    }

    /// Blocks that must not be executable at a control, for properties of states, each with what that means.
    pub(crate) fn forbidden(
        &mut self,
        control: &Arc<GlobalLocation>,
    ) -> Result<Rc<[Forbidden]>, Inconclusive> {
        if let Some(known) = self.forbidden.get(control) {
            return Ok(Rc::clone(known));
        }
        let found: Rc<[Forbidden]> = self.forbid(control)?.into();
        self.forbidden.insert(Arc::clone(control), Rc::clone(&found));
        Ok(found)
    }

    fn forbid(&mut self, control: &GlobalLocation) -> Result<Vec<Forbidden>, Inconclusive> {
        match self.property {
            Property::NoDeadlock | Property::Termination => {
                let threads: Vec<ThreadId> = control.movable().collect();
                let stuck = self.stuck(control, &threads);
                Ok(stuck.map(|block| (block, "that somebody can move")).into_iter().collect())
            }
            Property::NoDataRace => {
                let races = self.encoder.races(&mut self.terms, control);
                let races =
                    races.map_err(|kind| Inconclusive::CheckFailed(format!("{kind:?} next at {control}")))?;
                let blocks =
                    races.into_iter().map(|race| (vec![Cmd::Assume(race.when)], "that nobody races"));
                Ok(blocks.collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// That the next actions of all of these threads block; nothing if that is no deadlock, or impossible. A thread that blocks in an
    /// atomic section ends an execution that does not count.
    fn stuck(&mut self, control: &GlobalLocation, threads: &[ThreadId]) -> Option<Block> {
        if threads.is_empty() || control.atomic.is_some() {
            return None;
        }
        let mut stuck = Block::new();
        for &thread in threads {
            let moves = self.encoder.moves(&mut self.terms, control, thread)?;
            stuck.push(Cmd::Assume(self.terms.not(moves)));
        }
        Some(stuck)
    }

    /// Whether an end of this kind says nothing against the property: the program is over, if only for an error of another kind.
    pub(crate) fn is_harmless(&self, kind: &SuccessorKind) -> bool {
        match kind {
            SuccessorKind::Ended => true,
            SuccessorKind::Violation(property, _) => *property != self.property,
            _ => false,
        }
    }
}

impl Checker<'_, '_> {
    fn root(&mut self) -> Result<(), Inconclusive> {
        let (control, init) = self.encoder.initial(&mut self.terms)?;
        let root =
            self.proof.nodes.first().ok_or_else(|| Inconclusive::CheckFailed("an empty tree".to_owned()))?;
        demand(root.parent.is_none() && *root.control == control, || "the root is not the start".to_owned())?;
        self.init.clone_from(&init);
        let true_ = self.terms.tt();
        self.triple(true_, &init, root.label, "the root's label")
    }

    /// The paths to exact nodes.
    fn paths(&mut self) {
        let proof = self.proof;
        let mut covers = vec![false; proof.nodes.len()];
        for node in &proof.nodes {
            if let Some(at) = node.covered_by.and_then(|w| covers.get_mut(w)) {
                *at = true;
            }
        }
        for (n, node) in proof.nodes.iter().enumerate() {
            let path = match node.parent {
                _ if covers[n] => None,
                None => {
                    let mut store = SymbolicStore::default();
                    let conditions = store.run(&mut self.terms, &self.init);
                    Some(Exact { store, conditions })
                }
                Some((parent, thread, run)) => self.exact[parent].clone().and_then(|above| {
                    let runs = proof.runs.get(&(Arc::clone(&proof.nodes[parent].control), thread))?;
                    let block = &runs.get(run)?.block;
                    let (mut store, mut conditions) = (above.store.clone(), above.conditions.clone());
                    conditions.extend(store.run(&mut self.terms, block));
                    Some(Exact { store, conditions })
                }),
            };
            self.exact.push(path.map(Rc::new));
        }
    }

    /// Whether a block cannot be executed at a node: because of its label, or of the path to it.
    fn impossible(&mut self, n: usize, block: &[Cmd], what: &str) -> Result<(), Inconclusive> {
        if let Some(exact) = self.exact[n].clone() {
            let conditions = exact.store.clone().run(&mut self.terms, block);
            let question = connected(&self.terms, &conditions, &exact.conditions);
            if self.solver.core(&self.terms, &question, &self.limits)?.is_some() {
                return Ok(());
            }
        }
        let never = self.terms.ff();
        self.triple(self.proof.nodes[n].label, block, never, what)
    }

    fn triple(&mut self, pre: Term, block: &[Cmd], post: Term, what: &str) -> Result<(), Inconclusive> {
        let holds = valid(&mut self.solver, &mut self.terms, pre, block, post, &self.limits)?;
        demand(holds, || format!("{what} does not hold"))
    }

    // ---- runs -----------------------------------------------------------------------------------------------

    /// 1. The runs of every control and thread that the proof uses.
    fn all_runs(&mut self) -> Result<(), Inconclusive> {
        let mut keys: Vec<_> = self.proof.runs.keys().cloned().collect();
        keys.sort_by_key(|(control, thread)| (control.to_string(), *thread));
        for (control, thread) in keys {
            self.limits.budget.check()?;
            self.runs(control, thread)?;
        }
        Ok(())
    }

    fn runs(&mut self, control: Arc<GlobalLocation>, thread: ThreadId) -> Result<(), Inconclusive> {
        let claimed = &self.proof.runs[&(Arc::clone(&control), thread)];
        let mut open = vec![((*control).clone(), Block::new(), Vec::<Step>::new())];
        let mut terminals = Vec::new();
        while let Some((at, block, steps)) = open.pop() {
            if !steps.is_empty() && claimed.iter().any(|run| *run.control == at && run.block == block) {
                self.steps.push((thread, steps));
                continue;
            }
            let alive = at.thread(thread).is_some_and(|t| !t.is_finished());
            demand(alive && steps.len() < MAX_STEPS, || {
                format!("an execution of {thread} from {control} ends in no run")
            })?;
            let outcomes = self.encoder.successors(&mut self.terms, &at, thread);
            let total = is_total(&mut self.terms, &outcomes);
            for outcome in outcomes {
                let mut step = self.step(&at, thread, &outcome.block, &outcome.control, &outcome.kind);
                step.may_stop |= !total;
                let steps: Vec<Step> = steps.iter().cloned().chain([step]).collect();
                let block: Block = block.iter().copied().chain(outcome.block).collect();
                if outcome.kind == SuccessorKind::Continue {
                    open.push((outcome.control, block, steps));
                } else {
                    self.steps.push((thread, steps));
                    terminals.push(Terminal { block, kind: outcome.kind });
                }
            }
        }
        self.terminals.insert((control, thread), terminals);
        Ok(())
    }

    fn step(
        &self,
        before: &GlobalLocation,
        thread: ThreadId,
        block: &[Cmd],
        after: &GlobalLocation,
        kind: &SuccessorKind,
    ) -> Step {
        let memory = |s: &Symbol| {
            let name = self.encoder.names().name(*s);
            matches!(name, Some(Name::Cell { .. } | Name::Elements { .. } | Name::Waiting(_)))
        };
        let is_new = |s: &Symbol| is_new(self.encoder.names().name(*s), before, after, thread);
        let mut step = Step::default();
        for cmd in block {
            match *cmd {
                Cmd::Assume(guard) => {
                    step.reads.extend(self.terms.free_vars(guard).into_iter().filter(memory))
                }
                Cmd::Assign(x, value) => {
                    step.reads.extend(self.terms.free_vars(value).into_iter().filter(memory));
                    step.writes.extend(Some(x).filter(memory).filter(|x| !is_new(x)));
                }
                // Nobody else can know an object that this very step makes.
                Cmd::Havoc(x) => step.writes.extend(Some(x).filter(memory).filter(|x| !is_new(x))),
            }
        }
        let others = |c: &GlobalLocation| -> Vec<_> {
            c.threads.iter().filter(|t| t.id != thread).map(|t| (t.id, t.is_finished(), t.detached)).collect()
        };
        let at = before.thread(thread).expect("a thread that moves should be in the control").top();
        let action = &self.program.functions[at.func].locations[at.loc].action;
        let ops: &[Op] = if let Action::Ops { ops, .. } = action { ops } else { &[] };
        let about_threads = |op: &Op| matches!(op, Op::Create { .. } | Op::Join { .. } | Op::Detach { .. });
        step.concerns_threads =
            others(before) != others(after) || ops.iter().any(about_threads) || self.is_harmless(kind);
        step.may_block = ops.iter().any(Op::can_block);
        if self.property == Property::NoDataRace {
            let accesses = self.analysis.accesses(at.func, at.loc);
            step.may_race = !accesses.reads.is_empty() || !accesses.writes.is_empty();
        }
        step.may_stop = ops.iter().any(|op| op.can_block() || matches!(op, Op::Assume(_)));
        step.in_section = before.atomic.is_some() || after.atomic.is_some();
        step
    }

    /// 2. Nobody can tell a run from one step.
    fn runs_are_steps(&self) -> Result<(), Inconclusive> {
        // Who touches what, and who writes it: more than one thread makes it contended.
        let mut users: FxHashMap<Symbol, FxHashSet<ThreadId>> = FxHashMap::default();
        let mut writers: FxHashSet<Symbol> = FxHashSet::default();
        for (thread, steps) in &self.steps {
            for step in steps {
                for symbol in step.reads.iter().chain(&step.writes) {
                    users.entry(*symbol).or_default().insert(*thread);
                }
                writers.extend(&step.writes);
            }
        }
        let contended = |s: &Symbol| writers.contains(s) && users[s].len() > 1;
        for (thread, steps) in &self.steps {
            let mut acted = false;
            let mut was_in_section = false;
            for step in steps {
                let loud = step.reads.iter().chain(&step.writes).any(contended) || step.concerns_threads;
                let same_section = step.in_section && was_in_section;
                let fine = !acted || same_section || !loud && !step.may_stop && !step.in_section;
                demand(fine, || {
                    let shared = step.reads.iter().chain(&step.writes).find(|s| contended(s));
                    let what = shared.map_or("what it does", |s| self.terms.name(*s));
                    format!("a run of {thread} is more than one step, because of {what}")
                })?;
                acted |= loud || step.in_section;
                was_in_section = step.in_section;
            }
        }
        Ok(())
    }

    // ---- nodes ----------------------------------------------------------------------------------------------

    fn node(&mut self, n: usize) -> Result<(), Inconclusive> {
        let proof = self.proof;
        let node = &proof.nodes[n];
        if let Some((parent, thread, run)) = node.parent {
            let runs = proof.runs.get(&(Arc::clone(&proof.nodes[parent].control), thread));
            let control = runs.and_then(|runs| runs.get(run)).map(|run| &run.control);
            demand(control == Some(&node.control), || format!("node {n} is not where its run leads"))?;
        }
        if self.terms.as_bool(node.label) == Some(false) || self.has_covered_ancestor(n) {
            return Ok(());
        }
        let movable: Vec<ThreadId> = node.control.movable().collect();
        if let Some(w) = node.covered_by {
            let covering = &proof.nodes[w];
            demand(covering.control == node.control, || format!("node {n} is covered by another control"))?;
            demand(covering.covered_by.is_none() && !self.has_covered_ancestor(w), || {
                format!("node {n} is covered by a covered node")
            })?;
            let implied = node.label == covering.label
                || self.solver.implies(&mut self.terms, node.label, covering.label, &self.limits)?;
            demand(implied, || format!("node {n} is not below the node that covers it"))?;
            for thread in movable {
                let ok = covering.expanded.contains(&thread) || self.may_skip(n, thread)?;
                demand(ok, || format!("thread {thread} is lost at the cover of node {n}"))?;
            }
            return Ok(());
        }
        for (block, what) in self.forbidden(&node.control)?.iter() {
            self.impossible(n, block, &format!("{what} at node {n}"))?;
        }
        for thread in movable {
            if node.expanded.contains(&thread) {
                self.expansion(n, thread)?;
            } else {
                let skipped = self.may_skip(n, thread)?;
                demand(skipped, || format!("thread {thread} is not expanded at node {n}"))?;
            }
        }
        Ok(())
    }

    fn has_covered_ancestor(&self, n: usize) -> bool {
        let parent = |n: usize| self.proof.nodes[n].parent.map(|(p, _, _)| p);
        std::iter::successors(parent(n), |n| parent(*n)).any(|a| self.proof.nodes[a].covered_by.is_some())
    }

    /// 3. All that a thread can do at a node.
    fn expansion(&mut self, n: usize, thread: ThreadId) -> Result<(), Inconclusive> {
        let proof = self.proof;
        let node = &proof.nodes[n];
        let key = (Arc::clone(&node.control), thread);
        let runs = proof
            .runs
            .get(&key)
            .ok_or_else(|| Inconclusive::CheckFailed(format!("no runs of {thread} at node {n}")))?;
        for (at, run) in runs.iter().enumerate() {
            match self.kids[n].get(&(thread, at)) {
                Some(kid) => {
                    let post = proof.nodes[*kid].label;
                    self.triple(node.label, &run.block, post, &format!("a label below node {n}"))?;
                }
                None => self.impossible(n, &run.block, &format!("the end of node {n}"))?,
            }
        }
        let terminals = self.terminals.remove(&key).unwrap_or_default();
        for terminal in &terminals {
            if !self.is_harmless(&terminal.kind) {
                self.impossible(n, &terminal.block, &format!("an end below node {n}"))?;
            }
        }
        self.terminals.insert(key, terminals);
        Ok(())
    }

    /// 5. Whether the last run commutes with everything that `thread`, with a smaller number, can do.
    fn may_skip(&mut self, n: usize, thread: ThreadId) -> Result<bool, Inconclusive> {
        let proof = self.proof;
        let nodes = &proof.nodes;
        let Some((parent, mover, at)) = nodes[n].parent else { return Ok(false) };
        let (before, after) = (&nodes[parent].control, &nodes[n].control);
        if thread >= mover
            || before.atomic.is_some()
            || after.atomic.is_some()
            || before.movable().all(|t| t != thread)
        {
            return Ok(false);
        }
        let runs = |control: &Arc<GlobalLocation>, thread| proof.runs.get(&(Arc::clone(control), thread));
        let ends = |control: &Arc<GlobalLocation>| {
            self.terminals.get(&(Arc::clone(control), thread)).is_none_or(|t| !t.is_empty())
        };
        let (Some(then), Some(now), Some(last)) =
            (runs(before, thread), runs(after, thread), runs(before, mover).and_then(|r| r.get(at)))
        else {
            return Ok(false);
        };
        if ends(before) || ends(after) || then.len() != now.len() {
            return Ok(false);
        }
        for (first, next) in then.iter().zip(now) {
            let back = runs(&first.control, mover).filter(|_| first.control.movable().any(|t| t == mover));
            let closes = back
                .is_some_and(|runs| runs.iter().any(|r| r.block == last.block && r.control == next.control));
            if first.block != next.block
                || !closes
                || !self.commute(nodes[parent].label, &last.block, &next.block)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn commute(&mut self, label: Term, first: &[Cmd], second: &[Cmd]) -> Result<bool, Inconclusive> {
        Ok(self.apart(first, second)
            || commute(&mut self.solver, &mut self.terms, label, first, second, &self.limits)?)
    }

    fn apart(&self, left: &[Cmd], right: &[Cmd]) -> bool {
        let touched = |block: &[Cmd]| {
            let (mut reads, mut writes) = (FxHashSet::default(), FxHashSet::default());
            for cmd in block {
                match *cmd {
                    Cmd::Assume(guard) => reads.extend(self.terms.free_vars(guard)),
                    Cmd::Assign(x, value) => {
                        reads.extend(self.terms.free_vars(value));
                        writes.insert(x);
                    }
                    Cmd::Havoc(x) => {
                        writes.insert(x);
                    }
                }
            }
            (reads, writes)
        };
        let ((left_reads, left_writes), (right_reads, right_writes)) = (touched(left), touched(right));
        left_writes.is_disjoint(&right_writes)
            && left_writes.is_disjoint(&right_reads)
            && left_reads.is_disjoint(&right_writes)
    }
}
