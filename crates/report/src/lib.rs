//! What threadproof says and how: diagnostics as values, counterexamples as thread lanes, and their renderers.
//!
//! | module | shows |
//! |---|---|
//! | [`diagnostic`] | nothing: a message about the input as a value |
//! | [`snippet`] | a diagnostic as text, like `rustc` does |
//! | [`json`] | diagnostics, lanes and statistics for machines |
//! | [`invariants`] | why a program is safe: what holds where |
//! | [`lanes`] | an execution of several threads: a column per thread |
//! | [`progress`] | one line on a terminal that is gone when the work is done |
//! | [`terminal`] | how wide the output is and whether it has colours |
//!
//! Everything but [`progress`] turns values into strings and prints nothing. This crate knows nothing of programs,
//! solvers and engines.

pub mod diagnostic;
pub mod invariants;
pub mod json;
pub mod lanes;
pub mod progress;
pub mod snippet;
pub mod terminal;

pub use diagnostic::{Diagnostic, Level};
pub use invariants::Explanation;
pub use lanes::Lanes;
pub use terminal::Look;
