//! What a proof needs beside ranks.

use super::facts::Facts;
use super::graph::Graph;
use crate::transactions::write_transactions;
use base::Inconclusive;
use evidence::{InvariantProof, ProductWriter, Proof, RankingProof, Stage};
use logic::path::SymbolicStore;
use logic::{Solver, Term};
use program::interp::ThreadId;
use std::sync::Arc;

impl Graph<'_> {
    /// That no transaction can be taken that ends in something without a meaning.
    pub(super) fn nothing_without_meaning(&mut self, facts: &Facts) -> Result<(), Inconclusive> {
        for transaction in self.ends.clone() {
            let Some(mut conditions) = facts[transaction.from].clone() else { continue };
            conditions.extend(SymbolicStore::default().run(&mut self.terms, &transaction.edge.block));
            if self.solver.core(&self.terms, &conditions, &self.limits)?.is_none() {
                return Err(transaction.edge.kind.stop().unwrap_or(Inconclusive::SolverGaveUp));
            }
        }
        Ok(())
    }

    /// That at every control where threads are left one of them can move.
    pub(super) fn some_thread_moves(&mut self, facts: &Facts) -> Result<(), Inconclusive> {
        'controls: for (at, facts) in facts.iter().enumerate() {
            let Some(mut conditions) = facts.clone() else { continue };
            let control = Arc::clone(self.edges.control(self.controls[at]));
            let threads: Vec<ThreadId> = control.movable().collect();
            if threads.is_empty() || control.atomic.is_some() {
                continue;
            }
            for thread in threads {
                let Some(moves) = self.moves(at, thread) else { continue 'controls };
                conditions.push(self.terms.not(moves));
            }
            if self.solver.core(&self.terms, &conditions, &self.limits)?.is_none() {
                return Err(Inconclusive::NoProof("all threads may be blocked".to_owned()));
            }
        }
        Ok(())
    }

    /// The proof.
    pub(super) fn into_proof(mut self, facts: Facts, stages: Vec<Stage<Term>>) -> Proof {
        let mut labels = Vec::new();
        for (at, facts) in facts.iter().enumerate() {
            if let Some(facts) = facts {
                labels.push((self.controls[at], self.terms.and(facts)));
            }
        }
        let mut writer = ProductWriter::new(&self.terms);
        let write =
            |(control, label)| (writer.location(self.edges.control(control)), vec![writer.formula(label)]);
        let labels = labels.into_iter().map(write).collect();
        let stages = stages.into_iter().map(|stage| stage.map(|value| writer.formula(value))).collect();
        write_transactions(&self.edges, &mut writer, |at| {
            self.number.get(&at).is_some_and(|n| facts[*n].is_some())
        });
        let product = writer.finish(self.encoder.interp().identities());
        let invariants = InvariantProof { product, labels };
        Proof::Ranking(Box::new(RankingProof { invariants, stages }))
    }
}
