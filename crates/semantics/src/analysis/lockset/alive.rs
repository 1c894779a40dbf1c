//! Which threads can be alive while the main thread is at a location: from each create to the join that certainly waits
//! for the thread.
//!
//! Calls are followed into functions and back to *all* their callers. If there can be more than one thread of
//! the program's entry, nothing is claimed.

use super::{ByLocation, Locksets};
use crate::analysis::Analysis;
use program::{Action, FuncId, LocId};
use std::collections::BTreeSet;

/// The roots (by position) whose threads can be alive; `None` where the main thread never is.
pub(super) fn alive(analysis: &Analysis<'_>) -> ByLocation<Option<BTreeSet<usize>>> {
    let program = analysis.program;
    let all: BTreeSet<usize> = (0..analysis.threads.roots().len()).collect();
    if analysis.threads.roots()[0].many {
        let everywhere = program.functions.iter().map(|f| f.locations.iter().map(|_| Some(all.clone())));
        return everywhere.map(Iterator::collect).collect();
    }
    let mut alive: ByLocation<Option<BTreeSet<usize>>> =
        program.functions.iter().map(|f| f.locations.iter().map(|_| None).collect()).collect();
    let entry = program.entry;
    alive[entry][program.functions[entry].entry] = Some(BTreeSet::new());
    let mut queue = vec![(entry, program.functions[entry].entry)];
    while let Some((func, loc)) = queue.pop() {
        let Some(before) = alive[func][loc].clone() else { continue };
        let after = after(analysis, func, loc, before);
        for (func, loc) in analysis.successors(func, loc) {
            let known = &mut alive[func][loc];
            let n_known = known.as_ref().map(BTreeSet::len);
            known.get_or_insert_default().extend(after.iter().copied());
            if known.as_ref().map(BTreeSet::len) != n_known {
                queue.push((func, loc));
            }
        }
    }
    alive
}

fn after(analysis: &Analysis<'_>, func: FuncId, loc: LocId, mut alive: BTreeSet<usize>) -> BTreeSet<usize> {
    let roots = analysis.threads.roots();
    for start in analysis.points_to.started_by(func, loc) {
        if let Some(n) = roots.iter().position(|root| root.func == start) {
            alive.insert(n);
            alive.extend(analysis.threads.descendants(&analysis.points_to, n));
        }
    }
    if let Some(ended) = analysis.joined_root(func, loc) {
        alive.remove(&ended);
    }
    alive
}

impl Analysis<'_> {
    /// Where a thread can go on: at the next location, in a callee, or (any of them) behind a call of this function.
    fn successors(&self, func: FuncId, loc: LocId) -> Vec<(FuncId, LocId)> {
        let action = &self.program.functions[func].locations[loc].action;
        match action {
            Action::Call { callee, .. } => {
                let callees = self.points_to.callees(func, callee).into_iter();
                callees.map(|callee| (callee, self.program.functions[callee].entry)).collect()
            }
            Action::Return(_) => self.behind_calls(func).collect(),
            _ => action.successors().map(|next| (func, next)).collect(),
        }
    }

    fn behind_calls(&self, func: FuncId) -> impl Iterator<Item = (FuncId, LocId)> {
        let functions = self.program.functions.iter_enumerated();
        let locations = functions.flat_map(|(f, function)| function.locations.iter().map(move |l| (f, l)));
        locations.filter_map(move |(caller, location)| match &location.action {
            Action::Call { callee, next, .. } => {
                self.points_to.callees(caller, callee).contains(&func).then_some((caller, *next))
            }
            _ => None,
        })
    }
}

impl Locksets {
    /// The roots (by position) whose threads can be alive while the main thread is at a location; `None` if it never is.
    pub fn alive(&self, func: FuncId, loc: LocId) -> Option<&BTreeSet<usize>> {
        self.alive[func][loc].as_ref()
    }

    /// Returns true if a thread at the location is the only thread.
    pub fn is_alone(&self, analysis: &Analysis<'_>, func: FuncId, loc: LocId) -> bool {
        analysis.threads.runners(func) == [0]
            && !analysis.threads.roots()[0].many
            && self.alive(func, loc).is_none_or(BTreeSet::is_empty)
    }

    /// Returns true if threads of two roots (by position), neither of them the entry, can be alive at once.
    fn coexist(&self, left: usize, right: usize) -> bool {
        let mut alive = self.alive.iter().flat_map(|locations| locations.iter()).flatten();
        alive.any(|alive| alive.contains(&left) && alive.contains(&right))
    }

    /// Returns true if two threads, of these roots (by position), can be at these locations at once.
    pub fn may_happen_in_parallel(
        &self,
        analysis: &Analysis<'_>,
        (left, left_at): (usize, (FuncId, LocId)),
        (right, right_at): (usize, (FuncId, LocId)),
    ) -> bool {
        let alive_at = |(func, loc), root| self.alive(func, loc).is_some_and(|alive| alive.contains(&root));
        match (left, right) {
            (l, r) if l == r => analysis.threads.roots()[l].many,
            (0, r) => alive_at(left_at, r),
            (l, 0) => alive_at(right_at, l),
            (l, r) => self.coexist(l, r),
        }
    }
}
