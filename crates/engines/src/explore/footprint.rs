//! What a thread accesses, byte by byte.

use program::interp::{Choice, Event, Identity, Observer, Place};
use program::{FuncId, LocId};

/// A location of the program.
pub(super) type Here = (FuncId, LocId);

/// Bytes of an object, and who accesses them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Access {
    pub(super) object: Identity,
    pub(super) writes: bool,
    /// The action.
    pub(super) here: Here,
    pub(super) from: u64,
    /// Behind the last byte.
    pub(super) to: u64,
}

/// A set of accesses, sorted, those of one action to adjacent bytes as one.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Footprint {
    accesses: Vec<Access>,
}

impl Footprint {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Access> {
        self.accesses.iter()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.accesses.is_empty()
    }

    /// The bytes that are accessed, whatever the actions.
    pub(super) fn evidence(&self) -> Vec<evidence::Accessed> {
        let of = |access: &Access| evidence::Accessed {
            object: access.object,
            writes: access.writes,
            from: access.from,
            to: access.to,
        };
        let mut found: Vec<_> = self.accesses.iter().map(of).collect();
        found.sort_by_key(|access| (access.object, access.writes, access.from));
        found.dedup_by(|next, last| {
            let adjacent = (next.object, next.writes) == (last.object, last.writes) && next.from <= last.to;
            if adjacent {
                last.to = last.to.max(next.to);
            }
            adjacent
        });
        found
    }

    /// Adds accesses.
    pub(super) fn extend(&mut self, accesses: impl IntoIterator<Item = Access>) {
        self.accesses.extend(accesses);
        self.accesses.sort_unstable();
        self.accesses.dedup_by(|next, last| {
            let adjacent = next.object == last.object
                && next.writes == last.writes
                && next.here == last.here
                && next.from <= last.to;
            if adjacent {
                last.to = last.to.max(next.to);
            }
            adjacent
        });
    }

    /// Returns true if all accesses of another one are in this one.
    pub(super) fn includes(&self, other: &Footprint) -> bool {
        other.accesses.iter().all(|access| {
            let same = |mine: &&Access| {
                mine.object == access.object && mine.writes == access.writes && mine.here == access.here
            };
            self.accesses.iter().filter(same).any(|mine| mine.from <= access.from && access.to <= mine.to)
        })
    }

    /// The accesses that conflict with one of another thread.
    pub(super) fn conflicts(&self, other: &Access) -> impl Iterator<Item = &Access> {
        let start = self.accesses.partition_point(|access| access.object < other.object);
        let same = self.accesses[start..].iter().take_while(move |access| access.object == other.object);
        let other = *other;
        same.filter(move |access| {
            (access.writes || other.writes) && access.from < other.to && other.from < access.to
        })
    }
}

/// Collects what a step accesses.
pub(super) struct Collector {
    here: Here,
    pub(super) accesses: Vec<Access>,
    /// True if something indeterminate has become determinate, which is a write where it was read.
    determines: bool,
}

impl Collector {
    /// For the action at a location.
    pub(super) fn new(here: Here) -> Self {
        Collector { here, accesses: Vec::new(), determines: false }
    }

    /// What the step accessed.
    pub(super) fn finish(mut self) -> Vec<Access> {
        if self.determines {
            self.accesses.iter_mut().for_each(|access| access.writes = true);
        }
        self.accesses
    }

    fn add(&mut self, place: Place, len: u64, writes: bool) {
        if let Place::Memory { object, offset } = place {
            let to = offset.saturating_add(len);
            self.accesses.push(Access { object, writes, here: self.here, from: offset, to });
        }
    }
}

impl Observer for Collector {
    fn event(&mut self, event: Event) {
        match event {
            Event::Read { place, width, .. } => self.add(place, width.bytes(), false),
            Event::ReadUnset { place, len, .. } => self.add(place, len, false),
            Event::Write { place, width, .. } => self.add(place, width.bytes(), true),
            Event::Left { place, bytes } => self.add(place, bytes.len() as u64, true),
            Event::Copied { dst, src, len } => {
                self.add(src, len, false);
                self.add(dst, len, true);
            }
            Event::Filled { dst, len, .. } => self.add(dst, len, true),
            Event::Allocated { object, .. } | Event::Freed { object } | Event::Resized { object, .. } => {
                self.add(Place::Memory { object, offset: 0 }, u64::MAX, true);
            }
            Event::Chosen { what: Choice::Indeterminate(place), .. } => {
                self.determines = true;
                // The bytes are those that are read, or among the first that a word can have.
                self.add(place, 16, true);
            }
            Event::Evaluated(_)
            | Event::Chosen { .. }
            | Event::Sync { .. }
            | Event::Called { .. }
            | Event::Returned { .. }
            | Event::Started { .. }
            | Event::Finished { .. }
            | Event::Joined { .. }
            | Event::Woken { .. } => {}
        }
    }
}
