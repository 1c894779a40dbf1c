//! Sleep sets save transactions. (That wrong ones are refused is tested in `certify`.)

use super::{XY, answer, count, parsed, three};
use crate::ufo::Options;
use base::Stats;
use evidence::Outcome;

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
        (counted("solver_calls"), counted("sleep_set_threads"))
    };
    let ((with, sleeping), (without, none)) = (calls(true), calls(false));
    assert!(sleeping > 0 && none == 0, "sleep sets have {sleeping} and {none} threads");
    assert!(with < without, "{with} questions with sleep sets, {without} without");
}
