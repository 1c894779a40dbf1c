//! Functions without a model, and the environment that they are part of.
//!
//! A function whose only action is [`Action::Unsupported`] is *opaque*: it stands for code that is not there. With an environment
//! ([`PointsTo::with_environment`]) it may read and write everything that its arguments lead to, in any number of steps, put pointers to all of
//! that anywhere into it, call the functions among it with such pointers, keep what these return, and return such a pointer or one to memory of its own.
//!
//! A pointer that is an input, or was read where an opaque function may write, may name a function of the environment, which is opaque: a *call* through it is
//! one of such a function, and a *create* starts a thread that does, at any time from then on, all that such a function may do.
//!
//! The environment has memory of its own, to which inputs may point. What the program stores there may be reached by every opaque function that gets an input.
//!
//! # Direction of error
//! Three things are taken for granted, and printed with each answer that rests on this: an opaque function keeps no pointer for a later call, no
//! thread that the program does not create accesses the program's memory (nor does it create threads that do), and an input is not the address of an object of the program, unless
//! the call that gave it got a pointer to that object.

use super::PointsTo;
use crate::analysis::value::Site;
use program::{Action, FuncId, LocId, Program};
use std::collections::BTreeSet;

/// Returns true if a function consists of something that has no model.
pub fn is_opaque(program: &Program, func: FuncId) -> bool {
    let function = &program.functions[func];
    matches!(function.locations[function.entry].action, Action::Unsupported(_))
}

impl PointsTo {
    /// The objects that what has no model may access while a thread is at a location: an opaque function, or one of the environment that is called through
    /// a pointer. Nothing, unless an environment was asked for.
    pub fn opaque_reach(&self, func: FuncId, loc: LocId) -> impl Iterator<Item = Site> {
        let reached = self.reached.as_ref().and_then(|reached| reached.get(&(func, loc)));
        reached.into_iter().flat_map(|value| value.places.keys().copied())
    }

    /// The objects that a thread may access that is created at a location and starts in a function of the environment.
    pub fn foreign_reach(&self, func: FuncId, loc: LocId) -> impl Iterator<Item = Site> {
        let reached = self.foreign.get(&(func, loc));
        reached.into_iter().flat_map(|value| value.places.keys().copied())
    }

    /// Whether a thread that is created at a location may start in a function of the environment, which may call others as often as it likes.
    pub fn starts_foreign(&self, func: FuncId, loc: LocId) -> bool {
        self.foreign.contains_key(&(func, loc))
    }

    /// All objects that opaque functions may access.
    pub fn opaque_sites(&self) -> BTreeSet<Site> {
        let reached = self.reached.iter().flat_map(|reached| reached.values()).chain(self.foreign.values());
        reached.flat_map(|value| value.places.keys().copied()).collect()
    }

    /// The functions that what has no model may call while a thread is at a location, sorted.
    pub fn opaque_callees(&self, func: FuncId, loc: LocId) -> Vec<FuncId> {
        let reached = self.reached.as_ref().and_then(|reached| reached.get(&(func, loc)));
        reached.map(|value| value.functions.iter().copied().collect()).unwrap_or_default()
    }
}
