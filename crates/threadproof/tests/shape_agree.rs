//! Shape analysis by brute force: where it proves something about a random program with lists, exploration finds no violation, and the checker agrees.
//!
//! Programs are of the text form: three pointers, nodes of two words, inputs of one bit that decide branches and loops. Most accesses are guarded by a test for null, so
//! that some programs are right.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use base::{Budget, Random, Stats};
use engines::{Engine, Task, explore, shape};
use evidence::Outcome;
use program::{Program, Property, text};
use std::fmt::Write;
use testkit::settings::seeds;

const PROPERTIES: [Property; 3] = [Property::ValidDeref, Property::ValidMemsafety, Property::ValidMemcleanup];
const POINTERS: [&str; 3] = ["a", "b", "c"];

/// Writes a random program, one location for each line.
struct Writer {
    random: Random,
    lines: String,
    next: usize,
}

impl Writer {
    fn program(seed: u64) -> Program {
        let mut writer = Self { random: Random(seed), lines: String::new(), next: 0 };
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

    fn pointer(&mut self) -> &'static str {
        self.random.pick(&POINTERS)
    }

    fn step(&mut self, what: &str) {
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

#[test]
fn what_is_proved_is_not_violated() {
    let (mut proved, mut violated) = (0, 0);
    for seed in seeds(400) {
        let program = Writer::program(seed);
        for property in PROPERTIES {
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
            let options = explore::Options { max_states: 3_000, ..explore::Options::default() };
            let explored = options.run(&task, &mut Stats::default());
            violated += usize::from(matches!(explored, Outcome::Unsafe(_)));
            assert!(!matches!(explored, Outcome::Unsafe(_)), "{property} is violated in {program}");
        }
    }
    assert!(proved > 50 && violated == 0, "many programs should be right: {proved}");
}
