//! What can be known about a model without an execution: which axioms stay violated when an execution goes on, and what a search may leave out.
//!
//! An execution *goes on* by events that are added at the end of threads; writes get any place in the coherence order of their cell. What is between two *old* events in `po`,
//! `loc`, `ext`, `co`, in the dependencies and in `rf` does not change by that; compositions can get new pairs of old events, if there is a new event between the two. So a difference
//! `a \ b` can lose a pair of old events. The properties below follow that through the operators. Each is a lower bound: `false` says that nothing is known.
//!
//! | property of a relation | says of a pair (a, b) of events, when an execution goes on |
//! |---|---|
//! | `back` | if b is old, so is a |
//! | `forth` | if a is old, so is b |
//! | `stays` | an old pair that is in it stays in it |
//! | `gains_none` | an old pair that is not in it never gets into it |
//!
//! They are needed for executions in which every read has its write, for those in which some are promised a value and `rf` gets pairs of old events (*open*), and
//! for executions that get reads and fences in the middle of a thread, because an iteration of a loop was left out (*inner*).

use super::resolve::operands;
use super::{Axiom, Node, NodeId, RELATIONS, SETS, Test};

/// What is known about a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The first axiom that can hold again after it was violated.
    pub not_monotone: Option<usize>,
    /// By value: whether, while the write of some read is not there yet, a difference from it says nothing that lasts.
    pub may_gain: Vec<bool>,
    /// Whether an execution that is allowed is so without an iteration of a loop that only reads.
    pub forgets_reads: bool,
    /// Whether program order and reading may be circular: a read can return what it causes.
    pub load_buffering: bool,
    /// Whether dependencies matter.
    pub dependencies: bool,
    /// Whether it is known that every sequentially consistent execution is allowed.
    pub allows_sequential: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Change {
    /// All reads have their writes; events come at the end.
    Settled,
    /// Some reads get their writes later.
    Open,
    /// Reads and fences come in between.
    Inner,
}

#[derive(Clone, Copy, PartialEq)]
struct Lasting {
    back: bool,
    forth: bool,
    stays: bool,
    gains_none: bool,
}

/// Kinds of events, as bits: reads, writes, fences.
const READ: u8 = 1;
const WRITE: u8 = 2;
const FENCE: u8 = 4;

/// Which kinds of events a value has: on both sides.
type Kinds = (u8, u8);

impl Facts {
    /// The facts about these values and axioms.
    pub(super) fn of(nodes: &[Node], groups: &[Vec<NodeId>], axioms: &[Axiom]) -> Self {
        let text = Text { nodes, groups };
        let kinds = text.kinds();
        let settled = text.lasting(Change::Settled, &kinds);
        let open = text.lasting(Change::Open, &kinds);
        let inner = text.lasting(Change::Inner, &kinds);
        let lasts = |axiom: &Axiom, of: &[Lasting]| !axiom.negated && of[axiom.of].stays;
        let used = text.used(axioms);
        let mentions = |name: &str| used.iter().any(|n| text.nodes[*n] == Node::Relation(relation(name)));
        let positive = |test: Test, of: NodeId, pairs: &[Pairs]| {
            test == Test::Acyclic && pairs.iter().all(|pairs| text.contains(of, *pairs, &kinds))
        };
        let one = |pairs: &[Pairs]| axioms.iter().any(|a| !a.negated && positive(a.test, a.of, pairs));
        let circular = !one(&[Pairs::Write, Pairs::Elsewhere]) || !one(&[Pairs::WriteOfCell, Pairs::Inside]);
        Self {
            not_monotone: axioms.iter().position(|axiom| !lasts(axiom, &settled)),
            may_gain: open.iter().map(|of| !of.gains_none).collect(),
            forgets_reads: axioms.iter().all(|axiom| lasts(axiom, &inner)),
            load_buffering: circular,
            dependencies: ["addr", "data", "ctrl"].into_iter().any(mentions),
            allows_sequential: axioms.iter().all(|axiom| text.holds_sequentially(axiom)),
        }
    }
}

fn relation(name: &str) -> usize {
    RELATIONS.iter().position(|known| *known == name).expect("a given relation should have a position")
}

/// Pairs of events that an axiom has to speak about, if it forbids that program order and reading are circular. No initial write is among them.
#[derive(Clone, Copy, PartialEq)]
enum Pairs {
    /// A read, and a write after it in program order,
    Write,
    /// of the same cell.
    WriteOfCell,
    /// A write, and a read from it in another thread,
    Elsewhere,
    /// or in the same.
    Inside,
}

impl Pairs {
    fn kinds(self) -> Kinds {
        match self {
            Pairs::Write | Pairs::WriteOfCell => (READ, WRITE),
            Pairs::Elsewhere | Pairs::Inside => (WRITE, READ),
        }
    }
}

/// How a relation lies in the order of a sequentially consistent execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sequential {
    /// Not known.
    Unknown,
    /// Its pairs are in order, or equal.
    InOrderOrEqual,
    /// Its pairs are in order.
    InOrder,
}

fn given(back: bool, forth: bool, gains_none: bool) -> Lasting {
    Lasting { back, forth, stays: true, gains_none }
}

/// One side of a relation, whose other side is old if this one is.
fn one_side(of: Lasting, other_is_old: bool) -> Lasting {
    Lasting { gains_none: of.gains_none && other_is_old, ..of }
}

/// What is between two events in a relation that the execution gives stays so.
fn given_relation(name: &str, change: Change) -> Lasting {
    let inner = change == Change::Inner;
    match name {
        "po" => given(!inner, false, true),
        "addr" | "data" | "ctrl" => given(!inner, false, !inner),
        "rmw" => given(true, !inner, true),
        "rf" => given(change != Change::Open, false, change != Change::Open),
        "id" => given(true, true, true),
        _ => given(false, false, true),
    }
}

struct Text<'t> {
    nodes: &'t [Node],
    groups: &'t [Vec<NodeId>],
}

impl Text<'_> {
    /// A property of every value, from those of its operands; `Fixed` relations have that of what they become. Begins with `first` and goes on until nothing changes.
    fn follow<P: Copy + PartialEq>(&self, first: P, of: impl Fn(NodeId, &[P]) -> P) -> Vec<P> {
        let mut found = vec![first; self.nodes.len()];
        loop {
            let before = found.clone();
            for (n, node) in self.nodes.iter().enumerate() {
                found[n] = match node {
                    Node::Fixed(group, position) => found[self.groups[*group][*position]],
                    _ => of(n, &found),
                };
            }
            if before == found {
                return found;
            }
        }
    }

    /// The values that axioms are about.
    fn used(&self, axioms: &[Axiom]) -> Vec<NodeId> {
        let mut open: Vec<NodeId> = axioms.iter().map(|axiom| axiom.of).collect();
        let mut used: Vec<NodeId> = Vec::new();
        while let Some(n) = open.pop() {
            if used.contains(&n) {
                continue;
            }
            used.push(n);
            open.extend(operands(&self.nodes[n]).into_iter().flatten());
            if let Node::Fixed(group, _) = self.nodes[n] {
                open.extend(&self.groups[group]);
            }
        }
        used
    }

    /// No value has more kinds of events than these.
    fn kinds(&self) -> Vec<Kinds> {
        self.follow((0, 0), |n, found| match &self.nodes[n] {
            Node::All => (7, 7),
            Node::Set(set) => {
                let kinds = match SETS[*set] {
                    "R" => READ,
                    "W" | "IW" => WRITE,
                    "M" | "$ATOMIC" | "X" => READ | WRITE,
                    "$ACQ" | "$REL" | "$SC" => READ | WRITE | FENCE,
                    _ => FENCE,
                };
                (kinds, kinds)
            }
            Node::Relation(relation) => match RELATIONS[*relation] {
                "addr" | "data" => (READ, READ | WRITE),
                "ctrl" => (READ, 7),
                "rmw" => (READ, WRITE),
                "rf" => (WRITE, READ),
                "co" => (WRITE, WRITE),
                "loc" => (READ | WRITE, READ | WRITE),
                _ => (7, 7),
            },
            Node::NoEvent | Node::NoPair => (0, 0),
            Node::Or(left, right) => (found[*left].0 | found[*right].0, found[*left].1 | found[*right].1),
            Node::And(left, right) => (found[*left].0 & found[*right].0, found[*left].1 & found[*right].1),
            Node::Minus(left, _) => found[*left],
            Node::Then(left, right) | Node::Product(left, right) => (found[*left].0, found[*right].1),
            Node::Inverse(of) => (found[*of].1, found[*of].0),
            Node::Plus(of) | Node::Identity(of) | Node::Fixed(_, of) => found[*of],
            Node::Optional(_) => (7, 7),
            Node::Domain(of) => (found[*of].0, found[*of].0),
            Node::Range(of) => (found[*of].1, found[*of].1),
        })
    }

    fn lasting(&self, change: Change, kinds: &[Kinds]) -> Vec<Lasting> {
        let all = Lasting { back: true, forth: true, stays: true, gains_none: true };
        self.follow(all, |n, found| self.lasting_of(n, change, found, kinds))
    }

    /// Where something can come in between two old events, only writes never do if what is added are reads and fences.
    fn lasting_of(&self, n: NodeId, change: Change, found: &[Lasting], kinds: &[Kinds]) -> Lasting {
        let inner = change == Change::Inner;
        match &self.nodes[n] {
            Node::All | Node::Set(_) | Node::NoEvent => given(false, false, true),
            Node::NoPair => given(true, true, true),
            Node::Relation(relation) => given_relation(RELATIONS[*relation], change),
            Node::Or(left, right) => {
                let (l, r) = (found[*left], found[*right]);
                Lasting {
                    back: l.back && r.back,
                    forth: l.forth && r.forth,
                    stays: l.stays && r.stays,
                    gains_none: l.gains_none && r.gains_none,
                }
            }
            Node::And(left, right) => {
                let (l, r) = (found[*left], found[*right]);
                Lasting {
                    back: l.back || r.back,
                    forth: l.forth || r.forth,
                    stays: l.stays && r.stays,
                    gains_none: l.gains_none && r.gains_none,
                }
            }
            Node::Minus(left, right) => {
                let (l, r) = (found[*left], found[*right]);
                // The second operand may itself be evaluated as a lower bound only, if it subtracts what may gain.
                let gains_none = l.gains_none && r.stays && r.gains_none;
                Lasting { stays: l.stays && r.gains_none, gains_none, ..l }
            }
            Node::Then(left, right) => {
                let (l, r) = (found[*left], found[*right]);
                let only_writes = kinds[*left].1 & kinds[*right].0 & !WRITE == 0;
                let between_is_old = r.back || l.forth || inner && only_writes;
                Lasting {
                    back: l.back && r.back,
                    forth: l.forth && r.forth,
                    stays: l.stays && r.stays,
                    gains_none: l.gains_none && r.gains_none && between_is_old,
                }
            }
            Node::Plus(of) => {
                let only_writes = kinds[*of].0 & kinds[*of].1 & !WRITE == 0;
                let between_is_old = found[*of].back || found[*of].forth || inner && only_writes;
                Lasting { gains_none: found[*of].gains_none && between_is_old, ..found[*of] }
            }
            Node::Product(left, right) => {
                let (l, r) = (found[*left], found[*right]);
                Lasting { stays: l.stays && r.stays, ..given(false, false, l.gains_none && r.gains_none) }
            }
            Node::Inverse(of) => Lasting { back: found[*of].forth, forth: found[*of].back, ..found[*of] },
            Node::Optional(of) | Node::Fixed(_, of) => found[*of],
            Node::Identity(of) => Lasting { back: true, forth: true, ..found[*of] },
            Node::Domain(of) => one_side(found[*of], found[*of].forth || inner && kinds[*of].1 & !WRITE == 0),
            Node::Range(of) => one_side(found[*of], found[*of].back || inner && kinds[*of].0 & !WRITE == 0),
        }
    }

    /// Returns true if a relation has all these pairs.
    fn contains(&self, n: NodeId, pairs: Pairs, kinds: &[Kinds]) -> bool {
        let (from, to) = pairs.kinds();
        match &self.nodes[n] {
            Node::Relation(relation) => match RELATIONS[*relation] {
                "po" => matches!(pairs, Pairs::Write | Pairs::WriteOfCell),
                "loc" => pairs != Pairs::Write,
                "rf" => matches!(pairs, Pairs::Elsewhere | Pairs::Inside),
                "ext" => pairs == Pairs::Elsewhere,
                _ => false,
            },
            Node::Or(left, right) => {
                self.contains(*left, pairs, kinds) || self.contains(*right, pairs, kinds)
            }
            Node::And(left, right) => {
                self.contains(*left, pairs, kinds) && self.contains(*right, pairs, kinds)
            }
            Node::Minus(left, right) => {
                self.contains(*left, pairs, kinds) && self.misses(*right, pairs, kinds)
            }
            Node::Product(left, right) => self.has_kind(*left, from) && self.has_kind(*right, to),
            Node::Then(left, right) => match (&self.nodes[*left], &self.nodes[*right]) {
                (Node::Identity(set), _) if self.has_kind(*set, from) => self.contains(*right, pairs, kinds),
                (_, Node::Identity(set)) if self.has_kind(*set, to) => self.contains(*left, pairs, kinds),
                _ => false,
            },
            Node::Plus(of) | Node::Optional(of) => self.contains(*of, pairs, kinds),
            _ => false,
        }
    }

    /// Returns true if a relation has none of these pairs.
    fn misses(&self, n: NodeId, pairs: Pairs, kinds: &[Kinds]) -> bool {
        let (from, to) = pairs.kinds();
        if kinds[n].0 & from == 0 || kinds[n].1 & to == 0 {
            return true;
        }
        match &self.nodes[n] {
            Node::Relation(relation) => match RELATIONS[*relation] {
                "ext" => pairs == Pairs::Inside,
                "id" => true,
                _ => false,
            },
            Node::Identity(_) | Node::NoPair => true,
            Node::Or(left, right) => self.misses(*left, pairs, kinds) && self.misses(*right, pairs, kinds),
            Node::And(left, right) => self.misses(*left, pairs, kinds) || self.misses(*right, pairs, kinds),
            Node::Minus(left, _) => self.misses(*left, pairs, kinds),
            _ => false,
        }
    }

    /// Returns true if a set has all events of a kind, initial writes aside.
    fn has_kind(&self, n: NodeId, kind: u8) -> bool {
        match &self.nodes[n] {
            Node::All => true,
            Node::Set(set) => match SETS[*set] {
                "R" => kind == READ,
                "W" => kind == WRITE,
                "M" => true,
                _ => false,
            },
            Node::Or(left, right) => self.has_kind(*left, kind) || self.has_kind(*right, kind),
            Node::And(left, right) => self.has_kind(*left, kind) && self.has_kind(*right, kind),
            Node::Minus(left, right) => {
                let initial =
                    self.nodes[*right] == Node::Set(3) || matches!(self.nodes[*right], Node::NoEvent);
                let other = match &self.nodes[*right] {
                    Node::Set(set) => match SETS[*set] {
                        "R" => kind == WRITE,
                        "W" => kind == READ,
                        "F" => true,
                        _ => false,
                    },
                    _ => false,
                };
                self.has_kind(*left, kind) && (initial || other)
            }
            _ => false,
        }
    }

    /// Returns true if every sequentially consistent execution passes an axiom: program order, reading, coherence and reading before a later write have a common order there, and
    /// nothing comes between the parts of a read-modify-write.
    fn holds_sequentially(&self, axiom: &Axiom) -> bool {
        if axiom.negated {
            return false;
        }
        match axiom.test {
            Test::Acyclic | Test::Irreflexive => self.sequential()[axiom.of] == Sequential::InOrder,
            Test::Empty => match &self.nodes[axiom.of] {
                Node::NoPair => true,
                Node::And(left, right) => {
                    self.is_interrupted(*left, *right) || self.is_interrupted(*right, *left)
                }
                _ => false,
            },
        }
    }

    fn sequential(&self) -> Vec<Sequential> {
        use Sequential::{InOrder, InOrderOrEqual, Unknown};
        self.follow(InOrder, |n, found| match &self.nodes[n] {
            Node::Relation(relation) => match RELATIONS[*relation] {
                "loc" | "ext" => Unknown,
                "id" => InOrderOrEqual,
                _ => InOrder,
            },
            Node::NoPair => InOrder,
            Node::Identity(_) => InOrderOrEqual,
            Node::Or(left, right) => found[*left].min(found[*right]),
            Node::And(left, right) => found[*left].max(found[*right]),
            Node::Minus(left, _) => found[*left],
            Node::Then(left, right) => {
                if self.is_from_read(n) {
                    return InOrder;
                }
                let (left, right) = (found[*left], found[*right]);
                if left.min(right) == Unknown { Unknown } else { left.max(right) }
            }
            Node::Plus(of) | Node::Fixed(_, of) => found[*of],
            Node::Optional(of) => found[*of].min(InOrderOrEqual),
            Node::All
            | Node::Set(_)
            | Node::NoEvent
            | Node::Product(..)
            | Node::Inverse(_)
            | Node::Domain(_)
            | Node::Range(_) => Unknown,
        })
    }

    /// Returns true for `rf^-1 ; co`.
    fn is_from_read(&self, n: NodeId) -> bool {
        let Node::Then(left, right) = self.nodes[n] else { return false };
        let Node::Inverse(rf) = self.nodes[left] else { return false };
        self.is_part_of(rf, "rf") && self.is_part_of(right, "co")
    }

    fn is_part_of(&self, n: NodeId, name: &str) -> bool {
        match &self.nodes[n] {
            Node::Relation(of) => *of == relation(name),
            Node::And(left, right) => self.is_part_of(*left, name) || self.is_part_of(*right, name),
            Node::Minus(left, _) => self.is_part_of(*left, name),
            _ => false,
        }
    }

    fn is_part_of_fr(&self, n: NodeId) -> bool {
        match &self.nodes[n] {
            Node::And(left, right) => self.is_part_of_fr(*left) || self.is_part_of_fr(*right),
            Node::Minus(left, _) => self.is_part_of_fr(*left),
            _ => self.is_from_read(n),
        }
    }

    /// Returns true for the parts of a read-modify-write, and reading before a write that comes before another.
    fn is_interrupted(&self, parts: NodeId, between: NodeId) -> bool {
        let Node::Then(left, right) = self.nodes[between] else { return false };
        self.is_part_of(parts, "rmw") && self.is_part_of_fr(left) && self.is_part_of(right, "co")
    }
}
