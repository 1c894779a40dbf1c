//! Bits as functions of the state's bits, and words of them: what bit-blasting is made of.
//!
//! A [`Bit`] that is constant is no diagram: most bits of most words are, and arithmetic on them is free.
//!
//! When the diagrams run out of room an operation gives *some* function and notes it ([`Diagrams::is_full`]); the caller that
//! asked checks that before using any result.

use oxidd::bcdd::{BCDDFunction, BCDDManagerRef};
use oxidd::util::AllocResult;
use oxidd::{BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, Manager, ManagerRef, VarNo};
use std::cell::Cell;

/// A set of states, or a function of the state's bits.
pub type Diagram = BCDDFunction;

/// Maximum number of nodes.
const NODES: usize = 1 << 22;
/// Number of cached results of operations.
const CACHE: usize = 1 << 18;

/// One bit.
#[derive(Clone, PartialEq, Eq)]
pub enum Bit {
    /// Always this.
    Const(bool),
    /// Depends on the state.
    Of(Diagram),
}

/// The manager of all diagrams.
pub struct Diagrams {
    manager: BCDDManagerRef,
    yes: Diagram,
    no: Diagram,
    full: Cell<bool>,
}

impl Diagrams {
    /// No variables yet.
    pub fn new() -> Self {
        let manager = oxidd::bcdd::new_manager(NODES, CACHE, 1);
        let (yes, no) = manager.with_manager_shared(|m| (Diagram::t(m), Diagram::f(m)));
        Self { manager, yes, no, full: Cell::new(false) }
    }

    /// Returns true if some operation had no room for its result.
    pub fn is_full(&self) -> bool {
        self.full.get()
    }

    fn checked(&self, result: AllocResult<Diagram>) -> Diagram {
        result.unwrap_or_else(|_| {
            self.full.set(true);
            self.no.clone()
        })
    }

    /// Everything.
    pub fn yes(&self) -> Diagram {
        self.yes.clone()
    }

    /// Adds some variables at the end of the order; the first one.
    pub fn add_variables(&self, n_variables: VarNo) -> VarNo {
        self.manager.with_manager_exclusive(|m| m.add_vars(n_variables)).start
    }

    /// The function that is a variable.
    pub fn variable(&self, var: VarNo) -> Diagram {
        self.checked(self.manager.with_manager_shared(|m| Diagram::var(m, var)))
    }

    /// A variable, or its negation.
    pub fn literal(&self, var: VarNo, value: bool) -> Diagram {
        let variable = self.manager.with_manager_shared(|m| match value {
            true => Diagram::var(m, var),
            false => Diagram::not_var(m, var),
        });
        self.checked(variable)
    }

    /// Both.
    pub fn both(&self, a: &Diagram, b: &Diagram) -> Diagram {
        self.checked(a.and(b))
    }
    /// At least one.
    pub fn either(&self, a: &Diagram, b: &Diagram) -> Diagram {
        self.checked(a.or(b))
    }
    /// Not.
    pub fn without(&self, a: &Diagram, b: &Diagram) -> Diagram {
        let not_b = self.checked(b.not());
        self.both(a, &not_b)
    }
    /// The same truth value.
    pub fn same(&self, a: &Diagram, b: &Diagram) -> Diagram {
        self.checked(a.equiv(b))
    }
    /// For some values of the variables of a cube.
    pub fn exists(&self, a: &Diagram, cube: &Diagram) -> Diagram {
        self.checked(a.exists(cube))
    }
    /// Both, for some values of the variables of a cube.
    pub fn both_exists(&self, a: &Diagram, b: &Diagram, cube: &Diagram) -> Diagram {
        self.checked(a.apply_exists(BooleanOperator::And, b, cube))
    }
    /// Where the literals of a cube hold.
    pub fn restrict(&self, a: &Diagram, cube: &Diagram) -> Diagram {
        self.checked(a.restrict(cube))
    }

    /// The variable at the top and both sides, if the function depends on anything.
    pub fn top(&self, a: &Diagram) -> Option<(VarNo, Diagram, Diagram)> {
        let (yes, no) = a.cofactors()?;
        let var = a.with_manager_shared(|m, edge| m.level_to_var(m.get_node(edge).level()));
        Some((var, yes, no))
    }

    // ---- bits -----------------------------------------------------------------------------------------------

    /// A function as a bit.
    pub fn bit(&self, a: Diagram) -> Bit {
        if a == self.yes {
            Bit::Const(true)
        } else if a == self.no {
            Bit::Const(false)
        } else {
            Bit::Of(a)
        }
    }

    /// A bit as a function.
    pub fn function(&self, bit: &Bit) -> Diagram {
        match bit {
            Bit::Const(true) => self.yes.clone(),
            Bit::Const(false) => self.no.clone(),
            Bit::Of(a) => a.clone(),
        }
    }

    /// Not.
    pub fn not(&self, a: &Bit) -> Bit {
        match a {
            Bit::Const(value) => Bit::Const(!value),
            Bit::Of(a) => self.bit(self.checked(a.not())),
        }
    }
    /// And.
    pub fn and(&self, a: &Bit, b: &Bit) -> Bit {
        match (a, b) {
            (Bit::Const(false), _) | (_, Bit::Const(false)) => Bit::Const(false),
            (Bit::Const(true), other) | (other, Bit::Const(true)) => other.clone(),
            (Bit::Of(a), Bit::Of(b)) => self.bit(self.both(a, b)),
        }
    }
    /// Or.
    pub fn or(&self, a: &Bit, b: &Bit) -> Bit {
        self.not(&self.and(&self.not(a), &self.not(b)))
    }
    /// Exclusive or.
    pub fn xor(&self, a: &Bit, b: &Bit) -> Bit {
        match (a, b) {
            (Bit::Const(false), other) | (other, Bit::Const(false)) => other.clone(),
            (Bit::Const(true), other) | (other, Bit::Const(true)) => self.not(other),
            (Bit::Of(a), Bit::Of(b)) => self.bit(self.checked(a.xor(b))),
        }
    }
    /// Choice.
    pub fn choose(&self, c: &Bit, yes: &Bit, no: &Bit) -> Bit {
        match (c, yes, no) {
            (Bit::Const(true), yes, _) => yes.clone(),
            (Bit::Const(false), _, no) => no.clone(),
            (_, yes, no) if yes == no => yes.clone(),
            (Bit::Of(c), yes, no) => self.bit(self.checked(c.ite(&self.function(yes), &self.function(no)))),
        }
    }
}

impl Default for Diagrams {
    fn default() -> Self {
        Self::new()
    }
}

/// A word, its lowest bit first.
pub type Word = Vec<Bit>;

/// The value of a word of constants.
pub fn constant(word: &[Bit]) -> Option<u128> {
    word.iter().enumerate().try_fold(0u128, |value, (n, bit)| match bit {
        Bit::Const(one) => Some(value | u128::from(*one) << n),
        Bit::Of(_) => None,
    })
}

/// A constant as a word.
pub fn word(value: u128, width: usize) -> Word {
    (0..width).map(|n| Bit::Const(value >> n & 1 == 1)).collect()
}

impl Diagrams {
    /// The sum.
    pub fn add(&self, a: &[Bit], b: &[Bit]) -> Word {
        let mut carry = Bit::Const(false);
        let mut sum = Word::with_capacity(a.len());
        for (a, b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            sum.push(self.xor(&half, &carry));
            carry = self.or(&self.and(a, b), &self.and(&half, &carry));
        }
        sum
    }

    /// The product with a constant.
    pub fn times(&self, a: &[Bit], factor: u128) -> Word {
        let width = a.len();
        let mut sum = word(0, width);
        // A factor with many ones is the negative of one with few.
        let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
        let negative = factor.wrapping_neg() & mask;
        let (factor, negate) =
            if negative.count_ones() < factor.count_ones() { (negative, true) } else { (factor, false) };
        for shift in (0..width).filter(|n| factor >> n & 1 == 1) {
            let mut shifted = word(0, shift);
            shifted.extend_from_slice(&a[..width - shift]);
            sum = self.add(&sum, &shifted);
        }
        if negate {
            let inverted: Word = sum.iter().map(|bit| self.not(bit)).collect();
            sum = self.add(&inverted, &word(1, width));
        }
        sum
    }

    /// The condition that two words are equal.
    pub fn equal(&self, a: &[Bit], b: &[Bit]) -> Bit {
        let mut equal = Bit::Const(true);
        for (a, b) in a.iter().zip(b) {
            equal = self.and(&equal, &self.not(&self.xor(a, b)));
            if equal == Bit::Const(false) {
                break;
            }
        }
        equal
    }

    /// The condition that `a` is less than `b` without signs, or also equal.
    pub fn less(&self, a: &[Bit], b: &[Bit], or_equal: bool) -> Bit {
        let mut less = Bit::Const(or_equal);
        for (a, b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            less = self.choose(&differ, b, &less);
        }
        less
    }

    /// Choice between words.
    pub fn choose_word(&self, c: &Bit, yes: &[Bit], no: &[Bit]) -> Word {
        yes.iter().zip(no).map(|(yes, no)| self.choose(c, yes, no)).collect()
    }

    /// All values of a word in a set of states, unless they are more than `most`.
    pub fn values(&self, set: &Diagram, bits: &[Bit], most: usize) -> Option<Vec<u128>> {
        let mut open = vec![(set.clone(), 0u128, bits.len())];
        let mut found = Vec::new();
        while let Some((states, value, left)) = open.pop() {
            if found.len() + open.len() > most {
                return None;
            }
            let Some(at) = left.checked_sub(1) else {
                found.push(value);
                continue;
            };
            match &bits[at] {
                Bit::Const(one) => open.push((states, value << 1 | u128::from(*one), at)),
                Bit::Of(bit) => {
                    for (side, one) in [(self.without(&states, bit), 0), (self.both(&states, bit), 1)] {
                        if side != self.no {
                            open.push((side, value << 1 | one, at));
                        }
                    }
                }
            }
        }
        Some(found)
    }
}
