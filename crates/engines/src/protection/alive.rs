//! Which threads can be alive while the main thread is at a location: from each create to the join that certainly waits for
//! the thread.

use super::calls::Calls;
use program::{Action, FuncId, LocId};
use semantics::Analysis;
use semantics::analysis::lockset::ByLocation;
use std::collections::BTreeSet;

/// The roots (by position) whose threads can be alive; `None` where the main thread never is.
pub(super) fn alive(analysis: &Analysis<'_>, calls: &Calls) -> ByLocation<Option<BTreeSet<usize>>> {
    let program = analysis.program;
    let roots = analysis.threads.roots();
    let nowhere = |f: &program::Function| f.locations.iter().map(|_| None).collect();
    if roots[0].many {
        let all: BTreeSet<usize> = (0..roots.len()).collect();
        let everywhere = program.functions.iter().map(|f| f.locations.iter().map(|_| Some(all.clone())));
        return everywhere.map(Iterator::collect).collect();
    }
    let mut alive: ByLocation<Option<BTreeSet<usize>>> = program.functions.iter().map(nowhere).collect();
    let start = (program.entry, program.functions[program.entry].entry);
    alive[start.0][start.1] = Some(BTreeSet::new());
    let mut queue = vec![start];
    while let Some((func, loc)) = queue.pop() {
        let Some(before) = alive[func][loc].clone() else { continue };
        let after = after(analysis, func, loc, before);
        for (func, loc) in successors(analysis, calls, func, loc) {
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

/// Where a thread can go on: at the next location, in a callee, or (any of them) behind a call of this function.
fn successors(analysis: &Analysis<'_>, calls: &Calls, func: FuncId, loc: LocId) -> Vec<(FuncId, LocId)> {
    let program = analysis.program;
    let entered = calls.callees(func, loc).iter().map(|callee| (*callee, program.functions[*callee].entry));
    let behind = |(caller, at): &(FuncId, LocId)| match &program.functions[*caller].locations[*at].action {
        Action::Call { next, .. } => (*caller, *next),
        _ => (*caller, *at),
    };
    match &program.functions[func].locations[loc].action {
        Action::Call { .. } => entered.collect(),
        Action::Return(_) => calls.callers(func).iter().map(behind).collect(),
        Action::Unsupported(_) => entered.chain(calls.callers(func).iter().map(behind)).collect(),
        action => action.successors().map(|next| (func, next)).collect(),
    }
}
