//! Entailment of abstract heaps: every state that one describes is described by the other.
//!
//! To each node of the weaker heap belongs a *chain* of nodes of the stronger one: one object for a single object; for a segment one or more, each linked to the next as
//! the segment says. Chains of different nodes have nothing in common. How long a chain is, is tried: a short one first.
//!
//! Goals are values that have to be described by values, and the search goes back to the last choice if a goal cannot be met.

use semantics::shape::{
    Address, Background, End, Heap, Life, Node, NodeId, Range, Shape, SymbolId, Transfer, Value,
};
use std::collections::BTreeMap;

/// The longest chain that is tried.
const MAX_CHAIN: usize = 64;

/// Returns true if `weak` describes every state that `strong` describes.
pub(super) fn entails(transfer: &Transfer<'_>, strong: &Heap, weak: &Heap) -> bool {
    let search = Search { transfer, strong, weak };
    let Some((nodes, goals)) = search.roots() else { return false };
    let mut matching = Matching::default();
    for (a, b) in nodes {
        let single = |heap: &Heap, id| heap.node(id).shape == Shape::Single;
        // A variable of the first thread may also be an object that all threads know.
        if matching.chains.get(&b).is_some_and(|chain| chain[..] == [a]) {
            continue;
        }
        if !single(strong, a) || !single(weak, b) || matching.is_used(a) || matching.chains.contains_key(&b) {
            return false;
        }
        matching.chains.insert(b, vec![a]);
    }
    let mut all = goals;
    for (b, chain) in &matching.chains {
        match search.contents(*b, chain) {
            Some(more) => all.extend(more),
            None => return false,
        }
    }
    search.solve(matching, all)
}

/// A value that has to describe another one. The symbols of a segment stand for other numbers in each of its objects.
#[derive(Clone, Copy)]
struct Goal {
    strong: Option<Value>,
    weak: Option<Value>,
    of_segment: bool,
}

#[derive(Clone, Default)]
struct Matching {
    chains: BTreeMap<NodeId, Vec<NodeId>>,
    /// What each symbol of the weaker heap is in the stronger one.
    symbols: BTreeMap<SymbolId, Value>,
}

impl Matching {
    fn is_used(&self, a: NodeId) -> bool {
        self.chains.values().any(|chain| chain.contains(&a))
    }
}

struct Search<'a, 'p> {
    transfer: &'a Transfer<'p>,
    strong: &'a Heap,
    weak: &'a Heap,
}

type Roots = (Vec<(NodeId, NodeId)>, Vec<Goal>);

impl Search<'_, '_> {
    /// Pairs of nodes of variables and static objects, and goals for registers.
    fn roots(&self) -> Option<Roots> {
        let (strong, weak) = (self.strong, self.weak);
        if strong.control() != weak.control() || !strong.operands.is_empty() {
            return None;
        }
        let (mut nodes, mut goals) = (Vec::new(), Vec::new());
        let (mine, theirs) = (&strong.others, &weak.others);
        if (mine.sharing, mine.is_first) != (theirs.sharing, theirs.is_first)
            || (mine.uncounted && !theirs.uncounted)
            || mine.started.len() != theirs.started.len()
        {
            return None;
        }
        if !mine.held.keys().eq(theirs.held.keys()) || !strong.anchors.keys().eq(weak.anchors.keys()) {
            return None;
        }
        let handles = mine.started.iter().zip(&theirs.started);
        let numbers = handles.chain(mine.held.values().zip(theirs.held.values()));
        goals.extend(numbers.map(|(a, b)| Goal { strong: Some(*a), weak: Some(*b), of_segment: false }));
        goals.push(Goal { strong: mine.own, weak: theirs.own, of_segment: false });
        nodes.extend(strong.anchors.values().copied().zip(weak.anchors.values().copied()));
        for (a, b) in strong.frames.iter().zip(&weak.frames) {
            if a.locals.len() != b.locals.len() || a.allocated.len() != b.allocated.len() {
                return None;
            }
            for (var, node) in &b.locals {
                nodes.push((*a.locals.get(var)?, *node));
            }
            nodes.extend(a.allocated.iter().copied().zip(b.allocated.iter().copied()));
            let registers = a.registers.iter().zip(&b.registers);
            goals.extend(registers.map(|(a, b)| Goal { strong: *a, weak: *b, of_segment: false }));
        }
        Some((nodes, goals))
    }

    fn solve(&self, mut matching: Matching, mut goals: Vec<Goal>) -> bool {
        let mut waiting: Vec<(Goal, NodeId, NodeId)> = Vec::new();
        while let Some(goal) = goals.pop() {
            match self.goal(&mut matching, goal) {
                Met::Yes => {}
                Met::No => return false,
                Met::Starts { node, first } => {
                    goals.extend(waiting.into_iter().map(|(goal, ..)| goal));
                    goals.push(goal);
                    return self.try_chains(&matching, &goals, node, first, End::First);
                }
                Met::Waits { node, last } => waiting.push((goal, node, last)),
            }
        }
        // Chains to whose first objects nothing leads are found from their last ones.
        match waiting.first() {
            Some((_, node, last)) => {
                let (node, last) = (*node, *last);
                let goals: Vec<Goal> = waiting.into_iter().map(|(goal, ..)| goal).collect();
                self.try_chains(&matching, &goals, node, last, End::Last)
            }
            None => self.nothing_is_lost(&matching),
        }
    }

    /// Where leaks matter, every heap object has to be described.
    fn nothing_is_lost(&self, matching: &Matching) -> bool {
        let mut objects = self.strong.nodes.iter().filter(|(_, node)| node.life == Life::Heap);
        !self.transfer.property.is_about_leaks() || objects.all(|(id, _)| matching.is_used(*id))
    }

    /// Tries chains for a node of the weaker heap, from one end on.
    fn try_chains(&self, matching: &Matching, goals: &[Goal], node: NodeId, start: NodeId, end: End) -> bool {
        let mut chain = vec![start];
        loop {
            let is_free = |a: &NodeId| !matching.is_used(*a);
            if !chain.iter().all(is_free) || chain.len() > MAX_CHAIN {
                return false;
            }
            if let Some(more) = self.contents(node, &chain) {
                let mut matching = matching.clone();
                matching.chains.insert(node, chain.clone());
                if self.solve(matching, goals.iter().copied().chain(more).collect()) {
                    return true;
                }
            }
            let next = match end {
                End::First => self.next_of(node, &chain),
                End::Last => self.previous_of(node, &chain),
            };
            match (next, end) {
                (Some(next), _) if chain.contains(&next) => return false,
                (Some(next), End::First) => chain.push(next),
                (Some(next), End::Last) => chain.insert(0, next),
                (None, _) => return false,
            }
        }
    }

    /// The node to which the last one of a chain is linked.
    fn next_of(&self, node: NodeId, chain: &[NodeId]) -> Option<NodeId> {
        let Shape::Segment { next, .. } = self.weak.node(node).shape else { return None };
        match self.strong.node(*chain.last()?).cells.get(&next)?.value? {
            Value::Address(to) if to == Address::start(to.node) => Some(to.node),
            _ => None,
        }
    }

    /// The node to which the first one of a chain is linked back.
    fn previous_of(&self, node: NodeId, chain: &[NodeId]) -> Option<NodeId> {
        let Shape::Segment { previous, .. } = self.weak.node(node).shape else { return None };
        match self.strong.node(*chain.first()?).cells.get(&previous?)?.value? {
            Value::Address(to) if to == self.last(to.node) => Some(to.node),
            _ => None,
        }
    }

    /// The last object of a node of the stronger heap.
    fn last(&self, id: NodeId) -> Address {
        let end = if self.strong.node(id).shape == Shape::Single { End::First } else { End::Last };
        Address { end, ..Address::start(id) }
    }

    fn goal(&self, matching: &mut Matching, goal: Goal) -> Met {
        let Some(weak) = goal.weak else { return Met::Yes };
        let met = match (goal.strong, weak) {
            (strong, Value::Symbol(symbol)) => self.symbol(matching, strong, symbol, goal.of_segment),
            (Some(Value::Number(a)), Value::Number(b)) => a == b,
            (Some(Value::Function(a)), Value::Function(b)) => a == b,
            (Some(Value::Address(a)), Value::Address(b)) => return self.address(matching, a, b),
            _ => false,
        };
        if met { Met::Yes } else { Met::No }
    }

    fn symbol(
        &self,
        matching: &mut Matching,
        strong: Option<Value>,
        symbol: SymbolId,
        of_segment: bool,
    ) -> bool {
        let range = self.weak.symbols[&symbol];
        let anything = range == Range::full(range.width);
        let Some(strong) = strong else {
            let once = self.weak.values().filter(|value| *value == Value::Symbol(symbol)).count() == 1;
            return anything && once;
        };
        let inside = match strong {
            Value::Number(number) => Range::constant(number, range.width).is_within(range),
            Value::Symbol(own) => self.strong.symbols[&own].is_within(range),
            Value::Address(_) | Value::Function(_) => anything,
        };
        inside && (of_segment || *matching.symbols.entry(symbol).or_insert(strong) == strong)
    }

    fn address(&self, matching: &Matching, a: Address, b: Address) -> Met {
        if a.low < b.low || a.high > b.high {
            return Met::No;
        }
        let Some(chain) = matching.chains.get(&b.node) else {
            return match (b.end, a.end) {
                (End::First, End::First) => Met::Starts { node: b.node, first: a.node },
                (End::First, End::Last) => Met::No,
                // The chain has to be found from its start.
                (End::Last, end) if end == self.last(a.node).end => Met::Waits { node: b.node, last: a.node },
                (End::Last, _) => Met::No,
            };
        };
        let end = match b.end {
            End::First => Address::start(chain[0]),
            End::Last => self.last(*chain.last().expect("a chain should have a node")),
        };
        if (end.node, end.end) == (a.node, a.end) { Met::Yes } else { Met::No }
    }

    /// Goals for the contents of a node, described by those of a chain; `None` if that cannot be.
    fn contents(&self, b: NodeId, chain: &[NodeId]) -> Option<Vec<Goal>> {
        let weak = self.weak.node(b);
        let alike = |a: &NodeId| {
            let node = self.strong.node(*a);
            node.life == weak.life
                && node.size >= weak.size
                && is_linked_alike(node, weak)
                && self.covers(*a, weak)
        };
        if !chain.iter().all(alike) || (weak.shape == Shape::Single && chain.len() != 1) {
            return None;
        }
        let links = match weak.shape {
            Shape::Single => [None, None],
            Shape::Segment { next, previous } => {
                self.is_row(chain, next, previous).then_some(())?;
                [Some(next), previous]
            }
        };
        let mut goals = Vec::new();
        for (at, cell) in &weak.cells {
            let read = |a: NodeId| self.transfer.known(self.strong, a, *at, cell.len);
            let goal = |a: NodeId, of_segment| Goal { strong: read(a), weak: cell.value, of_segment };
            if links[0] == Some(*at) {
                goals.push(goal(*chain.last()?, false));
            } else if links[1] == Some(*at) {
                goals.push(goal(chain[0], false));
            } else {
                goals.extend(chain.iter().map(|a| goal(*a, weak.shape != Shape::Single)));
            }
        }
        Some(goals)
    }

    /// Returns true if each node of a chain is linked to the next, and back.
    fn is_row(&self, chain: &[NodeId], next: u64, previous: Option<u64>) -> bool {
        let value = |id: NodeId, at: u64| self.strong.node(id).cells.get(&at).and_then(|cell| cell.value);
        chain.windows(2).all(|pair| {
            let back = Value::Address(self.last(pair[0]));
            value(pair[0], next) == Some(Value::Address(Address::start(pair[1])))
                && previous.is_none_or(|at| value(pair[1], at) == Some(back))
        })
    }

    /// Returns true if the bytes that no cell of `weak` covers are what its background says.
    fn covers(&self, a: NodeId, weak: &Node) -> bool {
        let strong = self.strong.node(a);
        if weak.background == Background::Unknown {
            return true;
        }
        strong.background == weak.background
            && strong.cells.iter().all(|(at, cell)| {
                let zero = weak.background == Background::Zero && cell.value == Some(Value::Number(0));
                zero || weak.covering(*at, cell.len).is_some()
            })
    }
}

/// Returns true if a node is one object, or a segment with the same links.
fn is_linked_alike(strong: &Node, weak: &Node) -> bool {
    strong.shape == Shape::Single || strong.shape == weak.shape
}

/// How a goal was met.
enum Met {
    Yes,
    No,
    /// It would be if a chain for this node of the weaker heap starts here.
    Starts {
        node: NodeId,
        first: NodeId,
    },
    /// It would be if a chain ends here; something else may say where it starts.
    Waits {
        node: NodeId,
        last: NodeId,
    },
}
