//! Ranges of small words, exhaustively: every operation contains every concrete result.

use crate::cpa::interval::range::{Range, mask, signed};
use logic::{Op, Terms, Value};

/// All ranges of a width.
fn ranges(width: u8) -> Vec<Range> {
    let mut all = Vec::new();
    let top = mask(width);
    let (least, greatest) = (signed(1 << (width - 1), width), (top >> 1) as i128);
    for low in 0..=top {
        for high in low..=top {
            for a in least..=greatest {
                for b in a..=greatest {
                    let range = Range { width, low, high, least: a, greatest: b };
                    all.extend(range.reduced().filter(|r| !all.contains(r)));
                }
            }
        }
    }
    all
}

fn words(range: &Range) -> Vec<u128> {
    (0..=mask(range.width)).filter(|v| range.contains(*v)).collect()
}

const BINARY: [Op; 12] = [
    Op::Add,
    Op::Mul,
    Op::Udiv,
    Op::Urem,
    Op::Sdiv,
    Op::Srem,
    Op::BitAnd,
    Op::BitOr,
    Op::BitXor,
    Op::Shl,
    Op::Lshr,
    Op::Ashr,
];

fn concrete(op: Op, operands: &[u128], width: u8) -> Value {
    let mut terms = Terms::new();
    let kids: Vec<_> = operands.iter().map(|v| terms.constant(*v, width)).collect();
    let values: Vec<Value> = operands.iter().map(|v| Value::Bits(*v)).collect();
    terms.apply(op, &kids, &values)
}

#[test]
fn operations_on_two_ranges_contain_all_results() {
    for width in [1, 2] {
        let all = ranges(width);
        for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            for op in BINARY {
                let result = match op {
                    Op::Add => a.add(b),
                    Op::Mul => a.mul(b),
                    op => Range::binary(op, a, b),
                };
                for (x, y) in words(a).into_iter().flat_map(|x| words(b).into_iter().map(move |y| (x, y))) {
                    let value = concrete(op, &[x, y], width).bits();
                    assert!(result.contains(value), "{op:?} of {x} in {a:?} and {y} in {b:?}");
                }
            }
        }
    }
}

#[test]
fn comparisons_are_decided_rightly() {
    let all = ranges(2);
    for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
        for op in [Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle] {
            let Some(decided) = Range::compare(op, a, b) else { continue };
            for (x, y) in words(a).into_iter().flat_map(|x| words(b).into_iter().map(move |y| (x, y))) {
                assert_eq!(concrete(op, &[x, y], 2).truth(), decided, "{op:?} of {a:?} and {b:?}");
            }
        }
    }
}

#[test]
fn the_lattice_is_one() {
    let all = ranges(2);
    for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
        let (join, meet) = (a.join(b), a.meet(b));
        assert!(join.covers(a) && join.covers(b));
        let wide = a.widen(b, &[1]);
        for x in 0..4 {
            assert!(!(a.contains(x) || b.contains(x)) || join.contains(x) && wide.contains(x));
            let in_both = a.contains(x) && b.contains(x);
            assert!(!in_both || meet.is_some_and(|m| m.contains(x)), "{x} in {a:?} and {b:?}");
            assert!(!a.contains(x) || x == 3 || a.without(3).is_some_and(|r| r.contains(x)));
        }
        if a.covers(b) {
            assert!(words(b).iter().all(|x| a.contains(*x)));
        }
    }
}

#[test]
fn operations_on_one_range_contain_all_results() {
    for a in ranges(3) {
        for x in words(&a) {
            assert!(a.inverted().contains(!x & 7));
            assert!(a.truncated(2).contains(x & 3));
            assert!(a.extracted(2, 1).contains(x >> 1));
            assert!(a.extracted(1, 1).contains(x >> 1 & 1));
            assert!(a.zero_extended(5).contains(x));
            assert!(a.sign_extended(5).contains(signed(x, 3) as u128 & 31));
            for low in ranges(2) {
                for y in words(&low) {
                    assert!(a.concat(&low).contains(x << 2 | y));
                }
            }
        }
    }
}

#[test]
fn widening_ends() {
    for a in ranges(3) {
        let mut wide = a;
        for n in 0..16 {
            let more = wide.join(&Range::one(n % 8, 3));
            wide = wide.widen(&more, &[2, 5]);
        }
        assert_eq!(wide, wide.widen(&wide.join(&Range::one(3, 3)), &[2, 5]));
    }
}
