//! The reached set as a proof.

use super::domain::Domain;
use super::search::Search;
use base::Idx;
use evidence::{InvariantProof, Proof, Transaction, TreeProof};
use logic::Term;
use rustc_hash::FxHashMap;
use semantics::encoding::SuccessorKind;
use std::sync::Arc;

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
            labels.push((Arc::clone(self.edges.control(control)), here));
        }
        let controls = |id| Arc::clone(self.edges.control(id));
        let mut runs: FxHashMap<_, Vec<Transaction>> = FxHashMap::default();
        for (control, thread, edges) in self.edges.all() {
            if !self.reached.at(control).is_empty() {
                let going = edges.iter().filter(|e| e.kind == SuccessorKind::Continue);
                let list = going
                    .map(|e| Transaction { block: e.block.clone(), control: controls(e.control) })
                    .collect();
                runs.insert((controls(control), thread), list);
            }
        }
        let identities = self.encoder.interp().identities();
        let steps = TreeProof { terms: Arc::new(self.terms), identities, nodes: Vec::new(), runs };
        Proof::Invariants(Box::new(InvariantProof { steps, labels }))
    }
}
