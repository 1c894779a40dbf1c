//! A solver that lies to the engines: it answers `Unsat` at random. What they "prove" with it is refused, unless it is true.

use super::{JOIN_AND_CHECK, XYM, parsed, three};
use base::{Budget, Inconclusive, Stats};
use certify::check_proof;
use engines::{Engine, Task, cpa, impact, redcomp, ufo};
use evidence::Outcome;
use logic::solver::faults::{Forgery, Lies};
use program::{Program, Property};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// The outcome of an engine whose solver lies in one of `one_in` searches that find a model; and the number of lies.
fn deceived(engine: &dyn Engine, program: &Program, seed: u64, one_in: u64) -> (Outcome, u64) {
    let lies = Lies::tell(seed, one_in, Forgery::Nothing);
    let budget = Budget::new(Some(Duration::from_secs(20)), None);
    let task = Task::new(program, Property::UnreachCall, &budget);
    // An engine may well notice that something cannot be; a panic is no verdict.
    let search = AssertUnwindSafe(|| engine.run(&task, &mut Stats::default()));
    let outcome = catch_unwind(search).unwrap_or(Outcome::Unknown(Inconclusive::SolverGaveUp));
    (outcome, lies.n_told())
}

/// Programs that violate the property: whatever an engine says about them that is not "unsafe" is wrong, and no proof may pass.
#[test]
fn a_solver_that_lies_to_the_engine_is_caught() {
    let lost_update =
        three(XYM, "t = [&x]:32 [&x]:32 = t + 1", "t = [&x]:32 [&x]:32 = t + 1", JOIN_AND_CHECK);
    let reached = three(
        XYM,
        "[&x]:32 = 1",
        "t = [&x]:32
         if t * t == 1 then bad else ok
         bad: error unreach-call \"seen\"
         ok: skip",
        "skip",
    );
    let rule = redcomp::Options { reduction: true, search_violation: false };
    let engines: [&dyn Engine; 4] =
        [&impact::Options::default(), &cpa::Options::default(), &ufo::Options::default(), &rule];
    let (mut n_told, mut n_caught) = (0, 0);
    for text in [lost_update, reached] {
        let program = parsed(&text);
        for engine in engines {
            for (seed, one_in) in [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 5)] {
                let (outcome, told) = deceived(engine, &program, seed, one_in);
                n_told += told;
                let Outcome::Safe(proof) = outcome else { continue };
                let budget = Budget::unlimited();
                let checked = check_proof(&program, Property::UnreachCall, &proof, &budget);
                assert!(
                    matches!(checked, Err(Inconclusive::CheckFailed(_))),
                    "{} with seed {seed}: a wrong proof passed",
                    engine.name()
                );
                n_caught += 1;
            }
        }
    }
    assert!(n_told > 20 && n_caught > 3, "{n_caught} wrong proofs after {n_told} lies");
}
