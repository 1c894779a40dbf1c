//! Iterations without effect are left out of execution graphs: random programs with loops that wait, explored so, and with every loop unrolled.
//!
//! What complete executions leave in memory, violations, data races and executions that are not sequentially consistent must be the same. The checker, which
//! leaves out iterations by code of its own, is held against the unrolled search, too.
//!
//! For a long run see [`testkit::settings`].

use base::{Budget, Random};
use engines::Task;
use engines::graph::{Cut, Findings, Memory, observe};
use program::{MemoryModel, Program, Property};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

const MODELS: [MemoryModel; 10] = [
    MemoryModel::Arm,
    MemoryModel::Arm,
    MemoryModel::Arm,
    MemoryModel::Power,
    MemoryModel::Power,
    MemoryModel::Riscv,
    MemoryModel::Rmo,
    MemoryModel::C11,
    MemoryModel::Tso,
    MemoryModel::Pso,
];
const CELLS: [&str; 3] = ["x", "x", "y"];
const REGISTERS: [&str; 3] = ["r0", "r1", "r2"];
const LOADS: [&str; 5] = ["!rlx", "!rlx", "!rlx", "!acq", "!sc"];
const STORES: [&str; 5] = ["!rlx", "!rlx", "!rlx", "!rel", "!sc"];
const UPDATES: [&str; 5] = ["!rlx", "!acq", "!rel", "!acq_rel", "!sc"];
const FENCES: [&str; 6] = ["sc", "acq_rel", "rel", "acq", "store", "instruction"];

struct Writer {
    random: Random,
    text: String,
    n_labels: usize,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    fn label(&mut self) -> usize {
        self.n_labels += 1;
        self.n_labels
    }

    fn register(&mut self) -> &'static str {
        self.random.pick(&REGISTERS)
    }

    /// The address of a cell, perhaps one that depends on a register.
    fn address(&mut self, cell: &str) -> String {
        if self.random.one_in(3) {
            let register = self.register();
            format!("&{cell} + zext64({register} & 0)")
        } else {
            format!("&{cell}")
        }
    }

    fn load(&mut self) {
        let (cell, register) = (self.random.pick(&CELLS), self.register());
        let (address, order) = (self.address(cell), self.random.pick(&LOADS));
        self.line(&format!("{register} = [{address}]:32{order}"));
    }

    fn store(&mut self) {
        let (cell, register, value) = (self.random.pick(&CELLS), self.register(), self.random.between(0, 2));
        let (address, order) = (self.address(cell), self.random.pick(&STORES));
        let value = match self.random.index(4) {
            0 => register.to_owned(),
            1 => format!("({register} & 0) + {value}"),
            _ => value.to_string(),
        };
        self.line(&format!("[{address}]:32{order} = {value}"));
    }

    /// Something that others do not see.
    fn local(&mut self) {
        let (to, from, value) = (self.register(), self.register(), self.random.between(0, 1));
        let label = self.label();
        match self.random.index(6) {
            0 => self.line(&format!("{to} = {value}")),
            1 => self.line(&format!("{to} = {from} & 0")),
            2 => self.line(&format!("{to} = {from}")),
            3 => self.line(&format!("[&m]:32 = {from}")),
            4 => self.line(&format!("{to} = [&m]:32")),
            _ => self
                .line(&format!("if {from} == {value} then both{label} else both{label}\nboth{label}: skip")),
        }
    }

    fn update(&mut self) {
        let (cell, register, order) = (self.random.pick(&CELLS), self.register(), self.random.pick(&UPDATES));
        let value = self.random.between(0, 1);
        let stored = match self.random.index(3) {
            0 => "1".to_owned(),
            1 => format!("ite({register} == {value}, {}, {register})", 1 - value),
            _ => format!("{register} + 1"),
        };
        self.line(&format!("{register} = [&{cell}]:32{order}; [&{cell}]:32{order} = {stored}"));
    }

    fn fence(&mut self) {
        let fence = self.random.pick(&FENCES);
        self.line(&format!("fence {fence}"));
    }

    fn statement(&mut self, may_store: bool) {
        match self.random.index(12) {
            0..=3 => self.load(),
            4..=6 if may_store => self.store(),
            4..=6 => self.load(),
            7 => self.fence(),
            8 if self.random.one_in(2) => self.update(),
            _ => self.local(),
        }
    }

    /// A loop that waits for the flag, or for any cell; it may read others meanwhile.
    fn waiting_loop(&mut self) {
        let label = self.label();
        let (flag, register) = (self.random.pick(&["f", "f", "f", "x", "y"]), self.register());
        let (order, value) = (self.random.pick(&LOADS), self.random.pick(&["0", "0", "1"]));
        let parts = self.random.index(3);
        let first = self.random.index(parts + 1);
        self.line(&format!("again{label}: skip"));
        for part in 0..=parts {
            if part != first {
                self.statement(false);
            } else if self.random.one_in(5) {
                let update = self.random.pick(&UPDATES);
                let stored = self.random.pick(&["1", "ite(r0 == 0, 1, r0)", "r0"]);
                self.line(&format!("r0 = [&{flag}]:32{update}; [&{flag}]:32{update} = {stored}"));
            } else {
                self.line(&format!("{register} = [&{flag}]:32{order}"));
            }
        }
        let register = if self.random.one_in(6) { self.register() } else { register };
        self.line(&format!(
            "if {register} == {value} then again{label} else behind{label}\nbehind{label}: skip"
        ));
    }

    /// A thread that waits: reads before the loop, and accesses behind it.
    fn waiter(&mut self) {
        if self.random.one_in(4) {
            self.store();
        }
        for _ in 0..=self.random.index(2) {
            self.load();
        }
        if self.random.one_in(3) {
            self.statement(true);
        }
        self.waiting_loop();
        match self.random.index(5) {
            0 | 1 => self.store(),
            2 | 3 => self.load(),
            _ => self.statement(true),
        }
    }

    fn thread(&mut self, number: usize, waits: bool, sets: bool) {
        self.line(&format!("function t{number}(arg: 64) -> 64 {{ reg r0, r1, r2: 32 memory m: 4"));
        self.line("r0 = 0; r1 = 0; r2 = 0; [&m]:32 = 0");
        if waits {
            self.waiter();
        } else {
            for _ in 0..=self.random.index(3) {
                self.statement(true);
            }
        }
        if sets {
            let (order, value) = (self.random.pick(&STORES), self.random.pick(&["0", "1", "1", "1", "2"]));
            self.line(&format!("[&f]:32{order} = {value}"));
        }
        self.line("return zext64(r0) + (zext64(r1) << 4) + (zext64(r2) << 8) }");
    }
}

/// What the first thread sees in the end, as a condition; an error if it holds.
type Forbidden = Option<String>;

fn text(seed: u64, model: MemoryModel, forbidden: &Forbidden) -> String {
    let mut writer = Writer { random: Random(seed), text: String::new(), n_labels: 0 };
    let n_threads = if writer.random.one_in(3) { 3 } else { 2 };
    writer.line(&format!("program lp64\nmemory_model {model}"));
    for object in ["x", "y", "f"] {
        writer.line(&format!("object {object}: 4 = 0"));
    }
    for thread in 0..n_threads {
        writer.line(&format!("object out{thread}: 8 = 0"));
    }
    writer.line("function main() -> 32 { reg h0, h1, h2, q: 64 reg e: 32");
    for thread in 0..n_threads {
        writer.line(&format!("h{thread} = create(&t{thread}, 0)"));
    }
    for thread in 0..n_threads {
        writer.line(&format!("q, e = join(h{thread})\n[&out{thread}]:64 = q"));
    }
    // Without a condition, the first thread reads all cells, too, so that it shares them.
    let never = ["x", "y", "f"].map(|cell| format!("[&{cell}]:32 == 77")).join(" && ");
    let condition = forbidden.as_ref().unwrap_or(&never);
    writer.line(&format!("if {condition} then bad else good\nbad: error unreach-call \"seen\"\ngood: skip"));
    writer.line("return 0 }");
    let second_waits = n_threads == 2 && writer.random.one_in(6);
    let setter = if n_threads == 3 { 2 } else { 1 };
    for thread in 0..n_threads {
        writer.thread(thread, thread == 0 || thread == 1 && second_waits, thread == setter);
    }
    writer.text
}

fn parse(text: &str) -> Program {
    program::text::parse(text).unwrap_or_else(|e| panic!("{e:?} in {text}"))
}

fn search(program: &Program, property: Property, cut: Cut) -> Option<Findings> {
    let budget = Budget::new(Some(testkit::settings::time_limit(Duration::from_millis(300))), None);
    observe(&Task::new(program, property, &budget), program.memory_model, cut).ok()
}

/// What is in memory, as a condition.
fn condition(memory: &Memory, program: &Program) -> Forbidden {
    let mut parts = Vec::new();
    for (id, object) in program.objects.iter_enumerated() {
        let content = memory.iter().find(|(identity, _)| *identity == program::interp::Identity::Static(id));
        let bytes: Option<Vec<u8>> = content?.1.iter().copied().collect();
        let value = bytes?.iter().rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
        let bits = 8 * object.size;
        parts.push(format!("[&{}]:{bits} == {value}:{bits}", object.name));
    }
    Some(parts.join(" && "))
}

/// What became of the programs.
#[derive(Default, Debug)]
struct Counts {
    compared: u64,
    skipped: u64,
    racy: u64,
    not_robust: u64,
    checked: u64,
}

/// Executions with all iterations leave nothing in memory that those without do not.
fn outcomes_agree(seed: u64, model: MemoryModel, counts: &mut Counts) {
    let text = text(seed, model, &None);
    let program = parse(&text);
    let found = [Cut::NoEffect, Cut::Unrolled(3)].map(|cut| search(&program, Property::UnreachCall, cut));
    let [Some(cut), Some(unrolled)] = found else {
        counts.skipped += 1;
        return;
    };
    if let Some(lost) = unrolled.memories.difference(&cut.memories).next() {
        panic!(
            "seed {seed}, {model}: {} is missing in\n{text}",
            condition(lost, &program).unwrap_or_default()
        );
    }
    counts.compared += 1;
    let mut random = Random(seed);
    if cut.incomplete.is_none() && !unrolled.memories.is_empty() && random.one_in(3) {
        let chosen = unrolled.memories.iter().nth(random.index(unrolled.memories.len()));
        if let Some(condition) = chosen.and_then(|memory| condition(memory, &program)) {
            checker_agrees(seed, model, condition, counts);
        }
    }
}

/// The checker refuses what an unrolled execution has, and accepts what none has.
fn checker_agrees(seed: u64, model: MemoryModel, seen: String, counts: &mut Counts) {
    let never = format!("{} && ([&x]:32 == 77)", seen);
    for (condition, is_seen) in [(seen, true), (never, false)] {
        let text = text(seed, model, &Some(condition));
        let program = parse(&text);
        let budget = Budget::new(Some(Duration::from_secs(2)), None);
        match certify::graph::check_graphs(&program, Property::UnreachCall, &budget) {
            Ok(()) => assert!(!is_seen, "seed {seed}, {model}: the checker misses an execution of\n{text}"),
            Err(base::Inconclusive::CheckFailed(_)) => {
                assert!(is_seen, "seed {seed}, {model}: the checker refuses a proof of\n{text}");
            }
            Err(_) => return,
        }
    }
    counts.checked += 1;
}

/// Violations of a property are found in both ways, or in neither.
fn violations_agree(seed: u64, model: MemoryModel, property: Property, most_visits: usize) -> Option<bool> {
    let text = text(seed, model, &None);
    let program = parse(&text);
    let cuts = [Cut::NoEffect, Cut::Unrolled(most_visits)];
    let [cut, unrolled] = cuts.map(|cut| search(&program, property, cut));
    let (cut, unrolled) = (cut?, unrolled?);
    let is_known = cut.violation.is_some() || cut.incomplete.is_none();
    let missed = is_known && unrolled.violation.is_some() && cut.violation.is_none();
    assert!(!missed, "seed {seed}, {model}: no violation of {property} in\n{text}");
    is_known.then_some(cut.violation.is_some())
}

#[test]
fn iterations_without_effect_can_be_left_out() {
    let mut counts: BTreeMap<MemoryModel, Counts> = BTreeMap::new();
    for seed in testkit::settings::seeds(100) {
        let mut random = Random(seed);
        let model = random.pick(&MODELS);
        let counts = counts.entry(model).or_default();
        outcomes_agree(seed, model, counts);
        if random.one_in(3) {
            let broken = violations_agree(seed, model, Property::Robustness, 4);
            counts.not_robust += u64::from(broken == Some(true));
        }
        if model == MemoryModel::C11 {
            let racy = violations_agree(seed, model, Property::NoDataRace, 3);
            counts.racy += u64::from(racy == Some(true));
        }
        if testkit::settings::is_long() && seed % 100 == 0 {
            eprintln!("{seed}: {counts:?}");
        }
    }
    eprintln!("{counts:?}");
}

/// Load buffering: the first thread's write depends on its first read only if the loop, which sets the register again, ends at once.
const RESETS: &str = "program lp64
memory_model arm
object x: 4 = 0
object y: 4 = 0
object f: 4 = 0
object out0: 8 = 0
object out1: 8 = 0
function main() -> 32 { reg h0, h1, q: 64 reg e: 32
h0 = create(&t0, 0)
h1 = create(&t1, 0)
q, e = join(h0)
[&out0]:64 = q
q, e = join(h1)
[&out1]:64 = q
if [&x]:32 == 77 && [&y]:32 == 77 && [&f]:32 == 77 then bad else good
bad: error unreach-call \"seen\"
good: skip
return 0 }
function t0(arg: 64) -> 64 { reg r0, r1, r2: 32
r0 = [&x]:32!rlx
r1 = r0 & 0
again: skip
r2 = [&f]:32!rlx
if r2 == 0 then body else behind
body: r1 = 0
skip -> again
behind: skip
[&y]:32!rlx = r1 + 1
return zext64(r0) }
function t1(arg: 64) -> 64 { reg r0: 32
r0 = [&y]:32!rlx
[&x]:32!rlx = r0
[&f]:32!rlx = 1
return zext64(r0) }
";

/// Message passing to a thread whose address dependency goes through a cell that the loop may read again, at an address that depends on nothing.
const READS_AGAIN: &str = "program lp64
memory_model arm
object x: 4 = 0
object y: 4 = 0
object z: 4 = 0
object f: 4 = 0
object out0: 8 = 0
function main() -> 32 { reg h0, h1, h2, q: 64 reg e: 32
h0 = create(&t0, 0)
h1 = create(&t1, 0)
h2 = create(&t2, 0)
q, e = join(h0)
[&out0]:64 = q
q, e = join(h1)
q, e = join(h2)
if [&x]:32 == 77 && [&y]:32 == 77 && [&z]:32 == 77 && [&f]:32 == 77 then bad else good
bad: error unreach-call \"seen\"
good: skip
return 0 }
function t0(arg: 64) -> 64 { reg r0, r1, r2: 32
r0 = [&x]:32!rlx
r1 = [&y + zext64(r0 & 0)]:32!rlx
again: skip
r2 = [&f]:32!rlx
if r2 == 0 then body else behind
body: r1 = [&y]:32!rlx
skip -> again
behind: skip
r2 = [&z + zext64(r1 & 0)]:32!rlx
return zext64(r0) + (zext64(r2) << 4) }
function t1(arg: 64) -> 64 { reg r0: 32
[&z]:32!rlx = 1
fence sc
[&x]:32!rlx = 1
return 0 }
function t2(arg: 64) -> 64 { reg r0: 32
[&y]:32!rlx = 1
[&f]:32!rlx = 1
return 0 }
";

/// Returns true if the comparison notices that `cut` loses an execution of a program.
fn is_noticed(text: &str, cut: Cut) -> bool {
    let program = parse(text);
    let [cut, unrolled] = [cut, Cut::Unrolled(3)].map(|cut| {
        let budget = Budget::new(Some(Duration::from_secs(60)), None);
        let task = Task::new(&program, Property::UnreachCall, &budget);
        observe(&task, program.memory_model, cut).expect("a small program should be explored")
    });
    unrolled.memories.difference(&cut.memories).next().is_some()
}

#[test]
fn rules_that_leave_out_too_much_are_noticed() {
    for (text, wrong) in [(RESETS, Cut::SameState), (READS_AGAIN, Cut::SameValues)] {
        assert!(is_noticed(text, wrong), "{wrong:?} in\n{text}");
        assert!(!is_noticed(text, Cut::NoEffect), "in\n{text}");
    }
}
