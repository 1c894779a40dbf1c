//! Definite assignment of memory against executions: where the analysis has no doubt, the interpreter meets no decision on memory that was never set.

use frontend::{Checks, Options, load_text};
use program::interp::{Choice, Chooser, Interp, NoObserver, StepResult, Wakeups};
use program::passes::Overflow;
use program::{Program, UndefinedKind, Width};
use semantics::Analysis;
use semantics::analysis::assigned::first_unset_read;

/// A program that takes longer does not terminate.
const MAX_STEPS: usize = 100_000;

/// What is indeterminate is one number, always.
struct Always(u128);

impl Chooser for Always {
    fn choose(&mut self, width: Width, _what: &Choice) -> Option<u128> {
        Some(width.truncate(self.0))
    }
}

fn load(text: &str) -> Program {
    let checks = Checks { validity: true, undefined: true, ..Checks::default() };
    let loaded = load_text("generated.c", text, &Options { checks, ..Options::default() });
    let raw =
        loaded.program.unwrap_or_else(|| panic!("it is not accepted: {:?}\n{text}", loaded.diagnostics));
    raw.with(Overflow::IsUndefined)
}

/// Whether the execution with this value of everything indeterminate meets a decision on it.
fn decides_on_unset(program: &Program, value: u128) -> bool {
    let interp = Interp::new(program).expect("the program should start");
    let mut state = interp.initial();
    for _ in 0..MAX_STEPS {
        let Some(thread) = interp.runnable(&state, Wakeups::OnlySignalled).first().copied() else {
            return false;
        };
        match interp.step(&mut state, thread, &mut Always(value), &mut NoObserver) {
            StepResult::Continue => {}
            StepResult::Undefined(found) => return found.kind == UndefinedKind::IndeterminateValue,
            _ => return false,
        }
    }
    panic!("the program should terminate")
}

#[test]
fn what_is_certainly_set_decides() {
    let (mut n_certain, mut n_undefined) = (0, 0);
    for seed in testkit::settings::seeds(400) {
        let (prelude, body) = (testkit::unset::PRELUDE, testkit::unset::program(seed, "run"));
        let text = format!("{prelude}{body}int main(void) {{\n  return run();\n}}\n");
        let program = load(&text);
        assert!(program.strict_decisions, "nothing in it should be open");
        let certain = first_unset_read(&Analysis::of(&program)).is_none();
        let undefined = [0, 2].into_iter().any(|value| decides_on_unset(&program, value));
        assert!(!(certain && undefined), "a read that is called certain decides on unset memory:\n{text}");
        n_certain += usize::from(certain);
        n_undefined += usize::from(undefined);
    }
    assert!(n_certain > 20 && n_undefined > 20, "{n_certain} certain, {n_undefined} undefined: too few");
}
