//! Application with checked sorts, for terms that come from outside: the constructors of [`build`](super::build) require what is checked here.

use super::{Op, Sort, Term, Terms};

impl Terms {
    /// `op` applied to `operands`, simplified; `None` if their number or their sorts do not fit, and for constants and variables, which have no operands.
    pub fn apply_checked(&mut self, op: Op, operands: &[Term]) -> Option<Term> {
        let sorts: Vec<Sort> = operands.iter().map(|t| self.sort(*t)).collect();
        is_well_sorted(op, &sorts).then(|| self.make(op, operands))
    }
}

/// The greatest width of a bit-vector.
const MAX_WIDTH: u8 = 128;

fn is_well_sorted(op: Op, sorts: &[Sort]) -> bool {
    let numbers = |n: usize| {
        sorts.len() == n && sorts.iter().all(|s| *s == sorts[0]) && sorts.iter().all(|s| s.width().is_some())
    };
    match (op, sorts) {
        (Op::Bool(_) | Op::Const(_) | Op::Var(_), _) => false,
        (Op::Not, [Sort::Bool]) => true,
        (Op::And, [first, ..]) => *first == Sort::Bool && sorts.iter().all(|s| s == first),
        (Op::Eq, [a, b]) => a == b,
        (Op::Ite, [Sort::Bool, a, b]) => a == b,
        (Op::Add, [_, ..]) => numbers(sorts.len()),
        (Op::Ult | Op::Ule | Op::Slt | Op::Sle, _) => numbers(2),
        (Op::Mul | Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem, _) => numbers(2),
        (Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shl | Op::Lshr | Op::Ashr, _) => numbers(2),
        (Op::BitNot, _) => numbers(1),
        (Op::Concat, [Sort::Bits(a), Sort::Bits(b)]) => u32::from(*a) + u32::from(*b) <= u32::from(MAX_WIDTH),
        (Op::Extract { hi, lo }, [Sort::Bits(width)]) => lo <= hi && hi < *width,
        (Op::Zext(to) | Op::Sext(to), [Sort::Bits(width)]) => *width <= to && to <= MAX_WIDTH,
        (Op::Select, [Sort::Array { index, .. }, Sort::Bits(at)]) => index == at,
        (Op::Store, [Sort::Array { index, element }, Sort::Bits(at), Sort::Bits(value)]) => {
            index == at && element == value
        }
        (Op::ConstArray(index), [Sort::Bits(_)]) => (1..=MAX_WIDTH).contains(&index),
        (Op::Not | Op::And | Op::Eq | Op::Ite | Op::Add | Op::Concat | Op::Extract { .. }, _) => false,
        (Op::Zext(_) | Op::Sext(_) | Op::Select | Op::Store | Op::ConstArray(_), _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_well_sorted_is_applied() {
        let mut terms = Terms::new();
        let (a, b) = (terms.var("a", Sort::Bits(8)), terms.var("b", Sort::Bits(4)));
        let v = terms.var("v", Sort::Array { index: 4, element: 8 });
        let tt = terms.tt();
        let sum = terms.add(a, a);
        assert_eq!(terms.apply_checked(Op::Add, &[a, a]), Some(sum));
        let read = terms.select(v, b);
        assert_eq!(terms.apply_checked(Op::Select, &[v, b]), Some(read));
        let wrong: [(Op, &[Term]); 12] = [
            (Op::Add, &[a, b]),
            (Op::Add, &[]),
            (Op::And, &[]),
            (Op::And, &[tt, a]),
            (Op::Not, &[a]),
            (Op::Eq, &[a, b]),
            (Op::Ite, &[a, a, a]),
            (Op::Extract { hi: 8, lo: 0 }, &[a]),
            (Op::Zext(4), &[a]),
            (Op::Select, &[v, a]),
            (Op::Store, &[v, b, b]),
            (Op::Const(3), &[]),
        ];
        for (op, operands) in wrong {
            assert_eq!(terms.apply_checked(op, operands), None, "{op:?} of {operands:?}");
        }
    }
}
