//! Which locks a thread certainly holds at a location, which threads can be alive then, and so which accesses can never
//! race: the lockset method (Savage et al., *Eraser*, 1997), made static and sound.
//!
//! | question | answered by |
//! |---|---|
//! | which locks are held at this location? | [`Locksets::held`] |
//! | which roots' threads can be alive while the main thread is here? | [`Locksets::alive`] |
//! | can two threads be at these two locations at once? | [`Locksets::may_happen_in_parallel`] |
//! | … and access them without a common lock? | [`Locksets::protected`] |
//! | which accesses are there that are not proved apart? | [`Locksets::races`] |
//!
//! # Locks
//! A [`Lock`] is one place in one object ([`Analysis::is_unique`](crate::analysis::Analysis::is_unique)): its *words* are what the transactions that
//! take it write. A thread holds it if the words say so. The invariant is: *at every location, the locks of the location's set
//! are held by the thread that is there*. It is kept because
//! - taking a lock (tags [`SyncKind::Lock`] and its kin) waits until no other thread holds it, or fails, and never takes it from another thread;
//!   a `trylock` holds the lock where its result is found to be 0;
//! - any other write that may touch the words (unlock, the release in a condition wait, initialisation, a stray pointer) drops the lock
//!   from the set of the thread that makes it, and is harmless for others if that thread holds the lock itself, or is alone.
//!   A lock for which this cannot be shown (*foreign unlock*) is none: it is dropped from all sets, until nothing changes.
//!
//! Atomic sections are a lock that is always well-behaved.
//!
//! # Calls
//! A function is analysed twice: from no locks at all, which gives what it certainly takes (*gain*); and from
//! the locks held at all of its calls. What it may release (*loss*) is collected without regard to order. After a call, a thread holds what
//! it held, minus loss, plus gain.
//!
//! # Direction of error
//! Sets of held locks may be too small, sets of living threads too large. What C leaves undefined is not considered (SOUNDNESS: A20, A21).
//!
//! The result is an annotation: `certify` checks that it is inductive, with code of its own.

mod alive;
mod flow;
mod pairs;

pub use pairs::{RaceAccess, RacePair};

use crate::analysis::Analysis;
use crate::analysis::offset::Offset;
use crate::analysis::value::Site;
use base::IdxVec;
use program::{FuncId, LocId, VarId};
use std::collections::{BTreeMap, BTreeSet};

#[cfg(doc)]
use program::SyncKind;

/// A place in an object of which there is one: the first word of a mutex, spinlock or readers–writer lock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Lock {
    /// The object.
    pub site: Site,
    /// Where in it.
    pub offset: i64,
}

/// How a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Mode {
    /// For reading: others may read, too.
    Read,
    /// For writing: by no other thread.
    Write,
}

/// What a thread certainly holds.
#[derive(Clone, PartialEq, Eq, Default, Debug, serde::Serialize, serde::Deserialize)]
pub struct Held {
    /// Its locks.
    #[serde(with = "base::pairs")]
    pub locks: BTreeMap<Lock, Mode>,
    /// True if it is in an atomic section.
    pub atomic: bool,
    /// Locks that it holds if this register is 0; it is 0 or the given number.
    #[serde(with = "base::pairs")]
    pub if_zero: BTreeMap<VarId, (Lock, Mode, u128)>,
}

impl Held {
    /// What is held by both ways of getting to a place; returns true if that is less than before.
    fn meet(&mut self, other: &Held) -> bool {
        let before = (self.locks.len(), self.atomic, self.if_zero.len(), self.strength());
        self.locks.retain(|lock, _| other.locks.contains_key(lock));
        for (lock, mode) in &mut self.locks {
            *mode = (*mode).min(other.locks[lock]);
        }
        self.atomic &= other.atomic;
        self.if_zero.retain(|var, fact| other.if_zero.get(var) == Some(fact));
        before != (self.locks.len(), self.atomic, self.if_zero.len(), self.strength())
    }

    fn strength(&self) -> usize {
        self.locks.values().filter(|mode| **mode == Mode::Write).count()
    }
}

/// By function and location.
pub type ByLocation<T> = IdxVec<FuncId, IdxVec<LocId, T>>;

/// The result of the analysis: an annotation of the program. `None` at a location: it is not reached.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Locksets {
    /// The locks that are well-behaved.
    pub locks: BTreeSet<Lock>,
    /// What is held at each location.
    pub full: ByLocation<Option<Held>>,
    /// What was taken since the function was entered, and not given back.
    pub local: ByLocation<Option<Held>>,
    /// What each function certainly takes; `None` if it does not return.
    pub gain: IdxVec<FuncId, Option<Held>>,
    /// What each function may give back.
    pub loss: IdxVec<FuncId, BTreeSet<Lock>>,
    /// Whether each function may leave an atomic section.
    pub leaves_atomic: IdxVec<FuncId, bool>,
    /// The roots (by position) whose threads can be alive while the main thread is at a location.
    pub alive: ByLocation<Option<BTreeSet<usize>>>,
}

impl Locksets {
    /// Analyses a program.
    pub fn of(analysis: &Analysis<'_>) -> Locksets {
        let alive = alive::alive(analysis);
        let mut locks = flow::candidates(analysis);
        loop {
            let found = flow::locksets(analysis, locks.clone(), &alive);
            let broken = flow::broken(analysis, &found);
            if broken.is_empty() {
                return found;
            }
            locks.retain(|lock| !broken.contains(lock));
        }
    }

    /// The locks that are certainly held by a thread at a location, and how.
    pub fn held(&self, func: FuncId, loc: LocId) -> impl Iterator<Item = (Lock, Mode)> {
        let held = self.full[func][loc].iter();
        held.flat_map(|held| held.locks.iter().map(|(lock, mode)| (*lock, *mode)))
    }

    /// Returns true if a thread at the location is certainly in an atomic section.
    pub fn is_atomic(&self, func: FuncId, loc: LocId) -> bool {
        self.full[func][loc].as_ref().is_some_and(|held| held.atomic)
    }

    /// Returns true if a location can be reached at all, as far as this analysis can tell.
    pub fn is_reached(&self, func: FuncId, loc: LocId) -> bool {
        self.full[func][loc].is_some()
    }
}

/// The bytes that the transactions taking `lock` write.
pub fn words(analysis: &Analysis<'_>, lock: Lock) -> Vec<(i64, u64)> {
    flow::words(analysis, lock)
}

/// Returns true if bytes of `lock`'s words can be among `bytes` ones at one of the `places`.
fn touches(places: &[(Site, Offset)], bytes: u64, lock: Lock, words: &[(i64, u64)]) -> bool {
    let meets = |offset: &Offset| {
        words.iter().any(|(at, length)| offset.overlaps(bytes, Offset::Exactly(*at), *length))
    };
    places.iter().any(|(site, offset)| *site == lock.site && meets(offset))
}
