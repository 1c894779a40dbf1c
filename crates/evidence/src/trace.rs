//! Executions that violate a property.

use logic::{Term, Terms};
use program::Property;
use program::interp::{Identities, ThreadId};
pub use program::trace::TraceStep;
use semantics::GlobalLocation;
use std::fmt;
use std::sync::Arc;

/// An execution that violates a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The property.
    pub property: Property,
    /// The steps, from the initial state on. For a deadlock the last step leads into it. For a data race the last *two* steps
    /// are the two accesses, of two threads, side by side: both are about to be taken in the state before them, and neither is.
    /// An execution that never ends goes round ([`Trace::cycle`]), or its last step leaves all threads blocked. Otherwise the last step
    /// is the violation.
    pub steps: Vec<TraceStep>,
    /// For termination: how it goes on for ever. Nothing if all threads are blocked in the end.
    pub cycle: Option<Cycle>,
}

/// How an execution goes on for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cycle {
    /// The steps from this one on lead back to the state before them.
    Repeats {
        /// The number of steps before.
        from: usize,
    },
    /// The steps from some point on are rounds of a loop that can be taken again and again, with other values each time.
    Recurs(Box<Recurrence>),
}

/// A set of states that a round does not leave.
#[derive(Clone)]
pub struct Recurrence {
    /// The number of steps before the first round.
    pub from: usize,
    /// The terms that the set is made of.
    pub terms: Arc<Terms>,
    /// What the numbers in the control stand for.
    pub identities: Identities,
    /// Where the round begins and ends.
    pub control: Arc<GlobalLocation>,
    /// Who takes each action, and which of its outcomes it has.
    pub outcomes: Vec<(ThreadId, usize)>,
    /// The values of everything that the round leaves open, in order.
    pub inputs: Vec<u128>,
    /// The set, over state variables.
    pub set: Term,
}

impl fmt::Debug for Recurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a set that {} actions do not leave", self.outcomes.len())
    }
}

impl PartialEq for Recurrence {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.terms, &other.terms) && self.set == other.set && self.from == other.from
    }
}

impl Eq for Recurrence {}
