//! Checks labels of cut points: the proof that UFO hands over.
//!
//! # What is claimed
//! For some global locations, the *cut points*, labels: what holds whenever the threads are there. For each of them and each thread that can move
//! there, the locations where the thread *stops* when it moves: all that it does between two cut points is one transaction.
//!
//! # What is checked, in this order
//! 1. The initial state satisfies its label.
//! 2. **Transactions are complete**: executing a thread from a cut point, every execution arrives at one of its stops, or ends in some
//!    other way. What does not, because it loops or because the thread has ended, cannot be reached.
//! 3. **Labels are inductive**: a state in a label of a cut point, and a transaction from there, lead into a label of the stop. Where a
//!    stop has no label, it cannot be reached.
//! 4. **No error**: from no label an execution of a transaction violates the property, or does something undefined.
//! 5. **Atomicity**: every transaction has [at most one visible action](crate::effect).
//! 6. **Sleep sets**: after a transaction of `t` only threads are in the sleep set that were in it before or move before `t` (threads move in the order of
//!    their numbers) and whose transaction is independent of that of `t` ([`sleep`]). What holds after the transaction is in the label of a point whose
//!    sleep set is no larger than this allows. A thread's transaction is the same wherever the others are (one that concerns threads: as long as no thread
//!    starts or ends). The initial state is in a point with an empty sleep set.
//!
//! By induction over the number of transactions every reachable state at a cut point is in one of its labels. That executions in which transactions are not
//! interrupted reach every error that any execution reaches is 5; that of executions that differ in the order of independent transactions one is followed is 6.
//!
//! # How
//! The locations between two cut points are sorted topologically and executed symbolically, once each: where paths meet, the guards are disjoined
//! and the values merged; a fresh truth value for each path says which of them was taken, should several be possible at once.
//!
//! A cut point may have several labels, one for each *trace partition*: then some of them holds there. Each is checked on its own, with the constants that
//! it gives to variables substituted, which leaves little of a transaction; paths that give these variables different constants are not merged.

mod sleep;

use crate::CheckedSolver;
use crate::demand;
use crate::effect::{
    ActionEffect, GraphAction, Observer, TransactionGraph, at_most_one_visible_action, n_alive,
};
use crate::transactions::{location, locations_are_distinct};
use base::{Budget, Inconclusive};
use evidence::{CutPoint, CutProof, Locations, Rebuilt};
use logic::path::Cmd;
use logic::{Limits, Solver, Sort, Symbol, Term, Terms};
use program::interp::ThreadId;
use program::{Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::encoding::{Encoder, GlobalLocation, Successor, SuccessorKind, is_total};
use sleep::{Footprint, KnownTransactions};
use std::collections::{BTreeMap, BTreeSet};

type Store = FxHashMap<Symbol, Term>;

/// A location inside a transaction: the successors of the thread's next action there, with their effects.
struct Inner {
    location: GlobalLocation,
    successors: Vec<(Successor, ActionEffect)>,
    /// Which of them are possible, as far as plain evaluation can tell.
    possible: Vec<bool>,
}

/// All locations that the transactions of a thread from a cut point pass, in topological order.
struct Walk {
    thread: ThreadId,
    inner: Vec<Inner>,
    /// The number of each location.
    at: FxHashMap<GlobalLocation, usize>,
}

/// A label of a location.
struct Label<'a> {
    sleep_set: &'a [ThreadId],
    /// The variables that have one value in it.
    constants: Store,
    holds: Term,
}

/// The locations where a thread stops next.
type Stops<'a> = FxHashSet<&'a GlobalLocation>;

struct Checker<'a, 'p> {
    observer: Observer<'p>,
    locations: &'a Locations,
    encoder: Encoder<'p>,
    terms: Terms,
    solver: CheckedSolver,
    limits: Limits,
    labels: FxHashMap<&'a GlobalLocation, Vec<Label<'a>>>,
    /// True if some sleep set is not empty; and what is known of transactions then.
    uses_sleep_sets: bool,
    known: KnownTransactions<'a>,
    graphs: Vec<TransactionGraph>,
}

/// Maximum number of paths into one location that are executed one by one.
const MAX_APART: usize = 1_000;

/// Checks that `proof` proves `property` of `program`.
pub(crate) fn check(
    program: &Program,
    property: Property,
    proof: &CutProof,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    locations_are_distinct(&proof.locations)?;
    let names: FxHashSet<_> = proof.points.iter().map(|p| (p.location, &p.sleep_set)).collect();
    demand(names.len() == proof.points.len(), || "a location has two labels".to_owned())?;
    let mut checker = Checker {
        observer: Observer::new(program, property),
        locations: &proof.locations,
        encoder: Encoder::with_identities(&semantics::Analysis::of(program), &proof.identities)?
            .checking(property),
        terms: Terms::new(),
        solver: CheckedSolver::new(),
        limits: Limits::of(budget),
        labels: FxHashMap::default(),
        uses_sleep_sets: proof.points.iter().any(|p| !p.sleep_set.is_empty()),
        known: KnownTransactions::default(),
        graphs: Vec::new(),
    };
    let (start, init) = checker.encoder.initial(&mut checker.terms)?;
    // Walks come first: they meet the variables that labels are about.
    let mut walks = Vec::with_capacity(proof.points.len());
    for point in &proof.points {
        walks.push(checker.walks(point)?);
    }
    let formulas = proof.formulas.rebuild(&mut checker.terms).map_err(Inconclusive::CheckFailed)?;
    checker.read_labels(&proof.points, &formulas)?;
    checker.initial(&start, &init)?;
    for (point, walks) in proof.points.iter().zip(walks) {
        budget.check()?;
        checker.point(point, walks, &formulas)?;
    }
    at_most_one_visible_action(&checker.graphs, &checker.terms)
}

impl<'a> Checker<'a, '_> {
    fn read_labels(&mut self, points: &'a [CutPoint], formulas: &Rebuilt) -> Result<(), Inconclusive> {
        for point in points {
            let at = location(self.locations, point.location)?;
            for label in labels_of(point, formulas)? {
                let constants = self.constants(label);
                let label = Label { sleep_set: &point.sleep_set, constants, holds: label };
                self.labels.entry(at).or_default().push(label);
            }
        }
        Ok(())
    }

    fn initial(&mut self, start: &GlobalLocation, init: &[Cmd]) -> Result<(), Inconclusive> {
        let (guard, store) = self.run(&Store::default(), init);
        let label = self.label(start, &[], &store);
        self.implied(&[guard], label, &store, || "the initial state is not in its label".to_owned())
    }

    /// What holds at a location where the sleep set has at most these threads. Labels that contradict the constants of a state can be left out.
    fn label(&mut self, location: &GlobalLocation, sleep_set: &[ThreadId], after: &Store) -> Term {
        let labels = self.labels.get(location).into_iter().flatten();
        let terms = &self.terms;
        let agrees = |x: &Symbol, value: Term| {
            after.get(x).is_none_or(|v| *v == value || terms.as_const(*v).is_none())
        };
        let fits = |constants: &Store| constants.iter().all(|(x, value)| agrees(x, *value));
        let is_no_larger = |label: &Label| label.sleep_set.iter().all(|z| sleep_set.contains(z));
        let fitting = labels.filter(|l| fits(&l.constants) && is_no_larger(l)).map(|l| l.holds);
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

    /// Where a thread stops next.
    fn stops(&self, point: &CutPoint, thread: ThreadId) -> Result<Stops<'a>, Inconclusive> {
        let stops = point.stops.iter().filter(|(t, _)| *t == thread).flat_map(|(_, stops)| stops);
        stops.map(|id| Ok(&**location(self.locations, *id)?)).collect()
    }

    /// The walks of all threads that can move at a cut point: first those of the sleep set, then the others.
    fn walks(&mut self, point: &'a CutPoint) -> Result<Vec<(Walk, Stops<'a>)>, Inconclusive> {
        let start = location(self.locations, point.location)?;
        for thread in &point.sleep_set {
            let moves = start.movable().any(|t| t == *thread);
            demand(moves, || format!("{thread} is in the sleep set at {start}, but cannot move"))?;
        }
        let others = start.movable().filter(|t| !point.sleep_set.contains(t));
        let mut walks = Vec::new();
        for thread in point.sleep_set.iter().copied().chain(others) {
            let stops = self.stops(point, thread)?;
            walks.push((self.walk(start, thread, &stops)?, stops));
        }
        Ok(walks)
    }

    /// 2, 3, 4 and 6 for one cut point.
    fn point(
        &mut self,
        point: &'a CutPoint,
        walks: Vec<(Walk, Stops<'a>)>,
        formulas: &Rebuilt,
    ) -> Result<(), Inconclusive> {
        let start = location(self.locations, point.location)?;
        let labels = labels_of(point, formulas)?;
        // The threads of the sleep set and those that moved before, with what their transactions may do.
        let mut before: Vec<(ThreadId, Footprint)> = Vec::new();
        for (n, (mut walk, stops)) in walks.into_iter().enumerate() {
            let footprint = self.footprint(&walk, &stops);
            self.is_the_same_everywhere(start, walk.thread, &footprint, &stops)?;
            if n >= point.sleep_set.len() {
                let n_alive = n_alive(start);
                let still = before.iter().filter(|(_, other)| other.is_independent_of(&footprint, n_alive));
                let sleep_set: Vec<ThreadId> = still.map(|(z, _)| *z).collect();
                for &label in &labels {
                    self.limits.budget.check()?;
                    self.execute(start, label, &mut walk, &stops, &sleep_set)?;
                }
                self.graphs.push(graph(&walk));
            }
            before.push((walk.thread, footprint));
        }
        Ok(())
    }

    /// 2. The locations of a transaction, in an order in which only loops lead backwards, by depth-first search.
    fn walk(
        &mut self,
        start: &GlobalLocation,
        thread: ThreadId,
        stops: &Stops<'_>,
    ) -> Result<Walk, Inconclusive> {
        let mut finished: Vec<Inner> = Vec::new();
        let mut seen: FxHashSet<GlobalLocation> = FxHashSet::default();
        seen.insert(start.clone());
        let mut stack = vec![(self.inner(start, thread), 0usize)];
        while let Some((inner, next)) = stack.pop() {
            self.limits.budget.check()?;
            let Some((successor, _)) = inner.successors.get(next) else {
                finished.push(inner);
                continue;
            };
            let to = &successor.control;
            let continues = successor.kind == SuccessorKind::Continue && !stops.contains(to);
            let alive = to.thread(thread).is_some_and(|t| !t.is_finished());
            let to = (continues && alive && !seen.contains(to)).then(|| to.clone());
            stack.push((inner, next + 1));
            if let Some(to) = to {
                stack.push((self.inner(&to, thread), 0));
                seen.insert(to);
            }
        }
        finished.reverse();
        let at = finished.iter().enumerate().map(|(n, i)| (i.location.clone(), n)).collect();
        Ok(Walk { thread, inner: finished, at })
    }

    fn inner(&mut self, location: &GlobalLocation, thread: ThreadId) -> Inner {
        let successors = self.encoder.successors(&mut self.terms, location, thread);
        let total = is_total(&mut self.terms, &successors);
        let context = (&self.encoder, &self.terms);
        let with_effect = |successor: Successor| {
            let effect = self.observer.effect(context, location, thread, &successor, total);
            (successor, effect)
        };
        let successors: Vec<_> = successors.into_iter().map(with_effect).collect();
        Inner { location: location.clone(), possible: vec![false; successors.len()], successors }
    }

    /// 2, 3 and 4: executes the transactions of a thread from one label of a cut point. Notes which successors are possible.
    fn execute(
        &mut self,
        start: &GlobalLocation,
        label: Term,
        walk: &mut Walk,
        stops: &Stops<'_>,
        sleep_set: &[ThreadId],
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
                merged.iter().flat_map(|way| inner.successors.iter().enumerate().map(move |o| (way, o)))
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
                    (kind, _) if self.observer.is_harmless(kind) => {}
                    (kind, _) => {
                        let never = self.terms.ff();
                        let what = || format!("{kind:?} can be reached from {start}");
                        self.implied(&[label, taken], never, &after, what)?;
                    }
                }
            }
        }
        for (location, ways) in ends {
            for (taken, after) in self.meet(ways, &fixed) {
                // Only a stop may be arrived at.
                let post = match stops.contains(location) {
                    true => self.label(location, sleep_set, &after),
                    false => self.terms.ff(),
                };
                let what =
                    || format!("the label of {location} does not hold after a transaction from {start}");
                self.implied(&[label, taken], post, &after, what)?;
            }
        }
        Ok(())
    }

    /// Merges paths, but not those that give different constants to the variables `fixed` by the label, unless there are too many.
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

    /// The variables that have one value in a label: with these substituted, little of a transaction is left.
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

    /// The state where several paths meet.
    fn merge(&mut self, ways: &[(Term, Store)]) -> (Term, Store) {
        if let [(guard, store)] = ways {
            return (*guard, store.clone());
        }
        let symbols: BTreeSet<Symbol> = ways.iter().flat_map(|(_, s)| s.keys().copied()).collect();
        // Which path was taken is an input of its own, so that paths that can be taken at once lose nothing.
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
}

/// The labels of a cut point.
fn labels_of(point: &CutPoint, formulas: &Rebuilt) -> Result<Vec<Term>, Inconclusive> {
    let labels = point.labels.iter().map(|id| formulas.get(*id).map_err(Inconclusive::CheckFailed));
    labels.collect()
}

/// The actions that the labels allow, for the check of atomicity. Those that lead backwards cannot be taken.
fn graph(walk: &Walk) -> TransactionGraph {
    let mut actions = Vec::new();
    for (from, inner) in walk.inner.iter().enumerate() {
        let possible = inner.successors.iter().zip(&inner.possible).filter(|(_, possible)| **possible);
        for ((successor, effect), _) in possible {
            let to = walk.at.get(&successor.control).copied();
            let to = to.filter(|to| successor.kind == SuccessorKind::Continue && *to > from);
            actions.push(GraphAction { from, to, effect: effect.clone() });
        }
    }
    TransactionGraph { thread: walk.thread, n_positions: walk.inner.len(), actions }
}
