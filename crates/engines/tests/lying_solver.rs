//! A SAT solver that lies makes the engines "prove" programs that are wrong; the checkers reject every such proof.
//!
//! Except for cpa: there a lie costs a counterexample, and the answer is "unknown". Its wrong proofs come from a lying domain (`cpa/tests/lies.rs`), and here from
//! another program.

use base::{Budget, Stats};
use certify::check_proof;
use engines::{Engine, Task, cpa, impact, redcomp, ufo};
use evidence::{Outcome, Proof};
use logic::solver::faults::{Forgery, Lies};
use program::{Program, Property};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Each has a violation.
const WRONG: [&str; 2] = [
    "program lp64 object x: 4 = 0
    function main() -> 32 {
        reg h: 64  reg i: 32
        h = create(&worker, 0)
        havoc i
        if [&x]:32 == i && (i != 0) then bad else good
        bad: error unreach-call \"met\"
        good: return 0
    }
    function worker(arg: 64) -> 64 { [&x]:32 = 5 return 0 }",
    "program lp64 object x: 4 = 0
    function main() -> 32 {
        reg i: 32  reg n: 32
        havoc i
        n = i * 3
        if n == 21 then bad else good
        bad: error unreach-call \"seven\"
        good: return 0
    }",
];

fn proof(engine: &str, program: &Program) -> Option<Proof> {
    let budget = Budget::new(Some(Duration::from_secs(5)), None);
    let task = Task::new(program, Property::UnreachCall, &budget);
    let stats = &mut Stats::default();
    // A lie may break an invariant inside of an engine: the binary would catch that.
    let outcome = catch_unwind(AssertUnwindSafe(|| match engine {
        "impact" => impact::Options::default().run(&task, stats),
        "cpa" => cpa::Options::default().run(&task, stats),
        "ufo" => ufo::Options::default().run(&task, stats),
        "redcomp" => redcomp::Options::default().run(&task, stats),
        other => unreachable!("{other} should be an engine"),
    }));
    match outcome {
        Ok(Outcome::Safe(proof)) => Some(proof),
        Ok(Outcome::Unsafe(_) | Outcome::UnsafeGraph(_) | Outcome::Unknown(_)) | Err(_) => None,
    }
}

const FORGERIES: [Forgery; 4] =
    [Forgery::Nothing, Forgery::NoHints, Forgery::RandomHints, Forgery::Contradiction];

/// Demands that a wrong proof is rejected although the checker's solver lies in every other check, with each kind of forged derivation.
fn rejected(what: &str, program: &Program, wrong: &Proof, seed: u64) {
    for forgery in FORGERIES {
        let lies = seed.is_multiple_of(2).then(|| Lies::tell(seed, 2, forgery));
        let checked = check_proof(program, Property::UnreachCall, wrong, &Budget::unlimited());
        assert!(checked.is_err(), "{what}, seed {seed}, {forgery:?}: a wrong proof should be rejected");
        drop(lies);
    }
}

fn parsed(text: &str) -> Program {
    program::text::parse(text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn proofs_by_lies_are_rejected() {
    for engine in ["impact", "ufo", "redcomp"] {
        let mut n_rejected = 0;
        for (text, seed) in WRONG.iter().flat_map(|text| (0..6).map(move |seed| (text, seed))) {
            let program = parsed(text);
            let lies = Lies::tell(seed, 1 + seed % 3, Forgery::Nothing);
            let Some(wrong) = proof(engine, &program) else { continue };
            drop(lies);
            rejected(engine, &program, &wrong, seed);
            n_rejected += 1;
        }
        assert!(n_rejected > 0, "{engine} should believe some lies");
    }
}

/// cpa asks the solver about counterexamples only: a lie hides one, and never makes a proof.
#[test]
fn no_lie_makes_a_proof_of_cpa() {
    let mut n_told = 0;
    for (text, seed) in WRONG.iter().flat_map(|text| (0..6).map(move |seed| (text, seed))) {
        let lies = Lies::tell(seed, 1 + seed % 3, Forgery::Nothing);
        let found = proof("cpa", &parsed(text));
        n_told += lies.n_told();
        assert!(found.is_none(), "seed {seed}: cpa should not believe a lie");
    }
    assert!(n_told > 0, "the solver should lie to cpa");
}

/// The invariants of a program in which `x` never is 6, handed over for one in which it may be.
#[test]
fn proofs_of_another_program_are_rejected() {
    let program = |value: u32| {
        let text = format!(
            "program lp64 object x: 4 = 0
            function main() -> 32 {{
                reg h: 64  reg i: 32
                h = create(&worker, 0)
                i = [&x]:32
                if i == {value} then bad else good
                bad: error unreach-call \"met\"
                good: return 0
            }}
            function worker(arg: 64) -> 64 {{ [&x]:32 = 5 return 0 }}"
        );
        parsed(&text)
    };
    for engine in ["impact", "cpa", "ufo", "redcomp"] {
        let right = proof(engine, &program(6)).unwrap_or_else(|| panic!("{engine} should prove it"));
        assert_eq!(check_proof(&program(6), Property::UnreachCall, &right, &Budget::unlimited()), Ok(()));
        (0..6).for_each(|seed| rejected(engine, &program(5), &right, seed));
    }
}
