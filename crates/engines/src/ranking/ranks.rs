//! Ranks: numbers that fall along infinite executions, component by component.
//!
//! The graph of transactions (see `certify`, module `ranks`) is cut up greedily: of each strongly connected component's candidates the first one that rises on no
//! arc and falls on some arc is taken, and the arcs on which it falls go. What is left is cut into components again. Greed loses nothing: an arc that is
//! gone needs no rank any more. A component without a candidate may be one that a thread cannot stay out of ([`Stage::Fairness`]).
//!
//! Candidates are guessed ([`crate::common::ranking`]) and filtered by *samples*, executions of two transactions that the solver found; what passes all
//! samples is checked by the solver, whose counterexamples are further samples.

use super::Bounds;
use crate::common::ranking::{Candidate, Templates, Transitions, distances, far_below_zero, find_ranking};
use crate::houdini::{Facts, Graph};
use base::{Inconclusive, scc::cyclic_components};
use evidence::{Stage, TransactionId};
use logic::path::{SymbolicStore, with_equals};
use logic::{Answer, Model, Solver, Symbol, Term, Width};
use program::interp::ThreadId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Two transactions, one after the other.
pub(super) struct Pair {
    /// When they can be taken.
    pub(super) conditions: Vec<Term>,
    /// The state before them: equals have one name.
    before: SymbolicStore,
    /// The state between them.
    between: SymbolicStore,
}

/// The search for ranks.
pub(super) struct Ranks<'g, 'p> {
    pub(super) graph: &'g mut Graph<'p>,
    pub(super) facts: &'g Facts,
    bounds: Bounds,
    /// The numbers of controls in the proof: those that are reached.
    places: Vec<usize>,
    /// What is left of the arcs.
    pub(super) arcs: Vec<Vec<usize>>,
    pairs: FxHashMap<(usize, usize), Rc<Pair>>,
    samples: FxHashMap<(usize, usize), Vec<Model>>,
    pub(super) stages: Vec<Stage<Term>>,
    /// Number of ranking functions that the solver checked.
    pub(super) n_queries: u64,
}

/// Maximum number of candidates of one component that the solver checks.
const MAX_QUERIES: u64 = 300;

impl<'g, 'p> Ranks<'g, 'p> {
    pub(super) fn new(graph: &'g mut Graph<'p>, facts: &'g Facts, bounds: Bounds) -> Self {
        let mut n_reached = 0;
        let mut places = Vec::new();
        for fact in facts {
            places.push(n_reached);
            n_reached += usize::from(fact.is_some());
        }
        let reached = |n: &usize| facts[graph.transactions[*n].from].is_some();
        let next =
            |n: usize| graph.starting[graph.transactions[n].to].iter().copied().filter(reached).collect();
        let arcs =
            (0..graph.transactions.len()).map(|n| if reached(&n) { next(n) } else { Vec::new() }).collect();
        Self {
            graph,
            facts,
            bounds,
            places,
            arcs,
            pairs: FxHashMap::default(),
            samples: FxHashMap::default(),
            stages: Vec::new(),
            n_queries: 0,
        }
    }

    /// Cuts the graph up; the components for which nothing was found.
    pub(super) fn cut(&mut self) -> Result<Vec<Vec<usize>>, Inconclusive> {
        self.possible_arcs()?;
        let mut stuck = Vec::new();
        let mut open = self.components();
        while let Some(component) = open.pop() {
            self.graph.limits.budget.check()?;
            if self.rank(&component)? || self.idle(&component)? {
                open.extend(self.components_of(&component));
            } else {
                stuck.push(component);
            }
        }
        Ok(stuck)
    }

    pub(super) fn components(&self) -> Vec<Vec<usize>> {
        cyclic_components(self.arcs.len(), |n| self.arcs[n].clone())
    }

    fn components_of(&self, component: &[usize]) -> Vec<Vec<usize>> {
        let place = |n: &usize| component.binary_search(n).ok();
        let inside = |n: usize| self.arcs[component[n]].iter().filter_map(place).collect();
        let found = cyclic_components(component.len(), inside);
        found.into_iter().map(|part| part.into_iter().map(|n| component[n]).collect()).collect()
    }

    /// The arcs inside a component.
    pub(super) fn arcs_of(&self, component: &[usize]) -> Vec<(usize, usize)> {
        let inside = |n: &&usize| component.binary_search(n).is_ok();
        let arcs = |n: &usize| self.arcs[*n].iter().filter(inside).map(|m| (*n, *m)).collect::<Vec<_>>();
        component.iter().flat_map(arcs).collect()
    }

    /// What is known before a transaction is taken, spurious wake-ups aside.
    pub(super) fn before(&mut self, n: usize) -> Vec<Term> {
        let (from, thread) = (self.graph.transactions[n].from, self.graph.transactions[n].thread);
        let mut known = self.facts[from].clone().unwrap_or_default();
        known.extend(self.graph.woken(from, thread));
        known
    }

    pub(super) fn pair(&mut self, (first, second): (usize, usize)) -> Rc<Pair> {
        if let Some(pair) = self.pairs.get(&(first, second)) {
            return Rc::clone(pair);
        }
        let known = self.before(first);
        let after = self.before(second);
        let (first_edge, second_edge) = (
            Rc::clone(&self.graph.transactions[first].edge),
            Rc::clone(&self.graph.transactions[second].edge),
        );
        let terms = &mut self.graph.terms;
        let (before, mut conditions) = with_equals(terms, &known);
        let mut store = before.clone();
        conditions.extend(store.run(terms, &first_edge.block));
        let between = store.clone();
        for known in after {
            conditions.push(between.apply(terms, known));
        }
        conditions.extend(store.run(terms, &second_edge.block));
        let pair = Rc::new(Pair { conditions, before, between });
        self.pairs.insert((first, second), Rc::clone(&pair));
        pair
    }

    /// Takes the arcs away that cannot be taken; each other one has a sample.
    fn possible_arcs(&mut self) -> Result<(), Inconclusive> {
        for component in self.components() {
            for arc in self.arcs_of(&component) {
                let pair = self.pair(arc);
                if !self.asks(arc, &pair.conditions)? && !self.samples.contains_key(&arc) {
                    self.arcs[arc.0].retain(|n| *n != arc.1);
                }
            }
        }
        Ok(())
    }

    /// Returns true if the conditions can hold (or the solver gave up); the execution is a sample of the arc.
    fn asks(&mut self, arc: (usize, usize), conditions: &[Term]) -> Result<bool, Inconclusive> {
        let Graph { solver, terms, limits, .. } = &mut *self.graph;
        limits.budget.check()?;
        match solver.check(terms, conditions, limits)? {
            Answer::Unsat(_) => Ok(false),
            Answer::Unknown => Ok(true),
            Answer::Sat(model) => {
                self.samples.entry(arc).or_default().push(model);
                Ok(true)
            }
        }
    }

    /// Looks for a rank that rises nowhere in a component and falls somewhere.
    fn rank(&mut self, component: &[usize]) -> Result<bool, Inconclusive> {
        let arcs = self.arcs_of(component);
        let templates = self.templates(component);
        let (n_own, mut n_queries) = (arcs.len(), self.n_queries);
        let found = find_ranking(
            &mut Arcs { ranks: self, arcs: &arcs },
            &templates,
            n_own,
            (MAX_QUERIES, &mut n_queries),
        );
        self.n_queries = n_queries;
        found
    }

    /// By how much each template falls on the samples of an arc, from the given one on.
    fn changes(&mut self, arc: (usize, usize), templates: &Templates, skip: usize) -> Vec<Vec<i128>> {
        let pair = self.pair(arc);
        let terms = &mut self.graph.terms;
        let before: Vec<Term> = templates.terms.iter().map(|t| pair.before.apply(terms, *t)).collect();
        let after: Vec<Term> = templates.terms.iter().map(|t| pair.between.apply(terms, *t)).collect();
        let samples = self.samples.get(&arc).into_iter().flatten().skip(skip);
        templates.decreases(terms, (&before, &after), samples)
    }

    /// Templates of the variables that a component changes, and of what its conditions compare.
    fn templates(&mut self, component: &[usize]) -> Templates {
        let mut changed: FxHashSet<Symbol> = FxHashSet::default();
        let mut live: FxHashSet<Symbol> = FxHashSet::default();
        let mut conditions = Vec::new();
        for &n in component {
            let transaction = self.graph.transactions[n].clone();
            live.extend(self.graph.scalars(transaction.from));
            let terms = &mut self.graph.terms;
            let mut store = SymbolicStore::default();
            conditions.extend(store.run(terms, &transaction.edge.block));
            let new = store.values().iter().filter(|(s, value)| terms.var_of(**s) != **value);
            changed.extend(new.map(|(s, _)| *s));
        }
        let mut changed: Vec<Symbol> = changed.intersection(&live).copied().collect();
        changed.sort();
        let distances = distances(&self.graph.terms, &conditions);
        Templates::new(&mut self.graph.terms, &changed, distances)
    }

    /// Asks the solver about a candidate; takes the arcs away on which it falls, if it rises nowhere.
    fn try_rank(
        &mut self,
        arcs: &[(usize, usize)],
        templates: &Templates,
        candidate: &Candidate,
    ) -> Result<bool, Inconclusive> {
        let rank = templates.term(&mut self.graph.terms, candidate);
        let mut falling = Vec::new();
        for &arc in arcs {
            let pair = self.pair(arc);
            let now = pair.before.apply(&mut self.graph.terms, rank);
            let then = pair.between.apply(&mut self.graph.terms, rank);
            let (stays, rises) = (self.graph.terms.sle(now, then), self.graph.terms.slt(now, then));
            let mut conditions = pair.conditions.clone();
            conditions.push(stays);
            if !self.asks(arc, &conditions)? && self.is_bounded(&pair, now, templates.width)? {
                falling.push(arc);
                continue;
            }
            conditions.pop();
            conditions.push(rises);
            if self.asks(arc, &conditions)? {
                return Ok(false);
            }
        }
        if falling.is_empty() {
            return Ok(false);
        }
        let mut transactions: Vec<usize> = arcs.iter().flat_map(|(a, b)| [*a, *b]).collect();
        transactions.sort_unstable();
        transactions.dedup();
        self.stages
            .push(Stage::Ranking(transactions.into_iter().map(|n| (self.transaction_id(n), rank)).collect()));
        for (first, second) in falling {
            self.arcs[first].retain(|n| *n != second);
        }
        Ok(true)
    }

    /// Returns true if a rank cannot be far below zero before the first of two transactions.
    fn is_bounded(&mut self, pair: &Pair, now: Term, width: Width) -> Result<bool, Inconclusive> {
        if self.bounds == Bounds::Widths {
            return Ok(true);
        }
        let Graph { solver, terms, limits, .. } = &mut *self.graph;
        let far = far_below_zero(terms, width);
        let mut conditions = pair.conditions.clone();
        conditions.push(terms.slt(now, far));
        Ok(solver.core(terms, &conditions, limits)?.is_some())
    }

    fn transaction_id(&self, n: usize) -> TransactionId {
        let transaction = &self.graph.transactions[n];
        TransactionId {
            location: self.places[transaction.from],
            thread: transaction.thread,
            transaction: transaction.index,
        }
    }

    /// Looks for a thread that never moves in a component, although it is able to.
    fn idle(&mut self, component: &[usize]) -> Result<bool, Inconclusive> {
        let movers: FxHashSet<ThreadId> =
            component.iter().map(|n| self.graph.transactions[*n].thread).collect();
        let at = self.graph.controls[self.graph.transactions[component[0]].from];
        let others = self.graph.edges.control(at).threads.iter().map(|t| t.id);
        let others: Vec<ThreadId> = others.filter(|t| !movers.contains(t)).collect();
        for thread in others {
            let mut gone = FxHashSet::default();
            for &n in component {
                if self.is_able(thread, n)? {
                    gone.insert(n);
                }
            }
            if gone.is_empty() {
                continue;
            }
            for n in component {
                let keep = |m: &usize| !gone.contains(m) && !gone.contains(n);
                self.arcs[*n].retain(keep);
            }
            self.stages.push(Stage::Fairness(thread));
            return Ok(true);
        }
        Ok(false)
    }

    /// Returns true if a thread is able to move whenever a transaction is taken.
    fn is_able(&mut self, thread: ThreadId, n: usize) -> Result<bool, Inconclusive> {
        let from = self.graph.transactions[n].from;
        let control = self.graph.edges.control(self.graph.controls[from]);
        if !control.movable().any(|t| t == thread) {
            return Ok(false);
        }
        let Some(moves) = self.graph.moves(from, thread) else { return Ok(true) };
        let mut conditions = self.before(n);
        let edge = Rc::clone(&self.graph.transactions[n].edge);
        let Graph { solver, terms, limits, .. } = &mut *self.graph;
        conditions.extend(SymbolicStore::default().run(terms, &edge.block));
        conditions.push(terms.not(moves));
        Ok(solver.core(terms, &conditions, limits)?.is_some())
    }
}

/// Arcs of a component, of which a ranking function is wanted.
struct Arcs<'r, 'g, 'p> {
    ranks: &'r mut Ranks<'g, 'p>,
    arcs: &'r [(usize, usize)],
}

impl Transitions for Arcs<'_, '_, '_> {
    fn n_samples(&self) -> Vec<usize> {
        self.arcs.iter().map(|arc| self.ranks.samples.get(arc).map_or(0, Vec::len)).collect()
    }

    fn decreases(&mut self, at: usize, templates: &Templates, skip: usize) -> Vec<Vec<i128>> {
        self.ranks.changes(self.arcs[at], templates, skip)
    }

    fn accept(&mut self, templates: &Templates, candidate: &Candidate) -> Result<bool, Inconclusive> {
        self.ranks.try_rank(self.arcs, templates, candidate)
    }
}
