//! Rules of truth values, choices, equality at every sort, and arrays.

use super::eval::compare;
use super::{Op, Sort, Term, Terms, mask, signed_max, signed_min};

pub(super) fn not_constant(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    terms.as_bool(kids[0]).map(|b| terms.truth(!b))
}

pub(super) fn not_not(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    (terms.op(kids[0]) == Op::Not).then(|| terms.kid(kids[0], 0))
}

pub(super) fn not_compare(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let swapped = match terms.op(kids[0]) {
        Op::Ult => Op::Ule,
        Op::Ule => Op::Ult,
        Op::Slt => Op::Sle,
        Op::Sle => Op::Slt,
        _ => return None,
    };
    let (a, b) = (terms.kid(kids[0], 0), terms.kid(kids[0], 1));
    Some(terms.make(swapped, &[b, a]))
}

/// Splices nested conjunctions, sorts, and drops duplicates and `true`.
pub(super) fn and_normal(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let mut all: Vec<Term> = Vec::with_capacity(kids.len());
    for &kid in kids {
        match terms.op(kid) {
            Op::And => all.extend_from_slice(terms.kids(kid)),
            Op::Bool(true) => {}
            Op::Bool(false) => return Some(kid),
            _ => all.push(kid),
        }
    }
    all.sort_unstable();
    all.dedup();
    match all[..] {
        [] => Some(terms.tt()),
        [only] => Some(only),
        _ if all == kids => None,
        _ => Some(terms.make(Op::And, &all)),
    }
}

pub(super) fn and_complement(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let contradiction =
        kids.iter().any(|&k| terms.op(k) == Op::Not && kids.binary_search(&terms.kid(k, 0)).is_ok());
    contradiction.then(|| terms.ff())
}

/// `a && !(a && b)` is `a && !b`; `a && !(!a && b)` is `a`.
pub(super) fn and_absorb(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    for (at, &kid) in kids.iter().enumerate() {
        if terms.op(kid) != Op::Not || terms.op(terms.kid(kid, 0)) != Op::And {
            continue;
        }
        let inner = terms.kids(terms.kid(kid, 0)).to_vec();
        let is_here = |t: &Term| kids.binary_search(t).is_ok();
        let is_refuted = |t: &Term| match terms.op(*t) {
            Op::Not => is_here(&terms.kid(*t, 0)),
            _ => kids.iter().any(|&k| refutes(terms, k, *t)),
        };
        let mut rest = kids.to_vec();
        rest.remove(at);
        if inner.iter().any(is_refuted) {
            return Some(terms.make(Op::And, &rest));
        }
        if inner.iter().any(is_here) {
            let left: Vec<Term> = inner.iter().copied().filter(|t| !is_here(t)).collect();
            let left = terms.make(Op::And, &left);
            let left = terms.make(Op::Not, &[left]);
            rest.push(left);
            return Some(terms.make(Op::And, &rest));
        }
    }
    None
}

/// Returns true if `known` is syntactically the negation of `t`.
fn refutes(terms: &Terms, known: Term, t: Term) -> bool {
    match (terms.op(known), terms.op(t)) {
        (Op::Not, _) => terms.kid(known, 0) == t,
        (Op::Ult, Op::Ule) | (Op::Ule, Op::Ult) | (Op::Slt, Op::Sle) | (Op::Sle, Op::Slt) => {
            terms.kid(known, 0) == terms.kid(t, 1) && terms.kid(known, 1) == terms.kid(t, 0)
        }
        _ => false,
    }
}

/// `!(a && b) && !(!a && b)` is `!b`, for two clauses that differ in one complementary literal.
pub(super) fn and_resolve(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    if kids.len() > MAX_PAIRS {
        return None;
    }
    let clause = |t: Term| terms.op(t) == Op::Not && terms.op(terms.kid(t, 0)) == Op::And;
    for (n, &first) in kids.iter().enumerate().filter(|(_, k)| clause(**k)) {
        for &second in kids[n + 1..].iter().filter(|k| clause(**k)) {
            let (a, b) = (terms.kids(terms.kid(first, 0)), terms.kids(terms.kid(second, 0)));
            if a.len() != b.len() {
                continue;
            }
            let only_a: Vec<Term> = a.iter().copied().filter(|t| b.binary_search(t).is_err()).collect();
            let only_b: Vec<Term> = b.iter().copied().filter(|t| a.binary_search(t).is_err()).collect();
            let ([x], [y]) = (&only_a[..], &only_b[..]) else { continue };
            if !refutes(terms, *x, *y) && !refutes(terms, *y, *x) {
                continue;
            }
            let common: Vec<Term> = a.iter().copied().filter(|t| t != x).collect();
            let common = terms.make(Op::And, &common);
            let mut rest: Vec<Term> = kids.iter().copied().filter(|&k| k != first && k != second).collect();
            rest.push(terms.make(Op::Not, &[common]));
            return Some(terms.make(Op::And, &rest));
        }
    }
    None
}

/// Conjunctions longer than this are not searched for pairs, which is quadratic.
const MAX_PAIRS: usize = 12;

/// Merges two comparisons of the same operands, or of one operand with constants.
pub(super) fn and_pair(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    if kids.len() > MAX_PAIRS {
        return None;
    }
    for (n, &a) in kids.iter().enumerate() {
        if !is_comparison(terms, a) {
            continue;
        }
        for &b in &kids[n + 1..] {
            if let Some(merged) = merge(terms, a, b).or_else(|| merge(terms, b, a)) {
                let mut rest: Vec<Term> = kids.iter().copied().filter(|&k| k != a && k != b).collect();
                rest.push(merged);
                return Some(terms.make(Op::And, &rest));
            }
        }
    }
    None
}

fn is_comparison(terms: &Terms, t: Term) -> bool {
    match terms.op(t) {
        Op::Ult | Op::Ule | Op::Slt | Op::Sle => true,
        Op::Eq => terms.sort(terms.kid(t, 0)).width().is_some(),
        Op::Not => terms.op(terms.kid(t, 0)) == Op::Eq && is_comparison(terms, terms.kid(t, 0)),
        _ => false,
    }
}

/// One term for `a && b`, if it is simpler. The caller tries both orders.
fn merge(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    if !is_comparison(terms, b) {
        return None;
    }
    merge_with_equation(terms, a, b)
        .or_else(|| merge_same_operands(terms, a, b))
        .or_else(|| merge_bounds(terms, a, b))
}

/// `x == 5` decides every comparison of `x` with a constant.
fn merge_with_equation(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    if terms.op(a) != Op::Eq {
        return None;
    }
    let (x, value) = variable_and_constant(terms, a)?;
    let atom = if terms.op(b) == Op::Not { terms.kid(b, 0) } else { b };
    let (l, r) = (terms.kid(atom, 0), terms.kid(atom, 1));
    let (l, r) = match (l == x, r == x) {
        (true, false) => (value, terms.as_const(r)?),
        (false, true) => (terms.as_const(l)?, value),
        _ => return None,
    };
    let holds = match terms.op(atom) {
        Op::Eq => l == r,
        op => compare(op, l, r, terms.width(x)),
    };
    Some(if holds == (atom == b) { a } else { terms.ff() })
}

fn variable_and_constant(terms: &Terms, equation: Term) -> Option<(Term, u128)> {
    let (l, r) = (terms.kid(equation, 0), terms.kid(equation, 1));
    terms.as_const(r).map(|c| (l, c)).or_else(|| terms.as_const(l).map(|c| (r, c)))
}

fn merge_same_operands(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let pair = |t: Term| (terms.kid(t, 0), terms.kid(t, 1));
    let (op_a, op_b) = (terms.op(a), terms.op(b));
    let is_order = |op| matches!(op, Op::Ult | Op::Ule | Op::Slt | Op::Sle);
    if !is_order(op_a) {
        return None;
    }
    if op_b == Op::Not {
        let ((l, r), (x, y)) = (pair(a), pair(terms.kid(b, 0)));
        return match op_a {
            _ if (l, r) != (x, y) && (l, r) != (y, x) => None,
            Op::Ule => Some(terms.make(Op::Ult, &[l, r])),
            Op::Sle => Some(terms.make(Op::Slt, &[l, r])),
            _ => Some(a),
        };
    }
    let ((l, r), (x, y)) = (pair(a), pair(b));
    let (same, swapped) = ((l, r) == (x, y), (l, r) == (y, x));
    let strict = matches!(op_a, Op::Ult | Op::Slt);
    match op_b {
        Op::Eq if same || swapped => Some(if strict { terms.ff() } else { b }),
        Op::Ult | Op::Slt if swapped && family(op_a) == family(op_b) => Some(terms.ff()),
        Op::Ult | Op::Slt if same && family(op_a) == family(op_b) => Some(b),
        Op::Ule | Op::Sle if swapped && op_a == op_b => Some(terms.make(Op::Eq, &[l, r])),
        _ => None,
    }
}

fn family(op: Op) -> bool {
    matches!(op, Op::Slt | Op::Sle)
}

/// `x <= 3 && x <= 5`, `4 <= x && x <= 4`, `x <= 5 && x != 5`: all on one `x` and constants.
fn merge_bounds(terms: &mut Terms, a: Term, b: Term) -> Option<Term> {
    let (x, below, limit, op) = bound(terms, a)?;
    let width = terms.width(x);
    if terms.op(b) == Op::Not {
        let (y, value) = variable_and_constant(terms, terms.kid(b, 0))?;
        if y != x || value != limit {
            return (y == x && !within(value, below, limit, op, width)).then_some(a);
        }
        let limit = terms.constant(limit, width);
        let strict = if op == Op::Ule { Op::Ult } else { Op::Slt };
        return Some(if below { terms.make(strict, &[x, limit]) } else { terms.make(strict, &[limit, x]) });
    }
    let (y, other_below, other_limit, other_op) = bound(terms, b)?;
    if y != x || op != other_op {
        return None;
    }
    if below == other_below {
        let first_is_tighter = within(limit, below, other_limit, op, width);
        return Some(if first_is_tighter { a } else { b });
    }
    if limit == other_limit {
        let limit = terms.constant(limit, width);
        return Some(terms.make(Op::Eq, &[x, limit]));
    }
    (!within(limit, other_below, other_limit, op, width)).then(|| terms.ff())
}

/// `x <= limit` (below) or `limit <= x`, with its order.
fn bound(terms: &Terms, t: Term) -> Option<(Term, bool, u128, Op)> {
    let op = terms.op(t);
    if !matches!(op, Op::Ule | Op::Sle) {
        return None;
    }
    let (l, r) = (terms.kid(t, 0), terms.kid(t, 1));
    match (terms.as_const(l), terms.as_const(r)) {
        (None, Some(c)) => Some((l, true, c, op)),
        (Some(c), None) => Some((r, false, c, op)),
        _ => None,
    }
}

fn within(value: u128, below: bool, limit: u128, op: Op, width: u8) -> bool {
    if below { compare(op, value, limit, width) } else { compare(op, limit, value, width) }
}

pub(super) fn eq_same(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    (kids[0] == kids[1]).then(|| terms.tt())
}

/// Negations move out of "if and only if".
pub(super) fn eq_bool(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    if terms.sort(kids[0]) != Sort::Bool {
        return None;
    }
    for (a, b) in [(kids[0], kids[1]), (kids[1], kids[0])] {
        match terms.op(a) {
            Op::Bool(true) => return Some(b),
            Op::Bool(false) => return Some(terms.make(Op::Not, &[b])),
            Op::Not => {
                let inner = terms.kid(a, 0);
                let same = terms.make(Op::Eq, &[inner, b]);
                return Some(terms.make(Op::Not, &[same]));
            }
            _ => {}
        }
    }
    None
}

/// The older side first, constants last.
pub(super) fn eq_order(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let rank = |t: Term| (terms.as_const(t).is_some(), t);
    (rank(kids[0]) > rank(kids[1])).then(|| terms.make(Op::Eq, &[kids[1], kids[0]]))
}

pub(super) fn ite_constant(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    terms.as_bool(kids[0]).map(|c| if c { kids[1] } else { kids[2] })
}

pub(super) fn ite_same(_: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    (kids[1] == kids[2]).then_some(kids[1])
}

pub(super) fn ite_negated(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    (terms.op(kids[0]) == Op::Not).then(|| {
        let c = terms.kid(kids[0], 0);
        terms.make(Op::Ite, &[c, kids[2], kids[1]])
    })
}

/// A choice of truth values with a constant branch, or with the condition as a branch, is a connective.
pub(super) fn ite_bool(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    if terms.sort(kids[1]) != Sort::Bool {
        return None;
    }
    let [c, a, b] = [kids[0], kids[1], kids[2]];
    let (a_known, b_known) = (terms.as_bool(a), terms.as_bool(b));
    match (a_known, b_known) {
        (Some(true), _) => Some(terms.or2(c, b)),
        (Some(false), _) => {
            let no = terms.not(c);
            Some(terms.and2(no, b))
        }
        (_, Some(true)) => Some(terms.implies(c, a)),
        (_, Some(false)) => Some(terms.and2(c, a)),
        _ if a == c => Some(terms.or2(c, b)),
        _ if b == c => Some(terms.and2(c, a)),
        _ => None,
    }
}

/// Inside a branch the condition is known.
pub(super) fn ite_nested(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let [c, a, b] = [kids[0], kids[1], kids[2]];
    if terms.op(a) == Op::Ite && terms.kid(a, 0) == c {
        let a = terms.kid(a, 1);
        return Some(terms.make(Op::Ite, &[c, a, b]));
    }
    if terms.op(b) == Op::Ite && terms.kid(b, 0) == c {
        let b = terms.kid(b, 2);
        return Some(terms.make(Op::Ite, &[c, a, b]));
    }
    None
}

/// `a == b ? a : b` is `b`.
pub(super) fn ite_equation(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let [c, a, b] = [kids[0], kids[1], kids[2]];
    if terms.op(c) != Op::Eq {
        return None;
    }
    let (l, r) = (terms.kid(c, 0), terms.kid(c, 1));
    ((l, r) == (a, b) || (l, r) == (b, a)).then_some(b)
}

/// A store in one branch only becomes a store of a choice, so that later reads need not split.
pub(super) fn ite_store(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let [c, a, b] = [kids[0], kids[1], kids[2]];
    if terms.op(a) == Op::Store && terms.kid(a, 0) == b {
        let (index, value) = (terms.kid(a, 1), terms.kid(a, 2));
        let old = terms.select(b, index);
        let value = terms.ite(c, value, old);
        return Some(terms.store(b, index, value));
    }
    if terms.op(b) == Op::Store && terms.kid(b, 0) == a {
        let (index, value) = (terms.kid(b, 1), terms.kid(b, 2));
        let old = terms.select(a, index);
        let value = terms.ite(c, old, value);
        return Some(terms.store(a, index, value));
    }
    None
}

/// Reads through stores, choices and constant arrays down to variables; memoised, because choices share arrays.
pub(super) fn select_resolve(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let [array, index] = [kids[0], kids[1]];
    if terms.as_var(array).is_some() {
        return None;
    }
    let mut stack = vec![(array, false)];
    while let Some((a, ready)) = stack.pop() {
        if terms.reads.contains_key(&(a, index)) {
            continue;
        }
        let below: Vec<Term> = match terms.op(a) {
            Op::Store => vec![terms.kid(a, 0)],
            Op::Ite => vec![terms.kid(a, 1), terms.kid(a, 2)],
            _ => Vec::new(),
        };
        if !ready && !below.is_empty() {
            stack.push((a, true));
            stack.extend(below.iter().map(|&b| (b, false)));
            continue;
        }
        let read = |terms: &Terms, n: usize| terms.reads[&(below[n], index)];
        let value = match terms.op(a) {
            Op::Store => {
                let (at, value, other) = (terms.kid(a, 1), terms.kid(a, 2), read(terms, 0));
                let hit = terms.eq(at, index);
                terms.ite(hit, value, other)
            }
            Op::Ite => {
                let (c, yes, no) = (terms.kid(a, 0), read(terms, 0), read(terms, 1));
                terms.ite(c, yes, no)
            }
            Op::ConstArray(_) => terms.kid(a, 0),
            _ => terms.make(Op::Select, &[a, index]),
        };
        terms.reads.insert((a, index), value);
    }
    Some(terms.reads[&(array, index)])
}

pub(super) fn store_store(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let inner = kids[0];
    (terms.op(inner) == Op::Store && terms.kid(inner, 1) == kids[1]).then(|| {
        let array = terms.kid(inner, 0);
        terms.make(Op::Store, &[array, kids[1], kids[2]])
    })
}

pub(super) fn store_same(terms: &mut Terms, _: Op, kids: &[Term]) -> Option<Term> {
    let value = kids[2];
    let is_read = terms.op(value) == Op::Select && terms.kids(value) == &kids[..2];
    (is_read).then_some(kids[0])
}

/// The least and greatest value of an order.
pub(super) fn extremes(op: Op, width: u8) -> (u128, u128) {
    match op {
        Op::Ult | Op::Ule => (0, mask(width)),
        _ => (signed_min(width), signed_max(width)),
    }
}
