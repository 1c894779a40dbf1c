//! The engines: each takes a program and a property and searches for an answer.
//!
//! Engines do no input or output, are deterministic for the same input and options, and hand over evidence for every
//! verdict ([`evidence::Outcome`]).
//!
//! # This crate knows nothing of
//! files, terminals and serialisation. (That an engine's options are also groups of a command line is a matter of declarations: parsing
//! them is the caller's business.)

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod common;
pub mod cpa;
pub mod directed;
pub mod evident;
pub mod explore;
pub mod graph;
pub mod houdini;
pub mod impact;
pub mod lockset;
mod options;
pub mod portfolio;
pub mod protection;
pub mod ranking;
pub mod redcomp;
pub mod shape;
pub mod simulate;
pub mod task;
pub mod termination;
mod transactions;
pub mod ufo;
pub mod weak;

pub use task::{Engine, Task};
