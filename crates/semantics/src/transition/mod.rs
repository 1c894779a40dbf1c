//! Transitions: what one step of a search is, and what makes two steps independent.
//!
//! | module | gives |
//! |---|---|
//! | [`edges`] | large-step edges: transactions of one thread with at most one visible action |
//! | [`independence`] | which steps of different threads commute: footprints, alias conditions, both orders compared |
//! | [`exactness`] | whether a disagreement of formulas and interpreter is a bug |
//! | [`monitor`] | properties of states (deadlocks, data races) as error edges |
//! | [`mod@concretise`] | from a model of a path of edges to an execution of the interpreter |

pub mod concretise;
pub mod edges;
pub mod exactness;
pub mod independence;
mod loop_heads;
pub mod monitor;

pub use concretise::{Execution, Path, concretise};
pub use edges::{Edge, EdgeId, Edges, GlobalLocationId};
pub use independence::{ControlEffect, Dependence, Exchange, Footprint};
pub use loop_heads::loop_heads;
pub use monitor::Monitor;
