//! Proofs with formulas about programs that may decide on memory which was never set, against executions.
//!
//! The programs ([`testkit::unset`]) are straight-line and have one execution, in which the interpreter meets such a decision or not. Formulas follow which memory is set
//! (`semantics::encoding`, module `unset`): where an engine proves that nothing is undefined, and the checker agrees, there is none.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use base::{Budget, Stats};
use engines::{Engine, Task, cpa, explore, impact};
use evidence::Outcome;
use frontend::{Checks, Options, load_text};
use program::passes::Overflow;
use program::{Program, Property};
use semantics::analysis::assigned::first_unset_read;
use testkit::settings::seeds;

fn load(text: &str) -> Program {
    let checks = Checks { validity: true, undefined: true, ..Checks::default() };
    let loaded = load_text("generated.c", text, &Options { checks, ..Options::default() });
    loaded.program.expect("it should be accepted").with(Overflow::IsUndefined)
}

/// Whether an engine says that nothing is undefined, with a proof that the checker accepts.
fn is_proved(engine: &dyn Engine, program: &Program) -> Option<bool> {
    let (property, budget) = (Property::UndefinedBehaviour, Budget::unlimited());
    match engine.run(&Task::new(program, property, &budget), &mut Stats::default()) {
        Outcome::Safe(proof) => Some(certify::check_proof(program, property, &proof, &budget).is_ok()),
        Outcome::Unsafe(_) => Some(false),
        Outcome::UnsafeGraph(_) => unreachable!("under sequential consistency a violation is a trace"),
        Outcome::Unknown(_) => None,
    }
}

#[test]
fn formulas_know_what_was_set() {
    let engines: [(&str, Box<dyn Engine>); 2] =
        [("cpa", Box::new(cpa::Options::default())), ("impact", Box::new(impact::Options::default()))];
    let (mut n_new, mut n_undefined) = (0, 0);
    for seed in seeds(40) {
        let text = format!(
            "{}{}int main(void) {{\n  return run();\n}}\n",
            testkit::unset::PRELUDE,
            testkit::unset::program(seed, "run")
        );
        let program = load(&text);
        let Some(expected) = is_proved(&explore::Options::default(), &program) else { continue };
        let in_doubt = first_unset_read(&semantics::Analysis::of(&program)).is_some();
        n_undefined += usize::from(!expected);
        for (name, engine) in &engines {
            let found = is_proved(&**engine, &program) == Some(true);
            assert!(expected || !found, "{name} proves a program that decides on unset memory:\n{text}");
            n_new += usize::from(found && in_doubt);
        }
    }
    assert!(
        n_new > 0 && n_undefined > 10,
        "{n_new} proofs in spite of doubts, {n_undefined} undefined: too few"
    );
}
