//! Checks labels of cut points: the proof that UFO hands over.
//!
//! # What is claimed
//! For some controls, the *cut points*, a label: what holds whenever control is there. For each of them and each thread that can move
//! there, the controls where the thread *stops* when it moves on: between two cut points it takes many actions in one step.
//!
//! # What is checked, in this order
//! 1. The initial state satisfies its label.
//! 2. **Steps are complete**: executing a thread from a cut point, every execution arrives at one of its stops, or ends in some
//!    other way. What does not, because it loops or because the thread has ended, cannot be reached.
//! 3. **Labels are inductive**: a state in the label of a cut point, and a step from there, lead into the label of the stop. Where a
//!    stop has no label, it cannot be reached.
//! 4. **No error**: from no label an execution of a step violates the property, or does something that has no meaning.
//! 5. **Steps are steps**: of the actions of a step, at most one (or one atomic section) touches memory that a step of another
//!    thread touches, too, or concerns other threads; after that one, nothing can block or fail an assumption, and the
//!    program does not end. Then nobody can tell the step from its one loud action. While there is but one thread, nobody could tell anything.
//! 6. **Who sleeps misses nothing**: behind a step of `t` only threads sleep that slept before it or move before `t` (threads move in the order of their
//!    numbers) and whose step is independent of that of `t`: no variable that one writes is touched by the other, no thread is made, joined or
//!    ended by both, no section or object is left or made, and nobody is alone afterwards. What holds after the step is in the label of a point that
//!    sleeps no more than this allows. A thread's step is the same wherever the others are (one about threads: as long as nobody comes or goes). The initial state is in a point where nobody sleeps.
//!
//! By induction over the number of steps every reachable state at a cut point is in its label. That executions in which steps are not
//! interrupted reach every error that any execution reaches is 5; that of executions that differ in the order of independent steps one is followed is 6.
//!
//! # How
//! The controls between two cut points are sorted topologically and executed symbolically, once each: where paths meet, the guards are disjoined
//! and the values merged; a fresh truth value for each way says which of them was taken, should several be possible at once.
//!
//! A cut point may have several labels, one for each *phase*: then some of them holds there. Each is checked on its own, with the constants that
//! it gives to variables in place, which leaves little of a step; ways that give these variables different constants are not merged.

mod sleep;

use crate::CheckedSolver;
use crate::tree::is_new;
use base::{Budget, Inconclusive};
use evidence::{CutPoint, CutProof};
use logic::path::Cmd;
use logic::{Limits, Solver, Sort, Symbol, Term, Terms};
use program::interp::ThreadId;
use program::{Action, Op, Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::encoding::{Encoder, GlobalLocation, Name, Successor, SuccessorKind};
use sleep::{Footprint, Steps};
use std::collections::{BTreeMap, BTreeSet};

type Store = FxHashMap<Symbol, Term>;

/// One action, as far as other threads are concerned.
#[derive(Clone, Default)]
struct Deed {
    reads: Vec<Symbol>,
    writes: Vec<Symbol>,
    /// Creates, joins or detaches threads, or ends the program.
    concerns_threads: bool,
    /// May block or fail an assumption.
    may_stop: bool,
    /// In an atomic section before or after it.
    in_section: bool,
    /// There is no other thread.
    alone: bool,
    /// And this action makes one.
    makes_company: bool,
}

/// A control inside a step: its outcomes, with their deeds and where they lead.
struct Inner {
    control: GlobalLocation,
    outcomes: Vec<(Successor, Deed)>,
    /// Which of the outcomes are possible, as far as plain evaluation can tell.
    possible: Vec<bool>,
}

impl Inner {
    fn possible_outcomes(&self) -> impl Iterator<Item = &(Successor, Deed)> {
        self.outcomes
            .iter()
            .zip(&self.possible)
            .filter(|(_, possible)| **possible)
            .map(|(outcome, _)| outcome)
    }
}

/// All controls that a step passes, first to last; `to` of an outcome is found by its control.
struct Walk {
    thread: ThreadId,
    inner: Vec<Inner>,
    at: FxHashMap<GlobalLocation, usize>,
}

/// A label of a control.
struct Label<'a> {
    asleep: &'a [ThreadId],
    /// The variables that have one value in it.
    constants: Store,
    holds: Term,
}

struct Checker<'a, 'p> {
    program: &'p Program,
    property: Property,
    encoder: Encoder<'p>,
    terms: Terms,
    solver: CheckedSolver,
    limits: Limits,
    labels: FxHashMap<&'a GlobalLocation, Vec<Label<'a>>>,
    /// Whether somebody sleeps somewhere, and what is known of steps then.
    sleeping: bool,
    steps: Steps<'a>,
    walks: Vec<Walk>,
}

/// Steps through more controls than this are not believed.
const MAX_INNER: usize = 20_000;

/// So many ways into one control are executed one by one.
const MAX_APART: usize = 1_000;

/// Checks that `proof` proves `property` of `program`.
pub(crate) fn check(
    program: &Program,
    property: Property,
    proof: &CutProof,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    let mut checker = Checker {
        program,
        property,
        encoder: Encoder::with_identities(&semantics::Analysis::of(program), &proof.identities)?,
        terms: (*proof.terms).clone(),
        solver: CheckedSolver::new(),
        limits: Limits::of(budget),
        labels: FxHashMap::default(),
        sleeping: proof.points.iter().any(|p| !p.asleep.is_empty()),
        steps: Steps::default(),
        walks: Vec::new(),
    };
    for point in &proof.points {
        for &holds in &point.labels {
            let label = Label { asleep: &point.asleep, constants: checker.constants(holds), holds };
            checker.labels.entry(&*point.control).or_default().push(label);
        }
    }
    let names: FxHashSet<_> = proof.points.iter().map(|p| (&p.control, &p.asleep)).collect();
    demand(names.len() == proof.points.len(), || "a control has two labels".to_owned())?;
    checker.initial()?;
    for point in &proof.points {
        budget.check()?;
        checker.point(point)?;
    }
    checker.steps_are_steps()
}

fn demand(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Inconclusive> {
    if holds { Ok(()) } else { Err(Inconclusive::CheckFailed(otherwise())) }
}

impl<'a> Checker<'a, '_> {
    fn initial(&mut self) -> Result<(), Inconclusive> {
        let (control, init) = self.encoder.initial(&mut self.terms)?;
        let (guard, store) = self.run(&Store::default(), &init);
        let label = self.label(&control, &[], &store);
        self.implied(&[guard], label, &store, || "the initial state is not in its label".to_owned())
    }

    /// What holds at a control where at most these sleep. Labels that contradict the constants of a state can be left out.
    fn label(&mut self, control: &GlobalLocation, asleep: &[ThreadId], after: &Store) -> Term {
        let labels = self.labels.get(control).into_iter().flatten();
        let terms = &self.terms;
        let agrees = |x: &Symbol, value: Term| {
            after.get(x).is_none_or(|v| *v == value || terms.as_const(*v).is_none())
        };
        let fits = |constants: &Store| constants.iter().all(|(x, value)| agrees(x, *value));
        let sleeps = |label: &Label| label.asleep.iter().all(|z| asleep.contains(z));
        let fitting = labels.filter(|l| fits(&l.constants) && sleeps(l)).map(|l| l.holds);
        let fitting: Vec<Term> = fitting.collect();
        self.terms.or(&fitting)
    }

    fn implied(
        &mut self,
        given: &[Term],
        post: Term,
        store: &Store,
        otherwise: impl FnOnce() -> String,
    ) -> Result<(), Inconclusive> {
        let wrong = self.terms.not(post);
        let wrong = self.terms.substitute(wrong, store);
        let mut assumptions: Vec<Term> = given.iter().flat_map(|t| self.terms.conjuncts(*t)).collect();
        assumptions.extend(self.terms.conjuncts(wrong));
        let holds = self.solver.check(&self.terms, &assumptions, &self.limits)?.is_unsat();
        demand(holds, otherwise)
    }

    /// 2, 3, 4 and 6 for one cut point.
    fn point(&mut self, point: &'a CutPoint) -> Result<(), Inconclusive> {
        let n_alive = n_alive(&point.control);
        // Who slept before or has moved, with what its step may do.
        let mut before: Vec<(ThreadId, Footprint)> = Vec::new();
        for &thread in &point.asleep {
            let moves = point.control.movable().any(|t| t == thread);
            demand(moves, || format!("{thread} sleeps at {}, but cannot move", point.control))?;
            let stops = point.stops_of(thread);
            let walk = self.walk(&point.control, thread, &stops)?;
            let its = self.footprint(&walk, &stops);
            self.is_the_same_step(&point.control, thread, &its, &stops)?;
            before.push((thread, its));
        }
        for thread in point.control.movable().filter(|t| !point.asleep.contains(t)) {
            let stops = point.stops_of(thread);
            let mut walk = self.walk(&point.control, thread, &stops)?;
            let mine = self.footprint(&walk, &stops);
            self.is_the_same_step(&point.control, thread, &mine, &stops)?;
            let still = before.iter().filter(|(_, other)| other.is_independent_of(&mine, n_alive));
            let asleep: Vec<ThreadId> = still.map(|(z, _)| *z).collect();
            for &label in &point.labels {
                self.limits.budget.check()?;
                self.execute(&point.control, label, &mut walk, &stops, &asleep)?;
            }
            self.walks.push(walk);
            before.push((thread, mine));
        }
        Ok(())
    }

    /// 2. The controls of a step, in an order in which only loops go backwards, by depth-first search.
    fn walk(
        &mut self,
        start: &GlobalLocation,
        thread: ThreadId,
        stops: &FxHashSet<&GlobalLocation>,
    ) -> Result<Walk, Inconclusive> {
        let mut finished: Vec<Inner> = Vec::new();
        let mut state: FxHashSet<GlobalLocation> = FxHashSet::default();
        let first = self.inner(start, thread)?;
        state.insert(start.clone());
        let mut stack = vec![(first, 0usize)];
        while let Some((inner, next)) = stack.pop() {
            self.limits.budget.check()?;
            demand(state.len() <= MAX_INNER, || format!("a step of {thread} from {start} is too long"))?;
            let Some((outcome, _)) = inner.outcomes.get(next) else {
                finished.push(inner);
                continue;
            };
            let goes = outcome.kind == SuccessorKind::Continue && !stops.contains(&outcome.control);
            let to = outcome.control.clone();
            stack.push((inner, next + 1));
            if !goes {
                continue;
            }
            let alive = to.thread(thread).is_some_and(|t| !t.is_finished());
            if alive && !state.contains(&to) {
                state.insert(to.clone());
                let inner = self.inner(&to, thread)?;
                stack.push((inner, 0));
            }
        }
        finished.reverse();
        let at = finished.iter().enumerate().map(|(n, i)| (i.control.clone(), n)).collect();
        Ok(Walk { thread, inner: finished, at })
    }

    fn inner(&mut self, control: &GlobalLocation, thread: ThreadId) -> Result<Inner, Inconclusive> {
        let outcomes = self.encoder.successors(&mut self.terms, control, thread);
        let total = semantics::encoding::is_total(&mut self.terms, &outcomes);
        let with_deeds = outcomes.into_iter().map(|o| {
            let mut deed = self.deed(control, thread, &o);
            deed.may_stop |= !total;
            (o, deed)
        });
        let outcomes: Vec<_> = with_deeds.collect();
        Ok(Inner { control: control.clone(), possible: vec![false; outcomes.len()], outcomes })
    }

    /// 2, 3 and 4: executes a step from one label of a cut point. Notes which outcomes are possible.
    fn execute(
        &mut self,
        start: &GlobalLocation,
        label: Term,
        walk: &mut Walk,
        stops: &FxHashSet<&GlobalLocation>,
        asleep: &[ThreadId],
    ) -> Result<(), Inconclusive> {
        let mut ways: Vec<Vec<(Term, Store)>> = walk.inner.iter().map(|_| Vec::new()).collect();
        let mut ends: FxHashMap<&GlobalLocation, Vec<(Term, Store)>> = FxHashMap::default();
        let constants = self.constants(label);
        let mut fixed: Vec<Symbol> = constants.keys().copied().collect();
        fixed.sort_unstable();
        ways[0].push((self.terms.tt(), constants));
        for (n, inner) in walk.inner.iter_mut().enumerate() {
            let came = std::mem::take(&mut ways[n]);
            if came.is_empty() {
                continue;
            }
            let merged = self.meet(came, &fixed);
            for ((guard, store), (at, (outcome, _))) in
                merged.iter().flat_map(|way| inner.outcomes.iter().enumerate().map(move |o| (way, o)))
            {
                let (condition, after) = self.run(store, &outcome.block);
                let taken = self.terms.and2(*guard, condition);
                if self.terms.as_bool(taken) == Some(false) {
                    continue;
                }
                inner.possible[at] = true;
                let to = walk.at.get(&outcome.control).filter(|_| !stops.contains(&outcome.control));
                match (&outcome.kind, to) {
                    (SuccessorKind::Continue, Some(&to)) if to > n => ways[to].push((taken, after)),
                    (SuccessorKind::Continue, _) => {
                        ends.entry(&outcome.control).or_default().push((taken, after))
                    }
                    (SuccessorKind::Ended, _) => {}
                    (SuccessorKind::Violation(property, _), _) if *property != self.property => {}
                    (kind, _) => {
                        let never = self.terms.ff();
                        let what = || format!("{kind:?} can be reached from {start}");
                        self.implied(&[label, taken], never, &after, what)?;
                    }
                }
            }
        }
        for (control, ways) in ends {
            for (taken, after) in self.meet(ways, &fixed) {
                // Only a stop may be arrived at.
                let post = match stops.contains(control) {
                    true => self.label(control, asleep, &after),
                    false => self.terms.ff(),
                };
                let what = || format!("the label of {control} does not hold after a step from {start}");
                self.implied(&[label, taken], post, &after, what)?;
            }
        }
        Ok(())
    }

    /// Merges ways, but not those that give different constants to the variables `fixed` by the label, unless they are many.
    fn meet(&mut self, ways: Vec<(Term, Store)>, fixed: &[Symbol]) -> Vec<(Term, Store)> {
        let mut alike: BTreeMap<Vec<Option<Term>>, Vec<(Term, Store)>> = BTreeMap::new();
        for way in ways {
            let constant = |x: &Symbol| way.1.get(x).copied().filter(|v| self.terms.as_const(*v).is_some());
            let values = fixed.iter().map(constant).collect();
            alike.entry(values).or_default().push(way);
        }
        let mut groups: Vec<Vec<(Term, Store)>> = alike.into_values().collect();
        if groups.len() > MAX_APART {
            groups = vec![groups.concat()];
        }
        groups.iter().map(|group| self.merge(group)).collect()
    }

    /// The variables that have one value in a label: with these in place, much of a step vanishes.
    fn constants(&self, label: Term) -> Store {
        let mut store = Store::default();
        for part in self.terms.conjuncts(label) {
            if self.terms.op(part) != logic::Op::Eq {
                continue;
            }
            let (a, b) = (self.terms.kid(part, 0), self.terms.kid(part, 1));
            for (x, value) in [(a, b), (b, a)] {
                if let (Some(x), Some(_)) = (self.terms.as_var(x), self.terms.as_const(value)) {
                    store.insert(x, value);
                }
            }
        }
        store
    }

    /// The state where several ways meet.
    fn merge(&mut self, ways: &[(Term, Store)]) -> (Term, Store) {
        if let [(guard, store)] = ways {
            return (*guard, store.clone());
        }
        let symbols: BTreeSet<Symbol> = ways.iter().flat_map(|(_, s)| s.keys().copied()).collect();
        // Which way was taken is a choice of its own, so that ways that can be taken at once lose nothing.
        let came: Vec<Term> = ways.iter().map(|_| self.terms.fresh("came", Sort::Bool)).collect();
        let both = |terms: &mut Terms, n: usize| terms.and2(came[n], ways[n].0);
        let guards: Vec<Term> = (0..ways.len()).map(|n| both(&mut self.terms, n)).collect();
        let mut store = Store::default();
        for symbol in symbols {
            let mut merged = self.terms.var_of(symbol);
            for (n, (_, values)) in ways.iter().enumerate() {
                let value = values.get(&symbol).copied().unwrap_or_else(|| self.terms.var_of(symbol));
                merged = if n == 0 { value } else { self.terms.ite(guards[n], value, merged) };
            }
            store.insert(symbol, merged);
        }
        (self.terms.or(&guards), store)
    }

    fn run(&mut self, store: &Store, commands: &[Cmd]) -> (Term, Store) {
        let mut store = store.clone();
        let mut conditions = Vec::new();
        for cmd in commands {
            match *cmd {
                Cmd::Assume(guard) => conditions.push(self.terms.substitute(guard, &store)),
                Cmd::Assign(x, value) => {
                    let value = self.terms.substitute(value, &store);
                    store.insert(x, value);
                }
                Cmd::Havoc(x) => {
                    let sort = self.terms.sort(self.terms.var_of(x));
                    let any = self.terms.fresh("any", sort);
                    store.insert(x, any);
                }
            }
        }
        (self.terms.and(&conditions), store)
    }

    // ---- threads --------------------------------------------------------------------------------------------

    fn deed(&self, before: &GlobalLocation, thread: ThreadId, outcome: &Successor) -> Deed {
        let after = &outcome.control;
        let memory = |s: &Symbol| {
            matches!(self.encoder.names().name(*s), Some(Name::Cell { .. } | Name::Elements { .. }))
        };
        let mut deed = Deed::default();
        for cmd in &outcome.block {
            match *cmd {
                Cmd::Assume(guard) => {
                    deed.reads.extend(self.terms.free_vars(guard).into_iter().filter(memory))
                }
                Cmd::Assign(x, value) => {
                    deed.reads.extend(self.terms.free_vars(value).into_iter().filter(memory));
                    deed.writes.extend(
                        Some(x)
                            .filter(memory)
                            .filter(|x| !is_new(self.encoder.names().name(*x), before, after, thread)),
                    );
                }
                Cmd::Havoc(x) => {
                    deed.writes.extend(
                        Some(x)
                            .filter(memory)
                            .filter(|x| !is_new(self.encoder.names().name(*x), before, after, thread)),
                    );
                }
            }
        }
        let others = |c: &GlobalLocation| -> Vec<_> {
            c.threads.iter().filter(|t| t.id != thread).map(|t| (t.id, t.is_finished(), t.detached)).collect()
        };
        let at = before.thread(thread).expect("a thread that moves should be in the control").top();
        let action = &self.program.functions[at.func].locations[at.loc].action;
        let ops: &[Op] = if let Action::Ops { ops, .. } = action { ops } else { &[] };
        let ends = match &outcome.kind {
            SuccessorKind::Ended => true,
            SuccessorKind::Violation(property, _) => *property != self.property,
            _ => false,
        };
        deed.concerns_threads =
            others(before) != others(after) || is_about_threads(self.program, before, thread) || ends;
        deed.may_stop = ops.iter().any(|op| op.can_block() || matches!(op, Op::Assume(_)));
        deed.in_section = before.atomic.is_some() || after.atomic.is_some();
        deed.alone = n_alive(before) == 1;
        deed.makes_company = deed.alone && n_alive(after) > 1;
        deed
    }

    /// 5. Nobody can tell a step from its one loud action.
    fn steps_are_steps(&self) -> Result<(), Inconclusive> {
        let mut users: FxHashMap<Symbol, FxHashSet<ThreadId>> = FxHashMap::default();
        let mut writers: FxHashSet<Symbol> = FxHashSet::default();
        for walk in &self.walks {
            for (_, deed) in walk.inner.iter().flat_map(Inner::possible_outcomes).filter(|(_, d)| !d.alone) {
                for symbol in deed.reads.iter().chain(&deed.writes) {
                    users.entry(*symbol).or_default().insert(walk.thread);
                }
                writers.extend(&deed.writes);
            }
        }
        let contended = |s: &Symbol| writers.contains(s) && users.get(s).is_some_and(|u| u.len() > 1);
        self.walks.iter().try_for_each(|walk| self.is_step(walk, &contended))
    }

    fn is_step(&self, walk: &Walk, contended: &dyn Fn(&Symbol) -> bool) -> Result<(), Inconclusive> {
        // For each control the ways to come there: whether the step has acted, and whether it is in a section.
        let mut ways: Vec<BTreeSet<(bool, bool)>> = vec![BTreeSet::new(); walk.inner.len()];
        ways[0].insert((false, false));
        for n in 0..walk.inner.len() {
            for (outcome, deed) in walk.inner[n].possible_outcomes() {
                let touched = deed.reads.iter().chain(&deed.writes).find(|s| contended(s));
                let loud = touched.is_some() || deed.concerns_threads;
                for (acted, was_in_section) in ways[n].clone() {
                    let same_section = deed.in_section && was_in_section;
                    let quiet = !loud && !deed.may_stop && !deed.in_section;
                    demand(!acted || deed.alone || same_section || quiet, || {
                        let what = touched.map_or("what it does", |s| self.terms.name(*s));
                        format!("a step of {} is more than one, because of {what}", walk.thread)
                    })?;
                    let acts = if deed.alone { deed.makes_company } else { loud || deed.in_section };
                    if let Some(&to) =
                        walk.at.get(&outcome.control).filter(|_| outcome.kind == SuccessorKind::Continue)
                        && to > n
                    {
                        ways[to].insert((acted || acts, deed.in_section));
                    }
                }
            }
        }
        Ok(())
    }
}

/// How many threads have actions left.
fn n_alive(control: &GlobalLocation) -> usize {
    control.threads.iter().filter(|t| !t.is_finished()).count()
}

/// Whether the thread's next action makes threads or waits for them.
fn is_about_threads(program: &Program, control: &GlobalLocation, thread: ThreadId) -> bool {
    let Some(state) = control.thread(thread).filter(|t| !t.is_finished()) else { return false };
    let at = state.top();
    let action = &program.functions[at.func].locations[at.loc].action;
    let ops: &[Op] = if let Action::Ops { ops, .. } = action { ops } else { &[] };
    ops.iter().any(|op| matches!(op, Op::Create { .. } | Op::Join { .. } | Op::Detach { .. }))
}
