//! Whether two blocks of commands commute: by what they access, and else by the solver.
//!
//! `first; second` may be replaced by `second; first` in a state if, with the same inputs, the other order can be executed, too, and leads to the same state.
//! Blocks whose accesses do not conflict commute everywhere ([`Accesses::conflict`]). Otherwise the definition becomes a query: both orders are executed on
//! symbolic values, and the solver searches for a state that satisfies the given facts and in which they differ ([`commute`]). Arrays are compared at an arbitrary index.

use crate::effect::parts;
use base::Inconclusive;
use logic::path::{Cmd, SymbolicStore};
use logic::{Limits, Solver, Sort, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The variables that commands access.
#[derive(Clone, Default)]
pub(crate) struct Accesses {
    pub(crate) reads: FxHashSet<Symbol>,
    pub(crate) writes: FxHashSet<Symbol>,
}

impl Accesses {
    /// The variables that a block accesses.
    pub(crate) fn of(terms: &Terms, block: &[Cmd]) -> Self {
        let mut accesses = Self::default();
        accesses.add(terms, block);
        accesses
    }

    /// Adds the variables that a block accesses.
    pub(crate) fn add(&mut self, terms: &Terms, block: &[Cmd]) {
        for cmd in block {
            let (read, written) = parts(cmd);
            self.reads.extend(read.into_iter().flat_map(|term| terms.free_vars(term)));
            self.writes.extend(written);
        }
    }

    /// Returns true if one side writes what the other one accesses.
    pub(crate) fn conflict(&self, other: &Self) -> bool {
        !(self.writes.is_disjoint(&other.writes)
            && self.writes.is_disjoint(&other.reads)
            && self.reads.is_disjoint(&other.writes))
    }
}

/// Two blocks that should be exchanged.
pub(crate) struct Exchange<'a> {
    /// What holds before.
    pub(crate) given: &'a [Term],
    /// The block that is executed first.
    pub(crate) first: &'a [Cmd],
    /// The block that is executed second.
    pub(crate) second: &'a [Cmd],
    /// `second` ends the program: in the other order nothing is left to execute or to compare.
    pub(crate) second_stops: bool,
}

/// Returns true if `second; first` does what `first; second` does, wherever `given` holds and the latter can be executed; false also if the solver gave up.
pub(crate) fn commute<S: Solver>(
    solver: &mut S,
    terms: &mut Terms,
    exchange: &Exchange<'_>,
    limits: &Limits,
) -> Result<bool, Inconclusive> {
    let Exchange { given, first, second, second_stops } = *exchange;
    if !second_stops && !Accesses::of(terms, first).conflict(&Accesses::of(terms, second)) {
        return Ok(true);
    }
    let (one, one_conditions) = execute(terms, &[first, second]);
    let after_first: &[Cmd] = if second_stops { &[] } else { first };
    let (other, other_conditions) = execute(terms, &[second, after_first]);
    // The inputs of `first` come first in one order and last in the other.
    let n_first = one.havocs().len() - count_inputs(second);
    let inputs = one.havocs()[n_first..].iter().chain(&one.havocs()[..n_first]);
    let renaming: FxHashMap<Symbol, Term> = (other.havocs().iter().zip(inputs))
        .filter_map(|(theirs, ours)| terms.as_var(*theirs).map(|symbol| (symbol, *ours)))
        .collect();
    let mut differences = Vec::new();
    for condition in other_conditions {
        let condition = terms.substitute(condition, &renaming);
        differences.push(terms.not(condition));
    }
    if !second_stops {
        let changed: BTreeSet<Symbol> = one.values().keys().chain(other.values().keys()).copied().collect();
        for symbol in changed {
            let (ours, theirs) = (one.value(terms, symbol), other.value(terms, symbol));
            let theirs = terms.substitute(theirs, &renaming);
            differences.push(differ(terms, ours, theirs));
        }
    }
    let mut query: Vec<Term> = given.iter().flat_map(|fact| terms.conjuncts(*fact)).collect();
    query.extend(one_conditions);
    query.push(terms.or(&differences));
    Ok(solver.check(terms, &query, limits)?.is_unsat())
}

fn execute(terms: &mut Terms, blocks: &[&[Cmd]]) -> (SymbolicStore, Vec<Term>) {
    let mut store = SymbolicStore::default();
    let conditions = blocks.iter().flat_map(|block| store.run(terms, block)).collect();
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
    use crate::CheckedSolver;

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

    fn exchangeable(rows: &mut Rows, label: Term, first: &[Cmd], second: &[Cmd]) -> bool {
        let mut solver = CheckedSolver::new();
        let exchange = Exchange { given: &[label], first, second, second_stops: false };
        let answer = commute(&mut solver, &mut rows.terms, &exchange, &Limits::none());
        answer.expect("no limit should be reached")
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
        assert!(exchangeable(&mut rows, apart, &[a], &[b]), "different elements should commute");
        assert!(!exchangeable(&mut rows, anywhere, &[a], &[b]), "the same element keeps the last value");
    }

    #[test]
    fn a_guard_that_the_other_one_changes_does_not_commute() {
        let mut rows = rows();
        let (i, j) = (rows.i, rows.j);
        let x = rows.terms.as_var(i).expect("i should be a variable");
        let (zero, equal) = (rows.terms.constant(0, 4), rows.terms.eq(i, j));
        let (set, guard) = (Cmd::Assign(x, zero), Cmd::Assume(equal));
        let anywhere = rows.terms.tt();
        assert!(!exchangeable(&mut rows, anywhere, &[set], &[guard]));
        let both_zero = {
            let (a, b) = (rows.terms.eq(i, zero), rows.terms.eq(j, zero));
            rows.terms.and2(a, b)
        };
        assert!(exchangeable(&mut rows, both_zero, &[set], &[guard]));
    }

    #[test]
    fn inputs_keep_their_values_in_the_other_order() {
        let mut rows = rows();
        let (x, y) =
            (rows.terms.as_var(rows.i).expect("a variable"), rows.terms.as_var(rows.j).expect("a variable"));
        let anywhere = rows.terms.tt();
        assert!(exchangeable(&mut rows, anywhere, &[Cmd::Havoc(x)], &[Cmd::Havoc(y)]));
        let copy = Cmd::Assign(y, rows.i);
        assert!(!exchangeable(&mut rows, anywhere, &[Cmd::Havoc(x), copy], &[Cmd::Havoc(y)]));
    }
}
