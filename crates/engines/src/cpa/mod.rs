//! Configurable program analysis over threads.
//!
//! After Beyer and Friedberger, *A light-weight approach for verifying multi-threaded programs with CPAchecker*, MEMICS 2016 ("the
//! paper"): the analysis of interleavings is a component of its own, beside any analysis of data. An abstract state is a pair
//!
//! ```text
//! control  ×  element            where every thread is  ×  what is known of the data
//! ```
//!
//! The first component is the *threading analysis*: [`semantics::encoding::GlobalLocation`] holds a call stack for each thread, who is in an
//! atomic section, and what was allocated. It knows nothing of the data beside it. The second is a [`Domain`]:
//! [`value`], [`interval`] or [`bdd`]. Locks, condition variables, barriers and semaphores are words of memory, so that
//! the data domain follows them like any other variable. There is no bound on clones of functions: locals are keyed by
//! thread and frame.
//!
//! # The algorithm
//!
//! ```text
//! reached = waitlist = { initial }
//! while some v is in the waitlist:                                   Search::reach
//!     for every edge e of every thread that can move at v:
//!         for every s in transfer(v, e, precision):                  Search::follow
//!             if e violates the property: is the path feasible?      refine.rs
//!                 yes: a counterexample
//!                 no:  the precision grows and we start again; if it cannot, the answer will be "unknown"
//!             s = s minus everything reached at this control         stop
//!             if nothing is left: next s
//!             if a waiting (or, with widening, any) w merges with s: w = merge(s, w)
//!             else: add s to reached and waitlist
//! if a violation could not be excluded, and something was widened: descend            narrow.rs
//! ```
//!
//! | operator | value | interval | bdd |
//! |---|---|---|---|
//! | transfer | constants; one-bit inputs split | ranges, signed and unsigned | sets of bit patterns, exact |
//! | merge | never | beyond a number of elements: join, then widen | always: union |
//! | stop | an older element knows no more | an older element is wider | set difference is empty |
//! | precision | tracked variables, from none | the same, and how late elements are merged | all variables |
//!
//! # The paper's optimisations
//! - **Partition** of the reached set by control: [`reached`]. Counted as `comparisons`.
//! - **Waitlist order**, `threads` being the paper's: states with fewer threads first.
//! - **Local steps** (`--por local`): runs of actions that others cannot notice are one edge ([`semantics::transition::edges`]); what is local is
//!   decided by points-to and escape analysis, not by syntax as in the paper.
//!
//! # Deviations
//! The paper's analysis stops with a warning at five threads, and identifies threads and locks by the text of an expression; here
//! both are values. An element is compared by *what it has not*, so that sets can be subtracted; the plain
//! `stop` is the special case in which all or nothing is left.
//!
//! # Deadlocks and data races
//! A state in which threads are left and all of them are blocked, or two are about to race, is one more edge that violates the property:
//! [`semantics::transition::monitor`]. Locksets are tried first where races are asked for: they need no search.
//!
//! # Direction of error
//! Elements may be too large, never too small: `Safe` is sound and hands over the reached set as an inductive invariant;
//! `Unsafe` needs a path that the solver can execute.

mod alive;
pub mod bdd;
pub mod domain;
mod edge_prefix_tree;
mod environment;
mod evaluate;
pub mod interval;
mod narrow;
mod proof;
pub mod reached;
mod refine;
mod search;
#[cfg(test)]
mod tests;
pub mod value;

pub use domain::{Domain, Precision};
pub use reached::Order;

use crate::task::{Engine, Task};
use base::Stats;
use bdd::BddDomain;
use evidence::{Outcome, Trace};
use interval::IntervalDomain;
use program::Property;
use search::Search;
use value::ValueDomain;

/// Abstract domains by name.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum DomainName {
    /// Explicit values: constants
    Value,
    /// Intervals of numbers
    Interval,
    /// Sets of bit patterns, as binary decision diagrams
    Bdd,
}

/// How to search.
#[derive(clap::Args, Clone, PartialEq, Eq, Debug)]
#[group(id = "cpa")]
pub struct Options {
    /// The abstract domain of the data
    #[arg(long, value_enum, default_value_t = DomainName::Value)]
    pub domain: DomainName,
    /// The order in which states are expanded
    #[arg(id = "waitlist", long = "waitlist", value_name = "ORDER", value_enum, default_value_t = Order::Threads)]
    pub order: Order,
    /// Compare only states of the same global location
    #[arg(long, value_name = "on|off", value_parser = crate::options::on_off(), action = clap::ArgAction::Set, default_value = "on", hide_possible_values = true)]
    pub partition: bool,
    /// True if local steps are taken together with the next visible one.
    #[arg(skip = true)]
    pub local: bool,
}

impl Options {
    /// The values of `--por`: whether local steps are taken together with the next visible one.
    pub const POR: [(&'static str, bool); 2] = [("none", false), ("local", true)];
}

impl Default for Options {
    fn default() -> Self {
        Self { domain: DomainName::Value, order: Order::Threads, partition: true, local: true }
    }
}

/// What a search ended with.
pub(crate) enum Found {
    /// Nothing bad is reachable.
    Complete,
    /// A violation.
    Violation(Trace),
}

impl Engine for Options {
    fn name(&self) -> &'static str {
        "cpa"
    }

    fn supports(&self, property: Property) -> bool {
        use Property::{NoDataRace, NoDeadlock, NoOverflow, UnreachCall};
        matches!(property, UnreachCall | NoOverflow | NoDeadlock | NoDataRace) || property.is_about_validity()
    }

    fn search(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome {
        if task.property == Property::NoDataRace
            && let proved @ Outcome::Safe(_) = crate::lockset::Options.search(task, stats)
        {
            return proved;
        }
        match self.domain {
            DomainName::Value => answer(task, self, ValueDomain::default(), Precision::default(), stats),
            DomainName::Bdd => answer(task, self, BddDomain::new(), Precision::everything(), stats),
            DomainName::Interval => {
                answer(task, self, IntervalDomain::default(), Precision::default(), stats)
            }
        }
    }
}

fn answer<D: Domain>(
    task: &Task<'_>,
    options: &Options,
    domain: D,
    precision: Precision,
    stats: &mut Stats,
) -> Outcome {
    let mut search = match Search::new(task, options, domain, precision) {
        Ok(search) => search,
        Err(stop) => return Outcome::Unknown(stop),
    };
    let found = search.main();
    search.report(stats);
    match found {
        Ok(Found::Complete) => Outcome::Safe(search.into_proof()),
        Ok(Found::Violation(trace)) => Outcome::Unsafe(trace),
        Err(stop) => Outcome::Unknown(stop),
    }
}
