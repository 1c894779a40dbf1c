//! Thread-modular proofs.

use super::{Proved, XYM, broken_formulas, three};
use base::{Idx, IdxVec};
use engines::redcomp;
use evidence::{CommitPhase, FormulaId, ModularProof, Proof};
use program::Property;
use semantics::modular::{TemplateId, TemplateNodeId};

fn modular(proof: &mut Proof) -> &mut ModularProof {
    if let Proof::Modular(proof) = proof { proof } else { panic!("{proof:?} should be thread-modular") }
}

/// Takes the last one away.
fn shorten<I: Idx, T: Clone>(items: &mut IdxVec<I, T>) {
    *items = items.iter().take(items.len() - 1).cloned().collect();
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
    for template in right.commit_phases.ids() {
        proved.refused("a lock at the start", |p| {
            _ = modular(p).locks[template][TemplateNodeId::START].insert(lock.clone())
        });
        proved.refused("a lock that does not exist", |p| {
            modular(p).locks[template][TemplateNodeId::START].insert("unknown".to_owned());
        });
        proved.refused("a lock that is no word", |p| {
            modular(p).locks[template][TemplateNodeId::START].insert("x:32".to_owned());
        });
        proved.refused("inside from the start", |p| {
            modular(p).commit_phases[template][TemplateNodeId::START] = CommitPhase::PreCommit;
        });
        proved.refused("a node less", |p| shorten(&mut modular(p).commit_phases[template]));
        proved.refused("locks of a node less", |p| shorten(&mut modular(p).locks[template]));
    }
    for template in right.commit_phases.ids().skip(1) {
        proved.refused("all inside, before the commit", |p| {
            modular(p).commit_phases[template].iter_mut().skip(1).for_each(|c| *c = CommitPhase::PreCommit);
        });
    }
    proved.refused("joins after a commit", |p| {
        modular(p).commit_phases[TemplateId::MAIN]
            .iter_mut()
            .skip(1)
            .for_each(|c| *c = CommitPhase::PostCommit);
    });
    proved.refused("a thread less", |p| shorten(&mut modular(p).commit_phases));
    let other = Proved { property: Property::Termination, ..proved };
    assert!(other.check(&other.proof).is_err(), "invariants say nothing about termination");
}
