//! The value of a term in an abstract state: one walk for all domains.
//!
//! A domain says what a variable is and what an operation makes of its operands ([`Values`]). The walk is lazy where that
//! saves work and gains precision: of a choice whose condition is known only the chosen side is looked at, and a conjunction
//! ends at its first false part. Values of subterms are kept until the state changes.
//!
//! Direction of error: a term nested deeper than [`MAX_DEPTH`] has an unknown value.

use logic::{Op, Symbol, Term, Terms};

/// What a domain's values are.
pub trait Values {
    /// An abstract value of any sort.
    type Value: Clone;
    /// The value of a variable.
    fn variable(&mut self, terms: &Terms, symbol: Symbol) -> Self::Value;
    /// The value of the operation at the top of `term` on these operands.
    fn apply(&mut self, terms: &Terms, term: Term, operands: &[Self::Value]) -> Self::Value;
    /// Any value of the sort of `term`.
    fn unknown(&mut self, terms: &Terms, term: Term) -> Self::Value;
    /// The truth value, if it is known.
    fn truth(&self, value: &Self::Value) -> Option<bool>;
}

/// Deeper terms are not looked into.
const MAX_DEPTH: u32 = 3000;

/// Values of terms in the current state.
pub struct Memo<V> {
    stamps: Vec<u32>,
    values: Vec<Option<V>>,
    now: u32,
}

impl<V: Clone> Memo<V> {
    /// Nothing is known yet.
    pub fn new() -> Self {
        Self { stamps: Vec::new(), values: Vec::new(), now: 0 }
    }

    /// Forgets all values: the state is another one.
    pub fn clear(&mut self) {
        if self.now == u32::MAX {
            self.stamps.fill(0);
            self.now = 0;
        }
        self.now += 1;
    }

    /// The value of a term.
    pub fn value<A: Values<Value = V>>(&mut self, terms: &Terms, values: &mut A, term: Term) -> V {
        if self.stamps.len() < terms.len() {
            self.stamps.resize(terms.len(), 0);
            self.values.resize(terms.len(), None);
        }
        self.walk(terms, values, term, 0)
    }

    fn walk<A: Values<Value = V>>(&mut self, terms: &Terms, values: &mut A, term: Term, depth: u32) -> V {
        let at = term.0 as usize;
        if self.stamps[at] == self.now
            && let Some(known) = &self.values[at]
        {
            return known.clone();
        }
        if depth > MAX_DEPTH {
            return values.unknown(terms, term);
        }
        let value = match terms.op(term) {
            Op::Var(symbol) => values.variable(terms, symbol),
            Op::Ite => self.choice(terms, values, term, depth),
            Op::And => self.conjunction(terms, values, term, depth),
            _ => {
                let kids = terms.kids(term);
                let operands: Vec<V> = kids.iter().map(|&k| self.walk(terms, values, k, depth + 1)).collect();
                values.apply(terms, term, &operands)
            }
        };
        self.stamps[at] = self.now;
        self.values[at] = Some(value.clone());
        value
    }

    fn choice<A: Values<Value = V>>(&mut self, terms: &Terms, values: &mut A, term: Term, depth: u32) -> V {
        let kids = terms.kids(term);
        let condition = self.walk(terms, values, kids[0], depth + 1);
        match values.truth(&condition) {
            Some(truth) => self.walk(terms, values, kids[if truth { 1 } else { 2 }], depth + 1),
            None => {
                let yes = self.walk(terms, values, kids[1], depth + 1);
                let no = self.walk(terms, values, kids[2], depth + 1);
                values.apply(terms, term, &[condition, yes, no])
            }
        }
    }

    fn conjunction<A: Values<Value = V>>(
        &mut self,
        terms: &Terms,
        values: &mut A,
        term: Term,
        depth: u32,
    ) -> V {
        let mut operands = Vec::new();
        for &kid in terms.kids(term) {
            let value = self.walk(terms, values, kid, depth + 1);
            if values.truth(&value) == Some(false) {
                return value;
            }
            operands.push(value);
        }
        values.apply(terms, term, &operands)
    }
}

impl<V: Clone> Default for Memo<V> {
    fn default() -> Self {
        Self::new()
    }
}
