//! Walks over terms: substitution, free variables, size, conjuncts. All with explicit stacks.

use super::{Op, Symbol, Term, Terms};
use base::Idx;
use rustc_hash::FxHashMap;

/// A set of terms that is emptied in constant time.
#[derive(Default)]
pub(crate) struct Marks {
    stamps: Vec<u32>,
    now: u32,
}

impl Marks {
    /// Empties the set and makes room for `n` terms.
    pub(crate) fn clear(&mut self, n: usize) {
        if self.now == u32::MAX {
            self.stamps.fill(0);
            self.now = 0;
        }
        self.now += 1;
        if self.stamps.len() < n {
            self.stamps.resize(n, 0);
        }
    }
    /// Adds a term; whether it was new.
    pub(crate) fn insert(&mut self, term: Term) -> bool {
        let stamp = &mut self.stamps[term.index()];
        let is_new = *stamp != self.now;
        *stamp = self.now;
        is_new
    }
    /// Returns true if a term is in the set.
    pub(crate) fn contains(&self, term: Term) -> bool {
        self.stamps[term.index()] == self.now
    }
}

/// A map from terms to terms that is emptied in constant time, and room to walk.
#[derive(Clone, Default)]
pub(super) struct Memo {
    results: Vec<(u32, Term)>,
    now: u32,
    stack: Vec<(Term, bool)>,
    kids: Vec<Term>,
}

impl Memo {
    fn clear(&mut self, n: usize) {
        if self.now == u32::MAX {
            self.results.clear();
            self.now = 0;
        }
        self.now += 1;
        if self.results.len() < n {
            self.results.resize(n, (0, Term(0)));
        }
    }
    fn get(&self, term: Term) -> Option<Term> {
        let (stamp, result) = self.results[term.index()];
        (stamp == self.now).then_some(result)
    }
    fn set(&mut self, term: Term, result: Term) {
        self.results[term.index()] = (self.now, result);
    }
}

impl Terms {
    /// `term` with every variable of `map` replaced, all at once, and simplified.
    ///
    /// The most frequent operation of symbolic execution: its memory is kept from call to call, so that a small term
    /// costs no allocation. [`substitute_with`](Self::substitute_with) is the simple thing it is equivalent to.
    pub fn substitute(&mut self, term: Term, map: &FxHashMap<Symbol, Term>) -> Term {
        if map.is_empty() || self.kids(term).is_empty() {
            return self.replaced(term, map, &FxHashMap::default());
        }
        let mut memo = std::mem::take(&mut self.memo);
        memo.clear(self.len());
        memo.stack.push((term, false));
        while let Some((t, ready)) = memo.stack.pop() {
            if memo.get(t).is_some() {
                continue;
            }
            if let Op::Var(symbol) = self.op(t) {
                memo.set(t, map.get(&symbol).copied().unwrap_or(t));
            } else if !ready {
                memo.stack.push((t, true));
                memo.stack.extend(self.kids(t).iter().map(|&kid| (kid, false)));
            } else {
                let result = self.rebuilt(t, &mut memo);
                memo.set(t, result);
            }
        }
        let result = memo.get(term).expect("the root should have been replaced");
        self.memo = memo;
        result
    }

    /// `t` with its operands as in `memo`.
    fn rebuilt(&mut self, t: Term, memo: &mut Memo) -> Term {
        let mut kids = std::mem::take(&mut memo.kids);
        kids.clear();
        kids.extend(self.kids(t).iter().map(|&kid| memo.get(kid).expect("operands should come first")));
        let result = if kids == self.kids(t) { t } else { self.make(self.op(t), &kids) };
        memo.kids = kids;
        result
    }

    /// Like [`substitute`](Self::substitute), sharing the results `done` so far between calls with the same map.
    pub fn substitute_with(
        &mut self,
        term: Term,
        map: &FxHashMap<Symbol, Term>,
        done: &mut FxHashMap<Term, Term>,
    ) -> Term {
        if map.is_empty() {
            return term;
        }
        let mut stack = vec![(term, false)];
        while let Some((t, ready)) = stack.pop() {
            if self.kids(t).is_empty() || done.contains_key(&t) {
                continue;
            }
            if !ready {
                stack.push((t, true));
                stack.extend(self.kids(t).iter().map(|&k| (k, false)));
                continue;
            }
            let kids: Vec<Term> = self.kids(t).iter().map(|&k| self.replaced(k, map, done)).collect();
            let result = if kids == self.kids(t) { t } else { self.make(self.op(t), &kids) };
            done.insert(t, result);
        }
        self.replaced(term, map, done)
    }

    fn replaced(&self, t: Term, map: &FxHashMap<Symbol, Term>, done: &FxHashMap<Term, Term>) -> Term {
        match self.op(t) {
            Op::Var(symbol) => map.get(&symbol).copied().unwrap_or(t),
            _ => done.get(&t).copied().unwrap_or(t),
        }
    }

    /// `term` with every occurrence of the term `what` replaced, and simplified.
    pub fn replace(&mut self, term: Term, what: Term, by: Term) -> Term {
        let mut done = FxHashMap::default();
        done.insert(what, by);
        if let Op::Var(symbol) = self.op(what) {
            return self.substitute_with(
                term,
                &FxHashMap::from_iter([(symbol, by)]),
                &mut FxHashMap::default(),
            );
        }
        // A map that is not empty but touches nothing: only `done` replaces.
        let inert = FxHashMap::from_iter([(Symbol(u32::MAX), by)]);
        self.substitute_with(term, &inert, &mut done)
    }

    /// All subterms of `roots`, operands before their parents.
    pub fn subterms(&self, roots: &[Term]) -> Vec<Term> {
        let mut marks = Marks::default();
        self.subterms_with(roots, &mut marks)
    }

    pub(crate) fn subterms_with(&self, roots: &[Term], marks: &mut Marks) -> Vec<Term> {
        marks.clear(self.len());
        let mut all: Vec<Term> = Vec::new();
        let mut stack: Vec<Term> = roots.to_vec();
        while let Some(t) = stack.pop() {
            if marks.insert(t) {
                all.push(t);
                stack.extend_from_slice(self.kids(t));
            }
        }
        // Operands are older than their parents.
        all.sort_unstable();
        all
    }

    /// The variables of `term`, ordered.
    pub fn free_vars(&self, term: Term) -> Vec<Symbol> {
        let mut vars: Vec<Symbol> = self.small_walk(&[term]).iter().filter_map(|&t| self.as_var(t)).collect();
        vars.sort_unstable();
        vars
    }

    /// Returns true if the variable `symbol` occurs in `term`.
    pub fn mentions(&self, term: Term, symbol: Symbol) -> bool {
        self.small_walk(&[term]).contains(&self.var_of(symbol))
    }

    /// How many distinct subterms `term` has.
    pub fn size(&self, term: Term) -> usize {
        self.small_walk(&[term]).len()
    }

    /// Like [`subterms`](Self::subterms) without order, for small terms in large pools: no vector over the pool, and no
    /// hashing before there are many.
    fn small_walk(&self, roots: &[Term]) -> Vec<Term> {
        const FEW: usize = 24;
        let mut seen = rustc_hash::FxHashSet::default();
        let mut all: Vec<Term> = Vec::with_capacity(FEW);
        let mut stack = roots.to_vec();
        while let Some(t) = stack.pop() {
            if all.len() == FEW {
                seen.extend(all.iter().copied());
            }
            let is_new = if all.len() < FEW { !all.contains(&t) } else { seen.insert(t) };
            if is_new {
                all.push(t);
                stack.extend_from_slice(self.kids(t));
            }
        }
        all
    }

    /// The conjuncts of `term`; none for `true`.
    pub fn conjuncts(&self, term: Term) -> Vec<Term> {
        match self.op(term) {
            Op::And => self.kids(term).to_vec(),
            Op::Bool(true) => Vec::new(),
            _ => vec![term],
        }
    }

    /// The disjuncts of `term`; none for `false`.
    pub fn disjuncts(&mut self, term: Term) -> Vec<Term> {
        match self.op(term) {
            Op::Bool(false) => Vec::new(),
            Op::Not if self.op(self.kid(term, 0)) == Op::And => {
                let negated = self.kids(self.kid(term, 0)).to_vec();
                negated.into_iter().map(|t| self.not(t)).collect()
            }
            _ => vec![term],
        }
    }
}
