//! Cubes from models.

use super::{Cut, MAX_ERRORS, MAX_STATES};
use crate::solver::{Answer, Solver};
use crate::term::{Model, Op, Sort, Term, Value};
use base::Inconclusive;

impl<S: Solver + ?Sized> Cut<'_, S> {
    /// A disjunction of cubes that holds after the block and, with the `facts`, contradicts what follows.
    pub(super) fn cover_states(&mut self, facts: &[Term]) -> Result<Option<Term>, Inconclusive> {
        let n_wrong = self.wrong.len();
        self.wrong.extend(facts);
        let cubes = self.cubes();
        self.wrong.truncate(n_wrong);
        match cubes? {
            Some(cubes) => self.suffices([facts, &[cubes]].concat()),
            None => Ok(None),
        }
    }

    fn cubes(&mut self) -> Result<Option<Term>, Inconclusive> {
        let mut label = self.terms.ff();
        for _ in 0..MAX_STATES {
            let outside = self.terms.not(label);
            let outside = self.store.apply(self.terms, outside);
            let mut assumptions = [self.last.clone(), self.conditions.clone()].concat();
            assumptions.extend(self.terms.conjuncts(outside));
            let model = match self.solver.check(self.terms, &assumptions, self.limits)? {
                Answer::Sat(model) => model,
                Answer::Unsat(_) => return Ok(Some(label)),
                Answer::Unknown => return Ok(None),
            };
            let Some(cube) = self.safe_cube(&model)? else { return Ok(None) };
            label = self.terms.or2(label, cube);
        }
        Ok(None)
    }

    /// The part of the state after the block, as in `model`, that contradicts what follows.
    fn safe_cube(&mut self, model: &Model) -> Result<Option<Term>, Inconclusive> {
        let mut facts = Vec::new();
        for x in self.scalars() {
            let place = self.terms.var_of(x);
            self.pin(&mut facts, place, model);
        }
        let reads = self.reads();
        loop {
            let assumptions: Vec<Term> = facts.iter().chain(&self.wrong).copied().collect();
            match self.solver.check(self.terms, &assumptions, self.limits)? {
                Answer::Unknown => return Ok(None),
                Answer::Unsat(core) => {
                    let core = self.minimise(&core, &facts)?;
                    return Ok(Some(self.joined(core)));
                }
                // It reads elements that the state does not have: say which it has.
                Answer::Sat(error) => {
                    let n_facts = facts.len();
                    for &read in &reads {
                        let place = self.place(read, &error);
                        let here = self.store.apply(self.terms, place);
                        if self.terms.eval(here, model) != self.terms.eval(place, &error) {
                            self.pin(&mut facts, place, model);
                        }
                    }
                    if facts.len() == n_facts {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// A conjunction of `facts` and clauses that holds after the block and contradicts what follows.
    pub(super) fn exclude_errors(&mut self, facts: Vec<Term>) -> Result<Option<Term>, Inconclusive> {
        if self.wrong.iter().any(|&t| self.compares_arrays(t)) {
            return Ok(None);
        }
        let mut clauses = facts;
        for _ in 0..MAX_ERRORS {
            let assumptions: Vec<Term> = self.wrong.iter().chain(&clauses).copied().collect();
            let error = match self.solver.check(self.terms, &assumptions, self.limits)? {
                Answer::Sat(error) => error,
                Answer::Unsat(_) => return self.suffices(clauses),
                Answer::Unknown => return Ok(None),
            };
            let Some(cube) = self.unreached_cube(&error)? else { return Ok(None) };
            let clause = self.terms.not(cube);
            clauses.extend(self.terms.conjuncts(clause));
        }
        Ok(None)
    }

    /// The part of the state of `error` that the block cannot lead to.
    fn unreached_cube(&mut self, error: &Model) -> Result<Option<Term>, Inconclusive> {
        let mut facts = Vec::new();
        let scalars: Vec<Term> = self.scalars().into_iter().map(|x| self.terms.var_of(x)).collect();
        let elements: Vec<Term> = self.reads().into_iter().map(|read| self.place(read, error)).collect();
        for place in scalars.into_iter().chain(elements) {
            let value = self.terms.eval(place, error);
            self.pin_to(&mut facts, place, &value);
        }
        let before: Vec<Term> = facts.iter().map(|&f| self.store.apply(self.terms, f)).collect();
        let mut assumptions = [self.last.clone(), self.conditions.clone()].concat();
        assumptions.extend(&before);
        let Some(core) = self.solver.core(self.terms, &assumptions, self.limits)? else { return Ok(None) };
        let core = self.solver.minimise(self.terms, &core, super::MINIMISE_TRIES, self.limits)?;
        let failed = facts.iter().zip(&before).filter(|(_, b)| core.contains(b)).map(|(&f, _)| f).collect();
        Ok(Some(self.joined(failed)))
    }

    fn compares_arrays(&self, term: Term) -> bool {
        let compares = |&t: &Term| {
            self.terms.op(t) == Op::Eq && matches!(self.terms.sort(self.terms.kid(t, 0)), Sort::Array { .. })
        };
        self.terms.subterms(&[term]).iter().any(compares)
    }

    /// The element that a read of what follows means in `model`.
    fn place(&mut self, read: Term, model: &Model) -> Term {
        let (array, index) = (self.terms.kid(read, 0), self.terms.kid(read, 1));
        let at = self.terms.eval(index, model).bits();
        let index = self.terms.constant(at, self.terms.width(index));
        self.terms.select(array, index)
    }

    /// Says the value that a place has after the block if `model` is the state before it.
    fn pin(&mut self, facts: &mut Vec<Term>, place: Term, model: &Model) {
        let value = self.store.apply(self.terms, place);
        let value = self.terms.eval(value, model);
        self.pin_to(facts, place, &value);
    }

    fn pin_to(&mut self, facts: &mut Vec<Term>, place: Term, value: &Value) {
        let bounds = match value {
            Value::Bool(true) => vec![place],
            Value::Bool(false) => vec![self.terms.not(place)],
            Value::Bits(bits) => {
                let value = self.terms.constant(*bits, self.terms.width(place));
                vec![self.terms.sle(value, place), self.terms.sle(place, value)]
            }
            Value::Array(_) => unreachable!("{place} should be an element"),
        };
        for fact in bounds {
            if self.terms.as_bool(fact).is_none() && !facts.contains(&fact) {
                facts.push(fact);
            }
        }
    }

    /// A conjunction in which two bounds that meet are an equation.
    fn joined(&mut self, mut facts: Vec<Term>) -> Term {
        let mut at = 0;
        while at < facts.len() {
            if let Some((n, equation)) = self.meeting(&facts, at) {
                facts[at] = equation;
                facts.remove(n);
            }
            at += 1;
        }
        self.terms.and(&facts)
    }

    fn meeting(&mut self, facts: &[Term], at: usize) -> Option<(usize, Term)> {
        if self.terms.op(facts[at]) != Op::Sle {
            return None;
        }
        let (a, b) = (self.terms.kid(facts[at], 0), self.terms.kid(facts[at], 1));
        let converse = self.terms.sle(b, a);
        let n = facts.iter().skip(at + 1).position(|&f| f == converse)? + at + 1;
        Some((n, self.terms.eq(a, b)))
    }
}
