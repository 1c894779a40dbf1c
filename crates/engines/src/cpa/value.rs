//! Explicit values: each tracked variable is one constant, or unknown.
//!
//! The domain of explicit-value analysis (Beyer and Löwe, *Explicit-state software model checking based on CEGAR and
//! interpolation*, FASE 2013): fast, and precise where control flow is decided by constants. An element is a sorted list of
//! known variables, shared between states; of an array the cells are known one by one.
//!
//! - `assume` learns: where a condition has one solution for a variable, the variable gets it (`solve`).
//! - A one-bit input that is tracked splits the state in two: both values are known then.
//! - merge is *sep*: states are never joined, so a counterexample has one path.
//! - stop is "some older state knows no more than this one".

use super::domain::{After, Ask, Domain, Meeting};
use super::environment::Environment;
use super::evaluate::{Memo, Values};
use base::Inconclusive;
use logic::path::Cmd;
use logic::{Op, Sort, Symbol, Term, Terms, Value};
use rustc_hash::FxHasher;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// What is known of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Known {
    /// Nothing.
    Any,
    /// This truth value.
    Bool(bool),
    /// These bits.
    Bits(u128),
    /// Some cells of an array.
    Cells(Rc<Cells>),
}

/// Partial knowledge of an array.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cells {
    /// The element everywhere else, if known.
    default: Option<u128>,
    /// Cells that differ from the default in what is known of them.
    entries: BTreeMap<u128, Option<u128>>,
}

impl Cells {
    fn get(&self, index: u128) -> Option<u128> {
        self.entries.get(&index).copied().unwrap_or(self.default)
    }

    fn set(&mut self, index: u128, value: Option<u128>) {
        if value == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, value);
        }
    }

    /// After a write of `value` somewhere.
    fn blurred(&self, value: Option<u128>) -> Cells {
        let keep = |known: Option<u128>| known.filter(|k| Some(*k) == value);
        let mut blurred = Cells { default: keep(self.default), entries: BTreeMap::new() };
        for (index, known) in &self.entries {
            blurred.set(*index, keep(*known));
        }
        blurred
    }

    fn both(&self, other: &Cells) -> Cells {
        let same = |a: Option<u128>, b: Option<u128>| if a == b { a } else { None };
        let mut both = Cells { default: same(self.default, other.default), entries: BTreeMap::new() };
        for index in self.entries.keys().chain(other.entries.keys()) {
            both.set(*index, same(self.get(*index), other.get(*index)));
        }
        both
    }

    fn covers(&self, other: &Cells) -> bool {
        let weaker = |old: Option<u128>, new: Option<u128>| old.is_none() || old == new;
        weaker(self.default, other.default)
            && self.entries.keys().chain(other.entries.keys()).all(|i| weaker(self.get(*i), other.get(*i)))
    }

    fn knows_nothing(&self) -> bool {
        self.default.is_none() && self.entries.is_empty()
    }
}

impl Known {
    fn of(value: Value) -> Known {
        match value {
            Value::Bool(truth) => Known::Bool(truth),
            Value::Bits(bits) => Known::Bits(bits),
            Value::Array(array) => {
                let entries = array.entries.iter().map(|(i, v)| (*i, Some(*v))).collect();
                Known::Cells(Rc::new(Cells { default: Some(array.default), entries }))
            }
        }
    }

    fn exact(&self) -> Option<Value> {
        match self {
            Known::Bool(truth) => Some(Value::Bool(*truth)),
            Known::Bits(bits) => Some(Value::Bits(*bits)),
            Known::Any | Known::Cells(_) => None,
        }
    }

    fn bits(&self) -> Option<u128> {
        if let Known::Bits(bits) = self { Some(*bits) } else { None }
    }

    /// What both know.
    fn both(&self, other: &Known) -> Known {
        match (self, other) {
            (Known::Cells(a), Known::Cells(b)) => Known::Cells(Rc::new(a.both(b))),
            (a, b) if a == b => a.clone(),
            _ => Known::Any,
        }
    }

    fn covers(&self, other: &Known) -> bool {
        match (self, other) {
            (Known::Any, _) => true,
            (Known::Cells(a), Known::Cells(b)) => a.covers(b),
            (Known::Cells(a), Known::Any) => a.knows_nothing(),
            (a, b) => a == b,
        }
    }

    fn knows_nothing(&self) -> bool {
        match self {
            Known::Any => true,
            Known::Cells(cells) => cells.knows_nothing(),
            _ => false,
        }
    }
}

/// The variables that are known.
pub type Element = Environment<Known>;

/// Terms in a state.
struct View<'a>(&'a Element);

impl Values for View<'_> {
    type Value = Known;

    fn variable(&mut self, _terms: &Terms, symbol: Symbol) -> Known {
        self.0.get(symbol).cloned().unwrap_or(Known::Any)
    }

    fn unknown(&mut self, _terms: &Terms, _term: Term) -> Known {
        Known::Any
    }

    fn truth(&self, value: &Known) -> Option<bool> {
        if let Known::Bool(truth) = value { Some(*truth) } else { None }
    }

    fn apply(&mut self, terms: &Terms, term: Term, operands: &[Known]) -> Known {
        let op = terms.op(term);
        match op {
            Op::Select => return select(&operands[0], &operands[1]),
            Op::Store => return store(&operands[0], &operands[1], &operands[2]),
            Op::ConstArray(_) => {
                let cells = Cells { default: operands[0].bits(), entries: BTreeMap::new() };
                return Known::Cells(Rc::new(cells));
            }
            Op::Eq if matches!(terms.sort(terms.kid(term, 0)), Sort::Array { .. }) => return Known::Any,
            Op::Ite => return operands[1].both(&operands[2]),
            _ => {}
        }
        let exact: Option<Vec<Value>> = operands.iter().map(Known::exact).collect();
        match exact {
            Some(values) => Known::of(terms.apply(op, terms.kids(term), &values)),
            None => absorbed(op, operands),
        }
    }
}

/// What an unknown operand cannot change.
fn absorbed(op: Op, operands: &[Known]) -> Known {
    let has = |value: u128| operands.contains(&Known::Bits(value));
    match op {
        Op::Mul | Op::BitAnd if has(0) => Known::Bits(0),
        _ => Known::Any,
    }
}

fn select(array: &Known, index: &Known) -> Known {
    let Known::Cells(cells) = array else { return Known::Any };
    let found = match index.bits() {
        Some(index) => cells.get(index),
        None => cells.default.filter(|d| cells.entries.values().all(|v| *v == Some(*d))),
    };
    found.map_or(Known::Any, Known::Bits)
}

fn store(array: &Known, index: &Known, value: &Known) -> Known {
    let empty = Rc::new(Cells::default());
    let cells = if let Known::Cells(cells) = array { cells } else { &empty };
    Known::Cells(Rc::new(match index.bits() {
        Some(index) => {
            let mut cells = (**cells).clone();
            cells.set(index, value.bits());
            cells
        }
        None => cells.blurred(value.bits()),
    }))
}

/// Explicit values.
#[derive(Default)]
pub struct ValueDomain {
    memo: Memo<Known>,
}

impl ValueDomain {
    fn value(&mut self, terms: &Terms, element: &Element, term: Term) -> Known {
        self.memo.value(terms, &mut View(element), term)
    }

    /// Learns from a condition that holds; false if it cannot.
    fn assume(&mut self, terms: &Terms, element: &mut Element, guard: Term, tracks: Ask<'_>) -> bool {
        self.learn(terms, element, guard, true, tracks, 0)
    }

    /// Learns from a truth value.
    fn learn(
        &mut self,
        terms: &Terms,
        element: &mut Element,
        term: Term,
        truth: bool,
        tracks: Ask<'_>,
        depth: u32,
    ) -> bool {
        match self.value(terms, element, term) {
            Known::Bool(known) => return known == truth,
            _ if depth > 50 => return true,
            _ => {}
        }
        match terms.op(term) {
            Op::And if truth => {
                terms.kids(term).iter().all(|&part| self.learn(terms, element, part, true, tracks, depth + 1))
            }
            // All but one part hold: that one does not.
            Op::And => {
                let open: Vec<Term> = terms
                    .kids(term)
                    .iter()
                    .copied()
                    .filter(|&part| self.value(terms, element, part) != Known::Bool(true))
                    .collect();
                match open[..] {
                    [part] => self.learn(terms, element, part, false, tracks, depth + 1),
                    _ => true,
                }
            }
            Op::Not => self.learn(terms, element, terms.kid(term, 0), !truth, tracks, depth + 1),
            Op::Var(symbol) => {
                self.set(element, symbol, Known::Bool(truth), tracks);
                true
            }
            Op::Eq => {
                let (a, b) = (terms.kid(term, 0), terms.kid(term, 1));
                let (left, right) = (self.value(terms, element, a), self.value(terms, element, b));
                match (left.exact(), right.exact()) {
                    (Some(value), None) => self.unify(terms, element, b, value, truth, tracks, depth + 1),
                    (None, Some(value)) => self.unify(terms, element, a, value, truth, tracks, depth + 1),
                    _ => true,
                }
            }
            _ => true,
        }
    }

    /// Learns that a term is, or is not, a value.
    #[allow(clippy::too_many_arguments, reason = "one step of a recursion that carries the state with it")]
    fn unify(
        &mut self,
        terms: &Terms,
        element: &mut Element,
        term: Term,
        value: Value,
        same: bool,
        tracks: Ask<'_>,
        depth: u32,
    ) -> bool {
        match value {
            Value::Bool(truth) => self.learn(terms, element, term, truth == same, tracks, depth),
            Value::Bits(bits) if same => self.solve(terms, element, term, bits, tracks, depth),
            _ => true,
        }
    }

    /// Learns that a term has these bits.
    fn solve(
        &mut self,
        terms: &Terms,
        element: &mut Element,
        term: Term,
        bits: u128,
        tracks: Ask<'_>,
        depth: u32,
    ) -> bool {
        let kids = terms.kids(term);
        match terms.op(term) {
            Op::Var(symbol) => {
                self.set(element, symbol, Known::Bits(bits), tracks);
                true
            }
            Op::Zext(_) | Op::Sext(_) if depth < 50 => {
                let inner = bits & mask(terms.width(kids[0]));
                let back = terms.apply(terms.op(term), kids, &[Value::Bits(inner)]);
                back == Value::Bits(bits) && self.solve(terms, element, kids[0], inner, tracks, depth + 1)
            }
            Op::Add => {
                let values: Vec<Known> = kids.iter().map(|&k| self.value(terms, element, k)).collect();
                let open: Vec<usize> = (0..kids.len()).filter(|&n| values[n].bits().is_none()).collect();
                let [open] = open[..] else { return true };
                let rest = values.iter().filter_map(Known::bits).fold(0u128, u128::wrapping_add);
                let bits = bits.wrapping_sub(rest) & mask(terms.width(term));
                self.solve(terms, element, kids[open], bits, tracks, depth + 1)
            }
            Op::Ite => {
                let (yes, no) = (self.value(terms, element, kids[1]), self.value(terms, element, kids[2]));
                let differs = |known: Known| known.bits().is_some_and(|known| known != bits);
                match (differs(yes), differs(no)) {
                    (true, true) => false,
                    (true, false) => self.learn(terms, element, kids[0], false, tracks, depth + 1),
                    (false, true) => self.learn(terms, element, kids[0], true, tracks, depth + 1),
                    (false, false) => true,
                }
            }
            _ => true,
        }
    }

    fn set(&mut self, element: &mut Element, symbol: Symbol, value: Known, tracks: Ask<'_>) {
        if tracks(symbol) {
            self.put(element, symbol, value);
        }
    }

    fn put(&mut self, element: &mut Element, symbol: Symbol, value: Known) {
        if element.put(symbol, Some(value).filter(|known| !known.knows_nothing())) {
            self.memo.clear();
        }
    }
}

/// Maximum number of states that come from one by splitting inputs.
const MAX_SPLIT: usize = 1 << 12;

fn mask(width: u8) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

impl ValueDomain {
    /// Executes `block` from its command `start` on; states that were split off are put aside.
    fn run(
        &mut self,
        terms: &Terms,
        mut element: Element,
        block: &[Cmd],
        start: usize,
        tracks: Ask<'_>,
        aside: &mut Vec<(Element, usize)>,
    ) -> Option<Element> {
        self.memo.clear();
        for (n, cmd) in block.iter().enumerate().skip(start) {
            match *cmd {
                Cmd::Assume(guard) => {
                    if !self.assume(terms, &mut element, guard, tracks) {
                        return None;
                    }
                }
                Cmd::Assign(x, term) if tracks(x) => {
                    let value = self.value(terms, &element, term);
                    self.put(&mut element, x, value);
                }
                Cmd::Assign(x, _) => self.put(&mut element, x, Known::Any),
                Cmd::Havoc(x) => {
                    let is_bit = matches!(terms.sort(terms.var_of(x)), Sort::Bool | Sort::Bits(1));
                    if is_bit && aside.len() < MAX_SPLIT && tracks(x) {
                        let (no, yes) = match terms.sort(terms.var_of(x)) {
                            Sort::Bool => (Known::Bool(false), Known::Bool(true)),
                            _ => (Known::Bits(0), Known::Bits(1)),
                        };
                        let mut other = element.clone();
                        other.put(x, Some(yes));
                        aside.push((other, n + 1));
                        self.put(&mut element, x, no);
                    } else {
                        self.put(&mut element, x, Known::Any);
                    }
                }
            }
        }
        Some(element)
    }
}

impl Domain for ValueDomain {
    type Element = Element;

    fn top(&mut self) -> Element {
        Element::default()
    }

    fn transfer(&mut self, terms: &Terms, from: &Element, block: &[Cmd], tracks: Ask<'_>) -> After<Element> {
        let mut open = vec![(from.clone(), 0)];
        let mut done = Vec::new();
        while let Some((element, start)) = open.pop() {
            done.extend(self.run(terms, element, block, start, tracks, &mut open));
        }
        Ok(done)
    }

    fn forget(&mut self, _terms: &Terms, element: &mut Element, alive: Ask<'_>) -> Result<(), Inconclusive> {
        element.retain(alive);
        Ok(())
    }

    fn minus(&mut self, new: &Element, old: &Element) -> Result<Option<Element>, Inconclusive> {
        Ok((!old.covers(new, Known::covers)).then(|| new.clone()))
    }

    fn merge(
        &mut self,
        _new: &Element,
        _old: &Element,
        _at: Meeting,
    ) -> Result<Option<Element>, Inconclusive> {
        Ok(None)
    }

    fn fingerprint(&self, element: &Element) -> Option<u64> {
        let mut hasher = FxHasher::default();
        element.hash(&mut hasher);
        Some(hasher.finish())
    }

    fn formula(&mut self, terms: &mut Terms, element: &Element) -> Term {
        let parts: Vec<Term> = element.iter().map(|(s, known)| equation(terms, s, known)).collect();
        terms.and(&parts)
    }
}

/// What is known of a variable, as a formula.
fn equation(terms: &mut Terms, symbol: Symbol, known: &Known) -> Term {
    let variable = terms.var_of(symbol);
    match known {
        Known::Any => terms.tt(),
        Known::Bool(true) => variable,
        Known::Bool(false) => terms.not(variable),
        Known::Bits(bits) => {
            let bits = terms.constant(*bits, terms.width(variable));
            terms.eq(variable, bits)
        }
        Known::Cells(cells) => cell_equations(terms, variable, cells),
    }
}

fn cell_equations(terms: &mut Terms, array: Term, cells: &Cells) -> Term {
    let Sort::Array { index: index_width, element: width } = terms.sort(array) else {
        unreachable!("cells should be of an array")
    };
    let Some(default) = cells.default else {
        let known = cells.entries.iter().filter_map(|(i, v)| Some((*i, (*v)?)));
        let parts: Vec<Term> = known
            .map(|(index, value)| {
                let (index, value) = (terms.constant(index, index_width), terms.constant(value, width));
                let read = terms.select(array, index);
                terms.eq(read, value)
            })
            .collect();
        return terms.and(&parts);
    };
    let default = terms.constant(default, width);
    let mut whole = terms.const_array(index_width, default);
    for (index, value) in &cells.entries {
        let index = terms.constant(*index, index_width);
        let value = match value {
            Some(value) => terms.constant(*value, width),
            None => terms.select(array, index),
        };
        whole = terms.store(whole, index, value);
    }
    terms.eq(array, whole)
}
