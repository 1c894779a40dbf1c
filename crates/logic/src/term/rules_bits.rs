//! Rules of bit-vectors.

use super::eval::{binary, compare, unary};
use super::linear::{Linear, odd_inverse};
use super::rules_bool::extremes;
use super::{Op, Term, Terms, Width, mask, signed};

fn constants(terms: &Terms, kids: &[Term]) -> Option<(u128, u128)> {
    Some((terms.as_const(kids[0])?, terms.as_const(kids[1])?))
}

/// The condition and the branches of a choice between two constants.
fn choice(terms: &Terms, t: Term) -> Option<(Term, u128, u128)> {
    if terms.op(t) != Op::Ite {
        return None;
    }
    Some((terms.kid(t, 0), terms.as_const(terms.kid(t, 1))?, terms.as_const(terms.kid(t, 2))?))
}

/// Whether `t` is an extension, of what, and whether it is signed.
fn extension(terms: &Terms, t: Term) -> Option<(Term, bool)> {
    match terms.op(t) {
        Op::Zext(_) => Some((terms.kid(t, 0), false)),
        Op::Sext(_) => Some((terms.kid(t, 0), true)),
        _ => None,
    }
}

pub(super) fn eq_constants(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    constants(terms, kids).map(|(a, b)| terms.truth(a == b))
}

/// `(c ? 1 : 0) == 0` is `!c`; with one constant branch, that branch is decided.
pub(super) fn eq_choice(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    for (t, other) in [(kids[0], kids[1]), (kids[1], kids[0])] {
        let (Some(k), Op::Ite) = (terms.as_const(other), terms.op(t)) else { continue };
        let [c, a, b] = [terms.kid(t, 0), terms.kid(t, 1), terms.kid(t, 2)];
        let decided = |terms: &Terms, branch| terms.as_const(branch).map(|v| terms.truth(v == k));
        let (yes, no) = match (decided(terms, a), decided(terms, b)) {
            (Some(yes), Some(no)) => (yes, no),
            (Some(yes), None) if terms.op(b) != Op::Ite => (yes, terms.eq(b, other)),
            (None, Some(no)) if terms.op(a) != Op::Ite => (terms.eq(a, other), no),
            _ => continue,
        };
        return Some(terms.ite(c, yes, no));
    }
    None
}

pub(super) fn eq_extension(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    if let (Some((a, sa)), Some((b, sb))) = (extension(terms, kids[0]), extension(terms, kids[1])) {
        return (sa == sb && terms.width(a) == terms.width(b)).then(|| terms.eq(a, b));
    }
    for (t, other) in [(kids[0], kids[1]), (kids[1], kids[0])] {
        let (Some((a, is_signed)), Some(k)) = (extension(terms, t), terms.as_const(other)) else { continue };
        let narrow = terms.width(a);
        let low = terms.constant(k, narrow);
        let op = if is_signed { Op::Sext(terms.width(t)) } else { Op::Zext(terms.width(t)) };
        let fits = unary(op, k & mask(narrow), narrow) == k;
        return Some(if fits { terms.eq(a, low) } else { terms.ff() });
    }
    None
}

pub(super) fn eq_concat(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    for (t, other) in [(kids[0], kids[1]), (kids[1], kids[0])] {
        if terms.op(t) != Op::Concat || terms.as_const(other).is_none() {
            continue;
        }
        let (high, low) = (terms.kid(t, 0), terms.kid(t, 1));
        let (top, cut) = (terms.width(t) - 1, terms.width(low));
        let (other_high, other_low) = (terms.extract(top, cut, other), terms.extract(cut - 1, 0, other));
        let (a, b) = (terms.eq(high, other_high), terms.eq(low, other_low));
        return Some(terms.and2(a, b));
    }
    None
}

/// Moves everything to one side modulo 2^w and back in the form of [`Terms::sides`].
pub(super) fn eq_linear(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    terms.sort(kids[0]).width()?;
    let is_sum = |t: Term| matches!(terms.op(t), Op::Add | Op::Mul | Op::BitNot);
    if !is_sum(kids[0]) && !is_sum(kids[1]) {
        return None;
    }
    let mut sum = terms.difference(kids[0], kids[1]);
    if sum.parts.is_empty() {
        return Some(terms.truth(sum.constant == 0));
    }
    let twos = sum.parts.iter().map(|p| p.1.trailing_zeros()).min().unwrap_or(0);
    if sum.constant & mask(as_width(twos) + 1) >> 1 != 0 {
        return Some(terms.ff());
    }
    if let [(_, c)] = sum.parts[..] {
        sum.scale(odd_inverse(c >> c.trailing_zeros()));
    }
    let (a, b) = terms.sides(&sum);
    let unchanged = (a, b) == (kids[0], kids[1]) || (b, a) == (kids[0], kids[1]);
    (!unchanged).then(|| terms.make(Op::Eq, &[a, b]))
}

pub(super) fn compare_constants(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let (a, b) = constants(terms, kids)?;
    Some(terms.truth(compare(op, a, b, terms.width(kids[0]))))
}

pub(super) fn compare_same(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    (kids[0] == kids[1]).then(|| terms.truth(matches!(op, Op::Ule | Op::Sle)))
}

/// Comparisons with the least or greatest number.
pub(super) fn compare_extreme(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let (min, max) = extremes(op, terms.width(kids[0]));
    let strict = matches!(op, Op::Ult | Op::Slt);
    let (a, b) = (terms.as_const(kids[0]), terms.as_const(kids[1]));
    if strict && (b == Some(min) || a == Some(max)) {
        return Some(terms.ff());
    }
    if strict && (b == Some(max) || a == Some(min)) {
        return Some(terms.ne(kids[0], kids[1]));
    }
    if !strict && (b == Some(max) || a == Some(min)) {
        return Some(terms.tt());
    }
    (!strict && (b == Some(min) || a == Some(max))).then(|| terms.eq(kids[0], kids[1]))
}

/// `x < 5` is `x <= 4`; the extreme rule has taken away the wrap.
pub(super) fn compare_strict(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let weak = match op {
        Op::Ult => Op::Ule,
        Op::Slt => Op::Sle,
        _ => return None,
    };
    let width = terms.width(kids[0]);
    if let Some(a) = terms.as_const(kids[0]) {
        let next = terms.constant(a.wrapping_add(1), width);
        return Some(terms.make(weak, &[next, kids[1]]));
    }
    let b = terms.as_const(kids[1])?;
    let previous = terms.constant(b.wrapping_sub(1), width);
    Some(terms.make(weak, &[kids[0], previous]))
}

pub(super) fn compare_choice(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let width = terms.width(kids[0]);
    let (c, yes, no) = if let (Some((c, a, b)), Some(k)) = (choice(terms, kids[0]), terms.as_const(kids[1])) {
        (c, compare(op, a, k, width), compare(op, b, k, width))
    } else if let (Some(k), Some((c, a, b))) = (terms.as_const(kids[0]), choice(terms, kids[1])) {
        (c, compare(op, k, a, width), compare(op, k, b, width))
    } else {
        return None;
    };
    let (yes, no) = (terms.truth(yes), terms.truth(no));
    Some(terms.ite(c, yes, no))
}

/// Both sides extended from one width in one way, or one side and a constant that fits: compare narrow.
pub(super) fn compare_extension(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let (narrow, is_signed) = extension(terms, kids[0]).or_else(|| extension(terms, kids[1]))?;
    let narrow = terms.width(narrow);
    let width = terms.width(kids[0]);
    let mut sides = [kids[0], kids[1]];
    for side in &mut sides {
        *side = if let Some(k) = terms.as_const(*side) {
            let widened = if is_signed { Op::Sext(width) } else { Op::Zext(width) };
            if unary(widened, k & mask(narrow), narrow) != k {
                return None;
            }
            terms.constant(k, narrow)
        } else {
            let (inner, same_kind) = extension(terms, *side)?;
            if terms.width(inner) != narrow || same_kind != is_signed {
                return None;
            }
            inner
        };
    }
    let op = match op {
        Op::Slt if !is_signed => Op::Ult,
        Op::Sle if !is_signed => Op::Ule,
        other => other,
    };
    Some(terms.make(op, &sides))
}

pub(super) fn add_normal(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let mut sum = Linear::zero(terms.width(kids[0]));
    for &kid in kids {
        sum.add(terms, kid, 1);
    }
    sum.normalise();
    let is_sum = sum.parts.len() + usize::from(sum.constant != 0) > 1;
    let all = mask(sum.width);
    let is_complement = matches!(sum.parts[..], [(_, c)] if c == all && sum.constant == all);
    if !is_sum || is_complement {
        return Some(terms.sum(&sum));
    }
    let normal = terms.summands(&sum);
    (normal != kids).then(|| terms.make(Op::Add, &normal))
}

pub(super) fn mul_constant(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let (c, other) = match (terms.as_const(kids[0]), terms.as_const(kids[1])) {
        (Some(c), _) => (c, kids[1]),
        (_, Some(c)) => (c, kids[0]),
        _ => return None,
    };
    let mut sum = terms.linear(other);
    sum.scale(c);
    let is_normal =
        matches!(sum.parts[..], [(x, d)] if sum.constant == 0 && x == kids[1] && d == c && c != 1);
    (!is_normal).then(|| terms.sum(&sum))
}

pub(super) fn mul_factor(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    for (t, other) in [(kids[0], kids[1]), (kids[1], kids[0])] {
        if terms.op(t) == Op::Mul && terms.as_const(terms.kid(t, 0)).is_some() {
            let (c, x) = (terms.kid(t, 0), terms.kid(t, 1));
            let product = terms.mul(x, other);
            return Some(terms.mul(c, product));
        }
    }
    None
}

/// Operands of a commutative operation are ordered by age, constants first.
pub(super) fn commute(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let rank = |t: Term| (terms.as_const(t).is_none(), t);
    (rank(kids[0]) > rank(kids[1])).then(|| terms.make(op, &[kids[1], kids[0]]))
}

pub(super) fn fold(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let (a, b) = constants(terms, kids)?;
    let width = terms.width(kids[0]);
    Some(terms.constant(binary(op, a, b, width), width))
}

pub(super) fn fold_unary(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let a = terms.as_const(kids[0])?;
    let width = terms.width(kids[0]);
    let to = match op {
        Op::Extract { hi, lo } => hi - lo + 1,
        Op::Zext(to) | Op::Sext(to) => to,
        _ => width,
    };
    Some(terms.constant(unary(op, a, width), to))
}

pub(super) fn unary_choice(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let (c, _, _) = choice(terms, kids[0])?;
    let (a, b) = (terms.kid(kids[0], 1), terms.kid(kids[0], 2));
    let (a, b) = (terms.make(op, &[a]), terms.make(op, &[b]));
    Some(terms.ite(c, a, b))
}

pub(super) fn divide_trivial(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let width = terms.width(kids[0]);
    match (op, terms.as_const(kids[1])?) {
        (Op::Udiv, 0) => Some(terms.constant(mask(width), width)),
        (Op::Urem | Op::Srem, 0) => Some(kids[0]),
        (Op::Udiv | Op::Sdiv, 1) => Some(kids[0]),
        (Op::Urem | Op::Srem, 1) => Some(terms.constant(0, width)),
        _ => None,
    }
}

pub(super) fn divide_power(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let width = terms.width(kids[0]);
    let d = terms.as_const(kids[1])?;
    if !d.is_power_of_two() || d == 1 {
        return None;
    }
    let k = as_width(d.trailing_zeros());
    let part = match op {
        Op::Udiv => terms.extract(width - 1, k, kids[0]),
        Op::Urem => terms.extract(k - 1, 0, kids[0]),
        _ => return None,
    };
    Some(terms.zext(width, part))
}

pub(super) fn bit_not_sum(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    if !matches!(terms.op(kids[0]), Op::Add | Op::Mul | Op::BitNot) {
        return None;
    }
    let mut sum = terms.linear(kids[0]);
    sum.scale(u128::MAX);
    sum.constant = sum.constant.wrapping_sub(1) & mask(sum.width);
    // A product of two unknowns is its own base: its complement stays as it is.
    let is_itself = matches!(sum.parts[..], [(x, _)] if x == kids[0]);
    (!is_itself).then(|| terms.sum(&sum))
}

fn is_complement(terms: &Terms, a: Term, b: Term) -> bool {
    let of = |x: Term, y: Term| terms.op(x) == Op::BitNot && terms.kid(x, 0) == y;
    of(a, b) || of(b, a)
}

pub(super) fn bit_and_trivial(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let width = terms.width(kids[0]);
    for (t, other) in [(kids[0], kids[1]), (kids[1], kids[0])] {
        match terms.as_const(t) {
            Some(0) => return Some(t),
            Some(c) if c == mask(width) => return Some(other),
            _ => {}
        }
    }
    if kids[0] == kids[1] {
        return Some(kids[0]);
    }
    is_complement(terms, kids[0], kids[1]).then(|| terms.constant(0, width))
}

/// `x & 0xff` is the low byte, extended: no gates.
pub(super) fn bit_and_low(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    for (t, other) in [(kids[0], kids[1]), (kids[1], kids[0])] {
        let Some(c) = terms.as_const(t) else { continue };
        let n = as_width(c.trailing_ones());
        if c == mask(n) {
            let low = terms.extract(n - 1, 0, other);
            return Some(terms.zext(terms.width(t), low));
        }
    }
    None
}

pub(super) fn bit_or_trivial(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let width = terms.width(kids[0]);
    for (t, other) in [(kids[0], kids[1]), (kids[1], kids[0])] {
        match terms.as_const(t) {
            Some(0) => return Some(other),
            Some(c) if c == mask(width) => return Some(t),
            _ => {}
        }
    }
    if kids[0] == kids[1] {
        return Some(kids[0]);
    }
    is_complement(terms, kids[0], kids[1]).then(|| terms.constant(mask(width), width))
}

pub(super) fn bit_xor_trivial(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let width = terms.width(kids[0]);
    for (t, other) in [(kids[0], kids[1]), (kids[1], kids[0])] {
        match terms.as_const(t) {
            Some(0) => return Some(other),
            Some(c) if c == mask(width) => return Some(terms.bit_not(other)),
            _ => {}
        }
    }
    if kids[0] == kids[1] {
        return Some(terms.constant(0, width));
    }
    is_complement(terms, kids[0], kids[1]).then(|| terms.constant(mask(width), width))
}

pub(super) fn shift_zero(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    (terms.as_const(kids[0]) == Some(0)).then_some(kids[0])
}

/// A shift by a constant is a product, or an extract extended.
pub(super) fn shift_constant(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let width = terms.width(kids[0]);
    let by = terms.as_const(kids[1])?;
    if by == 0 {
        return Some(kids[0]);
    }
    let k = Width::try_from(by).map_or(width, |by| by.min(width));
    Some(match op {
        Op::Shl if k == width => terms.constant(0, width),
        Op::Shl => {
            let factor = terms.constant(1 << k, width);
            terms.mul(factor, kids[0])
        }
        Op::Lshr if k == width => terms.constant(0, width),
        Op::Lshr => {
            let high = terms.extract(width - 1, k, kids[0]);
            terms.zext(width, high)
        }
        _ => {
            let high = terms.extract(width - 1, k.min(width - 1), kids[0]);
            terms.sext(width, high)
        }
    })
}

pub(super) fn concat_constants(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let (a, b) = constants(terms, kids)?;
    let low = terms.width(kids[1]);
    Some(terms.constant((a << low) | b, low + terms.width(kids[0])))
}

pub(super) fn concat_zero(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let width = terms.width(kids[0]) + terms.width(kids[1]);
    (terms.as_const(kids[0]) == Some(0)).then(|| terms.zext(width, kids[1]))
}

pub(super) fn concat_extracts(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let (Op::Extract { hi, lo: cut }, Op::Extract { hi: below, lo }) = (terms.op(kids[0]), terms.op(kids[1]))
    else {
        return None;
    };
    let (a, b) = (terms.kid(kids[0], 0), terms.kid(kids[1], 0));
    (a == b && cut == below + 1).then(|| terms.extract(hi, lo, a))
}

fn range(op: Op) -> (u8, u8) {
    if let Op::Extract { hi, lo } = op { (hi, lo) } else { unreachable!("{op:?} should be an extract") }
}

pub(super) fn extract_all(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    (range(op) == (terms.width(kids[0]) - 1, 0)).then_some(kids[0])
}

pub(super) fn extract_extract(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let (hi, lo) = range(op);
    let Op::Extract { lo: base, .. } = terms.op(kids[0]) else { return None };
    let inner = terms.kid(kids[0], 0);
    Some(terms.extract(hi + base, lo + base, inner))
}

/// An extract that lies in one half is an extract of it.
pub(super) fn extract_concat(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let (hi, lo) = range(op);
    if terms.op(kids[0]) != Op::Concat {
        return None;
    }
    let (high, low) = (terms.kid(kids[0], 0), terms.kid(kids[0], 1));
    let cut = terms.width(low);
    if lo >= cut {
        return Some(terms.extract(hi - cut, lo - cut, high));
    }
    (hi < cut).then(|| terms.extract(hi, lo, low))
}

pub(super) fn extract_extension(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let (hi, lo) = range(op);
    let (inner, is_signed) = extension(terms, kids[0])?;
    let narrow = terms.width(inner);
    if hi < narrow {
        return Some(terms.extract(hi, lo, inner));
    }
    if lo >= narrow && !is_signed {
        return Some(terms.constant(0, hi - lo + 1));
    }
    if lo >= narrow {
        let sign = terms.extract(narrow - 1, narrow - 1, inner);
        return Some(terms.sext(hi - lo + 1, sign));
    }
    let high = terms.extract(narrow - 1, lo, inner);
    Some(if is_signed { terms.sext(hi - lo + 1, high) } else { terms.zext(hi - lo + 1, high) })
}

/// The low bits of a sum of extended numbers are the sum of the narrow ones: `(char)(c + 1)`. One level only, so
/// that nothing recurses.
pub(super) fn extract_sum(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let (hi, lo) = range(op);
    if lo != 0 || !matches!(terms.op(kids[0]), Op::Add | Op::Mul) {
        return None;
    }
    let wide = terms.linear(kids[0]);
    let is_narrow = |x: Term| extension(terms, x).is_some_and(|(inner, _)| terms.width(inner) == hi + 1);
    if !wide.parts.iter().all(|&(x, _)| is_narrow(x)) {
        return None;
    }
    let mut sum = Linear::zero(hi + 1);
    for &(x, c) in &wide.parts {
        let inner = terms.kid(x, 0);
        sum.add(terms, inner, c);
    }
    sum.constant = sum.constant.wrapping_add(wide.constant);
    sum.normalise();
    Some(terms.sum(&sum))
}

pub(super) fn extend_nothing(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let (Op::Zext(to) | Op::Sext(to)) = op else { return None };
    (to == terms.width(kids[0])).then_some(kids[0])
}

pub(super) fn extend_extension(terms: &mut Terms, op: Op, kids: &[Term]) -> Option<Term> {
    let (inner, inner_signed) = extension(terms, kids[0])?;
    match (op, inner_signed) {
        (Op::Sext(to) | Op::Zext(to), false) => Some(terms.zext(to, inner)),
        (Op::Sext(to), true) => Some(terms.sext(to, inner)),
        _ => None,
    }
}

/// How a constant reads to a programmer: small negative numbers as such.
pub(super) fn readable(value: u128, width: u8) -> String {
    let number = signed(value, width);
    if (-4096..0).contains(&number) && width > 1 { number.to_string() } else { value.to_string() }
}

/// A number of bits of a word.
fn as_width(n_bits: u32) -> Width {
    Width::try_from(n_bits).expect("a word should have at most 128 bits")
}
