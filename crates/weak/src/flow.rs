//! Control flow of whole threads, without regard to calling contexts.

use program::{Action, FuncId, LocId};
use rustc_hash::FxHashMap;
use semantics::Analysis;

/// Where control can go from each location.
pub(crate) type Successors = FxHashMap<(FuncId, LocId), Vec<(FuncId, LocId)>>;

/// Where control can go: into functions that are called, and from their ends to behind all their calls.
pub(crate) fn successors(analysis: &Analysis<'_>) -> Successors {
    let program = analysis.program;
    let mut successors = Successors::default();
    let mut returns: FxHashMap<FuncId, Vec<(FuncId, LocId)>> = FxHashMap::default();
    for (func, function) in program.functions.iter_enumerated() {
        for (loc, location) in function.locations.iter_enumerated() {
            let nexts = successors.entry((func, loc)).or_default();
            if let Action::Call { callee, next, .. } = &location.action {
                for callee in analysis.points_to.callees(func, callee) {
                    nexts.push((callee, program.functions[callee].entry));
                    returns.entry(callee).or_default().push((func, *next));
                }
            } else {
                nexts.extend(location.action.successors().map(|next| (func, next)));
            }
        }
    }
    for (func, function) in program.functions.iter_enumerated() {
        for (loc, location) in function.locations.iter_enumerated() {
            if matches!(location.action, Action::Return(_)) {
                let back = returns.get(&func).cloned().unwrap_or_default();
                successors.entry((func, loc)).or_default().extend(back);
            }
        }
    }
    successors
}
