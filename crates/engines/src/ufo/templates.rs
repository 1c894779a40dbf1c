//! Facts from templates: bounds of single variables, and comparisons of two, where paths give no interpolant.
//!
//! A path with a havocked value in the middle may have no interpolant that our strategies find: Farkas' lemma is about integers that do not wrap, and
//! weakest preconditions leave a quantifier. What such a path needs is often as simple as `0 <= x` and `x <= 100`. So all facts
//! `x <= c`, `c <= x` and `x == c` with a constant `c` of the path, and `x <= y`, `x == y` and `x + y == z`, that hold after all edges are conjoined; if
//! that rules out the path, its core is the fact.
//!
//! Outside of loops another kind of fact comes first: variables that have one value only. Where threads are, control says much
//! about the data, and one such fact rules out whole families of interleavings that interpolants would rule out one by one. Inside
//! loops it would be a fact about one iteration.

use super::Ufo;
use super::dag_interpolants::Entries;
use super::interrupt::Interrupt;
use logic::path::{Cmd, SymbolicStore};
use logic::{Answer, Solver, Sort, Symbol, Term, Value};
use std::collections::BTreeSet;

/// Variables, and constants, that templates are filled with.
const MAX_VARIABLES: usize = 8;
const MAX_CONSTANTS: usize = 8;
/// Maximum number of variables among which sums of two are compared with a third.
const MAX_SUMMED: usize = 5;

impl Ufo<'_> {
    /// A conjunction of simple facts that hold after all edges and, with `facts`, rule out the path.
    pub(super) fn templates(
        &mut self,
        entries: &Entries,
        suffix: &[Cmd],
        facts: &[Term],
    ) -> Result<Option<Term>, Interrupt> {
        let mut store = SymbolicStore::default();
        let conditions = store.run(&mut self.terms, suffix);
        let simple = self.simple_facts(&conditions, None);
        let simple = self.after_each(entries, &simple)?;
        let mut assumptions: Vec<Term> = conditions;
        assumptions.extend(facts);
        let given = assumptions.len();
        assumptions.extend(&simple);
        let Answer::Unsat(core) = self.solver.check(&self.terms, &assumptions, &self.effort)? else {
            return Ok(None);
        };
        // What is dropped first comes first: facts about single variables stay.
        let core =
            self.solver.minimise(&self.terms, &core, 2 * MAX_CONSTANTS * MAX_VARIABLES, &self.effort)?;
        let used: Vec<Term> = assumptions[given..].iter().copied().filter(|t| core.contains(t)).collect();
        Ok((!used.is_empty()).then(|| self.terms.and(&used)))
    }

    /// The variables of `need` that have the same value after all edges, whatever happened before: `x == c`.
    pub(super) fn constants(
        &mut self,
        entries: &Entries,
        need: &BTreeSet<Symbol>,
    ) -> Result<Vec<Term>, Interrupt> {
        let Some((pre, edge)) = entries.first() else { return Ok(Vec::new()) };
        let nothing = self.terms.ff();
        let assumptions = self.outside(*pre, edge, nothing);
        let Answer::Sat(model) = self.solver.check(&self.terms, &assumptions, &self.effort)? else {
            return Ok(Vec::new());
        };
        let mut facts = Vec::new();
        for &x in need {
            let here = self.terms.var_of(x);
            let behind = edge.block.edges[edge.key.2].store.get(&x).copied().unwrap_or(here);
            let value = match self.terms.eval(behind, &model) {
                Value::Bool(truth) => self.terms.truth(truth),
                Value::Bits(bits) => self.terms.constant(bits, self.terms.width(here)),
                Value::Array(_) => continue,
            };
            facts.push(self.terms.eq(here, value));
        }
        self.after_each(entries, &facts)
    }

    /// `x + y == z`, if there are few variables: what moves from one to the other.
    fn sums(&mut self, variables: &[Term]) -> Vec<Term> {
        let mut all = Vec::new();
        if variables.len() > MAX_SUMMED {
            return all;
        }
        for &z in variables {
            for (n, &x) in variables.iter().enumerate() {
                for &y in &variables[n + 1..] {
                    let same =
                        self.terms.sort(x) == self.terms.sort(y) && self.terms.sort(y) == self.terms.sort(z);
                    if same && x != z && y != z {
                        let sum = self.terms.add(x, y);
                        all.push(self.terms.eq(sum, z));
                    }
                }
            }
        }
        all
    }

    /// All simple facts about the state variables (those of `need`, if given) and constants of some conditions; those about two
    /// variables first.
    pub(super) fn simple_facts(&mut self, conditions: &[Term], need: Option<&BTreeSet<Symbol>>) -> Vec<Term> {
        let (mut variables, mut constants) = (BTreeSet::new(), BTreeSet::new());
        for t in self.terms.subterms(conditions) {
            let Some(width) = self.terms.sort(t).width() else { continue };
            if let Some(constant) = self.terms.as_const(t) {
                constants.insert((width, constant));
            }
            let is_state = |s: &Symbol| {
                !self.terms.is_version(*s) && !self.blocks.is_input(*s) && need.is_none_or(|n| n.contains(s))
            };
            variables.extend(self.terms.as_var(t).filter(is_state));
        }
        // Most variables that matter to a loop are not in its guard.
        let is_word = |s: &&Symbol| self.terms.sort(self.terms.var_of(**s)).width().is_some();
        variables.extend(need.into_iter().flatten().filter(is_word));
        let variables: Vec<Term> =
            variables.into_iter().take(MAX_VARIABLES).map(|s| self.terms.var_of(s)).collect();
        let mut all = self.sums(&variables);
        for (n, &x) in variables.iter().enumerate() {
            for &y in &variables[n + 1..] {
                if self.terms.sort(y) != self.terms.sort(x) {
                    continue;
                }
                let (less, greater, equal) =
                    (self.terms.sle(x, y), self.terms.sle(y, x), self.terms.eq(x, y));
                all.extend([less, greater, equal]);
            }
        }
        for &x in &variables {
            let Sort::Bits(width) = self.terms.sort(x) else { continue };
            let of_width = constants.iter().filter(|(w, _)| *w == width).map(|(_, c)| *c);
            let values: BTreeSet<u128> = of_width.chain([0]).take(MAX_CONSTANTS).collect();
            for value in values {
                let c = self.terms.constant(value, width);
                let (most, least, equal) = (self.terms.sle(x, c), self.terms.sle(c, x), self.terms.eq(x, c));
                all.extend([most, least, equal]);
            }
        }
        all
    }
}
