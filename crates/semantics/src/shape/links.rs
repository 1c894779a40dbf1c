//! Nodes of several objects taken apart: the cases in which the object that is accessed is a node of its own.
//!
//! | node | cases |
//! |---|---|
//! | a segment, from either end | it is one object, or it is more; the link onward is any of its links, and at each of the others is a tree, or none |
//! | a tree | at each link of the root is a tree, or none |
//!
//! The object keeps the name of the node. Together the cases describe what the node did: nothing is lost.

use super::heap::{Address, Cell, End, Heap, Node, NodeId, Shape, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Offsets of links: one or more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Links {
    first: u64,
    /// Bit `n` stands for the offset `4 * (n + 1)` bytes behind the first one.
    more: u64,
}

impl Links {
    /// One link.
    pub fn one(at: u64) -> Self {
        Self { first: at, more: 0 }
    }

    /// Links at these offsets; `None` if there are none, or they are too far apart, or not a multiple of four.
    pub fn of(offsets: &BTreeSet<u64>) -> Option<Self> {
        let first = *offsets.first()?;
        let bit = |at: &u64| {
            let place = (at - first) / 4;
            ((at - first).is_multiple_of(4) && place <= 64).then(|| 1u64 << (place - 1))
        };
        let more = offsets.iter().skip(1).map(bit).try_fold(0, |all, bit| Some(all | bit?))?;
        Some(Self { first, more })
    }

    /// The lowest offset.
    pub fn first(self) -> u64 {
        self.first
    }

    /// All offsets, sorted.
    pub fn iter(self) -> impl Iterator<Item = u64> {
        let more = (0..64).filter(move |bit| self.more >> bit & 1 == 1);
        std::iter::once(self.first).chain(more.map(move |bit| self.first.wrapping_add(4 * (bit + 1))))
    }

    /// Returns true if there is a link at an offset.
    pub fn contains(self, at: u64) -> bool {
        self.iter().any(|link| link == at)
    }

    /// Returns true if there is only one.
    pub fn is_one(self) -> bool {
        self.more == 0
    }
}

impl Heap {
    /// The cases of a node of several objects in which the object at one of its ends is a node of its own.
    pub fn expose(self, id: NodeId, end: End) -> Vec<Heap> {
        let node = self.node(id).clone();
        match node.shape {
            Shape::Single => unreachable!("only nodes of several objects should be taken apart"),
            Shape::Tree { links, .. } => {
                let mut root = self;
                root.isolate(id);
                root.hang(id, &node, links.iter())
            }
            Shape::Segment { next, previous } => {
                let tree = Node { shape: Shape::Tree { links: next, parent: previous }, ..node };
                let mut cases = Vec::new();
                for at in next.iter() {
                    for case in [self.clone().only_object(id, at), self.clone().one_of_more(id, end, at)] {
                        cases.extend(case.hang(id, &tree, next.iter().filter(|other| *other != at)));
                    }
                }
                cases
            }
        }
    }

    /// A segment of one object, whose link onward is this one.
    fn only_object(mut self, id: NodeId, at: u64) -> Heap {
        let onward = self.onward(id);
        self.isolate(id);
        self.set_link(id, at, onward);
        self.redirect(|a| if a.node == id { Address { end: End::First, ..a } } else { a });
        self
    }

    /// The object at an end of a segment of more objects; its link onward is this one.
    fn one_of_more(mut self, id: NodeId, end: End, at: u64) -> Heap {
        let Shape::Segment { next, previous } = self.node(id).shape else { return self };
        let rest = self.insert(self.node(id).clone());
        match end {
            End::First => {
                self.isolate(id);
                self.redirect(|a| {
                    if (a.node, a.end) == (id, End::Last) { Address { node: rest, ..a } } else { a }
                });
                self.set_link(id, at, Some(Value::Address(Address::start(rest))));
                if let Some(previous) = previous {
                    self.set_link(rest, previous, Some(Value::Address(Address::start(id))));
                }
            }
            End::Last => {
                self.redirect(|a| match (a.node == id, a.end) {
                    (true, End::First) => Address { node: rest, ..a },
                    (true, End::Last) => Address { end: End::First, ..a },
                    (false, _) => a,
                });
                let onward = self.onward(id);
                self.isolate(id);
                self.set_link(id, at, onward);
                self.set_link(rest, next.first(), Some(Value::Address(Address::start(id))));
                if let Some(previous) = previous {
                    let back = Address { end: End::Last, ..Address::start(rest) };
                    self.set_link(id, previous, Some(Value::Address(back)));
                }
            }
        }
        self
    }

    /// The cases in which each of these links of an object is 0, or leads to a tree like this one.
    fn hang(self, id: NodeId, tree: &Node, links: impl Iterator<Item = u64>) -> Vec<Heap> {
        let mut cases = vec![self];
        for at in links {
            let with_tree = cases.clone().into_iter().map(|mut heap| {
                let mut own = tree.clone();
                heap.renew_symbols(&mut own);
                let root = heap.insert(own);
                heap.set_link(id, at, Some(Value::Address(Address::start(root))));
                if let Some((_, Some(back))) = tree.shape.links() {
                    heap.set_link(root, back, Some(Value::Address(Address::start(id))));
                }
                heap
            });
            let with_tree: Vec<Heap> = with_tree.collect();
            cases.iter_mut().for_each(|heap| heap.set_link(id, at, Some(Value::Number(0))));
            cases.extend(with_tree);
        }
        cases
    }

    /// Where the last object of a segment leads to.
    fn onward(&self, id: NodeId) -> Option<Value> {
        let (links, _) = self.node(id).shape.links()?;
        self.node(id).cells.get(&links.first())?.value
    }

    /// Makes one object of several: its symbols are its own, and its links onward are open.
    fn isolate(&mut self, id: NodeId) {
        let mut node = self.node(id).clone();
        self.renew_symbols(&mut node);
        if let Some((links, _)) = node.shape.links() {
            for at in links.iter() {
                node.cells.entry(at).and_modify(|cell| cell.value = None);
            }
        }
        node.shape = Shape::Single;
        *self.node_mut(id) = node;
    }

    /// The numbers in one of several objects, or in some of them, are other ones than those in the rest.
    fn renew_symbols(&mut self, node: &mut Node) {
        let shape = node.shape;
        let own = node.cells.iter_mut().filter(|(at, _)| !shape.has_link(**at));
        for value in own.filter_map(|(_, cell)| cell.value.as_mut()) {
            if let Value::Symbol(symbol) = value {
                *value = self.number(self.symbols[symbol]);
            }
        }
    }

    fn redirect(&mut self, change: impl Fn(Address) -> Address) {
        self.replace(|value| match value {
            Value::Address(address) => Value::Address(change(address)),
            Value::Number(_) | Value::Symbol(_) | Value::Function(_) => value,
        });
    }

    fn set_link(&mut self, from: NodeId, offset: u64, to: Option<Value>) {
        let cell = self.node_mut(from).cells.get_mut(&offset);
        let Cell { value, .. } = cell.expect("several objects should have cells for their links");
        *value = to;
    }
}
