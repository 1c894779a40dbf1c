//! What several engines search for in the same way: invariants by Houdini's algorithm, and ranking functions.
//!
//! Nothing here knows an engine. The engines say what a fact means after a transition, and what their candidates are.

pub(crate) mod houdini;
pub(crate) mod ranking;
