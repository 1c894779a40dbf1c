//! Random small programs with loops, arrays, calls, locks and atomic sections: store buffers that are written out in the program against those of the interpreter.
//!
//! Execution graphs that the machine's axioms allow are held against the interpreter's buffers, too. So are they against exploration where threads use readers–writer locks and
//! barriers, which are one word for them.
//!
//! With as many slots as are enough both have the same final states and violate the same assertions. With fewer the program has some of them. What is found in the
//! program with buffers becomes an execution of the original one on its machine, and what is proved passes its check.
//!
//! For a long run see [`testkit::settings`].

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use base::convert::index;
use base::{Budget, Random, Stats};
use engines::explore::{Exploration, Options, explore};
use engines::weak::Native;
use engines::{Engine, Task};
use evidence::Outcome;
use program::interp::Interp;
use program::{MemoryModel, Program, Property};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;
use weak::buffered::Full;

const CELLS: [&str; 7] = ["(&a + zext64(i & 1) * 4)", "(&a + 4)", "&x", "&x", "&y", "&y", "&z"];
const LOADS: [&str; 4] = ["", "!rlx", "!acq", "!sc"];
const STORES: [&str; 7] = ["", "", "", "!rlx", "!rlx", "!rel", "!sc"];
const FENCES: [&str; 5] = ["sc", "acq_rel", "rel", "acq", "store"];
const UPDATES: [&str; 5] = ["!rlx", "!acq", "!rel", "!acq_rel", "!sc"];
const REGISTERS: [&str; 2] = ["r", "s"];

/// Makes up the body of a thread.
struct Body {
    random: Random,
    text: String,
    labels: usize,
    /// The nesting of statements that is left.
    depth: usize,
    atomic: bool,
}

impl Body {
    fn of(seed: u64, statements: usize) -> String {
        let mut body = Self { random: Random(seed), text: String::new(), labels: 0, depth: 2, atomic: false };
        body.statements(statements);
        body.text
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}");
    }

    fn cell(&mut self) -> &'static str {
        self.random.pick(&CELLS)
    }

    fn value(&mut self) -> String {
        match self.random.index(4) {
            0 => self.random.pick(&REGISTERS).to_owned(),
            1 => "2".to_owned(),
            _ => "1".to_owned(),
        }
    }

    fn statements(&mut self, n: usize) {
        for _ in 0..n {
            self.statement();
        }
    }

    fn statement(&mut self) {
        let register = self.random.pick(&REGISTERS);
        let (cell, value) = (self.cell(), self.value());
        let (load, store) = (self.random.pick(&LOADS), self.random.pick(&STORES));
        match self.random.index(24) {
            0..=6 => self.line(&format!("[{cell}]:32{store} = {value}")),
            7..=10 => self.line(&format!("{register} = [{cell}]:32{load}")),
            11 => {
                let fence = self.random.pick(&FENCES);
                self.line(&format!("fence {fence}"));
            }
            12 => {
                let order = self.random.pick(&UPDATES);
                self.line(&format!("{register} = [{cell}]:32{order}; [{cell}]:32{order} = {register} + 1"));
            }
            13 => {
                let (success, failure) = (self.random.pick(&UPDATES), self.random.pick(&LOADS[1..]));
                self.line(&format!(
                    "{register} = [{cell}]:32{failure}; [{cell}]:32{success} = ite({register} == 1, 2, {register})"
                ));
            }
            14 => self.line("i = i + 1"),
            15 => self.line(&format!("[{cell}]:32 = {value}\n{register} = [{}]:32", if cell == "&x" { "&y" } else { "&x" })),
            16 => {
                let other = self.cell();
                self.line(&format!("[{other}]:32{store} = [{cell}]:32{load} + 1"));
            }
            17 => self.line(&format!("[{cell}]:32 = {value}; {register} = [{cell}]:32 + 1")),
            18 => self.line("call helper()"),
            19 => self.line(&format!("#lock(&m) guard [&m]:32!acq == 0; [&m]:32!acq = 1\n[{cell}]:32 = {value}\n#unlock(&m) [&m]:32!rel = 0")),
            _ if self.depth == 0 => self.line(&format!("{register} = {value}")),
            20 => self.branch(register),
            21 => self.bounded_loop(),
            22 => self.spin(cell, load),
            _ => self.section(),
        }
    }

    fn branch(&mut self, register: &str) {
        let (yes, no) = (self.label(), self.label());
        let _ = writeln!(self.text, "if {register} == 1 then {yes} else {no}\n{yes}: skip");
        self.nested(2);
        self.line(&format!("{no}: skip"));
    }

    fn bounded_loop(&mut self) {
        let (head, body, end) = (self.label(), self.label(), self.label());
        let _ = writeln!(self.text, "n = 0\n{head}: if n <s 2 then {body} else {end}\n{body}: n = n + 1");
        self.nested(2);
        let _ = writeln!(self.text, "skip -> {head}\n{end}: skip");
    }

    fn spin(&mut self, cell: &str, load: &str) {
        let (head, end) = (self.label(), self.label());
        let _ = writeln!(self.text, "{head}: s = [{cell}]:32{load}");
        if self.random.one_in(3) {
            self.nested(1);
        }
        let _ = writeln!(self.text, "if s == 0 then {head} else {end}\n{end}: skip");
    }

    fn section(&mut self) {
        if self.atomic {
            return;
        }
        self.atomic = true;
        self.line("atomic_begin");
        self.nested(2);
        self.line("atomic_end");
        self.atomic = false;
    }

    fn nested(&mut self, n: usize) {
        self.depth -= 1;
        let n = self.random.between(1, n);
        self.statements(n);
        self.depth += 1;
    }
}

/// A program with two or three threads, and an assertion about what they saw.
fn program(seed: u64, model: MemoryModel) -> Program {
    let mut random = Random(seed);
    let n_threads = if random.one_in(6) { 3 } else { 2 };
    let mut text = format!("program lp64\nmemory_model {}\n", model.name());
    for (object, size) in [("x", 4), ("y", 4), ("z", 4), ("a", 8), ("m", 4)] {
        let _ = writeln!(text, "object {object}: {size} = 0");
    }
    for thread in 0..n_threads {
        let _ = writeln!(text, "object r{thread}: 4 = 0\nobject s{thread}: 4 = 0");
    }
    text += "function main() -> 32 { reg h0, h1, h2, q: 64 reg e, r, s: 32\n";
    for thread in 0..n_threads {
        let _ = writeln!(text, "h{thread} = create(&t{thread}, 0)");
    }
    for thread in 0..n_threads {
        let _ = writeln!(text, "q, e = join(h{thread})");
    }
    let (first, second) = (random.below(2), random.below(2));
    let _ = writeln!(
        text,
        "r = [&r0]:32\ns = [&r1]:32\nif r == {first} && s == {second} then bad else good\nbad: error unreach-call \"seen\"\ngood: return 0 }}"
    );
    for thread in 0..n_threads {
        let n = if n_threads == 2 { random.between(2, 5) } else { random.between(1, 3) };
        let _ = writeln!(
            text,
            "function t{thread}(arg: 64) -> 64 {{ reg r, s, i, n: 32\nr = 0; s = 0; i = 0; n = 0\n{}[&r{thread}]:32 = r\n[&s{thread}]:32 = s\nreturn 0 }}",
            Body::of(random.number(), n)
        );
    }
    let (cell, store, other) = (random.pick(&CELLS[1..]), random.pick(&STORES), random.pick(&CELLS[1..]));
    let _ =
        writeln!(text, "function helper() {{ reg r: 32\n[{cell}]:32{store} = 3\nr = [{other}]:32\nreturn }}");
    program::text::parse(&text).unwrap_or_else(|e| panic!("{e:?} in {text}"))
}

/// More states are not looked at.
const MOST_STATES: usize = 60_000;

fn explored(program: &Program) -> Option<Exploration> {
    let options = Options { max_states: MOST_STATES, ..Options::default() };
    let found = explore(program, &options, &Budget::unlimited(), &mut Stats::default());
    found.incomplete.is_none().then_some(found)
}

/// Final states, as far as the original program's objects are concerned.
fn finals(found: &Exploration, n_objects: usize) -> BTreeSet<Vec<Vec<Option<u8>>>> {
    found.finals.iter().map(|end| end[..n_objects].to_vec()).collect()
}

#[derive(Default, Debug)]
struct Tally {
    equal: usize,
    too_few: usize,
    weaker_than_sc: usize,
    violated: usize,
    proved: usize,
    skipped: usize,
    graphs_violated: usize,
    graphs_kept: usize,
}

#[test]
fn written_out_buffers_agree_with_the_machine() {
    let mut tally = Tally::default();
    for seed in testkit::settings::seeds(40) {
        for model in [MemoryModel::Tso, MemoryModel::Pso] {
            compare(seed, model, &mut tally);
        }
    }
    eprintln!("{tally:?}");
    let Tally { equal, too_few, weaker_than_sc, violated, proved, graphs_violated, graphs_kept, .. } = tally;
    assert!(graphs_violated > 5 && graphs_kept > 5, "{tally:?}");
    assert!(equal > 30 && too_few > 5 && weaker_than_sc > 0 && violated > 0 && proved > 5, "{tally:?}");
}

fn compare(seed: u64, model: MemoryModel, tally: &mut Tally) {
    let native = program(seed, model);
    let sequential = weak::sequential(&native);
    let analysis = semantics::Analysis::of(&sequential);
    let Some(machine) = explored(&native) else {
        tally.skipped += 1;
        return;
    };
    graphs(&native, !machine.violations.is_empty(), tally);
    let n_objects = native.objects.len();
    let expected = finals(&machine, n_objects);
    let buffers = weak::Buffers::of(&analysis, model).expect("the cells should be known");
    let context = || format!("seed {seed} under {model}\n{}", program::text::print(&native));
    let enough = buffers.sufficient_slots();
    let full = if enough.is_some() { Full::Unsupported } else { Full::Stops };
    let buffered = buffers.written_out(enough.unwrap_or(2), full).program;
    assert_eq!(program::well_formed::check(&buffered), Ok(()), "{}", context());
    if let Some(found) = explored(&buffered) {
        let outcomes = finals(&found, n_objects);
        let violated = |found: &Exploration| !found.violations.is_empty();
        if enough.is_some() {
            assert_eq!(outcomes, expected, "{}", context());
            assert_eq!(violated(&found), violated(&machine), "{}", context());
            tally.equal += 1;
        } else {
            assert!(outcomes.is_subset(&expected), "{}", context());
            assert!(!violated(&found) || violated(&machine), "{}", context());
            tally.too_few += 1;
        }
        let on_sc = explored(&sequential).map(|found| finals(&found, n_objects));
        tally.weaker_than_sc += usize::from(on_sc.is_some_and(|on_sc| on_sc != outcomes));
        answered(&native, &sequential, violated(&machine), tally, &context);
    } else {
        tally.skipped += 1;
    }
}

/// The answer of the search for execution graphs, and of the checker, which has axioms of its own.
fn graphs(native: &Program, violated: bool, tally: &mut Tally) {
    let budget = Budget::new(Some(Duration::from_secs(5)), None);
    let task = Task::new(native, Property::UnreachCall, &budget).assuming_defined();
    let Ok(found) = engines::graph::explore(&task, native.memory_model) else { return };
    let context = || format!("{} {}", native.memory_model, program::text::print(native));
    if let Some(trace) = found.violation {
        assert!(violated, "an execution graph of {}", context());
        let sequential = weak::sequential(native);
        let interp = Interp::new(&sequential).unwrap();
        let replayed = certify::graph::replay_graph(&interp, &trace, &mut |_, _, _, _| {});
        assert!(replayed.is_ok(), "{replayed:?}: {}", context());
        tally.graphs_violated += 1;
    } else if found.incomplete.is_none() {
        assert!(!violated, "all execution graphs of {}", context());
        match certify::graph::check_graphs(native, Property::UnreachCall, &budget) {
            Ok(()) => tally.graphs_kept += 1,
            Err(why) => assert_eq!(why, base::Inconclusive::OutOfTime, "{}", context()),
        }
    }
}

/// The answer through buffers alone: what the exploration of the program with buffers says has to pass the checks of the original one.
fn answered(
    native: &Program,
    sequential: &Program,
    violated: bool,
    tally: &mut Tally,
    context: &dyn Fn() -> String,
) {
    let budget = Budget::unlimited();
    let task = Task::new(native, Property::UnreachCall, &budget).assuming_defined();
    let found = Cell::new(false);
    let prove = |task: &Task<'_>, stats: &mut Stats| {
        let has_buffers = task.program().objects.iter().any(|object| object.name.starts_with("$buffer"));
        if !has_buffers {
            return Outcome::Unknown(base::Inconclusive::NoProof("not asked".to_owned()));
        }
        let options = Options { max_states: MOST_STATES, ..Options::default() };
        let outcome = options.run(task, stats);
        found.set(found.get() || matches!(outcome, Outcome::Unsafe(_)));
        outcome
    };
    let check = |program: &Program, property, outcome: &Outcome, budget: &Budget| match outcome {
        Outcome::Safe(proof) => certify::check_proof(program, property, proof, budget),
        Outcome::Unsafe(trace) => certify::replay(program, trace).map(|_| ()),
        Outcome::UnsafeGraph(_) | Outcome::Unknown(_) => Ok(()),
    };
    let answer =
        engines::weak::verify(&task, sequential, Native::Never, &prove, &check, &mut Stats::default());
    match answer.outcome {
        Outcome::Safe(_) => {
            assert!(!violated, "a proof for {}", context());
            tally.proved += 1;
        }
        Outcome::Unsafe(_) => {
            assert!(violated, "a violation of {}", context());
            tally.violated += 1;
        }
        Outcome::Unknown(why) => {
            assert!(!found.get(), "{why}: the execution does not replay in {}", context())
        }
        Outcome::UnsafeGraph(_) => panic!("buffers give no graphs"),
    }
}

/// A program with two threads that access memory under a readers–writer lock only, and meet at barriers in between.
fn synchronised(seed: u64) -> Program {
    let mut random = Random(seed);
    let mut text =
        "program lp64\nobject x: 4 = 0\nobject y: 4 = 0\nobject l: 8 = 0\nobject b: 12 = 0\n".to_owned();
    text += "object r0: 4 = 0\nobject s0: 4 = 0\nobject r1: 4 = 0\nobject s1: 4 = 0\n";
    let (first, second) = (random.below(3), random.below(3));
    let _ = writeln!(
        text,
        "function main() -> 32 {{ reg h0, h1, q: 64 reg e, r, s: 32\n[&b]:32!sc = 2\nh0 = create(&t0, 0)\nh1 = create(&t1, 0)
         q, e = join(h0)\nq, e = join(h1)\nr = [&r0]:32\ns = [&s1]:32
         if r == {first} && s == {second} then bad else good\nbad: error unreach-call \"seen\"\ngood: return 0 }}"
    );
    let n_barriers = random.index(3);
    for thread in 0..2 {
        let mut body = String::new();
        for part in 0..=n_barriers {
            for _ in 0..random.between(usize::from(n_barriers == 0), 2) {
                body += &critical_section(&mut random);
            }
            if part < n_barriers {
                body += BARRIER;
            }
        }
        let _ = writeln!(
            text,
            "function t{thread}(arg: 64) -> 64 {{ reg r, s, n, g, o, c: 32 reg last: 1\nr = 0; s = 0\n{body}[&r{thread}]:32 = r\n[&s{thread}]:32 = s\nreturn 0 }}"
        );
    }
    program::text::parse(&text).unwrap_or_else(|e| panic!("{e:?} in {text}"))
}

const BARRIER: &str = "#barrier(&b) n = [&b + 4]:32!sc + 1; g = [&b + 8]:32!sc; last = n == [&b]:32!sc; [&b + 4]:32!sc = ite(last, 0, n); [&b + 8]:32!sc = ite(last, g + 1, g)
    #barrier(&b) guard [&b + 8]:32!sc != g\n";

fn critical_section(random: &mut Random) -> String {
    let register = random.pick(&REGISTERS);
    let (cell, other) = if random.one_in(2) { ("x", "y") } else { ("y", "x") };
    let reads = format!("{register} = [&{cell}]:32\n");
    let (lock, inside) = if random.one_in(2) {
        (
            "#writelock(&l) o = [&l]:32!acq; guard o == 0 && [&l + 4]:32!acq == 0; [&l]:32!acq = ite(o == 0, 1, o)\n",
            format!("{reads}[&{other}]:32 = {register} + 1\n"),
        )
    } else {
        (
            "#readlock(&l) o = [&l]:32!acq; c = [&l + 4]:32!acq; guard o == 0; [&l + 4]:32!acq = ite(o == 0, c + 1, c)\n",
            reads,
        )
    };
    let unlock = "#rwunlock(&l) o = [&l]:32!rel; c = [&l + 4]:32!rel; [&l]:32!rel = 0; [&l + 4]:32!rel = ite(o == 0, c - 1, c)\n";
    format!("{lock}{inside}{unlock}")
}

/// Joining the words of locks and barriers changes nothing under sequential consistency; and since nothing else races, execution graphs have the same verdict under every model.
#[test]
fn locks_and_barriers_of_one_word_are_locks_and_barriers() {
    let (mut violated, mut kept) = (0, 0);
    for seed in testkit::settings::seeds(30) {
        let program = synchronised(seed);
        let context = || format!("seed {seed}\n{}", program::text::print(&program));
        let joined = weak::for_graphs(&program);
        assert_eq!(program::well_formed::check(&joined), Ok(()), "{}", context());
        let (Some(before), Some(after)) = (explored(&program), explored(&joined)) else { continue };
        let n_objects = program.objects.len();
        assert_eq!(finals(&before, n_objects), finals(&after, n_objects), "{}", context());
        let is_violated = !before.violations.is_empty();
        assert_eq!(is_violated, !after.violations.is_empty(), "{}", context());
        let model =
            [MemoryModel::C11, MemoryModel::Arm, MemoryModel::Power, MemoryModel::Tso][index(seed % 4)];
        let weak = Program { memory_model: model, ..program.clone() };
        let budget = Budget::new(Some(Duration::from_secs(5)), None);
        let task = Task::new(&weak, Property::UnreachCall, &budget).assuming_defined();
        let Ok(found) = engines::graph::explore(&task, model) else { continue };
        assert_eq!(found.incomplete, None, "{}", context());
        assert_eq!(found.violation.is_some(), is_violated, "{model}, {}", context());
        let (count, check) = if is_violated {
            (&mut violated, Ok(()))
        } else {
            (&mut kept, certify::graph::check_graphs(&weak, Property::UnreachCall, &budget))
        };
        assert!(matches!(check, Ok(()) | Err(base::Inconclusive::OutOfTime)), "{check:?} {}", context());
        *count += 1;
    }
    assert!(violated > 2 && kept > 2, "{violated} {kept}");
}
