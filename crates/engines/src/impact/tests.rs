//! Verdicts of small programs in every configuration, and proofs that were tampered with.

use super::{COST_STEP, Found, Impact, Options, Por, Worklist};
use crate::{Engine, Task};
use base::{Budget, Idx, Inconclusive, Stats};
use certify::{check_proof, replay};
use evidence::Outcome;
use program::{Program, Property};
use std::collections::BTreeSet;
use std::time::Duration;

const fn by_cost(por: Por, force_cover: bool) -> Options {
    Options { por, force_cover, worklist: Worklist::Cost }
}

const fn full(worklist: Worklist) -> Options {
    Options { por: Por::Dpor, force_cover: true, worklist }
}

const CONFIGURATIONS: [Options; 9] = [
    by_cost(Por::None, false),
    by_cost(Por::None, true),
    by_cost(Por::Spor, false),
    by_cost(Por::Spor, true),
    by_cost(Por::Dpor, false),
    full(Worklist::Cost),
    full(Worklist::Depth),
    full(Worklist::Breadth),
    full(Worklist::Switches),
];

fn parsed(text: &str) -> Program {
    program::text::parse(text).unwrap_or_else(|e| panic!("{e:?} in {text}"))
}

fn answer(program: &Program, property: Property, options: &Options, seconds: u64) -> Outcome {
    let budget = Budget::new(Some(Duration::from_secs(seconds)), None);
    options.run(&Task::new(program, property, &budget), &mut Stats::default())
}

/// Whether no error is reachable: the full configuration has to say so, the others must not say the opposite. Every answer
/// passes its check.
fn check(text: &str, holds: bool) {
    check_for(Property::UnreachCall, text, holds);
}

fn check_for(property: Property, text: &str, holds: bool) {
    let program = parsed(text);
    for options in &CONFIGURATIONS {
        let is_full = options.por == Por::Dpor && options.force_cover && options.worklist == Worklist::Cost;
        match answer(&program, property, options, if is_full { 60 } else { 1 }) {
            Outcome::Safe(proof) => {
                assert!(holds, "{options:?} should find the violation of {text}");
                let checked = check_proof(&program, property, &proof, &Budget::unlimited());
                assert_eq!(checked, Ok(()), "{options:?} on {text}");
            }
            Outcome::Unsafe(trace) => {
                assert!(!holds, "{options:?} should prove {text}");
                replay(&program, &trace).expect("a trace should replay");
            }
            Outcome::UnsafeGraph(_) => unreachable!("under sequential consistency a violation is a trace"),
            Outcome::Unknown(stop) => {
                assert!(!is_full && stop == Inconclusive::OutOfTime, "{options:?}: {stop} on {text}")
            }
        }
    }
}

/// Two threads beside main, which starts them in this order and then goes on with `main`.
fn three(objects: &str, first: &str, second: &str, main: &str) -> String {
    format!(
        "program lp64 {objects}
        function main() -> 32 {{ reg h, g, r: 64 reg e, t: 32
            h = create(&first, 0)
            g = create(&second, 0)
            {main}
            return 0
        }}
        function first(arg: 64) -> 64 {{ reg t: 32 {first} return 0 }}
        function second(arg: 64) -> 64 {{ reg t: 32 {second} return 0 }}"
    )
}

const XY: &str = "object x: 4 = 0 object y: 4 = 0 object m: 4 = 0";
const LOCKED_INCREMENT: &str = "guard [&m]:32 == 0; [&m]:32 = 1
    t = [&x]:32
    [&x]:32 = t + 1
    [&m]:32 = 0";
const JOIN_BOTH: &str = "r, e = join(h)
    r, e = join(g)";

#[test]
fn updates_under_a_lock_are_not_lost() {
    let check_sum =
        format!("{JOIN_BOTH} if [&x]:32 == 2 then ok else bad bad: error unreach-call \"sum\" ok: skip");
    check(&three(XY, LOCKED_INCREMENT, LOCKED_INCREMENT, &check_sum), true);
    let unlocked = "t = [&x]:32 [&x]:32 = t + 1";
    check(&three(XY, LOCKED_INCREMENT, unlocked, &check_sum), false);
}

/// The smallest program that the published rule for covers loses: `x = y; assert(x != 1)` beside `x = 0; y = 1`.
#[test]
fn covers_expand_what_was_covered() {
    let first =
        "t = [&y]:32 [&x]:32 = t if [&x]:32 != 1 then ok else bad bad: error unreach-call \"x\" ok: skip";
    check(&three(XY, first, "[&x]:32 = 0 [&y]:32 = 1", "skip"), false);
}

#[test]
fn what_happens_before_a_join_is_seen_after_it() {
    let main = format!("{JOIN_BOTH} if [&x]:32 == 0 then ok else bad bad: error unreach-call \"x\" ok: skip");
    check(&three(XY, "[&x]:32 = 1", "skip", &main), false);
    check(&three(XY, "[&y]:32 = 1", "skip", &main), true);
}

#[test]
fn atomic_sections_are_not_split() {
    let writer = "atomic_begin [&x]:32 = 1 [&y]:32 = 1 atomic_end";
    let reader = "atomic_begin t = [&x]:32 if t == [&y]:32 then ok else bad bad: error unreach-call \"torn\" ok: atomic_end";
    check(&three(XY, reader, writer, "skip"), true);
    check(&three(XY, reader, "[&x]:32 = 1 [&y]:32 = 1", "skip"), false);
}

#[test]
fn a_thread_that_spins_stops_no_other() {
    check(&three(XY, "loop: skip -> loop", "error unreach-call \"reached\"", "skip"), false);
}

#[test]
fn a_loop_without_a_bound_is_proved() {
    let first = "loop: guard [&m]:32 == 0; [&m]:32 = 1
        [&x]:32 = 1
        [&x]:32 = 0
        [&m]:32 = 0 -> loop";
    let second = "again: guard [&m]:32 == 0; [&m]:32 = 1
        if [&x]:32 == 0 then ok else bad
        bad: error unreach-call \"seen\"
        ok: [&m]:32 = 0 -> again";
    check(&three(XY, first, second, "skip"), true);
}

/// Walks over a tree without covers and compares every choice with all nodes that wait.
#[test]
fn the_queue_keeps_its_order() {
    let text = three(XY, LOCKED_INCREMENT, LOCKED_INCREMENT, JOIN_BOTH);
    let program = parsed(&text);
    for worklist in [Worklist::Cost, Worklist::Depth, Worklist::Breadth, Worklist::Switches] {
        let budget = Budget::unlimited();
        // Without a reduction the tree is large enough.
        let options = Options { por: Por::None, ..full(worklist) };
        let mut impact = Impact::new(&Task::new(&program, Property::UnreachCall, &budget), options).unwrap();
        for _ in 0..60 {
            let v = impact.dequeue().expect("the tree should be large enough");
            let waiting = impact.art.nodes.iter_enumerated().filter(|(_, n)| n.queued);
            let chosen = &impact.art.nodes[v];
            for (w, node) in waiting {
                let first = match worklist {
                    Worklist::Cost => (chosen.cost / COST_STEP, w) <= (node.cost / COST_STEP, v),
                    Worklist::Depth => w < v,
                    Worklist::Breadth => chosen.depth <= node.depth,
                    Worklist::Switches => (chosen.switches, w) <= (node.switches, v),
                };
                assert!(first, "{worklist:?}: {v:?} should not come before {w:?}");
            }
            let threads = impact.need(v).expect("nothing should stop it");
            assert!(impact.expand(v, &threads).is_ok_and(|violation| violation.is_none()));
        }
    }
}

/// Figure 1 of the paper, right-hand side: of the 24 steps in the grid of both threads' positions exactly those are taken that belong to a path without
/// a step of the first thread right after an independent one of the second. `v[i]` and `v[j]` are independent because main assumes `i != j`, and not otherwise.
#[test]
fn figure_1_has_the_papers_reduced_interleavings() {
    let apart = steps_of_figure_1("assume [&i]:32 != [&j]:32");
    let dependent =
        |first: usize, second: usize| matches!((first, second), (2, 0) | (2, 1) | (0, 2) | (1, 2) | (2, 2));
    assert_eq!(apart, monotone(dependent));
    assert_eq!(apart.len(), 20, "{apart:?}");
    // Without the assumption, all of them write the same elements.
    assert_eq!(steps_of_figure_1("skip"), monotone(|_, _| true));
}

/// A step: how many statements the first and the second thread have executed before it, and whether the first one takes it.
type Step = (usize, usize, bool);

/// The steps of all paths in which the first thread follows the second one only where their statements are dependent.
fn monotone(dependent: impl Fn(usize, usize) -> bool) -> BTreeSet<Step> {
    let mut steps = BTreeSet::new();
    let mut open = vec![(0, 0, None)];
    while let Some((i, j, last_of_second)) = open.pop() {
        if i < 3 && last_of_second.is_none_or(|last| dependent(i, last)) {
            steps.insert((i, j, true));
            open.push((i + 1, j, None));
        }
        if j < 3 {
            steps.insert((i, j, false));
            open.push((i, j + 1, Some(j)));
        }
    }
    steps
}

/// The steps of the two threads in the tree that proves Figure 1 with another assumption (and the assertion that holds under it).
fn steps_of_figure_1(assumption: &str) -> BTreeSet<Step> {
    let at = |index: &str| format!("[&v + sext64([&{index}]:32) * 4]:32");
    let (vi, vj) = (at("i"), at("j"));
    let text = three(
        "object v: 8 = 0 object arbitrary i: 4 object arbitrary j: 4",
        &format!("{vi} = 1 {vi} = {vi} + 1 {vi} = {vj}"),
        &format!("{vj} = -2 {vj} = {vj} + 1 {vi} = {vi} + 1"),
        &format!("{JOIN_BOTH} if {vj} <s 5 then ok else bad bad: error unreach-call \"v[j]\" ok: skip"),
    );
    let begin = format!("assume [&i]:32 <u 2 && [&j]:32 <u 2 {assumption} h = create(&first, 0)");
    let program = parsed(&text.replacen("h = create(&first, 0)", &begin, 1));
    let budget = Budget::unlimited();
    let mut impact =
        Impact::new(&Task::new(&program, Property::UnreachCall, &budget), full(Worklist::Cost)).unwrap();
    assert!(matches!(impact.main(), Ok(Found::Complete)), "figure 1 should be proved");
    let mut steps = BTreeSet::new();
    for node in impact.art.nodes.iter() {
        let Some((parent, edge)) = &node.parent else { continue };
        let control = impact.edges.control(impact.art.nodes[*parent].control);
        let done =
            |k: usize| control.threads.get(k).map(|t| if t.is_finished() { 3 } else { t.top().loc.index() });
        if let (Some(first), Some(second)) = (done(1), done(2))
            && edge.thread != program::interp::ThreadId::MAIN
        {
            steps.insert((first, second, edge.thread == control.threads[1].id));
        }
    }
    steps
}

const TAKE_BOTH: &str = "guard [&m]:32 == 0; [&m]:32 = 1
    guard [&n]:32 == 0; [&n]:32 = 1
    [&n]:32 = 0
    [&m]:32 = 0";

fn two_locks(first: &str, second: &str) -> String {
    let swapped = second.replace("&m]", "&k]").replace("&n]", "&m]").replace("&k]", "&n]");
    format!(
        "program lp64 object m: 4 = 0 object n: 4 = 0
        function main() -> 32 {{ reg h, g, r: 64 reg e: 32
            h = create(&first, 0)
            g = create(&second, 0)
            r, e = join(h)
            r, e = join(g)
            return 0
        }}
        function first(arg: 64) -> 64 {{ {first} return 0 }}
        function second(arg: 64) -> 64 {{ {swapped} return 0 }}"
    )
}

#[test]
fn locks_taken_in_two_orders_deadlock() {
    check_for(Property::NoDeadlock, &two_locks(TAKE_BOTH, TAKE_BOTH), false);
    let one = "guard [&n]:32 == 0; [&n]:32 = 1 [&n]:32 = 0";
    check_for(Property::NoDeadlock, &two_locks(TAKE_BOTH, one), true);
}

/// No thread requests the locks that main still holds when it waits.
#[test]
fn a_wait_that_is_never_ended_is_a_deadlock() {
    let wait = "wait_begin(&m) wait_end";
    check_for(Property::NoDeadlock, &two_locks(wait, "skip"), false);
    check_for(Property::NoDeadlock, &two_locks("skip", "signal(&m)"), true);
    // A signal that may come too early is lost.
    check_for(Property::NoDeadlock, &two_locks(wait, "signal(&n)"), false);
}

/// The tree of another question about the same program.
#[test]
fn proofs_against_something_else_are_refused() {
    let program = parsed(&two_locks(TAKE_BOTH, TAKE_BOTH));
    for (por, property) in [
        (Por::None, Property::NoDeadlock),
        (Por::Dpor, Property::NoDeadlock),
        (Por::None, Property::NoDataRace),
        (Por::Dpor, Property::NoDataRace),
    ] {
        let Outcome::Safe(tree) = answer(&program, Property::UnreachCall, &by_cost(por, true), 60) else {
            panic!("this should be proved")
        };
        let checked = check_proof(&program, property, &tree, &Budget::unlimited());
        assert!(matches!(checked, Err(Inconclusive::CheckFailed(_))), "{por:?}, {property}: {checked:?}");
    }
}

#[test]
fn races_are_found_and_excluded() {
    check_for(Property::NoDataRace, &two_locks("[&m]:32 = 1", "[&m]:32 = 1"), true);
    check_for(Property::NoDataRace, &two_locks("[&m]:32 = 1", "[&n]:32 = 1"), false);
    let flag = "[&m]:32 = 1 [&n]:32!sc = 1";
    let waits = "again: if [&m]:32!sc == 1 then go else again go: [&n]:32 = 2";
    check_for(Property::NoDataRace, &two_locks(flag, waits), true);
    check_for(Property::NoDataRace, &two_locks("[&n]:32!sc = 1 [&m]:32 = 1", waits), false);
}
