//! What several engines search for in the same way: invariants by Houdini's algorithm, what their candidates are made of, and ranking functions.
//!
//! Nothing here knows an engine. The engines say what a fact means after a transition, and what their candidates are.

pub(crate) mod houdini;
pub(crate) mod ranking;
pub(crate) mod strongest;
pub(crate) mod vocabulary;
