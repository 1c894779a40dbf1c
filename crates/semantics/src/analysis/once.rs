//! Which functions are entered at most once in a run, and so which objects are single.
//!
//! A function is entered at most once if it is the start routine of a root with one thread and called by none, or if
//! there is one call of it, in no cycle of its function, in a function that is entered at most once, and no thread starts in it.
//! ([`Analysis::is_unique`] knows only the first case.) Where calls enter [copies](program::passes::clones) of functions, initialisers are
//! found to be such functions.
//!
//! # Direction of error
//! Names too few functions and objects, never too many.

use crate::analysis::{Analysis, Site};
use base::{Idx, IdxVec};
use program::{Action, FuncId, LocId, Program};
use std::collections::BTreeSet;

/// What happens at most once in a run.
#[derive(Debug)]
pub struct Once {
    functions: IdxVec<FuncId, bool>,
    /// The locations of each function that can be reached from themselves.
    repeated: IdxVec<FuncId, BTreeSet<LocId>>,
}

impl Once {
    /// Analyses a program.
    pub fn of(analysis: &Analysis<'_>) -> Once {
        let program = analysis.program;
        let repeated: IdxVec<FuncId, BTreeSet<LocId>> =
            program.functions.ids().map(|func| cycles(program, func)).collect();
        let mut calls: IdxVec<FuncId, Vec<(FuncId, bool)>> =
            program.functions.iter().map(|_| Vec::new()).collect();
        for (func, function) in program.functions.iter_enumerated() {
            for (loc, location) in function.locations.iter_enumerated() {
                let again = repeated[func].contains(&loc);
                if let Action::Call { callee, .. } = &location.action {
                    let callees = analysis.points_to.callees(func, callee);
                    callees.into_iter().for_each(|callee| calls[callee].push((func, again)));
                }
                let called_back = analysis.points_to.opaque_callees(func, loc);
                called_back.into_iter().for_each(|callee| calls[callee].push((func, true)));
            }
        }
        let mut functions: IdxVec<FuncId, bool> = program.functions.iter().map(|_| false).collect();
        let mut queue: Vec<FuncId> = Vec::new();
        for root in analysis.threads.roots().iter().filter(|root| !root.many) {
            if calls[root.func].is_empty() {
                functions[root.func] = true;
                queue.push(root.func);
            }
        }
        let starts: BTreeSet<FuncId> = analysis.threads.roots().iter().map(|root| root.func).collect();
        while let Some(caller) = queue.pop() {
            for callee in program.functions.ids() {
                let single = matches!(calls[callee][..], [(by, false)] if by == caller);
                if single && !functions[callee] && !starts.contains(&callee) {
                    functions[callee] = true;
                    queue.push(callee);
                }
            }
        }
        Once { functions, repeated }
    }

    /// Whether a location can be reached from itself within its function.
    pub fn is_repeated(&self, func: FuncId, loc: LocId) -> bool {
        self.repeated[func].contains(&loc)
    }

    /// Whether there is at most one object of `site` in a run.
    pub fn is_single(&self, program: &Program, site: Site) -> bool {
        match site {
            Site::Static(object) => !program.objects[object].thread_local,
            Site::Frame(func, _) => self.functions[func],
            Site::Heap(func, loc, _) => self.functions[func] && !self.repeated[func].contains(&loc),
        }
    }
}

/// The locations of a function that can be reached from themselves.
fn cycles(program: &Program, func: FuncId) -> BTreeSet<LocId> {
    let locations = &program.functions[func].locations;
    let successors = |n: usize| locations[LocId::new(n)].action.successors().map(Idx::index).collect();
    let components = base::scc::cyclic_components(locations.len(), successors);
    components.into_iter().flatten().map(LocId::new).collect()
}
