//! Simple forms of heaps: without what no longer matters, and with segments in place of objects in a row.
//!
//! | step | what it loses |
//! |---|---|
//! | dead registers are forgotten | nothing |
//! | objects to which nothing leads are dropped | nothing; where leaks matter, one is a doubt |
//! | two neighbours become one segment; objects with subtrees become [trees](super::trees) | how many objects there are, and which of the numbers in them is in which |
//! | symbols that say nothing are forgotten | nothing |

use super::trees::Kinds;
use super::{Search, Stop};
use base::{Idx, Inconclusive};
use semantics::shape::{Address, Background, Cell, End, Heap, Life, Links, Node, NodeId, Shape, Value};
use std::collections::{BTreeMap, BTreeSet};

impl Search<'_, '_> {
    /// The simple form of a heap.
    pub(super) fn normal(&self, mut heap: Heap) -> Result<Heap, Stop> {
        self.forget_registers(&mut heap);
        let reached = heap.reachable(true);
        let lost: Vec<NodeId> = heap.nodes.keys().filter(|id| !reached.contains(id)).copied().collect();
        if !lost.is_empty() && self.transfer.property.is_about_leaks() {
            return Err(Inconclusive::NoProof("an object is lost".to_owned()).into());
        }
        lost.iter().for_each(|id| drop(heap.nodes.remove(id)));
        self.summarise(&mut heap)?;
        Ok(heap)
    }

    /// The simple form of what the lock protects.
    pub(super) fn normal_of_free(&self, mut heap: Heap) -> Result<Heap, Stop> {
        self.summarise(&mut heap)?;
        Ok(heap)
    }

    /// Objects in a row become segments, and objects with subtrees trees.
    fn summarise(&self, heap: &mut Heap) -> Result<(), Stop> {
        if let Some(kinds) = self.learns.then(|| self.kinds.learn(heap)).flatten() {
            return Err(Stop::Trees(kinds));
        }
        while self.kinds.fold(&self.transfer, heap) || fold(heap, &self.kinds) {}
        forget_symbols(heap, self.transfer.program.strict_decisions);
        Ok(())
    }

    fn forget_registers(&self, heap: &mut Heap) {
        let Some(top) = heap.frames.len().checked_sub(1) else { return };
        for (depth, frame) in heap.frames.iter_mut().enumerate() {
            let liveness = &self.analysis.liveness[frame.func];
            let live =
                if depth == top { liveness.live_at(frame.loc) } else { liveness.live_during_call(frame.loc) };
            for (n, register) in frame.registers.iter_mut().enumerate() {
                if !live.contains(program::VarId::new(n)) {
                    *register = None;
                }
            }
        }
    }
}

/// Forgets symbols that can be any number and occur once, and ranges of those that do not occur.
fn forget_symbols(heap: &mut Heap, keep_cells: bool) {
    heap.forget_unused_facts();
    let mut count: BTreeMap<Value, usize> = BTreeMap::new();
    let of_facts = heap.facts.iter().flat_map(|fact| [fact.left, fact.right]).map(Value::Symbol);
    for value in heap.values().chain(of_facts).filter(|value| matches!(value, Value::Symbol(_))) {
        *count.entry(value).or_default() += 1;
    }
    let symbols = heap.symbols.clone();
    let says_nothing = |value: Value| match value {
        Value::Symbol(symbol) => {
            let range = symbols[&symbol];
            count.get(&value) == Some(&1) && range == semantics::shape::Range::full(range.width)
        }
        Value::Number(_) | Value::Address(_) | Value::Function(_) => false,
    };
    let registers = heap.frames.iter_mut().flat_map(|frame| frame.registers.iter_mut());
    for register in registers.chain(heap.cutpoints.iter_mut().flatten()) {
        *register = register.filter(|value| !says_nothing(*value));
    }
    for id in heap.nodes.keys().copied().collect::<Vec<_>>() {
        // What is set and what is not may have to be told apart.
        if keep_cells || !heap.node(id).values().any(says_nothing) {
            continue;
        }
        let node = heap.node_mut(id);
        let shape = node.shape;
        for (_, cell) in node.cells.iter_mut().filter(|(at, _)| !shape.has_link(**at)) {
            cell.value = cell.value.filter(|value| !says_nothing(*value));
        }
        if node.background == Background::Unknown {
            node.cells.retain(|at, cell| cell.value.is_some() || shape.has_link(*at));
        }
    }
    let used: BTreeSet<Value> = heap.values().collect();
    heap.symbols.retain(|symbol, _| used.contains(&Value::Symbol(*symbol)));
}

/// Two neighbours become one segment; `false` if there are none.
fn fold(heap: &mut Heap, kinds: &Kinds) -> bool {
    let ids: Vec<NodeId> = heap.nodes.keys().copied().collect();
    let roots = roots(heap);
    for a in ids {
        let node = heap.node(a);
        if node.life != Life::Heap || kinds.knows(node.size) {
            continue;
        }
        let neighbours: Vec<(u64, NodeId)> = node
            .cells
            .iter()
            .filter_map(|(at, cell)| match cell.value {
                Some(Value::Address(b)) if b == Address::start(b.node) && b.node != a => Some((*at, b.node)),
                _ => None,
            })
            .collect();
        for (next, b) in neighbours {
            for previous in links_back(heap, a, b, next) {
                let same_numbers = roots.contains(&a);
                if fits(heap, a, b, next, previous) && merge(heap, (a, b), (next, previous), same_numbers) {
                    return true;
                }
            }
        }
    }
    false
}

/// The last object of a node.
fn last(heap: &Heap, id: NodeId) -> Address {
    let end = if heap.node(id).shape == Shape::Single { End::First } else { End::Last };
    Address { end, ..Address::start(id) }
}

/// Where the first object of `b` has the address of the last one of `a`, and whether that is looked at: doubly linked first.
fn links_back(heap: &Heap, a: NodeId, b: NodeId, next: u64) -> Vec<Option<u64>> {
    let back = Some(Value::Address(last(heap, a)));
    let cells = heap.node(b).cells.iter().filter(|(at, cell)| **at != next && cell.value == back);
    cells.map(|(at, _)| Some(*at)).chain([None]).collect()
}

/// Returns true if nothing else leads to where the two nodes meet.
fn fits(heap: &Heap, a: NodeId, b: NodeId, next: u64, previous: Option<u64>) -> bool {
    let (left, right) = (heap.node(a), heap.node(b));
    let link = Shape::Segment { next: Links::one(next), previous };
    let may_link = |node: &Node| node.shape == Shape::Single || node.shape == link;
    let goes_on = matches!(
        right.cells.get(&next).and_then(|cell| cell.value),
        Some(Value::Number(0) | Value::Address(_))
    );
    let count = |f: &dyn Fn(Address) -> bool| {
        heap.values().filter(|value| matches!(value, Value::Address(address) if f(*address))).count()
    };
    let alike =
        right.life == Life::Heap && left.size == right.size && may_link(left) && may_link(right) && goes_on;
    let inner = match previous {
        None => {
            count(&|address| address.node == b) == 1 && count(&|to| (to.node, to.end) == (a, End::Last)) == 0
        }
        Some(_) => {
            // An address of a single object is one of the segment's first or last object.
            let first =
                right.shape == Shape::Single || count(&|to| (to.node, to.end) == (b, End::First)) == 1;
            let last = left.shape == Shape::Single || count(&|to| (to.node, to.end) == (a, End::Last)) == 1;
            // Pointers into the middle of an object stay where they are.
            first && last
        }
    };
    alike && inner && previous.is_none_or(|at| left.cells.get(&at).is_some_and(|cell| cell.value.is_some()))
}

/// The nodes to which variables lead.
fn roots(heap: &Heap) -> BTreeSet<NodeId> {
    let registers = heap.frames.iter().flat_map(|frame| frame.registers.iter().flatten().copied());
    let variables = heap.nodes.values().filter(|node| node.life != Life::Heap).flat_map(|node| node.values());
    let targets = registers.chain(variables).filter_map(|value| match value {
        Value::Address(address) => Some(address.node),
        Value::Number(_) | Value::Symbol(_) | Value::Function(_) => None,
    });
    targets.collect()
}

/// `a` becomes a segment of both; `false` if their contents have nothing in common. A node to which a variable leads may be a special one, the
/// head of a list for instance: it is merged only with one that holds the same numbers.
fn merge(
    heap: &mut Heap,
    (a, b): (NodeId, NodeId),
    (next, previous): (u64, Option<u64>),
    same_numbers: bool,
) -> bool {
    let (left, right) = (heap.node(a).clone(), heap.node(b).clone());
    let is_link = |at| at == next || Some(at) == previous;
    let other = |(at, cell): (&u64, &Cell)| {
        !is_link(*at) && is_other_number(Some(*cell), right.cells.get(at).copied())
    };
    if same_numbers && left.cells.iter().any(other) {
        return false;
    }
    let Some((mut cells, background)) = mix(heap, &left, &right, is_link) else { return false };
    cells.extend(right.cells.get(&next).map(|cell| (next, *cell)));
    cells.extend(previous.and_then(|at| Some((at, *left.cells.get(&at)?))));
    heap.nodes.remove(&b);
    let shape = Shape::Segment { next: Links::one(next), previous };
    *heap.node_mut(a) = Node { shape, background, cells, ..left };
    heap.replace(|value| match value {
        Value::Address(to) if to.node == b => Value::Address(Address { node: a, end: End::Last, ..to }),
        _ => value,
    });
    true
}

/// The cells that two objects have in common, except for links; `None` if their contents have nothing in common.
pub(super) fn mix(
    heap: &mut Heap,
    left: &Node,
    right: &Node,
    is_link: impl Fn(u64) -> bool,
) -> Option<(BTreeMap<u64, Cell>, Background)> {
    let mut cells = BTreeMap::new();
    let all = left.cells.iter().chain(&right.cells);
    let offsets: BTreeMap<u64, u64> = all.map(|(at, c)| (*at, c.len)).collect();
    let same = left.background == right.background;
    for (at, len) in offsets.into_iter().filter(|(at, _)| !is_link(*at)) {
        let (l, r) = (left.cells.get(&at).copied(), right.cells.get(&at).copied());
        match common(heap, left, right, l, r).ok()? {
            Some(cell) if cell.value.is_some() => drop(cells.insert(at, cell)),
            _ if same && left.background != Background::Unknown => {
                cells.insert(at, Cell { len, value: None });
            }
            _ => {}
        }
    }
    let is_apart = |(at, cell): (&u64, &Cell), next: &u64| at + cell.len <= *next;
    let apart = cells.iter().zip(cells.keys().skip(1)).all(|(cell, next)| is_apart(cell, next));
    let background = if same { left.background } else { Background::Unknown };
    apart.then_some((cells, background))
}

fn is_other_number(l: Option<Cell>, r: Option<Cell>) -> bool {
    let value = |cell: Option<Cell>| cell.and_then(|cell| cell.value);
    matches!((value(l), value(r)), (Some(Value::Number(l)), Some(Value::Number(r))) if l != r)
}

/// The contents are not alike.
struct Differ;

/// What two objects have in common at one place.
fn common(
    heap: &mut Heap,
    left: &Node,
    right: &Node,
    l: Option<Cell>,
    r: Option<Cell>,
) -> Result<Option<Cell>, Differ> {
    let background = |node: &Node, len| {
        (node.background == Background::Zero).then_some(Cell { len, value: Some(Value::Number(0)) })
    };
    let len = l.or(r).map_or(0, |cell| cell.len);
    let (l, r) = (l.or_else(|| background(left, len)), r.or_else(|| background(right, len)));
    let value = |cell: Option<Cell>| cell.and_then(|cell| cell.value);
    let is_address = |cell| matches!(value(cell), Some(Value::Address(_)));
    match (value(l), value(r)) {
        (Some(a), Some(b)) if a == b && l == r && !matches!(a, Value::Symbol(_)) => Ok(l),
        _ if is_address(l) || is_address(r) => Err(Differ),
        (Some(Value::Function(_)), _) | (_, Some(Value::Function(_))) | (None, _) | (_, None) => Ok(None),
        (Some(_), Some(_)) if l.map(|cell| cell.len) != r.map(|cell| cell.len) || len > 16 => Ok(None),
        (Some(a), Some(b)) => {
            let width = program::Width::of_bytes(len);
            let range = heap.range(a, width).hull(heap.range(b, width));
            Ok(Some(Cell { len, value: Some(heap.number(range)) }))
        }
    }
}
