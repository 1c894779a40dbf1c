//! Writing to stdout and stderr, and the ways in which the process can end.
//!
//! A reader that goes away (`threadproof show … | head`) is no error: what it does not want to read is dropped, and
//! the exit code still tells the verdict.

use report::{Diagnostic, Look, snippet};
use std::io::Write;

/// The exit codes of the contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// The property holds; all went well.
    Fine = 0,
    /// The property is violated; a benchmark answer is wrong.
    Violated = 1,
    /// The command line or the program is wrong.
    BadInput = 2,
    /// There is no answer.
    Unknown = 3,
    /// A bug of ours.
    Internal = 101,
    /// Ctrl-C.
    Interrupted = 130,
}

/// Writes `text` to stdout.
pub fn out(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes `text` to stderr.
pub fn err(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Shows diagnostics on stderr.
pub fn diagnostics(diagnostics: &[Diagnostic]) {
    let look = Look::of_stderr();
    for diagnostic in diagnostics {
        err(&snippet::render(diagnostic, look));
    }
}

/// Ends the process now, whatever other threads do.
pub fn leave(exit: Exit) -> ! {
    std::process::exit(exit as i32)
}
