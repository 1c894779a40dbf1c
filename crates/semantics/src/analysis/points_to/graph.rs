//! The constraint graph: nodes that hold addresses, edges along which addresses flow, and what happens when a node gets a new address.
//!
//! Difference propagation (Fecht and Seidl, *Propagating differences*, 1998; for points-to Pearce, Kelly, Hankin, *Efficient field-sensitive pointer
//! analysis of C*, TOPLAS 2007): a node passes on only what is new. So every address passes every edge once.
//!
//! | node | holds |
//! |---|---|
//! | a register, the result of a function, the results and arguments of threads | what it can be |
//! | a cell: so many bytes at an offset of a site | what can be stored there |
//! | a temporary | what a load or an argument evaluates to |
//!
//! A load through an address makes its temporary a *reader* of the site: cells of the site that it can meet, made before or
//! after, get an edge to it. Sites that opaque functions can reach have no cells ([`blobs`](super::blobs)).

use crate::analysis::offset::{Offset, Offsets};
use crate::analysis::value::Site;
use base::IdxVec;
use program::FuncId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

base::id_type!(
    /// A node of the constraint graph.
    NodeId, "n"
);
base::id_type!(
    /// A site, by number.
    SiteId, "s"
);
base::id_type!(
    /// All sites that certain opaque functions can reach.
    BlobId, "b"
);
base::id_type!(
    /// An operation that copies bytes.
    CopyId, "c"
);
base::id_type!(
    /// A call through a pointer, or a create.
    EntryId, "e"
);

/// How many offsets of one object hold addresses before they are no longer kept apart.
const MAX_CONTENTS: usize = 256;

/// How many objects an address may name before they are no longer kept apart, if there is an environment.
const MAX_TARGETS: usize = 256;

/// No distance.
pub(super) const HERE: Offset = Offset::Exactly(0);

/// What an address can name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Target {
    Site(SiteId),
    Function(FuncId),
    /// Any byte of any site of a blob, and any of its functions.
    Blob(BlobId),
}

/// An edge: addresses flow, moved by a distance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Edge {
    to: NodeId,
    by: Offset,
    /// Whether wildness flows, too. If not, a rule of [`wild`](super::wild) says when it does.
    wild: bool,
}

/// What else happens when a node gets an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hook {
    /// `to` gets what lies there.
    Load {
        by: Offset,
        bytes: u64,
        to: NodeId,
    },
    /// What `from` holds can lie there.
    Store {
        by: Offset,
        bytes: u64,
        from: NodeId,
    },
    /// A copy reads from there, or writes to there.
    CopyFrom {
        by: Offset,
        copy: CopyId,
    },
    CopyTo {
        by: Offset,
        copy: CopyId,
    },
    /// Functions are called, or started.
    Enter(EntryId),
    /// Opaque functions of this blob can reach it.
    Absorb(BlobId),
}

#[derive(Default, Debug)]
pub(super) struct Node {
    pub known: FxHashMap<Target, Offsets>,
    /// What was not passed on yet.
    fresh: Vec<(Target, Offset)>,
    edges: Vec<Edge>,
    hooks: Vec<Hook>,
    /// Whether it can be an input.
    pub wild: bool,
    /// Whether it can be one that was not read from a blob.
    pub is_input: bool,
    queued: bool,
}

/// Who reads the contents of a site.
#[derive(Clone, Copy, Debug)]
enum Reader {
    Load { at: Offset, bytes: u64, to: NodeId },
    Copy { at: Offset, copy: CopyId },
}

/// What is known of the contents of a site.
#[derive(Default, Debug)]
struct Contents {
    cells: BTreeMap<(Offset, u64), NodeId>,
    readers: Vec<Reader>,
    blob: Option<BlobId>,
}

/// An operation that copies bytes.
#[derive(Debug)]
struct Copy {
    len: Option<u64>,
    /// Cells that are copied, with their distance from the address that is copied from.
    sources: Vec<(Offset, u64, NodeId)>,
    targets: Vec<(Target, Offset)>,
    /// What is read from unknown addresses, or from blobs.
    loose: NodeId,
    /// Where it writes to if it can write to unknown addresses.
    anywhere: Option<NodeId>,
}

/// The graph, and what the nodes hold so far.
#[derive(Debug)]
pub(super) struct Graph {
    pub nodes: IdxVec<NodeId, Node>,
    pub pointer_bytes: u64,
    sites: IdxVec<SiteId, Site>,
    numbers: FxHashMap<Site, SiteId>,
    contents: IdxVec<SiteId, Contents>,
    copies: IdxVec<CopyId, Copy>,
    pub blobs: super::blobs::Blobs,
    /// What was written to unknown addresses.
    pub anywhere: NodeId,
    /// What was written through inputs: a part of it.
    environment: NodeId,
    /// Edges between cells and others, which are found more than once.
    found: FxHashSet<(NodeId, Edge)>,
    queue: Vec<NodeId>,
    /// Calls and creates that have got functions, to be dealt with by [`constraints`](super::constraints).
    pub entered: Vec<(EntryId, FuncId)>,
    /// Nodes that became wild, to be dealt with by [`wild`](super::wild).
    pub turned_wild: Vec<NodeId>,
    /// Nodes that hold what was read from a blob.
    from_blobs: Vec<NodeId>,
    /// Nodes that hold what was loaded from anywhere, while wild values are not followed yet.
    loaded: Vec<NodeId>,
    /// Whether wild values are followed yet.
    pub follows_wild: bool,
    /// Whether what was read from blobs is followed, too.
    follows_blobs: bool,
    /// Whether whatever is read may have been written to an unknown address.
    pub reads_anywhere: bool,
}

impl Graph {
    pub fn new(pointer_bytes: u64) -> Graph {
        let mut nodes: IdxVec<NodeId, Node> = IdxVec::new();
        let (anywhere, environment) = (nodes.push(Node::default()), nodes.push(Node::default()));
        let mut graph = Graph {
            nodes,
            pointer_bytes,
            sites: IdxVec::new(),
            numbers: FxHashMap::default(),
            contents: IdxVec::new(),
            copies: IdxVec::new(),
            blobs: Default::default(),
            anywhere,
            environment,
            found: FxHashSet::default(),
            queue: Vec::new(),
            entered: Vec::new(),
            turned_wild: Vec::new(),
            from_blobs: Vec::new(),
            loaded: Vec::new(),
            follows_wild: false,
            follows_blobs: false,
            reads_anywhere: false,
        };
        graph.flow(environment, anywhere, HERE, true);
        graph
    }

    pub fn node(&mut self) -> NodeId {
        self.nodes.push(Node::default())
    }

    pub fn site(&mut self, site: Site) -> SiteId {
        *self.numbers.entry(site).or_insert_with(|| {
            self.contents.push(Contents::default());
            self.sites.push(site)
        })
    }

    pub fn site_of(&self, id: SiteId) -> Site {
        self.sites[id]
    }

    /// All sites, with what is in their cells, and the blob that they are part of.
    pub fn contents(&self) -> impl Iterator<Item = (Site, &BTreeMap<(Offset, u64), NodeId>, Option<BlobId>)> {
        let contents = self.sites.iter().zip(self.contents.iter());
        contents.map(|(site, contents)| (*site, &contents.cells, contents.blob))
    }

    /// `node` can be this address.
    pub fn insert(&mut self, node: NodeId, target: Target, offset: Offset) {
        let (target, offset) = match target {
            Target::Site(_) => (target, offset),
            Target::Function(_) => (target, HERE),
            Target::Blob(blob) => (Target::Blob(self.blobs.find(blob)), Offset::Any),
        };
        let at = &mut self.nodes[node];
        if let Some(new) = at.known.entry(target).or_default().insert(offset) {
            at.fresh.push((target, new));
            self.enqueue(node);
        }
    }

    /// `node` can be an input.
    pub fn mark_wild(&mut self, node: NodeId) {
        if !std::mem::replace(&mut self.nodes[node].wild, true) {
            self.nodes[node].is_input = !self.follows_blobs;
            self.turned_wild.push(node);
            self.enqueue(node);
        }
    }

    fn enqueue(&mut self, node: NodeId) {
        if !std::mem::replace(&mut self.nodes[node].queued, true) {
            self.queue.push(node);
        }
    }

    /// What `from` holds flows to `to`.
    pub fn flow(&mut self, from: NodeId, to: NodeId, by: Offset, wild: bool) {
        if from == to && by == HERE {
            return;
        }
        let edge = Edge { to, by, wild };
        if !self.found.insert((from, edge)) {
            return;
        }
        self.nodes[from].edges.push(edge);
        for (target, offset) in self.known(from) {
            self.insert(to, target, offset.plus(by));
        }
        if wild && self.nodes[from].wild {
            self.mark_wild(to);
        }
    }

    /// Whatever address `node` gets, this happens.
    pub fn hook(&mut self, node: NodeId, hook: Hook) {
        self.nodes[node].hooks.push(hook);
        for (target, offset) in self.known(node) {
            self.happen(hook, target, offset);
        }
    }

    fn known(&self, node: NodeId) -> Vec<(Target, Offset)> {
        let known = self.nodes[node].known.iter();
        known.flat_map(|(target, offsets)| offsets.iter().map(|offset| (*target, offset))).collect()
    }

    /// Passes on everything until nothing is new.
    pub fn propagate(&mut self) {
        while let Some(node) = self.queue.pop() {
            self.nodes[node].queued = false;
            let fresh = std::mem::take(&mut self.nodes[node].fresh);
            let is_wild = self.nodes[node].wild;
            let mut n = 0;
            while n < self.nodes[node].edges.len() {
                let Edge { to, by, wild } = self.nodes[node].edges[n];
                fresh.iter().for_each(|(target, offset)| self.insert(to, *target, offset.plus(by)));
                if wild && is_wild {
                    self.mark_wild(to);
                }
                n += 1;
            }
            self.keep_small(node);
            // Hooks that are added on the way have seen everything.
            for n in 0..self.nodes[node].hooks.len() {
                let hook = self.nodes[node].hooks[n];
                fresh.iter().for_each(|(target, offset)| self.happen(hook, *target, *offset));
            }
        }
    }

    /// Memory is accessed through an address that may name very many objects: what they hold is not told apart.
    fn keep_small(&mut self, node: NodeId) {
        let Node { known, hooks, .. } = &self.nodes[node];
        let accesses = |hook: &Hook| !matches!(hook, Hook::Enter(_) | Hook::Absorb(_));
        let absorbs = |hook: &Hook| matches!(hook, Hook::Absorb(_));
        let many = known.len() > MAX_TARGETS && hooks.iter().any(accesses) && !hooks.iter().any(absorbs);
        if many && !self.reads_anywhere {
            let blob = self.blob();
            self.hook(node, Hook::Absorb(blob));
        }
    }

    /// What a hook does when its node gets an address.
    pub fn happen(&mut self, hook: Hook, target: Target, offset: Offset) {
        match (hook, target) {
            (Hook::Load { by, bytes, to }, Target::Site(site)) => {
                self.read(site, Reader::Load { at: offset.plus(by), bytes, to });
            }
            (Hook::Load { to, .. }, Target::Blob(blob)) => self.give(blob, to),
            (Hook::Store { by, bytes, from }, Target::Site(site)) => {
                let cell = self.cell(site, offset.plus(by), bytes);
                self.flow(from, cell, HERE, true);
            }
            (Hook::Store { from, .. }, Target::Blob(blob)) => {
                let sink = self.sink(blob);
                self.flow(from, sink, HERE, true);
            }
            (Hook::CopyFrom { by, copy }, Target::Site(site)) => {
                self.read(site, Reader::Copy { at: offset.plus(by), copy });
            }
            (Hook::CopyFrom { copy, .. }, Target::Blob(blob)) => self.give(blob, self.copies[copy].loose),
            (Hook::CopyTo { by, copy }, Target::Site(_) | Target::Blob(_)) => {
                let target = (target, offset.plus(by));
                self.copies[copy].targets.push(target);
                for n in 0..self.copies[copy].sources.len() {
                    let source = self.copies[copy].sources[n];
                    self.link(source, target);
                }
            }
            (Hook::Enter(entry), Target::Function(func)) => self.entered.push((entry, func)),
            (Hook::Enter(entry), Target::Blob(blob)) => self.watch(blob, entry),
            (Hook::Absorb(blob), target) => self.absorb(blob, target),
            (Hook::Enter(_), Target::Site(_))
            | (
                Hook::Load { .. } | Hook::Store { .. } | Hook::CopyFrom { .. } | Hook::CopyTo { .. },
                Target::Function(_),
            ) => {}
        }
        if let (Hook::Load { to, .. }, true) = (hook, self.reads_anywhere) {
            if self.follows_wild {
                self.flow(self.anywhere, to, HERE, true);
            } else if self.loaded.last() != Some(&to) {
                self.loaded.push(to);
            }
        }
    }

    /// The node of some bytes of a site.
    pub fn cell(&mut self, site: SiteId, offset: Offset, bytes: u64) -> NodeId {
        if let Some(blob) = self.contents[site].blob {
            return self.sink(blob);
        }
        let cells = &self.contents[site].cells;
        // Copies within an object could make ever more offsets.
        let full = cells.len() >= MAX_CONTENTS && !cells.contains_key(&(offset, bytes));
        let offset = if full { Offset::Any } else { offset };
        if let Some(cell) = cells.get(&(offset, bytes)) {
            return *cell;
        }
        let cell = self.node();
        self.contents[site].cells.insert((offset, bytes), cell);
        for n in 0..self.contents[site].readers.len() {
            let reader = self.contents[site].readers[n];
            self.connect((offset, bytes, cell), reader);
        }
        cell
    }

    fn read(&mut self, site: SiteId, reader: Reader) {
        if let Some(blob) = self.contents[site].blob {
            return self.give_reader(blob, reader);
        }
        self.contents[site].readers.push(reader);
        let cells = self.contents[site].cells.iter();
        let cells: Vec<_> = cells.map(|((at, bytes), cell)| (*at, *bytes, *cell)).collect();
        cells.into_iter().for_each(|cell| self.connect(cell, reader));
    }

    /// A reader gets what is in a cell, if it can meet it.
    fn connect(&mut self, (at, n_bytes, cell): (Offset, u64, NodeId), reader: Reader) {
        match reader {
            Reader::Load { at: from, bytes, to } => {
                if at.overlaps(n_bytes, from, bytes) {
                    // Pieces of an address are smeared; whole ones are stored and loaded in place.
                    let by = if n_bytes == bytes { HERE } else { Offset::Any };
                    self.flow(cell, to, by, true);
                }
            }
            Reader::Copy { at: from, copy } => {
                let len = self.copies[copy].len.unwrap_or(crate::analysis::offset::WHOLE);
                if at.overlaps(n_bytes, from, len) {
                    self.copy_source(copy, (at.minus(from), n_bytes, cell));
                }
            }
        }
    }

    fn copy_source(&mut self, copy: CopyId, source: (Offset, u64, NodeId)) {
        if self.copies[copy].sources.contains(&source) {
            return;
        }
        self.copies[copy].sources.push(source);
        for n in 0..self.copies[copy].targets.len() {
            let target = self.copies[copy].targets[n];
            self.link(source, target);
        }
        if let Some(anywhere) = self.copies[copy].anywhere {
            self.flow(source.2, anywhere, HERE, true);
        }
    }

    fn link(&mut self, (distance, bytes, from): (Offset, u64, NodeId), (target, offset): (Target, Offset)) {
        let to = match target {
            Target::Site(site) => self.cell(site, offset.plus(distance), bytes),
            Target::Blob(blob) => self.sink(blob),
            Target::Function(_) => return,
        };
        self.flow(from, to, HERE, true);
    }

    /// A new operation that copies so many bytes.
    pub fn copy(&mut self, len: Option<u64>) -> CopyId {
        let loose = self.node();
        let sources = vec![(Offset::Any, self.pointer_bytes, loose)];
        self.copies.push(Copy { len, sources, targets: Vec::new(), loose, anywhere: None })
    }

    /// A copy can read from unknown addresses.
    pub fn copy_from_anywhere(&mut self, copy: CopyId) {
        let loose = self.copies[copy].loose;
        self.flow(self.anywhere, loose, HERE, true);
        self.mark_wild(loose);
    }

    /// A copy can write to unknown addresses.
    pub fn copy_to_anywhere(&mut self, copy: CopyId) {
        let anywhere = self.behind_wild();
        self.copies[copy].anywhere = Some(anywhere);
        for n in 0..self.copies[copy].sources.len() {
            let (.., from) = self.copies[copy].sources[n];
            self.flow(from, anywhere, HERE, true);
        }
    }

    /// From now on wild values are followed.
    pub fn follow_wild(&mut self) {
        self.follows_wild = true;
        if !self.reads_anywhere {
            return;
        }
        for copy in self.copies.ids() {
            let loose = self.copies[copy].loose;
            self.flow(self.anywhere, loose, HERE, true);
        }
        for node in std::mem::take(&mut self.loaded) {
            self.flow(self.anywhere, node, HERE, true);
        }
    }

    /// From now on what was read from blobs is followed, too.
    pub fn follow_blobs(&mut self) {
        self.follows_blobs = true;
        std::mem::take(&mut self.from_blobs).into_iter().for_each(|node| self.mark_wild(node));
    }

    /// What is written through addresses that turn wild now.
    pub fn behind_wild(&self) -> NodeId {
        if self.follows_blobs { self.anywhere } else { self.environment }
    }

    /// An opaque function is handed an input, which may lead to what was written through one.
    pub fn reach_environment(&mut self, blob: BlobId) {
        let sink = self.sink(blob);
        self.flow(self.environment, sink, HERE, false);
    }

    /// What was read from a blob flows to `to`.
    fn give(&mut self, blob: BlobId, to: NodeId) {
        self.insert(to, Target::Blob(blob), Offset::Any);
        self.note_blob(to);
    }

    /// What a node holds comes from a blob, where inputs are.
    pub fn note_blob(&mut self, node: NodeId) {
        if self.follows_blobs { self.mark_wild(node) } else { self.from_blobs.push(node) }
    }

    fn give_reader(&mut self, blob: BlobId, reader: Reader) {
        match reader {
            Reader::Load { to, .. } => self.give(blob, to),
            Reader::Copy { copy, .. } => self.give(blob, self.copies[copy].loose),
        }
    }

    /// A site becomes part of a blob: its cells are given up.
    pub fn collapse(&mut self, site: SiteId, blob: BlobId) {
        if self.contents[site].blob.is_some() {
            return;
        }
        self.contents[site].blob = Some(blob);
        let cells = std::mem::take(&mut self.contents[site].cells);
        for reader in std::mem::take(&mut self.contents[site].readers) {
            self.give_reader(blob, reader);
        }
        cells.into_values().for_each(|cell| self.hook(cell, Hook::Absorb(blob)));
    }

    /// The blob that a site is part of.
    pub fn blob_of(&self, site: SiteId) -> Option<BlobId> {
        self.contents[site].blob
    }
}
