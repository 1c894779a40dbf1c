//! Proofs by shape analysis.

use semantics::shape::{Heap, Plan};
use serde::{Deserialize, Serialize};

/// An annotation of a program's loops with heaps.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShapeProof {
    /// The heaps; each says where control is. Whenever control comes to a place of one, one of the heaps of that place describes the state.
    pub heaps: Vec<Heap>,
    /// Who accesses what, if there are several threads.
    pub plan: Option<Plan>,
    /// While there are several threads, and none holds a lock, one of the lock's heaps here describes what it protects.
    pub invariant: Vec<Heap>,
    /// What recursive functions do, if they are followed by themselves.
    pub summaries: Vec<Summary>,
}

/// What a recursive function does with one heap that it gets.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// The heap at its entry.
    pub entry: Heap,
    /// Its annotation, as that of the program.
    pub heaps: Vec<Heap>,
    /// It returns with one of these.
    pub exits: Vec<Heap>,
}
