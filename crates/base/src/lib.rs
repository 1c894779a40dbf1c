//! What every stage of threadproof shares: typed ids, source positions, budgets, statistics and random numbers.
//!
//! This crate knows nothing of programs, C, solvers or terminals.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

pub mod budget;
pub mod convert;
pub mod idx;
pub mod inconclusive;
pub mod pairs;
pub mod random;
pub mod scc;
pub mod source;
pub mod stats;

// For `id_type!`.
#[doc(hidden)]
pub use serde;

pub use budget::Budget;
pub use idx::{Idx, IdxVec};
pub use inconclusive::Inconclusive;
pub use random::Random;
pub use source::{FileId, Span};
pub use stats::Stats;
