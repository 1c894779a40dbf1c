//! Verdicts of small programs in every configuration, and proofs that were tampered with.

use crate::cpa::{DomainName, Options, Order};
use crate::{Engine, Task};
use base::stats::Metric;
use base::{Budget, Stats};
use certify::{check_proof, replay};
use evidence::Outcome;
use program::{Program, Property};
use std::time::Duration;

fn configurations() -> Vec<Options> {
    let mut all = Vec::new();
    for domain in [DomainName::Value, DomainName::Interval, DomainName::Bdd] {
        for (order, partition, local) in [
            (Order::Threads, true, true),
            (Order::Dfs, true, true),
            (Order::Bfs, true, false),
            (Order::Threads, false, true),
        ] {
            all.push(Options { domain, order, partition, local });
        }
    }
    all
}

fn parsed(text: &str) -> Program {
    program::text::parse(text).unwrap_or_else(|e| panic!("{e:?} in {text}"))
}

fn answer(program: &Program, property: Property, options: &Options) -> Outcome {
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    options.run(&Task::new(program, property, &budget), &mut Stats::default())
}

/// What the configurations say; every answer passes its check. `unknown` is counted.
fn check(text: &str, property: Property, holds: bool, domains: &[DomainName]) {
    let program = parsed(text);
    for options in configurations() {
        match answer(&program, property, &options) {
            Outcome::Safe(proof) => {
                assert!(holds, "{options:?} should find the violation of {text}");
                let checked = check_proof(&program, property, &proof, &Budget::unlimited());
                assert_eq!(checked, Ok(()), "{options:?} on {text}");
            }
            Outcome::Unsafe(trace) => {
                assert!(!holds, "{options:?} should prove {text}");
                replay(&program, &trace).expect("a trace should replay");
            }
            Outcome::UnsafeGraph(_) => unreachable!("under sequential consistency a violation is a trace"),
            Outcome::Unknown(stop) => {
                assert!(!domains.contains(&options.domain), "{options:?}: {stop} on {text}")
            }
        }
    }
}

const ALL: &[DomainName] = &[DomainName::Value, DomainName::Interval, DomainName::Bdd];

fn safety(text: &str, holds: bool) {
    check(text, Property::UnreachCall, holds, ALL);
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
        function first(arg: 64) -> 64 {{ reg t, i: 32 {first} return 0 }}
        function second(arg: 64) -> 64 {{ reg t, i: 32 {second} return 0 }}"
    )
}

const XY: &str = "object x: 4 = 0 object y: 4 = 0 object m: 4 = 0 object n: 4 = 0";
const LOCKED_INCREMENT: &str = "guard [&m]:32 == 0; [&m]:32 = 1
    t = [&x]:32
    [&x]:32 = t + 1
    [&m]:32 = 0";
const JOIN_BOTH: &str = "r, e = join(h)
    r, e = join(g)";

fn sum(expected: u32) -> String {
    format!("{JOIN_BOTH} if [&x]:32 == {expected} then ok else bad bad: error unreach-call \"sum\" ok: skip")
}

#[test]
fn updates_under_a_lock_are_not_lost() {
    safety(&three(XY, LOCKED_INCREMENT, LOCKED_INCREMENT, &sum(2)), true);
    let unlocked = "t = [&x]:32 [&x]:32 = t + 1";
    safety(&three(XY, LOCKED_INCREMENT, unlocked, &sum(2)), false);
}

#[test]
fn what_happens_before_a_join_is_seen_after_it() {
    let main = format!("{JOIN_BOTH} if [&x]:32 == 0 then ok else bad bad: error unreach-call \"x\" ok: skip");
    safety(&three(XY, "[&x]:32 = 1", "skip", &main), false);
    safety(&three(XY, "[&y]:32 = 1", "skip", &main), true);
}

#[test]
fn atomic_sections_are_not_split() {
    let writer = "atomic_begin [&x]:32 = 1 [&y]:32 = 1 atomic_end";
    let reader = "atomic_begin t = [&x]:32 if t == [&y]:32 then ok else bad bad: error unreach-call \"torn\" ok: atomic_end";
    safety(&three(XY, reader, writer, "skip"), true);
    safety(&three(XY, reader, "[&x]:32 = 1 [&y]:32 = 1", "skip"), false);
}

#[test]
fn a_thread_that_spins_stops_no_other() {
    safety(&three(XY, "loop: skip -> loop", "error unreach-call \"reached\"", "skip"), false);
}

#[test]
fn a_loop_without_a_bound_is_proved() {
    let first = "loop: guard [&m]:32 == 0; [&m]:32 = 1
        [&x]:32 = 1
        [&x]:32 = 0
        [&m]:32 = 0 -> loop";
    let second = "again: guard [&m]:32 == 0; [&m]:32 = 1
        if [&x]:32 == 0 then ok else bad
        bad: error unreach-call \"seen\"
        ok: [&m]:32 = 0 -> again";
    safety(&three(XY, first, second, "skip"), true);
}

/// Only ranges can say what holds in the loop: constants and sets of states count all its iterations.
#[test]
fn a_counter_is_widened_to_its_bound() {
    let first = "i = 0
        loop: if i <u 1000000 then more else done
        more: i = i + 1 -> loop
        done: if i <=u 1000000 then ok else bad
        bad: error unreach-call \"too far\"
        ok: skip";
    let program = parsed(&three(XY, first, "skip", "skip"));
    let options = Options { domain: DomainName::Interval, ..Options::default() };
    let Outcome::Safe(proof) = answer(&program, Property::UnreachCall, &options) else {
        panic!("the counter should be proved")
    };
    assert_eq!(check_proof(&program, Property::UnreachCall, &proof, &Budget::unlimited()), Ok(()));
}

const TAKE_BOTH: &str = "guard [&m]:32 == 0; [&m]:32 = 1
    guard [&n]:32 == 0; [&n]:32 = 1
    [&n]:32 = 0
    [&m]:32 = 0";
const TAKE_BOTH_THE_OTHER_WAY: &str = "guard [&n]:32 == 0; [&n]:32 = 1
    guard [&m]:32 == 0; [&m]:32 = 1
    [&m]:32 = 0
    [&n]:32 = 0";

#[test]
fn locks_taken_in_two_orders_deadlock() {
    let deadlock = |text: &str, holds| check(text, Property::NoDeadlock, holds, ALL);
    deadlock(&three(XY, TAKE_BOTH, TAKE_BOTH_THE_OTHER_WAY, JOIN_BOTH), false);
    deadlock(&three(XY, TAKE_BOTH, TAKE_BOTH, JOIN_BOTH), true);
    // Main does not wait for them: when it returns, they end, too.
    deadlock(&three(XY, TAKE_BOTH, TAKE_BOTH, "skip"), true);
}

/// A bound that is no constant of the program, nor known from the form of a term: widening jumps over it, narrowing comes back to it.
#[test]
fn a_loop_up_to_a_computed_bound_is_narrowed() {
    let text = "program lp64
        function main() -> 32 { reg i, n, k: 32
            havoc k
            if k <u 8 then go else ok
            go: n = k * 5 + 3
            i = 0
            loop: if i <s n then body else out
            body: i = i + 1 -> loop
            out: if i <=s 38 then ok else bad
            bad: error unreach-call \"too far\"
            ok: return 0
        }";
    let program = parsed(text);
    for options in configurations().into_iter().filter(|options| options.domain == DomainName::Interval) {
        let (budget, mut stats) = (Budget::new(Some(Duration::from_secs(60)), None), Stats::default());
        let outcome = options.run(&Task::new(&program, Property::UnreachCall, &budget), &mut stats);
        let Outcome::Safe(proof) = outcome else { panic!("{options:?}: {outcome:?}") };
        assert_eq!(check_proof(&program, Property::UnreachCall, &proof, &budget), Ok(()), "{options:?}");
        let narrowed = |(name, figure)| name == "narrowings" && figure != &Metric::Count(0);
        assert!(stats.iter().any(narrowed), "{options:?} should narrow");
    }
}

/// Spins until a flag that is accessed atomically is set: no lock is held that locksets could see.
const WAITS: &str = "again: if [&y]:32!sc == 1 then go else again go: [&x]:32 = 1";

#[test]
fn races_are_found_and_excluded() {
    let race = |first: &str, second: &str, holds| {
        check(&three(XY, first, second, "skip"), Property::NoDataRace, holds, ALL);
    };
    race("[&x]:32 = 1", "t = [&x]:32", false);
    race("[&x]:32 = 1", "[&y]:32 = 1", true);
    race("[&x]:32 = 1 [&y]:32!sc = 1", WAITS, true);
    race("[&y]:32!sc = 1 [&x]:32 = 1", WAITS, false);
    // Half of it.
    race("[&x]:16 = 1", "[&x + 2]:16 = 1", true);
    race("[&x]:16 = 1", "[&x + 1]:16 = 1", false);
    // Sections are atomic for each other only.
    let section = "atomic_begin t = [&x]:32 [&x]:32 = t + 1 atomic_end";
    race(section, section, true);
    race(section, "[&x]:32 = 1", false);
}
