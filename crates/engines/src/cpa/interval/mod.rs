//! Intervals: each tracked variable lies in a range, signed and unsigned at once.
//!
//! Ranges and their arithmetic are in [`range`]. An element is a list of variables with ranges; a truth value is known or not; of an
//! array some elements have ranges of their own and all others share one.
//!
//! - `assume` narrows: `x + 3 <= y` bounds both sides, through sums with constants and extensions.
//! - merge: a control keeps [`IntervalDomain::limit`] elements apart, so that what was decided by a branch is not mixed up at once.
//!   Beyond that, the newest is joined with, and, if that one was expanded before, *widened*: a bound that moved jumps to the next
//!   constant of the program (thresholds), or beyond all. So no loop is followed for ever.
//! - A counterexample that no variable explains is either a bound that was widened too far, which [narrowing](super::narrow) takes
//!   back, or elements were joined too early: then the limit grows.

pub mod range;

use super::domain::{After, Ask, Domain, Meeting};
use super::environment::Environment;
use super::evaluate::{Memo, Values};
use base::Inconclusive;
use logic::path::Cmd;
use logic::{Op, Sort, Symbol, Term, Terms, Value};
use range::{Range, mask};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What is known of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Known {
    /// Nothing.
    Any,
    /// This truth value.
    Bool(bool),
    /// A word in this range.
    Range(Range),
    /// An array.
    Cells(Rc<Cells>),
}

/// Ranges of an array's elements.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cells {
    /// All that have no range of their own: one value or all, for nothing else can be said without quantifiers.
    others: Range,
    /// These have one.
    own: BTreeMap<u128, Range>,
}

/// More elements of one array than this have no ranges of their own.
const MAX_OWN: usize = 256;

/// One value, or all.
fn settled(range: Range) -> Range {
    if range.single().is_some() { range } else { Range::all(range.width) }
}

impl Cells {
    fn get(&self, index: u128) -> Range {
        self.own.get(&index).copied().unwrap_or(self.others)
    }

    fn set(&mut self, index: u128, range: Range) {
        if range == self.others {
            self.own.remove(&index);
        } else if self.own.len() < MAX_OWN || self.own.contains_key(&index) {
            self.own.insert(index, range);
        } else {
            self.others = settled(self.others.join(&range));
        }
    }

    /// All elements that an index in a range can mean.
    fn read(&self, index: &Range) -> Range {
        match index.single() {
            Some(index) => self.get(index),
            None => {
                let hit = self.own.iter().filter(|(i, _)| index.contains(**i));
                hit.fold(self.others, |all, (_, range)| all.join(range))
            }
        }
    }

    /// After a write at some index of a range.
    fn written(&self, index: &Range, value: &Range) -> Cells {
        let mut cells = self.clone();
        match index.single() {
            Some(index) => cells.set(index, *value),
            None => {
                cells.others = settled(cells.others.join(value));
                for (_, range) in cells.own.iter_mut().filter(|(i, _)| index.contains(**i)) {
                    *range = range.join(value);
                }
            }
        }
        cells
    }

    fn combine(&self, other: &Cells, mut one: impl FnMut(&Range, &Range) -> Range) -> Cells {
        let others = settled(one(&self.others, &other.others));
        let mut cells = Cells { others, own: BTreeMap::new() };
        for index in self.own.keys().chain(other.own.keys()) {
            cells.set(*index, one(&self.get(*index), &other.get(*index)));
        }
        cells
    }

    fn covers(&self, other: &Cells) -> bool {
        self.others.covers(&other.others)
            && self.own.keys().chain(other.own.keys()).all(|i| self.get(*i).covers(&other.get(*i)))
    }
}

impl Known {
    fn of(terms: &Terms, term: Term, value: Value) -> Known {
        match value {
            Value::Bool(truth) => Known::Bool(truth),
            Value::Bits(bits) => Known::Range(Range::one(bits, terms.width(term))),
            Value::Array(_) => Known::Any,
        }
    }

    fn exact(&self) -> Option<Value> {
        match self {
            Known::Bool(truth) => Some(Value::Bool(*truth)),
            Known::Range(range) => range.single().map(Value::Bits),
            Known::Any | Known::Cells(_) => None,
        }
    }

    fn range(&self, width: u8) -> Range {
        if let Known::Range(range) = self { *range } else { Range::all(width) }
    }

    fn combine(&self, other: &Known, mut one: impl FnMut(&Range, &Range) -> Range) -> Known {
        match (self, other) {
            (Known::Range(a), Known::Range(b)) => Known::Range(one(a, b)),
            (Known::Cells(a), Known::Cells(b)) => Known::Cells(Rc::new(a.combine(b, one))),
            (a, b) if a == b => a.clone(),
            _ => Known::Any,
        }
    }

    fn join(&self, other: &Known) -> Known {
        self.combine(other, |a, b| a.join(b))
    }

    fn covers(&self, other: &Known) -> bool {
        match (self, other) {
            (Known::Any, _) => true,
            (Known::Range(a), Known::Range(b)) => a.covers(b),
            (Known::Cells(a), Known::Cells(b)) => a.covers(b),
            (a, b) => a == b,
        }
    }

    fn something(self) -> Option<Known> {
        let nothing = match &self {
            Known::Any => true,
            Known::Bool(_) => false,
            Known::Range(range) => range.is_all(),
            Known::Cells(cells) => cells.others.is_all() && cells.own.is_empty(),
        };
        (!nothing).then_some(self)
    }
}

/// Variables with their ranges.
pub type Element = Environment<Known>;

/// Intervals.
pub struct IntervalDomain {
    memo: Memo<Known>,
    /// Constants met so far: where widening stops.
    thresholds: FxHashSet<u128>,
    /// Maximum number of elements that are kept apart at one global location.
    limit: usize,
}

/// The first limit, and the last.
const LIMITS: (usize, usize) = (8, 4096);

impl Default for IntervalDomain {
    fn default() -> Self {
        Self { memo: Memo::new(), thresholds: FxHashSet::default(), limit: LIMITS.0 }
    }
}

/// Terms in a state.
struct View<'a> {
    element: &'a Element,
    thresholds: &'a mut FxHashSet<u128>,
}

impl Values for View<'_> {
    type Value = Known;

    fn variable(&mut self, _terms: &Terms, symbol: Symbol) -> Known {
        self.element.get(symbol).cloned().unwrap_or(Known::Any)
    }

    fn unknown(&mut self, _terms: &Terms, _term: Term) -> Known {
        Known::Any
    }

    fn truth(&self, value: &Known) -> Option<bool> {
        if let Known::Bool(truth) = value { Some(*truth) } else { None }
    }

    fn apply(&mut self, terms: &Terms, term: Term, operands: &[Known]) -> Known {
        let op = terms.op(term);
        if let Op::Const(value) = op {
            let width = terms.width(term);
            self.thresholds.extend([
                value,
                value.wrapping_sub(1) & mask(width),
                value.wrapping_add(1) & mask(width),
            ]);
            return Known::Range(Range::one(value, width));
        }
        let exact: Option<Vec<Value>> = operands.iter().map(Known::exact).collect();
        if let Some(values) = exact
            && !matches!(op, Op::ConstArray(_))
        {
            return Known::of(terms, term, terms.apply(op, terms.kids(term), &values));
        }
        abstracted(terms, term, operands)
    }
}

/// An operation on operands that are not all single values.
fn abstracted(terms: &Terms, term: Term, operands: &[Known]) -> Known {
    let kids = terms.kids(term);
    let width_of = |n: usize| terms.sort(kids[n]).width().unwrap_or(1);
    let range = |n: usize| operands[n].range(width_of(n));
    let op = terms.op(term);
    match op {
        Op::Ite => operands[1].join(&operands[2]),
        Op::Eq if !matches!(terms.sort(kids[0]), Sort::Bits(_)) => Known::Any,
        Op::Eq | Op::Ult | Op::Ule | Op::Slt | Op::Sle => {
            Range::compare(op, &range(0), &range(1)).map_or(Known::Any, Known::Bool)
        }
        Op::Add => Known::Range((1..kids.len()).fold(range(0), |sum, n| sum.add(&range(n)))),
        Op::Mul => Known::Range(range(0).mul(&range(1))),
        Op::BitNot => Known::Range(range(0).inverted()),
        Op::Concat => Known::Range(range(0).concat(&range(1))),
        Op::Extract { hi, lo } => Known::Range(range(0).extracted(hi, lo)),
        Op::Zext(to) => Known::Range(range(0).zero_extended(to)),
        Op::Sext(to) => Known::Range(range(0).sign_extended(to)),
        Op::Select => match &operands[0] {
            Known::Cells(cells) => Known::Range(cells.read(&range(1))),
            _ => Known::Any,
        },
        Op::Store => {
            let value = range(2);
            let nothing = Rc::new(Cells { others: Range::all(value.width), own: BTreeMap::new() });
            let cells = if let Known::Cells(cells) = &operands[0] { cells } else { &nothing };
            Known::Cells(Rc::new(cells.written(&range(1), &value)))
        }
        Op::ConstArray(_) => Known::Cells(Rc::new(Cells { others: settled(range(0)), own: BTreeMap::new() })),
        Op::Not | Op::And | Op::Bool(_) | Op::Const(_) | Op::Var(_) => Known::Any,
        _ => Known::Range(Range::binary(op, &range(0), &range(1))),
    }
}

/// What a condition is learnt from: everything a step of the recursion needs.
struct Learner<'a, 'b> {
    domain: &'a mut IntervalDomain,
    terms: &'a Terms,
    element: &'a mut Element,
    tracks: Ask<'b>,
}

/// Deeper conditions teach nothing.
const MAX_DEPTH: u32 = 50;

impl Learner<'_, '_> {
    fn value(&mut self, term: Term) -> Known {
        let view = &mut View { element: self.element, thresholds: &mut self.domain.thresholds };
        self.domain.memo.value(self.terms, view, term)
    }

    fn range(&mut self, term: Term) -> Range {
        let width = self.terms.width(term);
        self.value(term).range(width)
    }

    fn set(&mut self, symbol: Symbol, known: Known) {
        if (self.tracks)(symbol) && self.element.put(symbol, known.something()) {
            self.domain.memo.clear();
        }
    }

    /// Learns that `term` is `truth`; false if it cannot be.
    fn learn(&mut self, term: Term, truth: bool, depth: u32) -> bool {
        if let Known::Bool(known) = self.value(term) {
            return known == truth;
        }
        if depth > MAX_DEPTH {
            return true;
        }
        let kids = self.terms.kids(term);
        match (self.terms.op(term), truth) {
            (Op::And, true) => kids.iter().all(|&part| self.learn(part, true, depth + 1)),
            (Op::And, false) => {
                let open: Vec<Term> =
                    kids.iter().copied().filter(|&k| self.value(k) != Known::Bool(true)).collect();
                match open[..] {
                    [part] => self.learn(part, false, depth + 1),
                    _ => true,
                }
            }
            (Op::Not, _) => self.learn(kids[0], !truth, depth + 1),
            (Op::Var(symbol), _) => {
                self.set(symbol, Known::Bool(truth));
                true
            }
            (Op::Eq, _) => self.equal(kids[0], kids[1], truth, depth),
            (Op::Ult | Op::Ule | Op::Slt | Op::Sle, _) => {
                // `not a < b` is `b <= a`.
                let (less, more) = if truth { (kids[0], kids[1]) } else { (kids[1], kids[0]) };
                let strict = matches!(self.terms.op(term), Op::Ult | Op::Slt) == truth;
                let is_signed = matches!(self.terms.op(term), Op::Slt | Op::Sle);
                self.ordered(less, more, strict, is_signed, depth)
            }
            _ => true,
        }
    }

    fn equal(&mut self, a: Term, b: Term, same: bool, depth: u32) -> bool {
        match self.terms.sort(a) {
            Sort::Bool => match (self.value(a), self.value(b)) {
                (Known::Bool(truth), _) => self.learn(b, truth == same, depth + 1),
                (_, Known::Bool(truth)) => self.learn(a, truth == same, depth + 1),
                _ => true,
            },
            Sort::Bits(_) => {
                let (left, right) = (self.range(a), self.range(b));
                if same {
                    return self.narrow(a, right, depth + 1) && self.narrow(b, left, depth + 1);
                }
                if let Some(value) = right.single() {
                    return left.without(value).is_some_and(|rest| self.narrow(a, rest, depth + 1));
                }
                if let Some(value) = left.single() {
                    return right.without(value).is_some_and(|rest| self.narrow(b, rest, depth + 1));
                }
                true
            }
            Sort::Array { .. } => true,
        }
    }

    fn ordered(&mut self, less: Term, more: Term, strict: bool, is_signed: bool, depth: u32) -> bool {
        let (small, great) = (self.range(less), self.range(more));
        let width = small.width;
        let all = Range::all(width);
        let by = u128::from(strict);
        let (below, above) = if is_signed {
            let by = by.cast_signed();
            (
                great.greatest.checked_sub(by).and_then(|top| Range::signed(all.least, top, width)),
                small.least.checked_add(by).and_then(|bottom| Range::signed(bottom, all.greatest, width)),
            )
        } else {
            (
                great.high.checked_sub(by).and_then(|top| Range::unsigned(0, top, width)),
                small.low.checked_add(by).and_then(|bottom| Range::unsigned(bottom, all.high, width)),
            )
        };
        match (below, above) {
            (Some(below), Some(above)) => {
                self.narrow(less, below, depth + 1) && self.narrow(more, above, depth + 1)
            }
            _ => false,
        }
    }

    /// Learns that a term is in a range; false if it cannot be.
    fn narrow(&mut self, term: Term, to: Range, depth: u32) -> bool {
        let Some(range) = self.range(term).meet(&to) else { return false };
        if depth > MAX_DEPTH {
            return true;
        }
        let kids = self.terms.kids(term);
        match self.terms.op(term) {
            Op::Var(symbol) => {
                self.set(symbol, Known::Range(range));
                true
            }
            Op::Zext(_) => {
                let width = self.terms.width(kids[0]);
                match Range::unsigned(range.low, range.high, width) {
                    Some(inner) => self.narrow(kids[0], inner, depth + 1),
                    None => false,
                }
            }
            Op::Sext(_) => {
                let width = self.terms.width(kids[0]);
                match Range::signed(range.least, range.greatest, width) {
                    Some(inner) => self.narrow(kids[0], inner, depth + 1),
                    None => false,
                }
            }
            Op::Add => self.narrow_sum(term, range, depth),
            Op::Ite => {
                let (yes, no) = (self.range(kids[1]), self.range(kids[2]));
                match (yes.meet(&range), no.meet(&range)) {
                    (None, None) => false,
                    (None, _) => self.learn(kids[0], false, depth + 1),
                    (_, None) => self.learn(kids[0], true, depth + 1),
                    _ => true,
                }
            }
            _ => true,
        }
    }

    /// A sum with one unknown part: adding a constant is reversible.
    fn narrow_sum(&mut self, term: Term, range: Range, depth: u32) -> bool {
        let mut open = None;
        let mut rest = 0u128;
        for &kid in self.terms.kids(term) {
            match self.range(kid).single() {
                Some(value) => rest = rest.wrapping_add(value),
                None if open.is_none() => open = Some(kid),
                None => return true,
            }
        }
        let Some(open) = open else { return true };
        let moved = range.add(&Range::one(rest.wrapping_neg() & mask(range.width), range.width));
        self.narrow(open, moved, depth + 1)
    }
}

impl Domain for IntervalDomain {
    type Element = Element;

    fn top(&mut self) -> Element {
        Element::default()
    }

    fn transfer(&mut self, terms: &Terms, from: &Element, block: &[Cmd], tracks: Ask<'_>) -> After<Element> {
        let mut element = from.clone();
        self.memo.clear();
        for cmd in block {
            match *cmd {
                Cmd::Assume(guard) => {
                    let mut learner = Learner { domain: self, terms, element: &mut element, tracks };
                    if !learner.learn(guard, true, 0) {
                        return Ok(Vec::new());
                    }
                }
                Cmd::Assign(x, term) => {
                    let value = match tracks(x) {
                        true => {
                            let view = &mut View { element: &element, thresholds: &mut self.thresholds };
                            self.memo.value(terms, view, term)
                        }
                        false => Known::Any,
                    };
                    if element.put(x, value.something()) {
                        self.memo.clear();
                    }
                }
                Cmd::Havoc(x) => {
                    if element.put(x, None) {
                        self.memo.clear();
                    }
                }
            }
        }
        Ok(vec![element])
    }

    fn forget(&mut self, _terms: &Terms, element: &mut Element, alive: Ask<'_>) -> Result<(), Inconclusive> {
        element.retain(alive);
        Ok(())
    }

    fn minus(&mut self, new: &Element, old: &Element) -> Result<Option<Element>, Inconclusive> {
        Ok((!old.covers(new, Known::covers)).then(|| new.clone()))
    }

    fn merge(&mut self, new: &Element, old: &Element, at: Meeting) -> Result<Option<Element>, Inconclusive> {
        if at.n_elements < self.limit {
            return Ok(None);
        }
        let joined = old.both(new, |a, b| a.join(b).something());
        if at.waiting {
            return Ok(Some(joined));
        }
        let mut thresholds: Vec<u128> = self.thresholds.iter().copied().collect();
        thresholds.sort_unstable();
        let wide = |a: &Range, b: &Range| a.widen(b, &thresholds);
        Ok(Some(old.both(&joined, |a, b| a.combine(b, wide).something())))
    }

    fn join(&mut self, left: &Element, right: &Element) -> Option<Element> {
        Some(left.both(right, |a, b| a.join(b).something()))
    }

    fn formula(&mut self, terms: &mut Terms, element: &Element) -> Term {
        let parts: Vec<Term> = element.iter().map(|(s, known)| formula(terms, s, known)).collect();
        terms.and(&parts)
    }

    fn sharpen(&mut self) -> bool {
        let grows = self.limit < LIMITS.1;
        if grows {
            self.limit *= 8;
        }
        grows
    }
}

/// What is known of a variable, as a formula.
fn formula(terms: &mut Terms, symbol: Symbol, known: &Known) -> Term {
    let variable = terms.var_of(symbol);
    match known {
        Known::Any => terms.tt(),
        Known::Bool(true) => variable,
        Known::Bool(false) => terms.not(variable),
        Known::Range(range) => within(terms, variable, range),
        Known::Cells(cells) => cells_formula(terms, variable, cells),
    }
}

fn cells_formula(terms: &mut Terms, array: Term, cells: &Cells) -> Term {
    let Sort::Array { index: index_width, element } = terms.sort(array) else {
        unreachable!("cells should be of an array")
    };
    let mut parts = Vec::new();
    for (index, range) in &cells.own {
        let index = terms.constant(*index, index_width);
        let read = terms.select(array, index);
        parts.push(within(terms, read, range));
    }
    if let Some(value) = cells.others.single() {
        let value = terms.constant(value, element);
        let mut whole = terms.const_array(index_width, value);
        for index in cells.own.keys() {
            let index = terms.constant(*index, index_width);
            let own = terms.select(array, index);
            whole = terms.store(whole, index, own);
        }
        parts.push(terms.eq(array, whole));
    }
    terms.and(&parts)
}

fn within(terms: &mut Terms, term: Term, range: &Range) -> Term {
    let width = range.width;
    if let Some(value) = range.single() {
        let value = terms.constant(value, width);
        return terms.eq(term, value);
    }
    let (low, high) = (terms.constant(range.low, width), terms.constant(range.high, width));
    let least = terms.constant(range.least.cast_unsigned() & mask(width), width);
    let greatest = terms.constant(range.greatest.cast_unsigned() & mask(width), width);
    let parts =
        [terms.ule(low, term), terms.ule(term, high), terms.sle(least, term), terms.sle(term, greatest)];
    terms.and(&parts)
}
