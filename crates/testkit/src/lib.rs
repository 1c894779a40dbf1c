//! What the tests of several crates share. No product code depends on this crate.
//!
//! | module | what |
//! |---|---|
//! | [`corpus`] | the annotated C programs of `tests/programs` and `examples`, with the verdicts that they expect |
//! | [`settings`] | every environment variable that a test reads, in one table |
//! | [`threads`] | random threaded C programs that exploration can decide, and a shrinker for them |
//! | [`sequential`] | random sequential C programs with exactly one meaning, to compare with a compiler |
//! | [`memory`] | random C programs about memory: records, arrays, unions, pointers, copies |
//! | [`unset`] | random C programs that may decide on memory which was never set |
//! | [`model`] | random well-formed [`program::Program`]s, which use everything that the model has |
//!
//! Everything random is determined by a seed and by [`Random`], which is the only generator of pseudo-random numbers in
//! the workspace: the same seed gives the same program on every machine. A generator that only one test uses stays beside that test.
//!
//! The crates that this one depends on (`base`, `program`) may use it in their integration tests only: in their unit tests
//! their types would exist twice.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

pub mod corpus;
pub mod memory;
pub mod model;
pub mod sequential;
pub mod settings;
pub mod threads;
pub mod unset;

pub use base::Random;
