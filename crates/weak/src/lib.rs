//! Weak memory by way of sequential consistency.
//!
//! Engines that reason with formulas know one memory model, sequential consistency. What has to be shown about a weak model is therefore
//! stated as *a property of a transformed program* under sequential consistency:
//!
//! | lemma | transformation | property | if it holds |
//! |---|---|---|---|
//! | race freedom (DRF-SC) | [`mod@strict`] | no-data-race | the program behaves as under SC, under every model |
//! | no critical cycle | none: [`cycles`] | static | the program behaves as under SC, under the model |
//! | no triangular race | [`mod@triangular`] | no-data-race | the program behaves as under SC, under TSO |
//! | no attack | [`mod@attacked`] | unreach-call | the same, and only then |
//! | no stale read | [`mod@stale`] | unreach-call | the program behaves as under SC, under C11, and has no data race there |
//! | buffers written out | [`buffered`] | the user's | it holds under TSO or PSO, whether the program is robust or not |
//!
//! All but the last are about *robustness*: a robust program has, under the model, only executions that are equal to sequentially consistent ones (same
//! values read, same order of writes for each address), so that a proof under SC is one under the model, with buffers of any length. What carries over are
//! properties of the states in which an execution ends or fails: `unreach-call`, `no-overflow`, `valid-memsafety`, `no-deadlock`. For
//! termination only race freedom will do.
//!
//! | paper | module |
//! |---|---|
//! | Adve, Hill, *Weak ordering* (ISCA 1990); Boehm, Adve (PLDI 2008); Lahav et al., *Repairing sequential consistency in C/C++11* (PLDI 2017) | [`mod@strict`] |
//! | Shasha, Snir (TOPLAS 1988); Alglave, Maranget, *Stability in weak memory models* (CAV 2011) | [`cycles`] |
//! | Owens, *Reasoning about the implementation of concurrency abstractions on x86-TSO* (ECOOP 2010) | [`mod@triangular`] |
//! | Atig, Bouajjani, Parlato, *Getting rid of store-buffers in TSO analysis* (CAV 2011); Alglave et al., *Software verification for weak memory via program transformation* (ESOP 2013) | [`buffered`] |
//! | Lahav, Margalit, *Robustness against release/acquire semantics* (PLDI 2019); Margalit, Lahav, *Verifying observational robustness against a C11-style memory model* (POPL 2021) | [`mod@stale`] |
//! | Bouajjani, Derevenetc, Meyer, *Checking and enforcing robustness against TSO* (ESOP 2013) | [`mod@attacked`] |
//!
//! # This crate knows nothing of
//! solvers, engines and proofs. Engine and checker call the same transformations, which are thus part of the trusted base; tests hold each of them
//! against the interpreter's store buffers on random programs.

#![cfg_attr(
    not(test),
    warn(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

pub mod attacked;
pub mod buffered;
mod cells;
pub mod cycles;
pub mod fences;
mod flow;
mod hoisted;
mod joined;
pub mod stale;
pub mod strict;
pub mod triangular;

pub use attacked::attacked;
pub use buffered::{Buffered, Buffers};
pub use cycles::has_no_critical_cycle;
pub use stale::stale;
pub use strict::strict;
pub use triangular::triangular;

use program::{MemoryModel, Program, Property};
use std::borrow::Cow;

/// The same program on a sequentially consistent machine.
pub fn sequential(program: &Program) -> Program {
    Program { memory_model: MemoryModel::Sc, ..program.clone() }
}

/// The program whose threads are run one at a time for execution graphs: store buffers, if the machine has them, are in the axioms, not in the threads; and a step accesses one
/// word of a synchronisation object ([`mod@joined`]).
pub fn for_graphs(program: &Program) -> Cow<'_, Program> {
    match joined::joined(program) {
        Some(joined) if program.memory_model.has_buffers() => Cow::Owned(sequential(&joined)),
        Some(joined) => Cow::Owned(joined),
        None if program.memory_model.has_buffers() => Cow::Owned(sequential(program)),
        None => Cow::Borrowed(program),
    }
}

/// Returns true if a robust program keeps a property under the weak model if it keeps it under sequential consistency.
pub fn carries_over(property: Property) -> bool {
    match property {
        Property::UnreachCall
        | Property::NoDeadlock
        | Property::NoOverflow
        | Property::ValidMemsafety
        | Property::ValidDeref
        | Property::ValidFree
        | Property::ValidMemtrack
        | Property::ValidMemcleanup => true,
        // Data races are undefined behaviour; robustness is what the others carry over by.
        Property::Termination
        | Property::NoDataRace
        | Property::UndefinedBehaviour
        | Property::Robustness => false,
    }
}
