//! Proofs about weak memory models: why it is enough to look at another program under sequential consistency.

use crate::Proof;
use serde::{Deserialize, Serialize};

/// A property holds under the weak memory model of its program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WeakProof {
    /// What connects the model with sequential consistency.
    pub reason: Reason,
    /// Why the property holds under sequential consistency: of the program itself if it is robust, else of the transformed one. `None` if the
    /// reason is all there is to prove: race freedom, if that is the property.
    pub proof: Option<Proof>,
}

/// What connects a weak memory model with sequential consistency.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Reason {
    /// Only sequentially consistent accesses race: the strict program has no data race.
    RaceFree(Proof),
    /// No cycle of program order and conflicts contains a pair that the model may reorder. That is checked by looking for one.
    NoCriticalCycle,
    /// No load of a thread with buffered stores meets a store of another thread: the triangular program has no data race. For tso only.
    NoTriangularRace(Proof),
    /// No thread can delay its stores so that the others notice: the attacked program has no error. For tso only.
    NoAttack(Proof),
    /// No thread can read or overwrite what sequential consistency forbids, and no plain accesses race: the program with views has no error. For c11 only.
    NoStaleRead(Proof),
    /// The store buffers are written out in the program, and do not overflow. For tso and pso.
    Buffered {
        /// The number of entries for which there is room in the buffer of each thread.
        slots: usize,
    },
}
