//! Why no two threads race for a memory location: what protects it, as an annotation of the whole program.
//!
//! The annotation is about a program in which calls enter copies of functions ([`ClonePlan`]), so that one fact for each location of a function is
//! enough. It is read as an invariant of all reachable states: *whenever a thread is at a location, the [`Facts`] of the location
//! hold for it*. `certify` checks that it is inductive; which accesses then cannot race, it finds out itself.

use program::passes::ClonePlan;
use program::{FuncId, LocId, ObjectId, VarId};
use semantics::analysis::lockset::{ByLocation, Mode};
use semantics::analysis::{Offset, Site};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a term starts from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Root {
    /// The address of an object of which there is one.
    Object(Site),
    /// The pointer that a word of a static object holds, where that word is written only while there is one thread.
    Content(ObjectId, i64),
    /// The value of a register of the frame.
    Register(VarId),
}

/// An address that a thread knows: a root, and a distance in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Term {
    /// From here
    pub root: Root,
    /// so many bytes on.
    pub offset: i64,
}

/// What a thread certainly knows at a location.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Facts {
    /// The locks that it holds.
    #[serde(with = "base::pairs")]
    pub locks: BTreeMap<Term, Mode>,
    /// Locks that it holds if a register is 0; the register is 0 or the given number.
    #[serde(with = "base::pairs")]
    pub if_zero: BTreeMap<VarId, (Term, Mode, u128)>,
    /// Registers that have the value of a term.
    #[serde(with = "base::pairs")]
    pub terms: BTreeMap<VarId, Term>,
    /// Registers that point into an object, if into any, of which no other thread knows the address.
    pub owned: BTreeSet<VarId>,
    /// Whether it is in an atomic section.
    pub atomic: bool,
}

/// What a caller knows when a function returns.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Exit {
    /// The facts; registers are parameters that the function does not change.
    pub facts: Facts,
    /// Whether the result points into an object, if into any, of which no other thread knows the address.
    pub result_owned: bool,
}

/// A memory location that threads may race for: some bytes of the objects of one site of the *original* program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct RaceCell {
    /// The objects.
    pub site: Site,
    /// Where in them.
    pub offset: Offset,
    /// How many bytes.
    pub bytes: u64,
}

/// The annotation of a program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Protection {
    /// The copies of functions that the rest is about.
    pub plan: ClonePlan,
    /// What is known at each location; `None` where no thread ever is.
    pub facts: ByLocation<Option<Facts>>,
    /// What is known when each function returns; `None` if it does not.
    pub exits: base::IdxVec<FuncId, Option<Exit>>,
    /// The roots (by position) whose threads can be alive while the main thread is at a location; `None` where it never is.
    pub alive: ByLocation<Option<BTreeSet<usize>>>,
    /// The words that are written only while there is one thread.
    pub stable: BTreeSet<(ObjectId, i64)>,
    /// The locations that are not raced for.
    pub proved: BTreeSet<RaceCell>,
}

/// One access, for a report.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct RaceAccess {
    /// In this function of the original program,
    pub func: FuncId,
    /// at this location.
    pub loc: LocId,
    /// Whether it writes.
    pub write: bool,
    /// Whether it is atomic.
    pub atomic: bool,
    /// The start routines of the threads that make it.
    pub threads: Vec<FuncId>,
    /// The locks held, as places in objects of the original program.
    pub locks: Vec<(Site, i64)>,
}

/// The answer for one memory location.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RaceAnswer {
    /// No two threads race for it.
    Proved {
        /// Why, each with the number of pairs of accesses.
        reasons: BTreeMap<Reason, usize>,
        /// The locks that protect all pairs which a lock protects, as places in objects of the original program; empty if that is not one lock, or
        /// one of each object.
        locks: BTreeSet<(Site, i64)>,
    },
    /// These two accesses are not proved apart, and so many other pairs.
    Open(Box<(RaceAccess, RaceAccess)>, usize),
}

/// Why two accesses cannot race.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Reason {
    /// None of them writes.
    ReadOnly,
    /// Both are atomic.
    Atomic,
    /// The threads that make them are not alive at the same time, or are one thread.
    Order,
    /// One thread owns the object.
    Owned,
    /// Both hold the same single lock.
    Lock,
    /// Both hold a lock of the same object, or that the object leads to.
    ObjectLock,
}
