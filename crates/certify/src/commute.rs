//! Whether two blocks commute in the states of a label: a question for the solver.
//!
//! `first; second` may be replaced by `second; first` in a state if, with the same inputs, the other order can be executed, too, and leads to the same state. That
//! is asked literally: both orders are executed on symbolic values, and the solver looks for a state of the label in which they differ. Rows
//! of cells are compared at an arbitrary index.

use crate::CheckedSolver;
use base::Inconclusive;
use logic::path::{Cmd, SymbolicStore};
use logic::{Limits, Solver, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Whether `second; first` does what `first; second` does, wherever `label` holds and the latter can be executed.
pub(crate) fn commute(
    solver: &mut CheckedSolver,
    terms: &mut Terms,
    label: Term,
    first: &[Cmd],
    second: &[Cmd],
    limits: &Limits,
) -> Result<bool, Inconclusive> {
    let (one, one_conditions) = execute(terms, first, second);
    let (other, other_conditions) = execute(terms, second, first);
    // The inputs of `first` come first in one order and last in the other.
    let n_first = one.havocs().len() - count_inputs(second);
    let inputs: Vec<Term> = one.havocs()[n_first..].iter().chain(&one.havocs()[..n_first]).copied().collect();
    let renaming: FxHashMap<Symbol, Term> = other
        .havocs()
        .iter()
        .zip(inputs)
        .filter_map(|(theirs, ours)| terms.as_var(*theirs).map(|symbol| (symbol, ours)))
        .collect();
    let mut differences = Vec::new();
    for condition in other_conditions {
        let condition = terms.substitute(condition, &renaming);
        differences.push(terms.not(condition));
    }
    let changed: BTreeSet<Symbol> = one.values().keys().chain(other.values().keys()).copied().collect();
    for symbol in changed {
        let (ours, theirs) = (one.value(terms, symbol), other.value(terms, symbol));
        let theirs = terms.substitute(theirs, &renaming);
        differences.push(differ(terms, ours, theirs));
    }
    let mut question = vec![label];
    question.extend(one_conditions);
    question.push(terms.or(&differences));
    Ok(solver.check(terms, &question, limits)?.is_unsat())
}

fn execute(terms: &mut Terms, first: &[Cmd], second: &[Cmd]) -> (SymbolicStore, Vec<Term>) {
    let mut store = SymbolicStore::default();
    let mut conditions = store.run(terms, first);
    conditions.extend(store.run(terms, second));
    (store, conditions)
}

fn count_inputs(block: &[Cmd]) -> usize {
    block.iter().filter(|cmd| matches!(cmd, Cmd::Havoc(_))).count()
}

fn differ(terms: &mut Terms, a: Term, b: Term) -> Term {
    if let Sort::Array { index, .. } = terms.sort(a) {
        let somewhere = terms.fresh("somewhere", Sort::Bits(index));
        let (a, b) = (terms.select(a, somewhere), terms.select(b, somewhere));
        terms.ne(a, b)
    } else {
        terms.ne(a, b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `v[i] = 2` and `v[j] = 3`, or `v[j] = input`, as the caller likes it.
    struct Rows {
        terms: Terms,
        v: Term,
        i: Term,
        j: Term,
    }

    fn rows() -> Rows {
        let mut terms = Terms::new();
        let v = terms.var("v", Sort::Array { index: 4, element: 4 });
        let (i, j) = (terms.var("i", Sort::Bits(4)), terms.var("j", Sort::Bits(4)));
        Rows { terms, v, i, j }
    }

    fn asked(rows: &mut Rows, label: Term, first: &[Cmd], second: &[Cmd]) -> bool {
        let mut solver = CheckedSolver::new();
        commute(&mut solver, &mut rows.terms, label, first, second, &Limits::none())
            .expect("no limit should be reached")
    }

    fn put(rows: &mut Rows, index: Term, value: u128) -> Cmd {
        let value = rows.terms.constant(value, 4);
        let written = rows.terms.store(rows.v, index, value);
        Cmd::Assign(rows.terms.as_var(rows.v).expect("v should be a variable"), written)
    }

    #[test]
    fn stores_to_different_elements_commute() {
        let mut rows = rows();
        let (i, j) = (rows.i, rows.j);
        let (a, b) = (put(&mut rows, i, 2), put(&mut rows, j, 3));
        let (anywhere, apart) = (rows.terms.tt(), rows.terms.ne(i, j));
        assert!(asked(&mut rows, apart, &[a], &[b]), "different elements should commute");
        assert!(!asked(&mut rows, anywhere, &[a], &[b]), "the same element keeps the last value");
    }

    #[test]
    fn a_guard_that_the_other_one_changes_does_not_commute() {
        let mut rows = rows();
        let (i, j) = (rows.i, rows.j);
        let x = rows.terms.as_var(i).expect("i should be a variable");
        let (zero, equal) = (rows.terms.constant(0, 4), rows.terms.eq(i, j));
        let (set, guard) = (Cmd::Assign(x, zero), Cmd::Assume(equal));
        let anywhere = rows.terms.tt();
        assert!(!asked(&mut rows, anywhere, &[set], &[guard]));
        let both_zero = {
            let (a, b) = (rows.terms.eq(i, zero), rows.terms.eq(j, zero));
            rows.terms.and2(a, b)
        };
        assert!(asked(&mut rows, both_zero, &[set], &[guard]));
    }

    #[test]
    fn inputs_keep_their_values_in_the_other_order() {
        let mut rows = rows();
        let (x, y) =
            (rows.terms.as_var(rows.i).expect("a variable"), rows.terms.as_var(rows.j).expect("a variable"));
        let anywhere = rows.terms.tt();
        assert!(asked(&mut rows, anywhere, &[Cmd::Havoc(x)], &[Cmd::Havoc(y)]));
        let copy = Cmd::Assign(y, rows.i);
        assert!(!asked(&mut rows, anywhere, &[Cmd::Havoc(x), copy], &[Cmd::Havoc(y)]));
    }
}
