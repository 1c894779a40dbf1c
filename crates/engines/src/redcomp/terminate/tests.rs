//! Proofs that are found, that pass their check, and that do not once they are changed.

use super::*;
use certify::check_proof;
use evidence::{CommitPhase, ModularStage};
use program::Program;

/// Any number of workers that share a countdown under a lock.
const COUNTDOWN: &str = "program lp64 object x: 4 = 9 object m: 4 = 0
    function main() -> 32 { reg h: 64 reg n: 32
              havoc n
        loop: if 0 <s n then again else done
        again: h = create(&worker, 0); n = n - 1 -> loop
        done: thread_exit 0
    }
    function worker(arg: 64) -> 64 { reg t: 32
        loop: guard [&m]:32 == 0; [&m]:32 = trunc32(self())
              t = [&x]:32
              if t == 0 then done else less
        less: [&x]:32 = t - 1
              [&m]:32 = 0 -> loop
        done: [&m]:32 = 0
              return 0
    }";

fn parse(text: &str) -> Program {
    program::text::parse(text).expect("a test program should parse")
}

fn proof_of(program: &Program, reduction: bool) -> Option<ModularRanking> {
    match prove(
        &Analysis::of(program),
        reduction,
        Bounds::Widths,
        &Budget::unlimited(),
        &mut Stats::default(),
    ) {
        Ok(Proof::ModularRanking(proof)) => Some(*proof),
        _ => None,
    }
}

fn check(program: &Program, proof: ModularRanking) -> Result<(), Inconclusive> {
    check_proof(program, Property::Termination, &Proof::ModularRanking(Box::new(proof)), &Budget::unlimited())
}

#[test]
fn any_number_of_workers_ends() {
    for reduction in [false, true] {
        let program = parse(COUNTDOWN);
        let proof = proof_of(&program, reduction).expect("there should be a proof");
        assert_eq!(check(&program, proof), Ok(()), "reduction {reduction}");
    }
}

/// What is left unproved, and why it must be.
#[test]
fn what_does_not_end_has_no_proof() {
    let changes = [
        ("a worker refills", "[&x]:32 = t - 1", "[&x]:32 = t - 1; [&x]:32 = 9"),
        ("a worker keeps the lock", "done: [&m]:32 = 0\n", "done: t = 0\n"),
        ("nobody counts", "[&x]:32 = t - 1", "t = t - 1"),
        ("workers are created for ever", "n = n - 1 ->", "n = n - 0 ->"),
    ];
    for (what, from, to) in changes {
        let changed = COUNTDOWN.replace(from, to);
        assert_ne!(changed, COUNTDOWN, "{what}: the program should change");
        for reduction in [false, true] {
            assert!(proof_of(&parse(&changed), reduction).is_none(), "{what}, reduction {reduction}");
        }
    }
}

#[test]
fn changed_proofs_are_refused() {
    let program = parse(COUNTDOWN);
    let proof = proof_of(&program, true).expect("there should be a proof");
    let refused = |what: &str, change: &dyn Fn(&mut ModularRanking)| {
        let mut changed = proof.clone();
        change(&mut changed);
        assert!(
            matches!(check(&program, changed), Err(Inconclusive::CheckFailed(_))),
            "{what} should be refused"
        );
    };
    refused("no ranks", &|proof| proof.stages.clear());
    for n in 0..proof.stages.len() {
        refused("a missing rank", &|proof| _ = proof.stages.remove(n));
        refused("a rank that stays", &|proof| {
            let mut terms = (*proof.invariants.terms).clone();
            let zero = terms.constant(0, 8);
            if let ModularStage::Ranking { ranks, .. } = &mut proof.stages[n] {
                ranks.iter_mut().for_each(|(_, rank)| *rank = zero);
            }
            proof.invariants.terms = Arc::new(terms);
        });
        refused("a rank that rises", &|proof| {
            let mut terms = (*proof.invariants.terms).clone();
            if let ModularStage::Ranking { ranks, .. } = &mut proof.stages[n] {
                ranks.iter_mut().for_each(|(_, rank)| *rank = terms.neg(*rank));
            }
            proof.invariants.terms = Arc::new(terms);
        });
        refused("a rank of nobody", &|proof| {
            if let ModularStage::Ranking { template, .. } = &mut proof.stages[n] {
                *template = 7;
            }
        });
    }
    refused("a worker that comes to rest", &|proof| proof.stages.insert(0, ModularStage::Rests(1)));
    refused("the main thread at rest too early", &|proof| proof.stages.insert(0, ModularStage::Rests(0)));
    refused("a forgotten lock", &|proof| {
        proof.invariants.locks.iter_mut().flatten().for_each(std::collections::BTreeSet::clear);
    });
    refused("blocks that do not exist", &|proof| {
        proof.invariants.claims.iter_mut().flatten().for_each(|claim| *claim = CommitPhase::PreCommit);
    });
    refused("invariants that are too weak", &|proof| {
        let anything = proof.invariants.terms.tt();
        proof.invariants.solution.iter_mut().for_each(|fact| *fact = anything);
    });
    refused("invariants that are too strong", &|proof| {
        let nothing = proof.invariants.terms.ff();
        proof.invariants.solution.iter_mut().for_each(|fact| *fact = nothing);
    });
}

#[test]
fn an_ordinary_proof_says_nothing_about_termination() {
    let program = parse(COUNTDOWN);
    let proof = proof_of(&program, false).expect("there should be a proof");
    let budget = Budget::unlimited();
    let alone = Proof::Modular(Box::new(proof.invariants.clone()));
    assert!(check_proof(&program, Property::Termination, &alone, &budget).is_err());
    let ranks = Proof::ModularRanking(Box::new(proof));
    assert!(check_proof(&program, Property::UnreachCall, &ranks, &budget).is_err());
}
