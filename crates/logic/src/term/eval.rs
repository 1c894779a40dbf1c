//! Values, models, and the value of a term: the semantics of everything else in this crate.

use super::{Op, Sort, Symbol, Term, Terms, Width, mask, signed, signed_min};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A total map with finitely many exceptions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ArrayValue {
    /// The element everywhere else.
    pub default: u128,
    /// The elements that differ from the default.
    pub entries: BTreeMap<u128, u128>,
}

impl ArrayValue {
    /// The element at `index`.
    pub fn get(&self, index: u128) -> u128 {
        self.entries.get(&index).copied().unwrap_or(self.default)
    }

    /// Sets the element at `index`, keeping `entries` free of defaults so that equality is structural.
    pub fn set(&mut self, index: u128, value: u128) {
        if value == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, value);
        }
    }

    /// Returns true if both maps agree everywhere on indices of `width` bits.
    fn same(&self, other: &Self, width: Width) -> bool {
        let mut seen = self.entries.keys().chain(other.entries.keys());
        if seen.any(|&i| self.get(i) != other.get(i)) {
            return false;
        }
        let mut all: Vec<u128> = self.entries.keys().chain(other.entries.keys()).copied().collect();
        all.sort_unstable();
        all.dedup();
        self.default == other.default || (width < 32 && all.len() as u128 > mask(width))
    }
}

/// The value of a term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of a truth value.
    Bool(bool),
    /// Of a bit-vector; bits above its width are zero.
    Bits(u128),
    /// Of an array.
    Array(Rc<ArrayValue>),
}

impl Value {
    /// The truth value; panics on other sorts.
    pub fn truth(&self) -> bool {
        if let Value::Bool(b) = self { *b } else { panic!("{self:?} should be a truth value") }
    }
    /// The bits; panics on other sorts.
    pub fn bits(&self) -> u128 {
        if let Value::Bits(b) = self { *b } else { panic!("{self:?} should be a bit-vector") }
    }
    /// The map; panics on other sorts.
    pub fn array(&self) -> &ArrayValue {
        if let Value::Array(a) = self { a } else { panic!("{self:?} should be an array") }
    }
    /// `false`, zero, or the array of zeros.
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Bits(_) => Value::Bits(0),
            Sort::Array { .. } => Value::Array(Rc::default()),
        }
    }
}

/// Values of variables; a variable without one counts as zero.
#[derive(Clone, Debug, Default)]
pub struct Model {
    values: FxHashMap<Symbol, Value>,
}

impl Model {
    /// Sets the value of a variable.
    pub fn set(&mut self, symbol: Symbol, value: Value) {
        self.values.insert(symbol, value);
    }
    /// The value of a variable, if the model mentions it.
    pub fn get(&self, symbol: Symbol) -> Option<&Value> {
        self.values.get(&symbol)
    }
    /// All values, ordered by variable.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, &Value)> {
        let mut all: Vec<_> = self.values.iter().map(|(&s, v)| (s, v)).collect();
        all.sort_unstable_by_key(|&(s, _)| s);
        all.into_iter()
    }
}

impl Terms {
    /// The value of `term` in `model`.
    pub fn eval(&self, term: Term, model: &Model) -> Value {
        let mut known = FxHashMap::default();
        self.eval_with(term, model, &mut known)
    }

    /// The value of `term` in `model`, reusing and extending the values already `known` in this model.
    pub fn eval_with(&self, term: Term, model: &Model, known: &mut FxHashMap<Term, Value>) -> Value {
        let mut stack = vec![(term, false)];
        let mut operands = Vec::new();
        while let Some((t, ready)) = stack.pop() {
            if known.contains_key(&t) {
                continue;
            }
            if !ready {
                stack.push((t, true));
                stack.extend(self.kids(t).iter().map(|&k| (k, false)));
                continue;
            }
            operands.clear();
            operands.extend(self.kids(t).iter().map(|k| known[k].clone()));
            let value = match self.op(t) {
                Op::Var(symbol) => model.get(symbol).cloned().unwrap_or_else(|| Value::zero(self.sort(t))),
                op => self.apply(op, self.kids(t), &operands),
            };
            known.insert(t, value);
        }
        known[&term].clone()
    }

    /// The value of `op` on `operands`, which are the values of `kids`.
    pub fn apply(&self, op: Op, kids: &[Term], operands: &[Value]) -> Value {
        match op {
            Op::Bool(b) => Value::Bool(b),
            Op::Const(c) => Value::Bits(c),
            Op::Not => Value::Bool(!operands[0].truth()),
            Op::And => Value::Bool(operands.iter().all(Value::truth)),
            Op::Eq => Value::Bool(self.equal(kids[0], &operands[0], &operands[1])),
            Op::Ite => operands[if operands[0].truth() { 1 } else { 2 }].clone(),
            Op::Select => Value::Bits(operands[0].array().get(operands[1].bits())),
            Op::Store => {
                let mut array = operands[0].array().clone();
                array.set(operands[1].bits(), operands[2].bits());
                Value::Array(Rc::new(array))
            }
            Op::ConstArray(_) => {
                let default = operands[0].bits();
                Value::Array(Rc::new(ArrayValue { default, entries: BTreeMap::new() }))
            }
            Op::Ult | Op::Ule | Op::Slt | Op::Sle => {
                let (a, b) = (operands[0].bits(), operands[1].bits());
                Value::Bool(compare(op, a, b, self.width(kids[0])))
            }
            Op::Add => {
                let sum = operands.iter().fold(0u128, |sum, v| sum.wrapping_add(v.bits()));
                Value::Bits(sum & mask(self.width(kids[0])))
            }
            Op::Concat => {
                let low = self.width(kids[1]);
                Value::Bits((operands[0].bits() << low) | operands[1].bits())
            }
            Op::Extract { .. } | Op::Zext(_) | Op::Sext(_) | Op::BitNot => {
                Value::Bits(unary(op, operands[0].bits(), self.width(kids[0])))
            }
            _ => Value::Bits(binary(op, operands[0].bits(), operands[1].bits(), self.width(kids[0]))),
        }
    }

    fn equal(&self, kid: Term, a: &Value, b: &Value) -> bool {
        match (a, b, self.sort(kid)) {
            (Value::Array(a), Value::Array(b), Sort::Array { index, .. }) => a.same(b, index),
            _ => a == b,
        }
    }
}

/// A comparison of two numbers of `width` bits.
pub(super) fn compare(op: Op, a: u128, b: u128, width: Width) -> bool {
    match op {
        Op::Ult => a < b,
        Op::Ule => a <= b,
        Op::Slt => signed(a, width) < signed(b, width),
        Op::Sle => signed(a, width) <= signed(b, width),
        other => unreachable!("{other:?} should be a comparison"),
    }
}

/// An operation on one number of `width` bits.
pub(super) fn unary(op: Op, a: u128, width: Width) -> u128 {
    match op {
        Op::BitNot => !a & mask(width),
        Op::Extract { hi, lo } => (a >> lo) & mask(hi - lo + 1),
        Op::Zext(_) => a,
        Op::Sext(to) => signed(a, width).cast_unsigned() & mask(to),
        other => unreachable!("{other:?} should have one operand"),
    }
}

/// An operation on two numbers of `width` bits.
pub(super) fn binary(op: Op, a: u128, b: u128, width: Width) -> u128 {
    let shift = u32::try_from(b).unwrap_or(u32::MAX);
    let result = match op {
        Op::Mul => a.wrapping_mul(b),
        Op::Udiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::Urem => a.checked_rem(b).unwrap_or(a),
        Op::Sdiv if b == 0 => {
            if signed(a, width) < 0 {
                1
            } else {
                u128::MAX
            }
        }
        Op::Sdiv if a == signed_min(width) && b == mask(width) => a,
        Op::Sdiv => (signed(a, width) / signed(b, width)).cast_unsigned(),
        Op::Srem if b == 0 => a,
        Op::Srem if b == mask(width) => 0,
        Op::Srem => (signed(a, width) % signed(b, width)).cast_unsigned(),
        Op::BitAnd => a & b,
        Op::BitOr => a | b,
        Op::BitXor => a ^ b,
        Op::Shl if shift >= u32::from(width) => 0,
        Op::Shl => a << shift,
        Op::Lshr if shift >= u32::from(width) => 0,
        Op::Lshr => a >> shift,
        Op::Ashr => (signed(a, width) >> shift.min(127)).cast_unsigned(),
        other => unreachable!("{other:?} should have two operands"),
    };
    result & mask(width)
}
