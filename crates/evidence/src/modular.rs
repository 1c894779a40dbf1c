//! Thread-modular proofs: invariants of each thread template, and ranking functions of each.

use crate::{FormulaId, Formulas};
use program::interp::Identities;
use semantics::modular::{Model, PerNode, PerTemplate, TemplateId, TemplateNodeId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// Where a node is with respect to reducible blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum CommitPhase {
    /// Outside.
    Outside,
    /// Inside, with right-movers only since the entry.
    PreCommit,
    /// Inside, with left-movers only until the exit.
    PostCommit,
}

/// The commit phase of each node of each template.
pub type CommitPhases = PerTemplate<PerNode<CommitPhase>>;

impl CommitPhase {
    /// Which nodes are outside of blocks.
    pub fn outside(phases: &CommitPhases) -> PerTemplate<PerNode<bool>> {
        let of_nodes =
            |nodes: &PerNode<CommitPhase>| nodes.iter().map(|phase| *phase == Self::Outside).collect();
        phases.iter().map(of_nodes).collect()
    }

    /// That all nodes are.
    pub fn all_outside(model: &Model) -> CommitPhases {
        model.templates.iter().map(|c| PerNode::of(Self::Outside, c.nodes.len())).collect()
    }
}

/// Invariants of each thread template.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModularProof {
    /// What the numbers of threads and objects stand for.
    pub identities: Identities,
    /// The formulas of the solution and of ranking functions.
    pub formulas: Formulas,
    /// The commit phase of each node.
    pub commit_phases: CommitPhases,
    /// The locks that are held, by template and node: texts of state variables.
    pub locks: PerTemplate<PerNode<BTreeSet<String>>>,
    /// The meanings of the predicates, in the order in which the clauses declare them.
    pub solution: Vec<FormulaId>,
}

impl fmt::Debug for ModularProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invariants of {} threads", self.commit_phases.len())
    }
}

/// A proof of termination, one thread template at a time.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModularRanking {
    /// Locks, blocks and invariants.
    pub invariants: ModularProof,
    /// What shows that transactions are taken finitely often, in this order.
    pub stages: Vec<ModularStage>,
}

/// Shows that transactions are taken finitely often. `F` is how formulas are named.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ModularStage<F = FormulaId> {
    /// A ranking function of a component of a template.
    Ranking {
        /// The template.
        template: TemplateId,
        /// Its value at each node.
        values: Vec<(TemplateNodeId, F)>,
    },
    /// The thread of this template comes to rest.
    Rests(TemplateId),
}

impl<F> ModularStage<F> {
    /// The same stage with other names of formulas.
    pub fn map<G>(self, mut name: impl FnMut(F) -> G) -> ModularStage<G> {
        match self {
            ModularStage::Ranking { template, values } => {
                let values = values.into_iter().map(|(node, value)| (node, name(value))).collect();
                ModularStage::Ranking { template, values }
            }
            ModularStage::Rests(template) => ModularStage::Rests(template),
        }
    }
}

impl fmt::Debug for ModularRanking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} stages over {:?}", self.stages.len(), self.invariants)
    }
}
