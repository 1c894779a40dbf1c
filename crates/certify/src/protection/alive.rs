//! Which threads live while the main thread is somewhere.

use super::failed;
use base::{IdxVec, Inconclusive};
use program::{Action, FuncId, LocId};
use semantics::Analysis;
use semantics::analysis::lockset::ByLocation;
use std::collections::BTreeSet;

type Alive = ByLocation<Option<BTreeSet<usize>>>;

/// The claimed sets contain every thread that is created and not certainly over.
pub(super) fn check(analysis: &Analysis<'_>, claimed: &Alive) -> Result<(), Inconclusive> {
    let program = analysis.program;
    let roots = analysis.threads.roots();
    let everybody: BTreeSet<usize> = (0..roots.len()).collect();
    if claimed[program.entry][program.functions[program.entry].entry].is_none() {
        return Err(failed("the main thread should start".to_owned()));
    }
    let returns = returns(analysis);
    for (func, function) in program.functions.iter_enumerated() {
        for (loc, location) in function.locations.iter_enumerated() {
            let before = claimed[func][loc].as_ref();
            if roots[0].many && before != Some(&everybody) {
                return Err(failed("there can be several main threads".to_owned()));
            }
            let Some(before) = before else { continue };
            let after = after(analysis, func, loc, before);
            let named = |(func, loc): (FuncId, LocId)| {
                claimed[func][loc].as_ref().is_some_and(|named| after.is_subset(named))
            };
            let entry = |callee: FuncId| (callee, program.functions[callee].entry);
            let all_named = match &location.action {
                Action::Call { callee, .. } => {
                    analysis.points_to.callees(func, callee).into_iter().map(entry).all(named)
                }
                Action::Return(_) => returns[func].iter().copied().all(named),
                Action::Unsupported(_) => {
                    let called = analysis.points_to.opaque_callees(program, func);
                    called.into_iter().map(entry).all(named) && returns[func].iter().copied().all(named)
                }
                action => action.successors().map(|next| (func, next)).all(named),
            };
            if !all_named {
                return Err(failed("a living thread is not named".to_owned()));
            }
        }
    }
    Ok(())
}

/// Where each function returns to.
fn returns(analysis: &Analysis<'_>) -> IdxVec<FuncId, Vec<(FuncId, LocId)>> {
    let program = analysis.program;
    let mut found: IdxVec<FuncId, Vec<(FuncId, LocId)>> =
        program.functions.iter().map(|_| Vec::new()).collect();
    for (func, function) in program.functions.iter_enumerated() {
        for (loc, location) in function.locations.iter_enumerated() {
            match &location.action {
                Action::Call { callee, next, .. } => {
                    let callees = analysis.points_to.callees(func, callee);
                    callees.into_iter().for_each(|callee| found[callee].push((func, *next)));
                }
                Action::Unsupported(_) => {
                    let callees = analysis.points_to.opaque_callees(program, func);
                    callees.into_iter().for_each(|callee| found[callee].push((func, loc)));
                }
                _ => {}
            }
        }
    }
    found
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
