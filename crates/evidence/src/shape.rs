//! Proofs by shape analysis.

use semantics::shape::Heap;
use serde::{Deserialize, Serialize};

/// An annotation of a program's loops with heaps.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ShapeProof {
    /// The heaps; each says where control is. Whenever control comes to a place of one, one of the heaps of that place describes the state.
    pub heaps: Vec<Heap>,
}
