//! One run of a program without inputs in the interpreter.

use frontend::{Checks, Options, load};
use program::interp::{Choice, Chooser, Interp, NoObserver, StepResult, ThreadId};
use program::passes::Overflow;
use program::{Program, Property, Width};
use std::path::{Path, PathBuf};

/// How a run ends otherwise than by the program's end.
pub enum Failure {
    /// The program is not accepted, or needs something without a model (a function that is defined nowhere, for example).
    Unsupported(String),
    /// It takes more steps than allowed.
    Endless,
    /// It violates an assertion: which.
    Violated(String),
    /// It violates something else, or its meaning is undefined.
    Wrong(String),
}

/// How a program is read, and for how long it may run.
pub struct Setup {
    /// Where to look for headers.
    pub include_dirs: Vec<PathBuf>,
    /// Which checks are built in.
    pub checks: Checks,
    /// What signed overflow does.
    pub overflow: Overflow,
    /// Longer runs are given up.
    pub max_steps: usize,
}

/// Indeterminate bytes (of padding) and inputs (a weak compare-and-exchange may fail) are anything, and must not matter.
struct Anything(u128);

impl Chooser for Anything {
    fn choose(&mut self, _width: Width, _what: &Choice) -> Option<u128> {
        self.0 = self.0.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
        Some(self.0 >> 7)
    }
}

/// Runs a program from its start to its end.
pub fn run(path: &Path, setup: &Setup) -> Result<(), Failure> {
    let options =
        Options { checks: setup.checks, include_dirs: setup.include_dirs.clone(), ..Options::default() };
    let loaded = load(&[path.to_owned()], &options);
    let Some(program) = loaded.program else {
        return Err(Failure::Unsupported(format!("not accepted: {:?}", loaded.diagnostics)));
    };
    let program = program.with(setup.overflow);
    let interp = Interp::new(&program).map_err(|stop| Failure::Unsupported(stop.to_string()))?;
    let mut state = interp.initial();
    let mut anything = Anything(1);
    for _ in 0..setup.max_steps {
        let position = interp.position(&state, ThreadId::MAIN);
        let result = interp.step(&mut state, ThreadId::MAIN, &mut anything, &mut NoObserver);
        let place = || position.map_or(String::new(), |p| format!(" at {:?}", p.span));
        match result {
            StepResult::Continue => {}
            StepResult::Ended => return Ok(()),
            StepResult::Unsupported(what) | StepResult::Bound(what) => {
                return Err(Failure::Unsupported(what.to_string() + &place()));
            }
            StepResult::Violation { property: Property::UnreachCall, message, .. } => {
                return Err(failure(&program, Failure::Violated(message + &place())));
            }
            other => return Err(failure(&program, Failure::Wrong(format!("{other:?}{}", place())))),
        }
    }
    Err(Failure::Endless)
}

/// A run that goes wrong after something was assumed about a function without a definition says nothing about C.
fn failure(program: &Program, what: Failure) -> Failure {
    let about_functions = |text: &str| !text.starts_with("operands and arguments are evaluated");
    match program.assumptions.iter().find(|assumption| about_functions(&assumption.text)) {
        Some(assumption) => Failure::Unsupported(assumption.text.clone()),
        None => what,
    }
}
