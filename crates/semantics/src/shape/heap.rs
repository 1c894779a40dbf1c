//! Abstract heaps: what an execution's state looks like, up to the length of lists and the values of numbers.
//!
//! A heap is a graph. Its *nodes* are objects; its *values* are constants, *symbols* (numbers of which only a range is known), and addresses of nodes. Values sit in the
//! registers of frames and in the *cells* of nodes.
//!
//! | node | stands for |
//! |---|---|
//! | [`Shape::Single`] | one live object |
//! | [`Shape::Segment`] | one or more live heap objects of one size, each linked to the next at a fixed offset (and back, if the segment is doubly linked) |
//!
//! A segment has the cells of each of its objects, with two exceptions: the cell of the link forward is the one of its last object, and the cell of the link back is the
//! one of its first. An address of a segment is one of its [first or last](End) object.
//!
//! # Invariants
//! - Different nodes are different objects; an object that is not alive has no node. Whatever pointed to it is a symbol.
//! - A symbol in a cell of a segment, other than its links, occurs nowhere else: it is another number in each object.
//! - Every node to which a value leads exists.

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
    /// One or more objects in a row.
    Segment {
        /// Where each object has the address of the next one.
        next: u64,
        /// Where each object has the address of the one before it, in a doubly linked list.
        previous: Option<u64>,
    },
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
    /// Values of an action under way; empty between actions.
    pub operands: Vec<Value>,
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
        registers.copied().chain(cells).chain(own.copied()).chain(words).chain(taken)
    }

    /// Replaces values, wherever they are.
    pub fn replace(&mut self, change: impl Fn(Value) -> Value) {
        for frame in &mut self.frames {
            frame.registers.iter_mut().flatten().for_each(|value| *value = change(*value));
        }
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

    /// The objects of a node cease to live: whatever pointed to them is any number.
    pub fn kill(&mut self, id: NodeId, pointer: Width) {
        self.nodes.remove(&id);
        let is_dangling = |value: Value| matches!(value, Value::Address(address) if address.node == id);
        if self.values().any(is_dangling) {
            let dangling = self.any(pointer);
            self.replace(|value| if is_dangling(value) { dangling } else { value });
        }
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

    /// The two cases of a segment, of one object or of more, in which the object at one of its ends is a node of its own.
    pub fn expose(self, id: NodeId, end: End) -> [Heap; 2] {
        let Shape::Segment { next, previous } = self.node(id).shape else {
            unreachable!("only segments are taken apart")
        };
        let mut one = self.clone();
        one.isolate(id);
        one.redirect(|a| if a.node == id { Address { end: End::First, ..a } } else { a });
        let mut more = self;
        let rest = more.insert(more.node(id).clone());
        more.isolate(id);
        match end {
            End::First => {
                more.redirect(|a| {
                    if (a.node, a.end) == (id, End::Last) { Address { node: rest, ..a } } else { a }
                });
                more.link(id, next, Address::start(rest));
                if let Some(previous) = previous {
                    more.link(rest, previous, Address::start(id));
                }
            }
            End::Last => {
                more.redirect(|a| match (a.node == id, a.end) {
                    (true, End::First) => Address { node: rest, ..a },
                    (true, End::Last) => Address { end: End::First, ..a },
                    (false, _) => a,
                });
                more.link(rest, next, Address::start(id));
                if let Some(previous) = previous {
                    more.link(id, previous, Address { end: End::Last, ..Address::start(rest) });
                }
            }
        }
        [one, more]
    }

    /// Makes one object of a segment; its symbols are its own.
    fn isolate(&mut self, id: NodeId) {
        let Shape::Segment { next, previous } = self.node(id).shape else { return };
        let is_link = |offset: u64| offset == next || Some(offset) == previous;
        let mut cells = self.node(id).cells.clone();
        for (offset, cell) in &mut cells {
            if let (Some(Value::Symbol(symbol)), false) = (cell.value, is_link(*offset)) {
                cell.value = Some(self.number(self.symbols[&symbol]));
            }
        }
        let node = self.node_mut(id);
        (node.shape, node.cells) = (Shape::Single, cells);
    }

    fn redirect(&mut self, change: impl Fn(Address) -> Address) {
        self.replace(|value| match value {
            Value::Address(address) => Value::Address(change(address)),
            Value::Number(_) | Value::Symbol(_) | Value::Function(_) => value,
        });
    }

    fn link(&mut self, from: NodeId, offset: u64, to: Address) {
        let cell = self.node_mut(from).cells.get_mut(&offset).expect("a segment should have its links");
        cell.value = Some(Value::Address(to));
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
        let exists = |value: Value| match value {
            Value::Address(address) => self.nodes.contains_key(&address.node),
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
    }

    /// The symbols in cells of segments, except for links.
    fn segment_symbols(&self) -> impl Iterator<Item = Value> {
        self.nodes.values().flat_map(|node| {
            let Shape::Segment { next, previous } = node.shape else { return Vec::new() };
            let own = node.cells.iter().filter(|(at, _)| **at != next && Some(**at) != previous);
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

    /// Returns true if cells do not overlap, and a segment is one of heap objects that has cells for its links.
    fn is_proper(&self) -> bool {
        let ends = self.cells.iter().map(|(at, cell)| at + cell.len);
        let starts = self.cells.keys().skip(1).copied().chain([self.size]);
        let links = match self.shape {
            Shape::Single => true,
            Shape::Segment { next, previous } => {
                let is_link = |at| matches!(self.cells.get(&at), Some(Cell { value: Some(_), .. }));
                self.life == Life::Heap
                    && Some(next) != previous
                    && is_link(next)
                    && previous.is_none_or(is_link)
            }
        };
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
