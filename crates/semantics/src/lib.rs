//! What a program means to those who search it or check a proof about it.
//!
//! | module | gives |
//! |---|---|
//! | [`analysis`] | what is computed once per program: points-to sets, threads, memory partition, locksets, accesses |
//! | [`encoding`] | actions as guarded commands over state variables: the transition relation as formulas |
//! | [`transition`] | what a step of a search is: transactions, independence, property monitors, concrete executions |
//! | [`shape`] | abstract heaps with list segments, and what actions do to them |
//! | [`addresses`] | where a program may notice at which addresses its objects lie |
//! | [`environment`] | what undefined functions may do, written out in the program |
//! | [`modular`] | one thread template at a time: its control-flow graph, interference, and the clauses of the proof rules |
//!
//! The concrete interpreter (`program::interp`) *defines* what a program means; this crate says the same in formulas
//! and over-approximations, and its tests run both side by side.
//!
//! # This crate knows nothing of
//! C, engines, searches, verdicts and proofs.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

pub mod addresses;
pub mod alone;
pub mod analysis;
pub mod encoding;
pub mod environment;
pub mod modular;
pub mod shape;
pub mod transition;

pub use analysis::Analysis;
pub use encoding::{Encoder, GlobalLocation, Name, Names, Successor, SuccessorKind, is_total};
