//! Proves memory safety without any search, where every access is evidently valid, and the absence of deadlocks, where nothing waits.
//!
//! The analysis is [`semantics::analysis::evident`]; this is the engine around it. It never finds a violation: where something is in doubt,
//! there is no answer, and the search has to tell.
//!
//! # Direction of error
//! None: `certify` makes the same analysis again.

use crate::task::{Engine, Task};
use base::{Inconclusive, Stats};
use evidence::{Outcome, Proof};
use program::interp::span_name;
use program::{Action, Property};
use semantics::analysis::evident::first_doubt;

/// There is nothing to choose.
#[derive(Clone, Copy, Debug)]
pub struct Options;

impl Engine for Options {
    fn name(&self) -> &'static str {
        "evident"
    }

    fn supports(&self, property: Property) -> bool {
        property.is_about_validity() || property == Property::NoDeadlock
    }

    fn search(&self, task: &Task<'_>, _stats: &mut Stats) -> Outcome {
        let program = task.program();
        let mut locations = program.functions.iter().flat_map(|f| f.locations.iter());
        let what = locations.find_map(|location| match &location.action {
            Action::Unsupported(what) => Some(format!("{what} at {}", span_name(program, location.span))),
            _ => None,
        });
        if let Some(what) = what {
            return Outcome::Unknown(Inconclusive::NoProof(format!("the program may reach {what}")));
        }
        match first_doubt(&task.analysis, task.property) {
            None => Outcome::Safe(Proof::Evident),
            Some(doubt) => {
                let span = program.functions[doubt.func].locations[doubt.loc].span;
                let what = format!("{} is not excluded at {}", doubt.what, span_name(program, span));
                Outcome::Unknown(Inconclusive::NoProof(what))
            }
        }
    }
}
