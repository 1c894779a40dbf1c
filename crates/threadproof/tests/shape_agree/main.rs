//! Shape analysis by brute force: where it proves something about a random program with lists, exploration finds no violation, and the checker agrees.
//!
//! Programs are of the text form: three pointers, nodes of two words, inputs of one bit that decide branches and loops. Most accesses are guarded by a test for null, so
//! that some programs are right. Those with threads share a list under a lock, and in most of them one step is left out, made twice or made too early: a
//! lock that is not taken, given back before the last access, an object that is freed twice. A second shared variable is accessed as it comes. Some have two lists with a lock
//! each, and some have list and lock in an object that the first thread makes, hands to the others, and frees.
//!
//! Other threads have no lock, but what they are handed.
//!
//! Those with trees have a tree of three words a node in a static variable: it is built, searched, rotated and freed by loops, and by functions that call themselves. Most have a step that is changed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod handed;
mod trees;

use base::{Budget, Random, Stats};
use engines::{Engine, Task, explore, shape};
use evidence::Outcome;
use program::{Program, Property, text};
use std::fmt::Write;
use testkit::settings::seeds;

const PROPERTIES: [Property; 3] = [Property::ValidDeref, Property::ValidMemsafety, Property::ValidMemcleanup];
/// Those of programs with threads.
const ALL: [Property; 5] = [
    Property::ValidDeref,
    Property::ValidMemsafety,
    Property::ValidMemcleanup,
    Property::NoDataRace,
    Property::NoDeadlock,
];
const POINTERS: [&str; 3] = ["a", "b", "c"];

/// Writes a random program, one location for each line.
struct Writer {
    random: Random,
    lines: String,
    next: usize,
    /// How the lock is taken.
    lock: Lock,
    /// Lists: the addresses of the lock and of the head.
    lists: Vec<[&'static str; 2]>,
    /// True if the lists are in an object that the first thread makes.
    is_made: bool,
    /// In how many steps one is changed, and how.
    mutation: Option<(usize, Mutation)>,
    /// A step that comes after the next one.
    delayed: Option<String>,
}

#[derive(Clone, Copy)]
enum Lock {
    Mutex,
    Section,
}

#[derive(Clone, Copy)]
enum Mutation {
    Leave,
    Double,
    Delay,
}

impl Writer {
    fn program(seed: u64) -> Program {
        let mut writer = Self::new(seed);
        for pointer in POINTERS {
            writer.step(&format!("{pointer} = 0"));
        }
        let n_statements = 2 + writer.random.below(5);
        (0..n_statements).for_each(|_| writer.statement(2));
        let end = writer.next;
        let text = format!(
            "program lp64\nfunction main() -> 32 {{\n  reg a, b, c, t: 64\n  reg m: 1\n{}  L{end}: return 0\n}}",
            writer.lines
        );
        text::parse(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
    }

    fn new(seed: u64) -> Self {
        let (lock, mutation, delayed) = (Lock::Mutex, None, None);
        let (lines, lists) = (String::new(), vec![["&m", "&head"]]);
        Self { random: Random(seed), lines, next: 0, lock, lists, is_made: false, mutation, delayed }
    }

    /// A program with threads, which share a list.
    fn threads(seed: u64) -> Program {
        let mut writer = Self::new(seed);
        writer.lock = if writer.random.below(4) == 0 { Lock::Section } else { Lock::Mutex };
        writer.is_made = matches!(writer.lock, Lock::Mutex) && writer.random.below(3) == 0;
        if writer.is_made {
            writer.lists = vec![["q", "q + 8"]];
        }
        if matches!(writer.lock, Lock::Mutex) && writer.random.below(3) == 0 {
            writer.lists.push(if writer.is_made { ["q + 4", "q + 16"] } else { ["&n", "&tail"] });
        }
        if writer.random.below(3) > 0 {
            let kinds = [Mutation::Leave, Mutation::Double, Mutation::Delay];
            writer.mutation = Some((writer.random.below(60) as usize, writer.random.pick(&kinds)));
        }
        let mut text =
            "program lp64\nobject head: 8\nobject tail: 8\nobject box: 8\nobject m: 4\nobject n: 4\n"
                .to_owned();
        let n_templates = 1 + writer.random.below(2);
        text.push_str(&writer.function("main() -> 32", |w| w.main(n_templates)));
        for n in 0..n_templates {
            text.push_str(&writer.function(&format!("f{n}(p: 64) -> 64"), Self::thread));
        }
        text::parse(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
    }

    fn function(&mut self, header: &str, body: impl FnOnce(&mut Self)) -> String {
        self.function_with("0", header, body)
    }

    /// A function with this result.
    fn function_with(&mut self, result: &str, header: &str, body: impl FnOnce(&mut Self)) -> String {
        (self.lines, self.next) = (String::new(), 0);
        body(self);
        if let Some(delayed) = self.delayed.take() {
            self.emit(&delayed);
        }
        format!(
            "function {header} {{\n  reg a, b, c, t, q, h0, h1, h2: 64\n  reg e, u, v: 32\n  reg m: 1\n{}  L{}: return {result}\n}}\n",
            self.lines, self.next
        )
    }

    fn main(&mut self, n_templates: u64) {
        POINTERS.iter().for_each(|pointer| self.emit(&format!("{pointer} = 0")));
        if self.is_made {
            self.emit("q = alloc(24)");
            for what in ["[q]:64 = 0", "[q + 8]:64 = 0", "[q + 16]:64 = 0"] {
                self.step(what);
            }
        }
        for _ in 0..self.random.below(2) {
            let [_, head] = self.list();
            self.push(head);
        }
        let n_threads = 1 + self.random.below(2);
        for n in 0..n_threads {
            let (template, arg) = (self.random.below(n_templates), self.pointer());
            let arg = if self.is_made { "q" } else { arg };
            if !self.is_made && self.random.below(4) == 0 {
                self.allocate(arg);
            }
            self.step(&format!("h{n} = create(&f{template}, {arg})"));
        }
        if self.random.below(4) == 0 {
            self.shared();
        }
        for n in 0..n_threads {
            self.step(&format!("t, e = join(h{n})"));
        }
        if self.random.below(4) == 0 {
            self.statement(1);
        }
        for [_, head] in self.lists.clone() {
            self.step(&format!("a = [{head}]:64"));
            self.step(&format!("[{head}]:64 = 0"));
            self.free_all("a");
        }
        if self.is_made {
            self.step("free(q)");
        }
    }

    fn thread(&mut self) {
        let (mine, other) = if self.is_made { ("q", "a") } else { ("a", "q") };
        self.emit(&format!("{mine} = p"));
        self.emit(&format!("{other} = 0"));
        self.emit("b = 0");
        self.emit("c = 0");
        match self.random.below(3) {
            0 => {
                self.emit("havoc m");
                self.branch("m", true, |w| {
                    w.shared();
                    w.emit("havoc m");
                });
            }
            _ => (0..1 + self.random.below(2)).for_each(|_| self.shared()),
        }
    }

    /// One of the lists.
    fn list(&mut self) -> [&'static str; 2] {
        self.random.pick(&self.lists.clone())
    }

    fn take(&mut self, m: &str) {
        match self.lock {
            Lock::Mutex => {
                self.step(&format!("#lock({m}) guard [{m}]:32!acq == 0; [{m}]:32!acq = trunc32(self())"));
            }
            Lock::Section => self.step("atomic_begin"),
        }
    }

    fn give(&mut self, m: &str) {
        match self.lock {
            Lock::Mutex => self.step(&format!("#unlock({m}) [{m}]:32!rel = 0")),
            Lock::Section => self.step("atomic_end"),
        }
    }

    fn allocate(&mut self, x: &str) {
        self.step(&format!("{x} = alloc(16)"));
        self.step(&format!("[{x}]:64 = 1"));
        self.step(&format!("[{x} + 8]:64 = 0"));
    }

    fn push(&mut self, at: &str) {
        self.step(&format!("t = [{at}]:64"));
        self.emit("c = alloc(16)");
        self.step("[c]:64 = 1");
        self.step("[c + 8]:64 = t");
        self.step(&format!("[{at}]:64 = c"));
        self.emit("c = 0");
    }

    fn free_all(&mut self, x: &str) {
        self.branch(&format!("{x} != 0"), true, |w| {
            w.emit(&format!("t = {x}"));
            w.step(&format!("{x} = [{x} + 8]:64"));
            w.step("free(t)");
        });
    }

    /// A statement about a shared list.
    fn shared(&mut self) {
        let (x, [m, head]) = (self.pointer(), self.list());
        match self.random.below(if self.lists.len() > 1 { 10 } else { 9 }) {
            0 | 1 => {
                self.take(m);
                self.push(head);
                self.give(m);
            }
            2 | 3 => {
                self.pop(m, head);
                self.step("free(b)");
                self.step("b = 0");
            }
            4 => {
                self.take(m);
                self.step(&format!("{x} = [{head}]:64"));
                self.branch(&format!("{x} != 0"), true, |w| w.step(&format!("{x} = [{x} + 8]:64")));
                self.give(m);
            }
            5 => {
                self.take(m);
                self.step(&format!("{x} = [{head}]:64"));
                self.step(&format!("[{head}]:64 = 0"));
                self.give(m);
                self.free_all(x);
            }
            6 => {
                let text = format!(
                    "#trylock({m}) u = [{m}]:32!acq; [{m}]:32!acq = ite(u == 0, trunc32(self()), u); v = ite(u == 0, 0, 16)"
                );
                self.emit(&text);
                self.branch("v == 0", false, |w| {
                    w.push(head);
                    w.step(&format!("#unlock({m}) [{m}]:32!rel = 0"));
                });
            }
            7 => self.boxed(x, m),
            8 => self.statement(1),
            _ => self.moved(),
        }
    }

    fn pop(&mut self, m: &str, head: &str) {
        self.take(m);
        self.step(&format!("b = [{head}]:64"));
        self.branch("b != 0", false, |w| {
            w.step("t = [b + 8]:64");
            w.step(&format!("[{head}]:64 = t"));
        });
        self.give(m);
    }

    /// An access to the variable that is not protected at all.
    fn boxed(&mut self, x: &str, m: &str) {
        match self.random.below(3) {
            0 => self.step(&format!("[&box]:64 = {x}")),
            1 => self.step(&format!("{x} = [&box]:64")),
            _ => {
                self.take(m);
                self.step(&format!("{x} = [&box]:64"));
                self.step("[&box]:64 = 0");
                self.give(m);
                self.step(&format!("free({x})"));
                self.step(&format!("{x} = 0"));
            }
        }
    }

    /// An object goes from one list to another, with both locks held or with one after the other.
    fn moved(&mut self) {
        let ([from, first], [to, second]) = (self.list(), self.list());
        let nested = from != to && self.random.below(2) == 0;
        if nested {
            self.take(to);
        }
        self.pop(from, first);
        self.branch("b != 0", false, |w| {
            if !nested {
                w.take(to);
            }
            w.step(&format!("t = [{second}]:64"));
            w.step("[b + 8]:64 = t");
            w.step(&format!("[{second}]:64 = b"));
            if !nested {
                w.give(to);
            }
        });
        if nested {
            self.give(to);
        }
        self.step("b = 0");
    }

    /// A step, changed if it is the one to be.
    fn step(&mut self, what: &str) {
        let now = match &mut self.mutation {
            Some((0, kind)) => Some(*kind),
            Some((left, _)) => {
                *left -= 1;
                None
            }
            None => None,
        };
        if now.is_some() {
            self.mutation = None;
        }
        let delayed = self.delayed.take();
        match now {
            None => self.emit(what),
            Some(Mutation::Leave) => {}
            Some(Mutation::Double) => (0..2).for_each(|_| self.emit(what)),
            Some(Mutation::Delay) => self.delayed = Some(what.to_owned()),
        }
        if let Some(delayed) = delayed {
            self.emit(&delayed);
        }
    }

    fn pointer(&mut self) -> &'static str {
        self.random.pick(&POINTERS)
    }

    fn emit(&mut self, what: &str) {
        writeln!(self.lines, "  L{}: {what} -> L{}", self.next, self.next + 1).unwrap();
        self.next += 1;
    }

    /// A branch with the given body, or a loop.
    fn branch(&mut self, cond: &str, is_loop: bool, body: impl FnOnce(&mut Self)) {
        let head = self.next;
        self.next += 1;
        let outside = std::mem::take(&mut self.lines);
        body(self);
        let inner = std::mem::replace(&mut self.lines, outside);
        let back = self.next;
        self.next += 1;
        writeln!(self.lines, "  L{head}: if {cond} then L{} else L{}", head + 1, self.next).unwrap();
        self.lines.push_str(&inner);
        let target = if is_loop { head } else { self.next };
        writeln!(self.lines, "  L{back}: t = 0 -> L{target}").unwrap();
    }

    fn statement(&mut self, depth: u32) {
        let (x, y) = (self.pointer(), self.pointer());
        match self.random.below(if depth == 0 { 7 } else { 10 }) {
            0 | 1 => {
                self.step("t = alloc(16)");
                self.step("[t]:64 = 1");
                self.step(&format!("[t + 8]:64 = {y}"));
                self.step(&format!("{x} = t"));
            }
            2 => self.branch(&format!("{y} != 0"), false, |w| w.step(&format!("{x} = [{y} + 8]:64"))),
            3 => self.branch(&format!("{y} != 0"), false, |w| w.step(&format!("[{y} + 8]:64 = {x}"))),
            4 => {
                self.step(&format!("free({x})"));
                if self.random.below(3) > 0 {
                    self.step(&format!("{x} = 0"));
                }
            }
            5 => self.step(&format!("{x} = {y}")),
            6 if self.random.below(4) == 0 => self.step(&format!("{x} = [{y} + 8]:64")),
            6 => self.step(&format!("{x} = 0")),
            7 => self.branch(&format!("{x} != 0"), true, |w| {
                w.step(&format!("t = {x}"));
                w.step(&format!("{x} = [{x} + 8]:64"));
                w.step("free(t)");
            }),
            8 => {
                self.step("havoc m");
                self.branch("m", false, |w| w.statement(depth - 1));
            }
            _ => {
                self.step("havoc m");
                self.branch("m", true, |w| {
                    w.statement(depth - 1);
                    w.step("havoc m");
                });
            }
        }
    }
}

/// How many proofs about random programs exploration confirms.
fn confirmed(programs: impl Iterator<Item = Program>, properties: &[Property], max_states: usize) -> usize {
    let mut proved = 0;
    for program in programs {
        for &property in properties {
            let task =
                Task::new(&program, property, &Budget::new(Some(std::time::Duration::from_secs(5)), None));
            let Outcome::Safe(proof) = shape::Options::default().run(&task, &mut Stats::default()) else {
                continue;
            };
            assert_eq!(
                certify::check_proof(&program, property, &proof, &Budget::unlimited()),
                Ok(()),
                "{program}"
            );
            proved += 1;
            let options = explore::Options { max_states, ..explore::Options::default() };
            let explored = options.run(&task, &mut Stats::default());
            assert!(!matches!(explored, Outcome::Unsafe(_)), "{property} is violated in {program}");
        }
    }
    proved
}

#[test]
fn what_is_proved_is_not_violated() {
    let proved = confirmed(seeds(400).map(Writer::program), &PROPERTIES, 3_000);
    assert!(proved > 50, "many programs should be right: {proved}");
}

#[test]
fn what_is_proved_of_threads_is_not_violated() {
    let proved = confirmed(seeds(200).map(Writer::threads), &ALL, 5_000);
    assert!(proved > 50, "many programs should be right: {proved}");
}

#[test]
fn what_is_proved_of_threads_without_locks_is_not_violated() {
    let proved = confirmed(seeds(60).map(Writer::handed), &ALL, 1_000);
    assert!(proved > 50, "many programs should be right: {proved}");
}

#[test]
fn what_is_proved_of_trees_is_not_violated() {
    let proved = confirmed(seeds(60).map(Writer::trees), &PROPERTIES, 5_000);
    assert!(proved > 20, "many programs should be right: {proved}");
}
