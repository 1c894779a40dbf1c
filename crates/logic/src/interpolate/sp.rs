//! Strongest postconditions over the slice, forwards, projected onto live variables.
//!
//! The state at a cut is the set of the core's formulas so far plus an equation per live variable with its current
//! version; versions are eliminated where an equation can be solved for one, and formulas that still mention one are
//! dropped. Dropping makes the label weaker than the strongest postcondition, which may break the next triple: the
//! validation decides.

use super::slice::{Slice, Sliced};
use crate::term::{Op, Sort, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// Stands for the value of a variable at the start: a number that no path reaches.
const AT_START: u32 = u32::MAX;

/// The labels.
pub(super) fn labels(terms: &mut Terms, slice: &Slice) -> Vec<Term> {
    let live = live_variables(terms, slice);
    let mut labels = Vec::with_capacity(live.len());
    for (cut, variables) in live.iter().enumerate() {
        let mut facts = Vec::new();
        for row in slice.rows.iter().filter(|row| row.stage <= cut) {
            facts.push(at_start(terms, row.formula));
        }
        for &x in variables {
            let state = terms.var_of(x);
            let value = slice.versions[cut].get(&x).copied().unwrap_or(state);
            let value = at_start(terms, value);
            facts.push(terms.eq(state, value));
        }
        labels.push(project(terms, facts, variables));
    }
    labels
}

/// A row's formula with the values at the start renamed, so that state variables mean the values at the cut.
fn at_start(terms: &mut Terms, formula: Term) -> Term {
    let mut map = FxHashMap::default();
    for x in terms.free_vars(formula) {
        if !terms.is_version(x) {
            map.insert(x, terms.version(x, AT_START));
        }
    }
    terms.substitute(formula, &map)
}

/// For each cut, the variables that the rest of the slice reads before it sets them, ordered.
fn live_variables(terms: &Terms, slice: &Slice) -> Vec<Vec<Symbol>> {
    let mut live: FxHashSet<Symbol> = terms.free_vars(slice.post).into_iter().collect();
    let mut all = vec![live.clone()];
    for block in slice.blocks.iter().rev() {
        for &cmd in block.iter().rev() {
            match cmd {
                Sliced::Assume(guard) => live.extend(terms.free_vars(guard)),
                Sliced::Havoc(x) | Sliced::Forget(x, _) => _ = live.remove(&x),
                Sliced::Assign(x, value) => {
                    if live.remove(&x) {
                        live.extend(terms.free_vars(value));
                    }
                }
            }
        }
        all.push(live.clone());
    }
    all.reverse();
    let sorted = |set: FxHashSet<Symbol>| {
        let mut list: Vec<Symbol> = set.into_iter().collect();
        list.sort_unstable();
        list
    };
    all.into_iter().map(sorted).collect()
}

fn project(terms: &mut Terms, facts: Vec<Term>, keep: &[Symbol]) -> Term {
    let mut facts: Vec<Term> = facts.into_iter().flat_map(|f| terms.conjuncts(f)).collect();
    while let Some((n, x, by)) = find_definition(terms, &facts, keep) {
        facts.remove(n);
        let map = FxHashMap::from_iter([(x, by)]);
        let all = terms.and(&facts);
        let all = terms.substitute(all, &map);
        facts = terms.conjuncts(all);
    }
    facts.retain(|&f| terms.free_vars(f).iter().all(|x| keep.contains(x)));
    terms.and(&facts)
}

/// A fact that says what an unwanted variable is.
fn find_definition(terms: &mut Terms, facts: &[Term], keep: &[Symbol]) -> Option<(usize, Symbol, Term)> {
    for (n, &fact) in facts.iter().enumerate() {
        for x in terms.free_vars(fact) {
            if keep.contains(&x) {
                continue;
            }
            if let Some(by) = definition(terms, fact, x) {
                return Some((n, x, by));
            }
        }
    }
    None
}

fn definition(terms: &mut Terms, fact: Term, x: Symbol) -> Option<Term> {
    let variable = terms.var_of(x);
    if fact == variable {
        return Some(terms.tt());
    }
    if terms.op(fact) == Op::Not && terms.kid(fact, 0) == variable {
        return Some(terms.ff());
    }
    if terms.op(fact) != Op::Eq {
        return None;
    }
    let (l, r) = (terms.kid(fact, 0), terms.kid(fact, 1));
    let by = match terms.sort(l) {
        Sort::Bits(_) => {
            let sum = terms.difference(l, r);
            terms.solve_for(&sum, variable)?
        }
        _ if l == variable => r,
        _ if r == variable => l,
        _ => return None,
    };
    (!terms.mentions(by, x)).then_some(by)
}
