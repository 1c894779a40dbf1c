//! Entailment of abstract heaps: every state that one describes is described by the other.
//!
//! To each node of the weaker heap belongs a [`Chain`] of nodes of the stronger one: one object for a single object; for a segment one or more, each linked to the next as
//! the segment says, and all that is below their other links; for a tree all that is below its root. Chains of different nodes have nothing in common. How long a chain is, and which link of its last object leads out of it,
//! is tried: a short one first.
//!
//! Goals are values that have to be described by values, and the search goes back to the last choice if a goal cannot be met.

use semantics::shape::{
    Address, Background, End, Heap, Life, Links, Node, NodeId, Range, Shape, SymbolId, Transfer, Value,
};
use std::collections::{BTreeMap, BTreeSet};

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
        if matching.chains.get(&b).is_some_and(|chain| chain.row[..] == [a]) {
            continue;
        }
        if !single(strong, a) || !single(weak, b) || matching.is_used(a) || matching.chains.contains_key(&b) {
            return false;
        }
        matching.chains.insert(b, Chain { row: vec![a], ..Chain::default() });
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

/// Nodes of the stronger heap that a node of the weaker one describes.
#[derive(Clone, Default, Debug)]
struct Chain {
    /// Those in a row; of a tree, its root.
    row: Vec<NodeId>,
    /// The link of the last one that leads out of a segment.
    onward: Option<u64>,
    /// Those below.
    below: Vec<NodeId>,
}

impl Chain {
    fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.row.iter().chain(&self.below).copied()
    }

    fn last(&self) -> NodeId {
        *self.row.last().expect("a chain should have a node")
    }
}

#[derive(Clone, Default)]
struct Matching {
    chains: BTreeMap<NodeId, Chain>,
    /// What each symbol of the weaker heap is in the stronger one.
    symbols: BTreeMap<SymbolId, Value>,
}

impl Matching {
    fn is_used(&self, a: NodeId) -> bool {
        self.chains.values().any(|chain| chain.nodes().any(|node| node == a))
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
        let (mine, theirs) = (strong.cutpoints.as_deref(), weak.cutpoints.as_deref());
        if mine.map(<[_]>::len) != theirs.map(<[_]>::len) {
            return None;
        }
        let known = mine.into_iter().flatten().zip(theirs.into_iter().flatten());
        goals.extend(known.map(|(a, b)| Goal { strong: *a, weak: *b, of_segment: false }));
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
            None => self.nothing_is_lost(&matching) && self.facts_hold(&matching),
        }
    }

    /// Where leaks matter, every heap object has to be described.
    fn nothing_is_lost(&self, matching: &Matching) -> bool {
        let mut objects = self.strong.nodes.iter().filter(|(_, node)| node.life == Life::Heap);
        !self.transfer.property.is_about_leaks() || objects.all(|(id, _)| matching.is_used(*id))
    }

    /// What the weaker heap says of two numbers is so in the stronger one.
    fn facts_hold(&self, matching: &Matching) -> bool {
        self.weak.facts.iter().all(|fact| {
            let known = |symbol| matching.symbols.get(symbol).copied();
            let (Some(left), Some(right)) = (known(&fact.left), known(&fact.right)) else { return false };
            self.strong.implies(*fact, left, right, self.weak.symbols[&fact.left].width)
        })
    }

    /// Tries chains for a node of the weaker heap, from one end on.
    fn try_chains(&self, matching: &Matching, goals: &[Goal], node: NodeId, start: NodeId, end: End) -> bool {
        let mut rows = vec![vec![start]];
        while let Some(row) = rows.pop() {
            let is_free = |a: &NodeId| !matching.is_used(*a);
            if !row.iter().all(is_free) || row.len() > MAX_CHAIN {
                continue;
            }
            for chain in self.chains(node, &row) {
                let Some(more) = self.contents(node, &chain) else { continue };
                if !chain.below.iter().all(is_free) {
                    continue;
                }
                let mut matching = matching.clone();
                matching.chains.insert(node, chain);
                if self.solve(matching, goals.iter().copied().chain(more).collect()) {
                    return true;
                }
            }
            let next = match end {
                End::First => self.next_of(node, &row),
                End::Last => self.previous_of(node, &row).into_iter().collect(),
            };
            for next in next.into_iter().filter(|next| !row.contains(next)) {
                let mut longer = row.clone();
                longer.insert(if end == End::First { row.len() } else { 0 }, next);
                rows.push(longer);
            }
        }
        false
    }

    /// The nodes to which the last one of a row is linked.
    fn next_of(&self, node: NodeId, row: &[NodeId]) -> Vec<NodeId> {
        let (Shape::Segment { next, .. }, Some(last)) = (self.weak.node(node).shape, row.last()) else {
            return Vec::new();
        };
        let links = self.links_of(*last, next);
        links.filter_map(|at| self.start_at(*last, at)).collect()
    }

    /// The node at whose start a link leads.
    fn start_at(&self, from: NodeId, at: u64) -> Option<NodeId> {
        match self.link(from, at)? {
            Value::Address(to) if to == Address::start(to.node) => Some(to.node),
            _ => None,
        }
    }

    fn link(&self, from: NodeId, at: u64) -> Option<Value> {
        let bytes = self.transfer.program.data_model.pointer().bytes();
        self.transfer.known(self.strong, from, at, bytes)
    }

    /// Where a node leads onward: one object by any of its links, a segment from its last one.
    fn links_of(&self, a: NodeId, links: Links) -> impl Iterator<Item = u64> {
        let is_single = self.strong.node(a).shape == Shape::Single;
        links.iter().filter(move |at| is_single || *at == links.first())
    }

    /// The node to which the first one of a row is linked back.
    fn previous_of(&self, node: NodeId, row: &[NodeId]) -> Option<NodeId> {
        let Shape::Segment { previous, .. } = self.weak.node(node).shape else { return None };
        match self.link(*row.first()?, previous?)? {
            Value::Address(to) if to == self.last(to.node) => Some(to.node),
            _ => None,
        }
    }

    /// The chains of a node whose row is this one.
    fn chains(&self, node: NodeId, row: &[NodeId]) -> Vec<Chain> {
        let shape = self.weak.node(node).shape;
        let is_alike = |a: &NodeId| is_linked_alike(self.strong.node(*a), shape);
        let ([first, ..], [.., last]) = (row, row) else { return Vec::new() };
        match shape {
            Shape::Single if row.len() == 1 => vec![Chain { row: row.to_vec(), ..Chain::default() }],
            Shape::Single => Vec::new(),
            Shape::Tree { links, parent } => {
                let mut below = Vec::new();
                let is_whole = row.len() == 1 && self.descend(*first, links, parent, &mut below);
                let chain = Chain { row: row.to_vec(), onward: None, below };
                is_whole.then_some(chain).into_iter().collect()
            }
            Shape::Segment { next, previous } => {
                let Some(below) = row.iter().all(is_alike).then(|| self.beside(row, next, previous)) else {
                    return Vec::new();
                };
                let Some(below) = below else { return Vec::new() };
                let ends = self.links_of(*last, next).filter_map(|onward| {
                    let mut below = below.clone();
                    self.passes(*last, onward, next, previous, &mut below).then_some(())?;
                    Some(Chain { row: row.to_vec(), onward: Some(onward), below })
                });
                ends.collect()
            }
        }
    }

    /// What is beside the way from the first node of a row to its last one; `None` if they are not linked.
    fn beside(&self, row: &[NodeId], next: Links, previous: Option<u64>) -> Option<Vec<NodeId>> {
        let mut below = Vec::new();
        for pair in row.windows(2) {
            let at = self.links_of(pair[0], next).find(|at| self.start_at(pair[0], *at) == Some(pair[1]))?;
            let is_linked = self.leads_back(pair[1], pair[0], previous)
                && self.passes(pair[0], at, next, previous, &mut below);
            is_linked.then_some(())?;
        }
        Some(below)
    }

    /// Adds all that is below the links of a node except for one; `false` if there is anything else than trees.
    fn passes(
        &self,
        a: NodeId,
        onward: u64,
        links: Links,
        back: Option<u64>,
        below: &mut Vec<NodeId>,
    ) -> bool {
        self.links_of(a, links)
            .filter(|at| *at != onward)
            .all(|at| self.descend_link(a, at, links, back, below))
    }

    /// Adds all that is below a node; `false` if that is no tree.
    fn descend(&self, a: NodeId, links: Links, back: Option<u64>, below: &mut Vec<NodeId>) -> bool {
        let shape = self.strong.node(a).shape;
        if !is_linked_alike(self.strong.node(a), Shape::Tree { links, parent: back })
            && shape != (Shape::Segment { next: links, previous: back })
        {
            return false;
        }
        matches!(shape, Shape::Tree { .. })
            || self.links_of(a, links).all(|at| self.descend_link(a, at, links, back, below))
    }

    fn descend_link(
        &self,
        a: NodeId,
        at: u64,
        links: Links,
        back: Option<u64>,
        below: &mut Vec<NodeId>,
    ) -> bool {
        if self.link(a, at) == Some(Value::Number(0)) {
            return true;
        }
        let Some(child) = self.start_at(a, at).filter(|child| *child != a && !below.contains(child)) else {
            return false;
        };
        below.push(child);
        self.leads_back(child, a, back) && self.descend(child, links, back, below)
    }

    /// Returns true if a node has the address of the last object of another one, where that is to be.
    fn leads_back(&self, from: NodeId, to: NodeId, back: Option<u64>) -> bool {
        back.is_none_or(|at| self.link(from, at) == Some(Value::Address(self.last(to))))
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
            // What was never set is another value each time it is read, and where that matters no value at all.
            let once = self.weak.values().filter(|value| *value == Value::Symbol(symbol)).count() == 1;
            return anything && once && !self.transfer.program.strict_decisions;
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
            End::First => Address::start(chain.row[0]),
            End::Last => self.last(chain.last()),
        };
        if (end.node, end.end) == (a.node, a.end) { Met::Yes } else { Met::No }
    }

    /// Goals for the contents of a node, described by those of a chain; `None` if that cannot be.
    fn contents(&self, b: NodeId, chain: &Chain) -> Option<Vec<Goal>> {
        let weak = self.weak.node(b);
        let alike = |a: NodeId| {
            let node = self.strong.node(a);
            node.life == weak.life && node.size >= weak.size && self.covers(a, weak)
        };
        // A way whose end is known is a tree.
        let is_tree = matches!(weak.shape, Shape::Tree { .. });
        let is_row = is_tree || chain.row.iter().all(|a| is_linked_alike(self.strong.node(*a), weak.shape));
        let nodes: BTreeSet<NodeId> = chain.nodes().collect();
        if !is_row || !chain.nodes().all(alike) || nodes.len() != chain.nodes().count() {
            return None;
        }
        let (links, back) = weak.shape.links().unzip();
        let mut goals = Vec::new();
        for (at, cell) in &weak.cells {
            let read = |a: NodeId, at: u64| self.transfer.known(self.strong, a, at, cell.len);
            let goal = |strong, of_segment| Goal { strong, weak: cell.value, of_segment };
            if links.is_some_and(|links: Links| links.contains(*at)) {
                let onward = chain.onward.filter(|_| links.map(Links::first) == Some(*at));
                goals.extend(onward.map(|at| goal(read(chain.last(), at), false)));
            } else if back.flatten() == Some(*at) {
                goals.push(goal(read(chain.row[0], *at), false));
            } else {
                goals.extend(chain.nodes().map(|a| goal(read(a, *at), weak.shape != Shape::Single)));
            }
        }
        Some(goals)
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

/// Returns true if a node is one object, or several with the same links.
fn is_linked_alike(strong: &Node, shape: Shape) -> bool {
    strong.shape == Shape::Single || strong.shape == shape
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
