//! Abstract values of the points-to analysis, and what an address can refer to.

use crate::analysis::offset::{Offset, Offsets};
use program::{FuncId, LocId, ObjectId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Where objects come from. All objects of one origin are one site.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Site {
    /// A static object; if it is thread-local, the copies of all threads.
    Static(ObjectId),
    /// A memory variable, in all frames of its function.
    Frame(FuncId, VarId),
    /// All objects that this operation (of this location's transaction) allocates, on the heap or in the frame.
    Heap(FuncId, LocId, u32),
}

/// What an address can refer to.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Targets {
    /// Places in objects, sorted.
    pub places: Vec<(Site, Offset)>,
    /// Functions, sorted.
    pub functions: Vec<FuncId>,
    /// True if it can also be something that was not followed: an input taken for an address. If nothing is named and
    /// this is false, the address is null or uninitialised or a number made of constants: using it is undefined.
    pub unknown: bool,
}

impl Targets {
    /// The only place it can refer to, if there is just one.
    pub fn only_place(&self) -> Option<(Site, i64)> {
        match (&self.places[..], self.unknown) {
            ([(site, Offset::Exactly(offset))], false) => Some((*site, *offset)),
            _ => None,
        }
    }
}

/// An abstract value: the addresses that a value can be, or can be made from.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Value {
    pub places: BTreeMap<Site, Offsets>,
    pub functions: BTreeSet<FuncId>,
    /// True if it may be an input, which as an address could be anything.
    pub wild: bool,
}

impl Value {
    pub fn place(site: Site, offset: Offset) -> Value {
        Value { places: BTreeMap::from([(site, Offsets::of(offset))]), ..Value::default() }
    }
    pub fn function(func: FuncId) -> Value {
        Value { functions: BTreeSet::from([func]), ..Value::default() }
    }

    pub fn is_nothing(&self) -> bool {
        !self.has_address() && !self.wild
    }
    pub fn has_address(&self) -> bool {
        !self.places.is_empty() || !self.functions.is_empty()
    }
    /// Returns true if it is an address for certain, so that adding an input to it is indexing.
    pub fn is_pointer(&self) -> bool {
        self.has_address() && !self.wild
    }

    pub fn places(&self) -> impl Iterator<Item = (Site, Offset)> {
        self.places.iter().flat_map(|(site, offsets)| offsets.iter().map(move |offset| (*site, offset)))
    }

    /// Adds everything of `other`; returns true if that changed anything.
    pub fn join(&mut self, other: &Value) -> bool {
        let mut changed = other.wild && !self.wild;
        self.wild |= other.wild;
        for func in &other.functions {
            changed |= self.functions.insert(*func);
        }
        for (site, offsets) in &other.places {
            if let Some(known) = self.places.get_mut(site) {
                for offset in offsets.iter() {
                    changed |= known.insert(offset).is_some();
                }
            } else {
                self.places.insert(*site, offsets.clone());
                changed = true;
            }
        }
        changed
    }

    pub fn joined(mut self, other: &Value) -> Value {
        self.join(other);
        self
    }

    /// The same addresses, moved by `distance`.
    pub fn moved(&self, distance: Offset) -> Value {
        if distance == Offset::Exactly(0) {
            return self.clone();
        }
        let mut result = Value { functions: self.functions.clone(), wild: self.wild, ..Value::default() };
        for (site, offset) in self.places() {
            result.places.entry(site).or_default().insert(offset.plus(distance));
        }
        result
    }

    /// What can be made from parts of these addresses: the same objects, anywhere in them.
    pub fn smeared(&self) -> Value {
        self.moved(Offset::Any)
    }
}
