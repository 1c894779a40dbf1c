//! Thread-modular proofs: invariants of each thread template, and ranking functions of each.

use logic::{Symbol, Term, Terms};
use program::interp::Identities;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// Where a node is with respect to reducible blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommitPhase {
    /// Outside.
    Outside,
    /// Inside, with right-movers only since the entry.
    PreCommit,
    /// Inside, with left-movers only until the exit.
    PostCommit,
}

/// A proof that treats one thread at a time.
#[derive(Clone)]
pub struct ModularProof {
    /// The terms that the solution is made of.
    pub terms: Arc<Terms>,
    /// What the numbers of threads and objects stand for.
    pub identities: Identities,
    /// Blocks, by template and node.
    pub claims: Vec<Vec<CommitPhase>>,
    /// Locks that are held, by template and node.
    pub locks: Vec<Vec<BTreeSet<Symbol>>>,
    /// The meanings of the predicates, in the order in which the clauses declare them.
    pub solution: Vec<Term>,
}

impl fmt::Debug for ModularProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invariants of {} threads", self.claims.len())
    }
}

/// A proof of termination.
#[derive(Clone)]
pub struct ModularRanking {
    /// Locks, blocks and invariants.
    pub invariants: ModularProof,
    /// What shows that steps are taken finitely often, in this order.
    pub stages: Vec<ModularStage>,
}

/// Shows that steps are taken finitely often.
#[derive(Clone, Debug)]
pub enum ModularStage {
    /// Ranks of a component of a template.
    Ranking {
        /// The template.
        template: usize,
        /// The rank at each node.
        ranks: Vec<(usize, Term)>,
    },
    /// The thread of this template comes to rest.
    Rests(usize),
}

impl fmt::Debug for ModularRanking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ranks over {:?}", self.stages.len(), self.invariants)
    }
}
