//! Checks an inductive invariant: the proof that a configurable program analysis hands over.
//!
//! # What is claimed
//! For each control a set of labels: whatever the interleaving, the data satisfies one of them when the threads are there. A step
//! is a *run* of one thread, as in the check of [trees](crate::tree); without reduction it is one action.
//!
//! # What is checked
//! 1. **Runs** are complete, and nobody can tell a run from one step: by the same procedure as for trees.
//! 2. **Start**: the initial state satisfies a label of the initial control.
//! 3. **Induction**: from every label, every run of every thread that can move leads to a label of the control where it ends, or
//!    cannot be taken. Nobody is skipped: this proof uses no dependence.
//! 4. **Property**: from no label can a run be taken that ends in a violation, or in something without a meaning.
//! 5. **Properties of states**, if asked for (termination, which needs [more](crate::ranks), asks for the first): nobody blocks (is about to make an access that another
//!    thread may make, too) in the middle of a run, and no state of a label blocks the next actions of all threads that are left (lets two threads race).
//!
//! # Constants first
//! The labels of explicit values are mostly equations `x == c`. A triple is therefore first tried with these constants put
//! in: then guards and labels fold to truth values, and only what is left goes to the solver. This is exact: it is
//! substitution of equals.

use crate::tree::{Checker, demand};
use base::{Budget, Inconclusive};
use evidence::InvariantProof;
use logic::path::{Cmd, SymbolicStore};
use logic::{Model, Op, Solver, Sort, Symbol, Term, Terms};
use program::interp::ThreadId;
use program::{Program, Property};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::encoding::{Encoder, GlobalLocation};
use std::sync::Arc;

/// The labels of one control.
#[derive(Default)]
struct Labels {
    all: Vec<Term>,
    set: FxHashSet<Term>,
    /// The sets of variables that labels of equations only are about, sorted.
    shapes: Vec<Vec<Symbol>>,
}

struct Induction<'a, 'p> {
    checker: Checker<'a, 'p>,
    labels: FxHashMap<Arc<GlobalLocation>, Labels>,
}

/// Checks that `proof` proves `property` of `program`.
pub(crate) fn check(
    program: &Program,
    property: Property,
    proof: &InvariantProof,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    let mut encoder = Encoder::with_identities(&semantics::Analysis::of(program), &proof.steps.identities)?;
    if matches!(property, Property::NoDeadlock | Property::Termination) {
        encoder = encoder.following_waits();
    }
    let checker = Checker::new(program, property, &proof.steps, encoder, budget);
    let mut induction = Induction { checker, labels: FxHashMap::default() };
    induction.checker.check_runs()?;
    induction.checker.runs_stop_for(property)?;
    for (control, labels) in &proof.labels {
        let known = Labels::of(&induction.checker, labels);
        let twice = induction.labels.insert(Arc::clone(control), known).is_some();
        demand(!twice, || format!("two sets of labels at {control}"))?;
    }
    induction.start()?;
    for (control, labels) in &proof.labels {
        for label in labels {
            induction.checker.limits.budget.check()?;
            induction.label(proof, control, *label)?;
        }
    }
    Ok(())
}

impl Labels {
    fn of(checker: &Checker<'_, '_>, labels: &[Term]) -> Labels {
        let mut shapes = FxHashSet::default();
        for label in labels {
            let (constants, rest) = split(checker, *label);
            if rest.is_empty() {
                let mut shape: Vec<Symbol> = constants.iter().map(|(s, _)| *s).collect();
                shape.sort();
                shapes.insert(shape);
            }
        }
        let mut shapes: Vec<_> = shapes.into_iter().collect();
        shapes.sort();
        Labels { all: labels.to_vec(), set: labels.iter().copied().collect(), shapes }
    }
}

/// The equations of a label, and its other conjuncts.
fn split(checker: &Checker<'_, '_>, label: Term) -> (Vec<(Symbol, Term)>, Vec<Term>) {
    let terms = &checker.terms;
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
        let (control, init) = self.checker.encoder.initial(&mut self.checker.terms)?;
        let tt = self.checker.terms.tt();
        self.leads_to(tt, &init, Some(&Arc::new(control)), "the initial state")
    }

    /// 3. to 5. for one label.
    fn label(
        &mut self,
        proof: &InvariantProof,
        control: &Arc<GlobalLocation>,
        label: Term,
    ) -> Result<(), Inconclusive> {
        let threads: Vec<ThreadId> = control.movable().collect();
        for &thread in &threads {
            let key = (Arc::clone(control), thread);
            let missing = || Inconclusive::CheckFailed(format!("no runs of {thread} at {control}"));
            let runs = proof.steps.runs.get(&key).ok_or_else(missing)?;
            for run in runs {
                self.leads_to(label, &run.block, Some(&run.control), &format!("a label at {control}"))?;
            }
            let terminals = self.checker.terminals.remove(&key).unwrap_or_default();
            for terminal in &terminals {
                if !self.checker.is_harmless(&terminal.kind) {
                    let what = format!("that {:?} is impossible at {control}", terminal.kind);
                    self.leads_to(label, &terminal.block, None, &what)?;
                }
            }
            self.checker.terminals.insert(key, terminals);
        }
        for (block, what) in self.checker.forbidden(control)?.iter() {
            self.leads_to(label, block, None, &format!("{what} at {control}"))?;
        }
        Ok(())
    }

    /// `{pre} block {some label at target}`; without a target, that the block cannot be executed.
    fn leads_to(
        &mut self,
        pre: Term,
        block: &[Cmd],
        target: Option<&Arc<GlobalLocation>>,
        what: &str,
    ) -> Result<(), Inconclusive> {
        let (constants, rest) = split(&self.checker, pre);
        let checker = &mut self.checker;
        let mut store = SymbolicStore::default();
        for (symbol, value) in constants {
            store.step(&mut checker.terms, Cmd::Assign(symbol, value));
        }
        let mut conditions = Vec::new();
        for part in rest {
            let part = store.apply(&mut checker.terms, part);
            conditions.extend(checker.terms.conjuncts(part));
        }
        conditions.extend(store.run(&mut checker.terms, block));
        if conditions.iter().any(|c| is_false(checker, *c)) {
            return Ok(());
        }
        let labels = target.and_then(|control| self.labels.get(control));
        if let Some(labels) = labels {
            for shape in &labels.shapes {
                if labels.set.contains(&equations(checker, &store, shape)) {
                    return Ok(());
                }
            }
        }
        let all = labels.map_or(&[][..], |labels| &labels.all);
        for label in all {
            let not = checker.terms.not(*label);
            let not = store.apply(&mut checker.terms, not);
            if is_false(checker, not) {
                return Ok(());
            }
            conditions.extend(checker.terms.conjuncts(not));
        }
        for condition in &mut conditions {
            *condition = by_elements(checker, *condition);
        }
        if conditions.iter().any(|c| is_false(checker, *c)) {
            return Ok(());
        }
        let answer = checker.solver.check(&checker.terms, &conditions, &checker.limits)?;
        demand(answer.is_unsat(), || format!("{what} does not hold"))
    }
}

/// Whether a condition is false whatever the state. One without variables is evaluated: arrays that are equal may be written
/// in different ways.
fn is_false(checker: &Checker<'_, '_>, condition: Term) -> bool {
    let terms = &checker.terms;
    match terms.as_bool(condition) {
        Some(truth) => !truth,
        None if terms.free_vars(condition).is_empty() => !terms.eval(condition, &Model::default()).truth(),
        None => false,
    }
}

/// A condition in which equations between arrays that are the same constant wherever they were not written are equations between
/// the elements that were.
fn by_elements(checker: &mut Checker<'_, '_>, condition: Term) -> Term {
    let terms = &mut checker.terms;
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
fn equations(checker: &mut Checker<'_, '_>, store: &SymbolicStore, shape: &[Symbol]) -> Term {
    let terms = &mut checker.terms;
    let mut parts = Vec::with_capacity(shape.len());
    for &symbol in shape {
        let value = store.value(terms, symbol);
        let variable = terms.var_of(symbol);
        parts.push(terms.eq(variable, value));
    }
    terms.and(&parts)
}
