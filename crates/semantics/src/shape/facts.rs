//! What is known of two numbers, of which nothing else may be known: the results of comparisons.
//!
//! `if (v < t->key) t = t->left;` and, later, `if (v < t->key) t->left = new;` ask the same question of the same numbers. The first answer is kept as a [`Fact`] about two symbols as long as both occur somewhere,
//! so that the second question has the same answer. There are no consequences of several facts: this is no theory of orders.
//!
//! A symbol stands for one number, so a fact stays true whatever is done afterwards. Symbols of nodes of several objects are none of these.

use super::heap::{Heap, Range, SymbolId, Value};
use program::BinOp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A comparison of two symbols that is true.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Fact {
    /// How they compare.
    pub relation: Relation,
    /// The left one; the one that is smaller, if there is a smaller one.
    pub left: SymbolId,
    /// The right one.
    pub right: SymbolId,
}

/// How two numbers compare.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Relation {
    /// Smaller, as numbers with a sign.
    SignedLess,
    /// Not greater.
    SignedLessEqual,
    /// Smaller, as numbers without a sign.
    Less,
    /// Not greater.
    LessEqual,
    /// Not equal.
    Differ,
}

impl Relation {
    fn of(op: BinOp) -> Option<Self> {
        match op {
            BinOp::SLt => Some(Relation::SignedLess),
            BinOp::SLe => Some(Relation::SignedLessEqual),
            BinOp::ULt => Some(Relation::Less),
            BinOp::ULe => Some(Relation::LessEqual),
            BinOp::Ne => Some(Relation::Differ),
            _ => None,
        }
    }

    fn op(self) -> BinOp {
        match self {
            Relation::SignedLess => BinOp::SLt,
            Relation::SignedLessEqual => BinOp::SLe,
            Relation::Less => BinOp::ULt,
            Relation::LessEqual => BinOp::ULe,
            Relation::Differ => BinOp::Ne,
        }
    }
}

impl Heap {
    /// A comparison is known to be true.
    pub(super) fn learn(&mut self, op: BinOp, left: Value, right: Value) {
        if let (Some(relation), Value::Symbol(left), Value::Symbol(right)) = (Relation::of(op), left, right)
            && left != right
        {
            self.facts.insert(Fact { relation, left, right });
        }
    }

    /// Whether facts say that a comparison of two symbols is true, or false.
    pub(super) fn tells(&self, op: BinOp, left: SymbolId, right: SymbolId) -> Option<bool> {
        use Relation::{Differ, Less, LessEqual, SignedLess, SignedLessEqual};
        let has = |relation, left, right| self.facts.contains(&Fact { relation, left, right });
        let order = |less, less_equal, is_strict: bool| {
            let is_less = has(less, left, right);
            let is_greater = has(less, right, left);
            if is_less || (!is_strict && has(less_equal, left, right)) {
                Some(true)
            } else {
                (is_greater || (is_strict && has(less_equal, right, left))).then_some(false)
            }
        };
        let differ = || {
            let either = |relation| has(relation, left, right) || has(relation, right, left);
            either(Differ) || either(Less) || either(SignedLess)
        };
        match op {
            BinOp::SLt => order(SignedLess, SignedLessEqual, true),
            BinOp::SLe => order(SignedLess, SignedLessEqual, false),
            BinOp::ULt => order(Less, LessEqual, true),
            BinOp::ULe => order(Less, LessEqual, false),
            BinOp::Eq => differ().then_some(false),
            BinOp::Ne => differ().then_some(true),
            _ => None,
        }
    }

    /// Returns true if a fact about two other values is known to hold.
    pub fn implies(&self, fact: Fact, left: Value, right: Value, width: program::Width) -> bool {
        match (left, right) {
            (Value::Symbol(l), Value::Symbol(r)) if self.tells(fact.relation.op(), l, r) == Some(true) => {
                true
            }
            (Value::Number(_) | Value::Symbol(_), Value::Number(_) | Value::Symbol(_)) => {
                let (l, r) = (self.range(left, width), self.range(right, width));
                Range::binary(fact.relation.op(), l, r).as_constant() == Some(1)
            }
            _ => false,
        }
    }

    /// Forgets facts about numbers that occur nowhere.
    pub fn forget_unused_facts(&mut self) {
        if !self.facts.is_empty() {
            let used: BTreeSet<Value> = self.values().collect();
            let is_used = |symbol| used.contains(&Value::Symbol(symbol));
            self.facts.retain(|fact| is_used(fact.left) && is_used(fact.right));
        }
    }
}
