//! Proofs that are found, that pass their check, and that do not once they are changed.

use super::*;
use certify::check_proof;
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
        ("no thread counts", "[&x]:32 = t - 1", "t = t - 1"),
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
