//! The tree as an answer.

use super::art::{Node, NodeId};
use super::{Found, Impact};
use base::{Idx, Inconclusive};
use evidence::{Outcome, Proof, Transaction, TreeNode, TreeProof};
use rustc_hash::FxHashMap;
use semantics::encoding::SuccessorKind;
use semantics::transition::Edge;
use std::rc::Rc;
use std::sync::Arc;

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
        let controls = |id| Arc::clone(self.edges.control(id));
        let mut runs: FxHashMap<_, Vec<Transaction>> = FxHashMap::default();
        for (control, thread, edges) in self.edges.all() {
            let going = edges.iter().filter(|e| e.kind == SuccessorKind::Continue);
            let list =
                going.map(|e| Transaction { block: e.block.clone(), control: controls(e.control) }).collect();
            runs.insert((controls(control), thread), list);
        }
        let position = |parent: NodeId, edge: &Rc<Edge>| {
            let control = self.art.nodes[parent].control;
            let edges =
                self.edges.known(control, edge.thread).expect("an edge that was followed should be known");
            let mut going = edges.iter().filter(|e| e.kind == SuccessorKind::Continue);
            going.position(|e| Rc::ptr_eq(e, edge)).expect("an edge that was followed should go on")
        };
        let node = |n: &Node| TreeNode {
            control: controls(n.control),
            label: n.label,
            parent: n.parent.as_ref().map(|(p, e)| (p.index(), e.thread, position(*p, e))),
            expanded: n.expanded.clone(),
            covered_by: n.covered_by.map(Idx::index),
        };
        let nodes = self.art.nodes.iter().map(node).collect();
        let identities = self.encoder.interp().identities();
        Proof::Tree(Box::new(TreeProof { terms: Arc::new(self.terms), identities, nodes, runs }))
    }
}
