//! Verdicts of small programs in every configuration, the paper's first figure, and proofs that were tampered with.

mod phases;
mod sleep;

use super::{Options, Post};
use crate::{Engine, Task};
use base::stats::Metric;
use base::{Budget, Stats};
use certify::{check_proof, replay};
use evidence::Outcome;
use program::{Program, Property};
use std::time::Duration;

fn parsed(text: &str) -> Program {
    program::text::parse(text).unwrap_or_else(|e| panic!("{e:?} in {text}"))
}

fn answer(program: &Program, options: &Options, stats: &mut Stats) -> Outcome {
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    options.run(&Task::new(program, Property::UnreachCall, &budget), stats)
}

/// Whether no error is reachable, in all five configurations; every answer passes its check.
fn check(text: &str, holds: bool) {
    let program = parsed(text);
    for (name, options) in &Options::CONFIGURATIONS {
        match answer(&program, options, &mut Stats::default()) {
            Outcome::Safe(proof) => {
                assert!(holds, "{name} should find the violation of {text}");
                let checked = check_proof(&program, Property::UnreachCall, &proof, &Budget::unlimited());
                assert_eq!(checked, Ok(()), "{name} on {text}");
            }
            Outcome::Unsafe(trace) => {
                assert!(!holds, "{name} should prove {text}");
                replay(&program, &trace).expect("a trace should replay");
            }
            Outcome::UnsafeGraph(_) => unreachable!("under sequential consistency a violation is a trace"),
            Outcome::Unknown(stop) => panic!("{name}: {stop} on {text}"),
        }
    }
}

fn sequential(body: &str) -> String {
    format!(
        "program lp64 object a: 16 = 0
        function main() -> 32 {{ reg x, y, i, n, c: 32 {body}
            bad: error unreach-call \"reached\"
            ok: return 0
        }}"
    )
}

/// The first figure of the paper.
const FIGURE_1: &str = "havoc n i = 0 x = 0
    head: if i <s n then body else out
    body: if i <=s 2 then small else large
    small: x = 0 -> next
    large: x = i -> next
    next: i = i + 1 -> head
    out: if x <s 0 then bad else ok";

fn count(stats: &Stats, name: &str) -> Option<u64> {
    stats.iter().find_map(|(n, figure)| match figure {
        Metric::Count(count) if n == name => Some(*count),
        _ => None,
    })
}

#[test]
fn the_papers_first_figure_takes_one_refinement() {
    let program = parsed(&sequential(FIGURE_1));
    let mut stats = Stats::default();
    let uufo = Options { post: Post::None, interpolate: true, sleep: true };
    let outcome = answer(&program, &uufo, &mut stats);
    assert!(matches!(outcome, Outcome::Safe(_)), "{outcome:?}");
    assert_eq!(count(&stats, "refinements"), Some(1));
    check(&sequential(FIGURE_1), true);
}

#[test]
fn invariants_of_two_variables_are_found() {
    let moving = "havoc n if n <s 0 then ok else start start: x = n y = 0
        head: if 0 <s x then body else out
        body: x = x - 1 y = y + 1 -> head
        out: if y == n then ok else bad";
    check(&sequential(moving), true);
    check(&sequential(&moving.replace("0 <s x", "1 <s x")), false);
}

#[test]
fn loops_may_be_nested_and_entered_anywhere() {
    let nested = "x = 0 y = 0
        outer: havoc c if c == 0 then out else inner
        inner: havoc c x = x + 1 y = y + 1 if c == 0 then outer else inner
        out: if x == y then ok else bad";
    check(&sequential(nested), true);
    let irreducible = "x = 0 y = 0 havoc c if c == 0 then second else first
        first: x = x + 1 havoc c if c == 0 then out else second
        second: y = y + 1 havoc c if c == 0 then out else first
        out: if x == y then ok else second_try
        second_try: if x == y + 1 then ok else third_try
        third_try: if y == x + 1 then ok else bad";
    check(&sequential(irreducible), true);
    check(&sequential(&irreducible.replace("if y == x + 1 then ok else bad", "skip -> bad")), false);
}

/// Two threads beside main, which starts them in this order and then goes on with `main`.
fn three(objects: &str, first: &str, second: &str, main: &str) -> String {
    format!(
        "program lp64 {objects}
        function main() -> 32 {{ reg h, g, r: 64 reg e, t: 32
            h = create(&first, 0)
            g = create(&second, 0)
            {main}
            return 0
        }}
        function first(arg: 64) -> 64 {{ reg t: 32 {first} return 0 }}
        function second(arg: 64) -> 64 {{ reg t: 32 {second} return 0 }}"
    )
}

const XY: &str = "object x: 4 = 0 object y: 4 = 0 object m: 4 = 0";
const LOCKED_INCREMENT: &str = "guard [&m]:32 == 0; [&m]:32 = 1
    t = [&x]:32
    [&x]:32 = t + 1
    [&m]:32 = 0";
const CHECK_SUM: &str = "r, e = join(h)
    r, e = join(g)
    if [&x]:32 == 2 then ok else bad
    bad: error unreach-call \"sum\"
    ok: skip";

#[test]
fn threads_are_unrolled_like_any_program() {
    check(&three(XY, LOCKED_INCREMENT, LOCKED_INCREMENT, CHECK_SUM), true);
    check(&three(XY, LOCKED_INCREMENT, "t = [&x]:32 [&x]:32 = t + 1", CHECK_SUM), false);
    // The smallest program that a published rule for covers loses.
    let first =
        "t = [&y]:32 [&x]:32 = t if [&x]:32 != 1 then ok else bad bad: error unreach-call \"x\" ok: skip";
    check(&three(XY, first, "[&x]:32 = 0 [&y]:32 = 1", "skip"), false);
    check(&three(XY, "loop: skip -> loop", "error unreach-call \"reached\"", "skip"), false);
}
