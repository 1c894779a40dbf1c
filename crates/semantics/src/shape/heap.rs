//! Abstract heaps: what an execution's state looks like, up to the length of lists and the values of numbers.
//!
//! A heap is a graph. Its *nodes* are objects; its *values* are constants, *symbols* (numbers of which only a range is known), and addresses of nodes. Values sit in the
//! registers of frames and in the *cells* of nodes.
//!
//! | node | stands for |
//! |---|---|
//! | [`Shape::Single`] | one live object |
//! | [`Shape::Tree`] | one or more live heap objects of one size, each with a subtree or 0 at each of its links (and the address of the object above it, if the tree has links back) |
//! | [`Shape::Segment`] | one or more live heap objects of one size, each linked to the next at one of a few offsets (and back, if the segment is doubly linked); at the others are trees of such objects, or 0 |
//!
//! A segment with one link is a piece of a list. One with several is a way down a tree, with the subtrees that it passes: a tree without one of its subtrees, which is the *context* of that subtree
//! (Calcagno, Gardner, Zarfaty, *Context logic and tree update*, POPL 2005). It says nothing about which of the links is taken where.
//!
//! A node of several objects has the cells of each of them, with exceptions: the cell of the link back is that of the first object (of a tree: the root), and the
//! cell of a segment's first link is where the last object leads to, whichever of its links does. The other links have cells without a value. An address of a segment is one
//! of its [first or last](End) object; one of a tree is one of its root.
//!
//! # Invariants
//! - Different nodes are different objects; an object that is not alive has no node. Whatever pointed to it is a symbol.
//! - A symbol in a cell of several objects, other than links, occurs nowhere else: it is another number in each object.
//! - Every node to which a value leads exists.
//!
//! Nodes are [taken apart](Heap::expose) where they are accessed.

use super::calls::Rest;
use super::facts::Fact;
pub use super::links::Links;
use base::id_type;
use program::{FuncId, LocId, ObjectId, VarId, Width};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

id_type!(
    /// A node of a heap.
    NodeId,
    "n"
);
id_type!(
    /// A number of which only a range is known.
    SymbolId,
    "s"
);
id_type!(
    /// A lock of a [`Plan`](super::Plan).
    LockId,
    "l"
);

/// An object whose address all threads know.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Anchor {
    /// A static object.
    Object(ObjectId),
    /// One of the objects that were made before the first thread ([`Made`](super::Made)); only while there are several threads.
    Made(u32),
}

/// An end of a segment; a single object has a first one only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum End {
    /// The object to which no link of the segment leads.
    First,
    /// The object whose link leads out of the segment.
    Last,
}

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Value {
    /// A constant.
    Number(u128),
    /// Some number, the same wherever the symbol occurs.
    Symbol(SymbolId),
    /// An address of a node.
    Address(Address),
    /// The address of a function.
    Function(FuncId),
}

/// A place in an object, or outside of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Address {
    /// The node.
    pub node: NodeId,
    /// Which of its objects.
    pub end: End,
    /// The least number of bytes from the object's start.
    pub low: i64,
    /// The greatest.
    pub high: i64,
}

impl Address {
    /// The start of a node's first object.
    pub fn start(node: NodeId) -> Self {
        Self { node, end: End::First, low: 0, high: 0 }
    }

    /// The number of bytes from the object's start, if it is known.
    pub fn exact(self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }
}

/// The signed numbers (of a single bit: 0 and 1) that a symbol can stand for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Range {
    /// The width of the number.
    pub width: Width,
    /// The least one.
    pub low: i128,
    /// The greatest one.
    pub high: i128,
}

/// How many objects a node stands for, and how they are linked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Shape {
    /// One object.
    Single,
    /// One or more objects in a row, and the trees beside it.
    Segment {
        /// Where each object has the address of the next one, in one of these places.
        next: Links,
        /// Where each object has the address of the one before it, in a doubly linked list.
        previous: Option<u64>,
    },
    /// One or more objects, each with subtrees.
    Tree {
        /// Where each object has the address of a subtree, or 0.
        links: Links,
        /// Where each object has the address of the one above it.
        parent: Option<u64>,
    },
}

impl Shape {
    /// The links, and the link back; `None` for one object.
    pub fn links(self) -> Option<(Links, Option<u64>)> {
        match self {
            Shape::Single => None,
            Shape::Segment { next, previous } => Some((next, previous)),
            Shape::Tree { links, parent } => Some((links, parent)),
        }
    }

    /// Returns true if this is a piece of a list: objects in a row, without trees.
    pub fn is_list(self) -> bool {
        matches!(self, Shape::Segment { next, .. } if next.is_one())
    }

    /// Returns true if objects have a link at this offset, onward or back.
    pub fn has_link(self, at: u64) -> bool {
        self.links().is_some_and(|(links, back)| links.contains(at) || back == Some(at))
    }
}

/// How long an object lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Life {
    /// Until it is freed.
    Heap,
    /// As long as the program; whether it can be written.
    Static {
        /// False for constants.
        writable: bool,
    },
    /// As long as a frame, or a block of its function.
    Frame,
    /// The same for a constant, which only its initialisation writes.
    ConstantFrame,
    /// As long as the program, but another thread or the lock has it ([`share`](super::share)): its address is known, its bytes must not be accessed.
    Elsewhere,
    /// As long as the program; all threads access it at any time, so that its bytes are anything at any time.
    Open,
}

impl Life {
    /// That of a variable of a frame.
    pub(super) fn of_frame(read_only: bool) -> Self {
        if read_only { Life::ConstantFrame } else { Life::Frame }
    }
}

/// The bytes that no cell covers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Background {
    /// Anything.
    Unknown,
    /// Zeros.
    Zero,
    /// The initial bytes of a static object.
    Initial(ObjectId),
}

/// Some bytes of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// How many.
    pub len: u64,
    /// Their value; anything if `None`.
    pub value: Option<Value>,
}

/// One object, or several in a row.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Node {
    /// How many objects.
    pub shape: Shape,
    /// The size of each in bytes: at least this many.
    pub size: u64,
    /// How long they live.
    pub life: Life,
    /// The bytes that no cell covers.
    pub background: Background,
    /// Cells by their offsets; they do not overlap.
    pub cells: BTreeMap<u64, Cell>,
}

/// A frame of the running thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Frame {
    /// The function.
    pub func: FuncId,
    /// Where it is.
    pub loc: LocId,
    /// The registers; anything if `None`.
    pub registers: Vec<Option<Value>>,
    /// The memory variables that are alive.
    pub locals: BTreeMap<VarId, NodeId>,
    /// Other objects that live as long as the frame.
    pub allocated: Vec<NodeId>,
}

/// Who else may run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Sharing {
    /// No other thread: everything is in this heap.
    Alone,
    /// Other threads may run. What a lock protects is in this heap if the thread holds the lock.
    Shared,
    /// The heap of no thread: what this lock protects while no thread holds it.
    Free(LockId),
}

/// The other threads, as far as this one knows.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Others {
    /// Whether there are any.
    pub sharing: Sharing,
    /// The locks that this thread holds, with the values of their words.
    #[serde(with = "base::pairs")]
    pub held: BTreeMap<LockId, Value>,
    /// The low word of this thread's handle.
    pub own: Option<Value>,
    /// True in the first thread.
    pub is_first: bool,
    /// The handles of threads that may be alive.
    pub started: Vec<Value>,
    /// True if there may be more.
    pub uncounted: bool,
}

/// What an action under way has to do with other threads; nothing between actions.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Transit {
    /// The words of locks, once they were accessed: what was there at first, and what is now.
    pub words: BTreeMap<LockId, Word>,
    /// The locks that the thread takes at the end of the action, with the values of their words.
    pub takes: BTreeMap<LockId, Value>,
    /// If it is [alone](Sharing::Alone) again at the end of the action.
    pub is_alone: bool,
    /// Heaps that were split off.
    pub parted: Vec<Parted>,
    /// After a call of a recursive function: what it does not get.
    pub rest: Option<Box<Rest>>,
}

impl Transit {
    /// Returns true if a lock is taken, given back or changed, or a thread created or joined.
    pub(super) fn changes_hands(&self) -> bool {
        let is_changed = self.words.values().any(|word| word.before != word.now);
        is_changed || !self.takes.is_empty() || self.is_alone || !self.parted.is_empty()
    }
}

/// The word of a lock in an action.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Word {
    /// Whether it was 0 at first.
    pub was_free: bool,
    /// What it was at first.
    pub before: Value,
    /// What it is now.
    pub now: Value,
}

/// A heap that was split off.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Parted {
    /// What a lock protects.
    Released(Heap),
    /// That of a new thread.
    Started(Heap),
}

/// An abstract heap, with the frames of the thread that runs.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Heap {
    /// The frames, the innermost last.
    pub frames: Vec<Frame>,
    /// The nodes.
    pub nodes: BTreeMap<NodeId, Arc<Node>>,
    /// The nodes of objects whose addresses all threads know.
    #[serde(with = "base::pairs")]
    pub anchors: BTreeMap<Anchor, NodeId>,
    /// The ranges of symbols.
    pub symbols: BTreeMap<SymbolId, Range>,
    /// What else is known of numbers.
    pub facts: BTreeSet<Fact>,
    /// Values of an action under way; empty between actions.
    pub operands: Vec<Value>,
    /// In a recursive function: what the callers know of this heap ([`calls`](super::calls)). `None` if no caller has a part of the state.
    pub cutpoints: Option<Vec<Option<Value>>>,
    /// The other threads.
    pub others: Others,
    /// What an action under way has to do with them.
    #[serde(skip)]
    pub transit: Transit,
}

impl Heap {
    /// The frame that runs.
    pub fn frame(&self) -> &Frame {
        self.frames.last().expect("a running thread should have a frame")
    }

    /// The same, to be changed.
    pub fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a running thread should have a frame")
    }

    /// Where control is: a function and a location for each frame.
    pub fn control(&self) -> Vec<(FuncId, LocId)> {
        self.frames.iter().map(|frame| (frame.func, frame.loc)).collect()
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(&id).expect("a node to which a value leads should exist")
    }

    /// A node, to be changed.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        Arc::make_mut(self.nodes.get_mut(&id).expect("a node to which a value leads should exist"))
    }

    /// Adds a node.
    pub fn insert(&mut self, node: Node) -> NodeId {
        let id = NodeId(self.nodes.last_key_value().map_or(0, |(last, _)| last.0 + 1));
        self.nodes.insert(id, Arc::new(node));
        id
    }

    /// A number of which only a range is known; a constant if that is one number.
    pub fn number(&mut self, range: Range) -> Value {
        if range.low == range.high {
            return Value::Number(range.width.truncate(range.low.cast_unsigned()));
        }
        let id = SymbolId(self.symbols.last_key_value().map_or(0, |(last, _)| last.0 + 1));
        self.symbols.insert(id, range);
        Value::Symbol(id)
    }

    /// Any number of a width.
    pub fn any(&mut self, width: Width) -> Value {
        self.number(Range::full(width))
    }

    /// The numbers that a value of a width can be.
    pub fn range(&self, value: Value, width: Width) -> Range {
        match value {
            Value::Number(number) => Range::constant(number, width),
            Value::Symbol(symbol) => self.symbols[&symbol],
            Value::Address(_) | Value::Function(_) => Range::full(width),
        }
    }

    /// All values, wherever they are.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        let registers = self.frames.iter().flat_map(|frame| frame.registers.iter().flatten());
        let cells = self.nodes.values().flat_map(|node| node.values());
        let Others { held, own, started, .. } = &self.others;
        let own = self.operands.iter().chain(started).chain(own).chain(held.values());
        let words = self.transit.words.values().flat_map(|word| [word.before, word.now]);
        let taken = self.transit.takes.values().copied();
        let cutpoints = self.cutpoints.iter().flatten().flatten();
        let registers = registers.chain(cutpoints);
        registers.copied().chain(cells).chain(own.copied()).chain(words).chain(taken)
    }

    /// Replaces values, wherever they are.
    pub fn replace(&mut self, change: impl Fn(Value) -> Value) {
        for frame in &mut self.frames {
            frame.registers.iter_mut().flatten().for_each(|value| *value = change(*value));
        }
        self.cutpoints.iter_mut().flatten().flatten().for_each(|value| *value = change(*value));
        for node in self.nodes.values_mut() {
            if node.values().any(|value| change(value) != value) {
                let cells = Arc::make_mut(node).cells.values_mut();
                cells.filter_map(|cell| cell.value.as_mut()).for_each(|value| *value = change(*value));
            }
        }
        let Others { held, own, started, .. } = &mut self.others;
        let own = self.operands.iter_mut().chain(started).chain(own).chain(held.values_mut());
        let words = self.transit.words.values_mut().flat_map(|word| [&mut word.before, &mut word.now]);
        let all = own.chain(words).chain(self.transit.takes.values_mut());
        all.for_each(|value| *value = change(*value));
    }

    /// The objects of a node cease to live: whatever pointed to them is any number. Addresses of one place are the same number; those of which the place is not known may all differ.
    pub fn kill(&mut self, id: NodeId, pointer: Width) {
        self.nodes.remove(&id);
        let is_lost = |value: &Value| matches!(value, Value::Address(to) if to.node == id);
        let lost: Vec<Value> = self.values().filter(is_lost).collect();
        for value in lost {
            let number = self.any(pointer);
            let Value::Address(to) = value else { continue };
            match to.exact() {
                Some(_) => self.replace(|other| if other == value { number } else { other }),
                None => self.replace_one(value, number),
            }
        }
    }

    /// Replaces a value in one of the places where it is.
    fn replace_one(&mut self, value: Value, new: Value) {
        let is_left = std::cell::Cell::new(true);
        let nodes = self.nodes.values_mut().filter(|node| node.values().any(|other| other == value));
        if let Some(node) = nodes.into_iter().next() {
            let mut cells = Arc::make_mut(node).cells.values_mut().filter_map(|cell| cell.value.as_mut());
            cells.find(|other| **other == value).into_iter().for_each(|other| *other = new);
            return;
        }
        self.replace(|other| if other == value && is_left.replace(false) { new } else { other });
    }

    /// A symbol is known to lie in a smaller range; `false` if there is no such number.
    pub fn restrict(&mut self, symbol: SymbolId, low: i128, high: i128) -> bool {
        let range = self.symbols.get_mut(&symbol).expect("a symbol should have a range");
        (range.low, range.high) = (range.low.max(low), range.high.min(high));
        let range = *range;
        if range.low == range.high {
            let constant = Value::Number(range.width.truncate(range.low.cast_unsigned()));
            self.replace(|value| if value == Value::Symbol(symbol) { constant } else { value });
        }
        range.low <= range.high
    }

    /// The nodes to which static objects lead, and, if they count, the frames.
    pub fn reachable(&self, from_frames: bool) -> BTreeSet<NodeId> {
        let mut queue: Vec<NodeId> = self.anchors.values().copied().collect();
        let target = |value: Value| match value {
            Value::Address(address) => Some(address.node),
            Value::Number(_) | Value::Symbol(_) | Value::Function(_) => None,
        };
        if from_frames {
            for frame in &self.frames {
                queue.extend(frame.locals.values().chain(&frame.allocated));
                queue.extend(frame.registers.iter().flatten().copied().filter_map(target));
            }
            queue.extend(self.operands.iter().copied().filter_map(target));
            queue.extend(self.cutpoints.iter().flatten().flatten().copied().filter_map(target));
        }
        let mut reached = BTreeSet::new();
        while let Some(id) = queue.pop() {
            if reached.insert(id) {
                queue.extend(self.node(id).values().filter_map(target));
            }
        }
        reached
    }

    /// Returns true if the invariants of the module hold that its documentation names.
    pub fn is_proper(&self) -> bool {
        let has_end = |node: &Node, end| end == End::First || !matches!(node.shape, Shape::Tree { .. });
        let exists = |value: Value| match value {
            Value::Address(to) => self.nodes.get(&to.node).is_some_and(|node| has_end(node, to.end)),
            Value::Symbol(symbol) => self.symbols.get(&symbol).is_some_and(|range| range.low <= range.high),
            Value::Number(_) | Value::Function(_) => true,
        };
        let roots = self.anchors.values().chain(self.frames.iter().flat_map(|frame| frame.locals.values()));
        let mut roots = roots.chain(self.frames.iter().flat_map(|frame| &frame.allocated));
        self.operands.is_empty()
            && self.transit == Transit::default()
            && self.values().all(exists)
            && roots.all(|id| self.nodes.get(id).is_some_and(|node| node.shape == Shape::Single))
            && self.nodes.values().all(|node| node.is_proper())
            && self.segment_symbols().all(|own| self.values().filter(|value| *value == own).count() == 1)
            && self.facts.iter().all(|fact| self.is_sensible(*fact))
    }

    /// Returns true if a fact is one about two numbers of the same width, of which each is one number.
    fn is_sensible(&self, fact: Fact) -> bool {
        let width = |symbol| self.symbols.get(&symbol).map(|range| range.width);
        let is_one = |symbol| self.segment_symbols().all(|own| own != Value::Symbol(symbol));
        width(fact.left).is_some()
            && width(fact.left) == width(fact.right)
            && is_one(fact.left)
            && is_one(fact.right)
    }

    /// The symbols in cells of segments, except for links.
    fn segment_symbols(&self) -> impl Iterator<Item = Value> {
        self.nodes.values().flat_map(|node| {
            if node.shape == Shape::Single {
                return Vec::new();
            }
            let own = node.cells.iter().filter(|(at, _)| !node.shape.has_link(**at));
            own.filter_map(|(_, cell)| cell.value).filter(|v| matches!(v, Value::Symbol(_))).collect()
        })
    }
}

impl Node {
    /// An object of any bytes.
    pub fn new(size: u64, life: Life, background: Background) -> Self {
        Self { shape: Shape::Single, size, life, background, cells: BTreeMap::new() }
    }

    /// The values of its cells.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        self.cells.values().filter_map(|cell| cell.value)
    }

    /// Returns true if cells do not overlap, and several objects are heap objects with cells for their links.
    fn is_proper(&self) -> bool {
        let ends = self.cells.iter().map(|(at, cell)| at + cell.len);
        let starts = self.cells.keys().skip(1).copied().chain([self.size]);
        let is_value = |at| matches!(self.cells.get(&at), Some(Cell { value: Some(_), .. }));
        let is_open = |at| matches!(self.cells.get(&at), Some(Cell { value: None, .. }));
        let links = self.shape.links().is_none_or(|(links, back)| {
            let is_tree = matches!(self.shape, Shape::Tree { .. });
            self.life == Life::Heap
                && back.is_none_or(|at| !links.contains(at) && is_value(at))
                && (is_tree || is_value(links.first()))
                && links.iter().filter(|at| is_tree || *at != links.first()).all(is_open)
        });
        ends.zip(starts).all(|(end, start)| end <= start) && links
    }

    /// Overwrites bytes.
    pub fn write(&mut self, offset: u64, len: u64, value: Option<Value>) {
        let end = offset + len;
        let overlapped: Vec<(u64, Cell)> = self
            .cells
            .range(..end)
            .filter(|(at, cell)| *at + cell.len > offset)
            .map(|(at, cell)| (*at, *cell))
            .collect();
        for (at, cell) in overlapped {
            self.cells.remove(&at);
            // What is left of a cell that is overwritten in part.
            let rest = cell.value.filter(|value| *value == Value::Number(0));
            if at < offset {
                self.cells.insert(at, Cell { len: offset - at, value: rest });
            }
            if at + cell.len > end {
                self.cells.insert(end, Cell { len: at + cell.len - end, value: rest });
            }
        }
        if value.is_some() || self.background != Background::Unknown {
            self.cells.insert(offset, Cell { len, value });
        }
    }

    /// The cell that covers these bytes, with where it starts.
    pub fn covering(&self, offset: u64, len: u64) -> Option<(u64, Cell)> {
        let (at, cell) = self.cells.range(..=offset).next_back()?;
        (at + cell.len >= offset + len).then_some((*at, *cell))
    }

    /// Returns true if a cell has some of these bytes.
    pub fn is_touched(&self, offset: u64, len: u64) -> bool {
        let mut before = self.cells.range(..offset + len);
        before.next_back().is_some_and(|(at, cell)| at + cell.len > offset)
    }
}
