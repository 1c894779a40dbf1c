//! Checks a proof of termination: invariants, and ranking functions that decrease.
//!
//! # What is claimed
//! [Invariants](crate::invariants) of the global locations, and *stages*. The graph that the stages take apart has the transactions of threads for nodes, and
//! an arc from a transaction to each one that can be taken right after it. An infinite execution is an infinite path through it, which from some point on stays
//! in one strongly connected component. A stage removes arcs that no fair execution takes infinitely often:
//!
//! - [`Stage::Ranking`]: a number for each transaction of a component, computed from the state before it (a bit-vector, compared as a signed
//!   number). On no arc of the component does it increase. Then the arcs on which it decreases are taken finitely often: there are only
//!   finitely many numbers.
//! - [`Stage::Fairness`]: in a component in which a thread never moves, the transactions before which that thread is able to move cannot be
//!   taken infinitely often by a fair execution (SOUNDNESS: A25).
//!
//! In the end no cycle is left.
//!
//! # What is checked
//! 1. The invariants, as for deadlocks: no transaction is undefined, no thread is blocked in the middle of a transaction, some thread can always move.
//! 2. Every arc of a component in a stage: whether it can be taken, whether the ranking function increases, whether it decreases. Spurious wake-ups happen
//!    finitely often, so that the first of two transactions may be assumed to be none.
//!
//! A lexicographic order of ranking functions, one for each component of what the last one left, is what Alias, Darte, Feautrier and Gonnord (*Multi-dimensional
//! rankings, program termination, and complexity bounds of flowchart programs*, SAS 2010) synthesise. It needs no transitive closure, unlike a union of
//! well-founded relations (Podelski and Rybalchenko, *Transition invariants*, LICS 2004). That ranking functions are bounded costs
//! nothing here, because integers are bit-vectors; that they *decrease* does: nothing may wrap around.

use crate::transactions::CheckedProduct;
use crate::{demand, failed, invariants};
use base::{Budget, Inconclusive, scc::cyclic_components};
use evidence::{FormulaId, LocationId, RankingProof, Stage, TransactionId};
use logic::path::{Cmd, SymbolicStore, with_equals};
use logic::{Solver, Term};
use program::interp::ThreadId;
use program::{Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The graph of transactions, as far as it is left.
struct Graph<'a, 'p> {
    proof: &'a RankingProof,
    checked: CheckedProduct<'a, 'p>,
    transactions: Vec<TransactionId>,
    /// What each of them does to the data.
    blocks: Vec<Rc<[Cmd]>>,
    /// The arcs left.
    arcs: Vec<Vec<usize>>,
}

pub(crate) fn check(
    program: &Program,
    property: Property,
    proof: &RankingProof,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    demand(property == Property::Termination, || {
        format!("ranking functions prove nothing about {property}")
    })?;
    let checked = invariants::check(program, property, &proof.invariants, budget)?;
    let mut graph = Graph::new(proof, checked)?;
    graph.possible_arcs()?;
    for stage in &proof.stages {
        match stage {
            Stage::Ranking(values) => graph.ranking(values)?,
            Stage::Fairness(thread) => graph.fairness(*thread)?,
        }
    }
    demand(graph.components().is_empty(), || "an infinite execution is left".to_owned())
}

impl<'a, 'p> Graph<'a, 'p> {
    /// All transactions, and an arc wherever one begins where another one ends.
    fn new(proof: &'a RankingProof, checked: CheckedProduct<'a, 'p>) -> Result<Self, Inconclusive> {
        let labels = &proof.invariants.labels;
        let number: FxHashMap<LocationId, usize> =
            labels.iter().enumerate().map(|(n, (at, _))| (*at, n)).collect();
        let (mut transactions, mut blocks, mut ends) = (Vec::new(), Vec::new(), Vec::new());
        let mut starting = vec![Vec::new(); labels.len()];
        for (location, (at, _)) in labels.iter().enumerate() {
            for thread in checked.location(*at)?.movable() {
                let Some(here) = checked.blocks(*at, thread) else { continue };
                for (transaction, (block, end)) in here.taken.iter().enumerate() {
                    // A location without labels is unreachable, as the invariants say.
                    let Some(end) = number.get(end) else { continue };
                    starting[location].push(transactions.len());
                    transactions.push(TransactionId { location, thread, transaction });
                    blocks.push(Rc::from(&block[..]));
                    ends.push(*end);
                }
            }
        }
        let arcs = ends.iter().map(|end: &usize| starting[*end].clone()).collect();
        Ok(Graph { proof, checked, transactions, blocks, arcs })
    }

    fn components(&self) -> Vec<Vec<usize>> {
        cyclic_components(self.transactions.len(), |n| self.arcs[n].clone())
    }

    /// What holds before a transaction that is taken, spurious wake-ups aside.
    fn before(&mut self, n: usize) -> Result<Vec<Term>, Inconclusive> {
        let TransactionId { location, thread, .. } = self.transactions[n];
        let (at, labels) = &self.proof.invariants.labels[location];
        let labels: Result<Vec<Term>, _> = labels.iter().map(|id| self.checked.formula(*id)).collect();
        let at = self.checked.location(*at)?;
        let CheckedProduct { encoder, terms, .. } = &mut self.checked;
        let label = terms.or(&labels?);
        let mut known = terms.conjuncts(label);
        known.extend(encoder.woken(terms, &at, thread));
        Ok(known)
    }

    /// The conditions under which a transaction is taken and then another one, and the states before and between.
    fn both(&mut self, first: usize, second: usize) -> Result<(Vec<Term>, [SymbolicStore; 2]), Inconclusive> {
        let known = self.before(first)?;
        let then = self.before(second)?;
        let terms = &mut self.checked.terms;
        let (before, mut conditions) = with_equals(terms, &known);
        let mut store = before.clone();
        conditions.extend(store.run(terms, &self.blocks[first]));
        let between = store.clone();
        for known in then {
            conditions.push(between.apply(terms, known));
        }
        conditions.extend(store.run(terms, &self.blocks[second]));
        Ok((conditions, [before, between]))
    }

    fn impossible(&mut self, conditions: &[Term]) -> Result<bool, Inconclusive> {
        let CheckedProduct { solver, terms, limits, .. } = &mut self.checked;
        limits.budget.check()?;
        Ok(solver.core(terms, conditions, limits)?.is_some())
    }

    /// Removes the arcs of components that cannot be taken.
    fn possible_arcs(&mut self) -> Result<(), Inconclusive> {
        for component in self.components() {
            for &first in &component {
                for second in self.arcs[first].clone() {
                    if component.binary_search(&second).is_ok() {
                        let (conditions, _) = self.both(first, second)?;
                        if self.impossible(&conditions)? {
                            self.arcs[first].retain(|n| *n != second);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Removes the arcs on which a ranking function decreases.
    fn ranking(&mut self, values: &[(TransactionId, FormulaId)]) -> Result<(), Inconclusive> {
        let mut function: FxHashMap<TransactionId, Term> = FxHashMap::default();
        for (transaction, value) in values {
            function.insert(*transaction, self.checked.formula(*value)?);
        }
        for component in self.components() {
            if !component.iter().any(|n| function.contains_key(&self.transactions[*n])) {
                continue;
            }
            for &first in &component {
                for second in self.arcs[first].clone() {
                    if component.binary_search(&second).is_ok() && self.decreases(&function, first, second)? {
                        self.arcs[first].retain(|n| *n != second);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns true if the ranking function decreases on an arc; fails if it can increase.
    fn decreases(
        &mut self,
        function: &FxHashMap<TransactionId, Term>,
        first: usize,
        second: usize,
    ) -> Result<bool, Inconclusive> {
        let value = |n: usize| {
            let value = function.get(&self.transactions[n]).copied();
            value.ok_or_else(|| failed("a transaction of a component has no value"))
        };
        let (now, then) = (value(first)?, value(second)?);
        let (mut conditions, [before, between]) = self.both(first, second)?;
        let terms = &mut self.checked.terms;
        let (now, then) = (before.apply(terms, now), between.apply(terms, then));
        demand(terms.sort(now) == terms.sort(then) && terms.sort(now).width().is_some(), || {
            "values of different widths".to_owned()
        })?;
        let (stays, increases) = (terms.sle(now, then), terms.slt(now, then));
        conditions.push(stays);
        if self.impossible(&conditions)? {
            return Ok(true);
        }
        conditions.pop();
        conditions.push(increases);
        let never = self.impossible(&conditions)?;
        demand(never, || "a ranking function can increase".to_owned())?;
        Ok(false)
    }

    /// Removes the transactions before which a thread that never moves is able to move.
    fn fairness(&mut self, thread: ThreadId) -> Result<(), Inconclusive> {
        for component in self.components() {
            if component.iter().any(|n| self.transactions[*n].thread == thread) {
                continue;
            }
            let mut gone = FxHashSet::default();
            for &n in &component {
                if self.is_able(thread, n)? {
                    gone.insert(n);
                }
            }
            for &n in &component {
                let arcs = std::mem::take(&mut self.arcs[n]);
                let keep = |m: &usize| !gone.contains(m) && !gone.contains(&n);
                self.arcs[n] = arcs.into_iter().filter(keep).collect();
            }
        }
        Ok(())
    }

    /// Returns true if a thread is able to move whenever a transaction is taken.
    fn is_able(&mut self, thread: ThreadId, n: usize) -> Result<bool, Inconclusive> {
        let at = self.checked.location(self.proof.invariants.labels[self.transactions[n].location].0)?;
        if !at.movable().any(|t| t == thread) {
            return Ok(false);
        }
        let mut conditions = self.before(n)?;
        let CheckedProduct { encoder, terms, .. } = &mut self.checked;
        conditions.extend(SymbolicStore::default().run(terms, &self.blocks[n]));
        let Some(moves) = encoder.moves(terms, &at, thread) else { return Ok(true) };
        conditions.push(terms.not(moves));
        self.impossible(&conditions)
    }
}
