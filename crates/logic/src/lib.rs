//! Terms, solving and interpolation: the ground under every symbolic engine.
//!
//! | module | what it gives |
//! |---|---|
//! | [`term`] | hash-consed terms over truth values, bit-vectors and arrays, simplified on construction |
//! | [`solver`] | the [`Solver`] trait and the embedded back end: a bit-blaster onto an incremental SAT solver |
//! | [`path`] | guarded commands, symbolic execution along a path, path and triple checks |
//! | [`interpolate`] | labels for an infeasible path: Farkas, weakest preconditions, strongest postconditions |
//! | [`chc`] | systems of constrained Horn clauses, their solver, and SMT-LIB HORN |
//!
//! This crate knows nothing of programs, threads, C or engines.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_lossless,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss
    )
)]

pub mod chc;
pub mod interpolate;
pub mod path;
pub mod solver;
pub mod term;

pub use interpolate::{Interpolants, Interpolator, Strategy, StrategyCount};
pub use path::{Block, Cmd, PathAnswer, PathCore, PathModel, SymbolicStore, check_path, ssa, valid};
#[cfg(feature = "z3")]
pub use solver::Z3;
pub use solver::{Answer, Embedded, Limits, Solver, SolverStatistics};
pub use term::{ArrayValue, Linear, Model, Op, Sort, Symbol, Term, Terms, Value, Width};
