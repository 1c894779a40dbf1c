//! Equations first: what is equal is written in one way, so that terms fold and differences cancel before a solver sees them.

use super::{Cmd, SymbolicStore};
use crate::term::{Op, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

/// The state in which variables that `facts` make equal to a constant or to each other have one name, and the facts in that state, without those
/// that became trivial. Exact: it is substitution of equals.
pub fn with_equals(terms: &mut Terms, facts: &[Term]) -> (SymbolicStore, Vec<Term>) {
    let mut leader: FxHashMap<Symbol, Term> = FxHashMap::default();
    for &fact in facts {
        let (left, right) = match terms.op(fact) {
            Op::Var(_) => (fact, terms.tt()),
            Op::Not if terms.as_var(terms.kid(fact, 0)).is_some() => (terms.kid(fact, 0), terms.ff()),
            Op::Eq => (terms.kid(fact, 0), terms.kid(fact, 1)),
            _ => continue,
        };
        let (left, right) = (find(terms, &leader, left), find(terms, &leader, right));
        let is_value = |t: Term| terms.as_const(t).is_some() || terms.as_bool(t).is_some();
        match (terms.as_var(left), terms.as_var(right)) {
            (Some(a), Some(b)) if a != b => {
                leader.insert(a.max(b), terms.var_of(a.min(b)));
            }
            (Some(a), None) if is_value(right) => {
                leader.insert(a, right);
            }
            (None, Some(b)) if is_value(left) => {
                leader.insert(b, left);
            }
            _ => {}
        }
    }
    let mut symbols: Vec<Symbol> = leader.keys().copied().collect();
    symbols.sort();
    let mut store = SymbolicStore::default();
    for symbol in symbols {
        let value = find(terms, &leader, terms.var_of(symbol));
        store.step(terms, Cmd::Assign(symbol, value));
    }
    let mut rest: Vec<Term> = facts.iter().map(|fact| store.apply(terms, *fact)).collect();
    rest.retain(|fact| terms.as_bool(*fact) != Some(true));
    (store, rest)
}

/// The term that stands for a variable.
fn find(terms: &Terms, leader: &FxHashMap<Symbol, Term>, mut at: Term) -> Term {
    while let Some(next) = terms.as_var(at).and_then(|symbol| leader.get(&symbol)) {
        at = *next;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    #[test]
    fn equals_have_one_name() {
        let mut terms = Terms::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| terms.var(name, Sort::Bits(8)));
        let (seven, nine) = (terms.constant(7, 8), terms.constant(9, 8));
        let facts = [terms.eq(a, b), terms.eq(c, b), terms.eq(c, seven), terms.ult(a, d), terms.ult(b, nine)];
        let (store, rest) = with_equals(&mut terms, &facts);
        assert_eq!(rest, [terms.ult(seven, d)]);
        let sum = terms.add(a, b);
        let sum = terms.sub(sum, c);
        assert_eq!(store.apply(&mut terms, sum), seven);
        let wrong = [terms.eq(a, seven), terms.eq(a, nine)];
        let (_, rest) = with_equals(&mut terms, &wrong);
        assert_eq!(rest, [terms.ff()]);
    }
}
