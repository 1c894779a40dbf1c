//! Random small programs with C11's atomics, fences, locks and plain accesses: programs in which no read can be stale ([`weak::stale()`]), against all execution graphs of C11.
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

const CELLS: [&str; 3] = ["&x", "&y", "&z"];
const LOADS: [&str; 4] = ["!rlx", "!acq", "!acq", "!sc"];
const STORES: [&str; 4] = ["!rlx", "!rel", "!rel", "!sc"];
const UPDATES: [&str; 5] = ["!rlx", "!acq", "!rel", "!acq_rel", "!sc"];
const FENCES: [&str; 4] = ["sc", "acq_rel", "rel", "acq"];

/// One statement; `n` numbers its labels.
fn statement(random: &mut Random, n: usize) -> String {
    let (cell, value) = (random.pick(&CELLS), random.between(1, 2));
    let (load, store) = (random.pick(&LOADS), random.pick(&STORES));
    let (update, fence) = (random.pick(&UPDATES), random.pick(&FENCES));
    let plain = match random.index(3) {
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
        10 => plain,
        11 => {
            format!("#lock(&m) guard [&m]:32!acq == 0; [&m]:32!acq = 1\n{plain}\n#unlock(&m) [&m]:32!rel = 0")
        }
        // Message passing: an access if something was seen.
        _ => format!(
            "r = [{cell}]:32{load}\nif r == {value} then yes{n} else no{n}\nyes{n}: {plain}\nno{n}: skip"
        ),
    }
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
            let _ = writeln!(text, "{}", statement(&mut random, n));
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
    let budget = Budget::unlimited();
    let found = engines::graph::explore(&Task::new(program, property, &budget), MemoryModel::C11).ok()?;
    match found.violation {
        Some(_) => Some(false),
        None => found.incomplete.is_none().then_some(true),
    }
}

#[test]
fn without_stale_reads_c11_is_sequentially_consistent() {
    let (mut robust, mut cautious, mut weaker, mut skipped) = (0, 0, 0, 0);
    for seed in testkit::settings::seeds(150) {
        let text = text(seed);
        let program = program::text::parse(&text).unwrap_or_else(|e| panic!("{e:?} in {text}"));
        let Some(fresh) = has_no_stale_read(&program) else {
            skipped += 1;
            continue;
        };
        let graphs = [Property::Robustness, Property::NoDataRace].map(|p| graphs_keep(&program, p));
        match (fresh, graphs) {
            (true, [Some(true), Some(true)]) => robust += 1,
            (true, [Some(false), _] | [_, Some(false)]) => {
                panic!("seed {seed}: {graphs:?}, but no stale read in\n{text}")
            }
            (false, [Some(true), Some(true)]) => cautious += 1,
            (false, _) => weaker += 1,
            (true, _) => skipped += 1,
        }
        if testkit::settings::is_long() && seed % 1_000 == 0 {
            eprintln!("{seed}: {robust} robust, {cautious} more by graphs, {weaker} not, {skipped} skipped");
        }
    }
    eprintln!(
        "{robust} robust, {cautious} more by graphs only, {weaker} not robust or racy, {skipped} skipped"
    );
    assert!(robust > 40 && weaker > 15, "{robust} {weaker}");
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
