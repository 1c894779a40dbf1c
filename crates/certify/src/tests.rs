//! Wrong traces and proofs should be refused.

use super::*;
use evidence::{StateSet, Trace, TraceStep};
use program::interp::ThreadId;
use std::sync::Arc;

const TEXT: &str = "program lp64 file \"prog.c\" object x: 4 = 0
    function main() -> 32 {
        reg h: 64  reg i: 32
        #create(&x) h = create(&worker, 0)
        havoc i
        if [&x]:32 == i && (i != 0) then bad else good
        bad: error unreach-call \"met\" @0:7:1
        good: return 0
    }
    function worker(arg: 64) -> 64 { [&x]:32 = 5 return 0 }";

fn parsed() -> Program {
    program::text::parse(TEXT).unwrap_or_else(|error| panic!("{error}"))
}

/// A thread and its answers.
type Step<'a> = (u32, &'a [u128]);

fn trace(steps: &[Step]) -> Trace {
    let step = |(thread, choices): &Step| TraceStep { thread: ThreadId(*thread), choices: choices.to_vec() };
    Trace { property: Property::UnreachCall, steps: steps.iter().map(step).collect(), cycle: None }
}

#[test]
fn a_right_trace_is_accepted() {
    let good = trace(&[(0, &[]), (1, &[]), (0, &[5]), (0, &[]), (0, &[])]);
    let replayed = replay(&parsed(), &good).expect("it should replay");
    assert_eq!((replayed.message.as_str(), replayed.span.line), ("met", 7));
}

#[test]
fn wrong_traces_are_refused() {
    let wrong: [(&[Step], &str); 7] = [
        (&[(0, &[]), (1, &[]), (0, &[4]), (0, &[]), (0, &[])], "without a violation"),
        (&[(0, &[]), (1, &[]), (0, &[5]), (0, &[]), (0, &[]), (1, &[])], "should be the last step"),
        (&[(0, &[]), (2, &[])], "no such thread"),
        (&[(1, &[])], "no such thread"),
        (&[(0, &[]), (1, &[]), (1, &[]), (1, &[])], "has finished"),
        (&[(0, &[]), (0, &[])], "NoChoice"),
        (&[(0, &[1])], "more values"),
    ];
    for (steps, why) in wrong {
        let error = replay(&parsed(), &trace(steps)).expect_err("it should be refused");
        assert!(matches!(&error, Inconclusive::CheckFailed(what) if what.contains(why)), "{error} for {why}");
    }
    let other = Trace { property: Property::NoDeadlock, ..trace(&[(0, &[])]) };
    assert!(replay(&parsed(), &other).is_err());
}

#[test]
fn wrong_sets_are_refused() {
    let program = parsed();
    let interp = program::interp::Interp::new(&program).expect("there should be an initial state");
    let check = |property, states| {
        let proof = Proof::Explored(StateSet { states, identities: interp.identities(), transactions: None });
        check_proof(&program, property, &proof, &Budget::unlimited()).expect_err("it should be refused")
    };
    let initial = Arc::new(interp.initial());
    let says = |error: Inconclusive, what: &str| assert!(error.to_string().contains(what), "{error}");
    says(check(Property::UnreachCall, Vec::new()), "initial state");
    says(check(Property::UnreachCall, vec![Arc::clone(&initial)]), "out of the set");
    says(check(Property::ValidMemsafety, vec![initial]), "out of the set");
}
