//! Executions under weak memory models: not a sequence of states, but what each thread did and where its reads got their values.

use program::{MemoryModel, Property};
use serde::{Deserialize, Serialize};

/// An execution that violates a property under a weak memory model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GraphTrace {
    /// The property.
    pub property: Property,
    /// The model that allows it.
    pub model: MemoryModel,
    /// The steps, in an order in which each thread's steps are in their order, and threads are created before they move. For a data race, the
    /// last event of some thread and an earlier event race.
    pub steps: Vec<GraphStep>,
    /// For each cell that is written more than once: the steps that write it, in the order in which the writes reach memory.
    pub coherence: Vec<Vec<usize>>,
}

/// A visible step of a thread, with the invisible ones before it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GraphStep {
    /// The thread, by the order of creation; the first is 0.
    pub thread: usize,
    /// The number of invisible steps before it.
    pub silent: usize,
    /// Where its reads of shared memory got their values.
    pub reads: Vec<GraphRead>,
    /// Its inputs.
    pub inputs: Vec<u128>,
}

/// What a read of shared memory returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GraphRead {
    /// The value.
    pub value: u128,
    /// The step that wrote it; `None` if it was there before any thread was created.
    pub from: Option<usize>,
}
