//! Random programs with trees.

use super::{Mutation, Writer};
use program::{Program, text};

impl Writer {
    pub(super) fn trees(seed: u64) -> Program {
        let mut writer = Self::new(seed);
        if writer.random.below(5) > 0 {
            let kinds = [Mutation::Leave, Mutation::Double, Mutation::Delay];
            writer.mutation = Some((writer.random.below(50) as usize, writer.random.pick(&kinds)));
        }
        let mut text = "program lp64\nobject root: 8\n".to_owned();
        text.push_str(&writer.function("main() -> 32", Self::main_of_tree));
        text.push_str(&writer.function_with("q", "insert(p: 64) -> 64", Self::insert));
        text.push_str(&writer.function_with("q", "walk(p: 64) -> 64", Self::walk));
        text.push_str(&writer.function("destroy(p: 64) -> 64", Self::destroy));
        text::parse(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
    }

    fn main_of_tree(&mut self) {
        let n_statements = 1 + self.random.below(3);
        for _ in 0..n_statements {
            match self.random.below(3) {
                0 => self.statement_of_tree(),
                _ => {
                    self.emit("havoc m");
                    let is_loop = self.random.below(2) == 0;
                    self.branch("m", is_loop, |w| {
                        w.statement_of_tree();
                        w.emit("havoc m");
                    });
                }
            }
        }
        match self.random.below(3) {
            0 => {
                self.step("a = [&root]:64");
                self.branch("a != 0", true, Self::rotate);
            }
            1 => {
                self.emit("q = [&root]:64");
                self.branch("q != 0", true, |w| {
                    w.remove();
                    w.emit("q = [&root]:64");
                });
            }
            _ => {
                self.step("a = [&root]:64");
                self.step("t = call destroy(a)");
            }
        }
    }

    fn node(&mut self, x: &str) {
        self.step(&format!("{x} = alloc(24)"));
        self.step(&format!("[{x}]:64 = 1"));
        self.step(&format!("[{x} + 8]:64 = 0"));
        self.step(&format!("[{x} + 16]:64 = 0"));
    }

    fn statement_of_tree(&mut self) {
        match self.random.below(6) {
            0 => {
                self.step("a = [&root]:64");
                self.step("a = call insert(a)");
                self.step("[&root]:64 = a");
            }
            1 | 2 => self.grow(),
            3 => {
                self.step("a = [&root]:64");
                self.step("b = call walk(a)");
                self.branch("b != 0", false, |w| w.prune());
            }
            4 => {
                self.emit("q = [&root]:64");
                self.branch("q != 0", false, Self::remove);
            }
            _ => {
                self.emit("a = [&root]:64");
                self.branch("a != 0", true, |w| {
                    w.emit("havoc m");
                    w.step("c = ite(m, [a + 8]:64, [a + 16]:64)");
                    w.step("a = c");
                });
            }
        }
    }

    /// A node below the node at `b` is freed, or looked at, with what is below it.
    fn prune(&mut self) {
        let at = self.random.pick(&["b + 8", "b + 16"]);
        self.step(&format!("c = [{at}]:64"));
        match self.random.below(3) {
            0 => {
                self.step("t = call destroy(c)");
                self.step(&format!("[{at}]:64 = 0"));
            }
            1 => self.step("[b]:64 = 2"),
            _ => self.branch("c == 0", false, |w| {
                w.node("c");
                w.step(&format!("[{at}]:64 = c"));
            }),
        }
    }

    /// A node is added where a loop finds a place for it.
    fn grow(&mut self) {
        self.node("b");
        self.emit("c = &root");
        self.step("q = [c]:64");
        self.branch("q != 0", true, |w| {
            w.emit("havoc m");
            w.step("c = ite(m, q + 8, q + 16)");
            w.step("q = [c]:64");
        });
        self.step("[c]:64 = b");
    }

    /// The node at the end of a way down is freed; `q` is the root.
    fn remove(&mut self) {
        self.step("c = &root");
        self.step("a = [q + 8]:64");
        self.branch("a != 0", true, |w| {
            w.step("c = q + 8");
            w.step("q = a");
            w.step("a = [q + 8]:64");
        });
        self.step("b = [q + 16]:64");
        self.step("[c]:64 = b");
        self.step("free(q)");
    }

    /// The tree at `a` is rotated, or loses its root.
    fn rotate(&mut self) {
        self.step("b = [a + 8]:64");
        self.branch("b != 0", false, |w| {
            w.step("c = [b + 16]:64");
            w.step("[a + 8]:64 = c");
            w.step("[b + 16]:64 = a");
            w.step("a = b");
            w.emit("q = 1");
        });
        self.branch("b == 0", false, |w| {
            w.step("c = [a + 16]:64");
            w.step("free(a)");
            w.step("a = c");
        });
    }

    fn insert(&mut self) {
        self.step("q = p");
        self.branch("p == 0", false, |w| w.node("q"));
        self.branch("p != 0", false, |w| {
            w.emit("havoc m");
            w.emit("c = ite(m, p + 8, p + 16)");
            w.step("a = [c]:64");
            w.step("a = call insert(a)");
            w.step("[c]:64 = a");
        });
    }

    fn walk(&mut self) {
        self.step("q = p");
        self.branch("p != 0", false, |w| {
            w.emit("havoc m");
            w.branch("m", false, |w| {
                let at = w.random.pick(&["p + 8", "p + 16"]);
                w.step(&format!("a = [{at}]:64"));
                w.step("q = call walk(a)");
            });
        });
    }

    fn destroy(&mut self) {
        self.branch("p != 0", false, |w| {
            w.step("a = [p + 8]:64");
            w.step("b = [p + 16]:64");
            w.step("t = call destroy(a)");
            w.step("t = call destroy(b)");
            w.step("free(p)");
        });
    }
}
