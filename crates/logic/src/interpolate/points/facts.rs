//! What is known at a cut without a query: facts of the last label that survive the block, its conditions, and the new values.
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
        let before = known_values(self.terms, &self.last);
        let back = self.way_back(&before);
        let mut facts = Vec::new();
        for condition in [self.last.clone(), self.conditions.clone()].concat() {
            let fact = self.terms.substitute(condition, &back);
            self.add(&mut facts, fact);
        }
        for x in self.scalars() {
            let place = self.terms.var_of(x);
            self.add_value(&mut facts, place, &before, &back);
        }
        let after = known_values(self.terms, &facts);
        let written = self.written(&back);
        for place in [self.reads(), written].concat() {
            let (array, index) = (self.terms.kid(place, 0), self.terms.kid(place, 1));
            let index = self.terms.substitute(index, &after);
            let place = self.terms.select(array, index);
            self.add_value(&mut facts, place, &before, &back);
        }
        facts
    }

    /// The elements that the block wrote last, where their indices can be said after it.
    fn written(&mut self, back: &FxHashMap<Symbol, Term>) -> Vec<Term> {
        let mut set: Vec<(Symbol, Term)> =
            self.store.values().iter().map(|(&x, &value)| (x, value)).collect();
        set.retain(|&(_, value)| self.terms.op(value) == Op::Store);
        set.sort_unstable();
        let mut places = Vec::new();
        for (x, value) in set {
            let index = self.terms.substitute(self.terms.kid(value, 1), back);
            if !self.is_lost(index) {
                let array = self.terms.var_of(x);
                places.push(self.terms.select(array, index));
            }
        }
        places
    }

    /// Says what is in a place after the block.
    fn add_value(
        &mut self,
        facts: &mut Vec<Term>,
        place: Term,
        before: &FxHashMap<Symbol, Term>,
        back: &FxHashMap<Symbol, Term>,
    ) {
        let value = self.store.apply(self.terms, place);
        let value = self.terms.substitute(value, before);
        let value = if is_constant(self.terms, value) { value } else { self.terms.substitute(value, back) };
        let fact = self.terms.eq(place, value);
        self.add(facts, fact);
    }

    /// Adds a fact unless it mentions a value that the state after the block has nowhere.
    fn add(&self, facts: &mut Vec<Term>, fact: Term) {
        for c in self.terms.conjuncts(fact) {
            if !facts.contains(&c) && !self.is_lost(c) {
                facts.push(c);
            }
        }
    }

    /// From values before and during the block to variables that have them after it. `before` is what is known before it.
    fn way_back(&mut self, before: &FxHashMap<Symbol, Term>) -> FxHashMap<Symbol, Term> {
        let mut set: Vec<(Symbol, Term)> =
            self.store.values().iter().map(|(&x, &value)| (x, value)).collect();
        set.sort_unstable();
        let mut back = FxHashMap::default();
        for &(x, value) in &set {
            let lost = self.terms.version(x, BEFORE);
            let old = self.array_back(x, value, before).unwrap_or(lost);
            back.insert(x, old);
        }
        for &(x, value) in &set {
            // Only what would be lost otherwise: a value that was not set keeps its own name.
            let lost = self.terms.as_var(value);
            if let Some(y) = lost.filter(|y| self.terms.is_version(*y) || back.contains_key(y)) {
                back.insert(y, self.terms.var_of(x));
            }
        }
        // Equations tell what lost variables and elements were; one may need another.
        for _ in 0..2 {
            for fact in self.last.clone() {
                self.recover(fact, &mut back);
            }
        }
        back
    }

    /// Learns from an equation what a lost variable or element was, in terms of the state after the block.
    fn recover(&mut self, fact: Term, back: &mut FxHashMap<Symbol, Term>) {
        if self.terms.op(fact) != Op::Eq {
            return;
        }
        let (a, b) = (self.terms.kid(fact, 0), self.terms.kid(fact, 1));
        for (place, value) in [(a, b), (b, a)] {
            let value = self.terms.substitute(value, back);
            if self.is_lost(value) {
                continue;
            }
            if let Some(x) = self.terms.as_var(place) {
                if back.get(&x).is_some_and(|&old| self.is_lost(old)) {
                    back.insert(x, value);
                }
            } else if self.terms.op(place) == Op::Select
                && let Some(x) = self.terms.as_var(self.terms.kid(place, 0))
                && let Some(&old) = back.get(&x)
            {
                let index = self.terms.substitute(self.terms.kid(place, 1), back);
                if !self.is_lost(index) {
                    let old = self.terms.store(old, index, value);
                    back.insert(x, old);
                }
            }
        }
    }

    /// Returns true if a term mentions a value that the state after the block has nowhere.
    fn is_lost(&self, term: Term) -> bool {
        self.terms.free_vars(term).iter().any(|&x| self.terms.is_version(x))
    }

    /// An array of which only elements at known indices were set is the new one but for those elements.
    fn array_back(&mut self, x: Symbol, value: Term, before: &FxHashMap<Symbol, Term>) -> Option<Term> {
        let variable = self.terms.var_of(x);
        let Sort::Array { element, .. } = self.terms.sort(variable) else { return None };
        let (mut base, mut old) = (value, variable);
        // A version of a variable that is not used stands for the elements that are gone.
        let gone = self.terms.var(&format!("gone!{element}"), Sort::Bits(element));
        let gone = self.terms.as_var(gone)?;
        let gone = self.terms.version(gone, BEFORE);
        while self.terms.op(base) == Op::Store {
            let index = self.terms.substitute(self.terms.kid(base, 1), before);
            self.terms.as_const(index)?;
            old = self.terms.store(old, index, gone);
            base = self.terms.kid(base, 0);
        }
        (base == variable).then_some(old)
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

/// The constants that `facts` give to variables and elements; an array is itself with the known elements stored, so that
/// reading one simplifies. Facts can wait for others: a few iterations.
fn known_values(terms: &mut Terms, facts: &[Term]) -> FxHashMap<Symbol, Term> {
    const ITERATIONS: usize = 4;
    let mut known = FxHashMap::default();
    let mut open = facts.to_vec();
    for _ in 0..ITERATIONS {
        let n_open = open.len();
        open.retain(|&fact| {
            let fact = if known.is_empty() { fact } else { terms.substitute(fact, &known) };
            !learn(terms, &mut known, fact)
        });
        if open.len() == n_open {
            break;
        }
    }
    known
}

/// Learns from a fact if it says that a variable or an element is a constant.
fn learn(terms: &mut Terms, known: &mut FxHashMap<Symbol, Term>, fact: Term) -> bool {
    let (left, right) = match terms.op(fact) {
        Op::Eq => (terms.kid(fact, 0), terms.kid(fact, 1)),
        Op::Not => (terms.kid(fact, 0), terms.ff()),
        _ => (fact, terms.tt()),
    };
    for (place, value) in [(left, right), (right, left)] {
        if !is_constant(terms, value) {
            continue;
        }
        if let Some(x) = terms.as_var(place) {
            known.insert(x, value);
            return true;
        }
        if terms.op(place) == Op::Select
            && let Some(x) = terms.as_var(terms.kid(place, 0))
            && terms.as_const(terms.kid(place, 1)).is_some()
        {
            let array = known.get(&x).copied().unwrap_or(terms.kid(place, 0));
            let array = terms.store(array, terms.kid(place, 1), value);
            known.insert(x, array);
            return true;
        }
    }
    false
}

fn is_constant(terms: &Terms, t: Term) -> bool {
    terms.as_const(t).is_some() || terms.as_bool(t).is_some()
}
