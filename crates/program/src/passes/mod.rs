//! Passes: from a program to a program.
//!
//! A front end lowers plainly and knows nothing of what its program is analysed for. It hands over a [`RawProgram`], which is not yet one to analyse:
//! [`RawProgram::for_property`] applies the passes that a property needs. That way the files are read and lowered once, also where two
//! versions of a program are analysed (termination, with and without overflow).
//!
//! | pass | does | keeps |
//! |---|---|---|
//! | [`mod@overflow`] | signed arithmetic that overflows is an error, or wraps around | all executions, up to an overflow |
//! | [`mod@unset`] | reading what was never set is undefined (for `undefined-behaviour`) | all executions, up to such a read |
//! | [`constant_arguments`](constant_arguments()) | parameters of library functions that are the same constant in all calls disappear, and branches that they decide | all verdicts |
//! | [`ignored_inputs`](ignored_inputs()) | inputs on which nothing depends become zero | all verdicts |
//! | [`copy_propagation`](copy_propagation()) | temporaries disappear into their uses, empty steps disappear | all verdicts |
//! | [`if_conversion`](if_conversion()) | choices of values become expressions where no thread can act in between | all verdicts |
//! | [`files`] | files that no position names disappear | everything |
//! | [`clones`] | (used by an engine) calls enter copies of functions | all executions, up to names |
//! | [`recursion`] | (used by an engine) calls of a function by itself disappear | infinite executions: the result terminates only if the original does |
//!
//! Each pass takes any well-formed program and gives a well-formed one. They are tested by brute force: random programs are explored
//! before and after a pass (`threadproof/tests/passes_agree.rs`).
//!
//! *Not here* are decisions that lowering makes because the operations of a program depend on them, and that no pass could make
//! afterwards: whether accesses inside the C library count, whether calls of it may block, whether allocation may fail (`frontend::Checks`).

pub mod clones;
pub mod constant_arguments;
mod control_flow;
pub mod copy_propagation;
pub mod files;
pub mod if_conversion;
pub mod ignored_inputs;
pub mod overflow;
pub mod recursion;
pub mod unset;

pub use clones::{ClonePlan, with_clones};
pub use constant_arguments::constant_arguments;
pub use copy_propagation::copy_propagation;
pub use files::keep_used_files;
pub use if_conversion::if_conversion;
pub use ignored_inputs::ignored_inputs;
pub use overflow::{Overflow, overflow};
pub use recursion::without_recursion;
pub use unset::unset;

use crate::{Program, Property};

/// A program as a front end lowers it: before the passes that every program goes through.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawProgram(Program);

impl RawProgram {
    /// What a front end has lowered, as it is.
    pub fn new(program: Program) -> Self {
        Self(program)
    }

    /// What a front end has lowered, to look at. (It has no checks for overflow, so it is nothing to verify.)
    pub fn program(&self) -> &Program {
        &self.0
    }

    /// The program to verify `property` of.
    pub fn for_property(self, property: Property) -> Program {
        self.with(match property {
            Property::NoOverflow => Overflow::IsError,
            Property::UndefinedBehaviour => Overflow::IsUndefined,
            Property::UnreachCall
            | Property::NoDeadlock
            | Property::Termination
            | Property::NoDataRace
            | Property::ValidMemsafety
            | Property::ValidDeref
            | Property::ValidFree
            | Property::ValidMemtrack
            | Property::ValidMemcleanup
            | Property::Robustness => Overflow::Wraps,
        })
    }

    /// The program in which signed overflow has this meaning.
    pub fn with(self, meaning: Overflow) -> Program {
        let Self(mut program) = self;
        overflow(&mut program, meaning);
        if meaning == Overflow::IsUndefined {
            unset(&mut program);
        }
        constant_arguments(&mut program);
        ignored_inputs(&mut program);
        copy_propagation(&mut program);
        if_conversion(&mut program);
        keep_used_files(&mut program);
        if cfg!(debug_assertions)
            && let Err(flaws) = crate::well_formed::check(&program)
        {
            panic!("passes should give a well-formed program: {flaws:?}");
        }
        program
    }
}
