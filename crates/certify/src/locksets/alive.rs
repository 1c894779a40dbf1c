//! Which threads live while the main thread is somewhere, and so which locations can be reached at once.

use super::{Touch, failed};
use base::Inconclusive;
use program::{Action, FuncId, LocId};
use semantics::analysis::Analysis;
use semantics::analysis::lockset::Locksets;
use std::collections::BTreeSet;

/// The claimed sets contain every thread that is created and not certainly over.
pub(super) fn check(analysis: &Analysis<'_>, claimed: &Locksets) -> Result<(), Inconclusive> {
    let program = analysis.program;
    let all_roots: BTreeSet<usize> = (0..analysis.threads.roots().len()).collect();
    let many = analysis.threads.roots()[0].many;
    if claimed.alive[program.entry][program.functions[program.entry].entry].is_none() {
        return Err(failed("the main thread should start".to_owned()));
    }
    for (func, function) in program.functions.iter_enumerated() {
        for loc in function.locations.ids() {
            let before = claimed.alive[func][loc].as_ref();
            if many && before != Some(&all_roots) {
                return Err(failed("there can be several main threads".to_owned()));
            }
            let Some(before) = before else { continue };
            let after = after(analysis, func, loc, before);
            let named = |(func, loc): (FuncId, LocId)| {
                claimed.alive[func][loc].as_ref().is_some_and(|named| after.is_subset(named))
            };
            if !successors(analysis, func, loc).into_iter().all(named) {
                return Err(failed("a living thread is not named".to_owned()));
            }
        }
    }
    Ok(())
}

fn after(analysis: &Analysis<'_>, func: FuncId, loc: LocId, before: &BTreeSet<usize>) -> BTreeSet<usize> {
    let roots = analysis.threads.roots();
    let started = analysis.points_to.started_by(func, loc);
    let mut after = before.clone();
    for n in (0..roots.len()).filter(|n| started.contains(&roots[*n].func)) {
        after.insert(n);
        after.extend(analysis.threads.descendants(&analysis.points_to, n));
    }
    if let Some(over) = analysis.joined_root(func, loc) {
        after.remove(&over);
    }
    after
}

/// Where a thread goes on, in this function, in a callee, or in any caller.
fn successors(analysis: &Analysis<'_>, func: FuncId, loc: LocId) -> Vec<(FuncId, LocId)> {
    let program = analysis.program;
    match &program.functions[func].locations[loc].action {
        Action::Call { callee, .. } => {
            let callees = analysis.points_to.callees(func, callee).into_iter();
            callees.map(|callee| (callee, program.functions[callee].entry)).collect()
        }
        Action::Return(_) => {
            let mut found = Vec::new();
            for (caller, function) in program.functions.iter_enumerated() {
                for location in function.locations.iter() {
                    if let Action::Call { callee, next, .. } = &location.action
                        && analysis.points_to.callees(caller, callee).contains(&func)
                    {
                        found.push((caller, *next));
                    }
                }
            }
            found
        }
        action => action.successors().map(|next| (func, next)).collect(),
    }
}

/// Returns true if two different threads, of these roots (by position), can be at the places of these accesses at once.
pub(super) fn parallel(
    analysis: &Analysis<'_>,
    claimed: &Locksets,
    (left, here): (usize, &Touch),
    (right, there): (usize, &Touch),
) -> bool {
    let alive = |at: &Touch, root: usize| {
        claimed.alive[at.func][at.loc].as_ref().is_some_and(|alive| alive.contains(&root))
    };
    if left == right {
        return analysis.threads.roots()[left].many;
    }
    if left == 0 {
        return alive(here, right);
    }
    if right == 0 {
        return alive(there, left);
    }
    let mut places = claimed.alive.iter().flat_map(|locations| locations.iter()).flatten();
    places.any(|alive| alive.contains(&left) && alive.contains(&right))
}
