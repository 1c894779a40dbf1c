//! Thread-modular proofs.

use super::{Proved, XYM, broken_formulas, three};
use engines::redcomp;
use evidence::{CommitPhase, FormulaId, ModularProof, Proof};
use program::Property;

fn modular(proof: &mut Proof) -> &mut ModularProof {
    if let Proof::Modular(proof) = proof { proof } else { panic!("{proof:?} should be thread-modular") }
}

/// Without a search for violations: only the proof rule itself may answer.
const RULE: redcomp::Options = redcomp::Options { reduction: true, search_violation: false };

const LOCKED_INCREMENT: &str = "guard [&m]:32 == 0; [&m]:32 = 1 t = [&x]:32 [&x]:32 = t + 1 [&m]:32 = 0";

fn proved() -> Proved {
    let main = "r, e = join(h) r, e = join(g)
        if [&x]:32 == 2 then ok else bad bad: error unreach-call \"no\" ok: skip";
    Proved::by(&RULE, &three(XYM, LOCKED_INCREMENT, LOCKED_INCREMENT, main), Property::UnreachCall)
}

#[test]
fn solutions() {
    let proved = proved();
    for (what, change) in broken_formulas() {
        proved.refused(what, |p| change(&mut modular(p).formulas));
    }
    proved.refused("no formulas", |p| modular(p).formulas = Default::default());
    proved.refused("everything is possible", |p| {
        let anything = modular(p).formulas.truth(true);
        modular(p).solution.iter_mut().for_each(|meaning| *meaning = anything);
    });
    proved.refused("nothing is possible", |p| {
        let nothing = modular(p).formulas.truth(false);
        modular(p).solution.iter_mut().for_each(|meaning| *meaning = nothing);
    });
    for n in 0..modular(&mut proved.proof.clone()).solution.len() {
        proved.refused("a predicate less", |p| _ = modular(p).solution.remove(n));
        proved.refused("a formula that does not exist", |p| modular(p).solution[n] = FormulaId(1_000_000));
    }
    proved.refused("the main thread never starts", |p| {
        modular(p).solution[0] = modular(p).formulas.truth(false);
    });
}

#[test]
fn commit_phases_and_locks() {
    let proved = proved();
    let right = modular(&mut proved.proof.clone()).clone();
    let lock = right.locks.iter().flatten().flatten().next().cloned().expect("a lock should be held");
    proved.refused("no locks", |p| modular(p).locks.iter_mut().flatten().for_each(|locks| locks.clear()));
    for template in 0..right.commit_phases.len() {
        proved.refused("a lock at the start", |p| _ = modular(p).locks[template][0].insert(lock.clone()));
        proved.refused("a lock that does not exist", |p| {
            modular(p).locks[template][0].insert("unknown".to_owned());
        });
        proved.refused("a lock that is no word", |p| {
            modular(p).locks[template][0].insert("x:32".to_owned());
        });
        proved.refused("inside from the start", |p| {
            modular(p).commit_phases[template][0] = CommitPhase::PreCommit;
        });
        proved.refused("a node less", |p| _ = modular(p).commit_phases[template].pop());
        proved.refused("locks of a node less", |p| _ = modular(p).locks[template].pop());
    }
    for template in 1..right.commit_phases.len() {
        proved.refused("all inside, before the commit", |p| {
            modular(p).commit_phases[template].iter_mut().skip(1).for_each(|c| *c = CommitPhase::PreCommit);
        });
    }
    proved.refused("joins after a commit", |p| {
        modular(p).commit_phases[0].iter_mut().skip(1).for_each(|c| *c = CommitPhase::PostCommit);
    });
    proved.refused("a thread less", |p| _ = modular(p).commit_phases.pop());
    let other = Proved { property: Property::Termination, ..proved };
    assert!(other.check(&other.proof).is_err(), "invariants say nothing about termination");
}
