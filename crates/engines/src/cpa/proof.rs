//! The reached set as a proof.

use super::domain::Domain;
use super::search::Search;
use crate::transactions::write_transactions;
use base::Idx;
use evidence::{InvariantProof, ProductWriter, Proof};
use logic::Term;

impl<D: Domain> Search<'_, '_, D> {
    /// The labels of all controls, and the runs that lead from one to the next.
    pub(super) fn into_proof(mut self) -> Proof {
        let mut reached: Vec<_> = self.reached.controls().map(|(c, nodes)| (c, nodes.to_vec())).collect();
        reached.sort_by_key(|(control, _)| control.index());
        let mut labels = Vec::new();
        for (control, nodes) in reached {
            let mut here: Vec<Term> = Vec::new();
            for node in nodes {
                here.push(self.domain.formula(&mut self.terms, &self.reached.nodes[node].element));
            }
            labels.push((control, here));
        }
        let mut writer = ProductWriter::new(&self.terms);
        let write = |(control, labels): (_, Vec<Term>)| {
            let location = writer.location(self.edges.control(control));
            (location, labels.into_iter().map(|label| writer.formula(label)).collect())
        };
        let labels = labels.into_iter().map(write).collect();
        write_transactions(&self.edges, &mut writer, |at| !self.reached.at(at).is_empty());
        let product = writer.finish(self.encoder.interp().identities());
        Proof::Invariants(Box::new(InvariantProof { product, labels }))
    }
}
