//! What the actions of a program mean as formulas: one semantics for the engines and for those who check them.
//!
//! A state is control ([`control`]: where every thread is) and data: *state variables* ([`names`]) for registers, cells of
//! memory and rows of cells ([`memory`], [`objects`], [`ranges`]). [`encode`] turns an action into its outcomes: guarded commands over state variables and
//! the control after it. The concrete interpreter defines what an action means; tests run both side by side.
//!
//! # What is not followed
//! - Executions that C leaves undefined, unless the property is about them. An access that is outside every object its address can mean ends the execution
//!   like a failed assumption (SOUNDNESS: A20); the interpreter stops there with [`program::interp::StepResult::Undefined`]. For properties
//!   about memory safety and undefined behaviour such executions have outcomes of their own ([`Encoder::checking`], [`validity`]).
//! - Who waits on a condition variable. A wait may end at any time for no reason, so that signals make no difference to
//!   what is reachable; they do to what is blocked for ever, and are followed for that question only
//!   ([`Encoder::following_waits`]).
//! - Floating-point arithmetic, `realloc`, copies of unknown length: [`encode::SuccessorKind::Unsupported`].
//!
//! # This crate knows nothing of
//! C, engines and searches.

mod calls;
mod constants;
pub mod control;
pub mod encode;
mod expressions;
mod memory;
pub mod names;
pub mod objects;
pub mod races;
mod ranges;
mod realloc;
mod threads;
mod unset;
mod validity;

pub use control::GlobalLocation;
pub use encode::{Encoder, Successor, SuccessorKind, is_total};
pub use names::{Name, Names};
