//! Why there is no answer: what users are told, and what they could try.
//!
//! This type leaves the engines. What an engine signals to itself (restart, give up this attempt) has a type of its own there.

use std::fmt;

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub enum Inconclusive {
    /// The user interrupted.
    Cancelled,
    /// The time limit passed.
    OutOfTime,
    /// The memory limit passed.
    OutOfMemory,
    /// A solver returned no answer to a query that matters.
    SolverGaveUp,
    /// A construct that has no model is reachable; the text names it and its place.
    Unsupported(String),
    /// An execution whose meaning C leaves undefined is reachable; the text names it and its place.
    Undefined(String),
    /// A bound (of threads, recursion, inputs tried, …) was reached, so that not everything was seen.
    Bound(String),
    /// The search is complete, but this method has neither a proof nor a violation; the text says what is missing.
    NoProof(String),
    /// An answer failed its independent check, or two of our semantics disagree: a bug of ours.
    CheckFailed(String),
}

impl Inconclusive {
    /// What the user could try; `None` if nothing is likely to help.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Inconclusive::OutOfTime => Some("more time (--timeout), or another engine (--engine)"),
            Inconclusive::OutOfMemory => Some("more memory (--memory-limit), or another engine (--engine)"),
            Inconclusive::SolverGaveUp | Inconclusive::NoProof(_) | Inconclusive::Bound(_) => {
                Some("another engine (--engine), or the default, which tries all of them")
            }
            Inconclusive::Unsupported(_) => Some("a stub in C for what has no model"),
            Inconclusive::CheckFailed(_) => {
                Some("this is a bug of threadproof: please report it with the program")
            }
            Inconclusive::Cancelled | Inconclusive::Undefined(_) => None,
        }
    }
}

impl fmt::Display for Inconclusive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Inconclusive::Cancelled => write!(f, "interrupted"),
            Inconclusive::OutOfTime => write!(f, "timeout"),
            Inconclusive::OutOfMemory => write!(f, "out of memory"),
            Inconclusive::SolverGaveUp => write!(f, "solver gave up"),
            Inconclusive::Unsupported(what) => write!(f, "unsupported: {what}"),
            Inconclusive::Undefined(what) => write!(f, "undefined behaviour: {what}"),
            Inconclusive::Bound(what) => write!(f, "bound: {what}"),
            Inconclusive::NoProof(what) => write!(f, "no proof: {what}"),
            Inconclusive::CheckFailed(what) => write!(f, "check failed: {what}"),
        }
    }
}

impl std::error::Error for Inconclusive {}
