//! What statements there are, and how often.

use super::{Generated, Size, Statement, Thread};
use base::Random;
use base::convert::index;

/// Chooses.
pub struct Grammar {
    random: Random,
    size: Size,
    /// True if statements are of `main`.
    in_main: bool,
}

fn simple(text: impl Into<String>) -> Statement {
    Statement::Simple(text.into())
}

/// A statement around one body.
fn around(before: impl Into<String>, body: Vec<Statement>, after: &str) -> Statement {
    Statement::Nested { before: before.into(), bodies: vec![(body, after.to_owned())] }
}

impl Grammar {
    /// For the program of a seed.
    pub fn new(seed: u64, size: Size) -> Self {
        Self { random: Random(seed), size, in_main: false }
    }

    /// A whole program.
    pub fn program(&mut self) -> Generated {
        if self.size.threads == 0 {
            return self.sequential();
        }
        let n_threads = 1 + index(self.random.below(self.size.threads));
        let mut threads: Vec<Thread> = (0..n_threads).map(|_| self.thread()).collect();
        // The last thread may be started by the first one instead of by main.
        let nested = n_threads > 1 && self.random.one_in(6);
        let from_main = if nested { n_threads - 1 } else { n_threads };
        let twice = n_threads == 1 && self.random.one_in(3);
        if nested {
            let create = self.create(n_threads - 1, false);
            let at = self.random.index(threads[0].body.len() + 1);
            threads[0].body.insert(at, create);
        }
        self.in_main = true;
        let mut main = Vec::new();
        for thread in 0..from_main {
            if self.random.one_in(6) {
                main.push(self.statement(self.size.depth));
            }
            main.push(self.create(thread, twice));
        }
        main.extend(self.body(self.size.statements - 1));
        if self.random.below(2) == 0 {
            main.extend((0..from_main).map(|thread| self.join(thread, twice)));
            main.push(self.check());
        } else if self.random.one_in(3) {
            main.push(self.join(0, twice));
            main.push(self.statement(self.size.depth));
        }
        Generated { threads, main }
    }

    /// A program of `main` alone, which does as much as several threads would.
    fn sequential(&mut self) -> Generated {
        self.in_main = true;
        let mut main = self.body(2 * self.size.statements);
        main.push(self.check());
        Generated { threads: Vec::new(), main }
    }

    fn thread(&mut self) -> Thread {
        let body = self.body(self.size.statements);
        let result = self.random.pick(&["0", "0", "0", "(void *)(long)t"]).to_owned();
        Thread { body, result }
    }

    fn create(&mut self, thread: usize, twice: bool) -> Statement {
        let arg = match self.random.below(if self.in_main { 5 } else { 4 }) {
            0 if twice => "&a[i]".to_owned(),
            4 => "&u".to_owned(),
            _ => self.pointer(),
        };
        Statement::Create { thread, twice, arg }
    }

    fn join(&mut self, thread: usize, twice: bool) -> Statement {
        Statement::Join { thread, twice, result: self.random.one_in(4) }
    }

    fn body(&mut self, most: u64) -> Vec<Statement> {
        let n = 1 + self.random.below(most);
        (0..n).map(|_| self.statement(self.size.depth)).collect()
    }

    // ---- expressions ----------------------------------------------------------------------------------------

    fn index(&mut self) -> &'static str {
        self.random.pick(&["0", "1", "t & 1", "t & 1", "u & 1", "x & 1", "y & 1"])
    }

    /// Something that has a value and can get one.
    fn place(&mut self) -> String {
        let index = self.index();
        match self.random.below(24) {
            0..=7 => self.random.pick(&["x", "y", "z"]).to_owned(),
            8..=10 => self.random.pick(&["t", "u"]).to_owned(),
            11..=13 => format!("a[{index}]"),
            14 => self.random.pick(&["s.f", "s.g"]).to_owned(),
            15 => format!("ss[{index}].{}", self.random.pick(&["f", "g"])),
            16 => "*p".to_owned(),
            17..=18 => "*q".to_owned(),
            19 => self.random.pick(&["r->f", "r->g"]).to_owned(),
            20 => "local".to_owned(),
            21 => "b".to_owned(),
            22 => "v".to_owned(),
            _ => match self.random.below(3) {
                0 => "both.whole".to_owned(),
                _ => format!("both.part[{index}]"),
            },
        }
    }

    /// The address of an `int` that lives as long as the program.
    fn pointer(&mut self) -> String {
        let index = self.index();
        match self.random.below(8) {
            0..=2 => self.random.pick(&["&x", "&y", "&z"]).to_owned(),
            3 => format!("&a[{index}]"),
            4 => self.random.pick(&["&s.f", "&s.g"]).to_owned(),
            5 => format!("&ss[{index}].g"),
            6 => "p".to_owned(),
            _ => format!("({} ? &x : &a[{index}])", self.condition()),
        }
    }

    fn value(&mut self) -> String {
        let place = self.place();
        match self.random.below(12) {
            0..=2 => self.random.below(3).to_string(),
            3 => format!("{place} + 1"),
            4 => format!("{place} - 1"),
            5 => format!("{place} ^ {}", self.place()),
            6 => format!("{place} ? 2 : {}", self.place()),
            7 => match self.random.below(3) {
                0 => format!("__atomic_load_n({}, 5)", self.pointer()),
                1 => format!("__atomic_fetch_add({}, 1, 5)", self.pointer()),
                _ => format!("get({})", self.pointer()),
            },
            _ => place,
        }
    }

    fn condition(&mut self) -> String {
        let place = self.place();
        match self.random.below(8) {
            0 => format!("!{place}"),
            1 => format!("{place} == {}", self.place()),
            2 => format!("{place} != {}", self.place()),
            3 => format!("{place} && {} != 2", self.place()),
            4 => format!("{place} == 0 || {} == 1", self.place()),
            _ => format!("{place} {} {}", self.random.pick(&["==", "!=", "<", "<="]), self.random.below(3)),
        }
    }

    /// What should be true, and often is.
    fn check(&mut self) -> Statement {
        let place = self.place();
        simple(match self.random.below(6) {
            0 => format!("check({});", self.condition()),
            1 => format!("check({place} != {});", 1 + self.random.below(3)),
            2 => format!("check({place} <= {});", 1 + self.random.below(3)),
            3 => format!("check({place} >= 0);"),
            4 => format!("check({place} != 1 || {} < 2);", self.place()),
            _ => format!("check({place} == {place});"),
        })
    }

    // ---- statements -----------------------------------------------------------------------------------------

    fn statement(&mut self, depth: u32) -> Statement {
        match self.random.below(if depth == 0 { 20 } else { 32 }) {
            0..=5 => simple(format!("{} = {};", self.place(), self.value())),
            6 => simple(format!("{}++;", self.place())),
            7 => simple(format!("{} += {};", self.place(), self.value())),
            8..=10 => self.check(),
            11 => simple(format!("__VERIFIER_assume({});", self.condition())),
            12..=13 => simple(format!("{} = __VERIFIER_nondet_bool();", self.random.pick(&["t", "u", "x"]))),
            14..=15 => self.pointers(),
            16 => self.call(),
            17 => self.atomic(),
            18 => simple(format!("pthread_cond_{}(&c);", self.random.pick(&["signal", "broadcast"]))),
            19 => simple(format!("*{} = {};", self.random.pick(&["p", "q"]), self.value())),
            20..=21 => around(format!("if ({}) {{", self.condition()), self.inner(depth), "}"),
            22 => {
                let before = format!("if ({}) {{", self.condition());
                let (yes, no) = (self.inner(depth), self.inner(depth));
                Statement::Nested { before, bodies: vec![(yes, "} else {".into()), (no, "}".into())] }
            }
            23..=25 => self.locked(depth),
            26..=27 => {
                let body = vec![self.statement(depth - 1), self.statement(0)];
                around("__VERIFIER_atomic_begin();", body, "__VERIFIER_atomic_end();")
            }
            28..=29 => around("for (int i = 0; i < 2; i++) {", self.inner(depth), "}"),
            30 => around(format!("while ({}) {{", self.condition()), self.inner(depth), "}"),
            _ => self.waiting(depth),
        }
    }

    fn inner(&mut self, depth: u32) -> Vec<Statement> {
        let n = 1 + self.random.below(2);
        (0..n).map(|_| self.statement(depth - 1)).collect()
    }

    fn pointers(&mut self) -> Statement {
        let pointer = self.pointer();
        simple(match self.random.below(6) {
            0 => format!("p = {pointer};"),
            1 => format!("{{ int *h = malloc(sizeof *h); *h = {}; p = h; }}", self.value()),
            2 => "q = &u;".to_owned(),
            3 => format!("r = &ss[{}];", self.index()),
            4 => "s = *r;".to_owned(),
            _ => format!("q = {pointer};"),
        })
    }

    fn call(&mut self) -> Statement {
        let pointer = self.pointer();
        simple(match self.random.below(3) {
            0 => format!("set({pointer}, {});", self.value()),
            1 => format!("add({}, {pointer});", self.lock()),
            _ => format!("__VERIFIER_atomic_exchange({pointer}, {});", self.pointer()),
        })
    }

    fn atomic(&mut self) -> Statement {
        let pointer = self.pointer();
        simple(match self.random.below(5) {
            0 => format!("__atomic_store_n({pointer}, {}, 5);", self.value()),
            1 => format!("__sync_fetch_and_add({pointer}, 1);"),
            2 => format!("t = __sync_bool_compare_and_swap({pointer}, {}, 1);", self.random.below(2)),
            3 => format!("t = __atomic_exchange_n({pointer}, 2, 5);"),
            _ => "v += 1;".to_owned(),
        })
    }

    fn lock(&mut self) -> &'static str {
        self.random.pick(&["&m", "&m", "&n", "(t ? &m : &n)"])
    }

    /// What the lock is must not change while it is held, hence the pointer.
    fn locked(&mut self, depth: u32) -> Statement {
        let lock = self.lock();
        let body = self.inner(depth);
        if self.random.one_in(4) {
            let before = format!("{{ pthread_mutex_t *k = {lock}; if (!pthread_mutex_trylock(k)) {{");
            return around(before, body, "pthread_mutex_unlock(k); } }");
        }
        let before = format!("{{ pthread_mutex_t *k = {lock}; pthread_mutex_lock(k);");
        around(before, body, "pthread_mutex_unlock(k); }")
    }

    fn waiting(&mut self, depth: u32) -> Statement {
        let word = self.random.pick(&["while", "if"]);
        let wait =
            format!("pthread_mutex_lock(&m); {word} ({}) pthread_cond_wait(&c, &m);", self.condition());
        around(wait, self.inner(depth), "pthread_mutex_unlock(&m);")
    }
}
