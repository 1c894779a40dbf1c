//! From facts to a proof: nothing bad can be reached, and the facts are invariants.

use super::facts::Facts;
use super::graph::Graph;
use crate::transactions::write_transactions;
use base::Inconclusive;
use evidence::{InvariantProof, ProductWriter};
use logic::Solver;
use logic::path::SymbolicStore;

impl Graph<'_> {
    /// That no transaction can be taken that ends in a violation or in something without a meaning.
    pub(crate) fn nothing_bad(&mut self, facts: &Facts) -> Result<(), Inconclusive> {
        for transaction in self.ends.clone() {
            let Some(mut conditions) = facts[transaction.from].clone() else { continue };
            conditions.extend(SymbolicStore::default().run(&mut self.terms, &transaction.edge.block));
            if self.solver.core(&self.terms, &conditions, &self.limits)?.is_none() {
                let why = transaction.edge.kind.stop();
                return Err(
                    why.unwrap_or_else(|| Inconclusive::NoProof("simple facts are not enough".to_owned()))
                );
            }
        }
        Ok(())
    }

    /// The facts as invariants of global locations, and what else `write` puts into the proof.
    pub(crate) fn into_invariants<T>(
        mut self,
        facts: &Facts,
        write: impl FnOnce(&mut ProductWriter<'_>) -> T,
    ) -> (InvariantProof, T) {
        let mut labels = Vec::new();
        for (at, facts) in facts.iter().enumerate() {
            if let Some(facts) = facts {
                labels.push((self.controls[at], self.terms.and(facts)));
            }
        }
        let mut writer = ProductWriter::new(&self.terms);
        let label =
            |(control, label)| (writer.location(self.edges.control(control)), vec![writer.formula(label)]);
        let labels = labels.into_iter().map(label).collect();
        let more = write(&mut writer);
        write_transactions(&self.edges, &mut writer, |at| {
            self.number.get(&at).is_some_and(|n| facts[*n].is_some())
        });
        let product = writer.finish(self.encoder.interp().identities());
        (InvariantProof { product, labels }, more)
    }
}
