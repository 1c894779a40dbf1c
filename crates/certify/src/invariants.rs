//! Checks an inductive invariant: the proof that a configurable program analysis hands over.
//!
//! # What is claimed
//! For each global location a set of labels: in every interleaving, the data satisfies one of them when the threads are there. A step
//! is a [transaction](crate::transactions) of one thread; without reduction it is one action.
//!
//! # What is checked
//! 1. **Transactions** are complete and have at most one visible action each ([`crate::transactions`]).
//! 2. **Start**: the initial state satisfies a label of the initial location.
//! 3. **Induction**: from every label, every transaction of every thread that can move leads to a label of the location where it ends, or
//!    cannot be taken. No thread is skipped: this proof uses no independence.
//! 4. **Property**: from no label can a transaction be taken that ends in a violation, or in something undefined.
//! 5. **Properties of states** (termination, which needs [more](crate::ranking), includes deadlocks): no state of a label blocks the next actions of
//!    all threads that are left (for deadlocks), or lets two threads race (for races).
//!
//! # Constants first
//! The labels of explicit values are mostly equations `x == c`. A triple is therefore first tried with these constants
//! substituted: then guards and labels fold to truth values, and only what is left goes to the solver. This is exact: it is
//! substitution of equals.

use crate::demand;
use crate::transactions::{self, CheckedProduct};
use base::{Budget, Inconclusive};
use evidence::{InvariantProof, LocationId};
use logic::path::{Cmd, SymbolicStore};
use logic::{Model, Op, Solver, Sort, Symbol, Term, Terms};
use program::interp::ThreadId;
use program::{Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};

/// The labels of one location.
#[derive(Default)]
struct Labels {
    all: Vec<Term>,
    set: FxHashSet<Term>,
    /// The sets of variables of labels that consist of equations only, sorted.
    shapes: Vec<Vec<Symbol>>,
}

struct Induction<'a, 'p> {
    checked: CheckedProduct<'a, 'p>,
    labels: FxHashMap<LocationId, Labels>,
}

/// Checks that `proof` proves `property` of `program`; hands over what was checked, for [termination](crate::ranking).
pub(crate) fn check<'a, 'p>(
    program: &'p Program,
    property: Property,
    proof: &'a InvariantProof,
    budget: &Budget,
) -> Result<CheckedProduct<'a, 'p>, Inconclusive> {
    let checked = transactions::check(program, property, &proof.product, budget)?;
    let mut induction = Induction { checked, labels: FxHashMap::default() };
    for (at, labels) in &proof.labels {
        let labels: Result<Vec<Term>, _> = labels.iter().map(|id| induction.checked.formula(*id)).collect();
        let known = Labels::of(&induction.checked.terms, labels?);
        let twice = induction.labels.insert(*at, known).is_some();
        demand(!twice, || format!("two sets of labels at {at}"))?;
    }
    induction.start()?;
    for (at, labels) in &proof.labels {
        for label in labels {
            budget.check()?;
            let label = induction.checked.formula(*label)?;
            induction.label(*at, label)?;
        }
    }
    Ok(induction.checked)
}

impl Labels {
    fn of(terms: &Terms, labels: Vec<Term>) -> Labels {
        let mut shapes = FxHashSet::default();
        for label in &labels {
            let (constants, rest) = split(terms, *label);
            if rest.is_empty() {
                let mut shape: Vec<Symbol> = constants.iter().map(|(s, _)| *s).collect();
                shape.sort();
                shapes.insert(shape);
            }
        }
        let mut shapes: Vec<_> = shapes.into_iter().collect();
        shapes.sort();
        let set = labels.iter().copied().collect();
        Labels { all: labels, set, shapes }
    }
}

/// The equations of a label, and its other conjuncts.
fn split(terms: &Terms, label: Term) -> (Vec<(Symbol, Term)>, Vec<Term>) {
    let mut equations: Vec<(Symbol, Term)> = Vec::new();
    let mut rest = Vec::new();
    for part in terms.conjuncts(label) {
        let equation = match terms.op(part) {
            Op::Var(symbol) => Some((symbol, terms.tt())),
            Op::Not => terms.as_var(terms.kid(part, 0)).map(|symbol| (symbol, terms.ff())),
            Op::Eq => {
                let (a, b) = (terms.kid(part, 0), terms.kid(part, 1));
                let found = terms.as_var(a).map(|s| (s, b)).or_else(|| terms.as_var(b).map(|s| (s, a)));
                found.filter(|(_, value)| terms.free_vars(*value).is_empty())
            }
            _ => None,
        };
        match equation.filter(|(symbol, _)| equations.iter().all(|(s, _)| s != symbol)) {
            Some(equation) => equations.push(equation),
            None => rest.push(part),
        }
    }
    (equations, rest)
}

impl Induction<'_, '_> {
    fn start(&mut self) -> Result<(), Inconclusive> {
        let (start, init) = self.checked.initial.clone();
        let start = self.checked.product.locations.iter_enumerated().find(|(_, at)| ***at == start);
        let tt = self.checked.terms.tt();
        self.leads_to(tt, &init, start.map(|(id, _)| id), "the initial state")
    }

    /// 3. to 5. for one label.
    fn label(&mut self, at: LocationId, label: Term) -> Result<(), Inconclusive> {
        let location = self.checked.location(at)?;
        let threads: Vec<ThreadId> = location.movable().collect();
        for &thread in &threads {
            let blocks = self.checked.blocks(at, thread);
            let missing = || Inconclusive::CheckFailed(format!("no transactions of {thread} at {location}"));
            let blocks = blocks.ok_or_else(missing)?;
            for (block, end) in &blocks.taken {
                self.leads_to(label, block, Some(*end), &format!("a label at {location}"))?;
            }
            for terminal in &blocks.terminals {
                if !self.checked.observer.is_harmless(&terminal.kind) {
                    let what = format!("that {:?} is impossible at {location}", terminal.kind);
                    self.leads_to(label, &terminal.block, None, &what)?;
                }
            }
        }
        for (block, what) in self.checked.forbidden(at)?.iter() {
            self.leads_to(label, block, None, &format!("{what} at {location}"))?;
        }
        Ok(())
    }

    /// `{pre} block {some label at target}`; without a target, that the block cannot be executed.
    fn leads_to(
        &mut self,
        pre: Term,
        block: &[Cmd],
        target: Option<LocationId>,
        what: &str,
    ) -> Result<(), Inconclusive> {
        let CheckedProduct { terms, solver, limits, .. } = &mut self.checked;
        let (constants, rest) = split(terms, pre);
        let mut store = SymbolicStore::default();
        for (symbol, value) in constants {
            store.step(terms, Cmd::Assign(symbol, value));
        }
        let mut conditions = Vec::new();
        for part in rest {
            let part = store.apply(terms, part);
            conditions.extend(terms.conjuncts(part));
        }
        conditions.extend(store.run(terms, block));
        if conditions.iter().any(|c| is_false(terms, *c)) {
            return Ok(());
        }
        let labels = target.and_then(|location| self.labels.get(&location));
        if let Some(labels) = labels {
            for shape in &labels.shapes {
                if labels.set.contains(&equations(terms, &store, shape)) {
                    return Ok(());
                }
            }
        }
        for label in labels.map_or(&[][..], |labels| &labels.all) {
            let not = terms.not(*label);
            let not = store.apply(terms, not);
            if is_false(terms, not) {
                return Ok(());
            }
            conditions.extend(terms.conjuncts(not));
        }
        for condition in &mut conditions {
            *condition = by_elements(terms, *condition);
        }
        if conditions.iter().any(|c| is_false(terms, *c)) {
            return Ok(());
        }
        let answer = solver.check(terms, &conditions, limits)?;
        demand(answer.is_unsat(), || format!("{what} does not hold"))
    }
}

/// Returns true if a condition is false in every state. One without variables is evaluated: arrays that are equal may be written
/// in different ways.
fn is_false(terms: &Terms, condition: Term) -> bool {
    match terms.as_bool(condition) {
        Some(truth) => !truth,
        None if terms.free_vars(condition).is_empty() => !terms.eval(condition, &Model::default()).truth(),
        None => false,
    }
}

/// A condition in which equations between arrays that are the same constant wherever they were not written are equations between
/// the elements that were.
fn by_elements(terms: &mut Terms, condition: Term) -> Term {
    let is_equation = |t: &Term| {
        let of_arrays = |kid: Term| matches!(terms.sort(kid), Sort::Array { .. });
        terms.op(*t) == Op::Eq && of_arrays(terms.kid(*t, 0))
    };
    let equations: Vec<Term> = terms.subterms(&[condition]).into_iter().filter(is_equation).collect();
    let mut result = condition;
    for equation in equations {
        let (left, right) = (terms.kid(equation, 0), terms.kid(equation, 1));
        let (Some((base, mut indices)), Some((other, more))) = (written(terms, left), written(terms, right))
        else {
            continue;
        };
        if base != other {
            continue;
        }
        indices.extend(more);
        let mut parts = Vec::new();
        for index in indices {
            let (a, b) = (terms.select(left, index), terms.select(right, index));
            parts.push(terms.eq(a, b));
        }
        let elements = terms.and(&parts);
        result = terms.replace(result, equation, elements);
    }
    result
}

/// The constant array that was written to, and the indices.
fn written(terms: &Terms, array: Term) -> Option<(Term, Vec<Term>)> {
    let (mut at, mut indices) = (array, Vec::new());
    while terms.op(at) == Op::Store {
        indices.push(terms.kid(at, 1));
        at = terms.kid(at, 0);
    }
    matches!(terms.op(at), Op::ConstArray(_)).then_some((at, indices))
}

/// What the variables of a shape are in the end, as a label.
fn equations(terms: &mut Terms, store: &SymbolicStore, shape: &[Symbol]) -> Term {
    let mut parts = Vec::with_capacity(shape.len());
    for &symbol in shape {
        let value = store.value(terms, symbol);
        let variable = terms.var_of(symbol);
        parts.push(terms.eq(variable, value));
    }
    terms.and(&parts)
}
