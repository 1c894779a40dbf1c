//! What is known at a cut without asking: facts of the last label that survive the block, its conditions, and the new values.
//!
//! The same variables mean the state before the block and the state after it. A term over the state before can be said
//! afterwards if what it mentions was not set, or is a havocked value that some variable still has, or a
//! value that was copied.

use super::Cut;
use crate::solver::Solver;
use crate::term::{Op, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

/// Stands for the value that a variable had before the block: a number that no havoc reaches.
const BEFORE: u32 = u32::MAX;

impl<S: Solver + ?Sized> Cut<'_, S> {
    /// What the last label says about variables that the block does not set.
    pub(super) fn keep(&self) -> Vec<Term> {
        let is_set = |x: &Symbol| self.store.values().contains_key(x);
        let is_kept = |fact: &Term| !self.terms.free_vars(*fact).iter().any(is_set);
        self.last.iter().copied().filter(is_kept).collect()
    }

    /// Facts over the state after the block.
    pub(super) fn facts(&mut self) -> Vec<Term> {
        let before = equal_constants(self.terms, &self.last);
        let back = self.way_back();
        let mut facts = Vec::new();
        for condition in [self.last.clone(), self.conditions.clone()].concat() {
            let fact = self.terms.substitute(condition, &back);
            self.add(&mut facts, fact);
        }
        let mut after = equal_constants(self.terms, &facts);
        for x in self.scalars() {
            let place = self.terms.var_of(x);
            if let Some(value) = self.add_value(&mut facts, place, &before, &back) {
                after.insert(x, value);
            }
        }
        for read in self.reads() {
            let (array, index) = (self.terms.kid(read, 0), self.terms.kid(read, 1));
            let index = self.terms.substitute(index, &after);
            let place = self.terms.select(array, index);
            self.add_value(&mut facts, place, &before, &back);
        }
        facts
    }

    /// Says what is in a place after the block; returns its value if it is a constant.
    fn add_value(
        &mut self,
        facts: &mut Vec<Term>,
        place: Term,
        before: &FxHashMap<Symbol, Term>,
        back: &FxHashMap<Symbol, Term>,
    ) -> Option<Term> {
        let value = self.store.apply(self.terms, place);
        let constant = self.terms.substitute(value, before);
        if is_constant(self.terms, constant) {
            let fact = self.terms.eq(place, constant);
            self.add(facts, fact);
            return Some(constant);
        }
        let relation = self.terms.substitute(value, back);
        let fact = self.terms.eq(place, relation);
        self.add(facts, fact);
        None
    }

    /// Adds a fact unless it mentions a value that the state after the block has nowhere.
    fn add(&self, facts: &mut Vec<Term>, fact: Term) {
        let is_lost = |&x: &Symbol| self.terms.is_version(x);
        for c in self.terms.conjuncts(fact) {
            if !facts.contains(&c) && !self.terms.free_vars(c).iter().any(is_lost) {
                facts.push(c);
            }
        }
    }

    /// From values before and during the block to variables that have them after it.
    fn way_back(&mut self) -> FxHashMap<Symbol, Term> {
        let mut set: Vec<(Symbol, Term)> =
            self.store.values().iter().map(|(&x, &value)| (x, value)).collect();
        set.sort_unstable();
        let mut back = FxHashMap::default();
        for &(x, _) in &set {
            back.insert(x, self.terms.version(x, BEFORE));
        }
        for &(x, value) in &set {
            // Only what would be lost otherwise: a value that was not set keeps its own name.
            let lost = self.terms.as_var(value);
            if let Some(y) = lost.filter(|y| self.terms.is_version(*y) || back.contains_key(y)) {
                back.insert(y, self.terms.var_of(x));
            }
        }
        back
    }

    /// The variables, other than arrays, of the state after the block that matter later.
    pub(super) fn scalars(&mut self) -> Vec<Symbol> {
        let mut all: Vec<Symbol> = self.wrong.iter().flat_map(|&c| self.terms.free_vars(c)).collect();
        all.sort_unstable();
        all.dedup();
        let is_array = |x: Symbol| matches!(self.terms.sort(self.terms.var_of(x)), Sort::Array { .. });
        all.retain(|&x| !self.terms.is_version(x) && !is_array(x));
        all
    }

    /// The reads, from arrays of the state after the block, that matter later.
    pub(super) fn reads(&self) -> Vec<Term> {
        let mut reads = self.terms.subterms(&self.wrong);
        reads.retain(|&t| self.terms.op(t) == Op::Select && self.is_state_array(self.terms.kid(t, 0)));
        reads
    }

    fn is_state_array(&self, array: Term) -> bool {
        self.terms.as_var(array).is_some_and(|x| !self.terms.is_version(x))
    }
}

/// The variables that `facts` say to be constants.
fn equal_constants(terms: &Terms, facts: &[Term]) -> FxHashMap<Symbol, Term> {
    let mut known = FxHashMap::default();
    for &fact in facts {
        let (variable, value) = match terms.op(fact) {
            Op::Eq => (terms.kid(fact, 0), terms.kid(fact, 1)),
            Op::Not => (terms.kid(fact, 0), terms.ff()),
            _ => (fact, terms.tt()),
        };
        for (variable, value) in [(variable, value), (value, variable)] {
            if let (Some(x), true) = (terms.as_var(variable), is_constant(terms, value)) {
                known.insert(x, value);
            }
        }
    }
    known
}

fn is_constant(terms: &Terms, t: Term) -> bool {
    terms.as_const(t).is_some() || terms.as_bool(t).is_some()
}
