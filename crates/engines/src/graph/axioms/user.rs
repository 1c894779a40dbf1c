//! A user's model: what was read from a file in herd's language, evaluated value by value.
//!
//! A part of an execution can be given up only for an axiom that stays violated when it goes on ([`program::cat::analysis`]). So as long as some read has no write, and always if an axiom of the model
//! can hold again, differences from what may gain pairs count as empty. Where reads can be promised values, no value comes out of thin air: that is an axiom more, which is said.

use super::Axioms;
use crate::graph::execution::Kind;
use crate::graph::relation::{Relation, Set, any};
use program::Order;
use program::cat::{Model, Node, NodeId, RELATIONS, SETS, Test, Type, UserModel};
use program::memory_model::{Barrier, MachineFence};

/// Returns true if an execution may be part of one that the model allows.
pub fn can_be_allowed(user: &UserModel, x: &Axioms<'_>) -> bool {
    let reads = x.execution.select(|event| event.kind == Kind::Read);
    let mut reads_from = x.execution.reads_from.iter().enumerate();
    let open = reads_from.any(|(n, from)| reads >> n & 1 == 1 && from.is_none());
    let facts = &user.model.facts;
    let lasting = open || facts.not_monotone.is_some();
    (!facts.load_buffering || comes_from_somewhere(x)) && Values::of(&user.model, x, lasting).pass()
}

/// Returns true if the model allows an execution.
pub fn is_allowed(user: &UserModel, x: &Axioms<'_>) -> bool {
    Values::of(&user.model, x, false).pass()
}

/// No value comes out of thin air: nothing depends on itself.
fn comes_from_somewhere(x: &Axioms<'_>) -> bool {
    let rel = &x.rel;
    any(&[&rel.addr, &rel.data, &rel.ctrl.to(rel.w), &rel.rf]).is_acyclic()
}

#[derive(Clone, PartialEq)]
enum Value {
    Events(Set),
    Pairs(Relation),
}

struct Values<'v, 'x> {
    model: &'v Model,
    x: &'v Axioms<'x>,
    /// Only what lasts counts.
    lasting: bool,
    found: Vec<Option<Value>>,
}

impl<'v, 'x> Values<'v, 'x> {
    fn of(model: &'v Model, x: &'v Axioms<'x>, lasting: bool) -> Self {
        Self { model, x, lasting, found: vec![None; model.nodes.len()] }
    }

    /// Returns true if no axiom is violated.
    fn pass(mut self) -> bool {
        let model = self.model;
        model.axioms.iter().all(|axiom| {
            if self.lasting && axiom.negated {
                return true;
            }
            let relation = self.pairs(axiom.of);
            let holds = match axiom.test {
                Test::Acyclic => relation.is_acyclic(),
                Test::Irreflexive => relation.is_irreflexive(),
                Test::Empty => relation.is_empty(),
            };
            holds != axiom.negated
        })
    }

    fn pairs(&mut self, n: NodeId) -> Relation {
        match self.value(n) {
            Value::Pairs(relation) => relation,
            Value::Events(_) => unreachable!("types should have been checked"),
        }
    }

    fn events(&mut self, n: NodeId) -> Set {
        match self.value(n) {
            Value::Events(set) => set,
            Value::Pairs(_) => unreachable!("types should have been checked"),
        }
    }

    fn value(&mut self, n: NodeId) -> Value {
        if let Some(known) = &self.found[n] {
            return known.clone();
        }
        if let Node::Fixed(group, _) = self.model.nodes[n] {
            self.fix(group);
        } else {
            let value = self.compute(n);
            self.found[n] = Some(value);
        }
        self.found[n].clone().expect("a value should have been found")
    }

    /// The least fixed point of a recursive definition.
    fn fix(&mut self, group: usize) {
        let model = self.model;
        let bodies = &model.groups[group];
        let nodes = || model.nodes.iter().enumerate();
        let mut now = vec![Relation::empty(self.x.rel.n); bodies.len()];
        loop {
            for (n, node) in nodes().filter(|(n, _)| model.in_group[*n] == Some(group)) {
                self.found[n] = match node {
                    Node::Fixed(_, position) => Some(Value::Pairs(now[*position].clone())),
                    _ => None,
                };
            }
            let next: Vec<Relation> = bodies.iter().map(|body| self.pairs(*body)).collect();
            if next == now {
                return;
            }
            now = next;
        }
    }

    fn compute(&mut self, n: NodeId) -> Value {
        let rel = &self.x.rel;
        match &self.model.nodes[n] {
            Node::All => Value::Events(all(rel.n)),
            Node::Set(set) => Value::Events(self.given_set(SETS[*set])),
            Node::Relation(relation) => Value::Pairs(self.given_relation(RELATIONS[*relation])),
            Node::NoEvent => Value::Events(0),
            Node::NoPair => Value::Pairs(Relation::empty(rel.n)),
            Node::Or(left, right) => self.both(*left, *right, |a, b| a | b, Relation::or),
            Node::And(left, right) => self.both(*left, *right, |a, b| a & b, Relation::and),
            Node::Minus(_, right) if self.lasting && self.model.facts.may_gain[*right] => {
                match self.model.types[n] {
                    Type::Set => Value::Events(0),
                    Type::Relation => Value::Pairs(Relation::empty(rel.n)),
                }
            }
            Node::Minus(left, right) => self.both(*left, *right, |a, b| a & !b, Relation::minus),
            Node::Then(left, right) => Value::Pairs(self.pairs(*left).then(&self.pairs(*right))),
            Node::Product(left, right) => {
                Value::Pairs(Relation::product(self.x.rel.n, self.events(*left), self.events(*right)))
            }
            Node::Inverse(of) => Value::Pairs(self.pairs(*of).inverse()),
            Node::Plus(of) => Value::Pairs(self.pairs(*of).plus()),
            Node::Optional(of) => Value::Pairs(self.pairs(*of).optional()),
            Node::Identity(of) => Value::Pairs(Relation::identity(self.x.rel.n, self.events(*of))),
            Node::Domain(of) => Value::Events(self.pairs(*of).domain()),
            Node::Range(of) => Value::Events(self.pairs(*of).inverse().domain()),
            Node::Fixed(..) => unreachable!("a recursive definition should be computed as a whole"),
        }
    }

    fn both(
        &mut self,
        left: NodeId,
        right: NodeId,
        of_sets: impl Fn(Set, Set) -> Set,
        of_relations: impl Fn(&Relation, &Relation) -> Relation,
    ) -> Value {
        match (self.value(left), self.value(right)) {
            (Value::Events(left), Value::Events(right)) => Value::Events(of_sets(left, right)),
            (Value::Pairs(left), Value::Pairs(right)) => Value::Pairs(of_relations(&left, &right)),
            _ => unreachable!("types should have been checked"),
        }
    }

    fn given_set(&self, name: &str) -> Set {
        use Barrier::{AcqRel, Acquire, Full, Release, Store};
        let (x, rel) = (self.x, &self.x.rel);
        let accesses = |orders: &[Order]| x.ordered(orders) & rel.m;
        let barriers = |wanted: &[Barrier]| {
            x.execution.select(|event| matches!(event.kind, Kind::Barrier(b) if wanted.contains(&b)))
        };
        match name {
            "R" => rel.r,
            "W" => rel.w,
            "M" => rel.m,
            "IW" => rel.iw,
            "F" => rel.f,
            "$ATOMIC" => rel.m & !x.ordered(&[Order::Plain]),
            "X" => x.all_rmws(),
            "$ACQ" => {
                accesses(&[Order::Acquire, Order::AcqRel, Order::SeqCst]) | barriers(&[Acquire, AcqRel, Full])
            }
            "$REL" => {
                accesses(&[Order::Release, Order::AcqRel, Order::SeqCst])
                    | barriers(&[Release, Store, AcqRel, Full])
            }
            "$SC" => accesses(&[Order::SeqCst]) | barriers(&[Full]),
            "$FULL" => x.fences(&[MachineFence::Full]),
            "$LIGHT" => x.fences(&[MachineFence::Light]),
            "$READ-ANY" => x.fences(&[MachineFence::ReadAny]),
            "$ANY-WRITE" => x.fences(&[MachineFence::AnyWrite]),
            "$WRITE-WRITE" => x.fences(&[MachineFence::WriteWrite]),
            "$CONTROL" => x.fences(&[MachineFence::Control]),
            other => unreachable!("{other} should be a given set"),
        }
    }

    fn given_relation(&self, name: &str) -> Relation {
        let rel = &self.x.rel;
        match name {
            "po" => rel.po.clone(),
            "addr" => rel.addr.clone(),
            "data" => rel.data.clone(),
            "ctrl" => rel.ctrl.clone(),
            "rmw" => rel.rmw.clone(),
            "rf" => rel.rf.clone(),
            "loc" => rel.loc.clone(),
            "ext" => rel.ext.clone(),
            "id" => Relation::identity(rel.n, all(rel.n)),
            "co" => rel.co.clone(),
            other => unreachable!("{other} should be a given relation"),
        }
    }
}

fn all(n: usize) -> Set {
    if n == 128 { Set::MAX } else { (1 << n) - 1 }
}

#[cfg(test)]
mod tests;
