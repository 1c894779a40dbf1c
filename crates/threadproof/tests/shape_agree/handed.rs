//! Programs without locks: each thread has what it was handed when it was created, frees it, and often no thread waits for it.

use crate::{Mutation, Writer};
use base::Random;
use program::{Program, text};

impl Writer {
    /// A program whose threads are handed lists.
    pub(super) fn handed(seed: u64) -> Program {
        let mut writer = Self::new(seed);
        if writer.random.below(3) > 0 {
            let kinds = [Mutation::Leave, Mutation::Double, Mutation::Delay];
            writer.mutation = Some((writer.random.below(30) as usize, writer.random.pick(&kinds)));
        }
        let main = writer.function("main() -> 32", Self::main_that_hands_over);
        let ends = [("return 0\n}", "thread_exit 0\n}"), ("return 0\n}", "return 0\n}")];
        let (from, to) = writer.random.pick(&ends);
        let thread = writer.function("f(p: 64) -> 64", Self::thread_that_was_handed);
        let text = format!("program lp64\nobject box: 8\n{}{thread}", main.replace(from, to));
        text::parse(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
    }

    fn main_that_hands_over(&mut self) {
        for pointer in ["a", "b", "c"] {
            self.emit(&format!("{pointer} = 0"));
        }
        self.step("[&box]:64 = 1");
        if self.random.below(3) == 0 {
            self.emit("havoc m");
            self.branch("m", true, |w| {
                w.hand_over();
                w.emit("havoc m");
            });
        } else {
            (0..1 + self.random.below(2)).for_each(|_| self.hand_over());
        }
        if self.random.below(4) == 0 {
            self.statement(1);
        }
    }

    fn hand_over(&mut self) {
        let (x, waits) = (self.pointer(), self.random.below(3));
        for _ in 0..1 + self.random.below(2) {
            self.step("t = alloc(16)");
            self.step("[t]:64 = 1");
            self.step(&format!("[t + 8]:64 = {x}"));
            self.step(&format!("{x} = t"));
        }
        self.step(&format!("h0 = create(&f, {x})"));
        self.step(&format!("{x} = 0"));
        match waits {
            0 => self.step("e = detach(h0)"),
            1 => self.step("t, e = join(h0)"),
            _ => {}
        }
        match self.random.below(8) {
            0 => self.step("t = [&box]:64"),
            1 => self.step(&format!("[&box]:64 = {x}")),
            2 => self.statement(1),
            _ => {}
        }
    }

    fn thread_that_was_handed(&mut self) {
        for what in ["a = p", "b = 0", "c = 0"] {
            self.emit(what);
        }
        match Random::below(&mut self.random, 5) {
            0 => self.step("t = [&box]:64"),
            1 => self.step("[&box]:64 = a"),
            2 => self.statement(1),
            _ => {}
        }
        self.free_all("a");
    }
}
