//! From C to a concurrent program: preprocessing, parsing, typing, lowering, and the C library's models.
//!
//! This is the only crate that knows C. It knows nothing of solvers and engines.

pub mod ast;
pub mod hir;
pub mod source;
pub mod types;
