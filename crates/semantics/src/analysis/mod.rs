//! What all engines want to know of a program before they search it.
//!
//! | module | question |
//! |---|---|
//! | [`points_to`] | what can an address refer to? |
//! | [`threads`] | which threads are there, and what do they share? |
//! | [`layout`] | how is memory cut into variables and arrays? |
//! | [`access`] | what does an action read and write; can another thread notice it? |
//! | [`liveness`] | which registers does a location still need? |
//! | [`once`] | which functions are called at most once in a run? |
//! | [`lockset`] | which locks are held, which threads are alive, which accesses can race? |
//! | [`assigned`], [`evident`] | which reads certainly see bytes that were set; which accesses are evidently valid? |
//! | [`footprint`], [`mod@offset`] | the accesses as they stand in the program; sets of offsets |
//!
//! All of them look at the whole program and at no path: they are computed once. Each module says in which direction
//! it errs.

pub mod access;
pub mod assigned;
pub mod evident;
pub mod footprint;
mod indeterminate;
mod joins;
pub mod layout;
pub mod liveness;
pub mod lockset;
mod numbers;
pub mod offset;
pub mod once;
pub mod points_to;
mod rows;
pub mod threads;
mod value;

#[cfg(test)]
pub(crate) mod tests;

pub use access::{Access, AccessSet, Accesses};
pub use layout::{ArrayRegion, MemoryPartition, ScalarCell, SitePartition};
pub use liveness::Liveness;
pub use lockset::{Lock, Locksets, Mode};
pub use offset::Offset;
pub use points_to::PointsTo;
pub use threads::{Root, Threads};
pub use value::{Site, Targets};

use base::IdxVec;
use program::{FuncId, Program};
use std::sync::{Arc, OnceLock};

/// A program with what is known about it.
#[derive(Debug)]
pub struct Analysis<'p> {
    /// The program.
    pub program: &'p Program,
    /// What addresses can refer to.
    pub points_to: PointsTo,
    /// Which threads there are, and what they share.
    pub threads: Threads,
    /// How memory is partitioned into cells and array regions.
    pub layout: MemoryPartition,
    /// Which registers each location still needs, by function.
    pub liveness: IdxVec<FuncId, Liveness>,
    /// Computed when they are asked for.
    doubts: OnceLock<Arc<assigned::Doubts>>,
}

impl<'p> Analysis<'p> {
    /// Analyses a program. That is done once, and the result is shared.
    pub fn of(program: &'p Program) -> Arc<Analysis<'p>> {
        let points_to = PointsTo::of(program);
        let layout = MemoryPartition::of(program, &points_to);
        Analysis::with(program, points_to, layout)
    }

    /// Analyses a program in an environment that knows only the addresses that it was given ([`points_to`]). Memory is not partitioned.
    pub fn with_environment(program: &'p Program) -> Arc<Analysis<'p>> {
        Analysis::with(program, PointsTo::with_environment(program), MemoryPartition::default())
    }

    fn with(program: &'p Program, points_to: PointsTo, layout: MemoryPartition) -> Arc<Analysis<'p>> {
        let threads = Threads::of(program, &points_to);
        let liveness = program.functions.iter().map(Liveness::of).collect();
        Arc::new(Analysis { program, points_to, threads, layout, liveness, doubts: OnceLock::new() })
    }

    /// The reads that may see memory which nothing has set.
    pub fn doubts(&self) -> Arc<assigned::Doubts> {
        Arc::clone(self.doubts.get_or_init(|| Arc::new(assigned::Doubts::of(self))))
    }
}
