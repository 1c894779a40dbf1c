//! Exact elimination of `∀x` from quantifier-free formulas, where that is easy.
//!
//! | formula | `∀x` of it |
//! |---|---|
//! | `x` does not occur | itself |
//! | `A && B` | `∀x A && ∀x B` |
//! | `A || B`, `x` not in `B` | `(∀x A) || B` |
//! | `x != t || A` | `A[t/x]` (also where an equation can be solved for `x`) |
//! | `x <= a || b <= x`, and strict | `b <= a || b == a + 1`, `b <= a`, `b < a` |
//! | one comparison of `x` alone | whether it holds at the worst value |
//! | truth values and narrow words | the conjunction over all values |
//! | `x` in a choice `c ? s : t` inside an atom | both cases of `c` |
//! | an array that is only read | `∀x ∀r. A[store(x, i, r)/x]` for an index `i` of a read: one read less, one word more |
//!
//! Anything else is `None`: an inexact elimination would break the triples (algorithms.md §1.3 h).

use crate::term::{Op, Sort, Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;

/// Words up to this width are expanded.
const MAX_EXPANDED: u8 = 3;
/// Eliminations nested deeper than this are given up.
const MAX_DEPTH: u32 = 8;
/// Conjunctions longer than this are not distributed over.
const MAX_JOINT: usize = 6;
/// An array read at more places than this is kept.
const MAX_READS: usize = 4;

/// A formula equivalent to `∀x. formula` without `x`.
pub(super) fn forall(terms: &mut Terms, x: Symbol, formula: Term) -> Option<Term> {
    eliminate(terms, x, formula, 0)
}

fn eliminate(terms: &mut Terms, x: Symbol, formula: Term, depth: u32) -> Option<Term> {
    if !terms.mentions(formula, x) {
        return Some(formula);
    }
    if depth > MAX_DEPTH {
        return None;
    }
    match terms.sort(terms.var_of(x)) {
        Sort::Bool => return Some(expand(terms, x, formula, [false, true].map(Value::Bool).into())),
        Sort::Bits(width) if width <= MAX_EXPANDED => {
            return Some(expand(terms, x, formula, (0..1 << width).map(Value::Bits).collect()));
        }
        Sort::Array { .. } => return eliminate_array(terms, x, formula, depth),
        Sort::Bits(_) => {}
    }
    if terms.op(formula) == Op::And {
        let mut parts = Vec::new();
        for part in terms.conjuncts(formula) {
            parts.push(eliminate(terms, x, part, depth + 1)?);
        }
        return Some(terms.and(&parts));
    }
    let (with, without): (Vec<Term>, Vec<Term>) =
        terms.disjuncts(formula).into_iter().partition(|&d| terms.mentions(d, x));
    let rest = eliminate_clause(terms, x, &with, depth)?;
    let mut all = without;
    all.push(rest);
    Some(terms.or(&all))
}

/// The condition of a choice between words of which one mentions `x`.
fn choice_over(terms: &Terms, x: Symbol, formula: Term) -> Option<Term> {
    let is_choice =
        |&t: &Term| terms.op(t) == Op::Ite && terms.sort(t).width().is_some() && terms.mentions(t, x);
    terms.subterms(&[formula]).into_iter().find(is_choice).map(|t| terms.kid(t, 0))
}

/// `A` is `(!c || A[true/c]) && (c || A[false/c])`.
fn split(terms: &mut Terms, x: Symbol, formula: Term, condition: Term, depth: u32) -> Option<Term> {
    let opposite = terms.not(condition);
    let mut cases = Vec::new();
    for (value, other) in [(true, opposite), (false, condition)] {
        let value = terms.truth(value);
        let case = terms.replace(formula, condition, value);
        let clause = terms.or2(other, case);
        cases.push(eliminate(terms, x, clause, depth + 1)?);
    }
    Some(terms.and(&cases))
}

fn expand(terms: &mut Terms, x: Symbol, formula: Term, values: Vec<Value>) -> Term {
    let width = terms.sort(terms.var_of(x)).width();
    let mut parts = Vec::new();
    for value in values {
        let by = match value {
            Value::Bool(b) => terms.truth(b),
            other => terms.constant(other.bits(), width.unwrap_or(1)),
        };
        parts.push(terms.substitute(formula, &FxHashMap::from_iter([(x, by)])));
    }
    terms.and(&parts)
}

/// A clause whose disjuncts all mention `x`.
fn eliminate_clause(terms: &mut Terms, x: Symbol, parts: &[Term], depth: u32) -> Option<Term> {
    for (n, &part) in parts.iter().enumerate() {
        if terms.op(part) != Op::Not {
            continue;
        }
        let equation = terms.kid(part, 0);
        if let Some(t) = solution(terms, equation, x) {
            let mut others = parts.to_vec();
            others.remove(n);
            let rest = terms.or(&others);
            return Some(terms.substitute(rest, &FxHashMap::from_iter([(x, t)])));
        }
    }
    if let Some(result) = distribute(terms, x, parts, depth) {
        return Some(result);
    }
    let clause = terms.or(parts);
    if let Some(condition) = choice_over(terms, x, clause) {
        return split(terms, x, clause, condition, depth);
    }
    match *parts {
        [only] => eliminate_single(terms, x, only, depth),
        [a, b] => interval(terms, x, a, b).or_else(|| interval(terms, x, b, a)),
        _ => None,
    }
}

/// `(A && B) || C` is `(A || C) && (B || C)`; a choice of truth values is a conjunction of implications.
fn distribute(terms: &mut Terms, x: Symbol, parts: &[Term], depth: u32) -> Option<Term> {
    let is_joint = |t: Term| match terms.op(t) {
        Op::And => parts.len() > 1 && terms.kids(t).len() <= MAX_JOINT,
        Op::Ite => true,
        _ => false,
    };
    let n = parts.iter().position(|&t| is_joint(t))?;
    let joint = parts[n];
    let cases = if terms.op(joint) == Op::And {
        terms.conjuncts(joint)
    } else {
        let [c, a, b] = [0, 1, 2].map(|k| terms.kid(joint, k));
        vec![terms.implies(c, a), terms.or2(c, b)]
    };
    let mut results = Vec::new();
    for case in cases {
        let mut clause = parts.to_vec();
        clause[n] = case;
        let clause = terms.or(&clause);
        results.push(eliminate(terms, x, clause, depth + 1)?);
    }
    Some(terms.and(&results))
}

/// The `t` without `x` such that `equation` is `x == t`.
fn solution(terms: &mut Terms, equation: Term, x: Symbol) -> Option<Term> {
    if terms.op(equation) != Op::Eq {
        return None;
    }
    let (l, r) = (terms.kid(equation, 0), terms.kid(equation, 1));
    terms.sort(l).width()?;
    let sum = terms.difference(l, r);
    let t = terms.solve_for(&sum, terms.var_of(x))?;
    (!terms.mentions(t, x)).then_some(t)
}

/// One atom or conjunction. An equation or disequation that can be solved for `x` fails somewhere; a bound holds
/// everywhere only if it is the extreme value.
fn eliminate_single(terms: &mut Terms, x: Symbol, part: Term, depth: u32) -> Option<Term> {
    let variable = terms.var_of(x);
    match terms.op(part) {
        Op::And => eliminate(terms, x, part, depth + 1),
        Op::Eq => solution(terms, part, x).map(|_| terms.ff()),
        op @ (Op::Ult | Op::Ule | Op::Slt | Op::Sle) => {
            let (l, r) = (terms.kid(part, 0), terms.kid(part, 1));
            let width = terms.width(l);
            let (min, max) = if matches!(op, Op::Ult | Op::Ule) {
                (0, u128::MAX)
            } else {
                (1 << (width - 1), (1 << (width - 1)) - 1)
            };
            // The worst value of `x`: the greatest on the left, the least on the right.
            let (worst, other) = if l == variable { (max, r) } else { (min, l) };
            if (l != variable && r != variable) || terms.mentions(other, x) {
                return None;
            }
            let worst = terms.constant(worst, width);
            Some(terms.substitute(part, &FxHashMap::from_iter([(x, worst)])))
        }
        _ => None,
    }
}

/// `a` bounds `x` from above and `b` from below: together they hold everywhere unless there is a gap.
fn interval(terms: &mut Terms, x: Symbol, a: Term, b: Term) -> Option<Term> {
    let variable = terms.var_of(x);
    let (op_a, op_b) = (terms.op(a), terms.op(b));
    let (weak, strict) = match op_a {
        Op::Ult | Op::Ule => (Op::Ule, Op::Ult),
        Op::Slt | Op::Sle => (Op::Sle, Op::Slt),
        _ => return None,
    };
    if op_b != weak && op_b != strict {
        return None;
    }
    let (above, below) = (terms.kid(a, 1), terms.kid(b, 0));
    let is_bounded = terms.kid(a, 0) == variable && terms.kid(b, 1) == variable;
    if !is_bounded || terms.mentions(above, x) || terms.mentions(below, x) {
        return None;
    }
    Some(match (op_a == strict, op_b == strict) {
        // x < above || below < x
        (true, true) => terms.make(strict, &[below, above]),
        (true, false) | (false, true) => terms.make(weak, &[below, above]),
        (false, false) => {
            let one = terms.constant(1, terms.width(above));
            let next = terms.add(above, one);
            let (meets, touches) = (terms.make(weak, &[below, above]), terms.eq(below, next));
            terms.or2(meets, touches)
        }
    })
}

/// An array that is only read is one word for each index that is read.
fn eliminate_array(terms: &mut Terms, x: Symbol, formula: Term, depth: u32) -> Option<Term> {
    let array = terms.var_of(x);
    let mut reads = Vec::new();
    for t in terms.subterms(&[formula]) {
        if terms.op(t) == Op::Select && terms.kid(t, 0) == array {
            reads.push(t);
        } else if terms.kids(t).contains(&array) {
            return None;
        }
    }
    if reads.len() > MAX_READS {
        return None;
    }
    // Operands come first, so the first read's index reads nothing.
    let &read = reads.first()?;
    let word = terms.fresh("read", terms.sort(read));
    let symbol = terms.as_var(word)?;
    let stored = terms.store(array, terms.kid(read, 1), word);
    let formula = terms.substitute(formula, &FxHashMap::from_iter([(x, stored)]));
    let formula = eliminate(terms, symbol, formula, depth + 1)?;
    eliminate(terms, x, formula, depth + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{ArrayValue, Model};

    /// Exact at width 4 (which is not expanded), on all values of the other variables.
    #[test]
    fn eliminations_are_exact() {
        let mut t = Terms::new();
        let sort = Sort::Bits(4);
        let [x, y, z] = ["x", "y", "z"].map(|n| t.var(n, sort));
        let five = t.constant(5, 4);
        let sum = t.add(x, y);
        let atoms = [
            t.ne(x, y),
            t.eq(x, z),
            t.ne(sum, five),
            t.ule(x, y),
            t.ult(z, x),
            t.sle(y, x),
            t.slt(x, z),
            t.ule(z, x),
            t.sle(x, five),
            t.ult(x, y),
        ];
        let order = t.ult(y, z);
        let chosen = t.ite(order, x, five);
        let atoms = [&atoms[..], &[t.eq(chosen, z), t.ne(chosen, y)]].concat();
        let symbol = t.as_var(x).unwrap();
        let mut n_exact = 0;
        for &a in &atoms {
            for &b in &atoms {
                for formula in [t.or2(a, b), t.and2(a, b)] {
                    let Some(result) = forall(&mut t, symbol, formula) else { continue };
                    n_exact += 1;
                    for code in 0..256u128 {
                        let mut model = Model::default();
                        model.set(t.as_var(y).unwrap(), Value::Bits(code & 15));
                        model.set(t.as_var(z).unwrap(), Value::Bits(code >> 4));
                        let all = (0..16).all(|value| {
                            model.set(symbol, Value::Bits(value));
                            t.eval(formula, &model).truth()
                        });
                        let text = format!("∀x. {} is not {}", t.show(formula), t.show(result));
                        assert_eq!(t.eval(result, &model).truth(), all, "{text}");
                        assert!(!t.mentions(result, symbol));
                    }
                }
            }
        }
        assert!(n_exact > 100, "{n_exact}");
    }

    /// An array of two words of two bits, read at two indices and at what it holds there.
    #[test]
    fn eliminations_of_arrays_are_exact() {
        let mut t = Terms::new();
        let a = t.var("a", Sort::Array { index: 1, element: 2 });
        let [i, j] = ["i", "j"].map(|n| t.var(n, Sort::Bits(1)));
        let p = t.var("p", Sort::Bits(2));
        let (at_i, at_j) = (t.select(a, i), t.select(a, j));
        let low = t.extract(0, 0, at_i);
        let nested = t.select(a, low);
        let atoms =
            [t.ne(at_i, p), t.eq(at_j, p), t.ule(at_i, at_j), t.ult(p, at_j), t.ne(nested, p), t.eq(i, j)];
        let [array, i, j, p] = [a, i, j, p].map(|v| t.as_var(v).unwrap());
        let mut n_exact = 0;
        for (&x, &y) in atoms.iter().flat_map(|x| atoms.iter().map(move |y| (x, y))) {
            let formula = t.or2(x, y);
            let Some(result) = forall(&mut t, array, formula) else { continue };
            n_exact += 1;
            for code in 0..16u128 {
                let mut model = Model::default();
                for (v, bits) in [(i, code & 1), (j, code >> 1 & 1), (p, code >> 2)] {
                    model.set(v, Value::Bits(bits));
                }
                let all = (0..16u128).all(|contents| {
                    let mut value = ArrayValue::default();
                    value.set(0, contents & 3);
                    value.set(1, contents >> 2);
                    model.set(array, Value::Array(value.into()));
                    t.eval(formula, &model).truth()
                });
                let text = format!("∀a. {} is not {}", t.show(formula), t.show(result));
                assert_eq!(t.eval(result, &model).truth(), all, "{text}");
                assert!(!t.mentions(result, array));
            }
        }
        assert!(n_exact > 30, "{n_exact}");
    }
}
