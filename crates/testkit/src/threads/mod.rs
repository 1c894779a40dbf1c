//! Random small threaded C programs, and how to make one smaller.
//!
//! A program is a tree of statements ([`Statement`]), not text, so that [`shrink()`] can take parts of it away. The statements are
//! chosen in [`grammar`]; [`prelude`] has the declarations, of which a program gets those that it mentions.
//!
//! # What occurs
//! Globals, arrays with a computed index, structures and arrays of them, a union, narrow and thread-local variables; pointers to
//! all of these, in globals, locals and parameters; memory from `malloc`; mutexes, also chosen by a pointer, and `trylock`;
//! condition variables; GCC's and C11's atomic operations; atomic sections; assumptions and inputs; loops with and
//! without a bound; threads that main or other threads create, once or in a loop, with an argument, and join, with a result.
//!
//! # What does not
//! Undefined behaviour: an index is masked, a pointer is always valid, and one to a local variable never outlives it. (The
//! address of a local variable of `main` may be passed on: when `main` returns, the program ends.) Inputs are truth values, so
//! that exploration can try them all.

mod grammar;
mod prelude;
mod shrink;

pub use shrink::shrink;

use base::convert::low32;
use grammar::Grammar;
use std::fmt::Write;

/// How large programs are.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// The most threads beside `main`; with none a program is sequential.
    pub threads: u64,
    /// The most statements of a thread.
    pub statements: u64,
    /// How deep statements are nested.
    pub depth: u32,
}

impl Size {
    /// Two or three threads of up to five statements, as exploration can still decide most of.
    pub const SMALL: Size = Size { threads: 2, statements: 4, depth: 1 };

    /// The size that a number stands for: 1 is [`SMALL`](Self::SMALL), each further one adds statements, each second one depth; 0 has half as
    /// many, for long runs.
    pub fn of(number: u64) -> Size {
        if number == 0 {
            return Size { statements: Self::SMALL.statements / 2, ..Self::SMALL };
        }
        let more = number.saturating_sub(1);
        Size { threads: 2, statements: 4 + more, depth: 1 + low32(more / 2) }
    }
}

/// A program that can be made smaller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// Start routines and what they do.
    pub threads: Vec<Thread>,
    /// What `main` does.
    pub main: Vec<Statement>,
}

/// A start routine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// What it does.
    pub body: Vec<Statement>,
    /// What it returns.
    pub result: String,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// A line of C.
    Simple(String),
    /// Statements inside others.
    Nested {
        /// The text before the first body.
        before: String,
        /// Bodies, each with the text that follows it.
        bodies: Vec<(Vec<Statement>, String)>,
    },
    /// Starts a thread, or two in a loop.
    Create {
        /// The start routine's number.
        thread: usize,
        /// True if there are two.
        twice: bool,
        /// The argument.
        arg: String,
    },
    /// Waits for the end of a thread, or of both.
    Join {
        /// The start routine's number.
        thread: usize,
        /// True if there are two.
        twice: bool,
        /// True if the result of the first one is read.
        result: bool,
    },
}

/// The program of a seed.
pub fn generate(seed: u64, size: Size) -> Generated {
    Grammar::new(seed, size).program()
}

impl Generated {
    /// As C text that needs no preprocessor.
    pub fn text(&self) -> String {
        self.with_prelude(prelude::OWN)
    }

    /// As a C file that a compiler takes, for keeping.
    pub fn file(&self, comment: &str) -> String {
        format!("{comment}\n{}", self.with_prelude(prelude::INCLUDES))
    }

    fn with_prelude(&self, head: &str) -> String {
        let mut text = String::new();
        for (n, thread) in self.threads.iter().enumerate() {
            let (locals, body) = function_body(&thread.body, "arg", &thread.result);
            let result = &thread.result;
            let _ = write!(text, "\nvoid *thread{n}(void *arg) {{\n{locals}{body}    return {result};\n}}\n");
        }
        let (locals, body) = function_body(&self.main, "&x", "");
        let _ = write!(text, "\nint main(void) {{\n{locals}{body}    return 0;\n}}\n");
        format!("{head}{}{text}", prelude::declarations_for(&text))
    }
}

/// The declarations of locals that are mentioned, and the statements.
fn function_body(body: &[Statement], argument: &str, result: &str) -> (String, String) {
    let mut text = String::new();
    for statement in body {
        statement.write(&mut text, 1);
    }
    let everything = format!("{text}{result}");
    let mut locals = String::new();
    for (name, declaration) in [
        ("t", "int t = 0;".to_owned()),
        ("u", "int u = 0;".to_owned()),
        ("q", format!("int *q = {argument};")),
        ("r", "struct pair *r = &s;".to_owned()),
        ("res", "void *res;".to_owned()),
    ] {
        if prelude::mentions(&everything, name) {
            let _ = writeln!(locals, "    {declaration}");
        }
    }
    (locals, text)
}

impl Statement {
    fn write(&self, text: &mut String, depth: usize) {
        let indent = "    ".repeat(depth);
        match self {
            Statement::Simple(line) => {
                let _ = writeln!(text, "{indent}{line}");
            }
            Statement::Nested { before, bodies } => {
                let _ = writeln!(text, "{indent}{before}");
                for (body, after) in bodies {
                    for statement in body {
                        statement.write(text, depth + 1);
                    }
                    let _ = writeln!(text, "{indent}{after}");
                }
            }
            Statement::Create { thread, twice: false, arg } => {
                let _ = writeln!(text, "{indent}pthread_create(&id{thread}[0], 0, thread{thread}, {arg});");
            }
            Statement::Create { thread, twice: true, arg } => {
                let _ = writeln!(
                    text,
                    "{indent}for (int i = 0; i < 2; i++) pthread_create(&id{thread}[i], 0, thread{thread}, {arg});"
                );
            }
            Statement::Join { thread, twice, result } => {
                let (to, after) = if *result { ("&res", " u = (int)(long)res;") } else { ("0", "") };
                let _ = writeln!(text, "{indent}pthread_join(id{thread}[0], {to});{after}");
                if *twice {
                    let _ = writeln!(text, "{indent}pthread_join(id{thread}[1], 0);");
                }
            }
        }
    }
}
