//! The values that the nodes of a solved constraint graph have, each kept once.
//!
//! Many registers and cells hold the same value, which may be large. A [`Shared`] value has an id, so that two of them are compared, and a set of them is
//! walked over, without looking inside.

use super::constraints::Constraints;
use super::graph::{BlobId, NodeId, Target};
use crate::analysis::offset::{Offset, Offsets};
use crate::analysis::value::{Site, Value};
use base::Idx;
use program::{FuncId, LocId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

base::id_type!(
    /// A value that is kept once.
    ValueId, "x"
);

/// A value that is kept once.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    /// Equal for equal values.
    pub(super) id: ValueId,
    value: Arc<Value>,
}

impl Deref for Shared {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.value
    }
}

/// What a node holds in the end, and whether it is wild.
type Held = (Vec<(Target, Offsets)>, bool);

/// The values that nodes have in the end, each kept once.
pub(super) struct Values<'c, 'p> {
    solved: &'c Constraints<'p>,
    known: FxHashMap<Held, Shared>,
}

impl<'c, 'p> Values<'c, 'p> {
    pub fn of(solved: &'c Constraints<'p>) -> Self {
        Values { solved, known: FxHashMap::default() }
    }

    /// The value of a node; nothing, if there is none.
    pub fn of_node(&mut self, node: Option<NodeId>) -> Shared {
        let solved = self.solved;
        let Some(node) = node.map(|node| &solved.graph.nodes[node]) else {
            return self.intern(Vec::new(), false);
        };
        let resolved = node.known.iter().map(|(target, offsets)| match target {
            Target::Blob(blob) => (Target::Blob(solved.graph.blobs.find(*blob)), Offsets::of(Offset::Any)),
            target => (*target, offsets.clone()),
        });
        let mut parts: Vec<(Target, Offsets)> = resolved.collect();
        parts.sort_unstable();
        parts.dedup();
        self.intern(parts, node.wild)
    }

    fn of_blob(&mut self, blob: BlobId) -> Shared {
        let blob = self.solved.graph.blobs.find(blob);
        self.intern(vec![(Target::Blob(blob), Offsets::of(Offset::Any))], true)
    }

    fn intern(&mut self, parts: Vec<(Target, Offsets)>, wild: bool) -> Shared {
        let graph = &self.solved.graph;
        let key = (parts, wild);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut value = Value { wild, ..Value::default() };
        for (target, offsets) in &key.0 {
            match target {
                Target::Function(func) => _ = value.functions.insert(*func),
                Target::Site(site) => {
                    let known = value.places.entry(graph.site_of(*site)).or_default();
                    offsets.iter().for_each(|offset| _ = known.insert(offset));
                }
                Target::Blob(blob) => {
                    let blob = graph.blobs.get(*blob);
                    value.functions.extend(&blob.functions);
                    for site in &blob.sites {
                        value.places.insert(graph.site_of(*site), Offsets::of(Offset::Any));
                    }
                }
            }
        }
        let shared = Shared { id: ValueId::new(self.known.len()), value: Arc::new(value) };
        self.known.insert(key, shared.clone());
        shared
    }

    /// What objects hold.
    pub fn contents(&mut self) -> BTreeMap<Site, BTreeMap<(Offset, u64), Shared>> {
        let pointer = self.solved.pointer.bytes();
        let mut found = BTreeMap::new();
        for (site, cells, blob) in self.solved.graph.contents() {
            let mut held: BTreeMap<(Offset, u64), Shared> =
                cells.iter().map(|(at, cell)| (*at, self.of_node(Some(*cell)))).collect();
            held.retain(|_, value| !value.is_nothing());
            if let Some(blob) = blob {
                held.insert((Offset::Any, pointer), self.of_blob(blob));
            }
            if !held.is_empty() {
                found.insert(site, held);
            }
        }
        found
    }

    /// What opaque functions can reach.
    pub fn reached(&mut self) -> BTreeMap<(FuncId, LocId), Shared> {
        let solved = self.solved;
        solved.blobs.iter().map(|(at, blob)| (*at, self.of_blob(*blob))).collect()
    }

    /// What threads of the environment can reach.
    pub fn foreign(&mut self) -> BTreeMap<(FuncId, LocId), Shared> {
        let solved = self.solved;
        solved.foreign.iter().map(|(at, blob)| (*at, self.of_blob(*blob))).collect()
    }
}
