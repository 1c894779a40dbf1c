//! The table of simplification rules.
//!
//! A rule belongs to an operation and either rewrites an application of it or declines. `Terms::make` tries the
//! rules of an operation in the order of this table; what no rule rewrites is stored. So the order is part of the
//! meaning: constants first, normal forms after, and every rule may assume that its operands are normal.
//!
//! A rule must make progress in the sense that re-making its result cannot come back to the redex; those that could
//! (normal forms of sums and conjunctions) decline when the result is what they were given.
//!
//! Each rule is proved, in the tests, on all values of widths 1 to 4 for thousands of applications, and must fire there.

use super::rules_bits as bits;
use super::rules_bool as truth;
use super::rules_range as range;
use super::{Op, Term, Terms};

/// Tries to rewrite `op(kids)`.
pub type Rewrite = fn(&mut Terms, Op, &[Term]) -> Option<Term>;

/// A named rewriting of one operation.
pub struct Rule {
    /// What the statistics call it.
    pub name: &'static str,
    /// Its operation, as [`class`] numbers them.
    class: usize,
    /// The rewriting.
    pub(super) rewrite: Rewrite,
}

macro_rules! rules {
    ($($class:ident { $($name:literal => $rewrite:path,)* })*) => {
        /// All rules, grouped by operation.
        pub const RULES: &[Rule] = &[
            $($(Rule { name: concat!(stringify!($class), ": ", $name), class: Class::$class as usize, rewrite: $rewrite },)*)*
        ];
    };
}

/// Operations without their parameters.
#[derive(Clone, Copy)]
enum Class {
    Not,
    And,
    Eq,
    Ite,
    Compare,
    Add,
    Mul,
    Divide,
    BitNot,
    BitAnd,
    BitOr,
    BitXor,
    Shift,
    Concat,
    Extract,
    Extend,
    Select,
    Store,
    Leaf,
}

const N_CLASSES: usize = Class::Leaf as usize + 1;

rules! {
    Not {
        "constant" => truth::not_constant,
        "double negation" => truth::not_not,
        "swap of a comparison" => truth::not_compare,
    }
    And {
        "constants, duplicates, nesting" => truth::and_normal,
        "complement" => truth::and_complement,
        "absorption" => truth::and_absorb,
        "pair of comparisons" => truth::and_pair,
        "pair of alternatives" => truth::and_resolve,
    }
    Eq {
        "same" => truth::eq_same,
        "truth values" => truth::eq_bool,
        "constants" => bits::eq_constants,
        "choice of constants" => bits::eq_choice,
        "extension" => bits::eq_extension,
        "concatenation" => bits::eq_concat,
        "linear" => bits::eq_linear,
        "order" => truth::eq_order,
    }
    Ite {
        "constant condition" => truth::ite_constant,
        "same branches" => truth::ite_same,
        "negated condition" => truth::ite_negated,
        "truth branch" => truth::ite_bool,
        "known condition" => truth::ite_nested,
        "equal branches under an equation" => truth::ite_equation,
        "conditional store" => truth::ite_store,
    }
    Compare {
        "constants" => bits::compare_constants,
        "same" => bits::compare_same,
        "extreme" => bits::compare_extreme,
        "strict against a constant" => bits::compare_strict,
        "choice of constants" => bits::compare_choice,
        "extensions" => bits::compare_extension,
        "ranges" => range::compare_ranges,
    }
    Add {
        "normal form" => bits::add_normal,
    }
    Mul {
        "constant factor" => bits::mul_constant,
        "factor of a factor" => bits::mul_factor,
        "order" => bits::commute,
    }
    Divide {
        "constants" => bits::fold,
        "by one or zero" => bits::divide_trivial,
        "by a power of two" => bits::divide_power,
    }
    BitNot {
        "constant" => bits::fold_unary,
        "of a sum" => bits::bit_not_sum,
        "choice of constants" => bits::unary_choice,
    }
    BitAnd {
        "constants" => bits::fold,
        "trivial" => bits::bit_and_trivial,
        "low bits" => bits::bit_and_low,
        "order" => bits::commute,
    }
    BitOr {
        "constants" => bits::fold,
        "trivial" => bits::bit_or_trivial,
        "order" => bits::commute,
    }
    BitXor {
        "constants" => bits::fold,
        "trivial" => bits::bit_xor_trivial,
        "order" => bits::commute,
    }
    Shift {
        "constants" => bits::fold,
        "of zero" => bits::shift_zero,
        "by a constant" => bits::shift_constant,
    }
    Concat {
        "constants" => bits::concat_constants,
        "zeros above" => bits::concat_zero,
        "adjacent extracts" => bits::concat_extracts,
    }
    Extract {
        "constant" => bits::fold_unary,
        "everything" => bits::extract_all,
        "of an extract" => bits::extract_extract,
        "of a concatenation" => bits::extract_concat,
        "of an extension" => bits::extract_extension,
        "of a narrow sum" => bits::extract_sum,
        "choice of constants" => bits::unary_choice,
    }
    Extend {
        "constant" => bits::fold_unary,
        "by nothing" => bits::extend_nothing,
        "of an extension" => bits::extend_extension,
        "choice of constants" => bits::unary_choice,
    }
    Select {
        "through writes and choices" => truth::select_resolve,
    }
    Store {
        "overwritten" => truth::store_store,
        "unchanged" => truth::store_same,
    }
}

fn class(op: Op) -> usize {
    let class = match op {
        Op::Not => Class::Not,
        Op::And => Class::And,
        Op::Eq => Class::Eq,
        Op::Ite => Class::Ite,
        Op::Ult | Op::Ule | Op::Slt | Op::Sle => Class::Compare,
        Op::Add => Class::Add,
        Op::Mul => Class::Mul,
        Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem => Class::Divide,
        Op::BitNot => Class::BitNot,
        Op::BitAnd => Class::BitAnd,
        Op::BitOr => Class::BitOr,
        Op::BitXor => Class::BitXor,
        Op::Shl | Op::Lshr | Op::Ashr => Class::Shift,
        Op::Concat => Class::Concat,
        Op::Extract { .. } => Class::Extract,
        Op::Zext(_) | Op::Sext(_) => Class::Extend,
        Op::Select => Class::Select,
        Op::Store => Class::Store,
        Op::Bool(_) | Op::Const(_) | Op::Var(_) | Op::ConstArray(_) => Class::Leaf,
    };
    class as usize
}

/// Where the rules of each operation start and end in the table.
const RANGES: [(usize, usize); N_CLASSES] = ranges();

const fn ranges() -> [(usize, usize); N_CLASSES] {
    let mut ranges = [(0, 0); N_CLASSES];
    let mut at = 0;
    while at < RULES.len() {
        let class = RULES[at].class;
        if ranges[class].1 == 0 {
            ranges[class].0 = at;
        }
        ranges[class].1 = at + 1;
        at += 1;
    }
    ranges
}

/// The positions in the table of the rules of `op`.
pub(super) fn of(op: Op) -> std::ops::Range<usize> {
    let (start, end) = RANGES[class(op)];
    start..end
}
