//! Pairs of accesses that are not proved apart.

use super::{Held, Locksets, Mode};
use crate::analysis::Analysis;
use crate::analysis::footprint::{Kind, footprints};
use crate::analysis::offset::{Offset, WHOLE};
use crate::analysis::value::Site;
use program::{Action, FuncId, LocId, Op, Order};

/// An access to memory that threads contend for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RaceAccess {
    /// In this function
    pub func: FuncId,
    /// at this location,
    pub loc: LocId,
    /// to one of these places,
    pub places: Vec<(Site, Offset)>,
    /// or anywhere,
    pub unknown: bool,
    /// so many bytes.
    pub bytes: u64,
    /// True if it writes.
    pub write: bool,
    /// True if it is atomic.
    pub atomic: bool,
}

/// Two accesses that may race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RacePair {
    /// One,
    pub left: RaceAccess,
    /// and the other.
    pub right: RaceAccess,
}

impl Locksets {
    /// Returns true if two locations are protected from each other: some lock is held at both, and at one of them for writing.
    pub fn protected(&self, left: (FuncId, LocId), right: (FuncId, LocId)) -> bool {
        let (Some(left), Some(right)) = (&self.full[left.0][left.1], &self.full[right.0][right.1]) else {
            return true;
        };
        left.excludes(right)
    }

    /// The accesses that may race, in the order of the program; none if there is certainly no data race.
    pub fn races(&self, analysis: &Analysis<'_>) -> Vec<RacePair> {
        let accesses = self.accesses(analysis);
        let mut found = Vec::new();
        for (n, left) in accesses.iter().enumerate() {
            for right in &accesses[n..] {
                if left.conflicts(right) && self.may_meet(analysis, left, right) {
                    found.push(RacePair { left: left.clone(), right: right.clone() });
                }
            }
        }
        found
    }

    fn may_meet(&self, analysis: &Analysis<'_>, left: &RaceAccess, right: &RaceAccess) -> bool {
        let (here, there) = ((left.func, left.loc), (right.func, right.loc));
        let parallel = analysis.threads.runners(left.func).iter().any(|l| {
            let mut others = analysis.threads.runners(right.func).iter();
            others.any(|r| self.may_happen_in_parallel(analysis, (*l, here), (*r, there)))
        });
        parallel && !self.protected(here, there)
    }

    /// All accesses that matter for races.
    fn accesses(&self, analysis: &Analysis<'_>) -> Vec<RaceAccess> {
        let mut found = Vec::new();
        for (func, function) in analysis.program.functions.iter_enumerated() {
            for (loc, location) in function.locations.iter_enumerated() {
                let Some(held) = &self.full[func][loc] else { continue };
                for footprint in footprints(function, &location.action) {
                    if is_declaration(&location.action, footprint.op) {
                        continue;
                    }
                    let targets = analysis.points_to.targets(func, &footprint.addr);
                    let mut places = targets.places;
                    places.retain(|(site, _)| analysis.threads.is_contended(*site));
                    if footprint.extent.bytes().is_none() {
                        places.iter_mut().for_each(|place| place.1 = Offset::Any);
                    }
                    if places.is_empty() && !targets.unknown {
                        continue;
                    }
                    found.push(RaceAccess {
                        func,
                        loc,
                        places,
                        unknown: targets.unknown,
                        bytes: footprint.extent.bytes().unwrap_or(WHOLE),
                        write: footprint.kind == Kind::Write,
                        atomic: footprint.order != Order::Plain || held.atomic,
                    });
                }
            }
        }
        found
    }
}

/// Entering a variable's scope is no access to it.
fn is_declaration(action: &Action, op: usize) -> bool {
    matches!(action, Action::Ops { ops, .. } if matches!(ops.get(op), Some(Op::Forget { .. })))
}

impl RaceAccess {
    fn conflicts(&self, other: &RaceAccess) -> bool {
        let meets = |(site, offset): &(Site, Offset)| {
            other
                .places
                .iter()
                .any(|(there, at)| there == site && offset.overlaps(self.bytes, *at, other.bytes))
        };
        (self.write || other.write)
            && !(self.atomic && other.atomic)
            && (self.unknown || other.unknown || self.places.iter().any(meets))
    }
}

impl Held {
    /// Returns true if two threads can never hold these at once.
    fn excludes(&self, other: &Held) -> bool {
        (self.atomic && other.atomic)
            || self.locks.iter().any(|(lock, mode)| {
                other.locks.get(lock).is_some_and(|theirs| (*mode).max(*theirs) == Mode::Write)
            })
    }
}
