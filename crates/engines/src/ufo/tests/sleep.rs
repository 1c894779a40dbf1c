//! Sleep sets: they spare steps, and a proof in which somebody sleeps who may not is refused.

use super::{XY, answer, count, parsed, passes, three};
use crate::ufo::Options;
use base::{Inconclusive, Stats};
use evidence::{CutPoint, Outcome, Proof};
use program::interp::ThreadId;

/// Three writes each, to `x` and to `y`.
fn apart() -> String {
    let writes = |x: &str| format!("[&{x}]:32 = 1 [&{x}]:32 = 2 [&{x}]:32 = 3");
    let check = "r, e = join(h)
        r, e = join(g)
        if [&x]:32 == 3 && [&y]:32 == 3 then ok else bad
        bad: error unreach-call \"reached\"
        ok: skip";
    three(XY, &writes("x"), &writes("y"), check)
}

#[test]
fn independent_steps_are_taken_in_one_order() {
    let program = parsed(&apart());
    let calls = |sleep: bool| {
        let mut stats = Stats::default();
        let found = answer(&program, &Options { sleep, ..Options::default() }, &mut stats);
        assert!(matches!(found, Outcome::Safe(_)), "{found:?} should be a proof");
        let counted = |name: &str| count(&stats, name).expect("everything should be counted");
        (counted("solver_calls"), counted("asleep"))
    };
    let ((with, asleep), (without, none)) = (calls(true), calls(false));
    assert!(asleep > 0 && none == 0, "{asleep} and {none} threads slept");
    assert!(with < without, "{with} questions with sleep sets, {without} without");
}

/// Not everybody may sleep where nobody has ended yet: who moved last is awake. And nobody may sleep wherever they are.
#[test]
fn somebody_has_to_be_awake() {
    for text in [apart(), three(XY, super::LOCKED_INCREMENT, super::LOCKED_INCREMENT, super::CHECK_SUM)] {
        let program = parsed(&text);
        let Outcome::Safe(Proof::Cuts(proof)) = answer(&program, &Options::default(), &mut Stats::default())
        else {
            panic!("{text} should be proved by cut points")
        };
        let refused = |change: &dyn Fn(usize, &mut CutPoint)| {
            let mut tampered = (*proof).clone();
            tampered.points.iter_mut().enumerate().for_each(|(n, point)| change(n, point));
            matches!(passes(&program, tampered), Err(Inconclusive::CheckFailed(_)))
        };
        let mut n_tried = 0;
        for (n, point) in proof.points.iter().enumerate() {
            let twins = proof.points.iter().filter(|p| p.control == point.control).count();
            if twins > 1 || point.control.threads.iter().any(|t| t.is_finished()) {
                continue;
            }
            let everybody = |at: usize, p: &mut CutPoint| {
                if at == n {
                    p.asleep = p.control.movable().collect();
                }
            };
            assert!(refused(&everybody), "somebody should be awake at {}", point.control);
            n_tried += 1;
        }
        assert!(n_tried > 5, "only {n_tried} points were tried");
        for thread in (0..3).map(ThreadId) {
            let always = |_: usize, p: &mut CutPoint| {
                let moves = p.control.movable().any(|t| t == thread);
                if moves && !p.asleep.contains(&thread) {
                    p.asleep.push(thread);
                }
            };
            assert!(refused(&always), "{thread} should not sleep always");
        }
    }
}
