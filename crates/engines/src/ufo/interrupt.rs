//! What ends an attempt of the search before it has an answer.
//!
//! UFO makes several attempts on a program, with and without trace partitions ([`super::Ufo::run`]). An attempt that is given up is followed by the next one;
//! everything else that ends it ends the whole search. [`Inconclusive`] is what users are told, and says nothing about attempts: so the two have
//! different types, and only the last attempt's [`Interrupt::AttemptGivenUp`] becomes an answer.

use base::Inconclusive;
use std::fmt;

/// What ends an attempt before it has an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Interrupt {
    /// The attempt's share of effort is spent, or a query on which it depends has no answer. Another attempt may succeed.
    AttemptGivenUp,
    /// There is no answer, and no other attempt would have one.
    Inconclusive(Inconclusive),
}

impl From<Inconclusive> for Interrupt {
    fn from(why: Inconclusive) -> Self {
        Interrupt::Inconclusive(why)
    }
}

impl From<Interrupt> for Inconclusive {
    /// What users are told if no attempt is left.
    fn from(interrupt: Interrupt) -> Self {
        match interrupt {
            Interrupt::AttemptGivenUp => Inconclusive::SolverGaveUp,
            Interrupt::Inconclusive(why) => why,
        }
    }
}

impl fmt::Display for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Interrupt::AttemptGivenUp => write!(f, "this attempt is given up"),
            Interrupt::Inconclusive(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for Interrupt {}
