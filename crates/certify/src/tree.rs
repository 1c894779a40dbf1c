//! Checks a labelled tree: the proof that Impact hands over.
//!
//! # What is claimed
//! A tree of nodes, each with a global location, a label, the threads that were expanded there, and possibly another node that covers it. An
//! edge is a [transaction](crate::transactions) of one thread; the same ones are used wherever a location occurs.
//!
//! # What is checked, in this order
//! 1. **Transactions** are complete and have at most one visible action each ([`crate::transactions`]).
//! 2. **Labels**: the initial state satisfies the root's. From an expanded node every transaction of an expanded thread leads to a child
//!    whose label holds, or cannot be taken; no terminal transaction that violates the property, or is undefined, can be taken. What
//!    cannot be taken is excluded by the label or, at an *exact* node, by the path to it. A node is exact if neither it nor an ancestor covers
//!    another node: the only states that are reached there are those of its path.
//! 3. **Covers**: same location, the label implies the covering node's, which is not covered, nor is an ancestor of it.
//! 4. **Completeness**: at a node that is not covered every thread that can move is expanded, or *skipped*; at a covered node, every
//!    thread that is not skipped is expanded at the covering node. A thread may be skipped if the last transaction was of a thread with a
//!    greater number and commutes with all transactions of this one, from the parent's location.
//! 5. **Properties of states**: at no node that is not covered can all threads be blocked (for deadlocks), or two threads race (for races).
//!
//! That this suffices is the paper's argument (Wachter, Kroening, Ouaknine, FMCAD 2013, Lemma 4.7, with the repairs of
//! `engines::impact`): of all equivalent executions, the one that is least in the order of thread numbers is never skipped.
//!
//! The check has its own solver and its own notion of dependence: where threads end up, the state variables that transactions mention, and where
//! these conflict, whether the two orders differ in any state of the parent's label ([`crate::commute`]).
//! It shares with the engines what actions *mean* (`semantics`).

use crate::commute::{Exchange, commute};
use crate::transactions::{self, CheckedProduct};
use crate::{demand, failed};
use base::{Budget, Inconclusive};
use evidence::{LocationId, TreeNode, TreeProof};
use logic::path::{Cmd, SymbolicStore, connected, valid};
use logic::{Solver, Term};
use program::interp::ThreadId;
use program::{Program, Property};
use rustc_hash::FxHashMap;
use std::rc::Rc;

struct Checker<'a, 'p> {
    nodes: &'a [TreeNode],
    checked: CheckedProduct<'a, 'p>,
    labels: Vec<Term>,
    children: Vec<FxHashMap<(ThreadId, usize), usize>>,
    /// Nodes that have a covered ancestor: they need no check of their own.
    is_below_covered: Vec<bool>,
    /// For exact nodes: the values of variables after the path, and its conditions.
    exact: Vec<Option<Rc<Exact>>>,
}

/// What is known of a node to which only its path leads.
struct Exact {
    store: SymbolicStore,
    conditions: Vec<Term>,
}

/// Checks that `proof` proves `property` of `program`.
pub(crate) fn check(
    program: &Program,
    property: Property,
    proof: &TreeProof,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    let mut children = vec![FxHashMap::default(); proof.nodes.len()];
    let mut is_below_covered = vec![false; proof.nodes.len()];
    for (n, node) in proof.nodes.iter().enumerate() {
        if let Some((parent, thread, transaction)) = node.parent {
            demand(parent < n, || format!("node {n} comes before its parent"))?;
            children[parent].insert((thread, transaction), n);
            is_below_covered[n] = is_below_covered[parent] || proof.nodes[parent].covered_by.is_some();
        }
    }
    let checked = transactions::check(program, property, &proof.product, budget)?;
    let labels: Result<Vec<Term>, _> = proof.nodes.iter().map(|n| checked.formula(n.label)).collect();
    let (nodes, labels, exact) = (&proof.nodes[..], labels?, Vec::new());
    let mut checker = Checker { nodes, checked, labels, children, is_below_covered, exact };
    checker.root()?;
    checker.paths();
    for n in 0..nodes.len() {
        budget.check()?;
        checker.node(n)?;
    }
    Ok(())
}

impl Checker<'_, '_> {
    fn root(&mut self) -> Result<(), Inconclusive> {
        let root = self.nodes.first().ok_or_else(|| failed("an empty tree"))?;
        let start = self.checked.location(root.location)?;
        demand(root.parent.is_none() && *start == self.checked.initial.0, || {
            "the root is not the initial location".to_owned()
        })?;
        let (tt, init) = (self.checked.terms.tt(), self.checked.initial.1.clone());
        self.triple(tt, &init, self.labels[0], "the root's label")
    }

    /// The paths to exact nodes.
    fn paths(&mut self) {
        let mut covers = vec![false; self.nodes.len()];
        for node in self.nodes {
            if let Some(at) = node.covered_by.and_then(|w| covers.get_mut(w)) {
                *at = true;
            }
        }
        for (n, node) in self.nodes.iter().enumerate() {
            let terms = &mut self.checked.terms;
            let path = match node.parent {
                _ if covers[n] => None,
                None => {
                    let mut store = SymbolicStore::default();
                    let conditions = store.run(terms, &self.checked.initial.1);
                    Some(Exact { store, conditions })
                }
                Some((parent, thread, transaction)) => self.exact[parent].clone().and_then(|above| {
                    let blocks = self.checked.blocks(self.nodes[parent].location, thread)?;
                    let (block, _) = blocks.taken.get(transaction)?;
                    let (mut store, mut conditions) = (above.store.clone(), above.conditions.clone());
                    conditions.extend(store.run(&mut self.checked.terms, block));
                    Some(Exact { store, conditions })
                }),
            };
            self.exact.push(path.map(Rc::new));
        }
    }

    /// Checks that a block cannot be executed at a node: because of its label, or of the path to it.
    fn impossible(&mut self, n: usize, block: &[Cmd], what: &str) -> Result<(), Inconclusive> {
        let CheckedProduct { terms, solver, limits, .. } = &mut self.checked;
        if let Some(exact) = self.exact[n].clone() {
            let conditions = exact.store.clone().run(terms, block);
            let query = connected(terms, &conditions, &exact.conditions);
            if solver.core(terms, &query, limits)?.is_some() {
                return Ok(());
            }
        }
        let never = terms.ff();
        self.triple(self.labels[n], block, never, what)
    }

    fn triple(&mut self, pre: Term, block: &[Cmd], post: Term, what: &str) -> Result<(), Inconclusive> {
        let CheckedProduct { terms, solver, limits, .. } = &mut self.checked;
        let holds = valid(solver, terms, pre, block, post, limits)?;
        demand(holds, || format!("{what} does not hold"))
    }

    fn node(&mut self, n: usize) -> Result<(), Inconclusive> {
        let node = &self.nodes[n];
        if let Some((parent, thread, transaction)) = node.parent {
            let blocks = self.checked.blocks(self.nodes[parent].location, thread);
            let end = blocks.and_then(|blocks| Some(blocks.taken.get(transaction)?.1));
            demand(end == Some(node.location), || format!("node {n} is not where its transaction ends"))?;
        }
        if self.checked.terms.as_bool(self.labels[n]) == Some(false) || self.is_below_covered[n] {
            return Ok(());
        }
        let movable: Vec<ThreadId> = self.checked.location(node.location)?.movable().collect();
        if let Some(w) = node.covered_by {
            return self.cover(n, w, &movable);
        }
        for (block, what) in self.checked.forbidden(node.location)?.iter() {
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

    /// 3. and 4. for a node that `w` covers.
    fn cover(&mut self, n: usize, w: usize, movable: &[ThreadId]) -> Result<(), Inconclusive> {
        let covering = self.nodes.get(w).ok_or_else(|| failed("a node is covered by no node"))?;
        demand(covering.location == self.nodes[n].location, || {
            format!("node {n} is covered by another location")
        })?;
        demand(covering.covered_by.is_none() && !self.is_below_covered[w], || {
            format!("node {n} is covered by a covered node")
        })?;
        let CheckedProduct { terms, solver, limits, .. } = &mut self.checked;
        let implied = solver.implies(terms, self.labels[n], self.labels[w], limits)?;
        demand(implied, || format!("node {n} is not below the node that covers it"))?;
        for thread in movable {
            let ok = covering.expanded.contains(thread) || self.may_skip(n, *thread)?;
            demand(ok, || format!("thread {thread} is lost at the cover of node {n}"))?;
        }
        Ok(())
    }

    /// 2. All that a thread can do at a node.
    fn expansion(&mut self, n: usize, thread: ThreadId) -> Result<(), Inconclusive> {
        let blocks = self.checked.blocks(self.nodes[n].location, thread);
        let blocks = blocks.ok_or_else(|| failed(&format!("no transactions of {thread} at node {n}")))?;
        for (at, (block, _)) in blocks.taken.iter().enumerate() {
            match self.children[n].get(&(thread, at)) {
                Some(child) => {
                    let (pre, post) = (self.labels[n], self.labels[*child]);
                    self.triple(pre, block, post, &format!("a label below node {n}"))?;
                }
                None => self.impossible(n, block, &format!("the end of node {n}"))?,
            }
        }
        for terminal in &blocks.terminals {
            if !self.checked.observer.is_harmless(&terminal.kind) {
                self.impossible(n, &terminal.block, &format!("an end below node {n}"))?;
            }
        }
        Ok(())
    }

    /// 4. Returns true if the last transaction commutes with everything that `thread`, with a smaller number, can do.
    fn may_skip(&mut self, n: usize, thread: ThreadId) -> Result<bool, Inconclusive> {
        let Some((parent, mover, last)) = self.nodes[n].parent else { return Ok(false) };
        let (before, after) = (self.nodes[parent].location, self.nodes[n].location);
        let (old, new) = (self.checked.location(before)?, self.checked.location(after)?);
        if thread >= mover
            || old.atomic.is_some()
            || new.atomic.is_some()
            || old.movable().all(|t| t != thread)
        {
            return Ok(false);
        }
        let (Some(then), Some(now), Some(movers)) = (
            self.checked.blocks(before, thread),
            self.checked.blocks(after, thread),
            self.checked.blocks(before, mover),
        ) else {
            return Ok(false);
        };
        let Some((last, _)) = movers.taken.get(last) else { return Ok(false) };
        if !then.terminals.is_empty() || !now.terminals.is_empty() || then.taken.len() != now.taken.len() {
            return Ok(false);
        }
        for ((first, between), (next, end)) in then.taken.iter().zip(&now.taken) {
            if first != next
                || !self.closes(*between, mover, last, *end)?
                || !self.commute(self.labels[parent], last, next)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns true if `thread` has a transaction with this block between two locations.
    fn closes(
        &self,
        from: LocationId,
        thread: ThreadId,
        block: &[Cmd],
        to: LocationId,
    ) -> Result<bool, Inconclusive> {
        let can_move = self.checked.location(from)?.movable().any(|t| t == thread);
        let blocks = self.checked.blocks(from, thread).filter(|_| can_move);
        Ok(blocks.is_some_and(|blocks| blocks.taken.iter().any(|(b, end)| b == block && *end == to)))
    }

    fn commute(&mut self, label: Term, first: &[Cmd], second: &[Cmd]) -> Result<bool, Inconclusive> {
        let CheckedProduct { terms, solver, limits, .. } = &mut self.checked;
        commute(solver, terms, &Exchange { given: &[label], first, second, second_stops: false }, limits)
    }
}
