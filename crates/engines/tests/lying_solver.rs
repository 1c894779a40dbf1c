//! A SAT solver that lies makes the engines "prove" programs that are wrong; the checkers reject every such proof.

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

/// The engine's solver lies; the checker's solver does so as well in every other check, with each kind of forged derivation.
#[test]
fn proofs_by_lies_are_rejected() {
    let forgeries = [Forgery::Nothing, Forgery::NoHints, Forgery::RandomHints, Forgery::Contradiction];
    let mut n_rejected = [0; 4];
    for (n, engine) in ["impact", "cpa", "ufo", "redcomp"].into_iter().enumerate() {
        for (text, seed) in WRONG.iter().flat_map(|text| (0..6).map(move |seed| (text, seed))) {
            let program = program::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
            let lies = Lies::tell(seed, 1 + seed % 3, Forgery::Nothing);
            let Some(wrong) = proof(engine, &program) else { continue };
            drop(lies);
            for forgery in forgeries {
                let lies = (seed % 2 == 0).then(|| Lies::tell(seed, 2, forgery));
                let checked = check_proof(&program, Property::UnreachCall, &wrong, &Budget::unlimited());
                assert!(
                    checked.is_err(),
                    "{engine}, seed {seed}, {forgery:?}: a wrong proof should be rejected"
                );
                drop(lies);
            }
            n_rejected[n] += 1;
        }
    }
    assert!(n_rejected.iter().sum::<u32>() > 5, "{n_rejected:?} wrong proofs: the test should see some");
    eprintln!("wrong proofs of impact, cpa, ufo, redcomp: {n_rejected:?}");
}
