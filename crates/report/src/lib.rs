//! What threadproof says and how: diagnostics as values, and their renderers.
//!
//! This crate knows nothing of solvers and engines.

pub mod diagnostic;

pub use diagnostic::{Diagnostic, Level};
