//! The programs that break the rules as printed, programs that need the repaired ones, and proofs that were tampered with.

use super::Options;
use crate::{Engine, Task};
use base::{Budget, Inconclusive, Stats};
use certify::{check_proof, replay};
use evidence::{CommitPhase, ModularProof, Outcome, Proof};
use program::{Program, Property};
use semantics::modular::TemplateId;
use std::time::Duration;

fn parsed(text: &str) -> Program {
    program::text::parse(text).unwrap_or_else(|e| panic!("{e:?} in {text}"))
}

fn answer(program: &Program, options: &Options) -> Outcome {
    let budget = Budget::new(Some(Duration::from_secs(120)), None);
    options.run(&Task::new(program, Property::UnreachCall, &budget), &mut Stats::default())
}

fn passes(program: &Program, proof: ModularProof) -> Result<(), Inconclusive> {
    check_proof(program, Property::UnreachCall, &Proof::Modular(Box::new(proof)), &Budget::unlimited())
}

fn proof_of(program: &Program, options: &Options) -> Option<ModularProof> {
    match answer(program, options) {
        Outcome::Safe(Proof::Modular(proof)) => Some(*proof),
        _ => None,
    }
}

/// Without looking for violations, so that only the rule itself can say "safe".
const RULE: Options = Options { reduction: true, search_violation: false };
const NO_REDUCTION: Options = Options { reduction: false, search_violation: false };

/// The rule proves it, with and without reduction, and the proofs pass their check.
fn proved(text: &str) {
    let program = parsed(text);
    for options in [RULE, NO_REDUCTION] {
        let proof = proof_of(&program, &options).unwrap_or_else(|| panic!("{options:?} should prove {text}"));
        assert_eq!(passes(&program, proof), Ok(()), "{options:?} on {text}");
    }
}

/// It has a violation: the rule does not prove it, and the whole engine finds the violation.
fn refuted(text: &str) {
    let program = parsed(text);
    for options in [RULE, NO_REDUCTION] {
        assert!(proof_of(&program, &options).is_none(), "{options:?} should not prove {text}");
    }
    match answer(&program, &Options::default()) {
        Outcome::Unsafe(trace) => _ = replay(&program, &trace).expect("a trace should replay"),
        other => panic!("the violation should be found, not {other:?}, in {text}"),
    }
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

const XYMN: &str = "object x: 4 = 0 object y: 4 = 0 object m: 4 = 0 object n: 4 = 0";
const LOCK_M: &str = "guard [&m]:32 == 0; [&m]:32 = 1";
const LOCK_N: &str = "guard [&n]:32 == 0; [&n]:32 = 1";
const UNLOCK_M: &str = "[&m]:32 = 0";
const UNLOCK_N: &str = "[&n]:32 = 0";
const JOIN_BOTH: &str = "r, e = join(h) r, e = join(g)";

fn assert_that(condition: &str) -> String {
    format!("if {condition} then ok else bad bad: error unreach-call \"no\" ok: skip")
}

#[test]
fn updates_under_a_lock_are_not_lost() {
    let add = format!("{LOCK_M} t = [&x]:32 [&x]:32 = t + 1 {UNLOCK_M}");
    let main = format!("{JOIN_BOTH} {}", assert_that("[&x]:32 == 2"));
    proved(&three(XYMN, &add, &add, &main));
    refuted(&three(XYMN, &add, "t = [&x]:32 [&x]:32 = t + 1", &main));
}

/// CE1: a location that is reached before and after the commit is inside only if both allow it.
#[test]
fn a_lock_taken_again_in_a_loop_ends_the_block() {
    let first = format!(
        "{LOCK_M} i = 0
        loop: if i <u 2 then more else done
        more: {LOCK_N} t = [&y]:32 [&y]:32 = t + 1 {UNLOCK_N} i = i + 1 -> loop
        done: {UNLOCK_M}"
    );
    let second = format!("{LOCK_N} t = [&y]:32 {UNLOCK_N} {}", assert_that("t != 1"));
    refuted(&three(XYMN, &first, &second, "skip"));
}

/// CE2: what a thread has done is seen although it never does anything else.
#[test]
fn a_thread_that_spins_after_its_commit_is_seen() {
    refuted(&three(XYMN, "[&x]:32 = 1 loop: skip -> loop", &assert_that("[&x]:32 == 0"), "skip"));
}

/// CE3: the last block of a thread is seen.
#[test]
fn the_end_of_a_thread_publishes_its_block() {
    let first = format!("{LOCK_M} [&x]:32 = 1 {UNLOCK_M}");
    let second = format!("{LOCK_M} t = [&x]:32 {UNLOCK_M} {}", assert_that("t == 0"));
    refuted(&three(XYMN, &first, &second, "skip"));
}

/// An assumption after the commit may fail: until then, others see what was done.
#[test]
fn an_assumption_after_the_commit_hides_nothing() {
    refuted(&three(XYMN, "[&x]:32 = 1 assume [&y]:32 == 1", &assert_that("[&x]:32 == 0"), "skip"));
    refuted(&three(XYMN, "[&x]:32 = 1 guard [&y]:32 == 1; skip", &assert_that("[&x]:32 == 0"), "skip"));
    let dies = "atomic_begin [&x]:32 = 1 assume [&y]:32 == 1 atomic_end";
    proved(&three(XYMN, dies, &assert_that("[&x]:32 == 0"), "skip"));
}

/// A mutex that is locked at the start, and one that a thread gives back without holding it, protect nothing.
#[test]
fn only_owners_count() {
    let locked = XYMN.replace("object m: 4 = 0", "object m: 4 = 1");
    let user = format!("{LOCK_M} [&x]:32 = 2 {}", assert_that("[&x]:32 == 2"));
    refuted(&three(&locked, &user, "[&x]:32 = 1", UNLOCK_M));
    let section =
        format!("{LOCK_M} [&x]:32 = 1 t = [&x]:32 {} [&x]:32 = 0 {UNLOCK_M}", assert_that("t == 1"));
    let plain = format!("{LOCK_M} [&x]:32 = 2 {UNLOCK_M}");
    proved(&three(XYMN, &section, &plain, "skip"));
    refuted(&three(XYMN, &section, &plain, UNLOCK_M));
}

/// A thread that reads the lock itself sees that it is taken.
#[test]
fn a_failing_try_sees_the_lock() {
    let first = format!("{LOCK_M} {UNLOCK_M}");
    refuted(&three(XYMN, &first, &assert_that("[&m]:32 == 0"), "skip"));
}

#[test]
fn creation_and_join_order_what_is_around_them() {
    let main = format!("{JOIN_BOTH} {}", assert_that("[&x]:32 == 0"));
    refuted(&three(XYMN, "[&x]:32 = 1", "skip", &main));
    proved(&three(XYMN, "[&y]:32 = 1", "skip", &main));
    let created = "program lp64 object x: 4 = 0
        function main() -> 32 { reg h: 64 [&x]:32 = 1 h = create(&first, 0) return 0 }
        function first(arg: 64) -> 64 { if [&x]:32 == CHECKED then ok else bad bad: error unreach-call \"x\" ok: return 0 }";
    refuted(&created.replace("CHECKED", "0"));
    proved(&created.replace("CHECKED", "1"));
}

#[test]
fn atomic_sections_are_not_split() {
    let writer = "atomic_begin [&x]:32 = 1 [&y]:32 = 1 atomic_end";
    let reader = "atomic_begin t = [&x]:32 if t == [&y]:32 then ok else bad bad: error unreach-call \"torn\" ok: atomic_end";
    proved(&three(XYMN, reader, writer, "skip"));
    refuted(&three(XYMN, reader, "[&x]:32 = 1 [&y]:32 = 1", "skip"));
    refuted(&three(
        XYMN,
        &assert_that("[&x]:32 == 0"),
        "atomic_begin [&x]:32 = 1 [&y]:32 = 0 atomic_end",
        "skip",
    ));
}

/// A loop inside a block is summarised by a relation.
#[test]
fn loops_inside_blocks() {
    let count = format!(
        "{LOCK_M} i = 0
        loop: if i <u 3 then more else done
        more: t = [&x]:32 [&x]:32 = t + 1 i = i + 1 -> loop
        done: [&x]:32 = 0 {UNLOCK_M}"
    );
    let look = format!("{LOCK_M} t = [&x]:32 {UNLOCK_M} {}", assert_that("t == 0"));
    let program = parsed(&three(XYMN, &count, &look, "skip"));
    let proof = proof_of(&program, &RULE).expect("it should be proved");
    assert!(
        proof.commit_phases[TemplateId(1)].iter().filter(|c| **c == CommitPhase::Outside).count() <= 2,
        "the loop is in the block"
    );
    assert_eq!(passes(&program, proof), Ok(()));
    refuted(&three(XYMN, &count.replace("done: [&x]:32 = 0", "done: skip"), &look, "skip"));
}

/// Any number of threads.
#[test]
fn templates_disturb_each_other() {
    let many = |body: &str| {
        format!(
            "program lp64 {XYMN}
            function main() -> 32 {{ reg h: 64 loop: h = create(&worker, 0) -> loop }}
            function worker(arg: 64) -> 64 {{ reg t: 32 {body} return 0 }}"
        )
    };
    let section = format!("{LOCK_M} [&x]:32 = 1 {} [&x]:32 = 0 {UNLOCK_M}", assert_that("[&x]:32 == 1"));
    let program = parsed(&many(&section));
    let proof = proof_of(&program, &RULE).expect("it should be proved");
    assert_eq!(passes(&program, proof), Ok(()));
    let unlocked = format!("[&x]:32 = 1 {} [&x]:32 = 0", assert_that("[&x]:32 == 1"));
    let program = parsed(&many(&unlocked));
    assert!(proof_of(&program, &RULE).is_none(), "siblings interfere");
}
