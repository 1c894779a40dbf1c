//! Sets of offsets against sets written out.

use super::super::offset::Offsets;
use super::*;

/// All offsets with small numbers.
fn all() -> Vec<Offset> {
    let strided = (1..5).flat_map(|stride| (0..5).map(move |start| Offset::new(start, stride)));
    (-4..5).map(Offset::Exactly).chain(strided).chain([Offset::Any]).collect()
}

fn members(offset: Offset) -> Vec<i64> {
    (-60..60).filter(|n| offset.contains(*n)).collect()
}

#[test]
fn arithmetic_includes_all_results() {
    for a in all() {
        for b in all() {
            for (x, y) in members(a).into_iter().flat_map(|x| members(b).into_iter().map(move |y| (x, y))) {
                assert!(a.plus(b).contains(x + y), "{a:?} + {b:?} should have {x} + {y}");
                assert!(a.minus(b).contains(x - y), "{a:?} - {b:?} should have {x} - {y}");
                assert!(a.join(b).contains(x) && a.join(b).contains(y));
            }
            if a.includes(b) {
                assert!(members(b).iter().all(|n| a.contains(*n)), "{a:?} should include {b:?}");
            }
        }
    }
}

#[test]
fn overlaps_are_found_exactly() {
    for (a, b) in all().into_iter().flat_map(|a| all().into_iter().map(move |b| (a, b))) {
        for (m, n) in [(1, 1), (1, 2), (2, 1), (3, 2), (2, 4)] {
            let touched = |offset, bytes: i64| -> std::collections::BTreeSet<i64> {
                members(offset).into_iter().flat_map(|at| at..at + bytes).collect()
            };
            let meets = touched(a, m).intersection(&touched(b, n)).next().is_some();
            assert_eq!(a.overlaps(m as u64, b, n as u64), meets, "{a:?}:{m} {b:?}:{n}");
        }
    }
}

#[test]
fn sets_stay_small() {
    let mut offsets = Offsets::default();
    assert!((0..33).all(|n| offsets.insert(Offset::Exactly(n * 6 + 2)).is_some()));
    assert_eq!(offsets.iter().collect::<Vec<_>>(), [Offset::new(2, 6)]);
    assert!(offsets.insert(Offset::Exactly(602)).is_none());
    assert!(offsets.insert(Offset::Exactly(3)).is_some());
    assert!(offsets.insert(Offset::Any).is_some());
    assert_eq!(offsets.iter().collect::<Vec<_>>(), [Offset::Any]);
}

/// A loop of two registers that are each other's source has to come to an end.
#[test]
fn growing_sets_settle() {
    for step in [-4, 4, -12, 7] {
        let starts = [0, 100, -40].map(Offset::Exactly);
        let mut sets = [0, 1].map(|_| Offsets::default());
        let mut n_rounds = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for n in [0, 1] {
                let from: Vec<Offset> = sets[1 - n].iter().chain(starts).collect();
                for offset in from {
                    changed |= sets[n].insert(offset.plus(Offset::Exactly(step * n as i64))).is_some();
                }
            }
            n_rounds += 1;
            assert!(n_rounds < 100, "{sets:?} should settle");
        }
    }
}
