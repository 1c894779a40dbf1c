//! Derivations of random formulas: right ones are accepted, no clause that does not follow ever is. Trying all assignments is the judge.

use super::Checker;
use base::Random;
use logic::solver::derivation::{ClauseId, DerivationLog, Lit};

const N_VARS: u32 = 5;

/// One step of a derivation.
#[derive(Clone, Debug)]
enum Step {
    Derive(Vec<Lit>, Vec<ClauseId>),
    Delete(ClauseId),
}

fn lit(random: &mut Random) -> Lit {
    let var = u32::try_from(random.below(u64::from(N_VARS))).unwrap();
    Lit::new(var, random.below(2) == 0)
}

fn clause(random: &mut Random, max: u64) -> Vec<Lit> {
    (0..1 + random.below(max)).map(|_| lit(random)).collect()
}

fn holds(clause: &[Lit], assignment: u32) -> bool {
    clause.iter().any(|l| (assignment >> l.var() & 1 == 1) == l.sign())
}

/// Returns true if all models of the axioms satisfy a clause.
fn is_implied(axioms: &[Vec<Lit>], clause: &[Lit]) -> bool {
    (0..1 << N_VARS).all(|a| !axioms.iter().all(|c| holds(c, a)) || holds(clause, a))
}

/// A derivation by resolution and by truncating what can be truncated, as a solver would find it: the checker itself says, one
/// clause at a time, what can be derived from up to three earlier clauses.
fn derivation(random: &mut Random, axioms: &[Vec<Lit>]) -> Vec<Step> {
    let (mut checker, mut steps) = (load(axioms), Vec::new());
    let mut n_clauses = axioms.len() as u64;
    for _ in 0..200 {
        let lits = clause(random, 3);
        let hints: Vec<ClauseId> = (0..1 + random.below(4))
            .map(|_| ClauseId(u32::try_from(random.below(n_clauses)).unwrap()))
            .collect();
        if checker.follows(&lits, &hints) {
            checker.derive(&lits, &hints);
            steps.push(Step::Derive(lits, hints));
            n_clauses += 1;
        }
        if random.below(40) == 0 {
            let id = ClauseId(u32::try_from(random.below(n_clauses)).unwrap());
            checker.delete(id);
            steps.push(Step::Delete(id));
        }
    }
    steps
}

fn load(axioms: &[Vec<Lit>]) -> Checker {
    let mut checker = Checker::default();
    axioms.iter().for_each(|c| _ = checker.axiom(c));
    checker
}

fn run(checker: &mut Checker, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Derive(lits, hints) => _ = checker.derive(lits, hints),
            Step::Delete(id) => checker.delete(*id),
        }
    }
}

/// Changes one thing: a hint or a literal is dropped, replaced or added, a step is dropped, doubled or swapped with another.
fn tamper(random: &mut Random, steps: &mut Vec<Step>) {
    if steps.is_empty() {
        return;
    }
    let at = usize::try_from(random.below(steps.len() as u64)).unwrap();
    let kind = random.below(9);
    match (&mut steps[at], kind) {
        (Step::Derive(lits, _), 0) => _ = lits.pop(),
        (Step::Derive(lits, _), 1) => lits.push(lit(random)),
        (Step::Derive(lits, _), 2) => {
            lits.pop();
            lits.push(lit(random));
        }
        (Step::Derive(_, hints), 3) => _ = hints.pop(),
        (Step::Derive(_, hints), 4) => hints.reverse(),
        (Step::Derive(_, hints), 5) => hints.push(ClauseId(u32::try_from(random.below(300)).unwrap())),
        (Step::Derive(lits, _), 6) => lits.clear(),
        (Step::Delete(_), _) | (_, 7) => _ = steps.remove(at),
        (_, _) => {
            let other = usize::try_from(random.below(steps.len() as u64)).unwrap();
            steps.swap(at, other);
        }
    }
}

/// Whatever was done to a derivation, an accepted clause is implied, and a confirmed refutation is one.
#[test]
fn only_implied_clauses_are_accepted() {
    let mut random = Random(7);
    let (mut n_accepted, mut n_rejected, mut n_refuted) = (0, 0, 0);
    for round in 0..300 {
        let mut axioms: Vec<Vec<Lit>> = (0..12 + random.below(8)).map(|_| clause(&mut random, 3)).collect();
        if round % 8 < 7 {
            // Most formulas have a model: a contradictory one implies every clause, and nothing would be rejected.
            axioms.retain(|c| c.len() > 1 && holds(c, 0b01101));
        }
        let right = derivation(&mut random, &axioms);
        let mut steps = right.clone();
        for _ in 0..round % 4 {
            tamper(&mut random, &mut steps);
        }
        let mut checker = load(&axioms);
        for step in &steps {
            run(&mut checker, std::slice::from_ref(step));
            let Step::Derive(lits, _) = step else { continue };
            let core: Vec<Lit> = lits.iter().map(|&l| !l).collect();
            match checker.last {
                Some(_) => {
                    assert!(is_implied(&axioms, lits), "{lits:?} should not be accepted from {axioms:?}");
                    n_accepted += 1;
                    n_refuted += u32::from(checker.check_refutation(&core).is_ok());
                }
                None => {
                    n_rejected += 1;
                    assert!(
                        checker.check_refutation(&core).is_err(),
                        "a rejected step should stay in memory"
                    );
                }
            }
            let other = clause(&mut random, 2);
            let negated: Vec<Lit> = other.iter().map(|&l| !l).collect();
            if checker.check_refutation(&other).is_ok() {
                assert!(is_implied(&axioms, &negated), "{other:?} should not be refuted by {axioms:?}");
            }
        }
        assert!(round % 4 != 0 || checker.failure.is_none(), "a right derivation should be accepted");
    }
    assert!(n_accepted > 1000 && n_rejected > 50 && n_refuted > 500, "{n_accepted} {n_rejected} {n_refuted}");
}

/// The arena is compacted when much of it is dead; what is left keeps its meaning.
#[test]
fn deleted_clauses_leave_the_others_alone() {
    let mut checker = Checker::default();
    let l = |var, sign| Lit::new(var, sign);
    let kept = checker.axiom(&[l(0, false), l(1, true)]);
    for _ in 0..100_000 {
        let id = checker.derive(&[l(0, false), l(1, true), l(2, true)], &[kept]);
        checker.delete(id);
    }
    let after = checker.axiom(&[l(1, false), l(2, true)]);
    assert!(checker.arena.len() < 300_000, "dead clauses should be dropped");
    checker.derive(&[l(0, false), l(2, true)], &[kept, after]);
    assert_eq!(checker.check_refutation(&[l(0, true), l(2, false)]), Ok(()));
    assert!(checker.check_refutation(&[l(0, true)]).is_err());
}
