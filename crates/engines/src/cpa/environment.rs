//! Environments: what is known of each variable, as a sorted list, shared between the states that agree on it.

use logic::Symbol;
use std::rc::Rc;

/// Variables with what is known of them; of the others nothing is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Environment<V>(Rc<Vec<(Symbol, V)>>);

impl<V: Clone + PartialEq> Environment<V> {
    /// What is known of a variable.
    pub fn get(&self, symbol: Symbol) -> Option<&V> {
        let at = self.0.binary_search_by_key(&symbol, |(s, _)| *s).ok()?;
        Some(&self.0[at].1)
    }

    /// Changes what is known of a variable; whether that was something else before.
    pub fn put(&mut self, symbol: Symbol, value: Option<V>) -> bool {
        match (self.0.binary_search_by_key(&symbol, |(s, _)| *s), value) {
            (Err(_), None) => return false,
            (Ok(at), Some(value)) if self.0[at].1 == value => return false,
            (Ok(at), Some(value)) => Rc::make_mut(&mut self.0)[at].1 = value,
            (Ok(at), None) => drop(Rc::make_mut(&mut self.0).remove(at)),
            (Err(at), Some(value)) => Rc::make_mut(&mut self.0).insert(at, (symbol, value)),
        }
        true
    }

    /// Forgets all but some variables.
    pub fn retain(&mut self, keep: &mut dyn FnMut(Symbol) -> bool) {
        if self.0.iter().any(|(symbol, _)| !keep(*symbol)) {
            Rc::make_mut(&mut self.0).retain(|(symbol, _)| keep(*symbol));
        }
    }

    /// All that is known, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, &V)> {
        self.0.iter().map(|(symbol, value)| (*symbol, value))
    }

    /// Whether `other` knows at least as much of every variable, given what "as much" means for one.
    pub fn covers(&self, other: &Self, one: impl Fn(&V, &V) -> bool) -> bool {
        self.0.len() <= other.0.len()
            && self.iter().all(|(symbol, weak)| other.get(symbol).is_some_and(|strong| one(weak, strong)))
    }

    /// What both know, given what that is for one variable.
    pub fn both(&self, other: &Self, mut one: impl FnMut(&V, &V) -> Option<V>) -> Self {
        let common = self.iter().filter_map(|(symbol, a)| Some((symbol, one(a, other.get(symbol)?)?)));
        Environment(Rc::new(common.collect()))
    }
}

impl<V> Default for Environment<V> {
    fn default() -> Self {
        Environment(Rc::new(Vec::new()))
    }
}
