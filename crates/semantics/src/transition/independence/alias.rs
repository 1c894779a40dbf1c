//! Conditional independence: when two edges touch the same memory, as a formula over the state before them.
//!
//! `v[i] = 2` and `v[j] = -2` are dependent in general and independent where `i ≠ j`. The *alias condition* of two edges says when one writes
//! what the other one touches. If no state before them satisfies it, the edges commute. (A node of a search stands for more states than those of one path,
//! so a search that relies on it has to exclude the condition from *all* of them: T-ALIAS.)
//!
//! # Direction of error
//! Accesses may be claimed that do not happen, never missed: then edges count as dependent.

use crate::transition::Edge;
use logic::path::{Cmd, SymbolicStore};
use logic::{Op, Symbol, Term, Terms};

/// An access to memory, over the state before the edge.
struct Access {
    symbol: Symbol,
    /// When it happens.
    guard: Term,
    /// Which element of an array region; `None` for all of them.
    index: Option<Term>,
    writes: bool,
}

/// Maximum number of subterms that are visited for one edge.
const MAX_VISITS: usize = 4_000;

/// When one of the edges writes what the other one touches; `None` if that cannot be told: they are too large, or it depends on an input of
/// theirs.
pub fn condition(terms: &mut Terms, a: &Edge, b: &Edge) -> Option<Term> {
    let (ours, theirs) = (accesses(terms, a)?, accesses(terms, b)?);
    let mut conflicts = Vec::new();
    for x in &ours {
        for y in theirs.iter().filter(|y| y.symbol == x.symbol && (x.writes || y.writes)) {
            let mut both = terms.and2(x.guard, y.guard);
            if let (Some(i), Some(j)) = (x.index, y.index) {
                let same = terms.eq(i, j);
                both = terms.and2(both, same);
            }
            conflicts.push(both);
        }
    }
    let alias = terms.or(&conflicts);
    // An input of the edges themselves is no part of the state before them: no label can speak about it.
    let free = terms.free_vars(alias);
    free.iter().all(|x| !terms.is_version(*x)).then_some(alias)
}

fn accesses(terms: &mut Terms, edge: &Edge) -> Option<Vec<Access>> {
    let mut walk = Walk { terms, edge, store: SymbolicStore::default(), found: Vec::new(), visits: 0 };
    for &cmd in &edge.block {
        let always = walk.terms.tt();
        match cmd {
            Cmd::Assume(guard) => walk.reads(guard, always),
            Cmd::Assign(x, value) => walk.assigns(x, value, always),
            Cmd::Havoc(x) => walk.access(x, always, None, true),
        }
        walk.store.step(walk.terms, cmd);
    }
    (walk.visits <= MAX_VISITS).then_some(walk.found)
}

struct Walk<'a> {
    terms: &'a mut Terms,
    edge: &'a Edge,
    /// The values of variables before the command that is looked at.
    store: SymbolicStore,
    found: Vec<Access>,
    visits: usize,
}

impl Walk<'_> {
    fn is_memory(&self, symbol: Symbol) -> bool {
        self.edge.footprint.touches(symbol)
    }

    /// Counts one more subterm; returns false if there are too many.
    fn visit(&mut self) -> bool {
        self.visits += 1;
        self.visits <= MAX_VISITS
    }

    fn access(&mut self, symbol: Symbol, guard: Term, index: Option<Term>, writes: bool) {
        if self.is_memory(symbol) {
            let guard = self.store.apply(self.terms, guard);
            let index = index.map(|i| self.store.apply(self.terms, i));
            self.found.push(Access { symbol, guard, index, writes });
        }
    }

    /// Both sides of a choice, each with its guard.
    fn sides(&mut self, term: Term, guard: Term) -> [(Term, Term); 2] {
        let (c, yes, no) = (self.terms.kid(term, 0), self.terms.kid(term, 1), self.terms.kid(term, 2));
        let not_c = self.terms.not(c);
        [(yes, self.terms.and2(guard, c)), (no, self.terms.and2(guard, not_c))]
    }

    /// What a term reads, if `guard` holds.
    fn reads(&mut self, term: Term, guard: Term) {
        if !self.visit() {
            return;
        }
        match self.terms.op(term) {
            Op::Var(x) => self.access(x, guard, None, false),
            Op::Ite => {
                self.reads(self.terms.kid(term, 0), guard);
                for (side, guard) in self.sides(term, guard) {
                    self.reads(side, guard);
                }
            }
            Op::Select => {
                let (array, index) = (self.terms.kid(term, 0), self.terms.kid(term, 1));
                self.reads(index, guard);
                self.reads_element(array, index, guard);
            }
            _ => {
                for kid in self.terms.kids(term).to_vec() {
                    self.reads(kid, guard);
                }
            }
        }
    }

    /// One element of an array is read.
    fn reads_element(&mut self, array: Term, index: Term, guard: Term) {
        if !self.visit() {
            return;
        }
        match self.terms.op(array) {
            Op::Var(x) => self.access(x, guard, Some(index), false),
            Op::Store => {
                self.reads(self.terms.kid(array, 1), guard);
                self.reads(self.terms.kid(array, 2), guard);
                self.reads_element(self.terms.kid(array, 0), index, guard);
            }
            Op::Ite => {
                self.reads(self.terms.kid(array, 0), guard);
                for (side, guard) in self.sides(array, guard) {
                    self.reads_element(side, index, guard);
                }
            }
            _ => self.reads(array, guard),
        }
    }

    /// `x` gets a value; where that is its own value, nothing is written.
    fn assigns(&mut self, x: Symbol, value: Term, guard: Term) {
        if !self.visit() {
            return;
        }
        match self.terms.op(value) {
            Op::Var(y) if x == y => {}
            Op::Ite => {
                self.reads(self.terms.kid(value, 0), guard);
                for (side, guard) in self.sides(value, guard) {
                    self.assigns(x, side, guard);
                }
            }
            Op::Store => {
                let (array, index, element) =
                    (self.terms.kid(value, 0), self.terms.kid(value, 1), self.terms.kid(value, 2));
                self.access(x, guard, Some(index), true);
                self.reads(index, guard);
                self.reads(element, guard);
                self.assigns(x, array, guard);
            }
            _ => {
                self.access(x, guard, None, true);
                self.reads(value, guard);
            }
        }
    }
}
