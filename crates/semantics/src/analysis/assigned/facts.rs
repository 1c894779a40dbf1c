//! What is known at a location: which bytes are set, and what follows from numbers and results.
//!
//! Besides bytes at constant distances there are two kinds of facts that programs need again and again:
//!
//! - A *run*: of an array, the elements before the one that an index register names (or up to it) are set. It holds of an index that is 0, goes on with a store to the element and an
//!   increment of the index, and says which bytes are set where a branch compares the index with the length.
//! - What is set *when* a register is zero, or is not: after a call whose result says whether it has set what it was to set, and where paths with different constants meet.

use super::length;
use super::ranges::{END, Ranges};
use program::{BinOp, Cast, Expr, UnOp, VarId, Width};
use std::collections::{BTreeMap, BTreeSet};

/// A run over more elements than this is noted only if they are adjacent.
const MAX_ELEMENTS: i64 = 1024;

/// What addresses are relative to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Base {
    /// A memory variable of the frame.
    Local(VarId),
    /// What a register holds.
    Register(VarId),
}

/// The same part of the elements of an array: `width` bytes at `offset + k * scale` from the base, for every `k` from 0 to before the value of `index`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Run {
    base: Base,
    offset: i64,
    width: i64,
    index: VarId,
    scale: i64,
    /// Whether the index is a signed number: there are no elements before a negative one.
    is_signed: bool,
}

/// A register times a constant, in the width of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Product {
    factor: VarId,
    scale: i64,
    /// Whether the register is signed; both, if it is as wide as a pointer.
    signs: &'static [bool],
}

/// How far a run goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Reach {
    /// The element that the index names is not known to be set.
    Before,
    /// It is set.
    Through,
}

/// Bytes that are set, by what their places are relative to.
type Set = BTreeMap<Base, Ranges>;

/// What holds at a location.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Facts {
    set: Set,
    /// Registers that hold the address of a variable of the frame, and how far from its start.
    aliases: BTreeMap<VarId, (VarId, i64)>,
    /// Registers with a constant value.
    constants: BTreeMap<VarId, (u128, Width)>,
    /// Registers that are known not to be zero (true), or to be zero.
    truths: BTreeMap<VarId, bool>,
    /// What else is set if a register is not zero (true), or if it is.
    when: BTreeMap<(VarId, bool), Set>,
    runs: BTreeMap<Run, Reach>,
    /// Registers that are a number of elements times their size, in bytes.
    products: BTreeMap<VarId, Product>,
    /// Sizes of objects that begin at a base, as such products.
    sizes: BTreeMap<Base, Product>,
    /// Registers that hold the address of an element: a base, a distance from it, and an index.
    elements: BTreeMap<VarId, (Base, i64, Product)>,
    /// Registers that are one more than another one.
    successors: BTreeMap<VarId, VarId>,
}

impl Facts {
    /// What an address is relative to, and how far away.
    pub(super) fn resolve(&self, address: &Expr) -> Option<(Base, i64)> {
        match address {
            Expr::LocalAddr(var, _) => Some((Base::Local(*var), 0)),
            Expr::Reg(var, _) => Some(match self.aliases.get(var) {
                Some((local, offset)) => (Base::Local(*local), *offset),
                None => (Base::Register(*var), 0),
            }),
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub), base, distance) => {
                let distance = distance.width().signed(distance.as_const()?);
                let distance = i64::try_from(distance).ok()?;
                let (base, offset) = self.resolve(base)?;
                let moved = if *op == BinOp::Add {
                    offset.checked_add(distance)
                } else {
                    offset.checked_sub(distance)
                };
                Some((base, moved?))
            }
            _ => None,
        }
    }

    /// The variable of the frame that an address leads into, and where.
    pub(super) fn alias(&self, address: &Expr) -> Option<(VarId, i64)> {
        match self.resolve(address) {
            Some((Base::Local(local), offset)) => Some((local, offset)),
            _ => None,
        }
    }

    pub(super) fn add(&mut self, (base, offset): (Base, i64), ranges: &Ranges) {
        self.set.entry(base).or_default().extend(&ranges.shifted(offset));
    }

    /// The same, if a register is not zero (true), or if it is.
    pub(super) fn add_when(&mut self, var: VarId, truth: bool, (base, offset): (Base, i64), ranges: &Ranges) {
        if base == Base::Register(var) {
            return;
        }
        self.when.entry((var, truth)).or_default().entry(base).or_default().extend(&ranges.shifted(offset));
    }

    /// What is set, counted from an address on.
    pub(super) fn at(&self, (base, offset): (Base, i64)) -> Ranges {
        self.set.get(&base).map_or_else(Ranges::default, |ranges| ranges.shifted(offset.wrapping_neg()))
    }

    /// The same if a result is not zero (true), or if it is; `None` if it cannot be so.
    pub(super) fn at_when(&self, result: Option<&Expr>, truth: bool, place: (Base, i64)) -> Option<Ranges> {
        let mut ranges = self.at(place);
        match result {
            Some(Expr::Const(value, _)) if (*value != 0) != truth => return None,
            Some(Expr::Reg(var, _)) => {
                let more = self.part(*var, truth)?;
                ranges.extend(
                    &more.get(&place.0).map_or_else(Ranges::default, |r| r.shifted(place.1.wrapping_neg())),
                );
            }
            _ => {}
        }
        Some(ranges)
    }

    // ---- registers --------------------------------------------------------------------------------------------

    /// A register gets a new value, an address of which this is known.
    pub(super) fn assign(&mut self, var: VarId, alias: Option<(VarId, i64)>, ranges: Ranges) {
        self.forget_base(Base::Register(var));
        self.aliases.remove(&var);
        self.aliases.extend(alias.map(|alias| (var, alias)));
        self.constants.remove(&var);
        self.truths.remove(&var);
        self.when.retain(|(register, _), _| *register != var);
        self.runs.retain(|run, _| run.index != var);
        self.products.retain(|register, product| *register != var && product.factor != var);
        self.sizes.retain(|_, size| size.factor != var);
        self.elements.retain(|register, (_, _, product)| *register != var && product.factor != var);
        self.successors.retain(|after, before| *after != var && *before != var);
        self.set.insert(Base::Register(var), ranges);
    }

    /// A variable of the frame begins or ceases to live.
    pub(super) fn forget(&mut self, var: VarId) {
        self.forget_base(Base::Local(var));
        self.aliases.retain(|_, (local, _)| *local != var);
        self.assign(var, None, Ranges::default());
    }

    fn forget_base(&mut self, base: Base) {
        self.set.remove(&base);
        self.sizes.remove(&base);
        self.runs.retain(|run, _| run.base != base);
        self.elements.retain(|_, (start, ..)| *start != base);
        self.when.values_mut().for_each(|set| {
            set.remove(&base);
        });
        self.when.retain(|_, set| !set.is_empty());
    }

    /// A register gets the value of an expression, an address of which this is known.
    pub(super) fn set_register(&mut self, var: VarId, value: &Expr, ranges: Ranges) {
        let alias = self.alias(value);
        let mut runs: Vec<(Run, Reach)> = Vec::new();
        let mut learnt = Facts::default();
        match value {
            Expr::Const(number, width) => {
                learnt.constants.insert(var, (*number, *width));
                learnt.truths.insert(var, *number != 0);
            }
            Expr::Reg(other, _) if *other != var => {
                runs.extend(self.runs_of(*other).map(|(run, reach)| (Run { index: var, ..run }, reach)));
                learnt.constants.extend(self.constants.get(other).map(|constant| (var, *constant)));
                learnt.truths.extend(self.truths.get(other).map(|truth| (var, *truth)));
                for truth in [false, true] {
                    learnt
                        .when
                        .extend(self.when.get(&(*other, truth)).map(|set| ((var, truth), set.clone())));
                }
                let size = self.sizes.get(&Base::Register(*other)).filter(|size| size.factor != var);
                learnt.sizes.extend(size.map(|size| (Base::Register(var), *size)));
            }
            Expr::Binary(BinOp::Add, other, one) if one.as_const() == Some(1) => {
                if let Expr::Reg(before, _) = &**other {
                    let passed = self.runs_of(*before).filter(|(_, reach)| *reach == Reach::Through);
                    runs.extend(passed.map(|(run, _)| (Run { index: var, ..run }, Reach::Before)));
                    learnt.successors.extend((*before != var).then_some((var, *before)));
                }
            }
            _ => {}
        }
        let product = self.product(value).filter(|product| product.factor != var);
        learnt.products.extend(product.map(|product| (var, product)));
        let element = self.element(value);
        let stays =
            |(base, _, product): &(Base, i64, Product)| *base != Base::Register(var) && product.factor != var;
        learnt.elements.extend(element.filter(stays).map(|element| (var, element)));
        self.assign(var, alias, ranges);
        let is_old = |set: &mut Set| set.remove(&Base::Register(var));
        learnt.when.values_mut().for_each(|set| {
            is_old(set);
        });
        self.constants.append(&mut learnt.constants);
        self.truths.append(&mut learnt.truths);
        self.when.append(&mut learnt.when);
        self.products.append(&mut learnt.products);
        self.sizes.append(&mut learnt.sizes);
        self.elements.append(&mut learnt.elements);
        self.successors.append(&mut learnt.successors);
        self.runs.extend(runs.into_iter().filter(|(run, _)| run.base != Base::Register(var)));
    }

    /// A register gets the address of a new object of this size.
    pub(super) fn allocate(&mut self, var: VarId, size: &Expr) {
        let size = self.product(size);
        self.assign(var, None, Ranges::default());
        self.sizes.extend(size.filter(|size| size.factor != var).map(|size| (Base::Register(var), size)));
    }

    // ---- runs -------------------------------------------------------------------------------------------------

    fn runs_of(&self, index: VarId) -> impl Iterator<Item = (Run, Reach)> {
        self.runs.iter().filter(move |(run, _)| run.index == index).map(|(run, reach)| (*run, *reach))
    }

    /// How far a run goes, if it holds.
    fn reach(&self, run: Run) -> Option<Reach> {
        if let Some(reach) = self.runs.get(&run) {
            return Some(*reach);
        }
        let (number, width) = self.constants.get(&run.index)?;
        let value = if run.is_signed { width.signed(*number) } else { i128::try_from(*number).ok()? };
        let value = i64::try_from(value).ok()?;
        self.covers(run, value)
            .then(|| if self.covers(run, value.saturating_add(1)) { Reach::Through } else { Reach::Before })
    }

    /// Returns true if the elements of a run before this one are set.
    fn covers(&self, run: Run, end: i64) -> bool {
        end <= 0
            || end <= MAX_ELEMENTS
                && self.set.get(&run.base).is_some_and(|set| {
                    (0..end).all(|k| {
                        let at = run.offset.saturating_add(k.saturating_mul(run.scale));
                        set.covers(at, at.saturating_add(run.width))
                    })
                })
    }

    /// A value as a register times a constant.
    fn product(&self, value: &Expr) -> Option<Product> {
        match value {
            Expr::Reg(var, _) if self.products.contains_key(var) => self.products.get(var).copied(),
            other => Product::of(other),
        }
    }

    /// What an address of an element is relative to, how far away it would be for the index 0, and the index.
    fn element(&self, address: &Expr) -> Option<(Base, i64, Product)> {
        match address {
            Expr::Reg(var, _) => self.elements.get(var).copied(),
            Expr::Binary(BinOp::Add, left, right) => match right.as_const() {
                // A member of an element.
                Some(distance) => {
                    let distance = i64::try_from(right.width().signed(distance)).ok()?;
                    let (base, offset, product) = self.element(left)?;
                    Some((base, offset.checked_add(distance)?, product))
                }
                None => {
                    let (base, offset) = self.resolve(left)?;
                    Some((base, offset, Product::of(right)?))
                }
            },
            _ => None,
        }
    }

    /// The runs that an address of `width` bytes may be the next element of.
    fn runs_at(&self, address: &Expr, width: i64) -> Vec<Run> {
        let element = self.element(address).filter(|(_, _, product)| width <= product.scale);
        let Some((base, offset, Product { factor: index, scale, signs })) = element else {
            return Vec::new();
        };
        signs
            .iter()
            .map(|is_signed| Run { base, offset, width, index, scale, is_signed: *is_signed })
            .collect()
    }

    /// Bytes at an address are set.
    pub(super) fn store(&mut self, address: &Expr, len: i64) {
        if let Some(place) = self.resolve(address) {
            let mut ranges = Ranges::default();
            ranges.add(0, len);
            self.add(place, &ranges);
        }
        for run in self.runs_at(address, len) {
            if self.reach(run).is_some() {
                self.runs.insert(run, Reach::Through);
                let next: Vec<VarId> = self
                    .successors
                    .iter()
                    .filter(|(_, before)| **before == run.index)
                    .map(|(next, _)| *next)
                    .collect();
                next.into_iter().for_each(|index| {
                    self.runs.insert(Run { index, ..run }, Reach::Before);
                });
            }
        }
    }

    /// Returns true if an address is that of an element whose run goes through it.
    pub(super) fn is_passed(&self, address: &Expr, len: i64) -> bool {
        self.runs_at(address, len).into_iter().any(|run| self.runs.get(&run) == Some(&Reach::Through))
    }

    /// An index is at least `bound + more`.
    fn at_least(&mut self, index: VarId, bound: &Expr, more: i64, is_signed: bool) {
        match bound {
            Expr::Const(number, width) => {
                let number =
                    if is_signed { width.signed(*number) } else { i128::try_from(*number).unwrap_or(0) };
                let end = i64::try_from(number).unwrap_or(0).saturating_add(more);
                let runs = self.runs_of(index).map(|(run, _)| run).filter(|run| run.is_signed == is_signed);
                runs.collect::<Vec<_>>().into_iter().for_each(|run| self.pass(run, end));
            }
            Expr::Reg(length, _) => {
                let is_length = |size: &Product| size.factor == *length && size.signs.contains(&is_signed);
                let arrays = self.sizes.iter().filter(|(_, size)| is_length(size)).map(|(base, size)| Run {
                    base: *base,
                    offset: 0,
                    width: size.scale,
                    index,
                    scale: size.scale,
                    is_signed,
                });
                let whole: Vec<Base> =
                    arrays.filter(|run| self.reach(*run).is_some()).map(|run| run.base).collect();
                for base in whole {
                    let mut ranges = Ranges::default();
                    ranges.add(0, END);
                    self.add((base, 0), &ranges);
                }
            }
            _ => {}
        }
    }

    /// The same of an index that was extended to the width of the bound.
    fn at_least_narrow(&mut self, index: &Expr, bound: &Expr, more: i64, is_signed: bool) {
        if let (Expr::Reg(index, _), Expr::Const(..)) = (index, bound) {
            self.at_least(*index, bound, more, is_signed);
        }
    }

    /// The elements of a run before this one are set.
    fn pass(&mut self, run: Run, end: i64) {
        let mut ranges = Ranges::default();
        if run.width == run.scale {
            ranges.add(0, end.saturating_mul(run.scale));
        } else if end <= MAX_ELEMENTS {
            for start in (0..end).map(|k| run.scale.saturating_mul(k)) {
                ranges.add(start, start.saturating_add(run.width));
            }
        }
        self.add((run.base, run.offset), &ranges);
    }

    // ---- branches ---------------------------------------------------------------------------------------------

    /// Whether a condition holds, if constants decide that.
    pub(super) fn decides(&self, cond: &Expr) -> Option<bool> {
        let Expr::Binary(op, left, right) = cond else { return None };
        let (left, right) = (self.number(left)?, self.number(right)?);
        Some(match op {
            BinOp::Eq => left.0 == right.0,
            BinOp::Ne => left.0 != right.0,
            BinOp::ULt => left.0 < right.0,
            BinOp::ULe => left.0 <= right.0,
            BinOp::SLt => left.1.signed(left.0) < right.1.signed(right.0),
            BinOp::SLe => left.1.signed(left.0) <= right.1.signed(right.0),
            _ => return None,
        })
    }

    fn number(&self, value: &Expr) -> Option<(u128, Width)> {
        match value {
            Expr::Const(number, width) => Some((*number, *width)),
            Expr::Reg(var, _) => self.constants.get(var).copied(),
            Expr::Cast(Cast::Zext, width, inner) => Some((self.number(inner)?.0, *width)),
            _ => None,
        }
    }

    /// A condition holds, or does not.
    pub(super) fn assume(&mut self, cond: &Expr, holds: bool) {
        match cond {
            Expr::Reg(var, _) => self.assume_truth(*var, holds),
            Expr::Unary(UnOp::Not, inner) if cond.width() == Width::BOOL => self.assume(inner, !holds),
            Expr::Binary(BinOp::And, left, right) if holds && cond.width() == Width::BOOL => {
                self.assume(left, true);
                self.assume(right, true);
            }
            Expr::Binary(BinOp::Or, left, right) if !holds && cond.width() == Width::BOOL => {
                self.assume(left, false);
                self.assume(right, false);
            }
            Expr::Binary(BinOp::Ne, left, right) => self.assume_equal(left, right, !holds),
            Expr::Binary(BinOp::Eq, left, right) => self.assume_equal(left, right, holds),
            Expr::Binary(op @ (BinOp::SLt | BinOp::SLe | BinOp::ULt | BinOp::ULe), left, right) => {
                let is_signed = matches!(op, BinOp::SLt | BinOp::SLe);
                let is_strict = matches!(op, BinOp::SLt | BinOp::ULt);
                // Not `left < right` is `left >= right`; `left < right` is `right >= left + 1`.
                let (index, bound, more) = match holds {
                    false => (&**left, &**right, i64::from(!is_strict)),
                    true => (&**right, &**left, i64::from(is_strict)),
                };
                match index {
                    Expr::Reg(index, _) => self.at_least(*index, bound, more, is_signed),
                    Expr::Cast(Cast::Zext, _, inner) => self.at_least_narrow(inner, bound, more, false),
                    Expr::Cast(Cast::Sext, _, inner) if is_signed => {
                        self.at_least_narrow(inner, bound, more, true)
                    }
                    _ => {}
                }
                if let (true, true, Expr::Reg(var, _), Some(0)) =
                    (holds, is_strict, &**left, right.as_const())
                {
                    self.assume_truth(*var, true);
                }
            }
            _ => {}
        }
    }

    fn assume_equal(&mut self, left: &Expr, right: &Expr, equal: bool) {
        let (Expr::Reg(var, _), other) = (left, right) else { return };
        match other.as_const() {
            Some(0) => self.assume_truth(*var, !equal),
            Some(_) if equal => self.assume_truth(*var, true),
            _ => {}
        }
        if equal {
            self.at_least(*var, other, 0, true);
            self.at_least(*var, other, 0, false);
        }
    }

    fn assume_truth(&mut self, var: VarId, truth: bool) {
        for (base, ranges) in self.when.get(&(var, truth)).cloned().unwrap_or_default() {
            self.add((base, 0), &ranges);
        }
        self.truths.insert(var, truth);
    }

    // ---- joins ------------------------------------------------------------------------------------------------

    /// What is set if a register is not zero (true), or if it is; `None` if it cannot be so.
    fn part(&self, var: VarId, truth: bool) -> Option<Set> {
        if self.truths.get(&var).is_some_and(|known| *known != truth) {
            return None;
        }
        let mut set = self.set.clone();
        for (base, ranges) in self.when.get(&(var, truth)).into_iter().flatten() {
            set.entry(*base).or_default().extend(ranges);
        }
        Some(set)
    }

    /// Keeps what holds on both ways; returns true if something was lost.
    pub(super) fn join(&mut self, other: &Facts) -> bool {
        let set = intersection(&self.set, &other.set);
        let joined = Facts {
            aliases: common(&self.aliases, &other.aliases),
            constants: common(&self.constants, &other.constants),
            truths: common(&self.truths, &other.truths),
            when: self.joined_parts(other, &set),
            runs: self.joined_runs(other),
            products: common(&self.products, &other.products),
            sizes: common(&self.sizes, &other.sizes),
            elements: common(&self.elements, &other.elements),
            successors: common(&self.successors, &other.successors),
            set,
        };
        let changed = *self != joined;
        *self = joined;
        changed
    }

    fn joined_parts(&self, other: &Facts, set: &Set) -> BTreeMap<(VarId, bool), Set> {
        let differ = |(var, truth): (&VarId, &bool)| (other.truths.get(var) == Some(&!truth)).then_some(*var);
        let mut vars: BTreeSet<VarId> = self.truths.iter().filter_map(differ).collect();
        vars.extend(self.when.keys().chain(other.when.keys()).map(|(var, _)| *var));
        let mut when = BTreeMap::new();
        for (var, truth) in vars.into_iter().flat_map(|var| [(var, false), (var, true)]) {
            let mut part = match (self.part(var, truth), other.part(var, truth)) {
                (None, None) => continue,
                (Some(one), None) | (None, Some(one)) => one,
                (Some(one), Some(two)) => intersection(&one, &two),
            };
            part.retain(|base, ranges| set.get(base) != Some(ranges) && *ranges != Ranges::default());
            if !part.is_empty() {
                when.insert((var, truth), part);
            }
        }
        when
    }

    fn joined_runs(&self, other: &Facts) -> BTreeMap<Run, Reach> {
        let all: BTreeSet<Run> = self.runs.keys().chain(other.runs.keys()).copied().collect();
        let reach = |run: Run| Some((run, self.reach(run)?.min(other.reach(run)?)));
        all.into_iter().filter_map(reach).collect()
    }
}

fn intersection(one: &Set, two: &Set) -> Set {
    let both = one.iter().filter_map(|(base, ranges)| Some((*base, ranges.intersection(two.get(base)?))));
    both.collect()
}

fn common<K: Ord + Copy, V: PartialEq + Copy>(one: &BTreeMap<K, V>, two: &BTreeMap<K, V>) -> BTreeMap<K, V> {
    one.iter().filter(|(key, value)| two.get(key) == Some(value)).map(|(key, value)| (*key, *value)).collect()
}

impl Product {
    fn of(value: &Expr) -> Option<Self> {
        let (factor, scale) = match value {
            Expr::Binary(BinOp::Mul, factor, scale) => (&**factor, length(scale).filter(|scale| *scale > 0)?),
            other => (other, 1),
        };
        let (register, signs): (_, &'static [bool]) = match factor {
            Expr::Cast(Cast::Sext, _, inner) => (&**inner, &[true]),
            Expr::Cast(Cast::Zext, _, inner) => (&**inner, &[false]),
            register => (register, &[true, false]),
        };
        let Expr::Reg(factor, _) = register else { return None };
        Some(Self { factor: *factor, scale, signs })
    }
}
