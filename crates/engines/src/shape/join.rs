//! Joins of two heaps of one loop head: a heap that describes the states of both.
//!
//! Both graphs are walked side by side from the roots (registers, variables, static objects). Where addresses lead, nodes are matched with nodes; where numbers
//! differ, a symbol takes their place. Heaps whose graphs differ by more than the length of a list have no join, and stay beside each other.

use semantics::shape::{
    Address, Background, Cell, End, Fact, Heap, Life, Lock, LockId, Node, NodeId, Range, Shape, SymbolId,
    Transfer, Value,
};
use std::collections::BTreeMap;

/// A heap that describes the states of both; the old one itself, if that does.
pub(super) fn join(transfer: &Transfer<'_>, new: &Heap, old: &Heap, n_joins: usize) -> Option<Heap> {
    let mut join = Join {
        transfer,
        new,
        old,
        widens: n_joins >= 2,
        result: old.clone(),
        nodes: BTreeMap::new(),
        queue: Vec::new(),
        pairs: BTreeMap::new(),
        taken: BTreeMap::new(),
    };
    join.frames()?;
    while let Some((a, b)) = join.queue.pop() {
        join.node(a, b)?;
    }
    join.finish()
}

struct Join<'a, 'p> {
    transfer: &'a Transfer<'p>,
    new: &'a Heap,
    old: &'a Heap,
    widens: bool,
    result: Heap,
    /// Nodes of the new heap by those of the old one.
    nodes: BTreeMap<NodeId, NodeId>,
    queue: Vec<(NodeId, NodeId)>,
    /// The values that stand for pairs of numbers.
    pairs: BTreeMap<(Value, Value), Value>,
    /// What each symbol of the old heap is in the new one.
    taken: BTreeMap<SymbolId, Value>,
}

impl Join<'_, '_> {
    fn frames(&mut self) -> Option<()> {
        let (new, old) = (self.new, self.old);
        let (mine, theirs) = (&new.others, &old.others);
        let alike = (mine.sharing, mine.is_first, mine.uncounted)
            == (theirs.sharing, theirs.is_first, theirs.uncounted);
        if !alike || mine.started.len() != theirs.started.len() {
            return None;
        }
        for (n, (a, b)) in mine.started.iter().zip(&theirs.started).enumerate() {
            let handle = self.value(Some(*a), Some(*b), self.transfer.program.data_model.pointer())??;
            self.result.others.started[n] = handle;
        }
        if !mine.held.keys().eq(theirs.held.keys()) || !new.anchors.keys().eq(old.anchors.keys()) {
            return None;
        }
        for (lock, b) in &theirs.held {
            let value = self.value(Some(mine.held[lock]), Some(*b), self.width_of(*lock))??;
            self.result.others.held.insert(*lock, value);
        }
        self.result.others.own = self.value(mine.own, theirs.own, program::Width::INT)?;
        for (anchor, b) in &old.anchors {
            self.pair(new.anchors[anchor], *b)?;
        }
        self.cutpoints()?;
        for (depth, (a, b)) in new.frames.iter().zip(&old.frames).enumerate() {
            if a.locals.len() != b.locals.len() || a.allocated.len() != b.allocated.len() {
                return None;
            }
            for (var, node) in &b.locals {
                self.pair(*a.locals.get(var)?, *node)?;
            }
            for (a, b) in a.allocated.iter().zip(&b.allocated) {
                self.pair(*a, *b)?;
            }
            for (n, (a, b)) in a.registers.iter().zip(&b.registers).enumerate() {
                let var = <program::VarId as base::Idx>::new(n);
                let kind = self.transfer.program.functions[old.frames[depth].func].vars[var].kind;
                let program::VarKind::Register(width) = kind else { continue };
                self.result.frames[depth].registers[n] = self.value(*a, *b, width)?;
            }
        }
        Some(())
    }

    /// What the callers of a recursive function know; in the end also its result, which may be of another width.
    fn cutpoints(&mut self) -> Option<()> {
        let (Some(new), Some(old)) = (&self.new.cutpoints, &self.old.cutpoints) else {
            return (self.new.cutpoints == self.old.cutpoints).then_some(());
        };
        if new.len() != old.len() {
            return None;
        }
        let mut values = Vec::new();
        for (a, b) in new.iter().zip(old) {
            let width = |heap: &Heap, value: &Option<Value>| match value {
                Some(Value::Symbol(symbol)) => Some(heap.symbols[symbol].width),
                _ => None,
            };
            let width = width(self.new, a).or(width(self.old, b));
            let value = match width {
                Some(width) => self.value(*a, *b, width)?,
                // Nothing is known of the width of constants.
                None if matches!((a, b), (Some(Value::Number(x)), Some(Value::Number(y))) if x != y) => None,
                None => self.value(*a, *b, self.transfer.program.data_model.pointer())?,
            };
            values.push(value);
        }
        self.result.cutpoints = Some(values);
        Some(())
    }

    /// The width of a lock's word.
    fn width_of(&self, lock: LockId) -> program::Width {
        match self.transfer.plan.and_then(|plan| plan.locks.get(base::Idx::index(lock))) {
            Some(Lock::Word { bytes, .. }) => program::Width::of_bytes(*bytes),
            Some(Lock::Atomic) | None => program::Width::INT,
        }
    }

    /// Two nodes are to be joined.
    fn pair(&mut self, a: NodeId, b: NodeId) -> Option<()> {
        match self.nodes.get(&b) {
            Some(known) => (*known == a).then_some(()),
            None if self.nodes.values().any(|known| *known == a) => None,
            None => {
                self.nodes.insert(b, a);
                self.queue.push((a, b));
                Some(())
            }
        }
    }

    fn value(&mut self, a: Option<Value>, b: Option<Value>, width: program::Width) -> Option<Option<Value>> {
        let (Some(a), Some(b)) = (a, b) else {
            let is_address = |value| matches!(value, Some(Value::Address(_)));
            return (!is_address(a) && !is_address(b)).then_some(None);
        };
        match (a, b) {
            (Value::Address(x), Value::Address(y)) => {
                self.address(x, y).map(|address| Some(Value::Address(address)))
            }
            (Value::Address(_), _) | (_, Value::Address(_)) => None,
            (Value::Number(x), Value::Number(y)) if x == y => Some(Some(b)),
            (Value::Function(x), Value::Function(y)) if x == y => Some(Some(b)),
            (Value::Function(_), _) | (_, Value::Function(_)) => None,
            // What looks like a flag tells heaps apart.
            (Value::Number(0), Value::Number(1)) | (Value::Number(1), Value::Number(0)) => None,
            (Value::Number(_) | Value::Symbol(_), Value::Number(_) | Value::Symbol(_)) => {
                Some(Some(self.number(a, b, width)))
            }
        }
    }

    fn address(&mut self, a: Address, b: Address) -> Option<Address> {
        self.pair(a.node, b.node)?;
        if (a.low, a.high) != (b.low, b.high) {
            return None;
        }
        // Both ends of a single object are one.
        let single = |heap: &Heap, node| heap.node(node).shape == Shape::Single;
        let end = match (single(self.new, a.node), single(self.old, b.node)) {
            (true, true) => End::First,
            (true, false) => b.end,
            (false, true) => a.end,
            (false, false) if a.end == b.end => b.end,
            (false, false) => return None,
        };
        Some(Address { end, ..b })
    }

    fn number(&mut self, a: Value, b: Value, width: program::Width) -> Value {
        if let Some(known) = self.pairs.get(&(a, b)) {
            return *known;
        }
        let (x, y) = (self.new.range(a, width), self.old.range(b, width));
        let value = match b {
            Value::Symbol(symbol) if x.is_within(y) && !self.taken.contains_key(&symbol) => {
                self.taken.insert(symbol, a);
                b
            }
            _ => {
                let range = self.grown(x, y);
                self.result.number(range)
            }
        };
        self.pairs.insert((a, b), value);
        value
    }

    /// The hull of two ranges, or more of it.
    fn grown(&self, new: Range, old: Range) -> Range {
        let hull = new.hull(old);
        if !self.widens {
            return hull;
        }
        let full = Range::full(hull.width);
        let low = if hull.low == old.low {
            old.low
        } else if hull.low >= 0 {
            0
        } else {
            full.low
        };
        Range { low, high: if hull.high == old.high { old.high } else { full.high }, ..hull }
    }

    fn node(&mut self, a: NodeId, b: NodeId) -> Option<()> {
        let (left, right) = (self.new.node(a), self.old.node(b));
        if left.size != right.size || left.life != right.life {
            return None;
        }
        let shape = match (left.shape, right.shape) {
            (x, y) if x == y => x,
            (Shape::Single, shape) | (shape, Shape::Single) if shape.is_list() => shape,
            _ => return None,
        };
        let background =
            if left.background == right.background { right.background } else { Background::Unknown };
        let mut cells = BTreeMap::new();
        let offsets: BTreeMap<u64, u64> =
            left.cells.iter().chain(&right.cells).map(|(at, c)| (*at, c.len)).collect();
        for (at, len) in offsets {
            let is_link = shape.has_link(at);
            let inner = shape != Shape::Single && !is_link;
            let value = self.cell(a, b, at, len, inner)?;
            if is_link && shape.is_list() && value.is_none() {
                return None;
            }
            if value.is_some() || is_link || background != Background::Unknown {
                cells.insert(at, Cell { len, value });
            }
        }
        let ends: Vec<u64> = cells.iter().map(|(at, cell)| at + cell.len).collect();
        if ends.iter().zip(cells.keys().skip(1)).any(|(end, start)| end > start) {
            return None;
        }
        *self.result.node_mut(b) = Node { shape, background, cells, ..right.clone() };
        Some(())
    }

    /// The value of a cell of both; `inner` if it is one of each object of a segment.
    fn cell(&mut self, a: NodeId, b: NodeId, at: u64, len: u64, inner: bool) -> Option<Option<Value>> {
        let x = self.transfer.known(self.new, a, at, len);
        let y = self.transfer.known(self.old, b, at, len);
        if len > 16 {
            return Some(x.filter(|_| x == y));
        }
        let width = program::Width::of_bytes(len);
        match (x, y) {
            (Some(Value::Number(_) | Value::Symbol(_)), Some(Value::Number(_) | Value::Symbol(_)))
                if inner && x != y =>
            {
                let (x, y) = (x?, y?);
                let (new, old) = (self.new.range(x, width), self.old.range(y, width));
                if new.is_within(old) && matches!(y, Value::Symbol(_)) {
                    return Some(Some(y));
                }
                let range = self.grown(new, old);
                Some(Some(self.result.number(range)))
            }
            _ if inner && x == y && matches!(y, Some(Value::Number(_))) => Some(y),
            _ => self.value(x, y, width),
        }
    }

    /// The result, if no object is left out.
    fn finish(mut self) -> Option<Heap> {
        let is_heap = |heap: &Heap, id: &NodeId| heap.node(*id).life == Life::Heap;
        let left: Vec<&NodeId> = self.new.nodes.keys().filter(|id| is_heap(self.new, id)).collect();
        let all_new = left.into_iter().all(|id| self.nodes.values().any(|known| known == id));
        let mut right = self.old.nodes.keys().filter(|id| is_heap(self.old, id));
        let all_old = right.all(|id| self.nodes.contains_key(id));
        if !all_new || !all_old {
            return None;
        }
        let (new, old, taken) = (self.new, self.old, &self.taken);
        let holds = |fact: &Fact| match (taken.get(&fact.left), taken.get(&fact.right)) {
            (Some(left), Some(right)) => new.implies(*fact, *left, *right, old.symbols[&fact.left].width),
            _ => false,
        };
        self.result.facts.retain(holds);
        self.result.forget_unused_facts();
        let used: std::collections::BTreeSet<Value> = self.result.values().collect();
        self.result.symbols.retain(|symbol, _| used.contains(&Value::Symbol(*symbol)));
        Some(self.result)
    }
}
