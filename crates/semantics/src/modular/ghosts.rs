//! Owners of flags that are used as locks.
//!
//! `assume(m == 0); m = 1;` in one step takes a lock, `m = 0` gives it back; which thread has it is in no variable, and a proof that treats
//! one thread at a time cannot tell its own lock from another instance's. So beside a word that starts as 0 and is only ever set to 0
//! and to one other constant `k`, somewhere after a test that it is 0, there is an *owner*: the handle of the thread that set it to `k` last, and 0
//! when it is 0. The owner is never tested by the program, so it changes nothing; and by construction, `m == (owner == 0 ? 0 : k)` always
//! holds. That is a fact which no clause has to prove ([`Model::links`](super::Model)).

use super::{Model, half};
use crate::encoding::encode::Encoder;
use crate::encoding::names::Name;
use logic::path::{Cmd, SymbolicStore};
use logic::{Sort, Symbol, Term, Terms};
use program::interp::Identity;
use std::collections::BTreeMap;

/// Adds owners.
pub(super) fn owners(model: &mut Model, encoder: &Encoder<'_>, terms: &mut Terms) {
    for (flag, set) in flags(model, encoder, terms) {
        let owner = terms.var(&format!("owner of {}", terms.name(flag)), Sort::Bits(32));
        let symbol = terms.as_var(owner).expect("a variable should have a symbol");
        let no_thread = terms.constant(0, 32);
        model.init.push(Cmd::Assign(symbol, no_thread));
        for template in &mut model.templates {
            let me = half(terms, template.handle);
            for edge in template.nodes.iter_mut().flat_map(|n| &mut n.edges) {
                let mut block = Vec::with_capacity(edge.block.len());
                for cmd in &edge.block {
                    block.push(*cmd);
                    if let Cmd::Assign(x, value) = *cmd
                        && x == flag
                    {
                        let who = if terms.as_const(value) == Some(0) { no_thread } else { me };
                        block.push(Cmd::Assign(symbol, who));
                    }
                }
                edge.block = block;
            }
        }
        let (word, free) = (terms.var_of(flag), terms.eq(owner, no_thread));
        let zero = terms.constant(0, terms.width(word));
        let value = terms.ite(free, zero, set);
        model.links.push(terms.eq(word, value));
    }
}

/// Returns true if conditions on the state before an edge say that a word was zero there, and it has not changed since.
fn is_free(terms: &mut Terms, store: &SymbolicStore, conditions: &[Term], x: Symbol) -> bool {
    let word = terms.var_of(x);
    let zero = terms.constant(0, terms.width(word));
    let free = terms.eq(word, zero);
    store.value(terms, x) == word && conditions.iter().any(|c| terms.conjuncts(*c).contains(&free))
}

/// The flags, each with the constant it is set to.
fn flags(model: &Model, encoder: &Encoder<'_>, terms: &mut Terms) -> Vec<(Symbol, Term)> {
    let mut values: BTreeMap<Symbol, Vec<Term>> = BTreeMap::new();
    let mut tested: Vec<Symbol> = Vec::new();
    let edges = || model.templates.iter().flat_map(|c| &c.nodes).flat_map(|n| &n.edges);
    for edge in edges() {
        let (mut store, mut conditions) = (SymbolicStore::default(), Vec::new());
        for cmd in &edge.block {
            match *cmd {
                Cmd::Assign(x, value) => {
                    values.entry(x).or_default().push(value);
                    if terms.as_const(value).is_some_and(|v| v != 0) && is_free(terms, &store, &conditions, x)
                    {
                        tested.push(x);
                    }
                }
                Cmd::Havoc(x) => values.entry(x).or_default().push(terms.var_of(x)),
                Cmd::Assume(_) => {}
            }
            conditions.extend(store.run(terms, &[*cmd]));
        }
    }
    tested.sort_unstable();
    tested.dedup();
    let mut found = Vec::new();
    for flag in tested {
        let is_static =
            matches!(encoder.names.name(flag), Some(Name::Cell { object: Identity::Static(_), .. }));
        let mut starts =
            model.init.iter().filter(|c| matches!(c, Cmd::Assign(x, _) | Cmd::Havoc(x) if *x == flag));
        let starts_free = matches!((starts.next(), starts.next()), (Some(Cmd::Assign(_, v)), None) if terms.as_const(*v) == Some(0));
        let mut set: Vec<Term> = values[&flag].clone();
        set.retain(|v| terms.as_const(*v) != Some(0));
        set.dedup();
        if let ([one], true, true) = (&set[..], is_static, starts_free)
            && terms.as_const(*one).is_some()
        {
            found.push((flag, *one));
        }
    }
    found
}
