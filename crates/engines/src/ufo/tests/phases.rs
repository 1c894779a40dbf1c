//! Searches with phases against exploration: random state machines, alone and with a second thread.

use super::answer;
use crate::explore;
use crate::ufo::{Options, Ufo};
use crate::{Engine, Task};
use base::{Budget, Random, Stats};
use certify::replay;
use evidence::CutProof;
use evidence::{Outcome, Proof};
use program::{Program, Property};
use std::time::Duration;

/// Random statements over a state, a flag and two numbers; `n` is the number of states.
fn case(random: &mut Random, state: u64, n: u64) -> String {
    let mut text = format!("s{state}: havoc c\n");
    for (at, other) in [("a", "b"), ("b", "c")] {
        let statement = match random.below(9) {
            0..=2 => format!("s = {}", random.below(n)),
            3 => format!("f = {}", random.below(3)),
            4 => "f = s".to_owned(),
            5 => "x = (x + 1) & 3".to_owned(),
            6 => "y = x".to_owned(),
            7 => "s = f".to_owned(),
            _ => "x = y".to_owned(),
        };
        let (bad, good) = (format!("bad{state}"), format!("s{state}{other}"));
        let condition = match random.below(7) {
            0 => format!("if c <u 100 then s{state}{at}1 else {good}"),
            1 => format!("if f == {} then s{state}{at}1 else {good}", random.below(3)),
            2 => format!("if x == {} then {bad} else s{state}{at}1", random.below(4)),
            3 => format!("if f == {} then {bad} else s{state}{at}1", random.below(4)),
            4 => format!("if x == y then s{state}{at}1 else {good}"),
            5 => format!("if s == {} then s{state}{at}1 else {good}", random.below(n)),
            _ => format!("if y <=u x then s{state}{at}1 else {good}"),
        };
        text.push_str(&format!("s{state}{at}: {condition}\n s{state}{at}1: {statement} -> {good}\n"));
    }
    text.push_str(&format!(
        "s{state}c: skip -> head\n bad{state}: if x == {} then ok else bad\n",
        random.below(4)
    ));
    text
}

fn state_machine(random: &mut Random) -> String {
    let n = 2 + random.below(3);
    let mut text =
        format!("s = {} f = {} x = 0 y = 0\n head: skip -> d0\n", random.below(n), random.below(2));
    for state in 0..n {
        text.push_str(&format!("d{state}: if s == {state} then s{state} else d{}\n", state + 1));
    }
    text.push_str(&format!("d{n}: skip -> ok\n"));
    for state in 0..n {
        text.push_str(&case(random, state, n));
    }
    format!(
        "program lp64
        function main() -> 32 {{ reg s, f, x, y, c: 8 {text}
            bad: error unreach-call \"reached\"
            ok: return 0
        }}"
    )
}

/// Steps of a thread over two shared flags and a number.
fn steps(random: &mut Random, who: &str) -> String {
    let mut text = String::new();
    for n in 0..2 + random.below(3) {
        let flag = if random.below(2) == 0 { "p" } else { "q" };
        let value = random.below(3);
        let line = match random.below(6) {
            0 | 1 => format!("[&{flag}]:32 = {value}"),
            2 => format!("t = [&{flag}]:32 [&x]:32 = t"),
            3 => "t = [&x]:32 [&x]:32 = t + 1".to_owned(),
            4 => format!("guard [&{flag}]:32 != {value}; [&{flag}]:32 = {}", random.below(3)),
            _ => format!(
                "t = [&{flag}]:32 if t == {value} then {who}{n} else {who}{n}x {who}{n}: [&x]:32 = {} {who}{n}x: skip",
                random.below(3)
            ),
        };
        text.push_str(&format!("{line}\n"));
    }
    text
}

fn threads(random: &mut Random) -> String {
    let main = steps(random, "m");
    let (flag, a, b) = (if random.below(2) == 0 { "p" } else { "q" }, random.below(3), random.below(4));
    let other = steps(random, "o");
    format!(
        "program lp64 object p: 4 = 0 object q: 4 = 0 object x: 4 = 0
        function main() -> 32 {{ reg h, r: 64 reg e, t, u: 32
            h = create(&other, 0)
            {main}
            u = [&{flag}]:32
            t = [&x]:32
            if u == {a} then next else ok
            next: if t == {b} then bad else ok
            bad: error unreach-call \"reached\"
            ok: return 0
        }}
        function other(arg: 64) -> 64 {{ reg t: 32 {other} return 0 }}"
    )
}

/// The answer of a search with phases from the start, whatever it costs.
fn in_phases(program: &Program, options: Options) -> (Outcome, usize) {
    let budget = Budget::new(Some(Duration::from_secs(5)), None);
    let mut ufo = Ufo::new(&Task::new(program, Property::UnreachCall, &budget), options)
        .expect("programs should be supported");
    if let Err(stop) = ufo.expand_arg() {
        return (Outcome::Unknown(stop.into()), 0);
    }
    let tracked = ufo.finite_variables();
    let n_tracked = tracked.len();
    ufo.restart(tracked, None);
    let found = ufo.main();
    (ufo.outcome(found), n_tracked)
}

/// Returns true if a search agrees with exploration; says whether both had an answer.
fn agrees(text: &str, options: Options, name: &str) -> bool {
    let program = super::parsed(text);
    let budget = Budget::new(Some(Duration::from_secs(5)), None);
    let exploration = explore::Options { max_states: 100_000, full_width: 8, ..Default::default() };
    let task = Task::new(&program, Property::UnreachCall, &budget);
    let truth = exploration.run(&task, &mut Stats::default());
    let (found, n_tracked) = in_phases(&program, options);
    if n_tracked == 0 {
        return true; // nothing to compare
    }
    match found {
        Outcome::Safe(Proof::Cuts(proof)) => {
            assert_eq!(passes(&program, *proof), Ok(()), "{name} on {text}");
            assert!(!matches!(truth, Outcome::Unsafe(_)), "{name} should find the violation of {text}");
        }
        Outcome::Unsafe(trace) => {
            replay(&program, &trace).expect("a trace should replay");
            assert!(!matches!(truth, Outcome::Safe(_)), "{name} should prove {text}");
        }
        _ => return false,
    }
    !matches!(truth, Outcome::Unknown(_))
}

/// Random programs, each in one configuration; `testkit::settings` says how to try more of them.
fn sweep(make: fn(&mut Random) -> String) {
    let seeds = testkit::settings::seeds(20);
    let count = seeds.end - seeds.start;
    let mut answered = 0;
    for seed in seeds {
        let (name, options) = Options::CONFIGURATIONS[seed as usize % Options::CONFIGURATIONS.len()];
        let text = make(&mut Random(seed));
        answered += u64::from(agrees(&text, options, &format!("{name}, seed {seed},")));
    }
    println!("{answered} of {count} answered");
    assert!(10 * answered >= 8 * count, "only {answered} of {count} were answered");
}

#[test]
fn state_machines_agree_with_exploration() {
    sweep(state_machine);
}

#[test]
fn threads_with_flags_agree_with_exploration() {
    sweep(threads);
}

/// A dispatch loop with many states is proved through its phases by `verify` itself.
#[test]
fn a_long_dispatch_loop_has_phases() {
    let n = 24;
    let mut text = "i = 0 x = 0 head: havoc c if i == 0 then s0 else d1\n".to_owned();
    for state in 1..n {
        text.push_str(&format!("d{state}: if i == {state} then s{state} else d{}\n", state + 1));
    }
    text.push_str(&format!("d{n}: skip -> bad\n"));
    for state in 0..n {
        let work = match state {
            7 => "x = 1",
            20 => "if x == 1 then fine else bad fine: skip",
            _ => "skip",
        };
        text.push_str(&format!(
            "s{state}: {work} if c <u 9 then head else t{state} t{state}: i = {} -> head\n",
            (state + 1) % n
        ));
    }
    let program = super::parsed(&super::sequential(&text));
    let mut stats = Stats::default();
    let outcome = answer(&program, &Options::default(), &mut stats);
    let Outcome::Safe(Proof::Cuts(proof)) = outcome else { panic!("{outcome:?}") };
    assert_eq!(passes(&program, *proof), Ok(()));
}

fn passes(program: &Program, proof: CutProof) -> Result<(), base::Inconclusive> {
    let proof = Proof::Cuts(Box::new(proof));
    certify::check_proof(program, Property::UnreachCall, &proof, &Budget::unlimited())
}
