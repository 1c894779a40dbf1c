//! The concurrent program: what every engine analyses, and what the interpreter runs.
//!
//! A [`Program`] has objects in static storage and functions; a function is a control-flow automaton whose
//! locations each hold *one* [`Action`]. All outcomes of a branch belong to the same action, because independence is
//! asked of actions, not of outcomes. A thread is an instance of a function; which threads exist is decided by the
//! run ([`Op::Create`]).
//!
//! The semantics is defined once, by [`interp`]. Formulas and abstract domains of other crates follow it and are
//! tested against it.
//!
//! # Values and memory
//! Every value is a bit-vector of 1 to 128 bits; comparisons give one bit. A *register* is a local scalar whose
//! address is never taken. Everything else is an *object*: static ([`Object`]), of a frame ([`VarKind::Memory`]) or
//! of the heap ([`Op::Alloc`]). An object is a row of bytes, little-endian; its address is a number, and
//! addresses of different objects never meet, so that a pointer *is* a pair (object, offset). Addresses are never
//! re-used, even after `free`.
//!
//! # Atomicity
//! One action is one step of a schedule. Lowering puts at most one access to shared memory into an action, except
//! where the C library promises more: a lock's test-and-set, an atomic read-modify-write. Sections between
//! [`Op::AtomicBegin`] and [`Op::AtomicEnd`] nest and keep all other threads from running.
//!
//! # This crate knows nothing of
//! C (what a `mutex` is has been lowered to guards and stores on words of memory), solvers and engines.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

pub mod cat;
pub mod dot;
pub mod expr;
pub mod float;
pub mod interp;
pub mod memory_model;
pub mod model;
mod operands;
pub mod passes;
pub mod property;
pub mod text;
pub mod trace;
pub mod undefined;
pub mod well_formed;

pub use expr::{BinOp, Cast, Expr, Order, UnOp, Width};
pub use memory_model::{Barrier, MemoryModel};
pub use model::*;
pub use property::Property;
pub use undefined::{Undefined, UndefinedKind};
