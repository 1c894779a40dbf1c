//! Functions without a model, and the environment that they are part of.
//!
//! A function whose only action is [`Action::Unsupported`] is *opaque*: it stands for code that is not there. With an environment
//! ([`PointsTo::with_environment`]) it may read and write everything that its arguments lead to, in any number of steps, put pointers to all of
//! that anywhere into it, call the functions among it with such pointers, and return such a pointer or one to memory of its own.
//!
//! # Direction of error
//! Three things are taken for granted, and printed with each answer that rests on this: an opaque function keeps no pointer for a later call, no
//! thread that the program does not create accesses the program's memory, and an input is not the address of an object of the program, unless
//! the call that gave it got a pointer to that object.

use super::PointsTo;
use crate::analysis::value::Site;
use program::{Action, FuncId, Program};
use std::collections::BTreeSet;

/// Returns true if a function consists of something that has no model.
pub fn is_opaque(program: &Program, func: FuncId) -> bool {
    let function = &program.functions[func];
    matches!(function.locations[function.entry].action, Action::Unsupported(_))
}

impl PointsTo {
    /// The objects that an opaque function may access, if the function is one and an environment was asked for.
    pub fn opaque_reach(&self, func: FuncId) -> Option<impl Iterator<Item = Site>> {
        let reached = self.reached.as_ref()?.get(&func)?;
        Some(reached.places.keys().copied())
    }

    /// All objects that opaque functions may access.
    pub fn opaque_sites(&self) -> BTreeSet<Site> {
        let reached = self.reached.iter().flat_map(|reached| reached.values());
        reached.flat_map(|value| value.places.keys().copied()).collect()
    }

    /// The functions that an opaque function may call, sorted.
    pub fn opaque_callees(&self, func: FuncId) -> Vec<FuncId> {
        let reached = self.reached.as_ref().and_then(|reached| reached.get(&func));
        reached.map(|value| value.functions.iter().copied().collect()).unwrap_or_default()
    }
}
