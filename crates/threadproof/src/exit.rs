//! The exit codes of the command line: a contract that scripts rely on.

/// How a process that ran threadproof ends.
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
