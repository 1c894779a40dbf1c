//! The symbolic store: what each state variable is, in terms of the start and of havocked values.

use super::Cmd;
use crate::term::{Symbol, Term, Terms};
use rustc_hash::FxHashMap;

/// The state after a path. A clone per node of a search tree makes checks along one path incremental.
#[derive(Clone, Debug, Default)]
pub struct SymbolicStore {
    values: FxHashMap<Symbol, Term>,
    n_havocs: FxHashMap<Symbol, u32>,
    havocs: Vec<Term>,
}

impl SymbolicStore {
    /// The value of a state variable.
    pub fn value(&self, terms: &Terms, symbol: Symbol) -> Term {
        self.values.get(&symbol).copied().unwrap_or_else(|| terms.var_of(symbol))
    }

    /// The values of all variables that were set.
    pub fn values(&self) -> &FxHashMap<Symbol, Term> {
        &self.values
    }

    /// The havocked values, in the order of the path.
    pub fn havocs(&self) -> &[Term] {
        &self.havocs
    }

    /// A term over state variables, in this state.
    pub fn apply(&self, terms: &mut Terms, term: Term) -> Term {
        terms.substitute(term, &self.values)
    }

    /// Executes a command; an assumption gives its condition.
    pub fn step(&mut self, terms: &mut Terms, cmd: Cmd) -> Option<Term> {
        match cmd {
            Cmd::Assume(guard) => return Some(self.apply(terms, guard)),
            Cmd::Assign(x, value) => {
                let value = self.apply(terms, value);
                self.values.insert(x, value);
            }
            Cmd::Havoc(x) => {
                let n = self.n_havocs.entry(x).or_insert(0);
                *n += 1;
                let value = terms.version(x, *n);
                self.values.insert(x, value);
                self.havocs.push(value);
            }
        }
        None
    }

    /// Executes a block; its conditions, split into conjuncts.
    pub fn run(&mut self, terms: &mut Terms, block: &[Cmd]) -> Vec<Term> {
        let mut conditions = Vec::new();
        for &cmd in block {
            if let Some(condition) = self.step(terms, cmd) {
                conditions.extend(terms.conjuncts(condition));
            }
        }
        conditions
    }
}
