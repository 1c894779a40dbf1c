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
use crate::analysis::offset::Offset;
use crate::analysis::value::{Site, Value};
use program::{Action, FuncId, LocId, Program};
use std::collections::BTreeSet;

/// Returns true if a function consists of something that has no model.
pub fn is_opaque(program: &Program, func: FuncId) -> bool {
    let function = &program.functions[func];
    matches!(function.locations[function.entry].action, Action::Unsupported(_))
}

impl PointsTo {
    /// The objects that an opaque function may access, if the function is one and an environment was asked for.
    pub fn opaque_reach(&self, program: &Program, func: FuncId) -> Option<BTreeSet<Site>> {
        if is_opaque(program, func) { self.reach(func) } else { None }
    }

    /// All objects that opaque functions may access.
    pub fn opaque_sites(&self, program: &Program) -> BTreeSet<Site> {
        program.functions.ids().filter_map(|func| self.opaque_reach(program, func)).flatten().collect()
    }

    /// The functions that an opaque function may call, sorted.
    pub fn opaque_callees(&self, program: &Program, func: FuncId) -> Vec<FuncId> {
        if !self.has_environment || !is_opaque(program, func) {
            return Vec::new();
        }
        self.given(func).functions.into_iter().collect()
    }

    /// What an action without a model leads to.
    pub(super) fn reach(&self, func: FuncId) -> Option<BTreeSet<Site>> {
        self.has_environment.then(|| self.given(func).places.into_keys().collect())
    }

    /// Everything that the parameters of a function lead to, anywhere in it.
    fn given(&self, func: FuncId) -> Value {
        let mut given = Value::default();
        for value in self.registers[func].iter() {
            given.join(&value.smeared());
        }
        let mut queue: Vec<Site> = given.places.keys().copied().collect();
        while let Some(site) = queue.pop() {
            for value in self.contents.get(&site).into_iter().flat_map(|contents| contents.values()) {
                queue.extend(value.places.keys().filter(|held| !given.places.contains_key(held)));
                given.join(&value.smeared());
            }
        }
        given.wild |= self.follows_wild;
        given
    }

    /// What an action without a model may do.
    pub(super) fn opaque(&mut self, program: &Program, func: FuncId, loc: LocId) {
        if !self.has_environment || program.functions[func].entry != loc {
            return;
        }
        let given = self.given(func);
        let bytes = self.pointer.bytes();
        if given.has_address() {
            for site in given.places.keys() {
                self.write(*site, Offset::Any, bytes, &given);
            }
        }
        for callee in &given.functions {
            for param in &program.functions[*callee].params {
                self.set(program, *callee, *param, &given);
            }
        }
        self.give_back(func, &given);
    }
}
