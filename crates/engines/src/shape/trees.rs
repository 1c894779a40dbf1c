//! Trees: which objects are nodes of one, and how heaps with them are summarised.
//!
//! An object is taken for a node of a tree by its size. Lists are looked for first; where an object leads to two others of its size, or the links of objects in a row are not at the same offset, and these are not the links of a
//! doubly linked list, the search begins anew, with a [`Kind`] for objects of that size. The offsets of the links are those at which objects lead to others of their size; an offset
//! at which they lead back to where two others led from is that of the link to the parent; one at which two of them lead to the same object, or to themselves, is none.
//!
//! | before | after | where |
//! |---|---|---|
//! | an object whose links are 0, or the only way to trees; there is no cursor | a tree | [`Kinds::fold`] |
//! | a way down whose end is 0, or the only way to a tree | a tree | |
//! | two objects on a way, each with one link that is neither 0 nor the only way to a tree | a segment, with the trees beside the way | |
//!
//! | an object that is on a way by itself | a segment | |
//!
//! An object to which two values lead is the place of a cursor, and stays what it is: the program knows more of it. So does one without subtrees that is not below another one. So a cursor into a tree is behind the end of a segment, or at its end, or in the root of what is below; and heaps with trees have a form
//! that does not depend on where these grew, so that trees are joined with trees only.

use super::normal::mix;
use semantics::shape::{Address, Cell, End, Heap, Life, Links, Node, NodeId, Shape, Transfer, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Where nodes of a tree have links.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Kind {
    links: Links,
    parent: Option<u64>,
    /// Offsets at which they lead to nodes of the tree as well, which are no links.
    others: BTreeSet<u64>,
}

/// The sizes of nodes of trees.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Kinds(BTreeMap<u64, Kind>);

/// An object leads to another one of its size, at an offset.
type Edge = (NodeId, u64, NodeId);

impl Kinds {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if objects of this size are nodes of trees.
    pub(super) fn knows(&self, size: u64) -> bool {
        self.0.contains_key(&size)
    }

    /// More kinds, if a heap shows trees that are not known.
    pub(super) fn learn(&self, heap: &Heap) -> Option<Kinds> {
        let mut by_size: BTreeMap<u64, Vec<Edge>> = BTreeMap::new();
        for (a, node) in heap.nodes.iter().filter(|(_, node)| node.life == Life::Heap) {
            for (at, cell) in &node.cells {
                if let Some(Value::Address(to)) = cell.value
                    && to.exact() == Some(0)
                    && heap.node(to.node).life == Life::Heap
                    && heap.node(to.node).size == node.size
                {
                    by_size.entry(node.size).or_default().push((*a, *at, to.node));
                }
            }
        }
        by_size.into_iter().find_map(|(size, edges)| {
            let old = self.0.get(&size);
            let kind = old.map_or_else(|| Kind::of(&edges), |old| old.with(&edges))?;
            let mut kinds = self.clone();
            kinds.0.insert(size, kind);
            Some(kinds)
        })
    }
}

impl Kind {
    /// The kind of objects with these links, if they are no lists.
    fn of(edges: &[Edge]) -> Option<Kind> {
        let has = |edge: Edge| edges.contains(&edge);
        let shows = |&(a, at, b): &Edge, &(from, other, c): &Edge| {
            let apart = at != other && a != b && from != c && b != c;
            let forks = from == a && !has((b, other, a)) && !has((c, at, a));
            apart && (forks || (from == b && c != a))
        };
        let is_tree = edges.iter().any(|one| edges.iter().any(|other| shows(one, other)));
        is_tree.then(|| Self::from(edges, &BTreeSet::new(), None)).flatten()
    }

    /// This kind with more links, if there are any.
    fn with(&self, edges: &[Edge]) -> Option<Kind> {
        let known: BTreeSet<u64> = self.links.iter().chain(self.parent).collect();
        let is_new = |(_, at, _): &Edge| !known.contains(at) && !self.others.contains(at);
        let is_grown = edges.iter().any(is_new);
        let old = self.links.iter().collect();
        let new = is_grown.then(|| Self::from(edges, &old, self.parent)).flatten()?;
        Some(Kind { others: &new.others | &self.others, ..new })
    }

    fn from(edges: &[Edge], links: &BTreeSet<u64>, parent: Option<u64>) -> Option<Kind> {
        let offsets: BTreeSet<u64> =
            edges.iter().map(|(_, at, _)| *at).chain(links.iter().copied()).collect();
        // From where an offset leads back.
        let partners = |back: u64| -> BTreeSet<u64> {
            let leads_back = |(a, at, b): &&Edge| *at != back && edges.contains(&(*b, back, *a));
            edges.iter().filter(leads_back).map(|(_, at, _)| *at).collect()
        };
        let most = offsets.iter().copied().max_by_key(|at| partners(*at).len());
        let parent = parent.or(most.filter(|at| partners(*at).len() >= 2));
        let is_other = |link: u64| {
            let targets: Vec<NodeId> =
                edges.iter().filter(|(_, at, _)| *at == link).map(|(_, _, b)| *b).collect();
            let loops = edges.iter().any(|(a, at, b)| *at == link && a == b);
            loops || targets.iter().collect::<BTreeSet<_>>().len() < targets.len()
        };
        let rest = offsets.into_iter().filter(|at| Some(*at) != parent);
        let (others, found): (BTreeSet<u64>, BTreeSet<u64>) =
            rest.partition(|at| !links.contains(at) && is_other(*at));
        let links = Links::of(&found).filter(|links| !links.is_one())?;
        Some(Kind { links, parent, others })
    }
}

/// What a link of an object leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Below {
    Nothing,
    /// A tree to which nothing else leads.
    Tree(NodeId),
    /// Something else.
    Other(Value),
}

struct Folding<'a, 'p> {
    transfer: &'a Transfer<'p>,
    heap: &'a mut Heap,
    links: Links,
    parent: Option<u64>,
}

impl Kinds {
    /// Objects become a part of a tree, or of a segment with trees; `false` if there are none that can.
    pub(super) fn fold(&self, transfer: &Transfer<'_>, heap: &mut Heap) -> bool {
        for id in heap.nodes.keys().copied().collect::<Vec<_>>() {
            let node = heap.node(id);
            let Some(kind) = self.0.get(&node.size).filter(|_| node.life == Life::Heap) else { continue };
            let (links, parent) = (kind.links, kind.parent);
            if (Folding { transfer, heap, links, parent }).fold(id) {
                return true;
            }
        }
        false
    }
}

impl Folding<'_, '_> {
    fn tree(&self) -> Shape {
        Shape::Tree { links: self.links, parent: self.parent }
    }

    fn segment(&self) -> Shape {
        Shape::Segment { next: self.links, previous: self.parent }
    }

    fn fold(&mut self, id: NodeId) -> bool {
        if self.heap.node(id).shape == self.tree() {
            return false;
        }
        let Some((trees, exit)) = self.way(id) else { return false };
        let is_single = self.heap.node(id).shape == Shape::Single;
        match exit {
            None => {
                let stays =
                    is_single && (self.is_looked_at(id, &trees) || (trees.is_empty() && self.is_alone(id)));
                !stays && self.becomes(id, &trees, self.tree(), None)
            }
            Some(Value::Address(to)) if to == Address::start(to.node) && to.node != id => {
                self.join(id, to.node, &trees)
                    || (is_single
                        && !self.is_looked_at(id, &[&trees[..], &[to.node]].concat())
                        && self.becomes_way(id, to.node, &trees))
            }
            Some(_) => false,
        }
    }

    /// An object that leads to another one becomes a segment; `false` if it cannot. A link back leads to its last object.
    fn becomes_way(&mut self, id: NodeId, to: NodeId, trees: &[NodeId]) -> bool {
        let back = self.parent.filter(|at| self.value(to, *at) == Some(Value::Address(Address::start(id))));
        let exit = Some(Value::Address(Address::start(to)));
        let is_segment = self.becomes(id, trees, self.segment(), exit);
        if let Some(cell) =
            back.filter(|_| is_segment).and_then(|at| self.heap.node_mut(to).cells.get_mut(&at))
        {
            cell.value = Some(Value::Address(Address { end: End::Last, ..Address::start(id) }));
        }
        is_segment
    }

    /// Returns true if no object of the same size leads to one: it may not be in a tree yet.
    fn is_alone(&self, id: NodeId) -> bool {
        let size = self.heap.node(id).size;
        let leads = |value: Value| matches!(value, Value::Address(to) if to.node == id);
        let mut others = self.heap.nodes.iter().filter(|(other, _)| **other != id);
        let is_above = |node: &Node| node.life == Life::Heap && node.size == size && node.values().any(leads);
        !self.heap.frames.is_empty() && !others.any(|(_, node)| is_above(node))
    }

    /// Returns true if an object is not only a part of a tree, or its root, but also the place of a cursor: more than one value leads to it, except for links back from these nodes.
    /// A function returns with no cursors.
    fn is_looked_at(&self, id: NodeId, below: &[NodeId]) -> bool {
        let leads = |value: &Value| matches!(value, Value::Address(to) if to.node == id);
        let cutpoints = self.heap.cutpoints.iter().flatten().flatten().filter(|value| leads(value)).count();
        let n_back = match self.parent {
            Some(at) => {
                let leads_back = |node: &&NodeId| self.value(**node, at).is_some_and(|value| leads(&value));
                below.iter().filter(leads_back).count()
            }
            None => 0,
        };
        !self.heap.frames.is_empty() && self.count(id, None) > 1 + cutpoints + n_back
    }

    /// The trees below an object, or at the end of a segment, and where else it leads; `None` if it is not of this kind, or leads to several other objects.
    fn way(&self, id: NodeId) -> Option<(Vec<NodeId>, Option<Value>)> {
        let node = self.heap.node(id);
        let values: Vec<Value> = match node.shape {
            Shape::Single => self.links.iter().map(|at| self.value(id, at)).collect::<Option<_>>()?,
            shape if shape == self.segment() => vec![self.value(id, self.links.first())?],
            Shape::Segment { .. } | Shape::Tree { .. } => return None,
        };
        if let Some(parent) = self.parent {
            self.value(id, parent)?;
        }
        let (mut trees, mut others) = (Vec::new(), Vec::new());
        for value in values {
            match self.below(id, value) {
                Below::Nothing => {}
                Below::Tree(tree) => trees.push(tree),
                Below::Other(value) => others.push(value),
            }
        }
        match others[..] {
            // The address of the last object would be lost.
            [] if node.shape != Shape::Single && self.is_end_known(id, &trees) => None,
            [] => Some((trees, None)),
            [exit] => Some((trees, Some(exit))),
            _ => None,
        }
    }

    fn value(&self, id: NodeId, at: u64) -> Option<Value> {
        self.transfer.known(self.heap, id, at, self.word())
    }

    fn word(&self) -> u64 {
        self.transfer.program.data_model.pointer().bytes()
    }

    fn below(&self, id: NodeId, value: Value) -> Below {
        match value {
            Value::Number(0) => Below::Nothing,
            Value::Address(to) if to == Address::start(to.node) && to.node != id => {
                let is_tree = self.heap.node(to.node).shape == self.tree();
                match is_tree && self.count(to.node, None) == 1 && self.leads_back(to.node, id) {
                    true => Below::Tree(to.node),
                    false => Below::Other(value),
                }
            }
            _ => Below::Other(value),
        }
    }

    /// How many values lead to a node, or to one of its ends.
    fn count(&self, id: NodeId, end: Option<End>) -> usize {
        let leads = |value: &Value| match value {
            Value::Address(to) => to.node == id && end.is_none_or(|end| to.end == end),
            Value::Number(_) | Value::Symbol(_) | Value::Function(_) => false,
        };
        self.heap.values().filter(leads).count()
    }

    /// Returns true if the first object of a node has the address of the last one of another, where that is to be.
    fn leads_back(&self, from: NodeId, to: NodeId) -> bool {
        let end = if self.heap.node(to).shape == Shape::Single { End::First } else { End::Last };
        let back = Some(Value::Address(Address { end, ..Address::start(to) }));
        self.parent.is_none_or(|at| self.value(from, at) == back)
    }

    /// Returns true if something else than the trees below leads to the last object of a segment.
    fn is_end_known(&self, id: NodeId, below: &[NodeId]) -> bool {
        let n_back = if self.parent.is_some() { below.len() } else { 0 };
        self.count(id, Some(End::Last)) != n_back
    }

    /// An object or a segment, and another one to which it leads, become one segment.
    fn join(&mut self, a: NodeId, b: NodeId, trees: &[NodeId]) -> bool {
        let mut trees = trees.to_vec();
        let Some((more, Some(exit))) = self.way(b) else { return false };
        let (left, right) = (self.heap.node(a).shape, self.heap.node(b).shape);
        let is_inside = (left == Shape::Single || !self.is_end_known(a, &[b]))
            && (right == Shape::Single || self.count(b, Some(End::First)) == 1)
            && self.leads_back(b, a);
        if !is_inside || trees.contains(&b) {
            return false;
        }
        trees.extend(more);
        trees.push(b);
        if !self.becomes(a, &trees, self.segment(), Some(exit)) {
            return false;
        }
        self.heap.replace(|value| match value {
            Value::Address(to) if to.node == b => Value::Address(Address { node: a, end: End::Last, ..to }),
            _ => value,
        });
        true
    }

    /// A node takes in others; `false` if their contents have nothing in common.
    fn becomes(&mut self, id: NodeId, others: &[NodeId], shape: Shape, exit: Option<Value>) -> bool {
        let back = self.parent.map(|at| (at, self.value(id, at)));
        let Some(own) = self.aligned(id) else { return false };
        let Some(all) = others.iter().map(|id| self.aligned(*id)).collect::<Option<Vec<Node>>>() else {
            return false;
        };
        let mut node = own.clone();
        // With itself, too: its numbers are no longer those of one object.
        for other in [&own].into_iter().chain(&all) {
            let is_like = other.life == Life::Heap && other.size == own.size;
            let mixed = mix(self.heap, &node, other, |at| shape.has_link(at)).filter(|_| is_like);
            let Some((cells, background)) = mixed else { return false };
            node = Node { cells, background, ..node };
        }
        let word = self.word();
        let first = (self.links.first(), exit);
        let links = self.links.iter().map(|at| (at, None)).chain([first]).chain(back);
        node.cells.extend(links.map(|(at, value)| (at, Cell { len: word, value })));
        others.iter().for_each(|id| drop(self.heap.nodes.remove(id)));
        *self.heap.node_mut(id) = Node { shape, ..node };
        true
    }

    /// A node with cells for its links, and for nothing but these where they are.
    fn aligned(&self, id: NodeId) -> Option<Node> {
        let mut node = self.heap.node(id).clone();
        let places = || self.links.iter().chain(self.parent);
        if node.shape == Shape::Single {
            places().for_each(|at| node.write(at, self.word(), self.value(id, at)));
        }
        let is_apart = |(at, cell): (&u64, &Cell)| {
            let touches = |link: &u64| *link < at + cell.len && *at < link + self.word();
            !places().filter(touches).any(|link| (link, self.word()) != (*at, cell.len))
        };
        node.cells.iter().all(is_apart).then_some(node)
    }
}
