//! The value of a term in a set of states: words of bits that are functions of the state.

use super::bits::{Bit, Diagrams, Word, constant, word};
use super::{Cell, Element, MAX_VALUES, Variables, width_of};
use crate::cpa::evaluate::Values;
use logic::{Op, Sort, Symbol, Term, Terms, Value};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A value.
#[derive(Clone)]
pub(super) enum Shape {
    /// A word; truth values have one bit.
    Word(Rc<[Bit]>),
    /// An array.
    Array(Rc<ArrayWord>),
    /// Any value.
    Any,
}

/// An array: another one with some elements replaced.
#[derive(Clone)]
pub(super) struct ArrayWord {
    pub(super) base: Base,
    pub(super) cells: BTreeMap<u128, Word>,
}

/// What an array is where it was not written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// A variable of the state.
    Variable(Symbol),
    /// This element everywhere.
    Constant(u128),
}

/// Terms in a set of states.
pub(super) struct View<'a> {
    pub(super) diagrams: &'a Diagrams,
    pub(super) variables: &'a mut Variables,
    pub(super) element: &'a Element,
}

fn shape(word: Word) -> Shape {
    Shape::Word(word.into())
}

impl Values for View<'_> {
    type Value = Shape;

    fn variable(&mut self, terms: &Terms, symbol: Symbol) -> Shape {
        match terms.sort(terms.var_of(symbol)) {
            Sort::Array { .. } => {
                Shape::Array(Rc::new(ArrayWord { base: Base::Variable(symbol), cells: BTreeMap::new() }))
            }
            _ => shape(self.cell((symbol, None), width_of(terms, symbol))),
        }
    }

    fn unknown(&mut self, _terms: &Terms, _term: Term) -> Shape {
        Shape::Any
    }

    fn truth(&self, value: &Shape) -> Option<bool> {
        match value {
            Shape::Word(bits) => constant(bits).filter(|_| bits.len() == 1).map(|bit| bit == 1),
            _ => None,
        }
    }

    fn apply(&mut self, terms: &Terms, term: Term, operands: &[Shape]) -> Shape {
        match terms.op(term) {
            Op::Select => self.select(terms, term, &operands[0], &operands[1]),
            Op::Store => self.store(terms, term, operands),
            Op::ConstArray(_) => match &operands[0] {
                Shape::Word(bits) => constant(bits).map_or(Shape::Any, |element| {
                    Shape::Array(Rc::new(ArrayWord { base: Base::Constant(element), cells: BTreeMap::new() }))
                }),
                _ => Shape::Any,
            },
            Op::Ite => self.ite(terms, term, operands),
            _ => {
                let words: Option<Vec<&[Bit]>> = operands
                    .iter()
                    .map(|operand| if let Shape::Word(bits) = operand { Some(&bits[..]) } else { None })
                    .collect();
                match words {
                    Some(words) => self.operation(terms, term, &words),
                    None => Shape::Any,
                }
            }
        }
    }
}

impl View<'_> {
    /// The bits of a cell.
    fn cell(&mut self, cell: Cell, width: u8) -> Word {
        if let (symbol, Some(index)) = cell
            && let Some(others) = self.element.arrays.get(&symbol)
            && !others.own.contains(&index)
        {
            return word(others.default, usize::from(width));
        }
        let partial = self.element.partial(cell);
        let bit = |n: u8| match partial.mask >> n & 1 == 1 {
            true => Bit::Const(partial.value >> n & 1 == 1),
            false => {
                let pair = self.variables.pair(self.diagrams, cell, n);
                Bit::Of(self.diagrams.variable(pair.now))
            }
        };
        (0..width).map(bit).collect()
    }

    /// An element of an array.
    fn read(&mut self, terms: &Terms, array: &ArrayWord, index: u128, width: usize) -> Word {
        if let Some(written) = array.cells.get(&index) {
            return written.clone();
        }
        match array.base {
            Base::Constant(element) => word(element, width),
            Base::Variable(symbol) => self.cell((symbol, Some(index)), width_of(terms, symbol)),
        }
    }

    /// The values of a word here, if they are few.
    fn values(&self, bits: &[Bit]) -> Option<Vec<u128>> {
        match constant(bits) {
            Some(value) => Some(vec![value]),
            None => self.diagrams.values(&self.element.set, bits, MAX_VALUES),
        }
    }

    fn is(&self, bits: &[Bit], value: u128) -> Bit {
        self.diagrams.equal(bits, &word(value, bits.len()))
    }

    fn select(&mut self, terms: &Terms, term: Term, array: &Shape, index: &Shape) -> Shape {
        let (Shape::Array(array), Shape::Word(index)) = (array, index) else { return Shape::Any };
        let Some(indices) = self.values(index) else { return Shape::Any };
        let width = usize::from(terms.width(term));
        let mut result: Option<Word> = None;
        for at in indices {
            let this = self.read(terms, array, at, width);
            result = Some(match result {
                None => this,
                Some(other) => self.diagrams.choose_word(&self.is(index, at), &this, &other),
            });
        }
        result.map_or(Shape::Any, shape)
    }

    fn store(&mut self, terms: &Terms, term: Term, operands: &[Shape]) -> Shape {
        let Sort::Array { element, .. } = terms.sort(term) else { return Shape::Any };
        let [Shape::Array(array), Shape::Word(index), Shape::Word(value)] = operands else {
            return Shape::Any;
        };
        let Some(indices) = self.values(index) else { return Shape::Any };
        let mut written = (**array).clone();
        for at in indices {
            let old = self.read(terms, array, at, usize::from(element));
            let new = self.diagrams.choose_word(&self.is(index, at), value, &old);
            written.cells.insert(at, new);
        }
        Shape::Array(Rc::new(written))
    }

    fn ite(&mut self, terms: &Terms, term: Term, operands: &[Shape]) -> Shape {
        let Shape::Word(condition) = &operands[0] else { return Shape::Any };
        match (&operands[1], &operands[2]) {
            (Shape::Word(yes), Shape::Word(no)) => shape(self.diagrams.choose_word(&condition[0], yes, no)),
            (Shape::Array(yes), Shape::Array(no)) if yes.base == no.base => {
                let Sort::Array { element, .. } = terms.sort(term) else { return Shape::Any };
                let mut both = ArrayWord { base: yes.base, cells: BTreeMap::new() };
                for index in yes.cells.keys().chain(no.cells.keys()) {
                    let on_yes = self.read(terms, yes, *index, usize::from(element));
                    let on_no = self.read(terms, no, *index, usize::from(element));
                    let chosen = self.diagrams.choose_word(&condition[0], &on_yes, &on_no);
                    both.cells.insert(*index, chosen);
                }
                Shape::Array(Rc::new(both))
            }
            _ => Shape::Any,
        }
    }

    /// An operation on words.
    fn operation(&mut self, terms: &Terms, term: Term, words: &[&[Bit]]) -> Shape {
        let d = self.diagrams;
        let map = |f: fn(&Diagrams, &Bit, &Bit) -> Bit| -> Word {
            words[0].iter().zip(words[1]).map(|(a, b)| f(d, a, b)).collect()
        };
        let one = |bit: Bit| shape(vec![bit]);
        match terms.op(term) {
            Op::Bool(truth) => one(Bit::Const(truth)),
            Op::Const(value) => shape(word(value, usize::from(terms.width(term)))),
            Op::Not => one(d.not(&words[0][0])),
            Op::And => one(words.iter().fold(Bit::Const(true), |all, w| d.and(&all, &w[0]))),
            Op::Eq => one(d.equal(words[0], words[1])),
            Op::Ult => one(d.less(words[0], words[1], false)),
            Op::Ule => one(d.less(words[0], words[1], true)),
            Op::Slt => one(d.less(&flipped(d, words[0]), &flipped(d, words[1]), false)),
            Op::Sle => one(d.less(&flipped(d, words[0]), &flipped(d, words[1]), true)),
            Op::Add => shape(words[1..].iter().fold(words[0].to_vec(), |sum, w| d.add(&sum, w))),
            Op::BitNot => shape(words[0].iter().map(|bit| d.not(bit)).collect()),
            Op::BitAnd => shape(map(Diagrams::and)),
            Op::BitOr => shape(map(Diagrams::or)),
            Op::BitXor => shape(map(Diagrams::xor)),
            Op::Concat => shape(words[1].iter().chain(words[0]).cloned().collect()),
            Op::Extract { hi, lo } => shape(words[0][usize::from(lo)..=usize::from(hi)].to_vec()),
            Op::Zext(to) => shape(extended(words[0], usize::from(to), &Bit::Const(false))),
            Op::Sext(to) => {
                let sign = words[0].last().expect("a word should have a bit");
                shape(extended(words[0], usize::from(to), sign))
            }
            Op::Mul => match (constant(words[0]), constant(words[1])) {
                (Some(factor), _) => shape(d.times(words[1], factor)),
                (_, Some(factor)) => shape(d.times(words[0], factor)),
                _ => self.by_cases(terms, term, words),
            },
            _ => self.by_cases(terms, term, words),
        }
    }

    /// An operation on two words that have few values each.
    fn by_cases(&mut self, terms: &Terms, term: Term, words: &[&[Bit]]) -> Shape {
        let [left, right] = words else { return Shape::Any };
        let (Some(lefts), Some(rights)) = (self.values(left), self.values(right)) else { return Shape::Any };
        if lefts.len() * rights.len() > MAX_VALUES {
            return Shape::Any;
        }
        let width = usize::from(terms.width(term));
        let mut result = word(0, width);
        for a in &lefts {
            let is_a = self.is(left, *a);
            for b in &rights {
                let here = self.diagrams.and(&is_a, &self.is(right, *b));
                let operands = [Value::Bits(*a), Value::Bits(*b)];
                let value = terms.apply(terms.op(term), terms.kids(term), &operands).bits();
                result = self.diagrams.choose_word(&here, &word(value, width), &result);
            }
        }
        shape(result)
    }
}

/// With the sign inverted, so that signed order becomes unsigned order.
fn flipped(diagrams: &Diagrams, bits: &[Bit]) -> Word {
    let mut flipped = bits.to_vec();
    if let Some(sign) = flipped.last_mut() {
        *sign = diagrams.not(sign);
    }
    flipped
}

fn extended(bits: &[Bit], width: usize, with: &Bit) -> Word {
    let mut extended = bits.to_vec();
    extended.resize(width, with.clone());
    extended
}
