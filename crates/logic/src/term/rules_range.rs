//! Comparisons that the ranges of both sides decide.
//!
//! A product of numbers that were extended is far from overflowing in the wider type, which is hard to see for a solver that multiplies bit by bit, and plain from the widths. The range of a term
//! is read off its top: constants, extensions, products and sums of these, a few levels deep. Anything else has all values of its width.

use super::{Op, Term, Terms};

/// How deep a term is looked into.
const MAX_DEPTH: u32 = 4;

/// A signed comparison whose sides have ranges that do not overlap, or touch at most.
pub(super) fn compare_ranges(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    if !matches!(op, Op::Slt | Op::Sle) || !kids.iter().any(|&kid| is_promising(terms, kid)) {
        return None;
    }
    let ((least, greatest), (other_least, other_greatest)) =
        (signed_range(terms, kids[0], MAX_DEPTH), signed_range(terms, kids[1], MAX_DEPTH));
    let (always, never) = if op == Op::Slt {
        (greatest < other_least, least >= other_greatest)
    } else {
        (greatest <= other_least, least > other_greatest)
    };
    (always || never).then(|| terms.truth(always))
}

fn is_promising(terms: &Terms, term: Term) -> bool {
    matches!(terms.op(term), Op::Mul | Op::Add | Op::Sext(_) | Op::Zext(_))
}

/// The least and the greatest value that a word may have, as a signed number.
fn signed_range(terms: &Terms, term: Term, depth: u32) -> (i128, i128) {
    let width = u32::from(terms.width(term));
    let all = (i128::MIN >> (128 - width), i128::MAX >> (128 - width));
    if let Some(value) = terms.as_const(term) {
        let value = (value << (128 - width)).cast_signed() >> (128 - width);
        return (value, value);
    }
    if depth == 0 {
        return all;
    }
    let kids = terms.kids(term);
    let range = |kid: &Term| signed_range(terms, *kid, depth - 1);
    let found = match terms.op(term) {
        Op::Sext(_) => Some(range(&kids[0])),
        Op::Zext(_) if terms.width(kids[0]) < terms.width(term) => {
            Some((0, (1i128 << terms.width(kids[0])).wrapping_sub(1)))
        }
        Op::Mul => kids.iter().map(range).map(Some).reduce(|a, b| product(a?, b?)).flatten(),
        Op::Add => kids.iter().map(range).map(Some).reduce(|a, b| sum(a?, b?)).flatten(),
        _ => None,
    };
    found.filter(|(least, greatest)| all.0 <= *least && *greatest <= all.1).unwrap_or(all)
}

fn sum(a: (i128, i128), b: (i128, i128)) -> Option<(i128, i128)> {
    Some((a.0.checked_add(b.0)?, a.1.checked_add(b.1)?))
}

fn product(a: (i128, i128), b: (i128, i128)) -> Option<(i128, i128)> {
    let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
    let mut products = Vec::with_capacity(4);
    for (x, y) in corners {
        products.push(x.checked_mul(y)?);
    }
    Some((*products.iter().min()?, *products.iter().max()?))
}
