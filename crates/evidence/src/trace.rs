//! Executions that violate a property.

use crate::{FormulaId, Formulas};
use program::Property;
use program::interp::{Identities, ThreadId};
pub use program::trace::TraceStep;
use semantics::GlobalLocation;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// An execution that violates a property.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trace {
    /// The property.
    pub property: Property,
    /// The steps, from the initial state on. For a deadlock the last step leads into it. For a data race the last *two* steps
    /// are the two accesses, of two threads, side by side: both are about to be taken in the state before them, and neither is.
    /// A non-terminating execution has a lasso loop ([`Trace::cycle`]), or its last step leaves all threads blocked. Otherwise the last step
    /// is the violation.
    pub steps: Vec<TraceStep>,
    /// For termination: how it continues for ever; `None` if all threads are blocked in the end.
    pub cycle: Option<Cycle>,
}

/// How an execution continues for ever.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Cycle {
    /// The steps from this one on lead back to the state before them.
    Repeats {
        /// The number of steps before.
        from: usize,
    },
    /// The steps from some point on are iterations of a lasso loop that can be repeated for ever, with other values each time.
    Recurs(Box<Recurrence>),
}

/// A set of states that an iteration of a lasso loop does not leave.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recurrence {
    /// The number of steps before the first iteration.
    pub from: usize,
    /// The formula of the set.
    pub formulas: Formulas,
    /// What the numbers in the location stand for.
    pub identities: Identities,
    /// Where an iteration begins and ends.
    pub location: Arc<GlobalLocation>,
    /// The thread of each action, and the number of its successor that is taken.
    pub outcomes: Vec<(ThreadId, usize)>,
    /// The values of all inputs of an iteration, in order.
    pub inputs: Vec<u128>,
    /// The set, over state variables.
    pub set: FormulaId,
}

impl fmt::Debug for Recurrence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a set that {} actions do not leave", self.outcomes.len())
    }
}
