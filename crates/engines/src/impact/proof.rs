//! The tree as an answer.

use super::art::{Node, NodeId};
use super::{Found, Impact};
use crate::transactions::write_transactions;
use base::{Idx, Inconclusive};
use evidence::{Outcome, ProductWriter, Proof, TreeNode, TreeProof};
use semantics::encoding::SuccessorKind;
use semantics::transition::Edge;
use std::rc::Rc;

impl Impact<'_> {
    /// The answer that a search ended with.
    pub fn outcome(self, found: Result<Found, Inconclusive>) -> Outcome {
        match found {
            Ok(Found::Complete) => Outcome::Safe(self.into_proof()),
            Ok(Found::Violation(trace)) => Outcome::Unsafe(trace),
            Err(stop) => Outcome::Unknown(stop),
        }
    }

    /// The tree as a proof.
    fn into_proof(self) -> Proof {
        let mut writer = ProductWriter::new(&self.terms);
        write_transactions(&self.edges, &mut writer, |_| true);
        let position = |parent: NodeId, edge: &Rc<Edge>| {
            let control = self.art.nodes[parent].control;
            let edges =
                self.edges.known(control, edge.thread).expect("an edge that was followed should be known");
            let mut going = edges.iter().filter(|e| e.kind == SuccessorKind::Continue);
            going.position(|e| Rc::ptr_eq(e, edge)).expect("an edge that was followed should go on")
        };
        let mut node = |n: &Node| TreeNode {
            location: writer.location(self.edges.control(n.control)),
            label: writer.formula(n.label),
            parent: n.parent.as_ref().map(|(p, e)| (p.index(), e.thread, position(*p, e))),
            expanded: n.expanded.clone(),
            covered_by: n.covered_by.map(Idx::index),
        };
        let nodes = self.art.nodes.iter().map(&mut node).collect();
        let product = writer.finish(self.encoder.interp().identities());
        Proof::Tree(Box::new(TreeProof { product, nodes }))
    }
}
