//! Invariants by Houdini's algorithm ([`crate::common::houdini`]): of many simple facts about each global location ([`super::vocabulary`]), those that stay true. What is
//! left is inductive, and the strongest such set.

use super::graph::Graph;
use super::vocabulary::CandidateVocabulary;
use crate::common::houdini::eliminate;
use base::Inconclusive;
use logic::path::{SymbolicStore, with_equals};
use logic::{Model, Term, Terms};
use std::collections::BTreeSet;

/// What is known at each control; nothing where no execution comes.
pub(crate) type Facts = Vec<Option<Vec<Term>>>;

impl Graph<'_> {
    /// The facts that hold at each control.
    pub(crate) fn facts(&mut self, vocabulary: &CandidateVocabulary) -> Result<Facts, Inconclusive> {
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
        let after = |terms: &mut Terms, fact| store.apply(terms, fact);
        let candidates = |terms: &mut Terms, model: &Model| {
            let mut facts = vocabulary.candidates(terms, &live[to]);
            for distance in vocabulary.distances(terms, &live[to]) {
                let then = after(terms, distance);
                let value = terms.eval(then, model).bits();
                let value = terms.constant(value, terms.width(distance));
                facts.push(terms.eq(distance, value));
            }
            facts
        };
        eliminate(solver, terms, limits, &conditions, &mut facts[to], candidates, after)
    }

    /// What facts can be made of.
    pub(crate) fn vocabulary(&mut self) -> CandidateVocabulary {
        let transactions = self.transactions.iter().chain(&self.ends);
        let blocks = transactions.map(|transaction| &transaction.edge.block[..]).chain([&self.init[..]]);
        CandidateVocabulary::of(&mut self.terms, blocks)
    }

    /// All facts that could be of use at a control.
    pub(crate) fn candidates(&mut self, vocabulary: &CandidateVocabulary, control: usize) -> Vec<Term> {
        vocabulary.candidates(&mut self.terms, &self.live[control])
    }
}
