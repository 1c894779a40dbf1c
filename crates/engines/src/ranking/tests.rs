//! Proofs and executions that are right pass their check; the same ones, spoilt, do not.

use super::{Bounds, prove};
use base::{Budget, Inconclusive, Stats};
use certify::{check_proof, replay};
use evidence::{Cycle, Proof, RankingProof, Stage, Trace};
use program::{Program, Property};
use semantics::Analysis;

fn parsed(text: &str) -> Program {
    program::text::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn proof_of(program: &Program) -> RankingProof {
    match prove(&Analysis::of(program), Bounds::Widths, &Budget::unlimited(), &mut Stats::default()) {
        Ok(Proof::Ranking(proof)) => *proof,
        other => panic!("there should be ranks: {other:?}"),
    }
}

fn check(program: &Program, proof: RankingProof) -> Result<(), Inconclusive> {
    check_proof(program, Property::Termination, &Proof::Ranking(Box::new(proof)), &Budget::unlimited())
}

/// Two inputs; a branch resets the second one.
const LEXICOGRAPHIC: &str = "program lp64
    function main() -> 32 {
        reg x, y: 32  reg b: 1
        havoc x; havoc y
        head: if x >s 0 && (y >s 0) then body else out
        body: havoc b
        if b then left else right
        left: x = x - 1; havoc y -> head
        right: y = y - 1 -> head
        out: return 0
    }";

/// A thread waits for a flag of another one.
const SPINNING: &str = "program lp64 object flag: 4 = 0
    function main() -> 32 {
        reg h: 64  reg f: 32
        h = create(&setter, 0)
        spin: f = [&flag]:32
        if f == 0 then spin else out
        out: return 0
    }
    function setter(arg: 64) -> 64 { [&flag]:32 = 1 return 0 }";

#[test]
fn right_proofs_are_accepted() {
    for text in [LEXICOGRAPHIC, SPINNING] {
        let program = parsed(text);
        let proof = proof_of(&program);
        assert_eq!(check(&program, proof), Ok(()));
    }
    let stages = proof_of(&parsed(SPINNING)).stages;
    assert!(stages.iter().any(|stage| matches!(stage, Stage::Fairness(_))), "{stages:?}");
}

#[test]
fn a_proof_of_one_program_is_none_of_another() {
    let proof = proof_of(&parsed(LEXICOGRAPHIC));
    let other = parsed(&LEXICOGRAPHIC.replace("y = y - 1", "y = y - 1; havoc x"));
    assert!(check(&other, proof).is_err());
}

#[test]
fn a_thread_that_is_able_to_move_may_not_be_forgotten() {
    let program = parsed(SPINNING);
    let step =
        |thread: u32| evidence::TraceStep { thread: program::interp::ThreadId(thread), choices: Vec::new() };
    let spin = Trace {
        property: Property::Termination,
        steps: vec![step(0), step(0), step(0)],
        cycle: Some(Cycle::Repeats { from: 1 }),
    };
    let error = replay(&program, &spin).expect_err("the setter should move").to_string();
    assert!(error.contains("never does") || error.contains("not the one"), "{error}");
}

#[test]
fn wrapping_around_is_exact() {
    let upwards = |condition: &str| {
        format!(
            "program lp64 function main() -> 32 {{ reg x: 32  havoc x
             head: if {condition} then body else out  body: x = x + 1 -> head  out: return 0 }}"
        )
    };
    let ends = |text: &str, bounds| {
        prove(&Analysis::of(&parsed(text)), bounds, &Budget::unlimited(), &mut Stats::default()).is_ok()
    };
    for (condition, exact, bounded) in
        [("x >s 0", true, false), ("x <s 100", true, true), ("x >=s 0 || (x <s 0)", false, false)]
    {
        let text = upwards(condition);
        assert_eq!(
            (ends(&text, Bounds::Widths), ends(&text, Bounds::Conditions)),
            (exact, bounded),
            "{condition}"
        );
    }
}
