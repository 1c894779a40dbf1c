//! Invariants by Houdini's algorithm ([`crate::common::houdini`]): of many simple facts about each control, those that stay true. What is left is inductive, and the
//! strongest such set.
//!
//! The facts: for each live variable its truth value, or whether it is odd and comparisons with constants of the program; for each two of them their order; and the
//! conditions of the program's own branches.

use super::graph::{Graph, scalars};
use crate::common::houdini::eliminate;
use crate::common::vocabulary::{Sizes, Vocabulary};
use base::Inconclusive;
use logic::path::{SymbolicStore, with_equals};
use logic::{Symbol, Term, Terms};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

const SIZES: Sizes = Sizes { constants: 14, all_pairs: 9, parity: true, neighbours: false };
/// Maximum number of facts of a global location.
const MAX_FACTS: usize = 1_200;

/// What is known at each control; nothing where no execution comes.
pub(super) type Facts = Vec<Option<Vec<Term>>>;

/// What candidates for facts are made of.
pub(super) struct CandidateVocabulary {
    simple: Vocabulary,
    conditions: Vec<Term>,
}

impl Graph<'_> {
    /// The facts that hold at each control.
    pub(super) fn facts(&mut self, vocabulary: &CandidateVocabulary) -> Result<Facts, Inconclusive> {
        let mut facts: Facts = vec![None; self.controls.len()];
        let mut store = SymbolicStore::default();
        let conditions = store.run(&mut self.terms, &self.init);
        self.arrive(&mut facts, vocabulary, conditions, &store, 0)?;
        let mut waiting: BTreeSet<usize> = [0].into_iter().collect();
        while let Some(at) = waiting.pop_first() {
            for n in self.starting[at].clone() {
                self.limits.budget.check()?;
                let Some(known) = &facts[at] else { continue };
                let (block, to) = (self.transactions[n].edge.block.clone(), self.transactions[n].to);
                let (mut store, mut conditions) = with_equals(&mut self.terms, known);
                conditions.extend(store.run(&mut self.terms, &block));
                if self.arrive(&mut facts, vocabulary, conditions, &store, to)? {
                    waiting.insert(to);
                }
            }
        }
        Ok(facts)
    }

    /// Takes away the facts of a control that need not hold where executions under `conditions` arrive; whether there were any.
    fn arrive(
        &mut self,
        facts: &mut Facts,
        vocabulary: &CandidateVocabulary,
        conditions: Vec<Term>,
        store: &SymbolicStore,
        to: usize,
    ) -> Result<bool, Inconclusive> {
        let Self { solver, terms, limits, live, .. } = self;
        let candidates = |terms: &mut Terms| vocabulary.candidates(terms, &live[to]);
        let after = |terms: &mut Terms, fact| store.apply(terms, fact);
        eliminate(solver, terms, limits, &conditions, &mut facts[to], candidates, after)
    }

    /// What facts can be made of.
    pub(super) fn vocabulary(&mut self) -> CandidateVocabulary {
        let mut conditions = Vec::new();
        let (mut roots, mut simple) = (Vec::new(), Vocabulary::new(SIZES));
        for transaction in self.transactions.iter().chain(&self.ends) {
            let mut store = SymbolicStore::default();
            let here = store.run(&mut self.terms, &transaction.edge.block);
            for (symbol, value) in store.values() {
                roots.push(*value);
                let others = self.terms.free_vars(*value);
                let few = others.into_iter().filter(|_| self.terms.size(*value) < 8);
                few.for_each(|other| simple.relate(*symbol, other));
            }
            conditions.extend(here);
        }
        let mut store = SymbolicStore::default();
        store.run(&mut self.terms, &self.init);
        roots.extend(store.values().values().copied());
        conditions.sort_unstable();
        conditions.dedup();
        roots.extend(&conditions);
        for term in self.terms.subterms(&roots) {
            simple.look_at(&self.terms, term);
            simple.look_for_unsigned(&self.terms, term);
        }
        conditions.retain(|c| !self.terms.free_vars(*c).iter().any(|s| self.terms.is_version(*s)));
        CandidateVocabulary { simple, conditions }
    }

    /// All facts that could be of use at a control.
    pub(super) fn candidates(&mut self, vocabulary: &CandidateVocabulary, control: usize) -> Vec<Term> {
        vocabulary.candidates(&mut self.terms, &self.live[control])
    }
}

impl CandidateVocabulary {
    /// All facts that could be of use where these variables are live.
    fn candidates(&self, terms: &mut Terms, live: &FxHashSet<Symbol>) -> Vec<Term> {
        let scalars = scalars(terms, live);
        let mut facts = Vec::new();
        self.simple.facts(terms, &scalars, &mut facts);
        let about_live = |c: &Term| terms.free_vars(*c).iter().all(|s| live.contains(s));
        let conditions: Vec<Term> = self.conditions.iter().copied().filter(about_live).collect();
        for condition in conditions {
            facts.extend([condition, terms.not(condition)]);
        }
        facts.retain(|fact| terms.as_bool(*fact).is_none());
        facts.sort_unstable();
        facts.dedup();
        facts.truncate(MAX_FACTS);
        facts
    }
}
