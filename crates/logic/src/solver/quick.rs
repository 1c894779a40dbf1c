//! Answers without search.
//!
//! Most queries of a search are easy: labels say the values of a few variables, and a query about them is like an
//! earlier one. Three looks, each far cheaper than a search, come first:
//!
//! | look | finds |
//! |---|---|
//! | [`Quick::opposites`] | `t` and `!t`, or all parts of `t` and `!t`, among the assumptions |
//! | [`Quick::by_constants`] | an assumption that is false, or all true, given those that say `x == 3` |
//! | [`Quick::by_models`] | a model of an earlier query that satisfies this one, too |
//!
//! The last one answers without the query's own model; it serves [`super::Solver::core`] only.
//!
//! Direction of error: none; a look that sees nothing leaves the query open.

use crate::term::{Marks, Model, Op, Sort, Term, Terms, Value};
use std::collections::VecDeque;

/// Larger queries are left to the search at once.
const MAX_NODES: usize = 400;
/// How many models are remembered.
const MAX_MODELS: usize = 48;

/// What a look saw.
#[derive(Debug)]
pub(super) enum Look {
    Unsat(Vec<Term>),
    Sat,
    Open,
}

/// The memory behind the looks.
#[derive(Default)]
pub(super) struct Quick {
    marks: Marks,
    models: VecDeque<Model>,
    operands: Vec<Value>,
}

fn position(n: usize) -> u32 {
    u32::try_from(n).expect("a small graph should have few edges")
}

/// The subterms of a query, operands first, ready to be evaluated many times.
struct Graph<'a> {
    terms: &'a Terms,
    nodes: &'a [Term],
    /// The positions of all operands, and where those of each node begin.
    kids: Vec<u32>,
    firsts: Vec<u32>,
    is_assumed: Vec<bool>,
}

impl<'a> Graph<'a> {
    fn new(terms: &'a Terms, nodes: &'a [Term], assumptions: &[Term]) -> Self {
        let place = |t: &Term| nodes.binary_search(t).expect("a subterm should be in the graph");
        let mut kids = Vec::with_capacity(2 * nodes.len());
        let mut firsts = Vec::with_capacity(nodes.len() + 1);
        for &node in nodes {
            firsts.push(position(kids.len()));
            kids.extend(terms.kids(node).iter().map(|kid| position(place(kid))));
        }
        firsts.push(position(kids.len()));
        let mut is_assumed = vec![false; nodes.len()];
        for t in assumptions {
            is_assumed[place(t)] = true;
        }
        Self { terms, nodes, kids, firsts, is_assumed }
    }

    fn kids(&self, at: usize) -> &[u32] {
        &self.kids[self.firsts[at] as usize..self.firsts[at + 1] as usize]
    }

    /// Returns true if all assumptions hold in `model`.
    fn holds_in(&self, model: &Model, operands: &mut Vec<Value>) -> bool {
        let mut values: Vec<Value> = Vec::with_capacity(self.nodes.len());
        for (at, &node) in self.nodes.iter().enumerate() {
            let value = match self.terms.op(node) {
                Op::Var(x) => model.get(x).cloned().unwrap_or_else(|| Value::zero(self.terms.sort(node))),
                op => {
                    operands.clear();
                    operands.extend(self.kids(at).iter().map(|&kid| values[kid as usize].clone()));
                    self.terms.apply(op, self.terms.kids(node), operands)
                }
            };
            if self.is_assumed[at] && !value.truth() {
                return false;
            }
            values.push(value);
        }
        true
    }

    /// For each node that an assumption says to be a constant, that assumption's position and the constant.
    fn bindings(&self) -> Vec<Option<(usize, Value)>> {
        let mut bindings = vec![None; self.nodes.len()];
        for (at, &node) in self.nodes.iter().enumerate().filter(|(at, _)| self.is_assumed[*at]) {
            let op = self.terms.op(node);
            if matches!(op, Op::Var(_)) {
                bindings[at] = Some((at, Value::Bool(true)));
            }
            let (&[a, ..], true) = (self.kids(at), matches!(op, Op::Not | Op::Eq)) else { continue };
            if op == Op::Not {
                bindings[a as usize] = Some((at, Value::Bool(false)));
                continue;
            }
            let b = self.kids(at)[1];
            for (x, c) in [(a, b), (b, a)] {
                if let Some(bits) = self.terms.as_const(self.nodes[c as usize]) {
                    bindings[x as usize] = Some((at, Value::Bits(bits)));
                }
            }
        }
        // Only what has no value by itself: whatever can be computed is.
        for (at, &node) in self.nodes.iter().enumerate() {
            let is_free = match self.terms.op(node) {
                Op::Var(_) => true,
                Op::Select => self.terms.as_var(self.terms.kid(node, 0)).is_some(),
                _ => false,
            };
            if !is_free {
                bindings[at] = None;
            }
        }
        bindings
    }

    /// The values of all nodes that `bindings` determine.
    fn determined(
        &self,
        bindings: &[Option<(usize, Value)>],
        operands: &mut Vec<Value>,
    ) -> Vec<Option<Value>> {
        let mut values: Vec<Option<Value>> = Vec::with_capacity(self.nodes.len());
        for (at, &node) in self.nodes.iter().enumerate() {
            let value = match (&bindings[at], self.terms.op(node)) {
                (Some((_, value)), _) => Some(value.clone()),
                (None, op) => self.apply(at, op, &values, operands),
            };
            values.push(value);
        }
        values
    }

    fn apply(&self, at: usize, op: Op, values: &[Option<Value>], operands: &mut Vec<Value>) -> Option<Value> {
        let kids = self.kids(at);
        let value = |n: usize| values[kids[n] as usize].as_ref();
        let no = Value::Bool(false);
        match op {
            Op::Var(_) => return None,
            Op::And if (0..kids.len()).any(|n| value(n) == Some(&no)) => return Some(no),
            Op::Ite => {
                let chosen = if value(0)?.truth() { 1 } else { 2 };
                return value(chosen).cloned();
            }
            _ => {}
        }
        operands.clear();
        for n in 0..kids.len() {
            operands.push(value(n)?.clone());
        }
        Some(self.terms.apply(op, self.terms.kids(self.nodes[at]), operands))
    }

    /// The assumptions whose constants the node `at` depends on, and the node itself.
    fn reasons(&self, at: usize, bindings: &[Option<(usize, Value)>]) -> Vec<Term> {
        let mut is_seen = vec![false; self.nodes.len()];
        let mut core = vec![self.nodes[at]];
        let mut stack = vec![at];
        while let Some(at) = stack.pop() {
            if std::mem::replace(&mut is_seen[at], true) {
                continue;
            }
            match &bindings[at] {
                Some((by, _)) => core.push(self.nodes[*by]),
                None => stack.extend(self.kids(at).iter().map(|&kid| kid as usize)),
            }
        }
        core.sort_unstable();
        core.dedup();
        core
    }
}

impl Quick {
    /// Assumptions that are the negation of each other, or of a conjunction.
    pub(super) fn opposites(&mut self, terms: &Terms, assumptions: &[Term]) -> Option<Vec<Term>> {
        self.marks.clear(terms.len());
        for &t in assumptions {
            self.marks.insert(t);
        }
        for &t in assumptions.iter().filter(|&&t| terms.op(t) == Op::Not) {
            let denied = terms.kid(t, 0);
            if self.marks.contains(denied) {
                return Some(vec![denied, t]);
            }
            if terms.op(denied) == Op::And && terms.kids(denied).iter().all(|&part| self.marks.contains(part))
            {
                return Some(terms.kids(denied).iter().copied().chain([t]).collect());
            }
        }
        None
    }

    /// What the assumptions that give constants say about the others. `subterms` are those of the assumptions.
    pub(super) fn by_constants(&mut self, terms: &Terms, subterms: &[Term], assumptions: &[Term]) -> Look {
        let says_constant = |&t: &Term| match terms.op(t) {
            Op::Var(_) => true,
            Op::Not => terms.as_var(terms.kid(t, 0)).is_some(),
            Op::Eq => terms.kids(t).iter().any(|&k| terms.as_const(k).is_some()),
            _ => false,
        };
        if subterms.len() > MAX_NODES || !assumptions.iter().any(says_constant) {
            return Look::Open;
        }
        let graph = Graph::new(terms, subterms, assumptions);
        let bindings = graph.bindings();
        let values = graph.determined(&bindings, &mut self.operands);
        let mut look = Look::Sat;
        for at in (0..subterms.len()).filter(|&at| graph.is_assumed[at]) {
            match values[at] {
                Some(Value::Bool(true)) => {}
                Some(_) => return Look::Unsat(graph.reasons(at, &bindings)),
                None => look = Look::Open,
            }
        }
        // A read with a constant might clash with another read, so what holds here may have no model.
        let reads = |&t: &Term| matches!(terms.sort(t), Sort::Array { .. });
        if matches!(look, Look::Sat) && subterms.iter().any(reads) { Look::Open } else { look }
    }

    /// Returns true if a model of an earlier query satisfies this one.
    pub(super) fn by_models(&mut self, terms: &Terms, subterms: &[Term], assumptions: &[Term]) -> bool {
        if subterms.len() > MAX_NODES || self.models.is_empty() {
            return false;
        }
        let graph = Graph::new(terms, subterms, assumptions);
        let found = self.models.iter().position(|model| graph.holds_in(model, &mut self.operands));
        if let Some(model) = found.and_then(|at| self.models.remove(at)) {
            self.models.push_front(model);
        }
        found.is_some()
    }

    /// Remembers a model.
    pub(super) fn remember(&mut self, model: Model) {
        self.models.truncate(MAX_MODELS - 1);
        self.models.push_front(model);
    }
}

#[cfg(test)]
mod tests {
    use crate::solver::Solver;
    use crate::{Embedded, Limits, Model, Sort, Term, Terms, Value};

    /// Conjunctions of small labels, put to one solver in a row so that constants and old models answer many of them:
    /// answers and cores as by trying all values.
    #[test]
    fn looks_agree_with_brute_force() {
        let mut seed = 77u64;
        let mut below = |n: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as usize % n
        };
        let mut t = Terms::new();
        let vars: Vec<Term> = ["x", "y", "z"].iter().map(|n| t.var(n, Sort::Bits(2))).collect();
        let p = t.var("p", Sort::Bool);
        let symbols: Vec<_> = vars.iter().chain([&p]).map(|&v| t.as_var(v).unwrap()).collect();
        let is_possible = |t: &Terms, formulas: &[Term]| {
            (0..128u128).any(|code| {
                let mut model = Model::default();
                for (n, &x) in symbols[..3].iter().enumerate() {
                    model.set(x, Value::Bits(code >> (2 * n) & 3));
                }
                model.set(symbols[3], Value::Bool(code >> 6 == 1));
                formulas.iter().all(|&f| t.eval(f, &model).truth())
            })
        };
        let mut solver = Embedded::new();
        let mut n_unsat = 0;
        for _ in 0..2000 {
            let mut formulas = Vec::new();
            for _ in 0..1 + below(5) {
                let (v, w) = (vars[below(3)], vars[below(3)]);
                let c = t.constant(below(4) as u128, 2);
                let (sum, same) = (t.add(w, c), t.eq(v, c));
                let atoms = [same, same, t.ult(v, sum), t.ne(v, sum), p, t.or2(p, same)];
                let atom = atoms[below(6)];
                formulas.push(if below(4) == 0 { t.not(atom) } else { atom });
            }
            let core = solver.core(&t, &formulas, &Limits::none()).unwrap();
            assert_eq!(core.is_none(), is_possible(&t, &formulas));
            if let Some(core) = core {
                n_unsat += 1;
                assert!(core.iter().all(|c| formulas.contains(c)) && !is_possible(&t, &core));
            }
        }
        let done = solver.statistics();
        assert!(n_unsat > 300 && done.remembered > 300 && done.searches < 1000, "{n_unsat}: {done:?}");
    }
}
