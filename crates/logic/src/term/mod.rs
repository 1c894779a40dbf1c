//! Hash-consed terms over truth values, bit-vectors and arrays.
//!
//! # The idea
//! A [`Term`] is a number; the pool [`Terms`] knows what it stands for. A node is stored once, so two terms are equal
//! exactly when their numbers are, and whatever is computed per term (its clauses, its value) can be kept in a
//! vector. Children are older than their parents: increasing numbers are a topological order, which several passes use
//! instead of recursion.
//!
//! Every constructor simplifies with the rules of [`rules::RULES`], so only normal forms are stored:
//!
//! | normal form | instead of |
//! |---|---|
//! | `and` of sorted distinct conjuncts, and `not` | `or`, `implies` |
//! | `ult`, `ule`, `slt`, `sle` without negation; against constants only `ule`/`sle` | `not (a < b)` |
//! | sums `c1*x1 + … + k` modulo 2^w, with distinct sorted `xi` | `sub`, `neg`, nested sums |
//! | equations with positive coefficients on both sides | `x + 1 == y + 1` |
//! | `select` of array variables only | `select` of `store`, `ite`, constant arrays |
//!
//! # Invariants
//! - A stored node is one to which no rule applies; so looking a node up before trying the rules is safe, and makes
//!   rebuilding a known term cheap.
//! - A name has one sort for the lifetime of the pool.
//! - No function here recurses on the height of a term.
//!
//! # Semantics
//! SMT-LIB's: a quotient by zero is all ones (`sdiv`: 1 or −1 by the dividend's sign), a remainder by zero is the dividend, a shift by
//! the width or more gives zeros (`ashr`: sign bits). [`eval`](Terms::eval) *is* the semantics; rules and blaster are
//! tested against it on all values of small widths.
//!
//! # Direction of error
//! There is none to choose: a wrong rule is a wrong verdict. Hence the exhaustive tests.

mod apply;
mod build;
mod eval;
mod linear;
mod pool;
mod print;
pub mod rules;
mod rules_bits;
mod rules_bool;
mod rules_range;
mod smtlib;
mod traverse;

pub use eval::{ArrayValue, Model, Value};
pub use linear::Linear;
pub use pool::Terms;
pub(crate) use smtlib::{quoted, smtlib_sort};
pub(crate) use traverse::Marks;

base::id_type!(
    /// A term of a pool; equality is identity.
    Term,
    "t"
);

base::id_type!(
    /// An interned name of a variable.
    Symbol,
    "s"
);

/// A width in bits, from 1 to 128.
pub type Width = u8;

/// What a term's values are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Bit-vectors of a width from 1 to 128.
    Bits(Width),
    /// Total maps from bit-vectors to bit-vectors.
    Array {
        /// Width of the indices.
        index: Width,
        /// Width of the elements.
        element: Width,
    },
}

impl Sort {
    /// The width of a bit-vector sort.
    pub fn width(self) -> Option<Width> {
        if let Sort::Bits(width) = self { Some(width) } else { None }
    }
}

/// The operation at the top of a term. Names are SMT-LIB's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)]
pub enum Op {
    Bool(bool),
    Const(u128),
    Var(Symbol),
    Not,
    And,
    /// Equality at any sort; on `Bool` it is "if and only if".
    Eq,
    /// Choice at any sort.
    Ite,
    Ult,
    Ule,
    Slt,
    Sle,
    /// A sum of any number of terms.
    Add,
    Mul,
    Udiv,
    Urem,
    Sdiv,
    Srem,
    BitNot,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Lshr,
    Ashr,
    /// The first operand holds the high bits.
    Concat,
    Extract {
        hi: Width,
        lo: Width,
    },
    /// To this width, with zeros.
    Zext(Width),
    /// To this width, with the sign.
    Sext(Width),
    Select,
    Store,
    /// The array with one element everywhere; the parameter is the index width.
    ConstArray(Width),
}

/// All ones of a width.
pub(crate) fn mask(width: Width) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// `value`, of this width, as a signed number.
pub(crate) fn signed(value: u128, width: Width) -> i128 {
    let unused = 128 - u32::from(width);
    (value << unused).cast_signed() >> unused
}

/// The least signed number of a width, as a bit pattern.
pub(crate) fn signed_min(width: Width) -> u128 {
    1 << (width - 1)
}

/// The greatest signed number of a width, as a bit pattern.
pub(crate) fn signed_max(width: Width) -> u128 {
    signed_min(width) - 1
}

#[cfg(test)]
mod tests;
