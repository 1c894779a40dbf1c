//! Who calls whom, and where callers go on; opaque functions call what they are given.

use base::IdxVec;
use program::{FuncId, LocId};
use semantics::Analysis;
use std::collections::BTreeSet;

/// The calls of a program.
pub(super) struct Calls {
    callees: IdxVec<FuncId, IdxVec<LocId, Vec<FuncId>>>,
    callers: IdxVec<FuncId, Vec<(FuncId, LocId)>>,
}

impl Calls {
    pub(super) fn of(analysis: &Analysis<'_>) -> Calls {
        let program = analysis.program;
        let mut callers: IdxVec<FuncId, Vec<(FuncId, LocId)>> =
            program.functions.iter().map(|_| Vec::new()).collect();
        let callees = program.functions.iter_enumerated().map(|(func, function)| {
            let at = function.locations.iter_enumerated().map(|(loc, location)| {
                let callees = analysis.points_to.entered_by(func, loc, &location.action);
                callees.iter().for_each(|callee| callers[*callee].push((func, loc)));
                callees
            });
            at.collect()
        });
        Calls { callees: callees.collect(), callers }
    }

    /// The functions that an action can enter.
    pub(super) fn callees(&self, func: FuncId, loc: LocId) -> &[FuncId] {
        &self.callees[func][loc]
    }

    /// The calls of a function.
    pub(super) fn callers(&self, func: FuncId) -> &[(FuncId, LocId)] {
        &self.callers[func]
    }

    /// What holds for a function if it holds for it, or for one that it may call.
    pub(super) fn reaching(&self, mut found: BTreeSet<FuncId>) -> BTreeSet<FuncId> {
        let mut queue: Vec<FuncId> = found.iter().copied().collect();
        while let Some(func) = queue.pop() {
            queue.extend(self.callers[func].iter().map(|(caller, _)| *caller).filter(|c| found.insert(*c)));
        }
        found
    }

    /// For each function, the union of what it has and what those have that it may call, in any number of steps.
    pub(super) fn accumulated<T: Ord + Copy>(
        &self,
        mut own: IdxVec<FuncId, BTreeSet<T>>,
    ) -> IdxVec<FuncId, BTreeSet<T>> {
        // What is new in a function goes to its callers once.
        let mut queue: Vec<(FuncId, Vec<T>)> =
            own.iter_enumerated().map(|(func, has)| (func, has.iter().copied().collect())).collect();
        while let Some((func, new)) = queue.pop() {
            let callers: BTreeSet<FuncId> = self.callers[func].iter().map(|(caller, _)| *caller).collect();
            for caller in callers {
                let added: Vec<T> = new.iter().copied().filter(|item| own[caller].insert(*item)).collect();
                if !added.is_empty() {
                    queue.push((caller, added));
                }
            }
        }
        own
    }
}
