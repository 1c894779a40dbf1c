//! Facts without those that follow from others: of many bounds of a variable the tightest ones say it all.
//!
//! Houdini's candidates compare each variable with dozens of constants, and most of those that hold follow from few. Queries are made of these few; which facts hold in
//! a model is still found out for each.
//!
//! # Direction of error
//! None: the conjunction of what is left is equivalent to that of all.

use logic::{Op, Symbol, Term, Terms, Width};
use rustc_hash::FxHashMap;

/// How numbers are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Order {
    Signed,
    Unsigned,
}

impl Order {
    const ALL: [Order; 2] = [Order::Signed, Order::Unsigned];

    /// A number of a width of at most 64 bits, as it counts in this order.
    fn rank(self, value: u128, width: Width) -> i128 {
        let unused = 128 - u32::from(width);
        match self {
            Order::Signed => (value << unused).cast_signed() >> unused,
            Order::Unsigned => value.cast_signed(),
        }
    }
}

/// A comparison of a variable with a constant.
#[derive(Clone, Copy, Debug)]
enum Comparison {
    Equal,
    Differs,
    AtMost(Order),
    AtLeast(Order),
}

impl Comparison {
    /// Returns true if it holds of `x` and the constant `c`.
    fn holds(self, x: u128, c: u128, width: Width) -> bool {
        match self {
            Comparison::Equal => x == c,
            Comparison::Differs => x != c,
            Comparison::AtMost(order) => order.rank(x, width) <= order.rank(c, width),
            Comparison::AtLeast(order) => order.rank(x, width) >= order.rank(c, width),
        }
    }
}

/// What is known of a variable.
#[derive(Default)]
struct Known {
    equal: Option<u128>,
    /// The greatest lower and the least upper bound, in each order.
    bounds: [(Option<i128>, Option<i128>); 2],
}

/// The facts that do not follow from the others, as far as comparisons of one variable with constants tell.
pub(crate) fn strongest(terms: &Terms, facts: &[Term]) -> Vec<Term> {
    let mut known: FxHashMap<Symbol, Known> = FxHashMap::default();
    for fact in facts {
        let Some((x, comparison, c, width)) = comparison(terms, *fact) else { continue };
        let known = known.entry(x).or_default();
        match comparison {
            Comparison::Equal => known.equal = Some(c),
            Comparison::Differs => {}
            Comparison::AtLeast(order) => {
                let (rank, (low, _)) = (order.rank(c, width), &mut known.bounds[order as usize]);
                *low = Some(low.map_or(rank, |low| low.max(rank)));
            }
            Comparison::AtMost(order) => {
                let (rank, (_, high)) = (order.rank(c, width), &mut known.bounds[order as usize]);
                *high = Some(high.map_or(rank, |high| high.min(rank)));
            }
        }
    }
    let is_needed = |fact: &Term| match comparison(terms, *fact) {
        Some((x, comparison, c, width)) => known[&x].leaves_open(comparison, c, width),
        None => true,
    };
    facts.iter().copied().filter(is_needed).collect()
}

impl Known {
    /// Returns true if a comparison does not follow from another one that is kept.
    fn leaves_open(&self, comparison: Comparison, c: u128, width: Width) -> bool {
        if let (Some(equal), false) = (self.equal, matches!(comparison, Comparison::Equal)) {
            return !comparison.holds(equal, c, width);
        }
        match comparison {
            Comparison::Equal => true,
            Comparison::AtLeast(order) => self.bounds[order as usize].0 == Some(order.rank(c, width)),
            Comparison::AtMost(order) => self.bounds[order as usize].1 == Some(order.rank(c, width)),
            Comparison::Differs => Order::ALL.into_iter().all(|order| {
                let (rank, (low, high)) = (order.rank(c, width), self.bounds[order as usize]);
                low.is_none_or(|low| low <= rank) && high.is_none_or(|high| rank <= high)
            }),
        }
    }
}

/// The variable, how it is compared, with which constant, and the width.
fn comparison(terms: &Terms, fact: Term) -> Option<(Symbol, Comparison, u128, Width)> {
    let (negated, atom) = match terms.op(fact) {
        Op::Not => (true, terms.kid(fact, 0)),
        _ => (false, fact),
    };
    let order = match (terms.op(atom), negated) {
        (Op::Eq, _) => None,
        (Op::Sle, false) => Some(Order::Signed),
        (Op::Ule, false) => Some(Order::Unsigned),
        _ => return None,
    };
    let (left, right) = (terms.kid(atom, 0), terms.kid(atom, 1));
    let (x, c, is_left) = match (terms.as_var(left), terms.as_var(right)) {
        (Some(x), None) => (x, terms.as_const(right)?, true),
        (None, Some(x)) => (x, terms.as_const(left)?, false),
        _ => return None,
    };
    let width = terms.width(left);
    let comparison = match order {
        None if negated => Comparison::Differs,
        None => Comparison::Equal,
        Some(order) if is_left => Comparison::AtMost(order),
        Some(order) => Comparison::AtLeast(order),
    };
    (width <= 64).then_some((x, comparison, c, width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Random;
    use logic::Sort;

    /// Random sets of comparisons of numbers of four bits: what is left holds of the same numbers.
    #[test]
    fn nothing_is_lost() {
        let mut random = Random(7);
        let mut n_dropped = 0;
        for _ in 0..3_000 {
            let mut terms = Terms::new();
            let x = terms.var("x", Sort::Bits(4));
            let mut facts = Vec::new();
            for _ in 0..2 + random.below(6) {
                let c = terms.constant(u128::from(random.below(16)), 4);
                let fact = match random.below(8) {
                    0 => terms.eq(x, c),
                    1 | 2 => terms.ne(x, c),
                    3 => terms.sle(x, c),
                    4 => terms.sle(c, x),
                    5 => terms.ule(x, c),
                    6 => terms.ule(c, x),
                    _ => terms.slt(x, c),
                };
                facts.push(fact);
            }
            let few = strongest(&terms, &facts);
            n_dropped += facts.len() - few.len();
            for value in 0..16 {
                let constant = terms.constant(value, 4);
                let symbol = terms.as_var(x).expect("a variable should have a symbol");
                let mut holds = |facts: &[Term]| {
                    facts.iter().all(|fact| {
                        let meaning = terms.substitute(*fact, &FxHashMap::from_iter([(symbol, constant)]));
                        terms.as_bool(meaning).expect("a closed comparison should be decided")
                    })
                };
                assert_eq!(holds(&facts), holds(&few), "of {value}");
            }
        }
        assert!(n_dropped > 3_000, "most bounds should follow from others: {n_dropped}");
    }
}
