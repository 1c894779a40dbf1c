//! The complete, well-labelled graph as a proof: at each control, what one of its expanded nodes says.

use super::Ufo;
use super::arg::{Fate, START};
use crate::edges::ControlId;
use certify::{CutPoint, CutProof, Proof};
use logic::Term;
use std::collections::BTreeMap;
use std::sync::Arc;
use symbolic::Kind;

impl Ufo<'_> {
    /// The graph of the last pass as a proof.
    pub(super) fn into_proof(mut self) -> Proof {
        let mut labels: BTreeMap<ControlId, Vec<Term>> = BTreeMap::new();
        for (v, node) in self.arg.nodes.iter_enumerated() {
            if v != START && node.fate == Fate::Expanded {
                labels.entry(node.control).or_default().push(node.psi);
            }
        }
        let mut points = Vec::with_capacity(labels.len());
        for (id, parts) in labels {
            let label = self.terms.or(&parts);
            let control = Arc::clone(self.edges.control(id));
            let stops = control.movable().filter_map(|thread| {
                let block = self.blocks.known(id, thread)?;
                let going = block.edges.iter().filter(|e| e.kind == Kind::Goes);
                Some((thread, going.map(|e| Arc::clone(self.edges.control(e.control))).collect()))
            });
            let stops = stops.collect();
            points.push(CutPoint { control, label, stops });
        }
        let identities = self.encoder.interp().identities();
        Proof::Cuts(Box::new(CutProof { terms: Arc::new(self.terms), identities, points }))
    }
}
