//! A script that was recorded means the same to a fresh interpreter, and a script that does not fit is refused.

use super::*;
use crate::interp::{Interp, ThreadId};
use crate::text::parse;

const TEXT: &str = "program lp64 file \"prog.c\" object x: 4 = 0
    function main() -> 32 {
        reg h: 64  reg i: 32
        #create(&x) h = create(&worker, 0)
        havoc i
        [&x]:32 = i
        return 0:32
    }
    function worker(a: 64) -> 64 { [&x]:32 = 7:32  return 0:64 }";

struct Always(u128);

impl Chooser for Always {
    fn choose(&mut self, _width: Width, _what: &Choice) -> Option<u128> {
        Some(self.0)
    }
}

#[test]
fn a_recorded_script_repeats_the_execution() {
    let program = parse(TEXT).expect("the program should parse");
    let interp = Interp::new(&program).expect("the program should fit");
    let mut recorded = Execution::new(&interp);
    let mut steps = Vec::new();
    while recorded.created().len() < 2 || steps.len() < 4 {
        let thread = *recorded.created().last().expect("the main thread should be there");
        let thread = if recorded.interp().position(recorded.state(), thread).is_some() {
            thread
        } else {
            ThreadId::MAIN
        };
        let (step, result) = recorded.record(thread, &mut Always(42));
        assert_eq!(result, StepResult::Continue);
        steps.push(step);
    }
    let fresh = Interp::new(&program).expect("the program should fit");
    let mut repeated = Execution::new(&fresh);
    for step in &steps {
        let taken = repeated.step(step).expect("a recorded step should fit");
        assert_eq!(taken.result, StepResult::Continue);
    }
    assert_eq!(repeated.state(), recorded.state());
}

#[test]
fn what_does_not_fit_is_refused() {
    let program = parse(TEXT).expect("the program should parse");
    let interp = Interp::new(&program).expect("the program should fit");
    let step = |thread, choices: &[u128]| TraceStep { thread: ThreadId(thread), choices: choices.to_vec() };
    assert_eq!(Execution::new(&interp).step(&step(1, &[])).err(), Some(Misfit::NoSuchThread));
    assert_eq!(Execution::new(&interp).step(&step(0, &[1])).err(), Some(Misfit::SurplusChoices));
}
