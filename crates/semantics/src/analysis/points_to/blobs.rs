//! What opaque functions can reach, as one object.
//!
//! An opaque function may put the address of any byte of what it reaches anywhere into what it reaches. So once it is called, all these
//! sites hold the same: the address of any byte of any of them, and the functions among it. A *blob* is such a set of sites. Its
//! sites have no cells of their own, and an address that was read from one of them is one [`Target::Blob`], whatever
//! the number of sites. Two opaque functions that reach a common site reach the same, so that their blobs become one (union-find).
//!
//! This changes no result: it is what the inclusions say, found without writing it down for every pair of sites.
//!
//! Sites are put into a blob also where one access may be to very many of them. That does change results: it allows more.

use super::graph::{BlobId, EntryId, Graph, Hook, NodeId, SiteId, Target};
use base::IdxVec;
use program::FuncId;
use std::collections::BTreeSet;

#[derive(Default, Debug)]
pub(super) struct Blobs {
    /// The blob that each has become part of, or itself.
    parent: IdxVec<BlobId, BlobId>,
    blobs: IdxVec<BlobId, Blob>,
    /// Functions that opaque ones call with what they reach, to be dealt with by [`constraints`](super::constraints).
    pub called: Vec<(BlobId, FuncId)>,
}

#[derive(Default, Debug)]
pub(super) struct Blob {
    /// What flows here is reached.
    sink: Option<NodeId>,
    pub sites: BTreeSet<SiteId>,
    pub functions: BTreeSet<FuncId>,
    /// Calls and creates through pointers that were read from it.
    watchers: Vec<EntryId>,
}

impl Blobs {
    /// The blob that one has become part of.
    pub fn find(&self, mut blob: BlobId) -> BlobId {
        while self.parent[blob] != blob {
            blob = self.parent[blob];
        }
        blob
    }

    pub fn get(&self, blob: BlobId) -> &Blob {
        &self.blobs[self.find(blob)]
    }
}

impl Graph {
    /// A new blob, with nothing in it.
    pub fn blob(&mut self) -> BlobId {
        let sink = self.node();
        let blob = self.blobs.blobs.push(Blob { sink: Some(sink), ..Blob::default() });
        self.blobs.parent.push(blob);
        self.hook(sink, Hook::Absorb(blob));
        blob
    }

    /// The node from which addresses go into a blob.
    pub fn sink(&self, blob: BlobId) -> NodeId {
        self.blobs.get(blob).sink.expect("a blob that is its own parent should have a sink")
    }

    pub fn absorb(&mut self, blob: BlobId, target: Target) {
        let blob = self.blobs.find(blob);
        match target {
            Target::Blob(other) => self.merge(blob, other),
            Target::Site(site) => match self.blob_of(site) {
                Some(other) => self.merge(blob, other),
                None => {
                    self.blobs.blobs[blob].sites.insert(site);
                    self.collapse(site, blob);
                }
            },
            Target::Function(func) => {
                if self.blobs.blobs[blob].functions.insert(func) {
                    self.blobs.called.push((blob, func));
                    let watchers = self.blobs.blobs[blob].watchers.iter();
                    self.entered.extend(watchers.map(|entry| (*entry, func)));
                }
            }
        }
    }

    /// A call or a create gets the functions of a blob.
    pub fn watch(&mut self, blob: BlobId, entry: EntryId) {
        let blob = self.blobs.find(blob);
        self.blobs.blobs[blob].watchers.push(entry);
        let functions = self.blobs.blobs[blob].functions.iter();
        self.entered.extend(functions.map(|func| (entry, *func)));
    }

    fn merge(&mut self, left: BlobId, right: BlobId) {
        let (left, right) = (self.blobs.find(left), self.blobs.find(right));
        if left == right {
            return;
        }
        let size = |blob: BlobId| self.blobs.blobs[blob].sites.len();
        let (into, from) = if size(left) < size(right) { (right, left) } else { (left, right) };
        let gone = std::mem::take(&mut self.blobs.blobs[from]);
        self.blobs.parent[from] = into;
        self.blobs.blobs[into].sites.extend(gone.sites);
        for func in gone.functions {
            self.absorb(into, Target::Function(func));
        }
        gone.watchers.into_iter().for_each(|entry| self.watch(into, entry));
    }
}
