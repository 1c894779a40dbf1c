//! Sums modulo 2^w: `c1*x1 + … + cn*xn + k` with distinct `xi`, ordered by age, and no zero coefficient.
//!
//! The normal form is what makes `x + 1 == y + 1` the same term as `x == y`, decides whether `a[i]` and `a[i+1]`
//! overlap, and hands the rows to the Farkas interpolation. `~x` is read as `-x - 1` and written back.

use super::{Op, Term, Terms, Width, mask, signed, signed_min};

/// A sum modulo 2^width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linear {
    /// The summands: ordered by term, no zero coefficients.
    pub parts: Vec<(Term, u128)>,
    /// The constant.
    pub constant: u128,
    /// The width of everything.
    pub width: Width,
}

impl Linear {
    /// The sum without summands.
    pub fn zero(width: Width) -> Self {
        Self { parts: Vec::new(), constant: 0, width }
    }

    /// Adds `factor * term`, looking through sums, constant factors and complements one level deep: normal forms
    /// have no more.
    pub fn add(&mut self, terms: &Terms, term: Term, factor: u128) {
        if terms.op(term) == Op::Add {
            for n in 0..terms.kids(term).len() {
                self.add_summand(terms, terms.kid(term, n), factor);
            }
        } else {
            self.add_summand(terms, term, factor);
        }
    }

    fn add_summand(&mut self, terms: &Terms, term: Term, factor: u128) {
        match terms.op(term) {
            Op::Const(c) => self.constant = self.constant.wrapping_add(c.wrapping_mul(factor)),
            Op::Mul if terms.as_const(terms.kid(term, 0)).is_some() => {
                let c = terms.as_const(terms.kid(term, 0)).unwrap_or(1);
                self.parts.push((terms.kid(term, 1), c.wrapping_mul(factor)));
            }
            Op::BitNot => {
                self.parts.push((terms.kid(term, 0), factor.wrapping_neg()));
                self.constant = self.constant.wrapping_sub(factor);
            }
            _ => self.parts.push((term, factor)),
        }
    }

    /// Restores the order, merges equal summands and drops zeros; to be called after the last [`add`](Self::add).
    pub fn normalise(&mut self) {
        let all = mask(self.width);
        self.constant &= all;
        self.parts.sort_unstable_by_key(|&(t, _)| t);
        self.parts.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 = kept.1.wrapping_add(later.1);
            }
            same
        });
        self.parts.retain_mut(|(_, c)| {
            *c &= all;
            *c != 0
        });
    }

    /// Multiplies everything.
    pub fn scale(&mut self, factor: u128) {
        self.constant = self.constant.wrapping_mul(factor);
        for (_, c) in &mut self.parts {
            *c = c.wrapping_mul(factor);
        }
        self.normalise();
    }

    /// The coefficient of `term`.
    pub fn coefficient(&self, term: Term) -> u128 {
        self.parts.iter().find(|p| p.0 == term).map_or(0, |p| p.1)
    }

    fn is_negative(&self, coefficient: u128) -> bool {
        signed(coefficient, self.width) < 0 && coefficient != signed_min(self.width)
    }
}

/// The inverse of an odd number modulo 2^128, by Newton's iteration: each iteration doubles the number of right bits.
pub(super) fn odd_inverse(odd: u128) -> u128 {
    debug_assert!(odd & 1 == 1, "only odd numbers have inverses");
    let mut inverse = odd;
    for _ in 0..7 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

impl Terms {
    /// `term` as a sum.
    pub fn linear(&self, term: Term) -> Linear {
        let mut sum = Linear::zero(self.width(term));
        sum.add(self, term, 1);
        sum.normalise();
        sum
    }

    /// `a - b` as a sum.
    pub fn difference(&self, a: Term, b: Term) -> Linear {
        let mut sum = Linear::zero(self.width(a));
        sum.add(self, a, 1);
        sum.add(self, b, u128::MAX);
        sum.normalise();
        sum
    }

    /// The term of a normalised sum.
    pub fn sum(&mut self, linear: &Linear) -> Term {
        let all = mask(linear.width);
        if let [(x, c)] = linear.parts[..] {
            if c == all && linear.constant == all {
                return self.make(Op::BitNot, &[x]);
            }
            if linear.constant == 0 {
                return self.scaled(x, c, linear.width);
            }
        }
        if linear.parts.is_empty() {
            return self.constant(linear.constant, linear.width);
        }
        let kids = self.summands(linear);
        self.make(Op::Add, &kids)
    }

    /// The operands of the `Add` of a normalised sum; the constant comes last.
    pub(super) fn summands(&mut self, linear: &Linear) -> Vec<Term> {
        let mut kids: Vec<Term> =
            linear.parts.iter().map(|&(x, c)| self.scaled(x, c, linear.width)).collect();
        if linear.constant != 0 {
            kids.push(self.constant(linear.constant, linear.width));
        }
        kids
    }

    fn scaled(&mut self, x: Term, c: u128, width: Width) -> Term {
        if c == 1 {
            return x;
        }
        let c = self.constant(c, width);
        self.make(Op::Mul, &[c, x])
    }

    /// The two sides of the equation `linear == 0`: the oldest summand is positive, each side has only positive
    /// coefficients, and constants are on the right.
    pub(super) fn sides(&mut self, linear: &Linear) -> (Term, Term) {
        let mut sum = linear.clone();
        // 2^(w-1) is its own negation, so the first other coefficient decides the sign.
        let deciding = sum.parts.iter().find(|p| p.1 != signed_min(sum.width));
        if deciding.is_some_and(|&(_, c)| sum.is_negative(c)) {
            sum.scale(u128::MAX);
        }
        let mut left = Linear::zero(sum.width);
        let mut right = Linear::zero(sum.width);
        for &(x, c) in &sum.parts {
            if sum.is_negative(c) {
                right.parts.push((x, c.wrapping_neg() & mask(sum.width)));
            } else {
                left.parts.push((x, c));
            }
        }
        right.constant = sum.constant.wrapping_neg() & mask(sum.width);
        (self.sum(&left), self.sum(&right))
    }

    /// The `t` with `x == t` exactly when `equation == 0`, if the coefficient of `x` is odd.
    pub fn solve_for(&mut self, equation: &Linear, x: Term) -> Option<Term> {
        let c = equation.coefficient(x);
        if c & 1 == 0 {
            return None;
        }
        let mut rest = equation.clone();
        rest.parts.retain(|p| p.0 != x);
        rest.scale(odd_inverse(c).wrapping_neg());
        Some(self.sum(&rest))
    }
}
