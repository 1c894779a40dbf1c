//! Random small programs with C11's atomics, fences, locks, plain accesses, loops and threads that are created and joined at any time: programs in which no read can be stale ([`weak::stale()`]), against all execution graphs of C11.
//!
//! If the program with views has no error, no execution graph that C11 allows has a cycle or a data race. (The contrary does not hold: a stale read that makes no
//! difference is an error, too.)
//!
//! For a long run see [`testkit::settings`].

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod common;

use base::{Budget, Random, Stats};
use engines::Task;
use engines::explore::{Options, explore};
use program::{MemoryModel, Program, Property};
use std::fmt::Write;
use std::time::Duration;

const CELLS: [&str; 3] = ["&x", "&y", "&z"];
const LOADS: [&str; 4] = ["!rlx", "!acq", "!acq", "!sc"];
const STORES: [&str; 4] = ["!rlx", "!rel", "!rel", "!sc"];
const UPDATES: [&str; 5] = ["!rlx", "!acq", "!rel", "!acq_rel", "!sc"];
const FENCES: [&str; 4] = ["sc", "acq_rel", "rel", "acq"];

/// How a program's accesses are chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Discipline {
    /// Any orders: nearly all programs with loops have stale reads or races.
    None,
    /// Atomics acquire and release, fences are of all kinds, and plain data is accessed under the lock or after something was seen.
    Messages,
    /// Atomics are sequentially consistent but for one in eight.
    Strong,
}

impl Discipline {
    fn orders(self, random: &mut Random) -> [&'static str; 3] {
        match self {
            Discipline::Messages => ["!acq", "!rel", "!acq_rel"],
            Discipline::Strong if !random.one_in(8) => ["!sc", "!sc", "!sc"],
            Discipline::Strong | Discipline::None => {
                [random.pick(&LOADS), random.pick(&STORES), random.pick(&UPDATES)]
            }
        }
    }
}

/// One statement; `n` numbers its labels.
fn statement(random: &mut Random, n: usize, discipline: Discipline) -> String {
    let (cell, value) = (random.pick(&CELLS), random.between(1, 2));
    let [load, store, update] = discipline.orders(random);
    let fence = random.pick(&FENCES);
    let is_free = discipline == Discipline::None;
    let plain = match random.index(if is_free { 3 } else { 2 }) {
        0 => "r = [&d]:32".to_owned(),
        1 => format!("[&d]:32 = {value}"),
        // An atomic access of a cell that has plain ones, too.
        _ => format!("[&d]:32{store} = {value}"),
    };
    match random.index(14) {
        0..=3 => format!("[{cell}]:32{store} = {value}"),
        4..=6 => format!("r = [{cell}]:32{load}"),
        7 => format!("fence {fence}"),
        8 => format!("r = [{cell}]:32{update}; [{cell}]:32{update} = r + 1"),
        9 => format!("r = [{cell}]:32{load}; [{cell}]:32{update} = ite(r == 1, 2, r)"),
        10 if is_free || random.one_in(8) => plain,
        10 => format!("fence {fence}"),
        11 => {
            format!("#lock(&m) guard [&m]:32!acq == 0; [&m]:32!acq = 1\n{plain}\n#unlock(&m) [&m]:32!rel = 0")
        }
        // Message passing: an access if something was seen.
        _ => format!(
            "r = [{cell}]:32{load}\nif r == {value} then yes{n} else no{n}\nyes{n}: {plain}\nno{n}: skip"
        ),
    }
}

/// One statement, or a loop: one that waits for a value, or one with two iterations.
fn statement_or_loop(random: &mut Random, n: usize, discipline: Discipline) -> String {
    let (cell, [load, ..], value) = (random.pick(&CELLS), discipline.orders(random), random.between(1, 2));
    match random.index(6) {
        0 => format!(
            "wait{n}: r = [{cell}]:32{load}\nif r == {value} then seen{n} else wait{n}\nseen{n}: skip"
        ),
        1 => {
            let (first, second) =
                (statement(random, 2 * n + 50, discipline), statement(random, 2 * n + 51, discipline));
            format!(
                "i = 0\nhead{n}: if i <s 2 then body{n} else end{n}\nbody{n}: i = i + 1\n{first}\n{second}\nskip -> head{n}\nend{n}: skip"
            )
        }
        _ => statement(random, n, discipline),
    }
}

/// Programs with loops, in which threads are joined while others run, are created by others, or several times.
fn text_with_loops(seed: u64) -> String {
    let mut random = Random(seed);
    let discipline = random.pick(&[Discipline::None, Discipline::Messages, Discipline::Strong]);
    let mut text = "program lp64\nmemory_model c11\n".to_owned();
    for object in ["x", "y", "z", "d", "m"] {
        let _ = writeln!(text, "object {object}: 4 = 0");
    }
    text += "function main() -> 32 { reg h0, h1, h2, q: 64 reg e, r, i: 32\ni = 0; r = 0\n";
    let shape = random.index(4);
    let mut next = 0;
    let mut own = |random: &mut Random, text: &mut String| {
        next += 1;
        let _ = writeln!(text, "{}", statement(random, next, discipline));
    };
    match shape {
        // One thread is joined before another begins.
        0 => {
            text += "h0 = create(&t0, 0)\nh1 = create(&t1, 0)\nq, e = join(h0)\n";
            own(&mut random, &mut text);
            text += "h2 = create(&t2, 0)\nq, e = join(h2)\nq, e = join(h1)\n";
        }
        // The first thread goes on while they run.
        1 => {
            text += "h0 = create(&t0, 0)\n";
            own(&mut random, &mut text);
            text += "h1 = create(&t1, 0)\n";
            own(&mut random, &mut text);
            text += "q, e = join(h1)\nq, e = join(h0)\n";
        }
        // A thread creates another.
        2 => text += "h0 = create(&t3, 0)\nh1 = create(&t1, 0)\nq, e = join(h0)\nq, e = join(h1)\n",
        // Two threads of one function.
        _ => text += "h0 = create(&t0, 0)\nh1 = create(&t0, 0)\nq, e = join(h0)\nq, e = join(h1)\n",
    }
    text += "r = [&d]:32\nreturn 0 }\n";
    for thread in 0..4 {
        let _ =
            writeln!(text, "function t{thread}(arg: 64) -> 64 {{ reg h, q: 64 reg e, r, i: 32\nr = 0; i = 0");
        if thread == 3 {
            text += "h = create(&t2, 0)\n";
        }
        for n in 0..random.between(1, 2) {
            let _ = writeln!(text, "{}", statement_or_loop(&mut random, n, discipline));
        }
        if thread == 3 {
            let _ = writeln!(text, "q, e = join(h)\n{}", statement(&mut random, 40, discipline));
        }
        text += "return 0 }\n";
    }
    text
}

fn text(seed: u64) -> String {
    let mut random = Random(seed);
    let n_threads = if random.one_in(3) { 3 } else { 2 };
    let mut text = "program lp64\nmemory_model c11\n".to_owned();
    for object in ["x", "y", "z", "d", "m"] {
        let _ = writeln!(text, "object {object}: 4 = 0");
    }
    text += "function main() -> 32 { reg h0, h1, h2, q: 64 reg e, r: 32\n";
    for thread in 0..n_threads {
        let _ = writeln!(text, "h{thread} = create(&t{thread}, 0)");
    }
    for thread in 0..n_threads {
        let _ = writeln!(text, "q, e = join(h{thread})");
    }
    text += "r = [&d]:32\nreturn 0 }\n";
    for thread in 0..n_threads {
        let _ = writeln!(text, "function t{thread}(arg: 64) -> 64 {{ reg r: 32\nr = 0");
        for n in 0..random.between(1, if n_threads == 2 { 4 } else { 3 }) {
            let _ = writeln!(text, "{}", statement(&mut random, n, Discipline::None));
        }
        text += "return 0 }\n";
    }
    text
}

/// Whether the program with views has no error; `None` if there is none, or it is too large.
fn has_no_stale_read(program: &Program) -> Option<bool> {
    let sequential = weak::sequential(program);
    let stale = weak::stale(&semantics::Analysis::of(&sequential))?;
    let options = Options { max_states: 100_000, ..Options::default() };
    let found = explore(&stale, &options, &Budget::unlimited(), &mut Stats::default());
    found.incomplete.is_none().then_some(found.violations.is_empty())
}

/// Whether all execution graphs keep a property; `None` if they are not all known.
fn graphs_keep(program: &Program, property: Property) -> Option<bool> {
    let budget =
        Budget::new(Some(Duration::from_secs(if testkit::settings::is_long() { 5 } else { 1 })), None);
    let found = engines::graph::explore(&Task::new(program, property, &budget), MemoryModel::C11).ok()?;
    match found.violation {
        Some(_) => Some(false),
        None => found.incomplete.is_none().then_some(true),
    }
}

#[derive(Default, Debug)]
struct Tally {
    robust: usize,
    /// All execution graphs are robust, but there is said to be a stale read.
    cautious: usize,
    weaker: usize,
    skipped: usize,
}

fn compare(seed: u64, text: &str, tally: &mut Tally) {
    let program = program::text::parse(text).unwrap_or_else(|e| panic!("{e:?} in {text}"));
    let Some(fresh) = has_no_stale_read(&program) else {
        tally.skipped += 1;
        return;
    };
    let graphs = [Property::Robustness, Property::NoDataRace].map(|p| graphs_keep(&program, p));
    match (fresh, graphs) {
        (true, [Some(true), Some(true)]) => tally.robust += 1,
        (true, [Some(false), _] | [_, Some(false)]) => {
            panic!("seed {seed}: {graphs:?}, but no stale read in\n{text}")
        }
        (false, [Some(true), Some(true)]) => tally.cautious += 1,
        (false, _) => tally.weaker += 1,
        (true, _) => tally.skipped += 1,
    }
    if testkit::settings::is_long() && seed.is_multiple_of(1_000) {
        eprintln!("{seed}: {tally:?}");
    }
}

#[test]
fn without_stale_reads_c11_is_sequentially_consistent() {
    let mut tally = Tally::default();
    for seed in testkit::settings::seeds(150) {
        compare(seed, &text(seed), &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(tally.robust > 40 && tally.weaker > 15, "{tally:?}");
}

#[test]
fn the_same_with_loops_and_more_threads() {
    let mut tally = Tally::default();
    for seed in testkit::settings::seeds(16) {
        compare(seed, &text_with_loops(seed), &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(tally.robust > 4, "{tally:?}");
}

/// Programs that never end are proved under C11, where all execution graphs cannot be enumerated.
#[test]
fn programs_without_end_are_proved() {
    for name in ["endless_hand_over", "endless_exchange_lock"] {
        for property in ["unreach-call", "no-data-race"] {
            let file = format!("{}/../../tests/programs/weak-memory/{name}.c", env!("CARGO_MANIFEST_DIR"));
            let arguments = ["verify", "--stats", "--memory-model", "c11", "--timeout", "120s", "--property"];
            let output = common::threadproof().args(arguments).args([property, &file]).output().unwrap();
            let (answer, stats) =
                (common::last_line(&output), common::stdout(&output) + &common::stderr(&output));
            assert_eq!(answer, "verdict: true", "{property} of {name}");
            assert!(stats.contains("no stale read"), "{property} of {name}: {stats}");
        }
    }
}
