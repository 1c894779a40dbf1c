//! Binary decision diagrams: exact sets of states, bit by bit.
//!
//! An element is a set of bit patterns of all tracked variables. It is kept in two parts, so that diagrams hold only what varies:
//!
//! ```text
//! known bits of cells   ×   a diagram over the other bits
//! ```
//!
//! A *cell* is a variable, or one element of an array; of an array's other elements the default is known, or nothing. No
//! variable of a known bit occurs in the diagram. Each bit that ever varies gets a pair of neighbouring diagram variables when it
//! first does: its value, and its next value for assignments such as `x = x + 1`.
//!
//! | operator | here |
//! |---|---|
//! | transfer | guards are intersections; an assignment is the relational product with `next == value`, then a renaming |
//! | merge | union, as long as the older set has not been expanded |
//! | stop | the difference to what was reached before is empty |
//!
//! # Where it is not exact
//! Products of two variables, quotients, shifts and indices by variables are computed by cases if the operands have few values
//! ([`MAX_VALUES`]), and unknown otherwise. Comparisons of whole arrays are unknown. An unknown guard is not used, an unknown
//! value makes a variable arbitrary. The direction is always: too many states.

mod bits;
mod words;

use super::domain::{After, Ask, Domain, Meeting};
use super::evaluate::Memo;
use base::Inconclusive;
use base::convert::count32;
use bits::{Bit, Diagram, Diagrams, Word};
use logic::path::Cmd;
use logic::{Sort, Symbol, Term, Terms};
use oxidd::VarNo;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use words::{ArrayWord, Base, Shape, View};

/// A variable, or an element of an array.
pub(super) type Cell = (Symbol, Option<u128>);

/// Maximum number of cases that are distinguished.
pub(super) const MAX_VALUES: usize = 64;

/// Number of cells that share a bank of variables.
const BANK: VarNo = 64;
/// Number of bits of a cell in a bank.
const MAX_WIDTH: VarNo = 128;

/// Which bits of a cell are the same in all states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Partial {
    mask: u128,
    value: u128,
}

/// What is known of elements of an array that are no cells of their own.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Others {
    default: u128,
    /// The width of its elements.
    width: u8,
    /// The elements that are cells of their own.
    own: BTreeSet<u128>,
}

/// A set of states.
#[derive(Clone)]
pub struct Element {
    known: Rc<BTreeMap<Cell, Partial>>,
    /// Arrays whose other elements are known.
    arrays: Rc<BTreeMap<Symbol, Others>>,
    set: Diagram,
}

/// The diagram variables of one bit.
#[derive(Clone, Copy)]
struct Pair {
    now: VarNo,
    next: VarNo,
}

/// Variables of diagrams, in banks: the lowest bits of all cells of a bank come first, then the next ones, and so on. Copies and sums of
/// words have small diagrams only if bits of the same weight are neighbours.
#[derive(Default)]
struct Variables {
    /// The variable of each cell's lowest bit.
    slots: FxHashMap<Cell, VarNo>,
    /// The first variable of the newest bank.
    bank: VarNo,
    pairs: FxHashMap<(Cell, u8), Pair>,
    owners: FxHashMap<VarNo, (Cell, u8)>,
    /// The bits of each symbol that have variables.
    of_symbol: BTreeMap<Symbol, Vec<(Cell, u8)>>,
}

/// Binary decision diagrams.
pub struct BddDomain {
    diagrams: Diagrams,
    variables: Variables,
    memo: Memo<Shape>,
    /// Cubes of all bits of these symbols, with the number of variables at that time.
    cubes: FxHashMap<Vec<Symbol>, (usize, Diagram)>,
}

impl Variables {
    fn pair(&mut self, diagrams: &Diagrams, cell: Cell, bit: u8) -> Pair {
        if let Some(pair) = self.pairs.get(&(cell, bit)) {
            return *pair;
        }
        let slot = self.slot(diagrams, cell);
        let now = slot + u32::from(bit) * 2 * BANK;
        let pair = Pair { now, next: now + 1 };
        self.pairs.insert((cell, bit), pair);
        self.owners.insert(now, (cell, bit));
        self.of_symbol.entry(cell.0).or_default().push((cell, bit));
        pair
    }

    /// The variable of a cell's lowest bit.
    fn slot(&mut self, diagrams: &Diagrams, cell: Cell) -> VarNo {
        let n_slots = count32(self.slots.len());
        *self.slots.entry(cell).or_insert_with(|| {
            if n_slots.is_multiple_of(BANK) {
                self.bank = diagrams.add_variables(2 * BANK * MAX_WIDTH);
            }
            self.bank + 2 * (n_slots % BANK)
        })
    }
}

impl Element {
    fn partial(&self, cell: Cell) -> Partial {
        self.known.get(&cell).copied().unwrap_or_default()
    }

    fn set_partial(&mut self, cell: Cell, partial: Partial) {
        if self.partial(cell) != partial {
            let known = Rc::make_mut(&mut self.known);
            if partial.mask == 0 {
                known.remove(&cell)
            } else {
                known.insert(cell, partial)
            };
        }
    }

    /// Makes an element of an array with a default a cell of its own.
    fn own(&mut self, cell: Cell) {
        let (symbol, Some(index)) = cell else { return };
        let Some(others) = self.arrays.get(&symbol).filter(|o| !o.own.contains(&index)) else { return };
        let (value, width) = (others.default, others.width);
        let arrays = Rc::make_mut(&mut self.arrays);
        arrays.get_mut(&symbol).expect("the array should be there").own.insert(index);
        self.set_partial(cell, Partial { mask: mask(width), value });
    }
}

fn mask(width: u8) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// How many bits a cell of this variable has.
fn width_of(terms: &Terms, symbol: Symbol) -> u8 {
    match terms.sort(terms.var_of(symbol)) {
        Sort::Bool => 1,
        Sort::Bits(width) => width,
        Sort::Array { element, .. } => element,
    }
}

impl BddDomain {
    /// No variables yet.
    pub fn new() -> Self {
        Self {
            diagrams: Diagrams::new(),
            variables: Variables::default(),
            memo: Memo::new(),
            cubes: FxHashMap::default(),
        }
    }

    fn room(&self) -> Result<(), Inconclusive> {
        if self.diagrams.is_full() { Err(Inconclusive::OutOfMemory) } else { Ok(()) }
    }

    fn value(&mut self, terms: &Terms, element: &Element, term: Term) -> Shape {
        let mut view = View { diagrams: &self.diagrams, variables: &mut self.variables, element };
        self.memo.value(terms, &mut view, term)
    }

    /// The conjunction of variables.
    fn cube(&self, bits: impl IntoIterator<Item = VarNo>) -> Diagram {
        // From the bottom of the order upwards, so that each step is a new top node.
        let mut bits: Vec<VarNo> = bits.into_iter().collect();
        bits.sort_unstable();
        let literals = bits.into_iter().rev().map(|var| self.diagrams.variable(var));
        literals.fold(self.diagrams.yes(), |cube, literal| self.diagrams.both(&literal, &cube))
    }

    fn symbol_cube(&mut self, symbols: &[Symbol]) -> Diagram {
        let n_vars = self.variables.pairs.len();
        if let Some((n, cube)) = self.cubes.get(symbols)
            && *n == n_vars
        {
            return cube.clone();
        }
        let owned = symbols.iter().filter_map(|s| self.variables.of_symbol.get(s)).flatten();
        let cube = self.cube(owned.map(|bit| self.variables.pairs[bit].now));
        self.cubes.insert(symbols.to_vec(), (n_vars, cube.clone()));
        cube
    }

    /// A variable becomes arbitrary.
    fn havoc(&mut self, element: &mut Element, symbol: Symbol) {
        let of_symbol = (symbol, None)..=(symbol, Some(u128::MAX));
        if element.known.range(of_symbol).next().is_some() {
            Rc::make_mut(&mut element.known).retain(|cell, _| cell.0 != symbol);
        }
        if element.arrays.contains_key(&symbol) {
            Rc::make_mut(&mut element.arrays).remove(&symbol);
        }
        if self.variables.of_symbol.contains_key(&symbol) {
            let cube = self.symbol_cube(&[symbol]);
            element.set = self.diagrams.exists(&element.set, &cube);
        }
    }

    fn assume(&mut self, terms: &Terms, element: &mut Element, guard: Term) -> bool {
        match self.value(terms, element, guard) {
            Shape::Word(bits) => match &bits[0] {
                Bit::Const(truth) => *truth,
                Bit::Of(holds) => {
                    element.set = self.diagrams.both(&element.set, holds);
                    self.diagrams.bit(element.set.clone()) != Bit::Const(false)
                }
            },
            Shape::Array(_) | Shape::Any => true,
        }
    }

    fn assign(&mut self, terms: &Terms, element: &mut Element, symbol: Symbol, term: Term) {
        let value = self.value(terms, element, term);
        match value {
            Shape::Any => self.havoc(element, symbol),
            Shape::Word(bits) => self.write(element, vec![((symbol, None), bits.to_vec())]),
            Shape::Array(array) => self.assign_array(terms, element, symbol, &array),
        }
    }

    fn assign_array(&mut self, terms: &Terms, element: &mut Element, symbol: Symbol, array: &ArrayWord) {
        match array.base {
            Base::Variable(base) if base == symbol => {}
            Base::Constant(default) => {
                // Values are functions of the old state, of which the other elements are no part any more.
                let depends = array.cells.values().flatten().any(|bit| matches!(bit, Bit::Of(_)));
                if depends {
                    return self.havoc(element, symbol);
                }
                self.havoc(element, symbol);
                let others = Others { default, width: width_of(terms, symbol), own: BTreeSet::new() };
                Rc::make_mut(&mut element.arrays).insert(symbol, others);
            }
            Base::Variable(_) => return self.havoc(element, symbol),
        }
        for index in array.cells.keys() {
            element.own((symbol, Some(*index)));
        }
        let writes = array.cells.iter().map(|(index, bits)| ((symbol, Some(*index)), bits.clone()));
        self.write(element, writes.collect());
    }

    /// Cells get values, all at once; the values are functions of the old state.
    fn write(&mut self, element: &mut Element, writes: Vec<(Cell, Word)>) {
        let mut old: Vec<VarNo> = Vec::new();
        for (cell, bits) in &writes {
            let owned = (0u8..).zip(bits).filter_map(|(bit, _)| self.variables.pairs.get(&(*cell, bit)));
            old.extend(owned.map(|pair| pair.now));
        }
        let cube = self.cube(old);
        let mut varying = Vec::new();
        let set = element.set.clone();
        for (cell, bits) in writes {
            let mut partial = Partial::default();
            for (n, bit) in (0u8..).zip(bits) {
                match self.settled(&set, bit) {
                    Bit::Const(value) => {
                        partial.mask |= 1 << n;
                        partial.value |= u128::from(value) << n;
                    }
                    Bit::Of(function) => varying.push((cell, n, function)),
                }
            }
            element.set_partial(cell, partial);
        }
        let independent =
            varying.iter().all(|(_, _, function)| self.diagrams.exists(function, &cube) == *function);
        if independent {
            element.set = self.diagrams.exists(&set, &cube);
            for (cell, n, function) in varying {
                let pair = self.variables.pair(&self.diagrams, cell, n);
                let now = self.diagrams.variable(pair.now);
                element.set = self.diagrams.both(&element.set, &self.diagrams.same(&now, &function));
            }
            return;
        }
        let mut pairs = Vec::new();
        let mut next_set = set;
        for (cell, n, function) in varying {
            let pair = self.variables.pair(&self.diagrams, cell, n);
            let next = self.diagrams.variable(pair.next);
            next_set = self.diagrams.both(&next_set, &self.diagrams.same(&next, &function));
            pairs.push(pair);
        }
        next_set = self.diagrams.exists(&next_set, &cube);
        for pair in pairs {
            let (now, next) = (self.diagrams.variable(pair.now), self.diagrams.variable(pair.next));
            next_set = self.diagrams.both_exists(&next_set, &self.diagrams.same(&now, &next), &next);
        }
        element.set = next_set;
    }

    /// A bit that is constant in this set is a constant.
    fn settled(&self, set: &Diagram, bit: Bit) -> Bit {
        let Bit::Of(function) = &bit else { return bit };
        let on = self.diagrams.both(set, function);
        if self.diagrams.bit(on.clone()) == Bit::Const(false) {
            Bit::Const(false)
        } else if on == *set {
            Bit::Const(true)
        } else {
            bit
        }
    }

    /// The literals of the bits of `cell` that `from` has and `to` has not.
    fn literals(&mut self, cell: Cell, from: Partial, to: Partial) -> Diagram {
        let mut all = self.diagrams.yes();
        for bit in (0..128u8).filter(|n| (from.mask & !to.mask) >> n & 1 == 1) {
            let pair = self.variables.pair(&self.diagrams, cell, bit);
            let literal = self.diagrams.literal(pair.now, from.value >> bit & 1 == 1);
            all = self.diagrams.both(&all, &literal);
        }
        all
    }

    /// Makes both sets know the same elements of arrays as cells of their own.
    fn share_cells(a: &mut Element, b: &mut Element) {
        if a.arrays == b.arrays {
            return;
        }
        let symbols: BTreeSet<Symbol> = a.arrays.keys().chain(b.arrays.keys()).copied().collect();
        for symbol in symbols {
            let (left, right) = (a.arrays.get(&symbol).cloned(), b.arrays.get(&symbol).cloned());
            if let (Some(left), Some(right)) = (left, right)
                && left.default == right.default
            {
                left.own.iter().for_each(|index| b.own((symbol, Some(*index))));
                right.own.iter().for_each(|index| a.own((symbol, Some(*index))));
            }
        }
    }

    fn union(&mut self, a: &Element, b: &Element) -> Element {
        let (mut a, mut b) = (a.clone(), b.clone());
        Self::share_cells(&mut a, &mut b);
        if a.arrays != b.arrays {
            let common = a.arrays.iter().filter(|(s, others)| b.arrays.get(s) == Some(others));
            let common: BTreeMap<Symbol, Others> = common.map(|(s, o)| (*s, o.clone())).collect();
            a.arrays = Rc::new(common);
        }
        let mut known = BTreeMap::new();
        let (mut left, mut right) = (a.set.clone(), b.set.clone());
        for cell in cells_of(&a, &b) {
            let (of_a, of_b) = (a.partial(cell), b.partial(cell));
            let mask = of_a.mask & of_b.mask & !(of_a.value ^ of_b.value);
            let common = Partial { mask, value: of_a.value & mask };
            if mask != 0 {
                known.insert(cell, common);
            }
            if of_a.mask != mask {
                let literals = self.literals(cell, of_a, common);
                left = self.diagrams.both(&left, &literals);
            }
            if of_b.mask != mask {
                let literals = self.literals(cell, of_b, common);
                right = self.diagrams.both(&right, &literals);
            }
        }
        let set = self.diagrams.either(&left, &right);
        Element { known: Rc::new(known), arrays: a.arrays, set }
    }

    fn difference(&mut self, new: &Element, old: &Element) -> Option<Element> {
        let (mut new, mut old) = (new.clone(), old.clone());
        for symbol in old.arrays.keys() {
            let same = new.arrays.get(symbol).is_some_and(|o| o.default == old.arrays[symbol].default);
            if !same {
                return Some(new); // the older one says more of this array
            }
        }
        Self::share_cells(&mut new, &mut old);
        let (mut covered, mut here) = (old.set.clone(), self.diagrams.yes());
        for cell in cells_of(&new, &old) {
            let (of_new, of_old) = (new.partial(cell), old.partial(cell));
            if of_new.mask & of_old.mask & (of_new.value ^ of_old.value) != 0 {
                return Some(new);
            }
            if of_old.mask & !of_new.mask != 0 {
                let literals = self.literals(cell, of_old, of_new);
                covered = self.diagrams.both(&covered, &literals);
            }
            if of_new.mask & !of_old.mask != 0 {
                let literals = self.literals(cell, of_new, of_old);
                here = self.diagrams.both(&here, &literals);
            }
        }
        let covered = self.diagrams.restrict(&covered, &here);
        let set = self.diagrams.without(&new.set, &covered);
        let empty = self.diagrams.bit(set.clone()) == Bit::Const(false);
        (!empty).then_some(Element { set, ..new })
    }
}

/// The cells of which the two know different bits.
fn cells_of(a: &Element, b: &Element) -> Vec<Cell> {
    if Rc::ptr_eq(&a.known, &b.known) {
        return a.known.keys().copied().collect();
    }
    let all: BTreeSet<Cell> = a.known.keys().chain(b.known.keys()).copied().collect();
    all.into_iter().collect()
}

impl Domain for BddDomain {
    type Element = Element;

    fn top(&mut self) -> Element {
        Element { known: Rc::default(), arrays: Rc::default(), set: self.diagrams.yes() }
    }

    fn transfer(&mut self, terms: &Terms, from: &Element, block: &[Cmd], tracks: Ask<'_>) -> After<Element> {
        let mut element = from.clone();
        self.memo.clear();
        for cmd in block {
            match *cmd {
                Cmd::Assume(guard) => {
                    if !self.assume(terms, &mut element, guard) {
                        self.room()?;
                        return Ok(Vec::new());
                    }
                }
                Cmd::Assign(x, term) if tracks(x) => {
                    self.assign(terms, &mut element, x, term);
                    self.memo.clear();
                }
                Cmd::Assign(x, _) | Cmd::Havoc(x) => {
                    self.havoc(&mut element, x);
                    self.memo.clear();
                }
            }
        }
        self.room()?;
        Ok(vec![element])
    }

    fn forget(&mut self, _terms: &Terms, element: &mut Element, alive: Ask<'_>) -> Result<(), Inconclusive> {
        if element.known.keys().any(|cell| !alive(cell.0)) {
            Rc::make_mut(&mut element.known).retain(|cell, _| alive(cell.0));
        }
        if element.arrays.keys().any(|symbol| !alive(*symbol)) {
            Rc::make_mut(&mut element.arrays).retain(|symbol, _| alive(*symbol));
        }
        if self.diagrams.bit(element.set.clone()) != Bit::Const(true) {
            let dead: Vec<Symbol> =
                self.variables.of_symbol.keys().copied().filter(|symbol| !alive(*symbol)).collect();
            let cube = self.symbol_cube(&dead);
            element.set = self.diagrams.exists(&element.set, &cube);
        }
        self.room()
    }

    fn minus(&mut self, new: &Element, old: &Element) -> Result<Option<Element>, Inconclusive> {
        let left = self.difference(new, old);
        self.room()?;
        Ok(left)
    }

    fn merge(&mut self, new: &Element, old: &Element, at: Meeting) -> Result<Option<Element>, Inconclusive> {
        let merged = at.waiting.then(|| self.union(new, old));
        self.room()?;
        Ok(merged)
    }

    fn formula(&mut self, terms: &mut Terms, element: &Element) -> Term {
        let mut parts = Vec::new();
        for (cell, partial) in element.known.iter() {
            parts.push(known_bits(terms, *cell, *partial));
        }
        for (symbol, others) in element.arrays.iter() {
            parts.push(rest_of_array(terms, *symbol, others));
        }
        parts.push(self.diagram_formula(terms, &element.set));
        terms.and(&parts)
    }
}

impl BddDomain {
    /// A diagram as nested choices.
    #[allow(clippy::mutable_key_type, reason = "what can change in a diagram is no part of its identity")]
    fn diagram_formula(&self, terms: &mut Terms, set: &Diagram) -> Term {
        let mut done: FxHashMap<Diagram, Term> = FxHashMap::default();
        let mut stack = vec![set.clone()];
        while let Some(here) = stack.last().cloned() {
            if done.contains_key(&here) {
                stack.pop();
                continue;
            }
            let Some((var, yes, no)) = self.diagrams.top(&here) else {
                let truth = terms.truth(self.diagrams.bit(here.clone()) == Bit::Const(true));
                done.insert(here, truth);
                continue;
            };
            match (done.get(&yes).copied(), done.get(&no).copied()) {
                (Some(yes), Some(no)) => {
                    let (cell, bit) = self.variables.owners[&var];
                    let bit = bit_of(terms, cell, bit);
                    let choice = terms.ite(bit, yes, no);
                    done.insert(here, choice);
                }
                _ => stack.extend([yes, no]),
            }
        }
        done[set]
    }
}

/// The term of a cell.
fn cell_term(terms: &mut Terms, (symbol, index): Cell) -> Term {
    let variable = terms.var_of(symbol);
    match (index, terms.sort(variable)) {
        (Some(index), Sort::Array { index: width, .. }) => {
            let index = terms.constant(index, width);
            terms.select(variable, index)
        }
        _ => variable,
    }
}

fn bit_of(terms: &mut Terms, cell: Cell, bit: u8) -> Term {
    let whole = cell_term(terms, cell);
    if terms.sort(whole) == Sort::Bool {
        return whole;
    }
    let bit = terms.extract(bit, bit, whole);
    terms.bits_to_bool(bit)
}

fn known_bits(terms: &mut Terms, cell: Cell, partial: Partial) -> Term {
    let whole = cell_term(terms, cell);
    let Sort::Bits(width) = terms.sort(whole) else {
        return if partial.value & 1 == 1 { whole } else { terms.not(whole) };
    };
    let value = terms.constant(partial.value, width);
    if partial.mask == mask(width) {
        return terms.eq(whole, value);
    }
    let bits = terms.constant(partial.mask, width);
    let cut = terms.bit_and(whole, bits);
    terms.eq(cut, value)
}

fn rest_of_array(terms: &mut Terms, symbol: Symbol, others: &Others) -> Term {
    let array = terms.var_of(symbol);
    let Sort::Array { index: width, element } = terms.sort(array) else {
        unreachable!("only arrays should have other elements")
    };
    let default = terms.constant(others.default, element);
    let mut whole = terms.const_array(width, default);
    for index in &others.own {
        let index = terms.constant(*index, width);
        let own = terms.select(array, index);
        whole = terms.store(whole, index, own);
    }
    terms.eq(array, whole)
}

impl Default for BddDomain {
    fn default() -> Self {
        Self::new()
    }
}
